"""Why a call was made or a card played: after the deal, from what its player saw then."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tribridge as tb
from tests.club.helpers import Client, running
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.club.core.events import Act
from tribridge.club.core.matches import MatchPlan
from tribridge.club.core.reviews import Analysis
from tribridge.club.core.room import Room
from tribridge.club.core.state import Place
from tribridge.club.core.workers import choose, reasons
from tribridge.club.errors import TooManyError
from tribridge.club.view.board import meanings
from tribridge.common.sentences import Sentence, Words
from tribridge.game import Chair, new_table, view
from tribridge.game.view_json import action_name
from tribridge.reviews import Judgement, Verdict
from tribridge.strategies import find_strategy, options
from tribridge.strategies.choices import Why, why

pytestmark = pytest.mark.anyio

BOTS = [("points+random", None), ("points+maxims", "auction-rubber"), ("learned", "auction-rubber")]


async def closed_table(client: Client, strategy: str, laws: str | None) -> Room:
    """A table at which a strategy has played a deal for all three, South for a person."""
    plan = MatchPlan(7, deals=2, doubles=True, laws=laws)
    places = [Place(f"P{seat.letter}", strategy, person=seat is Seat.SOUTH) for seat in Seat]
    rooms = client.server.rooms
    room = await rooms.open(plan, places)
    while not room.state.closed:
        state = room.state
        assert state.table is not None
        assert state.turn is not None
        seen = view(state.table, state.turn)
        action, _ = choose(strategy, seen, state.strategy_seed, state.deal)
        await rooms.add(room, Act(state.turn, action_name(action)), state.number)
    return room


@pytest.mark.parametrize(("strategy", "laws"), BOTS)
async def test_a_bot_explains_what_it_did_from_what_it_saw(
    strategy: str, laws: str | None, tmp_path: Path
) -> None:
    async with running(tmp_path, seed=5) as (_, client):
        room = await closed_table(client, strategy, laws)
        table = room.state.finished[0].record.replay()
        history, base = table.history, f"/table/{room.name}/why/1"
        for at, action in enumerate(history):
            if strategy == "learned" and at % 12:  # each takes a while
                continue
            before = table.undo(len(history) - at)
            assert before.turn is not None
            seen = view(before, before.turn)
            given = reasons(strategy, seen, room.state.strategy_seed, 0, action)
            assert given.own
            assert given.reasons
            assert all(isinstance(reason, Words) for reason in given.reasons), given
        answer = await client.get(f"{base}/0")
        assert answer.status_code == 200
        shown = re.sub(r"<[^>]*>", "", answer.text)
        dealer = room.state.places[table.dealer]
        assert f"{dealer.name} calls" in shown


async def test_for_a_person_there_is_what_the_options_say(tmp_path: Path) -> None:
    async with running(tmp_path, seed=5) as (_, client):
        room = await closed_table(client, "points+maxims", None)
        table = room.state.finished[0].record.replay()
        at = next(at for at in range(3) if table.dealer.after(at) is Seat.SOUTH)
        where, asked = f"/table/{room.name}/why/1/{at}", client.server.rooms.workers.asked  # type: ignore[attr-defined]
        answer = await client.get(where)
        assert "What can be said for it:" in answer.text or "The review says" in answer.text
        # A second visitor reads what the first was told.
        assert (await client.get(where)).text == answer.text
        assert client.server.rooms.workers.asked == asked + 1  # type: ignore[attr-defined]


async def test_of_a_card_without_a_reason_the_review_speaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path, seed=5) as (_, client):
        room = await closed_table(client, "points+maxims", None)
        table = room.state.finished[0].record.replay()
        monkeypatch.setattr("tribridge.club.pages.review.reasons", nothing)
        where = f"/table/{room.name}/why/1/3"
        assert "The review says what it was worth." in (await client.get(where)).text
        fine = Judgement(
            number=4, seat=Seat.NORTH, chair=Chair.LEFT, action=table.history[3],
            verdict=Verdict.BEST, why=(Sentence("All cards are as good."),),
        )  # fmt: skip
        known = Analysis(len(table.history), [fine] * 4)
        client.server.reviews.known[room.name, 1] = known
        shown = (await client.get(where)).text
        assert "The review: best." in shown
        assert "All cards are as good." in shown
        assert "for it" not in shown


def nothing(*_: object) -> Why:
    """No reason, as for a card that no option names."""
    return Why((), own=False)


async def test_nothing_is_said_before_the_deal_is_over(tmp_path: Path) -> None:
    async with running(tmp_path, seed=5) as (_, client):
        places = [Place(f"P{s.letter}", "points+maxims", person=s is Seat.SOUTH) for s in Seat]
        room = await client.server.rooms.open(MatchPlan(7, deals=2), places)
        state = await room.until(lambda state: state.turn is Seat.SOUTH, 60)
        for at in range(len(state.actions) + 1):
            assert (await client.get(f"/table/{room.name}/why/1/{at}")).status_code == 404
        finished = await closed_table(client, "points+maxims", None)
        for where in ("1/-1", "1/999", "2/0", "0/0"):
            answer = await client.get(f"/table/{finished.name}/why/{where}")
            assert answer.status_code == 404, where


def test_the_strong_bot_says_what_the_hint_says() -> None:
    strategy, rng = find_strategy("learned"), np.random.default_rng(1)
    tables = (new_table(deal(7, number), Seat.NORTH, doubles=True) for number in range(9))
    seen, (best, *others) = next(
        (seen, named)
        for table in tables
        if (named := options(seen := view(table, table.turn)))
        if (named[0].value or 0) - (named[1].value or 0) > 1
    )
    given = why(strategy, seen, best.action, rng)
    assert given.own
    reason, beside = given.reasons
    assert reason == best.reason
    assert f"{best.value:+.1f}" in beside
    assert f"{others[0].value:+.1f}" in beside
    # What it would not choose has no reason of its own.
    assert not why(strategy, seen, others[-1].action, rng).own


def told(calls: str, **standing: Any) -> list[str]:
    rubber: Any = tb.Rubber("auction-rubber", **standing) if standing else None
    table = new_table(deal(7, 0), Seat.NORTH, doubles=True, rubber=rubber).call(calls.split())
    lines = meanings(view(table, None), ("Ann", "Ben", "Eve"))
    for seat in Seat:  # everybody can tell the same
        assert meanings(view(table, seat), ("Ann", "Ben", "Eve")) == lines
    return list(lines)


def test_a_call_means_what_it_scores() -> None:
    assert told("pass 1NT 2H pass X pass") == [
        "No bid so far: a pass commits to nothing",
        "7 tricks, 10 points if made",
        "Outbids Ben: 8 tricks, 16 points if made",
        "Leaves 2♥ to Eve",
        "Expects 2♥ to go down: one down costs 100",
        "Leaves 2♥ as it is",
    ]
    # In the rubber of auction bridge a game is 30 below: 3H scores 24, 3NT 30, 4C 24.
    assert told("3H", below=(0, 0, 0)) == ["24 below the line: 6 short of game"]
    assert told("3H", below=(6, 0, 0)) == ["24 below the line: enough for game"]
    assert told("3H", below=(6, 0, 0), games=(1, 0, 0)) == [
        "24 below the line: enough for game and rubber"
    ]
    assert told("3NT 4C", below=(0, 6, 0))[1] == "24 below the line: fighting Ann for the game"
    assert told("3NT 4C", below=(0, 0, 0))[1] == "24 below the line: keeps Ann from game"
    assert told("3NT 4C", games=(1, 0, 0))[1] == "24 below the line: keeps Ann from the rubber"
    assert told("3NT X pass XX", below=(0, 0, 0))[3].startswith("Expects 3NT to make: ")
    assert told("pass pass pass")[1:] == [
        "No bid so far: a third pass ends the deal",
        "All three pass: nobody scores",
    ]
    third = view(new_table(deal(7, 0), Seat.NORTH).call(["pass", "pass"]), Seat.SOUTH)
    assert any("over" in o.reason for o in options(third) if o.action is tb.PASS)
    # Nobody fights or overcalls themselves: over one's own bid one runs from a double.
    assert told("1NT X pass 2C")[3] == "Runs from 1NT doubled. 8 tricks, 12 points if made"
    runs = told("2H X pass 3C", below=(20, 0, 0), games=(1, 0, 0))[3]
    assert runs == "Runs from 2♥ doubled. 18 below the line: enough for game and rubber"


async def test_a_reason_that_was_refused_comes_when_the_workers_have_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        room = await closed_table(client, *BOTS[0])

        async def busy(*_: Any) -> Any:
            raise TooManyError("too many requests to strategies at once: wait a moment")

        path = f"/table/{room.name}/why/1/0"
        with monkeypatch.context() as patch:
            patch.setattr(client.server.rooms.workers, "ask", busy)
            assert (await client.get(path)).status_code == 429
        assert (await client.get(path)).status_code == 200
