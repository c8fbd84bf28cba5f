"""Whole games, auction and play, in lockstep at the speed of the machine: NumPy and Numba alone.

Actions and observations are those of `encoding`, bit for bit, as small integers. Each call of
`step` makes one call or plays one card in every game; a game that ends is dealt again at once, and
its result stands in `rewards` and `ended` until the next step. Everything is an array with one row
for each game, which the next step overwrites:

| array | shape | holds |
| --- | --- | --- |
| `observations` | (n, size) int8 | what the seat to act sees |
| `masks` | (n, actions) int8 | 1 for each legal action |
| `turns` | (n,) int8 | the seat to act: 0, 1 or 2 |
| `rewards` | (n, 3) float32 | settlement points of the seats; 0 unless the game has ended |
| `ended` | (n,) bool | whether the last action ended the game |

`views()` gives what each of the three seats sees, (n, 3, size), for critics. Inside, what a seat
sees is kept in words of 64 bits, so that a step touches little memory; a few hundred games at a
time fit the caches of a core, and are the fastest.

Cards are drawn by each game's own generator (SplitMix64), so that a game depends on the seed and on
its row alone, whatever the number of threads.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import FULL_DECK, Deck
from tribridge.compiled import njit, prange
from tribridge.deals import Seat
from tribridge.envs.encoding import Rules
from tribridge.errors import IllegalActionError, SettingError
from tribridge.game import Contract, Scheme

Int8 = NDArray[np.int8]
Array = NDArray[Any]

# The columns of a game's state.
(_DEALER, _TURN, _HAND, _PLAY, _LAST, _BIDDER, _FACTOR, _PASSES, _CALLS, _DECLARER, _CARDS, _LED,
 _BEST, _WINNER, _LEADER, _TRICKS, _WON) = range(17)  # fmt: skip
_COLUMNS: Final = 17
_DUMMY: Final = 3


class LockstepGames:
    """Games of three players, all of them stepped together.

    Examples:
        >>> games = LockstepGames(1000, deck="2x4", seed=1)
        >>> games.observations.shape, games.masks[0]
        ((1000, 138), array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], dtype=int8))
        >>> games.step(np.full(1000, 2))  # everybody bids 1NT
        >>> games.masks[0].nonzero()[0], bool(games.ended.any())
        (array([3]), False)

    Raises:
        SettingError: the number of games, the deck, the scheme or the seed cannot be played.
        IllegalActionError: from `step`; no game has moved then.
    """

    def __init__(
        self,
        games: int,
        *,
        deck: Deck | str = FULL_DECK,
        scheme: Scheme | str = "auction",
        doubles: bool = False,
        seed: int = 0,
    ) -> None:
        if games < 1:
            raise SettingError(f"the number of games must be 1 or more, not {games}")
        self.rules = rules = Rules.of(deck, scheme, doubles)
        encoding, pack = rules.encoding, rules.deck
        self.games = games
        words = encoding.size // 64 + 1
        self._bits = np.zeros((games, 3, words), np.uint64)
        self._unpacked = np.zeros((games, 8 * words), np.uint64)
        self.observations: Int8 = self._unpacked.view(np.int8)[:, : encoding.size]
        self.masks: Int8 = np.zeros((games, encoding.actions), np.int8)
        self.turns: Int8 = np.zeros(games, np.int8)
        self.rewards = np.zeros((games, 3), np.float32)
        self.ended = np.zeros(games, np.bool_)
        self._state = np.zeros((games, _COLUMNS), np.int64)
        self._hands = np.zeros((games, 4), np.uint64)
        self._random = np.zeros(games, np.uint64)
        self._fields = np.array([field.start for field in encoding.fields.values()], np.int64)
        sizes = pack.suits, pack.ranks, len(encoding.bids), int(doubles)
        self._sizes = np.array(sizes, np.int64)
        self._points = np.array(
            [
                [
                    [float(rules.scheme.net(Contract(bid, Seat.NORTH, factor), tricks, pack))
                     for tricks in range(pack.hand_size + 1)]
                    for factor in (1, 2, 4)
                ]
                for bid in encoding.bids
            ]
        )  # fmt: skip
        self.reset(seed)

    @property
    def _arrays(self) -> tuple[NDArray[np.generic], ...]:
        return (
            self._state, self._hands, self._random, self._unpacked, self._bits, self.masks,
            self.turns, self._fields, self._sizes,
        )  # fmt: skip

    def reset(self, seed: int) -> None:
        """Deal all games anew."""
        if seed < 0:
            raise SettingError(f"the seed must be 0 or more, not {seed}")
        sequence = np.random.SeedSequence(seed)
        self._random[:] = sequence.generate_state(self.games, np.uint64)
        self.rewards[:] = 0
        self.ended[:] = False
        _deal_all(*self._arrays)

    def step(self, actions: NDArray[np.integer]) -> None:
        """One action in every game."""
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.games,):
            raise IllegalActionError(f"{self.games} actions are due, not {chosen.shape}")
        within = (chosen >= 0) & (chosen < self.masks.shape[1])
        legal = within & (self.masks[np.arange(self.games), np.where(within, chosen, 0)] == 1)
        if not legal.all():
            game = int(np.argmin(legal))
            allowed = ", ".join(map(str, self.masks[game].nonzero()[0]))
            raise IllegalActionError(
                f"game {game}: action {chosen[game]} is not legal: expected one of {allowed}"
            )
        _step_all(chosen, self.rewards, self.ended, self._points, *self._arrays)

    def views(self) -> Int8:
        """What each of the three seats sees: (n, 3, size)."""
        bits = np.unpackbits(self._bits.view(np.uint8), axis=2, bitorder="little")
        return bits[:, :, : self.observations.shape[1]].view(np.int8)

    def random_actions(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action for every game, all equally likely."""
        actions = np.empty(self.games, np.int64)
        _choose_all(self.masks, rng.random(self.games), actions)
        return actions


