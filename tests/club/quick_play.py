"""`tribridge` for tests of the pages: quick reviews and hints, no field, visitors never too many.

Good verdicts are not needed there, and all tests of a process are one visitor, who would be refused
on a fast machine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from tribridge import beliefs
from tribridge.cards.cards import Card
from tribridge.game.auction import Call
from tribridge.game.views import View
from tribridge.networks.stakes import Game
from tribridge.reviews import calls as reviewed_calls
from tribridge.reviews import judging
from tribridge.reviews.cards import CardValues, solve_layouts
from tribridge.strategies.learned import auctions, listening, valuing
from tribridge.strategies.learned.auctions import CallValues

LAYOUTS = 8


def value_cards(
    view: View, layouts: int, rng: Generator, *, solve_endings: bool = True
) -> CardValues:
    """The cards on one or two layouts, by double dummy: no network is asked.

    The networks of a whole review take as long as hundreds of pages; `tests/library/reviews` has
    them.
    """
    possible, layouts = beliefs.layouts_of(view), max(layouts // 4, 1)
    whole = possible.count <= layouts
    masks = possible.every(layouts) if whole else possible.sample(layouts, rng)
    hands = [(a, b, c, d) for a, b, c, d in beliefs.chairs(view, masks).tolist()]
    even = np.full(len(hands), 1 / len(hands))
    return solve_layouts(view, hands, even, whole=whole, played_out=False)


def value_calls(
    view: View, calls: Sequence[Call], game: Game, layouts: int, rng: Generator
) -> CallValues:
    """Calls by lot: no network bids on, which takes longer than all cards of a deal."""
    points = rng.normal(scale=game.unit(), size=(layouts, len(calls)))
    nobody = np.zeros(points.shape, np.int64)
    hands = listening.possible_layouts(view, layouts, rng)
    return CallValues(tuple(calls), points, points**2, layouts, game.unit(), nobody, 0, hands)


def second_opinion(view: View, rng: Generator) -> Card | None:
    """A card, if there is a choice."""
    return view.legal_cards[-1] if len(view.legal) > 1 else None


QUICK = (
    (judging, "value_cards", value_cards),
    (judging, "second_opinion", second_opinion),
    (reviewed_calls, "value_calls", value_calls),
    (valuing, "LAYOUTS", LAYOUTS),  # of hints
    (auctions, "LAYOUTS", LAYOUTS),
)
"""What stands for something of a module while decisions are made."""

if __name__ in ("__main__", "__mp_main__"):  # a server, or a worker of one
    for module, name, quick in QUICK:
        setattr(module, name, quick)

if __name__ == "__main__":
    from tribridge.cli import main
    from tribridge.club.core import challenges, reviews
    from tribridge.club.server import guard

    # The workers are given the number with every question.
    reviews.LAYOUTS = LAYOUTS  # type: ignore[misc]
    challenges.field_runs = tuple  # type: ignore[assignment, attr-defined]
    guard.Buckets.take = lambda *_: 0.0  # type: ignore[method-assign]
    main()
