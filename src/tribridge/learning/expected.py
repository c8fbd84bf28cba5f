"""The package's forecasts, from a hand alone and with dummy, on the training device."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources

import numpy as np
import torch
from torch import Tensor

from tribridge.forecast.learn import Shape, SuitNet, bits, moments
from tribridge.learning.deals import Expected

Chances = Callable[..., Tensor]
"""From masks of hands, (n,) each, to the chances of 0-13 tricks (n, 5 strains, 14)."""


def chances(name: str, device: torch.device) -> Chances:
    """The forecast `single`, from a declarer's hand, or `pair`, from declarer's and dummy's."""
    with resources.files("tribridge.forecast").joinpath("data/net.npz").open("rb") as file:
        arrays = {
            key.removeprefix(f"{name}."): torch.from_numpy(np.ascontiguousarray(value.T))
            for key, value in np.load(file).items()
            if key.startswith(f"{name}.")
        }
    layers = sum(key.startswith("others.") for key in arrays)
    hands = len(arrays["encoder.0.weight"].T) // 13
    shape = Shape(hands, len(arrays["own.0.bias"]), layers, len(arrays["encoder.0.bias"]))
    network = SuitNet(shape)
    network.load_state_dict(arrays)
    network.to(device).eval()

    @torch.no_grad()
    def run(*masks: Tensor) -> Tensor:
        return torch.softmax(network(bits(*masks)), -1)

    return run


def forecast(device: torch.device) -> Expected:
    """A function from the masks of declarer's and dummy's hands to expected tricks."""
    pair = chances("pair", device)

    def expected(hands: Tensor, dummies: Tensor) -> Tensor:
        mean, _ = moments(pair(hands, dummies))
        return mean

    return expected
