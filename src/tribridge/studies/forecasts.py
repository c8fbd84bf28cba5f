"""How good the forecasts are: errors, spreads, intervals and calibration on held-out deals.

Two kinds of label, never mixed: the tricks of *single deals* (the labels of the package, to which
nothing was fitted; double dummy, or played, for the kind `real`), and *means of ten layouts* around
two known hands (a file in the form of the BridgeHand2Vec project, where one is given).

**Intervals.** A nominal 80% interval of whole tricks usually covers more than 80%, so it is judged
in two ways. `% in 80%` cuts exactly 10% off both ends: a number of tricks that the cut goes through
counts with the part of its chance that lies inside, which is the mean of a randomised interval
without its randomness. `% in interval` is how often the whole-trick interval contains the tricks,
to be compared with `% it claims`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import stats
from tribridge.cards import Strain
from tribridge.double_dummy.labels import Labels, shipped
from tribridge.forecast.distribution import TRICKS, at_least, means, quantiles
from tribridge.forecast.kinds import SOLVED, find_forecaster
from tribridge.forecast.linear import Linear
from tribridge.forecast.means import LAYOUTS, read_means
from tribridge.forecast.sure import possible
from tribridge.studies.tables import Cell, Study, StudyTable

F64 = NDArray[np.float64]

GROUPS: Final = {"suits": slice(0, 4), "notrump": slice(4, 5)}
CARDS: Final = (13, 26)
NOMINAL: Final = 0.8
BINS: Final = 10
LEAST: Final = 500
"""Contracts a bin needs before its difference means anything."""
BOOK: Final = 6
_PIECE: Final = 20_000

PUBLISHED: Final = (
    # label, cards, group, name, absolute error, sd
    ("single deal", 26, "suits", "Binky points, published", None, 0.99),
    ("single deal", 26, "notrump", "Binky points, published", None, 1.26),
    ("mean of ten layouts", 26, "suits", "BridgeHand2Vec network, published", 0.28, None),
    ("mean of ten layouts", 26, "notrump", "BridgeHand2Vec network, published", 0.38, None),
)

_COLUMNS: Final = (
    "label", "cards", "strains", "forecast", "forecasts", "absolute error", "error from",
    "error to", "sd", "bias", "log score", "% in 80%", "% in interval", "% it claims",
    "tricks wide", "noise floor",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Forecasts:
    """The forecasts of one kind for labelled declarers: chances (deals, declarers, 5, 14)."""

    kind: str
    cards: int
    chances: NDArray[Any]

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.cards} cards"


def forecasts_on(labels: Labels, kinds: Sequence[str] = SOLVED) -> list[Forecasts]:
    """All kinds on all declarers of labelled deals, from 13 and from 26 cards."""
    hands, dummies, _ = labels.pairs()
    shape = (len(labels), -1, len(Strain), TRICKS + 1)
    forecasts = []
    for kind in kinds:
        forecaster = find_forecaster(kind)
        forecasts.append(
            Forecasts(kind, 13, possible(forecaster.from_hand(hands), hands).reshape(shape))
        )
        two = possible(forecaster.from_pair(hands, dummies), hands, dummies)
        forecasts.append(Forecasts(kind, 26, two.reshape(shape)))
    return forecasts


def covered(chances: NDArray[Any], tricks: NDArray[Any], nominal: float = NOMINAL) -> F64:
    """The part of the outcome's chance that lies in the central `nominal` interval."""
    exact = np.asarray(chances, np.float64)
    high = np.cumsum(exact, axis=-1)
    at = np.asarray(tricks, np.int64)[..., None]
    top = np.take_along_axis(high, at, -1)[..., 0]
    share = np.maximum(np.take_along_axis(exact, at, -1)[..., 0], 1e-12)
    tail = (1 - nominal) / 2
    inside = np.minimum(top, 1 - tail) - np.maximum(top - share, tail)
    return np.asarray(np.clip(inside / share, 0.0, 1.0))


