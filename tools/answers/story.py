"""Who asks for what: a match of three people, a rubber against bots, pages, puzzles, boards."""

from __future__ import annotations

import asyncio
import re
from datetime import date
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from random import Random
from typing import Any

from tests.club.helpers import choose, running
from tests.club.test_parts import VIEWERS, game
from tools.answers.walk import Seated, Walk, given
from tribridge.club import pages
from tribridge.club.core.keys import device_of_key
from tribridge.club.language import speaking
from tribridge.club.pages.board import Follower, board_html
from tribridge.club.pages.tour import steps
from tribridge.club.puzzles import shipped
from tribridge.club.server.operations import forms
from tribridge.club.view.table import seat_view
from tribridge.common import codec
from tribridge.game.view_json import action_name

_DAY = date(2026, 3, 5)
_WEEK = "2026-W10"
_HAND = "AKQ2.K93.A92.KQ5"
_ALGORITHM = f"/algorithm?hand={_HAND}&dummy=743.AQ5.KT43.J93&step=10"
_MOMENTS = frozenset({0, 1, 4, 12, 13, 30})
"""Actions of a deal after which everybody looks at everything."""
_MATCH = {
    "strategies": ["pass+random"] * 3, "open": ["N", "E", "S"], "deals": 2, "seed": 5, "wait": True,
    "doubles": True, "listed": True, "onlooker_chat": True, "turn_seconds": 60,
}  # fmt: skip


async def tell(folder: Path) -> list[dict[str, Any]]:
    """All answers; every route is asked at least once."""
    async with running(folder, seed=11, hosts=frozenset()) as (app, client):
        client.server.challenges.today = lambda: _DAY
        walk = Walk(app, client)
        _boards(walk)
        table = await _match(walk)
        rubber, device = await _rubber(walk)
        await _public(walk, table)
        await _puzzles(walk)
        opened = await walk.ask("POST", "/anyone")  # last: bots join after a while
        await walk.both(opened.headers["location"], "; ".join(given(opened)))
        await _return(walk, rubber, device)
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


async def _look(at: Seated) -> None:
    """Everybody looks at everything there is to see of a table."""
    walk = at.walk
    for seat in (*at.tokens, ""):
        cookies, token = at.cookie(seat), at.tokens.get(seat, "")
        await walk.both(at.page, cookies)
        await walk.both(f"{at.page}/board", f"order=rising; {cookies}")
        for what in ("", "/score", "/log", "/chat", "/presence", "/absent", "/rematch"):
            await walk.ask("GET", f"{at.api}{what}", token=token)
        await walk.both(f"{at.page}/sheet", cookies, part=True)
        await walk.both(f"{at.page}/absent", cookies, part=True)
        await walk.hear(f"{at.page}/stream", {"cookie": cookies})
        await walk.hear(f"{at.api}/events", {"authorization": f"Bearer {token}"})
    await walk.both(f"{at.page}/outlook", part=True)


async def _match(walk: Walk) -> str:
    """Three people play two deals; one asks, claims, undoes, writes, leaves and comes back."""
    random = Random(3)
    opened = await walk.ask("POST", "/api/tables", json=_MATCH)
    at = Seated(walk, str(opened.json()["table"]))
    await _look(at)
    await _sit_down(at)
    await _look(at)
    await at.form("E", "start", at="2")
    await at.send("N", "start")
    for deal in (1, 2):
        for step in range(120):
            view = await at.view()
            if view["deal_over"]:
                break
            if deal == 1 and step in _MOMENTS:
                await _look(at)
            seat, number = view["turn"], view["number"]
            if deal == 1 and step == 2:
                await _write(at)
            if deal == 2 and step == 24:
                await _go_and_return(at, number)
                continue
            own = await at.seen(seat)
            if deal == 1 and step in (2, 14, 31):
                await at.form(seat, "hint")
                await at.form(seat, "advice", part=False, language="de")
                await at.send(seat, "advice")
                number = (await at.view())["number"]
            if own["may_claim"] and step > 40:
                await _claim(at, seat, number)
                continue
            move = {"action": choose(own, random), "at": number}
            await (at.form(seat, "act", **move) if step % 2 else at.send(seat, "actions", **move))
        await _look(at)
        await _review(at, deal, "S")
        number = (await at.view())["number"]
        await at.form("N", "next", part=False, at=number)
        for seat in "NES":
            await at.send(seat, "next", at=number)
    await _after(at)
    return at.table


