"""The study of learning: its numbers against slow ones, and verdicts that can fall either way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.studies.helpers import kept_study
from tribridge.cards import FULL_DECK
from tribridge.game.auction import Auction, Bid
from tribridge.stats import Interval
from tribridge.strategies import find_caller
from tribridge.studies import claims, learned
from tribridge.studies.auctions import dealer_of, labelled_deals, view_of
from tribridge.studies.study import Outcome


@pytest.fixture
def study() -> Outcome[Any]:
    return kept_study("learning")


@pytest.mark.slow
def test_the_situations_are_those_of_the_callers_one_by_one(study: Outcome[Any]) -> None:
    deals = labelled_deals(study.result.deals)
    counted = dict.fromkeys((str(r["situation"]) for r in
                             study.table("learning-situations").records()), 0)  # fmt: skip
    rng = np.random.default_rng(1)
    auction = Auction(dealer_of(0), FULL_DECK)
    for deal in range(len(deals)):
        for seat in range(3):
            seen = view_of(deals.hand(deal, seat), auction)
            paper, own = (find_caller(n).call(seen, rng).action for n in learned.COMPARED)
            bids = isinstance(paper, Bid), isinstance(own, Bid)
            name = {
                (False, False): "both pass",
                (False, True): "only the learned one bids",
                (True, False): "only the paper's bids",
            }.get(bids, "both make the same bid" if paper == own else "both bid, differently")
            counted[name] += 1
    rows = study.table("learning-situations").records()
    assert {str(r["situation"]): r["hands"] for r in rows} == counted


@pytest.mark.slow
def test_contracts_and_passed_out_deals_add_up(study: Outcome[Any]) -> None:
    for row in study.table("learning-bidding").records():
        mine = [r for r in study.table("learning-contracts").records()
                if r["bidder"] == row["bidder"]]  # fmt: skip
        shares = sum(float(r["% of deals"] or 0) for r in mine) + float(row["% passed out"] or 0)
        assert shares == pytest.approx(100)


@pytest.mark.slow
def test_the_paper_s_bidder_infers_nothing_and_a_better_one_would_be_noticed(
    study: Outcome[Any],
) -> None:
    result: learned.Result = study.result
    first, _second, _third = (claim.verdict for claim in learned.claims(result))
    assert first == claims.FAILS
    behind, unclear = Interval(-5.0, -6.0, -4.0), Interval(0.0, -1.0, 1.0)
    turned = replace(
        result,
        contexts=tuple(replace(row, changed=3.0) for row in result.contexts),
        strength=tuple(replace(row, points=behind, holm=0.01) for row in result.strength),
        play=tuple(replace(row, tricks=unclear, holm=0.5) for row in result.play),
    )
    verdicts = [claim.verdict for claim in learned.claims(turned)]
    assert verdicts == [claims.HOLDS, claims.FAILS, claims.UNDECIDED]
    assert "forecast" in result.training
