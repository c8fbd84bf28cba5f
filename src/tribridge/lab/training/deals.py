"""Random deals with contracts, for training and for playing many games.

They come from the generator of a place (`arrays`) and are unrelated to the numbered deals of
`dealer`, which are used for evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK, Deck, Strain, cards_of
from tribridge.common.arrays import (
    Array,
    Place,
    bits,
    cast,
    gather,
    namespace,
    normal,
    put,
    uniform,
)
from tribridge.forecast.net import Net
from tribridge.networks.auction import (
    RANKS,
    SEATS,
    STRAINS,
    SUITS,
    Contracts,
    seat_hands,
    set_auction,
)
from tribridge.networks.play import NOTRUMP

ANY: Final = 0.15
"""Share of the deals with a random declarer, and likewise with a random strain."""

Bidder = Callable[[Array, Array, Any], Array]
"""From observations (n, 15), legal calls (n,) and the values of the caller's 35 bids from the hand
alone, followed by the stakes of each strain (n, 35 + 5 * STAKES), to calls (n,)."""
Expected = Callable[[Array, Array], Array]
"""From the hands of declarer and dummy, (n,) masks each, to expected tricks (n, 5 strains)."""


def deal_hands(count: int, deck: Deck, place: Place) -> Array:
    """Masks of the hands of the three players and the hidden hand: (n, 4)."""
    cards = np.array([card.bit for card in cards_of(deck.mask)], np.int64)
    order = uniform(place, count, len(cards)).argsort(1)
    return put(cards, place)[order].reshape(count, 4, deck.hand_size).sum(2)


def lengths(masks: Array) -> Array:
    """Cards of each suit: (..., 4)."""
    return bits(masks, SUITS * RANKS).reshape(*masks.shape, SUITS, RANKS).sum(-1)


def honour_points(masks: Array) -> Array:
    """Honour points: ace 4, king 3, queen 2, jack 1."""
    counts = bits(masks, SUITS * RANKS).reshape(*masks.shape, SUITS, RANKS).sum(-2)
    return sum((4 - rank) * counts[..., rank] for rank in range(4))


def contract_levels(expected: Array, deck: Deck = FULL_DECK) -> Array:
    """The levels of contracts for as many tricks as are expected."""
    return (cast(expected.round(), namespace(expected).int64) - deck.book).clip(1, deck.levels)


def contracts_for(
    chairs: Array, strains: Sequence[Strain], expected: Expected, higher: int = 0
) -> Contracts:
    """One contract per deal and strain, strains varying fastest; hands (n, 4) in chair order.

    `higher` raises all levels, as far as there are any.
    """
    xp = namespace(chairs)
    wanted = xp.asarray([strain.index for strain in strains], device=chairs.device)
    tricks = expected(chairs[:, 0], chairs[:, 2])[:, wanted] + higher
    level = contract_levels(tricks).reshape(-1)
    strain = xp.broadcast_to(wanted, tricks.shape).reshape(-1)
    hands = xp.broadcast_to(chairs[:, None], (*tricks.shape, 4)).reshape(-1, 4)
    return Contracts(hands, level, strain, xp.zeros_like(level), *set_auction(level, strain))


@dataclass(frozen=True, eq=False)
class RuleContracts:
    """Contracts by a rule that sees declarer's and dummy's cards, with some randomness.

    The player with the most honour points declares, in the longest suit of hand and dummy if they
    hold at least 8 of its 13 cards, else in notrump; a share `ANY` of the deals has a random
    declarer, and another a random strain. The level is that of `expected`, give or take a trick.
    """

    deck: Deck
    expected: Expected | None = None
    spread: float = 1.0
    """Standard deviation of the level around what is expected."""

    def deal(self, count: int, place: Place) -> Contracts:
        """`count` deals with contracts."""
        xp = namespace(place)
        hands = deal_hands(count, self.deck, place)
        points = honour_points(hands[:, :3] | hands[:, 3:])
        anybody = uniform(place, count, 1) < ANY
        noise = uniform(place, count, 3)
        declarer = xp.where(anybody, noise, points + 0.5 * noise).argmax(1)
        chairs = seat_hands(hands, declarer)
        strain = self._strain(chairs[:, 0] | chairs[:, 2], place)
        level = self._level(chairs, strain, place)
        return Contracts(chairs, level, strain, 0 * level, *set_auction(level, strain))

    def _strain(self, cards: Array, place: Place) -> Array:
        xp, count, suits = namespace(place), len(cards), self.deck.suits
        length = lengths(cards)[:, :suits]
        best = (length + 0.5 * uniform(place, count, suits)).argmax(1)
        longest = gather(length, best[:, None])[:, 0]
        strain = xp.where(13 * longest >= 8 * self.deck.ranks, best, NOTRUMP)
        other = cast(uniform(place, count) * (suits + 1), xp.int64)
        other = xp.where(other == suits, NOTRUMP, other)
        return xp.where(uniform(place, count) < ANY, other, strain)

    def _level(self, chairs: Array, strain: Array, place: Place) -> Array:
        count, levels = len(strain), self.deck.levels
        if self.expected is None:
            return 1 + cast(uniform(place, count) * levels, namespace(place).int64)
        tricks = gather(self.expected(chairs[:, 0], chairs[:, 2]), strain[:, None])[:, 0]
        return contract_levels(tricks + self.spread * normal(place, count), self.deck)


class RareContracts(RuleContracts):
    """The same with the strongest or the longest of four deals; half of the levels are higher."""

    def deal(self, count: int, place: Place) -> Contracts:
        xp = namespace(place)
        hands = deal_hands(4 * count, self.deck, place)
        points = honour_points(hands[:, :3] | hands[:, 3:])
        length = 2.5 * xp.amax(lengths(hands), (1, 2)) + 8
        wild = uniform(place, 4 * count) < 0.5
        rarity = xp.where(wild, length, xp.amax(points, 1)) + uniform(place, 4 * count)
        rarest = rarity.reshape(4, count).argmax(0) * count + xp.arange(count, device=hands.device)
        declarer = (points[rarest] + 0.5 * uniform(place, count, 3)).argmax(1)
        chairs = seat_hands(hands[rarest], declarer)
        strain = self._strain(chairs[:, 0] | chairs[:, 2], place)
        level = self._level(chairs, strain, place)
        higher = cast(uniform(place, count) * (self.deck.levels + 1 - level), xp.int64)
        level = level + xp.where(uniform(place, count) < 0.5, higher, 0)
        return Contracts(chairs, level, strain, 0 * level, *set_auction(level, strain))


Chances = Callable[..., Array]
"""From masks of hands, (n,) each, to the chances of 0-13 tricks (n, 5 strains, 14)."""


def chances(name: str, place: Place | str) -> Chances:
    """The forecast `single`, from a declarer's hand, or `pair`, from declarer's and dummy's."""
    if namespace(place) is np:
        network = getattr(Net.load(), name)

        def run(*masks: NDArray[np.int64]) -> Array:
            return network.chances(*(mask.astype(np.uint64) for mask in masks))

        return run
    return _on_device(name, place)


