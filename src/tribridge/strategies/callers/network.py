"""A trained bidding network, run with NumPy in about a tenth of a millisecond.

All that the network sees of an auction is zeros and ones, `INPUTS` of them: the cards of the hand,
the position, the standing bid, who made it, and every seat's bids and passes. Its first layer is
linear in them, so each has a row of what it adds to the four suits, and the first layer of an
observation is the sum of some twenty rows. The rows come from `observation.features`, which stays
the only definition of what is seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.strategies.callers.observation import (
    BIDS,
    CALLS,
    LEVELS,
    NOBODY,
    RANKS,
    SEATS,
    STRAINS,
    SUIT_FEATURES,
    SUITS,
    TABLE_FEATURES,
    Observation,
    features,
)
from tribridge.strategies.players.learned.network import F32, SuitNetwork, load_network

HEADS: Final = 3
"""For each call: preference, points if it is made, points if it becomes the contract at once."""
OUTPUTS: Final = HEADS * (LEVELS + LEVELS + 1)
"""For each suit: the levels of each head in that suit, then levels in notrump and the pass."""

_OWN: Final = HEADS * LEVELS
_PLACE_COUNT: Final = SUITS * _OWN + OUTPUTS - _OWN
_POSITION: Final = SUITS * RANKS
_STANDING: Final = _POSITION + SEATS
_BIDDER: Final = _STANDING + CALLS
_MADE: Final = _BIDDER + SEATS + 1
_PASSED: Final = _MADE + SEATS * BIDS
INPUTS: Final = _PASSED + SEATS * CALLS


def active(observation: Observation) -> list[int]:
    """The indices of the inputs that are 1."""
    hand, position, standing, bidder, bids, passes = observation
    result = [*_bits(hand, 0), _POSITION + position, _STANDING + standing, _BIDDER + bidder]
    for seat in range(SEATS):
        result += _bits(bids[seat], _MADE + BIDS * seat)
        result += _bits(passes[seat], _PASSED + CALLS * seat)
    return result


def _bits(mask: int, start: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield start + lowest.bit_length() - 1
        mask ^= lowest


@dataclass(frozen=True, eq=False)
class BiddingNetwork:
    """The weights of a bidding network, arranged for one observation at a time."""

    start: F32
    """The first layer's output for an empty input: (4 suits x width,)."""
    inputs: F32
    """What each input adds to it: (INPUTS, 4 x width)."""
    layers: tuple[tuple[F32, F32, F32], ...]
    """For a suit's own values, the bias, and for the sum of the four suits."""
    out: tuple[F32, F32, F32]
    """The same for the answers; those that the suits share depend on the sum alone."""

    @classmethod
    def of(cls, network: SuitNetwork) -> BiddingNetwork:
        def first(observation: Observation) -> F32:
            suits, table = features(observation)
            values: F32 = suits @ network.suit_in
            values += network.suit_in_bias + table @ network.table_in
            return values.reshape(-1)

        start = first(_NOTHING)
        rows = np.stack([first(_alone(number)) for number in range(INPUTS)]) - start
        others = [_quarter(part) for part in network.others]
        layers = tuple(zip(network.own, network.own_bias, others, strict=True))
        own, shared = np.split(network.out, [_OWN], 1)
        summed = _quarter(network.out_others)
        summed[:, _OWN:] += _quarter(shared)
        return cls(start, rows, layers, (np.ascontiguousarray(own), network.out_bias, summed))

    def __call__(self, observation: Observation) -> F32:
        """The answers for every call: (3 heads, 36)."""
        x: F32 = np.add.reduce(self.inputs.take(active(observation), 0), 0)
        x += self.start
        x = x.reshape(SUITS, -1)
        np.maximum(x, 0, out=x)
        for own, bias, others in self.layers:
            step: F32 = x @ own
            step += np.add.reduce(x, 0) @ others + bias
            np.maximum(step, 0, out=step)
            x += step
        out, bias, others = self.out
        shared: F32 = np.add.reduce(x, 0) @ others
        shared += bias
        answers = np.empty(_PLACE_COUNT, np.float32)
        np.add(x @ out, shared[:_OWN], out=answers[: SUITS * _OWN].reshape(SUITS, _OWN))
        answers[SUITS * _OWN :] = shared[_OWN:]
        calls: F32 = answers.take(_PLACES)
        return calls

    def batch(self, observations: Sequence[Observation]) -> F32:
        """The answers for many observations at once: (observations, 3 heads, 36)."""
        count = len(observations)
        given = np.zeros((count, INPUTS), np.float32)
        for row, observation in zip(given, observations, strict=True):
            row[active(observation)] = 1
        x: F32 = (given @ self.inputs + self.start).reshape(count, SUITS, -1)
        np.maximum(x, 0, out=x)
        for own, bias, others in self.layers:
            step: F32 = x @ own + (x.sum(1) @ others + bias)[:, None]
            x += np.maximum(step, 0, out=step)
        out, bias, others = self.out
        shared: F32 = x.sum(1) @ others + bias
        suits = (x @ out + shared[:, None, :_OWN]).reshape(count, -1)
        answers: F32 = np.concatenate([suits, shared[:, _OWN:]], 1)
        return answers[:, _PLACES]


_NOTHING: Final = Observation(0, 0, 0, NOBODY, (0, 0, 0), (0, 0, 0))


def _alone(number: int) -> Observation:
    """A single active input."""
    if number < _POSITION:
        return _NOTHING._replace(hand=1 << number)
    if number < _STANDING:
        return _NOTHING._replace(position=number - _POSITION)
    if number < _BIDDER:
        return _NOTHING._replace(standing=number - _STANDING)
    if number < _MADE:
        return _NOTHING._replace(bidder=number - _BIDDER)
    if number < _PASSED:
        seat, bit = divmod(number - _MADE, BIDS)
        return _NOTHING._replace(bids=_seat_mask(seat, bit))
    seat, bit = divmod(number - _PASSED, CALLS)
    return _NOTHING._replace(passes=_seat_mask(seat, bit))


def _seat_mask(seat: int, bit: int) -> tuple[int, int, int]:
    first, second, third = ((1 << bit) * (at == seat) for at in range(SEATS))
    return first, second, third


def _quarter(weights: F32) -> F32:
    """Weights for a mean of the suits as weights for their sum."""
    result: F32 = weights / np.float32(SUITS)
    return result


def _places() -> NDArray[np.intp]:
    """Where each head's answer for each call stands: the four suits' own ones, then the shared."""
    places = np.empty((HEADS, CALLS), np.intp)
    for head in range(HEADS):
        shared = SUITS * _OWN + (LEVELS + 1) * head
        for level in range(LEVELS):
            for suit in range(SUITS):
                places[head, STRAINS * level + suit] = _OWN * suit + LEVELS * head + level
            places[head, STRAINS * level + SUITS] = shared + level
        places[head, BIDS] = shared + LEVELS
    return places


_PLACES: Final = _places()


def load(file: IO[bytes], name: str) -> BiddingNetwork:
    """The network of a training's `bidding.npz`; anything else is refused."""
    network = load_network(
        file,
        f"{name}: not the weights of a bidding network",
        suit=SUIT_FEATURES,
        table=TABLE_FEATURES,
        outputs=OUTPUTS,
    )
    return BiddingNetwork.of(network)
