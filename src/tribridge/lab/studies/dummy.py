"""What an open dummy is worth: the play of eight cards, solved with dummy open and closed.

On the full deck no network has learned to play without seeing dummy, and a search plays it (study
`closed`). On eight cards the play of a contract is a game of declarer against two defenders that
CFR+ solves, and with a closed dummy it is the same game, in which the defenders know less. The
package has the result (`dummy.json`, written by `benchmarks/dummy.py` under `dummy.plan.toml`); a
run solves one strain again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final

from tribridge.cards.cards import Deck, Strain
from tribridge.common.stats import Interval
from tribridge.common.tables import TRICKS
from tribridge.lab.studies.plans import Answer, plan_of
from tribridge.lab.studies.study import Runner, Study, planned

DECKS: Final = ("2x4", "4x2")
PLAN: Final = plan_of("dummy")
_FINE: Final = replace(TRICKS, digits=4)


@dataclass(frozen=True, slots=True)
class Faced:
    """Declarer's tricks with dummy open and closed, on eight cards.

    Of two, by CFR+ in all deals. NashConv: what the three could gain together, each alone, against
    these strategies. With two defenders equilibria may differ in value: from another start, notrump
    on `2x4` with an open dummy ended 0.001 tricks higher.
    """

    deck: str
    strain: str
    opened: Annotated[float, "open", _FINE]
    closed: Annotated[float, _FINE]
    opened_nash_conv: Annotated[float, "NashConv, open", _FINE]
    closed_nash_conv: Annotated[float, "NashConv, closed", _FINE]

    @property
    def gained(self) -> float:
        """Declarer's tricks with an open dummy less those with a closed one."""
        return self.opened - self.closed

    @property
    def doubt(self) -> float:
        """How far both solutions together are from equilibria."""
        return self.opened_nash_conv + self.closed_nash_conv


@dataclass(frozen=True, slots=True)
class Again:
    """One strain solved again for this report, with fewer iterations.

    In notrump on `2x4`.
    """

    iterations: int
    opened: Annotated[float, "open", _FINE]
    closed: Annotated[float, _FINE]


@dataclass(frozen=True, slots=True)
class Result:
    """All decks and strains."""

    plan: str
    iterations: int
    rows: Annotated[tuple[Faced, ...], "dummy"]
    again: Annotated[tuple[Again, ...], "dummy-again"] = ()


def solved(deck: str, strain: Strain, iterations: int) -> Faced:
    """The play of a strain, open and closed."""
    from tribridge.lab.tiny.card_play import card_play
    from tribridge.lab.tiny.layouts import Layouts
    from tribridge.lab.tiny.treeplex import CFRPlus, judge

    layouts, tricks, gaps = Layouts(Deck(deck)), [], []
    for closed in (False, True):
        game = card_play(layouts, strain, closed=closed).game
        solver = CFRPlus(game)
        solver.run(iterations)
        judged = judge(game, solver.average)
        tricks.append(judged.values[0])
        gaps.append(judged.nash_conv)
    return Faced(deck, strain.letter, *tricks, *gaps)


def answers(result: Result) -> Mapping[str, Answer]:
    """What was found, by the hypotheses of the plan; as sure as the solver was near its end."""
    largest = max(result.rows, key=lambda row: row.gained)
    mean = sum(row.gained for row in result.rows) / len(result.rows)
    doubt = max(row.doubt for row in result.rows)
    return {
        "helps-defenders": Answer(_within(largest.gained, largest.doubt)),
        "little": Answer(_within(mean, doubt)),
    }


def _within(value: float, doubt: float) -> Interval:
    return Interval(value, value - doubt, value + doubt)


def run(iterations: int, seed: int, runner: Runner) -> Result:
    """The stored result, with one strain solved again."""
    result = planned("dummy", Result, PLAN)
    row = solved(DECKS[0], Strain.NOTRUMP, iterations)
    return replace(result, again=(Again(iterations, row.opened, row.closed),))


STUDY: Final[Study[int, Result]] = Study(
    name="dummy",
    title="What an open dummy is worth",
    order=127,
    run=run,
    paper=100,
    quick=10,
    describe=lambda iterations: {"iterations of the study `dummy` computed again": iterations},
    plan=PLAN,
    answers=answers,
)
