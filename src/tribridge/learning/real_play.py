"""What `learned` makes: deals played out by the package's card-play network, many at once.

Double dummy says what four players who see all the cards would make. Here each chair sees only what
it may see, and plays the card that the network prefers, exactly as the strategy `learned` does
(the tests compare the two card by card).

The network sees the contract, so each deal needs one: in every strain it is at the level that the
double-dummy forecast expects from declarer's and dummy's hands (`contract_levels`), bid by declarer
and passed by the others. The network was trained on such contracts, give or take a trick.

A GPU plays in bfloat16, which now and then prefers another of two nearly equal cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tribridge.cards import FULL_DECK, Strain
from tribridge.double_dummy.labels import LabelWork, Tricks, chair_columns
from tribridge.learning.deals import Expected
from tribridge.learning.expected import forecast
from tribridge.learning.learner import Size, load_weights
from tribridge.learning.networks import make_policy
from tribridge.learning.play_games import Contracts, PlayGames, set_auction
from tribridge.learning.ppo import columns, half, preferences
from tribridge.learning.running import Graph
from tribridge.parallel import Range

PLAYER: Final = "learned"
"""The strategy whose play this is."""
AT_ONCE: Final = {"cuda": 8192, "cpu": 64}
"""Deals played in lockstep, in all their strains, by device."""

Masks = NDArray[np.uint64]


def shipped_policy(device: torch.device) -> nn.Module:
    """The network that plays as the strategy `learned`."""
    network = make_policy(Size().width, Size().layers)
    data = resources.files("tribridge.strategies.players.learned").joinpath("data/play.npz")
    with resources.as_file(data) as path:
        load_weights(network, path)
    return network.to(device).eval()


def contract_levels(expected: Tensor) -> Tensor:
    """The levels of contracts for as many tricks as are expected: 1 to 7."""
    return (expected.round().long() - FULL_DECK.book).clamp(1, FULL_DECK.levels)


def contracts_for(
    chairs: Tensor, strains: Sequence[Strain], expected: Expected, higher: int = 0
) -> Contracts:
    """One contract per deal and strain, strains varying fastest; hands (n, 4) in chair order.

    `higher` raises all levels, as far as there are any.
    """
    wanted = torch.tensor(strains, device=chairs.device)
    tricks = expected(chairs[:, 0], chairs[:, 2])[:, wanted] + higher
    level = contract_levels(tricks).flatten()
    strain = wanted.repeat(len(chairs))
    hands = chairs.repeat_interleave(len(strains), 0)
    return Contracts(hands, level, strain, torch.zeros_like(level), *set_auction(level, strain))


def play_best(policy: nn.Module, choose: Any, *contracts: Tensor) -> Tensor:
    """Tricks of declarer's side if every chair plays the card that the policy prefers."""
    games = PlayGames(Contracts(*contracts))
    while games.cards < 4 * (games.size - 1):
        masks, numbers = games.observe()
        with half(masks.device):
            card = choose(policy, masks, numbers, games.legal()).argmax(1)
        games.step(card)
    games.finish()
    return games.won.to(torch.int8)


class RealPlay:
    """The network at work on a device; on a GPU it runs as a captured graph of one size."""

    def __init__(
        self,
        device: str = "cpu",
        strains: Sequence[Strain] = tuple(Strain),
        *,
        at_once: int = 0,
        higher: int = 0,
    ) -> None:
        self.device = torch.device(device)
        self.strains = tuple(strains)
        self.at_once = at_once or AT_ONCE[self.device.type]
        self.higher = higher
        self.policy = shipped_policy(self.device)
        self.expected = forecast(self.device)
        on_gpu = self.device.type == "cuda"
        self._choose: Any = torch.compile(preferences, dynamic=False) if on_gpu else preferences
        self._graph: Graph | None = None

    @torch.no_grad()
    def start(self, chairs: Masks) -> Tensor:
        """Tricks (deals, strains) of at most `at_once` deals, still on the device.

        A GPU may still be working on them when this returns.
        """
        count = len(chairs)
        padded = np.resize(chairs, (self.at_once, 4)) if self.device.type == "cuda" else chairs
        hands = torch.from_numpy(padded.astype(np.int64)).to(self.device)
        parts = columns(contracts_for(hands, self.strains, self.expected, self.higher))
        if self.device.type == "cuda":
            self._graph = self._graph or Graph(self._play, parts)
            won = self._graph(*parts).clone()
        else:
            won = self._play(*parts)
        return won.reshape(-1, len(self.strains))[:count]

    def _play(self, *contracts: Tensor) -> Tensor:
        return play_best(self.policy, self._choose, *contracts)

    def tricks(self, chairs: Masks) -> Tricks:
        """Tricks (deals, strains) of any number of deals, given as hands (deals, 4) by chair."""
        pieces = (chairs[at : at + self.at_once] for at in range(0, len(chairs), self.at_once))
        played = [self.start(piece) for piece in pieces]
        result: Tricks = torch.cat(played).cpu().numpy()
        return result


def chairs_of(work: LabelWork, numbers: NDArray[np.uint64], masks: Masks) -> Masks:
    """The hands of each deal and declarer in chair order: (deals * declarers, 4)."""
    order = np.array([chair_columns(declarer) for declarer in range(3)])
    seats = work.seats(numbers)
    return np.take_along_axis(masks[:, None, :], order[seats], axis=2).reshape(-1, 4)


@dataclass(frozen=True, slots=True)
class PlayedDeals:
    """A job for `labelling.make_labels`: tricks by play instead of double dummy."""

    work: LabelWork
    play: RealPlay

    def run(self, piece: Range) -> Tricks:
        """The tricks in a range of deals: an array (deals, declarers, strains)."""
        start, stop = piece
        numbers = np.arange(stop - start, dtype=np.uint64) + np.uint64(start)
        chairs = chairs_of(self.work, numbers, self.work.masks(start, stop - start))
        return self.play.tricks(chairs).reshape(stop - start, -1, len(self.work.strains))


def relaid(chairs: Masks, layouts: int, rng: np.random.Generator) -> Masks:
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
