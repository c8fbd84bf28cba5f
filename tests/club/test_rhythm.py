"""The pauses of bots: uneven as with people, and without a word about anybody's hand."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat, three
from tribridge.club.core import events, room
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.rhythm import rhythm
from tribridge.club.core.room import Driver, Room, Timing
from tribridge.club.core.state import Place, State
from tribridge.club.core.store import SqliteStore
from tribridge.game import Action, Bid, Mark, Table, new_table


def _tables(number: int) -> list[Table]:
    """Every table of a deal in which the first legal card is played."""
    table = new_table(deal(3, number), Seat(number % 3))
    steps = [table]
    for call in ("1NT", "Pass", "3S", "Pass", "Pass"):
        table = table.call(call)
        steps.append(table)
    while not table.over:
        table = table.apply(table.legal[0])
        steps.append(table)
    return steps


def test_a_pause_is_never_far_from_the_usual_one_and_the_lead_takes_longest() -> None:
    steps = _tables(1)
    found = [rhythm(table, at) for at, table in enumerate(steps)]
    assert all(0.6 < one < 2 for one in found)
    assert 0.9 < fmean(found) < 1.15
    by_kind = {
        kind: fmean(rhythm(table, number) for number in range(200))
        for kind, table in (("call", steps[0]), ("high", steps[3]), ("lead", steps[5]),
                            ("card", steps[10]), ("end", steps[-3]))
    }  # fmt: skip
    assert by_kind["end"] < by_kind["card"] <= by_kind["call"] < by_kind["high"] < by_kind["lead"]


def test_a_pause_says_nothing_of_the_cards() -> None:
    first, second = _tables(0), _tables(3)  # the same dealer
    assert len(first) == len(second) == 6 + 52
    for at, (one, other) in enumerate(zip(first, second, strict=True)):
        assert rhythm(one, at) == rhythm(other, at)


class _Slow:
    """Thinks for a while about every choice, and not at all where there is none."""

    async def choice(self, _client: str, _name: str, _limit: float, *given: Any) -> Action:
        table: Table = given[1]
        if len(table.legal) > 1:
            await asyncio.sleep(0.02)
        if table.position is None:
            return Mark.PASS if table.auction.calls else Bid("1NT")
        return table.legal[0]


@pytest.mark.anyio
async def test_a_forced_card_of_a_slow_strategy_takes_as_long_as_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: dict[tuple[bool, bool], list[float]] = defaultdict(list)

    def rest(_pause: float, thought: float, usual: float) -> float:
        table = playing.state.table
        assert table is not None
        waits[table.position is None, len(table.legal) == 1].append(max(thought, usual))
        return 0.0

    async def add(where: Room, event: events.Event, _at: int) -> State:
        where.show(events.after(where.state, event))
        return where.state

    monkeypatch.setattr(room, "rest_of", rest)
    bots = three(Place(name, "slow") for name in "NES")
    opened = events.Opened(MatchPlan(deals=1, seed=1).checked(), bots, 1)
    playing = Room("x", events.after(opened.state(), events.Started()))
    store = SqliteStore(tmp_path / "x.sqlite")
    driver = Driver(add, _Slow(), Timing(), store)  # type: ignore[arg-type]
    while not playing.state.closed:
        await driver._act(playing, playing.state)
    store.close()
    assert len(waits[False, True]) > 10
    assert min(waits[False, True][1:]) > 0.015  # nobody has chosen a card before the first
