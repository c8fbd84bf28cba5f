"""Games of card play in lockstep, as NumPy arrays: one history on many layouts, then play-outs.

The arrays hold what `learning.play_games` holds as tensors, and the observation is that of
`observation.observe`; the tests compare all three. Chairs: 0 declarer, 1 left defender, 2 dummy,
3 right defender.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from tribridge.strategies.players.learned.network import F32, SuitNetwork
from tribridge.strategies.players.learned.observation import (
    CHAIR_FEATURES,
    CHAIRS,
    MASKS,
    NO_SUIT,
    RANKS,
    SUIT_FEATURES,
    SUITS,
    WON_FEATURES,
    Numbers,
    table_features,
)

I64 = NDArray[np.int64]

_ROW: Final = (1 << RANKS) - 1
_SHIFTS: Final = RANKS * np.arange(SUITS)
_RANKS: Final = np.arange(RANKS)
_ONE: Final = np.int64(1)
HEADS: Final = 3
"""For each card: preference, belief and value."""


@dataclass(frozen=True, eq=False)
class Games:
    """Games with one contract and auction, all at the same card; each has its own layout."""

    contract: Numbers
    """The numbers of an observation; those of the play are filled in."""
    hands: I64
    """(n, 4) masks of the cards left; the other masks have the same shape."""
    played: I64
    led: I64
    off: I64
    falling: I64
    trick: I64
    shown_out: I64
    """(n, 4): the suits in which a chair has shown out, as bits."""
    leader: I64
    led_suit: I64
    best: I64
    """The strength of the card that is winning the trick."""
    winner: I64
    winning: I64
    won: I64
    cards: int = 0

    @classmethod
    def start(cls, contract: Numbers, hands: I64) -> Self:
        """The games before the opening lead."""
        four, one = np.zeros_like(hands), np.zeros(len(hands), np.int64)
        return cls(
            contract, hands, four, four, four, four, four, four,
            leader=one + 1, led_suit=one + NO_SUIT, best=one - 1, winner=one, winning=one, won=one,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.hands)

    def take(self, rows: I64 | slice) -> Self:
        """Some of the games, or the same ones several times."""
        arrays = {
            field.name: getattr(self, field.name)[rows]
            for field in fields(self)
            if field.name not in ("contract", "cards")
        }
        return replace(self, **arrays)

    @property
    def chair(self) -> I64:
        """The chair that is to play."""
        return (self.leader + self.cards % CHAIRS) % CHAIRS

    @property
    def mine(self) -> I64:
        """The cards of the chair that is to play."""
        return np.take_along_axis(self.hands, self.chair[:, None], 1)[:, 0]

    def legal(self) -> I64:
        """The legal cards, as masks."""
        held = self.mine
        if self.cards % CHAIRS == 0:
            return held
        following = held & _ROW << RANKS * self.led_suit
        return np.where(following != 0, following, held)

    def step(self, card: I64) -> Self:
        """The games after a card in each of them."""
        position, chair = self.cards % CHAIRS, self.chair
        at = np.arange(CHAIRS) == chair[:, None]
        suit, rank = card // RANKS, card % RANKS
        bit = _ONE << card
        mask = np.where(at, bit[:, None], 0)
        above = ((_ONE << rank) - 1 << RANKS * suit)[:, None]
        led, off, shown_out, led_suit = self.led, self.off, self.shown_out, self.led_suit
        if position == 0:
            led, led_suit = led | mask, suit
        else:
            away = (suit != led_suit)[:, None]
            off = off | np.where(away, mask, 0)
            shown_out = shown_out | np.where(away & at, (_ONE << led_suit)[:, None], 0)
        strength = np.where(suit == led_suit, RANKS, 0) - rank
        strength = np.where(suit == self.contract.strain, 2 * RANKS - rank, strength)
        better = np.full(len(self), True) if position == 0 else strength > self.best
        winner = np.where(better, chair, self.winner)
        done = position == CHAIRS - 1
        nothing = np.zeros_like(bit)
        return replace(
            self,
            hands=self.hands & ~mask,
            played=self.played | mask,
            led=led,
            off=off,
            falling=self.falling | np.where(self.played & above != 0, mask, 0),
            trick=np.zeros_like(mask) if done else self.trick | mask,
            shown_out=shown_out,
            leader=winner if done else self.leader,
            led_suit=nothing + NO_SUIT if done else led_suit,
            best=np.where(better, strength, self.best),
            winner=winner,
            winning=nothing if done else np.where(better, bit, self.winning),
            won=self.won + (winner + 1) % 2 if done else self.won,
            cards=self.cards + 1,
        )

    def features(self) -> tuple[F32, F32]:
        """What a network reads of each game: (n, 4, f) and (n, g)."""
        chair, numbers = self.chair, self.contract
        order = (chair[:, None] + np.arange(CHAIRS)) % CHAIRS
        hand = np.take_along_axis(self.hands, chair[:, None], 1)
        other = np.where(chair[:, None] == 2, self.hands[:, :1], self.hands[:, 2:3])
        unseen = self.hands.sum(1, keepdims=True) & ~(hand | other)
        rows = unseen >> _SHIFTS & _ROW
        tops = (np.where(rows == 0, _ROW, (rows & -rows) - 1) << _SHIFTS).sum(1, keepdims=True)
        turned = [
            np.take_along_axis(mask, order, 1)
            for mask in (self.played, self.trick, self.led, self.off, self.falling)
        ]
        turned[1] = turned[1][:, 1:]
        masks = np.concatenate(
            [hand, other, *turned, self.winning[:, None], hand & tops, other & tops], 1
        )
        suits = np.zeros((len(self), SUITS, SUIT_FEATURES), np.float32)
        bits = (masks[:, None, :] >> _SHIFTS[:, None] & _ROW).astype(np.int16)
        suits[:, :, : RANKS * MASKS] = (bits[..., None] >> _RANKS.astype(np.int16) & 1).reshape(
            len(self), SUITS, -1
        )
        at = RANKS * MASKS
        if numbers.strain < SUITS:
            suits[:, numbers.strain, at] = 1
        suits[:, :, at + 1] = self.led_suit[:, None] == np.arange(SUITS)
        shown = np.take_along_axis(self.shown_out, order, 1)
        suits[:, :, at + 2 :] = shown[:, None, :] >> np.arange(SUITS)[:, None] & 1
        return suits, self._table()

    def _table(self) -> F32:
        """The features of the table: `table_features` of each game."""
        position, tricks = self.cards % CHAIRS, self.cards // CHAIRS
        same = table_features(self.contract._replace(chair=0, position=position, tricks=tricks))
        rows: F32 = np.tile(same, (len(self), 1))
        games = np.arange(len(self))
        rows[:, CHAIR_FEATURES] = rows[:, WON_FEATURES] = 0
        rows[games, CHAIR_FEATURES.start + self.chair] = 1
        rows[games, WON_FEATURES.start + self.won] = 1
        return rows


def answer(network: SuitNetwork, games: Games) -> F32:
    """The network's outputs for every card: (n, 3, 52)."""
    heads = network.batch(*games.features())
    count = len(games)
    by_head = heads.reshape(count, SUITS, HEADS, RANKS).transpose(0, 2, 1, 3)
    result: F32 = by_head.reshape(count, HEADS, SUITS * RANKS)
    return result


def preferences(network: SuitNetwork, games: Games, legal: I64) -> F32:
    """The network's preferences (n, 52), minus infinity for cards that are not legal."""
    allowed = legal[:, None] >> np.arange(SUITS * RANKS) & 1 != 0
    result: F32 = np.where(allowed, answer(network, games)[:, 0], -np.inf)
    return result


def play_out(network: SuitNetwork, games: Games, cards: int = SUITS * RANKS) -> I64:
    """Declarer's tricks in each game if all chairs play the card the network prefers."""
    while games.cards < cards:
        legal = games.legal()
        card = np.log2(legal.astype(np.float64)).astype(np.int64)
        free = (legal & legal - 1 != 0).nonzero()[0]
        if len(free):
            card[free] = preferences(network, games.take(free), legal[free]).argmax(1)
        games = games.step(card)
    return games.won
