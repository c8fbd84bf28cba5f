"""Study 5: how conditions and captures depend on the budget and the deck, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, NamedTuple

from tribridge.capture import Conditions, exact
from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.common.tables import EXACT, EXACT_PERCENT, Columns
from tribridge.lab.studies import drawing
from tribridge.lab.studies.study import Figure, Runner, Study

DECKS: Final = (
    *(Deck(4, ranks) for ranks in range(4, 14)),
    *(Deck(3, ranks) for ranks in (4, 8, 12)),
    *(Deck(2, ranks) for ranks in (4, 6, 8, 10, 12)),
)


class Size(NamedTuple):
    """The budgets on the full deck, and the decks."""

    budgets: tuple[int, ...]
    decks: tuple[Deck, ...]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What an algorithm says on one deck with one budget."""

    algorithm: int
    counted: exact.ExactDistribution
    COLUMNS: ClassVar[Columns] = {
        "algorithm": lambda row: f"Algorithm {row.algorithm}",
        "deck": lambda row: str(row.counted.deck),
        "budget": "counted.budget",
        EXACT_PERCENT.named("A fails %"): lambda row: row.shares[0],
        EXACT_PERCENT.named("B fails %"): lambda row: row.shares[1],
        EXACT_PERCENT.named("both hold %"): lambda row: row.shares[2],
        EXACT.named("mean captures"): "mean",
        EXACT.named("mean captures of tricks"): "of_tricks",
    }

    @property
    def shares(self) -> list[float]:
        """Condition A fails, only B fails, both hold: in percent."""
        return [float(100 * self.counted.probability(outcome)) for outcome in Conditions]

    @property
    def mean(self) -> float | None:
        """Mean captures where both conditions hold."""
        return float(self.counted.mean) if self.counted.both_hold else None

    @property
    def of_tricks(self) -> float | None:
        """The same as a share of the tricks."""
        return None if self.mean is None else self.mean / self.counted.deck.hand_size


@dataclass(frozen=True, slots=True)
class Result:
    """Exact distributions by budget and by deck."""

    budgets: Annotated[tuple[Outcomes, ...], "budgets", "The budget, on the full deck", ""]
    decks: Annotated[
        tuple[Outcomes, ...],
        "decks",
        "The deck, with a budget of half the tricks",
        "Four hands of a quarter of the deck; the budget is 6 of 13 tricks, rounded down.",
    ]


def run(size: Size, seed: int, runner: Runner) -> Result:
    """Exact distributions for every budget on the full deck, and for every deck."""

    def counted(deck: Deck, budget: int | None) -> Iterator[Outcomes]:
        yield Outcomes(1, exact.algorithm1(deck, budget, cache=True))
        yield Outcomes(2, exact.algorithm2(deck, budget, cache=True))
        runner.progress(1)

    return Result(
        tuple(row for budget in size.budgets for row in counted(FULL_DECK, budget)),
        tuple(row for deck in size.decks for row in counted(deck, None)),
    )


def draw(result: Result) -> drawing.Drawing:
    """The budget and the deck, exactly.

    How often the conditions fail or hold when the budget of 6, or the deck, is another one: the
    paper's setting is one point on each curve.
    """
    figure, panels = drawing.new_figure(11.4, 4.2, 2)
    looks = ((drawing.RED, "-o"), (drawing.ORANGE, "--s"), (drawing.BLUE, "-^"))
    by_budget = {str(row.counted.budget): row for row in result.budgets if row.algorithm == 2}
    by_deck = {str(row.counted.deck): row for row in result.decks
               if row.algorithm == 2 and row.counted.deck.suits == 4}  # fmt: skip
    for axes, chosen, xlabel, title in (
        (panels[0], by_budget, "budget (6 in the paper)", "By budget, full deck"),
        (panels[1], by_deck, "deck, suits x ranks", "By deck, four suits"),
    ):
        places = list(chosen)
        for at, (outcome, (colour, style)) in enumerate(zip(Conditions, looks, strict=True)):
            shares = [row.shares[at] for row in chosen.values()]
            axes.plot(places, shares, style, color=colour, label=outcome.value)
        axes.set_ylim(0, 105)
        drawing.name_axes(axes, title, xlabel, "% of pairs of hands")
        label = "mean captures where both hold, % of tricks"
        other = drawing.second_axis(axes, label, drawing.NAVY, ticks=False)
        means = [float("nan") if row.of_tricks is None else row.of_tricks * 100
                 for row in chosen.values()]  # fmt: skip
        other.plot(places, means, ":x", color=drawing.NAVY, label="mean captures")
        other.set_ylim(0, 105)
    drawing.legend_below(figure, panels[1], other)
    return figure


STUDY: Final = Study(
    name="budget",
    title="Budget and deck",
    order=60,
    paper=Size(tuple(range(13)), DECKS),
    quick=Size((0, 3, 6, 9), (Deck(4, 6), Deck(4, 10), Deck(4, 13))),
    run=run,
    steps=lambda size: len(size.budgets) + len(size.decks),
    describe=lambda size: {
        "budgets": list(size.budgets),
        "decks": [str(deck) for deck in size.decks],
    },
    figures=(Figure("budget", "budgets", draw),),
)
