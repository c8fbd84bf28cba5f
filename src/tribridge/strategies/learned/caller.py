"""Bidding by a network trained by self-play (`training.bidding`).

Version 2 is one network that reads what contracts are worth at the table (`networks.stakes`), under
any scheme, with vulnerable players, or at the standing of a rubber. It doubles and redoubles.

Version 1 knows neither. Where doubles are played it does not see them, and a rule on top
(`or_double`) may turn its passes into doubles. It leaves its own bid as it is when it is doubled,
or redoubles by the same rule. There are weights for some scoring schemes (`WEIGHTS`); for any
other, and in a rubber, where games and part scores count, the caller `forecast` decides instead.

On a small deck `points` decides. `LearnedCaller` is the version that plain `learned` stands for;
each is also found by its number, as `learned@2`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from math import exp
from typing import IO, TYPE_CHECKING, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import FULL_DECK
from tribridge.deals import Seat
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Bid, Call
from tribridge.game.scoring import ALIASES, find_scheme, scheme_names
from tribridge.game.views import View
from tribridge.networks.auction import (
    BIDS,
    CALLS,
    KIND,
    NOBODY,
    PLAIN,
    RANKS,
    SEATS,
    STAKES_KIND,
    STRAINS,
    SUITS,
    Observation,
    by_call,
    call_number,
    expand,
    observe,
)
from tribridge.networks.network import F32, SuitNetwork, load_network
from tribridge.networks.stakes import Game, features, own_honours
from tribridge.once import once
from tribridge.strategies.callers.forecast import ForecastCaller
from tribridge.strategies.callers.points import RUBBER_FILES, PointsCaller
from tribridge.strategies.parameters import option
from tribridge.strategies.players.maxims.player import clause
from tribridge.strategies.protocol import Choice

if TYPE_CHECKING:
    from numpy.random import Generator

WEIGHTS: Final = {
    "auction-tricks": "data/bidding.npz",
    "contract": "data/bidding-contract.npz",
    "new": "data/bidding-new.npz",
    "old": "data/bidding-old.npz",
}
"""The weights for each scoring scheme that a network was trained for."""
SAMPLES: Final = 200
"""Layouts on which a double is weighed."""
UNIT: Final = 20.0
"""Points per unit of a call's value."""
CONTRACT_UNIT: Final = 100.0
"""Points per unit of its value as the contract."""
STAKES: Final = "data/stakes.npz"
"""The weights of the network for stakes."""
STAKES_UNIT: Final = 5.0
"""Units per unit of its value as the contract."""
_MARKS: Final[dict[Call, int]] = {DOUBLE: 36, REDOUBLE: 37}
_RARE: Final = 0.01
"""A call chosen less often than this has no reliable value in self-play."""
_ALL: Final[tuple[Call, ...]] = (
    *(Bid(number // STRAINS + 1, FULL_DECK.strains[number % STRAINS]) for number in range(BIDS)),
    PASS,
)
_SIZES: Final = (SUITS * RANKS, SEATS, CALLS, SEATS + 1, *[BIDS] * SEATS, *[CALLS] * SEATS)
"""How many inputs each number of an observation has."""
_STARTS: Final = np.cumsum([0, *_SIZES]).tolist()


def active(observation: Observation) -> list[int]:
    """The indices of the inputs that are 1."""
    result = list(_bits(observation.hand, 0))
    result += [start + value for start, value in zip(_STARTS[1:4], observation[1:4], strict=True)]
    for mask, start in zip(observation[4:PLAIN], _STARTS[4:-1], strict=True):
        result += _bits(mask, start)
    return result


def _bits(mask: int, start: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield start + lowest.bit_length() - 1
        mask ^= lowest


def _single_inputs() -> NDArray[np.int64]:
    """Observations with a single active input each, and at last one with none."""
    rows = np.zeros((_STARTS[-1] + 1, len(_SIZES)), np.int64)
    rows[:, 3] = NOBODY
    for column, (start, size) in enumerate(zip(_STARTS[:-1], _SIZES, strict=True)):
        numbers = np.arange(size)
        rows[start : start + size, column] = numbers if 1 <= column <= 3 else 1 << numbers
    return rows


@dataclass(frozen=True, eq=False)
class BiddingNetwork:
    """A bidding network that answers one observation in about a tenth of a millisecond.

    All that it sees is zeros and ones, and its first layer is linear in them. So each input has a
    row of what it adds to the four suits, and an observation's first layer is the sum of some
    twenty rows.
    """

    network: SuitNetwork
    start: F32
    """The first layer's output for an empty input: (4 suits x width,)."""
    inputs: F32
    """What each input adds to it: (inputs, 4 x width)."""

    @classmethod
    def of(cls, network: SuitNetwork) -> BiddingNetwork:
        single = _single_inputs()
        *rows, start = network.first(*expand(single, np.float32)).reshape(len(single), -1)
        return cls(network, start, np.stack(rows) - start)

    def __call__(self, observations: Sequence[Observation]) -> F32:
        """The answers for every call: (3 heads, observations, 36)."""
        rows = [np.add.reduce(self.inputs.take(active(seen), 0), 0) for seen in observations]
        x: F32 = np.stack(rows) + self.start
        answers: F32 = by_call(self.network.after_first(x.reshape(SUITS * len(x), -1), len(x)))
        return answers


def load(file: IO[bytes], name: str) -> BiddingNetwork:
    """The network of a training's `bidding.npz`; anything else is refused."""
    return BiddingNetwork.of(load_network(file, name, KIND))


def weights_for(scheme: str) -> str | None:
    """The file with the weights for a scoring scheme; None if no network was trained for it."""
    return WEIGHTS.get(ALIASES.get(scheme, scheme))


@once
def network(name: str = "data/bidding.npz") -> BiddingNetwork:
    """The network of a file in the package."""
    with resources.files(__package__).joinpath(name).open("rb") as file:
        return load(file, name)


@dataclass(frozen=True, slots=True)
class PlainCaller:
    """Makes the call that the network for a scheme prefers."""

    name: ClassVar[str] = "learned"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = "makes the call a network trained by self-play prefers"

    scheme: str = option("auction", "the scoring scheme of the points", choices=scheme_names())
    doubles: bool = option(True, "double and redouble where the table allows it, by a rule on top")
    standing: bool = option(True, "in a rubber, let the caller forecast play for laws and standing")

    @property
    def weights(self) -> tuple[str, ...]:
        """The files of the package that its choices depend on."""
        own = weights_for(self.scheme)
        return (f"strategies/learned/{own}",) * (own is not None) + ForecastCaller().weights

    def call(self, view: View, rng: Generator) -> Choice:
        file = weights_for(self.scheme)
        if view.deck != FULL_DECK:
            return _by_points(view, rng)
        if view.rubber is not None and self.standing:
            why = "The network only knows single deals; in a rubber the forecast decides"
            instead = ForecastCaller(doubles=self.doubles).call(view, rng)
            return replace(instead, reason=f"{why}: {clause(instead.reason)}")
        if file is None:
            why = f"No network was trained for the scheme {self.scheme}; the forecast decides"
            instead = ForecastCaller(scheme=self.scheme, doubles=self.doubles).call(view, rng)
            return replace(instead, reason=f"{why}: {clause(instead.reason)}")
        choice = self._by_network(view, network(file))
        return or_double(choice, view, rng, self.scheme) if self.doubles else choice

    def _by_network(self, view: View, network: BiddingNetwork) -> Choice:
        if view.auction.bidder is view.seat:  # doubled: a position that the network never saw
            last = view.auction.last_bid
            return Choice(PASS, f"The last bid, {last}, is already this player's.")
        seen = observe(view)
        answers = network([seen])[:, 0, seen.standing :]
        return _preferred(_ALL[seen.standing :], answers * [[1], [UNIT], [CONTRACT_UNIT]])


@dataclass(frozen=True, slots=True)
class StakesCaller:
    """Makes the call that the network for all stakes prefers."""

    name: ClassVar[str] = "learned"
    version: ClassVar[int] = 2
    summary: ClassVar[str] = "makes the call a network trained by self-play prefers for the stakes"

    scheme: str = option("auction", "the scoring scheme of the points", choices=scheme_names())
    doubles: bool = option(True, "double and redouble where the table allows it")
    standing: bool = option(True, "in a rubber, play for its laws and standing, not the scheme")

    @property
    def weights(self) -> tuple[str, ...]:
        """The files of the package that its choices depend on."""
        return (f"strategies/learned/{STAKES}", *RUBBER_FILES)

    def call(self, view: View, rng: Generator) -> Choice:
        if view.deck != FULL_DECK:
            return _by_points(view, rng)
        game = Game(find_scheme(self.scheme), None, view.vulnerable)
        if view.rubber is not None and self.standing:
            game = Game(view.rubber.laws.scheme, view.rubber)
        legal = [call for call in view.legal_calls if self.doubles or call not in _MARKS]
        if len(legal) == 1:
            return Choice(legal[0], "Nothing can be bid over 7NT.")
        numbers = [_MARKS.get(call) or call_number(call) for call in legal]
        units = np.array([[1], [game.unit()], [STAKES_UNIT * game.unit()]])
        return _preferred(legal, answers_of(view, game)[:, numbers] * units)


LearnedCaller = PlainCaller
"""The version that plain `learned` stands for."""


def answers_of(view: View, game: Game) -> F32:
    """The answers of the network for stakes, for every call: (3 heads, 38)."""
    assert view.seat is not None
    stakes = np.concatenate([_features(game, view.seat), own_honours(game, view.dealt)], 1)
    suits, table = expand(np.array([observe(view)]), np.float32, stakes[None])
    answers: F32 = by_call(stakes_network()(suits, table))[:, 0]
    return answers


@lru_cache(64)
def _features(game: Game, seat: Seat) -> F32:
    return features(game, seat.index)


@once
def stakes_network() -> SuitNetwork:
    """The network for stakes."""
    with resources.files(__package__).joinpath(STAKES).open("rb") as file:
        return load_network(file, STAKES, STAKES_KIND)


def _by_points(view: View, rng: Generator) -> Choice:
    choice = PointsCaller().call(view, rng)
    why = "The network only knows the full deck; counting points instead"
    return Choice(choice.action, f"{why}: {clause(choice.reason)}")


def _preferred(legal: Sequence[Call], answers: F32 | NDArray[np.float64]) -> Choice:
    """The call that is preferred, given preference, points and points as the contract."""
    wish, worth, contract = answers.tolist()
    best = wish.index(max(wish))
    reason = _reason(legal, best, wish, worth, contract)
    return Choice(legal[best], reason, {"points": worth[best]})


def calls_for(views: Sequence[View]) -> list[Call]:
    """The network's calls for many views at once, on the full deck and without doubles."""
    if not views:
        return []
    observations = [observe(view) for view in views]
    wishes = network()(observations)[0]
    return [
        _ALL[seen.standing + int(wish[seen.standing :].argmax())]
        for seen, wish in zip(observations, wishes, strict=True)
    ]


def _reason(
    legal: Sequence[Call],
    best: int,
    wish: list[float],
    worth: list[float],
    contract: list[float],
) -> str:
    """The value of the best two calls: in self-play, or as the contract if the call is rare."""
    if len(legal) == 1:
        return "Nothing can be bid over 7NT."
    reason = f"{legal[best]} averages {worth[best]:+.1f} points in self-play"
    chances = [exp(value - wish[best]) for value in wish]
    total = sum(chances)
    second = _best_but(best, chances)
    if chances[second] >= _RARE * total:
        return (
            f"{reason} and is chosen {1 / total:.0%} of the time, {legal[second]} "
            f"{worth[second]:+.1f} and {chances[second] / total:.0%}."
        )
    second = _best_but(best, contract)
    points = f"is worth {contract[second]:+.1f} as the contract"
    return f"{reason}; {'what stands' if legal[second] is PASS else legal[second]} {points}."


def _best_but(best: int, values: list[float]) -> int:
    """The index of the second-largest value."""
    return max((at for at in range(len(values)) if at != best), key=values.__getitem__)


def or_double(choice: Choice, view: View, rng: Generator, scheme: str = "auction") -> Choice:
    """The choice, or a double or redouble in place of a pass.

    The bid that stands is valued by `advice.calls`: declarer's tricks over layouts weighted by the
    auction, with the caller's own cards taken into account. If doubling the stakes should gain more
    than `DOUBLE_MARGIN` points over a pass, it doubles or redoubles.
    """
    legal = view.auction.legal
    stakes = DOUBLE in legal or REDOUBLE in legal
    if choice.action is not PASS or not stakes or view.deck != FULL_DECK:
        return choice
    from tribridge.advice.calls import DOUBLE_MARGIN, advise

    advised = advise(
        view.dealt,
        auction=view.auction,
        scheme=find_scheme(scheme),
        samples=SAMPLES,
        seed=int(rng.integers(2**32)),
    )
    passing = advised.passing.expected
    for mark, prospect in advised.doubling.items():
        if prospect.expected > passing + DOUBLE_MARGIN:
            reason = (
                f"{view.auction.last_bid} makes {prospect.chance or 0:.0%} of the time: this "
                f"averages {prospect.expected:+.1f} points, a pass {passing:+.1f}."
            )
            return Choice(mark, reason, {"points": prospect.expected})
    return choice
