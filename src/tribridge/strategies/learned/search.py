"""Search with the network: layouts drawn by its beliefs, valued by a network and double dummy.

The network estimates for every unseen card which of the two hidden hands holds it. Layouts that fit
the view are drawn uniformly and kept in proportion to the product of these chances (`believed`).
They are then weighted by how likely a small copy of the network makes the cards that the hidden
hands played (`replay`), kept in proportion to that too, and solved double dummy after every legal
card. The network's favourite is played unless another card is clearly ahead of it, and the surer
the network is, the clearer it must be: double dummy overrates cards that put a guess off.

Reviews value cards on such layouts by a network that sees all hands and says what strong players
would make of each (`after_each`).

`benchmarks/decisions.py` compares this with other weights, numbers of layouts and rules of choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge import beliefs
from tribridge.cards.cards import Card
from tribridge.common.arrays import bits
from tribridge.game.tricks import Chair
from tribridge.game.views import View
from tribridge.networks import values
from tribridge.networks.auction import RANKS, SUITS
from tribridge.networks.network import F32, SuitNetwork
from tribridge.networks.play import (
    CHAIRS,
    I64,
    Numbers,
    PlayGames,
    observe,
    only_card,
    preferences,
    same_contract,
)
from tribridge.networks.values import after_cards, layouts_of
from tribridge.strategies import human
from tribridge.strategies.human.plays import share_of
from tribridge.strategies.learned import SMALL, network
from tribridge.strategies.learned.releases import FOLDER
from tribridge.strategies.players.search.evaluation import (
    Clock,
    first_guess,
    solver_of,
    value_layouts,
)
from tribridge.strategies.players.search.sampling import by_weight
from tribridge.strategies.players.suits import apart, equals
from tribridge.strategies.protocol import position_of

if TYPE_CHECKING:
    from numpy.random import Generator

MOST_LAYOUTS: Final = 100
"""Most layouts solved under a time limit alone."""
FEWEST: Final = 8
"""Fewest layouts worth an average, if there are more: below, the network decides."""
_WEIGHED: Final = 4
"""Layouts weighted by the play for each one solved."""
_TWICE: Final = 2
"""Layouts weighted by the play for each one that a review keeps."""
_DRAWN: Final = 20
"""Layouts drawn for each one that is weighted by the play."""
_BATCH: Final = 100
"""Layouts drawn or weighted by the play together."""
_TIMED_WEIGHTS: Final = 25
"""Layouts weighted between two looks at the clock, where there is one."""
_WEIGHING_SHARE: Final = 0.4
"""Share of the time limit after which no more layouts are weighted."""
SUREST: Final = 12.0
"""How sure of a card the network is taken to be at most: e to this power times as likely."""
F64 = NDArray[np.float64]


class Powers(NamedTuple):
    """Powers of chances: below 1 they tell less than they seem to, and at 0 nothing."""

    belief: float = 1.0
    """Of what the network believes without the calls (`player.beside_plays`)."""
    partner: float = 1.0
    """Of the other defender's plays, for a defender."""
    opponents: float = 1.0


EVEN: Final = Powers()


@dataclass(frozen=True, slots=True)
class PlayedBy:
    """Whom a search takes the hidden hands for: how likely they play a card, and what it tells.

    Beliefs already count part of what the plays show.
    """

    file: str
    """The weights of their network, in the package."""
    network: Callable[[], SuitNetwork]
    log_chance: Callable[[SuitNetwork, PlayGames, int], F64]
    """The logarithm of the chance of a card in each of many layouts of one position."""
    declaring: Powers = EVEN
    """For declarer, whose opponents are the defenders."""
    defending: Powers = EVEN

    def powers(self, view: View) -> Powers:
        """Those of the viewer; before the first card nothing is told but by beliefs."""
        if not (view.tricks or view.trick):
            return EVEN
        return self.declaring if view.own_chair is Chair.DECLARER else self.defending


