"""Error rates of the sequential test, deals it needs and coverage of exploitability, by simulation.

    python benchmarks/sequential.py [--runs 2000] [--deals 1000] [--seed 1]

Differences are resampled from real matches, centred at zero, and drawn from a skewed distribution
whose mean is 0 (50% 0, 45% -10, 5% +90). "Before" is what earlier versions used: a sequential
t-test that assumes normal differences, and percentiles of resampled deals. Among several candidates
the methods were chosen on matches of seed 1 and on the shipped run: only other seeds are a check
that the choice did not see. `intervals.py` is about tests and intervals of a fixed number of deals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from tribridge.arena.analysis import match_pairs
from tribridge.arena.results import MatchResult, match_result, shipped
from tribridge.arena.running import backend, run
from tribridge.arena.sequential import sequential
from tribridge.arena.work import MatchWork
from tribridge.arena.zero_sum import (
    column_exploitability,
    equilibrium,
    row_exploitability,
    solve_deals,
)

Numbers = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Numbers]

ALPHA = 0.001
SKEWED = "synthetic"
MATCHES = {
    "capture v pass": ("capture", "pass"),
    "points v points:margin=1.2": ("points", "points:margin=1.2"),
}


def played(strategies: tuple[str, ...], deals: int, seed: int, processes: int) -> MatchResult:
    """A match, played now."""
    work = MatchWork(strategies, seed=seed)
    return match_result(work, run(work, (0, deals), backend(processes)).games)


def skewed(random: np.random.Generator, n: int) -> Numbers:
    """The synthetic case."""
    return random.choice([0.0, -10.0, 90.0], n, p=[0.5, 0.45, 0.05])


def centred(values: Numbers) -> Draw:
    """Resamples of differences, moved to mean 0."""
    return lambda random, n: random.choice(values - values.mean(), n)


def sequential_before(values: Numbers, alpha: float, least: int = 50) -> int | None:
    """After how many deals the sequential t-test of earlier versions saw a difference."""
    n = np.arange(1, len(values) + 1, dtype=float)
    mean = np.cumsum(values) / n
    inner = np.maximum(np.cumsum(values**2) - n * mean**2, 0.0)
    spread = 1 + n * 0.2**2
    k = np.exp(2 * (-np.log(alpha) + 0.5 * np.log(spread)) / n)
    room = 1 - k / spread
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.where(room > 0, np.sqrt((k - 1) / room * inner / n), np.inf)
    seen = np.flatnonzero((np.abs(mean) > half) & (n >= least))
    return int(seen[0]) + 1 if len(seen) else None


def sequential_now(values: Numbers, bound: float) -> int | None:
    """After how many deals the sequential test sees a difference."""
    found = sequential(values, bound, alpha=ALPHA)
    return found.deals if found.verdict == "difference" else None


def median_deals(stops: list[int | None]) -> str:
    """The median of the stops, those that never came last."""
    middle = float(np.median([np.inf if one is None else one for one in stops]))
    return f"{middle:,.0f}" if np.isfinite(middle) else "more"


def games(payoffs: Numbers) -> Numbers:
    """Exploitabilities of rows and columns of a game."""
    value = equilibrium(payoffs).value
    return np.r_[row_exploitability(payoffs, value), column_exploitability(payoffs, value)]


def exploitability_coverage(
    payoffs: Numbers, deals: int, runs: int, random: np.random.Generator
) -> tuple[float, float]:
    """How often intervals cover the true exploitabilities, before and now."""
    truth = games(payoffs.mean(axis=0))
    before, now = [], []
    for seed in range(runs):
        cells = payoffs[random.integers(0, len(payoffs), deals)]
        flat = cells.reshape(deals, -1)
        weights = random.multinomial(deals, np.full(deals, 1 / deals), size=100)
        drawn = [games(one.reshape(cells.shape[1:])) for one in weights @ flat / deals]
        low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
        before += list((low <= truth + 1e-9) & (truth - 1e-9 <= high))
        found = solve_deals(cells, seed, resamples=100)
        ends = (*found.row_exploitability, *found.column_exploitability)
        now += [
            one.low <= true + 1e-9 and true - 1e-9 <= one.high
            for one, true in zip(ends, truth, strict=True)
        ]
    return float(np.mean(before)), float(np.mean(now))


def main(
    runs: Annotated[int, typer.Option(help="Simulated runs for each error rate.")] = 2000,
    deals: Annotated[int, typer.Option(help="Deals of the matches that are resampled.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the matches that are resampled.")] = 1,
    processes: Annotated[int, typer.Option(help="Processes; 0 for all cores.")] = 0,
) -> None:
    """Print the tables of docs/explanation/arena.md."""
    random = np.random.default_rng(1)
    pairs = {
        name: match_pairs(played(two, deals, seed, processes))[0] for name, two in MATCHES.items()
    }
    cases: dict[str, tuple[Draw, float]] = {
        **{name: (centred(pair.differences), pair.bound) for name, pair in pairs.items()},
        SKEWED: (skewed, 90.0),
    }
    print(f"false differences of the sequential test at alpha = {ALPHA:.1%}, {deals:,} deals")
    print("| differences | bound | before | now |\n| --- | --- | --- | --- |")
    for name, (draw, bound) in cases.items():
        samples = [draw(random, deals) for _ in range(runs)]
        # What is centred can exceed the bound by as much as it was moved.
        room = max(bound, max(float(np.abs(one).max()) for one in samples))
        before = sum(sequential_before(one, ALPHA) is not None for one in samples)
        now = sum(sequential_now(one, room) is not None for one in samples)
        print(f"| {name} | {bound:g} | {before / runs:.2%} | {now / runs:.2%} |", flush=True)

    print(f"\nmedian deals until a difference is seen at alpha = {ALPHA:.1%}")
    print("| mean | sd | unit | bound | before | now |\n| --- | --- | --- | --- | --- | --- |")
    for mean, sd, unit, bound in (
        (0.7, 0.7, "tricks", 13), (0.35, 0.75, "tricks", 13), (0.2, 0.8, "tricks", 13),
        (0.1, 0.8, "tricks", 13), (5.7, 15.4, "points", 650), (5.7, 15.4, "points", 100),
        (2.0, 15.4, "points", 650), (2.0, 15.4, "points", 100),
    ):  # fmt: skip
        most = int(40 * (sd / mean) ** 2 + 25 * bound / mean)
        samples = [random.normal(mean, sd, most).clip(-bound, bound) for _ in range(40)]
        before, now = (
            median_deals([test(one) for one in samples])
            for test in (
                lambda one: sequential_before(one, ALPHA),
                lambda one, bound=bound: sequential_now(one, bound),
            )
        )
        print(f"| {mean} | {sd} | {unit} | {bound} | {before} | {now} |", flush=True)

    print("\ncoverage of 95% intervals of exploitability")
    print("| strategies | deals | before | now |\n| --- | --- | --- | --- |")
    result = shipped()
    fair = result.fair(result.work.declarers)
    payoffs = result.payoffs("tricks")[:, fair][:, :, fair]
    equal = payoffs - payoffs.mean(axis=0) + payoffs.mean()
    for name, cells in (("all equal", equal), ("as they are", payoffs)):
        for n in (30, 120):
            before, now = exploitability_coverage(cells, n, runs // 40, random)
            print(f"| {name} | {n} | {before:.0%} | {now:.0%} |", flush=True)


if __name__ == "__main__":
    typer.run(main)
