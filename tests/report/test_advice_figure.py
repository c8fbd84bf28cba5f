"""The figure of an advice: labels that can be read, bids that cannot be made left out."""

from __future__ import annotations

import matplotlib
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.text import Text

from tribridge.advice.calls import Advice, advise, parse_auction
from tribridge.cards import parse_hand
from tribridge.game.scoring import find_scheme
from tribridge.report.advice_figure import advice_figure
from tribridge.studies.drawing import STYLE

STRONG, DUMMY, SPADES = "AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93", "AKQJT98765.4.3.2"


def advice(hand: str, dummy: str | None, calls: str) -> Advice:
    other = None if dummy is None else parse_hand(dummy)
    return advise(
        parse_hand(hand), other, parse_auction(calls), scheme=find_scheme("old"), kind="points"
    )


def named(axes: Axes) -> list[str]:
    return [call for text in axes.texts for call in text.get_text().split()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hand", "dummy", "calls"),
    [(STRONG, None, ""), (STRONG, DUMMY, ""), (SPADES, None, "3C"), (STRONG, None, "7NT")],
)
def test_every_call_is_named_and_no_two_labels_meet(
    hand: str, dummy: str | None, calls: str
) -> None:
    found = advice(hand, dummy, calls)
    with matplotlib.rc_context(STYLE):
        figure = advice_figure(found)
        figure.canvas.draw()
        axes = figure.axes[1]
        boxes = [Text.get_window_extent(text) for text in axes.texts]
        panel = axes.get_window_extent()
        calls_named = named(axes)
        pyplot.close(figure)
    assert len(calls_named) == len(set(calls_named)) == min(len(found.sufficient), 12) + 1
    assert {"Pass", str(found.neutral.call), str(found.cautious.call)} <= set(calls_named)
    for at, one in enumerate(boxes):
        assert panel.y0 - 2 <= one.y0
        assert one.y1 <= panel.y1 + 2
        for other in boxes[at + 1 :]:
            overlap = one.intersection(one, other)
            assert overlap is None or min(overlap.width, overlap.height) < 2


def test_bids_that_cannot_be_made_are_dots() -> None:
    found = advice(SPADES, None, "3C")
    with matplotlib.rc_context(STYLE):
        figure = advice_figure(found)
        texts = [text.get_text() for text in figure.axes[0].texts]
        legend = [text.get_text() for text in figure.legends[0].get_texts()]
        pyplot.close(figure)
    assert texts.count("·") == 35 - len(found.sufficient)
    assert legend == ["neutral and cautious: 4♠", "another bid", "Pass"]
