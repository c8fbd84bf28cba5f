"""Card play by a network that was trained by self-play (`training.play`)."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import IO, TYPE_CHECKING, ClassVar, Final

import numpy as np

from tribridge.cards import FULL_DECK, Card
from tribridge.errors import quantity
from tribridge.game.views import View
from tribridge.once import once
from tribridge.strategies.learned.network import F32, SuitNetwork, load_network
from tribridge.strategies.learned.play import (
    KIND,
    Observation,
    by_card,
    expand,
    observe,
)
from tribridge.strategies.learned.search import Averages, search
from tribridge.strategies.parameters import option
from tribridge.strategies.players.maxims.player import clause, maxim
from tribridge.strategies.players.search.evaluation import Clock
from tribridge.strategies.protocol import Choice, position_of

if TYPE_CHECKING:
    from numpy.random import Generator

SMALL: Final = "small.npz"
"""A small copy of the network, which the search uses for many layouts at once."""


@once
def network(name: str = "play.npz") -> SuitNetwork:
    """The network of a file in the package."""
    with resources.files(__package__).joinpath(f"data/{name}").open("rb") as file:
        return load(file, name)


def load(file: IO[bytes], name: str) -> SuitNetwork:
    """The network of a training's `play.npz`; anything else is refused."""
    return load_network(file, name, KIND)


@dataclass(frozen=True, slots=True)
class LearnedPlayer:
    """Plays the card that the network prefers, or searches with the network."""

    name: ClassVar[str] = "learned"
    version: ClassVar[int] = 1
    summary: ClassVar[str] = (
        "plays the card a network trained by self-play prefers, with or without search"
    )

    layouts: int = option(0, "layouts per card to search; 0: as time allows", min=0, max=10_000)
    seconds: float = option(0.0, "seconds per card to search; 0: no limit, or no search", min=0)
    tie: float = option(
        1.0, "standard errors a card must be ahead by to overrule the network", min=0
    )
    doubt: float = option(
        0.04, "standard deviations it must be ahead by for each factor of e in the odds", min=0
    )

    @property
    def weights(self) -> tuple[str, ...]:
        """The files of the package that its choices depend on."""
        names = ("play.npz", "small.npz") if self.layouts or self.seconds > 0 else ("play.npz",)
        return tuple(f"strategies/learned/data/{name}" for name in names)

    def card(self, view: View, rng: Generator) -> Choice:
        legal = [card for card in view.legal if isinstance(card, Card)]
        if len(legal) == 1:
            return Choice(legal[0], f"{legal[0]} is the only legal card.")
        if view.deck != FULL_DECK:
            card, why = maxim(position_of(view))
            return Choice(
                card, f"The network only knows the full deck, so the maxims decide: {clause(why)}"
            )
        observation = observe(view)
        preference, belief, value = heads(observation)
        if self.layouts or self.seconds > 0:
            clock = Clock.of(self.layouts, self.seconds)
            averages = search(view, belief, network(SMALL), self.layouts, clock, rng)
            return self._searched(view, preference, averages, clock)
        best, second = sorted(legal, key=lambda card: -preference[card])[:2]
        tricks = [float(view.won + value[card]) for card in (best, second)]
        reason = (
            f"{best} averages {tricks[0]:.1f} declarer tricks in self-play, "
            f"{second} {tricks[1]:.1f}."
        )
        return Choice(best, reason, {"tricks": tricks[0]})

    def _searched(self, view: View, preference: F32, averages: Averages, clock: Clock) -> Choice:
        """The network's favourite, unless another card is clearly ahead of it."""
        details = {"layouts": float(len(averages)), "seconds": clock.spent}
        cards = averages.cards
        if not len(averages):
            card = max(cards, key=lambda card: preference[card])
            return Choice(card, f"No time to search: the network prefers {card}.", details)
        sign = 1 if position_of(view).declaring else -1
        at = averages.choose(preference, sign, self.tie, self.doubt)
        means = averages.means()
        other = max((i for i in range(len(cards)) if i != at), key=lambda i: sign * means[i])
        better = sign * (means[other] - means[at]) >= 0.05
        reason = (
            f"{cards[at]} averages {means[at]:.1f} declarer tricks on "
            f"{quantity(len(averages), 'layout')}, {cards[other]} {means[other]:.1f}"
            f"{', which is too close to overrule the network' if better else ''}."
        )
        return Choice(cards[at], reason, {**details, "tricks": float(means[at])})


def preferences(view: View) -> dict[Card, float]:
    """The legal cards in the network's order, each with declarer's average tricks in self-play.

    A card must be due, from the full deck.
    """
    preference, _, value = heads(observe(view))
    legal = [card for card in view.legal if isinstance(card, Card)]
    ranked = sorted(legal, key=lambda card: -preference[card])
    return {card: float(view.won + value[card]) for card in ranked}


def heads(observation: Observation) -> F32:
    """For every card: preference, belief and value (3, 52)."""
    masks, numbers = (np.array([part], np.int64) for part in observation)
    answers: F32 = by_card(network()(*expand(masks, numbers, np.float32)))[:, 0]
    return answers
