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
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import stats
from tribridge.beliefs.posterior import RESPONSES
from tribridge.errors import quantity
from tribridge.stats import Interval
from tribridge.strategies.versions import list_versions
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
    shipped_scores,
)
from tribridge.studies.claims import (
    FAILS,
    HOLDS,
    UNDECIDED,
    Claim,
    claim,
    p_text,
    side,
    sided,
    signed,
    within,
)
from tribridge.studies.drawing import GREY, LOOKS, Drawing, name_axes, new_figure, plot_spans
from tribridge.studies.study import Figure, Study
from tribridge.studies.tables import corrected, in_percent

F64 = NDArray[np.float64]

_SEED: Final = 1
_LEAST: Final = 8
"""Fewer games at a stage are not shown."""
LEADER: Final = VIEWERS.index("leader")
CHOSEN: Final = "forecast"
"""The model by which the paper's claims are judged: the one that the project's advice uses."""
BOTH: Final = "both"
AFTER_AUCTION: Final = "auction over"
_PHASES: Final = {
    "auction": range(CALL_STAGES),
    AFTER_AUCTION: range(CALL_STAGES, CALL_STAGES + 1),
    "tricks 1, 2 and 4": LEARNED_STAGES,
    "all of the play": range(CALL_STAGES + 1, STAGES),
}
_LOOKS: Final = dict(zip(NAMES, LOOKS, strict=True))
"""A colour and a marker for each model."""


@dataclass(frozen=True, slots=True)
class Bits:
    """How well each model locates the hidden cards, by stage.

    {source}. Bits: minus log2 of the chance given to the hand that holds a card, mean over the
    unseen cards; lower is better, 0 is certainty. 95% intervals from resampling games. The
    likelihood of the playing network was computed at three stages of {deep:,} games.
    """

    model: str
    number: Annotated[int, None]
    stage: str
    views: int
    layouts: Annotated[float, "layouts (median)"]
    bits: Annotated[Interval, "bits a card"]
    effective: Annotated[float, "effective sample, %"]


@dataclass(frozen=True, slots=True)
class Gain:
    """Bits a card that a model saves compared with no model.

    {source}. The same views for both; paired over games, Holm's correction over the table.
    """

    model: str
    phase: str
    games: int
    saved: Annotated[Interval, "bits saved"]
    p: float
    holm: Annotated[float, "p (Holm)"] = 1.0


@dataclass(frozen=True, slots=True)
class Held:
    """Calibration: how often a hand holds a card, by the chance it was given.

    {source}. Intervals treat the answers of a game as one observation.
    """

    model: str
    phase: str
    chance: str
    answers: int
    mean: Annotated[float, "mean chance, %"]
    holds: Annotated[Interval, "holds, %"]


@dataclass(frozen=True, slots=True)
class Wins:
    """The chance that the card led wins the trick.

    {source}, at every lead of the viewer's side. Best: opponents beat the card if they can, as in
    the paper's formula; random: everyone plays any legal card. Base rate: always giving the share
    that won.
    """

    model: str
    response: Annotated[str, "others respond"]
    leads: int
    mean: Annotated[float, "mean chance, %"]
    won: Annotated[float, "won, %"]
    off: Annotated[Interval, "chance - won"]
    brier: Annotated[float, "Brier score"]
    base: Annotated[float, "base rate's"]
    gain: Annotated[Interval, "better by", "95% from ", "to "]


@dataclass(frozen=True, slots=True)
class Leads:
    """What a model is worth in tricks: leads chosen over the layouts it prefers.

    {source}. Each of the same layouts is solved double dummy, the lead with the best weighted mean
    is chosen, and judged double dummy on the true deal. Paired over games, Holm's correction over
    the table. For complete games of players with and without the model: `tribridge arena match
    points+sampling:layouts=12 points+sampling:layouts=12,calls=true --deals 100`.
    """

    viewer: str
    model: str
    leads: int
    lost: Annotated[float, "tricks lost a lead"]
    saved: Annotated[Interval | None, "saved compared with no model"]
    p: float | None
    holm: Annotated[float | None, "p (Holm)"] = None


@dataclass(frozen=True, slots=True)
class Sharpness:
    """The opening leader's beliefs about T, by the model `forecast`."""

    sharper: Interval
    """By how much the standard deviation of T is smaller after four tricks."""
    gain: Interval
    """By how much the squared error of E[T] is smaller than that of the mean T."""
    error: float
    """The absolute error of E[T] against the tricks taken."""
    forecast_error: float


