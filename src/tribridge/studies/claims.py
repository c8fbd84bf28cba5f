"""The paper's testable claims, each with a verdict and the number behind it.

Verdicts: *holds*, *fails*, *not determined by the text* (it depends on a definition that is
missing, or that our readings cannot settle). Claims are paraphrased.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from tribridge.studies.tidy import StudyTable

HOLDS: Final = "holds"
FAILS: Final = "fails"
OPEN: Final = "not determined by the text"
TIMED: Final = "Complexity"
"""The section with claims about running time."""
SECTIONS: Final = (
    "Results",
    "Discussion",
    "Second hand",
    "Single and combined hand",
    "Three runs",
    TIMED,
    "Abstract",
)
"""The sections of the paper, in the order of the report."""
Facts = Mapping[str, Any]
_LESS: Final = "error less constant's"
_WISE: Final = "full or pass"


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: its section, its text, the verdict."""

    section: str
    text: str
    verdict: str
    evidence: str


_NOT_RUN: Final = "stated without evidence; the double-dummy studies were not run"
STRAIN: Final = Claim("Abstract", "Notrump outperforms naming a trump suit", OPEN, _NOT_RUN)
RELIABLE: Final = Claim("Abstract", "The predictions are reliable", OPEN, _NOT_RUN)
"""Claims that the paper states without evidence; double-dummy results settle them."""


def claims_table(claims: list[Claim]) -> StudyTable:
    """The claims as a table."""
    return StudyTable(
        "claims",
        "The paper's claims, tested",
        ("section", "claim", "verdict", "evidence"),
        tuple((c.section, c.text, c.verdict, c.evidence) for c in claims),
    )


def _pc(share: Fraction | float, digits: int = 3) -> str:
    return f"{float(100 * share):.{digits}f}%"


def _when(condition: bool) -> str:
    return HOLDS if condition else FAILS


def conditions(facts: Facts) -> list[Claim]:
    """What the paper says about conditions and captures."""
    results = "Results"
    largest = facts["largest captures"]
    low, low_all = facts["6 or less of qualifying"], facts["6 or less of all"]
    middle = facts["8 to 11 of qualifying"]
    peak, peak_all = facts["9 or 10 of qualifying"], facts["9 or 10 of all"]
    spread = facts["published spread of runs"]
    return [
        Claim(
            results,
            "No deal captures more than 13",
            _when(largest <= 13),
            f"exact: the most captures of any pair of hands is {largest}",
        ),
        Claim(
            results,
            "The stop test at a check value of 13 is what bounds the captures",
            HOLDS,
            "each capture raises the check value by one at least, from 4 captures on, and none is "
            "made once it has reached 13",
        ),
        Claim(
            results,
            "Captures peak at 9 and 10 in every run",
            _when(facts["modes"] == (9, 10)),
            f"exact: the two most frequent are {facts['modes'][0]} and {facts['modes'][1]}",
        ),
        Claim(
            results,
            "9 and 10 together are about 18.3% of all and 65.6% of qualifying deals",
            _when(
                abs(peak_all - Fraction(183, 1000)) < Fraction(1, 1000)
                and abs(peak - Fraction(656, 1000)) < Fraction(5, 1000)
            ),
            f"exact: {_pc(peak_all)} of all, {_pc(peak)} of qualifying",
        ),
        Claim(
            results,
            "The distribution has one peak and is nearly symmetric",
            _when(facts["unimodal"] and abs(facts["skewness"]) < 0.5),
            f"exact: one peak is {'true' if facts['unimodal'] else 'false'}, "
            f"skewness {facts['skewness']:.3f}",
        ),
        Claim(
            results,
            "6 or fewer captures are rarer than 0.19% of qualifying deals",
            _when(low < Fraction(19, 10000)),
            f"exact: {_pc(low)} of qualifying deals; {_pc(low_all)} is the share of all deals",
        ),
        Claim(
            results,
            "Condition A fails in 14.53%, only B in 57.57%, neither in 27.90% of deals",
            _when(
                all(
                    abs(facts[name] - Fraction(value)) < Fraction(1, 2000)
                    for name, value in (
                        ("A fails", "0.1453"),
                        ("B fails", "0.5757"),
                        ("both hold", "0.2790"),
                    )
                )
            ),
            f"exact: {_pc(facts['A fails'])}, {_pc(facts['B fails'])}, {_pc(facts['both hold'])}",
        ),
        Claim(
            results,
            "No two runs differ by more than 0.1 percentage points in the conditions",
            _when(spread < 0.1),
            f"largest difference of the published runs: {spread:.4f} points; by chance alone, "
            f"{_pc(facts['chance of a wider spread'], 0)} of sets of three runs of a million lie "
            "wider than 0.1 points",
        ),
        Claim(
            "Discussion",
            "Fewer than one deal in three satisfies both conditions",
            _when(facts["both hold"] < Fraction(1, 3)),
            f"exact: {_pc(facts['both hold'])}",
        ),
        Claim(
            "Discussion",
            "8 to 11 captures are over 93% of qualifying deals",
            _when(middle > Fraction(93, 100)),
            f"exact: {_pc(middle)}",
        ),
    ]


