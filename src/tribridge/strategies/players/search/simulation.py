"""The play of one layout, made to be played out fast: a state that changes in place."""

from __future__ import annotations

from dataclasses import dataclass

from tribridge.cards import Card
from tribridge.game.tricks import Chair, Trick, winning_place
from tribridge.game.view import View
from tribridge.strategies.players.sight import NO_TRUMP, ROW, Sight, shown_voids
from tribridge.strategies.protocol import StrategyError

Hands = tuple[int, int, int, int]
"""The cards left in the order of the chairs."""

_CHAIRS = tuple(Chair)


@dataclass(slots=True)
class Simulation:
    """A play in progress with all hands known; `play` does not check the card."""

    hands: list[int]
    trump: int
    leader: int
    trick: tuple[Card, ...]
    tricks: tuple[Trick, ...]
    voids: list[int]
    won: int
    needed: int
    size: int

    @property
    def over(self) -> bool:
        return not self.trick and not self.hands[self.leader]

    @property
    def chair(self) -> int:
        return (self.leader + len(self.trick)) & 3

    def with_hands(self, hands: Hands) -> Simulation:
        """The same position with these cards left."""
        return Simulation(
            hands=list(hands),
            trump=self.trump,
            leader=self.leader,
            trick=self.trick,
            tricks=self.tricks,
            voids=list(self.voids),
            won=self.won,
            needed=self.needed,
            size=self.size,
        )

    def legal(self) -> int:
        """The cards that may be played."""
        held = self.hands[self.chair]
        if self.trick:
            return held & ROW << self.trick[0] // 13 * 13 or held
        return held

    def sight(self) -> Sight:
        """What the chair that plays sees."""
        hands, chair = self.hands, self.chair
        voids = self.voids
        if chair & 1:
            friend, unseen = 0, hands[0] | hands[chair ^ 2]
        else:
            friend, unseen = hands[chair ^ 2], hands[1] | hands[3]
        return Sight(
            chair=chair,
            mine=hands[chair],
            friend=friend,
            dummy=hands[2],
            unseen=unseen,
            trump=self.trump,
            leader=self.leader,
            trick=self.trick,
            voids=(voids[0], voids[1], voids[2], voids[3]),
            tricks=self.tricks,
            won=self.won,
            needed=self.needed,
            size=self.size,
            bids=(),
        )

    def play(self, card: Card) -> None:
        """Play a card that is known to be allowed."""
        chair = self.chair
        self.hands[chair] ^= 1 << card
        trick = (*self.trick, card)
        if card // 13 != trick[0] // 13:
            self.voids[chair] |= 1 << trick[0] // 13
        if len(trick) < 4:
            self.trick = trick
            return
        taker = (self.leader + winning_place(trick, self.trump)) & 3
        self.tricks = (*self.tricks, Trick(_CHAIRS[self.leader], trick, _CHAIRS[taker]))
        self.leader, self.trick = taker, ()
        self.won += not taker & 1


def simulation_of(view: View) -> Simulation:
    """The position of a view, with no hands yet."""
    contract, leader = view.contract, view.leader
    if contract is None or leader is None:
        raise StrategyError("no card is due in this view")
    trump = int(contract.bid.strain)
    return Simulation(
        hands=[0, 0, 0, 0],
        trump=NO_TRUMP if trump == 4 else trump,
        leader=int(leader),
        trick=view.trick,
        tricks=view.tricks,
        voids=shown_voids(view.tricks, leader, view.trick),
        won=view.won,
        needed=contract.tricks_needed(view.deck),
        size=view.deck.hand_size,
    )
