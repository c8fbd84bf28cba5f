"""Claims against strategies: certain by what the claimer sees, and nothing else decides."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.club.helpers import Client, running
from tests.club.test_leaks import behind_the_back
from tribridge.cards.cards import Deck, Hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.club.core import claims
from tribridge.club.core.challenges import entrant
from tribridge.club.core.claims import certain
from tribridge.club.core.events import Act, ClaimTricks
from tribridge.club.core.games import game_of
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.room import Room
from tribridge.club.core.state import Place, State
from tribridge.club.pages.templates import drawn
from tribridge.club.view.parts import parts_of
from tribridge.club.view.table import seat_view
from tribridge.game import Position, Table, View, new_table, view
from tribridge.game.position import SUIT
from tribridge.game.view_json import action_name

SOUTH = Seat.SOUTH


def between_tricks(seed: int, deck: Deck, tricks: int, bid: str) -> Table:
    """A deal after some tricks of random cards."""
    random = Random(seed)
    dealer = (Seat.NORTH, Seat.EAST, Seat.SOUTH)[seed % 3]
    table = new_table(deal(seed, 0, deck), dealer).call(bid).call("pass").call("pass")
    for _ in range(4 * tricks):
        table = table.apply(random.choice(table.legal))
    return table


def layouts(seen: View) -> list[tuple[int, int, int, int]]:
    """All ways to deal the cards that a seat does not see, by what was played."""
    position, chair = seen.position, seen.own_chair
    assert position is not None
    assert chair is not None
    first, second = (1, 3) if chair == 0 else (0, 4 - chair)
    cards = [card.bit for card in Hand(position.hidden)]
    found = []
    for held in combinations(cards, len(cards) // 2):
        hands = [*position.hands]
        hands[first], hands[second] = sum(held), position.hidden - sum(held)
        lacks = [
            hands[at] & SUIT << 13 * suit
            for at in (first, second)
            for suit in range(4)
            if position.voids[at] >> suit & 1
        ]
        if not any(lacks):
            found.append((hands[0], hands[1], hands[2], hands[3]))
    return found


def fewest(worlds: list[Position], own: set[int], needed: int) -> bool:
    """Whether one way to play wins so many tricks in all of some positions that look the same."""
    sample = worlds[0]
    side = min(own) & 1
    if sample.over:
        won = sample.won if side == 0 else len(sample.tricks) - sample.won
        return won >= needed
    cards = {card for world in worlds for card in world.legal}
    after = (
        [world.apply_unchecked(card) for world in worlds if card in world.legal] for card in cards
    )
    if sample.chair in own:
        return any(fewest(following, own, needed) for following in after)
    return all(fewest(following, own, needed) for following in after)


@pytest.mark.parametrize("bid", ["1NT", "1S", "1C"])
@pytest.mark.parametrize(("columns", "tricks"), [(3, 0), (4, 1), (5, 2), (6, 3)])
def test_a_claim_stands_if_one_way_to_play_wins_on_every_deal(
    columns: int, tricks: int, bid: str
) -> None:
    for seed in range(6):
        deck = Deck(4, columns)
        table = between_tricks(seed, deck, tricks, bid)
        position, turn = table.position, table.turn
        assert position is not None
        assert turn is not None
        seen = view(table, turn)
        own = {0, 2} if seen.own_chair == 0 else {int(seen.own_chair or 0)}
        worlds = [position.with_hands(hands) for hands in layouts(seen)]
        assert len(worlds) > 1 or columns - tricks < 2
        won = position.won if 0 in own else len(position.tricks) - position.won
        for claimed in range(columns - tricks + 1):
            expected = fewest(worlds, own, won + claimed)
            assert certain(seen, claimed) is expected, (seed, claimed)


def test_top_cards_are_certain_from_the_first_trick_on() -> None:
    hands = ("AKQJ.AKQ.AKQ.AKQ", "T98.JT9.JT9.JT98", "765.876.876.7654", "432.5432.5432.32")
    table = new_table(Deal.of([Hand(hand) for hand in hands]), Seat.NORTH)
    table = table.call("7NT").call("pass").call("pass")
    for card in ("CJ", "C2", "C4", "CA"):
        table = table.play(card)
    assert certain(view(table, Seat.NORTH), 12)


def test_a_claim_that_takes_too_long_to_check_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [between_tricks(seed, Deck(4, 6), 3, "1NT") for seed in range(12)]
    views = [view(table, table.turn) for table in tables]
    known = [certain(seen, 1) for seen in views]
    monkeypatch.setattr(claims, "_MOST", 1)
    assert sum(certain(seen, 1) for seen in views) < sum(known)
    assert all(certain(seen, 0) for seen in views)


async def until(room: Room, ready: Any) -> State:
    """Wait until a table meets a condition."""
    async with asyncio.timeout(30):
        while not ready(room.state):
            await room.wait(room.state.number)
    return room.state


def mine(state: State) -> bool:
    return state.turn is SOUTH or state.closed


async def to_a_claim(client: Client, room: Room, tricks: int) -> State | None:
    """South bids and plays any card until a claim is allowed, with few tricks left.

    None if the deal ends before that: the others play at random.
    """
    rooms = client.server.rooms
    while True:
        state = await until(room, mine)
        if state.closed:
            return None
        table = state.table
        assert table is not None
        play = table.position
        left = 13 if play is None else table.deal.deck.hand_size - len(play.tricks)
        if state.may_claim(SOUTH) and left <= tricks:
            return state
        action = "1NT" if play is None else action_name(table.legal[0])
        await rooms.add(room, Act(SOUTH, action), state.number)


def left(state: State) -> int:
    """How many tricks are left at the start of one."""
    assert state.table is not None
    return len(view(state.table, SOUTH).hand)


def sure(state: State) -> int:
    """The most tricks that South can claim for certain."""
    assert state.table is not None
    seen = view(state.table, SOUTH)
    return max(tricks for tricks in range(left(state) + 1) if certain(seen, tricks))


async def claimed(client: Client, room: Room, tricks: int) -> tuple[bool, list[str]]:
    """Whether a claim stands, and what is said about it."""
    begun = room.state.number
    await client.server.rooms.add(room, ClaimTricks(SOUTH, tricks), begun)
    state = await until(room, lambda state: state.claim is None and state.number > begun + 1)
    return state.closed, [str(text) for number, text in state.said if number > begun]


async def against_bots(client: Client, number: int) -> Room:
    """South alone, on a deal of one's own that nobody knows."""
    places = [Place(str(seat), "pass+random", person=seat is SOUTH) for seat in Seat]
    plan = MatchPlan(secret=f"{number:064x}", known=False, deals=1)
    return await client.server.rooms.open(plan, places, strategy_seed=1)


