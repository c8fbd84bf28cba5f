"""The board fits every window, and nothing on it moves when a turn begins."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.club.browsing import (
    BROWSER_TESTS,
    CARD,
    TURN,
    call,
    declares,
    join,
    moved_on,
    my_turn,
    new_page,
    number,
    open_table,
    sit_down,
    start,
    to_dummy,
    whose_turn,
)
from tests.club.live import Live
from tribridge.club.language import languages

pytestmark = BROWSER_TESTS

SIZES = [
    (320, 568),
    (568, 320),
    (360, 640),
    (390, 844),
    (844, 390),
    (480, 480),
    (600, 560),
    (683, 325),  # 1366x650 at a zoom of 200%
    (768, 1024),
    (800, 480),
    (1024, 600),
    (1280, 720),
    (1366, 650),
    (1920, 1080),
    (2560, 1440),
]
FEW = [(320, 568), (568, 320), (390, 844), (683, 325), (1366, 650)]
"""The tightest, a phone and a desk: the other sizes are for `make test-all`."""
EACH = pytest.mark.parametrize(
    "size",
    [pytest.param(size, marks=[pytest.mark.full] * (size not in FEW)) for size in SIZES],
    ids=lambda size: f"{size[0]}x{size[1]}",
)
PARTS = [
    ".strip",
    ".side.top .plate",
    ".side.top .backs, #dummy",
    ".side.left .plate",
    ".side.left .backs",
    ".side.right .plate",
    ".side.right .backs",
    ".side.bottom .plate",
    ".why:not(:empty)",
    ".calls-so-far",
    "#box",
    ".trick",
    "#hand",
    ".result",
    ".suit-row",
    ".suit-lines",
]
BOXES = """parts => parts.flatMap(part => [...document.querySelectorAll(part)]
  .filter(e => e.checkVisibility({ visibilityProperty: true }))
  .map(e => e.getBoundingClientRect())
  .map(r => [part, r.left, r.top, r.right, r.bottom]))"""
COVERED = """boxes => boxes.filter(([part, left, top, right, bottom]) =>
  !document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.closest(".felt"))"""
"""What has something in front of its middle that is no part of the board."""
CUT = """part => [...document.querySelectorAll(part)].filter(e => e.checkVisibility() &&
  (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight + 1)).map(e => e.innerText)"""
"""What is larger than its place: the end of its text cannot be read."""
ROWS = """() => [...document.querySelectorAll('#hand li')].map(card =>
  Math.round(card.offsetTop - document.querySelector('#hand li').offsetTop) > 0)"""
"""Which cards of the hand are in its second row."""
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Nobody sees a page in a new size before its next frame."""
Box = tuple[str, float, float, float, float]


def boxes(page: Page, parts: list[str]) -> list[Box]:
    found: list[Any] = page.evaluate(BOXES, parts)
    return [tuple(one) for one in found]


def overlap(a: Box, b: Box) -> bool:
    across = min(a[3], b[3]) - max(a[1], b[1])
    down = min(a[4], b[4]) - max(a[2], b[2])
    return across > 1 and down > 1


@pytest.fixture(scope="module")
def boards(live: Live, chrome: Browser) -> Iterator[dict[str, Page]]:
    """A long auction, the play with dummy to play, and the end of a deal."""
    complaints: list[str] = []
    pages = {
        state: new_page(chrome, complaints, (1280, 860)) for state in ("auction", "play", "end")
    }
    longest = "Magdalena Wolkenstein-Ott"
    sit_down(pages["auction"], live.address, strategy="points+maxims", name=longest)
    my_turn(pages["auction"])
    sit_down(pages["play"], live.address, choose=to_dummy, name=longest)
    sit_down(pages["end"], live.address, choose=declares(tricks=13), name=longest)
    yield pages
    for page in pages.values():
        page.context.close()
    assert complaints == []


@EACH
@pytest.mark.parametrize("state", ["auction", "play", "end"])
def test_the_board_fits_the_window(
    boards: dict[str, Page], state: str, size: tuple[int, int]
) -> None:
    _check_fit(boards[state], state, size)


