"""A browser for tests and pictures: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect, sync_playwright

TURN = "[data-turn='1']"
CARD = "button.card:not([disabled])"
TIMEOUT = 120_000
"""Milliseconds after which a wait fails: longer than a busy machine takes, short of a hang."""
expect.set_options(timeout=TIMEOUT)


def chromium() -> str | None:
    """Where Chromium is; None if it is not installed. Without a user interface it is quickest."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    return None


BROWSER_TESTS = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.flaky(reruns=1),
    pytest.mark.skipif(chromium() is None, reason="Chromium is not installed"),
]
"""Marks of a module of browser tests.

A browser, a server and other tests share the processors, and what a page does depends on when it
gets one. So a test that fails is run once more, and counts as *rerun* in the summary; one that
fails twice fails.
"""


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    with sync_playwright() as playwright:
        chrome = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            yield chrome
        finally:
            chrome.close()


def new_page(
    chrome: Browser,
    errors: list[str],
    size: tuple[int, int],
    *,
    speed: str = "off",
    **extra: Any,
) -> Page:
    """A page in a browser of its own; what goes wrong in it is written down."""
    # Requests that a service worker answers cannot be lost on purpose, so few tests have one.
    extra = {"service_workers": "block"} | extra
    context = chrome.new_context(viewport={"width": size[0], "height": size[1]}, **extra)
    context.add_init_script(f"try {{ localStorage.speed ??= {speed!r} }} catch {{}}")
    context.set_default_timeout(TIMEOUT)
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: _note(line.type, line.text, errors))
    return page


def _note(kind: str, text: str, errors: list[str]) -> None:
    # A server that is gone for a moment, and a refusal, are told by the browser as errors.
    if kind == "error" and not any(
        word in text
        for word in (
            "ERR_CONNECTION",
            "status of 4",
            "Response Status Error Code 4",
            "net::",
            "[object Event]",
            "htmx:sendError",
            "htmx:afterRequest",
        )
    ):
        errors.append(text)


Choice = Callable[[dict[str, Any]], str | None]
"""What a seat does on its turn or after a deal, given its view; None: the table stays as it is."""


def stay(view: dict[str, Any]) -> None:
    """Leave the table as it is."""


def passes(view: dict[str, Any]) -> str | None:
    """Pass, and play the first legal card, until the deal is over."""
    if view["deal_over"]:
        return None
    return "Pass" if "Pass" in view["legal"] else str(view["legal"][0])


def declares(tricks: int = 0) -> Choice:
    """Declare 1NT against those who pass, and play until so many tricks are complete."""

    def choose(view: dict[str, Any]) -> str | None:
        if view["contract"] is None:
            return "1NT" if "1NT" in view["legal"] else "Pass"
        return passes(view) if len(view["tricks"]) < tricks else None

    return choose


def to_dummy(view: dict[str, Any]) -> str | None:
    """Declare, and play until it is the dummy's turn."""
    return None if view["chair"] == "dummy" else declares(tricks=13)(view)


def sit_down(
    page: Page,
    address: str,
    *,
    strategy: str = "pass+random",
    deals: int | None = 1,
    scoring: str = "auction-tricks",
    choose: Choice = stay,
    name: str = "Guest",
) -> None:
    """A game of one's own, as the form of the lobby opens it; a rubber is played without `deals`.

    What happens before the position that `choose` leaves alone is not drawn.
    """
    form: dict[str, str | float | bool] = {"name": name, "other": strategy, "scoring": scoring}
    if deals is not None:
        form["deals"] = deals
    answer = page.context.request.post(f"{address}/play", form=form, max_redirects=0)
    assert answer.status == 303, answer.text()
    advance(choose, page, url=f"{address}{answer.headers['location']}")


def advance(choose: Choice, *pages: Page, url: str = "") -> None:
    """Act for the seats of pages at one table, through the API; then show them the table."""
    url = url or pages[0].url
    address, _, table = url.partition("/table/")
    path, clients = f"/api/tables/{table}", []
    for page in pages:
        if page.url == url:
            page.goto("about:blank")  # nobody looks at every card
        (seat,) = (one for one in page.context.cookies() if one["name"] == f"seat-{table}")
        headers = {"authorization": f"Bearer {seat['value']}"}
        clients.append(
            # Certificates, of which a server here has none, would take longer than the questions.
            httpx.Client(base_url=address, headers=headers, timeout=TIMEOUT / 1000, verify=False)
        )
    while _acted(choose, path, clients):
        pass
    for client, page in zip(clients, pages, strict=True):
        client.close()
        page.goto(url)
        page.wait_for_selector("#board [data-number]")
        page.wait_for_load_state()


