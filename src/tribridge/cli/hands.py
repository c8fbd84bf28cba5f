"""Hands as commands take them: an argument, a file of deals, or JSON Lines on standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from tribridge.cards import FULL_DECK, Deck, Hand, check_pair, parse_hand
from tribridge.errors import FormatError, TribridgeError

Pair = tuple[str, Hand, Hand | None]
"""A name, empty for hands given as they are, a hand and perhaps its dummy."""

Answer = dict[str, Any]


def pairs(hand: str, dummy: str | None, deck: Deck = FULL_DECK, *, files: bool) -> Iterator[Pair]:
    """The hands that an argument stands for; of a deal the declaring hand and the one opposite."""
    from tribridge.formats import boards_of, is_board_text

    if deck == FULL_DECK and is_board_text(hand, files=files):
        if dummy is not None:
            raise FormatError("a deal has its own dummy: none can be given beside it")
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
    """Answer JSON Lines from standard input in order; whether every line was good.

    A bad line gives `{"line": 7, "error": "..."}` in its place and the rest goes on. Lines are
    answered `block` at a time, at a terminal each at once.
    """
    good = True
    size = 1 if sys.stdin.isatty() else block
    numbered = enumerate(sys.stdin.buffer, 1)
    while lines := list(islice(numbered, size)):
        found = [_read(number, line, deck) for number, line in lines]
        right = iter(answers([one for one in found if isinstance(one, tuple)]))
        for one in found:
            good = good and isinstance(one, tuple)
            answer = next(right) if isinstance(one, tuple) else one
            print(json.dumps(answer, ensure_ascii=False))
    return good


def _read(number: int, line: bytes, deck: Deck) -> tuple[Hand, Hand | None] | Answer:
    try:
        hand, dummy = _batch_line(line)
        ((_, own, other),) = pairs(hand, dummy, deck, files=False)
        check_pair(own, other, deck)
    except TribridgeError as error:
        return {"line": number, "error": str(error)}
    return own, other


def _batch_line(line: bytes) -> tuple[str, str | None]:
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("not UTF-8 text") from None
    if not text.strip():
        raise FormatError('the line is empty: expected {"hand": "AKQ.T98.KJ2.A543"}')
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"not valid JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise FormatError("not valid JSON: nested too deeply") from None
    except ValueError:  # Python reads no integer of more than some thousand digits
        raise FormatError("not valid JSON: a number with too many digits") from None
    if not isinstance(data, dict) or "hand" not in data:
        raise FormatError('expected an object with "hand" and perhaps "dummy"')
    for key, value in data.items():
        if key not in ("hand", "dummy"):
            raise FormatError(f'unknown key {key!r}: expected "hand" and perhaps "dummy"')
        if not isinstance(value, str) and not (key == "dummy" and value is None):
            raise FormatError(f'"{key}" must be a text such as "AKQ.T98.KJ2.A543"')
    return data["hand"], data.get("dummy")
