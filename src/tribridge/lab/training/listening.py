"""What a listener knows of the unseen cards, from how well hands explain the calls of two others.

A layout explains the calls of two players as well as the hand of one explains its own calls, times
the hand of the other. So a listener draws hands of the two separately, a few thousand of each from
the cards that it does not see, and every pair without a common card is a layout. Of the pairs one
in 800 is; weights are added over them by products with a matrix that is sparse on a CPU and dense
on a GPU.

Few random hands explain a call that is not common. So the hands follow the auction: where too few
of them explain a call, these are drawn again, and each is changed by exchanging single cards, as
often as both listeners together find the change likely (a sequential Monte Carlo sampler; a call
that hardly any hand explains is taken in several steps). Four groups of hands follow it without
knowing of each other, so that halves and quarters of them are what fewer hands would have told.

Works with arrays of NumPy or of PyTorch on any device.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.common.arrays import Array, Place, bits, cast, fetch, namespace, put, uniform
from tribridge.common.errors import need
from tribridge.lab.training.whole_games import CARDS, FLOOR, Table
from tribridge.networks.auction import REDOUBLE, SEATS, AuctionGames

I64 = NDArray[np.int64]
F32 = NDArray[np.float32]
HAND: Final = 13
KINDS: Final = ("preferred", "chances")
"""Listeners: one knows that bidders make the call that their network prefers, the other takes the
chances of the network at their word. Both allow for a few calls at random."""
PARTS: Final = (1, 2, 4)
"""Bits are also measured with a half and a quarter of the hands, as the mean of these parts."""
GROUPS: Final = PARTS[-1]
KEPT: Final = 0.3
"""Hands are drawn again if a smaller share of them, in effect, explains a call."""
EXCHANGES: Final = 3
"""Tries to exchange a card of each hand after they are drawn again."""
_BLOCK: Final = 64
"""Hands of one player compared at once with all of the other."""


class Heard(NamedTuple):
    """A call of an auction that a listener hears."""

    at: int
    """Its number in the auction, from 0."""
    caller: int
    call: int
    seen: I64
    """(15,): what the caller observed, but for the hand."""
    legal: int
    """The calls that were legal, as a mask."""


def heard_calls(calls: I64, seat: int) -> Iterator[Heard]:
    """The calls of an auction, numbers in order, that others than a seat make."""
    games, nothing = AuctionGames(1), np.zeros((1, 4), np.int64)
    for at, call in enumerate(calls.tolist()):
        if games.caller != seat:
            seen, legal = games.observe(nothing)[0], int(games.legal()[0])
            yield Heard(at, games.caller, call, seen, legal)
        games.step(np.array([call]))


def draw_hands(mine: Array, size: int, place: Place) -> Array:
    """Random hands (2, size) of two other players, from the cards that a listener does not see."""
    xp = namespace(mine)
    keys = xp.where(bits(mine, CARDS), 2.0, uniform(place, 2 * size, CARDS))
    cards: Array = (1 << keys.argsort(1)[:, :HAND]).sum(1)
    return cards.reshape(2, size)


def layouts(hands: Array) -> Array:
    """Which hands (2, m) of two players have no card in common: (m, m), to multiply with."""
    first, second = hands
    if not isinstance(hands, np.ndarray):
        xp = namespace(hands)
        kind = xp.float16 if hands.device.type == "cuda" else xp.float32
        one, two = (cast(bits(each, CARDS), kind) for each in hands)
        return cast(one @ two.T == 0, kind)
    size, columns, ends = len(first), [], [np.zeros(1, np.int64)]
    for at in range(0, size, _BLOCK):
        apart = first[at : at + _BLOCK, None] & second == 0
        columns.append(apart.nonzero()[1])
        ends.append(apart.sum(1))
    column = np.concatenate(columns)
    values = np.ones(len(column), np.float32)
    return need("scipy.sparse").csr_array(
        (values, column, np.concatenate(ends).cumsum()), shape=(size, size)
    )


def located(apart: Array, held: Array, logs: Array) -> tuple[Array, Array]:
    """How likely each of two players has each card (2, k, 52), and effective numbers of hands (k,).

    `apart` says which hands are layouts, `held` (2, m, 52) which cards are in them, and `logs`
    (2, m, k) are the logarithms of how well each explains its player's calls up to k points of the
    auction.
    """
    xp = namespace(logs)
    weights = xp.exp(logs - xp.amax(logs, 1)[:, None])
    short = cast(weights, apart.dtype)
    others = [cast(apart @ short[1], xp.float64), cast(apart.T @ short[0], xp.float64)]
    joint = weights * xp.stack(others)  # (2, m, k)
    total = joint.sum(1)
    size = (total**2 / (joint**2).sum(1).clip(min=1e-300)).min(0)
    size = size if isinstance(size, np.ndarray) else size.values
    share = (joint / total.clip(min=1e-300)[:, None]).swapaxes(1, 2)
    return share @ held, size


def missing(chances: Array, size: Array, hands: Array, unseen: Array) -> Array:
    """Bits missing about two players' hands, the hidden one and all: (k, 4), given the true ones.

    The sum over the unseen cards of -log2 of the chance given to what is true: that this hand has
    the card or has not, and for all hands, who has it. The sample counts as its effective size and
    one layout more, in which all is even. `hands` are the true ones (3,), `unseen` a mask of cards.
    """
    xp = namespace(chances)
    rest = (1 - chances.sum(0)).clip(min=0)
    size = size[:, None]
    given = [(size * chance + 1 / 3) / (size + 1) for chance in (*chances, rest)]
    true = bits(hands, CARDS)
    parts, whole = [], 0.0
    for chance, has in zip(given, true, strict=True):
        bit = -xp.log2(xp.where(has, chance, 1 - chance))
        parts.append(xp.where(unseen, bit, 0.0).sum(1))
        whole = whole - xp.where(has & unseen, xp.log2(chance), 0.0).sum(1)
    return xp.stack([*parts, whole], 1)


def explained(table: Table, call: Heard, hands: Array) -> Array:
    """How well hands (m,) explain a call to each kind of listener: logarithms (kinds, m)."""
    xp = table.xp
    wish = cast(table.hand_wishes(call.seen, hands), xp.float64)
    legal = bits(put(np.array(call.legal), table.device), REDOUBLE + 1)
    wish = xp.where(legal, wish, -np.inf)
    wish = wish - xp.amax(wish, 1)[:, None]
    wanted = wish[:, call.call]
    chance = xp.exp(wanted) / xp.exp(wish).sum(1)
    likely = xp.stack([cast(wanted == 0, chance.dtype), chance])
    logs: Array = xp.log(FLOOR / legal.sum() + (1 - FLOOR) * likely)
    return logs


def exchanged(hands: Array, unseen: Array, place: Place) -> Array:
    """Hands (m,) with one card exchanged for another of the unseen ones, a mask."""
    xp = namespace(hands)
    keys = uniform(place, len(hands), CARDS)
    out, into = (xp.where(bits(at, CARDS), keys, -1.0).argmax(1) for at in (hands, unseen & ~hands))
    changed: Array = hands ^ (1 << out) ^ (1 << into)
    return changed


class Followed:
    """Hands of a player that follow its calls, in groups that do not know of each other."""

    def __init__(self, table: Table, hands: Array, unseen: Array, place: Place) -> None:
        self.hands = hands
        """(m,), random ones of the unseen cards, a mask, to begin with."""
        self._table, self._unseen, self._place = table, unseen, place
        self._calls: list[Heard] = []
        xp = table.xp
        shape = (0, len(KINDS), len(hands))
        self._logs = xp.zeros(shape, dtype=xp.float64, device=hands.device)
        self._known = 0
        """The hands are drawn by how well they explain so many calls."""
        self._scale = xp.zeros_like(self._logs.sum((0, 1)))
        """The logarithm of how well the hands of each group explained these."""

    @property
    def logs(self) -> Array:
        """The logarithms of the hands' weights, for each kind of listener: (m, kinds)."""
        drawn = self._both(self._logs, self._known) - self._scale
        return (self._logs.sum(0) - drawn).T

    def hear(self, call: Heard) -> None:
        """Follow a call of the player."""
        more = explained(self._table, call, self.hands)
        self._calls.append(call)
        self._logs = self._table.xp.concat([self._logs, more[None]])
        way = 0.0
        while way < 1:
            step = self._step(way)
            if way == 0 and step == 1:
                return  # enough of the hands explain it
            self._draw_again(step * self._gain(self._logs))
            way += step
            for _ in range(EXCHANGES):
                self._exchange(way)
        self._known = len(self._calls)

    def _both(self, logs: Array, calls: int) -> Array:
        """How well hands explain the first calls, mean of both kinds of listeners."""
        one, two = logs[:calls].sum(0)
        both: Array = self._table.xp.logaddexp(one, two) - np.log(2)
        return both

    def _gain(self, logs: Array) -> Array:
        """How much better hands explain all calls than those by which they were drawn."""
        return self._both(logs, len(logs)) - self._both(logs, self._known)

    def _step(self, way: float) -> float:
        """How far to go of the way to all calls, so that enough hands are left."""
        gain, least = self._gain(self._logs), KEPT * len(self.hands)

        def enough(step: float) -> bool:
            weights = self._table.xp.exp(step * (gain - gain.max()))
            return float(weights.sum() ** 2 / (weights**2).sum()) >= least

        low, high = 0.0, 1 - way
        if enough(high):
            return high
        for _ in range(12):
            middle = (low + high) / 2
            low, high = (middle, high) if enough(middle) else (low, middle)
        return max(low, 1e-3)

    def _draw_again(self, gained: Array) -> None:
        xp, size = self._table.xp, len(self.hands) // GROUPS
        even = xp.arange(size, device=self.hands.device) + float(fetch(uniform(self._place, 1))[0])
        chosen = []
        for at in range(0, len(self.hands), size):
            group = gained[at : at + size]
            most = group.max()
            sums = xp.cumsum(xp.exp(group - most), 0)
            self._scale[at : at + size] += most + xp.log(sums[-1] / size)
            chosen.append(at + xp.searchsorted(sums, even / size * sums[-1]).clip(max=size - 1))
        rows = xp.concat(chosen)
        self.hands, self._logs = self.hands[rows], self._logs[:, :, rows]

    def _exchange(self, way: float) -> None:
        """Exchange a card of each hand where that explains the calls better, or by chance.

        Calls that a hand was not yet asked about count as explained: whatever is refused so is not
        asked about the others.
        """
        xp = self._table.xp
        hands = exchanged(self.hands, self._unseen, self._place)

        def worth(logs: Array) -> Array:
            return self._both(logs, self._known) + way * self._gain(logs)

        least = xp.log(uniform(self._place, len(hands))) + worth(self._logs)
        logs, rows = xp.zeros_like(self._logs), xp.arange(len(hands), device=hands.device)
        for at in reversed(range(len(self._calls))):
            if len(rows):
                of_call = logs[at]
                of_call[:, rows] = explained(self._table, self._calls[at], hands[rows])
                rows = rows[(least < worth(logs))[rows]]
        self.hands[rows], self._logs[:, :, rows] = hands[rows], logs[:, :, rows]


