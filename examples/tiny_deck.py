"""Can the whole game be enumerated? With a deck of eight cards it can.

With two suits of four ranks, each hand has two cards. That is small enough to count everything, and
every part of Tribridge runs on it unchanged.
"""

from collections import Counter

import tribridge as tb

DECK = tb.Deck(2, 4)

# Count every pair of hands.
counts = tb.exact("capture", deck=DECK, cache=False)
print(f"{counts.total} pairs of hands, both conditions hold for {counts.both_hold}")

# Declarer's tricks in notrump, double dummy.
tricks = Counter(
    tb.solve(tb.deal(seed=1, number=number, deck=DECK), declarer="N")["NT"] for number in range(200)
)
print("tricks in notrump on 200 deals:", dict(sorted(tricks.items())))

# A whole game, with the diagram.
print(tb.play_game("random", "random", "random", seed=5, deck=DECK))
