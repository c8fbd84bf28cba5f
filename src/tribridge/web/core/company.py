"""The people at a table: who hosts, who is ready, what they write, and whether they play again.

`Options` are chosen when a table is opened. `Company` changes with these events:

    ready    seat, ready                 a person waiting for the start is ready, or no longer
    bot      seat, strategy              the host chooses the strategy for an open seat
    chat     seat or name, text          a message from a seat, or from an onlooker with a name
    mute     seat, whom, on              a seat no longer reads someone (a seat, or `onlookers`)
    gone     seat                        a person has left; the table waits for them
    timeout  seat, action                a turn ran out of time; the action was chosen for the seat
    rematch  seat                        a person would like to play again
    moved    table                       the rematch is at that table

Tables opened before there was company have no such events and no options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from tribridge.deals import Seat, parse_seat
from tribridge.game import points_name
from tribridge.web.core import wording
from tribridge.web.core.bots import bot_for, other_names
from tribridge.web.core.matches import rubber_of
from tribridge.web.core.names import alike, clean_text, free_name, same_name
from tribridge.web.errors import NotNowError, NotYoursError, TooManyError, WebError
from tribridge.web.language import Text, counted, mark

if TYPE_CHECKING:
    from tribridge.web.core.state import Place, State

LONGEST_MESSAGE: Final = 200
MOST_MESSAGES: Final = 2000
"""Messages in the history of one table."""
KEPT_MESSAGES: Final = 50
"""Messages that are shown."""
TURN_SECONDS: Final = (10, 600)
"""The shortest and the longest turn timer."""
MOST_CHANGES: Final = 300
"""How often one seat may change its mind at a table."""
LATE_TURNS: Final = 3
"""Turns in a row that a person may let run out before their bot plays on."""
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
CHAT_RULES: Final = ("free", "phrases", "off")
ONLOOKERS: Final = "onlookers"
ASIDE: Final = frozenset({"ready", "chat", "mute", "rematch"})
"""Events that do not invalidate an action chosen before them."""
UNDRAWN: Final = frozenset({"chat", "mute"})
"""Events that change nothing on the board."""
_CHANGES: Final = frozenset({"ready", "bot", "mute", "sat", "away", "undo"})
"""Events that can be asked for again and again without playing on."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a table is shared, chosen when it is opened."""

    waits: bool = False
    """Whether it waits for the host even when every seat is taken."""
    one_name: bool = False
    """Whether no two people may have the same name."""
    hold: bool = True
    """Whether a bot plays at once for a person who leaves; otherwise the table waits."""
    chat: str = "free"
    """One of `CHAT_RULES`."""
    onlooker_chat: bool = False
    turn_seconds: float | None = None
    listed: bool = False
    """Whether the lobby lists it, with the names of its players, for anyone to join or watch."""
    challenge: str | None = None
    """The challenge whose deals are played here."""

    def checked(self) -> dict[str, Any]:
        """The options of an opened event; refused if they make no sense."""
        if self.chat not in CHAT_RULES:
            raise WebError(
                "chat {chat!r}: expected {known}", chat=self.chat[:20], known=", ".join(CHAT_RULES)
            )
        least, most = TURN_SECONDS
        if self.turn_seconds is not None and not least <= self.turn_seconds <= most:
            raise WebError(
                "a turn timer of {seconds:g} seconds: expected {least} to {most}, or none",
                seconds=self.turn_seconds,
                least=least,
                most=most,
            )
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the chat."""

    number: int
    """The number of its event."""
    seat: Seat | None
    """None for an onlooker."""
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Company:
    """What the people at a table have said and agreed."""

    host: Seat | None = None
    """Who starts the match: whoever opened the table, or sat down first."""
    ready: frozenset[Seat] = frozenset()
    messages: tuple[Message, ...] = ()
    written: int = 0
    """Messages in all, including those no longer shown."""
    muted: frozenset[tuple[Seat, str]] = frozenset()
    """Who does not read whom: a seat's letter, or `onlookers`."""
    changes: tuple[int, int, int] = (0, 0, 0)
    """How often each seat has changed its mind."""
    late: tuple[int, int, int] = (0, 0, 0)
    """Turns in a row that each seat has let run out."""
    rematch: frozenset[Seat] = frozenset()
    rematch_table: str | None = None

    def read_by(self, seat: Seat | None, after: int = 0) -> tuple[Message, ...]:
        """The messages after an event that a seat (None: an onlooker) reads."""
        return tuple(
            one
            for one in self.messages
            if one.number > after and (seat is None or (seat, sender_of(one)) not in self.muted)
        )


NO_OPTIONS: Final = Options()
NOBODY_YET: Final = Company()


