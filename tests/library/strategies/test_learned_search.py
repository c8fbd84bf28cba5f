"""Search with the playing network: weights of layouts, play-outs, the choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tribridge import beliefs
from tribridge.cards.cards import Card, Hand, cards_of
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game import Table, View, new_table, view
from tribridge.game.textbook import positions
from tribridge.game.tricks import Chair, chair_hands
from tribridge.networks.network import F32
from tribridge.networks.play import (
    I64,
    PlayGames,
    expand,
    observe,
    preferences,
    same_contract,
)
from tribridge.strategies import decision_rng
from tribridge.strategies.learned import network, player, search
from tribridge.strategies.learned.player import (
    LearnedPlayer,
    heads,
)
from tribridge.strategies.learned.releases import PLAYERS
from tribridge.strategies.learned.search import PLAYED_BY, PlayedBy, Powers, play_out, replay
from tribridge.strategies.players.search import evaluation
from tribridge.strategies.players.search.evaluation import Clock, value_layouts
from tribridge.strategies.protocol import actions_made, position_of

tricks_player = partial(LearnedPlayer, release=PLAYERS[1])
BY_NETWORK = PlayedBy("", network, search.by_network)
ITSELF = PLAYED_BY["itself"]
AUCTIONS = ("1NT pass pass", "pass 2H pass pass", "1C 1S pass pass")


def opened(number: int) -> Table:
    """A deal after its auction."""
    table = new_table(deal(5, number), Seat(number % 3))
    for call in AUCTIONS[number % 3].split():
        table = table.call(call)
    return table


def games_of(table: Table, copies: int = 1) -> PlayGames:
    """The same deal as games in lockstep, before the opening lead."""
    assert table.contract is not None
    hands = list(chair_hands(table.deal, table.contract.declarer))
    numbers = observe(view(table, table.turn or Seat.NORTH)).numbers
    return PlayGames(same_contract(numbers, np.array([hands] * copies, np.int64)))


def random_card(table: Table, rng: np.random.Generator) -> Card:
    cards = [card for card in table.legal if isinstance(card, Card)]
    return cards[rng.integers(len(cards))]


def test_the_network_answers_many_games_as_it_answers_one() -> None:
    net, games = network(), games_of(opened(1), copies=3)
    suits, tables = expand(*games.observe(), np.float32)
    each = np.concatenate([net(suits[at : at + 1], tables[at : at + 1]) for at in range(3)])
    assert np.allclose(net(suits, tables), each, atol=1e-3)


def test_play_outs_are_games_of_the_player() -> None:
    table = opened(2)
    tricks = play_out(network(), games_of(table))
    at = 0
    while not table.over:
        seat = table.turn or Seat.NORTH
        choice = tricks_player().card(view(table, seat), decision_rng(1, 2, seat, at))
        table, at = table.apply(choice.action), at + 1
    assert table.position is not None
    assert tricks.tolist() == [table.position.won]


def played(number: int, cards: int) -> Table:
    """A deal after some cards of random play."""
    table, rng = opened(number), np.random.default_rng(7)
    for _ in range(cards):
        table = table.play(random_card(table, rng))
    return table


@pytest.mark.parametrize("cards", [9, 11])  # a defender and declarer are to play
def test_layouts_weigh_by_the_chances_of_the_hidden_hands_plays(cards: int) -> None:
    table = played(1, cards)
    seat = table.turn or Seat.NORTH
    seen = view(table, seat)
    assert table.position is not None
    left = np.array([table.position.hands], np.int64)
    games, log = replay(BY_NETWORK, seen, observe(seen).numbers, left)
    less = Powers(1, 0.7, 0.2)
    weaker_play = replace(BY_NETWORK, declaring=less, defending=less)
    _, weaker = replay(weaker_play, seen, observe(seen).numbers, left)
    assert games.hands.tolist() == left.tolist()
    assert games.cards == cards
    own = seen.own_chair
    assert own is not None
    replayed, expected = games_of(opened(1)), {True: 0.0, False: 0.0}
    for card in (*(card for trick in seen.tricks for card in trick.cards), *seen.trick):
        chair = int(replayed.chair[0])
        legal = replayed.legal()
        if chair not in (own, 2 if own == 0 else own) and int(legal[0]).bit_count() > 1:
            wishes = preferences(network(), *replayed.observe(), legal)[0].astype(float)
            chances = np.exp(wishes - wishes.max()) / np.exp(wishes - wishes.max()).sum()
            hands = (*replayed.hands[0].tolist(),)
            mine = int(replayed.mine[0])
            others = sum(hands) - mine | int(replayed.trick[0].sum())
            same = [
                other
                for other in range(13 * card.row, 13 * card.row + 13)
                if mine >> other & 1
                and not any(others >> at & 1 for at in range(*sorted((other, card.index))))
            ]
            expected[chair % 2 == own % 2] += np.log(
                0.9 * chances[same].sum() + 0.1 * len(same) / int(legal[0]).bit_count()
            )
        replayed.step(np.array([card.index]))
    assert expected[False] < 0
    assert log[0] == pytest.approx(expected[True] + expected[False], rel=1e-4)
    assert weaker[0] == pytest.approx(0.7 * expected[True] + 0.2 * expected[False], rel=1e-4)


def test_a_search_by_number_of_layouts_is_reproducible() -> None:
    table = played(0, 40)
    seat = table.turn or Seat.NORTH
    seen = view(table, seat)
    first = tricks_player(layouts=12).card(seen, np.random.default_rng(3))
    again = tricks_player(layouts=12).card(seen, np.random.default_rng(3))
    assert (first.action, first.reason) == (again.action, again.reason)
    assert first.action in seen.legal
    assert " layout" in first.reason or "only legal" in first.reason


def test_hidden_hands_do_not_matter() -> None:
    table = opened(0)
    assert table.turn is Seat.EAST
    north, east, south, hidden = table.deal.hands
    lead, swapped = tuple(east)[:2]
    own = next(iter(south))
    others = Hand(east.mask ^ swapped.bit ^ own.bit), Hand(south.mask ^ own.bit ^ swapped.bit)
    other = new_table(Deal((north, *others, hidden)), Seat.NORTH)
    for call in AUCTIONS[0].split():
        other = other.call(call)
    choices = [
        tricks_player(layouts=2).card(view(one.play(lead), Seat.NORTH), np.random.default_rng(3))
        for one in (table, other)
    ]
    assert choices[0].reason == choices[1].reason
    assert " layouts, " in choices[0].reason


def choice_due(number: int, cards: int) -> Table:
    """A deal after some cards of random play, or a few more until there is a choice."""
    table = played(number, cards)
    while len(table.legal) == 1:
        table = table.apply(table.legal[0])
    return table


@pytest.mark.parametrize("cards", [1, 30, 45])
def test_without_time_the_network_chooses(cards: int) -> None:
    seen = seen_by_player(choice_due(0, cards))
    choice = tricks_player(seconds=1e-6).card(seen, np.random.default_rng(3))
    assert choice.action == tricks_player().card(seen, np.random.default_rng(3)).action
    assert choice.details is not None
    assert choice.details["layouts"] == 0
    assert "No time" in choice.reason


def seen_by_player(table: Table) -> View:
    return view(table, table.turn or Seat.NORTH)


def belief_of(seen: View) -> F32:
    belief: F32 = heads(observe(seen))[1]
    return belief


@pytest.mark.parametrize("number", range(3))
def test_layouts_weigh_by_the_networks_beliefs(number: int) -> None:
    for cards in (8, 9, 10, 11):  # All four chairs are to play.
        seen = seen_by_player(choice_due(number, cards))
        belief = belief_of(seen)
        hands = beliefs.chairs(seen, beliefs.sample(seen, 5, np.random.default_rng(1)))
        weights = search.likelihood(seen, belief, hands.astype(np.int64))
        # The belief is about the next chair that is hidden.
        visible = (seen.own_chair, Chair.DUMMY)
        hidden = [Chair((int(seen.chair or 0) + at) % 4) for at in range(4)]
        near, far = (chair for chair in hidden if chair not in visible)
        if seen.chair is Chair.LEFT:
            near, far = far, near
        chances = 1 / (1 + np.exp(-belief.astype(float)))
        expected = [
            np.prod([chances[card] for card in cards_of(int(row[near]))])
            * np.prod([1 - chances[card] for card in cards_of(int(row[far]))])
            for row in hands
        ]
        np.testing.assert_allclose(weights, np.array(expected) / max(expected), rtol=1e-6)


def drawn_for(
    seen: View, count: int, belief: F32 | None = None, clock: Clock | None = None, seed: int = 2
) -> tuple[I64, NDArray[np.float64]]:
    """Layouts as the search draws them."""
    return search.draw(
        seen,
        belief_of(seen) if belief is None else belief,
        ITSELF,
        count,
        clock or Clock(None),
        np.random.default_rng(seed),
    )


def test_layouts_that_can_be_listed_are_all_used_with_their_weights() -> None:
    seen = seen_by_player(choice_due(1, 36))
    every = beliefs.layouts_of(seen).count
    assert 10 < every <= 400
    hands, weights = drawn_for(seen, 400)
    assert len({tuple(row) for row in hands.tolist()}) == every
    _, log = replay(ITSELF, seen, observe(seen).numbers, hands)
    expected = search.likelihood(seen, belief_of(seen), hands) * np.exp(log)
    assert weights.max() == 1
    np.testing.assert_allclose(weights / weights.sum(), expected / expected.sum(), rtol=1e-4)


def test_layouts_are_drawn_by_belief() -> None:
    seen = seen_by_player(choice_due(0, 20))
    near, _ = search.hidden_hands(seen.chair or Chair.DECLARER)
    sure = np.zeros(52, np.float32)
    hands, _ = drawn_for(seen, 50, sure)
    card = next(cards_of(int(hands[0, near])))
    sure[card.index] = 20  # The network is certain that this card is with the near hand.
    hands, weights = drawn_for(seen, 50, sure)
    assert (hands[:, near] >> card.index & 1).all()
    assert weights.tolist() == [1] * 50


def test_layouts_in_which_the_plays_are_likely_are_drawn_more_often() -> None:
    seen = seen_by_player(choice_due(1, 24))
    numbers, nothing = observe(seen).numbers, np.zeros(52, np.float32)

    def average(partner: float, opponents: float) -> float:
        rng, powers = np.random.default_rng(5), Powers(1, partner, opponents)
        played_by = replace(ITSELF, declaring=powers, defending=powers)
        hands, weights = search.draw(seen, nothing, played_by, 60, Clock(None), rng)
        assert len(hands) == 60
        assert weights.tolist() == [1] * 60
        even = replace(ITSELF, declaring=search.EVEN, defending=search.EVEN)
        return float(replay(even, seen, numbers, hands)[1].mean())

    assert average(0.7, 0.2) > average(0, 0) + 0.1


def test_layouts_weighted_in_a_hurry_keep_their_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    # The clock runs out after the first piece, so there are no more layouts than wanted.
    seen = seen_by_player(choice_due(1, 24))
    looks = iter([0.0, 0.9, 0.9])
    monkeypatch.setattr(Clock, "spent", property(lambda clock: next(looks)))
    hands, weights = drawn_for(seen, 100, clock=Clock(1.0))
    assert 0 < len(hands) < 100
    assert weights.max() == 1
    assert weights.min() < 1


def test_the_search_solves_every_legal_card_on_every_layout() -> None:
    table = choice_due(0, 36)
    seen = seen_by_player(table)
    averages = search.search(
        seen, belief_of(seen), ITSELF, 12, Clock(None), np.random.default_rng(4)
    )
    hands, weights = drawn_for(seen, 12, seed=4)
    position = table.position
    assert position is not None
    assert averages.cards == position.legal
    solver = DoubleDummy()
    for (a, b, c, d), row in zip(hands.tolist(), averages.tricks, strict=True):
        values = solver.cards(position.with_hands((a, b, c, d)))
        assert row.tolist() == [values[card] for card in averages.cards]
    assert averages.weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(averages.weights, weights / weights.sum())


def averages_of(*rows: tuple[int, ...]) -> search.Averages:
    """Three cards, with declarer's tricks on each layout."""
    cards = (Card("C2"), Card("D2"), Card("H2"))
    return search.Averages(cards, np.array(rows, float), np.full(len(rows), 1 / len(rows)))


