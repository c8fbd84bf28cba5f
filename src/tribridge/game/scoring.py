"""Scoring schemes, which are data, and the points of a deal.

The declarer scores a contract that makes; when it fails, each defender scores the undertrick
penalties. Schemes come from `schemes.toml` in this package or from a user's file of the same
form. Points are exact: integers, or fractions where a scheme has halves.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tribridge.cards import FULL_DECK, Deck, Strain
from tribridge.deals import Seat
from tribridge.errors import FormatError, NotFoundError
from tribridge.game.auction import Bid, Contract

if TYPE_CHECKING:
    from tribridge.game.table import Outcome

Points = Fraction

_MOST_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Scheme:
    """One way to score a deal; the fields are explained in `schemes.toml`."""

    name: str
    note: str
    trick: Mapping[Strain, Fraction] = field(hash=False)
    overtrick: Fraction
    undertrick: Fraction
    small_slam: Fraction = Fraction(0)
    grand_slam: Fraction = Fraction(0)
    double_factor: Fraction = Fraction(2)
    double_made: Fraction = Fraction(0)
    double_overtrick: Fraction = Fraction(0)

    def declarer_points(self, contract: Contract, tricks: int, deck: Deck = FULL_DECK) -> Points:
        """What the declarer scores for a contract: nothing if it fails."""
        over = tricks - contract.tricks_needed(deck)
        if over < 0:
            return Fraction(0)
        value = self.trick[contract.bid.strain] * self._factor(contract)
        points = value * (contract.bid.level + over * self.overtrick)
        if contract.factor > 1:
            bonus = self.double_made + over * self.double_overtrick
            points += bonus * (contract.factor // 2)
        if tricks == deck.hand_size:
            points += self.grand_slam
        elif tricks == deck.hand_size - 1:
            points += self.small_slam
        return points

    def penalty(self, contract: Contract, tricks: int, deck: Deck = FULL_DECK) -> Points:
        """What each defender scores against a contract: nothing if it makes."""
        down = contract.tricks_needed(deck) - tricks
        return self.undertrick * self._factor(contract) * down if down > 0 else Fraction(0)

    def net(self, contract: Contract, tricks: int, deck: Deck = FULL_DECK) -> Points:
        """The paper's net points of a contract: winnings minus the undertrick penalty."""
        return self.declarer_points(contract, tricks, deck) - self.penalty(contract, tricks, deck)

    def _factor(self, contract: Contract) -> Fraction:
        return {1: Fraction(1), 2: self.double_factor, 4: self.double_factor**2}[contract.factor]


def net_range(
    scheme: Scheme, deck: Deck = FULL_DECK, *, doubles: bool = False
) -> tuple[Points, Points]:
    """The lowest and the highest net points of any contract, whatever the tricks.

    >>> low, high = net_range(find_scheme("auction"))
    >>> points_name(low), points_name(high)
    ('-650', '170')
    """
    nets = [
        scheme.net(Contract(Bid(level, strain), Seat.NORTH, factor), tricks, deck)
        for level in range(1, deck.levels + 1)
        for strain in deck.strains
        for factor in ((1, 2, 4) if doubles else (1,))
        for tricks in range(deck.hand_size + 1)
    ]
    return min(nets), max(nets)


def scores(
    outcome: Outcome, scheme: Scheme, deck: Deck = FULL_DECK
) -> tuple[Points, Points, Points]:
    """The points of the three players, North first, for one deal."""
    contract = outcome.contract
    if contract is None:
        return Fraction(0), Fraction(0), Fraction(0)
    won = scheme.declarer_points(contract, outcome.tricks, deck)
    lost = scheme.penalty(contract, outcome.tricks, deck)
    north, east, south = (won if seat is contract.declarer else lost for seat in Seat)
    return north, east, south


def points_name(points: Points) -> str:
    """Write points without needless decimals: `30`, `-3.5`.

    >>> points_name(Fraction(7, 2)), points_name(Fraction(30))
    ('3.5', '30')
    """
    if points.denominator == 1:
        return str(points.numerator)
    return f"{Decimal(points.numerator) / Decimal(points.denominator):f}"


