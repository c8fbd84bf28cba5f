"""Measure how the accuracy of the forecast network grows with the number of labels.

    python benchmarks/label_curve.py --means two_hands_val.csv [--train-means two_hands_train.csv]
        [--labels data/labels-7.parquet ...] [--steps 8000] [--device cuda]

Trains one network (a teacher, 512 wide) on 1/16, 1/8, 1/4, 1/2 and all of the labelled pairs of
hands and prints its mean absolute error against the means of ten layouts in BridgeHand2Vec's
validation file, in suits and in notrump; with `--train-means`, also when the published means are
added to the labels. Needs PyTorch; quick on a GPU only.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from tribridge.lab.labels.labels import load_training_labels
from tribridge.lab.training.forecast import (
    Examples,
    Lesson,
    chances_of,
    examples,
    moments,
    of_means,
    train_on_labels,
)
from tribridge.lab.training.forecast_net import Shape

FILES = ["data/labels-7.parquet", "data/labels-8.parquet", "data/labels-8-built.parquet"]
PARTS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
BATCH = 65_536


def error(data: Examples, validation: Examples, steps: int) -> torch.Tensor:
    """The mean absolute error, by strain, of a network trained on the examples."""
    lesson = Lesson(Shape(2, 512, 4, 1024), steps, 2048, 2e-3, 0.1, 0.3)
    network = train_on_labels(lesson, data, 1).eval()
    chances = [
        chances_of(
            [network], validation.hands[at : at + BATCH], validation.dummies[at : at + BATCH]
        )
        for at in range(0, len(validation), BATCH)
    ]
    return (moments(torch.cat(chances))[0] - validation.tricks).abs().mean(0)


def main() -> None:
    """Train, compare, print."""
    parser = argparse.ArgumentParser(description="Accuracy by the number of labels.")
    parser.add_argument("--means", type=Path, required=True)
    parser.add_argument("--train-means", type=Path)
    parser.add_argument("--labels", type=Path, nargs="+", default=[Path(name) for name in FILES])
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    options = parser.parse_args()
    validation = of_means(options.means, options.device)
    pairs = [load_training_labels(path).pairs() for path in options.labels]
    hands, dummies, tricks = (np.concatenate(part) for part in zip(*pairs, strict=True))
    order = np.random.default_rng(5).permutation(len(hands))
    extra = of_means(options.train_means, options.device) if options.train_means else None
    for means in (extra, None) if extra is not None else (None,):
        for part in PARTS:
            chosen = order[: int(len(hands) * part)]
            own, other, taken = hands[chosen], dummies[chosen], tricks[chosen]
            parts = [examples(own, other, taken, 1, options.device)]
            parts.append(examples(other, own, taken, 1, options.device))
            data = Examples.joined(parts if means is None else [*parts, means])
            by_strain = error(data, validation, options.steps)
            print(
                f"{len(chosen):9,} pairs{'' if means is None else ' and the published means'}: "
                f"suits {by_strain[:4].mean():.3f}, notrump {by_strain[4]:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
