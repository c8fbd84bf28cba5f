"""Actions as numbers and a seat's view as bits, for any deck.

**Actions.** With `B` bids in the deck (levels times strains) an action is numbered

| number | action |
| --- | --- |
| 0 to B - 1 | bid `strains * (level - 1) + strain`, from the lowest to the highest |
| B, B + 1, B + 2 | pass, double, redouble |
| B + 3 on | card `ranks * suit + rank`, clubs first, aces first |

A full deck has 35 bids and 90 actions, and its calls have the numbers of `AuctionGames`. Double
and redouble keep their numbers where doubles are not played: they are never legal there.

**Observations.** A vector of zeros and ones, made from a `View` and nothing else. Players are
numbered relative to the observing seat: 0 itself, 1 its left neighbour, 2 its right neighbour;
dummy is hand 3. With `D` cards in the deck, `H` in a hand, `L` levels and `S` strains:

| field | bits | meaning |
| --- | --- | --- |
| turn | 4 | the hand that a call or a card is due from; none when the deal is over |
| dealer | 3 | who dealt |
| passes | 3 | passes in a row so far: 1, 11 or 111 |
| bids | 3 B | the bids that each player has made |
| doubles | 3 B | the bids that each player has doubled |
| redoubles | B | the bids that were redoubled |
| declarer | 3 | who declares; like all fields below but `hand`, 0 until the auction is over |
| level, strain | L, S | the contract |
| doubled | 2 | whether it is doubled; whether it is redoubled |
| hand | D | the cards that the seat still holds |
| dummy | D | the cards that dummy still holds |
| played | 4 D | the cards that each hand has played |
| tricks | H D | for each trick, the cards played to it |
| trick | 4 D | the trick on the table, by hand |
| won | H | tricks won by declarer's side: as many ones |

Two different histories that a seat can tell apart give different vectors, since the turn goes
round the table in a known order: it is an information state, with perfect recall.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK, Card, Deck, card_at
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat, three
from tribridge.common.errors import IllegalActionError, SettingError, shown
from tribridge.game import (
    DOUBLE,
    PASS,
    REDOUBLE,
    Action,
    Auction,
    Bid,
    Call,
    Chair,
    Contract,
    Outcome,
    Position,
    Scheme,
    Table,
    View,
    find_scheme,
    new_table,
    scores,
    settle,
)
from tribridge.game.table import Course

PLAYERS: Final = 3
HANDS: Final = 4
DUMMY: Final = 3
"""Dummy's place among the hands of an observation."""

FIELDS: Final = (
    "turn", "dealer", "passes", "bids", "doubles", "redoubles", "declarer", "level", "strain",
    "doubled", "hand", "dummy", "played", "tricks", "trick", "won",
)  # fmt: skip
"""The fields of an observation, in order."""

Bits = NDArray[np.float32]
Mask = NDArray[np.int8]


