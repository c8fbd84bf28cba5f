"""Keys pressed while the table is being drawn: none is lost, however slow the server is."""

from __future__ import annotations

from playwright.sync_api import APIResponse, Browser, Page, Route

from tests.club.browsing import (
    BROWSER_TESTS,
    CARD,
    TURN,
    declare,
    focused,
    join,
    moved_on,
    my_turn,
    new_page,
    number,
    open_table,
    sit_down,
    start,
    whose_turn,
)
from tests.club.live import Live

pytestmark = BROWSER_TESTS

DESK = (1280, 860)
TYPED = {"♣": "c", "♦": "d", "♥": "h", "♠": "s", "NT": "n"}


class Late:
    """The first answer to some request reaches the page only when it is let through."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.route: Route | None = None
        self.answer: APIResponse | None = None
        page.route(address, self._hold)

    def _hold(self, route: Route) -> None:
        if self.route is not None:
            route.continue_()
            return
        self.route = route
        self.answer = route.fetch()

    def let_through(self) -> None:
        while self.answer is None:
            self.page.wait_for_timeout(20)
        assert self.route is not None
        self.route.fulfill(response=self.answer)


def test_a_card_played_before_the_answer_to_the_last_action(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    """The stream can draw the next turn before the answer arrives."""
    page = new_page(chrome, errors, DESK)
    sit_down(page, live.address)
    my_turn(page)
    late = Late(page, "**/act")
    at = number(page)
    page.keyboard.type("3n")
    page.keyboard.press("Enter")
    moved_on(page, at)
    page.wait_for_selector(f"{TURN} {CARD}")
    at = number(page)
    page.keyboard.type((page.get_attribute(CARD, "data-card") or "").lower())
    page.keyboard.press("Enter")
    late.let_through()
    moved_on(page, at)
    page.context.close()


def test_a_card_played_in_the_moment_it_is_drawn(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    declare(page, live.address, tricks=11)
    page.evaluate(
        """() => new MutationObserver(() => {
          const first = document.querySelector("[data-turn='1'] button.card:not(:disabled)");
          if (first) { first.focus(); first.click(); }
        }).observe(document.getElementById("board"), { childList: true, subtree: true })"""
    )
    page.click(CARD)
    page.wait_for_selector(".result")
    page.context.close()


def test_half_a_card_typed_before_the_table_is_drawn_again(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    maker, friend = (new_page(chrome, errors, DESK) for _ in range(2))
    open_table(maker, live.address)
    join(friend, maker.url, "N", "Friend")
    start(maker, 1)
    friend.wait_for_selector(".felt")
    while whose_turn(maker, friend) is friend:
        at = number(friend)
        friend.click("#call-Pass")
        moved_on(friend, at)
    maker.wait_for_selector(f"{TURN} #box")
    at = number(maker)
    maker.keyboard.press("7")
    friend.click("#leave summary")
    friend.click("#leave button")
    moved_on(maker, at)
    maker.keyboard.press("n")
    focused(maker, "call-7NT")
    for page in (maker, friend):
        page.context.close()


def test_steps_asked_for_before_the_answer_to_the_last_one(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    page.goto(f"{live.address}/algorithm?hand=AKQ2.K93.A92.KQ5&dummy=743.AQ5.KT43.J93")
    late = Late(page, "**/algorithm?*step=1")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    late.let_through()
    page.wait_for_url("**step=4")
    page.wait_for_url("**step=3")
    page.context.close()


def _ranks_in_sight(page: Page) -> bool:
    """Whether no card hides the rank of another card in its hand, wherever the focus is."""
    found: bool = page.locator(f"{TURN} .card").evaluate_all(
        """cards => cards.every(card => {
          const { left, top, width, height } = card.getBoundingClientRect();
          return card.contains(document.elementFromPoint(left + width * .12, top + height * .15));
        })"""
    )
    return found


def _nothing_happens(page: Page, entry: str) -> str:
    """Type something that cannot be chosen, and Enter; the line that says why."""
    at = number(page)
    page.evaluate("document.getElementById('toast').replaceChildren()")
    page.keyboard.type(entry)
    page.keyboard.press("Enter")
    page.wait_for_timeout(600)  # longer than a server takes for an action
    assert number(page) == at, entry
    assert page.evaluate("document.activeElement.closest('button')") is None, entry
    return page.inner_text("#toast")


def test_a_bid_that_is_too_low_makes_no_other_call(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    maker, friend = (new_page(chrome, errors, DESK) for _ in range(2))
    open_table(maker, live.address)
    join(friend, maker.url, "N", "Friend")
    start(maker, 1)
    friend.wait_for_selector(".felt")
    page = whose_turn(maker, friend)
    at = number(page)
    page.keyboard.type("2d")
    page.keyboard.press("Enter")
    moved_on(page, at)
    page = whose_turn(maker, friend)
    page.wait_for_selector("#calls td .bid")
    standing = page.inner_text("#calls tr:last-child td:not(:empty) .bid >> nth=-1").strip()
    again = standing[0] + TYPED[standing[1:]]
    assert _nothing_happens(page, again) == f"{standing} is not higher than {standing}"
    assert _nothing_happens(page, "1n") == f"1NT is not higher than {standing}"
    for entry in ("1", "zz", "n", "xx"):  # Enter after half an entry, too
        assert _nothing_happens(page, entry), entry
    # A bid that can be made is made, and arrows select calls.
    page.keyboard.press("ArrowRight")
    focused(page, "call-Pass")
    at = number(page)
    page.keyboard.type("7n")
    focused(page, "call-7NT")
    page.keyboard.press("Enter")
    moved_on(page, at)
    for page in (maker, friend):
        page.context.close()


def test_a_card_that_cannot_be_played_plays_no_other(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    declare(page, live.address)
    at = number(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")  # from now on the page gives the focus to the first card
    moved_on(page, at)
    page.wait_for_selector(f"{TURN} {CARD}:focus")
    assert _ranks_in_sight(page)
    own = page.eval_on_selector_all(".hand [data-card]", "all => all.map(one => one.dataset.card)")
    missing = next(f"S{rank}" for rank in "KQJ98765432A" if f"S{rank}" not in own)
    assert _nothing_happens(page, missing.lower()) == f"♠{missing[1]} is not in this hand"
    page.keyboard.press("Tab")
    page.wait_for_selector(f"{TURN} {CARD}:focus")
    for entry in ("zz", "9n", "h1"):
        if entry != "h1" or "HT" not in own:
            assert _nothing_happens(page, entry), entry
    # Nothing has the focus when the table is drawn again, either.
    page.evaluate("""document.dispatchEvent(new CustomEvent("table:before")),
      document.activeElement.blur(),
      document.dispatchEvent(new CustomEvent("table:drawn", { detail: {
        before: { turn: true }, after: { turn: true, title: document.title } } }))""")
    assert page.evaluate("document.activeElement.closest('button')") is None
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(f"{TURN} {CARD}:focus")
    page.keyboard.press("Enter")
    moved_on(page, at + 1)
    page.context.close()


def test_a_ten_is_typed_as_it_is_written(live: Live, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, DESK)
    tens = f"{CARD}[data-card$=T]"
    while not page.query_selector(tens):
        declare(page, live.address)
    card = page.get_attribute(tens, "data-card") or ""
    page.keyboard.type(f"{card[0].lower()}10")
    focused(page, f"card-{card}")
    page.context.close()
