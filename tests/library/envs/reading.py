"""The inverse of an observation: all that it says, read back by the rules of the game."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

from tests.library.game.playing import actions_of, with_deal
from tribridge.cards.cards import Card, Hand, Strain
from tribridge.cards.deals import HIDDEN, Deal, Seat
from tribridge.envs.encoding import Bits, Encoding
from tribridge.game import DOUBLE, PASS, REDOUBLE, Action, Call, Table
from tribridge.game.tricks import Chair, winner


def read_dealer(encoding: Encoding, bits: Bits, seat: Seat) -> Seat:
    return seat.after(one(bits[encoding.fields["dealer"]]))


def one(bits: Bits) -> int:
    """The place of the only bit that is set."""
    (place,) = np.flatnonzero(bits)
    return int(place)


def read_calls(encoding: Encoding, bits: Bits, seat: Seat) -> list[Call]:
    """The calls in order: whoever acts before the next bid, double or redouble has passed."""
    fields = encoding.fields
    count = len(encoding.bids)
    bids, doubles = (bits[fields[name]].reshape(3, count) for name in ("bids", "doubles"))
    calls: list[Call] = []
    turn = read_dealer(encoding, bits, seat)

    def act(by: Seat, call: Call) -> None:
        nonlocal turn
        while turn is not by:
            calls.append(PASS)
            turn = turn.left
        calls.append(call)
        turn = turn.left

    for number, bid in enumerate(encoding.bids):
        if not bids[:, number].any():
            continue
        bidder = seat.after(one(bids[:, number]))
        act(bidder, bid)
        if doubles[:, number].any():
            act(seat.after(one(doubles[:, number])), DOUBLE)
        if bits[fields["redoubles"]][number]:
            act(bidder, REDOUBLE)
    return calls + [PASS] * int(bits[fields["passes"]].sum())


def read_cards(encoding: Encoding, bits: Bits) -> Iterator[Card]:
    """The cards in the order in which they were played."""
    fields, deck = encoding.fields, encoding.deck
    if not bits[fields["declarer"]].any():
        return
    declarer = one(bits[fields["declarer"]])
    strain: Strain = deck.strains[one(bits[fields["strain"]])]
    played = bits[fields["played"]].reshape(4, deck.size)
    hands = {
        Chair.DECLARER: declarer,
        Chair.LEFT: (declarer + 1) % 3,
        Chair.DUMMY: 3,
        Chair.RIGHT: (declarer + 2) % 3,
    }
    leader = Chair.LEFT
    for trick in bits[fields["tricks"]].reshape(deck.hand_size, deck.size):
        cards = []
        for at in range(int(trick.sum())):
            chair = Chair((leader + at) % 4)
            cards.append(encoding.cards[one(trick * played[hands[chair]])])
        yield from cards
        if len(cards) == 4:
            leader = winner(leader, cards, strain.trump)


def hand_in(encoding: Encoding, bits: Bits, *names: str) -> Hand:
    """The cards of some fields that have a bit for every card."""
    rows = [bits[encoding.fields[name]].reshape(-1, encoding.deck.size) for name in names]
    places = np.flatnonzero(np.concatenate(rows).any(0))
    return Hand(encoding.cards[place] for place in places)


def exchange(table: Table, seat: Seat, random: Random) -> Table:
    """The same position with the cards that a seat cannot see dealt again at random."""
    actions: list[Action] = actions_of(table)
    gone = Hand(action for action in actions if isinstance(action, Card))
    hidden = [hand for hand in range(HIDDEN + 1) if hand != seat.index]
    if table.position is not None:
        hidden.remove(HIDDEN)
    loose = [card for hand in hidden for card in table.deal.hands[hand] - gone]
    random.shuffle(loose)
    hands = list(table.deal.hands)
    for hand in hidden:
        kept = hands[hand] & gone
        missing = len(hands[hand]) - len(kept)
        hands[hand] = kept | Hand(loose[:missing])
        del loose[:missing]
    return with_deal(table, Deal.of(hands, table.deal.deck))
