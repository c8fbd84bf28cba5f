"""Reviews: every call and card of a deal, judged by what its player could know.

Double dummy sees all the cards, so it blames a player for a finesse that was right and failed. A
review values each choice over layouts drawn from its player's beliefs at that moment, and sets the
double-dummy result on the actual deal beside it. A choice that cost a trick is then either a
mistake or bad luck.
"""

from __future__ import annotations

from tribridge.reviews.judging import Plan, Review, judge, judgements, review
from tribridge.reviews.values import Judgement, Luck, Option, Verdict, turning_point

__all__ = [
    "Judgement",
    "Luck",
    "Option",
    "Plan",
    "Review",
    "Verdict",
    "judge",
    "judgements",
    "review",
    "turning_point",
]
