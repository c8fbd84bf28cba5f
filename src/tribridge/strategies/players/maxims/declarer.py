"""Maxims for declarer's lead: ruff losers, draw trumps, set up suits, cash winners."""

from __future__ import annotations

from tribridge.cards.cards import card_at
from tribridge.game.position import NO_TRUMP, Position
from tribridge.strategies.players.suits import Pick, above, low, masters, sequence, top


def suit_tricks(here: int, opposite: int, out: int) -> tuple[int, int]:
    """Tricks that two hands may take in a suit: at once, and once it has been played out.

    A rough count: each round either our best card wins and theirs fall low, or their best card
    wins one of our low ones.
    """
    rounds = max(here.bit_count(), opposite.bit_count())
    ours, theirs = here | opposite, out
    cash = min(masters(ours, theirs).bit_count(), rounds)
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


def declarer_lead(s: Position) -> Pick:
    """Ruff losers, draw trumps, set up the best suit, then cash."""
    pick = (ruffing_lead(s) or _draw_trumps(s)) if s.trump != NO_TRUMP else None
    pick = pick or _unblock(s)
    if pick is not None:
        return pick
    plans = []
    cash = 0
    for suit in range(4):
        here, opposite = s.row(s.mine, suit), s.row(s.friend, suit)
        if not here | opposite:
            continue
        now, later = suit_tricks(here, opposite, s.row(s.unseen, suit))
        cash += now
        plans.append((suit, here, opposite, now, later))
    if not (cash >= s.needed - s.won > 0 and _open_suit(s)):
        best, most = None, 0.0
        for plan in plans:
            suit, here, opposite, now, later = plan
            gain = later - now
            if gain <= 0 or suit == s.trump:
                continue
            value = gain + 0.1 * (here | opposite).bit_count() + (0 if here else -1.0)
            if value > most:
                best, most = plan, value
        if best is not None:
            suit, here, opposite, _, _ = best
            pick = (_towards(s, suit, here, opposite) if here else None) or _cross(s, plans, suit)
            if pick is not None or here:
                return pick or _set_up(s, suit, here, opposite)
    return _cash(s, plans)


def _unblock(s: Position) -> Pick | None:
    """Cash honours in the short hand that block the other hand's winners."""
    if s.trump != NO_TRUMP and s.row(s.unseen, s.trump):
        return None
    for suit in range(4):
        here, opposite, out = s.row(s.mine, suit), s.row(s.friend, suit), s.row(s.unseen, suit)
        if suit == s.trump or not here or here.bit_count() >= opposite.bit_count():
            continue
        if masters(here, out) == here and masters(opposite, out):
            return card_at(suit, top(here)), "Cash {card} to unblock the suit."
    return None


def _open_suit(s: Position) -> bool:
    """Whether the defenders have a suit that declarer cannot stop."""
    for suit in range(4):
        if suit == s.trump:
            continue
        out = s.row(s.unseen, suit)
        ours = s.row(s.mine | s.friend, suit)
        if out.bit_count() >= 4 and not masters(ours, out):
            return True
    return False


def ruffing_lead(s: Position) -> Pick | None:
    """Lead a loser for the hand with fewer trumps to ruff, before its trumps are drawn."""
    trump = s.trump
    mine, friend = s.row(s.mine, trump), s.row(s.friend, trump)
    if not mine or not friend or not s.row(s.unseen, trump):
        return None
    if mine.bit_count() < friend.bit_count():
        return _singleton_to_ace(s)
    if mine.bit_count() <= friend.bit_count():
        return None
    for suit in range(4):
        other = s.row(s.friend, suit)
        row = s.row(s.mine, suit)
        if suit == trump or other & (other - 1) or row.bit_count() < 1 + 2 * other.bit_count():
            continue
        out = s.row(s.unseen, suit)
        if other and (
            friend.bit_count() < 2 or row.bit_count() - masters(row, out).bit_count() < 2
        ):
            continue
        if above(out, low(row)):
            own = masters(row, out) if other else 0
            return card_at(
                suit, top(own) if own else low(row)
            ), "{card} is led for a ruff in the hand with fewer trumps."
    return None


def _singleton_to_ace(s: Position) -> Pick | None:
    """From the hand with fewer trumps, lead a singleton to the ace opposite, to ruff losers."""
    if s.row(s.mine, s.trump).bit_count() < 2:
        return None
    for suit in range(4):
        row, other, out = s.row(s.mine, suit), s.row(s.friend, suit), s.row(s.unseen, suit)
        if suit == s.trump or row.bit_count() != 1 or other.bit_count() < 3:
            continue
        losers = other.bit_count() - masters(other, out).bit_count()
        if masters(other, out) and losers >= 2:
            return card_at(
                suit, top(row)
            ), "{card} is led to the ace, to ruff the losers here afterwards."
    return None


