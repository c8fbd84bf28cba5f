"""What people write at a table, and whose messages they read."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Final

from tribridge.cards.deals import Seat
from tribridge.club.core.event_base import Change, Event, check_name, stored
from tribridge.club.core.names import alike, clean_text
from tribridge.club.core.state import ONLOOKERS, Message, State
from tribridge.club.errors import NotNowError, NotYoursError
from tribridge.club.language import mark

LONGEST_MESSAGE: Final = 200
MOST_MESSAGES: Final = 2000
"""Messages in the history of one table."""
KEPT_MESSAGES: Final = 50
"""Messages that are shown."""
PHRASES: Final = (
    mark("Hello!"),
    mark("Good luck!"),
    mark("Well played!"),
    mark("Thank you!"),
    mark("Sorry!"),
    mark("One moment, please."),
    mark("Good game!"),
    mark("Goodbye!"),
    "👏",
    "😊",
    "😮",
)


@stored("chat")
class Chat(Event):
    """A message from a seat, or from an onlooker with a name."""

    text: str
    seat: Seat | None = None
    name: str | None = None
    aside: ClassVar[bool] = True
    drawn: ClassVar[bool] = False

    def check(self, state: State) -> None:
        if self.name is not None:
            check_name(state, self.name, self.seat, alike)

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
            check_name(state, name)
        message = Message(state.number + 1, seat, name, text)
        messages = (*state.messages, message)[-KEPT_MESSAGES:]
        return replace(state, messages=messages, written=state.written + 1)


@stored("mute")
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
