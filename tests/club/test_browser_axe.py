"""Axe on every page: all rules in the light, contrast in the dark; no page is too wide."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from tests.club.browsing import BROWSER_TESTS, accessibility, new_page
from tests.club.every_page import SIZES, walk
from tests.club.live import Live

pytestmark = BROWSER_TESTS

PHONE, DESK = SIZES[0], SIZES[2]
ADDED = {
    "term": "[popover]:popover-open",
    "settings": "dialog[open]",
    "chat": "#chat",
    "hint": "#advice",
    "advice": "#advice",
    "beliefs": "#advice",
    "score-sheet": "#score",
    "learn-done": ".lesson",
    "learn-dummy": ".lesson",
    "learn-score": ".lesson",
    "puzzle-answered": "#feedback",
    "puzzle-line": "#puzzle",
}
"""What a page shows in addition to what it showed before; `make test-all` looks at all of it."""
ALIKE = {
    "term", "learn-tricks", "learn-done", "learn-dummy", "learn-score", "puzzle", "puzzle-answered",
    "waiting", "hint", "beliefs", "daily", "lobby-again", "algorithm-empty", "not-found", "offline",
}  # fmt: skip
"""Pages of the colours of others: only `make test-all` looks at them in the dark."""


@pytest.mark.parametrize(
    ("size", "other", "whole"),
    [
        pytest.param(DESK, PHONE, False, id="desk"),
        pytest.param(DESK, PHONE, True, id="desk, whole", marks=pytest.mark.full),
        pytest.param(PHONE, DESK, True, id="phone", marks=pytest.mark.full),
    ],
)
def test_axe_finds_nothing_on_any_page(
    live: Live,
    chrome: Browser,
    errors: list[str],
    size: tuple[int, int],
    other: tuple[int, int],
    whole: bool,
) -> None:
    page = new_page(chrome, errors, size, reduced_motion="reduce")
    found = {}
    for name in walk(page, live.address):
        part = "html" if whole else ADDED.get(name, "html")
        scheme: Literal["light", "dark"]
        for scheme in ("dark", "light"):
            if scheme == "dark" and not whole and name in ALIKE:
                continue
            page.emulate_media(color_scheme=scheme)
            rules = ("color-contrast",) * (scheme == "dark")
            if violations := accessibility(page, *rules, part=part):
                found[f"{name}, {scheme}"] = violations
        for width, height in (other, size):
            page.set_viewport_size({"width": width, "height": height})
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found[f"{name}, wider than {width}"] = []
            if name == "play":
                assert _apart(page, ".side.bottom .plate", ".side.bottom .why")
    assert not found
    page.context.close()


def _apart(page: Page, *selectors: str) -> bool:
    """Whether two elements do not overlap."""
    first, second = (page.locator(selector).bounding_box() for selector in selectors)
    assert first is not None
    assert second is not None
    return any(
        a["x"] + a["width"] <= b["x"] or a["y"] + a["height"] <= b["y"]
        for a, b in ((first, second), (second, first))
    )
