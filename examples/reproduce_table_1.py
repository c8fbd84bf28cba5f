"""Does Table 1 of the paper hold? How often does Algorithm 2 capture 7, 8, ... 13 tricks?

The paper simulated deals. Here we count every pair of hands, and simulate as well.
"""

import sys

import tribridge as tb
from tribridge.lab.studies.published import published_table

DEALS = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000

exact = tb.exact("capture")
simulated = tb.simulate("capture", deals=DEALS, seed=1)
published = published_table("captures")

print(f"{exact.total:,} pairs of hands; captures as a share of all, in %")
print(f"{'captures':>8} {'exact':>12} {'simulated':>12} {'published':>12}")
for captures in range(7, 14):
    counted = 100 * exact.captures[captures] / exact.total
    sampled = 100 * simulated.captures.get(captures, 0) / DEALS
    figure = published["sim 1", str(captures)]
    paper = 100 * float(figure.value) / figure.sample
    print(f"{captures:>8} {counted:>12.6f} {sampled:>12.6f} {paper:>12.6f}")
