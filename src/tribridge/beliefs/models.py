"""Explicit models of how players call and play, for soft evidence.

A model answers one question: with this hand, how likely was that action? Bayes' rule does the
rest. Models are evaluated on many hands at once and never exclude anything: `Beliefs` mixes each
with a random action (its floor), so an action that a model rules out keeps a small probability.

- `PointCalls`: a bidder who counts honour points and suit lengths, expects the tricks that such
  hands took double dummy on the training deals, and prefers calls with more expected points.
- `ForecastCalls`: a bidder who forecasts tricks from their own hand and bids what should make.
- `CaptureCalls`: the paper's bidder, who bids notrump as high as Algorithm 1's captures allow.
- `RandomPlays`: any legal card, all equally likely. Even that is evidence: a player with fewer
  cards to choose from was more likely to play that very card (restricted choice).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tribridge.beliefs.bits import U64, honour_points, legal, popcount, suit_mask
from tribridge.cards import FULL_DECK, Card, Deck, Strain, Suit
from tribridge.deals import Seat
from tribridge.errors import SettingError
from tribridge.forecast.defence import DEFENCE_KINDS, Opponent, chances_against, opponent
from tribridge.forecast.distribution import at_least, means
from tribridge.forecast.kinds import DEFAULT, find_forecaster
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Auction, Bid, Call, Contract
from tribridge.game.scoring import find_scheme, scores
from tribridge.game.table import Outcome
from tribridge.game.tricks import Chair

if TYPE_CHECKING:
    from tribridge.double_dummy.labels import Labels

F64 = NDArray[np.float64]

SUIT_TRICKS: Final = (1.348, 0.2563, 0.7311)
"""Tricks with a trump suit: constant, tricks per honour point, tricks per trump."""
NOTRUMP_TRICKS: Final = (2.605, 0.3400)
"""Tricks in notrump: constant, tricks per honour point."""
TRICKS_SD: Final = (2.346, 2.377)
"""Standard deviations around these lines: suits, notrump. All three were fitted by `tribridge train
estimators` to the training deals, `data/labels-7.parquet`."""

MEAN_TRICKS: Final = 6.0
"""Declarer's tricks against an average defender, about the same in all strains."""
DOUBLED: Final = 1.5
"""`ForecastCalls`: a hand that lowers them by so much doubles half of the time ..."""
DOUBLED_SCALE: Final = 0.5
"""... and the scale of the logistic function around it, in tricks."""

_MOST_POINTS: Final = 37
_TRICKS: Final = 13
_LEVELS: Final = 7


class CallModel(Protocol):
    """How a player calls."""

    def likelihood(self, hands: U64, seat: Seat, auction: Auction, call: Call) -> F64:
        """For each hand (as dealt), the chance that its player makes this call in this auction."""
        ...


@dataclass(frozen=True, slots=True)
class Due:
    """What everyone can see when a hand is to play."""

    chair: Chair
    trick: tuple[Card, ...]
    trump: Suit | None
    dummy: int
    """Dummy's remaining cards."""
    played: int
    """All cards played before."""

    @property
    def led(self) -> Suit | None:
        return self.trick[0].suit if self.trick else None


class PlayModel(Protocol):
    """How a player plays."""

    def likelihood(self, held: U64, due: Due, card: Card) -> F64:
        """For each hand (the cards still held), the chance that this card is played from it."""
        ...


@dataclass(frozen=True, slots=True)
class RandomPlays:
    """All legal cards are equally likely."""

    def likelihood(self, held: U64, due: Due, card: Card) -> F64:
        """One over the number of legal cards."""
        return 1.0 / popcount(legal(held, due.led))


