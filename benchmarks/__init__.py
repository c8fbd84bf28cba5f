"""Measurements that are not part of the package: `python benchmarks/NAME.py`."""
