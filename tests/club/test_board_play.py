"""Playing on the board: motion, sound, settings, dragging, and what happens when nobody answers."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.club.browsing import (
    BROWSER_TESTS,
    CARD,
    TURN,
    call,
    declare,
    declares,
    focused,
    join,
    moved_on,
    my_turn,
    new_page,
    number,
    open_table,
    play,
    sit_down,
    start,
    to_dummy,
    whose_turn,
)
from tests.club.live import Live

pytestmark = BROWSER_TESTS

DESK, PHONE = (1280, 860), (390, 844)
MOVING = """() => document.getAnimations()
  .filter(a => /^(move|arrive|leave)$/.test(a.animationName))
  .map(a => a.animationName + ' ' + (a.effect.target.dataset.card || ''))"""


def test_a_card_flies_to_the_trick_and_only_cards_in_sight_move(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK, speed="slow")
    declare(page, live.address)
    card = page.get_attribute(CARD, "data-card")
    page.evaluate(  # looks at every frame: on a busy machine the flight is over before one can ask
        "name => { window.seen = []; const look = () => {"
        f" const moving = ({MOVING})(), sight = '#hand .card, #dummy .card, .trick .card';"
        " seen.push([moving, [...document.querySelectorAll(sight)].map(e => e.dataset.card)]);"
        " if (!moving.includes('move ' + name)) requestAnimationFrame(look); }; look(); }",
        card,
    )
    play(page)
    page.wait_for_function("flight => seen.at(-1)[0].includes(flight)", arg=f"move {card}")
    for moving, in_sight in page.evaluate("seen"):
        assert {one.split(" ")[1] for one in moving} <= {*in_sight, ""}
    page.wait_for_selector(f".trick [data-card={card}]:not(.moved)")
    page.context.close()


def test_a_trick_goes_to_whoever_won_it(live: Live, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, DESK, speed="slow")
    declare(page, live.address)
    page.evaluate(
        "() => { const look = () => { window.left = document.querySelector('.leaving');"
        " if (!window.left) requestAnimationFrame(look); }; look(); }"
    )
    for _ in range(3):  # a trick is complete at the latest after two cards of one's own
        play(page)
        my_turn(page)
    page.wait_for_function("() => window.left")
    spots = page.evaluate("[...left.classList]")
    assert set(spots) & {"left", "right", "top", "bottom"}
    assert page.evaluate("[left.ariaHidden, 'card' in left.dataset]") == ["true", False]
    page.wait_for_selector(".leaving", state="detached")
    page.context.close()


def test_a_card_sets_out_before_the_answer_and_comes_back_if_it_is_refused(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK, speed="fast")
    declare(page, live.address)
    asked: list[Route] = []
    page.route("**/act", lambda route: asked.append(route))
    card = page.locator(CARD).first
    name, at = card.get_attribute("data-card"), number(page)
    same = page.locator(f"button[data-card={name}]")
    begun = same.bounding_box()
    assert begun is not None
    same.click()
    page.mouse.move(2, 2)  # the card does not follow
    spot = same.evaluate("card => card.closest('.side').id.slice(5)")
    goal = page.locator(f".slot.{spot}").bounding_box()
    assert goal is not None
    away = abs(goal["y"] - begun["y"]) / 2  # more than the lift of a card with the focus
    near = "([name, y, away]) => { const card = document.querySelector(`[data-card=${name}]`);"
    near += " return Math.abs(card.getBoundingClientRect().y - y) < away; }"
    page.wait_for_function(near, arg=[name, goal["y"], away])
    assert number(page) == at
    asked.pop().fulfill(status=422, body="not that card")
    page.wait_for_function(near, arg=[name, begun["y"], away])
    focused(page, f"card-{name}")
    page.unroute("**/act")
    play(page)
    page.context.close()


def to_lead(view: dict[str, Any]) -> str | None:
    """Declare, and play until a trick is complete and the next one is to be led."""
    return None if view["tricks"] and not view["trick"] else declares(tricks=13)(view)


def test_a_lead_lands_when_the_last_trick_is_gone(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK, speed="slow")
    sit_down(page, live.address, choose=to_lead)
    asked: list[Route] = []
    page.route("**/act", lambda route: asked.append(route))
    lying = page.locator(".trick.closed .card:visible")
    expect(lying).to_have_count(4)
    page.click(CARD)
    expect(lying).to_have_count(0)  # while the card is on its way, and there is no answer yet
    page.wait_for_selector(".leaving", state="detached")
    asked.pop().fulfill(status=422, body="not that card")
    expect(lying).to_have_count(4)
    page.context.close()


@pytest.mark.parametrize(
    "quiet", [{"reduced_motion": "reduce", "speed": "normal"}, {"speed": "off"}]
)
def test_no_motion_for_those_who_want_none(
    live: Live, chrome: Browser, errors: list[str], quiet: dict[str, str]
) -> None:
    page = new_page(chrome, errors, DESK, **quiet)
    declare(page, live.address)
    play(page)
    assert page.evaluate(MOVING) == []
    assert page.locator(".moved, .arriving, .leaving").count() == 0
    page.context.close()


def test_the_thirteenth_trick_stays_until_it_is_seen(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    declare(page, live.address, tricks=12)
    page.evaluate(  # only the player's own sign ends it
        "() => { const later = setTimeout;"
        " window.setTimeout = (then, wait) => then.name === 'finale' ? 0 : later(then, wait) }"
    )
    while page.query_selector(".ended") is None:
        play(page)
        page.wait_for_selector(f"{TURN}, .ended")
    expect(page.locator(".trick .card:visible")).to_have_count(4)
    expect(page.locator(".result")).to_be_hidden()
    page.keyboard.press("Shift")
    page.wait_for_selector(".result")
    expect(page.locator(".trick .card:visible")).to_have_count(0)
    page.context.close()


def test_on_dummys_turn_the_own_hand_says_why_it_waits(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    sit_down(page, live.address, choose=to_dummy)
    expect(page.locator(".why")).to_have_text("Dummy’s turn")
    assert page.query_selector_all("#hand button") == []
    assert page.query_selector(".side.bottom.idle") is not None
    page.context.close()


def test_seats_keep_their_place_from_auction_to_play(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    sit_down(page, live.address, strategy="points+maxims")

    def seats() -> dict[str, str]:
        return {
            spot: page.inner_text(f".side.{spot} .plate b") for spot in ("left", "right", "bottom")
        }

    before = seats()
    assert before == {"left": "Walter", "right": "Maud", "bottom": "Guest"}
    href = page.locator(".side.left .avatar use").get_attribute("href")
    assert href is not None
    assert href.endswith("#walter")
    assert "points+maxims" not in page.inner_text("body")
    while my_turn(page) and page.query_selector("#box"):
        at = number(page)
        call(page, "Pass")
        moved_on(page, at)
    page.wait_for_selector("#dummy, .result")
    assert seats() == before
    assert page.inner_text(".side.top .plate b") in ("Dummy", "Hidden hand")
    page.context.close()


def test_a_double_click_plays_one_card(live: Live, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, DESK)
    declare(page, live.address)
    play(page)
    my_turn(page)
    at, box = number(page), page.locator(CARD).first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 12, box["y"] + 12)  # as if this card had come under the mouse
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    page.wait_for_timeout(100)
    assert number(page) == at
    play(page)  # a click of its own plays it
    page.context.close()


def test_a_card_can_be_dragged_to_the_middle(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    declare(page, live.address)
    at, card = number(page), page.locator(CARD).first
    name = card.get_attribute("data-card")
    box, middle = card.bounding_box(), page.locator(".centre").bounding_box()
    assert box is not None
    assert middle is not None

    def drag(x: float, y: float) -> None:
        page.mouse.move(box["x"] + 10, box["y"] + 20)
        page.mouse.down()
        page.mouse.move(x, y, steps=5)
        page.mouse.up()

    drag(box["x"] + 40, box["y"] + 25)  # let go over the hand: nothing is played
    assert number(page) == at
    assert page.locator(f"button[data-card={name}]").bounding_box() == pytest.approx(box, abs=20)
    drag(middle["x"] + middle["width"] / 2, middle["y"] + middle["height"] / 2)
    moved_on(page, at)
    expect(page.locator(f"button[data-card={name}]")).to_have_count(0)
    page.context.close()


def test_a_card_can_be_dragged_with_a_finger(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, PHONE, has_touch=True, is_mobile=True)
    declare(page, live.address)
    at, card = number(page), page.locator(CARD).first
    name = card.get_attribute("data-card")
    box, middle = card.bounding_box(), page.locator(".centre").bounding_box()
    assert box is not None
    assert middle is not None
    touch = page.context.new_cdp_session(page)

    def drag(x: float, y: float) -> None:
        start = box["x"] + 8, box["y"] + box["height"] / 2
        for step in range(6):  # real touches: the browser may take them for scrolling
            kind = "touchMove" if step else "touchStart"
            now = [a + (b - a) * step / 5 for a, b in zip(start, (x, y), strict=True)]
            points = [{"x": now[0], "y": now[1]}]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    drag(box["x"] + 40, box["y"] + box["height"] / 2)  # let go over the hand: nothing is played
    page.wait_for_timeout(100)
    assert number(page) == at
    drag(middle["x"] + middle["width"] / 2, middle["y"] + middle["height"] / 2)
    moved_on(page, at)
    expect(page.locator(f"button[data-card={name}]")).to_have_count(0)
    page.context.close()


def test_settings_are_remembered_and_take_effect(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    sit_down(page, live.address)
    my_turn(page)
    assert page.evaluate("'sound' in document.documentElement.dataset") is False
    page.click("[data-dialog=settings]")
    page.check("#settings [data-setting=four]")
    page.click("#settings label:has([data-setting=felt][value=blue])")
    page.click("#settings label:has([data-setting=backs][value=red])")
    with page.expect_navigation():
        page.select_option("#settings [data-setting=order]", "rising")
    page.wait_for_selector("#hand .card")
    chosen = page.evaluate("({ ...document.documentElement.dataset })")
    assert (chosen["four"], chosen["felt"], chosen["backs"]) == ("1", "blue", "red")
    names = page.eval_on_selector_all("#hand .card", "cards => cards.map(c => c.dataset.card)")
    ranks = "23456789TJQKA"
    assert names == sorted(names, key=lambda name: ("CDHS".index(name[0]), ranks.index(name[1])))
    page.click("[data-dialog=settings]")
    expect(page.locator("#settings [data-setting=order]")).to_have_value("rising")
    expect(page.locator("#settings [data-setting=four]")).to_be_checked()
    expect(page.locator("#settings [data-setting=felt][value=blue]")).to_be_checked()
    page.context.close()


def test_sound_is_off_until_asked_for(live: Live, chrome: Browser, errors: list[str]) -> None:
    page = new_page(chrome, errors, DESK)
    page.add_init_script(
        "window.heard = []; document.addEventListener('table:sound', e => heard.push(e.detail))"
    )
    declare(page, live.address)
    play(page)
    assert page.evaluate("heard") == []
    page.click(".bar [data-setting=sound]")
    heard = "['card', 'trick', 'turn'].every(sound => heard.includes(sound))"
    for _ in range(3):  # a trick is complete at the latest after three cards of one's own
        my_turn(page)
        if page.evaluate(heard):
            break
        play(page)
    page.wait_for_function(heard)
    page.reload()
    page.wait_for_selector(".bar [data-setting=sound][aria-pressed='true']")
    page.context.close()


def test_a_forced_card_plays_itself_if_the_player_wants(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    declare(page, live.address, tricks=11)
    page.evaluate("document.documentElement.dataset.auto = '1'")
    play(page)  # the setting counts from the next board on
    forced = 0
    while my_turn(page):
        at = number(page)  # before the card is gone
        if page.locator(CARD).count() == 1:
            forced += 1
            moved_on(page, at)
        else:
            play(page)
    assert forced
    page.context.close()


def test_the_tab_says_whose_turn_it_is(live: Live, chrome: Browser, errors: list[str]) -> None:
    maker, friend = (new_page(chrome, errors, DESK) for _ in range(2))
    open_table(maker, live.address)
    join(friend, maker.url, "N", "Friend")
    start(maker, 1)
    friend.wait_for_selector(".felt")
    turn = whose_turn(maker, friend)
    other = friend if turn is maker else maker
    expect(turn).to_have_title("▶ Your call · Tribridge")
    turn.wait_for_selector("#icon[href*='icon-turn.svg']", state="attached")
    expect(other).to_have_title("Table · Tribridge")
    other.wait_for_selector("#icon[href*='icon.svg']", state="attached")
    at = number(turn)
    call(turn, "Pass")
    moved_on(turn, at)
    expect(turn).to_have_title("Table · Tribridge")
    for page in (maker, friend):
        page.context.close()


def test_an_action_without_an_answer_is_sent_again(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    declare(page, live.address)
    lost: list[str] = []

    def lose(route: Route) -> None:
        if len(lost) < 2:
            lost.append(route.request.url)
            route.abort()
        else:
            route.continue_()

    page.route("**/act", lose)
    at = number(page)
    page.click(CARD)
    page.wait_for_selector("#offline:has-text('Trying again')")
    moved_on(page, at)
    page.wait_for_selector("#offline", state="hidden")
    assert len(lost) == 2
    page.context.close()


def test_a_lost_connection_is_told_beside_the_table(
    live: Live, chrome: Browser, errors: list[str]
) -> None:
    page = new_page(chrome, errors, DESK)
    declare(page, live.address)
    page.evaluate("document.dispatchEvent(new Event('htmx:sseError'))")
    told = page.locator("#offline")
    for width, height in ((320, 568), (360, 740), (844, 390), DESK):
        page.set_viewport_size({"width": width, "height": height})
        box, board = told.bounding_box(), page.locator("#board").bounding_box()
        assert box is not None
        assert board is not None
        assert box["y"] + box["height"] <= board["y"], (width, height)
        assert told.evaluate("e => e.scrollHeight <= e.clientHeight"), (width, height)
    page.context.close()
