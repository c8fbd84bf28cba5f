"""Games played beforehand, and how well each model of calls and plays locates the hidden cards.

Three different strategies play whole games. Each is followed from the seat of the declarer and from
that of the opening leader, at every stage, and the posterior of each model is compared with the
cards as they were dealt. Scoring a game takes seconds, so the package has the games and their
scores (`belief_games.npz`); `tribridge bench beliefs` plays and scores others.

Stages: 1, 2 and 3 calls made (three hidden hands), then 0 to 12 tricks played (two hidden hands).
All models weight the same layouts: a uniform sample of those that fit the view, or all of them if
they are few. From a sample, a chance is shrunk towards the uniform one, which counts as one more
layout, so that none is ever 0.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib import resources
from typing import IO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.errors import FormatError
from tribridge.files import load_arrays
from tribridge.strategies.versions import Version, loads_versions

STRATEGIES: Final = ("forecast+learned", "points+maxims", "learned+learned")
"""Who plays the games; they change seats from deal to deal."""
CALL_STAGES: Final = 3
STAGES: Final = CALL_STAGES + 13
VIEWERS: Final = ("declarer", "leader")
BINS: Final = 10
UNIFORM: Final = "uniform"
NAMES: Final = (
    UNIFORM,
    "capture",
    "points",
    "forecast",
    "forecast + random plays",
    "forecast + learned plays",
)
"""The models of how the hidden hands were called and played."""
CALLS_ONLY: Final = 4
"""The models before this one look at calls alone; the others have nothing to add before play."""
LEARNED_STAGES: Final = tuple(CALL_STAGES + tricks for tricks in (1, 2, 4))
"""Where the likelihood of the playing network is computed, which takes long."""

F32 = NDArray[np.float32]


class Game(NamedTuple):
    """A game: the deal's number, calls and cards in words."""

    number: int
    calls: str
    cards: str


@dataclass(frozen=True, eq=False)
class Scores:
    """What the models said about the games; NaN where a stage or an answer does not exist.

    Shapes: (games, viewers, stages) for `cards`, `layouts`, `leads` and `shown`, with models as a
    fourth axis for the answers; `bins` are (games, 2 phases, models, bins, 3).
    """

    numbers: NDArray[np.int64]
    calls: NDArray[np.str_]
    plays: NDArray[np.str_]
    played_by: NDArray[np.str_]
    """The versions of the strategies, as JSON."""
    cards: F32
    """Unseen cards."""
    layouts: F32
    """The logarithm to base 10 of how many layouts fit the view."""
    shown: F32
    """Suits in which a hidden hand has shown out."""
    won: F32
    """Whether the card that the viewer's side led next won its trick."""
    bits: F32
    """The sum over unseen cards of -log2 of the chance given to the hand that holds it."""
    effective: F32
    """The effective sample size as a share of the layouts drawn."""
    wins: F32
    """The chance given to the card led next, by response (a fifth axis, `RESPONSES`)."""
    captures: F32
    """Mean and standard deviation of Algorithm 2's T (a fifth axis), for declarer and dummy."""
    tricks: F32
    """The forecast's expected tricks in the contract."""
    lost: F32
    """Tricks that the lead chosen by the model loses on the true deal, double dummy."""
    true_captures: F32
    """(games,)"""
    true_tricks: F32
    """(games,): as played."""
    bins: F32
    """For each tenth of the chance that a given hand holds a card: answers, their sum, hits."""

    def __len__(self) -> int:
        return len(self.numbers)

    def games(self) -> list[Game]:
        """The games that were scored."""
        rows = zip(self.numbers.tolist(), self.calls.tolist(), self.plays.tolist(), strict=True)
        return [Game(*row) for row in rows]

    @property
    def versions(self) -> tuple[Version, ...]:
        """The strategies that played the games, in all their versions."""
        texts = dict.fromkeys(self.played_by.tolist())
        return tuple(dict.fromkeys(version for text in texts for version in loads_versions(text)))


def load_scores(file: IO[bytes], name: str) -> Scores:
    """Read a file of scores; anything else is refused."""
    refusal = f"{name}: not scores of beliefs"
    arrays = load_arrays(file, refusal)
    arrays.setdefault("played_by", np.full(len(arrays.get("numbers", ())), "[]"))
    if missing := [field.name for field in fields(Scores) if field.name not in arrays]:
        raise FormatError(f"{refusal}: it has no {missing[0]}")
    halves = {name: array for name, array in arrays.items() if array.dtype == np.float16}
    return Scores(**arrays | {name: half.astype(np.float32) for name, half in halves.items()})


def shipped_scores() -> Scores:
    """The scores that come with the package."""
    with resources.files("tribridge.studies").joinpath("belief_games.npz").open("rb") as file:
        return load_scores(file, "belief_games.npz")
