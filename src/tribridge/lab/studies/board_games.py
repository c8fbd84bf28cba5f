"""Boards of experts in lockstep: what networks prefer there, expect, and make of them.

The games are those of `networks.boards.table_of`, seen as the players of the package see them, and
a network is asked for hundreds of them at once. `studies.experts.asked` asks one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.common.arrays import bits
from tribridge.game.views import view
from tribridge.lab.studies.experts import CARDS
from tribridge.networks import people
from tribridge.networks.auction import Contracts
from tribridge.networks.boards import Boards, table_of
from tribridge.networks.network import F32
from tribridge.networks.play import PlayGames, by_card, expand, observe, only_card, steps_of
from tribridge.strategies import human, learned

I64 = NDArray[np.int64]
I8 = NDArray[np.int8]
F64 = NDArray[np.float64]
Heads = Callable[[PlayGames], Any]
"""For every card preference, belief and value: (3, n, 52)."""
AT_ONCE: Final = 500
LEARNED: Final = "learned"


def _learned(games: PlayGames) -> Any:
    return by_card(learned.network(learned.POINTS)(*expand(*games.observe(), np.float32)))


def _first(games: PlayGames) -> Any:
    masks, numbers = games.observe()
    seen = expand(masks, numbers[:, :15], np.float32)
    return by_card(learned.network(learned.TRICKS)(*seen))


def _human(games: PlayGames) -> Any:
    masks, numbers = games.observe()
    return by_card(human.network()(*expand(masks, people.shown(numbers), np.float32)))


NETWORKS: Final[dict[str, Heads]] = {LEARNED: _learned, "learned@1": _first, "human": _human}
"""The players whose choice is their network's favourite."""


def games_of(boards: Boards) -> PlayGames:
    """Boards before the lead."""
    numbers, steps = [], []
    for hands, contract in zip(boards.hands.tolist(), boards.contract.tolist(), strict=True):
        table = table_of(hands, contract)
        assert table.turn is not None
        seen = view(table, table.turn)
        numbers.append(observe(seen).numbers)
        steps.append(steps_of(seen))
    given = np.array(numbers, np.int64)
    level, strain, doubled = given[:, 4:7].T
    hands = boards.hands.astype(np.int64)
    contracts = Contracts(hands, level, strain, doubled, given[:, 9:12], given[:, 12:15])
    return PlayGames(contracts, steps=np.array(steps, np.int64))


def _favourites(answers: F32, legal: I64) -> I64:
    best: I64 = np.where(bits(legal, 52), answers[0], -np.inf).argmax(1)
    return best


def preferred(
    boards: Boards, name: str = LEARNED, step: Callable[[int], None] = lambda _: None
) -> tuple[I8, F32]:
    """A network's favourites and what it expects of the experts' cards, wherever they chose.

    Both (n, 48): cards, -1 where there was no choice; and declarer's tricks in the end, NaN there.
    """
    heads = NETWORKS[name]
    cards = np.full((len(boards), CARDS), -1, np.int8)
    tricks = np.full((len(boards), CARDS), np.nan, np.float32)
    for start in range(0, len(boards), AT_ONCE):
        part = boards.take(slice(start, start + AT_ONCE))
        games = games_of(part)
        for number in range(CARDS):
            theirs = part.cards[:, number].astype(np.int64)
            legal = games.legal()
            free = np.flatnonzero((theirs >= 0) & (legal & legal - 1 != 0))
            if len(free):
                answers = heads(games.take(free))
                cards[start + free, number] = _favourites(answers, legal[free])
                value = answers[2][np.arange(len(free)), theirs[free]]
                tricks[start + free, number] = games.won[free] + value
            games.step(np.where(theirs >= 0, theirs, only_card(legal & -legal)))
        step(start + len(part))
    return cards, tricks


def played_out(
    boards: Boards,
    rows: I64,
    numbers: I64,
    cards: I64,
    name: str = LEARNED,
    step: Callable[[int], None] = lambda _: None,
) -> I8:
    """Declarer's tricks if a network plays on in all chairs after other cards than the experts'.

    For each of `rows`, numbers of boards: the experts' cards up to one of `numbers`, one of `cards`
    in its place, then the network's favourites.
    """
    heads = NETWORKS[name]
    result = np.zeros(len(rows), np.int8)
    for start in range(0, len(rows), AT_ONCE):
        which = slice(start, start + AT_ONCE)
        part, at, instead = boards.take(rows[which]), numbers[which], cards[which]
        games = games_of(part)
        for number in range(CARDS):
            legal = games.legal()
            card = np.where(number < at, part.cards[:, number].astype(np.int64), instead)
            late = np.flatnonzero(number > at)
            card[late] = only_card(legal[late] & -legal[late])
            free = late[legal[late] & legal[late] - 1 != 0]
            if len(free):
                card[free] = _favourites(heads(games.take(free)), legal[free])
            games.step(card)
        games.finish()
        result[which] = games.won
        step(start + len(part))
    return result
