"""Two servers in this process that share a store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.club.database import shared_database
from tests.club.helpers import Client, HereWorkers, running


@asynccontextmanager
async def two(folder: Path, **changes: Any) -> AsyncIterator[tuple[Client, Client]]:
    """Two servers that share a store."""
    url = changes.pop("data", None) or shared_database().url()
    async with (
        running(folder, data=url, workers=HereWorkers(), **changes) as (_, first),
        running(folder, data=url, workers=HereWorkers(), **changes) as (_, second),
    ):
        await asyncio.sleep(0.2)  # both listen
        yield first, second


async def until(condition: Any, seconds: float = 120.0) -> Any:
    """Wait until a coroutine function returns something true."""
    async with asyncio.timeout(seconds):
        while not (found := await condition()):
            await asyncio.sleep(0.02)
        return found
