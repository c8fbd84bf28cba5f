"""The logs of training runs, and their curves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tribridge.common.errors import FormatError
from tribridge.lab.studies.drawing import BLUE, NAVY, ORANGE, RED, name_axes, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Line = Mapping[str, Any]
"""What a training run logs every few seconds."""

SHARES: Final = ("entropy", "passed out", "made")
_LOOKS: Final = ((BLUE, "o"), (ORANGE, "s"), (NAVY, "^"), (RED, "v"))


def read_log(path: Path) -> list[Line]:
    """The lines of a training run's `log.jsonl`."""
    try:
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        done = [line[_counted(lines)] for line in lines]
        if not done or not all(isinstance(count, int | float) for count in done):
            raise FormatError("no games")
    except (ValueError, KeyError, TypeError, IndexError):
        raise FormatError(f"{path}: not the log of a training run") from None
    return lines


def _counted(lines: Sequence[Line]) -> str:
    """What a run counts: games, or passes over the choices of experts."""
    return "passes" if "passes" in lines[0] else "games"


def training_curves(lines: Sequence[Line]) -> Figure:
    """Results against fixed opponents, and entropy and shares, over the games played.

    Of imitation, the shares of the experts' cards that are preferred, and the losses.
    """
    if _counted(lines) == "passes":
        return _imitation_curves(lines)
    games = [line["games"] / 1e6 for line in lines]
    measures = [name for name in lines[-1] if " over " in f" {name}" or " against " in name]
    figure, panels = new_figure(10, 4.2, 2)
    bidding = any(" over " in f" {name}" for name in measures)
    for axes, names, title in (
        (panels[0], measures, "Points per game" if bidding else "Declarer's tricks"),
        (panels[1], [name for name in SHARES if name in lines[-1]], "Entropy of a choice"),
    ):
        for at, name in enumerate(names):
            colour, marker = _LOOKS[at % len(_LOOKS)]
            axes.plot(
                games,
                [line.get(name, float("nan")) for line in lines],
                label=name,
                color=colour,
                marker=marker,
                markersize=3.5,
                linewidth=1.4,
            )
        shares = ", and shares of deals" if "made" in names else ""
        name_axes(axes, f"{title}{shares}", "million games")
        axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    return figure


def _imitation_curves(lines: Sequence[Line]) -> Figure:
    figure, panels = new_figure(10, 4.2, 2)
    passes = [line["passes"] for line in lines]
    for axes, names, title in (
        (panels[0], ("declarer", "defence", "lead", "all"), "Share of the experts' cards"),
        (panels[1], ("imitation", "log loss"), "Log loss: in training and validation"),
    ):
        for name, (colour, marker) in zip(names, _LOOKS, strict=False):
            values = [line.get(name, float("nan")) for line in lines]
            axes.plot(
                passes, values, label=name, color=colour, marker=marker, markersize=3.5,
                linewidth=1.4,
            )  # fmt: skip
        name_axes(axes, title, "passes over all choices")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=4)
    return figure
