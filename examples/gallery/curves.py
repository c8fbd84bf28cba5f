"""What the scripts of the gallery share: the rules they play by, the opponent, and the picture."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

import tribridge as tb

matplotlib.use("svg")
from matplotlib import pyplot as plt

RULES: dict[str, Any] = {"deck": "2x4", "scheme": str(Path(__file__).with_name("bonus.toml"))}
"""Eight cards, two suits from ace to jack, with a bonus for a contract that makes."""
OPPONENT = "capture+maxims"


def arguments(steps: int, unit: str) -> tuple[int, Path]:
    """How long to learn, and the file for the curve, from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("steps", nargs="?", type=int, default=steps, help=unit)
    parser.add_argument("--out", type=Path, default=Path("curve.svg"), help="file of the curve")
    given = parser.parse_args()
    return given.steps, given.out


def lead(agent: Any, deals: int = 100) -> tuple[float, float, float]:
    """Points per deal by which an agent beats the opponent, and the ends of the 95% interval."""
    (result,) = tb.compare(agent, OPPONENT, deals=deals, seed=2, **RULES).comparisons
    span = result.difference.estimate, result.difference.low, result.difference.high
    ahead = result.first != OPPONENT  # the better one is named first
    return span if ahead else (-span[0], -span[2], -span[1])


def draw(
    out: Path,
    labels: tuple[str, str],
    curves: Mapping[str, Sequence[tuple[float, ...]]],
    levels: Mapping[str, float] | None = None,
    scale: str = "linear",
) -> None:
    """Curves of (x, y), or of (x, y, low, high), and dashed lines to compare them with."""
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "gallery", "font.size": 11}):
        figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
        for name, points in curves.items():
            x, y, *ends = zip(*points, strict=True)
            axes.plot(x, y, label=name)
            if ends:
                axes.fill_between(x, ends[0], ends[1], alpha=0.2, linewidth=0)
        for number, (name, level) in enumerate((levels or {}).items()):
            axes.axhline(level, label=name, linestyle="--", color=f"{0.2 + 0.35 * number:g}")
        axes.set(xlabel=labels[0], ylabel=labels[1], xscale=scale, yscale=scale)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
        figure.savefig(out, metadata={"Date": None})
        plt.close(figure)
    for name, points in curves.items():
        print(f"{name}: {points[-1][1]:.2f} after {points[-1][0]:g} {labels[0]}")
    for name, level in (levels or {}).items():
        print(f"{name}: {level:.2f}")
