"""Work that is asked for in a database, and done by workers of any server."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from tests.club.database import programs, shared_database
from tests.club.two_servers import until
from tribridge import __version__, new_table, play_game
from tribridge.cards.deals import Seat
from tribridge.club.core.claims import certain
from tribridge.club.core.postgres import PostgresStore
from tribridge.club.core.workers import FailedError, Workers, choose
from tribridge.club.history.played import played
from tribridge.club.history.summary import measure
from tribridge.club.server import jobs
from tribridge.club.server.jobs import SharedWorkers
from tribridge.club.view.advice import outlook, study
from tribridge.common.sentences import Sentence, Words
from tribridge.game import View, record_of, view
from tribridge.game.tags import Tags
from tribridge.reviews import Plan, judge
from tribridge.strategies import options

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed"),
]


async def test_a_worker_elsewhere_answers_and_the_server_helps_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = shared_database().url()
    store, its = PostgresStore(url), PostgresStore(url)
    workers = SharedWorkers(1, store)
    loop = asyncio.get_running_loop()

    def heard(text: str) -> None:
        kind, _, rest = text.partition(" ")
        if kind in ("answer", "worker"):
            loop.call_soon_threadsafe(workers.heard, kind, rest)

    store.listen(heard)
    seen = _begun()
    asked = "pass+random", seen, 1, 0
    expected = choose(*asked)
    assert await workers.run(60.0, choose, *asked) == expected  # nobody else is there
    working = asyncio.ensure_future(jobs.work(its, 1))

    async def known() -> bool:
        return workers.queue.turns == 2

    await until(known)
    monkeypatch.setattr(Workers, "run", _counted(Workers.run, counts := Counter[str]()))
    assert await workers.run(60.0, choose, *asked) == expected
    with pytest.raises(FailedError, match="no such"):
        await workers.run(60.0, choose, "no such", seen, 1, 0)
    assert counts == {"Workers": 2}  # both were answered elsewhere
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working
    assert await workers.run(60.0, choose, *asked) == expected
    assert counts["SharedWorkers"] == 1
    assert store.rows("SELECT id FROM jobs") == []
    for each in (store, its):
        each.close()
    workers.close()


def _begun() -> View:
    """What the dealer sees."""
    table = new_table(seed=1)
    return view(table, table.turn)


def _counted(run: Any, counts: Counter[str]) -> Any:
    async def counted(self: Workers, *args: Any) -> Any:
        counts[type(self).__name__] += 1
        return await run(self, *args)

    return counted


async def test_a_worker_of_another_version_leaves_questions_alone() -> None:
    url = shared_database().url()
    store, its = PostgresStore(url), PostgresStore(url)
    workers = SharedWorkers(1, store)
    workers.heard("worker", "abc 1 0.0.1")
    assert workers.queue.turns == 1  # nobody counts on it
    workers.heard("worker", f"abc 1 {__version__}")
    assert workers.queue.turns == 2
    working = asyncio.ensure_future(jobs.work(its, 1))
    question = jobs.question_of("choose", ("pass+random", _begun(), 1, 0))
    for version in ("0.0.1", __version__):
        row = (version, version, time.time(), 60.0, question)
        added = "INSERT INTO jobs (id, version, asked, seconds, question) VALUES (?, ?, ?, ?, ?)"
        store.change((added, row))
    its.tell("job")

    async def answered() -> bool:
        query = "SELECT id FROM jobs WHERE taken != ''"
        return [name for (name,) in store.rows(query)] == [__version__]

    await until(answered)
    bad = "UPDATE jobs SET taken = '', answer = NULL, question = '{}' WHERE version = ?"
    store.change((bad, (__version__,)))
    its.tell("job")

    async def refused() -> bool:
        rows = store.rows("SELECT answer FROM jobs WHERE version = ?", __version__)
        return rows[0][0] is not None and "refused" in rows[0][0]

    await until(refused)  # an error is an answer, and the worker goes on
    assert not working.done()
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working
    for each in (store, its):
        each.close()
    workers.close()


def said(text: Words) -> Sentence:
    """What pages translate."""
    return text.sentence


@pytest.mark.parametrize("actions", [(), ("1C", "pass", "pass")])
def test_questions_and_answers_come_back_from_json_as_they_were(actions: tuple[str, ...]) -> None:
    table = new_table(seed=2, scheme="contract")
    for action in actions:
        table = table.call(action)
    while actions and len(table.history) < 10:
        table = table.apply(table.legal[0])
    record = record_of(play_game(*["points+maxims"] * 3, seed=3))
    record = replace(record, scheme="auction", tags=Tags({"Event": "Club night"}))
    deal = played(record, Seat.EAST)
    assert deal is not None
    finished = record.table()
    before, first = finished.undo(len(finished.history)), finished.history[0]
    seen = view(table, table.turn)
    for function, args in (
        (choose, ("points+maxims", seen, 5, 0)),
        (judge, (before, first, Plan(8, names=("a", "b", "c")))),
        (certain, (seen, 3)),
        (measure, ([deal],)),
        (options, (seen,)),
        (study, (seen,)),
        (outlook, (view(table, None),)),
    ):
        name = function.__name__
        question = jobs.question_of(name, args)
        job, given = jobs.read_question(question)
        assert jobs.question_of(job, given) == question
        if function is not certain or table.position is not None:
            answer = function(*args)
            assert function(*given) == answer
            again = jobs.read_answer(name, jobs.answer_of(name, answer))
            assert again == answer
            assert list(map(said, jobs._words_in(again))) == list(map(said, jobs._words_in(answer)))
