"""Record what every route of the table answers, and compare two recordings.

    python -m tools.answers record FILE
    python -m tools.answers compare BEFORE AFTER

The same people do the same things at a server in this process, with fixed seeds, names and clock:
they open tables, sit down, call and play, ask for hints and reviews, write to each other, solve a
puzzle and look at every page in both languages. Record before a change that should alter no answer
and again after it. Answers are compared exactly, HTML without the white space that nobody sees.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from pkgutil import iter_modules
from random import Random
from typing import Any
from unittest.mock import patch

import httpx
from fastapi import FastAPI

from tests.club.ears import Ear
from tests.club.helpers import Client, choose, running
from tests.club.quick_play import LAYOUTS
from tests.club.test_parts import VIEWERS, game
from tribridge.advice import calls
from tribridge.club import pages
from tribridge.club.core import reviews
from tribridge.club.core.keys import device_of_key
from tribridge.club.language import speaking
from tribridge.club.pages.board import Follower, board_html
from tribridge.club.pages.tour import steps
from tribridge.club.puzzles import shipped
from tribridge.club.server.operations import forms
from tribridge.club.view import advice
from tribridge.club.view.table import seat_view
from tribridge.common import codec
from tribridge.game.view_json import action_name

_CLOCK = 1_790_000_000.0
_DAY = date(2026, 3, 5)
_HEADERS = ("content-type", "location", "hx-redirect", "set-cookie", "cache-control")
_PART = {"hx-request": "true"}
_HAND = "AKQ2.K93.A92.KQ5"
_ALGORITHM = f"/algorithm?hand={_HAND}&dummy=743.AQ5.KT43.J93&step=10"
_MOMENTS = frozenset({0, 1, 4, 12, 13, 30})
"""Actions of a deal after which everybody looks at everything."""
_BLOCKS = re.compile(
    "html|head|body|title|meta|link|script|main|header|footer|nav|section|article|aside|div|p|h[1-4]"
    "|ul|ol|li|dl|dt|dd|table|thead|tbody|tfoot|tr|th|td|caption|fieldset|legend|details|summary"
    "|dialog|option|optgroup|figure|figcaption|hr|br|template|g|path|rect|circle|line|polyline"
    "|polygon|use|symbol|defs"
)
"""Elements around which, and at whose edges, white space is not seen."""
_CONTAINERS = frozenset({"button", "select", "svg"})
"""Elements at whose edges inside it is not seen."""
_INLINE = re.compile(
    r'class="[^"]*\b(mini|name|opponent|deal|suit|verdict|range|rubber-tag|watching|avatar)\b'
)
"""Blocks that a style sheet puts into a line."""
_TAG = re.compile(r"""(<[a-zA-Z/!](?:[^>"']|"[^"]*"|'[^']*')*>)""")
_EXACT = ("<script", "<style", "<pre", "<textarea")


def visible(html: str) -> str:
    r"""HTML, one tag or text a line, without white space that nobody sees.

    >>> visible("<p>a  <b>b</b>\n</p> <p>c</p>") == visible("<p>\na <b>b</b></p><p>c</p>")
    True
    >>> visible("<p>a <b>b</b></p>") == visible("<p>a<b>b</b></p>")
    False
    """
    pieces = [piece for piece in _TAG.split(html) if piece]
    lines = []
    for at, piece in enumerate(pieces):
        before = pieces[at - 1] if at else "<br>"
        after = pieces[at + 1] if at + 1 < len(pieces) else "<br>"
        if _TAG.fullmatch(piece):
            lines.append(_tag(piece))
        elif before.startswith(_EXACT):
            lines.append(piece)
        else:
            text = re.sub(r"[ \t\n\r\f]+", " ", piece)
            empty = not before.startswith("</") and after == f"</{_name(before)}>"
            if text != " " or not empty:  # an element with a space is not `:empty`
                text = text.removeprefix(" ") if _edge(before, opens=True) else text
                text = text.removesuffix(" ") if _edge(after, opens=False) else text
            lines += [text] if text else []
    return "\n".join(lines)


def _tag(tag: str) -> str:
    """A tag with single spaces between its attributes."""
    parts = re.split(r"""("[^"]*"|'[^']*')""", tag)
    parts[::2] = [re.sub(r"\s+", " ", part) for part in parts[::2]]
    return re.sub(r"\s+(/?>)$", r"\1", "".join(parts))


def _name(tag: str) -> str:
    return re.sub(r"[</>]", " ", tag).split()[0].lower()


def _edge(tag: str, *, opens: bool) -> bool:
    """Whether white space after (or before) a tag is not seen."""
    name = _name(tag)
    if name in _CONTAINERS:
        return tag.startswith("</") is not opens
    return bool(_BLOCKS.fullmatch(name)) and not (_INLINE.search(tag) and not tag.startswith("</"))


@contextmanager
def _fixed() -> Iterator[None]:
    """Whatever is drawn at random, and the clock, is the same each time."""
    random = Random(1)

    with ExitStack() as stack:
        for name, value in {
            "token_bytes": random.randbytes,
            "token_hex": lambda size: "0" * 2 * size,  # of requests: how many there are varies
            "choice": random.choice,
            "randbits": random.getrandbits,
            "token_urlsafe": lambda size: random.randbytes(size).hex()[:12],
            "SystemRandom": lambda: random,
        }.items():
            stack.enter_context(patch.object(secrets, name, value))
        stack.enter_context(patch.object(time, "time", lambda: _CLOCK))
        for module, name, few in (
            (reviews, "LAYOUTS", LAYOUTS),
            (calls, "DEFENCE", 2),
            (advice, "_LAYOUTS", 4),
            (advice, "_DRAWS", 50),
        ):
            stack.enter_context(patch.object(module, name, few))
        yield


class Walk:
    """People who do the same things each time, and what they are answered."""

    def __init__(self, app: FastAPI, client: Client) -> None:
        self.app, self.client, self.answers = app, client, list[dict[str, Any]]()
        self.asked = set[tuple[str, str]]()

    def note(self, asked: str, body: str, **more: Any) -> None:
        self.answers.append({"asked": asked, **more, "body": body})

    async def ask(
        self,
        method: str,
        path: str,
        cookies: str = "",
        *,
        token: str = "",
        part: bool = False,
        **sent: Any,
    ) -> httpx.Response:
        """Ask as a browser with cookies, or as a program with a token."""
        headers = {"accept": "text/html", **({"cookie": cookies} if cookies else {})}
        headers |= _PART if part else {}
        if token:
            headers["authorization"] = f"Bearer {token}"
        self.client.cookies.clear()
        self.asked.add((method, path.partition("?")[0]))
        answer = await self.client.request(method, path, headers=headers, **sent)
        assert answer.status_code < 500, (path, answer.text)
        head = {name: answer.headers[name] for name in _HEADERS if name in answer.headers}
        who = f" [{cookies}{token}{' part' if part else ''}]"
        body = "" if path == "/metrics" else answer.text
        self.note(f"{method} {path}{who}", body, status=answer.status_code, headers=head)
        return answer

    async def both(self, path: str, cookies: str = "", **more: Any) -> None:
        """A page in both languages."""
        await self.ask("GET", path, cookies, **more)
        await self.ask("GET", path, f"language=de; {cookies}", **more)

    async def hear(self, path: str, headers: dict[str, str]) -> None:
        """What a stream says at first."""
        self.asked.add(("GET", path))
        async with asyncio.timeout(60), Ear().at(self.app, path, headers) as ear:
            while not any("event: presence" in text for text in ear.heard):
                ear.more.clear()
                await ear.more.wait()
            self.note(f"GET {path} {headers}", "".join(ear.heard[1:]))

    async def settled(self, table: str) -> dict[str, Any]:
        """The table once no bot is to act."""
        while True:
            view: dict[str, Any] = (await self.client.get(f"/api/tables/{table}")).json()
            turn = view["turn"]
            if view["deal_over"] or view["claim"]:
                return view
            if turn is not None and view["places"]["NES".index(turn)]["person"]:
                return view
            await asyncio.sleep(0.01)


async def _look(walk: Walk, table: str, tokens: dict[str, str]) -> None:
    """Everybody looks at everything there is to see of a table."""
    for token in (*tokens.values(), ""):
        cookies = f"seat-{table}={token}" if token else ""
        await walk.both(f"/table/{table}", cookies)
        await walk.both(f"/table/{table}/board", f"order=rising; {cookies}")
        for what in ("", "/score", "/log", "/chat", "/presence", "/absent", "/rematch"):
            await walk.ask("GET", f"/api/tables/{table}{what}", token=token)
        await walk.both(f"/table/{table}/sheet", cookies, part=True)
        await walk.both(f"/table/{table}/absent", cookies, part=True)
        await walk.hear(f"/table/{table}/stream", {"cookie": cookies})
        await walk.hear(f"/api/tables/{table}/events", {"authorization": f"Bearer {token}"})
    await walk.both(f"/table/{table}/outlook", part=True)


async def _together(walk: Walk) -> str:
    """Three people play two deals; one asks, claims, undoes, writes, leaves and comes back."""
    random = Random(3)
    body: dict[str, Any] = {"strategies": ["pass+random"] * 3, "open": ["N", "E", "S"]}
    body |= {"deals": 2, "seed": 5, "wait": True, "doubles": True, "listed": True}
    body |= {"onlooker_chat": True, "turn_seconds": 60}
    table = str((await walk.ask("POST", "/api/tables", json=body)).json()["table"])
    page, api, tokens = f"/table/{table}", f"/api/tables/{table}", dict[str, str]()
    await _look(walk, table, tokens)
    for seat in "NES":
        sent: dict[str, Any] = {"json": {"name": f"P{seat}"}}
        answer = await walk.ask("POST", f"{api}/seats/{seat}", **sent)
        tokens[seat] = answer.json()["token"]
    cookies = {seat: f"seat-{table}={token}" for seat, token in tokens.items()}
    await walk.ask("POST", f"{api}/seats/N", json={"name": "late"})
    await walk.ask("POST", f"{page}/sit", data={"seat": "E", "name": "late"}, part=True)
    await walk.ask("POST", f"{api}/ready", token=tokens["E"], json={"ready": True})
    await walk.ask("POST", f"{page}/ready", cookies["S"], data={"ready": "true"}, part=True)
    for seat in ("S", "W"):
        await walk.ask("POST", f"{api}/seats/{seat}/bot", token=tokens["N"], json={"strategy": "x"})
    await walk.ask("POST", f"{page}/bot", cookies["N"], data={"seat": "E", "strategy": "random"})
    await _look(walk, table, tokens)
    await walk.ask("POST", f"{page}/start", cookies["E"], data={"at": "2"}, part=True)
    await walk.ask("POST", f"{api}/start", token=tokens["N"])
    for deal in range(2):
        for at in range(120):
            view = (await walk.client.get(api)).json()
            if view["deal_over"]:
                break
            if deal == 0 and at in _MOMENTS:
                await _look(walk, table, tokens)
            seat, number = view["turn"], view["number"]
            if deal == 0 and at == 2:
                await _write(walk, table, tokens, cookies)
            if deal == 1 and at == 24:
                await _absent(walk, table, tokens, cookies, number)
                continue
            own = await walk.ask("GET", api, token=tokens[seat])
            if deal == 0 and at in (2, 14, 31):
                await walk.ask("POST", f"{page}/hint", cookies[seat], part=True)
                await walk.ask("POST", f"{page}/advice", f"language=de; {cookies[seat]}")
                await walk.ask("POST", f"{api}/advice", token=tokens[seat])
                number = (await walk.client.get(api)).json()["number"]
            if own.json()["may_claim"] and at > 40:
                await _claim(walk, table, tokens, cookies, seat, number)
                continue
            move = {"action": choose(own.json(), random), "at": number}
            if at % 2:
                await walk.ask("POST", f"{page}/act", cookies[seat], data=move, part=True)
            else:
                await walk.ask("POST", f"{api}/actions", token=tokens[seat], json=move)
        await _look(walk, table, tokens)
        await _review(walk, table, deal + 1, cookies["S"])
        at = (await walk.client.get(api)).json()["number"]
        await walk.ask("POST", f"{page}/next", cookies["N"], data={"at": at})
        await walk.ask("POST", f"{api}/next", token=tokens["N"], json={"at": at})
    await _after(walk, table, tokens, cookies)
    return table


async def _write(walk: Walk, table: str, tokens: dict[str, str], cookies: dict[str, str]) -> None:
    page, api = f"/table/{table}", f"/api/tables/{table}"
    await walk.ask("POST", f"{api}/chat", token=tokens["N"], json={"text": "Hello <b>!"})
    await walk.ask("POST", f"{page}/chat", cookies["E"], data={"text": "Good luck!"}, part=True)
    await walk.ask("POST", f"{page}/chat", data={"text": "Well played!", "name": "Guest"})
    await walk.ask("POST", f"{api}/mute", token=tokens["E"], json={"whom": "N"})
    await walk.ask("POST", f"{page}/mute", cookies["S"], data={"whom": "onlookers"}, part=True)
    await walk.ask("POST", f"{api}/undo", token=tokens["N"], json={"at": 1})
    await walk.ask("POST", f"{api}/actions", token=tokens["N"], json={"action": "Pass", "more": 1})
    await walk.ask("POST", f"{api}/actions", token=tokens["N"], json={"action": "Pass", "at": "x"})
    await walk.ask("POST", f"{api}/actions", token="", json={"action": "Pass", "at": 1})
    await walk.ask("POST", f"{page}/act", cookies["N"], data={"at": 1}, part=True)
    await walk.ask("POST", f"{page}/act", cookies["N"], data={"at": 1})
    await walk.ask("POST", f"{api}/claims", token=tokens["N"], json={"tricks": -1, "at": 1})


async def _claim(
    walk: Walk, table: str, tokens: dict[str, str], cookies: dict[str, str], seat: str, number: int
) -> None:
    page, api = f"/table/{table}", f"/api/tables/{table}"
    claim = {"tricks": 1, "at": number}
    await walk.ask("POST", f"{api}/claims", token=tokens[seat], json=claim)
    await walk.both(page, cookies[seat])
    await walk.ask("POST", f"{page}/claim", cookies[seat], data=claim, part=True)
    await walk.ask("POST", f"{api}/claims/answer", json={"agree": True, "at": number})
    others = [other for other in "NES" if other != seat]
    for other, refuse in zip(others, (False, True), strict=True):
        view = await walk.ask("GET", api, token=tokens[other])
        if view.json()["claim"]:
            await walk.both(f"{page}/board", cookies[other])
            agree = {"agree": str(not refuse).lower(), "at": view.json()["number"]}
            await walk.ask("POST", f"{page}/answer", cookies[other], data=agree, part=True)
    view = await walk.ask("GET", api, token=tokens[seat])
    if view.json()["claim"] or not view.json()["deal_over"]:
        move = {"action": view.json()["legal"][:1][0], "at": view.json()["number"]}
        await walk.ask("POST", f"{api}/actions", token=tokens[seat], json=move)


async def _absent(
    walk: Walk, table: str, tokens: dict[str, str], cookies: dict[str, str], number: int
) -> None:
    page, api = f"/table/{table}", f"/api/tables/{table}"
    await walk.ask("POST", f"{api}/seats/E/stand-in", token=tokens["N"], json={"at": number})
    sent = {"seat": "E", "at": number}
    await walk.ask("POST", f"{page}/stand-in", cookies["N"], data=sent, part=True)
    await walk.ask("POST", f"{page}/leave", cookies["E"], data={"for_good": "false"})
    await walk.settled(table)
    await walk.both(page, cookies["E"])
    await walk.ask("POST", f"{api}/back", token=tokens["E"])
    await walk.ask("POST", f"{page}/back", cookies["E"], part=True)
    await walk.ask("GET", f"{page}/seat?token={tokens['S']}", cookies["N"])
    await walk.ask("POST", f"{page}/seat", cookies["N"], data={"token": tokens["N"]})


async def _after(walk: Walk, table: str, tokens: dict[str, str], cookies: dict[str, str]) -> None:
    page, api = f"/table/{table}", f"/api/tables/{table}"
    for kind in ("pbn", "jsonl"):
        await walk.ask("GET", f"{page}/match.{kind}")
    made = await walk.ask("POST", f"{api}/challenge", token=tokens["S"])
    await walk.ask("POST", f"{page}/challenge", cookies["S"])
    name = made.json()["challenge"]
    await _settle_challenge(walk, name)
    await walk.both(f"/challenge/{name}")
    await walk.both(f"/challenge/{name}/results")
    await walk.ask("GET", f"/api/challenges/{name}")
    await walk.ask("POST", f"/api/challenges/{name}/play", json={"name": "Rival"})
    await walk.ask("POST", f"/challenge/{name}/play", data={"name": "Rival"})
    await walk.ask("POST", f"{page}/rematch", cookies["E"], part=True)
    await walk.ask("POST", f"{api}/rematch", token=tokens["S"])
    await walk.ask("POST", f"{api}/rematch", token=tokens["N"], json={"now": True})
    await walk.both(page, cookies["S"])
    await walk.ask("POST", f"{page}/follow", cookies["S"])
    await walk.ask("POST", f"{api}/leave", token=tokens["S"])
    key = (await walk.ask("POST", "/api/me/key")).json()["key"]
    sent = {"table": table, "token": tokens["N"]}
    await walk.ask("POST", "/api/me/games", token=key, json=sent)
    await _games(walk, key)


async def _settle_challenge(walk: Walk, name: str) -> None:
    """Wait until all bots have played a challenge."""
    found = walk.client.server.challenges
    while (await found.results(await found.find(name)))[1]:
        await asyncio.sleep(0.01)


async def _games(walk: Walk, key: str) -> None:
    """The games of a device, as pages and for programs."""
    device = f"player={key}"
    await walk.both("/me", device)
    await walk.both("/me?show=bots&new=2&gone=true", device)
    await walk.client.server.games.stats("", device_of_key(key))
    await walk.both("/me/stats", device)
    await walk.both("/me/stats", device, part=True)
    for kind in ("pbn", "jsonl"):
        await walk.ask("GET", f"/me/games.{kind}", device)
    for what in ("games", "stats", "export"):
        await walk.ask("GET", f"/api/me/{what}", token=key)
    games = (await walk.client.get("/me/games.jsonl", headers={"cookie": device})).text
    await walk.ask("POST", "/api/me/import", token=key, json={"games": games})
    await walk.ask("POST", "/me/import", device, files={"file": ("a.pbn", "[Board 1]")})
    await walk.ask("POST", "/me/import", files={"file": ("a.jsonl", games)})
    await walk.ask("POST", "/me/key", data={"key": key, "bring": "true"})
    await walk.ask("POST", "/me/delete", device)
    await walk.ask("POST", "/me/delete", device, data={"sure": "true"})
    await walk.ask("DELETE", "/api/me", token=key)


async def _review(walk: Walk, table: str, deal: int, cookies: str) -> None:
    """The review of a deal, once all of it is judged."""
    page = f"/table/{table}/review/{deal}"
    while not (await walk.client.get(f"/api{page.replace('table', 'tables', 1)}")).json()["over"]:
        await asyncio.sleep(0.05)
    await walk.ask("GET", f"/api/tables/{table}/review/{deal}")
    await walk.both(page, cookies)
    for step in (0, 3, 52):
        await walk.both(f"{page}/board?step={step}", cookies, part=True)
    await walk.both(f"{page}/decided", cookies, part=True)
    for kind in ("pbn", "jsonl"):
        await walk.ask("GET", f"{page}/deal.{kind}")
    await walk.ask("POST", f"{page}/play-on", cookies, data={"step": "4"})
    await walk.ask("GET", f"/table/{table}/review/9", cookies)


async def _rubber(walk: Walk) -> None:
    """Somebody plays a rubber against bots: hints, undo, claims, the score sheet."""
    sent = {"strategy": "pass+maxims", "scoring": "auction-rubber", "name": "Ann"}
    answer = await walk.ask("POST", "/play", data=sent)
    table = answer.headers["location"].rpartition("/")[2]
    held = dict(cookie.split("=", 1) for cookie in _given(answer))
    token = held[f"seat-{table}"]
    cookies, page = f"seat-{table}={token}", f"/table/{table}"
    random = Random(9)
    for deal in range(2):
        for at in range(60):
            view = await walk.settled(table)
            if view["deal_over"]:
                break
            own = (await walk.ask("GET", f"/api/tables/{table}", token=token)).json()
            if at in (0, 1, 5):
                await walk.ask("POST", f"{page}/hint", cookies, part=True)
                await walk.ask("POST", f"{page}/hint", f"language=de; {cookies}", part=True)
                await walk.ask("POST", f"{page}/advice", cookies, part=True)
                await walk.ask("POST", f"{page}/advice", f"language=de; {cookies}", part=True)
                await _look(walk, table, {"S": token})
                own = (await walk.ask("GET", f"/api/tables/{table}", token=token)).json()
            if at == 4 and deal == 0:
                await walk.ask("POST", f"{page}/undo", cookies, data={"at": own["number"]})
                continue
            bids = [call for call in ("1NT", "2NT", "3NT") if call in own["legal"]]
            action = bids[0] if bids and deal == 0 else choose(own, random, 1)
            move = {"action": action, "at": own["number"]}
            await walk.ask("POST", f"{page}/act", cookies, data=move, part=True)
        await _look(walk, table, {"S": token})
        await walk.both(f"{page}/sheet", cookies)
        await walk.ask("GET", f"{page}/rubber.jsonl", cookies)
        await _review(walk, table, deal + 1, cookies)
        at = (await walk.client.get(f"/api/tables/{table}")).json()["number"]
        await walk.ask("POST", f"{page}/next", cookies, data={"at": at}, part=True)
    await walk.ask("POST", f"{page}/leave", cookies)


def _given(answer: httpx.Response) -> list[str]:
    return [cookie.partition(";")[0] for cookie in answer.headers.get_list("set-cookie")]


async def _public(walk: Walk, table: str) -> None:
    """Pages that need no table."""
    for path in ("/", "/lobby/tables", "/glossary", "/algorithm", _ALGORITHM, "/offline", "/none"):
        await walk.both(path)
        await walk.both(path, "name=Ann", part=True)
    await walk.both(f"/algorithm?hand={_HAND}")
    await walk.both("/algorithm?hand=AKQ2")
    for path in (
        *("/share", "/health", "/ready", "/metrics", "/sw.js", "/openapi.json", "/daily"),
        *("/algorithm/deal", f"/join?code={table[:5]}", "/join?code=none", "/table/none"),
        *("/api/strategies", "/api/schemes", "/api/laws", "/api/tables", "/api/challenges/daily"),
        *("/api/none", "/api/puzzles/daily", "/puzzles", "/puzzles/daily", "/puzzles/again"),
    ):
        await walk.ask("GET", path)
    for step in steps():
        path = f"/learn?lesson={step.lesson}&step={step.number}"
        await walk.both(path)
        await walk.both(f"{path}&action={step.accept[0]}", part=True)
        for action in ("Pass", "7NT", "C2", *list(step.wrong)[:1]):
            await walk.both(f"{path}&action={action}", part=True)
    for path, sent in {
        "/open": {"scoring": "contract", "deals": "2", "turn_seconds": "60", "listed": "true"},
        "/watch": {"strategy": "pass+random", "deals": "1", "scoring": "auction"},
    }.items():
        opened = await walk.ask("POST", path, data=sent)
        await walk.both(opened.headers["location"], "; ".join(_given(opened)))
    day = _DAY.isoformat()
    await walk.both(f"/challenge/{day}")
    played = await walk.ask("POST", f"/challenge/{day}/play", data={"name": "Ann"})
    await walk.both(f"/challenge/{day}", "; ".join(_given(played)))


async def _puzzles(walk: Walk) -> None:
    """Some puzzles of every theme, answered rightly and wrongly."""
    known, key = {puzzle.theme: puzzle for puzzle in shipped().puzzles}, ""
    for at, puzzle in enumerate(known.values()):
        path, best = f"/puzzles/{puzzle.id}", action_name(puzzle.best.action)
        device = f"player={key}" if key else ""
        await walk.both(path, device)
        others = [action_name(action) for action in puzzle.offered]
        action = best if at % 2 else next(name for name in others if name != best)
        answer = await walk.ask("POST", path, device, data={"action": action})
        key = dict(cookie.split("=", 1) for cookie in _given(answer))["player"]
        device = f"player={key}"
        for shown in (action, best):
            await walk.both(f"{path}?answer={shown}", device)
        await walk.ask("POST", f"{path}/play", device, data={"action": best})
        await walk.ask("GET", f"/api{path}")
        await walk.ask("POST", f"/api{path}", json={"action": action})
    await walk.both("/puzzles/again", device)
    await walk.both("/", f"{device}; name=Ann")
    await walk.both("/me", device)


def _boards(walk: Walk) -> None:
    """What a stream draws of a table, event after event, for everyone."""
    for language, laws in (("en", None), ("de", "auction-rubber")):
        followers = {seat: Follower() for seat in VIEWERS}
        with speaking(language):
            for state in game(Random(5), seed=5, deals=2, laws=laws, doubles=True):
                for seat, follower in followers.items():
                    view = seat_view("t", state, seat)
                    who = f"{seat} after {state.number} in {language}"
                    walk.note(f"json {who}", codec.dumps(view))
                    walk.note(f"drawn {who}", follower.draw(view))
                    if state.number % 4 == 0:
                        walk.note(f"board {who}", board_html(view))


async def _record(folder: Path) -> list[dict[str, Any]]:
    """All answers; every route is asked at least once."""
    async with running(folder, seed=11, hosts=frozenset()) as (app, client):
        client.server.challenges.today = lambda: _DAY
        walk = Walk(app, client)
        _boards(walk)
        table = await _together(walk)
        await _rubber(walk)
        await _public(walk, table)
        await _puzzles(walk)
        opened = await walk.ask("POST", "/anyone")  # last: bots join after a while
        await walk.both(opened.headers["location"], "; ".join(_given(opened)))
    unasked = [
        f"{method} {path}"
        for method, path in _routes()
        for route in [re.compile(re.sub(r"{\w+}", "[^/]+", path))]
        if not any(way == method and route.fullmatch(asked) for way, asked in walk.asked)
    ]
    assert not unasked, f"nobody has asked {unasked}"
    return walk.answers


def _routes() -> frozenset[tuple[str, str]]:
    """All routes: the method and the path."""
    routes: list[Any] = [*forms]
    for found in iter_modules(pages.__path__):
        module = import_module(f"{pages.__name__}.{found.name}")
        for name in ("router", "api"):
            routes += getattr(module, name).routes if hasattr(module, name) else ()
    return frozenset((way, route.path) for route in routes for way in route.methods - {"HEAD"})


def record(file: Path) -> None:
    """Write all answers to a file."""
    with tempfile.TemporaryDirectory() as folder, _fixed():
        answers = asyncio.run(_record(Path(folder)))
    file.write_text("".join(json.dumps(answer) + "\n" for answer in answers), "utf-8")
    print(f"{len(answers)} answers in {file}")


def compare(before: Path, after: Path) -> int:
    """Name the answers that differ; how many there are."""
    different = 0
    lines = (file.read_text("utf-8").splitlines() for file in (before, after))
    for old, new in zip_longest(*(map(json.loads, read) for read in lines)):
        if old != new and _shown(old) != _shown(new):
            different += 1
            print((old or new)["asked"])
    print(f"{different} answers differ")
    return different


def _shown(answer: dict[str, Any] | None) -> Any:
    if answer is None:
        return None
    kind = answer.get("headers", {}).get("content-type", "")
    if "json" in kind or answer["asked"].startswith("json"):
        return answer
    return answer | {"body": visible(answer["body"].replace("\ndata: ", "\n"))}


def main() -> None:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("files", type=Path, nargs="+")
    given = parser.parse_args()
    if given.what == "record":
        record(given.files[0])
    else:
        sys.exit(bool(compare(*given.files)))


if __name__ == "__main__":
    main()
