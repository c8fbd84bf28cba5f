"""Auctions with known payoffs, and simple bidders for them, for training bidding.

The payoff of a contract is its expected worth (`networks.stakes`) over the tricks that a network
expects: one that learned what the player makes of all four hands (`training.payoffs`), or the
forecast from declarer's and dummy's. This removes the luck of the play. Deals come from the
generator of a place (`arrays`) and are unrelated to the numbered deals of `dealer`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tribridge.cards.cards import FULL_DECK
from tribridge.common.arrays import Array, Place, Rows, bits, cast, gather, namespace, put, uniform
from tribridge.game.laws import HONOUR_RANKS
from tribridge.lab.training.deals import (
    Bidder,
    Chances,
    Tricks,
    chances,
    deal_hands,
    tricks_by_forecast,
)
from tribridge.lab.training.stakes import Stakes
from tribridge.networks.auction import (
    BIDS,
    LEVELS,
    NOBODY,
    PASS,
    RANKS,
    SEATS,
    STRAINS,
    SUITS,
    AuctionGames,
    Contracts,
)
from tribridge.networks.play import SWING
from tribridge.networks.stakes import Game, features, honours_of

CONCEDED: Final = 5.0
"""What the greedy bidder assumes that passing over any bid costs, in points."""
DOUBTED: Final = 4.0
"""What it assumes that doubling costs more."""
MOST: Final = 7.5
"""The most units that a contract is worth to the critic."""
PASSING: Final = 0.6
REACH: Final = 5
"""A careless bidder passes with probability `PASSING`, else makes one of the next `REACH` bids."""
CALLS_MADE: Final = 20
"""Most calls in an auction of training: after all but two of them, only passes are allowed."""
BEGINS: Final = ("nothing", "greedy", "experts")
"""Where a bidder begins: with random weights, or by imitating the greedy bidder or a better one."""
HONOURS: Final = len(HONOUR_RANKS)
_FEATURE: Final = 4.0


@dataclass(frozen=True, eq=False)
class Deals(Rows):
    """Many deals, seats counted from the dealer, with the value of every contract in points."""

    hands: Array
    """(n, 4) masks; the last is the hidden hand."""
    chances: Array
    """(n, 3 declarers, 5 strains, 7 levels, 14): chances of each number of tricks; levels may be 1
    if they make no difference."""
    values: Array
    """(n, 3 declarers, 35 bids, 3, 3 players): what contracts are worth, plain to redoubled."""
    own: Array
    """(n, 3, 35 + 5 * STAKES): what bids are worth to declarer by the declarer's hand alone, then
    the features of stakes."""
    units: Array
    """(n,): the points of a unit."""
    doubles: Array
    """(n,): whether doubles are played."""
    setting: Array
    """(n,): the number of what the deal is played for."""


class Dealing:
    """Deals of the full deck, in settings drawn at random."""

    def __init__(
        self,
        settings: Mapping[Game, float],
        place: Place,
        tricks: Tricks | None = None,
        *,
        doubles: float = 0.0,
    ) -> None:
        self.place, self.doubles = place, doubles
        self._single: Chances = chances("single", place)
        self._tricks = tricks or tricks_by_forecast(place)
        laws = [None if game.rubber is None else game.rubber.laws for game in settings]
        kinds = list(dict.fromkeys(laws))
        shares = np.cumsum(list(settings.values()))
        self.shares = put((shares / shares[-1]).astype(np.float32), place)
        """Of the settings up to each one."""
        each = [
            (game.unit(), game.worth(), [features(game, seat) for seat in range(SEATS)])
            for game in settings
        ]
        units, worth, seen = (np.array(part, np.float32) for part in zip(*each, strict=True))
        self.units = put(units, place)
        self.device = self.units.device
        self._worth = put(worth.reshape(*worth.shape[:5], -1), place)
        self._features = put(seen, place)
        self._laws = put(np.array([kinds.index(each) for each in laws]), place)
        honours = np.stack([honours_of(each) for each in kinds]).astype(np.float32)
        self._honours = put(honours, place)

    def deal(self, count: int, fixed: Array = None) -> Deals:
        """`count` random deals; `fixed` are the numbers of their settings (n,), -1 any."""
        xp = namespace(self.units)
        hands, setting = deal_hands(count, FULL_DECK, self.place), self._drawn(count)
        doubles = uniform(self.place, count) < self.doubles
        if fixed is not None:
            setting = xp.where(fixed < 0, setting, fixed)
            doubles = doubles & (fixed < 0)
        chances = self._tricks(hands)
        units = self.units[setting]
        held = honours_held(hands)
        values = self._valued(chances, setting, held)
        own = self._alone(hands, setting, units, held)
        return Deals(hands, chances, values, own, units, doubles, setting)

    def _drawn(self, count: int) -> Array:
        """Numbers of settings, drawn by their shares."""
        where = namespace(self.units).searchsorted(self.shares, uniform(self.place, count))
        return where.clip(max=len(self.shares) - 1)

    def bid(self, bidder: Bidder, count: int) -> tuple[Stakes, Array]:
        """Contracts of at most `count` auctions, and what tricks are worth: as `staked`."""
        hands, setting = deal_hands(count, FULL_DECK, self.place), self._drawn(count)
        doubles = uniform(self.place, count) < self.doubles
        own = self._alone(hands, setting, self.units[setting], honours_held(hands))
        games = AuctionGames(count, self.device, doubles=doubles)
        while games.calls < CALLS_MADE and not games.over.all():
            legal = games.legal()
            if games.calls >= CALLS_MADE - 2:
                legal = legal & 1 << PASS
            games.step(bidder(games.observe(hands), legal, own[:, games.caller]))
        made = games.bidder != NOBODY
        contracts = games.contracts(hands).take(made)
        return self.staked(contracts, setting[made], games.bidder[made])

    def draw(self, contracts: Contracts) -> tuple[Stakes, Array]:
        """The contracts in random settings, with any player as declarer: as `staked`."""
        count = len(contracts)
        declarer = cast(SEATS * uniform(self.place, count), namespace(self.units).int64)
        return self.staked(contracts, self._drawn(count), declarer)

    def staked(self, contracts: Contracts, setting: Array, declarer: Array) -> tuple[Stakes, Array]:
        """Contracts with steps, and what each number of tricks is worth to declarer (n, 14)."""
        xp = namespace(self.units)
        place = setting, declarer, contracts.level - 1, contracts.strain
        worth = self._worth[(*place, slice(None), SEATS * contracts.doubled + declarer)]
        steps = worth[:, 1:] - worth[:, :-1]
        swing = gather(steps, contracts.level[:, None] + FULL_DECK.book - 1)
        steps = cast((SWING * steps / swing).round(), xp.int64)
        return Stakes(**vars(contracts), steps=steps), worth

    def settled(self, games: AuctionGames, deals: Deals, won: Array) -> Array:
        """Points of the three players (n, 3) after the auctions, given declarer's tricks."""
        xp = namespace(self.units)
        bid, declarer = (games.standing - 1).clip(min=0), games.bidder % SEATS
        level, strain = bid // STRAINS, bid % STRAINS
        rows = xp.arange(len(deals), device=self.device)
        worth = self._worth[deals.setting, declarer, level, strain, won]
        value = worth.reshape(-1, SEATS, SEATS)[rows, games.doubled]
        held = (honours_held(deals.hands)[:, at][rows, strain] for at in range(4))
        honours = self._honours[(self._laws[deals.setting], declarer, strain, *held)]
        return xp.where((games.bidder == NOBODY)[:, None], 0.0, value + honours)

    def _valued(self, chances: Array, setting: Array, held: Array) -> Array:
        """The worth of all contracts (n, 3, 35, 3, 3)."""
        xp = namespace(chances)
        worth = self._worth[setting]  # (n, 3, 7, 5, 14, 9)
        weights = chances.swapaxes(2, 3)[..., None]
        values = cast((weights * worth).sum(4), xp.float32)
        values = values.reshape(-1, SEATS, LEVELS, STRAINS, SEATS, SEATS)
        seats, strains = (xp.arange(size, device=self.device) for size in (SEATS, STRAINS))
        where = (held[:, at][:, None] for at in range(4))
        laws = self._laws[setting][:, None, None]
        honours = self._honours[(laws, seats[:, None], strains, *where)]  # (n, 3, 5, 3)
        values = values + honours[:, :, None, :, None]
        return values.reshape(-1, SEATS, BIDS, SEATS, SEATS)

    def _alone(self, hands: Array, setting: Array, units: Array, held: Array) -> Array:
        """What each player knows beside the calls: (n, 3, 35 + 5 * STAKES)."""
        xp, count = namespace(hands), len(hands)
        single = self._single(hands[:, :SEATS].reshape(-1))
        single = single.reshape(count, SEATS, 1, STRAINS, -1)
        parts = []
        scale = (_FEATURE * units)[:, None, None]
        strains = xp.arange(STRAINS, device=self.device)
        for seat in range(SEATS):
            worth = self._worth[setting, seat, ..., seat]
            alone = [held[:, seat] * (at == seat) for at in range(4)]
            laws = self._laws[setting][:, None]
            honours = [
                self._honours[(laws, declarer, strains, *alone)][..., seat]
                for declarer in (seat, (seat + 1) % SEATS)
            ]
            value = (single[:, seat] * worth).sum(-1) + honours[0][:, None]
            stakes = [self._features[setting, seat], xp.stack(honours, 2) / scale]
            parts.append(
                xp.concat([value.reshape(count, BIDS), xp.concat(stakes, 2).reshape(count, -1)], 1)
            )
        return cast(xp.stack(parts, 1), xp.float32)

    def payoffs(self, games: AuctionGames, deals: Deals) -> Array:
        """Expected points of the three players (n, 3) after the auctions."""
        xp = namespace(deals.hands)
        bid = (games.standing - 1).clip(min=0)
        rows = xp.arange(len(deals), device=self.device)
        value = deals.values[rows, games.bidder % SEATS, bid, games.doubled]
        return xp.where((games.bidder == NOBODY)[:, None], 0.0, value)


