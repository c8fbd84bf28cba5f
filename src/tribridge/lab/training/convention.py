"""The conventional card among those that mean the same, so that partners can read each other.

Of equal cards the highest is led if it is an honour; otherwise the lowest is played. A defender who
has chosen a spot card of a side suit says more with it:

- on lead: the top of a sequence of three, the fourth best, the top of two or three spot cards, or
  low from an honour; low when leading a suit of four or more again;
- following suit, not winning the trick, for the first time in that suit: high to encourage the ace
  or king that partner led (holding the queen, or two cards and a trump), and high from an even
  number when declarer's side leads; otherwise low.

The network was trained with this convention, except for the top of a sequence.
"""

from __future__ import annotations

from typing import Any, Final

from tribridge.common.arrays import Array, bits, namespace
from tribridge.networks.auction import RANKS
from tribridge.strategies.players.suits import equals

Cards = Any
"""Cards of a suit as 13 bits, ace first, or any cards as 52: an integer or an array of them."""

_ROW: Final = (1 << RANKS) - 1
_HONOURS: Final = 0b11111
_SPOTS: Final = _ROW ^ _HONOURS
_ACE_OR_KING: Final = 0b11
_QUEEN: Final = 0b100
_TOP_FOUR: Final = 0b1111


def conventional(masks: Any, numbers: Any, card: Any) -> Cards:
    """The mask of the card to play in place of the one chosen, which may be that one.

    `masks` and `numbers` are those of a `networks.play.Observation` and `card` is a number; or they
    are columns of many observations, and `card` is an array.
    """
    suit, hand = card // RANKS, masks[0]
    trick = masks[6] | masks[7] | masks[8]
    others = ~(hand | masks[2] | masks[3] | masks[4] | masks[5]) | trick

    def row(cards: Cards) -> Cards:
        return cards >> RANKS * suit & _ROW

    held, chosen, followed = row(hand), 1 << card % RANKS, row(masks[2] & ~masks[13])
    same = held & row(equals(card, others))
    spot = (chosen & _SPOTS != 0) & (numbers.chair % 2 == 1) & (suit != numbers.strain)
    best = row(masks[21])
    loses = _where(best != 0, chosen > best, suit != numbers.strain) | (numbers.position < 2)
    can_ruff = (_count(held) == 2) & (hand >> RANKS * numbers.strain != 0)
    encouraging = (row(masks[7]) & _ACE_OR_KING != 0) & ((held & _QUEEN != 0) | can_ruff)
    attitude = _where(encouraging, _top(held & _SPOTS), _lowest(held))
    signal = _where(numbers.position == 2, attitude, _length(held))
    signal = _where((followed != 0) | (_below(held & _SPOTS) == 0), _lowest(held), signal)
    signals = spot & loses & (suit == numbers.led)
    honour = _top(same) & _HONOURS
    lead = _where(spot, _lead(held, followed), _where(honour != 0, honour, _lowest(same)))
    follow = _where(signals, signal, _lowest(same))
    return _where(numbers.position == 0, lead, follow) << RANKS * suit


def _lead(held: Cards, followed: Cards) -> Cards:
    """What a defender leads who has chosen a spot card of a suit, after following to it or not."""
    count, fourth = _count(held), _top(_below(_below(_below(held))))
    long = _where(fourth & _SPOTS != 0, fourth, _lowest(held))
    short = _where(held & _TOP_FOUR == 0, _top(held), _lowest(held))
    again = (followed != 0) & (count > 2) & (count + _count(followed) >= 4)
    usual = _where(again, _lowest(held), _where(count >= 4, long, short))
    sequence = held & held >> 1 & held >> 2 & _HONOURS
    return _where((sequence != 0) & (followed == 0), _top(sequence), usual)


def _length(held: Cards) -> Cards:
    """The card that shows a length: low from an odd number, else the first or second spot card."""
    count, spots = _count(held), held & _SPOTS
    even = _top(_where(count == 2, spots, _below(spots)))
    return _where(count % 2 == 1, _lowest(held), even)


def _where(condition: Any, yes: Any, no: Any) -> Any:
    if isinstance(condition, bool):
        return yes if condition else no
    return namespace(condition).where(condition, yes, no)


def _count(cards: Cards) -> int | Array:
    return cards.bit_count() if isinstance(cards, int) else bits(cards, RANKS).sum(1)


def _top(row: Cards) -> Cards:
    """The highest card of a row, as a row; 0 if there is none."""
    return row & -row


def _below(row: Cards) -> Cards:
    """A row without its highest card."""
    return row & row - 1


def _lowest(row: Cards) -> Cards:
    """The lowest card of a row, as a row."""
    for step in (1, 2, 4, 8):
        row = row | row >> step
    return row + 1 >> 1
