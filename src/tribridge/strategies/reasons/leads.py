"""What can be said for a card that is led."""

from __future__ import annotations

from typing import Final

from tribridge.common.sentences import Words, words
from tribridge.game.position import NO_TRUMP
from tribridge.game.tricks import Chair
from tribridge.strategies.players.suits import above, equals, low, masters, top
from tribridge.strategies.reasons.play import (
    ENOUGH,
    HONOURS,
    LENGTH,
    STRENGTH,
    THE,
    Play,
    Reason,
    keeps,
)


def _draws_trumps(p: Play) -> Words | None:
    out = p.others(p.suit).bit_count()
    if p.suit != p.s.trump or not p.s.declaring or not out:
        return None
    if out == 1:
        return words("Draws trumps: the last one is still out.")
    return words("Draws trumps: {number} are still out.", number=out)


def _unblocks_lead(p: Play) -> Words | None:
    out = p.others(p.suit)
    short = p.mine.bit_count() < p.friend.bit_count()
    if p.higher or not short or not masters(p.friend, out) or p.suit == p.s.trump:
        return None
    if not 1 << p.rank & HONOURS or p.rank > low(p.friend):
        return None  # it is in nobody's way
    return words(
        "High cards of the shorter hand first: the other hand has more {suit}.", suit=p.name
    )


def _highest(p: Play) -> Words | None:
    if p.higher:
        return None
    if not p.highest:
        if p.may_ruff(p.suit):
            return words(
                "No opponent has a higher card in {suit}: the trick is won unless it is ruffed.",
                suit=p.name,
            )
        return words("No opponent has a higher card in {suit}: a sure trick.", suit=p.name)
    if p.may_ruff(p.suit):
        return words("The highest card left in {suit}: it wins unless it is ruffed.", suit=p.name)
    return words("The highest card left in {suit}: a sure trick.", suit=p.name)


def _drives_out(p: Play) -> Words | None:
    """From touching honours in both hands, or towards three, under the one card that beats them."""
    out, held = p.others(p.suit), p.mine | p.friend
    best = top(held)
    missing = above(out, best)
    honours = held & equals(best, out) & HONOURS
    if not p.s.declaring or missing.bit_count() != 1 or not honours & p.friend:
        return None
    led = 1 << p.rank & honours
    if not led and honours.bit_count() < ENOUGH:
        return None
    bare = p.friend if p.friend.bit_count() == 1 else 0
    spent = led | bare if led else 1 << low(honours & p.friend)
    if not (left := honours & ~spent):
        return None
    return words(
        "To drive out {missing}, wherever it is: then {other} is high.",
        missing=THE[top(missing)],
        other=p.at(top(left)),
    )


def _towards(p: Play) -> Words | None:
    """Towards an honour opposite that only one card beats, which may lie in front of it."""
    if p.s.voids[p.s.chair + 1 & 3] >> p.suit & 1:
        return None
    out = p.others(p.suit)
    for rank in range(5):
        missing = above(out, rank)
        guarded = p.friend >> rank & 1 and p.friend.bit_count() > 1  # a bare one must be played
        if guarded and p.rank > rank and missing.bit_count() == 1:
            over = above(p.friend, top(missing))
            if over.bit_count() > 1 or not p.worth_a_finesse(top(missing)):
                return None
            return words(
                "Led towards {other}, which can win if {missing} lies in front of it.",
                other=p.at(rank),
                missing=THE[top(missing)],
            )
    return None


def _runs(p: Play) -> Words | None:
    """An honour led to be run, if the one card that beats it lies in front of a higher one."""
    missing = p.higher
    if not p.s.declaring or missing.bit_count() != 1 or not 1 << p.rank & HONOURS:
        return None
    winner = above(p.friend, top(missing))
    if not winner or p.s.voids[p.s.chair + 1 & 3] >> p.suit & 1:
        return None
    if not p.worth_a_finesse(top(missing)):
        return None
    return words(
        "Led for a finesse: it can win if {missing} lies in front of {other}.",
        missing=THE[top(missing)],
        other=p.at(low(winner)),
    )


def _for_a_ruff(p: Play) -> Words | None:
    s = p.s
    if not s.declaring or s.trump in (NO_TRUMP, p.suit) or not s.row(s.friend, s.trump):
        return None
    if not p.friend and p.higher:
        touching = p.same & HONOURS & ~(1 << p.rank) and 1 << p.rank & HONOURS
        seen_out = s.voids[s.chair + 1 & 3] >> p.suit & 1
        if touching and p.higher.bit_count() == 1 and not seen_out:
            return words(
                "A ruffing finesse: the other hand ruffs if {missing} is played, and may let go "
                "of a loser if not.",
                missing=THE[top(p.higher)],
            )
        return words("The other hand has no {suit}, and can ruff.", suit=p.name)
    if p.friend.bit_count() == 1 and p.mine.bit_count() > 1:
        return words(
            "The other hand has one card in {suit}, and can ruff the next round.", suit=p.name
        )
    return None


