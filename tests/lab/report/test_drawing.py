"""How a figure becomes files."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from tribridge.lab.studies.drawing import drawn, new_figure


def test_a_figure_is_laid_out_once_for_all_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out = []
    execute = ConstrainedLayoutEngine.execute

    def counted(engine: ConstrainedLayoutEngine, figure: Figure) -> object:
        laid_out.append(figure)
        return execute(engine, figure)

    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", counted)
    files = drawn(lambda: new_figure(4, 3)[0])
    assert files.keys() == {"svg", "png", "pdf"}
    assert len(laid_out) == 1
