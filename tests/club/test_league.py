"""The league: five days against rivals, promotion, and weeks that cannot be read."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import date, timedelta
from pathlib import Path
from random import Random

import pytest

from tests.club.helpers import Client, running
from tests.club.test_field import begin, play_on, small_field
from tribridge.club.core import challenges, league
from tribridge.club.core.bots import names
from tribridge.club.core.field import Run, field_runs, leagues, rival_names, rivals
from tribridge.club.core.keys import device_of_key, new_key
from tribridge.club.core.league import MOVING, Standing, read_week, week_of
from tribridge.club.language import ordinal
from tribridge.club.pages.league import NAMES, SIGNS, league_chart

pytestmark = pytest.mark.anyio

MONDAY = date(2026, 3, 2)
FIELD = tuple(Run(f"f:{at}", "random+random") for at in range(21))
__all__ = ("small_field",)


@pytest.fixture(autouse=True)
def three_leagues(small_field: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many runs as three leagues have rivals."""
    monkeypatch.setattr(challenges, "field_runs", lambda: FIELD)


async def _days(client: Client, key: str, *days: date) -> None:
    """Play the challenges of some days."""
    for day in days:
        await play_on(client, await begin(client, key, day), Random(day.day))


async def _settled(client: Client, player: str, today: date) -> Standing:
    """The week of a day once the bots have played all that it needs."""
    here = client.server.challenges
    here.today = lambda: today
    leagues = client.server.leagues
    async with asyncio.timeout(300):
        while True:
            await leagues.standing(player)  # the bots begin
            standing, unsettled = await leagues._standing(player, week_of(today))
            if standing.complete and not unsettled:
                return standing
            await asyncio.gather(*here._bots.values())


def _player(key: str) -> str:
    return f"d:{device_of_key(key)}"


def test_every_league_has_a_name_and_seven_rivals() -> None:
    assert len(NAMES) == len(SIGNS) == len(leagues())
    assert {len(rivals(at)) for at in range(len(leagues()))} == {7}
    assert rivals(1) == field_runs()[7:14]


async def test_a_day_counts_when_it_is_played_or_over(tmp_path: Path) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        await _days(client, key, MONDAY)
        standing = await _settled(client, _player(key), MONDAY)
        assert (standing.league, standing.played, standing.over) == (0, 1, False)
        assert len(standing.lines) == 8
        every = {
            one.player: one.percent for one in await client.server.challenges.every(str(MONDAY))
        }
        assert standing.own.days[0] == every[_player(key)]
        shown = sorted(line.days[0] or 0.0 for line in standing.lines if not line.you)
        assert shown == sorted(every[run.player] or 0.0 for run in rivals(0))
        # On Wednesday, Tuesday was missed; Wednesday itself does not count yet.
        standing = await _settled(client, _player(key), MONDAY + timedelta(2))
        assert standing.complete
        assert (standing.own.days[1], standing.own.days[2]) == (0.0, None)
        assert all(line.days[1] is not None and line.days[2] is None for line in standing.lines)
        totals = [line.total for line in standing.lines]
        assert totals == sorted(totals, reverse=True)
        page = (await client.get("/league", headers={"cookie": f"player={key}"})).text
        assert "Clubs league" in page
        assert "<polyline" in page


async def test_a_week_begins_with_the_first_day_that_somebody_plays(tmp_path: Path) -> None:
    key, thursday = new_key(), MONDAY + timedelta(3)
    async with running(tmp_path) as (_, client):
        await _days(client, key, thursday)
        standing = await _settled(client, _player(key), thursday)
        assert (standing.played, standing.first) == (1, 3)
        for line in standing.lines:
            assert [day is None for day in line.days] == [True, True, True, False, True]
        # No bot played the days before it.
        rows = client.server.rooms.store.rows("SELECT DISTINCT challenge FROM entries")
        assert [name for (name,) in rows] == [str(thursday)]
        # Friday is missed: it counts, as nothing.
        standing = await _settled(client, _player(key), thursday + timedelta(2))
        assert (standing.own.days[2], standing.own.days[4]) == (None, 0.0)
        chart = league_chart(standing)
        assert chart is not None
        # The curves begin where the week does.
        assert {line[0] for line in chart.lines.values()} == {
            (chart.plot.x(3 / 5), chart.plot.y(0))
        }


