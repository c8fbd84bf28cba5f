"""Fit `capture`, `points`, a defender's lines and the linear baseline to labelled deals.

    tribridge train estimators LABELS --out FOLDER

LABELS is a file or folder written by `tribridge label` with all strains; FOLDER receives the data
files. The same labels give the same files. The labels shipped with the package are reserved for
evaluation and are rejected.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.beliefs.bits import honour_points, popcount, suit_mask
from tribridge.beliefs.models import fit_tricks
from tribridge.cards import Hand, Strain, Suit
from tribridge.deals import Deal, Seat
from tribridge.double_dummy.labels import Labels, refuse_evaluation
from tribridge.errors import SettingError
from tribridge.files import write_atomic
from tribridge.forecast import capture, defence, linear
from tribridge.forecast.distribution import TRICKS
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
from tribridge.forecast.suit_masks import LENGTH, rows_of
from tribridge.game import new_table, view
from tribridge.game.auction import as_call
from tribridge.strategies.callers.points import FEWEST_TRUMPS, PointsCaller
from tribridge.strategies.callers.points import honour_points as count_points

U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]
Tricks = NDArray[np.int8]

_ROWS: Final = 50_000


def least_squares(pieces: Iterator[tuple[F64, F64]]) -> F64:
    """The regression of values on columns, both given in chunks."""
    square, right = np.zeros(1), np.zeros(1)
    for columns, values in pieces:
        square = square + columns.T @ columns
        right = right + columns.T @ values
    return np.asarray(np.linalg.lstsq(square, right, rcond=None)[0])


def fit_linear(hands: U64, dummies: U64, tricks: Tricks) -> dict[str, list[float]]:
    """The weights of the linear baseline."""
    result = {}
    for cards in (13, 26):
        for name, trumps in (("suit", tuple(Suit)), ("NT", (None,))):

            def pieces(
                cards: int = cards, trumps: tuple[Suit | None, ...] = trumps
            ) -> Iterator[tuple[F64, F64]]:
                for part in _pieces(len(hands)):
                    other = dummies[part] if cards == 26 else None
                    for trump in trumps:
                        strain = Strain.NOTRUMP if trump is None else trump
                        columns = linear.features(hands[part], other, trump)
                        yield columns, tricks[part, strain].astype(np.float64)

            weights = least_squares(pieces())
            result[f"{cards} {name}"] = [round(float(weight), 4) for weight in weights]
    return result


def _pieces(size: int) -> Iterator[slice]:
    for start in range(0, size, _ROWS):
        yield slice(start, start + _ROWS)


def fit_sheet(name: str, hands: U64, dummies: U64 | None, tricks: Tricks) -> Sheet:
    """Fit one sheet: least squares, rounded to whole points; then start, thresholds and width."""
    parts = SHEETS[name]
    suit = name.startswith("a suit")
    trumps: tuple[Suit | None, ...] = tuple(Suit) if suit else (None,)

    def pieces() -> Iterator[tuple[F64, F64]]:
        for part in _pieces(len(hands)):
            own = rows_of(hands[part])
            other = np.zeros_like(own) if dummies is None else rows_of(dummies[part])
            shorter = np.minimum(LENGTH[own], LENGTH[other])
            features = [line.features(own | other, shorter).astype(np.float64) for line in parts]
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


def _counted(part: Part) -> list[int]:
    return [at for at, (step, _) in enumerate(part.steps) if step not in part.worth_nothing]


def _of_suits(part: Part, values: F64, trump: Suit | None) -> F64:
    """A part's values, summed over its suits, with one suit as trumps."""
    everything = values.sum(axis=1)
    if trump is None or part.suits == "all":
        return np.asarray(everything)
    chosen = values[:, trump]
    return np.asarray(chosen if part.suits == "trump" else everything - chosen)


def _totals(sheet: Sheet, hands: U64, dummies: U64 | None, suit: bool) -> NDArray[np.int64]:
    cards = 13 if dummies is None else 26
    both = {sheet_name(trump, cards): sheet for trump in (True, False)}
    totals = Points(both, "").totals(hands, dummies)
    return totals[:, :4] if suit else totals[:, 4:]


def _best_curve(totals: NDArray[np.int64], tricks: NDArray[np.int8]) -> Sheet:
    """The maximum-likelihood thresholds, width, slope and curve, rounded."""
    from scipy.optimize import minimize

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