def accuracy(
    labels: Labels, forecasts: Sequence[Forecasts], seed: int
) -> Iterator[tuple[Cell, ...]]:
    """The rows of single deals: the kinds, linear regression, a constant, published figures."""
    hands, dummies, _ = labels.pairs()
    shape = (len(labels), -1, len(Strain))
    linear = Linear.load()
    regression = {
        13: linear.means(hands).reshape(shape),
        26: linear.means(hands, dummies).reshape(shape),
    }
    for cards in CARDS:
        for group, strains in GROUPS.items():
            tricks = labels.tricks[..., strains]
            place: tuple[Cell, ...] = ("single deal", cards, group)
            for one in forecasts:
                if one.cards == cards:
                    chances = one.chances[..., strains, :]
                    errors = _errors(means(chances), tricks, seed)
                    yield (*place, one.kind, *errors, *_honesty(chances, tricks), None)
            constant = np.full(tricks.shape, float(tricks.mean()))
            yield (*place, "constant (overall mean)", *_errors(constant, tricks, seed), *[None] * 6)
            if not labels.work.player:  # the others are about double-dummy tricks
                errors = _errors(regression[cards][..., strains], tricks, seed)
                yield (*place, "linear regression on cards", *errors, *[None] * 6)
                yield from _published(place)


def _published(place: tuple[Cell, ...]) -> Iterator[tuple[Cell, ...]]:
    for *where, name, error, sd in PUBLISHED:
        if tuple(where) == place:
            yield (*place, name, None, error, None, None, sd, *[None] * 7)


def _errors(said: F64, tricks: NDArray[Any], seed: int) -> tuple[Cell, ...]:
    """Count, absolute error with its interval over deals, sd of the residuals, bias."""
    error = said - tricks
    size = np.abs(error).reshape(len(error), -1)
    count = np.full(len(error), float(size.shape[1]))
    interval = stats.bootstrap(np.column_stack([size.sum(axis=1), count]), stats.ratio, seed)
    return (
        int(error.size),
        interval.estimate,
        interval.low,
        interval.high,
        float(error.std()),
        float(error.mean()),
    )


def _honesty(chances: NDArray[Any], tricks: NDArray[Any]) -> tuple[Cell, ...]:
    """Log score, coverage of exact and whole-trick intervals, claimed coverage and width."""
    exact = np.asarray(chances, np.float64)
    at = np.asarray(tricks, np.int64)[..., None]
    happened = np.take_along_axis(exact, at, -1)[..., 0]
    tail = (1 - NOMINAL) / 2
    low, high = quantiles(exact, tail), quantiles(exact, 1 - tail)
    counts = np.arange(TRICKS + 1)
    inside = (counts >= low[..., None]) & (counts <= high[..., None])
    return (
        float(-np.log(np.maximum(happened, 1e-12)).mean()),
        100 * float(covered(exact, tricks).mean()),
        100 * float(((tricks >= low) & (tricks <= high)).mean()),
        100 * float((exact * inside).sum(axis=-1).mean()),
        float((high - low + 1).mean()),
    )


def calibration(labels: Labels, forecasts: Sequence[Forecasts]) -> Iterator[tuple[Cell, ...]]:
    """Chances of making each level in ten bins, compared with how often it makes."""
    for one in forecasts:
        for group, strains in GROUPS.items():
            said = at_least(one.chances[..., strains, :])[..., BOOK + 1 :]
            tricks = labels.tricks[..., strains, None]
            made = tricks > np.arange(BOOK, TRICKS)
            yield from (
                (one.kind, one.cards, group, *row)
                for row in calibration_bins(
                    said.reshape(len(labels), -1), made.reshape(len(labels), -1)
                )
            )


def calibration_bins(said: F64, made: NDArray[np.bool_]) -> Iterator[tuple[Cell, ...]]:
    """Chances and what came of them in ten bins, one row per deal (deals, contracts)."""
    number = np.minimum((said * BINS).astype(np.int64), BINS - 1)
    for at in range(BINS):
        chosen = number == at
        total = int(chosen.sum())
        if not total:
            continue
        mean = 100 * float(said[chosen].mean())
        hits = stats.clustered_proportion((made & chosen).sum(axis=1), chosen.sum(axis=1))
        yield (
            f"{10 * at}-{10 * at + 10}%",
            total,
            mean,
            100 * hits.estimate,
            100 * hits.low,
            100 * hits.high,
            100 * hits.estimate - mean,
        )


