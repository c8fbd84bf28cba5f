"""The exceptions of Tribridge; all of them are `ValueError`s.

A message is one line that can be shown to a user as it is: what was given, what is wrong and, where
it helps, what would be accepted.
"""

from __future__ import annotations

import reprlib
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

EXTRAS: Final = {
    "cupy": "gpu",
    "distributed": "cluster",
    "endplay": "dd",
    "fastapi": "web",
    "gymnasium": "envs",
    "jinja2": "paper",
    "matplotlib": "paper",
    "numba": "speed",
    "pettingzoo": "envs",
    "psycopg": "postgres",
    "pyarrow": "paper",
    "pyspiel": "openspiel",
    "scipy": "stats",
    "torch": "learn",
    "uvicorn": "web",
}
"""Packages that are not always installed, and the extra of this package that installs them."""


def shown(value: object) -> str:
    """A value of any type, however long, on one short line of an error message.

    Examples:
        >>> shown([1, 2]), shown("x" * 99)
        ('[1, 2]', "'xxxxxxxxxxxx...xxxxxxxxxxxxx'")
    """
    return " ".join(reprlib.repr(value).split())


def first_line(error: BaseException, otherwise: str = "") -> str:
    r"""The first line of an error's message; if empty, `otherwise` or the name of the error.

    Examples:
        >>> first_line(OSError("no route\nto host")), first_line(MemoryError())
        ('no route', 'MemoryError')
    """
    return (str(error).splitlines() or [otherwise or type(error).__name__])[0]


def quantity(count: int, noun: str, plural: str = "") -> str:
    """A number of things, for a message.

    Examples:
        >>> quantity(1, "deal"), quantity(1200, "deal"), quantity(0, "match", "matches")
        ('1 deal', '1,200 deals', '0 matches')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


class TribridgeError(ValueError):
    """Base class of all errors caused by bad input or illegal actions.

    Examples:
        >>> import tribridge as tb
        >>> try:
        ...     tb.new_table(seed=1).call("8NT")
        ... except tb.TribridgeError as error:
        ...     print(error)
        no bid at level 8 ('8NT'): levels are 1 to 7
    """


class FormatError(TribridgeError):
    """Text that cannot be read: an unknown rank, too many suits, a broken file."""


class CardsError(TribridgeError):
    """Cards that do not fit: a repeated card, a hand of twelve, a card outside the deck."""


class IllegalActionError(TribridgeError):
    """A call or a card that the rules do not allow in this position."""


class RecordError(TribridgeError):
    """A record that cannot be replayed: an unknown version, an event out of place."""


class SettingError(TribridgeError):
    """A bad option: a negative number of deals, options that cannot be combined."""


class NotFoundError(TribridgeError, LookupError):
    """An unknown name: a strategy, study or scheme that does not exist, games not played."""


class RunError(TribridgeError, RuntimeError):
    """A run that failed or cannot continue: a worker that died, the folder of another run."""


class MissingPackageError(TribridgeError):
    """An optional package that is not installed; the message says how to install it."""


def missing(package: str) -> MissingPackageError:
    """The error for a package that is not installed, with the command that installs it.

    Examples:
        >>> print(missing("numba"))
        numba is not installed: pip install 'tribridge[speed]'
    """
    return MissingPackageError(
        f"{package} is not installed: pip install 'tribridge[{EXTRAS[package]}]'"
    )


def installed(package: str) -> bool:
    """Whether an optional package can be imported."""
    try:
        return find_spec(package) is not None
    except ValueError:  # blocked: `sys.modules` has None for it
        return False


def need(module: str) -> Any:
    """Import a module of an optional package; the error says how to install it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in EXTRAS:
            raise
        raise missing(error.name.partition(".")[0]) from None
