"""No seat is sent a card that it may not know: in pages, events, answers, logs or ids.

Two tests that do not trust each other. One reads all bytes that the server sends to each seat over
hundreds of random games and looks for the name of a hidden card in any spelling. The other deals
the hidden cards anew behind a seat's back and asks that not one byte of what it is sent changes,
which finds a leak in any spelling at all.
"""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fastapi import FastAPI

from tests.web.helpers import Client, run, running
from tribridge.cards import Card, Deck, Hand, parse_card
from tribridge.deals import HIDDEN, Deal, Seat
from tribridge.game import view
from tribridge.web import stream
from tribridge.web.access import board
from tribridge.web.api import _seen
from tribridge.web.events import action_name, spoken
from tribridge.web.rooms import MatchPlan, Room
from tribridge.web.state import State

SMALL_GAMES = 200
FULL_GAMES = 6
SEATS: tuple[Seat | None, ...] = (*Seat, None)


_CARD = re.compile(
    # SK, ♠K, ♠ K; and KS, K♠ where that is no bid; and king of spades
    r"(?<![A-Za-z0-9])([CDHS♣♦♥♠])\s?([AKQJT2-9]|10)(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9])([AKQJT89]|10)\s?([CDHS♣♦♥♠])(?![A-Za-z0-9])"
    r"|(ace|king|queen|jack|ten|nine|eight|seven|six|five|four|three|two) of"
    r" (clubs|diamonds|hearts|spades)"
)
WORDS = {spoken(card): card for card in Hand(Deck(4, 13).mask)}


def cards_in(text: str) -> set[Card]:
    """All cards that a text names, in any spelling."""
    found = set()
    for suit, rank, first, second, word, of in _CARD.findall(text):
        if word:
            found.add(WORDS[f"{word} of {of}"])
        else:
            found.add(parse_card((suit or second) + (rank or first)))
    return found


def test_cards_are_found_in_any_spelling() -> None:
    king = parse_card("SK")
    for text in ('id="card-SK"', "♠K", "♠ K", "KS", "plays king of spades.", '{"a":["SK"]}', "K♠"):
        assert cards_in(text) == {king}, text
    assert cards_in("10♥ H10 HT") == {parse_card("HT")}
    assert cards_in("7♠ 2H 1NT call-3D SKY DESK <td> <th> 4 5") == set()


def may_know(state: State, seat: Seat | None) -> Hand:
    """What a seat may know, worked out from the deal and not from the view."""
    table = state.table
    assert table is not None
    if state.closed:
        return Hand(table.deal.deck.mask)
    known = Hand() if seat is None else table.deal.hands[seat]
    if table.play is not None:
        known = known | table.deal.hidden
        known = known | Hand.from_cards(
            [c for trick in table.play.tricks for c in trick.cards if c not in known]
            + [c for c in table.play.trick if c not in known]
        )
    return known


def hidden_cards(text: str, state: State, seat: Seat | None) -> list[Card]:
    """The cards in a text that a seat may not know."""
    known = may_know(state, seat)
    return [card for card in cards_in(text) if card not in known]


