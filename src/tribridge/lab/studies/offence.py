"""Study 9: offence and defence, the zero-sum game that the paper proposes.

Games with search, and matches long enough to tell bidders apart, take minutes to hours. They were
played beforehand by a stated command (`results.shipped`, `results.shipped_matches`) and are
analysed here deal by deal. So were the cards of the textbook positions (`textbook.json`, written by
`benchmarks/textbook.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np

from tribridge.arena.analysis import DECLARER, DEFENCE
from tribridge.arena.results import shipped, shipped_matches
from tribridge.arena.tables import (
    UNITS,
    MatchReport,
    PlayReport,
    Report,
    match_report,
    play_report,
)
from tribridge.arena.work import names_of
from tribridge.cards.cards import Card
from tribridge.common import stats
from tribridge.common.stats import Interval
from tribridge.common.tables import PERCENT, StudyTable, in_percent, tables_of
from tribridge.game.textbook import positions
from tribridge.lab.studies.claims import FAILS, OPEN, Claim, claim
from tribridge.lab.studies.drawing import Drawing, name_axes, new_figure
from tribridge.lab.studies.study import Figure, Study, stored

_RESAMPLES: Final = 200
Cards = Mapping[str, str]
"""The card that a strategy plays in each textbook position, by the position's id."""


@dataclass(frozen=True, slots=True)
class Played:
    """Textbook positions played as the books play them.

    Pooled over all positions of `game/textbook.toml`, with Wilson's intervals. The count of
    `maxims` is no measure of strength: the maxims were written and tested on these positions.
    `sampling` lets them play layouts out. `learned` and `human` have no rules, and the positions
    chose nothing of them.
    The books teach what is right against unknown hands, which is not always what wins against
    programs. The cards were chosen beforehand by `python benchmarks/textbook.py`.
    """

    strategy: str
    right: int
    positions: int
    share: Annotated[Interval, "% right", PERCENT]


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """Games and textbook positions played beforehand."""

    search: PlayReport
    matches: tuple[MatchReport, ...]
    textbook: Annotated[tuple[Played, ...], "offence-textbook"]

    def ceiling(self, strategy: str) -> dict[str, float]:
        """By side, what a strategy loses against play that sees all cards."""
        return {
            gap.side: gap.against_ceiling.estimate
            for side in (DECLARER, DEFENCE)
            for gap in self.search.ceiling
            if (gap.side, gap.name) == (side, strategy) and gap.against_ceiling is not None
        }


def shipped_cards() -> dict[str, Cards]:
    """The cards of strategies, chosen beforehand."""
    return stored("textbook", dict[str, Cards])


def right(cards: Cards) -> int:
    """How many of the cards are those of the books."""
    return sum(Card(cards[position.id]) in position.cards for position in positions())


def textbook() -> tuple[Played, ...]:
    """How many positions each strategy plays as the books do."""
    total = len(positions())
    counts = {name: right(cards) for name, cards in shipped_cards().items()}
    return tuple(
        Played(name, count, total, in_percent(stats.proportion(count, total)))
        for name, count in counts.items()
    )


def run() -> Result:
    """Analyse the games played beforehand."""
    search = play_report(shipped(), resamples=_RESAMPLES)
    return Result(search, tuple(map(match_report, shipped_matches())), textbook())


def tables(result: Result) -> Iterator[StudyTable]:
    """All but the times, which differ from run to run."""
    reports: dict[str, Report] = {"offence-search": result.search}
    for number, match in enumerate(result.matches, 1):
        reports["offence-match" if number == 1 else f"offence-match-{number}"] = match
    for prefix, report in reports.items():
        for table in report.tables(prefix):
            if table.name != f"{prefix}-times":
                played = report.result
                title = f"{table.title} ({played.deals:,} deals played beforehand)"
                note = f"{table.note} {played.origin.note}".strip()
                yield replace(table.unrounded(), title=title, note=note)
    yield from tables_of(result)


def claims(result: Result) -> list[Claim]:
    """What the paper says about the game of offence and defence."""
    reports: list[Report] = [result.search, *result.matches]
    tests = sum(len(report.comparisons) for report in reports)
    return [claim("offence.tests", FAILS, tests=tests), claim("offence.zero-sum", OPEN)]


def draw(result: Result) -> Drawing:
    """Declarers against defences.

    Declarer's tricks and points when each declarer (rows) meets each defence (columns) in the games
    played beforehand, with standard errors. The higher the numbers of a row, the stronger the
    declarer; the lower those of a column, the stronger the defence. The oracle sees all cards.
    """
    report, work = result.search, result.search.result.work
    rows, columns = names_of(work.declarers), names_of(work.defences)
    width = 2.4 + 2 * max(3.0, 1.15 * len(columns))
    figure, panels = new_figure(width, 1.6 + 0.62 * len(rows), 2)
    for axes, unit, digits in zip(panels, UNITS, (2, 1), strict=True):
        cells = np.array([payoff.mean(unit) for payoff in report.payoffs])
        means, errors = cells.T.reshape(2, len(rows), len(columns))
        image = axes.imshow(means, cmap="cividis", aspect="auto")
        middle = (means.min() + means.max()) / 2
        for (i, j), mean in np.ndenumerate(means):
            axes.text(
                j,
                i,
                f"{mean:.{digits}f}\n±{errors[i, j]:.{digits}f}",
                ha="center",
                va="center",
                fontsize=8.5,
                color="black" if mean > middle else "white",
            )
        axes.set_xticks(range(len(columns)), [_lines(name) for name in columns], fontsize=8.5)
        axes.set_yticks(range(len(rows)), [_lines(name) for name in rows], fontsize=8.5)
        name_axes(axes, f"Declarer's {unit} per deal", "defence")
        axes.grid(visible=False)
        figure.colorbar(image, ax=axes, shrink=0.8)
    panels[0].set_ylabel("declarer")
    return figure


def _lines(name: str) -> str:
    """A strategy's name with each parameter on a line of its own."""
    return name.replace(":", "\n").replace(",", "\n").replace("+", "\n+")


STUDY: Final[Study[None, Result]] = Study(
    name="offence",
    title="Offence and defence",
    order=100,
    run=lambda size, seed, runner: run(),
    tables=tables,
    claims=claims,
    figures=(Figure("offence", "offence-search-payoffs", draw),),
)
