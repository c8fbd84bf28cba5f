"""Hints: the options of a seat, from its view alone, and tables that do not allow them."""

from __future__ import annotations

import asyncio
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.club.helpers import HereWorkers, act, look, running, three
from tribridge.cards.cards import Card
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.club.core.bots import levels
from tribridge.club.core.wording import called, told
from tribridge.club.core.workers import OutOfTimeError
from tribridge.club.core.workers import choose as bot_choice
from tribridge.club.errors import TooManyError
from tribridge.club.language import speaking, translated
from tribridge.club.view.advice import full_advice, outlook, study
from tribridge.common.sentences import Sentence, words
from tribridge.game import Bid, Table, View, find_scheme, new_table, view
from tribridge.reviews.wording import call_cost
from tribridge.strategies import Option, find_strategy, options
from tribridge.strategies import act as choose
from tribridge.strategies.learned.auctions import End

pytestmark = pytest.mark.anyio


def played(number: int, cards: int) -> Table:
    """A deal after a contract by points and some cards by the maxims."""
    strategy, rng = find_strategy("points+maxims"), np.random.default_rng(1)
    table = new_table(deal(7, number), Seat.NORTH).call("1NT").call("pass").call("pass")
    for _ in range(cards):
        table = table.apply(choose(strategy, table, rng).action)
    return table


@pytest.mark.parametrize("scheme", ["auction", "contract"])
@pytest.mark.parametrize("calls", ["", "1NT", "1NT pass pass"])
def test_a_hint_is_what_the_strongest_bot_does(calls: str, scheme: str) -> None:
    for number in range(3):
        table = new_table(deal(7, number), Seat.NORTH, scheme=find_scheme(scheme))
        table = table.call(calls.split())
        seen = view(table, table.turn)
        found = options(seen)
        action, reason = bot_choice(levels()[-1].strategy, seen, 1, 0)
        assert found[0].action == action
        assert isinstance(found[0].action, Card) <= (found[0].reason == reason)
        for seat in Seat:
            if seat is not table.turn:
                assert options(view(table, seat)) == ()


def test_advice_names_the_options_of_the_hint() -> None:
    for table in (new_table(deal(7, 0), Seat.NORTH), played(0, 0), played(0, 17)):
        seen = view(table, table.turn)
        found, given = options(seen), full_advice(seen, 0, "learned", study(seen))
        assert [(one.action, one.reason, one.value) for one in given.options] == [
            (one.action, one.reason, one.value) for one in found
        ]
        assert (given.action, given.reason) == (found[0].action, found[0].reason)


def test_reasons_are_said_in_german() -> None:
    with speaking("de"):
        for cards in (0, 1, 2, 3, 20, 30, 47):
            table = played(1, cards)
            for one in options(view(table, table.turn)):
                assert not one.reason or translated(one.reason) != one.reason


async def test_a_hint_comes_on_your_turn_and_everyone_sees_that_you_asked(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, seed=3)

        async def hint(seat: str) -> Any:
            cookie = {"cookie": f"seat-{table}={seats[seat]['authorization'].split()[1]}"}
            return await client.post(f"/table/{table}/hint", headers=cookie)

        assert (await hint("E")).status_code == 422
        found = await hint("N")
        assert found.status_code == 200
        assert "suggested" in found.text
        assert re.search(r"You (win|lose) about \d+ point", found.text)
        assert not re.search(r"[+−-]\d+ point", found.text)
        assert re.search(r'<button type="submit" form="act" name="action" value="', found.text)
        state = client.server.rooms.find(table).state
        assert state.advice == ((Seat.NORTH, 0),)
        for seat, call in (("N", "1NT"), ("E", "Pass"), ("S", "Pass")):
            at = (await look(client, table))["number"]
            await act(client, table, seats[seat], call, at)
        found = await hint("E")
        assert "tricks" in found.text
        assert (await client.post(f"/table/{table}/hint")).status_code == 403


