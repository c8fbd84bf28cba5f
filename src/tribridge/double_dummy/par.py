"""The double-dummy table of four players, and par: what two pairs score who bid knowing all cards.

Par is the value of the auction as a game of perfect information between North-South and East-West.
A side that is to call accepts the contract, or bids higher; what goes down is doubled. The bids are
valued from 7NT down, each by the best answer to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tribridge.cards.cards import Strain
from tribridge.cards.deals import COMPASS, ByStrain, Seat
from tribridge.common.errors import FormatError, shown, unchanging
from tribridge.game.auction import Bid, Contract, call_name
from tribridge.game.scoring import find_scheme

SIDES: Final = ("NS", "EW")
_VULNERABLE: Final = {"": "", "NONE": "", "LOVE": "", "-": "", "ALL": "NSEW", "BOTH": "NSEW",
                      "NSEW": "NSEW", "?": "",
                      "NS": "NS", "EW": "EW", "SN": "NS", "WE": "EW"}  # fmt: skip
_BOOK: Final = 6


@unchanging
@dataclass(frozen=True, slots=True)
class DoubleDummyTable:
    """The tricks of each of four declarers in each strain, by the letters of their seats.

    Examples:
        >>> table = DoubleDummyTable((ByStrain({Strain.NOTRUMP: 9}),) * 4)
        >>> table["W"]["NT"]
        9
    """

    tricks: tuple[ByStrain[int], ...]
    """North, East, South, West."""

    def __getitem__(self, seat: str) -> ByStrain[int]:
        letter = str(seat).strip()[:1].upper()
        if not letter or letter not in COMPASS:
            raise FormatError(f"unknown seat {shown(seat)}: expected N, E, S or W")
        return self.tricks[COMPASS.index(letter)]

    def as_dict(self) -> dict[str, dict[str, int]]:
        """The tricks by letters, for JSON."""
        return {
            seat: {strain.letter: made for strain, made in row.items()}
            for seat, row in zip(COMPASS, self.tricks, strict=True)
        }

    def __str__(self) -> str:
        return table_text(self.as_dict())

    def __repr__(self) -> str:
        return f"DoubleDummyTable({self.as_dict()})"


def table_text(tricks: Mapping[str, Mapping[str, int]]) -> str:
    """Declarers in rows, strains in columns."""
    (first, *_) = tricks.values()
    lines = ["   " + "".join(f"{letter:>4}" for letter in first)]
    for seat, row in tricks.items():
        lines.append(f"{seat:<3}" + "".join(f"{made:4}" for made in row.values()))
    return "\n".join(lines)


@unchanging
@dataclass(frozen=True, slots=True)
class ParContract:
    """A contract that is par: doubled if it goes down."""

    bid: Bid
    declarers: str
    """The letters of the partners who make the same tricks: `NS`, or `N` alone."""
    tricks: int

    @property
    def down(self) -> int:
        """By how many tricks it fails; 0 if it makes."""
        return max(0, _BOOK + self.bid.level - self.tricks)

    def __str__(self) -> str:
        doubled, down = ("x", f", {self.down} down") if self.down else ("", "")
        return f"{call_name(self.bid)}{doubled} by {' or '.join(self.declarers)}{down}"


@unchanging
@dataclass(frozen=True, slots=True)
class Par:
    """What a deal of four players is worth if both sides bid with all cards in view.

    Examples:
        >>> table = DoubleDummyTable(tuple(
        ...     ByStrain(dict.fromkeys(Strain, tricks)) for tricks in (9, 4, 9, 4)))
        >>> print(par_of(table))
        NS 400: 3NT by N or S
    """

    score: int
    """In points of North-South; negative if East-West gain."""
    contracts: tuple[ParContract, ...]
    """The contracts that give it, the lowest first; none if the deal is passed out."""

    def __str__(self) -> str:
        if not self.contracts:
            return "0: passed out"
        side = f"NS {self.score}" if self.score >= 0 else f"EW {-self.score}"
        return f"{side}: {'; '.join(map(str, self.contracts))}"


def parse_sides(given: str) -> str:
    """The letters of the vulnerable side or sides: `NS`, `EW`, `All` or `None`."""
    sides = _VULNERABLE.get(given.replace(" ", "").replace("-", "").upper(), None)
    if sides is None:
        raise FormatError(f"cannot read vulnerable {shown(given)}: expected NS, EW, All or None")
    return sides


def par_of(table: DoubleDummyTable, vulnerable: str = "", dealer: str = "N") -> Par:
    """Par of a table of four declarers; the dealer's side calls first."""
    risk = parse_sides(vulnerable)
    offers = [_offers(table, side, risk) for side in range(2)]
    bids = [Bid(level, strain) for level in range(1, 8) for strain in Strain]
    best = (max, min)
    # values[side][at]: par for North-South once a side has bid that; the other side is to call
    values: list[list[int]] = [[0] * len(bids), [0] * len(bids)]
    for at in reversed(range(len(bids))):
        for side in range(2):
            accepted, other = offers[side][bids[at]][0], 1 - side
            values[side][at] = best[other]([accepted, *values[other][at + 1 :]])
    letter = dealer.strip()[:1].upper()
    if not letter or letter not in COMPASS:
        raise FormatError(f"unknown dealer {shown(dealer)}: expected N, E, S or W")
    first = COMPASS.index(letter) % 2
    passed = best[1 - first]([0, *values[1 - first]])
    score = best[first]([passed, *values[first]])
    contracts = [
        ParContract(bid, declarers, tricks)
        for at, bid in enumerate(bids)
        for side in range(2)
        for points, declarers, tricks in [offers[side][bid]]
        if points == score == values[side][at]
    ]
    return Par(score, tuple(contracts) if score else ())


def _offers(table: DoubleDummyTable, side: int, risk: str) -> dict[Bid, tuple[int, str, int]]:
    """For each bid of a side: points of North-South, the partners who declare it best, tricks."""
    scheme = find_scheme("contract").at_risk(SIDES[side][0] in risk)
    partners: Sequence[str] = SIDES[side]
    offers = {}
    for strain in Strain:
        made = {seat: table[seat][strain] for seat in partners}
        tricks = max(made.values())
        declarers = "".join(seat for seat, number in made.items() if number == tricks)
        for level in range(1, 8):
            bid = Bid(level, strain)
            factor = 1 if tricks >= _BOOK + level else 2
            points = int(scheme.net(Contract(bid, Seat.NORTH, factor), tricks))
            offers[bid] = (points if side == 0 else -points), declarers, tricks
    return offers
