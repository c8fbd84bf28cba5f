"""Layouts: equal to brute force on tiny decks, to exact counts on the full one."""

from __future__ import annotations

from itertools import pairwise
from math import comb
from random import Random

import numpy as np
import pytest

from tests.library.beliefs.brute import consistent
from tests.library.game.playing import walk, with_deal
from tribridge.beliefs import chairs, layouts_of, sample
from tribridge.cards.cards import ALL_CARDS, Deck, card_at
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.cards.masks import U64
from tribridge.common import stats
from tribridge.common.errors import SettingError
from tribridge.game.auction import parse_call
from tribridge.game.table import Table, new_table
from tribridge.game.tricks import chair_hands
from tribridge.game.views import view

DECKS = (Deck(4, 2), Deck(2, 4), Deck(4, 3), Deck(3, 4), Deck(2, 6))


def table_of(seed: int, calls: str = "1NT pass pass") -> Table:
    table = new_table(deal(seed, 0), Seat.NORTH)
    for call in calls.split():
        table = table.apply(parse_call(call))
    return table


def states(seed: int, calls: str = "1NT pass pass") -> list[Table]:
    """All states of the play of a full deal at random."""
    return list(walk(table_of(seed, calls), Random(seed)))


def rows(layouts: U64) -> list[tuple[int, ...]]:
    return [tuple(row) for row in layouts.tolist()]


@pytest.mark.slow
@pytest.mark.parametrize("deck", DECKS, ids=str)
def test_layouts_are_all_consistent_deals_at_every_state_of_random_games(deck: Deck) -> None:
    for number in range(3 if deck.size <= 8 else 1):
        table = new_table(deal(5, number, deck), Seat(number))
        random = Random(f"{deck}{number}")
        for state in walk(table, random, quiet=0.4):
            small = deck.size <= 8
            if state.position is None and state.auction.calls:
                continue  # calls prove nothing: the first state stands for the auction
            for seat in Seat:
                if small or state.position is not None or seat is Seat.EAST:
                    _check_against_brute_force(state, seat)
            if small or len(view(state, None).played) > 5:
                _check_against_brute_force(state, None)  # too many deals before that


def _check_against_brute_force(state: Table, seat: Seat | None) -> None:
    want = consistent(state, seat)
    layouts = layouts_of(view(state, seat))
    assert layouts.count == len(want)
    assert sorted(rows(layouts.every(10**6))) == sorted(want)
    deck = state.deal.deck
    for hand in range(4):
        for suit in range(deck.suits):
            lengths = [0] * (deck.ranks + 1)
            for masks in want:
                lengths[(masks[hand] >> 13 * suit & 0x1FFF).bit_count()] += 1
            assert layouts.lengths(hand, suit) == tuple(lengths)
        for card in ALL_CARDS:
            if deck.mask & card.bit:
                holders = sum(1 for masks in want if masks[hand] & card.bit)
                assert layouts.holding(hand, card) == holders


def test_counts_of_the_full_deck_are_the_known_ones() -> None:
    table = table_of(1, "")
    assert layouts_of(view(table, Seat.EAST)).count == comb(39, 13) * comb(26, 13)
    table = table_of(1)
    for seat in Seat:
        assert layouts_of(view(table, seat)).count == comb(26, 13)
    assert layouts_of(view(table, None)).count == comb(39, 13) * comb(26, 13)


def test_a_void_leaves_the_choice_of_the_other_suits() -> None:
    seen = 0
    for seed in range(6):
        for state in states(seed):
            for seat in Seat:
                layouts = layouts_of(view(state, seat))
                evidence = layouts.evidence
                if len(evidence.voids) == 1 and len(evidence.hidden) == 2:
                    (void,) = evidence.voids
                    if void.hand in evidence.hidden:
                        others = sum(evidence.sizes) - evidence.sizes[void.suit]
                        assert layouts.count == comb(others, evidence.needs[void.hand])
                        seen += 1
    assert seen > 20


