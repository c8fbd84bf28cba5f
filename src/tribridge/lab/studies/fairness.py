"""Fairness and balance: what a seat is worth, and four smaller claims of the paper.

**Symmetry.** The three hands of a random deal are exchangeable: permuting them leaves the chance of
every deal as it is. So in the paper's game, where each player's bid depends on their own hand only,
seats differ in one thing, who declares when the highest bids are equal: the first to call. Let a be
the chance that a given player alone has the highest bid, b that two given players share it, c that
all three do. Then the first to call declares with chance a + 2b + c, the second with a + b and the
third with a: ties are all that calling first is worth. With the deal rotating, every player calls
first equally often, and the game is exactly fair.

In a full auction later players can outbid and earlier ones can pre-empt, so games show what a place
in the order of calling is worth; every strategy sits in every seat on every deal. Under the scheme
of these games contracts are worth few points. On a tiny deck auctions are solved under another
scheme, too, under which they are worth many (`seats.json`, written by `benchmarks/seats.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.arena.results import MatchResult, shipped_matches
from tribridge.capture import NATURAL, READINGS
from tribridge.capture.simulation import arrays
from tribridge.capture.simulation.results import GameResult
from tribridge.capture.simulation.tables import B_FAILS
from tribridge.cards.cards import Strain
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.cards.masks import F64
from tribridge.common import stats
from tribridge.common.stats import Interval
from tribridge.common.tables import (
    P_VALUE,
    PERCENT,
    POINTS,
    TRICKS,
    VERDICT,
    Column,
    corrected,
    in_percent,
    share_of,
)
from tribridge.forecast.distribution import means
from tribridge.lab.labels.labels import Labels
from tribridge.lab.studies import headline, second_hand, truth
from tribridge.lab.studies.claims import (
    ALPHA,
    OPEN,
    UNDECIDED,
    Claim,
    Each,
    claim,
    p_text,
    side,
    sided,
    under_readings,
    verdict_of,
    within,
)
from tribridge.lab.studies.forecasts import forecasts_on
from tribridge.lab.studies.published import FAR, RUNS, published_table
from tribridge.lab.studies.study import Runner, Study, check_sample, stored
from tribridge.lab.studies.truth import WIN, estimates, labelled

PLACES: Final = ("first", "second", "third")
"""The order of calling."""


class Size(NamedTuple):
    """Deals a run of the whole game, and labelled deals (None: all)."""

    deals: int
    labelled: int | None


@dataclass(frozen=True, slots=True)
class Place:
    """Who declares in the paper's game, in the order of calling.

    Without ties each player would declare a third of the contracts exactly.
    """

    reading: str
    place: Annotated[str, "to call"]
    contracts: int
    share: Annotated[Interval, "% of contracts", PERCENT]
    made: Annotated[float | None, Column("% made", "%", of="contracts")]


@dataclass(frozen=True, slots=True)
class Worth:
    """Points by place in the order of calling, in a full auction.

    {order_note}
    """

    place: Annotated[str, "compared"]
    points: Annotated[Interval, "points less the table's mean", POINTS]
    p: Annotated[float, P_VALUE]
    holm: Annotated[float, "p (Holm)", P_VALUE] = 1.0


@dataclass(frozen=True, slots=True)
class Seated:
    """Places in the order of calling on a tiny deck, solved.

    Points a deal by place, from each start of CFR+ ({iterations:,} iterations) on the auction of
    {deck}, contracts paid by double dummy. NashConv: what the three could gain by best responses,
    together; 0 in equilibrium. Under `auction` hardly any hand of that deck is worth a bid.
    Solved beforehand by `python -m benchmarks.seats`; see also `tribridge equilibrium --deck 2x4
    --auction-only --scheme contract`.
    """

    scheme: str
    start: str
    first: Annotated[float, POINTS]
    second: Annotated[float, POINTS]
    third: Annotated[float, POINTS]
    nash_conv: Annotated[float, "NashConv", POINTS]

    @property
    def most(self) -> float:
        """How far the farthest place may be from 0."""
        return max(abs(self.first), abs(self.second), abs(self.third)) + self.nash_conv

    @property
    def least(self) -> float:
        """How far it is at least."""
        return self.most - 2 * self.nash_conv


@dataclass(frozen=True, slots=True)
class Seats:
    """What places are worth on a tiny deck, under each scheme."""

    places: tuple[Seated, ...]
    deck: str
    iterations: int


@dataclass(frozen=True, slots=True)
class Dummies:
    """A dummy that qualifies too.

    By reading: contracts of the whole game, made according to Algorithm 2, with Newcombe's
    interval. Double dummy: all declarers of the labelled deals, by whether the dummy reaches 7
    captures by Algorithm 1, with an interval over deals.
    """

    judged_by: str
    qualified: Annotated[int, "dummy qualifies"]
    made: Annotated[float | None, "% made", PERCENT]
    others: Annotated[int, "other dummies"]
    others_made: Annotated[float | None, "others % made", PERCENT]
    difference: Annotated[Interval, "difference, percentage points", PERCENT]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Bidding accuracy: what seeing the dummy adds.

    {labels}. Mean absolute error against double-dummy tricks in notrump, paired; 95% intervals from
    resampling deals.
    """

    estimate: str
    declarers: int
    alone: Annotated[float, "error without the dummy", TRICKS]
    pair: Annotated[float, "error with the dummy", TRICKS]
    difference: Annotated[Interval, "difference", TRICKS]


