"""Study 7: how good the closed form is, compared with double-dummy results.

The paper compares its estimates with no truth. Here the truth is the double-dummy tricks in
notrump of labelled deals, each of the three players declaring with the hidden hand as dummy.
Algorithm 1 sees the declarer's hand, Algorithm 2 the dummy too. The three declarers of a deal share
its cards, so every interval is drawn over deals, not over declarers.

The alternatives, forecasts of the same tricks from the same cards (`tribridge.forecast`), are
measured on the declarers for whom an algorithm makes a prediction, and on all declarers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import stats
from tribridge.capture import NATURAL, REPORTED
from tribridge.capture.simulation import arrays
from tribridge.capture.simulation.tables import B_FAILS, OUTCOMES
from tribridge.cards import Strain
from tribridge.double_dummy.labels import Labels, shipped
from tribridge.errors import SettingError
from tribridge.forecast.distribution import at_least, means
from tribridge.forecast.kinds import SOLVED
from tribridge.studies import claims_truth
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.forecasts import CALIBRATION, Forecasts, calibration, forecasts_on
from tribridge.studies.tables import Cell, Study, StudyTable, check_sample

QUICK: Final = 600
"""Labelled deals of a quick study."""
WIN: Final = 7
"""Tricks that the lowest contract needs."""

STEPS: Final = 4
"""The total progress the study reports."""

_ACCURACY: Final = (
    "estimate", "declarers", "mean estimate", "mean tricks", "bias", "bias from", "bias to",
    "absolute error", "error from", "error to", "error less constant's", "less from", "less to",
    "correlation", "correlation from", "correlation to",
)  # fmt: skip
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The result of one algorithm for each deal and declarer: captures, or a failure code."""

    name: str
    codes: Numbers

    @property
    def held(self) -> NDArray[np.bool_]:
        return np.asarray(self.codes > B_FAILS)


def labelled(deals: int | None = None) -> Labels:
    """The labels in the package, or the first `deals` of them."""
    labels = shipped()
    if deals is not None:
        check_sample("truth or strains", deals, 100)
    if deals is not None and deals > len(labels):
        raise SettingError(
            f"the package has only {len(labels)} labelled deals, not {deals}: "
            "tribridge label makes more"
        )
    return labels if deals is None else labels.first(deals)


def estimates(labels: Labels) -> dict[str, Verdicts]:
    """Algorithm 1 under each reading, and Algorithm 2, on labelled deals."""
    flat, dummies, _ = labels.pairs()
    shape = labels.seats.shape

    result = {}
    for name, reading in REPORTED.items():
        title = "Algorithm 1" if reading is NATURAL else f"Algorithm 1, {name}"
        result[title] = Verdicts(title, arrays.single(flat, reading).verdict.reshape(shape))
    both = arrays.pair(flat, dummies).verdict.reshape(shape)
    result["Algorithm 2"] = Verdicts("Algorithm 2", both)
    return result


