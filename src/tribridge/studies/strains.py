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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import stats
from tribridge.cards import STRAINS, Strain
from tribridge.deals import HIDDEN, Seat
from tribridge.double_dummy.labels import Labels
from tribridge.game import Bid, Contract
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.stats import Interval
from tribridge.studies import drawing, truth
from tribridge.studies.claims import Claim, claim, p_text, side, sided, signed
from tribridge.studies.published import compared_schemes
from tribridge.studies.study import Figure, Runner, Study
from tribridge.studies.tables import corrected
from tribridge.studies.truth import estimates, labelled

SUITS: Final = STRAINS[:4]
CHOICES: Final = ("longest suit", "longest with dummy", "best suit")
BIDS: Final = ("to the full", "full or pass", "level 1")
PREMIUM: Final = "auction with game 125"
"""Trick points of auction bridge with half of the 250 points for a rubber for each game bid."""
WISE: Final = "full or pass"
BIDDERS: Final = "Algorithm 1 bids"
TRICKS: Final = "tricks"
LEVEL_1: Final = "points, auction, level 1"
FULL: Final = "points, auction"
GAMES: Final = f"points, {PREMIUM}"
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


def against(dealt: Sample, values: Values) -> dict[str, Values]:
    """The value in the suit of each choice; `values` is (deals, declarers, strains)."""
    suits = values[..., :4]
    return {
        "longest suit": _pick(suits, _highest(dealt.lengths)),
        "longest with dummy": _pick(suits, _highest(dealt.together)),
        "best suit": suits.max(axis=-1),
    }


def groups(dealt: Sample) -> dict[str, Chosen]:
    """The declarers by shape and by the fit of their longest suit."""
    ordered = np.sort(dealt.lengths, axis=-1)
    balanced = (ordered[..., 0] >= 2) & (ordered[..., 3] <= 5) & ((ordered == 2).sum(-1) <= 1)
    fit = _pick(dealt.together.astype(float), _highest(dealt.lengths))
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

    declarers: int
    notrump: float
    suit: float
    gap: Annotated[Interval, "suit - notrump"]
    shares: Annotated[tuple[float, float, float], "% suit better", "% equal", "% notrump better"]
    t: float
    p: float
    holm: Annotated[float, "p (Holm)"]
    d: Annotated[float, "Cohen's d"]


@dataclass(frozen=True, slots=True)
class InTricks:
    """Tricks: suit minus notrump.

    {note} The fit is of the declarer's longest suit, with the dummy.
    """

    choice: Annotated[str, "suit named"]
    group: str
    difference: Difference


@dataclass(frozen=True, slots=True)
class InPoints:
    """Net points: suit minus notrump.

    {note} Schemes and ways of bidding that give the same points in every case are one row and enter
    the correction once.
    """

    scheme: str
    bid: str
    choice: Annotated[str, "suit named"]
    group: str
    difference: Difference

    def settled(self, scheme: str, bid: str) -> bool:
        """Whether the points are those of a scheme and a way of bidding."""
        return scheme in self.scheme.split(", ") and bid in self.bid.split(", ")


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
    p: float
    holm: Annotated[float, "p (Holm)"]
    ahead: str


@dataclass(frozen=True, slots=True)
class Result:
    """Notrump against the choices of a suit, in tricks and in points."""

    labels: str
    """The deals, in words."""
    questions: Annotated[tuple[Question, ...], "strains-questions"]
    tricks: Annotated[tuple[InTricks, ...], "strains-tricks"]
    points: Annotated[tuple[InPoints, ...], "strains-points"]

    @property
    def note(self) -> str:
        """How intervals and tests were made."""
        return (
            f"{self.labels}. Interval from resampling deals; t on the sums of deals, p corrected "
            "over the table; Cohen's d of the differences of declarers."
        )

    def answers(self, declarers: str, choice: str) -> list[Question]:
        """The questions about some declarers and a choice of the suit, in all units."""
        place = declarers, choice
        return [asked for asked in self.questions if (asked.declarers, asked.choice) == place]


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
    tests = [stats.paired(gap[count > 0]) for gap in gaps]
    return {
        key: _difference(notrump[chosen], suit[chosen], interval, test)
        for (key, (notrump, suit)), interval, test in zip(
            pairs.items(), intervals, tests, strict=True
        )
    }


def _difference(notrump: Values, suit: Values, gap: Interval, test: stats.Test) -> Difference:
    only = suit - notrump
    better, equal, worse = (float(100 * np.mean(part)) for part in (only > 0, only == 0, only < 0))
    spread = float(only.std(ddof=1))
    return Difference(
        len(only),
        float(notrump.mean()),
        float(suit.mean()),
        gap,
        (better, equal, worse),
        test.statistic,
        test.p,
        1.0,
        float(only.mean()) / spread if spread else 0.0,
    )


def run(deals: int | None, seed: int, runner: Runner) -> Result:
    """Notrump against the three choices of a suit, in tricks and in points."""
    return compare(labelled(deals), seed, runner.progress)


