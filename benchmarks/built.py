"""Measure forecasts on built deals, the extreme hands that random deals hardly know.

    python benchmarks/built.py [--deals 400] [--tricks FILE.npy] [--weights net.npz]

Solves held-out built deals double dummy and compares the forecasts with them; then a few examples
by themselves. `--tricks` keeps what was solved for the next run. `--weights` measures weights of
`tribridge train forecast` beside those of the package, before and after a training.

A forecast from 13 cards is judged only on deals with a random dummy. The forecasts are those a user
sees, cut to what is certainly possible (`forecast.sure`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.beliefs import Evidence, Layouts, hand_at
from tribridge.cards.cards import FULL_DECK, Hand, Strain
from tribridge.cards.deals import Seat
from tribridge.common.files import load_arrays
from tribridge.common.tables import Cell, Column, StudyTable
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.forecast.distribution import at_least, means
from tribridge.forecast.kinds import Forecaster, find_forecaster
from tribridge.forecast.net import Net
from tribridge.forecast.sure import possible, sure
from tribridge.game.tricks import Chair
from tribridge.lab.labels.built_deals import HELD_OUT, built_masks, built_pairs
from tribridge.lab.labels.labels import chair_columns

F64 = NDArray[np.float64]

GROUPS: Final = {"suits": slice(0, 4), "notrump": slice(4, 5)}
SEED: Final = 1
_BINS: Final = 10
_BOOK: Final = 6


@dataclass(frozen=True, eq=False)
class BuiltTest:
    """Solved built deals: the declarers' hands, the dummies and the tricks in each strain."""

    hands: NDArray[np.uint64]
    dummies: NDArray[np.uint64]
    alone: NDArray[np.bool_]
    """Which dummies are random."""
    tricks: NDArray[np.int64]
    """(n, 5)."""

    @classmethod
    def of(cls, tricks: NDArray[Any]) -> BuiltTest:
        """The first held-out deals, with the tricks of each."""
        return cls(*built_pairs(SEED, HELD_OUT, len(tricks)), np.asarray(tricks, np.int64))


def solve(count: int, processes: int = 0) -> NDArray[np.int64]:
    """The double-dummy tricks of the first `count` held-out deals: (count, 5)."""
    masks = built_masks(SEED, HELD_OUT, count).tolist()
    deals = [
        [hands[column] for column in chair_columns((HELD_OUT + at) % 3)]
        for at, hands in enumerate(masks)
    ]
    return np.array(list(DoubleDummy().batch(deals, processes=processes)), np.int64)


def accuracy(test: BuiltTest, forecasters: Mapping[str, Forecaster]) -> StudyTable:
    """Errors, log score and calibration of each forecaster, from 13 and from 26 cards."""
    rows: list[tuple[Cell, ...]] = []
    for name, forecaster in forecasters.items():
        some = test.alone
        one = possible(forecaster.from_hand(test.hands[some]), test.hands[some])
        two = possible(forecaster.from_pair(test.hands, test.dummies), test.hands, test.dummies)
        for cards, chances, tricks in ((13, one, test.tricks[some]), (26, two, test.tricks)):
            for group, strains in GROUPS.items():
                rows.append(
                    (cards, group, name, *measures(chances[:, strains], tricks[:, strains]))
                )
    columns = ("cards", "strains", "forecast", "forecasts", "absolute error", "bias", "log score")
    note = f"Built deals {HELD_OUT} and on of seed {SEED}."
    return StudyTable(
        "built-accuracy",
        "Forecasts of built deals",
        tuple(map(Column, (*columns, "calibration error"))),
        tuple(rows),
        note,
    )


def measures(chances: F64, tricks: NDArray[np.int64]) -> tuple[Cell, ...]:
    """Number, absolute error and bias of the mean, log score, calibration error.

    The calibration error is the mean difference, in percentage points, between the chance of
    making a level and how often it is made, over ten bins of all levels.
    """
    error = means(chances) - tricks
    happened = np.take_along_axis(chances, tricks[..., None], -1)
    said = at_least(chances)[..., _BOOK + 1 :]
    made = tricks[..., None] > np.arange(_BOOK, _BOOK + said.shape[-1])
    bins = np.minimum((said * _BINS).astype(np.int64), _BINS - 1).ravel()
    gaps = np.bincount(bins, (said - made).ravel(), _BINS)
    return (
        int(error.size),
        float(np.abs(error).mean()),
        float(error.mean()),
        float(-np.log(np.maximum(happened, 1e-9)).mean()),
        float(100 * np.abs(gaps).sum() / said.size),
    )


def violations(test: BuiltTest) -> int:
    """How many solved results lie outside the bounds of `sure`: none, if it is right."""
    limits = (sure(test.hands), sure(test.hands, test.dummies))
    return sum(
        int(((test.tricks < fewest) | (test.tricks > most)).sum()) for fewest, most in limits
    )


