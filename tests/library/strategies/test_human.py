"""The player that plays as experts do: shares, draws, and what it does not look at."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.library.strategies.conformance import check
from tribridge.cards.cards import Card, Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game.scoring import find_scheme
from tribridge.game.table import new_table
from tribridge.game.textbook import positions
from tribridge.game.views import view
from tribridge.networks.people import shown
from tribridge.networks.play import observe, preferences, steps_of
from tribridge.strategies import decision_rng, find_player, find_strategy
from tribridge.strategies.human import HumanPlayer, network, shares, together
from tribridge.strategies.protocol import position_of
from tribridge.strategies.reasons import reason_for
from tribridge.strategies.versions import player_version


def test_it_keeps_the_promises_of_a_strategy() -> None:
    assert check(find_strategy("random:passing=0.4+human:temperature=1"), range(2), every=5)


def test_shares_are_those_of_the_network_for_many() -> None:
    for position in positions()[:12]:
        seen = position.view()
        found = shares(seen)
        assert sum(found.values()) == pytest.approx(1)
        assert list(found.values()) == sorted(found.values(), reverse=True)
        assert set(found) == {card for card in seen.legal if isinstance(card, Card)}
        masks, numbers = observe(seen)
        legal = sum(card.bit for card in found)
        rows = np.array([masks]), shown(np.array([(*numbers, *steps_of(seen))]))
        wishes = preferences(network(), *rows, np.array([legal]))[0]
        powers = np.exp(wishes - wishes.max())
        for card, share in found.items():
            assert share == pytest.approx(powers[card.index] / powers.sum(), rel=1e-3)


def test_the_favourite_is_the_most_popular_card_and_draws_follow_the_shares() -> None:
    seen = positions()[0].view()
    popular = shares(seen)
    choice = HumanPlayer().card(seen, decision_rng(1, 1, Seat.NORTH, 1))
    assert choice.action == next(iter(popular))
    assert choice.details == {str(card): share for card, share in popular.items()}
    player = HumanPlayer(temperature=1.0)
    rng = np.random.default_rng(3)
    drawn = Counter(player.card(seen, rng).action for _ in range(400))
    for card, share in popular.items():
        assert drawn[card] / 400 == pytest.approx(share, abs=0.08)
    cold = shares(seen, 0.5)
    assert cold[next(iter(popular))] > popular[next(iter(popular))]


def test_its_reason_is_what_can_be_said_for_the_card() -> None:
    explained = 0
    for position in positions()[::4]:
        seen = position.view()
        choice = HumanPlayer().card(seen, decision_rng(1, 1, Seat.NORTH, 1))
        assert isinstance(choice.action, Card)
        said = reason_for(position_of(seen), choice.action)
        assert choice.reason == said or (said is None and "learned" in choice.reason)
        explained += said is not None
    assert explained > 5


def test_a_card_that_hardly_anybody_would_play_is_said_to_be_drawn() -> None:
    human, slips = find_strategy("human:temperature=4"), 0
    for number in range(12):
        table = new_table(deal(31, number), Seat.NORTH).call("1NT Pass Pass")
        while len(table.history) < 20:
            seen = view(table, table.turn)
            choice = human.choose(seen, np.random.default_rng(len(table.history)))
            own = choice.action
            assert isinstance(own, Card)
            alike = together(position_of(seen), shares(seen))
            share = next(part for cards, part in alike if own in cards)
            if choice.reason.startswith("Few experts would"):
                assert share < 0.15
                assert alike[0][1] > 0.3
                assert own not in alike[0][0]
                slips += 1
            elif len(seen.legal) > 1:
                assert share >= 0.15 or alike[0][1] <= 0.3
            table = table.play(own)
    assert slips > 5


def test_auction_and_stakes_make_no_difference() -> None:
    found = []
    for calls in ("3NT P P", "1C P 3NT P P"):
        for scheme in ("auction", "contract"):
            table = new_table(deal(3, 5), Seat.NORTH, scheme=find_scheme(scheme)).call(
                calls.split()
            )
            if table.contract is not None and table.contract.declarer is Seat.NORTH:
                found.append(shares(view(table, table.turn)))
    assert len(found) == 2
    assert found[0] == found[1]


def test_small_decks_are_left_to_the_maxims_and_versions_carry_the_weights() -> None:
    assert check(find_strategy("random+human"), range(2), Deck("2x6"))
    assert player_version("human:temperature=0.5").version == "human@2:temperature=0.5"
    assert player_version("human").weights
    assert find_player("human") == HumanPlayer()
