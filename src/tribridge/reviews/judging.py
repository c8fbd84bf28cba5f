"""The review of a deal: each choice judged on its own, one after the other or by several processes.

The random numbers of a choice depend only on the seed and its place in the deal, and no clock has a
say. So a choice is judged the same alone, in a whole review, by any number of processes, and on
every machine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.common import charts
from tribridge.common.codec import also
from tribridge.common.errors import SettingError, quantity, unchanging
from tribridge.common.parallel import cores, worker_pool
from tribridge.forecast.distribution import TRICKS
from tribridge.game.auction import Call
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.game.table import Action, Table
from tribridge.game.views import view
from tribridge.reviews.calls import judge_call, settle_call
from tribridge.reviews.cards import judge_card, second_opinion, settle_card, value_cards
from tribridge.reviews.values import Judgement, NamedAction
from tribridge.reviews.wording import SEATS, Names, line, summaries
from tribridge.strategies.learned import valuing
from tribridge.strategies.players.search.evaluation import solver_of
from tribridge.strategies.protocol import actions_made, decision_rng

LAYOUTS: Final[int] = valuing.LAYOUTS
"""Layouts of a choice, fewer near the end; a deal takes some seconds."""
_FEWEST_LAYOUTS, _MOST_LAYOUTS = 8, 10_000
_FORCED: Final = 4
"""One in so many layouts is valued for a forced card: it needs no verdict, only an expectation."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a deal is reviewed."""

    layouts: int = LAYOUTS
    """Layouts valued for a choice, if there are so many."""
    seed: int = 1
    scheme: Scheme | None = None
    """Outside rubbers; None: the table's own, or else `auction`."""
    names: Names = SEATS
    """What to call North, East and South."""
    processes: int = 1
    """0: all cores."""

    def __post_init__(self) -> None:
        if not _FEWEST_LAYOUTS <= self.layouts <= _MOST_LAYOUTS:
            raise SettingError(
                f"the number of layouts must be {_FEWEST_LAYOUTS} to {_MOST_LAYOUTS:,}, "
                f"not {self.layouts}"
            )
        if self.processes < 0:
            raise SettingError(
                f"the number of processes must be 0 (all cores) or more, not {self.processes}"
            )


@also("curve")
@unchanging
@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A deal with all its judgements and one sentence about each player."""

    judgements: tuple[Judgement, ...]
    players: dict[Seat, str]
    """One sentence about each."""

    @property
    def summaries(self) -> dict[Seat, str]:
        return self.players

    @property
    def calls(self) -> tuple[Judgement, ...]:
        return tuple(judgement for judgement in self.judgements if judgement.chair is None)

    @property
    def cards(self) -> tuple[Judgement, ...]:
        return tuple(judgement for judgement in self.judgements if judgement.chair is not None)

    @property
    def curve(self) -> tuple[dict[str, float | None], ...]:
        """Declarer's tricks before each card: double dummy, and as the player on turn expects."""
        return tuple(
            {"double_dummy": card.double_dummy, "expected": card.expected} for card in self.cards
        )

    def __repr__(self) -> str:
        wrong = sum(judgement.verdict.wrong for judgement in self.judgements)
        judged = quantity(len(self.judgements), "choice")
        return f"<Review of {judged}, {wrong or 'none'} wrong>"

    def _repr_html_(self) -> str:
        """A sentence for each player, declarer's tricks through the play, the wrong choices."""
        parts: list[object] = [*self.players.values()]
        wrong = [judgement for judgement in self.judgements if judgement.verdict.wrong]
        if self.cards:
            lines: list[tuple[str, Sequence[float | None], str]] = [
                ("double dummy", [card.double_dummy for card in self.cards], charts.GREY),
                ("expected by the player", [card.expected for card in self.cards], charts.BLUE),
            ]
            marked = [at for at, card in enumerate(self.cards) if card in wrong]
            parts += ["Declarer's tricks before each card:", charts.curve(lines, TRICKS, marked)]
        if wrong:
            rows = [
                (choice.number, choice.seat, choice.action, choice.verdict, choice.reason)
                for choice in wrong
            ]
            parts.append(charts.table(("", "", "choice", "", "why"), rows, left=4))
        return charts.block(*parts)

    def __str__(self) -> str:
        """A line for each call and card, and one for each player."""
        lines = []
        for heading, judged in (("Auction", self.calls), ("Play", self.cards)):
            if judged:
                lines += [heading, *map(line, judged), ""]
        return "\n".join([*lines, *self.players.values()])


