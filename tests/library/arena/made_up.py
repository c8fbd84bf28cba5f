"""Results of games that were played, or made up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tribridge.arena.playing import DealOutcome
from tribridge.arena.results import MatchResult, PlayResult
from tribridge.arena.work import MatchOutcome, MatchWork, PlayOutcome, PlayWork, names_of
from tribridge.cards.deals import Seat


def play_result(work: PlayWork, games: Iterable[object]) -> PlayResult:
    """The result of zero-sum play."""
    return PlayResult(work=work, games=tuple(g for g in games if isinstance(g, PlayOutcome)))


def match_result(work: MatchWork, games: Iterable[object]) -> MatchResult:
    """The result of a match."""
    return MatchResult(work=work, games=tuple(g for g in games if isinstance(g, MatchOutcome)))


def contracts_of(work: PlayWork, tricks: NDArray[np.int64]) -> PlayResult:
    """Tricks by deal, declarer and defence, at ten points each."""
    return play_result(
        work,
        [
            PlayOutcome(
                number=number,
                declarer=declarer,
                defence=defence,
                contract="1NT",
                seat=Seat.NORTH,
                double_dummy=8,
                tricks=int(tricks[number, row, column]),
                points=10.0 * int(tricks[number, row, column]),
            )
            for number in range(len(tricks))
            for row, declarer in enumerate(names_of(work.declarers))
            for column, defence in enumerate(names_of(work.defences))
        ],
    )


def games_of(work: MatchWork, points: Any, deals: Sequence[DealOutcome]) -> MatchResult:
    """Games in the order of seatings, with their points."""
    return match_result(
        work,
        [
            MatchOutcome(
                number=at // work.games,
                seats=work.seatings[at % work.games],
                points=tuple(map(float, three)),
                games=(deal,),
            )
            for at, (three, deal) in enumerate(zip(points, deals, strict=True))
        ],
    )


def with_points(result: MatchResult, points: NDArray[np.float64]) -> MatchResult:
    """The same games with other points."""
    rows = points.reshape(-1, 3).tolist()
    pairs = zip(result.games, rows, strict=True)
    return replace(result, games=tuple(replace(g, points=tuple(row)) for g, row in pairs))
