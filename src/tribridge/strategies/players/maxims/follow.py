"""Maxims for following suit, by place in the trick and by side."""

from __future__ import annotations

from tribridge.cards.cards import Card, card_at
from tribridge.game.position import NO_TRUMP, Position
from tribridge.strategies.players.maxims.declarer import suit_tricks
from tribridge.strategies.players.maxims.defence import followed, partner_high, signal, small_card
from tribridge.strategies.players.suits import Pick, above, low, lowest_equal, masters, top


def follow(s: Position) -> Pick:
    """A card of the suit led."""
    suit = s.trick[0].row
    row = s.row(s.mine, suit)
    chair, best = s.best()
    small = card_at(suit, small_card(s, suit, row))
    if best.row != suit:
        return small, "The trick has been ruffed: {card} is the cheapest card to follow with."
    beating = above(row, best.column)
    if not beating:
        if len(s.trick) == 2 and chair == s.partner and not s.declaring and unblocks(s, suit, row):
            return card_at(suit, top(row)), "{card} unblocks the other defender's suit."
        if small.column != low(row):
            return small, "{other} cannot be beaten: {card}" + signal(s, row, small), best
        return small, "{other} cannot be beaten: {card} is the cheapest card.", best
    if not row & (row - 1):
        return small, "{card} is the only card of the suit."
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
        return small, "The trick is already won: {card} is the cheapest card."
    if s.declaring and _hold_up(s, suit):
        return small, "Hold up the stopper: {card}, to cut the defenders' communications."
    if not s.declaring and cut_off(s, suit, row):
        return small, "{card} holds up the winner to cut dummy off from its long suit."
    return card_at(suit, low(beating)), "Fourth hand wins as cheaply as it can: {card}."


def _hold_up(s: Position, suit: int) -> bool:
    """Whether to hold up declarer's only stopper at notrump, by the rule of seven."""
    out = s.row(s.unseen, suit)
    if s.trump != NO_TRUMP or s.size - len(s.tricks) <= 4 or out.bit_count() < 3:
        return False
    if s.to_defeat <= 1:
        return False
    for card in s.trick:
        if card.row == suit:
            out |= 1 << card.column
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
        rounds += cards[0].row == suit
        for at, card in enumerate(cards):
            length += card.row == suit and not leader + at & 1
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


def cut_off(s: Position, suit: int, row: int) -> bool | None:
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
        return small, "Hold up the stopper: {card}, to cut the defenders' communications."
    last_bosses = masters(above(other, best.column), out)
    own_bosses = masters(beating, out)
    if row.bit_count() == 2 and beating and not own_bosses:
        rank = low(beating)
        if rank <= 3 and (not last_bosses or rank == 2):
            return card_at(
                suit, rank
            ), "An honour and one small card: {card} is played while it can win."
    if last_bosses and own_bosses and _entry_needed(s, suit):
        return card_at(
            suit, low(own_bosses)
        ), "{card} wins here, to keep the entry to the other hand's long suit."
    if last_bosses:
        return small, "Second hand low: the other hand can win behind {card}."
    if own_bosses and not above(other, best.column):
        rank = low(own_bosses)
        return card_at(suit, rank), "{card} wins; the other hand has nothing to win with."
    middle = beating & ~own_bosses
    if own_bosses and middle and above(out, low(middle)).bit_count() == 1 and low(middle) <= 4:
        return card_at(suit, low(middle)), "{card} may win if the leader has the higher card."
    if own_bosses and s.trump != NO_TRUMP and other.bit_count() > 1:
        return card_at(suit, low(own_bosses)), "{card} wins before it can be ruffed."
    return small, "Second hand low: {card}."


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
    dummy, rank, to_dummy = s.row(s.dummy, suit), best.column, s.chair == 1
    own_bosses = masters(beating, s.row(s.unseen, suit) | dummy)
    if own_bosses and s.to_defeat == 1:
        return card_at(suit, low(own_bosses)), "{card} takes the trick that defeats the contract."
    waiting = cut_off(s, suit, row) if own_bosses else None
    if waiting is not None:
        if waiting:
            return small, "{card} holds up the winner to cut dummy off from its long suit."
        reason = "{card} wins: declarer has no card left to reach dummy's long suit."
        return card_at(suit, low(own_bosses)), reason
    if suit == s.trump:
        if own_bosses and rank <= 3:
            return card_at(suit, low(own_bosses)), "{card} beats the honour that was led."
    elif rank <= 4:
        rank_up = low(beating)
        shielded = bool(dummy >> (rank + 1) & 1) and not to_dummy
        if rank_up <= 2 and not shielded and (rank_up == 0 or dummy or to_dummy is False):
            reason = "Cover an honour with an honour: {card} on {other}."
            return card_at(suit, rank_up), reason, best
    if to_dummy and dummy and not (dummy & (dummy - 1)) and own_bosses and top(dummy) <= 3:
        bare = card_at(suit, top(dummy))
        return card_at(suit, low(own_bosses)), "{card} captures dummy's bare {other}.", bare
    if not own_bosses:
        honours = row & 0b1111
        pair = honours & honours << 1
        if pair and (not to_dummy or above(dummy, low(pair))):
            return card_at(
                suit, low(pair)
            ), "Play one of two touching honours in second hand: {card}."
    elif s.trump != NO_TRUMP and suit != s.trump and len(s.tricks) >= s.size - 5:
        return card_at(suit, low(own_bosses)), "Cash {card} before the suit is ruffed."
    if small.column != low(row):
        return small, "Second hand low: {card}" + signal(s, row, small)
    guard = card_at(suit, top(row))
    return small, "Second hand low: {card} keeps {other} for later.", guard