def wishes_of(averages: search.Averages, *wishes: float) -> F32:
    """The network's preferences for the three cards."""
    preference = np.zeros(52, np.float32)
    preference[[card.index for card in averages.cards]] = wishes
    return preference


def test_another_card_must_be_ahead_of_the_favourite_by_more_than_an_error() -> None:
    averages = averages_of((9, 9, 8), (9, 9, 8), (9, 9, 8), (9, 8, 8))
    # Clubs are 0.25 ahead of diamonds, a little over one error, and a trick ahead of hearts.
    wishes = wishes_of(averages, 0, 1, -1)
    assert averages.choose(wishes, 1, tie=2, doubt=0) == 1
    assert averages.choose(wishes, 1, tie=1, doubt=0) == 0
    assert averages.choose(wishes, -1, tie=2, doubt=0) == 2
    assert averages.choose(wishes_of(averages, 0, 0, 1), 1, tie=2, doubt=0) == 0


def test_the_surer_the_network_is_the_clearer_the_other_card_must_be() -> None:
    """Clubs are 0.25 ahead of diamonds with a standard deviation of 0.43: 0.577 of them."""
    averages = averages_of((9, 9, 8), (9, 9, 8), (9, 9, 8), (9, 8, 8))
    for sure, chosen in ((5.7, 0), (5.8, 1), (1000, 1)):
        wishes = wishes_of(averages, 0, sure, -1)
        assert averages.choose(wishes, 1, tie=0, doubt=0.1) == chosen
    # However sure it is, a card is chosen that is far enough ahead, or ahead everywhere.
    assert averages.choose(wishes_of(averages, 0, 1000, -1), 1, tie=0, doubt=0.04) == 0
    assert averages_of((8, 7, 7), (9, 8, 8)).choose(wishes, 1, tie=9, doubt=9) == 0


