"""The parts of a board: together they are the board, and only those that change are sent."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from html import escape
from html.parser import HTMLParser
from itertools import chain, zip_longest
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jinja2 import Environment
from markupsafe import Markup

from tests.club.ears import Ear
from tests.club.helpers import running
from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat, three
from tribridge.club.core.events import (
    Act,
    Chat,
    ClaimTricks,
    Event,
    Lapsed,
    NextDeal,
    Onward,
    Opened,
    Started,
)
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.state import Options, Place, State
from tribridge.club.language import Text, speaking, translated
from tribridge.club.pages import templates
from tribridge.club.pages.board import Follower, board_html
from tribridge.club.server.access import packed
from tribridge.club.view import board
from tribridge.club.view.parts import parts_of
from tribridge.club.view.table import seat_view
from tribridge.game import Bid
from tribridge.game.view_json import action_name

pytestmark = pytest.mark.anyio

VIEWERS: tuple[Seat | None, ...] = (*Seat, None)
VOID = {"input", "br"}


@dataclass
class Element:
    """An element of a page."""

    tag: str
    attributes: dict[str, str | None]
    children: list[Element | str] = field(default_factory=list)

    def shown(self) -> Any:
        """All of it, without space between elements."""
        inside = [one.strip() if isinstance(one, str) else one.shown() for one in self.children]
        return self.tag, self.attributes, [one for one in inside if one]

    def all(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.all()

    def put(self, part: Element) -> None:
        """Replace the element that has the id of a part."""
        places = [
            (element, at)
            for element in self.all()
            for at, child in enumerate(element.children)
            if isinstance(child, Element) and child.attributes.get("id") == part.attributes["id"]
        ]
        ((element, at),) = places
        element.children[at] = part


class Page(HTMLParser):
    """Reads elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open = [Element("", {})]
        self.feed(text)
        (self.board,) = (one for one in self.open[0].children if isinstance(one, Element))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, dict(attrs))
        self.open[-1].children.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


class Browser:
    """A page that follows a table as the script of the page does."""

    def __init__(self) -> None:
        self.follower, self.board, self.whole = Follower(), Element("", {}), 0

    def draw(self, view: Any) -> str:
        """Draw what the server sends of a view."""
        html = self.follower.draw(view)
        sent = Page(html).board
        since = sent.attributes.pop("data-from", None)
        if since is None:
            self.whole, self.board = self.whole + 1, sent
            return html
        assert since == self.board.attributes["data-number"]
        self.board.attributes = sent.attributes
        for part in sent.children:
            if isinstance(part, Element):
                self.board.put(part)
        return html


def opened(**plan: Any) -> State:
    """A table of three people before its first deal."""
    people = [Place(f"P<{seat.letter}>", "pass+random", person=True) for seat in Seat]
    north, east, south = people
    options = Options(turn_seconds=60).checked()
    return Opened(MatchPlan(**plan).checked(), (north, east, south), 1, options).state()


def after(state: State, event: Event) -> State:
    """A state after one more event."""
    return event.count(event.fold(state))


def game(random: Random, **plan: Any) -> Iterator[State]:
    """The states of a table during a deal and the next auction, with claims and messages."""
    yield (state := opened(**plan))
    state = after(state, Started())
    for _ in range(70):
        yield state
        if state.over:
            return
        if state.closed:
            yield (state := after(state, Onward(Seat.NORTH)))
            state = after(state, NextDeal())
            continue
        if state.turn is not None and state.may_claim(state.turn) and random.random() < 0.1:
            yield (state := after(state, ClaimTricks(state.turn, 1)))
            yield (state := after(state, Lapsed()))
        if random.random() < 0.1:
            yield (state := after(state, Chat("Hello!", Seat.NORTH)))
        table, turn = state.table, state.turn
        assert table is not None
        assert turn is not None
        legal = table.legal
        quiet = table.position is None and random.random() < 0.5
        action = legal[0] if quiet else random.choice(legal[:9])
        state = after(state, Act(turn, action_name(action)))


