"""Frozen mappings by strain or by seat; keys may also be given as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from tribridge.cards import Strain, parse_strain
from tribridge.deals import Seat, parse_seat

K = TypeVar("K", Strain, Seat)
V_co = TypeVar("V_co", covariant=True)


class _Keyed(Mapping[K, V_co]):
    __slots__ = ("_values",)

    def __init__(self, values: Mapping[K, V_co]) -> None:
        self._values: dict[K, V_co] = dict(values)

    def __getitem__(self, key: K | str) -> V_co:
        return self._values[self._read(key) if isinstance(key, str) else key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{key.letter}: {one}" for key, one in self._values.items()) + "}"

    def _read(self, text: str) -> K:
        raise NotImplementedError


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

    def _read(self, text: str) -> Strain:
        return parse_strain(text)


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

    def _read(self, text: str) -> Seat:
        return parse_seat(text)
