"""Contracts that are bid: the auctions of the caller `learned`, as training sees them."""

from __future__ import annotations

import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed: pip install 'tribridge[learn]'"
)

from tribridge.cards import FULL_DECK, Hand  # noqa: E402
from tribridge.deals import Deal, Seat  # noqa: E402
from tribridge.game import new_table, view  # noqa: E402
from tribridge.networks.auction import AuctionGames  # noqa: E402
from tribridge.strategies import decision_rng, find_caller  # noqa: E402
from tribridge.training.bidders import best, sampling  # noqa: E402
from tribridge.training.deals import (  # noqa: E402
    BidContracts,
    RuleContracts,
    bid_contracts,
    deal_hands,
)
from tribridge.training.networks import shipped_bidder  # noqa: E402

torch.set_num_threads(1)
CPU = torch.device("cpu")


def test_the_bidder_is_the_caller_of_the_package() -> None:
    torch.manual_seed(5)
    hands = deal_hands(6, FULL_DECK, CPU)
    games, call = AuctionGames(6, CPU), best(shipped_bidder(CPU))
    while not games.over.all():
        games.step(call(games.observe(hands), games.legal(), hands))
    caller = find_caller("learned")
    for at in range(6):
        north, east, south, hidden = (Hand(mask) for mask in hands[at].tolist())
        table = new_table(Deal((north, east, south, hidden)), Seat.NORTH)
        while table.turn is not None and table.contract is None and not table.over:
            seen = view(table, table.turn)
            table = table.apply(caller.call(seen, decision_rng(1, at, table.turn, 0)).action)
        made = table.contract
        standing = int(games.standing[at])
        assert (made is None) == (standing == 0)
        if made is not None:
            assert 5 * (made.bid.level - 1) + made.bid.strain.index + 1 == standing
            assert made.declarer.index == int(games.bidder[at])


def test_a_share_of_the_contracts_is_bid() -> None:
    torch.manual_seed(2)
    bidder = sampling(shipped_bidder(CPU))
    for share in (0.0, 0.5, 1.0):
        contracts = BidContracts(bidder, RuleContracts(FULL_DECK), share).deal(60, CPU)
        assert len(contracts) == 60
        assert (contracts.hands.sum(1) == FULL_DECK.mask).all()
        single = (contracts.bids[:, 1:] == 0).all(1)
        assert single[round(share * 60) :].all(), "a rule's auction has one bid"
        if share:
            assert not single[: round(share * 60)].all(), "real auctions have overcalls"


def test_auctions_that_are_passed_out_have_no_contract() -> None:
    torch.manual_seed(1)
    contracts = bid_contracts(sampling(shipped_bidder(CPU)), 200, CPU)
    assert 0 < len(contracts) < 200
    assert (contracts.bids[:, 0] != 0).all()