async def test_a_hint_names_whose_contract_a_pass_leaves(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, seed=3)
        for seat, call in (("N", "1D"), ("E", "1S")):
            await act(client, table, seats[seat], call, (await look(client, table))["number"])
        cookie = {"cookie": f"seat-{table}={seats['S']['authorization'].split()[1]}"}
        for path in ("hint", "advice"):
            page = (await client.post(f"/table/{table}/{path}", headers=cookie)).text
            shown = unescape(re.sub(r"<[^>]*>", "", page))
            assert re.search(r"PE's 1♠ makes >?\d+% of the time", shown), path
        assert "Suggested: " in shown


def test_whose_contract_it_is_is_told_by_name() -> None:
    reason = words("{name}'s {bid}", name=Sentence("East"), bid="1♠").sentence
    assert str(called(reason, ("Ann", "Oskar", "Cy"))) == "Oskar's 1♠"
    assert str(told(called(reason, ("Ann", "Oskar", "Cy")), "Oskar")) == "Your 1♠"


def test_where_another_call_would_have_ended_is_told_by_name() -> None:
    cost = call_cost(40, Bid("2S"), End(10.0, Bid("3H"), Seat.EAST))
    assert str(called(cost, ("Ann", "Oskar", "Cy"))).endswith("would have ended in 3♥ by Oskar.")
    assert str(told(called(cost, ("Ann", "Oskar", "Cy")), "Oskar")).endswith("ended in your 3♥.")


async def test_the_suggestion_says_that_the_numbers_put_another_card_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        for shown, said in ((named_behind, True), (named_ahead, False)):
            monkeypatch.setattr("tribridge.club.pages.review.options", shown)
            table, seats = await three(client, seed=3)
            cookie = {"cookie": f"seat-{table}={seats['N']['authorization'].split()[1]}"}
            page = (await client.post(f"/table/{table}/hint", headers=cookie)).text
            first, _, later = page.partition("</li>")
            assert ("puts another card ahead" in first) is said
            assert "puts another card ahead" not in later


def named_behind(seen: View) -> tuple[Option, ...]:
    """A suggestion that is worth less than what is named beside it."""
    return tuple(reversed(named_ahead(seen)))


def named_ahead(seen: View) -> tuple[Option, ...]:
    """Two cards, the better one first."""
    first, second, *_ = seen.dealt
    return Option(first, "", 4.0), Option(second, "", -3.0)


async def test_a_hint_that_failed_is_thought_of_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, seed=3)
        cookie = {"cookie": f"seat-{table}={seats['N']['authorization'].split()[1]}"}

        async def late(*_: Any) -> Any:
            raise OutOfTimeError("too late")

        with monkeypatch.context() as patch:
            patch.setattr(client.server.rooms.workers, "ask", late)
            found = await client.post(f"/table/{table}/hint", headers=cookie)
            assert "suggested" not in found.text
        found = await client.post(f"/table/{table}/hint", headers=cookie)
        assert "suggested" in found.text


async def test_a_hint_or_advice_that_was_refused_comes_when_the_workers_have_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, seed=3)
        cookie = {"cookie": f"seat-{table}={seats['N']['authorization'].split()[1]}"}

        async def busy(*_: Any) -> Any:
            raise TooManyError("too many requests to strategies at once: wait a moment")

        with monkeypatch.context() as patch:
            patch.setattr(client.server.rooms.workers, "ask", busy)
            for path in ("hint", "advice"):
                refused = await client.post(f"/table/{table}/{path}", headers=cookie)
                assert (refused.status_code, refused.text.count("\n")) == (429, 1)
        for path in ("hint", "advice"):
            found = await client.post(f"/table/{table}/{path}", headers=cookie)
            assert found.status_code == 200


async def test_advice_asked_for_again_is_not_computed_again(tmp_path: Path) -> None:
    workers = HereWorkers()
    async with running(tmp_path, workers=workers) as (_, client):
        table, seats = await three(client, seed=3)
        asked = [client.post(f"/api/tables/{table}/advice", headers=seats["N"]) for _ in range(4)]
        answers = await asyncio.gather(*asked)
        assert [answer.status_code for answer in answers] == [200] * 4
        assert workers.asked == 1
        other = await client.post(f"/api/tables/{table}/advice", headers=seats["E"])
        assert workers.asked == 2  # what one seat sees is not for another
        assert other.json()["options"] != answers[0].json()["options"]


