"""Tricks that the forecast from 26 cards expects, on the device that trains."""

from __future__ import annotations

from importlib import resources

import numpy as np
import torch
from torch import Tensor

from tribridge.forecast.learn import Shape, SuitNet, bits, moments
from tribridge.learning.deals import Expected


def forecast(device: torch.device) -> Expected:
    """The package's forecast from declarer's and dummy's hands, as a function of masks."""
    with resources.files("tribridge.forecast").joinpath("data/net.npz").open("rb") as file:
        arrays = {
            name.removeprefix("pair."): torch.from_numpy(np.ascontiguousarray(value.T))
            for name, value in np.load(file).items()
            if name.startswith("pair.")
        }
    layers = sum(name.startswith("others.") for name in arrays)
    shape = Shape(2, len(arrays["own.0.bias"]), layers, len(arrays["encoder.0.bias"]))
    network = SuitNet(shape)
    network.load_state_dict(arrays)
    network.to(device).eval()

    @torch.no_grad()
    def expected(hands: Tensor, dummies: Tensor) -> Tensor:
        mean, _ = moments(torch.softmax(network(bits(hands, dummies)), -1))
        return mean

    return expected
