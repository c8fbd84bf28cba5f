"""Bidding learns and keeps what it learned."""

from __future__ import annotations

import copy
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[learn]'")

from tribridge.cards.cards import Hand  # noqa: E402
from tribridge.cards.deals import Seat  # noqa: E402
from tribridge.common.errors import SettingError  # noqa: E402
from tribridge.game.laws import find_laws  # noqa: E402
from tribridge.game.scoring import find_scheme  # noqa: E402
from tribridge.game.standing import RubberState, Standing  # noqa: E402
from tribridge.lab.training.bidders import MIXED, answers_of, make_rivals  # noqa: E402
from tribridge.lab.training.bidding import (  # noqa: E402
    BiddingPiece,
    BiddingSize,
    hopeful,
    play_out,
    train,
)
from tribridge.lab.training.bidding_games import Dealing, careless, learner_seats, play  # noqa: E402
from tribridge.lab.training.learner import TrainingError  # noqa: E402
from tribridge.lab.training.networks import SuitNetwork, export  # noqa: E402
from tribridge.networks.auction import (  # noqa: E402
    KIND,
    PASS,
    STAKES_KIND,
    AuctionGames,
    by_call,
    expand,
)
from tribridge.networks.network import load_network  # noqa: E402
from tribridge.networks.stakes import Game, features, own_honours  # noqa: E402

torch.set_num_threads(1)
CPU = torch.device("cpu")
SMALL = BiddingSize(width=24, layers=1, critic_width=24, critic_layers=1, scheme="auction")
SHORT = BiddingPiece(
    batches=2, games=96, minibatch=64, rate=(3e-3, 1e-3), compiled=False, log_every=0, measured=48,
    imitation=1,
)  # fmt: skip


@pytest.fixture(scope="module")
def dealing() -> Dealing:
    return Dealing({Game(find_scheme("auction")): 1.0}, CPU, doubles=0.5)


def quiet(_: str) -> None:
    pass


def test_numpy_makes_the_calls_that_pytorch_makes(dealing: Dealing) -> None:
    torch.manual_seed(1)
    policy = SuitNetwork(KIND, 24, 2)
    torch.nn.init.normal_(policy.out.weight)
    policy.half().float()  # the weights as the file has them
    network = load_network(BytesIO(export(policy)), "the export", KIND)
    hands = dealing.deal(8).hands
    games = AuctionGames(8, CPU)
    for _ in range(3):
        numbers = games.observe(hands)
        with torch.no_grad():
            expected = answers_of(policy, numbers).numpy()
        found = by_call(network(*expand(numbers.numpy(), np.float32)))
        np.testing.assert_allclose(found, expected, atol=2e-4)
        games.step(torch.from_numpy(expected[0].argmax(1)))


def test_numpy_reads_the_stakes_that_pytorch_was_trained_on() -> None:
    """In a rubber with honours, under contract with a vulnerable player, and with doubles."""
    laws = find_laws("auction-rubber")
    state = RubberState(laws, Standing((20, 0, 6), (1, 0, 0)))
    settings = [
        Game(laws.scheme, state),
        Game(find_scheme("contract"), None, (Seat.EAST,)),
    ]
    policy = SuitNetwork(STAKES_KIND, 24, 2)
    torch.nn.init.normal_(policy.out.weight)
    policy.half().float()
    network = load_network(BytesIO(export(policy)), "the export", STAKES_KIND)
    for setting in settings:
        torch.manual_seed(1)
        deals = Dealing({setting: 1.0}, CPU, doubles=0.5).deal(12)
        games = AuctionGames(12, CPU, doubles=deals.doubles)
        for call in (3, 36, 37, 8):
            numbers, seat = games.observe(deals.hands), games.caller
            with torch.no_grad():
                expected = answers_of(policy, numbers, deals.own[:, seat]).numpy()
            seen = features(setting, seat)
            stakes = [
                np.concatenate([seen, own_honours(setting, Hand(mask))], 1)
                for mask in deals.hands[:, seat].tolist()
            ]
            found = by_call(network(*expand(numbers.numpy(), np.float32, np.stack(stakes))))
            np.testing.assert_allclose(found, expected, atol=2e-3)
            legal = games.legal() >> call & 1
            games.step(torch.where(legal > 0, call, PASS))


