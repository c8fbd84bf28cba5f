"""Conditions on a deal, in words: `hcp(N) >= 15 and balanced(N)`.

A condition is an expression of Python's grammar, of which only these parts have a meaning: the
functions below, numbers, `+ - * /`, comparisons (also in chains, as in `12 <= hcp(N) <= 14`),
`and`, `or`, `not` and parentheses. It is read into a tree of functions on arrays of deals; nothing
of the text is ever run.

The hands are those of the players `N`, `E` and `S` (or `North`, …) and the `hidden` hand (or `W`).
`HELP` has the functions. What stands beside `and` is looked at only for the deals that meet what
stands before it, so that whatever is slow belongs at the end.

A condition `has(N, "SA")` that must be met, alone or between `and`s, fixes cards: they are dealt to
the hand beforehand (`Condition.fixed`), and no deal is rejected for them.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise, permutations
from operator import and_, or_
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK, SUITS, Deck, Hand, Strain, Suit, parse_cards
from tribridge.cards.dealer import NONE_FIXED, Fixed
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.cards.masks import F64, U64, lengths, popcount, suit_mask
from tribridge.common.errors import CardsError, FormatError, SettingError, TribridgeError, quantity

LONGEST: Final = 2000
"""Letters of a condition at most."""
EXAMPLE: Final = "hcp(N) >= 15 and balanced(N)"

HELP: Final = {
    "hcp": "high-card points, in all suits or in one: hcp(N), hcp(N, hearts)",
    "spades": "cards of a suit: spades(N), hearts(N), diamonds(N), clubs(N)",
    "shape": 'lengths in any order, or spades first with =: shape(N, "5332", "5422"), '
    'shape(N, "5=3=3=2"); x is any length: shape(N, "54xx")',
    "balanced": "no void, no singleton, one doubleton at most: balanced(N)",
    "controls": "two for an ace and one for a king: controls(N)",
    "losers": "missing aces, kings and queens among the first three cards of each suit: losers(N)",
    "has": 'all of these cards: has(N, "SA"), has(N, "AK..A.")',
    "count": 'how many of these cards: count(N, "A.A.A.A") >= 3',
    "tricks": "double-dummy tricks of a player who declares, which takes time: tricks(N, NT)",
    "min": "the lowest of some numbers: min(hearts(N), spades(N)); also max",
}
"""The functions that a condition can name, one line each."""

Bools = NDArray[np.bool_]
Evaluate = Callable[[U64], Any]
Tricks = Callable[[U64, Seat, Strain], F64]
"""The double-dummy tricks of a declarer in a strain, for each deal."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a condition: what it gives for each deal of an array (n, 4) of hands."""

    truth: bool
    """Whether it is true or false, and not a number."""
    of: Evaluate
    fixed: Fixed | None = None
    """The cards that it demands and nothing else, if that is all."""


@dataclass(frozen=True)
class Condition:
    """A condition that was read: whether deals meet it, and the cards that it fixes.

    Examples:
        >>> condition = Condition("hcp(N) >= 10 and has(N, 'CA')")
        >>> from tribridge.cards.dealer_arrays import deal_masks
        >>> condition.met(deal_masks(1, 0, 3)).tolist(), Hand(condition.fixed[0])
        ([True, False, True], Hand('...A'))

    Raises:
        FormatError: the text cannot be read: the message names the place.
        CardsError: cards that no deal has in these hands at the same time.
    """

    text: str
    deck: Deck = FULL_DECK
    tricks: Tricks | None = field(default=None, repr=False, compare=False)
    fixed: Fixed = field(init=False)
    _part: _Part = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts = _Reader(self.text, self.deck, self.tricks).parts()
        fixed = [part.fixed for part in parts if part.fixed is not None]
        north, east, south, hidden = (
            reduce(or_, masks, 0) for masks in zip(NONE_FIXED, *fixed, strict=True)
        )
        object.__setattr__(self, "fixed", (north, east, south, hidden))
        object.__setattr__(self, "_part", _all_of(parts))
        _check_fixed(self.fixed, self.deck)

    def met(self, deals: U64) -> Bools:
        """Whether each deal of an array (n, 4) of masks meets the condition."""
        met: Bools = self._part.of(deals)
        return met


def _check_fixed(fixed: Fixed, deck: Deck) -> None:
    """Refuse cards that no deal has in these hands."""
    names = [*map(str, Seat), "the hidden hand"]
    seen: dict[int, str] = {}
    for name, mask in zip(names, fixed, strict=True):
        for card in Hand(mask):
            if card.index in seen:
                raise CardsError(f"{card} cannot be in the hands of {seen[card.index]} and {name}")
            seen[card.index] = name
        if mask.bit_count() > deck.hand_size:
            held = quantity(mask.bit_count(), "card")
            raise CardsError(f"the condition gives {name} {held}: a hand has {deck.hand_size}")


