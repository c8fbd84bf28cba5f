"""`tribridge bench`: speed and accuracy beside the alternatives, on this machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tribridge.cli.devices import find_device
from tribridge.errors import SettingError

if TYPE_CHECKING:
    from tribridge.studies.forecasts import Result
    from tribridge.studies.speed import Speed

_BILLION: Final = 10**9
_SHORT: Final = {
    "linear regression on cards": "linear",
    "constant (overall mean)": "constant",
    "Binky points, published": "Binky (publ.)",
    "BridgeHand2Vec network, published": "BridgeHand2Vec (publ.)",
}

app = typer.Typer(help="Measure speed and accuracy on this machine.", no_args_is_help=True)
Seconds = Annotated[float, typer.Option(help="Seconds to spend on each measurement.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
LabelFile = Annotated[
    Path | None,
    typer.Option(
        "--labels", help="Labelled deals not used in any fit; default: those in the package."
    ),
]
BootstrapSeed = Annotated[int, typer.Option(help="Seed of the bootstrap intervals.")]


@app.callback()
def _bench() -> None:
    """Measure speed and accuracy on this machine."""


@app.command()
def speed(
    seconds: Seconds = 2.0,
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Deals per second: reference, NumPy, compiled, GPU, and endplay for comparison."""
    _check_seconds(seconds, 0.5)
    from tribridge.dealer import check_seed
    from tribridge.studies.speed import speeds

    check_seed(seed)
    results = _measured(speeds(seed, seconds))
    if as_json:
        rows = [
            {
                "work": each.work,
                "way": each.way,
                "deals a second": 1 / each.seconds,
                "ns a deal": each.seconds * 1e9,
                "times the reference": _ratio(results, each),
                "seconds for 1e9 deals": each.seconds * _BILLION,
            }
            if each.seconds is not None
            else {"work": each.work, "way": each.way, "note": each.note}
            for each in results
        ]
        print(json.dumps(rows))
        return
    rivals = ("reference", "NumPy", "one core")
    _grid(
        ("deals/s", "ns a deal", *(f"x {rival}" for rival in rivals), "10^9 deals"),
        (
            (
                each.work,
                each.way,
                f"{1 / each.seconds:,.0f}",
                f"{each.seconds * 1e9:,.1f}",
                *(_times(_ratio(results, each, rival)) for rival in rivals),
                _duration(each.seconds * _BILLION),
            )
            for each in results
            if each.seconds is not None
        ),
        words=("work", "way"),
    )
    for each in results:
        if each.seconds is None:
            print(f"\n{each.work}, {each.way}: {each.note}", end="")
    print()


@app.command()
def learning(
    seconds: Seconds = 2.0,
    seed: Annotated[int, typer.Option(help="Seed of the deals and choices.")] = 1,
    device: Annotated[
        str, typer.Option(help="Where games run in lockstep: cpu, cuda, or auto: both.")
    ] = "auto",
    as_json: AsJson = False,
) -> None:
    """Games per second in lockstep, on a GPU (with PyTorch) and on one core, and one at a time.

    Random auctions, random card play, and card play by the network of the player learned. Every
    player's view is made before each choice, as it is for training.
    """
    _check_seconds(seconds, 0.01)
    found = find_device(device, numpy=True)
    from tribridge.dealer import check_seed
    from tribridge.studies import speed as speed_of

    check_seed(seed)
    devices = ("cpu", "cuda") if device == "auto" else (found,)
    results = _measured(speed_of.learning_speeds(seed, seconds, devices=devices))
    if as_json:
        rows = [
            {
                "work": each.work,
                "way": each.way,
                "games a second": 1 / each.seconds,
                "times one at a time": _ratio(results, each),
            }
            if each.seconds is not None
            else {"work": each.work, "way": each.way, "note": each.note}
            for each in results
        ]
        print(json.dumps(rows))
        return
    _grid(
        ("games/s", "x one at a time"),
        (
            (each.work, each.way, f"{1 / each.seconds:,.0f}", f"{_ratio(results, each):,.1f}")
            for each in results
            if each.seconds is not None
        ),
        words=("work", "way"),
    )
    for each in results:
        if each.seconds is None:
            print(f"{each.way}: {each.note}")


