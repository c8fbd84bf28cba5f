"""Schemes and laws: variance components against a simulated design, and the tables."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.studies.helpers import small_study
from tribridge.game.laws import all_laws
from tribridge.game.scoring import schemes
from tribridge.studies import laws
from tribridge.studies.laws import variance_components
from tribridge.studies.study import Outcome


@cache
def small() -> Outcome[Any]:
    return small_study("laws")


def test_components_of_a_design_that_is_known() -> None:
    rng = np.random.default_rng(1)
    places = 40_000
    effects = np.array([-1.0, 0.0, 1.0])  # variance 1 with two degrees of freedom
    cells = (
        effects[None, :, None]
        + 2 * rng.standard_normal((places, 1, 1))
        + 3 * rng.standard_normal((places, 3, 1))
        + 1.5 * rng.standard_normal((places, 3, 2))
    )
    strategy, cards, interplay = variance_components(cells)
    assert strategy == pytest.approx(1.0, rel=0.05)
    assert cards == pytest.approx(2**2, rel=0.05)
    assert interplay == pytest.approx(3**2 + 1.5**2, rel=0.05)


def test_equal_strategies_explain_nothing() -> None:
    cells = np.random.default_rng(2).standard_normal((500, 1, 1)) + np.zeros((500, 3, 2))
    strategy, cards, interplay = variance_components(cells)
    assert strategy == pytest.approx(0)
    assert interplay == pytest.approx(0)
    assert cards > 0.5


def test_tables_have_a_row_for_every_scheme_and_shares_that_add_up() -> None:
    study = small()
    contracts = study.table("laws-contracts").records()
    assert [row["scoring"] for row in contracts] == [*schemes(), "auction-rubber"]
    for row in contracts:
        levels = [float(row[f"% level {level}"] or 0) for level in range(1, 8)]
        assert sum(levels) == pytest.approx(100) or row["% passed out"] == 100
        assert 0 <= float(row["% doubled"] or 0) <= 100
        assert float(row["calls"] or 0) >= 3
    for row in study.table("laws-skill").records():
        shares = [float(row[f"% {part}"] or 0) for part in ("strategy", "cards", "interplay")]
        assert sum(shares) == pytest.approx(100)


def test_the_study_has_the_deals_of_its_rubbers() -> None:
    study = small()
    deals = {row["scoring"]: row["deals"] for row in study.table("laws-contracts").records()}
    assert deals["auction-tricks"] == 12  # two deals in six seatings
    assert float(deals["auction-rubber"] or 0) >= 2 * 6 * 2


def test_the_run_in_the_package_covers_everything_and_says_what_made_it() -> None:
    stored = laws.STUDY.outcome(laws.stored())
    for table in stored.tables:
        assert table.column("scoring") == [*schemes(), *all_laws()]
        assert "tribridge simulate laws --deals" in table.note
        assert table.columns == small().table(table.name).columns
    doubled = {r["scoring"]: float(r["% doubled"] or 0) for r in stored.tables[0].records()}
    assert doubled["auction-rubber"] > 0
    assert small().table("laws-contracts").note.endswith(stored.tables[0].note[-60:])
