"""The commands of the laboratory, as `--help` lists them."""

from __future__ import annotations

from typing import Final

COMMANDS: Final = {
    "Research": "paper study equilibrium benchmark speed",
    "Train": "label train",
}
"""By panel: commands and groups of commands, after a module of another name."""
MEMBERS: Final = {
    "arena": "equilibrium.tiny experts.experts",
    "puzzles": "make_puzzles.make make_puzzles.collect make_puzzles.themes",
}
"""Commands in groups of other houses."""
