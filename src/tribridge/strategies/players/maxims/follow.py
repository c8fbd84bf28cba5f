"""Maxims for following suit, by place in the trick and by side."""

from __future__ import annotations

from tribridge.cards import Card
from tribridge.game.position import NO_TRUMP, Position
from tribridge.strategies.players.maxims.declarer import suit_tricks
from tribridge.strategies.players.maxims.signals import followed, partner_high, signal, small_card
from tribridge.strategies.players.maxims.third_hand import (
    third_declaring,
    third_defending,
    unblocks,
)
from tribridge.strategies.players.suits import above, card_at, low, masters, top

Pick = tuple[Card, str]


def follow(s: Position) -> Pick:
    """A card of the suit led."""
    suit = s.trick[0] // 13
    row = s.row(s.mine, suit)
    chair, best = s.best()
    small = card_at(suit, small_card(s, suit, row))
    if best // 13 != suit:
        return small, f"The trick has been ruffed: {small} is the cheapest card to follow with."
    beating = above(row, best % 13)
    if not beating:
        if len(s.trick) == 2 and chair == s.partner and not s.declaring and unblocks(s, suit, row):
            card = card_at(suit, top(row))
            return card, f"{card} unblocks partner's suit."
        if small % 13 != low(row):
            return small, f"{best} cannot be beaten: {small}{signal(s, row, small)}."
        return small, f"{best} cannot be beaten: {small} is the cheapest card."
    if not row & (row - 1):
        return small, f"{small} is the only card of the suit."
    place = len(s.trick)
    if place == 3:
        return _fourth(s, suit, row, chair, beating)
    if place == 2:
        if s.declaring:
            return third_declaring(s, suit, row, chair, best, beating)
        return third_defending(s, suit, row, chair, best, beating)
    if s.declaring:
        return _second_declaring(s, suit, row, best, beating)
    return _second_defending(s, suit, row, best, beating)


def _fourth(s: Position, suit: int, row: int, chair: int, beating: int) -> Pick:
    small = card_at(suit, low(row))
    if chair == s.partner:
        return small, f"The trick is already won: {small} is the cheapest card."
    if s.declaring and _hold_up(s, suit):
        return small, f"Hold up the stopper: {small}, to cut the defenders' communications."
    if not s.declaring and _cut_off(s, suit, row):
        return small, f"{small} holds up the winner to cut dummy off from its long suit."
    card = card_at(suit, low(beating))
    return card, f"Fourth hand wins as cheaply as it can: {card}."


def _hold_up(s: Position, suit: int) -> bool:
    """Whether to hold up declarer's only stopper at notrump, by the rule of seven."""
    out = s.row(s.unseen, suit)
    if s.trump != NO_TRUMP or s.size - len(s.tricks) <= 4 or out.bit_count() < 3:
        return False
    if s.to_defeat <= 1:
        return False
    for card in s.trick:
        if card // 13 == suit:
            out |= 1 << card % 13
    ours = s.row(s.mine | s.friend, suit)
    stopper = masters(ours, out)
    if stopper.bit_count() != 1:
        return False
    for hand in (s.mine, s.friend):
        others = s.row(hand, suit) & ~stopper
        if others and above(out, top(others)).bit_count() < others.bit_count() and top(others) <= 3:
            return False  # there is a second stopper
    if _running(s, suit) or _weaker_suit(s, suit):
        return False
    rounds, length = 0, ours.bit_count()
    for leader, cards in s.rounds():
        rounds += cards[0] // 13 == suit
        for at, card in enumerate(cards):
            length += card // 13 == suit and not leader + at & 1
    return rounds - 1 < 7 - length


def _running(s: Position, stopped: int) -> bool:
    """Whether declarer can run the tricks the contract needs once the stopper has won."""
    tricks = 1
    for suit in range(4):
        here, opposite = s.row(s.mine, suit), s.row(s.friend, suit)
        if suit != stopped and here | opposite:
            tricks += suit_tricks(here, opposite, s.row(s.unseen, suit))[0]
    return tricks >= s.needed - s.won


def _weaker_suit(s: Position, stopped: int) -> bool:
    """Whether the defenders could switch to an unstopped suit."""
    for suit in range(4):
        here, opposite, out = s.row(s.mine, suit), s.row(s.friend, suit), s.row(s.unseen, suit)
        longest = max(here.bit_count(), opposite.bit_count())
        higher = above(out, top(here | opposite)) if here | opposite else out
        if suit != stopped and out.bit_count() >= 7 and higher.bit_count() >= longest:
            return True
    return False


