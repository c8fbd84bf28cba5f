"""Bidding is trained on tiny decks as they are: legal calls, double-dummy payoffs."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed: pip install 'tribridge[learn]'"
)

from tribridge.cards import Deck, parse_deck  # noqa: E402
from tribridge.deals import Seat  # noqa: E402
from tribridge.double_dummy.solving import DoubleDummy  # noqa: E402
from tribridge.errors import SettingError  # noqa: E402
from tribridge.game.auction import Bid, Contract  # noqa: E402
from tribridge.game.match import settle  # noqa: E402
from tribridge.game.scoring import find_scheme, scores  # noqa: E402
from tribridge.game.table import Outcome  # noqa: E402
from tribridge.learning.bidding import (  # noqa: E402
    BiddingPiece,
    BiddingSize,
    play_out,
    train,
)
from tribridge.learning.bidding_games import answers_of, careless, play  # noqa: E402
from tribridge.learning.networks import make_bidder  # noqa: E402
from tribridge.learning.rivals import learner_seats, make_rivals  # noqa: E402
from tribridge.learning.tiny.auctions import AuctionGame  # noqa: E402
from tribridge.learning.tiny.layouts import Layouts  # noqa: E402
from tribridge.learning.tiny.policies import (  # noqa: E402
    greedy_calls,
    learned_calls,
    load_bidder,
)
from tribridge.learning.tiny_deals import TinyDealing  # noqa: E402

torch.set_num_threads(1)
CPU = torch.device("cpu")
SCHEME = find_scheme("auction")


@pytest.mark.parametrize("name", ["2x4", "4x2"])
def test_payoffs_are_half_the_settlement_of_the_double_dummy_tricks(name: str) -> None:
    torch.manual_seed(2)
    deck = parse_deck(name)
    dealing, truth = TinyDealing(SCHEME, CPU, deck), DoubleDummy(deck)
    deals = dealing.deal(60)
    everywhere = torch.ones(60, 3, dtype=torch.bool)
    payoffs, games = play(careless, careless, everywhere, deals, dealing)
    contracts = 0
    for row in range(60):
        bid, declarer = games.standing[row].item() - 1, games.bidder[row].item()
        if bid < 0:
            assert not payoffs[row].any()
            continue
        hands = deals.hands[row].tolist()
        around = (hands[declarer], hands[(declarer + 1) % 3], hands[3], hands[(declarer + 2) % 3])
        strain = next(strain for strain in deck.strains if strain == bid % 5)
        contract = Contract(Bid(1 + bid // 5, strain), Seat(declarer))
        outcome = Outcome(contract, truth.tricks(around, strain))
        paid = [float(points) / 2 for points in settle(scores(outcome, SCHEME, deck))]
        assert payoffs[row].tolist() == pytest.approx(paid)
        contracts += 1
    assert contracts > 20


def test_the_greedy_bidder_is_that_of_the_solved_game() -> None:
    deck = Deck(2, 4)
    torch.manual_seed(3)
    deals = TinyDealing(SCHEME, CPU, deck).deal(20)
    layouts = Layouts(deck)
    values = greedy_calls(AuctionGame(layouts, SCHEME), 0)[:, 1:]  # without the pass
    places = {mask: at for at, mask in enumerate(layouts.hands.tolist())}
    for row in range(20):
        for seat in range(3):
            own = deals.own[row, seat, [0, 1, 4]].tolist()
            assert own == pytest.approx(values[places[deals.hands[row, seat].item()]], abs=1e-4)


@pytest.mark.parametrize("name", ["2x4", "4x2", "2x6"])
def test_training_auctions_are_legal(name: str) -> None:
    """All bidders, the careless one too, make calls of the deck."""
    torch.manual_seed(3)
    deck = parse_deck(name)
    policy = make_bidder(8, 1)
    torch.nn.init.normal_(policy.out.weight)
    deals = TinyDealing(SCHEME, CPU, deck).deal(160)
    rivals = make_rivals(copy.deepcopy(policy), None, lambda function: function, response=False)
    mine = learner_seats(160, sum(part for part, _ in rivals), (1, 2), CPU)
    with torch.no_grad():
        _, legal, call, _, going, *_ = play_out(
            policy, rivals, answers_of, 18, mine, deals.hands, deals.own, deck
        )
    assert (legal >> call & 1)[going].all()
    strains = {int(strain) for strain in deck.strains}
    bids = call[going & (call < 35)]
    assert {bid % 5 for bid in bids.tolist()} <= strains
    assert (bids // 5).max() < deck.levels


def test_a_trained_bidder_can_be_measured(tmp_path: Path) -> None:
    size = BiddingSize(width=8, layers=1, critic_width=8, critic_layers=1, suits=2, ranks=4)
    piece = BiddingPiece(
        batches=2, games=64, minibatch=32, compiled=False, log_every=0, measured=48, imitation=1
    )  # fmt: skip
    train(tmp_path, size, piece, say=lambda line: None)
    game = AuctionGame(Layouts(Deck(2, 4)), SCHEME)
    wishes = learned_calls(load_bidder(tmp_path / "bidding.npz"))(game, 0)
    assert wishes.shape == (28, 4)


def test_decks_between_tiny_and_full_are_refused(tmp_path: Path) -> None:
    size = BiddingSize(width=8, layers=1, suits=4, ranks=4)
    with pytest.raises(SettingError, match=r"4x4 has 16 cards.*at most 12"):
        train(tmp_path, size, BiddingPiece(batches=1), say=lambda line: None)
