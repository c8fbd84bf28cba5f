"""The arena in a browser: a match is set up, watched while it runs, and its deals are replayed."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.web.browsing import BROWSER_TESTS, new_page
from tests.web.live import Live

pytestmark = BROWSER_TESTS

DESK, PHONE = (1366, 650), (390, 844)


def test_a_match_is_watched_stopped_and_replayed(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, PHONE)
    page.goto(live.address)
    page.click("text=strategies play each other")
    page.wait_for_selector("text=Who plays?")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    for name in ("points+random", "points+maxims"):
        page.uncheck(f"input[value='{name}']")
    page.click("text=Start the match")
    page.wait_for_selector("#toast >> text=choose two or three strategies, not 0")
    page.fill("#arena-other", "points+random points+maxims")
    page.fill("#arena-deals", "500")
    page.click("text=Start the match")
    page.wait_for_selector("#arena-results .arena-graph svg")
    # The board moves on by itself.
    before = page.inner_text(".arena-last")
    page.wait_for_function("t => document.querySelector('.arena-last').innerText !== t", arg=before)
    address = page.url
    plain = new_page(chrome, errors, DESK, color_scheme="dark", java_script_enabled=False)
    plain.goto(address)  # a visitor without scripts
    assert "of 500 deals" in plain.inner_text("#arena-status")
    assert plain.query_selector("text=Stop the match") is None
    plain.context.close()
    page.click("text=Stop the match")
    page.wait_for_selector("text=The same match in a terminal")
    assert "then stopped" in page.inner_text("#arena-status")
    assert "Match: " in page.inner_text(".verdict-line")
    page.fill("#replay-number", "2")
    page.click("#arena-controls form.inline button")
    page.wait_for_selector("text=Deal 2, game 1 of 6")
    page.click("#step-first")
    page.wait_for_selector("text=deals and calls first")
    page.click("#step-on")
    page.wait_for_selector(".arena-last >> text=calls")
    replayed = page.url
    page.context.close()
    other = new_page(chrome, errors, PHONE)
    for path in (address, replayed):
        other.goto(path)  # a shared link
        for size in (PHONE, DESK):
            other.set_viewport_size({"width": size[0], "height": size[1]})
            assert other.evaluate("document.documentElement.scrollWidth") <= size[0]
    other.context.close()
