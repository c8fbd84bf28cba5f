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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

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
from tribridge.stats import Interval
from tribridge.studies.drawing import (
    BLUE,
    GREY,
    ORANGE,
    RED,
    error_bars,
    legend_below,
    name_axes,
    new_figure,
)
from tribridge.studies.tables import StudyTable, in_percent, table

if TYPE_CHECKING:
    from matplotlib import figure as drawn

F64 = NDArray[np.float64]

GROUPS: Final = {"suits": slice(0, 4), "notrump": slice(4, 5)}
CARDS: Final = (13, 26)
NOMINAL: Final = 0.8
BINS: Final = 10
LEAST: Final = 500
"""Contracts a bin needs before its difference means anything."""
BOOK: Final = 6
_DRAWN: Final = 10
"""Contracts a bin needs to be drawn."""
_PIECE: Final = 20_000
_REGRESSION: Final = "linear regression on cards"


@dataclass(frozen=True, eq=False)
class Forecasts:
    """The forecasts of one kind for labelled declarers: chances (deals, declarers, 5, 14)."""

    kind: str
    cards: int
    chances: NDArray[Any]

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.cards} cards"


@dataclass(frozen=True, slots=True)
class Error:
    """Errors of expected tricks: how many, how large, how spread and in which direction."""

    forecasts: int | None = None
    size: Annotated[Interval | None, "absolute error", "error from", "error to"] = None
    sd: float | None = None
    bias: float | None = None


