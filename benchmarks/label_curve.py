"""Measure how the accuracy of the forecast network grows with the number of labels.

    python benchmarks/label_curve.py --means two_hands_val.csv
        [--labels data/labels-7.parquet ...] [--steps 8000] [--device cuda]

Trains one network (a teacher, 512 wide) on 1/16, 1/8, 1/4, 1/2 and all of the labelled pairs of
hands and prints its mean absolute error against the means of ten layouts in BridgeHand2Vec's
validation file, in suits and in notrump. Needs PyTorch; quick on a GPU only.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from tribridge.double_dummy.labels import load_training_labels
from tribridge.forecast.distribution import means
from tribridge.forecast.means import read_means
from tribridge.training.forecast import (
    Examples,
    Lesson,
    Shape,
    chances_of,
    examples,
    join,
    train_on_labels,
)

FILES = ["data/labels-7.parquet", "data/labels-8.parquet"]
PARTS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
BATCH = 65_536


def error(data: Examples, path: Path, steps: int) -> NDArray[np.float64]:
    """The mean absolute error, by strain, of a network trained on the examples."""
    lesson = Lesson(Shape(2, 512, 4, 1024), steps, 2048, 2e-3, 0.1, 0.3)
    network = train_on_labels(lesson, data, 1).eval()
    hands, dummies, tricks = read_means(path)
    pairs = (
        torch.from_numpy(masks.astype(np.int64)).to(data.hands.device).split(BATCH)
        for masks in (hands, dummies)
    )
    chances = [chances_of([network], *part).cpu().numpy() for part in zip(*pairs, strict=True)]
    return np.asarray(np.abs(means(np.concatenate(chances)) - tricks).mean(axis=0))


def main() -> None:
    """Train, compare, print."""
    parser = argparse.ArgumentParser(description="Accuracy by the number of labels.")
    parser.add_argument("--means", type=Path, required=True)
    parser.add_argument("--labels", type=Path, nargs="+", default=[Path(name) for name in FILES])
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    options = parser.parse_args()
    pairs = [load_training_labels(path).pairs() for path in options.labels]
    hands, dummies, tricks = (np.concatenate(part) for part in zip(*pairs, strict=True))
    order = np.random.default_rng(5).permutation(len(hands))
    for part in PARTS:
        chosen = order[: int(len(hands) * part)]
        own, other, taken = hands[chosen], dummies[chosen], tricks[chosen]
        sides = (
            examples(own, other, taken, options.device),
            examples(other, own, taken, options.device),
        )
        by_strain = error(join(sides), options.means, options.steps)
        print(
            f"{len(chosen):9,} pairs: suits {by_strain[:4].mean():.3f}, notrump {by_strain[4]:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
