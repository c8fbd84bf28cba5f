"""Forty hands with the calls that a bridge player would find sensible, the first one the best.

They were written down from the cards, before the advice was asked, and choose nothing: rules of the
advice are not changed on account of them. Each hand belongs to the next player to call. Calls are
judged for three players, where dummy is unknown and everybody bids alone: in auction bridge
overtricks count in full, so that there is no need to bid high; in contract bridge a game must be
bid to be scored.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hand:
    """A hand in an auction, and what to call with it."""

    cards: str
    calls: str
    """The calls that make sense."""
    why: str
    auction: str = ""
    scheme: str = "auction"
    vulnerable: bool = False
    doubles: bool = False
    plain: bool = False
    """Whether anything else would be absurd."""


FORTY = (
    # Opening the bidding, auction bridge
    Hand("AKQ2.K93.A92.KQ5", "1NT 2NT 1S", "21 points, balanced, everything stopped"),
    Hand("7432.964.T92.854", "Pass", "no points at all", plain=True),
    Hand("AKQJT98765432...", "7S", "thirteen solid spades", plain=True),
    Hand(".AKQJT98765432..", "7H", "thirteen solid hearts", plain=True),
    Hand("AKQJT98.AKQ.AK.2", "6S 5S 4S", "twelve tricks in hand"),
    Hand("KQJT987.2.A43.52", "1S 2S 3S 4S", "seven strong spades"),
    Hand("KQJ9876.2.43.852", "3S 2S 1S", "seven spades and little else"),
    Hand("A5.K93.A9652.KQ5", "1NT 1D", "16 points with five diamonds"),
    Hand("AQ2.KJ93.A92.KQ5", "1NT 1H 2NT", "19 points, balanced"),
    Hand("K5.Q93.J9652.Q52", "Pass", "8 points, no suit"),
    Hand("AKJ85.KQJ74.2.A3", "1S 1H 2S 2H", "18 points, five cards in both majors"),
    Hand("A.KQJ9854.AQ3.52", "1H 2H 3H 4H", "seven strong hearts and two aces"),
    Hand("2.3.AKQJT94.AQ52", "1D 2D 3D", "seven solid diamonds"),
    Hand("QJ4.K83.Q962.K52", "Pass 1D", "11 points without a suit"),
    Hand("AK3.AQ4.KQ5.AQ32", "2NT 1NT 3NT", "24 points, balanced"),
    Hand("AKQ.AKQ.AKQ.AKQJ", "7NT", "thirteen winners", plain=True),
    Hand("KJ42.KJ93.A9.KQ5", "1NT 1S 1H", "17 points with both majors"),
    Hand("T.A5.KQ82.KQT963", "1C 2C", "14 points, six clubs"),
    # Over the others, auction bridge
    Hand("AKQ2.K93.A92.KQ5", "1NT 1S 2NT", "21 points are too much to stay silent", "1D"),
    Hand("Q742.964.KT2.854", "Pass", "5 points against a strong hand", "1NT", plain=True),
    Hand("AJT97.K3.A42.K52", "1S 1NT", "15 points and five good spades", "1H"),
    Hand("AKJT4.KQ3.2.A652", "1S 2S", "17 points and five strong spades", "1H pass"),
    Hand("52.AQJ97.T42.A52", "Pass", "their trumps are mine", "1H"),
    Hand("52.AQJ97.KT4.A52", "X", "five trump tricks and an ace", "4H", doubles=True),
    Hand("KQJT98.4.A93.K52", "1S 2S", "six strong spades, 13 points", "1C 1H"),
    Hand("AKQJ98.4.A93.K52", "3S Pass", "eight tricks in hand, and they have shown a lot", "3H"),
    Hand("J742.9.KT72.8542", "Pass", "4 points", "2S", plain=True),
    Hand("A9.KQJ5.KQ84.AJ2", "1NT 2NT", "20 points, their suit stopped", "1S"),
    Hand("Q9.KQJ985.KQ84.2", "1H 2H", "six strong hearts, 13 points", "1C"),
    Hand("AKQJT9.AKQ.AKQ.A", "7NT 7S", "thirteen winners", "1NT pass", plain=True),
    # Contract bridge, deal by deal
    Hand("AKQ2.K93.A92.KQ5", "3NT 2NT", "4 points in dummy make game", scheme="contract"),
    Hand("AKQJT98.AKQ.AK.2", "6S 7S", "twelve tricks in hand", scheme="contract", plain=True),
    Hand("A5.K93.A9652.KQ5", "1NT 1D 3NT 2NT", "16 points", scheme="contract"),
    Hand("AKQJT98765432...", "7S", "the highest suit", "7H", scheme="contract", plain=True),
    Hand("KQJT987.2.A43.52", "3S 1S 2S 4S", "seven strong spades", scheme="contract",
         vulnerable=True),
    Hand("7432.964.T92.854", "Pass", "nothing", "3NT", scheme="contract", plain=True),
    Hand("AQJ987.AKQ4.K3.2", "4S 3S 2S 1S", "19 points and two suits", "1C", scheme="contract"),
    Hand("K9.QJT985.A4.J52", "Pass", "11 points at the five level, vulnerable", "4S",
         scheme="contract", vulnerable=True),
    Hand("AKQJ9.A42.KQ5.A2", "Pass XX", "my own contract makes, doubled or not", "1S X pass",
         doubles=True),
    Hand("J9732.K42.Q5.A42", "Pass", "nowhere to run to", "1S X pass", doubles=True),
)  # fmt: skip
"""The hands."""