class Encoding:
    """The actions and observations of a deck.

    Examples:
        >>> import tribridge as tb
        >>> encoding = Encoding(tb.Deck(2, 4))
        >>> table = tb.new_table(seed=1, deck="2x4")
        >>> [str(encoding.action(number)) for number in range(encoding.actions)]
        ... # doctest: +NORMALIZE_WHITESPACE
        ['1♣', '1♦', '1NT', 'Pass', 'Double', 'Redouble',
         '♣A', '♣K', '♣Q', '♣J', '♦A', '♦K', '♦Q', '♦J']
        >>> encoding.mask(table.legal)
        array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], dtype=int8)
        >>> encoding.observe(tb.view(table, "N")).shape == (encoding.size,)
        True
    """

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.bids = tuple(
            Bid(level, strain) for level in range(1, deck.levels + 1) for strain in deck.strains
        )
        self.calls: tuple[Call, ...] = (*self.bids, PASS, DOUBLE, REDOUBLE)
        self.cards = tuple(
            card_at(suit, rank) for suit in range(deck.suits) for rank in range(deck.ranks)
        )
        self._action_of: tuple[Action, ...] = (*self.calls, *self.cards)
        self.actions = len(self._action_of)
        """How many actions there are."""
        self._number_of = {action: number for number, action in enumerate(self._action_of)}
        self.place = {card.index: place for place, card in enumerate(self.cards)}
        self.starts = {name: field.start for name, field in self.fields.items()}
        """Where each field of an observation begins."""
        self.strain_places = {strain: place for place, strain in enumerate(deck.strains)}

    @cached_property
    def fields(self) -> dict[str, slice]:
        """Where each field of an observation is, by its name in the table above."""
        deck, bids = self.deck, len(self.bids)
        called = HANDS, PLAYERS, PLAYERS, PLAYERS * bids, PLAYERS * bids, bids
        contract = PLAYERS, deck.levels, len(deck.strains), 2
        played = HANDS * deck.size, deck.hand_size * deck.size, HANDS * deck.size, deck.hand_size
        ends = np.cumsum([*called, *contract, deck.size, deck.size, *played]).tolist()
        return {
            name: slice(start, end)
            for name, start, end in zip(FIELDS, [0, *ends], ends, strict=False)
        }

    @cached_property
    def size(self) -> int:
        """How many bits an observation has."""
        return max(field.stop for field in self.fields.values())

    def number(self, action: Action) -> int:
        """The number of an action."""
        return self._number_of[action]

    def action(self, number: object) -> Action:
        """The action that a number stands for; anything else is refused."""
        try:
            index = -1 if isinstance(number, bool) else operator.index(number)  # type: ignore[arg-type]
        except TypeError:
            index = -1
        if not 0 <= index < self.actions:
            raise IllegalActionError(
                f"{shown(number)} is not an action: expected a number from 0 to {self.actions - 1}"
            )
        return self._action_of[index]

    def mask(self, legal: tuple[Action, ...]) -> Mask:
        """Which actions are legal: a 1 for each."""
        return self.mask_of(sum(1 << self._number_of[action] for action in legal))

    def mask_of(self, word: int) -> Mask:
        """A mask, from the number with its bits."""
        return unpacked(word, self.actions, _INTEGERS)

    def legal_word(self, table: Table) -> int:
        """The legal actions of a table as one number, with a bit for each."""
        if table.position is not None:
            return self.places(table.position.legal_mask()) << len(self.calls)
        auction, first = table.auction, 0
        if auction.over:
            return 0
        if (last := auction.last_bid) is not None:
            first = len(self.strain_places) * (last.level - 1) + self.strain_places[last.strain] + 1
        word = (2 << len(self.bids)) - (1 << first)  # the bids from there on, and pass
        if auction.doubles:  # a double or a redouble comes last
            word |= 1 << self._number_of[auction.legal[-1]]
        return word

    def observe(self, view: View) -> Bits:
        """What a seat sees, as a new vector."""
        assert view.seat is not None
        seen = Seen.of(self, view.seat.index, view.auction, view.position)
        due = hand_due(view, view.turn)
        return self.vector(seen, view.seat.index, due, view.position, view.hand.mask)

    def vector(
        self, seen: Seen, seat: int, due: int | None, position: Position | None, hand: int
    ) -> Bits:
        """What a seat with these cards sees, as a new vector; an action is due from a hand."""
        return unpacked(self.word(seen, seat, due, position, hand), self.size)

    def word(
        self, seen: Seen, seat: int, due: int | None, position: Position | None, hand: int
    ) -> int:
        """The same as one number: the first bit is the lowest."""
        starts = self.starts
        bits = seen.words[seat] | self.places(hand) << starts["hand"]
        if due is not None:
            bits |= 1 << PLACES[seat][due]
        if position is None:
            return bits | (1 << seen.passes) - 1 << starts["passes"]
        n, places = self.deck.size, PLACES[seat]
        played = seen.tricks << HANDS * n
        for by, cards in enumerate(seen.played):
            played |= cards << places[by] * n
        bits |= (self.places(position.dummy) | played << n) << starts["dummy"]
        for by, place in seen.trick:
            bits |= 1 << starts["trick"] + places[by] * n + place
        return bits | (1 << position.won) - 1 << starts["won"]

    def places(self, mask: int) -> int:
        """A mask of cards with the bits of an observation: no gaps where the deck lacks ranks."""
        ranks = self.deck.ranks
        if ranks == FULL_DECK.ranks:
            return mask
        row = (1 << ranks) - 1
        suits = range(self.deck.suits)
        return sum((mask >> FULL_DECK.ranks * suit & row) << ranks * suit for suit in suits)


_FLOATS: Final = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.float32)
_INTEGERS: Final = _FLOATS.astype(np.int8)
"""For each byte its bits, the lowest first."""


