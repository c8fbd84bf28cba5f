"""Fit the linear trick estimates of the point-counting bidders to labelled deals.

    tribridge train estimators LABELS --out FOLDER

LABELS is a file or folder written by `tribridge label`, with all strains. The coefficients for
`callers.points` and `beliefs.PointCalls` are printed, to be copied into the two modules; a test
compares them. The labels shipped with the package are reserved for evaluation and are rejected.
"""

from __future__ import annotations

import numpy as np

from tribridge.beliefs.bits import honour_points, popcount, suit_mask
from tribridge.beliefs.models import fit_tricks
from tribridge.cards import Strain, Suit
from tribridge.double_dummy.labels import Labels, refuse_evaluation
from tribridge.strategies.callers.points import FEWEST_TRUMPS


def fit_points(labels: Labels) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Least-squares lines for `callers.points`: notrump, and suits of at least four cards."""
    hands, _, tricks = refuse_evaluation(labels).pairs()
    made = tricks.astype(np.float64)
    points = honour_points(hands)
    ones = np.ones(len(hands))
    notrump = np.linalg.lstsq(np.stack([ones, points], axis=1), made[:, Strain.NOTRUMP])[0]
    columns, values = [], []
    for suit in Suit:
        length = popcount(hands & suit_mask(suit))
        long = length >= FEWEST_TRUMPS
        columns.append(np.stack([ones, points, length - FEWEST_TRUMPS], axis=1)[long])
        values.append(made[long, suit])
    suits = np.linalg.lstsq(np.concatenate(columns), np.concatenate(values))[0]
    return tuple(map(float, notrump)), tuple(map(float, suits))


def fitted_lines(labels: Labels) -> str:
    """The constants of `callers.points` and `beliefs.models`, as Python source."""
    names = ("NOTRUMP_LINE", "SUIT_LINE", "SUIT_TRICKS", "NOTRUMP_TRICKS", "TRICKS_SD")
    lines = (*fit_points(labels), *fit_tricks(labels))
    return "\n".join(
        f"{name} = ({', '.join(f'{value:.4g}' for value in line)})"
        for name, line in zip(names, lines, strict=True)
    )
