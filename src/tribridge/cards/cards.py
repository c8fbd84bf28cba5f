"""Suits, ranks, strains, cards, hands and decks.

Cards, suits, ranks and strains are types of their own: always true, equal only to their own kind,
ordered as at the table (spades over clubs, the ace over the king). They can be made from what a
person writes: `Card("SK")`, `Suit("♥")`, `Strain("NT")`.

Encoding. Each of them has an `index`. The index of a suit is its row in the paper's state matrix,
clubs 0 to spades 3, that of a rank its column, ace 0 to two 12, and that of a card
`13 * row + column`. A hand is a 52-bit mask with bit `n` for card `n`, so that bits `13 s` to
`13 s + 12` are row `s` of that matrix, ace first.

A deck is the first `n` suits and the top `m` ranks of the full pack. Cards keep their numbers in
every deck, so the whole program runs unchanged on a deck small enough to be enumerated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from html import escape
from numbers import Integral
from typing import Any, Final, Self, SupportsIndex

from tribridge.common.codec import text_form
from tribridge.common.errors import (
    CardsError,
    FormatError,
    SettingError,
    quantity,
    shown,
    unchanging,
)
from tribridge.common.sentences import counted, words

HANDS: Final = 4
"""Hands in a deal: three players and the hidden hand."""

_STRIDE: Final = 13
_ROW: Final = (1 << _STRIDE) - 1
_ACES: Final = sum(1 << _STRIDE * suit for suit in range(4))
_RED: Final = r'<span style="color: #c8102e">\g<0></span>'
_SELECTORS: Final = str.maketrans("", "", "\ufe0e\ufe0f")
"""Characters after a symbol that choose how it is shown, as phones write them."""


def compact(text: str) -> str:
    """Text in upper case, without blanks and selectors."""
    return "".join(text.translate(_SELECTORS).upper().split())


class Written:
    """A value whose text can be aligned: `f"{card:>4}"`."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        return format(str(self), form)


class _Ordered(Written):
    """Comparisons within a class, by `_order`."""

    __slots__ = ()
    _order: int

    def __lt__(self, other: Self) -> bool:
        return self._order < other._order if type(other) is type(self) else NotImplemented

    def __le__(self, other: Self) -> bool:
        return self._order <= other._order if type(other) is type(self) else NotImplemented

    def __gt__(self, other: Self) -> bool:
        return self._order > other._order if type(other) is type(self) else NotImplemented

    def __ge__(self, other: Self) -> bool:
        return self._order >= other._order if type(other) is type(self) else NotImplemented


class Named(_Ordered, Enum):
    """One of a few things that have a letter, and an index for tuples and arrays."""

    index: int
    letter: str
    sign: str
    forms: tuple[str, ...]
    """How people write it, in upper case."""

    def __new__(cls, letter: Any, sign: str = "", *_: str) -> Self:
        member = object.__new__(cls)
        member._value_ = member.letter = letter
        member.sign = sign or letter
        member.index = member._order = len(cls.__members__)
        return member

    def __init__(self, *forms: Any) -> None:
        self.forms = tuple(form for form in (*forms, self.name) if form)

    @classmethod
    def _missing_(cls, value: object) -> Any:
        known = compact(value) if isinstance(value, str) else None
        numbered = hasattr(value, "__index__") and not isinstance(value, (bool, Named, Card))
        number = value if numbered else None
        for member in cls:
            if known in member.forms or number == member.index:
                return member
        *others, last = (member.letter for member in cls)
        kind = cls.__name__.lower()
        raise FormatError(f"unknown {kind} {shown(value)}: expected {', '.join(others)} or {last}")

    def __index__(self) -> int:
        return self.index

    def __hash__(self) -> int:
        return self.index  # sets are then in the same order in every run

    def __str__(self) -> str:
        return self.sign

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"


@text_form(lambda text: Suit(text), lambda suit: suit.letter)
class Suit(Named):
    """The four suits, lowest first.

    Examples:
        >>> Suit("♥"), Suit.HEARTS.letter, str(Suit.HEARTS), Suit.HEARTS < Suit.SPADES
        (Suit.HEARTS, 'H', '♥', True)
    """

    CLUBS = "C", "♣", "♧", "CLUB"
    DIAMONDS = "D", "♦", "♢", "DIAMOND"
    HEARTS = "H", "♥", "♡", "HEART"
    SPADES = "S", "♠", "♤", "SPADE"

    @property
    def word(self) -> str:
        return self.name.lower()


SUITS: Final = tuple(Suit)


