"""What everyone may know about a table: who sits there, the score, the log, the proofs; no hands.

A seed gives away all its deals, so it becomes public only when the match ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tribridge.deals import Seat
from tribridge.game import Rubber
from tribridge.game.match import Line
from tribridge.web.core.matches import MOST_DEALS, rubber_of, seal
from tribridge.web.core.state import Claim, Finished, Options, Place, State
from tribridge.web.core.wording import result_sentence, winner_words


@dataclass(frozen=True, slots=True)
class Proof:
    """What is public about a deal's seed; seed and nonce only after the deal."""

    deal: int
    """From 1."""
    commitment: str
    seed: int | None = None
    nonce: str | None = None


def proofs(state: State) -> tuple[Proof, ...]:
    """The proofs of all finished deals and of the current one."""
    if state.plan.secret is None:
        return ()
    shown_proofs = []
    done = len(state.finished)
    for at in range(done if state.over else done + 1):
        sealed = seal(state.plan.secret, at)
        shown = (sealed.seed, sealed.nonce) if at < done else (None, None)
        shown_proofs.append(Proof(at + 1, sealed.commitment, *shown))
    return tuple(shown_proofs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Public:
    """What everyone may know about a table; no hands."""

    name: str
    number: int
    places: tuple[Place, Place, Place]
    started: bool
    closed: bool
    over: bool
    deal: int
    deals: int
    scheme: str
    """The scheme, or in a rubber the laws."""
    doubles: bool
    rubber: Rubber | None
    """The rubber so far; None in a match of single deals."""
    sheet: tuple[Line, ...]
    totals: tuple[Fraction, ...]
    settlement: tuple[Fraction, ...]
    claim: Claim | None
    answering: frozenset[Seat]
    said: tuple[tuple[int, str], ...]
    notes: tuple[str, ...]
    last: Finished | None
    """The deal that has just ended."""
    claimed: bool
    challenge: str | None
    known: bool
    """Whether the person who opened the table could know the cards."""
    proofs: tuple[Proof, ...]
    """For the deals so far, and between deals for the next one."""
    advised: tuple[Seat, ...]
    """Who asked for advice on this deal, once for each position."""
    hints: bool
    """Whether the table allows hints and advice."""
    headline: str
    """How the deal that has just ended went."""
    options: Options
    host: Seat | None
    ready: frozenset[Seat]
    rematch: frozenset[Seat]
    """Who would like to play again."""
    rematch_table: str | None
    winners: tuple[Seat, ...]
    winner_words: str
    since: int
    """The event that the current turn began after."""


def public(name: str, state: State) -> Public:
    """What everyone may know about a table."""
    match = state.match
    cards = f"seed={match.seed}&first={match.first}"
    if state.plan.secret is not None:
        cards = f"secret={state.plan.secret}"
    rubber = rubber_of(match)
    query = f"{cards}&deals={match.deals}&scheme={match.scheme.name}"
    if rubber is not None:
        query = f"{cards}&laws={rubber.laws.name}"
        query += f"&deals={match.deals}" if match.deals < MOST_DEALS else ""
    challenge = f"/challenge?{query}{'&doubles=1' if match.doubles else ''}"
    if state.options.challenge is not None:
        challenge = f"/challenge/{state.options.challenge}"
    return Public(
        name=name,
        number=state.number,
        places=state.places,
        started=state.started,
        closed=state.closed,
        over=state.over,
        deal=state.deal,
        deals=match.deals,
        scheme=match.scheme.name,
        doubles=match.doubles,
        rubber=rubber,
        sheet=match.sheet(),
        totals=match.totals(),
        settlement=match.settlement(),
        claim=state.claim,
        answering=state.answering,
        said=state.said,
        notes=state.notes,
        last=state.finished[-1] if state.closed else None,
        claimed=state.closed and state.finished[-1].claimed,
        challenge=challenge if match.over else None,
        known=state.plan.known,
        proofs=proofs(state),
        advised=tuple(seat for seat, _ in state.advice),
        hints=state.plan.hints,
        headline=result_sentence(state, state.finished[-1].outcome) if state.closed else "",
        options=state.options,
        host=state.host,
        ready=state.ready,
        rematch=state.rematch,
        rematch_table=state.rematch_table,
        winners=state.winners,
        winner_words=winner_words(state),
        since=state.since,
    )
