"""An exact double-dummy solver for any deck and any position during the play.

Alpha-beta with a null window: one search answers whether declarer's side can take a given number of
the remaining tricks, and a few such searches find the maximum. Three things make it quick enough
for endings and for reduced decks:

- a transposition table with bounds, used at the start of tricks. Positions are stored by relative
  rank: only the holders of the highest, second-highest, ... remaining card in a suit matter, so the
  key has one number per suit: 1 followed by the holders' chairs in base 4, highest card first;
- touching cards of one hand (no card of another hand or of the current trick lies between them)
  are one move;
- tricks that the leader can cash from the top of a suit are counted, not searched.

Chairs are the game's: 0 declarer, 1 left defender, 2 dummy, 3 right defender. Cards are numbered as
in `tribridge.cards.cards`; within a suit the lower number is the higher card. Masks have 52 bits
and fit into a signed 64-bit integer, the only type used here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Card, Strain, cards_of
from tribridge.cards.masks import I64
from tribridge.common.compiled import njit
from tribridge.game.tricks import Chair, beats, winner

I8 = NDArray[np.int8]

_ROW: Final = 0x1FFF
_NONE: Final = -1
_LEADER, _PLAYED, _BEST, _WINNING, _LED, _TABLE, _NEED, _LEFT = range(8)
_COUNT, _AT, _KEY_A, _KEY_B, _SLOT, _FIELDS = range(8, 14)
_MULTIPLY_A: Final = 0x1E3779B97F4A7C15
_MULTIPLY_B: Final = 0x42B2AE3D27D4EB4F


def _compiled(function: Any) -> Any:
    return njit(cache=True)(function)


# The rule is in another file: after a change there, Numba's cache of this file is stale.
_beats = _compiled(beats)


@_compiled
def _cashable(hands: I64, leader: int, trump: int) -> int:
    """Tricks that the leader can cash at once from the top of each suit.

    In a side suit, only as many rounds as every opponent with a trump can follow to.
    """
    left, right = (leader + 1) % 4, (leader + 3) % 4
    partner = (leader + 2) % 4
    total = 0
    for suit in range(4):
        own = hands[leader] >> 13 * suit & _ROW
        others = (hands[left] | hands[right] | hands[partner]) >> 13 * suit & _ROW
        top = (others & -others) - 1 if others else _ROW  # ranks above the others' highest card
        run = own & top
        count = 0
        while run:
            run &= run - 1
            count += 1
        if count and trump >= 0 and suit != trump:
            for chair in (left, right):
                if hands[chair] >> 13 * trump & _ROW:
                    length = 0
                    row = hands[chair] >> 13 * suit & _ROW
                    while row:
                        row &= row - 1
                        length += 1
                    count = min(count, length)
        total += count
    return total


@_compiled
def _suit_code(hands: I64, suit: int) -> int:
    """1, then the holders of the suit's remaining cards in base 4, highest card first."""
    code = 1
    for card in range(13 * suit, 13 * suit + 13):
        bit = 1 << card
        if hands[0] & bit:
            code = code << 2
        elif hands[1] & bit:
            code = code << 2 | 1
        elif hands[2] & bit:
            code = code << 2 | 2
        elif hands[3] & bit:
            code = code << 2 | 3
    return code


@_compiled
def _last_trick(hands: I64, leader: int, trump: int) -> int:
    """The chair that wins when each hand has one card left."""
    best, winning = -1, leader
    for at in range(4):
        chair = (leader + at) % 4
        mask = hands[chair]
        card = 0
        while not mask >> card & 1:
            card += 1
        if best < 0 or _beats(card, best, trump):
            best, winning = card, chair
    return winning


@_compiled
def _list_moves(hands: I64, chair: int, frame: I64, trump: int, moves: I64) -> int:
    """Write one card per group of touching cards, most promising first; return their number."""
    own, played, best = hands[chair], frame[_PLAYED], frame[_BEST]
    partner_wins = played > 0 and (chair + frame[_WINNING]) % 2 == 0
    if played and own >> 13 * frame[_LED] & _ROW:
        own &= _ROW << 13 * frame[_LED]
    everyone = hands[0] | hands[1] | hands[2] | hands[3] | frame[_TABLE]
    count = 0
    for suit in range(4):
        touching = False
        top = True
        for card in range(13 * suit, 13 * suit + 13):
            bit = 1 << card
            if not everyone & bit:
                continue
            highest, top = top, False
            if not own & bit:
                touching = False
                continue
            if touching:
                continue
            touching = True
            rank = card % 13
            if not played:  # leading: winners first, then low cards
                score = 40 if highest else rank
            elif _beats(card, best, trump):
                score = rank if partner_wins else 60 + rank if played == 3 else 60 - rank
            else:
                score = rank + (14 if suit != trump else 0)
            at = count
            while at > 0 and moves[at - 1] >> 6 < score:
                moves[at] = moves[at - 1]
                at -= 1
            moves[at] = score << 6 | card
            count += 1
    for at in range(count):
        moves[at] &= 63
    return count


