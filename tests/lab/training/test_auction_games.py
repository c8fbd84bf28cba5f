"""Auctions in lockstep are the game: the same calls allowed, the same contract, the same view."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tests.lab.training.features import auction_features
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.arrays import Place, fetch, namespace, put
from tribridge.game.auction import PASS, Bid, Call, Mark
from tribridge.game.table import Table, new_table
from tribridge.game.tricks import chair_hands
from tribridge.game.views import view
from tribridge.networks.auction import (
    DOUBLE,
    REDOUBLE,
    AuctionGames,
    by_standing,
    call_number,
    expand,
    observe,
)
from tribridge.networks.play import observe as observe_play

MARKS = {Mark.DOUBLE: DOUBLE, Mark.REDOUBLE: REDOUBLE}


def number(call: Call) -> int:
    return MARKS[call] if isinstance(call, Mark) and call in MARKS else call_number(call)


def choose(table: Table, random: Random) -> Call:
    """A random call, more often a pass or a low bid than not."""
    legal = table.auction.legal
    marks = [call for call in legal if isinstance(call, Mark) and call is not PASS]
    if marks and random.random() < 0.4:
        return random.choice(marks)
    bids = [call for call in legal if isinstance(call, Bid)]
    if not bids or random.random() < 0.4:
        return PASS
    return random.choice(bids[:8])


@pytest.mark.parametrize("doubles", [False, True])
def test_random_auctions_agree_with_the_table_call_by_call(doubles: bool, place: Place) -> None:
    random = Random(1)
    count = 60
    deals = [deal(5, at) for at in range(count)]
    dealers = [Seat(at % 3) for at in range(count)]
    tables = [
        new_table(dealt, dealer, doubles=doubles)
        for dealt, dealer in zip(deals, dealers, strict=True)
    ]
    masks = [
        [*(dealt.hands[dealer.after(at)].mask for at in range(3)), dealt.hidden.mask]
        for dealt, dealer in zip(deals, dealers, strict=True)
    ]
    hands = put(np.array(masks), place)
    games = AuctionGames(count, hands.device, doubles=doubles)
    while not games.over.all():
        numbers = games.observe(hands)
        suits, common = map(fetch, expand(numbers, namespace(place).float32))
        numbers = numbers.tolist()
        legal, over = games.legal().tolist(), games.over.tolist()
        calls = []
        for at, table in enumerate(tables):
            assert over[at] == table.auction.over
            assert legal[at] == sum(1 << number(call) for call in table.auction.legal)
            if over[at]:
                calls.append(random.randrange(38))  # has no effect
                continue
            observation = observe(view(table, table.turn))
            assert tuple(numbers[at]) == observation
            own, shared = auction_features(observation)
            assert np.array_equal(suits[at], own)
            assert np.array_equal(common[at], shared)
            call = choose(table, random)
            calls.append(number(call))
            tables[at] = table.apply(call)
        games.step(put(np.array(calls), place))
    contracts = games.contracts(hands)
    passed_out = 0
    for row in range(count):
        contract = tables[row].contract
        if contract is None:
            passed_out += 1
            assert not contracts.bids[row].any()
            continue
        assert contracts.hands[row].tolist() == list(chair_hands(deals[row], contract.declarer))
        assert contracts.level[row] == contract.bid.level
        assert contracts.strain[row] == contract.bid.strain.index
        assert 2 ** contracts.doubled[row].item() == contract.factor
        heard = observe_play(view(tables[row], tables[row].turn)).numbers
        assert contracts.bids[row].tolist() == list(heard[9:12])
        assert contracts.passes[row].tolist() == list(heard[12:15])
    assert 0 < passed_out < count


def test_calls_over_a_standing_bid_are_those_of_an_auction(place: Place) -> None:
    standing = put(np.array([0, 1, 17, 35]), place)
    games = AuctionGames(4, standing.device)
    games.standing = standing
    assert by_standing(standing).tolist() == games.legal().tolist()
