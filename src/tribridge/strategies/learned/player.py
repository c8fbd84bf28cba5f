"""Card play by a network that was trained by self-play (`training.play`).

`releases` has the versions. The network of version 1 was trained for tricks, that of version 6 for
points: its observation says what each trick is worth at the table. The card that it prefers is
played; no rule comes before it. That a card is certain to decide the contract (`players.sure`) is
only said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from tribridge.cards.cards import FULL_DECK, Card
from tribridge.common.errors import quantity
from tribridge.common.sentences import Words, clause, words
from tribridge.game.views import View
from tribridge.networks.network import F32
from tribridge.networks.people import numbers_for
from tribridge.networks.play import (
    Observation,
    Steps,
    by_card,
    expand_one,
    observe,
    steps_of,
)
from tribridge.strategies.learned import POINTS, TRICKS, network
from tribridge.strategies.learned.releases import FOLDER, PLAYER, PLAYERS, PlayerRelease
from tribridge.strategies.learned.search import (
    EVEN,
    PLAYED_BY,
    Averages,
    PlayedBy,
    get_ready,
    search,
)
from tribridge.strategies.parameters import RELEASE, option
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.players.search.evaluation import Clock
from tribridge.strategies.players.sure import sure_cards
from tribridge.strategies.protocol import Choice, position_of
from tribridge.strategies.reasons import certain, reason_for

if TYPE_CHECKING:
    from numpy.random import Generator

UNEXPLAINED: Final = words("It did best in practice games.")
"""The reason of a card for which no rule speaks."""
_NODES: Final = 40
"""Tricks tried, for each card, to prove that it decides the contract."""


@dataclass(frozen=True, slots=True)
class LearnedPlayer:
    """Plays the card that the network prefers, or searches with the network."""

    name: ClassVar[str] = "learned"
    summary: ClassVar[str] = (
        "plays the card preferred by a network that learned from self-play and from experts"
    )
    releases: ClassVar[Mapping[int, PlayerRelease]] = PLAYERS

    layouts: int = option(0, "layouts per card to search; 0: as time allows", min=0, max=10_000)
    seconds: float = option(0.0, "seconds per card to search; 0: no limit, or no search", min=0)
    tie: float = option(
        1.0, "standard errors a card must be ahead by to overrule the network", min=0
    )
    doubt: float = option(
        0.04, "standard deviations it must be ahead by for each factor of e in the odds", min=0
    )
    plays: str = option(
        "itself", "by whom a search takes the hidden hands to be played", choices=tuple(PLAYED_BY)
    )
    release: PlayerRelease = field(default=PLAYER, metadata=RELEASE)

    @property
    def version(self) -> int:
        return self.release.version

    @property
    def searches(self) -> bool:
        return self.layouts > 0 or self.seconds > 0

    @property
    def weights(self) -> tuple[str, ...]:
        """The files of the package that its choices depend on."""
        own = f"{FOLDER}/{self.release.file}"
        return (own, PLAYED_BY[self.plays].file) if self.searches else (own,)

    def card(self, view: View, rng: Generator) -> Choice:
        legal = [card for card in view.legal if isinstance(card, Card)]
        if len(legal) == 1:
            return Choice(legal[0], words("{card} is the only legal card.", card=legal[0]))
        if view.deck != FULL_DECK:
            card, why = maxim(position_of(view))
            deck = "It has learned from full decks only, so the maxims decide: {maxim}"
            return Choice(card, words(deck, maxim=clause(why)))
        choose = self._for_points if self.release.points else self._for_tricks
        return choose(view, legal, rng)

    def _for_tricks(self, view: View, legal: list[Card], rng: Generator) -> Choice:
        """The choice among several cards of the full deck, for tricks."""
        preference, belief, value = heads(observe(view))
        if self.searches:
            averages, clock = self._search(view, belief, (), rng)
            return self._searched(view, preference, averages, clock)
        best, second = sorted(legal, key=lambda card: -preference[card.index])[:2]
        tricks = [float(view.won + value[card]) for card in (best, second)]
        reason = (
            f"{best} averages {tricks[0]:.1f} declarer tricks in self-play, "
            f"{second} {tricks[1]:.1f}."
        )
        return Choice(best, reason, {"tricks": tricks[0]})

    def _search(
        self, view: View, belief: F32, steps: Steps, rng: Generator
    ) -> tuple[Averages, Clock]:
        """The cards on layouts, and the clock of the search."""
        played_by = PLAYED_BY[self.plays]
        get_ready(view, played_by)
        clock = Clock.of(self.layouts, self.seconds)
        belief = beside_plays(view, belief, played_by, steps, self.release.file)
        return search(view, belief, played_by, self.layouts, clock, rng), clock

    def _searched(
        self,
        view: View,
        preference: F32,
        averages: Averages,
        clock: Clock,
        unit: str = "declarer tricks",
    ) -> Choice:
        """The network's favourite, unless another card is clearly ahead of it."""
        details = {"layouts": float(len(averages)), "seconds": clock.spent}
        cards = averages.cards
        if not len(averages):
            card = max(cards, key=lambda card: preference[card.index])
            return Choice(card, f"No time to search: {card} looks best.", details)
        sign = 1 if position_of(view).declaring else -1
        at = averages.choose(preference, sign, self.tie, self.doubt)
        means = averages.means()
        other = max((i for i in range(len(cards)) if i != at), key=lambda i: sign * means[i])
        better = sign * (means[other] - means[at]) >= 0.05
        reason = (
            f"{cards[at]} averages {means[at]:.1f} {unit} on "
            f"{quantity(len(averages), 'layout')}, {cards[other]} {means[other]:.1f}"
            f"{', which is too close to overrule the first choice' if better else ''}."
        )
        return Choice(cards[at], reason, {**details, unit.split()[-1]: float(means[at])})

    def _for_points(self, view: View, legal: list[Card], rng: Generator) -> Choice:
        """The choice among several cards of the full deck, for points."""
        position, steps = position_of(view), steps_of(view)
        preference, belief, value = heads(observe(view), steps, self.release.file)
        best = max(legal, key=lambda card: preference[card.index])
        sure = sure_cards(position, _NODES)

        def known(card: Card) -> Words | None:
            """What can be said for a card without the network."""
            return certain(position, card) if card in sure else reason_for(position, card)

        if self.searches:
            averages, clock = self._search(view, belief, steps, rng)
            points = np.array(view.stakes(position.contract))[averages.tricks.astype(int)]
            averages = replace(averages, tricks=points)
            choice = self._searched(view, preference, averages, clock, "declarer points")
            assert isinstance(choice.action, Card)
            return replace(choice, reason=known(choice.action) or choice.reason)
        tricks = float(view.won + value[best])
        reason = known(best) or UNEXPLAINED
        return Choice(best, reason, {"tricks": tricks})


