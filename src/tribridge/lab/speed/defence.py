"""`tribridge speed defence`: how good the forecasts of a defender are (`forecast.defence`).

Every labelled declarer has two defenders, and each forecasts declarer's tricks from their own
thirteen cards. Besides all hands, two kinds are judged that matter for doubles: *trump stacks*
(five or more trumps with three of the five honours, in that suit) and *running suits* (five or more
cards headed by ace, king and queen, in notrump).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Strain, Suit
from tribridge.cards.masks import LENGTH, rows_of
from tribridge.cli.options import AsJson, print_tables
from tribridge.common import stats
from tribridge.common.stats import Interval
from tribridge.common.tables import StudyTable, table
from tribridge.forecast.defence import DEFENCE_KINDS, chances_against
from tribridge.forecast.distribution import TRICKS, at_least, means
from tribridge.lab.labels.labels import Labels, shipped
from tribridge.lab.speed.measuring import BootstrapSeed, LabelFile, grid
from tribridge.lab.studies.forecasts import BOOK, GROUPS, Calibration, calibration_bins

U64 = NDArray[np.uint64]
Bools = NDArray[np.bool_]

CONSTANT: Final = "constant (overall distribution)"
SIDES: Final = {"right": "on lead", "left": "not on lead"}
"""The declarer, seen from the defender, and the defender's part."""

_STACK, _LONG, _HONOURS = 3, 5, 0b11111
_TOPS: Final = 0b111


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How good one forecast of a defender is on some hands."""

    defender: str
    hands: str
    strains: str
    forecast: str
    forecasts: int
    error: Annotated[Interval, "absolute error", "error from", "error to"]
    bias: float
    log_score: float


def trump_stacks(hands: U64) -> Bools:
    """In which strains each hand has a trump stack: (n, 5)."""
    rows = rows_of(hands)
    result = np.zeros((len(rows), len(Strain)), np.bool_)
    result[:, : len(Suit)] = (LENGTH[rows] >= _LONG) & (LENGTH[rows & _HONOURS] >= _STACK)
    return result


def running_suits(hands: U64) -> Bools:
    """Notrump, for hands with a running suit: (n, 5)."""
    rows = rows_of(hands)
    result = np.zeros((len(rows), len(Strain)), np.bool_)
    runs = (LENGTH[rows] >= _LONG) & (rows & _TOPS == _TOPS)
    result[:, Strain.NOTRUMP] = runs.any(axis=1)
    return result


def study(seed: int = 1, labels: Labels | None = None) -> tuple[StudyTable, StudyTable]:
    """The accuracy and the calibration of the defenders' forecasts."""
    origin = "not used in any fit" if labels is None else "as given"
    labels = shipped() if labels is None else labels
    lefts, rights, tricks = labels.defenders()
    rows: list[Accuracy] = []
    bins: list[Calibration] = []
    for side, part in SIDES.items():
        hands = lefts if side == "right" else rights
        overall = np.stack(
            [np.bincount(tricks[:, s], minlength=TRICKS + 1) / len(tricks) for s in Strain]
        )
        forecasts: dict[str, NDArray[Any]] = {
            kind: chances_against(hands, side, kind)  # type: ignore[arg-type]
            for kind in DEFENCE_KINDS
        }
        forecasts[CONSTANT] = np.broadcast_to(overall, (len(hands), *overall.shape))
        rows += _accuracy(part, hands, tricks, forecasts, len(labels), seed)
        shape = (len(labels), -1)
        for kind in DEFENCE_KINDS:
            for group, strains in GROUPS.items():
                chances = at_least(forecasts[kind][:, strains])[..., BOOK + 1 :]
                made = tricks[:, strains, None] > np.arange(BOOK, TRICKS)
                bins += (
                    Calibration(f"{kind}, {part}", 13, group, bin_)
                    for bin_ in calibration_bins(chances.reshape(shape), made.reshape(shape))
                )
    deals = f"{labels.title}, {origin}"
    return (
        table(
            "defence-accuracy",
            "A defender's forecasts",
            rows,
            f"{deals}; declarer's tricks from one defender's 13 cards; intervals from resampling "
            "deals. Errors are those of the mean.",
        ),
        table(
            "defence-calibration",
            "Chances that declarer makes each level, in ten bins",
            bins,
            f"{deals}; levels 1 to 7 of every declarer.",
        ),
    )


def _accuracy(
    part: str,
    hands: U64,
    tricks: NDArray[np.int8],
    forecasts: Mapping[str, NDArray[Any]],
    deals: int,
    seed: int,
) -> Iterator[Accuracy]:
    everything = np.ones(tricks.shape, np.bool_)
    subsets = {
        "all": everything,
        "trump stack": trump_stacks(hands),
        "running suit": running_suits(hands),
    }
    for name, chosen in subsets.items():
        for group, strains in GROUPS.items():
            inside = np.zeros_like(everything)
            inside[:, strains] = chosen[:, strains]
            count = int(inside.sum())
            if not count:
                continue
            for kind, chances in forecasts.items():
                error = np.where(inside, means(chances) - tricks, 0.0)
                by_deal = [
                    np.abs(error).reshape(deals, -1).sum(1),
                    inside.reshape(deals, -1).sum(1),
                ]
                size = stats.bootstrap(np.column_stack(by_deal), stats.ratio, seed)
                at = tricks[..., None].astype(np.int64)
                happened = np.take_along_axis(chances, at, -1)[..., 0][inside]
                yield Accuracy(
                    part,
                    name,
                    group,
                    kind,
                    count,
                    size,
                    float(error.sum() / count),
                    float(-np.log(np.maximum(happened, 1e-12)).mean()),
                )


def defence(labels: LabelFile = None, seed: BootstrapSeed = 1, as_json: AsJson = False) -> None:
    """Test the forecasts of a defender on held-out deals: errors and calibration."""
    from rich.console import Console

    from tribridge.cards.dealer import check_seed
    from tribridge.lab.labels.labels import load_labels

    check_seed(seed)
    tables = study(seed, None if labels is None else load_labels(labels))
    if as_json:
        print_tables(tables, as_json=True)
        return
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    for each in tables:
        rows = (
            tuple(f"{v:.3f}" if isinstance(v, float) else str(v) for v in row) for row in each.rows
        )
        grid((), rows, words=each.names, title=each.title, width=120)
        console.print(each.note)
        console.print()
