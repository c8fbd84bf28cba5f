"""Many games of card play in lockstep, as arrays of NumPy or of PyTorch on any device.

The state of a game is a handful of 64-bit masks, so a step is a few operations on small arrays,
and an observation stays packed until a network reads it. The observation is that of
`observation.observe` and the rules are those of `game.tricks`; the tests compare both with these
card by card. Chairs: 0 declarer, 1 left defender, 2 dummy, 3 right defender.

No array is changed in place, and no shape depends on the cards, so that a GPU can run the games as
a captured graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.arrays import Array, bits, cast, gather, namespace
from tribridge.strategies.players.learned.network import F32, SuitNetwork
from tribridge.strategies.players.learned.observation import (
    BIDS,
    CHAIRS,
    MASKS,
    NO_SUIT,
    RANKS,
    SUITS,
)

I64 = NDArray[np.int64]

NOTRUMP: Final = 4
_ROW: Final = (1 << RANKS) - 1


@dataclass(frozen=True, eq=False)
class Contracts:
    """The hands of many deals in chair order, and the contract of each."""

    hands: Array
    """(n, 4) masks."""
    level: Array
    strain: Array
    doubled: Array
    """0, 1 doubled, 2 redoubled."""
    bids: Array
    """(n, 3) masks of the bids that declarer, left and right defender made."""
    passes: Array
    """(n, 3) masks of their passes."""

    def __len__(self) -> int:
        return len(self.hands)


def set_auction(level: Array, strain: Array) -> tuple[Array, Array]:
    """Bids and passes of the auction that sets a contract: declarer bids it, the others pass."""
    xp = namespace(level)
    bid = 1 << 5 * (level - 1) + strain
    none = xp.zeros_like(bid)
    return xp.stack([bid, none, none], 1), xp.stack([none, 2 * bid, 2 * bid], 1)


class PlayGames:
    """Games of one hand size, all at the same card."""

    def __init__(self, contracts: Contracts, tricks: int = 13) -> None:
        hands = contracts.hands
        xp = namespace(hands)
        nothing, zero = xp.zeros_like(hands), xp.zeros_like(contracts.level)
        self.contracts = contracts
        self.size = tricks
        self.hands = hands
        self.played = self.led = self.off = self.falling = self.trick = nothing
        self.shown_out = nothing
        """The suits in which each chair has shown out, as bits."""
        self.leader = zero + 1
        self.led_suit = zero + NO_SUIT
        self.best = zero
        """The strength of the card that is winning the trick."""
        self.winner = self.winning = self.won = zero
        self.cards = 0
        self._chairs = xp.arange(CHAIRS, device=hands.device)
        self._suits = RANKS * self._chairs

    @property
    def over(self) -> bool:
        return self.cards == CHAIRS * self.size

    @property
    def chair(self) -> Array:
        """The chair that is to play."""
        return (self.leader + self.cards % CHAIRS) % CHAIRS

    @property
    def mine(self) -> Array:
        """The cards of the chair that is to play."""
        return gather(self.hands, self.chair[:, None])[:, 0]

    def legal(self) -> Array:
        """The legal cards, as masks."""
        held = self.mine
        if self.cards % CHAIRS == 0:
            return held
        following = held & _ROW << RANKS * self.led_suit
        return namespace(held).where(following != 0, following, held)

    def observe(self) -> tuple[Array, Array]:
        """Masks (n, MASKS) and numbers (n, 15) seen by the chair that is to play."""
        xp = namespace(self.hands)
        chair, contracts = self.chair, self.contracts
        order = (chair[:, None] + self._chairs) % CHAIRS
        hand = gather(self.hands, chair[:, None])
        other = xp.where(chair[:, None] == 2, self.hands[:, :1], self.hands[:, 2:3])
        unseen = self.hands.sum(1)[:, None] - hand - other
        rows = unseen >> self._suits & _ROW
        tops = xp.where(rows == 0, _ROW, (rows & -rows) - 1) << self._suits
        above = tops.sum(1)[:, None]
        masks = xp.concat(
            [
                hand,
                other,
                gather(self.played, order),
                gather(self.trick, order[:, 1:]),
                gather(self.led, order),
                gather(self.off, order),
                gather(self.falling, order),
                self.winning[:, None],
                hand & above,
                other & above,
            ],
            1,
        )
        zero = xp.zeros_like(chair)
        shown = gather(self.shown_out, order) << SUITS * self._chairs
        numbers = xp.stack(
            [
                chair,
                zero + self.cards % CHAIRS,
                zero + self.cards // CHAIRS,
                self.won,
                contracts.level,
                contracts.strain,
                contracts.doubled,
                self.led_suit,
                shown.sum(1),
            ],
            1,
        )
        return masks, xp.concat([numbers, contracts.bids, contracts.passes], 1)

    def others(self) -> Array:
        """The hands of the three other chairs, for a critic that sees all cards: (n, 3)."""
        return gather(self.hands, (self.chair[:, None] + self._chairs[1:]) % CHAIRS)

    def step(self, card: Array) -> Array:
        """Play a card in every game; return the tricks declarer's side won with it (0 or 1)."""
        xp = namespace(card)
        position, chair = self.cards % CHAIRS, self.chair
        at = self._chairs == chair[:, None]
        suit, rank = card // RANKS, card % RANKS
        bit = 1 << card
        mask = xp.where(at, bit[:, None], 0)
        higher = ((1 << rank) - 1 << RANKS * suit)[:, None]
        self.falling = self.falling | xp.where(self.played & higher != 0, mask, 0)
        self.hands = self.hands - mask
        self.played = self.played | mask
        self.trick = self.trick | mask
        if position == 0:
            self.led_suit = suit
            self.led = self.led | mask
        else:
            away = (suit != self.led_suit)[:, None]
            self.off = self.off | xp.where(away, mask, 0)
            shown = xp.where(away & at, (1 << self.led_suit)[:, None], 0)
            self.shown_out = self.shown_out | shown
        strength = xp.where(suit == self.led_suit, RANKS, 0) - rank
        strength = xp.where(suit == self.contracts.strain, 2 * RANKS - rank, strength)
        if position == 0:
            self.best, self.winner, self.winning = strength, chair, bit
        else:
            better = strength > self.best
            self.best = xp.where(better, strength, self.best)
            self.winner = xp.where(better, chair, self.winner)
            self.winning = xp.where(better, bit, self.winning)
        self.cards += 1
        nothing = xp.zeros_like(bit)
        if position < CHAIRS - 1:
            return nothing
        gained = (self.winner + 1) % 2
        self.won = self.won + gained
        self.leader = self.winner
        self.trick = xp.zeros_like(mask)
        self.winning = nothing
        self.led_suit = nothing + NO_SUIT
        return gained

    def finish(self) -> Array:
        """Play the last trick, in which nobody has a choice; return what `step` returns, summed."""
        total = self.won
        while not self.over:
            self.step(only_card(self.legal()))
        return self.won - total


