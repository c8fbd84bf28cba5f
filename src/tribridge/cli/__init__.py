"""The commands, one module each; heavy modules are imported when a command runs.

Bad input prints one line on standard error and exits with code 1; missing or wrong options exit
with code 2, whether Typer or a command notices them. A closed pipe ends the program quietly.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import Annotated, Final, NoReturn

import typer

from tribridge import __version__
from tribridge.cli import arena, bench, paper, puzzles, store, train
from tribridge.cli.advise import advise
from tribridge.cli.benchmark import benchmark
from tribridge.cli.bot import bot
from tribridge.cli.capture import capture
from tribridge.cli.deals import deal, solve
from tribridge.cli.exact import exact
from tribridge.cli.forecast import forecast
from tribridge.cli.games import review, score, stats, worth
from tribridge.cli.label import label
from tribridge.cli.options import flowing
from tribridge.cli.play import play
from tribridge.cli.simulate import simulate
from tribridge.errors import EXTRAS, SettingError, TribridgeError, missing

app = typer.Typer(
    name="tribridge",
    help="Three-player auction bridge: forecast, count, simulate, compare and play.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_GROUPS: Final[dict[str, tuple[Callable[..., None] | tuple[str, typer.Typer], ...]]] = {
    "Play": (
        play, ("puzzles", puzzles.app), bot, review, stats, score, worth, store.worker,
        ("store", store.app),
    ),
    "Analyse": (capture, forecast, advise, deal, solve),
    "Research": (
        ("paper", paper.app), exact, simulate, arena.equilibrium, ("arena", arena.app), benchmark,
        ("bench", bench.app),
    ),
    "Train": (label, ("train", train.app)),
}  # fmt: skip
"""The commands, as `--help` lists them; groups of commands by name."""


def _flowing(group: typer.Typer) -> typer.Typer:
    """A group whose commands have each paragraph of their help on one line."""
    for command in (*group.registered_commands, group.registered_callback):
        if command is not None:
            command.help = flowing(command.help or command.callback)
    return group


for _group, _commands in _GROUPS.items():
    for _command in _commands:
        if isinstance(_command, tuple):
            app.add_typer(_flowing(_command[1]), name=_command[0], rich_help_panel=_group)
        else:
            app.command(rich_help_panel=_group)(_command)
_flowing(app)


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
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        message = error.format_message()
        if "\n" in message or not message:  # the help, when no command is given
            print(message, end="", file=sys.stderr)
            sys.exit(2)
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
    sys.exit(code if isinstance(code, int) else 0)


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
