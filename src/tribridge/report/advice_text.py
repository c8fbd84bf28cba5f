"""Advice for the terminal: four grids of strains x levels, and the calls with their reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tribridge.advice.calls import Advice, Recommendation
from tribridge.advice.prospects import LEVELS, Prospect
from tribridge.capture import Outcome
from tribridge.cards import Strain, hand_signs
from tribridge.forecast.distribution import Distribution, percent
from tribridge.game.auction import Bid, call_name
from tribridge.report.forecast_text import STRAIN_STYLE, chance_style

_WIDE: Final = 78
"""Columns that two grids need side by side."""
_ACROSS: Final = 68
"""Columns that the tricks need with a column a strain."""
_CELL: Final = 4

CellText = Callable[[Bid, Prospect], tuple[str, str]]


def show(advice: Advice, console: Console) -> None:
    """Print the whole advice."""
    console.print(_head(advice))
    console.print(_tricks(advice, down=console.width < _ACROSS))
    console.print()
    grids = _grids(advice)
    columns = 2 if console.width >= _WIDE else 1
    page = Table.grid(padding=(0, 2, 0, 0))
    for at in range(0, len(grids), columns):
        page.add_row(*grids[at : at + columns])
        page.add_row()
    console.print(page)
    for text in _calls(advice):
        console.print(text)


def _head(advice: Advice) -> Text:
    text = Text(hand_signs(advice.hand), "bold")
    if advice.dummy is not None:
        text.append("  with  ", "dim").append(hand_signs(advice.dummy), "bold")
    calls = " ".join(call_name(call) for call in advice.auction.calls) or "no call yet"
    text.append(f"\nauction: {calls}; scheme {advice.scheme.name}; kind {advice.kind}", "dim")
    if advice.effective is not None:
        text.append(f"; {advice.effective:,.0f} layouts fit the calls", "dim")
    return text


def _tricks(advice: Advice, *, down: bool) -> Table:
    """Mean and spread of the tricks in each strain, forecast and solved; strains across or down."""
    found: dict[str, Mapping[Strain, Distribution]] = {"forecast": advice.forecasts}
    if advice.solved is not None:
        found[f"{advice.layouts:,} solved"] = advice.solved
    strains = [Text(strain.sign, STRAIN_STYLE[strain]) for strain in reversed(Strain)]
    names = [Text(name, "dim") for name in found]
    cells = [
        [
            Text(f"{row[s].mean:.1f}", "bold").append(f"±{row[s].sd:.1f}", "dim")
            for s in reversed(Strain)
        ]
        for row in found.values()
    ]
    head, side = (names, strains) if down else (strains, names)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in (Text("tricks", "dim"), *head):
        table.add_column(name, no_wrap=True)
    for name, row in zip(side, zip(*cells, strict=True) if down else cells, strict=True):
        table.add_row(name, *row)
    return table


def _grids(advice: Advice) -> list[Table]:
    def chance(bid: Bid, prospect: Prospect) -> tuple[str, str]:
        value = prospect.chance or 0.0
        return percent(value), chance_style(value)

    def points(of: Callable[[Prospect], float], signed: bool = True) -> CellText:
        def cell(bid: Bid, prospect: Prospect) -> tuple[str, str]:
            value = round(of(prospect))
            style = "" if not signed else "green" if value > 0 else "red" if value < 0 else ""
            return f"{value:+d}" if signed and value else str(value), style

        return cell

    grids = [
        _grid(advice, "chance to make, %", chance),
        _grid(advice, "expected points", points(lambda p: p.expected)),
        _grid(advice, "spread of points", points(lambda p: p.spread, signed=False)),
        _grid(advice, "mean of the worst 5 %", points(lambda p: p.worst)),
    ]
    if advice.solved is not None:
        solved = advice.solved

        def true(bid: Bid, prospect: Prospect) -> tuple[str, str]:
            value = solved[bid.strain].at_least(6 + bid.level)
            return percent(value), chance_style(value)

        grids.insert(1, _grid(advice, "the same, layouts solved, %", true))
    return grids


def _grid(advice: Advice, title: str, cell: CellText) -> Table:
    allowed = set(advice.sufficient)
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("", no_wrap=True, width=2)
    for level in range(1, LEVELS + 1):
        table.add_column(str(level), justify="right", no_wrap=True, width=_CELL)
    for strain in reversed(Strain):
        row = [Text(strain.sign, STRAIN_STYLE[strain])]
        for level in range(1, LEVELS + 1):
            bid = Bid(level, strain)
            if bid not in allowed:
                row.append(Text("·", "dim"))
                continue
            text, style = cell(bid, advice.bids[bid])
            marks = [style] if style else []
            if bid == advice.neutral.call:
                marks.append("reverse")
            if bid == advice.cautious.call:
                marks.append("underline")
            row.append(Text(text, " ".join(marks)))
        table.add_row(*row)
    return table


def _calls(advice: Advice) -> list[Text]:
    found = advice.paper
    captures = f"T = {found.captures}" if found.outcome is Outcome.BOTH_HOLD else "T = 0"
    number = 2 if found.dummy else 1
    texts = [
        _call("neutral", advice.neutral, "bold reverse"),
        _call(f"cautious ({advice.caution:g})", advice.cautious, "bold underline"),
        Text(f"Algorithm {number}: ", "cyan")
        .append(str(advice.paper_call), "bold")
        .append(f" ({found.outcome.value}, {captures})"),
    ]
    passing = advice.passing
    if passing.chance is not None:
        how = f" ({advice.defended} layouts solved)" if advice.defended else ""
        texts.append(
            Text("passing: ", "cyan").append(
                f"{advice.auction.last_bid} makes {percent(passing.chance)}% of the time{how}; "
                f"expected {passing.expected:+.1f}, spread {passing.spread:.0f}, "
                f"worst 5% {passing.worst:+.0f}"
            )
        )
    return texts


def _call(name: str, found: Recommendation, style: str) -> Text:
    text = Text(f"{name}: ", "cyan").append(str(found.call), style)
    return text.append(f" — {found.reason}")
