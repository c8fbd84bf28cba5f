"""Compiled functions: where nothing can be kept on disk, and on how many threads."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numba
import pytest

from tribridge.common import compiled, waiting
from tribridge.common.compiled import FEW_STEPS, njit, quickest, ready, threads_at_most
from tribridge.common.waiting import Waiting


class Terminal(io.StringIO):
    """Standard error in front of a person."""

    def isatty(self) -> bool:
        return True


def doubling() -> Callable[[int], int]:
    names: dict[str, Any] = {}
    exec("def double(n): return 2 * n", names)
    double: Callable[[int], int] = njit(cache=True)(names["double"])
    return double


def test_a_function_that_cannot_be_kept_is_compiled_all_the_same() -> None:
    names: dict[str, Any] = {}
    exec("def double(n): return 2 * n", names)  # a function of no file: there is no place for it
    with pytest.raises(RuntimeError, match="cannot cache"):
        numba.njit(cache=True)(names["double"])
    assert njit(cache=True)(names["double"])(4) == 8


def test_a_few_steps_do_not_wait_for_a_compiler() -> None:
    double = doubling()
    assert not ready(double)
    assert quickest(double, 10)(4) == 8
    assert not ready(double)
    assert quickest(double, FEW_STEPS)(4) == 8  # with those before it they are many
    assert ready(double)
    assert quickest(double, 10) is double


@pytest.mark.parametrize("seen", [True, False])
def test_a_person_is_told_that_something_is_being_compiled(
    seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal() if seen else io.StringIO()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(compiled, "PATIENCE", 0.0)
    monkeypatch.setattr(waiting, "parent_process", lambda: None)
    doubling()(4)
    text = terminal.getvalue()
    assert ("compiling" in text) is seen
    assert not text or not text.splitlines()[-1].strip()  # nothing is left of it


def test_a_line_says_how_much_is_done_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(waiting, "parent_process", lambda: None)
    with Waiting("counting", patience=0.0) as line:
        line._timer.join()
        line.update(1_000, 2_000)
        assert terminal.getvalue().split("\r")[-1].strip() == "counting: 1,000 of 2,000 ..."
    *_, blank, end = terminal.getvalue().split("\r")
    assert blank.isspace()
    assert not end


def test_threads_are_limited_and_given_back() -> None:
    before = numba.get_num_threads()
    for number in (0, 1, before, 10 * before):
        with threads_at_most(number):
            assert numba.get_num_threads() == max(1, min(number, before))
        assert numba.get_num_threads() == before
