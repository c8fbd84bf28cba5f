"""For whoever runs a server: whether it is well, and what it is doing.

`/metrics` has the numbers of this server process in the format of Prometheus. They say how much is
going on, and nothing about who plays what.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from tribridge.web.core.rooms import Metrics
from tribridge.web.server.access import AskedOf, Server

router = APIRouter(include_in_schema=False)


@router.get("/health")
async def health(here: AskedOf) -> PlainTextResponse:
    """Whether the server can read its store; 503 if not."""
    await asyncio.to_thread(here.server.rooms.store.rows, "SELECT 1")
    return PlainTextResponse("ok\n")


@router.get("/metrics")
async def metrics(here: AskedOf) -> PlainTextResponse:
    """The numbers of this server process."""
    text = "".join(f"{line}\n" for line in _lines(here.server))
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


def _lines(server: Server) -> Iterator[str]:
    rooms, queue = server.rooms, server.rooms.workers.queue
    seen: Metrics = rooms.metrics
    gauges = {
        "rooms": ("tables in memory", len(rooms.held)),
        "streams": ("live streams", server.streams.total()),
        "queue_waiting": ("questions that wait for a worker", queue.waiting),
        "queue_turns": ("questions that workers can answer at once", queue.turns),
    }
    for name, (words, value) in gauges.items():
        yield from _named(name, words, "gauge")
        yield f"tribridge_{name} {value}"
    yield from _named("faults_total", "events that were not stored, by reason", "counter")
    for reason, count in seen.faults.items():
        yield f'tribridge_faults_total{{reason="{reason}"}} {count}'
    yield from _named("event_seconds", "time to store an event and show it", "histogram")
    for limit, count in zip(seen.limits, seen.counts, strict=True):
        yield f'tribridge_event_seconds_bucket{{le="{limit}"}} {count}'
    yield f'tribridge_event_seconds_bucket{{le="+Inf"}} {seen.events}'
    yield f"tribridge_event_seconds_sum {seen.seconds:.6f}"
    yield f"tribridge_event_seconds_count {seen.events}"


def _named(name: str, words: str, kind: str) -> Iterator[str]:
    yield f"# HELP tribridge_{name} {words}"
    yield f"# TYPE tribridge_{name} {kind}"
