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
    "tables": {
        "game": [
            {"line": "made", "count": 5000, "of": 10_000, "%": 50.0, "exact %": 50.0, "p": 0.5},
            {"line": "lost", "count": 5000, "of": 10_000, "%": 50.0, "exact %": 50.0, "p": 0.5},
        ],
        "points": [{"scheme": "old", "mean": 10.0, "from": 9.0, "to": 11.0}],
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
    within, setting = compare(RUN, changed(**{"%": 51.0}))
    assert (within.where, within.noise) == ("game: made, %", True)
    assert within.z == pytest.approx(1 / 0.7071, rel=1e-3)
    assert (setting.kind, setting.where, setting.old, setting.new) == ("setting", "seed", 1, 2)
    beyond, _ = compare(RUN, changed(**{"%": 60.0}))
    assert beyond.noise is False
    counted, _ = compare(RUN, changed(count=5100))
    assert counted.noise is True


def test_exact_numbers_and_runs_of_the_same_settings_have_no_noise() -> None:
    exactly, _ = compare(RUN, changed(**{"exact %": 50.001}))
    assert exactly.noise is False
    same_seed = changed(**{"%": 51.0}) | {"seed": 1}
    assert [change.noise for change in compare(RUN, same_seed)] == [False]


def test_a_number_without_an_error_is_not_judged_and_an_interval_is() -> None:
    unjudged, _ = compare(RUN, changed(p=0.1))
    assert unjudged.noise is None
    new = changed()
    new["tables"]["points"][0] |= {"mean": 20.0, "from": 19.0, "to": 21.0}
    assert {c.where: c.noise for c in compare(RUN, new) if c.kind == "figure"} == {
        "points: old, mean": False,
        "points: old, from": None,
        "points: old, to": None,
    }


def test_verdicts_come_first_then_what_is_beyond_noise() -> None:
    new = changed(**{"%": 51.0, "exact %": 49.0, "p": 0.4})
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
    new.write_text(json.dumps(changed(**{"%": 60.0})))
    same = tribridge("paper", "diff", str(old), str(old / "report.json"))
    assert (same.returncode, same.stderr) == (0, "")
    differ = tribridge("paper", "diff", str(old), str(new))
    assert differ.returncode == 1
    assert "game: made, %: 50 -> 60  (+14.3 standard errors)" in differ.stdout
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