def _draw_trumps(s: Position) -> Pick | None:
    trump = s.trump
    mine, friend = s.row(s.mine, trump), s.row(s.friend, trump)
    out = s.row(s.unseen, trump)
    count = out.bit_count()
    if not mine or not count:
        return None
    if count == 1 and not masters(mine | friend, out):
        return None  # the last trump out is high
    longest = max(mine.bit_count(), friend.bit_count())
    if longest < 3 and count > 2:
        return None
    both = mine | friend
    if friend and masters(friend, out) == friend and friend.bit_count() < mine.bit_count():
        return card_at(trump, low(mine)), "Draw trumps: {card}."
    if above(out, top(both)).bit_count() > (1 if both.bit_count() > count + 1 else 0):
        return None  # the defenders' trumps are higher and will fall together anyway
    own = masters(mine, out)
    rank = top(own) if own else top(mine) if sequence(mine, out) else low(mine)
    towards = _towards(s, trump, mine, friend)
    return card_at(trump, towards[0].column if towards else rank), "Draw trumps: {card}."


def _towards(s: Position, suit: int, here: int, opposite: int) -> Pick | None:
    """Lead from one hand towards the other's honours; None if nothing is gained by it."""
    out = s.row(s.unseen, suit)
    if not opposite or not out:
        return None
    own = masters(here, out)
    partner_masters = masters(opposite, out)
    tenace = opposite & ~partner_masters & 0b1111
    if tenace and above(out, top(tenace)).bit_count() > 2:
        tenace = 0
    if own & (own - 1) and out.bit_count() <= 4:
        return card_at(suit, top(own)), "Cash {card} first: the missing cards may fall."
    if own and here.bit_count() <= opposite.bit_count() and not tenace:
        return card_at(suit, top(own)), "Cash {card}: honours from the short hand first."
    lower = here & ~own
    running = partner_masters and lower and top(lower) <= 3 and sequence(lower, out)
    if running and above(out, top(lower)).bit_count() == 1 and out.bit_count() > 2:
        return card_at(suit, top(lower)), "{card} is led for a finesse."
    if not (tenace and above(out, low(tenace)) and lower):
        return None
    rank, best = low(lower), top(lower)
    if partner_masters and best <= 4 and sequence(lower, out) and above(out, best).bit_count() == 1:
        rank = best
    honour = card_at(suit, top(tenace))
    return card_at(suit, rank), "{card} is led towards {other} in the other hand.", honour


def _cross(s: Position, plans: list[tuple[int, int, int, int, int]], aim: int) -> Pick | None:
    """Lead to a sure entry in the other hand, to finesse from there towards this one."""
    here, opposite, out = s.row(s.mine, aim), s.row(s.friend, aim), s.row(s.unseen, aim)
    own = masters(here, out)
    tenace = here & ~own & 0b11111
    if not own or not tenace or not opposite or above(out, top(tenace)).bit_count() != 1:
        return None
    for suit, row, other, _, _ in plans:
        if suit == aim or not row or not other:
            continue
        if masters(other, s.row(s.unseen, suit) | row):
            return card_at(
                suit, low(row)
            ), "{card} is led to an entry, for a finesse in the other direction."
    return None


def _set_up(s: Position, suit: int, here: int, opposite: int) -> Pick:
    """Drive out the defenders' high cards from this hand."""
    out = s.row(s.unseen, suit)
    own = masters(here, out)
    lower = here & ~own
    if lower and top(lower) <= 4 and sequence(lower, out):
        return card_at(suit, top(lower)), "{card} drives out the higher card to set up the suit."
    if own and (out.bit_count() <= 5 or own & (own - 1)):
        return card_at(suit, top(own)), "Cash {card} first: the missing cards may fall."
    return card_at(suit, low(here)), "{card} gives up a trick to set up the suit."


def _cash(s: Position, plans: list[tuple[int, int, int, int, int]]) -> Pick:
    """Cash winners; with none left, lead the longest suit."""
    best, most = None, -99.0
    for plan in plans:
        suit, here, opposite, now, _ = plan
        if not here or not now:
            continue
        out = s.row(s.unseen, suit)
        value = float((here | opposite).bit_count())
        if not masters(here, out) and not masters(opposite, out | here):
            continue
        if suit == s.trump:
            if s.mine != here << 13 * suit:
                continue  # trumps are worth more for ruffing
        elif s.trump != NO_TRUMP and out and s.row(s.unseen, s.trump):
            value += 6.0 - (here | opposite).bit_count() * 2
        if masters(here, out) and here.bit_count() < opposite.bit_count():
            value += 3.0
        if not masters(here, out):
            value -= 4.0  # cash this hand's winners before giving up the lead
        if value > most:
            best, most = plan, value
    if best is not None:
        suit, here, opposite, _, _ = best
        out = s.row(s.unseen, suit)
        own = masters(here, out)
        if own and (here.bit_count() <= opposite.bit_count() or not masters(opposite, out)):
            return card_at(suit, top(own)), "{card} is high: cash it."
        if masters(opposite, out):
            return card_at(suit, low(here)), "{card} is led to the winner in the other hand."
        return card_at(suit, top(own)), "{card} is high: cash it."
    longest, length = -1, -1
    for suit, here, opposite, _, _ in plans:
        size = (here | opposite).bit_count() - (10 if suit == s.trump else 0)
        if here and size > length:
            longest, length = suit, size
    if longest < 0:
        longest = next(suit for suit in range(4) if s.row(s.mine, suit))
    return card_at(
        longest, low(s.row(s.mine, longest))
    ), "{card} gives up a trick in the longest suit."
