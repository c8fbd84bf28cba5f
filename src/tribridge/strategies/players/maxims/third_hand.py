"""Maxims for third hand: finesse or drop, duck or overtake for declarer; high for a defender."""

from __future__ import annotations

from tribridge.cards import Card
from tribridge.game.position import NO_TRUMP, Position
from tribridge.strategies.players.maxims.signals import signal, small_card
from tribridge.strategies.players.suits import above, card_at, low, lowest_equal, masters, top

Pick = tuple[Card, str]


def third_declaring(s: Position, suit: int, row: int, chair: int, best: Card, beating: int) -> Pick:
    """Declarer's other hand has led; one defender is still to play."""
    out = s.row(s.unseen, suit)
    small = card_at(suit, low(row))
    last, second = (s.chair + 1) & 3, (s.chair - 1) & 3
    leading = chair == s.partner
    if s.voids[last] >> suit & 1:
        if leading:
            return small, f"The trick is already won: {small} is the cheapest card."
        card = card_at(suit, low(beating))
        return card, f"{card} is enough: the last hand is out of the suit."
    higher = above(out, best % 13)
    own = masters(beating, out)
    if leading and not higher:
        if own and _overtake(s, suit, row, own, out):
            card = card_at(suit, low(own))
            return card, f"{card} overtakes {best} to reach the long suit."
        return small, f"{best} is high: {small} is the cheapest card."
    count = out.bit_count()
    tops = masters(row | s.row(s.friend, suit), out).bit_count()
    leading = leading and best % 13 <= 5  # a small card was led towards this hand, not run
    if leading and own:
        if higher.bit_count() == 1 and not _drop(s, count, tops) and best % 13 <= 4:
            return small, f"{best} is run for the finesse: {small}."
        card = card_at(suit, low(own))
        return card, f"{card} is high: the missing cards may fall."
    if leading:
        if higher.bit_count() <= 1 or not beating:
            return small, f"{best} is left to force the higher card: {small}."
        card = card_at(suit, low(beating))
        if card % 13 <= 3 and above(out, card % 13).bit_count() < higher.bit_count():
            return card, f"{card} is played to force out a higher card."
        return small, f"{best} is left to run: {small}."
    if not own:
        choices = beating
        rank = low(choices)
        while above(out, rank).bit_count() > 1:
            choices &= ~(1 << rank)
            if not choices:
                rank = top(beating)
                break
            rank = low(choices)
        card = card_at(suit, lowest_equal(beating, rank, out))
        return card, f"{card} is played: the lead was towards it."
    if not s.voids[second] >> suit & 1:
        rank = _finesse(s, suit, beating & ~own, out, tops)
        if rank >= 0:
            card = card_at(suit, rank)
            missing = card_at(suit, low(above(out, rank)))
            return card, f"Finesse {card}, hoping that {missing} is in front of it."
        if best % 13 > 2 and _duck(s, suit, row, own, count + 1):
            return small, f"{small} ducks a round to keep an entry to the long suit."
    card = card_at(suit, low(own))
    return card, f"{card} is high and wins the trick."


def _finesse(s: Position, suit: int, middle: int, out: int, tops: int) -> int:
    """The rank of the card to finesse with; -1 if there is none or the drop is better."""
    count = out.bit_count()
    near, deep = -1, -1
    while middle:
        rank = low(middle)
        middle &= ~(1 << rank)
        number = above(out, rank).bit_count()
        if rank > 5:
            continue
        if number == 1 and not _drop(s, count, tops):
            near = rank if near < 0 else near
        elif number == 2:
            deep = rank if deep < 0 else deep
    if near < 0 or (0 <= deep <= 4 and s.row(s.friend, suit)):
        return deep
    return near


def _drop(s: Position, count: int, tops: int) -> bool:
    """Whether to play for the drop of the one missing honour, at least in this round.

    With two top cards, the first is cashed before the finesse if the other hand can be reached
    again. Eight ever, nine never: once second hand has followed and the missing honour is the only
    card out, the drop is the better chance.
    """
    return count <= 1 or (tops >= 2 and _entry(s, s.friend, -1))


def _entry(s: Position, hand: int, apart: int) -> bool:
    """Whether a hand has a sure entry outside a suit."""
    return any(
        masters(s.row(hand, suit), s.row(s.unseen, suit)) for suit in range(4) if suit != apart
    )


