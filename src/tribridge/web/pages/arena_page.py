"""What the arena's pages show: the game on the board, the standing, and how it developed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tribridge.cards import Card
from tribridge.deals import HIDDEN, Seat
from tribridge.game import (
    Action,
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
from tribridge.stats import FEWEST_DEALS
from tribridge.web.arena.match import (
    FAILED,
    INTERRUPTED,
    OUT_OF_TIME,
    STOPPED,
    ArenaMatch,
    Difference,
    Ends,
    LiveGame,
    Score,
)
from tribridge.web.core.bots import Bot, bot_for
from tribridge.web.core.reviews import Analysis
from tribridge.web.core.wording import ended_words
from tribridge.web.language import Text, formatted, gettext, translated
from tribridge.web.pages.review_page import Played, plays
from tribridge.web.view.board import short_contract, sorted_cards, trump_of

_SPOTS: Final = {Seat.SOUTH: "bottom", Seat.NORTH: "left", Seat.EAST: "right"}
_DUMMY: Final = "top"
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 600, 190, 52, 10, 26
_TICKS: Final = 4
_SETTLED: Final = 10
"""Deals after which the interval counts for the scale of the graph."""


def bots(match: ArenaMatch) -> dict[str, Bot]:
    """A character for each strategy of a match, all different."""
    return {
        name: bot_for(name, seat) for name, seat in zip(match.plan.strategies, Seat, strict=False)
    }


@dataclass(frozen=True, slots=True)
class Side:
    """One of the four hands."""

    spot: str
    seat: str
    strategy: str
    """Empty for the hidden hand."""
    cards: tuple[Card, ...]
    declarer: bool
    turn: bool


@dataclass(frozen=True, slots=True)
class Board:
    """A game after some calls and cards, all hands face up."""

    sides: tuple[Side, ...]
    dealer: Seat
    calls: tuple[Call, ...]
    contract: Contract | None
    tricks: tuple[int, int]
    """Won by declarer and by the defenders."""
    trick: dict[str, Played]
    words: str
    """The last call or card."""
    reason: str
    result: str
    """How the deal ended; empty until then."""


def board(table: Table, names: Sequence[str], reason: str, scheme: str | None) -> Board:
    """A table with strategies in its seats; `scheme` is None if rubbers are played."""
    contract, position = table.contract, table.position
    played = plays(table, [translated(seat) for seat in Seat], Analysis(0))
    gone = {one.card for one in played}
    trump = trump_of(contract)
    dummys_turn = position is not None and not position.over and position.chair is Chair.DUMMY
    turn = None if dummys_turn else table.turn

    def cards(at: int) -> tuple[Card, ...]:
        held = sorted_cards(table.deal.hands[at], trump)
        return tuple(card for card in held if card not in gone)

    sides = [
        Side(spot, translated(seat), names[seat], cards(seat),
             contract is not None and contract.declarer is seat, turn is seat)
        for seat, spot in _SPOTS.items()
    ]  # fmt: skip
    dummy = gettext("Hidden hand") if contract is None else gettext("Dummy")
    sides.append(Side(_DUMMY, dummy, "", cards(HIDDEN), False, dummys_turn))
    declared = 0 if position is None else position.won
    finished = 0 if position is None else len(position.tricks)
    trick: dict[str, Played] = {}
    if played and contract is not None:
        for one in played[(len(played) - 1) // 4 * 4 :]:
            dummys = one.chair is Chair.DUMMY
            trick[_DUMMY if dummys else _SPOTS[one.chair.player(contract.declarer)]] = one
    return Board(
        sides=tuple(sides),
        dealer=table.dealer,
        calls=tuple(table.auction.calls),
        contract=contract,
        tricks=(declared, finished - declared),
        trick=trick,
        words=_last(table, played),
        reason=reason,
        result=_result(table, scheme),
    )


def _last(table: Table, played: Sequence[Played]) -> str:
    calls = table.auction.calls
    if played:
        return gettext("{name} plays {card}.").format(name=played[-1].who, card=played[-1].card)
    if calls:
        seat = Seat((table.dealer + len(calls) - 1) % 3)
        return translated(Text("{name} calls {call}.", name=seat, call=calls[-1]))
    return translated(Text("{name} deals and calls first.", name=table.dealer))


def _result(table: Table, scheme: str | None) -> str:
    outcome = table.outcome
    if outcome is None:
        return ""
    contract = outcome.contract
    if contract is None:
        return gettext("Passed out.")
    over = outcome.tricks - contract.tricks_needed(table.deal.deck)
    shown = short_contract(contract, translated(contract.declarer))
    words = translated(ended_words(shown, over))
    if scheme is None:
        return words
    points = scores(outcome, find_scheme(scheme), table.deal.deck)
    each = ", ".join(
        f"{translated(seat)} {points_name(one)}" for seat, one in zip(Seat, points, strict=True)
    )
    return gettext("{result} Points: {points}.").format(result=words, points=each)


class Follower:
    """Shows a running match game by game, call by call and card by card.

    Games may be played faster than anyone can watch: then it stays with the one that it shows,
    and goes on to the newest.
    """

    def __init__(self, match: ArenaMatch) -> None:
        self.match = match
        self.live: LiveGame | None = match.live
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
        plan = self.match.plan
        return board(
            self.table, self.live.names, reason, plan.scheme if plan.laws is None else None
        )


@dataclass(frozen=True, slots=True)
class Replay:
    """A finished game, to step through."""

    names: tuple[str, ...]
    start: Table
    actions: tuple[Action, ...]
    reasons: tuple[str, ...]

    def table(self, step: int) -> Table:
        """The table after some calls and cards."""
        table = self.start
        for action in self.actions[:step]:
            table = table.apply(action)
        return table


def replays(text: str) -> list[Replay]:
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
        Replay(
            seats,
            next(game.states()),
            game.actions,
            tuple(why),
        )
        for seats, why, game in zip(names, reasons, record.loads(text), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Chart:
    """How a difference and its interval developed, as coordinates of an SVG."""

    width: int
    height: int
    left: int
    bottom: int
    line: str
    band: str
    levels: tuple[tuple[float, str], ...]
    """Height and label of each horizontal line."""
    marks: tuple[tuple[float, str], ...]
    """Position and label of numbers of deals."""
    zero: float


def chart(match: ArenaMatch, pair: int) -> Chart | None:
    """The graph of a pair of strategies; None before two standings are known."""
    rows = [(deals, estimates[pair]) for deals, estimates in match.history if deals > 1]
    if not rows:
        return None
    total = match.plan.deals if match.running else match.deals
    low, high = _scale(rows)
    step = _step((high - low) / _TICKS)
    low, high = step * (low // step), -step * (-high // step)

    def x(deals: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - 8) * deals / total, 1)

    def y(points: float) -> float:
        share = (min(max(points, low), high) - low) / (high - low)
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)

    above = [f"{x(n)},{y(top)}" for n, (_, _, top) in rows if top is not None]
    below = [f"{x(n)},{y(end)}" for n, (_, end, _) in reversed(rows) if end is not None]
    heights = [round(low + at * step, 6) for at in range(round((high - low) / step) + 1)]
    return Chart(
        width=_WIDTH,
        height=_HEIGHT,
        left=_LEFT,
        bottom=_HEIGHT - _BOTTOM,
        line=" ".join(f"{x(n)},{y(mean)}" for n, (mean, _, _) in rows),
        band=" ".join(above + below),
        levels=tuple((y(one), f"{one:+g}" if one else "0") for one in heights),
        marks=tuple((x(n), f"{n}") for n in (0, total // 2, total)),
        zero=y(0.0),
    )


def _scale(rows: Sequence[tuple[int, Ends]]) -> tuple[float, float]:
    """The ends of the scale: they hold all means, and the intervals once they are usable."""
    last = rows[-1][0]
    heights = [0.0]
    for deals, ends in rows:
        usable = deals >= min(_SETTLED, last) and deals >= last / 4
        heights += [end for end in (ends if usable else ends[:1]) if end is not None]
    low, high = min(heights), max(heights)
    return (low, high) if high > low else (-1.0, 1.0)


def _step(rough: float) -> float:
    """A round number near a rough one: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** len(str(int(rough))) / 10 if rough >= 1 else 0.1
    return next((m * power for m in (1, 2, 5, 10) if m * power >= rough), 10 * power)