@pytest.mark.parametrize("marks", [0, 2])
def test_answers_are_sorted_by_call(marks: int) -> None:
    """Head, level and strain of each answer, in a network whose answers say what they are."""
    answers, shared = torch.zeros(1, 4, 45 + 3 * marks), 8 + marks
    for suit in range(4):
        for head in range(3):
            for level in range(7):
                answers[0, suit, 7 * head + level] = 100 * head + 5 * level + suit
                answers[0, :, 21 + shared * head + level] = 100 * head + 5 * level + 4
            for mark in range(1 + marks):
                answers[0, :, 21 + shared * head + 7 + mark] = 100 * head + PASS + mark
    expected = [[100 * head + call for call in range(36 + marks)] for head in range(3)]
    assert by_call(answers)[:, 0].tolist() == expected


def test_training_auctions_are_legal_and_end(dealing: Dealing) -> None:
    """Every call is allowed, all auctions are over, and only the learner's choices are learned."""
    torch.manual_seed(3)
    policy = SuitNetwork(STAKES_KIND, 8, 1)
    torch.nn.init.normal_(policy.out.weight)
    deals = dealing.deal(96)
    rivals = make_rivals(copy.deepcopy(policy), {}, MIXED)
    mine = learner_seats(96, sum(part for part, *_ in rivals), (1, 2), CPU)
    with torch.no_grad():
        numbers, legal, call, _, going, free, *last = play_out(
            policy, rivals, answers_of, mine, deals.hands, deals.own, deals.doubles
        )
    assert (legal >> call & 1)[going].all()
    assert mine[:48].all()
    assert (mine[48:].sum(1) > 0).all()
    assert (mine[48:].sum(1) < 3).all()
    assert (call > PASS).any(), "nobody doubles"
    games = AuctionGames(96, CPU, doubles=deals.doubles)
    for at in range(len(call)):
        assert torch.equal(games.observe(deals.hands), numbers[at])
        assert not (free[at] & ~mine[:, games.caller]).any()
        assert not (free[at] & ~going[at]).any()
        games.step(call[at])
    assert games.over.all()
    end = games.bids, games.passes, games.standing, games.bidder, games.doubled
    assert all(map(torch.equal, end, last))


def test_training_goes_on_in_another_folder(tmp_path: Path) -> None:
    first = train(tmp_path / "first", SMALL, SHORT, say=quiet)
    with pytest.raises(SettingError, match="already holds a training run"):
        train(tmp_path / "first", SMALL, SHORT, say=quiet)
    slow = replace(SHORT, rate=(0.0, 0.0))
    second = train(tmp_path / "second", SMALL, slow, start=tmp_path / "first", say=quiet)
    for one, two in zip(first.average.parameters(), second.policy.parameters(), strict=True):
        assert torch.allclose(one, two, atol=1e-2)
    narrower = replace(SMALL, width=8)
    with pytest.raises(SettingError, match="not the weights of this network"):
        train(tmp_path / "third", narrower, SHORT, start=tmp_path / "first", say=quiet)
    wider = train(
        tmp_path / "wider", replace(SMALL, width=32), slow, start=tmp_path / "first", say=quiet
    )
    suits, table = torch.rand(5, 4, first.policy.kind.suit), torch.rand(5, first.policy.kind.table)
    with torch.no_grad():
        assert torch.allclose(second.policy(suits, table), wider.policy(suits, table), atol=1e-3)


def test_failing_costs_little_at_first(dealing: Dealing) -> None:
    """What others win of a contract that fails shrinks alike; one that makes pays in full."""
    deals = dealing.deal(40)
    bidder = careless(CPU)
    games = play(bidder, bidder, torch.ones(40, 3, dtype=torch.bool), deals, dealing)
    paid = dealing.payoffs(games, deals)
    hopes = hopeful(dealing.payoffs, torch.tensor(0.25), games, deals)
    declarer = paid.gather(1, (games.bidder % 3)[:, None])[:, 0]
    assert (declarer < 0).any()
    assert (declarer > 0).any()
    assert torch.equal(hopes[declarer >= 0], paid[declarer >= 0])
    assert torch.allclose(hopes[declarer < 0], 0.25 * paid[declarer < 0])


def test_a_loss_that_is_no_number_stops_the_training(tmp_path: Path) -> None:
    wild = replace(SHORT, rate=(float("nan"), 1.0), batches=5)
    with pytest.raises(TrainingError, match="not finite"):
        train(tmp_path, SMALL, wild, say=quiet)
    assert not (tmp_path / "bidding.npz").exists()
