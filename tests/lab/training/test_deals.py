"""Random deals and their contracts, in NumPy and in PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.real_play import relaid
from tribridge.cards import masks
from tribridge.cards.cards import FULL_DECK, Deck, Strain
from tribridge.common.arrays import Place, fetch, namespace, put
from tribridge.forecast.net import Net
from tribridge.lab.labels.labels import shipped
from tribridge.lab.training.deals import (
    RuleContracts,
    contract_levels,
    contracts_for,
    deal_hands,
    forecast,
    honour_points,
    lengths,
)
from tribridge.networks.auction import seat_hands, set_auction


@pytest.mark.parametrize("deck", [FULL_DECK, Deck(4, 3), Deck(2, 6)], ids=str)
def test_dealing_gives_each_hand_its_cards(deck: Deck, place: Place) -> None:
    hands = deal_hands(50, deck, place)
    assert (hands.sum(1) == deck.mask).all()
    assert (lengths(hands).sum(-1) == deck.hand_size).all()
    assert len(set(fetch(hands)[:, 0].tolist())) > 10
    declarer = put(np.full(50, 2), place)
    assert seat_hands(hands, declarer).tolist() == hands[:, [2, 0, 3, 1]].tolist()


def test_every_card_is_dealt_to_every_hand_alike(place: Place) -> None:
    hands = fetch(deal_hands(4000, Deck(4, 3), place))
    cards = hands[..., None] >> np.array([0, 1, 2, 13, 14, 15]) & 1
    assert np.abs(cards.mean(0) - 0.25).max() < 0.04


def test_points_are_those_of_the_package(place: Place) -> None:
    hands = deal_hands(50, FULL_DECK, place)[:, 1]
    expected = masks.honour_points(fetch(hands).astype(np.uint64))
    assert honour_points(hands).tolist() == expected.tolist()


@pytest.mark.parametrize("deck", [FULL_DECK, Deck(3, 4)], ids=str)
def test_the_rule_sets_contracts_of_the_deck(deck: Deck, place: Place) -> None:
    contracts = RuleContracts(deck).deal(2000, place)
    assert (contracts.hands.sum(1) == deck.mask).all()
    assert set(contracts.strain.tolist()) == {strain.index for strain in deck.strains}
    assert set(contracts.level.tolist()) == set(range(1, deck.levels + 1))
    bids, passes = set_auction(contracts.level, contracts.strain)
    assert bids.tolist() == contracts.bids.tolist()
    assert passes.tolist() == contracts.passes.tolist()
    points = honour_points(contracts.hands)
    strongest = (points[:, 0] >= points[:, 1]) & (points[:, 0] >= points[:, 3])
    assert 0.85 < fetch(strongest).mean() < 0.97, "all but a share have the strongest declarer"
    both = fetch(contracts.hands[:, 0] | contracts.hands[:, 2])
    strain = fetch(contracts.strain)
    suit = strain < 4
    fits = lengths(both)[np.flatnonzero(suit), strain[suit]]
    assert 0.85 < (13 * fits >= 8 * deck.ranks).mean() < 1


def test_levels_follow_the_forecast(place: Place) -> None:
    expected = forecast(place)
    contracts = RuleContracts(FULL_DECK, expected).deal(500, place)
    tricks = fetch(expected(contracts.hands[:, 0], contracts.hands[:, 2]))
    wanted = tricks[np.arange(500), fetch(contracts.strain)]
    over = fetch(contracts.level) + FULL_DECK.book - wanted
    common = (wanted > 8) & (wanted < 12)
    assert abs(over[common].mean()) < 0.2
    assert 0.8 < over[common].std() < 1.3, "give or take a trick"


def test_the_forecast_is_that_of_the_package(place: Place) -> None:
    hands = deal_hands(20, FULL_DECK, place)
    expected = fetch(forecast(place)(hands[:, 0], hands[:, 3]))
    masks = fetch(hands).astype(np.uint64)
    chances = Net.load().from_pair(masks[:, 0], masks[:, 3])
    np.testing.assert_allclose(expected, chances @ np.arange(14), atol=0.02)


def test_contracts_are_at_the_level_that_is_expected(place: Place) -> None:
    xp = namespace(place)
    expected = put(np.array([[0.0, 6.4, 7.4, 8.6, 13.0]]), place)
    assert contract_levels(expected).tolist() == [[1, 1, 1, 3, 7]]
    hands = put(np.array([[1, 2, 4, 8], [16, 32, 64, 128]]), place)
    contracts = contracts_for(
        hands,
        (Strain.HEARTS, Strain.NOTRUMP),
        lambda own, dummy: xp.stack([own, dummy, 8 * own, own, dummy], 1) + 0.0,
    )
    assert contracts.hands[:, 0].tolist() == [1, 1, 16, 16]
    assert contracts.strain.tolist() == [2, 4, 2, 4]
    assert contracts.level.tolist() == [2, 1, 7, 7]
    assert contracts.bids[0].tolist() == [1 << 7, 0, 0]


def test_only_the_defenders_are_dealt_again() -> None:
    labels = shipped().first(5)
    chairs = labels.work.chairs(labels.numbers, labels.hands)
    again = relaid(chairs, 3, np.random.default_rng(1))
    assert (again.sum(1) == (1 << 52) - 1).all()
    assert again[:, [0, 2]].tolist() == chairs[:, [0, 2]].repeat(3, 0).tolist()
    assert {mask.bit_count() for mask in again.flatten().tolist()} == {13}
    assert len(set(again[:, 1].tolist())) == len(again)
