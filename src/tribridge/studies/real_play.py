"""What `learned` makes: the tricks of the learned player beside double dummy.

The same deals, declarers and dummies twice: solved double dummy, and played out by the strategy
`learned` in all four chairs, each of which sees only what it may see (`training.real_play`). Every
strain is played in a contract at the level that the forecast expects from declarer's and dummy's
hands, and the forecast's expected tricks are also what contracts are grouped by: grouping by the
double-dummy result would compare deals that turned out lucky with how they turn out on average.

The package has the counts only (`real_play.npz`, written by `tribridge train differences`), with
one declarer per deal, so that the deals of a row are independent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources
from typing import IO, Annotated, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import Strain, Suit
from tribridge.double_dummy.labels import Labels
from tribridge.errors import FormatError, SettingError
from tribridge.files import dumps_arrays, load_arrays
from tribridge.forecast.distribution import TRICKS, means
from tribridge.forecast.kinds import find_forecaster
from tribridge.masks import lengths
from tribridge.stats import Interval
from tribridge.studies import drawing
from tribridge.studies.study import Figure, Study

LONGEST: Final = len(Strain)
"""The place of the longest suit of both hands (the higher of two equal ones), after the strains."""
SIZES: Final = (LONGEST + 1, TRICKS + 1, TRICKS + 1, TRICKS + 1, TRICKS + 1)
FITS: Final = {"5 or fewer": (0, 5), "6": (6, 6), "7": (7, 7), "8": (8, 8), "9": (9, 9),
               "10 or more": (10, 13)}  # fmt: skip
"""Trumps in declarer's and dummy's hands together: first and last of each group."""
BOOK: Final = 6
LEAST: Final = 30
"""Groups with fewer contracts are left out."""

_SUITS: Final = tuple(suit.index for suit in Suit)
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Differences:
    """Counts of contracts by strain, fit, expected tricks, double-dummy tricks and tricks played.

    The fit of notrump is 0.
    """

    source: str
    """The deals, in words."""
    counts: Counts
    """(strains and the longest suit, fit, expected, double dummy, played): `SIZES`."""

    def of(
        self, places: tuple[int, ...], fits: tuple[int, int] = (0, 13), expected: int | None = None
    ) -> Counts:
        """Contracts by double-dummy tricks and tricks played, in some strains: (14, 14)."""
        chosen = self.counts[list(places), fits[0] : fits[1] + 1]
        chosen = chosen if expected is None else chosen[:, :, expected : expected + 1]
        return np.asarray(chosen.sum((0, 1, 2)))


def count_differences(solved: Labels, played: Labels) -> Differences:
    """Count how the tricks of played deals differ from the double-dummy tricks of the same deals.

    Of labels with three declarers per deal, one is taken.
    """
    if solved.work.player or not played.work.player:
        raise SettingError(
            f"expected double-dummy labels and played ones, not {solved.work} and {played.work}"
        )
    if replace(played.work, player="") != solved.work or solved.work.strains != tuple(Strain):
        raise SettingError(f"{solved.work} and {played.work} are not the same deals in all strains")
    common = np.intersect1d(solved.numbers, played.numbers)
    if not len(common):
        raise SettingError(f"{solved.title} and {played.title} have no deals in common")
    solved, played = (
        Labels(each.work, common, each.tricks[np.isin(each.numbers, common)]).one_declarer()
        for each in (solved, played)
    )
    hands, dummies, truth = solved.pairs()
    taken = played.pairs()[2]
    fits = np.zeros((len(hands), LONGEST + 1), np.int64)
    fits[:, : len(_SUITS)] = lengths(hands) + lengths(dummies)
    longest = len(_SUITS) - 1 - np.argmax(fits[:, len(_SUITS) - 1 :: -1], axis=1)
    fits[:, LONGEST] = fits.max(1)
    wanted = np.rint(means(find_forecaster("net").from_pair(hands, dummies))).astype(np.int64)
    counts = np.zeros(SIZES, np.int64)
    for place in range(LONGEST + 1):
        strain = longest if place == LONGEST else np.full(len(hands), place)
        rows = np.arange(len(hands))
        cell = fits[:, place], wanted[rows, strain], truth[rows, strain], taken[rows, strain]
        places = np.ravel_multi_index(cell, SIZES[1:])
        counts[place] = np.bincount(places, minlength=counts[place].size).reshape(SIZES[1:])
    return Differences(played.title, counts)


def dumps_differences(differences: Differences) -> bytes:
    """The counts as a NumPy file."""
    counts = differences.counts.astype(np.int32)
    return dumps_arrays({"source": np.array(differences.source), "counts": counts})


def load_differences(file: IO[bytes], name: str) -> Differences:
    """Read such a file; anything else is refused."""
    refusal = f"{name}: not counts of played deals"
    arrays = load_arrays(file, refusal)
    if arrays.keys() != {"source", "counts"}:
        raise FormatError(f"{refusal}: it has {', '.join(arrays)}")
    counts = arrays["counts"].astype(np.int64)
    if counts.shape != SIZES:
        raise FormatError(f"{name}: counts of shape {counts.shape}, expected {SIZES}")
    return Differences(str(arrays["source"]), counts)


def shipped_differences() -> Differences:
    """The counts that come with the package."""
    with resources.files("tribridge.studies").joinpath("real_play.npz").open("rb") as file:
        return load_differences(file, "real_play.npz")


@dataclass(frozen=True, slots=True)
class Summary:
    """Tricks played beside double dummy, over some contracts."""

    contracts: int
    double_dummy: float
    played: float
    gap: Annotated[Interval, "played - double dummy"]
    sd: float
    shares: Annotated[tuple[float, float, float], "% more", "% equal", "% fewer"]


@dataclass(frozen=True, slots=True)
class InStrain:
    """Tricks played and double dummy, by strain.

    {note} The interval of all suits is for four contracts per deal that depend on each other
    completely.
    """

    contract: str
    summary: Summary


@dataclass(frozen=True, slots=True)
class AtLevel:
    """Tricks played and double dummy, by expected tricks.

    {note}
    """

    contract: str
    expected: Annotated[int, "expected tricks"]
    summary: Summary


@dataclass(frozen=True, slots=True)
class WithFit:
    """Tricks played and double dummy, by fit.

    {note} Fit: trumps in both hands; in any suit the interval is the widest possible.
    """

    contract: str
    fit: str
    expected: Annotated[int | None, "expected tricks"]
    summary: Summary


@dataclass(frozen=True, slots=True)
class Result:
    """Played tricks beside double dummy, by strain, level and fit."""

    source: str
    strains: Annotated[tuple[InStrain, ...], "real-play-strains"]
    levels: Annotated[tuple[AtLevel, ...], "real-play-levels"]
    fits: Annotated[tuple[WithFit, ...], "real-play-fits"]

    @property
    def note(self) -> str:
        """The deals, and what is expected of them."""
        return (
            f"{self.source}; expected tricks are those of the double-dummy forecast from 26 cards."
        )


def summary(counts: Counts, clusters: int = 1) -> Summary:
    """A summary of contracts by double-dummy tricks and tricks played.

    With `clusters` contracts per deal, the interval is the widest possible: as if they differed
    only from deal to deal.
    """
    tricks = np.arange(TRICKS + 1)
    size = int(counts.sum())
    gap = tricks[None, :] - tricks[:, None]
    mean = float((counts * gap).sum() / size)
    sd = float(np.sqrt((counts * (gap - mean) ** 2).sum() / max(size - 1, 1)))
    margin = 1.96 * sd / float(np.sqrt(size / clusters))
    more, equal, fewer = (
        float(100 * counts[part].sum() / size) for part in (gap > 0, gap == 0, gap < 0)
    )
    return Summary(
        size,
        float((counts.sum(1) * tricks).sum() / size),
        float((counts.sum(0) * tricks).sum() / size),
        Interval(mean, mean - margin, mean + margin),
        sd,
        (more, equal, fewer),
    )


def result_of(found: Differences) -> Result:
    """Played tricks beside double dummy, by strain, level and fit."""
    strains, levels, fits = _strains(found), _levels(found), _fits(found)
    return Result(found.source, tuple(strains), tuple(levels), tuple(fits))


_CONTRACTS: Final = {"notrump": (int(Strain.NOTRUMP),), "longest suit": (LONGEST,)}


def _strains(found: Differences) -> Iterator[InStrain]:
    for strain in Strain:
        yield InStrain(strain.name.lower(), summary(found.of((strain.index,))))
    yield InStrain("any suit", summary(found.of(_SUITS), len(_SUITS)))
    yield InStrain("longest suit", summary(found.of((LONGEST,))))


def _levels(found: Differences) -> Iterator[AtLevel]:
    for name, places in _CONTRACTS.items():
        for expected in range(TRICKS + 1):
            counts = found.of(places, expected=expected)
            if counts.sum() >= LEAST:
                yield AtLevel(name, expected, summary(counts))


def _fits(found: Differences) -> Iterator[WithFit]:
    for fit, bounds in FITS.items():
        counts = found.of(_SUITS, bounds)
        if counts.sum() >= LEAST:
            yield WithFit("any suit", fit, None, summary(counts, len(_SUITS)))
    for fit, bounds in FITS.items():
        for expected in (None, *range(BOOK + 1, TRICKS + 1)):
            counts = found.of((LONGEST,), bounds, expected)
            if counts.sum() >= LEAST:
                yield WithFit("longest suit", fit, expected, summary(counts))


def draw(result: Result) -> drawing.Drawing:
    """Tricks played minus double dummy, by level and fit.

    Above 0 `learned` takes more tricks than double dummy allows, below 0 fewer: by the tricks that
    declarer's and dummy's hands promise (left) and by the number of trumps (right).
    """
    figure, panels = drawing.new_figure(11.4, 4.2, 2, sharey=True)
    for contract, look, shift in (
        ("notrump", (drawing.NAVY, "o"), 0.0),
        ("longest suit", (drawing.ORANGE, "s"), 0.08),
    ):
        levels = [row for row in result.levels if row.contract == contract]
        places = [row.expected + shift for row in levels]
        drawing.plot_spans(
            panels[0], places, [row.summary.gap for row in levels], look, label=contract
        )
    names = [row.fit for row in result.fits if row.contract == "any suit"]
    for at, (label, contract, expected, look) in enumerate(
        (
            ("any suit", "any suit", None, (drawing.GREY, "D")),
            ("longest suit, 8 tricks expected", "longest suit", 8, (drawing.BLUE, "s")),
            ("longest suit, 10 tricks expected", "longest suit", 10, (drawing.RED, "^")),
        )
    ):
        fits = [r for r in result.fits if (r.contract, r.expected) == (contract, expected)]
        places = [names.index(row.fit) + 0.08 * at for row in fits]
        drawing.plot_spans(panels[1], places, [row.summary.gap for row in fits], look, label=label)
    panels[1].set_xticks(range(len(names)), [name.replace(" or ", "\nor ") for name in names])
    expected_label = "tricks expected from declarer's and dummy's hands"
    drawing.name_axes(
        panels[0], "By expected tricks", expected_label, "tricks: played - double dummy"
    )
    drawing.name_axes(panels[1], "By fit", "trumps in declarer's and dummy's hands")
    for axes in panels:
        axes.axhline(0, color="black", linewidth=1)
        axes.legend()
    return figure


STUDY: Final[Study[None, Result]] = Study(
    name="real-play",
    title="What the player learned makes",
    order=90,
    paper=None,
    quick=None,
    run=lambda size, seed, runner: result_of(shipped_differences()),
    figures=(Figure("real-play", "real-play-levels", draw),),
)
