"""Both algorithms and the paper's game simulated on any deck, with any budget and reading.

The compiled kernels know one deck and one budget; this runs on NumPy arrays (`arrays`), about a
hundred times slower. A deal adds to one flat array of counts, in three parts:

- Algorithm 1 on the first hand and Algorithm 2 on the first two: (verdicts, verdicts);
- the game: (3 seats, levels, levels + 1, verdicts), by declarer's seat, level minus one, level of
  the hidden hand (0: not eligible) and the verdict of Algorithm 2 on declarer and hidden hand;
- the deals that are passed out: 1 cell.

A verdict is 0 where Condition A fails, 1 where Condition B fails, otherwise 2 plus the captures. A
bid is worth the captures beyond the book (half the tricks), whatever the budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from tribridge.capture.algorithm import Conditions
from tribridge.capture.readings import Reading, parse_reading
from tribridge.capture.simulation import arrays
from tribridge.capture.simulation.tables import U64, Counts
from tribridge.cards import Deck
from tribridge.dealer import check_seed
from tribridge.dealer_arrays import I64, deal_masks
from tribridge.errors import SettingError
from tribridge.parallel import Range

FAILURES: Final = (Conditions.A_FAILS, Conditions.B_FAILS)
"""Verdicts 0 and 1."""
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class DeckWork:
    """A simulation on a deck; a job for `parallel.run`."""

    deck: Deck
    budget: int
    reading: str = "natural"
    seed: int = 1

    def __post_init__(self) -> None:
        check_seed(self.seed)
        parse_reading(self.reading)
        _ = self.deck.hand_size  # refuses a deck that cannot be dealt
        if not 0 <= self.budget <= self.deck.size:
            raise SettingError(
                f"the budget must be 0 to {self.deck.size}, the cards of a deck of {self.deck}, "
                f"not {self.budget}"
            )

    @property
    def verdicts(self) -> int:
        """How many verdicts there are."""
        return len(FAILURES) + self.deck.hand_size + 1

    @property
    def pair_shape(self) -> tuple[int, int]:
        return self.verdicts, self.verdicts

    @property
    def game_shape(self) -> tuple[int, int, int, int]:
        return 3, self.deck.levels, self.deck.levels + 1, self.verdicts

    @property
    def cells(self) -> int:
        """The length of the array of counts."""
        return prod(self.pair_shape) + prod(self.game_shape) + 1

    def split(self, counts: Counts) -> tuple[Counts, Counts, int]:
        """The counts of the pairs of hands, of the contracts, and of deals passed out."""
        pairs, games, passed = np.split(
            counts, [prod(self.pair_shape), prod(self.pair_shape) + prod(self.game_shape)]
        )
        return pairs.reshape(self.pair_shape), games.reshape(self.game_shape), int(passed[0])

    def run(self, piece: Range) -> Counts:
        """The counts of a range of deals, on this thread."""
        start, stop = piece
        counts = np.zeros(self.cells, np.int64)
        for at in range(start, stop, _CHUNK):
            counts += self._count(deal_masks(self.seed, at, min(_CHUNK, stop - at), self.deck))
        return counts

    def _count(self, hands: U64) -> Counts:
        reading = parse_reading(self.reading)
        singles = [self._single(hands[:, at], reading) for at in range(4)]
        levels = np.stack([self._level(verdict) for verdict in singles], axis=1)
        pairs = np.ravel_multi_index(
            (singles[0], self._pair(hands[:, 0], hands[:, 1])), self.pair_shape
        )
        bids = levels[:, :3]
        played = bids.max(axis=1) > 0
        hands, levels, bids = hands[played], levels[played], bids[played]
        seat = np.argmax(bids, axis=1)
        verdict = self._pair(hands[np.arange(len(hands)), seat], hands[:, 3])
        games = np.ravel_multi_index(
            (seat, bids.max(axis=1, initial=1) - 1, levels[:, 3], verdict), self.game_shape
        )
        return np.concatenate(
            [
                np.bincount(pairs, minlength=prod(self.pair_shape)),
                np.bincount(games, minlength=prod(self.game_shape)),
                [int(np.sum(~played))],
            ]
        )

    def _single(self, hands: U64, reading: Reading) -> I64:
        return _verdict(arrays.single(hands, reading, deck=self.deck, budget=self.budget))

    def _pair(self, first: U64, second: U64) -> I64:
        return _verdict(arrays.pair(first, second, deck=self.deck, budget=self.budget))

    def _level(self, verdict: I64) -> I64:
        return np.maximum(verdict - len(FAILURES) - self.deck.book, 0)


def _verdict(evaluation: arrays.Evaluation) -> I64:
    fails = np.where(evaluation.gap > evaluation.budget, 0, 1)
    return np.where(evaluation.holds, evaluation.captures + len(FAILURES), fails)
