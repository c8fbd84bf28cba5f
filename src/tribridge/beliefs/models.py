"""Explicit models of how players call and play, for soft evidence.

A model answers one question: with this hand, how likely was that action? Bayes' rule does the
rest. Models are evaluated on many hands at once and never exclude anything: `Beliefs` mixes each
with actions that ignore the cards (its floor).

- `PointCalls`: a bidder who counts honour points and suit lengths, expects the tricks that such
  hands took double dummy on the training deals, and prefers calls with more expected points by the
  scheme or the laws of the table.
- `ForecastCalls`: a bidder who forecasts tricks from their own hand and bids what should make.
- `CaptureCalls`: the paper's bidder, who bids notrump as high as Algorithm 1's captures allow.
- `RandomPlays`: any legal card, all equally likely. Even that is evidence: a player with fewer
  cards to choose from was more likely to play that very card (restricted choice).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, NamedTuple, Protocol

import numpy as np

from tribridge.cards.cards import FULL_DECK, Card, Deck, Strain
from tribridge.cards.deals import Seat
from tribridge.cards.masks import F64, I64, U64, honour_points, legal, lengths, popcount
from tribridge.common.errors import SettingError
from tribridge.forecast.defence import DEFENCE_KINDS, Opponent, chances_against, opponent
from tribridge.forecast.distribution import TRICKS, at_least, means, normal_chances
from tribridge.forecast.kinds import DEFAULT, find_forecaster
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Auction, Bid, Call, Contract, Mark
from tribridge.game.position import Position
from tribridge.game.rubber_worth import contract_worth
from tribridge.game.scoring import Scheme
from tribridge.game.standing import RubberState
from tribridge.game.tricks import Chair
from tribridge.game.views import View

SUIT_TRICKS: Final = (1.348, 0.2563, 0.7311)
"""Tricks with a trump suit: constant, tricks per honour point, tricks per trump."""
NOTRUMP_TRICKS: Final = (2.605, 0.3400)
"""Tricks in notrump: constant, tricks per honour point."""
TRICKS_SD: Final = (2.346, 2.377)
"""Standard deviations around these lines: suits, notrump. All three were fitted by `tribridge train
estimators` to the training deals, `data/labels-7.parquet`."""
DEFENDED_TRICKS: Final = (7.9, -0.22, -0.37)
"""`PointCalls`: tricks of an opponent who has bid, against a defender with 10 honour points and 3
trumps; for each point more, for each trump more. Rounded from the lines of the caller `points`."""
TEMPERATURE: Final = 0.2
"""`PointCalls`: in units of the spread of payoffs. This and the optimism were chosen by the log
score of training auctions (`benchmarks/beliefs.py auctions --seed 900`)."""

MEAN_TRICKS: Final = 6.0
"""Declarer's tricks against an average defender, about the same in all strains."""
DOUBLED: Final = 1.5
"""`ForecastCalls`: a hand that lowers them by so much doubles half of the time ..."""
DOUBLED_SCALE: Final = 0.5
"""... and the scale of the logistic function around it, in tricks."""

_MOST_POINTS: Final = 37
_LEVELS: Final = 7
_REDOUBLED: Final = 4
"""The factor of a redoubled contract, beyond which nothing goes."""
_MOST_TRICKS: Final = 20
"""The end of the scale of expected tricks, which goes beyond what can be won ..."""
_PER_TRICK: Final = 10
"""... and its places per trick."""
_TYPICAL: Final = (slice(None), slice(4), slice(5, 11))
"""Strains, levels and tricks over which the spread of payoffs is taken."""
_STEEPEST: Final = 300.0
_LEVEL_SHARE: Final = 0.3
"""The temperature of the choice of a level, as a share of that of the strain."""
_RISE: Final = 0.6
"""Times the level, what a trick more in hand adds at least to the log odds of the next level."""
_OPTIMISM: Final = np.arange(-3, 9)
"""Tricks by which a player may expect more, or less, than the lines say ..."""
_CHANCES: Final = np.exp(-(_OPTIMISM**2) / 2) / np.exp(-(_OPTIMISM**2) / 2).sum()
"""... and how likely that is: a standard normal distribution."""


