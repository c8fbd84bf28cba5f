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

from io import BytesIO
from pathlib import Path
from typing import Final

import numpy as np

from tribridge.common.errors import NotFoundError, SettingError, first_line
from tribridge.common.files import write_atomic
from tribridge.lab.training.pytorch import Tensor, nn, torch
from tribridge.networks import auction, play, values
from tribridge.networks.network import SCALE, NetworkKind, full_size, in_eight_bits, read_weights
from tribridge.strategies import learned

VALUES: Final = 2 * auction.SEATS**2 * auction.LEVELS
"""The bidding critic's inputs for each strain: what contracts are worth, by declarer and doubling,
to the caller and the next player."""
BIDDING_CRITIC: Final = NetworkKind(
    "bidding critic's",
    auction.SUIT_FEATURES - auction.RANKS + VALUES,
    auction.TABLE_FEATURES + auction.SEATS + 1 + VALUES,
    auction.SEATS,
)
PAYOFFS: Final = NetworkKind("payoff", 4 * auction.RANKS + 1, 1, values.OUTCOMES * auction.LEVELS)
"""It gives the tricks of contracts (`training.payoffs`)."""
PLAYERS: Final = play.KIND, play.POINTS_KIND
BIDDERS: Final = auction.KIND, auction.STAKES_KIND


PLAIN: Final = "plain"
"""In the file of a player for points whose cards are played as they are, without convention."""


class SuitNetwork(nn.Module):
    """One network shared by all four suits, which interact through their mean."""

    def __init__(self, kind: NetworkKind, width: int, layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.kind = kind
        self.conventional = kind == play.POINTS_KIND
        """Whether the conventional card is played for the one that it prefers."""
        self.dropout = dropout
        """Share of a layer's values that are left out while it is trained."""
        self.suit_in = nn.Linear(kind.suit, width)
        self.table_in = nn.Linear(kind.table, width, bias=False)
        self.own = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.others = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))
        self.out = nn.Linear(width, kind.outputs)
        self.out_others = nn.Linear(width, kind.outputs, bias=False)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out_others.weight)

    def forward(self, suits: Tensor, table: Tensor) -> Tensor:
        """From features (n, 4, f) and (n, g) to outputs (n, 4, outputs)."""
        x = torch.relu(self.suit_in(suits) + self.table_in(table).unsqueeze(1))
        for own, others in zip(self.own, self.others, strict=True):
            step = torch.relu(own(x) + others(x.mean(1)).unsqueeze(1))
            if self.dropout:
                step = nn.functional.dropout(step, self.dropout, self.training)
            x = x + step
        answers: Tensor = self.out(x) + self.out_others(x.mean(1)).unsqueeze(1)
        return answers


SHIPPED: Final = Path(learned.__file__).parent / "data"
"""The folder of the package's networks."""


def shipped(name: str, device: torch.device) -> SuitNetwork:
    """A network of the package that plays or bids."""
    return load_network(SHIPPED / name, device, *PLAYERS, *BIDDERS)


def load_network(path: Path, device: torch.device, *kinds: NetworkKind) -> SuitNetwork:
    """A trained network of one of these kinds, with the width and the layers of its file."""
    if not path.exists():
        raise NotFoundError(f"{path}: no such file; `tribridge train` makes such networks")
    with path.open("rb") as file:
        kind, stored = read_weights(file, str(path), *kinds)
    arrays = full_size(stored)
    layers = sum(name.startswith("others.") for name in arrays)
    network = SuitNetwork(kind, len(arrays["suit_in.bias"]), layers)
    network.conventional &= PLAIN not in arrays
    load_weights(network, path)
    return network.to(device).requires_grad_(False)


def save_network(network: SuitNetwork, path: Path, bits: int = 16) -> None:
    """Write the weights of a network."""
    write_atomic(path, export(network, bits))


def export(network: SuitNetwork, bits: int = 16) -> bytes:
    """A network as a NumPy file, its matrices in 8 or 16 bits; the learned strategies run it."""
    state = {name: value.detach().cpu().numpy() for name, value in network.state_dict().items()}
    if bits == 8:
        state = in_eight_bits(state)
    if network.kind == play.POINTS_KIND and not network.conventional:
        state[PLAIN] = np.array(True)
    exact = {name for name in state if name.endswith(SCALE)} | {PLAIN}
    arrays = {
        name: array if name in exact or array.dtype == np.int8 else array.astype(np.float16)
        for name, array in state.items()
    }
    buffer = BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def load_weights(network: SuitNetwork, path: Path) -> None:
    """Load weights written by `export`, of a network of the same size or a narrower one."""
    with path.open("rb") as file:
        arrays = full_size(read_weights(file, str(path), network.kind)[1])
    state = {name: torch.from_numpy(part) for name, part in arrays.items() if name != PLAIN}
    try:
        network.load_state_dict(widened(network, state))
    except RuntimeError as error:
        raise SettingError(
            f"{path}: not the weights of this network: {first_line(error)}"
        ) from None


def widened(network: SuitNetwork, state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights of a narrower network for this one, which then answers the same.

    What is new keeps this network's weights, and is not yet heard.
    """
    narrow = len(state["suit_in.bias"])
    if narrow >= len(network.suit_in.bias):
        return state
    result = {}
    for name, value in network.state_dict().items():
        part, wide = state.get(name), value.clone()
        if part is None:  # it has fewer layers too
            continue
        wide[: len(part)] = 0
        if part.ndim == 2 and part.shape[1] == narrow:
            wide[: len(part), :narrow] = part
        else:
            wide[: len(part)] = part
        result[name] = wide
    return result
