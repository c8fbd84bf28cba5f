"""Opponent modelling: whether it pays to infer the hidden hands from the calls.

Two players search alike, over layouts that are solved double dummy. One draws them without regard
to the calls, the other by the beliefs of the table (`beliefs.table_beliefs`). They choose opening
leads and play complete games. The package has the result (`opponents.json`, written by
`benchmarks/opponents.py`, which names seeds and numbers that were fixed before).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, POINTS, TRICKS
from tribridge.lab.studies.claims import Claim, claim, p_text, side, sided
from tribridge.lab.studies.drawing import BLUE, Drawing, name_axes, new_figure, plot_spans
from tribridge.lab.studies.study import Figure, Study, stored

UNIFORM: Final = "uniform"
CALLS: Final = "calls"
NETWORK: Final = "network"
LAYOUTS_BY: Final = {
    UNIFORM: "without the calls",
    CALLS: "beliefs of the table",
    NETWORK: "belief of the network",
}
"""How the layouts of a lead are drawn, in words."""
WAYS: Final = tuple(LAYOUTS_BY)


@dataclass(frozen=True, slots=True)
class Leads:
    """Opening leads over layouts drawn in several ways.

    Contracts {led}; {how}, and judged double dummy on the true deal. Uniform: without regard to the
    calls; calls: by the beliefs of the table; network: by those of the network of `learned`. Paired
    over deals, Holm's correction over the table.
    """

    layouts: str
    leads: int
    differ: Annotated[int, "other leads than uniform"]
    lost: Annotated[float, "tricks lost a lead", TRICKS]
    saved: Annotated[Interval | None, "saved compared with uniform", TRICKS]
    p: Annotated[float | None, P_VALUE]
    holm: Annotated[float | None, "p (Holm)", P_VALUE] = None


@dataclass(frozen=True, slots=True)
class Games:
    """Complete games of a player that infers hands from the calls and of one that does not.

    {played} Points a game that the calls gain, with a 95% interval and a test over deals; every
    deal is played in all seatings. Can be found: the difference that this many deals find 8 times
    in 10.
    """

    games: int
    deals: int
    gained: Annotated[Interval, "points gained a game", POINTS]
    p: Annotated[float, P_VALUE]
    sd: Annotated[float, "standard deviation of a deal", POINTS]
    found: Annotated[float, "can be found", POINTS]


@dataclass(frozen=True, slots=True)
class Result:
    """What modelling the opponents is worth."""

    how: str
    led: str
    played: str
    leads: Annotated[tuple[Leads, ...], "opponents-leads"]
    games: Annotated[tuple[Games, ...], "opponents-games"]

    def lead(self, way: str) -> Leads:
        """The leads over layouts that were drawn in a way."""
        return next(row for row in self.leads if row.layouts == way)


def claims(result: Result) -> list[Claim]:
    """Whether it pays to model the opponents' hands."""
    led, plain, games = result.lead(CALLS), result.lead(UNIFORM), result.games[0]
    assert led.saved is not None
    return [
        claim(
            "opponents.modelling-pays",
            sided([side(led.saved, led.holm), side(games.gained, games.p)]),
            led=led,
            plain=plain,
            games=games,
            p=p_text(led.holm),
            p_games=p_text(games.p),
        )
    ]


def draw(result: Result) -> Drawing:
    """What the calls are worth, at the opening lead and in complete games.

    Left: tricks that an opening lead saves compared with layouts drawn without regard to the calls.
    Right: points a game. With 95% intervals over deals; above the line modelling
    pays.
    """
    figure, panels = new_figure(9.0, 3.6, 2, width_ratios=(3, 2))
    games = result.games[0]
    spans = [[row.saved for row in result.leads if row.saved is not None], [games.gained]]
    ways = [row.layouts for row in result.leads if row.saved is not None]
    names = [[LAYOUTS_BY[way].replace(" the", "\nthe") for way in part] for part in (ways, [CALLS])]
    titles = [("Opening leads", "tricks saved a lead"), ("Complete games", "points gained a game")]
    for axes, mine, labels, title in zip(panels, spans, names, titles, strict=True):
        plot_spans(axes, range(len(mine)), mine, (BLUE, "o"), "")
        axes.axhline(0, color="black", linewidth=1)
        axes.set_xticks(range(len(mine)), labels)
        axes.set_xlim(-0.5, len(mine) - 0.5)
        name_axes(axes, title[0], "", title[1])
    return figure


STUDY: Final[Study[None, Result]] = Study(
    name="opponents",
    title="Opponent modelling: leads and games with and without the calls",
    order=115,
    run=lambda size, seed, runner: stored("opponents", Result),
    claims=claims,
    figures=(Figure("opponents", "opponents-leads", draw),),
)
