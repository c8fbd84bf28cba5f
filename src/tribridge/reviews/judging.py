"""The review of a deal: each choice judged on its own, one after the other or by several processes.

The random numbers of a choice depend only on the seed and its place in the deal, so a choice is
judged the same alone, in a whole review, and by any number of processes. Only a time limit makes
the result depend on the machine: then fewer layouts may be valued, and every judgement says how
many.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from math import inf
from typing import Final

from tribridge.cards import Card
from tribridge.errors import SettingError
from tribridge.game.record import Record, record_of
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.game.table import Action, Table
from tribridge.game.views import view
from tribridge.parallel import cores, worker_pool
from tribridge.reviews.calls import judge_call, settle_call
from tribridge.reviews.cards import FEWEST, judge_card, second_opinion, settle_card, value_cards
from tribridge.reviews.values import Judgement, Review
from tribridge.reviews.wording import SEATS, Names, summaries
from tribridge.strategies.players.search.evaluation import Clock, solver_of
from tribridge.strategies.randomness import decision_rng

LAYOUTS: Final = 40
SECONDS: Final = 20.0
_MOST_LAYOUTS: Final = 10_000
_FORCED: Final = 4
"""One in so many layouts is valued for a forced card: it needs no verdict, only an expectation."""
_LEAST: Final = 0.15
"""Seconds that a choice gets even when the time is up: enough for an ending."""
_SOLVE: Final = 0.05
"""A guess at the seconds that one layout of a standing bid takes."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a deal is reviewed."""

    layouts: int = LAYOUTS
    """Most layouts valued for a choice."""
    seconds: float = SECONDS
    """Limit for the whole deal; 0: none."""
    seed: int = 1
    scheme: str | None = None
    """Scoring scheme for the calls; None: the record's, or else `auction`."""
    names: Names = SEATS
    """What to call North, East and South."""
    processes: int = 1
    """0: all cores."""

    def __post_init__(self) -> None:
        if not FEWEST <= self.layouts <= _MOST_LAYOUTS:
            raise SettingError(
                f"the number of layouts must be {FEWEST} to {_MOST_LAYOUTS:,}, not {self.layouts}"
            )
        if not 0 <= self.seconds < inf:
            raise SettingError(
                f"the seconds must be a number, 0 (no limit) or more, not {self.seconds}"
            )
        if self.processes < 0:
            raise SettingError(
                f"the number of processes must be 0 (all cores) or more, not {self.processes}"
            )


def review(
    deal: Table | Record,
    plan: Plan | None = None,
    progress: Callable[[Judgement], None] = lambda judgement: None,
) -> Review:
    """Judge every call and card of a deal; `progress` is called with each judgement in turn."""
    plan = plan or Plan()
    record = _record(deal)
    judged = []
    for judgement in judgements(record, plan):
        progress(judgement)
        judged.append(judgement)
    return Review(
        judgements=tuple(judged),
        outcome=record.replay().outcome,
        summaries=summaries(judged, plan.names),
    )


def judgements(deal: Table | Record, plan: Plan | None = None) -> Iterator[Judgement]:
    """The judgements on a deal in order, each as soon as it is made."""
    plan = plan or Plan()
    record = _record(deal)
    states = list(record.states())[: len(record.actions)]
    scheme = find_scheme(plan.scheme or record.scheme or "auction")
    processes = plan.processes or cores()
    budget = Budget(states, plan.seconds, processes)
    choices = enumerate(zip(states, record.actions, strict=True))
    if processes == 1:
        for at, (table, action) in choices:
            yield judge(table, action, scheme, plan, budget.share(at))
        return
    with worker_pool(processes) as pool:
        pending: deque[Future[Judgement]] = deque()
        for at, (table, action) in choices:
            if len(pending) == processes:
                yield pending.popleft().result()
            pending.append(pool.submit(judge, table, action, scheme, plan, budget.share(at)))
        while pending:
            yield pending.popleft().result()


class Budget:
    """How the time for a deal is shared among its choices."""

    def __init__(self, states: Sequence[Table], seconds: float, processes: int = 1) -> None:
        self.seconds, self.processes = seconds, processes
        self._costs = [_cost(table) for table in states]
        self._deadline = time.monotonic() + seconds

    def share(self, at: int) -> float:
        """The seconds for a choice, from what is left for it and those after it; 0: no limit."""
        if not self.seconds:
            return 0.0
        costs = self._costs[at:]
        left = (self._deadline - time.monotonic()) * min(self.processes, len(costs))
        return max(left * costs[0] / sum(costs), min(_LEAST, self.seconds))


def judge(
    table: Table, action: Action, scheme: Scheme, plan: Plan, seconds: float = 0.0
) -> Judgement:
    """Judge one choice at a table; `seconds` limits this choice, 0 does not."""
    seat = table.turn
    assert seat is not None
    seen = view(table, seat)
    made = _made(table)
    rng = decision_rng(plan.seed, 0, seat, made)
    position = table.position
    if position is None:
        assert not isinstance(action, Card)
        defence = plan.layouts if not seconds else min(plan.layouts, int(seconds / _SOLVE))
        seed = int(rng.integers(1 << 31))
        judgement = judge_call(made + 1, seen, action, scheme, defence, seed)
        return settle_call(judgement, table, scheme)
    assert isinstance(action, Card)
    layouts = plan.layouts if len(seen.legal) > 1 else plan.layouts // _FORCED
    values = value_cards(seen, layouts, Clock(seconds or None), rng)
    opinion = second_opinion(seen, rng)
    judgement = judge_card(made + 1, seen, action, values, opinion, plan.names)
    truth = solver_of(table.deal.deck).cards(position)
    return settle_card(judgement, values, truth, position.hands, plan.names)


def _record(deal: Table | Record) -> Record:
    record = deal if isinstance(deal, Record) else record_of(deal)
    if not record.actions:
        raise SettingError("there is nothing to review: the deal has no calls and no cards")
    return record


def _made(table: Table) -> int:
    """How many calls and cards have been made."""
    position = table.position
    cards = 0 if position is None else 4 * len(position.tricks) + len(position.trick)
    return len(table.auction.calls) + cards


def _cost(table: Table) -> float:
    """A guess at the time that a choice takes, relative to the opening lead."""
    position = table.position
    if position is None:
        return 1.0 if table.auction.last_bid is not None else 0.2
    left = sum(mask.bit_count() for mask in position.hands) / table.deal.deck.size
    return (0.02 + left**3) * (1.0 if len(position.legal) > 1 else 1 / _FORCED)
