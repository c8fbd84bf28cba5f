"""Every version of a strategy chooses what it chose when it got its number."""

from __future__ import annotations

import pytest

from tools.choices import CALLERS, PLAYERS, auctions, choices, digest, kept, key, plays
from tribridge.strategies import find_caller, find_player
from tribridge.strategies.learned.player import LearnedPlayer

ASKED = [(name, True) for name in CALLERS] + [(name, False) for name in PLAYERS]
SLOW = ("layouts", "iterations", "worlds", "forecast", "learned@1")


@pytest.mark.parametrize(
    ("name", "caller"),
    [
        pytest.param(
            *one, marks=pytest.mark.slow if one[0].startswith(SLOW) or ":" in one[0] else []
        )
        for one in ASKED
    ],
)
def test_a_version_chooses_as_it_did(name: str, caller: bool) -> None:
    found = kept()
    version = key(name, caller=caller)
    assert version in found, f"{version} is new: run `python -m tools.choices`"
    assert digest(name, caller=caller) == found[version], (
        f"{version} does not choose as it did: give it a new version"
    )


def test_a_rule_that_changes_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest is of choices, not of weights: the same network with another rule on top."""
    before = digest("learned@1", caller=False)
    plain = LearnedPlayer._for_tricks

    def last(self: LearnedPlayer, view: object, legal: list[object], rng: object) -> object:
        return plain(self, view, legal[:-1] if len(legal) > 2 else legal, rng)  # type: ignore[arg-type]

    monkeypatch.setattr(LearnedPlayer, "_for_tricks", last)
    assert digest("learned@1", caller=False) != before


def test_the_positions_tell_all_versions_apart() -> None:
    """On easy positions every search plays the network's card, and no change of it would show."""
    players = [found for version, found in kept().items() if version.startswith("player")]
    callers = [found for version, found in kept().items() if version.startswith("caller")]
    assert len(set(players)) == len(players)
    assert len(set(callers)) == len(callers)


def test_the_positions_are_of_all_kinds() -> None:
    assert {table.rubber is None for table in auctions()} == {False, True}
    assert {table.auction.factor for table in auctions()} >= {1, 2}
    assert {len(table.position.trick) for table in plays() if table.position} == {0, 1, 2, 3}
    assert len(plays()) >= max(PLAYERS.values())
    assert len(auctions()) >= max(CALLERS.values())
    assert len(set(choices("maxims", caller=False))) > 30


def test_all_callers_and_players_that_choose_by_their_cards_are_asked() -> None:
    assert {name.partition(":")[0] for name in PLAYERS} >= {"maxims", "sampling", "capture"}
    assert f"learned@{find_player('learned').version}" in PLAYERS  # type: ignore[union-attr]
    assert f"learned@{find_caller('learned').version}" in CALLERS  # type: ignore[attr-defined]
