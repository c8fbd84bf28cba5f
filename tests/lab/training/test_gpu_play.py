"""PyTorch plays the games that NumPy plays, on a GPU as captured graphs."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[learn]'")

from tribridge.cards.cards import FULL_DECK  # noqa: E402
from tribridge.cards.dealer_arrays import deal_masks  # noqa: E402
from tribridge.common.arrays import Array, fetch, namespace, put  # noqa: E402
from tribridge.lab.training.deals import RuleContracts, deal_hands  # noqa: E402
from tribridge.lab.training.learner import Graph  # noqa: E402
from tribridge.lab.training.networks import shipped  # noqa: E402
from tribridge.lab.training.play import PlayedOut  # noqa: E402
from tribridge.lab.training.real_play import RealPlay  # noqa: E402
from tribridge.networks.auction import AuctionGames, Contracts  # noqa: E402
from tribridge.networks.play import PlayGames, expand, only_card  # noqa: E402
from tribridge.strategies.learned import network  # noqa: E402
from tribridge.strategies.learned.search import play_out  # noqa: E402

torch.set_num_threads(1)
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU that PyTorch can use")


def test_pytorch_plays_the_cards_that_numpy_plays() -> None:
    contracts = RuleContracts(FULL_DECK).deal(6, np.random.default_rng(1))
    tensors = [torch.from_numpy(part) for part in contracts.columns()]
    won = PlayedOut(shipped("play.npz.split", torch.device("cpu")))(Contracts(*tensors))
    assert won.tolist() == play_out(network(), PlayGames(contracts)).tolist()


def lowest(legal: Array) -> Array:
    """The first of the legal actions."""
    return only_card(legal & -legal)


def cards(*contracts: Array) -> tuple[Array, ...]:
    """Games of lowest cards: everything that is seen in them, and the tricks."""
    games = PlayGames(Contracts(*contracts))
    seen = []
    while games.cards < 48:
        masks, numbers = games.observe()
        features = expand(masks, numbers, namespace(masks).float32)
        seen.append([part.sum() for part in (masks, numbers, games.others(), *features)])
        games.step(lowest(games.legal()))
    return (*(part for parts in seen for part in parts), games.finish(), games.won)


def calls(hands: Array) -> tuple[Array, ...]:
    """Auctions in which everybody takes turns to bid a little higher, up to the end."""
    games = AuctionGames(len(hands), hands.device)
    seen = []
    for _ in range(39):
        seen.append(games.observe(hands).sum(0))
        games.step(lowest(games.legal() | 1 << 40) % 40)
    return (*seen, games.standing, games.bidder, games.over)


@needs_gpu
def test_captured_games_are_those_of_numpy() -> None:
    rng = np.random.default_rng(1)
    graph = None
    for _ in range(2):  # the second run is a replay on other deals
        contracts = RuleContracts(FULL_DECK).deal(500, rng).columns()
        on_gpu = [put(part, torch.device("cuda")) for part in contracts]
        graph = graph or Graph(cards, on_gpu)
        for one, two in zip(cards(*contracts), graph(*on_gpu), strict=True):
            assert np.array_equal(one, fetch(two))


@needs_gpu
def test_captured_auctions_are_those_of_numpy() -> None:
    hands = deal_hands(500, FULL_DECK, np.random.default_rng(1))
    on_gpu = put(hands, torch.device("cuda"))
    for one, two in zip(calls(hands), Graph(calls, [on_gpu])(on_gpu), strict=True):
        assert np.array_equal(one, fetch(two))


@needs_gpu
def test_a_gpu_plays_nearly_as_the_processor_does() -> None:
    """Bfloat16 now and then prefers another of two nearly equal cards."""
    chairs = deal_masks(3, 0, 60)[:, [0, 1, 3, 2]]
    on_gpu, on_cpu = (RealPlay(device, at_once=64).tricks(chairs) for device in ("cuda", "cpu"))
    assert on_gpu.shape == on_cpu.shape == (60, 5)
    assert abs((on_gpu.astype(float) - on_cpu).mean()) < 0.1
    assert (on_gpu == on_cpu).mean() > 0.6
