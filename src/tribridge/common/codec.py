"""JSON of values: one way to write, read and describe every frozen dataclass.

Pydantic does the work, as it does for the bodies of the web API, so that a value has the same JSON
in a file, in the output of a command and in an answer of the server. It is imported at the first
use. A type that people write as a short text, such as a seat or a strain, is that text in JSON:
decorate it with `text_form`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isfinite, nan
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar, get_type_hints

from tribridge.common.errors import FormatError, shown

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


class Text:
    """Marks a type that is a short text in JSON: `Annotated[Action, Text(read, show, Action)]`."""

    def __init__(self, read: Callable[[str], Any], show: Callable[[Any], str], kind: Any) -> None:
        self.read, self.show, self.kind = read, show, kind

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> Any:
        from pydantic_core import core_schema as core

        def value(given: object) -> object:
            if isinstance(given, self.kind):
                return given
            if not isinstance(given, str):
                raise ValueError(f"{shown(given)} is not a text")
            return self.read(given)

        return core.no_info_plain_validator_function(
            value,
            serialization=core.plain_serializer_function_ser_schema(
                self.show, return_schema=core.str_schema()
            ),
        )

    def __get_pydantic_json_schema__(self, schema: object, handler: object) -> dict[str, str]:
        return {"type": "string"}


def text_form(
    read: Callable[[str], Any], show: Callable[[Any], str]
) -> Callable[[type[T]], type[T]]:
    """Decorate a class that JSON shows as a text, with the functions that read and show it."""

    def decorate(cls: type[T]) -> type[T]:
        form = Text(read, show, cls)
        for name in ("__get_pydantic_core_schema__", "__get_pydantic_json_schema__"):
            method = getattr(form, name)
            setattr(cls, name, classmethod(lambda cls, *given, method=method: method(*given)))
        return cls

    return decorate


def fields_form(
    read: Callable[[Any], Any], show: Callable[[Any], dict[str, Any]]
) -> Callable[[type[T]], type[T]]:
    """Decorate a class that JSON shows as an object, with the functions that read and show it."""

    def decorate(cls: type[T]) -> type[T]:
        def core_schema(cls: type[T], source: object, handler: object) -> Any:
            from pydantic_core import core_schema as core

            def value(given: object) -> object:
                if isinstance(given, cls):
                    return given
                if not isinstance(given, dict):
                    raise ValueError(f"{shown(given)} is not an object")
                return read(given)

            return core.no_info_plain_validator_function(
                value,
                serialization=core.plain_serializer_function_ser_schema(
                    show, return_schema=core.dict_schema()
                ),
            )

        def json_schema(cls: type[T], schema: object, handler: object) -> dict[str, str]:
            return {"type": "object"}

        cls.__get_pydantic_core_schema__ = classmethod(core_schema)  # type: ignore[attr-defined]
        cls.__get_pydantic_json_schema__ = classmethod(json_schema)  # type: ignore[attr-defined]
        return cls

    return decorate


class _OrNull:
    """Marks a number that is null in JSON where it is not finite, and then read as NaN."""

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> Any:
        from pydantic_core import core_schema as core

        number = core.nullable_schema(core.float_schema())
        return core.no_info_after_validator_function(
            lambda value: nan if value is None else value,
            number,
            serialization=core.plain_serializer_function_ser_schema(
                lambda value: value if isfinite(value) else None, return_schema=number
            ),
        )


Number = Annotated[float, _OrNull()]


def also(*names: str) -> Callable[[type[T]], type[T]]:
    """Decorate a dataclass whose JSON has some of its properties beside its fields.

    They are not read: they follow from the fields.
    """

    def decorate(cls: type[T]) -> type[T]:
        def core_schema(cls: type[T], source: object, handler: Any) -> Any:
            from pydantic_core import core_schema as core

            schema = handler.resolve_ref_schema(handler(source))
            hints = {name: get_type_hints(getattr(cls, name).fget)["return"] for name in names}
            schema["schema"]["computed_fields"] = [
                core.computed_field(name, handler.generate_schema(hints[name])) for name in names
            ]
            return schema

        cls.__get_pydantic_core_schema__ = classmethod(core_schema)  # type: ignore[attr-defined]
        return cls

    return decorate


class _ByKind:
    """Marks a union of values that their field `kind` tells apart: `Annotated[A | B, BY_KIND]`."""

    def __get_pydantic_core_schema__(self, source: object, handler: Any) -> Any:
        from pydantic import Field

        return handler.generate_schema(Annotated[source, Field(discriminator="kind")])


BY_KIND: Final = _ByKind()

_ADAPTERS: Final[dict[Any, TypeAdapter[Any]]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Pydantic's reader and writer of a type."""
    from pydantic import TypeAdapter

    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def dumps(
    value: object, kind: Any = None, *, indent: int | None = None, skip_none: bool = False
) -> str:
    """A value as JSON; `kind` is its type if it is not its class, as for a union or a list.

    With `skip_none` fields that are None are left out.

    Examples:
        >>> from tribridge.common.stats import Interval
        >>> dumps(Interval(1.5, 1, 2))
        '{"estimate":1.5,"low":1.0,"high":2.0}'
    """
    adapter = _adapter(kind or type(value))
    return adapter.dump_json(value, indent=indent, exclude_none=skip_none).decode()


def plain(value: object, kind: Any = None, *, digits: int | None = None) -> Any:
    """A value as the dicts, lists, texts and numbers that JSON has, rounded to some digits.

    A number that is not finite is None; dicts and lists may hold values and fractions.
    """
    if kind is None and isinstance(value, dict):
        return {str(key): plain(item, digits=digits) for key, item in value.items()}
    if kind is None and isinstance(value, (list, tuple)):
        return [plain(item, digits=digits) for item in value]
    if isinstance(value, (float, Fraction)):
        number = float(value)
        return None if not isfinite(number) else number if digits is None else round(number, digits)
    if kind is None and type(value) in (str, int, bool, type(None)):
        return value
    return plain(_adapter(kind or type(value)).dump_python(value, mode="json"), digits=digits)


def loads(text: str | bytes, kind: type[T], source: str = "the text") -> T:
    """Read a value of a type from JSON.

    Examples:
        >>> from tribridge.common.stats import Interval
        >>> loads('{"estimate": 1, "low": 0, "high": "?"}', Interval, "file.json")
        Traceback (most recent call last):
        ...
        tribridge.common.errors.FormatError: file.json: high: Input should be a valid number, ...
    """
    from pydantic import ValidationError

    try:
        value: T = _adapter(kind).validate_json(text)
    except ValidationError as error:
        raise FormatError(f"{source}: {_first(error)}") from None
    return value


def read(data: object, kind: type[T], source: str = "the value") -> T:
    """Read a value of a type from what `plain` gives."""
    from pydantic import ValidationError

    try:
        value: T = _adapter(kind).validate_python(data)
    except ValidationError as error:
        raise FormatError(f"{source}: {_first(error)}") from None
    return value


def schema(kind: Any) -> dict[str, Any]:
    """The JSON schema of a type."""
    return _adapter(kind).json_schema()


def _first(error: Any) -> str:
    """What is wrong, and where, in one line."""
    first = error.errors(include_url=False, include_input=True)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "value_error":  # raised by a reader of ours, in its own words
        message = str(first["ctx"]["error"])
    elif first["type"] in ("missing", "json_invalid"):
        message = first["msg"]
    else:
        message = f"{first['msg']}, not {shown(first['input'])}"
    return f"{place}: {message}" if place else message
