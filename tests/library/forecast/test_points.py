"""Kind `points`: the fast totals against a sum by hand from the printed table."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from tribridge.cards.cards import Hand, Rank, Strain, Suit, parse_hand
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.cli.forecast_text import points_tables
from tribridge.forecast.points import SHEETS, Points, dumps_points, loads_points

POINTS = Points.load()
HONOURS = "AKQJT"


def printed() -> dict[str, tuple[int, dict[str, dict[str, int]]]]:
    """The table that people get, read back from its print: start and values by line and step."""
    from rich.console import Console

    console = Console(width=200)
    with console.capture() as capture:
        for part in points_tables(POINTS):
            console.print(part)
    sheets: dict[str, tuple[int, dict[str, dict[str, int]]]] = {}
    for line in capture.get().splitlines():
        title = re.match(r"(.*): start with (-?\d+)", line)
        if title:
            sheets[title[1]] = (int(title[2]), {})
            continue
        cells = re.match(r"(\S.*?)\s{2,}(\S.*)", line)
        if cells and sheets and cells[1] not in ("add for each", "chances"):
            steps = re.findall(r"(\S+) ([+-]\d+)", cells[2])
            list(sheets.values())[-1][1][cells[1].strip()] = {s: int(v) for s, v in steps}
    return sheets


PRINTED = printed()


def step(row: dict[str, int], size: int) -> int:
    """The value of a length in a line such as `0-1 -1  2 -1  3-4 +0  5+ -1`."""
    for name, value in row.items():
        low, _, high = name.rstrip("+").partition("-")
        last = 13 if name.endswith("+") else int(high or low)
        if int(low) <= size <= last:
            return value
    raise AssertionError(row, size)


def by_hand(hand: Hand, dummy: Hand | None, strain: Strain) -> int:
    """The points as a person adds them up, card by card and suit by suit."""
    cards = 13 if dummy is None else 26
    other = dummy or Hand()
    trump = strain.trump
    start, lines = PRINTED[f"{'notrump' if trump is None else 'a suit'}, {cards} cards"]
    total = start
    for suit in Suit:
        mine = [Rank(c.rank).letter for c in hand.suit(suit) | other.suit(suit)]
        length, fewer = len(mine), min(hand.length(suit), other.length(suit))
        place = "honours" if trump is None else "trump honours" if suit is trump else "side honours"
        total += sum(lines[place][letter] for letter in mine if letter in HONOURS)
        if trump is None:
            total += step(lines["length of a suit" if cards == 13 else "fit in a suit"], length)
        elif cards == 13:
            total += step(lines["trumps" if suit is trump else "length of a side suit"], length)
        elif suit is trump:
            total += step(lines["trump fit"], length)
            total += step(lines["trumps, shorter hand"], fewer)
        else:
            total += step(lines["side suit, shorter hand"], fewer)
    return total


def test_the_total_is_the_sum_from_the_printed_table() -> None:
    masks = deal_masks(77, 0, 25)
    alone, together = POINTS.totals(masks[:, 0]), POINTS.totals(masks[:, 0], masks[:, 1])
    for at in range(25):
        hand, dummy = Hand(int(masks[at, 0])), Hand(int(masks[at, 1]))
        for strain in Strain:
            assert alone[at, strain] == by_hand(hand, None, strain)
            assert together[at, strain] == by_hand(hand, dummy, strain)


def test_the_lines_of_a_sum_add_up_to_the_total() -> None:
    masks = deal_masks(78, 0, 25)
    for row in masks:
        hand, dummy = Hand(int(row[0])), Hand(int(row[1]))
        for strain in Strain:
            for other, cards in ((None, 13), (dummy, 26)):
                lines = POINTS.sheet(strain, cards).lines(hand, other, strain.trump)
                both = None if other is None else row[1:2]
                assert sum(value for _, value in lines) == POINTS.totals(row[:1], both)[0, strain]


def test_chances_follow_the_curve_by_hand() -> None:
    hand = parse_hand("AKQ2.K93.A92.KQ5")
    mask = np.array([hand.mask], np.uint64)
    for strain in (Strain.NOTRUMP, Strain.SPADES):
        sheet = POINTS.sheet(strain, 13)
        total = int(POINTS.totals(mask)[0, strain])
        width = sheet.width + sheet.slope * (total - 65) / 10
        found = POINTS.from_hand(mask)[0, strain]
        for k in range(1, 14):
            above = (total - sheet.thresholds[k - 1]) / width
            curve = {
                "normal": (1 + math.erf(above / math.sqrt(2))) / 2,
                "logistic": 1 / (1 + math.exp(-above)),
            }[sheet.curve]
            assert found[k:].sum() == pytest.approx(curve, abs=1e-6)


def test_ten_points_are_about_a_trick() -> None:
    masks = deal_masks(79, 0, 2000)
    for totals, chances in (
        (POINTS.totals(masks[:, 0]), POINTS.from_hand(masks[:, 0])),
        (POINTS.totals(masks[:, 0], masks[:, 1]), POINTS.from_pair(masks[:, 0], masks[:, 1])),
    ):
        away = chances @ np.arange(14) - totals / 10
        assert abs(away.mean()) < 0.1
        assert np.abs(away).mean() < 0.35


def test_values_are_whole_and_honours_are_ranked() -> None:
    for name, sheet in POINTS.sheets.items():
        assert all(isinstance(value, int) for row in sheet.values for value in row)
        for part, row in zip(SHEETS[name], sheet.values, strict=True):
            if part.counts == "honours":
                assert list(row) == sorted(row, reverse=True)
                assert row[0] > row[1] > row[2]
        assert list(sheet.thresholds) == sorted(sheet.thresholds)


def test_the_data_file_reads_back_as_it_was_written() -> None:
    text = dumps_points(POINTS)
    again = loads_points(text)
    assert dumps_points(again) == text
    assert json.loads(text)["made"] == POINTS.made
