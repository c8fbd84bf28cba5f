"""Puzzles in words: patterns with fields, so that the pages can say them in other languages."""

from __future__ import annotations

from typing import Final

from tribridge.reviews.themes import Theme

QUESTIONS: Final = {
    True: "What would you play?",
    False: "What would you call?",
}
TITLES: Final = {
    Theme.LEAD: "Lead {best}, not {other}.",
    Theme.FINESSE: "Finesse: {best}, not {other}.",
    Theme.HOLD_UP: "Hold up: {best}, and keep {other} for later.",
    Theme.ENTRY: "Think of the entries: {best}, not {other}.",
    Theme.THROW_IN: "Give up the lead with {best}: the others must then lead to you.",
    Theme.COUNTING: "Count the hands: {best}, not {other}.",
    Theme.CASH_OUT: "Take your tricks: {best}, not {other}.",
    Theme.TRUMPS: "Trumps decide: {best}, not {other}.",
    Theme.DISCARD: "Let {best} go, not {other}.",
    Theme.SIGNAL: "Signal with {best}.",
    Theme.PLAY: "{best}, not {other}.",
    Theme.OPENING: "Bid {best}.",
    Theme.OVERCALL: "Bid {best}.",
    Theme.DOUBLE: "{best}: they are too high.",
    Theme.PASS: "Pass: {other} is worse.",
}
DROP: Final = "No finesse: {best}, not {other}."
TOWARDS: Final = "Lead towards the honours: {best}, not {other}."
TAKE: Final = "Take the trick at once: {best}, not {other}."
EARNS: Final = (
    "Over {layouts} layouts it earns {points} points more than {other}: {share}% of the stake."
)
MADE: Final = "The contract makes {best}% of the time, not {other}%."
LAYOUTS: Final = "It is better in {gains}% of the layouts and worse in {costs}%."
KEY: Final = "It gains most when {seat} holds {card}, which is {chance}% likely."
CALLS: Final = "{best} makes {made}% of the time."
BOOK: Final = "The books say: {principle}."
SAME: Final = "The computations find no difference: what counts is what partner learns."