@dataclass(frozen=True, slots=True)
class SampleSize:
    """The sample sizes stated and implied.

    Implied: the total of the counts. The counts of the second-hand table are compared with the
    exact shares and proportions under each reading.
    """

    where: str
    stated: int
    implied: Annotated[int | None, "implied by its figures"]
    verdict: Annotated[str, VERDICT]


@dataclass(frozen=True, slots=True)
class Result:
    """Seats, the order of calling, the qualifying dummy, accuracy and sample sizes."""

    places: Annotated[tuple[Place, ...], "fairness-seats"]
    order: Annotated[tuple[Worth, ...], "fairness-order"]
    order_note: str
    """How the games of `order` were played."""
    tiny: Annotated[tuple[Seated, ...], "fairness-tiny"]
    deck: str
    """The deck of `tiny`."""
    iterations: int
    dummies: Annotated[tuple[Dummies, ...], "fairness-dummy"]
    """By reading; the last one is double dummy."""
    accuracy: Annotated[tuple[Accuracy, ...], "fairness-accuracy"]
    labels: str
    """The labelled deals, in words."""
    samples: Annotated[tuple[SampleSize, ...], "fairness-samples"]

    @property
    def by_place(self) -> list[Worth]:
        """What the places in the order of calling are worth, without the seats."""
        return [worth for worth in self.order if worth.place in PLACES]

    @property
    def shares(self) -> dict[str, list[Interval]]:
        """By reading, the share of the contracts of each place, in percent."""
        shares: dict[str, list[Interval]] = {}
        for place in self.places:
            shares.setdefault(place.reading, []).append(place.share)
        return shares


def run(size: Size, seed: int, runner: Runner) -> Result:
    """Simulate the paper's game, and analyse labelled deals and games played beforehand."""
    check_sample("fairness", size.deals, 10_000)
    runs = headline.three_runs(seed, size.deals, runner)
    sums = {reading: headline.add_runs(results) for reading, results in runs.items()}
    labels = labelled(size.labelled)
    games = max(shipped_matches(), key=lambda match: match.deals)
    seats = stored("seats", Seats)
    return Result(
        tuple(_places(sums)),
        place_gains(games),
        f"{games.deals:,} deals with every seating of {', '.join(games.work.names)}; the deal "
        "rotates, so places and seats are separate. Intervals and paired tests over deals. "
        f"{games.origin.note}",
        seats.places,
        seats.deck,
        seats.iterations,
        tuple(_dummies(sums, labels)),
        tuple(_accuracy(labels, seed)),
        labels.title,
        tuple(_samples()),
    )