def _cut_off(s: Position, suit: int, row: int) -> bool | None:
    """Whether a defender holds up the only winner in dummy's long suit until declarer is out of it.

    None if there is nothing to cut off: dummy has an entry, or no suit to run.
    """
    dummy, out = s.row(s.dummy, suit), s.row(s.unseen, suit)
    if masters(row, dummy | out).bit_count() != 1 or s.to_defeat <= 1:
        return None
    if dummy.bit_count() < 3 or row.bit_count() < 2 or not masters(dummy, out):
        return None
    for other in range(4):
        side = s.row(s.dummy, other)
        if other != suit and side and (other == s.trump or side & 0b11):
            return None
    played = [len(list(followed(s, suit, chair))) for chair in (0, s.partner)]
    # Declarer and partner were dealt this many; partner's count signal shows how they are divided.
    dealt = out.bit_count() + sum(played)
    high = partner_high(s, suit, (0, 2))
    lengths = [n for n in range(dealt + 1) if high is None or n & 1 != high]
    partner = min(lengths, key=lambda n: abs(2 * n - dealt))
    return played[0] + (s.leader == 2) < dealt - partner


def _second_declaring(s: Position, suit: int, row: int, best: Card, beating: int) -> Pick:
    """A defender has led; declarer's other hand plays last."""
    out = s.row(s.unseen, suit)
    other = s.row(s.friend, suit)
    small = card_at(suit, low(row))
    if _hold_up(s, suit):
        return small, f"Hold up the stopper: {small}, to cut the defenders' communications."
    last_bosses = masters(above(other, best % 13), out)
    own_bosses = masters(beating, out)
    if row.bit_count() == 2 and beating and not own_bosses:
        rank = low(beating)
        if rank <= 3 and (not last_bosses or rank == 2):
            card = card_at(suit, rank)
            return card, f"An honour and one small card: {card} is played while it can win."
    if last_bosses and own_bosses and _entry_needed(s, suit):
        card = card_at(suit, low(own_bosses))
        return card, f"{card} wins here, to keep the entry to the other hand's long suit."
    if last_bosses:
        return small, f"Second hand low: the other hand can win behind {small}."
    if own_bosses and not above(other, best % 13):
        rank = low(own_bosses)
        card = card_at(suit, rank)
        return card, f"{card} wins; the other hand has nothing to win with."
    middle = beating & ~own_bosses
    if own_bosses and middle and above(out, low(middle)).bit_count() == 1 and low(middle) <= 4:
        card = card_at(suit, low(middle))
        return card, f"{card} may win if the leader has the higher card."
    if own_bosses and s.trump != NO_TRUMP and other.bit_count() > 1:
        card = card_at(suit, low(own_bosses))
        return card, f"{card} wins before it can be ruffed."
    return small, f"Second hand low: {small}."


def _entry_needed(s: Position, suit: int) -> bool:
    """Whether a suit holds the other hand's only entry to a long suit not yet set up."""
    length = 0
    for other in range(4):
        row, out = s.row(s.friend, other), s.row(s.unseen, other)
        if other == suit or not row:
            continue
        if masters(row, out | s.row(s.mine, other)):
            return False
        if row.bit_count() >= 5 and above(out, top(row)).bit_count() == 1:
            length = row.bit_count()
    return length > 0


def _second_defending(s: Position, suit: int, row: int, best: Card, beating: int) -> Pick:
    """Declarer's side has led; partner plays last."""
    small = card_at(suit, small_card(s, suit, row))
    out = s.row(s.unseen, suit)
    dummy = s.row(s.dummy, suit)
    rank = best % 13
    to_dummy = s.chair == 1
    against = out | dummy
    own_bosses = masters(beating, against)
    if own_bosses and s.to_defeat == 1:
        card = card_at(suit, low(own_bosses))
        return card, f"{card} takes the trick that defeats the contract."
    waiting = _cut_off(s, suit, row) if own_bosses else None
    if waiting is not None:
        card = small if waiting else card_at(suit, low(own_bosses))
        if waiting:
            return card, f"{card} holds up the winner to cut dummy off from its long suit."
        return card, f"{card} wins: declarer has no card left to reach dummy's long suit."
    if suit == s.trump:
        if own_bosses and rank <= 3:
            card = card_at(suit, low(own_bosses))
            return card, f"{card} beats the honour that was led."
    elif rank <= 4:
        rank_up = low(beating)
        shielded = bool(dummy >> (rank + 1) & 1) and not to_dummy
        if rank_up <= 2 and not shielded and (rank_up == 0 or dummy or to_dummy is False):
            card = card_at(suit, rank_up)
            return card, f"Cover an honour with an honour: {card} on {best}."
    if to_dummy and dummy and not (dummy & (dummy - 1)) and own_bosses and top(dummy) <= 3:
        card = card_at(suit, low(own_bosses))
        return card, f"{card} captures dummy's bare {card_at(suit, top(dummy))}."
    if not own_bosses:
        honours = row & 0b1111
        pair = honours & honours << 1
        if pair and (not to_dummy or above(dummy, low(pair))):
            card = card_at(suit, low(pair))
            return card, f"Play one of two touching honours in second hand: {card}."
    elif s.trump != NO_TRUMP and suit != s.trump and len(s.tricks) >= s.size - 5:
        card = card_at(suit, low(own_bosses))
        return card, f"Cash {card} before the suit is ruffed."
    if small % 13 != low(row):
        return small, f"Second hand low: {small}{signal(s, row, small)}."
    guard = card_at(suit, top(row))
    return small, f"Second hand low: {small} keeps {guard} for later."
