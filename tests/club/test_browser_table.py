"""A deal at the table in Chromium: hasty clicks, the focus, reasons after the deal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.club.browsing import (
    BROWSER_TESTS,
    CARD,
    TURN,
    accessibility,
    advance,
    declare,
    declares,
    moved_on,
    my_turn,
    new_page,
    number,
    play,
    sit_down,
)
from tests.club.helpers import FAST
from tests.club.serving import serving
from tests.grids import thinned

pytestmark = BROWSER_TESTS

DESK = (1280, 800)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A server that takes no second action of a seat within a third of a second."""
    with serving(tmp_path, seed=40, timing=replace(FAST, settle=0.35)) as (address, _):
        yield address


def test_a_hasty_player_loses_no_click_and_no_focus(
    server: str, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    declare(page, server, tricks=8)
    # A hint that is asked for in the same moment is about the position after the card.
    refused = list[str]()
    page.on("response", lambda one: refused.append(one.url) if one.status >= 400 else None)
    page.evaluate(
        "one => { document.querySelector(one).click();"
        " document.querySelector('#strip-hint').click(); }",
        f"{TURN} {CARD}",
    )
    page.wait_for_selector(f"#board:has({TURN}) ~ #advice .options")
    assert refused == []
    while True:
        page.wait_for_selector(f"{TURN} {CARD}, #board.finale")
        if page.query_selector("#board.finale"):
            break
        at = number(page)
        # One click, at once: nobody clicks again because the first was swallowed.
        page.evaluate("one => document.querySelector(one).click()", f"{TURN} {CARD}")
        moved_on(page, at)
        page.wait_for_function("() => document.activeElement.closest('#board')")
    expect(page.locator("#next, .result .primary").first).to_be_focused()

    # A press on a card tells why it was played, step by step.
    page.click(".side.left .asks >> nth=0")
    page.wait_for_selector(".why-panel p")
    asked = page.get_attribute(".why-panel", "data-asked")
    assert page.get_attribute(".side.left .asked", "data-why") == asked
    assert not accessibility(page)
    before = page.inner_text(".why-panel h2")
    page.click("#why-before:enabled, #why-after:enabled")
    page.wait_for_function(
        "text => document.querySelector('.why-panel h2').innerText !== text", arg=before
    )
    page.click(".why-panel [data-close]")
    page.context.close()


def test_the_focus_comes_back_to_the_cards_after_others_have_played(
    tmp_path: Path, chrome: Browser, errors: list[str]
) -> None:
    with serving(tmp_path, seed=40, timing=replace(FAST, card=0.3)) as (address, _):
        page = new_page(chrome, errors, DESK)
        declare(page, address)
        for _ in range(4):
            page.wait_for_selector(f"{TURN} {CARD}")
            page.wait_for_function("() => document.activeElement.matches('body, .card:enabled')")
            at = number(page)
            page.focus(f"{TURN} {CARD}")
            page.keyboard.press("Enter")
            moved_on(page, at)
        page.wait_for_selector(f"{TURN} {CARD}")
        page.wait_for_function("() => document.activeElement.matches('.card:enabled')")
        page.context.close()


def test_a_single_deal_that_all_pass_is_dealt_again_unless_somebody_looks_at_it(
    tmp_path: Path, chrome: Browser, errors: list[str]
) -> None:
    with serving(tmp_path) as (address, _):
        _passed_twice(new_page(chrome, errors, DESK), address)


def _passed_twice(page: Page, address: str) -> None:
    page.clock.install()
    sit_down(page, address)
    first = page.url
    page.click("#call-Pass")
    page.wait_for_selector("#board.finale #rematch[data-soon]:focus")
    page.clock.fast_forward(6000)
    page.wait_for_url(lambda url: url != first)
    second = page.url
    page.click("#call-Pass")
    page.wait_for_selector("#board.finale [data-soon]")
    page.keyboard.press("l")
    page.clock.fast_forward(6000)
    page.wait_for_selector("#rematch:not([data-soon])")
    assert page.url == second
    page.keyboard.press("n")
    page.wait_for_url(lambda url: url != second)
    page.context.close()


def test_what_cannot_be_done_now_says_why(server: str, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, DESK)
    declare(page, server)
    # The sound of one's turn is offered once.
    page.click(".offer [data-offered='turn']")
    expect(page.locator(".offer")).to_be_hidden()
    assert page.evaluate("localStorage.sound") == "turn"
    page.reload()
    expect(page.locator(".offer")).to_be_hidden()
    # At another table it is not offered again, though nobody has answered.
    page.evaluate("localStorage.clear()")
    for _ in range(2):
        page.reload()
        expect(page.locator(".offer")).to_be_visible()
    first = page.url
    sit_down(page, server)
    expect(page.locator(".offer")).to_be_hidden()
    page.goto(first)
    # The table has moved on behind the page's back: the move is made again, or the reason shown.
    page.evaluate("document.querySelector('#at').value = '1'")
    page.click(CARD)
    page.wait_for_selector("#toast p")
    assert "moved on" in page.inner_text("#toast")
    # A claim that is refused says so until the next act.
    page.reload()
    while not page.query_selector("#open-claim:not([aria-disabled])"):
        assert my_turn(page)
        play(page)
        my_turn(page)
    page.click("#claim summary")
    page.click("#claim button")
    page.wait_for_selector("#toast :text('counts as advice')")
    expect(page.locator("#news .refused")).to_be_visible()
    play(page)
    expect(page.locator("#news .refused, #toast p")).to_have_count(0)
    page.context.close()


@pytest.mark.parametrize(
    ("width", "height"), thinned([(320, 568), (390, 844), (844, 390), (768, 1024)], 2)
)
def test_the_sound_is_offered_in_sight_and_covers_nothing_that_is_needed(
    server: str, chrome: Browser, errors: list[str], width: int, height: int
) -> None:
    for locale in ("en", "de"):
        page = new_page(chrome, errors, (width, height), has_touch=True, locale=locale)
        declare(page, server)
        page.eval_on_selector("#watching", "eye => eye.hidden = false")  # somebody looks on
        if width < 576:  # the bar is full
            expect(page.locator(".offer")).to_be_hidden()
            expect(page.locator(".brand")).to_be_visible()
            assert page.evaluate("localStorage.offered") is None
            page.context.close()
            continue
        offer, bar = page.locator(".offer").bounding_box(), page.locator(".bar").bounding_box()
        assert offer is not None
        assert bar is not None
        inside = bar["y"] - 1, bar["y"] + bar["height"] - offer["height"] + 1
        assert inside[0] <= offer["y"] <= inside[1]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for part in (".felt", ".bar nav a:visible", ".looks button:visible", "#show-chat:visible"):
            for one in page.locator(part).all():
                other = one.bounding_box()
                assert other is not None
                below = other["y"] >= offer["y"] + offer["height"]
                left = other["x"] + other["width"] <= offer["x"]
                assert below or left or other["x"] >= offer["x"] + offer["width"], part
        assert page.locator(".bar nav a:visible").count()
        page.tap(".offer [data-offered='']")
        expect(page.locator(".offer")).to_be_hidden()
        page.context.close()


def test_in_a_lesson_a_card_on_the_table_tells_at_once_why(
    server: str, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, (390, 844), has_touch=True)
    page.goto(f"{server}/learn")
    page.tap(".says >> nth=0")
    page.wait_for_selector("#toast p:has-text('Maud: ')")
    expect(page.locator(".task .touch")).to_be_visible()
    expect(page.locator(".task .mouse")).to_be_hidden()
    page.context.close()


def test_a_move_without_a_connection_is_marked_however_the_phone_is_held(
    server: str, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, (390, 844), has_touch=True)
    declare(page, server)
    at = number(page)
    page.context.set_offline(True)
    card = page.get_attribute(CARD, "data-card")
    page.click(CARD)
    for size in ((390, 844), (844, 390)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.wait_for_selector(f".pending[data-card='{card}']")
    page.context.set_offline(False)
    moved_on(page, at)
    expect(page.locator(".pending")).to_have_count(0)
    page.context.close()


def test_a_move_that_a_frozen_server_does_not_answer_is_sent_again(
    server: str, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, (390, 844), has_touch=True)
    declare(page, server)
    at, silent = number(page), list[Route]()

    def keep_silent(route: Route) -> None:
        if silent:
            route.continue_()
        else:
            silent.append(route)

    page.route("**/act", keep_silent)
    patience = "e => { window.patience = e.detail.xhr.timeout; }"
    page.evaluate(f"document.addEventListener('htmx:beforeSend', {patience})")
    page.click(CARD)
    moved_on(page, at)
    assert silent
    assert page.evaluate("window.patience < htmx.config.timeout")  # a move is more urgent
    page.context.close()
    assert errors.pop().startswith("htmx:timeout")


def test_a_claim_that_cannot_be_made_says_why_to_everybody(
    server: str, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    declare(page, server)
    reason = "on your turn, between tricks"
    for name, why in (("Claim", reason), ("Last trick", "no trick is complete yet")):
        part = page.locator("summary", has_text=name)
        expect(part).to_have_accessible_name(name)
        expect(part).to_have_accessible_description(why)
        expect(part).to_have_attribute("aria-disabled", "true")
        part.focus()
        expect(part).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#toast")).to_have_text(why)
        part.click(force=True)
        expect(page.locator("details[open]", has=part)).to_have_count(0)
    advance(declares(tricks=1), page)
    page.click("#open-claim")
    expect(page.locator("#claim-tricks")).to_be_visible()
    expect(page.locator("#open-claim")).to_have_accessible_description("")
    page.context.close()


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844), (844, 390)])
def test_advice_and_the_chat_do_not_lie_over_each_other(
    server: str, chrome: Browser, errors: list[str], width: int, height: int
) -> None:
    page = new_page(chrome, errors, (width, height))
    declare(page, server)
    chat, panel = page.locator("#chat"), page.locator("#advice .advice")
    for key in ("w", "i"):
        page.click("#show-chat")
        expect(chat).to_be_visible()
        page.locator("#chat-title").click()
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press(key)
        expect(panel).to_be_visible()
        expect(chat).to_be_hidden()
        page.click("#show-chat")
        expect(chat).to_be_visible()
        expect(panel).to_have_count(0)
        page.keyboard.press("Escape")
        expect(chat).to_be_hidden()
    page.context.close()
