"""Maxims of the lead: how the declarer plays his suits, what the defenders open and return."""

from __future__ import annotations

from tribridge.cards import Card
from tribridge.strategies.sight import (
    NO_TRUMP,
    Sight,
    above,
    bosses,
    card_at,
    low,
    top,
)

Pick = tuple[Card, str]


def suit_tricks(one: int, two: int, out: int) -> tuple[int, int]:
    """Tricks that two hands may take in a suit: those at once, and those when it is played out.

    A rough count: each round either our best card wins and theirs fall low, or their best card
    wins one of our low ones.
    """
    rounds = max(one.bit_count(), two.bit_count())
    ours, theirs = one | two, out
    cash = min(bosses(ours, theirs).bit_count(), rounds)
    total = 0
    for _ in range(rounds):
        if not theirs:
            total += min(ours.bit_count(), rounds)
            break
        rounds -= 1
        if top(ours) < top(theirs):
            total += 1
            ours &= ours - 1
            theirs &= ~(1 << low(theirs))
        else:
            ours &= ~(1 << low(ours))
            theirs &= theirs - 1
        if theirs:
            theirs &= ~(1 << low(theirs))
        if ours.bit_count() > rounds:
            ours &= ~(1 << low(ours))
        if not ours:
            break
    return cash, max(total, cash)


def declarer_lead(s: Sight) -> Pick:
    """Ruff losers, draw trumps, set up the best suit, then cash."""
    if s.trump != NO_TRUMP:
        found = _ruffing_lead(s) or _draw_trumps(s)
        if found is not None:
            return found
    plans = []
    cash = 0
    for suit in range(4):
        one, two = s.row(s.mine, suit), s.row(s.friend, suit)
        if not one | two:
            continue
        now, later = suit_tricks(one, two, s.row(s.unseen, suit))
        cash += now
        plans.append((suit, one, two, now, later))
    needed = s.needed - s.won
    enough = cash >= needed > 0 and _open_suit(s)
    if not enough:
        best, most = None, 0.0
        for plan in plans:
            suit, one, two, now, later = plan
            gain = later - now
            if gain <= 0 or suit == s.trump:
                continue
            value = gain + 0.1 * (one | two).bit_count() + (0 if one else -1.0)
            if value > most:
                best, most = plan, value
        if best is not None:
            suit, one, two, _, _ = best
            if one:
                found = _towards(s, suit, one, two)
                if found is not None:
                    return found
            crossing = _cross(s, plans, suit)
            if crossing is not None:
                return crossing
            if one:
                return _set_up(s, suit, one, two)
    return _cash(s, plans)


def _open_suit(s: Sight) -> bool:
    """Whether the defenders have a suit that nothing stops."""
    for suit in range(4):
        if suit == s.trump:
            continue
        out = s.row(s.unseen, suit)
        ours = s.row(s.mine | s.friend, suit)
        if out.bit_count() >= 4 and not bosses(ours, out):
            return True
    return False


def _ruffing_lead(s: Sight) -> Pick | None:
    """Lead a loser for the hand with fewer trumps to ruff, before its trumps are drawn."""
    trump = s.trump
    mine, friend = s.row(s.mine, trump), s.row(s.friend, trump)
    if not friend or mine.bit_count() <= friend.bit_count() or not s.row(s.unseen, trump):
        return None
    for suit in range(4):
        other = s.row(s.friend, suit)
        row = s.row(s.mine, suit)
        if suit == trump or other & (other - 1) or row.bit_count() < 1 + 2 * other.bit_count():
            continue
        out = s.row(s.unseen, suit)
        if other and (friend.bit_count() < 2 or row.bit_count() - bosses(row, out).bit_count() < 2):
            continue
        if above(out, low(row)):
            own = bosses(row, out) if other else 0
            card = card_at(suit, top(own) if own else low(row))
            return card, f"{card} is led for a ruff in the hand with fewer trumps."
    return None


def _draw_trumps(s: Sight) -> Pick | None:
    trump = s.trump
    mine, friend = s.row(s.mine, trump), s.row(s.friend, trump)
    out = s.row(s.unseen, trump)
    count = out.bit_count()
    if not mine or not count:
        return None
    if count == 1 and not bosses(mine | friend, out):
        return None  # one high trump is left to them
    longest = max(mine.bit_count(), friend.bit_count())
    if longest < 3 and count > 2:
        return None
    both = mine | friend
    if above(out, top(both)).bit_count() > (1 if both.bit_count() > count + 1 else 0):
        return None  # their trumps are higher: they fall on their own
    found = _towards(s, trump, mine, friend)
    if found is not None:
        card, _ = found
        return card, f"Trumps are drawn: {card}."
    own = bosses(mine, out)
    rank = top(own) if own else top(mine) if _sequence(mine, out) else low(mine)
    card = card_at(trump, rank)
    return card, f"Trumps are drawn: {card}."


def _sequence(row: int, out: int) -> bool:
    """Whether the two highest cards of a row are neighbours among those still out."""
    if not row & (row - 1):
        return False
    first = top(row)
    second = top(row & (row - 1))
    return not above(out, second) & -(1 << first)


