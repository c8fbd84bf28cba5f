"""My games: history by a device's key, export and import, statistics, deletion, privacy."""

from __future__ import annotations

import asyncio
import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from tests.club.described import DescribedClient
from tests.club.helpers import (
    Client,
    choose,
    client_of,
    form_at,
    look,
    open_table,
    play_deal,
    running,
    sit,
    stored_events,
    three,
)
from tribridge.cards.deals import Seat
from tribridge.club.core.bots import levels
from tribridge.club.core.keys import device_of_key, new_key, read_key
from tribridge.club.errors import WebError
from tribridge.club.history import Scoring, loads, seats_of
from tribridge.club.history.rating import rate
from tribridge.club.language import gettext
from tribridge.club.pages import me
from tribridge.club.pages.open_hands import rating_chart, score_chart

pytestmark = pytest.mark.anyio


FORM = {
    "strategy": "pass+random",
    "name": "Ann",
    "deals": "2",
    "scoring": "auction",
    "no_doubles": "true",
}


async def _play_match(client: Client, **fields: str) -> str:
    """A whole match against bots, played through the pages; its table."""
    answer = await client.post("/play", data=FORM | fields)
    assert answer.status_code == 303, answer.text
    return await _play_on(client, answer.headers["location"].removeprefix("/table/"))


async def _play_on(client: Client, table: str) -> str:
    """The rest of a match, played through the pages; its table."""
    room = client.server.rooms.find(table)
    random = Random(5)
    while not room.state.over:
        state = room.state
        if state.closed:
            await client.post(f"/table/{table}/next", data={"at": state.number})
        elif state.turn is Seat.SOUTH:
            assert state.table is not None
            legal = [str(one) for one in (await _legal(client, table))]
            action = legal[int(random.random() * len(legal))]
            if state.table.contract is None:
                first = not state.table.auction.calls[2:]
                action = "1NT" if first and "1NT" in legal else "Pass"
            done = await client.post(
                f"/table/{table}/act", data={"action": action, "at": state.number}
            )
            assert done.status_code == 303, done.text
        else:
            await asyncio.sleep(0.001)
    return table


async def _legal(client: Client, table: str) -> list[str]:
    room = client.server.rooms.find(table)
    token = client.server.rooms.token(room, Seat.SOUTH)
    view = await look(client, table, {"authorization": f"Bearer {token}"})
    legal: list[str] = view["legal"]
    return legal


def _key(client: Client) -> str:
    (value,) = [c.value for c in client.cookies.jar if c.name == "player"]
    assert value is not None
    return value