@pytest.mark.slow
@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.full)])
@pytest.mark.parametrize(("language", "laws"), [("en", None), ("de", "auction-rubber")])
def test_what_is_sent_of_a_board_makes_the_board_as_it_is_drawn_whole(
    language: str, laws: str | None, thorough: bool
) -> None:
    browsers, states = {seat: Browser() for seat in VIEWERS}, 0
    with speaking(language):
        for state in game(Random(5), seed=5, deals=2, laws=laws, doubles=True):
            states += 1
            for at, (seat, browser) in enumerate(browsers.items()):
                view = seat_view("t", state, seat)
                browser.draw(view)
                if thorough or (states + at) % len(browsers) == 0:  # one viewer after the other
                    assert browser.board.shown() == Page(board_html(view)).board.shown()
    assert states > 60
    assert all(browser.whole < 8 for browser in browsers.values())  # once for each phase


def test_cards_keep_their_order_from_the_lead_to_the_last_trick() -> None:
    held: dict[tuple[Seat | None, str], list[Card]] = {}
    for state in chain.from_iterable(game(Random(seed), seed=seed) for seed in range(4)):
        if state.table is None or state.table.position is None or state.closed:
            held.clear()
            continue
        for seat in VIEWERS:
            for side in board.sides_of(seat_view("t", state, seat))[0]:
                before = held.setdefault((seat, side.spot), list(side.cards))
                assert list(side.cards) == [card for card in before if card in side.cards]


def test_a_suit_stays_in_its_row_while_cards_are_played() -> None:
    narrow = 0
    for seed in range(4):
        rows: dict[tuple[Seat | None, str], set[Card]] = {}
        for state in game(Random(seed), seed=seed):
            if state.table is None or state.table.position is None or state.closed:
                rows.clear()
                continue
            for seat in VIEWERS:
                for side in board.sides_of(seat_view("t", state, seat))[0]:
                    if len(side.cards) <= 7:  # one row
                        continue
                    first = set(side.cards[: side.second_row])
                    assert first <= rows.setdefault((seat, side.spot), first)
                    assert max(len(first), len(side.cards) - len(first)) <= 9
                    narrow += 1
    assert narrow > 100


def test_the_places_of_a_trick_say_who_plays_when() -> None:
    """Where an opponent declares, a trick does not go round the table."""
    marked = 0
    for state in chain.from_iterable(game(Random(seed), seed=seed) for seed in range(4)):
        if state.table is None or state.table.position is None or state.closed:
            continue
        for viewer in VIEWERS:
            seen = seat_view("t", state, viewer)
            slots = board.sides_of(seen)[1]
            assert seen.game is not None
            last = seen.game.tricks[-1].cards if seen.game.tricks else ()
            played, html = seen.trick or last, board_html(seen)
            by_order = {slot.order: slot.card for slot in slots}
            assert by_order == dict(zip_longest(range(1, 5), played))
            for at, card in enumerate(played, 1):
                shown = f'data-card="{card.name}" data-order="{at}".*?aria-label="(.*?)"'
                (label,) = re.findall(shown, html, re.DOTALL)
                assert (", led" in label) is (at == 1)
                marked += 1
    assert marked > 80


def test_nothing_in_the_panel_comes_and_goes_while_cards_are_played() -> None:
    for viewer in Seat:
        there: dict[int, set[str]] = {}
        for state in chain.from_iterable(game(Random(seed), seed=seed) for seed in range(4)):
            if state.table is None or state.table.position is None or state.closed:
                there.clear()
                continue
            html = board_html(seat_view("t", state, viewer))
            boxes = set(re.findall('<details id="(.*?)"', html))
            assert there.setdefault(state.deal, boxes) == boxes
            assert boxes >= {"last-trick", "claim"}


def test_undo_has_its_place_before_there_is_anything_to_undo() -> None:
    state = opened()
    places = three(
        replace(place, person=seat is Seat.SOUTH)
        for seat, place in zip(Seat, state.places, strict=True)
    )
    alone = replace(state, places=places, options=Options())
    for begun, offered in ((alone, True), (state, False)):
        begun = after(begun, Started())
        for calls in range(4):
            html = board_html(seat_view("t", begun, Seat.SOUTH))
            assert ('id="undo"' in html) is offered
            assert ('id="undo" disabled' in html) is (offered and calls < 3)
            assert begun.turn is not None
            begun = after(begun, Act(begun.turn, f"{calls + 1}C"))


