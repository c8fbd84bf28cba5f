"""Maxims of a hand that follows suit, by its place in the trick and its side."""

from __future__ import annotations

from tribridge.cards import Card
from tribridge.strategies.sight import (
    NO_TRUMP,
    Sight,
    above,
    bosses,
    card_at,
    low,
    lowest_equal,
    top,
)

Pick = tuple[Card, str]


def follow(s: Sight) -> Pick:
    """A card of the suit led."""
    suit = s.trick[0] // 13
    row = s.row(s.mine, suit)
    chair, best = s.best()
    small = card_at(suit, low(row))
    if best // 13 != suit:
        return small, f"The trick is ruffed: {small} is the cheapest card to follow with."
    beating = above(row, best % 13)
    if not beating:
        return small, f"{best} cannot be beaten: {small} is the cheapest card."
    if not row & (row - 1):
        return small, f"{small} is the only card of the suit."
    place = len(s.trick)
    if place == 3:
        return _fourth(s, suit, row, chair, beating)
    if place == 2:
        if s.declaring:
            return _third_declaring(s, suit, row, chair, best, beating)
        return _third_defending(s, suit, row, chair, best, beating)
    if s.declaring:
        return _second_declaring(s, suit, row, best, beating)
    return _second_defending(s, suit, row, best, beating)


def _fourth(s: Sight, suit: int, row: int, chair: int, beating: int) -> Pick:
    small = card_at(suit, low(row))
    if chair == s.partner:
        return small, f"The trick is won already: {small} is the cheapest card."
    if s.declaring and _hold_up(s, suit):
        return small, f"The stopper is held up: {small}, so that the defenders lose touch."
    card = card_at(suit, low(beating))
    return card, f"Fourth hand wins as cheaply as it can: {card}."


def _hold_up(s: Sight, suit: int) -> bool:
    """Whether the declarer's only stopper in No Trump should wait: the rule of seven."""
    out = s.row(s.unseen, suit)
    if s.trump != NO_TRUMP or s.size - len(s.tricks) <= 4 or out.bit_count() < 3:
        return False
    if s.to_defeat <= 1:
        return False
    for card in s.trick:
        if card // 13 == suit:
            out |= 1 << card % 13
    ours = s.row(s.mine | s.friend, suit)
    stopper = bosses(ours, out)
    if stopper.bit_count() != 1:
        return False
    rest = ours & ~stopper
    if rest and above(out, top(rest)).bit_count() < rest.bit_count() and top(rest) <= 3:
        return False  # a second stopper stands behind it
    rounds, length = 0, ours.bit_count()
    for leader, cards in (*((one.leader, one.cards) for one in s.tricks), (s.leader, s.trick)):
        rounds += cards[0] // 13 == suit
        for at, card in enumerate(cards):
            length += card // 13 == suit and not leader + at & 1
    return rounds - 1 < 7 - length


def _second_declaring(s: Sight, suit: int, row: int, best: Card, beating: int) -> Pick:
    """A defender has led; the declarer's other hand plays last."""
    out = s.row(s.unseen, suit)
    other = s.row(s.friend, suit)
    small = card_at(suit, low(row))
    if _hold_up(s, suit):
        return small, f"The stopper is held up: {small}, so that the defenders lose touch."
    last_bosses = bosses(above(other, best % 13), out)
    own_bosses = bosses(beating, out)
    if row.bit_count() == 2 and beating and not own_bosses:
        rank = low(beating)
        if rank <= 3 and (not last_bosses or rank == 2):
            card = card_at(suit, rank)
            return card, f"An honour and one small card: {card} is played while it can win."
    if last_bosses:
        return small, f"Second hand low: the other hand can win behind {small}."
    if own_bosses and not above(other, best % 13):
        rank = low(own_bosses)
        card = card_at(suit, rank)
        return card, f"{card} wins; the other hand has nothing to win with."
    if own_bosses and s.trump != NO_TRUMP and other.bit_count() > 1:
        card = card_at(suit, low(own_bosses))
        return card, f"{card} wins before it can be ruffed."
    middle = beating & ~own_bosses
    if own_bosses and middle and above(out, low(middle)).bit_count() == 1 and low(middle) <= 4:
        card = card_at(suit, low(middle))
        return card, f"{card} may hold the trick if the higher card lies with the leader."
    return small, f"Second hand low: {small}."


def _second_defending(s: Sight, suit: int, row: int, best: Card, beating: int) -> Pick:
    """The declarer's side has led; partner plays last."""
    small = card_at(suit, low(row))
    out = s.row(s.unseen, suit)
    dummy = s.row(s.dummy, suit)
    rank = best % 13
    to_dummy = s.chair == 1
    against = out | dummy
    own_bosses = bosses(beating, against)
    if own_bosses and s.to_defeat == 1:
        card = card_at(suit, low(own_bosses))
        return card, f"{card} takes the trick that defeats the contract."
    if suit == s.trump:
        if own_bosses and rank <= 3:
            card = card_at(suit, low(own_bosses))
            return card, f"{card} beats the honour that was led."
    elif rank <= 4:
        rank_up = low(beating)
        shielded = bool(dummy >> (rank + 1) & 1) and not to_dummy
        if rank_up <= 2 and not shielded and (rank_up == 0 or dummy or to_dummy is False):
            card = card_at(suit, rank_up)
            return card, f"An honour is covered with an honour: {card} on {best}."
    if to_dummy and dummy and not (dummy & (dummy - 1)) and own_bosses and top(dummy) <= 3:
        card = card_at(suit, low(own_bosses))
        return card, f"{card} falls on the dummy's bare {card_at(suit, top(dummy))}."
    if not own_bosses:
        honours = row & 0b1111
        pair = honours & honours << 1
        if pair and (not to_dummy or above(dummy, low(pair))):
            card = card_at(suit, low(pair))
            return card, f"One of two touching honours is played in second hand: {card}."
    elif s.trump != NO_TRUMP and suit != s.trump and len(s.tricks) >= s.size - 5:
        card = card_at(suit, low(own_bosses))
        return card, f"{card} is cashed before the suit is ruffed."
    guard = card_at(suit, top(row))
    if guard != small:
        return small, f"Second hand low: {small} keeps {guard} for later."
    return small, f"Second hand low: {small}."


