"""Strategies by name: `capture`, `sampling:layouts=50,seconds=1`, `points+maxims`.

A caller or a player is written as its name, with parameters after a colon. A strategy is written
caller+player. A single name stands for a whole strategy too: where it names both a caller and a
player it means both, else the other part is the default, `DEFAULT_CALLER` or `DEFAULT_PLAYER`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tribridge.errors import SettingError
from tribridge.strategies.callers.capture import CaptureCaller
from tribridge.strategies.callers.forecast import ForecastCaller
from tribridge.strategies.callers.learned import LearnedCaller
from tribridge.strategies.callers.points import PointsCaller
from tribridge.strategies.callers.simple import PassCaller, RandomCaller
from tribridge.strategies.parameters import Parameter, parameters_of, read_parameters
from tribridge.strategies.players.capture import CapturePlayer
from tribridge.strategies.players.learned.player import LearnedPlayer
from tribridge.strategies.players.maxims.player import MaximsPlayer
from tribridge.strategies.players.oracle import OraclePlayer
from tribridge.strategies.players.search.alphamu import AlphaMuPlayer
from tribridge.strategies.players.search.ismcts import IsmctsPlayer
from tribridge.strategies.players.search.sampling import SamplingPlayer
from tribridge.strategies.players.simple import RandomPlayer
from tribridge.strategies.protocol import Caller, OpenPlayer, Player, Strategy

DEFAULT_CALLER: Final = "forecast"
DEFAULT_PLAYER: Final = "maxims"


@dataclass(frozen=True, slots=True)
class Entry:
    """What a list of strategies shows of one."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...] = ()
    fair: bool = True


_CALLERS: Final[dict[str, type[Any]]] = {}
_PLAYERS: Final[dict[str, type[Any]]] = {}


def register_caller(cls: type[Any]) -> type[Any]:
    """Make a caller's class known by its `name`; can be used as a decorator."""
    return _register(_CALLERS, cls, ("call",))


def register_player(cls: type[Any]) -> type[Any]:
    """Make a player's class known by its `name`; can be used as a decorator."""
    return _register(_PLAYERS, cls, ("card", "open_card"))


def _register(where: dict[str, type[Any]], cls: type[Any], methods: tuple[str, ...]) -> type[Any]:
    name = getattr(cls, "name", None)
    if not isinstance(name, str) or not name.replace("-", "").isalnum():
        raise SettingError(f"{cls.__name__} needs a name of letters, digits and hyphens")
    if not any(hasattr(cls, method) for method in methods):
        raise SettingError(f"{cls.__name__} has no method {' or '.join(methods)}")
    if where.get(name, cls) is not cls:
        raise SettingError(f"the name {name!r} is taken by {where[name].__name__}")
    parameters_of(cls)
    where[name] = cls
    return cls


register_caller(PassCaller)
register_caller(RandomCaller)
register_caller(CaptureCaller)
register_caller(PointsCaller)
register_caller(ForecastCaller)
register_caller(LearnedCaller)
register_player(RandomPlayer)
register_player(CapturePlayer)
register_player(MaximsPlayer)
register_player(LearnedPlayer)
register_player(SamplingPlayer)
register_player(IsmctsPlayer)
register_player(AlphaMuPlayer)
register_player(OraclePlayer)


def callers() -> tuple[Entry, ...]:
    """All callers."""
    return tuple(_entry(cls) for cls in _CALLERS.values())


def players() -> tuple[Entry, ...]:
    """All players."""
    return tuple(_entry(cls) for cls in _PLAYERS.values())


def strategies() -> tuple[Entry, ...]:
    """All single names that stand for a whole strategy."""
    found = []
    for name in dict.fromkeys((*_CALLERS, *_PLAYERS)):
        caller, player = _pair(name)
        parts = [_entry(cls) for cls in (_CALLERS.get(name), _PLAYERS.get(name)) if cls]
        found.append(
            Entry(
                name,
                f"calls: {_entry(_CALLERS[caller]).summary}; "
                f"cards: {_entry(_PLAYERS[player]).summary}",
                tuple(one for part in parts for one in part.parameters),
                _entry(_PLAYERS[player]).fair,
            )
        )
    return tuple(found)


def find_caller(text: str) -> Caller:
    """The caller that a text names.

    >>> find_caller("random:passing=0.9")
    RandomCaller(passing=0.9, reach=5)
    """
    found: Caller = _make(_CALLERS, "caller", text)
    return found


def find_player(text: str) -> Player | OpenPlayer:
    """The player that a text names; one that is not fair has `open_card` in place of `card`."""
    found: Player | OpenPlayer = _make(_PLAYERS, "player", text)
    return found


def find_strategy(text: str) -> Strategy:
    """The strategy that a text names: caller+player, or one name for both.

    >>> find_strategy("pass+random").player
    RandomPlayer()
    """
    text = text.strip()
    first, plus, second = text.partition("+")
    if plus:
        return Strategy(text, find_caller(first), find_player(second))
    name, _, settings = text.partition(":")
    name = name.strip()
    if name not in _CALLERS and name not in _PLAYERS:
        names = ", ".join(dict.fromkeys((*_CALLERS, *_PLAYERS)))
        raise SettingError(f"unknown strategy {name!r}: expected one of {names}, or caller+player")
    caller, player = _pair(name)
    parts = [cls for cls in (_CALLERS.get(name), _PLAYERS.get(name)) if cls]
    known = {one.name: one for cls in parts for one in parameters_of(cls)}
    values = read_parameters(settings, tuple(known.values()), name)

    def make(cls: type[Any]) -> Any:
        own = {one.name for one in parameters_of(cls)} if cls in parts else set()
        return cls(**{key: value for key, value in values.items() if key in own})

    return Strategy(text, make(_CALLERS[caller]), make(_PLAYERS[player]))


def _pair(name: str) -> tuple[str, str]:
    """The caller and the player that a single name stands for."""
    return (
        name if name in _CALLERS else DEFAULT_CALLER,
        name if name in _PLAYERS else DEFAULT_PLAYER,
    )


def _entry(cls: type[Any]) -> Entry:
    fair = hasattr(cls, "call") or hasattr(cls, "card")
    return Entry(cls.name, cls.summary, parameters_of(cls), fair)


def _make(where: Mapping[str, type[Any]], kind: str, text: str) -> Any:
    name, _, settings = text.strip().partition(":")
    name = name.strip()
    if name not in where:
        raise SettingError(f"unknown {kind} {name!r}: expected one of {', '.join(where)}")
    cls = where[name]
    return cls(**read_parameters(settings, parameters_of(cls), name))
