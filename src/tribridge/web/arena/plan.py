"""What a visitor may ask the arena to play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from tribridge.arena.work import MatchWork
from tribridge.game.laws import all_laws
from tribridge.game.scoring import scheme_names
from tribridge.web.core.bots import check_strategy
from tribridge.web.errors import WebError

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
            raise WebError("choose two or three strategies, not {number}", number=len(names))
        if self.scheme not in scheme_names():  # never a file: the name comes from outside
            raise WebError(
                "unknown scheme {scheme!r}: expected {known}",
                scheme=self.scheme,
                known=", ".join(scheme_names()),
            )
        if self.laws is not None and self.laws not in all_laws():
            raise WebError(
                "unknown laws {laws!r}: expected {known}",
                laws=self.laws,
                known=", ".join(all_laws()),
            )
        most = MOST_DEALS if self.laws is None else MOST_RUBBERS
        if not FEWEST_DEALS <= self.deals <= most:
            raise WebError(
                "a match here has {least} to {most} deals, not {number}"
                if self.laws is None
                else "a match here has {least} to {most} rubbers, not {number}",
                least=FEWEST_DEALS,
                most=most,
                number=self.deals,
            )
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
        raise WebError("the name of a strategy has at most {most} characters", most=_LONGEST_NAME)
    return check_strategy(text)
