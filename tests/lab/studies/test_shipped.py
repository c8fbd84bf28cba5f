"""Results in the package that are not arena results say who made them: the strategies as they are.

Those of the arena are in `tests/library/arena/test_shipped.py`.
"""

from __future__ import annotations

import json
import re
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from benchmarks.belief_scores import STRATEGIES, kept_scores
from tribridge.common.files import load_arrays
from tribridge.forecast.kinds import FILES
from tribridge.lab.labels.labels import shipped_played
from tribridge.lab.studies import calls, place
from tribridge.lab.studies.real_play import Result
from tribridge.lab.studies.study import dumps_result, stored, stored_commit
from tribridge.strategies.learned.releases import CALLER, PLAYER
from tribridge.strategies.versions import player_version, strategy_version

_COMMIT = re.compile('"commit": "(\\w+)"')


def test_the_games_of_beliefs_were_played_by_the_strategies_as_they_are() -> None:
    assert kept_scores().versions == tuple(map(strategy_version, STRATEGIES))


def test_the_played_deals_are_by_the_player_as_it_is() -> None:
    assert shipped_played().work.player == str(player_version("learned@1"))


def test_real_play_is_compared_for_the_player_as_it_is() -> None:
    assert f"played by {player_version('learned@1')} of" in stored("real_play", Result).source


def test_the_forecast_of_real_play_was_trained_on_the_player_as_it_is() -> None:
    with resources.files("tribridge").joinpath(FILES["real"]).open("rb") as file:
        arrays = load_arrays(file, FILES["real"])
    assert f"played by {player_version('learned@1')} of" in str(arrays["source"])


def test_places_and_calls_are_by_the_networks_as_they_are() -> None:
    caller = f"learned@{CALLER.version} ({CALLER.files[0][2]})"
    assert caller in stored("place", place.Result).source
    assert caller in stored("calls", calls.Result).source


def test_places_are_played_by_the_player_as_it_is_or_their_page_says_otherwise() -> None:
    page = Path(__file__).parents[3] / "docs/explanation/places-and-calls.md"
    said = f"version {PLAYER.version} has not played them" in " ".join(page.read_text().split())
    now = f"learned@{PLAYER.version} ({PLAYER.digest})" in stored("place", place.Result).source
    assert said is not now


def test_a_stored_result_says_which_commit_wrote_it(monkeypatch: pytest.MonkeyPatch) -> None:
    result = stored("real_play", Result)
    monkeypatch.setattr("tribridge.lab.studies.study.commit", lambda: "0123456789ab")
    assert json.loads(dumps_result(result))["commit"] == "0123456789ab"
    for file in resources.files("tribridge.lab.studies").iterdir():
        name, _, kind = file.name.rpartition(".")
        if kind == "json" and (written := stored_commit(name)):
            assert re.fullmatch("[0-9a-f]{12}", written), f"{name}: by files that were changed"


def test_the_commits_that_stored_results_name_are_in_the_history() -> None:
    checkout = Path(__file__).parents[3]
    files = [
        *checkout.glob("src/tribridge/lab/studies/*.json"),
        *checkout.glob("benchmarks/results/*.json"),
    ]
    texts = {file.name: file.read_text("utf-8") for file in files}
    named = {name: found[1] for name, text in texts.items() if (found := _COMMIT.search(text))}
    assert len(named) > 1
    shallow = _git(checkout, "rev-parse", "--is-shallow-repository")
    if shallow.stdout.strip() != "false":
        pytest.skip("needs the whole history")
    known = [_git(checkout, "cat-file", "-e", f"{commit}^{{commit}}") for commit in named.values()]
    lost = [name for name, git in zip(named, known, strict=True) if git.returncode]
    assert not lost, f"a commit that is nowhere, perhaps of before a rebase: {', '.join(lost)}"


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "-C", folder, *arguments], capture_output=True, text=True, check=False
    )