def _third_declaring(s: Sight, suit: int, row: int, chair: int, best: Card, beating: int) -> Pick:
    """The declarer's other hand has led; one defender is still to play."""
    out = s.row(s.unseen, suit)
    small = card_at(suit, low(row))
    last = (s.chair + 1) & 3
    leading = chair == s.partner
    if s.voids[last] >> suit & 1:
        if leading:
            return small, f"The trick is won already: {small} is the cheapest card."
        card = card_at(suit, low(beating))
        return card, f"{card} is enough: the last hand is out of the suit."
    higher = above(out, best % 13)
    if leading and not higher:
        return small, f"{best} is high: {small} is the cheapest card."
    own = bosses(beating, out)
    count = out.bit_count()
    leading = leading and best % 13 <= 5  # a small card was led towards this hand, not run
    if leading and own:
        if higher.bit_count() == 1 and not _drop(higher, count) and best % 13 <= 4:
            return small, f"{best} is run for the finesse: {small}."
        card = card_at(suit, low(own))
        return card, f"{card} is high: the missing cards may fall."
    if leading:
        if higher.bit_count() <= 1 or not beating:
            return small, f"{best} is left to force the higher card: {small}."
        card = card_at(suit, low(beating))
        if card % 13 <= 3 and above(out, card % 13).bit_count() < higher.bit_count():
            return card, f"{card} is put up towards a trick."
        return small, f"{best} is left to run: {small}."
    if not own:
        rank = low(beating)
        choices = beating
        for _ in range(beating.bit_count()):
            rank = low(choices)
            if above(out, rank).bit_count() <= 1:
                break
            choices &= ~(1 << rank)
            if not choices:
                rank = top(beating)
        rank = lowest_equal(beating, rank, out)
        card = card_at(suit, rank)
        return card, f"A card is led towards {card}, which is put up."
    middle = beating & ~own
    best_rank, least = -1, 3
    for_finesse = middle
    while for_finesse:
        rank = low(for_finesse)
        for_finesse &= ~(1 << rank)
        missing = above(out, rank)
        number = missing.bit_count()
        if number < least and rank <= 5 and not (number == 1 and _drop(missing, count)):
            best_rank, least = rank, number
    if best_rank >= 0 and (least == 1 or above(out, best_rank).bit_count() == 2):
        card = card_at(suit, best_rank)
        missing_card = card_at(suit, top(above(out, best_rank)))
        return card, f"A finesse: {card}, in the hope that {missing_card} lies before it."
    card = card_at(suit, low(own))
    return card, f"{card} is high and takes the trick."


def _drop(missing: int, count: int) -> bool:
    """Whether a missing honour is played for the drop: eight ever, nine never, and its like."""
    rank = top(missing)
    return count <= (1 if rank == 0 else 2 if rank == 1 else 4 if rank == 2 else 6)


def _third_defending(s: Sight, suit: int, row: int, chair: int, best: Card, beating: int) -> Pick:
    """Partner has led; one hand of the declarer's side is still to play."""
    small = card_at(suit, low(row))
    dummy = s.row(s.dummy, suit)
    out = s.row(s.unseen, suit)
    if s.chair == 1:  # the dummy plays last and is in sight
        threat = dummy
        if chair == s.partner and not above(threat, best % 13):
            return small, f"The dummy cannot beat {best}: {small}."
        if not dummy and s.trump != NO_TRUMP and s.row(s.dummy, s.trump):
            return small, f"The dummy will ruff: {small}."
        winning = bosses(beating, threat) if threat else beating
        if winning:
            card = card_at(suit, low(winning))
            return card, f"Third hand plays what beats the dummy: {card}."
        return small, f"The dummy cannot be beaten: {small}."
    if s.voids[0] >> suit & 1:
        if chair == s.partner:
            return small, f"The declarer is out of the suit: {small}."
        card = card_at(suit, low(beating))
        return card, f"{card} is enough: the declarer is out of the suit."
    if chair == s.partner and not above(out, best % 13):
        return small, f"{best} is high: {small} is the cheapest card."
    if chair == s.partner and best % 13 <= 3 and not bosses(row, out | dummy):
        return small, f"{best} does the work: {small}."
    if chair == s.partner and best % 13 <= 2:
        return small, f"{best} does the work: {small}."
    if dummy:
        guarded = top(dummy)
        under = beating & -(1 << guarded) if above(row, guarded) else 0
        if under and top(under) <= 5 and guarded >= 1 and above(row, guarded):
            card = card_at(suit, lowest_equal(under, top(under), out))
            keep = card_at(suit, low(above(row, guarded)))
            return card, f"{keep} is kept over the dummy's {card_at(suit, guarded)}: {card}."
    card = card_at(suit, lowest_equal(beating, top(beating), out))
    return card, f"Third hand high: {card}."
