"""Two reports compared: planted changes are found, named and judged."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.library.cli.helpers import tribridge
from tribridge.common.errors import FormatError, NotFoundError
from tribridge.lab.report.difference import compare, load_report

RUN: dict[str, Any] = {
    "seed": 1,
    "version": "1",
    "sizes": {"deals": 10_000},
    "claims": [{"claim": "it works", "verdict": "holds"}],
    "figures": [{"table": "captures", "row": "4", "column": "run 1", "verdict": "agrees"}],
    "columns": {
        "game": [
            {"name": "line"},
            {"name": "of"},
            {"name": "won", "unit": "%", "of": "of"},
            {"name": "counted", "unit": "%", "exact": True},
            {"name": "p", "format": "p-value"},
            {"name": "ahead", "format": "verdict"},
        ],
        "points": [
            {"name": "scheme"},
            {"name": "mean", "interval": ["low", "high"]},
            {"name": "low"},
            {"name": "high"},
        ],
        "payoffs": [{"name": "who"}, {"name": "tricks", "error": "spread"}, {"name": "spread"}],
    },
    "tables": {
        "game": [
            {"line": line, "of": 10_000, "won": 50.0, "counted": 50.0, "p": 0.5, "ahead": "nobody"}
            for line in ("made", "lost")
        ],
        "points": [{"scheme": "old", "mean": 10.0, "low": 9.0, "high": 11.0}],
        "payoffs": [{"who": "north", "tricks": 7.0, "spread": 0.1}],
    },
    "times": {"seconds": 3},
}


def changed(**cells: Any) -> dict[str, Any]:
    """The run with other cells in the first row of its game, with another seed."""
    new = copy.deepcopy(RUN)
    new["tables"]["game"][0] |= cells
    new["seed"] = 2
    return new


def test_a_run_is_the_same_as_itself_whatever_its_times() -> None:
    assert compare(RUN, RUN | {"times": {"seconds": 9}}) == []


def test_small_differences_are_noise_and_large_ones_are_not() -> None:
    within, setting = compare(RUN, changed(won=51.0))
    assert (within.where, within.noise) == ("game: made, won", True)
    assert within.z == pytest.approx(1 / 0.7071, rel=1e-3)
    assert (setting.kind, setting.where, setting.old, setting.new) == ("setting", "seed", 1, 2)
    beyond, _ = compare(RUN, changed(won=60.0))
    assert beyond.noise is False
    new = changed()
    new["tables"]["payoffs"][0]["tricks"] = 7.2
    by_error, _ = compare(RUN, new)
    assert by_error.noise is True
    assert by_error.z == pytest.approx(2**0.5)


def test_exact_numbers_and_runs_of_the_same_settings_have_no_noise() -> None:
    exactly, _ = compare(RUN, changed(counted=50.001))
    assert exactly.noise is False
    same_seed = changed(won=51.0) | {"seed": 1}
    assert [change.noise for change in compare(RUN, same_seed)] == [False]


def test_a_number_without_an_error_is_not_judged_and_an_interval_is() -> None:
    unjudged, _ = compare(RUN, changed(p=0.1))
    assert unjudged.noise is None
    new = changed()
    new["tables"]["points"][0] |= {"mean": 20.0, "low": 19.0, "high": 21.0}
    assert {c.where: c.noise for c in compare(RUN, new) if c.kind == "figure"} == {
        "points: old, mean": False,
        "points: old, low": None,
        "points: old, high": None,
    }


def test_a_verdict_in_a_table_does_not_name_its_row() -> None:
    ahead, _ = compare(RUN, changed(ahead="north"))
    assert (ahead.where, ahead.old, ahead.new) == (
        "game: made, ahead",
        "nobody",
        "north",
    )


def test_a_report_that_does_not_state_its_columns_is_judged_by_the_other_one() -> None:
    old, new = copy.deepcopy(RUN), changed(won=51.0)
    del old["columns"]
    for pair in ((old, new), (new, old)):
        within, _ = compare(*pair)
        assert within.noise is True
    del new["columns"]
    with pytest.raises(FormatError, match=r"version 0\.3\.0 or earlier .*: make one of them again"):
        compare(old, new)
    damaged = RUN | {"columns": {"game": [{"name": 3}]}}
    with pytest.raises(FormatError, match="columns of the report"):
        compare(RUN, damaged)


def test_verdicts_come_first_then_what_is_beyond_noise() -> None:
    new = changed(won=51.0, counted=49.0, p=0.4)
    new["claims"][0]["verdict"] = "fails"
    new["figures"][0]["verdict"] = "differs"
    del new["tables"]["game"][1]
    kinds = [(change.kind, change.noise) for change in compare(RUN, new)]
    assert kinds == [
        ("verdict", False),
        ("verdict", False),
        ("figure", False),
        ("figure", False),
        ("figure", None),
        ("figure", True),
        ("setting", False),
    ]


def test_the_command_prints_the_changes_and_exits_as_diff_does(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new.json"
    old.mkdir()
    (old / "report.json").write_text(json.dumps(RUN))
    new.write_text(json.dumps(changed(won=60.0)))
    same = tribridge("paper", "diff", str(old), str(old / "report.json"))
    assert (same.returncode, same.stderr) == (0, "")
    differ = tribridge("paper", "diff", str(old), str(new))
    assert differ.returncode == 1
    assert "game: made, won: 50 -> 60  (+14.3 standard errors)" in differ.stdout
    assert "seed: 1 -> 2" in differ.stdout
    as_json = tribridge("paper", "diff", str(old), str(new), "--json")
    assert json.loads(as_json.stdout)["same"] is False
    new.write_text("{")
    trouble = tribridge("paper", "diff", str(old), str(new))
    assert (trouble.returncode, trouble.stderr.count("\n")) == (2, 1)
    assert "or damaged" in trouble.stderr


def test_what_is_no_report_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no such report"):
        load_report(tmp_path)
    for text in ("[]", "{}", '{"tables": [], "claims": [], "sizes": {}}'):
        (tmp_path / "report.json").write_text(text)
        with pytest.raises(FormatError, match="a report"):
            load_report(tmp_path)