CALIBRATION: Final = (
    "forecast", "cards", "strains", "chance", "contracts", "mean chance %", "% made",
    "made from", "made to", "difference",
)  # fmt: skip


def study(
    seed: int = 1,
    labels: Labels | None = None,
    file_of_means: Path | None = None,
    kinds: Sequence[str] = SOLVED,
    progress: Callable[[int], None] = lambda n: None,
) -> Study:
    """The accuracy of all kinds; `progress` counts two steps, three with a file of means."""
    origin = "not used in any fit" if labels is None else "as given"
    labels = shipped() if labels is None else labels
    forecasts = forecasts_on(labels, kinds)
    rows = list(accuracy(labels, forecasts, seed))
    progress(1)
    bins = tuple(calibration(labels, forecasts))
    progress(1)
    if file_of_means is not None:
        rows += against_means(file_of_means, kinds, seed)
        progress(1)
    note = (
        f"Single deals: {labels.title}, {origin}; intervals from resampling deals. "
        "Errors are those of the mean."
    )
    tables = (
        StudyTable("forecast-accuracy", "Forecasts against labels", _COLUMNS, tuple(rows), note),
        StudyTable(
            "forecast-calibration",
            "Chances of making each level, in ten bins",
            CALIBRATION,
            bins,
            f"{note.split(';')[0]}; levels 1 to 7 of every declarer.",
        ),
    )
    return Study("forecast", "How good the forecasts are", tables)


def against_means(path: Path, kinds: Sequence[str], seed: int) -> list[tuple[Cell, ...]]:
    """The rows of a file of means of ten layouts."""
    own, dummies, labels = read_means(path)
    linear = Linear.load()
    result: list[tuple[Cell, ...]] = []
    for cards in CARDS:
        said: dict[str, tuple[F64, NDArray[Any] | None]] = {}
        for kind in kinds:
            one = find_forecaster(kind)
            if cards == 13:
                distributions = possible(one.from_hand(own), own)
            else:
                distributions = possible(one.from_pair(own, dummies), own, dummies)
            said[kind] = means(distributions), distributions if cards == 26 else None
        regression = linear.means(own, None if cards == 13 else dummies)
        said["linear regression on cards"] = regression, None
        for group, strains in GROUPS.items():
            place: tuple[Cell, ...] = ("mean of ten layouts", cards, group)
            for name, (expected, chances) in said.items():
                # Rows 2 i and 2 i + 1 are the two declarers of one pair of hands.
                shape = (len(own) // 2, -1)
                errors = _errors(
                    expected[:, strains].reshape(shape), labels[:, strains].reshape(shape), seed
                )
                floor = None
                if chances is not None:
                    floor = noise_floor(chances[:, strains].reshape(-1, TRICKS + 1))
                result.append((*place, name, *errors, *[None] * 5, floor))
            result += _published(place)
    return result


def noise_floor(chances: NDArray[Any], layouts: int = LAYOUTS) -> float:
    """The mean absolute error of a perfect forecast against means of that many layouts.

    The tricks of one layout are assumed to vary as the forecasts (n, 14) predict, whose own
    uncertainty makes the result a little too large.
    """
    places = layouts * TRICKS + 1
    scale = np.arange(places) / layouts
    total = 0.0
    for start in range(0, len(chances), _PIECE):
        piece = np.asarray(chances[start : start + _PIECE], np.float64)
        sums = np.fft.irfft(np.fft.rfft(piece, 2 * places, axis=1) ** layouts, 2 * places, axis=1)
        away = np.abs(scale - means(piece)[:, None])
        total += float((sums[:, :places] * away).sum())
    return total / len(chances)


def worst_bins(table: StudyTable, least: int = LEAST) -> Mapping[tuple[str, int, str], float]:
    """The largest difference over the bins with enough contracts, by kind, cards and strains."""
    result: dict[tuple[str, int, str], float] = {}
    for row in table.records():
        if int(row["contracts"] or 0) >= least:
            key = (str(row["forecast"]), int(row["cards"] or 0), str(row["strains"]))
            result[key] = max(result.get(key, 0.0), abs(float(row["difference"] or 0)))
    return result
