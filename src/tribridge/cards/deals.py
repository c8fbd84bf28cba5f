"""Seats, deals (four hands that share out a deck), and frozen mappings by seat or by strain.

Hands 0, 1 and 2 belong to the three players, called North, East and South in the order in which
they call; hand 3 is the hidden hand. In a PBN deal string these are N, E, S and W.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations
from operator import or_
from typing import Any, Final, SupportsIndex, TypeVar, get_args, overload

from tribridge.cards.cards import (
    FULL_DECK,
    HANDS,
    Cards,
    Deck,
    Hand,
    Named,
    Strain,
    Written,
    check_hand,
    hand_name,
    parse_cards,
)
from tribridge.cards.diagram import Place, svg_diagram
from tribridge.common.codec import text_form
from tribridge.common.errors import (
    CardsError,
    FormatError,
    SettingError,
    check_type,
    shown,
    unchanging,
)
from tribridge.common.sentences import words

T = TypeVar("T")

HIDDEN: Final = 3
"""Index of the hidden hand in a deal."""

COMPASS: Final = "NESW"
_RANKS: Final = "AKQJT98765432"
_HAND_NAMES: Final = tuple(words("the hand of {letter}", letter=letter) for letter in COMPASS)


@text_form(lambda text: Seat(text), lambda seat: seat.letter)
class Seat(Named):
    """The three players, clockwise.

    Examples:
        >>> Seat("s"), Seat.SOUTH.letter, str(Seat.SOUTH.left)
        (Seat.SOUTH, 'S', 'North')
    """

    NORTH = "N"
    EAST = "E"
    SOUTH = "S"

    @property
    def left(self) -> Seat:
        """The player to the left, who acts next."""
        return self.after(1)

    @property
    def right(self) -> Seat:
        """The player to the right, who acted before."""
        return self.after(2)

    def after(self, turns: int) -> Seat:
        """The player who acts so many turns later."""
        return SEATS[(self.index + turns) % 3]

    def __str__(self) -> str:
        return self.name.title()


SEATS: Final = tuple(Seat)


def three(values: Iterable[T]) -> tuple[T, T, T]:
    """The values of the three players as a tuple, North first."""
    north, east, south = values
    return north, east, south


class Hands(tuple[Hand, Hand, Hand, Hand]):
    """The hands of a deal, by seat (as text, too), by `hidden` or by number."""

    __slots__ = ()

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> Hand: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Hand, ...]: ...
    def __getitem__(self, key: SupportsIndex | str | slice) -> Hand | tuple[Hand, ...]:
        if isinstance(key, str):
            key = HIDDEN if key.strip().upper() in ("W", "HIDDEN") else Seat(key).index
        return tuple.__getitem__(self, key)


@text_form(lambda text: Deal(text), lambda deal: deal_name(deal))
@unchanging
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Deal(Written):
    """Four hands: North, East, South and the hidden hand.

    Given as a tuple of hands, which is not checked (`Deal.of` checks it), or as text, which is.

    Examples:
        >>> deal = Deal("N:J.J A.K Q.A K.Q", "2x4")
        >>> deal.hidden, deal.hands["N"], deal.hands[Seat.EAST]
        (Hand('..K.Q'), Hand('..J.J'), Hand('..A.K'))

    Raises:
        FormatError: the text is not a deal.
        CardsError: a card is missing, is in two hands or is not in the deck.
    """

    hands: Hands
    deck: Deck

    def __init__(
        self, hands: tuple[Hand, Hand, Hand, Hand] | Deal | str, deck: Deck | str = FULL_DECK
    ) -> None:
        deck = deck if isinstance(deck, Deck) else Deck(deck)
        if isinstance(hands, Deal):
            deck, hands = hands.deck, hands.hands
        elif isinstance(hands, str):
            hands = _parse(hands, deck)
        elif not isinstance(hands, tuple) or len(hands) != HANDS:
            raise FormatError(f"{shown(hands)} is not a deal: expected four hands, as in N:J63...")
        object.__setattr__(self, "hands", Hands(hands))
        object.__setattr__(self, "deck", deck)

    @classmethod
    def of(cls, hands: Sequence[Hand], deck: Deck = FULL_DECK) -> Deal:
        """A checked deal: four whole hands of the deck, no card in two hands."""
        check_type(hands, "Deal.of: hands", "Sequence[Hand]", Sized)
        check_type(deck, "Deal.of: deck", "Deck", Deck)
        if len(hands) != HANDS:
            raise CardsError(f"a deal has {HANDS} hands, not {len(hands)}")
        if not all(isinstance(hand, Hand) for hand in hands):
            raise SettingError(f"Deal.of: hands must be Sequence[Hand], not {shown(hands)}")
        for (first, hand), (second, other) in combinations(zip(_HAND_NAMES, hands, strict=True), 2):
            if common := hand & other:
                card = next(iter(common))
                both = words("{card} is in both {one} and {two}", card=card, one=first, two=second)
                raise CardsError(both)
        for name, hand in zip(_HAND_NAMES, hands, strict=True):
            check_hand(hand, deck, name)
        return cls((hands[0], hands[1], hands[2], hands[3]), deck)

    @classmethod
    def from_hands(
        cls, hands: Mapping[str, Cards] | Mapping[Seat, Cards], deck: Deck = FULL_DECK
    ) -> Deal:
        """A checked deal from hands by seat or `hidden`; one may be left out: the other cards.

        Examples:
            >>> print(Deal.from_hands({"N": "J.J", "E": "A.K", "hidden": "K.Q"}, Deck("2x4")))
            N:J.J A.K Q.A K.Q
        """
        kinds = "Mapping[str, Cards] | Mapping[Seat, Cards]"
        check_type(hands, "Deal.from_hands: hands", kinds, Mapping)
        check_type(deck, "Deal.from_hands: deck", "Deck", Deck)
        given = {}
        for seat, cards in hands.items():
            hidden = isinstance(seat, str) and seat.strip().upper() in ("W", "HIDDEN")
            at = HIDDEN if hidden else Seat(seat).index
            if isinstance(cards, str):
                given[at] = parse_cards(cards, deck, _HAND_NAMES[at])
            else:
                given[at] = Hand(cards)
        missing = [at for at in range(HANDS) if at not in given]
        if len(missing) > 1:
            raise CardsError(
                f"{' and '.join(_HAND_NAMES[at] for at in missing)} are not given: "
                "only one hand of a deal may be left out"
            )
        for at in missing:
            given[at] = Hand(deck.mask & ~reduce(or_, (hand.mask for hand in given.values())))
        return cls.of([given[at] for at in range(HANDS)], deck)

    @property
    def hidden(self) -> Hand:
        """The hidden hand, the dummy of whoever declares."""
        return self.hands[HIDDEN]

    @property
    def is_ending(self) -> bool:
        """Whether it is an end position: hands of fewer cards than the deck gives each."""
        return len(self.hidden) != self.deck.hand_size

    def __str__(self) -> str:
        return deal_name(self)

    def _repr_svg_(self) -> str:
        north, east, south, hidden = (
            Place(name, hand)
            for name, hand in zip((*map(str, Seat), "Hidden"), self.hands, strict=True)
        )
        return svg_diagram((north, east, south, hidden), deck=self.deck)

    def __repr__(self) -> str:
        small = "" if self.deck == FULL_DECK else f", {self.deck!r}"
        return f"Deal({deal_name(self)!r}{small})"


def deal_name(deal: Deal, first: str = "N") -> str:
    """Write a deal as a PBN deal string, starting with the hand named `first`."""
    start = COMPASS.index(first)
    hands = deal.hands[start:] + deal.hands[:start]
    return f"{first}:" + " ".join(hand_name(hand, deal.deck) for hand in hands)


def looks_like_deal(text: str) -> bool:
    """Whether a text begins like a PBN deal string, with `N:` for example."""
    return _has_opening(text) and "." in text


def _has_opening(text: str) -> bool:
    text = text.lstrip()
    return len(text) > 1 and text[0].upper() in COMPASS and text[1] == ":"


def _parse(text: str, deck: Deck) -> Hands:
    """Read a PBN deal string such as `N:AKQ.T98.KJ2.A543 ... ... ...`.

    One of the four hands may be `-` (not given): it then gets the remaining cards.

    Examples:
        >>> print(Deal("E:A.K Q.A K.Q -", Deck(2, 4)))
        N:J.J A.K Q.A K.Q
    """
    text = text.strip()
    if deck is FULL_DECK and (quick := _usual(text)) is not None:
        return quick
    if not _has_opening(text):
        raise FormatError(f"not a deal: {text[:40]!r}: expected N: (or E:, S:, W:) and four hands")
    parts = text[2:].split()
    if len(parts) != HANDS:
        raise FormatError(f"a deal has {HANDS} hands, but {text[:40]!r} has {len(parts)}")
    start = COMPASS.index(text[0].upper())
    letters = COMPASS[start:] + COMPASS[:start]
    given = {at: part for at, part in zip(letters, parts, strict=True) if part != "-"}
    return Deal.from_hands(given, deck).hands


def _usual(text: str) -> Hands | None:
    """A deal in the usual form, four whole hands of capitals and dots; None for any other.

    Files have thousands of them. What is wrong with a deal is said by the slower way.
    """
    start, parts = COMPASS.find(text[:1]), text[2:].split(" ")
    if start < 0 or text[1:2] != ":" or len(parts) != HANDS:
        return None
    masks = [0] * HANDS
    for at, part in enumerate(parts, start):
        suits = part.split(".")
        if len(suits) != 4:
            return None
        mask = 0
        for suit in suits:
            row = _row(suit)
            if row < 0:
                return None
            mask = mask << 13 | row
        if mask.bit_count() != 13:
            return None
        masks[at % HANDS] = mask
    if masks[0] | masks[1] | masks[2] | masks[3] != FULL_DECK.mask:
        return None
    return Hands(map(Hand, masks))


@lru_cache(1 << 13)
def _row(ranks: str) -> int:
    """The mask of a suit in one hand; -1 if there is anything but different ranks in it."""
    row = 0
    for letter in ranks:
        at = _RANKS.find(letter)
        if at < 0 or row >> at & 1:
            return -1
        row |= 1 << at
    return row


K = TypeVar("K", Strain, Seat)
V_co = TypeVar("V_co", covariant=True)


class _Keyed(Mapping[K, V_co]):
    """A frozen mapping whose keys may also be given as text."""

    __slots__ = ("_values",)
    _kind: type[K]

    def __init__(self, values: Mapping[K, V_co]) -> None:
        self._values: dict[K, V_co] = dict(values)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: Any) -> Any:
        """In JSON, an object with letters as keys."""
        from pydantic_core import core_schema as core

        (values,) = get_args(source) or (Any,)
        inner = core.dict_schema(
            handler.generate_schema(cls._kind), handler.generate_schema(values)
        )
        form = core.plain_serializer_function_ser_schema(dict, return_schema=inner)
        read = core.no_info_after_validator_function(cls, inner)
        either = core.union_schema([core.is_instance_schema(cls), read])
        return core.json_or_python_schema(read, either, serialization=form)

    def __getitem__(self, key: K | str) -> V_co:
        return self._values[self._kind(key) if isinstance(key, str) else key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def _repr_html_(self) -> str:
        """A table of what each one has, drawn if it draws itself."""
        from tribridge.common import charts

        return charts.table(("", ""), [(str(key), value) for key, value in self.items()])

    def __repr__(self) -> str:
        return (
            "{" + ", ".join(f"{key.letter}: {value}" for key, value in self._values.items()) + "}"
        )


class ByStrain(_Keyed[Strain, V_co]):
    """A value for each strain.

    Examples:
        >>> tricks = ByStrain({Strain.SPADES: 9, Strain.NOTRUMP: 7})
        >>> tricks["NT"], tricks[Strain.SPADES], tricks
        (7, 9, {S: 9, NT: 7})

    Raises:
        FormatError: a key is text that names no strain.
    """

    __slots__ = ()
    _kind = Strain


class BySeat(_Keyed[Seat, V_co]):
    """A value for each player, North first.

    Examples:
        >>> points = BySeat({Seat.NORTH: 0, Seat.EAST: 50, Seat.SOUTH: 50})
        >>> points["E"], points[Seat.NORTH], points
        (50, 0, {N: 0, E: 50, S: 50})

    Raises:
        FormatError: a key is text that names no player.
    """

    __slots__ = ()
    _kind = Seat
