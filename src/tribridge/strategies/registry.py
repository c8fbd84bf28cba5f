"""Strategies by name: `capture`, `sampling:layouts=50,seconds=1`, `points+maxims`.

A caller or a player is written as its name, with parameters after a colon. A strategy is written
caller+player. A single name is also a whole strategy: if it names both a caller and a player it
means both, otherwise the other part is the default, `DEFAULT_CALLER` or `DEFAULT_PLAYER`. A name
means the present version; `learned@1` is an earlier one, which keeps its choices.

Other packages declare callers and players in their `pyproject.toml`, and whoever installs them can
use these by name (`examples/plugin` is a complete package). They are loaded the first time a name
or a list is looked up:

    [project.entry-points."tribridge.strategies"]
    stingy = "tribridge_stingy:Stingy"

An entry point names a class, or a module that registers its own.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, Final, TypeVar

from tribridge.common.docstrings import docstring
from tribridge.common.errors import NotFoundError, SettingError, shown
from tribridge.common.once import once
from tribridge.game.scoring import Scheme, find_scheme, package_scheme
from tribridge.strategies.callers.card import CardCaller
from tribridge.strategies.callers.forecast import ForecastCaller
from tribridge.strategies.callers.points import PointsCaller
from tribridge.strategies.callers.simple import CaptureCaller, PassCaller, RandomCaller
from tribridge.strategies.human import HumanPlayer
from tribridge.strategies.learned.caller import LearnedCaller
from tribridge.strategies.learned.player import LearnedPlayer
from tribridge.strategies.parameters import Parameter, parameters_of, read_parameters
from tribridge.strategies.players.maxims.player import MaximsPlayer
from tribridge.strategies.players.search.alphamu import AlphaMuPlayer
from tribridge.strategies.players.search.ismcts import IsmctsPlayer
from tribridge.strategies.players.search.sampling import SamplingPlayer
from tribridge.strategies.players.simple import CapturePlayer, OraclePlayer, RandomPlayer
from tribridge.strategies.program import COMMAND, ProgramStrategy
from tribridge.strategies.protocol import Caller, OpenPlayer, Player, Strategy

DEFAULT_CALLER: Final = "learned"
DEFAULT_PLAYER: Final = "learned"


@dataclass(frozen=True, slots=True)
class Entry:
    """A strategy, a caller or a player in a list: its name, what it does and its parameters.

    Examples:
        >>> next(entry for entry in callers() if entry.name == "random")
        <random:passing=0.6,reach=5  passes or makes one of the next few bids at random>
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...] = ()
    fair: bool = True

    def __str__(self) -> str:
        settings = ",".join(parameter.text for parameter in self.parameters)
        unfair = "" if self.fair else " (sees all hands: for measuring)"
        return f"{self.name}{':' if settings else ''}{settings}  {self.summary}{unfair}"

    def __repr__(self) -> str:
        return f"<{self}>"


