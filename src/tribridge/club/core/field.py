"""The field of the daily deals: a few hundred runs of bots, and how one's own compare with them.

Who plays is data (`field.toml`): the rivals of the leagues first, then bots of all strengths. A
result on a deal is a percentage, as in a pairs tournament: the share of the runs that it beats,
where a tie counts half. That of several deals is their mean.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import chain, cycle, islice, takewhile
from random import Random
from statistics import fmean
from typing import Final

from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.club.core.workers import choose
from tribridge.club.language import texts
from tribridge.common.sentences import Sentence
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game import Action, Outcome, Table, view
from tribridge.game.tricks import Chair
from tribridge.game.view_json import action_name
from tribridge.reviews.values import read_action
from tribridge.reviews.wording import told_call

RUN: Final = "f:"
"""With which the names of the runs begin."""
_LEAST: Final = 1.0
"""Points by which another choice has to be better on average to be named."""
_FEWEST: Final = 10
"""Runs whose mean says something."""


@dataclass(frozen=True, slots=True)
class Run:
    """A bot that plays the person's seat."""

    player: str
    """The name under which its result is stored."""
    strategy: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A call or card of one's own, beside another one that was made or would have been better."""

    trick: int
    """From 1; 0 for a call."""
    dummy: bool
    """Whether the card comes from dummy."""
    own: Action
    other: Action
    card: int = 0
    """The number of the card in the play, from 1."""
    told: str | Sentence | None = None
    """One's own call in words, if one made the same call more than once in the deal."""
    number: int = 0
    """The number of one's own choice in the deal, from 1 over all calls and cards."""
    own_mean: float | None = None
    """The mean points of all who did the same, one's own among them; None if it is not known."""
    alike: int = 0
    """How many others did the same."""
    other_mean: float = 0.0
    others: int = 0
    """How many did the other thing."""
    cost: int = 0
    """The tricks that one's own card gave up, all cards seen."""
    sound: bool = False
    """Whether the review finds no mistake in one's own call."""


@cache
def leagues() -> tuple[tuple[str, ...], ...]:
    """The strategies of the rivals in each league, weakest first."""
    return tuple(tuple(league["rivals"]) for league in texts("core/field.toml")["leagues"])


@cache
def rival_names() -> tuple[str, ...]:
    """What the rivals of a week may be called."""
    return tuple(texts("core/field.toml")["names"])


@cache
def field_runs() -> tuple[Run, ...]:
    """Who is in the field of the daily deals; the rivals of the leagues come first."""
    parts = texts("core/field.toml")["others"]
    others = (islice(cycle(part["strategies"]), part["runs"]) for part in parts)
    played = chain(*leagues(), *others)
    return tuple(Run(f"{RUN}{number}", strategy) for number, strategy in enumerate(played))


def rivals(league: int) -> tuple[Run, ...]:
    """The runs of a league's rivals."""
    begin = sum(map(len, leagues()[:league]))
    return field_runs()[begin : begin + len(leagues()[league])]


def mixed(runs: Sequence[Run], dice: int) -> list[Run]:
    """Runs in an order in which those of every strategy come as regularly as they are many.

    So whoever has played at any time stands for all: the first are no weaker than the last.

    >>> [run.player for run in mixed([Run(f"f:{at}", "ab"[at > 3]) for at in range(6)], 1)]
    ['f:0', 'f:4', 'f:1', 'f:2', 'f:5', 'f:3']
    """
    random, numbers = Random(f"field {dice}"), Counter(run.strategy for run in runs)
    shifts = {strategy: random.random() for strategy in numbers}
    places, past = list[tuple[float, str, Run]](), Counter[str]()
    for run in runs:
        place = (past[run.strategy] + shifts[run.strategy]) / numbers[run.strategy]
        places.append((place, run.player, run))
        past[run.strategy] += 1
    return [run for _, _, run in sorted(places, key=lambda each: each[:2])]


def play_out(table: Table, strategies: Sequence[str], dice: Sequence[int], deal: int) -> Table:
    """A deal played to its end by bots, each with the seed of its randomness."""
    while table.turn is not None:
        seat: Seat = table.turn
        seen = view(table, seat)
        action, _ = choose(strategies[seat.index], seen, dice[seat.index], deal)
        table = table.apply(action)
    return table


