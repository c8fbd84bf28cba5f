"""The figures of the studies that compare the paper with double-dummy tricks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tribridge.report.drawing import BLUE, GREY, NAVY, ORANGE, RED, new_figure, number
from tribridge.studies.strains import FITS
from tribridge.studies.tables import Cell, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEAST = 10
"""Points with fewer declarers are not drawn: their error bars would span the picture."""


def _bars(records: list[dict[str, Cell]], middle: str, low: str, high: str) -> list[list[float]]:
    """The lengths of error bars below and above their points."""
    return [
        [number(r[middle]) - number(r[low]) for r in records],
        [number(r[high]) - number(r[middle]) for r in records],
    ]


def truth(study: Study) -> Figure:
    """By predicted captures: how often the prediction makes, and the mean number of tricks."""
    figure, panels = new_figure(11.4, 4.2, 2)
    styles = (("Algorithm 1", BLUE, "o"), ("Algorithm 2", ORANGE, "s"))
    for name, colour, marker in styles:
        records = [
            r
            for r in study.table("truth-calibration").records()
            if r["estimate"] == name
            and r["% that make it"] is not None
            and number(r["declarers"]) >= _LEAST
        ]
        predicted = [float(str(r["says"])) for r in records]
        panels[0].errorbar(
            predicted,
            [number(r["% that make it"]) for r in records],
            yerr=_bars(records, "% that make it", "make it from", "make it to"),
            fmt=f"-{marker}",
            color=colour,
            capsize=3,
            label=f"{name}: makes its prediction",
        )
        panels[0].plot(
            predicted,
            [number(r["% that make 7"]) for r in records],
            f":{marker}",
            color=colour,
            markerfacecolor="white",
            label=f"{name}: makes 7",
        )
        panels[1].plot(
            predicted,
            [number(r["mean tricks"]) for r in records],
            f"-{marker}",
            color=colour,
            label=name,
        )
    panels[0].set_ylim(0, 109)
    panels[0].set_ylabel("% of declarers")
    panels[0].set_title("How often it makes")
    panels[1].plot([4, 13], [4, 13], "--", color=GREY, label="tricks = prediction")
    panels[1].set_ylabel("mean double-dummy tricks in notrump")
    panels[1].set_title("Mean tricks")
    for axes in panels:
        axes.set_xlabel("captures predicted by the algorithm")
        axes.set_xticks(range(4, 14))
        axes.set_xlim(3.5, 13.5)
    handles, labels = panels[0].get_legend_handles_labels()
    more, names = panels[1].get_legend_handles_labels()
    figure.legend([*handles, more[-1]], [*labels, names[-1]], loc="outside lower center", ncols=5)
    return figure


def forecast_chances(study: Study) -> Figure:
    """How much more often contracts make than forecast, in ten bins of chances."""
    table = next(t for t in study.tables if t.name in ("truth-chances", "forecast-calibration"))
    records = [r for r in table.records() if number(r["contracts"]) >= _LEAST]
    groups = list(dict.fromkeys((str(r["strains"]), int(number(r["cards"]))) for r in records))
    figure, panels = new_figure(11.4, 3.6, len(groups), squeeze=False, sharey=True)
    looks = {"net": (RED, "o"), "points": (BLUE, "s"), "capture": (ORANGE, "^")}
    for axes, (strain, cards) in zip(panels[0], groups, strict=True):
        axes.axhspan(-2, 2, color=GREY, alpha=0.2, linewidth=0, label="within 2 percentage points")
        axes.axhline(0, color="black", linewidth=1)
        for kind, (colour, marker) in looks.items():
            mine = [
                r
                for r in records
                if (r["forecast"], r["strains"], r["cards"]) == (kind, strain, cards)
            ]
            if not mine:
                continue
            axes.errorbar(
                [number(r["mean chance %"]) for r in mine],
                [number(r["difference"]) for r in mine],
                yerr=_bars(mine, "% made", "made from", "made to"),
                fmt=f"-{marker}",
                color=colour,
                capsize=3,
                markersize=5,
                linewidth=1,
                label=kind,
            )
        axes.set_title(f"{cards} cards, {strain}")
        axes.set_xlabel("forecast chance, %")
        axes.set_xlim(-3, 103)
    panels[0][0].set_ylabel("actual - forecast, percentage points")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def strains(study: Study) -> Figure:
    """A suit compared with notrump, by fit: tricks by shape, points by scheme."""
    figure, panels = new_figure(11.4, 4.2, 2)
    tricks = [
        r for r in study.table("strains-tricks").records() if r["suit named"] == "longest suit"
    ]
    for shape, colour, marker in (("balanced", BLUE, "o"), ("not balanced", ORANGE, "s")):
        by_fit = {str(r["group"]): r for r in tricks}
        chosen = {name: f"fit {name}, {shape}" for name in FITS}
        label = f"{shape} hand"
        rows = {at: by_fit[g] for at, g in enumerate(chosen.values()) if g in by_fit}
        _by_fit(panels[0], rows, (colour, marker), label, 0.0)
    panels[0].set_ylabel("tricks: longest suit - notrump")
    panels[0].set_title("Tricks")
    looks = (
        ("auction", "full or pass", NAVY, "o", -0.07),
        ("auction", "to the full", BLUE, "s", 0.0),
        ("new", "level 1", RED, "^", 0.07),
    )
    for scheme, bid, colour, marker, shift in looks:
        rows = {
            FITS.index(str(r["group"]).removeprefix("fit ")): r
            for r in study.table("strains-points").records()
            if scheme in str(r["scheme"]).split(", ")
            and bid in str(r["bid"]).split(", ")
            and r["suit named"] == "longest suit"
            and str(r["group"]).startswith("fit ")
        }
        _by_fit(panels[1], rows, (colour, marker), f"scheme {scheme}, {bid}", shift)
    panels[1].set_ylabel("net points: longest suit - notrump")
    panels[1].set_title("Points")
    for axes in panels:
        axes.axhline(0, color="black", linewidth=1)
        axes.set_xticks(range(len(FITS)), [name.replace(" or ", "\nor ") for name in FITS])
        axes.set_xlabel("length of the declarer's longest suit in both hands")
        axes.legend(loc="upper left")
    return figure


def real_play(study: Study) -> Figure:
    """Tricks played minus double dummy, by expected tricks and by fit."""
    figure, panels = new_figure(11.4, 4.2, 2, sharey=True)
    looks = (("notrump", NAVY, "o", 0.0), ("longest suit", ORANGE, "s", 0.08))
    for contract, colour, marker, shift in looks:
        records = [
            r for r in study.table("real-play-levels").records() if r["contract"] == contract
        ]
        places = [number(r["expected tricks"]) for r in records]
        _gaps(panels[0], places, records, (colour, marker), contract, shift)
    panels[0].set_xlabel("tricks expected from declarer's and dummy's hands")
    panels[0].set_ylabel("tricks: played - double dummy")
    panels[0].set_title("By expected tricks")
    fits = study.table("real-play-fits").records()
    names = [str(r["fit"]) for r in fits if r["contract"] == "any suit"]
    groups: tuple[tuple[str, str, float | None, str, str], ...] = (
        ("any suit", "any suit", None, GREY, "D"),
        ("longest suit, 8 tricks expected", "longest suit", 8, BLUE, "s"),
        ("longest suit, 10 tricks expected", "longest suit", 10, RED, "^"),
    )
    for at, (label, contract, expected, colour, marker) in enumerate(groups):
        records = [r for r in fits if (r["contract"], r["expected tricks"]) == (contract, expected)]
        places = [float(names.index(str(r["fit"]))) for r in records]
        _gaps(panels[1], places, records, (colour, marker), label, 0.08 * at)
    panels[1].set_xticks(range(len(names)), [name.replace(" or ", "\nor ") for name in names])
    panels[1].set_xlabel("trumps in declarer's and dummy's hands")
    panels[1].set_title("By fit")
    for axes in panels:
        axes.axhline(0, color="black", linewidth=1)
        axes.legend()
    return figure


def _gaps(
    axes: Axes,
    places: Sequence[float],
    records: list[dict[str, Cell]],
    look: tuple[str, str],
    label: str,
    shift: float,
    column: str = "played - double dummy",
) -> None:
    """Differences with their intervals, as a line."""
    colour, marker = look
    axes.errorbar(
        [place + shift for place in places],
        [number(r[column]) for r in records],
        yerr=_bars(records, column, "95% from", "to"),
        fmt=f"-{marker}",
        color=colour,
        capsize=3,
        label=label,
    )


def _by_fit(
    axes: Axes, rows: dict[int, dict[str, Cell]], look: tuple[str, str], label: str, shift: float
) -> None:
    _gaps(axes, list(rows), list(rows.values()), look, label, shift, "suit - notrump")
