"""The figures of beliefs, learning and risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tribridge.report.drawing import BLUE, GREY, NAVY, ORANGE, RED, new_figure, number
from tribridge.studies.auctions import PLAYED
from tribridge.studies.belief_games import CALL_STAGES, STAGES
from tribridge.studies.beliefs import stage_name
from tribridge.studies.learned import COMPARED
from tribridge.studies.tables import Cell, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOOKS: Final = (
    (GREY, "o"), (RED, "v"), (BLUE, "s"), (ORANGE, "^"), (NAVY, "D"), ("#009e73", "P"),
)  # fmt: skip
Record = dict[str, Cell]


def _models(records: list[Record]) -> dict[str, tuple[str, str]]:
    """A colour and a marker for each model."""
    names = list(dict.fromkeys(str(r["model"]) for r in records))
    return {name: _LOOKS[at % len(_LOOKS)] for at, name in enumerate(names)}


def beliefs(study: Study) -> Figure:
    """Bits per unseen card by stage and model, and what models save by phase."""
    figure, panels = new_figure(11.4, 4.4, 2, width_ratios=(3, 2))
    records = study.table("beliefs-bits").records()
    looks = _models(records)
    places = {stage_name(stage): stage for stage in range(STAGES)}
    for name, (colour, marker) in looks.items():
        mine = [r for r in records if r["model"] == name]
        values = np.full(STAGES, np.nan)
        for r in mine:
            values[places[str(r["stage"])]] = number(r["bits a card"])
        there = ~np.isnan(values)
        # The lines break where the dummy is seen.
        for part in (slice(0, CALL_STAGES), slice(CALL_STAGES, STAGES)):
            x, y = np.arange(STAGES)[part][there[part]], values[part][there[part]]
            label = name if part.start else None
            panels[0].plot(
                x, y, f"-{marker}", color=colour, markersize=4.5, linewidth=1.3, label=label
            )
    panels[0].axvline(CALL_STAGES - 0.5, color=GREY, linestyle=":", linewidth=1)
    shown = [*range(CALL_STAGES), *range(CALL_STAGES, STAGES, 2)]
    labels = [f"{s + 1}" if s < CALL_STAGES else f"{s - CALL_STAGES}" for s in shown]
    panels[0].set_xticks(shown, labels)
    panels[0].set_xlabel("calls made (left of the line), tricks played (right of it)")
    panels[0].set_ylabel("bits per unseen card")
    panels[0].set_ylim(bottom=0)
    panels[0].set_title("By stage and model")
    panels[0].legend(loc="lower left", fontsize=8.5)
    _saved(panels[1], study.table("beliefs-gains").records(), looks)
    return figure


def _saved(axes: Axes, records: list[Record], looks: dict[str, tuple[str, str]]) -> None:
    phases = list(dict.fromkeys(str(r["phase"]) for r in records))
    for at, (name, (colour, marker)) in enumerate(looks.items()):
        mine = [r for r in records if r["model"] == name]
        middles = [number(r["bits saved"]) for r in mine]
        axes.errorbar(
            [phases.index(str(r["phase"])) + 0.14 * (at - 3) for r in mine],
            middles,
            yerr=[
                [m - number(r["95% from"]) for m, r in zip(middles, mine, strict=True)],
                [number(r["to"]) - m for m, r in zip(middles, mine, strict=True)],
            ],
            fmt=marker,
            color=colour,
            markersize=5,
            capsize=3,
        )
    axes.axhline(0, color="black", linewidth=1)
    names = [phase.replace(" 1, 2 and 4", "\n1, 2, 4").replace(" of the", "\nof the")
             .replace(" over", "\nover") for phase in phases]  # fmt: skip
    axes.set_xticks(range(len(phases)), names)
    axes.set_ylabel("bits saved per unseen card")
    axes.set_title("Compared with no model")


def calibration(study: Study) -> Figure:
    """How often a hand holds a card, by the chance it was given."""
    figure, panels = new_figure(10.2, 4.4, 2, sharey=True)
    records = study.table("beliefs-calibration").records()
    looks = _models(records)
    for axes, phase in zip(panels, ("auction", "play"), strict=True):
        axes.plot([0, 100], [0, 100], "--", color="black", linewidth=1)
        for at, (name, (colour, marker)) in enumerate(looks.items()):
            mine = [r for r in records if (r["model"], r["phase"]) == (name, phase)]
            if not mine:
                continue
            middles = [number(r["holds, %"]) for r in mine]
            axes.errorbar(
                [number(r["mean chance, %"]) + 0.5 * (at - 2.5) for r in mine],
                middles,
                yerr=[
                    [m - number(r["95% from"]) for m, r in zip(middles, mine, strict=True)],
                    [number(r["to"]) - m for m, r in zip(middles, mine, strict=True)],
                ],
                fmt=f"-{marker}",
                color=colour,
                markersize=4.5,
                linewidth=1,
                capsize=2,
                label=name,
            )
        axes.set_xlabel("chance given, %")
        axes.set_title(f"In the {phase}")
    panels[0].set_ylabel("hand holds the card, %")
    panels[1].legend(loc="lower right", fontsize=8.5)
    return figure


def curves(study: Study) -> Figure:
    """Results against fixed opponents during the two training runs."""
    figure, panels = new_figure(11.4, 4.6, 2)
    records = study.table("learning-curves").records()
    titles = (
        ("bidding", "Bidding: points per game", "points over the others"),
        ("play", "Card play: declarer's tricks", "tricks per deal"),
    )
    for axes, (name, title, unit) in zip(panels, titles, strict=True):
        mine = [r for r in records if r["network"] == name]
        for (colour, marker), measure in zip(
            _LOOKS[1:], dict.fromkeys(str(r["against"]) for r in mine), strict=False
        ):
            points = [r for r in mine if r["against"] == measure]
            axes.plot(
                [number(r["million games"]) for r in points],
                [number(r["result"]) for r in points],
                f"-{marker}",
                color=colour,
                markersize=3.5,
                linewidth=1.3,
                label=measure,
            )
        axes.set_xlabel("million games")
        axes.set_ylabel(unit)
        axes.set_title(title)
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, fontsize=9)
    return figure


_STRAINS: Final = {
    "clubs": (GREY, "\\\\"), "diamonds": (ORANGE, "//"), "hearts": (RED, "xx"),
    "spades": (NAVY, ".."), "notrump": (BLUE, ""),
}  # fmt: skip


def contracts(study: Study) -> Figure:
    """Contracts by level and strain of the paper's bidder and of the learned one."""
    figure, panels = new_figure(11.4, 4.0, 2, sharey=True)
    records = study.table("learning-contracts").records()
    bidding = {str(r["bidder"]): r for r in study.table("learning-bidding").records()}
    levels = range(1, max(int(r["level"] or 1) for r in records) + 1)
    for axes, bidder in zip(panels, COMPARED, strict=True):
        passed = number(bidding[bidder]["% passed out"])
        axes.bar([0], [passed], 0.7, color="white", edgecolor="black", label="passed out")
        bottoms = [0.0] * len(levels)
        for strain, (colour, hatch) in _STRAINS.items():
            shares = [
                sum(number(r["% of deals"]) for r in records
                    if (r["bidder"], r["strain"], r["level"]) == (bidder, strain, level))
                for level in levels
            ]  # fmt: skip
            axes.bar(
                levels, shares, 0.7, bottom=bottoms, color=colour, hatch=hatch, edgecolor="white",
                label=strain,
            )  # fmt: skip
            bottoms = [a + b for a, b in zip(bottoms, shares, strict=True)]
        for place, height in [(0, passed), *zip(levels, bottoms, strict=True)]:
            axes.annotate(
                f"{height:.1f}", (place, height), (0, 3), textcoords="offset points", ha="center",
                fontsize=9,
            )  # fmt: skip
        axes.set_xticks([0, *levels], ["pass", *(str(level) for level in levels)])
        axes.set_xlabel("level of the contract")
        axes.set_title({"capture": "The paper's bidder"}.get(bidder, "The learned bidder"))
    panels[0].set_ylabel("% of deals")
    panels[1].legend(loc="upper right", ncols=2)
    return figure


