"""Positions valued by the network, compared with the observation of one view and with the rules."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import tribridge as tb
from tribridge.arena.playing import play
from tribridge.game.table import Table
from tribridge.game.views import view
from tribridge.networks import values
from tribridge.networks.play import observe, steps_of
from tribridge.strategies import find_strategy


def called(table: Table, calls: str) -> Table:
    """The table after some calls."""
    for call in calls.split():
        table = table.call(call)
    return table


def tables(seed: int) -> list[Table]:
    """The states of a deal in which a card is due; some cards are drawn at random."""
    table = called(tb.new_table(seed=seed, doubles=True), "1NT 2H X 3H pass pass")
    random, states = Random(seed), []
    while not table.over:
        states.append(table)
        table = table.apply(random.choice(table.legal))
    return states


@pytest.mark.parametrize("seed", [1, 2])
def test_layouts_are_seen_as_the_player_sees_them(seed: int) -> None:
    for table in tables(seed):
        assert table.position is not None
        seen = view(table, table.turn)
        games = values.layouts_of(seen, np.array([table.position.hands] * 2, np.int64))
        masks, numbers = games.observe()
        assert masks.tolist() == [list(observe(seen).masks)] * 2
        assert numbers.tolist() == [[*observe(seen).numbers, *steps_of(seen)]] * 2
        hands, chair = table.position.hands, table.position.chair
        assert games.others()[0].tolist() == [hands[(chair + at) % 4] for at in (1, 2, 3)]


def test_chances_are_possible_and_forced_cards_are_played() -> None:
    for table in tables(3):
        position = table.position
        assert position is not None
        games = values.layouts_of(view(table, table.turn), np.array([position.hands], np.int64))
        (found,) = values.chances(games)
        assert found.sum() == pytest.approx(1)
        left = 13 - len(position.tricks)
        assert not found[: position.won].any()
        assert not found[position.won + left + 1 :].any()
        forced = position
        while not forced.over and len(forced.legal) == 1:
            forced = forced.apply_unchecked(forced.legal[0])
        if forced.over:
            assert found[forced.won] == 1
        cards = list(position.legal)
        after = values.after_cards(games, [card.index for card in cards])[0]
        for card, chances in zip(cards, after, strict=True):
            following = table.apply(card)
            assert following.position is not None
            if following.over:
                assert chances[following.position.won] == 1
                continue
            layout = np.array([following.position.hands], np.int64)
            again = values.chances(values.layouts_of(view(following, following.turn), layout))[0]
            assert chances == pytest.approx(again, abs=1e-5)


def test_a_standing_bid_is_valued_as_the_contract_it_becomes() -> None:
    table = called(tb.new_table(seed=1, scheme="contract"), "1NT 2H")
    done = called(table, "pass pass")
    assert done.position is not None
    assert done.contract is not None
    seen = view(done, done.turn)
    hands = np.array([done.position.hands], np.int64)
    games = values.contracts_of(table.auction, hands, seen.stakes(done.contract))
    for one, other in zip(games.observe(), values.layouts_of(seen, hands).observe(), strict=True):
        assert one.tolist() == other.tolist()


def test_values_are_close_to_what_strong_players_make() -> None:
    strategy, errors = find_strategy("learned"), []
    for number in range(8):
        start = called(tb.new_table(tb.deal(seed=11, number=number)), "3NT pass pass")
        assert start.position is not None
        hands = np.array([start.position.hands], np.int64)
        (chances,) = values.chances(values.layouts_of(view(start, start.turn), hands))
        end = play(start, [strategy] * 3, seed=1, number=number).table
        assert end.outcome is not None
        errors.append(chances @ np.arange(14) - end.outcome.tricks)
    assert np.median(np.abs(errors)) < 0.8