def _towards(s: Sight, suit: int, one: int, two: int) -> Pick | None:
    """Lead from one hand towards the honours of the other; None where nothing is gained so."""
    out = s.row(s.unseen, suit)
    if not two or not out:
        return None
    own = bosses(one, out)
    partner_bosses = bosses(two, out)
    tenace = two & ~partner_bosses & 0b1111
    if tenace and above(out, top(tenace)).bit_count() > 2:
        tenace = 0
    if own and one.bit_count() <= two.bit_count() and not tenace:
        card = card_at(suit, top(own))
        return card, f"{card} is cashed: the honours of the shorter hand come first."
    if not tenace:
        return None
    missing = above(out, low(tenace)).bit_count()
    if not missing:
        return None
    rest = one & ~own
    if not rest:
        return None
    rank = low(rest)
    best = top(rest)
    if partner_bosses and best <= 4 and _sequence(rest, out) and above(out, best).bit_count() == 1:
        rank = best
    card = card_at(suit, rank)
    honour = card_at(suit, top(tenace))
    return card, f"{card} is led towards {honour} in the other hand."


def _cross(s: Sight, plans: list[tuple[int, int, int, int, int]], aim: int) -> Pick | None:
    """Lead to a sure entry of the other hand, so that the suit can be led from there."""
    one, two = s.row(s.mine, aim), s.row(s.friend, aim)
    out = s.row(s.unseen, aim)
    if one and not (one & ~bosses(one, out) & 0b11111 and two):
        return None
    for suit, row, other, _, _ in plans:
        if suit == aim or not row or not other:
            continue
        if bosses(other, s.row(s.unseen, suit) | row) and row & ~(row & -row) | row:
            rank = low(row)
            if top(other) < rank:
                card = card_at(suit, rank)
                return card, f"{card} is led to an entry, to play the long suit from there."
    return None


def _set_up(s: Sight, suit: int, one: int, two: int) -> Pick:
    """Drive out the high cards of the defenders from this hand."""
    out = s.row(s.unseen, suit)
    own = bosses(one, out)
    rest = one & ~own
    if rest and top(rest) <= 4 and _sequence(rest, out):
        card = card_at(suit, top(rest))
        return card, f"{card} drives out the higher card: the suit is set up."
    if own and (out.bit_count() <= 5 or own & (own - 1)):
        card = card_at(suit, top(own))
        return card, f"{card} is cashed first: the missing cards may fall."
    card = card_at(suit, low(one))
    return card, f"{card} gives up a trick to set the suit up."


def _cash(s: Sight, plans: list[tuple[int, int, int, int, int]]) -> Pick:
    """Take the tricks that are there; then lead the longest suit."""
    best, most = None, -99.0
    for plan in plans:
        suit, one, two, now, _ = plan
        if not one or not now:
            continue
        out = s.row(s.unseen, suit)
        value = float((one | two).bit_count())
        if not bosses(one, out) and not bosses(two, out | one):
            continue
        if suit == s.trump:
            if s.mine != one << 13 * suit:
                continue  # trumps are worth more by ruffing
        elif s.trump != NO_TRUMP and out and s.row(s.unseen, s.trump):
            value += 6.0 - (one | two).bit_count() * 2
        if bosses(one, out) and one.bit_count() < two.bit_count():
            value += 3.0
        if not bosses(one, out):
            value -= 4.0  # what is high here is cashed before the lead is given away
        if value > most:
            best, most = plan, value
    if best is not None:
        suit, one, two, _, _ = best
        out = s.row(s.unseen, suit)
        own = bosses(one, out)
        if own and (one.bit_count() <= two.bit_count() or not bosses(two, out)):
            card = card_at(suit, top(own))
            return card, f"{card} is high and is cashed."
        if bosses(two, out):
            card = card_at(suit, low(one))
            return card, f"{card} is led to the winner in the other hand."
        card = card_at(suit, top(own))
        return card, f"{card} is high and is cashed."
    longest, length = -1, -1
    for suit, one, two, _, _ in plans:
        size = (one | two).bit_count() - (10 if suit == s.trump else 0)
        if one and size > length:
            longest, length = suit, size
    if longest < 0:
        longest = next(suit for suit in range(4) if s.row(s.mine, suit))
    card = card_at(longest, low(s.row(s.mine, longest)))
    return card, f"{card} gives up a trick in the longest suit."


def defender_lead(s: Sight) -> Pick:
    """The suit with most in its favour, and the right card of it."""
    cashing = _cash_out(s)
    if cashing is not None:
        return cashing
    partner_suit, own_suit = _led_suits(s)
    best, most, why = -1, -99.0, ""
    for suit in range(4):
        row = s.row(s.mine, suit)
        if not row:
            continue
        value, reason = _lead_value(s, suit, row, partner_suit, own_suit)
        if value > most:
            best, most, why = suit, value, reason
    row = s.row(s.mine, best)
    card = card_at(best, _lead_rank(s, best, row, best in (partner_suit, *s.bids)))
    return card, why.format(card=card)


