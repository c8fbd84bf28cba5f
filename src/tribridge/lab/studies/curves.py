"""Learning as a curve: where a bidder begins, what it reaches, and how far it can be exploited.

A network learns to bid by self-play, from nothing or after imitating somebody, three times each. On
eight cards all is judged exactly, on the full deck by many deals and by trained best responses,
which find part of what there is to gain. The package has the result (`curves.json`, written by
`benchmarks/curves_result.py` from runs under `curves.plan.toml`); what has not been run yet is
shown as not measured. A run of the study judges the greedy bidder again, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Annotated, Any, Final

from tribridge.cards.cards import Deck
from tribridge.common.errors import need
from tribridge.common.stats import LEVEL, Interval
from tribridge.common.tables import POINTS, StudyTable, table, tables_of, titled
from tribridge.game.scoring import find_scheme
from tribridge.lab.studies.drawing import (
    BLUE,
    GREY,
    NAVY,
    ORANGE,
    Drawing,
    legend_below,
    name_axes,
    new_figure,
)
from tribridge.lab.studies.plans import Answer, plan_of
from tribridge.lab.studies.study import Figure, Runner, Study, planned
from tribridge.lab.training.bidding_games import BEGINS

if TYPE_CHECKING:
    from tribridge.lab.tiny.auctions import AuctionGame

TINY: Final = "2x4"
FULL: Final = "4x13"
PLAN: Final = plan_of("curves")
_FINE: Final = replace(POINTS, digits=2)
_LOOKS: Final = {"nothing": (ORANGE, "o"), "greedy": (BLUE, "s"), "experts": (NAVY, "^")}
_WORDS: Final = {
    "nothing": "from nothing",
    "greedy": "after imitating a simple bidder",
    "experts": "after imitating the best there is",
}


def tiny_game() -> AuctionGame:
    """The auction of eight cards that is learned: `2x4` under `contract`."""
    from tribridge.lab.tiny.auctions import AuctionGame
    from tribridge.lab.tiny.layouts import Layouts

    return AuctionGame(Layouts(Deck(TINY)), find_scheme("contract"))


@dataclass(frozen=True, slots=True)
class Judged:
    """A network of a run after so many games."""

    deck: str
    begins: str
    width: int
    seed: int
    """Which of the seeds, from 0."""
    games: int
    points: float
    """A deal, in one seat against two greedy bidders."""
    gained: float | None
    """By a best response to two of it; None if none was trained."""
    forecast: float | None = None
    """Points a deal in one seat against two copies of `forecast`."""


@dataclass(frozen=True, slots=True)
class Small:
    """Learning on eight cards, judged exactly.

    {source}. Means over three runs, between the lowest and the highest of them, in settlement
    points a deal. Won: by the network in one seat from two greedy bidders. Gained: by a best
    response from two of the network; {greedy:.2f} from two greedy bidders, {solved:.2f} from the
    experts, the auction as CFR+ solves it.
    """

    begins: str
    games: int
    won: Annotated[float, _FINE]
    won_low: Annotated[float, "won, lowest", _FINE]
    won_high: Annotated[float, "won, highest", _FINE]
    gained: Annotated[float, _FINE]
    gained_low: Annotated[float, "gained, lowest", _FINE]
    gained_high: Annotated[float, "gained, highest", _FINE]


@dataclass(frozen=True, slots=True)
class Large:
    """Learning on the full deck, by where it begins and by the width of the network.

    Means over three runs, between the lowest and the highest of them, in settlement points a deal
    under `auction`. Against two copies of `forecast`, and against two greedy bidders. Gained: by a
    best response that was trained against the network, a lower limit. The experts of whom `experts`
    learned are a network that bids like `forecast`.
    """

    begins: str
    width: int
    games: int
    forecast: Annotated[float, "against forecast", _FINE]
    low: Annotated[float, "lowest", _FINE]
    high: Annotated[float, "highest", _FINE]
    points: Annotated[float, "against greedy", _FINE]
    gained: Annotated[float | None, _FINE]


@dataclass(frozen=True, slots=True)
class Again:
    """The yardstick, judged again for this report.

    What a best response gains from two greedy bidders on eight cards, as it was when the runs were
    made and now.
    """

    then: Annotated[float, _FINE]
    now: Annotated[float, _FINE]


@dataclass(frozen=True, slots=True)
class Result:
    """All runs."""

    plan: str
    source: str
    greedy: float
    """What a best response gains from two greedy bidders on eight cards."""
    solved: float
    """What it gains from two of the experts."""
    runs: tuple[Judged, ...]
    again: Annotated[tuple[Again, ...], "curves-again"] = ()

    def of(self, deck: str, begins: str, width: int | None = None) -> list[Judged]:
        """The networks of some runs; unless given, of the width that all beginnings have."""
        if width is None:
            width = PLAN.sizes["tiny_width" if deck == TINY else "width"]
        wanted = (deck, begins, width)
        return [row for row in self.runs if (row.deck, row.begins, row.width) == wanted]


Measure = Callable[[Judged], float | None]


def by_games(rows: Iterable[Judged], measure: Measure) -> dict[int, list[float]]:
    """What the runs have after each number of games, where it was measured."""
    found: dict[int, list[float]] = {}
    for row in rows:
        value = measure(row)
        if value is not None:
            found.setdefault(row.games, []).append(value)
    return dict(sorted(found.items()))


def _gained(row: Judged) -> float | None:
    return row.gained


def _points(row: Judged) -> float | None:
    return row.points


def _forecast(row: Judged) -> float | None:
    return row.forecast


def over_seeds(values: Sequence[float], limit: float = 0.0) -> Answer:
    """The mean over runs by Student's t, and a test that it is the limit."""
    special, count = need("scipy.special"), len(values)
    mean = sum(values) / count
    error = sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count)
    half = float(special.stdtrit(count - 1, 0.5 + LEVEL / 2)) * error
    p = 2 * float(special.stdtr(count - 1, -abs(mean - limit) / error)) if error else None
    return Answer(Interval(mean, mean - half, mean + half), p)


