"""What cards cost in the experts' positions, against another solver, and the table of players."""

from __future__ import annotations

import numpy as np
import pytest

from tribridge.cards.cards import STRAINS, Card
from tribridge.cards.dealer import deal
from tribridge.double_dummy import dds
from tribridge.game.views import View
from tribridge.lab.studies.experts import asked, beside, lost, positions
from tribridge.networks.boards import Boards, table_of
from tribridge.strategies import Choice, register_player
from tribridge.strategies.protocol import StrategyError
from tribridge.strategies.registry import kept

pytestmark = pytest.mark.skipif(not dds.available(), reason="endplay is not installed")


def board(number: int, cards: int) -> tuple[list[int], list[int], list[int]]:
    """A board on which everybody plays the lowest legal card."""
    hands = [hand.mask for hand in deal(12, number).hands]
    contract = [2, number % 5, number % 3]
    table = table_of(hands, contract)
    played = []
    for _ in range(cards):
        card = max(card for card in table.legal if isinstance(card, Card))
        played.append(card.index)
        table = table.apply_unchecked(card)
    return hands, [*played, *[-1] * (52 - cards)], contract


def test_a_card_costs_what_the_position_after_it_is_worth_less() -> None:
    hands, cards, contract = board(1, 50)
    strain = STRAINS[contract[1]]
    price = lost(hands, cards, strain)
    table = table_of(hands, contract)
    for number, left, leader, trick in positions(hands, cards, strain):
        position = table.position
        assert position is not None
        assert len(trick) == len(position.trick)
        legal = [card for card in table.legal if isinstance(card, Card)]
        if number >= 28 and len(legal) > 1:  # late enough to be quick
            chair = (leader + len(trick)) % 4
            after = {}
            for card in legal:
                there = list(left)
                there[chair] -= card.bit
                following = table.apply_unchecked(card).position
                assert following is not None
                won = following.won - position.won
                played = () if len(trick) == 3 else (*trick, card)
                leads = following.leader if len(trick) == 3 else leader
                after[card] = won + dds.tricks(there, strain, leads, played)
            sign = 1 if chair % 2 == 0 else -1
            best = max(sign * value for value in after.values())
            for card in legal:
                assert price[number, card.index] == best - sign * after[card]
        assert (price[number].max() >= 0) == (len(legal) > 1)
        table = table.apply_unchecked(Card(cards[number]))


def test_who_plays_the_experts_cards_loses_nothing_more() -> None:
    rows = [board(number, 14) for number in range(3)]
    boards = Boards(*(np.array(column) for column in zip(*rows, strict=True)))

    class Lowest:
        name = "lowest"
        summary = "plays the lowest card"

        def card(self, view, rng):  # type: ignore[no-untyped-def]
            return Choice(max(view.legal), "It is the lowest.")

    done: list[int] = []
    with kept():
        register_player(Lowest)
        result = beside(boards, ["lowest", "random"], step=done.append)
    same, other = result.rows
    assert done == [1, 2, 3]
    assert (same.same, same.more.estimate, same.declaring, same.leading) == (100, 0, 0, 0)
    assert other.same < 100
    assert result.experts > 0


def test_a_card_that_is_not_legal_is_refused() -> None:
    """It costs nothing double dummy, since no such card was solved: it would beat everybody."""
    hands, cards, contract = board(0, 14)

    def another(seen: View, _: np.random.Generator) -> Card:
        return next(Card(index) for index in range(52) if Card(index) not in seen.legal)

    with pytest.raises(StrategyError, match=r"the player chose .*, not one of"):
        asked(hands, cards, contract, another, 1, 0)