async def _sit_down(at: Seated) -> None:
    """Three people sit down and get ready, others come too late."""
    for seat in "NES":
        sent: dict[str, Any] = {"json": {"name": f"P{seat}"}}
        answer = await at.walk.ask("POST", f"{at.api}/seats/{seat}", **sent)
        at.tokens[seat] = answer.json()["token"]
    await at.send("", "seats/N", name="late")
    await at.form("", "sit", seat="E", name="late")
    await at.send("E", "ready", ready=True)
    await at.form("S", "ready", ready="true")
    for seat in ("S", "W"):
        await at.send("N", f"seats/{seat}/bot", strategy="x")
    await at.form("N", "bot", part=False, seat="E", strategy="random")


async def _write(at: Seated) -> None:
    """Messages, and requests that are refused."""
    await at.send("N", "chat", text="Hello <b>!")
    await at.form("E", "chat", text="Good luck!")
    await at.form("", "chat", part=False, text="Well played!", name="Guest")
    await at.send("E", "mute", whom="N")
    await at.form("S", "mute", whom="onlookers")
    await at.send("N", "undo", at=1)
    await at.send("N", "actions", action="Pass", more=1)
    await at.send("N", "actions", action="Pass", at="x")
    await at.send("", "actions", action="Pass", at=1)
    await at.form("N", "act", at=1)
    await at.form("N", "act", part=False, at=1)
    await at.send("N", "claims", tricks=-1, at=1)


async def _claim(at: Seated, seat: str, number: int) -> None:
    """A claim, to which one agrees and one does not."""
    await at.send(seat, "claims", tricks=1, at=number)
    await at.walk.both(at.page, at.cookie(seat))
    await at.form(seat, "claim", tricks=1, at=number)
    await at.send("", "claims/answer", agree=True, at=number)
    others = [other for other in "NES" if other != seat]
    for other, agree in zip(others, ("true", "false"), strict=True):
        view = await at.seen(other)
        if view["claim"]:
            await at.walk.both(f"{at.page}/board", at.cookie(other))
            await at.form(other, "answer", agree=agree, at=view["number"])
    view = await at.seen(seat)
    if view["claim"] or not view["deal_over"]:
        await at.send(seat, "actions", action=view["legal"][:1][0], at=view["number"])


async def _go_and_return(at: Seated, number: int) -> None:
    """Somebody leaves, a bot plays on, and they come back."""
    await at.send("N", "seats/E/stand-in", at=number)
    await at.form("N", "stand-in", seat="E", at=number)
    await at.form("E", "leave", part=False, for_good="false")
    await at.settled()
    await at.walk.both(at.page, at.cookie("E"))
    await at.send("E", "back")
    await at.form("E", "back")
    await at.walk.ask("GET", f"{at.page}/seat?token={at.tokens['S']}", at.cookie("N"))
    await at.form("N", "seat", part=False, token=at.tokens["N"])


async def _after(at: Seated) -> None:
    """After a match: files, a challenge, a rematch, one's games."""
    walk = at.walk
    for kind in ("pbn", "jsonl"):
        await walk.ask("GET", f"{at.page}/match.{kind}")
    made = await at.send("S", "challenge")
    await at.form("S", "challenge", part=False)
    name = made.json()["challenge"]
    await _settle_challenge(walk, name)
    await walk.both(f"/challenge/{name}")
    await walk.both(f"/challenge/{name}/results")
    await walk.ask("GET", f"/api/challenges/{name}")
    await walk.ask("POST", f"/api/challenges/{name}/play", json={"name": "Rival"})
    await walk.ask("POST", f"/challenge/{name}/play", data={"name": "Rival"})
    await at.form("E", "rematch")
    await at.send("S", "rematch")
    await at.send("N", "rematch", now=True)
    await walk.both(at.page, at.cookie("S"))
    await at.form("S", "follow", part=False)
    await at.send("S", "leave")
    key = (await walk.ask("POST", "/api/me/key")).json()["key"]
    sent = {"table": at.table, "token": at.tokens["N"]}
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


