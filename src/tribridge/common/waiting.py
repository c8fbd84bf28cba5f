"""What is going on, said where somebody waits for it: one line on a terminal or in a notebook.

The line appears after a moment, is kept up to date, and is removed in the end. Nothing is written
where standard error goes to a file or a pipe, nor by worker processes.
"""

from __future__ import annotations

import sys
from multiprocessing import parent_process
from threading import Lock, Timer
from typing import Final

PATIENCE: Final = 0.5
"""Seconds that somebody waits without asking what is going on."""


class Waiting:
    """A line that says what is being done, as a context.

    Examples:
        >>> with Waiting("counting") as line:  # "counting: 2 of 3", if it takes long enough
        ...     for done in range(3):
        ...         line.update(done, 3)
    """

    def __init__(self, doing: str, patience: float = PATIENCE) -> None:
        self._doing = self._text = doing
        self._patience = patience
        self._shown = ""
        self._open = False
        self._lock = Lock()

    def __enter__(self) -> Waiting:
        self._open = _watched()
        if self._open:
            self._timer = Timer(self._patience, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def update(self, done: int, total: int) -> None:
        """Say how much is done."""
        self._text = f"{self._doing}: {done:,} of {total:,}"
        if self._shown:
            self._show()

    def __exit__(self, *_: object) -> None:
        if self._open:
            self._timer.cancel()
            with self._lock:
                self._open = False
                self._write("")

    def _show(self) -> None:
        with self._lock:
            if self._open:
                self._write(self._text + " ...")

    def _write(self, text: str) -> None:
        if text != self._shown:
            blank = " " * (len(self._shown) - len(text))
            print(f"\r{text}{blank}", end="" if text else "\r", file=sys.stderr, flush=True)
            self._shown = text


def _watched() -> bool:
    """Whether a person sees what is written to standard error."""
    if parent_process() is not None or sys.stderr is None:
        return False
    return sys.stderr.isatty() or "ipykernel" in sys.modules
