"""Versions of strategies, and the files that their choices depend on."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from importlib import resources

import pytest

from tests.grids import thinned
from tribridge.common.files import joined
from tribridge.strategies import callers, find_strategy, players
from tribridge.strategies.players.search.sampling import SamplingPlayer
from tribridge.strategies.versions import (
    caller_version,
    player_version,
    strategy_version,
)


def test_every_caller_and_player_of_the_package_has_a_version() -> None:
    every = [caller_version(one.name) for one in callers() if one.name in BUILT_IN]
    every += [player_version(one.name) for one in players() if one.name in BUILT_IN]
    assert len(every) == 14
    for one in every:
        name, _, number = one.version.partition("@")
        assert name == one.name
        assert int(number) >= 1


BUILT_IN = {
    "pass", "random", "capture", "points", "forecast", "learned", "maxims", "sampling", "ismcts",
    "alphamu", "oracle",
}  # fmt: skip


def test_a_version_names_both_parts_with_their_settings() -> None:
    text = strategy_version("points:margin=2+sampling:layouts=12").version
    searching = SamplingPlayer.version
    assert text == f"points@1:margin=2.0+sampling@{searching}:layouts=12"


def test_the_hash_is_of_the_weights_that_are_used() -> None:
    file = "strategies/learned/data/play.npz.split"
    data = joined(resources.files("tribridge").joinpath(file).read_bytes())
    assert player_version("learned@1").weights == sha256(data).hexdigest()[:12]
    assert player_version("learned:layouts=5").weights != player_version("learned").weights
    schemes = "contract", "auction"
    hashes = {caller_version(f"learned@1:scheme={scheme}").weights for scheme in schemes}
    assert len(hashes) == 2
    assert caller_version("learned@1:scheme=auction-tricks").weights in hashes
    assert player_version("maxims").weights == ""


_READ = """
import sys
read = set()
def note(event, arguments):
    if event == "open" and "/tribridge/" in str(arguments[0]):
        read.add(str(arguments[0]).rpartition("/tribridge/")[2])
sys.addaudithook(note)
from tribridge.arena.work import MatchWork
for work in (MatchWork.of((sys.argv[1],), laws="auction-rubber", doubles=True),
             MatchWork.of((sys.argv[1],), doubles=True)):
    list(work.play(0))
print(*(file for file in read if "/data/" in file))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    thinned(
        ["points+sampling:layouts=1", "learned+learned:layouts=1", "capture+maxims", "learned@1"]
    ),
)
def test_a_strategy_reads_no_other_files(name: str) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", _READ, name], capture_output=True, text=True, check=True
    )
    strategy = find_strategy(name)
    weights = (*getattr(strategy.caller, "weights", ()), *getattr(strategy.player, "weights", ()))
    assert set(answer.stdout.split()) <= set(weights)
