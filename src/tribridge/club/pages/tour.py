"""Lessons on the real board, one action per step; the first is "Learn in five minutes".

The steps are data in `tour.toml`. A step is a position of a real deal; the URL holds the step and
the action that the learner tried, so nothing is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Annotated, Final

import numpy as np
from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from tribridge.cards.cards import FULL_DECK, Card, Deck
from tribridge.cards.deals import Deal, Seat
from tribridge.club.core.bots import bot_for
from tribridge.club.core.events import parse_action
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.state import Place, State
from tribridge.club.language import gettext, texts, translated
from tribridge.club.pages.board import board_context
from tribridge.club.pages.templates import page
from tribridge.club.server.access import AskedOf, knows_rules
from tribridge.club.view.table import SeatView, seat_view
from tribridge.common import codec
from tribridge.common.errors import TribridgeError
from tribridge.game import Chair, Table, new_table, view
from tribridge.game.standing import NONE, Three
from tribridge.game.view_json import action_name
from tribridge.strategies import find_strategy, guarded
from tribridge.strategies.protocol import position_of
from tribridge.strategies.reasons import reason_for

router = APIRouter(include_in_schema=False)

_YOU: Final = Seat.SOUTH
_BOTS: Final = "points+maxims"
"""Who plays against the learner: they can name the rule behind a card."""
_SCHEME: Final = "auction"
FORM: Final = "tour"
"""The id of the form that takes the learner's actions."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of a lesson, as `tour.toml` has it and explains it."""

    lesson: int = 1
    number: int = 1
    """In its lesson, from 1."""
    title: str
    text: str
    task: str
    deal: str
    dealer: Seat
    actions: str
    accept: tuple[str, ...]
    then: str = ""
    right: str
    wrong: dict[str, str]
    fine: dict[str, str] = field(default_factory=dict)
    bare: bool = False
    show: str = ""
    laws: str | None = None
    below: Three = NONE
    games: Three = NONE

    @cached_property
    def plan(self) -> MatchPlan:
        """The match that the learner's table plays."""
        plan = MatchPlan(seed=0, deals=1, scheme=_SCHEME, deck=str(_deal(self.deal).deck))
        if self.laws is None:
            return plan
        return replace(plan, laws=self.laws, doubles=True, below=self.below, games=self.games)

    @cached_property
    def table(self) -> Table:
        """The position in which the learner acts."""
        rubber, doubles = self.plan.match().table().rubber, self.plan.doubles
        table = new_table(_deal(self.deal), self.dealer, doubles=doubles, rubber=rubber)
        return _play(table, self.actions)

    def after(self, action: str) -> Table:
        """The position after a right action and what the others do then."""
        return _play(self.table, f"{action} {self.then}")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A step as the learner sees it."""

    step: Step
    steps: int
    title: str
    next_title: str
    """The lesson after this one; empty after the last."""
    verdict: str
    """`right`, `wrong`, or empty before an action."""
    feedback: str
    seen: SeatView

    @property
    def last(self) -> bool:
        return self.step.number == self.steps

    @property
    def show(self) -> str:
        """What glows on the board: what the text is about, and after a mistake what is right."""
        if not self.verdict:
            return self.step.show
        kind = "call" if self.step.table.position is None else "card"
        right = self.step.accept if self.verdict == "wrong" else ()
        return ", ".join(f"#{kind}-{action}" for action in right)


@router.get("/learn")
async def learn(
    here: AskedOf,
    step: Annotated[int, Query()] = 1,
    action: Annotated[str, Query(max_length=8)] = "",
    lesson: Annotated[int, Query()] = 1,
) -> HTMLResponse:
    """One step of a lesson, before or after the learner's action."""
    shown = lesson_of(lesson, step, action)
    template = "board.html" if here.for_part else "learn.html"
    response = page(template, lesson=shown, **board_context(shown.seen, here.order))
    if lesson > 1 and shown.last:
        knows_rules(response)
    return response


@router.get("/glossary")
async def glossary() -> HTMLResponse:
    """All terms on one page."""
    return page("glossary.html")


