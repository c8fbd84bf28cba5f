"""The table as a person meets it, in Chromium: mouse, keys, three at a table, phone, restart."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.club.browsing import (
    BROWSER_TESTS,
    CARD,
    advance,
    bid_once,
    declares,
    finish,
    focused,
    join,
    moved_on,
    my_turn,
    new_page,
    number,
    open_table,
    play,
    sit_down,
    start,
    whose_turn,
)
from tests.club.live import Live

pytestmark = BROWSER_TESTS

DESK, PHONE = (1280, 860), (360, 740)


@pytest.mark.parametrize(
    "whole",
    [
        pytest.param(False, id="first and last tricks"),
        pytest.param(True, id="whole", marks=pytest.mark.full),
    ],
)
def test_a_deal_by_mouse(live: Live, chrome: Browser, errors: list[str], whole: bool) -> None:
    page = new_page(chrome, errors, DESK)
    page.goto(live.address)
    page.fill("#play-name", "Guest")
    page.click(".play-now summary")
    page.fill("#play-other", "pass+random")
    page.select_option("#play-scoring", "auction-tricks")
    page.fill("#play-deals", "2")
    page.click("text=Deal the cards")
    seen = set()
    for _ in range(60):
        if not my_turn(page):
            break
        if page.query_selector("#box"):
            bid_once(page)
            continue
        seen.add("dummy" if page.query_selector(f"#dummy {CARD}") else "hand")
        play(page)
        if not whole and seen == {"dummy", "hand"}:
            advance(declares(tricks=11), page)  # one card is like another
            whole = True
    assert seen == {"dummy", "hand"}  # the declarer plays both
    page.wait_for_selector("#board.finale .stamp")  # once the last trick has been seen
    assert "Your" in page.inner_text(".headline")
    assert page.inner_text(".scores .mine b") == page.inner_text("#sheet tbody td:last-child")
    page.click("#next")
    page.wait_for_selector("text=deal 2 of 2")
    page.context.close()


def test_another_by_keyboard_alone(live: Live, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, DESK)
    page.context.add_cookies([{"name": "rules", "value": "1", "url": live.address}])  # a rubber
    page.goto(live.address)
    # From the top of the page to the form, and into the game, without a mouse.
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "play-name":
            break
    page.keyboard.type("Guest")
    page.keyboard.press("Enter")
    page.wait_for_selector("#board [data-number]")
    page.wait_for_load_state()  # keys are read once the script of the page has run
    calls = cards = 0
    while cards < 6 and my_turn(page):
        at = number(page)
        if page.query_selector("#box"):
            if calls == 0 and page.query_selector("#call-3NT:not([disabled])"):
                page.keyboard.type("3n")
                focused(page, "call-3NT")
            else:
                page.keyboard.type("p")
                focused(page, "call-Pass")
            calls += 1
        else:
            card = page.get_attribute(CARD, "data-card") or ""
            page.keyboard.type(card.lower())
            page.wait_for_function("c => document.activeElement.dataset.card === c", arg=card)
            if page.query_selector_all(CARD)[1:]:
                page.keyboard.press("ArrowRight")
                page.wait_for_function("c => document.activeElement.dataset.card !== c", arg=card)
            cards += 1
        page.keyboard.press("Enter")
        moved_on(page, at)
    finish(page)  # one card is like another; the whole deal is played by mouse, above
    assert page.inner_text(".headline")
    page.keyboard.press("n")
    page.wait_for_selector("text=/deal 2/i")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    page.context.close()


def test_three_browsers_at_one_table_and_reload(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    pages = [new_page(chrome, errors, DESK) for _ in range(3)]
    maker, second, third = pages
    open_table(maker, live.address)
    join(second, maker.url, "N", "Friend")
    join(third, maker.url, "E", "Visitor")
    start(maker, 2)
    for page in pages:  # it starts for all
        page.wait_for_selector(".felt")
    for step in range(6):
        turn = whose_turn(*pages)
        at = number(turn)
        if turn.query_selector("#box"):
            bid_once(turn)
        else:
            turn.click(CARD)
        for page in pages:
            moved_on(page, at)
        assert len({number(page) for page in pages}) == 1
        if step == 2:
            second.reload()
            second.wait_for_selector(".felt")
    hands = [
        {card.get_attribute("id") for card in page.query_selector_all("#hand .card")}
        for page in pages
    ]
    assert not hands[0] & hands[1]
    assert not hands[1] & hands[2]
    for page in pages:
        page.context.close()


def test_names_cannot_take_a_browser_elsewhere(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    victim, attacker = new_page(chrome, errors, DESK), new_page(chrome, errors, DESK)
    open_table(victim, live.address)
    address = victim.url
    for seat, name in (("N", "<meta http-equiv=refresh"), ("E", "content=0;/algorithm>")):
        attacker.context.clear_cookies()
        join(attacker, address, seat, name)
        attacker.wait_for_selector(f"text={name}")
    start(victim, 2)
    victim.wait_for_selector("#live:has-text('calls')", state="attached")
    assert victim.url == address
    assert victim.evaluate("document.querySelectorAll('#live *, [http-equiv]').length") == 0
    victim.context.close()
    attacker.context.close()


def test_two_tabs_agree_and_a_double_click_plays_once(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    sit_down(page, live.address)
    my_turn(page)
    tab = page.context.new_page()
    tab.goto(page.url)
    assert number(tab) == number(page)  # a page at rest, and one that was just loaded
    at = number(page)
    page.dblclick("#call-1C")
    moved_on(tab, at)
    my_turn(page)
    my_turn(tab)
    assert number(tab) == number(page)
    mine = page.query_selector_all(".panel .calls .bid, .felt .calls .bid")
    assert len(mine) == 1
    page.context.close()


@pytest.mark.full
def test_the_server_is_killed_and_the_page_finds_back(
    tmp_path: Path, chrome: Browser, errors: list[str]
) -> None:
    with Live(tmp_path / "play.sqlite") as server:
        page = new_page(chrome, errors, DESK)
        sit_down(page, server.address)
        my_turn(page)
        bid_once(page)
        my_turn(page)
        at, hand = number(page), page.inner_html("#hand")
        server.kill()
        page.wait_for_selector("#offline:not([hidden])")
        server.start()
        page.wait_for_selector("#offline", state="hidden")
        assert page.inner_html("#hand") == hand
        page.click(CARD if page.query_selector(CARD) else "#call-Pass")
        moved_on(page, at)  # without a reload
        page.context.close()


def test_a_phone_needs_no_sideways_scrolling(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, PHONE, has_touch=True, is_mobile=True)

    def fits() -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]

    page.goto(live.address)
    fits()
    sit_down(page, live.address)
    my_turn(page)
    fits()
    small = page.evaluate(
        "[...document.querySelectorAll('#box button, #box label')]"
        ".filter(b => b.checkVisibility() && b.offsetHeight < 36).length"
    )
    assert small == 0
    while my_turn(page) and page.query_selector("#box"):
        bid_once(page)
    for _ in range(3):
        fits()
        at = number(page)
        page.wait_for_timeout(400)  # two taps in one place at once would be a double tap
        page.tap(CARD)
        moved_on(page, at)
        assert my_turn(page)
    finish(page)
    fits()
    page.goto(f"{live.address}/algorithm?hand=AKQ2.K93.A92.KQ5&dummy=743.AQ5.KT43.J93&step=5")
    fits()
    for table in page.query_selector_all(".matrix"):  # nothing of it out of sight either
        box = table.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= PHONE[0]
    page.context.close()


def test_advice_and_review(live: Live, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, DESK)
    sit_down(page, live.address)
    my_turn(page)
    assert page.query_selector(".advice") is None  # on request only
    page.keyboard.press("i")
    page.wait_for_selector(".advice .forecast")
    bid_once(page)
    page.wait_for_selector(".advice", state="detached")
    finish(page)
    page.wait_for_selector(".decided:not(:has(.quiet))")
    page.click("text=Review the deal")
    page.wait_for_selector(".review-players")
    page.click("#step-last")
    page.wait_for_selector("#step-on[aria-disabled='true']")
    page.click("#step-first")
    page.wait_for_url("**step=0*")
    for step in range(1, 4):
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(f"text=Card {step} of 52")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("text=Card 2 of 52")
    page.wait_for_url("**step=2*")
    with page.expect_download() as download:
        page.click("text=PBN")
    assert "TribridgeSeats" in download.value.path().read_text()
    page.context.close()


def test_the_algorithm_page(live: Live, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, DESK)
    page.goto(f"{live.address}/algorithm")
    page.click("#cell-SA")
    page.wait_for_selector("text=12 more for the hand")
    page.keyboard.press("ArrowRight")
    focused(page, "cell-SK")
    page.keyboard.press("ArrowUp")
    focused(page, "cell-HK")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=11 more for the hand")
    page.fill("#paste-hand", "AKQ2.K93.A92.KQ5")
    page.fill("#paste-dummy", "743.AQ5.KT43.J93")
    page.click("button:text-is('Run')")
    page.wait_for_selector("text=Step 1")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=Steps 2 and 3")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=Capture 1:")
    assert page.query_selector_all(".cell.captured")
    shared = page.url
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("text=Steps 2 and 3")
    page.click("#step-last")
    page.wait_for_selector("text=12 captures, check value 15")
    other = new_page(chrome, errors, DESK)
    other.goto(shared)
    other.wait_for_selector("text=Capture 1:")
    page.go_back()
    page.wait_for_selector("text=Steps 2 and 3")
    page.context.close()
    other.context.close()


@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_the_lobby_on_a_phone_is_even_and_cuts_nothing(
    live: Live, chrome: Browser, errors: list[str], locale: str
) -> None:
    page = new_page(chrome, errors, PHONE, locale=locale)
    page.goto(live.address)
    for width in (320, 360, 390):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        gaps = page.evaluate(
            """() => { const all = [...document.querySelectorAll('.lobby .card-panel')]
              .map(one => one.getBoundingClientRect());
              return all.slice(1).map((one, at) => Math.round(one.top - all[at].bottom)); }"""
        )
        assert len(set(gaps)) == 1, (width, gaps)
        for level in page.locator(".play-now .level").all():
            outer, inner = level.bounding_box(), level.locator("b").bounding_box()
            assert outer is not None
            assert inner is not None
            assert outer["x"] < inner["x"], width
            assert inner["x"] + inner["width"] < outer["x"] + outer["width"], width
        code, join = (page.locator(f".join {one}").bounding_box() for one in ("input", "button"))
        assert code is not None
        assert join is not None
        assert abs(code["y"] + code["height"] / 2 - join["y"] - join["height"] / 2) < 2, width
    page.context.close()
