"""Card play as people play: a network that learned from boards of experts (`training.experts`).

It sees the contract and the cards, not the auction nor what the table plays for
(`networks.people`). `shares` says how many experts would play each card; the player plays the most
popular one, or draws one.

What each card is worth the network does not know. Experts know more of it than the network does:
they heard an auction. So whoever has valued the cards expects somewhat more experts to play the
good ones (`expected_shares`), those that are equal in play together (`together`). These are the
shares that people are told, in reviews, hints and puzzles; the player alone tells none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from tribridge.cards.cards import FULL_DECK, Card
from tribridge.common.once import once
from tribridge.common.sentences import Sentence, clause, joined, words
from tribridge.forecast.distribution import percent
from tribridge.game.position import Position
from tribridge.game.views import View
from tribridge.networks import people
from tribridge.networks.network import F32, SuitNetwork, load_network, package_weights
from tribridge.networks.play import POINTS_KIND, by_card, expand_one, observe
from tribridge.strategies.parameters import option
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.protocol import Choice, position_of
from tribridge.strategies.reasons import gives_away, groups, reason_for

if TYPE_CHECKING:
    from numpy.random import Generator

FOLDER: Final = "strategies/human/data"
"""In the package; weights are named from there."""
FILE: Final = "human.npz.split"
SMALL: Final = "small.npz.split"
"""A small network that learned the same, for many layouts at once."""
MOVED: Final = 0.84765
"""How much less the log odds of a clearly worse card are than the network says.

The puzzles from experts' boards have one clearly best card: with this, as many experts are expected
to play it as did."""
CLEAR: Final = 0.1
"""The loss from which a card is clearly worse, as a share of what is at stake."""

_RARE: Final = 0.15
"""The share of experts below which a card is said to be drawn, if another one has far more."""
_AGREED: Final = 0.9
"""The share of experts for a card from which there is nothing to say about it."""
ALL: Final = frozenset({">99", "100"})
"""Shares of experts that are nearly all of them."""
_LEARNED: Final = words("So it learned from the boards of experts.")
_DRAWN: Final = words(
    "Few experts would play this card: this level plays such a card, too, now and then."
)
_EXPERTS: Final = "About {share}% of experts would play {card} here, {others}% {other}."
_NEARLY_ALL: Final = "Nearly all experts would play {card} here, {others}% {other}."
Popular = tuple[tuple[Card, ...], float]
"""Cards that are equal in play, the highest first, and the share of experts for them."""


@once
def network(name: str = FILE) -> SuitNetwork:
    """A network of the package."""
    return load_network(BytesIO(package_weights(f"{FOLDER}/{name}")), name, POINTS_KIND)


def heads(view: View) -> F32:
    """For every card preference, belief and value (3, 52), as people would see the view."""
    observation = observe(view)
    seen = people.numbers_for(observation.numbers)
    shown = expand_one(observation._replace(numbers=seen), people.steps_for(seen.level))
    answers: F32 = by_card(network()(*shown))[:, 0]
    return answers


def shares(view: View, temperature: float = 1.0) -> dict[Card, float]:
    """The share of experts that would play each legal card, the most popular first.

    A card must be due, from the full deck. Below a temperature of 1 the popular cards gain.
    """
    position_of(view)
    legal = [card for card in view.legal if isinstance(card, Card)]
    wishes = heads(view)[0][[card.index for card in legal]].astype(np.float64) / temperature
    powers = np.exp(wishes - wishes.max())
    chances = (powers / powers.sum()).tolist()
    return dict(sorted(zip(legal, chances, strict=True), key=lambda pair: -pair[1]))


def expected_shares(
    popular: Mapping[Card, float], losses: Mapping[Card, float]
) -> dict[Card, float]:
    """The share of experts expected to play each card, given what each loses of the stake.

    >>> king, four = Card("SK"), Card("S4")
    >>> expected_shares({king: 0.5, four: 0.5}, {king: 0.0, four: 0.3})[king] > 0.5
    True
    """
    powers = {
        card: share * float(np.exp(-MOVED * (losses[card] >= CLEAR)))
        for card, share in popular.items()
    }
    total = sum(powers.values())
    return {card: power / total for card, power in powers.items()}


def together(position: Position, popular: Mapping[Card, float]) -> list[Popular]:
    """Cards that are equal in play with the share of experts for them, the most popular first."""
    known = ([card for card in equal if card in popular] for equal in groups(position))
    added = [(tuple(each), sum(popular[card] for card in each)) for each in known if each]
    return sorted(added, key=lambda each: -each[1])


def experts_say(popular: Sequence[Popular], card: Card) -> Sentence | None:
    """What experts would play, unless nearly all of them would play this card."""
    own = next((each for each in popular if card in each[0]), None)
    if own is None or len(popular) < 2 or own[1] >= _AGREED:
        return None
    first, second = popular[0], popular[1] if own is popular[0] else own
    fields = {
        "share": percent(first[1]),
        "card": one_of(first[0]),
        "others": percent(second[1]),
        "other": one_of(second[0]),
    }
    return Sentence(_NEARLY_ALL if fields["share"] in ALL else _EXPERTS, fields)


def one_of(cards: Sequence[Card]) -> str:
    """Cards of one suit that are equal in play.

    >>> one_of([Card("SJ"), Card("ST")])
    '♠J/10'
    """
    ranks = (str(card.rank).replace("T", "10") for card in cards)
    return f"{cards[0].suit.sign}{'/'.join(ranks)}"


@dataclass(frozen=True, slots=True)
class HumanPlayer:
    """Plays the card that most experts would play, or draws one as they differ."""

    name: ClassVar[str] = "human"
    version: ClassVar[int] = 2
    summary: ClassVar[str] = "plays the card that most experts would play, or draws one of theirs"
    weights: ClassVar[tuple[str, ...]] = (f"{FOLDER}/{FILE}",)

    temperature: float = option(
        0.0,
        "0: the most popular card; 1: cards as often as experts play them; more: wilder",
        min=0,
        max=10,
    )

    def card(self, view: View, rng: Generator) -> Choice:
        legal = [card for card in view.legal if isinstance(card, Card)]
        if len(legal) == 1:
            return Choice(legal[0], words("{card} is the only legal card.", card=legal[0]))
        if view.deck != FULL_DECK:
            card, why = maxim(position_of(view))
            deck = "It has learned from full decks only, so the maxims decide: {maxim}"
            return Choice(card, words(deck, maxim=clause(why)))
        popular = shares(view)
        card = next(iter(popular))
        if self.temperature:
            drawn = shares(view, self.temperature)
            card = list(drawn)[int(rng.choice(len(drawn), p=list(drawn.values())))]
        position = position_of(view)
        alike = together(position, popular)
        share, most = next(part for cards, part in alike if card in cards), alike[0][1]
        told = reason_for(position, card)
        if share < _RARE < most / 2:
            said = gives_away(position, card) or told
            told = joined(" ", (_DRAWN, said)) if said else _DRAWN
        return Choice(card, told or _LEARNED, {str(each): part for each, part in popular.items()})
