"""Running a training: its folder, clock, log and checkpoints, and captured GPU graphs.

A folder holds `checkpoint.pt` (everything needed to resume), `log.jsonl` (a line every few
seconds), the average of the latest policies as a NumPy file, which is what plays or bids, and
`critic.npz`. Another training run can start from the last two.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from tribridge.errors import SettingError
from tribridge.files import write_atomic
from tribridge.training.learner import (
    Learner,
    Piece,
    Size,
    TrainingError,
    load_checkpoint,
    load_weights,
    save,
)

_SAVE_EVERY: Final = 60.0


class Graph:
    """A function of tensors as a captured CUDA graph, which makes kernel launches nearly free.

    Inputs are copied to fixed buffers; outputs are overwritten by the next call.
    """

    def __init__(self, function: Callable[..., Any], inputs: Sequence[Tensor]) -> None:
        # The graph reads tensors that the function references in place: they must not be freed.
        self.function = function
        self.inputs = [tensor.clone() for tensor in inputs]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
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


def open_training(
    folder: Path, size: Size, *, device: str, seed: int, resume: bool, start: Path | None
) -> Learner:
    """A new learner, or the one in the folder's checkpoint."""
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists() and not resume:
        raise SettingError(f"{folder} already holds a training run: --resume continues it")
    torch.manual_seed(seed)
    learner = Learner(size, torch.device(device))
    if resume and checkpoint.exists():
        learner.restore(load_checkpoint(checkpoint, device), str(checkpoint))
        _trim_log(folder / "log.jsonl", learner.games)
    elif start is not None:
        load_weights(learner.policy, start / f"{size.name}.npz")
        load_weights(learner.average, start / f"{size.name}.npz")
        load_weights(learner.critic, start / "critic.npz")
    folder.mkdir(parents=True, exist_ok=True)
    return learner


def _trim_log(path: Path, games: int) -> None:
    """Drop lines logged after the checkpoint, and a line that was cut off."""
    if not path.exists():
        return
    kept = []
    for line in path.read_text("utf-8").splitlines():
        try:
            logged = json.loads(line)["games"]
        except ValueError:
            continue
        if logged <= games:
            kept.append(line + "\n")
    write_atomic(path, "".join(kept).encode())


def run(
    learner: Learner,
    folder: Path,
    piece: Piece,
    batch: Callable[[float], dict[str, float]],
    measure: Callable[[], dict[str, Any]],
    say: Callable[[str], None],
    keep: Callable[[], None] = lambda: None,
) -> None:
    """Train batch after batch until the piece is done; `batch` gets the share done so far.

    `batch` returns finite figures for the log; `measure` adds more to each line of it. Whenever the
    learner is saved, `keep` saves anything else.
    """
    begun = logged = saved = time.monotonic()
    before, games_before, batches_before = learner.seconds, learner.games, learner.batches
    values: dict[str, float] = {}

    def done() -> float:
        if piece.batches:
            return (learner.batches - batches_before) / piece.batches
        return (time.monotonic() - begun) / (60 * piece.minutes)

    def log() -> None:
        speed = (learner.games - games_before) / (time.monotonic() - begun)
        line = {
            "seconds": round(learner.seconds, 1),
            "games": learner.games,
            "games a second": round(speed),
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
        learner.seconds = before + time.monotonic() - begun
        if not all(map(math.isfinite, values.values())):
            raise TrainingError(
                f"the loss is not finite after {learner.games} games: "
                f"{folder / 'checkpoint.pt'} is the last good state; resume from it with a lower "
                "rate"
            )
        now = time.monotonic()
        if now - logged >= piece.log_every:
            logged = now
            log()
        if now - saved >= _SAVE_EVERY:
            saved = now
            save(learner, folder)
            keep()
    save(learner, folder)
    keep()
    log()