def _on_device(name: str, device: Place) -> Chances:
    import torch

    from tribridge.lab.training.forecast_net import Shape, SuitNet, bits

    weights = getattr(Net.load(), name).weights.items()
    arrays = {key: torch.from_numpy(np.ascontiguousarray(value.T)) for key, value in weights}
    layers = sum(key.startswith("others.") for key in arrays)
    hands = len(arrays["encoder.0.weight"].T) // 13
    shape = Shape(hands, len(arrays["own.0.bias"]), layers, len(arrays["encoder.0.bias"]))
    network = SuitNet(shape)
    network.load_state_dict(arrays)
    network.to(device).eval()

    @torch.no_grad()
    def run(*masks: Array) -> Array:
        return torch.softmax(network(bits(*masks)), -1)

    return run


Tricks = Callable[[Array], Array]
"""From hands (n, 4) to the chances of tricks (n, 3 declarers, 5 strains, 7 levels, 14); 1 level in
place of 7 if it makes no difference."""


def tricks_by_forecast(place: Place | str) -> Tricks:
    """Tricks by the forecast of the package, from declarer's hand and dummy."""
    pair = chances("pair", place)

    def tricks(hands: Array) -> Array:
        count, xp = len(hands), namespace(hands)
        dummies = xp.broadcast_to(hands[:, SEATS:], (count, SEATS)).reshape(-1)
        chance = pair(hands[:, :SEATS].reshape(-1), dummies)
        return chance.reshape(count, SEATS, STRAINS, 1, -1)

    return tricks


def forecast(place: Place | str) -> Expected:
    """A function from the masks of declarer's and dummy's hands to expected tricks."""
    pair = chances("pair", place)

    def expected(hands: Array, dummies: Array) -> Array:
        tricks = pair(hands, dummies)
        xp = namespace(tricks)
        return tricks @ xp.arange(tricks.shape[-1], dtype=tricks.dtype, device=tricks.device)

    return expected
