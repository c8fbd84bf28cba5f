"""A study of another package, found by its entry point, and studies from Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tribridge as tb
from tribridge.cli import app

MODULE = '''
from dataclasses import dataclass
from typing import Annotated

from tribridge.cards.dealer import deal
from tribridge.lab.studies.study import Study


@dataclass(frozen=True)
class Aces:
    """Aces in the hidden hand

    Of the first deals of the seed.
    """

    aces: int
    deals: int


@dataclass(frozen=True)
class Result:
    """How many deals have so many aces."""

    aces: Annotated[tuple[Aces, ...], "aces"]


def run(size, seed, runner):
    counts = [0] * 5
    for number in range(size):
        counts[len(deal(seed, number).hidden & "A.A.A.A")] += 1
    return Result(tuple(Aces(aces, count) for aces, count in enumerate(counts)))


STUDY = Study(name="mine", title="Aces <in hiding>", order=None, run=run, paper=200, quick=50,
              with_deals=lambda deals: deals)
OTHER = Study(name="other", title="Other", order=None, run=run)
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with studies, installed."""
    folder = tmp_path / "site"
    info = folder / "mine-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "my_study.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[tribridge.studies]\nmine = my_study:STUDY\nwrong = my_study:OTHER\nlost = nowhere:STUDY\n"
    )
    monkeypatch.syspath_prepend(folder)


@pytest.mark.usefixtures("own")
def test_a_study_of_one_s_own_runs_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = tb.simulate("mine", deals=30, seed=2)
    rows = outcome.table("aces").records()
    assert sum(row["deals"] for row in rows) == 30
    assert repr(outcome) == "<Outcome of the study mine: aces>"
    assert "Aces in the hidden hand" in str(outcome)
    assert "Aces &lt;in hiding&gt;" in outcome._repr_html_()
    app(["study", "mine", "--deals", "30", "--seed", "2", "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["tables"] == {"aces": rows}


@pytest.mark.usefixtures("own")
@pytest.mark.slow
def test_it_has_a_report_of_its_own(tmp_path: Path) -> None:
    out = tmp_path / "report"
    line = ["paper", "--only", "mine", "--quick", "--threads", "1", "--out", str(out), "--json"]
    app(line, standalone_mode=False)
    page = "".join(path.read_text("utf-8") for path in out.rglob("*.html"))
    assert "Aces in the hidden hand" in page


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none", "unknown study 'none': expected capture, game, conditions, .*, lost, mine, wrong"),
        ("wrong", "my_study:OTHER is not the study 'wrong': expected a Study of this name"),
        ("lost", "the study 'lost' .* cannot be loaded: No module named 'nowhere'"),
    ],
)
def test_what_cannot_be_found_or_loaded_is_named(name: str, said: str) -> None:
    with pytest.raises(tb.TribridgeError, match=said):
        tb.simulate(name)


def test_a_study_of_the_paper_is_that_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = tb.simulate("conditions", deals=2000, seed=3)
    app(["study", "conditions", "--deals", "2000", "--seed", "3", "--json"], standalone_mode=False)
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert list(tables) == [table.name for table in outcome.tables]
    with pytest.raises(tb.SettingError, match="takes no reading"):
        tb.simulate("hands", reading="natural")  # type: ignore[call-overload]
    with pytest.raises(tb.SettingError, match="takes no number of deals"):
        tb.simulate("budget", deals=3)
