"""Time the closed form beside playouts and solving the deal: the study of running time.

    python -m benchmarks.cost [--deals 200] OUT.json

on an otherwise idle machine. The result in the package is `studies/cost.json`. What the time buys,
the errors against double dummy, is measured on the labelled deals, three pairs of hands for each
two deals that are timed, and depends on no machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import log
from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter
from typing import Final

import numpy as np

from tribridge.capture import Conditions, algorithm1, algorithm2
from tribridge.cards.cards import Deck, Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import ByStrain, Deal, Seat
from tribridge.common import stats
from tribridge.common.files import write_atomic
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.forecast.distribution import Distribution
from tribridge.forecast.kinds import forecast
from tribridge.game import Bid, Contract
from tribridge.game.position import start_play
from tribridge.game.tricks import chair_hands
from tribridge.lab.labels.labels import shipped
from tribridge.lab.report.provenance import machine
from tribridge.lab.studies.cost import ALGORITHM2, SAMPLING, Closeness, Growth, Result, Way
from tribridge.lab.studies.study import dumps_result

PLAYOUTS: Final = 100
FEWER: Final = (1, 2, 5, 10, 20, 50)
FORECASTS: Final = ("points", "net")
_CONTRACT: Final = Contract(Bid(1, Strain.NOTRUMP), Seat.NORTH)


def playout(dealt: Deal, random: Random) -> int:
    """North's tricks with the hidden hand when everyone plays random legal cards."""
    play = start_play(dealt, _CONTRACT)
    while not play.over:
        play = play.apply_unchecked(random.choice(play.legal))
    return play.won


