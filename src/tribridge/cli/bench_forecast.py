"""`tribridge bench forecast`: accuracy and speed of the forecasts, side by side."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tribridge.errors import SettingError

if TYPE_CHECKING:
    from tribridge.studies.tables import Study, StudyTable

_SHORT = {
    "linear regression on cards": "linear",
    "constant (overall mean)": "constant",
    "Binky points, published": "Binky (publ.)",
    "BridgeHand2Vec network, published": "BridgeHand2Vec (publ.)",
}


def forecast(
    means: Annotated[
        Path | None,
        typer.Option(
            help="A CSV file of two hands with mean tricks over ten layouts, as in BridgeHand2Vec."
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="Labelled deals not used in any fit; default: those in the package."),
    ] = None,
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
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap intervals.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Test forecasts on held-out deals: errors, intervals and calibration; or measure speed."""
    from tribridge.dealer import check_seed
    from tribridge.forecast import find_forecaster

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
        from tribridge.studies.forecast_speed import speeds

        _print(speeds(chosen), as_json=as_json)
        return
    if figure is not None:
        from tribridge.files import check_place
        from tribridge.report.drawing import file_kind

        file_kind(figure)
        check_place(figure)
    study = _study(seed, labels, means, chosen, played=played)
    if figure is not None:
        _draw(study, figure)
    if as_json:
        from tribridge.report.paper import plain

        print(json.dumps({table.name: plain(table.records()) for table in study.tables}))
        return
    _show(study)


def _study(
    seed: int, labels: Path | None, means: Path | None, kinds: tuple[str, ...], *, played: bool
) -> Study:
    from rich.console import Console

    from tribridge.double_dummy.labels import load_labels, shipped_played
    from tribridge.studies.forecasts import study

    deals = shipped_played() if played else None if labels is None else load_labels(labels)
    with Console(file=sys.stderr).status("measuring ..."):
        return study(seed, deals, means, kinds)


def _draw(study: Study, path: Path) -> None:
    from tribridge.files import write_atomic
    from tribridge.report.drawing import drawn, file_kind
    from tribridge.report.figures_truth import forecast_chances

    kind = file_kind(path)
    write_atomic(path, drawn(lambda: forecast_chances(study), (kind,))[kind])


def _show(study: Study) -> None:
    from rich.console import Console
    from rich.table import Table as Grid

    from tribridge.studies.forecasts import LEAST, worst_bins

    table = study.table("forecast-accuracy")
    worst = worst_bins(study.table("forecast-calibration"))
    console = Console(width=None if sys.stdout.isatty() else 110, highlight=False)
    records = table.records()
    places = list(dict.fromkeys((r["label"], r["cards"], r["strains"]) for r in records))
    for place in places:
        grid = Grid(
            title=f"{place[0]}, {place[1]} cards, {place[2]}",
            title_justify="left",
            title_style="bold",
            box=None,
            pad_edge=False,
        )
        grid.add_column("forecast", no_wrap=True, min_width=22)
        for name in ("MAE", "sd", "bias", "log score", "in 80%", "tricks wide", "worst bin"):
            grid.add_column(name, justify="right", no_wrap=True)
        grid.add_column("noise floor", justify="right", no_wrap=True)
        for r in (r for r in records if (r["label"], r["cards"], r["strains"]) == place):
            name = str(r["forecast"])
            gap = worst.get((name, int(place[1] or 0), str(place[2])))
            cells = (r["absolute error"], r["sd"], r["bias"], r["log score"])
            grid.add_row(
                _SHORT.get(name, name),
                *(_number(value, 3) for value in cells),
                _number(r["% in 80%"], 1, "%"),
                _number(r["tricks wide"], 2),
                _number(gap if place[0] == "single deal" else None, 1),
                _number(r["noise floor"], 3),
            )
        console.print(grid)
        console.print()
    console.print(
        f"{table.note} 'worst bin': chances of making each level fall into ten bins; this is the "
        "largest difference, in percentage points, between forecast and outcome over the bins "
        f"with at least {LEAST} contracts.",
    )


def _number(value: object, digits: int, unit: str = "") -> str:
    return f"{value:.{digits}f}{unit}" if isinstance(value, float) else ""


def _print(table: StudyTable, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(table.records()))
        return
    from rich.console import Console
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False)
    for at, name in enumerate(table.columns):
        grid.add_column(name, justify="right" if at else "left", no_wrap=True)
    for row in table.rows:
        grid.add_row(*(f"{v:.3f}" if isinstance(v, float) else str(v) for v in row))
    Console(width=None if sys.stdout.isatty() else 110).print(grid)
