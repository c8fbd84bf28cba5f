"""Puzzles: positions from games, with one answer that is best by what the player could know.

A puzzle has a theme and words (`wording`) and a rating that answers move (`rating`). The package
has a collection of them (`collection`), made from games of the bots by two computations that must
agree (`maker`).
"""

from __future__ import annotations

from tribridge.club.puzzles.collection import daily as daily
from tribridge.club.puzzles.collection import find as find
from tribridge.club.puzzles.collection import load as load
from tribridge.club.puzzles.collection import read_theme as read_theme
from tribridge.club.puzzles.collection import shipped as shipped
from tribridge.club.puzzles.rating import Rating as Rating
from tribridge.club.puzzles.rating import update as update
from tribridge.reviews.puzzle_wording import Theme as Theme
from tribridge.reviews.puzzles import Answer as Answer
from tribridge.reviews.puzzles import Collection as Collection
from tribridge.reviews.puzzles import Example as Example
from tribridge.reviews.puzzles import Puzzle as Puzzle
from tribridge.reviews.puzzles import Source as Source
