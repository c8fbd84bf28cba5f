"""The abstract: its words and numbers come from the studies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.studies.helpers import kept_study, small_suite
from tribridge.report.abstract import findings
from tribridge.studies.suite import claims
from tribridge.studies.tables import Study

pytestmark = pytest.mark.slow  # all look at the studies, which take a while to run


def abstract(studies: dict[str, Study]) -> list[str]:
    return [f"{one.title} {one.text}" for one in findings(studies, claims(studies))]


def test_the_unflattering_findings_come_first() -> None:
    first, second, third, *_ = abstract(dict(small_suite()))
    assert "no better than a constant" in first
    assert "cannot be reproduced" in second
    assert "depends on the question" in third


def test_counts_that_fit_no_sample_and_figures_that_follow_are_said_to() -> None:
    first, second, *_ = abstract(dict(small_suite()))
    assert "36 of the 36 counts" in first
    assert "24 figures follow" in first
    assert "no sample size" in second
    study = small_suite()["second-hand"]
    right = {name: replace(test, p=0.5) for name, test in
             study.facts["published proportions"].items()}  # fmt: skip
    turned = replace(study, facts={**study.facts, "published proportions": right})
    (text, *_) = abstract({"headline": small_suite()["headline"], "second-hand": turned})
    assert "sample size" not in text


def test_who_wins_more_games_is_said_where_the_other_has_more_points() -> None:
    study = kept_study("offence")

    def text(won: tuple[float, float, float]) -> str:
        test = {"better": "a", "worse": "b", "difference": (2.0, 1.0, 3.0), "p": 0.01, "won": won}
        facts = {**study.facts, "matches": [{"deals": 400, "tests": [test]}]}
        return next(one for one in abstract({"offence": replace(study, facts=facts)})
                    if one.startswith("Who beats"))  # fmt: skip

    assert "b scores more in more games (53.0%" in text((0.47, 0.46, 0.48))
    assert "more games" not in text((0.47, 0.44, 0.51))


def test_another_truth_turns_the_words_and_the_numbers() -> None:
    study = small_suite()["truth"]
    accuracy: dict[str, Any] = dict(study.facts["accuracy"])
    accuracy["Algorithm 2"] = {
        **accuracy["Algorithm 2"],
        "bias": -0.25, "absolute error": 0.5,
        "error less constant's": -1.0, "less from": -1.5, "less to": -0.5,
    }  # fmt: skip
    turned = replace(study, facts={**study.facts, "accuracy": accuracy})
    (first, *_) = abstract({"truth": turned})
    assert "closer than a constant" in first
    assert "0.25 tricks too few" in first
    assert "-1.00 [-1.50, -0.50]" in first


def test_a_study_that_was_not_run_has_no_finding() -> None:
    assert len(abstract({})) == 1
    budget = {"budget": small_suite()["budget"]}
    assert len(abstract(budget)) == 1


def test_what_learning_adds_is_computed() -> None:
    study = kept_study("learning")
    strength = {
        key: (-1.25, -2.5, 0.5) if key[:2] == ("learned", "capture") else span
        for key, span in study.facts["strength"].items()
    }
    holm = dict.fromkeys(strength, 0.4)
    turned = replace(study, facts={**study.facts, "strength": strength, "holm": holm})
    text = next(one for one in abstract({"learning": turned}) if "adds in the auction" in one)
    assert "cannot be told apart from two of the paper's" in text
    assert "-1.2 [-2.5, +0.5]" in text
    assert "imitated" in text


def test_a_model_that_costs_tricks_is_said_to_cost_them() -> None:
    study = kept_study("beliefs")
    lost = {**study.facts["lost"], "gain": (-0.2, -0.3, -0.1)}
    turned = replace(study, facts={**study.facts, "lost": lost})
    text = next(one for one in abstract({"beliefs": turned}) if "hidden cards" in one)
    assert "the model costs" in text
