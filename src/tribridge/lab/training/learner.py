"""What is trained, for how long, and how it is saved: networks and optimiser."""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.common.errors import SettingError, TribridgeError
from tribridge.lab.training.networks import SuitNetwork, load_weights, save_network
from tribridge.lab.training.pytorch import Tensor, nn, torch
from tribridge.networks import values
from tribridge.networks.play import KIND, POINTS_KIND


class TrainingError(TribridgeError):
    """A training run that cannot continue; the networks saved last are kept."""


@dataclass(frozen=True, slots=True)
class Size:
    """The sizes of the networks of a training run."""

    name: ClassVar[str]
    """What is trained; the weights file has this name."""

    width: int = 384
    layers: int = 6
    critic_width: int = 256
    critic_layers: int = 5

    def networks(self) -> tuple[SuitNetwork, SuitNetwork]:
        """A new policy and a new critic."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class PlaySize(Size):
    """The networks that play, and the deck; on small decks they play for tricks."""

    name: ClassVar[str] = "play"

    deck: Deck = FULL_DECK

    def networks(self) -> tuple[SuitNetwork, SuitNetwork]:
        kind = POINTS_KIND if self.deck == FULL_DECK else KIND
        critic = values.KIND._replace(table=kind.table)
        return (
            SuitNetwork(kind, self.width, self.layers),
            SuitNetwork(critic, self.critic_width, self.critic_layers),
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
    hold: Tensor = field(init=False)
    """The weight of the divergence from what people would play."""
    games: int = 0
    batches: int = 0

    def __post_init__(self) -> None:
        self.rate, self.entropy, self.hold = torch.zeros(3, device=self.device).unbind()
        policy, critic = self.size.networks()
        self.policy, self.critic = policy.to(self.device), critic.to(self.device)
        self.average = copy.deepcopy(self.policy)
        parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.AdamW(
            parameters, lr=self.rate, weight_decay=1e-3, fused=True, capturable=self.on_gpu
        )

    @property
    def on_gpu(self) -> bool:
        return self.device.type == "cuda"


def save(learner: Learner, folder: Path) -> None:
    """Write the average policy and the critic, each atomically."""
    save_network(learner.average, folder / f"{learner.size.name}.npz")
    save_network(learner.critic, folder / "critic.npz")


_SAVE_EVERY: Final = 60.0


@contextmanager
def fast_products() -> Iterator[None]:
    """Products of float32 matrices with the tensor cores of a GPU, which round them a little."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


class Graph:
    """A function of tensors as a captured CUDA graph, which makes kernel launches nearly free.

    Inputs are copied to fixed buffers; outputs are overwritten by the next call.
    """

    WARM: ClassVar[int] = 3
    """How often the function is called before it is captured."""

    def __init__(self, function: Callable[..., Any], inputs: Sequence[Tensor]) -> None:
        # The graph reads tensors that the function references in place: they must not be freed.
        self.function = function
        self.inputs = [tensor.clone() for tensor in inputs]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(self.WARM):
                function(*self.inputs)
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.outputs = function(*self.inputs)

    def __call__(self, *inputs: Tensor) -> Any:
        for place, tensor in zip(self.inputs, inputs, strict=True):
            place.copy_(tensor)
        self.graph.replay()
        return self.outputs


AVERAGED: Final = 20
"""The weight average of `optimise` reaches back over about a twentieth of the steps."""
M = TypeVar("M", bound=nn.Module)


def optimise(
    model: M, value: Callable[[], Tensor], steps: int, rate: float, decay: float = 0.0
) -> M:
    """Minimise a stochastic loss and return the average of the last weights.

    The learning rate warms up briefly, then falls as a cosine. On a GPU one step is captured as a
    graph and replayed, since launching these small kernels individually takes longer than running
    them.
    """
    parameters = list(model.parameters())
    device = parameters[0].device
    average = copy.deepcopy(model)
    averages = list(average.parameters())
    at = torch.zeros((), device=device)
    speed = torch.zeros((), device=device)
    optimizer = torch.optim.AdamW(
        parameters,
        lr=speed,
        weight_decay=decay,
        fused=True,
        capturable=device.type == "cuda",
    )
    rise = max(1.0, steps / 20)
    share = min(1.0, AVERAGED / steps)

    def step() -> None:
        fall = 0.5 * (1 + torch.cos(torch.pi * at / steps))
        speed.copy_(rate * fall * ((at + 1) / rise).clamp(max=1))
        loss = value()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        with torch.no_grad():
            torch._foreach_lerp_(averages, parameters, share)
        at.add_(1)

    model.train()
    run: Callable[[], object] = step
    if device.type == "cuda":
        run, steps = Graph(step, ()), steps - Graph.WARM
    for _ in range(steps):
        run()
    return average.eval()


def open_training(
    folder: Path, size: Size, *, device: str, seed: int, start: Path | None
) -> Learner:
    """A new learner, with the networks in the folder `start` if it is given."""
    if (folder / "log.jsonl").exists():
        raise SettingError(
            f"{folder} already holds a training run: give another folder, and --start {folder} to "
            "go on from it"
        )
    torch.manual_seed(seed)
    learner = Learner(size, torch.device(device))
    if start is not None:
        for network in (learner.policy, learner.average):
            load_weights(network, start / f"{size.name}.npz")
        load_weights(learner.critic, start / "critic.npz")
    folder.mkdir(parents=True, exist_ok=True)
    return learner


def run(
    learner: Learner,
    folder: Path,
    piece: Piece,
    batch: Callable[[float], dict[str, float]],
    measure: Callable[[], dict[str, Any]],
    say: Callable[[str], None],
) -> None:
    """Train batch after batch until the piece is done; `batch` gets the share done so far.

    `batch` returns finite figures for the log; `measure` adds more to each line of it.
    """
    begun = logged = saved = time.monotonic()
    values: dict[str, float] = {}

    def done() -> float:
        if piece.batches:
            return learner.batches / piece.batches
        return (time.monotonic() - begun) / (60 * piece.minutes)

    def log() -> None:
        seconds = time.monotonic() - begun
        line = {
            "seconds": round(seconds, 1),
            "games": learner.games,
            "games a second": round(learner.games / seconds),
            **{name: round(value, 5) for name, value in values.items()},
            **measure(),
        }
        with (folder / "log.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
        say(json.dumps(line))

    while (share := done()) < 1:
        values = batch(share)
        learner.games += piece.games
        learner.batches += 1
        if not all(map(math.isfinite, values.values())):
            raise TrainingError(
                f"the loss is not finite after {learner.games} games: {folder} has the last good "
                "networks, if any; start from them with a lower rate"
            )
        now = time.monotonic()
        if now - logged >= piece.log_every:
            logged = now
            log()
        if now - saved >= _SAVE_EVERY:
            saved = now
            save(learner, folder)
    save(learner, folder)
    log()
