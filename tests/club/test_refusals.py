"""What is refused: each with its status, and nothing changed by it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.club.helpers import Client, act, client_of, look, open_table, running, sit, three
from tribridge.club.core.keys import new_key, read_token, seat_token

pytestmark = pytest.mark.anyio


async def _all(client: Client, table: str) -> tuple[int, list[Any]]:
    room = client.server.rooms.find(table)
    return room.state.number, client.server.rooms.store.events(table)


async def test_acting_for_another_seat(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client)
        before = await _all(client, table)
        number = (await look(client, table))["number"]
        good = seats["N"]["authorization"]
        forged = good[:-1] + ("1" if good.endswith("0") else "0")
        for who, status in (
            (seats["E"], 403),  # not East's turn
            ({}, 403),
            ({"authorization": "Bearer nonsense"}, 403),
            ({"authorization": forged}, 403),
            ({"authorization": "Basic abc"}, 403),
        ):
            answer = await act(client, table, who, "Pass", number)
            assert answer.status_code == status, (who, answer.text)
        other, _ = await three(client)
        answer = await act(client, other, seats["N"], "Pass", 5)
        assert answer.status_code == 403  # a token of another table
        assert await _all(client, table) == before


async def test_a_token_dies_with_the_seat(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        table, seats = await three(client)
        async with client_of(app) as browser:
            token = seats["N"]["authorization"].split()[1]
            browser.cookies.set(f"seat-{table}", token, domain="localhost.local", path="/")
            answer = await browser.post(
                f"/table/{table}/leave",
                data={"for_good": "true"},
                headers={"cookie": f"seat-{table}={token}"},
            )
            assert answer.status_code == 303
        answer = await act(client, table, seats["N"], "Pass", 6)
        assert answer.status_code == 403


def test_a_token_cannot_be_made_without_the_secret() -> None:
    from tribridge.cards.deals import Seat

    token = seat_token(b"secret", "table", Seat.NORTH, 1)
    assert read_token(b"secret", "table", token) == (Seat.NORTH, 1)
    for other in (
        token.replace(".N.", ".E."),
        token.replace(".1.", ".2."),
        token + "x",
        token.rpartition(".")[0],
        "",
        "....",
        seat_token(b"guess", "table", Seat.NORTH, 1),
    ):
        assert read_token(b"secret", "table", other) is None


async def test_a_request_sent_again_acts_once(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client)
        number = (await look(client, table))["number"]
        assert (await act(client, table, seats["N"], "1C", number)).status_code == 200
        before = await _all(client, table)
        again = await act(client, table, seats["N"], "1C", number)
        assert again.status_code == 200  # its answer may have been lost
        assert again.json()["number"] == number + 1
        other = await act(client, table, seats["N"], "1D", number)
        assert other.status_code == 409
        early = await act(client, table, seats["E"], "Pass", number + 9)
        assert early.status_code == 409
        assert await _all(client, table) == before


async def test_two_clicks_at_once_play_one_card(tmp_path: Path) -> None:
    import asyncio

    async with running(tmp_path) as (_, client):
        table, seats = await three(client)
        number = (await look(client, table))["number"]
        answers = await asyncio.gather(
            *(act(client, table, seats["N"], "1C", number) for _ in range(5))
        )
        assert {answer.status_code for answer in answers} == {200}
        assert (await look(client, table))["calls"] == ["1C"]


async def test_what_the_rules_do_not_allow(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, seed=1)
        number = (await look(client, table))["number"]
        await act(client, table, seats["N"], "2H", number)
        before = await _all(client, table)
        for call in ("1S", "2H", "X", "SK", "8NT", "", "xyz", "Pass; DROP", "♠"):
            answer = await act(client, table, seats["E"], call, number + 1)
            assert answer.status_code == 422, (call, answer.text)
            assert "error" in answer.json()
        assert await _all(client, table) == before
        await act(client, table, seats["E"], "Pass", number + 1)
        await act(client, table, seats["S"], "Pass", number + 2)
        view = await look(client, table, seats["E"])
        before = await _all(client, table)
        others = await look(client, table, seats["S"])
        for card in (others["hand"][0], view["dummy"][0], "Pass", "S1"):
            answer = await act(client, table, seats["E"], card, view["number"])
            assert answer.status_code == 422, (card, answer.text)
        assert await _all(client, table) == before


async def test_unknown_tables_and_pages(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        for path in (
            "/api/tables/nothing",
            "/table/nothing",
            "/table/nothing/board",
            "/table/nothing/review/1",
            "/nothing",
            "/static/../app.py",
        ):
            assert (await client.get(path)).status_code == 404, path
        table, _ = await three(client)
        for path in ("review/1", "review/0", "review/99", "review/1/deal.pbn"):
            assert (await client.get(f"/table/{table}/{path}")).status_code == 404, path
        answer = await client.post("/api/tables/nothing/actions", json={"action": "P", "at": 1})
        assert answer.status_code == 404


async def test_a_large_body(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client)
        before = await _all(client, table)
        big = b"action=Pass&at=5&x=" + b"x" * 10_000_000
        answer = await client.post(f"/table/{table}/act", content=big)
        assert answer.status_code == 413

        async def chunks() -> Any:  # no length is told in advance
            for _ in range(200):
                yield b"x" * 1024

        answer = await client.post(f"/api/tables/{table}/actions", content=chunks())
        assert answer.status_code == 413
        body = {"action": "P" * 1000, "at": 5}
        answer = await client.post(f"/api/tables/{table}/actions", json=body, headers=seats["N"])
        assert answer.status_code == 422
        assert await _all(client, table) == before


@pytest.mark.parametrize("number", ["9" * 5000, "²", "x"])
async def test_a_number_of_an_event_that_is_none(tmp_path: Path, number: str) -> None:
    async with running(tmp_path) as (_, client):
        table = await open_table(client)
        for path in (f"/table/{table}", f"/api/tables/{table}", f"/api/tables/{table}/score"):
            assert (await client.get(path, params={"after": number})).status_code == 200
            sent = [(b"last-event-id", number.encode())]
            assert (await client.get(path, headers=sent)).status_code == 200
        answer = await client.get(f"/table/{table}/stream", params={"after": number})
        assert answer.status_code == 422


async def test_a_flood_from_one_client(tmp_path: Path) -> None:
    async with running(tmp_path, rate=0.01, burst=60.0) as (_, client):
        table, seats = await three(client)
        codes = [(await client.get(f"/api/tables/{table}")).status_code for _ in range(80)]
        assert 429 in codes
        assert set(codes) == {200, 429}
        before = await _all(client, table)
        answer = await act(client, table, seats["N"], "Pass", before[0])
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) >= 1
        assert await _all(client, table) == before


async def test_a_flood_of_tables(tmp_path: Path) -> None:
    async with running(tmp_path, rate=0.01, burst=60.0) as (_, client):
        codes = [(await client.post("/watch", data={"deals": "1"})).status_code for _ in range(12)]
        assert codes[:4] == [303] * 4
        assert codes[-1] == 429


async def test_a_form_of_another_site_and_another_name(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        answer = await client.post("/watch", headers={"origin": "http://evil.example"})
        assert answer.status_code == 403
        answer = await client.post("/watch", headers={"origin": "http://["})
        assert answer.status_code == 403
        for host in ("evil.example", "", "[", "a]b", "evil@localhost", "localhost/evil", "::1"):
            answer = await client.get("/", headers={"host": host})
            assert answer.status_code == 421, host
        for host in ("localhost:8013", "LOCALHOST", "127.0.0.1:1", "[::1]:8013"):
            assert (await client.get("/", headers={"host": host})).status_code == 200, host
        answer = await client.post("/watch", headers={"origin": "http://localhost"})
        assert answer.status_code == 303
        assert not [None for name in client.server.rooms.store.tables(over=False)][1:]


async def test_wrong_forms(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        for path, data in (
            ("/play", {"scoring": "old", "deals": "0"}),
            ("/play", {"scoring": "old", "deals": "1000"}),
            ("/play", {"scoring": "/etc/passwd"}),
            ("/play", {"scoring": "x.toml"}),
            ("/play", {"other": "nobody"}),
            ("/play", {"other": "oracle"}),
            ("/play", {"other": "forecast:scheme=/x/pyproject.toml"}),
            ("/play", {"other": "sampling:layouts=1000000000"}),
            ("/play", {"other": "forecast:samples=1000000000"}),
            ("/play", {"other": "sampling:processes=8"}),
            ("/play", {"deals": "many"}),
        ):
            answer = await client.post(path, data=data)
            assert 400 <= answer.status_code < 500, (path, data, answer.status_code)
        assert list(client.server.rooms.store.tables(over=False)) == []


async def test_a_seat_is_taken_once(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table = await open_table(client)
        await sit(client, table, "N")
        answer = await client.post(f"/api/tables/{table}/seats/N", json={})
        assert answer.status_code == 422
        answer = await client.post(f"/api/tables/{table}/seats/W", json={})
        assert answer.status_code == 422
        answer = await client.post(f"/api/tables/{table}/seats/E", json={"seat": 1})
        assert answer.status_code == 422


async def test_watching_shows_no_hand(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        table = await open_table(client, open=["S"])
        await sit(client, table, "S")
        async with client_of(app) as stranger:
            page = (await stranger.get(f"/table/{table}")).text
            assert "You are kibitzing" in re.sub(r"<[^>]*>", "", page)
            assert "card-" not in page
            assert (await stranger.post(f"/table/{table}/advice")).status_code == 403
            data = {"action": "Pass", "at": 1}
            answer = await stranger.post(f"/table/{table}/act", data=data)
            assert answer.status_code == 403


_OF_PYDANTIC = re.compile("Input should|Field required|valid|instance of|GameFile|unable|decode")


async def test_a_malformed_request_is_refused_in_plain_words(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client)
        play, as_json = f"/api/tables/{table}/actions", {"content-type": "application/json"}
        key = {"authorization": f"Bearer {new_key()}"}
        for path, body, words in (
            ("/api/me/import", b"", "the body of the request is missing"),
            ("/api/me/import", b"%PDF", "the body of the request is not JSON"),
            ("/api/me/import", b'"text"', "the body of the request: a JSON object is expected"),
            ("/api/me/import", b"[]", "the body of the request: a JSON object is expected"),
            ("/api/me/import", b"{}", "games is missing"),
            ("/api/me/import", b'{"games": 3}', "games: a text is expected"),
            ("/api/me/import", b'{"games": "", "x": 3}', "x: there is no such field"),
            (play, b'{"action": "Pass", "at": "x"}', "at: a whole number is expected"),
            ("/api/tables", b'{"deals": "x"}', "deals: a whole number is expected"),
        ):
            headers = as_json | (seats["N"] if path == play else key)
            answer = await client.post(path, content=body, headers=headers)
            told = answer.json()["error"]
            assert (answer.status_code, told.startswith(words)) == (422, True), (body, told)
            assert not _OF_PYDANTIC.search(told), told
        bare = await client.post("/api/me/import", content=b"\x00\xff", headers=key)
        assert (bare.status_code, bool(_OF_PYDANTIC.search(bare.text))) == (422, False)


async def test_a_wrong_link_is_told_in_plain_words(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, _ = await three(client)
        for path in (f"/table/{table}/review/x", f"/table/{table}/sheet/x", "/turning/x/y"):
            answer = await client.get(path, headers={"accept": "text/html"})
            assert answer.status_code == 404, path
            assert "there is nothing at this address" in answer.text.lower(), path
        for path in ("/algorithm?step=x", "/algorithm?step=-1", "/me?new=x", "/puzzles?experts=7"):
            answer = await client.get(path, headers={"accept": "text/html"})
            assert answer.status_code == 422, path
            assert not _OF_PYDANTIC.search(answer.text), path
