"""Parquet files: what is written is read, in one thread, and the process then ends normally."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tribridge.common.errors import FormatError
from tribridge.common.files import dumps_table, loads_table

SCRIPT = """
import os
from tribridge.lab.labels.labels import dumps_labels, loads_labels, shipped

import pyarrow.parquet

def threads():
    return len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 0

before = threads()
labels = shipped()
loads_labels(dumps_labels(labels))
print(len(labels), threads() - before)
"""


def test_columns_and_metadata_come_back() -> None:
    data = dumps_table({"a": np.array([1, 2], np.int8), "b": ["x", "y"]}, {b"key": b"value"})
    columns, metadata = loads_table(data)
    assert list(columns) == ["a", "b"]
    assert columns["a"].dtype == np.int8
    assert (columns["a"].tolist(), columns["b"].tolist()) == ([1, 2], ["x", "y"])
    assert metadata == {b"key": b"value"}
    assert loads_table(dumps_table({"a": [1]}))[1] == {}


@pytest.mark.parametrize("end", [0, 3, 100, -1])
def test_what_is_no_parquet_file_is_refused_in_one_line(end: int) -> None:
    data = dumps_table({"a": [1, 2, 3]})
    with pytest.raises(FormatError) as error:
        loads_table(data[:end])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("attempt", range(3))
def test_a_script_that_reads_labels_starts_no_threads_and_ends_normally(attempt: int) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "3000 0\n"), done.stderr


def test_nothing_else_in_the_package_uses_pyarrow() -> None:
    source = Path(sys.modules["tribridge"].__file__ or "").parent
    users = {path.name for path in source.rglob("*.py") if '"pyarrow' in path.read_text()}
    assert users == {"errors.py", "files.py", "provenance.py"}
