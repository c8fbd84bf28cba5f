"""The commands of the club, as `--help` lists them."""

from __future__ import annotations

from typing import Final

COMMANDS: Final = {"Play": "play puzzles play.bot stats play.worker play.store"}
"""By panel: commands and groups of commands, after a module of another name."""
