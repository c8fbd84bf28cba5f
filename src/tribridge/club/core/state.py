"""A table's state: who sits there, the match, the deal in progress, what was said and agreed.

States are frozen; the events of `tribridge.club.core.events` fold into them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from tribridge.cards.deals import Seat, three
from tribridge.club.core.matches import MatchPlan
from tribridge.club.errors import WebError
from tribridge.game import Action, Chair, Match, Outcome, Record, Table

TURN_SECONDS: Final = (10, 600)
"""The shortest and the longest turn timer."""
CHAT_RULES: Final = ("free", "phrases", "off")
ONLOOKERS: Final = "onlookers"
_NEWS: Final = 8
"""Calls and cards for which a notice about a seat is shown: two tricks."""

T = TypeVar("T")


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
    pairing: bool = False
    """Whether it waits for anyone, and begins with bots if nobody comes for a while."""

    def checked(self) -> Options:
        """The options of a new table; refused if they make no sense."""
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
        return replace(self, one_name=True)


NO_OPTIONS: Final = Options()
NEXT_DEAL: Final = 30.0
"""Seconds that people have to get ready for the next deal once the first one is."""


@dataclass(frozen=True, slots=True)
class Place:
    """Who sits in a seat: a person, a strategy, or nobody yet (then `strategy` would fill it)."""

    name: str
    strategy: str
    person: bool = False
    open: bool = False
    serial: int = 0
    """How many persons have taken the seat; a token counts only for the last one."""
    away: bool = False
    """Whether the strategy plays for a person who has gone and may come back."""
    chosen: tuple[str, str] | None = None
    """The name and the strategy that failed on this deal, and play again from the next one on."""

    @property
    def own_strategy(self) -> str:
        """The strategy that was chosen for the seat."""
        return self.strategy if self.chosen is None else self.chosen[1]


Places = tuple[Place, Place, Place]


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished deal, all cards face up."""

    record: Record
    outcome: Outcome
    claimed: bool = False
    advised: tuple[Seat, ...] = ()
    """Who asked for advice, once for each position."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim waiting for answers."""

    seat: Seat
    tricks: int
    """Of the remaining tricks, for the side of the seat."""
    agreed: frozenset[Seat] = frozenset()


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the chat."""

    number: int
    """The number of its event."""
    seat: Seat | None
    """None for an onlooker."""
    name: str
    text: str

    @property
    def sender(self) -> str:
        """Under what name its sender is muted: a seat's letter, or `onlookers`."""
        return ONLOOKERS if self.seat is None else self.seat.letter


@dataclass(frozen=True, slots=True)
class Note:
    """What happened to a seat: a strategy replaced, a person gone or back."""

    seat: Seat
    text: str
    at: int
    """How many actions of the deal had been taken."""