@dataclass(frozen=True, slots=True)
class Result:
    """The scores of all models."""

    games: int
    deep: int
    """Games in which the likelihood of the playing network was computed."""
    source: str
    bits: Annotated[tuple[Bits, ...], "beliefs-bits"]
    gains: Annotated[tuple[Gain, ...], "beliefs-gains"]
    calibration: Annotated[tuple[Held, ...], "beliefs-calibration"]
    wins: Annotated[tuple[Wins, ...], "beliefs-wins"]
    leads: Annotated[tuple[Leads, ...], "beliefs-leads"]
    uniform: float
    """Bits a card without a model, once the auction is over."""
    shown_out: Interval
    """Bits a card that showing out saves."""
    layouts: tuple[float, float, float]
    """The median number in the auction, at the first trick and after four tricks."""
    sharpness: Sharpness

    def gain(self, model: str = CHOSEN, phase: str = AFTER_AUCTION) -> Gain:
        """What a model saves in a phase."""
        return next(g for g in self.gains if (g.model, g.phase) == (model, phase))

    def led(self, model: str = CHOSEN) -> Leads:
        """The leads of both viewers by a model."""
        return next(lead for lead in self.leads if (lead.viewer, lead.model) == (BOTH, model))

    def chosen_wins(self) -> dict[str, Wins]:
        """The chances of the model `forecast`, by assumed response."""
        return {wins.response: wins for wins in self.wins if wins.model == CHOSEN}


