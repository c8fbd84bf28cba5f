"""The command reference shows the commands as they are."""

from __future__ import annotations

from tests.cli.command_page import PAGE, page_text


def test_the_command_reference_is_current() -> None:
    message = "renew it with python -m tests.cli.command_page"
    assert PAGE.read_text("utf-8") == page_text(), message
