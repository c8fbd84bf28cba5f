"""A server and a browser for the tests that need them."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.club.browsing import browser
from tests.club.helpers import store_in
from tests.club.live import QUICK_PLAY, Live
from tests.club.quick_play import LAYOUTS, QUICK
from tribridge.club.core import (
    all_rooms,
    bots,
    challenges,
    matches,
    open_store,
    postgres,
    reviews,
    store,
)
from tribridge.club.core.postgres import PostgresStore
from tribridge.club.core.store import SqliteStore


@pytest.fixture
def anyio_backend() -> str:
    """Coroutines are tests, run by anyio's plugin."""
    return "asyncio"


@pytest.fixture(autouse=True)
def dealt_again(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers in this process deal a test the same cards to the same bots in every run.

    Their cards are secret, hence drawn anew; a test that holds for most of them only would fail
    one day. DEALS=2 deals others.
    """
    drawn = Random(f"{os.environ.get('DEALS', 1)} {request.node.nodeid}")

    for module, name, known in (
        (matches, "token_hex", lambda size: drawn.randbytes(size).hex()),
        (all_rooms, "randbits", drawn.getrandbits),
    ):
        monkeypatch.setattr(module, "secrets", SimpleNamespace(**vars(secrets) | {name: known}))
    monkeypatch.setattr(bots, "SystemRandom", lambda: drawn)


@pytest.fixture(autouse=True)
def quick_reviews(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reviews and hints of servers in this process are those of `quick_play`."""
    monkeypatch.setattr(reviews, "LAYOUTS", LAYOUTS)
    for module, name, quick in QUICK:
        monkeypatch.setattr(module, name, quick)


@pytest.fixture(autouse=True)
def no_field(monkeypatch: pytest.MonkeyPatch) -> None:
    """No field plays the daily deals, unless a test asks for one."""
    monkeypatch.setattr(challenges, "field_runs", tuple)


_STORES = (store.__file__, postgres.__file__, open_store.__file__, __file__)
_TESTS = str(Path(__file__).parent)


_BLOCKING = ("read", "run", "load", "size", "claim", "release")
"""What a store answers only when its database does."""


def _called_on_loop() -> str:
    """Where the program calls a store on an event loop; empty in a thread, and for a test."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return ""
    frame = sys._getframe(1)
    while frame.f_code.co_filename in _STORES and frame.f_back is not None:
        frame = frame.f_back
    where = frame.f_code.co_filename
    return "" if where.startswith(_TESTS) else f"{where}:{frame.f_lineno}"


@pytest.fixture(autouse=True)
def database_apart(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Whatever a server in this process asks of its database, it asks in a thread.

    A call on an event loop is refused there, and fails the test though the program may go on.
    """
    found = list[str]()
    for engine in (SqliteStore, PostgresStore):
        for name in _BLOCKING:
            call = getattr(engine, name)

            def checked(*args: Any, call: Any = call) -> Any:
                if where := _called_on_loop():
                    found.append(where)
                    raise AssertionError(f"the database is called on the event loop: {where}")
                return call(*args)

            monkeypatch.setattr(engine, name, checked)
    yield found
    assert not found, f"the database is called on the event loop: {', '.join(found)}"


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for the browser tests of a process; its reviews are quick."""
    data = store_in(tmp_path_factory.mktemp("web"))
    stored = () if isinstance(data, Path) else ("--store", data)
    with Live(Path(data), "--seed", "40", *stored, command=QUICK_PLAY) as server:
        yield server


_OPEN: list[tuple[ExitStack, Browser]] = []
"""The browser of this process, if it is open."""


@pytest.fixture(scope="module")
def chrome() -> Browser:
    """One browser for all tests of this process that need one."""
    if not _OPEN:
        stack = ExitStack()
        _OPEN.append((stack, stack.enter_context(browser())))
    return _OPEN[0][1]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser before a test without it: Playwright's event loop would be in its way."""
    if _OPEN and "chrome" not in getattr(nextitem, "fixturenames", ()):
        _OPEN.pop()[0].close()


@pytest.fixture
def errors() -> Iterator[list[str]]:
    """What the pages of a test complain about: a policy broken, a script that fails."""
    found: list[str] = []
    yield found
    assert found == []