def _places(sums: Mapping[str, GameResult]) -> Iterator[Place]:
    """Who declares in the paper's game."""
    for reading, result in sums.items():
        for seat, place in zip(Seat, PLACES, strict=True):  # North deals in the simulation
            declared = result.seats.get(seat, 0)
            share = in_percent(stats.proportion(declared, result.played))
            made = sum(k.count for k in result.contracts if k.made and k.seat == seat)
            yield Place(reading, place, declared, share, share_of(made, declared))


def place_gains(result: MatchResult) -> tuple[Worth, ...]:
    """Points of each place in the order of calling, and of each seat, less the table's mean."""
    points = result.points.mean(axis=1)
    numbers = np.array([game.number for game in result.games[:: result.work.games]])
    dealers = numbers % 3  # as `MatchWork` deals
    by_place = np.take_along_axis(points, (dealers[:, None] + np.arange(3)) % 3, axis=1)
    compared: dict[str, F64] = {}
    for names, values in ((PLACES, by_place), ([str(seat) for seat in Seat], points)):
        gains = values - values.mean(axis=1, keepdims=True)
        compared |= {name: gains[:, at] for at, name in enumerate(names)}
    return corrected(
        Worth(name, stats.mean_interval(gains), stats.paired(gains).p)
        for name, gains in compared.items()
    )


def _dummies(sums: Mapping[str, GameResult], labels: Labels) -> Iterator[Dummies]:
    for reading, result in sums.items():
        made = [result.count(made=True, both_eligible=both) for both in (True, False)]
        total = [result.count(both_eligible=both) for both in (True, False)]
        _, between = stats.two_proportions(made, total)
        rates = [share_of(hits, n) for hits, n in zip(made, total, strict=True)]
        yield Dummies(reading, total[0], rates[0], total[1], rates[1], in_percent(between))
    makes = labels.of(Strain.NOTRUMP) >= WIN
    strong = arrays.single(labels.hands[:, HIDDEN], NATURAL).verdict >= WIN
    first, second = (
        stats.mean_interval(makes[chosen].mean(axis=1)) for chosen in (strong, ~strong)
    )
    gap = first.estimate - second.estimate
    half = float(np.linalg.norm([(share.high - share.low) / 2 for share in (first, second)]))
    yield Dummies(
        "double dummy",
        makes[strong].size,
        100 * first.estimate,
        makes[~strong].size,
        100 * second.estimate,
        in_percent(Interval(gap, gap - half, gap + half)),
    )


def _accuracy(labels: Labels, seed: int) -> Iterator[Accuracy]:
    tricks = labels.of(Strain.NOTRUMP).astype(float)
    by_algorithm = estimates(labels)
    first, second = by_algorithm["Algorithm 1"], by_algorithm["Algorithm 2"]
    held = (first > B_FAILS) & (second > B_FAILS)
    yield _gain("Algorithms 1 and 2", first, second, tricks, held, seed)
    alone, pair = (means(f.chances[:, :, Strain.NOTRUMP]) for f in forecasts_on(labels, ["points"]))
    yield _gain("forecast points", alone, pair, tricks, np.ones(tricks.shape, bool), seed)


def _gain(
    name: str,
    alone: NDArray[Any],
    pair: NDArray[Any],
    tricks: F64,
    chosen: NDArray[np.bool_],
    seed: int,
) -> Accuracy:
    first, second = (np.abs(said - tricks) for said in (alone, pair))
    interval = stats.chosen_mean(second - first, chosen, seed)
    without, with_dummy = (float(error[chosen].mean()) for error in (first, second))
    return Accuracy(name, int(chosen.sum()), without, with_dummy, interval)