class Rank(Named):
    """The thirteen ranks, by their column in the state matrix; the ace is the highest.

    Examples:
        >>> Rank.TEN.letter, Rank.ACE > Rank.KING, Rank.ACE.index
        ('T', True, 0)
    """

    ACE = "A"
    KING = "K"
    QUEEN = "Q"
    JACK = "J"
    TEN = "T", "", "10"
    NINE = "9"
    EIGHT = "8"
    SEVEN = "7"
    SIX = "6"
    FIVE = "5"
    FOUR = "4"
    THREE = "3"
    TWO = "2"

    def __init__(self, *forms: Any) -> None:
        super().__init__(*forms)
        self._order = -self.index


RANKS: Final = tuple(Rank)


@text_form(lambda text: Strain(text), lambda strain: strain.letter)
class Strain(Named):
    """What a bid names: a suit as trumps, or notrump, the highest.

    Examples:
        >>> Strain("NT"), Strain.NOTRUMP > Strain.SPADES, Strain.SPADES.trump
        (Strain.NOTRUMP, True, Suit.SPADES)
    """

    trump: Suit | None
    """The trump suit, or None in notrump."""

    CLUBS = "C", "♣", "♧", "CLUB"
    DIAMONDS = "D", "♦", "♢", "DIAMOND"
    HEARTS = "H", "♥", "♡", "HEART"
    SPADES = "S", "♠", "♤", "SPADE"
    NOTRUMP = "NT", "NT", "N", "NOTRUMPS"

    def __init__(self, *forms: Any) -> None:
        super().__init__(*forms)
        self.trump = SUITS[self.index] if self.index < len(SUITS) else None


STRAINS: Final = tuple(Strain)


@text_form(lambda text: Card(text), lambda card: card.name)
class Card(_Ordered):
    """One of the 52 cards, ordered by suit and then by rank, ace high.

    Text is a suit and a rank (`SK`, `♠10`) or a rank and a suit (`Ks`).

    Examples:
        >>> card = Card("SK")
        >>> card, str(card), card.suit, card.rank, card.index
        (Card('SK'), '♠K', Suit.SPADES, Rank.KING, 40)
        >>> max(Card("SK"), Card("SA"), Card("HA")), Card("♠️K") is card
        (Card('SA'), True)

    Raises:
        FormatError: there is no such card.
    """

    __slots__ = ("_order", "bit", "column", "index", "name", "rank", "row", "suit")

    index: int
    """The number of the card, from 0 (ace of clubs) to 51 (two of spades)."""
    suit: Suit
    rank: Rank
    row: int
    """The index of the suit."""
    column: int
    """The index of the rank."""
    bit: int
    """The mask of the hand that holds this card alone."""
    name: str
    """Suit letter then rank, as files have it."""

    def __new__(cls, card: Card | str | SupportsIndex) -> Card:
        """A card from text or from its index."""
        if isinstance(card, Card):
            return card
        if isinstance(card, str):
            return _CARD_BY_NAME.get(card) or _read_card(card)
        whole = isinstance(card, Integral) and not isinstance(card, bool)  # NumPy's too
        if whole and 0 <= (number := int(card)) < len(ALL_CARDS):
            return ALL_CARDS[number]
        raise FormatError(f"{shown(card)} is not a card: expected a suit and a rank, as in SK")

    @classmethod
    def of(cls, suit: Suit | str, rank: Rank | str) -> Card:
        """The card of a suit and a rank."""
        return ALL_CARDS[_STRIDE * Suit(suit).index + Rank(rank).index]

    @staticmethod
    def _all() -> Iterator[Card]:
        """Make the 52 cards, once."""
        for suit in SUITS:
            for rank in RANKS:
                index = _STRIDE * suit.index + rank.index
                made = object.__new__(Card)
                for field, value in (
                    ("_order", _STRIDE * suit.index - rank.index),
                    ("bit", 1 << index),
                    ("column", rank.index),
                    ("index", index),
                    ("name", suit.letter + rank.letter),
                    ("rank", rank),
                    ("row", suit.index),
                    ("suit", suit),
                ):
                    object.__setattr__(made, field, value)
                yield made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r} cannot be changed")

    def __reduce__(self) -> tuple[type[Card], tuple[int]]:
        return Card, (self.index,)

    def __index__(self) -> int:
        return self.index

    def __hash__(self) -> int:
        return self.index

    def __str__(self) -> str:
        return self.suit.sign + self.rank.letter

    def __repr__(self) -> str:
        return f"Card({self.name!r})"


