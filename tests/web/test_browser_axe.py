"""Axe on every page: light and dark, on a phone and on a desk."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.web.browsing import BROWSER_TESTS, new_page
from tests.web.every_page import SIZES, walk
from tests.web.live import Live

pytestmark = BROWSER_TESTS

PHONE, DESK = SIZES[0], SIZES[2]


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_axe_finds_nothing_on_any_page(
    live: Live, chrome: Browser, errors: list[str], size: tuple[int, int]
) -> None:
    page = new_page(chrome, errors, size, reduced_motion="reduce")
    found = {}
    for name in walk(page, live.address):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
            violations = Axe().run(page).response["violations"]
            if violations:
                nodes = [(one["id"], one["nodes"][0]["html"][:160]) for one in violations]
                found[f"{name}, {scheme}"] = nodes
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found[f"{name}, too wide"] = []
        if name == "play":
            assert _apart(page, ".side.bottom .plate", ".side.bottom .why")
    assert not found
    page.context.close()


def _apart(page: Page, *selectors: str) -> bool:
    """Whether two elements do not overlap."""
    first, second = (page.locator(one).bounding_box() for one in selectors)
    assert first is not None
    assert second is not None
    return any(
        one["x"] + one["width"] <= other["x"] or one["y"] + one["height"] <= other["y"]
        for one, other in ((first, second), (second, first))
    )
