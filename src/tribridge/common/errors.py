"""The exceptions of Tribridge; all of them are `ValueError`s.

A message is one line that can be shown to a user as it is: what was given, what is wrong and, where
it helps, what would be accepted.
"""

from __future__ import annotations

import reprlib
from importlib import import_module
from importlib.util import find_spec
from numbers import Integral, Real
from typing import Any, Final, TypeVar

from tribridge.common.sentences import Words

C = TypeVar("C", bound=type[Any])

EXTRAS: Final = {
    "cupy": "gpu",
    "distributed": "cluster",
    "endplay": "dd",
    "fastapi": "club",
    "gymnasium": "envs",
    "httptools": "club",
    "jinja2": "lab",
    "llvmlite": "speed",
    "matplotlib": "lab",
    "multipart": "club",
    "numba": "speed",
    "pettingzoo": "envs",
    "psycopg": "postgres",
    "pyarrow": "lab",
    "pyspiel": "openspiel",
    "scipy": "stats",
    "torch": "learn",
    "uvicorn": "club",
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

    A message that is a sentence stays one, for those who say it in other languages.

    Examples:
        >>> first_line(OSError("no route\nto host")), first_line(MemoryError())
        ('no route', 'MemoryError')
    """
    if error.args and isinstance(error.args[0], Words):
        return error.args[0]
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


class RecordWarning(UserWarning):
    """A game of a file that is left out: the message names file, board, line and reason."""


class SettingError(TribridgeError):
    """A bad option: a negative number of deals, options that cannot be combined."""


class NotFoundError(TribridgeError, LookupError):
    """An unknown name: a strategy, study or scheme that does not exist, games not played."""


class RunError(TribridgeError, RuntimeError):
    """A run that failed or cannot continue: a worker that died, the folder of another run."""


class MissingPackageError(TribridgeError):
    """An optional package that is not installed; the message says how to install it."""


def unchanging(cls: C) -> C:
    """Decorate a frozen dataclass: whoever sets or deletes an attribute of any name is told so.

    What Python's dataclasses say for other names than those of their fields, if they have slots, is
    an error about `super`.

    Examples:
        >>> import tribridge as tb
        >>> tb.new_table(seed=1).dealer = "E"
        Traceback (most recent call last):
        dataclasses.FrozenInstanceError: a Table cannot be changed: make a new one
    """
    from dataclasses import FrozenInstanceError

    def refuse(self: object, name: str, *_: object) -> None:
        raise FrozenInstanceError(f"a {cls.__name__} cannot be changed: make a new one")

    cls.__setattr__ = cls.__delattr__ = refuse  # type: ignore[assignment]
    return cls


_KINDS: Final[dict[Any, Any]] = {int: Integral, float: Real, None: type(None)}


def check_type(value: object, argument: str, expected: str, *kinds: type[Any] | None) -> None:
    """Refuse an argument of a type that its function does not take; `expected` is its annotation.

    Whole numbers and numbers are those of NumPy, too.

    Examples:
        >>> check_type(10, "half: number", "int | None", int, None)
        >>> check_type("ten", "half: number", "int | None", int, None)
        Traceback (most recent call last):
        tribridge.common.errors.SettingError: half: number must be int | None, not 'ten'
    """
    types: tuple[Any, ...] = tuple(_KINDS.get(kind, kind) for kind in kinds)
    if not isinstance(value, types):
        raise SettingError(f"{argument} must be {expected}, not {shown(value)}")


def check_switches(function: str, **switches: object) -> None:
    """Refuse text in place of True or False: "no" would mean yes.

    Examples:
        >>> check_switches("new_table", doubles="no")
        Traceback (most recent call last):
        tribridge.common.errors.SettingError: new_table: doubles must be bool, not 'no'
    """
    for name, value in switches.items():
        if isinstance(value, str):
            raise SettingError(f"{function}: {name} must be bool, not {shown(value)}")


def missing(package: str) -> MissingPackageError:
    """The error for a package that is not installed, with the command that installs it.

    Examples:
        >>> print(missing("numba"))  # doctest: +ELLIPSIS
        numba is not installed: pip install ...
    """
    return MissingPackageError(f"{package} is not installed: {_install(EXTRAS[package])}")


def _install(extra: str) -> str:
    """The command that installs an extra of this package, which is on no index.

    It names where the package was installed from or, if that is not known or gone, the packages
    of the extra.
    """
    from importlib.metadata import PackageNotFoundError, requires
    from shlex import join

    if origin := _origin(extra):
        return join(["pip", "install", *origin])
    try:
        stated = [line.partition(";") for line in requires("tribridge") or ()]
    except PackageNotFoundError:
        stated = []
    end = f"extra == {extra!r}"
    packages = [name.strip() for name, _, when in stated if when.replace('"', "'").endswith(end)]
    return join(["pip", "install", *(packages or [f"tribridge[{extra}]"])])


def _origin(extra: str) -> list[str]:
    """What to give pip for an extra from where it got the package (PEP 610); [] if unknown."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from pathlib import Path
    from urllib.parse import unquote, urlsplit

    source = Path(__file__).parents[2]
    if source.name == "src" and (source.parent / "pyproject.toml").is_file():
        return ["-e", f"{source.parent}[{extra}]"]
    try:
        noted = json.loads(distribution("tribridge").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return []
    url, repository = noted.get("url", ""), noted.get("vcs_info")
    if repository is not None:
        revision = repository.get("requested_revision") or repository["commit_id"]
        return [f"tribridge[{extra}] @ {repository['vcs']}+{url}@{revision}"]
    parts = urlsplit(url)
    if parts.scheme != "file":
        return [f"tribridge[{extra}] @ {url}"] if url else []
    place = Path(unquote(parts.path))
    return [f"{place}[{extra}]"] if place.exists() else []


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
