"""What learning adds: training, strength, and what the learned bidder does differently.

The paper names learning as its next step. Here the networks of the package, trained by self-play,
bid on the labelled deals (`auctions`) beside the paper's bidder and others, one against two of
another kind, and the tables say how the learned bidder differs: its contracts, when it bids where
the paper's passes, which features of a hand and which calls before it decide.

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
from tribridge.capture.simulation import arrays
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
from tribridge.studies.study import Figure, Study, check_sample
from tribridge.studies.tables import StudyTable, corrected, in_percent, table
from tribridge.studies.training_logs import SHIPPED, measures_of, shipped_log

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
class CurvePoint:
    """A result against a fixed opponent during the training."""

    network: str
    games: Annotated[float, "million games"]
    against: str
    result: float


@dataclass(frozen=True, slots=True)
class Strength:
    """One bidder against two of another kind."""

    bidder: Annotated[str, "one"]
    others: Annotated[str, "two others"]
    settled_by: str
    points: Annotated[Interval, "points"]
    p: float
    holm: Annotated[float, "p (Holm)"] = 1.0


@dataclass(frozen=True, slots=True)
class Response:
    """The best answer to two bidders of a kind."""

    others: Annotated[str, "two of"]
    settled_by: str
    best: Annotated[str, "best answer"]
    gain: Annotated[Interval, "gains"]


@dataclass(frozen=True, slots=True)
class ContractShare:
    """How often three bidders of a kind reach a contract, and what it is worth."""

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
    """How three bidders of a kind bid."""

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
    """Hands on which the paper's bidder and the learned one agree or differ."""

    situation: str
    hands: int
    share: Annotated[float, "% of hands"]
    points: Annotated[float | None, "high-card points"]
    longest: Annotated[float | None, "longest suit"]
    paper: Annotated[Interval | None, "paper's bid, points"]
    learned: Annotated[Interval | None, "learned bid, points", "95% from ", "to "]


@dataclass(frozen=True, slots=True)
class FeatureArea:
    """How far a feature of the hand decides whether a bidder bids."""

    feature: str
    bidder: str
    area: Annotated[Interval, "area under the curve"]


@dataclass(frozen=True, slots=True)
class ContextShare:
    """How often a bidder bids after some calls, and how often that changes its first call."""

    bidder: str
    context: Annotated[str, "calls before"]
    bid: Annotated[Interval, "% bid"]
    changed: Annotated[float, "% of calls that change"]


@dataclass(frozen=True, slots=True)
class PlayGap:
    """The learned player compared with another on the same deals."""

    side: str
    against: Annotated[str, "learned against"]
    tricks: Annotated[Interval, "tricks a deal"]
    holm: Annotated[float, "p (Holm)"]
    deals: int
    command: str


@dataclass(frozen=True, slots=True)
class Result:
    """Curves, strength, best responses, and the learned bidder beside the paper's."""

    deals: int
    seed: int
    """Of the labelled deals."""
    training: str
    curves: tuple[CurvePoint, ...]
    strength: tuple[Strength, ...]
    responses: tuple[Response, ...]
    contracts: tuple[ContractShare, ...]
    bidding: tuple[Bidding, ...]
    situations: tuple[Situation, ...]
    features: tuple[FeatureArea, ...]
    contexts: tuple[ContextShare, ...]
    play: tuple[PlayGap, ...]
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


def run(seed: int, deals: int) -> Result:
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
        tuple(_curves()),
        strength,
        tuple(_responses(strength)),
        tuple(contracts),
        tuple(bidding),
        tuple(_situations(dealt, openings)),
        tuple(_features(dealt, openings, seed)),
        tuple(_contexts(openings)),
        tuple(row for result in played for row in _play(result)),
        " ".join(result.origin.note for result in played),
    )


