"""Count how tricks in play differ from double dummy: the study of real play.

    python -m benchmarks.play_differences data/labels-8.parquet data/played-8.parquet OUT.json

The first labels are double dummy, the others of the same deals as played (`tribridge label --player
learned`). Of these two files the result is that in the package (`studies/real_play.json`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Strain, Suit
from tribridge.cards.masks import lengths
from tribridge.common.errors import SettingError
from tribridge.common.files import write_atomic
from tribridge.common.stats import Interval
from tribridge.forecast.distribution import TRICKS, means
from tribridge.forecast.kinds import find_forecaster
from tribridge.lab.labels.labels import Labels, load_labels
from tribridge.lab.studies.real_play import AtLevel, InStrain, Result, Summary, WithFit
from tribridge.lab.studies.study import dumps_result

LONGEST: Final = len(Strain)
"""The place of the longest suit of both hands (the higher of two equal ones), after the strains."""
SIZES: Final = (LONGEST + 1, TRICKS + 1, TRICKS + 1, TRICKS + 1, TRICKS + 1)
FITS: Final = {"5 or fewer": (0, 5), "6": (6, 6), "7": (7, 7), "8": (8, 8), "9": (9, 9),
               "10 or more": (10, 13)}  # fmt: skip
"""Trumps in declarer's and dummy's hands together: first and last of each group."""
BOOK: Final = 6
LEAST: Final = 30
"""Groups with fewer contracts are left out."""

_SUITS: Final = tuple(suit.index for suit in Suit)
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Differences:
    """Counts of contracts by strain, fit, expected tricks, double-dummy tricks and tricks played.

    The fit of notrump is 0.
    """

    source: str
    """The deals, in words."""
    counts: Counts
    """(strains and the longest suit, fit, expected, double dummy, played): `SIZES`."""

    def of(
        self, places: tuple[int, ...], fits: tuple[int, int] = (0, 13), expected: int | None = None
    ) -> Counts:
        """Contracts by double-dummy tricks and tricks played, in some strains: (14, 14)."""
        chosen = self.counts[list(places), fits[0] : fits[1] + 1]
        chosen = chosen if expected is None else chosen[:, :, expected : expected + 1]
        return np.asarray(chosen.sum((0, 1, 2)))


def count_differences(solved: Labels, played: Labels) -> Differences:
    """Count how the tricks of played deals differ from the double-dummy tricks of the same deals.

    Of labels with three declarers per deal, one is taken.
    """
    if solved.work.player or not played.work.player:
        raise SettingError(
            f"expected double-dummy labels and played ones, not {solved.work} and {played.work}"
        )
    if replace(played.work, player="") != solved.work or solved.work.strains != tuple(Strain):
        raise SettingError(f"{solved.work} and {played.work} are not the same deals in all strains")
    common = np.intersect1d(solved.numbers, played.numbers)
    if not len(common):
        raise SettingError(f"{solved.title} and {played.title} have no deals in common")
    solved, played = (
        Labels(each.work, common, each.tricks[np.isin(each.numbers, common)]).one_declarer()
        for each in (solved, played)
    )
    hands, dummies, truth = solved.pairs()
    taken = played.pairs()[2]
    fits = np.zeros((len(hands), LONGEST + 1), np.int64)
    fits[:, : len(_SUITS)] = lengths(hands) + lengths(dummies)
    longest = len(_SUITS) - 1 - np.argmax(fits[:, len(_SUITS) - 1 :: -1], axis=1)
    fits[:, LONGEST] = fits.max(1)
    wanted = np.rint(means(find_forecaster("net").from_pair(hands, dummies))).astype(np.int64)
    counts = np.zeros(SIZES, np.int64)
    for place in range(LONGEST + 1):
        strain = longest if place == LONGEST else np.full(len(hands), place)
        rows = np.arange(len(hands))
        cell = fits[:, place], wanted[rows, strain], truth[rows, strain], taken[rows, strain]
        places = np.ravel_multi_index(cell, SIZES[1:])
        counts[place] = np.bincount(places, minlength=counts[place].size).reshape(SIZES[1:])
    return Differences(played.title, counts)


def summary(counts: Counts, clusters: int = 1) -> Summary:
    """A summary of contracts by double-dummy tricks and tricks played.

    With `clusters` contracts per deal, the interval is the widest possible: as if they differed
    only from deal to deal.
    """
    tricks = np.arange(TRICKS + 1)
    size = int(counts.sum())
    gap = tricks[None, :] - tricks[:, None]
    mean = float((counts * gap).sum() / size)
    sd = float(np.sqrt((counts * (gap - mean) ** 2).sum() / max(size - 1, 1)))
    margin = 1.96 * sd / float(np.sqrt(size / clusters))
    more, equal, fewer = (
        float(100 * counts[part].sum() / size) for part in (gap > 0, gap == 0, gap < 0)
    )
    return Summary(
        size,
        float((counts.sum(1) * tricks).sum() / size),
        float((counts.sum(0) * tricks).sum() / size),
        Interval(mean, mean - margin, mean + margin),
        sd,
        (more, equal, fewer),
    )


def result_of(found: Differences) -> Result:
    """Played tricks beside double dummy, by strain, level and fit."""
    strains, levels, fits = _strains(found), _levels(found), _fits(found)
    return Result(found.source, tuple(strains), tuple(levels), tuple(fits))


_CONTRACTS: Final = {"notrump": (int(Strain.NOTRUMP),), "longest suit": (LONGEST,)}


def _strains(found: Differences) -> Iterator[InStrain]:
    for strain in Strain:
        yield InStrain(strain.name.lower(), summary(found.of((strain.index,))))
    yield InStrain("any suit", summary(found.of(_SUITS), len(_SUITS)))
    yield InStrain("longest suit", summary(found.of((LONGEST,))))


def _levels(found: Differences) -> Iterator[AtLevel]:
    for name, places in _CONTRACTS.items():
        for expected in range(TRICKS + 1):
            counts = found.of(places, expected=expected)
            if counts.sum() >= LEAST:
                yield AtLevel(name, expected, summary(counts))


def _fits(found: Differences) -> Iterator[WithFit]:
    for fit, bounds in FITS.items():
        counts = found.of(_SUITS, bounds)
        if counts.sum() >= LEAST:
            yield WithFit("any suit", fit, None, summary(counts, len(_SUITS)))
    for fit, bounds in FITS.items():
        for expected in (None, *range(BOOK + 1, TRICKS + 1)):
            counts = found.of((LONGEST,), bounds, expected)
            if counts.sum() >= LEAST:
                yield WithFit("longest suit", fit, expected, summary(counts))


def main() -> None:
    """Count and write."""
    parser = argparse.ArgumentParser(description="Tricks in play beside double dummy.")
    for name in ("solved", "played", "out"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    counted = count_differences(load_labels(options.solved), load_labels(options.played))
    write_atomic(options.out, dumps_result(result_of(counted)))
    print(f"{options.out}: {counted.source}")


if __name__ == "__main__":
    main()
