"""Challenges: the same deals for everybody, once each, and nothing known beforehand."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.club.ears import Ear
from tests.club.helpers import (
    Client,
    Listening,
    act,
    choose,
    client_of,
    look,
    play_deal,
    running,
    three,
)
from tests.club.test_injection import MARK, injected
from tests.club.test_leaks import told
from tribridge.cards.deals import Seat
from tribridge.club.core import challenges
from tribridge.club.core.bots import Bot, Level
from tribridge.club.core.challenges import Result, daily, ranked
from tribridge.club.core.keys import new_key
from tribridge.club.core.room import Room

pytestmark = pytest.mark.anyio


KEY = new_key()
DAY = date(2026, 3, 1)
QUICK = tuple(
    Level(name, "", strategy, tuple(Bot(f"{name}{at}", "") for at in range(3)))
    for name, strategy in (("Low", "pass+random"), ("High", "points+random"))
)


@pytest.fixture(autouse=True)
def quick_challenges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two small deals, and bots that play them in no time."""
    small = replace(challenges.DAILY, deals=2, deck="4x3")
    monkeypatch.setattr(challenges, "DAILY", small)
    monkeypatch.setattr(challenges, "levels", lambda: QUICK)
    monkeypatch.setattr(challenges, "default_level", lambda: QUICK[0])


async def _begin(client: Client, key: str | None = None, name: str = "Ann") -> dict[str, Any]:
    """Begin today's challenge."""
    headers = {} if key is None else {"x-device-key": key}
    path = f"/api/challenges/{DAY}/play"
    answer = await client.post(path, json={"name": name}, headers=headers)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def _play_on(client: Client, seat: dict[str, Any], random: Random) -> Room:
    """Play a challenge to its end."""
    room = client.server.rooms.find(seat["table"])
    bearer = {"authorization": f"Bearer {seat['token']}"}
    async with asyncio.timeout(300):
        while not room.state.over:
            if room.state.closed:
                at = {"at": room.state.number}
                await client.post(f"/api/tables/{room.name}/next", json=at, headers=bearer)
            elif room.state.turn is not None and room.state.places[room.state.turn].person:
                view = await look(client, room.name, bearer)
                await act(client, room.name, bearer, choose(view, random), view["number"])
            else:
                await room.wait(room.state.number)
    return room


async def _results(client: Client, key: str | None) -> dict[str, Any]:
    headers = {} if key is None else {"x-device-key": key}
    answer = await client.get(f"/api/challenges/{DAY}", headers=headers)
    found: dict[str, Any] = answer.json()
    return found


async def _nothing(challenge: challenges.Challenge) -> None:
    """Instead of letting the bots play."""


def _today(client: Client, day: date) -> None:
    client.server.challenges.today = lambda: day


def test_the_deals_of_a_day_follow_from_the_server_and_the_date() -> None:
    one, same = daily(b"server", DAY), daily(b"server", DAY)
    assert one == same
    others = [daily(b"another", DAY), daily(b"server", date(2026, 3, 2))]
    secrets = {one.match.secret, *(other.match.secret for other in others)}
    assert len(secrets) == 3
    assert len({one.dice, *(other.dice for other in others)}) == 3


