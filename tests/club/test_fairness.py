"""Turns at the workers: who has used least comes first, and a light table finds one free."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.club.helpers import run
from tribridge.club.core import workers
from tribridge.club.core.bots import check_strategy, levels
from tribridge.club.core.workers import HALF_LIFE, FairQueue
from tribridge.club.errors import TooManyError, WebError


class _Bench:
    """A queue whose jobs end when the test says so, on a clock of the test."""

    def __init__(self, turns: int) -> None:
        self.now = 0.0
        self.queue = FairQueue(turns, lambda: self.now)
        self.running: dict[str, asyncio.Event] = {}
        self.order: list[str] = []
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def add(self, name: str, client: str, table: str) -> None:
        async def job() -> None:
            async with self.queue.turn(client, table):
                self.order.append(name)
                self.running[name] = asyncio.Event()
                await self.running[name].wait()

        self.tasks[name] = asyncio.ensure_future(job())
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def end(self, name: str, seconds: float) -> None:
        self.now += seconds
        self.running.pop(name).set()
        await self.tasks[name]
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def stop(self) -> None:
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)


def _with(turns: int, test: Callable[[_Bench], object]) -> None:
    async def go() -> None:
        bench = _Bench(turns)
        try:
            await test(bench)  # type: ignore[misc]
        finally:
            await bench.stop()

    run(go())


def test_another_visitor_does_not_wait_for_all_tables_of_one() -> None:
    async def test(bench: _Bench) -> None:
        for n in range(12):
            await bench.add(f"a{n}", "a", f"t{n}")
        await bench.end("a0", 9)
        await bench.add("b", "b", "u")
        await bench.end("a1", 9)
        assert bench.order == ["a0", "a1", "b"]

    _with(1, test)


def test_another_table_of_the_same_address_does_not_wait_for_all_others() -> None:
    async def test(bench: _Bench) -> None:
        for n in range(12):
            await bench.add(f"a{n}", "a", f"t{n % 3}")
        for n in range(3):
            await bench.end(f"a{n}", 9)
        await bench.add("b", "a", "u")
        await bench.end("a3", 9)
        assert bench.order == ["a0", "a1", "a2", "a3", "b"]

    _with(1, test)


def test_a_light_table_always_finds_a_worker() -> None:
    async def test(bench: _Bench) -> None:
        for n in range(3):  # now known to think long
            await bench.add(f"h{n}", "a", f"t{n}")
            await bench.end(f"h{n}", 9)
        for n in range(3):
            await bench.add(f"a{n}", "a", f"t{n}")
        assert len(bench.running) == 1
        await bench.add("b", "a", "u")
        assert "b" in bench.running
        bench.now += 20 * HALF_LIFE
        await bench.end("b", 0)  # forgotten by now: nothing is kept free for nobody
        assert len(bench.running) == 2

    _with(2, test)


def test_one_who_goes_gives_the_turn_back() -> None:
    async def test(bench: _Bench) -> None:
        for name in "abc":
            await bench.add(name, name, "t")
        bench.tasks["a"].cancel()  # while it has its turn
        bench.tasks["b"].cancel()  # while it waits
        await asyncio.sleep(0.01)
        assert bench.tasks["a"].cancelled()
        assert bench.tasks["b"].cancelled()
        assert list(bench.running) == ["a", "c"]
        await bench.end("c", 1)
        await bench.add("d", "d", "t")
        bench.running.pop("d").set()
        await bench.tasks["d"]

    _with(1, test)


def test_one_visitor_may_wait_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_MOST_WAITING", 3)

    async def test(bench: _Bench) -> None:
        for n in range(6):
            await bench.add(f"a{n}", "a", "t")
        refused = [name for name, task in bench.tasks.items() if task.done()]
        assert refused == ["a4", "a5"]
        assert isinstance(bench.tasks["a5"].exception(), TooManyError)
        await bench.add("b", "b", "t")
        assert not bench.tasks["b"].done()

    _with(1, test)


@pytest.mark.parametrize(
    "text",
    [
        "sampling:layouts=10000,seconds=9",
        "sampling:seconds=3",
        "ismcts:iterations=100000",
        "alphamu:worlds=256",
        "alphamu:depth=4",
        "forecast:samples=10000",
    ],
)
def test_a_visitor_may_not_ask_for_long_thoughts(text: str) -> None:
    with pytest.raises(WebError, match="up to"):
        check_strategy(text)


def test_the_strategies_on_offer_are_allowed() -> None:
    for level in levels():
        assert check_strategy(level.strategy) == level.strategy
    assert check_strategy("forecast+sampling:layouts=50") == "forecast+sampling:layouts=50"
