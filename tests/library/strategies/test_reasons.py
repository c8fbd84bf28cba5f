"""Reasons for cards: every sentence is true of the position, and each one is seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest

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
    for table in positions(60):
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


@pytest.mark.parametrize("name", ["_sequence", "_highest", "_finesses", "_cannot_win"])
def test_a_reason_without_its_condition_is_found_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence that is said of every card is false of some."""
    texts = {
        "_sequence": "The top of touching cards in {suit}: if a higher card beats it, the next one "
        "moves up.",
        "_highest": "The highest card left in {suit}: a sure trick.",
        "_finesses": "Wins the trick: nobody behind can beat it.",
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
