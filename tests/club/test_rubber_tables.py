"""Rubbers and doubles at the table: standing, sheet, records, and what calls are worth."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.club.helpers import Client, act, client_of, form_at, look, next_deal, running, three
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.club.core import events
from tribridge.club.core.games import game_of
from tribridge.club.core.matches import DEFAULT_LAWS, USUAL_DEALS, MatchPlan
from tribridge.club.core.wording import decisive_words
from tribridge.club.view import advice
from tribridge.club.view.board import Box, box_of
from tribridge.game import Bid, Contract, Mark, Outcome, Rubber, new_table, record, view
from tribridge.game.record import rubbers as record_rubber
from tribridge.strategies import options

pytestmark = pytest.mark.anyio


Seats = dict[str, dict[str, str]]


async def one_notrump(
    client: Client, table: str, seats: Seats, declarer: str, tricks: int, *more: str
) -> dict[str, Any]:
    """A player bids 1NT, then come `more` calls and passes; the defence claims all but `tricks`."""
    to_come = list(more)
    while (seen := await look(client, table, seats["S"]))["contract"] is None:
        turn, bid = seen["turn"], "1NT" in seen["calls"]
        call = "1NT" if turn == declarer and not bid else "Pass"
        if bid and to_come:
            call = to_come.pop(0)
        assert (await act(client, table, seats[turn], call, seen["number"])).status_code == 200
    lead, path = seats[seen["turn"]], f"/api/tables/{table}/claims"
    claim = {"tricks": 13 - tricks, "at": seen["number"]}
    seen = dict((await client.post(path, json=claim, headers=lead)).json())
    for letter in seen["claim"]["answering"]:
        body = {"agree": True, "at": seen["number"]}
        answer = await client.post(f"{path}/answer", json=body, headers=seats[letter])
        seen = dict(answer.json())
    assert seen["deal_over"]
    return seen


async def log(client: Client, table: str) -> list[str]:
    found: list[str] = (await client.get(f"/api/tables/{table}/log")).json()["log"]
    return found


async def test_a_rubber_from_the_first_deal_to_the_settlement(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        table, seats = await three(client, laws="auction-rubber", seed=3)
        start = await look(client, table, seats["N"])
        assert start["laws"] == start["scheme"] == "auction-rubber"
        assert start["doubles"]
        assert start["rubber"]["games"] == [0, 0, 0]
        await one_notrump(client, table, seats, "N", 8)
        seen = await next_deal(client, table, seats)
        assert seen["rubber"] == {"laws": "auction-rubber", "below": [20, 0, 0],
                                  "games": [0, 0, 0]}  # fmt: skip
        await one_notrump(client, table, seats, "N", 7)
        page = (await client.get(f"/table/{table}")).text
        assert "wins a game" in page
        result = page[page.index('class="scores"') :].partition("</ul>")[0]
        gains = [int(points) for points in re.findall(r"<small>\+(\d+) ", result)]
        sheet = (await client.get(f"/api/tables/{table}/score")).json()["rubber"]["entries"]
        assert gains == [entry["points"] for entry in sheet if entry["deal"] == 2]
        assert result.count("<small>") == len(gains)  # and their sum is not there again
        assert "★" in page
        await next_deal(client, table, seats)
        await one_notrump(client, table, seats, "E", 5, "X")
        await next_deal(client, table, seats)
        end = await one_notrump(client, table, seats, "N", 9)
        assert end["over"]
        page = (await client.get(f"/table/{table}")).text
        assert "Last deal:" in page  # of which alone a stamp would speak
        assert 'class="stamp' not in page
        story = page[page.index('class="story"') :].partition("</p>")[0]
        assert "Deal 4 counted most" in story  # the game and the rubber
        assert f'href="/table/{table}/review/4"' in story
        for deal in (3, 4):  # what decided the last deal is not taken for what decided the rubber
            told = (await client.get(f"/table/{table}/review/{deal}/decided")).text
            assert ("Last deal:" in told) == (deal == 4)
        reasons = page[page.index('class="scores"') :].partition("</ul>")[0]
        assert 'popovertarget="term-rubber"' in reasons  # what the points are for is explained

        score = (await client.get(f"/api/tables/{table}/score")).json()
        sheet = score["rubber"]
        assert (sheet["winner"], sheet["games"]) == ("N", [2, 0, 0])
        assert [line["contract"] for line in score["lines"]] == ["1NT", "1NT", "1NTx", "1NT"]
        for at, letter in enumerate("NES"):
            points = sum(one["points"] for one in sheet["entries"] if one["seat"] == letter)
            assert str(points) == score["totals"][at]
        assert {"deal": 3, "seat": "S", "points": 200, "below": False,
                "reason": "undertricks"} in sheet["entries"]  # fmt: skip
        assert sum(int(points) for points in score["settlement"]) == 0

        page = (await client.get(f"/table/{table}/sheet")).text
        assert "wins the rubber" in page
        assert "PE pays PN" in page
        assert "<html" in page
        part = await client.get(f"/table/{table}/sheet", headers={"hx-request": "true"})
        assert "<html" not in part.text

        rubber = record_rubber.loads((await client.get(f"/table/{table}/rubber.jsonl")).text)[0]
        assert [str(points) for points in rubber.totals().values()] == score["totals"]
        deals = record.loads((await client.get(f"/table/{table}/match.jsonl")).text)
        states = [one.rubber for one in deals]
        assert [state and state.standing.games for state in states] == [
            (0, 0, 0), (0, 0, 0), (1, 0, 0), (1, 0, 0)
        ]  # fmt: skip
        # My games: the deals of a rubber add up to its settlement.
        stored = app.state.server.rooms.store.events(table)
        game = game_of(stored, table, Seat.EAST, 1, "2026-11-15")
        assert game is not None
        assert (game.scoring, game.length) == ("auction-rubber", 0)
        assert game.net == int(score["settlement"][Seat.EAST])
        # The table is rebuilt from its events.
        other = events.replay(app.state.server.rooms.store.events(table))
        assert other == app.state.server.rooms.find(table).state


def test_the_deal_that_decided_a_rubber_is_told_to_each() -> None:
    match = MatchPlan(laws="auction-rubber", seed=1).match()
    for contract, tricks in (
        (Contract("3NT", "S"), 9),
        (Contract("4S", "S", 2), 4),  # without it South is ahead, who wins the rubber
        (Contract("1NT", "E"), 6),
        (Contract("3NT", "S"), 9),
    ):
        match = match.add(Outcome(contract, tricks))
    totals = match.totals()
    state: Any = SimpleNamespace(
        match=match,
        winners=tuple(seat for seat in Seat if totals[seat] == max(totals)),
        places=[SimpleNamespace(name=name) for name in ("Walter", "Maud", "Ann")],
    )
    told = [decisive_words(state, seat) for seat in (*Seat, None)]
    assert {deal for deal, _ in filter(None, told)} == {2}
    to_first, to_second, to_third, to_others = (words for _, words in filter(None, told))
    assert "to you: 4♠ by Ann, doubled, goes down 6." in to_first
    assert "to Walter: Your 4♠, doubled, goes down 6. Without it you would" in to_third
    assert to_second == to_others
    assert to_second.endswith("Without it Ann would have finished ahead.")
    level: Any = SimpleNamespace(match=match, winners=tuple(Seat)[:2], places=state.places)
    assert decisive_words(level) is None


def test_the_usual_length_of_a_rubber_is_that_of_the_rubbers_that_were_played() -> None:
    results = Path(__file__).parents[2] / "benchmarks" / "results" / "rubber-lengths.json"
    for laws, lengths in json.loads(results.read_text("utf-8")).items():
        least, most = USUAL_DEALS[laws]
        usual = sum(count for deals, count in lengths.items() if least <= int(deals) <= most)
        assert 0.75 <= usual / sum(lengths.values()) <= 0.85


async def test_one_click_opens_a_rubber_with_doubles(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        for data, laws, doubles, deals in (
            ({}, DEFAULT_LAWS, True, 99),
            ({"scoring": "contract-rubber", "deals": "4"}, "contract-rubber", True, 99),
            ({"scoring": "whist-club", "no_doubles": "true"}, "whist-club", False, 99),
            ({"scoring": "contract", "deals": "2"}, None, True, 2),
            ({"scoring": "old", "no_doubles": "true"}, None, False, 4),
        ):
            visitor = client_of(app)
            other = {"other": "pass+random"}
            answer = await visitor.post("/play", data=data | other)
            assert answer.status_code == 303, answer.text
            seen = await look(visitor, answer.headers["location"].rsplit("/", 1)[1])
            assert (seen["laws"], seen["doubles"], seen["deals"]) == (laws, doubles, deals)
        page = (await client.get("/")).text
        assert page.index("auction-rubber") < page.index("auction-tricks")


@pytest.mark.parametrize("name", ["poker", "laws.toml", "/etc/passwd", "auction-tricks"])
async def test_unknown_laws_are_refused_in_one_line(tmp_path: Path, name: str) -> None:
    async with running(tmp_path) as (_, client):
        answer = await client.post("/api/tables", json={"laws": name})
        assert answer.status_code in (400, 422)
        assert answer.json()["error"].startswith(f"unknown laws {name!r}: expected auction-rub")
        assert "\n" not in answer.json()["error"]


async def test_single_deals_have_no_sheet_and_look_as_before(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, _ = await three(client, deals=2, seed=3)
        refused = await client.get(f"/table/{table}/sheet")
        assert refused.status_code == 422
        assert "plays single deals" in refused.text
        page = (await client.get(f"/table/{table}")).text
        assert "rubber-tag" not in page
        assert "Deal 1 of 2" in page


async def test_a_position_of_a_rubber_can_be_played_on_in_its_standing(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        table, seats = await three(client, laws="auction-rubber", seed=3, deals=2)
        await one_notrump(client, table, seats, "N", 8)
        await next_deal(client, table, seats)
        seen = await look(client, table, seats["S"])
        while not seen["deal_over"]:
            seat = seats[seen["turn"]]
            seen = await look(client, table, seat)
            bids = [call for call in seen["legal"] if call == "1S"] if not seen["calls"] else []
            action = (bids or seen["legal"])[0]
            seen = (await act(client, table, seat, action, seen["number"])).json()
        assert seen["over"]
        answer = await client.post(f"/table/{table}/review/2/play-on", data={"step": "4"})
        assert answer.status_code == 303, answer.text
        name = answer.headers["location"].rsplit("/", 1)[1]
        state = app.state.server.rooms.find(name).state
        assert state.table.rubber.standing.below == (20, 0, 0)
        assert state.match.deals == 1


async def test_a_double_is_offered_with_what_it_changes_and_shown_everywhere(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, laws="auction-rubber", seed=3)
        token = seats["E"]["authorization"].removeprefix("Bearer ")
        cookie = {"cookie": f"seat-{table}={token}"}
        page = (await client.get(f"/table/{table}", headers=cookie)).text
        assert 'id="call-X"' in page
        assert 'id="cost-X"' not in page  # nothing to double yet
        at = (await look(client, table))["number"]
        assert (await act(client, table, seats["N"], "3S", at)).status_code == 200
        page = (await client.get(f"/table/{table}", headers=cookie)).text
        cost = page.split('id="cost-X"')[1].split("</span>")[0]
        assert "one down 100, not 50; made 104, not 27, and <b>game</b>" in cost
        data = {"action": "X", "at": str(form_at(page))}
        await client.post(f"/table/{table}/act", data=data, headers=cookie)
        for letter, call in (("S", "Pass"), ("N", "XX"), ("E", "Pass"), ("S", "Pass")):
            at = (await look(client, table))["number"]
            assert (await act(client, table, seats[letter], call, at)).status_code == 200
        seen = await look(client, table, seats["S"])
        assert (seen["contract"], seen["calls"][1]) == ("3Sxx", "X")
        said = (await client.get(f"/api/tables/{table}/log")).json()["log"]
        assert "PE doubles." in said
        assert "PN redoubles." in said
        assert any("declares 3♠ redoubled" in line for line in said)
        page = (await client.get(f"/table/{table}")).text
        assert '<span class="sr"> redoubled</span>' in page


async def test_a_redoubled_contract_in_result_and_review(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, laws="auction-rubber", seed=3)
        await one_notrump(client, table, seats, "N", 6, "X", "Pass", "XX")
        assert "1NT by PN, redoubled, goes down 1." in await log(client, table)
        assert "1NTxx by PN" in (await client.get(f"/table/{table}/review/1")).text
        lines = (await client.get(f"/api/tables/{table}/score")).json()["lines"]
        assert lines[0]["contract"] == "1NTxx"
        assert [int(points) >= 200 for points in lines[0]["scores"]] == [False, True, True]


def test_stakes_count_with_the_standing() -> None:
    def box(seat: Seat, *calls: str, **standing: Any) -> Box:
        rubber = Rubber("auction-rubber", **standing)
        table = new_table(deal(1, 0), Seat.NORTH, doubles=True, rubber=rubber.state)
        for call in calls:
            table = table.call(call)
        return box_of(view(table, seat), True)

    fresh = box(Seat.NORTH)
    assert fresh.stake(Bid("2H")).wins == ""
    assert fresh.stake(Bid("4H")).wins == "game"
    assert box(Seat.NORTH, below=(16, 0, 0)).stake(Bid("2H")).wins == "game"
    # A double that makes the contract worth a game, and one that wins the rubber.
    doubled = box(Seat.EAST, "2H").raised(Mark.DOUBLE)
    assert doubled is not None
    assert (doubled[0].wins, doubled[1].wins) == ("", "game")
    assert (doubled[0].made, doubled[1].made) == (Fraction(16), Fraction(82))
    assert (doubled[0].down, doubled[1].down) == (Fraction(50), Fraction(100))
    doubled = box(Seat.EAST, "2H", games=(1, 0, 0)).raised(Mark.DOUBLE)
    assert doubled is not None
    assert (doubled[1].wins, doubled[1].made) == ("rubber", Fraction(332))
    assert fresh.raised(Mark.DOUBLE) is None
    # Redouble takes the place of double where the own bid was doubled.
    assert box(Seat.EAST, "2H").marks == ((Mark.PASS, True), (Mark.DOUBLE, True))
    own = box(Seat.NORTH, "2H", "X", "pass")
    assert own.marks == ((Mark.PASS, True), (Mark.REDOUBLE, True))


def test_a_vulnerable_declarer_loses_more_under_contract_laws() -> None:
    for games, down in (((0, 0, 0), 50), ((1, 0, 0), 100)):
        rubber = Rubber("contract-rubber", games=games)
        seen = view(new_table(deal(1, 0), Seat.NORTH, rubber=rubber.state), Seat.NORTH)
        assert box_of(seen, True).stake(Bid("2H")).down == down


def test_hints_and_advice_count_with_the_standing() -> None:
    def values(**standing: Any) -> tuple[dict[str, float | None], list[float]]:
        rubber = Rubber("auction-rubber", **standing)
        table = new_table(deal(4, 2), Seat.SOUTH, doubles=True, rubber=rubber.state)
        seen = view(table, Seat.SOUTH)
        forecasts = advice.study(seen).forecasts
        assert forecasts is not None
        cells = [bid.expected for bid in forecasts.bids]
        return {str(one.action): one.value for one in options(seen)}, cells

    fresh, ahead = values(), values(below=(0, 0, 20), games=(1, 1, 1))
    assert fresh[1] != ahead[1]
    assert fresh[0] != ahead[0]


async def test_advice_over_the_api_values_a_double(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, laws="auction-rubber", seed=3)
        at = (await look(client, table))["number"]
        assert (await act(client, table, seats["N"], "6C", at)).status_code == 200
        answer = await client.post(f"/api/tables/{table}/advice", headers=seats["E"])
        forecasts = answer.json()["forecasts"]
        assert [one["call"] for one in forecasts["doubling"]] == ["X"]
        assert forecasts["doubling"][0]["expected"] > forecasts["passing"]
        cookie = seats["E"]["authorization"].replace("Bearer ", f"seat-{table}=")
        page = await client.post(f"/table/{table}/advice", headers={"cookie": cookie})
        assert 'name="action" value="X"' in page.text


async def test_a_rubber_can_be_played_again_and_made_a_challenge(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        table, seats = await three(client, laws="auction-rubber", seed=3)
        await one_notrump(client, table, seats, "N", 13)
        await next_deal(client, table, seats)
        await one_notrump(client, table, seats, "N", 13)
        words = (await client.get(f"/table/{table}")).text
        assert "ahead." in words
        rooms = app.state.server.rooms
        for letter in "NES":
            path = f"/api/tables/{table}/rematch"
            answer = await client.post(path, json={}, headers=seats[letter])
            assert answer.status_code == 200, answer.text
        following = rooms.find(rooms.find(table).state.rematch_table).state
        assert following.match.rules.name == "auction-rubber"
        assert following.match.first_dealer is Seat.SOUTH  # the third deal in a row
