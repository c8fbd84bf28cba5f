"""Study 8: notrump or a suit, on the same deals.

The paper says that notrump outperforms naming a suit, but it only plays notrump. Labelled deals
give the double-dummy tricks in all five strains for the same declarer and dummy, so every
comparison is paired. Three choices of a suit are compared with notrump:

- the declarer's longest suit (of equal ones the higher), named before the dummy is seen;
- the longest suit of both hands together (of equal ones the higher), named with the dummy;
- the best suit on the deal, known only to someone who sees all cards.

Points are the net points of a contract under a scheme, for a declarer who always bids at level 1
(the other tricks are overtricks), or who knows what makes, bids just that and otherwise passes.
With a premium for game only the latter is considered: bidding less would forgo the premium.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Strain
from tribridge.cards.deals import Seat
from tribridge.cards.masks import F64, lengths
from tribridge.common import stats
from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, PERCENT, STATISTIC, VERDICT, corrected
from tribridge.game import Bid, Contract
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.lab.labels.labels import Labels
from tribridge.lab.studies import drawing, truth
from tribridge.lab.studies.claims import Claim, claim, p_text, side, sided
from tribridge.lab.studies.study import Figure, Runner, Study
from tribridge.lab.studies.truth import estimates, labelled

CHOICES: Final = ("longest suit", "longest with dummy", "best suit")
BIDDERS: Final = "Algorithm 1 bids"
EVERYONE: Final = "all declarers"
FITS: Final = ("6 or fewer", "7", "8", "9", "10 or more")
TRICKS: Final = "tricks"
LEVEL_1: Final = "points, auction, level 1"
FULL: Final = "points, auction"
PREMIUM: Final = "auction with game 125"
"""Trick points of auction bridge with half of the 250 points for a rubber for each game bid."""
GAMES: Final = f"points, {PREMIUM}"
NEW: Final = "points, new, level 1"
ASKED: Final = (TRICKS, LEVEL_1, FULL, GAMES)
"""The units that decide the claims."""

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
    hands, dummies, _ = labels.pairs()
    shape = (*labels.seats.shape, 4)
    own, dummy = (lengths(masks).reshape(shape) for masks in (hands, dummies))
    tricks = np.stack([labels.of(strain) for strain in Strain], axis=-1).astype(np.int64)
    bids = estimates(labels)["Algorithm 1"] >= 7
    return Sample(tricks, own, own + dummy, bids)


def _longest(lengths: NDArray[np.int64], *, lower: bool = False) -> NDArray[np.int64]:
    """The longest suit; of equal ones the higher, or the lower."""
    if lower:
        return np.asarray(np.argmax(lengths, axis=-1))
    return np.asarray(3 - np.argmax(lengths[..., ::-1], axis=-1))


def _pick(values: F64, suit: NDArray[np.int64]) -> F64:
    return np.take_along_axis(values, suit[..., None], axis=-1)[..., 0]


def against(dealt: Sample, values: F64, *, lower: bool = False) -> dict[str, F64]:
    """The value in the suit of each choice; `values` is (deals, declarers, strains)."""
    suits = values[..., :4]
    return {
        "longest suit": _pick(suits, _longest(dealt.lengths, lower=lower)),
        "longest with dummy": _pick(suits, _longest(dealt.together, lower=lower)),
        "best suit": suits.max(axis=-1),
    }


def groups(dealt: Sample) -> dict[str, Chosen]:
    """The declarers by shape and by the fit of their longest suit."""
    ordered = np.sort(dealt.lengths, axis=-1)
    balanced = (ordered[..., 0] >= 2) & (ordered[..., 3] <= 5) & ((ordered == 2).sum(-1) <= 1)
    fit = _pick(dealt.together.astype(float), _longest(dealt.lengths))
    everyone = np.ones_like(balanced)
    result = {
        EVERYONE: everyone,
        "balanced": balanced,
        "not balanced": ~balanced,
        BIDDERS: dealt.bids,
    }
    bounds = (0, 7, 8, 9, 10, 14)
    for name, (low, high) in zip(FITS, pairwise(bounds), strict=True):
        inside = (fit >= low) & (fit < high)
        result[f"fit {name}"] = inside
        result[f"fit {name}, balanced"] = inside & balanced
        result[f"fit {name}, not balanced"] = inside & ~balanced
    return result


def points(scheme: Scheme, *, full: bool) -> F64:
    """Net points by strain and tricks, at level 1 or bid to the full or passed: (strains, 14)."""

    def net(strain: Strain, tricks: int) -> float:
        if full and tricks < 7:
            return 0.0
        level = tricks - 6 if full else 1
        return float(scheme.net(Contract(Bid(level, strain), Seat.NORTH), tricks))

    return np.array([[net(strain, tricks) for tricks in range(14)] for strain in Strain])


def settlements() -> dict[str, F64]:
    """Net points by strain and tricks, by unit."""
    auction = find_scheme("auction")
    premium = replace(auction, game_bonus=Fraction(125), game_points=Fraction(30))
    return {
        LEVEL_1: points(auction, full=False),
        FULL: points(auction, full=True),
        GAMES: points(premium, full=True),
        NEW: points(find_scheme("new"), full=False),
    }


@dataclass(frozen=True, slots=True)
class Difference:
    """The value in a suit less that in notrump, over some declarers."""

    declarers: int
    notrump: float
    suit: float
    gap: Annotated[Interval, "suit - notrump"]
    shares: Annotated[
        tuple[float, float, float], "% suit better", "% equal", "% notrump better", PERCENT
    ]
    t: Annotated[float, STATISTIC]
    p: Annotated[float, P_VALUE]
    holm: Annotated[float, "p (Holm)", P_VALUE]
    d: Annotated[float, "Cohen's d"]


@dataclass(frozen=True, slots=True)
class Compared:
    """A suit compared with notrump, in some unit."""

    unit: Annotated[str, "measured in"]
    choice: Annotated[str, "suit named"]
    group: str
    difference: Difference


@dataclass(frozen=True, slots=True)
class Question:
    """Which question has which answer.

    {labels}. Points of a declarer who always bids at level 1, or who knows what makes and bids just
    that, and otherwise passes. A side is ahead if p is below 0.05 after Holm's correction over this
    table, the comparisons that the claims are judged by.
    """

    declarers: str
    choice: Annotated[str, "suit named"]
    unit: Annotated[str, "measured in"]
    gap: Annotated[Interval, "suit - notrump"]
    p: Annotated[float, P_VALUE]
    holm: Annotated[float, "p (Holm)", P_VALUE]
    ahead: Annotated[str, VERDICT]


@dataclass(frozen=True, slots=True)
class Tie:
    """The same questions, by which of equally long suits is named.

    {labels}. We name the higher one, a choice of ours that the text does not make; under the
    schemes here a higher suit pays as much or more for a trick. Ahead as in the table above, with
    Holm's correction over each of the two rules.
    """

    declarers: str
    choice: Annotated[str, "suit named"]
    unit: Annotated[str, "measured in"]
    higher: Annotated[Interval, "the higher", "the higher from", "the higher to"]
    ahead_higher: Annotated[str, "ahead (higher)", VERDICT]
    lower: Annotated[Interval, "the lower", "the lower from", "the lower to"]
    ahead_lower: Annotated[str, "ahead (lower)", VERDICT]


@dataclass(frozen=True, slots=True)
class Result:
    """Notrump against the choices of a suit, in tricks and in points."""

    labels: str
    """The deals, in words."""
    questions: Annotated[tuple[Question, ...], "strains-questions"]
    ties: Annotated[tuple[Tie, ...], "strains-ties"]
    tricks: Annotated[
        tuple[Compared, ...],
        "strains-tricks",
        "Tricks: suit minus notrump",
        "{note} The fit is of the declarer's longest suit, with the dummy.",
    ]
    points: Annotated[
        tuple[Compared, ...], "strains-points", "Net points: suit minus notrump", "{note}"
    ]

    @property
    def note(self) -> str:
        """How intervals and tests were made."""
        return (
            f"{self.labels}. Interval and p by Gaffke's method over deals, p corrected over the "
            "table; t of the same; Cohen's d of the differences of declarers."
        )

    def answers(self, declarers: str, choice: str) -> list[Question]:
        """The questions about some declarers and a choice of the suit, in all units."""
        place = declarers, choice
        return [asked for asked in self.questions if (asked.declarers, asked.choice) == place]


_SIDES: Final = {"notrump": 1, "suit": -1, "undecided": 0}
"""Who is ahead, as the claims ask: 1 supports notrump."""
_LEAST: Final = 30
"""Groups with fewer declarers are left out."""


Pairs = Mapping[tuple[str, str], tuple[F64, F64]]
"""What is compared, by unit and choice: notrump and a suit, (deals, declarers) each."""


def differences(pairs: Pairs, chosen: Chosen) -> dict[tuple[str, str], Difference]:
    """Compare over the chosen declarers; deals are the unit for tests and intervals.

    Empty for too small a group.
    """
    if int(chosen.sum()) < _LEAST:
        return {}
    return {key: _difference(notrump, suit, chosen) for key, (notrump, suit) in pairs.items()}


def _difference(notrump: F64, suit: F64, chosen: Chosen) -> Difference:
    gaps = np.where(chosen, suit - notrump, 0.0).sum(axis=1)
    values = stats.per_count(gaps, chosen.sum(axis=1))
    test = stats.paired(values)
    only = (suit - notrump)[chosen]
    better, equal, worse = (float(100 * np.mean(part)) for part in (only > 0, only == 0, only < 0))
    spread = float(only.std(ddof=1))
    return Difference(
        len(only),
        float(notrump[chosen].mean()),
        float(suit[chosen].mean()),
        stats.mean_interval(values),
        (better, equal, worse),
        test.statistic,
        test.p,
        1.0,
        float(only.mean()) / spread if spread else 0.0,
    )


def run(deals: int | None, seed: int, runner: Runner) -> Result:
    """Notrump against the three choices of a suit, in tricks and in points."""
    return compare(labelled(deals), runner.progress)


def compare(labels: Labels, progress: Callable[[int], None] = lambda n: None) -> Result:
    """The same on these labels."""
    dealt = sample(labels)
    values = {unit: net[np.arange(5), dealt.tricks] for unit, net in settlements().items()}
    values[TRICKS] = dealt.tricks.astype(float)
    pairs, other_suit = (_pairs(dealt, values, lower=lower) for lower in (False, True))
    compared: dict[str, dict[tuple[str, str], Difference]] = {}
    declarers = groups(dealt)
    for group, chosen in declarers.items():
        shapes = ", " in group  # compared in tricks alone
        wanted = {key: pair for key, pair in pairs.items() if key[0] == TRICKS or not shapes}
        compared[group] = differences(wanted, chosen)
        progress(1)
    rows = [
        Compared(*key, group, gains[key])
        for key in pairs
        for group, gains in compared.items()
        if key in gains
    ]
    questions = _questions(compared)
    with_lower = _questions(
        {group: differences(other_suit, declarers[group]) for group in (EVERYONE, BIDDERS)}
    )
    return Result(
        labels.title,
        questions,
        tuple(
            Tie(high.declarers, high.choice, high.unit, high.gap, high.ahead, low.gap, low.ahead)
            for high, low in zip(questions, with_lower, strict=True)
        ),
        _together([row for row in rows if row.unit == TRICKS]),
        _together([row for row in rows if row.unit != TRICKS]),
    )


def _together(rows: Sequence[Compared]) -> tuple[Compared, ...]:
    """Rows with Holm's correction over all of them."""
    gains = corrected(row.difference for row in rows)
    return tuple(replace(row, difference=gain) for row, gain in zip(rows, gains, strict=True))


