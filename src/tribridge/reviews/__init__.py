"""Reviews: every call and card of a deal, judged by what its player could know.

Double dummy sees all the cards, so it blames a player for a finesse that was right and failed. A
review values each choice over layouts drawn from its player's beliefs at that moment, and sets the
double-dummy result on the actual deal beside it. A choice that cost a trick is then either a
mistake or bad luck.
"""

from __future__ import annotations

from tribridge.reviews.judging import Plan as Plan
from tribridge.reviews.judging import Review as Review
from tribridge.reviews.judging import judge as judge
from tribridge.reviews.judging import judgements as judgements
from tribridge.reviews.judging import later_calls as later_calls
from tribridge.reviews.judging import review as review
from tribridge.reviews.values import Judgement as Judgement
from tribridge.reviews.values import Luck as Luck
from tribridge.reviews.values import Option as Option
from tribridge.reviews.values import Verdict as Verdict
from tribridge.reviews.values import decisive as decisive
from tribridge.reviews.values import result_turned as result_turned
from tribridge.reviews.values import turning_point as turning_point
from tribridge.reviews.values import well_played as well_played
from tribridge.reviews.wording import brief_headline as brief_headline
from tribridge.reviews.wording import headline as headline
from tribridge.reviews.wording import named_in_headline as named_in_headline
from tribridge.reviews.wording import own_costliest as own_costliest
from tribridge.reviews.wording import own_words as own_words
from tribridge.reviews.wording import praise as praise
