"""What learning adds: strength, and what the learned bidder does differently.

The paper names learning as its next step. Here the networks of the package bid on the labelled
deals beside the paper's bidder and others, one against two of another kind, and the tables say how
the learned bidder differs: its contracts, and which calls before it decide.

The labelled deals have declarer's tricks for every declarer and strain, double dummy and as played
by the strategy `learned` in all chairs. So any auction on them is settled without playing a card,
and all bidders meet the same deals without the luck of different play. **Points** are a player's
gain over the average opponent under the scheme `auction`: the winnings less the penalty for a
declarer, minus half of that for each defender.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from operator import index
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import stats
from tribridge.advice.prospects import bid_values
from tribridge.arena.analysis import compare, play_pairs
from tribridge.arena.results import PlayResult
from tribridge.arena.results import shipped as shipped_games
from tribridge.cards import FULL_DECK, Card, Hand, Strain
from tribridge.deals import Seat
from tribridge.double_dummy.labels import shipped, shipped_played
from tribridge.game.auction import PASS, Auction, Bid, Call
from tribridge.game.scoring import find_scheme
from tribridge.game.views import View
from tribridge.stats import Interval
from tribridge.strategies import decision_rng, find_caller
from tribridge.strategies.learned.caller import calls_for
from tribridge.studies.claims import (
    FAILS,
    UNDECIDED,
    Claim,
    claim,
    p_text,
    side,
    sided,
    signed,
)
from tribridge.studies.study import Runner, Study, check_sample
from tribridge.studies.tables import corrected, in_percent
from tribridge.studies.training_logs import shipped_log

LEARNED: Final = "learned"
PAPER: Final = "capture"
"""The paper's bidder."""
BIDDERS: Final = ("pass", PAPER, "points", LEARNED)
"""They leave nothing to chance."""
COMPARED: Final = (PAPER, LEARNED)
PLAYED: Final = "as played"
SOLVED: Final = "double dummy"
CONTEXTS: Final[Mapping[str, tuple[Call, ...]]] = {
    "first to call": (),
    "after a pass": (PASS,),
    "after two passes": (PASS, PASS),
    "after 1C": (Bid(1, Strain.CLUBS),),
    "after 1C and a pass": (Bid(1, Strain.CLUBS), PASS),
    "after 1NT": (Bid(1, Strain.NOTRUMP),),
}
"""The calls before a player's first call."""
SAME_CALLS: Final = ("after a pass", "after two passes")
"""Contexts in which the same calls are legal as for the first to call."""

F64 = NDArray[np.float64]
Contracts = NDArray[np.int8]
"""(deals, 3): declarer (-1: passed out), strain, level."""


@dataclass(frozen=True, eq=False)
class LabelledDeals:
    """The first labelled deals: hands, and the points of every contract."""

    seed: int
    hands: NDArray[np.uint64]
    """(deals, 4), the hidden hand last."""
    points: dict[str, F64]
    """By settlement, (deals, 3 declarers, 5 strains, 7 levels): declarer's points."""

    def __len__(self) -> int:
        return len(self.hands)

    def hand(self, deal: int, seat: int) -> Hand:
        return Hand(int(self.hands[deal, seat]))

    def settle(self, contracts: Contracts) -> dict[str, F64]:
        """By settlement, declarer's points: (deals,); of no use for a passed-out deal."""
        declarers, strains, levels = contracts.T.astype(int)
        place = np.arange(len(contracts)), declarers, strains, levels - 1
        return {by: points[place] for by, points in self.points.items()}


def labelled_deals(count: int | None = None) -> LabelledDeals:
    """The first `count` of the deals that ship with the package."""
    solved, played = shipped(), shipped_played()
    values = bid_values(find_scheme("auction")).transpose(0, 2, 1)
    points = {
        by: values[np.arange(len(values)), tricks[:count].astype(int)]
        for by, tricks in ((PLAYED, played.tricks), (SOLVED, solved.tricks))
    }
    return LabelledDeals(solved.work.seed, solved.hands[:count], points)


