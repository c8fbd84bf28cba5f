"""Deals played out in lockstep: the cards are those of the strategy `learned`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.library.cli.helpers import refusal, tribridge
from tribridge.cards.cards import Card, Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import SettingError
from tribridge.game.auction import PASS, Bid
from tribridge.game.table import Table, new_table
from tribridge.game.views import view
from tribridge.lab.labels.labels import LabelWork, load_labels, shipped
from tribridge.lab.training.deals import contracts_for
from tribridge.lab.training.real_play import PlayedDeals, RealPlay
from tribridge.networks.play import PlayGames, preferences
from tribridge.strategies import decision_rng
from tribridge.strategies.learned import network
from tribridge.strategies.learned.player import LearnedPlayer
from tribridge.strategies.learned.releases import PLAYERS
from tribridge.strategies.versions import player_version

STRAINS = (Strain.HEARTS, Strain.NOTRUMP)
TIE = 1e-3
"""Preferences closer than this may be ranked differently by another summation order."""


@pytest.fixture(scope="module")
def play() -> RealPlay:
    return RealPlay("cpu", STRAINS)


def table_of(seed: int, number: int, declarer: Seat, bid: Bid) -> Table:
    """The table at the opening lead: declarer bids the contract, the others pass."""
    table = new_table(deal(seed, number), declarer)
    for call in (bid, PASS, PASS):
        table = table.apply(call)
    return table


@pytest.mark.slow
def test_every_card_is_that_of_the_strategy(play: RealPlay) -> None:
    work = LabelWork(3, STRAINS, "one")
    numbers = np.arange(3, dtype=np.uint64)
    hands = work.chairs(numbers, work.masks(0, 3))
    contracts = contracts_for(hands.astype(np.int64), STRAINS, play.expected)
    tables = [
        table_of(3, at // 2, Seat(at // 2 % 3), Bid(int(contracts.level[at]), STRAINS[at % 2]))
        for at in range(len(contracts))
    ]
    player = LearnedPlayer(release=PLAYERS[1])
    games = PlayGames(contracts)
    while not games.over:
        wishes = preferences(network(), *games.observe(), games.legal())
        cards = []
        for at, table in enumerate(tables):
            choice = player.card(view(table, table.turn), decision_rng(1, 0, Seat.NORTH, 0))
            assert isinstance(choice.action, Card)
            assert wishes[at].max() - wishes[at, choice.action.index] < TIE
            cards.append(choice.action.index)
            tables[at] = table.apply(choice.action)
        games.step(np.array(cards))
    outcomes = [table.outcome for table in tables]
    tricks = [outcome.tricks for outcome in outcomes if outcome is not None]
    assert play.tricks(hands).flatten().tolist() == tricks


@pytest.mark.full
def test_batches_of_any_size_give_the_same_tricks(play: RealPlay) -> None:
    labels = shipped().first(2)
    chairs = labels.work.chairs(labels.numbers, labels.hands)
    assert chairs[1].tolist() == labels.hands[0, [1, 2, 3, 0]].tolist()
    in_fours = RealPlay("cpu", STRAINS, at_once=4)
    assert in_fours.tricks(chairs).tolist() == play.tricks(chairs).tolist()
    job = PlayedDeals(LabelWork(2026, STRAINS, player="learned"), play)
    assert job.run((1, 2)).tolist() == play.tricks(chairs[3:]).reshape(1, 3, 2).tolist()
    with pytest.raises(SettingError, match="solved double dummy"):
        job.work.run((0, 1))


@pytest.mark.slow
def test_the_command_plays_into_a_folder(tmp_path: Path) -> None:
    common = ("label", "--out", str(tmp_path), "--player", "learned", "--device", "cpu")
    words = (*common, "--strains", "NT", "--declarers", "one", "--chunk", "2")
    done = tribridge(*words, "--deals", "2")
    assert done.returncode == 0, done.stderr
    assert "2 deals labelled (seed 1, strains NT, one declarer per deal, played by" in done.stdout
    again = json.loads(tribridge(*words, "--deals", "3", "--json").stdout)
    player = str(player_version("learned@1"))
    assert (again["kept"], again["made"], again["player"]) == (2, 1, player)
    labels = load_labels(tmp_path)
    assert labels.work == LabelWork(1, (Strain.NOTRUMP,), "one", player=player)
    assert labels.title == f"3 deals played by {player} of seed 1, one declarer each"
    assert "1, strains NT" in refusal(
        "label", "--out", str(tmp_path), "--strains", "NT", "--declarers", "one"
    )


def test_what_cannot_play_is_refused(tmp_path: Path) -> None:
    out = ("label", "--out", str(tmp_path))
    assert "unknown player 'maxims'" in refusal(*out, "--player", "maxims")
    assert "combined with --player" in refusal(*out, "--player", "learned", "--processes", "2")
    assert "--device needs --player" in refusal(*out, "--device", "cpu")
