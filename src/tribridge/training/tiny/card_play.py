"""The card play of a deck of eight cards in one strain as a game.

Player 0 is declarer, who also plays dummy's cards, 1 the left and 2 the right defender. Everybody
sees dummy. Payoffs are tricks: declarer's, and minus these for each defender. Only the first trick
has choices; forced cards are not information sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tribridge.cards import Card, Strain
from tribridge.deals import Seat
from tribridge.errors import SettingError
from tribridge.game.auction import Bid, Contract
from tribridge.game.position import Position
from tribridge.game.tricks import Chair
from tribridge.training.tiny.layouts import Layouts
from tribridge.training.tiny.treeplex import Builder, Ints, LeafGame

MOST_PLAYED: Final = 8
"""The largest deck whose play is solved."""
_PLAYER: Final = {Chair.DECLARER: 0, Chair.DUMMY: 0, Chair.LEFT: 1, Chair.RIGHT: 2}


@dataclass(frozen=True, slots=True)
class Spot:
    """A choice of card: whose it is, and a deal and cards played that lead there."""

    chair: Chair
    deal: int
    played: tuple[Card, ...]
    options: tuple[Card, ...]


@dataclass(frozen=True, eq=False)
class CardPlay:
    """The play in one strain, with what is needed to ask a player for its choices."""

    layouts: Layouts
    strain: Strain
    game: LeafGame
    spots: tuple[tuple[Spot, ...], ...]
    """For each player the information sets, in order."""
    deals: Ints
    """The deal of each end; the declarer's is the first seat."""
    tricks: Ints
    """Declarer's tricks at each end."""


def card_play(layouts: Layouts, strain: Strain) -> CardPlay:
    """The play of all deals in a strain."""
    if layouts.deck.size > MOST_PLAYED:
        raise SettingError(
            f"a deck of {layouts.deck} has {layouts.deck.size} cards: its play can be solved for "
            f"at most {MOST_PLAYED} cards, its auction alone with --auction-only"
        )
    if strain not in layouts.deck.strains:
        raise SettingError(f"{strain.letter} cannot be trumps in a deck of {layouts.deck}")
    builder = Builder(3)
    contract = Contract(Bid(1, strain), Seat.NORTH)
    examples: list[dict[int, Spot]] = [{} for _ in range(3)]
    deals: list[int] = []
    tricks: list[int] = []

    def walk(at: Position, deal: int, played: tuple[Card, ...], last: tuple[int, ...]) -> None:
        if at.over:
            deals.append(deal)
            tricks.append(at.won)
            share = at.won / len(layouts)
            builder.end(last, (share, -share, -share))
            return
        legal, player = at.legal, _PLAYER[at.chair]
        if len(legal) == 1:
            walk(at.apply_unchecked(legal[0]), deal, (*played, legal[0]), last)
            return
        hand, dummy = layouts.deals[deal, player], layouts.masks[deal, 3]
        key = at.chair, int(hand), int(dummy), played
        first = builder.choose(player, key, len(legal), last[player])
        examples[player].setdefault(
            builder.numbers[player][key], Spot(at.chair, deal, played, legal)
        )
        for option, card in enumerate(legal):
            after = (*last[:player], first + option, *last[player + 1 :])
            walk(at.apply_unchecked(card), deal, (*played, card), after)

    for deal, chairs in enumerate(layouts.chairs.tolist()):
        walk(Position(contract, tuple(chairs)), deal, (), (0, 0, 0))
    game, places = builder.game()
    spots = []
    for found, place in zip(examples, places, strict=True):
        ordered = sorted(found.items(), key=lambda item: place[item[0]])
        spots.append(tuple(spot for _, spot in ordered))
    return CardPlay(
        layouts, strain, game, tuple(spots), np.array(deals, np.int64), np.array(tricks, np.int64)
    )
