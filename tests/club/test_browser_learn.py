"""What a newcomer meets, in Chromium: the tour, hints, terms explained where they stand."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.club.browsing import (
    BROWSER_TESTS,
    call,
    declare,
    moved_on,
    my_turn,
    new_page,
    number,
    sit_down,
)
from tests.club.live import Live
from tribridge.cards.cards import cards_of
from tribridge.club.pages.tour import Step, steps
from tribridge.club.puzzles import shipped

pytestmark = BROWSER_TESTS

PHONE, LANDSCAPE, DESK = (390, 844), (844, 390), (1366, 650)
SMALL, SIDEWAYS = (320, 568), (667, 375)


TOUR = [step for step in steps() if step.lesson == 1]
"""The first lesson, which leads to a game."""


def press(page: Page, step: Step, action: str) -> None:
    """Take an action of the tour with the mouse or a finger."""
    if step.table.position is not None:
        page.click(f"button[data-card={action}]", position={"x": 8, "y": 8})
    else:
        call(page, action)


def a_wrong_action(step: Step) -> str:
    """A card that is held and wrong, legal or not, or a wrong call."""
    if step.table.position is None:
        return next(word for word in ("Pass", "3NT") if word not in step.accept)
    held = cards_of(step.table.position.mine)
    return next(card.name for card in held if card.name not in step.accept)


UNDER_THE_ARROW = """parts => {
  const arrow = document.querySelector('.arrow')?.getBoundingClientRect();
  if (!arrow) return [];
  if (arrow.left < 0 || arrow.right > innerWidth) return ['the edge'];
  return [...document.querySelectorAll(parts)].filter(e => e.checkVisibility())
    .map(e => [e.innerText, e.getBoundingClientRect()])
    .filter(([, r]) => r.left < arrow.right && r.right > arrow.left && r.top < arrow.bottom
      && r.bottom > arrow.top).map(([text]) => text);
}"""


READ = ".strip p, .side.top .plate, #calls .name, #box .bid"


@pytest.mark.parametrize(
    "scripts", [True, pytest.param(False, marks=pytest.mark.full)], ids=["scripts", "no scripts"]
)
def test_the_whole_tour_by_mouse_leads_to_a_game(
    live: Live, chrome: Browser, errors: list[str], scripts: bool
) -> None:
    page = new_page(chrome, errors, PHONE, java_script_enabled=scripts)
    page.goto(live.address)
    page.click("text=Learn in five minutes")
    page.wait_for_load_state()
    loads: list[str] = []
    page.on("load", lambda loaded: loads.append(loaded.url))
    progress, feedback = page.locator(".progress"), page.locator(".feedback")
    for step in TOUR:
        expect(progress).to_contain_text(f"Step {step.number} of {len(TOUR)}")
        assert "Skip" in page.inner_text(".steps") or step.number == len(TOUR)
        if step.number in (1, 7):  # a card and a call; test_tour has the others
            press(page, step, a_wrong_action(step))
            expect(feedback).to_have_text(re.compile("^Not quite."))
        press(page, step, step.accept[0])
        expect(feedback).to_have_text(re.compile("^Right."))
        if step.number < len(TOUR):
            page.click("#lesson-next")
            many = "small" in TOUR[step.number].show
            expect(page.locator(".arrow")).to_have_count(1 if scripts and not many else 0)
            if scripts:  # nothing that is read lies under it
                assert not page.evaluate(UNDER_THE_ARROW, READ)
            if page.query_selector("#box"):  # prices are shown where they are explained
                prices = page.locator("#box .bid small:visible")
                assert bool(prices.count()) == (step.number >= 12)
    assert bool(loads) is not scripts
    page.click("text=Play your first game")
    page.wait_for_url("**/table/**")
    page.wait_for_selector("#board [data-number]")
    page.goto(live.address)
    expect(page.locator("h1")).to_contain_text("Welcome back")
    expect(page.locator("a.button.primary[href='/learn']")).to_have_count(0)
    page.context.close()


def test_the_arrow_at_a_bid_covers_neither_its_bidder_nor_the_edge(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    for locale in ("en", "de"):
        page = new_page(chrome, errors, PHONE, locale=locale)
        for lesson, step in ((2, 1), (1, 8)):
            page.goto(f"{live.address}/learn?lesson={lesson}&step={step}")
            for width, height in (SMALL, PHONE, LANDSCAPE, DESK):
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_selector(".arrow")
                assert not page.evaluate(UNDER_THE_ARROW, READ), (locale, lesson, width)
        page.context.close()


def test_an_arrow_covers_no_card(live: Live, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, DESK)
    for step in (9, 10, 11, 12, 1):
        page.goto(f"{live.address}/learn?step={step}")
        for width, height in (SMALL, PHONE, LANDSCAPE, DESK):
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_selector(".meant")
            page.evaluate("() => new Promise(requestAnimationFrame)")
            assert not page.evaluate(UNDER_THE_ARROW, ".felt .card"), (step, width)
    expect(page.locator(".arrow")).to_have_count(1)  # where there is room
    page.context.close()


def test_the_end_of_the_tour_by_keyboard(live: Live, chrome: Browser, errors: list[str]) -> None:
    """The last steps have both calls and cards."""
    page = new_page(chrome, errors, PHONE)
    last = TOUR[12:]
    assert {step.table.position is None for step in last} == {True, False}
    page.goto(f"{live.address}/learn?step={last[0].number}")
    for step in last:
        expect(page).to_have_title(re.compile(f"step {step.number} of"))
        page.wait_for_load_state()  # keys are read once the script of the page has run
        action = step.accept[0]
        page.keyboard.type({"Pass": "p"}.get(action, action.lower()))
        page.keyboard.press("Enter")
        expect(page).to_have_title(re.compile("^Right: "))
        onward = page.locator("#lesson-next, #first-game")
        expect(onward).to_be_focused()
        expect(onward).to_have_attribute("aria-describedby", "feedback")
        page.wait_for_load_state()
        page.keyboard.press("Enter")
    page.wait_for_selector("#board [data-number]")
    page.context.close()


@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.full)])
def test_lesson_and_hand_are_in_view_together(
    live: Live, chrome: Browser, errors: list[str], thorough: bool
) -> None:
    page = new_page(chrome, errors, PHONE)
    for step in steps():
        actions: tuple[str, ...] = ("", a_wrong_action(step), step.accept[0])
        if not thorough and step.number != 13:  # of each kind of step and answer one or two
            actions = actions[step.number % 3 :][:1] if step.number % 4 == 3 else ()
        for action in actions:
            page.goto(
                f"{live.address}/learn?lesson={step.lesson}&step={step.number}&action={action}"
            )
            every = thorough or step.number == 13
            sizes = (SMALL, PHONE, (740, 360), SIDEWAYS, LANDSCAPE, DESK)
            for width, height in sizes if every else (SMALL, SIDEWAYS):
                page.set_viewport_size({"width": width, "height": height})
                for part in ("#hand", ".side.bottom .plate", ".why", ".lesson section"):
                    box = page.locator(part).bounding_box()
                    if box is None:
                        assert part == ".why", step
                        continue
                    where = (width, height, step.number, action, part, box)
                    assert box["x"] >= 0, where
                    assert box["x"] + box["width"] <= width, where
                    assert box["y"] + box["height"] <= height, where
                if page.query_selector("#box") and not action:
                    assert page.locator(".calls-so-far").evaluate("e => e.clientHeight") > 20, where
    page.context.close()


def test_answers_and_hand_of_a_puzzle_are_in_view_together(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page, puzzles = new_page(chrome, errors, PHONE, has_touch=True), shipped().puzzles
    auction = max((p for p in puzzles if not p.play), key=lambda p: len(p.auction))
    card, dummy = (
        next(p for p in puzzles if p.play and (p.view().chair == 2) is dummy)
        for dummy in (False, True)
    )
    for puzzle in (auction, card, dummy):
        page.goto(f"{live.address}/puzzles/{puzzle.id}")
        for width, height in (PHONE, LANDSCAPE, (740, 360), SIDEWAYS):
            page.set_viewport_size({"width": width, "height": height})
            where = (puzzle.id, width, height)
            answers = page.locator(".puzzle-felt button:visible").all()
            assert len(answers) > 1, where
            for one in (*answers, page.locator(".puzzle-side.bottom .puzzle-hand")):
                box = one.bounding_box()
                assert box is not None, where
                assert box["height"] >= 40, where
                assert box["y"] + box["height"] <= height, where
            assert page.evaluate("document.documentElement.scrollWidth") <= width, where
            if puzzle is not auction:  # each card of a trick lies before who played it
                dummys, own = (page.locator(f".trick .slot.{spot}") for spot in ("top", "bottom"))
                for slot, side in ((dummys, "top"), (own, "bottom")):
                    middle = "e => (r => (r.left + r.right) / 2)(e.getBoundingClientRect())"
                    name = page.locator(f".puzzle-side.{side} .puzzle-name")
                    assert abs(slot.evaluate(middle) - name.evaluate(middle)) < 2, where
    page.context.close()


def test_a_hint_shows_options_with_reasons(live: Live, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, DESK)
    sit_down(page, live.address)
    my_turn(page)
    page.keyboard.type("w")
    page.wait_for_selector(".options")
    assert page.locator(".options li").count() > 1  # how many depends on the deal
    assert "points" in page.inner_text(".options .best")
    at = number(page)
    page.locator(".options .choice:has(.bid)").first.click()
    moved_on(page, at)
    my_turn(page)
    expect(page.locator(".options")).to_have_count(0)  # the hint was about the call
    assert "by Guest" in page.inner_text(".standing")
    page.click("#ask-hint")
    page.wait_for_selector(".options .card")
    best = page.locator(".options .best .choice")
    card = page.locator(f"#card-{best.get_attribute('value')}")
    expect(card).to_have_class(re.compile("meant"))
    at = number(page)
    best.click()
    moved_on(page, at)
    expect(page.locator(".meant")).to_have_count(0)
    expect(card).to_have_count(0)
    page.context.close()


def _line_above_is_free(page: Page) -> None:
    """The hint covers neither the line above the board nor its buttons."""
    for part in (".standing", "#prompt", "#strip-hint", ".more a"):
        assert page.locator(part).evaluate(
            """part => { const {left, top, width, height} = part.getBoundingClientRect();
            const there = document.elementFromPoint(left + width / 2, top + height / 2);
            return !!there.closest('.strip'); }"""
        ), part


def test_a_hint_on_a_phone_leaves_hand_and_auction_free(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, SMALL, has_touch=True)
    declare(page, live.address)  # in the play, on the smallest screen
    page.tap("#strip-hint")
    page.wait_for_selector(".options")
    for width, height in (SMALL, PHONE, (768, 1024)):
        page.set_viewport_size({"width": width, "height": height})
        _line_above_is_free(page)
        hint, dummy = page.locator("#advice").bounding_box(), page.locator("#dummy").bounding_box()
        assert hint is not None
        assert dummy is not None
        assert hint["y"] + hint["height"] <= dummy["y"]
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    sit_down(page, live.address)
    my_turn(page)
    page.tap("#strip-hint")
    page.wait_for_selector(".options")
    _line_above_is_free(page)
    hint, hand = page.locator("#advice").bounding_box(), page.locator("#hand").bounding_box()
    assert hint is not None
    assert hand is not None
    assert hint["y"] + hint["height"] <= hand["y"]
    calls = page.locator(".felt .calls").bounding_box()
    assert calls is not None
    assert hint["y"] + hint["height"] <= calls["y"]
    assert hand["y"] + hand["height"] <= PHONE[1]
    assert page.evaluate("scrollY") == 0
    page.set_viewport_size({"width": LANDSCAPE[0], "height": LANDSCAPE[1]})
    hint, felt = page.locator("#advice").bounding_box(), page.locator(".felt").bounding_box()
    assert hint is not None
    assert felt is not None
    assert felt["x"] + felt["width"] <= hint["x"] + 8  # on its side, it stands beside the board
    page.set_viewport_size({"width": LANDSCAPE[0], "height": 260})
    expect(page.locator("#advice")).to_have_class("goes-on")
    page.locator("#advice").evaluate("advice => advice.scrollTo(0, advice.scrollHeight)")
    expect(page.locator("#advice")).to_have_class("")
    page.tap("[data-close=advice]")
    expect(page.locator(".options")).to_have_count(0)
    page.context.close()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_term_is_explained_where_it_stands(
    live: Live, chrome: Browser, errors: list[str], scripts: bool
) -> None:
    page = new_page(chrome, errors, PHONE, has_touch=True, java_script_enabled=scripts)
    page.goto(live.address)
    term = page.locator(".term", has_text="dummy").first
    explanation = page.locator("#term-dummy")
    expect(explanation).to_be_hidden()
    assert "hidden fourth hand" in (term.get_attribute("title") or "")
    term.tap()
    expect(explanation).to_be_visible()
    box = explanation.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE[0]
    page.keyboard.press("Escape")
    expect(explanation).to_be_hidden()
    term.focus()
    page.keyboard.press("Enter")
    expect(explanation).to_be_visible()
    page.context.close()


def test_a_hand_is_not_seen_before_it_is_dealt(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK, speed="slow")
    page.add_init_script(
        "const look = () => { const cards = document.querySelectorAll('#hand li');"
        " if (cards.length) window.first ??= getComputedStyle(cards[cards.length - 1]).opacity;"
        " requestAnimationFrame(look); }; look();"
    )
    page.goto(f"{live.address}/learn?step=7")
    page.wait_for_function("() => window.first")
    assert page.evaluate("first") == "0"
    call(page, "1S")
    page.wait_for_selector(".feedback.right")
    assert not page.query_selector("#hand .arriving")  # nor does it come a second time
    page.context.close()
