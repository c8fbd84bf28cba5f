"""The study of fairness: seats, the order of calling, the dummy, accuracy and sample sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.seats import seats_of
from tests.lab.studies.helpers import small_suite
from tests.library.arena.made_up import with_points
from tribridge.arena.results import shipped_matches
from tribridge.common.errors import SettingError
from tribridge.lab.studies import claims, fairness
from tribridge.lab.studies.study import Outcome, Runner, stored

pytestmark = pytest.mark.slow  # most look at the studies, which take a while to run


@pytest.fixture
def study() -> Outcome[Any]:
    return small_suite()["fairness"]


def test_shares_of_the_contracts_add_up(study: Outcome[Any]) -> None:
    rows = study.table("fairness-seats").records()
    for reading in {r["reading"] for r in rows}:
        mine = [r for r in rows if r["reading"] == reading]
        assert [r["to call"] for r in mine] == list(fairness.PLACES)
        assert sum(float(r["% of contracts"] or 0) for r in mine) == pytest.approx(100)


def test_an_advantage_of_the_first_to_call_is_found() -> None:
    """Points that go with the place, not with the seat, are told apart from points of seats."""
    match = shipped_matches()[0]
    games = match.work.games
    dealers = np.array([game.number for game in match.games]) % 3
    points = np.zeros((len(match.games), 3))
    points[np.arange(len(points)), dealers] = 30.0
    points[:: 2 * games] += 1e-3  # not all deals alike
    gains = fairness.place_gains(with_points(match, points))
    rows = {gain.place: gain.points.estimate for gain in gains}
    assert rows["first"] == pytest.approx(20)
    assert rows["second"] == rows["third"] == pytest.approx(-10)
    assert abs(rows["North"]) < 0.1
    turned = replace(small_suite()["fairness"].result, order=tuple(gains), tiny=())
    verdicts = {claim.text: claim.verdict for claim in fairness.claims(turned)}
    assert verdicts["The game is balanced when all three bid freely"] == claims.FAILS


def test_the_contracts_made_are_those_with_either_dummy(study: Outcome[Any]) -> None:
    for row in study.result.dummies[:-1]:  # the last is not of the paper's game
        mine = [seat for seat in study.result.places if seat.reading == row.judged_by]
        assert row.qualified + row.others == sum(seat.contracts for seat in mine)
        assert row.qualified * row.made + row.others * row.others_made == pytest.approx(
            sum(seat.contracts * seat.made for seat in mine)
        )


def test_a_qualifying_dummy_is_a_stronger_sign_under_every_reading(study: Outcome[Any]) -> None:
    rows = study.result.dummies
    assert rows[-1].judged_by == "double dummy"
    for row in rows:
        gap = row.made - row.others_made
        assert row.difference.estimate == pytest.approx(gap)
        assert row.difference.low < gap < row.difference.high


def test_the_sample_sizes_are_checked_against_the_published_figures(study: Outcome[Any]) -> None:
    rows = {str(r["where"]): r for r in study.table("fairness-samples").records()}
    assert rows["Table 2"]["implied by its figures"] == 1_000_000
    assert rows["Headline table"]["implied by its figures"] == 10_000_000
    second = rows["Second-hand table"]
    assert second["implied by its figures"] is None
    assert "no sample size" in str(second["verdict"])
    found = {claim.text: claim.verdict for claim in fairness.claims(study.result)}
    assert found["The results come from 100,000 deals"] == claims.FAILS


def test_places_on_the_tiny_deck_are_those_of_the_program() -> None:
    """With few iterations the values are close already, and their sum is that of the table."""
    shipped, again = stored("seats", fairness.Seats), seats_of(60, 1, lambda text: None)
    for row in again.places:
        assert abs(row.first + row.second + row.third) < 1e-6
        kept = [seen for seen in shipped.places if seen.scheme == row.scheme]
        assert min(abs(seen.third - row.third) for seen in kept) < 0.5


def test_too_few_deals_are_refused() -> None:
    with pytest.raises(SettingError, match="needs at least"):
        fairness.run(fairness.Size(10, 400), 1, Runner())