@dataclass(frozen=True, slots=True)
class State:
    """A table after `number` events."""

    number: int
    plan: MatchPlan
    match: Match
    places: Places
    strategy_seed: int
    options: Options = NO_OPTIONS
    since: int = 1
    """The number of the last event that an action must follow; later ones do not affect it."""
    drawn: int = 1
    """The number of the last event that changed the board."""
    turn_since: float = 0.0
    """When the current turn began, as Unix time; it counts at a table with a turn timer."""
    recent: tuple[tuple[int, object], ...] = ()
    """The last events that an action must follow, with their numbers."""
    table: Table | None = None
    """The current deal; None until the match has begun."""
    closed: bool = False
    """Whether the current deal is over and on the score sheet."""
    finished: tuple[Finished, ...] = ()
    claim: Claim | None = None
    faced: frozenset[Seat] = frozenset()
    """Who has claimed on this deal, and so shown the hand to everybody."""
    refused_at: int | None = None
    """How many actions had been taken when a claim was last refused."""
    refusal: str = ""
    """What was said then."""
    advice: tuple[tuple[Seat, int], ...] = ()
    """Who asked for advice on this deal, and after how many actions."""
    said: tuple[tuple[int, str], ...] = ()
    """The log of this deal: event numbers with sentences."""
    replaced: tuple[str, ...] = ()
    """What is said of the strategies that failed, for the whole match."""
    noted: tuple[Note, ...] = ()
    """What happened to the seats on this deal."""
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
    onward: frozenset[Seat] = frozenset()
    """Who is ready for the next deal."""
    onward_since: float = 0.0
    """When the first of them was, as Unix time."""
    rematch: frozenset[Seat] = frozenset()
    """Who would like to play again."""
    rematch_table: str | None = None

    @property
    def started(self) -> bool:
        return self.table is not None

    @property
    def over(self) -> bool:
        return self.match.over

    @property
    def deal(self) -> int:
        """The index of the current deal in the match, from 0."""
        return len(self.finished) - self.closed

    @property
    def turn(self) -> Seat | None:
        """Who must call or play; None before, between and after deals, and during a claim."""
        if self.table is None or self.closed or self.claim is not None:
            return None
        return self.table.turn

    @property
    def timed(self) -> bool:
        """Whether a person is to act and has limited time."""
        limited = self.options.turn_seconds is not None
        return limited and self.turn is not None and self.places[self.turn].person

    @property
    def actions(self) -> tuple[Action, ...]:
        """The calls and cards of the current deal."""
        return () if self.table is None else self.table.history

    @property
    def people(self) -> tuple[Seat, ...]:
        """The seats held by people."""
        return tuple(seat for seat in Seat if self.places[seat].person)

    @property
    def all_onward(self) -> bool:
        """Whether all people are ready for the next deal."""
        return self.onward.issuperset(self.people)

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Who has won the match, once it is over: several if they finish level."""
        if not self.over:
            return ()
        totals = self.match.totals()
        return tuple(seat for seat in Seat if totals[seat] == max(totals))

    @property
    def answering(self) -> frozenset[Seat]:
        """Who must agree to a claim: the other people; the judge (as the claimer) without any."""
        if self.claim is None:
            return frozenset()
        return frozenset(self.people) - {self.claim.seat} or frozenset({self.claim.seat})

    @property
    def refused(self) -> str:
        """What is said of a claim that was refused, until somebody acts."""
        return self.refusal if self.refused_at == len(self.actions) and not self.closed else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """The last notice about each seat, while it is news or a strategy plays for a person."""
        last = {note.seat: note for note in self.noted}
        return tuple(note.text for note in last.values() if self._holds(note))

    def _holds(self, note: Note) -> bool:
        place, acted = self.places[note.seat], self.last_action(note.seat)
        if place.away or place.chosen:
            return True
        here = place.person and acted is not None and acted >= note.at
        return not here and len(self.actions) - note.at < _NEWS

    def undo_to(self, seat: Seat) -> int | None:
        """How many actions remain if a seat undoes its last one; None if it may not.

        Only a person playing against strategies may: strategies forget what they have seen.
        Actions before a refused claim cannot be undone, or the judge's answer would be a hint.
        """
        if self.table is None or self.closed or self.claim or self.people != (seat,):
            return None
        if any(place.away for place in self.places) or self.options.challenge is not None:
            return None
        keep = self.last_action(seat)
        return keep if keep is not None and keep >= (self.refused_at or 0) else None

    def last_action(self, seat: Seat) -> int | None:
        """The index of the last action that a seat took in the deal; None if it took none."""
        acted = () if self.table is None else who_acted(self.table)
        return max((at for at, (player, _) in enumerate(acted) if player is seat), default=None)

    def may_claim(self, seat: Seat | None) -> bool:
        """Whether a seat may claim now: on its turn, with no card on the table, once a trick."""
        play = None if self.table is None else self.table.position
        return (
            seat is not None
            and self.turn is seat
            and play is not None
            and not play.trick
            and self.refused_at != len(self.actions)
        )

    def read_by(self, seat: Seat | None, after: int = 0) -> tuple[Message, ...]:
        """The messages after an event that a seat (None: an onlooker) reads."""
        if not self.messages or self.messages[-1].number <= after:  # as after most events
            return ()
        return tuple(
            message
            for message in self.messages
            if message.number > after and (seat is None or (seat, message.sender) not in self.muted)
        )

    def say(self, text: str, **changes: Any) -> State:
        """The state with changes, and a sentence in the log under the number of the next event."""
        return replace(self, said=(*self.said, (self.number + 1, text)), **changes)

    def refuse(self, text: str) -> State:
        """The state without its claim, which was refused in these words."""
        return self.say(text, claim=None, refused_at=len(self.actions), refusal=text)

    def note(self, seat: Seat, text: str, **changes: Any) -> State:
        """The same with a sentence about a seat that is also shown as a notice for a while."""
        note = Note(seat, text, len(self.actions))
        return self.say(text, noted=(*self.noted, note), **changes)

    def with_place(self, seat: Seat, **changes: Any) -> State:
        """The state with a place changed."""
        return replace(self, places=put(self.places, seat, replace(self.places[seat], **changes)))


def who_acted(table: Table) -> list[tuple[Seat, Chair | None]]:
    """Who made each call and played each card of a deal, and from which chair (None: a call)."""
    acted: list[tuple[Seat, Chair | None]] = [
        (table.dealer.after(at), None) for at in range(len(table.auction.calls))
    ]
    if table.position is not None and table.contract is not None:
        declarer = table.contract.declarer
        acted += [(chair.player(declarer), chair) for chair, _ in table.position.plays()]
    return acted


def put(values: tuple[T, T, T], seat: Seat, value: T) -> tuple[T, T, T]:
    """The values of the three seats with another one at a seat."""
    return three(value if at == seat.index else old for at, old in enumerate(values))
