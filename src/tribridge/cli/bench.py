"""`tribridge bench`: measure speed and accuracy on this machine, next to the alternatives."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tribridge.cli.bench_defence import defence
from tribridge.cli.bench_forecast import forecast
from tribridge.cli.bench_learning import learning
from tribridge.errors import SettingError

if TYPE_CHECKING:
    from tribridge.studies.speed import Speed

_BILLION = 10**9


def speed(
    seconds: Annotated[float, typer.Option(help="Seconds to spend on each measurement.")] = 2.0,
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Deals per second: reference, NumPy, compiled, GPU, and endplay for comparison."""
    if not 0.5 <= seconds <= 3600:
        raise SettingError(f"--seconds {seconds} is out of range: 0.5 to 3600")
    from rich.console import Console

    from tribridge.dealer import check_seed
    from tribridge.studies.speed import speeds

    check_seed(seed)
    results: list[Speed] = []
    with Console(file=sys.stderr).status("measuring ...") as status:
        for each in speeds(seed, seconds):
            results.append(each)
            status.update(f"measured {each.work}, {each.way} ...")
    if as_json:
        print(json.dumps([_as_json(each, _reference(results, each)) for each in results]))
    else:
        _show(results)


def _reference(results: list[Speed], one: Speed) -> float:
    """The seconds of the reference for the same work."""
    return next(each.seconds or 0.0 for each in results if each.work == one.work)


def _as_json(one: Speed, reference: float) -> dict[str, object]:
    if one.seconds is None:
        return {"work": one.work, "way": one.way, "note": one.note}
    return {
        "work": one.work,
        "way": one.way,
        "deals a second": one.rate,
        "ns a deal": one.seconds * 1e9,
        "times the reference": reference / one.seconds,
        "seconds for 1e9 deals": one.seconds * _BILLION,
    }


def _show(results: list[Speed]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("work", "way"):
        table.add_column(name, no_wrap=True)
    rivals = ("reference", "NumPy", "one core")
    for name in ("deals/s", "ns a deal", *(f"x {rival}" for rival in rivals), "10^9 deals"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in results:
        if each.seconds is None:
            continue
        table.add_row(
            each.work,
            each.way,
            f"{1 / each.seconds:,.0f}",
            f"{each.seconds * 1e9:,.1f}",
            *(_ratio(results, each, rival) for rival in rivals),
            _duration(each.seconds * _BILLION),
        )
    Console(width=None if sys.stdout.isatty() else 110).print(table)
    for each in results:
        if each.seconds is None:
            print(f"\n{each.work}, {each.way}: {each.note}", end="")
    print()


def _ratio(results: list[Speed], each: Speed, rival: str) -> str:
    """How many times faster than another way to do the same work."""
    for other in results:
        if other.work == each.work and rival.lower() in other.way.lower() and other.seconds:
            ratio = other.seconds / (each.seconds or 1)
            return f"{ratio:,.1f}" if ratio >= 0.95 else f"{ratio:.2g}"
    return ""


def _duration(seconds: float) -> str:
    """A duration in a readable unit.

    >>> _duration(90), _duration(200_000)
    ('1.5 min', '2.3 days')
    """
    for unit, size in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


app = typer.Typer(help="Measure speed and accuracy on this machine.", no_args_is_help=True)
app.command()(speed)
app.command()(forecast)
app.command()(learning)
app.command()(defence)


@app.callback()
def _bench() -> None:
    """Measure speed and accuracy on this machine."""
