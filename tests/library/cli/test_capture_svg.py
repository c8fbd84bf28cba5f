"""The picture of a capture result: well formed, complete, nothing outside its frame."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tribridge.capture import Result, algorithm1, algorithm2
from tribridge.cards.cards import Deck, parse_hand
from tribridge.cards.dealer import deal
from tribridge.cli.capture_svg import svg

SMALL = Deck(4, 3)


def results() -> list[Result]:
    deals = [deal(4, n) for n in range(30)]
    small = [deal(4, n, SMALL) for n in range(10)]
    return [
        *(algorithm2(d.hands[0], d.hands[1]) for d in deals),
        *(algorithm1(d.hands[0]) for d in deals),
        *(algorithm2(d.hands[0], d.hands[1], SMALL, 2) for d in small),
    ]


@pytest.mark.parametrize("result", results(), ids=lambda r: f"{r.outcome.value}-{r.captures}")
def test_a_picture_shows_each_capture_inside_its_frame(result: Result) -> None:
    root = ElementTree.fromstring(svg(result))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    texts = [(e.attrib, e.text) for e in root.iter() if e.tag.endswith("text")]
    written = [text for _, text in texts]
    for number in range(1, result.captures + 1):
        assert str(number) in written
    for attributes, text in texts:
        x, size = float(attributes["x"]), float(attributes["font-size"])
        length = 0.62 * size * len(text or "")
        start = {"start": x, "middle": x - length / 2, "end": x - length}[attributes["text-anchor"]]
        assert start >= 0
        assert start + length <= width + 1, text
        assert 0 <= float(attributes["y"]) <= height


def test_a_long_verdict_takes_more_lines_and_moves_the_matrix_down() -> None:
    short, long = (
        svg(algorithm2(parse_hand(hand), parse_hand(dummy)))
        for hand, dummy in (
            ("AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93"),
            ("KQJT9.Q.Q.AKQJT9", "8765432.J.JT987."),
        )
    )
    heights = [float(ElementTree.fromstring(text).attrib["height"]) for text in (short, long)]
    assert heights[1] > heights[0]
    assert "the dummy has 1" in long
