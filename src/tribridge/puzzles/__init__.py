"""Puzzles: positions from games, with one answer that is best by what the player could know.

A puzzle has a theme and words (`wording`) and a rating that answers move (`rating`). The package
has a collection of them (`collection`), made from games of the bots by two computations that must
agree (`maker`).
"""

from __future__ import annotations

from tribridge.puzzles.collection import daily, find, load, read_theme, shipped
from tribridge.puzzles.rating import Rating, update
from tribridge.puzzles.values import Answer, Collection, Example, Puzzle, Source
from tribridge.puzzles.wording import Theme

__all__ = [
    "Answer",
    "Collection",
    "Example",
    "Puzzle",
    "Rating",
    "Source",
    "Theme",
    "daily",
    "find",
    "load",
    "read_theme",
    "shipped",
    "update",
]
