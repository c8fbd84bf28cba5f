"""The command reference shows the commands as they are."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from tools.command_page import PAGE, page_text

CONSTRAINTS = Path(__file__).parents[3] / "constraints.txt"


@pytest.mark.skipif(
    f"typer=={version('typer')}" not in CONSTRAINTS.read_text("utf-8").split(),
    reason="made by another version of typer",
)
def test_the_command_reference_is_current() -> None:
    message = "renew it with python -m tools.command_page"
    assert PAGE.read_text("utf-8") == page_text(), message
