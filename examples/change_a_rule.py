"""What if we scored differently, allowed doubles, or gave Algorithm 2 a different budget?"""

import tempfile
from pathlib import Path

import tribridge as tb

# A scoring scheme is data. This one pays well for overtricks and has heavy penalties.
FRIDAY = """
[friday]
trick = { C = 6, D = 7, H = 8, S = 9, NT = 10 }
overtrick = 2
undertrick = 100
"""

table = tb.play_game("points+maxims", "points+maxims", "points+maxims", seed=1, number=5)
with tempfile.TemporaryDirectory() as folder:
    scheme = Path(folder, "friday.toml")
    scheme.write_text(FRIDAY)
    print(table.contract, "by our rules:", table.scores(str(scheme)))
print(table.contract, "by the laws: ", table.scores("auction"))

# Doubles are an option of the table.
doubled = tb.new_table(seed=1, doubles=True)
for call in ("1NT", "X", "pass", "XX", "pass", "pass"):
    doubled = doubled.call(call)
print("Doubled and redoubled:", doubled.contract)

# The budget of the closed form, 6 in the paper.
for budget in (4, 5, 6, 7):
    result = tb.estimate("T52.Q952.AQ3.KT2", "Q873.8763.742.Q8", budget=budget)
    print(f"budget {budget}: {result.outcome.value}, {result.captures} captures")
