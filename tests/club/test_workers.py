"""Workers: a time limit that holds, a process that dies, the next question answered."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import sys
import time
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.club.core.workers import FailedError, OutOfTimeError, Workers, _Worker, choose
from tribridge.game import new_table, view
from tribridge.strategies.program import COMMAND

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_a_worker_that_hangs_fails_or_dies_is_replaced() -> None:
    workers = Workers(1)
    try:
        await workers.get_ready(["random", "nobody"])  # a strategy that fails holds up nothing
        warm = [worker.process.pid for worker in workers._all if worker.process is not None]
        assert await workers.run(300, divmod, 7, 2) == (3, 1)
        first = await workers.run(300, os.getpid)
        assert warm == [first]
        assert first != os.getpid()
        assert await workers.run(300, os.nice, 0) > os.nice(0)  # moves come first
        with pytest.raises(FailedError, match="ZeroDivisionError"):
            await workers.run(300, divmod, 7, 0)
        assert await workers.run(300, os.getpid) == first
        with pytest.raises(OutOfTimeError, match=r"0\.2 seconds"):
            await workers.run(0.2, time.sleep, 60)
        second = await workers.run(300, os.getpid)
        assert second != first
        with pytest.raises(FailedError, match="ended its process"):
            await workers.run(300, os._exit, 3)
        seen = view(new_table(deal(1, 0), Seat.NORTH), Seat.NORTH)
        found = await workers.run(300, choose, "random", seen, 1, 0)
        assert found[0] in seen.legal
        assert found == await workers.run(300, choose, "random", seen, 1, 0)
        with pytest.raises(FailedError, match="unknown strategy"):
            await workers.run(300, choose, "nobody", seen, 1, 0)
    finally:
        workers.close()


def test_a_process_has_more_time_for_the_first_card_of_a_strategy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It loads networks then: on a busy machine a bot of a millisecond a card was replaced."""
    limits: list[float] = []

    class Pipe:
        def send(self, question: object) -> None:
            pass

        def poll(self, limit: float) -> bool:
            limits.append(limit)
            return True

        def recv(self) -> tuple[bool, None]:
            return True, None

        def close(self) -> None:
            pass

    worker, table = _Worker(), new_table(deal(1, 0), Seat.NORTH)
    monkeypatch.setattr(worker, "_started", Pipe)
    call, card = view(table, Seat.NORTH), view(table.call("1NT pass pass"), Seat.EAST)
    for seen in (call, call, card, card):
        worker.ask(10, choose, ("random", seen, 1, 0))
    worker.ask(10, divmod, (7, 2))
    assert limits == [40, 10, 40, 10, 10]
    worker.stop()  # the next process has loaded nothing
    worker.ask(10, choose, ("random", call, 1, 0))
    assert limits[-1] == 40


@pytest.mark.slow
async def test_getting_ready_loads_what_cards_need() -> None:
    workers = Workers(1)
    try:
        await workers.get_ready(["random"])
        assert workers._all[0].loaded == {("random", True), ("random", False)}
    finally:
        workers.close()


@pytest.mark.slow
async def test_a_worker_killed_from_outside_is_replaced_and_its_question_answered(
    tmp_path: Path,
) -> None:
    workers, begun = Workers(1), tmp_path / "begun"
    try:
        first = await workers.run(300, os.getpid)
        thought = asyncio.ensure_future(workers.run(300, hang_once, begun))
        while not begun.exists():
            await asyncio.sleep(0.01)
        os.kill(first, signal.SIGKILL)  # in the middle of a question
        second = await thought
        assert second != first
        os.kill(second, signal.SIGKILL)  # and between two
        assert await workers.run(300, os.getpid) not in (first, second)
        with pytest.raises(FailedError, match="ended its process"):  # not asked for ever
            await workers.run(300, kill_oneself)
        assert await workers.run(300, divmod, 7, 2) == (3, 1)
    finally:
        workers.close()


def hang_once(begun: Path) -> int:
    """The process that is asked for the second time; the first one hangs."""
    if not begun.exists():
        begun.touch()
        time.sleep(600)
    return os.getpid()


def kill_oneself() -> None:
    """Die as a process does that uses too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
async def test_closing_does_not_wait_for_a_thought() -> None:
    workers = Workers(1)
    await workers.run(300, os.getpid)
    thought = asyncio.ensure_future(workers.run(300, time.sleep, 600))
    await asyncio.sleep(0.1)
    workers.close()
    with pytest.raises(FailedError, match="ended its process"):  # it did not run out of time
        await thought


AGENT = """
import fcntl, pathlib, sys
with open(sys.argv[1] + "/lock", "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    pathlib.Path(sys.argv[1], "begun").touch()
    while True:
        pass
"""


@pytest.mark.slow
async def test_a_program_that_thinks_on_ends_with_its_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    monkeypatch.setenv(COMMAND, f"{sys.executable} {tmp_path}/agent.py {tmp_path}")
    workers, seen = Workers(1), view(new_table(deal(1, 0), Seat.NORTH), Seat.NORTH)
    thought = asyncio.ensure_future(workers.run(300, choose, "program", seen, 1, 0))
    try:
        while not (tmp_path / "begun").exists():
            await asyncio.sleep(0.01)
    finally:
        workers.close()
    with pytest.raises(FailedError):
        await thought
    with (tmp_path / "lock").open() as file:
        async with asyncio.timeout(30):
            while True:
                with suppress(BlockingIOError):
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                await asyncio.sleep(0.01)


def test_a_server_that_closes_while_a_process_starts_leaves_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker, started, start = _Worker(), list[BaseProcess](), BaseProcess.start

    def closing(process: BaseProcess) -> None:
        worker.kill()
        started.append(process)
        start(process)

    monkeypatch.setattr(BaseProcess, "start", closing)
    with pytest.raises(FailedError):
        worker.ask(30, len, ("",))
    (process,) = started
    assert not process.is_alive()
