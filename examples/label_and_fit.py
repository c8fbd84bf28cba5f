"""How many tricks is a point worth? Solve some deals double dummy and fit a straight line.

For many deals use `tribridge label`, which works on all cores and can be resumed.
"""

import sys

import numpy as np

import tribridge as tb

DEALS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
POINTS = {tb.Rank.ACE: 4, tb.Rank.KING: 3, tb.Rank.QUEEN: 2, tb.Rank.JACK: 1}


def points(hand: tb.Hand) -> int:
    """High-card points."""
    return sum(POINTS.get(card.rank, 0) for card in hand)


features, tricks = [], []
for number in range(DEALS):
    deal = tb.deal(seed=3, number=number)
    both = deal.hands[tb.Seat.SOUTH] | deal.hidden
    features.append([1, points(both)])
    tricks.append(tb.solve(deal, declarer="S")["NT"])

(base, slope), *_ = np.linalg.lstsq(np.array(features, float), np.array(tricks, float), rcond=None)
errors = np.array(features) @ [base, slope] - tricks
print(f"tricks in notrump = {base:.2f} + {slope:.3f} x points of hand and dummy")
print(f"root mean square error {np.sqrt((errors**2).mean()):.2f} tricks on {DEALS} deals")
print(f"so a point is worth {slope:.2f} tricks, and 26 points make {base + 26 * slope:.1f}")