def sender_of(message: Message) -> str:
    """Under what name a message's sender is muted."""
    return ONLOOKERS if message.seat is None else message.seat.letter


def seat_in(event: dict[str, Any]) -> Seat:
    """The seat that an event names."""
    return parse_seat(str(event.get("seat")))


def with_place(state: State, seat: Seat, place: Place) -> State:
    """The state with another place at a seat."""
    places = list(state.places)
    places[seat] = place
    return replace(state, places=(places[0], places[1], places[2]))


def with_company(state: State, **changes: Any) -> State:
    """The state with some of its company changed."""
    return replace(state, company=replace(state.company, **changes))


def check_name(
    state: State,
    name: str,
    seat: Seat | None = None,
    same: Callable[[str, str], bool] = same_name,
) -> None:
    """Refuse a name that someone else at the table has."""
    if not state.options.one_name:
        return
    taken = [
        place.name for other, place in zip(Seat, state.places, strict=True) if other is not seat
    ]
    if any(same(name, one) for one in taken if one):
        raise NotNowError(
            "there is already someone called {name} at this table: choose another name, such as "
            "{free}",
            name=name,
            free=free_name(name, taken),
        )


def check_request(state: State, event: dict[str, Any]) -> None:
    """Refuse what may no longer be asked for, though stored events contain it."""
    if event["kind"] in _CHANGES and state.company.changes[seat_in(event)] >= MOST_CHANGES:
        raise TooManyError(
            "{seat} has made {most} changes at this table, the most that one seat may make: play "
            "on, or open another table",
            seat=seat_in(event),
            most=MOST_CHANGES,
        )
    if "name" in event:
        check_name(state, event["name"], seat_in(event) if "seat" in event else None, alike)


def with_change(state: State, event: dict[str, Any]) -> State:
    """The state with an event counted, if it is a change of mind."""
    if event["kind"] not in _CHANGES:
        return state
    return with_company(state, changes=_raised(state.company.changes, seat_in(event)))


def _raised(counts: tuple[int, int, int], seat: Seat) -> tuple[int, int, int]:
    north, east, south = (count + (one is seat) for one, count in zip(Seat, counts, strict=True))
    return north, east, south


def bot_name(places: Iterable[Any], strategy: str, seat: Seat, *, one_name: bool = True) -> str:
    """The name of the bot that plays a seat, different from the names in the other places."""
    name = bot_for(strategy, seat).name
    others = [place.name for at, place in enumerate(places) if at != seat and place.name]
    if not one_name or not any(same_name(name, one) for one in others):
        return name
    spare = (one for one in other_names() if not any(same_name(one, other) for other in others))
    return next(spare)


def seated(state: State, seat: Seat) -> State:
    """A person has sat down: the first one is the host."""
    return with_company(state, host=seat) if state.company.host is None else state


def unseated(state: State, seat: Seat) -> State:
    """A person has given up a seat: the next one is the host, and the vote starts again."""
    company = state.company
    host = company.host
    if host is seat:
        host = next((one for one in state.people if one is not seat), None)
    return with_company(
        state, host=host, ready=company.ready - {seat}, rematch=company.rematch - {seat}
    )


def check_host(state: State, event: dict[str, Any]) -> None:
    """Refuse what only the host may do; events without a seat are the table's own."""
    host = state.company.host
    if "seat" in event and host is not None and seat_in(event) is not host:
        name = state.places[host].name
        raise NotYoursError("only the host, {name}, can start the match", name=name)


def _ready(state: State, event: dict[str, Any]) -> State:
    seat, ready = seat_in(event), bool(event.get("ready"))
    if state.started:
        raise NotNowError("the match has already begun")
    if not state.places[seat].person:
        raise NotNowError("nobody sits at {seat}", seat=seat)
    if ready is (seat in state.company.ready):
        return state
    state = with_company(state, ready=state.company.ready ^ {seat})
    name = state.places[seat].name
    return state.say(
        Text("{name} is ready.", name=name)
        if ready
        else Text("{name} is not ready yet.", name=name)
    )


def _bot(state: State, event: dict[str, Any]) -> State:
    seat = seat_in(event)
    place = state.places[seat]
    if not place.open or state.started:
        raise NotNowError(
            "{seat} is not open: bots are chosen for open seats before the start", seat=seat
        )
    strategy = str(event["strategy"])
    if strategy == place.strategy:
        return state
    return with_place(state, seat, replace(place, strategy=strategy))