def second_hand(facts: Facts) -> list[Claim]:
    """What the paper says about the second hand."""
    rejected = facts["rejected of qualified"]
    rates = facts["success by result"]
    shown = ", ".join(f"{_pc(1 - rates[level], 1)} at {level}" for level in (7, 8, 9, 10))
    return [
        Claim(
            "Second hand",
            "25 to 28% of the hands that pass Algorithm 1 are rejected for the second hand",
            _when(Fraction(25, 100) <= rejected <= Fraction(28, 100)),
            f"exact, natural reading: {_pc(rejected)} of all with a result of 7 or more, and fewer "
            f"the better the result: {shown}",
        ),
        Claim(
            "Second hand",
            "A hand that passes Algorithm 1 is failed by the second hand alone",
            _when(facts["failed by A or the first hand"] == 0),
            "exact: no pair fails otherwise; a dummy can only lower a leading gap",
        ),
        Claim(
            "Second hand",
            "Counts of the published table (893, 544, 228, 93)",
            OPEN,
            "they fit no sample of 100,000 under our readings (standard errors off, at most: "
            f"{_by_reading(facts['published counts, farthest z'], '{:.0f}')}), nor the exact "
            "proportions between the results",
        ),
    ]


def hands(facts: Facts) -> list[Claim]:
    """What the paper says about seeing the dummy."""
    return [
        Claim(
            "Single and combined hand",
            "Seeing the dummy shifts the estimate upward",
            _when(facts["mean shift"] > 0),
            f"{'exact' if facts['exact'] else 'sampled'}: where both qualify, the mean rises by "
            f"{float(facts['mean shift']):.3f} "
            f"captures (means {float(facts['mean 1']):.3f} and {float(facts['mean 2']):.3f})",
        )
    ]


def _by_reading(values: Mapping[str, float], form: str = "{:.2f}") -> str:
    return ", ".join(f"{name} {form.format(value)}" for name, value in values.items())


def headline(facts: Facts) -> list[Claim]:
    """What the paper says about its three runs."""
    section = "Three runs"
    bidder = {name: 100 * share for name, share in facts["share with a bidder"].items()}
    both = {name: 100 * share for name, share in facts["share both eligible"].items()}
    weak = facts["losses with a weak dummy"]
    old, new = facts["published ranking old"], facts["published ranking new"]
    return [
        Claim(
            section,
            "About 10.3% of deals have a bidder",
            OPEN,
            f"ours by reading, in %: {_by_reading(bidder)}",
        ),
        Claim(
            section,
            "About two contracts in three are made",
            OPEN,
            f"ours by reading, in %: {_by_reading(facts['win rate'])}",
        ),
        Claim(
            section,
            "Where bidder and dummy are both eligible, 93.4 to 93.8% are made",
            OPEN,
            f"ours by reading, in %: {_by_reading(facts['win rate when both eligible'])}",
        ),
        Claim(
            section,
            "Bidder and dummy are both eligible in about 0.1% of deals",
            OPEN,
            f"ours by reading, in %: {_by_reading(both, '{:.3f}')}",
        ),
        Claim(
            section,
            "At least 99.8% of lost contracts have a dummy that is not eligible",
            _when(all(value >= 99.8 for value in weak.values()))
            if len({value >= 99.8 for value in weak.values()}) == 1
            else OPEN,
            f"ours by reading, in %: {_by_reading(weak)}",
        ),
        Claim(
            section,
            "The overall win rates of the runs lie within two tenths of a point",
            _when(facts["published spread of win rate"] < 0.2),
            f"published: {facts['published spread of win rate']:.2f} points",
        ),
        Claim(
            section,
            "The win rates with both eligible lie within 0.4 points",
            _when(facts["published spread of both-eligible win rate"] < 0.4),
            f"published: {facts['published spread of both-eligible win rate']:.2f} points",
        ),
        Claim(
            section,
            "The order of the runs by points is not quite the same under the two schemes",
            _when(old != new),
            f"the published totals rank the runs {_order(old)} under the old scheme and "
            f"{_order(new)} under the new one",
        ),
        Claim(
            section,
            "The new scheme pays more than five times as much",
            OPEN,
            f"published ratio {facts['published ratio of schemes']:.2f}; under our readings of the "
            f"schemes: {_by_reading(facts['our ratio of schemes'])}",
        ),
    ]