async def test_a_match_is_listed_for_its_player_and_for_nobody_else(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as other:
        empty = await client.get("/me")
        assert "No games yet" in empty.text
        assert "player" not in client.cookies  # looking stores nothing
        table = await _play_match(client)
        mine = await client.get("/me")
        assert mine.headers["cache-control"] == "no-store"
        for deal in (1, 2):
            assert f"/table/{table}/review/{deal}" in mine.text
        assert table not in (await other.get("/me")).text
        files = [file.read_bytes().decode("latin-1") for file in tmp_path.iterdir()]
        rows = client.server.rooms.store.rows("SELECT * FROM games")
        stored = f"{files} {rows}"
        assert _key(client) not in stored
        assert device_of_key(_key(client)) in stored


async def test_deals_after_giving_up_the_seat_are_not_mine(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        answer = await client.post("/play", data=FORM)
        table = answer.headers["location"].removeprefix("/table/")
        room = client.server.rooms.find(table)
        await client.post(f"/table/{table}/leave", data={"for_good": "true"})
        while not room.state.closed:
            await asyncio.sleep(0.001)
        assert "No games yet" in (await client.get("/me")).text


async def test_help_is_noted_and_such_deals_are_not_rated(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        strategy = {"strategy": "points+maxims", "deals": "1"}
        await _play_match(client, **strategy)
        known = await open_table(
            client, strategies=["points+maxims"] * 3, open=["S"], deals=1, seed=7
        )
        await client.post(f"/table/{known}/sit", data={"seat": "S"})
        await _play_on(client, known)
        games = client.server.games
        device = device_of_key(_key(client))
        assert sorted(deal.unaided for deal in await games.deals(device)) == [False, True]
        stats = await client.server.games.stats("me", device)
        assert (stats.deals, stats.rating.deals) == (2, 1)
        table = await _play_match(client, **strategy, scoring="auction-rubber", no_doubles="false")
        deals = len(client.server.rooms.find(table).state.finished)
        stats = await client.server.games.stats("me", device)
        found = [(rating.scoring, rating.deals) for rating in (stats.rating, *stats.other_ratings)]
        assert found == [(Scoring.RUBBER, deals), (Scoring.DEALS, 1)]
        page = (await client.get("/me/stats")).text
        assert f"after {deals} rated deals" in page
        assert "deal by deal, without doubles" in page
        # The names of the levels are apart, though the levels may not be.
        names = [gettext(level.name) for level in levels()]
        heights = [
            float(height)
            for height, text in re.findall(r'<text [^>]*y="([\d.]+)">(.*?)</text>', page)
            if text in names
        ]
        assert len(heights) >= 3
        assert all(below - above >= 20 for above, below in pairwise(heights))
        headers = {"authorization": f"Bearer {_key(client)}"}
        body = (await client.get("/api/me/stats", headers=headers)).json()
        assert (body["rating"]["scoring"], body["rating"]["deals"]) == ("auction-rubber", deals)
        assert [one["deals"] for one in body["other_ratings"]] == [1]


async def test_export_delete_and_import_restore_the_history(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table = await _play_match(client)
        file = (await client.get("/me/games.jsonl")).content
        before = (await client.get("/me")).text
        assert len(loads(file.decode())) == 2
        pbn = await client.get("/me/games.pbn")
        assert pbn.text.count("[Event ") == 2
        # It says what the site knows, so that it can be imported without a question.
        deals = loads(file.decode())
        assert f'[Date "{deals[0].date[:10].replace("-", ".")}"]' in pbn.text
        assert '[Site "Tribridge"]' in pbn.text
        assert seats_of(pbn.text) == {}
        again = loads(pbn.text)
        assert [deal.names for deal in again] == [deal.names for deal in deals]
        assert [deal.seat for deal in again] == [deal.seat for deal in deals]
        assert [deal.date for deal in again] == [deal.date[:10] for deal in deals]
        assert all(f'"{name}"]' in pbn.text for name in deals[0].names)
        no_day = pbn.text.replace(f'[Date "{deals[0].date[:4]}.', '[Date "2026.99.')
        assert {deal.date for deal in loads(no_day)} == {""}
        nobody = pbn.text.replace('[TribridgePlayer "', '[TribridgePlayer "Q')
        assert len(seats_of(nobody)) == 3  # so it is asked who one is
        assert len(loads(nobody, "S")) == 2
        unsure = await client.post("/me/delete")
        assert unsure.status_code == 422
        assert (await client.get("/me")).text == before
        gone = await client.post("/me/delete", data={"sure": "true"})
        assert gone.headers["location"] == "/me?gone=true"
        assert "player" not in client.cookies
        # Nobody else sat there, so the table itself is gone.
        assert (await client.get(f"/table/{table}")).status_code == 404
        for new in (2, 0):  # the second time all is there already
            answer = await client.post("/me/import", files={"file": ("games.jsonl", file)})
            assert answer.headers["location"] == f"/me?new={new}"
        text = (await client.get("/me/games.jsonl")).text
        assert text.encode() == file


async def test_a_table_with_other_people_is_not_deleted(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        key = (await client.post("/api/me/key")).json()["key"]
        table, seats = await three(client, deals=1)
        token = seats["N"]["authorization"].removeprefix("Bearer ")
        mine = {"authorization": f"Bearer {key}"}
        body = {"table": table, "token": token}
        assert (await client.post("/api/me/games", json=body, headers=mine)).status_code == 201
        await play_deal(client, table, seats, Random(3))
        deleted = await client.delete("/api/me", headers=mine)
        assert deleted.json() == {"games": 1}
        assert (await client.get(f"/table/{table}")).status_code == 200
        assert (await client.get("/api/me/games", headers=mine)).json()["games"] == []


async def test_a_key_carries_the_games_to_another_device(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as other:
        first = await _play_match(client)
        second = await _play_match(other)
        typed = _key(client).lower().replace("-", " ")
        answer = await other.post("/me/key", data={"key": typed, "bring": "true"})
        assert answer.headers["location"] == "/me"
        for browser in (client, other):
            page = (await browser.get("/me")).text
            assert first in page
            assert second in page


@pytest.mark.parametrize(
    ("path", "send", "line"),
    [
        ("/me/key", {"data": {"key": "abcd"}}, "that is not a key: a key has 24 letters"),
        ("/me/key", {"data": {"key": "é" * 24}}, "that is not a key"),
        ("/me/key", {"data": {"key": new_key()}}, "this server has no games under that key"),
        ("/me/import", {"files": {"file": ("x", b"\xff\x00")}}, "it is not text"),
        ("/me/import", {"files": {"file": ("x", b"hello")}}, "can be used: line 1"),
        ("/me/import", {"files": {"file": ("x", b"\n")}}, "there is no finished deal in it"),
        ("/me/import", {"files": {"file": ("x", b"x" * (17 << 20))}}, "at most 16777216 bytes"),
    ],
)
async def test_a_bad_key_or_file_gets_one_clear_line(
    tmp_path: Path, path: str, send: dict[str, Any], line: str
) -> None:
    async with running(tmp_path) as (_, client):
        answer = await client.post(path, **send)
        assert answer.status_code in (413, 422)
        assert answer.text.count("\n") == 1
        assert line in answer.text


async def test_a_key_brings_back_the_name_of_its_owner(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as other:
        await _play_match(client, name="Zoë")
        key = _key(client)
        answer = await other.post("/me/key", data={"key": key})
        assert answer.status_code == 303
        assert 'value="Zoë"' in (await other.get("/")).text


async def test_a_mistyped_key_stays_in_its_field(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        await _play_match(client)
        headers = {"accept": "text/html", "accept-language": "de"}
        for typed, line in (("ABCD-EFGH", "Das ist kein Schlüssel"), (new_key(), "keine Spiele")):
            body = {"key": typed, "bring": "true"}
            answer = await client.post("/me/key", data=body, headers=headers)
            assert (answer.status_code, line in answer.text) == (422, True)
            form = answer.text.partition('action="/me/key"')[2].partition("</form>")[0]
            assert f'value="{typed}"' in form
            assert "checked" in form


def test_any_single_mistake_in_a_key_is_noticed() -> None:
    key = new_key()
    for at in range(len(key)):
        if key[at] != "-":
            wrong = "A" if key[at] != "A" else "C"
            with pytest.raises(WebError):
                read_key(key[:at] + wrong + key[at + 1 :])


async def test_the_api_does_what_the_page_does(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        api = DescribedClient(client, (await client.get("/openapi.json")).json())
        key = (await api.call("new_player_key", status=201))["key"]
        table = await open_table(client, open=["S"], strategies=["points+maxims"] * 3, deals=1)
        seat = await sit(client, table, "S", "Ann")
        token = seat["authorization"].removeprefix("Bearer ")
        body = {"table": table, "token": token}
        await api.call("add_game", body | {"token": "x"}, token=key, status=403)
        await api.call("add_game", body | {"table": "x"}, token=key, status=404)
        added = await api.call("add_game", body, token=key, status=201)
        assert added["games"] == []  # no deal is finished yet
        await _finish(client, table, seat)
        (game,) = (await api.call("list_games", token=key))["games"]
        assert game["names"][2] == "Ann"
        assert game["strategies"] == ["points+maxims", "points+maxims", None]
        assert game["deals"][0]["review"] == f"/table/{table}/review/1"
        stats = await api.call("game_stats", token=key)
        assert (stats["deals"], stats["rating"]["deals"]) == (1, 1)
        assert stats["rating"]["too_few"]
        file = await api.call("export_games", token=key)
        other = (await api.call("new_player_key", status=201))["key"]
        assert await api.call("import_game_file", file, token=other) == {
            "deals": 1, "left_out": []
        }  # fmt: skip
        assert await api.call("export_games", token=other) == file
        await api.call("import_game_file", {"games": "{}"}, token=other, status=422)
        assert await api.call("delete_history", token=other) == {"games": 1}
        await api.call("list_games", status=403)
        await api.call("list_games", token="nonsense", status=422)
        mine = {n for n, (_, path, _) in api.operations.items() if path.startswith("/api/me")}
        assert mine <= {name for name, status in api.seen if status < 300}


async def _finish(client: Client, table: str, seat: dict[str, str]) -> None:
    random = Random(2)
    for _ in range(2000):
        view = await look(client, table, seat)
        if view["deal_over"]:
            return
        if view["turn"] == view["seat"]:
            body = {"action": choose(view, random), "at": view["number"]}
            await client.post(f"/api/tables/{table}/actions", json=body, headers=seat)
        await asyncio.sleep(0.001)
    raise AssertionError("the deal does not end")


async def test_statistics_on_the_page(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        assert (await client.get("/me/stats")).status_code == 422
        await _play_match(client)
        with pytest.MonkeyPatch.context() as patch:  # a page is not kept waiting
            patch.setattr(me, "PATIENCE", 0.0)
            wait = await client.get("/me/stats", headers={"hx-request": "true"})
            assert "2 deals to go" in wait.text
        part = await client.get("/me/stats", headers={"hx-request": "true"})
        assert "deal by deal" in part.text  # the graph
        # What both opponents pay is not what the sheet says: it must be told so wherever it stands.
        moments = part.text.partition('class="moments"')[2].partition("</ul>")[0].split("<li>")[1:]
        assert moments
        assert all("with both opponents" in moment for moment in moments)
        assert "with both opponents" in (await client.get("/me")).text
        assert "too few deals to tell" not in part.text
        assert "<html" not in part.text
        assert "<html" in (await client.get("/me/stats")).text


def test_the_graphs_begin_with_the_first_deal() -> None:
    assert score_chart(()) is None
    one, some = score_chart([-35.0]), score_chart([10.0, -30.0, 60.0])
    assert one is not None
    assert some is not None
    assert len(one.dots) == 1
    heights = [y for _, y in some.lines["exact"]]
    assert heights[3] < heights[1] < heights[0] < heights[2]  # 40, 10, 0, -20, from above
    assert rating_chart((), rate(()), {}) is None
    large = score_chart([-2_000_000.0])
    assert large is not None
    labels = large.levels.values()
    assert {"−2000000", "0"} <= set(labels)
    assert large.plot.left >= 12 * max(map(len, labels)) + 10  # nothing is cut off


async def test_games_can_be_listed_by_kind(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table = await _play_match(client, deals="1")
        pages = {
            kind: (await client.get("/me", params={"show": kind})).text
            for kind in ("", "won", "lost", "rubbers", "people", "nonsense")
        }
        listed = {kind for kind, text in pages.items() if f"/table/{table}/review" in text}
        net = {"won": 'class="net gain"', "lost": 'class="net loss"'}
        expected = {kind for kind, text in net.items() if text in pages[""]}
        assert listed == {"", "nonsense", *expected}


async def test_a_lost_answer_never_plays_a_move_twice(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        answer = await client.post("/play", data=FORM)
        table = answer.headers["location"].removeprefix("/table/")
        room = client.server.rooms.find(table)
        while room.state.turn is not Seat.SOUTH:
            await asyncio.sleep(0.001)
        number = room.state.number
        move = {"action": "1C", "at": number}
        answers: list[httpx.Response] = [
            await client.post(f"/table/{table}/act", data=move, headers={"hx-request": "true"})
            for _ in range(3)  # the first two answers are lost on the way
        ]
        assert [one.status_code for one in answers] == [200, 200, 200]
        assert form_at(answers[-1].text) >= number + 1
        stored = stored_events(client, table)
        assert sum(event.get("action") == "1C" for event in stored) == 1
        other = {"action": "2C", "at": number}
        assert (await client.post(f"/table/{table}/act", data=other)).status_code == 409


async def test_the_app_can_be_installed_and_keeps_no_private_page(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        page = await client.get("/")
        assert "manifest-src 'self'" in page.headers["content-security-policy"]
        assert "unsafe" not in page.headers["content-security-policy"]
        manifest = await client.get("/static/manifest.webmanifest")
        assert manifest.headers["content-type"].startswith("application/manifest+json")
        for icon in manifest.json()["icons"]:
            assert (await client.get(icon["src"])).headers["content-type"] == icon["type"]
        worker = await client.get("/sw.js")
        assert worker.headers["cache-control"] == "no-cache"
        assert '"/offline"' in worker.text
        assert '"/me' not in worker.text
        assert '"/table' not in worker.text
        link = page.text.split('rel="stylesheet" href="')[1].split('"')[0]
        assert link in worker.text
        assert "immutable" in (await client.get(link)).headers["cache-control"]
        plain = await client.get("/static/style.css")
        assert plain.headers["cache-control"] == "no-cache"


FOREIGN = """[Event "Club night"]
[Board "1"]
[West "Ann"]
[North "Béa"]
[Deal "N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64"]
[Declarer "N"]
[Contract "3NT"]
[Result "9"]

[Board "2"]
[Deal "N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64"]
[Declarer "E"]
[Contract "1NT"]
[Result "5"]

[Board "3"]
[Deal "N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T975.A82.A54.64"]
"""


async def test_a_file_of_another_program_is_imported_for_a_seat_of_it(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        file = {"file": ("club.pbn", FOREIGN.encode("latin-1"))}
        asked = (await client.post("/me/import", files=file)).text
        # The page asks which player one is, and the file need not be chosen again.
        buttons = re.findall(r'name="seat" value="(.)">\s*([^<]*?)\s*<', asked)
        assert buttons == [("N", "North: Béa"), ("E", "East"), ("S", "South"), ("W", "West: Ann")]
        assert 'type="file"' not in asked
        assert "No games yet" in (await client.get("/me")).text
        (kept,) = re.findall(r'name="kept" value="([^"]*)"', asked)
        answer = await client.post("/me/import", data={"kept": unescape(kept), "seat": "W"})
        assert "1 new deal imported" in answer.text
        assert "board 3 (line 16): the hand of W has 12 cards, not 13" in answer.text
        assert "1 deal in which W was dummy" in answer.text
        again = await client.post("/me/import", files=file, data={"seat": "W"})
        assert "0 new deals imported" in again.text
        german = {"accept-language": "de"}
        again = await client.post("/me/import", files=file, data={"seat": "W"}, headers=german)
        assert "Board 3 (Zeile 16): die Hand von W hat 12 Karten statt 13" in again.text
        assert "1 Spiel mit W als Dummy" in again.text
        mine = (await client.get("/me")).text
        assert "Béa" in mine
        (deal,) = loads((await client.get("/me/games.jsonl")).text)
        assert (deal.seat, deal.outcome.tricks, deal.names) == (
            Seat.SOUTH,
            9,
            ("Béa", "East", "Ann"),
        )
        pbn = (await client.get("/me/games.pbn")).text
        assert '[Event "Club night"]' in pbn


async def test_a_long_file_is_chosen_again_with_its_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(me, "KEPT", 10)
    async with running(tmp_path) as (_, client):
        file = {"file": ("club.pbn", FOREIGN.encode("latin-1"))}
        asked = (await client.post("/me/import", files=file)).text
        assert 'name="kept"' not in asked
        form = asked.partition('enctype="multipart/form-data"')[2].partition("</form>")[0]
        assert 'type="file"' in form
        assert 'name="seat" value="W"' in form


async def test_of_a_damaged_file_the_whole_deals_are_imported(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        await _play_match(client)
        lines = (await client.get("/me/games.jsonl")).text.splitlines()
        cut = "\n".join([*lines[:-3], lines[-3][:9]])
        await client.post("/me/delete", data={"sure": "true"})
        file = {"file": ("games.jsonl", cut)}
        answer = await client.post("/me/import", files=file, headers={"accept-language": "de"})
        assert "1 neues Spiel importiert" in answer.text
        assert f"Zeile {len(lines) - 2}: kein JSON-Objekt" in answer.text


async def test_the_api_imports_files_of_other_programs(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        headers = {"authorization": f"Bearer {new_key()}"}
        body = {"games": FOREIGN, "seat": "E"}
        answer = (await client.post("/api/me/import", json=body, headers=headers)).json()
        assert answer["deals"] == 2
        assert [text.partition(":")[0] for text in answer["left_out"]] == ["board 3 (line 16)"]


@pytest.mark.parametrize("text", ["/etc/hostname", "club.pbn", "https://example.org/?n=sa"])
async def test_an_upload_is_never_the_name_of_a_file(text: str, tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        files = {"file": ("games.pbn", text.encode())}
        answer = await client.post("/me/import", files=files, data={"seat": "N"})
        assert answer.status_code == 422
        assert "expected a tag" in answer.text


async def test_a_zip_is_no_file_of_games(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        files = {"file": ("games.pbn", b"PK\x03\x04" + bytes(100))}
        answer = await client.post("/me/import", files=files, data={"seat": "N"})
        assert answer.status_code == 422
        assert "not text" in answer.text