_BYTES: Final = np.array(
    [sum((byte >> at & 1) << 8 * at for at in range(8)) for byte in range(256)], np.uint64
)
"""For each byte its bits, each as a byte."""


@njit(cache=True, inline="always")
def _set(bits: Array, at: int) -> None:
    bits[at >> 6] |= np.uint64(1) << np.uint64(at & 63)


@njit(cache=True, inline="always")
def _unset(bits: Array, at: int) -> None:
    bits[at >> 6] &= ~(np.uint64(1) << np.uint64(at & 63))


@njit(cache=True)
def _clear(bits: Array, start: int, length: int) -> None:
    """Set a field to 0."""
    at, end = start, start + length
    while at < end:
        low, count = at & 63, min(64 - (at & 63), end - at)
        ones = ~np.uint64(0) >> np.uint64(64 - count)
        bits[at >> 6] &= ~(ones << np.uint64(low))
        at += count


@njit(cache=True)
def _unpack(bits: Array, row: Array) -> None:
    """Write bits as bytes, eight at a time."""
    for word in range(len(bits)):
        value = bits[word]
        for byte in range(8):
            row[8 * word + byte] = _BYTES[value & np.uint64(255)]
            value >>= np.uint64(8)


@njit(cache=True, inline="always")
def _next(random: Array, game: int) -> Any:
    """A game's next random number (SplitMix64)."""
    random[game] += np.uint64(0x9E3779B97F4A7C15)
    z = random[game]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def _below(random: Array, game: int, bound: int) -> int:
    """A random number below a bound, all equally likely (Lemire)."""
    low = np.uint64(0xFFFFFFFF)
    threshold = (np.uint64(1) << np.uint64(32)) % np.uint64(bound)
    while True:
        product = (_next(random, game) & low) * np.uint64(bound)
        if product & low >= threshold:
            return int(product >> np.uint64(32))


@njit(cache=True)
def _deal(
    game: int, state: Array, hands: Array, random: Array, bits: Array, fields: Array, sizes: Array
) -> None:
    """Deal a game anew: cards, dealer, and what each seat sees."""
    suits, ranks = sizes[0], sizes[1]
    cards = suits * ranks
    order = np.empty(cards, np.int64)
    for at in range(cards):  # an inside-out shuffle
        other = _below(random, game, at + 1)
        order[at] = order[other] if other < at else at
        order[other] = at
    size = cards // 4
    bits[game] = 0
    for hand in range(4):
        mask = np.uint64(0)
        for at in range(hand * size, (hand + 1) * size):
            mask |= np.uint64(1) << np.uint64(order[at])
            if hand < 3:
                _set(bits[game, hand], fields[10] + order[at])
        hands[game, hand] = mask
    dealer = _below(random, game, 3)
    row = state[game]
    row[:] = 0
    row[_DEALER] = row[_TURN] = row[_HAND] = dealer
    row[_LAST] = row[_BIDDER] = row[_DECLARER] = -1
    for seat in range(3):
        _set(bits[game, seat], fields[0] + (dealer - seat) % 3)
        _set(bits[game, seat], fields[1] + (dealer - seat) % 3)


