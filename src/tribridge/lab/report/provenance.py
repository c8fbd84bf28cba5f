"""What a report is about and how it was made: the work, the program, the machine, the seeds."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from shlex import quote
from typing import Final

from tribridge import __version__
from tribridge.common.errors import quantity
from tribridge.common.parallel import processor
from tribridge.strategies import callers, players
from tribridge.strategies.versions import caller_version, commit, list_versions, player_version

_PACKAGES: Final = (
    "numpy", "numba", "scipy", "matplotlib", "pyarrow", "jinja2", "endplay",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Work:
    """A publication, as its source describes it."""

    title: str
    subtitle: str
    authors: str
    place: str


WORK: Final = Work(
    "Winning Before You Play",
    "An Iterative Capture Algorithm for Pre-Game Dominance Analysis in Three-Player Auction Bridge",
    "Sourish Sarkar (Indian Statistical Institute, India)",
    "manuscript in the format of an IEEE journal (the source names no journal, year or number)",
)
"""The paper that the report reproduces."""


def today() -> str:
    """The date, in universal time."""
    return datetime.now(UTC).date().isoformat()


def machine() -> str:
    """The processor, the cores and the system."""
    cores = quantity(os.cpu_count() or 1, "core")
    return f"{processor()}, {cores}, {platform.system()} {platform.release()}"


def paper_command(seed: int, quick: bool, only: Iterable[str] = (), **more: Iterable[str]) -> str:
    """The command that makes a report, of all studies or some; `more` are other options."""
    words = ["tribridge paper", *["--quick"] * quick, *[f"--seed {seed}"] * (seed != 1)]
    asked = {"only": only, **more}
    return " ".join(
        [*words, *(f"--{name} {quote(x)}" for name, each in asked.items() for x in each)]
    )


def size_text(value: object) -> str:
    """A size of a study for display: numbers in groups of three digits, several in a row."""
    if isinstance(value, list | tuple):
        return ", ".join(map(size_text, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


@dataclass(frozen=True, slots=True)
class RunInfo:
    """How the report was made."""

    command: str
    seed: int
    sizes: Mapping[str, object]
    seconds: float
    quick: bool = False
    date: str = field(default_factory=today)
    commit: str = field(default_factory=commit)

    def lines(self) -> list[tuple[str, str]]:
        """The run as names and values, for display."""
        versions = ", ".join(f"{name} {metadata.version(name)}" for name in _PACKAGES)
        return [
            ("command", self.command),
            ("date", self.date),
            ("seeds", f"{self.seed}, {self.seed + 1} and {self.seed + 2} for the three runs"),
            *((name, size_text(value)) for name, value in self.sizes.items()),
            ("Tribridge", f"{__version__}" + (f", commit {self.commit}" if self.commit else "")),
            ("callers", list_versions(caller_version(caller.name) for caller in callers())),
            ("players", list_versions(player_version(player.name) for player in players())),
            ("versions", f"Python {platform.python_version()}, {versions}"),
            ("machine", machine()),
            ("time", f"{self.seconds:.0f} seconds"),
        ]
