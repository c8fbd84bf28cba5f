"""The field of the daily deals: who plays it, percentages, what the best did differently."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from itertools import accumulate
from math import ceil
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.club.helpers import Client, act, choose, look, running
from tribridge.cards.cards import Card, Deck
from tribridge.cards.deals import Seat
from tribridge.club.core import challenges, field
from tribridge.club.core.bots import Bot, Level, check_strategy
from tribridge.club.core.challenges import Challenge, _Pace, daily
from tribridge.club.core.field import Run, difference, percentages
from tribridge.club.core.keys import device_of_key, new_key
from tribridge.club.core.room import Room
from tribridge.club.language import points_text
from tribridge.club.pages.challenges import _decimals
from tribridge.common.errors import TribridgeError
from tribridge.common.sentences import Sentence
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game import Table
from tribridge.game.auction import parse_call
from tribridge.game.tricks import Chair
from tribridge.game.view_json import action_name
from tribridge.reviews import Judgement, Verdict

pytestmark = pytest.mark.anyio

DAY = date(2026, 3, 2)
"""A Monday."""
LEVELS = (Level("Low", "", "pass+random", tuple(Bot(f"Low{at}", "") for at in range(3))),)
RUNS = tuple(Run(f"f:{at}", "random+random") for at in range(12))


@pytest.fixture(autouse=True)
def small_field(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two small deals and twelve runs."""
    small = replace(challenges.DAILY, deals=2, deck="4x3")
    monkeypatch.setattr(challenges, "DAILY", small)
    monkeypatch.setattr(challenges, "levels", lambda: LEVELS)
    monkeypatch.setattr(challenges, "default_level", lambda: LEVELS[0])
    monkeypatch.setattr(challenges, "field_runs", lambda: RUNS)


async def begin(client: Client, key: str, day: date = DAY, name: str = "Ann") -> Room:
    """Begin the challenge of a day."""
    client.server.challenges.today = lambda: day
    client.server.puzzles.today = lambda: day
    path, headers = f"/api/challenges/{day}/play", {"x-device-key": key}
    answer = await client.post(path, json={"name": name}, headers=headers)
    assert answer.status_code == 201, answer.text
    room = client.server.rooms.find(answer.json()["table"])
    device = device_of_key(key)
    serial = room.state.places[Seat.SOUTH].serial
    await client.server.games.add(device, room.name, Seat.SOUTH, serial)
    return room


async def play_on(client: Client, room: Room, random: Random) -> None:
    """Play a challenge to its end."""
    token = client.server.rooms.token(room, Seat.SOUTH)
    bearer = {"authorization": f"Bearer {token}"}
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
    await client.server.challenges.record(room)  # whoever plays may be faster than the store


async def results(client: Client, key: str, day: date = DAY) -> Any:
    """What a player sees of a challenge once its bots have played."""
    path, headers = f"/api/challenges/{day}", {"x-device-key": key}
    async with asyncio.timeout(300):
        while (seen := (await client.get(path, headers=headers)).json())["computing"]:
            await asyncio.sleep(0)
    return seen


