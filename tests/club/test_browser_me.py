"""My games and the installed app, in Chromium: moves without a connection, the history page."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, Page, Route, expect

from tests.club.browsing import (
    BROWSER_TESTS,
    CARD,
    answered,
    call,
    declares,
    finish,
    moved_on,
    my_turn,
    new_page,
    number,
    sit_down,
)
from tests.club.serving import serving
from tribridge.cards.deals import Seat
from tribridge.club.core.events import Act
from tribridge.club.server.access import Server

pytestmark = BROWSER_TESTS

DESK = (1280, 860)


def _moves(server: Server, page: Page) -> list[str]:
    """The actions of South at the table of a page."""
    table = page.url.rsplit("/", 1)[1]
    stored = server.rooms.store.events(table)
    return [act.action for act in stored if isinstance(act, Act) and act.seat is Seat.SOUTH]


def test_a_move_without_a_connection_is_kept_and_played_once(
    tmp_path: Path, chrome: Browser, errors: list[str]
) -> None:
    with serving(tmp_path) as (address, _):
        page = new_page(chrome, errors, DESK, service_workers="allow")
        sit_down(page, address)
        assert my_turn(page)
        page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        at = number(page)
    # The server itself goes away: a browser that is told to be offline can let a request through.
    call(page, "1NT")
    page.wait_for_selector("#offline:not([hidden])")
    call(page, "Pass")  # a second thought has the same number, and waits for the first
    page.reload()  # even if the page is closed meanwhile
    page.wait_for_selector("h1:has-text('No connection')")
    with serving(tmp_path, port=int(address.rsplit(":", 1)[1])) as (_, app):
        server: Server = app.state.server
        page.wait_for_selector("#board [data-number]")  # the page comes back by itself
        moved_on(page, at)
        page.wait_for_selector(CARD)  # both others passed
        assert _moves(server, page) == ["1NT"]
        answered(page)
        kept = page.evaluate(
            "caches.keys().then(names => caches.open(names[0])).then(cache => cache.keys())"
            ".then(requests => requests.map(request => new URL(request.url).pathname))"
        )
        assert "/offline" in kept
        assert all(path == "/offline" or path.startswith("/static/") for path in kept)
        page.context.close()


def test_a_move_whose_answer_is_lost_is_played_once(
    tmp_path: Path, chrome: Browser, errors: list[str]
) -> None:
    with serving(tmp_path) as (address, app):
        server: Server = app.state.server
        page = new_page(chrome, errors, DESK)
        sit_down(page, address)
        assert my_turn(page)
        answers: list[int] = []

        def lose(route: Route) -> None:
            answer = route.fetch()
            answers.append(answer.status)
            if len(answers) < 3:
                route.abort()
            else:
                route.fulfill(response=answer)

        page.route("**/act", lose)
        call(page, "1NT")
        page.wait_for_function(
            "() => Object.keys(localStorage).some(key => key.startsWith('move:'))"
        )
        page.wait_for_function(
            "() => !Object.keys(localStorage).some(key => key.startsWith('move:'))"
        )
        assert answers == [204, 204, 204]
        assert _moves(server, page) == ["1NT"]
        page.context.close()


def test_the_history_page(tmp_path: Path, chrome: Browser, errors: list[str]) -> None:
    with serving(tmp_path) as (address, _):
        page = new_page(chrome, errors, DESK)
        page.route("**/decided", lambda route: route.abort())  # it would begin a review
        sit_down(page, address, choose=declares(tricks=13))
        page.goto(f"{address}/me")
        page.wait_for_selector(".figures")
        assert "1 of 1" in page.inner_text(".figures") or "0 of 1" in page.inner_text(".figures")
        page.click("#my-key summary")
        key = page.inner_text("#my-key code")
        assert (page.get_attribute("a.deal", "href") or "").endswith("/review/1")
        other = new_page(chrome, errors, (390, 844))
        other.goto(f"{address}/me")
        assert other.query_selector("a.deal") is None
        other.fill("#other-key", key.lower())
        other.click("form[action='/me/key'] button")
        other.wait_for_selector("a.deal")
        for one in (page, other):
            one.context.close()


def test_the_lobby_leads_back_to_a_game_that_was_left(
    tmp_path: Path, chrome: Browser, errors: list[str]
) -> None:
    with serving(tmp_path) as (address, _):
        page = new_page(chrome, errors, DESK)
        page.goto(address)
        back = page.locator("a[href^='/continue/']")
        expect(back).to_have_count(0)

        # A table that is opened slowly is opened once, and the button shows that it is on its way.
        waiting = list[Route]()
        page.route("**/play", lambda route: waiting.append(route))
        page.evaluate(
            "addEventListener('click', e =>"
            " setTimeout(() => sessionStorage.busy = e.target.ariaBusy))"
        )
        box = page.locator("form[action='/play'] button.primary").bounding_box()
        assert box is not None
        for _ in range(2):
            page.mouse.click(box["x"] + 9, box["y"] + 9)
        page.wait_for_timeout(200)
        assert len(waiting) == 1
        waiting[0].abort()
        page.unroute("**/play")
        page.goto(address)
        assert page.evaluate("sessionStorage.busy") == "true"
        sit_down(page, address, name="")
        table = page.url
        page.goto(address)
        assert page.input_value("#play-name") == ""  # nobody chose to be called South
        back.click()
        page.wait_for_url(table)
        finish(page)
        page.goto(address)
        expect(page.locator(".welcome")).to_be_visible()
        expect(back).to_have_count(0)
        page.context.close()