@pytest.mark.parametrize("sizes", [FEW, pytest.param(SIZES, marks=pytest.mark.full)])
def test_the_board_fits_in_every_language(
    boards: dict[str, Page], sizes: list[tuple[int, int]]
) -> None:
    """Words are longer in other languages. The language is chosen in the settings."""
    for state, page in boards.items():
        page.set_viewport_size({"width": 1280, "height": 860})
        for language in (*sorted({*languages()} - {"en"}), "en"):  # English comes last, and stays
            page.click(".looks [data-dialog=settings]")
            with page.expect_navigation():
                page.select_option("[data-setting=language]", language)
            assert page.get_attribute("html", "lang") == language
            for size in sizes if language != "en" else ():
                _check_fit(page, state, size)


def test_a_tablet_held_upright_has_large_cards(boards: dict[str, Page]) -> None:
    page = boards["play"]
    page.set_viewport_size({"width": 768, "height": 1024})
    cards = [one for one in boxes(page, ["#hand .card", ".trick"]) if one[3] > one[1]]
    assert min(right - left for _, left, _, right, _ in cards) > 768 / 8
    _check_fit(page, "play", (768, 1024))


LENGTHENED = """() => document.querySelectorAll('.suit-lines .minis').forEach(suit => {
  const cards = 'A K Q J 10 9'.split(' ').map(rank => {
    const card = suit.firstElementChild.cloneNode(true);
    card.textContent = rank;
    return card;
  });
  suit.replaceChildren(...cards);
})"""
WRAPPED = """() => [...document.querySelectorAll('.suit-lines .minis')].filter(suit => {
  const last = suit.lastElementChild, edge = suit.closest('ul').getBoundingClientRect().right;
  return last.offsetTop > suit.firstElementChild.offsetTop
    || last.getBoundingClientRect().right > edge;
}).length"""


def test_a_long_suit_stands_on_one_line(boards: dict[str, Page]) -> None:
    page = boards["end"]
    page.evaluate(LENGTHENED)
    for size in SIZES:
        _check_fit(page, "end", size)
        assert page.evaluate(WRAPPED) == 0, size
    page.reload()


def test_a_suit_of_cards_that_a_finger_hits_stays_in_its_panel(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, (390, 844), has_touch=True, is_mobile=True)
    sit_down(page, live.address, choose=declares(tricks=13))
    for ranks in ("K Q J 10", "A K Q J 10 9", "A K Q J 10 9 8 7 6"):
        page.evaluate(LENGTHENED.replace("A K Q J 10 9", ranks))
        assert page.evaluate(WRAPPED) == 0, ranks
    page.context.close()


BEYOND = """() => [...document.querySelectorAll('#hand .card')].filter(card =>
  card.getBoundingClientRect().right > 1 +
  document.querySelector('#hand').getBoundingClientRect().right).length"""


def test_a_long_row_of_cards_keeps_its_margin(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, (390, 844))
    rows = 0
    while rows < 8:
        sit_down(page, live.address)
        below = page.locator("#hand .below").count()
        rows = max(below, 13 - below)
        assert page.evaluate(BEYOND) == 0
    page.context.close()


def test_a_hint_beside_the_board_keeps_clear_of_its_cards(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, (844, 390))
    sit_down(page, live.address, choose=declares())
    my_turn(page)
    for _ in range(60):  # a key is not kept while the board is drawn
        page.keyboard.press("w")
        page.wait_for_timeout(1000)
        if page.locator(".hint .worth").count():
            break
    for option in page.locator(".hint .options li").all():
        choice, worth = option.locator(".choice"), option.locator(".worth")
        edge = choice.evaluate("e => e.getBoundingClientRect().right")
        lines = "e => [...e.getClientRects()].map(r => r.left)"
        assert min(worth.locator("span").first.evaluate(lines)) >= edge
    # Names and tags are whole, and that of the dummy stands at its cards.
    assert page.evaluate(CUT, ".side .nameplate, .side .plate") == []
    dummy, cards = (boxes(page, [f".side.top {part}"])[0] for part in (".plate", ".card"))
    assert 0 <= cards[1] - dummy[3] < 60
    # Held upright, a hand keeps its rows and their order.
    page.set_viewport_size({"width": 768, "height": 1024})
    page.wait_for_function("() => document.querySelector('#advice').offsetWidth > 600")
    hinted = page.evaluate(ROWS)
    page.keyboard.press("Escape")
    page.wait_for_selector(".hint", state="detached")
    assert page.evaluate(ROWS) == hinted
    assert len(set(hinted)) == 2
    page.context.close()