class CallModel(Protocol):
    """How a player calls."""

    def likelihood(self, hands: U64, seat: Seat, auction: Auction, call: Call) -> F64:
        """For each hand (as dealt), the chance that its player makes this call in this auction."""
        ...


class PlayModel(Protocol):
    """How a player plays."""

    def likelihood(self, held: U64, position: Position, card: Card) -> F64:
        """For each hand (the player's cards left), the chance that the player plays this card.

        The position is the play before the card, as a kibitzer sees it. Declarer plays dummy's
        cards too: there the hands are declarer's, and the card is dummy's.
        """
        ...


def playable(held: U64, position: Position) -> U64:
    """The cards that may be played, for each hand of the player whose turn it is."""
    led = position.trick[0].suit if position.trick else None
    if position.chair is Chair.DUMMY:
        return legal(np.full_like(held, position.dummy), led)
    return legal(held, led)


@dataclass(frozen=True, slots=True)
class RandomPlays:
    """All legal cards are equally likely."""

    def likelihood(self, held: U64, position: Position, card: Card) -> F64:
        """One over the number of legal cards."""
        return 1.0 / popcount(playable(held, position))


@dataclass(frozen=True, slots=True)
class PointCalls:
    """A player who counts points, prefers calls with more expected points, and may be optimistic.

    - *Tricks* are normally distributed around a linear function of honour points and trumps, with
      the spread of the training deals. They are worth what the table pays: in a rubber by its laws
      and standing, otherwise by a scheme (None: `auction`) and vulnerability.
    - *Optimism*: the player may expect more or fewer tricks than that, with a standard deviation of
      one. So a bid that is too high for any hand still shows the best of them.
    - *The strain, a pass or a double* is chosen with probability proportional to exp(expected
      points / temperature); a strain counts with all its sufficient bids. A pass is worth 0, or
      half of what declarer loses in the standing contract, with tricks that depend on the
      defender's points and trumps. `temperature` is in units of how far payoffs spread.
    - *The level* is chosen in the same way among the bids in that strain, with more care, and a
      step up is always more likely with more tricks (where it brings nothing, as from 3NT to 4NT,
      it would not be). So with every level the tricks that the hand expects rise.
    """

    rubber: RubberState | None = None
    scheme: Scheme | None = None
    vulnerable: tuple[Seat, ...] = ()
    temperature: float = TEMPERATURE

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise SettingError(f"the temperature must be greater than 0, not {self.temperature}")

    def likelihood(self, hands: U64, seat: Seat, auction: Auction, call: Call) -> F64:
        """The chance of the strain (or of a pass or double), times that of the level."""
        _check_full(auction.deck, "PointCalls")
        last = auction.last_bid
        options = _options(self, seat, last, auction.bidder, auction.factor)
        points = honour_points(hands)
        trumps = [*lengths(hands).T, np.zeros_like(points)]
        places = [_places(strain)[points, trumps[strain]] for strain in Strain]
        appeals: dict[Strain | Mark, F64] = {PASS: np.ones((1, 1))}
        for strain, table in options.strains.items():
            appeals[strain] = table[places[strain]]
        for mark, table in options.marks.items():
            if last is not None and mark in auction.legal:
                own = auction.bidder is seat
                appeals[mark] = (
                    table[places[last.strain]] if own else table[points, trumps[last.strain]]
                )
        total = sum(appeals.values(), np.zeros((len(hands), len(_OPTIMISM))))
        chance = appeals[call.strain if isinstance(call, Bid) else call] / total @ _CHANCES
        if isinstance(call, Bid):
            chance *= options.levels[call.strain][places[call.strain], call.level - 1]
        return np.asarray(chance)


def call_model(view: View) -> PointCalls | None:
    """The model of calls for a table, wherever layouts are weighted; None on a small deck."""
    if view.deck != FULL_DECK:
        return None
    return PointCalls(view.rubber, view.scheme, view.vulnerable)


