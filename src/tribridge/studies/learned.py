"""What learning adds: strength, and what the learned bidder does differently.

The paper names learning as its next step. Here the networks of the package bid on the labelled
deals (`auctions`) beside the paper's bidder and others, one against two of another kind, and the
tables say how the learned bidder differs: its contracts, when it bids where the paper's passes, and
which calls before it decide.

The best response within a set of callers is a lower bound of what a bidder trained to exploit
another would gain (`tribridge train bidding --response` trains one).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import stats
from tribridge.arena.analysis import compare, play_pairs
from tribridge.arena.results import PlayResult, shipped
from tribridge.cards import FULL_DECK, Strain
from tribridge.game.auction import PASS, Auction, Bid, Call
from tribridge.masks import honour_points, popcount, suit_mask
from tribridge.stats import Interval
from tribridge.studies import drawing
from tribridge.studies.auctions import (
    LEARNED,
    PLAYED,
    SETTLED,
    LabelledDeals,
    calls_of,
    contracts_of,
    dealer_of,
    gains,
    hold_auctions,
    labelled_deals,
    one_against_two,
    view_of,
)
from tribridge.studies.claims import (
    FAILS,
    UNDECIDED,
    Claim,
    claim,
    p_text,
    side,
    sided,
    signed,
    verdict_if,
)
from tribridge.studies.study import Figure, Runner, Study, check_sample
from tribridge.studies.tables import corrected, in_percent
from tribridge.studies.training_logs import shipped_log

PAPER: Final = "capture"
"""The paper's bidder."""
BIDDERS: Final = ("pass", PAPER, "points", LEARNED)
COMPARED: Final = (PAPER, LEARNED)
LEARNED_ALONE: Final = "only the learned one bids"
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
class Response:
    """The best answer among these bidders.

    A lower bound of how far the bidder can be exploited, since a bidder trained against it may gain
    more; chosen and measured on the same deals, so it flatters the answer.
    """

    others: Annotated[str, "two of"]
    settled_by: str
    best: Annotated[str, "best answer"]
    gain: Annotated[Interval, "gains"]


@dataclass(frozen=True, slots=True)
class ContractShare:
    """Contracts of three bidders of one kind.

    {note}. Made, and points for the declarer per contract: as played by `learned` in all chairs,
    and double dummy.
    """

    bidder: str
    strain: str
    level: int
    contracts: int
    share: Annotated[float, "% of deals"]
    made: Annotated[float, "% made"]
    played: Annotated[float, "points"]
    solved: Annotated[float, "points double dummy"]


@dataclass(frozen=True, slots=True)
class Bidding:
    """How three bidders of one kind bid.

    {note}. Bids over a bid: of the calls of players with an opponent's bid before them. Points for
    the declarer, as played, with 95% intervals over deals.
    """

    bidder: str
    passed_out: Annotated[float, "% passed out"]
    level: Annotated[float, "mean level"]
    notrump: Annotated[float, "% notrump"]
    overcalled: Annotated[float, "% of contracts overcalled"]
    overcalls: Annotated[float, "bids over a bid, %"]
    made: Annotated[float, "% made"]
    points: Annotated[Interval, "points a contract"]