class _Reader:
    """Reads a text: every method takes a node of Python's syntax tree."""

    def __init__(self, text: str, deck: Deck, tricks: Tricks | None) -> None:
        self._text = re.sub(r"\s", " ", text)
        self._lead = len(self._text) - len(self._text.lstrip())
        self._deck = deck
        self._tricks = tricks

    def parts(self) -> list[_Part]:
        """The conditions that must all be met."""
        if not self._text.strip():
            raise FormatError(f"the condition is empty: expected one as in {EXAMPLE}")
        if len(self._text) > LONGEST:
            raise FormatError(
                f"the condition has {len(self._text):,} letters: {LONGEST:,} at most are read"
            )
        try:
            with warnings.catch_warnings():  # of Python, about `5and` or a backslash
                warnings.simplefilter("ignore")
                tree = ast.parse(self._text[self._lead :], mode="eval").body
            return [self._truth(node) for node in _between_ands(tree)]
        except SyntaxError as error:
            at = min(self._lead + max(0, (error.offset or 1) - 1), len(self._text))
            if self._text[at - 1 : at + 1] in ("&&", "||"):
                at -= 1
            self._fail(at, "cannot be read here" + _hint(self._text[at:]))
        except (RecursionError, MemoryError):
            raise FormatError("the condition is nested too deeply") from None
        except TribridgeError:
            raise
        except ValueError as error:  # a null character
            raise FormatError(f"the condition cannot be read: {error}") from None

    def _fail(self, where: ast.AST | int, problem: str) -> NoReturn:
        at = where if isinstance(where, int) else self._start(where)
        there = self._text[at : at + 24].rstrip()
        place = f"at {there!r}" if there else "at its end"
        raise FormatError(f"the condition, letter {at + 1}, {place}: {problem}") from None

    def _start(self, node: ast.AST) -> int:
        line = self._text[self._lead :].encode()
        return self._lead + len(line[: getattr(node, "col_offset", 0)].decode(errors="ignore"))

    def _source(self, node: ast.AST) -> str:
        line = self._text[self._lead :].encode()
        begin, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0)
        return line[begin:end].decode(errors="ignore")

    def _truth(self, node: ast.expr) -> _Part:
        part = self._part(node)
        if not part.truth:
            text = self._source(node)
            self._fail(node, f"a number: compare it with another, as in {text[:30]} >= 5")
        return part

    def _number(self, node: ast.expr) -> _Part:
        part = self._part(node)
        if part.truth:
            self._fail(node, "true or false, where a number is expected")
        return part

    def _part(self, node: ast.expr) -> _Part:
        match node:
            case ast.BoolOp(op=ast.And(), values=values):
                return _all_of([self._truth(value) for value in values])
            case ast.BoolOp(values=values):
                return _any_of([self._truth(value) for value in values])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self._truth(operand).of
                return _Part(True, lambda deals: ~inner(deals))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                amount = self._number(operand).of
                return _Part(False, lambda deals: -amount(deals))
            case ast.BinOp():
                return self._arithmetic(node)
            case ast.Compare():
                return self._comparison(node)
            case ast.Call():
                return self._call(node)
            case ast.Constant(value=(int() | float()) as value) if _usual(value):
                constant = float(value)
                return _Part(False, lambda deals: np.full(len(deals), constant))
        return self._fail(node, f"has no meaning in a condition: expected one as in {EXAMPLE}")

    def _arithmetic(self, node: ast.BinOp) -> _Part:
        left, right = self._number(node.left).of, self._number(node.right).of
        match node.op:
            case ast.Add():
                return _Part(False, lambda deals: left(deals) + right(deals))
            case ast.Sub():
                return _Part(False, lambda deals: left(deals) - right(deals))
            case ast.Mult():
                return _Part(False, lambda deals: left(deals) * right(deals))
            case ast.Div():
                if not (isinstance(node.right, ast.Constant) and node.right.value):
                    self._fail(node.right, "only a number other than 0 can divide")
                return _Part(False, lambda deals: left(deals) / right(deals))
        return self._fail(node, "expected + - * or / between numbers")

    def _comparison(self, node: ast.Compare) -> _Part:
        compared = [self._number(each).of for each in (node.left, *node.comparators)]
        compare = []
        for op, right in zip(node.ops, node.comparators, strict=True):
            if type(op) not in _COMPARE:
                self._fail(right, "only < <= == != >= and > compare")
            compare.append(_COMPARE[type(op)])

        def of(deals: U64) -> Bools:
            values = [each(deals) for each in compared]
            pairs = zip(compare, pairwise(values), strict=True)
            return reduce(and_, (compare(*pair) for compare, pair in pairs))

        return _Part(True, of)

    def _call(self, node: ast.Call) -> _Part:
        name = node.func.id.lower() if isinstance(node.func, ast.Name) else ""
        if name not in _NAMES:
            self._fail(node, f"no such function: expected one of {', '.join(_NAMES)}")
        if node.keywords:
            self._fail(node.keywords[0].value, f"{name} takes no named arguments")
        if name in ("min", "max"):
            return self._extreme(name, node)
        if not node.args:
            self._fail(node, f"which hand? Expected N, E, S or hidden, as in {name}(N)")
        hand, others = self._hand(node.args[0]), node.args[1:]
        if name in _COUNTS:
            suit = self._suit(others[0]) if others else None
            self._at_most(node, 2)
            count = _COUNTS[name]
            return _Part(False, lambda deals: count(deals[:, hand], suit).astype(float))
        if name in ("has", "count"):
            return self._cards(name, node, hand, others)
        if name == "shape":
            return self._shape(node, hand, others)
        if name == "tricks":
            return self._double_dummy(node, hand, others)
        self._at_most(node, 1)
        if name == "balanced":
            return _Part(True, lambda deals: _balanced(deals[:, hand], self._deck.suits))
        length = suit_mask(Suit(name).index)
        return _Part(False, lambda deals: popcount(deals[:, hand] & length).astype(float))

    def _at_most(self, node: ast.Call, most: int) -> None:
        if len(node.args) > most:
            self._fail(node.args[most], f"too much: expected {quantity(most, 'argument')}")

    def _extreme(self, name: str, node: ast.Call) -> _Part:
        if not node.args:
            self._fail(node, f"expected numbers, as in {name}(hearts(N), spades(N))")
        numbers = [self._number(each).of for each in node.args]
        take = np.minimum if name == "min" else np.maximum
        return _Part(False, lambda deals: reduce(take, (each(deals) for each in numbers)))

    def _word(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            return node.id
        return node.value if isinstance(node, ast.Constant) and type(node.value) is str else None

    def _hand(self, node: ast.expr) -> int:
        word = self._word(node)
        if word is not None and word.strip().upper() in ("W", "HIDDEN"):
            return HIDDEN
        try:
            return Seat(word if word is not None else "").index
        except FormatError:
            self._fail(node, "no such hand: expected N, E, S or hidden")

    def _suit(self, node: ast.expr) -> Suit:
        try:
            suit = Suit(self._word(node) or "")
        except FormatError:
            self._fail(node, "no such suit: expected spades, hearts, diamonds or clubs")
        return suit

    def _cards(self, name: str, node: ast.Call, hand: int, others: Sequence[ast.expr]) -> _Part:
        if not others:
            self._fail(node, f'which cards? Expected some, as in {name}(N, "SA SK")')
        mask = 0
        for each in others:
            word = self._word(each)
            if word is None:
                self._fail(each, f'expected cards, as in {name}(N, "SA SK")')
            try:
                mask |= parse_cards(word, self._deck, "the cards").mask
            except TribridgeError as error:
                self._fail(each, str(error))
        cards = np.uint64(mask)
        if name == "count":
            return _Part(False, lambda deals: popcount(deals[:, hand] & cards).astype(float))
        fixed = [0, 0, 0, 0]
        fixed[hand] = mask
        return _Part(
            True,
            lambda deals: (deals[:, hand] & cards) == cards,
            (fixed[0], fixed[1], fixed[2], fixed[3]),
        )

    def _shape(self, node: ast.Call, hand: int, others: Sequence[ast.expr]) -> _Part:
        if not others:
            self._fail(node, 'which lengths? Expected some, as in shape(N, "5332")')
        wanted: set[tuple[int | None, ...]] = set()
        for each in others:
            text = str(each.value) if isinstance(each, ast.Constant) else ""
            try:
                wanted |= shapes(text, self._deck)
            except FormatError as error:
                self._fail(each, str(error))
        suits = self._deck.suits

        def of(deals: U64) -> Bools:
            held = lengths(deals[:, hand])[:, :suits][:, ::-1]  # spades first, as it is written
            return reduce(or_, (_like(held, shape) for shape in wanted))

        return _Part(True, of)

    def _double_dummy(self, node: ast.Call, hand: int, others: Sequence[ast.expr]) -> _Part:
        if hand == HIDDEN:
            self._fail(node.args[0], "the hidden hand does not declare: expected N, E or S")
        if len(others) != 1:
            self._fail(node, "expected a player and a strain, as in tricks(N, NT)")
        try:
            strain = Strain(self._word(others[0]) or "")
        except FormatError:
            self._fail(others[0], "no such strain: expected C, D, H, S or NT")
        if self._tricks is None:
            raise SettingError("tricks are not counted here: leave out tricks(...)")
        solve, seat = self._tricks, Seat(hand)
        return _Part(False, lambda deals: solve(deals, seat, strain))


_COMPARE: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
    ast.GtE: np.greater_equal,
    ast.Gt: np.greater,
}


