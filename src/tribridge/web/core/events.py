"""Events, and the state of a table as their fold.

Every event is a class with its fields, the check against the rules of the game and what it makes
of a state (`fold`), so stored events always replay. `EVENTS` is the type of a list of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from types import GenericAlias
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
)

from tribridge.cards import Card
from tribridge.codec import BY_KIND
from tribridge.deals import Seat, three
from tribridge.errors import FormatError
from tribridge.game import Action, Outcome, Table, parse_call, record_of
from tribridge.web.core import wording
from tribridge.web.core.bots import bot_for, bot_name
from tribridge.web.core.matches import MatchPlan
from tribridge.web.core.names import alike, clean_text, free_name, same_name
from tribridge.web.core.state import (
    NO_OPTIONS,
    ONLOOKERS,
    Claim,
    Finished,
    Message,
    Options,
    Places,
    State,
    last_action_of,
    put,
)
from tribridge.web.errors import NotNowError, NotYoursError, TooManyError
from tribridge.web.language import Text, mark

E = TypeVar("E", bound="Event")

LONGEST_MESSAGE: Final = 200
MOST_MESSAGES: Final = 2000
"""Messages in the history of one table."""
KEPT_MESSAGES: Final = 50
"""Messages that are shown."""
MOST_CHANGES: Final = 300
"""How often one seat may change its mind at a table."""
LATE_TURNS: Final = 3
"""Turns in a row that a person may let run out before their bot plays on."""
KEPT_CHANGES: Final = 64
"""Changes that are remembered, to recognise one that is sent again."""
PHRASES: Final = (
    mark("Hello!"),
    mark("Good luck!"),
    mark("Well played!"),
    mark("Thank you!"),
    mark("Sorry!"),
    mark("One moment, please."),
    mark("Good game!"),
    mark("Goodbye!"),
)


@dataclass(frozen=True, slots=True)
class Event:
    """What all events have. Those that are equal ask for the same."""

    time: float | None = field(default=None, kw_only=True, compare=False)
    """When it happened, at a table with a turn timer."""
    aside: ClassVar[bool] = False
    """Whether an action chosen before it is still valid."""
    drawn: ClassVar[bool] = True
    """Whether it changes the board."""

    def fold(self, state: State) -> State:
        """Check the event and return what it makes of a state: itself if nothing changes."""
        raise FormatError("a table is opened by its first event")

    def check(self, state: State) -> None:
        """Refuse what may no longer be asked for, though stored events contain it."""

    def count(self, state: State) -> State:
        """The state into which the event was folded, after counting it."""
        number = state.number + 1
        drawn = number if self.drawn else state.drawn
        if self.aside:
            return replace(state, number=number, drawn=drawn)
        return replace(
            state,
            number=number,
            since=number,
            drawn=drawn,
            turn_since=self.time or 0.0,
            recent=(*state.recent[1 - KEPT_CHANGES :], (number, self)),
        )


_EVENTS: Final[list[type[Event]]] = []


@dataclass_transform(frozen_default=True)
def _event(kind: str) -> Callable[[type[E]], type[E]]:
    """Decorate an event that the store writes and reads under a kind, its last field."""

    def decorate(cls: type[E]) -> type[E]:
        cls.__annotations__["kind"] = Literal[kind]
        setattr(cls, "kind", kind)  # noqa: B010
        made = dataclass(frozen=True, slots=True)(cls)
        _EVENTS.append(made)
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


@_event("opened")
class Opened(Event):
    """The first event of a table."""

    match: MatchPlan
    places: Places
    dice: int
    """The seed of the strategies' randomness, unrelated to that of the cards."""
    options: Options = NO_OPTIONS

    def state(self) -> State:
        places = (replace(place, serial=int(place.person or place.away)) for place in self.places)
        return State(
            number=1,
            plan=self.match,
            match=self.match.match(),
            places=three(places),
            strategy_seed=self.dice,
            options=self.options,
            turn_since=self.time or 0.0,
            recent=((1, self),),
            host=next((seat for seat in Seat if self.places[seat].person), None),
        )


