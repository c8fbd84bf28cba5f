"""Bayesian estimation and opponent modelling, as the paper sketches them, on real games.

Games between different strategies are followed from two seats, the declarer's and the opening
leader's: after each call and each trick, every model of calls and plays gives a posterior over the
hidden hands. It is judged by proper scores: bits, minus the logarithm of the chance given to the
hand that holds a card, averaged over the unseen cards; and the Brier score of the chance that a
card led wins its trick. Playing and scoring the games takes minutes, so the package has the result
(`beliefs.json`, written by `benchmarks/belief_games.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final

from tribridge.beliefs.posterior import LIMIT
from tribridge.common.stats import Interval
from tribridge.common.tables import BITS, P_VALUE, PERCENT, TRICKS
from tribridge.lab.studies.claims import (
    FAILS,
    HOLDS,
    UNDECIDED,
    Claim,
    claim,
    p_text,
    side,
    sided,
    within,
)
from tribridge.lab.studies.drawing import GREY, LOOKS, Drawing, name_axes, new_figure, plot_spans
from tribridge.lab.studies.study import Figure, Study, stored

CALL_STAGES: Final = 3
"""Stages: 1, 2 and 3 calls made, then 0 to 12 tricks played."""
STAGES: Final = CALL_STAGES + 13
UNIFORM: Final = "uniform"
CHOSEN: Final = "forecast"
"""The model by which the paper's claims are judged: the one that the project's advice uses."""
NAMES: Final = (
    UNIFORM,
    "capture",
    "points",
    CHOSEN,
    "forecast + random plays",
    "forecast + learned plays",
)
"""The models of how the hidden hands were called and played."""
BOTH: Final = "both"
AFTER_AUCTION: Final = "auction over"
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
    bits: Annotated[Interval, "bits a card", BITS]
    effective: Annotated[float, "effective sample, %", PERCENT]


@dataclass(frozen=True, slots=True)
class Gain:
    """Bits a card that a model saves compared with no model.

    {source}. The same views for both; paired over games, Holm's correction over the table.
    """

    model: str
    phase: str
    games: int
    saved: Annotated[Interval, "bits saved", BITS]
    p: Annotated[float, P_VALUE]
    holm: Annotated[float, "p (Holm)", P_VALUE] = 1.0


@dataclass(frozen=True, slots=True)
class Held:
    """Calibration: how often a hand holds a card, by the chance it was given.

    {source}. Intervals treat the answers of a game as one observation.
    """

    model: str
    phase: str
    chance: str
    answers: int
    mean: Annotated[float, "mean chance, %", PERCENT]
    holds: Annotated[Interval, "holds, %", PERCENT]


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
    mean: Annotated[float, "mean chance, %", PERCENT]
    won: Annotated[float, "won, %", PERCENT]
    off: Annotated[Interval, "chance - won", PERCENT]
    brier: Annotated[float, "Brier score"]
    base: Annotated[float, "base rate's"]
    gain: Annotated[Interval, "better by", "better from", "better to"]


@dataclass(frozen=True, slots=True)
class Leads:
    """What a model is worth in tricks: leads chosen over the layouts it prefers.

    {source}. Each of the same layouts is solved double dummy, the lead with the best weighted mean
    is chosen, and judged double dummy on the true deal. Paired over games, Holm's correction over
    the table. These games are few; the study `opponents` has more leads, and complete games.
    """

    viewer: str
    model: str
    leads: int
    lost: Annotated[float, "tricks lost a lead", TRICKS]
    saved: Annotated[Interval | None, "saved compared with no model", TRICKS]
    p: Annotated[float | None, P_VALUE]
    holm: Annotated[float | None, "p (Holm)", P_VALUE] = None


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

    def chosen_wins(self) -> dict[str, Wins]:
        """The chances of the model `forecast`, by assumed response."""
        return {wins.response: wins for wins in self.wins if wins.model == CHOSEN}


def claims(result: Result) -> list[Claim]:
    """What the paper says about Bayesian estimation."""
    calls = result.gain()
    wins, shown, sharp = result.chosen_wins(), result.shown_out, result.sharpness
    auction, opening, later = result.layouts
    stages = [row for row in result.bits if row.model == UNIFORM]
    stronger = shown.low > max(0, calls.saved.high)
    weaker = shown.high < max(0, calls.saved.low)
    return [
        claim(
            "beliefs.bids-leak",
            sided([side(calls.saved, calls.holm)]),
            calls=calls,
            p=p_text(calls.holm),
            result=result,
        ),
        claim(
            "beliefs.showing-out",
            HOLDS if stronger else FAILS if weaker else UNDECIDED,
            calls=calls,
            result=result,
        ),
        claim(
            "beliefs.too-many-layouts",
            lambda limit: sided(1 if row.layouts > limit else -1 for row in stages),
            opening=opening,
            later=later,
            auction=_power(auction),
            small=next((row.stage for row in stages if row.layouts <= LIMIT), "no stage"),
            exactly=LIMIT,
        ),
        claim(
            "beliefs.card-wins",
            lambda limit: _any(min(within(w.off, limit), side(w.gain)) for w in wins.values()),
            responses="; ".join(
                f"response {way}: chance less share {w.off:+.1f} percentage points, Brier "
                f"score better by {w.gain:+.3f}"
                for way, w in wins.items()
            ),
        ),
        claim("beliefs.sharpens", sided([side(sharp.sharper)]), sharpness=sharp),
        claim("beliefs.expectation", sided([side(sharp.gain)]), sharpness=sharp),
    ]


def _power(value: float) -> str:
    """A large number as people write it.

    >>> _power(84_478_167_011_751_744.0)
    '8.4 · 10¹⁶'
    """
    digits, power = f"{value:.1e}".split("e")
    return f"{digits} · 10{str(int(power)).translate(_RAISED)}"


_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _any(sides: Iterable[int]) -> str:
    """The verdict of a claim that one comparison is enough for: none of them may be unclear."""
    distinct = set(sides)
    return HOLDS if 1 in distinct else FAILS if distinct == {-1} else UNDECIDED


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
    run=lambda size, seed, runner: stored("beliefs", Result),
    claims=claims,
    figures=(
        Figure("beliefs", "beliefs-bits", draw),
        Figure("beliefs-calibration", "beliefs-calibration", draw_calibration),
    ),
)
