"""How much the calls of other bidders surprise the bidding network, by how much it allows for.

    python -m benchmarks.surprise [--deals 120] [--seed 9917]

Each strategy bids in all three seats. A listener who takes a share of the calls for random ones,
and the others for the network's (`strategies.learned.listening`), is surprised by the log of the
chance that it gave a call: the closer to 0, the better. The share that hints and reviews allow for
was chosen by these numbers.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game import find_scheme, new_table, view
from tribridge.game.scoring import Scheme
from tribridge.strategies import Strategy, find_strategy
from tribridge.strategies.learned.auctions import game_of
from tribridge.strategies.learned.listening import chances_of
from tribridge.strategies.learned.wishes import games_at, number_of, place_of
from tribridge.strategies.registry import bidding_for

BIDDERS = ("learned", "points+maxims", "card+maxims", "forecast+maxims")
SCHEMES = ("auction", "contract")
SHARES = (0.005, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)


def calls_of(
    bidder: Strategy, scheme: Scheme, deals: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The network's chance of each call that a bidder makes, and how many were legal."""
    rng, chances, legal = np.random.default_rng(seed), [], []
    for number in range(deals):
        table = new_table(deal(seed, number), Seat(number % 3), doubles=True, scheme=scheme)
        while table.turn is not None and table.contract is None:
            seen = view(table, table.turn)
            call = bidder.choose(seen, rng).action
            hands = np.zeros((1, 4), np.int64)
            hands[0, place_of(table.turn, table.dealer)] = seen.dealt.mask
            games = games_at(table.auction, 1)
            given = chances_of(games, hands, table.dealer, game_of(table, scheme))
            chances.append(given[0, number_of(call)])
            legal.append(int(games.legal()[0]).bit_count())
            table = table.apply(call)
    return np.array(chances), np.array(legal)


def main() -> None:
    """Print the mean logarithms."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=120)
    parser.add_argument("--seed", type=int, default=9917)
    options = parser.parse_args()
    print("scheme     bidder            calls " + "".join(f"{share:8}" for share in SHARES))
    for scheme in SCHEMES:
        for bidder in BIDDERS:
            given, legal = calls_of(
                bidding_for(find_strategy(bidder), find_scheme(scheme)),
                find_scheme(scheme),
                options.deals,
                options.seed,
            )
            means = [np.log(share / legal + (1 - share) * given).mean() for share in SHARES]
            print(
                f"{scheme:10} {bidder:17} {len(given):5} "
                + "".join(f"{mean:8.3f}" for mean in means)
            )


if __name__ == "__main__":
    main()