@app.command()
def forecast(
    means: Annotated[
        Path | None,
        typer.Option(
            help="A CSV file of two hands with mean tricks over ten layouts, as in BridgeHand2Vec."
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

    from tribridge.dealer import check_seed
    from tribridge.forecast import find_forecaster
    from tribridge.report.paper import plain_tables
    from tribridge.studies import drawing, forecasts

    check_seed(seed)
    chosen = tuple(kind.strip() for kind in kinds.split(","))
    for kind in chosen:
        find_forecaster(kind)
    if played and (means is not None or labels is not None):
        raise SettingError("--played cannot be combined with --means or --labels")
    if speed:
        if means is not None or labels is not None or figure is not None or played:
            raise SettingError(
                "--speed cannot be combined with --means, --labels, --played or --figure"
            )
        _forecast_speed(chosen, as_json=as_json)
        return
    if figure is not None:
        from tribridge.files import check_place

        drawing.file_kind(figure)
        check_place(figure)
    from tribridge.double_dummy.labels import load_labels, shipped_played

    deals = shipped_played() if played else None if labels is None else load_labels(labels)
    with Console(file=sys.stderr).status("measuring ..."):
        result = forecasts.run(seed, deals, means, chosen)
    if figure is not None:
        from tribridge.files import write_atomic

        ending = drawing.file_kind(figure)
        files = drawing.drawn(lambda: forecasts.draw_calibration(result.calibration), (ending,))
        write_atomic(figure, files[ending])
    if as_json:
        print(json.dumps(plain_tables(forecasts.tables(result))))
    else:
        _show_forecasts(result)


def _forecast_speed(kinds: Sequence[str], *, as_json: bool) -> None:
    from tribridge.studies.speed import ForecastSpeed, forecast_speeds
    from tribridge.studies.tables import table

    rows = forecast_speeds(kinds)
    speeds = table("forecast-speed", "Speed of the forecasts", rows, kind=ForecastSpeed)
    if as_json:
        print(json.dumps(speeds.records()))
        return
    cells = ((str(kind), *(f"{value:.3f}" for value in times)) for kind, *times in speeds.rows)
    _grid(speeds.columns[1:], cells, words=speeds.columns[:1])


def _show_forecasts(result: Result) -> None:
    from rich.console import Console

    from tribridge.studies.forecasts import LEAST, tables

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
        _grid(names, rows, words=("forecast",), title="{}, {} cards, {}".format(*place))
        console.print()
    console.print(
        f"{next(iter(tables(result))).note} 'worst bin': chances of making each level fall into "
        "ten bins; this is the largest difference, in percentage points, between forecast and "
        f"outcome over the bins with at least {LEAST} contracts.",
    )


@app.command()
def defence(labels: LabelFile = None, seed: BootstrapSeed = 1, as_json: AsJson = False) -> None:
    """Test the forecasts of a defender on held-out deals: errors and calibration."""
    from rich.console import Console

    from tribridge.dealer import check_seed
    from tribridge.double_dummy.labels import load_labels
    from tribridge.report.paper import plain_tables
    from tribridge.studies.defence import study

    check_seed(seed)
    tables = study(seed, None if labels is None else load_labels(labels))
    if as_json:
        print(json.dumps(plain_tables(tables)))
        return
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    for table in tables:
        rows = (
            tuple(f"{v:.3f}" if isinstance(v, float) else str(v) for v in row) for row in table.rows
        )
        _grid((), rows, words=table.columns, title=table.title, width=120)
        console.print(table.note)
        console.print()


def _check_seconds(seconds: float, least: float) -> None:
    if not least <= seconds <= 3600:
        raise SettingError(f"--seconds {seconds} is out of range: {least:g} to 3600")


def _measured(speeds: Iterable[Speed]) -> list[Speed]:
    """The speeds, measured one after the other under a display of what is done."""
    from rich.console import Console

    results: list[Speed] = []
    with Console(file=sys.stderr).status("measuring ...") as status:
        for each in speeds:
            results.append(each)
            status.update(f"measured {each.work}, {each.way} ...")
    return results


def _ratio(results: Sequence[Speed], each: Speed, rival: str = "") -> float:
    """How many times faster than another way of the same work, or its first; 0 without one."""
    for other in results:
        if other.work == each.work and rival.lower() in other.way.lower() and other.seconds:
            return other.seconds / (each.seconds or 1)
    return 0.0


def _times(ratio: float) -> str:
    return f"{ratio:,.1f}" if ratio >= 0.95 else f"{ratio:.2g}" if ratio else ""


def _grid(
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    words: Sequence[str],
    title: str | None = None,
    width: int = 110,
) -> None:
    """A table without a frame: words on the left, numbers on the right."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for name in words:
        table.add_column(name, no_wrap=True, min_width=22 if name == "forecast" and names else None)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else width, highlight=False).print(table)


def _number(value: float | None, digits: int, unit: str = "") -> str:
    return "" if value is None else f"{value:.{digits}f}{unit}"


def _duration(seconds: float) -> str:
    """A duration in a readable unit.

    >>> _duration(90), _duration(200_000)
    ('1.5 min', '2.3 days')
    """
    for unit, size in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
