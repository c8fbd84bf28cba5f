"""Versions of strategies: which caller and player made a result, and with which weights.

Every caller and player of the package has a `version`, a number that rises when its choices change,
and `weights`, the files in the package that its choices depend on. A stored result carries a
`Version` for each strategy in it, and is out of date when that is not the version of the strategy
as it is now. Strategies of other packages may leave both out.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from tribridge.game.scoring import Scheme
from tribridge.networks.network import package_weights
from tribridge.strategies.protocol import Strategy
from tribridge.strategies.registry import (
    as_player,
    as_strategy,
    bidding_for,
    find_caller,
    written,
)


@dataclass(frozen=True, slots=True)
class Version:
    """A strategy, a caller or a player as it was when it made a result.

    Examples:
        >>> print(strategy_version("points+maxims").version)
        points@1+maxims@1
    """

    name: str
    """As the result names it: `learned+maxims`."""
    version: str
    """Its parts with their versions: `learned@1+maxims@1`."""
    weights: str
    """A hash of the files that its choices depend on, joined if they are split; or empty."""

    def __str__(self) -> str:
        return f"{self.version} ({self.weights})" if self.weights else self.version


def strategy_version(given: Strategy | str, scheme: Scheme | None = None) -> Version:
    """The present version of a strategy, bidding for a scoring scheme."""
    strategy = bidding_for(as_strategy(given), scheme)
    return _version(strategy.name, strategy.caller, strategy.player)


def caller_version(name: str) -> Version:
    """The present version of a caller."""
    return _version(name, find_caller(name))


def player_version(given: Strategy | str) -> Version:
    """The present version of a player.

    Examples:
        >>> player_version("sampling:layouts=12").version
        'sampling@2:layouts=12'
        >>> player_version("learned@1:layouts=12").version
        'learned@1:layouts=12'
    """
    strategy = as_player(given)
    return _version(strategy.name, strategy.player)


def list_versions(versions: Iterable[Version]) -> str:
    """Versions in words, for notes and pages."""
    return ", ".join(str(version) for version in versions) or "strategies of unknown versions"


@cache
def commit() -> str:
    """The commit of the checkout that the package runs from; empty for an installed package.

    On a machine with the files alone the variable `TRIBRIDGE_COMMIT` says it.
    """
    if given := os.environ.get("TRIBRIDGE_COMMIT"):
        return given
    here = Path(__file__).resolve()
    try:
        subprocess.run(
            ["git", "ls-files", "--error-unmatch", here.name],
            cwd=here.parent,
            check=True,
            capture_output=True,
        )
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            cwd=here.parent,
            check=True,
            capture_output=True,
            text=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return described.stdout.strip()


def _version(name: str, *parts: object) -> Version:
    files = {file for part in parts for file in getattr(part, "weights", ())}
    return Version(name, "+".join(map(_numbered, parts)), _digest(tuple(sorted(files))))


def _numbered(part: object) -> str:
    name, colon, parameters = written(part).partition(":")
    name = name.partition("@")[0]
    version = getattr(part, "version", None)
    return f"{name}{'' if version is None else f'@{version}'}{colon}{parameters}"


@cache
def _digest(files: tuple[str, ...]) -> str:
    digest = sha256()
    for file in files:
        digest.update(package_weights(file))
    return digest.hexdigest()[:12] if files else ""
