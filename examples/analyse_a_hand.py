"""I hold these thirteen cards. What are they worth, and what should I call?"""

import tribridge as tb

hand = tb.Hand("AKQ2.K93.A92.KQ5")

# The paper's closed form: what the hand captures on its own (Algorithm 1).
alone = tb.estimate(hand)
print(f"Algorithm 1: {alone.outcome.value}, {alone.captures} captures")

# The chances of 0 to 13 tricks in each strain.
for strain, tricks in tb.forecast_tricks(hand).items():
    print(f"{strain.letter:>2}: {tricks}, at least 9 tricks {tricks.at_least(9):4.0%}")

# What to call after 1♥ and a pass, and why.
advice = tb.advise(hand, auction="1H pass")
print(f"Call {advice.call}. {advice.reason}")

# And when the dummy comes down: Algorithm 2.
both = tb.estimate(hand, "743.AQ5.KT43.J93")
print(f"With the dummy: {both.captures} captures, {' '.join(map(str, both.order))}")
