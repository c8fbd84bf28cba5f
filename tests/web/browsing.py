"""A browser for tests and pictures: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
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
    pytest.mark.skipif(chromium() is None, reason="Chromium is not installed"),
]
"""Marks of a module of browser tests."""


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
    # The report is sandboxed when it is served, and has no storage.
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


def sit_down(
    page: Page,
    address: str,
    *,
    strategy: str = "pass+random",
    deals: int | None = 1,
    scoring: str = "auction-tricks",
) -> None:
    """One click from the lobby to a game of one's own; a rubber is played without `deals`."""
    page.goto(address)
    page.fill("#play-name", "Guest")
    page.click(".play-now summary")
    page.fill("#play-other", strategy)
    page.select_option("#play-scoring", scoring)
    if deals is not None:
        page.fill("#play-deals", str(deals))
    page.click("text=Deal the cards")
    page.wait_for_selector("#board [data-number]")
    page.wait_for_load_state()


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


def declare(page: Page, address: str) -> None:
    """Sit down as South and declare 1NT; South or the dummy is to play."""
    sit_down(page, address)
    my_turn(page)
    at = number(page)
    call(page, "1NT")
    moved_on(page, at)
    my_turn(page)


def play(page: Page) -> None:
    """Click the first legal card."""
    at = number(page)
    page.click(CARD)
    moved_on(page, at)


def finish(*pages: Page) -> None:
    """Let pages pass and play the first legal card by themselves until the deal is over."""
    for page in pages:
        page.evaluate(
            """action => {
              let last = "", waited = 0;
              const timer = setInterval(() => {
                if (document.querySelector(".result")) return clearInterval(timer);
                const button = document.querySelector(action);
                const now = document.querySelector("[data-number]")?.dataset.number;
                if (!button || (now === last && ++waited < 100)) return;
                [last, waited] = [now, 0];
                button.click();
              }, 10);
            }""",
            f"{TURN} #call-Pass:not([disabled]), {CARD}",
        )
    for page in pages:
        page.wait_for_selector(".result")


def open_table(page: Page, address: str, name: str = "Guest") -> None:
    """Open a table for others to join."""
    page.goto(address)
    page.fill("#open-name", name)
    page.click("text=Open a table")
    page.wait_for_selector("text=Waiting for players")


def join(page: Page, address: str, seat: str, name: str) -> None:
    """Take a seat at a table that is open, and be ready."""
    page.goto(address)
    page.fill(f"#sit-{seat}", name)
    page.click(f"li:has(#sit-{seat}) button")
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


def check_accessibility(page: Page, where: object = "") -> None:
    """Axe finds nothing serious on a page."""
    serious = [
        (rule["id"], rule["nodes"][0]["html"][:200], rule["nodes"][0]["failureSummary"][:300])
        for rule in Axe().run(page).response["violations"]
        if rule["impact"] in ("serious", "critical")
    ]
    assert not serious, (where, serious)
