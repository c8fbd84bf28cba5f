"""`tribridge bench learning`: games per second in lockstep, beside the same games one at a time."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tribridge.cli.devices import find_device
from tribridge.errors import SettingError

if TYPE_CHECKING:
    from tribridge.studies.speed import Speed


def learning(
    seconds: Annotated[float, typer.Option(help="Seconds to spend on each measurement.")] = 2.0,
    seed: Annotated[int, typer.Option(help="Seed of the deals and choices.")] = 1,
    device: Annotated[
        str, typer.Option(help="Where games run in lockstep: cpu, cuda, or auto: both.")
    ] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Games per second in lockstep, on a GPU (with PyTorch) and on one core, and one at a time.

    Random auctions, random card play, and card play by the network of the player learned. Every
    player's view is made before each choice, as it is for training.
    """
    if not 0.01 <= seconds <= 3600:
        raise SettingError(f"--seconds {seconds} is out of range: 0.01 to 3600")
    found = find_device(device, numpy=True)
    from rich.console import Console

    from tribridge.dealer import check_seed
    from tribridge.studies.learning_speed import speeds

    check_seed(seed)
    devices = ("cpu", "cuda") if device == "auto" else (found,)
    results: list[Speed] = []
    with Console(file=sys.stderr).status("measuring ...") as status:
        for each in speeds(seed, seconds, devices=devices):
            results.append(each)
            status.update(f"measured {each.work}, {each.way} ...")
    if as_json:
        print(json.dumps([_as_json(each, _ratio(results, each)) for each in results]))
    else:
        _show(results)


def _ratio(results: list[Speed], one: Speed) -> float | None:
    """How many times faster than the same work one at a time, which is measured first."""
    if one.seconds is None:
        return None
    first = next(each.seconds for each in results if each.work == one.work)
    return None if first is None else first / one.seconds


def _as_json(one: Speed, ratio: float | None) -> dict[str, object]:
    if one.rate is None:
        return {"work": one.work, "way": one.way, "note": one.note}
    return {
        "work": one.work,
        "way": one.way,
        "games a second": one.rate,
        "times one at a time": ratio,
    }


def _show(results: list[Speed]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("work", "way"):
        table.add_column(name, no_wrap=True)
    for name in ("games/s", "x one at a time"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in results:
        if each.rate is not None:
            ratio = _ratio(results, each) or 0.0
            table.add_row(each.work, each.way, f"{each.rate:,.0f}", f"{ratio:,.1f}")
    Console(width=None if sys.stdout.isatty() else 110).print(table)
    for each in results:
        if each.rate is None:
            print(f"{each.way}: {each.note}")
