"""A player's statistics as text."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from tribridge.errors import quantity
from tribridge.history.summary import Mean, PlayerStats, Unit


def number(mean: Mean, digits: int = 2, unit: str = "") -> str:
    """A mean with its interval: `+0.31 (-0.20 to +0.82)`.

    >>> from tribridge.stats import Interval
    >>> number(Mean(20, Interval(0.31, -0.2, 0.82))), number(Mean(0, None))
    ('+0.31 (-0.20 to +0.82)', '–')
    """
    value = mean.value
    if value is None:
        return "–"
    head = f"{value.estimate:+.{digits}f}{unit}"
    if not (isfinite(value.low) and isfinite(value.high)):
        return f"{head} (too few deals)"
    return f"{head} ({value.low:+.{digits}f} to {value.high:+.{digits}f})"


def share(mean: Mean) -> str:
    """A share with its interval: `14 of 22 (64%, 43% to 80%)`."""
    value = mean.value
    if value is None:
        return "none declared"
    made = round(value.estimate * mean.deals)
    return f"{made} of {mean.deals} ({value.estimate:.0%}, {value.low:.0%} to {value.high:.0%})"


def reviewed(stats: PlayerStats) -> str:
    """What the reviews say, in one sentence."""
    if not stats.reviewed:
        return "No deal has been reviewed yet."
    calls, cards = stats.judged_calls, stats.judged_cards
    return (
        f"In {quantity(stats.reviewed, 'reviewed deal')}, {calls[1]} of "
        f"{quantity(calls[0], 'call')} and {cards[1]} of {quantity(cards[0], 'card')} could have "
        f"been better; the cards cost {stats.lost / stats.reviewed:.2f} tricks per deal."
    )


def text(stats: PlayerStats) -> str:
    """The statistics for a terminal."""
    return "\n".join(_lines(stats))


def _lines(stats: PlayerStats) -> Iterator[str]:
    yield f"{quantity(stats.deals, 'deal')}, {quantity(stats.matches, 'match', 'matches')}"
    chance = "" if stats.chance is None else f"; the forecasts promised {stats.chance:.0%}"
    yield f"Contracts made              {share(stats.made)}{chance}"
    yield f"Tricks against the forecast {number(stats.expected)}"
    yield f"Tricks against the possible {number(stats.possible)}"
    yield f"Settlement points per deal  {number(stats.net, 1)}"
    for rating in stats.ratings:
        if rating.deals:
            value = f"{rating.value.estimate:+.0f} ± {rating.half:.0f}"
            yield f"Rating                      {value} {rating.words()} ({rating.scoring})"
        elif rating is stats.rating:
            yield f"Rating                      {rating.words()}"
    yield f"Reviews                     {reviewed(stats)}"
    yield ""
    yield f"{'Situation':<16} {'deals':>5}  {'mean (95% interval)':<32} finding"
    for one in stats.situations:
        digits = 2 if one.unit is Unit.TRICKS else 1
        yield f"{one.name:<16} {one.mean.deals:>5}  {number(one.mean, digits):<32} {one.finding}"
    yield "Card play in tricks against double dummy, bidding in settlement points per deal."
    if stats.progress:
        yield ""
        yield f"{'Deals':<12} {'points per deal':<28} {'tricks against the possible':<32} made"
        for block in stats.progress:
            made = "–" if block.made.value is None else f"{block.made.value.estimate:.0%}"
            span = f"{block.first} to {block.last}"
            yield f"{span:<12} {number(block.net, 1):<28} {number(block.possible):<32} {made}"
