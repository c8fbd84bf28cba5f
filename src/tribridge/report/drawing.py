"""What all figures share: style, colours, and how a figure becomes files.

Colours are those of Okabe and Ito, which colour-blind readers can distinguish; hatches and markers
repeat the distinction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tribridge.errors import SettingError, need
from tribridge.studies.tidy import Cell, Study, StudyTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RUN_COLOURS: Final = ("#56b4e9", "#009e73", "#e69f00")
NAVY, RED, BLUE, ORANGE, GREY = "#1b2a49", "#c0392b", "#0072b2", "#d55e00", "#8a8a8a"
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

Drawing = Callable[[Study], "Figure"]


def new_figure(width: float, height: float, columns: int = 1, **extra: Any) -> tuple[Figure, Any]:
    """A figure with panels side by side."""
    figure, panels = _pyplot().subplots(1, columns, figsize=(width, height), **extra)
    return figure, panels


def _pyplot() -> Any:
    """Matplotlib, drawing into files."""
    need("matplotlib").use("Agg")
    return need("matplotlib.pyplot")


def render(draw: Drawing, study: Study) -> dict[str, bytes]:
    """A figure as SVG, PNG and PDF; the same bytes for the same study."""
    return drawn(lambda: draw(study))


def file_kind(path: Path) -> str:
    """The kind of a figure's file by its ending."""
    kind = path.suffix.removeprefix(".").lower()
    if kind not in _METADATA:
        raise SettingError(f"{path}: a figure must be {', '.join(_METADATA)}, not {kind!r}")
    return kind


def drawn(make: Callable[[], Figure], kinds: Iterable[str] = KINDS) -> dict[str, bytes]:
    """Draw a figure in the common style and return it as files of some kinds."""
    pyplot, result = _pyplot(), {}
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


def numbers(table: StudyTable, column: str) -> list[float]:
    """A column as numbers."""
    return [float(value) if value is not None else float("nan") for value in table.column(column)]


def thousands(axes: Axes) -> None:
    """Write the numbers on the vertical axis with commas."""
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def number(cell: Cell) -> float:
    """A cell as a number; NaN if it is empty, which is not drawn."""
    return float("nan") if cell is None else float(cell)
