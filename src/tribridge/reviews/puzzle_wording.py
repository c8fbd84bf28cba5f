"""Puzzles in words: patterns with fields, so that the pages can say them in other languages."""

from __future__ import annotations

from typing import Final

from tribridge.reviews.themes import Theme

QUESTIONS: Final = {
    True: "What would you play?",
    False: "What would you call?",
}
JUDGED: Final = "Judged by what you can know, over {layouts} of the hidden cards."
SAMPLED: Final = "1,000 layouts"
ALL: Final = "all {number} layouts"
TITLES: Final = {
    Theme.LEAD: "Lead {best}, not {other}.",
    Theme.FINESSE: "Finesse: {best}, not {other}.",
    Theme.DROP: "No finesse: {best}, not {other}.",
    Theme.HOLD_UP: "Hold up: {best}, and keep {other} for later.",
    Theme.TAKE: "Take the trick: {best}, not {other}.",
    Theme.DUCK: "Leave the trick to the others: {best}, not {other}.",
    Theme.ENTRY: "Win the trick in the right hand: {best}, not {other}.",
    Theme.UNBLOCK: "Unblock: {best}, not {other}.",
    Theme.THROW_IN: "Give up the lead with {best}: the others must then lead to you.",
    Theme.COUNTING: "Count the hands: {best}, not {other}.",
    Theme.CASH_OUT: "Take your tricks: {best}, not {other}.",
    Theme.DRAW_TRUMPS: "Draw trumps with {best}: after {other} a trick is ruffed.",
    Theme.RUFF: "Ruff with {best}, not {other}.",
    Theme.DISCARD: "Let {best} go, not {other}.",
    Theme.SIGNAL: "Signal with {best}.",
    Theme.PLAY: "{best}, not {other}.",
    Theme.OPENING: "Bid {best}.",
    Theme.OVERCALL: "Bid {best}.",
    Theme.DOUBLE: "{best}: they are too high.",
    Theme.PASS: "Pass: {other} is worse.",
}
TOWARDS: Final = "Finesse: lead {best} towards {card}."
OTHER_CARD: Final = "Finesse: {best}, not {other}, so that {card} may win."
FOR_RUFF: Final = "Play for a ruff: lead {best}, not {other}."
RUFF_AT_ALL: Final = "Ruff with {best} instead of discarding {other}."
NO_RUFF: Final = "Do not ruff: discard {best}."
IDEAS: Final = {
    Theme.FINESSE: "It can win although the others hold a higher card: that depends on who has it.",
    Theme.DROP: "After {other} a card between the two may win a trick; {best} may catch it.",
    Theme.HOLD_UP: "By then one of the others may have no card of the suit left to lead.",
    Theme.TAKE: "If you leave it to the others, it does not come back.",
    Theme.DUCK: "Your high card is worth more in a later trick.",
    Theme.ENTRY: "Both cards win the trick, but in different hands, and the winner leads next.",
    Theme.UNBLOCK: "A high card that stays would be in the way when the other hand wins the suit.",
    Theme.COUNTING: "A player has shown out of a suit, which tells how the others may lie.",
    Theme.CASH_OUT: "If you wait, the others may get in first.",
    Theme.DISCARD: "What counts is what you keep: {other} is still needed.",
}
"""Why, in words, where the theme alone says it."""
RISKED: Final = "A finesse with {other} puts the contract at risk: a card between the two may win."
LOW_RUFF: Final = "A lower trump may be enough, and {other} is kept for later."
HIGH_RUFF: Final = "A ruff with {other} may be overruffed."
RUFF_SOON: Final = "A hand with no card left of that suit can trump it."
EXPERTS: Final = "This is from a board of experts: about {share}% of experts find it."
FOUND: Final = "The expert at the table found it."
MISSED: Final = "The expert at the table played another card."
SEVERAL: Final = "Of {tables} experts in this very position, {found} found it."
EARNS: Final = "Over {layouts}, {best} earns {points} points more than {other}."
MADE: Final = "The contract makes {best}% of the time, not {other}%."
LAYOUTS: Final = "It is better in {gains}% of the layouts and worse in {costs}%."
KEY: Final = "It gains most when {seat} holds {card}, which is {chance}% likely."
CALLS: Final = "{best} makes {made}% of the time."
BOOK: Final = "The books say: {principle}."
SAME: Final = "The computations find no difference: what counts is what the other defender learns."
ELSEWHERE: Final = "In this layout the contract does not depend on it; in others it may."
AS_IT_LAY: Final = "The cards as they lay, played on as well as possible by everybody."
ONE_LAYOUT: Final = (
    "One of the layouts in which it pays, not the actual one, played on as well as possible by "
    "everybody."
)
FIRST: Final = "{card} wins: {seat}, who has {higher}, had to play before it."
KEPT: Final = "{card} wins, as {seat} does not play {higher}."
FALLS: Final = "{card} wins, and {fallen} falls."
CASHED: Final = "{seat} cashes {card}."
CASHED_OFF: Final = "{seat} cashes {card}, on which {other} discards {discard}."
WON: Final = "{leader} leads {led}, and {seat} wins with {card}."
WON_OWN: Final = "{seat} leads {card} and wins the trick."
RUFFED: Final = "{leader} leads {led}, and {seat} ruffs with {card}."
OVERRUFFED: Final = "{leader} leads {led}, and {seat} overruffs with {card}."
PARTED: Final = (
    "Played out, trick {number} makes the difference. After {best}: {first} After {other}: {second}"
)
GIVEN_UP_FOR_ONE: Final = (
    "Played out, {best} gives up trick {number}, but {cards} wins one; after {other} it wins none."
)
GIVEN_UP_FOR: Final = (
    "Played out, {best} gives up trick {number}, but {cards} win tricks; after {other} they win "
    "none."
)
GIVEN_UP_FOR_MORE: Final = (
    "Played out, {best} gives up trick {number}, but {cards} win tricks; after {other} only "
    "{others}."
)
AND: Final = "{first} and {last}"
REST: Final = {
    True: "Declarer takes the last {number} tricks.",
    False: "The defenders take the last {number} tricks.",
}
SHARED: Final = "That decides it; declarer takes {won} of the last {number} tricks."
LINE_MAKES: Final = "{contract} makes: {number} of 13 tricks."
LINE_FAILS: Final = "{contract} goes down: {number} of 13 tricks."
DUMMY: Final = {False: "Dummy", True: "dummy"}
"""At the beginning of a sentence, and inside."""
