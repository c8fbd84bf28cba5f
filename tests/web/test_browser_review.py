"""The review page in a browser: verdicts arrive, the graph is clicked, the deal is played on."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.web.browsing import chromium, my_turn, new_page, number, sit_down
from tests.web.live import Live
from tests.web.screenshots import to_play

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(chromium() is None, reason="Chromium is not installed"),
]

DESK, PHONE = (1366, 650), (390, 844)


def test_a_deal_is_reviewed_and_played_on(live: Live, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, DESK)
    sit_down(page, live.address, strategy="points+maxims")
    to_play(page, 99)
    page.click("text=Review the deal")
    # Steps can be taken while the analysis is under way.
    page.click("#step-on")
    page.wait_for_selector("text=Card 1 of 52")
    page.wait_for_selector(".review-players li")
    assert page.locator(".review-players li").count() == 3
    assert page.locator(".review-calls .verdict").count() >= 3
    assert page.query_selector("text=Card 1 of 52")
    page.locator(".picks a").nth(10).click()
    page.wait_for_selector("text=Card 11 of 52")
    assert "step=11" in page.url
    assert page.query_selector(".review-now .verdict")
    address = page.url
    for size in (DESK, PHONE):
        for scheme in ("light", "dark"):
            other = new_page(chrome, errors, size, color_scheme=scheme)
            other.goto(address)  # a shared link
            other.wait_for_selector("text=Card 11 of 52")
            assert other.evaluate("document.documentElement.scrollWidth") <= size[0]
            assert other.locator(".review-tricks .pick").count() == 52
            assert other.locator(".review-tricks .pick").last.is_visible()
            serious = [
                one["id"]
                for one in Axe().run(other).response["violations"]
                if one["impact"] in ("serious", "critical")
            ]
            assert serious == [], (size, scheme)
            other.context.close()
    page.click("#play-on")
    page.wait_for_selector("#board [data-number]")
    assert "/review/" not in page.url
    my_turn(page)
    assert number(page) >= 1
    page.context.close()
