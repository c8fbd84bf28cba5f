"""What a visitor may ask the arena to play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from tribridge.arena.work import MatchWork
from tribridge.game.laws import all_laws
from tribridge.game.scoring import scheme_names
from tribridge.web.errors import WebError
from tribridge.web.table.levels import check_strategy

FEWEST_DEALS: Final = 2
MOST_DEALS: Final = 500
MOST_RUBBERS: Final = 50
SECONDS_PER_CHOICE: Final = 5.0
"""A strategy that takes longer commits a fault, and a substitute chooses for it."""
_LONGEST_NAME: Final = 120


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a match: those of `tribridge arena match`."""

    strategies: tuple[str, ...]
    deals: int = 100
    seed: int = 1
    scheme: str = "auction"
    laws: str | None = None
    """The laws of rubbers, which then replace the scheme; `deals` counts rubbers."""
    doubles: bool = False

    def checked(self) -> Plan:
        """The plan with normalised names; refused if it cannot be played here."""
        names = tuple(_strategy(text) for text in self.strategies if text.strip())
        if not 2 <= len(names) <= 3:
            raise WebError(f"choose two or three strategies, not {len(names)}")
        if self.scheme not in scheme_names():  # never a file: the name comes from outside
            raise WebError(f"unknown scheme {self.scheme!r}: expected {', '.join(scheme_names())}")
        if self.laws is not None and self.laws not in all_laws():
            raise WebError(f"unknown laws {self.laws!r}: expected {', '.join(all_laws())}")
        most, unit = (MOST_DEALS, "deals") if self.laws is None else (MOST_RUBBERS, "rubbers")
        if not FEWEST_DEALS <= self.deals <= most:
            raise WebError(f"a match here has {FEWEST_DEALS} to {most} {unit}, not {self.deals}")
        plan = Plan(names, self.deals, self.seed, self.scheme, self.laws, self.doubles)
        plan.work()
        return plan

    def work(self) -> MatchWork:
        """The games to be played, as the arena describes them."""
        return MatchWork(
            strategies=self.strategies,
            seed=self.seed,
            scheme=self.scheme,
            doubles=self.doubles,
            limit=SECONDS_PER_CHOICE,
            laws=self.laws,
        )

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def plan_of(fields: Mapping[str, Any]) -> Plan:
    """The plan that was written as JSON."""
    return Plan(**{**fields, "strategies": tuple(fields["strategies"])})


def _strategy(text: str) -> str:
    if len(text) > _LONGEST_NAME:
        raise WebError(f"the name of a strategy has at most {_LONGEST_NAME} characters")
    return check_strategy(text)