def honours_held(hands: Array) -> Array:
    """How many honours of each strain the four hands hold: (n, 4, 5)."""
    xp = namespace(hands)
    cards = bits(hands, SUITS * RANKS).reshape(*hands.shape, SUITS, RANKS)
    return xp.concat([cards[..., :HONOURS].sum(-1), cards[..., 0].sum(-1)[..., None]], -1)


def relative_values(deals: Deals) -> Array:
    """Values of all contracts, in units, with seats counted from each caller.

    (3 callers, n, 3 declarers * 3 * 2, 35), at most `MOST`: to the caller and the next player.
    """
    xp = namespace(deals.values)
    values = (deals.values / deals.units[:, None, None, None, None]).clip(-MOST, MOST)
    turned = [xp.roll(xp.roll(values, -at, 1), -at, 4)[..., :2] for at in range(SEATS)]
    every = xp.stack(turned)  # (3, n, 3, 35, 3, 2)
    return every.swapaxes(3, 4).swapaxes(4, 5).reshape(SEATS, len(deals), -1, BIDS)


def contract_points(numbers: Array, values: Array) -> Array:
    """What each call is worth to the caller if everyone then passes: (n, 38).

    `values` are those of `relative_values`.
    """
    xp, count = namespace(values), len(values)
    mine = values.reshape(count, SEATS, SEATS, 2, BIDS)[:, :, :, 0]
    standing, bidder, doubled = numbers[:, 2], numbers[:, 3], numbers[:, 10]
    rows = xp.arange(count, device=values.device)
    contract = mine[rows, bidder % SEATS, :, (standing - 1).clip(min=0)]
    contract = xp.where((bidder == NOBODY)[:, None], 0.0, contract)
    passing = gather(contract, doubled[:, None])
    return xp.concat([mine[:, 0, 0], passing, contract[:, 1:]], 1)


