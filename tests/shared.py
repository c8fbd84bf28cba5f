"""What one process of a test run makes and all others read."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def made_once(name: str, make: Callable[[], T]) -> T:
    """A value that is made by the first process that asks for it."""
    path = Path(os.environ["TRIBRIDGE_TESTS"]) / name
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            path.write_bytes(pickle.dumps(make()))
    value: T = pickle.loads(path.read_bytes())
    return value