@njit(cache=True)
def _set_mask(game: int, state: Array, hands: Array, masks: Array, sizes: Array) -> None:
    """The legal actions of a game."""
    ranks, bids = sizes[1], sizes[2]
    row, mask = state[game], masks[game]
    mask[:] = 0
    if row[_PLAY] == 0:
        for bid in range(row[_LAST] + 1, bids):
            mask[bid] = 1
        mask[bids] = 1
        if sizes[3] and row[_LAST] >= 0:
            own = row[_BIDDER] == row[_TURN]
            mask[bids + 1] = row[_FACTOR] == 0 and not own
            mask[bids + 2] = row[_FACTOR] == 1 and own
        return
    held = hands[game, row[_HAND]]
    if row[_CARDS]:
        suit = row[_LED] // ranks
        follow = ((np.uint64(1) << np.uint64(ranks)) - np.uint64(1)) << np.uint64(suit * ranks)
        if held & follow:
            held &= follow
    place = bids + 3
    while held:
        if held & np.uint64(1):
            mask[place] = 1
        held >>= np.uint64(1)
        place += 1


@njit(cache=True, inline="always")
def _chair_hand(declarer: int, chair: int) -> int:
    """The hand in a chair: declarer, left defender, dummy (3), right defender."""
    if chair == 2:
        return _DUMMY
    return (declarer + (chair + 1) // 2) % 3


@njit(cache=True)
def _call(
    game: int, action: int, state: Array, hands: Array, bits: Array, fields: Array, sizes: Array
) -> bool:
    """Make a call; returns whether the deal is passed out."""
    bids = sizes[2]
    row = state[game]
    caller = row[_TURN]
    row[_CALLS] += 1
    if action == bids:
        row[_PASSES] += 1
        for seat in range(3):
            _set(bits[game, seat], fields[2] + row[_PASSES] - 1)
    else:
        row[_PASSES] = 0
        for seat in range(3):
            _clear(bits[game, seat], fields[2], 3)
        if action < bids:
            row[_LAST], row[_BIDDER], row[_FACTOR] = action, caller, 0
        else:
            row[_FACTOR] = action - bids
        for seat in range(3):
            by = (caller - seat) % 3
            if action < bids:
                _set(bits[game, seat], fields[3] + by * bids + action)
            elif action == bids + 1:
                _set(bits[game, seat], fields[4] + by * bids + row[_LAST])
            else:
                _set(bits[game, seat], fields[5] + row[_LAST])
    if row[_LAST] < 0 and row[_PASSES] == 3:
        return True
    for seat in range(3):
        _clear(bits[game, seat], fields[0], 4)
    if row[_LAST] >= 0 and row[_PASSES] == 2:
        _start_play(game, state, hands, bits, fields, sizes)
    else:
        row[_TURN] = row[_HAND] = (caller + 1) % 3
        for seat in range(3):
            _set(bits[game, seat], fields[0] + (row[_HAND] - seat) % 3)
    return False


@njit(cache=True)
def _start_play(
    game: int, state: Array, hands: Array, bits: Array, fields: Array, sizes: Array
) -> None:
    strains, row = sizes[0] + 1, state[game]
    row[_PLAY], row[_DECLARER] = 1, row[_BIDDER]
    declarer = row[_DECLARER]
    row[_LEADER] = 1  # the left defender
    row[_TURN] = row[_HAND] = (declarer + 1) % 3
    cards = sizes[0] * sizes[1]
    for seat in range(3):
        view = bits[game, seat]
        _set(view, fields[0] + (row[_HAND] - seat) % 3)
        _set(view, fields[6] + (declarer - seat) % 3)
        _set(view, fields[7] + row[_LAST] // strains)
        _set(view, fields[8] + row[_LAST] % strains)
        for at in range(row[_FACTOR]):
            _set(view, fields[9] + at)
        for place in range(cards):
            if hands[game, _DUMMY] >> np.uint64(place) & np.uint64(1):
                _set(view, fields[11] + place)


@njit(cache=True)
def _play(
    game: int, card: int, state: Array, hands: Array, bits: Array, fields: Array, sizes: Array
) -> bool:
    """Play a card; returns whether the play is over."""
    suits, ranks = sizes[0], sizes[1]
    cards, trump = suits * ranks, state[game, _LAST] % (suits + 1)
    row = state[game]
    hand, declarer, size = row[_HAND], row[_DECLARER], cards // 4
    hands[game, hand] &= ~(np.uint64(1) << np.uint64(card))
    for seat in range(3):
        view = bits[game, seat]
        by = _DUMMY if hand == _DUMMY else (hand - seat) % 3
        _set(view, fields[12] + by * cards + card)
        _set(view, fields[13] + row[_TRICKS] * cards + card)
        _set(view, fields[14] + by * cards + card)
        if hand == _DUMMY:
            _unset(view, fields[11] + card)
        _clear(view, fields[0], 4)
    if hand != _DUMMY:
        _unset(bits[game, hand], fields[10] + card)
    chair = (row[_LEADER] + row[_CARDS]) % 4
    if row[_CARDS] == 0:
        row[_LED], row[_BEST], row[_WINNER] = card, card, chair
    else:
        best = row[_BEST]
        better = card // ranks == best // ranks and card < best  # the ace is the lowest number
        if better or (card // ranks == trump and best // ranks != trump):
            row[_BEST], row[_WINNER] = card, chair
    row[_CARDS] += 1
    if row[_CARDS] == 4:
        row[_CARDS] = 0
        row[_TRICKS] += 1
        if row[_WINNER] % 2 == 0:
            row[_WON] += 1
            for seat in range(3):
                _set(bits[game, seat], fields[15] + row[_WON] - 1)
        for seat in range(3):
            _clear(bits[game, seat], fields[14], 4 * cards)
        if row[_TRICKS] == size:
            return True
        chair = row[_LEADER] = row[_WINNER]
    else:
        chair = (chair + 1) % 4
    row[_HAND] = _chair_hand(declarer, chair)
    row[_TURN] = declarer if row[_HAND] == _DUMMY else row[_HAND]
    for seat in range(3):
        by = _DUMMY if row[_HAND] == _DUMMY else (row[_HAND] - seat) % 3
        _set(bits[game, seat], fields[0] + by)
    return False


@njit(cache=True, parallel=True)
def _deal_all(
    state: Array,
    hands: Array,
    random: Array,
    unpacked: Array,
    bits: Array,
    masks: Array,
    turns: Array,
    fields: Array,
    sizes: Array,
) -> None:
    for game in prange(len(state)):
        _deal(game, state, hands, random, bits, fields, sizes)
        _set_mask(game, state, hands, masks, sizes)
        turns[game] = state[game, _TURN]
        _unpack(bits[game, turns[game]], unpacked[game])


@njit(cache=True, parallel=True)
def _step_all(
    actions: Array,
    rewards: Array,
    ended: Array,
    points: Array,
    state: Array,
    hands: Array,
    random: Array,
    unpacked: Array,
    bits: Array,
    masks: Array,
    turns: Array,
    fields: Array,
    sizes: Array,
) -> None:
    bids = sizes[2]
    for game in prange(len(state)):
        row, action = state[game], actions[game]
        rewards[game] = 0
        if row[_PLAY] == 0:
            over = _call(game, action, state, hands, bits, fields, sizes)
        else:
            over = _play(game, action - bids - 3, state, hands, bits, fields, sizes)
            if over:
                net = points[row[_LAST], row[_FACTOR], row[_WON]]
                for seat in range(3):
                    rewards[game, seat] = 2 * net if seat == row[_DECLARER] else -net
        ended[game] = over
        if over:
            _deal(game, state, hands, random, bits, fields, sizes)
        _set_mask(game, state, hands, masks, sizes)
        turns[game] = row[_TURN]
        _unpack(bits[game, turns[game]], unpacked[game])


@njit(cache=True, parallel=True)
def _choose_all(masks: Array, shares: Array, actions: Array) -> None:
    for game in prange(len(masks)):
        mask = masks[game]
        wanted = np.int64(shares[game] * mask.sum())
        for action in range(len(mask)):
            if mask[action]:
                if wanted == 0:
                    actions[game] = action
                    break
                wanted -= 1