def unpacked(word: int, size: int, bits: NDArray[Any] = _FLOATS) -> NDArray[Any]:
    """The bits of a number, the lowest first."""
    packed = np.frombuffer(word.to_bytes(size // 8 + 1, "little"), np.uint8)
    return bits.take(packed, axis=0).reshape(-1)[:size]


PLACES: Final = ((0, 1, 2, DUMMY), (2, 0, 1, DUMMY), (1, 2, 0, DUMMY))
"""By seat, where it sees each seat and dummy."""


def hand_due(course: Course, turn: Seat | None) -> int | None:
    """The seat that an action is due from, or dummy; None when the deal is over."""
    if turn is None:
        return None
    play = course.position
    return DUMMY if play is not None and play.chair is Chair.DUMMY else turn.index


class Seen:
    """What everybody has seen of a deal, as some seats encode it; it grows with every action.

    Players are the seats, and dummy 3.
    """

    def __init__(
        self, encoding: Encoding, dealer: Seat, seats: Iterable[int] = range(PLAYERS)
    ) -> None:
        self._encoding = encoding
        start = encoding.starts["dealer"]
        self.words = {seat: 1 << start + PLACES[seat][dealer] for seat in seats}
        """By seat, dealer, calls and contract."""
        self.played, self.tricks = [0] * HANDS, 0
        self.trick: list[tuple[int, int]] = []
        """The trick on the table: whose card, and its place among the cards of the deck."""
        self.passes = self._last = self._cards = 0

    @classmethod
    def of(cls, encoding: Encoding, seat: int, auction: Auction, position: Position | None) -> Seen:
        """All that has been called and played, for one seat."""
        seen = cls(encoding, auction.dealer, (seat,))
        for at, call in enumerate(auction.calls):
            seen.add(call, (auction.dealer.index + at) % PLAYERS)
        if position is not None:
            seen.end_auction(position.contract)
            by = position.contract.declarer.index
            hands = (by, (by + 1) % PLAYERS, DUMMY, (by + 2) % PLAYERS)
            for leader, cards in position.rounds():
                for at, card in enumerate(cards):
                    seen.add(card, hands[(leader + at) % HANDS])
        return seen

    def end_auction(self, contract: Contract) -> None:
        """Who declares which contract."""
        starts, bid = self._encoding.starts, contract.bid
        public = (1 << contract.factor.bit_length() - 1) - 1 << starts["doubled"]
        public |= 1 << starts["level"] + bid.level - 1
        public |= 1 << starts["strain"] + self._encoding.strain_places[bid.strain]
        public |= (1 << self.passes) - 1 << starts["passes"]
        for seat in self.words:
            place = starts["declarer"] + PLACES[seat][contract.declarer]
            self.words[seat] |= public | 1 << place

    def add(self, action: Action, by: int) -> None:
        """A call or a card of a player."""
        encoding = self._encoding
        if isinstance(action, Card):
            place = encoding.place[action.index]
            self.played[by] |= 1 << place
            self.tricks |= 1 << self._cards // HANDS * encoding.deck.size + place
            self._cards += 1
            self.trick.append((by, place))
            if len(self.trick) == HANDS:
                self.trick = []
        elif action is PASS:
            self.passes += 1
        else:
            field, self.passes = "doubles" if action is DOUBLE else "redoubles", 0
            if isinstance(action, Bid):
                field, self._last = "bids", 1 << encoding.number(action)
            start, width = encoding.starts[field], len(encoding.bids)
            for seat in self.words:
                place = 0 if action is REDOUBLE else PLACES[seat][by]
                self.words[seat] |= self._last << start + place * width


@dataclass(frozen=True)
class Rules:
    """The rules of one environment."""

    deck: Deck
    scheme: Scheme
    doubles: bool

    @classmethod
    def of(cls, deck: Deck | str, scheme: Scheme | str, doubles: bool) -> Rules:
        """Rules from values or text; a deck that cannot be dealt is refused here."""
        deck, scheme = Deck(deck), find_scheme(scheme)
        if not isinstance(doubles, bool):
            raise SettingError(f"doubles={shown(doubles)}: expected True or False")
        assert deck.hand_size  # raises if four hands cannot be dealt
        return cls(deck, scheme, doubles)

    @cached_property
    def encoding(self) -> Encoding:
        return Encoding(self.deck)

    def new_table(
        self, rng: Generator, options: Mapping[str, Any] | None = None
    ) -> tuple[Table, int]:
        """A table before the first call, and the seed that was drawn for the deal.

        Cards and dealer are random. The options `deal` (a `Deal`, or text) and `dealer` fix them;
        the seed is drawn all the same, for the strategies at the table.
        """
        options = options or {}
        seed, turn = int(rng.integers(1 << 63)), int(rng.integers(3))
        dealt, dealer = options.get("deal"), options.get("dealer")
        if dealt is None:
            dealt = deal(seed, 0, self.deck)
        elif isinstance(dealt, str):
            dealt = Deal(dealt, self.deck)
        if not isinstance(dealt, Deal) or dealt.deck != self.deck:
            raise SettingError(f"{shown(dealt)} is not a deal of a {self.deck} deck")
        seat = Seat(turn if dealer is None else dealer)
        return new_table(dealt, seat, doubles=self.doubles, scheme=self.scheme), seed

    @cached_property
    def _settled(self) -> dict[Outcome, tuple[float, float, float]]:
        """The settlements so far: the same few outcomes return, and fractions are slow."""
        return {}

    def payoffs(self, table: Table) -> tuple[float, float, float]:
        """The settlement of a deal, North first: 0 for everybody until it is over."""
        outcome = table.outcome or Outcome(None)
        if outcome not in self._settled:
            points = settle(scores(outcome, self.scheme, self.deck))
            self._settled[outcome] = three(map(float, points))
        return self._settled[outcome]
