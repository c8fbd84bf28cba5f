"""What doubles promise and what they gain: the fast method of advice against double dummy.

    python benchmarks/doubles.py [CALLER] [--start 0] [--deals 250]

A caller bids training deals without doubles. For each defender of the final contract, the gain of a
double is forecast as advice does it for strategies, and compared with its gain double dummy, for
doubles that promise more than some margins.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from tribridge.advice.layouts import forecast_standing, layouts_of
from tribridge.advice.prospects import defence_values
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game import new_table, view
from tribridge.game.auction import parse_call
from tribridge.game.scoring import find_scheme
from tribridge.lab.labels.labels import load_labels
from tribridge.strategies import decision_rng, find_caller

LABELS = Path(__file__).parents[1] / "data" / "labels-7.parquet"
MARGINS = (0, 10, 20, 40)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="What doubles promise and what they gain.")
    parser.add_argument("caller", nargs="?", default="learned")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--deals", type=int, default=250)
    given = parser.parse_args()
    labels, caller, scheme = load_labels(LABELS), find_caller(given.caller), find_scheme("auction")
    promised, gained, makes, made = [], [], [], []
    for number in range(given.start, given.start + given.deals):
        dealt = deal(labels.work.seed, number)
        table = new_table(dealt, Seat(number % 3))
        heard = []
        while table.turn is not None and not table.auction.over:
            heard.append((table.turn, table.auction))
            rng = decision_rng(11, number, table.turn, len(table.auction.calls))
            table = table.call(parse_call(caller.call(view(table, table.turn), rng).action))
        contract = table.contract
        if contract is None:
            continue
        tricks = int(labels.of(contract.bid.strain)[number, contract.declarer])
        plain, doubled = (defence_values(scheme, contract.bid, factor) for factor in (1, 2))
        for seat, before in heard[-2:]:
            auction = replace(before, doubles=True)
            rng = np.random.default_rng(number)
            layouts = layouts_of(dealt.hands[seat], None, auction, "net", rng, 200)
            chances = forecast_standing(layouts, auction, "net")
            chances = chances / chances.sum()
            promised.append(chances @ (doubled - plain))
            gained.append((doubled - plain)[tricks])
            makes.append(chances[contract.tricks_needed() :].sum())
            made.append(tricks >= contract.tricks_needed())
    said, real = np.array(promised), np.array(gained)
    last = given.start + given.deals - 1
    print(
        f"{given.caller}, deals {given.start} to {last}: {len(said)} defenders; contracts make "
        f"{np.mean(made):.1%}, forecast {np.mean(makes):.1%}"
    )
    for margin in MARGINS:
        chosen = said > margin
        count = int(chosen.sum())
        if count < 2:
            print(f"promising more than {margin}: {count} doubles")
            continue
        error = real[chosen].std(ddof=1) / np.sqrt(count)
        print(
            f"promising more than {margin}: {count} doubles, promised {said[chosen].mean():+.1f}, "
            f"gained {real[chosen].mean():+.1f} (standard error {error:.1f})"
        )


if __name__ == "__main__":
    main()
