"""What the learned bidder does beside the paper's, on the labelled deals: the study of learning.

    python -m benchmarks.learned_bidder [--deals 600] OUT.json

Of 600 deals the result is that in the package (`studies/learned.json`). A bidder that learned from
nothing meets others there too; its weights and its log are in `data/learning/stakes`.

The labelled deals have declarer's tricks for every declarer and strain, double dummy and as played
by the strategy `learned@1` in all chairs. So any auction on them is settled without playing a card,
and all bidders meet the same deals without the luck of different play. **Points** are a player's
gain over the average opponent under the scheme `auction`: the winnings less the penalty for a
declarer, minus half of that for each defender.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import permutations
from operator import index
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.advice.prospects import bid_values
from tribridge.arena.analysis import compare, play_pairs
from tribridge.arena.results import PlayResult
from tribridge.arena.results import shipped as shipped_games
from tribridge.cards.cards import FULL_DECK, Card, Hand, Strain
from tribridge.cards.deals import Seat
from tribridge.common import stats
from tribridge.common.files import write_atomic
from tribridge.common.tables import corrected, in_percent
from tribridge.game.auction import PASS, Auction, Bid, Call
from tribridge.game.scoring import find_scheme
from tribridge.game.views import View
from tribridge.lab.labels.labels import shipped, shipped_played
from tribridge.lab.studies.learned import (
    LEARNED,
    PAPER,
    PLAYED,
    SOLVED,
    Bidding,
    ContextShare,
    FromNothing,
    PlayGap,
    Result,
    Strength,
)
from tribridge.lab.studies.study import dumps_result
from tribridge.networks.auction import STAKES_KIND, by_call, call_number, expand, observe
from tribridge.networks.network import SuitNetwork, load_network
from tribridge.networks.stakes import Game, features, own_honours
from tribridge.strategies import decision_rng, find_caller
from tribridge.strategies.learned.caller import calls_for
from tribridge.strategies.versions import caller_version, list_versions

BIDDERS: Final = ("pass", PAPER, "points", LEARNED)
"""They leave nothing to chance."""
COMPARED: Final = (PAPER, LEARNED)
GAMES: Final = ("play", "play-capture")
"""The results of the package with games of the learned player."""
CONTEXTS: Final[Mapping[str, tuple[Call, ...]]] = {
    "first to call": (),
    "after a pass": (PASS,),
    "after two passes": (PASS, PASS),
    "after 1C": (Bid(1, Strain.CLUBS),),
    "after 1C and a pass": (Bid(1, Strain.CLUBS), PASS),
    "after 1NT": (Bid(1, Strain.NOTRUMP),),
}
"""The calls before a player's first call."""

STAKES: Final = Path(__file__).parent.parent / "data" / "learning" / "stakes"
NOTHING: Final = STAKES / "nothing.npz"
"""The bidder that learned from nothing."""
MET: Final = (PAPER, "points", "forecast")
"""Whom it meets."""
COMMAND: Final = (
    "tribridge train bidding --out out/nothing --minutes 3 --imitation 0 --optimism 0.5 "
    "--payoffs data/learning/stakes/payoffs.npz"
)
"""What trains such a bidder."""

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


def labelled_deals(count: int | None = None, scheme: str = "auction") -> LabelledDeals:
    """The first `count` of the deals that ship with the package, settled under a scheme."""
    solved, played = shipped(), shipped_played()
    values = bid_values(find_scheme(scheme)).transpose(0, 2, 1)
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
    """What a bidder calls in each of many views; a name may be the file of a network's weights."""
    if name == LEARNED:
        return calls_for(views)
    if name.endswith((".npz", ".npz.split")):
        return [network_call(weights_of(name), seen) for seen in views]
    caller, rng = find_caller(name), decision_rng(0, 0, 0, 0)
    actions = [caller.call(seen, rng).action for seen in views]
    return [action for action in actions if not isinstance(action, Card)]


@cache
def weights_of(path: str) -> SuitNetwork:
    """The weights of a bidder for all stakes."""
    with Path(path).open("rb") as file:
        return load_network(file, path, STAKES_KIND)


