"""Forecasts for the terminal, and the table that the documents show."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from tribridge.cards.cards import Strain, parse_hand
from tribridge.cli.forecast_text import bar, forecast_table, points_tables
from tribridge.forecast import Distribution, forecast
from tribridge.forecast.points import Points

DOCS = Path(__file__).parents[3] / "docs"


def test_the_document_shows_the_sheets_for_thirteen_cards_as_they_are_printed() -> None:
    console = Console(width=100)
    with console.capture() as capture:
        for part in points_tables(Points.load()):
            console.print(part)
    text = (DOCS / "explanation" / "forecast.md").read_text("utf-8")
    sheets, found, _ = capture.get().partition("notrump, 26 cards")
    assert found
    for line in sheets.splitlines():
        assert line.rstrip() in text


def test_the_bar_has_a_column_for_each_number_of_tricks() -> None:
    text = bar(Distribution.of([0] * 6 + [1, 4, 40, 40, 14, 1, 0, 0])).plain
    assert len(text) == 14
    assert text[8] == text[9] == "█"
    assert text[7] == "▁"
    assert text[0] == text[13] == " "


def test_rows_of_the_table_are_the_forecast() -> None:
    found = forecast(parse_hand("AKQ2.K93.A92.KQ5"), kind="points")
    console = Console(width=80)
    with console.capture() as capture:
        console.print(forecast_table(found))
    rows = {line.split()[0]: line.split() for line in capture.get().splitlines()[1:]}
    for strain in Strain:
        one, row = found[strain], rows[strain.sign]
        assert row[1:3] == [f"{one.mean:.1f}", f"{one.sd:.1f}"]
        assert row[3] == f"{one.interval(0.8).low}-{one.interval(0.8).high}"
        assert row[4] == f"{100 * one.at_least(7):.0f}"


@pytest.mark.parametrize("width", [36, 46, 60])
@pytest.mark.parametrize("dummy", [None, "743.AQ5.KT43.J93"])
def test_a_narrow_terminal_loses_columns_and_no_digits(width: int, dummy: str | None) -> None:
    other = None if dummy is None else parse_hand(dummy)
    found = forecast(parse_hand("AKQ2.K93.A92.KQ5"), other)
    console = Console(width=width)
    with console.capture() as capture:
        console.print(forecast_table(found, width))
    head, *rows = capture.get().splitlines()
    assert "…" not in capture.get()
    assert ("±" in head) == (width >= 46)
    assert head.rstrip().endswith("13" if width == 60 else "13+")
    for row, strain in zip(rows, reversed(Strain), strict=True):
        assert row.split()[:2] == [strain.sign, f"{found[strain].mean:.1f}"]
