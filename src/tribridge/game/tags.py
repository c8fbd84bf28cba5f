"""The tags of a game in a file of another program, as text by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final


class Tags(Mapping[str, str]):
    r"""What a file says about a game, by the names of PBN's tags, frozen.

    A tag with a section (`Auction`, `Play`, `ScoreTable`) has its lines below its value.

    Examples:
        >>> tags = Tags({"Event": "Club night", "Auction": "N\n1NT Pass Pass Pass"})
        >>> tags["Event"], tags["Auction"].split()
        ('Club night', ['N', '1NT', 'Pass', 'Pass', 'Pass'])
        >>> tags.get("Site", "?")
        '?'
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values: dict[str, str] = dict(values or {})

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Any:
        """An object of texts in JSON."""
        from pydantic_core import core_schema as core

        texts = core.dict_schema(core.str_schema(), core.str_schema())
        return core.no_info_after_validator_function(
            cls,
            texts,
            serialization=core.plain_serializer_function_ser_schema(dict, return_schema=texts),
        )

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return f"Tags({self._values!r})"

    @property
    def four_handed(self) -> bool:
        """Whether the game is one of four players, and the table made from it after its auction."""
        return "Deal" in self._values and SEATS not in self._values


SEATS: Final = "TribridgeSeats"
"""The tag of three-player games, which says who sits where."""
NO_TAGS: Final = Tags()
