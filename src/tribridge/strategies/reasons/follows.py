"""What can be said for a card of the suit led."""

from __future__ import annotations

from typing import Final

from tribridge.common.sentences import Words, words
from tribridge.game.position import NO_TRUMP
from tribridge.game.tricks import Chair
from tribridge.strategies.players.suits import above, low, top
from tribridge.strategies.reasons.play import (
    ACE_OR_KING,
    HONOURS,
    QUEEN,
    SPOTS,
    THE,
    Play,
    Reason,
    keeps,
)


def _last(p: Play) -> Words | None:
    if p.place < 3 or not p.wins or p.ours:
        return None
    if any(card.column > p.rank for card in p.winners):
        return words("Plays last and wins the trick.")
    return words("Plays last: the lowest card that wins the trick.")


def _overtakes(p: Play) -> Words | None:
    best = p.best[1]
    sure = not (p.may_beat(p.card) or p.may_beat(best) or p.may_ruff(p.suit))
    if not (p.wins and p.ours and sure) or best.row != p.suit:
        return None
    if len(p.winners) == len(p.s.legal) or not p.cashes:
        return None  # it cannot be helped, or there is nothing to lead it for
    return words("Overtakes {other}: this hand leads next.", other=best)


def _wins_now(p: Play) -> Words | None:
    if not p.wins or (p.ours and not p.may_beat(p.best[1])) or p.may_beat(p.card):
        return None
    if p.may_ruff(p.suit):
        if p.highest:
            return words(
                "The highest card left in {suit}: it wins unless it is ruffed.", suit=p.name
            )
        return words(
            "No opponent behind has a higher card in {suit}: it wins unless it is ruffed.",
            suit=p.name,
        )
    if p.highest:
        return words("Wins the trick: no card left in {suit} is higher.", suit=p.name)
    if p.behind:
        enough = [c for c in p.winners if c.column > p.rank and not p.may_beat(c)]
        if enough and not p.same >> enough[-1].column & 1:
            return words("Wins the trick, as {other} would.", other=enough[-1])
        if higher := above(p.mine & ~p.same, p.rank):
            return words(
                "Wins the trick, as no opponent behind can beat it, and keeps {other}.",
                other=p.at(low(higher)),
            )
    return words("Wins the trick: no opponent behind can beat it.")


def _finesses(p: Play) -> Words | None:
    """A card of declarer's in third hand that the hand before may beat, but did not."""
    s = p.s
    if not (s.declaring and p.place == 2 and p.wins and s.trick[1].row == p.suit):
        return None
    missing = above(s.row(s.unseen, p.suit), p.rank)
    if missing.bit_count() == 1:
        if not p.outlives(top(missing)):
            return None
        name, others = THE[top(missing)], p.same & ~(1 << p.rank)
        if above(p.mine | p.friend, top(missing)):
            return words("A finesse: it can win if {missing} lies in front of it.", missing=name)
        if others and 1 << p.rank & HONOURS:
            return words(
                "Wins, or drives out {missing}: then {other} is high.",
                missing=name,
                other=p.at(top(others)),
            )
        return words("It can win if {missing} lies in front of it.", missing=name)
    if missing.bit_count() == 2 and 1 << p.rank & HONOURS and above(p.mine, low(missing)):
        return words(
            "A deep finesse: it can win if {missing} and {other} lie in front of it.",
            missing=THE[top(missing)],
            other=THE[low(missing)],
        )
    return None


def _lets_run(p: Play) -> Words | None:
    """A low card of declarer's under an honour of the other hand that one card beats."""
    s, led = p.s, p.s.trick[0]
    if not (s.declaring and p.place == 2 and p.lowest and not p.wins and p.best[1] == led):
        return None
    missing = above(s.row(s.unseen, p.suit), led.column)
    in_front = (s.chair - 1) % 4
    if missing.bit_count() != 1 or not 1 << led.column & HONOURS or s.voids[in_front] >> p.suit & 1:
        return None
    if not p.outlives(top(missing)):
        return None
    return words(
        "Lets {other} run: it can win if {missing} lies in front of it.",
        other=led,
        missing=THE[top(missing)],
    )


def _over_dummy(p: Play) -> Words | None:
    """A card that keeps a higher one over an honour of dummy's, which has played."""
    honours = p.s.row(p.s.dummy, p.suit) & HONOURS
    if p.s.chair != Chair.RIGHT or p.place != 2 or not p.wins or not honours:
        return None
    higher = above(p.mine, top(honours))
    if not higher or p.rank < top(honours):
        return None
    return words(
        "Keeps {other} over {held} in dummy.", other=p.at(low(higher)), held=p.at(top(honours))
    )


def _third_high(p: Play) -> Words | None:
    """A defender's maxim: declarer sees both hands and plays high only for a purpose."""
    top_of_all = p.same & (p.mine & -p.mine)
    if (
        p.s.declaring
        or p.place != 2
        or not p.wins
        or not top_of_all
        or p.lowest
        or not 1 << p.rank & HONOURS
    ):
        return None
    return words("Third hand high: it beats the cards so far, and one hand is still to play.")


def _covers(p: Play) -> Words | None:
    led = p.s.trick[0]
    honours = 1 << led.column & HONOURS and 1 << p.rank & HONOURS
    if p.place != 1 or not p.wins or not honours:
        return None
    return words("Covers {other}: an honour on an honour lets lower cards move up.", other=led)


