"""Bidding on a tiny deck by the code of the full one, and the programs of learning curves."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[learn]'")

from benchmarks import curves, curves_tiny  # noqa: E402
from tribridge.lab.studies.curves import tiny_game  # noqa: E402
from tribridge.lab.studies.plans import read_numbers  # noqa: E402
from tribridge.lab.tiny.auctions import AuctionGame  # noqa: E402
from tribridge.lab.tiny.policies import call_strategies  # noqa: E402
from tribridge.lab.tiny.treeplex import random_profile  # noqa: E402
from tribridge.lab.training import bidding  # noqa: E402
from tribridge.lab.training.bidders import answers_of  # noqa: E402
from tribridge.lab.training.bidding_games import BEGINS  # noqa: E402
from tribridge.lab.training.networks import SuitNetwork, save_network  # noqa: E402
from tribridge.lab.training.tiny_bidding import (  # noqa: E402
    TinyDealing,
    network_calls,
    seen_in,
    strategy_target,
    training,
)
from tribridge.networks.auction import KIND, STAKES_KIND, call_number  # noqa: E402

torch.set_num_threads(1)
SIZE = bidding.BiddingSize(width=8, layers=1, critic_width=8, critic_layers=1)
PIECE = bidding.BiddingPiece(
    batches=2, games=64, minibatch=32, imitation=1, doubles=0.0, compiled=False
)


@pytest.fixture(scope="module")
def game() -> AuctionGame:
    return tiny_game()


@pytest.fixture(scope="module")
def dealing(game: AuctionGame) -> TinyDealing:
    return TinyDealing(game)


def test_the_auctions_offer_the_calls_of_the_exact_game(
    game: AuctionGame, dealing: TinyDealing
) -> None:
    for turn in game.tree.turns:
        auctions = dealing.auctions(1, dealing.device)
        for call in turn.auction.calls:
            auctions.step(torch.tensor([call_number(call)]))
        assert int(auctions.legal()) == sum(1 << call_number(call) for call in turn.calls)


def test_deals_pay_what_the_exact_game_pays(game: AuctionGame, dealing: TinyDealing) -> None:
    """In proportion: whoever declares gets from each of the others half of what they get."""
    torch.manual_seed(1)
    deals = dealing.deal(50)
    auctions = dealing.auctions(50, dealing.device)
    for call in (0, 35, 35):  # the dealer's 1♣
        auctions.step(torch.full((50,), call))
    paid = dealing.payoffs(auctions, deals)
    assert paid.sum(1).abs().max() < 1e-4
    assert torch.equal(paid[:, 1], paid[:, 2])
    passed = dealing.auctions(50, dealing.device)
    for _ in range(3):
        passed.step(torch.full((50,), 35))
    assert not dealing.payoffs(passed, deals).any()


def test_a_profile_to_imitate_is_found_by_what_is_seen(
    game: AuctionGame, dealing: TinyDealing
) -> None:
    profile = random_profile(game, 3)
    target = strategy_target(game, dealing, profile)
    for at, turn in enumerate(game.tree.turns):
        seen = seen_in(game, dealing, at)
        chances = target(seen, torch.ones(len(seen), 38, dtype=torch.bool), dealing.alone)
        assert chances.sum(1).numpy() == pytest.approx(1)
        for option, call in enumerate(turn.calls):
            expected = profile[turn.seat][game.sequences(at, option)]
            assert chances[:, call_number(call)].numpy() == pytest.approx(expected)


def test_a_network_calls_alike_in_lockstep_and_in_the_exact_game(
    game: AuctionGame, dealing: TinyDealing
) -> None:
    torch.manual_seed(2)
    network = SuitNetwork(STAKES_KIND, 8, 1)
    torch.nn.init.normal_(network.out.weight)
    (first, *_) = call_strategies(game, network_calls(dealing, network), best=True)
    deals = dealing.deal(40)
    with torch.no_grad():
        auctions = dealing.auctions(40, dealing.device)
        seen = auctions.observe(deals.hands)
        wish = answers_of(network, seen, deals.own[:, 0])[0]
    legal = [call_number(call) for call in game.tree.turns[0].calls]
    chosen = wish[:, legal].argmax(1).numpy()
    hands = game.layouts.hands.tolist()
    for mask, option in zip(deals.hands[:, 0].tolist(), chosen, strict=True):
        assert first[game.sequences(0, int(option))[hands.index(mask)]] == 1


def test_imitation_comes_closer_to_its_teacher(game: AuctionGame, dealing: TinyDealing) -> None:
    """The chance of the call that a teacher always makes grows: here, to pass."""
    passing = [0.0 * tree.uniform() for tree in game.trees]
    for at, turn in enumerate(game.tree.turns):
        passing[turn.seat][game.sequences(at, [str(c) for c in turn.calls].index("Pass"))] = 1
    target = strategy_target(game, dealing, passing)
    piece = bidding.BiddingPiece(
        batches=8, games=64, minibatch=32, imitation=8, doubles=0.0, rate=(1e-2, 1e-2),
        compiled=False,
    )  # fmt: skip
    shares = []
    for learner in training(dealing, SIZE, piece, 1, target=target, kept=(0, 8)):
        wish = network_calls(dealing, learner.policy)(game, 0)
        option = [str(call) for call in game.tree.turns[0].calls].index("Pass")
        chances = torch.softmax(torch.tensor(wish), 1)[:, option]
        shares.append(float(chances.mean()))
    assert shares[1] > shares[0] + 0.1


def test_a_run_is_the_same_twice_and_kept_where_it_was_asked(dealing: TinyDealing) -> None:
    def weights() -> list[tuple[int, int, float]]:
        return [
            (learner.batches, learner.games, float(learner.policy.out.bias.detach().sum()))
            for learner in training(dealing, SIZE, PIECE, 5, kept=(0, 2))
        ]

    first = weights()
    assert [row[:2] for row in first] == [(0, 0), (2, 128)]
    assert weights() == first


def test_eight_cards_are_trained_and_judged(
    game: AuctionGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curves_tiny, "MARKS", (0, 1, 2))
    sizes = {**read_numbers("curves")["sizes"], "tiny_batches": 2, "tiny_games": 64,
             "tiny_imitation": 1, "tiny_width": 8, "tiny_solved": 2}  # fmt: skip
    for begins in BEGINS:
        rows, network = curves_tiny.run_of(game, begins, 1, sizes)
        assert [row["games"] for row in rows] == [0, 64, 128]
        assert all(row["gained"] >= 0 for row in rows)
        assert network is not None


SMALL = curves.Sizes(4, 64, 1, 1, 64, minibatch=32, compiled=False)


@pytest.mark.slow
def test_the_full_deck_is_trained_answered_and_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [curves.Run("nothing", 8, 0), curves.Run("experts", 8, 1)]
    monkeypatch.setattr(curves, "runs", lambda: runs)
    monkeypatch.setattr(curves, "answered", lambda run, mark, sizes: mark == 4)
    for run in runs:
        made = partial(curves.train_run, run, sizes=SMALL, device="cpu")
        assert curves.whole(tmp_path / run.name, made)
        assert not curves.whole(tmp_path / run.name, made), "what is there is not made again"
        answer = partial(
            curves.train_response, run, tmp_path / run.name / "4", sizes=SMALL, device="cpu"
        )
        curves.whole(tmp_path / f"{run.name}-response-4", answer)
    rows = list(curves.judge(tmp_path, SMALL, "cpu"))
    assert [row["games"] for row in rows] == 2 * [mark * 64 for mark in SMALL.marks]
    assert ["gained" in row for row in rows] == 2 * [False, False, False, True]
    json.dumps(rows)


def test_what_was_cut_off_is_begun_again(tmp_path: Path) -> None:
    def broken(folder: Path) -> None:
        folder.mkdir()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        curves.whole(tmp_path / "run", broken)
    assert not (tmp_path / "run").exists()
    assert curves.whole(tmp_path / "run", Path.mkdir)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_the_marks_of_the_plan_have_the_end_of_the_imitation() -> None:
    sizes = curves.sizes_of(1.0, "cuda")
    assert {0, sizes.imitation, sizes.batches} <= set(sizes.marks)
    tiny = read_numbers("curves")["sizes"]
    assert {0, tiny["tiny_imitation"], tiny["tiny_batches"]} <= set(curves_tiny.MARKS)


def test_a_network_without_doubles_can_be_imitated(tmp_path: Path) -> None:
    save_network(SuitNetwork(KIND, 8, 1), tmp_path / "teacher.npz")
    lines: list[str] = []
    learner = bidding.train(
        tmp_path / "run", bidding.BiddingSize(8, 1, 8, 1, scheme="auction"),
        bidding.BiddingPiece(
            batches=2, games=64, minibatch=32, imitation=2, compiled=False, measured=16
        ),
        teacher=tmp_path / "teacher.npz", kept=(0, 2), say=lines.append,
    )  # fmt: skip
    assert learner.batches == 2
    for mark in ("0", "2"):
        assert (tmp_path / "run" / mark / "bidding.npz").exists()
        assert (tmp_path / "run" / mark / "critic.npz").exists()
