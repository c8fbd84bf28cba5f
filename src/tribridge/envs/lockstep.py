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

`views()` gives what each of the three seats sees, (n, 3, size), for critics. Inside, a game is one
record of masks and small numbers (`_GAME`), from which each observation is written anew; a few
hundred games at a time fit the caches of a core, and are the fastest.

Cards are drawn by each game's own generator (SplitMix64), so that a game depends on the seed and on
its row alone, whatever the number of threads.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.cards.deals import Seat
from tribridge.common.compiled import intrinsic, njit, prange, threads_at_most
from tribridge.common.errors import IllegalActionError, SettingError
from tribridge.envs.encoding import FIELDS, Rules
from tribridge.game import Contract, Scheme

Int8 = NDArray[np.int8]
Array = NDArray[Any]

_DUMMY: Final = 3
_U: Final = np.uint64
_GAMES_A_THREAD: Final = 1024
"""With fewer, to share the work takes longer than to do it."""
_0, _1 = _U(0), _U(1)

_GAME: Final = np.dtype(
    [
        ("random", "u8"),  # the state of the game's own generator
        ("legal", "u8"),  # the legal calls or cards
        ("hands", "u8", 4),  # the cards still held by each seat, and by dummy
        ("played", "u8", 4),
        ("tricks", "u8", 13),  # the cards of each trick, the one on the table included
        ("bids", "u8", 3),  # the bids that each seat has made
        ("doubles", "u8", 3),
        ("redoubles", "u8"),
        ("table", "i1", 4),  # the card of each hand on the table, or -1
        ("dealer", "i1"),
        ("turn", "i1"),  # the seat to act
        ("hand", "i1"),  # the hand that acts: declarer also plays dummy's
        ("playing", "i1"),
        ("last", "i1"),  # the last bid, or -1
        ("bidder", "i1"),  # who made it: declarer once the auction is over
        ("factor", "i1"),  # 0, 1 doubled, 2 redoubled
        ("passes", "i1"),
        ("cards", "i1"),  # cards on the table
        ("best", "i1"),  # the best of them
        ("winner", "i1"),  # the chair it came from
        ("leader", "i1"),
        ("done", "i1"),  # tricks played
        ("won", "i1"),  # those of declarer's side
    ],
    align=True,
)
"""A game. Cards and bids are bits by their numbers among cards and among bids."""


_SIZES: Final = ("suits", "ranks", "levels", "doubling", *FIELDS)
_Layout = namedtuple("_Layout", _SIZES)  # type: ignore[misc]
"""The sizes of a deck, and where the fields of an observation begin."""


class _Arrays(NamedTuple):
    """The games and what is shown of them."""

    games: Array
    observations: Int8
    masks: Int8
    turns: Int8
    rewards: NDArray[np.float32]
    ended: NDArray[np.bool_]


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
        starts = (field.start for field in encoding.fields.values())
        self._layout: Any = _Layout(  # type: ignore[call-arg]
            pack.suits, pack.ranks, pack.levels, int(doubles), *starts
        )
        self._arrays = _Arrays(
            np.zeros(games, _GAME),
            np.zeros((games, encoding.size), np.int8),
            np.zeros((games, encoding.actions), np.int8),
            np.zeros(games, np.int8),
            np.zeros((games, 3), np.float32),
            np.zeros(games, np.bool_),
        )
        _, self.observations, self.masks, self.turns, self.rewards, self.ended = self._arrays
        factors = [[Contract(bid, Seat.NORTH, by) for by in (1, 2, 4)] for bid in encoding.bids]
        nets = [[rules.scheme.nets(contract, pack) for contract in each] for each in factors]
        self._points = np.array(nets)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Deal all games anew."""
        if seed < 0:
            raise SettingError(f"the seed must be 0 or more, not {seed}")
        sequence = np.random.SeedSequence(seed)
        self._arrays.games["random"] = sequence.generate_state(self.games, np.uint64)
        self.rewards[:] = 0
        self.ended[:] = False
        self._run(np.zeros(0, np.int64))

    def _run(self, actions: Array) -> int:
        with threads_at_most(self.games // _GAMES_A_THREAD):
            return _run(actions, self._points, self._layout, self._arrays)

    def step(self, actions: NDArray[np.integer]) -> None:
        """One action in every game."""
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.games,):
            raise IllegalActionError(f"{self.games} actions are due, not {chosen.shape}")
        game = self._run(chosen)
        if game >= 0:
            allowed = ", ".join(map(str, self.masks[game].nonzero()[0]))
            raise IllegalActionError(
                f"game {game}: action {chosen[game]} is not legal: expected one of {allowed}"
            )

    def views(self) -> Int8:
        """What each of the three seats sees: (n, 3, size)."""
        views = np.zeros((self.games, 3, self.observations.shape[1]), np.int8)
        _show_all(views, self._layout, self._arrays.games)
        return views

    def random_actions(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action for every game, all equally likely."""
        actions = np.empty(self.games, np.int64)
        _choose_all(self._layout, self._arrays.games, rng.random(self.games), actions)
        return actions


