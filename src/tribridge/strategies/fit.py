"""Fit the straight lines of the bidders that count points to labelled deals.

    python -m tribridge.strategies.fit LABELS

LABELS is a file or a folder of `tribridge label`, all strains. The lines of `callers.points` and of
`beliefs.PointCalls` are printed, to be copied into the two modules; a test compares them. The
labels that come with the package are for evaluation and are refused.
"""

from __future__ import annotations

import sys

import numpy as np

from tribridge.beliefs.bits import honour_points, popcount, suit_mask
from tribridge.beliefs.models import fit_tricks
from tribridge.cards import Strain, Suit
from tribridge.double_dummy.labels import Labels, load_labels, refuse_evaluation
from tribridge.errors import TribridgeError
from tribridge.strategies.callers.points import FEWEST_TRUMPS


def fit_points(labels: Labels) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The lines of `callers.points` by least squares: notrump, and a suit of four cards or more."""
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


def main(arguments: list[str]) -> int:
    """The command; one line for what goes wrong."""
    if len(arguments) != 1:
        print("usage: python -m tribridge.strategies.fit LABELS", file=sys.stderr)
        return 2
    try:
        labels = load_labels(arguments[0])
        lines, models = fit_points(labels), fit_tricks(labels)
    except (TribridgeError, OSError) as error:
        print(f"tribridge: {error}", file=sys.stderr)
        return 1
    names = ("NOTRUMP_LINE", "SUIT_LINE", "SUIT_TRICKS", "NOTRUMP_TRICKS", "TRICKS_SD")
    for name, line in zip(names, (*lines, *models), strict=True):
        print(f"{name} = ({', '.join(f'{value:.4g}' for value in line)})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
