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
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import stats
from tribridge.arena.analysis import compare_play
from tribridge.arena.results import PlayResult, shipped
from tribridge.capture.simulation import arrays
from tribridge.cards import FULL_DECK, Strain
from tribridge.game.auction import PASS, Auction, Bid, Call
from tribridge.masks import honour_points, popcount, suit_mask
from tribridge.studies import claims_conclusion
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
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.tidy import Cell, Study, StudyTable, check_sample
from tribridge.studies.training_logs import SHIPPED, measures_of, shipped_log

PAPER: Final = "capture"
"""The paper's bidder."""
BIDDERS: Final = ("pass", PAPER, "points", LEARNED)
COMPARED: Final = (PAPER, LEARNED)
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


def study(seed: int, deals: int) -> Study:
    """Curves, strength, best responses, and the learned bidder beside the paper's."""
    check_sample("learning", deals, 30)
    dealt = labelled_deals(deals)
    strength = list(_strength(dealt))
    responses = list(_responses(strength))
    openings = Openings.of(dealt)
    contexts = list(_contexts(dealt, openings))
    situations = list(_situations(dealt, openings))
    features = list(_features(dealt, openings, seed))
    contracts, bidding = _contracts(dealt)
    played = shipped(), shipped("play-capture")
    play = [row for result in played for row in _play(result)]
    note = f"{len(dealt):,} labelled deals of seed {dealt.seed}"
    span = ("95% from", "to")
    tables = (
        StudyTable(
            "learning-curves",
            "Results against fixed opponents during the training",
            ("network", "million games", "against", "result"),
            tuple(_curves()),
            "Bidding: points per game over the others by forecast; playing: declarer's tricks. "
            "From the logs of the shipped networks (`tribridge train curves LOG FILE` draws one); "
            "the training runs are `tribridge train bidding` and `tribridge train play`.",
        ),
        StudyTable(
            "learning-bidders",
            "One bidder against two others",
            ("one", "two others", "settled by", "points", *span, "p", "p (Holm)"),
            tuple(strength),
            f"{note}, one seating each, which rotates. Points per game over the average opponent; "
            "0 is what a bidder scores against its own kind. 95% intervals and paired tests over "
            "deals, Holm's correction over the table. The section on offence and defence has "
            "longer matches of `learned` in all seatings, against `forecast`, too, which takes too "
            "long here.",
        ),
        StudyTable(
            "learning-responses",
            "The best answer among these bidders",
            ("two of", "settled by", "best answer", "gains", *span),
            tuple(responses),
            "A lower bound of how far the bidder can be exploited, since a bidder trained against "
            "it may gain more; chosen and measured on the same deals, so it flatters the answer.",
        ),
        StudyTable(
            "learning-contracts",
            "Contracts of three bidders of one kind",
            ("bidder", "strain", "level", "contracts", "% of deals", "% made", "points",
             "points double dummy"),
            tuple(contracts),
            f"{note}. Made, and points for the declarer per contract: as played by `learned` in "
            "all chairs, and double dummy.",
        ),
        StudyTable(
            "learning-bidding",
            "How three bidders of one kind bid",
            ("bidder", "% passed out", "mean level", "% notrump", "% of contracts overcalled",
             "bids over a bid, %", "% made", "points a contract", *span),
            tuple(bidding),
            f"{note}. Bids over a bid: of the calls of players with an opponent's bid before them. "
            "Points for the declarer, as played, with 95% intervals over deals.",
        ),
        StudyTable(
            "learning-situations",
            "First calls of the paper's bidder and the learned one, hand by hand",
            ("situation", "hands", "% of hands", "high-card points", "longest suit",
             "paper's bid, points", *span, "learned bid, points", "95% from ", "to "),
            tuple(situations),
            f"{note}, all three hands of each as the first to call. Points: what the bid is worth "
            "to its maker if it becomes the contract, as played; intervals over deals.",
        ),
        StudyTable(
            "learning-features",
            "Which feature of the hand decides whether to bid",
            ("feature", "bidder", "area under the curve", *span),
            tuple(features),
            f"{note}, first to call. The chance that a hand that is bid has more of the feature "
            "than one that is passed: 0.5 says nothing, 1 decides everything. 95% intervals from "
            "resampling deals.",
        ),
        StudyTable(
            "learning-context",
            "The same hands after other calls",
            ("bidder", "calls before", "% bid", *span, "% of calls that change"),
            tuple(contexts),
            f"{note}, all three hands of each. Changed: another call than as the first to call. "
            "After passes the same calls are legal, so a change is an inference about the cards "
            "that are not seen.",
        ),
        StudyTable(
            "learning-play",
            "The learned player against others",
            ("side", "learned against", "tricks a deal", *span, "p (Holm)", "deals", "command"),
            tuple(play),
            "Differences between players on the same deals and contracts, paired over deals. "
            f"{' '.join(result.origin.note for result in played)}",
        ),
    )  # fmt: skip
    facts = {
        "deals": len(dealt),
        "training": training(),
        "strength": {(str(r[0]), str(r[1]), str(r[2])): r[3:6] for r in strength},
        "holm": {(str(r[0]), str(r[1]), str(r[2])): r[7] for r in strength},
        "responses": {(str(r[0]), str(r[1])): (r[2], r[3:6]) for r in responses},
        "changes": {(str(r[0]), str(r[1])): float(r[5] or 0) for r in contexts},
        "situations": {str(r[0]): {"share": r[2], "learned": r[8:11], "paper": r[5:8]}
                       for r in situations},
        "bidding": {str(r[0]): {"passed out": r[1], "level": r[2], "notrump": r[3], "made": r[6],
                                "overcalls": r[5]} for r in bidding},
        "play": [{"side": r[0], "against": r[1], "tricks": r[2:5], "p": r[5]} for r in play],
    }  # fmt: skip
    return STUDY.result(tables, facts=facts)