def result_of(scores: Scores, source: str = "") -> Result:
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
        f"changing seats, seen by the declarer and the opening leader{source}",
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
            gap = np.where(there, plain - lost, 0).sum((1, 2), dtype=float)[counts > 0]
            sums = np.column_stack([gap, counts[counts > 0]])
            saved, p = (
                (None, None)
                if name == UNIFORM
                else (stats.bootstrap(sums, stats.ratio, _SEED), stats.paired(gap).p)
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


def claims(result: Result) -> list[Claim]:
    """What the paper says about Bayesian estimation."""
    calls, lost, plain = result.gain(), result.led(), result.led(UNIFORM)
    wins, shown, sharp = result.chosen_wins(), result.shown_out, result.sharpness
    auction, opening, later = result.layouts
    assert lost.saved is not None
    return [
        claim(
            "beliefs.bids-leak",
            sided([side(calls.saved, calls.holm)]),
            f"{calls.model}: {signed(calls.saved, 3)} bits a card ({p_text(calls.holm)}), of "
            f"{result.uniform:.3f} without a model",
        ),
        claim(
            "beliefs.showing-out",
            HOLDS
            if shown.low > max(0, calls.saved.high)
            else FAILS
            if shown.high < max(0, calls.saved.low)
            else UNDECIDED,
            f"bits a card saved: {signed(shown, 3)}; by the calls {signed(calls.saved, 3)}",
        ),
        claim(
            "beliefs.too-many-layouts",
            lambda limit: opening > limit,
            f"about {opening:,.0f} at the first trick, {later:,.0f} after four tricks (median); in "
            f"the auction, {auction:,.0f}",
        ),
        claim(
            "beliefs.card-wins",
            lambda limit: any(within(w.off, limit) == 1 and w.gain.low > 0 for w in wins.values()),
            "; ".join(
                f"response {way}: chance less share {signed(w.off, 1)} percentage points, Brier "
                f"score better by {signed(w.gain, 3)}"
                for way, w in wins.items()
            ),
        ),
        claim(
            "beliefs.sharpens",
            sided([side(sharp.sharper)]),
            f"smaller by {signed(sharp.sharper)} captures",
        ),
        claim(
            "beliefs.expectation",
            sided([side(sharp.gain)]),
            f"squared error smaller by {signed(sharp.gain)}. Neither is a count of tricks: E[T] is "
            f"off by {sharp.error:.1f} tricks from what declarer took, the forecast's expectation "
            f"over the same layouts by {sharp.forecast_error:.1f}",
        ),
        claim(
            "beliefs.modelling-pays",
            sided([side(lost.saved, lost.holm)]),
            f"{lost.model}: {signed(lost.saved, 3)} tricks saved a lead "
            f"({p_text(lost.holm or 0)}), of {plain.lost:.3f} lost without a model, on "
            f"{plain.leads:,} leads",
        ),
    ]


def draw(result: Result) -> Drawing:
    """How well the hidden cards are located, call by call and trick by trick.

    Left: bits per unseen card by stage, lower is better; the drop at the first trick is the dummy,
    which everyone sees from then on. Right: bits saved compared with no model, with 95% intervals
    over games; above 0 the model helps.
    """
    figure, panels = new_figure(11.4, 4.4, 2, width_ratios=(3, 2))
    models = list(dict.fromkeys(row.model for row in result.bits))
    for name in models:
        colour, marker = _LOOKS[name]
        mine = [row for row in result.bits if row.model == name]
        # The lines break where the dummy is seen.
        for play in (False, True):
            rows = [row for row in mine if (row.number >= CALL_STAGES) == play]
            panels[0].plot(
                [row.number for row in rows],
                [row.bits.estimate for row in rows],
                f"-{marker}",
                color=colour,
                markersize=4.5,
                linewidth=1.3,
                label=name if play else None,
            )
    panels[0].axvline(CALL_STAGES - 0.5, color=GREY, linestyle=":", linewidth=1)
    shown = [*range(CALL_STAGES), *range(CALL_STAGES, STAGES, 2)]
    labels = [f"{s + 1}" if s < CALL_STAGES else f"{s - CALL_STAGES}" for s in shown]
    panels[0].set_xticks(shown, labels)
    panels[0].set_ylim(bottom=0)
    label = "calls made (left of the line), tricks played (right of it)"
    name_axes(panels[0], "By stage and model", label, "bits per unseen card")
    panels[0].legend(loc="lower left", fontsize=8.5)
    phases = list(dict.fromkeys(gain.phase for gain in result.gains))
    for at, name in enumerate(models):
        gains = [gain for gain in result.gains if gain.model == name]
        places = [phases.index(gain.phase) + 0.14 * (at - 3) for gain in gains]
        if gains:
            spans = [gain.saved for gain in gains]
            plot_spans(panels[1], places, spans, _LOOKS[name], "", markersize=5)
    panels[1].axhline(0, color="black", linewidth=1)
    names = [phase.replace(" 1, 2 and 4", "\n1, 2, 4").replace(" of the", "\nof the")
             .replace(" over", "\nover") for phase in phases]  # fmt: skip
    panels[1].set_xticks(range(len(phases)), names)
    name_axes(panels[1], "Compared with no model", "", "bits saved per unseen card")
    return figure


def draw_calibration(result: Result) -> Drawing:
    """Calibration of the beliefs.

    How often a hand really held a card, by the chance that the model gave it, in the auction (left)
    and in the play (right). On the diagonal the chances are right; above it they are too low.
    """
    figure, panels = new_figure(10.2, 4.4, 2, sharey=True)
    models = list(dict.fromkeys(row.model for row in result.calibration))
    for axes, phase in zip(panels, ("auction", "play"), strict=True):
        axes.plot([0, 100], [0, 100], "--", color="black", linewidth=1)
        for at, name in enumerate(models):
            mine = [r for r in result.calibration if (r.model, r.phase) == (name, phase)]
            if mine:
                places = [row.mean + 0.5 * (at - 2.5) for row in mine]
                style: dict[str, Any] = {"markersize": 4.5, "linewidth": 1, "capsize": 2}
                spans = [row.holds for row in mine]
                plot_spans(axes, places, spans, _LOOKS[name], label=name, **style)
        name_axes(axes, f"In the {phase}", "chance given, %")
    panels[0].set_ylabel("hand holds the card, %")
    panels[1].legend(loc="lower right", fontsize=8.5)
    return figure


STUDY: Final[Study[None, Result]] = Study(
    name="beliefs",
    title="Bayesian estimation and opponent modelling",
    order=110,
    paper=None,
    quick=None,
    run=lambda size, seed, runner: result_of(
        shipped_scores(), ", played and scored beforehand by `tribridge bench beliefs`"
    ),
    claims=claims,
    figures=(
        Figure("beliefs", "beliefs-bits", draw),
        Figure("beliefs-calibration", "beliefs-calibration", draw_calibration),
    ),
)
