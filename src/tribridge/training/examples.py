"""What the forecast networks learn from: pairs of hands with the tricks of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tribridge.double_dummy.built_deals import rebuilt
from tribridge.double_dummy.labels import Labels
from tribridge.forecast.means import LAYOUTS, read_means


@dataclass(frozen=True, eq=False)
class Examples:
    """Pairs of hands with the tricks of some layouts, on the training device."""

    hands: Tensor
    dummies: Tensor
    tricks: Tensor
    """(n, 5), the tricks of one layout or their mean over several."""
    layouts: Tensor

    def __len__(self) -> int:
        return len(self.hands)

    def at(self, index: Tensor) -> Examples:
        return Examples(
            self.hands[index], self.dummies[index], self.tricks[index], self.layouts[index]
        )


def examples(
    hands: NDArray[np.uint64],
    dummies: NDArray[np.uint64],
    tricks: NDArray[Any],
    layouts: int,
    device: str = "cpu",
) -> Examples:
    """Examples from arrays of masks and tricks."""
    return Examples(
        torch.from_numpy(hands.astype(np.int64)).to(device),
        torch.from_numpy(dummies.astype(np.int64)).to(device),
        torch.from_numpy(tricks.astype(np.float32)).to(device),
        torch.full((len(hands),), layouts, device=device),
    )


def of_labels(labels: Labels, device: str = "cpu") -> Examples:
    """Two examples per labelled declarer: hand and dummy, and the two exchanged.

    Which of the two declares hardly affects the tricks of a layout (0.06 of a trick in a suit, 0.09
    in notrump), and matters much less than the layout of the other cards.
    """
    players, hidden, tricks = labels.pairs()
    return join(
        [examples(players, hidden, tricks, 1, device), examples(hidden, players, tricks, 1, device)]
    )


def of_played(labels: Labels, device: str = "cpu") -> tuple[Examples, Examples]:
    """Pairs of hands with the tricks of played deals, and those of them with a random dummy.

    Unlike double dummy, it matters which of the two hands the defenders see, so they are not
    exchanged.
    """
    players, hidden, tricks = labels.pairs()
    alone = np.ones(len(players), bool)
    if labels.work.built:
        alone = np.array([rebuilt(number) == 1 for number in labels.numbers.tolist()])
    return (
        examples(players, hidden, tricks, 1, device),
        examples(players[alone], hidden[alone], tricks[alone], 1, device),
    )


def of_means(path: Path, device: str = "cpu") -> Examples:
    """Two examples per line of a file of means, with each hand as declarer."""
    return examples(*read_means(path), LAYOUTS, device)


def join(parts: Sequence[Examples]) -> Examples:
    """Examples from several sources as one set."""
    return Examples(
        *(
            torch.cat([getattr(part, name) for part in parts])
            for name in ("hands", "dummies", "tricks", "layouts")
        )
    )