def _questions(
    compared: Mapping[str, Mapping[tuple[str, str], Difference]],
) -> tuple[Question, ...]:
    """The comparisons that answer the claims, by group, from those by unit and choice."""
    asked = _together(
        [
            Compared(unit, choice, group, compared[group][unit, choice])
            for group in (EVERYONE, BIDDERS)
            for choice in CHOICES[:2]
            for unit in ASKED
            if (unit, choice) in compared[group]
        ]
    )
    names = {-side: name for name, side in _SIDES.items()}
    return tuple(
        Question(row.group, row.choice, row.unit, gain.gap, gain.p, gain.holm,
                 names[side(gain.gap, gain.holm)])
        for row in asked
        for gain in (row.difference,)
    )  # fmt: skip


def _pairs(dealt: Sample, values: Mapping[str, F64], *, lower: bool) -> Pairs:
    """Notrump and each choice of a suit, by unit; of equal suits the higher or the lower."""
    return {
        (unit, choice): (value[..., 4], suit)
        for unit, value in values.items()
        for choice, suit in against(dealt, value, lower=lower).items()
        # Nobody can name the best suit, so its points answer no question.
        if unit == TRICKS or choice != CHOICES[2]
    }


def claims(result: Result) -> list[Claim]:
    """Notrump against naming a suit: three questions, which have three answers."""

    def judged(key: str, declarers: str, choice: str, *, tricks: bool = False) -> Claim:
        answers = result.answers(declarers, choice)
        shown = (f"{a.unit} {a.gap:+.2f} ({p_text(a.holm)})" for a in answers)
        sides = (-side(a.gap, a.holm) for a in answers if tricks or a.unit != TRICKS)
        best = (f"; the best suit of the deal takes {row.difference.gap:+.2f} tricks"
                for row in result.tricks
                if (row.choice, row.group) == (CHOICES[2], declarers))  # fmt: skip
        ties = [tie for tie in result.ties if (tie.declarers, tie.choice) == (declarers, choice)]
        lower = sided(_SIDES[t.ahead_lower] for t in ties if tricks or t.unit != TRICKS)
        return claim(
            f"strains.{key}",
            sided(sides),
            answers="; ".join(shown) or "too few such hands",
            best="".join(best),
            tied=f"{lower} ({'; '.join(f'{tie.unit} {tie.lower:+.2f}' for tie in ties)})",
        )

    own, pair, _ = CHOICES
    return [
        judged("notrump", EVERYONE, own, tricks=True),
        judged("longest-suit", BIDDERS, own),
        judged("both-hands", BIDDERS, pair),
    ]


