"""Events, and the state of a table as their fold.

Every event is a class with its fields, the check against the rules of the game and what it makes
of a state (`fold`), so stored events always replay. `EVENTS` is the type of a list of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import GenericAlias
from typing import Annotated, Any, ClassVar, Final, Literal, Union, cast

from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat, three
from tribridge.club.core import event_base as base
from tribridge.club.core import wording
from tribridge.club.core.bots import bot_for
from tribridge.club.core.chat import Chat as Chat
from tribridge.club.core.chat import Mute as Mute
from tribridge.club.core.event_base import KINDS, Change, SeatEvent, stored
from tribridge.club.core.event_base import Event as Event
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.names import alike
from tribridge.club.core.state import NO_OPTIONS, Claim, Options, Places, State, put
from tribridge.club.errors import NotNowError, NotYoursError, StaleError
from tribridge.club.language import Text
from tribridge.common.codec import BY_KIND
from tribridge.common.errors import FormatError
from tribridge.game import Action, Table, parse_call

LATE_TURNS: Final = 3
"""Turns in a row that a person may let run out before their bot plays on."""


@stored("opened")
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


@stored("started")
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
                state = state.with_place(seat, name=base.seat_bot_name(state, seat), open=False)
        state = base.next_deal(state)
        for action in self.actions:
            turn = base.playing(state).turn
            assert turn is not None
            state = Act(turn, action).fold(state)
        return state


@stored("act")
class Act(SeatEvent):
    """A call or a card, as files write it."""

    action: str

    def fold(self, state: State) -> State:
        table, seat = base.playing(state), self.seat
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
        return state if after.outcome is None else base.close(state, after.outcome, claimed=False)


@stored("timeout")
class Timeout(SeatEvent):
    """A turn ran out of time; the action was chosen for the seat.

    A person with others at the table who goes on like that is away: their bot plays on.
    """

    action: str

    def fold(self, state: State) -> State:
        seat, place, late = self.seat, state.places[self.seat], state.late[self.seat] + 1
        if state.options.turn_seconds is None or not place.person:
            raise NotNowError("there is no turn of {seat} to run out", seat=seat)
        calling = base.playing(state).position is None
        state = Act(seat, self.action).fold(state)
        words = Text(
            "{name} ran out of time: a pass was chosen for them."
            if calling
            else "{name} ran out of time: a card was chosen for them.",
            name=place.name,
        )
        state = state.note(seat, words, late=put(state.late, seat, late))
        if late < LATE_TURNS or state.closed or len(state.people) < 2:
            return state
        bot = bot_for(place.strategy, seat).name
        gone = state.with_place(seat, person=False, away=True)
        return gone.note(seat, wording.away_words(place.name, bot))


@stored("undo")
class Undo(Change):
    """A person takes back their last action in the deal, and all that followed it."""

    def check(self, state: State) -> None:
        Change.check(self, state)
        if state.undo_to(self.seat) is None:
            raise NotNowError(
                "nothing to undo: only your own actions, when nobody else is at the table"
            )

    def fold(self, state: State) -> State:
        table, seat = base.playing(state), self.seat
        keep = state.last_action(seat)
        undone = table if keep is None else table.undo(len(table.history) - keep)
        name = state.places[seat].name
        return state.say(Text("{name} undoes the last action.", name=name), table=undone)


@stored("claim")
class ClaimTricks(SeatEvent):
    """The seat's side claims that many of the remaining tricks."""

    tricks: int

    def fold(self, state: State) -> State:
        table, seat, tricks = base.playing(state), self.seat, self.tricks
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
        return state.say(words, claim=Claim(seat, tricks), faced=state.faced | {seat})


@stored("answer")
class Answer(Event):
    """A person answers a claim, or the judge does for strategies."""

    seat: Literal["judge"] | Seat
    agree: bool
    helps: bool = False
    """Whether it counts as advice, as a judge's refusal does; files of older versions do not say.
    """

    def fold(self, state: State) -> State:
        table, claim = base.playing(state), state.claim
        if claim is None or table.position is None or table.contract is None:
            raise NotNowError("there is no claim to answer")
        seat = claim.seat if self.seat == "judge" else self.seat
        if self.seat != "judge" and (seat is claim.seat or not state.places[seat].person):
            raise NotYoursError("only the other people at the table can answer a claim")
        if not self.agree:
            who = Text("The judge") if self.seat == "judge" else state.places[seat].name
            words = Text("{name} refuses the claim: play continues.", name=who)
            if self.helps:
                words = Text(
                    "The judge refuses the claim: the cards in view do not make it certain. "
                    "The answer counts as advice."
                )
                state = base.advised(state, claim.seat)
            return state.refuse(words)
        return base.settled(replace(state, claim=replace(claim, agreed=claim.agreed | {seat})))


@stored("lapsed")
class Lapsed(Event):
    """A claim expired without an answer."""

    def fold(self, state: State) -> State:
        if state.claim is None:
            raise NotNowError("there is no claim to answer")
        return state.refuse(Text("Nobody answered the claim: play continues."))


@stored("next")
class NextDeal(Event):
    """The next deal of the match."""

    def fold(self, state: State) -> State:
        if not state.closed or state.over:
            raise NotNowError("the next deal cannot be dealt now")
        return base.next_deal(state)


@stored("onward")
class Onward(SeatEvent):
    """A person is ready for the next deal, which begins with the last of them."""

    aside: ClassVar[bool] = True
    dated: ClassVar[bool] = True

    def beside(self, state: State) -> bool:
        return state.closed

    def fold(self, state: State) -> State:
        seat, place = self.seat, state.places[self.seat]
        if not state.closed or state.over:
            raise NotNowError("the next deal cannot be dealt now")
        if not place.person:
            raise NotYoursError("nobody sits at {seat}", seat=seat)
        if seat in state.onward:
            return state
        since = state.onward_since if state.onward else self.time or 0.0
        state = replace(state, onward=state.onward | {seat}, onward_since=since)
        if state.all_onward:
            return base.next_deal(state)
        return state.say(Text("{name} is ready for the next deal.", name=place.name))