def third_declaring(s: Position, suit: int, row: int, chair: int, best: Card, beating: int) -> Pick:
    """Declarer's other hand has led; one defender is still to play."""
    out = s.row(s.unseen, suit)
    small = card_at(suit, low(row))
    last, second = (s.chair + 1) & 3, (s.chair - 1) & 3
    leading = chair == s.partner
    if s.voids[last] >> suit & 1:
        if leading:
            return small, "The trick is already won: {card} is the cheapest card."
        return card_at(suit, low(beating)), "{card} is enough: the last hand is out of the suit."
    higher = above(out, best.column)
    own = masters(beating, out)
    if leading and not higher:
        if own and _overtake(s, suit, row, own, out):
            return card_at(suit, low(own)), "{card} overtakes {other} to reach the long suit.", best
        return small, "{other} is high: {card} is the cheapest card.", best
    count = out.bit_count()
    tops = masters(row | s.row(s.friend, suit), out).bit_count()
    leading = leading and best.column <= 5  # a small card was led towards this hand, not run
    if leading and own:
        if higher.bit_count() == 1 and not _drop(s, count, tops) and best.column <= 4:
            return small, "{other} is run for the finesse: {card}.", best
        return card_at(suit, low(own)), "{card} is high: the missing cards may fall."
    if leading:
        if higher.bit_count() <= 1 or not beating:
            return small, "{other} is left to force the higher card: {card}.", best
        card = card_at(suit, low(beating))
        if card.column <= 3 and above(out, card.column).bit_count() < higher.bit_count():
            return card, "{card} is played to force out a higher card."
        return small, "{other} is left to run: {card}.", best
    if not own:
        near = (rank for rank in range(low(beating), -1, -1) if beating >> rank & 1)
        rank = next((rank for rank in near if above(out, rank).bit_count() <= 1), top(beating))
        rank = lowest_equal(beating, rank, out)
        return card_at(suit, rank), "{card} is played: the lead was towards it."
    if not s.voids[second] >> suit & 1:
        rank = _finesse(s, suit, beating & ~own, out, tops)
        if rank >= 0:
            missing = card_at(suit, low(above(out, rank)))
            reason = "Finesse {card}, hoping that {other} is in front of it."
            return card_at(suit, rank), reason, missing
        if best.column > 2 and _duck(s, suit, row, own, count + 1):
            return small, "{card} ducks a round to keep an entry to the long suit."
    return card_at(suit, low(own)), "{card} is high and wins the trick."


def _finesse(s: Position, suit: int, middle: int, out: int, tops: int) -> int:
    """The rank of the card to finesse with; -1 if there is none or the drop is better."""
    near, deep = -1, -1
    for rank in range(6):  # the lowest of each kind stays
        if middle >> rank & 1:
            missing = above(out, rank).bit_count()
            near, deep = rank if missing == 1 else near, rank if missing == 2 else deep
    if near < 0 or _drop(s, out.bit_count(), tops) or (0 <= deep <= 4 and s.row(s.friend, suit)):
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
        if leading and not above(dummy, best.column):
            return small, "Dummy cannot beat {other}: {card}.", best
        if not dummy and s.trump != NO_TRUMP and s.row(s.dummy, s.trump):
            return small, "Dummy will ruff: {card}."
        winning = masters(beating, dummy)
        if winning:
            return card_at(
                suit, low(winning)
            ), "Third hand plays just enough to beat dummy: {card}."
        return small, "Dummy cannot be beaten: {card}."
    if s.voids[0] >> suit & 1:
        if leading:
            return small, "Declarer is out of the suit: {card}."
        return card_at(suit, low(beating)), "{card} is enough: declarer is out of the suit."
    if leading and unblocks(s, suit, row):
        return card_at(suit, top(row)), "{card} unblocks the other defender's suit."
    if leading and not above(out, best.column):
        if small.column == low(row):
            return small, "{other} is high: {card} is the cheapest card.", best
        return small, "{other} is high: {card}" + signal(s, row, small), best
    if leading and (best.column <= 2 or (best.column == 3 and not masters(row, out | dummy))):
        return small, "{other} does the work: {card}" + signal(s, row, small), best
    if rule_of_eleven(s, suit, row, dummy):
        card = small if leading else card_at(suit, low(beating))
        return card, "By the rule of eleven, declarer cannot beat the lead: {card} is enough."
    if dummy:
        guarded = top(dummy)
        under = beating & -(1 << guarded) if above(row, guarded) else 0
        if under and top(under) <= 5 and guarded >= 1:
            rank, held = lowest_equal(under, top(under), out), card_at(suit, guarded)
            keep = card_at(suit, low(above(row, guarded)))
            return card_at(suit, rank), "{other} is kept over dummy's {dummy}: {card}.", keep, held
    return card_at(suit, lowest_equal(beating, top(beating), out)), "Third hand high: {card}."


def unblocks(s: Position, suit: int, row: int) -> bool:
    """Whether to unblock a doubleton honour under partner's honour sequence at notrump."""
    led = s.trick[0].column
    if s.trump != NO_TRUMP or s.leader != s.partner or not 1 <= led <= 3 or row.bit_count() != 2:
        return False
    rank = top(row)
    dummy = s.row(s.dummy, suit)
    return abs(rank - led) == 1 and rank <= 3 and not dummy & 0b11111


def rule_of_eleven(s: Position, suit: int, row: int, dummy: int) -> bool:
    """Whether dummy and this hand hold all cards above partner's fourth-best opening lead."""
    led = s.trick[0].column
    if s.tricks or s.trump != NO_TRUMP or led < 6:
        return False
    table = 1 << s.trick[1].column if s.trick[1].row == suit else 0
    return above(row | dummy | table, led).bit_count() == led - 3  # 11 minus the card's pips
