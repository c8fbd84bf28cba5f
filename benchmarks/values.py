"""How far the network that values positions is off, and whether its verdicts are those of a solver.

    python -m benchmarks.values [--solved 300] [--choices 0] [--seed 7]

`data/learning/points/play-outs.npz` has 1,440 positions with a choice, from games of `learned@2` in
which 5% of the cards were drawn at random, and for each of their 6,988 legal cards the tricks of
1,000 play-outs, in which that player's policy drew all further cards. The errors of the network's
mean and of its chance that the contract is made are compared with those of double dummy, which is
computed for `--solved` of the cards. *Loss* is the error of the difference to the best card of the
position, by play-outs.

With `--choices`, cards that `learned` played, and others at random, are judged by a review and by
the long computation, double dummy and play-outs by the maxims on 100 layouts.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.review import Pair, game, summary
from tribridge.cards.cards import FULL_DECK, Card, Strain
from tribridge.cards.deals import Seat
from tribridge.common.files import load_arrays
from tribridge.game.auction import Bid, Contract
from tribridge.game.position import Position
from tribridge.game.views import view
from tribridge.networks.auction import Contracts
from tribridge.networks.play import PlayGames
from tribridge.networks.values import OUTCOMES, chances
from tribridge.reviews.cards import judge_card, solve_cards, value_cards
from tribridge.reviews.judging import LAYOUTS
from tribridge.reviews.wording import SEATS
from tribridge.strategies.players.search.evaluation import solver_of
from tribridge.strategies.protocol import position_of

FILE = Path(__file__).parents[1] / "data/learning/points/play-outs.npz"
LONG = 100
TRICKS = np.arange(OUTCOMES)

F64 = NDArray[np.float64]


def games(rows: dict[str, NDArray[Any]], at: NDArray[np.int64]) -> PlayGames:
    """The games of some rows, which are all at the same card."""
    part = {name: column[at].astype(np.int64) for name, column in rows.items()}
    names = ("hands", "level", "strain", "doubled", "bids", "passes")
    result = PlayGames(Contracts(*(part[name] for name in names)), steps=part["steps"])
    for card in range(int(part["at"][0])):
        result.step(part["history"][:, card])
    return result


def valued(rows: dict[str, NDArray[Any]]) -> tuple[F64, NDArray[np.int64]]:
    """The network's chances after each card, and whether declarer's side chose it (1 or -1)."""
    found, side = np.empty((len(rows["at"]), OUTCOMES)), np.empty(len(rows["at"]), np.int64)
    for card in np.unique(rows["at"]):
        at = np.flatnonzero(rows["at"] == card)
        played = games(rows, at)
        side[at] = 1 - 2 * (played.chair % 2)
        played.step(rows["card"][at].astype(np.int64))
        found[at] = chances(played)
    return found, side


def solved(rows: dict[str, NDArray[Any]], at: int) -> int:
    """Declarer's tricks after the card of a row, double dummy."""
    level, strain = int(rows["level"][at]), list(Strain)[int(rows["strain"][at])]
    declarer, left, dummy, right = rows["hands"][at].tolist()
    position = Position(Contract(Bid(level, strain), Seat.NORTH), (declarer, left, dummy, right))
    for card in rows["history"][at, : rows["at"][at]].tolist():
        position = position.apply_unchecked(Card(card))
    tricks = solver_of(FULL_DECK).cards(position)
    return tricks[Card(int(rows["card"][at]))]


def accuracy(wanted: int, seed: int) -> None:
    """Print the errors by the number of cards left, and the calibration."""
    with FILE.open("rb") as file:
        rows = load_arrays(file, f"{FILE}: not a file of positions")
    truth = rows["counts"] / rows["counts"].sum(1, keepdims=True)
    network, side = valued(rows)
    makes = rows["level"][:, None] + FULL_DECK.book <= TRICKS
    tried = np.sort(np.random.default_rng(seed).choice(len(truth), wanted, replace=False))
    exact = np.full((len(truth), OUTCOMES), np.nan)
    exact[tried] = 0
    exact[tried, [solved(rows, int(at)) for at in tried]] = 1
    best = {}
    for at in np.argsort(side * (truth @ TRICKS)):
        best[rows["position"][at]] = at
    first = np.array([best[position] for position in rows["position"]])
    print("cards left | network: tricks, chance, loss in tricks | double dummy: tricks, chance")
    for low in range(48, 0, -8):
        part = (52 - rows["at"] > low - 4) & (52 - rows["at"] <= low + 4)
        off, chance = (network - truth) @ TRICKS, ((network - truth) * makes).sum(1)
        known = part & ~np.isnan(exact[:, 0])
        figures = [_root(off[part]), _root(chance[part]), _root((off - off[first])[part])]
        figures += [
            _root(((exact - truth) @ TRICKS)[known]), _root(((exact - truth) * makes).sum(1)[known])
        ]  # fmt: skip
        bias = off[part].mean()
        print(f"{low - 3:2}-{low + 4} |", *(f"{x:.2f}" for x in figures), f"(bias {bias:+.2f})")
    said, made = (network * makes).sum(1), (truth * makes).sum(1)
    for low in np.arange(0, 1, 0.1):
        part = (said >= low) & (said < low + 0.1 + (low > 0.85))
        mean = f"{said[part].mean():.2f} said, {made[part].mean():.2f} made"
        print(f"chance {low:.1f} to {low + 0.1:.1f}: {mean}, {part.sum()} cards")


def _root(errors: F64) -> float:
    return float(np.sqrt(np.mean(np.square(errors))))


def agreement(wanted: int, seed: int) -> None:
    """Print how the verdicts of a review and of the long computation compare."""
    pairs: list[Pair] = []
    number = 0
    while len(pairs) < 2 * wanted:
        rng = np.random.default_rng((seed, number))
        choices = game(seed, number)
        number += 1
        if not choices:  # passed out
            continue
        table = choices[rng.integers(len(choices))]
        seen = view(table, table.turn)
        quick = value_cards(seen, LAYOUTS, rng, solve_endings=True)
        long = solve_cards(seen, LONG, rng)
        legal = position_of(seen).legal
        for card in (long.options[0].action, legal[rng.integers(len(legal))]):
            one, other = (
                judge_card(0, seen, next(c for c in legal if c == card), values, None, SEATS)
                for values in (quick, long)
            )
            pairs.append(Pair(one.verdict, other.verdict, other.loss))
    print(*summary(pairs), sep="\n")
    for (first, second), count in Counter((pair.quick, pair.long) for pair in pairs).most_common():
        print(f"  review {first}, long computation {second}: {count}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--solved", type=int, default=300)
    parser.add_argument("--choices", type=int, default=0)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    accuracy(options.solved, options.seed)
    if options.choices:
        agreement(options.choices, options.seed)


if __name__ == "__main__":
    main()
