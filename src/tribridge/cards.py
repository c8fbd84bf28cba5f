"""Suits, ranks, strains, cards, hands and decks.

Encoding. A card is a number from 0 to 51: `13 * suit + rank`, with suits in the order Clubs,
Diamonds, Hearts, Spades and rank 0 for the Ace up to rank 12 for the Two, as in the paper's state
matrix. A hand is a 52-bit mask with bit `n` for card `n`, so that bits `13 s` to `13 s + 12` are
row `s` of that matrix, Ace first.

A deck is the first `n` suits and the top `m` ranks of the full pack. Cards keep their numbers in
every deck, so the whole program runs unchanged on a deck small enough to be enumerated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Final

from tribridge.codec import text_form
from tribridge.errors import CardsError, FormatError, SettingError, quantity, shown

HANDS: Final = 4
"""Hands in a deal: three players and the hidden hand."""

_STRIDE: Final = 13
_ROW: Final = (1 << _STRIDE) - 1


@text_form(lambda text: parse_suit(text), lambda suit: suit.letter)
class Suit(IntEnum):
    """The four suits, lowest first.

    Examples:
        >>> Suit.HEARTS.letter, Suit.HEARTS.sign, Suit.HEARTS < Suit.SPADES
        ('H', '♥', True)
    """

    CLUBS = 0
    DIAMONDS = 1
    HEARTS = 2
    SPADES = 3

    @property
    def letter(self) -> str:
        return "CDHS"[self]

    @property
    def sign(self) -> str:
        return "♣♦♥♠"[self]

    @property
    def word(self) -> str:
        return self.name.lower()


class Rank(IntEnum):
    """The thirteen ranks by their column in the state matrix: Ace 0, Two 12.

    Examples:
        >>> Rank.TEN.letter, Rank.ACE < Rank.KING
        ('T', True)
    """

    ACE = 0
    KING = 1
    QUEEN = 2
    JACK = 3
    TEN = 4
    NINE = 5
    EIGHT = 6
    SEVEN = 7
    SIX = 8
    FIVE = 9
    FOUR = 10
    THREE = 11
    TWO = 12

    @property
    def letter(self) -> str:
        return "AKQJT98765432"[self]


@text_form(lambda text: parse_strain(text), lambda strain: strain.letter)
class Strain(IntEnum):
    """What a bid names: a suit as trumps, or notrump, the highest.

    Examples:
        >>> Strain.NOTRUMP.letter, Strain.NOTRUMP > Strain.SPADES, Strain.SPADES.trump
        ('NT', True, <Suit.SPADES: 3>)
    """

    CLUBS = 0
    DIAMONDS = 1
    HEARTS = 2
    SPADES = 3
    NOTRUMP = 4

    @property
    def letter(self) -> str:
        return ("C", "D", "H", "S", "NT")[self]

    @property
    def sign(self) -> str:
        return ("♣", "♦", "♥", "♠", "NT")[self]

    @property
    def trump(self) -> Suit | None:
        """The trump suit, or None in notrump."""
        return None if self is Strain.NOTRUMP else Suit(int(self))


_SUIT_BY_TEXT: Final = {s.letter: s for s in Suit} | {
    sign: suit for suit, signs in zip(Suit, ("♣♧", "♦♢", "♥♡", "♠♤"), strict=True) for sign in signs
}
_RANK_BY_TEXT: Final = {r.letter: r for r in Rank}
_STRAIN_BY_TEXT: Final = (
    {s.letter: s for s in Strain} | {s.sign: s for s in Strain} | {"N": Strain.NOTRUMP}
)


def parse_suit(text: str) -> Suit:
    """Read a suit from its letter (upper or lower case) or symbol."""
    try:
        return _SUIT_BY_TEXT[text.upper()]
    except KeyError:
        raise FormatError(f"unknown suit {shown(text)}: expected C, D, H, S or ♣ ♦ ♥ ♠") from None


def parse_strain(text: str) -> Strain:
    """Read a strain: a suit, or NT (also N)."""
    try:
        return _STRAIN_BY_TEXT[text.upper()]
    except KeyError:
        raise FormatError(f"unknown strain {shown(text)}: expected C, D, H, S or NT") from None


def parse_rank(text: str) -> Rank:
    """Read a rank; `10` stands for `T`."""
    try:
        return _RANK_BY_TEXT["T" if text == "10" else text.upper()]
    except KeyError:
        known = "A K Q J T 9 8 7 6 5 4 3 2"
        raise FormatError(f"unknown rank {shown(text)}: expected {known}") from None


@text_form(lambda text: parse_card(text), lambda card: card.name)
class Card(int):
    """One card, as its number from 0 (ace of clubs) to 51 (two of spades).

    Examples:
        >>> card = Card("SK")
        >>> card, str(card), card.suit.word, int(card)
        (Card('SK'), '♠K', 'spades', 40)

    Raises:
        FormatError: the text is not a card.
    """

    __slots__ = ()

    def __new__(cls, card: int | str) -> Card:
        """A card from its number, or from text as `parse_card` reads it."""
        return parse_card(card) if isinstance(card, str) else super().__new__(cls, card)

    @classmethod
    def of(cls, suit: int, rank: int) -> Card:
        """The card of a suit and a rank."""
        return ALL_CARDS[_STRIDE * suit + rank]

    @property
    def suit(self) -> Suit:
        return _CARD_SUIT[self]

    @property
    def rank(self) -> Rank:
        return _CARD_RANK[self]

    @property
    def bit(self) -> int:
        """The mask of the hand that holds this card alone."""
        return 1 << self

    @property
    def name(self) -> str:
        """Suit letter then rank: the form that `parse_card` reads and files use."""
        return self.suit.letter + self.rank.letter

    def __str__(self) -> str:
        return self.suit.sign + self.rank.letter

    def __repr__(self) -> str:
        return f"Card({self.name!r})"


ALL_CARDS: Final = tuple(Card(n) for n in range(52))
_CARD_SUIT: Final = tuple(Suit(n // _STRIDE) for n in range(52))
_CARD_RANK: Final = tuple(Rank(n % _STRIDE) for n in range(52))


def parse_card(text: str) -> Card:
    """Read a card written suit then rank (`SK`, `♠10`) or rank then suit (`Ks`)."""
    text = text.strip()
    if len(text) >= 2:
        for suit, rank in ((text[0], text[1:]), (text[-1], text[:-1])):
            if suit.upper() in _SUIT_BY_TEXT:
                return Card.of(parse_suit(suit), parse_rank(rank))
    raise FormatError(f"cannot read card {shown(text)}: expected a suit and a rank, as in SK")


@text_form(lambda text: Hand(text), lambda hand: hand_name(hand))
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Hand:
    """A set of cards, written as text or given as a 52-bit mask.

    Cards are iterated over from clubs to spades, aces first.

    Examples:
        >>> hand = Hand("K...A")
        >>> hand, len(hand), "SK" in hand, list(hand)
        (Hand('K...A'), 2, True, [Card('CA'), Card('SK')])

    Raises:
        FormatError: the text is not a hand.
        CardsError: a card is given twice.
    """

    mask: int

    def __init__(self, cards: int | str = 0) -> None:
        mask = parse_cards(cards).mask if isinstance(cards, str) else cards
        object.__setattr__(self, "mask", mask)

    @classmethod
    def from_cards(cls, cards: Iterable[Card]) -> Hand:
        """The hand of these cards; a repeated card is an error."""
        mask = 0
        for card in cards:
            if mask & card.bit:
                raise CardsError(f"{card} is given twice")
            mask |= card.bit
        return cls(mask)

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __contains__(self, card: Card | str) -> bool:
        return bool(self.mask >> (parse_card(card) if isinstance(card, str) else card) & 1)

    def __iter__(self) -> Iterator[Card]:
        return cards_of(self.mask)

    def __or__(self, other: Hand) -> Hand:
        return Hand(self.mask | other.mask)

    def __and__(self, other: Hand) -> Hand:
        return Hand(self.mask & other.mask)

    def __sub__(self, other: Hand) -> Hand:
        return Hand(self.mask & ~other.mask)

    def __str__(self) -> str:
        return hand_name(self)

    def __repr__(self) -> str:
        return f"Hand({hand_name(self)!r})"

    def _repr_html_(self) -> str:
        suits = (Suit(s) for s in reversed(range(4)))
        return " ".join(suit_html(suit, rank_letters(self.row(suit)) or "–") for suit in suits)

    def row(self, suit: int) -> int:
        """The cards of one suit as a 13-bit mask, Ace in the lowest bit."""
        return self.mask >> _STRIDE * suit & _ROW

    def suit(self, suit: int) -> Hand:
        """The cards of one suit."""
        return Hand(self.mask & _ROW << _STRIDE * suit)

    def length(self, suit: int) -> int:
        """How many cards of one suit."""
        return self.row(suit).bit_count()


def cards_of(mask: int) -> Iterator[Card]:
    """The cards of a mask in the order of their numbers."""
    while mask:
        low = mask & -mask
        yield ALL_CARDS[low.bit_length() - 1]
        mask ^= low


@text_form(lambda text: parse_deck(text), str)
@dataclass(frozen=True)
class Deck:
    """The first `suits` suits and the top `ranks` ranks of the full pack.

    Examples:
        >>> FULL_DECK.size, FULL_DECK.hand_size, FULL_DECK.book, FULL_DECK.levels
        (52, 13, 6, 7)
        >>> Deck(4, 3).hand_size, Deck(4, 3).book, Deck(4, 3).levels
        (3, 1, 2)

    Raises:
        SettingError: there are no such suits or ranks; from `hand_size` on, if the cards cannot
            be dealt into four equal hands.
    """

    suits: int = 4
    ranks: int = 13

    def __post_init__(self) -> None:
        if not (1 <= self.suits <= 4 and 1 <= self.ranks <= 13):
            raise SettingError(
                f"no deck of {self.suits} suits x {self.ranks} ranks: "
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
        return (*(Strain(s) for s in range(self.suits)), Strain.NOTRUMP)

    def __str__(self) -> str:
        return f"{self.suits}x{self.ranks}"


FULL_DECK: Final = Deck()


def parse_deck(text: str, kind: type[Deck] = Deck) -> Deck:
    """Read a deck, of some kind, written as suits x ranks, as in `4x13`."""
    match = re.fullmatch(r"\s*(\d{1,3})\s*[x×]\s*(\d{1,3})\s*", text.lower())
    if match is None:
        raise FormatError(f"cannot read deck {text!r}: expected suits x ranks, as in 4x13")
    return kind(int(match[1]), int(match[2]))


def check_hand(hand: Hand, deck: Deck = FULL_DECK, name: str = "the hand") -> None:
    """Check that a hand is exactly one hand of the deck."""
    foreign = hand.mask & ~deck.mask
    if foreign:
        raise CardsError(f"{name}: {next(cards_of(foreign))} is not in a deck of {deck}")
    if len(hand) != deck.hand_size:
        raise CardsError(f"{name} has {quantity(len(hand), 'card')}, not {deck.hand_size}")


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
        Suit(s).sign + (rank_letters(hand.row(s)) or "-") for s in reversed(range(deck.suits))
    )


def suit_html(suit: Suit, text: str) -> str:
    """A suit symbol in its colour, followed by text, as HTML."""
    colour = "#c8102e" if suit in (Suit.DIAMONDS, Suit.HEARTS) else "inherit"
    return f'<span style="color:{colour}">{suit.sign}</span>{text}'


def rank_letters(row: int) -> str:
    """The ranks of a 13-bit mask, from the Ace down."""
    return "".join(rank.letter for rank in Rank if row >> rank & 1)


def parse_hand(text: str, deck: Deck = FULL_DECK, name: str = "the hand") -> Hand:
    """Read a whole hand: S.H.D.C (as in PBN), or with suit symbols or letters.

    `10` is read as `T`, lower case as upper, `-` as a void. A hand with the wrong
    number of cards or a repeated card is an error that names the card or the count.

    Examples:
        >>> str(parse_hand("♠AKQ ♥10 9 8 ♦KJ2 ♣A543"))
        'AKQ.T98.KJ2.A543'
    """
    hand = parse_cards(text, deck, name)
    check_hand(hand, deck, name)
    return hand


def parse_cards(text: str, deck: Deck = FULL_DECK, name: str = "the hand") -> Hand:
    """Read any number of cards, in the forms of `parse_hand`."""
    text = text.strip()
    if not text:
        raise FormatError(f"{name} is empty: expected cards as in AKQ.T98.KJ2.A543")
    if not text.isprintable():
        raise FormatError(f"{name} contains unprintable characters")
    mask = 0
    for suit, ranks in _suit_texts(text, deck, name):
        for rank_text in ranks.upper().replace("10", "T"):
            if rank_text.isspace() or rank_text in "-–—,":
                continue
            try:
                card = Card.of(suit, parse_rank(rank_text))
            except FormatError as error:
                raise FormatError(f"{name}: {error} (in {suit.word})") from None
            if not deck.mask & card.bit:
                raise CardsError(f"{name}: {card} is not in a deck of {deck}")
            if mask & card.bit:
                raise CardsError(f"{name}: {card} is given twice")
            mask |= card.bit
    return Hand(mask)


def _suit_texts(text: str, deck: Deck, name: str) -> Iterator[tuple[Suit, str]]:
    """Split a hand's text into its suits, each with the text of its ranks."""
    if text[0].upper() in _SUIT_BY_TEXT:
        yield from _signed_suits(text, name)
        return
    parts = text.split(".")
    if len(parts) != deck.suits:
        raise FormatError(
            f"{name} {text!r} has {quantity(len(parts), 'suit')}, expected {deck.suits} "
            "separated by dots: spades.hearts.diamonds.clubs"
        )
    yield from zip((Suit(s) for s in reversed(range(deck.suits))), parts, strict=True)


def _signed_suits(text: str, name: str) -> Iterator[tuple[Suit, str]]:
    """Split text such as `♠AKQ ♥T98` at its suit signs or letters."""
    starts = [at for at, char in enumerate(text) if char.upper() in _SUIT_BY_TEXT]
    seen: set[Suit] = set()
    for at, end in zip(starts, [*starts[1:], len(text)], strict=True):
        suit = parse_suit(text[at])
        if suit in seen:
            raise FormatError(f"{name}: {suit.word} are given twice")
        seen.add(suit)
        yield suit, text[at + 1 : end].strip(" :.,;\ufe0e\ufe0f")
