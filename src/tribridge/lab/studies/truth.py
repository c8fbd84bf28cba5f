"""Study 7: how good the closed form is, compared with double-dummy results.

The paper compares its estimates with no truth. Here the truth is the double-dummy tricks in
notrump of labelled deals, each of the three players declaring with the hidden hand as dummy.
Algorithm 1 sees the declarer's hand, Algorithm 2 the dummy too. The three declarers of a deal share
its cards, so every interval is drawn over deals, not over declarers.

The alternatives, forecasts of the same tricks from the same cards (`tribridge.forecast`), are
measured on the declarers for whom an algorithm makes a prediction, and on all declarers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.capture import NATURAL, READINGS
from tribridge.capture.simulation import arrays
from tribridge.capture.simulation.tables import B_FAILS, OUTCOMES
from tribridge.cards.cards import Strain
from tribridge.cards.masks import I64
from tribridge.common import stats
from tribridge.common.errors import SettingError
from tribridge.common.stats import Interval
from tribridge.common.tables import PERCENT, TRICKS, in_percent
from tribridge.forecast.distribution import at_least, means
from tribridge.forecast.kinds import SOLVED
from tribridge.lab.labels.labels import Labels, shipped
from tribridge.lab.studies import drawing
from tribridge.lab.studies.claims import Claim, claim, within
from tribridge.lab.studies.forecasts import (
    Calibration,
    Forecasts,
    calibration,
    draw_calibration,
    forecasts_on,
)
from tribridge.lab.studies.study import Figure, Runner, Study, check_sample

QUICK: Final = 600
"""Labelled deals of a quick study."""
WIN: Final = 7
"""Tricks that the lowest contract needs."""
ONE: Final = "Algorithm 1"
TWO: Final = "Algorithm 2"
NOBODY: Final = "nobody qualifies"
_FEWEST: Final = 10
"""Predictions for fewer declarers are not drawn: their error bars would span the picture."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Captures and double-dummy tricks, where both conditions hold.

    {note} The constant is the median of the tricks of the same declarers; 'less its bias' takes the
    mean bias off each estimate.
    """

    estimate: str
    declarers: int
    mean_estimate: Annotated[float, TRICKS]
    mean_tricks: Annotated[float, TRICKS]
    bias: Annotated[Interval, "bias", "bias from", "bias to", TRICKS]
    error: Annotated[Interval, "absolute error", "error from", "error to", TRICKS]
    less: Annotated[Interval, "error less constant's", "less from", "less to", TRICKS]
    """The error less that of the median of the tricks of the same declarers."""
    correlation: Interval | None


@dataclass(frozen=True, slots=True)
class Alternative:
    """The alternatives, on the same declarers and on all.

    {note} A forecast's estimate is its mean.
    """

    domain: Annotated[str, "declarers of whom"]
    accuracy: Accuracy


@dataclass(frozen=True, slots=True)
class Promise:
    """Double-dummy tricks by prediction.

    {note} Wilson's intervals with the design effect of deals.
    """

    estimate: str
    says: str
    captures: Annotated[int | None, None]
    """None if a condition fails."""
    declarers: int
    mean_tricks: Annotated[float, TRICKS]
    kept: Annotated[Interval | None, "% that make it", "make it from", "make it to", PERCENT]
    wins: Annotated[Interval, "% that make 7", "make 7 from", "make 7 to", PERCENT]


@dataclass(frozen=True, slots=True)
class Qualified:
    """'Qualified' against 'makes 7 tricks'.

    Qualified: both conditions hold and 7 captures or more; of a forecast: 7 tricks are as likely as
    not.
    """

    estimate: str
    hits: Annotated[int, "qualified and makes"]
    misses: Annotated[int, "qualified and fails"]
    lost: Annotated[int, "rejected and makes"]
    rejected: Annotated[int, "rejected and fails"]
    right: Annotated[Interval, "% right", "right from", "right to", PERCENT]
    made: Annotated[
        Interval | None, "% of qualified that make", "of qualified from", "of qualified to", PERCENT
    ]
    missed: Annotated[
        Interval, "% of rejected that make", "of rejected from", "of rejected to", PERCENT
    ]
    found: Annotated[float, "% of makers that qualify", PERCENT]
    phi: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """Both algorithms, and the alternatives, beside double-dummy tricks in notrump."""

    deals: int
    labels: str
    """The deals, in words."""
    accuracy: Annotated[tuple[Accuracy, ...], "truth-accuracy"]
    promises: Annotated[tuple[Promise, ...], "truth-calibration"]
    qualified: Annotated[tuple[Qualified, ...], "truth-qualified"]
    alternatives: Annotated[tuple[Alternative, ...], "truth-alternatives"]
    chances: Annotated[tuple[Calibration, ...], "truth-chances"]

    @property
    def note(self) -> str:
        """How the intervals were made."""
        return f"{self.labels}; 95% intervals from resampling deals."

    def accuracy_of(self, estimate: str) -> Accuracy:
        """The accuracy of an algorithm, where it gives captures."""
        return next(row for row in self.accuracy if row.estimate == estimate)


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


def estimates(labels: Labels) -> dict[str, I64]:
    """Algorithm 1 under each reading, and Algorithm 2, on labelled deals and their declarers.

    By algorithm: captures, or the code of a condition that fails.
    """
    flat, dummies, _ = labels.pairs()
    shape = labels.seats.shape
    result = {}
    for name, reading in READINGS.items():
        title = ONE if reading is NATURAL else f"{ONE}, {name}"
        result[title] = arrays.single(flat, reading).verdict.reshape(shape)
    result[TWO] = arrays.pair(flat, dummies).verdict.reshape(shape)
    return result


def run(deals: int | None, seed: int, runner: Runner) -> Result:
    """Compare both algorithms, and the alternatives, with double-dummy tricks in notrump."""
    return compare(labelled(deals), seed)


def compare(labels: Labels, seed: int, kinds: Sequence[str] = SOLVED) -> Result:
    """Compare both algorithms, and forecasts of some kinds, with labels."""
    tricks = labels.of(Strain.NOTRUMP).astype(np.int64)
    by_algorithm = estimates(labels)
    others = forecasts_on(labels, kinds)
    return Result(
        len(labels),
        labels.title,
        tuple(_accuracy(by_algorithm, tricks, seed)),
        tuple(row for name in (ONE, TWO) for row in _promises(name, by_algorithm[name], tricks)),
        tuple(_qualified(by_algorithm, others, tricks)),
        tuple(_alternatives(by_algorithm, others, tricks, seed)),
        tuple(row for row in calibration(labels, others) if row.strains == "notrump"),
    )


def _accuracy(by_algorithm: dict[str, I64], tricks: I64, seed: int) -> Iterator[Accuracy]:
    for name, codes in by_algorithm.items():
        chosen, said = codes > B_FAILS, codes.astype(float)
        yield _measured(name, said, tricks, chosen, seed)
        if name in (ONE, TWO):
            bias = float((said - tricks)[chosen].mean())
            yield _measured(f"{name} less its bias", said - bias, tricks, chosen, seed)
            constant = float(np.median(tricks[chosen]))
            there = f"the constant {constant:g} there"
            yield _measured(there, np.full_like(said, constant), tricks, chosen, seed)


def _measured(
    name: str, said: NDArray[np.float64], tricks: I64, chosen: NDArray[np.bool_], seed: int
) -> Accuracy:
    error = said - tricks
    excess = np.abs(error) - np.abs(np.median(tricks[chosen]) - tricks)
    related = None
    if np.ptp(said[chosen]) > 0:
        products = (said, tricks, said * tricks, said**2, tricks**2.0, np.ones_like(said))
        sums = [np.where(chosen, values, 0.0).sum(axis=1) for values in products]
        related = stats.bootstrap(np.column_stack(sums), _correlation, seed)
    bias, size, less = (
        stats.chosen_mean(values, chosen, seed) for values in (error, np.abs(error), excess)
    )
    return Accuracy(
        name,
        int(chosen.sum()),
        float(said[chosen].mean()),
        float(tricks[chosen].mean()),
        bias,
        size,
        less,
        related,
    )


def _correlation(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y, xy, xx, yy, n = sums.T
    return np.asarray((n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y)))


def _alternatives(
    by_algorithm: dict[str, I64], others: Sequence[Forecasts], tricks: I64, seed: int
) -> Iterator[Alternative]:
    """Each forecast where its algorithm (same cards) has an estimate, and on all declarers."""
    everybody = np.ones(tricks.shape, bool)
    for cards, name in ((13, ONE), (26, TWO)):
        codes, domain = by_algorithm[name], domain_of(name)
        held = codes > B_FAILS
        yield Alternative(domain, _measured(name, codes.astype(float), tricks, held, seed))
        for where, chosen in ((domain, held), ("all", everybody)):
            for other in others:
                if other.cards == cards:
                    said = means(other.chances[:, :, Strain.NOTRUMP])
                    yield Alternative(where, _measured(other.name, said, tricks, chosen, seed))


def domain_of(algorithm: str) -> str:
    """The declarers for whom an algorithm gives captures, in words."""
    return f"{algorithm} says captures"


def _share(hits: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> Interval:
    return in_percent(stats.clustered_proportion((hits & chosen).sum(axis=1), chosen.sum(axis=1)))


def _promises(name: str, codes: I64, tricks: I64) -> Iterator[Promise]:
    for code in np.unique(codes).tolist():
        chosen = codes == code
        fails = code <= B_FAILS
        yield Promise(
            name,
            OUTCOMES[code].value if code in OUTCOMES else str(code),
            None if fails else code,
            int(chosen.sum()),
            float(tricks[chosen].mean()),
            None if fails else _share(tricks >= code, chosen),
            _share(tricks >= WIN, chosen),
        )


def _qualified(
    by_algorithm: dict[str, I64], others: Sequence[Forecasts], tricks: I64
) -> Iterator[Qualified]:
    makes = tricks >= WIN
    answers = {name: codes >= WIN for name, codes in by_algorithm.items()}
    for other in others:
        chance = at_least(other.chances[:, :, Strain.NOTRUMP])[..., WIN]
        answers[other.name] = chance >= 0.5
    answers[NOBODY] = np.zeros_like(makes)
    for name, yes in answers.items():
        hit, miss, lost, right = (int(np.sum(a & b)) for a in (yes, ~yes) for b in (makes, ~makes))
        spread = float(
            np.sqrt(float((hit + miss) * (lost + right) * (hit + lost) * (miss + right)))
        )
        yield Qualified(
            name,
            hit,
            miss,
            lost,
            right,
            _share(yes == makes, np.ones_like(makes)),
            _share(makes, yes) if yes.any() else None,
            _share(makes, ~yes),
            100 * hit / (hit + lost),
            (hit * right - miss * lost) / spread if spread else None,
        )


def claims(result: Result) -> list[Claim]:
    """What double dummy says about the predictions."""
    two = result.accuracy_of(TWO)
    promises = [(row.declarers, row.kept.estimate) for row in result.promises
                if row.estimate == TWO and row.kept is not None]  # fmt: skip
    return [
        claim(
            "truth.reliable",
            lambda limit: two.less.high < 0 and within(two.bias, limit) == 1,
            two=two,
            related=float("nan") if two.correlation is None else two.correlation.estimate,
            kept=sum(n * share / 100 for n, share in promises) / sum(n for n, _ in promises),
            rejected=next(q.missed.estimate for q in result.qualified if q.estimate == TWO),
        )
    ]


_LOOKS: Final = {ONE: (drawing.BLUE, "o"), TWO: (drawing.ORANGE, "s")}


def _promised(result: Result, estimate: str) -> tuple[list[float], list[Promise]]:
    """What an algorithm promises to enough declarers, and what became of it."""
    rows = [
        row
        for row in result.promises
        if row.estimate == estimate and row.kept is not None and row.declarers >= _FEWEST
    ]
    return [float(row.captures or 0) for row in rows], rows


def _finish(figure: drawing.Drawing, axes: Any, y: str) -> drawing.Drawing:
    drawing.name_axes(axes, "", "captures predicted by the algorithm", y)
    axes.set_xticks(range(4, 14))
    axes.set_xlim(3.5, 13.5)
    drawing.legend_below(figure, axes, columns=2)
    return figure


def draw_tricks(result: Result) -> drawing.Drawing:
    """Tricks promised, and tricks made.

    Mean double-dummy tricks in notrump by the tricks that each algorithm promises. A point below
    the dashes promises too much.
    """
    figure, axes = drawing.new_figure(6.2, 4.4)
    for name, (colour, marker) in _LOOKS.items():
        predicted, rows = _promised(result, name)
        axes.plot(predicted, [r.mean_tricks for r in rows], f"-{marker}", color=colour, label=name)
    axes.plot([4, 13], [4, 13], "--", color=drawing.GREY, label="as many as promised")
    return _finish(figure, axes, "tricks made")


def draw(result: Result) -> drawing.Drawing:
    """How often a deal makes what is promised.

    The tricks that the algorithm promises (solid), and seven tricks (dotted), with 95% intervals.
    """
    figure, axes = drawing.new_figure(6.2, 4.4)
    for name, (colour, marker) in _LOOKS.items():
        predicted, rows = _promised(result, name)
        spans = [row.kept for row in rows if row.kept is not None]
        label = f"{name}: makes its prediction"
        drawing.plot_spans(axes, predicted, spans, (colour, marker), label=label)
        axes.plot(
            predicted,
            [row.wins.estimate for row in rows],
            f":{marker}",
            color=colour,
            markerfacecolor="white",
            label=f"{name}: makes 7",
        )
    axes.set_ylim(0, 109)
    return _finish(figure, axes, "% of declarers")


def draw_chances(result: Result) -> drawing.Drawing:
    """Forecast chances, and how often the contracts make.

    How much more often contracts make than forecast, by forecast chance: a calibrated forecast
    stays on 0, and the band is two percentage points wide on either side.
    """
    return draw_calibration(result.chances)


STUDY: Final[Study[int | None, Result]] = Study(
    name="truth",
    title="How good the closed form is",
    order=70,
    quick=QUICK,
    run=run,
    describe=lambda deals: {"labelled deals": "all in the package" if deals is None else deals},
    with_deals=int,
    claims=claims,
    figures=(
        Figure("promised", "truth-calibration", draw_tricks),
        Figure("truth", "truth-calibration", draw),
        Figure("truth-chances", "truth-chances", draw_chances),
    ),
)
