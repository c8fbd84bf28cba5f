"""Thinking on other machines: questions in a database that servers share, answered by workers.

A server with a question writes it down, and a worker takes it (`SKIP LOCKED`: each is taken once).
If no worker takes it within a second, or the one that did is not heard of any more, the server
answers it itself, as it does without workers.

Questions and answers are values in JSON: the name of a function in `JOBS` and its arguments, what
it returns or how it failed. They carry the version of the program, and a worker takes only those of
its own. Words that the server translates keep their sentences: they are sent beside an answer. What
is not in `JOBS` (reading a file that is imported) stays with the processes of the server.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import cache
from inspect import signature
from typing import Any, Final, TypeVar, get_type_hints

from tribridge import __version__
from tribridge.club.core.background import begin
from tribridge.club.core.claims import certain
from tribridge.club.core.store import Statement, Store
from tribridge.club.core.workers import FailedError, OutOfTimeError, Workers, choose
from tribridge.club.errors import NotStoredError
from tribridge.club.history.summary import measure
from tribridge.club.view.advice import outlook, study
from tribridge.common import codec
from tribridge.common.errors import FormatError, first_line
from tribridge.common.sentences import Sentence, Words
from tribridge.game import Record, Table, View, record_of
from tribridge.game.view_json import read_view, view_fields
from tribridge.reviews import judge
from tribridge.strategies import options

T = TypeVar("T")

_UNTAKEN: Final = 1.0
"""Seconds that a question waits for a worker."""
_BEAT: Final = 2.0
"""Seconds between two signs of life of a worker."""
_LOST: Final = 3 * _BEAT
_OLD: Final = 600.0
"""Seconds after which a question that nobody waits for is deleted."""
_LOG: Final = logging.getLogger("tribridge.club")
_TAKE: Final = (
    "UPDATE jobs SET taken = ? WHERE id = (SELECT id FROM jobs WHERE taken = '' AND version = ? "
    "ORDER BY asked LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, seconds, question"
)


JOBS: Final[dict[str, Callable[..., Any]]] = {
    function.__name__: function
    for function in (choose, judge, certain, measure, options, study, outlook)
}
"""What workers elsewhere may be asked."""


@cache
def _kinds(job: str) -> tuple[tuple[Any, ...], Any]:
    """The types of a job's arguments, and that of its answer."""
    function = JOBS[job]
    hints = get_type_hints(function, include_extras=True)
    return tuple(hints[name] for name in signature(function).parameters), hints["return"]


def _plain(value: Any, kind: Any) -> Any:
    if kind is View:
        return view_fields(value)
    return codec.plain(record_of(value), Record) if kind is Table else codec.plain(value, kind)


def _read(value: Any, kind: Any, job: str) -> Any:
    if kind is View:
        return read_view(value)
    return codec.read(value, Record, job).table() if kind is Table else codec.read(value, kind, job)


def question_of(job: str, args: tuple[Any, ...]) -> str:
    """A question as JSON."""
    kinds, _ = _kinds(job)
    values = [_plain(value, kind) for value, kind in zip(args, kinds, strict=False)]
    return json.dumps({"job": job, "args": values})


def read_question(text: str) -> tuple[str, tuple[Any, ...]]:
    """The job that is asked for, and its arguments.

    >>> read_question('{"job": "system", "args": ["ls"]}')
    Traceback (most recent call last):
    ...
    tribridge.common.errors.FormatError: 'system' is not a job: expected choose, judge, ...
    """
    asked = json.loads(text)
    job, values = asked["job"], asked["args"]
    if job not in JOBS:
        raise FormatError(f"{job!r} is not a job: expected {', '.join(JOBS)}")
    kinds, _ = _kinds(job)
    args = (_read(value, kind, job) for value, kind in zip(values, kinds, strict=False))
    return job, tuple(args)


def read_answer(job: str, text: str) -> Any:
    """What a worker answered; raises the failure if that is the answer."""
    told = json.loads(text)
    if "failed" in told:
        raise (OutOfTimeError if told["late"] else FailedError)(told["failed"])
    if "refused" in told:
        raise FormatError(told["refused"])
    sentences = codec.read(told["words"], list[tuple[str, Sentence]], job)
    words = {english: Words(sentence, english) for english, sentence in sentences}
    return _with_words(codec.read(told["answer"], _kinds(job)[1], job), words)


def answer_of(job: str, result: Any) -> str:
    """What a worker answers, as JSON."""
    words = {str(each): each.sentence for each in _words_in(result)}
    told = {
        "answer": codec.plain(result, _kinds(job)[1]),
        "words": codec.plain(list(words.items()), list[tuple[str, Sentence]]),
    }
    return json.dumps(told)


def _parts(value: Any) -> dict[str, Any]:
    """The fields of a value; a sentence has none that matter here."""
    if not is_dataclass(value) or isinstance(value, Sentence):
        return {}
    return {field.name: getattr(value, field.name) for field in fields(value) if field.init}


def _words_in(value: Any) -> Iterator[Words]:
    """The texts in a value that keep their sentences."""
    if isinstance(value, Words):
        yield value
    for part in value if isinstance(value, list | tuple) else _parts(value).values():
        yield from _words_in(part)