async def _review(at: Seated, deal: int, seat: str) -> None:
    """The review of a deal, once all of it is judged."""
    walk, cookies = at.walk, at.cookie(seat)
    page, api = f"{at.page}/review/{deal}", f"{at.api}/review/{deal}"
    while not (await walk.client.get(api)).json()["over"]:
        await asyncio.sleep(0.05)
    await walk.ask("GET", api)
    await walk.both(page, cookies)
    for step in (0, 3, 52):
        await walk.both(f"{page}/board?step={step}", cookies, part=True)
    for part in ("decided", "makes"):
        await walk.both(f"{page}/{part}", cookies, part=True)
    for kind in ("pbn", "jsonl"):
        await walk.ask("GET", f"{page}/deal.{kind}")
    await at.form(seat, f"review/{deal}/play-on", part=False, step="4")
    await walk.ask("GET", f"{at.page}/review/9", cookies)


async def _rubber(walk: Walk) -> tuple[str, str]:
    """Somebody plays a rubber against bots, with hints; the table and its cookies."""
    sent = {"strategy": "pass+maxims", "scoring": "auction-rubber", "name": "Ann"}
    answer = await walk.ask("POST", "/play", data=sent)
    table = answer.headers["location"].rpartition("/")[2]
    cookies = dict(cookie.split("=", 1) for cookie in given(answer))
    at = Seated(walk, table, {"S": cookies[f"seat-{table}"]})
    random = Random(9)
    for deal in (1, 2):
        for step in range(60):
            if (await at.settled())["deal_over"]:
                break
            own = await at.seen("S")
            if step in (0, 1, 5):
                for what in ("hint", "advice"):
                    await at.form("S", what)
                    await at.form("S", what, language="de")
                await _look(at)
                own = await at.seen("S")
            if step == 4 and deal == 1:
                await at.form("S", "undo", part=False, at=own["number"])
                continue
            bids = [call for call in ("1NT", "2NT", "3NT") if call in own["legal"]]
            action = bids[0] if bids and deal == 1 else choose(own, random, 1)
            await at.form("S", "act", action=action, at=own["number"])
        await _look(at)
        await walk.both(f"{at.page}/sheet", at.cookie("S"))
        await walk.ask("GET", f"{at.page}/rubber.jsonl", at.cookie("S"))
        await _review(at, deal, "S")
        await at.form("S", "next", at=(await at.view())["number"])
    await at.form("S", "leave", part=False)
    return table, "; ".join(given(answer))


async def _return(walk: Walk, table: str, device: str) -> None:
    """Somebody comes back to what they played: a game, its turning point, the week's league."""
    for path in (f"/continue/{table}", f"/turning/{table}/1", "/league", f"/league/{_WEEK}"):
        await walk.both(path, device)
    for path in ("/api/league", f"/api/league/{_WEEK}"):
        await walk.ask("GET", path, device)
    for at in (1, 5, 99):
        await walk.both(f"/table/{table}/why/1/{at}", device, part=True)


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
        "/open/again": {},
        "/watch": {"strategy": "pass+random", "deals": "1", "scoring": "auction"},
    }.items():
        opened = await walk.ask("POST", path, data=sent)
        await walk.both(opened.headers["location"], "; ".join(given(opened)))
    day = _DAY.isoformat()
    await walk.both(f"/challenge/{day}")
    played = await walk.ask("POST", f"/challenge/{day}/play", data={"name": "Ann"})
    await walk.both(f"/challenge/{day}", "; ".join(given(played)))


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
        key = dict(cookie.split("=", 1) for cookie in given(answer))["player"]
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
