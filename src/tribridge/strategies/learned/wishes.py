"""The calls that the bidding network wishes to make, in many auctions at once.

Hands are (n, 4) masks from the dealer on, the hidden hand last.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from tribridge.cards.cards import Hand, Strain
from tribridge.cards.deals import Seat
from tribridge.cards.masks import I64, popcount
from tribridge.game.auction import Auction, Call, Mark
from tribridge.game.laws import honour_cards
from tribridge.networks.auction import (
    DOUBLE,
    REDOUBLE,
    SEATS,
    STRAINS,
    AuctionGames,
    by_call,
    call_number,
    expand,
)
from tribridge.networks.network import F32
from tribridge.networks.stakes import Game, features, own_honours
from tribridge.strategies.learned import STAKES, network

CALLS: Final = REDOUBLE + 1
_MARKS: Final = {Mark.DOUBLE: DOUBLE, Mark.REDOUBLE: REDOUBLE}


def number_of(call: Call) -> int:
    """The number of a call, doubles included."""
    return _MARKS[call] if isinstance(call, Mark) and call in _MARKS else call_number(call)


def seat_at(dealer: Seat, at: int) -> int:
    """The index of the seat so many places after the dealer."""
    return (dealer.index + at) % SEATS


def place_of(seat: Seat, dealer: Seat) -> int:
    """How many places after the dealer a seat is."""
    return (seat.index - dealer.index) % SEATS


def games_at(auction: Auction, count: int) -> AuctionGames:
    """The same auction many times."""
    games = AuctionGames(count, doubles=int(auction.doubles))
    for call in auction.calls:
        games.step(np.full(count, number_of(call)))
    return games


def wishes(
    games: AuctionGames, hands: I64, dealer: Seat, game: Game, some: Any = slice(None)
) -> F32:
    """How much the network prefers each call of those whose turn it is: (n, 38)."""
    seat = seat_at(dealer, games.caller)
    seen = games.observe(hands)[some]
    shared = _features(game, seat)
    own = _own_honours(game)[np.arange(STRAINS), honours_held(seen[:, 0])]
    stakes = np.concatenate([np.broadcast_to(shared, (len(seen), *shared.shape)), own], 2)
    wish: F32 = by_call(network(STAKES)(*expand(seen, np.float32, stakes)))[0]
    return wish


@lru_cache(64)
def _features(game: Game, seat: int) -> F32:
    return features(game, seat)


@lru_cache(64)
def _own_honours(game: Game) -> F32:
    """What a number of honours scores by itself, as features: (5, 6, 2)."""
    table = np.zeros((STRAINS, 6, 2), np.float32)
    for strain in Strain:
        cards = list(honour_cards(strain))
        for held in range(len(cards) + 1):
            table[strain, held] = own_honours(game, Hand(cards[:held]))[strain]
    return table


def honours_held(hands: I64) -> I64:
    """How many honours of each strain hands hold: (n, 5)."""
    masks = np.array([Hand(honour_cards(strain)).mask for strain in Strain], np.int64)
    counts: I64 = popcount((hands[:, None] & masks).astype(np.uint64)).astype(np.int64)
    return counts
