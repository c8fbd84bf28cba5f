"""The words for a run, shared by the terminal and the browser."""

from __future__ import annotations

from tribridge.capture import algorithm1, algorithm2, wording
from tribridge.cards.cards import parse_hand
from tribridge.club.language import translated
from tribridge.club.pages.algorithm import frames

HAND, DUMMY = parse_hand("AKQ2.K93.A92.KQ5"), parse_hand("743.AQ5.KT43.J93")


def test_a_run_that_holds_is_told_from_the_gap_to_the_stop() -> None:
    result = algorithm2(HAND, DUMMY)
    assert result.stop is not None
    assert wording.headline(result) == (
        f"Algorithm 2: both conditions hold, {result.captures} captures, check value {result.check}"
    )
    assert wording.total_gap(result).endswith(f" = {result.total_gap}")
    assert list(wording.conditions(result)) == ["A", "B"]
    assert all(words.endswith("holds") for words in wording.conditions(result).values())
    assert wording.captured(result.trace[0]) == (
        "♣K of the hand captured, free; ♣3 of the dummy removed"
    )
    assert wording.stopped(result, result.stop).startswith("stop: ")


def test_a_failed_condition_is_named_with_its_reason() -> None:
    result = algorithm1(parse_hand("5432.543.543.543"))
    assert wording.conditions(result) == {"A": f"{result.total_gap} > 6: fails"}
    assert "exceeds the budget 6; 0 captures" in wording.headline(result)


def test_pages_say_the_same_as_the_terminal() -> None:
    result = algorithm2(HAND, DUMMY)
    texts = [frame.text for frame in frames(result)]
    for words in (
        wording.total_gap(result)[1:],
        *wording.conditions(result).values(),
        *map(wording.captured, result.trace),
        wording.totals(result)[1:],
    ):
        assert any(translated(words) in text for text in texts)
