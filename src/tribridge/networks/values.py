"""What positions are worth if strong players go on: a network that sees all hands.

It is the critic of the training of `learned@2`, and gives the chances of every number of tricks
that declarer can end with. It learned from choices alone, so forced cards are played first. The
critic also gave chances after each card; these miss much of what a card costs that the players
would not choose, so a card is valued by the position that follows it, and the package is without
them.

`benchmarks/values.py` measures its errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any, Final

import numpy as np

from tribridge.cards.masks import F64, I64
from tribridge.common.once import once
from tribridge.game.auction import Auction, Mark
from tribridge.game.views import View
from tribridge.networks.auction import RANKS, SEATS, Contracts, calls_made
from tribridge.networks.network import NetworkKind, SuitNetwork, load_network, package_weights
from tribridge.networks.play import (
    MASKS,
    POINTS_KIND,
    PlayGames,
    expand,
    observe,
    only_card,
    same_contract,
    steps_from,
    steps_of,
)

OUTCOMES: Final = RANKS + 1
"""Numbers of tricks that declarer can end with."""
CRITIC_MASKS: Final = MASKS + 3
"""Those of an observation, then the hands of the three other chairs."""
KIND: Final = NetworkKind(
    "value", RANKS * CRITIC_MASKS + 6, POINTS_KIND.table, OUTCOMES * (RANKS + 1)
)
"""A critic: the chances after each card, and last those of the position."""
SHIPPED: Final = KIND._replace(outputs=OUTCOMES)
"""The last alone, as the package has it."""
_AT_ONCE: Final = 512
"""Positions valued together: more no longer fit a cache."""


@once
def network() -> SuitNetwork:
    """The network of the package."""
    name = "networks/data/values.npz.split"
    shipped = load_network(BytesIO(package_weights(name)), name, SHIPPED)
    own, bias, others = shipped.out
    return replace(shipped, out=(own, bias, others.copy()))  # by rows: there are few columns


def chances(games: PlayGames) -> F64:
    """The chances of declarer's tricks (n, 14), in games of the full deck that have steps."""
    result = np.zeros((len(games.hands), OUTCOMES))
    at = np.arange(len(result))
    while len(at):
        if games.over:
            result[at, games.won] = 1
            break
        legal = games.legal()
        free = legal & legal - 1 != 0
        if free.any():
            result[at[free]] = _valued(games.take(free))
        at, games, legal = at[~free], games.take(~free), legal[~free]
        games.step(only_card(legal))
    return result


def _valued(games: PlayGames) -> F64:
    masks, numbers = games.observe()
    masks = np.concatenate([masks, games.others()], 1)
    parts = [slice(at, at + _AT_ONCE) for at in range(0, len(masks), _AT_ONCE)]
    answers = np.concatenate(
        [network()(*expand(masks[part], numbers[part], np.float32)).mean(1) for part in parts]
    ).astype(np.float64)
    tricks, won = np.arange(OUTCOMES), games.won[:, None]
    answers[(tricks < won) | (tricks > won + games.size - games.cards // 4)] = -np.inf
    likely = np.exp(answers - answers.max(1, keepdims=True))
    result: F64 = likely / likely.sum(1, keepdims=True)
    return result


def layouts_of(view: View, hands: I64) -> PlayGames:
    """The games of layouts (n, 4: cards left by chair) of a view in which a card is due."""
    position, numbers = view.position, observe(view).numbers
    assert position is not None
    played = np.array([position.with_hands((0, 0, 0, 0)).dealt()], np.int64)
    contract = same_contract(numbers, played)
    games = PlayGames(contract, steps=np.array([steps_of(view)], np.int64))
    for card in (*(card for trick in view.tricks for card in trick.cards), *view.trick):
        games.step(np.array([card.index]))
    games = games.take(np.zeros(len(hands), np.int64))
    games.hands = hands
    return games


def after_cards(games: PlayGames, cards: Sequence[int]) -> F64:
    """The chances of declarer's tricks after each of some legal cards, by index: (n, cards, 14)."""
    count, every = len(games.hands), slice(None)
    result = np.empty((count, len(cards), OUTCOMES))
    for at, card in enumerate(cards):
        after = games.take(every)
        after.step(np.full(count, card))
        result[:, at] = chances(after)
    return result


def contracts_of(auction: Auction, hands: I64, stakes: Any) -> PlayGames:
    """The games of deals (n, 4: hands by chair) if the bid that stands became the contract.

    `stakes` are what each number of tricks would be worth to declarer.
    """
    bid, declarer = auction.last_bid, auction.bidder
    assert bid is not None
    assert declarer is not None
    while not auction.over:
        auction = auction.apply_unchecked(Mark.PASS)
    seats = [(declarer.index + at) % SEATS for at in range(SEATS)]
    bids, passes, _ = (
        np.tile([calls[seat] for seat in seats], (len(hands), 1)) for calls in calls_made(auction)
    )
    level, strain, doubled = (
        np.full(len(hands), number)
        for number in (bid.level, bid.strain.index, auction.factor.bit_length() - 1)
    )
    steps = np.tile(steps_from(tuple(stakes), bid.level), (len(hands), 1))
    return PlayGames(Contracts(hands, level, strain, doubled, bids, passes), steps=steps)
