"""Maxims for the defenders' leads: which suit to lead or return, and which card of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tribridge.cards.cards import Card, card_at
from tribridge.game.position import NO_TRUMP, Position
from tribridge.strategies.players.suits import Pick, above, low, masters, sequence, top

_NINE: Final = 5
"""The highest rank used for a signal."""
SIGNALS: Final = (".", " encourages the other defender.", " shows an even number.")


def small_card(s: Position, suit: int, row: int) -> int:
    """The rank of a card that need not win: the lowest, or one that signals."""
    lowest = low(row)
    if s.declaring or suit == s.trump:
        return lowest
    spots = row & -(1 << _NINE)
    if not spots & (spots - 1) or any(followed(s, suit, s.chair)):
        return lowest
    if s.leader == s.partner:
        encourages = s.trick[0].column <= 1 and _likes(s, suit, row)
        return top(spots) if encourages else lowest
    if row.bit_count() & 1:
        return lowest
    return top(spots if row.bit_count() == 2 else spots & (spots - 1))


def signal(s: Position, row: int, card: Card) -> str:
    """What a card signals to partner, as the end of a sentence; nothing if it is the lowest."""
    if card.column == low(row):
        return SIGNALS[0]
    return SIGNALS[1 if s.leader == s.partner else 2]


def _likes(s: Position, suit: int, row: int) -> bool:
    """Whether this hand wants partner's suit continued: it has the queen or can soon ruff."""
    if row >> 2 & 1:
        return True
    return s.trump != NO_TRUMP and row.bit_count() == 2 and bool(s.row(s.mine, s.trump))


def followed(s: Position, suit: int, chair: int) -> Iterator[tuple[int, Card, Card]]:
    """For each trick in which a chair followed suit: the leader, the card led and its card."""
    for leader, cards in s.rounds():
        at = (chair - leader) & 3
        if at < len(cards) and cards[0].row == suit == cards[at].row:
            yield leader, cards[0], cards[at]


def partner_high(s: Position, suit: int, leaders: tuple[int, ...]) -> bool | None:
    """Whether partner's first card in a suit, led by one of these chairs, was a high signal.

    None if there is no signal: no such lead, or partner played an honour.
    """
    cards = list(followed(s, suit, s.partner))
    if not cards:
        return None
    leader, led, card = cards[0]
    rank = card.column
    if leader not in leaders or rank < _NINE or (leader == s.chair and led.column > 1):
        return None
    others = s.row(s.unseen, suit)
    for _, _, later in cards[1:]:
        others |= 1 << later.column
    return bool(others >> rank + 1)


def defender_lead(s: Position) -> Pick:
    """The suit with the most in its favour, and the right card of it."""
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
    return card, why


def _led_suits(s: Position) -> tuple[int, int]:
    """The suits that partner and this hand led first; -1 if they have not led."""
    partner, own = -1, -1
    for trick in s.tricks:
        leader: int = trick.leader
        if leader == s.partner and partner < 0:
            partner = trick.cards[0].row
        elif leader == s.chair and own < 0:
            own = trick.cards[0].row
    return partner, own


def _cash_out(s: Position) -> Pick | None:
    """Cash out when there are enough winners to defeat the contract."""
    sure = 0
    first = None
    for suit in range(4):
        row = s.row(s.mine, suit)
        if not row or (suit != s.trump and s.trump != NO_TRUMP and len(s.tricks) == 0):
            continue
        against = s.row(s.unseen | s.dummy, suit)
        own = masters(row, against)
        if not own or (s.trump not in (NO_TRUMP, suit) and _ruffable(s, suit)):
            continue
        sure += own.bit_count()
        first = card_at(suit, top(own)) if first is None else first
    if first is not None and sure >= s.to_defeat > 0:
        return first, "Cash {card}: there are enough tricks to defeat the contract."
    return None


def _ruffable(s: Position, suit: int) -> bool:
    """Whether declarer's side is known to be able to ruff a suit."""
    dummy = not s.row(s.dummy, suit) and bool(s.row(s.dummy, s.trump))
    return dummy or bool(s.voids[0] >> suit & 1 and not s.voids[0] >> s.trump & 1)