def monte_carlo(dealt: Deal, random: Random, playouts: int = PLAYOUTS) -> float:
    """Mean tricks over random playouts of random layouts of the defenders' cards."""
    unseen = [*dealt.hands[1], *dealt.hands[2]]
    total = 0
    for _ in range(playouts):
        random.shuffle(unseen)
        mask = sum(card.bit for card in unseen[: len(unseen) // 2])
        rest = dealt.deck.mask & ~mask & ~dealt.hands[0].mask & ~dealt.hidden.mask
        hand = type(dealt.hidden)
        layout = Deal((dealt.hands[0], hand(mask), hand(rest), dealt.hidden), dealt.deck)
        total += playout(layout, random)
    return total / playouts


def _time(work: Callable[[Deal], object], deals: list[Deal]) -> tuple[float, float, float]:
    """The quartiles of the time for one deal, in microseconds."""
    times = []
    for dealt in deals:
        start = perf_counter()
        work(dealt)
        times.append(1e6 * (perf_counter() - start))
    low, middle, high = quantiles(times, n=4, method="inclusive")
    return low, middle, high


def measure(deals: int = 200, seed: int = 1) -> Result:
    """Time each way to an estimate for one deal, and the closed form on growing decks."""
    sample = [deal(seed, number) for number in range(deals)]
    random = Random(seed)
    few = sample[: max(3, deals // 20)]
    solver = DoubleDummy()
    ways: list[tuple[str, Callable[[Deal], object], list[Deal]]] = [
        ("Algorithm 1, reference", lambda d: algorithm1(d.hands[0]), sample),
        (ALGORITHM2, lambda d: algorithm2(d.hands[0], d.hidden), sample),
    ]
    for kind in FORECASTS:
        estimate = partial(_forecast, kind)
        ways.append((f"forecast {kind}, 26 cards", estimate, sample))
        estimate(sample[0])  # the first call loads its data
    ways.append((_sampled(PLAYOUTS), lambda d: monte_carlo(d, random), few))
    solve = partial(_solve, solver)
    ways.append(("double dummy, notrump", solve, few))
    solve(few[0])  # the solver sets itself up on its first call
    timed = {}
    for name, work, chosen in ways:
        timed[name] = _time(work, chosen), len(chosen)
    (_, base, _), _ = timed[ALGORITHM2]
    rows = [
        Way(name, median, low, high, median / base, size)
        for name, ((low, median, high), size) in timed.items()
    ]
    growth = tuple(_growth(seed, deals))
    points = [(log(point.cards), log(point.median / 1e6)) for point in growth]
    times = {row.way: row.times for row in rows}
    pairs = max(stats.FEWEST_DEALS, 3 * deals // 2)
    closeness, note = accuracy(times, pairs, seed)
    return Result(machine(), tuple(rows), closeness, note, growth, stats.slope(points))


def _sampled(playouts: int) -> str:
    return f"{SAMPLING}, {playouts} random playout{'s' if playouts > 1 else ''}"


def accuracy(
    times: Mapping[str, float], pairs: int, seed: int = 1
) -> tuple[tuple[Closeness, ...], str]:
    """The errors of Algorithm 2, playouts and forecasts on the labelled deals that qualify."""
    labels, random = shipped(), Random(seed)
    tricks = labels.of(Strain.NOTRUMP)[:, Seat.NORTH.index]
    estimates: dict[str, list[float]] = {}
    truth: list[float] = []
    for number in range(len(tricks)):
        if len(truth) == pairs:
            break
        dealt = deal(labels.work.seed, number)
        closed = algorithm2(dealt.hands[0], dealt.hidden)
        if closed.outcome is not Conditions.BOTH_HOLD:
            continue
        truth.append(float(tricks[number]))
        played = [monte_carlo(dealt, random, 1) for _ in range(PLAYOUTS)]
        guesses = {
            ALGORITHM2: closed.captures,
            **{_sampled(n): sum(played[:n]) / n for n in (*FEWER, PLAYOUTS)},
            **{f"forecast {kind}, 26 cards": _forecast(kind, dealt)[Strain.NOTRUMP].mean
               for kind in FORECASTS},
        }  # fmt: skip
        for name, guess in guesses.items():
            estimates.setdefault(name, []).append(guess)
    off = {name: np.array(guesses) - np.array(truth) for name, guesses in estimates.items()}
    playouts = {_sampled(n): n for n in (*FEWER, PLAYOUTS)}
    whole = times[_sampled(PLAYOUTS)]
    rows = (
        Closeness(
            name,
            playouts.get(name),
            float(np.abs(error).mean()),
            float(error.mean()),
            None
            if name == ALGORITHM2
            else stats.mean_interval(np.abs(error) - np.abs(off[ALGORITHM2])),
            times.get(name) or whole * playouts[name] / PLAYOUTS,
        )
        for name, error in off.items()
    )
    return tuple(rows), (
        f"The first {len(truth):,} labelled deals of seed {labels.work.seed} on which North's hand "
        "and the dummy satisfy both conditions, in notrump"
    )


def _forecast(kind: str, dealt: Deal) -> ByStrain[Distribution]:
    return forecast(dealt.hands[0], dealt.hidden, kind)


def _solve(solver: DoubleDummy, dealt: Deal) -> object:
    return solver.tricks(chair_hands(dealt, Seat.NORTH), Strain.NOTRUMP)


def _growth(seed: int, deals: int) -> Iterator[Growth]:
    """The time of Algorithm 2, where it runs to the end, by the size of the deck."""
    for deck in (*(Deck(4, m) for m in range(4, 14)), *(Deck(2, m) for m in (6, 8, 10, 12))):
        held: list[Deal] = []
        number = 0
        while len(held) < max(10, deals // 5) and number < 40 * deals:
            dealt = deal(seed, number, deck)
            if algorithm2(dealt.hands[0], dealt.hands[1], deck).outcome is Conditions.BOTH_HOLD:
                held.append(dealt)
            number += 1
        if len(held) >= 5:
            low, median, high = _time(lambda d: algorithm2(d.hands[0], d.hands[1], d.deck), held)
            yield Growth(str(deck), deck.size, median, low, high, len(held))


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description="Times of the ways to an estimate.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--deals", type=int, default=200)
    options = parser.parse_args()
    write_atomic(options.out, dumps_result(measure(options.deals)))


if __name__ == "__main__":
    main()