def _usual(number: float) -> bool:
    """Whether it is a number that a condition may have: neither True nor one of many digits."""
    return type(number) is not bool and abs(number) < 1e12


def _between_ands(node: ast.expr) -> Iterator[ast.expr]:
    """The conditions of which all must be met."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        for value in node.values:
            yield from _between_ands(value)
    else:
        yield node


def _hint(rest: str) -> str:
    """What may be meant by something that is not in the language."""
    for sign, meant in (("&&", "and"), ("||", "or"), ("!", "not"), ("=", "==")):
        if rest.startswith(sign):
            return f": for {sign} write {meant}"
    return f": expected a condition as in {EXAMPLE}"


def _all_of(parts: Sequence[_Part]) -> _Part:
    """All parts; each is asked only about the deals that meet those before it."""

    def of(deals: U64) -> Bools:
        met = np.ones(len(deals), bool)
        for part in parts:
            asked = np.flatnonzero(met)
            met[asked] = part.of(deals[asked])
        return met

    return parts[0] if len(parts) == 1 else _Part(True, of)


def _any_of(parts: Sequence[_Part]) -> _Part:
    def of(deals: U64) -> Bools:
        met = np.zeros(len(deals), bool)
        for part in parts:
            asked = np.flatnonzero(~met)
            met[asked] = part.of(deals[asked])
        return met

    return _Part(True, of)


def shapes(text: str, deck: Deck = FULL_DECK) -> set[tuple[int | None, ...]]:
    """The suit lengths, spades first, that a text such as 5332, 5=3=3=2 or 54xx stands for.

    None is any length.

    Examples:
        >>> shapes("7=2=2=2"), len(shapes("5332")), shapes("7=x=x=x")
        ({(7, 2, 2, 2)}, 12, {(7, None, None, None)})
    """
    ordered = "=" in text
    separated = re.split("[=-]", text.strip()) if re.search("[=-]", text) else list(text.strip())
    if not all(re.fullmatch(r"\d{1,2}|[xX]", part.strip()) for part in separated):
        raise FormatError('expected lengths, as in "5332", "5=3=3=2" or "54xx"')
    parts = tuple(None if part.strip() in "xX" else int(part) for part in separated)
    known = sum(part or 0 for part in parts)
    if len(parts) != deck.suits:
        raise FormatError(f"{quantity(len(parts), 'length')} for {deck.suits} suits")
    if known > deck.hand_size or (None not in parts and known < deck.hand_size):
        raise FormatError(f"these lengths add up to {known}, and a hand has {deck.hand_size} cards")
    return {parts} if ordered else set(permutations(parts))


def _like(held: Any, shape: tuple[int | None, ...]) -> Bools:
    met = np.ones(len(held), bool)
    for suit, length in enumerate(shape):
        if length is not None:
            met &= held[:, suit] == length
    return met


def _columns(rank: int, suit: Suit | None) -> np.uint64:
    """All cards of a rank, or that of one suit."""
    return np.uint64(sum(1 << 13 * s.index + rank for s in SUITS if suit in (None, s)))


def _hcp(hands: U64, suit: Suit | None) -> Any:
    return sum((4 - rank) * popcount(hands & _columns(rank, suit)) for rank in range(4))


def _controls(hands: U64, suit: Suit | None) -> Any:
    return sum((2 - rank) * popcount(hands & _columns(rank, suit)) for rank in range(2))


def _losers(hands: U64, suit: Suit | None) -> Any:
    total = np.zeros(len(hands), np.int64)
    for each in SUITS if suit is None else (suit,):
        length = popcount(hands & suit_mask(each.index))
        for rank in range(
            3
        ):  # the ace counts with one card, the king with two, the queen with three
            missing = (hands & _columns(rank, each)) == 0
            total += (length > rank) & missing
    return total


def _balanced(hands: U64, suits: int) -> Bools:
    held = lengths(hands)[:, :suits]
    met: Bools = (held >= 2).all(axis=1) & ((held == 2).sum(axis=1) <= 1)
    return met


_COUNTS: Final[Mapping[str, Callable[[U64, Suit | None], Any]]] = {
    "hcp": _hcp,
    "controls": _controls,
    "losers": _losers,
}
_NAMES: Final = (
    *_COUNTS, *(suit.word for suit in reversed(SUITS)), "shape", "balanced", "has", "count",
    "tricks", "min", "max",
)  # fmt: skip