ALL_CARDS: Final = tuple(Card._all())
_CARD_BY_NAME: Final = {card.name: card for card in ALL_CARDS}
_SUIT_BY_TEXT: Final = {form: suit for suit in SUITS for form in suit.forms if len(form) == 1}


def card_at(row: int, column: int) -> Card:
    """The card of a suit and a rank, by their indices."""
    return ALL_CARDS[_STRIDE * row + column]


def _read_card(given: str) -> Card:
    text = compact(given)
    if len(text) >= 2:
        for suit, rank in ((text[0], text[1:]), (text[-1], text[:-1])):
            if suit in _SUIT_BY_TEXT:
                return Card.of(_SUIT_BY_TEXT[suit], rank)
    raise FormatError(f"cannot read card {shown(given)}: expected a suit and a rank, as in SK")


@text_form(lambda text: Hand(text), lambda hand: hand_name(hand))
@unchanging
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Hand(Written):
    """A set of cards, written as text or given as cards or as a 52-bit mask.

    Cards are iterated over from clubs to spades, aces first.

    Examples:
        >>> hand = Hand("K...A")
        >>> hand, len(hand), "SK" in hand, list(hand), max(hand)
        (Hand('K...A'), 2, True, [Card('CA'), Card('SK')], Card('SK'))
        >>> hand == Hand(["SK", "CA"]) == Hand("SK CA"), hand - "SK", hand | "HQ J"
        (True, Hand('...A'), Hand('K.QJ..A'))
        >>> hand.hcp, hand.shape, hand.suit("S"), hand.length("S")
        (7, (1, 0, 0, 1), Hand('K...'), 1)

    Raises:
        FormatError: the text is not a hand.
        CardsError: a card is given twice.
    """

    mask: int

    def __init__(self, cards: Cards | Iterable[SupportsIndex] | SupportsIndex = 0) -> None:
        whole = isinstance(cards, Integral) and not isinstance(cards, bool)
        mask = int(cards) if whole else _mask_of(cards)  # type: ignore[arg-type]
        if mask >> 52:
            raise CardsError(f"{shown(cards)} is not the mask of a hand: expected 0 to 2^52 - 1")
        object.__setattr__(self, "mask", mask)

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __contains__(self, card: Card | str) -> bool:
        return bool(self.mask & Card(card).bit)

    def __iter__(self) -> Iterator[Card]:
        return cards_of(self.mask)

    def __or__(self, other: Cards) -> Hand:
        return Hand(self.mask | _mask_of(other))

    def __and__(self, other: Cards) -> Hand:
        return Hand(self.mask & _mask_of(other))

    def __sub__(self, other: Cards) -> Hand:
        return Hand(self.mask & ~_mask_of(other))

    def __str__(self) -> str:
        return hand_name(self)

    def __repr__(self) -> str:
        return f"Hand({hand_name(self)!r})"

    def _repr_html_(self) -> str:
        return html_text(hand_signs(self))

    @property
    def hcp(self) -> int:
        """High-card points: ace 4, king 3, queen 2, jack 1."""
        return sum((4 - rank) * (self.mask >> rank & _ACES).bit_count() for rank in range(4))

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """The lengths of spades, hearts, diamonds and clubs, as a hand is written."""
        clubs, diamonds, hearts, spades = (self.row(suit).bit_count() for suit in range(4))
        return spades, hearts, diamonds, clubs

    def suit(self, suit: Suit | str) -> Hand:
        """The cards of one suit."""
        return Hand(self.mask & _ROW << _STRIDE * Suit(suit).index)

    def length(self, suit: Suit | str) -> int:
        """How many cards of one suit."""
        return self.row(Suit(suit).index).bit_count()

    def row(self, suit: int) -> int:
        """The cards of the suit with this index as a 13-bit mask, ace in the lowest bit."""
        return self.mask >> _STRIDE * suit & _ROW


Cards = Hand | Card | str | Iterable[Card | str]
"""Cards as a person may give them."""


def _mask_of(cards: Cards) -> int:
    if isinstance(cards, Hand):
        return cards.mask
    if isinstance(cards, Card):
        return cards.bit
    if isinstance(cards, str):
        return parse_cards(cards).mask
    if not isinstance(cards, Iterable):
        raise FormatError(f"{shown(cards)} is not a hand: expected cards as in AKQ.T98.KJ2.A543")
    given, mask = list(cards), 0
    numbers = [card for card in given if isinstance(card, Integral)]
    if numbers and len(numbers) < len(given):
        raise FormatError(
            f"{shown(numbers[0])} stands beside cards: expected a suit and a rank, as in SK"
        )
    for card in map(Card, given):
        if mask & card.bit:
            raise CardsError(f"{card} is given twice")
        mask |= card.bit
    return mask


