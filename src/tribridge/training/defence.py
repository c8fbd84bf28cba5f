"""Training the forecast of a defender (`defence`) with PyTorch.

One network learns declarer's tricks from the left defender's hand, another from the right
defender's, on labelled deals. They have the form of the networks in `learn`, and the same loss: the
negative log likelihood of the tricks.

Built deals are refused as labels: there, declarer's hand is far from random, and with it the hands
of the defenders.

    tribridge train defence LABELS [LABELS ...] --out FILE
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Any, Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tribridge.double_dummy.labels import Labels, load_training_labels
from tribridge.errors import SettingError
from tribridge.files import write_atomic
from tribridge.training.forecast import Lesson, Shape, SuitNet, bits, loss, optimise

LESSON: Final = Lesson(Shape(1, 64, 2, 64), 1_200, 2048, 4e-3, 0.05, 0.1)
"""How the package's weights were trained."""
QUICK: Final = Lesson(Shape(1, 16, 2, 16), 40, 256, 2e-3)
"""For trying out the command: its forecasts are worthless."""


def of_defenders(labels: Labels) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The left and the right defenders' hands, and declarer's tricks; built deals are refused."""
    if labels.work.built:
        raise SettingError(
            "a defender's forecast cannot be trained on built deals, in which declarer's hand is "
            "not random: give labels of ordinary deals"
        )
    return labels.defenders()


def train_side(
    lesson: Lesson, hands: NDArray[Any], tricks: NDArray[Any], seed: int, device: str = "cpu"
) -> dict[str, NDArray[np.float32]]:
    """Train the network of one defender and return its arrays, as `net.SuitNetwork` reads them."""
    torch.manual_seed(seed)
    model = SuitNet(lesson.shape, lesson.dropout).to(device)
    cards = bits(torch.from_numpy(hands.astype(np.int64)).to(device))
    made = torch.from_numpy(tricks.astype(np.float32)).to(device)
    one = torch.ones(lesson.batch, device=device)

    def value() -> Tensor:
        index = torch.randint(len(cards), (lesson.batch,), device=device)
        return loss(model(cards[index]), made[index], one)

    state = optimise(model, value, lesson).state_dict()
    return {
        name: np.ascontiguousarray(array.float().cpu().numpy().T) for name, array in state.items()
    }


def train_defence(
    labels: Sequence[Path],
    out: Path,
    lesson: Lesson = LESSON,
    *,
    seed: int = 1,
    device: str = "cpu",
    say: Callable[[str], None] = print,
) -> int:
    """Train on files of labels, write the weights, and return their number."""
    parts = [of_defenders(load_training_labels(path)) for path in labels]
    lefts, rights, tricks = (np.concatenate(column) for column in zip(*parts, strict=True))
    started = perf_counter()
    arrays: dict[str, NDArray[np.float32]] = {}
    for side, hands in (("left", lefts), ("right", rights)):
        trained = train_side(lesson, hands, tricks, seed, device)
        arrays |= {f"{side}.{name}": array for name, array in trained.items()}
        say(f"{side} defender: {perf_counter() - started:.0f} s")
    buffer = BytesIO()
    np.savez_compressed(buffer, **cast(dict[str, Any], arrays))
    write_atomic(out, buffer.getvalue())
    return sum(array.size for array in arrays.values())