def fit(labels: Labels, out: Path) -> None:
    """Write the data files of the fitted kinds."""
    if labels.work.strains != tuple(Strain):
        raise SettingError("a fit needs labels of all strains: tribridge label --strains all")
    hands, dummies, tricks = refuse_evaluation(labels).pairs()
    ranges = ", ".join(f"{start} to {stop - 1}" for start, stop in labels.ranges)
    made = f"{len(labels):,} labelled deals of seed {labels.work.seed} ({ranges})"
    write_atomic(out / "points.json", dumps_points(fit_points(hands, dummies, tricks, made)))
    weights = fit_linear(hands, dummies, tricks)
    write_atomic(out / "linear.json", json.dumps({"made": made, "weights": weights}) + "\n")
    lines = fit_defence(labels)
    write_atomic(out / "defence.json", json.dumps({"made": made, "lines": lines}) + "\n")
    tables = (
        capture.fit_table(hands, None, tricks),
        capture.fit_table(hands, dummies, tricks),
    )
    write_atomic(out / "capture.npz", capture.dumps_tables(*tables))


def fit_lines(labels: Labels) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Least-squares lines for `callers.points`: notrump, and suits of at least four cards."""
    hands, _, tricks = refuse_evaluation(labels).pairs()
    made = tricks.astype(np.float64)
    points = honour_points(hands)
    ones = np.ones(len(hands))
    notrump = np.linalg.lstsq(np.stack([ones, points], axis=1), made[:, Strain.NOTRUMP])[0]
    columns, values = [], []
    for suit in Suit:
        length = popcount(hands & suit_mask(suit))
        long = length >= FEWEST_TRUMPS
        columns.append(np.stack([ones, points, length - FEWEST_TRUMPS], axis=1)[long])
        values.append(made[long, suit])
    suits = np.linalg.lstsq(np.concatenate(columns), np.concatenate(values))[0]
    return tuple(map(float, notrump)), tuple(map(float, suits))


def fit_against(labels: Labels) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Lines for a double by `callers.points`: declarer's tricks over a contract of that caller.

    The caller bids the labelled deals, without doubles. Deals that are passed out, or whose
    declarer is not labelled, are left out. Notrump (constant, points, level), then suits (constant,
    points, trumps, level).
    """
    refuse_evaluation(labels)
    caller, rng = PointsCaller(), np.random.default_rng(0)
    columns: dict[bool, list[list[float]]] = {True: [], False: []}
    values: dict[bool, list[float]] = {True: [], False: []}
    seats = labels.seats.tolist()
    for at, masks in enumerate(labels.hands.tolist()):
        north, east, south, hidden = (Hand(mask) for mask in masks)
        hands = north, east, south, hidden
        table = new_table(Deal(hands), Seat(int(labels.numbers[at]) % len(Seat)))
        while table.turn is not None and not table.auction.over:
            table = table.call(as_call(caller.call(view(table, table.turn), rng).action))
        contract = table.contract
        if contract is None or contract.declarer not in seats[at]:
            continue
        bid, place = contract.bid, seats[at].index(contract.declarer)
        suit = bid.strain is not Strain.NOTRUMP
        over = float(labels.of(bid.strain)[at, place]) - contract.tricks_needed()
        for seat in Seat:
            if seat is not contract.declarer:
                trumps = [float(hands[seat].length(bid.strain))] if suit else []
                points = float(count_points(hands[seat]))
                columns[suit].append([1.0, points, *trumps, float(bid.level)])
                values[suit].append(over)
    notrump, suits = (
        tuple(map(float, np.linalg.lstsq(np.array(columns[suit]), np.array(values[suit]))[0]))
        if values[suit]
        else ()
        for suit in (False, True)
    )
    return notrump, suits


def fitted_lines(labels: Labels) -> str:
    """The constants of `callers.points` and `beliefs.models`, as Python source."""
    names = ("NOTRUMP_LINE", "SUIT_LINE", "SUIT_TRICKS", "NOTRUMP_TRICKS", "TRICKS_SD")
    return _source(names, (*fit_lines(labels), *fit_tricks(labels)))


def against_lines(labels: Labels) -> str:
    """The constants of a double by `callers.points`, as Python source."""
    return _source(("NOTRUMP_AGAINST", "SUIT_AGAINST"), fit_against(labels))


def _source(names: Sequence[str], lines: Sequence[Sequence[float]]) -> str:
    return "\n".join(
        f"{name} = ({', '.join(f'{value:.4g}' for value in line)})"
        for name, line in zip(names, lines, strict=True)
    )
