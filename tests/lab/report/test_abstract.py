"""The abstract: its words and numbers come from the studies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.lab.studies.helpers import kept_study, small_suite
from tribridge.common.stats import Interval
from tribridge.lab.report.abstract import findings, opening
from tribridge.lab.studies import card, closed, obstacles, opponents, truth
from tribridge.lab.studies.study import Outcome, Outcomes
from tribridge.lab.studies.suite import STUDIES
from tribridge.strategies.learned.releases import CALLER, CALLERS, PLAYER, PLAYERS

pytestmark = pytest.mark.slow  # all look at the studies, which take a while to run


def abstract(outcomes: Outcomes) -> list[str]:
    return [f"{found.title} {found.text}" for found in findings(outcomes)]


def turned(name: str, **changes: object) -> dict[str, Outcome[Any]]:
    """A study with another result."""
    return {name: STUDIES[name].outcome(replace(kept_study(name).result, **changes))}


def test_the_unflattering_findings_come_first() -> None:
    first, second, *_ = abstract(dict(small_suite()))
    assert "no better than" in first
    assert "cannot be reproduced" in second


def test_counts_that_fit_no_sample_and_figures_that_follow_are_said_to() -> None:
    first, second, *_ = abstract(dict(small_suite()))
    assert "All 36 counts" in first
    assert "24 figures follow" in first
    assert "no sample size" in second
    fits = small_suite()["second-hand"].result.fits
    right = {name: replace(test, p=0.5) for name, test in fits.items()}
    headline = {"headline": small_suite()["headline"]}
    (text, *_) = abstract({**headline, **turned("second-hand", fits=right)})
    assert "sample size" not in text


def test_another_truth_turns_the_words_and_the_numbers() -> None:
    result: truth.Result = kept_study("truth").result
    two = replace(
        result.accuracy_of(truth.TWO),
        bias=Interval(-0.25, -0.3, -0.2),
        error=Interval(0.5, 0.4, 0.6),
        less=Interval(-1.0, -1.5, -0.5),
    )
    (first, *_) = abstract(turned("truth", accuracy=(two,)))
    assert "than a constant" in first
    assert "0.25 tricks too few" in first
    assert "-1.00 [-1.50, -0.50]" in first


def test_a_study_that_was_not_run_has_no_finding() -> None:
    assert abstract({}) == []
    budget = {"budget": small_suite()["budget"]}
    assert abstract(budget) == []
    assert len(opening(budget)[1]) == 0 < len(opening(dict(small_suite()))[1])


def test_there_are_ten_findings_each_with_a_number() -> None:
    every = findings(dict(small_suite()))
    assert len(every) == 10
    assert all(found.measured and found.title.endswith(".") for found in every)


def test_findings_are_about_the_versions_that_users_get() -> None:
    """Older versions play in some studies; no finding is about them."""
    old = [f"learned@{version}" for version in PLAYERS | CALLERS]
    new = {f"learned@{release.version}" for release in (PLAYER, CALLER)}
    said = " ".join(
        f"{text} {' '.join(each.name for each in found.measured)}"
        for text, found in zip(
            abstract(dict(small_suite())), findings(dict(small_suite())), strict=True
        )
    )
    assert not [name for name in old if name not in new and name in said]


def test_what_the_card_scores_is_computed() -> None:
    result: card.Result = kept_study("card").result
    behind = Interval(-4.25, -5.5, -3.5)
    judged = tuple(
        replace(row, points=behind) if row.id == "near-learned" else row for row in result.judged
    )
    changed = turned("card", judged=judged)
    (text,) = abstract(changed)
    assert "scores less than a learned network" in text
    assert "-4.2 [-5.5, -3.5]" in text
    assert "less than a network" in opening(changed)[1]


@pytest.mark.parametrize(
    ("near", "limit"),
    [(Interval(0.1, -1.73, 1.96), "2.0"), (Interval(0.0, -1.01, 0.5), "1.1")],
)
def test_where_neither_is_ahead_the_title_says_how_far_apart_they_may_be(
    near: Interval, limit: str
) -> None:
    result: card.Result = kept_study("card").result
    judged = tuple(
        replace(row, points=near) if row.id == "near-learned" else row for row in result.judged
    )
    (found,) = findings(turned("card", judged=judged))
    assert f"within {limit} points a deal of a learned network" in found.title


def test_what_obstacles_leave_is_computed() -> None:
    result: obstacles.Result = kept_study("obstacles").result
    *others, last = result.left
    less = replace(last, bias=Interval(0.5, 0.25, 0.75))
    (text,) = abstract(turned("obstacles", left=(*others, less)))
    assert "explain part of the excess of Algorithm 2" in text
    assert "+0.50 [+0.25, +0.75] are left" in text


def test_listeners_are_compared_on_the_same_deals() -> None:
    knowing = kept_study("listening")
    (found,) = findings({"calls": kept_study("calls"), "listening": knowing})
    spans = {row.bits for row in knowing.result.modelled if row.scheme == "contract"}
    assert {each.span for each in found.measured} < spans
    assert found.measured[0].span == knowing.result.modelled[0].bits
    (plain,) = findings({"calls": kept_study("calls")})
    assert len(plain.measured) == 2


def test_a_model_that_costs_tricks_is_said_to_cost_them() -> None:
    result: opponents.Result = kept_study("opponents").result
    leads = tuple(
        replace(lead, saved=Interval(-0.2, -0.3, -0.1), holm=0.01) for lead in result.leads
    )
    text = next(
        finding
        for finding in abstract(turned("opponents", leads=leads))
        if "opening lead" in finding
    )
    assert "calls cost tricks" in text


@pytest.mark.parametrize(
    ("span", "holm", "words"),
    [
        (Interval(0.5, 0.3, 0.7), 0.001, "costs declarer tricks"),
        (Interval(0.4, -0.1, 0.8), 0.2, "costs nothing for certain"),
    ],
)
def test_what_an_open_dummy_costs_is_said_only_where_it_is_clear(
    span: Interval, holm: float, words: str
) -> None:
    result: closed.Result = kept_study("closed").result
    gaps = tuple(
        replace(gap, tricks=span, holm=holm) if gap.part == closed.WHOLE else gap
        for gap in result.gaps
    )
    (text,) = abstract(turned("closed", gaps=gaps))
    assert words in text