def answers(result: Result) -> Mapping[str, Answer]:
    """What was found, by the hypotheses of the plan; what has not been run is left out."""

    def last(deck: str, begins: str, measure: Measure, width: int | None = None) -> list[float]:
        found = by_games(result.of(deck, begins, width), measure)
        return found[max(found)] if found else []

    def less(first: Sequence[float], second: Sequence[float]) -> list[float]:
        return [a - b for a, b in zip(first, second, strict=True)] if first and second else []

    def imitated(deck: str, begins: str, games: int) -> list[float]:
        return by_games(result.of(deck, begins), _gained).get(games, [])

    sizes = PLAN.sizes
    tiny, full = (
        {begins: last(deck, begins, measure) for begins in BEGINS}
        for deck, measure in ((TINY, _gained), (FULL, _forecast))
    )
    tiny_begun = imitated(TINY, "experts", sizes["tiny_imitation"] * sizes["tiny_games"])
    full_begun = imitated(FULL, "greedy", sizes["imitation"] * sizes["games"])
    widest = last(FULL, "greedy", _forecast, 576)
    values = {
        "tiny-nothing": [value - result.greedy for value in tiny["nothing"]],
        "tiny-beats": last(TINY, "nothing", _points),
        "tiny-greedy": less(tiny["nothing"], tiny["greedy"]),
        "tiny-experts": less(tiny["experts"], tiny["nothing"]),
        "tiny-leaves": less(tiny["experts"], tiny_begun),
        "full-nothing": full["nothing"],
        "full-greedy": less(full["greedy"], full["nothing"]),
        "full-experts": less(full["experts"], full["greedy"]),
        "full-exploited": less(last(FULL, "greedy", _gained), full_begun),
        "full-wide": less(widest, last(FULL, "greedy", _forecast, 64)),
        "full-enough": less(widest, full["greedy"]),
    }
    sides = {hypothesis.id: hypothesis for hypothesis in PLAN.hypotheses}
    found = {key: over_seeds(each, sides[key].limit) for key, each in values.items() if each}
    return {
        key: replace(answer, p=None) if sides[key].side == "within" else answer
        for key, answer in found.items()
    }


def tables(result: Result) -> Iterator[StudyTable]:
    """The curves in numbers."""

    def spread(values: Sequence[float]) -> tuple[float, float, float]:
        return sum(values) / len(values), min(values), max(values)

    small = []
    for begins in BEGINS:
        rows = result.of(TINY, begins)
        gained = by_games(rows, _gained)
        small += [
            Small(begins, games, *spread(won), *spread(gained[games]))
            for games, won in by_games(rows, _points).items()
        ]
    yield _table("curves-small", small, Small, result)
    large = []
    kinds = sorted({(row.begins, row.width) for row in result.runs if row.deck == FULL})
    for begins, width in kinds:
        rows = result.of(FULL, begins, width)
        points, gained = by_games(rows, _points), by_games(rows, _gained)
        for games, ahead in by_games(rows, _forecast).items():
            found = gained.get(games)
            large.append(
                Large(
                    begins,
                    width,
                    games,
                    *spread(ahead),
                    spread(points[games])[0],
                    spread(found)[0] if found else None,
                )
            )
    if large:
        yield _table("curves-large", large, Large, result)
    yield from tables_of(result)


def _table(name: str, rows: Sequence[Any], kind: type[Any], result: Result) -> StudyTable:
    title, note = titled(kind)
    facts = {"source": result.source, "greedy": result.greedy, "solved": result.solved}
    return table(name, title, rows, note.format_map(facts), kind=kind)


def run(size: None, seed: int, runner: Runner) -> Result:
    """The stored result, with the yardstick judged again."""
    from tribridge.lab.tiny.measuring import beside_greedy
    from tribridge.lab.tiny.policies import call_strategies, greedy_calls

    result = planned("curves", Result, PLAN)
    game = tiny_game()
    _, now = beside_greedy(game, call_strategies(game, greedy_calls, best=True))
    return replace(result, again=(Again(result.greedy, now),))


