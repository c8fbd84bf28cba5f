"""The network in NumPy: a slow reference, both of its paths, and the outputs once stored."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from tribridge.cards.dealer_arrays import deal_masks
from tribridge.forecast import net
from tribridge.forecast.net import Net, SuitNetwork

HANDS = deal_masks(61, 0, 400)
GOLDEN = Path(__file__).with_name("net_golden.json")


@pytest.fixture(scope="module")
def loaded() -> Net:
    return Net.load()


def seen(row: int) -> list[float]:
    """A suit's row as the encoder sees it: A to 8 one by one, the lower ones counted."""
    high = [float(row >> rank & 1) for rank in range(7)]
    low = sum(row >> rank & 1 for rank in range(7, 13))
    return high + [float(at < low) for at in range(6)]


def times(vector: list[float], matrix: np.ndarray, bias: np.ndarray | None = None) -> list[float]:
    start = [0.0] * matrix.shape[1] if bias is None else [float(b) for b in bias]
    return [
        start[to] + sum(v * float(matrix[at, to]) for at, v in enumerate(vector))
        for to in range(matrix.shape[1])
    ]


def slow(network: SuitNetwork, masks: list[int]) -> list[list[float]]:
    """The network card by card and sum by sum."""
    w = network.weights
    suits = []
    for suit in range(4):
        cards = [bit for mask in masks for bit in seen(mask >> 13 * suit & 0x1FFF)]
        hidden = [max(0.0, v) for v in times(cards, w["encoder.0.weight"], w["encoder.0.bias"])]
        last = times(hidden, w["encoder.2.weight"], w["encoder.2.bias"])
        suits.append([max(0.0, v) for v in last])
    for layer in range(2):
        mean = [sum(column) / 4 for column in zip(*suits, strict=True)]
        others = times(mean, w[f"others.{layer}.weight"])
        for at, suit_values in enumerate(suits):
            own = times(suit_values, w[f"own.{layer}.weight"], w[f"own.{layer}.bias"])
            suits[at] = [
                v + max(0.0, a + b) for v, a, b in zip(suit_values, own, others, strict=True)
            ]
    mean = [sum(column) / 4 for column in zip(*suits, strict=True)]
    beside = times(mean, w["suit_others.weight"])
    heads = [
        [a + b for a, b in zip(times(x, w["suit.weight"], w["suit.bias"]), beside, strict=True)]
        for x in suits
    ]
    hidden = [max(0.0, v) for v in times(mean, w["notrump.0.weight"], w["notrump.0.bias"])]
    heads.append(times(hidden, w["notrump.3.weight"], w["notrump.3.bias"]))
    result = []
    for logits in heads:
        powers = [math.exp(v) for v in logits]
        result.append([power / sum(powers) for power in powers])
    return result


def test_a_slow_reference_says_the_same(loaded: Net) -> None:
    own, dummy = (int(mask) for mask in HANDS[0, :2])
    assert loaded.from_hand(HANDS[:1, 0])[0] == pytest.approx(
        np.array(slow(loaded.single, [own])), abs=2e-6
    )
    found = loaded.from_pair(HANDS[:1, 0], HANDS[:1, 1])[0]
    assert found == pytest.approx(np.array(slow(loaded.pair, [own, dummy])), abs=2e-6)


@pytest.mark.slow
def test_looked_up_states_give_what_the_encoder_gives(
    loaded: Net, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = loaded.from_hand(HANDS[:, 0]), loaded.from_pair(HANDS[:, 0], HANDS[:, 1])
    monkeypatch.setattr(net, "_MANY", 1)
    monkeypatch.setattr(net, "_PIECE", 64)
    many = loaded.from_hand(HANDS[:, 0]), loaded.from_pair(HANDS[:, 0], HANDS[:, 1])
    for one, other in zip(few, many, strict=True):
        assert np.allclose(one, other, atol=1e-6)


@pytest.mark.parametrize(("hands", "count"), [(1, 2**7 * 7), (2, 3**7 * 28)])
def test_every_state_of_a_suit_is_listed_once(hands: int, count: int) -> None:
    numbers, cards = net.suit_states(hands)
    assert len(numbers) == len(cards) == count == len(np.unique(cards, axis=0))
    assert (np.diff(numbers) > 0).all()


def test_low_cards_count_but_are_not_told_apart(loaded: Net) -> None:
    """The Seven and the Two of a suit change hands: no forecast notices."""
    changed, kept = [], []
    for row in HANDS.tolist():
        pair = (1 << 13 * 2 + 6 + 1) | (1 << 13 * 2 + 12)
        if (row[0] & pair).bit_count() == 1 and (row[1] & pair).bit_count() == 1:
            kept.append(row[:2])
            changed.append([row[0] ^ pair, row[1] ^ pair])
    before, after = np.array(kept, np.uint64), np.array(changed, np.uint64)
    assert len(before) > 20
    assert np.array_equal(
        loaded.from_pair(before[:, 0], before[:, 1]), loaded.from_pair(after[:, 0], after[:, 1])
    )


def test_the_weights_of_the_package_give_the_outputs_once_stored(loaded: Net) -> None:
    """`python -m tests.library.forecast.test_net` stores them again, after a training."""
    stored = json.loads(GOLDEN.read_text())
    masks = np.array(stored["masks"], np.uint64)
    assert np.abs(loaded.from_hand(masks[:, 0]) - np.array(stored["one"])).max() < 1e-6
    assert np.abs(loaded.from_pair(masks[:, 0], masks[:, 1]) - np.array(stored["two"])).max() < 1e-6


def _store() -> None:
    found, masks = Net.load(), HANDS[:8, :2]
    content = {
        "masks": masks.tolist(),
        "one": np.round(found.from_hand(masks[:, 0]).astype(float), 8).tolist(),
        "two": np.round(found.from_pair(masks[:, 0], masks[:, 1]).astype(float), 8).tolist(),
    }
    GOLDEN.write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    _store()
