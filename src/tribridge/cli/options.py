"""What commands share: options, JSON and tables on standard output, progress on standard error."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tribridge.common.codec import plain
from tribridge.common.docstrings import docstring
from tribridge.common.errors import SettingError, missing

if TYPE_CHECKING:
    from tribridge.common.tables import StudyTable


def option(text: str, *names: str, **settings: Any) -> Any:
    """An option of a command, with its help."""
    return typer.Option(*names, help=text, **settings)


def argument(text: str, **settings: Any) -> Any:
    """An argument of a command, with its help."""
    return typer.Argument(help=text, **settings)


AsJson = Annotated[bool, option("Write JSON.", "--json")]
AsJsonLines = Annotated[bool, option("Write JSON, one object per deal.", "--json")]
Budget = Annotated[
    int | None,
    option("How many missing cards a hand may pay for.", min=0, show_default="6 of 13 tricks"),
]
Cluster = Annotated[str | None, option("Run on the Dask cluster at this address.")]
DeckText = Annotated[str, option("Deck, as suits x ranks.")]
Device = Annotated[str, option("cuda or cpu; auto uses a GPU if there is one.")]
_LAWS = "auction-rubber, auction-rubber-games, whist-club, contract-rubber, or a TOML file."
Laws = Annotated[str, option(f"Laws of rubbers: {_LAWS}")]
LawsIfAny = Annotated[
    str | None, option(f"Play rubbers by these laws, in place of a scheme: {_LAWS}")
]
Kind = Annotated[str, option("Forecaster: net, points, capture or real.")]
LayoutSeed = Annotated[int, option("Seed for sampling layouts.")]
Processes = Annotated[int, option("Worker processes; 0 for all cores.", min=0)]

_LINE_SECONDS = 60.0


Schemes = Annotated[
    list[str] | None,
    option(
        "Scoring scheme of games: a name, FILE.toml or FILE.toml:NAME; repeatable.",
        show_default="auction, old and new",
    ),
]


def command_of(name: str, module: ModuleType) -> Any:
    """The command, or the group of commands, that a module has under a name.

    The lines of a docstring are longer than those of a terminal, and Typer keeps their ends: so in
    the help each paragraph becomes one line.
    """
    function, group = getattr(module, name), getattr(module, "app", None)
    if group is None or group.registered_callback.callback is not function:
        group = typer.Typer(add_completion=False)
        group.command(name)(function)
    for each in (*group.registered_commands, group.registered_callback):
        if each is not None:
            text = each.help or docstring(each.callback)
            each.help = "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
    command = typer.main.get_command(group)
    command.name = name
    return command


def print_json(value: Any) -> None:
    """Print an answer of a command as one line of JSON."""
    print(json.dumps(plain(value)))


def print_tables(tables: Iterable[StudyTable], *, as_json: bool) -> None:
    """Print the tables of a command: as JSON by their names, or for people."""
    if as_json:
        print_json({table.name: table.records() for table in tables})
        return
    from tribridge.cli.showing import show_tables

    show_tables(tables)


@contextmanager
def keeping(saved: str) -> Iterator[None]:
    """On Ctrl-C, say what is kept of a run, and end."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"tribridge: interrupted: {saved}", file=sys.stderr)
        sys.exit(130)


@contextmanager
def working(doing: str, total: int, out: Path | None) -> Iterator[Progress]:
    """The progress of a run that keeps what is finished in a folder, if there is one."""
    saved = f"finished files are kept in {out}; run the same command to continue"
    with keeping(saved if out else "nothing was saved (no --out)"), Progress(doing, total) as bar:
        yield bar


def parse_whole(text: str, what: str) -> int:
    """Read a whole number, also one written as 1e6 or 1_000_000.

    >>> parse_whole("2.5e6", "deals")
    2500000
    """
    parts = re.fullmatch(r"([+-]?\d[\d_]*(?:\.\d+)?)(?:e([+-]?\d+))?", text.strip().lower())
    if parts is None or len(text) > 60:
        raise SettingError(f"--{what} {text[:60]!r} is not a number")
    power = int(parts[2] or 0)
    if power > 40:  # do not even expand it: it could have a billion digits
        raise SettingError(f"--{what} {text} is out of range: below 2^63")
    value = Fraction(parts[1].replace("_", "")) * Fraction(10) ** max(power, -60)
    if value.denominator != 1:
        raise SettingError(f"--{what} {text} is not a whole number")
    return int(value)


def find_device(name: str, *, numpy: bool = False) -> str:
    """Check that there is such a device for PyTorch; `auto` is the GPU if there is one.

    With `numpy`, the processor needs no PyTorch.
    """
    try:
        from torch.cuda import is_available
    except ImportError:
        if not numpy:
            raise missing("torch") from None
        gpu = False
    else:
        gpu = is_available()
    if name == "auto":
        name = "cuda" if gpu else "cpu"
    if name not in ("cpu", "cuda") or (name == "cuda" and not gpu):
        raise SettingError(
            f"device {name!r} is not available: cpu always works, cuda needs a GPU and PyTorch"
        )
    return name


class Progress:
    """A progress bar with the time left; without a terminal, a line now and then.

    It appears after `patience` seconds. As a context it removes itself.
    """

    def __init__(self, doing: str, total: int, patience: float = 0.0) -> None:
        from rich.console import Console
        from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

        console = Console(file=sys.stderr)
        self._terminal = console.is_terminal
        columns = (*Progress.get_default_columns()[:3], MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=console, transient=True, disable=not self._terminal)
        self._task = self._bar.add_task(doing, total=total)
        self._doing, self._total, self._patience = doing, total, patience
        self._begin = self._printed = time.monotonic()

    def update(self, before: float, made: int = 0, doing: str = "") -> None:
        """Update how much was there before and how many deals have been made since."""
        now = time.monotonic()
        if self._terminal:
            if not self._bar.live.is_started and now - self._begin >= self._patience:
                self._bar.start()
            description = doing or self._doing
            self._bar.update(self._task, completed=before + made, description=description)
        elif made and now - self._printed > _LINE_SECONDS:
            self._printed = now
            left = (self._total - before - made) * (now - self._begin) / made
            print(
                f"{self._doing}: {before + made:,} of {self._total:,} deals, "
                f"about {left:.0f} s left",
                file=sys.stderr,
            )

    def stop(self) -> None:
        """Remove the bar."""
        self._bar.stop()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