def test_the_network_chooses_among_equals() -> None:
    averages = averages_of((9, 9, 8))
    assert averages.choose(wishes_of(averages, 0, 1, 2), 1, tie=0, doubt=0) == 1
    assert averages.choose(wishes_of(averages, 1, 0, 2), 1, tie=0, doubt=0) == 0
    assert averages.choose(wishes_of(averages, 0, 1, -1), 1, tie=0, doubt=0) == 1


def test_the_search_considers_cards_that_the_network_gives_no_chance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = seen_by_player(choice_due(1, 32))
    nothing = np.zeros(52, np.float32)
    averages = search.search(seen, nothing, ITSELF, 500, Clock(None), np.random.default_rng(1))
    sign = 1 if position_of(seen).declaring else -1
    means = sign * averages.means()
    best = {card for card, mean in zip(averages.cards, means, strict=True) if mean == means.max()}
    assert len(averages.cards) - len(best) > 2
    wishes = np.zeros(52, np.float32)
    wishes[[card.index for card in best]] = -50
    monkeypatch.setattr(player, "heads", lambda observation: (wishes, nothing, nothing))
    choice = tricks_player(layouts=500, tie=0, doubt=0).card(seen, np.random.default_rng(1))
    assert choice.action in best


def test_the_reason_says_when_the_network_is_not_overruled(monkeypatch: pytest.MonkeyPatch) -> None:
    averages = averages_of((9, 9, 8), (9, 9, 8), (9, 9, 8), (9, 8, 8))
    monkeypatch.setattr(player, "search", lambda *_: averages)
    seen = seen_by_player(choice_due(1, 32))
    sign = 1 if position_of(seen).declaring else -1
    averages = averages if sign == 1 else replace(averages, tricks=-averages.tricks)
    nothing = np.zeros(52, np.float32)
    for sure, overruled in ((20, False), (0.1, True)):
        wishes = wishes_of(averages, 0, sure, -1)
        monkeypatch.setattr(player, "heads", lambda _, wishes=wishes: (wishes, nothing, nothing))
        choice = tricks_player(layouts=4, doubt=0.1).card(seen, np.random.default_rng(1))
        assert choice.action == averages.cards[0 if overruled else 1]
        assert ("close to overrule" in choice.reason) != overruled