@dataclass(frozen=True, slots=True)
class Averages:
    """Declarer's tricks after each legal card on the layouts that were solved."""

    cards: tuple[Card, ...]
    tricks: F64
    """(layouts, cards)"""
    weights: F64
    """(layouts,): they sum to 1, unless there are no layouts."""

    def __len__(self) -> int:
        return len(self.tricks)

    def means(self) -> F64:
        means: F64 = self.weights @ self.tricks
        return means

    def choose(self, preference: F32, sign: int, tie: float, doubt: float) -> int:
        """The card, by its index: the network's favourite, or the one most clearly ahead of it.

        A card must be ahead by more than `tie` standard errors, and by more than `doubt` standard
        deviations for every factor of e by which the network prefers its favourite. `sign` is 1 if
        declarer's tricks are the player's gain, and -1 for a defender.
        """
        wishes = preference[[card.index for card in self.cards]].astype(np.float64)
        favourite = int(wishes.argmax())
        ahead = sign * (self.tricks - self.tricks[:, [favourite]])
        mean = self.weights @ ahead
        squares = np.square(ahead - mean)
        error, spread = np.sqrt(np.square(self.weights) @ squares), np.sqrt(self.weights @ squares)
        surer = np.minimum(wishes[favourite] - wishes, SUREST)
        margin = np.maximum(tie * error, doubt * surer * spread)
        clear = np.round(mean - margin, 9)
        return int(np.lexsort((wishes, clear))[-1])  # the favourite's own is 0


def believed(
    view: View, belief: F32, count: int, rng: Generator, drawn: int = _DRAWN
) -> tuple[I64, F64, bool]:
    """Layouts by beliefs (n, 4: cards left by chair), their weights, and whether these are all.

    `drawn` are drawn for each one kept.
    """
    layouts = beliefs.layouts_of(view)
    whole = layouts.count <= count
    masks = layouts.every(count) if whole else layouts.sample(drawn * count, rng)
    hands = beliefs.chairs(view, masks).astype(np.int64)
    weights = likelihood(view, belief, hands)
    if whole:
        return hands, weights, True
    return hands[by_weight(weights, count, rng)], np.ones(count), False


def likely(
    view: View, belief: F32, played_by: PlayedBy, count: int, rng: Generator, drawn: int = _DRAWN
) -> tuple[I64, F64, bool]:
    """The same by beliefs and by the cards played.

    Twice as many as are kept are weighted by the play; one that is drawn several times is kept once
    and counts as often.
    """
    if not (view.tricks or view.trick):
        return believed(view, belief, count, rng, drawn)
    hands, weights, whole = believed(view, belief, _TWICE * count, rng, drawn)
    weights = _relative(np.log(weights) + replay(played_by, view, observe(view).numbers, hands)[1])
    if len(hands) <= count:
        return hands, weights, whole
    edges = np.cumsum(weights) * (count / weights.sum())
    edges[-1] = count
    times = np.diff(np.floor(edges + rng.random()), prepend=0)
    return hands[times > 0], times[times > 0], False


def after_each(view: View, hands: I64) -> tuple[tuple[Card, ...], F64]:
    """The legal cards in order, and the chances of declarer's tricks (layouts, cards, 14)."""
    position = position_of(view)
    cards = tuple(sorted(position.legal, key=lambda card: card.index))
    different = sorted(card.index for card in apart(position, cards))
    chances = after_cards(layouts_of(view, hands), different)
    # Cards that are equal take the value of the lowest of them, which has the highest index.
    return cards, chances[:, np.searchsorted(different, [card.index for card in cards])]


def get_ready(view: View, played_by: PlayedBy) -> None:
    """Load what a search needs, once in a process, before the clock of a choice starts."""
    played_by.network()
    values.network()
    solver_of(view.deck)


def search(
    view: View, belief: F32, played_by: PlayedBy, layouts: int, clock: Clock, rng: Generator
) -> Averages:
    """The legal cards solved on layouts drawn by weight, as many as there is time for.

    There are no averages if time runs out after a few.
    """
    hands, weights = draw(view, belief, played_by, layouts or MOST_LAYOUTS, clock, rng)
    position = position_of(view)
    remaining = [(a, b, c, d) for a, b, c, d in hands.tolist()]
    solved = value_layouts(position, view.deck, remaining, clock)
    if len(solved) < min(FEWEST, len(hands)):
        solved = []
    tricks = [[layout.values[card] for card in position.legal] for layout in solved]
    weights = weights[: len(solved)]
    return Averages(
        position.legal,
        np.array(tricks, np.float64).reshape(len(solved), len(position.legal)),
        weights / weights.sum() if len(solved) else weights,
    )


