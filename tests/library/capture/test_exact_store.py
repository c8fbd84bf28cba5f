"""Exact counts on disk: found again, and never trusted further than they can be checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tribridge.capture import READINGS, exact
from tribridge.capture.exact import store
from tribridge.capture.exact.distribution import ExactDistribution
from tribridge.cards.cards import Deck


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRIBRIDGE_CACHE", str(tmp_path))
    return tmp_path


def _no_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("counted again")

    for name in ("count_algorithm1", "count_algorithm2", "count_joint"):
        monkeypatch.setattr(exact, name, refuse)


DECK = Deck(2, 6)


def _results() -> tuple[object, ...]:
    return (
        exact.algorithm1(DECK, cache=True),
        exact.algorithm1(DECK, reading=READINGS["non-strict"], cache=True),
        exact.algorithm2(DECK, cache=True),
        exact.joint(DECK, cache=True),
        exact.joint(DECK, captures=True, cache=True),
    )


def test_results_are_kept_on_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = _results()
    files = {path: path.stat().st_ino for path in folder.rglob("*.json")}
    assert len(files) == 5
    _no_counting(monkeypatch)
    assert _results() == counted
    assert files == {path: path.stat().st_ino for path in files}, "written again"
    with pytest.raises(AssertionError, match="counted again"):
        exact.algorithm2(DECK, 4, cache=True)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b'"cells": [[0, 2, 2, ', b'"cells": [[0, 2, 2, 1'),
        lambda data: data.replace(b'"version": "', b'"version": "9.'),
        lambda data: b"[" * 100_000,
        lambda data: b"null",
        lambda data: b"\xff" + data,
    ],
    ids=["empty", "cut", "changed", "another version", "deep", "null", "not text"],
)
def test_a_spoilt_file_is_counted_again(folder: Path, spoil: Callable[[bytes], bytes]) -> None:
    counted = exact.algorithm2(DECK, cache=True)
    (path,) = folder.rglob("*.json")
    sound = path.read_bytes()
    path.write_bytes(spoil(sound))
    assert path.read_bytes() != sound
    assert exact.algorithm2(DECK, cache=True) == counted
    assert path.read_bytes() == sound


def test_a_wrong_total_is_not_trusted_even_if_signed(folder: Path) -> None:
    key = store.Key("algorithm2", DECK, 1, "natural")
    store.save(key, ExactDistribution(DECK, 1, {0: 1}, {(0, 2, 2): 1}))
    assert store.load(key) is None


def test_without_a_folder_to_write_results_are_right_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv("TRIBRIDGE_CACHE", str(folder / "file"))
    assert exact.algorithm2(DECK, cache=True) == exact.algorithm2(DECK)


def test_the_cache_is_where_the_user_wants_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRIBRIDGE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert store.cache_folder() == tmp_path / "tribridge"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert store.cache_folder() == tmp_path / ".cache" / "tribridge"
