"""The parts of a board, each with all that it is drawn from.

A part is an element of the page with its own id, drawn by a macro from values that can be compared:
what has not changed need not be drawn or sent again, and what several viewers share is drawn once.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from tribridge.club.core.bots import bot_for
from tribridge.club.core.state import NEXT_DEAL
from tribridge.club.view.board import (
    ALTERNATING,
    HandOrder,
    Side,
    Slot,
    box_of,
    meanings,
    prompt_of,
    sides_of,
)
from tribridge.club.view.table import SeatView
from tribridge.game import Contract, View

Part = tuple[Any, ...]
"""A macro, as template and name, and its arguments."""
PANEL: Final = (
    *("onlooker", "news", "outlook", "tools", "tricks", "calls-made", "sheet"),
    *("players", "log", "proofs", "leave"),
)
"""The parts of the panel beside the felt."""
FORM: Final = "act"
"""The id of the form that takes the viewer's actions at a table."""
_LOGGED: Final = 12


class Status(NamedTuple):
    """How the play stands."""

    contract: Contract
    name: str
    """Declarer's; empty for a viewer who has given none."""
    won: int
    needed: int | None
    lost: int
    tricks: int
    """In all."""


def parts_of(s: SeatView, order: HandOrder = ALTERNATING) -> dict[str, Part]:
    """The parts of a board by their ids, as one viewer sees them."""
    game = s.game
    if game is None:
        return {"waiting": ("waiting.waiting", s)}
    status = None
    if s.contract is not None:
        declarer = s.contract.declarer
        name = "" if declarer is s.nameless else s.on_plates[declarer]
        won, done, tricks = game.won, len(game.tricks), s.deck.hand_size
        if s.ended is not None:  # perhaps by a claim: then the rest count, too
            won, done = s.ended.outcome.tricks, tricks
        status = Status(s.contract, name, won, s.needed, done - won, tricks)
    sides, trick = sides_of(s, order)
    parts = _felt(s, game, sides, trick, status)
    return parts if s.form else parts | _panel(s, game, sides, status)


def _hint(s: SeatView) -> bool | None:
    """Whether the viewer may ask for a hint now; None where there are no hints."""
    return s.your_turn if s.seat is not None and not s.deal_over and s.hints else None


def _undo(s: SeatView) -> bool | None:
    """Whether the viewer may undo now; None where nobody ever may."""
    alone = all(not (place.person or place.away) or place.seat is s.seat for place in s.places)
    never = s.seat is None or s.challenge is not None or s.deal_over or not alone
    return None if never else s.may_undo


def _felt(
    s: SeatView,
    game: View,
    sides: tuple[Side, ...],
    trick: tuple[Slot, ...],
    status: Status | None,
) -> dict[str, Part]:
    rubber, thinking = s.rubber_so_far is not None, any(side.thinking for side in sides)
    timed = s.turn_seconds is not None and not (s.deal_over or s.claim or thinking)
    seconds = NEXT_DEAL if s.next_ready else s.turn_seconds if timed else None
    parts: dict[str, Part] = {
        "strip": (
            "felt.strip",
            s.path,
            status,
            s.deal,
            None if rubber else s.deals,
            rubber and not (s.deal_over or s.form),
            prompt_of(s),
            "" if s.turn is None or s.your_turn else s.on_plates[s.turn],
            s.your_turn,
            thinking and not s.your_turn and not s.deal_over,
            None if seconds is None else (seconds, s.since),
            _hint(s),
            not s.form,
        )
    }
    form, among = s.form or FORM, sum(place.person for place in s.places) > 1
    for side in sides:
        own = side.spot == "bottom" and s.seat is not None
        advised = among and side.seat in s.advised
        ready = side.seat in s.next_ready
        score = _score(s, side)
        parts[f"side-{side.spot}"] = ("felt.side", side, own, advised, ready, score, form)
    if game.contract is None and not s.deal_over:
        told = meanings(game, s.on_plates, s.nameless)
        parts["calls"] = ("auction.calls", s.on_plates, game.turn, game.dealer, s.calls, told)
        if s.seat is not None:
            parts["box"] = ("auction.box", box_of(game, s.your_turn), form)
    if game.contract is not None:
        winner = next((slot.spot for slot in trick if slot.winning), "")
        parts["trick"] = ("felt.trick", trick, s.trick_closed, winner)
    if s.deal_over:
        parts["result"] = ("result.result", s)
    return parts


def _score(s: SeatView, side: Side) -> tuple[int, int, int, bool] | None:
    """A player's games and part score in a rubber, points for a game, and the vulnerability."""
    rubber, seat = s.rubber_so_far, side.seat
    if rubber is None or seat is None:
        return None
    games, below = rubber.standing.games[seat], rubber.standing.below[seat]
    return games, below, rubber.laws.game, seat in rubber.state.vulnerable


def _panel(
    s: SeatView, game: View, sides: tuple[Side, ...], status: Status | None
) -> dict[str, Part]:
    base, claim, bot = s.path, None, ""
    if s.seat is not None and s.places[s.seat].away:
        bot = bot_for(s.places[s.seat].strategy, s.seat).name
    if s.claim is not None and s.seat in s.claim.answering:
        claim = (s.on_plates[s.claim.seat], s.claim.tricks, s.tricks_left)
    notes = tuple(map(s.told, s.notes))
    waits, rubber = s.waits_for_person, s.rubber_so_far is not None
    may_challenge = s.over and s.seat is not None and not s.challenge
    last = game.tricks[-1] if game.tricks and not s.deal_over else None
    seated = s.seat is not None and status is not None and not s.deal_over
    claimable = s.tricks_left if s.may_claim else None
    parts: dict[str, Part] = {
        "news": ("panel.news", base, s.known, notes, s.refused, bot, waits, status, claim),
        "tools": ("panel.tools", base, _hint(s), _undo(s), rubber, may_challenge),
        "tricks": ("panel.tricks", base, last, claimable, seated, bool(s.refused)),
    }
    if s.seat is None:
        parts["onlooker"] = (
            "panel.onlooker",
            any(place.person or place.away for place in s.places),
        )
    if s.seat is None and s.hints and status is not None and not s.deal_over:
        parts["outlook"] = ("panel.outlook", base)
    if status is not None or s.deal_over:
        told = meanings(game, s.on_plates, s.nameless)
        made = s.on_plates, game.dealer, s.calls, told, s.deal_over
        parts["calls-made"] = ("auction.calls_made", *made)
    lines = s.on_plates, s.sheet, s.deck
    parts["sheet"] = ("panel.sheet", base, s.deal, s.deals, s.scheme, *lines)
    if bots := tuple((side.face, side.name, side.line) for side in sides if side.face):
        parts["players"] = ("panel.players", bots, s.replaced)
    parts["log"] = ("panel.log", tuple(s.told(text) for _, text in s.said[-_LOGGED:]))
    if s.proofs:
        parts["proofs"] = ("panel.proofs", s.proofs)
    if s.seat is not None and not s.over:
        parts["leave"] = ("panel.leave", base, s.challenge, s.hold)
    return parts