async def test_people_are_told_once_that_somebody_asks_and_bots_are_not(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        path = (await client.post("/play", data={"strategy": "pass+random"})).headers["location"]
        room = client.server.rooms.find(path.rsplit("/", 1)[1])
        while room.state.turn is not Seat.SOUTH:
            await room.wait(room.state.number)
        assert (await client.post(f"{path}/hint")).status_code == 200
        assert [seat for seat, _ in room.state.advice] == [Seat.SOUTH]
        assert "advice." not in (alone := (await client.get(path)).text)
        assert "asked for advice" not in alone
        table, seats = await three(client, seed=3)
        cookie = {"cookie": f"seat-{table}={seats['N']['authorization'].split()[1]}"}
        for seat, call in (("N", "1C"), ("E", "Pass"), ("S", "1D"), ("N", "1H")):
            if seat == "N":
                await client.post(f"/table/{table}/hint", headers=cookie)
            at = (await look(client, table))["number"]
            assert (await act(client, table, seats[seat], call, at)).status_code == 200
        assert (await look(client, table))["advised"] == ["N", "N"]
        page = (await client.get(f"/table/{table}")).text
        assert page.count("PN asks for advice") == 1
        assert page.count("asked for advice") == 1


async def test_a_table_can_be_played_without_hints(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        opened = await client.post("/play", data={"strategy": "pass+random", "no_hints": "true"})
        path = opened.headers["location"]
        for what in ("hint", "advice"):
            answer = await client.post(f"{path}/{what}")
            assert answer.status_code in (403, 422), answer.text
        room = client.server.rooms.find(path.rsplit("/", 1)[1])
        while room.state.turn is not Seat.SOUTH:
            await room.wait(room.state.number)
        for what in ("hint", "advice"):
            answer = await client.post(f"{path}/{what}")
            assert "without hints" in answer.text
        page = (await client.get(path)).text
        assert "ask-hint" not in page
        assert "ask-advice" not in page
        assert room.state.advice == ()


def test_the_outlook_becomes_what_happens() -> None:
    table = played(0, 0)
    assert table.contract is not None
    first = outlook(view(table, None))
    assert first is not None
    assert 0 < first.makes < 1
    grand = outlook(view(new_table(deal(7, 0), Seat.NORTH).call("7NT pass pass"), None))
    assert grand is not None
    assert grand.makes < grand.tricks / 13
    strategy, rng = find_strategy("points+maxims"), np.random.default_rng(1)
    while len(table.tricks) < 12:
        table = table.apply(choose(strategy, table, rng).action)
    last = outlook(view(table, None))
    assert last is not None
    while not table.over:
        table = table.apply(choose(strategy, table, rng).action)
    assert table.outcome is not None
    assert abs(last.tricks - table.outcome.tricks) <= 1
    assert outlook(view(table, None)) is None


async def test_kibitzers_see_the_outlook_and_players_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, seed=3)
        for seat, call in (("N", "1NT"), ("E", "Pass"), ("S", "Pass")):
            at = (await look(client, table))["number"]
            await act(client, table, seats[seat], call, at)
        cookie = {"cookie": f"seat-{table}={seats['N']['authorization'].split()[1]}"}
        for headers, shown in (({}, True), (cookie, False)):
            page = await client.get(f"/table/{table}", headers=headers)
            assert ('id="outlook"' in page.text) == shown
        workers, questions = client.server.rooms.workers, []

        async def counted(*question: Any) -> Any:
            questions.append(question)
            return await type(workers).ask(workers, *question)

        monkeypatch.setattr(workers, "ask", counted)
        answers = await asyncio.gather(*[client.get(f"/table/{table}/outlook") for _ in range(4)])
        assert all("%" in answer.text for answer in answers)
        assert len(questions) == 1
        assert "%" not in (await client.get(f"/table/{table}/outlook", headers=cookie)).text