def listen(table: Table, hands: I64, size: int, place: Place) -> tuple[I64, F32]:
    """The calls (t, n) of auctions, -1 where one is over, and the bits that each says.

    To one of the three players, in turn by the number of the deal: (t, n, kinds, parts, 4), by each
    of `KINDS`, with all the hands drawn and with `PARTS` of them; about the caller's hand, the
    third player's, the hidden hand, and all three. Its own calls say nothing to a player.
    """
    calls = table.calls(hands)
    own = put(np.ascontiguousarray(hands), table.device)
    result = np.zeros((*calls.shape, len(KINDS), len(PARTS), 4), np.float32)
    size -= size % GROUPS
    for deal in range(len(hands)):
        made, seat = calls[:, deal][calls[:, deal] >= 0], deal % SEATS
        after, last = (seat + 1) % SEATS, (seat + 2) % SEATS
        told = heard(table, own[deal, [seat, after, last, 3]], made, seat, size, place)
        for call, values in told:
            about = [0, 1, 2, 3] if call.caller == after else [1, 0, 2, 3]
            result[call.at, deal] = fetch(values)[..., about]
    return calls, result


def heard(
    table: Table, hands: Array, calls: I64, seat: int, size: int, place: Place
) -> Iterator[tuple[Heard, Array]]:
    """What each call of the others says to a seat: bits (kinds, parts, 4).

    `hands` are the seat's own, the next player's, the one's after, and the hidden hand; bits are
    about the last three of these, and all.
    """
    mine, true = hands[:1], hands[1:]
    unseen = ((1 << CARDS) - 1) & ~mine
    players = [Followed(table, each, unseen, place) for each in draw_hands(mine, size, place)]
    before = left(players, true, ~bits(mine, CARDS)[0], nothing=True)
    for call in heard_calls(calls, seat):
        players[(call.caller - seat) % SEATS - 1].hear(call)
        after = left(players, true, ~bits(mine, CARDS)[0])
        yield call, before - after
        before = after


def left(players: list[Followed], true: Array, unseen: Array, *, nothing: bool = False) -> Array:
    """Bits missing to each kind of listener, by `PARTS` of the hands: (kinds, parts, 4).

    Without having heard anything, all is even.
    """
    xp = namespace(unseen)
    if nothing:
        size = xp.ones(len(KINDS), dtype=xp.float64, device=unseen.device)
        even = xp.full_like(size[:, None] * unseen, 1 / 3)
        return xp.stack([missing(xp.stack([even, even]), size, true, unseen)] * len(PARTS), 1)
    hands = xp.stack([each.hands for each in players])
    logs = xp.stack([each.logs for each in players])
    apart, held, size = layouts(hands), cast(bits(hands, CARDS), xp.float64), hands.shape[1]
    parts = []
    for count in PARTS:
        slices = [slice(at, at + size // count) for at in range(0, size, size // count)]
        each = [located(apart[at, at], held[:, at], logs[:, at]) for at in slices]
        parts.append(xp.stack([missing(*where, true, unseen) for where in each]).mean(0))
    return xp.stack(parts, 1)
