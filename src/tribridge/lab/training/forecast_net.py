"""The network of the forecast kind `net` in PyTorch; `forecast.net` runs the same in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tribridge.forecast.distribution import TRICKS
from tribridge.forecast.net import LOW
from tribridge.lab.training.pytorch import Tensor, nn, torch

TRICK_COUNTS: Final = TRICKS + 1
"""The possible numbers of tricks: 0 to 13."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a network."""

    hands: int
    width: int
    layers: int
    encoder: int


class SuitNet(nn.Module):
    """Logits over 0-13 tricks in five strains from one or two hands; suits are treated alike."""

    def __init__(self, shape: Shape, dropout: float = 0.0) -> None:
        super().__init__()
        width, layers = shape.width, range(shape.layers)
        self.encoder = nn.Sequential(
            nn.Linear(13 * shape.hands, shape.encoder), nn.ReLU(), nn.Linear(shape.encoder, width)
        )
        self.own = nn.ModuleList(nn.Linear(width, width) for _ in layers)
        self.others = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in layers)
        self.suit = nn.Linear(width, TRICK_COUNTS)
        self.suit_others = nn.Linear(width, TRICK_COUNTS, bias=False)
        self.notrump = nn.Sequential(
            nn.Linear(width, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, TRICK_COUNTS)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, cards: Tensor) -> Tensor:
        """From cards (n, 4, 13 or 26) to logits (n, 5, 14)."""
        x = torch.relu(self.encoder(cards))
        for own, others in zip(self.own, self.others, strict=True):
            x = x + self.dropout(torch.relu(own(x) + others(x.mean(1, keepdim=True))))
        mean = x.mean(1)
        suits = self.suit(x) + self.suit_others(mean).unsqueeze(1)
        return torch.cat([suits, self.notrump(mean).unsqueeze(1)], 1)


def bits(*hands: Tensor) -> Tensor:
    """Masks of hands as zeros and ones: (n, 4 suits, 13 ranks of each hand), ace first.

    The lowest ranks are counted, not distinguished: any two of them are encoded as the two highest.
    """
    parts = []
    for masks in hands:
        places = torch.arange(52, device=masks.device)
        cards = (masks.unsqueeze(-1) >> places & 1).float().reshape(*masks.shape, 4, 13)
        count = cards[..., -LOW:].sum(-1, keepdim=True)
        parts += [cards[..., :-LOW], (torch.arange(LOW, device=masks.device) < count).float()]
    return torch.cat(parts, -1)