def test_the_page_comes_back_from_advice_below_the_board(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, (844, 390))
    sit_down(page, live.address)
    my_turn(page)
    for leave in ("[data-close=advice]", "#advice .choice >> nth=0"):
        page.keyboard.press("i")
        page.wait_for_selector("#advice .options")
        assert page.evaluate("scrollY") > 0
        page.click(leave)
        page.wait_for_selector("#advice .options", state="detached")
        assert page.evaluate("scrollY") == 0
    page.context.close()


def _check_fit(page: Page, state: str, size: tuple[int, int]) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("scrollTo(0, 0)")
    page.evaluate(FRAMES)
    if state == "end":  # what decided the deal is longer than the words that stand for it before
        page.wait_for_selector(".decided:not(:has(.quiet))", state="attached")
        assert not page.evaluate(CUT, ".decided, .decided span")
    parts = boxes(page, [*PARTS[1:], ".standing", "#prompt", ".more a", ".strip-hint"])
    names = {part for part, *_ in parts}
    wanted = {
        "auction": {"#hand", "#box", ".calls-so-far", ".side.left .plate"},
        "play": {"#hand", ".side.top .backs, #dummy", ".trick", ".why:not(:empty)"},
        "end": {".result", ".suit-row", ".suit-lines"},
    }[state]
    assert wanted <= names
    outside = [
        one for one in parts if one[1] < 0 or one[2] < 0 or one[3] > width or one[4] > height
    ]
    assert not outside
    assert not [(a, b) for a, b in combinations(parts, 2) if overlap(a, b)]
    assert not page.evaluate(CUT, ".side.bottom .name, .marks button")
    pressed = boxes(page, ["#box button", "#box input", ".result .button"])
    assert page.evaluate(COVERED, [*parts, *pressed]) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width >= 960:  # the panel lies beside the board
        assert page.evaluate("document.documentElement.scrollHeight") <= height
    clipped = page.evaluate(
        "[...document.querySelectorAll('.plate, .box, .result, .strip, .centre')]"
        ".filter(e => e.scrollHeight > e.clientHeight + 1).map(e => e.className)"
    )
    assert not clipped
    low = page.evaluate(
        "[...document.querySelectorAll('#box button, #box label, .result .button')]"
        ".filter(e => e.checkVisibility() && e.offsetHeight < 24).length"
    )
    assert low == 0


@pytest.mark.parametrize("size", [(1280, 720), (1366, 768)])
@pytest.mark.parametrize("state", ["auction", "play", "end"])
def test_an_open_chat_lies_beside_the_table(
    boards: dict[str, Page], state: str, size: tuple[int, int]
) -> None:
    page = boards[state]
    page.set_viewport_size({"width": 1280, "height": 860})
    page.click("#show-chat")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(FRAMES)
    (chat,) = boxes(page, ["#chat"])
    table = boxes(page, [".felt", ".side", ".card", "#board button", "#board summary"])
    assert table
    assert [one for one in table if one[3] > chat[1]] == []
    parts = boxes(page, PARTS[1:])
    assert not [(a, b) for a, b in combinations(parts, 2) if overlap(a, b)]
    page.keyboard.press("Escape")
    page.wait_for_selector("#chat:popover-open", state="hidden")


