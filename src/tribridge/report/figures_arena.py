"""The figures of the arena: the payoff matrix as a heat map, and points with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tribridge.report.drawing import BLUE, GREY, new_figure, number
from tribridge.studies.tidy import Study, StudyTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HALF = 1.96
"""Half a 95% interval, in standard errors."""


def payoffs(study: Study) -> Figure:
    """Declarers against defences, in tricks and in points, each cell with its 95% interval."""
    table = [one for one in study.tables if one.name.endswith("-payoffs")][-1]
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
                f"{mean:.{digits}f}\n±{_HALF * errors[i, j]:.{digits}f}",
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
    table = next(one for one in study.tables if one.name.endswith("-points"))
    records = table.records()[::-1]
    figure, axes = new_figure(7.5, 1.4 + 0.5 * len(records))
    means = [number(r["points"]) for r in records]
    axes.errorbar(
        means,
        range(len(records)),
        xerr=[
            [m - number(r["points from"]) for m, r in zip(means, records, strict=True)],
            [number(r["points to"]) - m for m, r in zip(means, records, strict=True)],
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