@pytest.mark.parametrize("seed", range(3))
def test_every_draw_is_a_deal_that_gives_the_same_view(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for state in states(seed)[::5]:
        for seat in Seat:
            for masks in rows(sample(view(state, seat), 4, rng)):
                other = with_deal(state, _deal(masks))
                assert view(other, seat) == view(state, seat)


def _deal(masks: tuple[int, ...]) -> Deal:
    from tribridge.cards.cards import Hand

    return Deal.of([Hand(mask) for mask in masks])


def test_the_true_deal_is_among_the_layouts() -> None:
    for state in states(4)[30:]:
        truth = tuple(hand.mask for hand in state.deal.hands)
        for seat in Seat:
            layouts = layouts_of(view(state, seat))
            if layouts.count <= 20_000:
                assert truth in rows(layouts.every(20_000))


@pytest.mark.slow
@pytest.mark.parametrize("cards", [-1, 0, 9, 22, 30])
def test_frequencies_of_draws_fit_the_exact_counts(cards: int) -> None:
    draws = 20_000
    state = table_of(8, "") if cards < 0 else states(8)[cards]
    rng = np.random.default_rng(11)
    p_values = []
    for seat in Seat:
        layouts = layouts_of(view(state, seat))
        drawn = layouts.sample(draws, rng)
        for hand in layouts.evidence.hidden:
            for suit in range(4):
                exact = np.array(layouts.lengths(hand, suit)) / layouts.count
                lengths = [(m >> 13 * suit & 0x1FFF).bit_count() for m in drawn[:, hand].tolist()]
                if np.count_nonzero(exact) > 1:
                    counts = np.bincount(lengths, minlength=14)
                    p_values.append(stats.fit(counts, exact).p)
            for card in (card_at(s, 3) for s in range(4)):
                chance = layouts.holding(hand, card) / layouts.count
                held = int(np.sum(drawn[:, hand] >> np.uint64(card.index) & np.uint64(1)))
                if 0 < chance < 1:
                    p_values.append(stats.fit([held, draws - held], [chance, 1 - chance]).p)
                else:
                    assert held == draws * chance
    assert len(p_values) > 10
    assert min(stats.holm(p_values)) > 0.01


def test_layouts_late_in_the_play_are_drawn_equally_often() -> None:
    for state in states(2)[30:]:
        layouts = layouts_of(view(state, Seat.EAST))
        if 10 <= layouts.count <= 60:
            break
    drawn = rows(layouts.sample(200 * layouts.count, np.random.default_rng(1)))
    every = rows(layouts.every(60))
    assert len(set(every)) == layouts.count
    counts = [drawn.count(layout) for layout in every]
    assert stats.fit(counts, [1 / layouts.count] * layouts.count).p > 0.001


def test_numbers_of_layouts_go_from_zero_to_the_count() -> None:
    layouts = layouts_of(view(table_of(3), Seat.SOUTH))
    ends = rows(layouts.at(np.array([0, layouts.count - 1])))
    assert ends[0] != ends[1]
    for bad in (-1, layouts.count):
        with pytest.raises(SettingError, match="numbered from 0 to 10,400,599"):
            layouts.at(np.array([bad]))
    with pytest.raises(SettingError, match="limit of 1,000"):
        layouts.every(1000)
    with pytest.raises(SettingError, match="not -2"):
        layouts.sample(-2, np.random.default_rng(0))
    assert layouts.sample(0, np.random.default_rng(0)).shape == (0, 4)


def test_layouts_only_get_fewer_as_cards_are_played() -> None:
    for seat in (*Seat, None):
        counts = [layouts_of(view(state, seat)).count for state in states(6)]
        assert all(later <= earlier for earlier, later in pairwise(counts))
        assert counts[-1] == 1


def test_a_kibitzer_is_refused_before_dummy_is_exposed_on_a_full_deck() -> None:
    with pytest.raises(SettingError, match="kibitzer's beliefs start"):
        sample(view(table_of(1, ""), None), 5, np.random.default_rng(0))


def test_beliefs_depend_on_the_view_alone() -> None:
    for state in states(7)[::6]:
        for seat in Seat:
            seen = view(state, seat)
            masks = rows(sample(seen, 1, np.random.default_rng(3)))[0]
            other = view(with_deal(state, _deal(masks)), seat)
            again = sample(other, 50, np.random.default_rng(5))
            assert np.array_equal(again, sample(seen, 50, np.random.default_rng(5)))


def test_chairs_hold_the_cards_that_are_left() -> None:
    for state in states(9, "pass 1NT pass 2H pass pass")[::4]:
        assert state.position is not None
        seen = view(state, Seat.NORTH)
        truth = np.array([[hand.mask for hand in state.deal.hands]], dtype=np.uint64)
        assert rows(chairs(seen, truth)) == [tuple(state.position.hands)]
    start = states(9, "pass 1NT pass 2H pass pass")[0]
    assert rows(chairs(view(start, None), truth)) == [chair_hands(start.deal, Seat.NORTH)]
    with pytest.raises(SettingError, match="auction is over"):
        chairs(view(table_of(1, ""), Seat.NORTH), truth)
