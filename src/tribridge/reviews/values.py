"""The values of a review: options, verdicts, judgements and the review of a whole deal.

A card is worth declarer's tricks and the points they earn, whoever plays it; a call is worth the
points of its caller, as in `advice`. Points decide. A loss is always what the player's own side
loses, 0 or more.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from tribridge.cards import Card
from tribridge.deals import Seat
from tribridge.game.auction import Outcome, call_name
from tribridge.game.table import Action
from tribridge.game.tricks import Chair

ERRORS: Final = 2.5
"""Standard errors below which a loss is not held against the player.

The best option is the best of many by the same layouts, which flatter it."""


class Verdict(StrEnum):
    """How good a choice was, by what its player could know."""

    BEST = "best"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    FORCED = "forced"
    UNJUDGED = "not judged"

    @property
    def right(self) -> bool:
        """Whether the choice was the best or as good within the error."""
        return self in (Verdict.BEST, Verdict.GOOD)

    @property
    def wrong(self) -> bool:
        """Whether a better player would have chosen something else."""
        return self in (Verdict.INACCURACY, Verdict.MISTAKE)


class Luck(StrEnum):
    """Where the verdict and the result on the actual deal disagree."""

    BAD = "bad luck"
    """The choice was right, and cost something on the actual deal."""
    LUCKY = "lucky"
    """The choice was wrong, and cost nothing on the actual deal."""


@dataclass(frozen=True, slots=True)
class Option:
    """One legal call or card."""

    action: Action
    expected: float
    """Declarer's tricks after a card, points of a call: the mean over the layouts."""
    loss: float
    """How much worse than the best option for the player's side."""
    error: float
    """The standard error of the loss; 0 when all layouts were valued."""
    points: float
    """The same in points: declarer's after a card, as `View.stakes` counts them."""
    points_loss: float
    points_error: float
    actual: float | None = None
    """Tricks or points on the actual deal, double dummy."""

    def verdict(self, small: float, large: float) -> Verdict:
        """The verdict, given the least points that an inaccuracy and a mistake lose."""
        if self.points_loss <= 1e-9:
            return Verdict.BEST
        if self.points_loss < small or self.points_loss <= ERRORS * self.points_error:
            return Verdict.GOOD
        return Verdict.INACCURACY if self.points_loss < large else Verdict.MISTAKE

    def as_json(self) -> dict[str, Any]:
        return {
            "action": action_name(self.action),
            "expected": round(self.expected, 3),
            "loss": round(self.loss, 3),
            "error": round(self.error, 3),
            "points": round(self.points, 3),
            "points_loss": round(self.points_loss, 3),
            "points_error": round(self.points_error, 3),
            "actual": self.actual,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on one call or card."""

    number: int
    """Counted from 1 over all calls and cards of the deal."""
    seat: Seat
    """Who chose; declarer for a card from dummy."""
    chair: Chair | None
    """The chair that played the card; None for a call."""
    action: Action
    options: tuple[Option, ...]
    """All options that were valued, best first; none if the choice was not judged."""
    verdict: Verdict
    luck: Luck | None
    cost: float | None
    """What the choice gave away double dummy: tricks for a card, points for a call."""
    double_dummy: int | None
    """Declarer's tricks before the card with best play by everyone; None for a call."""
    expected: float | None
    """The same as the player on turn could expect it: the value of the best option."""
    layouts: int
    second_opinion: Card | None
    """The card that the network trained by self-play prefers."""
    reason: str

    @property
    def chosen(self) -> Option | None:
        """The option that was chosen; None if the choice was not judged."""
        return next((one for one in self.options if one.action == self.action), None)

    @property
    def best(self) -> Option | None:
        """The option with the best expectation."""
        return self.options[0] if self.options else None

    @property
    def loss(self) -> float:
        """The expected loss of the choice, tricks or points; 0 if it was not judged."""
        return 0.0 if self.chosen is None else self.chosen.loss

    @property
    def points_loss(self) -> float:
        """The same in points."""
        return 0.0 if self.chosen is None else self.chosen.points_loss

    def as_json(self) -> dict[str, Any]:
        """The form of `tribridge review --json`."""
        chosen = self.chosen
        return {
            "number": self.number,
            "seat": self.seat.letter,
            "chair": None if self.chair is None else self.chair.name.lower(),
            "action": action_name(self.action),
            "verdict": self.verdict.value,
            "luck": None if self.luck is None else self.luck.value,
            "loss": round(self.loss, 3),
            "error": None if chosen is None else round(chosen.error, 3),
            "points_loss": round(self.points_loss, 3),
            "points_error": None if chosen is None else round(chosen.points_error, 3),
            "cost": self.cost,
            "double_dummy": self.double_dummy,
            "expected": None if self.expected is None else round(self.expected, 3),
            "points": None if self.best is None else round(self.best.points, 3),
            "layouts": self.layouts,
            "second_opinion": None
            if self.second_opinion is None
            else action_name(self.second_opinion),
            "reason": self.reason,
            "options": [option.as_json() for option in self.options],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A deal with all its judgements and one sentence about each player."""

    judgements: tuple[Judgement, ...]
    outcome: Outcome | None
    """How the deal ended; None if it did not."""
    summaries: dict[Seat, str]

    @property
    def calls(self) -> tuple[Judgement, ...]:
        return tuple(one for one in self.judgements if one.chair is None)

    @property
    def cards(self) -> tuple[Judgement, ...]:
        return tuple(one for one in self.judgements if one.chair is not None)

    @property
    def curve(self) -> tuple[tuple[int | None, float | None], ...]:
        """Declarer's tricks before each card: double dummy, and as the player on turn expects."""
        return tuple((one.double_dummy, one.expected) for one in self.cards)

    def __str__(self) -> str:
        from tribridge.reviews.wording import text

        return text(self)

    def as_json(self) -> dict[str, Any]:
        """The form of `tribridge review --json`."""
        return {
            "players": {seat.letter: words for seat, words in self.summaries.items()},
            "curve": [
                {"double_dummy": exact, "expected": None if mean is None else round(mean, 3)}
                for exact, mean in self.curve
            ],
            "judgements": [one.as_json() for one in self.judgements],
        }


def action_name(action: Action) -> str:
    """A call or a card as in files: `1NT`, `Pass`, `SK`."""
    return action.name if isinstance(action, Card) else call_name(action)
