"""The figures of the report, drawn from the tables of the studies.

Each function takes a study and returns a matplotlib figure. They are drawn as the paper describes
them: grouped bars for the runs with the mean in dark navy, the mean percentage as a red line on a
second axis where the paper has one, the second-hand figure stacked in black and white.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tribridge.report.drawing import (
    BLUE,
    GREY,
    NAVY,
    ORANGE,
    RED,
    RUN_COLOURS,
    Drawing,
    new_figure,
    numbers,
    thousands,
)
from tribridge.report.figures_arena import order, payoffs, points
from tribridge.report.figures_learning import (
    beliefs,
    calibration,
    contracts,
    curves,
    risk,
)
from tribridge.report.figures_truth import forecast_chances, real_play, strains, truth
from tribridge.studies.tables import Study, StudyTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def _grouped_runs(table: StudyTable, title: str, xlabel: str, width: float) -> Figure:
    """Bars for our three runs and their mean, exact counts as markers, the percentage as a line."""
    figure, axes = new_figure(width, 4.2)
    cells = [str(cell).replace("<=", "≤ ").replace(">", "> ") for cell in table.column("cell")]
    runs = [numbers(table, f"ours {at}") for at in (1, 2, 3)]
    mean = [sum(values) / 3 for values in zip(*runs, strict=True)]
    total = _runs_total(mean, numbers(table, "ours %"))
    places = range(len(cells))
    for at, (values, colour) in enumerate(zip([*runs, mean], (*RUN_COLOURS, NAVY), strict=True)):
        label = f"run {at + 1}" if at < 3 else "mean"
        axes.bar([p + 0.2 * (at - 1.5) for p in places], values, 0.2, color=colour, label=label)
    exact = [share * total / 100 for share in numbers(table, "exact %")]
    axes.plot(
        [p + 0.3 for p in places],
        exact,
        "D",
        color="white",
        markeredgecolor="black",
        markersize=5,
        label="exact",
        zorder=4,
    )
    axes.set_xticks(list(places), cells)
    axes.set_xlabel(xlabel)
    axes.set_ylabel("deals")
    thousands(axes)
    other = axes.twinx()
    other.spines.right.set_visible(True)
    other.grid(False)
    shares = numbers(table, "ours %")
    other.plot(list(places), shares, "-o", color=RED, markersize=4, linewidth=1.5, label="mean %")
    other.set_ylabel("% of all deals", color=RED)
    other.tick_params(axis="y", colors=RED)
    for place, share in zip(places, shares, strict=True):
        other.annotate(
            f"{share:.2f}%",
            (place, share),
            (0, 11),
            textcoords="offset points",
            ha="center",
            color=RED,
            fontsize=9,
            fontweight="bold",
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"},
        )
    top = max(mean) * 1.22
    axes.set_ylim(0, top)
    other.set_ylim(0, top * 100 / total)
    axes.set_title(title)
    handles, labels = axes.get_legend_handles_labels()
    more, names = other.get_legend_handles_labels()
    axes.legend([*handles, *more], [*labels, *names], loc="upper right", ncols=2)
    return figure


def _runs_total(mean: list[float], shares: list[float]) -> float:
    at = max(range(len(mean)), key=lambda i: mean[i])
    return mean[at] * 100 / shares[at]


def conditions(study: Study) -> Figure:
    """The outcomes of the conditions over the three runs."""
    return _grouped_runs(
        study.table("conditions"), "Outcomes of the two conditions, Algorithm 2", "", 7.2
    )


def captures(study: Study) -> Figure:
    """The captures where both conditions hold, over the three runs."""
    title = "Captures T where both conditions hold, Algorithm 2"
    return _grouped_runs(study.table("captures"), title, "captures T", 9.6)


def _two_algorithms(table: StudyTable, title: str, xlabel: str, width: float) -> Figure:
    figure, axes = new_figure(width, 4.0)
    records = table.records()
    cells = list(dict.fromkeys(str(r["cell"]) for r in records))
    styles = (("Algorithm 1", BLUE, ""), ("Algorithm 2", ORANGE, "//"))
    for at, (name, colour, hatch) in enumerate(styles):
        mine = [r for r in records if r["algorithm"] == name]
        places = [p + 0.4 * (at - 0.5) for p in range(len(cells))]
        label = f"{name} ({'single hand' if at == 0 else 'hand and dummy'})"
        values = [float(r["%"] or 0) for r in mine]
        axes.bar(places, values, 0.4, color=colour, hatch=hatch, edgecolor="white", label=label)
        exact = [float(r["exact %"] or 0) for r in mine]
        axes.plot(
            places,
            exact,
            "D",
            color="white",
            markeredgecolor="black",
            markersize=4,
            label="exact" if at else None,
        )
        for place, value in zip(places, values, strict=True):
            axes.annotate(
                f"{value:.2f}" if value < 10 else f"{value:.1f}",
                (place, value),
                (0, 5),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )
    axes.set_xticks(range(len(cells)), [c.replace("<=", "≤ ").replace(">", "> ") for c in cells])
    axes.set_xlabel(xlabel)
    axes.set_ylabel("% of all deals")
    axes.set_ylim(0, max(float(r["%"] or 0) for r in records) * 1.15)
    axes.set_title(title)
    axes.legend(loc="upper right")
    return figure


def hand_conditions(study: Study) -> Figure:
    """Condition outcomes of both algorithms."""
    title = "Conditions: the single hand and the combined hand"
    return _two_algorithms(study.table("hand-conditions"), title, "", 7.2)


def hand_captures(study: Study) -> Figure:
    """Captures of both algorithms."""
    title = "Captures: the shift from the single hand to the combined hand"
    return _two_algorithms(study.table("hand-captures"), title, "captures", 9.6)


def second_hand(study: Study) -> Figure:
    """Deals that pass Algorithm 1: passed by Algorithm 2, or failed by the second hand."""
    figure, panels = new_figure(9.6, 4.0, 2)
    records = [
        r for r in study.table("second-hand").records() if 7 <= int(r["Algorithm 1"] or 0) <= 10
    ]
    levels = [str(r["Algorithm 1"]) for r in records]
    for axes, title, asked, good in (
        (panels[0], "Published, 100,000 deals", "published satisfied", "published A2 satisfied"),
        (
            panels[1],
            f"Ours, natural reading, {study.facts['deals']:,} deals",
            "ours satisfied",
            "ours A2 satisfied",
        ),
    ):
        all_ = [float(r[asked] or 0) for r in records]
        passed = [float(r[good] or 0) for r in records]
        failed = [a - p for a, p in zip(all_, passed, strict=True)]
        axes.bar(
            levels, passed, 0.6, color="#262626", edgecolor="black", label="Algorithm 2 satisfied"
        )
        axes.bar(
            levels,
            failed,
            0.6,
            bottom=passed,
            color="white",
            edgecolor="black",
            hatch="///",
            label="failed by the second hand",
        )
        for place, (whole, part) in enumerate(zip(all_, passed, strict=True)):
            if whole:
                axes.annotate(
                    f"{100 * part / whole:.1f}%",
                    (place, whole),
                    (0, 4),
                    textcoords="offset points",
                    ha="center",
                    fontsize=9,
                )
        axes.set_title(title)
        axes.set_xlabel("result of Algorithm 1")
        axes.set_ylabel("deals")
        axes.set_ylim(0, max(all_) * 1.14)
        thousands(axes)
    panels[0].legend(loc="upper right")
    return figure


def headline(study: Study) -> Figure:
    """Three panels: win rates, net points by scheme, both-eligible deals and their losses."""
    figure, panels = new_figure(12.6, 4.2, 3)
    rows = {str(r["line"]): r for r in study.table("headline-runs").records()}
    groups = [f"{who} {at}" for who in ("published", "ours") for at in (1, 2, 3)]
    places = [0.0, 1.0, 2.0, 3.5, 4.5, 5.5]

    def values(line: str) -> list[float]:
        return [float(rows[line][group] or 0) for group in groups]

    def bars(
        axes: Axes,
        line: str,
        shift: float,
        colour: str,
        label: str,
        hatch: str = "",
        form: str = "{:.1f}",
    ) -> None:
        heights = values(line)
        at = [p + shift for p in places]
        axes.bar(at, heights, 0.4, color=colour, hatch=hatch, edgecolor="white", label=label)
        for x, height in zip(at, heights, strict=True):
            axes.annotate(
                form.format(height),
                (x, height),
                (0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=7.5,
                rotation=90,
            )

    bars(panels[0], "win rate", -0.2, BLUE, "all contracts")
    bars(panels[0], "win rate when both eligible", 0.2, ORANGE, "both eligible", "//")
    panels[0].set_ylabel("contracts made, %")
    panels[0].set_ylim(0, 132)
    panels[0].set_yticks(range(0, 101, 20))
    panels[0].set_title("Win rates")
    bars(panels[1], "net points, old scheme", -0.2, BLUE, "old scheme", form="{:,.0f}")
    bars(panels[1], "net points, new scheme", 0.2, ORANGE, "new scheme", "//", "{:,.0f}")
    panels[1].set_ylabel("net points, both eligible")
    panels[1].set_title("Net points by scheme")
    both = values("both eligible")
    rate = values("win rate when both eligible")
    lost = [n * (1 - r / 100) for n, r in zip(both, rate, strict=True)]
    panels[2].bar(places, both, 0.6, color=BLUE, edgecolor="white", label="both eligible")
    panels[2].bar(places, lost, 0.6, color="black", label="of which lost")
    for x, n, bad in zip(places, both, lost, strict=True):
        panels[2].annotate(
            f"{n:,.0f}", (x, n), (0, 3), textcoords="offset points", ha="center", fontsize=7.5
        )
        if not bad:
            continue
        panels[2].annotate(
            f"{bad:,.0f}",
            (x, bad),
            (0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=7.5,
            color="white",
        )
    panels[2].set_ylabel("deals")
    panels[2].set_title("Bidder and dummy both eligible")
    for axes in panels:
        axes.set_xticks(places, ["1", "2", "3", "1", "2", "3"])
        axes.set_xlabel("published runs             our runs")
        if axes is not panels[0]:
            low, high = axes.get_ylim()
            axes.set_ylim(min(low * 1.3, 0), high * 1.35)
            thousands(axes)
        axes.legend(loc="upper left" if axes is panels[1] else "upper right", ncols=2)
    return figure


def budget(study: Study) -> Figure:
    """Exact outcomes and mean captures by budget and by deck, Algorithm 2."""
    figure, panels = new_figure(11.4, 4.2, 2)
    series = (("A fails %", RED, "-o"), ("B fails %", ORANGE, "--s"), ("both hold %", BLUE, "-^"))
    by_budget = [r for r in study.table("budgets").records() if r["algorithm"] == "Algorithm 2"]
    by_deck = [
        r
        for r in study.table("decks").records()
        if r["algorithm"] == "Algorithm 2" and str(r["deck"]).startswith("4x")
    ]
    for axes, records, column, xlabel, title in (
        (panels[0], by_budget, "budget", "budget (6 in the paper)", "By budget, full deck"),
        (panels[1], by_deck, "deck", "deck, suits x ranks", "By deck, four suits"),
    ):
        x = [str(r[column]) for r in records]
        for name, colour, style in series:
            label = name.removesuffix(" %")
            axes.plot(x, [float(r[name] or 0) for r in records], style, color=colour, label=label)
        axes.set_ylabel("% of pairs of hands")
        axes.set_ylim(0, 105)
        axes.set_xlabel(xlabel)
        axes.set_title(title)
        other = axes.twinx()
        other.spines.right.set_visible(True)
        other.grid(False)
        means = [
            float(r["mean captures of tricks"]) * 100
            if r["mean captures of tricks"] is not None
            else float("nan")
            for r in records
        ]
        other.plot(x, means, ":x", color=NAVY, label="mean captures")
        other.set_ylim(0, 105)
        other.set_ylabel("mean captures where both hold, % of tricks", color=NAVY)
        lines, labels = axes.get_legend_handles_labels()
        more, names = other.get_legend_handles_labels()
        figure.legend(
            [*lines, *more], [*labels, *names], loc="outside lower center", ncols=4
        ) if axes is panels[1] else None
    return figure


def cost(study: Study) -> Figure:
    """Time per deal for each way, and the growth of the closed form with the deck."""
    figure, panels = new_figure(11.4, 3.8, 2)
    rows = [r for r in study.table("cost").records() if r["microseconds"] is not None]
    names = [str(r["way"]) for r in rows]
    times = [float(r["microseconds"] or 0) for r in rows]
    spread = [[float(r["microseconds"] or 0) - float(r["25%"] or 0) for r in rows],
              [float(r["75%"] or 0) - float(r["microseconds"] or 0) for r in rows]]  # fmt: skip
    panels[0].barh(names, times, color=BLUE, xerr=spread, ecolor=NAVY, capsize=3)
    panels[0].set_xscale("log")
    panels[0].grid(axis="x")
    panels[0].grid(axis="y", visible=False)
    panels[0].invert_yaxis()
    panels[0].set_xlabel("microseconds per deal (log scale)")
    panels[0].set_title("One deal")
    for at, value in enumerate(times):
        panels[0].annotate(
            f"{value:,.0f}",
            (float(rows[at]["75%"] or 0), at),
            (7, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
        )
    panels[0].set_xlim(min(times) / 3, max(times) * 6)
    growth = study.table("growth").records()
    for suits, marker, colour in (("4", "o", BLUE), ("2", "s", ORANGE)):
        mine = [r for r in growth if str(r["deck"]).startswith(suits)]
        panels[1].plot(
            [float(r["cards"] or 0) for r in mine],
            [float(r["microseconds"] or 0) for r in mine],
            marker,
            color=colour,
            label=f"{suits} suits",
        )
    cards = sorted(float(r["cards"] or 0) for r in growth)
    last = max(growth, key=lambda r: float(r["cards"] or 0))
    scale = float(last["microseconds"] or 0) / float(last["cards"] or 1) ** 2
    panels[1].plot(
        cards, [scale * n * n for n in cards], "--", color=GREY, label="growing as (n m)²"
    )
    panels[1].set_xscale("log")
    panels[1].set_yscale("log")
    panels[1].set_xticks([8, 16, 24, 36, 52], ["8", "16", "24", "36", "52"])
    panels[1].minorticks_off()
    panels[1].set_xlabel("cards n m")
    panels[1].set_ylabel("microseconds")
    panels[1].set_title("Algorithm 2 on growing decks")
    panels[1].legend(loc="lower right")
    return figure


DRAWINGS: Final[dict[str, Drawing]] = {
    "conditions": conditions,
    "captures": captures,
    "hand-conditions": hand_conditions,
    "hand-captures": hand_captures,
    "second-hand": second_hand,
    "headline": headline,
    "fairness": order,
    "budget": budget,
    "truth": truth,
    "truth-chances": forecast_chances,
    "strains": strains,
    "real-play": real_play,
    "offence": payoffs,
    "offence-match": points,
    "beliefs": beliefs,
    "beliefs-calibration": calibration,
    "learning-curves": curves,
    "learning-contracts": contracts,
    "risk": risk,
    "cost": cost,
}
"""How each figure that a study declares is drawn."""