def _samples() -> Iterator[SampleSize]:
    """Each stated sample size with what the published figures say about it."""
    captures, conditions = published_table("captures"), published_table("conditions")
    game = published_table("headline")
    million, ten_million = 1_000_000, 10_000_000
    outcomes = ("A fails", "B fails", "both hold")
    dealt = ("deals with a bidder", "deals passed out")
    captured = [
        million
        + int(sum(cell.value for (row, _), cell in captures.items() if row == run))
        - int(conditions[run, "both hold"].value)
        for run in RUNS
    ]
    judged = [int(sum(conditions[run, name].value for name in outcomes)) for run in RUNS]
    played = [int(sum(game[line, run].value for line in dealt)) for run in RUNS]
    yield SampleSize(
        "Abstract (one simulation validates the model)",
        100_000,
        None,
        "contradicts the 1,000,000 and 10,000,000 deals of the tables",
    )
    for where, stated, sizes in (
        ("Table 1 (captures add up to Table 2's qualifying deals)", million, captured),
        ("Table 2", million, judged),
        ("Headline table", ten_million, played),
    ):
        (size,) = set(sizes) if len(set(sizes)) == 1 else (None,)
        yield SampleSize(where, stated, size, "agrees" if size == stated else "disagrees")
    distances, fits = second_hand.published_counts()
    agrees = any(abs(z) <= FAR for z in distances.values())
    fit = any(test.p >= ALPHA for test in fits.values())
    verdict = "agrees" if agrees else "disagrees" if fit else "no sample size fits its counts"
    yield SampleSize("Second-hand table", 100_000, None, verdict)


def _thirds(readings: Iterable[Iterable[Interval]], limit: float) -> str:
    """Whether every place declares a third of the contracts, by the shares under each reading."""
    third = 100 / 3
    verdicts = {min(within(share - third, limit) for share in shares) for shares in readings}
    return (
        UNDECIDED if 0 in verdicts else OPEN if len(verdicts) > 1 else verdict_of(verdicts == {1})
    )


def claims(result: Result) -> list[Claim]:
    """Balance, the qualifying dummy, bidding accuracy and sample sizes."""
    *dummies, solved = result.dummies
    order = result.by_place

    def balanced(limit: float) -> str:
        played = 1 if all(within(worth.points, limit) == 1 for worth in order) else 0
        if any(worth.holm < ALPHA for worth in order):
            played = -1
        solved = (1 if row.most <= limit else -1 if row.least > limit else 0 for row in result.tiny)
        return sided([played, *solved])

    return [
        claim(
            "fairness.free-of-bias",
            lambda limit: _thirds(result.shares.values(), limit),
            shares="; ".join(
                f"{' / '.join(f'{share.estimate:.2f}' for share in shares)}% ({name})"
                for name, shares in result.shares.items()
            ),
        ),
        claim(
            "fairness.balanced",
            balanced,
            places=", ".join(f"{w.place} {w.points:+.1f} ({p_text(w.holm)})" for w in order),
            deck=result.deck,
            tiny="; ".join(
                f"{row.scheme} {row.first:+z.2f}, {row.second:+z.2f}, {row.third:+z.2f} (NashConv "
                f"{row.nash_conv:.2f})"
                for row in result.tiny
                if row.start == result.tiny[0].start
            ),
        ),
        claim(
            "fairness.qualifying-dummy",
            UNDECIDED
            if any(side(d.difference) == 0 for d in result.dummies)
            else under_readings(
                {d.judged_by: min(d.difference.low, solved.difference.low) > 0 for d in dummies}
            ),
            by_reading=Each((d.judged_by, d.difference.estimate) for d in dummies),
            solved=solved.difference,
        ),
        claim(
            "fairness.accuracy",
            sided(-side(gain.difference) for gain in result.accuracy),
            gains="; ".join(f"{gain.estimate} {gain.difference:+.2f}" for gain in result.accuracy),
        ),
        claim(
            "fairness.sample-size",
            all(sample.verdict == "agrees" for sample in result.samples),
            samples="; ".join(f"{sample.where}: {sample.verdict}" for sample in result.samples),
        ),
    ]


STUDY: Final = Study(
    name="fairness",
    title="Fairness, balance and accuracy",
    order=50,
    paper=Size(headline.PAPER, None),
    quick=Size(headline.QUICK, truth.QUICK),
    run=run,
    steps=lambda size: len(RUNS) * len(READINGS) * size.deals,
    with_deals=lambda deals: Size(deals, None),
    claims=claims,
)
