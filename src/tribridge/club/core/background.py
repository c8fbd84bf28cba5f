"""Work that nobody waits for: what becomes of it is read all the same."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")
_LOG: Final = logging.getLogger("tribridge.club")


def begin(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Begin such work as a task; if it fails, the log says so at once."""
    task = asyncio.get_running_loop().create_task(work)
    task.add_done_callback(_read)
    return task


def _read(task: asyncio.Task[Any]) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None:
        _LOG.error("%s has failed", getattr(task.get_coro(), "__qualname__", ""), exc_info=error)