@cache
def schemes() -> Mapping[str, Scheme]:
    """The schemes in the package, by name."""
    text = resources.files("tribridge.game").joinpath("schemes.toml").read_text("utf-8")
    return loads_schemes(text, "schemes.toml")


def load_schemes(path: Path) -> dict[str, Scheme]:
    """Read a user's schemes from a TOML file."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        raise FormatError(f"{path}: not a text file") from None
    return loads_schemes(text, str(path))


def find_scheme(text: str) -> Scheme:
    """A scheme by name, or from a file as `FILE` (its only one) or `FILE:NAME`."""
    if text in schemes():
        return schemes()[text]
    file, _, name = text.partition(":") if ".toml:" in text else (text, "", "")
    if not file.endswith(".toml"):
        raise NotFoundError(
            f"unknown scoring scheme {text!r}: expected {', '.join(schemes())} or a TOML file"
        )
    if not Path(file).is_file():
        raise NotFoundError(f"{file}: no such scoring scheme file")
    known = load_schemes(Path(file))
    if not name and len(known) == 1:
        return next(iter(known.values()))
    if name not in known:
        raise NotFoundError(f"{file} has the schemes {', '.join(known)}: write {file}:NAME")
    return known[name]


def loads_schemes(text: str, source: str) -> dict[str, Scheme]:
    """Read schemes from the text of a TOML file; `source` names it in errors."""
    try:
        data = tomllib.loads(text, parse_float=_fraction)
    except ValueError as error:  # broken TOML, or an absurd number
        raise FormatError(f"{source}: {error}") from None
    except RecursionError:
        raise FormatError(f"{source}: nested too deeply") from None
    if not data:
        raise FormatError(f"{source}: no scoring scheme in it")
    return {name: _scheme(name, entry, f"{source}, [{name!r}]") for name, entry in data.items()}


def _fraction(text: str) -> Fraction:
    """A number from the file, exactly; one too large or too precise for points is an error."""
    number = Decimal(text)
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        raise ValueError(f"{text} is not a number of points")
    return Fraction(number)


def _scheme(name: str, entry: Any, where: str) -> Scheme:
    data = _table(entry, where, {"note", "trick", "overtrick", "undertrick", "slam", "double"})
    trick = _table(data.get("trick"), f"{where}, trick", {s.letter for s in Strain})
    slam = _table(data.get("slam", {}), f"{where}, slam", {"small", "grand"})
    double = _table(data.get("double", {}), f"{where}, double", {"factor", "made", "overtrick"})
    return Scheme(
        name=name,
        note=str(data.get("note", "")),
        trick={s: _number(trick, s.letter, f"{where}, trick") for s in Strain},
        overtrick=_number(data, "overtrick", where),
        undertrick=_number(data, "undertrick", where),
        small_slam=_number(slam, "small", where, 0),
        grand_slam=_number(slam, "grand", where, 0),
        double_factor=_number(double, "factor", where, 2),
        double_made=_number(double, "made", where, 0),
        double_overtrick=_number(double, "overtrick", where, 0),
    )


def _table(value: Any, where: str, keys: set[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(f"{where}: expected a table with {', '.join(sorted(keys))}")
    unknown = value.keys() - keys
    if unknown:
        raise FormatError(
            f"{where}: unknown entry {min(unknown)!r}: expected {', '.join(sorted(keys))}"
        )
    return value


def _number(table: dict[str, Any], key: str, where: str, default: int | None = None) -> Fraction:
    value = table.get(key, default)
    if value is None:
        raise FormatError(f"{where}: {key} is missing")
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise FormatError(f"{where}: {key} must be a number, 0 or more, not {value!r}")
    number = Fraction(value)
    if abs(number) > 10**_MOST_DIGITS:
        raise FormatError(f"{where}: {key} must be a number up to 10^{_MOST_DIGITS}")
    if number < 0:
        raise FormatError(f"{where}: {key} must be a number, 0 or more, not {points_name(number)}")
    return number
