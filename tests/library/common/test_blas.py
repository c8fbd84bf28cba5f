"""Networks multiply in one thread, and leave others as many as they had."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import tribridge as tb
from tribridge.networks.network import F32, SuitNetwork


def blas_threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_a_network_answers_in_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    played = "learned@1"  # weights in eight bits need no BLAS for one choice
    table = tb.new_table(seed=1).call("1NT pass 2H pass pass").play("CT")
    answers, seen = SuitNetwork._answers, []

    def watched(self: SuitNetwork, x: F32) -> F32:
        seen.append(blas_threads())
        return answers(self, x)

    monkeypatch.setattr(SuitNetwork, "_answers", watched)
    with threadpool_limits(2, "blas"):
        tb.choose(played, table)
        assert seen == [{1}]
        assert blas_threads() == {2}
