"""What models of the play tell, as stored: by the models of the package, under the plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import play_beliefs
from benchmarks.play_beliefs import PLAN, bits_saved, fitted, load_result, models, shown
from tribridge.lab.studies.plans import judge
from tribridge.strategies.learned.releases import PLAYER

RESULT = play_beliefs.COSTS.with_name("play_beliefs.json")


def test_the_result_is_of_what_the_package_has_or_its_page_says_otherwise() -> None:
    result, now = load_result(RESULT), shown()
    assert result.head["experts"] == now["experts"]
    page = Path(__file__).parents[2] / "docs/explanation/beliefs.md"
    said = f"version {PLAYER.version} has not been scored" in " ".join(page.read_text().split())
    assert said is (result.head["player"] != now["player"])
    assert result.head["layouts"] == PLAN.sizes["layouts"]
    assert not result.head["training"]
    for name, powers in models().items():
        np.testing.assert_allclose(result.powers[name], powers, err_msg=name)
    assert set(judge(PLAN, result.answers)) == {hypothesis.id for hypothesis in PLAN.hypotheses}


def test_bits_count_how_much_of_the_share_goes_to_the_true_layout() -> None:
    parts = np.zeros((3, 8, 1))
    parts[1, 0] = np.log(7.0)  # as likely as the seven others together
    parts[2, 0] = -np.inf
    saved = bits_saved(parts[:2], np.ones(1))
    np.testing.assert_allclose(saved, [0, 2])
    assert bits_saved(parts[2:], np.ones(1))[0] == -np.inf


def test_fitted_powers_find_what_the_layouts_were_drawn_by() -> None:
    rng = np.random.default_rng(1)
    parts = rng.normal(size=(4000, 16, 2))
    logs = parts @ [0.5, 1.5]
    chosen = (logs + rng.gumbel(size=logs.shape)).argmax(1)
    rows = np.arange(len(parts))
    parts[rows, 0], parts[rows, chosen] = parts[rows, chosen], parts[rows, 0].copy()
    powers = fitted(parts)
    assert powers == pytest.approx([0.5, 1.5], abs=0.1)
    best = bits_saved(parts, powers).mean()
    assert best > bits_saved(parts, np.array([1.0, 1.0])).mean()
