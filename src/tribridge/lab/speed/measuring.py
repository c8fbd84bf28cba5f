"""What the measurements share: options, timing, and tables in the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from tribridge.cli.options import option
from tribridge.common.errors import SettingError

TURNS: Final = 3

Seconds = Annotated[float, option("Seconds to spend on each measurement.")]
LabelFile = Annotated[
    Path | None,
    option("Labelled deals not used in any fit; default: those in the package.", "--labels"),
]
BootstrapSeed = Annotated[int, option("Seed of the bootstrap intervals.")]
Way = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Speed:
    """One way of doing some work and its seconds per deal, or why it was not measured."""

    work: str
    way: str
    seconds: float | None
    note: str = ""


def measure(way: Way, seconds: float) -> float:
    """Seconds per deal, spending about `seconds` on the measurement.

    A way is run on more and more deals until it takes a fair share of a second, then timed several
    times; the best time counts, since other work on the machine can only slow it down.
    """
    deals = 1
    way(1)  # tables and compiled code are loaded before the clock starts
    while (took := _seconds(way, deals)) < seconds / (4 * TURNS):
        deals *= 2 if took > seconds / 400 else 16
    deals = max(1, int(deals * seconds / TURNS / took))
    return min(_seconds(way, deals) for _ in range(TURNS)) / deals


def _seconds(way: Way, deals: int) -> float:
    begin = time.perf_counter()
    way(deals)
    return time.perf_counter() - begin


def check_seconds(seconds: float, least: float) -> None:
    """Refuse a measurement that is too short to be one, or endless."""
    if not least <= seconds <= 3600:
        raise SettingError(f"--seconds {seconds} is out of range: {least:g} to 3600")


def measured(speeds: Iterable[Speed]) -> list[Speed]:
    """The speeds, measured one after the other under a display of what is done."""
    from rich.console import Console

    results: list[Speed] = []
    with Console(file=sys.stderr).status("measuring ...") as status:
        for each in speeds:
            results.append(each)
            status.update(f"measured {each.work}, {each.way} ...")
    return results


def ratio(results: Sequence[Speed], each: Speed, rival: str = "") -> float:
    """How many times faster than another way of the same work, or its first; 0 without one."""
    for other in results:
        if other.work == each.work and rival.lower() in other.way.lower() and other.seconds:
            return other.seconds / (each.seconds or 1)
    return 0.0


def grid(
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    words: Sequence[str],
    title: str | None = None,
    width: int = 110,
) -> None:
    """A table without a frame: words on the left, numbers on the right."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for name in words:
        table.add_column(name, no_wrap=True, min_width=22 if name == "forecast" and names else None)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else width, highlight=False).print(table)