def network_call(weights: SuitNetwork, view: View) -> Call:
    """What such a bidder calls under the scheme `auction`, without doubles."""
    game, seat = Game(find_scheme("auction")), index(view.seat or 0)
    stakes = np.concatenate([features(game, seat), own_honours(game, view.dealt)], 1)
    suits, table = expand(np.array([observe(view)]), np.float32, stakes[None])
    wishes = by_call(weights(suits, table))[0, 0]
    bids = [call for call in view.legal_calls if call == PASS or isinstance(call, Bid)]
    return max(bids, key=lambda call: wishes[call_number(call)])


def gains(deals: LabelledDeals, bidder: str, others: str) -> dict[str, F64]:
    """The points of a bidder against two others, whose seat rotates, by settlement: (deals,)."""
    seats = np.arange(len(deals)) % 3
    names = [[bidder if seat == own else others for seat in range(3)] for own in seats.tolist()]
    contracts = hold_auctions(deals, names)
    share = np.where(contracts[:, 0] == seats, 1.0, -0.5) * (contracts[:, 0] >= 0)
    return {by: share * points for by, points in deals.settle(contracts).items()}


def result_of(deals: int) -> Result:
    """Bid the labelled deals, and analyse the games played beforehand."""
    dealt = labelled_deals(deals)
    learned_games, note = _nothing_note()
    played = [shipped_games(name) for name in GAMES]
    return Result(
        len(dealt),
        f"{len(dealt):,} labelled deals of seed {dealt.seed}, bid beforehand by "
        f"{list_versions(map(caller_version, BIDDERS))}",
        training(),
        corrected(_strength(dealt)),
        corrected(list(from_nothing(dealt))),
        learned_games,
        note,
        tuple(_bidding(dealt)),
        tuple(_contexts(dealt)),
        tuple(row for result in played for row in _play(result)),
        " ".join(result.origin.note for result in played),
    )


def from_nothing(deals: LabelledDeals) -> Iterator[FromNothing]:
    """What the bidder that learned from nothing scores against two others."""
    for other in MET:
        for by, values in gains(deals, str(NOTHING), other).items():
            mean, p = stats.mean_interval(values), stats.paired(values).p
            yield FromNothing("auction", other, by, len(deals), mean, p)


def _nothing_note() -> tuple[int, str]:
    """How many games that bidder learned from, and how it was trained."""
    games = json.loads((STAKES / "nothing-log.jsonl").read_text("utf-8").splitlines()[-1])["games"]
    return games, (
        f"It began with random weights and learned from {games:,} games against itself and its "
        f"past, in which failing cost nothing at first: `{COMMAND}`, on a GPU."
    )


def training() -> str:
    """How the shipped bidder was trained, for readers who judge what self-play did."""
    log = resources.files("tribridge.lab.training").joinpath("data/bidding-log.jsonl")
    games = json.loads(log.read_text("utf-8").splitlines()[-1])["games"] / 1e6
    return (
        "first imitated a greedy bidder, since from random weights it would only learn to pass "
        "unless failing costs little at first; then it met itself, its past, that bidder and "
        f"others; and most of its last {games:.0f} million games were played against copies of "
        "forecast, with which it is then compared"
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
    origin = result.origin
    versions = {strategy.name: strategy.version for strategy in origin.strategies}
    for pair in compare(play_pairs(result)):
        learned = [name.startswith("learned") for name in (pair.first, pair.second)]
        if any(learned):
            gap, player, other = pair.difference, pair.first, pair.second
            if learned[1]:
                gap, player, other = -gap, pair.second, pair.first
            of = pair.p_holm, result.deals, origin.command
            yield PlayGap(pair.side, versions[player], other, gap, *of)


def bid_and_write(result: Callable[[int], Any], description: str) -> None:
    """The command of a program that bids deals and writes a result."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("out", type=Path)
    parser.add_argument("--deals", type=int, default=600)
    options = parser.parse_args()
    write_atomic(options.out, dumps_result(result(options.deals)))


if __name__ == "__main__":
    bid_and_write(result_of, "The learned bidder beside others.")