def study(
    seed: int = 1,
    deals: int | None = None,
    progress: Callable[[int], None] = lambda n: None,
    labels: Labels | None = None,
    kinds: Sequence[str] = SOLVED,
) -> Study:
    """Compare both algorithms, and the alternatives, with double-dummy tricks in notrump."""
    labels = labelled(deals) if labels is None else labels
    tricks = labels.of(Strain.NOTRUMP).astype(np.int64)
    by_algorithm = estimates(labels)
    accuracy = list(_accuracy(by_algorithm, tricks, seed))
    progress(1)
    said = [
        row
        for name in ("Algorithm 1", "Algorithm 2")
        for row in _calibration(by_algorithm[name], tricks)
    ]
    progress(1)
    others = forecasts_on(labels, kinds)
    qualified = list(_qualified(by_algorithm, others, tricks))
    progress(1)
    alternatives = tuple(_alternatives(by_algorithm, others, tricks, seed))
    chances = tuple(row for row in calibration(labels, others) if row[2] == "notrump")
    progress(1)
    note = f"{labels.title}; 95% intervals from resampling deals."
    tables = (
        StudyTable(
            "truth-accuracy",
            "Captures and double-dummy tricks, where both conditions hold",
            _ACCURACY,
            tuple(accuracy),
            f"{note} The constant is the median of the tricks of the same declarers; "
            "'less its bias' takes the mean bias off each estimate.",
        ),
        StudyTable(
            "truth-calibration",
            "Double-dummy tricks by prediction",
            ("estimate", "says", "declarers", "mean tricks", "% that make it", "make it from",
             "make it to", "% that make 7", "make 7 from", "make 7 to"),
            tuple(said),
            f"{note} Wilson's intervals with the design effect of deals.",
        ),
        StudyTable(
            "truth-qualified",
            "'Qualified' against 'makes 7 tricks'",
            ("estimate", "qualified and makes", "qualified and fails", "rejected and makes",
             "rejected and fails", "% right", "right from", "right to", "% of qualified that make",
             "of qualified from", "of qualified to", "% of rejected that make",
             "of rejected from", "of rejected to", "% of makers that qualify", "phi"),
            tuple(qualified),
            "Qualified: both conditions hold and 7 captures or more; of a forecast: 7 tricks are "
            "as likely as not.",
        ),
        StudyTable(
            "truth-alternatives",
            "The alternatives, on the same declarers and on all",
            ("declarers of whom", *_ACCURACY),
            alternatives,
            f"{note} A forecast's estimate is its mean.",
        ),
        StudyTable(
            "truth-chances",
            "The alternatives' chances of making each level in notrump, in ten bins",
            CALIBRATION,
            chances,
            f"{note} Levels 1 to 7 of every declarer; Wilson's intervals with the design effect.",
        ),
    )  # fmt: skip
    return STUDY.result(tables, facts=_facts(tables, labels))


