"""What people type in their first minutes: it works, or one line says what would."""

from __future__ import annotations

import inspect
from dataclasses import is_dataclass
from typing import Any

import numpy as np
import pytest

import tribridge as tb
from tests.library.cli.helpers import tribridge

HAND = "AKQ2.K93.A92.KQ5"


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    assert tb.Card(np.int64(5)) is tb.Card(5)
    assert tb.Hand([np.int64(0), np.int64(1)]) == tb.Hand(np.uint64(3)) == tb.Hand(3)
    for wrong in (True, np.bool_(True), 5.0, -1, 52, np.int64(52)):
        with pytest.raises(tb.FormatError, match="is not a card"):
            tb.Card(wrong)  # type: ignore[arg-type]
    with pytest.raises(tb.FormatError, match="is not a hand"):
        tb.Hand(True)


def test_a_number_among_cards_is_no_card() -> None:
    with pytest.raises(tb.FormatError, match="3 stands beside cards"):
        tb.Hand(["SA", 3])  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", " ", ","])
def test_an_empty_text_is_neither_a_call_nor_a_card(text: str) -> None:
    table = tb.new_table(seed=1)
    with pytest.raises(tb.FormatError, match="has no call"):
        table.call(text)
    with pytest.raises(tb.FormatError, match="has no card"):
        table.call("1NT pass pass").play(text)
    assert tb.new_table(seed=1, auction="") == table.call([]) == table


def test_calls_can_be_written_in_words() -> None:
    words = tb.new_table(seed=1).call("1 heart, pass, 2 no trump - 3 Clubs")
    assert words == tb.new_table(seed=1, auction="1H pass 2NT 3C")
    advised = tribridge("advise", HAND, "--auction", "1 heart, pass")
    assert advised.returncode == 0, advised.stderr


def test_an_auction_is_text_or_calls() -> None:
    told = tb.advise(HAND, auction="1H pass")
    assert tb.advise(HAND, auction=["1H", "pass"]) == told
    assert tb.advise(HAND, auction=(tb.Bid("1H"), "pass")) == told
    with pytest.raises(tb.TribridgeError, match="3 is not a call"):
        tb.advise(HAND, auction=["1H", 3])  # type: ignore[list-item]


def test_a_value_says_that_it_cannot_be_changed() -> None:
    frozen = [
        kind
        for kind in (getattr(tb, name) for name in tb.__all__)
        if inspect.isclass(kind) and is_dataclass(kind)
    ]
    assert len(frozen) > 20
    for kind in frozen:
        value: Any = object.__new__(kind)
        with pytest.raises(AttributeError, match="cannot"):
            value.something = 1
        with pytest.raises(AttributeError, match="cannot"):
            del value.something
    with pytest.raises(AttributeError, match="a Table cannot be changed"):
        tb.new_table(seed=1).dealer = "E"  # type: ignore[misc, assignment]


def test_the_help_of_deal_says_that_the_seed_is_random() -> None:
    text = " ".join(tribridge("deal", "--help").stdout.split())
    assert "default: (random)" in text
    assert "-1" not in text


@pytest.mark.parametrize("command", ["capture", "forecast", "advise"])
def test_a_hand_without_quotes_is_told_how_to_be_written(command: str) -> None:
    done = tribridge(command, "AKQ2", "K93", "A92", "KQ5")
    assert done.returncode == 2
    assert "a hand is one word, as in AKQ2.K93.A92.KQ5, or stands in quotes" in done.stderr
    assert tribridge(command, "AKQ2 K93 A92 KQ5").returncode == 0


def test_an_unknown_option_points_to_the_help_and_to_nothing_unlike_it() -> None:
    done = tribridge("paper", "--colour", "x")
    assert "no such option: --colour; `tribridge paper --help` lists what there is" in done.stderr
    assert "--layouts" in tribridge("review", "x", "--layout", "9").stderr
