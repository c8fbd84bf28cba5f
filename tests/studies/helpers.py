"""A small run of all studies, made once for all tests."""

from __future__ import annotations

from functools import cache

from tribridge.cards import Deck
from tribridge.studies import suite
from tribridge.studies.runner import Runner
from tribridge.studies.tidy import Study

SMALL = suite.Sizes(
    captures=20_000,
    hands=20_000,
    headline=60_000,
    budgets=(5, 6),
    decks=(Deck(4, 6), Deck(4, 8)),
    truth=400,
    offence=6,
    cost=20,
    joint_captures=False,
)


@cache
def small_suite() -> dict[str, Study]:
    """Every study at a size for tests."""
    return {name: suite.run(name, SMALL, 1, Runner()) for name in suite.NAMES}
