"""Bots that play through the API: what they see, and how they end."""

from __future__ import annotations

import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from numpy.random import Generator

from tests.club.helpers import FAST
from tests.club.serving import serving
from tests.library.cli.helpers import COMMAND, tribridge
from tribridge.cards.deals import Seat
from tribridge.club.client import AwayError, Bot, Connection, Patience, split_address, take_seat
from tribridge.common.errors import FormatError, NotFoundError, RunError
from tribridge.game import View, view
from tribridge.strategies import Choice, Strategy, find_strategy

QUICK = Patience(next_deal=0.0, server=60.0)


class Recorder:
    """Chooses as another strategy does, and keeps what it was shown."""

    def __init__(self, name: str) -> None:
        self.strategy = find_strategy(name)
        self.views: list[View] = []

    def call(self, view: View, rng: Generator) -> Choice:
        return self._choose(view, rng)

    def card(self, view: View, rng: Generator) -> Choice:
        return self._choose(view, rng)

    def _choose(self, view: View, rng: Generator) -> Choice:
        self.views.append(view)
        return self.strategy.choose(view, rng)


def recorded(name: str) -> tuple[Strategy, Recorder]:
    recorder = Recorder(name)
    return Strategy(name, recorder, recorder), recorder


def opened(server: str, **settings: Any) -> str:
    body = {"strategies": ["points+maxims"] * 3, "open": ["N", "E"], "deals": 2} | settings
    return str(Connection(server).ask("/tables", body)["table"])


def due(app: FastAPI, table: str, seat: Seat) -> list[View]:
    """What a strategy of the server would have been shown in a seat over a whole match."""
    state = app.state.server.rooms.find(table).state
    return [
        view(position, seat)
        for finished in state.finished
        for position in finished.record.states()
        if position.turn is seat
    ]


@pytest.mark.slow
def test_two_bots_play_a_match_from_the_views_that_the_server_would_show(tmp_path: Path) -> None:
    with serving(tmp_path) as (server, app), ThreadPoolExecutor() as pool:
        table = opened(server, seed=11, doubles=True)
        bots, recorders = [], {}
        for seat in (Seat.NORTH, Seat.EAST):
            held = take_seat(Connection(server), table, seat, "bot")
            strategy, recorders[seat] = recorded("points+maxims")
            bots.append(Bot(Connection(server), held, strategy, 7, QUICK))
        lasts = list(pool.map(Bot.play, bots))
        assert [last["over"] for last in lasts] == [True, True]
        for seat, recorder in recorders.items():
            assert recorder.views == due(app, table, seat)
            assert len(recorder.views) > 20


def test_a_bot_is_ready_for_the_next_deal_as_soon_as_somebody_else_is(tmp_path: Path) -> None:
    with serving(tmp_path) as (server, _), ThreadPoolExecutor() as pool:
        table = opened(server, open=["N", "S"], deals=2)
        patient = Patience(next_deal=3600.0, server=60.0)
        bots = [
            Bot(
                Connection(server),
                take_seat(Connection(server), table, seat, seat.letter),
                find_strategy("pass+random"),
                1,
                patience,
            )
            for seat, patience in ((Seat.NORTH, patient), (Seat.SOUTH, QUICK))
        ]
        lasts = list(pool.map(Bot.play, bots))
        assert [last["over"] for last in lasts] == [True, True]


def test_a_bot_outlives_its_server(tmp_path: Path) -> None:
    said: list[str] = []
    with ThreadPoolExecutor() as pool:
        with serving(tmp_path) as (server, app):
            table = opened(server, open=["N", "S"], deals=1)
            north = take_seat(Connection(server), table, Seat.NORTH, "bot")
            bot = Bot(
                Connection(server), north, find_strategy("pass+random"), 1, QUICK, said.append
            )
            playing = pool.submit(bot.play)
            presence = app.state.server.rooms.find(table).presence
            while presence.idle():  # the match cannot begin before South sits down
                time.sleep(0.01)
        while not any("reconnecting" in text for text in said):
            assert not playing.done(), playing.result()
            time.sleep(0.01)
        port = int(server.rpartition(":")[2])
        with serving(tmp_path, port) as (server, _):
            south = take_seat(Connection(server), table, None, "other")
            other = Bot(Connection(server), south, find_strategy("pass+random"), 2, QUICK)
            assert other.play()["over"]
            assert playing.result(60)["over"]


def test_a_bot_answers_claims(tmp_path: Path) -> None:
    with serving(tmp_path) as (server, _), ThreadPoolExecutor() as pool:
        table = opened(server, open=["N", "S"], deals=1, seed=3, strategies=["pass+random"] * 3)
        held = take_seat(Connection(server), table, Seat.NORTH, "bot")
        bot = Bot(Connection(server), held, find_strategy("pass+maxims"), 1, QUICK)
        person = take_seat(Connection(server), table, Seat.SOUTH, "person")
        playing = pool.submit(bot.play)
        connection, path = Connection(server), f"/tables/{table}"

        def look() -> Any:
            return connection.ask(path, None, person.token)

        def mine() -> Any:
            while (seen := look())["turn"] != "S" and not seen["deal_over"]:
                pass
            return seen

        seen = mine()
        connection.ask(f"{path}/actions", {"action": "1NT", "at": seen["number"]}, person.token)
        while not (seen := mine())["may_claim"]:
            body = {"action": seen["legal"][0], "at": seen["number"]}
            connection.ask(f"{path}/actions", body, person.token)
        left = 13 - len(seen["tricks"])
        claim = {"tricks": left, "at": seen["number"]}
        connection.ask(f"{path}/claims", claim, person.token)
        while (seen := look())["claim"] is not None:
            pass
        assert not seen["deal_over"]  # nobody takes all the rest with these cards
        while not (seen := mine())["may_claim"]:
            body = {"action": seen["legal"][0], "at": seen["number"]}
            connection.ask(f"{path}/actions", body, person.token)
        claim = {"tricks": 0, "at": seen["number"]}
        connection.ask(f"{path}/claims", claim, person.token)
        assert playing.result(60)["deal_over"]  # nobody minds a claim to no tricks