def preferences(view: View) -> dict[Card, float]:
    """The legal cards in the network's order, each with declarer's average tricks in self-play.

    A card must be due, from the full deck.
    """
    preference, _, value = heads(observe(view), steps_of(view))
    legal = [card for card in view.legal if isinstance(card, Card)]
    ranked = sorted(legal, key=lambda card: -preference[card.index])
    return {card: float(view.won + value[card]) for card in ranked}


def heads(observation: Observation, steps: Steps = (), file: str = POINTS) -> F32:
    """For every card preference, belief and value (3, 52); without steps, those for tricks."""
    answers = network(file if steps else TRICKS)
    result: F32 = by_card(answers(*expand_one(observation, steps)))[:, 0]
    return result


def beside_plays(
    view: View, belief: F32, played_by: PlayedBy, steps: Steps = (), file: str = POINTS
) -> F32:
    """A belief without what counts twice where the cards played are weighed, too (`Powers`).

    The power is of what the network would believe had the contract been set. What the calls told
    it beside that stays: the plays say nothing of it.
    """
    power = played_by.powers(view).belief
    if power == EVEN.belief:
        return belief
    observation = observe(view)
    without = observation._replace(numbers=numbers_for(observation.numbers))
    less: F32 = belief - np.float32(1 - power) * heads(without, steps, file)[1]
    return less
