"""Bidding by a card of a few lines: sums of small whole numbers that a person adds up at the table.

A `BiddingCard` says what honours, trumps and short suits count and how many points a bid needs; its
`lines` are the card that a player holds. Three points are a trick, in a suit and in notrump alike,
so that the two can be compared. `CARD` was fitted and chosen by `python -m
benchmarks.bidding_card choose`: the values are whole numbers near least-squares fits to training
deals as played, the points for a bid are those that score most on the deals of one seed, and the
card was chosen among larger and smaller ones on those of another.

It bids the lowest level that is enough in the strain with the most points to spare, and does not
infer anything from the calls of others. Doubles follow the lines of `points`, rounded. In a rubber
it bids as under the scheme of the laws. The card is for the full deck; on a smaller one `points`
decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, Final

from numpy.random import Generator

from tribridge.cards.cards import FULL_DECK, Hand, Strain, Suit
from tribridge.common.sentences import words
from tribridge.game.auction import DOUBLE, PASS, Bid, said
from tribridge.game.scoring import Scheme, find_scheme, scheme_names
from tribridge.game.views import View
from tribridge.strategies.callers.points import RUBBER_FILES, PointsCaller
from tribridge.strategies.parameters import RELEASE, option
from tribridge.strategies.protocol import Choice

AUCTION: Final = "auction"
CONTRACT: Final = "contract"
HONOURS: Final = "AKQJT"
_GAMES: Final = {Strain.CLUBS: 5, Strain.DIAMONDS: 5, Strain.HEARTS: 4, Strain.SPADES: 4,
                 Strain.NOTRUMP: 3}  # fmt: skip
"""The levels at which a contract is a game under the scheme `contract`."""


@dataclass(frozen=True, slots=True)
class BiddingCard:
    """What cards count, and what bids need. Honours are those of `HONOURS`, ace first."""

    notrump: tuple[int, ...]
    """For each honour, in notrump."""
    suit: tuple[int, ...] = ()
    """For each honour, in a suit; empty: it bids notrump alone."""
    trumps: tuple[int, ...] = ()
    """More for the honours among the trumps."""
    trump: int = 0
    """For each trump after the first `free`."""
    free: int = 0
    void: int = 0
    singleton: int = 0
    fewest: int = 4
    """Cards of a suit that may become trumps."""
    trick: int = 3
    """Points for each level after the first."""
    need: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Points for a bid of one, by scheme."""
    double_suit: tuple[int, int] = (33, 5)
    """A double of a suit needs the first number, less the second for each level."""
    double_notrump: tuple[int, int] = (25, 7)

    @property
    def size(self) -> int:
        """How many numbers other than 0 there are to remember for a scheme, without doubles."""
        counts = (*self.notrump, *self.suit, *self.trumps, self.trump, self.void, self.singleton)
        return sum(count != 0 for count in counts) + (self.free != 0) + 2

    def lines(self) -> tuple[str, ...]:
        """The card as its reader sees it."""
        result = [f"In notrump count {_valued(self.notrump)}."]
        if self.suit:
            result += [
                f"In a suit of {self.fewest} cards or more count {_valued(self.suit)},",
                f"{self.trump} for each trump after the first {self.free},",
            ]
            if any(self.trumps):
                result.append(f"{_extra(self.trumps)} of trumps,")
            if self.void or self.singleton:
                result.append(f"{self.void} for a void and {self.singleton} for a singleton.")
        result += [
            f"A bid of one needs {self.need[AUCTION]} points (contract scoring: "
            f"{self.need[CONTRACT]}), each level more {self.trick} more.",
            "Bid what has most points to spare, a suit before notrump, the higher suit first,",
            "at the lowest level that is enough. Else pass.",
            "Contract scoring: if the points are enough for a game, bid the game.",
        ]
        (suit, by_suit), (notrump, by_notrump) = self.double_suit, self.double_notrump
        return (
            *result,
            f"Do not bid, but double a suit with {suit} points or more (notrump: {notrump}),",
            f"less {by_suit} for each level ({by_notrump}): A 4, K 3, Q 2, J 1, and 2 for each of "
            "their trumps.",
        )


def _valued(values: tuple[int, ...]) -> str:
    """Honours with what they count: `A 4, K 3`."""
    return ", ".join(f"{name} {value}" for name, value in zip(HONOURS, values, strict=False)
                     if value)  # fmt: skip


def _extra(values: tuple[int, ...]) -> str:
    """Honours with what they count more: `1 more for K, Q, J`."""
    by_value: dict[int, list[str]] = {}
    for name, value in zip(HONOURS, values, strict=False):
        if value:
            by_value.setdefault(value, []).append(name)
    return ", ".join(f"{value} more for {', '.join(names)}" for value, names in by_value.items())


