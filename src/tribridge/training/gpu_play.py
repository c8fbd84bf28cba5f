"""The package's card-play network in PyTorch, and its games on a GPU (`real_play`)."""

from __future__ import annotations

from functools import partial
from importlib import resources
from typing import Any, Final

import torch
from torch import Tensor, nn

from tribridge.strategies.learned.auction import Contracts
from tribridge.strategies.learned.play import PlayGames
from tribridge.training.learner import Size, load_weights
from tribridge.training.networks import make_policy
from tribridge.training.ppo import columns, half, preferences
from tribridge.training.running import Graph

CUDA: Final = torch.device("cuda")


def shipped_policy(device: torch.device) -> nn.Module:
    """The network that plays as the strategy `learned`."""
    network = make_policy(Size().width, Size().layers)
    data = resources.files("tribridge.strategies.learned").joinpath("data/play.npz")
    with resources.as_file(data) as path:
        load_weights(network, path)
    return network.to(device).eval()


def play_best(policy: nn.Module, choose: Any, *contracts: Tensor) -> Tensor:
    """Tricks of declarer's side if every chair plays the card that the policy prefers."""
    games = PlayGames(Contracts(*contracts))
    while games.cards < 4 * (games.size - 1):
        masks, numbers = games.observe()
        with half(masks.device):
            card = choose(policy, masks, numbers, games.legal()).argmax(1)
        games.step(card)
    games.finish()
    return games.won.to(torch.int8)


class GpuPlay:
    """Games of the network as a captured graph, which has the size of the first contracts."""

    def __init__(self) -> None:
        choose = torch.compile(preferences, dynamic=False)
        self._play = partial(play_best, shipped_policy(CUDA), choose)
        self._graph: Graph | None = None

    @torch.no_grad()
    def __call__(self, contracts: Contracts) -> Tensor:
        parts = columns(contracts)
        self._graph = self._graph or Graph(self._play, parts)
        return self._graph(*parts).clone()
