"""Calls, valued by the auctions that they lead to.

A call is rarely the last one: a bid of one may be an offer that nobody expects to play. So a call
is worth what strong players would make of the deal after it, as a card is (`valuing`). Layouts of
the unseen cards are weighted by how likely the bidding network is to have made the others' calls.
After each call the same network bids on in all three seats, and the contract that is reached is
worth what the network that sees all hands makes of it (`networks.values`), in the points of the
scheme or of the standing of the rubber, with the honours that the hands hold.

Hands are (n, 4) masks from the dealer on, the hidden hand last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tribridge.advice.prospects import Prospect, prospects
from tribridge.cards.cards import Strain
from tribridge.cards.deals import HIDDEN, Deal, Seat
from tribridge.cards.masks import F64, I64, popcount
from tribridge.forecast.distribution import TRICKS
from tribridge.game.auction import PASS as PASS_CALL
from tribridge.game.auction import Auction, Bid, Call
from tribridge.game.laws import Laws
from tribridge.game.scoring import Scheme
from tribridge.game.table import Table
from tribridge.game.views import View
from tribridge.networks.auction import (
    PASS,
    SEATS,
    STRAINS,
    AuctionGames,
)
from tribridge.networks.play import PlayGames, steps_from
from tribridge.networks.stakes import UNIT, Game, honours_of
from tribridge.networks.values import chances, contracts_of
from tribridge.strategies.learned.listening import explaining
from tribridge.strategies.learned.wishes import (
    CALLS,
    games_at,
    honours_held,
    number_of,
    place_of,
    seat_at,
    wishes,
)

LAYOUTS: Final = 100
"""Most layouts on which hints and reviews value calls."""


@dataclass(frozen=True, slots=True)
class CallValues:
    """Calls of one player, valued over layouts that all count the same."""

    calls: tuple[Call, ...]
    points: F64
    """The player's mean points, by layout and call."""
    squares: F64
    """The mean of their squares, likewise."""
    effective: float
    """How many layouts these are worth: after many calls, few explain them all and are repeated."""
    unit: float
    """What making a contract gains over one down."""
    outbid: I64
    """The last bid (1 + its number) of another player who declares, by layout and call; 0 where
    nobody else bids after the call."""
    standing: int
    """1 + the number of the bid that a pass leaves; 0 if there is none."""
    hands: I64
    """The layouts."""

    def bid_on(self, call: Call) -> float:
        """How often another player bids after a call, and declares."""
        return float((self.outbid[:, self.calls.index(call)] > 0).mean())

    def pushed(self, call: Call) -> float:
        """How often another player bids after a call, and declares higher than after a pass."""
        last = self.outbid[:, self.calls.index(call)]
        passed = self.outbid[:, self.calls.index(PASS_CALL)]
        levels = [-(-ends // STRAINS) for ends in (last, np.where(passed, passed, self.standing))]
        return float((levels[0] > levels[1]).mean())

    @property
    def best(self) -> Call:
        """The call with the highest mean."""
        return self.calls[int(self.points.mean(0).argmax())]

    def clearly_better(self, call: Call, errors: float) -> Call:
        """The best call, if it is ahead of one by so many standard errors; else that one."""
        means, at = self.points.mean(0), self.calls.index(call)
        ahead = float(means.max() - means[at]) > errors * self.error(call)
        return self.best if ahead else call

    def error(self, call: Call, beside: Call | None = None) -> float:
        """The standard error of what a call loses to another, by default the best one.

        Layouts that agree do not prove that all others do: one more is counted, a unit away.
        """
        other = self.best if beside is None else beside
        if call == other:
            return 0.0
        first, at = self.calls.index(other), self.calls.index(call)
        gains = self.points[:, first] - self.points[:, at]
        count = self.effective
        squares = count * float(gains.var()) + self.unit**2
        return float(np.sqrt(squares / (count * max(count - 1, 0.5))))

    def spread(self, call: Call) -> float:
        """How far the points after a call spread, over layouts and the play of the cards."""
        at = self.calls.index(call)
        mean = self.points[:, at].mean()
        return float(np.sqrt(max(0.0, self.squares[:, at].mean() - mean**2)))


def game_of(deal: View | Table, scheme: Scheme) -> Game:
    """What a deal is played for: the standing of its rubber, or the points of a scheme."""
    if deal.rubber is not None:
        return Game(deal.rubber.laws.scheme, deal.rubber)
    return Game(scheme, None, deal.vulnerable)


def preferred(view: View, game: Game, count: int) -> list[Call]:
    """The calls that the bidding network prefers, best first."""
    games = games_at(view.auction, 1)
    wish = wishes(games, _own(view, np.zeros((1, 4), np.int64)), view.auction.dealer, game)[0]
    legal: Sequence[Call] = view.legal_calls
    return sorted(legal, key=lambda call: -wish[number_of(call)])[:count]


def value_calls(
    view: View, calls: Sequence[Call], game: Game, layouts: int, rng: Generator
) -> CallValues:
    """Value some legal calls of the player whose turn it is, from their view alone."""
    assert view.seat is not None
    hands, effective = explaining(view, game, layouts, rng)
    every = np.concatenate([hands] * len(calls))
    numbers = np.repeat([number_of(call) for call in calls], len(hands))
    games = go_on(view.auction, every, numbers, game)
    points, squares = _points(games, every, view.auction.dealer, view.seat, game)
    shape = len(calls), len(hands)
    own = place_of(view.seat, view.auction.dealer)
    standing = view.auction.last_bid
    last = 0 if standing is None else 1 + number_of(standing)
    before = np.where(numbers < PASS, numbers + 1, last)
    outbid = np.where((games.bidder != own) & (games.standing > before), games.standing, 0)
    return CallValues(
        tuple(calls),
        points.reshape(shape).T,
        squares.reshape(shape).T,
        effective,
        game.unit() / UNIT,
        outbid.reshape(shape).T,
        last,
        hands,
    )


class AsContract(NamedTuple):
    """A call as the last one but for passes: the bid, or the one that stands, as the contract."""

    tricks: float
    """Declarer's mean."""
    prospect: Prospect
    """The chance to make it, and the caller's points."""


@dataclass(frozen=True, slots=True)
class Contracts:
    """What calls lead to if all others pass, on the layouts that also give their points.

    All bids in a strain have the chances of the cheapest, so that none makes more often than a
    lower one.
    """

    view: View
    game: Game
    hands: I64
    _chances: dict[Call, F64] = field(default_factory=dict)

    def of(self, call: Call) -> AsContract | None:
        """A call as the contract; None if nothing is played then."""
        auction = self.view.auction.apply_unchecked(call)
        bid, seat = auction.last_bid, self.view.seat
        if bid is None or seat is None:
            return None
        made = self._tricks(call)
        expected, spread, worst = map(float, prospects(made, self._paid(auction)[:, seat.index]))
        chance = float(made[bid.level + 6 :].sum())
        tricks = float(made @ np.arange(TRICKS + 1))
        return AsContract(tricks, Prospect(chance, expected, spread, worst))

    def _paid(self, auction: Auction) -> F64:
        """What the players get in the contract of an auction: (14 tricks, 3)."""
        bid, declarer = auction.last_bid, auction.bidder
        assert bid is not None
        assert declarer is not None
        factor = auction.factor.bit_length() - 1
        worth = self.game.worth()[declarer.index, bid.level - 1, bid.strain.index, :, factor]
        return worth.astype(np.float64)

    def _tricks(self, call: Call) -> F64:
        """The chances of declarer's tricks (14,)."""
        if isinstance(call, Bid):
            lower = (Bid(level, call.strain) for level in range(1, call.level))
            legal = self.view.legal_calls
            call = next((bid for bid in lower if bid in legal), call)
        if call not in self._chances:
            auction, dealer = self.view.auction.apply_unchecked(call), self.view.auction.dealer
            declarer = auction.bidder
            assert declarer is not None
            seats = [(declarer.index - dealer.index + at) % SEATS for at in range(SEATS)]
            hands = self.hands[:, [*seats[:2], SEATS, seats[2]]]  # dummy is between the defenders
            games = contracts_of(auction, hands, self._paid(auction)[:, declarer.index])
            self._chances[call] = chances(games).mean(0)
        return self._chances[call]


def value_silence(view: View, game: Game, layouts: int, rng: Generator) -> Prospect:
    """What a player gets who passes from now on, while the others bid on."""
    assert view.seat is not None
    hands, _ = explaining(view, game, layouts, rng)
    calls = np.full(len(hands), PASS)
    games = go_on(view.auction, hands, calls, game, silent=view.seat)
    paid, tricks = _outcomes(games, hands, view.auction.dealer, view.seat, game)
    expected, spread, worst = prospects(tricks.reshape(-1) / len(hands), paid.reshape(-1))
    return Prospect(None, float(expected), float(spread), float(worst))


def go_on(
    auction: Auction, hands: I64, calls: I64, game: Game, silent: Seat | None = None
) -> AuctionGames:
    """The auctions of hands (n, 4), after a call in each, as the network bids on.

    A player who has run from one double stays in the next contract that is doubled: the network
    sometimes runs on to the six level, where no strong player would. A `silent` player passes
    throughout.
    """
    games = games_at(auction, len(hands))
    games.step(calls)
    while not games.over.all():
        going = ~games.over & ~_ran(games)
        if silent is not None and seat_at(auction.dealer, games.caller) == silent.index:
            going[:] = False
        chosen = np.full(len(hands), PASS)
        if going.any():
            wish = wishes(games, hands, auction.dealer, game, going)
            legal = games.legal()[going, None] >> np.arange(CALLS) & 1
            chosen[going] = np.where(legal == 1, wish, -np.inf).argmax(1)
        games.step(chosen)
    return games


def _ran(games: AuctionGames) -> NDArray[np.bool_]:
    """Where the caller's bid stands doubled, and an earlier one of theirs was doubled too."""
    doubled = games.bids[:, games.caller] & np.bitwise_or.reduce(games.doubles, axis=1)
    own = (games.bidder == games.caller) & (games.doubled > 0)
    ran: NDArray[np.bool_] = own & (popcount(doubled.astype(np.uint64)) > 1)
    return ran


def _own(view: View, hands: I64) -> I64:
    """The hands with the player's own in their place."""
    assert view.seat is not None
    hands = hands.copy()
    hands[:, place_of(view.seat, view.auction.dealer)] = view.dealt.mask
    return hands


def _points(
    games: AuctionGames, hands: I64, dealer: Seat, seat: Seat, game: Game
) -> tuple[F64, F64]:
    """The points of a player in the contracts that were reached, and their squares."""
    paid, tricks = _outcomes(games, hands, dealer, seat, game)
    return (tricks * paid).sum(1), (tricks * paid**2).sum(1)


def _outcomes(
    games: AuctionGames, hands: I64, dealer: Seat, seat: Seat, game: Game
) -> tuple[F64, F64]:
    """What a player is paid for each number of tricks in the contracts reached, and the chances."""
    points, chance = np.zeros((2, len(hands), TRICKS + 1))
    chance[:, 0] = 1.0  # passed out: nothing, whatever the tricks
    played = games.standing > 0
    if not played.any():
        return points, chance
    worth = game.worth().astype(np.float64)
    who = (dealer.index + games.bidder[played]) % SEATS
    level, strain = np.divmod(games.standing[played] - 1, STRAINS)
    doubled = games.doubled[played]
    declaring = worth[who, level, strain, :, doubled, who]
    kinds, at = np.unique(np.stack([who, level, strain, doubled]), axis=1, return_inverse=True)
    firsts = [int(np.flatnonzero(at.ravel() == kind)[0]) for kind in range(kinds.shape[1])]
    each = np.array(
        [steps_from(tuple(declaring[first]), int(level[first]) + 1) for first in firsts]
    )
    contracts = games.contracts(hands).take(played)
    chance[played] = chances(PlayGames(contracts, steps=each[at.ravel()]))
    paid = worth[who, level, strain, :, doubled, seat.index]
    points[played] = paid + _honours_paid(hands[played], who, strain, dealer, seat, game)[:, None]
    return points, chance


@lru_cache(8)
def _honour_points(laws: Laws | None) -> F64:
    return honours_of(laws)


def _honours_paid(hands: I64, who: I64, strain: I64, dealer: Seat, seat: Seat, game: Game) -> F64:
    """What the honours of hands score for a player, by declarer and strain."""
    laws = None if game.rubber is None else game.rubber.laws
    counts = honours_held(hands.reshape(-1)).reshape(len(hands), 4, STRAINS)
    order = [*((at - dealer.index) % SEATS for at in range(SEATS)), SEATS]
    north, east, south, hidden = counts[np.arange(len(hands)), :, strain][:, order].T
    paid: F64 = _honour_points(laws)[who, strain, north, east, south, hidden, seat.index]
    return paid


class End(NamedTuple):
    """How an auction ends on the actual deal, and what that brings somebody."""

    points: float
    bid: Bid | None = None
    declarer: Seat | None = None


def actual_ends(
    table: Table,
    calls: Sequence[Call],
    game: Game,
    tricks: Callable[[Deal, Seat, Strain], int],
    seat: Seat | None = None,
) -> list[End]:
    """What each call brings its player, or a seat, on the actual deal, if the network bids on.

    `tricks` says what a declarer takes in a strain.
    """
    seat, dealer = seat or table.turn, table.auction.dealer
    assert seat is not None
    dealt = [table.deal.hands[seat_at(dealer, at)].mask for at in range(SEATS)]
    hands = np.array([[*dealt, table.deal.hands[HIDDEN].mask]] * len(calls), np.int64)
    numbers = np.array([number_of(call) for call in calls])
    games = go_on(table.auction, hands, numbers, game)
    worth, ends = game.worth(), list[End]()
    for at, (standing, bidder, doubled) in enumerate(
        zip(games.standing.tolist(), games.bidder.tolist(), games.doubled.tolist(), strict=True)
    ):
        if not standing:
            ends.append(End(0.0))
            continue
        who, (level, strain) = seat_at(dealer, bidder), divmod(standing - 1, STRAINS)
        won = tricks(table.deal, Seat(who), Strain(strain))
        layout, declarer = hands[at : at + 1], np.array([who])
        honours = _honours_paid(layout, declarer, np.array([strain]), dealer, seat, game)[0]
        brings = float(worth[who, level, strain, won, doubled, seat.index] + honours)
        ends.append(End(brings, Bid(level + 1, Strain(strain)), Seat(who)))
    return ends
