"""Connections: one that sends no whole request is closed, and nobody has a false name.

All traffic goes to a server on 127.0.0.1 and is bounded in number and time.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn

from tests.club.helpers import FAST, HereWorkers, run
from tests.library.cli.helpers import refusal
from tribridge.club import run as server
from tribridge.club.app import Settings, create_app
from tribridge.club.run import _FROM_ONE, Doors, configured, take_descriptors

pytestmark = pytest.mark.anyio


HALF_HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
HALF_BODY = b"POST /watch HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\ndeals="
SOON, LATE = 0.3, 600.0

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_writers: list[asyncio.StreamWriter] = []
"""Of the connections that are to be closed with the server."""


@asynccontextmanager
async def serving(
    folder: Path, seconds: float, proxies: frozenset[str] = frozenset(), **changes: object
) -> AsyncIterator[int]:
    """A server of this process that listens; its port."""
    fields: dict[str, object] = {"data": folder / "play.sqlite", "timing": FAST}
    app = create_app(Settings(**(fields | changes)), workers=HereWorkers())  # type: ignore[arg-type]
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(configured(app, proxies, seconds))
    task = asyncio.ensure_future(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield listener.getsockname()[1]
    finally:
        for writer in _writers:
            writer.close()
        _writers.clear()
        server.should_exit = True
        await task


async def connected(port: int, data: bytes) -> Connection:
    """A connection that has sent some bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    _writers.append(writer)
    writer.write(data)
    return reader, writer


async def closed(connection: Connection) -> bytes:
    """What the server sends until it closes a connection."""
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(20):
            return await connection[0].read()
    return b""