@intrinsic
def _store_bits(context: Any, row: Any, at: Any, bits: Any) -> Any:
    """Write the sixteen low bits of a word as sixteen bytes."""
    from llvmlite import ir
    from numba import types

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, lanes = ir.IntType(8), 16
        vector = ir.VectorType(byte, lanes)
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        pair = builder.bitcast(builder.trunc(arguments[2], ir.IntType(16)), ir.VectorType(byte, 2))
        places = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * 8 + [1] * 8)
        spread = builder.shuffle_vector(pair, ir.Constant(pair.type, ir.Undefined), places)
        masked = builder.and_(spread, ir.Constant(vector, [1 << bit for bit in range(8)] * 2))
        ones = builder.icmp_unsigned("!=", masked, ir.Constant(vector, [0] * lanes))
        place = builder.bitcast(builder.gep(data, [arguments[1]]), vector.as_pointer())
        builder.store(builder.zext(ones, vector), place, align=1)
        return context.get_dummy_value()

    return types.void(row, at, bits), build


@intrinsic
def _count_bits(context: Any, bits: Any) -> Any:
    """How many bits of a word are 1."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return bits(bits), build


@njit(cache=True)
def _spread(row: Array, at: int, bits: Any, length: int) -> None:
    """Write bits as bytes, sixteen at a time."""
    place, end = _U(at), _U(at + length)
    while place + _U(16) <= end:
        _store_bits(row, place, bits)
        bits >>= _U(16)
        place += _U(16)
    while place < end:
        row[place] = np.int8(bits & _1)
        bits >>= _1
        place += _1


@njit(cache=True)
def _clear(row: Array, start: int, end: int) -> None:
    for at in range(_U(start), _U(end)):
        row[at] = 0


@njit(cache=True)
def _bit(at: int) -> Any:
    return _1 << _U(at)


@njit(cache=True)
def _ones(count: int) -> Any:
    """That many ones, fewer than 64."""
    return (_1 << _U(count)) - _1


@njit(cache=True)
def _below(game: Any, bound: int) -> int:
    """A random number below a bound, all equally likely (SplitMix64, Lemire)."""
    low = _U(0xFFFFFFFF)
    while True:
        game.random += _U(0x9E3779B97F4A7C15)
        z = game.random
        z = (z ^ (z >> _U(30))) * _U(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> _U(27))) * _U(0x94D049BB133111EB)
        product = ((z ^ (z >> _U(31))) & low) * _U(bound)
        rest = product & low
        if rest >= _U(bound) or rest >= _bit(32) % _U(bound):
            return int(product >> _U(32))


@njit(cache=True)
def _deal(game: Any, layout: Any) -> None:
    """Deal a game anew: cards and dealer."""
    cards = layout.suits * layout.ranks
    order = np.empty(cards, np.int64)
    for at in range(cards):  # an inside-out shuffle
        other = _below(game, at + 1)
        order[at] = order[other] if other < at else at
        order[other] = at
    size = cards // 4
    for hand in range(4):
        mask = _0
        for at in range(hand * size, (hand + 1) * size):
            mask |= _bit(order[at])
        game.hands[hand] = mask
        game.played[hand] = _0
        game.table[hand] = -1
    for at in range(size):
        game.tricks[at] = _0
    for seat in range(3):
        game.bids[seat] = game.doubles[seat] = _0
    game.redoubles = _0
    game.dealer = game.turn = game.hand = _below(game, 3)
    game.last = game.bidder = -1
    game.playing = game.factor = game.passes = game.cards = game.done = game.won = 0


@njit(cache=True)
def _call(game: Any, call: int, layout: Any) -> bool:
    """Make a call; returns whether the deal is passed out."""
    bids = layout.levels * (layout.suits + 1)
    caller = game.turn
    if call == bids:
        game.passes += 1
    else:
        game.passes = 0
        if call < bids:
            game.last, game.bidder, game.factor = call, caller, 0
            game.bids[caller] |= _bit(call)
        else:
            game.factor = call - bids
            if call == bids + 1:
                game.doubles[caller] |= _bit(game.last)
            else:
                game.redoubles |= _bit(game.last)
    if game.last < 0:
        if game.passes == 3:
            return True
    elif game.passes == 2:
        game.playing = 1
        game.leader = 1  # the left defender
        caller = game.bidder
    game.turn = game.hand = (caller + 1) % 3
    return False


@njit(cache=True)
def _play(game: Any, card: int, layout: Any) -> bool:
    """Play a card; returns whether the play is over."""
    ranks, trump = layout.ranks, game.last % (layout.suits + 1)
    hand, bit = game.hand, _bit(card)
    game.hands[hand] ^= bit
    game.played[hand] |= bit
    game.tricks[game.done] |= bit
    game.table[hand] = card
    chair = (game.leader + game.cards) % 4
    best = game.best
    better = card // ranks == best // ranks and card < best  # the ace is the lowest number
    if game.cards == 0 or better or (card // ranks == trump and best // ranks != trump):
        game.best, game.winner = card, chair
    game.cards += 1
    chair = (chair + 1) % 4
    if game.cards == 4:
        game.cards = 0
        game.done += 1
        game.won += 1 - game.winner % 2
        for each in range(4):
            game.table[each] = -1
        if game.done == layout.suits * ranks // 4:
            return True
        chair = game.leader = game.winner
    # Declarer, left defender, dummy, right defender.
    game.hand = _DUMMY if chair == 2 else (game.bidder + (chair + 1) // 2) % 3
    game.turn = game.bidder if chair == 2 else game.hand
    return False


@njit(cache=True)
def _set_legal(game: Any, layout: Any, mask: Array) -> None:
    """The legal actions of a game, as bits and as the bytes of its mask."""
    bids, cards = layout.levels * (layout.suits + 1), layout.suits * layout.ranks
    if game.playing:
        held = game.hands[game.hand]
        if game.cards:
            led = game.table[_first(game)] // layout.ranks
            follow = held & _ones(layout.ranks) << _U(led * layout.ranks)
            held = follow if follow else held
        game.legal = held
        _spread(mask, 0, _0, bids + 3)
        _spread(mask, bids + 3, held, cards)
        return
    legal = _ones(bids + 1) & ~_ones(game.last + 1)
    if layout.doubling and game.last >= 0:
        own = game.bidder == game.turn
        if game.factor == 0 and not own:
            legal |= _bit(bids + 1)
        elif game.factor == 1 and own:
            legal |= _bit(bids + 2)
    game.legal = legal
    _spread(mask, 0, legal, bids + 3)
    _spread(mask, bids + 3, _0, cards)


@njit(cache=True)
def _first(game: Any) -> int:
    """The hand that led to the trick."""
    if game.leader == 2:
        return _DUMMY
    return int((game.bidder + (game.leader + 1) // 2) % 3)


@njit(cache=True)
def _show(game: Any, seat: int, layout: Any, row: Array) -> None:
    """Write what a seat sees, but for the field `tricks`, which is the same for all seats."""
    strains, cards = layout.suits + 1, layout.suits * layout.ranks
    bids = layout.levels * strains
    hand = _DUMMY if game.hand == _DUMMY else (game.hand - seat) % 3
    head = _bit(hand) | _bit(layout.dealer + (game.dealer - seat) % 3)
    _spread(row, 0, head | _ones(game.passes) << _U(layout.passes), 10)
    for by in range(3):
        _spread(row, layout.bids + by * bids, game.bids[(seat + by) % 3], bids)
    if layout.doubling:
        for by in range(3):
            _spread(row, layout.doubles + by * bids, game.doubles[(seat + by) % 3], bids)
        _spread(row, layout.redoubles, game.redoubles, bids)
    contract, dummy = _0, _0
    if game.playing:
        contract = _bit((game.bidder - seat) % 3)
        contract |= _bit(layout.level - layout.declarer + game.last // strains)
        contract |= _bit(layout.strain - layout.declarer + game.last % strains)
        contract |= _ones(game.factor) << _U(layout.doubled - layout.declarer)
        dummy = game.hands[_DUMMY]
    _spread(row, layout.declarer, contract, layout.hand - layout.declarer)
    _spread(row, layout.hand, game.hands[seat], cards)
    _spread(row, layout.dummy, dummy, cards)
    for by in range(3):
        _spread(row, layout.played + by * cards, game.played[(seat + by) % 3], cards)
    _spread(row, layout.played + 3 * cards, game.played[_DUMMY], cards)
    _clear(row, layout.trick, layout.won)
    for by in range(4):
        card = game.table[(seat + by) % 3 if by < _DUMMY else _DUMMY]
        if card >= 0:
            row[layout.trick + by * cards + card] = 1
    _spread(row, layout.won, _ones(game.won), cards // 4)


@njit(cache=True, parallel=True)
def _run(actions: Array, points: Array, layout: Any, arrays: _Arrays) -> int:
    """One action in every game, or a new deal in all where there are no actions.

    Returns the first game whose action is illegal, and then no game moves; otherwise -1.
    """
    # Loops in parallel do not write to arrays that are still in a tuple.
    games, observations, masks, turns, rewards, ended = arrays
    calls, cards = layout.levels * (layout.suits + 1) + 3, layout.suits * layout.ranks
    for at in range(len(actions)):
        number = actions[at] - (calls if games[at].playing else 0)
        if not 0 <= number < 64 or not games[at].legal >> _U(number) & _1:
            return at
    for at in prange(len(games)):
        game, row, over = games[at], observations[at], True
        if len(actions):
            rewards[at] = 0
            if game.playing:
                card = actions[at] - calls
                row[layout.tricks + game.done * cards + card] = 1
                over = _play(game, card, layout)
                if over:
                    net = points[game.last, game.factor, game.won]
                    for seat in range(3):
                        rewards[at, seat] = 2 * net if seat == game.bidder else -net
            else:
                over = _call(game, actions[at], layout)
            ended[at] = over
        if over:
            _deal(game, layout)
            _clear(row, layout.tricks, layout.trick)
        _set_legal(game, layout, masks[at])
        turns[at] = game.turn
        _show(game, game.turn, layout, row)
    return -1


@njit(cache=True)
def _show_all(views: Array, layout: Any, games: Array) -> None:
    cards = layout.suits * layout.ranks
    for at in range(len(games)):
        for seat in range(3):
            row = views[at, seat]
            _show(games[at], seat, layout, row)
            for trick in range(cards // 4):
                _spread(row, layout.tricks + trick * cards, games[at].tricks[trick], cards)


@njit(cache=True)
def _choose_all(layout: Any, games: Array, shares: Array, actions: Array) -> None:
    calls = layout.levels * (layout.suits + 1) + 3
    for at in range(len(games)):
        game = games[at]
        legal = game.legal
        for _ in range(np.int64(shares[at] * _count_bits(legal))):
            legal &= legal - _1
        number = np.int64(_count_bits((legal & (~legal + _1)) - _1))
        actions[at] = number + (calls if game.playing else 0)
