"""Days in a row on which somebody did something daily."""

from __future__ import annotations

from collections.abc import Set
from datetime import date, timedelta


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
