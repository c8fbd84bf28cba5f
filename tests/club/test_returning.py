"""The lobby of somebody who was here: open games, dailies, streaks, settings, a turning point."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from html import unescape
from pathlib import Path
from random import Random
from urllib.parse import quote

import pytest

from tests.club.helpers import Client, client_of, running, sit
from tests.club.test_field import begin, play_on, small_field
from tests.club.test_injection import MARK, injected
from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.club.core.bots import MIXED, levels
from tribridge.club.core.keys import device_of_key, new_key
from tribridge.club.core.returning import GOALS, Returning, goal_of, returning
from tribridge.club.core.reviews import Ahead, Analysis
from tribridge.club.core.room import Room
from tribridge.club.language import translated
from tribridge.game.record.pbn import PLAYER, loads_pbn, names_of
from tribridge.game.table import Action
from tribridge.game.view_json import action_name
from tribridge.reviews import Judgement, Verdict
from tribridge.reviews.values import Option

pytestmark = pytest.mark.anyio

MONDAY = date(2026, 3, 2)
QUICK = {"other": "pass+random", "scoring": "auction", "deals": "3"}
__all__ = ("small_field",)


async def _returning(client: Client, key: str) -> Returning:
    server = client.server
    found = await returning(
        server.rooms,
        server.games,
        server.challenges,
        server.puzzles,
        server.leagues,
        device_of_key(key),
    )
    assert found is not None
    return found


async def _play(client: Client, **fields: str) -> str:
    """Open a table against bots; its name."""
    where = (await client.post("/play", data=QUICK | fields)).headers["location"]
    return str(where.rpartition("/")[2])


def _key(client: Client) -> str:
    return str(client.cookies["player"])


def _at(client: Client, day: date) -> None:
    client.server.challenges.today = lambda: day
    client.server.puzzles.today = lambda: day


async def test_a_newcomer_is_offered_one_thing(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        page = (await client.get("/")).text
        assert "Learn in five minutes" in page
        assert "Welcome back" not in page
        assert page.count("button primary") == 2  # to learn, to play
        # A key that this server has never seen is a newcomer's, too.
        other = await client.get("/", headers={"cookie": f"player={new_key()}"})
        assert "Welcome back" not in other.text


async def test_the_first_visitor_reads_that_no_account_is_needed(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        page = (await client.get("/")).text
        assert 0 < page.find("No account is needed") < page.find('id="play-name"')
        page = (await client.get("/", headers={"cookie": "name=Ann"})).text
        assert "No account is needed" not in page


async def test_every_open_game_can_be_continued_also_on_another_device(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as phone:
        _at(client, MONDAY)
        tables = [await _play(client, name="Ann") for _ in range(2)]
        await client.post(f"/challenge/{MONDAY}/play", data={"name": "Ann"})
        page = (await client.get("/")).text
        assert "Welcome back, Ann" in page
        listed = re.findall(r'href="/continue/([^"]+)"', page)
        assert len(listed) == 3
        assert set(tables) < set(listed)
        assert "Daily challenge</b>" in page
        # The key brings the seat along; without it there is nothing but a line.
        refused = await phone.get(f"/continue/{tables[0]}")
        assert (refused.status_code, "none of your games" in refused.text) == (404, True)
        phone.cookies.set("player", _key(client))
        answer = await phone.get(f"/continue/{tables[0]}")
        assert answer.headers["location"] == f"/table/{tables[0]}"
        assert "Leave" in (await phone.get(answer.headers["location"])).text
        # A finished game and one that was left are gone from the list.
        room = client.server.rooms.find(tables[0])
        await play_on(client, room, Random(1))
        at = client.server.rooms.find(tables[1]).state.number
        await client.post(f"/table/{tables[1]}/leave", data={"at": at, "for_good": "true"})
        listed = re.findall(r'href="/continue/([^"]+)"', (await client.get("/")).text)
        assert tables[0] not in listed
        state = client.server.rooms.find(tables[1]).state
        assert (tables[1] in listed) == (state.places[Seat.SOUTH].serial == 0)


async def test_names_in_the_lobby_are_text(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as friend:
        await client.post("/open", data=QUICK | {"name": MARK})
        table = (await client.post("/open", data=QUICK | {"name": MARK})).headers["location"]
        name = table.rpartition("/")[2]
        await sit(friend, name, "N", "Ben")
        key = new_key()
        serial = client.server.rooms.find(name).state.places[Seat.NORTH].serial
        await client.server.games.add(device_of_key(key), name, Seat.NORTH, serial)
        for headers in ({}, {"cookie": f"player={key}"}):
            page = (await client.get("/", headers=headers)).text
            assert "&lt;img" in page
            assert not injected(page)


async def test_a_damaged_table_is_one_line_and_the_others_stay(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        bad, good = await _play(client), await _play(client)
        jar = dict(client.cookies)
        store = client.server.rooms.store
        store.change(("UPDATE events SET body = '{' WHERE tab = ? AND number = 1", (bad,)))
    async with running(tmp_path) as (_, client):
        client.cookies.update({"player": jar["player"]})
        page = await client.get("/")
        assert page.status_code == 200
        assert re.findall(r'href="/continue/([^"]+)"', page.text) == [good]
        assert "1 table of yours is damaged and cannot be continued" in page.text
        assert (await client.get("/me")).status_code == 200


async def test_the_daily_says_where_one_is_and_days_in_a_row_count(tmp_path: Path) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        room = await begin(client, key)
        seen = await _returning(client, key)
        assert (seen.deals.begun, seen.deals.done, seen.deals.deal) == (True, False, 1)
        await play_on(client, room, Random(1))
        seen = await _returning(client, key)
        assert (seen.deals.done, seen.deals.days, seen.games) == (True, 1, ())
        assert 1 <= seen.deals.rank <= seen.deals.results
        for at in (1, 2):
            await play_on(client, await begin(client, key, MONDAY + timedelta(at)), Random(at))
        assert (await _returning(client, key)).deals.days == 3
        _at(client, MONDAY + timedelta(3))
        seen = await _returning(client, key)
        assert (seen.deals.days, seen.deals.begun) == (3, False)
        _at(client, MONDAY + timedelta(4))
        assert (await _returning(client, key)).deals.days == 0


async def test_a_daily_that_midnight_interrupts_is_finished_later_and_counts(
    tmp_path: Path,
) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        await play_on(client, await begin(client, key), Random(1))
        late = await begin(client, key, MONDAY + timedelta(1))
        _at(client, MONDAY + timedelta(2))
        seen = await _returning(client, key)
        assert [game.day for game in seen.games] == [MONDAY + timedelta(1)]
        assert seen.deals.days == 1  # the row is not broken yet
        await play_on(client, late, Random(2))
        assert (await _returning(client, key)).deals.days == 2


async def test_the_settings_of_the_last_match_are_kept(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        gentle = levels()[0].strategy
        fields = {"strategy": gentle, "no_hints": "true", "no_doubles": "true"}
        await _play(client, scoring="contract", **fields)
        page = (await client.get("/")).text
        assert re.search(rf'value="{re.escape(gentle)}" checked', page)
        assert 'value="3" inputmode' in page
        assert 'value="pass+random"' in page
        assert re.search(r'<option value="contract"[^>]* selected', page)
        assert re.search(r'name="no_hints"\s+value="true" checked', page)
        tables = [await _play(client, strategy=MIXED, other="") for _ in range(8)]
        bots = {
            tuple(place.strategy for place in client.server.rooms.find(table).state.places[:2])
            for table in tables
        }
        assert len(bots) > 1
        assert all(left != right for left, right in bots)
        page = (await client.get("/")).text
        assert f'value="{MIXED}" checked' in page
        for damaged in ("%%%", quote("deals=900&scoring=<b>&strategy=oracle&other=" + "x" * 999)):
            client.cookies.set("match", damaged)
            answer = await client.get("/")
            assert answer.status_code == 200
            assert 'value="4" inputmode' in answer.text
            assert "oracle checked" not in answer.text


async def test_a_key_from_another_device_brings_results_and_streaks(tmp_path: Path) -> None:
    old, new = new_key(), new_key()
    async with running(tmp_path) as (_, client):
        await play_on(client, await begin(client, old), Random(1))
        await play_on(client, await begin(client, new, MONDAY + timedelta(1)), Random(2))
        begun = await begin(client, new, MONDAY + timedelta(2))
        await play_on(client, await begin(client, old, MONDAY + timedelta(2)), Random(3))
        headers = {"cookie": f"player={old}"}
        body = {"key": new, "bring": "true"}
        answer = await client.post("/me/key", data=body, headers=headers)
        assert answer.headers["location"] == "/me"
        seen = await _returning(client, new)
        assert seen.deals.days == 3  # the finished one of two counts
        assert begun.name in {game.table for game in seen.games}
        answer = await client.post("/me/key", data={"key": new_key()}, headers=headers)
        assert (answer.status_code, "no games under that key" in answer.text) == (422, True)


async def test_a_damaged_key_is_one_line_and_the_games_are_found_by_the_right_one(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as again:
        table = await _play(client)
        key, lost = _key(client), "The key that this browser kept is damaged"
        assert lost not in (await client.get("/")).text
        again.cookies.set("player", key[:-3] + "!!!")
        page = await again.get("/")
        assert (page.status_code, lost in page.text) == (200, True)
        assert (await again.get("/me")).status_code == 200
        answer = await again.post("/me/key", data={"key": key})
        assert answer.headers["location"] == "/me"
        again.cookies.set("player", key)
        page = await again.get("/")
        assert f"/continue/{table}" in page.text
        assert lost not in page.text


async def test_the_goal_of_the_week_counts_its_own_days(tmp_path: Path) -> None:
    key = new_key()
    assert {goal_of(MONDAY + timedelta(7 * at)) for at in range(3)} == set(GOALS)
    monday = next(day for at in range(3) if goal_of(day := MONDAY + timedelta(7 * at)) == "daily")
    async with running(tmp_path) as (_, client):
        await play_on(client, await begin(client, key, monday - timedelta(1)), Random(1))
        for at in range(2):
            await play_on(client, await begin(client, key, monday + timedelta(at)), Random(at))
        goal = (await _returning(client, key)).goal
        assert (goal.kind, goal.done, goal.wanted) == ("daily", 2, GOALS["daily"])


def _reviewed(room: Room, *, play: bool = False) -> tuple[Analysis, Judgement]:
    """A review of the first deal that blames South for one choice, or for one in the play."""
    record = room.state.finished[0].record
    states = list(record.states())
    judgements, blamed = [], None
    for at, action in enumerate(record.actions):
        table = states[at]
        assert table.turn is not None
        chair = None if table.position is None else table.position.chair
        verdict, options, cost = Verdict.FORCED, tuple[Option, ...](), 0.0
        others = [other for other in table.legal if other != action]
        counts = chair is not None or not play
        if blamed is None and table.turn is Seat.SOUTH and others and counts:
            best = Option(others[0], 1.0, 0.0, 0.0, 10.0, 0.0, 0.0)
            own = Option(action, 0.0, 1.0, 0.1, 0.0, 10.0, 1.0)
            verdict, options, cost = Verdict.MISTAKE, (best, own), 10.0
        judgement = Judgement(
            number=at + 1,
            seat=table.turn,
            chair=chair,
            action=action,
            options=options,
            verdict=verdict,
            points_cost=cost,
        )
        blamed = judgement if options else blamed
        judgements.append(judgement)
    assert blamed is not None
    return Analysis(len(judgements), judgements, [], over=True), blamed


async def test_a_turning_point_is_asked_again_the_next_day(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client), client_of(app) as stranger:
        table = await _play(client, deals="1", name="Ann")
        room, today = client.server.rooms.find(table), datetime.now(UTC).date()
        await play_on(client, room, Random(1))
        analysis, blamed = _reviewed(room)
        await client.server.reviews.keep(table, 1, analysis)
        _at(client, today)
        assert "/turning/" not in (await client.get("/")).text
        _at(client, today + timedelta(1))
        page = (await client.get("/")).text
        assert f'href="/turning/{table}/1"' in page
        assert "Yesterday’s turning point" in page
        where = f"/turning/{table}/1"
        asked = (await client.get(where)).text
        assert 'id="feedback"' not in asked
        names = [action_name(option.action) for option in blamed.options]
        assert all(f'value="{name}"' in asked for name in names)
        good = (await client.get(where, params={"answer": names[0]})).text
        same = (await client.get(where, params={"answer": names[1]})).text
        assert ("Right." in good, "The same again." in same) == (True, True)
        assert "instead=" not in good  # of a call there is no line to play out
        refused = await client.get(where, params={"answer": "XYZ"})
        assert (refused.status_code, "not an answer here" in refused.text) == (404, True)
        for other in (f"/turning/{table}/2", "/turning/nothing/1"):
            assert (await client.get(other)).status_code == 404
        assert (await stranger.get(where)).status_code == 404
        # What was answered is not asked again.
        assert "/turning/" not in (await client.get("/")).text
        client.server.rooms.store.change(("DELETE FROM entries", ()))
        _at(client, today + timedelta(5))
        assert "Your last turning point" in (await client.get("/")).text
        _at(client, today + timedelta(30))
        assert "/turning/" not in (await client.get("/")).text


async def test_deals_without_a_review_are_reviewed_for_their_turning_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a restart: the lobby asks of the last day that was played, and says which."""
    asked = list[tuple[str, int]]()
    async with running(tmp_path) as (_, client):
        tables = [await _play(client, deals="1", name="Ann") for _ in range(3)]
        rooms, games = client.server.rooms, client.server.games
        today = datetime.now(UTC).date()
        for table, days in zip(tables, (3, 2, 0), strict=True):
            await play_on(client, rooms.find(table), Random(1))
            day = f"{today - timedelta(days)} 12:00:00"
            rooms.store.change(("UPDATE tables SET opened = ? WHERE id = ?", (day, table)))
            rooms.store.change(("UPDATE games SET date = ? WHERE tab = ?", (day, table)))
        games._finished.clear()

        async def find(client_name: str, table: str, deal: int, ahead: Ahead) -> Analysis:
            asked.append((table, deal))
            analysis, _ = _reviewed(rooms.find(table))
            await client.server.reviews.keep(table, deal, analysis)
            return analysis

        monkeypatch.setattr(client.server.reviews, "find", find)
        _at(client, today)
        assert "/turning/" not in (await client.get("/")).text
        await asyncio.gather(*games._catching_up.values())
        assert asked == [(tables[at], 1) for at in (1, 0, 2)]  # today's for tomorrow
        for table, days in ((tables[1], 2), (tables[0], 3)):
            page = (await client.get("/")).text
            assert f'href="/turning/{table}/1"' in page
            then = today - timedelta(days)
            assert f"{then.day} {then:%B %Y}, as a puzzle" in page
            _, blamed = _reviewed(rooms.find(table))
            await client.get(
                f"/turning/{table}/1", params={"answer": action_name(blamed.options[0].action)}
            )
        assert "/turning/" not in (await client.get("/")).text
        assert not games._catching_up
        assert len(asked) == 3


