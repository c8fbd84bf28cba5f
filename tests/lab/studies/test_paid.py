"""Bidders for the paper's two schemes, settled under both."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.learned_bidder import hold_auctions, labelled_deals
from benchmarks.paid_bidders import FOR_EACH, SCHEMES
from tribridge.cards.cards import FULL_DECK, Strain
from tribridge.game.auction import Bid, Contract
from tribridge.game.scoring import find_scheme
from tribridge.lab.studies.learned import SOLVED
from tribridge.lab.studies.paid import Result
from tribridge.lab.studies.study import stored
from tribridge.strategies.versions import caller_version


def test_the_result_is_by_the_bidders_as_they_are_at_a_commit() -> None:
    note = stored("paid", Result).note
    for name in FOR_EACH:
        assert str(caller_version(name)) in note
    assert "commit" in note
    assert "dirty" not in note


@pytest.mark.parametrize("scheme", SCHEMES)
def test_contracts_are_settled_under_the_scheme(scheme: str) -> None:
    """Points of the table of values are those of the scheme, contract by contract."""
    deals = labelled_deals(9, scheme)
    contracts = hold_auctions(deals, [[FOR_EACH[0]] * 3] * 9)
    points = deals.settle(contracts)[SOLVED]
    nets = find_scheme(scheme)
    for at in np.flatnonzero(contracts[:, 0] >= 0).tolist():
        declarer, strain, level = contracts[at].tolist()
        contract = Contract(Bid(level, list(Strain)[strain]), declarer)
        worths = [float(net) for net in nets.nets(contract, FULL_DECK)]
        assert points[at] in worths
    other = labelled_deals(9, "old" if scheme == "new" else "new").settle(contracts)[SOLVED]
    assert (points != other).any()
