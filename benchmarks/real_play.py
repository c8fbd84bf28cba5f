"""Measure how well forecasts predict real play on average, and what the contract's level changes.

    python benchmarks/real_play.py [--deals 3000] [--layouts 100] [--device cuda]

Plays the evaluation deals out by the strategy `learned` (needs PyTorch; quick on a GPU only), once
at contracts one and two levels lower and higher, once with the defenders' cards dealt again many
times. The mean over those layouts is what a forecast from declarer's and dummy's hands should give.
"""

from __future__ import annotations

import argparse

import numpy as np

from tribridge.cards.cards import Strain
from tribridge.cards.masks import U64
from tribridge.forecast.distribution import means
from tribridge.forecast.kinds import find_forecaster
from tribridge.lab.labels.labels import EVALUATION_SEED, LabelWork
from tribridge.lab.training.real_play import PlayedDeals, RealPlay


def relaid(chairs: U64, layouts: int, rng: np.random.Generator) -> U64:
    """Each deal with the defenders' cards dealt again `layouts` times: (deals * layouts, 4)."""
    count = len(chairs)
    held = (chairs[:, 1] | chairs[:, 3])[:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)
    cards = np.nonzero(held)[1].reshape(count, 1, -1).repeat(layouts, 1)
    order = rng.permuted(cards, axis=2)
    bits = np.uint64(1) << order.astype(np.uint64)
    result = chairs.repeat(layouts, 0)
    half_size = cards.shape[2] // 2
    result[:, 1] = bits[..., :half_size].sum(2).reshape(-1)
    result[:, 3] = bits[..., half_size:].sum(2).reshape(-1)
    return result


def main() -> None:
    """Play, compare, print."""
    parser = argparse.ArgumentParser(description="Measure forecasts of real play.")
    parser.add_argument("--deals", type=int, default=3000)
    parser.add_argument("--layouts", type=int, default=100)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    options = parser.parse_args()
    play = RealPlay(options.device)
    print("mean change in tricks at other levels:", *(strain.letter for strain in Strain))
    job = PlayedDeals(LabelWork(EVALUATION_SEED), play)
    expected = job.run((0, options.deals)).astype(int)
    for higher in (-2, -1, 1, 2):
        play.higher = higher
        change = (job.run((0, options.deals)) - expected).mean((0, 1))
        print(f"{higher:+d}", change.round(3))
    play.higher = 0
    work = LabelWork(EVALUATION_SEED, declarers="one")
    numbers = np.arange(options.deals, dtype=np.uint64)
    chairs = work.chairs(numbers, work.masks(0, options.deals))
    layouts = relaid(chairs, options.layouts, np.random.default_rng(1))
    tricks = play.tricks(layouts).reshape(options.deals, options.layouts, len(Strain))
    average, noise = tricks.mean(1), tricks.std(1, ddof=1) / options.layouts**0.5
    print(f"mean absolute error against the mean of {options.layouts} layouts:")
    for kind in ("net", "real"):
        said = means(find_forecaster(kind).from_pair(chairs[:, 0], chairs[:, 2]))
        print(f"{kind:5}", np.abs(said - average).mean(0).round(3))
    print("noise", (noise * (2 / np.pi) ** 0.5).mean(0).round(3))


if __name__ == "__main__":
    main()
