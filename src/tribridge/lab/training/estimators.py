"""Fit `capture`, `points` and a defender's lines to labelled deals.

    tribridge train estimators LABELS --out FOLDER

LABELS is a file or folder written by `tribridge label` with all strains; FOLDER receives the data
files. The same labels give the same files. The labels shipped with the package are reserved for
evaluation and are rejected.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Strain, Suit
from tribridge.cards.masks import F32, F64, I64, LENGTH, U64, rows_of
from tribridge.common.errors import SettingError, need
from tribridge.common.files import dumps_arrays, write_atomic
from tribridge.forecast import capture, defence
from tribridge.forecast.distribution import TRICKS, normal_chances
from tribridge.forecast.points import (
    CURVES,
    SHEETS,
    UNIT,
    Part,
    Points,
    Sheet,
    dumps_points,
    sheet_name,
)
from tribridge.lab.labels.labels import Labels, refuse_evaluation

Tricks = NDArray[np.int8]

_ROWS: Final = 50_000
WEIGHT: Final = 20.0
"""Pseudo-observations added to each cell of `capture`."""


def least_squares(pieces: Iterator[tuple[F64, F64]]) -> F64:
    """The regression of values on columns, both given in chunks."""
    square, right = np.zeros(1), np.zeros(1)
    for columns, values in pieces:
        square = square + columns.T @ columns
        right = right + columns.T @ values
    return np.asarray(np.linalg.lstsq(square, right, rcond=None)[0])


def fit_sheet(name: str, hands: U64, dummies: U64 | None, tricks: Tricks) -> Sheet:
    """Fit one sheet: least squares, rounded to whole points; then start, thresholds and width."""
    parts = SHEETS[name]
    suit = name.startswith("a suit")
    trumps: tuple[Suit | None, ...] = tuple(Suit) if suit else (None,)

    def pieces() -> Iterator[tuple[F64, F64]]:
        for start in range(0, len(hands), _ROWS):
            part = slice(start, start + _ROWS)
            own = rows_of(hands[part])
            other = np.zeros_like(own) if dummies is None else rows_of(dummies[part])
            shorter = np.minimum(LENGTH[own], LENGTH[other])
            features = [_features(line, own | other, shorter).astype(np.float64) for line in parts]
            for trump in trumps:
                columns = [
                    _of_suits(line, values, trump)[:, _counted(line)]
                    for line, values in zip(parts, features, strict=True)
                ]
                strain = Strain.NOTRUMP if trump is None else trump
                yield (
                    np.column_stack([*columns, np.ones(len(own))]),
                    tricks[part, strain].astype(np.float64),
                )

    weights = least_squares(pieces()) * UNIT
    values, at = [], 0
    for part in parts:
        counted = _counted(part)
        row = np.zeros(len(part.steps))
        row[counted] = weights[at : at + len(counted)]
        at += len(counted)
        values.append(tuple(int(value) for value in np.rint(row)))
    draft = Sheet(name, 0, tuple(values), tuple(float(k) for k in range(1, 14)), 1.0)
    totals = _totals(draft, hands, dummies, suit)
    made = tricks[:, :4] if suit else tricks[:, 4:]
    start = round(float((UNIT * made.astype(np.float64) - totals).mean()))
    curve = _best_curve(totals.reshape(-1) + start, made.reshape(-1))
    return replace(curve, name=name, start=start, values=draft.values)


def _features(part: Part, both: I64, shorter: I64) -> NDArray[np.bool_]:
    """Which steps of a part each suit has: an array (n, 4, steps)."""
    if part.counts == "honours":
        ranks = np.array([step[1][0] for step in part.steps])
        return np.asarray((both[..., None] >> ranks & 1).astype(bool))
    size = LENGTH[both] if part.counts == "length" else shorter
    return np.stack([np.isin(size, numbers) for _, numbers in part.steps], axis=-1)


def _counted(part: Part) -> list[int]:
    return [at for at, (step, _) in enumerate(part.steps) if step not in part.worth_nothing]


def _of_suits(part: Part, values: F64, trump: Suit | None) -> F64:
    """A part's values, summed over its suits, with one suit as trumps."""
    everything = values.sum(axis=1)
    if trump is None or part.suits == "all":
        return np.asarray(everything)
    chosen = values[:, trump]
    return np.asarray(chosen if part.suits == "trump" else everything - chosen)


def _totals(sheet: Sheet, hands: U64, dummies: U64 | None, suit: bool) -> I64:
    cards = 13 if dummies is None else 26
    both = {sheet_name(trump, cards): sheet for trump in (True, False)}
    totals = Points(both, "").totals(hands, dummies)
    return totals[:, :4] if suit else totals[:, 4:]


def _best_curve(totals: I64, tricks: NDArray[np.int8]) -> Sheet:
    """The maximum-likelihood thresholds, width, slope and curve, rounded."""
    minimize = need("scipy.optimize").minimize
    first = int(totals.min())
    counts = np.zeros((int(totals.max()) - first + 1, TRICKS + 1))
    np.add.at(counts, (totals - first, tricks), 1.0)
    seen = np.flatnonzero(counts.sum(axis=1))
    counts, x = counts[seen], seen + first

    def unpack(parameters: F64, curve: str) -> Sheet:
        steps = np.concatenate([parameters[:1], np.exp(parameters[1:13])])
        thresholds = tuple(float(value) for value in np.cumsum(steps) * UNIT)
        width, slope = float(np.exp(parameters[13])), float(parameters[14])
        return Sheet("", 0, (), thresholds, width, slope, curve)

    def loss(parameters: F64, curve: str) -> float:
        chances = np.maximum(unpack(parameters, curve).chances_of(x), 1e-12)
        return float(-(counts * np.log(chances)).sum() / counts.sum())

    begin = np.concatenate([[0.5], np.zeros(12), [np.log(8.0), 0.0]])
    fits = {
        curve: minimize(loss, begin, (curve,), method="L-BFGS-B", options={"maxiter": 500})
        for curve in CURVES
    }
    curve = min(fits, key=lambda name: fits[name].fun)
    best = unpack(fits[curve].x, curve)
    return replace(
        best,
        thresholds=tuple(round(value, 1) for value in best.thresholds),
        width=round(best.width, 2),
        slope=round(best.slope, 2),
    )


