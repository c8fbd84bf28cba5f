"""Auctions with known payoffs, and simple bidders for them, for training bidding.

The payoff of a contract is its expected points under the forecast from declarer's and dummy's
hands: declarer's gain over the average opponent (half of what `game.match.settle` pays), and minus
half of that for each defender. This removes the luck of the play and costs one pass through a small
network. Deals come from the generator of a place (`arrays`) and are unrelated to the numbered deals
of `dealer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.arena.tiny.layouts import Layouts, net_points
from tribridge.arrays import Array, Place, bits, cast, gather, namespace, put, uniform
from tribridge.cards import FULL_DECK, Deck
from tribridge.game.auction import Bid
from tribridge.game.scoring import Scheme
from tribridge.networks.auction import (
    BIDS,
    CALLS,
    LEVELS,
    NOBODY,
    PASS,
    SEATS,
    STRAINS,
    AuctionGames,
)
from tribridge.training.calls import PASSING, REACH
from tribridge.training.deals import Bidder, Chances, chances, deal_hands

TRICKS: Final = 14
"""Numbers of tricks in the arrays of `Deals`; a tiny deck has fewer."""
CONCEDED: Final = 5.0
"""What the greedy bidder assumes that passing over any bid costs, in points."""


@dataclass(frozen=True, eq=False)
class Deals:
    """Many deals, seats counted from the dealer, with the value of every contract."""

    hands: Array
    """(n, 4) masks; the last is the hidden hand."""
    chances: Array
    """(n, 3 declarers, 5 strains, 14): chances of each number of tricks, from two hands."""
    values: Array
    """(n, 3, 35): the expected points of each contract for its declarer, from two hands."""
    own: Array
    """(n, 3, 35): the same from declarer's hand alone."""

    def __len__(self) -> int:
        return len(self.hands)


class Dealing:
    """Deals of the full deck with their expected points under a scoring scheme."""

    deck = FULL_DECK

    def __init__(self, scheme: Scheme, place: Place) -> None:
        self._start(points_of(scheme), place)
        self._single: Chances = chances("single", place)
        self._pair: Chances = chances("pair", place)

    def _start(self, points: NDArray[np.float32], place: Place) -> None:
        self.place = place
        self.points = put(points, place)
        """(3 factors, 5 strains, 7 levels, 14 tricks)."""
        self.device = self.points.device

    def deal(self, count: int) -> Deals:
        """`count` random deals."""
        hands = deal_hands(count, FULL_DECK, self.place)
        players = hands[:, :SEATS].reshape(-1)
        dummies = namespace(hands).broadcast_to(hands[:, SEATS:], (count, SEATS)).reshape(-1)
        pair = self._pair(players, dummies).reshape(count, SEATS, STRAINS, -1)
        single = self._single(players).reshape(count, SEATS, STRAINS, -1)
        return Deals(hands, pair, self.expected(pair), self.expected(single))

    def expected(self, chances: Array) -> Array:
        """The points of every bid (n, 3, 35) from chances of tricks (n, 3, 5, 14)."""
        values = namespace(chances).einsum("npsk,slk->npls", chances, self.points[0])
        return values.reshape(-1, SEATS, BIDS)

    def payoffs(self, games: AuctionGames, deals: Deals) -> Array:
        """Expected points of the three players (n, 3) after the auctions."""
        xp = namespace(deals.hands)
        bid = (games.standing - 1).clip(min=0)
        strain, level = bid % STRAINS, bid // STRAINS
        rows, seats = (xp.arange(size, device=self.device) for size in (len(deals), SEATS))
        tricks = deals.chances[rows, games.bidder % SEATS, strain]
        value = (tricks * self.points[games.doubled, strain, level]).sum(1)
        value = xp.where(games.bidder == NOBODY, 0.0, value)[:, None]
        return xp.where(seats == games.bidder[:, None], value, -value / 2)


class TinyDealing(Dealing):
    """Random deals of a tiny deck: tricks are those of the deal, double dummy.

    The greedy bidder's values are exact: the mean over all deals in which it holds its hand.
    """

    def __init__(self, scheme: Scheme, place: Place, deck: Deck) -> None:
        layouts = Layouts(deck)
        self.deck = deck
        self._start(points_of(scheme, deck), place)
        strains = [strain.index for strain in deck.strains]
        own = np.zeros((len(layouts.hands), STRAINS, TRICKS), np.float32)
        own[:, strains, : layouts.mean_chances.shape[2]] = layouts.mean_chances
        tricks = np.full((len(layouts.deals), SEATS, STRAINS), -1)
        tricks[..., strains] = layouts.tricks.transpose(2, 0, 1)
        self._masks = put(layouts.masks, place)
        self._deals = put(layouts.deals, place)
        self._tricks = put(tricks, place)
        self._own = put(own, place)

    def deal(self, count: int) -> Deals:
        """`count` random deals."""
        xp = namespace(self.place)
        chosen = cast(uniform(self.place, count) * len(self._deals), xp.int64)
        tricks = self._tricks[chosen][..., None]
        chances = cast(tricks == xp.arange(TRICKS, device=self.device), xp.float32)
        single = self._own[self._deals[chosen]]
        values, own = self.expected(chances), self.expected(single)
        return Deals(self._masks[chosen], chances, values, own)


