"""Plans: hypotheses written down before, next to what came of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from tests.lab.studies.helpers import kept_study
from tribridge.common.errors import FormatError, SettingError
from tribridge.common.stats import Interval
from tribridge.lab.studies import plans
from tribridge.lab.studies.claims import UNDECIDED
from tribridge.lab.studies.plans import Answer, check_plan, judge, parse_plan, plan_table
from tribridge.lab.studies.study import Study
from tribridge.lab.studies.suite import STUDIES

TEXT = """
question = "Does the third place gain?"
stopping = "All games are played."
seeds = { games = 7 }
sizes = { games = 1000 }
[[hypotheses]]
id = "third"
statement = "The third place gains."
measure = "points a deal of the third place"
unit = "points"
side = "above"
[[hypotheses]]
id = "second"
statement = "The second place loses more than a point."
measure = "points a deal of the second place"
unit = "points"
side = "below"
limit = -1
[[hypotheses]]
id = "first"
statement = "The first place is worth nothing."
measure = "points a deal of the first place"
unit = "points"
side = "within"
limit = 0.5
"""
PLAN = parse_plan(TEXT)


@dataclass(frozen=True)
class Result:
    """Made under a plan."""

    plan: str


def around(value: float, half: float = 0.25) -> Interval:
    return Interval(value, value - half, value + half)


def test_each_hypothesis_is_judged_by_its_own_criterion() -> None:
    found = {
        "third": Answer(around(2), 0.001),
        "second": Answer(around(-3), 0.001),
        "first": Answer(around(0.1)),
    }
    assert judge(PLAN, found) == dict.fromkeys(("third", "second", "first"), plans.BORNE_OUT)
    turned = {
        "third": Answer(around(-2), 0.001),
        "second": Answer(around(0), 0.001),
        "first": Answer(around(1)),
    }
    assert set(judge(PLAN, turned).values()) == {plans.CONTRADICTED}


def test_holm_corrects_over_the_hypotheses_of_the_study() -> None:
    alone = judge(PLAN, {"third": Answer(around(0.3), 0.03)})
    assert alone == {
        "third": plans.BORNE_OUT,
        "second": plans.NOT_MEASURED,
        "first": plans.NOT_MEASURED,
    }
    both = judge(PLAN, {"third": Answer(around(0.3), 0.03), "second": Answer(around(-1.3), 0.2)})
    assert both["third"] == both["second"] == UNDECIDED


def test_what_never_happened_is_not_measured() -> None:
    nan = float("nan")
    judged = judge(PLAN, {"third": Answer(Interval(nan, nan, nan), 0.0)})
    assert set(judged.values()) == {plans.NOT_MEASURED}


def test_an_exact_number_needs_no_test() -> None:
    assert judge(PLAN, {"third": Answer(around(0.001, 0))})["third"] == plans.BORNE_OUT
    assert judge(PLAN, {"third": Answer(around(0, 0))})["third"] == UNDECIDED


def test_an_answer_to_no_hypothesis_is_an_error() -> None:
    with pytest.raises(SettingError, match="'fourth'"):
        judge(PLAN, {"fourth": Answer(around(1))})


def test_comments_do_not_change_the_digest_and_a_seed_does() -> None:
    assert parse_plan("# a comment\n" + TEXT).digest == PLAN.digest
    for old, new in (("games = 7", "games = 8"), ("1000", "2000"), ("limit = -1", "limit = 0")):
        assert parse_plan(TEXT.replace(old, new)).digest != PLAN.digest


def test_a_result_of_another_plan_is_refused() -> None:
    assert check_plan(Result(PLAN.digest), PLAN, "some.json") == Result(PLAN.digest)
    for digest in ("", "0123456789abcdef"):
        with pytest.raises(FormatError, match=f"some.json: made under.*{PLAN.digest}"):
            check_plan(Result(digest), PLAN, "some.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question = 3 4", "plan: "),
        (TEXT.replace('"above"', '"beyond"'), "above"),
        (TEXT.replace('"third"', '"first"'), "two hypotheses have the id first"),
        (TEXT.replace("stopping", "ending"), "stopping"),
    ],
)
def test_a_bad_plan_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_plan(text)


def test_the_report_shows_plan_and_outcome_side_by_side() -> None:
    study: Study[None, Result] = Study(
        name="mine",
        title="Mine",
        order=None,
        run=lambda size, seed, runner: Result(PLAN.digest),
        tables=lambda result: (),
        plan=PLAN,
        answers=lambda result: {"third": Answer(around(2), 0.001)},
    )
    assert hash(study)  # findings are listed by study
    (shown,) = study.outcome(Result(PLAN.digest)).tables
    assert shown == plan_table("mine", PLAN, {"third": Answer(around(2), 0.001)})
    other = plan_table("mine", PLAN, {}, "Only half of the games were played.")
    assert other.note.endswith("otherwise than planned: Only half of the games were played.")
    assert shown.column("expected") == [
        "above 0 points",
        "below -1 points",
        "within 0.5 points of 0",
    ]
    assert shown.column("outcome") == [plans.BORNE_OUT, *[plans.NOT_MEASURED] * 2]
    for fact in (PLAN.question, PLAN.stopping, "games 7", "games 1,000", PLAN.digest):
        assert fact in shown.note
    exact = plan_table("mine", replace(PLAN, seeds={}), {})
    assert "seeds" not in exact.note
    assert "games 1,000" in exact.note


def test_every_study_with_a_plan_answers_only_what_was_planned() -> None:
    for name, study in STUDIES.items():
        if study.plan is not None:
            judge(study.plan, study.answers(kept_study(name).result))