def _led_suits(s: Sight) -> tuple[int, int]:
    """The suits that partner and this hand led first; -1 where there was none."""
    partner, own = -1, -1
    for one in s.tricks:
        leader: int = one.leader
        if leader == s.partner and partner < 0:
            partner = one.cards[0] // 13
        elif leader == s.chair and own < 0:
            own = one.cards[0] // 13
    return partner, own


def _cash_out(s: Sight) -> Pick | None:
    """Winners enough to defeat the contract are taken at once."""
    sure = 0
    first = None
    for suit in range(4):
        row = s.row(s.mine, suit)
        if not row or (suit != s.trump and s.trump != NO_TRUMP and len(s.tricks) == 0):
            continue
        against = s.row(s.unseen | s.dummy, suit)
        own = bosses(row, against)
        if not own or (s.trump not in (NO_TRUMP, suit) and _ruffable(s, suit)):
            continue
        sure += own.bit_count()
        first = card_at(suit, top(own)) if first is None else first
    if first is not None and sure >= s.to_defeat > 0:
        return first, f"{first} is cashed: there are tricks enough to defeat the contract."
    return None


def _ruffable(s: Sight, suit: int) -> bool:
    """Whether the declarer's side is known to be able to ruff a suit."""
    dummy = not s.row(s.dummy, suit) and bool(s.row(s.dummy, s.trump))
    return dummy or bool(s.voids[0] >> suit & 1 and not s.voids[0] >> s.trump & 1)


def _lead_value(
    s: Sight, suit: int, row: int, partner_suit: int, own_suit: int
) -> tuple[float, str]:
    """What speaks for leading a suit, and the maxim that says so."""
    length = row.bit_count()
    dummy = s.row(s.dummy, suit)
    out = s.row(s.unseen, suit)
    against = out | dummy
    own = bosses(row, against)
    reason = "{card} seems to give least away."
    value = 0.0
    if suit == s.trump:
        return (-0.5 if own or top(row) > 3 else -2.5), "A trump: {card} gives nothing away."
    touching = _sequence(row, against) and top(row) <= 3
    if touching and s.trump == NO_TRUMP and length < 4:
        touching = _sequence(row & (row - 1), against)
    if s.trump == NO_TRUMP:
        value += 0.8 * length
        reason = "{card} from the longest suit, to set it up."
        if own and own == row:
            return 9.0 + length, "{card} is high and is cashed."
        if own and length >= 4 and out.bit_count() <= 4:
            value += 2.0
    else:
        if _ruffable(s, suit):
            value -= 4.0
        if own and length <= 4 and s.tricks:
            value += 2.0 + 0.5 * own.bit_count()
            reason = "{card} is high and is cashed before it can be ruffed."
        elif own.bit_count() >= 2:
            value += 4.0
            reason = "{card} from the top of a strong suit."
        elif own:
            value -= 2.0  # an ace led, or led away from
        if length == 1 and s.row(s.mine, s.trump) and not s.tricks:
            value += 2.5
            reason = "A singleton: {card}, in the hope of a ruff."
        if s.voids[s.partner] >> suit & 1 and not s.voids[s.partner] >> s.trump & 1:
            value += 5.0
            reason = "{card} is led for partner to ruff."
    if touching:
        value += 2.0
        if not own:
            reason = "Top of a sequence: {card}."
    elif not own and top(row) <= 2 and not (s.trump == NO_TRUMP and length >= 4):
        value -= 1.2  # away from an honour with nothing behind it
    if suit == partner_suit or suit in s.bids[:1]:
        value += 3.0
        reason = "Partner's suit is returned: {card}." if suit == partner_suit else (
            "Partner bid the suit: {card}."
        )  # fmt: skip
    elif suit == own_suit:
        value += 1.5
        reason = "The first suit is led again: {card}."
    strong = (dummy & 0b111).bit_count()
    if s.chair == 3:
        value += 1.5 if not strong else -0.8 * strong
        if not strong and dummy and reason.startswith("{card} seems"):
            reason = "{card} is led up to the dummy's weakness."
    elif s.tricks or strong:
        value += 0.7 if strong == 1 else -0.7 * max(0, strong - 1)
        if strong == 1 and reason.startswith("{card} seems"):
            reason = "{card} is led through the dummy's strength."
    if dummy.bit_count() >= 5:
        value -= 1.0
    return value, reason


def _lead_rank(s: Sight, suit: int, row: int, partners: bool) -> int:
    """The card of a suit to lead."""
    against = s.row(s.unseen | s.dummy, suit)
    own = bosses(row, against)
    length = row.bit_count()
    if length == 1:
        return top(row)
    if suit == s.trump:
        return low(row)
    if own and (own == row or own.bit_count() >= 2 or s.trump != NO_TRUMP or s.to_defeat <= 1):
        return top(own)
    if own and length <= 3 and s.trump == NO_TRUMP and s.tricks and against.bit_count() <= 6:
        return top(own)
    if _sequence(row, against) and top(row) <= 3 and not own:
        return top(row)
    if length == 2:
        return top(row)
    if partners or length == 3:
        return low(row) if top(row) <= 3 else top(row)
    rest = row
    for _ in range(3):
        rest &= rest - 1
    return top(rest)
