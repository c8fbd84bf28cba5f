"""Study 2: the single hand and the combined hand.

Both algorithms run on the same deals: Algorithm 1 on the first hand, Algorithm 2 on the first two.
The exact joint distribution over all pairs is shown next to the sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final, NamedTuple

import numpy as np

from tribridge.capture import NATURAL, Conditions, Reading, exact
from tribridge.capture.exact import Verdict
from tribridge.capture.simulation import arrays
from tribridge.capture.simulation.tables import OUTCOMES
from tribridge.cards.dealer import check_deals
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.common import stats
from tribridge.common.tables import EXACT_PERCENT, Z_SCORE, Column
from tribridge.lab.studies import drawing
from tribridge.lab.studies.claims import Claim, claim
from tribridge.lab.studies.conditions import binned, nice_bin
from tribridge.lab.studies.study import Figure, Runner, Study, check_sample

_CHUNK: Final = 1 << 16
_SEEN: Final = {1: "single hand", 2: "hand and dummy"}

Pairs = Counter[tuple[Verdict, Verdict]]


class Size(NamedTuple):
    """How many deals, and whether the shift is counted exactly."""

    deals: int
    joint_captures: bool = True


@dataclass(frozen=True, slots=True)
class Share:
    """How often something happens in one algorithm, in the sample and exactly."""

    algorithm: str
    cell: str
    deals: int
    share: Annotated[float, Column("%", "%", of="deals")]
    exact: Annotated[float, "exact %", EXACT_PERCENT]
    z: Annotated[float, Z_SCORE]


@dataclass(frozen=True, slots=True)
class Result:
    """The distributions of both algorithms, and the shift between them."""

    conditions: Annotated[
        tuple[Share, ...], "hand-conditions", "Conditions: single hand and combined hand", ""
    ]
    captures: Annotated[
        tuple[Share, ...], "hand-captures", "Captures: single hand and combined hand", ""
    ]
    counted: bool
    """Whether the shift is exact; otherwise it is that of the sample."""
    mean_shift: Fraction
    means: tuple[Fraction, Fraction]
    """Of the captures of each algorithm where it qualifies."""


def sample(
    seed: int,
    deals: int,
    reading: Reading = NATURAL,
    progress: Callable[[int], None] = lambda n: None,
) -> Pairs:
    """How often each verdict of Algorithm 1 occurs with each of Algorithm 2."""
    check_deals(0, deals)
    check_sample("hands", deals, 100)
    counts: Pairs = Counter()
    for start in range(0, deals, _CHUNK):
        count = min(_CHUNK, deals - start)
        hands = deal_masks(seed, start, count)
        first = arrays.single(hands[:, 0], reading).verdict
        second = arrays.pair(hands[:, 0], hands[:, 1]).verdict
        codes, times = np.unique(first * 100 + second, return_counts=True)
        for code, number in zip(codes.tolist(), times.tolist(), strict=True):
            verdicts = (OUTCOMES.get(part, part) for part in divmod(code, 100))
            counts[next(verdicts), next(verdicts)] += number
        progress(count)
    return counts


def run(size: Size, seed: int, runner: Runner) -> Result:
    """The distributions of both algorithms, their conditions, the shift between them."""
    pairs = sample(seed, size.deals, progress=runner.progress)
    truth = (exact.algorithm1(cache=True), exact.algorithm2(cache=True))
    conditions: list[Share] = []
    captures: list[Share] = []
    for place, true in enumerate(truth):
        margin: Counter[Verdict] = Counter()
        for key, count in pairs.items():
            margin[key[place]] += count
        held = {v: n for v, n in margin.items() if isinstance(v, int)}
        outcomes = {o.value: margin[o] for o in Conditions}
        outcomes[Conditions.BOTH_HOLD.value] = sum(held.values())
        for rows, counts, shares in (
            (conditions, outcomes, {o.value: true.probability(o) for o in Conditions}),
            (captures, binned(held),
             {name: Fraction(n, true.total) for name, n in binned(true.captures).items()}),
        ):  # fmt: skip
            for name, count in counts.items():
                z = stats.z_score(count, size.deals, float(shares[name]))
                percent, share = 100 * count / size.deals, float(100 * shares[name])
                rows.append(Share(f"Algorithm {place + 1}", name, count, percent, share, z))
    exactly = exact.joint(cache=True, captures=True).counts if size.joint_captures else pairs
    gained = _gained(exactly)
    return Result(
        tuple(conditions),
        tuple(captures),
        size.joint_captures,
        Fraction(sum(k * n for k, n in gained.items()), sum(gained.values())),
        (truth[0].mean, truth[1].mean),
    )


def _gained(counts: Mapping[tuple[Verdict, Verdict], int]) -> Counter[int]:
    """How many captures the dummy adds, where both algorithms qualify the deal."""
    result: Counter[int] = Counter()
    for (first, second), count in counts.items():
        if isinstance(first, int) and isinstance(second, int):
            result[second - first] += count
    return result


def claims(result: Result) -> list[Claim]:
    """What the paper says about seeing the dummy."""
    single, pair = result.means
    how, shift = "exact" if result.counted else "sampled", result.mean_shift
    return [claim("hands.upward", shift > 0, how=how, shift=shift, single=single, pair=pair)]


def _draw(rows: tuple[Share, ...], title: str, xlabel: str, width: float) -> drawing.Drawing:
    """Both algorithms side by side."""
    figure, axes = drawing.new_figure(width, 4.0)
    cells = list(dict.fromkeys(row.cell for row in rows))
    for at, (colour, hatch) in enumerate(((drawing.BLUE, ""), (drawing.ORANGE, "//"))):
        name = f"Algorithm {at + 1}"
        mine = [row for row in rows if row.algorithm == name]
        places = [p + 0.4 * (at - 0.5) for p in range(len(cells))]
        label = f"{name} ({_SEEN[at + 1]})"
        values = [row.share for row in mine]
        axes.bar(places, values, 0.4, color=colour, hatch=hatch, edgecolor="white", label=label)
        exactly = [row.exact for row in mine]
        drawing.exact_marks(axes, places, exactly, markersize=4, label="exact" if at else None)
        for place, value in zip(places, values, strict=True):
            drawing.write(
                axes, f"{value:.2f}" if value < 10 else f"{value:.1f}", place, value, 5, 8
            )
    axes.set_xticks(range(len(cells)), [nice_bin(cell) for cell in cells])
    axes.set_ylim(0, max(row.share for row in rows) * 1.15)
    drawing.name_axes(axes, title, xlabel, "% of all deals")
    axes.legend(loc="upper right")
    return figure


def draw_conditions(result: Result) -> drawing.Drawing:
    """Conditions of single and combined hand.

    How often the conditions fail or hold for a hand alone (Algorithm 1, natural reading) and with
    its dummy (Algorithm 2): a dummy closes gaps.
    """
    return _draw(result.conditions, "Conditions: the single hand and the combined hand", "", 7.2)


def draw_captures(result: Result) -> drawing.Drawing:
    """Captures of single and combined hand.

    The captures of the same deals before and after the dummy is seen: far fewer zeros, and a shift
    to the right.
    """
    title = "Captures: the shift from the single hand to the combined hand"
    return _draw(result.captures, title, "captures", 9.6)


STUDY: Final = Study(
    name="hands",
    title="The single hand against the combined hand",
    order=20,
    paper=Size(100_000),
    quick=Size(50_000, joint_captures=False),
    run=run,
    steps=lambda size: size.deals,
    describe=lambda size: {"deals, single and combined hand": size.deals},
    with_deals=Size,
    claims=claims,
    figures=(
        Figure("hand-conditions", "hand-conditions", draw_conditions),
        Figure("hand-captures", "hand-captures", draw_captures),
    ),
)