def greedy_values(numbers: Array, own: Array) -> Array:
    """The greedy bidder's expected points for every call: (n, 38); it does not like to double."""
    xp = namespace(own)
    passing = cast(xp.where(numbers[:, 2:3] > 0, -CONCEDED, 0.0), own.dtype)
    return xp.concat([own[:, :BIDS], passing, passing - DOUBTED, passing - 2 * DOUBTED], 1)


def greedy(numbers: Array, legal: Array, own: Array) -> Array:
    """Makes the bid with the most expected points from its own hand, as if it were the contract."""
    values = greedy_values(numbers, own)
    return namespace(own).where(bits(legal, values.shape[1]), values, -np.inf).argmax(1)


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
    single = xp.eye(SEATS, dtype=xp.bool, device=device)
    patterns = xp.concat([single if number == 1 else ~single for number in seats])
    every = xp.ones((count - mixed, SEATS), dtype=xp.bool, device=device)
    return xp.concat([every, patterns[xp.arange(mixed, device=device) % len(patterns)]])


Settle = Callable[[AuctionGames, Deals], Array]
"""From auctions that are over to the points of the three players (n, 3)."""


def play(
    first: Bidder, second: Bidder, chosen: Array, deals: Deals, dealing: Dealing
) -> AuctionGames:
    """The auctions in which `first` holds the chosen seats (n, 3) and `second` the rest."""
    games = AuctionGames(len(deals), dealing.device, doubles=deals.doubles)
    while not games.over.all():
        numbers, legal = games.observe(deals.hands), games.legal()
        own = deals.own[:, games.caller]
        calls = [bidder(numbers, legal, own) for bidder in (first, second)]
        games.step(namespace(legal).where(chosen[:, games.caller], *calls))
    return games


def gain(
    first: Bidder,
    second: Bidder,
    deals: Deals,
    dealing: Dealing,
    seats: int = 1,
    settle: Settle | None = None,
) -> Array:
    """Points of `first` in `seats` seats against `second` in the rest, for each deal (n,).

    Every deal is played in each of the three seatings. Unless `settle` is given, contracts are
    worth what is expected.
    """
    xp = namespace(deals.hands)
    places = xp.arange(SEATS, device=dealing.device)
    total: Array = 0.0
    for place in range(SEATS):
        chosen = xp.broadcast_to((places - place) % SEATS < seats, (len(deals), SEATS))
        payoffs = (settle or dealing.payoffs)(play(first, second, chosen, deals, dealing), deals)
        total = total + (payoffs * chosen).sum(1) / seats
    return total / SEATS


def mean_and_error(values: Array) -> tuple[float, float]:
    """The mean of some values, with its standard error."""
    error = namespace(values).std(values, correction=1).item() / len(values) ** 0.5
    return values.mean().item(), error