def risk(study: Study) -> Figure:
    """Expected points against the worst 5% and against the standard deviation."""
    figure, panels = new_figure(11.4, 4.8, 2, sharey=True)
    records = [r for r in study.table("risk-callers").records() if r["settled by"] == PLAYED]
    for axes, unit, title in (
        (panels[0], "worst 5%", "mean of the worst 5% of deals, points"),
        (panels[1], "sd", "standard deviation, points"),
    ):
        for r in records:
            x, y = number(r[unit]), number(r["points"])
            colour, marker = _caller_look(str(r["caller"]))
            axes.errorbar(
                [x],
                [y],
                xerr=[[x - number(r[f"{unit} from"])], [number(r[f"{unit} to"]) - x]],
                yerr=[[y - number(r["points from"])], [number(r["points to"]) - y]],
                fmt=marker,
                color=colour,
                ecolor=f"{colour}55",
                elinewidth=1,
                markersize=6,
            )
        axes.axhline(0, color=GREY, linewidth=0.8)
        axes.set_xlabel(title)
    best = sorted((number(r["worst 5%"]), number(r["points"])) for r in records
                  if r["efficient"] == "yes")  # fmt: skip
    panels[0].plot(*zip(*best, strict=True), "-", color="black", linewidth=1, zorder=1)
    panels[0].set_ylabel("expected points per deal")
    panels[0].set_title("Expectation and the worst 5%")
    panels[1].set_title("Expectation and spread")
    kinds = {"forecast, caution 0 to 1": "forecast:", "points, margin -1 to 3": "points:",
             "capture (the paper's)": "capture", "learned": "learned", "pass": "pass"}  # fmt: skip
    for label, name in kinds.items():
        colour, marker = _caller_look(name)
        panels[1].plot([], [], marker, color=colour, label=label)
    panels[1].plot([], [], "-", color="black", label="efficient")
    handles, labels = panels[1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6)
    for r in records:
        if str(r["caller"]) in _LABELS:
            text, shift, side = _LABELS[str(r["caller"])]
            panels[0].annotate(
                text, (number(r["worst 5%"]), number(r["points"])), shift,
                textcoords="offset points", ha=side, fontsize=8,
            )  # fmt: skip
    return figure


_LABELS: Final = {
    "forecast:caution=0": ("caution 0", (-8, 6), "right"),
    "forecast:caution=1": ("caution 1", (8, 3), "left"),
    "points:margin=-1": ("margin -1", (7, 5), "left"),
    "points:margin=3": ("margin 3", (-8, -11), "right"),
}
"""The ends of the range of settings: text, offset in points, alignment."""


def _caller_look(caller: str) -> tuple[str, str]:
    looks = {"forecast": (ORANGE, "^"), "points": (BLUE, "s"), "capture": (RED, "v"),
             "learned": ("#009e73", "P"), "pass": (GREY, "o")}  # fmt: skip
    return looks[caller.split(":")[0]]