def _acted(choose: Choice, path: str, clients: list[httpx.Client]) -> bool:
    """Let the seat whose turn it is act, if one is to; whether there may be more to do."""
    for client in clients:
        view = client.get(path).json()
        if view["seat"] in view["next_ready"]:
            continue
        if view["deal_over"] or view["turn"] == view["seat"]:
            action = choose(view)
            if action is None:
                return False
            what, body = ("next", {}) if action == "next" else ("actions", {"action": action})
            answer = client.post(f"{path}/{what}", json=body | {"at": view["number"]})
            assert answer.status_code in (200, 409), answer.text  # a bot may have been first
            return True
    time.sleep(0.005)
    return True


def number(page: Page) -> int:
    """The event that a page shows."""
    return int(page.get_attribute("[data-number]", "data-number") or 0)


def my_turn(page: Page) -> bool:
    """Wait until it is one's turn, or the deal is over; whether it is one's turn."""
    page.wait_for_selector(f"{TURN}, .result")
    return page.query_selector(".result") is None


def call(page: Page, text: str) -> None:
    """Make a call with the mouse: a bid takes its level and then its strain."""
    if text[0].isdigit():
        page.click(f"#level-{text[0]}")
    page.click(f"#call-{text}")


def moved_on(page: Page, from_number: int) -> None:
    """Wait until a page shows a later event."""
    page.wait_for_function(
        "n => Number(document.querySelector('[data-number]').dataset.number) > n", arg=from_number
    )


def answered(page: Page) -> None:
    """Wait until the server has answered every move; the stream can draw a board before that."""
    page.wait_for_function("() => !Object.keys(localStorage).some(key => key.startsWith('move:'))")


def focused(page: Page, element: str) -> None:
    """Wait until the element with this id has the focus."""
    page.wait_for_function("id => document.activeElement.id === id", arg=element)


def bid_once(page: Page) -> None:
    """Bid 1NT, or five steps above the last bid, on the first call; pass after that."""
    bids = page.query_selector_all("#box .bids button:not([disabled])")
    mine = page.query_selector_all(".calls td .bid")
    at = number(page)
    bid = bids[4].get_attribute("data-call") if not mine and len(bids) > 4 else None
    call(page, bid or "Pass")
    moved_on(page, at)


def declare(page: Page, address: str, tricks: int = 0) -> None:
    """Sit down as South and declare 1NT; South or the dummy is to play."""
    sit_down(page, address, choose=declares(tricks))
    my_turn(page)


def play(page: Page) -> None:
    """Click the first legal card."""
    at = number(page)
    page.click(CARD)
    moved_on(page, at)


def finish(*pages: Page) -> None:
    """Bring the deal to its end without drawing it, then show its result."""
    advance(passes, *pages)
    for page in pages:
        page.wait_for_selector(".result")


def open_table(page: Page, address: str, name: str = "Guest") -> None:
    """Open a table for others to join."""
    page.goto(address)
    page.fill("#open-name", name)
    page.click("text=Open a table")
    page.wait_for_selector("text=Waiting for players")


def sit(page: Page, seat: str, name: str) -> None:
    """Sit down at the table that the page shows."""
    page.fill("#sit-name", name)
    if page.query_selector("#sit-seat") is not None:
        page.select_option("#sit-seat", seat)
    page.click("form.sit button")


def join(page: Page, address: str, seat: str, name: str) -> None:
    """Take a seat at a table that is open, and be ready."""
    page.goto(address)
    sit(page, seat, name)
    page.click("#ready")
    page.wait_for_selector("#ready[aria-pressed='true']")


def start(host: Page, joined: int) -> None:
    """Start the table of a host once so many others are ready; bots take the other seats."""
    # Only then does the page no longer change, and the click is not lost.
    expect(host.locator(".badge.good")).to_have_count(joined)
    host.click("#start")
    host.wait_for_selector(".felt")


def whose_turn(*pages: Page) -> Page:
    """Wait until it is the turn of one of the players; their page."""
    until = time.monotonic() + TIMEOUT / 1000
    while time.monotonic() < until:
        for page in pages:
            if page.query_selector(TURN):
                return page
        pages[0].wait_for_timeout(20)
    raise AssertionError("no page has the turn")


def accessibility(page: Page, *rules: str, part: str = "html") -> list[tuple[str, str]]:
    """What axe finds on a page or a part of it that is seen, by all of its rules or by some."""
    assert page.locator(part).is_visible()
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    # Only what is wrong is sent from the browser: to send all that is right takes as long again.
    violations = page.evaluate(
        "async ([part, options]) => (await axe.run(part, options)).violations", [part, options]
    )
    return [(found["id"], found["nodes"][0]["html"][:160]) for found in violations]
