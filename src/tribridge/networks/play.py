"""The play as a network sees it, of one view or of many games in lockstep.

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
any bid, bit `1 + bid`: over that bid). A player for points also sees 13 `Steps`, what each further
trick is worth, in 1/`SWING` of the difference between one down and made.

Nothing in it distinguishes one suit from another, so a network can treat the four alike: `expand`
gives each suit its bits, with flags for trumps and for the suit led.

`PlayGames` are many games, as arrays of NumPy or of PyTorch on any device. The state of a game is a
handful of 64-bit masks, so a step is a few operations on small arrays, and an observation stays
packed until a network reads it. The observation is that of `observe` and the rules are those of
`game.tricks`; the tests compare both with these card by card. No array is changed in place, and no
shape depends on the cards, so that a GPU can run the games as a captured graph.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.deals import Seat
from tribridge.common.arrays import Array, bits, cast, gather, namespace
from tribridge.game.views import View
from tribridge.networks.auction import BIDS, RANKS, STRAINS, SUITS, Contracts, calls_made
from tribridge.networks.network import F32, NetworkKind, SuitNetwork

I64 = NDArray[np.int64]

NOTRUMP: Final = STRAINS - 1
CHAIRS: Final = 4
MASKS: Final = 24
HEADS: Final = 3
OUTPUTS: Final = HEADS * RANKS
"""For each card of a suit: preference, belief and value."""
AUCTION_FEATURES: Final = 3 * BIDS + 3 * (BIDS + 1)
NO_SUIT: Final = 4
SUIT_FEATURES: Final = RANKS * MASKS + 2 + CHAIRS
TABLE_FEATURES: Final = CHAIRS + CHAIRS + 13 + 14 + 7 + 3 + 1 + AUCTION_FEATURES
STAKE_FEATURES: Final = 13 + 14 + 14
"""What each trick is worth; tricks that declarer still needs; tricks that the defenders need."""
KIND: Final = NetworkKind("playing", SUIT_FEATURES, TABLE_FEATURES, OUTPUTS)
POINTS_KIND: Final = KIND._replace(name="points", table=TABLE_FEATURES + STAKE_FEATURES)
SWING: Final = 256

_ROW: Final = (1 << RANKS) - 1


class Numbers(NamedTuple):
    """The numbers of an observation, in order; or the columns of many."""

    chair: Any
    position: Any
    tricks: Any
    won: Any
    level: Any
    strain: Any
    doubled: Any
    led: Any
    shown_out: Any
    declarer_bids: Any
    left_bids: Any
    right_bids: Any
    declarer_passes: Any
    left_passes: Any
    right_passes: Any


Steps = tuple[int, ...]


class Observation(NamedTuple):
    """One seat's view when that seat or its dummy is to play."""

    masks: tuple[int, ...]
    numbers: Numbers


def observe(view: View) -> Observation:
    """The observation of the player whose turn it is to play a card."""
    position = view.position
    assert position is not None
    contract, chair = position.contract, position.chair
    hand, other = position.mine, position.friend if position.declaring else position.dummy
    played, led, off, falling, trick = ([0] * CHAIRS for _ in range(5))
    for leader, cards in position.rounds():
        trick = [0] * CHAIRS
        for at, card in enumerate(cards):
            by = (leader + at) % CHAIRS
            if played[by] & (1 << card.column) - 1 << RANKS * card.row:
                falling[by] |= card.bit
            if at == 0:
                led[by] |= card.bit
            elif card.suit is not cards[0].suit:
                off[by] |= card.bit
            played[by] |= card.bit
            trick[by] = card.bit
    order = [(chair + at) % CHAIRS for at in range(CHAIRS)]
    seats = [(contract.declarer.index + at) % len(Seat) for at in range(len(Seat))]
    bids, passes, _ = calls_made(view.auction)
    masks = (
        hand,
        other,
        *(played[by] for by in order),
        *(trick[by] for by in order[1:]),
        *(led[by] for by in order),
        *(off[by] for by in order),
        *(falling[by] for by in order),
        position.best()[1].bit if position.trick else 0,
        _above(hand, position.unseen),
        _above(other, position.unseen),
    )
    numbers = Numbers(
        chair,
        len(position.trick),
        len(position.tricks),
        position.won,
        contract.bid.level,
        contract.bid.strain.index,
        contract.factor.bit_length() - 1,
        position.trick[0].row if position.trick else NO_SUIT,
        sum(position.voids[by] << 4 * at for at, by in enumerate(order)),
        *(bids[seat] for seat in seats),
        *(passes[seat] for seat in seats),
    )
    return Observation(masks, numbers)


