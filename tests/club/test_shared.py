"""Two servers with one PostgreSQL: one game, whoever is asked."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.club.database import database, pgbouncer, programs, shared_database
from tests.club.helpers import Client, HereWorkers, act, look, open_table, running, sit
from tests.club.two_servers import two, until
from tribridge.cards.deals import Seat
from tribridge.club.core import challenges, chat
from tribridge.club.core.bots import levels
from tribridge.club.core.challenges import _kept, daily, today
from tribridge.club.core.events import Chat
from tribridge.club.core.postgres import PostgresStore
from tribridge.reviews import judge

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed"),
]


async def _seated(
    first: Client, second: Client, deals: int = 2
) -> tuple[str, dict[str, dict[str, str]]]:
    """A table with a person in each seat, opened at one server; two sit down at the other."""
    table = await open_table(first, deals=deals)
    seats = {"N": await sit(first, table, "N", "Ann")}
    seats |= {"E": await sit(second, table, "E", "Bob"), "S": await sit(second, table, "S", "Cyd")}

    async def started() -> bool:
        views = [await look(client, table) for client in (first, second)]
        return all(view["turn"] for view in views)

    await until(started)
    return table, seats


@pytest.mark.parametrize("between", [nullcontext, pgbouncer])
async def test_a_game_is_the_same_at_both_servers(between: Any, tmp_path: Path) -> None:
    with between(shared_database()) as way:
        data = way if isinstance(way, str) else None
        async with two(tmp_path, data=data) as servers:
            await _play_at_both(*servers)


async def _play_at_both(first: Client, second: Client) -> None:
    table, seats = await _seated(first, second)
    servers, turns = (first, second), 0
    while True:
        client = servers[turns % 2]
        view = await look(client, table, seats["N"])
        if view["deal_over"]:
            break
        seat = view["turn"]
        view = await look(client, table, seats[seat])
        if not view["legal"]:  # somebody else's turn by now
            continue
        answer = await act(client, table, seats[seat], view["legal"][-1], view["number"])
        assert answer.status_code in (200, 409), answer.text
        turns += 1
    stored = first.server.rooms.store.events(table)
    assert stored == second.server.rooms.store.events(table)

    async def same() -> bool:
        views = [await look(client, table, seats["E"]) for client in servers]
        return views[0] == views[1] and views[0]["number"] == len(stored)

    assert await until(same)


async def test_of_two_that_act_at_once_one_is_refused(tmp_path: Path) -> None:
    async with two(tmp_path) as (first, second):
        table, seats = await _seated(first, second)
        for rounds in range(8):
            view = await look(first, table, seats["N"])
            if view["turn"] is None:  # the first of them were passes
                assert rounds > 2
                break
            held = seats[view["turn"]]
            view = await look(first, table, held)
            at, options = view["number"], view["legal"][:2]
            if len(options) < 2:  # a card that must be played
                break
            answers = await asyncio.gather(
                act(first, table, held, options[0], at), act(second, table, held, options[1], at)
            )
            assert sorted(answer.status_code for answer in answers) == [200, 409]

            async def known(at: int = at) -> bool:
                views = [await look(client, table) for client in (first, second)]
                return all(view["number"] > at for view in views)

            await until(known)


async def test_bots_act_once_however_many_servers_watch(tmp_path: Path) -> None:
    async with two(tmp_path) as (first, second):
        table = await open_table(first, open=[], deals=1)

        async def over() -> bool:
            views = [await look(client, table) for client in (second, first)]
            return all(view["over"] for view in views)

        await until(over)
        rooms = [client.server.rooms for client in (first, second)]
        actions = [event for event in rooms[0].store.events(table) if type(event).__name__ == "Act"]
        asked = sum(getattr(room.workers, "asked", 0) for room in rooms)
        assert len(actions) <= asked <= len(actions) + 1


async def test_who_is_there_is_known_at_both_servers(tmp_path: Path) -> None:
    async with two(tmp_path) as (first, second):
        table, seats = await _seated(first, second)

        for client in (first, second):
            await look(client, table)
        room = await second.server.rooms.load(table)
        staying = asyncio.ensure_future(_present(room, Seat.EAST))

        async def seen() -> bool:
            answer = await first.get(f"/api/tables/{table}/presence", headers=seats["N"])
            here: list[str] = answer.json()["here"]
            return "E" in here

        await until(seen)
        staying.cancel()
        with suppress(asyncio.CancelledError):
            await staying

        async def gone() -> bool:
            return not bool(await seen())

        await until(gone)


async def _present(room: Any, seat: Seat) -> None:
    async def never() -> AsyncIterator[str]:
        await asyncio.sleep(1000)
        yield ""

    async for _ in room.presence.during(seat, never()):
        pass


async def test_what_a_client_may_do_holds_for_all_servers_together(tmp_path: Path) -> None:
    async with two(tmp_path, rate=0.5, burst=30.0) as (first, second):
        for _ in range(28):
            assert (await first.get("/api/schemes")).status_code == 200

        async def refused() -> bool:
            return (await second.get("/api/schemes")).status_code == 429

        await until(refused, 10)


async def test_a_game_goes_on_after_the_database_has_restarted(tmp_path: Path) -> None:
    with database() as own:
        async with two(tmp_path, data=own.url()) as (first, second):
            table, seats = await _seated(first, second)
            own.stop()
            view = await look(first, table, seats["N"])
            held = seats[view["turn"]]
            answer = await act(first, table, held, "1C", view["number"])
            assert answer.status_code == 503
            own.start()

            async def played() -> bool:
                answer = await act(second, table, held, "1C", view["number"])
                return answer.status_code == 200

            await until(played)

            async def heard() -> bool:
                return bool((await look(first, table))["calls"])

            await until(heard)


async def test_who_has_written_reads_it_at_every_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two(tmp_path) as (first, second):
        table = await open_table(first, deals=1)
        await look(second, table)
        deaf = second.server.sharing
        assert deaf is not None
        monkeypatch.setattr(deaf, "heard", lambda *_: None)  # the news are on their way
        held = await sit(first, table, "N", "Ann")
        assert (await look(second, table, held))["seat"] == "N"  # a seat that is not known here
        for seat, name in (("E", "Bob"), ("S", "Cyd")):
            held |= await sit(first, table, seat, name)
        view = await look(first, table)
        assert not (await look(second, table))["started"]
        named = {"Last-Event-ID": str(view["number"])}
        assert (await look(second, table, named))["number"] == view["number"]


async def test_a_move_that_follows_what_another_server_stored_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two(tmp_path) as (first, second):
        table, seats = await _seated(first, second)
        deaf = second.server.sharing
        assert deaf is not None
        monkeypatch.setattr(deaf, "heard", lambda *_: None)
        for client in (first, second):
            turn = (await look(first, table))["turn"]
            number = (await look(first, table))["number"]
            answer = await client.post(
                f"/api/tables/{table}/actions",
                json={"action": "Pass", "at": number},
                headers=seats[turn],
            )
            assert answer.status_code == 200, answer.text


async def test_a_challenge_has_one_table_for_a_player_whoever_is_asked(tmp_path: Path) -> None:
    async with two(tmp_path) as (first, second):
        key = (await first.post("/api/me/key")).json()["key"]
        path, mine = f"/api/challenges/{today().isoformat()}/play", {"X-Device-Key": key}

        async def begin(client: Client) -> str:
            while True:  # while another server opens it
                answer = await client.post(path, headers=mine, json={"name": "Ann"})
                if answer.status_code != 503:
                    assert answer.status_code in (200, 201), answer.text
                    return str(answer.json()["table"])
                await asyncio.sleep(0.02)

        for _ in range(2):
            assert len(set(await asyncio.gather(begin(first), begin(second)))) == 1


async def test_the_bots_of_a_challenge_play_at_one_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = replace(challenges.DAILY, deals=1, deck="4x3")
    monkeypatch.setattr(challenges, "DAILY", small)
    monkeypatch.setattr(challenges, "_OFTEN", 0.1)
    level = replace(levels()[0], strategy="points+random")
    for name, changed in (("levels", lambda: (level,)), ("default_level", lambda: level)):
        monkeypatch.setattr(challenges, name, changed)
    day = today()

    class Slow(HereWorkers):
        async def run(self, limit: float, function: Any, *args: Any) -> Any:
            await asyncio.sleep(0.05)
            return await super().run(limit, function, *args)

    workers, url = [Slow(), Slow()], shared_database().url()
    async with (
        running(tmp_path, data=url, workers=workers[0]) as (_, first),
        running(tmp_path, data=url, workers=workers[1]) as (_, second),
    ):
        challenge = daily(first.server.rooms.secret, day)
        for client in (first, second):  # those of yesterday can be seen by everybody
            client.server.challenges.today = lambda: day + timedelta(days=1)
        first.server.rooms.store.change(_kept(challenge))

        async def played() -> bool:
            path = f"/api/challenges/{day.isoformat()}"
            views = [(await client.get(path)).json() for client in (first, second)]
            return all(view["results"] and not view["computing"] for view in views)

        await until(played)
        assert sorted(bool(each.asked) for each in workers) == [False, True]


async def _passed_out(first: Client, second: Client) -> tuple[str, dict[str, dict[str, str]]]:
    """A match of one deal that everybody passes, and that both servers know to be over."""
    table, seats = await _seated(first, second, deals=1)
    for seat in "NES":
        number = (await look(first, table))["number"]
        assert (await act(first, table, seats[seat], "Pass", number)).status_code == 200

    async def over() -> bool:
        return all([(await look(client, table))["over"] for client in (first, second)])

    await until(over)
    return table, seats


async def test_a_review_is_judged_by_one_server_and_shown_by_both(tmp_path: Path) -> None:
    class Slow(HereWorkers):
        async def run(self, limit: float, function: Any, *args: Any) -> Any:
            if function is judge:
                await asyncio.sleep(0.2)
            return await super().run(limit, function, *args)

    workers, url = [Slow(), Slow()], shared_database().url()
    async with (
        running(tmp_path, data=url, workers=workers[0]) as (_, first),
        running(tmp_path, data=url, workers=workers[1]) as (_, second),
    ):
        table, _ = await _passed_out(first, second)

        async def whole() -> bool:
            path = f"/api/tables/{table}/review/1"
            views = [(await client.get(path)).json() for client in (first, second)]
            return all(view["over"] and len(view["judged"]) == 3 for view in views)

        await until(whole)
        assert sum(each.asked for each in workers) == 3


async def test_a_rematch_begun_at_two_servers_opens_one_table(tmp_path: Path) -> None:
    async with two(tmp_path) as (first, second):
        table, seats = await _passed_out(first, second)
        path = f"/api/tables/{table}/rematch"
        answers = await asyncio.gather(
            first.post(path, headers=seats["N"], json={}),
            second.post(path, headers=seats["E"], json={}),
            first.post(path, headers=seats["S"], json={}),
        )
        assert [answer.status_code for answer in answers] == [200, 200, 200]
        bodies = first.server.rooms.store.rows("SELECT id FROM tables")
        assert len(bodies) == 2


async def test_what_does_not_concern_a_move_at_another_server_does_not_refuse_it(
    tmp_path: Path,
) -> None:
    async with two(tmp_path) as (first, second):
        table, seats = await _seated(first, second)
        for _ in range(5):
            turn = (await look(first, table))["turn"]
            view = await look(first, table, seats[turn])
            written, moved = await asyncio.gather(
                second.post(f"/api/tables/{table}/chat", headers=seats["N"], json={"text": "Hi"}),
                act(first, table, seats[turn], view["legal"][-1], view["number"]),
            )
            assert (written.status_code, moved.status_code) == (200, 200), moved.text

            async def known(at: int = view["number"]) -> bool:
                views = [await look(client, table) for client in (first, second)]
                return all(view["number"] > at + 1 for view in views)

            await until(known)
            if (await look(first, table))["turn"] is None:
                break


async def test_a_server_that_lost_its_connection_reads_what_it_was_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two(tmp_path) as (first, second):
        table, seats = await _seated(first, second)
        sharing = first.server.sharing
        assert sharing is not None
        heard = sharing.heard
        monkeypatch.setattr(
            sharing, "heard", lambda kind, *rest: None if kind == "event" else heard(kind, *rest)
        )
        view = await look(second, table)
        await act(second, table, seats[view["turn"]], "1C", view["number"])
        await asyncio.sleep(0.3)
        assert not (await look(first, table))["calls"]  # it does not know yet
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
        ended += " OR query = 'SELECT 1'"
        second.server.rooms.store.rows(ended)

        async def caught_up() -> bool:
            return bool((await look(first, table))["calls"])

        await until(caught_up)


async def test_a_server_need_not_read_what_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two(tmp_path) as (first, second):
        table, seats = await _seated(first, second)
        both = [client.server.rooms.find(table) for client in (first, second)]

        async def equal() -> bool:
            return both[0].state == both[1].state

        await until(equal)
        read = Counter[str]()
        events = PostgresStore.events

        def counted(store: PostgresStore, name: str, after: int = 0) -> list[Any]:
            read[name] += 1
            return events(store, name, after)

        monkeypatch.setattr(PostgresStore, "events", counted)
        for _ in range(3):
            view = await look(first, table)
            await act(first, table, seats[view["turn"]], "Pass", view["number"])
            await until(equal)
        assert not read
        monkeypatch.setattr(chat, "LONGEST_MESSAGE", 8000)
        long = Chat("x" * 8000, Seat.NORTH)  # a notice is shorter than 8,000 bytes
        await first.server.rooms.store.append(table, both[0].state.number + 1, long)

        async def shown() -> bool:
            return all(room.state.messages for room in both)

        await until(shown)
        assert read == {table: 2}
