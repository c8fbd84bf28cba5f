"""What is trained, for how long, and how it is saved: networks, optimiser, checkpoints."""

from __future__ import annotations

import copy
import pickle
import zipfile
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tribridge.cards import Deck
from tribridge.errors import SettingError, TribridgeError, first_line
from tribridge.files import write_atomic
from tribridge.training.networks import SuitNetwork, make_critic, make_policy


class TrainingError(TribridgeError):
    """A training run that cannot continue; the last checkpoint is kept."""


@dataclass(frozen=True, slots=True)
class Size:
    """What must stay the same throughout a training run."""

    name: ClassVar[str] = "play"
    """What is trained; the weights file has this name."""

    width: int = 384
    layers: int = 6
    critic_width: int = 256
    critic_layers: int = 5
    suits: int = 4
    ranks: int = 13

    @property
    def deck(self) -> Deck:
        return Deck(self.suits, self.ranks)

    @property
    def format(self) -> str:
        """The first entry of a checkpoint."""
        return f"tribridge {self.name} 1"

    def networks(self) -> tuple[SuitNetwork, SuitNetwork]:
        """A new policy and a new critic."""
        return (
            make_policy(self.width, self.layers),
            make_critic(self.critic_width, self.critic_layers),
        )


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of training; rate and entropy move from their first to their last value."""

    minutes: float = 9.0
    batches: int = 0
    """Number of batches, however long they take; 0: train for `minutes`."""
    games: int = 32_768
    """Games played at once."""
    minibatch: int = 32_768
    rate: tuple[float, float] = (5e-4, 2e-4)
    entropy: tuple[float, float] = (0.02, 0.008)
    horizon: float = 0.9
    """Lambda of the advantage estimate."""
    clip: float = 0.2
    compiled: bool = True
    captured: bool = True
    """Whether a GPU runs captured graphs instead of single kernels."""
    log_every: float = 10.0
    measured: int = 8192
    """Deals used to evaluate each line of the log."""

    def at(self, share: float) -> tuple[float, float]:
        """Learning rate and entropy weight after a share of the training."""
        (rate, rate_end), (entropy, entropy_end) = self.rate, self.entropy
        return rate + (rate_end - rate) * share, entropy + (entropy_end - entropy) * share


@dataclass(eq=False)
class Learner:
    """Policy, critic and optimiser on a device."""

    size: Size
    device: torch.device
    policy: SuitNetwork = field(init=False)
    critic: SuitNetwork = field(init=False)
    average: SuitNetwork = field(init=False)
    optimizer: torch.optim.Optimizer = field(init=False)
    rate: Tensor = field(init=False)
    """Learning rate and entropy weight are tensors so that a captured graph can read them."""
    entropy: Tensor = field(init=False)
    games: int = 0
    batches: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.rate, self.entropy = torch.zeros(2, device=self.device).unbind()
        policy, critic = self.size.networks()
        self.policy, self.critic = policy.to(self.device), critic.to(self.device)
        self.average = copy.deepcopy(self.policy)
        parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.AdamW(
            parameters, lr=self.rate, weight_decay=1e-3, fused=True, capturable=self.on_gpu
        )

    def state(self) -> dict[str, Any]:
        """Everything needed to resume."""
        return {
            "format": self.size.format,
            "size": asdict(self.size),
            "policy": self.policy.state_dict(),
            "critic": self.critic.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "games": self.games,
            "batches": self.batches,
            "seconds": self.seconds,
            "random": torch.get_rng_state(),
        }

    def restore(self, state: dict[str, Any], source: str) -> None:
        """Continue from a saved state."""
        if state.get("format") != self.size.format:
            raise SettingError(f"{source}: not a checkpoint of {self.size.format!r}")
        if state["size"] != asdict(self.size):
            raise SettingError(f"{source}: trained with {state['size']}, not {asdict(self.size)}")
        self.policy.load_state_dict(state["policy"])
        self.critic.load_state_dict(state["critic"])
        self.average.load_state_dict(state["average"])
        if "optimizer" in state:
            self.optimizer.load_state_dict(state["optimizer"])
            for group in self.optimizer.param_groups:
                group["lr"] = self.rate
            torch.set_rng_state(state["random"].cpu())
        self.games, self.batches = state["games"], state["batches"]
        self.seconds = state["seconds"]

    @property
    def on_gpu(self) -> bool:
        return self.device.type == "cuda"


def save(learner: Learner, folder: Path) -> None:
    """Write the checkpoint, the average policy and the critic, each atomically."""
    buffer = BytesIO()
    torch.save(learner.state(), buffer)
    write_atomic(folder / "checkpoint.pt", buffer.getvalue())
    write_atomic(folder / f"{learner.size.name}.npz", export(learner.average))
    write_atomic(folder / "critic.npz", export(learner.critic))


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


def load_checkpoint(path: Path, device: str) -> dict[str, Any]:
    """Read a checkpoint; an error if it is damaged."""
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except (RuntimeError, ValueError, EOFError, KeyError, pickle.UnpicklingError) as error:
        raise SettingError(f"{path}: not a checkpoint: {first_line(error)}") from None
    if not isinstance(state, dict):
        raise SettingError(f"{path}: not a checkpoint")
    return state