def steps_of(view: View) -> Steps:
    """What each further trick is worth at this table, for a player for points."""
    contract = view.contract
    assert contract is not None
    return steps_from(view.stakes(contract), contract.bid.level)


@lru_cache(64)
def steps_from(stakes: tuple[float, ...], level: int) -> Steps:
    """The same, given what each number of tricks is worth to declarer."""
    steps = np.diff(stakes)
    swing = steps[level + 5]
    if not swing > 0:  # a scheme of the user's own may not reward making the contract
        swing = steps.max(initial=1)
    return tuple(np.round(SWING * steps / swing).astype(int).tolist())


def _above(hand: int, unseen: int) -> int:
    """The cards of a hand above every unseen card of their suit."""
    result = 0
    for suit in range(SUITS):
        row = unseen >> RANKS * suit & _ROW
        top = (row & -row) - 1 if row else _ROW
        result |= (hand >> RANKS * suit & _ROW & top) << RANKS * suit
    return result


def same_contract(numbers: Numbers, hands: I64) -> Contracts:
    """The contract and auction of an observation, on many layouts (n, 4)."""
    every = np.tile(np.array(numbers, np.int64), (len(hands), 1))
    level, strain, doubled = every[:, 4:7].T
    return Contracts(hands, level, strain, doubled, every[:, 9:12], every[:, 12:15])


_STATE: Final = (
    "hands", "played", "led", "off", "falling", "trick", "shown_out", "leader", "led_suit", "best",
    "winner", "winning", "won",
)  # fmt: skip


class PlayGames:
    """Games of one hand size, all at the same card."""

    def __init__(self, contracts: Contracts, tricks: int = 13, steps: Array | None = None) -> None:
        hands = contracts.hands
        xp = namespace(hands)
        nothing, zero = xp.zeros_like(hands), xp.zeros_like(contracts.level)
        self.contracts = contracts
        self.size = tricks
        self.steps = steps
        """What each further trick is worth (n, 13), if the players see that."""
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
        """Masks (n, MASKS) and numbers (n, 15, or 28 with steps) seen by the chair to play."""
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
        steps = () if self.steps is None else (self.steps,)
        return masks, xp.concat([numbers, contracts.bids, contracts.passes, *steps], 1)

    def others(self) -> Array:
        """The hands of the three other chairs, for a critic that sees all cards: (n, 3)."""
        return gather(self.hands, (self.chair[:, None] + self._chairs[1:]) % CHAIRS)

    def take(self, at: Array) -> PlayGames:
        """Some of the games, by number or as a mask."""
        steps = None if self.steps is None else self.steps[at]
        games = PlayGames(self.contracts.take(at), self.size, steps)
        for name in _STATE:
            setattr(games, name, getattr(self, name)[at])
        games.cards = self.cards
        return games

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
    """Features of each suit (n, 4, 13 * masks + 6) and of the table, for a network."""
    xp = namespace(masks)
    count = len(masks)
    suits = xp.arange(SUITS, device=masks.device)
    ranks = xp.arange(RANKS, device=masks.device, dtype=xp.int16)
    rows = cast(masks[:, None, :] >> RANKS * suits[:, None] & _ROW, xp.int16)
    cards = (rows[..., None] >> ranks & 1).reshape(count, SUITS, -1)
    seen = numbers_of(numbers)
    shown = seen.shown_out[:, None, None] >> SUITS * suits + suits[:, None] & 1
    flags = [(suit[:, None] == suits)[..., None] for suit in (seen.strain, seen.led)]
    own = xp.concat([cast(part, dtype) for part in (cards, *flags, shown)], 2)
    table = table_features(numbers, dtype)
    if numbers.shape[1] > len(seen):
        table = xp.concat([table, stake_features(numbers, dtype)], 1)
    return own, table


