"""The speed of each way of doing the same work, measured on this machine.

A way is a function that processes a number of deals. It is run on more and more deals until it
takes a fair share of a second, then timed several times; the best time counts, since other work on
the machine can only slow it down.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tribridge.errors import TribridgeError

TURNS = 3


@dataclass(frozen=True, slots=True)
class Speed:
    """One way and its seconds per deal, or why it was not measured."""

    work: str
    way: str
    seconds: float | None
    note: str = ""

    @property
    def rate(self) -> float | None:
        """Deals per second."""
        return None if self.seconds is None else 1 / self.seconds


def measure(way: Callable[[int], object], seconds: float) -> float:
    """Seconds per deal, spending about `seconds` on the measurement."""
    deals, took = 1, 0.0
    way(1)  # tables and compiled code are loaded before the clock starts
    while True:
        begin = time.perf_counter()
        way(deals)
        took = time.perf_counter() - begin
        if took >= seconds / (4 * TURNS):
            break
        deals *= 2 if took > seconds / 400 else 16
    deals = max(1, int(deals * seconds / TURNS / took))
    best = float("inf")
    for _ in range(TURNS):
        begin = time.perf_counter()
        way(deals)
        best = min(best, time.perf_counter() - begin)
    return best / deals


def _ways(seed: int) -> Iterator[tuple[str, str, Callable[[int], object]]]:
    from tribridge import dealer, dealer_arrays, parallel
    from tribridge.capture.simulation import arrays, counts, kernel, reference

    def all_cores(study: str) -> Callable[[int], object]:
        empty = counts.Tally.empty(counts.Work(study, seed))
        # Pieces small enough that the cores finish together.
        return lambda deals: counts.run(
            empty, (0, deals), parallel.Cores(piece=max(1 << 14, min(1 << 20, deals // 16)))
        )

    for study, name in (("capture", "capture_counts"), ("game", "game_counts")):
        for way, module in (
            ("reference Python", reference),
            ("NumPy", arrays),
            ("kernel, one core", kernel),
        ):
            count: Callable[[int, int, int], Any] = getattr(module, name)
            yield study, way, lambda deals, count=count: count(seed, 0, deals)  # type: ignore[misc]
        cores = parallel.cores()
        if cores > 1:
            yield study, f"kernel, {cores} cores", all_cores(study)
    yield (
        "dealing",
        "reference Python",
        lambda deals: [dealer.deal(seed, number) for number in range(deals)],
    )
    yield "dealing", "NumPy", lambda deals: dealer_arrays.deal_masks(seed, 0, deals)


def _gpu(seed: int, seconds: float) -> Iterator[Speed]:
    from tribridge.capture.simulation import gpu

    for study in ("capture", "game"):
        try:
            count = gpu.counter(study)
        except TribridgeError as error:
            yield Speed(study, "GPU", None, str(error))
        else:
            yield Speed(study, "GPU", measure(lambda deals: count(seed, 0, deals), seconds))  # noqa: B023


def _endplay(seed: int, seconds: float) -> Speed:
    """The dealer of the endplay package: a shuffle of card objects."""
    if importlib.util.find_spec("endplay") is None:
        return Speed("dealing", "endplay", None, "not installed: pip install endplay")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it calls its parser by deprecated names
        generate: Any = importlib.import_module("endplay.dealer").generate_deals
        seconds_per_deal = measure(
            lambda deals: list(generate(produce=deals, seed=seed % 2**32)), seconds
        )
    return Speed("dealing", "endplay", seconds_per_deal)


def speeds(seed: int = 1, seconds: float = 2.0) -> Iterator[Speed]:
    """Measure every way available on this machine, one after the other."""
    for work, way, function in _ways(seed):
        yield Speed(work, way, measure(function, seconds))
    yield from _gpu(seed, seconds)
    yield _endplay(seed, seconds)
