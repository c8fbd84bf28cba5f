"""Values as people see them: one line as `repr`, words as `str`, a drawing in a notebook."""

from __future__ import annotations

from functools import cache
from xml.etree import ElementTree

import pytest

import tribridge as tb
from tribridge.common import charts

NAMES = (
    "advice", "advice on a pass", "distribution", "forecast", "estimate", "both hands", "fails",
    "comparison", "few deals", "review",
)  # fmt: skip


@cache
def values() -> dict[str, object]:
    forecast = tb.forecast_tricks("AKQ2.K93.A92.KQ5")
    played = tb.play_game("random", "random", "random", seed=1, deck="4x6")
    made = (
        tb.advise("AKJT4.KQ3.2.A652", auction="1H pass", defence=20, doubles=True),
        tb.advise("7432.964.T92.854", defence=0),
        forecast["NT"],
        forecast,
        tb.estimate("AKQ2.AK3.A92.KQJ"),
        tb.estimate("AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93"),
        tb.estimate("7432.964.T92.854"),
        tb.compare("points+random", "random", deals=100),
        tb.compare("points+random", "random", deals=4),
        tb.review(played, layouts=8),
    )
    return dict(zip(NAMES, made, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_a_value_is_short_and_has_words_and_a_drawing(name: str) -> None:
    _check(values()[name], few=name == "few deals")


@pytest.mark.full
def test_a_review_of_the_full_deck_has_words_and_a_drawing() -> None:
    _check(tb.review(tb.play_game(*["points+random"] * 3, seed=1), layouts=8))


def _check(value: object, *, few: bool = False) -> None:
    assert 5 < len(repr(value)) < 160
    assert "\n" not in repr(value)
    assert str(value)
    drawn = value._repr_html_()  # type: ignore[attr-defined]
    page = ElementTree.fromstring(drawn)  # well formed
    assert len(drawn) < 25_000
    text = "".join(page.itertext())
    assert "object at 0x" not in text
    chart = page.find(".//{http://www.w3.org/2000/svg}svg")
    tables = page.iter("table")
    assert chart is not None or any(tables) or few
    assert "#000" not in drawn  # ink is the page's own, light or dark
    assert "#fff" not in drawn


def test_advice_shows_the_calls_and_marks_the_one_to_make() -> None:
    advice = values()["advice"]
    assert isinstance(advice, tb.Advice)
    page = ElementTree.fromstring(advice._repr_html_())
    rows = [[("".join(cell.itertext()), cell) for cell in row] for row in page.iter("tr")][1:]
    assert [row[0][0] for row in rows] == [*map(str, advice.compared)]
    bold = [row[0][0] for row in rows if "bold" in row[0][1].attrib["style"]]
    assert bold == [str(advice.call)]


def test_bars_are_as_high_as_the_chances() -> None:
    chances = [0.0, 0.25, 0.5, 0.25]
    page = ElementTree.fromstring(charts.bars(chances, 2))
    bars = [e for e in page.iter() if e.tag.endswith("rect")]
    heights = [float(bar.attrib["height"]) for bar in bars]
    assert heights == pytest.approx([0, heights[2] / 2, heights[2], heights[2] / 2], abs=0.1)
    assert [bar.attrib["fill"] for bar in bars] == [charts.GREY] * 2 + [charts.BLUE] * 2


@pytest.mark.parametrize(("low", "mid", "high"), [(-3, 1, 5), (2, 4, 9), (-8, -6, -1), (0, 0, 0)])
def test_an_interval_lies_where_its_numbers_are(low: float, mid: float, high: float) -> None:
    page = ElementTree.fromstring(charts.interval(low, mid, high, "points"))
    lines = [e for e in page.iter() if e.tag.endswith("line")]
    zero, span = float(lines[1].attrib["x1"]), lines[2].attrib
    for value, at in ((low, span["x1"]), (high, span["x2"])):
        assert (float(at) > zero) == (value > 0)
        assert (float(at) < zero) == (value < 0)


def test_text_of_others_is_escaped() -> None:
    drawn = charts.block(charts.table(("<b>", "x"), [("<script>", "a & b")]), "♥ <i>")
    assert "<script>" not in drawn
    assert "<i>" not in drawn
    ElementTree.fromstring(drawn)