def expand_one(observation: Observation, steps: Steps = ()) -> tuple[F32, F32]:
    """What `expand` gives for a single observation, in a fifth of the time."""
    masks, seen = observation
    cards = MASKS * RANKS
    suits = np.zeros((1, SUITS, SUIT_FEATURES), np.float32)
    rows = _unpack(np.array(masks, "<u8").tobytes()).reshape(MASKS, 64)[:, : SUITS * RANKS]
    suits[0, :, :cards] = rows.reshape(MASKS, SUITS, RANKS).swapaxes(0, 1).reshape(SUITS, cards)
    if seen.strain != NOTRUMP:
        suits[0, seen.strain, cards] = 1
    if seen.led != NO_SUIT:
        suits[0, seen.led, cards + 1] = 1
    shown_out = _unpack(seen.shown_out.to_bytes(2, "little"))
    suits[0, :, cards + 2 :] = shown_out.reshape(CHAIRS, SUITS).T
    needed = seen.level + 6 - seen.won, 8 - seen.level - (seen.tricks - seen.won)
    ones = size = 0
    for flags, width in (
        (1 << seen.chair, CHAIRS), (1 << seen.position, CHAIRS), (1 << seen.tricks, 13),
        (1 << seen.won, 14), (1 << seen.level - 1, 7), (1 << seen.doubled, 3),
        (seen.strain == NOTRUMP, 1), *((bids, BIDS) for bids in seen[9:12]),
        *((passes, BIDS + 1) for passes in seen[12:15]),
        *((1 << min(max(tricks, 0), 13), 14) for tricks in needed),
    ):  # fmt: skip
        ones |= flags << size
        size += width
    table = _unpack(ones.to_bytes(size // 8 + 1, "little"))
    worth = (np.array(steps) / SWING).clip(0, 2)
    parts = table[:TABLE_FEATURES], worth, table[TABLE_FEATURES : size if steps else TABLE_FEATURES]
    return suits, np.concatenate(parts, dtype=np.float32, casting="same_kind")[None]


def _unpack(packed: bytes) -> NDArray[np.uint8]:
    """The bits of bytes, the lowest first."""
    return np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")


def numbers_of(numbers: Array) -> Numbers:
    """The columns of many numbers, without the steps."""
    return Numbers(*numbers.T[: len(Numbers._fields)])


def table_features(numbers: Array, dtype: Any) -> Array:
    """The numbers (n, 15) as zeros and ones (n, TABLE_FEATURES); those of the auction are last."""
    xp = namespace(numbers)
    seen = numbers_of(numbers)
    parts = [
        number[:, None] == xp.arange(size, device=numbers.device)
        for number, size in (
            (seen.chair, CHAIRS), (seen.position, CHAIRS), (seen.tricks, 13), (seen.won, 14),
            (seen.level - 1, 7), (seen.doubled, 3),
        )
    ]  # fmt: skip
    parts.append((seen.strain == NOTRUMP)[:, None])
    for masks, size in ((numbers[:, 9:12], BIDS), (numbers[:, 12:15], BIDS + 1)):
        parts.append(bits(masks, size).reshape(len(numbers), -1))
    return cast(xp.concat(parts, 1), dtype)


def stake_features(numbers: Array, dtype: Any) -> Array:
    """The steps in swings, at most 2, and the tricks needed to make and to defeat the contract."""
    xp = namespace(numbers)
    seen = numbers_of(numbers)
    steps = cast((numbers[:, len(seen) :] / SWING).clip(0, 2), dtype)
    to_make = seen.level + 6 - seen.won
    to_defeat = 8 - seen.level - (seen.tricks - seen.won)
    tricks = xp.arange(14, device=numbers.device)
    needed = [cast(need.clip(0, 13)[:, None] == tricks, dtype) for need in (to_make, to_defeat)]
    return xp.concat([steps, *needed], 1)


def by_card(answers: Array) -> Array:
    """A network's outputs (n, 4, OUTPUTS) as (3 heads, n, 52 cards)."""
    heads = answers.reshape(-1, SUITS, HEADS, RANKS).swapaxes(0, 2).swapaxes(1, 2)
    return heads.reshape(HEADS, -1, SUITS * RANKS)


def preferences(network: SuitNetwork, masks: I64, numbers: I64, legal: I64) -> F32:
    """The network's preferences (n, 52), minus infinity for cards that are not legal."""
    wishes = by_card(network(*expand(masks, numbers, np.float32)))[0]
    result: F32 = np.where(bits(legal, SUITS * RANKS), wishes, -np.inf)
    return result


assert MASKS == 2 + 4 + 3 + 4 + 4 + 4 + 1 + 2
