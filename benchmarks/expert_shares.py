"""How well the shares of experts in reviews and hints say what experts play.

    python -m benchmarks.expert_shares boards.npz [--boards 200] [--seed 4802]

The boards are those for validation of a file from `tribridge train boards`, which the network did
not learn from. Of one choice in four the cards are valued as in a review, under `contract`; choices
between equal cards are left out. A row has the shares of cards and their equals in a range, by the
network alone or corrected by what the cards are worth, their mean and how often the expert at the
table played the card. The score is the mean log probability of the expert's card. The last lines
are about the cards that clearly lose, which the correction makes less likely.

A board takes about a second; Ctrl-C ends the run and prints what there is.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.refusals import in_one_line
from tribridge.cards.cards import Card
from tribridge.common.stats import proportion
from tribridge.game.scoring import find_scheme
from tribridge.game.views import view
from tribridge.networks.boards import Boards, draw, for_validation, load_boards, table_of
from tribridge.reviews.cards import value_cards
from tribridge.reviews.judging import LAYOUTS
from tribridge.strategies.human import CLEAR
from tribridge.strategies.protocol import actions_made, decision_rng, position_of
from tribridge.strategies.reasons import groups

EACH = 4
"""One in so many choices is asked about."""
EDGES = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01)


@dataclass(frozen=True)
class Asked:
    """A choice of an expert between groups of equal cards."""

    network: NDArray[np.float64]
    """The share of each group by the network alone."""
    corrected: NDArray[np.float64]
    loses: NDArray[np.bool_]
    """Which groups clearly lose."""
    played: int


def asked(boards: Boards, number: int, seed: int) -> Iterator[Asked]:
    """The choices of a board."""
    table = table_of(boards.hands[number].tolist(), boards.contract[number].tolist())
    table = replace(table, scheme=find_scheme("contract"))
    rng = np.random.default_rng([seed, number])
    for index in boards.cards[number].tolist():
        if index < 0:
            return
        seat, card = table.turn, Card(index)
        assert seat is not None
        seen = view(table, seat)
        equal = groups(position_of(seen))
        if len(equal) > 1 and rng.random() < 1 / EACH:
            layouts = decision_rng(1, 0, seat, actions_made(table))
            values = value_cards(seen, LAYOUTS, layouts, solve_endings=True)
            lost = {option.action: option.points_loss for option in values.options}
            yield Asked(
                np.array([sum(values.network[one] for one in cards) for cards in equal]),
                np.array([sum(values.expert_shares[one] for one in cards) for cards in equal]),
                np.array([lost[cards[0]] >= CLEAR * values.stake for cards in equal]),
                next(at for at, cards in enumerate(equal) if card in cards),
            )
        table = table.apply(card)


def rows(choices: Sequence[Asked], corrected: bool) -> Iterator[str]:
    """How often cards are played, by their share, and the score."""
    given = [one.corrected if corrected else one.network for one in choices]
    shares = np.concatenate(given)
    hit = np.concatenate(
        [np.arange(len(own)) == one.played for one, own in zip(choices, given, strict=True)]
    )
    for low, high in pairwise(EDGES):
        inside = (shares >= low) & (shares < high)
        if inside.any():
            found, count = int(hit[inside].sum()), int(inside.sum())
            rate = proportion(found, count)
            yield (
                f"  {low:4.0%} to {min(high, 1):4.0%}: {count:5} cards, mean "
                f"{shares[inside].mean():.1%}, played {found / count:.1%} ({rate.low:.1%} to "
                f"{rate.high:.1%})"
            )
    scores = [np.log(max(own[one.played], 1e-4)) for one, own in zip(choices, given, strict=True)]
    yield f"  log score {np.mean(scores):.4f} ± {1.96 * np.std(scores) / len(scores) ** 0.5:.4f}"


def lost(choices: Sequence[Asked]) -> Iterator[str]:
    """How often experts play a card that clearly loses, where there is one."""
    where = [one for one in choices if one.loses.any()]
    if where:
        network = np.mean([one.network[one.loses].sum() for one in where])
        corrected = np.mean([one.corrected[one.loses].sum() for one in where])
        played = proportion(sum(bool(one.loses[one.played]) for one in where), len(where))
        yield f"cards that clearly lose ({len(where)} choices)"
        yield f"  by the network alone {network:.1%}, corrected {corrected:.1%}, played " + (
            f"{played.estimate:.1%} ({played.low:.1%} to {played.high:.1%})"
        )


def main() -> None:
    """Print the tables and what is said of cards that clearly lose."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--boards", type=int, default=200)
    parser.add_argument("--seed", type=int, default=4802)
    options = parser.parse_args()
    boards = load_boards(options.file)
    boards = draw(boards.take(np.flatnonzero(for_validation(boards))), options.boards, options.seed)
    choices: list[Asked] = []
    with suppress(KeyboardInterrupt):  # the choices so far count
        for number in range(len(boards)):
            choices += asked(boards, number, options.seed)
    for title, corrected in (("by the network alone", False), ("corrected", True)):
        print(f"{title} ({len(choices)} choices)", *rows(choices, corrected), sep="\n")
    print(*lost(choices), sep="\n")


if __name__ == "__main__":
    in_one_line(main)