def cards_of(mask: int) -> Iterator[Card]:
    """The cards of a mask in the order of their numbers."""
    while mask:
        low = mask & -mask
        yield ALL_CARDS[low.bit_length() - 1]
        mask ^= low


@text_form(lambda text: Deck(text), str)
@dataclass(frozen=True, init=False)
class Deck(Written):
    """The first `suits` suits and the top `ranks` ranks of the full pack, or text as in `4x8`.

    Examples:
        >>> FULL_DECK.size, FULL_DECK.hand_size, FULL_DECK.book, FULL_DECK.levels
        (52, 13, 6, 7)
        >>> small = Deck("4x3")
        >>> small == Deck(4, 3), small.hand_size, small.book, small.levels
        (True, 3, 1, 2)

    Raises:
        FormatError: the text is not a deck.
        SettingError: there are no such suits or ranks; from `hand_size` on, if the cards cannot
            be dealt into four equal hands.
    """

    suits: int
    ranks: int

    def __init__(self, suits: Deck | str | int = 4, ranks: int = 13) -> None:
        if isinstance(suits, str):
            match = re.fullmatch(r"\s*(\d{1,3})\s*[x×]\s*(\d{1,3})\s*", suits.lower())
            if match is None:
                raise FormatError(f"cannot read deck {suits!r}: expected suits x ranks, as in 4x13")
            suits, ranks = int(match[1]), int(match[2])
        elif isinstance(suits, Deck):
            ranks, suits = suits.ranks, suits.suits
        elif not isinstance(suits, int):
            raise FormatError(f"{shown(suits)} is not a deck: expected suits x ranks, as in '4x13'")
        object.__setattr__(self, "suits", suits)
        object.__setattr__(self, "ranks", ranks)
        self.__post_init__()

    def __post_init__(self) -> None:
        whole = type(self.suits) is type(self.ranks) is int
        if not (whole and 1 <= self.suits <= 4 and 1 <= self.ranks <= 13):
            raise SettingError(
                f"no deck of {shown(self.suits)} suits x {shown(self.ranks)} ranks: "
                "cards and bids have 1 to 4 suits and 1 to 13 ranks"
            )

    @property
    def size(self) -> int:
        """Cards in the deck."""
        return self.suits * self.ranks

    @property
    def hand_size(self) -> int:
        """Cards in a hand, which is also the number of tricks: a quarter of the deck."""
        if self.size % HANDS:
            raise SettingError(f"a deck of {self.size} cards cannot be dealt into four equal hands")
        return self.size // HANDS

    @property
    def book(self) -> int:
        """The book: tricks below those that a level counts, 6 of 13, fewer for a smaller hand."""
        return self.hand_size // 2

    @property
    def levels(self) -> int:
        """The highest level of a bid: 7 with 13 tricks."""
        return self.hand_size - self.book

    @cached_property
    def mask(self) -> int:
        """All cards of the deck."""
        row = (1 << self.ranks) - 1
        return sum(row << _STRIDE * suit for suit in range(self.suits))

    @cached_property
    def strains(self) -> tuple[Strain, ...]:
        """The strains that can be bid: the deck's suits, then notrump."""
        return (*STRAINS[: self.suits], Strain.NOTRUMP)

    def __str__(self) -> str:
        return f"{self.suits}x{self.ranks}"


FULL_DECK: Final = Deck()


def check_hand(hand: Hand, deck: Deck = FULL_DECK, name: str = "the hand") -> None:
    """Check that a hand is exactly one hand of the deck."""
    foreign = hand.mask & ~deck.mask
    if foreign:
        raise CardsError(f"{name}: {next(cards_of(foreign))} is not in a deck of {deck}")
    if len(hand) != deck.hand_size:
        cards = counted("{number} card", "{number} cards", len(hand))
        wrong = words("{name} has {cards}, not {size}", name=name, cards=cards, size=deck.hand_size)
        raise CardsError(wrong)


def check_pair(hand: Hand, dummy: Hand | None, deck: Deck = FULL_DECK) -> None:
    """Check that hand and dummy are whole hands of the deck and share no card."""
    check_hand(hand, deck)
    if dummy is None:
        return
    check_hand(dummy, deck, "the dummy")
    common = hand & dummy
    if common:
        raise CardsError(f"{next(iter(common))} is in both the hand and the dummy")


