"""The published figures agree with themselves, so that a slip of the pen would show."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tribridge.lab.studies.published import published, published_table

RUNS = ("sim 1", "sim 2", "sim 3")


def test_every_cell_stands_once() -> None:
    keys = [(f.table, f.row, f.column) for f in published()]
    assert len(keys) == len(set(keys)) == 113


@pytest.mark.parametrize("run", RUNS)
def test_conditions_add_up_to_the_sample_and_captures_to_those_that_qualify(run: str) -> None:
    conditions, captures = published_table("conditions"), published_table("captures")
    assert sum(f.value for (row, _), f in conditions.items() if row == run) == 1_000_000
    qualifying = sum(f.value for (row, _), f in captures.items() if row == run)
    assert qualifying == conditions[run, "both hold"].value


@pytest.mark.parametrize("table", ["conditions", "captures"])
def test_means_and_percentages_follow_from_the_runs(table: str) -> None:
    figures = published_table(table)
    for column in {column for _, column in figures}:
        mean = sum((figures[run, column].value for run in RUNS), Decimal(0)) / 3
        assert abs(mean - figures["mean", column].value) < Decimal("0.006")
        assert abs(mean / 10_000 - figures["percent", column].value) < Decimal("0.0051")


def test_the_second_hand_table_adds_up() -> None:
    figures = published_table("second hand")
    for row in ("7", "8", "9", "10"):
        asked, good, bad, failed, rate = (
            figures[row, column].value
            for column in (
                "A1 satisfied",
                "A2 satisfied",
                "A2 not satisfied",
                "P2 failure",
                "success rate",
            )
        )
        assert good + bad == asked
        assert failed == bad
        assert abs(100 * good / asked - rate) < Decimal("0.006")


def test_the_headline_table_adds_up() -> None:
    figures = published_table("headline")
    for run in RUNS:
        value = {row: f.value for (row, column), f in figures.items() if column == run}
        assert value["deals with a bidder"] + value["deals passed out"] == value["deals"]
        assert value["both eligible"] < value["deals with a bidder"]
