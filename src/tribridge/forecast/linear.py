"""Linear regression on cards: a baseline that every kind must beat, not a kind itself.

One weight for each rank, separate for trumps and side suits and for hand and dummy: a regression on
52 (or 104) indicators that treats the suits alike. It gives a mean but no distribution.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import Final

import numpy as np

from tribridge.cards import Suit
from tribridge.masks import F64, RANKS, U64, rows_of

_FILE: Final = "data/linear.json"


def features(hands: U64, dummies: U64 | None, trump: Suit | None) -> F64:
    """Cards by rank, for trumps and for the other suits, of hand and dummy, and a constant."""
    columns = []
    for masks in (hands,) if dummies is None else (hands, dummies):
        bits = (rows_of(masks)[..., None] >> np.arange(RANKS) & 1).astype(np.float64)
        if trump is not None:
            columns.append(bits[:, trump])
            columns.append(bits.sum(axis=1) - bits[:, trump])
        else:
            columns.append(bits.sum(axis=1))
    return np.column_stack([*columns, np.ones(len(hands))])


@dataclass(frozen=True, eq=False)
class Linear:
    """Weights by name: `13` or `26` cards, `NT` or `suit`."""

    weights: dict[str, F64]

    @classmethod
    def load(cls) -> Linear:
        """The weights in the package."""
        text = resources.files("tribridge.forecast").joinpath(_FILE).read_text("utf-8")
        return cls({name: np.array(row) for name, row in json.loads(text)["weights"].items()})

    def means(self, hands: U64, dummies: U64 | None = None) -> F64:
        """The expected tricks: (n, 5)."""
        cards = 13 if dummies is None else 26
        by_strain = [
            features(hands, dummies, trump)
            @ self.weights[f"{cards} {'NT' if trump is None else 'suit'}"]
            for trump in (*Suit, None)
        ]
        return np.clip(np.stack(by_strain, axis=1), 0, 13)