class Entries(tuple[Entry, ...]):
    """A list of strategies that prints one per line."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(str(entry) for entry in self)

    def __repr__(self) -> str:
        return str(self)


C = TypeVar("C", bound=type[Any])

_CALLERS: Final[dict[str, type[Any]]] = {}
_PLAYERS: Final[dict[str, type[Any]]] = {}
_CALLER_METHODS: Final = ("call",)
_PLAYER_METHODS: Final = ("card", "open_card")


@contextmanager
def kept() -> Iterator[None]:
    """Forget, at the end, what is registered meanwhile: for tests."""
    before = dict(_CALLERS), dict(_PLAYERS)
    yield
    for names, earlier in zip((_CALLERS, _PLAYERS), before, strict=True):
        names.clear()
        names.update(earlier)


def register_caller(cls: C) -> C:
    """Register a caller class under its `name`; can be used as a decorator.

    Examples:
        >>> from tribridge.game import PASS
        >>> from tribridge.strategies import Choice
        >>> @register_caller
        ... class Silent:
        ...     name = "silent"
        ...     summary = "passes and gives no reason worth reading"
        ...
        ...     def call(self, view, rng):
        ...         return Choice(PASS, "Silence is golden.")
        >>> find_strategy("silent+random").caller.__class__ is Silent
        True

    Raises:
        SettingError: the class has no `name` or no method `call`, or the name is taken.
    """
    _CALLERS[_checked_name(_CALLERS, cls, _CALLER_METHODS)] = cls
    return cls


def register_player(cls: C) -> C:
    """Register a player class under its `name`; can be used as a decorator.

    Examples:
        >>> from tribridge.strategies import Choice
        >>> @register_player
        ... class First:
        ...     name = "first"
        ...     summary = "plays the first legal card"
        ...
        ...     def card(self, view, rng):
        ...         return Choice(view.legal[0], "It is the first legal card.")
        >>> find_strategy("pass+first").player.__class__ is First
        True

    Raises:
        SettingError: the class has no `name` or no method `card`, or the name is taken.
    """
    _PLAYERS[_checked_name(_PLAYERS, cls, _PLAYER_METHODS)] = cls
    return cls


def _checked_name(where: Mapping[str, type[Any]], cls: object, methods: tuple[str, ...]) -> str:
    """Check that a class can be registered and return its name."""
    if not isinstance(cls, type):
        raise SettingError(f"{shown(cls)} is not a class: register the class, not an instance")
    name = getattr(cls, "name", None)
    if not isinstance(name, str) or not name.replace("-", "").isalnum():
        raise SettingError(f"{cls.__name__} needs a name of letters, digits and hyphens")
    if not any(hasattr(cls, method) for method in methods):
        raise SettingError(f"{cls.__name__} has no method {' or '.join(methods)}")
    old = where.get(name, cls)
    if (old.__module__, old.__qualname__) != (cls.__module__, cls.__qualname__):
        raise SettingError(f"the name {name!r} is taken by {where[name].__name__}")
    parameters_of(cls)
    return name


for _caller in (
    PassCaller, RandomCaller, CaptureCaller, PointsCaller, CardCaller, ForecastCaller,
    LearnedCaller,
):  # fmt: skip
    register_caller(_caller)
for _player in (
    RandomPlayer, CapturePlayer, MaximsPlayer, LearnedPlayer, HumanPlayer, SamplingPlayer,
    IsmctsPlayer, AlphaMuPlayer, OraclePlayer,
):  # fmt: skip
    register_player(_player)


@once
def load_plugins() -> None:
    """Register the strategies of other packages, with a warning for those that fail to load.

    So is `program`, where the environment names one.
    """
    if os.environ.get(COMMAND):
        _register_plugin(ProgramStrategy)

    def package(point: EntryPoint) -> str:
        return "?" if point.dist is None else f"{point.dist.name} {point.dist.version}"

    points = entry_points(group="tribridge.strategies")
    for point in sorted(points, key=lambda point: (package(point), point.name)):
        try:
            before = {*_CALLERS.values(), *_PLAYERS.values()}
            loaded = point.load()
            if not isinstance(loaded, ModuleType):
                _register_plugin(loaded)
            elif not any(  # a module registers its strategies itself, perhaps loaded before
                cls.__module__ == loaded.__name__ or cls not in before
                for cls in (*_CALLERS.values(), *_PLAYERS.values())
            ):
                raise SettingError(f"the module {loaded.__name__} registers no strategy")
        except Exception as error:  # importing a third-party module may raise anything
            reason = " ".join(str(error).split()) or "no message"
            if not isinstance(error, ValueError):
                reason = f"{type(error).__name__}: {reason}"
            logging.getLogger("tribridge.strategies").warning(
                "tribridge: the strategy %r of the package %s was left out: %s",
                point.name, package(point), reason,
            )  # fmt: skip


def _register_plugin(cls: Any) -> None:
    """Register a class of another package as a caller, as a player, or as both."""
    kinds = [
        (where, methods)
        for where, methods in ((_CALLERS, _CALLER_METHODS), (_PLAYERS, _PLAYER_METHODS))
        if any(hasattr(cls, method) for method in methods)
    ]
    if not kinds:
        raise SettingError(f"{shown(cls)} has no method call or card")
    names = [_checked_name(where, cls, methods) for where, methods in kinds]
    for name, (where, _) in zip(names, kinds, strict=True):
        where[name] = cls


def callers() -> Entries:
    """All callers."""
    load_plugins()
    return Entries(_entry(cls) for cls in _CALLERS.values())


def players() -> Entries:
    """All players."""
    load_plugins()
    return Entries(_entry(cls) for cls in _PLAYERS.values())


def strategies() -> Entries:
    """All single names of whole strategies."""
    load_plugins()
    entries = []
    for name in dict.fromkeys((*_CALLERS, *_PLAYERS)):
        caller, player = map(_entry, _pair(name))
        parts = [part for part in (caller, player) if part.name == name]
        entries.append(
            Entry(
                name,
                f"calls: {caller.summary}; cards: {player.summary}",
                tuple(parameter for part in parts for parameter in part.parameters),
                player.fair,
            )
        )
    return Entries(entries)


def find_caller(text: str) -> Caller:
    """The caller that a text names.

    Examples:
        >>> find_caller("random:passing=0.9")
        RandomCaller(passing=0.9, reach=5)
    """
    caller: Caller = _make(_CALLERS, "caller", text)
    return caller


def find_player(text: str) -> Player | OpenPlayer:
    """The player that a text names; an unfair one has `open_card` in place of `card`."""
    player: Player | OpenPlayer = _make(_PLAYERS, "player", text)
    return player


def find_strategy(text: str) -> Strategy:
    """The strategy that a text names: caller+player, or one name for both.

    Examples:
        >>> find_strategy("pass+random").player
        RandomPlayer()
        >>> find_strategy("learned@1").player.release
        <version 1>
    """
    load_plugins()
    text = text.strip()
    first, plus, second = text.partition("+")
    if plus:
        return Strategy(text, find_caller(first), find_player(second))
    name, _, settings = text.partition(":")
    name, _, version = name.strip().partition("@")
    halves = [where[name] for where in (_CALLERS, _PLAYERS) if name in where]
    if not halves:
        _check_program(name)
        names = ", ".join(dict.fromkeys((*_CALLERS, *_PLAYERS)))
        raise NotFoundError(f"unknown strategy {name!r}: expected one of {names}, or caller+player")
    for half in halves:
        _check_version(name, version, _releases(half))
    caller, player = _pair(name)
    parts = [cls for cls in (caller, player) if cls.name == name]
    known = {parameter.name: parameter for cls in parts for parameter in parameters_of(cls)}
    values = read_parameters(settings, tuple(known.values()), name)

    def make(cls: type[Any]) -> Any:
        if cls not in parts:
            return cls()
        own = {parameter.name for parameter in parameters_of(cls)}
        settings = {key: value for key, value in values.items() if key in own}
        return cls(**settings, **_releases(cls)[version])

    return Strategy(text, make(caller), make(player))


def bidding_for(strategy: Strategy, scheme: Scheme | None) -> Strategy:
    """The strategy, with its caller bidding for a scoring scheme if it can and was given no other.

    So does every strategy at a table, in a match and in a comparison. In a rubber, where the scheme
    is None, and under schemes of a user's file, callers bid as they do of themselves: for
    `auction` or, if they count points, for none.

    Examples:
        >>> contract = find_scheme("contract")
        >>> bidding_for(find_strategy("learned+maxims"), contract).caller.scheme
        'contract'
        >>> bidding_for(find_strategy("learned:scheme=new+maxims"), contract).caller.scheme
        'new'
    """
    caller: Any = strategy.caller
    options = (
        {field.name: field.default for field in fields(caller)} if is_dataclass(caller) else {}
    )
    given = "scheme" not in options or caller.scheme != options["scheme"]
    if given or scheme is None or scheme == find_scheme("auction"):
        return strategy
    if scheme != package_scheme(scheme.name):
        return strategy
    return replace(strategy, caller=replace(caller, scheme=scheme.name))


def as_strategy(given: object) -> Strategy:
    """A strategy from a strategy, a name, or a caller or player (completed by the default).

    Examples:
        >>> as_strategy(RandomCaller(passing=0.9)).name
        'random:passing=0.9'
    """
    if isinstance(given, Strategy):
        return given
    if isinstance(given, str):
        return find_strategy(given)
    calls = any(hasattr(given, method) for method in _CALLER_METHODS)
    plays = any(hasattr(given, method) for method in _PLAYER_METHODS)
    if isinstance(given, type) or not (calls or plays):
        raise SettingError(
            f"{shown(given)} is not a strategy: expected a name as in 'maxims', "
            "or an object with a method call or card"
        )
    caller: Any = given if calls else find_caller(DEFAULT_CALLER)
    player: Any = given if plays else find_player(DEFAULT_PLAYER)
    return Strategy(written(given), caller, player)


def as_player(given: object) -> Strategy:
    """A strategy that plays cards and passes, from a player, a strategy or the name of a player.

    Examples:
        >>> as_player("maxims").player
        MaximsPlayer()
    """
    if isinstance(given, str):
        return Strategy(given.strip(), PassCaller(), find_player(given))
    return replace(as_strategy(given), caller=PassCaller())


def written(part: object) -> str:
    """The name of a caller or player, with the parameters that differ from their defaults."""
    name = getattr(part, "name", type(part).__name__)
    releases = getattr(part, "releases", None)
    if releases and (version := getattr(part, "version", None)) != max(releases):
        name = f"{name}@{version}"
    try:
        parameters = parameters_of(type(part))
    except SettingError:  # it has other fields and cannot be written as text
        return str(name)
    values = [
        (parameter.name, getattr(part, parameter.name), parameter.default)
        for parameter in parameters
    ]
    changed = ",".join(f"{key}={value}" for key, value, default in values if value != default)
    return f"{name}:{changed}" if changed else str(name)


def _pair(name: str) -> tuple[type[Any], type[Any]]:
    """The caller and the player that a single name stands for."""
    caller = _CALLERS.get(name, _CALLERS[DEFAULT_CALLER])
    return caller, _PLAYERS.get(name, _PLAYERS[DEFAULT_PLAYER])


def _releases(cls: type[Any]) -> dict[str, dict[str, Any]]:
    """The versions of a class, and what makes each; the present one without a version, too."""
    if hasattr(cls, "releases"):
        return {"": {}, **{str(at): {"release": release} for at, release in cls.releases.items()}}
    return {"": {}, **({str(cls.version): {}} if hasattr(cls, "version") else {})}


def _check_program(name: str) -> None:
    """An error of its own for `program` without a program."""
    if name == ProgramStrategy.name:
        raise NotFoundError(
            f"the strategy {name} needs the command of a program in {COMMAND}, "
            f"as in {COMMAND}=./agent, before Python starts"
        )


def _check_version(name: str, version: str, versions: Mapping[str, object]) -> None:
    if version not in versions:
        known = ", ".join(sorted(number for number in versions if number)) or "none"
        raise NotFoundError(f"{name} has no version {version!r}: expected one of {known}")


def _entry(cls: type[Any]) -> Entry:
    fair = hasattr(cls, "call") or hasattr(cls, "card")
    summary = getattr(cls, "summary", None) or docstring(cls).partition("\n")[0]
    return Entry(cls.name, summary, parameters_of(cls), fair)


def _make(where: Mapping[str, type[Any]], kind: str, text: str) -> Any:
    load_plugins()
    name, _, settings = text.strip().partition(":")
    name, _, version = name.strip().partition("@")
    if name not in where:
        _check_program(name)
        raise NotFoundError(f"unknown {kind} {name!r}: expected one of {', '.join(where)}")
    cls = where[name]
    versions = _releases(cls)
    _check_version(name, version, versions)
    return cls(**read_parameters(settings, parameters_of(cls), name), **versions[version])