def hand_name(hand: Hand, deck: Deck = FULL_DECK) -> str:
    """Write a hand as S.H.D.C, highest suit first; a void is empty.

    Examples:
        >>> hand_name(parse_hand("akq.10 98.kj2.a543".replace(" ", "")))
        'AKQ.T98.KJ2.A543'
    """
    return ".".join(rank_letters(hand.row(s)) for s in reversed(range(deck.suits)))


def hand_signs(hand: Hand, deck: Deck = FULL_DECK) -> str:
    """Write a hand with suit symbols, as in `♠AKQ ♥T98 ♦KJ2 ♣A543`; a void is `-`."""
    return " ".join(
        suit.sign + (rank_letters(hand.row(suit.index)) or "-")
        for suit in reversed(SUITS[: deck.suits])
    )


def html_text(text: str) -> str:
    """Text for a notebook, laid out as in a terminal, with red suits in red."""
    red = re.sub(f"[{Suit.DIAMONDS.sign}{Suit.HEARTS.sign}]", _RED, escape(text))
    return f'<pre style="line-height: 1.25">{red}</pre>'


def rank_letters(row: int) -> str:
    """The ranks of a 13-bit mask, from the Ace down."""
    return "".join(rank.letter for rank in RANKS if row >> rank.index & 1)


def parse_hand(given: Cards, deck: Deck = FULL_DECK, name: str = "the hand") -> Hand:
    """Read a whole hand: S.H.D.C (as in PBN), with suit symbols or letters, or as cards.

    `10` is read as `T`, lower case as upper, `-` as a void. A hand with the wrong
    number of cards or a repeated card is an error that names the card or the count.

    Examples:
        >>> str(parse_hand("♠AKQ ♥10 9 8 ♦KJ2 ♣A543"))
        'AKQ.T98.KJ2.A543'
    """
    hand = parse_cards(given, deck, name) if isinstance(given, str) else Hand(_mask_of(given))
    check_hand(hand, deck, name)
    return hand


def parse_cards(text: str, deck: Deck = FULL_DECK, name: str = "the hand") -> Hand:
    """Read any number of cards, in the forms of `parse_hand`."""
    text = text.translate(_SELECTORS).strip()
    if not text:
        raise FormatError(f"{name} is empty: expected cards as in AKQ.T98.KJ2.A543")
    if not text.isprintable():
        raise FormatError(f"{name} contains unprintable characters")
    mask = 0
    for suit, ranks in _suit_texts(text.upper().replace("10", "T"), deck, name):
        for letter in ranks:
            if letter.isspace() or letter in "-–—,":
                continue
            try:
                card = Card.of(suit, letter)
            except FormatError as error:
                raise FormatError(f"{name}: {error} (in {suit.word})") from None
            if not deck.mask & card.bit:
                raise CardsError(f"{name}: {card} is not in a deck of {deck}")
            if mask & card.bit:
                raise CardsError(words("{name}: {card} is given twice", name=name, card=card))
            mask |= card.bit
    return Hand(mask)


def _suit_texts(text: str, deck: Deck, name: str) -> Iterator[tuple[Suit, str]]:
    """Split a hand's text into suits, each with the text of its ranks."""
    if text[0] in _SUIT_BY_TEXT:  # as in `♠AKQ ♥T98`
        starts = [at for at, char in enumerate(text) if char in _SUIT_BY_TEXT]
        ends = [*starts[1:], len(text)]
        split = [
            (_SUIT_BY_TEXT[text[at]], text[at + 1 : end].strip(" :.,;"))
            for at, end in zip(starts, ends, strict=True)
        ]
        suits = [suit for suit, _ in split]
        for suit, ranks in split:
            if suits.count(suit) > 1 and len(ranks) != 1:  # no list of cards, as in `SA SK HT`
                raise FormatError(f"{name}: {suit.word} are given twice")
        yield from split
        return
    parts = text.split(".") if "." in text else text.split()
    if all(len(part) == 2 and part[1] in _SUIT_BY_TEXT for part in parts):  # as in `AS KS TH`
        yield from ((_SUIT_BY_TEXT[part[1]], part[0]) for part in parts)
        return
    if len(parts) != deck.suits:
        raise FormatError(
            f"{name} {text!r} has {quantity(len(parts), 'suit')}, expected {deck.suits} "
            "separated by dots: spades.hearts.diamonds.clubs"
        )
    yield from zip(reversed(SUITS[: deck.suits]), parts, strict=True)