@dataclass(frozen=True, slots=True)
class Honesty:
    """How well distributions describe the tricks: nothing for a forecast without chances."""

    log_score: float | None = None
    covered: Annotated[float | None, "% in 80%"] = None
    inside: Annotated[float | None, "% in interval"] = None
    claimed: Annotated[float | None, "% it claims"] = None
    width: Annotated[float | None, "tricks wide"] = None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How good one forecast is against one kind of label."""

    label: str
    cards: int
    strains: str
    forecast: str
    error: Error
    honesty: Honesty = Honesty()
    noise_floor: float | None = None


@dataclass(frozen=True, slots=True)
class Bin:
    """The contracts with a chance in one tenth, and how often they make."""

    chance: str
    contracts: int
    mean: Annotated[float, "mean chance %"]
    made: Annotated[Interval, "% made", "made from", "made to"]
    difference: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """One bin of one forecast."""

    forecast: str
    cards: int
    strains: str
    bin: Bin


@dataclass(frozen=True, slots=True)
class Result:
    """How good forecasts are on labelled deals."""

    labels: str
    """The deals, in words."""
    origin: str
    accuracy: tuple[Accuracy, ...]
    calibration: tuple[Calibration, ...]

    def worst_bin(self, row: Accuracy, least: int = LEAST) -> float | None:
        """The largest difference over the bins of a forecast with enough contracts."""
        place = row.forecast, row.cards, row.strains
        gaps = [abs(one.bin.difference) for one in self.calibration
                if (one.forecast, one.cards, one.strains) == place
                and one.bin.contracts >= least]  # fmt: skip
        return max(gaps, default=None) if row.label == _SINGLE else None


_SINGLE: Final = "single deal"
_MEANS: Final = "mean of ten layouts"
PUBLISHED: Final = tuple(
    Accuracy(label, 26, strains, name,
             Error(size=None if error is None else Interval(error, np.nan, np.nan), sd=sd))
    for label, strains, name, error, sd in (
        (_SINGLE, "suits", "Binky points, published", None, 0.99),
        (_SINGLE, "notrump", "Binky points, published", None, 1.26),
        (_MEANS, "suits", "BridgeHand2Vec network, published", 0.28, None),
        (_MEANS, "notrump", "BridgeHand2Vec network, published", 0.38, None),
    )
)  # fmt: skip


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


def accuracy(labels: Labels, forecasts: Sequence[Forecasts], seed: int) -> Iterator[Accuracy]:
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
            for kind in (one for one in forecasts if one.cards == cards):
                chances = kind.chances[..., strains, :]
                error = _error(means(chances), tricks, seed)
                yield Accuracy(_SINGLE, cards, group, kind.kind, error, _honesty(chances, tricks))
            constant = np.full(tricks.shape, float(tricks.mean()))
            error = _error(constant, tricks, seed)
            yield Accuracy(_SINGLE, cards, group, "constant (overall mean)", error)
            if not labels.work.player:  # the others are about double-dummy tricks
                error = _error(regression[cards][..., strains], tricks, seed)
                yield Accuracy(_SINGLE, cards, group, _REGRESSION, error)
                yield from _published(_SINGLE, cards, group)


def _published(label: str, cards: int, strains: str) -> Iterator[Accuracy]:
    place = label, cards, strains
    yield from (row for row in PUBLISHED if (row.label, row.cards, row.strains) == place)


def _error(said: F64, tricks: NDArray[Any], seed: int) -> Error:
    """The errors of expected tricks, with an interval over deals."""
    error = said - tricks
    size = np.abs(error).reshape(len(error), -1)
    count = np.full(len(error), float(size.shape[1]))
    interval = stats.bootstrap(np.column_stack([size.sum(axis=1), count]), stats.ratio, seed)
    return Error(int(error.size), interval, float(error.std()), float(error.mean()))


def _honesty(chances: NDArray[Any], tricks: NDArray[Any]) -> Honesty:
    """Log score, coverage of exact and whole-trick intervals, claimed coverage and width."""
    exact = np.asarray(chances, np.float64)
    at = np.asarray(tricks, np.int64)[..., None]
    happened = np.take_along_axis(exact, at, -1)[..., 0]
    tail = (1 - NOMINAL) / 2
    low, high = quantiles(exact, tail), quantiles(exact, 1 - tail)
    counts = np.arange(TRICKS + 1)
    inside = (counts >= low[..., None]) & (counts <= high[..., None])
    return Honesty(
        float(-np.log(np.maximum(happened, 1e-12)).mean()),
        100 * float(covered(exact, tricks).mean()),
        100 * float(((tricks >= low) & (tricks <= high)).mean()),
        100 * float((exact * inside).sum(axis=-1).mean()),
        float((high - low + 1).mean()),
    )


def calibration(labels: Labels, forecasts: Sequence[Forecasts]) -> Iterator[Calibration]:
    """Chances of making each level in ten bins, compared with how often it makes."""
    shape = (len(labels), -1)
    for one in forecasts:
        for group, strains in GROUPS.items():
            said = at_least(one.chances[..., strains, :])[..., BOOK + 1 :]
            made = labels.tricks[..., strains, None] > np.arange(BOOK, TRICKS)
            for bin_ in calibration_bins(said.reshape(shape), made.reshape(shape)):
                yield Calibration(one.kind, one.cards, group, bin_)


def calibration_bins(said: F64, made: NDArray[np.bool_]) -> Iterator[Bin]:
    """Chances and what came of them in ten bins, one row per deal (deals, contracts)."""
    number = np.minimum((said * BINS).astype(np.int64), BINS - 1)
    for at in range(BINS):
        chosen = number == at
        if total := int(chosen.sum()):
            mean = 100 * float(said[chosen].mean())
            hits = stats.clustered_proportion((made & chosen).sum(axis=1), chosen.sum(axis=1))
            share = in_percent(hits)
            yield Bin(f"{10 * at}-{10 * at + 10}%", total, mean, share, share.estimate - mean)


def run(
    seed: int = 1,
    labels: Labels | None = None,
    file_of_means: Path | None = None,
    kinds: Sequence[str] = SOLVED,
) -> Result:
    """The accuracy of all kinds."""
    origin = "not used in any fit" if labels is None else "as given"
    labels = shipped() if labels is None else labels
    forecasts = forecasts_on(labels, kinds)
    rows = list(accuracy(labels, forecasts, seed))
    if file_of_means is not None:
        rows += against_means(file_of_means, kinds, seed)
    return Result(labels.title, origin, tuple(rows), tuple(calibration(labels, forecasts)))


def tables(result: Result) -> Iterator[StudyTable]:
    """Accuracy and calibration."""
    note = (
        f"Single deals: {result.labels}, {result.origin}; intervals from resampling deals. "
        "Errors are those of the mean."
    )
    yield table("forecast-accuracy", "Forecasts against labels", result.accuracy, note)
    yield table(
        "forecast-calibration",
        "Chances of making each level, in ten bins",
        result.calibration,
        f"Single deals: {result.labels}, {result.origin}; levels 1 to 7 of every declarer.",
        kind=Calibration,
    )


def against_means(path: Path, kinds: Sequence[str], seed: int) -> list[Accuracy]:
    """The rows of a file of means of ten layouts."""
    own, dummies, labels = read_means(path)
    linear = Linear.load()
    result: list[Accuracy] = []
    for cards in CARDS:
        said: dict[str, tuple[F64, NDArray[Any] | None]] = {}
        for kind in kinds:
            forecaster = find_forecaster(kind)
            if cards == 13:
                distributions = possible(forecaster.from_hand(own), own)
            else:
                distributions = possible(forecaster.from_pair(own, dummies), own, dummies)
            said[kind] = means(distributions), distributions if cards == 26 else None
        said[_REGRESSION] = linear.means(own, None if cards == 13 else dummies), None
        for group, strains in GROUPS.items():
            for name, (expected, chances) in said.items():
                # Rows 2 i and 2 i + 1 are the two declarers of one pair of hands.
                shape = (len(own) // 2, -1)
                error = _error(
                    expected[:, strains].reshape(shape), labels[:, strains].reshape(shape), seed
                )
                floor = None
                if chances is not None:
                    floor = noise_floor(chances[:, strains].reshape(-1, TRICKS + 1))
                result.append(Accuracy(_MEANS, cards, group, name, error, Honesty(), floor))
            result += _published(_MEANS, cards, group)
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


def draw_calibration(rows: Sequence[Calibration]) -> drawn.Figure:
    """How much more often contracts make than forecast, in ten bins of chances."""
    shown = [row for row in rows if row.bin.contracts >= _DRAWN]
    groups = list(dict.fromkeys((row.strains, row.cards) for row in shown))
    figure, panels = new_figure(11.4, 3.6, len(groups), squeeze=False, sharey=True)
    looks = {"net": (RED, "o"), "points": (BLUE, "s"), "capture": (ORANGE, "^")}
    for axes, (strains, cards) in zip(panels[0], groups, strict=True):
        axes.axhspan(-2, 2, color=GREY, alpha=0.2, linewidth=0, label="within 2 percentage points")
        axes.axhline(0, color="black", linewidth=1)
        for kind, (colour, marker) in looks.items():
            place = kind, strains, cards
            mine = [r.bin for r in shown if (r.forecast, r.strains, r.cards) == place]
            if mine:
                axes.errorbar(
                    [row.mean for row in mine],
                    [row.difference for row in mine],
                    yerr=error_bars(row.made for row in mine),
                    fmt=f"-{marker}",
                    color=colour,
                    capsize=3,
                    markersize=5,
                    linewidth=1,
                    label=kind,
                )
        name_axes(axes, f"{cards} cards, {strains}", "forecast chance, %")
        axes.set_xlim(-3, 103)
    panels[0][0].set_ylabel("actual - forecast, percentage points")
    legend_below(figure, panels[0][0])
    return figure
