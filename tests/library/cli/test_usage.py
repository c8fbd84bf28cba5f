"""Every command that lacks something it needs says so in one line, with the same exit code."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from typer.main import get_command

from tests.library.cli.helpers import tribridge
from tribridge.cli import app

NEEDS_NOTHING = {
    "play", "worth", "deal", "exact", "equilibrium", "paper", "arena tiny",
    "arena list", "speed deals", "speed forecast", "speed learning", "speed defence",
    "train small", "puzzles solve", "puzzles list", "puzzles check",
}  # fmt: skip
NEEDS_MORE = {
    "benchmark": ("",),
    "forecast": ("",),
    "label": ("--out x --device cpu",),
    "simulate": ("game --resume",),
    "equilibrium": ("--levels 1",),
    "train bidding": ("--out x --response 1",),
}
"""Arguments after which a command still lacks something that Typer does not know it needs."""


def commands(command: Any, name: str = "") -> Iterator[tuple[str, bool]]:
    """All commands by name, and whether Typer requires an argument or option of them."""
    if getattr(command, "invoke_without_command", True):  # not a group of commands alone
        yield name, any(one.required for one in command.params)
    if not hasattr(command, "list_commands"):
        return
    for each in command.list_commands(None):
        yield from commands(command.get_command(None, each), f"{name} {each}".strip())


COMMANDS = dict(commands(get_command(app)))
LACKING = [name for name, required in COMMANDS.items() if required] + [
    f"{name} {arguments}".strip() for name, more in NEEDS_MORE.items() for arguments in more
]


def test_every_command_is_known_to_need_something_or_nothing() -> None:
    bare = {name for name, required in COMMANDS.items() if not required}
    assert bare == NEEDS_NOTHING | {name for name, more in NEEDS_MORE.items() if "" in more}


@pytest.mark.parametrize("line", LACKING)
def test_a_missing_argument_exits_with_2(line: str) -> None:
    done = tribridge(*line.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tribridge: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_breaks_lines_only_where_they_are_full(name: str) -> None:
    text = tribridge(*name.split(), "--help").stdout.partition("╭")[0]
    lines = [line.strip() for line in text.splitlines()]
    for line, following in pairwise(lines):
        if line and following:
            assert len(f" {line} {following.split()[0]} ") > 80, line


@pytest.mark.parametrize("group", ["arena", "speed", "paper", "puzzles", "store", "train"])
def test_groups_offer_only_options_of_their_own(group: str) -> None:
    command: Any = get_command(app)
    offered = {option for one in command.get_command(None, group).params for option in one.opts}
    assert not any("completion" in option for option in offered)


def test_an_unknown_command_is_told_the_others() -> None:
    done = tribridge("arena", "xyz")
    assert done.returncode == 2
    assert "'xyz'" in done.stderr
    assert "match" in done.stderr
    assert done.stderr.count("\n") == 1
