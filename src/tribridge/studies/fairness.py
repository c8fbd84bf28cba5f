"""Fairness and balance: what a seat is worth, and four smaller claims of the paper.

**Symmetry.** The three hands of a random deal are exchangeable: permuting them leaves the chance of
every deal as it is. So in the paper's game, where each player's bid depends on their own hand only,
seats differ in one thing, who declares when the highest bids are equal: the first to call. Let a be
the chance that a given player alone has the highest bid, b that two given players share it, c that
all three do. Then the first to call declares with chance a + 2b + c, the second with a + b and the
third with a: ties are all that calling first is worth. With the deal rotating, every player calls
first equally often, and the game is exactly fair.

In a full auction later players can outbid and earlier ones can pre-empt, so games show what a place
in the order of calling is worth; every strategy sits in every seat on every deal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge import stats
from tribridge.arena.results import MatchResult, shipped_matches
from tribridge.capture import NATURAL, REPORTED
from tribridge.capture.simulation import arrays
from tribridge.cards import Strain
from tribridge.deals import HIDDEN, Seat
from tribridge.double_dummy.labels import Labels
from tribridge.forecast.distribution import means
from tribridge.game import Bid, Contract, Outcome, scores
from tribridge.studies import claims_truth, hands, headline, truth
from tribridge.studies.claims import ALPHA
from tribridge.studies.conditions import RUNS
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.forecasts import forecasts_on
from tribridge.studies.published import Figure as Published
from tribridge.studies.published import published_table
from tribridge.studies.runner import Runner
from tribridge.studies.schemes import compared_schemes
from tribridge.studies.simulation import GameResult
from tribridge.studies.tables import FAR, Cell, Study, StudyTable, check_sample
from tribridge.studies.truth import WIN, estimates, labelled

PLACES: Final = ("first", "second", "third")
"""The order of calling."""

Numbers = NDArray[np.float64]


class Size(NamedTuple):
    """Deals a run of the whole game, and labelled deals (None: all)."""

    deals: int
    labelled: int | None


def study(seed: int, size: Size, runner: Runner | None = None) -> Study:
    """Seats, the order of calling, the qualifying dummy, accuracy and sample sizes."""
    check_sample("fairness", size.deals, 10_000)
    runs = headline.three_runs(seed, size.deals, runner or Runner())
    sums = {reading: headline.add_runs(results) for reading, results in runs.items()}
    labels = labelled(size.labelled)
    games = max(shipped_matches(), key=lambda match: match.deals)
    order = place_gains(games)
    accuracy = list(_accuracy(labels, seed))
    dummy = list(_dummy(sums, labels))
    samples = list(_samples())
    tables = (
        _seats(sums),
        StudyTable(
            "fairness-order",
            "Points by place in the order of calling, in a full auction",
            ("compared", "points less the table's mean", "95% from", "to", "p", "p (Holm)"),
            tuple(order),
            f"{games.deals:,} deals with every seating of {', '.join(games.work.strategies)}; the "
            "deal rotates, so places and seats are separate. Intervals and paired tests over "
            f"deals. {games.origin.note}",
        ),
        StudyTable(
            "fairness-dummy",
            "A dummy that qualifies too",
            ("judged by", "dummy qualifies", "% made", "other dummies", "others % made",
             "difference in points", "95% from", "to"),
            tuple(dummy),
            "By reading: contracts of the whole game, made according to Algorithm 2, with "
            "Newcombe's interval. Double dummy: all declarers of the labelled deals, by whether "
            "the dummy reaches 7 captures by Algorithm 1, with an interval over deals.",
        ),
        StudyTable(
            "fairness-accuracy",
            "Bidding accuracy: what seeing the dummy adds",
            ("estimate", "declarers", "error without the dummy", "error with the dummy",
             "difference", "95% from", "to"),
            tuple(accuracy),
            f"{labels.title}. Mean absolute error against double-dummy tricks in notrump, paired; "
            "95% intervals from resampling deals.",
        ),
        StudyTable(
            "fairness-samples",
            "The sample sizes stated and implied",
            ("where", "stated", "implied by its figures", "verdict"),
            tuple(samples),
            "Implied: the total of the counts. The counts of the second-hand table are compared "
            "with the exact shares and proportions under each reading.",
        ),
    )  # fmt: skip
    facts = {
        "seats": {
            reading: {
                place: tuple(100 * x for x in _three(stats.proportion(n, result.played)))
                for place, n in zip(PLACES, _declared(result), strict=True)
            }
            for reading, result in sums.items()
        },
        "order": [
            {"place": row[0], "points": row[1:4], "p": row[5]} for row in order if row[0] in PLACES
        ],
        "dummy": {row[0]: {"difference": row[5:8]} for row in dummy[:-1]},
        "dummy double dummy": {"difference": dummy[-1][5:8]},
        "accuracy": {row[0]: row[4:7] for row in accuracy},
        "samples": {row[0]: row[3] for row in samples},
    }
    return STUDY.result(tables, facts=facts)


def _declared(result: GameResult) -> list[int]:
    """How often the first, second and third to call declare: North deals in the simulation."""
    return [result.seats.get(seat, 0) for seat in Seat]


def _seats(sums: dict[str, GameResult]) -> StudyTable:
    """Who declares in the paper's game and what each place scores, under every scheme."""
    schemes = compared_schemes()
    rows: list[tuple[Cell, ...]] = []
    for reading, result in sums.items():
        declared = _declared(result)
        points = {name: [0.0, 0.0, 0.0] for name in schemes}
        made = [0, 0, 0]
        for kind in result.contracts:
            made[kind.seat] += kind.count * kind.made
            contract = Contract(Bid(kind.level, Strain.NOTRUMP), kind.seat)
            for name, scheme in schemes.items():
                for seat, score in enumerate(scores(Outcome(contract, kind.tricks), scheme)):
                    points[name][seat] += float(score) * kind.count
        for seat, place in enumerate(PLACES):
            interval = stats.proportion(declared[seat], result.played)
            rows.append(
                (
                    reading,
                    place,
                    declared[seat],
                    *(100 * x for x in (interval.estimate, interval.low, interval.high)),
                    100 * made[seat] / declared[seat] if declared[seat] else None,
                    *(points[name][seat] / result.deals for name in schemes),
                )
            )
    return StudyTable(
        "fairness-seats",
        "Who declares in the paper's game, in the order of calling",
        ("reading", "to call", "contracts", "% of contracts", "95% from", "to", "% made",
         *(f"points a deal, {name}" for name in schemes)),
        tuple(rows),
        "Without ties each player would declare a third of the contracts exactly. Points are what "
        "a place scores per deal, as declarer or defender.",
    )  # fmt: skip


