"""`tribridge paper`: the published tables beside ours."""

from __future__ import annotations

import json

from tests.cli.helpers import refusal, tribridge


def test_both_tables_stand_beside_the_published_ones() -> None:
    done = tribridge("paper", "--deals", "2000")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "Table 1" in done.stdout
    assert "Table 2" in done.stdout
    assert "57.572" in done.stdout  # the published share of deals that hold A but not B


def test_the_same_seed_gives_the_same_figures() -> None:
    first, second = (tribridge("paper", "--deals", "500", "--json").stdout for _ in range(2))
    assert first == second
    data = json.loads(first)
    assert [run["seed"] for run in data["runs"]] == [1, 2, 3]
    for run in data["runs"]:
        outcomes = ("A fails", "B fails", "both hold")
        assert sum(run["algorithm2"].get(name, 0) for name in outcomes) == 500


def test_bad_numbers_get_one_line() -> None:
    assert "0 deals: at least one is needed" in refusal("paper", "--deals", "0")
    assert "out of range" in refusal("paper", "--deals", "10", "--seed", "-1")
