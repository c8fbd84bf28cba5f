"""Tables: events that replay, matches, taking back, claims, strategies and their replacement."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.club.helpers import (
    Client,
    HereWorkers,
    Listening,
    act,
    client_of,
    form_at,
    look,
    next_deal,
    play_deal,
    running,
    three,
)
from tests.library.strategies.test_callers import with_hand
from tribridge.cards.deals import Seat
from tribridge.club.core import events
from tribridge.club.core.bots import bot_for
from tribridge.club.core.matches import DEFAULT_LAWS, USUAL_DEALS
from tribridge.club.core.room import Room
from tribridge.club.core.workers import FailedError, OutOfTimeError, choose
from tribridge.club.view.parts import parts_of
from tribridge.club.view.table import seat_view
from tribridge.game import find_scheme, new_table, parse_call, settle, view
from tribridge.game.record import loads
from tribridge.game.record.pbn import loads_pbn
from tribridge.game.view_json import action_name

pytestmark = pytest.mark.anyio


async def _alone(client: Client, **fields: Any) -> tuple[str, Room]:
    """A game of one person, South, against two strategies, through the form of the lobby."""
    answer = await client.post("/play", data={"name": "Guest", "other": "pass+random"} | fields)
    assert answer.status_code == 303, answer.text
    path = answer.headers["location"]
    return path, client.server.rooms.find(path.rpartition("/")[2])


async def _until(room: Room, ready: Any) -> None:
    async with asyncio.timeout(300):
        while not ready(room.state):
            await room.wait(room.state.number)


def _mine(state: Any) -> bool:
    return state.turn is Seat.SOUTH or state.closed


@pytest.mark.slow
async def test_a_match_from_the_first_call_to_the_settlement(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, deals=3, seed=11)
        random = Random(3)
        for deal in range(3):
            view = await play_deal(client, table, seats, random)
            assert view["deal"] == deal + 1
            if deal < 2:
                view = await next_deal(client, table, seats)
                assert view["deal"] == deal + 2
        assert view["over"]
        state = client.server.rooms.find(table).state
        assert sum(state.match.settlement()) == 0
        assert settle(state.match.totals()) == state.match.settlement()
        # The events alone lead to the same state.
        assert events.replay(client.server.rooms.store.events(table)) == state
        # The records replay, and the seed is told only now.
        jsonl = (await client.get(f"/table/{table}/match.jsonl")).text
        pbn = (await client.get(f"/table/{table}/match.pbn")).text
        assert [r.seed for r in loads(jsonl)] == [11] * 3
        assert [r.actions for r in loads(jsonl)] == [r.actions for r in loads_pbn(pbn)]


@pytest.mark.slow
async def test_the_seed_stays_secret_while_deals_are_to_come(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, deals=2, seed=987654321987)
        await play_deal(client, table, seats, Random(1))
        for path in (
            "",
            "/board",
            "/review/1",
            "/review/1/deal.jsonl",
            "/review/1/deal.pbn",
            "/match.jsonl",
            "/match.pbn",
        ):
            answer = await client.get(f"/table/{table}{path}")
            assert answer.status_code == 200
            assert "987654321987" not in answer.text, path
        assert "987654321987" not in (await client.get(f"/api/tables/{table}")).text


async def test_one_person_plays_against_strategies(tmp_path: Path) -> None:
    async with running(tmp_path, seed=5) as (_, client):
        path, room = await _alone(client, scoring="auction", deals="1")
        await _until(room, _mine)
        page = await client.get(path)
        assert "Your call" in page.text
        for _ in range(60):
            await _until(room, _mine)
            if room.state.closed:
                break
            table = room.state.table
            assert table is not None
            legal = table.legal
            action = action_name(
                legal[1] if table.contract is None and not table.auction.last_bid else legal[0]
            )
            answer = await client.post(
                f"{path}/act",
                data={"action": action, "at": room.state.number},
                headers={"hx-request": "1"},
            )
            assert answer.status_code == 200, answer.text
            assert form_at(answer.text) <= room.state.number
        assert room.state.over
        assert "match is over" in (await client.get(path)).text


async def test_a_misclick_is_taken_back_against_strategies_only(tmp_path: Path) -> None:
    async with running(tmp_path, seed=5) as (app, client):
        path, room = await _alone(client)
        await _until(room, _mine)
        calls = room.state.actions
        await client.post(f"{path}/act", data={"action": "1C", "at": room.state.number})
        await _until(room, lambda s: _mine(s) and len(s.actions) > len(calls))
        at = room.state.number
        answer = await client.post(f"{path}/undo", data={"at": at})
        assert answer.status_code == 303
        assert room.state.actions == calls
        again = await client.post(f"{path}/undo", data={"at": at})  # the answer was lost
        assert (again.status_code, room.state.actions) == (303, calls)
        # The same seat may call again.
        again = await client.post(f"{path}/act", data={"action": "2C", "at": room.state.number})
        assert again.status_code == 303
        # Not with another person at the table.
        table, seats = await three(client)
        await act(client, table, seats["N"], "1C", (await look(client, table))["number"])
        async with client_of(app) as browser:
            token = seats["N"]["authorization"].split()[1]
            answer = await browser.post(
                f"/table/{table}/undo",
                data={"at": client.server.rooms.find(table).state.number},
                headers={"cookie": f"seat-{table}={token}"},
            )
            assert answer.status_code == 422


async def _declare(client: Client, table: str, seats: Any) -> Any:
    """North declares 1C and East is to lead."""
    for seat, call in (("N", "1C"), ("E", "Pass"), ("S", "Pass")):
        view = await look(client, table, seats[seat])
        await act(client, table, seats[seat], call, view["number"])
    return client.server.rooms.find(table)


async def _form(client: Client, room: Room, seat: Seat, what: str, **data: Any) -> int:
    token = client.server.rooms.token(room, seat)
    answer = await client.post(
        f"/table/{room.name}/{what}",
        data={"at": room.state.number} | data,
        headers={"cookie": f"seat-{room.name}={token}"},
    )
    return answer.status_code


async def test_a_claim_is_settled_between_persons(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, seed=2, deals=2)
        room = await _declare(client, table, seats)
        assert await _form(client, room, Seat.NORTH, "claim", tricks=3) == 422  # not their turn
        assert await _form(client, room, Seat.EAST, "claim", tricks=99) == 422
        assert await _form(client, room, Seat.EAST, "claim", tricks=5) == 303
        assert room.state.turn is None
        assert await _form(client, room, Seat.EAST, "answer", agree="true") == 403
        assert await _form(client, room, Seat.SOUTH, "answer", agree="false") == 303
        assert room.state.claim is None
        assert await _form(client, room, Seat.EAST, "claim", tricks=4) == 422  # once a trick
        view = await look(client, table, seats["E"])
        for _ in range(4):
            seat = seats[view["turn"]]
            view = await look(client, table, seat)
            await act(client, table, seat, view["legal"][0], view["number"])
            view = await look(client, table)
        turn = room.state.turn
        assert turn is not None
        assert await _form(client, room, turn, "claim", tricks=12) == 303
        others = [seat for seat in Seat if seat is not turn]
        assert await _form(client, room, others[0], "answer", agree="true") == 303
        assert not room.state.closed
        assert await _form(client, room, others[1], "answer", agree="true") == 303
        outcome = room.state.match.outcomes[0]
        assert room.state.table is not None
        assert room.state.table.position is not None
        won = room.state.table.position.won
        assert outcome.tricks == (won + 12 if turn is Seat.NORTH else won)
        assert room.state.finished[0].claimed
        status = parts_of(seat_view(table, room.state, Seat.SOUTH))["strip"][2]
        assert (status.won, status.lost) == (outcome.tricks, 13 - outcome.tricks)
        assert "by a claim" in (await client.get(f"/table/{table}")).text


async def test_friends_sit_down_and_strategies_fill_the_rest(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        answer = await client.post("/open", data={"name": "Guest", "other": "pass+random"})
        path = answer.headers["location"]
        room = client.server.rooms.find(path.rpartition("/")[2])
        waiting = (await client.get(path)).text
        assert "Waiting for players" in waiting
        assert "rubber" in waiting
        async with client_of(app) as friend:
            page = await friend.get(path)
            assert "Sit down" in page.text
            # Whoever is invited reads by whom, and has one form and no link to pass on.
            assert "Guest invites you" in page.text
            least, most = USUAL_DEALS[DEFAULT_LAWS]  # how long it takes, before the seat is taken
            assert f"usually after {least} to {most} deals" in re.sub(r"<[^>]*>", "", page.text)
            # The host knows the game; a guest can read about it, and while they wait, too.
            lesson = 'href="/learn" target="_blank"'
            assert lesson in page.text
            assert lesson not in waiting
            assert page.text.count(f'action="{path}/sit"') == 1
            form = page.text.partition(f'action="{path}/sit"')[2].partition("</form>")[0]
            assert form.count("<option") == 2
            assert "data-copy" in waiting
            assert "data-copy" not in page.text
            answer = await friend.post(
                f"{path}/sit", data={"seat": "N", "name": " <b>Friend</b>\n" + "x" * 99}
            )
            assert answer.status_code == 303
            seated = (await friend.get(path)).text
            assert "&lt;b&gt;Friend" in seated
            assert lesson in seated
            assert len(room.state.places[Seat.NORTH].name) <= 24
            assert (await friend.post(f"{path}/sit", data={"seat": "E"})).status_code == 422
            async with client_of(app) as stranger:
                assert (await stranger.post(f"{path}/start")).status_code == 403
            answer = await friend.post(f"{path}/start")
            assert (answer.status_code, "host, Guest" in answer.text) == (403, True)
            assert (await client.post(f"{path}/start")).status_code == 303
            assert (await client.post(f"{path}/start")).status_code == 422
        assert room.state.people == (Seat.NORTH, Seat.SOUTH)
        assert not room.state.places[Seat.EAST].open
        assert path not in (await client.get("/lobby/tables")).text


async def test_only_tables_opened_for_everyone_are_listed(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as stranger:
        alone = await client.post("/play", data={"name": "Ann", "other": "pass+random"})
        friends = await client.post("/open", data={"name": "Bob"})
        public = await client.post("/open", data={"name": "Cleo", "listed": "true"})
        bots = await client.post(
            "/watch", data={"scoring": "auction", "deals": "9", "other": "pass+random"}
        )
        await three(client)
        through_api = (await three(client, listed=True))[0]
        listed = {public.headers["location"], bots.headers["location"], f"/table/{through_api}"}
        for path in ("/", "/lobby/tables"):
            page = (await stranger.get(path)).text
            for answer in (alone, friends, public, bots):
                location = answer.headers["location"]
                assert (location in page) is (location in listed)
            assert ("Ann" in page, "Bob" in page, "Cleo" in page) == (False, False, True)
        found = (await stranger.get("/api/tables")).json()
        assert {f"/table/{one['table']}" for one in found} == listed
        # Whoever has the link of a private table can still open it.
        assert (await stranger.get(friends.headers["location"])).status_code == 200


async def test_strategies_play_a_match_by_themselves(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        answer = await client.post(
            "/watch", data={"scoring": "auction", "deals": "2", "other": "points+random"}
        )
        room = client.server.rooms.find(answer.headers["location"].rpartition("/")[2])
        await _until(room, lambda s: s.over)
        assert len(room.state.finished) == 2
        assert list(client.server.rooms.store.tables(over=False)) == []


async def test_strategies_bid_for_the_scheme_of_their_table(tmp_path: Path) -> None:
    workers = Listening()
    async with running(tmp_path, workers=workers) as (_, client):
        answer = await client.post("/watch", data={"other": "pass+random", "scoring": "contract"})
        assert answer.status_code == 303, answer.text
        room = client.server.rooms.find(answer.headers["location"].rpartition("/")[2])
        await _until(room, lambda state: len(state.actions) > 1)
        assert workers.schemes == {"contract"}


def test_a_caller_at_a_contract_table_bids_the_game() -> None:
    dealt = with_hand("AKQ2.AK3.A92.KJ2")
    for scheme, bid in (("auction", "1NT"), ("contract", "3NT")):
        seen = view(new_table(dealt, Seat.NORTH, scheme=find_scheme(scheme)), Seat.NORTH)
        assert choose("learned", seen, 1, 0)[0] == parse_call(bid)
    assert choose("learned:scheme=new+maxims", seen, 1, 0)[0] == parse_call("1NT")


async def test_a_table_of_strategies_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        answer = await client.post(
            "/watch", data={"scoring": "auction", "deals": "2", "other": "pass+random"}
        )
        room = client.server.rooms.find(answer.headers["location"].rpartition("/")[2])
        await _until(room, lambda s: s.number > 5)
    assert not room.state.over
    async with running(tmp_path) as (_, client):
        await look(client, room.name)  # and then by itself
        await _until(client.server.rooms.find(room.name), lambda s: s.over)
        events_now = client.server.rooms.store.events(room.name)
        assert len(events_now) > room.state.number
        assert events.replay(events_now).over  # type: ignore[union-attr]


class _Failing(HereWorkers):
    """Strategies that fail, except the one that stands in."""

    def __init__(self, error: Exception, good: str) -> None:
        super().__init__()
        self.error, self.good = error, good

    async def run(self, limit: float, function: Any, *args: Any) -> Any:
        if args[0] != self.good:
            raise self.error
        return await super().run(limit, function, *args)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FailedError("secret SK"), "failed"),
        (OutOfTimeError("took longer than 10 seconds"), "in time"),
    ],
)
async def test_a_strategy_that_fails_is_replaced_with_a_note(
    tmp_path: Path, error: Exception, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(tmp_path, seed=5, workers=_Failing(error, "maxims")) as (_, client):
        path, room = await _alone(client)
        named = {bot_for("pass+random", seat).name for seat in (Seat.NORTH, Seat.EAST)}
        await _until(room, _mine)
        assert {room.state.places[s].strategy for s in (Seat.NORTH, Seat.EAST)} <= {
            "maxims",
            "pass+random",
        }
        said = " ".join(text for _, text in room.state.said)
        assert "plays to the end of the deal" in said
        assert words in said
        assert "SK" not in said
        assert "SK" not in caplog.text
        notes = re.findall('class="note">(.*?)</p>', (await client.get(path)).text)
        assert any(words in note for note in notes)
        # It is told of during the whole match; in the next deal the chosen bot plays again.
        chosen = {"pass+random"}
        assert {place.own_strategy for place in room.state.places} == chosen
        begun = events.after(replace(room.state, closed=True), events.NextDeal())
        assert {place.strategy for place in begun.places} == chosen
        assert {p.name for p in begun.places if not p.person} == named
        assert begun.notes == ()
        assert begun.replaced == room.state.replaced
        shown = (
            (await client.get(path)).text.partition('id="players"')[2].partition("</details>")[0]
        )
        assert words in shown


async def test_even_a_failing_stand_in_does_not_stop_the_table(tmp_path: Path) -> None:
    workers = _Failing(FailedError("x"), "nobody")
    async with running(tmp_path, workers=workers) as (_, client):
        answer = await client.post("/watch", data={"scoring": "auction", "deals": "1"})
        room = client.server.rooms.find(answer.headers["location"].rpartition("/")[2])
        await _until(room, lambda s: s.over)


async def test_the_one_who_leaves_is_played_for(tmp_path: Path) -> None:
    async with running(tmp_path, seed=5) as (_, client):
        path, room = await _alone(client, scoring="auction", deals="1")
        answer = await client.post(f"{path}/leave")
        assert answer.status_code == 303
        await _until(room, lambda s: s.over)
        answer = await client.post(f"{path}/act", data={"action": "Pass", "at": 1})
        assert (answer.status_code, "take your seat" in answer.text) == (422, True)
        path, room = await _alone(client, scoring="auction", deals="1")
        await client.post(f"{path}/leave", data={"for_good": "true"})
        answer = await client.post(f"{path}/act", data={"action": "Pass", "at": 1})
        assert answer.status_code == 403
