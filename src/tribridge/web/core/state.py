"""A table's state: who sits there, the match, the deal in progress, the log.

States are frozen; `tribridge.web.core.events` folds events into them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from tribridge.deals import Seat
from tribridge.game import Action, Chair, Outcome, Record, Table, record_of
from tribridge.game.match import MOST_DEALS as MOST_DEALS
from tribridge.web.core.company import NO_OPTIONS, NOBODY_YET, Company, Options
from tribridge.web.core.matches import AnyMatch

KEPT_CHANGES: Final = 64
"""Changes that are remembered, to recognise one that is sent again."""


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
class State:
    """A table after `number` events."""

    number: int
    match: AnyMatch
    places: tuple[Place, Place, Place]
    strategy_seed: int
    secret: str | None = None
    """The secret behind the seeds of all deals; None if the match has one seed."""
    known: bool = False
    """Whether the person who opened the table could know the cards."""
    hints: bool = True
    """Whether the table allows hints and advice."""
    since: int = 0
    """The number of the last event that an action must follow; later ones do not affect it."""
    table: Table | None = None
    """The current deal; None until the match has begun."""
    closed: bool = False
    """Whether the current deal is over and on the score sheet."""
    finished: tuple[Finished, ...] = ()
    claim: Claim | None = None
    refused_at: int | None = None
    """How many actions had been taken when a claim was last refused."""
    advice: tuple[tuple[Seat, int], ...] = ()
    """Who asked for advice on this deal, and after how many actions."""
    said: tuple[tuple[int, str], ...] = ()
    """The log of this deal: event numbers with sentences."""
    notes: tuple[str, ...] = ()
    """Notices about the seats: a strategy replaced, a person gone."""
    options: Options = NO_OPTIONS
    company: Company = NOBODY_YET
    drawn: int = 1
    """The number of the last event that changed the board."""
    turn_since: float = 0.0
    """When the current turn began, as Unix time; 0 at a table without a turn timer."""
    recent: tuple[tuple[int, dict[str, Any]], ...] = ()
    """The last events that an action must follow, with their numbers, as they were requested."""

    @property
    def started(self) -> bool:
        return self.table is not None

    @property
    def over(self) -> bool:
        """Whether the match is over."""
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
    def actions(self) -> tuple[Action, ...]:
        """The calls and cards of the current deal."""
        return () if self.table is None else record_of(self.table).actions

    @property
    def people(self) -> tuple[Seat, ...]:
        """The seats held by people."""
        return tuple(seat for seat in Seat if self.places[seat].person)

    def undo_to(self, seat: Seat) -> int | None:
        """How many actions remain if a seat undoes its last one; None if it may not.

        Only a person playing against strategies may: strategies forget what they have seen.
        Actions before a refused claim cannot be undone, or the judge's answer would be a hint.
        """
        if self.table is None or self.closed or self.claim or self.people != (seat,):
            return None
        if any(place.away for place in self.places) or self.options.challenge is not None:
            return None
        keep = last_action_of(self.table, seat)
        return keep if keep is not None and keep >= (self.refused_at or 0) else None

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

    def say(self, text: str) -> State:
        """The state with a sentence added to the log under the number of the next event."""
        return replace(self, said=(*self.said, (self.number + 1, text)))

    def note(self, text: str) -> State:
        """The state with a sentence that is also shown as a notice until the next deal."""
        return replace(self.say(text), notes=(*self.notes, text))


def last_action_of(table: Table, seat: Seat) -> int | None:
    """The index of the last action that a seat took in a deal; None if it took none."""
    calls = len(table.auction.calls)
    play = table.position
    if play is not None and table.contract is not None:
        chairs = [Chair((trick.leader + at) % 4) for trick in play.tricks for at in range(4)] + [
            Chair((play.leader + at) % 4) for at in range(len(play.trick))
        ]
        for at in reversed(range(len(chairs))):
            if chairs[at].player(table.contract.declarer) is seat:
                return calls + at
    for at in reversed(range(calls)):
        if (table.dealer + at) % 3 == seat:
            return at
    return None


def needed_answers(state: State) -> frozenset[Seat]:
    """Who must agree to a claim: the other people; the judge (as the claimer) if there are none."""
    claim = state.claim
    if claim is None:
        return frozenset()
    return frozenset(s for s in state.people if s is not claim.seat) or frozenset({claim.seat})
