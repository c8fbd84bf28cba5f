"""What learning adds: strength, and what the learned bidder does differently.

The paper names learning as its next step. Here the networks of the package bid on the labelled
deals beside the paper's bidder and others, one against two of another kind, and the tables say how
the learned bidder differs: its contracts, and which calls before it decide. A bidder that began
with random weights and learned by self-play alone is judged by what it scored when it was trained.
The package has the result (`learned.json`, written by `benchmarks/learned_bidder.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, PERCENT, POINTS, TRICKS
from tribridge.lab.studies.claims import Claim, claim, p_text, side, sided
from tribridge.lab.studies.study import Study, stored

LEARNED: Final = "learned@1"
PAPER: Final = "capture"
"""The paper's bidder."""
PLAYED: Final = "as played"
SOLVED: Final = "double dummy"
SAME_CALLS: Final = ("after a pass", "after two passes")
"""Contexts in which the same calls are legal as for the first to call."""


@dataclass(frozen=True, slots=True)
class Strength:
    """One bidder against two others.

    {note}, one seating each, which rotates. Points per game over the average opponent; 0 is what a
    bidder scores against its own kind. 95% intervals and paired tests over deals, Holm's correction
    over the table. The section on offence and defence has longer matches of `learned` in all
    seatings, against `forecast`, too, which takes too long here.
    """

    bidder: Annotated[str, "one"]
    others: Annotated[str, "two others"]
    settled_by: str
    points: Annotated[Interval, "points", POINTS]
    p: Annotated[float, P_VALUE]
    holm: Annotated[float, "p (Holm)", P_VALUE] = 1.0


@dataclass(frozen=True, slots=True)
class FromNothing:
    """A bidder that learned from nothing, by self-play alone, against two others.

    {nothing_note} Points per deal over the average opponent, without doubles, on the same deals as
    above and settled as there. Holm's correction over the table.
    """

    scheme: str
    others: Annotated[str, "two others"]
    settled_by: str
    deals: int
    points: Annotated[Interval, "points", POINTS]
    p: Annotated[float, P_VALUE]
    holm: Annotated[float, "p (Holm)", P_VALUE] = 1.0


@dataclass(frozen=True, slots=True)
class Bidding:
    """How three bidders of one kind bid.

    {note}. Points for the declarer, as played, with 95% intervals over deals.
    """

    bidder: str
    passed_out: Annotated[float, "% passed out", PERCENT]
    level: Annotated[float, "mean level"]
    notrump: Annotated[float, "% notrump", PERCENT]
    made: Annotated[float, "% made", PERCENT]
    points: Annotated[Interval, "points a contract", POINTS]


@dataclass(frozen=True, slots=True)
class ContextShare:
    """The same hands after other calls.

    {note}, all three hands of each. Changed: another call than as the first to call. After passes
    the same calls are legal, so a change is an inference about the cards that are not seen.
    """

    bidder: str
    context: Annotated[str, "calls before"]
    bid: Annotated[Interval, "% bid", PERCENT]
    changed: Annotated[float, "% of calls that change", PERCENT]


@dataclass(frozen=True, slots=True)
class PlayGap:
    """The learned player against others.

    Differences between players on the same deals and contracts, paired over deals. {play_notes}
    """

    side: str
    player: str
    """The version that played."""
    against: str
    tricks: Annotated[Interval, "tricks a deal", TRICKS]
    holm: Annotated[float, "p (Holm)", P_VALUE]
    deals: int
    command: str


@dataclass(frozen=True, slots=True)
class Result:
    """Strength, and the learned bidder beside the paper's."""

    deals: int
    note: str
    """The deals and the bidders, in words."""
    training: str
    strength: Annotated[tuple[Strength, ...], "learning-bidders"]
    nothing: Annotated[tuple[FromNothing, ...], "learning-from-nothing"]
    nothing_games: int
    """How many games it learned from."""
    nothing_note: str
    """How that bidder was trained and compared, and how to make it again."""
    bidding: Annotated[tuple[Bidding, ...], "learning-bidding"]
    contexts: Annotated[tuple[ContextShare, ...], "learning-context"]
    play: Annotated[tuple[PlayGap, ...], "learning-play"]
    play_notes: str
    """How the games of `play` were played."""

    def over_paper(self) -> list[Strength]:
        """One learned bidder against two of the paper's, settled in each way."""
        return [s for s in self.strength if (s.bidder, s.others) == (LEARNED, PAPER)]

    def bidding_of(self, bidder: str) -> Bidding:
        """How three bidders of a kind bid."""
        return next(row for row in self.bidding if row.bidder == bidder)

    def changes(self, bidder: str) -> list[float]:
        """How often a bidder's first call changes, in percent, though the same calls are legal."""
        return [row.changed for row in self.contexts
                if row.bidder == bidder and row.context in SAME_CALLS]  # fmt: skip


def claims(result: Result) -> list[Claim]:
    """What the paper expects of learning, and of its own bidder."""
    ahead = result.over_paper()
    paper, learned = max(result.changes(PAPER)), result.changes(LEARNED)
    against = [gap for gap in result.play if gap.against == PAPER]
    alone = (
        f"{row.scheme}, two {row.others}, {row.settled_by} {row.points:+.2f} ({p_text(row.holm)})"
        for row in result.nothing
    )
    gains = (f"{gain.settled_by} {gain.points:+.1f} ({p_text(gain.holm)})" for gain in ahead)
    return [
        claim("learning.calibrate", paper > 0, paper=paper, least=min(learned), most=max(learned)),
        claim(
            "learning.self-play",
            sided(side(row.points, row.holm) for row in result.nothing),
            result=result,
            alone="; ".join(alone),
            gains="; ".join(gains),
        ),
        claim(
            "learning.closed-form",
            sided(side(gap.tricks, gap.holm) for gap in against),
            gaps="; ".join(f"{gap.side} {gap.tricks:+.2f}" for gap in against),
        ),
    ]


STUDY: Final[Study[None, Result]] = Study(
    name="learning",
    title="What learning adds",
    order=120,
    run=lambda size, seed, runner: stored("learned", Result),
    claims=claims,
)
