"""The commands, each in a module that is loaded when the command runs.

Bad input prints one line on standard error and exits with code 1; missing or wrong options exit
with code 2, whether Typer or a command notices them. A closed pipe ends the program quietly.
"""

from __future__ import annotations

import ast
import io
import os
import sys
import warnings
from functools import cache
from importlib import resources
from typing import Annotated, Any, Final, NamedTuple, NoReturn, cast

import typer
from typer.core import TyperCommand, TyperGroup

from tribridge import __version__
from tribridge.cli.options import command_of
from tribridge.common.errors import (
    EXTRAS,
    MissingPackageError,
    RecordWarning,
    SettingError,
    TribridgeError,
    missing,
)
from tribridge.common.houses import from_house

COMMANDS: Final = {
    "Analyse": "hands.capture hands.forecast hands.advise deals.deal deals.solve games.review "
    "games.score games.worth",
    "Research": "exact simulate arena",
}
"""The commands of the library. By panel: commands and groups, after a module of another name."""
MEMBERS: Final[dict[str, str]] = {}
"""Commands in groups of other houses."""
_PANELS: Final = ("Play", "Analyse", "Research", "Train")


class _Home(NamedTuple):
    """Where a command is, and its panel in the help."""

    package: str
    module: str
    panel: str


@cache
def _lists() -> tuple[dict[str, _Home], dict[str, list[_Home]], list[str]]:
    """All commands, those that join a group of another house, and the houses that are missing."""
    homes: dict[str, _Home] = {}
    members: dict[str, list[_Home]] = {}
    absent = []
    for package in ("cli", "club.commands", "lab.commands"):
        try:
            house = from_house(package)
        except MissingPackageError as error:
            absent.append(str(error))
            continue
        for panel, places in house.COMMANDS.items():
            for place in places.split():
                homes[place.rpartition(".")[2]] = _Home(package, place.partition(".")[0], panel)
        for group, places in getattr(house, "MEMBERS", {}).items():
            for place in places.split():
                module, _, name = place.partition(".")
                members.setdefault(group, []).append(_Home(package, module, name))
    ordered = sorted(homes, key=lambda name: _PANELS.index(homes[name].panel))
    return {name: homes[name] for name in ordered}, members, absent


class _Commands(TyperGroup):
    """The commands; their list is read from the source, since loading all of them takes long."""

    _listing = False

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        known: Any = dict.fromkeys(_lists()[0])  # by name alone, to list them and to guess
        self.commands = known

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in _lists()[0]:
            return None
        return (_listed if self._listing else _loaded)(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self._listing = True
        super().format_help(ctx, formatter)
        self._listing = False


@cache
def _loaded(name: str) -> Any:
    homes, members, _ = _lists()
    home = homes[name]
    command = command_of(name, from_house(f"{home.package}.{home.module}"))
    for member in members.get(name, ()):
        module = from_house(f"{member.package}.{member.module}")
        command.add_command(command_of(member.panel, module), member.panel)
    return command


def _listed(name: str) -> TyperCommand:
    """A command as the list of commands shows it."""
    package, module, panel = _lists()[0][name]
    source = resources.files(f"tribridge.{package}").joinpath(f"{module}.py").read_text("utf-8")
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    described = next(ast.get_docstring(node) for node in functions if node.name == name)
    return TyperCommand(name, help=described, rich_help_panel=panel)


app = typer.Typer(
    name="tribridge",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


_INTERRUPTED = 130


def _version(wanted: bool) -> None:
    if wanted:
        print(f"tribridge {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Three-player auction bridge: forecast, count, simulate, compare and play."""


def main() -> None:
    """Run the command line; turn errors into one line and an exit code."""
    _open_streams()
    left_out = _naming_what_is_left_out()
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        message = error.format_message()
        at: Any = getattr(error, "ctx", None)
        if message.startswith("No such command") and "Did you mean" not in message:
            absent = "".join(f"; {reason}" for reason in _lists()[2])
            expected = ", ".join(at.command.list_commands(at))
            message = f"{message.rstrip('.')}: expected {expected}{absent}"
        if "\n" in message or not message:  # the help, when no command is given
            print(message, end="", file=sys.stderr)
            sys.exit(2)
        if message.startswith("No such option") and not _alike(error):
            message = message.partition(" (")[0]
        if message.startswith("No such") and message[-1] not in "?)" and at is not None:
            words = at.command_path.partition("tribridge")[2]
            message = f"{message.rstrip('.')}; `tribridge{words} --help` lists what there is"
        takes = () if at is None else (argument.name for argument in at.command.params)
        if message.startswith("Got unexpected extra argument") and "hand" in takes:
            message += ": a hand is one word, as in AKQ2.K93.A92.KQ5, or stands in quotes"
        _fail(message[:1].lower() + message[1:].rstrip("."), 2)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        _fail(str(missing(package)))
    except TribridgeError as error:
        _fail(str(error), 2 if isinstance(error, SettingError) else 1)
    except BrokenPipeError:
        # The reader has gone: write nothing more, not even when the interpreter exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _fail(f"{place}{error.strerror or error}")
    except typer.Abort:
        code = _INTERRUPTED
    if code == _INTERRUPTED:  # what Ctrl-C turns into
        _fail("interrupted", _INTERRUPTED)
    sys.exit((code if isinstance(code, int) else 0) or bool(left_out))


def _naming_what_is_left_out() -> list[str]:
    """Name each game that a command leaves out in a line; returns the list that they are added to.

    Other warnings are shown as Python shows them.
    """
    left_out: list[str] = []
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
        if not issubclass(category, RecordWarning):
            usual(message, category, *place)
            return
        left_out.append(str(message))
        print(f"tribridge: left out: {message}", file=sys.stderr)

    warnings.showwarning = cast("Any", show)
    warnings.simplefilter("always", RecordWarning)
    return left_out


def _alike(error: Any) -> bool:
    """Whether an option that is suggested may be the one that was meant."""
    from difflib import get_close_matches

    return bool(get_close_matches(error.option_name, error.possibilities or (), cutoff=0.8))


def _open_streams() -> None:
    """Reopen standard streams that were closed when the command was started.

    Characters that the output encoding lacks, such as ♠ in ASCII, are written as JSON escapes.
    """
    sys.stdin = sys.stdin or os.fdopen(os.open(os.devnull, os.O_RDONLY))
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _fail(message: str, code: int = 1) -> NoReturn:
    print(f"tribridge: {message}", file=sys.stderr)
    sys.exit(code)
