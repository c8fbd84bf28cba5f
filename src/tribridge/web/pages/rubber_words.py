"""The score sheet of a rubber in words, in the language of the page."""

from __future__ import annotations

from typing import Final

from tribridge.errors import TribridgeError
from tribridge.game import parse_call
from tribridge.game.laws import Laws
from tribridge.web.language import gettext, mark, translated

REASONS: Final = (
    mark("overtricks"),
    mark("doubled"),
    mark("X overtricks"),
    mark("part score"),
    mark("game"),
    mark("rubber"),
    mark("small slam"),
    mark("grand slam"),
    mark("undertricks"),
)
"""What points are scored for, besides the contract and honours."""


def scored_for(reason: str) -> str:
    """What points on the score sheet are for, as the sheet of the library says it.

    >>> scored_for("3NT"), scored_for("honours 4+1"), scored_for("overtricks")
    ('3NT', 'honours 4+1', 'overtricks')
    """
    if reason in REASONS:
        return gettext(reason)
    kind, _, held = reason.partition(" ")
    if kind == "honours":
        return gettext("honours {held}").format(held=held)
    try:
        return translated(parse_call(reason))
    except TribridgeError:
        return reason


def rules(laws: Laws) -> str:
    """What counts where on the score sheet."""
    below = (
        gettext("Below the line: tricks bid and made, overtricks included.")
        if laws.overtricks_below
        else gettext("Below the line: tricks bid and made.")
    )
    game = (
        gettext("{game} points make a game, and two games win the rubber and {bonus} points.")
        if laws.rubber_bonus
        else gettext("{game} points make a game, and two games win the rubber.")
    ).format(game=laws.game, bonus=laws.rubber_bonus)
    above = gettext(
        "Above the line: everything else, undertricks and honours among it. The small number is "
        "that of the deal."
    )
    return f"{below} {game} {above}"
