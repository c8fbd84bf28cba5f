"""A deal with all hands face up, for the review and the arena: hands, calls and cards, verdicts.

Verdicts come from an `Analysis`, as far as it has got. The arena shows the board of a running match
and finished games step by step.
"""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, islice, repeat
from typing import Any, Final, NamedTuple

from tribridge.arena.playing import Game
from tribridge.cards import Card
from tribridge.deals import HIDDEN, Seat
from tribridge.game import (
    Call,
    Chair,
    Contract,
    Table,
    find_scheme,
    points_name,
    record,
    record_of,
    scores,
)
from tribridge.reviews import Judgement, Luck, Option
from tribridge.reviews import Verdict as Judged
from tribridge.strategies import Choice
from tribridge.web.arena.match import ArenaMatch, Plan, SeatedGame
from tribridge.web.core.bots import Bot, bot_for
from tribridge.web.core.reviews import Analysis
from tribridge.web.core.wording import ended_words
from tribridge.web.language import Text, gettext, translated
from tribridge.web.view.board import SPOTS, Side, short_contract, sorted_cards, trump_of

_MARKS: Final = {Judged.MISTAKE: "?", Judged.INACCURACY: "?!"}
_MOST_OPTIONS: Final = 5


def open_hands(table: Table, gone: Container[Card], base: Seat, names: Sequence[str]) -> list[Side]:
    """The hands around the table without the cards that have gone; `base` sits at the bottom."""
    contract, trump = table.contract, trump_of(table.contract)
    fourth = gettext("Hidden hand") if contract is None else gettext("Dummy")
    sides = []
    for spot, seat in zip(SPOTS, (base, base.left, None, base.right), strict=True):
        hand = sorted_cards(table.deal.hands[HIDDEN if seat is None else seat], trump)
        side = Side(
            spot=spot,
            seat=seat,
            name=fourth if seat is None else names[seat.index],
            role="declarer" if contract is not None and contract.declarer is seat else "",
            cards=tuple(card for card in hand if card not in gone),
        )
        sides.append(side)
    return sides


def spot_of(chair: Chair, contract: Contract, base: Seat) -> str:
    """Where a chair sits around the table, with `base` at the bottom."""
    if chair is Chair.DUMMY:
        return "top"
    return ("bottom", "left", "right")[(chair.player(contract.declarer).index - base.index) % 3]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judgement in the words and signs of the page."""

    judgement: Judgement

    @property
    def words(self) -> str:
        words, luck = gettext(self.judgement.verdict.value), self.judgement.luck
        if luck is None:
            return words
        return gettext("{verdict}, {luck}").format(verdict=words, luck=gettext(luck.value))

    @property
    def kind(self) -> str:
        """For the style sheet: best, good, inaccuracy, mistake, forced or unjudged."""
        verdict = self.judgement.verdict
        return "unjudged" if verdict is Judged.UNJUDGED else verdict.value

    @property
    def mark(self) -> str:
        """A sign like those of chess: `?`, `?!`, or `~` for bad luck."""
        if self.judgement.luck is Luck.BAD:
            return "~"
        return _MARKS.get(self.judgement.verdict, "")

    @property
    def dot(self) -> str:
        return "luck" if self.mark == "~" else self.kind

    @property
    def options(self) -> list[Option]:
        """The best options and the one chosen."""
        best, rest = self.judgement.options[:_MOST_OPTIONS], self.judgement.options[_MOST_OPTIONS:]
        return [*best, *(option for option in rest if option.action == self.judgement.action)]


class Called(NamedTuple):
    """One call of the auction."""

    who: str
    call: Call
    verdict: Verdict | None


def called(table: Table, names: Sequence[str], analysis: Analysis) -> list[Called]:
    """The calls of a deal with their verdicts."""
    verdicts = chain(map(Verdict, analysis.judgements), repeat(None))
    who = islice(cycle(names), table.dealer.index, None)
    return list(map(Called, who, table.auction.calls, verdicts))


@dataclass(frozen=True, slots=True)
class Played:
    """One card of the play."""

    number: int
    """Counted from 1 over the whole play."""
    card: Card
    chair: Chair
    who: str
    winner: bool
    verdict: Verdict | None
    before: int | None
    """Declarer's tricks double dummy before the card."""
    expected: float | None
    """What the player could expect before it."""

    @property
    def value(self) -> int | None:
        """Declarer's tricks double dummy after the card."""
        if self.before is None or self.verdict is None:
            return None
        cost = int(self.verdict.judgement.cost or 0)
        return self.before - cost if self.chair.declaring else self.before + cost


def plays(table: Table, names: Sequence[str], analysis: Analysis | None = None) -> list[Played]:
    """The cards of a deal in order, each with its verdict where it is known."""
    position, contract = table.position, table.contract
    if position is None or contract is None:
        return []
    judged = [] if analysis is None else analysis.judgements[len(table.auction.calls) :]
    cards: list[Played] = []
    for number, (leader, trick) in enumerate(position.rounds()):
        closed = number < len(position.tricks)
        winner = position.tricks[number].winner if closed else None
        for at, card in enumerate(trick):
            chair = Chair((leader + at) % 4)
            own = judged[len(cards)] if len(cards) < len(judged) else None
            dummy = chair is Chair.DUMMY
            cards.append(
                Played(
                    number=len(cards) + 1,
                    card=card,
                    chair=chair,
                    who=gettext("Dummy") if dummy else names[chair.player(contract.declarer).index],
                    winner=chair is winner,
                    verdict=None if own is None else Verdict(own),
                    before=None if own is None else own.double_dummy,
                    expected=None if own is None else own.expected,
                )
            )
    return cards


def last_trick(played: Sequence[Played], contract: Contract, base: Seat) -> dict[str, Played]:
    """The cards of the trick on the table, by where they lie."""
    start = (len(played) - 1) // 4 * 4 if played else 0
    return {spot_of(card.chair, contract, base): card for card in played[start:]}


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
