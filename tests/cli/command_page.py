"""The command reference, `docs/reference/commands.md`, written from the Typer app.

`make golden` (or `python -m tests.cli.command_page`) rewrites the page; a test checks that it is
current.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

from typer.main import get_command

from tribridge.cli import app
from tribridge.files import write_atomic

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "commands.md"

_TYPES = {"str": "text", "int": "integer"}
"""Names of types that differ between versions of Typer."""

_OPENING = """\
# Commands

Every command answers `--help` with the text below. Bad input ends in one line on standard error and
exit code 1, missing or wrong options in exit code 2.
"""


def page_text() -> str:
    """The page: one section per command, with its arguments and options."""
    return "\n".join([_OPENING, *_sections("tribridge", get_command(app))])


def _sections(name: str, command: Any) -> Iterator[str]:
    if getattr(command, "invoke_without_command", True):
        yield _section(name, command)
    elif " " in name:  # a group of commands alone, such as `tribridge arena`
        yield f"## {name}\n\n{_paragraphs(command.help)}\n"
    if not hasattr(command, "list_commands"):
        return
    for each in command.list_commands(None):
        yield from _sections(f"{name} {each}", command.get_command(None, each))


def _section(name: str, command: Any) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    usage = " ".join([name, *map(_argument, arguments), "[OPTIONS]"])
    rows = [_row(one) for one in command.params]
    level = "#" * min(name.count(" ") + 1, 3)
    table = "\n".join(["| option | default | meaning |", "| --- | --- | --- |", *rows])
    return f"{level} {name}\n\n`{usage}`\n\n{_paragraphs(command.help)}\n\n{table}\n"


def _paragraphs(text: str | None) -> str:
    return cleandoc(text or "")


def _argument(argument: Any) -> str:
    name = argument.name.upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _row(option: Any) -> str:
    if option.param_type_name == "argument":
        name = option.name.upper()
    else:
        name = ", ".join(option.opts)
        if not option.is_flag:
            name += f" {_TYPES.get(option.type.name, option.type.name).upper()}"
    meaning = (option.help or "").replace("|", "\\|")
    return f"| `{name}` | {_default(option)} | {meaning} |"


def _default(option: Any) -> str:
    shown = option.show_default
    if isinstance(shown, str):
        return shown
    if option.required:
        return "required"
    if getattr(option, "is_flag", False) or option.default in (None, "") or shown is False:
        return ""
    return f"`{option.default}`"


def main() -> None:
    """Write the page."""
    write_atomic(PAGE, page_text())


if __name__ == "__main__":
    main()
