"""Study 6: the cost of the closed form, compared with playouts and with solving the deal.

The paper calls its estimate constant in time and O(n^2 m^2) on n suits of m ranks, and measures
neither. The forecasts that replace it take constant time too. Times are medians over deals on the
machine at hand and differ from run to run; everything else in the report does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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
from tribridge.studies.claims import HOLDS, Claim, claim, signed, verdict_if
from tribridge.studies.drawing import BLUE, GREY, NAVY, ORANGE, Drawing, name_axes, new_figure
from tribridge.studies.study import Figure, Study
from tribridge.studies.tables import StudyTable, table

PLAYOUTS: Final = 100
FORECASTS: Final = ("points", "net")
_CONTRACT: Final = Contract(Bid(1, Strain.NOTRUMP), Seat.NORTH)

_TWO: Final = "Algorithm 2, reference"
_SOLVED: Final = "double dummy, notrump"


@dataclass(frozen=True, slots=True)
class Timing:
    """The median and the quartiles of the time for one deal, in microseconds."""

    median: Annotated[float | None, "microseconds"]
    low: Annotated[float | None, "25%"]
    high: Annotated[float | None, "75%"]
    deals: Annotated[int, "deals timed"]


@dataclass(frozen=True, slots=True)
class Growth:
    """The time of Algorithm 2 on one deck."""

    deck: str
    cards: int
    timing: Timing


@dataclass(frozen=True, slots=True)
class Result:
    """The time of each way to an estimate, and how the closed form grows with the deck."""

    ways: Mapping[str, Timing]
    growth: tuple[Growth, ...]
    slope: Interval
    """Time grows as the number of cards to this power."""

    def ratios(self, *kinds: str) -> dict[str, float]:
        """How many times as long as Algorithm 2 the ways take whose names start so."""
        base = self.ways[_TWO].median or 1.0
        return {name: timing.median / base for name, timing in self.ways.items()
                if name.startswith(kinds) and timing.median is not None}  # fmt: skip

    @property
    def microseconds(self) -> float:
        """The time of Algorithm 2."""
        return self.ways[_TWO].median or 0.0


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


def _time(work: Callable[[Deal], object], deals: list[Deal]) -> Timing:
    times = []
    for dealt in deals:
        start = perf_counter()
        work(dealt)
        times.append(1e6 * (perf_counter() - start))
    low, middle, high = quantiles(times, n=4, method="inclusive")
    return Timing(middle, low, high, len(times))


def run(seed: int, deals: int, progress: Callable[[int], None] = lambda n: None) -> Result:
    """Time each way to an estimate for one deal, and the closed form on growing decks."""
    sample = [deal(seed, number) for number in range(deals)]
    random = Random(seed)
    few = sample[: max(3, deals // 20)]
    ways = {
        "Algorithm 1, reference": _time(lambda d: algorithm1(d.hands[0]), sample),
        _TWO: _time(lambda d: algorithm2(d.hands[0], d.hidden), sample),
    }
    for kind in FORECASTS:
        forecast(sample[0].hands[0], sample[0].hidden, kind)  # the first call loads its data
        ways[f"forecast {kind}, 26 cards"] = _time(
            lambda d, kind=kind: forecast(d.hands[0], d.hidden, kind),  # type: ignore[misc]
            sample,
        )
    progress(1)
    ways[f"Monte Carlo, {PLAYOUTS} random playouts"] = _time(lambda d: monte_carlo(d, random), few)
    progress(1)
    if dds.available():
        truth = DoubleDummy()

        def solve(dealt: Deal) -> object:
            return truth.tricks(chair_hands(dealt, Seat.NORTH), Strain.NOTRUMP)

        solve(few[0])  # the solver sets itself up on its first call
        ways[_SOLVED] = _time(solve, few)
    else:
        ways[f"{_SOLVED} (needs the package endplay)"] = Timing(None, None, None, 0)
    progress(1)
    growth = tuple(_growth(seed, deals))
    points = [(log(point.cards), log((point.timing.median or 0.0) / 1e6)) for point in growth]
    progress(1)
    return Result(ways, growth, stats.slope(points))


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
            timing = _time(lambda d: algorithm2(d.hands[0], d.hands[1], d.deck), held)
            yield Growth(str(deck), deck.size, timing)


def tables(result: Result) -> Iterator[StudyTable]:
    """One deal, and growing decks."""
    ratios = result.ratios("")
    yield table(
        "cost",
        "One deal: closed form, playouts, solving",
        result.ways.items(),
        "Medians with quartiles over deals, on this machine.",
        columns={
            "way": lambda way: way[0],
            "microseconds": lambda way: way[1].median,
            "25%": lambda way: way[1].low,
            "75%": lambda way: way[1].high,
            "times Algorithm 2": lambda way: ratios.get(way[0]),
            "deals timed": lambda way: way[1].deals,
        },
    )
    slope = result.slope
    yield table(
        "growth",
        "Algorithm 2 on growing decks, where both conditions hold",
        result.growth,
        f"Least squares on logarithms: time grows as (n m) to the power {slope.estimate:.2f} (95% "
        f"interval {slope.low:.2f} to {slope.high:.2f}, over the decks); the paper's bound is 2.",
    )


def claims(result: Result) -> list[Claim]:
    """What the paper says about running time."""
    slow, constant = result.ratios("Monte Carlo", "double dummy"), result.ratios("forecast")

    def shown(times: Mapping[str, float]) -> str:
        return ", ".join(f"{name} {value:,.1f}" for name, value in times.items())

    return [
        claim(
            "cost.time",
            verdict_if(result.slope.high < 2),
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
            lambda limit: verdict_if(all(value > limit for value in slow.values())),
            f"times Algorithm 2's median: {shown(slow)}. Constant-time forecasts that are closer "
            f"to double dummy: {shown(constant)}",
        ),
    ]


def draw(result: Result) -> Drawing:
    """Time per deal for each way, and the growth of the closed form with the deck."""
    figure, panels = new_figure(11.4, 3.8, 2)
    ways = {
        name: (way.median, way.low or 0.0, way.high or 0.0)
        for name, way in result.ways.items()
        if way.median is not None
    }
    times = [median for median, _, _ in ways.values()]
    spread = [[median - low for median, low, _ in ways.values()],
              [high - median for median, _, high in ways.values()]]  # fmt: skip
    panels[0].barh(list(ways), times, color=BLUE, xerr=spread, ecolor=NAVY, capsize=3)
    panels[0].set_xscale("log")
    panels[0].grid(axis="x")
    panels[0].grid(axis="y", visible=False)
    panels[0].invert_yaxis()
    name_axes(panels[0], "One deal", "microseconds per deal (log scale)")
    for at, (median, _, high) in enumerate(ways.values()):
        panels[0].annotate(
            f"{median:,.0f}",
            (high, at),
            (7, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
        )
    panels[0].set_xlim(min(times) / 3, max(times) * 6)
    for suits, marker, colour in (("4", "o", BLUE), ("2", "s", ORANGE)):
        mine = [point for point in result.growth if point.deck.startswith(f"{suits}x")]
        panels[1].plot(
            [point.cards for point in mine],
            [point.timing.median or 0.0 for point in mine],
            marker,
            color=colour,
            label=f"{suits} suits",
        )
    cards = sorted(point.cards for point in result.growth)
    last = max(result.growth, key=lambda row: row.cards)
    scale = (last.timing.median or 0.0) / last.cards**2
    panels[1].plot(
        cards, [scale * n * n for n in cards], "--", color=GREY, label="growing as (n m)²"
    )
    panels[1].set_xscale("log")
    panels[1].set_yscale("log")
    panels[1].set_xticks([8, 16, 24, 36, 52], ["8", "16", "24", "36", "52"])
    panels[1].minorticks_off()
    name_axes(panels[1], "Algorithm 2 on growing decks", "cards n m", "microseconds")
    panels[1].legend(loc="lower right")
    return figure


STUDY: Final = Study(
    name="cost",
    title="Running time",
    order=140,
    paper=200,
    quick=60,
    run=lambda deals, seed, runner: run(seed, deals, runner.progress),
    steps=lambda deals: 4,
    tables=tables,
    claims=claims,
    timed=True,
    figures=(
        Figure(
            "cost",
            "The cost of an estimate",
            "Left: microseconds for one deal on a logarithmic scale, the median over deals with "
            "its quartiles. Right: Algorithm 2 on growing decks; the points rise less steeply than "
            "the dashes, which grow as the paper's bound.",
            "cost",
            draw,
        ),
    ),
)
