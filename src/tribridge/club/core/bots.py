"""The bots people play against: levels to choose from, and a name and a face for each seat.

All of it is data in `bots.toml`. A strategy that belongs to no level gets a character too, and its
description comes from the registry. A visitor may choose every fair strategy of the registry.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from random import SystemRandom
from typing import Final

from tribridge.cards.deals import Seat
from tribridge.club.core.names import same_name
from tribridge.club.core.state import Place
from tribridge.club.errors import WebError
from tribridge.club.language import texts
from tribridge.common.errors import TribridgeError
from tribridge.strategies import Entry, Strategy, find_strategy, strategies

LONGEST_STRATEGY: Final = 200
"""Letters of a strategy's name with its parameters, which every list of tables shows."""
_MOST: Final = {
    "layouts": 100,
    "seconds": 2,
    "iterations": 2000,
    "worlds": 32,
    "depth": 2,
    "samples": 1000,
}
"""The largest parameter values a visitor may set; what is larger by default may stay so."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A strategy as a person meets it."""

    name: str
    line: str
    """One sentence on how it plays."""

    @property
    def face(self) -> str:
        """The symbol in `static/faces.svg`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Level:
    """A level that a person can choose."""

    name: str
    note: str
    strategy: str
    bots: tuple[Bot, ...]
    """One for each seat."""


@cache
def levels() -> tuple[Level, ...]:
    """The levels that the registry can provide, weakest first."""
    available = []
    for level in texts("core/bots.toml")["levels"]:
        named = ((text, _installed(text)) for text in level["strategies"])
        installed = next((text for text, known in named if known and known.fair), None)
        if installed is not None:
            bots = tuple(Bot(**character) for character in level["characters"])
            available.append(Level(level["name"], level["note"], installed, bots))
    return tuple(available)


@lru_cache(maxsize=1024)
def bot_for(strategy: str, seat: Seat) -> Bot:
    """The bot that plays a seat with a strategy; a level's stand-ins have its characters too.

    >>> bot_for("points+maxims", Seat.NORTH).name
    'Walter'
    >>> bot_for("pass+random", Seat.NORTH).line
    'Always passes; plays a legal card at random, all equally likely.'
    """
    written = texts("core/bots.toml")
    for level in written["levels"]:
        if strategy in level["strategies"]:
            return Bot(**level["characters"][seat])
    return Bot(written["others"]["characters"][seat], description(strategy))


def face_of(name: str, strategy: str, seat: Seat) -> str:
    """The face that goes with a name at the table, or else with the strategy and the seat."""
    return name.lower() if name in names() else bot_for(strategy, seat).face


def bot_name(places: Iterable[Place], strategy: str, seat: Seat, *, one_name: bool = True) -> str:
    """The name of the bot that plays a seat, different from the names in the other places."""
    name = bot_for(strategy, seat).name
    others = [place.name for at, place in enumerate(places) if at != seat.index and place.name]
    spare = (name, *texts("core/bots.toml")["others"]["characters"]) if one_name else (name,)
    free = (own for own in spare if not any(same_name(own, other) for other in others))
    return next(free, name)


def default_level() -> Level:
    """The default level: the second."""
    return levels()[min(1, len(levels()) - 1)]


MIXED: Final = "mixed"
"""In place of a strategy: each seat gets one of another level, drawn anew for every match."""


def seated_bots(strategy: str) -> list[str]:
    """The strategies of the three seats; for `MIXED` of three levels by chance."""
    names = [level.strategy for level in levels()]
    if strategy != MIXED or len(names) < len(Seat):
        return [default_level().strategy if strategy == MIXED else strategy] * len(Seat)
    return SystemRandom().sample(names, len(Seat))


@cache
def choices() -> tuple[Entry, ...]:
    """All strategies that may sit at a table of people."""
    return tuple(entry for entry in strategies() if entry.fair)


def check_strategy(text: str) -> str:
    """The normalised text of a strategy; refused if it may not play at a table of people."""
    text = " ".join(text.split())
    if len(text) > LONGEST_STRATEGY:
        raise WebError(
            "{strategy}… is too long for the name of a strategy: at most {most} letters",
            strategy=text[:40],
            most=LONGEST_STRATEGY,
        )
    strategy = find_strategy(text)
    if not strategy.fair:
        raise WebError("{strategy} sees all four hands and may not play at a table", strategy=text)
    for part in (strategy.caller, strategy.player):
        for name, most in _MOST.items():
            if getattr(part, name, 0) > max(most, _default(part, name)):
                raise WebError(
                    "{strategy}: {option}={value:g} is too much for a table that others share: "
                    "up to {most}",
                    strategy=text,
                    option=name,
                    value=getattr(part, name),
                    most=most,
                )
    return text


def _default(part: object, name: str) -> float:
    """The value of a parameter that nobody has set; 0 if there is none."""
    default = getattr(type(part), name, 0)
    return float(default) if isinstance(default, (int, float)) else 0.0


@cache
def names() -> tuple[str, ...]:
    """The names of all bots; each has a face."""
    data = texts("core/bots.toml")
    named = (bot["name"] for level in data["levels"] for bot in level["characters"])
    return (*named, *data["others"]["characters"])


def description(strategy: str) -> str:
    """What a strategy does, in the registry's words; empty if it is not installed."""
    known = _installed(strategy)
    parts = () if known is None else (known.caller, known.player)
    words = "; ".join(filter(None, (getattr(part, "summary", "") for part in parts)))
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _installed(strategy: str) -> Strategy | None:
    with suppress(TribridgeError):
        return find_strategy(strategy)
    return None
