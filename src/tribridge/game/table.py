"""The table: one deal from the first call to the last card, as a frozen state.

For an action (a call or a card) there are three calls: `check` raises and says why it is refused,
`can` answers, `apply` checks and returns the next state. `apply_unchecked` skips the check, for
simulation. A state never changes; `view` gives what one seat may see of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tribridge.cards import Card
from tribridge.deals import Deal, Seat
from tribridge.errors import IllegalActionError
from tribridge.game.auction import Auction, Bid, Call, Contract, Mark
from tribridge.game.tricks import Play, start_play

Action = Bid | Mark | Card


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a deal ended: the contract (None: passed out) and the tricks its declarer won."""

    contract: Contract | None
    tricks: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """One deal in progress.

    >>> from tribridge.dealer import deal
    >>> from tribridge.game.auction import parse_call
    >>> table = new_table(deal(1, 0), Seat.NORTH)
    >>> for call in ("1NT", "pass", "2H", "pass", "pass"):
    ...     table = table.apply(parse_call(call))
    >>> str(table.contract), str(table.turn), len(table.legal())
    ('2♥ by South', 'North', 13)
    """

    deal: Deal
    auction: Auction
    play: Play | None = None

    @property
    def dealer(self) -> Seat:
        return self.auction.dealer

    @property
    def contract(self) -> Contract | None:
        return self.auction.contract

    @property
    def over(self) -> bool:
        return self.auction.over if self.play is None else self.play.over

    @property
    def turn(self) -> Seat | None:
        """Who must act; None when the deal is over."""
        return self.auction.turn if self.play is None else self.play.turn

    @property
    def outcome(self) -> Outcome | None:
        """How the deal ended; None while it goes on."""
        if not self.over:
            return None
        return Outcome(None) if self.play is None else Outcome(self.contract, self.play.won)

    def legal(self) -> tuple[Action, ...]:
        """All actions allowed now; none when the deal is over."""
        return self.auction.legal() if self.play is None else self.play.legal()

    def check(self, action: Action, seat: Seat | None = None) -> None:
        """Refuse an action that is not allowed now (by this seat, if one is given)."""
        turn = self.turn
        if turn is None:
            raise IllegalActionError(f"{action} is refused: the deal is over")
        if seat is not None and seat is not turn:
            raise IllegalActionError(f"{seat} cannot act: it is {turn}'s turn")
        if isinstance(action, Card):
            if self.play is None:
                raise IllegalActionError(f"{turn} cannot play {action}: a call is due")
            self.play.check(action)
        elif self.play is not None:
            raise IllegalActionError(f"{turn} cannot call {action}: the auction is over")
        else:
            self.auction.check(action)

    def can(self, action: Action, seat: Seat | None = None) -> bool:
        """Whether an action is allowed now (by this seat, if one is given)."""
        try:
            self.check(action, seat)
        except IllegalActionError:
            return False
        return True

    def apply(self, action: Action, seat: Seat | None = None) -> Table:
        """The state after an action, which is checked first."""
        self.check(action, seat)
        return self.apply_unchecked(action)

    def apply_unchecked(self, action: Action) -> Table:
        """The state after an action that is known to be allowed."""
        if isinstance(action, Card):
            assert self.play is not None
            return Table(self.deal, self.auction, self.play.apply_unchecked(action))
        return self._call(action)

    def _call(self, call: Call) -> Table:
        auction = self.auction.apply_unchecked(call)
        contract = auction.contract
        return Table(self.deal, auction, start_play(self.deal, contract) if contract else None)

    def with_deal(self, deal: Deal) -> Table:
        """The same actions on another deal, unchecked: how a position looks to one who cannot tell.

        The caller sees to it that every card played was held by the same chair in both deals.
        """
        if self.play is None:
            return replace(self, deal=deal)
        play = start_play(deal, self.play.contract)
        for trick in self.play.tricks:
            for card in trick.cards:
                play = play.apply_unchecked(card)
        for card in self.play.trick:
            play = play.apply_unchecked(card)
        return replace(self, deal=deal, play=play)


def new_table(deal: Deal, dealer: Seat, *, doubles: bool = False) -> Table:
    """A table before the first call."""
    return Table(deal, Auction(dealer, deal.deck, doubles))
