"""Beside people and other engines: the learned player in the positions of experts.

Once the lead is made, a four-handed deal is our game. A thousand boards that experts played
(`data/experts` in the repository) are put to players card by card, always in the experts' own
positions, and what a card costs is counted double dummy (`studies.experts`). Where `learned` plays
another card than the expert, both are played out by `learned` in all chairs, and what it expects of
the experts' cards is put beside the tricks that were made (`studies.board_games`). Other engines
are asked the same, and meet the learned player in contracts that are played out. The package has
the result (`people.json`, written by `benchmarks/people.py` under `people.plan.toml`); a run asks
`learned` about the first boards again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, PERCENT, TRICKS, Column, tables_of
from tribridge.lab.studies.drawing import (
    BLUE,
    GREY,
    LOOKS,
    ORANGE,
    Drawing,
    name_axes,
    new_figure,
    plot_spans,
)
from tribridge.lab.studies.plans import Answer, plan_of
from tribridge.lab.studies.study import Figure, Runner, Study, planned

PLAN: Final = plan_of("people")
LEARNED: Final = "learned"
HUMAN: Final = "human"
SEARCH: Final = "learned:seconds=1"
ALL: Final = "all"
_TRICKS: Final = replace(TRICKS, digits=3)
_SHARE: Final = replace(PERCENT, digits=1)
_MS: Final = Column(unit="ms", digits=1)


@dataclass(frozen=True, slots=True)
class Beside:
    """Players and engines beside the experts.

    {source} Tricks lost double dummy a board more than the experts, who lose {experts:.3f}, with
    95% intervals over boards, and the share of their cards that a player chooses too. The experts
    heard an auction of four, and so did BEN; the other players know the contract. Milliseconds of
    one core of the processor.
    """

    player: str
    version: str
    boards: int
    more: Annotated[Interval, "more lost", "more from", "more to", _TRICKS]
    declaring: Annotated[float, _TRICKS]
    defending: Annotated[float, _TRICKS]
    leading: Annotated[float, "lead", _TRICKS]
    same: Annotated[float, "same card, %", _SHARE]
    same_declaring: Annotated[float, "declarer, %", _SHARE]
    same_defending: Annotated[float, "defence, %", _SHARE]
    same_lead: Annotated[float, "lead, %", _SHARE]
    milliseconds: Annotated[float | None, "ms a card", _MS]


@dataclass(frozen=True, slots=True)
class Paired:
    """Players that search, on the boards that both had.

    Tricks lost double dummy a board, one less the other: below 0 the first one loses less. 95%
    intervals and tests over boards, Holm's correction over the table.
    """

    player: str
    other: Annotated[str, "less"]
    boards: int
    difference: Annotated[Interval, "lost more", "from", "to", _TRICKS]
    p: Annotated[float, P_VALUE]
    holm: Annotated[float, "p (Holm)", P_VALUE] = 1.0


@dataclass(frozen=True, slots=True)
class When:
    """Loss by the number of the card.

    Tricks lost double dummy a board by the experts, and how many more by others, with 95%
    intervals over boards; the share of the experts' cards that `learned` plays too.
    """

    cards: str
    choices: int
    experts: Annotated[float, "lost by experts", _TRICKS]
    learned: Annotated[Interval, "more by learned", "learned from", "learned to", _TRICKS]
    human: Annotated[Interval, "more by human", "human from", "human to", _TRICKS]
    same: Annotated[float, "same card, %", _SHARE]


@dataclass(frozen=True, slots=True)
class InContract:
    """Loss by contract.

    As above, over the boards of each kind of contract; without an interval where there are fewer
    than 100 boards.
    """

    contract: str
    boards: int
    experts: Annotated[float, "lost by experts", _TRICKS]
    learned: Annotated[Interval, "more by learned", "learned from", "learned to", _TRICKS]
    human: Annotated[Interval, "more by human", "human from", "human to", _TRICKS]
    same: Annotated[float, "same card, %", _SHARE]


@dataclass(frozen=True, slots=True)
class Differ:
    """Where `learned` plays another card than the expert, and who is right.

    Tricks that its card wins more for the side that plays it than the expert's card: double dummy,
    and if `learned` plays on in all four chairs on the true layout, which knows as little as the
    players did. 95% intervals and tests over boards, Holm's correction over the table. Better and
    worse: how often playing on won more, and fewer.
    """

    side: str
    choices: int
    differ: Annotated[int, "other card"]
    solved: Annotated[Interval, "double dummy", "solved from", "solved to", _TRICKS]
    played: Annotated[Interval, "played on", "played from", "played to", _TRICKS]
    better: Annotated[float, "better, %", _SHARE]
    worse: Annotated[float, "worse, %", _SHARE]
    p: Annotated[float, P_VALUE]
    holm: Annotated[float, "p (Holm)", P_VALUE] = 1.0


@dataclass(frozen=True, slots=True)
class Expected:
    """Tricks that `learned` expects of the experts' cards, by how many it expects.

    Declarer's tricks in the end: the mean of what it expected after the card that was played, and
    of what was made, with 95% intervals over boards. A board that ended with a claim is solved
    double dummy from there.
    """

    tricks: Annotated[str, "expected"]
    choices: int
    expected: Annotated[float, "mean expected", _TRICKS]
    made: Annotated[Interval, "mean made", "made from", "made to", _TRICKS]


@dataclass(frozen=True, slots=True)
class ExpectedWhen:
    """Tricks that `learned` expects of the experts' cards, by the number of the card.

    Expected less made, with 95% intervals over boards, and the root of the mean squared error.
    """

    cards: str
    choices: int
    bias: Annotated[Interval, "expected less made", "less from", "less to", _TRICKS]
    error: Annotated[float, "error", _TRICKS]


@dataclass(frozen=True, slots=True)
class Match:
    """Played out against other engines.

    {matches_note} Tricks a deal that the first one wins more, declaring and defending together. 95%
    intervals and tests over deals, Holm's correction over the table.
    """

    player: str
    other: Annotated[str, "against"]
    deals: int
    tricks: Annotated[Interval, "tricks a deal", "from", "to", _TRICKS]
    p: Annotated[float, P_VALUE]
    holm: Annotated[float, "p (Holm)", P_VALUE] = 1.0


@dataclass(frozen=True, slots=True)
class Again:
    """The first boards, put to `learned` again for this report.

    How many of its cards are those of the stored result, and the tricks that it and the experts
    lose on these boards.
    """

    boards: int
    choices: int
    same: Annotated[int, "same as stored"]
    learned: Annotated[int | None, "lost by learned"]
    stored: Annotated[int, "in the stored result"]
    experts: Annotated[int | None, "lost by experts"]


@dataclass(frozen=True, slots=True)
class Sample:
    """A board of the study, and what `learned` played on it."""

    hands: tuple[int, ...]
    cards: tuple[int, ...]
    contract: tuple[int, ...]
    chosen: tuple[int, ...]
    """By the number of the card; -1 where there was no choice."""
    lost: int
    """Tricks that it lost."""


@dataclass(frozen=True, slots=True)
class Tested:
    """A number that a hypothesis is about."""

    id: str
    span: Interval
    p: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """The learned player beside experts and other engines."""

    plan: str
    source: str
    deviations: str
    experts: float
    """Tricks that the experts lose a board."""
    matches_note: str
    players: Annotated[tuple[Beside, ...], "people-players"]
    paired: Annotated[tuple[Paired, ...], "people-searched"]
    when: Annotated[tuple[When, ...], "people-cards"]
    contracts: Annotated[tuple[InContract, ...], "people-contracts"]
    differ: Annotated[tuple[Differ, ...], "people-differ"]
    expected: Annotated[tuple[Expected, ...], "people-values"]
    expected_when: Annotated[tuple[ExpectedWhen, ...], "people-values-cards"]
    matches: Annotated[tuple[Match, ...], "people-matches"]
    tested: tuple[Tested, ...]
    sample: tuple[Sample, ...]
    again: Annotated[tuple[Again, ...], "people-again"] = ()


def answers(result: Result) -> Mapping[str, Answer]:
    """What was found, by the hypotheses of the plan."""
    return {row.id: Answer(row.span, row.p) for row in result.tested}


def run(boards: int, seed: int, runner: Runner) -> Result:
    """The stored result, with its first boards put to `learned` again."""
    from tribridge.cards.cards import STRAINS
    from tribridge.double_dummy import dds
    from tribridge.lab.studies.experts import asked, at_card, chooser, lost

    result = planned("people", Result, PLAN)
    choose = chooser(LEARNED)
    choices = same = 0
    given = result.sample[:boards]
    mine: list[int] = []
    theirs: list[int] = []
    for at, board in enumerate(given):
        parts = board.hands, board.cards, board.contract
        chosen = asked(*parts, choose, PLAN.seeds["choices"], at)
        choices += int((chosen >= 0).sum())
        same += sum(
            now == then >= 0 for now, then in zip(chosen.tolist(), board.chosen, strict=True)
        )
        if dds.available():
            costs = lost(board.hands, board.cards, STRAINS[board.contract[1]])[None]
            mine.append(int(at_card(costs, chosen[None]).sum()))
            theirs.append(int(at_card(costs, _row(board.cards)).sum()))
    solved = bool(mine)
    stored = sum(board.lost for board in given)
    again = Again(
        len(given),
        choices,
        same,
        sum(mine) if solved else None,
        stored,
        sum(theirs) if solved else None,
    )
    return replace(result, again=(again,))


def _row(cards: tuple[int, ...]) -> Any:
    import numpy as np

    return np.array([cards])


def draw(result: Result) -> Drawing:
    """Tricks lost beside experts: by player, and by the number of the card.

    Left: tricks a board more than the experts lose, with 95% intervals over boards; `maxims`, far
    to the right, is left out. Right: what the experts lose themselves (bars), and how much more
    `learned` and `human` lose, from the lead to the end.
    """
    figure, (left, right) = new_figure(10.8, 4.2, 2, width_ratios=(5, 6))
    shown = [row for row in result.players if row.player != "maxims"][::-1]
    for at, row in enumerate(shown):
        colour, marker = LOOKS[0] if row.boards < result.players[0].boards else (BLUE, "o")
        low, high = row.more.estimate - row.more.low, row.more.high - row.more.estimate
        left.errorbar([row.more.estimate], [at], xerr=[[low], [high]], fmt=marker, color=colour,
                      capsize=3)  # fmt: skip
    left.axvline(0, color="black", linewidth=1)
    left.set_yticks(range(len(shown)), [f"{row.player}\n{row.boards:,} boards" for row in shown])
    left.set_ylim(-0.6, len(shown) - 0.4)
    left.grid(axis="x")
    name_axes(left, "By player", "tricks a board more than experts lose")
    rows = [row for row in result.when if row.cards != ALL]
    right.bar(range(len(rows)), [row.experts for row in rows], color="#d9dde4", label="experts")
    for shift, name, look in ((-0.12, LEARNED, (BLUE, "o")), (0.12, HUMAN, (ORANGE, "s"))):
        spans = [getattr(row, name) for row in rows]
        places = [at + shift for at in range(len(rows))]
        plot_spans(right, places, spans, look, "", label=f"{name}, more")
    right.axhline(0, color="black", linewidth=1)
    right.set_xticks(range(len(rows)), [row.cards.replace("tricks ", "tricks\n") for row in rows])
    right.legend()
    name_axes(right, "By the number of the card", "", "tricks a board")
    return figure


def draw_values(result: Result) -> Drawing:
    """Whether `learned` knows what a position is worth.

    Left: declarer's tricks that were made, by what `learned` expected after an expert's card, with
    95% intervals over boards. On the diagonal it is right. Right: expected less made, from the lead
    to the end; in the grey band it is right by the criterion of the plan.
    """
    figure, (left, right) = new_figure(9.6, 4.0, 2)
    rows = result.expected
    ends = [rows[0].expected, rows[-1].expected]
    left.plot(ends, ends, "--", color="black", linewidth=1)
    plot_spans(left, [row.expected for row in rows], [row.made for row in rows], (BLUE, "o"), "")
    name_axes(left, "By what it expects", "tricks expected", "tricks made")
    late = [row for row in result.expected_when if row.cards != ALL]
    plot_spans(right, range(len(late)), [row.bias for row in late], (BLUE, "o"), "")
    right.axhline(0, color="black", linewidth=1)
    limit = next(each.limit for each in PLAN.hypotheses if each.id == "values")
    right.axhspan(-limit, limit, color=GREY, alpha=0.15)
    right.set_xticks(range(len(late)), [row.cards.replace("tricks ", "tricks\n") for row in late])
    name_axes(right, "By the number of the card", "", "expected less made")
    return figure


STUDY: Final[Study[int, Result]] = Study(
    name="people",
    title="Beside people and other engines",
    order=129,
    run=run,
    paper=12,
    quick=2,
    tables=lambda result: [table for table in tables_of(result) if table.rows],
    describe=lambda boards: {"boards of the study `people` put to `learned` again": boards},
    figures=(
        Figure("people", "people-players", draw),
        Figure("people-values", "people-values", draw_values),
    ),
    plan=PLAN,
    answers=answers,
    deviations=lambda result: result.deviations,
)
