"""Whom bidding is trained against: snapshots of its past, simple bidders, copies of callers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from tribridge.files import write_atomic
from tribridge.learning.bidding_games import Bidder, answers_of, best, careless, greedy, sampling
from tribridge.learning.learner import load_checkpoint
from tribridge.learning.networks import SuitNetwork
from tribridge.strategies.callers.observation import SEATS

MIXED: Final = {"snapshot": 4, "expecting": 2, "greedy": 1, "careless": 1}
"""Sixteenths of the games in which these hold one or two of the seats."""
COPIED: Final = {"copy": 5, "snapshot": 3, "greedy": 1, "careless": 1}
"""The same when there is a copy of another caller to play against."""
RESPONSE: Final = {"copy": 16}
"""The same for a best response to that caller."""
Rivals = Sequence[tuple[int, Bidder]]
"""Other bidders, each with the sixteenths of the games in which it holds one or two seats."""


@dataclass(eq=False)
class Pool:
    """Snapshots of the policy, and the network in which one of them is an opponent."""

    opponent: SuitNetwork
    most: int
    weights: list[dict[str, Tensor]] = field(default_factory=list)

    def add(self, network: nn.Module) -> None:
        """Keep a snapshot; when there are too many, any but the first goes."""
        state = {name: value.half() for name, value in network.state_dict().items()}
        self.weights.append(state)
        if len(self.weights) > self.most:
            del self.weights[int(torch.randint(1, self.most, ()))]

    def draw(self) -> None:
        """Put any snapshot in the opponent's place."""
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
    """The bidders to train against: `opponent` has the weights of a snapshot, `other` is a copy."""
    bidders: dict[str, Bidder] = {
        "snapshot": sampling(opponent, compiled(answers_of)),
        "expecting": best(opponent, 2, compiled(answers_of)),
        "greedy": greedy,
        "careless": careless,
    }
    if other is not None:
        bidders["copy"] = best(other, 0, compiled(answers_of))
    mixed = MIXED if other is None else RESPONSE if response else COPIED
    return [(part, bidders[name]) for name, part in mixed.items()]


def learner_seats(
    count: int, sixteenths: int, seats: Sequence[int], device: torch.device
) -> Tensor:
    """Which seats are the learner's (n, 3): all, but so many (`seats`) in the last games."""
    mixed = count // 16 * sixteenths
    one = torch.eye(SEATS, dtype=torch.bool, device=device)
    patterns = torch.cat([one if number == 1 else ~one for number in seats])
    mine = torch.ones(count, SEATS, dtype=torch.bool, device=device)
    mine[count - mixed :] = patterns[torch.arange(mixed, device=device) % len(patterns)]
    return mine
