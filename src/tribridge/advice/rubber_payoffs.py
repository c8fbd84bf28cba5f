"""The points of contracts in a rubber: what they score now, and what they do to the standing.

Points are on the scale of `prospects`, half of a settlement. A contract counts with the points
scored for it, the change in the worth of the standing (`game.rubber_worth`) and the expected value
of honours: a player's own are known, those of unseen hands are spread over them at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import comb, prod
from typing import Final

import numpy as np

from tribridge.advice.layouts import caller
from tribridge.cards.cards import FULL_DECK, Hand, Strain
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.cards.masks import F64
from tribridge.forecast.distribution import TRICKS
from tribridge.game.auction import Auction, Bid, Contract
from tribridge.game.laws import Laws, find_laws, honour_cards, honour_items
from tribridge.game.rubber_worth import deal_worth
from tribridge.game.standing import (
    RubberState,
    Standing,
    check_standing,
    parse_standing,
    standing_name,
)

DEFAULT_LAWS: Final = "auction-rubber"

_HOLDERS: Final = (*Seat, HIDDEN)
_SIZE: Final = FULL_DECK.hand_size


@dataclass(frozen=True, slots=True)
class RubberPayoffs:
    """What contracts are worth to one player of a rubber."""

    state: RubberState
    seat: Seat
    hand: Hand
    dummy: Hand | None = None
    opponent: Seat | None = None
    """The opponent whose bid stands, if there is one."""

    def declaring(self, bid: Bid, factor: int = 1) -> F64:
        """The points of the player's own contract, by tricks: (14,)."""
        return self._points(Contract(bid, self.seat, factor))

    def defending(self, bid: Bid, factor: int = 1) -> F64:
        """The points of the opponent's contract for the player, by declarer's tricks: (14,)."""
        assert self.opponent is not None
        return self._points(Contract(bid, self.opponent, factor))

    def _points(self, contract: Contract) -> F64:
        return _contract_points(self.state, contract)[:, self.seat] + self._honours(contract)

    def _honours(self, contract: Contract) -> float:
        strain = contract.bid.strain
        held = Hand(honour_cards(strain))
        dummy = None if self.dummy is None else len(self.dummy & held)
        own = len(self.hand & held)
        return expected_honours(self.state.laws, strain, contract.declarer, self.seat, own, dummy)


def rubber_of(
    laws: Laws | str | None, standing: Standing | str | None, auction: Auction
) -> RubberState | None:
    """The state of a rubber; None if there are neither laws nor a standing.

    Text gives the standing in the words of the next player to call, a `Standing` by seat.

    >>> rubber_of(None, "me 20, left 1 game", Auction(Seat.SOUTH)).standing
    Standing(below=(0, 0, 20), games=(1, 0, 0))
    """
    if laws is None and not standing:
        return None
    chosen = find_laws(DEFAULT_LAWS if laws is None else laws)
    if standing is None or isinstance(standing, str):
        seat = caller(auction)
        owners = {seat: "your", seat.left: "left's", seat.right: "right's"}
        read = parse_standing(standing or "", chosen, players(seat), owners)
        return RubberState(chosen, read)
    return RubberState(chosen, check_standing(chosen, *standing))


def rubber_name(state: RubberState, seat: Seat) -> str:
    """The laws and the standing, in the words of a player."""
    names = {player: name for name, player in players(seat).items()}
    return f"{state.laws.name}, {standing_name(state.standing, names) or 'nobody has scored'}"


def players(seat: Seat) -> dict[str, Seat]:
    """The players as one of them names them."""
    return {"me": seat, "left": seat.left, "right": seat.right}


@lru_cache(1 << 14)
def _contract_points(state: RubberState, contract: Contract) -> F64:
    """Half of what a contract settles for each player, by tricks: (14, 3)."""
    return np.array([deal_worth(state, contract, tricks) for tricks in range(TRICKS + 1)]) / 2


@lru_cache(1 << 12)
def expected_honours(
    laws: Laws, strain: Strain, declarer: Seat, seat: Seat, own: int, dummy: int | None
) -> float:
    """Half of what honours can be expected to settle for a player who holds `own` of them."""
    known = {seat: own} if dummy is None else {seat: own, HIDDEN: dummy}
    unseen = [holder for holder in _HOLDERS if holder not in known]
    left = len(honour_cards(strain)) - sum(known.values())
    expected = 0.0
    for split in product(range(left + 1), repeat=len(unseen)):
        if sum(split) != left:
            continue
        chance = prod(comb(_SIZE, held) for held in split) / comb(_SIZE * len(unseen), left)
        counts = known | dict(zip(unseen, split, strict=True))
        north, east, south, hidden = (counts[holder] for holder in _HOLDERS)
        for item in honour_items(laws, strain, declarer, (north, east, south, hidden)):
            expected += chance * item.points * (1 if item.seat is seat else -0.5)
    return expected
