"""What every kind of forecast must keep, whatever it thinks of a hand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from tribridge.cards.cards import Card, Hand, Rank, Strain, Suit, card_at, cards_of, parse_hand
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.common.errors import CardsError, NotFoundError
from tribridge.forecast import KINDS, find_forecaster, forecast, forecast_many
from tribridge.forecast.distribution import at_least, means

KIND_NAMES = tuple(KINDS)
HANDS = deal_masks(31, 0, 300)
HAND, DUMMY = parse_hand("AKQ2.K93.A92.KQ5"), parse_hand("743.AQ5.KT43.J93")


def both(kind: str, hands: NDArray[np.uint64]) -> list[NDArray[np.floating]]:
    """Forecasts of the first hand alone, and with the second as dummy."""
    forecaster = find_forecaster(kind)
    return [forecaster.from_hand(hands[:, 0]), forecaster.from_pair(hands[:, 0], hands[:, 1])]


def permuted(mask: int, order: tuple[int, ...]) -> int:
    """A hand whose suit s has become suit order[s]."""
    return sum(card_at(order[card.row], card.column).bit for card in cards_of(mask))


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_chances_add_up_to_one_and_have_the_agreed_shape(kind: str) -> None:
    for found in both(kind, HANDS):
        assert found.shape == (len(HANDS), 5, 14)
        assert found.dtype in (np.float32, np.float64)
        assert (found >= 0).all()
        assert np.allclose(found.sum(axis=-1), 1, atol=2e-6)


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_suits_can_be_exchanged(kind: str) -> None:
    """In notrump nothing changes, and a trump suit takes its forecast along."""
    plain = both(kind, HANDS[:40])
    for order in list(permutations(range(4)))[1::3]:
        turned = np.array(
            [[permuted(int(mask), order) for mask in row[:2]] for row in HANDS[:40]], np.uint64
        )
        for before, after in zip(plain, both(kind, turned), strict=True):
            assert np.allclose(before[:, 4], after[:, 4], atol=1e-6)
            for suit in Suit:
                assert np.allclose(before[:, suit], after[:, order[suit]], atol=1e-6)


def with_aces(hands: NDArray[np.uint64], column: int) -> tuple[NDArray[np.uint64], ...]:
    """Rows in which a hand has a deuce and its ace lies with a defender, and the same exchanged."""
    before, after = [], []
    for row in hands.tolist():
        for suit in Suit:
            deuce, ace = Card.of(suit, Rank.TWO).bit, Card.of(suit, Rank.ACE).bit
            if row[column] & deuce and (row[2] | row[3]) & ace:
                before.append(row)
                changed = list(row)
                changed[column] ^= deuce | ace
                after.append(changed)
    return np.array(before, np.uint64), np.array(after, np.uint64)


@pytest.mark.parametrize("kind", KIND_NAMES)
@pytest.mark.parametrize("column", [0, 1])
def test_an_ace_in_place_of_a_deuce_improves_the_mean(kind: str, column: int) -> None:
    before, after = with_aces(HANDS, column)
    assert len(before) > 100
    for at, (low, high) in enumerate(zip(both(kind, before), both(kind, after), strict=True)):
        if column == 1 and at == 0:
            continue  # the dummy's cards are not seen
        gain = means(high) - means(low)
        assert gain.mean() > 0.3
        if kind != "capture":  # the closed form can lose captures by an ace
            assert gain.min() > 0


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_a_batch_says_the_same_as_single_hands(kind: str) -> None:
    pairs = [(Hand(int(row[0])), Hand(int(row[1]))) for row in HANDS[:20]]
    mixed = [(own, other if at % 3 else None) for at, (own, other) in enumerate(pairs)]
    for (own, dummy), found in zip(mixed, forecast_many(mixed, kind), strict=True):
        single = forecast(own, dummy, kind)
        assert list(found) == list(Strain)
        for strain in Strain:
            assert np.allclose(found[strain].chances, single[strain].chances, atol=1e-6)


class Crooked:
    """A forecaster that tells hand from dummy: tricks by the rank of a hand's highest spade."""

    def from_hand(self, hands: NDArray[np.uint64]) -> NDArray[np.float64]:
        top = [next((k for k in range(13) if int(mask) >> 39 + k & 1), 13) for mask in hands]
        chances = np.zeros((len(hands), 5, 14))
        chances[np.arange(len(hands)), :, top] = 1
        return chances

    def from_pair(
        self, hands: NDArray[np.uint64], dummies: NDArray[np.uint64]
    ) -> NDArray[np.float64]:
        return 0.75 * self.from_hand(hands) + 0.25 * self.from_hand(dummies)


def test_hand_and_dummy_are_not_mixed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from tribridge.forecast import kinds

    monkeypatch.setattr(kinds, "find_forecaster", lambda kind: Crooked())
    expected = {(HAND, DUMMY): 0.25 * 7, (DUMMY, HAND): 0.75 * 7, (HAND, None): 0.0}
    for (hand, dummy), tricks in expected.items():
        assert forecast(hand, dummy)[Strain.CLUBS].mean == pytest.approx(tricks)
    found = forecast_many(list(expected))
    assert [one[Strain.CLUBS].mean for one in found] == pytest.approx(list(expected.values()))


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_no_hands_give_no_forecasts(kind: str) -> None:
    none = np.array([], np.uint64)
    forecaster = find_forecaster(kind)
    assert forecaster.from_hand(none).shape == (0, 5, 14)
    assert forecaster.from_pair(none, none).shape == (0, 5, 14)


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_a_dummy_makes_the_forecast_sharper(kind: str) -> None:
    from tribridge.forecast.distribution import sds

    alone, together = both(kind, HANDS)
    assert sds(together).mean() < 0.85 * sds(alone).mean()


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_chances_fall_with_the_tricks_asked_for(kind: str) -> None:
    for found in both(kind, HANDS):
        reach = at_least(found)
        assert (np.diff(reach, axis=-1) <= 1e-12).all()
        assert np.allclose(reach[..., 0], 1, atol=2e-6)


def test_hands_that_are_none_are_refused() -> None:
    with pytest.raises(CardsError, match="12 cards"):
        forecast(Hand(HAND.mask & ~next(iter(HAND)).bit), kind="points")
    with pytest.raises(CardsError, match="both the hand"):
        forecast(HAND, HAND, kind="points")
    with pytest.raises(CardsError, match="0 cards"):
        forecast(HAND, Hand(), kind="points")
    with pytest.raises(CardsError, match="in both"):
        forecast_many([(HAND, DUMMY), (HAND, HAND)], "points")


def test_an_unknown_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(NotFoundError, match="forecast kind 'oracle'"):
        find_forecaster("oracle")