def draw(result: Result) -> drawing.Drawing:
    """A suit compared with notrump, by fit.

    Above 0 the declarer's longest suit is better, below 0 notrump: notrump is better with a misfit,
    the suit from an eight-card fit on, in tricks (left) and for most ways of bidding and scoring in
    points (right).
    """
    figure, panels = drawing.new_figure(11.4, 4.2, 2)
    own = CHOICES[0]
    for shape, look in (("balanced", (drawing.BLUE, "o")), ("not balanced", (drawing.ORANGE, "s"))):
        groups = {f"fit {name}, {shape}": at for at, name in enumerate(FITS)}
        gaps = {groups[row.group]: row.difference.gap for row in result.tricks
                if row.choice == own and row.group in groups}  # fmt: skip
        drawing.plot_spans(panels[0], gaps, list(gaps.values()), look, label=f"{shape} hand")
    fits = {f"fit {name}": at for at, name in enumerate(FITS)}
    for unit, look, shift in (
        (FULL, (drawing.NAVY, "o"), -0.07),
        (LEVEL_1, (drawing.BLUE, "s"), 0.0),
        (NEW, (drawing.RED, "^"), 0.07),
    ):
        gaps = {fits[row.group]: row.difference.gap for row in result.points
                if (row.choice, row.unit) == (own, unit) and row.group in fits}  # fmt: skip
        places = [place + shift for place in gaps]
        drawing.plot_spans(panels[1], places, list(gaps.values()), look, label=unit)
    for axes, title, unit in ((panels[0], "Tricks", "tricks"), (panels[1], "Points", "net points")):
        axes.axhline(0, color="black", linewidth=1)
        axes.set_xticks(range(len(FITS)), [name.replace(" or ", "\nor ") for name in FITS])
        label = "length of the declarer's longest suit in both hands"
        drawing.name_axes(axes, title, label, f"{unit}: longest suit - notrump")
        axes.legend(loc="upper left")
    return figure


STUDY: Final = Study(
    name="strains",
    title="Notrump or a suit",
    order=80,
    paper=truth.STUDY.paper,
    quick=truth.STUDY.quick,
    run=run,
    steps=lambda deals: 4 + 3 * len(FITS),  # the groups
    with_deals=int,
    claims=claims,
    figures=(Figure("strains", "strains-tricks", draw),),
)
