"""Copies of callers: networks that imitate a registered caller and run thousands of times faster.

A caller that weighs hundreds of layouts per call is too slow as an opponent in millions of
auctions. Its copy learns from the choices that `calls` collects and can then be one of the bidders
that `bidding` trains against.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tribridge.errors import NotFoundError, SettingError
from tribridge.files import write_atomic
from tribridge.strategies.learned.auction import by_standing
from tribridge.training.bidders import answers_of, log_chances
from tribridge.training.learner import export, load_weights, read_arrays
from tribridge.training.networks import SuitNetwork, make_bidder
from tribridge.training.ppo import half

WIDTH: Final = 256
LAYERS: Final = 4
HELD_OUT: Final = 20
"""One call in this many is held out to evaluate the copy."""


def train_copy(
    rows: NDArray[np.int64],
    *,
    steps: int = 12_000,
    batch: int = 4096,
    rate: float = 1e-3,
    device: str = "cpu",
    seed: int = 1,
    say: Callable[[str], None] = print,
) -> tuple[SuitNetwork, float]:
    """A network trained to make the calls of `rows`, and its accuracy on the held-out rows.

    A row is the ten numbers of an observation followed by the call made.
    """
    torch.manual_seed(seed)
    data = torch.from_numpy(rows).to(device)
    test, data = data[::HELD_OUT], data[torch.arange(len(data), device=device) % HELD_OUT != 0]
    network = make_bidder(WIDTH, LAYERS).to(device)
    speed = torch.zeros((), device=device)
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=speed, weight_decay=0.02, fused=True, capturable=device == "cuda"
    )
    for step in range(steps):
        speed.fill_(rate * min(1.0, 20 * (step + 1) / steps) * (1 - step / steps))
        part = data[torch.randint(len(data), (min(batch, len(data)),), device=device)]
        loss = doubt(network, part)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if (step + 1) % max(1, steps // 8) == 0:
            say(f"step {step + 1}: {loss.item():.3f}, held out {agreement(network, test):.1%}")
    return network, agreement(network, test)


def doubt(network: SuitNetwork, rows: Tensor) -> Tensor:
    """The network's cross-entropy on the calls made."""
    with half(rows.device):
        answers = answers_of(network, rows[:, :-1])
    chances = log_chances(answers[0], by_standing(rows[:, 2]))
    return -chances.gather(1, rows[:, -1:]).mean()


@torch.no_grad()
def agreement(network: SuitNetwork, rows: Tensor) -> float:
    """How often the network's preferred call is the one that was made."""
    with half(rows.device):
        answers = answers_of(network, rows[:, :-1])
    chances = log_chances(answers[0], by_standing(rows[:, 2]))
    return (chances.argmax(1) == rows[:, -1]).float().mean().item()


def save_copy(network: SuitNetwork, path: Path) -> None:
    """Write the weights of a copy."""
    write_atomic(path, export(network))


def load_copy(path: Path, device: torch.device) -> SuitNetwork:
    """A copy from its file, or a trained bidder: the sizes are those of the file."""
    if not path.exists():
        raise NotFoundError(f"{path}: no such file; `tribridge train copy` makes a copy")
    network = make_bidder(*size_of(path))
    load_weights(network, path)
    return network.to(device).requires_grad_(False)


def size_of(path: Path) -> tuple[int, int]:
    """Width and layers of the network in a file."""
    arrays = read_arrays(path)
    if "suit_in.bias" not in arrays:
        raise SettingError(f"{path}: not the weights of a network of this package")
    return len(arrays["suit_in.bias"]), sum(name.startswith("others.") for name in arrays)
