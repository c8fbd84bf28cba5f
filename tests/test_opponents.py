"""The programs of `examples/opponents`, which know nothing of Tribridge but its JSON lines."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl

import pytest

from tests.test_docs import ROOT
from tribridge.cards.cards import Hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game.table import new_table
from tribridge.game.tricks import chair_hands
from tribridge.game.view_json import view_fields
from tribridge.game.views import view

BEN = ROOT / "examples" / "opponents" / "ben.py"


@pytest.mark.parametrize("contract", ["1NT", "4S"])
def test_the_sampler_passes_and_then_plays_legal_cards_in_every_chair(contract: str) -> None:
    program = ROOT / "examples" / "opponents" / "sampler.py"
    with subprocess.Popen(
        [sys.executable, str(program), "2"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as sampler:
        assert sampler.stdin is not None
        assert sampler.stdout is not None
        table = new_table(deal(1, 4), Seat.NORTH).call(contract)
        while not table.over:
            question = view_fields(view(table, table.turn)) | {"seed": 7}
            sampler.stdin.write(json.dumps(question) + "\n")
            sampler.stdin.flush()
            answer = sampler.stdout.readline().strip()
            assert answer in question["legal"]
            table = table.play(answer) if table.contract else table.call(answer)
        sampler.stdin.close()
    assert sampler.returncode == 0


class StandIn(ThreadingHTTPServer):
    """A stand-in for BEN's server: plays the first legal card, and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(("localhost", 0), Answering)
        self.legal: list[str] = []
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.refuses = False


class Answering(BaseHTTPRequestHandler):
    """A question to the stand-in."""

    server: StandIn

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        self.server.asked.append((path, dict(parse_qsl(query, keep_blank_values=True))))
        answer = {"message": "no"} if self.server.refuses else {"card": self.server.legal[0]}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with StandIn() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def started(server: StandIn) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    address = f"http://localhost:{server.server_address[1]}"
    return subprocess.Popen([sys.executable, str(BEN), address], stdin=pipe, stdout=pipe,
                            stderr=pipe, text=True)  # fmt: skip


def put(program: subprocess.Popen[str], question: dict[str, Any]) -> str:
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(json.dumps(question) + "\n")
    program.stdin.flush()
    return program.stdout.readline().strip()


@pytest.mark.parametrize("contract", ["1NT", "4S"])
def test_ben_is_told_hands_cards_and_an_auction_that_ends_in_the_contract(
    contract: str, stand_in: StandIn
) -> None:
    dealt = deal(1, 4)
    chairs = chair_hands(dealt, Seat.NORTH)
    hands = {letter: str(Hand(mask)) for letter, mask in zip("NESW", chairs, strict=True)}
    with started(stand_in) as ben:
        table = new_table(dealt, Seat.NORTH).call(contract)
        played = ""
        while not table.over:
            question = view_fields(view(table, table.turn)) | {"seed": 7}
            stand_in.legal = question["legal"]
            answer = put(ben, question)
            if table.contract is None:
                assert answer == "Pass"
                table = table.call(answer)
                continue
            assert answer == question["legal"][0]
            if len(question["legal"]) > 1:
                path, asked = stand_in.asked.pop()
                chair = "declarer" if question["chair"] == "dummy" else question["chair"]
                seat = {"declarer": "N", "left": "E", "right": "W"}[chair]
                assert (asked["seat"], asked["hand"]) == (seat, hands[seat])
                assert (asked["dealer"], asked["vul"]) == ("N", "")
                assert asked["ctx"] == {"1NT": "1N------", "4S": "1S--4S------"}[contract]
                assert path == ("/play" if played else "/lead")
                if played:
                    assert (asked["dummy"], asked["played"]) == (hands["S"], played)
            assert not stand_in.asked
            table = table.play(answer)
            played += answer
        assert ben.stdin is not None
        ben.stdin.close()
    assert ben.returncode == 0


def test_ben_hears_the_auction_of_four_if_there_is_one(stand_in: StandIn) -> None:
    table = new_table(deal(1, 4), Seat.NORTH, doubles=True).call("3NT X Pass Pass")
    question = view_fields(view(table, table.turn)) | {"seed": 7}
    stand_in.legal = question["legal"]
    calls = ["Pass", "1NT", "Pass", "3NT", "X", "Pass", "Pass", "Pass"]
    with started(stand_in) as ben:
        put(ben, question)
        put(ben, question | {"auction_of_four": {"dealer": "right", "calls": calls}})
        assert ben.stdin is not None
        ben.stdin.close()
    (_, plain), (_, heard) = stand_in.asked
    assert (plain["dealer"], plain["ctx"]) == ("N", "1N--3NDb------")
    assert (heard["dealer"], heard["ctx"]) == ("W", "--1N--3NDb------")


def test_ben_without_a_server_or_a_card_is_one_line(stand_in: StandIn) -> None:
    table = new_table(deal(1, 4), Seat.NORTH).call("1NT Pass Pass")
    question = view_fields(view(table, table.turn)) | {"seed": 7}
    stand_in.refuses = True
    with started(stand_in) as ben:
        assert put(ben, question) == ""
        _, errors = ben.communicate()
    assert ben.returncode == 1
    assert errors.startswith("BEN gave no card to http")
    assert len(errors.splitlines()) == 1
    with subprocess.Popen(
        [sys.executable, str(BEN), "http://localhost:1"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as ben:  # fmt: skip
        assert put(ben, question) == ""
        _, errors = ben.communicate()
    assert errors.startswith("no server of BEN at http://localhost:1")
    assert len(errors.splitlines()) == 1