@dataclass(frozen=True, slots=True)
class PointCalls:
    """Calls in proportion to exp(expected points / temperature); a pass is worth 0.

    Tricks are assumed to be normally distributed around a linear function of honour points and
    trumps, with the spread of the training deals. Expected points follow from the scheme. The
    player ignores what others will bid, and doubles count as passes.
    """

    scheme: str = "auction"
    temperature: float = 10.0

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise SettingError(f"the temperature must be greater than 0, not {self.temperature}")

    def likelihood(self, hands: U64, seat: Seat, auction: Auction, call: Call) -> F64:
        """A softmax over the legal calls."""
        _check_full(auction.deck, "PointCalls")
        worth = self.worth(hands) / self.temperature
        options = auction.legal
        weight = np.stack(
            [
                worth[:, option.strain, option.level - 1]
                if isinstance(option, Bid)
                else np.zeros(len(hands))
                for option in options
            ],
            axis=1,
        )
        weight = np.exp(weight - weight.max(axis=1, keepdims=True))
        return np.asarray(weight[:, options.index(call)] / weight.sum(axis=1))

    def worth(self, hands: U64) -> F64:
        """Expected points of each bid: an array (hands, strains, levels)."""
        suits, notrump = _worth_tables(self.scheme)
        points = honour_points(hands)
        parts = [
            suits[suit, points, popcount(hands & suit_mask(suit))] for suit in range(len(Suit))
        ]
        return np.stack([*parts, notrump[points]], axis=1)


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


@lru_cache(maxsize=8)
def _worth_tables(scheme: str) -> tuple[F64, F64]:
    """Expected points: suits (suit, honour points, length, level), notrump (points, level)."""
    honours, lengths = np.arange(_MOST_POINTS + 1.0), np.arange(_TRICKS + 1.0)
    table = _points(scheme)
    base, each, trump = SUIT_TRICKS
    suit_chances = _chances(base + each * honours[:, None] + trump * lengths, TRICKS_SD[0])
    base, each = NOTRUMP_TRICKS
    notrump_chances = _chances(base + each * honours, TRICKS_SD[1])
    suits = np.stack([suit_chances @ table[suit].T for suit in range(len(Suit))])
    return suits, notrump_chances @ table[_NT].T


def _chances(expected: NDArray[np.floating], sd: float) -> F64:
    """Chances of 0 to 13 tricks: a normal distribution rounded to whole tricks."""
    from scipy.special import ndtr

    edges = np.arange(_TRICKS) + 0.5
    below = ndtr((edges - expected[..., None]) / sd)
    ends = np.zeros_like(below[..., :1])
    result: F64 = np.diff(np.concatenate([ends, below, ends + 1], axis=-1), axis=-1)
    return result


def _points(scheme: str) -> F64:
    """Declarer's points minus a defender's: (strains, levels, tricks)."""
    rules = find_scheme(scheme)
    result = np.zeros((len(Strain), _LEVELS, _TRICKS + 1))
    for strain in Strain:
        for level in range(1, _LEVELS + 1):
            contract = Contract(Bid(level, strain), Seat.NORTH)
            for tricks in range(_TRICKS + 1):
                points = scores(Outcome(contract, tricks), rules)
                result[strain, level - 1, tricks] = float(points[0] - points[1])
    return result


def fit_tricks(
    labels: Labels,
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, float]]:
    """Least-squares fit of `PointCalls` to labelled deals: suits, notrump, spread."""
    from tribridge.double_dummy.labels import refuse_evaluation

    hands, _, made = refuse_evaluation(labels).pairs()
    tricks = made.astype(np.float64)
    points = honour_points(hands)
    lengths = np.stack([popcount(hands & suit_mask(suit)) for suit in range(len(Suit))], axis=1)
    ones = np.ones(len(hands) * len(Suit))
    suits, suits_sd = _line(
        np.stack([ones, np.repeat(points, len(Suit)), lengths.reshape(-1)], axis=1),
        tricks[:, : len(Suit)].reshape(-1),
    )
    notrump, notrump_sd = _line(np.stack([ones[: len(hands)], points], axis=1), tricks[:, _NT])
    return suits, notrump, (suits_sd, notrump_sd)


def _line(inputs: F64, values: F64) -> tuple[tuple[float, ...], float]:
    line = np.linalg.lstsq(inputs, values, rcond=None)[0]
    return tuple(float(x) for x in line), float((values - inputs @ line).std())
