"""The paper's experiments on another deck, or with another budget, reading or scoring.

What has an exact count stands beside it, with a chi-square test of the simulation against it: both
algorithms, and Algorithm 2's outcome by Algorithm 1's verdict. The whole game cannot be counted (it
needs three hands at once) and is simulated only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import parallel
from tribridge.capture import READINGS, Conditions, exact
from tribridge.capture.simulation.arrays import FAILURES, DeckWork
from tribridge.capture.simulation.tables import Counts
from tribridge.cards import Deck
from tribridge.dealer import check_deals
from tribridge.deals import Seat
from tribridge.game.scoring import Scheme
from tribridge.stats import Test, fit, z_score
from tribridge.studies.simulation import ContractCount, contract_counts
from tribridge.studies.study import Study
from tribridge.studies.tables import StudyTable, table

PAPER: Final = 1_000_000
QUICK: Final = 50_000
PIECE: Final = 1 << 16
_FEWEST: Final = 5
"""Expected deals below which no distance in standard errors is given."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is changed, and how many deals are simulated."""

    work: DeckWork
    deals: int
    schemes: tuple[Scheme, ...] = ()

    def __post_init__(self) -> None:
        check_deals(0, self.deals)

    def describe(self) -> dict[str, object]:
        """The setting in words, for the report."""
        return {
            "deck": str(self.work.deck),
            "budget": self.work.budget,
            "reading of Algorithm 1": self.work.reading,
            "deals": self.deals,
            "scoring": ", ".join(scheme.name for scheme in self.schemes),
        }


@dataclass(frozen=True, slots=True)
class Share:
    """How often something happens: exactly, and in the simulation."""

    exact: Annotated[float, "exact %"]
    simulated: Annotated[float, "simulated %"]
    count: int
    of: int
    z: float | None
    """The distance in standard errors; None where too few are expected for that to mean much."""


@dataclass(frozen=True, slots=True)
class VerdictShare:
    """How often an algorithm gives a verdict."""

    result: str
    share: Share


@dataclass(frozen=True, slots=True)
class JointShare:
    """How often a verdict of Algorithm 1 meets an outcome of Algorithm 2."""

    first: Annotated[str, "Algorithm 1"]
    second: Annotated[str, "Algorithm 2"]
    share: Share


@dataclass(frozen=True, slots=True)
class GameLine:
    """A line about the whole game."""

    line: str
    count: int
    of: int

    @property
    def share(self) -> float | None:
        return self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class NetPoints:
    """Net points of a contract under a scheme."""

    scoring: str
    contracts: str
    count: int
    mean: float | None
    error: Annotated[float | None, "standard error"]


@dataclass(frozen=True, slots=True)
class Result:
    """A simulation beside the exact counts of the same setting."""

    setting: Setting
    single: tuple[VerdictShare, ...]
    """Algorithm 1 on one hand."""
    pairs: tuple[VerdictShare, ...]
    """Algorithm 2 on two hands."""
    counted: tuple[int, int]
    """How many hands and pairs were counted exactly."""
    joint: tuple[JointShare, ...]
    tests: Mapping[str, Test]
    game: tuple[GameLine, ...]
    points: tuple[NetPoints, ...]


def simulate(
    setting: Setting,
    backend: parallel.Backend[Counts] | None = None,
    progress: Callable[[int], None] = lambda deals: None,
) -> Result:
    """Simulate a setting, count it exactly, and test one against the other."""
    work = setting.work
    total = np.zeros(work.cells, np.int64)
    where = backend or parallel.InProcess(PIECE)
    for (start, stop), parts in parallel.run(work, where, [], (0, setting.deals)):
        total += sum(parts)
        progress(stop - start)
    pairs, games, passed = work.split(total)
    reading = READINGS[work.reading]
    one = exact.algorithm1(work.deck, work.budget, reading, cache=True)
    two = exact.algorithm2(work.deck, work.budget, cache=True)
    joint = exact.joint(work.deck, work.budget, reading, cache=True)
    shares = _joint_shares(work, joint)
    tests = {
        "Algorithm 1": fit(pairs.sum(axis=1), _shares(work, one)),
        "Algorithm 2": fit(pairs.sum(axis=0), _shares(work, two)),
        "both together": fit(_outcomes(pairs).ravel(), shares.ravel()),
    }
    names = verdict_names(work)
    kinds = list(contract_counts(games, work.deck, len(FAILURES)))
    outcomes = [*(outcome.value for outcome in FAILURES), Conditions.BOTH_HOLD.value]
    return Result(
        setting,
        tuple(
            VerdictShare(*row) for row in _compared(names, pairs.sum(axis=1), _shares(work, one))
        ),
        tuple(
            VerdictShare(*row) for row in _compared(names, pairs.sum(axis=0), _shares(work, two))
        ),
        (one.total, two.total),
        tuple(
            JointShare(name, *row)
            for name, counts, exactly in zip(names, _outcomes(pairs), shares, strict=True)
            for row in _compared(outcomes, counts, exactly.tolist(), setting.deals)
        ),
        tests,
        tuple(_game(kinds, games, passed, setting)),
        tuple(_points(kinds, setting)),
    )


def _shares(work: DeckWork, counted: exact.ExactDistribution) -> list[float]:
    """The exact share of every verdict."""
    counts = [counted.a_fails, counted.b_fails]
    counts += [counted.captures.get(n, 0) for n in range(work.deck.hand_size + 1)]
    return [count / counted.total for count in counts]


