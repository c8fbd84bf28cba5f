"""Tables of the page: an interval beside its estimate, with as many digits as it leaves sure."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tribridge.common.tables import Column, StudyTable
from tribridge.lab.report.page import page_environment, show_table

SPAN = Column("points", interval=("95% from", "to"))


def shown(*rows: tuple[float | None, ...], column: Column = SPAN) -> str:
    low, high = column.interval or ("", "")
    table = StudyTable("t", "T", (column, Column(low), Column(high), Column("deals")), rows)
    return re.sub(r"\s+", " ", str(show_table(page_environment(), table, "")))


@pytest.mark.parametrize(
    ("span", "text"),
    [
        ((-6.966, -8.814, -5.109), "-7.0 <span>[-8.8, -5.1]</span>"),
        ((0.827, 0.612, 1.052), "0.83 <span>[0.61, 1.05]</span>"),
        ((0.0061, -0.0944, 0.1066), "0.01 <span>[-0.09, 0.11]</span>"),
        ((1234.5, 1100.0, 1400.0), "1,234 <span>[1,100, 1,400]</span>"),
        ((3e-9, -3.7e-6, 3.7e-6), "0.0000 <span>[0.0000, 0.0000]</span>"),
    ],
)
def test_an_interval_stands_beside_its_estimate(span: tuple[float, ...], text: str) -> None:
    page = shown((*span, 100))
    assert text in page
    assert page.count("<th ") == 2
    assert "points [95%]" in page


def test_an_exact_number_and_one_from_few_deals_have_no_interval() -> None:
    assert "<span>[" not in shown((0.5, 0.5, 0.5, 100), (0.5, None, None, 9))


def test_ends_that_are_no_interval_of_chance_keep_their_names() -> None:
    assert "won [lowest, highest]" in shown(
        (1.0, 0.0, 2.0, 3), column=Column("won", interval=("lowest", "highest"))
    )


def test_digits_that_a_column_names_stay() -> None:
    page = shown((0.5, 0.25, 0.75, 9), column=Column("p", digits=3, interval=("p from", "p to")))
    assert "0.500 <span>[0.250, 0.750]</span>" in page


def test_a_percentage_without_an_interval_has_one_digit_unless_it_was_counted() -> None:
    share = Column("made", unit="%", interval=("from", "to"))
    assert ">88.0</td>" in shown((88.0, 88.0, 88.0, 600), column=share)
    assert ">18.332</td>" in shown((18.332, 18.332, 18.332, 9), column=replace(share, exact=True))
