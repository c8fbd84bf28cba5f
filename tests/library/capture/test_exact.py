"""Exact counts: against the binomials, against whole small decks, against dealt hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from tests.grids import thinned
from tests.library.capture.slow_reference import slow_algorithm1, slow_algorithm2
from tribridge.capture import (
    NATURAL,
    READINGS,
    Conditions,
    Reading,
    Result,
    algorithm,
    default_budget,
    exact,
    matrix_of,
)
from tribridge.capture.exact.distribution import ExactDistribution, Verdict
from tribridge.capture.exact.joint import count_joint
from tribridge.capture.exact.step6 import Walk
from tribridge.capture.row_classes import RowClass, row_class
from tribridge.cards.cards import FULL_DECK, Deck, Hand, cards_of
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.common import stats
from tribridge.common.errors import SettingError

ALL_READINGS = pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)


@dataclass(frozen=True)
class Loose(Deck):
    """A deck with any number of cards in a hand and any number of tricks.

    Two of four equal hands of a small deck are too short to walk far; here they need not be equal
    shares, and the check value has another target than the size of the hand.
    """

    cards: int = 1
    tricks: int = 1

    @property
    def hand_size(self) -> int:
        return self.cards


@cache
def one_on_full_deck(reading: Reading = NATURAL) -> ExactDistribution:
    return exact.algorithm1(reading=reading)


@cache
def two_on_full_deck() -> ExactDistribution:
    return exact.algorithm2()


@cache
def both_on_full_deck(reading: Reading = NATURAL, *, captures: bool = False) -> exact.Joint:
    one, two = one_on_full_deck(reading), two_on_full_deck()
    return count_joint(reading, one, two, with_captures=captures)


def target_of(deck: Deck) -> int:
    return deck.tricks if isinstance(deck, Loose) else deck.hand_size


@pytest.fixture(autouse=True)
def _walks_on_loose_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    def on(deck: Deck, budget: int) -> Walk:
        return Walk(deck.suits, deck.ranks, target_of(deck), min(budget, deck.size))

    monkeypatch.setattr(Walk, "on", on)


def hands_of(mask: int, cards: int) -> Iterator[Hand]:
    for chosen in combinations(cards_of(mask), cards):
        yield Hand(chosen)


def reference(
    hand: Hand, dummy: Hand | None, deck: Deck, budget: int, reading: Reading = NATURAL
) -> Result:
    matrix = matrix_of(hand, dummy, deck)
    tricks = Loose(deck.suits, deck.ranks, target_of(deck))
    return algorithm.run(matrix, tricks, budget, reading, dummy=dummy is not None)


def verdict(result: Result) -> Verdict:
    return result.captures if result.outcome is Conditions.BOTH_HOLD else result.outcome


class Tally:
    """Results counted one by one."""

    def __init__(self) -> None:
        self.outcomes: Counter[Conditions] = Counter()
        self.total_gap: Counter[int] = Counter()
        self.captures: Counter[int] = Counter()
        self.check: Counter[int] = Counter()
        self.cells: Counter[tuple[int, int, int]] = Counter()

    def add(self, result: Result) -> None:
        self.outcomes[result.outcome] += 1
        self.total_gap[result.total_gap] += 1
        if result.check is not None:
            self.captures[result.captures] += 1
            self.check[result.check] += 1
            self.cells[result.total_gap, result.captures, result.check] += 1

    def assert_equal(self, counted: ExactDistribution) -> None:
        assert counted.total == self.outcomes.total()
        assert counted.a_fails == self.outcomes[Conditions.A_FAILS]
        assert counted.b_fails == self.outcomes[Conditions.B_FAILS]
        assert counted.both_hold == self.outcomes[Conditions.BOTH_HOLD]
        assert counted.total_gap == self.total_gap
        assert counted.captures == self.captures
        assert counted.check == self.check
        assert counted.cells == self.cells


def assert_whole_deck(deck: Deck, budget: int) -> None:
    """Both algorithms under every reading, and both together, on every pair of hands."""
    ones = {name: Tally() for name in READINGS}
    two = Tally()
    joint: dict[str, Counter[tuple[Verdict, Verdict]]] = {name: Counter() for name in READINGS}
    for hand in hands_of(deck.mask, deck.hand_size):
        firsts = {name: reference(hand, None, deck, budget, r) for name, r in READINGS.items()}
        for name, result in firsts.items():
            ones[name].add(result)
        for dummy in hands_of(deck.mask & ~hand.mask, deck.hand_size):
            second = reference(hand, dummy, deck, budget)
            two.add(second)
            for name, result in firsts.items():
                joint[name][verdict(result), verdict(second)] += 1
    two.assert_equal(exact.algorithm2(deck, budget))
    for name, reading in READINGS.items():
        ones[name].assert_equal(exact.algorithm1(deck, budget, reading))
        both = exact.joint(deck, budget, reading, captures=True)
        assert both.counts == joint[name]
        assert exact.joint(deck, budget, reading).counts == both.outcomes


TINY = (Deck(2, 4), Deck(4, 2), Deck(1, 8), Deck(2, 2), Deck(4, 1))


@pytest.mark.slow
@pytest.mark.parametrize(("deck", "budget"), thinned(product(TINY, (0, 1, 2, 5, 10**30))), ids=str)
def test_tiny_decks_enumerated_whole(deck: Deck, budget: int) -> None:
    assert_whole_deck(deck, budget)


@pytest.mark.slow
@pytest.mark.parametrize("deck", thinned([Deck(3, 4), Deck(4, 3)]), ids=str)
def test_small_decks_enumerated_whole(deck: Deck) -> None:
    assert_whole_deck(deck, default_budget(deck))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deck", "budget"),
    thinned(
        [
            (Loose(2, 5, 4, 9), 2),
            (Loose(2, 5, 4, 4), 3),
            (Loose(4, 3, 5, 8), 3),
            (Loose(1, 9, 4, 7), 5),
        ]
    ),
    ids=str,
)
def test_longer_walks_enumerated_whole(deck: Deck, budget: int) -> None:
    assert_whole_deck(deck, budget)


@pytest.mark.full
@pytest.mark.parametrize(
    ("deck", "budget"),
    [
        (Deck(3, 4), 4),
        (Deck(4, 3), 5),
        (Deck(2, 6), 3),
        (Loose(4, 3, 5, 13), 6),
        (Loose(3, 4, 5, 9), 4),
        (Loose(2, 6, 5, 10), 3),
        (Loose(1, 10, 4, 9), 5),
    ],
    ids=str,
)
def test_more_decks_enumerated_whole(deck: Deck, budget: int) -> None:
    assert_whole_deck(deck, budget)


def walked(classes: Sequence[RowClass], deck: Deck, budget: int) -> int:
    """The captures of Step 6 as it is written, on the classes of the rows."""
    places, spent = [0] * len(classes), sum(row.leading_gap for row in classes)
    while sum(places) + len(classes) + spent < target_of(deck):
        heads = [
            (row.gaps[at], suit)
            for suit, (row, at) in enumerate(zip(classes, places, strict=True))
            if at < len(row.gaps)
        ]
        gap, suit = min(heads, default=(budget + 1, 0))
        if spent + gap > budget:
            break
        spent += gap
        places[suit] += 1
    return sum(places) + len(classes)


@pytest.mark.parametrize(
    ("deck", "budget"),
    thinned(
        [
            (Loose(4, 4, 7, 12), 4),
            (Loose(4, 5, 6, 11), 5),
            (Loose(3, 5, 6, 10), 5),
        ]
    ),
    ids=str,
)
def test_captures_of_both_agree_with_walks_on_every_choice_of_classes(
    deck: Loose, budget: int
) -> None:
    suit: Counter[tuple[RowClass, RowClass]] = Counter()
    for cells in product((0, 1, 2), repeat=deck.ranks):
        two, one = row_class(cells), row_class([cell % 2 for cell in cells])
        if two.qualifies() and one.qualifies(dummy=False):
            suit[one, two] += 1
    found: Counter[tuple[Verdict, Verdict]] = Counter()

    def choose(chosen: tuple[tuple[RowClass, RowClass], ...], weight: int) -> None:
        more = deck.suits - len(chosen)
        held = [sum(two.c1 for _, two in chosen), sum(two.c2 for _, two in chosen)]
        if any(cards + more > deck.cards for cards in held):
            return
        if more:
            for classes, count in suit.items():
                choose((*chosen, classes), weight * count)
            return
        ones, twos = zip(*chosen, strict=True)
        if held == [deck.cards] * 2 and sum(one.leading_gap for one in ones) <= budget:
            found[walked(ones, deck, budget), walked(twos, deck, budget)] += weight

    choose((), 1)
    counted = exact.joint(deck, budget, captures=True).counts
    both = {pair: n for pair, n in counted.items() if not isinstance(pair[0], Conditions)}
    assert {pair: n for pair, n in both.items() if not isinstance(pair[1], Conditions)} == found


@pytest.mark.slow
@ALL_READINGS
@pytest.mark.parametrize("deck", thinned([Loose(4, 4, 6, 10), Deck(4, 4), Deck(2, 8)]), ids=str)
def test_algorithm_1_on_every_hand_of_a_larger_deck(deck: Deck, reading: Reading) -> None:
    for budget in (2, 4):
        tally = Tally()
        for hand in hands_of(deck.mask, deck.hand_size):
            tally.add(reference(hand, None, deck, budget, reading))
        tally.assert_equal(exact.algorithm1(deck, budget, reading))


@ALL_READINGS
def test_algorithm_1_counts_every_hand(reading: Reading) -> None:
    counted = one_on_full_deck(reading)
    assert counted.total == comb(52, 13)
    assert counted.a_fails + counted.b_fails + sum(counted.captures.values()) == counted.total
    assert sum(counted.check.values()) == sum(counted.captures.values())


@pytest.mark.slow
@pytest.mark.parametrize("budget", thinned([13, 0, 6]))
def test_algorithm_2_counts_every_pair_of_hands(budget: int) -> None:
    counted = exact.algorithm2(FULL_DECK, budget)
    assert counted.total == comb(52, 13) * comb(39, 13)
    assert counted.a_fails + counted.b_fails + sum(counted.captures.values()) == counted.total
    assert min(counted.cells.values()) > 0
    assert counted.b_fails > 0


@pytest.mark.slow
def test_counts_on_the_full_deck_stay_what_they_are() -> None:
    one, two = one_on_full_deck(), two_on_full_deck()
    assert (one.a_fails, one.b_fails) == (505_298_318_840, 84_173_213_336)
    assert one.captures[7] == 12_336_922_776
    assert (two.a_fails, two.b_fails) == (751365727580726647200, 2967132569796391934592)
    assert two.captures[9] == 476531775478018797552
    assert two.captures[13] == 2179486891210821024


@pytest.mark.slow
@pytest.mark.parametrize(
    "reading", thinned([NATURAL, READINGS["non-strict"]]), ids=lambda reading: reading.name
)
def test_outcomes_together_have_the_margins_of_each(reading: Reading) -> None:
    one, two = one_on_full_deck(reading), two_on_full_deck()
    both = both_on_full_deck(reading)
    dummies = comb(39, 13)
    assert both.total == two.total
    assert both.firsts[Conditions.A_FAILS] == one.a_fails * dummies
    assert all(both.firsts[t] == count * dummies for t, count in one.captures.items())
    seconds: Counter[Verdict] = Counter()
    for (_, second), count in both.counts.items():
        assert count > 0
        seconds[second] += count
    assert seconds[Conditions.A_FAILS] == two.a_fails
    assert seconds[Conditions.B_FAILS] == two.b_fails
    assert seconds[Conditions.BOTH_HOLD] == two.both_hold


@pytest.mark.full
def test_captures_together_have_the_margins_of_each() -> None:
    both, two = both_on_full_deck(captures=True), two_on_full_deck()
    assert both.outcomes == both_on_full_deck().outcomes
    for captures, count in two.captures.items():
        assert sum(n for (_, second), n in both.counts.items() if second == captures) == count
    assert min(both.counts.values()) > 0


def _assert_drawn_from(counts: Mapping[Any, int], drawn: Counter[tuple[Verdict, ...]]) -> None:
    """A chi-square test; cells with an expectation under 10 are thrown together."""
    assert set(drawn) <= set(counts)
    total, size = sum(counts.values()), drawn.total()
    expected = {cell: float(Fraction(count * size, total)) for cell, count in counts.items()}
    large = [cell for cell in counts if expected[cell] >= 10]
    rare = [cell for cell in counts if expected[cell] < 10]
    seen = [drawn[cell] for cell in large] + [sum(drawn[cell] for cell in rare)]
    wanted = [expected[cell] for cell in large] + [sum(expected[cell] for cell in rare)]
    wanted = list(np.array(wanted) * (sum(seen) / sum(wanted)))
    assert len(seen) > 10
    assert chisquare(seen, wanted).pvalue > 0.001


def _dealt(start: int, count: int) -> Iterator[tuple[Result, Result]]:
    for one, two, _, _ in deal_masks(20, start, count).tolist():
        hand, dummy = Hand(one), Hand(two)
        yield algorithm.algorithm1(hand), algorithm.algorithm2(hand, dummy)


def _expected_cells(counted: ExactDistribution) -> dict[tuple[Verdict, ...], int]:
    cells: dict[tuple[Verdict, ...], int] = {}
    for cell, count in counted.cells.items():
        cells[Conditions.BOTH_HOLD, *cell] = count
    for gap, count in counted.total_gap.items():
        held = sum(n for cell, n in counted.cells.items() if cell[0] == gap)
        fails = Conditions.A_FAILS if gap > counted.budget else Conditions.B_FAILS
        cells[fails, gap] = count - held
    return {cell: count for cell, count in cells.items() if count}


def _cell(result: Result) -> tuple[Verdict, ...]:
    ended = () if result.check is None else (result.captures, result.check)
    return (result.outcome, result.total_gap, *ended)


@pytest.mark.slow
def test_dealt_hands_are_distributed_as_counted() -> None:
    ones: Counter[tuple[Verdict, ...]] = Counter()
    twos: Counter[tuple[Verdict, ...]] = Counter()
    outcomes: Counter[tuple[Verdict, ...]] = Counter()
    for first, second in _dealt(0, 10_000):
        ones[_cell(first)] += 1
        twos[_cell(second)] += 1
        outcomes[verdict(first), second.outcome] += 1
    _assert_drawn_from(_expected_cells(one_on_full_deck()), ones)
    _assert_drawn_from(_expected_cells(two_on_full_deck()), twos)
    _assert_drawn_from(both_on_full_deck().counts, outcomes)


@pytest.mark.full
def test_many_dealt_hands_are_distributed_as_counted() -> None:
    twos: Counter[tuple[Verdict, ...]] = Counter()
    both: Counter[tuple[Verdict, ...]] = Counter()
    for first, second in _dealt(20_000, 30_000):
        twos[_cell(second)] += 1
        both[verdict(first), verdict(second)] += 1
    _assert_drawn_from(_expected_cells(two_on_full_deck()), twos)
    _assert_drawn_from(both_on_full_deck(captures=True).counts, both)


def test_a_distribution_answers_in_fractions() -> None:
    counted = ExactDistribution(
        FULL_DECK, 6, {0: 60, 7: 40}, {(0, 4, 4): 10, (0, 7, 13): 20, (0, 9, 13): 10}
    )
    assert counted.captures == {4: 10, 7: 20, 9: 10}
    assert counted.check == {4: 10, 13: 30}
    assert counted.probability(Conditions.A_FAILS) == Fraction(2, 5)
    assert counted.probability(Conditions.B_FAILS) == Fraction(1, 5)
    assert counted.probability(Conditions.BOTH_HOLD) == Fraction(2, 5)
    assert counted.mean == Fraction(27, 4)
    shares = (0, 0.25, 0.26, Fraction(3, 4), 1)
    assert [counted.quantile(share) for share in shares] == [4, 4, 7, 7, 9]
    assert [counted.tail(t) for t in (0, 1, 5, 9, 10)] == [
        1,
        Fraction(2, 5),
        Fraction(3, 10),
        Fraction(1, 10),
        0,
    ]


@pytest.mark.slow
def test_what_makes_no_sense_is_refused() -> None:
    nothing = exact.algorithm2(Deck(4, 2))
    with pytest.raises(SettingError, match="deck of 4x2"):
        _ = nothing.mean
    with pytest.raises(SettingError, match="never hold"):
        nothing.quantile(0.5)
    with pytest.raises(SettingError, match=r"1, not 1\.5"):
        nothing.quantile(1.5)
    with pytest.raises(SettingError, match="not -1"):
        exact.algorithm1(FULL_DECK, -1)
    with pytest.raises(SettingError, match="cannot be dealt"):
        exact.algorithm2(Deck(3, 3), 2)
    with pytest.raises(SettingError, match="never gives 9"):
        exact.joint(Deck(2, 4)).success(9)


def test_five_suits_are_counted_as_dealt_hands_come_out() -> None:
    """Cards and the dealer have four suits: here the hands are drawn as sets of numbers."""
    deck = exact.CountedDeck(5, 8)
    rng = np.random.default_rng(5)
    cards = [13 * suit + rank for suit in range(deck.suits) for rank in range(deck.ranks)]
    seen: tuple[Counter[Verdict], Counter[Verdict]] = (Counter(), Counter())
    for _ in range(8000):
        drawn = rng.choice(cards, 2 * deck.hand_size, replace=False).tolist()
        hand, dummy = (
            sum(1 << card for card in part)
            for part in (drawn[: deck.hand_size], drawn[deck.hand_size :])
        )
        for counts, said in zip(
            seen, (slow_algorithm1(hand, deck), slow_algorithm2(hand, dummy, deck)), strict=True
        ):
            outcome = Conditions(said.outcome)
            counts[said.captures if outcome is Conditions.BOTH_HOLD else outcome] += 1
    for counts, counted in zip(seen, (exact.algorithm1(deck), exact.algorithm2(deck)), strict=True):
        shares: dict[Verdict, Fraction] = {
            outcome: counted.probability(outcome)
            for outcome in (Conditions.A_FAILS, Conditions.B_FAILS)
        }
        shares |= {t: Fraction(n, counted.total) for t, n in counted.captures.items()}
        assert sum(shares.values()) == 1
        assert counts.keys() <= shares.keys()
        test = stats.fit([counts[key] for key in shares], [float(s) for s in shares.values()])
        assert test.p > 0.001


@pytest.mark.parametrize(("suits", "ranks"), [(5, 8), (6, 8), (7, 4), (8, 6)])
def test_the_largest_decks_are_counted_whole(suits: int, ranks: int) -> None:
    """A count beyond 64 bits would show as a wrong total, or as a negative number."""
    deck = exact.CountedDeck(suits, ranks)
    one, two = exact.algorithm1(deck), exact.algorithm2(deck)
    hands = comb(deck.size, deck.hand_size)
    assert one.total == hands
    assert two.total == hands * comb(deck.size - deck.hand_size, deck.hand_size)
    for counted in (one, two):
        assert min(counted.cells.values(), default=0) >= 0
        assert min(counted.total_gap.values()) >= 0


@pytest.mark.parametrize(
    ("suits", "ranks", "words"),
    [(9, 4, "1 to 8 suits"), (8, 14, "1 to 13 ranks"), (8, 8, "at most 26 cards")],
)
def test_decks_that_are_too_large_to_count_are_refused(suits: int, ranks: int, words: str) -> None:
    with pytest.raises(SettingError, match=words):
        exact.CountedDeck(suits, ranks)
