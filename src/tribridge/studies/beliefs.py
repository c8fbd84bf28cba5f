"""Bayesian estimation and opponent modelling, as the paper sketches them, on real games.

Games between different strategies were played beforehand and are followed from two seats, the
declarer's and the opening leader's: after each call and each trick, every model of calls and plays
gives a posterior over the hidden hands (`belief_games`). It is judged by proper scores: bits, minus
the logarithm of the chance given to the hand that holds a card, averaged over the unseen cards; and
the Brier score of the chance that a card led wins its trick. A game is one observation, however
many cards and tricks it has: intervals resample games.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import stats
from tribridge.beliefs.posterior import RESPONSES
from tribridge.errors import quantity
from tribridge.strategies.versions import list_versions
from tribridge.studies import claims_conclusion
from tribridge.studies.belief_games import (
    BINS,
    CALL_STAGES,
    CALLS_ONLY,
    LEARNED_STAGES,
    NAMES,
    STAGES,
    STRATEGIES,
    UNIFORM,
    VIEWERS,
    Scores,
    play_games,
    score_games,
    shipped_scores,
)
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.tidy import Cell, Study, StudyTable

F64 = NDArray[np.float64]

_SEED: Final = 1
_LEAST: Final = 8
"""Fewer games at a stage are not shown."""
LEADER: Final = VIEWERS.index("leader")
CHOSEN: Final = "forecast"
"""The model by which the paper's claims are judged: the one that the project's advice uses."""


def study(games: int | None = None) -> Study:
    """Scores of the models; those that ship with the package, or of new games."""
    scores = shipped_scores() if games is None else score_games(play_games(games))
    beliefs, gains = list(_bits(scores)), list(_gains(scores))
    deep = int((~np.isnan(scores.lost)).any((1, 2, 3)).sum())
    wins = list(_wins(scores))
    tricks = list(_tricks(scores))
    lost = list(_lost(scores))
    note = (
        f"{len(scores):,} games of {', '.join(STRATEGIES)} ({list_versions(scores.versions)}) in "
        "changing seats, seen by the declarer and the opening leader"
        + (", played and scored beforehand by `python benchmarks/belief_games.py`"
           if games is None else "")
    )  # fmt: skip
    span = ("95% from", "to")
    tables = (
        StudyTable(
            "beliefs-bits",
            "How well each model locates the hidden cards, by stage",
            ("model", "stage", "views", "layouts (median)", "bits a card", *span,
             "effective sample, %"),
            tuple(beliefs),
            f"{note}. Bits: minus log2 of the chance given to the hand that holds a card, mean "
            "over the unseen cards; lower is better, 0 is certainty. 95% intervals from resampling "
            "games. The likelihood of the playing network was computed at three stages of "
            f"{deep:,} games.",
        ),
        StudyTable(
            "beliefs-gains",
            "Bits a card that a model saves compared with no model",
            ("model", "phase", "games", "bits saved", *span, "p", "p (Holm)"),
            tuple(gains),
            f"{note}. The same views for both; paired over games, Holm's correction over the "
            "table.",
        ),
        StudyTable(
            "beliefs-calibration",
            "Calibration: how often a hand holds a card, by the chance it was given",
            ("model", "phase", "chance", "answers", "mean chance, %", "holds, %", *span),
            tuple(_calibration(scores)),
            f"{note}. Intervals treat the answers of a game as one observation.",
        ),
        StudyTable(
            "beliefs-wins",
            "The chance that the card led wins the trick",
            ("model", "others respond", "leads", "mean chance, %", "won, %",
             "chance - won", *span, "Brier score", "base rate's", "better by", "95% from ", "to "),
            tuple(wins),
            f"{note}, at every lead of the viewer's side. Best: opponents beat the card if they "
            "can, as in the paper's formula; random: everyone plays any legal card. Base rate: "
            "always giving the share that won.",
        ),
        StudyTable(
            "beliefs-tricks",
            "Algorithm 2 and the forecast over the beliefs: expected tricks",
            ("viewer", "model", "stage", "games", "mean E[T]", "sd of T within beliefs",
             "error of E[T] against T", "error of E[T] against tricks",
             "error of the forecast's mean", "error of a constant"),
            tuple(tricks),
            f"{note}. Errors are absolute, in tricks; the tricks are those that declarer took, and "
            "the constant is their median. Once the dummy is seen, T is certain for the declarer.",
        ),
        StudyTable(
            "beliefs-leads",
            "What a model is worth in tricks: leads chosen over the layouts it prefers",
            ("viewer", "model", "leads", "tricks lost a lead", "saved compared with no model",
             *span, "p", "p (Holm)"),
            tuple(lost),
            f"{note}. Each of the same layouts is solved double dummy, the lead with the best "
            "weighted mean is chosen, and judged double dummy on the true deal. Paired over games, "
            "Holm's correction over the table. "
            "For complete games of players with and without the model: `tribridge arena match "
            "points+sampling:layouts=12 points+sampling:layouts=12,calls=true --deals 100`.",
        ),
    )  # fmt: skip
    return STUDY.result(tables, facts=_facts(scores, gains, wins, lost))


def stage_name(stage: int) -> str:
    """A stage in words."""
    if stage < CALL_STAGES:
        return quantity(stage + 1, "call")
    return quantity(stage - CALL_STAGES, "trick")


def _per_card(bits: Any, cards: Any) -> stats.Interval:
    """Bits over cards, both (games, ...), with an interval over games."""
    there = ~np.isnan(bits)
    games = len(bits)
    sums = np.column_stack(
        [
            np.where(there, bits, 0).reshape(games, -1).sum(1, dtype=float),
            np.where(there, cards, 0).reshape(games, -1).sum(1, dtype=float),
        ]
    )
    return stats.bootstrap(sums[sums[:, 1] > 0], stats.ratio, _SEED)


def _bits(scores: Scores) -> Iterator[tuple[Cell, ...]]:
    for at, name in enumerate(NAMES):
        for stage in range(STAGES):
            bits, cards = scores.bits[:, :, stage, at], scores.cards[:, :, stage]
            there = ~np.isnan(bits)
            if there.any(1).sum() < _LEAST or not cards[there].sum():
                continue
            effective = 100 * float(np.nanmean(scores.effective[:, :, stage, at]))
            layouts = float(10 ** np.nanmedian(scores.layouts[:, :, stage]))
            yield (name, stage_name(stage), int(there.sum()), layouts,
                   *_three(_per_card(bits, cards)), effective)  # fmt: skip


_PHASES: Final = {
    "auction": range(CALL_STAGES),
    "auction over": range(CALL_STAGES, CALL_STAGES + 1),
    "tricks 1, 2 and 4": LEARNED_STAGES,
    "all of the play": range(CALL_STAGES + 1, STAGES),
}


def saved_bits(scores: Scores, model: str, stages: Any) -> F64:
    """Bits a card that a model saves in each game, over some stages; games without are left out."""
    chosen = list(stages)
    plain = scores.bits[:, :, chosen, NAMES.index(UNIFORM)]
    bits = scores.bits[:, :, chosen, NAMES.index(model)]
    cards = np.where(np.isnan(bits), 0, scores.cards[:, :, chosen])
    gap = np.where(np.isnan(bits), 0, plain - bits).sum((1, 2), dtype=float)
    size = cards.sum((1, 2), dtype=float)
    result: F64 = gap[size > 0] / size[size > 0]
    return result


def _gains(scores: Scores) -> Iterator[tuple[Cell, ...]]:
    rows = []
    for phase, stages in _PHASES.items():
        for at, name in enumerate(NAMES):
            learned = at == len(NAMES) - 1
            if name == UNIFORM or (at >= CALLS_ONLY and phase.startswith("auction")):
                continue
            if learned and phase == "all of the play":
                continue
            rows.append((name, phase, saved_bits(scores, name, stages)))
    tests = [stats.paired(values) for *_, values in rows]
    corrected = stats.holm([test.p for test in tests])
    for (name, phase, values), test, p in zip(rows, tests, corrected, strict=True):
        yield name, phase, len(values), *_three(stats.mean_interval(values)), test.p, p


def _calibration(scores: Scores) -> Iterator[tuple[Cell, ...]]:
    for which, phase in enumerate(("auction", "play")):
        for at, name in enumerate(NAMES):
            for number in range(BINS):
                answers, said, hits = scores.bins[:, which, at, number].T.astype(float)
                if (answers > 0).sum() < _LEAST:
                    continue
                share = stats.clustered_proportion(hits, answers)
                yield (
                    name, phase, f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}",
                    int(answers.sum()), 100 * float(said.sum() / answers.sum()),
                    *(100 * x for x in _three(share)),
                )  # fmt: skip


def _wins(scores: Scores) -> Iterator[tuple[Cell, ...]]:
    for at, name in enumerate(NAMES):
        for way, response in enumerate(RESPONSES):
            chance = scores.wins[:, :, :, at, way].reshape(len(scores), -1).astype(float)
            won = scores.won.reshape(len(scores), -1).astype(float)
            there = ~np.isnan(chance) & ~np.isnan(won)
            if there.any(1).sum() < _LEAST:
                continue
            rate = float(won[there].mean())
            chance, won = np.where(there, chance, 0), np.where(there, won, 0)
            brier, base = (np.where(there, (x - won) ** 2, 0) for x in (chance, rate))
            counts = there.sum(1)
            columns = [(chance - won).sum(1), (base - brier).sum(1), counts]
            off, gain = stats.bootstrap_each(
                np.column_stack(columns)[counts > 0], stats.ratios, _SEED
            )
            size = int(counts.sum())
            yield (
                name, response, size, 100 * float(chance.sum() / size), 100 * rate,
                *(100 * x for x in _three(off)), float(brier.sum() / size),
                float(base.sum() / size), *_three(gain),
            )  # fmt: skip


_TRICK_STAGES: Final = tuple(CALL_STAGES + tricks for tricks in (0, 1, 2, 4, 8, 12))


def _tricks(scores: Scores) -> Iterator[tuple[Cell, ...]]:
    median = float(np.median(scores.true_tricks))
    for who, viewer in enumerate(VIEWERS):
        for at, name in enumerate(NAMES):
            seen = () if viewer == "declarer" else _TRICK_STAGES
            for stage in (*range(CALL_STAGES), *seen):
                mean, spread = scores.captures[:, who, stage, at].T.astype(float)
                there = ~np.isnan(mean)
                if there.sum() < _LEAST:
                    continue
                tricks = scores.true_tricks[there].astype(float)
                forecast = scores.tricks[there, who, stage, at].astype(float)
                yield (
                    viewer, name, stage_name(stage), int(there.sum()), float(mean[there].mean()),
                    float(spread[there].mean()),
                    float(np.abs(mean[there] - scores.true_captures[there]).mean()),
                    *(float(np.abs(x - tricks).mean()) for x in (mean[there], forecast, median)),
                )  # fmt: skip


def _lost(scores: Scores) -> Iterator[tuple[Cell, ...]]:
    rows = list(_lost_rows(scores))
    corrected = iter(stats.holm([p for _, p in rows if p is not None]))
    for row, p in rows:
        yield *row, p, None if p is None else next(corrected)


def _lost_rows(scores: Scores) -> Iterator[tuple[tuple[Cell, ...], float | None]]:
    """The rows with their p-values, before the correction."""
    for who, viewer in (*enumerate(VIEWERS), (None, "both")):
        sides = slice(None) if who is None else slice(who, who + 1)
        plain = scores.lost[:, sides, :, NAMES.index(UNIFORM)]
        for at, name in enumerate(NAMES):
            lost = scores.lost[:, sides, :, at]
            there = ~np.isnan(lost)
            counts = there.sum((1, 2))
            if (counts > 0).sum() < _LEAST:
                continue
            gap = np.where(there, plain - lost, 0).sum((1, 2), dtype=float)[counts > 0]
            sums = np.column_stack([gap, counts[counts > 0]])
            span = _three(stats.bootstrap(sums, stats.ratio, _SEED))
            p = None if name == UNIFORM else stats.paired(gap).p
            yield (
                (viewer, name, int(counts.sum()), float(lost[there].mean()),
                 *((None, None, None) if name == UNIFORM else span)), p,
            )  # fmt: skip


def _facts(
    scores: Scores,
    gains: list[tuple[Cell, ...]],
    wins: list[tuple[Cell, ...]],
    lost: list[tuple[Cell, ...]],
) -> dict[str, Any]:
    over = [row for row in gains if row[1] == "auction over"]
    best = next(row for row in over if row[0] == CHOSEN)
    uniform = _per_card(
        scores.bits[:, :, CALL_STAGES, NAMES.index(UNIFORM)], scores.cards[:, :, CALL_STAGES]
    )
    chosen = {str(row[1]): row for row in wins if row[0] == CHOSEN}
    leads = {str(row[1]): row for row in lost if row[0] == "both"}
    saving = leads[CHOSEN]

    def layouts(stage: int) -> float:
        median = 10 ** np.nanmedian(scores.layouts[:, :, stage].astype(float))
        return float(f"{median:.4g}")  # the logarithms are no more precise

    at = NAMES.index(CHOSEN)
    opening = scores.captures[:, LEADER, CALL_STAGES, at].astype(float)
    later = scores.captures[:, LEADER, CALL_STAGES + 4, at].astype(float)
    truth = scores.true_captures.astype(float)
    tricks = scores.true_tricks.astype(float)
    said = scores.tricks[:, LEADER, CALL_STAGES, at].astype(float)
    return {
        "games": len(scores),
        "calls": {
            "model": best[0], "gain": best[3:6], "p": best[7], "uniform": uniform.estimate,
        },
        "gains": {(str(r[0]), str(r[1])): r[3:6] for r in gains},
        "wins": {
            "bias": {way: row[5:8] for way, row in chosen.items()},
            "gain": {way: row[10:13] for way, row in chosen.items()},
        },
        "shown out": _shown_out(scores),
        "layouts": {
            "auction": layouts(0),
            "first trick": layouts(CALL_STAGES),
            "after 4": layouts(CALL_STAGES + 4),
        },
        "expected T": {
            "sharper": _three(stats.mean_interval(opening[:, 1] - later[:, 1])),
            "gain": _three(
                stats.mean_interval((truth.mean() - truth) ** 2 - (opening[:, 0] - truth) ** 2)
            ),
            "error": float(np.abs(opening[:, 0] - tricks).mean()),
            "forecast's error": float(np.abs(said - tricks).mean()),
        },
        "lost": {
            "model": saving[1], "gain": saving[4:7], "p": saving[8],
            "uniform": leads[UNIFORM][3], "leads": leads[UNIFORM][2],
        },
    }  # fmt: skip


def _shown_out(scores: Scores) -> tuple[float, float, float]:
    """Bits a card saved where a hidden hand has shown out, at equal numbers of tricks.

    Views are compared with the mean of those at the same stage where none has.
    """
    stages = slice(CALL_STAGES + 1, CALL_STAGES + 8)
    bits = scores.bits[:, :, stages, NAMES.index(UNIFORM)].astype(float)
    cards = scores.cards[:, :, stages].astype(float)
    out = scores.shown[:, :, stages] > 0
    per_card = bits / np.where(cards > 0, cards, np.nan)
    plain = np.nanmean(np.where(out, np.nan, per_card), axis=(0, 1))
    saved = np.where(out, plain - per_card, 0)
    sums = np.column_stack([np.nansum(saved, axis=(1, 2)), out.sum((1, 2))])
    return _three(stats.bootstrap(sums, stats.ratio, _SEED))


def _three(interval: stats.Interval) -> tuple[float, float, float]:
    return interval.estimate, interval.low, interval.high


_SHIPPED: Final[int | None] = None

STUDY: Final = Declaration(
    name="beliefs",
    title="Bayesian estimation and opponent modelling",
    paper=_SHIPPED,
    quick=_SHIPPED,
    run=lambda games, seed, runner: study(games),
    steps=lambda games: 1,
    with_deals=int,
    figures=(
        Figure(
            "beliefs",
            "How well the hidden cards are located, call by call and trick by trick",
            "Left: bits per unseen card by stage, lower is better; the drop at the first trick is "
            "the dummy, which everyone sees from then on. Right: bits saved compared with no "
            "model, with 95% intervals over games; above 0 the model helps.",
            "beliefs-bits",
        ),
        Figure(
            "beliefs-calibration",
            "Calibration of the beliefs",
            "How often a hand really held a card, by the chance that the model gave it, in the "
            "auction (left) and in the play (right). On the diagonal the chances are right; above "
            "it they are too low.",
            "beliefs-calibration",
        ),
    ),
    claims=claims_conclusion.beliefs,
)