async def test_everyone_plays_the_same_deals_and_sees_the_results_afterwards(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as (_, client):
        _today(client, DAY)
        ann = await _begin(client)
        ben = await _begin(client, KEY, "Ben")
        rooms = [client.server.rooms.find(one["table"]) for one in (ann, ben)]
        assert rooms[0].state.match.seed == rooms[1].state.match.seed
        assert rooms[0].state.strategy_seed == rooms[1].state.strategy_seed
        again = await _begin(client, ann["device"], "Another")
        assert again["table"] == ann["table"]  # one table each
        before = await _results(client, ann["device"])
        assert (before["results"], before["finished"], before["players"]) == (None, False, 0)
        await _play_on(client, ann, Random(1))
        assert (await _results(client, KEY))["results"] is None
        view = await _results(client, ann["device"])
        while view["computing"]:
            await asyncio.sleep(0)
            view = await _results(client, ann["device"])
        assert (view["finished"], view["players"]) == (True, 1)
        totals = rooms[0].state.match.totals()
        mine = next(one for one in view["results"] if one["you"])
        assert (mine["name"], mine["total"]) == ("Ann", str(totals[Seat.SOUTH]))
        assert {one["name"] for one in view["results"]} == {"Ann", "Kim", "Bea"}
        assert [one["bot"] for one in view["results"]].count(True) == 2
        ranks = [one["rank"] for one in view["results"]]
        assert ranks == sorted(ranks)
        worse = sum(one["bot"] and int(one["net"]) < int(mine["net"]) for one in view["results"])
        shown = await client.get(
            f"/challenge/{DAY}/results", headers={"cookie": f"player={ann['device']}"}
        )
        said = ("at least as well", "Better than 1 of the 2 bots", "Better than each of the 2")
        assert [words in shown.text for words in said] == [at == worse for at in range(3)]
        store = client.server.rooms.store
        store.change(("DELETE FROM entries WHERE player LIKE 'b:%'", ()))
        client.server.challenges._bots.clear()  # they play again: nothing is said of them yet
        shown = await client.get(
            f"/challenge/{DAY}/results", headers={"cookie": f"player={ann['device']}"}
        )
        assert "Bots are still playing" in shown.text
        assert not any(words in shown.text for words in said)
        await _play_on(client, ben, Random(2))
        names = {one["name"] for one in (await _results(client, KEY))["results"]}
        assert names == {"Ann", "Ben", "Kim", "Bea"}


async def test_nobody_is_told_that_the_bots_have_finished_without_their_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever happens between two reads of one answer, what it says belongs together."""
    async with running(tmp_path) as (_, client):
        _today(client, DAY)
        here = client.server.challenges
        with monkeypatch.context() as until_now:
            until_now.setattr(here, "begin_bots", _nothing)
            ann, ben = await _begin(client), await _begin(client, KEY, "Ben")
            await _play_on(client, ann, Random(1))
        table_of = here.table_of

        async def slow(challenge: challenges.Challenge, player: str) -> str | None:
            await _play_on(client, ben, Random(2))
            while len((await here.results(challenge))[0]) < 4:
                await asyncio.sleep(0.01)
            await asyncio.gather(*here._bots.values())
            return await table_of(challenge, player)

        monkeypatch.setattr(here, "table_of", slow)
        async with asyncio.timeout(60):
            first = await _results(client, ann["device"])
        assert first["computing"] or len(first["results"]) == 4
        assert first["players"] == sum(not line["bot"] for line in first["results"])
        after = await _results(client, ann["device"])
        assert (len(after["results"]), after["players"], after["computing"]) == (4, 2, False)


async def test_the_same_actions_meet_the_same_answers(tmp_path: Path) -> None:
    """A bot in the seat scores exactly what a person who plays like it would."""
    async with running(tmp_path) as (_, client):
        _today(client, DAY)
        pair = [await _begin(client, new_key()) for _ in range(2)]
        first, second = [await _play_on(client, one, Random(7)) for one in pair]
        assert [f.record for f in first.state.finished] == [f.record for f in second.state.finished]


async def test_nobody_learns_the_deals_before_they_have_finished(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        _today(client, DAY)
        ann = await _begin(client)
        table = ann["table"]
        bearer = {"authorization": f"Bearer {ann['token']}"}
        room = client.server.rooms.find(table)
        # To others the table does not exist: no page, no stream, no review, no list.
        for path in (
            f"/table/{table}",
            f"/table/{table}/board",
            f"/table/{table}/stream",
            f"/table/{table}/review/1",
            f"/table/{table}/match.pbn",
            f"/api/tables/{table}",
            f"/api/tables/{table}/events",
            f"/api/tables/{table}/review/1",
            f"/api/tables/{table}/log",
            f"/api/tables/{table}/score",
        ):
            for headers in ({}, {"x-device-key": new_key()}, {"cookie": f"player={new_key()}"}):
                answer = await client.get(path, headers=headers)
                assert answer.status_code == 403, path
                assert "yourself first" in answer.text
            assert (await client.head(path)).status_code == 403
        assert table not in (await client.get("/")).text
        assert (await client.get("/api/tables")).json() == []
        # To the player: the table without its seed, no hints, nothing to undo.
        async with Ear().at(app, f"/api/tables/{table}/events", bearer) as ear:
            for path in (f"/api/tables/{table}", f"/api/tables/{table}/score"):
                assert not told(room.state, (await client.get(path, headers=bearer)).text)
            await _play_on(client, ann, Random(3))
            assert room.state.undo_to(Seat.SOUTH) is None
            heard = ear.take()
            assert room.state.plan.secret is not None
            assert room.state.plan.secret not in heard
        for path in ("", "/play", "/results"):
            text = (await client.get(f"/challenge/{DAY}{path}")).text
            assert room.state.plan.secret not in text
        score = (await client.get(f"/api/tables/{table}/score", headers=bearer)).json()
        assert score["challenge"] == f"/challenge/{DAY}"
        path = f"/api/tables/{table}/advice"
        assert (await client.post(path, headers=bearer)).status_code in (403, 422)
        # Whoever has finished may look at how the others played.
        ben = await _begin(client, KEY)
        key = {"x-device-key": KEY}
        assert (await client.get(f"/api/tables/{table}", headers=key)).status_code == 403
        await _play_on(client, ben, Random(4))
        answer = await client.get(f"/api/tables/{table}/review/1", headers=key)
        assert answer.status_code == 200


async def test_tomorrow_is_unknown_and_yesterday_is_over(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        _today(client, DAY)
        answer = await client.get("/daily")
        assert answer.headers["location"] == f"/challenge/{DAY}"
        for name, words in (
            ("2026-03-02", "has not begun: today's is Sunday, 1 March 2026"),
            ("2026-02-28", "was not played by anyone"),
            ("2026-02-30", "there is no such challenge"),
            ("<b>", "there is no such challenge"),
        ):
            answer = await client.get(f"/api/challenges/{name}")
            assert (answer.status_code, words in answer.json()["error"]) == (404, True)
        seat = await _begin(client)
        _today(client, date(2026, 3, 2))
        # What was begun can be finished; nobody new begins; all may see the results.
        answer = await client.post(f"/api/challenges/{DAY}/play", json={})
        assert answer.status_code == 422
        assert "today's is Monday, 2 March 2026" in answer.json()["error"]
        headers = {"cookie": f"player={seat['device']}"}
        page = (await client.get(f"/challenge/{DAY}", headers=headers)).text
        assert f'action="/challenge/{DAY}/play"' in page
        await _play_on(client, seat, Random(5))
        assert (await _results(client, None))["results"]
        answer = await client.get(f"/challenge/{DAY}")
        assert "challenge is over" in answer.text
        answer = await client.get("/api/challenges/daily", headers={"x-device-key": "x"})
        assert answer.status_code == 400


async def test_a_friend_is_challenged_with_the_deals_of_a_match(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as friend:
        data = {"name": "Ann", "other": "pass+random", "scoring": "auction", "deals": "1"}
        path = (await client.post("/play", data=data)).headers["location"]
        room = client.server.rooms.find(path.rpartition("/")[2])
        answer = await client.post(f"{path}/challenge")
        assert (answer.status_code, "match is over" in answer.text) == (422, True)
        token = client.server.rooms.token(room, Seat.SOUTH)
        await _play_on(client, {"table": room.name, "token": token}, Random(2))
        assert "Challenge a friend" in (await client.get(path)).text
        assert (await friend.post(f"{path}/challenge")).status_code == 403
        link = (await client.post(f"{path}/challenge")).headers["location"]
        page = (await client.get(link)).text
        assert ("Ann’s challenge" in page, "the original match" in page) == (True, True)
        invited = (await friend.get(link)).text
        assert "1 player has finished it" in invited
        assert str(room.state.plan.secret) not in invited
        answer = await friend.post(f"{link}/play", data={"name": "Ben"})
        theirs = client.server.rooms.find(answer.headers["location"].rpartition("/")[2])
        assert theirs.state.match.seed == room.state.match.seed
        assert not theirs.state.plan.known
        token = client.server.rooms.token(theirs, Seat.SOUTH)
        await _play_on(client, {"table": theirs.name, "token": token}, Random(2))
        page = (await friend.get(answer.headers["location"])).text
        assert f'href="{link}">Compare results' in page
        page = (await friend.get(link)).text
        assert 'class="mine" aria-current="true"' in page
        # Who won between the two, and whose cards they were.
        assert "You and Ann are level." in page
        assert "the same cards as Ann" in page
        assert "Your friends" not in page
        store, sent = client.server.rooms.store, "UPDATE entries SET body = ? WHERE tab = ?"
        query = "SELECT body FROM entries WHERE tab = ?"
        ((body,),) = store.rows(query, theirs.name)
        own = json.loads(body)
        for more, mine, hers in (
            (676, "You beat Ann by 676.", "Ben beats you by 676."),
            (-2, "Ann beats you by 2.", "You beat Ben by 2."),
        ):
            changed = own | {"net": f"{Fraction(str(own['net'])) + more}"}
            store.change((sent, (json.dumps(changed), theirs.name)))
            assert mine in (await friend.get(link)).text
            page = (await client.get(link)).text
            assert hers in page
            assert "Your friends" in page
        assert page.count("you</span>") == 1
        # Where they bid otherwise, both auctions are there, for the one and for the other.
        assert 'class="auctions"' not in page
        changed = own | {"lines": ["Pass Pass 7NT Pass Pass"]}
        store.change((sent, (json.dumps(changed), theirs.name)))
        for visitor, name in ((friend, "Ann"), (client, "Ben")):
            page = (await visitor.get(link)).text
            told = page[page.index("You and ") :].partition("</ol>")[0]
            assert f"You and {name} bid 1 deal differently" in told
            assert told.count('class="who"') == 2
            assert 'class="bid">7' in told
        # The maker has played these deals and counts once.
        answer = await client.post(f"{link}/play")
        assert answer.headers["location"] == path


async def test_bots_bid_for_the_scheme_of_a_challenge(tmp_path: Path) -> None:
    workers = Listening()
    async with running(tmp_path, workers=workers) as (_, client):
        fields = {"deals": "1", "scoring": "contract"}
        path = (await client.post("/play", data={"other": "pass+random"} | fields)).headers[
            "location"
        ]
        room = client.server.rooms.find(path.rpartition("/")[2])
        token = client.server.rooms.token(room, Seat.SOUTH)
        await _play_on(client, {"table": room.name, "token": token}, Random(2))
        workers.schemes.clear()
        link = (await client.post(f"{path}/challenge")).headers["location"]
        async with asyncio.timeout(60):
            while "still playing" in (await client.get(link)).text:
                await asyncio.sleep(0.01)
        assert workers.schemes == {"contract"}


async def test_results_survive_a_kill_at_the_last_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        _today(client, DAY)

        async def killed(room: Room) -> None:
            """As if just before that."""

        client.server.rooms.when_over = killed
        monkeypatch.setattr(client.server.challenges, "begin_bots", _nothing)
        ann = await _begin(client)
        await _play_on(client, ann, Random(1))
        rows = client.server.rooms.store.rows("SELECT player, body FROM entries")
        assert [body for _, body in rows] == [None]
        assert all(ann["device"] not in player for player, _ in rows)  # only its hash
    async with running(tmp_path) as (_, client):
        _today(client, DAY)
        assert (await _results(client, ann["device"]))["finished"]


async def test_names_on_the_results_are_text(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        _today(client, DAY)
        seat = await _begin(client, KEY, MARK)
        await _play_on(client, seat, Random(1))
        headers = {"cookie": f"player={KEY}"}
        page = (await client.get(f"/challenge/{DAY}", headers=headers)).text
        assert "&lt;img" in page
        assert not injected(page)


async def test_leaving_keeps_the_seat_and_no_bot_plays(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        _today(client, DAY)
        seat = await _begin(client)
        bearer = {"authorization": f"Bearer {seat['token']}"}
        path = f"/api/tables/{seat['table']}"
        answer = await client.post(f"{path}/leave", json={"for_good": False}, headers=bearer)
        assert answer.json()["places"][2]["person"]
        answer = await client.post(f"{path}/leave", headers=bearer)
        assert answer.status_code == 422
        assert "nobody else" in answer.json()["error"]
        answer = await client.post(f"{path}/rematch", json={}, headers=bearer)
        assert answer.status_code == 422


def test_ranks_are_shared() -> None:
    results = [
        Result(name, name, (), Fraction(total), Fraction(net))
        for name, total, net in (("a", 5, 1), ("b", 9, 7), ("c", 8, 7), ("d", 0, -15))
    ]
    assert [(one.name, one.rank) for one in ranked(results)] == [
        ("b", 1),
        ("c", 1),
        ("a", 3),
        ("d", 4),
    ]


def test_the_percentage_of_the_field_decides_where_there_is_one() -> None:
    results = [
        Result(name, name, (), Fraction(0), Fraction(net), percents=percents)
        for name, net, percents in (
            ("a", -45, (40.0, 60.0)),
            ("b", -59, (50.0, 58.0)),
            ("c", -80, (60.0, 48.0)),
            ("old", 99, ()),
        )
    ]
    assert [(one.name, one.rank) for one in ranked(results)] == [
        ("b", 1),
        ("c", 1),
        ("a", 3),
        ("old", 4),
    ]


async def test_a_challenge_of_three_people_names_bots_of_their_strategies(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, deals=1, seed=9)
        await play_deal(client, table, seats, Random(1))
        path = f"/api/tables/{table}/challenge"
        made = (await client.post(path, headers=seats["N"])).json()
        view = (await client.get(f"/api/challenges/{made['challenge']}")).json()
        assert (view["seat"], view["by"], view["deals"]) == ("N", "PN", 1)
        assert view["results"] is None
        body = client.server.rooms.store.rows("SELECT body FROM challenges")[0][0]
        assert json.loads(body)["match"]["seed"] == 9
