"""All studies of the paper under their names, with the sizes of the paper or quick ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tribridge.cards import Deck
from tribridge.errors import SettingError
from tribridge.studies import budget, captures, cost, hands, headline, offence, strains, truth
from tribridge.studies.runner import Runner
from tribridge.studies.tidy import Study

NAMES: Final = (
    "captures",
    "hands",
    "second-hand",
    "headline",
    "budget",
    "truth",
    "strains",
    "offence",
    "cost",
)
TITLES: Final = {
    "captures": "captures and conditions",
    "hands": "single and combined hand",
    "second-hand": "the second hand",
    "headline": "the whole game",
    "budget": "budget and deck",
    "truth": "how good the closed form is",
    "strains": "no trump or a suit",
    "offence": "offence and defence",
    "cost": "what it costs",
}


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large each study is."""

    captures: int = 1_000_000
    hands: int = 100_000
    headline: int = 10_000_000
    budgets: tuple[int, ...] = budget.BUDGETS
    decks: tuple[Deck, ...] = budget.DECKS
    truth: int | None = None
    """Labelled deals for `truth` and `strains`; None for all that come with the package."""
    offence: int = 90
    """Deals that the fast strategies play."""
    cost: int = 200
    joint_captures: bool = True
    """Whether the exact joint distribution goes down to Algorithm 2's captures."""

    def steps(self, name: str) -> int:
        """How much a study will report as progress in all."""
        return {
            "captures": 3 * self.captures,
            "hands": self.hands,
            "second-hand": self.hands,
            "headline": 9 * self.headline,
            "budget": len(self.budgets) + len(self.decks),
            "truth": truth.STEPS,
            "strains": strains.steps(),
            "offence": offence.steps(self.offence),
            "cost": 4,
        }[name]


PAPER: Final = Sizes()
QUICK: Final = Sizes(
    captures=200_000,
    hands=50_000,
    headline=500_000,
    budgets=(0, 3, 6, 9),
    decks=(Deck(4, 6), Deck(4, 10), Deck(4, 13)),
    truth=1000,
    offence=8,
    cost=60,
    joint_captures=False,
)


def run(name: str, sizes: Sizes, seed: int, runner: Runner) -> Study:
    """One study of the suite."""
    studies: dict[str, Callable[[], Study]] = {
        "captures": lambda: captures.study(seed, sizes.captures, runner),
        "hands": lambda: hands.comparison(
            seed, sizes.hands, runner.progress, joint_captures=sizes.joint_captures
        ),
        "second-hand": lambda: hands.second_hand(seed, sizes.hands, runner.progress),
        "headline": lambda: headline.study(seed, sizes.headline, runner),
        "budget": lambda: budget.study(sizes.budgets, sizes.decks, runner.progress),
        "truth": lambda: truth.study(seed, sizes.truth, runner.progress),
        "strains": lambda: strains.study(seed, sizes.truth, runner.progress),
        "offence": lambda: offence.study(seed, sizes.offence, runner),
        "cost": lambda: cost.study(seed, sizes.cost, runner.progress),
    }
    if name not in studies:
        raise SettingError(f"unknown study {name!r}: expected {', '.join(NAMES)}")
    return studies[name]()