class Ear:
    """Hears all that a live stream sends, through the whole application."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.total = 0
        self.more = asyncio.Event()

    @asynccontextmanager
    async def at(self, app: FastAPI, path: str, headers: dict[str, str]) -> Any:
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
            "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b"",
            "root_path": "", "client": ("127.0.0.1", 1), "server": ("localhost", 80), "state": {},
            "headers": [(b"host", b"localhost")]
            + [(key.encode(), value.encode()) for key, value in headers.items()],
        }  # fmt: skip
        first = True

        async def receive() -> dict[str, Any]:
            nonlocal first
            if first:
                first = False
                return {"type": "http.request", "body": b"", "more_body": False}
            await asyncio.Event().wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                self.heard.append(repr(message["headers"]))
            else:
                self.heard.append(message.get("body", b"").decode())
                self.more.set()

        task = asyncio.ensure_future(app(scope, receive, send))  # type: ignore[arg-type]
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def take(self) -> str:
        """What was heard since the last time."""
        text = "".join(self.heard)
        self.heard.clear()
        self.total += len(text)
        return text


async def _listen_to_a_game(
    app: FastAPI, client: Client, random: Random, deck: str, json: bool
) -> tuple[int, int]:
    """Play a deal at random with an ear at every seat; bytes and events."""
    rooms = client.server.rooms
    places = [{"name": f"P{s.letter}", "strategy": "pass+random", "person": True} for s in Seat]
    plan = MatchPlan(random.getrandbits(40), deals=2, doubles=random.random() < 0.3, deck=deck)
    room = await rooms.open(plan, places)
    seed, events = str(room.state.match.seed), 0
    async with _ears(app, client, room, json) as ears:
        while not room.state.closed:
            await _settled(ears, room)
            _check(ears, room.state, seed)
            state = room.state
            table, seat = state.table, state.turn
            assert table is not None
            assert seat is not None
            legal = table.legal()
            quiet = table.play is None and random.random() < 0.45
            action = legal[0] if quiet else legal[int(random.random() * min(len(legal), 9))]
            answer = await client.post(
                f"/table/{room.name}/act",
                data={"action": action_name(action), "at": state.number},
                headers={
                    "cookie": f"seat-{room.name}={rooms.token(room, seat)}",
                    "hx-request": "true",
                },
            )
            assert answer.status_code == 200, answer.text
            assert not hidden_cards(answer.text, room.state, seat)
            events += 1
        await _settled(ears, room)
        for text in [ear.take() for ear in ears.values()]:
            assert seed not in text  # more deals of this seed are to come
    return sum(ear.total for ear in ears.values()), events


@asynccontextmanager
async def _ears(app: FastAPI, client: Client, room: Room, json: bool) -> Any:
    ears = {seat: Ear() for seat in SEATS}
    async with AsyncExitStack() as stack:
        for seat, ear in ears.items():
            token = "" if seat is None else client.server.rooms.token(room, seat)
            path, headers = f"/table/{room.name}/stream", {"cookie": f"seat-{room.name}={token}"}
            if json:
                path = f"/api/tables/{room.name}/events"
                headers = {"authorization": f"Bearer {token}"}
            await stack.enter_async_context(ear.at(app, path, headers))
        yield ears


async def _settled(ears: Any, room: Room) -> None:
    """Wait until every ear has heard of the last event."""
    mark = f"id: {room.state.number}\n"
    for ear in ears.values():
        while not any(mark in text for text in ear.heard):
            ear.more.clear()
            await ear.more.wait()


def _check(ears: Any, state: State, seed: str) -> None:
    for seat, ear in ears.items():
        text = ear.take()
        found = hidden_cards(text, state, seat)
        assert not found, (seat, found, text[:2000])
        assert seed not in text


def _games(tmp_path: Path, caplog: pytest.LogCaptureFixture, plan: list[str]) -> tuple[int, int]:
    async def test() -> tuple[int, int]:
        total, events = 0, 0
        async with running(tmp_path) as (app, client):
            for number, deck in enumerate(plan):
                json = number % 2 == 1
                heard, count = await _listen_to_a_game(app, client, Random(number), deck, json)
                total, events = total + heard, events + count
        return total, events

    with caplog.at_level(logging.DEBUG, logger="tribridge"):
        found = run(test())
    for record in caplog.records:
        if record.name.startswith("tribridge"):
            assert not cards_in(record.getMessage())
    return found


@pytest.mark.slow
def test_all_bytes_of_hundreds_of_small_games(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    total, events = _games(tmp_path, caplog, ["4x3"] * SMALL_GAMES)
    assert events > 10 * SMALL_GAMES
    assert total > 10_000_000  # the ears were open


@pytest.mark.slow
def test_all_bytes_of_full_games(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    total, _ = _games(tmp_path, caplog, ["4x13"] * FULL_GAMES)
    assert total > 5_000_000


def _behind_the_back(state: State, seat: Seat | None, random: Random) -> State:
    """The same table with the cards that a seat may not know dealt anew."""
    table = state.table
    assert table is not None
    known = may_know(state, seat)
    hands = table.deal.hands
    secret = [card for hand in hands for card in hand if card not in known]
    random.shuffle(secret)
    dealt = []
    for hand in hands:
        fixed = hand & known
        fresh = [secret.pop() for _ in range(len(hand) - len(fixed))]
        dealt.append(fixed | Hand.from_cards(fresh))
    other = Deal.of(dealt, table.deal.deck)
    assert other.hands[HIDDEN] == hands[HIDDEN] or table.play is None
    return replace(
        state,
        table=table.with_deal(other),
        match=replace(state.match, seed=random.getrandbits(40)),
        dice=random.getrandbits(40),
    )


@pytest.mark.parametrize("deck", ["4x13", "4x3"])
def test_cards_dealt_anew_behind_the_back_change_no_byte(tmp_path: Path, deck: str) -> None:
    async def test() -> int:
        compared = 0
        async with running(tmp_path) as (_, client):
            for number in range(4 if deck == "4x13" else 12):
                random = Random(number)
                places = [{"name": "P", "strategy": "random", "person": True} for _ in Seat]
                room = await client.server.rooms.open(MatchPlan(number, deck=deck), places)
                while not room.state.closed:
                    state = room.state
                    for seat in SEATS:
                        other = _behind_the_back(state, seat, random)
                        assert board(room, state, seat) == board(room, other, seat)
                        assert _seen(room, state, seat) == _seen(room, other, seat)
                        assert view(state.table, seat) == view(other.table, seat)  # type: ignore[arg-type]
                        compared += 1
                    assert state.table is not None
                    assert state.turn is not None
                    legal = state.table.legal()
                    action = legal[int(random.random() ** 3 * len(legal))]
                    event = {
                        "kind": "act", "seat": state.turn.letter, "action": action_name(action)
                    }  # fmt: skip
                    await client.server.rooms.add(room, event)
        return compared

    assert run(test()) > 200


def test_a_planted_leak_is_found(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ears would hear it: one hidden card in one stream of one seat."""
    plain = stream.message

    def leaky(event: str, data: str, number: int) -> str:
        return plain(event, data + "<!-- queen of hearts -->", number)

    monkeypatch.setattr(stream, "message", leaky)
    with pytest.raises(AssertionError):
        _games(tmp_path, caplog, ["4x3"] * 3)
