"""The figures of games: payoffs as a heat map, points with intervals, and what a seat is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tribridge.report.drawing import BLUE, GREY, NAVY, ORANGE, new_figure, number
from tribridge.studies.tables import Study, StudyTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def payoffs(study: Study) -> Figure:
    """Declarers against defences, in tricks and in points, each cell with its standard error."""
    table = next(one for one in study.tables if one.name.endswith("-payoffs"))
    return _matrix(table)


def _matrix(table: StudyTable) -> Figure:
    records = table.records()
    rows = list(dict.fromkeys(str(r["declarer"]) for r in records))
    columns = list(dict.fromkeys(str(r["defence"]) for r in records))
    width = 2.4 + 2 * max(3.0, 1.15 * len(columns))
    figure, panels = new_figure(width, 1.6 + 0.62 * len(rows), 2)
    for axes, unit in zip(panels, ("tricks", "points"), strict=True):
        means = np.array([number(r[unit]) for r in records]).reshape(len(rows), len(columns))
        errors = np.array([number(r[f"{unit} se"]) for r in records]).reshape(means.shape)
        image = axes.imshow(means, cmap="cividis", aspect="auto")
        middle = (means.min() + means.max()) / 2
        for (i, j), mean in np.ndenumerate(means):
            digits = 2 if unit == "tricks" else 1
            axes.text(
                j,
                i,
                f"{mean:.{digits}f}\n±{errors[i, j]:.{digits}f}",
                ha="center",
                va="center",
                fontsize=8.5,
                color="black" if mean > middle else "white",
            )
        axes.set_xticks(range(len(columns)), [_lines(name) for name in columns], fontsize=8.5)
        axes.set_yticks(range(len(rows)), [_lines(name) for name in rows], fontsize=8.5)
        axes.set_xlabel("defence")
        axes.set_title(f"Declarer's {unit} per deal")
        axes.grid(visible=False)
        figure.colorbar(image, ax=axes, shrink=0.8)
    panels[0].set_ylabel("declarer")
    return figure


def _lines(name: str) -> str:
    """A strategy's name with each parameter on a line of its own."""
    return name.replace(":", "\n").replace(",", "\n").replace("+", "\n+")


def points(study: Study) -> Figure:
    """Points per game of each strategy in a match, with 95% intervals."""
    table = next(one for one in study.tables if one.name.endswith("match-points"))
    records = table.records()[::-1]
    figure, axes = new_figure(7.5, 1.4 + 0.5 * len(records))
    means = [number(r["points"]) for r in records]
    axes.errorbar(
        means,
        range(len(records)),
        xerr=[
            [
                abs(m - number(m if r[end] is None else r[end]))
                for m, r in zip(means, records, strict=True)
            ]
            for end in ("points from", "points to")
        ],
        fmt="o",
        color=BLUE,
        capsize=4,
    )
    axes.axvline(float(np.mean(means)), color=GREY, linestyle="--", linewidth=1)
    axes.set_yticks(range(len(records)), [str(r["strategy"]) for r in records])
    axes.set_ylim(-0.6, len(records) - 0.4)
    axes.set_xlabel("points per game, 95% interval over deals")
    axes.set_title("Points by strategy, every seating on the same deals")
    axes.grid(visible=True, axis="x")
    return figure


def order(study: Study) -> Figure:
    """Who declares in the paper's game, and what a place is worth in a full auction."""
    figure, panels = new_figure(11.4, 3.6, 2)
    seats = study.table("fairness-seats").records()
    readings = list(dict.fromkeys(str(r["reading"]) for r in seats))
    looks = ((NAVY, ""), (ORANGE, "xx"))
    for at, (reading, (colour, hatch)) in enumerate(zip(readings, looks, strict=True)):
        records = [r for r in seats if r["reading"] == reading]
        panels[0].bar(
            [place + 0.26 * (at - 0.5) for place in range(3)],
            [number(r["% of contracts"]) for r in records],
            0.25,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            label=reading,
        )
    panels[0].axhline(100 / 3, color="black", linewidth=1, linestyle="--", label="a third")
    panels[0].set_xticks(range(3), [str(r["to call"]) for r in seats[:3]])
    panels[0].set_ylim(0, 46)
    panels[0].set_xlabel("place in the order of calling")
    panels[0].set_ylabel("% of contracts")
    panels[0].set_title("Who declares in the paper's game")
    panels[0].legend(loc="upper right", ncols=4)
    records = study.table("fairness-order").records()
    middles = [number(r["points less the table's mean"]) for r in records]
    panels[1].errorbar(
        range(len(records)),
        middles,
        yerr=[
            [m - number(r["95% from"]) for m, r in zip(middles, records, strict=True)],
            [number(r["to"]) - m for m, r in zip(middles, records, strict=True)],
        ],
        fmt="o",
        color=BLUE,
        capsize=4,
    )
    panels[1].axhline(0, color="black", linewidth=1)
    panels[1].set_xticks(range(len(records)), [str(r["compared"]) for r in records])
    panels[1].set_xlabel("place in the order of calling, and seat")
    panels[1].set_ylabel("points less the table's mean")
    panels[1].set_title("What a place is worth in a full auction")
    return figure