EXAMPLES: Final = (
    # hand, dummy, strain, tricks
    ("AKQJ.AKQ.AKQ.AKQ", None, "NT", 13),
    ("AKQJT98765432...", None, "NT", 7),
    ("AKQJT98.AK.A2.A2", None, "NT", 9),
    ("AK43.AK5.AK65.A2", "865.742.973.K643", "NT", 9),
    ("A43.A543.A543.A2", "765.76.76.KQJT98", "NT", 9),
    ("A432.A432.A432.2", "765.76.765.AKQJT", "NT", 8),
    ("AKQJ5432.A5.A5.2", None, "S", 10),
)
"""Hands that forecasts trained on random deals misjudge, each with a number of tricks."""


def examples(
    forecasters: Mapping[str, Forecaster], layouts: int, processes: int = 0, seed: int = SEED
) -> StudyTable:
    """The examples solved double dummy on random layouts, and forecast by each forecaster."""
    columns = ("hand", "dummy", "strain", "tricks", "forecast", "mean", "% that many")
    return StudyTable(
        "built-examples",
        "Hands rarely seen in random deals",
        tuple(map(Column, columns)),
        tuple(_examples(forecasters, layouts, processes, seed)),
        f"Double dummy on {layouts} layouts each.",
    )


def _examples(
    forecasters: Mapping[str, Forecaster], layouts: int, processes: int, seed: int
) -> Iterator[tuple[Cell, ...]]:
    from tribridge.cards.cards import Strain, parse_hand

    for text, other, letter, tricks in EXAMPLES:
        hand = parse_hand(text)
        dummy = None if other is None else parse_hand(other)
        strain = Strain(letter)
        place = (text, other or "", letter, tricks)
        made = _solved(hand, dummy, strain, layouts, processes, seed)
        yield *place, "double dummy", float(made.mean()), float(100 * (made >= tricks).mean())
        own = np.array([hand.mask], np.uint64)
        both = (own,) if dummy is None else (own, np.array([dummy.mask], np.uint64))
        for name, forecaster in forecasters.items():
            said = forecaster.from_hand(own) if dummy is None else forecaster.from_pair(*both)
            chances = possible(said, *both)[0, strain]
            reach = float(100 * chances[tricks:].sum())
            yield *place, name, float(means(chances)), reach


def _solved(
    hand: Hand, dummy: Hand | None, strain: Strain, count: int, processes: int, seed: int
) -> NDArray[np.int64]:
    known = (hand.mask, 0, 0, 0 if dummy is None else dummy.mask)
    layouts = Layouts(Evidence(FULL_DECK, known)).sample(count, np.random.default_rng(seed))
    deals = layouts[:, [hand_at(chair, Seat.NORTH) for chair in Chair]].tolist()
    results = DoubleDummy().batch(deals, [strain], processes=processes)
    return np.array([tricks for (tricks,) in results])


def show(table: StudyTable) -> None:
    """A table in columns."""
    cells = [[f"{c:.3f}" if isinstance(c, float) else str(c) for c in row] for row in table.rows]
    widths = [max(map(len, column)) for column in zip(table.names, *cells, strict=True)]
    print(f"{table.title}. {table.note}")
    for row in (table.names, *cells):
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
    print()


def main() -> None:
    """Solve, compare, print."""
    parser = argparse.ArgumentParser(description="Measure forecasts on built deals.")
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--layouts", type=int, default=100, help="layouts for each example")
    parser.add_argument("--tricks", type=Path, help="solved tricks: read, or written if missing")
    parser.add_argument("--weights", type=Path, nargs="*", default=[], help="files of learn")
    parser.add_argument("--kinds", default="net,points")
    parser.add_argument("--processes", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    forecasters = {kind: find_forecaster(kind) for kind in options.kinds.split(",")}
    for path in options.weights:
        with path.open("rb") as file:
            forecasters[path.name] = Net.of(load_arrays(file, f"{path}: not a file of weights"))
    if options.tricks is not None and options.tricks.exists():
        tricks = np.load(options.tricks)[: options.deals]
    else:
        tricks = solve(options.deals, options.processes)
        if options.tricks is not None:
            np.save(options.tricks, tricks)
    test = BuiltTest.of(tricks)
    tables = [accuracy(test, forecasters)]
    if options.layouts:
        tables.append(examples(forecasters, options.layouts, options.processes))
    broken = violations(test)
    if options.json:
        print(json.dumps({t.name: t.records() for t in tables} | {"limits broken": broken}))
        return
    for table in tables:
        show(table)
    print(f"tricks outside of what is called possible: {broken}")


if __name__ == "__main__":
    main()