def test_a_bot_takes_its_seat_back(tmp_path: Path) -> None:
    with serving(tmp_path, timing=replace(FAST, silence=0.0)) as (server, _):
        table = opened(server, open=["N", "S"], deals=1, strategies=["pass+random"] * 3)
        connection = Connection(server)
        north = take_seat(connection, table, Seat.NORTH, "bot")
        south = take_seat(connection, table, Seat.SOUTH, "person")
        at = {"at": connection.ask(f"/tables/{table}")["number"]}
        seen = connection.ask(f"/tables/{table}/seats/N/stand-in", at, south.token)
        assert seen["places"][0]["away"]
        bot = Bot(Connection(server), north, find_strategy("pass+random"), 1, QUICK)
        with ThreadPoolExecutor(1) as pool:
            playing = pool.submit(bot.play)
            while connection.ask(f"/tables/{table}")["places"][0]["away"]:  # South waits for it
                assert not playing.done()
                time.sleep(0.01)
            connection.ask(f"/tables/{table}/leave", {}, south.token)
            last = playing.result(60)
        assert last["places"][0]["person"]
        assert not last["places"][0]["away"]


@pytest.mark.slow
def test_ctrl_c_leaves_the_seat(tmp_path: Path) -> None:
    with serving(tmp_path) as (server, app):
        table = opened(server, open=["N", "S"])
        process = subprocess.Popen(
            [COMMAND, "bot", "--url", f"{server}/table/{table}", "--seat", "S"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert "plays South" in process.stdout.readline()
        assert app.state.server.rooms.find(table).state.places[Seat.SOUTH].person
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, "")
        assert out == "Left the table: a strategy of the server plays South now.\n"
        assert not app.state.server.rooms.find(table).state.places[Seat.SOUTH].person


def test_errors_are_one_line(tmp_path: Path) -> None:
    with serving(tmp_path) as (server, _):
        connection = Connection(server)
        with pytest.raises(NotFoundError, match=f"no table at {server} has an open seat"):
            take_seat(connection, None, None, "bot")
        table = opened(server, open=["N"], listed=True)
        with pytest.raises(NotFoundError, match="table 'none'"):
            take_seat(connection, "none", None, "bot")
        with pytest.raises(RunError, match=r"open seats: North"):
            take_seat(connection, table, Seat.SOUTH, "bot")
        held = take_seat(connection, None, None, "bot")
        assert (held.table, held.seat) == (table, Seat.NORTH)
        with pytest.raises(RunError, match=f"table {table} at .* has no open seat"):
            take_seat(connection, table, None, "bot")
        connection.ask(f"/tables/{table}/leave", {}, held.token)
        gone = Bot(connection, held, find_strategy("maxims"), 1, QUICK)
        with pytest.raises(RunError, match="longer held"):
            gone.play()
    with pytest.raises(AwayError, match=f"cannot reach {server}: Connection refused"):
        take_seat(connection, table, None, "bot")
    lost = Bot(connection, held, find_strategy("maxims"), 1, Patience(server=0.0))
    with pytest.raises(AwayError, match=f"cannot reach {server}: Connection refused"):
        lost.play()


@pytest.mark.parametrize(
    "url", ["", "table", "ftp://host/table/x", "http://", "http://a:b/table/x"]
)
def test_addresses_that_cannot_be_read(url: str) -> None:
    with pytest.raises(FormatError, match="cannot read address"):
        split_address(url)


def test_the_command(tmp_path: Path) -> None:
    with serving(tmp_path) as (server, _):
        table = opened(server, open=["S"], deals=1, strategies=["pass+random"] * 3)
        done = tribridge(
            "bot", "--url", f"{server}/table/{table}", "--strategy", "points+random", "--name", "B"
        )
        assert done.returncode == 0, done.stderr
        assert f"points+random plays South at {server}/table/{table}" in done.stdout
        assert "Deal 1 of 1: " in done.stdout
        assert "B " in done.stdout
        assert done.stdout.endswith("The match is over.\n")
        for arguments, words in (
            (("--url", f"{server}/table/{table}"), "has no open seat"),
            (("--url", f"{server}/table/none"), "there is no table 'none'"),
            (("--url", server, "--strategy", "oracle"), "sees all four hands"),
            (("--url", server, "--strategy", "nobody"), "nobody"),
            (("--url", server, "--seat", "W"), "W"),
            (("--url", server, "--patience", "-1"), "--patience must be a number of seconds"),
        ):
            failed = tribridge("bot", *arguments)
            assert failed.returncode in (1, 2), failed
            assert words in failed.stderr
            assert failed.stderr.count("\n") == 1
    failed = tribridge("bot", "--url", server)
    assert failed.stderr == f"tribridge: cannot reach {server}: Connection refused\n"
