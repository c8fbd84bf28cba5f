"""Brute force: every legal card to the end, by the rules of the game and nothing else."""

from __future__ import annotations

from functools import cache

from tribridge.cards.cards import Card, Deck, Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game import Bid, Contract, Position
from tribridge.game.tricks import Chair, chair_hands


def position(hands: tuple[int, int, int, int], strain: Strain, leader: Chair) -> Position:
    """A play with these hands left and an empty table."""
    return Position(Contract(Bid(1, strain), Seat.NORTH), hands, leader)


def dealt(seed: int, number: int, deck: Deck) -> tuple[int, int, int, int]:
    """The hands of a deal in the order of the chairs, North declaring."""
    return chair_hands(deal(seed, number, deck), Seat.NORTH)


def minimax(play: Position) -> int:
    """Tricks of the declarer's side in the end, by trying everything."""
    return _minimax(play.contract, play.hands, play.leader, play.trick) + play.won


@cache
def _minimax(
    contract: Contract, hands: tuple[int, int, int, int], leader: Chair, trick: tuple[Card, ...]
) -> int:
    play = Position(contract, hands, leader, trick)
    if play.over:
        return 0
    chair = play.chair
    values = []
    for card in play.legal:
        after = play.apply_unchecked(card)
        values.append(after.won + _minimax(contract, after.hands, after.leader, after.trick))
    return max(values) if chair.declaring else min(values)
