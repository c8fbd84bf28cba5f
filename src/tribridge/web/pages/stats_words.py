"""A player's statistics in words, in the language of the page."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Final

from tribridge.history.ladder import Scoring
from tribridge.history.rating import Mean, Place, PlayerRating
from tribridge.history.summary import PlayerStats
from tribridge.web.language import formatted, gettext, mark, ngettext

SITUATIONS: Final = (
    mark("Declaring"),
    mark("Defending"),
    mark("Suit contracts"),
    mark("Notrump"),
    mark("Levels 1 and 2"),
    mark("Levels 3 and 4"),
    mark("Levels 5 to 7"),
    mark("First to call"),
    mark("Second to call"),
    mark("Last to call"),
)


def interval(mean: Mean, digits: int = 2) -> str:
    """The interval of a mean, in brackets."""
    if not mean.deals:
        return ""
    if not (isfinite(mean.low) and isfinite(mean.high)):
        return gettext("(too few deals)")
    low, high = (formatted(f"%+.{digits}f", end) for end in (mean.low, mean.high))
    return gettext("({low} to {high})").format(low=low, high=high)


def reviewed(stats: PlayerStats) -> str:
    """What the reviews say, in one sentence."""
    of = stats.reviews
    if not of.deals:
        return gettext("No deal has been reviewed yet.")
    return ngettext(
        "In {number} reviewed deal, {better_calls} of {calls} calls and {better_cards} of {cards} "
        "cards could have been better; the cards cost {tricks} tricks per deal.",
        "In {number} reviewed deals, {better_calls} of {calls} calls and {better_cards} of {cards} "
        "cards could have been better; the cards cost {tricks} tricks per deal.",
        of.deals,
    ).format(
        number=of.deals,
        better_calls=of.wrong_calls,
        calls=of.calls,
        better_cards=of.wrong_cards,
        cards=of.cards,
        tricks=formatted("%.2f", of.lost_tricks / of.deals),
    )


def scoring(rating: PlayerRating) -> str:
    """How the deals of a rating were scored."""
    form = {
        Scoring.RUBBER: gettext("{scoring}, with doubles"),
        Scoring.DEALS: gettext("{scoring}, without doubles"),
    }[rating.scoring]
    return form.format(scoring=rating.scoring.value)


def rated(rating: PlayerRating, names: Mapping[str, str]) -> str:
    """What a rating says about the player's strength; `names` picks and names the bots."""
    if not rating.deals:
        return gettext("no rated deals yet")
    place, bots = rating.place(names)
    deals = ngettext(
        "after {number} rated deal", "after {number} rated deals", rating.deals
    ).format(number=rating.deals)
    form = {
        Place.UNKNOWN: gettext("{deals}: too few games to tell how strong you are"),
        Place.ABOVE: gettext("{deals}: stronger than {bot}"),
        Place.BELOW: gettext("{deals}: not yet as strong as {bot}"),
        Place.ABOUT: gettext("{deals}: about as strong as {bot}"),
        Place.AMONG: gettext("{deals}: about as strong as {bot} ({low} to {high} is possible)"),
    }[place]
    bot, low, high = (*bots, "", "", "")[:3]
    return form.format(deals=deals, bot=bot, low=low, high=high)
