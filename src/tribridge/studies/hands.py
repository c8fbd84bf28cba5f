"""Studies 2 and 3: the single hand and the combined hand, and what the second hand decides.

Both run the two algorithms on the same deals: Algorithm 1 on the first hand, Algorithm 2 on the
first two. The exact joint distribution over all pairs is shown next to the sample.

If Algorithm 1 qualifies a hand, only the second hand can fail it in Algorithm 2: the dummy's cards
can only lower a suit's leading gap, so Condition A still holds and the first hand still has more
cards than the gap in each suit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from tribridge import stats
from tribridge.capture import NATURAL, REPORTED, Conditions, Reading, exact
from tribridge.capture.exact import Verdict
from tribridge.capture.simulation import arrays
from tribridge.capture.simulation.tables import OUTCOMES
from tribridge.dealer import check_deals
from tribridge.dealer_arrays import deal_masks
from tribridge.studies import claims_counts
from tribridge.studies.conditions import binned
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.published import published_table
from tribridge.studies.tables import (
    Cell,
    Comparison,
    Study,
    StudyTable,
    check_sample,
    compare_share,
    judge_readings,
)

LEVELS: Final = (7, 8, 9, 10)
"""Algorithm 1's results in the published table."""

_CHUNK: Final = 1 << 16

Pairs = Counter[tuple[Verdict, Verdict]]