def percentages(
    scores: Mapping[str, Sequence[Fraction]], runs: Collection[str]
) -> dict[str, tuple[float, ...]]:
    """The share of the runs that everybody beats on every deal, from their points.

    A tie counts half. A run is compared with the other ones, and with none if it is alone.

    >>> percentages({"a": [Fraction(9)], "b": [Fraction(0)], "you": [Fraction(0)]}, "ab")
    {'a': (100.0,), 'b': (0.0,), 'you': (25.0,)}
    """
    columns = [sorted(column) for column in zip(*(scores[run] for run in runs), strict=True)]

    def share(column: Sequence[Fraction], score: Fraction, itself: int) -> float:
        beaten = bisect_left(column, score) + bisect_right(column, score) - itself
        return 100 * beaten / (2 * (len(column) - itself))

    return {
        player: tuple(
            share(column, score, player in runs) for column, score in zip(columns, own, strict=True)
        )
        if len(runs) > (player in runs)
        else ()
        for player, own in scores.items()
    }


def line_of(table: Table) -> str:
    """The calls and cards of a deal, as they are stored."""
    return " ".join(map(action_name, table.history))


def shared(line: str, other: str) -> int:
    """How many actions two lines begin with alike.

    >>> shared("1C Pass Pass SA", "1C Pass 2C Pass Pass")
    2
    """
    pairs = zip(line.split(), other.split(), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def difference(start: Table, own: str, other: str) -> Difference | None:
    """Where two lines from the start of a deal part; None if they do not."""
    mine, theirs, at = own.split(), other.split(), shared(own, other)
    if at == min(len(mine), len(theirs)):
        return None
    table = start
    for action in mine[:at]:
        table = table.apply(read_action(action))
    parts = _parting(table, mine[at], theirs[at])
    if isinstance(parts.own, Card) or mine[at % 3 :: 3].count(mine[at]) < 2:
        return parts
    return replace(parts, told=told_call(parts.own, table.auction.calls, again=True))


def _parting(table: Table, own: str, other: str) -> Difference:
    play = table.position
    trick = 0 if play is None else len(play.tricks) + 1
    dummy = play is not None and play.chair is Chair.DUMMY
    card = 0 if play is None else sum(isinstance(past, Card) for past in table.history) + 1
    number = len(table.history) + 1
    return Difference(trick, dummy, read_action(own), read_action(other), card, number=number)


def beside_best(
    start: Table, own: str, best: str, lines: Sequence[tuple[str, Fraction]]
) -> Difference | None:
    """What made a line worse than the best one; None if nothing of it did.

    The call at which it parts from it. The same actions meet the same answers: whoever came to a
    call by the same ones had the same choice. What a call brought is the mean of all who made it
    there; `lines` are those of the field and one's own, with their points on the deal.

    Of the play, the first card from there on that cost a trick: the one at which the lines part may
    be as good as the other, and whoever played it may have thrown the tricks away later.
    """
    parts = difference(start, own, best)
    if parts is None:
        return None
    if isinstance(parts.own, Card):
        return costly(start, own, parts.number)
    at, taken = shared(own, best), defaultdict[str, list[float]](list)
    for line, points in lines:
        actions = line.split()
        if shared(own, line) >= at and len(actions) > at:
            taken[actions[at]].append(float(points))
    same, others = taken[action_name(parts.own)], taken[action_name(parts.other)]
    if min(len(same), len(others)) < _FEWEST or fmean(others) - fmean(same) < _LEAST:
        return parts
    return replace(
        parts,
        own_mean=fmean(same),
        alike=len(same) - 1,
        other_mean=fmean(others),
        others=len(others),
    )


@lru_cache(maxsize=256)
def costly(start: Table, line: str, number: int) -> Difference | None:
    """The first card that cost a trick, all cards seen, of whoever plays the one of this number.

    It is beside a best one; None if none of that card and the later ones cost anything.
    """
    actions, table, solver = line.split(), start, DoubleDummy(start.deal.deck)
    for name in actions[: number - 1]:
        table = table.apply(read_action(name))
    seat = table.turn
    for name in actions[number - 1 :]:
        position, card = table.position, read_action(name)
        assert position is not None
        assert isinstance(card, Card)
        if table.turn is seat and len(position.legal) > 1:
            values = solver.cards(position)
            best = (max if position.declaring else min)(values, key=values.__getitem__)
            if cost := abs(values[best] - values[card]):
                return replace(_parting(table, name, action_name(best)), cost=int(cost))
        table = table.apply(card)
    return None


def outcome_of(start: Table, line: str) -> Outcome | None:
    """How a line from the start of a deal ended; None if it was ended by a claim."""
    table = start
    for action in line.split():
        table = table.apply(read_action(action))
    return table.outcome
