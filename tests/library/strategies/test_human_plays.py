"""What cards played as experts play tell of hidden hands, compared with single views."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np
import pytest

from tests.library.game.playing import actions_of
from tribridge.beliefs import Beliefs, chairs, layouts_of, sample
from tribridge.cards.cards import Card, Deck, Hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.cards.masks import U64
from tribridge.common.errors import SettingError
from tribridge.game import Table, new_table, view
from tribridge.game.tricks import Chair
from tribridge.networks.play import observe, steps_of
from tribridge.strategies import human
from tribridge.strategies.human import shares
from tribridge.strategies.human.plays import HumanPlays
from tribridge.strategies.learned.player import LearnedPlayer, beside_plays, heads
from tribridge.strategies.learned.search import EVEN, PLAYED_BY, Powers, likely, replay
from tribridge.strategies.versions import player_version


def played(number: int, cards: int, deck: Deck | None = None) -> Table:
    """A deal after an auction and some cards of random play."""
    dealt = deal(48, number) if deck is None else deal(48, number, deck)
    table = new_table(dealt, Seat(number % 3))
    calls = ("1NT pass pass", "pass 2H pass pass", "1C 1S pass pass")[number % 3]
    for call in calls.split():
        table = table.call(call)
    rng = np.random.default_rng(number)
    for _ in range(cards):
        table = table.apply(table.legal[rng.integers(len(table.legal))])
    return table


def one_by_one(table: Table, seat: Seat, layout: list[int]) -> list[tuple[Seat, float, int]]:
    """The cards that others chose, each from a view of its player in a layout.

    Who played, the share of experts who would have, and how many cards were legal.
    """
    other = new_table(Deal.of([Hand(mask) for mask in layout]), table.dealer)
    found = []
    for action in actions_of(table):
        turn = other.turn
        assert turn is not None
        if isinstance(action, Card) and turn is not seat:
            found.append((turn, shares(view(other, turn))[action], len(other.legal)))
        other = other.apply(action)
    return found


@pytest.mark.parametrize(("number", "cards"), [(0, 11), (1, 14), (2, 21)])
def test_layouts_weigh_as_experts_would_have_played_in_each(number: int, cards: int) -> None:
    table = played(number, cards)
    for seat in Seat:  # declarer, and both defenders, for whom dummy's cards tell of declarer
        seen = view(table, seat)
        layouts: U64 = sample(seen, 4, np.random.default_rng(1))
        layouts = np.concatenate([layouts, layouts[:1]])  # equal hands are asked about once
        chances = np.array(
            [
                prod(share for _, share, _ in one_by_one(table, seat, row))
                for row in layouts.tolist()
            ]
        )
        weights = Beliefs(seen, plays=HumanPlays(), floor=0).weights(layouts)
        np.testing.assert_allclose(weights, chances / chances.sum(), rtol=2e-3)


@pytest.mark.parametrize("cards", [9, 18, 23])
def test_a_search_may_weigh_layouts_as_experts_would_have_played(cards: int) -> None:
    table = played(2, cards)
    seat = table.turn
    assert seat is not None
    assert table.contract is not None
    seen = view(table, seat)
    layouts: U64 = sample(seen, 5, np.random.default_rng(2))
    powers = Powers(0.3, 0.6, 0.9)
    experts = replace(
        PLAYED_BY["experts"], network=human.network, declaring=powers, defending=powers
    )
    left = chairs(seen, layouts).astype(np.int64)
    _, logs = replay(experts, seen, observe(seen).numbers, left)
    expected = []
    for row in layouts.tolist():
        log = 0.0
        for who, share, legal in one_by_one(table, seat, row):
            opponent = table.contract.declarer in (seat, who)
            log += (0.9 if opponent else 0.6) * np.log(0.98 * share + 0.02 / legal)
        expected.append(log)
    np.testing.assert_allclose(logs, expected, rtol=2e-3)


def test_where_plays_are_weighed_a_belief_counts_less_but_for_the_calls() -> None:
    """The odds are scaled that would be believed had the contract been set."""
    powers = Powers(0.3, 1, 1)
    played_by = replace(PLAYED_BY["experts"], declaring=powers, defending=powers)
    beliefs = {}
    for auction in ("1S pass pass", "1C 1S pass pass"):
        dealer = Seat.NORTH if auction[1] == "S" else Seat.SOUTH
        table = new_table(deal(48, 1), dealer)
        for call in auction.split():
            table = table.call(call)
        for _ in range(7):
            table = table.apply(table.legal[0])
        assert table.turn is not None
        seen, steps = view(table, table.turn), steps_of(view(table, table.turn))
        belief = heads(observe(seen), steps)[1]
        beliefs[auction] = belief, beside_plays(seen, belief, played_by, steps)
    (set_one, less), (heard, other) = beliefs.values()
    np.testing.assert_allclose(less, 0.3 * set_one, atol=1e-4)
    assert abs(heard - set_one).max() > 0.01
    np.testing.assert_allclose(other - less, heard - set_one, atol=1e-4)


def test_before_the_first_card_a_belief_counts_whole() -> None:
    table = played(2, 0)
    assert table.turn is not None
    seen = view(table, table.turn)
    assert PLAYED_BY["experts"].powers(seen) == EVEN
    belief = heads(observe(seen), steps_of(seen))[1]
    assert beside_plays(seen, belief, PLAYED_BY["experts"], steps_of(seen)) is belief


@pytest.mark.parametrize("cards", [13, 38])
def test_a_review_draws_layouts_as_likely_as_they_are(cards: int) -> None:
    """Where all are listed each has its weight; where they are drawn, their counts follow it."""
    table = played(1, cards)
    while len(table.legal) == 1:
        table = table.apply(table.legal[0])
    assert table.turn is not None
    seen = view(table, table.turn)
    played_by = PLAYED_BY["experts"]
    belief = np.zeros(52, np.float32)
    numbers = observe(seen).numbers
    hands, weights, whole = likely(seen, belief, played_by, 60, np.random.default_rng(1))
    assert whole == (layouts_of(seen).count <= 60) == (cards == 38)
    logs = replay(played_by, seen, numbers, hands)[1]
    if whole:
        np.testing.assert_allclose(weights, np.exp(logs - logs.max()), rtol=1e-4)
        return
    assert weights.sum() == 60
    assert weights.max() > 1
    assert np.corrcoef(weights, np.exp(logs))[0, 1] > 0.9
    uniform = layouts_of(seen).sample(2000, np.random.default_rng(2))
    every = replay(played_by, seen, numbers, chairs(seen, uniform).astype(np.int64))[1]
    expected = np.average(every, weights=np.exp(every - every.max()))
    assert np.average(logs, weights=weights) == pytest.approx(expected, abs=1.0)
    assert np.average(logs, weights=weights) > every.mean() + 1


def test_experts_name_their_weights() -> None:
    found = LearnedPlayer(layouts=3, plays="experts").weights
    assert found[1:] == (f"{human.FOLDER}/{human.SMALL}",)
    assert player_version("learned:layouts=3,plays=experts") != player_version("learned:layouts=3")
    table = played(2, 30)
    assert table.turn is not None
    choice = LearnedPlayer(layouts=3, plays="experts").card(
        view(table, table.turn), np.random.default_rng(1)
    )
    assert choice.action in table.legal


def test_what_a_card_tells_does_not_depend_on_hands_that_its_player_does_not_see() -> None:
    table = played(1, 10)
    assert table.position is not None
    moment = view(table, None).position
    assert moment is not None
    hidden = list(Hand(moment.hidden))
    size = 13 - len(moment.tricks)
    rng = np.random.default_rng(3)
    held = np.array(
        [sum(hidden[at].bit for at in rng.permutation(len(hidden))[:size]) for _ in range(6)],
        np.uint64,
    )
    card = table.legal[0]
    assert isinstance(card, Card)
    if moment.chair is not Chair.DUMMY:
        held |= np.uint64(card.bit)
    together = HumanPlays().likelihood(held, moment, card)
    alone = [HumanPlays().likelihood(held[at : at + 1], moment, card)[0] for at in range(6)]
    np.testing.assert_allclose(together, alone, rtol=1e-3)


def test_a_high_temperature_makes_all_legal_cards_alike() -> None:
    table = played(0, 4)
    seat = table.turn
    assert seat is not None
    assert table.position is not None
    moment = view(table, None).position
    assert moment is not None
    held = np.array([table.position.mine], np.uint64)
    chances = [
        float(HumanPlays(1e6).likelihood(held, moment, card)[0])
        for card in table.legal
        if isinstance(card, Card)
    ]
    assert chances == pytest.approx([1 / len(chances)] * len(chances), rel=1e-3)


def test_bad_input_is_refused_in_one_line() -> None:
    with pytest.raises(SettingError, match="greater than 0, not -1"):
        HumanPlays(-1)
    small = view(played(0, 3, Deck(4, 8)), Seat.NORTH)
    with pytest.raises(SettingError, match="with 52 cards, not with 32"):
        sample(small, 4, np.random.default_rng(1), plays=HumanPlays())
