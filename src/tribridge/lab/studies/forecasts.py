"""Forecasts on labelled deals, and their calibration: chances beside what came of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Strain
from tribridge.cards.masks import F64
from tribridge.common import stats
from tribridge.common.stats import Interval
from tribridge.common.tables import PERCENT, in_percent
from tribridge.forecast.distribution import TRICKS, at_least
from tribridge.forecast.kinds import SOLVED, find_forecaster
from tribridge.forecast.sure import possible
from tribridge.lab.labels.labels import Labels
from tribridge.lab.studies import drawing

GROUPS: Final = {"suits": slice(0, 4), "notrump": slice(4, 5)}
BINS: Final = 10
BOOK: Final = 6
_DRAWN: Final = 10
"""Contracts a bin needs to be drawn."""


@dataclass(frozen=True, eq=False)
class Forecasts:
    """The forecasts of one kind for labelled declarers: chances (deals, declarers, 5, 14)."""

    kind: str
    cards: int
    chances: NDArray[Any]

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.cards} cards"


@dataclass(frozen=True, slots=True)
class Bin:
    """The contracts with a chance in one tenth, and how often they make."""

    chance: str
    contracts: int
    mean: Annotated[float, "mean chance %", PERCENT]
    made: Annotated[Interval, "% made", "made from", "made to", PERCENT]
    difference: Annotated[float, PERCENT]


@dataclass(frozen=True, slots=True)
class Calibration:
    """The alternatives' chances of making each level in notrump, in ten bins.

    {note} Levels 1 to 7 of every declarer; Wilson's intervals with the design effect.
    """

    forecast: str
    cards: int
    strains: str
    bin: Bin


def forecasts_on(labels: Labels, kinds: Sequence[str] = SOLVED) -> list[Forecasts]:
    """All kinds on all declarers of labelled deals, from 13 and from 26 cards."""
    hands, dummies, _ = labels.pairs()
    shape = (len(labels), -1, len(Strain), TRICKS + 1)
    forecasts = []
    for kind in kinds:
        forecaster = find_forecaster(kind)
        forecasts.append(
            Forecasts(kind, 13, possible(forecaster.from_hand(hands), hands).reshape(shape))
        )
        two = possible(forecaster.from_pair(hands, dummies), hands, dummies)
        forecasts.append(Forecasts(kind, 26, two.reshape(shape)))
    return forecasts


def calibration(labels: Labels, forecasts: Sequence[Forecasts]) -> Iterator[Calibration]:
    """Chances of making each level in ten bins, compared with how often it makes."""
    shape = (len(labels), -1)
    for forecast in forecasts:
        for group, strains in GROUPS.items():
            said = at_least(forecast.chances[..., strains, :])[..., BOOK + 1 :]
            made = labels.tricks[..., strains, None] > np.arange(BOOK, TRICKS)
            for bin_ in calibration_bins(said.reshape(shape), made.reshape(shape)):
                yield Calibration(forecast.kind, forecast.cards, group, bin_)


def calibration_bins(said: F64, made: NDArray[np.bool_]) -> Iterator[Bin]:
    """Chances and what came of them in ten bins, one row per deal (deals, contracts)."""
    number = np.minimum((said * BINS).astype(np.int64), BINS - 1)
    for at in range(BINS):
        chosen = number == at
        if total := int(chosen.sum()):
            mean = 100 * float(said[chosen].mean())
            hits = stats.clustered_proportion((made & chosen).sum(axis=1), chosen.sum(axis=1))
            share = in_percent(hits)
            yield Bin(f"{10 * at}-{10 * at + 10}%", total, mean, share, share.estimate - mean)


def draw_calibration(rows: Sequence[Calibration]) -> drawing.Drawing:
    """How much more often contracts make than forecast, in ten bins of chances."""
    shown = [row for row in rows if row.bin.contracts >= _DRAWN]
    groups = list(dict.fromkeys((row.strains, row.cards) for row in shown))
    figure, panels = drawing.new_figure(11.4, 3.6, len(groups), squeeze=False, sharey=True)
    looks = {
        "net": (drawing.RED, "o"),
        "points": (drawing.BLUE, "s"),
        "capture": (drawing.ORANGE, "^"),
    }
    for axes, (strains, cards) in zip(panels[0], groups, strict=True):
        axes.axhspan(
            -2, 2, color=drawing.GREY, alpha=0.2, linewidth=0, label="within 2 percentage points"
        )
        axes.axhline(0, color="black", linewidth=1)
        for kind, look in looks.items():
            place = kind, strains, cards
            mine = [r.bin for r in shown if (r.forecast, r.strains, r.cards) == place]
            if mine:
                means, gaps = [row.mean for row in mine], [row.made - row.mean for row in mine]
                drawing.plot_spans(axes, means, gaps, look, markersize=5, linewidth=1, label=kind)
        drawing.name_axes(axes, f"{cards} cards, {strains}", "forecast chance, %")
        axes.set_xlim(-3, 103)
    panels[0][0].set_ylabel("actual - forecast, percentage points")
    drawing.legend_below(figure, panels[0][0])
    return figure
