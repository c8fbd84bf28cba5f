"""Puzzles from experts' boards: which boards are searched, and who found the answer."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest

from tests.library.cli.helpers import refusal
from tribridge.cards.cards import Card
from tribridge.cards.dealer import deal
from tribridge.game.views import view
from tribridge.lab.puzzle_maker import expert_boards, judging
from tribridge.lab.puzzle_maker.expert_boards import ExpertDeal, deals_of, puzzles_of_deal
from tribridge.networks.boards import Boards, for_validation
from tribridge.strategies.human import shares
from tribridge.strategies.players.search.evaluation import finish

THREE_NOTRUMP = (3, 4, 0)


def played(number: int, turn: int = 0) -> ExpertDeal:
    """A deal played by the maxims in 3NT; after `turn`, the declarer is another hand."""
    hands = [hand.mask for hand in deal(5, number).hands]
    own = tuple(hands[turn:] + hands[:turn])
    table = next(ExpertDeal(own, THREE_NOTRUMP, ((0,),)).tables())
    assert table.position is not None
    cards = tuple(card.index for _, card in finish(table.position).plays())
    return ExpertDeal(own, THREE_NOTRUMP, (cards,))


def boards(*deals: ExpertDeal, length: int = 52) -> Boards:
    rows = [(*one.plays[0][:length], *[-1] * (52 - length)) for one in deals]
    return Boards(
        np.array([one.hands for one in deals], np.uint64),
        np.array(rows, np.int8),
        np.array([one.contract for one in deals], np.int8),
    )


def test_one_board_of_each_deal_and_none_for_validation() -> None:
    """A deal counts once, whoever declares it; the order follows from the seed."""
    several = [played(number, turn) for number in range(60) for turn in (0, 1)]
    whole = boards(*several)
    apart = for_validation(whole)
    assert apart.any()
    drawn = deals_of(whole, 100, seed=3)
    names = [frozenset(one.hands) for one in drawn]
    assert len(set(names)) == len(names) == len(several) // 2 - apart.sum() // 2
    held_out = {frozenset(hands) for hands in whole.hands[apart].tolist()}
    assert not held_out & set(names)
    assert deals_of(whole, 7, seed=3) == drawn[:7]
    assert deals_of(whole, 7, seed=4) != drawn[:7]


def test_tables_with_the_same_cards_and_contract_had_the_same_position() -> None:
    first = next(one for one in map(played, count()) if not for_validation(boards(one))[0])
    other = ExpertDeal(first.hands, first.contract, ((*first.plays[0][:8],),))
    lower = ExpertDeal(first.hands, (2, 4, 0), first.plays)
    rows = boards(first, first, lower)
    rows.cards[1] = [*other.plays[0], *[-1] * 44]
    (drawn,) = deals_of(rows, 5, seed=1)
    if drawn.contract == THREE_NOTRUMP:
        assert sorted(map(len, drawn.plays)) == [8, 52]
        cards = [Card(card) for card in first.plays[0]]
        assert drawn.next_cards(cards[:7]) == [cards[7]] * 2
        assert drawn.next_cards(cards[:8]) == [cards[8]]
        assert drawn.next_cards([cards[1]]) == []


@pytest.mark.slow
def test_a_puzzle_says_who_found_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The share is the network's; the tables and their cards are counted."""
    monkeypatch.setattr(judging, "LAYOUTS", 60)
    monkeypatch.setattr(expert_boards, "_FIRST", (0.0,) * 6)
    for number in count():
        own = played(number)
        made = puzzles_of_deal(own, 1, number)
        if made:
            break
    (puzzle,) = made
    assert made == puzzles_of_deal(own, 1, number)
    experts, table = puzzle.experts, puzzle.table()
    assert experts is not None
    right = [card for card in puzzle.right if isinstance(card, Card)]
    popular = shares(view(table, table.turn))
    assert experts.share == pytest.approx(sum(popular[card] for card in right), abs=1e-3)
    assert experts.share <= 0.65
    at = len(puzzle.play.split())
    assert (experts.tables, experts.found) == (1, int(Card(own.plays[0][at]) in right))
    twice = ExpertDeal(own.hands, own.contract, own.plays * 2)
    (again,) = puzzles_of_deal(twice, 1, number)
    assert again.experts is not None
    assert (again.experts.tables, again.experts.found) == (2, 2 * experts.found)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    assert "no such file" in refusal("puzzles", "make", "--boards", "nowhere.npz", "--out", out)
    both = ("puzzles", "make", "--boards", "nowhere.npz", "--book", "--out", out)
    assert "--boards searches all choices" in refusal(*both)
