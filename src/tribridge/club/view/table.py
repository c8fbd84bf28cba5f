"""A table as one seat sees it: one value for pages, streams and the API.

There are two models of what a seat sees: the game's, `View`, and this one, which has the table
around it. A board is drawn from it (`board`, `parts`), and its public fields are the JSON.

A `State` knows all hands and the seeds of all deals. `seat_view` is the only place where it becomes
something that is sent to anyone: hands come from the `View` of the game, those of others once the
deal is over or they have claimed, and a seed after its deal.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from tribridge.cards.cards import Card, Deck
from tribridge.cards.deals import Seat
from tribridge.club.core.chat import PHRASES
from tribridge.club.core.matches import seal
from tribridge.club.core.names import seat_named
from tribridge.club.core.state import Finished, Message, State
from tribridge.club.core.wording import (
    called,
    decisive_words,
    result_sentence,
    told,
    winner_words,
    with_guests,
)
from tribridge.club.language import gettext, mark, translated
from tribridge.club.view.values import (
    ContractName,
    OnPages,
    Points,
    filled,
    given_by,
    once_for_each,
    value,
)
from tribridge.common.sentences import Sentence, Words
from tribridge.game import Chair, Match, Rubber, View, view
from tribridge.reviews.values import NamedAction


@value
class Seated:
    """Who sits in a seat."""

    seat: Seat
    name: str
    strategy: str
    """The strategy that plays here when no person does."""
    person: bool
    """Whether a person (or a program) plays here."""
    open: bool
    """Whether the seat can be taken."""
    away: bool
    """Whether the strategy plays for a person who may come back."""


@value
class Proof:
    """The proof of a deal: the SHA-256 of `nonce:seed`, which are shown after the deal."""

    deal: int
    commitment: str
    seed: int | None
    nonce: str | None


@value
class ClaimView:
    """A claim waiting for answers."""

    seat: Seat
    tricks: int
    """How many of the remaining tricks the side claims."""
    answering: tuple[Seat, ...]
    """Seats that have yet to answer; empty if the judge decides. Without an answer the claim lapses
    after half a minute."""


@value
class FacedHand:
    """What is left of the hand of somebody who has claimed on this deal."""

    seat: Seat
    cards: tuple[Card, ...]


@value
class StandingView:
    """The laws and the standing of a rubber before a deal; lists have North first."""

    laws: str
    below: tuple[int, ...]
    """Part scores."""
    games: tuple[int, ...]
    """Games won."""


@value
class DealResult:
    """How a deal ended."""

    deal: int
    """Its place in the match, from 1."""
    contract: ContractName | None
    """With `x` if doubled; null for a deal passed out."""
    declarer: Seat | None
    tricks: int
    """Tricks won by the declarer's side."""


@value
class ScoreLine(DealResult):
    """A finished deal on the score sheet."""

    dealer: Seat
    scores: tuple[Points, ...]


@value
class SheetEntry:
    """Points of one player on the score sheet of a rubber."""

    deal: int
    """Which deal of the rubber, from 1."""
    seat: Seat
    points: int
    below: bool
    """Whether they stand below the line."""
    reason: str


@value
class RubberSheet:
    """The score sheet of a rubber, and how it stands now; lists have North first."""

    laws: str
    entries: tuple[SheetEntry, ...]
    below: tuple[int, ...]
    """Part scores of the game that goes on."""
    games: tuple[int, ...]
    """Games won."""
    vulnerable: tuple[Seat, ...]
    winner: Seat | None
    """Who has won two games; null while nobody has."""


@value
class ScoreSheet:
    """The score of a match; points are written as text, since some schemes have fractions."""

    lines: tuple[ScoreLine, ...]
    totals: tuple[Points, ...]
    settlement: tuple[Points, ...]
    rubber: RubberSheet | None
    """The sheet above and below the line; null for single deals."""
    challenge: str | None
    """The path of the page of the challenge that is played; null for other matches."""


@value
class TableSummary:
    """A table in the list of unfinished tables."""

    table: str = ""
    places: tuple[Seated, ...]
    started: bool
    deal: int
    """Which deal of the match, from 1."""
    deals: int
    """How many deals; of a rubber, at most so many."""
    scheme: str
    """The scoring scheme; in a rubber, the name of its laws."""
    laws: str | None
    """The laws of the rubber; null for single deals."""
    doubles: bool
    known: bool
    """Whether the person who opened the table could know the cards."""


