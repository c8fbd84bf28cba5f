"""Puzzles from experts' boards: which boards are searched, and who found the answer."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from benchmarks import expert_shares
from tests.club.puzzles.examples import puzzle
from tests.library.cli.helpers import refusal
from tribridge.cards.cards import Card
from tribridge.cards.dealer import deal
from tribridge.club.puzzles import shipped
from tribridge.game.views import view
from tribridge.lab.puzzle_maker import expert_boards
from tribridge.lab.puzzle_maker.expert_boards import ExpertDeal, deals_of, puzzles_of_deal
from tribridge.lab.puzzle_maker.making import fitted_move, with_experts
from tribridge.networks.boards import Boards, for_validation
from tribridge.reviews.puzzles import Experts
from tribridge.strategies.human import MOVED, expected_shares, shares
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


def test_a_puzzle_says_who_found_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The share is the network's; the tables and their cards are counted."""
    asked = [one for one in shipped().puzzles if one.experts is not None]
    known = min(asked, key=lambda one: one.layouts)  # all of them are valued
    table = known.table()
    monkeypatch.setattr(expert_boards, "_FIRST", (0.0,) * len(table.tricks))
    declarer, left, right, dummy = (hand.mask for hand in known.deal.hands)
    contract = table.contract
    assert contract is not None
    bid = contract.bid.level, contract.bid.strain.index, contract.factor.bit_length() - 1
    before = tuple(Card(name).index for name in known.play.split())
    found, missed = (
        (*before, card.index) for card in (known.right[0], known.tempting) if isinstance(card, Card)
    )
    own = ExpertDeal((declarer, left, dummy, right), bid, (missed, found, found, before))
    (made,) = puzzles_of_deal(own, 1, 7)
    assert made.right == known.right
    experts = made.experts
    assert experts is not None
    assert (experts.tables, experts.found) == (3, 2)
    assert (made.source.seed, made.source.number) == (1, 7)
    popular = shares(view(table, table.turn))
    right_cards = [card for card in made.right if isinstance(card, Card)]
    assert experts.share == pytest.approx(sum(popular[card] for card in right_cards), abs=1e-3)
    assert experts.share <= 0.65


def test_the_log_odds_are_moved_until_as_many_are_expected_as_found_the_answers() -> None:
    asked = [
        replace(puzzle(), id=f"{at:08x}", experts=Experts(float(share), 5, 3 if at % 4 else 5))
        for at, share in enumerate(np.linspace(0.05, 0.6, 40))
    ]
    given = [one.experts for one in asked if one.experts is not None]
    odds = np.array([one.share / (1 - one.share) for one in given])
    chances = 1 / (1 + 1 / (odds * np.exp(fitted_move([*asked, puzzle()]))))
    found = sum(one.found for one in given) / sum(one.tables for one in given)
    assert np.mean(chances) == pytest.approx(found, abs=0.01)
    everybody = [replace(puzzle(), experts=Experts(0.5, 1, 1))]
    assert 0 < fitted_move(everybody) < 10


def test_puzzles_reviews_and_hints_correct_the_network_alike() -> None:
    """The amount comes from the puzzles of the package, whose wrong cards all lose clearly."""
    puzzles = shipped().puzzles
    assert fitted_move(puzzles) == pytest.approx(MOVED, abs=1e-4)
    assert with_experts(puzzles) == list(puzzles)
    right, wrong = Card("SK"), Card("S4")
    for one in puzzles:
        if one.experts is not None and 0.005 < one.experts.share < 0.995:
            given = {right: one.experts.share, wrong: 1 - one.experts.share}
            expected = expected_shares(given, {right: 0.0, wrong: one.share})
            assert expected[right] == pytest.approx(one.experts.expected, abs=6e-4)


def test_the_shares_of_a_board_are_compared_with_the_cards_played() -> None:
    choices = list(expert_shares.asked(boards(played(1), length=20), 0, seed=1))
    assert choices
    for one in choices:
        assert one.network.sum() == pytest.approx(1)
        assert one.corrected.sum() == pytest.approx(1)
        assert not one.loses.all()
        assert 0 <= one.played < len(one.network)
        if one.loses.any():
            assert one.corrected[one.loses].sum() <= one.network[one.loses].sum()
    assert "log score" in [*expert_shares.rows(choices, corrected=True)][-1]
    assert len([*expert_shares.lost(choices)]) in (0, 2)


def test_the_package_expects_as_many_experts_as_found_its_answers() -> None:
    experts = [one.experts for one in shipped().puzzles if one.experts is not None]
    found = sum(one.found for one in experts) / sum(one.tables for one in experts)
    assert np.mean([one.expected for one in experts]) == pytest.approx(found, abs=0.02)


def test_what_experts_did_is_told_without_names() -> None:
    told = [one.explanation for one in shipped().puzzles if one.experts is not None]
    assert told
    for text in told:
        assert "of experts find it" in text
        assert "The expert at the table" in text or "experts in this very position" in text


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    assert "no such file" in refusal("puzzles", "make", "--boards", "nowhere.npz", "--out", out)
    both = ("puzzles", "make", "--boards", "nowhere.npz", "--book", "--out", out)
    assert "--boards searches all choices" in refusal(*both)