@_event("sat")
class Sat(Change):
    """A person takes an open seat; the first one is the host."""

    name: str

    def check(self, state: State) -> None:
        Change.check(self, state)
        _check_name(state, self.name, self.seat, alike)

    def fold(self, state: State) -> State:
        seat, place = self.seat, state.places[self.seat]
        if not place.open:
            raise NotNowError("{seat} is taken by {name}", seat=seat, name=place.name)
        _check_name(state, self.name, seat)
        state = state.with_place(
            seat, name=self.name, person=True, open=False, serial=place.serial + 1
        )
        state = state.say(Text("{name} sits down as {seat}.", name=self.name, seat=seat))
        return state if state.host is not None else replace(state, host=seat)


@_event("started")
class Started(Event):
    """Strategies fill the seats that are still open; the first deal begins after some actions."""

    seat: Seat | None = None
    """The host who started it; None for the table itself."""
    actions: tuple[str, ...] = ()

    def fold(self, state: State) -> State:
        if state.started:
            raise NotNowError("the match has already begun")
        if self.seat is not None and state.host is not None and self.seat is not state.host:
            name = state.places[state.host].name
            raise NotYoursError("only the host, {name}, can start the match", name=name)
        for seat in Seat:
            if state.places[seat].open:
                state = state.with_place(seat, name=_bot_name(state, seat), open=False)
        state = _deal(state)
        for action in self.actions:
            turn = _playing(state).turn
            assert turn is not None
            state = Act(turn, action).fold(state)
        return state


@_event("act")
class Act(SeatEvent):
    """A call or a card, as files write it."""

    action: str

    def fold(self, state: State) -> State:
        table, seat = _playing(state), self.seat
        if state.claim is not None:
            raise NotNowError("a claim is waiting for an answer")
        if table.turn is not seat:
            turn = table.turn
            raise NotYoursError("{seat} cannot act: it is {turn}'s turn", seat=seat, turn=turn)
        action = parse_action(self.action, table)
        chair = None if table.position is None else table.position.chair
        after = table.apply(action, seat)
        words = wording.sentence(state.places[seat].name, action, chair)
        state = state.say(words, table=after, late=put(state.late, seat, 0))
        play, contract = after.position, after.contract
        if play is not None and contract is not None:
            if chair is None:
                name = state.places[contract.declarer].name
                state = state.say(wording.declares_words(name, contract))
            elif not play.trick:
                winner = play.tricks[-1].winner
                name = state.places[winner.player(contract.declarer)].name
                state = state.say(wording.trick_words(name, winner))
        return state if after.outcome is None else _close(state, after.outcome, claimed=False)


@_event("timeout")
class Timeout(SeatEvent):
    """A turn ran out of time; the action was chosen for the seat.

    A person with others at the table who goes on like that is away: their bot plays on.
    """

    action: str

    def fold(self, state: State) -> State:
        seat, place, late = self.seat, state.places[self.seat], state.late[self.seat] + 1
        if state.options.turn_seconds is None or not place.person:
            raise NotNowError("there is no turn of {seat} to run out", seat=seat)
        calling = _playing(state).position is None
        state = Act(seat, self.action).fold(state)
        words = Text(
            "{name} ran out of time: a pass was chosen for them."
            if calling
            else "{name} ran out of time: a card was chosen for them.",
            name=place.name,
        )
        state = state.note(words, late=put(state.late, seat, late))
        if late < LATE_TURNS or state.closed or len(state.people) < 2:
            return state
        bot = bot_for(place.strategy, seat).name
        gone = state.with_place(seat, person=False, away=True)
        return gone.note(wording.away_words(place.name, bot))


@_event("undo")
class Undo(Change):
    """A person takes back their last action in the deal, and all that followed it."""

    def check(self, state: State) -> None:
        Change.check(self, state)
        if state.undo_to(self.seat) is None:
            raise NotNowError(
                "nothing to undo: only your own actions, when nobody else is at the table"
            )

    def fold(self, state: State) -> State:
        table, seat = _playing(state), self.seat
        record, keep = record_of(table), last_action_of(table, seat)
        kept = replace(record, actions=record.actions[:keep]).replay()
        name = state.places[seat].name
        return state.say(Text("{name} undoes the last action.", name=name), table=kept)


