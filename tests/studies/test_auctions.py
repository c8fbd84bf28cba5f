"""Auctions on the labelled deals: in step or one by one, and settled by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tribridge.cards import FULL_DECK, Strain
from tribridge.deals import Seat
from tribridge.double_dummy.labels import shipped, shipped_played
from tribridge.game import Bid, Contract, Outcome, find_scheme, scores
from tribridge.game.auction import Auction
from tribridge.strategies import decision_rng, find_caller
from tribridge.studies.auctions import (
    PLAYED,
    SOLVED,
    contracts_of,
    dealer_of,
    gains,
    hold_auctions,
    labelled_deals,
    one_against_two,
    view_of,
)


def test_auctions_in_step_are_those_held_one_by_one() -> None:
    deals = labelled_deals(9)
    names = [["learned", "points", "capture"]] * len(deals)
    for deal, together in enumerate(hold_auctions(deals, names)):
        alone = Auction(dealer_of(deal), FULL_DECK)
        while (seat := alone.turn) is not None:
            seen = view_of(deals.hand(deal, seat.index), alone)
            call = find_caller(names[deal][seat]).call(seen, decision_rng(1, deal, seat, 0)).action
            alone.check(call)  # type: ignore[arg-type]
            alone = alone.apply_unchecked(call)  # type: ignore[arg-type]
        assert together == alone


def test_contracts_are_settled_as_the_scheme_scores_them() -> None:
    deals = labelled_deals(6)
    contracts = np.array([[0, 4, 1], [1, 3, 2], [2, 0, 7], [-1, 0, 1], [0, 2, 3], [1, 1, 1]])
    for by, labels in ((SOLVED, shipped()), (PLAYED, shipped_played())):
        points = deals.settle(contracts.astype(np.int8), by)
        for deal, (declarer, strain, level) in enumerate(contracts.tolist()):
            if declarer < 0:
                assert not points[deal].any()
                continue
            contract = Contract(Bid(level, Strain(strain)), Seat(declarer))
            tricks = int(labels.tricks[deal, declarer, strain])
            each = [float(x) for x in scores(Outcome(contract, tricks), find_scheme("auction"))]
            for seat in range(3):
                others = [each[other] for other in range(3) if other != seat]
                assert points[deal, seat] == pytest.approx(each[seat] - sum(others) / 2)


def test_points_at_a_table_add_up_to_nothing() -> None:
    deals = labelled_deals(30)
    seats, contracts = one_against_two(deals, "points", "capture")
    for by in (PLAYED, SOLVED):
        assert deals.settle(contracts, by).sum(1) == pytest.approx(0)
    assert seats[:4].tolist() == [0, 1, 2, 0]
    own = gains(deals, seats, contracts, PLAYED)
    assert own[4] == deals.settle(contracts, PLAYED)[4, 1]


def test_passed_out_deals_have_no_declarer() -> None:
    deals = labelled_deals(3)
    contracts = contracts_of(hold_auctions(deals, [["pass"] * 3] * 3))
    assert (contracts[:, 0] == -1).all()
