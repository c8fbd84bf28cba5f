"""The review page in a browser: verdicts arrive, the graph is clicked, the deal is played on."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.club.browsing import (
    BROWSER_TESTS,
    my_turn,
    new_page,
    number,
    passes,
    sit_down,
)
from tests.club.live import Live

pytestmark = BROWSER_TESTS

DESK, PHONE, LANDSCAPE = (1366, 650), (390, 844), (844, 390)


WRAPPED = """() => {
  document.querySelectorAll('.review-hand li:has(.worth)').forEach(suit => {
    while (suit.querySelectorAll('.worth').length < 6)
      suit.append(suit.querySelector('.worth').cloneNode(true));
  });
  return [...document.querySelectorAll('.review-hand li')].filter(suit => {
    const [first, last] = [suit.firstElementChild, suit.lastElementChild]
      .map(one => one.getBoundingClientRect());
    return last.top > first.bottom || last.right > suit.getBoundingClientRect().right + 1;
  }).length;
}"""
"""How many suits need a second line, or more than their hand has, if those on turn are long."""
BEYOND_THE_FELT = """() => {
  const felt = document.querySelector('.review-table').getBoundingClientRect();
  const all = document.querySelectorAll('.review-hand, .review-hand ul, .values-pick .button');
  return [...all].filter(one => {
    const box = one.getBoundingClientRect();
    return box.left < felt.left || box.right > felt.right
      || box.top < felt.top || box.bottom > felt.bottom;
  }).map(one => one.textContent);
}"""
"""The hands and buttons that do not lie within the board."""
NUMBERS_CLEAR = """() => [...document.querySelectorAll('.review-tricks li')].every(trick => {
  const number = document.createRange(), lead = trick.querySelector('.column-1');
  number.selectNodeContents(trick.firstElementChild);
  const mark = parseFloat(getComputedStyle(lead, '::before').left) || -8;
  return number.getBoundingClientRect().right <= lead.getBoundingClientRect().left + mark;
})"""
"""Whether the numbers of the tricks are clear of the marks of those who lead."""


def _to_a_choice(page: Page, at: int) -> int:
    """Go to a card that was not forced, from one on; its number."""
    for card in range(at, 52):
        page.locator(".picks a").nth(card - 1).click()
        page.wait_for_url(f"**step={card}*")
        page.wait_for_selector(f"text=Card {card} of 52")
        page.wait_for_selector(".review-now .verdict")
        if page.query_selector("button[data-values='fair']"):
            return card
    raise AssertionError("all cards are forced")


def _bids(view: dict[str, Any]) -> str | None:
    """Bid once, so that the deal is not passed out, and play it."""
    first = view["contract"] is None and len(view["calls"]) < 3
    return str(view["legal"][1]) if first else passes(view)


def test_a_deal_is_reviewed_and_played_on(live: Live, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, DESK)
    sit_down(page, live.address, strategy="points+maxims", choose=_bids)
    page.click("text=Review the deal")
    page.goto(f"{page.url}?step=0")
    # Steps can be taken while the analysis is under way.
    page.click("#step-on")
    page.wait_for_selector("text=Card 1 of 52")
    expect(page.locator(".review-players li")).to_have_count(3)
    expect(page.locator(".review-calls .verdict").nth(2)).to_be_attached()
    assert page.query_selector("text=Card 1 of 52")
    at = _to_a_choice(page, 11)
    # Another card is played out, and the keys step through that; then through the deal again.
    page.click("button[data-values='fair']")
    page.locator("a.worth").last.click()
    page.wait_for_selector(".what-if li")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#trick-1[aria-current]")
    assert page.get_attribute(".review", "data-values") == "fair"
    page.click("#line-end")
    page.wait_for_selector("button[data-values='fair'][aria-pressed='true']")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(f"text=Card {at - 1} of 52")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(f"text=Card {at} of 52")
    address = page.url
    other = new_page(chrome, errors, DESK)
    other.goto(address)  # a shared link
    other.wait_for_selector(f"text=Card {at} of 52")
    for size in (DESK, PHONE):
        other.set_viewport_size({"width": size[0], "height": size[1]})
        assert other.evaluate("document.documentElement.scrollWidth") <= size[0]
        expect(other.locator(".review-tricks .pick")).to_have_count(52)
        if size == PHONE:  # there the play is folded until it is asked for
            expect(other.locator(".review-tricks .pick").last).to_be_hidden()
            other.click("#fold-play > summary")
            other.click("#step-on")
            other.wait_for_selector(f"text=Card {at + 1} of 52")
        expect(other.locator(".review-tricks .pick").last).to_be_visible()
    for step in (1, 2, 3, 4):
        other.goto(address.replace(f"step={at}", f"step={step}"))
        for size in (PHONE, DESK):
            other.set_viewport_size({"width": size[0], "height": size[1]})
            if size == PHONE:
                other.click("#fold-play > summary")
            assert other.evaluate(WRAPPED) == 0
            assert other.evaluate("document.documentElement.scrollWidth") <= size[0]
            assert other.evaluate(NUMBERS_CLEAR)
    other.goto(address)
    other.set_viewport_size({"width": LANDSCAPE[0], "height": LANDSCAPE[1]})
    other.locator(".review-graph").evaluate("graph => graph.scrollIntoView()")
    # It stays beside the words; which deal it is decides whether a pixel of its rim is lacking.
    expect(other.locator(".review-table")).to_be_in_viewport(ratio=0.97)
    # So is what is said of a card that is taken from far below.
    other.locator(".review-tricks .pick").nth(at - 1).click()
    other.wait_for_selector(f"text=Card {at} of 52")
    expect(other.locator(".review-now > :first-child")).to_be_in_viewport(ratio=1)
    expect(other.locator(".review-table")).to_be_in_viewport(ratio=0.97)
    other.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    tops = other.locator("#stepper .actions .button").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1, "the steps are in one row"
    other.set_viewport_size({"width": DESK[0], "height": DESK[1]})
    other.evaluate("scrollTo(0, 0)")
    # A step leaves the page where it is; one that is taken far below the board leads back to it.
    other.evaluate("scrollTo(0, 60)")
    other.click("#step-on")
    other.wait_for_selector(f"text=Card {at + 1} of 52")
    assert other.evaluate("scrollY") == 60
    other.locator(".review-tricks .pick").last.click()
    other.wait_for_selector("text=Card 52 of 52")
    expect(other.locator(".review-table")).to_be_in_viewport(ratio=1)
    other.context.close()
    for locale in ("en", "de"):
        other = new_page(chrome, errors, DESK, locale=locale)
        other.goto(address)
        other.wait_for_selector("button[data-values='experts']")
        for width, height in ((1280, 720), (1366, 768), (1920, 1080), PHONE, LANDSCAPE):
            other.set_viewport_size({"width": width, "height": height})
            assert other.evaluate(BEYOND_THE_FELT) == [], (locale, width)
        other.locator("#step-last").click()
        other.wait_for_selector("#step-on[aria-disabled='true']")
        assert other.locator("#stepper .actions [aria-disabled]").count() == 2
        other.context.close()
    page.click("#play-on")
    page.wait_for_selector("#board [data-number]")
    assert "/review/" not in page.url
    my_turn(page)
    assert number(page) >= 1
    page.context.close()


ENDS = """() => {
  const bottom = one => document.querySelector(one).getBoundingClientRect().bottom + scrollY;
  return [bottom('.review-head + .review-headline'), bottom('.review-now'),
    document.documentElement.scrollHeight];
}"""
"""Where the headline ends, what is said of the turning point, and the page."""


def test_on_a_phone_what_matters_comes_first_and_all_else_unfolds(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, PHONE)
    sit_down(page, live.address, strategy="points+maxims", choose=_bids)
    page.click("text=Review the deal")
    page.wait_for_selector(".review-told")
    headline, told, end = page.evaluate(ENDS)
    height = PHONE[1]
    assert headline < height / 2
    assert told < 1.5 * height
    assert end < 2.25 * height
    closed = page.locator("details.folds:not([open]) > summary")
    while closed.count():
        closed.first.click()
    for part in (".review-graph svg", ".review-tricks .pick", ".review-calls li", ".files a"):
        expect(page.locator(part).last).to_be_visible()
