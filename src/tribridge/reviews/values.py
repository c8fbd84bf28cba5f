"""The values of a review: options, verdicts and judgements.

A card is worth declarer's tricks and the points they earn, whoever plays it; a call is worth the
points of its caller, as in `advice`. Points decide. A loss is always what the player's own side
loses, 0 or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from tribridge.cards.cards import FULL_DECK, Card
from tribridge.cards.deals import Seat
from tribridge.common.codec import Text, also
from tribridge.common.errors import FormatError, unchanging
from tribridge.common.sentences import Sentence
from tribridge.game.auction import PASS, Bid, parse_call
from tribridge.game.table import Action
from tribridge.game.tricks import Chair
from tribridge.game.view_json import action_name

EQUAL: Final = 0.01
"""Share of what is at stake, or of a trick, that is no difference: all such options are best."""
ERRORS: Final = 2.5
"""Standard errors below which a loss is not held against the player.

The best option is the best of many by the same layouts, which flatter it."""
_HALF_A_TRICK: Final = 0.5
_MOST: Final = 0.5
"""The share of experts who would miss a card that is well played."""


def read_action(text: str) -> Action:
    """A call or a card by its name in files."""
    try:
        return parse_call(text)
    except FormatError:
        return Card(text)


NamedAction = Annotated[Action, Text(read_action, action_name, Action)]
"""A call or a card; in JSON as in files: `1NT`, `Pass`, `SK`."""


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

    action: NamedAction
    expected: float
    """Declarer's tricks after a card, points of a call: the mean over the layouts."""
    loss: float
    """How much worse than the best option for the player's side; 0 if they are as good."""
    error: float
    """The standard error of the loss; 0 when all layouts were valued."""
    points: float
    """The same in points: declarer's after a card, as `View.stakes` counts them."""
    points_loss: float
    points_error: float
    actual: float | None = None
    """Tricks or points on the actual deal, double dummy."""
    share: float | None = None
    """The share of experts who would play a card, by the network that learned from them.

    None for calls, forced cards and small decks."""

    def verdict(self, small: float, large: float) -> Verdict:
        """The verdict, given the least points that an inaccuracy and a mistake lose."""
        if self.points_loss <= 1e-9:
            return Verdict.BEST
        if self.within_error:
            return Verdict.GOOD
        if self.points_loss < small and not self.throws_tricks:
            return Verdict.GOOD
        return Verdict.INACCURACY if self.points_loss < large else Verdict.MISTAKE

    @property
    def within_error(self) -> bool:
        """Whether the loss is no larger than chance makes the losses of equally good choices."""
        return self.points_loss <= ERRORS * self.points_error

    @property
    def throws_tricks(self) -> bool:
        """Whether a card clearly gives up half a trick or more, however little that pays."""
        if not isinstance(self.action, Card):
            return False
        return self.loss >= _HALF_A_TRICK and self.loss > ERRORS * self.error

    def clearly_loses(self, points: float) -> bool:
        """Whether it loses at least so many points by all that can be said from the layouts."""
        return self.points_loss - ERRORS * self.points_error >= points


def better(
    options: tuple[Option, ...], own: Action | None, small: float, large: float
) -> tuple[Option, ...]:
    """The options after the strategy's choice, if that is as good as the best of them.

    So a review names what a hint suggests, and what the bots do.
    """
    chosen = next((option for option in options if option.action == own), options[0])
    if not chosen.verdict(small, large).right:
        return options
    return chosen, *(option for option in options if option is not chosen)


@dataclass(frozen=True, slots=True)
class Key:
    """A card in a hidden hand, and how likely it was to be there."""

    card: Card
    chair: Chair
    chance: float


@also("loss", "error", "points", "points_loss", "points_error", "reason")
@unchanging
@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on one call or card."""

    number: int
    """Counted from 1 over all calls and cards of the deal."""
    seat: Seat
    """Who chose; declarer for a card from dummy."""
    chair: Chair | None
    """The chair that played the card; None for a call."""
    action: NamedAction
    options: tuple[Option, ...] = ()
    """All options that were valued, best first; none if the choice was not judged."""
    verdict: Verdict
    luck: Luck | None = None
    cost: float | None = None
    """What the choice gave away double dummy: tricks for a card, points for a call."""
    points_cost: float | None = None
    """The same in points: declarer's for a card, the caller's for a call."""
    double_dummy: int | None = None
    """Declarer's tricks before the card with best play by everyone; None for a call."""
    expected: float | None = None
    """The same as the player on turn could expect it: the value of the best option."""
    layouts: int = 0
    second_opinion: Card | None = None
    """The card that the network trained by self-play prefers."""
    why: tuple[Sentence, ...] = ()

    @property
    def reason(self) -> str:
        """Why the choice is judged as it is."""
        return " ".join(map(str, self.why))

    @property
    def tricks_after(self) -> int | None:
        """Declarer's tricks after the card with best play by everyone; None for a call."""
        if self.chair is None or self.double_dummy is None:
            return None
        cost = int(self.cost or 0)
        return self.double_dummy - cost if self.chair.declaring else self.double_dummy + cost

    def turns(self, needed: int) -> bool:
        """Whether a card changed, double dummy, if declarer gets the tricks that are needed."""
        after = self.tricks_after
        if after is None or self.double_dummy is None:
            return False
        return (self.double_dummy >= needed) != (after >= needed)

    @property
    def chosen(self) -> Option | None:
        """The option that was chosen; None if the choice was not judged."""
        return next((option for option in self.options if option.action == self.action), None)

    @property
    def best(self) -> Option | None:
        """The option with the best expectation."""
        return self.options[0] if self.options else None

    @property
    def better_as_it_lay(self) -> Option | None:
        """What to name beside a choice that cost something on the actual deal: the best option.

        If that card would have cost something, too, it is one that gives nothing away double dummy:
        the one that most experts play, or else the lowest.
        """
        free = [one for one in self.options if one.actual == self.double_dummy]
        if self.chair is None or not free or self.options[0] in free:
            return self.best
        return max(free, key=lambda one: (one.share or 0.0, -one.points_loss, _lowness(one.action)))

    @property
    def loss(self) -> float:
        """The expected loss of the choice, tricks or points; 0 if it was not judged."""
        return 0.0 if self.chosen is None else self.chosen.loss

    @property
    def error(self) -> float | None:
        """The standard error of the loss."""
        return None if self.chosen is None else self.chosen.error

    @property
    def points(self) -> float | None:
        """The value of the best option in points."""
        return None if self.best is None else self.best.points

    @property
    def points_loss(self) -> float:
        """The loss in points."""
        return 0.0 if self.chosen is None else self.chosen.points_loss

    @property
    def points_error(self) -> float | None:
        return None if self.chosen is None else self.chosen.points_error


