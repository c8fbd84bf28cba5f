"""What declarer gains by valuing layouts before choosing a card (`learned.search.clearly_best`).

    python -m benchmarks.valued [--deals 150] [--seed 778]

The caller `learned` bids each deal, its player declares, and the oracle defends. At every choice
that matters double dummy, the player's card is compared with the one that the values of 200 layouts
put in its place. Against the oracle, the tricks that declarer ends up behind are the sum of what
the choices lose double dummy, so each choice can be judged by itself.
"""

from __future__ import annotations

import argparse

import numpy as np

from tribridge.cards.cards import Card
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game import Table, find_scheme, new_table, view
from tribridge.networks.play import observe, steps_of
from tribridge.strategies.learned.caller import LearnedCaller
from tribridge.strategies.learned.player import LearnedPlayer, heads
from tribridge.strategies.learned.search import VALUED, clearly_best
from tribridge.strategies.players.search.evaluation import Clock, solver_of
from tribridge.strategies.players.simple import OraclePlayer


def bid(seed: int, number: int) -> Table:
    """A deal after its auction."""
    table = new_table(deal(seed, number), Seat(number % 3), scheme=find_scheme("auction"))
    rng = np.random.default_rng((seed, number))
    while table.contract is None and not table.over:
        table = table.apply(LearnedCaller().call(view(table, table.turn), rng).action)
    return table


def gains(table: Table, rng: np.random.Generator) -> tuple[list[int], int]:
    """The tricks gained by each card that the values put in place, and those lost without them."""
    gained, lost = [], 0
    while not table.over:
        position = table.position
        assert position is not None
        if not position.declaring:
            table = table.apply(OraclePlayer().open_card(table, rng).action)
            continue
        seen = view(table, table.turn)
        card = LearnedPlayer().card(seen, rng).action
        assert isinstance(card, Card)
        tricks = solver_of(table.deal.deck).cards(position)
        if len(set(tricks.values())) > 1:
            belief = heads(observe(seen), steps_of(seen))[1]
            better = clearly_best(seen, belief, card, VALUED, Clock(None), rng)
            lost += max(tricks.values()) - tricks[card]
            if better != card:
                gained.append(tricks[better] - tricks[card])
        table = table.apply(card)
    return gained, lost


def main() -> None:
    """Print the gain."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=150)
    parser.add_argument("--seed", type=int, default=778)
    options = parser.parse_args()
    played, lost, gained = 0, 0, list[int]()
    for number in range(options.deals):
        table = bid(options.seed, number)
        if table.contract is None:
            continue
        here, behind = gains(table, np.random.default_rng((options.seed, number, 1)))
        played, lost, gained = played + 1, lost + behind, gained + here
    each = np.array(gained, dtype=float)
    print(f"{played} deals, {lost / played:.3f} tricks lost per deal without the values")
    print(f"{len(each)} choices changed, {each.sum() / played:.3f} tricks gained per deal")
    error = each.std(ddof=1) / len(each) ** 0.5
    print(f"tricks gained with each: {each.mean():.2f} ± {1.96 * error:.2f}")


if __name__ == "__main__":
    main()