@_event("claim")
class ClaimTricks(SeatEvent):
    """The seat's side claims that many of the remaining tricks."""

    tricks: int

    def fold(self, state: State) -> State:
        table, seat, tricks = _playing(state), self.seat, self.tricks
        if table.position is None or not state.may_claim(seat):
            raise NotNowError("claim on your turn, between tricks, and at most once per trick")
        left = table.deal.deck.hand_size - len(table.position.tricks)
        if not 0 <= tricks <= left:
            raise NotNowError("a claim must be for 0 to {left} of the remaining tricks", left=left)
        words = Text(
            "{name} claims {tricks} of the {left} remaining tricks.",
            name=state.places[seat].name,
            tricks=tricks,
            left=left,
        )
        return state.say(words, claim=Claim(seat, tricks))


@_event("answer")
class Answer(Event):
    """A person answers a claim, or the judge does for strategies."""

    seat: Literal["judge"] | Seat
    agree: bool

    def fold(self, state: State) -> State:
        table, claim = _playing(state), state.claim
        if claim is None or table.position is None or table.contract is None:
            raise NotNowError("there is no claim to answer")
        seat = claim.seat if self.seat == "judge" else self.seat
        if self.seat != "judge" and (seat is claim.seat or not state.places[seat].person):
            raise NotYoursError("only the other people at the table can answer a claim")
        if not self.agree:
            who = Text("The judge") if self.seat == "judge" else state.places[seat].name
            words = Text("{name} refuses the claim: play continues.", name=who)
            return state.say(words, claim=None, refused_at=len(state.actions))
        return _settled(replace(state, claim=replace(claim, agreed=claim.agreed | {seat})))


@_event("lapsed")
class Lapsed(Event):
    """A claim expired without an answer."""

    def fold(self, state: State) -> State:
        if state.claim is None:
            raise NotNowError("there is no claim to answer")
        words = Text("Nobody answered the claim: play continues.")
        return state.say(words, claim=None, refused_at=len(state.actions))


@_event("next")
class NextDeal(Event):
    """The next deal of the match."""

    def fold(self, state: State) -> State:
        if not state.closed or state.over:
            raise NotNowError("the next deal cannot be dealt now")
        return _deal(state)


@_event("advised")
class Advised(SeatEvent):
    """A person has asked for advice: it counts once for each position.

    Other people are told so, once on each deal.
    """

    aside: ClassVar[bool] = True

    def check(self, state: State) -> None:
        if not state.plan.hints:
            raise NotYoursError("this table is played without hints and advice")

    def fold(self, state: State) -> State:
        _playing(state)
        asked = (self.seat, len(state.actions))
        if asked in state.advice:
            return state
        told = any(seat is self.seat for seat, _ in state.advice) or len(state.people) < 2
        state = replace(state, advice=(*state.advice, asked))
        words = Text("{name} asks for advice.", name=state.places[self.seat].name)
        return state if told else state.say(words)


@_event("left")
class Left(SeatEvent):
    """A person gives up the seat to a strategy: the next one is the host."""

    def fold(self, state: State) -> State:
        seat, place = self.seat, state.places[self.seat]
        if not place.person:
            raise NotNowError("nobody sits there: {name} plays {seat}", name=place.name, seat=seat)
        host = state.host
        if host is seat:
            host = next((other for other in state.people if other is not seat), None)
        state = replace(
            state, host=host, ready=state.ready - {seat}, rematch=state.rematch - {seat}
        )
        if not state.started:
            state = state.with_place(
                seat, name="", person=False, open=True, serial=place.serial + 1
            )
            return state.say(Text("{name} leaves.", name=place.name))
        bot = _bot_name(state, seat)
        state = state.with_place(seat, name=bot, person=False, serial=place.serial + 1)
        words = Text("{name} leaves; {bot} takes the seat.", name=place.name, bot=bot)
        return _settled(state.note(words))


@_event("away")
class Away(Change):
    """Its strategy plays for a person who has gone silent, or has left for a while."""

    left: bool = False

    def fold(self, state: State) -> State:
        place = state.places[self.seat]
        _check_waiting(state, self.seat)
        bot = bot_for(place.strategy, self.seat).name
        words = wording.away_words(place.name, bot)
        if self.left:
            words = Text("{name} leaves; {bot} plays until they return.", name=place.name, bot=bot)
        return _settled(state.with_place(self.seat, person=False, away=True).note(words))