def tables(result: Result) -> Iterator[StudyTable]:
    """Everything that the learned bidder and player were compared in."""
    note = f"{result.deals:,} labelled deals of seed {result.seed}"
    yield table(
        "learning-curves",
        "Results against fixed opponents during the training",
        result.curves,
        "Bidding: points per game over the others by forecast; playing: declarer's tricks. "
        "From the logs of the shipped networks (`tribridge train curves LOG FILE` draws one); "
        "the training runs are `tribridge train bidding` and `tribridge train play`.",
    )
    yield table(
        "learning-bidders",
        "One bidder against two others",
        result.strength,
        f"{note}, one seating each, which rotates. Points per game over the average opponent; "
        "0 is what a bidder scores against its own kind. 95% intervals and paired tests over "
        "deals, Holm's correction over the table. The section on offence and defence has "
        "longer matches of `learned` in all seatings, against `forecast`, too, which takes too "
        "long here.",
    )
    yield table(
        "learning-responses",
        "The best answer among these bidders",
        result.responses,
        "A lower bound of how far the bidder can be exploited, since a bidder trained against "
        "it may gain more; chosen and measured on the same deals, so it flatters the answer.",
    )
    yield table(
        "learning-contracts",
        "Contracts of three bidders of one kind",
        result.contracts,
        f"{note}. Made, and points for the declarer per contract: as played by `learned` in "
        "all chairs, and double dummy.",
    )
    yield table(
        "learning-bidding",
        "How three bidders of one kind bid",
        result.bidding,
        f"{note}. Bids over a bid: of the calls of players with an opponent's bid before them. "
        "Points for the declarer, as played, with 95% intervals over deals.",
    )
    yield table(
        "learning-situations",
        "First calls of the paper's bidder and the learned one, hand by hand",
        result.situations,
        f"{note}, all three hands of each as the first to call. Points: what the bid is worth "
        "to its maker if it becomes the contract, as played; intervals over deals.",
    )
    yield table(
        "learning-features",
        "Which feature of the hand decides whether to bid",
        result.features,
        f"{note}, first to call. The chance that a hand that is bid has more of the feature "
        "than one that is passed: 0.5 says nothing, 1 decides everything. 95% intervals from "
        "resampling deals.",
    )
    yield table(
        "learning-context",
        "The same hands after other calls",
        result.contexts,
        f"{note}, all three hands of each. Changed: another call than as the first to call. "
        "After passes the same calls are legal, so a change is an inference about the cards "
        "that are not seen.",
    )
    yield table(
        "learning-play",
        "The learned player against others",
        result.play,
        "Differences between players on the same deals and contracts, paired over deals. "
        f"{result.play_notes}",
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
    games = shipped_log(SHIPPED[0])[-1]["games"] / 1e6
    return (
        "first imitated a greedy bidder, since from random weights it would only learn to pass; "
        "then it met itself, its past, that bidder and others; and most of its last "
        f"{games:.0f} million games were played against copies of forecast, with which it is "
        "then compared"
    )


def _curves() -> Iterator[CurvePoint]:
    for name in SHIPPED:
        lines = shipped_log(name)
        for line in lines:
            for measure in measures_of(lines):
                if measure in line:
                    games, result = line["games"] / 1e6, float(line[measure])
                    yield CurvePoint(name, games, measure, result)


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


def hand_features(hands: NDArray[np.uint64]) -> dict[str, F64]:
    """Numbers that a bid may depend on, for each hand."""
    lengths = _lengths(hands)
    at = lengths.argmax(1)
    rows = hands >> (13 * at).astype(np.uint64) & np.uint64(0x1FFF)
    tops = np.stack([hands >> np.uint64(13 * suit) & np.uint64(1) for suit in range(4)], 1)
    return {
        "high-card points": honour_points(hands).astype(float),
        "longest suit": lengths.max(1).astype(float),
        "points in the longest suit": honour_points(rows).astype(float),
        "aces": tops.sum(1).astype(float),
        "shortest suit (fewer cards)": -lengths.min(1).astype(float),
        "captures (Algorithm 1)": arrays.single(hands).captures.astype(float),
    }


def area(values: F64, bid: NDArray[np.bool_], weights: F64 | None = None) -> float:
    """The area under the curve: the chance that a hand bid has more than one passed."""
    weights = np.ones(len(values)) if weights is None else weights
    order = np.unique(values, return_inverse=True)[1]
    yes, no = (np.bincount(order, weights * chosen) for chosen in (bid, ~bid))
    pairs = yes.sum() * no.sum()
    below = np.cumsum(no) - no
    return float((yes * (below + no / 2)).sum() / pairs) if pairs else float("nan")


def _features(deals: LabelledDeals, openings: Openings, seed: int) -> Iterator[FeatureArea]:
    first = next(iter(CONTEXTS))
    features = hand_features(deals.hands[:, :3].reshape(-1))
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(deals), np.full(len(deals), 1 / len(deals)), 100)
    for name, values in features.items():
        for bidder in COMPARED:
            bid = openings.bids(bidder, first).reshape(-1)
            again = [area(values, bid, np.repeat(times, 3).astype(float)) for times in drawn]
            low, high = np.nanpercentile(again, [2.5, 97.5])
            span = Interval(area(values, bid), float(low), float(high))
            yield FeatureArea(name, bidder, span)


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


def draw_curves(result: Result) -> drawing.Drawing:
    """Results against fixed opponents during the two training runs."""
    figure, panels = drawing.new_figure(11.4, 4.6, 2)
    titles = (
        ("bidding", "Bidding: points per game", "points over the others"),
        ("play", "Card play: declarer's tricks", "tricks per deal"),
    )
    for axes, (name, title, unit) in zip(panels, titles, strict=True):
        mine = [point for point in result.curves if point.network == name]
        measures = dict.fromkeys(point.against for point in mine)
        for (colour, marker), measure in zip(drawing.LOOKS[1:], measures, strict=False):
            points = [point for point in mine if point.against == measure]
            axes.plot(
                [point.games for point in points],
                [point.result for point in points],
                f"-{marker}",
                color=colour,
                markersize=3.5,
                linewidth=1.3,
                label=measure,
            )
        drawing.name_axes(axes, title, "million games", unit)
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, fontsize=9)
    return figure


_STRAINS: Final = {
    "clubs": (drawing.GREY, "\\\\"),
    "diamonds": (drawing.ORANGE, "//"),
    "hearts": (drawing.RED, "xx"),
    "spades": (drawing.NAVY, ".."),
    "notrump": (drawing.BLUE, ""),
}
"""The colour and the hatch of each strain."""


def draw_contracts(result: Result) -> drawing.Drawing:
    """Contracts by level and strain of the paper's bidder and of the learned one."""
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
    run=lambda deals, seed, runner: run(seed, deals),
    describe=lambda deals: {"deals of the learned bidder": deals},
    with_deals=int,
    tables=tables,
    claims=claims,
    figures=(
        Figure(
            "learning-curves",
            "Training by self-play",
            "Results of the two networks against fixed opponents while they trained. Left, "
            "bidding: points per game over other bidders, higher is better. Right, card play: "
            "declarer's tricks when the network declares (higher is better) or defends (lower is "
            "better). The start is the network with which the run began or was last resumed.",
            "learning-curves",
            draw_curves,
        ),
        Figure(
            "learning-contracts",
            "The contracts of the paper's bidder and of the learned one",
            "Contracts of three players of one kind on the same deals, by level and strain, with "
            "deals passed out. The paper's bidder knows notrump only and passes most deals out.",
            "learning-contracts",
            draw_contracts,
        ),
    ),
)
