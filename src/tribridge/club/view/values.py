"""How the values of pages and API are declared: frozen dataclasses, described by their docstrings.

A docstring below a field is its description at `/openapi.json`. What only pages need is marked with
`OnPages` and is not in the JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache, wraps
from typing import Annotated, Any, TypeVar, cast, dataclass_transform

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic_core import core_schema

from tribridge.common.codec import Text
from tribridge.game import Contract, points_name
from tribridge.game.view_json import contract_text

T = TypeVar("T")


def _declared(cls: type[T], config: ConfigDict) -> type[T]:
    made: Any = dataclass(frozen=True, slots=True, kw_only=True)(cls)
    made.__pydantic_config__ = config | {"use_attribute_docstrings": True}
    made.__pydantic_core_schema__ = TypeAdapter(made).core_schema  # once, for all routes
    return cast(type[T], made)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def value(cls: type[T]) -> type[T]:
    """A frozen dataclass that the API sends."""
    return _declared(cls, {})


@dataclass_transform(frozen_default=True, kw_only_default=True)
def sent(cls: type[T]) -> type[T]:
    """A frozen dataclass that the API is sent: unknown fields are refused."""
    return _declared(cls, {"extra": "forbid"})


def filled(kind: Callable[..., T], *sources: object, **given: Any) -> T:
    """A value of what is given by name and, for other fields, of what the sources have under it.

    The first source that has a name counts; a field that none has keeps its default.

    >>> from tribridge.common.stats import Interval
    >>> filled(Interval, Interval(1, 2, 3), low=0)
    Interval(estimate=1, low=0, high=3)
    """
    return kind(**given_by(kind, *sources, **given))


def given_by(kind: Callable[..., T], *sources: object, **given: Any) -> dict[str, Any]:
    """What `filled` makes a value of, by name."""
    for name, at in _found(kind, tuple(map(type, sources))):
        if name not in given:
            given[name] = getattr(sources[at], name)
    return given


@cache
def _found(kind: Any, sources: tuple[type, ...]) -> tuple[tuple[str, int], ...]:
    """The fields of a class that sources have, each with the number of the first such source."""
    known = [{*dir(source), *getattr(source, "__dataclass_fields__", ())} for source in sources]
    places = {part.name: [part.name in names for names in known] for part in fields(kind)}
    return tuple((name, there.index(True)) for name, there in places.items() if True in there)


S = TypeVar("S")


def once_for_each(size: int) -> Callable[[Callable[[S], T]], Callable[[S], T]]:
    """Decorate a function of one frozen object, to keep what it made of the last such objects.

    They are told apart by identity: comparing a whole table costs more than what is kept here.
    """

    def decorate(function: Callable[[S], T]) -> Callable[[S], T]:
        last: dict[int, tuple[S, T]] = {}

        @wraps(function)
        def get(given: S) -> T:
            made = last.get(id(given))
            if made is None:
                if len(last) >= size:
                    last.clear()
                made = last[id(given)] = given, function(given)
            return made[1]

        return get

    return decorate


class _Anything:
    def __get_pydantic_core_schema__(self, source: object, handler: object) -> Any:
        return core_schema.any_schema()


OnPages = Annotated[T, _Anything(), Field(exclude=True)]
"""A field for pages alone, of any type."""

Points = Annotated[Fraction, Text(Fraction, points_name, Fraction)]
ContractName = Annotated[Contract, Text(str, contract_text, Contract)]
"""Without its declarer, so it is written only."""