@pytest.mark.anyio
async def test_hidden_cards_do_not_change_the_answer_to_a_claim(tmp_path: Path) -> None:
    """Whatever the others hold, what is said and done about a claim follows from the view."""
    random, answers = Random(1), Counter[bool]()
    async with running(tmp_path) as (_, client):
        for number in range(8):
            state = await to_a_claim(client, await against_bots(client, number), 5)
            if state is None:
                continue
            for tricks in range(1, 6):
                told = set()
                for at in range(5):
                    copy = await against_bots(client, number)
                    await until(copy, mine)
                    copy.show(behind_the_back(state, SOUTH, random) if at else state)
                    if tricks <= left(state):
                        stands, said = await claimed(client, copy, tricks)
                        told.add((stands, *said[:2]))
                        answers[stands] += 1
                assert len(told) <= 1, told
    assert answers[True] > 10
    assert answers[False] > 10


@pytest.mark.anyio
async def test_a_refused_claim_counts_as_help_and_one_that_stands_does_not(tmp_path: Path) -> None:
    tried = Counter[bool]()
    async with running(tmp_path) as (_, client):
        for number in range(8):
            room, certainly = await against_bots(client, number), number % 2 == 0
            state = await to_a_claim(client, room, 5)
            if state is None or sure(state) == left(state):
                continue
            tried[certainly] += 1
            stands, _ = await claimed(client, room, sure(state) + (not certainly))
            assert stands is certainly
            if not stands:
                assert room.state.advice == ((SOUTH, len(state.actions)),)
                seen = (await client.get(f"/api/tables/{room.name}")).json()
                assert seen["advised"] == ["S"]
                told = (await client.get(f"/table/{room.name}")).text
                assert 'class="note refused"' in told
                part = parts_of(seat_view(room.name, room.state, SOUTH))["tricks"]
                assert "refused; again after the next trick" in drawn(*part)
                assert await to_a_claim(client, room, 0) is None
            assert not room.state.refused
            assert room.state.finished[0].advised == (() if certainly else (SOUTH,))
            stored = client.server.rooms.store.events(room.name)
            game = game_of(stored, room.name, SOUTH, 1, "")
            assert game is not None
            assert game.deals[0].unaided is certainly
    assert tried[True]
    assert tried[False]


@pytest.mark.anyio
async def test_a_challenge_shows_whose_claim_was_refused(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        made = await against_bots(client, 2)
        state = await to_a_claim(client, made, 5)
        assert state is not None
        assert sure(state) < left(state)
        assert (await claimed(client, made, 0))[0]
        challenges = client.server.challenges
        challenge = await challenges.make(made.name, made.state, SOUTH, "m:x")
        for number in range(2):
            room = await challenges.play(challenge, entrant(f"{number}" * 32), f"P{number}", "")
            state = await to_a_claim(client, room, 5)
            assert state is not None
            stands, _ = await claimed(client, room, left(state) if number else 0)
            assert stands is (number == 0)
            assert await to_a_claim(client, room, 0) is None
        results, _ = await challenges.results(challenge)
        people = [one for one in results if not one.bot]
        assert {one.name: one.helped for one in people} == {"South": False, "P0": False, "P1": True}
