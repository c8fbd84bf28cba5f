"""Forecasts for the terminal: one row per strain with a small picture of the distribution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

import numpy as np
from rich.table import Table
from rich.text import Text

from tribridge.cards.cards import Hand, Strain, hand_signs
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


def bare_table(
    names: Sequence[str | Text],
    rows: Iterable[Sequence[str | Text]],
    *,
    justify: Literal["left", "right"] = "right",
    gap: int = 2,
    header: str = "dim",
) -> Table:
    """A table without lines; nothing is wrapped, and the first column is on the left."""
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style=header)
    for at, name in enumerate(names):
        table.add_column(name, justify=justify if at else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def forecast_table(forecast: Mapping[Strain, Distribution], width: int = _WHOLE) -> Table:
    """One row per strain: mean, spread, central 80%, chances of 7 to 13 tricks, picture.

    On a narrow terminal the picture is left out first, then spread and interval.
    """
    spreads, pictures = width >= _SPREADS, width >= _WHOLE
    names = ["", "mean", *(("±", "80%") if spreads else ())]
    names += [f"{tricks}+" for tricks in range(7, TRICKS + 1)]
    names += ["0      7    13"] * pictures
    rows = []
    for strain in reversed(Strain):
        tricks = forecast[strain]
        span = tricks.interval(0.8)
        reach = [tricks.at_least(number) for number in range(7, TRICKS + 1)]
        rows.append(
            [
                Text(strain.sign, STRAIN_STYLE[strain]),
                Text(f"{tricks.mean:.1f}", "bold"),
                *((f"{tricks.sd:.1f}", f"{span.low}-{span.high}") if spreads else ()),
                *(Text(percent(chance), chance_style(chance)) for chance in reach),
                *((bar(tricks),) if pictures else ()),
            ]
        )
    return bare_table(names, rows, gap=1, header="table.header")


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
