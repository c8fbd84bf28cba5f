"""What the tests find around them: nothing of the user's, and nothing of earlier runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conftest import ROOT, UNSET


def test_the_working_directory_is_empty_and_outside_of_the_checkout() -> None:
    assert list(Path.cwd().iterdir()) == []
    assert not Path.cwd().is_relative_to(ROOT)


def test_nothing_of_the_user_is_seen() -> None:
    pwd = pytest.importorskip("pwd")
    assert Path.home() != Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert not set(UNSET) & os.environ.keys()