@stored("advised")
class Advised(SeatEvent):
    """A person has asked for advice: it counts once for each position.

    Other people are told so, once on each deal. Once the table has moved on from the position that
    they saw, it is refused.
    """

    at: int | None = None
    """The number of the last event that they knew of; files of older versions do not say."""
    aside: ClassVar[bool] = True

    def check(self, state: State) -> None:
        if not state.plan.hints:
            raise NotYoursError("this table is played without hints and advice")

    def fold(self, state: State) -> State:
        base.playing(state)
        if self.at is not None and self.at < state.since:
            raise StaleError("the table has moved on: reload and try again")
        told = any(seat is self.seat for seat, _ in state.advice) or len(state.people) < 2
        after = base.advised(state, self.seat)
        words = Text("{name} asks for advice.", name=state.places[self.seat].name)
        return state if after is state else after if told else after.say(words)


@stored("sat")
class Sat(Change):
    """A person takes an open seat; the first one is the host."""

    name: str

    def check(self, state: State) -> None:
        Change.check(self, state)
        base.check_name(state, self.name, self.seat, alike)

    def fold(self, state: State) -> State:
        seat, place = self.seat, state.places[self.seat]
        if not place.open:
            raise NotNowError("{seat} is taken by {name}", seat=seat, name=place.name)
        base.check_name(state, self.name, seat)
        state = state.with_place(
            seat, name=self.name, person=True, open=False, serial=place.serial + 1
        )
        state = state.say(Text(wording.SITS_DOWN, name=self.name, seat=seat))
        return state if state.host is not None else replace(state, host=seat)


@stored("left")
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
            state,
            host=host,
            ready=state.ready - {seat},
            onward=state.onward - {seat},
            rematch=state.rematch - {seat},
        )
        if not state.started:
            state = state.with_place(
                seat, name="", person=False, open=True, serial=place.serial + 1
            )
            return state.say(Text("{name} leaves.", name=place.name))
        bot = base.seat_bot_name(state, seat)
        state = state.with_place(seat, name=bot, person=False, serial=place.serial + 1)
        words = Text("{name} leaves; {bot} takes the seat.", name=place.name, bot=bot)
        return base.settled(state.note(seat, words))


@stored("away")
class Away(Change):
    """Its strategy plays for a person who has gone silent, or has left for a while."""

    left: bool = False

    def fold(self, state: State) -> State:
        place = state.places[self.seat]
        base.check_waiting(state, self.seat)
        bot = bot_for(place.strategy, self.seat).name
        words = wording.away_words(place.name, bot)
        if self.left:
            words = Text("{name} leaves; {bot} plays until they return.", name=place.name, bot=bot)
        away = state.with_place(self.seat, person=False, away=True)
        return base.settled(away.note(self.seat, words))


@stored("back")
class Back(SeatEvent):
    """A person for whom a strategy played is there again."""

    def fold(self, state: State) -> State:
        place = state.places[self.seat]
        if not place.away:
            raise NotNowError("no strategy is playing for {name}", name=place.name)
        here = state.with_place(self.seat, person=True, away=False)
        words = Text("{name} is back.", name=place.name)
        return here.note(self.seat, words, late=put(state.late, self.seat, 0))


@stored("gone")
class Gone(SeatEvent):
    """A person has left; the table waits for them."""

    def fold(self, state: State) -> State:
        base.check_waiting(state, self.seat)
        name = state.places[self.seat].name
        words = Text("{name} has left. The seat is kept for them.", name=name)
        return state if words in state.notes else state.note(self.seat, words)


@stored("replaced")
class Replaced(SeatEvent):
    """Another strategy takes the place of one that failed, for the rest of the deal."""

    strategy: str
    why: str

    def fold(self, state: State) -> State:
        seat, place = self.seat, state.places[self.seat]
        if place.person:
            raise NotNowError("{seat} is a person", seat=seat)
        name, bot = place.name, bot_for(self.strategy, seat).name
        if place.away:
            name = bot_for(place.strategy, seat).name
        words = Text(
            "Deal {number}: {name} did not answer in time; {bot} plays to the end of the deal."
            if self.why.startswith("took longer")
            else "Deal {number}: {name} failed; {bot} plays to the end of the deal.",
            number=state.deal + 1,
            name=name,
            bot=bot,
        )
        chosen = place.chosen or (place.name, place.strategy)
        shown = place.name if place.away else bot
        state = state.with_place(seat, name=shown, strategy=self.strategy, chosen=chosen)
        return state.note(seat, words, replaced=(*state.replaced, words))


@stored("ready")
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


@stored("bot")
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


@stored("rematch")
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


@stored("moved")
class Moved(Event):
    """The rematch is at another table."""

    table: str

    def fold(self, state: State) -> State:
        if not state.over or state.rematch_table is not None:
            raise NotNowError("the rematch has already begun")
        return state.say(Text("The rematch begins."), rematch_table=self.table)


_ANY: Final[Any] = Annotated[Union[tuple(KINDS)], BY_KIND]  # noqa: UP007
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


def went(state: State, seat: Seat) -> int:
    """The event with which a strategy began to play for a person; 0 if none plays.

    If it is no longer remembered, the first that is: it was before that.
    """
    if not state.places[seat].away:
        return 0
    gone = (
        number
        for number, past in reversed(state.recent)
        if isinstance(past, (Away, Timeout)) and past.seat is seat
    )
    return next(gone, state.recent[0][0])


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
