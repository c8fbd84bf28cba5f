"""Tables 1 and 2 of the paper: condition outcomes and captures of Algorithm 2 over dealt pairs.

Beside them the same two distributions for Algorithm 1 on the first hand of each deal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Final

from tribridge.capture import Outcome, Result, algorithm1, algorithm2
from tribridge.cards import Hand
from tribridge.dealer_arrays import deal_masks
from tribridge.errors import SettingError
from tribridge.studies.published import published_table

RUNS: Final = ("sim 1", "sim 2", "sim 3")
OUTCOMES: Final = tuple(outcome.value for outcome in Outcome)
BINS: Final = ("<=6", "7", "8", "9", "10", "11", "12", "13", ">13")
_CHUNK: Final = 2000


@dataclass(frozen=True, slots=True)
class Run:
    """One run's counts: outcomes and bins of captures, for both algorithms."""

    seed: int
    deals: int
    algorithm1: Counter[str]
    algorithm2: Counter[str]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: ours, the published mean, and how far they lie apart in standard errors."""

    name: str
    counts: tuple[int, ...]
    percent: float
    published: float
    z: float


def bin_of(captures: int) -> str:
    """The bin of Table 1 that a number of captures falls into."""
    return "<=6" if captures <= 6 else ">13" if captures > 13 else str(captures)


def run(seed: int, deals: int, progress: Callable[[int], None] = lambda done: None) -> Run:
    """Deal `deals` deals of a seed and run both algorithms on each."""
    if deals < 1:
        raise SettingError(f"{deals} deals: at least one is needed")
    single: Counter[str] = Counter()
    pair: Counter[str] = Counter()
    for start in range(0, deals, _CHUNK):
        count = min(_CHUNK, deals - start)
        for first, second in deal_masks(seed, start, count)[:, :2].tolist():
            hand = Hand(first)
            _add(single, algorithm1(hand))
            _add(pair, algorithm2(hand, Hand(second)))
        progress(count)
    return Run(seed, deals, single, pair)


def _add(counts: Counter[str], result: Result) -> None:
    counts[result.outcome.value] += 1
    if result.outcome is Outcome.BOTH_HOLD:
        counts[bin_of(result.captures)] += 1


def compare(runs: list[Run], table: str) -> list[Cell]:
    """The cells of `captures` or `conditions` beside the published ones."""
    figures = published_table(table)
    names = OUTCOMES if table == "conditions" else BINS
    deals = sum(one.deals for one in runs)
    cells = []
    for name in names:
        theirs = [figures[row, name] for row in RUNS]
        their_sum = float(sum(figure.value for figure in theirs))
        sample = sum(figure.sample for figure in theirs)
        counts = tuple(one.algorithm2[name] for one in runs)
        z = two_sample_z(sum(counts), deals, their_sum, sample)
        percent = 100 * sum(counts) / deals
        cells.append(Cell(name, counts, percent, 100 * their_sum / sample, z))
    return cells


def two_sample_z(ours: float, deals: int, theirs: float, sample: int) -> float:
    """How many standard errors two proportions lie apart, on their pooled proportion."""
    pooled = (ours + theirs) / (deals + sample)
    spread = sqrt(pooled * (1 - pooled) * (1 / deals + 1 / sample))
    return (ours / deals - theirs / sample) / spread if spread else 0.0
