"""Can the whole game be looked through? With a deck of eight cards it can.

Two suits of four ranks, two cards each: small enough to count everything, and every part of
Tribridge runs on it unchanged.
"""

from collections import Counter

import tribridge as tb

DECK = tb.Deck(2, 4)

# Every pair of hands, by counting.
counts = tb.exact("capture", deck=DECK, cache=False)
print(f"{counts.total} pairs of hands, both conditions hold for {counts.both_hold}")

# What declarer makes in notrump when all cards are seen.
tricks = Counter(
    tb.solve(tb.deal(seed=1, number=number, deck=DECK), declarer="N")["NT"] for number in range(200)
)
print("tricks in notrump on 200 deals:", dict(sorted(tricks.items())))

# A whole game, with the diagram.
print(tb.play_game("random", "random", "random", seed=5, deck=DECK))