async def test_a_day_has_one_turning_point_which_is_known_when_all_is_reviewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        tables = [await _play(client, deals="1", name="Ann") for _ in range(2)]
        rooms, reviews = client.server.rooms, client.server.reviews
        for table in tables:
            await play_on(client, rooms.find(table), Random(1))

        async def find(client_name: str, table: str, deal: int, ahead: Ahead) -> Analysis:
            return Analysis(len(ahead.table.history))  # it takes its time

        monkeypatch.setattr(reviews, "find", find)
        _at(client, datetime.now(UTC).date() + timedelta(1))
        for table, cost in zip(tables, (10.0, 20.0), strict=True):
            page = (await client.get("/")).text
            assert "/turning/" not in page
            assert f"{tables.index(table)} of 2" in page.partition('id="turning"')[2]
            analysis, blamed = _reviewed(rooms.find(table))
            judged = [
                replace(each, points_cost=cost) if each is blamed else each
                for each in analysis.judgements
            ]
            await reviews.keep(table, 1, replace(analysis, judgements=judged))
        page = (await client.get("/")).text
        assert f'href="/turning/{tables[1]}/1"' in page
        assert "hx-get" not in page.partition('id="turning"')[2].partition(">")[0]
        answer = action_name(blamed.options[0].action)
        await client.get(f"/turning/{tables[1]}/1", params={"answer": answer})
        assert "/turning/" not in (await client.get("/")).text


