"""No seat is sent a card that it may not know: in pages, events, answers, logs or ids.

Two tests that do not trust each other. One reads all bytes that the server sends to each seat over
dozens of random games and looks for the name of a hidden card in any spelling. The other deals
the hidden cards behind a seat's back and checks that not one byte of what it is sent changes,
which finds a leak in any spelling at all.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fastapi import FastAPI

from tests.club.ears import Ear
from tests.club.helpers import Client, run, running
from tests.grids import thinned
from tests.library.game.playing import with_deal
from tribridge.cards.cards import Card, Deck, Hand
from tribridge.cards.deals import HIDDEN, Deal, Seat
from tribridge.club.core.events import Act, Answer, Chat, ClaimTricks, Event
from tribridge.club.core.matches import MatchPlan, seal
from tribridge.club.core.room import Room
from tribridge.club.core.state import Options, Place, State
from tribridge.club.language import spoken
from tribridge.club.pages import updates
from tribridge.club.pages.board import Follower, board_html
from tribridge.club.view.table import seat_view
from tribridge.common import codec
from tribridge.game import view
from tribridge.game.view_json import action_name

pytestmark = pytest.mark.anyio


SMALL_GAMES = 36
FULL_GAMES = 2
SEATS: tuple[Seat | None, ...] = (*Seat, None)


def spellings(card: Card) -> list[str]:
    """The ways in which a page could write a card."""
    rank, suit = card.rank.letter, card.suit
    ways = [card.name, f"{suit.sign}{rank}", spoken(card)]
    if rank not in "234567":  # those would be bids
        ways.append(f"{rank}{suit.sign}")
    return ways + ([f"{suit.sign}10", f"{suit.letter}10", f"10{suit.sign}"] if rank == "T" else [])


SPELLINGS = {card: spellings(card) for card in Hand(Deck(4, 13).mask)}


def cards_in(text: str, wanted: Iterable[Card] = tuple(SPELLINGS)) -> list[Card]:
    """Those of some cards that a text names, in any spelling."""
    return [card for card in wanted if any(way in text for way in SPELLINGS[card])]


def test_cards_are_found_in_any_spelling() -> None:
    king = Card("SK")
    for text in ('id="card-SK"', "♠K", "plays king of spades.", '{"a":["SK"]}', "K♠"):
        assert cards_in(text) == [king], text
    for text in ("10♥", "♥10", "H10", "HT", "♥T"):
        assert cards_in(text) == [Card("HT")], text
    assert cards_in("7♠ 2H 1NT call-3D <td> <th> 4 5") == []


def may_know(state: State, seat: Seat | None) -> Hand:
    """What a seat may know, worked out from the deal and not from the view."""
    table = state.table
    assert table is not None
    if state.closed:
        return Hand(table.deal.deck.mask)
    known = Hand() if seat is None else table.deal.hands[seat]
    for claimer in state.faced:
        known = known | table.deal.hands[claimer]
    if table.position is not None:
        known = known | table.deal.hidden
        known = known | Hand(
            [c for trick in table.position.tricks for c in trick.cards if c not in known]
            + [c for c in table.position.trick if c not in known]
        )
    return known


def hidden_cards(text: str, state: State, seat: Seat | None) -> list[Card]:
    """The cards in a text that a seat may not know."""
    assert state.table is not None
    return cards_in(text, Hand(state.table.deal.deck.mask) - may_know(state, seat))


async def _listen_to_a_game(
    app: FastAPI, client: Client, random: Random, deck: str, json: bool
) -> tuple[int, int]:
    """Play a deal at random with an ear at every seat; bytes and events."""
    rooms = client.server.rooms
    places = [Place(f"P{s.letter}", "pass+random", person=True) for s in Seat]
    seed = random.getrandbits(40) if random.random() < 0.5 else None
    plan = MatchPlan(seed, deals=2, doubles=random.random() < 0.3, deck=deck)
    options = Options(turn_seconds=600 if json else None, onlooker_chat=True)
    room = await rooms.open(plan, places, options=options)
    await rooms.add(room, Chat("Hello!", Seat.NORTH))
    events = 0
    async with _ears(app, client, room, json) as ears:
        while not room.state.closed:
            await _settled(ears, room)
            _check(ears, room.state, room.name)
            state = room.state
            if (claiming := _in_vain(state, random)) is not None:
                await rooms.add(room, claiming)
                continue
            table, seat = state.table, state.turn
            assert table is not None
            assert seat is not None
            legal = table.legal
            quiet = table.position is None and random.random() < 0.45
            action = legal[0] if quiet else legal[int(random.random() * min(len(legal), 9))]
            if json:
                event = Act(seat, action_name(action))
                await rooms.add(room, event, state.number)
            else:
                await _act_by_form(client, room, seat, action_name(action))
            events += 1
        await _settled(ears, room)
        for text in [ear.take() for ear in ears.values()]:
            assert not told(room.state, text)  # another deal is to come
    return sum(ear.total for ear in ears.values()), events


def _in_vain(state: State, random: Random) -> Event | None:
    """A claim now and then, and after it the refusal."""
    if state.claim is not None:
        return Answer(state.claim.seat.left, False)
    if state.turn is not None and state.may_claim(state.turn) and random.random() < 0.1:
        return ClaimTricks(state.turn, 1)
    return None


async def _act_by_form(client: Client, room: Room, seat: Seat, action: str) -> None:
    """Act as a browser does, and read the answer as well."""
    answer = await client.post(
        f"/table/{room.name}/act",
        data={"action": action, "at": room.state.number},
        headers={
            "cookie": f"seat-{room.name}={client.server.rooms.token(room, seat)}",
            "hx-request": "true",
        },
    )
    assert answer.status_code == 200, answer.text
    assert not hidden_cards(plain(answer.text, room.name), room.state, seat)


def plain(text: str, table: str) -> str:
    """A text without what looks like a card and is none: a random name, a technical word."""
    return text.replace(table, "").replace("innerHTML", "").replace("SHA-256", "")


@asynccontextmanager
async def _ears(app: FastAPI, client: Client, room: Room, json: bool) -> Any:
    ears = {seat: Ear(packed=True) for seat in SEATS}
    async with AsyncExitStack() as stack:
        for seat, ear in ears.items():
            token = "" if seat is None else client.server.rooms.token(room, seat)
            path, headers = f"/table/{room.name}/stream", {"cookie": f"seat-{room.name}={token}"}
            if json:
                path = f"/api/tables/{room.name}/events"
                headers = {"authorization": f"Bearer {token}"}
            headers["accept-encoding"] = "gzip"
            await stack.enter_async_context(ear.at(app, path, headers))
        yield ears


async def _settled(ears: Any, room: Room) -> None:
    """Wait until every ear has heard of the last event."""
    mark = f"id: {room.state.number}\n"
    for ear in ears.values():
        while not any(mark in text for text in ear.heard):
            ear.more.clear()
            await ear.more.wait()


def told(state: State, text: str) -> list[str]:
    """What a text tells of the seeds of deals that are not over."""
    if state.plan.secret is None:
        secrets = [str(state.match.seed)]
    else:
        to_come = [
            seal(state.plan.secret, at) for at in range(len(state.finished), state.match.deals)
        ]
        secrets = [
            state.plan.secret,
            *(one.nonce for one in to_come),
            *(str(o.seed) for o in to_come),
        ]
    return [one for one in secrets if one in text]


def _check(ears: Any, state: State, name: str) -> None:
    for seat, ear in ears.items():
        text = plain(ear.take(), name)
        found = hidden_cards(text, state, seat)
        assert not found, (seat, found, text[:2000])
        assert not told(state, text)


def _games(tmp_path: Path, caplog: pytest.LogCaptureFixture, plan: list[str]) -> tuple[int, int]:
    async def test() -> tuple[int, int]:
        total, events = 0, 0
        async with running(tmp_path) as (app, client):
            for number, deck in enumerate(plan):
                json = number % 3 != 0
                heard, count = await _listen_to_a_game(app, client, Random(number), deck, json)
                total, events = total + heard, events + count
        return total, events

    with caplog.at_level(logging.DEBUG, logger="tribridge"):
        found = run(test())
    for record in caplog.records:
        if record.name.startswith("tribridge"):
            assert not cards_in(record.getMessage())
    return found


@pytest.mark.full
def test_all_bytes_of_dozens_of_small_games(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    total, events = _games(tmp_path, caplog, ["4x2", "4x2", "4x3", "4x3"] * (SMALL_GAMES // 4))
    assert events > 8 * SMALL_GAMES
    assert total > 25_000 * SMALL_GAMES  # the ears were open


@pytest.mark.slow
def test_all_bytes_of_full_games(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    total, _ = _games(tmp_path, caplog, ["4x13"] * FULL_GAMES)
    assert total > 1_300_000


def behind_the_back(state: State, seat: Seat | None, random: Random) -> State:
    """The same table with the cards that a seat may not know redealt."""
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
        dealt.append(fixed | Hand(fresh))
    other = Deal.of(dealt, table.deal.deck)
    assert other.hands[HIDDEN] == hands[HIDDEN] or table.position is None
    return replace(
        state,
        table=with_deal(table, other),
        match=replace(state.match, seed=random.getrandbits(40)),
        strategy_seed=random.getrandbits(40),
    )


@pytest.mark.slow
@pytest.mark.parametrize("deck", thinned(["4x3", "4x13"]))
def test_cards_dealt_anewbehind_the_back_change_no_byte(tmp_path: Path, deck: str) -> None:
    async def test() -> int:
        compared = 0
        async with running(tmp_path) as (_, client):
            for number in range(2 if deck == "4x13" else 8):
                random = Random(number)
                places = [Place("P", "random", person=True) for _ in Seat]
                plan = MatchPlan(number if number % 2 else None, deck=deck)
                room = await client.server.rooms.open(plan, places)
                followers = {seat: (Follower(), Follower()) for seat in SEATS}
                while not room.state.closed:
                    state = room.state
                    for seat in SEATS:
                        other = behind_the_back(state, seat, random)
                        one, two = (seat_view(room.name, s, seat) for s in (state, other))
                        assert one == two
                        assert codec.dumps(one) == codec.dumps(two)
                        assert board_html(one) == board_html(two)
                        parts = zip(followers[seat], (one, two), strict=True)
                        assert len({page.draw(seen) for page, seen in parts}) == 1
                        assert view(state.table, seat) == view(other.table, seat)  # type: ignore[arg-type]
                        compared += 1
                    if (claiming := _in_vain(state, random)) is not None:
                        await client.server.rooms.add(room, claiming)
                        continue
                    assert state.table is not None
                    assert state.turn is not None
                    legal = state.table.legal
                    action = legal[int(random.random() ** 3 * len(legal))]
                    event = Act(state.turn, action_name(action))
                    await client.server.rooms.add(room, event)
        return compared

    assert run(test()) > 200


def test_a_planted_leak_is_found(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ears would hear it: one hidden card in one stream of one seat."""
    plain = updates.message

    def leaky(event: str, data: str, number: int) -> str:
        return plain(event, data + "<!-- queen of hearts -->", number)

    monkeypatch.setattr(updates, "message", leaky)
    with pytest.raises(AssertionError):
        _games(tmp_path, caplog, ["4x3"] * 3)


async def test_the_other_answers_of_the_api_name_no_hidden_card(tmp_path: Path) -> None:
    random = Random(4)
    async with running(tmp_path) as (_, client):
        rooms = client.server.rooms
        places = [Place(s.letter, "maxims", person=True) for s in Seat]
        room = await rooms.open(MatchPlan(None, deals=2), places)
        base = f"/api/tables/{room.name}"
        while not room.state.closed:
            for path in (f"{base}/score", f"{base}/log", "/api/tables"):
                text = plain((await client.get(path)).text, room.name)
                assert not hidden_cards(text, room.state, None), path
                assert not told(room.state, text), path
            assert (await client.get(f"{base}/review/1")).status_code == 404
            table, seat = room.state.table, room.state.turn
            assert table is not None
            assert seat is not None
            legal = table.legal
            quiet = table.position is None and random.random() < 0.6
            action = legal[0] if quiet else legal[int(random.random() * min(len(legal), 5))]
            event = Act(seat, action_name(action))
            await rooms.add(room, event, room.state.number)
        assert not told(room.state, (await client.get(f"{base}/review/1")).text)
