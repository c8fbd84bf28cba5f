"""Hands given to commands: an argument, a file of deals, or JSON Lines on standard input."""

from __future__ import annotations

import json
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, Final

from tribridge import codec
from tribridge.cards import FULL_DECK, Deck, Hand, check_pair, parse_hand
from tribridge.errors import FormatError, TribridgeError

Pair = tuple[str, Hand, Hand | None]
"""A board name (empty for a plain hand), a hand, and its dummy if known."""

Answer = dict[str, Any]
_EXPECTED: Final = 'expected {"hand": "AKQ.T98.KJ2.A543"}'


@dataclass(frozen=True)
class _Line:
    """What a line of standard input holds."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    hand: str
    dummy: str | None = None


def pairs(hand: str, dummy: str | None, deck: Deck = FULL_DECK, *, files: bool) -> Iterator[Pair]:
    """The hands an argument names; for a deal, the declaring hand and the one opposite."""
    from tribridge.formats import boards_of, is_board_text

    if deck == FULL_DECK and is_board_text(hand, files=files):
        if dummy is not None:
            raise FormatError("a deal includes its dummy: leave out the second hand")
        for board in boards_of(hand):
            hands = board.deal.hands
            yield board.name, hands[board.declarer], hands[(board.declarer + 2) % 4]
        return
    own = parse_hand(hand, deck)
    yield "", own, None if dummy is None else parse_hand(dummy, deck, "the dummy")


def answer_lines(
    answers: Callable[[Sequence[tuple[Hand, Hand | None]]], Iterable[Answer]],
    deck: Deck = FULL_DECK,
    *,
    block: int = 1,
) -> bool:
    """Answer JSON Lines from standard input in order; returns whether every line was valid.

    A bad line is answered with `{"line": 7, "error": "..."}` and the rest continues. Lines are
    answered `block` at a time, but one by one at a terminal.
    """
    good = True
    size = 1 if sys.stdin.isatty() else block
    numbered = enumerate(sys.stdin.buffer, 1)
    while lines := list(islice(numbered, size)):
        inputs = [_read(number, line, deck) for number, line in lines]
        right = iter(answers([given for given in inputs if isinstance(given, tuple)]))
        for given in inputs:
            good = good and isinstance(given, tuple)
            answer = next(right) if isinstance(given, tuple) else given
            print(json.dumps(answer, ensure_ascii=False))
    return good


def _read(number: int, line: bytes, deck: Deck) -> tuple[Hand, Hand | None] | Answer:
    try:
        given = codec.loads(line.removeprefix(BOM_UTF8), _Line, _EXPECTED)
        ((_, own, other),) = pairs(given.hand, given.dummy, deck, files=False)
        check_pair(own, other, deck)
    except TribridgeError as error:
        return {"line": number, "error": str(error)}
    return own, other