@_event("back")
class Back(SeatEvent):
    """A person for whom a strategy played is there again."""

    def fold(self, state: State) -> State:
        place = state.places[self.seat]
        if not place.away:
            raise NotNowError("no strategy is playing for {name}", name=place.name)
        here = state.with_place(self.seat, person=True, away=False)
        words = Text("{name} is back.", name=place.name)
        return here.note(words, late=put(state.late, self.seat, 0))


@_event("gone")
class Gone(SeatEvent):
    """A person has left; the table waits for them."""

    def fold(self, state: State) -> State:
        _check_waiting(state, self.seat)
        name = state.places[self.seat].name
        words = Text("{name} has left. The seat is kept for them.", name=name)
        return state if words in state.notes else state.note(words)


@_event("replaced")
class Replaced(SeatEvent):
    """Another strategy takes the place of one that failed."""

    strategy: str
    why: str

    def fold(self, state: State) -> State:
        seat, place = self.seat, state.places[self.seat]
        if place.person:
            raise NotNowError("{seat} is a person", seat=seat)
        bot = bot_for(self.strategy, seat)
        late = re.fullmatch(r"took longer than (\S+) seconds", self.why)
        words = Text(
            "{name} took longer than {seconds} seconds: {bot} plays for {seat} now."
            if late
            else "{name} failed: {bot} plays for {seat} now.",
            name=place.name,
            seconds=late[1] if late else "",
            bot=bot.name,
            seat=seat,
        )
        return state.with_place(seat, name=bot.name, strategy=self.strategy).note(words)


@_event("ready")
class Ready(Change):
    """A person waiting for the start is ready, or no longer."""

    ready: bool
    aside: ClassVar[bool] = True

    def fold(self, state: State) -> State:
        seat, name = self.seat, state.places[self.seat].name
        if state.started:
            raise NotNowError("the match has already begun")
        if not state.places[seat].person:
            raise NotNowError("nobody sits at {seat}", seat=seat)
        if self.ready is (seat in state.ready):
            return state
        words = Text("{name} is ready." if self.ready else "{name} is not ready yet.", name=name)
        return state.say(words, ready=state.ready ^ {seat})


@_event("bot")
class ChooseBot(Change):
    """The host chooses the strategy for an open seat."""

    strategy: str

    def fold(self, state: State) -> State:
        place = state.places[self.seat]
        if not place.open or state.started:
            raise NotNowError(
                "{seat} is not open: bots are chosen for open seats before the start",
                seat=self.seat,
            )
        if self.strategy == place.strategy:
            return state
        return state.with_place(self.seat, strategy=self.strategy)


@_event("chat")
class Chat(Event):
    """A message from a seat, or from an onlooker with a name."""

    text: str
    seat: Seat | None = None
    name: str | None = None
    aside: ClassVar[bool] = True
    drawn: ClassVar[bool] = False

    def check(self, state: State) -> None:
        if self.name is not None:
            _check_name(state, self.name, self.seat, alike)

    def fold(self, state: State) -> State:
        seat, options = self.seat, state.options
        text = clean_text(self.text, LONGEST_MESSAGE + 1)
        if options.chat == "off":
            raise NotNowError("this table is played without chat")
        if seat is None and not options.onlooker_chat:
            raise NotYoursError("onlookers cannot write at this table")
        if not text:
            raise NotNowError("an empty message: write something, or choose a phrase")
        if len(text) > LONGEST_MESSAGE:
            raise NotNowError("a message has at most {most} characters", most=LONGEST_MESSAGE)
        if options.chat == "phrases" and text not in PHRASES:
            raise NotNowError(
                "only phrases can be sent at this table: {phrases}", phrases=" ".join(PHRASES)
            )
        if state.written >= MOST_MESSAGES:
            raise NotNowError(
                "the chat of this table is full after {most} messages", most=MOST_MESSAGES
            )
        name = self.name or "" if seat is None else state.places[seat].name
        if seat is None:
            _check_name(state, name)
        message = Message(state.number + 1, seat, name, text)
        messages = (*state.messages, message)[-KEPT_MESSAGES:]
        return replace(state, messages=messages, written=state.written + 1)