async def test_a_day_that_the_rivals_have_not_played_has_no_percentage_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key()

    async def nobody(*_: object) -> None:
        """The bots are late."""

    async with running(tmp_path) as (_, client):
        client.headers["cookie"] = f"player={key}"
        monkeypatch.setattr(client.server.challenges, "begin_bots", nobody)
        await _days(client, key, MONDAY)
        standing = await client.server.leagues.standing(_player(key))
        assert (standing.joined, standing.played, standing.runs[0]) == (True, 0, 0)
        assert {day for line in standing.lines for day in line.days} == {None}
        page = (await client.get("/league")).text
        assert "still playing: 0 of 21 runs" in page
        assert "%" not in re.sub("<[^>]*>", "", page)
        assert "Play today’s deals" not in page
        assert "still playing: 0 of 21 runs" in (await client.get("/")).text
        assert "rank 1 of" not in (await client.get("/")).text
        # Of the next day nothing is awaited before it is played; the lobby counts alike.
        client.server.challenges.today = lambda: MONDAY + timedelta(1)
        for where in ("/league", "/"):
            assert "still playing: 0 of 21 runs" in (await client.get(where)).text, where
        client.server.challenges.today = lambda: MONDAY
        # Once the rivals have played, their percentages stand there, whoever else is missing.
        challenge = await client.server.challenges.of_day(MONDAY)
        for run in FIELD[:6]:
            await client.server.challenges._play_bot(challenge, run)
        assert not (await client.server.leagues._standing(_player(key), week_of(MONDAY)))[0].played
        # Until then there is one's own percentage of the runs so far, and it says so.
        own = re.findall(r"(?s)<tr class=\"mine.*?</tr>", (await client.get("/league")).text)
        assert re.search(r"\d+% so far", own[0])
        rivals = re.findall(r"(?s)<tr class=\"bot.*?</tr>", (await client.get("/league")).text)
        assert sum("so far" in rival for rival in rivals) == 6
        await client.server.challenges._play_bot(challenge, FIELD[6])
        standing, _ = await client.server.leagues._standing(_player(key), week_of(MONDAY))
        assert (standing.played, standing.complete, standing.runs[0]) == (1, False, 7)


