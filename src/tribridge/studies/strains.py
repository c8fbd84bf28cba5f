"""Study 8: notrump or a suit, on the same deals.

The paper says that notrump outperforms naming a suit, but it only plays notrump. Labelled deals
give the double-dummy tricks in all five strains for the same declarer and dummy, so every
comparison is paired. Three choices of a suit are compared with notrump:

- the declarer's longest suit (the higher of two equal ones), named before the dummy is seen;
- the longest suit of both hands together (the higher of two equal ones), named with the dummy;
- the best suit on the deal, known only to someone who sees all cards.

Points are the net points of a contract under each scheme, bid in one of three ways: *to the full*,
at the highest level that makes (a deal with fewer than 7 tricks goes down at level 1); *full or
pass*, the same, but passing what does not make; always at *level 1*, the other tricks as
overtricks. Combinations of scheme and way that give the same points for every strain and number of
tricks are compared once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge import stats
from tribridge.cards import Strain, Suit
from tribridge.deals import HIDDEN, Seat
from tribridge.double_dummy.labels import Labels
from tribridge.game import Bid, Contract
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.studies import claims, claims_truth, truth
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.schemes import compared_schemes
from tribridge.studies.tables import Cell, Study, StudyTable
from tribridge.studies.truth import estimates, labelled

SUITS: Final = tuple(Strain(int(suit)) for suit in Suit)
CHOICES: Final = ("longest suit", "longest with dummy", "best suit")
BIDS: Final = ("to the full", "full or pass", "level 1")
PREMIUM: Final = "auction with game 125"
"""Trick points of auction bridge with half of the 250 points for a rubber for each game bid."""
WISE: Final = "full or pass"
BIDDERS: Final = "Algorithm 1 bids"
LEVEL_1: Final = "points, auction, level 1"
EVERYONE: Final = "all declarers"
FITS: Final = ("6 or fewer", "7", "8", "9", "10 or more")

_LENGTHS: Final = np.array([row.bit_count() for row in range(1 << 13)])

Values = NDArray[np.float64]
Chosen = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Sample:
    """Deals and declarers: tricks by strain, and which suit is which."""

    tricks: NDArray[np.int64]
    """(deals, declarers, strains)."""
    lengths: NDArray[np.int64]
    """The declarer's suit lengths: (deals, declarers, suits)."""
    together: NDArray[np.int64]
    """The same with the dummy's cards."""
    bids: Chosen
    """Whether Algorithm 1 (natural reading) bids on the hand."""


def sample(labels: Labels) -> Sample:
    """What the comparison needs from labelled deals."""
    shifts = np.uint64(13) * np.arange(4, dtype=np.uint64)
    hands = np.column_stack([labels.own_hands, labels.hands[:, HIDDEN]])
    rows = hands[:, :, None] >> shifts & np.uint64(0x1FFF)
    counts = _LENGTHS[rows.astype(np.int64)]
    own = counts[:, :-1]
    tricks = np.stack([labels.of(strain) for strain in Strain], axis=-1).astype(np.int64)
    bids = estimates(labels)["Algorithm 1"].codes >= 7
    return Sample(tricks, own, own + counts[:, -1:], bids)


