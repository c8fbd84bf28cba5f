"""For whoever runs a server: whether it is well, and what it is doing.

`/metrics` has the numbers of this server process in the format of Prometheus. They say how much is
going on, and nothing about who plays what.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from tribridge.club.core.store import Durations
from tribridge.club.server.access import AskedOf, Server

router = APIRouter(include_in_schema=False)


@router.get("/health")
async def health() -> PlainTextResponse:
    """Whether the server is alive: if it does not answer, start it again."""
    return PlainTextResponse("ok\n")


@router.get("/ready")
async def ready(here: AskedOf) -> PlainTextResponse:
    """Whether people can play: the store can be read and written; 503 if not."""
    store = here.server.rooms.store
    await store.apart(store.probe)
    return PlainTextResponse("ok\n")


@router.get("/metrics")
async def metrics(here: AskedOf) -> PlainTextResponse:
    """The numbers of this server process."""
    text = "".join(f"{line}\n" for line in _lines(here.server))
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


def _histogram(took: Durations) -> dict[str, object]:
    buckets = zip((*took.limits, "+Inf"), (*took.counts, took.number), strict=True)
    samples: dict[str, object] = {f'_bucket{{le="{most}"}}': count for most, count in buckets}
    return samples | {"_sum": f"{took.seconds:.6f}", "_count": took.number}


def _memory() -> int:
    """Bytes of memory in use; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _lines(server: Server) -> Iterator[str]:
    rooms, queue, seen = server.rooms, server.rooms.workers.queue, server.rooms.metrics
    families: dict[tuple[str, str, str], Mapping[str, object]] = {
        ("rooms", "gauge", "tables in memory"): {"": len(rooms.held)},
        ("streams", "gauge", "live streams"): {"": server.streams.total()},
        ("queue_waiting", "gauge", "questions that wait for a worker"): {"": queue.waiting},
        ("queue_turns", "gauge", "questions that workers can answer at once"): {"": queue.turns},
        ("faults_total", "counter", "events that were not stored, by reason"): {
            f'{{reason="{reason}"}}': count for reason, count in seen.faults.items()
        },
        ("responses_total", "counter", "responses, by status"): {
            f'{{status="{status}"}}': count
            for status, count in sorted(server.answers.statuses.items())
        },
        ("refusals_total", "counter", "refused requests, by reason"): {
            f'{{reason="{reason}"}}': count
            for reason, count in sorted(server.answers.refusals.items())
        },
        ("loop_lag_seconds", "gauge", "how late the event loop was, at worst in ten seconds"): {
            "": f"{server.lag.worst:.6f}"
        },
        ("memory_bytes", "gauge", "memory in use"): {"": _memory()},
        ("event_seconds", "histogram", "time to store an event and show it"): _histogram(
            seen.events
        ),
        ("store_seconds", "histogram", "time of calls of the store"): _histogram(rooms.store.took),
    }
    for (name, kind, words), samples in families.items():
        yield f"# HELP tribridge_{name} {words}"
        yield f"# TYPE tribridge_{name} {kind}"
        yield from (f"tribridge_{name}{label} {value}" for label, value in samples.items())
