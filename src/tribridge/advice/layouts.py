"""Layouts of the cards that a player does not see, and how well they fit the calls.

**Layouts.** The unknown cards are dealt at random, every way as likely as any other, to the player
on the left, the player on the right and the hidden hand, which stays where it is if it is known.

**Calls.** A layout is weighted by how likely its hands make the calls that were heard. The model is
kept simple, and asks a caller's own hand alone (`Forecaster.from_hand`):

- *willing* to bid b is a logistic function of the chance that the hand gives it, one half at a
  chance of one half, steep over a tenth;
- a *bid* is as likely as the caller is willing, and less by a factor e for every trick that his
  expected tricks in its strain are behind those in his best strain;
- a *pass* is as likely as he is unwilling to make the best of his lowest sufficient bids;
- whatever the hand, there is a floor of 5% under both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import FULL_DECK, Hand, Strain, cards_of
from tribridge.deals import Seat
from tribridge.errors import SettingError
from tribridge.forecast.distribution import at_least, means
from tribridge.forecast.kinds import Forecaster
from tribridge.game.auction import Auction, Bid

U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]

STEEP: Final = 0.1
FLOOR: Final = 0.05
_SIZE: Final = FULL_DECK.hand_size


@dataclass(frozen=True, eq=False)
class Layouts:
    """Sampled hands of the left, the right and the hidden hand, with weights that add up to 1."""

    left: U64
    right: U64
    hidden: U64
    weights: F64

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def effective(self) -> float:
        """How many equally weighted layouts would say as much."""
        return float(1 / (self.weights**2).sum())

    def seat(self, own: Seat, other: Seat) -> U64:
        """The hands of another seat, seen from one's own."""
        return self.left if other is own.left else self.right


def sample(hand: Hand, hidden: Hand | None, count: int, rng: np.random.Generator) -> Layouts:
    """Layouts around a hand, every one as likely as any other."""
    if count < 1:
        raise SettingError(f"{count} layouts cannot be dealt: at least one is needed")
    known = hand if hidden is None else hand | hidden
    rest = np.array([card.bit for card in cards_of(FULL_DECK.mask & ~known.mask)], np.uint64)
    mixed = rng.permuted(np.tile(rest, (count, 1)), axis=1)
    parts = [
        np.bitwise_or.reduce(mixed[:, at : at + _SIZE], axis=1) for at in range(0, len(rest), _SIZE)
    ]
    if hidden is not None:
        parts.append(np.full(count, hidden.mask, np.uint64))
    return Layouts(parts[0], parts[1], parts[2], np.full(count, 1 / count))


def weigh(layouts: Layouts, auction: Auction, own: Seat, forecaster: Forecaster) -> Layouts:
    """The layouts weighted by how likely they lead the other players to their calls."""
    weights = layouts.weights.copy()
    for seat in (own.left, own.right):
        heard = list(_calls_of(auction, seat))
        if not heard:
            continue
        chances = forecaster.from_hand(layouts.seat(own, seat))
        for call, before in heard:
            weights *= likelihood(chances, call, before)
    return Layouts(layouts.left, layouts.right, layouts.hidden, weights / weights.sum())


def _calls_of(auction: Auction, seat: Seat) -> Iterator[tuple[Bid | None, Bid | None]]:
    """What a seat called (None: no bid), each with the highest bid before it."""
    standing: Bid | None = None
    for at, call in enumerate(auction.calls):
        bid = call if isinstance(call, Bid) else None
        if Seat((auction.dealer + at) % 3) is seat:
            yield bid, standing
        standing = bid or standing


def likelihood(chances: NDArray[Any], call: Bid | None, standing: Bid | None) -> F64:
    """How likely hands with such forecasts (n, 5, 14) make a bid, or pass (None)."""
    reach = at_least(chances)
    expected = means(chances)
    if call is not None:
        behind = expected[:, call.strain] - expected.max(axis=1)
        made = _willing(reach[:, call.strain, FULL_DECK.book + call.level]) * np.exp(behind)
    else:
        lowest = [lowest_bid(strain, standing) for strain in Strain]
        offers = [
            _willing(reach[:, bid.strain, FULL_DECK.book + bid.level])
            for bid in lowest
            if bid is not None
        ]
        made = 1 - np.max(offers, axis=0) if offers else np.ones(len(reach))
    return np.asarray(FLOOR + (1 - FLOOR) * made)


def lowest_bid(strain: Strain, standing: Bid | None) -> Bid | None:
    """The lowest bid in a strain over a standing one; None above the ceiling."""
    if standing is None:
        return Bid(1, strain)
    level = standing.level + (strain <= standing.strain)
    return Bid(level, strain) if level <= FULL_DECK.levels else None


def _willing(chance: F64) -> F64:
    return np.asarray(1 / (1 + np.exp((0.5 - chance) / STEEP)))
