"""Auctions in lockstep: what is left of them for the play."""

from __future__ import annotations

import numpy as np

from tribridge.networks.auction import BIDS, PASS, AuctionGames, set_auction


def test_a_set_auction_is_what_its_three_calls_leave() -> None:
    games = AuctionGames(BIDS)
    for call in (np.arange(BIDS), np.full(BIDS, PASS), np.full(BIDS, PASS)):
        games.step(call)
    contracts = games.contracts(np.zeros((BIDS, 4), np.int64))
    bids, passes = set_auction(contracts.level, contracts.strain)
    assert bids.tolist() == contracts.bids.tolist()
    assert passes.tolist() == contracts.passes.tolist()
