"""Networks as bidders, for `bidding_games.play` and as opponents in training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tribridge.common.arrays import bits
from tribridge.lab.training.bidding_games import careless, greedy
from tribridge.lab.training.deals import Bidder
from tribridge.lab.training.networks import SuitNetwork
from tribridge.lab.training.ppo import HIDDEN, half, pick, precision
from tribridge.lab.training.pytorch import Tensor, nn, torch
from tribridge.networks.auction import (
    BIDS,
    STAKES,
    STAKES_KIND,
    STRAINS,
    by_call,
    expand,
)


def answers_of(network: nn.Module, numbers: Tensor, own: Tensor | None = None) -> Tensor:
    """A bidder network's outputs for every call: (3 heads, n, 36; 38 with stakes).

    `own` is what a `Bidder` is given; a plain network reads nothing of it.
    """
    stakes = None
    if for_stakes(network):
        assert own is not None
        stakes = own[:, BIDS:].reshape(len(own), STRAINS, STAKES)
    return by_call(network(*expand(numbers, precision(numbers), stakes)).float())


def for_stakes(network: Any) -> bool:
    """Whether a network reads what contracts are worth, and doubles."""
    return bool(network.kind == STAKES_KIND)


def log_chances(wish: Tensor, legal: Tensor) -> Tensor:
    """Log probabilities of the calls; illegal ones have probability 0."""
    return torch.log_softmax(wish.masked_fill(~bits(legal, wish.shape[1]), HIDDEN), 1)


def sampling(network: nn.Module) -> Bidder:
    """A bidder that samples its calls from a network."""

    @torch.no_grad()
    def bidder(numbers: Tensor, legal: Tensor, own: Tensor | None) -> Tensor:
        with half(numbers.device):
            wish = answers_of(network, numbers, own)[0]
        return pick(log_chances(wish, legal))

    return bidder


def best(network: nn.Module, head: int = 0) -> Bidder:
    """A bidder that makes a network's preferred call, or the best contract by value (head 2)."""

    @torch.no_grad()
    def bidder(numbers: Tensor, legal: Tensor, own: Tensor | None) -> Tensor:
        with half(numbers.device):
            wish = answers_of(network, numbers, own)[head]
        return wish.masked_fill(~bits(legal, wish.shape[1]), HIDDEN).argmax(1)

    return bidder


MIXED: Final = {"snapshot": 4, "expecting": 2, "greedy": 1, "careless": 1}
"""How many sixteenths of the games have each of these bidders in one or two seats."""
ALONE: Final = {"snapshot": 4, "expecting": 2}
"""The same for a policy that begins with nothing and learns from nobody else."""
COPIED: Final = {"copy": 8, "snapshot": 3, "expecting": 1}
"""The same when there are copies of other callers as opponents, which share theirs."""
RESPONSE: Final = {"copy": 16}
"""The same when training a best response to that caller."""
Rivals = Sequence[tuple[int, Bidder, int]]
"""Opposing bidders, each with the sixteenths of the games in which it has one or two seats, and the
number of the setting of these games (-1: any)."""


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


def make_rivals(
    opponent: nn.Module, others: Mapping[int, nn.Module], mixed: Mapping[str, int]
) -> Rivals:
    """The bidders to train against, in `mixed` sixteenths of the games.

    `opponent` has a snapshot's weights; the others are copies, which bid in the settings with their
    numbers.
    """
    bidders: dict[str, Bidder] = {
        "snapshot": sampling(opponent),
        "expecting": best(opponent, 2),
        "greedy": greedy,
        "careless": careless(next(opponent.parameters()).device),
    }
    rivals = [(part, bidders[name], -1) for name, part in mixed.items() if name != "copy"]
    left = mixed.get("copy", 0)
    for at, (setting, other) in enumerate(others.items()):
        part = -(-left // (len(others) - at))
        left -= part
        rivals.append((part, best(other), setting))
    return rivals
