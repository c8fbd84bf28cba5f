"""What all figures share: style, colours, and how a figure becomes files.

Colours are those of Okabe and Ito, which colour-blind readers can distinguish; hatches and markers
repeat the distinction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tribridge.common.errors import SettingError, need
from tribridge.common.stats import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RUN_COLOURS: Final = ("#56b4e9", "#009e73", "#e69f00")
NAVY, RED, BLUE, ORANGE, GREY = "#1b2a49", "#c0392b", "#0072b2", "#d55e00", "#8a8a8a"
GREEN: Final = "#009e73"
LOOKS: Final = ((GREY, "o"), (RED, "v"), (BLUE, "s"), (ORANGE, "^"), (NAVY, "D"), (GREEN, "P"))
"""Colours and markers of lines that belong together."""
STYLE: Final[dict[Any, Any]] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#e3e3e3",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.constrained_layout.use": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "tribridge",
}
_METADATA: Final[dict[str, dict[str, Any]]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
}

KINDS: Final = tuple(_METADATA)
"""The kinds of files a figure can be written as."""

Look = tuple[str, str]
"""A colour and a marker."""
Drawing: TypeAlias = "Figure"
"""A figure of Matplotlib, which is not imported until one is drawn."""


def _pyplot() -> Any:
    """Matplotlib, loaded when the first figure is drawn, without a display."""
    need("matplotlib").use("Agg")
    return need("matplotlib.pyplot")


def new_figure(
    width: float, height: float, columns: int = 1, rows: int = 1, **extra: Any
) -> tuple[Figure, Any]:
    """A figure with panels side by side, and below one another."""
    figure, axes = _pyplot().subplots(rows, columns, figsize=(width, height), **extra)
    return figure, axes


def file_kind(path: Path) -> str:
    """The kind of a figure's file by its ending."""
    kind = path.suffix.removeprefix(".").lower()
    if kind not in _METADATA:
        raise SettingError(f"{path}: a figure must be {', '.join(_METADATA)}, not {kind!r}")
    return kind


def drawn(make: Callable[[], Figure], kinds: Iterable[str] = KINDS) -> dict[str, bytes]:
    """Draw a figure in the common style and return it as files of some kinds."""
    pyplot = _pyplot()
    result = {}
    with pyplot.rc_context(STYLE):
        figure = make()
        engine = figure.get_layout_engine()
        assert engine is not None  # the style names one
        engine.execute(figure)
        # Laid out once, the same in all files; with a layout engine left, each file would cost
        # another drawing, and "none" leaves one that does nothing. Saving a file resets the engine
        # to what the style says, so the style must not name one until all files are written.
        with pyplot.rc_context({"figure.constrained_layout.use": False}):
            figure.set_layout_engine(None)
            for kind in kinds:
                buffer = BytesIO()
                figure.savefig(buffer, format=kind, dpi=160, metadata=_METADATA[kind])
                result[kind] = buffer.getvalue()
        pyplot.close(figure)
    return result


def thousands(axes: Axes) -> None:
    """Write the numbers on the vertical axis with commas."""
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def name_axes(axes: Axes, title: str = "", x: str = "", y: str = "") -> None:
    """Title a panel and its axes."""
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def second_axis(axes: Axes, y: str, colour: str, *, ticks: bool = True) -> Axes:
    """Another vertical axis on the right."""
    other: Axes = axes.twinx()
    other.spines.right.set_visible(True)
    other.grid(False)
    other.set_ylabel(y, color=colour)
    if ticks:
        other.tick_params(axis="y", colors=colour)
    return other


def write(
    axes: Axes, text: str, x: float, y: float, up: float = 3, size: float = 9, **extra: Any
) -> None:
    """Text above a point."""
    axes.annotate(
        text, (x, y), (0, up), textcoords="offset points", ha="center", fontsize=size, **extra
    )


def exact_marks(axes: Axes, x: Iterable[float], y: Sequence[float], **extra: Any) -> None:
    """White diamonds for exact values."""
    axes.plot(list(x), y, "D", color="white", markeredgecolor="black", **extra)


def error_bars(spans: Iterable[Interval]) -> list[list[float]]:
    """The lengths of error bars below and above their points, 0 if an interval is infinite."""
    ends = [(span.estimate - span.low, span.high - span.estimate) for span in spans]
    return [[x if isfinite(x) else 0.0 for x in part] for part in zip(*ends, strict=True)]


def plot_spans(
    axes: Axes,
    x: Iterable[float],
    spans: Sequence[Interval],
    look: Look,
    line: str = "-",
    **extra: Any,
) -> None:
    """Estimates with their intervals, joined by a line."""
    colour, marker = look
    axes.errorbar(
        list(x),
        [span.estimate for span in spans],
        yerr=error_bars(spans),
        fmt=f"{line}{marker}",
        color=colour,
        **{"capsize": 3, **extra},
    )


def legend_below(figure: Figure, *panels: Axes, columns: int | None = None) -> None:
    """One legend for panels, below them; a label that two panels have is shown once."""
    shown: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            shown.setdefault(label, handle)
    figure.legend(
        list(shown.values()),
        list(shown),
        loc="outside lower center",
        ncols=columns or len(shown),
    )