@dataclass(frozen=True, slots=True)
class Situation:
    """First calls of the paper's bidder and the learned one, hand by hand.

    {note}, all three hands of each as the first to call. Points: what the bid is worth to its maker
    if it becomes the contract, as played; intervals over deals.
    """

    situation: str
    hands: int
    share: Annotated[float, "% of hands"]
    points: Annotated[float | None, "high-card points"]
    longest: Annotated[float | None, "longest suit"]
    paper: Annotated[Interval | None, "paper's bid, points"]
    learned: Annotated[Interval | None, "learned bid, points", "95% from ", "to "]


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
    """Strength, best responses, and the learned bidder beside the paper's."""

    deals: int
    seed: int
    """Of the labelled deals."""
    training: str
    strength: Annotated[tuple[Strength, ...], "learning-bidders"]
    responses: Annotated[tuple[Response, ...], "learning-responses"]
    contracts: Annotated[tuple[ContractShare, ...], "learning-contracts"]
    bidding: Annotated[tuple[Bidding, ...], "learning-bidding"]
    situations: Annotated[tuple[Situation, ...], "learning-situations"]
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
    strength = corrected(_strength(dealt))
    openings = Openings.of(dealt)
    contracts, bidding = _contracts(dealt)
    played = shipped(), shipped("play-capture")
    return Result(
        len(dealt),
        dealt.seed,
        training(),
        strength,
        tuple(_responses(strength)),
        tuple(contracts),
        tuple(bidding),
        tuple(_situations(dealt, openings)),
        tuple(_contexts(openings)),
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
            verdict_if(max(paper) > 0),
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
        seats, contracts = one_against_two(deals, bidder, others)
        for by in SETTLED:
            values = gains(deals, seats, contracts, by)
            mean, p = stats.mean_interval(values), stats.paired(values).p
            yield Strength(bidder, others, by, mean, p)


def _responses(strength: Sequence[Strength]) -> Iterator[Response]:
    for two in BIDDERS:
        for by in SETTLED:
            answers = [s for s in strength if (s.others, s.settled_by) == (two, by)]
            best = max(answers, key=lambda answer: answer.points.estimate)
            yield Response(two, by, best.bidder, best.points)


@dataclass(frozen=True, eq=False)
class Openings:
    """The first calls of both bidders on all hands, in every context."""

    calls: dict[tuple[str, str], list[Call]]
    """By bidder and context: one for each hand, deal by deal."""

    @classmethod
    def of(cls, deals: LabelledDeals) -> Openings:
        hands = [deals.hand(deal, seat) for deal in range(len(deals)) for seat in range(3)]
        calls = {}
        for context, before in CONTEXTS.items():
            auction = Auction(dealer_of(0), FULL_DECK)
            for call in before:
                auction = auction.apply_unchecked(call)
            views = [view_of(hand, auction) for hand in hands]
            for bidder in COMPARED:
                calls[bidder, context] = calls_of(bidder, views, range(len(views)))
        return cls(calls)

    def bids(self, bidder: str, context: str) -> NDArray[np.bool_]:
        """Which hands are bid: (deals, 3)."""
        calls = self.calls[bidder, context]
        return np.array([isinstance(call, Bid) for call in calls]).reshape(-1, 3)


def _contexts(openings: Openings) -> Iterator[ContextShare]:
    first = next(iter(CONTEXTS))
    for bidder in COMPARED:
        alone = openings.calls[bidder, first]
        for context in CONTEXTS:
            bids = openings.bids(bidder, context)
            share = stats.clustered_proportion(bids.sum(1), np.full(len(bids), 3))
            calls = openings.calls[bidder, context]
            changed = [call != other for call, other in zip(calls, alone, strict=True)]
            yield ContextShare(bidder, context, in_percent(share), 100 * float(np.mean(changed)))


def _as_contract(deals: LabelledDeals, calls: Sequence[Call]) -> F64:
    """What each hand's bid pays if it becomes the contract, as played; NaN for a pass."""
    points = deals.points[PLAYED]
    return np.array(
        [
            points[at // 3, at % 3, call.strain, call.level - 1]
            if isinstance(call, Bid)
            else np.nan
            for at, call in enumerate(calls)
        ]
    ).reshape(-1, 3)


def _situations(deals: LabelledDeals, openings: Openings) -> Iterator[Situation]:
    first = next(iter(CONTEXTS))
    paper, learned = (openings.bids(bidder, first) for bidder in COMPARED)
    calls = [openings.calls[bidder, first] for bidder in COMPARED]
    same = np.array([a == b for a, b in zip(*calls, strict=True)]).reshape(-1, 3)
    worth = [_as_contract(deals, bids) for bids in calls]
    hands = deals.hands[:, :3].reshape(-1)
    points = honour_points(hands).reshape(-1, 3)
    longest = _lengths(hands).max(1).reshape(-1, 3)
    for name, chosen in {
        "both pass": ~paper & ~learned,
        "both make the same bid": paper & learned & same,
        "both bid, differently": paper & learned & ~same,
        LEARNED_ALONE: ~paper & learned,
        "only the paper's bids": paper & ~learned,
    }.items():
        size = int(chosen.sum())
        yield Situation(
            name,
            size,
            100 * size / chosen.size,
            float(points[chosen].mean()) if size else None,
            float(longest[chosen].mean()) if size else None,
            _mean_by_deal(worth[0], chosen & paper),
            _mean_by_deal(worth[1], chosen & learned),
        )


def _mean_by_deal(values: F64, kept: NDArray[np.bool_]) -> Interval | None:
    """A mean over the hands kept, with an interval over deals; None if there are too few."""
    if kept.any(1).sum() < 10:
        return None
    sums = np.column_stack([np.where(kept, values, 0.0).sum(1), kept.sum(1)])[kept.any(1)]
    return stats.bootstrap(sums, stats.ratio, 1)


def _lengths(hands: NDArray[np.uint64]) -> NDArray[np.int64]:
    return np.stack([popcount(hands & suit_mask(suit)) for suit in range(4)], 1)


def _contracts(deals: LabelledDeals) -> tuple[list[ContractShare], list[Bidding]]:
    rows: list[ContractShare] = []
    summary: list[Bidding] = []
    for bidder in COMPARED:
        auctions = hold_auctions(deals, [[bidder] * 3] * len(deals))
        declarer, strain, level = contracts_of(auctions).T.astype(int)
        at = np.arange(len(deals))
        worth = {by: deals.points[by][at, declarer, strain, level - 1] for by in SETTLED}
        played = declarer >= 0
        for named in Strain:
            for height in range(1, 8):
                chosen = played & (strain == named.index) & (level == height)
                if chosen.any():
                    rows.append(
                        ContractShare(
                            bidder,
                            named.name.lower(),
                            height,
                            int(chosen.sum()),
                            100 * float(chosen.mean()),
                            100 * float((worth[PLAYED][chosen] > 0).mean()),
                            *(float(worth[by][chosen].mean()) for by in SETTLED),
                        )
                    )
        asked, over, overcalled = _overcalls(auctions)
        summary.append(
            Bidding(
                bidder,
                100 * float((~played).mean()),
                float(level[played].mean()),
                100 * float((strain[played] == Strain.NOTRUMP.index).mean()),
                100 * overcalled / max(int(played.sum()), 1),
                100 * over / max(asked, 1),
                100 * float((worth[PLAYED][played] > 0).mean()),
                stats.mean_interval(worth[PLAYED][played]),
            )
        )
    return rows, summary


def _overcalls(auctions: Sequence[Auction]) -> tuple[int, int, int]:
    """Calls over an opponent's bid, bids among them, and auctions with more than one bidder."""
    asked = over = several = 0
    for auction in auctions:
        standing, bidders = False, set()
        for at, call in enumerate(auction.calls):
            asked += standing
            if isinstance(call, Bid):
                over += standing
                standing = True
                bidders.add(at % 3)
        several += len(bidders) > 1
    return asked, over, several


def _play(result: PlayResult) -> Iterator[PlayGap]:
    for pair in compare(play_pairs(result)):
        if LEARNED in (pair.first, pair.second):
            gap, other = pair.difference, pair.second
            if other == LEARNED:
                gap, other = -gap, pair.first
            yield PlayGap(pair.side, other, gap, pair.p_holm, result.deals, result.origin.command)


_STRAINS: Final = {
    "clubs": (drawing.GREY, "\\\\"),
    "diamonds": (drawing.ORANGE, "//"),
    "hearts": (drawing.RED, "xx"),
    "spades": (drawing.NAVY, ".."),
    "notrump": (drawing.BLUE, ""),
}
"""The colour and the hatch of each strain."""


def draw_contracts(result: Result) -> drawing.Drawing:
    """The contracts of the paper's bidder and of the learned one.

    Contracts of three players of one kind on the same deals, by level and strain, with deals passed
    out. The paper's bidder knows notrump only and passes most deals out.
    """
    figure, panels = drawing.new_figure(11.4, 4.0, 2, sharey=True)
    shares = {(row.bidder, row.strain, row.level): row.share for row in result.contracts}
    levels = range(1, max(row.level for row in result.contracts) + 1)
    titles = ("The paper's bidder", "The learned bidder")
    for axes, bidder, title in zip(panels, COMPARED, titles, strict=True):
        passed = result.bidding_of(bidder).passed_out
        axes.bar([0], [passed], 0.7, color="white", edgecolor="black", label="passed out")
        bottoms = [0.0] * len(levels)
        for strain, (colour, hatch) in _STRAINS.items():
            heights = [shares.get((bidder, strain, level), 0.0) for level in levels]
            axes.bar(
                levels, heights, 0.7, bottom=bottoms, color=colour, hatch=hatch, edgecolor="white",
                label=strain,
            )  # fmt: skip
            bottoms = [a + b for a, b in zip(bottoms, heights, strict=True)]
        for place, height in [(0, passed), *zip(levels, bottoms, strict=True)]:
            drawing.write(axes, f"{height:.1f}", place, height)
        axes.set_xticks([0, *levels], ["pass", *(str(level) for level in levels)])
        drawing.name_axes(axes, title, "level of the contract")
    panels[0].set_ylabel("% of deals")
    panels[1].legend(loc="upper right", ncols=2)
    return figure


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
    figures=(Figure("learning-contracts", "learning-contracts", draw_contracts),),
)
