"""Played tricks beside double dummy: counted again one by one."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

from benchmarks.play_differences import (
    LEAST,
    LONGEST,
    Differences,
    count_differences,
    result_of,
    summary,
)
from tests.lab.studies.helpers import alike, without_commit
from tribridge.cards.cards import Strain
from tribridge.common.errors import SettingError
from tribridge.forecast import forecast
from tribridge.lab.labels.labels import Labels, load_labels, shipped
from tribridge.lab.studies import real_play
from tribridge.lab.studies.drawing import drawn
from tribridge.lab.studies.study import Outcome, dumps_result, stored

DATA = Path(__file__).parents[3] / "data"
DEALS = 60


@pytest.fixture(scope="module")
def solved() -> Labels:
    return shipped().first(DEALS)


@pytest.fixture(scope="module")
def played(solved: Labels) -> Labels:
    """Made up: in play every contract takes up to two tricks more or one less."""
    change = np.random.default_rng(1).integers(-1, 3, solved.tricks.shape)
    tricks = np.clip(solved.tricks + change, 0, 13).astype(np.int8)
    return Labels(replace(solved.work, player="learned"), solved.numbers, tricks)


@pytest.fixture(scope="module")
def counted(solved: Labels, played: Labels) -> Differences:
    return count_differences(solved, played)


def contracts(solved: Labels, played: Labels) -> list[tuple[int, int, int, int, int]]:
    """Place, fit, expected tricks, double-dummy tricks and tricks played, one by one."""
    rows = []
    for at in range(DEALS):
        seat = at % 3
        hand, dummy = (int(solved.hands[at, column]) for column in (seat, 3))
        fits = [(hand >> 13 * s & 8191).bit_count() + (dummy >> 13 * s & 8191).bit_count()
                for s in range(4)]  # fmt: skip
        longest = max(range(4), key=lambda s: (fits[s], s))
        expected = forecast_means(hand, dummy)
        for place in range(6):
            strain = longest if place == LONGEST else place
            fit = 0 if place == Strain.NOTRUMP.index else fits[strain]
            truth, taken = (int(each.tricks[at, seat, strain]) for each in (solved, played))
            rows.append((place, fit, round(expected[strain]), truth, taken))
    return rows


def forecast_means(hand: int, dummy: int) -> list[float]:
    from tribridge.cards.cards import Hand

    chances = forecast(Hand(hand), Hand(dummy))
    return [chances[strain].mean for strain in Strain]


def test_every_contract_is_counted(solved: Labels, played: Labels, counted: Differences) -> None:
    wanted = np.zeros_like(counted.counts)
    for row in contracts(solved, played):
        wanted[row] += 1
    assert counted.counts.sum() == 6 * DEALS
    # The forecast for one hand leaves out impossible tricks, which may move a mean across a half.
    assert (counted.counts != wanted).sum() <= 4
    assert np.array_equal(counted.counts.sum(2), wanted.sum(2))
    assert counted.source == "60 deals played by learned of seed 2026, one declarer each"


def test_a_row_by_hand(solved: Labels, played: Labels, counted: Differences) -> None:
    gaps = [row[4] - row[3] for row in contracts(solved, played) if row[0] == Strain.NOTRUMP.index]
    row = summary(counted.of((int(Strain.NOTRUMP),)))
    assert row.contracts == DEALS
    assert row.gap.estimate == pytest.approx(mean(gaps))
    assert row.sd == pytest.approx(stdev(gaps))
    margin = 1.96 * stdev(gaps) / DEALS**0.5
    assert (row.gap.low, row.gap.high) == pytest.approx((mean(gaps) - margin, mean(gaps) + margin))
    assert row.shares[0] == pytest.approx(100 * mean(gap > 0 for gap in gaps))
    assert sum(row.shares) == pytest.approx(100)
    wider = summary(counted.of((int(Strain.NOTRUMP),)), 4).gap
    assert wider.high - wider.low == pytest.approx(2 * (row.gap.high - row.gap.low))


def check_tables(result: Outcome[Any]) -> None:
    strains = {r["contract"]: r for r in result.table("real-play-strains").records()}
    suits = ("clubs", "diamonds", "hearts", "spades")
    total = sum(int(str(strains[suit]["contracts"])) for suit in suits)
    assert strains["any suit"]["contracts"] == total
    fits = result.table("real-play-fits").records()
    assert all(int(str(r["contracts"])) >= LEAST for r in fits)


@pytest.mark.slow
def test_the_result_in_the_package_is_that_of_the_labels() -> None:
    check_tables(real_play.STUDY.outcome(stored("real_play", real_play.Result)))
    labels = (load_labels(DATA / f"{name}-8.parquet") for name in ("labels", "played"))
    whole = count_differences(*labels)
    pairs = whole.counts[LONGEST].sum()
    assert [part.sum() for part in whole.counts] == [pairs] * 6
    assert whole.counts[Strain.NOTRUMP, 1:].sum() == 0
    assert whole.counts[LONGEST, :7].sum() == 0  # of 26 cards, one suit has at least 7
    text = resources.files("tribridge.lab.studies").joinpath("real_play.json").read_text("utf-8")
    assert alike(without_commit(dumps_result(result_of(whole))), without_commit(text))


def test_the_tables_of_a_few_deals(counted: Differences) -> None:
    check_tables(real_play.STUDY.outcome(result_of(counted)))
    assert b"any suit" in drawn(lambda: real_play.draw(result_of(counted)), ("svg",))["svg"]


def test_only_the_same_deals_can_be_compared(solved: Labels, played: Labels) -> None:
    with pytest.raises(SettingError, match="expected double-dummy labels"):
        count_differences(played, solved)
    other = replace(played.work, seed=3)
    with pytest.raises(SettingError, match="same deals"):
        count_differences(solved, Labels(other, played.numbers, played.tricks))
    later = Labels(played.work, played.numbers + np.uint64(DEALS), played.tricks)
    with pytest.raises(SettingError, match="deals in common"):
        count_differences(solved, later)


def test_the_study_is_part_of_the_report() -> None:
    from tribridge.lab.studies.suite import find_study

    assert find_study("real-play") is real_play.STUDY
