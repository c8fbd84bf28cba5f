"""Small pictures of findings: every number where it belongs on its line."""

from __future__ import annotations

from importlib import resources
from math import inf

import pytest

from tribridge.common.stats import Interval
from tribridge.lab.report.abstract import Finding, Measured
from tribridge.lab.report.strips import strip


def finding(*spans: Interval, zero: float = 0.0) -> Finding:
    measured = tuple(Measured(str(at), span) for at, span in enumerate(spans))
    return Finding("A sentence.", "How we know.", "truth", "tricks", measured, "+.1f", zero)


def test_numbers_lie_on_one_scale_with_what_they_are_compared_with() -> None:
    shown = strip(finding(Interval(2, 1, 4), Interval(-4, -4, -2)))
    assert shown is not None
    first, second = shown.marks
    assert second.at == second.left < second.right < shown.zero < first.left < first.at
    assert first.right - shown.zero == pytest.approx(shown.zero - second.left)
    assert (first.number, first.interval) == ("+2.0", "[+1.0, +4.0]")
    assert 0 < second.left < first.right < 100


def test_an_interval_without_end_ends_with_the_strip_and_says_so() -> None:
    shown = strip(finding(Interval(1, -inf, inf), Interval(3, 2, 4)))
    assert shown is not None
    wide, known = shown.marks
    assert wide.interval == "[too few deals]"
    assert (wide.left, wide.right) == (shown.zero, known.right)


def test_a_number_alone_has_no_interval_and_no_numbers_have_no_picture() -> None:
    shown = strip(finding(Interval(10.3, 10.3, 10.3)))
    assert shown is not None
    assert [(mark.number, mark.interval) for mark in shown.marks] == [("+10.3", "")]
    assert strip(finding()) is None


def test_the_typeface_is_that_of_the_table() -> None:
    fonts = (
        resources.files(house).joinpath(folder, "fraunces.woff2").read_bytes()
        for house, folder in (
            ("tribridge.club", "static"),
            ("tribridge.lab.report", "templates"),
        )
    )
    assert len(set(fonts)) == 1
