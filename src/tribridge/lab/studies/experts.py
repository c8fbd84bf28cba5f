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
from numpy.random import Generator
from numpy.typing import NDArray

from tribridge.cards.cards import STRAINS, Card, Strain
from tribridge.common.stats import Interval, mean_interval
from tribridge.common.tables import PERCENT, TRICKS
from tribridge.double_dummy import dds
from tribridge.game.tricks import Chair, winner
from tribridge.game.views import View, view
from tribridge.networks.boards import Boards, table_of
from tribridge.strategies import decision_rng, find_player
from tribridge.strategies.protocol import Player, StrategyError

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


def asked(
    hands: Sequence[int],
    cards: Sequence[int],
    contract: Sequence[int],
    choose: Callable[[View, Generator], Card],
    seed: int,
    board: int,
) -> NDArray[np.int8]:
    """The cards that a player chooses on a board, wherever there is a choice (48,); else -1."""
    chosen = np.full(CARDS, -1, np.int8)
    table = table_of(hands, contract)
    for number, index in enumerate(cards[:CARDS]):
        if index < 0:
            break
        turn = table.turn
        assert turn is not None
        seen = view(table, turn)
        if len(seen.legal) > 1:
            card = choose(seen, decision_rng(seed, board, turn, number))
            if card not in seen.legal:
                allowed = " ".join(map(str, seen.legal))
                raise StrategyError(f"the player chose {card}, not one of {allowed}")
            chosen[number] = card.index
        table = table.apply_unchecked(Card(int(index)))
    return chosen


def chooser(name: str) -> Callable[[View, Generator], Card]:
    """A player by name, as `asked` asks it."""
    player = cast("Player", find_player(name))

    def choose(seen: View, rng: Generator) -> Card:
        card = player.card(seen, rng).action
        assert isinstance(card, Card)
        return card

    return choose


def sides(cards: NDArray[Any], strains: NDArray[Any]) -> NDArray[np.int8]:
    """Who played each card of boards: 0 declarer's side, 1 the defence, 2 the lead; -1 nobody.

    Cards are (n, 52); the result is (n, 48).
    """
    result = np.full((len(cards), CARDS), -1, np.int8)
    for row, (played, strain) in enumerate(zip(cards.tolist(), strains.tolist(), strict=True)):
        for number, _, leader, trick in positions((0, 0, 0, 0), played, STRAINS[strain]):
            result[row, number] = (leader + len(trick)) % 2
    result[:, 0] = 2
    return result


def at_card(costs: NDArray[Any], cards: NDArray[Any]) -> NDArray[np.int8]:
    """Of what every card costs (n, 48, 52), what these cost (n, 48); 0 where there is none."""
    prices = np.take_along_axis(costs, np.maximum(cards[:, :CARDS, None], 0).astype(np.intp), 2)
    free = (costs.max(2) >= 0) & (cards[:, :CARDS] >= 0)
    return np.where(free, prices[..., 0], 0).astype(np.int8)


def beside(
    boards: Boards,
    names: Sequence[str],
    seed: int = 1,
    step: Callable[[int], None] = lambda _: None,
) -> Beside:
    """Ask players in the positions of experts; `step` gets the number of boards done."""
    players = [chooser(name) for name in names]
    prices, chosen = [], []
    for at in range(len(boards)):
        hands, cards, contract = (column[at].tolist() for column in boards.columns())
        prices.append(lost(hands, cards, STRAINS[contract[1]]))
        chosen.append([asked(hands, cards, contract, player, seed, at) for player in players])
        step(at + 1)
    costs, answers = np.stack(prices), np.stack(chosen, 1)
    by_side = sides(boards.cards, boards.contract[:, 1])
    theirs = at_card(costs, boards.cards)
    rows = []
    for name, given in zip(names, answers, strict=True):
        more = at_card(costs, given) - theirs
        parts = by_sides(more, given, boards.cards, by_side)
        rows.append(BesideRow(name, mean_interval(more.sum(1)), *parts))
    return Beside(len(boards), float(theirs.sum(1).mean()), tuple(rows))


def by_sides(
    more: NDArray[Any], chosen: NDArray[Any], cards: NDArray[Any], by_side: NDArray[Any]
) -> list[float]:
    """What a player loses more than experts, and the percentage of their cards that it plays.

    Lost a board declaring, defending and leading; the same card everywhere and in these three.
    """
    asked_for, same = chosen >= 0, chosen == cards[:, :CARDS]
    lost_more = [float(np.where(by_side == side, more, 0).sum(1).mean()) for side in range(3)]
    groups = [asked_for, *(asked_for & (by_side == side) for side in range(3))]
    return lost_more + [100 * float(same[group].mean()) if group.any() else 0.0 for group in groups]
