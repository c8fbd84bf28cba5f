"""Scoring schemes, which are data, and the points of a deal.

The declarer scores a contract that makes; when it fails, each defender scores the undertrick
penalties. Schemes come from `schemes.toml` in this package or from a user's file of the same
form. Points are exact: integers, or fractions where a scheme has halves.

A score is made of entries, each with a reason, because a rubber writes some of them below the line
and some above it. Vulnerable players are scored by a scheme of their own, `Scheme.vulnerable`;
without one vulnerability makes no difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, Final, NamedTuple, TypeVar

from tribridge.cards.cards import FULL_DECK, Deck, Strain
from tribridge.cards.deals import Seat, three
from tribridge.common.codec import Text
from tribridge.common.errors import unchanging
from tribridge.game.auction import Bid, Contract, Outcome
from tribridge.game.toml_values import Entries, TomlValues, toml_text
from tribridge.game.toml_values import points_name as points_name

Points = Fraction
P = TypeVar("P", int, Fraction)

ALIASES: Final = {"auction": "auction-tricks"}
"""Former names of schemes, which are accepted wherever a scheme is named."""

_ZERO: Final = Fraction(0)
_KEYS: Final = (
    "title",
    "note",
    "trick",
    "notrump_first",
    "overtrick",
    "undertrick",
    "slam",
    "double",
    "bonus",
)


class Reason(StrEnum):
    """What points are scored for."""

    CONTRACT = "contract"
    OVERTRICKS = "overtricks"
    DOUBLED = "doubled"
    """The bonus for making a doubled contract."""
    DOUBLED_OVERTRICKS = "X overtricks"
    """The bonus for each doubled overtrick."""
    PART_SCORE = "part score"
    GAME = "game"
    SMALL_SLAM = "small slam"
    GRAND_SLAM = "grand slam"
    UNDERTRICKS = "undertricks"


class Entry(NamedTuple):
    """Points of one player with the reason for them."""

    reason: Reason
    points: Points


@unchanging
@dataclass(frozen=True, slots=True)
class Scheme:
    """One way to score a deal; the fields are explained in `schemes.toml`."""

    name: str = field(compare=False)  # a former name stands for the same scheme
    note: str
    trick: Mapping[Strain, Fraction]
    overtrick: Fraction
    undertrick: Fraction
    small_slam: Fraction = _ZERO
    grand_slam: Fraction = _ZERO
    double_factor: Fraction = Fraction(2)
    double_made: Fraction = _ZERO
    double_overtrick: Fraction = _ZERO
    slam_when: str = "made"
    notrump_first: Fraction = _ZERO
    double_overtrick_factor: Fraction | None = None
    double_undertricks: tuple[Fraction, ...] = ()
    part_bonus: Fraction = _ZERO
    game_bonus: Fraction = _ZERO
    game_points: Fraction = _ZERO
    vulnerable: Scheme | None = None
    title: str = field(default="", compare=False)
    """What people call it."""

    def __hash__(self) -> int:
        return hash(self.note)  # of the fields that are compared: fractions are slow to hash

    @property
    def pays_slams(self) -> bool:
        """Whether a slam earns more than its tricks."""
        return bool(self.small_slam or self.grand_slam)

    def at_risk(self, vulnerable: bool) -> Scheme:
        """The scheme by which a declarer is scored who is vulnerable, or is not."""
        return self.vulnerable if vulnerable and self.vulnerable is not None else self

    def declarer_entries(
        self, contract: Contract, tricks: int, deck: Deck = FULL_DECK
    ) -> Iterator[Entry]:
        """What declarer scores for a contract, entry by entry."""
        over = tricks - contract.tricks_needed(deck)
        if over >= 0:
            yield from self._made(contract, over)
        if self.slam_when == "bid":
            if over >= 0:
                yield from self._slam(deck.book + contract.bid.level, deck)
        elif over >= 0 or self.slam_when == "won":
            yield from self._slam(tricks, deck)

    def defender_entries(
        self, contract: Contract, tricks: int, deck: Deck = FULL_DECK
    ) -> Iterator[Entry]:
        """What each defender scores for a contract, entry by entry."""
        down = contract.tricks_needed(deck) - tricks
        if down > 0:
            yield Entry(Reason.UNDERTRICKS, self._undertricks(down, contract.factor))
        if self.slam_when == "won":
            yield from self._slam(deck.hand_size - tricks, deck)

    def declarer_points(self, contract: Contract, tricks: int, deck: Deck = FULL_DECK) -> Points:
        """What the declarer scores for a contract: nothing if it fails, save for slams won."""
        return sum((e.points for e in self.declarer_entries(contract, tricks, deck)), _ZERO)

    def penalty(self, contract: Contract, tricks: int, deck: Deck = FULL_DECK) -> Points:
        """What each defender scores against a contract: nothing if it makes, save for slams won."""
        return sum((e.points for e in self.defender_entries(contract, tricks, deck)), _ZERO)

    def net(self, contract: Contract, tricks: int, deck: Deck = FULL_DECK) -> Points:
        """The paper's net points of a contract: winnings minus the undertrick penalty."""
        return self.declarer_points(contract, tricks, deck) - self.penalty(contract, tricks, deck)

    def nets(self, contract: Contract, deck: Deck = FULL_DECK) -> list[float]:
        """The net points of a contract for each number of tricks."""
        return [float(self.net(contract, tricks, deck)) for tricks in range(deck.hand_size + 1)]

    def _made(self, contract: Contract, over: int) -> Iterator[Entry]:
        """The entries for the tricks of a contract with so many overtricks."""
        strain, doubling = contract.bid.strain, contract.factor // 2
        factor = self._power(self.double_factor, contract.factor)
        first = self.notrump_first if strain is Strain.NOTRUMP else _ZERO
        bid = (self.trick[strain] * contract.bid.level + first) * factor
        yield Entry(Reason.CONTRACT, bid)
        if over:
            if self.double_overtrick_factor is not None:
                factor = self._power(self.double_overtrick_factor, contract.factor)
            value = self.trick[strain] * factor * (over * self.overtrick)
            if value:
                yield Entry(Reason.OVERTRICKS, value)
        if doubling and self.double_made:
            yield Entry(Reason.DOUBLED, self.double_made * doubling)
        if doubling and over and self.double_overtrick:
            yield Entry(Reason.DOUBLED_OVERTRICKS, self.double_overtrick * over * doubling)
        if self.game_points:
            game = bid >= self.game_points
            reason = Reason.GAME if game else Reason.PART_SCORE
            yield Entry(reason, self.game_bonus if game else self.part_bonus)

    def _slam(self, tricks: int, deck: Deck) -> Iterator[Entry]:
        """The bonus of the side that won (or bid) so many tricks.

        Slams are twelve and thirteen tricks. A small deck has none: both tricks of two would earn
        ten times what the contract is worth.
        """
        if deck.hand_size == FULL_DECK.hand_size:
            if tricks == deck.hand_size and self.grand_slam:
                yield Entry(Reason.GRAND_SLAM, self.grand_slam)
            elif tricks == deck.hand_size - 1 and self.small_slam:
                yield Entry(Reason.SMALL_SLAM, self.small_slam)

    def _undertricks(self, down: int, factor: int) -> Points:
        if factor == 1 or not self.double_undertricks:
            return self.undertrick * self._power(self.double_factor, factor) * down
        each = self.double_undertricks
        doubled = sum(each[:down], _ZERO) + each[-1] * max(0, down - len(each))
        return doubled * (factor // 2)

    @staticmethod
    def _power(doubled: Fraction, factor: int) -> Fraction:
        """What a value is multiplied by: the factor of a double, and its square if redoubled."""
        return {1: Fraction(1), 2: doubled, 4: doubled**2}[factor]


def net_range(
    scheme: Scheme, deck: Deck = FULL_DECK, *, doubles: bool = False
) -> tuple[Points, Points]:
    """The lowest and the highest net points of any contract, whatever the tricks.

    Examples:
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


def entries(
    outcome: Outcome,
    scheme: Scheme,
    deck: Deck = FULL_DECK,
    *,
    vulnerable: Collection[Seat] = (),
) -> tuple[tuple[Entry, ...], tuple[Entry, ...], tuple[Entry, ...]]:
    """What the points of the three players are made up of, North first, for one deal.

    Examples:
        >>> slam = Outcome(Contract(Bid("6S"), Seat.NORTH), 12)
        >>> [f"{reason} {points}" for reason, points in entries(slam, find_scheme("auction"))[0]]
        ['contract 54', 'small slam 50']
    """
    contract = outcome.contract
    if contract is None:
        return (), (), ()
    scheme = scheme.at_risk(contract.declarer in vulnerable)
    won = tuple(scheme.declarer_entries(contract, outcome.tricks, deck))
    lost = tuple(scheme.defender_entries(contract, outcome.tricks, deck))
    return three(won if seat is contract.declarer else lost for seat in Seat)


def scores(
    outcome: Outcome,
    scheme: Scheme,
    deck: Deck = FULL_DECK,
    *,
    vulnerable: Collection[Seat] = (),
) -> tuple[Points, Points, Points]:
    """The points of the three players, North first, for one deal."""
    scored = entries(outcome, scheme, deck, vulnerable=vulnerable)
    return three(sum((entry.points for entry in own), _ZERO) for own in scored)


def settle(totals: tuple[P, P, P]) -> tuple[P, P, P]:
    """Settle points between three players: each pair pays the difference.

    A player's net is three times their own points minus the points of all three, and the nets add
    up to zero.

    Examples:
        >>> settle((Fraction(30), Fraction(0), Fraction(0)))
        (Fraction(60, 1), Fraction(-30, 1), Fraction(-30, 1))
    """
    return three(3 * own - sum(totals) for own in totals)


def schemes() -> Mapping[str, Scheme]:
    """The schemes in the package, by name."""
    return _SCHEMES.known


def scheme_names() -> tuple[str, ...]:
    """All names under which a scheme of the package is found, former ones last."""
    return (*schemes(), *ALIASES)


@cache
def _former(name: str) -> Scheme:
    return replace(schemes()[ALIASES[name]], name=name)


def find_scheme(given: Scheme | str) -> Scheme:
    """A scheme, by name, from a file as `FILE` (its only one) or `FILE:NAME`, or by its text.

    A former name gives the same scheme, which then carries the name that was asked for.
    """
    known = isinstance(given, str) and given in ALIASES
    return _former(given) if known else _SCHEMES.find(given)


def package_scheme(name: str | None) -> Scheme | None:
    """A scheme of the package by name; None if there is none of that name. Never a file."""
    return find_scheme(name) if name in scheme_names() and name is not None else None


def scheme_text(scheme: Scheme) -> str:
    """The name of a scheme of the package, or the table of any other, as TOML on one line."""
    if scheme == package_scheme(scheme.name):
        return scheme.name
    return toml_text({scheme.name: scheme_table(scheme)})[1:-1]


def recorded_scheme(text: str | None) -> Scheme | None:
    """The scheme that `scheme_text` wrote; None if there is none of that name. Never a file."""
    return package_scheme(text) or _SCHEMES.named(text)


def scheme_table(scheme: Scheme) -> dict[str, Any]:
    """The table that `read_scheme` reads."""
    words = {"title": scheme.title or scheme.name, "note": scheme.note}
    other = scheme.vulnerable
    return words | _table(scheme) | ({} if other is None else {"vulnerable": _table(other)})


def _table(scheme: Scheme) -> dict[str, Any]:
    """A table without regard to vulnerability."""
    slam = {"small": scheme.small_slam, "grand": scheme.grand_slam, "when": scheme.slam_when}
    bonus = {"part": scheme.part_bonus, "game": scheme.game_bonus}
    double = {
        "factor": scheme.double_factor,
        "made": scheme.double_made,
        "overtrick": scheme.double_overtrick,
        "overtrick_factor": scheme.double_overtrick_factor,
        "undertricks": scheme.double_undertricks or None,
    }
    return {
        "trick": {strain.letter: points for strain, points in scheme.trick.items()},
        "notrump_first": scheme.notrump_first,
        "overtrick": scheme.overtrick,
        "undertrick": scheme.undertrick,
        "slam": slam,
        "double": {key: value for key, value in double.items() if value is not None},
        "bonus": {"game_points": scheme.game_points, **bonus},
    }


def loads_schemes(text: str, source: str) -> dict[str, Scheme]:
    """Read schemes from the text of a TOML file; `source` names it in errors."""
    return _SCHEMES.loads(text, source)


def scheme_entries(entry: Any, where: str) -> dict[str, Any]:
    """The entries of a scheme with those of the scheme of the package that it changes, if any."""
    return _SCHEMES.entries(entry, where, (*_KEYS, "vulnerable")).values


def read_scheme(name: str, entry: Any, where: str) -> Scheme:
    """A scheme from its table."""
    plain = dict(scheme_entries(entry, where))
    changes = plain.pop("vulnerable", None)
    own_title = str(entry.get("title", name))  # not that of its base
    scheme = replace(_plain_scheme(name, Entries(plain, where, _KEYS)), title=own_title)
    if changes is None:
        return scheme
    other = Entries(changes, f"{where}, vulnerable", _KEYS[2:])
    both = Entries(plain | other.values, other.where, _KEYS)
    return replace(scheme, vulnerable=_plain_scheme(name, both))


def _plain_scheme(name: str, data: Entries) -> Scheme:
    """A scheme without regard to vulnerability."""
    trick = data.table("trick", [s.letter for s in Strain])
    slam = data.table("slam", ("small", "grand", "when"), {})
    double = data.table(
        "double", ("factor", "made", "overtrick", "overtrick_factor", "undertricks"), {}
    )
    bonus = data.table("bonus", ("game_points", "part", "game"), {})
    least = None if bonus.values else 0  # a table of bonuses has all of them
    apart = "overtrick_factor" in double.values
    return Scheme(
        name=name,
        note=str(data.values.get("note", "")),
        trick={s: trick.number(s.letter) for s in Strain},
        overtrick=data.number("overtrick"),
        undertrick=data.number("undertrick"),
        small_slam=slam.number("small", 0),
        grand_slam=slam.number("grand", 0),
        slam_when=slam.choice("when", ("made", "won", "bid"), "made"),
        double_factor=double.number("factor", 2),
        double_made=double.number("made", 0),
        double_overtrick=double.number("overtrick", 0),
        double_overtrick_factor=double.number("overtrick_factor") if apart else None,
        double_undertricks=double.numbers("undertricks"),
        notrump_first=data.number("notrump_first", 0),
        part_bonus=bonus.number("part", least),
        game_bonus=bonus.number("game", least),
        game_points=bonus.number("game_points", least),
    )


_SCHEMES: Final = TomlValues("schemes.toml", "scoring scheme", Scheme, read_scheme)

WrittenScheme = Annotated[Scheme, Text(find_scheme, scheme_text, Scheme)]
"""A scheme in a value that is stored: its JSON is the text of the scheme."""