def _lead_value(
    s: Position, suit: int, row: int, partner_suit: int, own_suit: int
) -> tuple[float, str]:
    """How strongly the maxims favour leading a suit, and the reason."""
    length = row.bit_count()
    dummy = s.row(s.dummy, suit)
    out = s.row(s.unseen, suit)
    against = out | dummy
    own = masters(row, against)
    reason = least = "{card} seems to give least away."
    value = 0.0
    if suit == s.trump:
        if top(row) > 2 and _ruffs_coming(s):
            return 5.0, "{card} is led to cut down dummy's ruffs."
        return (-0.5 if own or top(row) > 3 else -2.5), "A trump: {card} gives nothing away."
    touching = sequence(row, against) and top(row) <= 3
    if touching and s.trump == NO_TRUMP and length < 4:
        touching = sequence(row & (row - 1), against)
    if s.trump == NO_TRUMP:
        value += 0.8 * length
        reason = "{card} from the longest suit, to set it up."
        if own and own == row:
            return 9.0 + length, "{card} is high: cash it."
        if own and length >= 4 and out.bit_count() <= 4:
            value += 2.0
    else:
        if _ruffable(s, suit):
            value -= 4.0
        if own and length <= 4 and s.tricks:
            value += 2.0 + 0.5 * own.bit_count()
            reason = "{card} is high: cash it before it can be ruffed."
        elif own.bit_count() >= 2:
            value += 4.0
            reason = "{card} from the top of a strong suit."
        elif own:
            value -= 2.0  # leading an ace, or away from one
        if length == 1 and s.row(s.mine, s.trump) and not s.tricks:
            value += 2.5
            reason = "A singleton: {card}, hoping for a ruff."
        if s.voids[s.partner] >> suit & 1 and not s.voids[s.partner] >> s.trump & 1:
            value += 5.0
            reason = "{card} is led for the other defender to ruff."
    if touching:
        value += 2.0
        if not own:
            reason = "Top of a sequence: {card}."
    elif not own and top(row) <= 2 and not (s.trump == NO_TRUMP and length >= 4):
        value -= 1.2  # away from an unsupported honour
    if suit == partner_suit or suit in s.bids[:1]:
        value += 4.0 if s.tricks else 4.5
        reason = (
            "Return the other defender's suit: {card}."
            if suit == partner_suit
            else ("The other defender bid the suit: {card}.")
        )
    elif suit == own_suit:
        high = partner_high(s, suit, (s.chair,))
        value += 1.5 if high is None else 2.5 if high else 0.0
        reason = "Continue the suit led first: {card}."
    strong = (dummy & 0b111).bit_count()
    if s.chair == 3:
        value += 1.5 if not strong else -0.8 * strong
        if not strong and dummy and reason is least:
            reason = "{card} is led up to dummy's weakness."
    elif s.tricks or strong:
        value += 0.7 if strong == 1 else -0.7 * max(0, strong - 1)
        if strong == 1 and reason is least:
            reason = "{card} is led through dummy's strength."
    if dummy.bit_count() >= 5:
        value -= 1.0
    return value, reason


def _ruffs_coming(s: Position) -> bool:
    """Whether dummy is short where this hand is long and strong, and has trumps to ruff with."""
    if not 1 <= s.row(s.dummy, s.trump).bit_count() <= 4:
        return False
    for suit in range(4):
        row = s.row(s.mine, suit)
        if suit == s.trump or s.row(s.dummy, suit).bit_count() > 1:
            continue
        strong = row.bit_count() >= 4 and (row & 0b1111).bit_count() >= 2
        if strong and s.row(s.unseen, suit).bit_count() >= 5:
            return True
    return False


def _led_from_top(s: Position, row: int, against: int) -> bool:
    """Whether to lead the top card: two touching honours, or nearly three at notrump."""
    if not sequence(row, against) or top(row) > 3:
        return False
    lower = row & (row - 1)
    third = lower & (lower - 1)
    if s.trump != NO_TRUMP or row.bit_count() < 4 or s.tricks:
        return True
    return (
        bool(third)
        and above(against, top(third)).bit_count() <= above(against, top(row)).bit_count() + 1
    )


def _lead_rank(s: Position, suit: int, row: int, partners: bool) -> int:
    """The card of a suit to lead."""
    against = s.row(s.unseen | s.dummy, suit)
    own = masters(row, against)
    length = row.bit_count()
    if length == 1:
        return top(row)
    if suit == s.trump:
        return low(row)
    if own and (own == row or own.bit_count() >= 2 or s.trump != NO_TRUMP or s.to_defeat <= 1):
        return top(own)
    if own and length <= 3 and s.trump == NO_TRUMP and s.tricks and against.bit_count() <= 6:
        return top(own)
    if _led_from_top(s, row, against) and not own:
        return top(row)
    if length == 2:
        return top(row)
    if partners and length + len(list(followed(s, suit, s.chair))) >= 4:
        return low(row)
    if partners or length == 3:
        return low(row) if top(row) <= 3 else top(row)
    lower = row & (row - 1)
    if s.trump == NO_TRUMP and top(row) <= 1 and top(lower) <= 4 and sequence(lower, against):
        return top(lower)
    lower = row
    for _ in range(3):
        lower &= lower - 1
    return top(lower)
