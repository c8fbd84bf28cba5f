"""What calls say to a listener who knows the bidders: summing up, and the result in the package."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.calls_result import kinds
from benchmarks.listening import DEALS, batches
from benchmarks.listening_result import Heard, frequent
from tests.lab.studies.helpers import kept_study
from tribridge.lab.studies import listening, plans
from tribridge.lab.studies.calls import CALIBRATED
from tribridge.lab.studies.listening import MODELS, PREFERRED
from tribridge.networks.auction import PASS

AUCTIONS = np.array([[PASS, 0], [3, PASS], [PASS, PASS], [9, -1], [PASS, -1], [PASS, -1]])
"""pass 1S pass 2NT pass pass, heard by the dealer, and 1C pass pass, heard by the second player."""
BITS = np.random.default_rng(1).normal(size=(6, 2, 4))
HEARD = Heard(AUCTIONS, {PREFERRED: BITS})


def test_hypotheses_were_measured_but_for_the_one_that_nothing_happened_for() -> None:
    outcome = kept_study("listening")
    judged = plans.judge(listening.PLAN, listening.answers(outcome.result))
    assert [key for key, found in judged.items() if found == plans.NOT_MEASURED] == ["notrump"]
    assert "one of a suit" in outcome.table("listening-plan").note


def test_a_listener_does_not_hear_its_own_calls() -> None:
    assert HEARD.made.T.tolist() == [
        [False, True, True, False, True, True],
        [True, False, True, False, False, False],
    ]


def test_calls_are_of_kinds_by_the_bid_that_stood_whoever_made_it() -> None:
    named = {name: int(mask.sum()) for name, mask in kinds(HEARD) if mask.any()}
    # 2NT was the listener's own.
    assert named == {"1♣": 1, "1♠": 1, "pass over level 1": 2, "pass over level 2": 2}
    assert frequent(HEARD) == []


def test_bits_per_call_are_those_of_the_chosen_calls() -> None:
    passes = HEARD.made & ~HEARD.bid
    expected = (BITS[2, 0, 0] + BITS[4, 0, 0] + BITS[5, 0, 0] + BITS[2, 1, 0]) / 4
    assert HEARD.per_call(passes).mean() == pytest.approx(expected)


def test_the_plan_names_every_auction_once() -> None:
    sizes = listening.PLAN.sizes
    for scheme, size in DEALS.items():
        counts = [count for each, _, count in batches() if each == scheme]
        assert sum(counts) == sizes[size]
    every = [batch[:2] for batch in batches()]
    assert len(set(every)) == len(every)


def test_the_result_has_every_listener_and_its_kinds_of_calls() -> None:
    result: listening.Result = kept_study("listening").result
    assert all(row.heard >= listening.PLAN.sizes["frequent"] for row in result.kinds)
    for scheme, size in DEALS.items():
        rows = [row for row in result.modelled if row.scheme == scheme]
        assert tuple(row.listener for row in rows) == MODELS
        assert {row.deals for row in rows} == {listening.PLAN.sizes[size]}
    assert result.model("contract", CALIBRATED).bits.low > -np.inf


def test_the_report_bids_the_first_auctions_again() -> None:
    (again,) = kept_study("listening").result.again
    assert again.listened == listening.STUDY.quick
    assert again.same == again.auctions == 4 * again.listened
    assert np.isfinite(again.now)