def _highest(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The longest suit; the higher of two equal ones."""
    return np.asarray(3 - np.argmax(lengths[..., ::-1], axis=-1))


def _pick(values: Values, suit: NDArray[np.int64]) -> Values:
    return np.take_along_axis(values, suit[..., None], axis=-1)[..., 0]


def against(one: Sample, values: Values) -> dict[str, Values]:
    """The value in the suit of each choice; `values` is (deals, declarers, strains)."""
    suits = values[..., :4]
    return {
        "longest suit": _pick(suits, _highest(one.lengths)),
        "longest with dummy": _pick(suits, _highest(one.together)),
        "best suit": suits.max(axis=-1),
    }


def groups(one: Sample) -> dict[str, Chosen]:
    """The declarers by shape and by the fit of their longest suit."""
    ordered = np.sort(one.lengths, axis=-1)
    balanced = (ordered[..., 0] >= 2) & (ordered[..., 3] <= 5) & ((ordered == 2).sum(-1) <= 1)
    fit = _pick(one.together.astype(float), _highest(one.lengths))
    everyone = np.ones_like(balanced)
    result = {
        EVERYONE: everyone,
        "balanced": balanced,
        "not balanced": ~balanced,
        BIDDERS: one.bids,
    }
    bounds = (0, 7, 8, 9, 10, 14)
    for name, (low, high) in zip(FITS, pairwise(bounds), strict=True):
        inside = (fit >= low) & (fit < high)
        result[f"fit {name}"] = inside
        result[f"fit {name}, balanced"] = inside & balanced
        result[f"fit {name}, not balanced"] = inside & ~balanced
    return result


def points(scheme: Scheme, bid: str) -> Values:
    """Net points by strain and tricks: (strains, 14)."""

    def net(strain: Strain, tricks: int) -> float:
        if bid == WISE and tricks < 7:
            return 0.0
        level = 1 if bid == "level 1" else max(tricks - 6, 1)
        return float(scheme.net(Contract(Bid(level, strain), Seat.NORTH), tricks))

    return np.array([[net(strain, tricks) for tricks in range(14)] for strain in Strain])


def settlements() -> dict[tuple[str, str], Values]:
    """Net points by strain and tricks for each scheme and way of bidding that differ.

    The names of schemes and ways that give the same points are joined by commas. With a premium for
    game only a declarer who bids what makes is considered: bidding less would forgo the premium.
    """
    auction = find_scheme("auction")
    premium = replace(auction, game_bonus=Fraction(125), game_points=Fraction(30))
    ways = {(name, bid): points(s, bid) for name, s in compared_schemes().items() for bid in BIDS}
    distinct: list[tuple[list[str], list[str], Values]] = []
    for (name, bid), net in ways.items():
        same = next((entry for entry in distinct if np.array_equal(entry[2], net)), None)
        if same is None:
            distinct.append(([name], [bid], net))
        else:
            same[0].append(name)
            same[1].append(bid)
    joined = {
        (", ".join(dict.fromkeys(names)), ", ".join(dict.fromkeys(bids))): net
        for names, bids, net in distinct
    }
    return {**joined, (PREMIUM, WISE): points(premium, WISE)}


@dataclass(frozen=True, slots=True)
class Difference:
    """A suit compared with notrump, over some declarers."""

    size: int
    notrump: float
    suit: float
    interval: stats.Interval
    better: tuple[float, float, float]
    """Percentages of declarers: suit better, equal, notrump better."""
    test: stats.Test

    def cells(self) -> tuple[Cell, ...]:
        return (
            self.size,
            self.notrump,
            self.suit,
            self.interval.estimate,
            self.interval.low,
            self.interval.high,
            *self.better,
            self.test.statistic,
            self.test.p,
            None,
            self.test.size,
        )


_COLUMNS: Final = (
    "declarers", "notrump", "suit", "suit - notrump", "95% from", "to", "% suit better",
    "% equal", "% notrump better", "t", "p", "p (Holm)", "Cohen's d",
)  # fmt: skip
_LEAST: Final = 30
"""Groups with fewer declarers are left out."""


Pairs = Mapping[tuple[str, ...], tuple[Values, Values]]
"""What is compared: by key, the values in notrump and in a suit, (deals, declarers) each."""


def differences(pairs: Pairs, chosen: Chosen, seed: int) -> dict[tuple[str, ...], Difference]:
    """Compare over the chosen declarers; deals are the unit for tests and intervals.

    All pairs at once, since they share the resamples; empty for too small a group.
    """
    size = int(chosen.sum())
    if size < _LEAST:
        return {}
    count = chosen.sum(axis=1).astype(float)
    gaps = [np.where(chosen, suit - notrump, 0.0).sum(axis=1) for notrump, suit in pairs.values()]
    intervals = stats.bootstrap_each(
        np.column_stack([*gaps, count]), stats.ratios, seed, resamples=1000
    )
    tests = stats.paired_each([gap[count > 0] for gap in gaps])
    return {
        key: _difference(notrump[chosen], suit[chosen], interval, test)
        for (key, (notrump, suit)), interval, test in zip(
            pairs.items(), intervals, tests, strict=True
        )
    }


def _difference(
    notrump: Values, suit: Values, interval: stats.Interval, test: stats.Test
) -> Difference:
    only = suit - notrump
    better = tuple(float(100 * np.mean(part)) for part in (only > 0, only == 0, only < 0))
    spread = float(only.std(ddof=1))
    d = float(only.mean()) / spread if spread else 0.0
    return Difference(
        len(only),
        float(notrump.mean()),
        float(suit.mean()),
        interval,
        (better[0], better[1], better[2]),
        replace(test, size=d),
    )


def study(
    seed: int = 1,
    deals: int | None = None,
    progress: Callable[[int], None] = lambda n: None,
    labels: Labels | None = None,
) -> Study:
    """Notrump against the three choices of a suit, in tricks and in points."""
    labels = labelled(deals) if labels is None else labels
    one = sample(labels)
    tricks = one.tricks.astype(float)
    of_tricks: Pairs = {
        (choice,): (tricks[..., 4], suit) for choice, suit in against(one, tricks).items()
    }
    of_points: Pairs = {
        (scheme, bid, choice): (net[..., 4], suit)
        for (scheme, bid), by_tricks in settlements().items()
        for net in [by_tricks[np.arange(5), one.tricks]]
        for choice, suit in against(one, net).items()
        if choice != CHOICES[2]  # nobody can name the best suit, so its points answer no question
    }
    compared = {}
    for group, chosen in groups(one).items():
        pairs = of_tricks if ", " in group else {**of_tricks, **of_points}
        compared[group] = differences(pairs, chosen, seed)
        progress(1)
    tricks_rows, points_rows = (
        {
            (*key, group): gains[key]
            for key in pairs
            for group, gains in compared.items()
            if key in gains
        }
        for pairs in (of_tricks, of_points)
    )
    questions = tuple(_questions(tricks_rows, points_rows))
    note = (
        f"{labels.title}. "
        "Interval from resampling deals; t on the sums of deals, p corrected over the table; "
        "Cohen's d of the differences of declarers."
    )
    tables = (
        StudyTable(
            "strains-questions",
            "Which question has which answer",
            (
                "declarers",
                "suit named",
                "measured in",
                "suit - notrump",
                "95% from",
                "to",
                "p",
                "p (Holm)",
                "ahead",
            ),
            questions,
            f"{labels.title}. Points of a declarer who always bids at level 1, or who knows what "
            "makes and bids just that, and otherwise passes. A side is ahead if p is below 0.05 "
            "after Holm's correction over this table, the comparisons that the claims are judged "
            "by.",
        ),
        StudyTable(
            "strains-tricks",
            "Tricks: suit minus notrump",
            ("suit named", "group", *_COLUMNS),
            _rows(tricks_rows),
            f"{note} The fit is of the declarer's longest suit, with the dummy.",
        ),
        StudyTable(
            "strains-points",
            "Net points: suit minus notrump",
            ("scheme", "bid", "suit named", "group", *_COLUMNS),
            _rows(points_rows),
            f"{note} Schemes and ways of bidding that give the same points in every case are one "
            "row and enter the correction once.",
        ),
    )
    facts = {
        "questions": {tuple(map(str, row[:3])): (row[3:6], row[7]) for row in questions},
        "tricks": {" | ".join(key): _fact(value) for key, value in tricks_rows.items()},
    }
    return STUDY.result(tables, facts=facts)


def _questions(
    by_tricks: Mapping[tuple[str, ...], Difference], by_points: Mapping[tuple[str, ...], Difference]
) -> Iterator[tuple[Cell, ...]]:
    """The comparisons that answer the claim: who declares, in which suit, in what unit."""
    scheme, bids, *_ = next(
        key for key in by_points
        if "auction" in key[0].split(", ") and "level 1" in key[1].split(", ")
    )  # fmt: skip
    found = {
        (group, choice, unit): gain
        for group in (EVERYONE, BIDDERS)
        for choice in CHOICES[:2]
        for unit, gain in {
            "tricks": by_tricks.get((choice, group)),
            LEVEL_1: by_points.get((scheme, bids, choice, group)),
            "points, auction": by_points.get(("auction", WISE, choice, group)),
            f"points, {PREMIUM}": by_points.get((PREMIUM, WISE, choice, group)),
        }.items()
        if gain is not None
    }
    corrected = stats.holm([gain.test.p for gain in found.values()])
    for (question, gain), p in zip(found.items(), corrected, strict=True):
        way = claims.side(_fact(gain), p)
        ahead = {-1: "notrump", 0: "undecided", 1: "suit"}[way]
        yield *question, *_fact(gain), gain.test.p, p, ahead


def _fact(gain: Difference) -> tuple[float, float, float]:
    return gain.interval.estimate, gain.interval.low, gain.interval.high


def _rows(gains: dict[tuple[str, ...], Difference]) -> tuple[tuple[Cell, ...], ...]:
    corrected = stats.holm([one.test.p for one in gains.values()])
    at = _COLUMNS.index("p (Holm)")
    rows = []
    for (key, one), p in zip(gains.items(), corrected, strict=True):
        cells = list(one.cells())
        cells[at] = p
        rows.append((*key, *cells))
    return tuple(rows)


STUDY: Final = Declaration(
    name="strains",
    title="Notrump or a suit",
    paper=truth.STUDY.paper,
    quick=truth.STUDY.quick,
    run=lambda deals, seed, runner: study(seed, deals, runner.progress),
    steps=lambda deals: 4 + 3 * len(FITS),  # the groups
    with_deals=int,
    figures=(
        Figure(
            "strains",
            "A suit compared with notrump, by fit",
            "Above 0 the declarer's longest suit is better, below 0 notrump: notrump is better "
            "with a misfit, the suit from an eight-card fit on, in tricks (left) and for most ways "
            "of bidding and scoring in points (right).",
            "strains-tricks",
        ),
    ),
    claims=claims_truth.strains,
    open_claims=(claims_truth.STRAIN,),
)