def test_the_field_can_play_and_is_of_all_strengths(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = field.field_runs()
    assert len(runs) > 200
    assert len({run.player for run in runs}) == len(runs)
    assert all(check_strategy(run.strategy) for run in runs)
    parts = [field.rivals(league) for league in range(len(field.leagues()))]
    ends = list(accumulate(map(len, parts), initial=0))
    assert [part[0] for part in parts] == [runs[at] for at in ends[:-1]]


def test_whoever_of_the_field_has_played_at_any_time_stands_for_all() -> None:
    runs = list(field.field_runs())
    random = [run.player for run in runs if run.strategy.endswith("+random")]
    for dice in range(20):
        order = field.mixed(runs, dice)
        assert sorted(order, key=runs.index) == runs
        assert order == field.mixed(runs, dice)
        for count in (60, 120, 180):
            share = sum(run.player in random for run in order[:count]) / count
            assert share == pytest.approx(len(random) / len(runs), abs=0.03)
    assert field.mixed(runs, 1) != field.mixed(runs, 2)


async def test_there_is_no_percentage_before_enough_of_the_field_has_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        here = client.server.challenges
        monkeypatch.setattr(here, "begin_bots", _nothing)
        await play_on(client, await begin(client, key), Random(1))
        challenge, cookie = await here.find(str(DAY)), {"cookie": f"player={key}"}
        enough = ceil(len(RUNS) * challenges._ENOUGH)
        for run in RUNS[:enough]:
            page = (await client.get(f"/challenge/{DAY}", headers=cookie)).text
            assert "%" not in re.sub("<[^>]*>", "", page)
            assert "Net decides the rank." in page
            await here._play_bot(challenge, run)
        page = (await client.get(f"/challenge/{DAY}", headers=cookie)).text
        assert "So far you beat" in page
        assert f"{enough} of {len(RUNS)} runs" in page
        assert "Field decides the rank." in page
        monkeypatch.setattr(challenges, "field_runs", field.field_runs)
        left = [run for run in await here._missing(challenge) if run.player.startswith("f:")]
        mixed = field.mixed(field.field_runs(), challenge.dice)
        assert left == [run for run in mixed if run in left]
        assert left != sorted(left, key=field.field_runs().index)


def _slow_share(scores: Sequence[int], at: int) -> float:
    others = [score for other, score in enumerate(scores) if other != at]
    beaten = sum(1.0 if scores[at] > s else 0.5 if scores[at] == s else 0.0 for s in others)
    return 100 * beaten / len(others)


def test_a_percentage_is_the_share_of_the_others_that_is_beaten() -> None:
    random = Random(3)
    for size in (2, 3, 10, 40):
        scores = [int(9 * random.random()) for _ in range(size)]
        points = {f"{at}": [Fraction(s)] for at, s in enumerate(scores)}
        shares = percentages(points | {"you": [Fraction(4)], "bot": [Fraction(9)]}, [*points])
        for at in range(size):
            assert shares[f"{at}"] == pytest.approx((_slow_share(scores, at),))
        assert shares["you"] == pytest.approx((_slow_share([*scores, 4], size),))
    assert percentages({"alone": [Fraction(3)]}, ["alone"]) == {"alone": ()}
    assert percentages({"you": [Fraction(3)]}, []) == {"you": ()}


async def test_the_results_are_percentages_of_the_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        room = await begin(client, key)
        hidden = (await client.get(f"/api/challenges/{DAY}", headers={"x-device-key": key})).json()
        assert (hidden["results"], hidden["field_wanted"]) == (None, len(RUNS))
        await play_on(client, room, Random(1))
        seen = await results(client, key)
        assert (seen["field"], seen["players"], len(seen["results"])) == (len(RUNS), 1, 2)
        every = await client.server.challenges.every(str(DAY))
        assert len(every) == len(RUNS) + 2
        mine = next(one for one in seen["results"] if one["you"])
        for deal in range(2):
            counted = [one for one in every if one.player.startswith("f:") or one.name == "Ann"]
            nets = [int(4 * one.nets[deal]) for one in counted]
            at = next(at for at, one in enumerate(counted) if one.name == "Ann")
            assert mine["percents"][deal] == pytest.approx(_slow_share(nets, at))
        assert mine["percent"] == pytest.approx(sum(mine["percents"]) / 2)
        page = await client.get(f"/challenge/{DAY}", headers={"cookie": f"player={key}"})
        assert f"You beat {mine['percent']:.0f}% of the field" in page.text
        assert "So far" not in page.text
        (told,) = re.findall(r'data-text="([^"]*)"', page.text)
        headline, marks = told.split("\n")  # all that friends are told
        assert headline.endswith(f": better than {mine['percent']:.0f}% of the field")
        assert marks == "".join(
            "🟩" if p >= 66 else "🟨" if p >= 33 else "⬜" for p in mine["percents"]
        )
        assert sum(one.nets[0] for one in every if one.name == "Ann") + sum(
            one.nets[1] for one in every if one.name == "Ann"
        ) == next(one.net for one in every if one.name == "Ann")
        # While runs are missing, the headline says of how many it speaks.
        monkeypatch.setattr(client.server.challenges, "begin_bots", _nothing)
        client.server.rooms.store.change(("DELETE FROM entries WHERE player LIKE 'f:1%'", ()))
        left = sum(not run.player.startswith("f:1") for run in RUNS)
        page = await client.get(f"/challenge/{DAY}", headers={"cookie": f"player={key}"})
        headline = page.text.partition('id="field-title">')[2].partition("<")[0]
        assert f"{left} of {len(RUNS)}" in headline
        # What comes next: the deal on which most of the field was better.
        worst = page.text.partition('id="what-next">')[2].partition("</p>")[0]
        here = client.server.challenges
        deals = await here.compared(await here.find(str(DAY)), f"d:{device_of_key(key)}")
        number = min(range(len(deals)), key=lambda at: deals[at].percent)
        best = deals[number].net == deals[number].best
        assert (f"/review/{number + 1}" in worst) is not best


async def _nothing(challenge: Challenge) -> None:
    """No bot begins."""


async def test_a_field_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        here = client.server.challenges
        await begin(client, key)
        async with asyncio.timeout(300):
            while (await here.field(await here.find(str(DAY))))[0] < 3:
                await asyncio.sleep(0)
    async with running(tmp_path) as (_, client):
        here = client.server.challenges
        here.today = lambda: DAY
        rows = client.server.rooms.store.rows("SELECT player, body FROM entries")
        kept = {player: body for player, body in rows if player.startswith("f:")}
        assert len(kept) >= 3
        challenge = await here.find(str(DAY))
        async with asyncio.timeout(300):
            while await here.field(challenge) != (len(RUNS), len(RUNS)):
                await here.begin_bots(challenge)  # a busy database may have refused a run
                await asyncio.gather(*here._bots.values())
        rows = client.server.rooms.store.rows("SELECT player, body FROM entries")
        assert kept.items() <= dict(rows).items()
        # The same runs again: all that was stored follows from the server and the day.
        store = client.server.rooms.store
        store.change(("DELETE FROM entries WHERE player LIKE 'f:%'", ()))
        here._bots.clear()
        async with asyncio.timeout(300):
            while await here.field(challenge) != (len(RUNS), len(RUNS)):
                await here.begin_bots(challenge)
                await asyncio.gather(*here._bots.values())
        assert dict(rows) == dict(store.rows("SELECT player, body FROM entries"))


async def test_a_call_is_compared_with_as_many_as_have_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the runs that the page counts: the bots of the levels stand beside the field."""
    counted, key = list[int](), new_key()

    def beside(start: Table, own: str, best: str, lines: Sequence[object]) -> None:
        counted.append(len(lines))

    monkeypatch.setattr(challenges, "beside_best", beside)
    for (
        day
    ) in "abcdef":  # deals differ from server to server; with the best run nothing is compared
        async with running(tmp_path / day) as (_, client):
            await play_on(client, await begin(client, key), Random(1))
            await results(client, key)
        if counted:
            break
    assert set(counted) == {len(RUNS) + 1}


def test_percentages_have_the_decimals_that_the_ranks_need() -> None:
    def decimals(*told: tuple[int, float | None]) -> int:
        return _decimals([cast(Any, SimpleNamespace(rank=r, percent=p)) for r, p in told])

    assert decimals((1, 60.0), (2, 52.0), (2, 52.0), (4, None)) == 0
    assert decimals((1, 52.3), (2, 52.2)) == 1
    assert decimals((1, 52.31), (2, 52.29), (3, 52.28)) == 2


async def test_what_made_a_deal_worse_is_a_call_that_the_best_did_not_make_or_a_card_that_cost(
    tmp_path: Path,
) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        room = await begin(client, key)
        await play_on(client, room, Random(1))
        await results(client, key)
        here = client.server.challenges
        challenge = await here.find(str(DAY))
        deals = await here.compared(challenge, f"d:{device_of_key(key)}")
        every = await here.every(str(DAY))
        own = next(one for one in every if one.name == "Ann")
        assert [one.net for one in deals] == list(own.nets)
        for at, one in enumerate(deals):
            assert one.best == max(other.nets[at] for other in every)
            assert (one.difference is None) >= (one.net == one.best)
            if one.difference is not None and one.difference.trick:
                assert one.difference.cost > 0
            elif one.difference is not None:
                compared = [other for other in every if other.nets[at] == one.best]
                lines = [other.lines[at].split() for other in compared]
                mine = own.lines[at].split()
                parting = [
                    (mine[n], line[n])
                    for line in lines
                    for n in range(min(len(mine), len(line)))
                    if mine[:n] == line[:n] and mine[n] != line[n]
                ]
                pair = action_name(one.difference.own), action_name(one.difference.other)
                assert pair in parting
        assert await here.compared(challenge, "d:nobody") == []


def test_lines_that_agree_as_far_as_they_go_do_not_part() -> None:
    start = daily(b"x", DAY).match.match().table()
    table = start.call("1NT pass pass")
    card = action_name(table.legal[0])
    other = action_name(table.legal[1])
    calls = "1NT Pass Pass"
    assert difference(start, calls, f"{calls} {card}") is None
    parts = difference(start, f"{calls} {card}", f"{calls} {other}")
    assert parts is not None
    assert (parts.trick, action_name(parts.own), action_name(parts.other)) == (1, card, other)
    assert parts.number == 4
    parts = difference(start, "Pass Pass Pass", calls)
    assert parts is not None
    assert (parts.trick, str(parts.other), parts.number) == (0, "1NT", 1)
    assert parts.told is None
    # The same call once more: which of the two it is, and whose verdict that is.
    twice = ["Pass", "Pass", "1H", "Pass", "1S", "Pass", "Pass"]
    for at, words in ((0, "Pass before any bid"), (3, "Pass after 1♥"), (5, None)):
        parts = difference(start, " ".join(twice), " ".join([*twice[:at], "2D"]))
        assert parts is not None
        assert parts.number == at + 1
        assert (parts.told and str(parts.told)) == words


def test_a_call_is_beside_the_means_of_enough_others_and_a_card_beside_none() -> None:
    start = daily(b"x", DAY).match.match().table()
    played = start.call("1NT pass pass")
    prefix = field.line_of(played)
    own, other = map(action_name, played.legal[:2])
    mine, best, passed = f"{prefix} {own}", f"{prefix} {other}", "Pass Pass Pass"
    lines = [(mine, Fraction(10))] * 12 + [(best, Fraction(90))] * 12
    lines += [(passed, Fraction(200))] * 12
    # Whoever played the other card did better: that says nothing of the card.
    assert played.position is not None
    values = DoubleDummy(start.deal.deck).cards(played.position)
    parts = field.beside_best(start, mine, best, lines)
    assert (parts is None) is (values[Card(own)] == min(values.values()))
    # Of a call, the others who made it count, whatever they did later.
    parts = field.beside_best(start, mine, passed, lines)
    assert parts is not None
    assert (str(parts.own), str(parts.other), parts.trick) == ("1NT", "Pass", 0)
    assert (parts.own_mean, parts.alike, parts.other_mean, parts.others) == (50, 23, 200, 12)
    # A handful is no mean; nor is anything said where the best call brought others less.
    for few in (lines[:12] + lines[-4:], lines[11:12] + lines[-12:]):
        parts = field.beside_best(start, mine, passed, few)
        assert parts is not None
        assert (str(parts.own), parts.own_mean) == ("1NT", None)
    lines = [(line, points if line != passed else Fraction(20)) for line, points in lines]
    parts = field.beside_best(start, mine, passed, [*lines, (passed, Fraction(500))])
    assert parts is not None
    assert parts.own_mean is None or parts.other_mean > parts.own_mean
    assert field.beside_best(start, mine, mine, lines) is None


@pytest.mark.parametrize("seat", [Seat.NORTH, Seat.SOUTH])
@pytest.mark.parametrize("seed", range(3))
def test_of_the_play_only_a_card_that_cost_a_trick_is_named(
    monkeypatch: pytest.MonkeyPatch, seed: int, seat: Seat
) -> None:
    random, solver = Random(seed), DoubleDummy(Deck("4x6"))
    monkeypatch.setattr(challenges, "DAILY", replace(challenges.DAILY, deck="4x6"))
    start = daily(bytes([seed]), DAY).match.match().table()
    table = start.call("1NT pass pass")
    owned, named, costs = list[int](), list[str](), list[int]()
    while table.position is not None and not table.position.over:
        position, card = table.position, random.choice(table.legal)
        if table.turn is seat:
            values = solver.cards(position)
            best = max(values.values()) if position.declaring else min(values.values())
            owned.append(len(table.history) + 1)
            named.append(action_name(card))
            costs.append(int(abs(best - values[cast(Card, card)])))
        table = table.apply(card)
    line = field.line_of(table)
    for at, number in enumerate(owned):
        found = field.costly(start, line, number)
        first = next((n for n in range(at, len(costs)) if costs[n]), None)
        if first is None:
            assert found is None
            continue
        assert found is not None
        assert (action_name(found.own), found.cost) == (named[first], costs[first])
        assert found.number == owned[first]
        assert found.trick > 0
        # Where the best parted from it with a card, the same is said.
        other = " ".join([*line.split()[: number - 1], "C2" if named[at] != "C2" else "D2"])
        assert field.beside_best(start, line, other, []) == found


async def test_of_the_play_a_daily_blames_what_the_review_blames(tmp_path: Path) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        room = await begin(client, key)
        await play_on(client, room, Random(1))
        await results(client, key)
        server, headers = client.server, {"cookie": f"player={key}"}
        challenge = await server.challenges.find(str(DAY))
        deal, *_ = await server.challenges.compared(challenge, f"d:{device_of_key(key)}")
        (own, other, later), played = map(Card, ("S2", "S3", "HA")), "1NT Pass Pass"
        parts = field.Difference(2, False, own, other, 5, cost=1)
        judged = Judgement(
            number=3 + 10, seat=Seat.SOUTH, chair=Chair.DUMMY, action=later,
            verdict=Verdict.MISTAKE, cost=2, points_cost=60,
        )  # fmt: skip
        calls = SimpleNamespace(
            record=SimpleNamespace(actions=list(map(parse_call, played.split())))
        )

        async def said(judgement: Judgement | None, compared: field.Difference) -> str:
            async def compare(*_: object) -> list[challenges.Compared]:
                return [replace(deal, net=Fraction(0), best=Fraction(9), difference=compared)]

            async def blame(*_: object) -> SimpleNamespace | None:
                return SimpleNamespace(judgement=judgement, played=calls) if judgement else None

            server.challenges.compared, server.games.turning_point_at = compare, blame  # type: ignore[method-assign, assignment]
            page = (await client.get(f"/challenge/{DAY}", headers=headers)).text
            return page.partition('class="compared"')[2].partition("</ol>")[0]

        found = await said(judged, parts)
        assert "Trick 3:" in found
        assert "from dummy cost 2 tricks, all cards seen" in found
        assert "?step=10" in found
        assert "the best" not in found.partition("Trick 3:")[2]
        # What the best run played, too, or did not cost a trick, is not what it did otherwise.
        call = replace(judged, chair=None, action=parse_call("1NT"), number=1)
        for judgement in (None, replace(judged, number=3 + 4), replace(judged, cost=0), call):
            found = await said(judgement, parts)
            assert "Trick 2:" in found
            assert "cost 1 trick, all cards seen" in found
            assert "?step=5" in found
        bid = field.Difference(0, False, parse_call("1NT"), parse_call("Pass"), number=1)
        found = await said(judged, bid)
        assert "You called" in found
        assert "cost" not in found
        again = replace(bid, told=Sentence("Pass before any bid"), sound=True)
        assert "You called Pass before any bid" in await said(None, again)
        # What the field says of a call, of these cards, beside what the review says of it.
        averaged = replace(bid, own_mean=-75.0, alike=22, other_mean=76.0, others=11)
        for compared in (bid, averaged):
            for verdict in Verdict:

                async def of_call(*_: object, verdict: Verdict = verdict) -> Judgement:
                    return replace(call, verdict=verdict)

                server.reviews.judged = of_call  # type: ignore[method-assign, assignment]
                assert ("was no mistake" in await said(None, compared)) is verdict.right


@pytest.mark.parametrize("name", ["Ann", ""])
async def test_a_row_says_once_that_it_is_yours(tmp_path: Path, name: str) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        await play_on(client, await begin(client, key, name=name), Random(1))
        page = (await client.get(f"/challenge/{DAY}", headers={"cookie": f"player={key}"})).text
        row = page.partition('class="mine"')[2].partition("</tr>")[0]
        assert re.sub(r"<[^>]*>", " ", row).lower().split().count("you") == 1


async def test_results_are_in_one_unit(tmp_path: Path) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        await play_on(client, await begin(client, key), Random(1))
        seen = await results(client, key)
        (mine,) = (one for one in seen["results"] if one["you"])
        assert sum(map(Fraction, mine["nets"])) == Fraction(mine["net"])
        page = (await client.get(f"/challenge/{DAY}", headers={"cookie": f"player={key}"})).text
        row = page.partition('class="mine"')[2].partition("</tr>")[0]
        shown = re.findall(r'<td class="each">([^<]+)</td>', row)
        assert shown == [points_text(Fraction(net), signed=True) for net in mine["nets"]]
        cards = page.partition('class="compared"')[2].partition("</ol>")[0]
        assert all(f"<b>{text}</b>" in cards for text in shown)
        assert "-" not in "".join(re.findall(r">[+-]?\d[^<]*<", cards))


async def test_the_last_days_are_a_curve(tmp_path: Path) -> None:
    key, days = new_key(), [DAY + timedelta(at) for at in range(3)]
    async with running(tmp_path) as (_, client):
        for day in (days[0], days[2]):
            await play_on(client, await begin(client, key, day), Random(day.day))
            await results(client, key, day)
        every = await client.server.challenges.lately(f"d:{device_of_key(key)}", days[2])
        assert [day for day, _ in every] == [days[0], days[2]]
        pages = [
            " ".join(
                (
                    await client.get(f"/challenge/{day}", headers={"cookie": f"player={key}"})
                ).text.split()
            )
            for day in (days[0], days[2])
        ]
        assert "<polyline" not in pages[0]  # a single day is no curve
        assert "<polyline" in pages[1]
        mean = sum(percent for _, percent in every) / 2
        assert f"On average of 2 days you beat {mean:.0f}%." in pages[1]
        assert ("Your best day so far." in pages[1]) == (every[1][1] >= every[0][1])


async def test_a_day_whose_field_still_plays_is_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, days = new_key(), [DAY + timedelta(at) for at in range(3)]
    async with running(tmp_path) as (_, client):
        here = client.server.challenges
        for day in days:
            await play_on(client, await begin(client, key, day), Random(day.day))
            await results(client, key, day)
        monkeypatch.setattr(here, "begin_bots", _nothing)
        missing = "DELETE FROM entries WHERE player LIKE 'f:1%' AND challenge = ?"
        here.rooms.store.change((missing, (str(days[2]),)))
        assert [day for day, _ in await here.lately(f"d:{device_of_key(key)}", days[2])] == days[:2]
        page = (await client.get(f"/challenge/{days[2]}", headers={"cookie": f"player={key}"})).text
        assert "On average of 2 days" in page
        assert not re.search("[Bb]est day|Better than last time", page)


async def test_the_page_says_how_long_the_field_will_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, now = new_key(), [100.0]
    monkeypatch.setattr(
        "tribridge.club.core.challenges.time", SimpleNamespace(monotonic=lambda: now[0])
    )
    monkeypatch.setattr(challenges, "_STEADY", 3)
    async with running(tmp_path) as (_, client):
        here = client.server.challenges
        with monkeypatch.context() as late:
            late.setattr(here, "begin_bots", _nothing)
            await play_on(client, await begin(client, key), Random(1))
        challenge, waiting = await here.find(str(DAY)), asyncio.Event()
        play = here._play_bot

        async def slowly(challenge: Challenge, run: Run) -> None:
            if (await here.field(challenge))[0] == 4:
                await waiting.wait()
            await play(challenge, run)
            now[0] += 30

        monkeypatch.setattr(here, "_play_bot", slowly)
        assert here.seconds_to_go(challenge) is None
        await here.begin_bots(challenge)
        while (await here.field(challenge))[0] < 4:
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        assert here.seconds_to_go(challenge) == 240
        cookie = {"cookie": f"player={key}"}
        assert (
            "About 4 minutes to go." in (await client.get(f"/challenge/{DAY}", headers=cookie)).text
        )
        page = (await client.get("/league", headers=cookie)).text
        assert "4 of 12 runs" in page
        assert "About 4 minutes to go." in page
        waiting.set()
        await asyncio.gather(*here._bots.values())
        assert here.seconds_to_go(challenge) is None
        assert "to go." not in (await client.get("/league", headers=cookie)).text


def test_the_time_to_go_is_told_once_it_is_steady_and_never_rises(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, told = [0.0], list[float | None]()
    monkeypatch.setattr(
        "tribridge.club.core.challenges.time", SimpleNamespace(monotonic=lambda: now[0])
    )
    pace = _Pace(0)
    for left in reversed(range(60)):
        now[0] += 5 if left > 45 else 60 if left > 40 else 1
        pace.ended(left)
        told.append(pace.to_go)
    assert not any(told[:5])
    minutes = [ceil(seconds / 60) for seconds in told if seconds is not None]
    assert minutes == sorted(minutes, reverse=True)
    assert None in told[14:]
    assert told[-1] == 0


async def test_a_damaged_result_is_left_out_and_the_others_are_shown(tmp_path: Path) -> None:
    key = new_key()
    async with running(tmp_path) as (_, client):
        room = await begin(client, key)
        await play_on(client, room, Random(1))
        await results(client, key)
        store = client.server.rooms.store
        for player, body in (("f:3", "{"), ("f:4", json.dumps({"name": 3}))):
            change = "UPDATE entries SET body = ? WHERE player = ?"
            store.change((change, (body, player)))
        seen = await results(client, key)
        assert len(seen["results"]) == 2
        assert len(await client.server.challenges.every(str(DAY))) == len(RUNS)
        # A run that cannot be read is played again by the next server.
        client.server.challenges._bots.clear()
        assert (await results(client, key))["field"] == len(RUNS)
        assert len(await client.server.challenges.every(str(DAY))) == len(RUNS) + 2


async def test_a_run_that_fails_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = (Run("f:0", "nonsense"), *RUNS[1:])
    monkeypatch.setattr(challenges, "field_runs", lambda: runs)
    with pytest.raises(TribridgeError):
        check_strategy("nonsense")
    async with running(tmp_path) as (_, client):
        key = new_key()
        room = await begin(client, key)
        await play_on(client, room, Random(1))
        seen = await results(client, key)
        assert (seen["field"], seen["field_wanted"]) == (len(RUNS), len(RUNS))
        every = await client.server.challenges.every(str(DAY))
        assert next(one for one in every if one.player == "f:0").lines