def review(
    table: Table,
    plan: Plan | None = None,
    progress: Callable[[Judgement], None] = lambda judgement: None,
) -> Review:
    """Judge every call and card of a deal; `progress` is called with each judgement in turn."""
    plan, judged = plan or Plan(), []
    for judgement in judgements(table, plan):
        progress(judgement)
        judged.append(judgement)
    words = {seat: str(sentence) for seat, sentence in summaries(judged, plan.names).items()}
    return Review(judgements=tuple(judged), players=words)


def judgements(table: Table, plan: Plan | None = None) -> Iterator[Judgement]:
    """The judgements on a deal in order, each as soon as it is made.

    Of a game of four players only the cards are judged: its calls are not those of three.
    """
    plan = plan or Plan()
    scheme = plan.scheme or table.scheme or find_scheme("auction")
    choices = _choices(replace(table, scheme=scheme))
    processes = plan.processes or cores()
    if processes == 1:
        for before, action in choices:
            yield judge(before, action, plan, later_calls(table, before))
        return
    with worker_pool(processes) as pool:
        pending: deque[Future[Judgement]] = deque()
        for before, action in choices:
            if len(pending) == processes:
                yield pending.popleft().result()
            later = later_calls(table, before)
            pending.append(pool.submit(judge, before, action, plan, later))
        while pending:
            yield pending.popleft().result()


def later_calls(table: Table, before: Table) -> tuple[Call, ...]:
    """The calls after the next one of an earlier table; none before the auction is over."""
    auction = table.auction
    return auction.calls[len(before.auction.calls) + 1 :] if auction.over else ()


def judge(
    table: Table, action: Action, plan: Plan, later: tuple[NamedAction, ...] = ()
) -> Judgement:
    """Judge one choice at a table, in the points of its scheme or rubber.

    What a call led to on the actual deal follows from the calls that came later, where they are
    known; they have no say in the verdict.
    """
    seat = table.turn
    assert seat is not None
    seen = view(table, seat)
    made = actions_made(table)
    rng = decision_rng(plan.seed, 0, seat, made)
    position = table.position
    if position is None:
        assert not isinstance(action, Card)
        scheme = table.scheme or find_scheme("auction")
        seed = int(rng.integers(1 << 31))
        judgement = judge_call(made + 1, seen, action, scheme, plan.layouts, seed)
        calls = [call for call in later if not isinstance(call, Card)]
        return settle_call(judgement, table, scheme, calls)
    assert isinstance(action, Card)
    layouts = plan.layouts if len(seen.legal) > 1 else plan.layouts // _FORCED
    values = value_cards(seen, layouts, rng, solve_endings=True)
    opinion = second_opinion(seen, rng)
    judgement = judge_card(made + 1, seen, action, values, opinion, plan.names)
    truth = solver_of(table.deal.deck).cards(position)
    return settle_card(judgement, values, truth, position.hands, plan.names)


def _choices(table: Table) -> Iterator[tuple[Table, Action]]:
    """The calls and cards of a deal, each with the table before it."""
    history, four = table.history, table.tags.four_handed
    # The calls of a game of four players were made by nobody: they stand for its auction.
    invented = len(table.auction.calls) if four else 0
    if table.deal.is_ending:
        raise SettingError(
            "an end position cannot be reviewed: nobody knows what was played before"
        )
    if not history:
        raise SettingError("there is nothing to review: the deal has no calls and no cards")
    if len(history) == invented:
        raise SettingError(
            "there is nothing to review: no card was played, and the calls are four players'"
        )
    return islice(zip(table.states(), history, strict=False), invented, None)