def _splits(p: Play) -> Words | None:
    if p.place != 1 or not p.wins or not 1 << p.rank & p.same & HONOURS:
        return None
    if not p.same & HONOURS & ~(1 << p.rank):
        return None
    return words("One of touching honours: if it is beaten, the other moves up.")


def _unblocks(p: Play) -> Words | None:
    """The honour of two cards on partner's honour, at notrump, while a third round may come."""
    s, led = p.s, p.s.trick[0].column
    honours = 1 << led & HONOURS and 1 << p.rank & HONOURS
    if s.declaring or s.trump != NO_TRUMP or s.leader != s.partner or p.place != 2:
        return None
    if not honours or p.mine.bit_count() != 2 or p.rank != top(p.mine) or p.lowest:
        return None
    if s.mine.bit_count() < 3 or p.others(p.suit).bit_count() < 2:
        return None  # partner cannot go on for long enough
    if above(s.row(s.dummy, p.suit), led):
        return None  # dummy's card would win in place of this one
    return words("Unblocks: the higher of two cards would stand in the other defender's way.")


def _signals(p: Play) -> Words | None:
    """A defender's first spot card of a suit, where the convention says more than the lowest."""
    s, spots = p.s, p.mine & SPOTS
    if s.declaring or p.lowest or p.suit == s.trump or p.begun or (p.place > 1 and p.wins):
        return None
    if s.leader == s.partner:
        if p.rank != top(spots) or not 1 << s.trick[0].column & ACE_OR_KING:
            return None
        if p.mine & QUEEN:
            return words(
                "A high spot card encourages the other defender: {other} is here.", other=p.at(2)
            )
        if p.mine.bit_count() == 2 and p.trumps:
            return words(
                "High from two cards encourages the other defender: the third round can be ruffed."
            )
        return None
    count = p.mine.bit_count()
    shows = spots if count == 2 else spots & spots - 1  # the second highest of four or six
    if count % 2 or not shows or p.rank != top(shows):
        return None
    return words("High from an even number of cards: it shows the other defender the count.")


def _side_wins(p: Play) -> Words | None:
    best, led = p.best[1], p.s.trick[0].row
    beaten = best.row == led and p.may_beat(best)
    if not (p.ours and not p.wins and p.lowest and not beaten):
        return None
    if best.row == p.s.trump != led and p.behind:
        return None  # it may be overruffed
    if best.row != p.s.trump and p.may_ruff(led):
        if not p.winners:
            return words("{other} wins unless it is ruffed: a low card will do.", other=best)
        return words("{other} wins unless it is ruffed: a higher card is not needed.", other=best)
    if not p.winners:
        return words("{other} wins the trick already: a low card will do.", other=best)
    return words("{other} wins the trick already: a higher card is not needed.", other=best)


def _second_low(p: Play) -> Words | None:
    if p.place != 1 or not p.winners or not p.lowest or (p.wins and p.same == p.mine):
        return None  # with no card that wins, any hand plays low
    if honours := above(p.mine & ~p.same, p.rank) & HONOURS:
        kept, honour = p.at(top(honours)), top(p.friend & HONOURS) if p.friend & HONOURS else 13
        if p.s.declaring and honour < p.best[1].column:
            return words(
                "Second hand low: it keeps {other}; {card} in the other hand may win.",
                other=kept,
                card=p.at(honour),
            )
        return words("Second hand low: it keeps {other} for later.", other=kept)
    if p.s.declaring:
        return words("Second hand low: the other hand plays last.")
    return words("Second hand low: the other defender plays last.")


def _cannot_win(p: Play) -> Words | None:
    if p.ours or p.winners or not p.lowest:
        return None
    if p.rank != low(p.mine):
        return words(
            "No card here wins the trick, and {card} gives up no more than {other}.",
            card=p.card,
            other=p.at(low(p.mine)),
        )
    return words("No card here wins the trick: the lowest gives up least.")


def _lets_go(p: Play) -> Words | None:
    if p.ours or p.wins or not p.winners or not p.lowest:
        return None
    return words("Lets this trick go, and keeps {other}.", other=p.winners[0])


def _may_be_beaten(p: Play) -> Words | None:
    if p.place != 2 or p.rank != low(p.mine) or not p.may_beat(p.at(top(p.mine))):
        return None
    if p.ours and not p.may_beat(p.best[1]):
        return None
    return words("The last hand may beat every card here: the lowest gives up least.")


def _beats_so_far(p: Play) -> Words | None:
    if not p.wins or p.lowest or not p.behind or (p.ours and not p.may_beat(p.best[1])):
        return None
    return words(
        "It wins only if no higher card follows; else {other} would give up less.",
        other=p.at(low(p.mine)),
    )


def _loses_to_the_best(p: Play) -> Words | None:
    """Declarer's or a defender's card under a card of its own side that may still be beaten."""
    if not p.ours or p.wins or not p.lowest or p.winners:
        return None
    return words("No card here beats {other}: the lowest gives up least.", other=p.best[1])


def _has_its_like(p: Play) -> Words | None:
    left = p.same & ~(1 << p.rank)
    if not left:
        return None
    return words("One of equal cards: {other} is worth as much.", other=p.at(top(left)))


FOLLOWS: Final[tuple[Reason, ...]] = (
    _last, _overtakes, _unblocks, _wins_now, _finesses, _lets_run, _over_dummy, _covers, _splits,
    _third_high, _signals, _side_wins, _second_low, _cannot_win, _lets_go, keeps, _may_be_beaten,
    _beats_so_far, _loses_to_the_best, _has_its_like,
)  # fmt: skip
