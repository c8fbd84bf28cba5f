"""The one error family: everything that Tribridge refuses is a `ValueError`.

A message says what was tried, where, why it is refused and, where that helps, what would be
accepted. It is one line and fit to be shown to a person as it stands.
"""

from __future__ import annotations

import reprlib


def shown(value: object) -> str:
    """A value of any type, however long, on one short line of an error message.

    Examples:
        >>> shown([1, 2]), shown("x" * 99)
        ('[1, 2]', "'xxxxxxxxxxxx...xxxxxxxxxxxxx'")
    """
    return " ".join(reprlib.repr(value).split())


def first_line(error: BaseException, otherwise: str = "") -> str:
    r"""The first line of an error's message; of an empty one `otherwise`, or the error's kind.

    >>> first_line(OSError("no route\nto host")), first_line(MemoryError())
    ('no route', 'MemoryError')
    """
    return (str(error).splitlines() or [otherwise or type(error).__name__])[0]


class TribridgeError(ValueError):
    """Base of all errors that wrong input or a wrong action can cause.

    Examples:
        >>> import tribridge as tb
        >>> try:
        ...     tb.new_table(seed=1).call("8NT")
        ... except tb.TribridgeError as error:
        ...     print(error)
        no bid at level 8 ('8NT'): levels are 1 to 7
    """


class FormatError(TribridgeError):
    """Text that cannot be read: an unknown rank, a suit too many, a broken file."""


class CardsError(TribridgeError):
    """Readable cards that do not fit: a card twice, a hand of twelve, a card outside the deck."""


class IllegalActionError(TribridgeError):
    """A call or a card that the rules do not allow in this position."""


class RecordError(TribridgeError):
    """A record that cannot be replayed: an unknown version, an event out of place."""


class SettingError(TribridgeError):
    """A bad value of an option: a negative number of deals, options that exclude each other."""


class NotFoundError(TribridgeError, LookupError):
    """A name that stands for nothing: an unknown strategy, study or scheme, games not played."""


class RunError(TribridgeError, RuntimeError):
    """A run that failed or cannot go on: a worker that died, a folder of another run."""


class MissingPackageError(TribridgeError):
    """An optional package that is not installed; the message says how to install it."""
