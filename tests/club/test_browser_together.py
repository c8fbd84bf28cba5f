"""Two at a table in Chromium: ready, start, chat, mute, rematch; and a challenge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.club.browsing import (
    BROWSER_TESTS,
    TURN,
    accessibility,
    advance,
    call,
    declares,
    finish,
    join,
    new_page,
    open_table,
    play,
    sit,
    start,
    whose_turn,
)
from tests.club.serving import serving
from tribridge.club.core import challenges
from tribridge.club.core.bots import levels
from tribridge.club.core.field import rival_names
from tribridge.club.core.league import Line, Standing, read_week
from tribridge.club.language import languages

pytestmark = BROWSER_TESTS

DESK, PHONE = (1280, 800), (390, 844)
CLEAR = """chosen => {
  const [upper, lower] = chosen.map(one => document.querySelector(one).getBoundingClientRect());
  const apart = upper.bottom <= lower.top || upper.right <= lower.left;
  return apart && upper.height > 0 && upper.top >= 0 && upper.right <= innerWidth;
}"""
"""Whether one part of a page is in view and clear of another."""

APART = """chosen => {
  const [one, other] = chosen.map(one => document.querySelector(one).getBoundingClientRect());
  return one.bottom <= other.top || one.top >= other.bottom || one.right <= other.left
    || one.left >= other.right;
}"""
COVERED = """parts => {
  const words = document.querySelector('.reaction').getBoundingClientRect();
  return [...document.querySelectorAll(parts)].filter(e => e.checkVisibility()).filter(e => {
    const r = e.getBoundingClientRect();
    return r.left < words.right - 1 && r.right > words.left + 1 && r.top < words.bottom - 1
      && r.bottom > words.top + 1;
  }).map(e => e.className.baseVal || e.className);
}"""
"""What the words at a plate cover."""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    quick = levels()[:2]
    monkeypatch.setattr(challenges, "levels", lambda: quick)
    monkeypatch.setattr(challenges, "DAILY", replace(challenges.DAILY, deals=1))
    with serving(tmp_path, seed=40) as (address, _):
        yield address


def test_the_next_deal_comes_when_both_want_it(
    server: str, chrome: Browser, errors: list[str]
) -> None:
    host, friend = new_page(chrome, errors, DESK), new_page(chrome, errors, PHONE)
    host.goto(server)
    host.fill("#open-name", "Ann")
    host.click("form[action='/open'] summary")
    host.fill("#open-other", "pass+random")
    host.select_option("#open-scoring", "auction-tricks")
    host.fill("#open-deals", "2")
    host.click("text=Open a table")
    host.wait_for_selector("text=Waiting for players")
    join(friend, host.url, "N", "Ben")
    start(host, 1)
    finish(host, friend)
    host.click("#next")
    for page in (host, friend):
        page.wait_for_selector(".side[data-seat='S'] .tag.ready")
        page.wait_for_function("/^0:[0-3]\\d$/.test(document.querySelector('#clock').textContent)")
    expect(host.locator("#result .waiting-for")).to_have_text("Waiting for Ben.")
    assert not accessibility(host)
    friend.click("#next")
    for page in (host, friend):
        page.wait_for_selector("#calls")
        page.wait_for_selector("#clock", state="detached")
        page.context.close()


def test_friends_meet_chat_and_play_again(server: str, chrome: Browser, errors: list[str]) -> None:
    host = new_page(chrome, errors, DESK)
    friend = new_page(chrome, errors, PHONE)
    host.goto(server)
    host.fill("#open-name", "Ann")
    host.click("form[action='/open'] summary")
    host.fill("#open-other", "pass+random")
    host.select_option("#open-scoring", "auction-tricks")
    host.fill("#open-deals", "1")
    host.select_option("#open-timer", "120")
    host.click("text=Open a table")
    host.wait_for_selector("text=Waiting for players")
    friend.goto(host.url)
    sit(friend, "N", "ann")
    expect(friend.locator("#sit-problem")).to_contain_text("such as ann 2")
    assert friend.evaluate("document.activeElement.id") == "sit-name"
    assert not friend.locator("#toast p").count()
    sit(friend, "N", "Ben")
    host.wait_for_selector("#start:has-text('without waiting for Ben')")
    friend.click("#ready")
    host.wait_for_selector("#start:has-text('with bots')")
    host.click("#start")
    for page in (host, friend):
        page.wait_for_selector(".felt")
        page.wait_for_function(
            "() => /^[12]:\\d\\d$/.test(document.querySelector('#clock').textContent)"
        )

    # A message shows as a bubble and a number; Enter sends what was typed, and only that.
    friend.click("#show-chat")
    friend.fill("#chat-text", "Hello <b>there</b>")
    friend.press("#chat-text", "Enter")
    host.wait_for_selector("#chat-live :text('Hello <b>there</b>')")
    host.wait_for_selector(".side[data-seat='N'] .reaction:text('Hello <b>there</b>')")
    within = """() => ['.reaction', '.felt']
      .map(part => document.querySelector(part).getBoundingClientRect())
      .reduce((words, felt) => words.left >= felt.left && words.right <= felt.right
        && words.bottom <= felt.bottom)"""
    whole = "e => e.scrollHeight <= e.clientHeight + 1"
    # The words stay for all sizes, however long that takes: each begins their six seconds again.
    host.evaluate("(now => { window.clock = Date.now; Date.now = () => now; })(Date.now())")
    for width, height in (DESK, (1024, 600), (844, 390), PHONE, DESK):
        host.set_viewport_size({"width": width, "height": height})
        host.wait_for_function(within)
        assert host.locator(".reaction").evaluate(whole)
        assert host.evaluate(COVERED, ".avatar, .name, .calls-so-far, #box, .hand .card") == []
    host.evaluate("() => { Date.now = window.clock; }")
    expect(host.locator("#unread")).to_have_text("1")
    assert host.get_attribute("#chat-live", "aria-live") == "polite"
    friend.wait_for_function("() => document.querySelector('#chat-text').value === ''")
    host.keyboard.press("m")
    host.wait_for_selector("#chat:popover-open")
    expect(host.locator("#unread")).to_be_hidden()
    host.click(".phrase:has-text('Good luck!')")
    friend.wait_for_selector("#chat-log :text('Good luck!')")
    assert not accessibility(friend)
    # The messages have the room: on a phone the people are folded.
    expect(friend.locator(".people")).to_be_hidden()
    # The board still fits the window under the drawer, with the hand in view.
    assert friend.evaluate(
        "document.querySelector('#hand').getBoundingClientRect().bottom <= innerHeight"
    )
    host.click("[data-seat='N'] .mute")
    host.wait_for_selector("[data-seat='N'] .mute[aria-pressed='true']")
    expect(host.locator("#chat-log li")).to_have_text(["Ann: Good luck!"])
    friend.click(".phrase:has-text('Sorry!')")
    friend.wait_for_selector("#chat-log :text('Sorry!')")
    host.click(".phrase:has-text('Thank you!')")
    host.wait_for_selector("#chat-log :text('Thank you!')")
    assert "Sorry!" not in host.inner_text("#chat-log")
    host.keyboard.press("Escape")
    host.wait_for_selector("#chat:popover-open", state="hidden")

    # An onlooker counts, and sees no hand.
    onlooker = new_page(chrome, errors, DESK)
    onlooker.goto(host.url)
    host.wait_for_selector("#watching:has-text('1')")
    assert onlooker.query_selector("#hand") is None
    assert onlooker.query_selector("#chat-text") is None
    # They can hide the chat; that is remembered, and holds for new messages, too.
    onlooker.click("#show-chat")
    onlooker.wait_for_selector("#chat-log :text('Good luck!')")
    onlooker.check("text=Hide all messages")
    expect(onlooker.locator("#chat-log")).to_be_hidden()
    onlooker.reload()
    friend.click(".phrase:has-text('Hello!')")
    onlooker.wait_for_selector("#chat-log :text('Ben: Hello!')", state="attached")
    for part in ("#chat-log", "#chat-live", "#unread"):
        expect(onlooker.locator(part)).to_be_hidden()
    onlooker.context.close()
    host.wait_for_selector("#watching", state="hidden")

    friend.click("#chat .drawer-head button")
    finish(host, friend)
    host.wait_for_selector(".winner")
    first = host.url
    friend.click("#rematch")
    friend.wait_for_selector("text=Waiting for Ann")
    host.click("#rematch")
    for page in (host, friend):
        page.wait_for_url(lambda url: url != first)
        page.wait_for_selector(".felt")
    assert host.url == friend.url
    assert "Ben" in friend.inner_text(".side.bottom .plate")
    # The table that is over can still be looked at; a reason gives the focus back.
    friend.goto(first)
    friend.locator("[data-why='1']").focus()
    friend.keyboard.press("Enter")
    friend.wait_for_selector("#advice [data-asked='1'] :focus")
    friend.keyboard.press("Enter")
    friend.wait_for_selector("[data-why='1']:focus")
    assert friend.url == first
    for page in (host, friend):
        page.context.close()


def test_a_player_who_closes_the_page_is_missed_and_returns(
    server: str, chrome: Browser, errors: list[str]
) -> None:
    host, friend = (new_page(chrome, errors, DESK) for _ in range(2))
    host.goto(server)
    host.fill("#open-name", "Ann")
    host.click("text=Open a table")
    host.wait_for_selector("text=Waiting for players")
    host.evaluate(
        "heard = []; new MutationObserver(() => heard.push(live.textContent))"
        ".observe(live, { childList: true })"
    )
    friend.goto(host.url)
    sit(friend, "N", "Ben")
    host.wait_for_selector("#start:has-text('without waiting for Ben')")
    host.wait_for_selector(".people [data-seat='N'].here", state="attached")
    host.click("#start")
    friend.wait_for_selector(".felt")
    assert not host.evaluate("heard.includes('Ben is back.')")  # but sits down
    friend.goto(server)
    host.wait_for_selector(".side.absent[data-seat='N']")
    host.wait_for_function("heard.includes('Ben is not here.')")
    # An open chat covers neither how long the table waits nor what can be done then.
    host.keyboard.press("m")
    host.wait_for_selector("#news .ask:has-text('Ben')")
    for width, height in (DESK, PHONE, (844, 390)):
        host.set_viewport_size({"width": width, "height": height})
        assert host.evaluate(CLEAR, ["#news .ask", "#chat"]), f"{width}x{height}"
    host.set_viewport_size({"width": DESK[0], "height": DESK[1]})
    host.keyboard.press("Escape")
    friend.goto(host.url)
    host.wait_for_selector(".side[data-seat='N']:not(.absent)")
    host.wait_for_function("heard.includes('Ben is back.')")
    friend.click("#leave summary")
    friend.click("text=Leave the table")
    host.wait_for_selector("text=Ben leaves;")
    friend.goto(host.url)
    host.wait_for_selector("text=Ben is back.")
    for page in (host, friend):
        page.context.close()


def test_the_daily_challenge(server: str, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, PHONE)
    page.goto(server)
    page.click("text=Today’s challenge")
    page.wait_for_selector("text=Nobody has finished it yet")
    page.fill("#challenge-name", "Ann")
    page.click("text='Play'")
    page.wait_for_selector(".felt")
    finish(page)
    page.click("text=Compare results")
    page.wait_for_selector(".results .mine")
    page.wait_for_selector(".results .bot")  # more follow as they finish
    assert "Ann" in page.inner_text(".results .mine")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not accessibility(page)
    page.context.close()


@pytest.mark.parametrize("width", [320, 390])
def test_the_five_days_of_a_league_fit_a_phone(
    tmp_path: Path, chrome: Browser, errors: list[str], width: int
) -> None:
    """The longest names, the largest numbers, in every language."""
    called = sorted(rival_names(), key=len)[-7:]
    lines = tuple(
        Line(name, not name, (100.0,) * 5, place) for place, name in enumerate([*called, ""], 1)
    )

    async def standing(player: str, week: str | None = None) -> Standing:
        return Standing("2026-W47", read_week("2026-W47"), 1, lines, over=True, complete=True)

    with serving(tmp_path) as (address, app):
        app.state.server.leagues.standing = standing
        for locale in languages():
            page = new_page(chrome, errors, (width, 640), locale=locale)
            page.goto(f"{address}/league")
            spare = "one => one.clientWidth - one.scrollWidth"
            assert page.eval_on_selector(".league .scroll", spare) == 0, locale
            faces = page.locator(".league .results .avatar:visible")
            assert faces.count() == (7 if width > 360 else 0)  # of the rivals
            page.context.close()


def _board_in_view(page: Page) -> bool:
    in_view: bool = page.locator(".felt").evaluate(
        """felt => { const { top, bottom } = felt.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight; }"""
    )
    return in_view


def test_a_phone_comes_back_to_the_board(server: str, chrome: Browser, errors: list[str]) -> None:
    host = new_page(chrome, errors, DESK)
    friend = new_page(chrome, errors, (844, 390), has_touch=True)
    open_table(host, server, "Ann")
    join(friend, host.url, "N", "Ben")
    assert friend.evaluate("scrollY") > 0  # to what he is asked
    start(host, 1)
    friend.wait_for_selector(".felt")
    assert _board_in_view(friend)
    assert not friend.locator("#toast p").count()  # what was read is not said again
    assert whose_turn(host, friend) is friend
    call(friend, "1NT")
    host.wait_for_selector(TURN)
    friend.evaluate("scrollTo(0, 9999)")
    assert not _board_in_view(friend)
    call(host, "Pass")
    host.wait_for_selector(TURN, state="detached")
    while whose_turn(host, friend) is host:
        play(host)
    assert _board_in_view(friend)
    for page in (host, friend):
        page.context.close()


def _to_a_claim(view: dict[str, Any]) -> str | None:
    return None if view["may_claim"] and len(view["tricks"]) > 1 else declares(tricks=13)(view)


def test_a_deal_that_ends_by_a_claim_on_a_phone(
    server: str, chrome: Browser, errors: list[str]
) -> None:
    pages = [new_page(chrome, errors, PHONE, has_touch=True) for _ in range(2)]
    open_table(pages[0], server, "Ann")
    join(pages[1], pages[0].url, "N", "Ben")
    start(pages[0], 1)
    advance(_to_a_claim, *pages)
    claimer = whose_turn(*pages)
    other = pages[claimer is pages[0]]
    claimer.click("#claim summary")
    assert not _board_in_view(claimer)
    claimer.fill("#claim-tricks", "4")
    claimer.click("#claim button")
    claimer.wait_for_selector("#prompt:has-text('Waiting')")
    assert _board_in_view(claimer)
    other.click("text=Agree")
    for page in pages:
        page.wait_for_selector(".result")
        # Cards that were played look like those that were not.
        sizes = page.evaluate(
            """() => ['.suit-row', '.suit-lines'].map(kind => new Set(
            [...document.querySelectorAll(`.ended ${kind} :is(b, button):not(.none)`)]
            .filter(e => e.textContent !== '10')
            .map(e => `${e.offsetHeight} ${getComputedStyle(e).fontSize}`)).size)"""
        )
        assert sizes == [1, 1]
        page.context.close()