def test_the_opening_lead_is_searched() -> None:
    seen = seen_by_player(opened(0))
    choice = tricks_player(layouts=10).card(seen, np.random.default_rng(1))
    assert "on 10 layouts" in choice.reason


def test_time_for_a_few_layouts_leaves_the_choice_to_the_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = seen_by_player(choice_due(1, 32))
    solve, few = value_layouts, search.FEWEST - 1
    monkeypatch.setattr(
        search,
        "value_layouts",
        lambda position, deck, layouts, clock: solve(position, deck, layouts[:few], clock),
    )
    choice = tricks_player(layouts=50).card(seen, np.random.default_rng(1))
    assert choice.action == tricks_player().card(seen, np.random.default_rng(1)).action
    assert "No time" in choice.reason
    choice = tricks_player(layouts=few).card(seen, np.random.default_rng(1))
    assert f"on {few} layouts" in choice.reason


def textbook(name: str) -> View:
    """What the player sees in a textbook position."""
    return next(one for one in positions() if one.id == name).view()


@pytest.mark.parametrize("cards", [0, 4], ids=["opening lead", "declarer's lead"])
def test_a_second_leaves_time_to_search(cards: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that runs at the pace of a slow machine: preparation must not use it up."""
    now = 0.0

    def takes(function: Callable[..., Any], seconds: Callable[..., float]) -> Callable[..., Any]:
        def timed(*given: Any, **named: Any) -> Any:
            nonlocal now
            now += seconds(*given)
            return function(*given, **named)

        return timed

    monkeypatch.setattr(evaluation, "time", SimpleNamespace(monotonic=lambda: now))
    valuing = takes(search.after_each, lambda seen, hands: 0.011 * len(hands))
    monkeypatch.setattr(search, "after_each", valuing)
    replaying = takes(search.replay, lambda played_by, seen, numbers, left: 0.0025 * len(left))
    monkeypatch.setattr(search, "replay", replaying)
    monkeypatch.setattr(DoubleDummy, "cards", takes(DoubleDummy.cards, lambda *_: 0.02))
    table = new_table(deal(2, 0), Seat.NORTH).call("1NT").call("pass").call("pass")
    while actions_made(table) < 3 + cards or (cards and table.turn is not Seat.NORTH):
        table = table.play(table.position.legal[0])  # type: ignore[union-attr]
    choice = LearnedPlayer(seconds=1.0).card(view(table, table.turn), np.random.default_rng(1))
    assert choice.details["layouts"] >= search.FEWEST
    assert choice.details["seconds"] <= 1
