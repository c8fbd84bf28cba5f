"""What the scores of games say about each model of calls and plays: the study of beliefs.

The games (`belief_games`) are followed from the seat of the declarer and from that of the opening
leader, at every stage, and the posterior of each model is compared with the cards as they were
dealt. Stages: 1, 2 and 3 calls made (three hidden hands), then 0 to 12 tricks played (two hidden
hands). All models weight the same layouts: a uniform sample of those that fit the view, or all of
them if they are few. From a sample, a chance is shrunk towards the uniform one, which counts as one
more layout, so that none is ever 0. A game is one observation: intervals resample games.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.beliefs.posterior import RESPONSES
from tribridge.common import codec, stats
from tribridge.common.errors import FormatError, quantity
from tribridge.common.files import load_arrays
from tribridge.common.stats import Interval
from tribridge.common.tables import corrected, in_percent
from tribridge.lab.studies.beliefs import (
    AFTER_AUCTION,
    BOTH,
    CALL_STAGES,
    CHOSEN,
    NAMES,
    STAGES,
    UNIFORM,
    Bits,
    Gain,
    Held,
    Leads,
    Result,
    Sharpness,
    Wins,
)
from tribridge.strategies.versions import Version, list_versions

FILE: Final = Path(__file__).parent.parent / "data" / "belief_games.npz"
"""The scores from which the result in the package was made."""
STRATEGIES: Final = ("forecast+learned@1", "points+maxims", "learned@1+learned@1")
"""Who plays the games; they change seats from deal to deal."""
VIEWERS: Final = ("declarer", "leader")
LEADER: Final = VIEWERS.index("leader")
BINS: Final = 10
CALLS_ONLY: Final = 4
"""The models before this one look at calls alone; the others have nothing to add before play."""
LEARNED_STAGES: Final = tuple(CALL_STAGES + tricks for tricks in (1, 2, 4))
"""Where the likelihood of the playing network is computed, which takes long."""
_SEED: Final = 1
_LEAST: Final = 8
"""Fewer games at a stage are not shown."""
_PHASES: Final = {
    "auction": range(CALL_STAGES),
    AFTER_AUCTION: range(CALL_STAGES, CALL_STAGES + 1),
    "tricks 1, 2 and 4": LEARNED_STAGES,
    "all of the play": range(CALL_STAGES + 1, STAGES),
}

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]


class Game(NamedTuple):
    """A game: the deal's number, calls and cards in words."""

    number: int
    calls: str
    cards: str


@dataclass(frozen=True, eq=False)
class Scores:
    """What the models said about the games; NaN where a stage or an answer does not exist.

    Shapes: (games, viewers, stages) for `cards`, `layouts`, `leads` and `shown`, with models as a
    fourth axis for the answers; `bins` are (games, 2 phases, models, bins, 3).
    """

    numbers: NDArray[np.int64]
    calls: NDArray[np.str_]
    plays: NDArray[np.str_]
    played_by: NDArray[np.str_]
    """The versions of the strategies, as JSON."""
    cards: F32
    """Unseen cards."""
    layouts: F32
    """The logarithm to base 10 of how many layouts fit the view."""
    shown: F32
    """Suits in which a hidden hand has shown out."""
    won: F32
    """Whether the card that the viewer's side led next won its trick."""
    bits: F32
    """The sum over unseen cards of -log2 of the chance given to the hand that holds it."""
    effective: F32
    """The effective sample size as a share of the layouts drawn."""
    wins: F32
    """The chance given to the card led next, by response (a fifth axis, `RESPONSES`)."""
    captures: F32
    """Mean and standard deviation of Algorithm 2's T (a fifth axis), for declarer and dummy."""
    tricks: F32
    """The forecast's expected tricks in the contract."""
    lost: F32
    """Tricks that the lead chosen by the model loses on the true deal, double dummy."""
    true_captures: F32
    """(games,)"""
    true_tricks: F32
    """(games,): as played."""
    bins: F32
    """For each tenth of the chance that a given hand holds a card: answers, their sum, hits."""

    def __len__(self) -> int:
        return len(self.numbers)

    def games(self) -> list[Game]:
        """The games that were scored."""
        rows = zip(self.numbers.tolist(), self.calls.tolist(), self.plays.tolist(), strict=True)
        return [Game(*row) for row in rows]

    @property
    def versions(self) -> tuple[Version, ...]:
        """The strategies that played the games, in all their versions."""
        texts = dict.fromkeys(self.played_by.tolist())
        played = (codec.loads(text, list[Version]) for text in texts)
        return tuple(dict.fromkeys(version for each in played for version in each))


def load_scores(file: IO[bytes], name: str) -> Scores:
    """Read a file of scores; anything else is refused."""
    refusal = f"{name}: not scores of beliefs"
    arrays = load_arrays(file, refusal)
    arrays.setdefault("played_by", np.full(len(arrays.get("numbers", ())), "[]"))
    if missing := [field.name for field in fields(Scores) if field.name not in arrays]:
        raise FormatError(f"{refusal}: it has no {missing[0]}")
    halves = {name: array for name, array in arrays.items() if array.dtype == np.float16}
    return Scores(**arrays | {name: half.astype(np.float32) for name, half in halves.items()})


def kept_scores() -> Scores:
    """The scores from which the result in the package was made."""
    with FILE.open("rb") as file:
        return load_scores(file, FILE.name)


