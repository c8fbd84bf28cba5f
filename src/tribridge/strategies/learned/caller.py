"""Bidding by a network trained by self-play (`training.bidding`); `releases` has the versions.

A version has one network that reads what contracts are worth at the table (`networks.stakes`),
under any scheme, with vulnerable players, or at the standing of a rubber, and that doubles and
redoubles.

Version 1 knows neither. Where doubles are played it does not see them, and a rule on top
(`or_double`) may turn its passes into doubles. It leaves its own bid as it is when it is doubled,
or redoubles by the same rule. There are weights for some scoring schemes (`WEIGHTS`); for any
other, and in a rubber, where games and part scores count, the caller `forecast` decides instead.

On a small deck `points` decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import exp
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK
from tribridge.cards.deals import Seat
from tribridge.common.errors import SettingError
from tribridge.common.sentences import clause, words
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Bid, Call
from tribridge.game.scoring import ALIASES, Scheme, find_scheme, scheme_names
from tribridge.game.views import View
from tribridge.networks.auction import (
    BIDS,
    STRAINS,
    by_call,
    call_number,
    expand,
    observe,
)
from tribridge.networks.network import F32
from tribridge.networks.stakes import Game, features, own_honours
from tribridge.strategies.callers.forecast import ForecastCaller
from tribridge.strategies.callers.points import RUBBER_FILES, PointsCaller
from tribridge.strategies.learned import STAKES, network
from tribridge.strategies.learned.releases import (
    ALL_STAKES,
    CALLER,
    CALLERS,
    FOLDER,
    CallerRelease,
)
from tribridge.strategies.parameters import RELEASE, option
from tribridge.strategies.protocol import Choice

if TYPE_CHECKING:
    from numpy.random import Generator

WEIGHTS: Final = CALLERS[1].by_scheme
"""The weights of version 1 for each scoring scheme that a network was trained for."""
SAMPLES: Final = 200
"""Layouts on which a double is weighed."""
UNITS: Final = np.array([[1.0], [20.0], [100.0]])
"""Points per unit of a call's preference, value and value as the contract, in version 1."""
STAKES_UNIT: Final = 5.0
"""Units per unit of its value as the contract."""
_MARKS: Final[dict[Call, int]] = {DOUBLE: 36, REDOUBLE: 37}
_RARE: Final = 0.01
"""A call chosen less often than this has no reliable value in self-play."""
_ALL: Final[tuple[Call, ...]] = (
    *(Bid(number // STRAINS + 1, FULL_DECK.strains[number % STRAINS]) for number in range(BIDS)),
    PASS,
)


@dataclass(frozen=True, slots=True)
class LearnedCaller:
    """Makes the call that a network prefers: one for all stakes, or that of the scheme."""

    name: ClassVar[str] = "learned"
    summary: ClassVar[str] = "makes the call a network trained by self-play prefers for the stakes"
    releases: ClassVar[Mapping[int, CallerRelease]] = CALLERS

    scheme: str = option("auction", "the scoring scheme of the points", choices=scheme_names())
    doubles: bool = option(True, "double and redouble where the table allows it")
    standing: bool = option(True, "in a rubber, play for its laws and standing, not the scheme")
    release: CallerRelease = field(default=CALLER, metadata=RELEASE)

    def __post_init__(self) -> None:
        if self.scheme in self.release.gone:
            raise SettingError(
                f"{self.name}@{self.version} bids no longer for the scheme {self.scheme!r}: "
                f"{self.name} bids for any"
            )

    @property
    def version(self) -> int:
        return self.release.version

    @property
    def for_all_stakes(self) -> str | None:
        """The file of its one network; None if it has some for single schemes."""
        return self.release.by_scheme.get(ALL_STAKES)

    @property
    def weights(self) -> tuple[str, ...]:
        """The files of the package that its choices depend on."""
        own = self.for_all_stakes or weights_for(find_scheme(self.scheme))
        others = RUBBER_FILES if self.for_all_stakes else ForecastCaller().weights
        return (*(() if own is None else (f"{FOLDER}/{own}",)), *others)

    def call(self, view: View, rng: Generator) -> Choice:
        if view.deck != FULL_DECK:
            return _by_points(view, rng)
        file = self.for_all_stakes
        return self._for_the_scheme(view, rng) if file is None else self._for_stakes(view, file)

    def _for_stakes(self, view: View, file: str) -> Choice:
        """The call of the network that reads what contracts are worth."""
        game = Game(find_scheme(self.scheme), None, view.vulnerable)
        if view.rubber is not None and self.standing:
            game = Game(view.rubber.laws.scheme, view.rubber)
        legal = [call for call in view.legal_calls if self.doubles or call not in _MARKS]
        if len(legal) == 1:
            return Choice(legal[0], words("Nothing can be bid over 7NT."))
        numbers = [_MARKS.get(call) or call_number(call) for call in legal]
        units = np.array([[1], [game.unit()], [STAKES_UNIT * game.unit()]])
        return _preferred(legal, answers_of(view, game, file)[:, numbers] * units)

    def _for_the_scheme(self, view: View, rng: Generator) -> Choice:
        """The call of the network for the scheme, with a rule for doubles on top."""
        scheme = find_scheme(self.scheme)
        file = weights_for(scheme)
        if view.rubber is not None and self.standing:
            why = "It has learned single deals only; in a rubber the forecast decides: {reason}"
            return _instead(why, ForecastCaller(doubles=self.doubles).call(view, rng))
        if file is None:
            why = "It has not learned the scheme {scheme}; the forecast decides: {reason}"
            caller = ForecastCaller(scheme=self.scheme, doubles=self.doubles)
            return _instead(why, caller.call(view, rng), scheme=self.scheme)
        choice = _single(view, file)
        return or_double(choice, view, rng, scheme) if self.doubles else choice


def _single(view: View, file: str) -> Choice:
    """The call of a network of version 1."""
    if view.auction.bidder is view.seat:  # doubled: a position that the network never saw
        last = view.auction.last_bid
        return Choice(PASS, f"The last bid, {last}, is already this player's.")
    above = observe(view).standing
    return _preferred(_ALL[above:], plain_answers([view], file)[:, 0, above:] * UNITS)


def weights_for(scheme: Scheme) -> str | None:
    """The file with the weights for a scoring scheme; None if no network was trained for it."""
    return WEIGHTS.get(ALIASES.get(scheme.name, scheme.name))


def plain_answers(views: Sequence[View], file: str) -> F32:
    """The answers of a network of version 1, for every call: (3 heads, views, 36)."""
    observations = np.array([observe(view) for view in views])
    answers: F32 = by_call(network(file)(*expand(observations, np.float32)))
    return answers


def calls_for(views: Sequence[View]) -> list[Call]:
    """The calls of version 1 for many views at once, on the full deck and without doubles."""
    if not views:
        return []
    calls = []
    for view, wish in zip(views, plain_answers(views, WEIGHTS["auction-tricks"])[0], strict=True):
        above = observe(view).standing
        calls.append(_ALL[above + int(wish[above:].argmax())])
    return calls


def answers_of(view: View, game: Game, file: str = STAKES) -> F32:
    """The answers of a network for stakes, for every call: (3 heads, 38)."""
    assert view.seat is not None
    stakes = np.concatenate([_features(game, view.seat), own_honours(game, view.dealt)], 1)
    suits, table = expand(np.array([observe(view)]), np.float32, stakes[None])
    answers: F32 = by_call(network(file)(suits, table))[:, 0]
    return answers


@lru_cache(64)
def _features(game: Game, seat: Seat) -> F32:
    return features(game, seat.index)


def _instead(why: str, choice: Choice, **fields: str) -> Choice:
    """Another caller's choice, and why it was made."""
    return replace(choice, reason=words(why, reason=clause(choice.reason), **fields))


def _by_points(view: View, rng: Generator) -> Choice:
    why = "It has learned from full decks only; counting points instead: {reason}"
    return _instead(why, PointsCaller().call(view, rng))


def _preferred(legal: Sequence[Call], answers: F32 | NDArray[np.float64]) -> Choice:
    """The call that is preferred, given preference, points and points as the contract."""
    wish, worth, contract = answers.tolist()
    best = wish.index(max(wish))
    reason = _reason(legal, best, wish, worth, contract)
    return Choice(legal[best], reason, {"points": worth[best]})


def _reason(
    legal: Sequence[Call],
    best: int,
    wish: list[float],
    worth: list[float],
    contract: list[float],
) -> str:
    """The value of the best two calls: in self-play, or as the contract if the call is rare."""
    if len(legal) == 1:
        return words("Nothing can be bid over 7NT.")
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


def or_double(choice: Choice, view: View, rng: Generator, scheme: Scheme) -> Choice:
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
        scheme=scheme,
        samples=SAMPLES,
        seed=int(rng.integers(2**32)),
        vulnerable=view.vulnerable,
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
