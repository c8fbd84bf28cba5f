"""The paper's experiments on another deck, or with another budget, reading or scoring.

What has an exact count stands beside it, with a chi-square test of the simulation against it: both
algorithms, and Algorithm 2's outcome by Algorithm 1's verdict. The whole game cannot be counted (it
needs three hands at once) and is simulated only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge import parallel
from tribridge.capture import READINGS, Conditions, exact
from tribridge.capture.simulation.arrays import FAILURES, DeckWork
from tribridge.capture.simulation.tables import Counts
from tribridge.cards import Deck, Strain
from tribridge.dealer import check_deals
from tribridge.deals import Seat
from tribridge.game.auction import Bid, Contract
from tribridge.game.scoring import Scheme
from tribridge.stats import Test, fit, z_score
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.runner import Runner
from tribridge.studies.tidy import Cell, Study, StudyTable

NAME: Final = "deck"
PAPER: Final = 1_000_000
QUICK: Final = 50_000
PIECE: Final = 1 << 16
_FEWEST: Final = 5
"""Expected deals below which no distance in standard errors is given."""

LEFT_OUT: Final[tuple[tuple[str, str], ...]] = (
    (
        "the published tables, and the verdicts on the paper's claims",
        "they are about 52 cards and a budget of 6; for those run tribridge paper",
    ),
    ("budget and deck", "it compares all budgets and decks itself, whatever the deck here"),
    (
        "truth, strains and real play",
        "their double-dummy labels and fitted forecasts are for the full deck",
    ),
    ("offence and defence, schemes and laws", "the bidders' scales are for 13 tricks"),
    ("cost", "it times all decks itself"),
)
"""Sections of the full report that another deck does not have, and why."""


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


@dataclass(frozen=True, slots=True, eq=False)
class DeckResult:
    """A simulation and the exact counts of the same setting."""

    setting: Setting
    pairs: Counts
    games: Counts
    passed_out: int
    one: exact.ExactDistribution
    two: exact.ExactDistribution
    joint: exact.Joint
    tests: Mapping[str, Test] = field(default_factory=dict)


def simulate(
    setting: Setting,
    backend: parallel.Backend[Counts] | None = None,
    progress: Callable[[int], None] = lambda deals: None,
) -> DeckResult:
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
    return DeckResult(setting, pairs, games, passed, one, two, joint, tests)


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


def study(setting: Setting, result: DeckResult) -> Study:
    """The tables of a simulation."""
    tables = [
        _distribution("deck-algorithm1", "Algorithm 1 on one hand", result, 1),
        _distribution("deck-algorithm2", "Algorithm 2 on two hands", result, 0),
        _joint_table(result),
        _tests_table(result),
        _game_table(result),
    ]
    if setting.schemes:
        tables.append(_points_table(result))
    return STUDY.result(tables, facts={"p": {name: test.p for name, test in result.tests.items()}})


def verdict_names(work: DeckWork) -> list[str]:
    """The verdicts in words, in the order of their numbers."""
    captures = [f"{n} captures" for n in range(work.deck.hand_size + 1)]
    return [*(outcome.value for outcome in FAILURES), *captures]


def _compared(
    names: Sequence[str], counts: Sequence[int], shares: Sequence[float], total: int
) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        (name, 100 * share, 100 * count / total, count, total, _z(count, total, share))
        for name, count, share in zip(names, counts, shares, strict=True)
        if count or share
    )


def _z(count: int, total: int, share: float) -> float | None:
    """The distance in standard errors; None where too few are expected for that to mean much."""
    return z_score(count, total, share) if share < 1 and share * total >= _FEWEST else None


_COMPARED: Final = ("exact %", "simulated %", "count", "of", "z")


def _distribution(name: str, title: str, result: DeckResult, axis: int) -> StudyTable:
    work = result.setting.work
    exactly = result.one if axis else result.two
    counts = [int(n) for n in result.pairs.sum(axis=axis)]
    rows = _compared(verdict_names(work), counts, _shares(work, exactly), result.setting.deals)
    return StudyTable(name, title, ("result", *_COMPARED), rows, f"{exactly.total:,} counted.")


def _joint_table(result: DeckResult) -> StudyTable:
    work, rows = result.setting.work, []
    seen, shares = _outcomes(result.pairs), _joint_shares(result.setting.work, result.joint)
    outcomes = [*(one.value for one in FAILURES), Conditions.BOTH_HOLD.value]
    for at, name in enumerate(verdict_names(work)):
        counts = [int(n) for n in seen[at]]
        compared = _compared(outcomes, counts, shares[at].tolist(), result.setting.deals)
        rows += [(name, *row) for row in compared]
    return StudyTable(
        "deck-joint",
        "Algorithm 1 on the hand, Algorithm 2 with the dummy",
        ("Algorithm 1", "Algorithm 2", *_COMPARED),
        tuple(rows),
    )


def _tests_table(result: DeckResult) -> StudyTable:
    rows = tuple(
        (name, test.name, test.statistic, test.df, test.p, test.effect, test.size)
        for name, test in result.tests.items()
    )
    columns = ("of", "test", "statistic", "df", "p", "effect", "size")
    note = "Simulated against exact: a small p would mean that one of them is wrong."
    return StudyTable("deck-tests", "Simulated against exact", columns, rows, note)


@dataclass(frozen=True, slots=True)
class Kind:
    """How often one contract ended in one way."""

    seat: Seat
    level: int
    dummy_level: int
    """The level the hidden hand could have bid itself; 0 if it is not eligible."""
    tricks: int
    made: bool
    count: int


def contract_kinds(result: DeckResult) -> Iterator[Kind]:
    """Every kind of contract that was simulated, with its count."""
    book = result.setting.work.deck.book
    for seat, at, dummy, verdict in np.argwhere(result.games).tolist():
        tricks, count = max(0, verdict - len(FAILURES)), int(result.games[seat, at, dummy, verdict])
        yield Kind(Seat(seat), at + 1, dummy, tricks, tricks >= book + at + 1, count)


def _game_table(result: DeckResult) -> StudyTable:
    deck, kinds = result.setting.work.deck, list(contract_kinds(result))

    def count(wanted: Callable[[Kind], bool]) -> int:
        return sum(kind.count for kind in kinds if wanted(kind))

    played, both = count(lambda kind: True), count(lambda kind: kind.dummy_level > 0)
    lines = [
        ("deals with a bidder", played, result.setting.deals),
        ("deals passed out", result.passed_out, result.setting.deals),
        ("contracts made", count(lambda kind: kind.made), played),
        ("hidden hand eligible too", both, played),
        ("made, hidden hand eligible", count(lambda k: k.made and k.dummy_level > 0), both),
    ]
    lines += [(f"{seat} declares", int(result.games[seat].sum()), played) for seat in Seat]
    lines += [
        (f"level {at + 1}", int(result.games[:, at].sum()), played) for at in range(deck.levels)
    ]
    return StudyTable(
        "deck-game",
        "The paper's whole game, simulated",
        ("line", "count", "of", "%", "standard error"),
        tuple((name, part, whole, *_percent(part, whole)) for name, part, whole in lines),
        "Not counted exactly: it depends on all four hands. A bid is the captures of Algorithm 1 "
        f"beyond {deck.book}; the highest declares in notrump, of equal bids the first.",
    )


def _percent(part: int, whole: int) -> tuple[float | None, float | None]:
    """A share in percent with its standard error."""
    if not whole:
        return None, None
    share = part / whole
    return 100 * share, 100 * sqrt(share * (1 - share) / whole)


def _points_table(result: DeckResult) -> StudyTable:
    deck, rows = result.setting.work.deck, list[tuple[Cell, ...]]()
    kinds = list(contract_kinds(result))
    for scheme in result.setting.schemes:
        for of, chosen in (
            ("all contracts", kinds),
            ("hidden hand eligible", [kind for kind in kinds if kind.dummy_level]),
        ):
            points = np.array([_net(scheme, kind, deck) for kind in chosen])
            counts = np.array([kind.count for kind in chosen], float)
            total = counts.sum()
            mean = float(points @ counts / total) if total else None
            spread = 0.0 if mean is None else float((points - mean) ** 2 @ counts / total)
            error = sqrt(spread / total) if total else None
            rows.append((scheme.name, of, int(total), mean, error))
    return StudyTable(
        "deck-points",
        "Net points of a contract",
        ("scoring", "contracts", "count", "mean", "standard error"),
        tuple(rows),
        "Declarer's points less the penalty for undertricks; where a condition of Algorithm 2 "
        "fails, it takes no tricks, as in the paper.",
    )


def _net(scheme: Scheme, kind: Kind, deck: Deck) -> float:
    bid = Bid(kind.level, Strain.NOTRUMP)
    return float(scheme.net(Contract(bid, kind.seat), kind.tricks, deck))


def _run(setting: Setting, seed: int, runner: Runner) -> Study:
    """A study like the others; the seed is that of the setting."""
    return study(setting, simulate(setting, runner.backend, runner.progress))


STUDY: Final = Declaration(
    name=NAME,
    title="Another deck",
    paper=Setting(DeckWork(Deck(3, 12), 6), PAPER),
    quick=Setting(DeckWork(Deck(3, 12), 6), QUICK),
    run=_run,
    steps=lambda setting: setting.deals,
    describe=Setting.describe,
    figures=(
        Figure(
            "deck",
            "Exact and simulated",
            "How often each verdict occurs: bars are exact, points are simulated, with 95% "
            "intervals. Every point should be at the top of its bar.",
            "deck-algorithm1",
        ),
    ),
)
"""Not in `suite`: only a report on another deck has it."""
