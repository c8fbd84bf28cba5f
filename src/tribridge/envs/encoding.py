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

from tribridge.cards import Card, Deck, card_at
from tribridge.dealer import deal
from tribridge.deals import Deal, Seat
from tribridge.errors import IllegalActionError, SettingError, shown
from tribridge.game import (
    DOUBLE,
    PASS,
    REDOUBLE,
    Action,
    Bid,
    Call,
    Chair,
    Scheme,
    Table,
    View,
    find_scheme,
    new_table,
    scores,
    settle,
)

PLAYERS: Final = 3
HANDS: Final = 4
DUMMY: Final = 3
"""Dummy's place among the hands of an observation."""

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
        # A card is an int and equals one; a bid or a mark equals no int, so one mapping will do.
        self._number_of = {action: number for number, action in enumerate(self._action_of)}
        self._place = {card: place for place, card in enumerate(self.cards)}

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return len(self._action_of)

    @cached_property
    def fields(self) -> dict[str, slice]:
        """Where each field of an observation is, by its name in the table above."""
        deck, bids = self.deck, len(self.bids)
        sizes = {
            "turn": HANDS,
            "dealer": PLAYERS,
            "passes": PLAYERS,
            "bids": PLAYERS * bids,
            "doubles": PLAYERS * bids,
            "redoubles": bids,
            "declarer": PLAYERS,
            "level": deck.levels,
            "strain": len(deck.strains),
            "doubled": 2,
            "hand": deck.size,
            "dummy": deck.size,
            "played": HANDS * deck.size,
            "tricks": deck.hand_size * deck.size,
            "trick": HANDS * deck.size,
            "won": deck.hand_size,
        }
        ends = np.cumsum(list(sizes.values())).tolist()
        starts = [0, *ends[:-1]]
        return {
            name: slice(start, end) for name, start, end in zip(sizes, starts, ends, strict=True)
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
        mask = np.zeros(self.actions, np.int8)
        mask[[self._number_of[action] for action in legal]] = 1
        return mask

    def observe(self, view: View) -> Bits:
        """What a seat sees, as a new vector."""
        seat = view.seat
        assert seat is not None
        bits = np.zeros(self.size, np.float32)
        part = {name: bits[field] for name, field in self.fields.items()}
        if view.turn is not None:
            part["turn"][
                DUMMY if view.chair is Chair.DUMMY else (view.turn.index - seat.index) % PLAYERS
            ] = 1
        part["dealer"][(view.dealer.index - seat.index) % PLAYERS] = 1
        self._add_calls(view, seat, part)
        part["hand"][self._places(view.hand)] = 1
        if view.contract is not None:
            self._add_play(view, seat, part)
        return bits

    def _places(self, cards: Iterable[Card]) -> list[int]:
        return [self._place[card] for card in cards]

    def _add_calls(self, view: View, seat: Seat, part: dict[str, Bits]) -> None:
        bids, doubles = (
            part[name].reshape(PLAYERS, len(self.bids)) for name in ("bids", "doubles")
        )
        by, last = (view.dealer.index - seat.index) % PLAYERS, 0
        for call in view.auction.calls:
            if isinstance(call, Bid):
                last = self._number_of[call]
                bids[by, last] = 1
            elif call is DOUBLE:
                doubles[by, last] = 1
            elif call is REDOUBLE:
                part["redoubles"][last] = 1
            by = (by + 1) % PLAYERS
        part["passes"][: view.auction.passes] = 1

    def _add_play(self, view: View, seat: Seat, part: dict[str, Bits]) -> None:
        contract, dummy, leader = view.contract, view.dummy, view.leader
        assert contract is not None
        assert dummy is not None
        assert leader is not None
        declarer = (contract.declarer.index - seat.index) % PLAYERS
        part["declarer"][declarer] = 1
        part["level"][contract.bid.level - 1] = 1
        part["strain"][self.deck.strains.index(contract.bid.strain)] = 1
        part["doubled"][: contract.factor.bit_length() - 1] = 1
        part["dummy"][self._places(dummy)] = 1
        part["won"][: view.won] = 1
        played, trick = (part[name].reshape(HANDS, self.deck.size) for name in ("played", "trick"))
        tricks = part["tricks"].reshape(self.deck.hand_size, self.deck.size)
        # The hands of an observation in the order of the chairs.
        hands = (declarer, (declarer + 1) % PLAYERS, DUMMY, (declarer + 2) % PLAYERS)
        for number, done in enumerate(view.tricks):
            for at, place in enumerate(self._places(done.cards)):
                played[hands[(done.leader + at) % HANDS], place] = 1
                tricks[number, place] = 1
        for at, place in enumerate(self._places(view.trick)):
            hand = hands[(leader + at) % HANDS]
            played[hand, place] = trick[hand, place] = 1
            tricks[len(view.tricks), place] = 1


@dataclass(frozen=True)
class Rules:
    """The rules of one environment."""

    deck: Deck
    scheme: Scheme
    doubles: bool

    @classmethod
    def of(cls, deck: Deck | str, scheme: Scheme | str, doubles: bool) -> Rules:
        """Rules from values or text; a deck that cannot be dealt is refused here."""
        deck = Deck(deck) if isinstance(deck, str) else deck
        scheme = find_scheme(scheme) if isinstance(scheme, str) else scheme
        if not isinstance(deck, Deck):
            raise SettingError(f"{shown(deck)} is not a deck: expected suits x ranks, as in '4x13'")
        if not isinstance(scheme, Scheme):
            raise SettingError(f"{shown(scheme)} is not a scoring scheme: expected a name")
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

    def payoffs(self, table: Table) -> tuple[float, float, float]:
        """The settlement of a deal, North first: 0 for everybody until it is over."""
        if table.outcome is None:
            return 0.0, 0.0, 0.0
        north, east, south = settle(scores(table.outcome, self.scheme, self.deck))
        return float(north), float(east), float(south)