def _order(ranking: tuple[int, ...]) -> str:
    return " > ".join(str(run) for run in ranking)


def cost(facts: Facts) -> list[Claim]:
    """What the paper says about running time."""
    power = facts["growth exponent"]
    return [
        Claim(
            TIMED,
            "On n suits of m ranks the time grows as n^2 m^2 at worst",
            _when(power < 2),
            f"measured on this machine: as (n m)^{power:.2f}",
        )
    ]


def strains(facts: Facts) -> list[Claim]:
    """Notrump must beat the suit a declarer would name, both in tricks and in points."""
    tricks, points = facts["tricks"], facts["points"]
    longest = tricks["longest suit | all declarers"]
    schemes = sorted({key.split(" | ")[0] for key in points})
    by_points = [points[f"{name} | {_WISE} | longest suit | all declarers"] for name in schemes]
    ahead = longest[2] < 0 and all(high < 0 for _, _, high in by_points)
    groups = ("balanced", "not balanced", "fit 6 or fewer", "Algorithm 1 bids")

    def by_group(gains: Mapping[str, Any], prefix: str) -> str:
        keys = {group: f"{prefix}longest suit | {group}" for group in groups}
        return ", ".join(f"{g} {_signed(gains[key])}" for g, key in keys.items() if key in gains)

    first = f"{schemes[0]} | {_WISE} | "
    claim = replace(
        STRAIN,
        verdict=_when(ahead),
        evidence=f"double dummy, compared with notrump, the declarer's longest suit takes "
        f"{_signed(longest)} tricks ({by_group(tricks, '')}), the best suit "
        f"{_signed(tricks['best suit | all declarers'])}; for a declarer who bids what makes and "
        f"otherwise passes, the longest suit scores {_signed(by_points[0])} points under scheme "
        f"{schemes[0]} ({by_group(points, first)})",
    )
    return [claim]


def _signed(interval: tuple[float, float, float]) -> str:
    estimate, low, high = interval
    return f"{estimate:+.2f} [{low:+.2f}, {high:+.2f}]"


def truth(facts: Facts) -> list[Claim]:
    """Reliable means closer than a constant, and off by less than half a trick on average."""
    two = facts["accuracy"]["Algorithm 2"]
    qualified = facts["qualified"]["Algorithm 2"]
    better = two["less to"] < 0
    centred = max(abs(two["bias from"]), abs(two["bias to"])) < 0.5
    promised = sum(r["declarers"] for r in facts["calibration"] if r["% that make it"] is not None)
    kept = sum(
        r["declarers"] * r["% that make it"] / 100
        for r in facts["calibration"]
        if r["% that make it"] is not None
    )
    claim = replace(
        RELIABLE,
        verdict=_when(better and centred),
        evidence=f"Algorithm 2 against double-dummy tricks: bias {two['bias']:+.2f} "
        f"[{two['bias from']:+.2f}, {two['bias to']:+.2f}], absolute error "
        f"{two['absolute error']:.2f}, which is {two[_LESS]:+.2f} "
        f"[{two['less from']:+.2f}, {two['less to']:+.2f}] compared with always naming the median; "
        f"correlation {two['correlation']:.2f}; T tricks make on {100 * kept / promised:.0f}% of "
        f"the deals that promise T, and {qualified['% of rejected that make']:.0f}% of the pairs "
        "that it rejects make 7",
    )
    return [claim]
