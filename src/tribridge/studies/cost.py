"""Study 6: the cost of the closed form, compared with playouts and with solving the deal.

The paper calls its estimate constant in time and O(n^2 m^2) on n suits of m ranks, and measures
neither. The forecasts that replace it take constant time too. Times are medians over deals on the
machine at hand and differ from run to run; everything else in the report does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import log
from random import Random
from statistics import quantiles
from time import perf_counter
from typing import Annotated, Final

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
from tribridge.stats import Interval
from tribridge.studies.claims import HOLDS, Claim, claim, signed
from tribridge.studies.study import Runner, Study

PLAYOUTS: Final = 100
FORECASTS: Final = ("points", "net")
_CONTRACT: Final = Contract(Bid(1, Strain.NOTRUMP), Seat.NORTH)

_TWO: Final = "Algorithm 2, reference"
_SOLVED: Final = "double dummy, notrump"


@dataclass(frozen=True, slots=True)
class Way:
    """One deal: closed form, playouts, solving.

    Medians with quartiles over deals, on this machine.
    """

    way: str
    median: Annotated[float | None, "microseconds"]
    low: Annotated[float | None, "25%"]
    high: Annotated[float | None, "75%"]
    times: Annotated[float | None, "times Algorithm 2"]
    deals: Annotated[int, "deals timed"]


@dataclass(frozen=True, slots=True)
class Growth:
    """Algorithm 2 on growing decks, where both conditions hold.

    Least squares on logarithms: time grows as (n m) to the power {slope.estimate:.2f} (95% interval
    {slope.low:.2f} to {slope.high:.2f}, over the decks); the paper's bound is 2.
    """

    deck: str
    cards: int
    median: Annotated[float, "microseconds"]
    low: Annotated[float, "25%"]
    high: Annotated[float, "75%"]
    deals: Annotated[int, "deals timed"]


@dataclass(frozen=True, slots=True)
class Result:
    """The time of each way to an estimate, and how the closed form grows with the deck."""

    ways: Annotated[tuple[Way, ...], "cost"]
    growth: Annotated[tuple[Growth, ...], "growth"]
    slope: Interval
    """Time grows as the number of cards to this power."""

    def ratios(self, *kinds: str) -> dict[str, float]:
        """How many times as long as Algorithm 2 the ways take whose names start so."""
        return {way.way: way.times for way in self.ways
                if way.way.startswith(kinds) and way.times is not None}  # fmt: skip

    @property
    def microseconds(self) -> float:
        """The time of Algorithm 2."""
        return next(way.median for way in self.ways if way.way == _TWO) or 0.0


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


def run(deals: int, seed: int, runner: Runner) -> Result:
    """Time each way to an estimate for one deal, and the closed form on growing decks."""
    sample = [deal(seed, number) for number in range(deals)]
    random = Random(seed)
    few = sample[: max(3, deals // 20)]
    solver = DoubleDummy() if dds.available() else None
    ways: list[tuple[str, Callable[[Deal], object], list[Deal]]] = [
        ("Algorithm 1, reference", lambda d: algorithm1(d.hands[0]), sample),
        (_TWO, lambda d: algorithm2(d.hands[0], d.hidden), sample),
    ]
    for kind in FORECASTS:
        estimate = partial(_forecast, kind)
        ways.append((f"forecast {kind}, 26 cards", estimate, sample))
        estimate(sample[0])  # the first call loads its data
    ways.append((f"Monte Carlo, {PLAYOUTS} random playouts", lambda d: monte_carlo(d, random), few))
    if solver is not None:
        solve = partial(_solve, solver)
        ways.append((_SOLVED, solve, few))
        solve(few[0])  # the solver sets itself up on its first call
    timed = {}
    for name, work, chosen in ways:
        timed[name] = _time(work, chosen), len(chosen)
        runner.progress(1)
    (_, base, _), _ = timed[_TWO]
    rows = [
        Way(name, median, low, high, median / base, size)
        for name, ((low, median, high), size) in timed.items()
    ]
    if solver is None:
        rows.append(Way(f"{_SOLVED} (needs the package endplay)", None, None, None, None, 0))
    growth = tuple(_growth(seed, deals))
    points = [(log(point.cards), log(point.median / 1e6)) for point in growth]
    return Result(tuple(rows), growth, stats.slope(points))


def _forecast(kind: str, dealt: Deal) -> object:
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


def claims(result: Result) -> list[Claim]:
    """What the paper says about running time."""
    slow, constant = result.ratios("Monte Carlo", "double dummy"), result.ratios("forecast")

    def shown(times: Mapping[str, float]) -> str:
        return ", ".join(f"{name} {value:,.1f}" for name, value in times.items())

    return [
        claim(
            "cost.time",
            result.slope.high < 2,
            f"the loop makes at most a hand's number of captures and each costs at most n + m "
            f"steps, so n m (n + m) is enough; measured here: as (n m) to the power "
            f"{signed(result.slope, sign='')}",
        ),
        claim(
            "cost.constant-time",
            HOLDS,
            "with n and m fixed, the bound is a number; so it is for every forecast in the table "
            "that adds up cards or runs a network",
        ),
        claim(
            "cost.space",
            HOLDS,
            "the state matrix has n m cells; everything else it keeps is a few numbers and at most "
            "one list of cards for each suit",
        ),
        claim(
            "cost.sampling",
            lambda limit: all(value > limit for value in slow.values()),
            f"times Algorithm 2's median: {shown(slow)}. Constant-time forecasts that are closer "
            f"to double dummy: {shown(constant)}",
        ),
    ]


STUDY: Final = Study(
    name="cost",
    title="Running time",
    order=140,
    paper=200,
    quick=60,
    run=run,
    steps=lambda deals: len(FORECASTS) + 4,
    claims=claims,
    timed=True,
)
