"""The command reference, `docs/reference/commands.md`, written from the Typer app.

`make golden` (or `python -m tools.command_page`) rewrites the page; a test checks that it is
current.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

from typer.main import get_command

from tribridge.cli import app
from tribridge.common.files import write_atomic

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "commands.md"

_TYPES = {"str": "text", "int": "integer", "int range": "integer", "integer range": "integer"}
"""Names of types that differ between versions of Typer, or say too little of a range."""

_SHARED = {
    "--json": "write JSON",
    "--seed": "the seed of everything random, 1 unless given",
    "--processes": "worker processes; 0, the default, uses all cores",
    "--threads": "threads; 0, the default, uses all cores",
    "--cluster": "the address of a Dask cluster to run on",
    "--device": "`cuda` or `cpu`; `auto`, the default, uses a GPU if there is one",
}
"""Options that mean the same in every command: explained once, then only named."""

_BRIEF = {
    "tribridge arena": "match",
    **{
        f"tribridge {name}": ""
        for name in ("speed", "benchmark", "bot", "deal", "equilibrium", "exact")
    },
    **{f"tribridge {name}": "" for name in ("label", "paper", "puzzles", "review", "score")},
    **{
        f"tribridge {name}": ""
        for name in ("simulate", "solve", "speed", "stats", "study", "train", "worth")
    },
}
"""Commands listed by their first paragraph only; of a group, all but the subcommands named."""

_OPENING = f"""\
# Commands

In brief; `tribridge COMMAND --help` says more. Bad input ends in one line on standard error and
exit code 1, missing or wrong options in exit code 2. Defaults are in brackets; the less common
commands are listed without their options. These options mean the same everywhere:

{"".join(f"- `{name}`: {text}" + chr(10) for name, text in _SHARED.items())}"""


def page_text() -> str:
    """The page: one section per command, with its arguments and options."""
    return "\n".join([_OPENING, *_sections("tribridge", get_command(app), {})])


def _sections(name: str, command: Any, known: dict[str, str]) -> Iterator[str]:
    if getattr(command, "invoke_without_command", True):
        yield _section(name, command, known)
    elif " " in name:  # a group of commands alone, such as `tribridge arena`
        yield f"## {name}\n\n{_paragraphs(command.help)}\n"
    if not hasattr(command, "list_commands"):
        return
    brief: list[str] = []
    for each in command.list_commands(None):
        full, member = f"{name} {each}", command.get_command(None, each)
        if name in _BRIEF and each not in _BRIEF[name].split():
            brief.append(f"- `{_usage(full, member)}`: {_summary(member)}")
        else:
            yield from _sections(full, member, known)
    if brief:
        yield "\n".join([*(["### Others\n"] if _BRIEF[name] else []), *brief, ""])


def _section(name: str, command: Any, known: dict[str, str]) -> str:
    level = "#" * min(name.count(" ") + 1, 3)
    usage = _usage(name, command)
    head = f"{level} {name}\n\n" + (f"`{usage}`\n\n" if usage != name else "")
    if name in _BRIEF:
        return f"{head}{_summary(command)}\n"
    items: list[str] = []
    named: dict[str, list[str]] = {}
    for parameter in command.params:
        item = _item(parameter)
        first = known.setdefault(f"{name.rpartition(' ')[0]} {item}", name)
        if _is_shared(parameter):
            named.setdefault("", []).append(_brief(parameter))
        elif first != name and first.count(" ") > 1 and parameter.param_type_name == "option":
            named.setdefault(f" as for `{first}`", []).append(_brief(parameter))
        else:
            items.append(item)
    items += [f"- {', '.join(names)}{where}" for where, names in sorted(named.items())]
    return "\n".join([f"{head}{_paragraphs(command.help)}\n", *items]) + "\n"


def _usage(name: str, command: Any) -> str:
    arguments = [
        parameter for parameter in command.params if parameter.param_type_name == "argument"
    ]
    return " ".join([name, *map(_argument, arguments)])


def _summary(command: Any) -> str:
    """The first paragraph of a command's help."""
    return _paragraphs(command.help).partition("\n\n")[0]


def _brief(option: Any) -> str:
    """An option by its name alone."""
    return f"`{option.opts[0]}`"


def _is_shared(option: Any) -> bool:
    """Whether an option is one of those that the opening explains."""
    ordinary = option.default in (None, False, 0, 1, "", "auto")
    return option.opts[0] in _SHARED and ordinary and not isinstance(option.show_default, str)


def _paragraphs(text: str | None) -> str:
    return cleandoc(text or "")


def _argument(argument: Any) -> str:
    name = argument.name.upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _item(option: Any) -> str:
    if option.param_type_name == "argument":
        name = option.name.upper()
    else:
        name = ", ".join(option.opts)
        if not option.is_flag:
            name += f"={_TYPES.get(option.type.name, option.type.name).upper()}"
    default = _default(option)
    shown = f" ({default})" if default else ""
    meaning = (option.help or "").removesuffix(".")
    if option.param_type_name == "option":
        meaning = re.split(r"; |\. ", meaning)[0]
    return f"- `{name}`{shown}: {meaning}"


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
