"""The auction of three: calls, bids and the contract they end in.

A bid is a level and a strain, C < D < H < S < NT, and must be higher than the last one. Dealer
calls first, then clockwise. Two passes after a bid end the auction; three passes at the start
pass the deal out. Doubles are an option of the table: an opponent may double the last bid, its
bidder may then redouble, and two passes still end the auction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, overload

from tribridge.cards.cards import FULL_DECK, Card, Deck, Strain, Written, compact
from tribridge.cards.deals import Seat
from tribridge.common.codec import text_form
from tribridge.common.errors import FormatError, IllegalActionError, shown, unchanging
from tribridge.common.sentences import Sentence


@text_form(lambda text: Bid(text), lambda bid: call_name(bid))
@unchanging
@dataclass(frozen=True, order=True, slots=True, init=False, repr=False)
class Bid(Written):
    """A level and a strain, or text; bids compare as the auction ranks them.

    Examples:
        >>> Bid("1NT") == Bid(1, Strain.NOTRUMP), Bid("2C") > Bid("1NT")
        (True, True)

    Raises:
        FormatError: the text is not a bid, or names no strain.
    """

    level: int
    strain: Strain

    @overload
    def __init__(self, level: str) -> None: ...
    @overload
    def __init__(self, level: int, strain: Strain | str) -> None: ...
    def __init__(self, level: int | str, strain: Strain | str | None = None) -> None:
        if isinstance(level, str) and strain is None:
            bid = parse_call(level)
            if not isinstance(bid, Bid):
                raise FormatError(f"{shown(level)} is not a bid: expected one as in 1NT")
            level, strain = bid.level, bid.strain
        elif type(level) is not int:
            raise FormatError(f"{shown(level)} is not a level: expected 1 to 7, or text as in 1NT")
        object.__setattr__(self, "level", level)
        strain = strain if isinstance(strain, Strain) else Strain(strain)
        object.__setattr__(self, "strain", strain)

    def __str__(self) -> str:
        return f"{self.level}{self.strain.sign}"

    def __repr__(self) -> str:
        return f"Bid({call_name(self)!r})"


class Mark(Enum):
    """The calls that are not bids."""

    PASS = "Pass"
    DOUBLE = "X"
    REDOUBLE = "XX"

    def __str__(self) -> str:
        return {"Pass": "Pass", "X": "Double", "XX": "Redouble"}[self.value]

    def __repr__(self) -> str:
        return f"Mark.{self.name}"


Call = Bid | Mark

PASS: Final = Mark.PASS
DOUBLE: Final = Mark.DOUBLE
REDOUBLE: Final = Mark.REDOUBLE

_MARKS: Final = {
    "P": PASS,
    "PASS": PASS,
    "X": DOUBLE,
    "D": DOUBLE,
    "DBL": DOUBLE,
    "DOUBLE": DOUBLE,
    "XX": REDOUBLE,
    "R": REDOUBLE,
    "RDBL": REDOUBLE,
    "REDOUBLE": REDOUBLE,
}

_STRAINS: Final = "|".join(form for strain in Strain for form in strain.forms if form.isalpha())
"""How people write strains, for a regular expression."""


def call_name(call: Call) -> str:
    """Write a call as in files: `1NT`, `Pass`, `X`, `XX`."""
    return f"{call.level}{call.strain.letter}" if isinstance(call, Bid) else str(call.value)


def parse_call(given: object) -> Call:
    """A call, or text: a bid such as `1NT` or `2♥`, or pass, X (dbl), XX.

    Examples:
        >>> parse_call("3s") > parse_call("2 NT"), call_name(parse_call("p"))
        (True, 'Pass')
    """
    if isinstance(given, Bid | Mark):
        return given
    if not isinstance(given, str):
        raise IllegalActionError(
            f"{shown(given)} is not a call: expected a Bid, a Mark, or text as in '1NT'"
        )
    word = compact(given)
    if word in _MARKS:
        return _MARKS[word]
    if word[:1].isdecimal() and word[:1].isascii():
        level = int(word[0])
        if not 1 <= level <= 7:
            raise FormatError(f"no bid at level {level} ({shown(given)}): levels are 1 to 7")
        return Bid(level, Strain(word[1:]))
    raise FormatError(f"cannot read call {shown(given)}: expected a bid as in 1NT, Pass, X or XX")


def parse_calls(given: Iterable[Call | str] | str) -> tuple[Call, ...]:
    """Calls in order, or text that names them, with blanks, commas or hyphens between.

    Examples:
        >>> parse_calls("1 NT, pass 2H"), parse_calls("1 heart, double")
        ((Bid('1NT'), Mark.PASS, Bid('2H')), (Bid('1H'), Mark.DOUBLE))
    """
    if isinstance(given, str):
        words = re.sub(r"\bno[\s-]+(?=trumps?\b)", "no", given, flags=re.I)
        words = re.sub(rf"([1-7])\s+(?=(?:{_STRAINS})\b|[♣♦♥♠])", r"\1", words, flags=re.I)
        given = re.split(r"[\s,;-]+", words.strip(" \t\n,;-"))
        given = [word for word in given if word]
    return tuple(parse_call(call) for call in given)


@lru_cache
def _bids(deck: Deck) -> tuple[Bid, ...]:
    """All bids of a deck, lowest first."""
    return tuple(Bid(level, s) for level in range(1, deck.levels + 1) for s in deck.strains)


@unchanging
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Contract(Written):
    """A contract: bid, declarer and `factor` (2 if doubled, 4 if redoubled), or text.

    Examples:
        >>> Contract("2H", "S").tricks_needed(), Contract("3NTx by North")
        (8, Contract('3NT', 'N', 2))

    Raises:
        FormatError: the bid or the declarer cannot be read, or the factor is another.
    """

    bid: Bid
    declarer: Seat
    factor: int

    @overload
    def __init__(self, bid: str) -> None: ...
    @overload
    def __init__(self, bid: Bid | str, declarer: Seat | str, factor: int = 1) -> None: ...
    def __init__(self, bid: Bid | str, declarer: Seat | str | None = None, factor: int = 1) -> None:
        if declarer is None:
            match = re.fullmatch(r"\s*(.+?)(x{0,2})\s+(?:by\s+)?(\w+)\s*", str(bid), re.I)
            if match is None:
                raise FormatError(f"cannot read contract {shown(bid)}: expected one as in 2H by S")
            bid, declarer, factor = match[1], match[3], 1 << len(match[2])
        if factor not in (1, 2, 4):
            raise FormatError(f"no contract has the factor {shown(factor)}: expected 1, 2 or 4")
        object.__setattr__(self, "bid", bid if isinstance(bid, Bid) else Bid(bid))
        seat = declarer if isinstance(declarer, Seat) else Seat(declarer)
        object.__setattr__(self, "declarer", seat)
        object.__setattr__(self, "factor", factor)

    def __repr__(self) -> str:
        doubled = f", {self.factor}" if self.factor != 1 else ""
        return f"Contract({call_name(self.bid)!r}, {self.declarer.letter!r}{doubled})"

    def calls(self, dealer: Seat | str) -> tuple[Call, ...]:
        """The shortest auction that ends in this contract."""
        passes = (PASS,) * ((self.declarer.index - Seat(dealer).index) % 3)
        marks = {1: (), 2: (DOUBLE,), 4: (DOUBLE, PASS, REDOUBLE)}[self.factor]
        return (*passes, self.bid, *marks, PASS, PASS)

    def tricks_needed(self, deck: Deck = FULL_DECK) -> int:
        """Tricks needed to make it: 6 + level with 13 tricks."""
        return deck.book + self.bid.level

    def __str__(self) -> str:
        return f"{self.bid}{'x' * (self.factor // 2)} by {self.declarer}"


@unchanging
@dataclass(frozen=True, slots=True)
class Outcome:
    """How a deal ended: the contract (None: passed out) and the tricks its declarer won."""

    contract: Contract | None
    tricks: int = 0

    @property
    def declarer(self) -> Seat | None:
        return None if self.contract is None else self.contract.declarer


@unchanging
@dataclass(frozen=True, slots=True)
class Auction:
    """All calls so far. The fields after `calls` follow from it and are stored for speed."""

    dealer: Seat
    deck: Deck = FULL_DECK
    doubles: bool = False
    calls: tuple[Call, ...] = ()
    last_bid: Bid | None = None
    bidder: Seat | None = None
    factor: int = 1
    passes: int = 0

    @property
    def turn(self) -> Seat | None:
        """Who calls next; None when the auction is over."""
        return None if self.over else self.dealer.after(len(self.calls))

    @property
    def over(self) -> bool:
        return self.passes == (3 if self.last_bid is None else 2)

    @property
    def contract(self) -> Contract | None:
        """The contract once the auction is over; None before, and when the deal is passed out."""
        if self.last_bid is None or self.bidder is None or not self.over:
            return None
        return Contract(self.last_bid, self.bidder, self.factor)

    @property
    def legal(self) -> tuple[Call, ...]:
        """All calls allowed now: pass, bids from the lowest, then double and redouble."""
        if self.over:
            return ()
        bids, last, strains = _bids(self.deck), self.last_bid, self.deck.suits + 1
        if last is not None:  # the index of notrump depends on the deck, and is its last
            bids = bids[(last.level - 1) * strains + min(last.strain.index + 1, strains) :]
        marks = tuple(mark for mark in (DOUBLE, REDOUBLE) if self.refusal(mark) is None)
        return (PASS, *bids, *marks)

    def check(self, call: Call) -> None:
        """Raise an error that says why, if a call is not allowed now."""
        call = parse_call(call)
        reason = self.refusal(call)
        if reason is not None:
            tried = "no call is due" if self.over else f"{self.turn} cannot call {call}"
            raise IllegalActionError(f"{tried}: {reason}")

    def apply_unchecked(self, call: Call) -> Auction:
        """The auction after a call that is known to be allowed."""
        calls = (*self.calls, call)
        bid, bidder, factor, passes = self.last_bid, self.bidder, self.factor, 0
        if isinstance(call, Bid):
            bid, bidder, factor = call, self.dealer.after(len(self.calls)), 1
        elif call is PASS:
            passes = self.passes + 1
        else:
            factor *= 2
        return Auction(self.dealer, self.deck, self.doubles, calls, bid, bidder, factor, passes)

    def refusal(self, call: Call) -> str | None:
        """Why a call is not allowed now; None if it is."""
        if self.over:
            return f"{call} comes after the end of the auction"
        if isinstance(call, Bid):
            return self._bid_refusal(call)
        if call is PASS:
            return None
        if not self.doubles:
            return "this table plays without doubles"
        if self.last_bid is None:
            return "there is no bid yet"
        own = self.bidder is self.turn
        if call is DOUBLE:
            if own:
                return f"{self.last_bid} is their own bid"
            return None if self.factor == 1 else f"{self.last_bid} is already doubled"
        if not own:
            return f"{self.last_bid} is another player's bid"
        return None if self.factor == 2 else f"{self.last_bid} is not doubled"

    def _bid_refusal(self, bid: Bid) -> str | None:
        if not 1 <= bid.level <= self.deck.levels:
            return f"levels are 1 to {self.deck.levels}"
        if bid.strain not in self.deck.strains:
            return f"there is no such suit in a deck of {self.deck}"
        if self.last_bid is not None and bid <= self.last_bid:
            return f"it is not higher than {self.last_bid}"
        return None


def said(action: Call | Card) -> str | Sentence:
    """A call or a card; calls have words of their own in every language."""
    if isinstance(action, Mark):
        return Sentence(str(action))
    if isinstance(action, Bid) and action.strain is Strain.NOTRUMP:
        return Sentence("{level}{strain}", {"level": str(action.level), "strain": Sentence("NT")})
    return str(action)
