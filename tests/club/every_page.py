"""A walk through every page of the table, for pictures of all of them and for axe.

Pictures at four window sizes, light and dark: `python -m tests.club.every_page FOLDER`.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.club.browsing import (
    advance,
    browser,
    finish,
    my_turn,
    new_page,
    open_table,
    passes,
    sit_down,
)
from tests.club.live import QUICK_PLAY, Live

SIZES = ((390, 844), (844, 390), (1366, 650), (1920, 1080))
ALGORITHM = "/algorithm?hand=AKQ2.K93.A92.KQ5&dummy=743.AQ5.KT43.J93&step=10"
TOUR = {
    "tricks": "",
    "done": "?step=1&action=SA",
    "auction": "?step=7",
    "dummy": "?step=9",
    "score": "?step=13",
}


def walk(page: Page, address: str, strategy: str = "pass+maxims") -> Iterator[str]:
    """Bring every page into view, one after the other; the name of what is shown."""
    page.goto(address)
    yield "lobby"
    page.locator(".term").first.click()
    yield "term"
    page.keyboard.press("Escape")
    page.click("[data-dialog=settings]")
    yield "settings"
    for name, query in TOUR.items():
        page.goto(f"{address}/learn{query}")
        yield f"learn-{name}"
    page.goto(f"{address}/glossary")
    yield "glossary"
    page.goto(f"{address}/puzzles")
    yield "puzzle"
    page.locator(".puzzle-felt button:not(:disabled)").first.click()
    page.wait_for_selector("#feedback")
    yield "puzzle-answered"
    page.goto(f"{address}/puzzles?experts=true")
    page.locator(".puzzle-felt button:not(:disabled)").first.click()
    page.wait_for_selector("#feedback")
    page.click("#line-on")
    page.wait_for_selector("#line-back")
    yield "puzzle-line"
    open_table(page, address)
    yield "waiting"
    page.click("#show-chat")
    yield "chat"
    yield from _rubber(page, address, strategy)
    page.goto(f"{address}/me")
    page.wait_for_selector(".figures")
    yield "my-games"
    page.goto(f"{address}/me/stats")
    yield "statistics"
    page.goto(f"{address}/daily")
    yield "daily"
    page.goto(f"{address}/league")
    yield "league"
    page.goto(address)
    page.wait_for_selector(".welcome")
    yield "lobby-again"
    page.goto(f"{address}{ALGORITHM}")
    yield "algorithm"
    page.goto(f"{address}/algorithm")
    yield "algorithm-empty"
    # The page that stands for others while there is no connection looks for one, and goes.
    page.route(
        "**/offline",
        lambda route: route.abort() if route.request.method == "HEAD" else route.continue_(),
    )
    for name, path in (("error", "/table/none"), ("not-found", "/none"), ("offline", "/offline")):
        page.goto(f"{address}{path}")
        yield name


def _declares_or_defends(view: dict[str, Any]) -> str | None:
    """Bid 3NT where that is possible, and play two tricks."""
    if view["contract"] is None:
        return "3NT" if "3NT" in view["legal"] else "Pass"
    return passes(view) if len(view["tricks"]) < 2 else None


def _rubber(page: Page, address: str, strategy: str) -> Iterator[str]:
    sit_down(page, address, strategy=strategy, deals=None, scoring="auction-rubber")
    my_turn(page)
    yield "auction"
    page.click("#ask-hint")
    page.wait_for_selector(".options")
    yield "hint"
    page.click("[data-close=advice]")
    page.click("#ask-advice")
    page.wait_for_selector(".advice .forecast")
    yield "advice"
    advance(_declares_or_defends, page)
    yield "play"
    page.click("#ask-advice")
    page.wait_for_selector(".beliefs")
    yield "beliefs"
    finish(page)
    yield "result"
    page.click(".result >> text=Score sheet")
    page.wait_for_selector("#score[open] .rubber-sheet")
    yield "score-sheet"
    page.keyboard.press("Escape")
    page.click("text=Review the deal")
    page.wait_for_selector(".review-players")
    yield "review"


def main() -> None:
    """Take all pictures."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        Live(Path(data) / "play.sqlite", "--seed", "5031", command=QUICK_PLAY) as live,
        browser() as chrome,
    ):
        errors: list[str] = []
        page = new_page(chrome, errors, SIZES[2])
        for name in walk(page, live.address, "points+maxims"):
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
                    page.wait_for_timeout(150)
                    page.screenshot(path=folder / f"{name}-{width}x{height}-{scheme}.png")
            page.set_viewport_size({"width": SIZES[2][0], "height": SIZES[2][1]})
            print(name, flush=True)
        assert not errors, errors


if __name__ == "__main__":
    main()