def _with_words(value: Any, words: Mapping[str, Words]) -> Any:
    """A value in which texts have their sentences again."""
    if not words:
        return value
    if type(value) is str:
        return words.get(value, value)
    if type(value) in (list, tuple):
        return type(value)(_with_words(part, words) for part in value)
    parts = _parts(value)
    changed = {name: _with_words(part, words) for name, part in parts.items()}
    changed = {name: part for name, part in changed.items() if part is not parts[name]}
    return replace(value, **changed) if changed else value


class SharedWorkers(Workers):
    """The worker processes of a server, and those that work for its store elsewhere."""

    def __init__(self, count: int, store: Store) -> None:
        super().__init__(count)
        self._store, self._own = store, self.queue.turns
        self._elsewhere: dict[str, tuple[int, float]] = {}
        """The workers elsewhere: how many processes each has, and when it was heard of."""
        self._waiting: dict[str, asyncio.Event] = {}

    def heard(self, kind: str, text: str) -> None:
        name, _, more = text.partition(" ")
        if kind == "worker":
            processes, _, version = more.partition(" ")
            if version == __version__:
                self._elsewhere[name] = (int(processes), time.monotonic())
        elif name in self._waiting:
            self._waiting[name].set()
        self._count()

    def _count(self) -> int:
        since = time.monotonic() - _LOST
        self._elsewhere = {n: w for n, w in self._elsewhere.items() if w[0] and w[1] > since}
        others = sum(processes for processes, _ in self._elsewhere.values())
        self.queue.turns = self._own + others
        return others

    async def run(self, limit: float, function: Callable[..., T], *args: Any) -> T:
        job = function.__name__
        if JOBS.get(job) is not function or not self._count():
            return await super().run(limit, function, *args)
        name, answer = secrets.token_hex(8), None
        self._waiting[name] = asyncio.Event()
        try:
            answer = await self._asked(name, limit, question_of(job, args))
            if answer is not None:
                result: T = read_answer(job, answer)
                return result
        except FailedError:
            raise
        except Exception as error:  # the database is away, or the answer is not to be read
            _LOG.warning("a question was not answered elsewhere: %s", error)
        finally:
            del self._waiting[name]
        return await super().run(limit, function, *args)

    async def _asked(self, name: str, limit: float, question: str) -> str | None:
        """The answer of a worker; None if there is none to be had."""
        asked = "INSERT INTO jobs (id, version, asked, seconds, question) VALUES (?, ?, ?, ?, ?)"
        await self._change((asked, (name, __version__, time.time(), limit, question)))
        self._store.tell("job")
        begun = time.monotonic()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_UNTAKEN):
                    await self._waiting[name].wait()
            query = "SELECT taken, answer FROM jobs WHERE id = ?"
            rows = await self._store.apart(self._store.rows, query, name)
            worker, answer = rows[0] if rows else ("", None)
            self._count()
            patience = limit + _LOST if worker in self._elsewhere else _UNTAKEN
            waits = not worker or worker in self._elsewhere
            if rows and answer is None and waits and time.monotonic() < begun + patience:
                continue
            await self._change(("DELETE FROM jobs WHERE id = ?", (name,)))
            return None if answer is None else str(answer)

    async def _change(self, statement: Statement) -> None:
        await self._store.apart(self._store.change, statement)


async def work(store: Store, processes: int) -> None:
    """Answer the questions of a store's servers until it is cancelled."""
    workers, name = Workers(processes), secrets.token_hex(4)
    count, loop = workers.queue.turns, asyncio.get_running_loop()
    news, busy = asyncio.Event(), set[asyncio.Task[None]]()

    async def answer(asked: str, seconds: float, question: str) -> None:
        try:
            job, args = read_question(question)
            told = answer_of(job, await workers.run(seconds, JOBS[job], *args))
        except FailedError as error:
            told = json.dumps({"failed": str(error), "late": isinstance(error, OutOfTimeError)})
        except Exception as error:  # whatever it is, the server that waits is told
            _LOG.warning("a question cannot be answered: %s", first_line(error, "no message"))
            told = json.dumps({"refused": first_line(error, type(error).__name__)})
        given = "UPDATE jobs SET answer = ? WHERE id = ?", (told, asked)
        with suppress(NotStoredError):  # the server that asked helps itself
            await store.apart(store.change, given)
            store.tell(f"answer {asked}")

    def done(task: asyncio.Task[None]) -> None:
        busy.discard(task)
        news.set()

    async def take() -> None:
        while len(busy) < count:
            rows = await store.apart(store.rows, _TAKE, name, __version__)
            if not rows:
                return
            task = begin(answer(*rows[0]))
            busy.add(task)
            task.add_done_callback(done)

    async def live() -> None:
        while True:
            store.tell(f"worker {name} {count} {__version__}")
            with suppress(NotStoredError):
                old = "DELETE FROM jobs WHERE asked < ?", (time.time() - _OLD,)
                await store.apart(store.change, old)
            await asyncio.sleep(_BEAT)

    def heard(text: str) -> None:
        if text in ("again", "job"):
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(news.set)

    store.listen(heard)
    living = begin(live())
    try:
        while True:
            news.clear()
            with suppress(NotStoredError):
                await take()
            with suppress(TimeoutError):
                async with asyncio.timeout(_BEAT):
                    await news.wait()
    finally:
        living.cancel()
        store.tell(f"worker {name} 0 {__version__}")
        await asyncio.gather(*busy, return_exceptions=True)
        workers.close()
