"""Days in a row on which somebody did something daily."""

from __future__ import annotations

from collections.abc import Set
from datetime import date, timedelta


def last_row(done: Set[date], today: date) -> tuple[int, date | None]:
    """The last days in a row before today, and the last of them.

    >>> last_row({date(2026, 3, 1), date(2026, 3, 2), date(2026, 3, 5)}, date(2026, 3, 5))
    (2, datetime.date(2026, 3, 2))
    >>> last_row(set(), date(2026, 3, 5))
    (0, None)
    """
    last = max((day for day in done if day < today), default=None)
    return (0, None) if last is None else (streak(done, last), last)


def longest(done: Set[date]) -> int:
    """The most days in a row ever.

    >>> longest({date(2026, 3, 1), date(2026, 3, 2), date(2026, 3, 5)})
    2
    """
    return max((streak(done, day) for day in done), default=0)


def streak(done: Set[date], today: date, begun: Set[date] = frozenset()) -> int:
    """The days in a row up to today.

    There is still time for today's, and a day that was begun can be finished: neither breaks the
    row, and neither counts before it is done.

    >>> days = {date(2026, 3, 1), date(2026, 3, 2)}
    >>> [streak(days, date(2026, 3, day)) for day in (2, 3, 4)]
    [2, 2, 0]
    >>> streak(days, date(2026, 3, 4), {date(2026, 3, 3)})
    2
    """
    day, length = today, 0
    while day in done or day == today or day in begun:
        day, length = day - timedelta(1), length + (day in done)
    return length
