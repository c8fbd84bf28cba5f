"""Progress of resumable work: what was there already, what is done, the time left."""

from __future__ import annotations

import sys
import time

_LINE_SECONDS = 60.0


class Progress:
    """A progress bar with the time left; without a terminal, a line now and then."""

    def __init__(self, doing: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

        console = Console(file=sys.stderr)
        self._terminal = console.is_terminal
        columns = (*Progress.get_default_columns()[:3], MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=console, transient=True, disable=not self._terminal)
        self._task = self._bar.add_task(doing, total=total)
        self._doing, self._total = doing, total
        self._begin = self._printed = time.monotonic()
        self._running = False

    def update(self, kept: int, made: int) -> None:
        """Update how many deals were there before and how many have been made since."""
        if self._terminal:
            if not self._running:
                self._bar.start()
                self._running = True
            self._bar.update(self._task, completed=kept + made)
            return
        now = time.monotonic()
        if made and now - self._printed > _LINE_SECONDS:
            self._printed = now
            left = (self._total - kept - made) * (now - self._begin) / made
            print(
                f"{self._doing}: {kept + made:,} of {self._total:,} deals, about {left:.0f} s left",
                file=sys.stderr,
            )

    def stop(self) -> None:
        """Remove the bar."""
        self._bar.stop()
