"""What all events of a table have in common, and how a deal begins and ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Literal, TypeVar, dataclass_transform

from tribridge.cards.deals import Seat, three
from tribridge.club.core import wording
from tribridge.club.core.bots import bot_name
from tribridge.club.core.names import free_name, same_name
from tribridge.club.core.state import Finished, State, put
from tribridge.club.errors import NotNowError, TooManyError
from tribridge.club.language import Text
from tribridge.common.errors import FormatError
from tribridge.game import Outcome, Record, Table, record_of

E = TypeVar("E", bound="Event")

MOST_CHANGES: Final = 300
"""How often one seat may change its mind at a table."""
KEPT_CHANGES: Final = 64
"""Changes that are remembered, to recognise one that is sent again."""


@dataclass(frozen=True, slots=True)
class Event:
    """What all events have. Those that are equal ask for the same."""

    time: float | None = field(default=None, kw_only=True, compare=False)
    """When it happened, at a table with a turn timer."""
    aside: ClassVar[bool] = False
    """Whether an action chosen before it is still valid."""
    drawn: ClassVar[bool] = True
    """Whether it changes the board."""
    dated: ClassVar[bool] = False
    """Whether its time counts at every table."""

    def fold(self, state: State) -> State:
        """Check the event and return what it makes of a state: itself if nothing changes."""
        raise FormatError("a table is opened by its first event")

    def check(self, state: State) -> None:
        """Refuse what may no longer be asked for, though stored events contain it."""

    def beside(self, state: State) -> bool:
        """Whether an action chosen before it is still valid in the state that it led to."""
        return self.aside

    def count(self, state: State) -> State:
        """The state into which the event was folded, after counting it."""
        number = state.number + 1
        drawn = number if self.drawn else state.drawn
        if self.beside(state):
            return replace(state, number=number, drawn=drawn)
        return replace(
            state,
            number=number,
            since=number,
            drawn=drawn,
            turn_since=self.time or 0.0,
            recent=(*state.recent[1 - KEPT_CHANGES :], (number, self)),
        )


KINDS: Final[list[type[Event]]] = []
"""The events that are stored."""


@dataclass_transform(frozen_default=True)
def stored(kind: str) -> Callable[[type[E]], type[E]]:
    """Decorate an event that the store writes and reads under a kind, its last field."""

    def decorate(cls: type[E]) -> type[E]:
        cls.__annotations__["kind"] = Literal[kind]
        setattr(cls, "kind", kind)  # noqa: B010
        made = dataclass(frozen=True, slots=True)(cls)
        KINDS.append(made)
        return made

    return decorate


@dataclass(frozen=True, slots=True)
class SeatEvent(Event):
    """An event of a seat."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Change(SeatEvent):
    """What a person can ask for again and again without playing on: it is counted."""

    def check(self, state: State) -> None:
        if state.changes[self.seat] >= MOST_CHANGES:
            raise TooManyError(
                "{seat} has made {most} changes at this table, the most that one seat may make: "
                "play on, or open another table",
                seat=self.seat,
                most=MOST_CHANGES,
            )

    def count(self, state: State) -> State:
        changes = put(state.changes, self.seat, state.changes[self.seat] + 1)
        return SeatEvent.count(self, replace(state, changes=changes))


def check_name(
    state: State,
    name: str,
    seat: Seat | None = None,
    same: Callable[[str, str], bool] = same_name,
) -> None:
    """Refuse a name that someone else at the table has."""
    taken = [
        place.name for other, place in zip(Seat, state.places, strict=True) if other is not seat
    ]
    if state.options.one_name and any(same(name, other) for other in taken if other):
        raise NotNowError(
            "there is already someone called {name} at this table: choose another name, such as "
            "{free}",
            name=name,
            free=free_name(name, taken),
        )


def seat_bot_name(state: State, seat: Seat) -> str:
    """The name of the bot that takes a seat."""
    one_name = state.options.one_name
    return bot_name(state.places, state.places[seat].strategy, seat, one_name=one_name)


def playing(state: State) -> Table:
    """The deal in progress; refused if there is none."""
    if state.table is None:
        raise NotNowError("the match has not begun")
    if state.closed:
        raise NotNowError("the deal is over")
    return state.table


def check_waiting(state: State, seat: Seat) -> None:
    """Refuse what concerns a person for whom the table does not wait."""
    if not state.places[seat].person or not state.started or state.over:
        raise NotNowError("the table is not waiting for anyone at {seat}", seat=seat)


def next_deal(state: State) -> State:
    """The table with the cards of the next deal."""
    table = state.match.table()
    places = three(
        place
        if place.chosen is None
        else replace(place, name=place.chosen[0], strategy=place.chosen[1], chosen=None)
        for place in state.places
    )
    fresh = replace(
        state,
        places=places,
        table=table,
        closed=False,
        onward=frozenset(),
        claim=None,
        faced=frozenset(),
        refused_at=None,
        advice=(),
        said=(),
        noted=(),
    )
    deals = None if table.rubber is not None else state.match.deals
    return fresh.say(wording.deal_words(fresh.deal + 1, deals, places[table.dealer].name))


def advised(state: State, seat: Seat) -> State:
    """The state after a seat was helped: itself if it was helped in this position already."""
    helped = (seat, len(state.actions))
    return state if helped in state.advice else replace(state, advice=(*state.advice, helped))


def scored_table(state: State) -> Table:
    """The current deal, with who is vulnerable in its rubber."""
    table = state.table
    assert table is not None
    if table.rubber is None:
        return table
    return replace(table, vulnerable=table.rubber.vulnerable)


def record_so_far(state: State) -> Record:
    """The record of the current deal."""
    return record_of(scored_table(state), number=state.match.first + state.deal)


def close(state: State, outcome: Outcome, *, claimed: bool) -> State:
    """The table after a deal, which is on the score sheet."""
    advised = tuple(seat for seat, _ in state.advice)
    finished = Finished(record_so_far(state), outcome, claimed, advised)
    closed = replace(
        state,
        match=state.match.add(outcome),
        finished=(*state.finished, finished),
        closed=True,
        claim=None,
    )
    return closed.say(wording.result_sentence(closed, outcome))


def settled(state: State) -> State:
    """The deal closed by its claim, once all who must agree have done so."""
    claim, table = state.claim, state.table
    if claim is None or table is None or not state.answering <= claim.agreed:
        return state
    assert table.position is not None
    assert table.contract is not None
    left = table.deal.deck.hand_size - len(table.position.tricks)
    declaring = claim.seat is table.contract.declarer
    won = table.position.won + (claim.tricks if declaring else left - claim.tricks)
    state = state.say(Text("The claim stands."))
    return close(state, Outcome(table.contract, won), claimed=True)
