"""The collection of puzzles that were made: themes, ratings, none twice, not too many easy ones.

The rating of a puzzle comes from the bots. Each has a strength, and the chance that it answers
right falls with the rating of the puzzle (the model of Rasch). Strengths and ratings are fitted
together, with a prior on the ratings.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from tribridge import __version__, codec
from tribridge.puzzles.collection import digest_of
from tribridge.puzzles.maker.judging import CALLERS, FEWEST, PLAYERS
from tribridge.puzzles.maker.themes import theme_of
from tribridge.puzzles.rating import SCALE
from tribridge.puzzles.values import START, WIDEST, Collection, Puzzle
from tribridge.puzzles.wording import Theme
from tribridge.strategies.versions import Version, caller_version, player_version, strategy_version

_PER_DEAL: Final = 4
_EASY: Final = 0.4
"""The most puzzles of a theme, as a share, that all bots which think get right."""
_STEPS: Final = 200


def collect(puzzles: Iterable[Puzzle]) -> Collection:
    """The collection of puzzles that were made: with themes and ratings, none twice."""
    themed = [replace(one, theme=theme_of(one)) for one in _different(puzzles)]
    rated, _ = rate_by_bots(themed)
    chosen = sorted(_without_easy(rated), key=lambda one: one.id)
    seats = sorted({name for one in chosen for name in one.source.seats})
    makers = [
        *(strategy_version(name) for name in seats),
        *(player_version(name) for name in PLAYERS),
        *(caller_version(name) for name in CALLERS),
    ]
    unique: dict[str, Version] = {str(one): one for one in makers}
    return Collection(
        version=__version__,
        made_by=tuple(unique[name] for name in sorted(unique)),
        digest=digest_of(codec.plain(tuple(chosen), tuple[Puzzle, ...])),
        puzzles=tuple(chosen),
    )


def _different(puzzles: Iterable[Puzzle]) -> list[Puzzle]:
    """The puzzles without those of the same position, and with at most four of a deal."""
    seen: set[str] = set()
    deals: Counter[str] = Counter()
    kept = []
    for puzzle in puzzles:
        deal = str(puzzle.deal)
        room = deals[deal] < _PER_DEAL or puzzle.source.book
        if puzzle.id not in seen and room and puzzle.layouts >= FEWEST:
            seen.add(puzzle.id)
            deals[deal] += 1
            kept.append(puzzle)
    return kept


def _without_easy(puzzles: Sequence[Puzzle]) -> list[Puzzle]:
    """The puzzles without the easiest of each theme, if there are too many easy ones."""
    kept: list[Puzzle] = []
    for theme in Theme:
        own = sorted((one for one in puzzles if one.theme is theme), key=lambda one: -one.rating)
        hard = [one for one in own if not easy(one)]
        most = max(12 - len(hard), round(_EASY / (1 - _EASY) * len(hard)))
        kept += hard + [one for one in own if easy(one)][:most]
    return kept


def easy(puzzle: Puzzle) -> bool:
    """Whether every bot that thinks is right; a puzzle from a book is not judged by that."""
    weak = ("random", "capture")
    chances = [chance for name, chance in puzzle.bots.items() if name not in weak]
    return not puzzle.source.book and min(chances) > 0.9


def dumps(collection: Collection) -> bytes:
    """A collection as the bytes of its file, the same for the same puzzles."""
    text = json.dumps(codec.plain(collection), ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)


def rate_by_bots(puzzles: Sequence[Puzzle]) -> tuple[list[Puzzle], dict[str, float]]:
    """The puzzles with the ratings that follow from the bots' answers, and the bots' strengths."""
    names = sorted({name for puzzle in puzzles for name in puzzle.bots})
    answers = np.array([[one.bots.get(name, np.nan) for name in names] for one in puzzles])
    known = ~np.isnan(answers)
    answers = np.where(known, answers, 0.0)
    prior = (SCALE / WIDEST) ** 2
    ratings, strengths = np.zeros(len(puzzles)), np.zeros(len(names))
    for _ in range(_STEPS):  # Newton's steps, in turn; the mean of the ratings stays at the start
        chances = 1 / (1 + np.exp(ratings[:, None] - strengths))
        spread = known * chances * (1 - chances)
        surplus = known * (answers - chances)
        strengths = strengths + surplus.sum(0) / (spread.sum(0) + prior)
        chances = 1 / (1 + np.exp(ratings[:, None] - strengths))
        spread = known * chances * (1 - chances)
        surplus = known * (answers - chances)
        information = spread.sum(1) + prior
        ratings = ratings - (surplus.sum(1) + prior * ratings) / information
        ratings, strengths = ratings - ratings.mean(), strengths - ratings.mean()
    deviations = SCALE / np.sqrt(information)
    rated = [
        replace(
            puzzle,
            rating=round(START + SCALE * float(own), 1),
            deviation=round(float(deviation), 1),
        )
        for puzzle, own, deviation in zip(puzzles, ratings, deviations, strict=True)
    ]
    return rated, {
        name: round(START + SCALE * float(own)) for name, own in zip(names, strengths, strict=True)
    }