def draw(
    view: View, belief: F32, played_by: PlayedBy, count: int, clock: Clock, rng: Generator
) -> tuple[I64, F64]:
    """Up to `count` layouts (cards left by chair) in random order, with their weights.

    Several times as many are weighted as are kept. If they turn out to be `count` or fewer, because
    there are so few or time is short, all are kept with their weights; otherwise those kept were
    drawn by weight and count the same.
    """
    numbers = observe(view).numbers
    chosen, logs = [np.empty((0, CHAIRS), np.int64)], [np.empty(0)]
    for batch, log in _batches(view, belief, _WEIGHED * count, rng):
        for hands in _pieces(batch, clock, _weighing_time(clock, batch), _TIMED_WEIGHTS):
            _, played = replay(played_by, view, numbers, hands)
            chosen.append(hands)
            logs.append(log[: len(hands)] + played)
            log = log[len(hands) :]
        if len(log):  # out of time
            break
    hands, weights = np.concatenate(chosen), _relative(np.concatenate(logs))
    if len(hands) <= count:
        return hands, weights
    drawn = by_weight(weights, count, rng)
    return hands[drawn], np.ones(count)


def _pieces(hands: I64, clock: Clock, until: float | None, timed: int) -> Iterator[I64]:
    """Layouts in batches or, under a clock, in pieces of `timed` as long as the next one fits."""
    size, slowest = timed if until is not None else _BATCH, 0.0
    for at in range(0, len(hands), size):
        began = clock.spent
        if until is not None and began + slowest > until:
            return
        yield hands[at : at + size]
        slowest = max(slowest, clock.spent - began)


def _weighing_time(clock: Clock, hands: I64) -> float | None:
    """Seconds after which no more layouts are weighted: some of them must still be solved."""
    if clock.seconds is None:
        return None
    a, b, c, d = hands[0].tolist()
    solving = first_guess((a, b, c, d))
    return min(_WEIGHING_SHARE * clock.seconds, max(0.0, clock.seconds - solving))


def _batches(view: View, belief: F32, count: int, rng: Generator) -> Iterator[tuple[I64, F64]]:
    """Layouts in random order, with logarithms of what is left of their weights by belief.

    If there are no more than `count` layouts, these are all of them with their weights; otherwise
    they are drawn by belief and weigh the same.
    """
    layouts = beliefs.layouts_of(view)
    if layouts.count <= count:
        every = beliefs.chairs(view, layouts.every(count)).astype(np.int64)
        every = rng.permutation(every)
        logs = np.log(likelihood(view, belief, every))
        for at in range(0, len(every), _BATCH):
            yield every[at : at + _BATCH], logs[at : at + _BATCH]
        return
    for at in range(0, count, _BATCH):
        size = min(_BATCH, count - at)
        drawn = beliefs.chairs(view, layouts.sample(size * _DRAWN, rng)).astype(np.int64)
        yield drawn[by_weight(likelihood(view, belief, drawn), size, rng)], np.zeros(size)


def _relative(log: F64) -> F64:
    """Weights relative to the largest, none so small that it counts as 0."""
    weights: F64 = np.exp(np.maximum(log - log.max(initial=-np.inf), -500))
    return weights


def likelihood(view: View, belief: F32, hands: I64) -> F64:
    """How likely the network's beliefs make each layout, relative to the most likely one."""
    assert view.chair is not None
    odds = belief.astype(np.float64)
    near, far = hidden_hands(view.chair)
    cards = np.arange(SUITS * RANKS)
    near_has, far_has = (
        (hands[:, chair, None] >> cards & 1).astype(np.float64) for chair in (near, far)
    )
    log: F64 = -near_has @ np.logaddexp(0, -odds) - far_has @ np.logaddexp(0, odds)
    return _relative(log)