CARD: Final = BiddingCard(
    notrump=(4, 3, 2, 1),
    suit=(3, 2, 1),
    trump=2,
    free=2,
    void=3,
    singleton=1,
    need={AUCTION: 13, CONTRACT: 6},
)
"""The card of the package."""


@lru_cache(maxsize=65_536)
def counted_points(card: BiddingCard, hand: Hand) -> dict[Strain, int]:
    """The points of a hand in each strain that it may bid.

    Examples:
        >>> counted_points(CARD, Hand("AKJ52.73.A62.K85"))[Strain.SPADES]
        16
    """
    held = {suit: [hand.row(suit.index) >> rank & 1 for rank in range(5)] for suit in Suit}
    lengths = {suit: hand.row(suit.index).bit_count() for suit in Suit}

    def honours(values: tuple[int, ...], suits: tuple[Suit, ...]) -> int:
        return sum(value * has for suit in suits
                   for value, has in zip(values, held[suit], strict=False))  # fmt: skip

    points: dict[Strain, int] = {}
    base = honours(card.suit, tuple(Suit))
    for suit in Suit:
        if card.suit and lengths[suit] >= card.fewest:
            others = [lengths[other] for other in Suit if other is not suit]
            points[Strain(suit.index)] = (
                base
                + honours(card.trumps, (suit,))
                + card.trump * max(lengths[suit] - card.free, 0)
                + card.void * others.count(0)
                + card.singleton * others.count(1)
            )
    points[Strain.NOTRUMP] = honours(card.notrump, tuple(Suit))
    return points


@dataclass(frozen=True, slots=True)
class CardCaller:
    """Bids by a card of a few lines."""

    name: ClassVar[str] = "card"
    version: ClassVar[int] = 1
    weights: ClassVar[tuple[str, ...]] = RUBBER_FILES
    summary: ClassVar[str] = "adds up a bidding card of a few lines"

    scheme: str = option(
        AUCTION, "the scoring scheme of the points", choices=scheme_names()
    )  # no files: the name may come from a web visitor
    doubles: bool = option(True, "double where the table allows it")
    card: BiddingCard = field(default=CARD, metadata=RELEASE)

    def call(self, view: View, rng: Generator) -> Choice:
        if view.deck != FULL_DECK:
            return PointsCaller(doubles=self.doubles).call(view, rng)
        last, card = view.auction.last_bid, self.card
        if last is not None and view.auction.bidder is view.seat:
            return Choice(
                PASS, words("The last bid, {bid}, is already this player's.", bid=said(last))
            )
        scheme = find_scheme(self.scheme) if view.rubber is None else view.rubber.laws.scheme
        column = column_of(scheme)
        counts = counted_points(card, view.dealt)
        best, most = None, 0
        for strain, points in sorted(counts.items(), key=lambda item: _order(item[0])):
            level = 1 if last is None else last.level + (strain <= last.strain)
            spare = points - card.need[column] - card.trick * (level - 1)
            if level <= FULL_DECK.levels and spare >= 0 and (best is None or spare > most):
                best, most = Bid(level, strain), spare
        if best is None:
            return self._or_double(view, max(counts.values()), card.need[column])
        points = counts[best.strain]
        game = _GAMES[best.strain]
        if column == CONTRACT and points >= card.need[column] + card.trick * (game - 1):
            best = Bid(max(best.level, game), best.strain)
        needed = card.need[column] + card.trick * (best.level - 1)
        return Choice(
            best,
            words(
                "The card counts {points} points, and {bid} needs {needed}.",
                points=points,
                bid=said(best),
                needed=needed,
            ),
        )

    def _or_double(self, view: View, points: int, needed: int) -> Choice:
        """A pass, or a double of a bid that is too high for what declarer can have."""
        last, card = view.auction.last_bid, self.card
        if last is None:
            few = "The card counts {points} points at best, and a bid of one needs {needed}."
            return Choice(PASS, words(few, points=points, needed=needed))
        against = view.dealt.hcp
        start, level = card.double_notrump
        if last.strain is not Strain.NOTRUMP:
            start, level = card.double_suit
            against += 2 * view.dealt.row(last.strain.index).bit_count()
        if self.doubles and DOUBLE in view.auction.legal and against >= start - level * last.level:
            high = "Against {bid} the card counts {points} points, and a double needs {needed}."
            return Choice(
                DOUBLE,
                words(high, bid=said(last), points=against, needed=start - level * last.level),
            )
        few = "The card counts {points} points at best, too few for more than {bid}."
        return Choice(PASS, words(few, points=points, bid=said(last)))


def _order(strain: Strain) -> int:
    """Of equals, a suit comes before notrump, and the higher suit first."""
    return 5 if strain is Strain.NOTRUMP else -strain.index


def column_of(scheme: Scheme) -> str:
    """The column of the card for a scheme: that of the tricks of contract bridge, or the other."""
    return CONTRACT if scheme.trick == find_scheme(CONTRACT).trick else AUCTION