def compare(labels: Labels, seed: int, progress: Callable[[int], None] = lambda n: None) -> Result:
    """The same on these labels."""
    dealt = sample(labels)
    tricks = dealt.tricks.astype(float)
    of_tricks: Pairs = {
        (choice,): (tricks[..., 4], suit) for choice, suit in against(dealt, tricks).items()
    }
    of_points: Pairs = {
        (scheme, bid, choice): (net[..., 4], suit)
        for (scheme, bid), by_tricks in settlements().items()
        for net in [by_tricks[np.arange(5), dealt.tricks]]
        for choice, suit in against(dealt, net).items()
        if choice != CHOICES[2]  # nobody can name the best suit, so its points answer no question
    }
    compared = {}
    for group, chosen in groups(dealt).items():
        pairs = of_tricks if ", " in group else {**of_tricks, **of_points}
        compared[group] = differences(pairs, chosen, seed)
        progress(1)

    def of_table(pairs: Pairs) -> dict[tuple[str, ...], Difference]:
        """The comparisons of a table, by key and group, with Holm's correction over them."""
        rows = {
            (*key, group): gains[key]
            for key in pairs
            for group, gains in compared.items()
            if key in gains
        }
        return dict(zip(rows, corrected(rows.values()), strict=True))

    in_tricks = tuple(
        InTricks(choice, group, gain) for (choice, group), gain in of_table(of_tricks).items()
    )
    in_points = tuple(
        InPoints(scheme, bid, choice, group, gain)
        for (scheme, bid, choice, group), gain in of_table(of_points).items()
    )
    questions = tuple(_questions(in_tricks, in_points))
    return Result(labels.title, questions, in_tricks, in_points)


def _questions(
    in_tricks: tuple[InTricks, ...], in_points: tuple[InPoints, ...]
) -> Iterator[Question]:
    """The comparisons that answer the claim."""
    found: dict[tuple[str, str, str], Difference] = {}
    for group in (EVERYONE, BIDDERS):
        for choice in CHOICES[:2]:
            tricks = [row for row in in_tricks if (row.group, row.choice) == (group, choice)]
            points = [row for row in in_points if (row.group, row.choice) == (group, choice)]
            units: dict[str, Sequence[InTricks | InPoints]] = {
                TRICKS: tricks,
                LEVEL_1: [row for row in points if row.settled("auction", "level 1")],
                FULL: [row for row in points if (row.scheme, row.bid) == ("auction", WISE)],
                GAMES: [row for row in points if (row.scheme, row.bid) == (PREMIUM, WISE)],
            }
            found |= {
                (group, choice, unit): rows[0].difference for unit, rows in units.items() if rows
            }
    for place, gain in zip(found, corrected(found.values()), strict=True):
        ahead = {-1: "notrump", 0: "undecided", 1: "suit"}[side(gain.gap, gain.holm)]
        yield Question(*place, gain.gap, gain.p, gain.holm, ahead)


def claims(result: Result) -> list[Claim]:
    """Notrump against naming a suit: three questions, which have three answers."""

    def shown(declarers: str, choice: str) -> str:
        answers = result.answers(declarers, choice)
        return "; ".join(
            f"{answer.unit} {signed(answer.gap)} ({p_text(answer.holm)})" for answer in answers
        )

    def judged(declarers: str, choice: str, *, tricks: bool = False) -> str:
        answers = result.answers(declarers, choice)
        return sided(
            -side(answer.gap, answer.holm) for answer in answers if tricks or answer.unit != TRICKS
        )

    own, pair, ideal = CHOICES
    intro = "double dummy, suit minus notrump, p after Holm's correction: "
    best = [row.difference.gap for row in result.tricks
            if (row.choice, row.group) == (ideal, EVERYONE)]  # fmt: skip
    return [
        claim(
            "strains.notrump",
            judged(EVERYONE, own, tricks=True),
            f"{intro}{shown(EVERYONE, own)}"
            + "".join(f"; the best suit of the deal takes {signed(gap)} tricks" for gap in best),
        ),
        claim(
            "strains.longest-suit",
            judged(BIDDERS, own),
            f"{intro}{shown(BIDDERS, own) or 'too few such hands'}",
        ),
        claim(
            "strains.both-hands",
            judged(BIDDERS, pair),
            f"{intro}{shown(BIDDERS, pair) or 'too few such hands'}",
        ),
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
    for scheme, bid, look, shift in (
        ("auction", WISE, (drawing.NAVY, "o"), -0.07),
        ("auction", "to the full", (drawing.BLUE, "s"), 0.0),
        ("new", "level 1", (drawing.RED, "^"), 0.07),
    ):
        chosen = [row for row in result.points if row.choice == own and row.group in fits]
        gaps = {fits[r.group]: r.difference.gap for r in chosen if r.settled(scheme, bid)}
        places = [place + shift for place in gaps]
        drawing.plot_spans(
            panels[1], places, list(gaps.values()), look, label=f"scheme {scheme}, {bid}"
        )
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