def lesson_of(lesson: int, number: int, action: str) -> Lesson:
    """A step with what there is to say about an action; a step beyond the last is the last."""
    titles = texts("pages/tour.toml")["lessons"]
    at = max(1, min(lesson, len(titles)))
    chosen = [step for step in steps() if step.lesson == at]
    step = chosen[max(1, min(number, len(chosen))) - 1]
    verdict, feedback = judge(step, action)
    table = step.after(action) if verdict == "right" else step.table
    seen = seat_view("learn", _state(step, table), _YOU)
    words = {"right": gettext("Right: {title}"), "wrong": gettext("Not quite: {title}")}
    title = words.get(verdict, "{title}").format(title=gettext(step.title))
    place = gettext("step {step} of {steps}").format(step=step.number, steps=len(chosen))
    seen = replace(seen, form=FORM, title=f"{title} · {place}", reasons=reasons(table))
    if verdict == "right":  # the next action belongs to the next step
        seen = replace(seen, instead=gettext("Well done"))
    elif seen.chair is not None:  # a card that may not be played can be tried, too
        seen = replace(seen, legal=seen.dummy or () if seen.chair is Chair.DUMMY else seen.hand)
    return Lesson(
        step,
        len(chosen),
        titles[at - 1],
        "".join(titles[at : at + 1]),
        verdict,
        feedback,
        seen,
    )


def judge(step: Step, text: str) -> tuple[str, str]:
    """Whether an action is right in a step, and what to say about it."""
    if not text:
        return "", ""
    play = step.table.position
    sentences = texts("pages/tour.toml")["texts"]
    illegal = gettext(sentences["illegal"])
    try:
        action = parse_action(text, step.table)
    except TribridgeError as error:
        return "wrong", illegal.format(reason=error)
    try:
        step.table.check(action)
    except TribridgeError as error:
        if play is not None and isinstance(action, Card) and play.mine & action.bit:
            follow = sentences["dummy_follows" if play.chair is Chair.DUMMY else "follow"]
            suit = translated(play.trick[0].suit).capitalize()
            return "wrong", gettext(follow).format(led=suit)
        return "wrong", illegal.format(reason=error)
    name = action_name(action)
    if name in step.accept:
        return "right", gettext(step.fine.get(name, step.right))
    return "wrong", gettext(step.wrong.get(name, step.wrong["other"]))


@cache
def reasons(table: Table) -> tuple[tuple[Card, str], ...]:
    """Why the others played their cards of the trick on the table, from what each of them saw.

    It is the reason of their strategy, or what can be said for the card that a lesson has chosen.
    """
    told = []
    cards = table.history[len(table.auction.calls) :]
    for back in range(1, ((len(cards) - 1) % 4 + 1 if cards else 0) + 1):
        before, card = table.undo(back), table.history[-back]
        if before.turn is _YOU or before.turn is None or not isinstance(card, Card):
            continue
        seen = view(before, before.turn)
        choice = guarded(find_strategy(_BOTS), seen, np.random.default_rng(1))
        reason = choice.reason if choice.action == card else reason_for(position_of(seen), card)
        if reason:
            told.append((card, reason))
    return tuple(told)


@cache
def steps() -> tuple[Step, ...]:
    """All steps, in order."""
    made: list[Step] = []
    for step in codec.read(texts("pages/tour.toml")["steps"], tuple[Step, ...]):
        number = sum(other.lesson == step.lesson for other in made) + 1
        made.append(replace(step, number=number))
    return tuple(made)


def _deal(name: str) -> Deal:
    text: str = texts("pages/tour.toml")["deals"][name]
    if text[0].isdigit():
        deck, _, hands = text.partition(" ")
        return Deal(hands, Deck(deck))
    return Deal(text, FULL_DECK)


def _play(table: Table, actions: str) -> Table:
    for action in actions.split():
        table = table.apply(parse_action(action, table))
    return table


def _state(step: Step, table: Table) -> State:
    """A table at which the learner sits with two bots."""
    north, east = (Place(bot_for(_BOTS, s).name, _BOTS) for s in (Seat.NORTH, Seat.EAST))
    return State(
        number=step.number,
        plan=step.plan,
        match=step.plan.match(),
        places=(north, east, Place(str(_YOU), _BOTS, person=True)),
        strategy_seed=0,
        table=table,
    )