@_compiled
def _known(hands: I64, leader: int, need: int, left: int, trump: int) -> int:
    """1 or 0 if the start of a trick can be decided without a search, otherwise -1."""
    if need <= 0:
        return 1
    if need > left:
        return 0
    if left == 1:
        return int(1 - _last_trick(hands, leader, trump) % 2)
    sure = min(_cashable(hands, leader, trump), left)
    if leader % 2 == 0 and sure >= need:
        return 1
    if leader % 2 == 1 and left - sure < need:
        return 0
    return -1


@_compiled
def _reaches(hands: I64, trump: int, frames: I64, scratch: I64, keys: I64, bounds: I8) -> bool:
    """Whether declarer's side can take the tricks it needs from the position in the first frame.

    The search keeps its own stack, with a row of `frames` and of moves in `scratch` for each card
    still to be played, because recursive functions cannot be loaded from Numba's cache. `keys` and
    `bounds` are the transposition table.
    """
    depth = 0
    arriving, answer = True, 0
    while True:
        frame = frames[depth]
        moves = scratch[depth]
        leader, played, left, need = frame[_LEADER], frame[_PLAYED], frame[_LEFT], frame[_NEED]
        chair = (leader + played) % 4
        declaring = 1 - chair % 2
        result = -1
        if arriving:
            frame[_COUNT] = 0
            if played == 0:
                result = _known(hands, leader, need, left, trump)
                if result < 0:
                    key_a = _suit_code(hands, 0) | _suit_code(hands, 1) << 27
                    key_a |= leader << 54 | (trump + 1) << 56
                    key_b = _suit_code(hands, 2) | _suit_code(hands, 3) << 27
                    mixed = key_a * _MULTIPLY_A ^ key_b * _MULTIPLY_B
                    slot = (mixed ^ mixed >> 29 ^ mixed >> 47) & (keys.shape[0] - 1)
                    frame[_KEY_A], frame[_KEY_B], frame[_SLOT] = key_a, key_b, slot
                    if keys[slot, 0] == key_a and keys[slot, 1] == key_b:
                        if bounds[slot, 0] >= need:
                            result = 1
                        elif bounds[slot, 1] < need:
                            result = 0
            if result < 0:
                frame[_COUNT] = _list_moves(hands, chair, frame, trump, moves)
                frame[_AT] = 0
        else:
            hands[chair] ^= 1 << moves[frame[_AT]]
            frame[_AT] += 1
            if answer == declaring:
                result = declaring
        if result < 0:
            if frame[_AT] == frame[_COUNT]:
                result = 1 - declaring
            else:
                card = moves[frame[_AT]]
                hands[chair] ^= 1 << card
                depth += 1
                after = frames[depth]
                top, taker = frame[_BEST], frame[_WINNING]
                if played == 0 or _beats(card, top, trump):
                    top, taker = card, chair
                if played < 3:
                    after[_LEADER], after[_PLAYED] = leader, played + 1
                    after[_BEST], after[_WINNING] = top, taker
                    after[_LED] = frame[_LED] if played else card // 13
                    after[_TABLE] = frame[_TABLE] | 1 << card
                    after[_NEED], after[_LEFT] = need, left
                else:
                    after[_LEADER], after[_PLAYED] = taker, 0
                    after[_BEST], after[_WINNING], after[_LED], after[_TABLE] = 0, taker, 0, 0
                    after[_NEED], after[_LEFT] = need - (1 - taker % 2), left - 1
                arriving = True
                continue
        if played == 0 and frame[_COUNT]:
            slot = frame[_SLOT]
            if keys[slot, 0] != frame[_KEY_A] or keys[slot, 1] != frame[_KEY_B]:
                keys[slot, 0], keys[slot, 1] = frame[_KEY_A], frame[_KEY_B]
                bounds[slot, 0], bounds[slot, 1] = 0, left
            if result:
                bounds[slot, 0] = max(bounds[slot, 0], need)
            else:
                bounds[slot, 1] = min(bounds[slot, 1], need - 1)
        if depth == 0:
            return bool(result)
        depth -= 1
        answer, arriving = result, False


