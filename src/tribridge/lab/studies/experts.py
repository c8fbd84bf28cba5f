"""Beside people: what players choose in the positions of experts, and what it costs double dummy.

A card costs the tricks by which its double-dummy value is behind that of the best card, for the
side that plays it. All players are asked in the experts' own positions, so that nobody's errors
change what comes after. The experts heard an auction of four; the players know the contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import STRAINS, Card, Strain
from tribridge.common.stats import Interval, mean_interval
from tribridge.common.tables import PERCENT, TRICKS
from tribridge.double_dummy import dds
from tribridge.game.tricks import Chair, winner
from tribridge.game.views import view
from tribridge.networks.boards import Boards, table_of
from tribridge.strategies import decision_rng, find_player
from tribridge.strategies.protocol import Player

CARDS: Final = 48
"""Cards of a board up to the last trick, in which nobody has a choice."""
_TRICKS: Final = replace(TRICKS, digits=2)
_SHARE: Final = replace(PERCENT, digits=2)


@dataclass(frozen=True, slots=True)
class BesideRow:
    """Beside the experts: {boards} boards, on which they lose {experts:.3f} tricks each.

    Tricks lost double dummy more than the experts, per board, card by card in their positions, and
    the share of their cards that a player chooses too.
    """

    player: str
    more: Annotated[Interval, "more lost", _TRICKS]
    declaring: Annotated[float, _TRICKS]
    defending: Annotated[float, _TRICKS]
    leading: Annotated[float, "lead", _TRICKS]
    same: Annotated[float, "same card, %", _SHARE]
    same_declaring: Annotated[float, "declarer, %", _SHARE]
    same_defending: Annotated[float, "defence, %", _SHARE]
    same_lead: Annotated[float, "lead, %", _SHARE]


@dataclass(frozen=True, slots=True)
class Beside:
    """Players beside experts."""

    boards: int
    experts: float
    """Tricks that the experts lose per board."""
    rows: Annotated[tuple[BesideRow, ...], "beside"]


def positions(
    hands: Sequence[int], cards: Sequence[int], strain: Strain
) -> Iterator[tuple[int, tuple[int, ...], Chair, tuple[Card, ...]]]:
    """For each card played: its number, the hands left, who led to the trick, and the trick."""
    left, leader, trick = [int(hand) for hand in hands], Chair.LEFT, list[Card]()
    for number, index in enumerate(cards[:CARDS]):
        if index < 0:
            return
        yield number, tuple(left), leader, tuple(trick)
        card = Card(int(index))
        left[(leader + len(trick)) % 4] -= card.bit
        trick.append(card)
        if len(trick) == 4:
            leader, trick = winner(leader, trick, strain.trump), []


def lost(hands: Sequence[int], cards: Sequence[int], strain: Strain) -> NDArray[np.int8]:
    """What each legal card costs at each card of a board (48, 52); -1: no choice, or not legal."""
    result = np.full((CARDS, 52), -1, np.int8)
    for number, left, leader, trick in positions(hands, cards, strain):
        values = dds.cards(left, strain, leader, trick)
        if len(values) == 1:
            continue
        sign = 1 if (leader + len(trick)) % 2 == 0 else -1
        best = max(sign * value for value in values.values())
        for card, value in values.items():
            result[number, card.index] = best - sign * value
    return result


def beside(
    boards: Boards,
    names: Sequence[str],
    seed: int = 1,
    step: Callable[[int], None] = lambda _: None,
) -> Beside:
    """Ask players in the positions of experts; `step` gets the number of boards done."""
    players = [cast("Player", find_player(name)) for name in names]
    count = len(boards)
    costs = np.zeros((len(names) + 1, 3, count))
    """Of the experts and each player, by side and board: declaring, defending, leading."""
    same = np.zeros((len(names), 3))
    total = np.zeros(3)
    for at in range(count):
        hands, cards, contract = (column[at].tolist() for column in boards.columns())
        price = lost(hands, cards, STRAINS[contract[1]])
        table = table_of(hands, contract)
        for number in range(CARDS):
            if cards[number] < 0:
                break
            theirs = Card(cards[number])
            turn = table.turn
            assert turn is not None and table.position is not None  # noqa: PT018
            if price[number].max() >= 0:
                side = 2 if number == 0 else 0 if table.position.declaring else 1
                total[side] += 1
                costs[0, side, at] += price[number, theirs.index]
                for which, player in enumerate(players):
                    rng = decision_rng(seed, at, turn, number)
                    card = player.card(view(table, turn), rng).action
                    assert isinstance(card, Card)
                    same[which, side] += card == theirs
                    costs[which + 1, side, at] += price[number, card.index]
            table = table.apply_unchecked(theirs)
        step(at + 1)
    rows = []
    for which, name in enumerate(names):
        more = costs[which + 1] - costs[0]
        agreed = 100 * same[which] / np.maximum(total, 1)
        everywhere = 100 * same[which].sum() / max(total.sum(), 1)
        sides: Any = map(float, (*more.mean(1), everywhere, *agreed))
        rows.append(BesideRow(name, mean_interval(more.sum(0)), *sides))
    return Beside(count, float(costs[0].sum(0).mean()), tuple(rows))