def interval_words(mean: Score | Difference) -> str:
    """An interval in words, with one digit.

    >>> interval_words(Score("a", 1.0, -0.5, 2.25)), interval_words(Score("a", 1.0, None, None))
    ('-0.5 to +2.2', 'not known yet')
    """
    if mean.low is None or mean.high is None:
        return gettext("not known yet")
    low, high = formatted("%+.1f", mean.low), formatted("%+.1f", mean.high)
    return gettext("{low} to {high}").format(low=low, high=high)


def progress_words(match: ArenaMatch) -> str:
    """How far a match has got, in words."""
    deals, total, rubbers = match.deals, match.plan.deals, match.plan.laws is not None
    form = gettext("{deals} of {total} rubbers") if rubbers else gettext("{deals} of {total} deals")
    done = form.format(deals=deals, total=total)
    if not match.running:
        return _ended(match.status).format(progress=done)
    if match.stopping:
        return gettext("{progress}; stopping").format(progress=done)
    if not deals:
        form = (
            gettext("{progress}; every rubber is played in {seatings} seatings")
            if rubbers
            else gettext("{progress}; every deal is played in {seatings} seatings")
        )
        return form.format(progress=done, seatings=len(match.seatings))
    left = match.seconds / deals * (total - deals)
    return gettext("{progress}, about {time} left").format(progress=done, time=_duration(left))


def _ended(status: str) -> str:
    """How a match ended, around its progress."""
    return {
        STOPPED: gettext("{progress}, then stopped"),
        OUT_OF_TIME: gettext("{progress}, then out of time"),
        INTERRUPTED: gettext("{progress}, then interrupted"),
        FAILED: gettext("{progress}, then failed"),
    }.get(status, "{progress}")


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def caution(match: ArenaMatch) -> str:
    """From how many deals on there are intervals, as long as there are fewer."""
    if match.deals >= FEWEST_DEALS:
        return ""
    form = (
        gettext("There are intervals from {number} deals on.")
        if match.plan.laws is None
        else gettext("There are intervals from {number} rubbers on.")
    )
    return form.format(number=FEWEST_DEALS)
