"""The networks in PyTorch, for training; `networks.network` runs them in NumPy.

In card play the policy outputs three numbers for each card: a preference for playing it, a belief
about who holds it (whether declarer does, for a defender; whether the next player does, for
declarer), and the tricks that declarer's side still takes if it is played. The critic sees all
hands and outputs the chances of every number of tricks that declarer can end with, in the position
and after each card.

In the auction the policy outputs three numbers for each call: a preference for making it, the
caller's expected points if it is made, and the caller's points if that bid became the contract (for
a pass: if the standing bid did). The critic sees the value of every contract to every player and
outputs each player's expected points.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tribridge.errors import NotFoundError, SettingError, first_line
from tribridge.files import write_atomic
from tribridge.networks import auction, play, values
from tribridge.networks.network import NetworkKind
from tribridge.strategies import learned

POINTS_TABLE: Final = play.POINTS_KIND.table
VALUES: Final = 2 * auction.SEATS**2 * auction.LEVELS
"""The bidding critic's inputs for each strain: what contracts are worth, by declarer and doubling,
to the caller and the next player."""


class SuitNetwork(nn.Module):
    """One network shared by all four suits, which interact through their mean."""

    def __init__(self, suit: int, table: int, width: int, layers: int, outputs: int) -> None:
        super().__init__()
        self.suit_in = nn.Linear(suit, width)
        self.table_in = nn.Linear(table, width, bias=False)
        self.own = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.others = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))
        self.out = nn.Linear(width, outputs)
        self.out_others = nn.Linear(width, outputs, bias=False)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out_others.weight)

    def forward(self, suits: Tensor, table: Tensor) -> Tensor:
        """From features (n, 4, f) and (n, g) to outputs (n, 4, outputs)."""
        x = torch.relu(self.suit_in(suits) + self.table_in(table).unsqueeze(1))
        for own, others in zip(self.own, self.others, strict=True):
            x = x + torch.relu(own(x) + others(x.mean(1)).unsqueeze(1))
        answers: Tensor = self.out(x) + self.out_others(x.mean(1)).unsqueeze(1)
        return answers


def make_policy(width: int, layers: int, table: int = play.TABLE_FEATURES) -> SuitNetwork:
    """A network that plays cards; one for points reads `POINTS_TABLE` features of the table."""
    return SuitNetwork(play.SUIT_FEATURES, table, width, layers, play.OUTPUTS)


def make_critic(width: int, layers: int, table: int = play.TABLE_FEATURES) -> SuitNetwork:
    """A network that values positions with all cards visible."""
    return SuitNetwork(values.KIND.suit, table, width, layers, values.KIND.outputs)


def make_bidder(width: int, layers: int, kind: NetworkKind = auction.KIND) -> SuitNetwork:
    """A network that makes calls, of the kind `KIND` or `STAKES_KIND`."""
    return SuitNetwork(kind.suit, kind.table, width, layers, kind.outputs)


def make_bidding_critic(width: int, layers: int) -> SuitNetwork:
    """A network that values auctions with all cards visible."""
    suit = auction.SUIT_FEATURES - auction.RANKS + VALUES
    table = auction.TABLE_FEATURES + auction.SEATS + 1 + VALUES
    return SuitNetwork(suit, table, width, layers, auction.SEATS)


def make_payoffs(width: int, layers: int) -> SuitNetwork:
    """A network that gives the tricks of contracts (`training.payoffs`)."""
    tricks = values.OUTCOMES * auction.LEVELS
    return SuitNetwork(4 * auction.RANKS + 1, 1, width, layers, tricks)


SHIPPED: Final = Path(learned.__file__).parent / "data"
"""The folder of the package's networks."""


def shipped_bidder(device: torch.device) -> SuitNetwork:
    """The network of the package that bids for stakes."""
    return load_bidder(SHIPPED / "stakes.npz", device)


def shipped_policy(device: torch.device, name: str = "play.npz") -> SuitNetwork:
    """The network of the package that plays for tricks, or another one."""
    return load_policy(SHIPPED / name, device)


def load_policy(path: Path, device: torch.device) -> SuitNetwork:
    """A network that plays cards, for tricks or for points, from its file."""
    arrays = read_arrays(path) if path.exists() else {}
    points = len(arrays.get("table_in.weight", np.empty(0)).T) == POINTS_TABLE
    return load_network(
        partial(make_policy, table=POINTS_TABLE) if points else make_policy, path, device
    )


def load_bidder(path: Path, device: torch.device) -> SuitNetwork:
    """A network that makes calls, with stakes or without, from its file."""
    arrays = read_arrays(path) if path.exists() else {}
    table = len(arrays.get("table_in.weight", np.empty(0)).T)
    kind = auction.STAKES_KIND if table == auction.STAKES_KIND.table else auction.KIND
    return load_network(partial(make_bidder, kind=kind), path, device)


def load_network(
    make: Callable[[int, int], SuitNetwork], path: Path, device: torch.device
) -> SuitNetwork:
    """A trained network from its file, with the width and the layers of the file."""
    if not path.exists():
        raise NotFoundError(f"{path}: no such file; `tribridge train copy` and others make one")
    arrays = read_arrays(path)
    if "suit_in.bias" not in arrays:
        raise SettingError(f"{path}: not the weights of a network of this package")
    layers = sum(name.startswith("others.") for name in arrays)
    network = make(len(arrays["suit_in.bias"]), layers)
    load_weights(network, path)
    return network.to(device).requires_grad_(False)


def save_network(network: nn.Module, path: Path) -> None:
    """Write the weights of a network."""
    write_atomic(path, export(network))


def export(network: nn.Module) -> bytes:
    """A network as a NumPy file; the learned strategies run a policy's."""
    arrays = {
        name: value.detach().cpu().numpy().astype(np.float16)
        for name, value in network.state_dict().items()
    }
    buffer = BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def load_weights(network: nn.Module, path: Path) -> None:
    """Load weights written by `export`."""
    arrays = {name: torch.from_numpy(value) for name, value in read_arrays(path).items()}
    try:
        network.load_state_dict(arrays)
    except RuntimeError as error:
        raise SettingError(
            f"{path}: not the weights of this network: {first_line(error)}"
        ) from None


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file written by `export`."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file):
            file.seek(0)
            return dict(np.load(file))
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile):
        raise SettingError(
            f"{path}: not the weights of a network, or damaged: expected a .npz file of a training"
        ) from None
