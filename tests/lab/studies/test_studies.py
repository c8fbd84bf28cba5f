"""The studies of the paper, small: their tables agree with each other and with the reference."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from tests.lab.studies.helpers import small_suite
from tribridge.capture import (
    READINGS,
    Conditions,
    algorithm1,
    algorithm2,
    exact,
)
from tribridge.capture.simulation import counts
from tribridge.capture.simulation.results import ContractCount
from tribridge.cards.cards import Deck
from tribridge.cards.dealer import deal
from tribridge.common.errors import NotFoundError, SettingError
from tribridge.game import find_scheme
from tribridge.lab import studies
from tribridge.lab.studies import claims, conditions, hands, suite
from tribridge.lab.studies.published import Published, compare_share, compared_schemes
from tribridge.lab.studies.study import Runner

pytestmark = pytest.mark.slow  # all look at the studies, which take a while to run


def verdict(result: object) -> object:
    outcome, number = result.outcome, result.captures  # type: ignore[attr-defined]
    return number if outcome is Conditions.BOTH_HOLD else outcome


@pytest.mark.parametrize("reading", READINGS.values(), ids=list(READINGS))
def test_the_sample_of_both_algorithms_is_that_of_the_reference(reading) -> None:  # type: ignore[no-untyped-def]
    expected: Counter[object] = Counter()
    for number in range(600):
        dealt = deal(3, number)
        one = verdict(algorithm1(dealt.hands[0], reading=reading))
        two = verdict(algorithm2(dealt.hands[0], dealt.hands[1]))
        expected[one, two] += 1
    assert hands.sample(3, 600, reading) == expected


def test_a_run_of_captures_is_that_of_the_reference() -> None:
    result = conditions.simulate(4, 500, Runner())
    found = [algorithm2(*deal(4, n).hands[:2]) for n in range(500)]
    assert result.outcomes == Counter(one.outcome for one in found)
    held = Counter(one.captures for one in found if one.outcome is Conditions.BOTH_HOLD)
    assert result.captures == dict(sorted(held.items()))


def test_tables_add_up() -> None:
    study = small_suite()["conditions"]
    conditions = study.table("conditions")
    for at in (1, 2, 3):
        assert sum(conditions.column(f"ours {at}")) == 20_000  # type: ignore[arg-type]
        assert sum(conditions.column(f"published {at}")) == 1_000_000  # type: ignore[arg-type]
    qualifying = sum(study.table("captures").column("ours 1"))  # type: ignore[arg-type]
    assert qualifying == conditions.column("ours 1")[-1]


def test_every_published_figure_of_tables_1_and_2_is_compared() -> None:
    compared = small_suite()["conditions"].comparisons
    assert len(compared) == 5 * (9 + 3)
    assert sum(not one.follows for one in compared) == 3 * (9 + 3)  # the counts of the runs
    assert all(one.verdict == "agrees" for one in compared)
    both = next(c for c in compared if (c.row, c.column) == ("sim 1", "both hold"))
    assert both.published == 278_790
    assert both.exact == pytest.approx(279_060.4, abs=0.1)
    assert both.z == pytest.approx((278_790 - 279_060.4) / 448.5, abs=0.01)


def test_only_the_second_hand_fails_a_hand_that_qualifies_alone() -> None:
    study = small_suite()["second-hand"]
    column = "failed by Condition A or the first hand"
    assert set(study.table("second-hand").column(column)) == {0}


def test_success_rates_are_exact_conditional_shares() -> None:
    rates = small_suite()["second-hand"].result.success
    assert float(rates[7]) == pytest.approx(0.712523, abs=1e-6)
    rejected = small_suite()["second-hand"].result.rejected
    assert float(rejected["natural"]) == pytest.approx(0.25958, abs=1e-5)
    assert float(rejected["non-strict"]) > 0.3  # published: 25 to 28%


def test_net_points_follow_the_schemes() -> None:
    from tribridge.cards.deals import Seat

    made = ContractCount(Seat.EAST, 2, 1, Conditions.BOTH_HOLD, 10, 1)
    lost = ContractCount(Seat.EAST, 2, 0, Conditions.B_FAILS, 0, 1)
    points = {name: made.net_points(scheme) for name, scheme in compared_schemes().items()}
    assert points == {"auction": 40, "old": Fraction(30), "new": Fraction(60)}
    assert lost.net_points(find_scheme("old")) == -50 * 8


def test_the_readings_differ() -> None:
    natural, other = (
        exact.algorithm1(reading=reading, cache=True) for reading in READINGS.values()
    )
    gaps = (abs(n - other.captures.get(t, 0)) for t, n in natural.captures.items())
    assert sum(gaps) / 2 / natural.total > 0.01


def test_the_headline_table_has_every_published_line_under_every_reading() -> None:
    study = small_suite()["headline"]
    table = study.table("headline")
    assert len(table.rows) == 12
    assert [name for name in table.names if name in READINGS] == list(READINGS)
    assert len(study.comparisons) == 4 * 10


def test_budget_zero_on_a_small_deck_by_hand() -> None:
    """2x4 with budget 0: both Aces must be held; B asks both hands for a card of each suit."""
    from tribridge.lab.studies import budget

    study = budget.STUDY.outcome(budget.run(budget.Size((), (Deck(2, 4),)), 1, Runner()))
    row = next(r for r in study.table("decks").records() if r["algorithm"] == "Algorithm 2")
    assert row["budget"] == 1
    assert float(row["both hold %"] or 0) == pytest.approx(100 * 36 / 420)


def test_every_claim_has_a_verdict_and_a_number() -> None:
    found = suite.claims(small_suite())
    assert len(found) >= 20
    assert {c.verdict for c in found} >= {claims.HOLDS, claims.FAILS, claims.OPEN}
    assert {c.verdict for c in found} <= set(claims.VERDICTS)
    for claim in found:
        assert claim.evidence
        assert claim.criterion
        assert claim.study in small_suite()
    by_text = {c.text: c.verdict for c in found}
    assert by_text["No deal captures more than 13"] == claims.HOLDS
    assert by_text["6 or fewer captures are rarer than 0.19% of qualifying deals"] == claims.FAILS


def test_the_runs_are_alike_by_the_corrected_tests_of_their_tables() -> None:
    for name, table in (("conditions", "tests"), ("headline", "headline-tests")):
        study = small_suite()[name]
        corrected = study.table(table).column("p (Holm)")
        assert corrected == [test.holm for test in study.result.tests]
    assert set(small_suite()["conditions"].result.alike) == {"captures", "conditions"}


def test_a_claim_is_judged_by_its_number() -> None:
    """A different truth turns the verdict: the judges are not asleep."""
    result: conditions.Result = small_suite()["conditions"].result
    more = {**result.exact.cells, (6, 14, 14): 10**21}
    turned = conditions.claims(replace(result, exact=replace(result.exact, cells=more)))
    by_text = {claim.text: claim.verdict for claim in turned}
    assert by_text["No deal captures more than 13"] == claims.FAILS
    assert by_text["8 to 11 captures are over 93% of qualifying deals"] == claims.FAILS


def test_a_runner_takes_up_what_it_finds(tmp_path: Path) -> None:
    work = counts.Work("capture", 9)
    told: list[int] = []
    first = Runner(folder=tmp_path).tally(work, 1000)
    again = Runner(folder=tmp_path, progress=told.append).tally(work, 3000)
    whole = Runner().tally(work, 3000)
    assert (again.counts == whole.counts).all()
    assert told[0] == first.deals == 1000
    assert sum(told) == 3000


@pytest.mark.parametrize("content", ["", "{}", "not json", '{"format": "tribridge tally 1"}'])
def test_a_runner_counts_anew_what_it_cannot_read(tmp_path: Path, content: str) -> None:
    (tmp_path / "capture-9.json").write_text(content)
    tally = Runner(folder=tmp_path).tally(counts.Work("capture", 9), 500)
    assert tally.deals == 500
    assert counts.load(tmp_path / "capture-9.json").deals == 500


def test_a_longer_run_in_the_folder_is_not_mistaken_for_a_shorter_one(tmp_path: Path) -> None:
    work = counts.Work("capture", 9)
    Runner(folder=tmp_path).tally(work, 2000)
    assert Runner(folder=tmp_path).tally(work, 1000).deals == 1000


def test_unknown_studies_are_refused() -> None:
    with pytest.raises(NotFoundError, match="'x': expected conditions"):
        suite.find_study("x")


def test_no_cell_of_a_table_is_lost_in_its_records() -> None:
    for outcome in small_suite().values():
        for table in outcome.tables:
            for record, row in zip(table.records(), table.rows, strict=True):
                assert list(record.values()) == list(row), table.name


def test_verdicts_come_from_the_distance() -> None:
    from decimal import Decimal

    near, far = (
        compare_share(Published("t", "r", "c", Decimal(n), 100), Fraction(1, 2), None, unit=100)
        for n in (50, 90)
    )
    assert (near.z, near.verdict) == (0, "agrees")
    assert far.z == pytest.approx(8)
    assert far.verdict == "differs"


@pytest.mark.parametrize("deals", [1, 2, 20, 99])
def test_a_sample_too_small_for_the_tests_is_refused(deals: int) -> None:
    for name in ("conditions", "headline", "hands", "second-hand"):
        study = suite.STUDIES[name]
        assert study.with_deals is not None
        with pytest.raises(SettingError, match="needs at least"):
            study.run(study.with_deals(deals), 1, Runner())


def test_runs_of_another_size_are_scaled_to_the_published_one() -> None:
    rows = {r["line"]: r for r in small_suite()["headline"].table("headline-runs").records()}
    assert 900_000 < float(rows["deals with a bidder"]["ours 1"] or 0) < 1_300_000


def test_studies_are_what_they_declare() -> None:
    for name, declared in suite.STUDIES.items():
        study = small_suite()[name]
        assert study.study is declared
        assert declared.name == name
        assert declared.steps(declared.quick) <= declared.steps(declared.paper)


def test_claims_come_in_the_order_of_sections_and_have_a_section() -> None:
    places = [claims.SECTIONS.index(claim.section) for claim in suite.claims(small_suite())]
    assert places == sorted(places)
    assert set(places) == set(range(len(claims.SECTIONS)))


def test_a_study_is_one_module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A module in the folder is enough: its study is found, and has its place in the report."""
    (tmp_path / "added.py").write_text(
        "from tribridge.lab.studies.study import Study\n"
        "STUDY = Study(name='added', title='Added', order=45, paper=1, quick=1,\n"
        "              run=lambda size, seed, runner: size, tables=lambda result: ())\n"
    )
    monkeypatch.setattr("tribridge.lab.studies.__path__", [*studies.__path__, str(tmp_path)])
    names = [study.name for study in suite.find_studies()]
    assert names.index("headline") + 1 == names.index("added") == names.index("fairness") - 1


def test_two_studies_cannot_have_one_place_in_the_report() -> None:
    first, second = list(suite.STUDIES.values())[:2]
    assert suite.in_order([second, first, first, "no study"]) == [first, second]
    with pytest.raises(SettingError, match=f"{first.name} and other have the same order"):
        suite.in_order([first, replace(first, name="other")])
    with pytest.raises(SettingError, match=f"two studies have the name {first.name}"):
        suite.in_order([first, replace(first, order=10_000)])


def test_titles_do_not_need_the_docstrings_that_python_leaves_out() -> None:
    code = (
        "from tribridge.lab.studies.suite import STUDIES\n"
        "from tribridge.strategies import callers\n"
        "print(all(figure.title for study in STUDIES.values() for figure in study.figures))\n"
        "print(all(entry.summary for entry in callers()))\n"
    )
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\nTrue\n", done.stderr
