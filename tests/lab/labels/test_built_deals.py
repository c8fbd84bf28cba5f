"""Built deals: whole packs, the same in any order, ordinary to extreme, the rest left to chance."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tribridge.cards.dealer_arrays import deal_masks
from tribridge.common.errors import SettingError
from tribridge.lab.labels.built_deals import built_masks, rebuilt

COUNT = 6000
PACK = (1 << 52) - 1
SUITS = np.uint64(0x1FFF) << np.uint64(13) * np.arange(4, dtype=np.uint64)
HONOURS = sum(0b1111 << 13 * suit for suit in range(4))


def size(masks: NDArray[np.uint64]) -> Any:
    """How many cards each mask holds."""
    return (masks[..., None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)).sum(-1, np.int64)


def suits(masks: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The holdings in each suit: (..., 4)."""
    shifted = masks[..., None] >> np.uint64(13) * np.arange(4, dtype=np.uint64)
    return shifted.astype(np.int64) & 0x1FFF


def tops(rows: NDArray[np.int64]) -> Any:
    """How many of the highest cards each holding has without a gap."""
    whole = (2 << np.arange(13)) - 1
    return (rows[..., None] & whole == whole).sum(-1, np.int64)


@pytest.fixture(scope="module")
def built() -> NDArray[np.uint64]:
    return built_masks(7, 0, COUNT)


@pytest.fixture(scope="module")
def numbers() -> NDArray[np.int64]:
    return np.arange(COUNT)


@pytest.fixture(scope="module")
def declarers(built: NDArray[np.uint64], numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    return built[numbers, numbers % 3]


def test_every_deal_is_a_whole_pack_of_four_hands_of_thirteen(built: NDArray[np.uint64]) -> None:
    assert (np.bitwise_or.reduce(built, axis=1) == PACK).all()
    assert (size(built) == 13).all()


def test_a_deal_depends_on_seed_and_number_alone(built: NDArray[np.uint64]) -> None:
    assert np.array_equal(built_masks(7, 1000, 50), built[1000:1050])
    assert np.array_equal(built_masks(7, 1003, 1)[0], built[1003])
    assert not np.array_equal(built_masks(8, 1000, 50), built[1000:1050])
    assert built_masks(7, 5, 0).shape == (0, 4)
    top = (1 << 64) - 1
    assert np.array_equal(built_masks(7, top, 1)[0], built_masks(7, top - 2, 3)[2])


def test_the_deals_never_change() -> None:
    """Labels name deals by seed and number: what is built from them is fixed for ever."""
    data = built_masks(2026, 1, 200).astype("<u8").tobytes()
    assert sha256(data).hexdigest() == (
        "beafd9f4e7afb57958665360538d1c45dc808f692d97a374c2af044cc7110d4b"
    )


def test_a_bad_range_is_refused() -> None:
    with pytest.raises(SettingError):
        built_masks(7, 0, -1)
    with pytest.raises(SettingError):
        built_masks(-1, 0, 1)


def test_the_range_goes_from_ordinary_to_extreme(
    built: NDArray[np.uint64], declarers: NDArray[np.uint64]
) -> None:
    rows = suits(declarers)
    lengths = size(declarers[:, None] & SUITS)
    longest = np.bincount(lengths.max(axis=1), minlength=14)
    assert (longest[4:] > COUNT / 200).all()
    winners = np.bincount(tops(rows).sum(axis=1), minlength=14)
    assert (winners > COUNT / 200).all()
    honours = np.bincount(size(declarers & np.uint64(HONOURS)), minlength=14)
    assert (honours > COUNT / 500).all()
    dummies = suits(built[:, 3])
    solid = (tops(dummies) >= 5).any(axis=1)
    assert solid.mean() > 0.05
    entries = ((dummies & 0b11 > 0) & (tops(dummies) < 5)).any(axis=1)
    assert (solid & entries).mean() > 0.02
    assert (solid & ~entries).mean() > 0.02
    open_suit = (rows | dummies) & 0b1111 == 0
    assert (open_suit.any(axis=1) & (tops(rows | dummies).sum(axis=1) >= 8)).mean() > 0.02


def test_hands_not_built_are_as_random_as_the_dealer_made_them(
    built: NDArray[np.uint64], numbers: NDArray[np.int64], declarers: NDArray[np.uint64]
) -> None:
    """Each outside card is equally likely in each remaining hand, whatever it is.

    Counted are the honours, and the cards of the longest suit outside; squared as well, because
    a suit that sticks together would show in the spread and not in the mean.
    """
    for kind, others in ((1, 3), (2, 2)):
        picked = rebuilt_numbers(numbers) == kind
        known = declarers[picked] if kind == 1 else declarers[picked] | built[picked, 3]
        outside = np.uint64(PACK) ^ known
        seats = (numbers[picked] + 1) % 3
        hand = built[picked, seats]
        total = 13 * others
        for group in (np.full_like(outside, HONOURS), longest_suit(outside)):
            cards = size(outside & group)
            held = size(hand & group)
            mean = cards * 13 / total
            variance = mean * (1 - cards / total) * (total - 13) / (total - 1)
            free = variance > 0
            deviation = (held - mean)[free] / np.sqrt(variance[free])
            assert abs(deviation.mean()) * np.sqrt(free.sum()) < 3.5
            assert deviation.var() == pytest.approx(1, abs=0.1)


def rebuilt_numbers(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.array([rebuilt(number) for number in numbers.tolist()])


def longest_suit(masks: NDArray[np.uint64]) -> Any:
    return SUITS[size(masks[:, None] & SUITS).argmax(axis=1)]


def test_hands_left_alone_keep_most_of_their_cards(built: NDArray[np.uint64]) -> None:
    kept = size(deal_masks(7, 0, COUNT) & built).mean(axis=0)
    assert (kept > 4).all()
