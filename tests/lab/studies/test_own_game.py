"""The paper's game under schemes and readings of one's own, in the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.library.cli.helpers import refusal
from tribridge.capture.simulation.counts import Tally, Work, run
from tribridge.capture.simulation.results import GameResult, result_of
from tribridge.common.parallel import Cores
from tribridge.game.scoring import find_scheme
from tribridge.lab.studies import headline
from tribridge.lab.studies import own_game as asked
from tribridge.lab.studies.own_game import own_game
from tribridge.lab.studies.study import Runner


def test_every_reading_is_scored_by_every_scheme_as_contracts_are() -> None:
    """The points are the sum over the contracts of a run, each settled by itself."""
    schemes = [find_scheme("auction"), find_scheme("old")]
    result = own_game(schemes, ["natural", "non-strict"]).run(4000, 5, Runner())
    names = [(row.reading, row.scheme) for row in result.scored]
    assert names == [
        (reading, scheme.name) for reading in ("natural", "non-strict") for scheme in schemes
    ]
    for row in result.scored:
        work = Work("game", 5, row.reading)
        game = result_of(run(Tally.empty(work), (0, 4000), Cores(1)))
        assert isinstance(game, GameResult)
        scheme = find_scheme(row.scheme)
        points = [kind.count * kind.net_points(scheme) for kind in game.contracts]
        assert row.net == pytest.approx(float(sum(points)))
        assert row.each == pytest.approx(row.net / game.played)
        assert row.contracts == game.played


def test_without_schemes_or_readings_those_of_the_report_are_taken() -> None:
    rows = own_game([], []).run(500, 1, Runner()).scored
    assert {row.reading for row in rows} == {"natural", "non-strict"}
    assert {"old", "new"} <= {row.scheme for row in rows}


@pytest.mark.slow
def test_the_report_has_the_game_as_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tribridge.cli import app

    monkeypatch.setattr(asked, "HEADLINE", replace(headline.STUDY, quick=4000))
    own = tmp_path / "mine.toml"
    tricks = ", ".join(f"{strain} = 10" for strain in ("C", "D", "H", "S", "NT"))
    own.write_text(f"[mine]\ntrick = {{ {tricks} }}\novertrick = 1\nundertrick = 50\n")
    words = ["paper", "--quick", "--only", "budget", "--no-pdf", "--out", str(tmp_path / "out")]
    app([*words, "--scheme", str(own), "--reading", "natural"], standalone_mode=False)
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert "mine" in json.dumps(report["tables"]["own-game"])
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert 'id="own-game"' in page
    assert "--only own-game" not in page


@pytest.mark.parametrize(
    ("words", "says"),
    [(("--scheme", "nope"), "unknown scoring scheme"), (("--reading", "x"), "unknown reading")],
)
def test_what_is_unknown_is_refused_in_one_line(words: tuple[str, str], says: str) -> None:
    assert says in refusal("paper", "--quick", "--only", "budget", *words)