@dataclass(frozen=True, slots=True)
class ForecastCalls:
    """Bids contracts that, by a forecast from the caller's own hand, are likely to make.

    - *Willingness* to bid is a logistic function of the contract's chance: one half at a chance of
      one half, with scale `steep`.
    - The likelihood of a *bid* is the willingness to make it, reduced by a factor of e for every
      trick that its strain is expected to fall short of the best strain.
    - The likelihood of a *pass* is one minus the greatest willingness among the lowest sufficient
      bids.
    - The likelihood of a *double* is a logistic function of the tricks by which the hand, as a
      defender's, lowers those of a declarer: one half at `DOUBLED`. That of a *redouble* is the
      willingness to bid the contract.
    - All have a floor of `least`, whatever the hand.

    The likelihoods of all calls do not add up to 1, and the floor of `Beliefs` is not needed.
    """

    kind: str = DEFAULT
    steep: float = 0.1
    least: float = 0.05

    def likelihood(self, hands: U64, seat: Seat, auction: Auction, call: Call) -> F64:
        """How well the call fits the forecasts of each hand."""
        _check_full(auction.deck, "ForecastCalls")
        reach, expected = _forecasts(self.kind, hands.tobytes())
        book = auction.deck.book
        if call is DOUBLE and auction.last_bid is not None and auction.bidder is not None:
            side = opponent(seat, auction.bidder)
            tricks = _defended(self.kind, side, hands.tobytes())[:, auction.last_bid.strain]
            fits = 1 / (1 + np.exp((tricks - (MEAN_TRICKS - DOUBLED)) / DOUBLED_SCALE))
        elif call is REDOUBLE and auction.last_bid is not None:
            fits = self._willing(reach[:, auction.last_bid.strain, book + auction.last_bid.level])
        elif isinstance(call, Bid):
            behind = expected[:, call.strain] - expected.max(axis=1)
            fits = self._willing(reach[:, call.strain, book + call.level]) * np.exp(behind)
        else:
            lowest = {bid.strain: bid for bid in reversed(auction.legal) if isinstance(bid, Bid)}
            offers = [
                self._willing(reach[:, bid.strain, book + bid.level]) for bid in lowest.values()
            ]
            fits = 1 - np.max(offers, axis=0) if offers else np.ones(len(hands))
        return np.asarray(self.least + (1 - self.least) * fits)

    def _willing(self, chance: F64) -> F64:
        return np.asarray(1 / (1 + np.exp((0.5 - chance) / self.steep)))


@lru_cache(maxsize=4)
def _forecasts(kind: str, hands: bytes) -> tuple[F64, F64]:
    """Chances of at least n tricks, and expected tricks; cached for a player's next call."""
    chances = find_forecaster(kind).from_hand(np.frombuffer(hands, np.uint64))
    return at_least(chances), means(chances)


@lru_cache(maxsize=4)
def _defended(kind: str, declarer: Opponent, hands: bytes) -> F64:
    """Declarer's expected tricks in each strain, from each hand as a defender's: (n, 5)."""
    kind = kind if kind in DEFENCE_KINDS else DEFAULT
    return means(chances_against(np.frombuffer(hands, np.uint64), declarer, kind))


@dataclass(frozen=True, slots=True)
class CaptureCalls:
    """The paper's bidder: notrump up to captures minus six, all legal levels equally likely."""

    def likelihood(self, hands: U64, seat: Seat, auction: Auction, call: Call) -> F64:
        """Uniform over the notrump bids that the captures allow; a pass if there are none."""
        from tribridge.capture.simulation.arrays import single

        _check_full(auction.deck, "CaptureCalls")
        level = np.maximum(single(hands).captures - auction.deck.book, 0)
        lowest = min(
            (c.level for c in auction.legal if isinstance(c, Bid) and c.strain is _NT),
            default=_LEVELS + 1,
        )
        choices = np.maximum(np.minimum(level, _LEVELS) - lowest + 1, 0)
        if call is PASS:
            return np.asarray(choices == 0, dtype=np.float64)
        if not isinstance(call, Bid) or call.strain is not _NT:
            return np.zeros(len(hands))
        return np.where(level >= call.level, 1.0 / np.maximum(choices, 1), 0.0)


_NT: Final = Strain.NOTRUMP


def _check_full(deck: Deck, name: str) -> None:
    if deck != FULL_DECK:
        raise SettingError(f"{name} needs the full deck, not one of {deck}")


