"""Study 6: the cost of the closed form, compared with playouts and with solving the deal.

The paper calls its estimate constant in time and O(n^2 m^2) on n suits of m ranks, and measures
neither. The forecasts that replace it take constant time too. Times are medians over deals on the
machine at hand and differ from run to run; everything else in the report does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from random import Random
from statistics import quantiles
from time import perf_counter
from typing import Final

from tribridge import stats
from tribridge.capture import Conditions, algorithm1, algorithm2
from tribridge.cards import Deck, Strain
from tribridge.dealer import deal
from tribridge.deals import Deal, Seat
from tribridge.double_dummy import dds
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.forecast.kinds import forecast
from tribridge.game import Bid, Contract
from tribridge.game.position import start_play
from tribridge.game.tricks import chair_hands
from tribridge.studies import claims_truth
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.tables import Cell, Study, StudyTable

PLAYOUTS: Final = 100
FORECASTS: Final = ("points", "net")
_CONTRACT: Final = Contract(Bid(1, Strain.NOTRUMP), Seat.NORTH)


@dataclass(frozen=True, slots=True)
class Timing:
    """What was timed: the median and the quartiles in seconds, the number of deals."""

    name: str
    seconds: float
    low: float
    high: float
    times: int


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


def _time(name: str, work: Callable[[Deal], object], deals: list[Deal]) -> Timing:
    times = []
    for one in deals:
        start = perf_counter()
        work(one)
        times.append(perf_counter() - start)
    low, middle, high = quantiles(times, n=4, method="inclusive")
    return Timing(name, middle, low, high, len(times))


def study(seed: int, deals: int, progress: Callable[[int], None] = lambda n: None) -> Study:
    """Time each way to an estimate for one deal, and the closed form on growing decks."""
    sample = [deal(seed, number) for number in range(deals)]
    random = Random(seed)
    timings = [
        _time("Algorithm 1, reference", lambda d: algorithm1(d.hands[0]), sample),
        _time("Algorithm 2, reference", lambda d: algorithm2(d.hands[0], d.hidden), sample),
    ]
    timings += [_forecast(kind, sample) for kind in FORECASTS]
    progress(1)
    few = sample[: max(3, deals // 20)]
    timings.append(
        _time(f"Monte Carlo, {PLAYOUTS} random playouts", lambda d: monte_carlo(d, random), few)
    )
    progress(1)
    timings += _double_dummy(few)
    progress(1)
    base = timings[1].seconds
    rows: list[tuple[Cell, ...]] = [
        (t.name, *(1e6 * s for s in (t.seconds, t.low, t.high)), t.seconds / base, t.times)
        for t in timings
    ]
    if not any(t.name.startswith("double dummy") for t in timings):
        rows.append(("double dummy, notrump (needs the package endplay)", *(None,) * 4, 0))
    growth, slope = _growth(seed, deals)
    progress(1)
    tables = (
        StudyTable(
            "cost",
            "One deal: closed form, playouts, solving",
            ("way", "microseconds", "25%", "75%", "times Algorithm 2", "deals timed"),
            tuple(rows),
            "Medians with quartiles over deals, on this machine.",
        ),
        growth,
    )
    return STUDY.result(
        tables,
        facts={
            "slope": slope,
            "microseconds": {t.name: 1e6 * t.seconds for t in timings},
        },
    )


def _forecast(kind: str, deals: list[Deal]) -> Timing:
    """One forecast from 26 cards, each for its own call, as a player would ask for it."""
    forecast(deals[0].hands[0], deals[0].hidden, kind)  # the first call loads its data
    return _time(
        f"forecast {kind}, 26 cards", lambda d: forecast(d.hands[0], d.hidden, kind), deals
    )


def _double_dummy(deals: list[Deal]) -> list[Timing]:
    if not dds.available():
        return []
    truth = DoubleDummy()

    def solve(dealt: Deal) -> object:
        return truth.tricks(chair_hands(dealt, Seat.NORTH), Strain.NOTRUMP)

    solve(deals[0])  # the solver sets itself up on its first call
    return [_time("double dummy, notrump", solve, deals)]


def _growth(seed: int, deals: int) -> tuple[StudyTable, tuple[float, float, float]]:
    """The time of Algorithm 2, where it runs to the end, by the size of the deck."""
    rows: list[tuple[Cell, ...]] = []
    points = []
    for deck in (*(Deck(4, m) for m in range(4, 14)), *(Deck(2, m) for m in (6, 8, 10, 12))):
        held: list[Deal] = []
        number = 0
        while len(held) < max(10, deals // 5) and number < 40 * deals:
            dealt = deal(seed, number, deck)
            if algorithm2(dealt.hands[0], dealt.hands[1], deck).outcome is Conditions.BOTH_HOLD:
                held.append(dealt)
            number += 1
        if len(held) < 5:
            continue
        one = _time("", lambda d: algorithm2(d.hands[0], d.hands[1], d.deck), held)
        rows.append(
            (str(deck), deck.size, *(1e6 * s for s in (one.seconds, one.low, one.high)), one.times)
        )
        points.append((log(deck.size), log(one.seconds)))
    slope = stats.slope(points)
    note = (
        f"Least squares on logarithms: time grows as (n m) to the power {slope.estimate:.2f} (95% "
        f"interval {slope.low:.2f} to {slope.high:.2f}, over the decks); the paper's bound is 2."
    )
    table = StudyTable(
        "growth",
        "Algorithm 2 on growing decks, where both conditions hold",
        ("deck", "cards", "microseconds", "25%", "75%", "deals timed"),
        tuple(rows),
        note,
    )
    return table, (slope.estimate, slope.low, slope.high)


STUDY: Final = Declaration(
    name="cost",
    title="Running time",
    paper=200,
    quick=60,
    run=lambda deals, seed, runner: study(seed, deals, runner.progress),
    steps=lambda deals: 4,
    figures=(
        Figure(
            "cost",
            "The cost of an estimate",
            "Left: microseconds for one deal on a logarithmic scale, the median over deals with "
            "its quartiles. Right: Algorithm 2 on growing decks; the points rise less steeply than "
            "the dashes, which grow as the paper's bound.",
            "cost",
        ),
    ),
    claims=claims_truth.cost,
    timed=True,
)
