"""A player's statistics as text."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from tribridge.errors import quantity
from tribridge.history.rating import Mean
from tribridge.history.summary import PlayerStats, Unit


def number(mean: Mean, digits: int = 2, unit: str = "") -> str:
    """A mean with its interval: `+0.31 (-0.20 to +0.82)`.

    >>> number(Mean(0.31, -0.2, 0.82, 20)), number(mean_of(None, 0))
    ('+0.31 (-0.20 to +0.82)', '–')
    """
    if not mean.deals:
        return "–"
    head = f"{mean.estimate:+.{digits}f}{unit}"
    if not (isfinite(mean.low) and isfinite(mean.high)):
        return f"{head} (too few deals)"
    return f"{head} ({mean.low:+.{digits}f} to {mean.high:+.{digits}f})"


def share(mean: Mean) -> str:
    """A share with its interval: `14 of 22 (64%, 43% to 80%)`."""
    if not mean.deals:
        return "none declared"
    made = round(mean.estimate * mean.deals)
    return f"{made} of {mean.deals} ({mean.estimate:.0%}, {mean.low:.0%} to {mean.high:.0%})"


def reviewed(stats: PlayerStats) -> str:
    """What the reviews say, in one sentence."""
    of = stats.reviews
    if not of.deals:
        return "No deal has been reviewed yet."
    return (
        f"In {quantity(of.deals, 'reviewed deal')}, {of.wrong_calls} of "
        f"{quantity(of.calls, 'call')} and {of.wrong_cards} of {quantity(of.cards, 'card')} could "
        f"have been better; the cards cost {of.lost_tricks / of.deals:.2f} tricks per deal."
    )


def text(stats: PlayerStats) -> str:
    """The statistics for a terminal."""
    return "\n".join(_lines(stats))


def _lines(stats: PlayerStats) -> Iterator[str]:
    yield f"{quantity(stats.deals, 'deal')}, {quantity(stats.matches, 'match', 'matches')}"
    chance = (
        ""
        if stats.forecast_chance is None
        else f"; the forecasts promised {stats.forecast_chance:.0%}"
    )
    yield f"Contracts made              {share(stats.made)}{chance}"
    yield f"Tricks against the forecast {number(stats.against_forecast)}"
    yield f"Tricks against the possible {number(stats.against_possible)}"
    yield f"Settlement points per deal  {number(stats.settlement, 1)}"
    for rating in (stats.rating, *stats.other_ratings):
        if rating.deals:
            value = f"{rating.estimate:+.0f} ± {rating.half:.0f}"
            yield f"Rating                      {value} {rating.words()} ({rating.scoring})"
        elif rating is stats.rating:
            yield f"Rating                      {rating.words()}"
    yield f"Reviews                     {reviewed(stats)}"
    yield ""
    yield f"{'Situation':<16} {'deals':>5}  {'mean (95% interval)':<32} finding"
    for one in stats.situations:
        digits = 2 if one.unit is Unit.TRICKS else 1
        yield f"{one.name:<16} {one.deals:>5}  {number(one, digits):<32} {one.finding}"
    yield "Card play in tricks against double dummy, bidding in settlement points per deal."
    if stats.progress:
        yield ""
        yield f"{'Deals':<12} {'points per deal':<28} {'tricks against the possible':<32} made"
        for block in stats.progress:
            made = f"{block.made.estimate:.0%}" if block.made.deals else "–"
            span, points = f"{block.first} to {block.last}", number(block.settlement, 1)
            yield f"{span:<12} {points:<28} {number(block.against_possible):<32} {made}"
