"""What hints suggest in place of what `learned` would do, and whether that brings more.

    python -m benchmarks.suggested [--deals 60] [--seed 9815]

`learned` plays deals in all seats as in `own_choices`. Where a hint suggests another call, both are
settled on the actual deal: the network bids on after each, and the contract is played double dummy.
Where it suggests another card, both are compared double dummy. *Claimed* is what the numbers beside
the hint say, which chose the suggestion; so it is too high. Choices of one deal hang together,
which the standard errors leave out.

A deal takes about ten seconds; Ctrl-C ends the run and prints what there is so far.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from contextlib import suppress

import numpy as np

from benchmarks.own_choices import game
from tribridge.cards.cards import Card
from tribridge.game import Table, find_scheme, view
from tribridge.game.table import Action
from tribridge.reviews import Plan, judge
from tribridge.reviews.calls import double_dummy
from tribridge.strategies.choices import options
from tribridge.strategies.learned.auctions import actual_ends, game_of


def brought(table: Table, own: Action, other: Action) -> float:
    """How much more a choice brings than another on the actual deal: points, of cards tricks."""
    if isinstance(own, Card) or isinstance(other, Card):
        costs = [judge(table, each, Plan()).cost or 0.0 for each in (own, other)]
        return costs[0] - costs[1]
    scheme = table.scheme or find_scheme("auction")  # in a rubber its standing counts
    ends = actual_ends(table, [own, other], game_of(table, scheme), double_dummy)
    return ends[1].points - ends[0].points


def main() -> None:
    """Print how often a hint suggests something else, what it claims, and what it brings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=60)
    parser.add_argument("--seed", type=int, default=9815)
    given = parser.parse_args()
    choices: defaultdict[str, int] = defaultdict(int)
    claimed: defaultdict[str, list[float]] = defaultdict(list)
    gained: defaultdict[str, list[float]] = defaultdict(list)
    with suppress(KeyboardInterrupt):  # the deals so far count
        for number in range(given.deals):
            record = game(given.seed, number)
            for table, action in zip(record.states(), record.actions, strict=False):
                if len(table.legal) < 2:
                    continue
                kind = "calls" if table.position is None else "cards"
                named = options(view(table, table.turn))
                choices[kind] += 1
                if action in (named[0].action, *named[0].same):
                    continue
                worth = {each: one.value for one in named for each in (one.action, *one.same)}
                first, own = worth[named[0].action], worth.get(action)
                if first is not None and own is not None:
                    claimed[kind].append(first - own)
                gained[kind].append(brought(table, action, named[0].action))
                where = (
                    f"deal {number}, {len(table.auction.calls)} calls, {len(table.tricks)} tricks"
                )
                print(
                    f"{where}: {named[0].action} for {action}, {gained[kind][-1]:+.0f}", flush=True
                )
    for kind, unit in (("calls", "points"), ("cards", "tricks")):
        if not gained[kind]:
            continue
        values = np.array(gained[kind])
        error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.inf
        print(
            f"{kind}: another one suggested in {len(values)} of {choices[kind]}; claimed "
            f"{sum(claimed[kind]) / max(1, len(claimed[kind])):+.1f} points, on the actual deal "
            f"{values.mean():+.2f} {unit} (standard error {error:.2f})"
        )


if __name__ == "__main__":
    main()
