"""The opponents for training bidding: past snapshots, simple bidders, copies of callers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from tribridge.files import write_atomic
from tribridge.training.bidders import answers_of, best, sampling
from tribridge.training.bidding_games import Bidder, careless, greedy
from tribridge.training.learner import load_checkpoint
from tribridge.training.networks import SuitNetwork

MIXED: Final = {"snapshot": 4, "expecting": 2, "greedy": 1, "careless": 1}
"""How many sixteenths of the games have each of these bidders in one or two seats."""
COPIED: Final = {"copy": 10, "snapshot": 2, "greedy": 1}
"""The same when there is a copy of another caller as an opponent."""
RESPONSE: Final = {"copy": 16}
"""The same when training a best response to that caller."""
Rivals = Sequence[tuple[int, Bidder]]
"""Opposing bidders, each with the sixteenths of the games in which it has one or two seats."""


@dataclass(eq=False)
class Pool:
    """Snapshots of the policy, and the network that plays as one of them."""

    opponent: SuitNetwork
    most: int
    weights: list[dict[str, Tensor]] = field(default_factory=list)

    def add(self, network: nn.Module) -> None:
        """Keep a snapshot; if there are too many, drop a random one other than the first."""
        state = {name: value.half() for name, value in network.state_dict().items()}
        self.weights.append(state)
        if len(self.weights) > self.most:
            del self.weights[int(torch.randint(1, self.most, ()))]

    def draw(self) -> None:
        """Load a random snapshot into the opponent."""
        at = int(torch.randint(len(self.weights), ()))
        self.opponent.load_state_dict(self.weights[at])

    def save(self, path: Path) -> None:
        buffer = BytesIO()
        torch.save({"snapshots": self.weights}, buffer)
        write_atomic(path, buffer.getvalue())

    def load(self, path: Path, device: str) -> None:
        self.weights = list(load_checkpoint(path, device)["snapshots"])


def make_rivals(
    opponent: nn.Module, other: nn.Module | None, compiled: Any, *, response: bool
) -> Rivals:
    """The bidders to train against: `opponent` has a snapshot's weights, `other` is a copy."""
    bidders: dict[str, Bidder] = {
        "snapshot": sampling(opponent, compiled(answers_of)),
        "expecting": best(opponent, 2, compiled(answers_of)),
        "greedy": greedy,
        "careless": careless(next(opponent.parameters()).device),
    }
    if other is not None:
        bidders["copy"] = best(other, 0, compiled(answers_of))
    mixed = MIXED if other is None else RESPONSE if response else COPIED
    return [(part, bidders[name]) for name, part in mixed.items()]