def dealer_of(deal: int) -> Seat:
    """Who deals: it changes after every three deals, and with it the seat of a single bidder."""
    return Seat(deal // 3 % 3)


def hold_auctions(deals: LabelledDeals, bidders: Sequence[Sequence[str]]) -> Contracts:
    """The contracts of all deals, bid in step; `bidders` has the three seats of each."""
    auctions = [Auction(dealer_of(deal), FULL_DECK) for deal in range(len(deals))]
    going = list(range(len(deals)))
    while going:
        views: dict[str, list[tuple[int, View]]] = {}
        for deal in going:
            seen = view_of(deals.hand(deal, index(auctions[deal].turn or 0)), auctions[deal])
            views.setdefault(bidders[deal][index(seen.seat or 0)], []).append((deal, seen))
        for name, asked in views.items():
            calls = calls_of(name, [seen for _, seen in asked])
            for (deal, _), call in zip(asked, calls, strict=True):
                auctions[deal] = auctions[deal].apply_unchecked(call)
        going = [deal for deal in going if auctions[deal].turn is not None]
    ends = [auction.contract for auction in auctions]
    return np.array(
        [(-1, 0, 1) if end is None else (end.declarer.index, end.bid.strain.index, end.bid.level)
         for end in ends],
        np.int8,
    )  # fmt: skip


def view_of(hand: Hand, auction: Auction) -> View:
    """What the player to call sees."""
    return View(seat=auction.turn, auction=auction, dealt=hand)


def calls_of(name: str, views: Sequence[View]) -> list[Call]:
    """What a bidder calls in each of many views."""
    if name == LEARNED:
        return calls_for(views)
    caller, rng = find_caller(name), decision_rng(0, 0, 0, 0)
    actions = [caller.call(seen, rng).action for seen in views]
    return [action for action in actions if not isinstance(action, Card)]


def gains(deals: LabelledDeals, bidder: str, others: str) -> dict[str, F64]:
    """The points of a bidder against two others, whose seat rotates, by settlement: (deals,)."""
    seats = np.arange(len(deals)) % 3
    names = [[bidder if seat == own else others for seat in range(3)] for own in seats.tolist()]
    contracts = hold_auctions(deals, names)
    share = np.where(contracts[:, 0] == seats, 1.0, -0.5) * (contracts[:, 0] >= 0)
    return {by: share * points for by, points in deals.settle(contracts).items()}


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
    points: Annotated[Interval, "points"]
    p: float
    holm: Annotated[float, "p (Holm)"] = 1.0


@dataclass(frozen=True, slots=True)
class Bidding:
    """How three bidders of one kind bid.

    {note}. Points for the declarer, as played, with 95% intervals over deals.
    """

    bidder: str
    passed_out: Annotated[float, "% passed out"]
    level: Annotated[float, "mean level"]
    notrump: Annotated[float, "% notrump"]
    made: Annotated[float, "% made"]
    points: Annotated[Interval, "points a contract"]


@dataclass(frozen=True, slots=True)
class ContextShare:
    """The same hands after other calls.

    {note}, all three hands of each. Changed: another call than as the first to call. After passes
    the same calls are legal, so a change is an inference about the cards that are not seen.
    """

    bidder: str
    context: Annotated[str, "calls before"]
    bid: Annotated[Interval, "% bid"]
    changed: Annotated[float, "% of calls that change"]


@dataclass(frozen=True, slots=True)
class PlayGap:
    """The learned player against others.

    Differences between players on the same deals and contracts, paired over deals. {play_notes}
    """

    side: str
    against: Annotated[str, "learned against"]
    tricks: Annotated[Interval, "tricks a deal"]
    holm: Annotated[float, "p (Holm)"]
    deals: int
    command: str


@dataclass(frozen=True, slots=True)
class Result:
    """Strength, and the learned bidder beside the paper's."""

    deals: int
    seed: int
    """Of the labelled deals."""
    training: str
    strength: Annotated[tuple[Strength, ...], "learning-bidders"]
    bidding: Annotated[tuple[Bidding, ...], "learning-bidding"]
    contexts: Annotated[tuple[ContextShare, ...], "learning-context"]
    play: Annotated[tuple[PlayGap, ...], "learning-play"]
    play_notes: str
    """How the games of `play` were played."""

    @property
    def note(self) -> str:
        """The deals, in words."""
        return f"{self.deals:,} labelled deals of seed {self.seed}"

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


def run(deals: int, seed: int, runner: Runner) -> Result:
    """Bid the labelled deals, and analyse the games played beforehand."""
    check_sample("learning", deals, 30)
    dealt = labelled_deals(deals)
    played = shipped_games(), shipped_games("play-capture")
    return Result(
        len(dealt),
        dealt.seed,
        training(),
        corrected(_strength(dealt)),
        tuple(_bidding(dealt)),
        tuple(_contexts(dealt)),
        tuple(row for result in played for row in _play(result)),
        " ".join(result.origin.note for result in played),
    )


def claims(result: Result) -> list[Claim]:
    """What the paper expects of learning, and of its own bidder."""
    ahead = result.over_paper()
    paper, learned = result.changes(PAPER), result.changes(LEARNED)
    against = [gap for gap in result.play if gap.against == PAPER]
    behind = sided(side(gain.points, gain.holm) for gain in ahead) == FAILS
    return [
        claim(
            "learning.calibrate",
            max(paper) > 0,
            f"Algorithm 1 looks at the hand alone: {max(paper):.1f}% of first calls change after "
            f"one or two passes; of the learned bidder's, {min(learned):.1f}% and "
            f"{max(learned):.1f}%",
        ),
        claim(
            "learning.self-play",
            FAILS if behind else UNDECIDED,
            f"no bidder here was trained by self-play alone. The learned one {result.training}. "
            "It is compared with the paper's, in points per game over two of them: "
            + "; ".join(
                f"{gain.settled_by} {signed(gain.points, 1)} ({p_text(gain.holm)})"
                for gain in ahead
            ),
        ),
        claim(
            "learning.closed-form",
            sided(side(gap.tricks, gap.holm) for gap in against),
            "tricks a deal: " + "; ".join(f"{gap.side} {signed(gap.tricks)}" for gap in against),
        ),
    ]


def training() -> str:
    """How the shipped bidder was trained, for readers who judge what self-play did."""
    games = shipped_log("bidding")[-1]["games"] / 1e6
    return (
        "first imitated a greedy bidder, since from random weights it would only learn to pass; "
        "then it met itself, its past, that bidder and others; and most of its last "
        f"{games:.0f} million games were played against copies of forecast, with which it is "
        "then compared"
    )


def _strength(deals: LabelledDeals) -> Iterator[Strength]:
    for bidder, others in permutations(BIDDERS, 2):
        for by, values in gains(deals, bidder, others).items():
            mean, p = stats.mean_interval(values), stats.paired(values).p
            yield Strength(bidder, others, by, mean, p)


def _contexts(deals: LabelledDeals) -> Iterator[ContextShare]:
    """The first calls of both bidders on all hands, in every context."""
    hands = [deals.hand(deal, seat) for deal in range(len(deals)) for seat in range(3)]
    for bidder in COMPARED:
        first: list[Call] = []
        for context, before in CONTEXTS.items():
            auction = Auction(dealer_of(0), FULL_DECK)
            for call in before:
                auction = auction.apply_unchecked(call)
            views = [view_of(hand, auction) for hand in hands]
            calls = calls_of(bidder, views)
            first = first or calls
            bids = np.array([isinstance(call, Bid) for call in calls]).reshape(-1, 3)
            share = stats.clustered_proportion(bids.sum(1), np.full(len(bids), 3))
            changed = [call != other for call, other in zip(calls, first, strict=True)]
            yield ContextShare(bidder, context, in_percent(share), 100 * float(np.mean(changed)))


def _bidding(deals: LabelledDeals) -> Iterator[Bidding]:
    for bidder in COMPARED:
        contracts = hold_auctions(deals, [[bidder] * 3] * len(deals))
        declarer, strain, level = contracts.T
        bid = declarer >= 0
        points = deals.settle(contracts)[PLAYED][bid]
        yield Bidding(
            bidder,
            100 * float((~bid).mean()),
            float(level[bid].mean()),
            100 * float((strain[bid] == Strain.NOTRUMP.index).mean()),
            100 * float((points > 0).mean()),
            stats.mean_interval(points),
        )


def _play(result: PlayResult) -> Iterator[PlayGap]:
    for pair in compare(play_pairs(result)):
        if LEARNED in (pair.first, pair.second):
            gap, other = pair.difference, pair.second
            if other == LEARNED:
                gap, other = -gap, pair.first
            yield PlayGap(pair.side, other, gap, pair.p_holm, result.deals, result.origin.command)


STUDY: Final = Study(
    name="learning",
    title="What learning adds",
    order=120,
    paper=600,
    quick=60,
    run=run,
    describe=lambda deals: {"deals of the learned bidder": deals},
    with_deals=int,
    claims=claims,
)