async def test_days_in_a_row_that_have_ended_are_told_until_new_ones_begin(tmp_path: Path) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        headers = {"cookie": f"player={key}"}
        week = timedelta(7)
        monday = next(day for at in range(3) if goal_of(day := MONDAY + at * week) == "daily")
        for at in range(3):
            await play_on(client, await begin(client, key, monday + timedelta(at)), Random(at))
        _at(client, monday + timedelta(3))
        assert "last time" not in (await client.get("/", headers=headers)).text
        _at(client, monday + timedelta(7))
        page = " ".join((await client.get("/", headers=headers)).text.split())
        assert "last time 3 days in a row, your best" in page
        assert "Last week you played the daily deals on 3 of 4 days." in page
        await play_on(client, await begin(client, key, monday + timedelta(7)), Random(1))
        page = (await client.get("/", headers=headers)).text
        assert "in a row" not in page
        await play_on(client, await begin(client, key, monday + timedelta(8)), Random(1))
        _at(client, monday + timedelta(10))
        found = await _returning(client, key)
        assert (found.deals.row, found.deals.best) == (2, 3)


async def test_a_turning_point_of_the_play_leads_to_the_better_card_played_out(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as (_, client):
        table = await _play(client, deals="1", name="Ann")
        room = client.server.rooms.find(table)
        await play_on(client, room, Random(2))
        analysis, blamed = _reviewed(room, play=True)
        await client.server.reviews.keep(table, 1, analysis)
        assert blamed.best is not None
        where, answer = f"/turning/{table}/1", action_name(blamed.best.action)
        # Nobody can choose a card without the cards that were played before.
        asked = (await client.get(where)).text
        assert "The auction and the tricks so far" in asked
        assert room.state.table is not None
        record = room.state.table.history[: blamed.number - 1]
        before = [one for one in record if isinstance(one, Card)]
        tricks = asked.partition('class="puzzle-tricks"')[2].partition("</ol>")[0]
        assert tricks.count("<small>") == len(before) // 4 * 4
        shown = (await client.get(where, params={"answer": answer})).text
        (line,) = re.findall(r'href="([^"]+instead=[^"]+)"', shown)
        played = await client.get(unescape(line))
        assert played.status_code == 200
        assert 'class="what-if"' in played.text
        better, own = translated(blamed.best.action), translated(blamed.action)
        assert f"What if {better} in place of {own}?" in re.sub("<[^>]*>", "", played.text)


async def test_a_right_answer_is_explained_itself(tmp_path: Path) -> None:
    """Of two right cards the review names one; who chose the other is told what that is worth."""
    async with running(tmp_path) as (_, client):
        table = await _play(client, deals="1", name="Ann")
        room = client.server.rooms.find(table)
        await play_on(client, room, Random(2))
        analysis, blamed = _reviewed(room, play=True)
        best, own = blamed.options
        assert blamed.number
        at = blamed.number - 1
        states = list(room.state.finished[0].record.states())
        third = next(one for one in states[at].legal if one not in (best.action, own.action))
        also = Option(third, 7.25, 0.0, 0.1, 77.0, 0.0, 1.0)
        close = replace(best, points_loss=3.0, points_error=1.0)
        judgements = list(analysis.judgements)
        judgements[at] = replace(blamed, options=(close, also, replace(own, points_loss=70.0)))
        await client.server.reviews.keep(table, 1, replace(analysis, judgements=judgements))
        where = f"/turning/{table}/1"

        async def said(action: Action) -> str:
            answer = await client.get(where, params={"answer": action_name(action)})
            return unescape(re.sub(r"\s+", " ", re.sub("<[^>]*>", "", answer.text)))

        told, card, game = await said(third), translated(third), translated(own.action)
        assert f"Right. {card} is as good as {translated(best.action)}. In the game" in told
        assert (f"What if {card} in place of {game}?" in told, "+77" in told) == (True, True)
        # What the review names is never called wrong, whatever the other averages.
        assert "Right." in await said(best.action)
        assert "The same again." in await said(own.action)


async def test_a_turning_point_has_the_names_of_its_game(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table = await _play(client, deals="1", name="Ann")
        room = client.server.rooms.find(table)
        await play_on(client, room, Random(2))
        analysis, _ = _reviewed(room, play=True)
        await client.server.reviews.keep(table, 1, analysis)
        shown = (await client.get(f"/turning/{table}/1")).text
        sides = re.findall(r'class="puzzle-name">\s*([^<\n]+?)\s*<', shown)
        heads = re.findall('<th scope="col">([^<]+)<', shown)
        names = [place.name for place in room.state.places]
        assert heads == names
        assert set(names) <= {*sides}


async def test_the_file_of_a_table_says_when_and_by_whom_it_was_played(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table = await _play(client, deals="1", name="Ann")
        room = client.server.rooms.find(table)
        await play_on(client, room, Random(1))
        day = f"{datetime.now(UTC):%Y.%m.%d}"
        for path in ("match.pbn", "review/1/deal.pbn"):
            text = (await client.get(f"/table/{table}/{path}")).text
            (record,) = loads_pbn(text)
            assert record.tags["Date"] == day, path
            assert names_of(record.tags) == tuple(place.name for place in room.state.places)
            assert f'[{PLAYER} "S"]' in text
