"""What a network sees of the play: one seat's view as masks of cards and a few numbers.

Chairs are counted from the one about to play: 0 is that chair, 1 the next, 2 the opposite one, 3
the previous one. An observation has `MASKS` masks of 52 bits (card `13 * suit + rank`, ace first):

| masks | cards |
| --- | --- |
| 0, 1 | left in the hand to play from; left in the other hand that its player sees |
| 2-5 | played by each chair |
| 6-8 | in the current trick, by chairs 1-3 |
| 9-12 | led by each chair |
| 13-16 | played by each chair when it did not follow suit: discards and ruffs |
| 17-20 | played by each chair after a higher card of the same suit |
| 21 | the card that is winning the trick |
| 22, 23 | of masks 0 and 1, the cards above every unseen card of their suit |

The other hand is dummy, or declarer's when dummy is to play. The numbers are, in the
order of `Numbers`: the chair (0 declarer, 1 left, 2 dummy, 3 right), cards in the trick, tricks
played, tricks won by declarer, the contract's level, strain and doubling (0, 1, 2), the suit led
(4: none), the suits in which each chair has shown out (bit `4 * chair + suit`), and for declarer,
left and right defender the bids made (bit `5 * (level - 1) + strain`) and the passes (bit 0: before
any bid, bit `1 + bid`: over that bid).

Nothing in it distinguishes one suit from another, so a network can treat the four alike: `features`
gives each suit its bits, with flags for trumps and for the suit led.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import Card, Strain
from tribridge.game.auction import Bid, Mark
from tribridge.game.tricks import Chair, chair_of, winning_place
from tribridge.game.views import View

RANKS: Final = 13
SUITS: Final = 4
CHAIRS: Final = 4
MASKS: Final = 24
BIDS: Final = 35
NO_SUIT: Final = 4
SUIT_FEATURES: Final = RANKS * MASKS + 2 + CHAIRS
TABLE_FEATURES: Final = CHAIRS + CHAIRS + 13 + 14 + 7 + 3 + 1 + 3 * BIDS + 3 * (BIDS + 1)

_ROW: Final = (1 << RANKS) - 1


class Numbers(NamedTuple):
    """The numbers of an observation, in order."""

    chair: int
    position: int
    tricks: int
    won: int
    level: int
    strain: int
    doubled: int
    led: int
    shown_out: int
    declarer_bids: int
    left_bids: int
    right_bids: int
    declarer_passes: int
    left_passes: int
    right_passes: int


class Observation(NamedTuple):
    """One seat's view when that seat or its dummy is to play."""

    masks: tuple[int, ...]
    numbers: Numbers


def observe(view: View) -> Observation:
    """The observation of the player whose turn it is to play a card."""
    contract, chair, dummy, leader = view.contract, view.chair, view.dummy, view.leader
    assert contract is not None
    assert chair is not None
    assert dummy is not None
    assert leader is not None
    hand, other = (dummy, view.hand) if chair is Chair.DUMMY else (view.hand, dummy)
    played, led, off, falling = ([0] * CHAIRS for _ in range(4))
    shown_out = 0
    trick = [0] * CHAIRS
    for start, cards in (*((t.leader, t.cards) for t in view.tricks), (leader, view.trick)):
        trick = [0] * CHAIRS
        for at, card in enumerate(cards):
            by = (start + at) % CHAIRS
            above = (1 << card % RANKS) - 1 << RANKS * card.suit
            if played[by] & above:
                falling[by] |= card.bit
            if at == 0:
                led[by] |= card.bit
            elif card.suit != cards[0].suit:
                off[by] |= card.bit
                shown_out |= 1 << 4 * by + cards[0].suit
            played[by] |= card.bit
            trick[by] = card.bit
    unseen = view.deck.mask & ~(hand.mask | other.mask | sum(played))
    order = [(chair + at) % CHAIRS for at in range(CHAIRS)]
    bids, passes = _auction(view)
    masks = (
        hand.mask,
        other.mask,
        *(played[by] for by in order),
        *(trick[by] for by in order[1:]),
        *(led[by] for by in order),
        *(off[by] for by in order),
        *(falling[by] for by in order),
        _winning(view.trick, contract.bid.strain),
        _above(hand.mask, unseen),
        _above(other.mask, unseen),
    )
    numbers = Numbers(
        chair=chair,
        position=len(view.trick),
        tricks=len(view.tricks),
        won=view.won,
        level=contract.bid.level,
        strain=contract.bid.strain,
        doubled=contract.factor.bit_length() - 1,
        led=view.trick[0].suit if view.trick else NO_SUIT,
        shown_out=sum((shown_out >> 4 * by & 15) << 4 * at for at, by in enumerate(order)),
        declarer_bids=bids[0],
        left_bids=bids[1],
        right_bids=bids[2],
        declarer_passes=passes[0],
        left_passes=passes[1],
        right_passes=passes[2],
    )
    return Observation(masks, numbers)


