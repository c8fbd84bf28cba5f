"""How far strategies fall short of the exact value on tiny decks.

A strategy is asked for its choice in every position of the game, several times if it randomises, so
its behaviour is known completely. A declarer is worth what it takes from the team that responds
best, a defence what it concedes to the declarer that responds best; the distance to the value is
what a perfect opponent gains. A strategy that randomises is represented by its observed
frequencies, which a perfect opponent can exploit a little, so its distance is slightly
overestimated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.arena.exact import Chances, Spot, TinyGame, Value, dummies
from tribridge.cards import Card, Deck, Hand, Strain
from tribridge.deals import Deal, Seat
from tribridge.errors import SettingError
from tribridge.game.auction import PASS
from tribridge.game.table import Action, Table, new_table
from tribridge.game.tricks import Chair
from tribridge.strategies import Strategy, decision_rng, find_player, guarded_act
from tribridge.strategies.callers.simple import PassCaller

DRAWS: Final = 20


@dataclass(frozen=True, slots=True)
class Exploited:
    """A strategy against a perfect opponent, in tricks per deal."""

    name: str
    declarer: float
    """Tricks it takes as declarer against the best response of the team."""
    defence: float
    """Tricks it concedes as both defenders to the best response of the declarer."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The value of a tiny game, and strategies compared with it."""

    deck: Deck
    strain: Strain
    value: Value
    strategies: tuple[Exploited, ...]


def measure(
    deck: Deck, strain: Strain, names: tuple[str, ...], *, seed: int = 1, draws: int = DRAWS
) -> Exact:
    """Solve the play of a deck of eight cards and measure strategies against it."""
    players = [Strategy(name, PassCaller(), find_player(name)) for name in names]
    for player in players:
        if not player.fair:
            raise SettingError(f"{player.name} sees all hands and cannot be measured")
    kinds = dummies(deck, strain)
    whole = sum(count for _, count in kinds)
    values = np.zeros(4)
    takes = np.zeros((len(names), 2))
    for dummy, count in kinds:
        game = TinyGame(deck, strain, dummy)
        solved, _, _ = game.solve()
        share = count / whole
        values += share * np.array(
            [solved.tricks, solved.secured, solved.held, solved.double_dummy]
        )
        tables = {spot: spot_table(game, spot) for spot in game.examples}
        for at, player in enumerate(players):
            chances = {
                spot: _chances(table, spot, player, seed, draws) for spot, table in tables.items()
            }
            takes[at, 0] += share * game.team_answer(_plan(game, chances))[0][0]
            reach = game.mixed_reach(
                {spot: chances[spot] for spot in game.leads},
                {spot: chances[spot] for spot in game.thirds},
            )
            takes[at, 1] += share * game.declarer_answer(reach)
    return Exact(
        deck,
        strain,
        Value(*map(float, values)),
        tuple(
            Exploited(name, float(declarer), float(defence))
            for name, (declarer, defence) in zip(names, takes, strict=True)
        ),
    )


def _plan(game: TinyGame, chances: Mapping[Spot, Chances]) -> NDArray[np.float64]:
    """The realisation plan of a declarer who plays this way."""
    plan = np.ones(len(game.parents))
    for (spot, card), number in game.sequences.items():
        plan[number] = plan[game.parents[number]] * chances[spot].get(card, 0.0)
    return plan


def _chances(table: Table, spot: Spot, player: Strategy, seed: int, draws: int) -> Chances:
    """How often a player chooses each card in a position, given as a table too."""
    seat, actions = table.turn, 3 + len(spot[2])
    assert seat is not None
    counts = Counter(
        guarded_act(player, table, decision_rng(seed, draw, seat, actions)).action
        for draw in range(draws)
    )
    return {card: count / draws for card, count in counts.items() if isinstance(card, Card)}


def spot_table(game: TinyGame, spot: Spot) -> Table:
    """A table in a given position; North declares."""
    hands = game.deals[game.examples[spot]]
    chairs = (Chair.DECLARER, Chair.LEFT, Chair.RIGHT, Chair.DUMMY)
    deal = Deal.of([Hand(hands[chair]) for chair in chairs], game.deck)
    table = new_table(deal, Seat.NORTH)
    actions: tuple[Action, ...] = (game.contract.bid, PASS, PASS, *spot[2])
    for action in actions:
        table = table.apply(action)
    return table
