"""The package's forecasts, from a hand alone and with dummy, where the games are played."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from tribridge.arrays import Array, Place, namespace
from tribridge.forecast.net import Net
from tribridge.training.deals import Expected

Chances = Callable[..., Array]
"""From masks of hands, (n,) each, to the chances of 0-13 tricks (n, 5 strains, 14)."""


def chances(name: str, place: Place | str) -> Chances:
    """The forecast `single`, from a declarer's hand, or `pair`, from declarer's and dummy's."""
    if namespace(place) is np:
        network = getattr(Net.load(), name)

        def run(*masks: NDArray[np.int64]) -> Array:
            return network.chances(*(mask.astype(np.uint64) for mask in masks))

        return run
    return _on_device(name, place)


def _on_device(name: str, device: Place) -> Chances:
    import torch

    from tribridge.training.forecast import Shape, SuitNet, bits

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
    def run(*masks: Array) -> Array:
        return torch.softmax(network(bits(*masks)), -1)

    return run


def forecast(place: Place | str) -> Expected:
    """A function from the masks of declarer's and dummy's hands to expected tricks."""
    pair = chances("pair", place)

    def expected(hands: Array, dummies: Array) -> Array:
        tricks = pair(hands, dummies)
        xp = namespace(tricks)
        return tricks @ xp.arange(tricks.shape[-1], dtype=tricks.dtype, device=tricks.device)

    return expected
