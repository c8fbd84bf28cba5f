"""Puzzles: positions from games, with one answer that is best by what the player could know.

What a puzzle is, the library says (`reviews.puzzles`). The club has a collection of them
(`collection`), which the laboratory made from games of bots and experts by two computations that
must agree (`lab.puzzle_maker`), and ratings that answers move (`rating`).
"""

from __future__ import annotations

from tribridge.club.puzzles.collection import daily as daily
from tribridge.club.puzzles.collection import find as find
from tribridge.club.puzzles.collection import names as names
from tribridge.club.puzzles.collection import offered as offered
from tribridge.club.puzzles.collection import shipped as shipped
from tribridge.club.puzzles.rating import Rating as Rating
from tribridge.club.puzzles.rating import update as update
from tribridge.reviews.puzzle_files import load as load
from tribridge.reviews.puzzles import Answer as Answer
from tribridge.reviews.puzzles import Collection as Collection
from tribridge.reviews.puzzles import Example as Example
from tribridge.reviews.puzzles import Puzzle as Puzzle
from tribridge.reviews.puzzles import Source as Source
from tribridge.reviews.themes import Theme as Theme
from tribridge.reviews.themes import read_theme as read_theme
