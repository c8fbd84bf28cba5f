"""Actions as numbers, observations as bits: all that a seat sees is in them, and nothing else."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tests.library.envs.reading import exchange, hand_in, one, read_calls, read_cards, read_dealer
from tests.library.game.playing import actions_of, walk
from tribridge.cards.cards import FULL_DECK, Card, Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import IllegalActionError
from tribridge.envs.encoding import Encoding
from tribridge.game import DOUBLE, PASS, REDOUBLE, Bid, Chair, Table, new_table, view
from tribridge.networks.auction import call_number

DECKS = [FULL_DECK, Deck(4, 3), Deck(3, 4), Deck(2, 4), Deck(2, 6)]


def tables(deck: Deck, count: int) -> list[list[Table]]:
    """Random deals with doubles, each from the first call to the last card."""
    return [
        list(walk(new_table(deal(7, at, deck), Seat(at % 3), doubles=True), Random(at), 0.5))
        for at in range(count)
    ]


@pytest.mark.parametrize("deck", DECKS, ids=str)
def test_actions_have_numbers_without_gaps(deck: Deck) -> None:
    encoding = Encoding(deck)
    actions = [encoding.action(number) for number in range(encoding.actions)]
    assert [encoding.number(action) for action in actions] == list(range(encoding.actions))
    assert len(set(map(str, actions))) == encoding.actions
    bids = [action for action in actions if isinstance(action, Bid)]
    assert bids == sorted(bids)
    assert sum(card.bit for card in actions if isinstance(card, Card)) == deck.mask


def test_the_calls_of_a_full_deck_have_the_numbers_of_the_vectorised_environment() -> None:
    encoding = Encoding(FULL_DECK)
    assert encoding.actions == 90
    for call in encoding.calls[:36]:
        assert encoding.number(call) == call_number(call)
    assert [encoding.number(call) for call in (PASS, DOUBLE, REDOUBLE)] == [35, 36, 37]


@pytest.mark.parametrize("number", [-1, 14, 1.5, None, "pass", True, np.array([1, 2])])
def test_what_is_no_action_is_refused(number: object) -> None:
    with pytest.raises(IllegalActionError, match="action: expected"):
        Encoding(Deck(2, 4)).action(number)


@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.int64, np.uint8])
def test_numbers_of_any_kind_will_do(kind: type) -> None:
    assert Encoding(Deck(2, 4)).action(kind(2)) == Bid("1NT")


@pytest.mark.parametrize("deck", DECKS, ids=str)
def test_the_whole_history_can_be_read_back(deck: Deck) -> None:
    """So a seat forgets nothing: two histories that it can tell apart never look the same."""
    encoding = Encoding(deck)
    for states in tables(deck, 4 if deck == FULL_DECK else 12):
        for table in states:
            for seat in Seat:
                bits = encoding.observe(view(table, seat))
                assert bits.dtype == np.float32
                assert set(np.unique(bits)) <= {0, 1}
                history = [*read_calls(encoding, bits, seat), *read_cards(encoding, bits)]
                assert history == actions_of(table)
                assert read_dealer(encoding, bits, seat) is table.dealer


@pytest.mark.parametrize("deck", DECKS, ids=str)
def test_every_field_says_what_the_view_says(deck: Deck) -> None:
    encoding = Encoding(deck)
    for states in tables(deck, 4):
        for table in states:
            for seat in Seat:
                seen = view(table, seat)
                bits = encoding.observe(seen)
                field = {name: bits[place] for name, place in encoding.fields.items()}
                assert hand_in(encoding, bits, "hand") == seen.hand
                assert hand_in(encoding, bits, "dummy").mask == (
                    seen.dummy.mask if seen.dummy else 0
                )
                assert hand_in(encoding, bits, "played") == seen.played
                assert {*hand_in(encoding, bits, "trick")} == {*seen.trick}
                assert field["won"].sum() == seen.won
                assert field["passes"].sum() == seen.auction.passes
                if seen.turn is None:
                    assert not field["turn"].any()
                else:
                    hand = 3 if seen.chair is Chair.DUMMY else (seen.turn.index - seat.index) % 3
                    assert one(field["turn"]) == hand
                if seen.contract is None:
                    names = ("declarer", "level", "strain", "doubled", "dummy", "played", "won")
                    assert not any(field[name].any() for name in names)
                else:
                    contract = seen.contract
                    assert one(field["declarer"]) == (contract.declarer.index - seat.index) % 3
                    assert one(field["level"]) == contract.bid.level - 1
                    assert deck.strains[one(field["strain"])] is contract.bid.strain
                    assert 2 ** field["doubled"].sum() == contract.factor


@pytest.mark.parametrize("deck", DECKS, ids=str)
def test_hidden_cards_are_not_in_an_observation(deck: Deck) -> None:
    encoding = Encoding(deck)
    random = Random(1)
    changed = 0
    for states in tables(deck, 4):
        for table in states:
            for seat in Seat:
                other = exchange(table, seat, random)
                changed += other.deal != table.deal
                first, second = (encoding.observe(view(one, seat)) for one in (table, other))
                assert np.array_equal(first, second)
    assert changed > 10


def test_the_fields_fill_the_observation_without_overlap() -> None:
    for deck in DECKS:
        encoding = Encoding(deck)
        covered = np.zeros(encoding.size, int)
        for field in encoding.fields.values():
            covered[field] += 1
        assert (covered == 1).all()