def _outcomes(pairs: Counts) -> Counts:
    """Pairs by Algorithm 1's verdict and Algorithm 2's outcome: captures added up."""
    return np.concatenate([pairs[:, :2], pairs[:, 2:].sum(axis=1, keepdims=True)], axis=1)


def _joint_shares(work: DeckWork, joint: exact.Joint) -> NDArray[np.float64]:
    shares = np.zeros((work.verdicts, len(Conditions)))
    for (first, outcome), count in joint.outcomes.items():
        row = FAILURES.index(first) if isinstance(first, Conditions) else len(FAILURES) + first
        column = len(FAILURES) if outcome is Conditions.BOTH_HOLD else FAILURES.index(outcome)
        shares[row, column] = count / joint.total
    return shares


def verdict_names(work: DeckWork) -> list[str]:
    """The verdicts in words, in the order of their numbers."""
    captures = [f"{n} captures" for n in range(work.deck.hand_size + 1)]
    return [*(outcome.value for outcome in FAILURES), *captures]


def _compared(
    names: Sequence[str], counts: Sequence[int], shares: Sequence[float], total: int | None = None
) -> Iterator[tuple[str, Share]]:
    """What happens at all, or can."""
    whole = int(sum(counts)) if total is None else total
    for name, number, share in zip(names, counts, shares, strict=True):
        if number or share:
            count = int(number)
            enough = share < 1 and share * whole >= _FEWEST
            z = z_score(count, whole, share) if enough else None
            yield name, Share(100 * share, 100 * count / whole, count, whole, z)


def _game(
    kinds: Sequence[ContractCount], games: Counts, passed_out: int, setting: Setting
) -> Iterator[GameLine]:
    def count(wanted: Callable[[ContractCount], bool]) -> int:
        return sum(kind.count for kind in kinds if wanted(kind))

    played, both = count(lambda kind: True), count(lambda kind: kind.dummy_level > 0)
    yield GameLine("deals with a bidder", played, setting.deals)
    yield GameLine("deals passed out", passed_out, setting.deals)
    yield GameLine("contracts made", count(lambda kind: kind.made), played)
    yield GameLine("hidden hand eligible too", both, played)
    made = count(lambda kind: kind.made and kind.dummy_level > 0)
    yield GameLine("made, hidden hand eligible", made, both)
    for seat in Seat:
        yield GameLine(f"{seat} declares", int(games[seat].sum()), played)
    for at in range(setting.work.deck.levels):
        yield GameLine(f"level {at + 1}", int(games[:, at].sum()), played)


def _points(kinds: Sequence[ContractCount], setting: Setting) -> Iterator[NetPoints]:
    for scheme in setting.schemes:
        for of, chosen in (
            ("all contracts", kinds),
            ("hidden hand eligible", [kind for kind in kinds if kind.dummy_level]),
        ):
            points = np.array([float(kind.net_points(scheme)) for kind in chosen])
            counts = np.array([kind.count for kind in chosen], float)
            total = counts.sum()
            mean = float(points @ counts / total) if total else None
            spread = 0.0 if mean is None else float((points - mean) ** 2 @ counts / total)
            error = sqrt(spread / total) if total else None
            yield NetPoints(scheme.name, of, int(total), mean, error)


def tables(result: Result) -> Iterator[StudyTable]:
    """The tables of a simulation."""
    for name, title, rows, counted in (
        ("deck-algorithm1", "Algorithm 1 on one hand", result.single, result.counted[0]),
        ("deck-algorithm2", "Algorithm 2 on two hands", result.pairs, result.counted[1]),
    ):
        yield table(name, title, rows, f"{counted:,} counted.")
    yield table("deck-joint", "Algorithm 1 on the hand, Algorithm 2 with the dummy", result.joint)
    yield table(
        "deck-tests",
        "Simulated against exact",
        result.tests.items(),
        "Simulated against exact: a small p would mean that one of them is wrong.",
        columns={
            "of": lambda row: row[0],
            "test": lambda row: row[1].name,
            "statistic": lambda row: row[1].statistic,
            "df": lambda row: row[1].df,
            "p": lambda row: row[1].p,
            "effect": lambda row: row[1].effect,
            "size": lambda row: row[1].size,
        },
    )
    yield table(
        "deck-game",
        "The paper's whole game, simulated",
        result.game,
        "Not counted exactly: it depends on all four hands. A bid is the captures of Algorithm 1 "
        f"beyond {result.setting.work.deck.book}; the highest declares in notrump, of equal bids "
        "the first.",
        columns={
            "line": "line",
            "count": "count",
            "of": "of",
            "%": lambda row: None if row.share is None else 100 * row.share,
            "standard error": lambda row: (
                None if row.share is None else 100 * sqrt(row.share * (1 - row.share) / row.of)
            ),
        },
    )
    if result.points:
        yield table(
            "deck-points",
            "Net points of a contract",
            result.points,
            "Declarer's points less the penalty for undertricks; where a condition of Algorithm 2 "
            "fails, it takes no tricks, as in the paper.",
        )


STUDY: Final = Study(
    name="deck",
    title="Another deck",
    order=None,  # it is not part of the report
    paper=Setting(DeckWork(Deck(3, 12), 6), PAPER),
    quick=Setting(DeckWork(Deck(3, 12), 6), QUICK),
    run=lambda setting, seed, runner: simulate(setting, runner.backend, runner.progress),
    steps=lambda setting: setting.deals,
    describe=Setting.describe,
    tables=tables,
)