def test_advice_opens_beside_the_board(live: Live, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, (1366, 650))
    sit_down(page, live.address)
    my_turn(page)
    page.click("#ask-advice")
    page.wait_for_selector(".advice .forecast")
    inside = boxes(page, ["#hand", "#box", "#advice"])
    assert len(inside) == 3
    assert not [one for one in inside if one[1] < 0 or one[2] < 0 or one[3] > 1366 or one[4] > 650]
    assert not [(a, b) for a, b in combinations(inside, 2) if overlap(a, b)]
    assert page.evaluate("document.documentElement.scrollHeight") <= 650
    levels = page.locator(".scroll:has(.forecast)")
    assert levels.evaluate("e => e.scrollWidth <= e.clientWidth")
    page.click("[data-close=advice]")
    page.click("#ask-hint")
    page.wait_for_selector(".hint .options")
    for size in ((1366, 650), (1366, 768), (1920, 1080)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate(FRAMES)
        places = boxes(page, ["#advice", ".panel"])
        assert not overlap(*places)
        assert places[1][4] - places[1][2] > 150
        for part in ("#ask-advice", "#sheet summary"):
            page.locator(part).scroll_into_view_if_needed()
            (shown,) = boxes(page, [part])
            assert not overlap(places[0], shown)
            assert shown[4] < size[1] + 1
    page.context.close()


def test_nothing_moves_when_a_turn_begins(live: Live, chrome: Browser, errors: list[str]) -> None:
    maker, friend = (new_page(chrome, errors, (1366, 650)) for _ in range(2))
    open_table(maker, live.address)
    join(friend, maker.url, "N", "Friend")
    start(maker, 1)
    friend.wait_for_selector(".felt")
    moving = (".why:not(:empty)", ".side.left .backs", ".side.right .backs")
    still = [part for part in PARTS if part not in moving] + [".slot", "#hand .card"]
    compared = set[bool]()
    while compared != {True, False}:  # in the auction, and in the play
        turn = whose_turn(maker, friend)
        other = friend if turn is maker else maker
        other.mouse.move(0, 0)  # a card under the mouse is lifted
        before = {
            size: _measured(other, size, still) for size in ((1366, 650), (844, 390), (390, 844))
        }
        at, auction = number(turn), turn.query_selector(".auction") is not None
        if auction:
            call(turn, "1NT" if turn.query_selector("#call-1NT:not([disabled])") else "Pass")
        else:
            turn.click(CARD)
        moved_on(turn, at)
        whose_turn(maker, friend)
        if not other.query_selector(TURN):
            continue
        if auction is (other.query_selector(".auction") is not None):  # not from auction to play
            for size, places in before.items():
                assert _measured(other, size, still) == places
            compared.add(auction)
    for page in (maker, friend):
        page.context.close()


def _measured(page: Page, size: tuple[int, int], parts: list[str]) -> list[Box]:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    return boxes(page, parts)


@EACH
def test_what_a_bid_costs_is_readable_before_it_is_made(
    boards: dict[str, Page], size: tuple[int, int]
) -> None:
    page = boards["auction"]
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("scrollTo(0, 0)")
    page.mouse.move(0, 0)
    level = page.locator("#box input:not([disabled])").last
    level.check(force=True)
    row = page.locator("#box .bids:visible")
    before = boxes(page, PARTS)
    whole = row.locator(".cost:visible")
    assert "7♣" not in whole.inner_text()
    assert "13 tricks" in whole.inner_text()
    _clear_of_the_buttons(page)
    row.locator("button").last.focus()
    page.keyboard.press("ArrowLeft")
    assert whole.inner_text().startswith("7♠: 13 tricks, +163; one down: 50")
    row.locator("button").last.hover()
    assert whole.inner_text().startswith("7NT: 13 tricks, +170; one down: 50")
    assert whole.count() == 1
    _clear_of_the_buttons(page)
    assert boxes(page, PARTS) == before
    described = row.locator("button").last.get_attribute("aria-describedby")
    assert "one down" in (page.locator(f"#{described}").text_content() or "")


def _clear_of_the_buttons(page: Page) -> None:
    (cost,) = (one for one in boxes(page, [".cost"]))
    buttons = boxes(page, ["#box button"])
    assert not [one for one in buttons if overlap(cost, one)]
