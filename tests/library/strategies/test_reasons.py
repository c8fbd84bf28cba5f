"""Reasons for cards: every sentence is true of the position, and each one is seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest

import tribridge as tb
from tests.library.strategies.claims import CLAIMS, GIVEN_AWAY, true
from tribridge.cards.cards import Card
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.sentences import Words, words
from tribridge.game import Table, new_table, view
from tribridge.strategies import reasons
from tribridge.strategies.players.suits import apart
from tribridge.strategies.reasons import Play, gives_away, groups, reason_for

AUCTIONS = (
    "1NT pass pass", "1H 1S pass pass", "3NT pass pass", "pass 1C 1D 2C pass pass",
    "1C 1D 1NT pass pass", "4S pass pass", "2C 2D pass pass", "1H pass pass",
)  # fmt: skip
MADE_ELSEWHERE = 3
"""Claims that are made of sure cards and of forced ones (`test_choices`)."""


def positions(count: int, seed: int = 5) -> Iterator[Table]:
    """Tables at which a card is due: half of the cards by rule, the others at random."""
    from tribridge.strategies.players.maxims.player import maxim

    rng = np.random.default_rng(seed)
    for number in range(count):
        auction = AUCTIONS[number % len(AUCTIONS)]
        table = new_table(deal(seed, number), Seat(number % 3)).call(auction)
        while not table.over:
            yield table
            position = view(table, table.turn).position
            assert position is not None
            by_rule = rng.random() < 0.7
            card = maxim(position)[0] if by_rule else position.legal[rng.integers(len(table.legal))]
            table = table.play(card)


def said(table: Table) -> Iterator[tuple[Card, Words]]:
    """The legal cards for which there is something to say."""
    position = view(table, table.turn).position
    assert position is not None
    for card in position.legal:
        if (reason := reason_for(position, card)) is not None:
            yield card, reason


def test_every_reason_is_true_of_the_position_and_every_one_is_seen() -> None:
    seen = Counter[str]()
    for table in positions(100):
        for card, reason in said(table):
            assert true(table, card, reason.sentence), f"{card}: {reason}\n{table}"
            seen[reason.sentence.text] += 1
    assert not CLAIMS.keys() - seen.keys() - {*list(CLAIMS)[:MADE_ELSEWHERE]}


def test_what_a_card_gives_away_is_true_and_every_sentence_is_seen() -> None:
    seen = Counter[str]()
    for table in positions(60):
        position = view(table, table.turn).position
        assert position is not None
        for card in position.legal:
            if (reason := gives_away(position, card)) is not None:
                assert true(table, card, reason.sentence), f"{card}: {reason}\n{table}"
                seen[reason.sentence.text] += 1
    assert GIVEN_AWAY.keys() == seen.keys()


def test_what_holds_of_another_card_as_well_does_not_speak_for_a_card_beside_it() -> None:
    left, shared = 0, 0
    for table in positions(12):
        position = view(table, table.turn).position
        assert position is not None
        for card, other in permutations(position.legal, 2):
            reason, alone = reason_for(position, card), reason_for(position, card, other)
            theirs = reason_for(position, other)
            texts = [one and one.sentence.text for one in (reason, alone, theirs)]
            if texts[0] == texts[2]:
                assert texts[1] is None or texts[1] != texts[0]
                shared += texts[0] is not None
            left += alone is not None
            assert alone is None or true(table, card, alone.sentence)
    assert shared
    assert left


@pytest.mark.parametrize(
    ("hands", "auction", "play", "cards"),
    [
        (  # of KQJ in the two hands, wherever the ace is
            "N:KQJ8.KQJ.KQJ.A52 T96.T987.T98.T97 A54.A32.A32.QJ43 732.654.7654.K86",
            "1NT pass pass",
            "SK S2 S6 SA",
            {
                "C3": "To drive out the ace, wherever it is: then ♣Q is high.",
                "CQ": "To drive out the ace, wherever it is: then ♣K is high.",
            },
        ),
        (  # of KQ, towards the king: it may win twice
            "N:KQJ8.KQJ.KQJ.A52 T96.T987.T98.JT9 A54.A32.A732.743 732.654.654.KQ86",
            "1NT pass pass",
            "SK S2 S6 SA",
            {"C3": "Led towards ♣K, which can win if the ace lies in front of it."},
        ),
        (  # a bare honour falls with the one that is led
            "N:KQJ8.KQJ.KQJ.A52 T96.T987.T98.JT9 A54.A32.A.Q87643 732.654.765432.K",
            "1NT pass pass",
            "SK S2 S6 SA",
            {"CQ": "Sets up clubs: 7 cards in the two hands against 6, so small ones may win."},
        ),
        (  # nothing but a trump can beat the ace, though the ten may beat the five and the two
            "N:KQJ8.QJ2.KQJT.K5 T9.T98.98763.T97 543.AK3.52.AQJ32 A762.7654.A4.864",
            "1C pass pass",
            "SK SA S9 S3 DA D3",
            {"D2": "♦A wins unless it is ruffed: a low card will do."},
        ),
        (  # under an honour that is run to it a ten is no small card
            "N:Q962.T987.T98.97 875.A32.A74.8643 A4.KQJ.KQJ32.AT2 KJT3.654.65.KQJ5",
            "1NT pass pass",
            "H7 H4 H2 HJ C2 C7 CJ C3 SJ S5",
            {"S4": "Lets ♠J run: it can win if the queen lies in front of it."},
        ),
        (  # dummy's ace and queen win, and no finesse of the ten is meant
            "N:KQJ8.KQJ.KQJT.J4 T96.T987.987.963 A54.A432.A32.K52 732.65.654.AQT87",
            "1NT pass pass",
            "SK S2 S6 SA",
            {"C5": "Led to ♣A, the highest card left, in the other hand."},
        ),
        (  # the jack, one of three clubs out, falls under the ace and the king
            "N:KQJ8.KQJ.KQJT.J4 T96.T987.987.963 A54.A432.A32.K52 732.65.654.AQT87",
            "1NT pass pass",
            "SK S2 S6 SA C2 C4 CQ C3 D4 D7 DA DT",
            {"C5": "Led to ♣A, the highest card left, in the other hand."},
        ),
        (  # dummy ruffs what is led from the longest suit
            "N:KQJ8.QJ.KQJ2.K52 T.T9.T98765.AT97 A543.AK32.A43.QJ 9762.87654..8643",
            "1H pass pass",
            "C2 C3 CA CJ",
            {"D8": None},
        ),
    ],
)
def test_a_reason_is_the_right_idea(
    hands: str, auction: str, play: str, cards: dict[str, str | None]
) -> None:
    table = tb.new_table(hands, dealer="S", auction=auction)
    for card in play.split():
        table = table.play(card)
    position = view(table, table.turn).position
    assert position is not None
    for card, reason in cards.items():
        assert Card(card) in position.legal
        assert reason_for(position, Card(card)) == reason


@pytest.mark.parametrize("name", ["_sequence", "_highest", "_finesses", "_cannot_win"])
def test_a_reason_without_its_condition_is_found_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence that is said of every card is false of some."""
    texts = {
        "_sequence": "The top of touching cards in {suit}: if a higher card beats it, the next one "
        "moves up.",
        "_highest": "The highest card left in {suit}: a sure trick.",
        "_finesses": "Wins the trick: no opponent behind can beat it.",
        "_cannot_win": "No card here wins the trick: the lowest gives up least.",
    }

    def always(play: Play) -> Words:
        return words(texts[name], suit=play.name)

    for listed in ("LEADS", "FOLLOWS"):
        kept = [always if one.__name__ == name else one for one in getattr(reasons, listed)]
        monkeypatch.setattr(reasons, listed, tuple(kept))
    false = (
        not true(table, card, reason.sentence)
        for table in positions(8)
        for card, reason in said(table)
    )
    assert any(false)


def test_only_cards_that_are_equal_in_play_are_one_group() -> None:
    for table in positions(8, seed=6):
        position = view(table, table.turn).position
        assert position is not None
        found = groups(position)
        assert [card for group in found for card in group] == [*position.legal]
        assert {group[-1] for group in found} == {*apart(position, position.legal)}
