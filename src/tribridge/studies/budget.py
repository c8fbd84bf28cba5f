"""Study 5: how conditions and captures depend on the budget and the deck, exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from tribridge.capture import Conditions, exact
from tribridge.cards import FULL_DECK, Deck
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.tables import Cell, Study, StudyTable

BUDGETS: Final = tuple(range(13))
DECKS: Final = (
    *(Deck(4, ranks) for ranks in range(4, 14)),
    *(Deck(3, ranks) for ranks in (4, 8, 12)),
    *(Deck(2, ranks) for ranks in (4, 6, 8, 10, 12)),
)
_COLUMNS: Final = (
    "algorithm", "deck", "budget", "A fails %", "B fails %", "both hold %", "mean captures",
    "mean captures of tricks",
)  # fmt: skip


class Size(NamedTuple):
    """The budgets on the full deck, and the decks."""

    budgets: tuple[int, ...]
    decks: tuple[Deck, ...]


def study(
    budgets: Sequence[int],
    decks: Sequence[Deck],
    progress: Callable[[int], None] = lambda n: None,
) -> Study:
    """Exact distributions for every budget on the full deck, and for every deck."""
    by_budget = []
    for budget in budgets:
        by_budget += [
            _row("Algorithm 1", exact.algorithm1(FULL_DECK, budget, cache=True)),
            _row("Algorithm 2", exact.algorithm2(FULL_DECK, budget, cache=True)),
        ]
        progress(1)
    by_deck = []
    for deck in decks:
        by_deck += [
            _row("Algorithm 1", exact.algorithm1(deck, cache=True)),
            _row("Algorithm 2", exact.algorithm2(deck, cache=True)),
        ]
        progress(1)
    tables = (
        StudyTable("budgets", "The budget, on the full deck", _COLUMNS, tuple(by_budget)),
        StudyTable(
            "decks",
            "The deck, with a budget of half the tricks",
            _COLUMNS,
            tuple(by_deck),
            "Four hands of a quarter of the deck; the budget is 6 of 13 tricks, rounded down.",
        ),
    )
    return STUDY.result(tables)


def _row(algorithm: str, counted: exact.ExactDistribution) -> tuple[Cell, ...]:
    mean = float(counted.mean) if counted.both_hold else None
    return (
        algorithm,
        str(counted.deck),
        counted.budget,
        *(float(100 * counted.probability(outcome)) for outcome in Conditions),
        mean,
        None if mean is None else mean / counted.deck.hand_size,
    )


STUDY: Final = Declaration(
    name="budget",
    title="Budget and deck",
    paper=Size(BUDGETS, DECKS),
    quick=Size((0, 3, 6, 9), (Deck(4, 6), Deck(4, 10), Deck(4, 13))),
    run=lambda size, seed, runner: study(*size, runner.progress),
    steps=lambda size: len(size.budgets) + len(size.decks),
    describe=lambda size: {
        "budgets": list(size.budgets),
        "decks": [str(deck) for deck in size.decks],
    },
    figures=(
        Figure(
            "budget",
            "The budget and the deck, exactly",
            "How often the conditions fail or hold when the budget of 6, or the deck, is another "
            "one: the paper's setting is one point on each curve.",
            "budgets",
        ),
    ),
)