def place_gains(result: MatchResult) -> list[tuple[Cell, ...]]:
    """Points of each place in the order of calling, and of each seat, less the table's mean."""
    games = result.work.games
    points = result.points.reshape(-1, games, 3).mean(axis=1)
    numbers = np.array(result.numbers[::games])
    dealers = numbers % 3  # as `MatchWork` deals
    by_place = np.take_along_axis(points, (dealers[:, None] + np.arange(3)) % 3, axis=1)
    compared: dict[str, Numbers] = {}
    for names, values in ((PLACES, by_place), ([str(seat) for seat in Seat], points)):
        gains = values - values.mean(axis=1, keepdims=True)
        compared |= {name: gains[:, at] for at, name in enumerate(names)}
    tests = [stats.paired(gains) for gains in compared.values()]
    corrected = stats.holm([test.p for test in tests])
    return [
        (name, *_three(stats.mean_interval(gains)), test.p, p)
        for (name, gains), test, p in zip(compared.items(), tests, corrected, strict=True)
    ]


def _dummy(sums: dict[str, GameResult], labels: Labels) -> Iterator[tuple[Cell, ...]]:
    for reading, result in sums.items():
        made = [result.count(made=True, both_eligible=one) for one in (True, False)]
        total = [result.count(both_eligible=one) for one in (True, False)]
        _, between = stats.two_proportions(made, total)
        rates = [100 * hits / n if n else None for hits, n in zip(made, total, strict=True)]
        yield (reading, total[0], rates[0], total[1], rates[1],
               *(100 * x for x in _three(between)))  # fmt: skip
    makes = labels.of(Strain.NOTRUMP) >= WIN
    strong = arrays.single(labels.hands[:, HIDDEN], NATURAL).verdict >= WIN
    shares = [makes[chosen].mean(axis=1) for chosen in (strong, ~strong)]
    means_ = [stats.mean_interval(share) for share in shares]
    gap = means_[0].estimate - means_[1].estimate
    half = float(np.linalg.norm([(one.high - one.low) / 2 for one in means_]))
    yield (
        "double dummy", makes[strong].size, 100 * means_[0].estimate, makes[~strong].size,
        100 * means_[1].estimate, 100 * gap, 100 * (gap - half), 100 * (gap + half),
    )  # fmt: skip