def _lowness(action: Action) -> int:
    return action.column if isinstance(action, Card) else 0


def decisive(judgements: Sequence[Judgement]) -> list[Judgement]:
    """What went wrong on the actual deal, the costliest choice first.

    These are mistakes and good cards that cost points, and right calls that were unlucky. Of those
    that cost the same, mistakes come first, and among them the card that settled the result. A
    mistake that cost nothing decided nothing, and nobody can be blamed for a right choice. What a
    bid or a double costs that was overcalled, nobody had to pay; and a sound bid whose contract
    made was no bad luck, whatever a pass would have brought.
    """
    bids = [judgement.number for judgement in judgements if isinstance(judgement.action, Bid)]
    last, settled = max(bids, default=0), _settled(judgements)
    costly = [
        judgement
        for judgement in judgements
        if (judgement.verdict.wrong or judgement.luck is Luck.BAD or judgement.chair is not None)
        and round(judgement.points_cost or 0) > 0
        and (judgement.action is PASS or judgement.number >= last)
        and not (judgement.luck is Luck.BAD and _made(judgement, judgements))
    ]
    return sorted(
        costly,
        key=lambda judgement: (
            -round(judgement.points_cost or 0),
            not judgement.verdict.wrong,
            judgement is not settled,
        ),
    )


def _made(bid: Judgement, judgements: Sequence[Judgement]) -> bool:
    """Whether a bid became a contract that made, with the full deck."""
    after = judgements[-1].tricks_after
    if not isinstance(bid.action, Bid) or after is None:
        return False
    return after >= FULL_DECK.book + bid.action.level


def turning_point(judgements: Sequence[Judgement]) -> Judgement | None:
    """The choice that decided a deal: the one that cost most, by a mistake or by bad luck.

    Where that is a card, and the play turned the result, it is the card that turned it for good:
    what was lost before, and given back, decided nothing.
    """
    costly, settled = decisive(judgements), _settled(judgements)
    if costly and costly[0].chair is not None:
        return next((one for one in costly if one is settled), costly[0])
    return next(iter(costly), None)


def result_turned(judgements: Sequence[Judgement]) -> bool:
    """Whether what decided is a call, or the cards turned making into failing, or the reverse."""
    turning = turning_point(judgements)
    if needed_tricks(judgements) is None or turning is None or turning.chair is None:
        return True
    return _settled(judgements) is not None


def needed_tricks(judgements: Sequence[Judgement]) -> int | None:
    """The tricks that the contract needs; None if it is not known, as with a small deck."""
    calls = [judgement for judgement in judgements if judgement.chair is None]
    bids = [judgement.action for judgement in calls if isinstance(judgement.action, Bid)]
    if not bids or any(judgement.verdict is Verdict.UNJUDGED for judgement in calls):
        return None
    return FULL_DECK.book + bids[-1].level


def ends(judgements: Sequence[Judgement]) -> tuple[int, int]:
    """Declarer's tricks with best play by everyone, before the first card and after the last."""
    cards = [judgement for judgement in judgements if judgement.tricks_after is not None]
    return (cards[0].double_dummy or 0, cards[-1].tricks_after or 0) if cards else (0, 0)


def _settled(judgements: Sequence[Judgement]) -> Judgement | None:
    """The last card that turned the result, if that is not the one of best play by everyone."""
    needed, (first, last) = needed_tricks(judgements), ends(judgements)
    if needed is None or (first >= needed) == (last >= needed):
        return None
    return next((one for one in reversed(judgements) if one.turns(needed)), None)


def well_played(judgements: Sequence[Judgement]) -> tuple[Judgement, float] | None:
    """The card that most experts would not have found, and how many would have lost by theirs.

    It was the best its player could do and cost nothing, and at least half of the experts would
    have played a card that is worse by both counts. None if there is no such card.
    """
    candidates = [
        (judgement, missed)
        for judgement in judgements
        if judgement.verdict is Verdict.BEST and not judgement.cost
        if (missed := _missed(judgement)) >= _MOST
    ]
    return max(candidates, key=lambda each: each[1], default=None)


def _missed(judgement: Judgement) -> float:
    """The share of experts for cards that lose on average and on the actual deal."""
    return sum(
        option.share or 0.0
        for option in judgement.options
        if option.points_loss > ERRORS * option.points_error
        and option.actual is not None
        and judgement.double_dummy is not None
        and abs(option.actual - judgement.double_dummy) >= 1
    )
