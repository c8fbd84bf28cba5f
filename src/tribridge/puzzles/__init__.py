"""Puzzles: positions from games, with one answer that is best by what the player could know.

A puzzle has a theme and words (`wording`) and a rating that answers move (`rating`). The package
has a collection of them (`collection`), made from games of the bots by two computations that must
agree (`maker`).
"""

from __future__ import annotations

from tribridge.puzzles.collection import daily as daily
from tribridge.puzzles.collection import find as find
from tribridge.puzzles.collection import load as load
from tribridge.puzzles.collection import read_theme as read_theme
from tribridge.puzzles.collection import shipped as shipped
from tribridge.puzzles.rating import Rating as Rating
from tribridge.puzzles.rating import update as update
from tribridge.puzzles.values import Answer as Answer
from tribridge.puzzles.values import Collection as Collection
from tribridge.puzzles.values import Example as Example
from tribridge.puzzles.values import Puzzle as Puzzle
from tribridge.puzzles.values import Source as Source
from tribridge.puzzles.wording import Theme as Theme