@value
class SeatView(TableSummary):
    """Everything a seat may see. Cards are written as suit and rank, from clubs, from aces down."""

    number: int
    """Events so far; the `at` of the next change."""
    seat: Seat | None = None
    names: tuple[str, ...]
    rubber: StandingView | None
    """How the rubber stands before this deal; null for single deals."""
    deck: Deck
    over: bool
    """Whether the match is over."""
    deal_over: bool
    dealer: Seat | None
    calls: tuple[NamedAction, ...]
    contract: ContractName | None = None
    declarer: Seat | None
    hand: tuple[Card, ...]
    dummy: tuple[Card, ...] | None
    trick: tuple[Card, ...] = ()
    leader: Chair | None = None
    """The chair that led the current trick."""
    tricks: tuple[tuple[Card, ...], ...]
    won: int = 0
    """Tricks won by the declarer's side."""
    turn: Seat | None
    """Whose call or card is due; null while a claim waits."""
    chair: Chair | None = None
    """Whose card is due: declarer, left, dummy, right."""
    legal: tuple[NamedAction, ...]
    totals: tuple[Points, ...]
    claim: ClaimView | None
    faced: tuple[FacedHand, ...]
    """Hands that a claim has shown to everybody; they stay face up if it is refused."""
    may_claim: bool = False
    may_undo: bool = False
    advised: tuple[Seat, ...]
    """Who asked for advice on this deal, and how often."""
    proofs: tuple[Proof, ...]
    """Proofs of the deals so far and of the current one."""
    host: Seat | None
    """The seat that starts the match and the rematch."""
    waits: bool
    """Whether the match begins only when the host starts it."""
    ready: tuple[Seat, ...]
    """Before the start: seats that are ready."""
    next_ready: tuple[Seat, ...]
    """Between deals: seats of people who are ready for the next one."""
    turn_seconds: float | None
    """The turn timer; `presence` says how much time is left. Null without one."""
    chat: str
    """What can be written: `free` (phrases and free text), `phrases` or `off`."""
    onlooker_chat: bool
    winners: tuple[Seat, ...]
    """Who has won, once the match is over."""
    rematch: tuple[Seat, ...]
    """Seats that would like to play again."""
    rematch_table: str | None
    """Where the rematch is, once it has begun."""
    challenge: str | None
    """The challenge that is played here."""
    pairing: bool
    """Whether it waits for anyone, and begins with bots if nobody comes for a while."""

    game: OnPages[View | None] = None
    """The deal as the game shows it to the seat; None before the first one."""
    sheet: OnPages[ScoreSheet]
    rubber_so_far: OnPages[Rubber | None]
    ended: OnPages[Finished | None]
    """The deal that has just ended, all cards face up."""
    made_up: OnPages[tuple[tuple[tuple[str, Fraction], ...], ...]]
    """What each player's points of that deal are for."""
    headline: OnPages[str]
    """How it went."""
    winner_words: OnPages[str]
    decisive: OnPages[tuple[int, str] | None]
    """The deal, from 1, that decided the rubber that is over, and how."""
    said: OnPages[tuple[tuple[int, str], ...]]
    notes: OnPages[tuple[str, ...]]
    replaced: OnPages[tuple[str, ...]]
    """What is said of the bots that failed in the match."""
    refused: OnPages[str] = ""
    """What is said of a claim that was refused, until somebody acts."""
    hints: OnPages[bool]
    hold: OnPages[bool]
    since: OnPages[int]
    """The event that the current turn began after."""
    form: OnPages[str] = ""
    """In a lesson, the id of the plain form that takes the actions; else the table takes them."""
    title: OnPages[str] = ""
    """Of the page, where it is not the table's."""
    reasons: OnPages[tuple[tuple[Card, str], ...]] = ()
    """In a lesson, why cards of the trick were played."""
    instead: OnPages[str] = ""
    """What is said in place of whose turn it is; nobody acts until it has been read."""

    @property
    def path(self) -> str:
        """The address of the table's page."""
        return f"/table/{self.table}"

    @property
    def your_turn(self) -> bool:
        """Whether the viewer must call or play."""
        if self.seat is None or self.instead:
            return False
        return self.turn is self.seat and self.places[self.seat].person

    def addressed(self, you: str) -> tuple[str, ...]:
        """What the players are called where the viewer is told `you`."""
        shown = zip(Seat, self.on_plates, strict=True)
        return tuple(you if seat is self.seat else name for seat, name in shown)

    @property
    def nameless(self) -> Seat | None:
        """The seat of a viewer who has given no name, and is called `You`."""
        if self.seat is None or seat_named(self.names[self.seat]) is not self.seat:
            return None
        return self.seat

    @property
    def on_plates(self) -> tuple[str, ...]:
        """What stands on the nameplates, and above columns."""
        own, guests = self.nameless, self.guests
        return tuple(
            gettext("You") if seat is own else translated(guests.get(name, name))
            for seat, name in zip(Seat, self.names, strict=True)
        )

    @property
    def guests(self) -> dict[str, Sentence]:
        """What people who have given no name are called, by what is stored in place of it."""
        there = [place for place in self.places if place.person or place.away]
        seats = [place.seat for place in there if seat_named(place.name) is place.seat]
        if len(seats) == 1:
            return {self.names[seats[0]]: Sentence(mark("Guest"))}
        named = mark("Guest ({seat})")
        return {self.names[seat]: Sentence(named, {"seat": Sentence(str(seat))}) for seat in seats}

    def told(self, said: str | Sentence, you: Seat | None = None) -> str | Sentence:
        """A sentence of the log, a review or a hint, as the viewer reads it.

        Seats have the names of the players. `you` is told in the second person, name or not.
        """
        own, sentence = you or self.nameless, said.sentence if isinstance(said, Words) else said
        if isinstance(sentence, str):
            return said
        spoken = called(sentence, self.names)
        if own is not None:
            spoken = told(spoken, self.names[own])
        if guests := self.guests:
            spoken = with_guests(spoken, guests)
        return said if spoken == sentence else spoken

    @property
    def needed(self) -> int | None:
        """Tricks the declarer needs."""
        return None if self.contract is None else self.contract.tricks_needed(self.deck)

    @property
    def tricks_left(self) -> int:
        return self.deck.hand_size - len(self.tricks)

    @property
    def trick_closed(self) -> bool:
        """Whether the trick on the table is the last one, complete."""
        return bool(self.tricks) and not self.trick

    @property
    def dealt_again(self) -> bool:
        """Whether new cards come by themselves: a single deal against bots that all have passed."""
        alone = self.seat is not None and not any(
            place.person and place.seat is not self.seat for place in self.places
        )
        single = self.deals == 1 and not (self.rubber_so_far or self.challenge or self.known)
        passed = self.ended is not None and self.ended.outcome.contract is None
        return alone and single and passed and self.rematch_table is None

    @property
    def waits_for_person(self) -> bool:
        """Whether the viewer, a player or an onlooker, is waiting for a person."""
        due = (self.turn,) if self.claim is None else self.claim.answering
        return any(
            place.person and place.seat in due and place.seat is not self.seat
            for place in self.places
        )


