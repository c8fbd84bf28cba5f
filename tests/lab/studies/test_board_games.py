"""Networks on the boards of experts, in lockstep and one card after another."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lab.studies.test_experts import board
from tribridge.cards.cards import Card
from tribridge.game.views import view
from tribridge.lab.studies import board_games
from tribridge.lab.studies.experts import asked, chooser
from tribridge.networks.boards import Boards, table_of
from tribridge.strategies.learned.player import preferences

ROWS = [board(number, cards) for number, cards in ((1, 50), (2, 14), (3, 33), (4, 52))]
BOARDS = Boards(*(np.array(column) for column in zip(*ROWS, strict=True)))


@pytest.mark.parametrize("name", sorted(board_games.NETWORKS))
def test_favourites_are_what_the_player_chooses_one_by_one(name: str) -> None:
    together, _ = board_games.preferred(BOARDS, name)
    for at, row in enumerate(ROWS):
        assert together[at].tolist() == asked(*row, chooser(name), 1, at).tolist()


def test_values_are_those_of_the_player() -> None:
    cards, tricks = board_games.preferred(BOARDS)
    for at, (hands, played, contract) in enumerate(ROWS):
        table = table_of(hands, contract)
        for number, index in enumerate(played[:48]):
            assert np.isnan(tricks[at, number]) == (cards[at, number] < 0)
            if index < 0:
                continue
            if cards[at, number] >= 0:
                expected = preferences(view(table, table.turn))[Card(index)]
                assert tricks[at, number] == pytest.approx(expected, abs=1e-3)
            table = table.apply_unchecked(Card(index))


def test_playing_on_makes_the_tricks_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_games, "AT_ONCE", 2)
    jobs = [(0, 0), (0, 29), (1, 13), (2, 20), (3, 45)]
    rows, numbers = (np.array(column) for column in zip(*jobs, strict=True))
    cards, tables = [], []
    for at, number in jobs:
        hands, played, contract = ROWS[at]
        table = table_of(hands, contract)
        for index in played[:number]:
            table = table.apply_unchecked(Card(index))
        cards.append(min(card for card in table.legal if isinstance(card, Card)))
        tables.append(table.apply_unchecked(cards[-1]))
    choose = chooser("learned")
    found = board_games.played_out(BOARDS, rows, numbers, np.array([c.index for c in cards]))
    for table, tricks in zip(tables, found, strict=True):
        while not table.over:
            seen = view(table, table.turn)
            table = table.apply_unchecked(choose(seen, np.random.default_rng(1)))
        assert table.position is not None
        assert table.position.won == tricks