@_event("mute")
class Mute(Change):
    """A seat no longer reads someone: another seat, or the onlookers."""

    whom: str
    on: bool
    aside: ClassVar[bool] = True
    drawn: ClassVar[bool] = False

    def fold(self, state: State) -> State:
        whom = self.whom if self.whom == ONLOOKERS else Seat(self.whom).letter
        if whom == self.seat.letter:
            raise NotNowError("you cannot mute yourself")
        pair = (self.seat, whom)
        if self.on is (pair in state.muted):
            return state
        return replace(state, muted=state.muted ^ {pair})


@_event("rematch")
class Rematch(SeatEvent):
    """A person would like to play again."""

    aside: ClassVar[bool] = True

    def fold(self, state: State) -> State:
        seat = self.seat
        if not state.over:
            raise NotNowError("a rematch can be asked for when the match is over")
        if state.options.challenge is not None:
            raise NotNowError("a challenge is played once")
        if not state.places[seat].person:
            raise NotYoursError("nobody sits at {seat}", seat=seat)
        if state.rematch_table is not None or seat in state.rematch:
            return state
        words = Text("{name} would like a rematch.", name=state.places[seat].name)
        return state.say(words, rematch=state.rematch | {seat})


@_event("moved")
class Moved(Event):
    """The rematch is at another table."""

    table: str

    def fold(self, state: State) -> State:
        if not state.over or state.rematch_table is not None:
            raise NotNowError("the rematch has already begun")
        return state.say(Text("The rematch begins."), rematch_table=self.table)


_ANY: Final[Any] = Annotated[Union[tuple(_EVENTS)], BY_KIND]  # noqa: UP007
EVENTS: Final = cast(type[list[Event]], GenericAlias(list, _ANY))
"""The type of stored events, told apart by their kind."""


def after(state: State, event: Event) -> State:
    """Check an event and return the state after it."""
    return event.count(event.fold(state))


def repeated(state: State, event: Event, at: int | None) -> bool:
    """Whether an event is already the first that followed `at`: its answer was lost."""
    if at is None or at < state.recent[0][0] - 1:
        return False
    return next((past for number, past in state.recent if number > at), None) == event


def states(events: Iterable[Event]) -> Iterable[tuple[Event, State]]:
    """The events of a table, each with the state after it."""
    state: State | None = None
    for event in events:
        if state is not None:
            state = after(state, event)
        elif isinstance(event, Opened):
            state = event.state()
        else:
            raise FormatError("the first event of a table must be an opened event")
        yield event, state


def replay(events: Iterable[Event]) -> State | None:
    """The state that events lead to; None for no events."""
    state = None
    for _, after in states(events):
        state = after
    return state


def parse_action(text: str, table: Table) -> Action:
    """Read a call or a card, whichever is due."""
    return parse_call(text) if table.position is None else Card(text)


def _check_name(
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


def _bot_name(state: State, seat: Seat) -> str:
    one_name = state.options.one_name
    return bot_name(state.places, state.places[seat].strategy, seat, one_name=one_name)


def _playing(state: State) -> Table:
    if state.table is None:
        raise NotNowError("the match has not begun")
    if state.closed:
        raise NotNowError("the deal is over")
    return state.table


def _check_waiting(state: State, seat: Seat) -> None:
    if not state.places[seat].person or not state.started or state.over:
        raise NotNowError("the table is not waiting for anyone at {seat}", seat=seat)


def _deal(state: State) -> State:
    table = state.match.table()
    fresh = replace(
        state,
        table=table,
        closed=False,
        claim=None,
        refused_at=None,
        advice=(),
        said=(),
        notes=(),
    )
    deals = None if table.rubber is not None else state.match.deals
    return fresh.say(wording.deal_words(fresh.deal + 1, deals, state.places[table.dealer].name))


def _close(state: State, outcome: Outcome, *, claimed: bool) -> State:
    table = state.table
    assert table is not None
    record = record_of(
        table,
        number=state.match.first + state.deal,
        scheme=state.match.scheme.name if table.rubber is None else None,
        vulnerable=() if table.rubber is None else table.rubber.vulnerable,
    )
    finished = Finished(record, outcome, claimed, tuple(seat for seat, _ in state.advice))
    closed = replace(
        state,
        match=state.match.add(outcome),
        finished=(*state.finished, finished),
        closed=True,
        claim=None,
    )
    return closed.say(wording.result_sentence(closed, outcome))


def _settled(state: State) -> State:
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
    return _close(state, Outcome(table.contract, won), claimed=True)
