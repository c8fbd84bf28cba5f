"""Contracts that are bid: the auctions of the caller `learned`, as training sees them."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[learn]'")

from tribridge.cards.cards import FULL_DECK, Hand  # noqa: E402
from tribridge.cards.deals import Deal, Seat  # noqa: E402
from tribridge.game import new_table, view  # noqa: E402
from tribridge.game.scoring import find_scheme  # noqa: E402
from tribridge.lab.training.bidders import best, sampling  # noqa: E402
from tribridge.lab.training.bidding_games import Dealing, play  # noqa: E402
from tribridge.lab.training.networks import shipped  # noqa: E402
from tribridge.lab.training.play import bid_deals  # noqa: E402
from tribridge.networks.auction import STRAINS  # noqa: E402
from tribridge.networks.stakes import Game  # noqa: E402
from tribridge.strategies import decision_rng, find_caller  # noqa: E402
from tribridge.strategies.learned import STAKES  # noqa: E402

torch.set_num_threads(1)
CPU = torch.device("cpu")
AUCTION = {Game(find_scheme("auction")): 1.0}


def test_the_bidder_is_the_caller_of_the_package() -> None:
    torch.manual_seed(5)
    dealing, bidder = Dealing(AUCTION, CPU), best(shipped(STAKES, CPU))
    deals = dealing.deal(6)
    games = play(bidder, bidder, torch.ones(6, 3, dtype=torch.bool), deals, dealing)
    caller = find_caller("learned")
    for at in range(6):
        north, east, south, hidden = (Hand(mask) for mask in deals.hands[at].tolist())
        table = new_table(Deal((north, east, south, hidden)), Seat.NORTH)
        while table.turn is not None and table.contract is None and not table.over:
            seen = view(table, table.turn)
            table = table.apply(caller.call(seen, decision_rng(1, at, table.turn, 0)).action)
        made = table.contract
        standing = int(games.standing[at])
        assert (made is None) == (standing == 0)
        if made is not None:
            assert STRAINS * (made.bid.level - 1) + made.bid.strain.index + 1 == standing
            assert made.declarer.index == int(games.bidder[at])


def test_auctions_that_are_passed_out_have_no_contract() -> None:
    torch.manual_seed(1)
    dealing, bidder = Dealing(AUCTION, CPU, doubles=0.5), sampling(shipped(STAKES, CPU))
    contracts, worth = dealing.bid(bidder, 200)
    assert 0 < len(contracts) < 200
    assert worth.shape == (len(contracts), 14)
    assert (contracts.hands.sum(1) == FULL_DECK.mask).all()
    assert (contracts.bids[:, 0] != 0).all()
    assert (contracts.bids[:, 1:] != 0).any(), "real auctions have overcalls"
    assert contracts.doubled.any()
    assert sum(map(len, bid_deals(dealing, bidder, 200))) >= 200
