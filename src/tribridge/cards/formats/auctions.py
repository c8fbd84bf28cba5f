"""The auction of four players, as files have it: calls as text, and the contract that they end in.

Calls are written as PBN has them: `1NT`, `Pass`, `X`, `XX`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from tribridge.common.errors import FormatError
from tribridge.common.sentences import words

_STRAINS: Final = ("C", "D", "H", "S", "NT")
_MARKS: Final = {
    "P": "Pass", "PASS": "Pass", "X": "X", "D": "X", "DBL": "X", "XX": "XX", "R": "XX",
    "RDBL": "XX",
}  # fmt: skip
_CALL: Final = re.compile(r"([1-7])(NT?|[CDHS])|(PASS|P|XX|X|DBL|D|RDBL|R)", re.I)
_READ: Final[dict[str, str]] = {
    **{f"{level}{strain}": f"{level}{strain}" for level in range(1, 8) for strain in _STRAINS},
    **{f"{level}N": f"{level}NT" for level in range(1, 8)},
    **_MARKS,
}
_BIDS: Final = [f"{level}{strain}" for level in range(1, 8) for strain in _STRAINS]
_ORDER: Final = {bid: at for at, bid in enumerate(_BIDS)}


class FinalContract(NamedTuple):
    """What an auction ended in; without a declarer if the deal was passed out."""

    name: str
    """As in PBN: `3NTX`, `Pass`."""
    declarer: int | None
    """The compass index of the declarer."""


def run_of_calls(text: str) -> list[str]:
    """The calls of a LIN or link text such as `1NPP!`, which has them without blanks.

    Examples:
        >>> run_of_calls("1n!p2dp"), run_of_calls("ppxr")
        (['1NT', 'Pass', '2D', 'Pass'], ['Pass', 'Pass', 'X', 'XX'])
    """
    calls, at = [], 0
    text = text.replace("!", "").replace(" ", "").replace("-", "")
    while at < len(text):
        match = _CALL.match(text, at)
        if match is None:
            raise FormatError(words("cannot read call {text!r}", text=text[at : at + 20]))
        calls.append(_READ[match[0].upper()])
        at = match.end()
    return calls


def section_calls(lines: Iterable[str]) -> tuple[list[str], bool]:
    """The calls of a PBN section, and whether no mark says that some are irregular or missing.

    Notes (`=1=`), suffixes (`!`, `$3`) and the places before the dealer (`-`) are skipped; `AP` is
    as many passes as are missing.

    Examples:
        >>> section_calls(["- 1D! =1= 1S $5 AP", '[Note "1: strong"]'])
        (['1D', '1S', 'Pass', 'Pass', 'Pass'], True)
        >>> section_calls(["1C Pass +"])
        (['1C', 'Pass'], False)
    """
    calls: list[str] = []
    regular = True
    for line in lines:
        if line[0] == "[":
            continue
        for word in line.split():
            call = _READ.get(word)
            if call is None:
                name = word.rstrip("!?").upper()
                if not name or name[0] in "$=-*":
                    continue
                if name == "AP":
                    opened = any(call != "Pass" for call in calls)
                    calls += ["Pass"] * (3 if opened else 4 - len(calls))
                    continue
                if name[0] in "^+" or name == "AC":  # AC: any call, in practice deals
                    regular = False
                    continue
                call = _READ.get(name)
                if call is None:
                    raise FormatError(words("cannot read call {text!r}", text=word[:20]))
            calls.append(call)
    return calls, regular


def final_contract(dealer: int, calls: Sequence[str]) -> FinalContract | None:
    """The contract of four players' calls; None if the auction is not over.

    Examples:
        >>> final_contract(0, ["1NT", "Pass", "3NT", "X", "Pass", "Pass", "Pass"])
        FinalContract(name='3NTX', declarer=0)
        >>> final_contract(0, ["Pass", "1NT"]) is None
        True
    """
    bid, bidder, doubled, passes = "", 0, "", 0
    named: dict[tuple[int, str], int] = {}
    for at, call in enumerate(calls):
        if passes == (3 if bid else 4):
            late = words("the call {call} comes after the end of the auction", call=call)
            raise FormatError(late)
        seat = (dealer + at) % 4
        if call == "Pass":
            passes += 1
            continue
        if call in ("X", "XX"):
            theirs = (seat - bidder) % 2 == 1
            if not bid or doubled != ("" if call == "X" else "X") or theirs != (call == "X"):
                raise FormatError(f"{call} is not allowed after {bid or 'no bid'}{doubled}")
            doubled = call
        else:
            if bid and _ORDER[call] <= _ORDER[bid]:
                raise FormatError(words("{call} is not higher than {bid}", call=call, bid=bid))
            bid, bidder, doubled = call, seat, ""
            named.setdefault((seat % 2, call[1:]), seat)
        passes = 0
    if passes != (3 if bid else 4):
        return None
    if not bid:
        return FinalContract("Pass", None)
    return FinalContract(bid + doubled, named[bidder % 2, bid[1:]])
