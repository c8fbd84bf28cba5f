"""One interface: what it answers, what it refuses, threads and processes."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

from tests.library.double_dummy.slow_minimax import dealt, position
from tribridge.cards.cards import FULL_DECK, Card, Deck, Strain, parse_cards
from tribridge.common.errors import (
    CardsError,
    IllegalActionError,
    MissingPackageError,
    NotFoundError,
    SettingError,
    TribridgeError,
)
from tribridge.double_dummy import dds, solving
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.tricks import Chair

TRUTH = DoubleDummy()
HANDS = dealt(1, 0, FULL_DECK)


def test_a_card_leads_to_the_tricks_of_the_deal() -> None:
    """The best card keeps the value of the deal, at every turn, for both sides."""
    for strain in (Strain.SPADES, Strain.NOTRUMP):
        value = TRUTH.tricks(HANDS, strain)
        play = position(HANDS, strain, Chair.LEFT)
        for _ in range(20):
            found = TRUTH.cards(play)
            assert set(found) == set(play.legal)
            best = max if play.chair.declaring else min
            assert best(found.values()) == value
            play = play.apply_unchecked(best(found, key=lambda card: found[card]))


def test_tricks_won_before_count() -> None:
    deck = Deck(2, 6)
    truth = DoubleDummy(deck)
    play = position(dealt(1, 3, deck), Strain.CLUBS, Chair.LEFT)
    value = truth.tricks(play.hands, Strain.CLUBS)
    while not play.over:
        found = truth.cards(play)
        best = max if play.chair.declaring else min
        play = play.apply_unchecked(best(found, key=lambda card: found[card]))
    assert play.won == value


@pytest.mark.parametrize("deck", ["2x4", "4x3", "3x8"])
def test_small_decks_have_the_same_answers_before_our_own_solver_is_compiled(
    deck: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth, own = DoubleDummy(Deck(deck)), DoubleDummy(Deck(deck), "own")
    monkeypatch.setattr(solving, "_own_is_compiled", lambda: False)
    monkeypatch.setattr(truth, "_own", "not to be used")
    random = Random(1)
    for number in range(5):
        hands = dealt(2, number, truth.deck)
        assert truth.strains(hands) == own.strains(hands)
        play = position(hands, random.choice(truth.deck.strains), Chair.LEFT)
        while not play.over:
            assert list(truth.cards(play).items()) == list(own.cards(play).items())
            play = play.apply_unchecked(random.choice(play.legal))


def test_strains_and_leaders() -> None:
    found = TRUTH.strains(HANDS)
    assert list(found) == list(Strain)
    assert found == {strain: TRUTH.tricks(HANDS, strain) for strain in Strain}
    assert list(TRUTH.strains(HANDS, [Strain.NOTRUMP])) == [Strain.NOTRUMP]
    # Seen from a defender's chair, the same cards and lead give the other side's tricks.
    turned = HANDS[1:] + HANDS[:1]
    for leader in Chair:
        ours = TRUTH.tricks(HANDS, Strain.HEARTS, leader)
        theirs = TRUTH.tricks(turned, Strain.HEARTS, Chair((leader - 1) % 4))
        assert ours + theirs == 13


@pytest.mark.slow
def test_a_batch_is_the_same_on_any_number_of_processes() -> None:
    deck = Deck(4, 5)
    truth = DoubleDummy(deck)
    deals = [dealt(7, number, deck) for number in range(30)]
    expected = [tuple(truth.strains(hands).values()) for hands in deals]
    assert list(truth.batch(deals, processes=1)) == expected
    assert list(truth.batch(iter(deals), processes=2)) == expected


def test_processes_are_started_for_many_results_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class StartedError(Exception):
        pass

    def started(workers: int) -> None:
        raise StartedError

    monkeypatch.setattr(solving, "worker_pool", started)
    monkeypatch.setattr(solving, "cores", lambda: 2)
    deck = Deck(2, 2)
    truth, hands = DoubleDummy(deck), dealt(7, 0, deck)
    one = tuple(truth.strains(hands).values())
    assert list(truth.batch([hands] * 40, [Strain.NOTRUMP])) == [one[-1:]] * 40
    assert list(truth.batch([hands] * 13)) == [one] * 13  # three strains each
    for many in ([hands] * 41, iter([hands] * 41)):
        with pytest.raises(StartedError):
            list(truth.batch(many, [Strain.NOTRUMP]))
    with pytest.raises(StartedError):
        list(truth.batch([hands] * 14))
    with pytest.raises(StartedError):
        list(truth.batch([hands] * 2, processes=2))


def test_threads_take_turns() -> None:
    """Two threads in DDS would crash the process; the lock is what keeps them apart."""
    random = Random(1)
    deals = [dealt(9, random.randrange(10**6), FULL_DECK) for _ in range(16)]
    alone = [TRUTH.tricks(hands, Strain.NOTRUMP) for hands in deals]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda hands: TRUTH.tricks(hands, Strain.NOTRUMP), deals)) == alone


def test_endplay_is_not_imported() -> None:
    """Its bindings are loaded alone: the package takes a second to import."""
    code = (
        "import sys\nfrom tribridge.double_dummy.solving import DoubleDummy\n"
        "from tribridge.cards.cards import Strain\nfrom tribridge.cards.dealer import deal\n"
        "assert not any('endplay' in name for name in sys.modules)\n"
        "DoubleDummy().tricks(deal(1, 0).hands, Strain.NOTRUMP)\n"
        "assert 'endplay' not in sys.modules and 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_dds_endings_are_solved_and_whole_deals_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dds, "available", lambda: False)
    truth = DoubleDummy()
    assert truth.ending((1, 2, 4, 8), Strain.NOTRUMP) == 1
    with pytest.raises(MissingPackageError, match=r"52 cards are too many.*\[dd\]"):
        truth.tricks(HANDS, Strain.NOTRUMP)
    with pytest.raises(MissingPackageError, match="endplay is not"):
        DoubleDummy(solver="dds")


def with_hand(at: int, text: str) -> list[Any]:
    hands: list[Any] = list(HANDS)
    hands[at] = parse_cards(text)
    return hands


@pytest.mark.parametrize(
    ("hands", "message"),
    [
        (HANDS[:3], "a position has 4 hands, not 3"),
        ((HANDS[0], HANDS[0], HANDS[2], HANDS[3]), "is in two places: the declarer and the left"),
        (with_hand(2, "A..."), "is in two places|the dummy has 1 card where"),
        ((1, 2, 4, 8), r"♣T is in no hand: a deal has all 52 cards"),
        ((1 << 52, 2, 4, 8), "the declarer has a card that is not in a deck of 4x13"),
        ((-1, 2, 4, 8), "the declarer has a card that is not in a deck of 4x13"),
        ((0, 0, 0, 0), "is in no hand"),
        ((3, 4, 8, 16), "the left defender has 1 card where the declarer has 2"),
    ],
)
def test_cards_that_are_no_deal_are_refused(hands: Any, message: str) -> None:
    with pytest.raises(CardsError, match=message) as caught:
        TRUTH.tricks(hands, Strain.NOTRUMP)
    assert "\n" not in str(caught.value)


def card(text: str) -> Card:
    return Card(text)


@pytest.mark.parametrize(
    ("hands", "trick", "message"),
    [
        ((1, 2, 4, 8), ("SA",), "the left defender has 2 cards where the declarer has 1"),
        ((1, 0, 4, 8), ("CA",), "♣A is in two places: the declarer and the table"),
        ((1, 0, 4, 8), ("SA", "SA"), "♠A is given twice"),
        ((0, 0, 0, 0), ("SA", "SK", "SQ", "SJ"), "4 cards are on the table"),
    ],
)
def test_positions_that_cannot_be_are_refused(hands: Any, trick: Any, message: str) -> None:
    with pytest.raises(CardsError, match=message):
        TRUTH.ending(hands, Strain.NOTRUMP, Chair.LEFT, [card(text) for text in trick])


def test_other_bad_input_is_refused() -> None:
    with pytest.raises(NotFoundError, match="unknown solver 'x'"):
        DoubleDummy(solver="x")
    with pytest.raises(SettingError, match="deck of 2x4"):
        DoubleDummy(Deck(2, 4)).ending((1, 2, 4, 8), Strain.SPADES)
    bad: Any = 9
    with pytest.raises(SettingError, match="no strain 9"):
        TRUTH.tricks(HANDS, bad)
    with pytest.raises(IllegalActionError, match="card to play"):
        TRUTH.cards(position((0, 0, 0, 0), Strain.NOTRUMP, Chair.LEFT))
    with pytest.raises(SettingError, match=r"processes .* -1"):
        list(TRUTH.batch([HANDS], processes=-1))


def test_a_bad_deal_in_a_batch_is_named_before_a_solver_sees_it() -> None:
    with pytest.raises(TribridgeError, match="in two places"):
        list(TRUTH.batch([(HANDS[0],) * 4], processes=1))


def test_a_position_without_cards_has_no_tricks() -> None:
    assert TRUTH.ending((0, 0, 0, 0), Strain.NOTRUMP) == 0
