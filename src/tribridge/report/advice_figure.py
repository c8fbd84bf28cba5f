"""Advice as a figure: the chance of every contract, and expectation against risk of each bid."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Literal

from matplotlib.transforms import Bbox

from tribridge.advice.calls import Advice
from tribridge.advice.prospects import LEVELS
from tribridge.cards import Strain, hand_signs
from tribridge.forecast.distribution import percent
from tribridge.game.auction import PASS, Bid, Call
from tribridge.studies.drawing import BLUE, GREY, ORANGE, RED, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STRAINS = tuple(reversed(Strain))
_SHOWN = 12
"""Bids labelled in the right panel: those with the highest expectation."""
_NEAR = 4
"""Pixels within which points share a label."""
_PLACES = [
    (right * reach, up * reach)
    for reach in (6, 14, 24, 36, 50)
    for right, up in ((1, 0.5), (1, -1.5), (-1, 0.5), (-1, -1.5), (0, 1), (0, -2))
]
"""Where a label may go relative to its point, in points; the first free place is used."""
_ALIGNED = {"left": 0.0, "center": 0.5, "right": 1.0}


def advice_figure(advice: Advice) -> Figure:
    """Left: the chances as a heat map; right: expectation against the mean of the worst 5%."""
    figure, panels = new_figure(11.4, 4.6, 2, gridspec_kw={"width_ratios": [1.1, 1]})
    title = hand_signs(advice.hand)
    if advice.dummy is not None:
        title += f"  with  {hand_signs(advice.dummy)}"
    figure.suptitle(title, x=0.01, ha="left")
    _chances(panels[0], advice)
    points = _risks(panels[1], advice)
    _legend(figure, advice)
    figure.canvas.draw()  # labels are placed in pixels, so the layout must be final
    _name(panels[1], points)
    return figure


def _chances(axes: Axes, advice: Advice) -> None:
    allowed = set(advice.sufficient)
    for row, strain in enumerate(_STRAINS):
        for level in range(1, LEVELS + 1):
            bid = Bid(level, strain)
            chance = advice.bids[bid].chance or 0.0
            text, colour = "·", GREY
            if bid in allowed:
                text = f"{percent(chance)}%\n{advice.bids[bid].expected:+.0f}"
                colour = "white" if chance > 0.6 else "black"
            axes.text(level - 1, row, text, ha="center", va="center", color=colour, fontsize=8)
    grid = [
        [
            (advice.bids[bid].chance or 0.0) if bid in allowed else nan
            for bid in (Bid(level, strain) for level in range(1, LEVELS + 1))
        ]
        for strain in _STRAINS
    ]
    axes.imshow(grid, cmap="Blues", vmin=0, vmax=1, aspect="auto")
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
    axes.set_title("Chance of making, and expected points")


def _frame(axes: Axes, bid: Bid, colour: str, inset: float) -> None:
    from matplotlib.patches import Rectangle

    corner = bid.level - 1.5 + inset, _STRAINS.index(bid.strain) - 0.5 + inset
    size = 1 - 2 * inset
    axes.add_patch(Rectangle(corner, size, size, fill=False, edgecolor=colour, linewidth=2.2))


def _risks(axes: Axes, advice: Advice) -> dict[str, tuple[float, float]]:
    """Draw the calls as points, the recommended ones on top; returns their names and places."""
    bids = sorted(advice.sufficient, key=lambda bid: -advice.bids[bid].expected)[:_SHOWN]
    told = [call for call in (advice.neutral.call, advice.cautious.call) if call is not PASS]
    calls: dict[Call, tuple[float, float]] = {}
    for call in (*told, PASS, *advice.doubling, *bids):
        prospect = advice.prospect(call)
        calls[call] = prospect.worst, prospect.expected
    for call, place in calls.items():
        marker, colour = _look(advice, call)
        axes.plot(*place, marker, color=colour, markersize=7, zorder=2 + (colour != BLUE))
    axes.axhline(0, color="black", linewidth=1)
    axes.margins(x=0.12, y=0.12)
    axes.set_xlabel("mean of the worst 5%, points")
    axes.set_ylabel("expected points")
    axes.set_title("Expectation and risk")
    return {str(call): place for call, place in calls.items()}


def _look(advice: Advice, call: Call) -> tuple[str, str]:
    """Marker and colour of a call."""
    shape = "s" if call is PASS else "o"
    if call == advice.neutral.call:
        return shape if call is PASS else "D", RED
    if call == advice.cautious.call:
        return shape if call is PASS else "^", ORANGE
    return shape, BLUE


def _legend(figure: Figure, advice: Advice) -> None:
    from matplotlib.lines import Line2D

    told = {"neutral": advice.neutral.call, "cautious": advice.cautious.call}
    if told["neutral"] == told["cautious"]:
        told = {"neutral and cautious": told["neutral"]}
    handles = []
    for who, call in told.items():
        marker, colour = _look(advice, call)
        label = f"{who}: {call}"
        handles.append(Line2D([], [], marker=marker, color=colour, linestyle="", label=label))
    handles.append(Line2D([], [], marker="o", color=BLUE, linestyle="", label="another bid"))
    if PASS not in told.values():
        handles.append(Line2D([], [], marker="s", color=BLUE, linestyle="", label="Pass"))
    figure.legend(handles=handles, loc="outside lower right", ncols=len(handles))


def _name(axes: Axes, points: dict[str, tuple[float, float]]) -> None:
    """Label the points without overlaps; equal points share a label."""
    groups: dict[tuple[int, int], list[str]] = {}
    pixels = {name: axes.transData.transform(place) for name, place in points.items()}
    for name, (x, y) in pixels.items():
        near = (k for k in groups if abs(k[0] - x) <= _NEAR and abs(k[1] - y) <= _NEAR)
        groups.setdefault(next(near, (round(x), round(y))), []).append(name)
    taken = [Bbox.from_bounds(x - _NEAR, y - _NEAR, 2 * _NEAR, 2 * _NEAR) for x, y in groups]
    for pixel, names in groups.items():
        taken.append(_label(axes, " ".join(names), points[names[0]], pixel, taken))


def _label(
    axes: Axes, text: str, place: tuple[float, float], pixel: tuple[int, int], taken: list[Bbox]
) -> Bbox:
    """Put a label in a free place, with a line to its point if that is not near."""
    label = axes.annotate(text, place, fontsize=9)
    size = label.get_window_extent()
    label.remove()
    panel, scale = axes.get_window_extent(), axes.figure.dpi / 72
    boxes = {}
    for right, up in _PLACES:
        left = pixel[0] + right * scale - size.width * _ALIGNED[_side(right)]
        boxes[right, up] = Bbox.from_bounds(left, pixel[1] + up * scale, size.width, size.height)
    offset = next(
        (
            offset
            for offset, box in boxes.items()
            if panel.x0 <= box.x0
            and box.x1 <= panel.x1
            and panel.y0 <= box.y0
            and box.y1 <= panel.y1
            and not any(box.overlaps(other) for other in taken)
        ),
        _PLACES[0],
    )
    far = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3}
    axes.annotate(
        text,
        place,
        offset,
        textcoords="offset points",
        fontsize=9,
        ha=_side(offset[0]),
        va="bottom",
        arrowprops=far if offset not in _PLACES[:6] else None,
    ).set_in_layout(False)
    return boxes[offset]


def _side(right: float) -> Literal["left", "right", "center"]:
    """The alignment of a label at that offset from its point."""
    return "left" if right > 0 else "right" if right < 0 else "center"