@_compiled
def _value(
    hands: I64,
    leader: int,
    trick: I64,
    trump: int,
    frames: I64,
    scratch: I64,
    keys: I64,
    bounds: I8,
) -> int:
    """The remaining tricks that declarer's side takes, including the current one."""
    frame, played = frames[0], trick.shape[0]
    frame[_LEADER], frame[_PLAYED], frame[_WINNING] = leader, played, leader
    frame[_BEST] = frame[_LED] = frame[_TABLE] = 0
    for at in range(played):
        card = trick[at]
        frame[_TABLE] |= 1 << card
        if at == 0:
            frame[_BEST], frame[_LED] = card, card // 13
        elif _beats(card, frame[_BEST], trump):
            frame[_BEST], frame[_WINNING] = card, (leader + at) % 4
    left = 1 if played else 0
    mask = hands[leader]
    while mask:
        mask &= mask - 1
        left += 1
    frame[_LEFT] = left
    low, high = 0, left
    while low < high:
        frame[_NEED] = need = (low + high + 1) // 2
        if _reaches(hands, trump, frames, scratch, keys, bounds):
            low = need
        else:
            high = need - 1
    return low


@_compiled
def _values(
    deals: I64, trump: int, frames: I64, scratch: I64, keys: I64, bounds: I8, tricks: I8
) -> None:
    """The same for many whole deals, with the left defender to lead."""
    left, nothing = np.int64(Chair.LEFT), np.zeros(0, np.int64)
    for at in range(deals.shape[0]):
        tricks[at] = _value(deals[at], left, nothing, trump, frames, scratch, keys, bounds)


class Solver:
    """The solver with its transposition table, which is reused across positions.

    Positions are not checked here but in `solving`. Threads may share a solver: the compiled search
    does not release the GIL, so they take turns.
    """

    def __init__(self, bits: int = 20) -> None:
        self._memory = (
            np.zeros((53, _FIELDS), np.int64),
            np.zeros((53, 13), np.int64),
            np.zeros((1 << bits, 2), np.int64),
            np.zeros((1 << bits, 2), np.int8),
        )

    def tricks(
        self,
        hands: Sequence[int],
        strain: Strain,
        leader: Chair = Chair.LEFT,
        trick: Sequence[Card] = (),
    ) -> int:
        """The remaining tricks that declarer's side takes, including the current one."""
        trump = _NONE if strain is Strain.NOTRUMP else strain.index
        cards = np.array([card.index for card in trick], np.int64)
        return int(_value(np.array(hands, np.int64), int(leader), cards, trump, *self._memory))

    def many(self, deals: I64, strain: Strain) -> I8:
        """Tricks of declarer's side in many whole deals, given as masks by chair: (n, 4)."""
        trump = _NONE if strain is Strain.NOTRUMP else strain.index
        tricks = np.zeros(len(deals), np.int8)
        _values(deals.copy(), trump, *self._memory, tricks)
        return tricks

    def cards(
        self, hands: Sequence[int], strain: Strain, leader: Chair, trick: Sequence[Card], legal: int
    ) -> dict[Card, int]:
        """The same after each legal card of the hand to play."""
        chair = (leader + len(trick)) % 4
        result: dict[Card, int] = {}
        everyone = hands[0] | hands[1] | hands[2] | hands[3]
        for card in trick:
            everyone |= card.bit
        before: Card | None = None
        for card in cards_of(legal):
            if before is not None and before.suit == card.suit:
                between = everyone & (card.bit - 1) & ~((before.bit << 1) - 1)
                if not between:  # touching, so equivalent to the card before
                    result[card] = result[before]
                    before = card
                    continue
            before = card
            after = [mask ^ card.bit if at == chair else mask for at, mask in enumerate(hands)]
            result[card] = self._after(after, strain, leader, (*trick, card))
        return result

    def _after(
        self, hands: Sequence[int], strain: Strain, leader: Chair, trick: tuple[Card, ...]
    ) -> int:
        if len(trick) < 4:
            return self.tricks(hands, strain, leader, trick)
        taker = winner(leader, trick, strain.trump)
        return int(taker.declaring) + self.tricks(hands, strain, taker)
