"""Rubbers in a browser: the standing, the score sheet by key and by link, a double by key."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.club.browsing import (
    BROWSER_TESTS,
    finish,
    moved_on,
    my_turn,
    new_page,
    number,
    passes,
    sit_down,
)
from tests.club.live import Live

pytestmark = BROWSER_TESTS

PHONE, DESK = (390, 844), (1280, 860)


def test_the_score_sheet_opens_over_the_board(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, PHONE, has_touch=True)
    sit_down(page, live.address, deals=None, scoring="auction-rubber")
    my_turn(page)
    assert page.locator(".rubber-tag").count() == 3
    hand = page.locator("#hand").bounding_box()
    page.tap("#side-left .rubber-tag")  # what it counts
    expect(page.locator("#standing-left")).to_contain_text("0 of 30 points")
    page.keyboard.press("Escape")
    expect(page.locator("#standing-left")).to_be_hidden()
    page.click(".strip-score")
    page.wait_for_selector("#score[open] .rubber-sheet")
    assert page.locator("#hand").bounding_box() == hand
    page.keyboard.press("Escape")
    page.wait_for_selector("#score:not([open])", state="attached")
    page.keyboard.press("t")
    page.wait_for_selector("#score[open] .rubber-sheet")
    page.click("#score form button")
    # A deal that is played out is on the sheet.
    at = number(page)
    page.keyboard.type("7n")
    page.keyboard.press("Enter")
    moved_on(page, at)
    page.wait_for_selector("#dummy, .result")
    expect(page.locator(".rubber-tag:visible")).to_have_count(3)  # the own one, too
    finish(page)
    page.click(".result >> text=Score sheet")
    page.wait_for_selector("#score[open] .above >> text=undertricks")
    page.context.close()


def to_a_double(view: dict[str, Any]) -> str | None:
    """Pass until an opponent's bid can be doubled."""
    return None if "X" in view["legal"] else passes(view) or "next"


@pytest.mark.parametrize("way", ["key", pytest.param("tap", marks=pytest.mark.full)])
def test_a_double_says_what_it_changes(
    live: Live, chrome: Browser, errors: list[str], way: str
) -> None:
    page = new_page(chrome, errors, DESK if way == "key" else PHONE)
    sit_down(
        page,
        live.address,
        strategy="points+random",
        deals=None,
        scoring="contract-rubber",
        choose=to_a_double,
    )
    assert "one down" in page.locator("#call-X").inner_text()
    at = number(page)
    if way == "key":
        page.hover("#call-Pass")  # where a mouse may have been left
        page.keyboard.press("x")
        assert page.locator("#cost-X").is_visible()
        page.keyboard.press("Enter")
    else:
        page.click("#call-X")
    moved_on(page, at)
    page.wait_for_selector(".calls .mark.X", state="attached")
    page.context.close()