def _duck(s: Position, suit: int, row: int, own: int, missing: int) -> bool:
    """Whether to duck in a long suit with no side entry while it can still be reached."""
    other = s.row(s.friend, suit)
    if not other or above(other, low(own)) or s.to_defeat <= 1:
        return False
    if s.trump != NO_TRUMP and (suit == s.trump or s.row(s.unseen, s.trump)):
        return False
    rounds = (missing + 2) // 2  # rounds needed to set the suit up if it breaks normally
    return own.bit_count() < rounds < row.bit_count() and not _entry(s, s.mine, suit)


def _overtake(s: Position, suit: int, row: int, own: int, out: int) -> bool:
    """Whether to overtake the leading hand's last card to run the suit from this hand."""
    if s.row(s.friend, suit) or _entry(s, s.mine, suit):
        return False
    remaining = row & ~(1 << low(own))
    rounds = min(remaining.bit_count(), (out.bit_count() + 2) // 2)
    return remaining.bit_count() >= 2 and masters(remaining, out).bit_count() >= rounds


def third_defending(s: Position, suit: int, row: int, chair: int, best: Card, beating: int) -> Pick:
    """Partner has led; one hand of declarer's side is still to play."""
    small = card_at(suit, small_card(s, suit, row))
    dummy = s.row(s.dummy, suit)
    out = s.row(s.unseen, suit)
    leading = chair == s.partner
    if s.chair == 1:  # dummy plays last and is visible
        if leading and not above(dummy, best % 13):
            return small, f"Dummy cannot beat {best}: {small}."
        if not dummy and s.trump != NO_TRUMP and s.row(s.dummy, s.trump):
            return small, f"Dummy will ruff: {small}."
        winning = masters(beating, dummy)
        if winning:
            card = card_at(suit, low(winning))
            return card, f"Third hand plays just enough to beat dummy: {card}."
        return small, f"Dummy cannot be beaten: {small}."
    if s.voids[0] >> suit & 1:
        if leading:
            return small, f"Declarer is out of the suit: {small}."
        card = card_at(suit, low(beating))
        return card, f"{card} is enough: declarer is out of the suit."
    if leading and unblocks(s, suit, row):
        card = card_at(suit, top(row))
        return card, f"{card} unblocks partner's suit."
    if leading and not above(out, best % 13):
        return small, f"{best} is high: {small}{signal(s, row, small) or ' is the cheapest card'}."
    if leading and (best % 13 <= 2 or (best % 13 == 3 and not masters(row, out | dummy))):
        return small, f"{best} does the work: {small}{signal(s, row, small)}."
    if _rule_of_eleven(s, suit, row, dummy):
        card = small if leading else card_at(suit, low(beating))
        return card, f"By the rule of eleven, declarer cannot beat the lead: {card} is enough."
    if dummy:
        guarded = top(dummy)
        under = beating & -(1 << guarded) if above(row, guarded) else 0
        if under and top(under) <= 5 and guarded >= 1:
            card = card_at(suit, lowest_equal(under, top(under), out))
            keep = card_at(suit, low(above(row, guarded)))
            return card, f"{keep} is kept over dummy's {card_at(suit, guarded)}: {card}."
    card = card_at(suit, lowest_equal(beating, top(beating), out))
    return card, f"Third hand high: {card}."


def unblocks(s: Position, suit: int, row: int) -> bool:
    """Whether to unblock a doubleton honour under partner's honour sequence at notrump."""
    led = s.trick[0] % 13
    if s.trump != NO_TRUMP or s.leader != s.partner or not 1 <= led <= 3 or row.bit_count() != 2:
        return False
    rank = top(row)
    dummy = s.row(s.dummy, suit)
    return abs(rank - led) == 1 and rank <= 3 and not dummy & 0b11111


def _rule_of_eleven(s: Position, suit: int, row: int, dummy: int) -> bool:
    """Whether dummy and this hand hold all cards above partner's fourth-best opening lead."""
    led = s.trick[0] % 13
    if s.tricks or s.trump != NO_TRUMP or led < 6:
        return False
    table = 1 << s.trick[1] % 13 if s.trick[1] // 13 == suit else 0
    return above(row | dummy | table, led).bit_count() == led - 3  # 11 minus the card's pips
