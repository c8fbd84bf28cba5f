"""What can be said for a card: sentences, each with the condition under which it is true.

A sentence is a claim about a position as its player knows it, such as "the top of touching cards".
`reason_for` gives the first one that holds, in the order of `LEADS`, `FOLLOWS` or `SHOWS_OUT`, or
None: not every card can be explained. Nobody is addressed, so that players and onlookers, bots and
people read the same words.

"Others" are all hands that the player does not command: for declarer the defenders, for a defender
declarer, dummy and partner.
"""

from __future__ import annotations

from collections.abc import Iterator

from tribridge.cards.cards import Card
from tribridge.common.sentences import Words, joined, words
from tribridge.game.position import Position
from tribridge.strategies.reasons.discards import SHOWS_OUT
from tribridge.strategies.reasons.follows import FOLLOWS
from tribridge.strategies.reasons.given_away import GIVES_AWAY, LED_AWAY
from tribridge.strategies.reasons.leads import LEADS
from tribridge.strategies.reasons.play import Play, between, groups

__all__ = ["Play", "between", "certain", "gives_away", "groups", "reason_for"]


def reason_for(position: Position, card: Card, beside: Card | None = None) -> Words | None:
    """What can be said for a legal card; None if it is nothing that is true.

    With `beside`, only what cannot be said for that other card as well.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.new_table(seed=1, auction="1NT pass pass")
        >>> seen = tb.view(table, table.turn)
        >>> reason_for(seen.position, tb.Card("H6"))
        'The fourth best of the longest suit, hearts.'
    """
    shared = (
        set() if beside is None else {said.sentence.text for said in _reasons(position, beside)}
    )
    said_for = _reasons(position, card)
    return next((said for said in said_for if said.sentence.text not in shared), None)


def _reasons(position: Position, card: Card) -> Iterator[Words]:
    """All that can be said for a legal card, the most telling first."""
    play = Play(position, card)
    if not position.trick:
        listed = LEADS
    elif card.row == position.trick[0].row:
        listed = FOLLOWS
    else:
        listed = SHOWS_OUT
    return (said for reason in listed if (said := reason(play)))


def certain(position: Position, card: Card) -> Words:
    """What can be said for a card that decides the contract (`players.sure`), and that it does."""
    if position.declaring:
        sure = words("{card} is certain to make the contract.", card=card)
    else:
        sure = words("{card} is certain to defeat the contract.", card=card)
    said = reason_for(position, card)
    return joined(" ", (said, sure)) if said else sure


def gives_away(position: Position, card: Card) -> Words | None:
    """What a card gives away for certain; None if there is nothing to say.

    Examples:
        >>> import tribridge as tb
        >>> hands = "N:862.AKQJ84.J86.3 AKQ975.T2.94.764 T43.6.AKQ73.AT92 J.9753.T52.KQJ85"
        >>> table = tb.new_table(hands, dealer="S", auction="1H 1S pass pass")
        >>> for card in "HT H3 H6 H4 H2 H5 DK".split():
        ...     table = table.play(card)
        >>> print(gives_away(tb.view(table, table.turn).position, tb.Card("HA")))
        Spent on a trick that ♥5 would have won.
    """
    play = Play(position, card)
    listed = GIVES_AWAY if position.trick else LED_AWAY
    return next((said for reason in listed if (said := reason(play))), None)
