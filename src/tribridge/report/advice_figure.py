"""Advice as a figure: the chance of every contract, and what a bid promises against its risk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribridge.cards import Strain, hand_signs
from tribridge.forecast.advice import Advice
from tribridge.forecast.distribution import percent
from tribridge.forecast.prospects import LEVELS
from tribridge.game.auction import Bid, Call
from tribridge.report.drawing import BLUE, GREY, NAVY, ORANGE, RED, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STRAINS = tuple(reversed(Strain))
_SHOWN = 12
"""Bids that the right panel names: those with the highest expectation."""


def advice_figure(advice: Advice) -> Figure:
    """Left the chances as a map, right expectation against the mean of the worst 5 %."""
    figure, panels = new_figure(11.4, 4.4, 2, gridspec_kw={"width_ratios": [1.1, 1]})
    _chances(panels[0], advice)
    _risks(panels[1], advice)
    title = hand_signs(advice.hand)
    if advice.dummy is not None:
        title += f"  with  {hand_signs(advice.dummy)}"
    figure.suptitle(title, x=0.01, ha="left")
    return figure


def _chances(axes: Axes, advice: Advice) -> None:
    allowed = set(advice.sufficient)
    grid = [
        [advice.bids[Bid(level, strain)].chance or 0.0 for level in range(1, LEVELS + 1)]
        for strain in _STRAINS
    ]
    axes.imshow(grid, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for row, strain in enumerate(_STRAINS):
        for level in range(1, LEVELS + 1):
            bid = Bid(level, strain)
            chance = grid[row][level - 1]
            text = f"{percent(chance)} %\n{advice.bids[bid].expected:+.0f}"
            colour = "white" if chance > 0.6 else "black" if bid in allowed else GREY
            axes.text(level - 1, row, text, ha="center", va="center", color=colour, fontsize=8)
    for call, colour, inset in (
        (advice.neutral.call, RED, 0.0),
        (advice.cautious.call, ORANGE, 0.05),
    ):
        if isinstance(call, Bid):
            _frame(axes, call, colour, inset)
    axes.set_xticks(range(LEVELS), [str(level) for level in range(1, LEVELS + 1)])
    axes.set_yticks(range(len(_STRAINS)), [strain.sign for strain in _STRAINS])
    axes.grid(False)
    axes.set_xlabel("level")
    axes.set_title("Chance to make, and expected points")


def _frame(axes: Axes, bid: Bid, colour: str, inset: float) -> None:
    from matplotlib.patches import Rectangle

    corner = bid.level - 1.5 + inset, _STRAINS.index(bid.strain) - 0.5 + inset
    size = 1 - 2 * inset
    axes.add_patch(Rectangle(corner, size, size, fill=False, edgecolor=colour, linewidth=2.2))


def _risks(axes: Axes, advice: Advice) -> None:
    bids = sorted(advice.sufficient, key=lambda bid: -advice.bids[bid].expected)[:_SHOWN]
    for bid in bids:
        found = advice.bids[bid]
        axes.plot(found.worst, found.expected, "o", color=_colour(advice, bid), markersize=6)
        axes.annotate(
            str(bid), (found.worst, found.expected), (5, 3), textcoords="offset points", fontsize=9
        )
    passing = advice.passing
    axes.plot(passing.worst, passing.expected, "s", color=NAVY, markersize=7)
    axes.annotate(
        "Pass", (passing.worst, passing.expected), (5, 3), textcoords="offset points", fontsize=9
    )
    axes.axhline(0, color="black", linewidth=1)
    axes.margins(x=0.12)
    axes.set_xlabel("mean of the worst 5 %, points")
    axes.set_ylabel("expected points")
    names = f"neutral: {advice.neutral.call}, cautious: {advice.cautious.call}"
    axes.set_title(f"Promise and risk ({names})")


def _colour(advice: Advice, call: Call) -> str:
    if call == advice.neutral.call:
        return RED
    return ORANGE if call == advice.cautious.call else BLUE