def only_card(mask: Array) -> Array:
    """The number of the card in masks of one card each."""
    xp = namespace(mask)
    return cast(xp.log2(cast(mask, xp.float64)).round(), xp.int64)


def expand(masks: Array, numbers: Array, dtype: Any) -> tuple[Array, Array]:
    """Features of each suit (n, 4, 13 * masks + 6) and of the table, as `observation.features`."""
    xp = namespace(masks)
    count = len(masks)
    suits = xp.arange(SUITS, device=masks.device)
    ranks = xp.arange(RANKS, device=masks.device, dtype=xp.int16)
    rows = cast(masks[:, None, :] >> RANKS * suits[:, None] & _ROW, xp.int16)
    cards = (rows[..., None] >> ranks & 1).reshape(count, SUITS, -1)
    shown = numbers[:, 8, None, None] >> SUITS * suits + suits[:, None] & 1
    flags = [(numbers[:, at, None] == suits)[..., None] for at in (5, 7)]
    own = xp.concat([cast(part, dtype) for part in (cards, *flags, shown)], 2)
    return own, _table(numbers, dtype)


def _table(numbers: Array, dtype: Any) -> Array:
    xp = namespace(numbers)
    parts = [
        numbers[:, at, None] - first == xp.arange(size, device=numbers.device)
        for at, first, size in (
            (0, 0, CHAIRS), (1, 0, CHAIRS), (2, 0, 13), (3, 0, 14), (4, 1, 7), (6, 0, 3)
        )
    ]  # fmt: skip
    parts.append(numbers[:, 5:6] == NOTRUMP)
    for at, size in ((9, BIDS), (12, BIDS + 1)):
        parts.append(bits(numbers[:, at : at + 3], size).reshape(len(numbers), -1))
    return cast(xp.concat(parts, 1), dtype)


def preferences(network: SuitNetwork, masks: I64, numbers: I64, legal: I64) -> F32:
    """The network's preferences (n, 52), minus infinity for cards that are not legal."""
    answers = network.batch(*expand(masks, numbers, np.float32))
    wishes = answers[..., :RANKS].reshape(len(masks), -1)
    result: F32 = np.where(bits(legal, SUITS * RANKS), wishes, -np.inf)
    return result


def play_out(network: SuitNetwork, games: PlayGames) -> I64:
    """Declarer's tricks in each game if all chairs play the card the network prefers."""
    while not games.over:
        legal = games.legal()
        card = only_card(legal)
        free = (legal & legal - 1 != 0).nonzero()[0]
        if len(free):
            masks, numbers = games.observe()
            card[free] = preferences(network, masks[free], numbers[free], legal[free]).argmax(1)
        games.step(card)
    won: I64 = games.won
    return won


assert MASKS == 2 + 4 + 3 + 4 + 4 + 4 + 1 + 2
