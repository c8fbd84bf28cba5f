"""The games that `tribridge speed learning` times are whole games of random choices."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import numpy as np
import pytest

from tests.library.cli.helpers import refusal, tribridge
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game.table import new_table
from tribridge.lab.speed import learning as speed_learning

learning = speed_learning
KINDS = ["random auctions", "random card play", "card play by learned"]


def test_choices_are_legal_and_equally_likely() -> None:
    legal = np.full(30_000, 0b1011 << 40)
    counts = Counter(learning.random_choice(legal, 52, np.random.default_rng(1)).tolist())
    assert sorted(counts) == [40, 41, 43]
    assert all(abs(count - 10_000) < 500 for count in counts.values())


def test_games_in_lockstep_and_at_a_table_are_played_to_the_end() -> None:
    rng = np.random.default_rng(2)
    auctions = learning.random_auctions(200, rng)
    assert auctions.over.all()
    plays = learning.random_plays(50, rng)
    assert plays.over
    assert not plays.hands.any()
    assert 3 < plays.won.mean() < 11
    table = learning.play_randomly(new_table(deal(1, 0), Seat.NORTH), Random(1), auction=True)
    assert table.auction.over
    assert table.contract is not None
    played = learning.play_randomly(table, Random(1)).outcome
    assert played is not None
    assert 0 <= played.tricks <= 13


def test_random_auctions_end_alike_in_lockstep_and_at_a_table() -> None:
    """The same calls with the same chances: the mean level agrees."""
    levels = (learning.random_auctions(4000, np.random.default_rng(3)).standing + 4) // 5
    random = Random(3)
    tables = [
        learning.play_randomly(new_table(deal(1, at), Seat.NORTH), random, auction=True)
        for at in range(400)
    ]
    at_tables = [0 if t.contract is None else t.contract.bid.level for t in tables]
    assert levels.mean() == pytest.approx(sum(at_tables) / len(at_tables), abs=0.25)


@pytest.mark.slow
def test_every_way_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "gpu_name", lambda: None)
    results = list(learning.learning_speeds(1, 0.01, {"cpu": 4}))
    assert [one.work for one in results] == [*KINDS, *KINDS, "all"]
    assert [one.way for one in results[:4]] == [
        *[learning.ONE_AT_A_TIME] * 3,
        "in lockstep, one core",
    ]
    assert all(one.seconds is not None and one.seconds > 0 for one in results[:-1])
    assert results[-1].note == "no GPU that PyTorch can use"
    monkeypatch.setattr(learning, "learning_speeds", lambda seed, seconds, devices: iter(results))
    data = json.loads(tribridge("speed", "learning", "--json").stdout)
    assert [one["times one at a time"] for one in data[:3]] == [1, 1, 1]
    assert data[4]["times one at a time"] == pytest.approx(
        data[4]["games a second"] / data[1]["games a second"]
    )
    text = tribridge("speed", "learning").stdout
    assert "x one" in text
    assert "lockstep, GPU" in text


def test_bad_input_gets_one_line() -> None:
    assert "--seconds 0.0" in refusal("speed", "learning", "--seconds", "0")
    assert "device 'tpu'" in refusal("speed", "learning", "--device", "tpu")
    assert "seed -1" in refusal("speed", "learning", "--seed", "-1")
