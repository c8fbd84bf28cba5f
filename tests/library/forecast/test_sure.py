"""Sure tricks: against double dummy, by hand, and in what forecasts and advice say."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from tribridge.advice.calls import advise, parse_auction
from tribridge.cards.cards import Strain, parse_hand
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.forecast import KINDS, forecast, forecast_many
from tribridge.forecast.sure import most_against, most_by_defender, possible, sure
from tribridge.game.auction import Bid
from tribridge.game.scoring import find_scheme
from tribridge.lab.labels.built_deals import built_masks
from tribridge.lab.labels.labels import chair_columns, shipped

SEVEN = parse_hand("AKQJT98.432.3.32")


def mask(text: str) -> NDArray[np.uint64]:
    return np.array([parse_hand(text).mask], np.uint64)


def test_no_labelled_deal_makes_fewer_or_more() -> None:
    labels = shipped()
    hands = deal_masks(labels.work.seed, 0, len(labels))
    close = 0
    for declarer in range(3):
        made = labels.tricks[:, declarer]
        for dummies in (None, hands[:, 3]):
            fewest, most = sure(hands[:, declarer], dummies)
            assert (fewest <= made).all()
            assert (made <= most).all()
            close += int(((fewest > 0) & (made == fewest)).sum())
            assert dummies is None or (made == most).any()
        chairs = [hands[:, column] for column in chair_columns(declarer)]
        for strain in Strain:
            limit = most_against(strain, *chairs)
            assert (made[:, strain] <= limit).all()
            assert (made[:, strain] == limit).any()
    assert close > 20


def fewest_in_notrump(hand: str, dummy: str | None = None) -> int:
    found, _ = sure(mask(hand), None if dummy is None else mask(dummy))
    return int(found[0, Strain.NOTRUMP])


def test_limits_by_hand() -> None:
    fewest, most = sure(mask("AKQJT98.432.3.32"))
    assert fewest.tolist() == [[0, 0, 0, 7, 0]]
    assert most.tolist() == [[13] * 5]
    # Clubs: of AKQ one hand has two. Hearts: of AKQ a defender has two.
    fewest, most = sure(mask("8765.432.432.AQ2"), mask("432.J65.AKQ5.K43"))
    assert fewest[0, :4].tolist() == [2, 3, 0, 0]
    assert most[0, :4].tolist() == [13, 13, 11, 10]


@pytest.mark.parametrize(
    ("hand", "dummy", "tricks"),
    [
        # Every suit is closed: whatever is led, all tops are cashed.
        ("AKQJ.AKQ.AKQ.AKQ", None, 13),
        ("AK32.A432.AK2.A2", None, 6),
        # Clubs are open, and the defenders may have all ten others.
        ("AKQJ.AKQ.AKQ.432", None, 3),
        # With four clubs in dummy they have five at most: eight tricks are left.
        ("AKQ.AKQ.AKQ.5432", "5432.543.42.T987", 8),
        # No suit can be led to it, and nobody can lead one: thirteen spades are worth nothing.
        ("AKQJT98765432...", None, 0),
        # An ace each, and ten tricks that the defence may have taken before.
        ("AKQJT98765.432..", None, 0),
        # KQJ of clubs loses to the ace alone, and there are cards enough to keep it.
        ("AK32.A43.A32.KQJ", "654.765.654.5432", 4),
        # Dummy's diamonds count: a diamond leads there, a spade back.
        ("A432.A432.432.A2", "765.765.AKQJT.43", 8),
        # Clubs go on in dummy: the ace, and the two leads to the other five.
        ("A43.A543.A543.A2", "765.76.76.KQJT98", 9),
        # A bare ace blocks them.
        ("A432.A543.A543.A", "765.76.76.KQJT98", 4),
        # Without a diamond to lead to them they do not count.
        ("AT432.A432..AT32", "765.765.AKQJ98.4", 3),
    ],
)
def test_sure_tricks_in_notrump_by_hand(hand: str, dummy: str | None, tricks: int) -> None:
    assert fewest_in_notrump(hand, dummy) == tricks


def test_the_defence_in_notrump_by_hand() -> None:
    """With AKQ of every suit against them, one defender has two, or they fall one by one."""
    _, most = sure(mask("JT9.JT9.JT98.JT9"), mask("8765.8765.765.87"))
    assert most[0, Strain.NOTRUMP] == 11


@pytest.mark.parametrize(
    ("strain", "left", "right", "tricks"),
    [
        (Strain.NOTRUMP, "AKQJ965.32.43.32", "T8.JT98.JT98.JT9", 6),
        (Strain.NOTRUMP, "T8.JT98.JT98.JT9", "AKQJ965.32.43.32", 6),  # a spade is led
        (Strain.NOTRUMP, ".JT987.JT98.JT98", "AKQJ965.32.43.32", 13),  # there is none to lead
        (Strain.HEARTS, "AKQJ965.32.43.32", "T8.JT98.JT98.JT9", 11),  # the third may be ruffed
    ],
)
def test_what_a_defence_cashes_by_hand(strain: Strain, left: str, right: str, tricks: int) -> None:
    known = mask(left) | mask(right)
    rest = [card for card in range(52) if not int(known[0]) >> card & 1]
    hands = [np.array([sum(1 << card for card in rest[at::2])], np.uint64) for at in (0, 1)]
    found = most_against(strain, hands[0], mask(left), hands[1], mask(right))
    assert found.tolist() == [tricks]
    deal = [int(one[0]) for one in (hands[0], mask(left), hands[1], mask(right))]
    assert DoubleDummy().tricks(deal, strain) <= tricks


def extreme(random: Random) -> list[int]:
    """A deal in which top cards and whole suits are heaped up in some chairs."""
    deck = list(range(52))
    chairs: list[list[int]] = [[], [], [], []]
    heap = random.choice([(0, 0, 2, 1, 3), (0, 2), (1, 3)])
    for suit in range(4):
        chair, gap = random.choice(heap), random.choice([0, 0, 0, 1, 2])
        divided = random.choice([13, 13, 1, 2, 3])
        for card in range(13 * suit + gap, 13 * suit + random.choice([0, 1, 1, 2, 3, 4, 6, 9])):
            if card % 13 == divided:
                chair = (chair + 2) % 4
            if len(chairs[chair]) < 13:
                chairs[chair].append(card)
                deck.remove(card)
    for chair in random.choice([(0, 2, 1, 3), (1, 3, 0, 2)]):
        taste = [3 * random.random() for _ in range(4)]
        deck.sort(key=lambda card, taste=taste: taste[card // 13] + random.random())  # type: ignore[misc]
        missing = 13 - len(chairs[chair])
        chairs[chair] += deck[:missing]
        del deck[:missing]
    return [sum(1 << card for card in cards) for cards in chairs]


def test_no_extreme_deal_breaks_a_limit() -> None:
    """Deals made for the limits, each with at least one that says something, by double dummy."""
    random = Random(5)
    deals = [extreme(random) for _ in range(1200)]
    hands = np.array(deals, np.uint64)
    alone, _ = sure(hands[:, 0])
    fewest, most = sure(hands[:, 0], hands[:, 2])
    truth = DoubleDummy()
    close = np.zeros(4, np.int64)
    strain = Strain.NOTRUMP
    against = most_against(strain, *hands.T)
    telling = (alone[:, strain] > 0) | (fewest[:, strain] > 0) | (most[:, strain] < 12)
    assert telling.sum() > 100
    for at in np.flatnonzero(telling):
        tricks = truth.tricks(deals[at], strain)
        assert alone[at, strain] <= tricks
        assert fewest[at, strain] <= tricks <= min(most[at, strain], against[at]), deals[at]
        close += (
            fewest[at, strain] == tricks,
            alone[at, strain] == tricks,
            against[at] == tricks,
            1,
        )
    assert (close > 10).all()


def test_no_built_deal_breaks_a_limit() -> None:
    deals = built_masks(4, 0, 60)
    truth = DoubleDummy()
    for number, masks in enumerate(deals):
        chairs = [masks[column : column + 1] for column in chair_columns(number % 3)]
        strain = (Strain.NOTRUMP, Strain(number % 4))[number % 2]
        tricks = truth.tricks([int(chair[0]) for chair in chairs], strain)
        fewest, most = sure(chairs[0], chairs[2])
        assert sure(chairs[0])[0][0, strain] <= tricks
        assert fewest[0, strain] <= tricks <= most[0, strain]
        assert tricks <= most_against(strain, *chairs)[0]


@pytest.mark.parametrize(
    ("hand", "on_lead", "most"),
    [
        ("AKQJ.432.432.432", False, [13, 13, 13, 9, 13]),
        ("AKQJ.432.432.432", True, [13, 13, 13, 9, 9]),
        # QJT98: the ace and the king beat two of the five, at most. AJT9: A and 9 win.
        ("QJT98.AJT9.KQ.32", True, [13, 12, 11, 10, 12]),
        # Thirteen spades take every trick on lead and none if nobody can lead a spade.
        ("AKQJT98765432...", True, [13, 13, 13, 0, 0]),
        ("AKQJT98765432...", False, [13, 13, 13, 0, 13]),
        # Nine spades with the four highest: nobody can have more than four of the others.
        ("AKQJ98765.2.2.32", True, [13, 13, 13, 5, 4]),
        ("AKQJ9876.A.A.A32", False, [12, 12, 12, 6, 6]),
    ],
)
def test_a_defender_limits_declarer(hand: str, on_lead: bool, most: list[int]) -> None:
    assert most_by_defender(mask(hand), on_lead=on_lead).tolist() == [most]


def test_no_labelled_deal_beats_a_defender_s_sure_tricks() -> None:
    left, right, tricks = shipped().defenders()
    for hands, on_lead in ((left, True), (right, False)):
        most = most_by_defender(hands, on_lead=on_lead)
        assert (tricks <= most).all()
        assert (tricks[most < 13] == most[most < 13]).sum() > 30


def test_no_extreme_deal_beats_a_defender_s_sure_tricks() -> None:
    random = Random(8)
    deals = [extreme(random) for _ in range(1200)]
    hands = np.array(deals, np.uint64)
    truth = DoubleDummy()
    for chair, on_lead in ((1, True), (3, False)):
        limit = most_by_defender(hands[:, chair], on_lead=on_lead)
        close = 0
        for strain in (Strain.NOTRUMP, Strain.SPADES):
            for at in np.flatnonzero(limit[:, strain] < 10)[:60]:
                tricks = truth.tricks(deals[at], strain)
                assert tricks <= limit[at, strain], (deals[at], strain)
                close += tricks == limit[at, strain]
        assert close > 0


def test_chances_of_what_cannot_be_go_to_the_rest_in_proportion() -> None:
    chances = np.zeros((2, 5, 14))
    chances[0, :, 6:10] = 0.25
    chances[1, :, 3] = 1
    found = possible(chances, np.array([SEVEN.mask] * 2, np.uint64))
    assert found[0, Strain.SPADES, 6:10] == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])
    assert found[1, Strain.SPADES, 7] == 1
    rest = [0, 1, 2, 4]
    assert np.allclose(found[:, rest], chances[:, rest])
    assert np.allclose(found.sum(axis=-1), 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_forecasts_are_certain_of_what_is(kind: str) -> None:
    tops = parse_hand("AKQJ.AKQ.AKQ.AKQ")
    assert forecast(tops, kind=kind)[Strain.NOTRUMP].chances[13] == pytest.approx(1)
    whole = parse_hand("AKQJT98765432...")
    assert forecast(whole, kind=kind)[Strain.SPADES].chances[13] == pytest.approx(1)
    dummy = parse_hand("..542.AKQJT98765")
    for found in forecast_many([(SEVEN, None), (SEVEN, dummy)], kind):
        assert found[Strain.SPADES].at_least(7) == pytest.approx(1)
    assert forecast(dummy, SEVEN, kind)[Strain.SPADES].at_least(7) == pytest.approx(1)


@pytest.mark.parametrize("calls", ["", "pass pass"])
def test_advice_sees_no_risk_in_sure_tricks(calls: str) -> None:
    found = advise(SEVEN, None, parse_auction(calls), scheme=find_scheme("old"))
    one = found.bids[Bid(1, Strain.SPADES)]
    assert one.chance == pytest.approx(1)
    assert one.worst >= 9 - 1e-9
