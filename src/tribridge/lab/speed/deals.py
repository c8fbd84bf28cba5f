"""`tribridge speed deals`: deals per second, each way there is on this machine."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer

from tribridge.cli.options import AsJson, print_json
from tribridge.common.errors import TribridgeError, installed, missing
from tribridge.lab.speed.measuring import (
    Seconds,
    Speed,
    check_seconds,
    grid,
    measure,
    measured,
    ratio,
)

_BILLION: Final = 10**9


def speeds(seed: int = 1, seconds: float = 2.0) -> Iterator[Speed]:
    """Measure every way of simulating and dealing, one after the other."""
    from tribridge.capture.simulation import arrays, counts, reference
    from tribridge.cards import dealer, dealer_arrays
    from tribridge.common import parallel
    from tribridge.lab import gpu

    modules: dict[str, Any] = {"reference Python": reference, "NumPy": arrays}
    compiled = installed("numba")
    if compiled:
        modules["kernel, one core"] = importlib.import_module("tribridge.capture.simulation.kernel")
    for study in ("capture", "game"):
        for name, module in modules.items():
            count: Any = getattr(module, f"{study}_counts")
            took = measure(lambda n, count=count: count(seed, 0, n), seconds)  # type: ignore[misc]
            yield Speed(study, name, took)
        if not compiled:
            yield Speed(study, "kernel, one core", None, str(missing("numba")))
        elif (cores := parallel.cores()) > 1:
            empty = counts.Tally.empty(counts.Work(study, seed))

            def all_cores(deals: int, empty: counts.Tally = empty) -> object:
                # Pieces small enough that the cores finish together.
                piece = max(1 << 14, min(1 << 20, deals // 16))
                return counts.run(empty, (0, deals), parallel.Cores(piece=piece))

            yield Speed(study, f"kernel, {cores} cores", measure(all_cores, seconds))
    dealing = "dealing"
    one_by_one = measure(lambda n: [dealer.deal(seed, number) for number in range(n)], seconds)
    yield Speed(dealing, "reference Python", one_by_one)
    at_once = measure(lambda n: dealer_arrays.deal_masks(seed, 0, n), seconds)
    yield Speed(dealing, "NumPy", at_once)
    for study in ("capture", "game"):
        try:
            on_gpu = gpu.counter(study)
        except TribridgeError as error:
            yield Speed(study, "GPU", None, str(error))
        else:
            took = measure(lambda n, on_gpu=on_gpu: on_gpu(seed, 0, n), seconds)  # type: ignore[misc]
            yield Speed(study, "GPU", took)
    if not installed("endplay"):
        yield Speed(dealing, "endplay", None, str(missing("endplay")))
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it calls its parser by deprecated names
        generate: Any = importlib.import_module("endplay.dealer").generate_deals
        took = measure(lambda n: list(generate(produce=n, seed=seed % 2**32)), seconds)
    yield Speed(dealing, "endplay", took)


def deals(
    seconds: Seconds = 2.0,
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Deals per second: reference, NumPy, compiled, GPU, and endplay for comparison."""
    check_seconds(seconds, 0.5)
    from tribridge.cards.dealer import check_seed

    check_seed(seed)
    results = measured(speeds(seed, seconds))
    if as_json:
        rows = [
            {
                "work": each.work,
                "way": each.way,
                "deals a second": 1 / each.seconds,
                "ns a deal": each.seconds * 1e9,
                "times the reference": ratio(results, each),
                "seconds for 1e9 deals": each.seconds * _BILLION,
            }
            if each.seconds is not None
            else {"work": each.work, "way": each.way, "note": each.note}
            for each in results
        ]
        print_json(rows)
        return
    rivals = ("reference", "NumPy", "one core")
    grid(
        ("deals/s", "ns a deal", *(f"x {rival}" for rival in rivals), "10^9 deals"),
        (
            (
                each.work,
                each.way,
                f"{1 / each.seconds:,.0f}",
                f"{each.seconds * 1e9:,.1f}",
                *(_times(ratio(results, each, rival)) for rival in rivals),
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


def _times(ratio: float) -> str:
    return f"{ratio:,.1f}" if ratio >= 0.95 else f"{ratio:.2g}" if ratio else ""


def _duration(seconds: float) -> str:
    """A duration in a readable unit.

    >>> _duration(90), _duration(200_000)
    ('1.5 min', '2.3 days')
    """
    for unit, size in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