class Size(NamedTuple):
    """How many deals, and whether the exact joint distribution goes down to T of Algorithm 2."""

    deals: int
    joint_captures: bool = True


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
        one = arrays.single(hands[:, 0], reading).verdict
        two = arrays.pair(hands[:, 0], hands[:, 1]).verdict
        codes, times = np.unique(one * 100 + two, return_counts=True)
        for code, number in zip(codes.tolist(), times.tolist(), strict=True):
            counts[_verdict(code // 100), _verdict(code % 100)] += number
        progress(count)
    return counts


def _verdict(code: int) -> Verdict:
    return OUTCOMES.get(code, code)


def _name(verdict: Verdict) -> str:
    return verdict.value if isinstance(verdict, Conditions) else f"{verdict}"


def _margin(pairs: Pairs, place: int) -> Counter[Verdict]:
    result: Counter[Verdict] = Counter()
    for key, count in pairs.items():
        result[key[place]] += count
    return result


def comparison(
    seed: int = 1,
    deals: int = 100_000,
    progress: Callable[[int], None] = lambda n: None,
    *,
    joint_captures: bool = True,
) -> Study:
    """Study 2: the distributions of both algorithms, their conditions, the shift between them."""
    pairs = sample(seed, deals, progress=progress)
    truth = (exact.algorithm1(cache=True), exact.algorithm2(cache=True))
    joint = exact.joint(cache=True, captures=joint_captures)
    margins = [_margin(pairs, place) for place in (0, 1)]
    conditions: list[tuple[Cell, ...]] = []
    captures: list[tuple[Cell, ...]] = []
    for algorithm, (margin, true) in enumerate(zip(margins, truth, strict=True), 1):
        held = {v: n for v, n in margin.items() if isinstance(v, int)}
        outcomes = {o: margin[o] for o in (Conditions.A_FAILS, Conditions.B_FAILS)}
        outcomes[Conditions.BOTH_HOLD] = sum(held.values())
        for outcome in Conditions:
            share = true.probability(outcome)
            conditions.append(
                (
                    f"Algorithm {algorithm}",
                    outcome.value,
                    outcomes[outcome],
                    100 * outcomes[outcome] / deals,
                    float(100 * share),
                    stats.z_score(outcomes[outcome], deals, float(share)),
                )
            )
        exact_bins = binned(dict(true.captures))
        for name, count in binned(held).items():
            share = Fraction(exact_bins[name], true.total)
            captures.append(
                (
                    f"Algorithm {algorithm}",
                    name,
                    count,
                    100 * count / deals,
                    float(100 * share),
                    stats.z_score(count, deals, float(share)),
                )
            )
    columns = ("algorithm", "cell", "deals", "%", "exact %", "z")
    tables = (
        StudyTable(
            "hand-conditions",
            "Conditions: single hand and combined hand",
            columns,
            tuple(conditions),
        ),
        StudyTable(
            "hand-captures", "Captures: single hand and combined hand", columns, tuple(captures)
        ),
        _joint_table(joint),
        *([_shift_table(joint, pairs)] if joint_captures else []),
    )
    gained = _gained(joint.counts if joint_captures else pairs)
    facts = {
        "deals": deals,
        "mean shift": Fraction(sum(k * n for k, n in gained.items()), sum(gained.values())),
        "mean 1": truth[0].mean,
        "mean 2": truth[1].mean,
        "exact": joint_captures,
    }
    return COMPARISON.result(tables, facts=facts)


def _joint_table(joint: exact.Joint) -> StudyTable:
    firsts = sorted(joint.firsts, key=_order)
    seconds = sorted({second for _, second in joint.counts}, key=_order)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (_name(one), *(100 * joint.counts.get((one, two), 0) / joint.total for two in seconds))
        for one in firsts
    )
    return StudyTable(
        "hand-joint",
        "Algorithm 1 of the hand (rows) with Algorithm 2 of hand and dummy (columns)",
        ("Algorithm 1", *(_name(two) for two in seconds)),
        rows,
        "Exact percentages of all pairs of hands.",
    )


def _order(verdict: Verdict) -> int:
    return list(Conditions).index(verdict) if isinstance(verdict, Conditions) else 10 + verdict


def _gained(counts: Mapping[tuple[Verdict, Verdict], int]) -> Counter[int]:
    """How many captures the dummy adds, where both algorithms qualify the deal."""
    result: Counter[int] = Counter()
    for (one, two), count in counts.items():
        if isinstance(one, int) and isinstance(two, int):
            result[two - one] += count
    return result


def _shift_table(joint: exact.Joint, pairs: Pairs) -> StudyTable:
    exactly, sampled = _gained(joint.counts), _gained(pairs)
    total, drawn = sum(exactly.values()), sum(sampled.values())
    rows = tuple(
        (
            shift,
            sampled[shift],
            100 * sampled[shift] / max(drawn, 1),
            float(100 * Fraction(n, total)),
        )
        for shift, n in sorted(exactly.items())
    )
    return StudyTable(
        "hand-shift",
        "Captures gained when the dummy is seen, where both algorithms qualify the deal",
        ("captures gained", "deals", "%", "exact %"),
        rows,
    )


def second_hand(
    seed: int = 1, deals: int = 100_000, progress: Callable[[int], None] = lambda n: None
) -> Study:
    """Study 3: for each result of Algorithm 1, how often Algorithm 2 qualifies, and who failed."""
    pairs = sample(seed, deals, progress=progress)
    joints = {name: exact.joint(reading=reading, cache=True) for name, reading in REPORTED.items()}
    joint = joints[NATURAL.name]
    figures = published_table("second hand")
    comparisons: list[Comparison] = []
    rows: list[tuple[Cell, ...]] = []
    for level in (*range(4, 7), *LEVELS, *range(11, 14)):
        chance = Fraction(joint.firsts.get(level, 0), joint.total)
        if not chance:
            continue
        success = joint.success(level)
        ours = sum(n for (one, _), n in pairs.items() if one == level)
        good = sum(n for (one, two), n in pairs.items() if one == level and isinstance(two, int))
        first_fails = sum(
            n
            for (one, two), n in joint.counts.items()
            if one == level and two is Conditions.A_FAILS
        )
        rate = 100 * good / ours if ours else None
        published: list[Cell] = [None] * 3
        if level in LEVELS:
            row = str(level)
            asked, passed = figures[row, "A1 satisfied"], figures[row, "A2 satisfied"]
            rate_figure = figures[row, "success rate"]
            for column, value, size, unit, own in (
                ("A1 satisfied", asked.value, asked.sample, asked.sample,
                 ours * asked.sample / deals),
                ("success rate", rate_figure.value, int(asked.value), 100, rate),
            ):  # fmt: skip
                by_reading = {
                    name: compare_share(
                        ("second hand", row, column),
                        value,
                        size,
                        one.success(level)
                        if column == "success rate"
                        else Fraction(one.firsts[level], one.total),
                        own,
                        unit=unit,
                    )
                    for name, one in joints.items()
                }
                verdict = judge_readings({name: one.z or 0.0 for name, one in by_reading.items()})
                comparisons.append(replace(by_reading[NATURAL.name], verdict=verdict))
            published = [int(asked.value), int(passed.value), float(rate_figure.value)]
        rows.append(
            (
                level,
                *published,
                ours,
                good,
                rate,
                float(100 * chance),
                float(100 * success),
                first_fails,
            )
        )
    columns = (
        "Algorithm 1", "published satisfied", "published A2 satisfied", "published success %",
        "ours satisfied", "ours A2 satisfied", "ours success %", "exact satisfied %",
        "exact success %", "failed by Condition A or the first hand",
    )  # fmt: skip
    table = StudyTable(
        "second-hand",
        "What the second hand decides, by the result of Algorithm 1",
        columns,
        tuple(rows),
        f"Ours: {deals:,} deals. Only the second hand can fail a hand that qualifies alone.",
    )
    facts = {"deals": deals, **_second_facts(joints)}
    return SECOND_HAND.result((table, _second_tests(joint)), comparisons, facts)


def _published_second() -> tuple[list[int], list[int]]:
    figures = published_table("second hand")
    asked = [int(figures[str(level), "A1 satisfied"].value) for level in LEVELS]
    return asked, [int(figures[str(level), "A2 satisfied"].value) for level in LEVELS]


def published_fits() -> dict[str, stats.Test]:
    """Whether the published results of Algorithm 1 have the exact proportions, by reading.

    If not, they fit no sample size.
    """
    asked, _ = _published_second()
    fits = {}
    for name, reading in REPORTED.items():
        captures = exact.algorithm1(reading=reading, cache=True).captures
        total = sum(captures[level] for level in LEVELS)
        fits[name] = stats.fit(asked, [captures[level] / total for level in LEVELS])
    return fits


def _second_tests(joint: exact.Joint) -> StudyTable:
    asked, good = _published_second()
    tests = [
        *(
            (
                "the published results 7 to 10 of Algorithm 1 are distributed as counted exactly "
                f"({name})",
                test,
            )
            for name, test in published_fits().items()
        ),
        (
            "the published success rate does not change with the result of Algorithm 1",
            stats.trend(good, asked, LEVELS),
        ),
        *(
            (
                f"the published success rate at {level} is the exact one",
                stats.fit([ok, all_ - ok], [p := float(joint.success(level)), 1 - p]),
            )
            for level, ok, all_ in zip(LEVELS, good, asked, strict=True)
        ),
    ]
    corrected = stats.holm([test.p for _, test in tests])
    return StudyTable(
        "second-hand-tests",
        "The published table against the exact counts",
        ("hypothesis", "test", "statistic", "df", "p", "p (Holm)", "effect", "size"),
        tuple(
            (question, test.name, test.statistic, test.df, test.p, after, test.effect, test.size)
            for (question, test), after in zip(tests, corrected, strict=True)
        ),
    )


def published_distances() -> dict[str, float]:
    """By reading, the largest deviation (z) of the published counts of Algorithm 1's results."""
    figures = published_table("second hand")
    result = {}
    for name, reading in REPORTED.items():
        truth = exact.algorithm1(reading=reading, cache=True)
        result[name] = max(
            (
                stats.z_score(
                    float(figures[str(level), "A1 satisfied"].value),
                    figures[str(level), "A1 satisfied"].sample,
                    truth.captures[level] / truth.total,
                )
                for level in LEVELS
            ),
            key=abs,
        )
    return result


def _second_facts(joints: Mapping[str, exact.Joint]) -> dict[str, object]:
    joint = joints[NATURAL.name]
    qualified = [level for level in joint.firsts if isinstance(level, int)]
    return {
        "rejected of qualified": {name: _rejected(one) for name, one in joints.items()},
        "success by result": {n: joint.success(n) for n in sorted(qualified) if n >= 7},
        "failed by A or the first hand": sum(
            n
            for (one, two), n in joint.counts.items()
            if one in qualified and two is Conditions.A_FAILS
        ),
        # With c1 = gap the first hand itself fails Condition B of Algorithm 2, if the dummy closes
        # nothing of the gap.
        "only the second hand fails": {name: REPORTED[name].strict for name in joints},
        "published counts, farthest z": published_distances(),
        "published proportions": published_fits(),
    }


def _rejected(joint: exact.Joint) -> Fraction:
    """The share of the hands with 7 captures or more that fail with their dummy."""
    able = [level for level in joint.firsts if isinstance(level, int) and level >= 7]
    failures = sum(
        n for (one, two), n in joint.outcomes.items() if one in able and two != Conditions.BOTH_HOLD
    )
    return Fraction(failures, sum(joint.firsts[level] for level in able))


COMPARISON: Final = Declaration(
    name="hands",
    title="The single hand against the combined hand",
    paper=Size(100_000),
    quick=Size(50_000, joint_captures=False),
    run=lambda size, seed, runner: comparison(
        seed, size.deals, runner.progress, joint_captures=size.joint_captures
    ),
    steps=lambda size: size.deals,
    describe=lambda size: {"deals, single and combined hand": size.deals},
    with_deals=Size,
    figures=(
        Figure(
            "hand-conditions",
            "Conditions of single and combined hand",
            "How often the conditions fail or hold for a hand alone (Algorithm 1, natural reading) "
            "and with its dummy (Algorithm 2): a dummy closes gaps.",
            "hand-conditions",
        ),
        Figure(
            "hand-captures",
            "Captures of single and combined hand",
            "The captures of the same deals before and after the dummy is seen: far fewer zeros, "
            "and a shift to the right.",
            "hand-captures",
        ),
    ),
    claims=claims_counts.hands,
)

SECOND_HAND: Final = Declaration(
    name="second-hand",
    title="The second hand",
    paper=100_000,
    quick=50_000,
    run=lambda deals, seed, runner: second_hand(seed, deals, runner.progress),
    steps=int,
    with_deals=int,
    figures=(
        Figure(
            "second-hand",
            "What the second hand decides",
            "Hands that pass Algorithm 1, by its result: those that Algorithm 2 accepts with their "
            "dummy (black) and those that fail for the second hand (hatched). The published rates "
            "(left) are close to ours (right), the published counts are not.",
            "second-hand",
        ),
    ),
    claims=claims_counts.second_hand,
)