class _Options(NamedTuple):
    """What draws a player to each call: exp(expected points / temperature), by optimism."""

    strains: Mapping[Strain, F64]
    """All sufficient bids in a strain together, by place on the scale of expected tricks."""
    levels: Mapping[Strain, F64]
    """The chance of each level, 1 to 7, once the strain is chosen, by place on the scale."""
    marks: Mapping[Mark, F64]
    """Pass, double and redouble over a bid: by place over their own, else by points and trumps."""


@lru_cache(maxsize=256)
def _options(
    model: PointCalls, seat: Seat, last: Bid | None, bidder: Seat | None, factor: int
) -> _Options:
    worth = np.array(
        [
            [_worth(model, Contract(Bid(level, strain), seat)) for level in range(1, _LEVELS + 1)]
            for strain in Strain
        ]
    )
    scale = model.temperature * (float(worth[_TYPICAL].std()) or 1.0)

    def appeal(chances: F64, points: F64) -> F64:
        return np.exp(np.clip(chances @ points.T / scale, -_STEEPEST, _STEEPEST))

    strains, levels, marks = {}, {}, {}
    for strain in Strain:
        lowest = 0 if last is None else last.level - (strain > last.strain)
        if lowest < _LEVELS:
            values = appeal(_scale_chances(strain), worth[strain, lowest:])
            strains[strain] = _hoped(values.sum(axis=1))
            tricks = np.minimum(np.arange(len(values)) / _PER_TRICK, TRICKS)
            rise = _RISE * np.outer(tricks, np.arange(lowest + 1, _LEVELS))
            steps = np.diff(np.log(values), axis=1) / _LEVEL_SHARE - rise
            steps = np.minimum.accumulate(steps[::-1], axis=0)[::-1] + rise
            logs = np.cumsum(np.pad(steps, ((0, 0), (1, 0))), axis=1)
            chances = np.exp(logs - logs.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
            mixed = np.einsum("plo,o->pl", _hoped(chances), _CHANCES)
            levels[strain] = np.pad(mixed, ((0, 0), (lowest, 0)))
    if last is not None and bidder is not None:
        stakes = ((PASS, 1), (DOUBLE, 2), (REDOUBLE, 2)) if factor < _REDOUBLED else ((PASS, 1),)
        for mark, times in stakes:
            points = _worth(model, Contract(last, bidder, factor * times))
            if bidder is seat:
                marks[mark] = _hoped(appeal(_scale_chances(last.strain), points))
            else:
                marks[mark] = appeal(_defended_chances(last.strain), -points / 2)[..., None]
    return _Options(strains, levels, marks)


def _worth(model: PointCalls, contract: Contract) -> F64:
    return np.array(
        contract_worth(contract, FULL_DECK, model.rubber, model.scheme, model.vulnerable)
    )


def _hoped(values: F64) -> F64:
    """Values on the scale of expected tricks, moved along it by optimism: one more axis."""
    places = np.arange(len(values))[:, None] + _OPTIMISM * _PER_TRICK
    return np.moveaxis(values[np.clip(places, 0, len(values) - 1)], 1, -1)


@cache
def _places(strain: Strain) -> I64:
    """The place on the scale of expected tricks of each number of honour points and trumps."""
    honours, held = np.arange(_MOST_POINTS + 1.0)[:, None], np.arange(TRICKS + 1.0)
    base, each, trump = (*NOTRUMP_TRICKS, 0.0) if strain is _NT else SUIT_TRICKS
    expected = base + each * honours + trump * held
    return np.asarray(np.rint(np.minimum(expected, _MOST_TRICKS) * _PER_TRICK), np.int64)


@cache
def _scale_chances(strain: Strain) -> F64:
    """Chances of 0 to 13 tricks on the scale of expected tricks."""
    scale = np.arange(_MOST_TRICKS * _PER_TRICK + 1.0) / _PER_TRICK
    return normal_chances(scale, TRICKS_SD[strain is _NT])


@cache
def _defended_chances(strain: Strain) -> F64:
    """Chances of declarer's tricks by a defender's honour points and trumps."""
    honours, held = np.arange(_MOST_POINTS + 1.0)[:, None], np.arange(TRICKS + 1.0)
    base, each, trump = DEFENDED_TRICKS
    trumps = np.zeros_like(held) if strain is _NT else held - 3
    return normal_chances(base + each * (honours - 10) + trump * trumps, TRICKS_SD[strain is _NT])
