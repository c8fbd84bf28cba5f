"""A server and a browser for the tests that need them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.web.browsing import browser
from tests.web.live import QUICK_PLAY, Live
from tests.web.quick_play import LAYOUTS
from tribridge.web.core import reviews


@pytest.fixture(autouse=True)
def quick_reviews(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reviews by servers in this process value few layouts."""
    monkeypatch.setattr(reviews, "LAYOUTS", LAYOUTS)


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for the browser tests of a process; its reviews value few layouts."""
    data = tmp_path_factory.mktemp("web") / "play.sqlite"
    with Live(data, "--seed", "40", command=QUICK_PLAY) as server:
        yield server


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture
def errors() -> Iterator[list[str]]:
    """What the pages of a test complain about: a policy broken, a script that fails."""
    found: list[str] = []
    yield found
    assert found == []
