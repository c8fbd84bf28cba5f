"""`tribridge speed forecast`: errors, spreads, intervals and calibration on held-out deals.

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

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer
from numpy.typing import NDArray

from tribridge.cli.options import AsJson, print_json, print_tables
from tribridge.common import stats
from tribridge.common.errors import SettingError
from tribridge.common.stats import Interval
from tribridge.common.tables import PERCENT, StudyTable, table
from tribridge.forecast.distribution import TRICKS, means, quantiles
from tribridge.forecast.kinds import SOLVED, find_forecaster
from tribridge.forecast.means import LAYOUTS, read_means
from tribridge.forecast.sure import possible
from tribridge.lab.labels.labels import Labels, shipped
from tribridge.lab.speed.measuring import BootstrapSeed, LabelFile, grid
from tribridge.lab.studies.forecasts import (
    GROUPS,
    Calibration,
    Forecasts,
    calibration,
    forecasts_on,
)

F64 = NDArray[np.float64]

CARDS: Final = (13, 26)
NOMINAL: Final = 0.8
LEAST: Final = 500
"""Contracts a bin needs before its difference means anything."""
MILLION: Final = 1_000_000
_PIECE: Final = 20_000
_SINGLES: Final = 300
_LOADING: Final = """
import time
import numpy
begin = time.perf_counter()
from tribridge.forecast import find_forecaster
find_forecaster({kind!r})
print(time.perf_counter() - begin)
"""

_SHORT: Final = {
    "constant (overall mean)": "constant",
    "Binky points, published": "Binky (publ.)",
    "BridgeHand2Vec network, published": "BridgeHand2Vec (publ.)",
}


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
    covered: Annotated[float | None, "% in 80%", PERCENT] = None
    inside: Annotated[float | None, "% in interval", PERCENT] = None
    claimed: Annotated[float | None, "% it claims", PERCENT] = None
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
        gaps = [abs(entry.bin.difference) for entry in self.calibration
                if (entry.forecast, entry.cards, entry.strains) == place
                and entry.bin.contracts >= least]  # fmt: skip
        return max(gaps, default=None) if row.label == _SINGLE else None


@dataclass(frozen=True, slots=True)
class ForecastSpeed:
    """How long a kind of forecast takes to load, for one pair of hands and for a million."""

    kind: str
    loading: Annotated[float, "loading, ms"]
    single: Annotated[float, "one forecast, ms"]
    million: Annotated[float, "a million pairs, s"]


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


def accuracy(labels: Labels, forecasts: Sequence[Forecasts], seed: int) -> Iterator[Accuracy]:
    """The rows of single deals: the kinds, a constant, published figures."""
    for cards in CARDS:
        for group, strains in GROUPS.items():
            tricks = labels.tricks[..., strains]
            for kind in (each for each in forecasts if each.cards == cards):
                chances = kind.chances[..., strains, :]
                error = _error(means(chances), tricks, seed)
                yield Accuracy(_SINGLE, cards, group, kind.kind, error, _honesty(chances, tricks))
            constant = np.full(tricks.shape, float(tricks.mean()))
            error = _error(constant, tricks, seed)
            yield Accuracy(_SINGLE, cards, group, "constant (overall mean)", error)
            if not labels.work.player:  # the others are about double-dummy tricks
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


def forecast_speeds(kinds: Sequence[str], batch: int = MILLION) -> Iterator[ForecastSpeed]:
    """One row per kind; loading is the import and the kind's data, with NumPy loaded before."""
    from tribridge.cards.cards import Hand
    from tribridge.cards.dealer_arrays import deal_masks
    from tribridge.forecast.kinds import find_forecaster, forecast

    hands = deal_masks(1, 0, batch)
    own, dummy = Hand(int(hands[0, 0])), Hand(int(hands[0, 1]))
    first, second = (np.ascontiguousarray(hands[:, column]) for column in (0, 1))
    for kind in kinds:
        command = [sys.executable, "-c", _LOADING.format(kind=kind)]
        loading = min(
            float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(3)
        )
        forecaster = find_forecaster(kind)
        forecast(own, dummy, kind)
        begin = time.perf_counter()
        for _ in range(_SINGLES):
            forecast(own, dummy, kind)
        one_by_one = time.perf_counter() - begin
        begin = time.perf_counter()
        forecaster.from_pair(first, second)
        many = time.perf_counter() - begin
        single = 1000 * one_by_one / _SINGLES
        yield ForecastSpeed(kind, 1000 * loading, single, many * MILLION / batch)


