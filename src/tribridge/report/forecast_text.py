"""Forecasts for the terminal: one row per strain with a small picture of the distribution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
from rich.table import Table
from rich.text import Text

from tribridge.cards import Hand, Strain, hand_signs
from tribridge.forecast.distribution import TRICKS, Distribution, percent
from tribridge.forecast.points import UNIT, Points, Sheet

STRAIN_STYLE: Final = {
    Strain.CLUBS: "green",
    Strain.DIAMONDS: "yellow",
    Strain.HEARTS: "red",
    Strain.SPADES: "blue",
    Strain.NOTRUMP: "bold",
}
_BLOCKS: Final = " ▁▂▃▄▅▆▇█"
_FULL: Final = 0.4
"""The chance of a full-height bar: single numbers of tricks rarely have more."""
_WHOLE: Final = 60
"""Columns that the table of a forecast needs."""
_SPREADS: Final = 46
"""Columns that it needs without the picture."""


def headline(hand: Hand, dummy: Hand | None, kind: str, declarer: str | None = None) -> Text:
    """The hands that are forecast; `declarer` is the opponent whose tricks they are, if any."""
    text = Text(hand_signs(hand), "bold")
    if dummy is not None:
        text.append("  with  ", "dim").append(hand_signs(dummy), "bold")
    if declarer is not None:
        text.append(f"  defending, {declarer}-hand opponent declares", "dim")
    return text.append(f"   ({kind})", "dim")


def bar(distribution: Distribution) -> Text:
    """The chances of 0 to 13 tricks, one column each; full height is 40% or more."""
    text = Text()
    for tricks, chance in enumerate(distribution.chances):
        height = min(len(_BLOCKS) - 1, round(chance / _FULL * (len(_BLOCKS) - 1)))
        mark = _BLOCKS[height] if height or chance < 0.005 else _BLOCKS[1]
        text.append(mark, "cyan" if tricks >= 7 else "magenta")
    return text


def chance_style(chance: float) -> str:
    """The colour of a chance of making a contract."""
    return "green" if chance >= 2 / 3 else "yellow" if chance >= 1 / 3 else "red"


def forecast_table(forecast: Mapping[Strain, Distribution], width: int = _WHOLE) -> Table:
    """One row per strain: mean, spread, central 80%, chances of 7 to 13 tricks, picture.

    On a narrow terminal the picture is left out first, then spread and interval.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    spreads, pictures = width >= _SPREADS, width >= _WHOLE
    for name in ("", "mean", *(("±", "80%") if spreads else ())):
        table.add_column(name, justify="right" if name else "left", no_wrap=True)
    for tricks in range(7, TRICKS + 1):
        table.add_column(f"{tricks}+", justify="right", no_wrap=True)
    if pictures:
        table.add_column("0     7    13", no_wrap=True)
    for strain in reversed(Strain):
        one = forecast[strain]
        span = one.interval(0.8)
        reach = [one.at_least(tricks) for tricks in range(7, TRICKS + 1)]
        table.add_row(
            Text(strain.sign, STRAIN_STYLE[strain]),
            Text(f"{one.mean:.1f}", "bold"),
            *((f"{one.sd:.1f}", f"{span.low}-{span.high}") if spreads else ()),
            *(Text(percent(chance), chance_style(chance)) for chance in reach),
            *((bar(one),) if pictures else ()),
        )
    return table


def points_tables(points: Points) -> Iterator[Table | Text]:
    """The point-count sheets, for use at the table."""
    for sheet in points.sheets.values():
        table = Table(
            title=f"{sheet.name}: start with {sheet.start}",
            title_justify="left",
            title_style="bold",
            box=None,
            pad_edge=False,
        )
        table.add_column("add for each", style="cyan", no_wrap=True)
        table.add_column("points")
        for part, values in zip(sheet.parts, sheet.values, strict=True):
            steps = zip(part.steps, values, strict=True)
            table.add_row(part.name, "  ".join(f"{step} {value:+d}" for (step, _), value in steps))
        table.add_row("chances", _odds(sheet))
        yield table
        yield Text()
    yield Text(
        f"Ten points are a trick. Honours count in either hand; a fit is the length in both hands. "
        f"Fitted to {points.made}.",
        "dim",
    )


def _odds(sheet: Sheet) -> str:
    """Chances of 7 tricks or more by total."""
    totals = range(4 * UNIT, 11 * UNIT, UNIT)
    reached = sheet.chances_of(np.array(list(totals)))[:, 7:].sum(axis=1)
    shown = (f"{total}: {100 * chance:.0f}%" for total, chance in zip(totals, reached, strict=True))
    return "of 7 tricks or more with a total of " + ", ".join(shown)