def training() -> str:
    """How the shipped bidder was trained, for readers who judge what self-play did."""
    games = shipped_log(SHIPPED[0])[-1]["games"] / 1e6
    return (
        "first imitated a greedy bidder, since from random weights it would only learn to pass; "
        "then it met itself, its past, that bidder and others; and most of its last "
        f"{games:.0f} million games were played against copies of forecast, with which it is "
        "then compared"
    )


def _curves() -> Iterator[tuple[Cell, ...]]:
    for name in SHIPPED:
        lines = shipped_log(name)
        for line in lines:
            for measure in measures_of(lines):
                if measure in line:
                    yield name, line["games"] / 1e6, measure, float(line[measure])


def _strength(deals: LabelledDeals) -> Iterator[tuple[Cell, ...]]:
    rows: list[tuple[str, str, str, F64]] = []
    for one, two in permutations(BIDDERS, 2):
        seats, contracts = one_against_two(deals, one, two)
        rows += [(one, two, by, gains(deals, seats, contracts, by)) for by in SETTLED]
    tests = stats.paired_each([values for *_, values in rows])
    corrected = stats.holm([test.p for test in tests])
    for (one, two, by, values), test, p in zip(rows, tests, corrected, strict=True):
        yield one, two, by, *_three(stats.mean_interval(values)), test.p, p


def _responses(strength: Sequence[tuple[Cell, ...]]) -> Iterator[tuple[Cell, ...]]:
    for two in BIDDERS:
        for by in SETTLED:
            mine = [r for r in strength if (r[1], r[2]) == (two, by)]
            best = max(mine, key=lambda r: float(r[3] or 0))
            yield two, by, best[0], *best[3:6]


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


def _contexts(deals: LabelledDeals, openings: Openings) -> Iterator[tuple[Cell, ...]]:
    first = next(iter(CONTEXTS))
    for bidder in COMPARED:
        alone = openings.calls[bidder, first]
        for context in CONTEXTS:
            bids = openings.bids(bidder, context)
            share = stats.clustered_proportion(bids.sum(1), np.full(len(bids), 3))
            calls = openings.calls[bidder, context]
            changed = [one != other for one, other in zip(calls, alone, strict=True)]
            yield (
                bidder, context, *(100 * x for x in _three(share)), 100 * float(np.mean(changed)),
            )  # fmt: skip


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


def _situations(deals: LabelledDeals, openings: Openings) -> Iterator[tuple[Cell, ...]]:
    first = next(iter(CONTEXTS))
    paper, learned = (openings.bids(bidder, first) for bidder in COMPARED)
    calls = [openings.calls[bidder, first] for bidder in COMPARED]
    same = np.array([a == b for a, b in zip(*calls, strict=True)]).reshape(-1, 3)
    worth = [_as_contract(deals, one) for one in calls]
    hands = deals.hands[:, :3].reshape(-1)
    points = honour_points(hands).reshape(-1, 3)
    longest = _lengths(hands).max(1).reshape(-1, 3)
    for name, chosen in {
        "both pass": ~paper & ~learned,
        "both make the same bid": paper & learned & same,
        "both bid, differently": paper & learned & ~same,
        "only the learned one bids": ~paper & learned,
        "only the paper's bids": paper & ~learned,
    }.items():
        size = int(chosen.sum())
        spans: list[Cell] = []
        for values, bids in ((worth[0], paper), (worth[1], learned)):
            kept = chosen & bids
            spans += _mean_by_deal(np.where(kept, values, 0.0), kept)
        yield (
            name, size, 100 * size / chosen.size,
            float(points[chosen].mean()) if size else None,
            float(longest[chosen].mean()) if size else None,
            *spans,
        )  # fmt: skip


