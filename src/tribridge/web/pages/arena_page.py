"""What the arena shows of a game: the board of a running match, a finished game step by step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tribridge.arena.playing import Game
from tribridge.deals import Seat
from tribridge.game import (
    Chair,
    Table,
    find_scheme,
    points_name,
    record,
    record_of,
    scores,
)
from tribridge.strategies import Choice
from tribridge.web.arena.match import ArenaMatch, Plan, SeatedGame
from tribridge.web.core.bots import Bot, bot_for
from tribridge.web.core.wording import ended_words
from tribridge.web.language import Text, gettext, translated
from tribridge.web.pages.open_hands import Played, last_trick, open_hands, plays
from tribridge.web.view.board import Side, short_contract

_BOTTOM = Seat.SOUTH


def bots(match: ArenaMatch) -> dict[str, Bot]:
    """A character for each strategy of a match, all different."""
    return {
        name: bot_for(name, seat) for name, seat in zip(match.plan.strategies, Seat, strict=False)
    }


@dataclass(frozen=True, slots=True)
class Board:
    """A game after some calls and cards, all hands face up."""

    table: Table
    names: Sequence[str]
    """The strategies of North, East and South."""
    hands: list[Side]
    trick: dict[str, Played]
    words: str
    """The last call or card."""
    reason: str
    result: str
    """How the deal ended; empty until then."""

    def due(self, seat: Seat | None) -> bool:
        """Whether a hand is to act; None is the dummy's."""
        position = self.table.position
        dummy = position is not None and not position.over and position.chair is Chair.DUMMY
        return dummy if seat is None else not dummy and self.table.turn is seat

    @property
    def tricks(self) -> tuple[int, int]:
        """Won by declarer and by the defenders."""
        position = self.table.position
        return (0, 0) if position is None else (position.won, len(position.tricks) - position.won)


def board(table: Table, names: Sequence[str], reason: str, plan: Plan) -> Board:
    """A table with strategies in its seats."""
    seats = [translated(seat) for seat in Seat]
    played = plays(table, seats)
    return Board(
        table,
        names,
        open_hands(table, {one.card for one in played}, _BOTTOM, seats),
        {} if table.contract is None else last_trick(played, table.contract, _BOTTOM),
        _last(table, played),
        reason,
        _result(table, plan),
    )


def _last(table: Table, played: Sequence[Played]) -> str:
    calls = table.auction.calls
    if played:
        return gettext("{name} plays {card}.").format(name=played[-1].who, card=played[-1].card)
    if calls:
        seat = table.dealer.after(len(calls) - 1)
        return translated(Text("{name} calls {call}.", name=seat, call=calls[-1]))
    return translated(Text("{name} deals and calls first.", name=table.dealer))


def _result(table: Table, plan: Plan) -> str:
    outcome = table.outcome
    if outcome is None:
        return ""
    contract = outcome.contract
    if contract is None:
        return gettext("Passed out.")
    over = outcome.tricks - contract.tricks_needed(table.deal.deck)
    shown = short_contract(contract, translated(contract.declarer))
    words = translated(ended_words(shown, over))
    if plan.laws is not None:
        return words
    points = scores(outcome, find_scheme(plan.scheme), table.deal.deck)
    each = ", ".join(
        f"{translated(seat)} {points_name(score)}" for seat, score in zip(Seat, points, strict=True)
    )
    return gettext("{result} Points: {points}.").format(result=words, points=each)


class Follower:
    """Shows a running match game by game, call by call and card by card.

    Games may be played faster than anyone can watch: then it stays with the one that it shows,
    and goes on to the newest.
    """

    def __init__(self, match: ArenaMatch) -> None:
        self.match = match
        self.live: SeatedGame | None = match.live
        self.step = 0
        self.table: Table | None = None
        if self.live is not None:
            self.step, self.table = len(self.live.game.choices), self.live.game.table

    def advance(self) -> bool:
        """Show one more call or card, or the next game; whether there was one."""
        live = self.live
        if live is not None and self.table is not None:
            actions = record_of(live.game.table).actions
            if self.step < len(actions):
                self.table = self.table.apply(actions[self.step])
                self.step += 1
                return True
            if self.table.turn is not None:
                return False
        if self.match.live is live:
            return False
        self.live, self.step = self.match.live, 0
        self.table = None if self.live is None else self.live.game.start
        return True

    @property
    def ended(self) -> bool:
        """Whether the game on the board is over."""
        return self.table is not None and self.table.turn is None

    def board(self) -> Board | None:
        """What it shows now; None before the first game."""
        if self.live is None or self.table is None:
            return None
        choices = self.live.game.choices
        reason = choices[self.step - 1].reason if self.step else ""
        return board(self.table, self.live.names, reason, self.match.plan)


def replays(text: str) -> list[SeatedGame]:
    """The games of a deal, from their records."""
    names: list[tuple[str, ...]] = []
    reasons: list[list[str]] = []
    for line in text.splitlines():
        event: dict[str, Any] = json.loads(line)
        if event["event"] == "deal":
            names.append(tuple(event["game"]["seats"]))
            reasons.append([])
        elif "reason" in event:
            reasons[-1].append(event["reason"])
    return [
        SeatedGame(seats, Game(start, start, tuple(map(Choice, game.actions, why))))
        for seats, why, game in zip(names, reasons, record.loads(text), strict=True)
        for start in [next(game.states())]
    ]


def replayed(shown: SeatedGame, step: int, plan: Plan) -> Board:
    """A game after some of its calls and cards."""
    table, choices = shown.game.start, shown.game.choices[:step]
    for choice in choices:
        table = table.apply(choice.action)
    return board(table, shown.names, choices[-1].reason if choices else "", plan)
