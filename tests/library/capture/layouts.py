"""Hands for tests of the algorithms: written as rows of the state matrix, or with long suits."""

from random import Random

from tribridge.cards.cards import Deck, Hand, cards_of


def lay(*rows: str) -> tuple[Hand, Hand, Deck]:
    """The two hands and the deck of a layout: one text a suit, Clubs first, Aces first."""
    masks = {"1": 0, "2": 0}
    for suit, row in enumerate(rows):
        for rank, holder in enumerate(row):
            if holder in masks:
                masks[holder] |= 1 << 13 * suit + rank
    return Hand(masks["1"]), Hand(masks["2"]), Deck(len(rows), len(rows[0]))


def stacked(source: Random, deck: Deck, alone: bool) -> tuple[Hand, Hand]:
    """Two hands with a suit so long, in the first or over both, that its row budget can run out.

    Random deals hardly ever get there. The other suits have their Aces.
    """
    cards = list(cards_of(deck.mask))
    source.shuffle(cards)
    suit = source.randrange(deck.suits)
    size = deck.hand_size * (1 if alone else 2)
    most = min(deck.ranks, size - (deck.suits - 1) * (1 if alone else 2))
    length = source.randint((most + 1) // 2, most)
    chosen = [card for card in cards if card.row == suit][:length]
    chosen += [card for card in cards if card.row != suit and card.column == 0]
    chosen += [card for card in cards if card not in chosen]
    held, rest = chosen[:size], chosen[size:]
    source.shuffle(held)
    both = held + rest
    hand, dummy = both[: deck.hand_size], both[deck.hand_size : 2 * deck.hand_size]
    return Hand(hand), Hand(dummy)
