"""Games in lockstep are the game: the same cards allowed, the same tricks, the same view."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from tests.lab.training.features import play_features
from tribridge.cards.cards import FULL_DECK, Card, Deck, Strain, cards_of
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.arrays import Array, Place, fetch, namespace, put
from tribridge.game.auction import PASS, Bid
from tribridge.game.scoring import find_scheme
from tribridge.game.table import Table, new_table
from tribridge.game.tricks import chair_hands
from tribridge.game.views import view
from tribridge.lab.training.convention import conventional
from tribridge.networks.auction import Contracts, set_auction
from tribridge.networks.play import (
    NOTRUMP,
    SWING,
    TABLE_FEATURES,
    PlayGames,
    expand,
    expand_one,
    numbers_of,
    observe,
    only_card,
    steps_of,
)


def array(values: object, place: Place) -> Array:
    return put(np.array(values, np.int64), place)


def set_tables(
    deck: Deck, count: int, random: Random, place: Place
) -> tuple[list[Table], Contracts]:
    """Tables at the opening lead and the same games in lockstep; declarer has been overcalled."""
    tables, hands, numbers = [], [], []
    for number in range(count):
        dealt = deal(5, number, deck)
        table = new_table(dealt, Seat(number % 3))
        bids = [bid for bid in table.auction.legal if isinstance(bid, Bid)]
        for bid in sorted(random.sample(bids, random.randint(1, min(3, len(bids))))):
            table = table.apply(bid)
        while table.contract is None:
            table = table.apply(PASS)
        tables.append(table)
        hands.append(chair_hands(dealt, table.contract.declarer))
        numbers.append(observe(view(table, table.turn)).numbers)
    every = array(numbers, place)
    level, strain, doubled = (every[:, at] for at in (4, 5, 6))
    contracts = Contracts(
        array(hands, place), level, strain, doubled, every[:, 9:12], every[:, 12:15]
    )
    return tables, contracts


@pytest.mark.parametrize("deck", [FULL_DECK, Deck(4, 3), Deck(3, 4), Deck(2, 6)], ids=str)
def test_random_games_agree_with_the_table_card_by_card(deck: Deck, place: Place) -> None:
    random = Random(1)
    tables, contracts = set_tables(deck, 30, random, place)
    games = PlayGames(contracts, deck.hand_size)
    while not games.over:
        masks, numbers = games.observe()
        suits, common = map(fetch, expand(masks, numbers, namespace(place).float32))
        legal, masks, numbers = games.legal().tolist(), masks.tolist(), numbers.tolist()
        cards, won = [], []
        for at, table in enumerate(tables):
            seen = view(table, table.turn)
            observation = observe(seen)
            assert tuple(masks[at]) == observation.masks
            assert tuple(numbers[at]) == tuple(observation.numbers)
            own, shared = play_features(observation)
            assert np.array_equal(suits[at], own)
            assert np.array_equal(common[at], shared)
            assert all(map(np.array_equal, expand_one(observation), ([own], [shared])))
            assert sum(card.bit for card in seen.legal if isinstance(card, Card)) == legal[at]
            card = random.choice(seen.legal)
            assert isinstance(card, Card)
            cards.append(card.index)
            tables[at] = table.apply(card)
            won.append(won_by(tables[at]) - won_by(table))
        assert games.step(array(cards, place)).tolist() == won
    assert games.won.tolist() == [won_by(table) for table in tables]
    assert not games.hands.any()


SCHEMES = ("auction", "contract", "old", "new", "auction-tricks")


def test_stakes_and_the_conventional_card_agree_with_the_table_card_by_card(place: Place) -> None:
    random = Random(4)
    tables, contracts = set_tables(FULL_DECK, 30, random, place)
    tables = [
        replace(table, scheme=find_scheme(SCHEMES[at % 5])) for at, table in enumerate(tables)
    ]
    steps = [steps_of(view(table, table.turn)) for table in tables]
    games = PlayGames(contracts, steps=array(steps, place))
    while not games.over:
        masks, numbers = games.observe()
        common = fetch(expand(masks, numbers, namespace(place).float32)[1])
        cards, usual = [], []
        for at, table in enumerate(tables):
            seen, position = view(table, table.turn), table.position
            assert position is not None
            worth = np.diff(seen.stakes(position.contract))
            worth = np.clip(worth / worth[position.needed - 1], 0, 2)
            features = common[at, TABLE_FEATURES:]
            assert np.array_equal(expand_one(observe(seen), steps[at])[1], common[[at]])
            assert np.abs(features[:13] - worth).max() <= 0.5 / SWING
            to_make = max(position.needed - position.won, 0)
            assert features[13:].nonzero()[0].tolist() == [to_make, 14 + max(position.to_defeat, 0)]
            cards.append(random.choice(position.legal).index)
            usual.append(conventional(*observe(seen), cards[-1]))
            tables[at] = table.apply(Card(cards[-1]))
        chosen = array(cards, place)
        same = conventional(masks.T, numbers_of(numbers), chosen)
        assert same.tolist() == usual
        assert only_card(same).tolist() == [mask.bit_length() - 1 for mask in usual]
        games.step(chosen)


def won_by(table: Table) -> int:
    """The tricks that declarer's side has won."""
    assert table.position is not None
    return table.position.won


def test_the_last_trick_plays_itself(place: Place) -> None:
    random = Random(2)
    deck = Deck(4, 3)
    _, contracts = set_tables(deck, 20, random, place)
    games = PlayGames(contracts, deck.hand_size)
    while games.cards < 4 * (deck.hand_size - 1):
        legal = [list(cards_of(mask)) for mask in games.legal().tolist()]
        games.step(array([random.choice(cards) for cards in legal], place))
    won = games.won
    gained = games.finish()
    assert games.over
    assert (won + gained).tolist() == games.won.tolist()


def test_an_observation_does_not_change_with_hidden_cards(place: Place) -> None:
    """The two unseen hands exchanged: what the chair to play sees stays the same."""
    _, contracts = set_tables(FULL_DECK, 30, Random(3), place)
    # Left leads: declarer and right are hidden.
    games = PlayGames(contracts)
    other = PlayGames(replace(contracts, hands=contracts.hands[:, [3, 1, 2, 0]]))
    for one, two in zip(games.observe(), other.observe(), strict=True):
        assert one.tolist() == two.tolist()
    assert games.others().tolist() != other.others().tolist()


def test_a_contract_that_is_set_was_bid_by_declarer_and_passed_by_the_others(place: Place) -> None:
    table = new_table(deal(5, 1), Seat.EAST)
    for call in (Bid(3, Strain.HEARTS), PASS, PASS):
        table = table.apply(call)
    numbers = observe(view(table, table.turn)).numbers
    bids, passes = set_auction(array([3], place), array([int(Strain.HEARTS)], place))
    assert bids.tolist() == [list(numbers[9:12])]
    assert passes.tolist() == [list(numbers[12:15])]


def test_strain_numbers_are_those_of_the_package() -> None:
    assert int(Strain.NOTRUMP) == NOTRUMP
