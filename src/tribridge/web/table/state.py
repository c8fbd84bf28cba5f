"""A table's state: who sits there, the match, the deal in progress, what was said.

States are frozen; `tribridge.web.table.events` folds events into them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from tribridge.deals import Seat
from tribridge.game import Action, Chair, Match, Outcome, Record, Table, record_of

LONGEST_NAME: Final = 24
MOST_DEALS: Final = 99


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
    """A deal that is over, all of it known to all."""

    record: Record
    outcome: Outcome
    claimed: bool = False
    advised: tuple[Seat, ...] = ()
    """Who asked for advice, once for each position in which they did."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that waits for answers."""

    seat: Seat
    tricks: int
    """Of those left, for the side of the seat."""
    agreed: frozenset[Seat] = frozenset()


@dataclass(frozen=True, slots=True)
class State:
    """A table after `number` events."""

    number: int
    match: Match
    places: tuple[Place, Place, Place]
    strategy_seed: int
    secret: str | None = None
    """What the seeds of all deals come from; None where the match has one seed."""
    known: bool = False
    """Whether who opened the table could know the cards."""
    since: int = 0
    """The number of the last event that an action must follow; later ones do not matter to it."""
    table: Table | None = None
    """The current deal; None until the match has begun."""
    closed: bool = False
    """Whether the current deal is over and on the score sheet."""
    finished: tuple[Finished, ...] = ()
    claim: Claim | None = None
    refused_at: int | None = None
    """How many actions had been taken when a claim was last refused."""
    advice: tuple[tuple[Seat, int], ...] = ()
    """Who asked for advice in this deal, and after how many actions."""
    said: tuple[tuple[int, str], ...] = ()
    """What to tell those who listen: number of the event and a sentence, for this deal."""
    notes: tuple[str, ...] = ()
    """What everyone should see about the seats: a strategy replaced, a person gone."""

    @property
    def started(self) -> bool:
        return self.table is not None

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.match.over

    @property
    def deal(self) -> int:
        """The place of the current deal in the match, from 0."""
        return len(self.finished) - self.closed

    @property
    def turn(self) -> Seat | None:
        """Who must call or play; None before, between and after deals, and during a claim."""
        if self.table is None or self.closed or self.claim is not None:
            return None
        return self.table.turn

    @property
    def actions(self) -> tuple[Action, ...]:
        """What was called and played in the current deal."""
        return () if self.table is None else record_of(self.table).actions

    @property
    def people(self) -> tuple[Seat, ...]:
        """The seats of persons."""
        return tuple(seat for seat in Seat if self.places[seat].person)

    def undo_to(self, seat: Seat) -> int | None:
        """How many actions stand if a seat takes its last one back; None if it may not.

        Only one who plays against strategies may: they forget what they have seen. What was done
        before a refused claim stands, or the judge's word could be used to play it better.
        """
        if self.table is None or self.closed or self.claim or self.people != (seat,):
            return None
        if any(place.away for place in self.places):
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
        """The state with a sentence for those who listen, under the number of the next event."""
        return replace(self, said=(*self.said, (self.number + 1, text)))

    def note(self, text: str) -> State:
        """The state with a sentence that is also shown until the next deal."""
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
    """Who must agree to a claim: the other persons; the judge (as the claimer) without them."""
    claim = state.claim
    if claim is None:
        return frozenset()
    return frozenset(s for s in state.people if s is not claim.seat) or frozenset({claim.seat})
