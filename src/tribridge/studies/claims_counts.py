"""Claims about the two algorithms that counting and simulating them settles."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from tribridge.studies.claims import (
    ALPHA,
    Claim,
    Facts,
    Threshold,
    by_reading,
    p_text,
    percent,
    under_readings,
    verdict_if,
)
from tribridge.studies.tables import FAR

_RESULTS: Final = "Results"
_SECOND: Final = "Second hand"
_RUNS: Final = "Three runs"
_EVERY: Final = "holds if so under every reading, fails if under none"


def conditions(facts: Facts) -> list[Claim]:
    """What the paper says about conditions and captures."""
    largest = facts["largest captures"]
    low, low_all = facts["6 or less of qualifying"], facts["6 or less of all"]
    middle = facts["8 to 11 of qualifying"]
    peak, peak_all = facts["9 or 10 of qualifying"], facts["9 or 10 of all"]
    spread = facts["published spread of runs"]
    alike, resolved = facts["published runs alike, p"], facts["check of 13 or more of qualifying"]
    peaks = Threshold(
        "percentage points of qualifying deals; a fifth of it of all deals",
        0.5,
        lambda limit: verdict_if(
            abs(100 * float(peak_all) - 18.3) < limit / 5 and abs(100 * float(peak) - 65.6) < limit
        ),
    )
    skewed = Threshold(
        "skewness",
        0.5,
        lambda limit: verdict_if(facts["unimodal"] and abs(facts["skewness"]) < limit),
    )
    shares = {"A fails": 14.53, "B fails": 57.57, "both hold": 27.90}
    close = Threshold(
        "percentage points",
        0.05,
        lambda limit: verdict_if(
            all(abs(100 * float(facts[name]) - share) < limit for name, share in shares.items())
        ),
    )
    return [
        Claim(
            _RESULTS,
            "No deal captures more than 13",
            "no pair of hands at all captures more than 13",
            verdict_if(largest <= 13),
            f"exact: the most captures of any pair of hands is {largest}",
        ),
        Claim(
            _RESULTS,
            "The stop test at a check value of 13 is what bounds the captures",
            "it follows from the steps of the algorithm",
            verdict_if(True),
            "each capture raises the check value by one at least, from 4 captures on, and none is "
            "made once it has reached 13",
        ),
        Claim(
            _RESULTS,
            "Captures peak at 9 and 10 in every run",
            "9 and 10 are the two most frequent numbers of captures",
            verdict_if(facts["modes"] == (9, 10)),
            f"exact: the two most frequent are {facts['modes'][0]} and {facts['modes'][1]}",
        ),
        Claim(
            _RESULTS,
            "9 and 10 together are about 18.3% of all and 65.6% of qualifying deals",
            "the exact shares differ by less than 0.1 and 0.5 percentage points",
            peaks.verdict,
            f"exact: {percent(peak_all)} of all, {percent(peak)} of qualifying",
            threshold=peaks,
        ),
        Claim(
            _RESULTS,
            "The distribution has one peak and is nearly symmetric",
            "the exact counts rise, then fall, and the skewness is below 0.5 in size",
            skewed.verdict,
            f"exact: {'one peak' if facts['unimodal'] else 'more than one peak'}, "
            f"skewness {facts['skewness']:.3f}",
            threshold=skewed,
        ),
        Claim(
            _RESULTS,
            "6 or fewer captures are rarer than 0.19% of qualifying deals",
            "the exact share of the qualifying deals is below 0.19%",
            verdict_if(low < Fraction(19, 10000)),
            f"exact: {percent(low)} of qualifying deals; {percent(low_all)} is the share of all "
            "deals",
        ),
        Claim(
            _RESULTS,
            "Condition A fails in 14.53%, only B in 57.57%, neither in 27.90% of deals",
            "the exact shares differ by less than 0.05 percentage points",
            close.verdict,
            f"exact: {percent(facts['A fails'])}, {percent(facts['B fails'])}, "
            f"{percent(facts['both hold'])}",
            threshold=close,
        ),
        Claim(
            _RESULTS,
            "No two runs differ by more than 0.1 percentage points in the conditions",
            "it is true of the published counts",
            verdict_if(spread < 0.1),
            f"largest difference of the published runs: {spread:.4f} points; by chance alone, "
            f"{percent(facts['chance of a wider spread'], 0)} of sets of three runs of a million "
            "lie wider than 0.1 points",
        ),
        Claim(
            _RESULTS,
            "The distribution is stable and does not depend on the random seed",
            "the published runs differ no more than by chance (chi-square tests of homogeneity of "
            "the captures and of the conditions, p of at least 0.05 after Holm's correction)",
            verdict_if(min(alike.values()) >= ALPHA),
            "p (Holm): " + ", ".join(f"{name} {p:.3f}" for name, p in alike.items()),
        ),
        Claim(
            "Discussion",
            "Condition B is the more frequent reason for a deal to fail",
            "the exact share of deals that fail B alone exceeds the share that fail A",
            verdict_if(facts["B fails"] > facts["A fails"]),
            f"exact: {percent(facts['B fails'])} and {percent(facts['A fails'])}",
        ),
        Claim(
            "Discussion",
            "Fewer than one deal in three satisfies both conditions",
            "the exact share is below one third",
            verdict_if(facts["both hold"] < Fraction(1, 3)),
            f"exact: {percent(facts['both hold'])}",
        ),
        Claim(
            "Discussion",
            "8 to 11 captures are over 93% of qualifying deals",
            "the exact share is above 93%",
            verdict_if(middle > Fraction(93, 100)),
            f"exact: {percent(middle)}",
        ),
        Claim(
            _RUNS,
            "The capture algorithm accounts for all thirteen tricks",
            "it ends with a check value (captures and missing cards paid for) of 13 or more for "
            "every qualifying pair of hands",
            verdict_if(resolved == 1),
            f"exact: it does for {percent(resolved, 1)} of the qualifying pairs; for the others it "
            "stops with tricks that neither side is given",
        ),
    ]


def second_hand(facts: Facts) -> list[Claim]:
    """What the paper says about the second hand."""
    rejected, fits = facts["rejected of qualified"], facts["published proportions"]
    distances = facts["published counts, farthest z"]
    near = Threshold(
        "standard errors",
        FAR,
        lambda limit: under_readings({name: abs(z) <= limit for name, z in distances.items()}),
    )
    rates = facts["success by result"]
    shown = ", ".join(f"{percent(1 - rates[level], 1)} at {level}" for level in (7, 8, 9, 10))
    return [
        Claim(
            _SECOND,
            "25 to 28% of the hands that pass Algorithm 1 are rejected for the second hand",
            f"the exact share lies in that range; {_EVERY}",
            under_readings(
                {
                    name: Fraction(25, 100) <= share <= Fraction(28, 100)
                    for name, share in rejected.items()
                }
            ),
            "exact, of all with a result of 7 or more, in %: "
            + by_reading({name: 100 * float(share) for name, share in rejected.items()})
            + f"; natural, and fewer the better the result: {shown}",
        ),
        Claim(
            _SECOND,
            "A hand that passes Algorithm 1 is failed by the second hand alone",
            f"no pair of hands fails for another reason; {_EVERY}",
            under_readings(facts["only the second hand fails"]),
            "natural: no pair fails otherwise (exact), since a dummy can only lower a leading gap; "
            "non-strict: a hand with as many cards as its gap fails Condition B of Algorithm 2 "
            "itself if the dummy closes nothing of the gap",
        ),
        Claim(
            _SECOND,
            "Counts of the published table (893, 544, 228, 93)",
            f"they are within {FAR:g} standard errors of what 100,000 deals give; {_EVERY}",
            near.verdict,
            "standard errors off, at most: "
            f"{by_reading(distances, '{:.0f}')}. The proportions between the four counts against "
            "the exact ones: "
            + "; ".join(
                f"{name} chi-square {test.statistic:.0f} on {test.df} degrees of freedom, "
                f"{p_text(test.p)}"
                for name, test in fits.items()
            )
            + (
                ". The counts fit no sample size"
                if all(test.p < ALPHA for test in fits.values())
                else ""
            ),
            threshold=near,
        ),
    ]


def hands(facts: Facts) -> list[Claim]:
    """What the paper says about seeing the dummy."""
    return [
        Claim(
            "Single and combined hand",
            "Seeing the dummy shifts the estimate upward",
            "the mean rises over the pairs for which both algorithms give captures",
            verdict_if(facts["mean shift"] > 0),
            f"{'exact' if facts['exact'] else 'sampled'}: where both qualify, the mean rises by "
            f"{float(facts['mean shift']):.3f} "
            f"captures; over the hands that qualify with each, the means are "
            f"{float(facts['mean 1']):.3f} and {float(facts['mean 2']):.3f}",
        )
    ]


def headline(facts: Facts) -> list[Claim]:
    """What the paper says about its three runs."""
    distances = facts["published, z"]
    bidder = {name: 100 * share for name, share in facts["share with a bidder"].items()}
    both = {name: 100 * share for name, share in facts["share both eligible"].items()}
    weak = facts["losses with a weak dummy"]
    old, new = facts["published ranking old"], facts["published ranking new"]

    def figure(text: str, line: str, ours: str) -> Claim:
        near = Threshold(
            "standard errors",
            FAR,
            lambda limit: under_readings({r: abs(z) <= limit for r, z in distances[line].items()}),
        )
        return Claim(
            _RUNS,
            text,
            f"the published mean is within {FAR:g} standard errors of ours; {_EVERY}",
            near.verdict,
            f"ours by reading, in %: {ours}; standard errors: "
            f"{by_reading(distances[line], '{:+.1f}')}",
            threshold=near,
        )

    return [
        figure("About 10.3% of deals have a bidder", "deals with a bidder", by_reading(bidder)),
        figure("About two contracts in three are made", "win rate", by_reading(facts["win rate"])),
        figure(
            "Where bidder and dummy are both eligible, 93.4 to 93.8% are made",
            "win rate when both eligible",
            by_reading(facts["win rate when both eligible"]),
        ),
        figure(
            "Bidder and dummy are both eligible in about 0.1% of deals",
            "both eligible",
            by_reading(both, "{:.3f}"),
        ),
        Claim(
            _RUNS,
            "At least 99.8% of lost contracts have a dummy that is not eligible",
            f"our share is that large; {_EVERY}",
            under_readings({name: value >= 99.8 for name, value in weak.items()}),
            f"ours by reading, in %: {by_reading(weak)}",
        ),
        Claim(
            _RUNS,
            "The overall win rates of the runs lie within two tenths of a point",
            "it is true of the published rates",
            verdict_if(facts["published spread of win rate"] < 0.2),
            f"published: {facts['published spread of win rate']:.2f} points",
        ),
        Claim(
            _RUNS,
            "The win rates with both eligible lie within 0.4 points",
            "it is true of the published rates",
            verdict_if(facts["published spread of both-eligible win rate"] < 0.4),
            f"published: {facts['published spread of both-eligible win rate']:.2f} points",
        ),
        Claim(
            _RUNS,
            "The runs agree so closely that further runs would land in the same range",
            "the published runs differ no more than by chance (chi-square tests of homogeneity, "
            "p of at least 0.05 after Holm's correction over the tests of the headline table)",
            verdict_if(min(facts["published runs alike, p"].values()) >= ALPHA),
            "p (Holm): "
            + ", ".join(f"{name} {p:.3f}" for name, p in facts["published runs alike, p"].items())
            + ". With ten million deals chance alone moves the share of contracts made by about "
            "0.05 points a run",
        ),
        Claim(
            _RUNS,
            "The order of the runs by points is not quite the same under the two schemes",
            "the published totals rank the runs differently",
            verdict_if(old != new),
            f"the published totals rank the runs {_order(old)} under the old scheme and "
            f"{_order(new)} under the new one",
        ),
        Claim(
            _RUNS,
            "The new scheme pays more than five times as much",
            f"ours does too, with our reading of the schemes; {_EVERY} of Algorithm 1",
            under_readings({name: r > 5 for name, r in facts["our ratio of schemes"].items()}),
            f"published ratio {facts['published ratio of schemes']:.2f}; with our reading of the "
            f"schemes: {by_reading(facts['our ratio of schemes'])}",
        ),
    ]


def _order(ranking: tuple[int, ...]) -> str:
    return " > ".join(str(run) for run in ranking)