def fit_points(hands: U64, dummies: U64, tricks: Tricks, made: str) -> Points:
    """All four sheets."""
    sheets = {
        name: fit_sheet(name, hands, dummies if name.endswith("26 cards") else None, tricks)
        for name in SHEETS
    }
    return Points(sheets, made)


def fit_defence(labels: Labels) -> dict[str, list[float]]:
    """The lines of `defence`: for suits and notrump the weights, and the sd of the residuals."""
    lefts, rights, tricks = labels.defenders()
    columns = np.concatenate([defence.features(lefts), defence.features(rights)])
    made = np.concatenate([tricks, tricks]).astype(np.float64)
    result = {}
    for name, strains in (("suit", slice(0, 4)), ("NT", slice(4, 5))):
        inputs, values = columns[:, strains].reshape(-1, 3), made[:, strains].reshape(-1)
        line = np.linalg.lstsq(inputs, values, rcond=None)[0]
        sd = (values - inputs @ line).std()
        result[name] = [round(float(value), 4) for value in (*line, sd)]
    return result


def fit_table(hands: U64, dummies: U64 | None, tricks: NDArray[np.integer]) -> F32:
    """The table of `capture` from labelled hands; `tricks` is (n, 5).

    To each cell's counts are added pseudo-observations from a normal distribution around a curve
    through all cells: quadratic in T or in the gap, made monotonic, and cubic in the number of
    trumps. Cells that no labelled deal reached get the curve alone.
    """
    number, trumps = capture.cells(hands, dummies)
    counts = np.zeros((capture.CLASSES, capture.LENGTHS, TRICKS + 1))
    np.add.at(counts, (number, trumps, tricks), 1.0)
    result = np.empty_like(counts)
    for chosen in (slice(0, capture.NOTRUMP), slice(capture.NOTRUMP, capture.LENGTHS)):
        prior = _prior(counts[:, chosen], np.arange(capture.LENGTHS)[chosen])
        total = counts[:, chosen].sum(axis=-1, keepdims=True)
        result[:, chosen] = (counts[:, chosen] + WEIGHT * prior) / (total + WEIGHT)
    return np.round(result, 5).astype(np.float32)


def _prior(counts: F64, trumps: I64) -> F64:
    """A normal distribution around a curve through the means of all cells."""
    held = np.arange(capture.CLASSES) > capture.MOST_GAP
    value = (
        np.where(held, np.arange(capture.CLASSES) - capture.FIRST, np.arange(capture.CLASSES)) / 10
    )
    by_class = np.stack([mask * value**power for mask in (held, ~held) for power in range(3)], 1)
    tenths = trumps / 10.0 if len(trumps) > 1 else np.zeros(1)
    by_trumps = np.stack([tenths**power for power in (1, 2, 3)], axis=1)
    design = np.hstack(
        [np.repeat(by_class, len(trumps), axis=0), np.tile(by_trumps, (capture.CLASSES, 1))]
    )
    cells = counts.reshape(-1, TRICKS + 1)
    weight = cells.sum(axis=1)
    points = np.arange(TRICKS + 1)
    mean = cells @ points / np.maximum(weight, 1)
    root = np.sqrt(weight)[:, None]
    coefficients = np.linalg.lstsq(design * root, mean * root[:, 0], rcond=None)[0]
    level, more = by_class @ coefficients[:6], by_trumps @ coefficients[6:]
    # Make the curve monotonic where data are sparse: a larger gap never predicts more tricks, and
    # more captures never predict fewer.
    level[~held] = np.minimum.accumulate(level[~held])
    level[held] = np.maximum.accumulate(level[held])
    curve = (level[:, None] + more).reshape(-1)
    sd = float(np.sqrt((cells * (points - curve[:, None]) ** 2).sum() / weight.sum()))
    return normal_chances(curve, sd).reshape(counts.shape)


def fit(labels: Labels, out: Path) -> None:
    """Write the data files of the fitted kinds."""
    if labels.work.strains != tuple(Strain):
        raise SettingError("a fit needs labels of all strains: tribridge label --strains all")
    hands, dummies, tricks = refuse_evaluation(labels).pairs()
    ranges = ", ".join(f"{start} to {stop - 1}" for start, stop in labels.ranges)
    made = f"{len(labels):,} labelled deals of seed {labels.work.seed} ({ranges})"
    write_atomic(out / "points.json", dumps_points(fit_points(hands, dummies, tricks, made)))
    lines = fit_defence(labels)
    write_atomic(out / "defence.json", json.dumps({"made": made, "lines": lines}) + "\n")
    tables = {"single": fit_table(hands, None, tricks), "pair": fit_table(hands, dummies, tricks)}
    write_atomic(out / "capture.npz", dumps_arrays(tables))
