"""What the tests leave out where an extra is not installed."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["src/tribridge/forecast/learn.py"]
