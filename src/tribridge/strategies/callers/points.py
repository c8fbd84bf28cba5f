"""Bidding by points: Ace 4, King 3, Queen 2, Jack 1, and length for a trump suit.

The tricks that a hand may expect with an unknown dummy are two straight lines,

    notrump   2.605 + 0.34 for each point
    a suit    4.239 + 0.2629 for each point + 0.8182 for each trump over four (four or more)

which are least-squares fits to the training deals. A bid is
made at the lowest level that the strain allows, as long as the expected tricks exceed it by a
margin.

In a rubber the standing counts: the bid with the highest expected points is made, if that is more
than what a pass is worth, with tricks spread around the lines as they are on the training deals (a
margin other than 1 moves them). A pass is worth nothing before the first bid. Over an opponent's
bid, the opponent is credited with a trick more than was bid, but with no more tricks in hand than
half of the missing points are worth: bids made to keep others from a game prove little. With a
scheme it calls in the same way for the points of single deals.

Where doubles are played, it doubles an opponent's bid that it does not outbid if the contract
should go down by a trick. In auctions of this caller, with L the level bid, declarer takes

    notrump   4.747 - 0.2284 for each of the defender's points - 1.588 L
    a suit    6.074 - 0.213 for each point - 0.3776 for each of the defender's trumps - 1.095 L

tricks over the contract (fits to the training deals as well). It redoubles its own bid if it
expects two and a half tricks more than the contract needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK, Deck, Hand, Strain
from tribridge.common.sentences import Words, counted, decimal, words
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Bid, Mark, said
from tribridge.game.scoring import Scheme, find_scheme, scheme_names
from tribridge.game.views import View
from tribridge.strategies.parameters import option
from tribridge.strategies.protocol import Choice

if TYPE_CHECKING:
    from tribridge.advice.prospects import Scoring
    from tribridge.advice.rubber_payoffs import RubberPayoffs

RUBBER_FILES: Final = ("game/data/typical_deals.csv",)
"""The files of the package that decide what a contract is worth in a rubber."""


def rubber_payoffs(view: View) -> RubberPayoffs | None:
    """The payoffs of contracts for the player of a view; None outside a rubber."""
    from tribridge.advice.rubber_payoffs import RubberPayoffs

    if view.rubber is None or view.seat is None or view.deck != FULL_DECK:
        return None
    bidder = view.auction.bidder
    return RubberPayoffs(
        view.rubber, view.seat, view.dealt, opponent=None if bidder is view.seat else bidder
    )


FEWEST_TRUMPS: Final = 4
NOTRUMP_LINE: Final = (2.605, 0.34)
"""Expected tricks in notrump: a constant, for each point."""
SUIT_LINE: Final = (4.239, 0.2629, 0.8182)
"""Expected tricks in a suit: a constant, for each point, for each trump over four."""
MARGIN: Final = 1.0
"""The default margin, and what an opponent is assumed to have."""
ALL_POINTS: Final = 40
NO_SCHEME: Final = "none"

NOTRUMP_AGAINST: Final = (4.747, -0.2284, -1.588)
"""Declarer's tricks over a notrump contract, from a defender's hand: a constant, for each point,
for each level."""
SUIT_AGAINST: Final = (6.074, -0.213, -0.3776, -1.095)
"""The same in a suit: a constant, for each point, for each trump, for each level."""
SHORT: Final = 1.0
"""It doubles a contract that should fall short by so many tricks."""
SPARE: Final = 2.5
"""It redoubles with so many more expected tricks than the contract needs."""


def expected_tricks(hand: Hand, strain: Strain, deck: Deck = FULL_DECK) -> float:
    """Expected tricks with an unknown dummy; scaled down for a smaller hand."""
    points = hand.hcp
    if strain is Strain.NOTRUMP:
        tricks = NOTRUMP_LINE[0] + NOTRUMP_LINE[1] * points
    elif hand.row(strain.index).bit_count() < FEWEST_TRUMPS:
        return 0.0
    else:
        start, point, trump = SUIT_LINE
        tricks = (
            start + point * points + trump * (hand.row(strain.index).bit_count() - FEWEST_TRUMPS)
        )
    return tricks * deck.hand_size / FULL_DECK.hand_size


def tricks_over(hand: Hand, bid: Bid) -> float:
    """Declarer's expected tricks over the contract, from a defender's hand."""
    points = hand.hcp
    if bid.strain is Strain.NOTRUMP:
        start, point, level = NOTRUMP_AGAINST
        return start + point * points + level * bid.level
    start, point, trump, level = SUIT_AGAINST
    return (
        start + point * points + trump * hand.row(bid.strain.index).bit_count() + level * bid.level
    )


@dataclass(frozen=True, slots=True)
class PointsCaller:
    """Counts points and length."""

    name: ClassVar[str] = "points"
    version: ClassVar[int] = 1
    weights: ClassVar[tuple[str, ...]] = RUBBER_FILES
    summary: ClassVar[str] = "counts high-card points and length and bids its best strain"

    margin: float = option(MARGIN, "tricks it wants to expect beyond the bid", min=-13, max=13)
    standing: bool = option(True, "in a rubber, play for its standing")
    scheme: str = option(
        NO_SCHEME,
        "a scoring scheme to play for outside rubbers",
        choices=(NO_SCHEME, *scheme_names()),
    )  # no files: the name may come from a web visitor
    doubles: bool = option(True, "double and redouble where the table allows it")

    def call(self, view: View, rng: Generator) -> Choice:
        last = view.auction.last_bid
        if last is not None and view.auction.bidder is view.seat:
            return self._own(view, last)
        scoring = self._scoring(view)
        if scoring is not None:
            return self._best_call(view, scoring)
        nearest = list[tuple[float, Bid]]()
        for strain in view.deck.strains:
            level = 1 if last is None else last.level + (strain <= last.strain)
            if level <= view.deck.levels:
                expected = expected_tricks(view.dealt, strain, view.deck)
                spare = expected - self.margin - view.deck.book - level
                nearest.append((spare, Bid(level, strain)))
        if not nearest:
            assert last is not None
            return self._or_double(view, words("No bid is higher than {bid}.", bid=said(last)))
        most, best = max(nearest, key=lambda each: each[0])
        reason = self._compared(view, best, most >= 0)
        return Choice(best, reason) if most >= 0 else self._or_double(view, reason)

    def _compared(self, view: View, bid: Bid, enough: bool) -> Words:
        """What the hand is worth, and from how many tricks the bid is made."""
        tricks = expected_tricks(view.dealt, bid.strain, view.deck)
        needed, shown = view.deck.book + bid.level + self.margin, round(tricks, 1)
        if not enough and shown >= needed:
            shown -= 0.1  # or it would seem to be enough
        fields: dict[str, object] = {
            "bid": said(bid),
            "tricks": decimal(shown),
            "needed": decimal(needed, digits=0 if needed == round(needed) else 1),
        }
        if bid.strain is Strain.NOTRUMP:
            held = counted("{number} point is", "{number} points are", view.dealt.hcp)
            bids = "{points} worth {tricks} tricks: this player bids {bid} from {needed}."
            few = (
                "{points} worth {tricks} tricks: too few for {bid}, which this player bids from "
                "{needed}."
            )
        else:
            fields["trumps"] = view.dealt.row(bid.strain.index).bit_count()
            held = counted("{number} point", "{number} points", view.dealt.hcp)
            bids = (
                "{points} and {trumps} trumps are worth {tricks} tricks: this player bids {bid} "
                "from {needed}."
            )
            few = (
                "{points} and {trumps} trumps are worth {tricks} tricks: too few for {bid}, which "
                "this player bids from {needed}."
            )
        return words(bids if enough else few, points=held, **fields)

    def _own(self, view: View, bid: Bid) -> Choice:
        """Over one's own bid, which an opponent has doubled: redouble or pass."""
        spare = expected_tricks(view.dealt, bid.strain, view.deck) - view.deck.book - bid.level
        if self._may(view, REDOUBLE) and spare >= SPARE:
            more = "{tricks} tricks more than {bid} needs are expected."
            return Choice(REDOUBLE, words(more, tricks=decimal(spare), bid=said(bid)))
        return Choice(PASS, words("The last bid, {bid}, is already this player's.", bid=said(bid)))

    def _or_double(self, view: View, reason: str) -> Choice:
        """A pass, or a double of a bid that should go down."""
        last = view.auction.last_bid
        if last is not None and self._may(view, DOUBLE):
            over = tricks_over(view.dealt, last)
            if over <= -SHORT:
                short = "With {points} points here, {bid} should go down {tricks}."
                fields = {"points": view.dealt.hcp, "bid": said(last), "tricks": decimal(-over)}
                return Choice(DOUBLE, words(short, **fields))
        return Choice(PASS, reason)

    def _may(self, view: View, mark: Mark) -> bool:
        """Whether to think about a double at all; its line is for the full deck."""
        return self.doubles and view.deck == FULL_DECK and mark in view.auction.legal

    def _scoring(self, view: View) -> Scoring | None:
        """What contracts are worth; None if it goes by the margin alone."""
        payoffs = rubber_payoffs(view) if self.standing else None
        if payoffs is None and self.scheme != NO_SCHEME and view.deck == FULL_DECK:
            return find_scheme(self.scheme)
        return payoffs

    def _best_call(self, view: View, scoring: Scoring) -> Choice:
        """The bid with the most expected points, or a pass."""
        from tribridge.advice.prospects import contract_values, defence_values

        own = theirs = scoring
        if isinstance(scoring, Scheme):
            own, theirs = (
                scoring.at_risk(who in view.vulnerable) for who in (view.seat, view.auction.bidder)
            )
        points = view.dealt.hcp
        last = view.auction.last_bid
        passing = 0.0
        if last is not None:
            most_points = (ALL_POINTS - points) / 2
            tricks = min(
                view.deck.book + last.level + MARGIN,
                NOTRUMP_LINE[0] + NOTRUMP_LINE[1] * most_points,
            )
            lost = defence_values(theirs, last, view.auction.factor)
            passing = float(trick_chances(tricks, last.strain) @ lost)
        best, most = None, passing
        expected = {strain: expected_tricks(view.dealt, strain) for strain in view.deck.strains}
        chances = {
            strain: trick_chances(tricks + MARGIN - self.margin, strain)
            for strain, tricks in expected.items()
            if tricks
        }
        for bid in view.legal:
            if isinstance(bid, Bid) and bid.strain in chances:
                value = float(chances[bid.strain] @ contract_values(own, bid))
                if value > most:
                    best, most = bid, value
        if best is None:
            held = counted("With {number} point", "With {number} points", points)
            if last is None:
                few = words("{points}, no bid is worth more than a pass.", points=held)
                return self._or_double(view, few)
            less = "{points}, no bid is worth more than a pass over {bid}."
            return self._or_double(view, words(less, points=held, bid=said(last)))
        return Choice(
            best,
            words(
                "{points} points are worth {tricks} tricks: {bid} averages {value} points, a pass "
                "{passing}.",
                points=points,
                tricks=decimal(expected[best.strain]),
                bid=said(best),
                value=decimal(most, "+"),
                passing=decimal(passing, "+"),
            ),
        )


def trick_chances(expected: float, strain: Strain) -> NDArray[np.float64]:
    """Chances of 0 to 13 tricks: normal around the expectation, in whole tricks."""
    from tribridge.beliefs.models import TRICKS_SD

    spread = NormalDist(expected, TRICKS_SD[strain is Strain.NOTRUMP])
    reached = [spread.cdf(tricks + 0.5) for tricks in range(FULL_DECK.hand_size)]
    return np.diff([0.0, *reached, 1.0])