def seat_view(name: str, state: State, seat: Seat | None) -> SeatView:
    """A table as one seat may see it (None: a kibitzer)."""
    seen = None if state.table is None else view(state.table, seat)
    own: dict[str, Any] = {
        "table": name,
        "seat": seat,
        "hand": () if seen is None else tuple(seen.hand),
        "legal": seen.legal if seen is not None and state.turn is seat else (),
        "may_claim": state.may_claim(seat),
        "may_undo": seat is not None and state.undo_to(seat) is not None,
        "game": seen,
    }
    if seat is not None and state.closed:
        own["headline"] = result_sentence(state, state.finished[-1].outcome, seat)
        own["winner_words"] = winner_words(state, seat)
        own["decisive"] = decisive_words(state, seat)
    return SeatView(**(_shared(state) | own))


@once_for_each(1024)
def _shared(state: State) -> dict[str, Any]:
    """What all who look at a table see of it: the fields of their views, but for their own."""
    match, claim, rubber = state.match, state.claim, state.match.rubber
    seen = None if state.table is None else view(state.table, None)
    before = None if seen is None else seen.rubber
    ended = state.finished[-1] if state.closed else None
    contract = None if seen is None else seen.contract
    sheet = score_sheet(state)
    return given_by(
        SeatView,
        state,
        *(() if seen is None else (seen,)),
        state.options,
        match,
        state.plan,
        dealer=None if seen is None else seen.dealer,
        places=tuple(
            filled(Seated, place, seat=at) for at, place in zip(Seat, state.places, strict=True)
        ),
        names=tuple(place.name for place in state.places),
        deal=state.deal + 1,
        scheme=match.scheme.name,
        rubber=before and filled(StandingView, before.standing, laws=before.laws.name),
        deal_over=state.closed,
        declarer=contract and contract.declarer,
        calls=() if seen is None else seen.auction.calls,
        dummy=None if seen is None or seen.dummy is None else tuple(seen.dummy),
        tricks=() if seen is None else tuple(trick.cards for trick in seen.tricks),
        totals=sheet.totals,
        claim=claim
        and filled(
            ClaimView, claim, answering=_ordered(state.answering - claim.agreed - {claim.seat})
        ),
        faced=() if state.closed else _faced(state),
        advised=tuple(asked for asked, _ in state.advice),
        proofs=_proofs(state.plan.secret, len(state.finished), state.over),
        ready=_ordered(state.ready),
        next_ready=_ordered(state.onward),
        rematch=_ordered(state.rematch),
        sheet=sheet,
        rubber_so_far=rubber,
        ended=ended,
        made_up=() if ended is None else match.made_up(len(state.finished) - 1),
        headline="" if ended is None else result_sentence(state, ended.outcome),
        winner_words=winner_words(state),
        decisive=decisive_words(state),
    )