def _accuracy(labels: Labels, seed: int) -> Iterator[tuple[Cell, ...]]:
    tricks = labels.of(Strain.NOTRUMP).astype(float)
    by_algorithm = estimates(labels)
    one, two = by_algorithm["Algorithm 1"], by_algorithm["Algorithm 2"]
    yield _gain("Algorithms 1 and 2", one.codes, two.codes, tricks, one.held & two.held, seed)
    alone, pair = (means(f.chances[:, :, Strain.NOTRUMP]) for f in forecasts_on(labels, ["points"]))
    yield _gain("forecast points", alone, pair, tricks, np.ones(tricks.shape, bool), seed)


def _gain(
    name: str,
    alone: NDArray[Any],
    pair: NDArray[Any],
    tricks: Numbers,
    chosen: NDArray[np.bool_],
    seed: int,
) -> tuple[Cell, ...]:
    errors = [np.abs(said - tricks) for said in (alone, pair)]
    gain = np.where(chosen, errors[1] - errors[0], 0.0).sum(axis=1)
    interval = stats.bootstrap(np.column_stack([gain, chosen.sum(axis=1)]), stats.ratio, seed)
    sizes = (float(error[chosen].mean()) for error in errors)
    return name, int(chosen.sum()), *sizes, *_three(interval)


def _samples() -> Iterator[tuple[Cell, ...]]:
    """Each stated sample size with what the published figures say about it."""
    captures, conditions = published_table("captures"), published_table("conditions")
    game = published_table("headline")

    def total(table: Mapping[tuple[str, str], Published], places: Sequence[tuple[str, str]]) -> int:
        return int(sum(table[place].value for place in places))

    million, games = 1_000_000, 10_000_000
    outcomes = ("A fails", "B fails", "both hold")
    lines = ("deals with a bidder", "deals passed out")
    implied = {
        "Table 1 (captures add up to Table 2's qualifying deals)": [
            million
            + total(captures, [place for place in captures if place[0] == run])
            - total(conditions, [(run, "both hold")])
            for run in RUNS
        ],
        "Table 2": [total(conditions, [(run, name) for name in outcomes]) for run in RUNS],
        "Headline table": [total(game, [(line, run) for line in lines]) for run in RUNS],
    }
    yield (
        "Abstract (one simulation validates the model)", 100_000, None,
        "contradicts the 1,000,000 and 10,000,000 deals of the tables",
    )  # fmt: skip
    for where, sizes in implied.items():
        stated = games if where == "Headline table" else million
        (size,) = set(sizes) if len(set(sizes)) == 1 else (None,)
        yield where, stated, size, "agrees" if size == stated else "disagrees"
    agrees = any(abs(z) <= FAR for z in hands.published_distances().values())
    fits = any(test.p >= ALPHA for test in hands.published_fits().values())
    verdict = "agrees" if agrees else "disagrees" if fits else "no sample size fits its counts"
    yield "Second-hand table", 100_000, None, verdict


def _three(interval: stats.Interval) -> tuple[float, float, float]:
    return interval.estimate, interval.low, interval.high


STUDY: Final = Declaration(
    name="fairness",
    title="Fairness, balance and accuracy",
    paper=Size(headline.PAPER, None),
    quick=Size(headline.QUICK, truth.QUICK),
    run=lambda size, seed, runner: study(seed, size, runner),
    steps=lambda size: len(RUNS) * len(REPORTED) * size.deals,
    with_deals=lambda deals: Size(deals, None),
    figures=(
        Figure(
            "fairness",
            "What the order of calling is worth",
            "Left: who declares in the paper's game; without ties every bar would be a third. "
            "Right: what a place is worth in a full auction, in points per game; an interval that "
            "crosses 0 shows no advantage.",
            "fairness-order",
        ),
    ),
    claims=claims_truth.fairness,
)
