"""Strategy parameters: declared as fields, read from text such as `layouts=50,seconds=1`.

A strategy is a frozen dataclass; each of its fields is a parameter, made by `option` with a
default, a line of help and the range of valid values. The default determines the type: a whole
number, a number, a word, or yes/no.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any, Final

from tribridge.common.errors import SettingError, check_type

Value = int | float | str | bool

_TYPE_NAMES: Final = {
    bool: "yes or no",
    int: "a whole number",
    float: "a number",
    str: "a word",
}
RELEASE: Final = {"release": True}
"""Marks the field that says which version of a strategy it is.

It is no parameter: `name@1` sets it, to the entry of that number in `releases` of the class."""
_WORDS: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: which values it accepts and what it means."""

    name: str
    default: Value
    help: str
    min: float | None = None
    max: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def type(self) -> type[Value]:
        return type(self.default)

    @property
    def text(self) -> str:
        """The parameter with its default, as one would type it.

        Examples:
            >>> Parameter("layouts", 0, "").text, Parameter("tie", 1.0, "").text
            ('layouts=0', 'tie=1')
            >>> Parameter("doubles", True, "").text, Parameter("kind", "net", "").text
            ('doubles=yes', 'kind=net')
        """
        value = self.default
        if isinstance(value, bool):
            value = "yes" if value else "no"
        return f"{self.name}={value if isinstance(value, str) else format(value, 'g')}"

    @property
    def accepts(self) -> str:
        """The accepted values, in words."""
        if self.choices:
            return ", ".join(self.choices)
        kind = _TYPE_NAMES[self.type]
        if self.min is not None and self.max is not None:
            return f"{kind} from {self.min:g} to {self.max:g}"
        if self.min is not None:
            return f"{kind}, {self.min:g} or more"
        return kind

    def check(self, value: Any) -> Value:
        """Return the value if it has this parameter's type and range; raise otherwise."""
        right = isinstance(value, self.type) and (self.type is bool or not isinstance(value, bool))
        if self.type is float and type(value) is int:
            value, right = float(value), True
        if right and self.choices:
            right = value in self.choices
        if right and isinstance(value, int | float):
            low = -math.inf if self.min is None else self.min
            high = math.inf if self.max is None else self.max
            right = math.isfinite(value) and low <= value <= high
        if not right:
            raise SettingError(f"{self.name}={value} is out of range: expected {self.accepts}")
        return value  # type: ignore[no-any-return]

    def parse(self, text: str) -> Value:
        """Read a value."""
        text = text.strip()
        value: Any = text
        try:
            if self.type is bool:
                value = _WORDS[text.lower()]
            elif self.type is not str:
                value = self.type(text)
        except (KeyError, ValueError, OverflowError):
            raise SettingError(f"cannot read {self.name}={text}: expected {self.accepts}") from None
        return self.check(value)


def option(
    default: Any,
    help: str,  # noqa: A002
    *,
    min: float | None = None,  # noqa: A002
    max: float | None = None,  # noqa: A002
    choices: Sequence[str] = (),
) -> Any:
    """A field of a strategy that is one of its parameters.

    The type of the values is that of the default.

    Examples:
        >>> @dataclass(frozen=True)
        ... class Bold:
        ...     name = "bold"
        ...     courage: float = option(0.5, "how often to bid one more", min=0, max=1)
        >>> parameters_of(Bold)[0].accepts
        'a number from 0 to 1'

    Raises nothing here; looking a strategy up with a value out of range raises a `SettingError`.
    """
    check_type(choices, "option: choices", "Sequence[str]", Iterable)
    return field(
        default=default,
        metadata={"help": help, "min": min, "max": max, "choices": tuple(choices)},
    )


def parameters_of(cls: type[Any]) -> tuple[Parameter, ...]:
    """The parameters that a strategy class declares; none if it is not a dataclass."""
    parameters = []
    for item in fields(cls) if is_dataclass(cls) else ():
        if item.metadata == RELEASE:
            continue
        if item.default is MISSING or "help" not in item.metadata:
            raise SettingError(
                f"{cls.__name__}.{item.name} is not a parameter: declare it with option()"
            )
        parameters.append(Parameter(item.name, item.default, **item.metadata))
    return tuple(parameters)


def read_parameters(text: str, known: Sequence[Parameter], owner: str) -> Mapping[str, Value]:
    """Read `name=value,name=value`; the error for an unknown name lists the known ones."""
    names = {parameter.name: parameter for parameter in known}
    values: dict[str, Value] = {}
    for part in text.split(",") if text.strip() else ():
        name, equals, value = part.partition("=")
        name = name.strip()
        if name not in names:
            offer = f"it has {', '.join(names)}" if names else "it has none"
            raise SettingError(f"{owner} has no parameter {name!r}: {offer}")
        if not equals:
            raise SettingError(f"{owner}: {name} has no value: write {name}=...")
        if name in values:
            raise SettingError(f"{owner}: {name} is given twice")
        try:
            values[name] = names[name].parse(value)
        except SettingError as error:
            raise SettingError(f"{owner}: {error}") from None
    return values