def result_of(scores: Scores) -> Result:
    """What the scores of the models show."""
    uniform = _per_card(
        scores.bits[:, :, CALL_STAGES, NAMES.index(UNIFORM)], scores.cards[:, :, CALL_STAGES]
    )
    first, opening, later = (
        float(f"{10 ** np.nanmedian(scores.layouts[:, :, stage].astype(float)):.4g}")
        for stage in (0, CALL_STAGES, CALL_STAGES + 4)
    )  # the logarithms are no more precise
    return Result(
        len(scores),
        int((~np.isnan(scores.lost)).any((1, 2, 3)).sum()),
        f"{len(scores):,} games of {', '.join(STRATEGIES)} ({list_versions(scores.versions)}) in "
        f"changing seats, seen by the declarer and the opening leader, played and scored "
        "beforehand by `python -m benchmarks.belief_games`",
        tuple(_bits(scores)),
        corrected(_gains(scores)),
        tuple(_calibration(scores)),
        tuple(_wins(scores)),
        corrected(_lost(scores)),
        uniform.estimate,
        _shown_out(scores),
        (first, opening, later),
        _sharpness(scores),
    )


def stage_name(stage: int) -> str:
    """A stage in words."""
    if stage < CALL_STAGES:
        return quantity(stage + 1, "call")
    return quantity(stage - CALL_STAGES, "trick")


def _per_card(bits: Any, cards: Any) -> Interval:
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


def _bits(scores: Scores) -> Iterator[Bits]:
    for at, name in enumerate(NAMES):
        for stage in range(STAGES):
            bits, cards = scores.bits[:, :, stage, at], scores.cards[:, :, stage]
            there = ~np.isnan(bits)
            if there.any(1).sum() < _LEAST or not cards[there].sum():
                continue
            effective = 100 * float(np.nanmean(scores.effective[:, :, stage, at]))
            layouts = float(10 ** np.nanmedian(scores.layouts[:, :, stage]))
            span = _per_card(bits, cards)
            views = int(there.sum())
            yield Bits(name, stage, stage_name(stage), views, layouts, span, effective)


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


def _gains(scores: Scores) -> Iterator[Gain]:
    for phase, stages in _PHASES.items():
        for at, name in enumerate(NAMES):
            learned = at == len(NAMES) - 1
            if name == UNIFORM or (at >= CALLS_ONLY and phase.startswith("auction")):
                continue
            if learned and phase == "all of the play":
                continue
            values = saved_bits(scores, name, stages)
            if len(values) < _LEAST:
                continue
            mean, p = stats.mean_interval(values), stats.paired(values).p
            yield Gain(name, phase, len(values), mean, p)


def _calibration(scores: Scores) -> Iterator[Held]:
    for which, phase in enumerate(("auction", "play")):
        for at, name in enumerate(NAMES):
            for number in range(BINS):
                answers, said, hits = scores.bins[:, which, at, number].T.astype(float)
                if (answers > 0).sum() < _LEAST:
                    continue
                share = stats.clustered_proportion(hits, answers)
                chance = f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}"
                mean = 100 * float(said.sum() / answers.sum())
                yield Held(name, phase, chance, int(answers.sum()), mean, in_percent(share))


def _wins(scores: Scores) -> Iterator[Wins]:
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
            yield Wins(
                name,
                response,
                size,
                100 * float(chance.sum() / size),
                100 * rate,
                in_percent(off),
                float(brier.sum() / size),
                float(base.sum() / size),
                gain,
            )


def _lost(scores: Scores) -> Iterator[Leads]:
    for who, viewer in (*enumerate(VIEWERS), (None, BOTH)):
        sides = slice(None) if who is None else slice(who, who + 1)
        plain = scores.lost[:, sides, :, NAMES.index(UNIFORM)]
        for at, name in enumerate(NAMES):
            lost = scores.lost[:, sides, :, at]
            there = ~np.isnan(lost)
            counts = there.sum((1, 2))
            if (counts > 0).sum() < _LEAST:
                continue
            gap = np.where(there, plain - lost, 0).sum((1, 2), dtype=float)
            values = stats.per_count(gap, counts)
            saved, p = (
                (None, None)
                if name == UNIFORM
                else (stats.mean_interval(values), stats.paired(values).p)
            )
            yield Leads(viewer, name, int(counts.sum()), float(lost[there].mean()), saved, p)


def _sharpness(scores: Scores) -> Sharpness:
    at = NAMES.index(CHOSEN)
    opening = scores.captures[:, LEADER, CALL_STAGES, at].astype(float)
    later = scores.captures[:, LEADER, CALL_STAGES + 4, at].astype(float)
    truth = scores.true_captures.astype(float)
    tricks = scores.true_tricks.astype(float)
    said = scores.tricks[:, LEADER, CALL_STAGES, at].astype(float)
    return Sharpness(
        stats.mean_interval(opening[:, 1] - later[:, 1]),
        stats.mean_interval((truth.mean() - truth) ** 2 - (opening[:, 0] - truth) ** 2),
        float(np.abs(opening[:, 0] - tricks).mean()),
        float(np.abs(said - tricks).mean()),
    )


def _shown_out(scores: Scores) -> Interval:
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
    return stats.bootstrap(sums, stats.ratio, _SEED)
