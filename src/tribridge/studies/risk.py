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

import zipfile
from collections.abc import Mapping
from importlib import resources
from io import BytesIO
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import stats
from tribridge.advice.prospects import WORST
from tribridge.errors import FormatError, first_line
from tribridge.strategies.versions import (
    Version,
    caller_version,
    dumps_versions,
    list_versions,
    loads_versions,
)
from tribridge.studies import claims_conclusion
from tribridge.studies.auctions import (
    SETTLED,
    Contracts,
    LabelledDeals,
    gains,
    labelled_deals,
    one_against_two,
)
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.tables import Cell, Study, StudyTable, check_sample

OPPONENTS: Final = "points"
CAUTIONS: Final = (0.0, 0.25, 0.5, 1.0)
MARGINS: Final = (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
SLOW: Final = tuple(f"forecast:caution={caution:g}" for caution in CAUTIONS)
FAST: Final = ("pass", "capture", *(f"points:margin={margin:g}" for margin in MARGINS), "learned")
MATCH: Final = 24
"""Deals of a match, for the drawdown."""
RESAMPLES: Final = 400
_BID_BY: Final = "bid by"

F64 = NDArray[np.float64]


def load_contracts(file: IO[bytes], name: str) -> tuple[dict[str, Contracts], tuple[Version, ...]]:
    """Contracts by caller, and who bid them, from a NumPy file; anything else is refused."""
    try:
        with np.load(file, allow_pickle=False) as arrays:
            contracts = {caller: arrays[caller] for caller in arrays.files if caller != _BID_BY}
            assert all(one.ndim == 2 and one.shape[1] == 3 for one in contracts.values())
            versions = loads_versions(str(arrays[_BID_BY]))
    except (
        ValueError, TypeError, KeyError, AssertionError, EOFError, OSError, zipfile.BadZipFile
    ) as error:  # fmt: skip
        raise FormatError(f"{name}: not contracts of callers: {first_line(error)}") from None
    return contracts, versions


def dumps_contracts(contracts: Mapping[str, Contracts]) -> bytes:
    """Contracts by caller, bid by the callers as they are now, as a file."""
    buffer = BytesIO()
    bid_by = np.array(dumps_versions(map(caller_version, (*contracts, OPPONENTS))))
    np.savez_compressed(buffer, **{**contracts, _BID_BY: bid_by})  # type: ignore[arg-type]
    return buffer.getvalue()


def shipped_contracts() -> tuple[dict[str, Contracts], tuple[Version, ...]]:
    """The contracts that come with the package."""
    with resources.files("tribridge.studies").joinpath("risk_contracts.npz").open("rb") as file:
        return load_contracts(file, "risk_contracts.npz")


def caller_points(deals: LabelledDeals, by: str, contracts: Mapping[str, Contracts]) -> F64:
    """The points of each caller on each deal: (callers, deals)."""
    seats = np.arange(len(deals)) % 3
    return np.array([gains(deals, seats, one[: len(deals)], by) for one in contracts.values()])


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
    return np.array([measures(one[drawn]) for one in points])


def efficient(means: F64, worst: F64) -> NDArray[np.bool_]:
    """Which callers are not dominated: as good in both measures, and better in one."""
    first, second = (x[None] - x[:, None] for x in (means, worst))
    return np.asarray(~((first >= 0) & (second >= 0) & ((first > 0) | (second > 0))).any(1))


def study(seed: int, deals: int) -> Study:
    """Expected points and risk of callers of different caution."""
    check_sample("risk", deals, 2 * MATCH)
    before, bid_by = shipped_contracts()
    dealt = labelled_deals(min(deals, *(len(one) for one in before.values())))
    contracts = {**before, **{name: one_against_two(dealt, name, OPPONENTS)[1] for name in FAST}}
    names = list(contracts)
    rows: list[tuple[Cell, ...]] = []
    facts: dict[str, Any] = {"deals": len(dealt)}
    for by in SETTLED:
        points = caller_points(dealt, by, contracts)
        # Drawdown depends on the order of the deals: the estimate is the mean over many orders.
        order = np.random.default_rng([seed, 1]).permuted(
            np.tile(np.arange(len(dealt)), (RESAMPLES, 1)), axis=1
        )
        exact = np.array([measures(one[order]).mean(0) for one in points])
        drawn = resampled(points, seed)
        low, high = np.percentile(drawn, [2.5, 97.5], axis=1)
        best = efficient(exact[:, 0], exact[:, 2])
        often = 100 * efficient(drawn[..., 0], drawn[..., 2]).mean(1)
        for at, name in enumerate(names):
            spans = [(float(exact[at, m]), float(low[at, m]), float(high[at, m])) for m in range(4)]
            rows.append(
                (name, by, *(x for span in spans for x in span), "yes" if best[at] else "no",
                 float(often[at]))
            )  # fmt: skip
        facts[by] = {
            "points": {n: float(exact[at, 0]) for at, n in enumerate(names)},
            "worst": {n: float(exact[at, 2]) for at, n in enumerate(names)},
            "efficient": [n for at, n in enumerate(names) if best[at]],
            "caution": {
                step: _change(exact, drawn, names.index(first), names.index(last))
                for step, (first, last) in _STEPS.items()
            },
            "over capture": _over(exact, drawn, names, names.index("capture")),
            "tail": max(1, round(WORST * len(dealt))),
        }
    changes = [
        (step, by, *(x for unit in _UNITS for x in facts[by]["caution"][step][unit]))
        for by in SETTLED
        for step in _STEPS
    ]
    note = (
        f"{len(dealt):,} labelled deals of seed {dealt.seed}, each caller against two `{OPPONENTS}`"
        ", the same deals for all; 95% intervals from resampling deals."
    )
    tables = (
        StudyTable(
            "risk-callers",
            "Expected points and risk of the callers",
            ("caller", "settled by",
             *(f"{unit}{end}" for unit in _UNITS for end in ("", " from", " to")),
             "efficient", "% of resamples efficient"),
            tuple(rows),
            f"{note} Points per deal over the average opponent. Worst 5%: the mean of the worst "
            f"5% of deals. Drawdown: the largest fall of the running total in a match of {MATCH} "
            "deals, on average. The contracts of `forecast` were bid beforehand by `python "
            f"benchmarks/risk_contracts.py`: {list_versions(bid_by)}.",
        ),
        StudyTable(
            "risk-caution",
            "What caution changes",
            ("compared", "settled by",
             *(f"{unit}{end}" for unit in _UNITS for end in ("", " from", " to"))),
            tuple(changes),
            f"{note} The more cautious caller less the other.",
        ),
        StudyTable(
            "risk-paper",
            "Who is better than the paper's bidder in both, expected points and the worst 5%",
            ("caller", "settled by", *(f"{unit}{end}" for unit in _BOTH for end in
                                       ("", " from", " to")), "p (Holm)"),
            tuple(
                (name, by, *(x for unit in _BOTH for x in change[unit]), change["p"])
                for by in SETTLED
                for name, change in facts[by]["over capture"].items()
            ),
            f"{note} The caller less the paper's bidder. p: how often the caller is not ahead in "
            "both in a resample, with Holm's correction over the callers.",
        ),
    )  # fmt: skip
    return STUDY.result(tables, facts=facts)


_UNITS: Final = ("points", "sd", "worst 5%", "drawdown")
_BOTH: Final = ("points", "worst 5%")
_STEPS: Final = {
    "forecast, caution 0 to 1": (SLOW[0], SLOW[-1]),
    "points, margin 0 to 2": ("points:margin=0", "points:margin=2"),
}


def _change(exact: F64, drawn: F64, first: int, last: int) -> dict[str, tuple[float, float, float]]:
    """What changes from one caller to another, with intervals over deals."""
    gap, gaps = exact[last] - exact[first], drawn[last] - drawn[first]
    low, high = np.percentile(gaps, [2.5, 97.5], axis=0)
    return {
        unit: (float(gap[at]), float(low[at]), float(high[at])) for at, unit in enumerate(_UNITS)
    }


def _over(exact: F64, drawn: F64, names: list[str], paper: int) -> dict[str, dict[str, Any]]:
    """What each other caller is ahead of the paper's bidder, with p for both measures at once."""
    others = [at for at in range(len(names)) if at != paper]
    both = [_UNITS.index(unit) for unit in _BOTH]
    ahead = (drawn[others] - drawn[[paper]])[..., both].min(2) > 0
    missed = (~ahead).sum(1)
    corrected = stats.holm([float(1 + count) / (1 + drawn.shape[1]) for count in missed])
    return {
        names[at]: {**_change(exact, drawn, paper, at), "p": p}
        for at, p in zip(others, corrected, strict=True)
    }


STUDY: Final = Declaration(
    name="risk",
    title="Decisions under risk",
    paper=600,
    quick=200,
    run=lambda deals, seed, runner: study(seed, deals),
    steps=lambda deals: 1,
    describe=lambda deals: {"deals of decisions under risk": deals},
    with_deals=int,
    figures=(
        Figure(
            "risk",
            "The efficient frontier of the callers",
            "Expected points against the mean of the worst 5% of deals (left) and against the "
            "standard deviation (right), with 95% intervals. Callers on the line are efficient: no "
            "other is as good in both and better in one. Passing always avoids the "
            "losses of a declarer, not those of a defender.",
            "risk-callers",
        ),
    ),
    claims=claims_conclusion.risk,
)
