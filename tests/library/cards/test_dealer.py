"""The dealer: published vectors of its generator, one deal for one number, uniform deals."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from scipy import stats

from tribridge.cards.cards import FULL_DECK, Deck, Hand
from tribridge.cards.dealer import (
    bounds,
    deal,
    deal_count,
    hand_numbers,
    numbered,
    philox,
    unrank_hand,
)
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.common.errors import SettingError

SMALL = [Deck(4, 1), Deck(2, 2), Deck(2, 4), Deck(4, 2), Deck(4, 3), Deck(3, 4), Deck(4, 5)]


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [  # known answers published with the Random123 library
        (0, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (2**64 - 1, 2**128 - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            0x299F31D0_A4093822,
            0x03707344_13198A2E_85A308D3_243F6A88,
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_gives_the_published_answers(
    key: int, counter: int, words: tuple[int, int, int, int]
) -> None:
    assert philox(key, counter) == words


@pytest.mark.parametrize("deck", [FULL_DECK, *SMALL], ids=str)
def test_arrays_hold_the_same_deals_as_one_by_one(deck: Deck) -> None:
    masks = deal_masks(7, 100, 300, deck).tolist()
    for at, row in enumerate(masks):
        assert [hand.mask for hand in deal(7, 100 + at, deck).hands] == row


def test_deals_do_not_depend_on_order_or_chunks() -> None:
    whole = deal_masks(11, 0, 1000)
    chunks = np.concatenate([deal_masks(11, a, b - a) for a, b in ((0, 1), (1, 400), (400, 1000))])
    assert (whole == chunks).all()
    backwards = [[hand.mask for hand in deal(11, n).hands] for n in reversed(range(100))]
    assert backwards[::-1] == whole[:100].tolist()


@pytest.mark.parametrize("number", [0, 2**32 - 1, 2**32, 2**63, 2**64 - 2])
def test_all_64_bits_of_seed_and_number_count(number: int) -> None:
    assert deal_masks(2**64 - 1, number, 2).tolist() == [
        [hand.mask for hand in deal(2**64 - 1, number + n).hands] for n in range(2)
    ]
    assert deal(1, number) != deal(1, number ^ 1 << 33)
    assert deal(1, number) != deal(1 | 1 << 40, number)


def test_words_are_rejected_where_they_would_bias_a_deal() -> None:
    """The first rejections of seed 1: redrawn with the next attempt, alike in both dealers."""
    first, second, third = bounds(FULL_DECK)
    pair = second * third
    rejected = []
    for number in range(3000):
        w = philox(1, number)
        low = (w[2] | w[3] << 32) * pair % 2**64
        if low < 2**64 % pair:
            rejected.append(number)
    assert 1 <= len(rejected) <= 20  # one in 604: 2^64 mod pair, over 2^64
    for number in rejected:
        again = philox(1, number | 1 << 64)
        expected = (again[0] | again[1] << 32) * first >> 64
        assert hand_numbers(1, number)[0] == expected
        assert [hand.mask for hand in deal(1, number).hands] == deal_masks(1, number, 1)[0].tolist()


@pytest.mark.parametrize(
    ("sizes", "cards"), [((3, 3), 3), ((4, 2, 3), 4), ((1, 0, 2, 3), 2), ((2, 2, 2, 2), 4)]
)
def test_the_numbering_of_hands_is_one_to_one_and_in_the_stated_order(
    sizes: tuple[int, ...], cards: int
) -> None:
    total = comb(sum(sizes), cards)
    found = [unrank_hand(number, sizes, cards) for number in range(total)]
    keys = [(tuple(lengths), tuple(digits)) for lengths, digits in found]
    assert keys == sorted(keys)  # by lengths, then by digits, Clubs leading
    every = {
        (lengths, digits)
        for lengths in product(*(range(n + 1) for n in sizes))
        if sum(lengths) == cards
        for digits in product(*(range(comb(n, k)) for n, k in zip(sizes, lengths, strict=True)))
    }
    assert set(keys) == every
    assert len(every) == total


@pytest.mark.slow
@pytest.mark.parametrize("deck", [Deck(2, 2), Deck(4, 1), Deck(2, 4)], ids=str)
def test_every_deal_of_a_small_deck_is_equally_likely(deck: Deck) -> None:
    each = 200
    deals = deal_count(deck)
    masks = deal_masks(5, 0, each * deals, deck)
    _, counts = np.unique(masks[:, :3], axis=0, return_counts=True)  # the fourth hand is the rest
    assert len(counts) == deals
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("deals", [10**5, pytest.param(10**6, marks=pytest.mark.full)])
def test_deals_pass_chi_square_on_positions_and_shapes(deals: int) -> None:
    positions = np.zeros((52, 4))
    shapes = np.zeros((4, 14**4), np.int64)
    for start in range(0, deals, 10**5):
        masks = deal_masks(2026, start, 10**5)
        for card in range(52):
            positions[card] += (masks >> np.uint64(card) & np.uint64(1)).sum(axis=0)
        for hand in range(4):
            lengths = [
                np.bitwise_count(masks[:, hand] >> np.uint64(13 * s) & np.uint64(0x1FFF))
                for s in range(4)
            ]
            numbers = np.ravel_multi_index(lengths, [14] * 4)
            shapes[hand] += np.bincount(numbers, minlength=14**4)
    # A card lies in exactly one of four hands, and a hand has thirteen: 51 x 3 degrees of freedom,
    # the usual statistic shrunk by (52 - 1) / 52 as cards without replacement repel each other.
    expected = deals / 4
    chi = ((positions - expected) ** 2 / expected).sum() * 51 / 52
    assert 1e-4 < stats.chi2.sf(chi, 51 * 3) < 1 - 1e-4
    for hand in range(4):
        observed, theory = [], []
        for shape in product(range(14), repeat=4):
            if sum(shape) != 13:
                continue
            share = np.prod([comb(13, n) for n in shape], dtype=object) / comb(52, 13)
            observed.append(shapes[hand, np.ravel_multi_index(shape, [14] * 4)])
            theory.append(float(share) * deals)
        rare = [at for at, count in enumerate(theory) if count < 5]
        keep = [at for at in range(len(theory)) if theory[at] >= 5]
        seen = [*(observed[at] for at in keep), sum(observed[at] for at in rare)]
        want = [*(theory[at] for at in keep), sum(theory[at] for at in rare)]
        assert stats.chisquare(seen, want).pvalue > 1e-4


def test_pairs_of_cards_fall_together_as_often_as_they_should() -> None:
    masks = deal_masks(99, 0, 20_000)
    for one, other in combinations((0, 12, 13, 30, 51), 2):
        together = 0
        for hand in range(4):
            column = masks[:, hand]
            both = column >> np.uint64(one) & column >> np.uint64(other) & np.uint64(1)
            together += int(both.sum())
        assert stats.binomtest(together, 20_000, 12 / 51).pvalue > 1e-5


@pytest.mark.parametrize(
    ("seed", "number"), [(-1, 0), (2**64, 0), (0, -1), (0, 2**64)], ids=lambda n: f"{n:.0e}"
)
def test_seeds_and_numbers_out_of_range_are_refused(seed: int, number: int) -> None:
    with pytest.raises(SettingError, match="out of range"):
        deal(seed, number)
    with pytest.raises(SettingError, match="out of range"):
        deal_masks(seed, number, 1)


def test_a_negative_number_of_deals_is_refused_and_none_is_empty() -> None:
    with pytest.raises(SettingError, match="-1 deals cannot"):
        deal_masks(1, 0, -1)
    assert deal_masks(1, 0, 0).shape == (0, 4)


def test_the_number_of_deals_is_the_multinomial() -> None:
    assert deal_count() == 53_644_737_765_488_792_839_237_440_000


FIXED = [
    (FULL_DECK, ("AK..2.", "", "...A", "")),
    (FULL_DECK, ("AKQJT98765432...", "", "", ".A..")),
    (FULL_DECK, ("", "", "", ".AKQJT98.AKQJT9.")),
    (Deck(4, 2), ("A...", "", ".A..", "K...")),
    (Deck(2, 4), ("..A.", "..K.", "", "")),
]


def _choices(first: int, second: int, third: int) -> Iterator[tuple[int, int, int]]:
    return product(range(first), range(second), range(third))


def _fixed(deck: Deck, hands: tuple[str, ...]) -> tuple[int, int, int, int]:
    north, east, south, hidden = (Hand(text).mask if text else 0 for text in hands)
    return north, east, south, hidden


@pytest.mark.parametrize(("deck", "hands"), FIXED)
def test_fixed_cards_are_where_they_were_put(deck: Deck, hands: tuple[str, ...]) -> None:
    fixed = _fixed(deck, hands)
    masks = deal_masks(7, 100, 200, deck, fixed)
    for at, row in enumerate(masks.tolist()):
        assert [hand.mask for hand in deal(7, 100 + at, deck, fixed).hands] == row
        assert all(mask & held == held for mask, held in zip(row, fixed, strict=True))
        assert [mask.bit_count() for mask in row] == [deck.hand_size] * 4
        assert row[0] | row[1] | row[2] | row[3] == deck.mask


@pytest.mark.parametrize(("deck", "hands"), FIXED[3:])
def test_every_way_to_complete_the_hands_has_one_number(deck: Deck, hands: tuple[str, ...]) -> None:
    fixed = _fixed(deck, hands)
    dealt = [numbered(each, deck, fixed) for each in _choices(*bounds(deck, fixed))]
    every = (numbered(each, deck) for each in _choices(*bounds(deck)))
    wanted = {
        one for one in every
        if all(hand.mask & held == held for hand, held in zip(one.hands, fixed, strict=True))
    }  # fmt: skip
    assert len(dealt) == len(set(dealt)) == len(wanted)
    assert set(dealt) == wanted
