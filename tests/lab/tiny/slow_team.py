"""A slow, independent reckoning of tiny games: every table played out, a team by integer programme.

Nothing here knows how `arena.tiny.team` lays a game out: it walks real tables, and the team's
best answer is a mixed-integer programme over which card each defender plays in each of their views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from tribridge.cards.cards import Card, Deck, Hand, Strain, cards_of
from tribridge.cards.deals import Deal, Seat
from tribridge.game.auction import PASS, Bid
from tribridge.game.table import Table, new_table
from tribridge.game.views import view

Key = tuple[Any, ...]
Policy = Callable[[Key, Card], float]


def tables(deck: Deck, strain: Strain, dummy: int) -> Iterator[Table]:
    """All deals with a dummy, North to declare, before the lead."""
    rest = Hand(deck.mask & ~dummy)
    for north in combinations(rest, 2):
        others = [card for card in rest if card not in north]
        for east in combinations(others, 2):
            south = [card for card in others if card not in east]
            hands = [Hand(cards) for cards in (north, east, south, cards_of(dummy))]
            table = new_table(Deal.of(hands, deck), Seat.NORTH)
            for call in (Bid(1, strain), PASS, PASS):
                table = table.apply(call)
            yield table


def key(table: Table) -> Key:
    """What the player to act knows: seat, own cards, all cards played."""
    assert table.turn is not None
    seen = view(table, table.turn)
    cards = tuple(card for trick in seen.tricks for card in trick.cards) + seen.trick
    return table.turn, seen.dealt.mask, cards


def ends(table: Table, path: tuple[tuple[Key, Card], ...] = ()) -> Iterator[Any]:
    """All ways to play a table out: the choices made, and the declarer's tricks."""
    if table.over:
        assert table.position is not None
        yield path, table.position.won
        return
    legal = table.legal
    here = key(table)
    for card in legal:
        assert isinstance(card, Card)
        step = ((here, card),) if len(legal) > 1 else ()
        yield from ends(table.apply(card), path + step)


def team_least(starts: list[Table], declarer: Policy) -> float:
    """The least that a declarer of fixed chances takes from two defenders who agree beforehand."""
    binary: dict[tuple[Key, Card], int] = {}
    options: dict[Key, set[Card]] = {}
    found = []
    for table in starts:
        for path, tricks in ends(table):
            chance = 1.0 / len(starts)
            team = []
            for where, card in path:
                if where[0] is Seat.NORTH:
                    chance *= declarer(where, card)
                else:
                    team.append((where, card))
                    binary.setdefault((where, card), len(binary))
                    options.setdefault(where, set()).add(card)
            found.append((chance * tricks, [binary[step] for step in team]))
    # One binary for each choice; one number for each end, at least the sum of its choices less
    # all but one. Ends that are worth nothing are left out.
    paying = [one for one in found if one[0] > 0]
    size = len(binary)
    rows, lows, highs = [], [], []
    for where, cards in options.items():
        row = np.zeros(size + len(paying))
        row[[binary[where, card] for card in cards]] = 1
        rows.append(row)
        lows.append(1.0)
        highs.append(1.0)
    for at, (_, places) in enumerate(paying):
        row = np.zeros(size + len(paying))
        row[size + at] = 1
        row[places] = -1
        rows.append(row)
        lows.append(1.0 - len(places))
        highs.append(np.inf)
    result = milp(
        np.r_[np.zeros(size), [worth for worth, _ in paying]],
        integrality=np.r_[np.ones(size), np.zeros(len(paying))],
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(np.array(rows), lows, highs),
    )
    assert result.success
    return float(result.fun)


def declarer_most(starts: list[Table], team: list[tuple[float, Policy]]) -> float:
    """The most that a declarer takes from a team that draws one joint plan before the deal."""
    worth: dict[tuple[tuple[Key, Card], ...], float] = {}
    for table in starts:
        for path, tricks in ends(table):
            own = tuple(step for step in path if step[0][0] is Seat.NORTH)
            chance = 0.0
            for share, plan in team:
                product = share
                for where, card in path:
                    if where[0] is not Seat.NORTH:
                        product *= plan(where, card)
                chance += product
            worth[own] = worth.get(own, 0.0) + tricks * chance / len(starts)
    while any(worth):
        longest = max(len(own) for own in worth)
        best: dict[tuple[Any, ...], float] = {}
        for own in [one for one in worth if len(one) == longest]:
            place = own[:-1], own[-1][0]
            best[place] = max(best.get(place, 0.0), worth.pop(own))
        for (before, _), value in best.items():
            worth[before] = worth.get(before, 0.0) + value
    return worth[()]
