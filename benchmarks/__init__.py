"""Measurements that are not part of the package: `python -m benchmarks.NAME`."""