def dealing_of(scheme: Scheme, place: Place, deck: Deck) -> Dealing:
    """Deals to train on: paid by forecast with the full deck, by double dummy with a tiny one."""
    if deck == FULL_DECK:
        return Dealing(scheme, place)
    return TinyDealing(scheme, place, deck)


def points_of(scheme: Scheme, deck: Deck = FULL_DECK) -> NDArray[np.float32]:
    """The points for declarer of every contract: (3 factors, 5 strains, 7 levels, 14 tricks).

    Those that a small deck does not have are 0.
    """
    points = np.zeros((3, STRAINS, LEVELS, TRICKS), np.float32)
    for at, factor in enumerate((1, 2, 4)):
        for strain in deck.strains:
            for level in range(deck.levels):
                nets = net_points(scheme, Bid(level + 1, strain), deck, factor)
                points[at, strain, level, : len(nets)] = nets
    return points


def relative_values(deals: Deals) -> Array:
    """Values of all contracts, with seats counted from each caller: (3 callers, n, 6, 35)."""
    xp = namespace(deals.values)
    both = (xp.stack([deals.values, deals.own], 1) / 50).clip(-3, 3)
    turned = [xp.roll(both, -caller, 2) for caller in range(SEATS)]
    return xp.stack(turned).reshape(SEATS, len(deals), -1, BIDS)


def contract_points(numbers: Array, values: Array) -> Array:
    """The caller's points for each call if everyone then passes: (n, 36).

    `values` are the points of every contract for each seat, counted from the caller, (n, 3, 35).
    """
    xp = namespace(values)
    standing, bidder = numbers[:, 2], numbers[:, 3]
    at = (bidder % SEATS) * BIDS + (standing - 1).clip(min=0)
    theirs = gather(values.reshape(len(values), -1), at[:, None])
    passing = xp.where(bidder[:, None] == NOBODY, 0.0, -theirs / 2)
    return xp.concat([values[:, 0], passing], 1)


def greedy_values(numbers: Array, own: Array) -> Array:
    """The greedy bidder's expected points for every call: (n, 36)."""
    xp = namespace(own)
    passing = cast(xp.where(numbers[:, 2:3] > 0, -CONCEDED, 0.0), own.dtype)
    return xp.concat([own, passing], 1)


def greedy(numbers: Array, legal: Array, own: Array) -> Array:
    """Makes the bid with the most expected points from its own hand, as if it were the contract."""
    values = greedy_values(numbers, own)
    return namespace(own).where(bits(legal, CALLS), values, -np.inf).argmax(1)


def careless(place: Place) -> Bidder:
    """A bidder that passes, or makes one of the next few bids, at random."""

    def bidder(numbers: Array, legal: Array, own: Array) -> Array:
        xp, standing = namespace(numbers), numbers[:, 2]
        chance = uniform(place, 2, len(numbers))
        bid = standing + cast(REACH * chance[0], xp.int64)
        passing = (chance[1] < PASSING) | ((legal >> bid & 1) == 0)
        return xp.where(passing, PASS, bid)

    return bidder


def learner_seats(count: int, sixteenths: int, seats: Sequence[int], device: Any = "cpu") -> Array:
    """Which seats the learner holds (n, 3): all three, or one of the `seats` counts in mixed games.

    Mixed games are the last `sixteenths` of `count`.
    """
    xp = namespace(device)
    mixed = count // 16 * sixteenths
    one = xp.eye(SEATS, dtype=xp.bool, device=device)
    patterns = xp.concat([one if number == 1 else ~one for number in seats])
    every = xp.ones((count - mixed, SEATS), dtype=xp.bool, device=device)
    return xp.concat([every, patterns[xp.arange(mixed, device=device) % len(patterns)]])


def play(
    one: Bidder, other: Bidder, chosen: Array, deals: Deals, dealing: Dealing
) -> tuple[Array, AuctionGames]:
    """Payoffs (n, 3) of auctions in which `one` holds the chosen seats (n, 3), `other` the rest."""
    games = AuctionGames(len(deals), dealing.device, dealing.deck)
    while not games.over.all():
        numbers, legal = games.observe(deals.hands), games.legal()
        own = deals.own[:, games.caller]
        calls = [bidder(numbers, legal, own) for bidder in (one, other)]
        games.step(namespace(legal).where(chosen[:, games.caller], *calls))
    return dealing.payoffs(games, deals), games


def gain(
    one: Bidder, other: Bidder, deals: Deals, dealing: Dealing, seats: int = 1
) -> tuple[float, float]:
    """Points per game of `one` in `seats` seats against `other` in the rest, with standard error.

    Every deal is played in each of the three seatings.
    """
    xp = namespace(deals.hands)
    places = xp.arange(SEATS, device=dealing.device)
    total: Array = 0.0
    for place in range(SEATS):
        chosen = xp.broadcast_to((places - place) % SEATS < seats, (len(deals), SEATS))
        payoffs, _ = play(one, other, chosen, deals, dealing)
        total = total + (payoffs * chosen).sum(1) / seats
    mean = total / SEATS
    return mean.mean().item(), xp.std(mean, correction=1).item() / len(deals) ** 0.5