def test_a_call_that_was_made_is_not_named_like_the_button_that_makes_it() -> None:
    for state in game(Random(1), seed=1):
        seen = seat_view("t", state, Seat.SOUTH)
        if not seen.calls:
            continue
        html = board_html(seen)
        made = re.findall(r'class="called".*?aria-label="(.*?)"', html, re.DOTALL)
        first = seen.calls[0]
        assert seen.dealer is not None
        assert not isinstance(first, Card)
        caller = escape(seen.on_plates[seen.dealer])
        assert made[0].startswith(f"{caller}, {board.bid_words(first)}: ")
        assert len(made) == len(seen.calls)


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """A function after which boards are drawn by Jinja as it is, every part each time."""

    def forget() -> None:
        templates.macro.cache_clear()

    def draw_anew() -> None:
        plain = templates.environment(Environment, templates._shown)
        monkeypatch.setattr(templates, "_environment", lambda: plain)
        monkeypatch.setattr(templates, "_drawn", templates._drawn.__wrapped__)
        monkeypatch.setattr(board, "_meanings", board._meanings.__wrapped__)
        forget()

    yield draw_anew
    monkeypatch.undo()
    forget()


@pytest.mark.slow
@pytest.mark.parametrize("laws", [None, "auction-rubber"])
def test_boards_are_what_jinja_draws_without_what_is_kept(
    laws: str | None, anew: Callable[[], None]
) -> None:
    states = list(game(Random(7), seed=7, deals=2, laws=laws, doubles=True))

    def drawn() -> list[str]:
        found = []
        followers = {(seat, code): Follower() for seat in VIEWERS for code in ("en", "de")}
        for state in states:  # all languages and viewers at once, as at a server
            for (seat, code), follower in followers.items():
                with speaking(code):
                    found.append(str(follower.draw(seat_view("t", state, seat))))
        return found

    quick = drawn()
    anew()
    assert quick == drawn()


@pytest.mark.parametrize(
    "value",
    [
        "<b>",
        "'\"&",
        Markup("<b>"),
        7,
        0.5,
        Fraction(1, 2),
        None,
        Text("<{name}>", name="&"),
        Bid("1S"),
    ],
)
def test_a_template_escapes_what_jinja_escapes(value: object) -> None:
    quick = templates.environment(templates._Environment, templates._written)
    plain = templates.environment(Environment, templates._shown)
    for text in ("{{ v }}", "{% macro m(v) %}{{ v }}{% endmacro %}{{ m(v) }}{{ m(m(v)) }}"):
        made = quick.from_string(text).render(v=value)
        assert made == plain.from_string(text).render(v=value)
        assert type(value) is Markup or "<" not in made


def test_what_has_not_changed_is_not_sent() -> None:
    state, browsers = after(opened(seed=5), Started()), {seat: Browser() for seat in Seat}
    for call in ("1C", "Pass"):
        for seat, browser in browsers.items():
            browser.draw(seat_view("t", state, seat))
        assert state.turn is not None
        state = after(state, Act(state.turn, call))
    sent = {seat: browser.draw(seat_view("t", state, seat)) for seat, browser in browsers.items()}
    assert 'id="hand"' not in sent[Seat.NORTH]  # East has passed, and South is to call
    assert 'id="box"' not in sent[Seat.NORTH]
    assert 'name="action"' in sent[Seat.SOUTH]
    for message in sent.values():
        assert 'id="calls"' in message
        assert 'id="sheet"' not in message


