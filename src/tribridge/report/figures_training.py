"""The learning curves of a training run, from its log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tribridge.report.drawing import BLUE, NAVY, ORANGE, RED, new_figure
from tribridge.studies.training_logs import Line, measures_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARES: Final = ("entropy", "passed out", "made")
_COLOURS: Final = (BLUE, ORANGE, NAVY, RED)
_MARKERS: Final = "os^v"


def training_curves(lines: Sequence[Line]) -> Figure:
    """Results against fixed opponents, and entropy and shares, over the games played."""
    games = [line["games"] / 1e6 for line in lines]
    measures = measures_of(list(lines))
    figure, panels = new_figure(10, 4.2, 2)
    bidding = any(" over " in f" {name}" for name in measures)
    for axes, names, title in (
        (panels[0], measures, "Points per game" if bidding else "Declarer's tricks"),
        (panels[1], [name for name in SHARES if name in lines[-1]], "Entropy of a choice"),
    ):
        for at, name in enumerate(names):
            axes.plot(
                games,
                [line.get(name, float("nan")) for line in lines],
                label=name,
                color=_COLOURS[at % len(_COLOURS)],
                marker=_MARKERS[at % len(_MARKERS)],
                markersize=3.5,
                linewidth=1.4,
            )
        axes.set_title(f"{title}, and shares of deals" if "made" in names else title)
        axes.set_xlabel("million games")
        axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    return figure
