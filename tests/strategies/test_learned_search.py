"""Search with the playing network: games in lockstep, weights of layouts, play-outs, the choice."""

from __future__ import annotations

import numpy as np
import pytest

from tribridge.cards import Card
from tribridge.dealer import deal
from tribridge.deals import Deal, Seat
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game import Table, new_table, view
from tribridge.game.tricks import chair_hands
from tribridge.strategies import decision_rng
from tribridge.strategies.players.learned import search
from tribridge.strategies.players.learned.games import Games, play_out, preferences
from tribridge.strategies.players.learned.observation import features, observe
from tribridge.strategies.players.learned.player import LearnedPlayer, network
from tribridge.strategies.players.search.evaluation import Clock
from tribridge.strategies.players.search.inference import same_card

AUCTIONS = ("1NT pass pass", "pass 2H pass pass", "1C 1S pass pass")


def opened(number: int) -> Table:
    """A deal after its auction."""
    table = new_table(deal(5, number), Seat(number % 3))
    for call in AUCTIONS[number % 3].split():
        table = table.call(call)
    return table


def games_of(table: Table, copies: int = 1) -> Games:
    """The same deal as games in lockstep, before the opening lead."""
    assert table.contract is not None
    hands = list(chair_hands(table.deal, table.contract.declarer))
    numbers = observe(view(table, table.turn or Seat.NORTH)).numbers
    return Games.start(numbers, np.array([hands] * copies, np.int64))


def random_card(table: Table, rng: np.random.Generator) -> Card:
    cards = [card for card in table.legal if isinstance(card, Card)]
    return cards[rng.integers(len(cards))]


@pytest.mark.parametrize("number", range(3))
def test_games_in_lockstep_show_the_network_what_a_view_shows(number: int) -> None:
    table, rng = opened(number), np.random.default_rng(number)
    games = games_of(table, copies=2)
    while not table.over:
        seen = view(table, table.turn or Seat.NORTH)
        suits, numbers = features(observe(seen))
        in_games, tables = games.features()
        assert np.array_equal(in_games[1], suits)
        assert np.array_equal(tables[1], numbers)
        assert int(games.legal()[0]) == sum(
            1 << int(card) for card in seen.legal if isinstance(card, Card)
        )
        card = random_card(table, rng)
        table = table.play(card)
        games = games.step(np.array([int(card)] * 2))
    assert table.position is not None
    assert games.won.tolist() == [table.position.won] * 2


def test_the_network_answers_many_games_as_it_answers_one() -> None:
    net, games = network(), games_of(opened(1), copies=3)
    suits, tables = games.features()
    each = np.array([net(suits[at], tables[at]) for at in range(3)])
    assert np.allclose(net.batch(suits, tables), each, atol=1e-3)


def test_play_outs_are_games_of_the_player() -> None:
    table = opened(2)
    tricks = play_out(network(), games_of(table))
    player = LearnedPlayer()
    at = 0
    while not table.over:
        seat = table.turn or Seat.NORTH
        choice = player.card(view(table, seat), decision_rng(1, 2, seat, at))
        table, at = table.apply(choice.action), at + 1
    assert table.position is not None
    assert tricks.tolist() == [table.position.won]


def played(number: int, cards: int) -> Table:
    """A deal after some cards of random play."""
    table, rng = opened(number), np.random.default_rng(7)
    for _ in range(cards):
        table = table.play(random_card(table, rng))
    return table


def test_layouts_weigh_by_the_chances_of_the_hidden_hands_plays() -> None:
    table = played(1, 9)
    seat = table.turn or Seat.NORTH
    seen = view(table, seat)
    assert table.position is not None
    left = np.array([table.position.hands], np.int64)
    games, log = search.replay(network(), seen, observe(seen).numbers, left)
    assert games.hands.tolist() == left.tolist()
    assert games.cards == 9
    own = seen.own_chair
    replayed, expected = games_of(opened(1)), 0.0
    for card in (*(card for trick in seen.tricks for card in trick.cards), *seen.trick):
        chair = int(replayed.chair[0])
        legal = replayed.legal()
        if chair not in (own, 2 if own == 0 else own) and int(legal[0]).bit_count() > 1:
            wishes = preferences(network(), replayed, legal)[0].astype(float)
            chances = np.exp(wishes - wishes.max()) / np.exp(wishes - wishes.max()).sum()
            hands = (*replayed.hands[0].tolist(),)
            mine = int(replayed.mine[0])
            visible = (*hands, int(replayed.trick[0].sum()))
            same = [
                other
                for other in range(52)
                if mine >> other & 1
                and same_card(other, card, mine, (*visible[:3], visible[3] | visible[4]))
            ]
            expected += np.log(
                0.9 * chances[same].sum() + 0.1 * len(same) / int(legal[0]).bit_count()
            )
        replayed = replayed.step(np.array([int(card)]))
    assert log[0] == pytest.approx(expected, rel=1e-4)


def test_a_search_by_number_of_layouts_is_reproducible() -> None:
    table = played(0, 40)
    seat = table.turn or Seat.NORTH
    seen = view(table, seat)
    first = LearnedPlayer(layouts=12).card(seen, np.random.default_rng(3))
    again = LearnedPlayer(layouts=12).card(seen, np.random.default_rng(3))
    assert (first.action, first.reason) == (again.action, again.reason)
    assert first.action in seen.legal
    assert " layouts, " in first.reason or "only legal" in first.reason


def test_hidden_hands_do_not_matter() -> None:
    table = opened(0)
    seat = table.turn or Seat.NORTH
    north, east, south, hidden = table.deal.hands
    assert seat is Seat.EAST
    other = new_table(Deal((south, east, north, hidden)), Seat.NORTH)
    for call in AUCTIONS[0].split():
        other = other.call(call)
    player = LearnedPlayer(layouts=2)
    choices = [player.card(view(one, seat), np.random.default_rng(3)) for one in (table, other)]
    assert choices[0].reason == choices[1].reason


def test_a_time_limit_leaves_time_for_at_least_one_batch() -> None:
    table = played(0, 36)
    seen = view(table, table.turn or Seat.NORTH)
    choice = LearnedPlayer(seconds=0.01).card(seen, np.random.default_rng(3))
    assert choice.action in seen.legal


def test_values_mix_play_outs_and_double_dummy() -> None:
    table = played(0, 30)
    seen = view(table, table.turn or Seat.NORTH)
    position = table.position
    assert position is not None
    games, _ = search.replay(
        network(), seen, observe(seen).numbers, np.array([position.hands], np.int64)
    )
    cards = [card for card in seen.legal if isinstance(card, Card)]
    mixed, solved, played_out = (
        search._values(network(), seen, games, cards, share, Clock(None))[0]
        for share in (0.25, 0.0, 1.0)
    )
    values = DoubleDummy().cards(position)
    assert solved.tolist() == [values[card] for card in cards]
    after = games.take(np.zeros(len(cards), np.int64)).step(np.array([int(card) for card in cards]))
    assert played_out.tolist() == play_out(network(), after).tolist()
    np.testing.assert_allclose(mixed, 0.25 * played_out + 0.75 * solved)


def test_no_solve_starts_without_time_for_it() -> None:
    table = played(0, 8)
    seen = view(table, table.turn or Seat.NORTH)
    position = table.position
    assert position is not None
    games, _ = search.replay(
        network(), seen, observe(seen).numbers, np.array([position.hands] * 3, np.int64)
    )
    cards = [card for card in seen.legal if isinstance(card, Card)]
    late = Clock(0.0)
    assert len(search._values(network(), seen, games, cards, 0.5, late)) == 0
