"""Decisions under risk: what caution costs and what it saves, caller by caller.

Every caller sits at the same tables, one against two that count points, on the same labelled deals,
whose tricks are known (`auctions`). Besides expected points, risk is measured as in finance:
variance, the mean of the worst 5% of deals, and the drawdown of a match, the largest fall of the
running total from its highest point.

A caller is efficient if no other is as good in expected points and in the worst 5%, and better in
one of them. Callers that take long (`SLOW`) bid beforehand; the package has their contracts
(`risk_contracts.npz`, written by `benchmarks/risk_contracts.py`), which are settled here with all
others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import IO, Annotated, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.advice.prospects import WORST
from tribridge.errors import FormatError
from tribridge.files import dumps_arrays, load_arrays
from tribridge.stats import Interval
from tribridge.strategies.versions import (
    Version,
    caller_version,
    dumps_versions,
    list_versions,
    loads_versions,
)
from tribridge.studies import drawing
from tribridge.studies.auctions import (
    PLAYED,
    SETTLED,
    Contracts,
    LabelledDeals,
    gains,
    labelled_deals,
    one_against_two,
)
from tribridge.studies.claims import ALPHA, FAILS, HOLDS, UNDECIDED, Claim, claim, p_text, signed
from tribridge.studies.study import Figure, Study, check_sample
from tribridge.studies.tables import StudyTable, corrected, table

OPPONENTS: Final = "points"
PAPER: Final = "capture"
"""The paper's bidder."""
CAUTIONS: Final = (0.0, 0.25, 0.5, 1.0)
MARGINS: Final = (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
SLOW: Final = tuple(f"forecast:caution={caution:g}" for caution in CAUTIONS)
FAST: Final = ("pass", "capture", *(f"points:margin={margin:g}" for margin in MARGINS), "learned")
MATCH: Final = 24
"""Deals of a match, for the drawdown."""
RESAMPLES: Final = 400
_BID_BY: Final = "bid by"

_STEPS: Final = {
    "forecast, caution 0 to 1": (SLOW[0], SLOW[-1]),
    "points, margin 0 to 2": ("points:margin=0", "points:margin=2"),
}
"""Pairs of callers that differ in caution."""

F64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Measures:
    """Expected points and risk, or what changes in them from one caller to another."""

    points: Interval
    sd: Interval
    worst: Annotated[Interval, "worst 5%", "worst 5% from", "worst 5% to"]
    drawdown: Interval


@dataclass(frozen=True, slots=True)
class Caller:
    """What a caller expects and risks."""

    caller: str
    settled_by: str
    measures: Measures
    efficient: bool
    often: Annotated[float, "% of resamples efficient"]


@dataclass(frozen=True, slots=True)
class Caution:
    """What changes from a caller to a more cautious one."""

    compared: str
    settled_by: str
    change: Measures


@dataclass(frozen=True, slots=True)
class OverPaper:
    """How far a caller is ahead of the paper's bidder in both measures at once."""

    caller: str
    settled_by: str
    points: Interval
    worst: Annotated[Interval, "worst 5%", "worst 5% from", "worst 5% to"]
    p: Annotated[float, None]
    holm: Annotated[float, "p (Holm)"] = 1.0


@dataclass(frozen=True, slots=True)
class Result:
    """Expected points and risk of callers of different caution."""

    source: str
    """The deals, in words."""
    bid_by: str
    """The versions of the callers that bid beforehand."""
    tail: int
    """Deals among the worst 5%."""
    callers: tuple[Caller, ...]
    cautions: tuple[Caution, ...]
    over_paper: tuple[OverPaper, ...]

    @property
    def played(self) -> list[Caller]:
        """The callers, settled as played."""
        return [caller for caller in self.callers if caller.settled_by == PLAYED]

    @property
    def ahead(self) -> list[OverPaper]:
        """The other callers beside the paper's bidder, settled as played."""
        return [other for other in self.over_paper if other.settled_by == PLAYED]

    @property
    def full_caution(self) -> Measures:
        """What full caution changes, settled as played."""
        return next(caution.change for caution in self.cautions if caution.settled_by == PLAYED)


def load_contracts(file: IO[bytes], name: str) -> tuple[dict[str, Contracts], tuple[Version, ...]]:
    """Contracts by caller, and who bid them, from a NumPy file; anything else is refused."""
    refusal = f"{name}: not contracts of callers"
    contracts = load_arrays(file, refusal)
    bid_by = str(contracts.pop(_BID_BY, ""))
    if not bid_by or any(bids.shape[1:] != (3,) for bids in contracts.values()):
        raise FormatError(refusal)
    return contracts, loads_versions(bid_by)


def dumps_contracts(contracts: Mapping[str, Contracts]) -> bytes:
    """Contracts by caller, bid by the callers as they are now, as a file."""
    bid_by = np.array(dumps_versions(map(caller_version, (*contracts, OPPONENTS))))
    return dumps_arrays({**contracts, _BID_BY: bid_by})


def shipped_contracts() -> tuple[dict[str, Contracts], tuple[Version, ...]]:
    """The contracts that come with the package."""
    with resources.files("tribridge.studies").joinpath("risk_contracts.npz").open("rb") as file:
        return load_contracts(file, "risk_contracts.npz")


def caller_points(deals: LabelledDeals, by: str, contracts: Mapping[str, Contracts]) -> F64:
    """The points of each caller on each deal: (callers, deals)."""
    seats = np.arange(len(deals)) % 3
    return np.array([gains(deals, seats, bids[: len(deals)], by) for bids in contracts.values()])


def measures(points: F64) -> F64:
    """Mean, standard deviation, mean of the worst 5% and mean drawdown of rows of deals: (n, 4).

    The deals of a row are cut into matches in the order they have.
    """
    worst = max(1, round(WORST * points.shape[1]))
    length = min(MATCH, points.shape[1])
    matches = points[:, : points.shape[1] // length * length].reshape(len(points), -1, length)
    totals = np.concatenate([np.zeros((*matches.shape[:2], 1)), matches.cumsum(2)], 2)
    falls = (np.maximum.accumulate(totals, 2) - totals).max(2)
    return np.stack(
        [
            points.mean(1),
            points.std(1, ddof=1),
            np.partition(points, worst - 1, 1)[:, :worst].mean(1),
            falls.mean(1),
        ],
        1,
    )


def resampled(points: F64, seed: int, resamples: int = RESAMPLES) -> F64:
    """The measures on resamples of the deals, the same for all callers: (callers, resamples, 4)."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, points.shape[1], (resamples, points.shape[1]))
    return np.array([measures(row[drawn]) for row in points])


def efficient(means: F64, worst: F64) -> NDArray[np.bool_]:
    """Which callers are not dominated: as good in both measures, and better in one."""
    first, second = (x[None] - x[:, None] for x in (means, worst))
    return np.asarray(~((first >= 0) & (second >= 0) & ((first > 0) | (second > 0))).any(1))


def run(seed: int, deals: int) -> Result:
    """Expected points and risk of callers of different caution."""
    check_sample("risk", deals, 2 * MATCH)
    before, bid_by = shipped_contracts()
    dealt = labelled_deals(min(deals, *(len(bids) for bids in before.values())))
    contracts = {**before, **{name: one_against_two(dealt, name, OPPONENTS)[1] for name in FAST}}
    names = list(contracts)
    callers: list[Caller] = []
    cautions: list[Caution] = []
    over_paper: list[OverPaper] = []
    for by in SETTLED:
        points = caller_points(dealt, by, contracts)
        # Drawdown depends on the order of the deals: the estimate is the mean over many orders.
        order = np.random.default_rng([seed, 1]).permuted(
            np.tile(np.arange(len(dealt)), (RESAMPLES, 1)), axis=1
        )
        exact = np.array([measures(row[order]).mean(0) for row in points])
        drawn = resampled(points, seed)
        best = efficient(exact[:, 0], exact[:, 2])
        often = 100 * efficient(drawn[..., 0], drawn[..., 2]).mean(1)
        for at, name in enumerate(names):
            spans = _spans(exact[at], drawn[at])
            callers.append(Caller(name, by, spans, bool(best[at]), float(often[at])))
        for step, (first, last) in _STEPS.items():
            cautions.append(Caution(step, by, _change(exact, drawn, names, first, last)))
        over_paper += corrected(_over(exact, drawn, names, by))
    return Result(
        f"{len(dealt):,} labelled deals of seed {dealt.seed}, each caller against two "
        f"`{OPPONENTS}`, the same deals for all; 95% intervals from resampling deals.",
        list_versions(bid_by),
        max(1, round(WORST * len(dealt))),
        tuple(callers),
        tuple(cautions),
        tuple(over_paper),
    )


def _spans(exact: F64, drawn: F64) -> Measures:
    """Estimates with intervals over resamples: (4,) and (resamples, 4)."""
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    ends = zip(exact.tolist(), low.tolist(), high.tolist(), strict=True)
    return Measures(*(Interval(*three) for three in ends))


def _change(exact: F64, drawn: F64, names: list[str], first: str, last: str) -> Measures:
    """What changes from one caller to another, with intervals over deals."""
    one, other = names.index(first), names.index(last)
    return _spans(exact[other] - exact[one], drawn[other] - drawn[one])


def _over(exact: F64, drawn: F64, names: list[str], by: str) -> Iterator[OverPaper]:
    """What each other caller is ahead of the paper's bidder, with p for both measures at once."""
    ahead = (drawn - drawn[[names.index(PAPER)]])[..., [0, 2]].min(2) > 0
    for name, missed in zip(names, (~ahead).sum(1), strict=True):
        if name != PAPER:
            change = _change(exact, drawn, names, PAPER, name)
            p = float(1 + missed) / (1 + drawn.shape[1])
            yield OverPaper(name, by, change.points, change.worst, p)


def tables(result: Result) -> Iterator[StudyTable]:
    """The callers, what caution changes, and who is better than the paper's bidder."""
    yield table(
        "risk-callers",
        "Expected points and risk of the callers",
        result.callers,
        f"{result.source} Points per deal over the average opponent. Worst 5%: the mean of the "
        "worst 5% of deals. Drawdown: the largest fall of the running total in a match of "
        f"{MATCH} deals, on average. The contracts of `forecast` were bid beforehand by `python "
        f"benchmarks/risk_contracts.py`: {result.bid_by}.",
    )
    yield table(
        "risk-caution",
        "What caution changes",
        result.cautions,
        f"{result.source} The more cautious caller less the other.",
    )
    yield table(
        "risk-paper",
        "Who is better than the paper's bidder in both, expected points and the worst 5%",
        result.over_paper,
        f"{result.source} The caller less the paper's bidder. p: how often the caller is not ahead "
        "in both in a resample, with Holm's correction over the callers.",
    )


def claims(result: Result) -> list[Claim]:
    """The finance analogy, as questions that games answer."""
    better = [
        other for other in result.ahead if other.points.estimate > 0 and other.worst.estimate > 0
    ]
    sure = any(caller.holm < ALPHA for caller in better)
    shown = "no other caller is better in both"
    if better:
        best = min(better, key=lambda row: row.holm)
        shown = (
            f"{best.caller} has {signed(best.points, 1)} points a deal more and a worst 5% that "
            f"differs by {signed(best.worst, 1)}, ahead in both with {p_text(best.holm)} after "
            f"Holm's correction over the {len(result.ahead)} callers"
        )
    cost, saved = result.full_caution.points, result.full_caution.worst
    return [
        claim(
            "risk.efficient",
            FAILS if sure else UNDECIDED if better else HOLDS,
            f"as played, against two `points`, with a tail of {result.tail} deals: {shown}; on the "
            "frontier: " + ", ".join(caller.caller for caller in result.played if caller.efficient),
        ),
        claim(
            "risk.safety",
            HOLDS if saved.low > 0 and cost.high < 0 else FAILS if saved.high < 0 else UNDECIDED,
            f"caution 1 instead of 0: worst 5% {signed(saved, 1)}, expected points "
            f"{signed(cost, 1)} a deal",
        ),
    ]


_KINDS: Final = {
    "forecast": ("forecast, caution 0 to 1", drawing.ORANGE, "^"),
    "points": ("points, margin -1 to 3", drawing.BLUE, "s"),
    "capture": ("capture (the paper's)", drawing.RED, "v"),
    "learned": ("learned", drawing.GREEN, "P"),
    "pass": ("pass", drawing.GREY, "o"),
}
"""The kinds of callers: label, colour, marker."""
_LABELS: Final = {
    "forecast:caution=0": ("caution 0", (-8, 6), "right"),
    "forecast:caution=1": ("caution 1", (8, 3), "left"),
    "points:margin=-1": ("margin -1", (7, 5), "left"),
    "points:margin=3": ("margin 3", (-8, -11), "right"),
}
"""The ends of the range of settings: text, offset in points, alignment."""


def draw(result: Result) -> drawing.Drawing:
    """Expected points against the worst 5% and against the standard deviation."""
    figure, panels = drawing.new_figure(11.4, 4.8, 2, sharey=True)
    both = (
        (panels[0], [(caller, caller.measures.worst) for caller in result.played]),
        (panels[1], [(caller, caller.measures.sd) for caller in result.played]),
    )
    for axes, callers in both:
        for caller, across in callers:
            points = caller.measures.points
            _, colour, marker = _KINDS[caller.caller.split(":")[0]]
            axes.errorbar(
                [across.estimate],
                [points.estimate],
                xerr=drawing.error_bars([across]),
                yerr=drawing.error_bars([points]),
                fmt=marker,
                color=colour,
                ecolor=f"{colour}55",
                elinewidth=1,
                markersize=6,
            )
        axes.axhline(0, color=drawing.GREY, linewidth=0.8)
    best = sorted((caller.measures.worst.estimate, caller.measures.points.estimate)
                  for caller in result.played if caller.efficient)  # fmt: skip
    panels[0].plot(*zip(*best, strict=True), "-", color="black", linewidth=1, zorder=1)
    worst = "mean of the worst 5% of deals, points"
    drawing.name_axes(panels[0], "Expectation and the worst 5%", worst, "expected points per deal")
    drawing.name_axes(panels[1], "Expectation and spread", "standard deviation, points")
    for label, colour, marker in _KINDS.values():
        panels[1].plot([], [], marker, color=colour, label=label)
    panels[1].plot([], [], "-", color="black", label="efficient")
    drawing.legend_below(figure, panels[1])
    for caller in result.played:
        if caller.caller in _LABELS:
            text, shift, align = _LABELS[caller.caller]
            place = caller.measures.worst.estimate, caller.measures.points.estimate
            panels[0].annotate(text, place, shift, textcoords="offset points", ha=align, fontsize=8)
    return figure


STUDY: Final = Study(
    name="risk",
    title="Decisions under risk",
    order=130,
    paper=600,
    quick=200,
    run=lambda deals, seed, runner: run(seed, deals),
    describe=lambda deals: {"deals of decisions under risk": deals},
    with_deals=int,
    tables=tables,
    claims=claims,
    figures=(
        Figure(
            "risk",
            "The efficient frontier of the callers",
            "Expected points against the mean of the worst 5% of deals (left) and against the "
            "standard deviation (right), with 95% intervals. Callers on the line are efficient: no "
            "other is as good in both and better in one. Passing always avoids the "
            "losses of a declarer, not those of a defender.",
            "risk-callers",
            draw,
        ),
    ),
)