def _faced(state: State) -> tuple[FacedHand, ...]:
    """The hands that claims have shown, as those who made them see them."""
    if state.table is None:
        return ()
    return tuple(
        FacedHand(seat=seat, cards=tuple(view(state.table, seat).hand))
        for seat in _ordered(state.faced)
    )


def _ordered(seats: frozenset[Seat]) -> tuple[Seat, ...]:
    return tuple(seat for seat in Seat if seat in seats)


@lru_cache(maxsize=4096)
def _proofs(secret: str | None, done: int, over: bool) -> tuple[Proof, ...]:
    """The proofs of the deals that are done and, unless the match is over, of the current one."""
    if secret is None:
        return ()
    proofs = []
    for at in range(done if over else done + 1):
        sealed = seal(secret, at)
        seed, nonce = (sealed.seed, sealed.nonce) if at < done else (None, None)
        proofs.append(Proof(deal=at + 1, commitment=sealed.commitment, seed=seed, nonce=nonce))
    return tuple(proofs)


def score_sheet(state: State) -> ScoreSheet:
    """The score of a match so far."""
    sheet, challenge = _sheet(state.match), state.options.challenge
    return sheet if challenge is None else replace(sheet, challenge=f"/challenge/{challenge}")


@once_for_each(4096)
def _sheet(match: Match) -> ScoreSheet:
    """The score of a match without the link to its challenge."""
    rubber = match.rubber
    return ScoreSheet(
        lines=tuple(
            filled(ScoreLine, line.outcome, line, deal=number)
            for number, line in enumerate(match.sheet(), 1)
        ),
        totals=match.totals(),
        settlement=match.settlement(),
        rubber=None
        if rubber is None
        else filled(
            RubberSheet,
            rubber.standing,
            rubber.state,
            rubber,
            laws=rubber.laws.name,
            entries=tuple(filled(SheetEntry, line) for line in rubber.lines),
        ),
        challenge=None,
    )


@value
class Chat:
    """The last messages at a table, as your seat reads them."""

    messages: tuple[Message, ...]
    muted: tuple[str, ...]
    """Whose messages you do not get: seats, `onlookers`."""
    phrases: tuple[str, ...] = PHRASES


@value
class Presence:
    """Who is there. Changes are sent as `presence` in the stream of events."""

    here: tuple[Seat, ...]
    """Seats of people with a stream of the table open."""
    onlookers: int
    """Streams open without a seat."""
    seconds_left: float | None
    """How long the person to act has left, or those who are not ready for the next deal; null
    without a limit."""
