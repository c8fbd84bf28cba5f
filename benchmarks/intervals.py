"""How often intervals of means cover and tests err, on real scores and worse, by simulation.

    python benchmarks/intervals.py [--runs 1000] [--seed 1]

Samples are drawn from the scores of the shipped arena games and from made-up distributions whose
mean hangs on rare swings. "Student" is Student's t, "bootstrap" the symmetric studentised bootstrap
that earlier versions used, "now" is `stats.mean_interval`, and "bounds" the same with nothing
reckoned but the true bounds of the scores: no case is known in which that fails.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from scipy import special

from tribridge.arena.analysis import match_pairs, play_pairs
from tribridge.arena.results import MatchResult, PlayResult, loads, shipped
from tribridge.common import stats

Numbers = NDArray[np.float64]
Test = Callable[[Numbers, float], float]

DEALS = (2, 3, 5, 10, 30, 100, 300, 1000)
TESTED = (30, 100, 300)
FAMILIES = (1, 3, 10)
ALPHA = 1 - stats.LEVEL
RESAMPLES = 999
"""Games of two strategies on a deal; half the deals give all of them to the same strategy."""


@dataclass(frozen=True, eq=False)
class Kind:
    """A distribution of scores: its values are equally likely."""

    name: str
    values: Numbers
    low: float
    high: float


def match(name: str) -> MatchResult:
    """A match that ships with the package."""
    file = resources.files("tribridge.arena").joinpath("data", f"{name}.json.gz")
    result = loads(gzip.decompress(file.read_bytes()).decode(), name)
    assert isinstance(result, MatchResult)
    return result


def kinds() -> list[Kind]:
    """What is drawn from."""
    long, play = match("match-learned"), shipped()
    assert isinstance(play, PlayResult)
    (bidders,), three = match_pairs(long), match_pairs(match("match"))
    tricks = play_pairs(play)[2]
    return [
        Kind("points of a seat", long.points[:, 0, 0].astype(float), 0, bidders.bound),
        Kind("forecast v learned", bidders.differences, -bidders.bound, bidders.bound),
        Kind("forecast v points", three[0].differences, -three[0].bound, three[0].bound),
        Kind("tricks, learned v sampling", tricks.differences, -tricks.bound, tricks.bound),
        Kind("a swing in 20 deals", np.repeat([0.0, -10, 90], [10, 9, 1]), -650, 650),
        Kind("a swing in 100 deals", np.repeat([0.0, -10, 90], [90, 9, 1]), -650, 650),
        Kind("a swing in 200 deals", np.repeat([0.0, -10, 30, 150], [163, 27, 9, 1]), -650, 650),
        Kind("a slam in 200 deals", np.repeat([0.0, -10, 10, 500], [170, 15, 14, 1]), -650, 650),
        Kind("constant", np.zeros(1), -650, 650),
    ]


def student(sample: Numbers) -> tuple[float, float]:
    """Mean and standard error."""
    return float(sample.mean()), float(sample.std(ddof=1) / np.sqrt(len(sample)))


def bootstrap(samples: Numbers, random: np.random.Generator) -> Numbers:
    """The t of resamples about the mean of each sample, without sign, sorted."""
    count = samples.shape[1]
    weights = random.multinomial(count, np.full(count, 1 / count), RESAMPLES) / count
    centred = samples - samples.mean(axis=1, keepdims=True)
    means, squares = centred @ weights.T, centred**2 @ weights.T
    spread = np.maximum(squares - means**2, 0)
    spread[spread < 1e-12 * (centred**2).max(axis=1, initial=1e-300)[:, None]] = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(means) / np.sqrt(spread / (count - 1))
    return np.sort(np.where(np.isnan(t), 0, t), axis=1)


def bounded(sample: Numbers, kind: Kind, mean: float) -> float:
    """The p-value of a mean if only the bounds are reckoned with."""
    end = kind.low if mean < sample.mean() else kind.high
    if mean in (end, sample.mean()):
        return float(mean == sample.mean())
    points, times = np.unique(sample, return_counts=True)
    return min(1.0, 2 * stats._chance_beyond(points, times, end, mean))


def width(test: Callable[[float], float], mean: float, low: float, high: float) -> float:
    """The width of the interval that a test gives."""

    def end(outer: float) -> float:
        inner = mean
        for _ in range(20):
            middle = (inner + outer) / 2
            inner, outer = (middle, outer) if test(middle) > ALPHA else (inner, middle)
        return inner

    return end(high) - end(low)


@dataclass(frozen=True, eq=False)
class Measured:
    """P-values of the true mean and widths of intervals, by method."""

    p: dict[str, Numbers]
    widths: dict[str, float]

    def coverage(self, method: str) -> str:
        wide = self.widths[method]
        if np.isnan(wide):
            return "none"
        return f"{np.mean(self.p[method] > ALPHA):.3f} ({wide:.3g})"

    def errors(self, method: str) -> str:
        """The chance of a false difference in families of tests that have nothing to find."""
        if np.isnan(self.p[method]).any():
            return "none"
        rates = [np.mean(self.p[method] <= ALPHA / size) for size in FAMILIES]
        families = [1 - (1 - rate) ** size for rate, size in zip(rates, FAMILIES, strict=True)]
        return " / ".join(f"{one:.0%}" for one in families)


def measure(kind: Kind, deals: int, runs: int, random: np.random.Generator) -> Measured:
    """All methods on samples of one kind."""
    truth = float(kind.values.mean())
    samples = random.choice(kind.values, (runs, deals))
    drawn = bootstrap(samples, random)
    names = ("Student", "bootstrap", "now", "bounds")
    p: dict[str, list[float]] = {name: [] for name in names}
    widths: dict[str, list[float]] = {name: [] for name in names}
    for at, sample in enumerate(samples):
        mean, error = student(sample)
        constant = np.ptp(sample) == 0
        t = 0.0 if abs(mean - truth) < 1e-9 else np.inf if constant else abs(mean - truth) / error
        p["Student"].append(float(2 * special.stdtr(deals - 1, -t)))
        beyond = RESAMPLES - np.searchsorted(drawn[at], t)
        p["bootstrap"].append(0.0 if constant and t else (1 + beyond) / (1 + RESAMPLES))
        p["now"].append(stats._mean_test(sample, kind.high, truth))
        p["bounds"].append(bounded(sample, kind, truth))
        if at < 20:
            most = drawn[at][round(stats.LEVEL * (RESAMPLES + 1)) - 1]
            widths["Student"].append(2 * error * special.stdtrit(deals - 1, 1 - ALPHA / 2))
            widths["bootstrap"].append(0.0 if constant else 2 * error * most)
            now = stats.mean_interval(sample, kind.high)
            widths["now"].append(now.high - now.low if np.isfinite(now.low) else np.nan)
            widths["bounds"].append(
                width(lambda m, s=sample: bounded(s, kind, m), mean, kind.low, kind.high)
            )
    return Measured(
        {name: np.array(values) for name, values in p.items()},
        {name: float(np.median(values)) for name, values in widths.items()},
    )


def main(
    runs: Annotated[int, typer.Option(help="Samples of each size.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the samples.")] = 1,
) -> None:
    """Print the tables of docs/explanation/arena.md."""
    random = np.random.default_rng(seed)
    tests = []
    print("coverage of 95% intervals of a mean (median width)")
    print("| scores | deals | Student | bootstrap | now | bounds |\n|" + " --- |" * 6)
    for kind in kinds():
        for deals in DEALS:
            found = measure(kind, deals, runs, random)
            cells = " | ".join(map(found.coverage, found.p))
            print(f"| {kind.name} | {deals:,} | {cells} |", flush=True)
            if deals in TESTED:
                tests.append(
                    f"| {kind.name} | {deals} | {' | '.join(map(found.errors, found.p))} |"
                )
    print(f"\nfamily-wise error after Holm's correction, {', '.join(map(str, FAMILIES))} tests")
    print("| scores | deals | Student | bootstrap | now | bounds |\n|" + " --- |" * 6)
    print("\n".join(tests))


if __name__ == "__main__":
    typer.run(main)
