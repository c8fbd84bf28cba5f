"""Compare the quick value of a pass with solved layouts, on ordinary and on built hands.

    python benchmarks/passes.py [--hands 18] [--layouts 40]

For each hand an opponent's bid stands, and the chance that it is made is forecast in two ways, with
and without what the defence can cash, valued by the network that sees all hands, and solved double
dummy, all on the same layouts.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from tribridge.advice.calls import parse_auction
from tribridge.advice.layouts import chairs, forecast_each, layouts_of, valued
from tribridge.advice.prospects import defence_values
from tribridge.cards.cards import Hand
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.forecast.kinds import DEFAULT, find_forecaster
from tribridge.game.scoring import find_scheme
from tribridge.lab.labels.built_deals import built_pairs

AUCTIONS = ("1NT", "1NT pass", "2H", "2S pass", "3NT", "3NT pass")
SEED = 5
POOL = 4000


def chances(hand: Hand, calls: str, layouts: int, seed: int) -> tuple[float, float, float, float]:
    """That the contract is made: forecast, forecast with the cut, by the network, and solved."""
    auction, forecaster = parse_auction(calls), find_forecaster()
    assert auction.last_bid is not None
    rng = np.random.default_rng(seed)
    pool = layouts_of(hand, None, auction, DEFAULT, rng, POOL)
    drawn = rng.choice(POOL, size=layouts, p=pool.weights)
    deals = chairs(replace(pool, deals=pool.deals[drawn]))
    bid = auction.last_bid
    need = 6 + bid.level
    stakes = -defence_values(find_scheme("auction"), bid, auction.factor)
    plain = forecaster.from_pair(deals[0], deals[2])[:, bid.strain.index, need:].sum(axis=1)
    quick = forecast_each(deals, auction, forecaster)[:, need:].sum(axis=1)
    network = valued(deals, auction, stakes)[need:].sum()
    hands = zip(*(chair.tolist() for chair in deals), strict=True)
    made = [tricks >= need for (tricks,) in DoubleDummy().batch(hands, [bid.strain], processes=1)]
    return float(plain.mean()), float(quick.mean()), float(network), float(np.mean(made))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Compare the quick value of a pass with the true.")
    parser.add_argument("--hands", type=int, default=18)
    parser.add_argument("--layouts", type=int, default=40)
    options = parser.parse_args()
    hands, _, alone = built_pairs(SEED, 0, 6 * options.hands)
    groups = {
        "ordinary": deal_masks(SEED, 0, options.hands)[:, 2],
        "built": hands[alone][: options.hands],
    }
    for name, masks in groups.items():
        rows = np.array(
            [
                chances(Hand(int(mask)), AUCTIONS[at % len(AUCTIONS)], options.layouts, at)
                for at, mask in enumerate(masks)
            ]
        )
        plain, quick, network = (100 * abs(rows[:, :3] - rows[:, 3:]).mean(axis=0)).tolist()
        means = ", ".join(f"{100 * mean:.1f}%" for mean in rows.mean(axis=0))
        print(f"{name} hands, made by forecast, with the cut, by the network, solved: {means};")
        print(
            f"  mean difference from solved {plain:.1f}, {quick:.1f} and {network:.1f} "
            "percentage points"
        )


if __name__ == "__main__":
    main()