def _chat(state: State, event: dict[str, Any]) -> State:
    company, options = state.company, state.options
    seat = seat_in(event) if "seat" in event else None
    text = clean_text(str(event.get("text", "")), LONGEST_MESSAGE + 1)
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
    if company.written >= MOST_MESSAGES:
        raise NotNowError(
            "the chat of this table is full after {most} messages", most=MOST_MESSAGES
        )
    name = state.places[seat].name if seat is not None else str(event.get("name", ""))
    if seat is None:
        check_name(state, name)
    message = Message(state.number + 1, seat, name, text)
    return with_company(
        state,
        messages=(*company.messages, message)[-KEPT_MESSAGES:],
        written=company.written + 1,
    )


def _mute(state: State, event: dict[str, Any]) -> State:
    seat, whom = seat_in(event), str(event.get("whom"))
    if whom != ONLOOKERS:
        whom = parse_seat(whom).letter
    if whom == seat.letter:
        raise NotNowError("you cannot mute yourself")
    muted = state.company.muted
    if bool(event.get("on")) is ((seat, whom) in muted):
        return state
    return with_company(state, muted=muted ^ {(seat, whom)})


def _gone(state: State, event: dict[str, Any]) -> State:
    place = state.places[seat_in(event)]
    if not place.person or not state.started or state.over:
        raise NotNowError("the table is not waiting for anyone at {seat}", seat=seat_in(event))
    words = Text("{name} has left. The seat is kept for them.", name=place.name)
    return state if words in state.notes else state.note(words)


def timed_out(state: State, seat: Seat, late: int, *, calling: bool) -> State:
    """The state after an action was chosen for a seat that let a turn run out, `late` in a row.

    A person with others at the table who goes on like that is away: their bot plays on.
    """
    place = state.places[seat]
    state = _with_late(state, seat, late)
    what = (
        Text("{name} ran out of time: a pass was chosen for them.", name=place.name)
        if calling
        else Text("{name} ran out of time: a card was chosen for them.", name=place.name)
    )
    state = state.note(what)
    if late < LATE_TURNS or state.closed or len(state.people) < 2:
        return state
    bot = bot_for(place.strategy, seat)
    gone = with_place(state, seat, replace(place, person=False, away=True))
    return gone.note(wording.away_words(place.name, bot.name))


def in_time(state: State, seat: Seat) -> State:
    """A person has acted: turns that ran out before are forgotten."""
    return _with_late(state, seat, 0) if state.company.late[seat] else state


def _with_late(state: State, seat: Seat, late: int) -> State:
    north, east, south = (late if one is seat else state.company.late[one] for one in Seat)
    return with_company(state, late=(north, east, south))


def _rematch(state: State, event: dict[str, Any]) -> State:
    seat, company = seat_in(event), state.company
    if not state.over:
        raise NotNowError("a rematch can be asked for when the match is over")
    if state.options.challenge is not None:
        raise NotNowError("a challenge is played once")
    if not state.places[seat].person:
        raise NotYoursError("nobody sits at {seat}", seat=seat)
    if company.rematch_table is not None or seat in company.rematch:
        return state
    state = with_company(state, rematch=company.rematch | {seat})
    return state.say(Text("{name} would like a rematch.", name=state.places[seat].name))


def _moved(state: State, event: dict[str, Any]) -> State:
    if not state.over or state.company.rematch_table is not None:
        raise NotNowError("the rematch has already begun")
    return with_company(state, rematch_table=str(event["table"])).say(Text("The rematch begins."))


FOLDS: Final[dict[str, Callable[[State, dict[str, Any]], State]]] = {
    "ready": _ready,
    "bot": _bot,
    "chat": _chat,
    "mute": _mute,
    "gone": _gone,
    "rematch": _rematch,
    "moved": _moved,
}


def winners(state: State) -> tuple[Seat, ...]:
    """Who has won the match, once it is over: several if they finish level."""
    if not state.over:
        return ()
    totals = state.match.totals()
    return tuple(seat for seat in Seat if totals[seat] == max(totals))


def winner_words(state: State) -> Text:
    """Who has won the match, in words; empty until it is over."""
    won = winners(state)
    names = [state.places[seat].name for seat in won]
    if not won:
        return Text("")
    if len(won) == 3:
        return Text("All three finish level.")
    if len(won) == 2:
        return Text("{name} and {other} share the win.", name=names[0], other=names[1])
    first, second = sorted(state.match.totals(), reverse=True)[:2]
    lead = first - second
    several = 1 if lead == 1 else 2  # half a point takes the plural
    if rubber_of(state.match) is not None:  # who wins the rubber need not have the most points
        return counted(
            "{name} finishes {points} point ahead.",
            "{name} finishes {points} points ahead.",
            several,
            name=names[0],
            points=points_name(lead),
        )
    return counted(
        "{name} wins by {points} point.",
        "{name} wins by {points} points.",
        several,
        name=names[0],
        points=points_name(lead),
    )