def forecast(
    file_of_means: Annotated[
        Path | None,
        typer.Option(
            "--means",
            help="A CSV file of two hands with mean tricks over ten layouts, as in BridgeHand2Vec.",
        ),
    ] = None,
    labels: LabelFile = None,
    played: Annotated[
        bool,
        typer.Option("--played", help="Test on the package's deals as played by learned."),
    ] = False,
    kinds: Annotated[
        str, typer.Option(help="Forecasters to measure, separated by commas.")
    ] = "net,points,capture",
    speed: Annotated[bool, typer.Option("--speed", help="Measure the speed instead.")] = False,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the calibration to this SVG, PNG or PDF file.")
    ] = None,
    seed: BootstrapSeed = 1,
    as_json: AsJson = False,
) -> None:
    """Test forecasts on held-out deals: errors, intervals and calibration; or measure speed."""
    from rich.console import Console

    from tribridge.cards.dealer import check_seed
    from tribridge.lab.studies import drawing
    from tribridge.lab.studies.forecasts import draw_calibration

    check_seed(seed)
    chosen = tuple(kind.strip() for kind in kinds.split(","))
    for kind in chosen:
        find_forecaster(kind)
    if played and (file_of_means is not None or labels is not None):
        raise SettingError("--played cannot be combined with --means or --labels")
    if speed:
        if file_of_means is not None or labels is not None or figure is not None or played:
            raise SettingError(
                "--speed cannot be combined with --means, --labels, --played or --figure"
            )
        _forecast_speed(chosen, as_json=as_json)
        return
    if figure is not None:
        from tribridge.common.files import check_place

        drawing.file_kind(figure)
        check_place(figure)
    from tribridge.lab.labels.labels import load_labels, shipped_played

    deals = shipped_played() if played else None if labels is None else load_labels(labels)
    with Console(file=sys.stderr).status("measuring ..."):
        result = run(seed, deals, file_of_means, chosen)
    if figure is not None:
        from tribridge.common.files import write_atomic

        ending = drawing.file_kind(figure)
        files = drawing.drawn(lambda: draw_calibration(result.calibration), (ending,))
        write_atomic(figure, files[ending])
    if as_json:
        print_tables(tables(result), as_json=True)
    else:
        _show_forecasts(result)


def _forecast_speed(kinds: Sequence[str], *, as_json: bool) -> None:
    rows = forecast_speeds(kinds)
    speeds = table("forecast-speed", "Speed of the forecasts", rows, kind=ForecastSpeed)
    if as_json:
        print_json(speeds.records())
        return
    cells = ((str(kind), *(f"{value:.3f}" for value in times)) for kind, *times in speeds.rows)
    grid(speeds.names[1:], cells, words=speeds.names[:1])


def _show_forecasts(result: Result) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 110, highlight=False)
    names = ("MAE", "sd", "bias", "log score", "in 80%", "tricks wide", "worst bin", "noise floor")
    places = dict.fromkeys((row.label, row.cards, row.strains) for row in result.accuracy)
    for place in places:
        rows = []
        for row in result.accuracy:
            if (row.label, row.cards, row.strains) == place:
                error, honesty = row.error, row.honesty
                rows.append(
                    (
                        _SHORT.get(row.forecast, row.forecast),
                        _number(None if error.size is None else error.size.estimate, 3),
                        *(_number(v, 3) for v in (error.sd, error.bias, honesty.log_score)),
                        _number(honesty.covered, 1, "%"),
                        _number(honesty.width, 2),
                        _number(result.worst_bin(row), 1),
                        _number(row.noise_floor, 3),
                    )
                )
        grid(names, rows, words=("forecast",), title="{}, {} cards, {}".format(*place))
        console.print()
    console.print(
        f"{next(iter(tables(result))).note} 'worst bin': chances of making each level fall into "
        "ten bins; this is the largest difference, in percentage points, between forecast and "
        f"outcome over the bins with at least {LEAST} contracts.",
    )


def _number(value: float | None, digits: int, unit: str = "") -> str:
    return "" if value is None else f"{value:.{digits}f}{unit}"