def _to_a_winner(p: Play) -> Words | None:
    winner = masters(p.friend, p.others(p.suit) | p.mine)
    if not winner:
        return None
    return words(
        "Led to {other}, the highest card left, in the other hand.", other=p.at(top(winner))
    )


def _sequence(p: Play) -> Words | None:
    touching = p.same & p.same - 1  # without the highest
    if not (touching and p.same & -p.same == 1 << p.rank and 1 << p.rank & HONOURS and p.higher):
        return None
    return words(
        "The top of touching cards in {suit}: if a higher card beats it, the next one moves up.",
        suit=p.name,
    )


def _more_than_the_others(p: Play) -> Words | None:
    count = (p.mine | p.friend).bit_count()
    if not p.s.declaring or p.suit == p.s.trump or count <= p.others(p.suit).bit_count():
        return None
    longest = max(p.mine.bit_count(), p.friend.bit_count())
    if longest < LENGTH:
        return None
    return words(
        "Sets up {suit}: {number} cards in the two hands against {out}, so small ones may win.",
        suit=p.name,
        number=count,
        out=p.others(p.suit).bit_count(),
    )


def _partner_bid(p: Play) -> Words | None:
    if p.s.declaring or p.suit not in p.s.bids:
        return None
    return words("The other defender bid {suit}.", suit=p.name)


def _partner_led(p: Play) -> Words | None:
    led = [trick for trick in p.s.tricks if trick.leader == p.s.partner]
    if p.s.declaring or not any(trick.cards[0].row == p.suit for trick in led):
        return None
    return words("Returns {suit}, which the other defender has led.", suit=p.name)


def _singleton(p: Play) -> Words | None:
    if p.mine.bit_count() > 1 or p.suit == p.s.trump or not p.trumps:
        return None
    if (p.others(p.suit) | p.friend).bit_count() < 2:
        return None  # there is no next round
    return words("The only card in {suit}: the next round can be ruffed.", suit=p.name)


def _trump_from_dummy(p: Play) -> Words | None:
    if p.s.declaring or p.suit != p.s.trump or not p.s.row(p.s.dummy, p.suit):
        return None
    return words("Takes a trump from dummy, which can then ruff less.")


def _fourth_best(p: Play) -> Words | None:
    s, count = p.s, p.mine.bit_count()
    lengths = [s.row(s.mine, suit).bit_count() for suit in range(4) if suit != s.trump]
    fourth = above(p.mine, p.rank).bit_count() == LENGTH - 1
    if s.declaring or p.suit == s.trump or count < max(lengths) or not fourth or p.begun:
        return None
    if p.longest:
        return words("The fourth best of the longest suit, {suit}.", suit=p.name)
    if s.trump == NO_TRUMP:
        return words("The fourth best of {suit}: no suit here is longer.", suit=p.name)
    return words("The fourth best of {suit}: no side suit here is longer.", suit=p.name)


def _through_dummy(p: Play) -> Words | None:
    honours = p.s.row(p.s.dummy, p.suit) & STRENGTH
    if p.s.chair != Chair.LEFT or not honours or p.suit == p.s.trump:
        return None
    return words(
        "Through {other} in dummy: the other defender plays after it.", other=p.at(top(honours))
    )


def _up_to_dummy(p: Play) -> Words | None:
    dummy = p.s.row(p.s.dummy, p.suit)
    if p.s.chair != Chair.RIGHT or not dummy or dummy & HONOURS or p.suit == p.s.trump:
        return None
    return words("Up to dummy, which plays last and has no honour in {suit}.", suit=p.name)


def _top_of_nothing(p: Play) -> Words | None:
    weak = not p.mine & HONOURS and 2 <= p.mine.bit_count() < LENGTH
    if p.s.declaring or p.suit == p.s.trump or not weak or top(p.mine) != p.rank:
        return None
    return words("The highest of a short suit without an honour.")


def _longest(p: Play) -> Words | None:
    s, count = p.s, p.mine.bit_count()
    lengths = [s.row(s.mine, suit).bit_count() for suit in range(4) if suit != s.trump]
    if s.declaring or p.suit == s.trump or count < max(LENGTH, *lengths):
        return None
    if p.ruffed_by_declarer:
        return None
    if p.longest:
        return words(
            "From the longest suit, {suit}, where small cards may become winners.", suit=p.name
        )
    return words("From a long suit, {suit}, where small cards may become winners.", suit=p.name)


def _risks_nothing(p: Play) -> Words | None:
    """From a suit without an honour, which a higher card of the others may beat."""
    if p.mine & HONOURS or not p.higher or p.ruffed_by_declarer:
        return None
    return words("No honour is at risk in {suit}.", suit=p.name)


LEADS: Final[tuple[Reason, ...]] = (
    _draws_trumps, _unblocks_lead, _highest, _partner_bid, _partner_led, _runs, _drives_out,
    _towards, _for_a_ruff, _to_a_winner, _singleton, _sequence, _trump_from_dummy, _fourth_best,
    _more_than_the_others, _through_dummy, _up_to_dummy, _top_of_nothing, _longest, keeps,
    _risks_nothing,
)  # fmt: skip
