"""Counting positions: every auction and every play of a tiny deck, by number of actions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tribridge.cards.cards import Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game.auction import Auction, Bid, Contract
from tribridge.game.position import Position, start_play
from tribridge.game.table import Table, new_table

Entry = dict[str, Any]


def count_auctions(auction: Auction) -> tuple[list[int], int]:
    """Auctions by number of calls from here on, and how many are complete."""
    positions: list[int] = []
    complete = 0

    def visit(auction: Auction, depth: int) -> None:
        nonlocal complete
        if depth == len(positions):
            positions.append(0)
        positions[depth] += 1
        complete += auction.over
        for call in auction.legal:
            visit(auction.apply_unchecked(call), depth + 1)

    visit(auction, 0)
    return positions, complete


def count_plays(play: Position) -> tuple[list[int], Counter[int]]:
    """Positions by number of cards from here on, and ends by tricks the declarer won."""
    positions: Counter[int] = Counter()
    ends: Counter[int] = Counter()

    def visit(play: Position, depth: int) -> None:
        positions[depth] += 1
        if play.over:
            ends[play.won] += 1
        for card in play.legal:
            visit(play.apply_unchecked(card), depth + 1)

    visit(play, 0)
    return [positions[depth] for depth in range(len(positions))], ends


def count_games(table: Table) -> tuple[list[int], int]:
    """Positions of whole deals by number of actions from here on, and how many are ends."""
    positions: Counter[int] = Counter()
    complete = 0

    def visit(table: Table, depth: int) -> None:
        nonlocal complete
        positions[depth] += 1
        complete += table.over
        for action in table.legal:
            visit(table.apply(action), depth + 1)

    visit(table, 0)
    return [positions[depth] for depth in range(len(positions))], complete


AUCTION_DECKS = (
    (Deck(2, 2), False),
    (Deck(4, 1), False),
    (Deck(2, 4), False),
    (Deck(4, 2), False),
    (Deck(2, 6), False),
    (Deck(3, 4), False),
    (Deck(4, 3), False),
    (Deck(1, 4), True),
    (Deck(2, 2), True),
    (Deck(2, 4), True),
    (Deck(1, 12), True),
)
PLAY_DECKS = ((Deck(2, 4), 2), (Deck(4, 2), 2), (Deck(3, 4), 2), (Deck(4, 3), 2), (Deck(4, 4), 1))
"""Decks and how many of their deals are played out whole."""
GAME_DECKS = ((Deck(2, 2), True), (Deck(4, 1), False), (Deck(2, 4), False), (Deck(4, 2), False))
_SEED = 2026


def auction_entries() -> Iterator[Entry]:
    """Node counts of whole auctions."""
    for deck, doubles in AUCTION_DECKS:
        positions, complete = count_auctions(Auction(Seat.NORTH, deck, doubles))
        yield {
            "deck": str(deck),
            "doubles": doubles,
            "complete": complete,
            "positions": positions,
        }


def play_entries() -> Iterator[Entry]:
    """Node counts of whole plays: notrump and the highest suit as trumps, each declarer."""
    for deck, number in PLAY_DECKS:
        for at in range(number):
            dealt = deal(_SEED, at, deck)
            for declarer in Seat:
                for strain in deck.strains[-2:]:
                    contract = Contract(Bid(1, strain), declarer)
                    positions, ends = count_plays(start_play(dealt, contract))
                    yield {
                        "deck": str(deck),
                        "deal": str(dealt),
                        "declarer": declarer.letter,
                        "strain": strain.letter,
                        "positions": positions,
                        "ends_by_tricks": [ends[won] for won in range(deck.hand_size + 1)],
                    }


def game_entries() -> Iterator[Entry]:
    """Node counts of whole deals, auction and play."""
    for deck, doubles in GAME_DECKS:
        dealt = deal(_SEED, 0, deck)
        positions, complete = count_games(new_table(dealt, Seat.EAST, doubles=doubles))
        yield {
            "deck": str(deck),
            "deal": str(dealt),
            "dealer": "E",
            "doubles": doubles,
            "complete": complete,
            "positions": positions,
        }


def nodes_text() -> str:
    """All node counts as they stand in `nodes.json`, an entry a line."""
    parts = {"auctions": auction_entries(), "plays": play_entries(), "games": game_entries()}
    blocks = (
        f'"{name}": [\n' + ",\n".join(json.dumps(entry) for entry in entries) + "\n]"
        for name, entries in parts.items()
    )
    return "{\n" + ",\n".join(blocks) + "\n}\n"
