"""A browser for tests and pictures: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

TURN = "[data-turn='1']"
CARD = "button.card:not([disabled])"


def chromium() -> str | None:
    """Where Chromium is; None if it is not installed."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    return None


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
    context.add_init_script(f"localStorage.speed ??= {speed!r}")
    page = context.new_page()
    page.set_default_timeout(300_000)
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
