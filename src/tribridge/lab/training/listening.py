"""What a listener knows of the unseen cards, from how well hands explain the calls of two others.

A layout explains the calls of two players as well as the hand of one explains its own calls, times
the hand of the other. So a listener draws hands of the two separately, a few thousand of each from
the cards that it does not see, and every pair without a common card is a layout: 16,384 hands of
each make some 340,000 layouts. The layouts are weighted, never listed: whether hands have a card in
common is a product of matrices. Works with arrays of NumPy or of PyTorch on any device.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.common.arrays import Array, Place, bits, cast, fetch, gather, namespace, put, uniform
from tribridge.lab.training.whole_games import CARDS, FLOOR, Table
from tribridge.networks.auction import SEATS, AuctionGames

I64 = NDArray[np.int64]
F32 = NDArray[np.float32]
HAND: Final = 13
KINDS: Final = ("preferred", "chances")
"""Listeners: one knows that bidders make the call that their network prefers, the other takes the
chances of the network at their word. Both allow for a few calls at random."""
PARTS: Final = (1, 2, 4)
"""Bits are also measured with a half and a quarter of the hands, as the mean of these parts."""
_BLOCK: Final = 8192
"""Hands joined at once with all of the other player."""


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


def located(hands: Array, logs: Array) -> tuple[Array, Array]:
    """How likely each of two players has each card (2, k, 52), and effective numbers of hands (k,).

    `hands` are (2, m), `logs` (2, m, k) the logarithms of how well each explains its player's calls
    up to k points of the auction. Pairs with a common card are no layouts.
    """
    xp = namespace(hands)
    kind = xp.float16 if hands.device != "cpu" and hands.device.type == "cuda" else xp.float32
    held = cast(bits(hands, CARDS), kind)
    weights = xp.exp(logs - xp.amax(logs, 1)[:, None])
    short = cast(weights, kind)
    first, second = [], 0.0
    for at in range(0, hands.shape[1], _BLOCK):
        apart = cast(held[0, at : at + _BLOCK] @ held[1].T == 0, kind)
        first.append(cast(apart @ short[1], xp.float64))
        second = second + cast(apart.T @ short[0, at : at + _BLOCK], xp.float64)
    joint = weights * xp.stack([xp.concat(first), second])  # (2, m, k)
    total = joint.sum(1)
    size = (total**2 / (joint**2).sum(1).clip(min=1e-300)).min(0)
    size = size if isinstance(size, np.ndarray) else size.values
    share = (joint / total.clip(min=1e-300)[:, None]).swapaxes(1, 2)
    return share @ cast(held, xp.float64), size


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


def said(hands: Array, logs: Array, true: Array, mine: Array) -> Array:
    """What each of k calls says to a listener who holds `mine` (1,): bits (k, 4).

    About the first and second player's hands, the hidden one and all three; `true` are those three.
    """
    xp = namespace(hands)
    unseen = ~bits(mine, CARDS)[0]
    chances, size = located(hands, logs)
    even = xp.full_like(chances[:, :1], 1 / 3)
    before = missing(even, xp.ones_like(size[:1]), true, unseen)
    after = missing(chances, size, true, unseen)
    return xp.concat([before, after[:-1]]) - after


def network_logs(table: Table, hands: Array, calls: list[Heard], first: int) -> Array:
    """How well hands (2, m) explain the calls so far, by each kind of listener: (kinds, 2, m, k).

    The hands of the player `first` are the first ones.
    """
    xp, size = table.xp, hands.shape[1]
    seen = put(np.stack([each.seen for each in calls]).repeat(size, 0), table.device)
    own = xp.concat([hands[0 if each.caller == first else 1] for each in calls])
    wish = cast(table.wishes(xp.concat([own[:, None], seen[:, 1:]], 1)), xp.float64)
    legal = bits(put(np.array([each.legal for each in calls]), table.device), wish.shape[1])
    allowed = xp.broadcast_to(legal[:, None], (len(calls), size, wish.shape[1]))
    wish = xp.where(allowed.reshape(wish.shape), wish, -np.inf)
    made = put(np.repeat([each.call for each in calls], size), table.device)
    wish = wish - xp.amax(wish, 1)[:, None]
    wanted = gather(wish, made[:, None])[:, 0]
    chance = xp.exp(wanted) / xp.exp(wish).sum(1)
    odd = (FLOOR / legal.sum(1))[:, None]
    zero = xp.zeros_like(chance).reshape(len(calls), size)
    logs = []
    for each in (cast(wanted == 0, chance.dtype), chance):
        likely = xp.log(odd + (1 - FLOOR) * each.reshape(len(calls), size))
        by_player = [
            xp.cumsum(
                xp.stack(
                    [
                        likely[at] if (call.caller == first) == (player == 0) else zero[at]
                        for at, call in enumerate(calls)
                    ]
                ),
                0,
            ).T
            for player in range(2)
        ]
        logs.append(xp.stack(by_player))
    return xp.stack(logs)


def listen(table: Table, hands: I64, size: int, place: Place) -> tuple[I64, F32]:
    """The calls (t, n) of auctions, -1 where one is over, and the bits that each says.

    (t, n, 2, kinds, parts, 4): to the next player and to the one after, by each of `KINDS`, with
    all the hands drawn and with `PARTS` of them; about the caller's hand, the third player's, the
    hidden hand, and all three.
    """
    calls = table.calls(hands)
    own = put(np.ascontiguousarray(hands), table.device)
    result = np.zeros((*calls.shape, 2, len(KINDS), len(PARTS), 4), np.float32)
    for deal in range(len(hands)):
        made = calls[:, deal][calls[:, deal] >= 0]
        for seat in range(SEATS):
            mine = own[deal, seat : seat + 1]
            drawn = draw_hands(mine, size, place)
            first, second = (seat + 1) % SEATS, (seat + 2) % SEATS
            heard = list(heard_calls(made, seat))
            logs = network_logs(table, drawn, heard, first)
            true = own[deal][[first, second, 3]]
            told = table.xp.stack([_in_parts(drawn, each, true, mine) for each in logs])
            at = [each.at for each in heard]
            callers = np.array([each.caller for each in heard])
            listener = (seat - callers) % SEATS - 1
            # (k, kinds, parts, 4), the caller's hand first.
            order = np.where((callers == first)[:, None], [0, 1, 2, 3], [1, 0, 2, 3])
            values = fetch(told).transpose(2, 0, 1, 3)
            result[at, deal, listener] = np.take_along_axis(values, order[:, None, None, :], axis=3)
    return calls, result


def _in_parts(hands: Array, logs: Array, true: Array, mine: Array) -> Array:
    """What calls say by all hands drawn, and on average by each half and quarter: (parts, k, 4)."""
    xp, size, found = namespace(hands), hands.shape[1], []
    for parts in PARTS:
        step = size // parts
        each = [
            said(hands[:, at : at + step], logs[:, at : at + step], true, mine)
            for at in range(0, step * parts, step)
        ]
        found.append(xp.stack(each).mean(0))
    return xp.stack(found)