async def test_a_week_that_is_not_settled_says_nothing_final(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key()

    async def nobody(*_: object) -> None:
        """The bots are late."""

    async with running(tmp_path) as (_, client):
        player = _player(key)
        client.headers["cookie"] = f"player={key}"
        await _days(client, key, MONDAY)
        await _settled(client, player, MONDAY)
        here = client.server.challenges
        with monkeypatch.context() as late:
            late.setattr(here, "begin_bots", nobody)
            here.today = lambda: MONDAY + timedelta(7)
            standing = await client.server.leagues.standing(player, week_of(MONDAY))
            assert (standing.over, standing.ended, standing.played) == (True, False, 1)
            assert standing.own.days[1:] == (0.0,) * 4  # missed: worth nothing, whoever plays
            rivals = [line for line in standing.lines if not line.you]
            assert all(line.days[1:] == (None,) * 4 for line in rivals)
            page = (await client.get(f"/league/{week_of(MONDAY)}")).text
            assert "you finished" not in page
            assert "so far you are" in page
            assert "▲" not in page
            assert "<polyline" not in page  # a single day is no curve
            now = (await client.get("/league")).text
            assert "0 of 84 runs" in now
            # Last week's table can be looked at, and nothing in the new one looks like a result.
            assert f'href="/league/{week_of(MONDAY)}"' in now
            assert "<b>0</b>" not in now
        await _settled(client, player, MONDAY + timedelta(7))
        page = (await client.get(f"/league/{week_of(MONDAY)}")).text
        assert "you finished" in page
        assert "▲" in page


async def test_a_week_that_is_over_says_what_it_said_when_it_ended(tmp_path: Path) -> None:
    key, friday = new_key(), MONDAY + timedelta(4)
    player, week = _player(key), week_of(MONDAY)
    async with running(tmp_path) as (_, client):
        await _days(client, key, friday)
        store, here = client.server.rooms.store, client.server.leagues
        # The best of all on its one day.
        body = store.rows("SELECT body FROM entries WHERE player = ?", player)[0][0]
        best = json.loads(body) | {"nets": [9000] * 4}
        of_friday = "player = ? AND challenge = ?"
        change = f"UPDATE entries SET body = ? WHERE {of_friday}"
        store.change((change, (json.dumps(best), player, str(friday))))
        (past,) = (await _settled(client, player, MONDAY + timedelta(7))).past
        assert (past.ended.place, past.ended.lines[0].days[:4]) == (1, (None,) * 4)
        before = await here.standing(player, week)
        # A result of Monday that comes late changes nothing of it.
        insert = "INSERT INTO entries VALUES (?, ?, ?, ?)"
        store.change((insert, (str(MONDAY), player, "", json.dumps(best))))
        for day in range(4):
            challenge = await client.server.challenges.of_day(MONDAY + timedelta(day))
            await client.server.challenges._play_bots(challenge)
        assert (await here.standing(player, week)).lines == past.ended.lines == before.lines
        store.change((f"DELETE FROM entries WHERE {of_friday}", (player, str(MONDAY))))
        # One of a version that kept no table, and counted days before the first one as nothing.
        older = await asyncio.to_thread(
            lambda: here._week(player, week, 0, here._own(player), whole=True)
        )
        assert older.own.place > 1
        for place, days in ((1, (None,) * 4), (older.own.place, (0.0,) * 4)):
            row = json.dumps({"league": 0, "place": place, "moved": 0})
            store.change((change, (row, player, week)))
            shown = await here.standing(player, week)
            assert (shown.own.place, shown.own.days[:4]) == (place, days)


def test_no_rival_has_the_name_of_a_bot_at_a_table() -> None:
    assert len(set(rival_names())) == len(rival_names()) >= 7
    assert not {name.casefold() for name in rival_names()} & {name.casefold() for name in names()}


async def test_the_best_go_up_and_the_last_go_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key()
    player, week = _player(key), timedelta(7)
    async with running(tmp_path) as (_, client):
        with monkeypatch.context() as winning:
            winning.setattr(league, "MOVING", 8)  # wherever they finish, they go up
            await _days(client, key, MONDAY)
            standing = await _settled(client, player, MONDAY + week)
            assert (standing.league, standing.joined, standing.counting) == (1, False, ())
            (past,) = standing.past
            assert (past.week, past.next_league, past.ended.moved) == (week_of(MONDAY), 1, 1)
        # The next week begins with it, in the lobby and on the page of the league.
        place = f"You finished week 10 in {ordinal(past.ended.place)} place."
        for where in ("/", "/league"):
            text = (await client.get(where, headers={"cookie": f"player={key}"})).text
            assert "You go up: Diamonds league" in text, where
            assert place in " ".join(text.split()), where
            assert f'href="/league/{week_of(MONDAY)}"' in text, where
        # A week that is settled stays so, and a week without a deal changes nothing.
        assert (await _settled(client, player, MONDAY + 3 * week)).league == 1
        earlier = await client.server.leagues.standing(player, week_of(MONDAY))
        assert (earlier.league, earlier.over, earlier.played, earlier.past) == (0, True, 5, ())
        await _days(client, key, MONDAY + 3 * week)
        before = await _settled(client, player, MONDAY + 3 * week + timedelta(5))
        move = before.moves(before.own.place)
        assert (await _settled(client, player, MONDAY + 4 * week)).league == 1 + move


def test_who_moves_depends_on_the_place_and_the_league() -> None:
    lines = tuple(league.Line(f"{at}", at == 0, ()) for at in range(8))

    def moves(at: int) -> list[int]:
        standing = Standing("2026-W10", (), at, lines, over=True, complete=True)
        return [standing.moves(place) for place in range(1, 9)]

    assert moves(0) == [1, 1, 0, 0, 0, 0, 0, 0]
    assert moves(2) == [1, 1, 0, 0, 0, 0, -1, -1]
    assert moves(len(leagues()) - 1) == [0, 0, 0, 0, 0, 0, -1, -1]
    assert MOVING == 2


async def test_an_unknown_league_is_one_clear_line_and_loses_nothing(tmp_path: Path) -> None:
    key = new_key()
    player = _player(key)
    async with running(tmp_path) as (_, client):
        await _days(client, key, MONDAY)
        for name, words in (
            ("2026-W99", "there is no league of '2026-W99': expected a week as in 2026-W47"),
            ("hearts", "there is no league of 'hearts': expected a week as in 2026-W47"),
            ("2026-W11", "the league of 2026-W11 has not begun: this week's is 2026-W10"),
        ):
            answer = await client.get(f"/league/{name}")
            assert (answer.status_code, answer.text.strip()) == (404, words)
        # A league of another version, and a week that cannot be read.
        store, earlier = client.server.rooms.store, MONDAY - timedelta(7)
        for body, expected in (('{"league":17,"place":1,"moved":1}', len(leagues()) - 1), ("{", 0)):
            row = (week_of(earlier), player, "", body)
            store.change(("DELETE FROM entries WHERE challenge LIKE '%-W%'", ()))
            store.change(("INSERT INTO entries VALUES (?, ?, ?, ?)", row))
            result = store.rows("SELECT body FROM entries WHERE player = ?", player)[0][0]
            store.change(
                (
                    "INSERT INTO entries VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    (earlier.isoformat(), player, "", result),
                )
            )
            client.server.challenges.today = lambda: MONDAY
            assert (await client.server.leagues.standing(player)).league == expected


async def test_somebody_without_a_key_sees_the_league_that_they_would_join(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        client.server.challenges.today = lambda: MONDAY
        answer = await client.get("/league")
        assert answer.status_code == 200
        assert "Clubs league" in answer.text
        assert [day.isoweekday() for day in read_week(week_of(MONDAY))] == [1, 2, 3, 4, 5]


async def test_programs_read_the_league_too(tmp_path: Path) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        await _days(client, key, MONDAY)
        headers = {"x-device-key": key}
        shown = (await client.get("/api/league", headers=headers)).json()
        standing = await client.server.leagues.standing(_player(key))
        assert shown["week"] == standing.week
        assert (shown["name"], shown["league"], shown["joined"]) == ("Clubs", 0, True)
        days = [line["days"] for line in shown["lines"]]
        assert days == [[*line.days] for line in standing.lines]
        (own,) = (line for line in shown["lines"] if line["you"])
        assert (own["place"], own["total"]) == (standing.own.place, standing.own.total)
        assert own["moves"] == standing.moves(own["place"])
        earlier = (await client.get("/api/league/2026-W09", headers=headers)).json()
        assert (earlier["joined"], earlier["days"][0]) == (False, "2026-02-23")
        assert not (await client.get("/api/league")).json()["joined"]
        refused = await client.get("/api/league/hearts")
        assert (refused.status_code, "no league of 'hearts'" in refused.text) == (404, True)