async def _texts(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


async def test_each_event_of_a_packed_stream_can_be_read_at_once() -> None:
    texts = [f"event: table\ndata: {'the same board ' * 200}{n}\n\n" for n in range(5)]
    unpack = zlib.decompressobj(31)
    sizes = []
    async for data in packed(_texts(*texts)):
        sizes.append(len(data))
        assert unpack.decompress(data).decode() == texts[len(sizes) - 1]
    assert max(sizes[1:]) < 100  # what was there before costs next to nothing


async def test_the_length_of_a_message_says_nothing_about_the_boards_around_it() -> None:
    hands = ("queen of hearts, ace of spades", "seven of clubs, nine of diamonds")
    lengths = {}
    for held in hands:
        for guess in hands:
            board, chat = f"event: table\ndata: {held}\n\n", f"event: chat\ndata: {guess}\n\n"
            texts = _texts(board, chat, board)
            lengths[held, guess] = [len(data) async for data in packed(texts)]
    for one in hands:
        assert len({lengths[held, one][1] for held in hands}) == 1
        assert len({lengths[one, guess][2] for guess in hands}) == 1


async def test_a_stream_is_packed_for_those_who_can_unpack_it(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        places = [Place(s.letter, "pass+random", person=True) for s in Seat]
        room = await client.server.rooms.open(MatchPlan(1), places)
        for path in (f"/table/{room.name}/stream", f"/api/tables/{room.name}/events"):
            plain, unpacked = Ear(), Ear(packed=True)
            async with (
                asyncio.timeout(60),  # what is not packed is never unpacked
                plain.at(app, path, {}),
                unpacked.at(app, path, {"accept-encoding": "gzip, br"}),
            ):
                for ear in (plain, unpacked):
                    while not any("event: presence" in text for text in ear.heard):
                        ear.more.clear()
                        await ear.more.wait()
            assert "content-encoding" not in plain.heard[0]
            assert "gzip" in unpacked.heard[0]
            boards = [
                text[: text.index("event: presence")]
                for ear in (plain, unpacked)
                for text in ear.heard
                if "event: table" in text
            ]
            assert boards[0] == boards[1]


async def test_a_page_with_a_stream_is_answered_by_it(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        places = [Place(s.letter, "pass+random", person=True) for s in Seat]
        room = await client.server.rooms.open(MatchPlan(1), places)
        for number, headers in enumerate(({"board-stream": "1"}, {})):
            seat = room.state.turn
            assert seat is not None
            answer = await client.post(
                f"/table/{room.name}/act",
                data={"action": "Pass", "at": room.state.number},
                headers={
                    "cookie": f"seat-{room.name}={client.server.rooms.token(room, seat)}",
                    "hx-request": "true",
                    **headers,
                },
            )
            assert answer.status_code == (200 if number else 204)
            assert bool(answer.text) == bool(number)


@pytest.mark.parametrize(
    ("seat", "people", "plan", "challenge", "calls"),
    [
        (Seat.SOUTH, "S", {}, None, 3),
        (None, "S", {}, None, 3),
        (Seat.SOUTH, "NS", {}, None, 3),
        (Seat.SOUTH, "S", {"deals": 2}, None, 3),
        (Seat.SOUTH, "S", {"laws": "auction-rubber"}, None, 3),
        (Seat.SOUTH, "S", {"seed": 1}, None, 3),
        (Seat.SOUTH, "S", {}, "x", 3),
        (Seat.SOUTH, "S", {}, None, 2),
    ],
)
def test_a_single_deal_against_bots_that_all_pass_is_dealt_again(
    seat: Seat | None, people: str, plan: dict[str, Any], challenge: str | None, calls: int
) -> None:
    state = opened(**({"deals": 1} | plan))
    seated = zip(Seat, state.places, strict=True)
    places = three(replace(place, person=one.letter in people) for one, place in seated)
    state = replace(state, places=places, options=Options(challenge=challenge))
    state = after(state, Started())
    for _ in range(calls):
        assert state.turn is not None
        state = after(state, Act(state.turn, "Pass"))
    view = seat_view("t", state, seat)
    plain = (seat, people, plan, challenge, calls) == (Seat.SOUTH, "S", {}, None, 3)
    assert view.dealt_again == plain == ("data-soon" in board_html(view))


@pytest.mark.parametrize("language", ["en", "de"])
def test_whoever_has_given_no_name_is_called_you_on_their_own_board_alone(language: str) -> None:
    with speaking(language):
        names = [translated(seat) for seat in Seat]
        state = opened(laws="auction-rubber", doubles=True)
        seated = zip(names, state.places, strict=True)
        state = replace(state, places=three(replace(at, name=name) for name, at in seated))
        state = after(state, Started())
        acts: list[Any] = ["1C", "1H", "Pass", "2C", "Pass", "X", "Pass", "Pass"]
        acts += [ClaimTricks(Seat.EAST, 3), Lapsed(), *[None] * 52]
        for act in acts:
            action = act
            if not isinstance(act, Event):
                assert state.turn is not None
                assert state.table is not None
                action = Act(state.turn, act or action_name(state.table.legal[0]))
            state = after(state, action)
            for seat in VIEWERS:
                parts = parts_of(seat_view("t", state, seat))
                parts.pop("log", None)
                html = "".join(templates.drawn(*part) for part in parts.values())
                called = [name for name in names if re.search(rf"\b{name}\b", html)]
                assert called == [
                    name for name, one in zip(names, Seat, strict=True) if one is not seat
                ]
