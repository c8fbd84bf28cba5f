"""Regenerate table screenshots: `python -m tools.screenshots [FOLDER]`.

A server is started on deals chosen so that South has something to play for; Chromium plays and is
photographed on the way.
"""

from __future__ import annotations

import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

import tribridge as tb
from tests.club.browsing import CARD, browser, call, moved_on, my_turn, new_page, number, sit_down
from tests.club.live import Live

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
SEED = "5031"
DESK, PHONE = (1280, 860), (360, 740)
STRATEGY = "points+maxims"
ALGORITHM = "/algorithm?hand=AKQ2.K93.A92.KQ5&dummy=743.AQ5.KT43.J93&step=10"


def save(page: Page, folder: Path, name: str) -> None:
    """A picture of what the page shows now."""
    page.mouse.move(0, 0)
    page.wait_for_timeout(300)
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(256, kmeans=3, dither=Image.Dither.NONE).save(
        folder / f"{name}.png", optimize=True
    )
    print(folder / f"{name}.png", (folder / f"{name}.png").stat().st_size, "bytes")


def to_play(page: Page, cards: int) -> None:
    """Bid 3NT, or what is left of it, and play some cards."""
    played = 0
    while my_turn(page):
        at = number(page)
        if page.query_selector("#box"):
            call(page, "3NT" if page.query_selector("#call-3NT:not([disabled])") else "Pass")
        elif played >= cards and page.query_selector("#dummy"):
            return
        else:
            page.click(CARD)
            played += 1
        moved_on(page, at)


def diagram(folder: Path) -> None:
    """The table that the README plays, as a notebook draws it."""
    table = tb.new_table(seed=1).call("1NT pass 2H pass pass").play("CT")
    (folder / "table.svg").write_text(table._repr_svg_() + "\n", "utf-8")


def desk(chrome: Browser, address: str, folder: Path) -> None:
    """Lobby, auction, advice, play, review and the algorithm on a wide screen."""
    errors: list[str] = []
    page = new_page(chrome, errors, DESK)
    page.goto(address)
    save(page, folder, "lobby")
    sit_down(page, address, strategy=STRATEGY)
    my_turn(page)
    save(page, folder, "auction")
    page.click("#ask-advice")
    page.wait_for_selector(".forecast")
    page.evaluate("document.querySelector('#advice').scrollIntoView()")
    save(page, folder, "advice")
    to_play(page, 9)
    page.evaluate("scrollTo(0, 0)")
    save(page, folder, "play")
    to_play(page, 99)
    page.click("text=Review the deal")
    page.wait_for_selector(".review-players")
    page.click(".pick:has(.verdict)")
    page.wait_for_selector(".card.fault")
    save(page, folder, "review")
    page.goto(address + ALGORITHM)
    save(page, folder, "algorithm")
    page.context.close()
    assert not errors, errors


def phone(chrome: Browser, address: str, folder: Path) -> None:
    """Auction and play on a phone, in the dark, side by side."""
    errors: list[str] = []
    page = new_page(chrome, errors, PHONE, device_scale_factor=1.25, color_scheme="dark")
    sit_down(page, address, strategy=STRATEGY)
    my_turn(page)
    shots = [page.screenshot()]
    to_play(page, 9)
    shots.append(page.screenshot())
    page.goto(address + ALGORITHM)
    shots.append(page.screenshot())
    pictures = [Image.open(BytesIO(shot)).convert("RGB") for shot in shots]
    width, height = pictures[0].size
    whole = Image.new("RGB", (3 * width + 40, height), "white")
    for at, picture in enumerate(pictures):
        whole.paste(picture, (at * (width + 20), 0))
    file = folder / "phone.png"
    whole.quantize(256, kmeans=3, dither=Image.Dither.NONE).save(file, optimize=True)
    print(file, file.stat().st_size, "bytes")
    page.context.close()
    assert not errors, errors


def main() -> None:
    """Take all pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    diagram(folder)
    with (
        tempfile.TemporaryDirectory() as data,
        Live(Path(data) / "play.sqlite", "--seed", SEED) as live,
        browser() as chrome,
    ):
        desk(chrome, live.address, folder)
        phone(chrome, live.address, folder)


if __name__ == "__main__":
    main()