async def status(port: int) -> int:
    """The status of a page."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        return (await client.get("/lobby/tables")).status_code


@pytest.mark.parametrize("data", [b"", HALF_HEAD, HALF_BODY])
async def test_a_request_that_never_ends_is_given_up(tmp_path: Path, data: bytes) -> None:
    async with serving(tmp_path, SOON) as port:
        for connection in [await connected(port, data) for _ in range(3)]:
            assert await closed(connection) == b""
        assert await status(port) == 200


async def test_a_request_that_trickles_in_is_given_up(tmp_path: Path) -> None:
    async with serving(tmp_path, SOON) as port:
        reader, writer = await connected(port, HALF_HEAD)
        async with asyncio.timeout(20):
            while not reader.at_eof():  # each byte in time, the whole never
                with contextlib.suppress(ConnectionError):
                    writer.write(b"x")
                with contextlib.suppress(TimeoutError, ConnectionError):
                    await asyncio.wait_for(reader.read(1), 0.05)


async def test_a_request_that_was_cut_off_does_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, LATE) as port:
        _, writer = await connected(port, HALF_BODY + b"1")
        await asyncio.sleep(0.1)
        writer.close()
        await asyncio.sleep(0.2)
        async with httpx.AsyncClient() as client:
            page = await client.get(f"http://127.0.0.1:{port}/lobby/tables")
        assert "open to everyone" in page.text


async def test_a_refused_request_cannot_keep_the_connection(tmp_path: Path) -> None:
    async with serving(tmp_path, LATE) as port:
        other = HALF_BODY.replace(b"127.0.0.1", b"evil.example")
        large = HALF_BODY.replace(b"100", b"100000000")
        for data, code in ((other, b" 421 "), (large, b" 413 ")):
            assert code in await closed(await connected(port, data))


async def test_a_live_stream_may_take_as_long_as_it_likes(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, SOON) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client,
    ):
        body = {"strategies": ["pass+random"] * 3}
        table = (await client.post("/api/tables", json=body)).json()["table"]
        path = f"/api/tables/{table}"
        async with client.stream("GET", f"{path}/events") as answer:
            lines = answer.aiter_lines()
            assert "retry" in await anext(lines)
            await asyncio.sleep(2 * SOON)
            await client.post(f"{path}/seats/S", json={"name": "late"})
            async with asyncio.timeout(20):
                while "late sits down" not in await anext(lines):
                    pass


def test_a_forwarded_address_counts_from_a_trusted_proxy_alone(tmp_path: Path) -> None:
    async def flood(*proxies: str) -> set[int]:
        async with (
            serving(tmp_path, LATE, frozenset(proxies), rate=0.1, burst=10.0) as port,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
        ):
            names = [{"x-forwarded-for": f"10.0.0.{n}"} for n in range(20)]
            answers = [await client.get("/lobby/tables", headers=name) for name in names]
            return {answer.status_code for answer in answers}

    assert run(flood()) == {200, 429}
    assert run(flood("127.0.0.1")) == {200}
    assert run(flood("10.9.9.9")) == {200, 429}


@pytest.mark.parametrize("text", ["*", "nobody", "10.0.0.0/8"])
def test_a_proxy_is_trusted_by_its_address(tmp_path: Path, text: str) -> None:
    data = ("--no-browser", "--port", "0", "--data", str(tmp_path / "x"))
    assert text in refusal("play", "--trusted-proxy", text, *data)


async def test_a_head_without_an_end_is_cut_off(tmp_path: Path) -> None:
    async with serving(tmp_path, LATE) as port:
        reader, writer = await connected(port, HALF_HEAD)

        async def more() -> None:
            for _ in range(1000):
                writer.write(b"X-More: " + b"a" * 8000 + b"\r\n")
                await writer.drain()
                await asyncio.sleep(0.001)

        with pytest.raises(ConnectionError):
            await more()
        assert not await closed((reader, writer))
        whole = HALF_HEAD + b"X-More: " + b"a" * 8000 + b"\r\nConnection: close\r\n\r\n"
        assert b"200 OK" in await closed(await connected(port, whole))


async def test_a_head_that_is_too_long_is_refused_though_it_comes_at_once(tmp_path: Path) -> None:
    async with serving(tmp_path, LATE) as port:
        long = HALF_HEAD + b"X-More: " + b"a" * 100_000 + b"\r\n\r\n"
        answer = await closed(await connected(port, long))
        assert b" 200 " not in answer
        fits = HALF_HEAD + b"X-More: " + b"a" * 30_000 + b"\r\nConnection: close\r\n\r\n"
        for _ in range(3):  # each head for itself
            assert b" 200 " in await closed(await connected(port, fits))


async def test_two_host_headers_are_refused(tmp_path: Path) -> None:
    async with serving(tmp_path, LATE) as port:
        twice = HALF_HEAD + b"Host: localhost\r\nConnection: close\r\n\r\n"
        answer = await closed(await connected(port, twice))
        assert b" 400 " in answer.splitlines()[0]


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ("Host: 127.0.0.1", 413),
        ("Host: 127.0.0.1\r\nOrigin: http://evil.example", 403),
        ("Host: evil", 421),
    ],
)
async def test_a_file_that_is_refused_gets_an_answer(
    tmp_path: Path, more: str, status: int
) -> None:
    async with serving(tmp_path, LATE) as port:
        size = 21_000_000
        head = f"POST /api/me/import HTTP/1.1\r\n{more}\r\nContent-Length: {size}\r\n\r\n"
        reader, writer = await connected(port, head.encode())
        for _ in range(size // 100_000):
            writer.write(b"x" * 100_000)
            await writer.drain()
        assert f" {status} ".encode() in await closed((reader, writer))


async def test_one_address_cannot_take_all_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, LATE) as port:
        half = [await connected(port, HALF_HEAD) for _ in range(4 * _FROM_ONE)]
        await asyncio.sleep(0.1)
        assert not any(reader.at_eof() for reader, _ in half)  # many at once, as from a school
        monkeypatch.setattr(server, "_GRACE", 0.0)
        assert await status(port) == 200
        await asyncio.sleep(0.1)
        ended = sum(reader.at_eof() or reader.exception() is not None for reader, _ in half)
        assert ended >= 3 * _FROM_ONE
    async with serving(tmp_path, LATE, frozenset({"127.0.0.1"})) as port:  # a proxy's are all kept
        half = [await connected(port, HALF_HEAD) for _ in range(2 * _FROM_ONE)]
        await asyncio.sleep(0.1)
        assert not any(reader.at_eof() for reader, _ in half)


class _Door:
    """A connection that notes when it is to give way."""

    def __init__(self, doors: Doors, address: str) -> None:
        self.doors, self.address, self.gone = doors, address, False
        doors.enter(self, address)  # type: ignore[arg-type]

    def give_way(self) -> None:
        self.gone = True
        self.doors.leave(self, self.address)  # type: ignore[arg-type]


def test_when_descriptors_run_out_those_that_wait_give_way() -> None:
    doors = Doors(most=10)
    playing = [_Door(doors, "a") for _ in range(6)]
    for one in playing:
        doors.serve(one, "a")  # type: ignore[arg-type]
    doors.rest(playing[0])  # type: ignore[arg-type]
    waiting = [_Door(doors, "b") for _ in range(4)]
    late = _Door(doors, "c")
    assert [one.gone for one in waiting] == [True, False, False, False]
    assert not late.gone
    assert not any(one.gone for one in playing)
    assert doors.open == 10
    for one in (*waiting[1:], late):
        doors.serve(one, one.address)  # type: ignore[arg-type]
    last = _Door(doors, "d")
    assert [one.gone for one in playing] == [True] + [False] * 5  # it had been answered
    assert not last.gone


def test_a_server_takes_the_descriptors_that_it_may_have() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    low = min(200, before[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (low, before[1]))
    try:
        assert take_descriptors() == min(before[1], 65_536)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