def _by_deal(values: NDArray[Any], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Sums over the chosen declarers of each deal."""
    return np.asarray(np.where(chosen, values, 0.0).sum(axis=1))


def _accuracy(
    by_algorithm: dict[str, Verdicts], tricks: Numbers, seed: int
) -> Iterator[tuple[Cell, ...]]:
    for estimate in by_algorithm.values():
        chosen = estimate.held
        said = estimate.codes.astype(float)
        yield _accuracy_row(estimate.name, said, tricks, chosen, seed)
        if estimate.name in ("Algorithm 1", "Algorithm 2"):
            bias = float((said - tricks)[chosen].mean())
            yield _accuracy_row(f"{estimate.name} less its bias", said - bias, tricks, chosen, seed)
            constant = float(np.median(tricks[chosen]))
            name = f"the constant {constant:g} there"
            yield _accuracy_row(name, np.full_like(said, constant), tricks, chosen, seed)


def _accuracy_row(
    name: str, said: NDArray[np.float64], tricks: Numbers, chosen: NDArray[np.bool_], seed: int
) -> tuple[Cell, ...]:
    count = chosen.sum(axis=1).astype(float)
    error = said - tricks
    constant = np.median(tricks[chosen])
    excess = np.abs(error) - np.abs(constant - tricks)
    bias = stats.bootstrap(np.column_stack([_by_deal(error, chosen), count]), stats.ratio, seed)
    size = stats.bootstrap(
        np.column_stack([_by_deal(np.abs(error), chosen), count]), stats.ratio, seed
    )
    less = stats.bootstrap(np.column_stack([_by_deal(excess, chosen), count]), stats.ratio, seed)
    varies = bool(np.ptp(said[chosen]) > 0)
    related = (
        stats.bootstrap(
            np.column_stack(
                [
                    *(
                        _by_deal(values, chosen)
                        for values in (said, tricks, said * tricks, said**2, tricks**2.0)
                    ),
                    count,
                ]
            ),
            _correlation,
            seed,
        )
        if varies
        else None
    )
    return (
        name,
        int(chosen.sum()),
        float(said[chosen].mean()),
        float(tricks[chosen].mean()),
        *(value for one in (bias, size, less) for value in (one.estimate, one.low, one.high)),
        *((related.estimate, related.low, related.high) if related else (None, None, None)),
    )


def _alternatives(
    by_algorithm: dict[str, Verdicts], others: Sequence[Forecasts], tricks: Numbers, seed: int
) -> Iterator[tuple[Cell, ...]]:
    """Each forecast where its algorithm (same cards) has an estimate, and on all declarers."""
    everybody = np.ones(tricks.shape, bool)
    for cards, name in ((13, "Algorithm 1"), (26, "Algorithm 2")):
        estimate = by_algorithm[name]
        domain = f"{name} says captures"
        yield (
            domain,
            *_accuracy_row(name, estimate.codes.astype(float), tricks, estimate.held, seed),
        )
        for where, chosen in ((domain, estimate.held), ("all", everybody)):
            for other in others:
                if other.cards == cards:
                    said = means(other.chances[:, :, Strain.NOTRUMP])
                    yield where, *_accuracy_row(other.name, said, tricks, chosen, seed)


def _correlation(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y, xy, xx, yy, n = sums.T
    return np.asarray((n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y)))


def _percent(hits: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> tuple[float, float, float]:
    proportion = stats.clustered_proportion((hits & chosen).sum(axis=1), chosen.sum(axis=1))
    return 100 * proportion.estimate, 100 * proportion.low, 100 * proportion.high


def _calibration(estimate: Verdicts, tricks: Numbers) -> Iterator[tuple[Cell, ...]]:
    for code in np.unique(estimate.codes).tolist():
        chosen = estimate.codes == code
        says = OUTCOMES[code].value if code in OUTCOMES else str(code)
        made = (None, None, None) if code <= B_FAILS else _percent(tricks >= code, chosen)
        yield (
            estimate.name,
            says,
            int(chosen.sum()),
            float(tricks[chosen].mean()),
            *made,
            *_percent(tricks >= WIN, chosen),
        )


def _qualified(
    by_algorithm: dict[str, Verdicts], others: Sequence[Forecasts], tricks: Numbers
) -> Iterator[tuple[Cell, ...]]:
    makes = tricks >= WIN
    answers = {name: one.codes >= WIN for name, one in by_algorithm.items()}
    for other in others:
        chance = at_least(other.chances[:, :, Strain.NOTRUMP])[..., WIN]
        answers[other.name] = chance >= 0.5
    answers["nobody qualifies"] = np.zeros_like(makes)
    for name, yes in answers.items():
        table = [int(np.sum(a & b)) for a in (yes, ~yes) for b in (makes, ~makes)]
        hit, miss, lost, right = table
        spread = float(
            np.sqrt(float((hit + miss) * (lost + right) * (hit + lost) * (miss + right)))
        )
        yield (
            name,
            *table,
            *_percent(yes == makes, np.ones_like(makes)),
            *(_percent(makes, yes) if yes.any() else (None, None, None)),
            *_percent(makes, ~yes),
            100 * hit / (hit + lost),
            (hit * right - miss * lost) / spread if spread else None,
        )


def _facts(tables: tuple[StudyTable, ...], labels: Labels) -> dict[str, object]:
    accuracy = {str(r["estimate"]): r for r in tables[0].records()}
    qualified = {str(r["estimate"]): r for r in tables[2].records()}
    return {
        "deals": len(labels),
        "accuracy": {name: accuracy[name] for name in ("Algorithm 1", "Algorithm 2")},
        "calibration": [r for r in tables[1].records() if r["estimate"] == "Algorithm 2"],
        "qualified": {name: qualified[name] for name in ("Algorithm 1", "Algorithm 2")},
        "nobody": qualified["nobody qualifies"],
    }


_PAPER: Final[int | None] = None

STUDY: Final = Declaration(
    name="truth",
    title="How good the closed form is",
    paper=_PAPER,
    quick=QUICK,
    run=lambda deals, seed, runner: study(seed, deals, runner.progress),
    steps=lambda deals: STEPS,
    describe=lambda deals: {"labelled deals": "all in the package" if deals is None else deals},
    with_deals=int,
    figures=(
        Figure(
            "truth",
            "Predictions and double-dummy tricks",
            "Left: how often a deal makes the tricks that it promises (solid) and seven tricks "
            "(dotted). Right: mean tricks by promise; a line below the dashes promises too much.",
            "truth-calibration",
        ),
        Figure(
            "truth-chances",
            "Forecast chances, and how often the contracts make",
            "How much more often contracts make than forecast, by forecast chance: a calibrated "
            "forecast stays on 0, and the band is two percentage points wide on either side.",
            "truth-chances",
        ),
    ),
    claims=claims_truth.truth,
    open_claims=(claims_truth.RELIABLE,),
)