def hidden_hands(chair: Chair) -> tuple[Chair, Chair]:
    """The hand that the belief of a chair's player is about, and the other hidden hand.

    It is the next chair, or for the left defender, who sees that one (dummy), declarer.
    """
    if chair is Chair.LEFT:
        return Chair.DECLARER, Chair.RIGHT
    near = Chair((chair + 1) % CHAIRS)
    return near, Chair.LEFT if chair is Chair.RIGHT else Chair((near + 2) % CHAIRS)


_CHANCE: Final = 0.1
"""Share of plays that are taken to be random."""
_EXPERT_CHANCE: Final = 0.02
"""The same of experts."""


def replay(played_by: PlayedBy, view: View, numbers: Numbers, left: I64) -> tuple[PlayGames, F64]:
    """The games of layouts (remaining cards by chair) after the play so far, with log weights."""
    history = [*(card for trick in view.tricks for card in trick.cards), *view.trick]
    network = played_by.network()
    own, (_, partner, opponents) = view.own_chair, played_by.powers(view)
    powers = (
        {1: opponents, 3: opponents}
        if own == Chair.DECLARER
        else {0: opponents, 2: opponents, 4 - (own or 0): partner}
    )
    dealt = left | np.array(position_of(view).with_hands((0, 0, 0, 0)).dealt(), np.int64)
    games = PlayGames(same_contract(numbers, dealt))
    log = np.zeros(len(left))
    for card in history:
        if power := powers.get(int(games.chair[0])):
            log += power * played_by.log_chance(network, games, card.index)
        games.step(np.full(len(left), card.index))
    return games, log


def by_network(network: SuitNetwork, games: PlayGames, card: int) -> F64:
    """How likely the network would have played a card, or its equals, in each layout."""
    legal = games.legal()
    result = np.zeros(len(legal))
    free = (legal & legal - 1 != 0).nonzero()[0]
    if not len(free):
        return result
    legal = legal[free]
    masks, numbers = games.observe()
    wishes = preferences(network, masks[free], numbers[free], legal).astype(np.float64)
    chances = np.exp(wishes - wishes.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    mine: I64 = games.mine[free]
    others = games.hands[free].sum(1) - mine | games.trick[free].sum(1)
    same = bits(mine & equals(card, others), SUITS * RANKS)
    count = np.bitwise_count(legal.astype(np.uint64))
    result[free] = np.log((1 - _CHANCE) * (chances * same).sum(1) + _CHANCE * same.sum(1) / count)
    return result


def by_experts(network: SuitNetwork, games: PlayGames, card: int) -> F64:
    """How likely an expert would have played a card in each layout, by a network of experts."""
    count = np.bitwise_count(games.legal().astype(np.uint64))
    share = share_of(network, games, card)
    log: F64 = np.log((1 - _EXPERT_CHANCE) * share + _EXPERT_CHANCE / count)
    return log


PLAYED_BY: Final = {
    "itself": PlayedBy(
        f"{FOLDER}/{SMALL}",
        partial(network, SMALL),
        by_network,
        declaring=Powers(1, 1, 0.15),
        defending=Powers(1, 0.7, 0.15),
    ),
    "experts": PlayedBy(
        f"{human.FOLDER}/{human.SMALL}",
        partial(human.network, human.SMALL),
        by_experts,
        declaring=Powers(0, 1, 1),
        defending=Powers(0.6, 0.7, 0.75),
    ),
}
"""By whom a search may take the hidden hands to be played: the player itself, or experts.

The powers of experts were fitted to boards of theirs (`benchmarks/play_beliefs.py`)."""
EXPERTS: Final[PlayedBy] = PLAYED_BY["experts"]
"""Whom reviews and hints take the hidden hands for."""


def play_out(network: SuitNetwork, games: PlayGames) -> I64:
    """Declarer's tricks in each game if all chairs play the card the network prefers."""
    while not games.over:
        legal = games.legal()
        card = only_card(legal)
        free = (legal & legal - 1 != 0).nonzero()[0]
        if len(free):
            masks, numbers = (part[free] for part in games.observe())
            card[free] = preferences(network, masks, numbers, legal[free]).argmax(1)
        games.step(card)
    won: I64 = games.won
    return won
