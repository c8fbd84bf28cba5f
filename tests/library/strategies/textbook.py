"""A check of the textbook positions over sampled layouts.

python -m tests.library.strategies.textbook [LAYOUTS [POSITION...]]

prints for each position what the expected card gains over the best other card on average, double
dummy over layouts that fit what the player has seen: first over all of them alike, then with those
drawn less often in which the other hands departed from the maxims, so that leads and signals count.
Double dummy never misguesses, which the books do not take for granted.
"""

from __future__ import annotations

import sys

import numpy as np

from tribridge.cards.cards import Card
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.textbook import Diagram, positions
from tribridge.strategies.players.search.evaluation import Clock
from tribridge.strategies.players.search.sampling import draw
from tribridge.strategies.protocol import position_of

ALIKE, BY_PLAY = 1.0, 0.02
"""The weight of a layout for each earlier play that departs from the maxims."""


def losses(position: Diagram, layouts: int, factor: float = ALIKE) -> dict[Card, np.ndarray]:
    """For each card what it loses to the best card, double dummy on each layout."""
    seen = position.view()
    partner_bid = len(position.auction.split()) > 3
    drawn = draw(seen, layouts, factor, partner_bid, Clock(None), np.random.default_rng(1))
    solver, start = DoubleDummy(), position_of(seen)
    solved = [solver.cards(start.with_hands(hands)) for hands in drawn.hands]
    sign = 1 if seen.chair in (0, 2) else -1
    best = np.array([max(sign * tricks for tricks in cards.values()) for cards in solved])
    return {card: best - np.array([sign * cards[card] for cards in solved]) for card in solved[0]}


def behind(position: Diagram, layouts: int, factor: float = ALIKE) -> tuple[float, float, Card]:
    """How many tricks the expected cards are behind the best other card, on average.

    With the standard error and the other card; below zero where the expected card is better.
    """
    lost = losses(position, layouts, factor)
    own = min((lost[card] for card in position.cards), key=np.mean)
    others = {card: each for card, each in lost.items() if card not in position.cards}
    rival = min(others, key=lambda card: float(others[card].mean()))
    gaps = own - others[rival]
    return float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(gaps))), rival


def main() -> None:
    """Print how the expected cards do on average."""
    layouts = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    chosen = set(sys.argv[2:])
    for position in positions():
        if chosen and position.id not in chosen:
            continue
        found = [behind(position, layouts, factor) for factor in (ALIKE, BY_PLAY)]
        against = all(gap > 2 * error and gap > 0.05 for gap, error, _ in found)
        texts = [f"{-gap:+.2f} ± {error:.2f} over {rival}" for gap, error, rival in found]
        print(f"{position.id:26} {texts[0]}, {texts[1]}{'  AGAINST' * against}", flush=True)


if __name__ == "__main__":
    main()