def draw(result: Result) -> Drawing:
    """Learning, as a curve.

    Each thin line is one run, the thick ones are means over three. Left, what the network wins in
    one seat from two greedy bidders (on the full deck from two copies of `forecast`); right, what a
    best response gains from two of the network: the lower, the less it can be exploited. On eight
    cards both are exact. On the full deck the random networks of the beginning, which lose some
    120 points a deal, are left out; responses were trained at two points of a run at most, from
    experts only at the end, and one can end below 0.
    """
    decks = [TINY, *([FULL] if any(row.deck == FULL for row in result.runs) else [])]
    figure, panels = new_figure(7.4, 3.6 * len(decks), 2, len(decks), squeeze=False)
    for deck, (won, lost) in zip(decks, panels, strict=True):
        scale, unit = (1e3, "thousand games") if deck == TINY else (1e6, "million games")
        paid = _points if deck == TINY else _forecast
        for begins, (colour, marker) in _LOOKS.items():
            rows = [row for row in result.of(deck, begins) if deck == TINY or row.games]
            for axes, measure in ((won, paid), (lost, _gained)):
                _plot(axes, rows, measure, scale, colour, marker, _WORDS[begins])
        name = "Eight cards" if deck == TINY else "Full deck"
        won.axhline(0, color="black", linewidth=1)
        ended = "tiny_imitation", "tiny_games"
        if deck == FULL:
            ended = "imitation", "games"
        for axes in (won, lost):
            end = PLAN.sizes[ended[0]] * PLAN.sizes[ended[1]] / scale
            axes.axvline(end, color=GREY, linestyle="--", linewidth=1)
            axes.annotate(
                "imitation ends", (end, 1), (3, -2), xycoords=("data", "axes fraction"),
                textcoords="offset points", va="top", fontsize=8, color="#555555",
            )  # fmt: skip
            if deck == FULL:
                axes.margins(y=0.12)  # room for the words above the curves
        name_axes(won, f"{name}: won", unit, "points a deal")
        if deck == TINY:
            for value, text in ((result.greedy, "greedy bidder"), (result.solved, "experts")):
                lost.axhline(value, color=GREY, linestyle=":", linewidth=1)
                lost.annotate(
                    text, (1, value), (-2, 2), xycoords=("axes fraction", "data"),
                    textcoords="offset points", ha="right", fontsize=8, color="#555555",
                )  # fmt: skip
        if deck == TINY:
            lost.set_ylim(bottom=0)
        else:
            lost.axhline(0, color="black", linewidth=1)
        name_axes(lost, f"{name}: exploited", unit, "points a deal")
    legend_below(figure, *panels[0], columns=1)
    return figure


def _plot(
    axes: Any,
    rows: Sequence[Judged],
    measure: Measure,
    scale: float,
    colour: str,
    marker: str,
    label: str,
) -> None:
    for seed in sorted({row.seed for row in rows}):
        own = by_games([row for row in rows if row.seed == seed], measure)
        axes.plot(
            [games / scale for games in own], [each for each, in own.values()], color=colour,
            alpha=0.35, linewidth=0.8,
        )  # fmt: skip
    means = {games: sum(each) / len(each) for games, each in by_games(rows, measure).items()}
    axes.plot(
        [games / scale for games in means], list(means.values()), color=colour, marker=marker,
        markersize=4.5, linewidth=2, label=label,
    )  # fmt: skip


def draw_widths(result: Result) -> Drawing:
    """Strength by the size of the network.

    Full deck, after imitating a simple bidder: what a network of each width wins at the end in one
    seat from two copies of `forecast`, and what a best response that was trained against it gains.
    Small points are runs, the line joins their means.
    """
    figure, panels = new_figure(7.4, 3.0, 2)
    rows = [row for row in result.runs if (row.deck, row.begins) == (FULL, "greedy")]
    last = [row for row in rows if row.games == max(each.games for each in rows)]
    widths = sorted({row.width for row in last})
    names = "won from two copies of forecast", "gained by a trained response"
    for axes, measure, name in zip(panels, (_forecast, _gained), names, strict=True):
        known = [(row.width, value) for row in last if (value := measure(row)) is not None]
        means = [
            (width, sum(each) / len(each))
            for width in widths
            if (each := [value for other, value in known if other == width])
        ]
        for points, look in ((known, {"marker": "o", "alpha": 0.5}), (means, {"marker": "s"})):
            axes.plot(
                [width for width, _ in points], [value for _, value in points], color=BLUE,
                linestyle="-" if points is means else "", markersize=4, **look,
            )  # fmt: skip
        axes.axhline(0, color="black", linewidth=1)
        axes.set_xscale("log", base=2)
        axes.set_xticks(widths, [str(width) for width in widths])
        axes.minorticks_off()
        name_axes(axes, name, "units in a layer", "points a deal")
    return figure


STUDY: Final[Study[None, Result]] = Study(
    name="curves",
    title="Learning, as a curve",
    order=122,
    run=run,
    tables=tables,
    figures=(
        Figure("curves", "curves-small", draw),
        Figure("curves-widths", "curves-large", draw_widths),
    ),
    plan=PLAN,
    answers=answers,
)