def _auction(view: View) -> tuple[list[int], list[int]]:
    """Bids and passes of declarer, left and right defender as masks."""
    contract = view.contract
    assert contract is not None
    bids, passes = [0, 0, 0], [0, 0, 0]
    standing = 0
    seat = view.auction.dealer
    for call in view.auction.calls:
        by = (0, 1, 1, 2)[chair_of(seat, contract.declarer)]
        if isinstance(call, Bid):
            standing = 5 * (call.level - 1) + call.strain + 1
            bids[by] |= 1 << standing - 1
        elif call is Mark.PASS:
            passes[by] |= 1 << standing
        seat = seat.left
    return bids, passes


def _winning(trick: tuple[Card, ...], strain: Strain) -> int:
    """The card that is winning the trick, as a mask."""
    return 1 << trick[winning_place(trick, strain)] if trick else 0


def _above(hand: int, unseen: int) -> int:
    """The cards of a hand above every unseen card of their suit."""
    result = 0
    for suit in range(SUITS):
        row = unseen >> RANKS * suit & _ROW
        top = (row & -row) - 1 if row else _ROW
        result |= (hand >> RANKS * suit & _ROW & top) << RANKS * suit
    return result


def features(observation: Observation) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What a network reads: the features of each suit (4, SUIT_FEATURES) and of the table."""
    masks, numbers = observation
    suits = np.zeros((SUITS, SUIT_FEATURES), np.float32)
    rows = np.array(masks, np.int64)[:, None] >> RANKS * np.arange(SUITS) & _ROW
    bits = rows.T[:, :, None] >> np.arange(RANKS) & 1
    suits[:, : RANKS * MASKS] = bits.reshape(SUITS, -1)
    at = RANKS * MASKS
    if numbers.strain < SUITS:
        suits[numbers.strain, at] = 1
    if numbers.led != NO_SUIT:
        suits[numbers.led, at + 1] = 1
    out = numbers.shown_out >> np.arange(CHAIRS * SUITS) & 1
    suits[:, at + 2 :] = out.reshape(CHAIRS, SUITS).T
    return suits, table_features(numbers)


def table_features(numbers: Numbers) -> NDArray[np.float32]:
    """The numbers as zeros and ones."""
    parts = [
        _one_hot(numbers.chair, CHAIRS),
        _one_hot(numbers.position, CHAIRS),
        _one_hot(numbers.tricks, 13),
        _one_hot(numbers.won, 14),
        _one_hot(numbers.level - 1, 7),
        _one_hot(numbers.doubled, 3),
        np.array([numbers.strain == Strain.NOTRUMP], np.float32),
        *(_bits(mask, BIDS) for mask in numbers[9:12]),
        *(_bits(mask, BIDS + 1) for mask in numbers[12:15]),
    ]
    return np.concatenate(parts)


def _one_hot(value: int, size: int) -> NDArray[np.float32]:
    chosen: NDArray[np.float32] = (np.arange(size) == value).astype(np.float32)
    return chosen


def _bits(mask: int, size: int) -> NDArray[np.float32]:
    bits: NDArray[np.float32] = (mask >> np.arange(size) & 1).astype(np.float32)
    return bits