def _mean_by_deal(values: F64, kept: NDArray[np.bool_]) -> list[Cell]:
    """A mean over hands, with an interval over deals; empty if there are too few."""
    if kept.any(1).sum() < 10:
        return [None, None, None]
    sums = np.column_stack([values.sum(1), kept.sum(1)])[kept.any(1)]
    return list(_three(stats.bootstrap(sums, stats.ratio, 1)))


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


def _features(deals: LabelledDeals, openings: Openings, seed: int) -> Iterator[tuple[Cell, ...]]:
    first = next(iter(CONTEXTS))
    features = hand_features(deals.hands[:, :3].reshape(-1))
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(deals), np.full(len(deals), 1 / len(deals)), 100)
    for name, values in features.items():
        for bidder in COMPARED:
            bid = openings.bids(bidder, first).reshape(-1)
            again = [area(values, bid, np.repeat(times, 3).astype(float)) for times in drawn]
            low, high = np.nanpercentile(again, [2.5, 97.5])
            yield name, bidder, area(values, bid), float(low), float(high)


def _contracts(
    deals: LabelledDeals,
) -> tuple[list[tuple[Cell, ...]], list[tuple[Cell, ...]]]:
    rows: list[tuple[Cell, ...]] = []
    summary: list[tuple[Cell, ...]] = []
    for bidder in COMPARED:
        auctions = hold_auctions(deals, [[bidder] * 3] * len(deals))
        contracts = contracts_of(auctions)
        declarer, strain, level = contracts.T.astype(int)
        at = np.arange(len(deals))
        worth = {by: deals.points[by][at, declarer, strain, level - 1] for by in SETTLED}
        played = declarer >= 0
        for one in Strain:
            for height in range(1, 8):
                chosen = played & (strain == one) & (level == height)
                if chosen.any():
                    rows.append(
                        (bidder, one.name.lower(), height, int(chosen.sum()),
                         100 * float(chosen.mean()),
                         100 * float((worth[PLAYED][chosen] > 0).mean()),
                         *(float(worth[by][chosen].mean()) for by in SETTLED))
                    )  # fmt: skip
        asked, over, overcalled = _overcalls(auctions)
        summary.append(
            (bidder, 100 * float((~played).mean()), float(level[played].mean()),
             100 * float((strain[played] == Strain.NOTRUMP).mean()),
             100 * overcalled / max(int(played.sum()), 1), 100 * over / max(asked, 1),
             100 * float((worth[PLAYED][played] > 0).mean()),
             *_three(stats.mean_interval(worth[PLAYED][played])))
        )  # fmt: skip
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


def _play(result: PlayResult) -> Iterator[tuple[Cell, ...]]:
    for one in compare_play(result):
        if LEARNED in (one.first, one.second):
            sign = 1 if one.first == LEARNED else -1
            other = one.second if sign == 1 else one.first
            ends = (one.difference.low, one.difference.high)
            low, high = sorted(sign * end for end in ends)
            yield (one.side, other, sign * one.difference.estimate, low, high, one.p_holm,
                   result.deals, result.origin.command)  # fmt: skip


def _three(interval: stats.Interval) -> tuple[float, float, float]:
    return interval.estimate, interval.low, interval.high


STUDY: Final[Declaration[Any]] = Declaration(
    name="learning",
    title="What learning adds",
    paper=600,
    quick=60,
    run=lambda deals, seed, runner: study(seed, deals),
    steps=lambda deals: 1,
    describe=lambda deals: {"deals of the learned bidder": deals},
    with_deals=int,
    figures=(
        Figure(
            "learning-curves",
            "Training by self-play",
            "Results of the two networks against fixed opponents while they trained. Left, "
            "bidding: points per game over other bidders, higher is better. Right, card play: "
            "declarer's tricks when the network declares (higher is better) or defends (lower is "
            "better). The start is the network with which the run began or was last resumed.",
            "learning-curves",
        ),
        Figure(
            "learning-contracts",
            "The contracts of the paper's bidder and of the learned one",
            "Contracts of three players of one kind on the same deals, by level and strain, with "
            "deals passed out. The paper's bidder knows notrump only and passes most deals out.",
            "learning-contracts",
        ),
    ),
    claims=claims_conclusion.learning,
)
