"""What one seat may see of a table, and nothing else.

A view holds no reference to the table or the deal: every field is public, belongs to the seat, or
is the dummy once it is exposed. Strategies and pages get views only, so a card hidden from a seat
cannot reach it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tribridge.cards import Card, Deck, Hand
from tribridge.deals import Seat
from tribridge.game.auction import Auction, Bid, Contract
from tribridge.game.drawing import Picture
from tribridge.game.position import NO_TRUMP, Position
from tribridge.game.scoring import Scheme
from tribridge.game.standing import RubberState
from tribridge.game.table import Action, Outcome, Table
from tribridge.game.tricks import Chair, Trick, chair_of


@dataclass(frozen=True, kw_only=True)
class View:
    """Everything a seat knows about the deal; `seat` is None for a kibitzer, who holds no cards.

    Examples:
        >>> import tribridge as tb
        >>> seen = tb.view(tb.new_table(seed=1).call("pass"), "E")
        >>> seen.seat.letter, seen.hand, seen.turn is seen.seat, seen.auction.calls
        ('E', Hand('K.KT965.J872.975'), True, (<Mark.PASS: 'Pass'>,))
    """

    seat: Seat | None
    deck: Deck
    auction: Auction
    dealt: Hand
    """The seat's thirteen cards as dealt."""
    hand: Hand
    """The cards still held."""
    contract: Contract | None = None
    dummy_dealt: Hand | None = None
    """The dummy as it was exposed; None before the end of the auction."""
    dummy: Hand | None = None
    """The dummy's cards that are left."""
    tricks: tuple[Trick, ...] = ()
    leader: Chair | None = None
    trick: tuple[Card, ...] = ()
    won: int = 0
    """Tricks won by the declarer's side."""
    turn: Seat | None
    chair: Chair | None = None
    """The chair whose card is due; it is the dummy's when the declarer must play from there."""
    legal: tuple[Action, ...] = ()
    """What the seat may do now; empty unless it is its turn."""
    outcome: Outcome | None = None
    rubber: RubberState | None = None
    """The laws and the standing of the rubber, which everybody knows, if one is played."""
    scheme: Scheme | None = None
    """How a deal outside a rubber is scored; None: nobody said, which means `auction`."""
    vulnerable: tuple[Seat, ...] = ()
    """Who is vulnerable outside a rubber."""

    @property
    def dealer(self) -> Seat:
        return self.auction.dealer

    @property
    def own_chair(self) -> Chair | None:
        """The seat's chair in the play; None before it, and for a kibitzer."""
        if self.contract is None or self.seat is None:
            return None
        return chair_of(self.seat, self.contract.declarer)

    @property
    def played(self) -> Hand:
        """All cards played so far."""
        cards = [card for trick in self.tricks for card in trick.cards]
        return Hand.from_cards([*cards, *self.trick])

    @cached_property
    def position(self) -> Position | None:
        """The play as the seat knows it; None before the play."""
        contract, leader = self.contract, self.leader
        if contract is None or leader is None or self.dummy is None:
            return None
        hand, dummy, own = self.hand.mask, self.dummy.mask, self.own_chair
        played, voids = 0, [0, 0, 0, 0]
        rounds = [(trick.leader, trick.cards) for trick in self.tricks]
        for first, cards in (*rounds, (leader, self.trick)):
            led = cards[0] // 13 if cards else 0
            chair: int = first
            for card in cards:
                played |= 1 << card
                if card // 13 != led:
                    voids[chair & 3] |= 1 << led
                chair += 1
        return Position(
            contract,
            (hand if own == 0 else 0, hand if own == 1 else 0, dummy, hand if own == 3 else 0),
            leader,
            self.trick,
            self.tricks,
            self.won,
            (voids[0], voids[1], voids[2], voids[3]),
            self.deck.mask & ~(hand | dummy | played),
            self._partner_bids(contract) if own else (),  # declarer is chair 0
        )

    def stakes(self, contract: Contract) -> tuple[float, ...]:
        """What each number of tricks in a contract is worth to its declarer at this table.

        Points are declarer's less the mean of the defenders'; in a rubber the change in the worth
        of the standing counts, and honours, which do not depend on the play, do not.
        """
        from tribridge.game.rubber_worth import contract_worth

        return contract_worth(contract, self.deck, self.rubber, self.scheme, self.vulnerable)

    def _partner_bids(self, contract: Contract) -> tuple[int, ...]:
        """The suits that the other defender has bid, last first."""
        assert self.seat is not None
        partner = 3 - contract.declarer - self.seat
        calls = self.auction.calls[(partner - self.dealer) % 3 :: 3]
        bids = [int(call.strain) for call in reversed(calls) if isinstance(call, Bid)]
        return tuple(strain for strain in bids if strain != NO_TRUMP)

    def __str__(self) -> str:
        return Picture.of_view(self).text()

    def _repr_html_(self) -> str:
        return Picture.of_view(self).html()


def view(table: Table, seat: Seat | None) -> View:
    """What a seat may see of a table (None: a kibitzer)."""
    play = table.position
    dealt = Hand() if seat is None else table.deal.hands[seat]
    legal = table.legal if seat is not None and table.turn is seat else ()
    if play is None:
        return View(
            seat=seat,
            deck=table.deal.deck,
            auction=table.auction,
            dealt=dealt,
            hand=dealt,
            turn=table.turn,
            legal=legal,
            outcome=table.outcome,
            rubber=table.rubber,
            scheme=table.scheme,
            vulnerable=table.vulnerable,
        )
    held = 0 if seat is None else play.hands[chair_of(seat, play.contract.declarer)]
    return View(
        seat=seat,
        deck=table.deal.deck,
        auction=table.auction,
        dealt=dealt,
        hand=Hand(held),
        contract=play.contract,
        dummy_dealt=table.deal.hidden,
        dummy=Hand(play.hands[Chair.DUMMY]),
        tricks=play.tricks,
        leader=play.leader,
        trick=play.trick,
        won=play.won,
        turn=table.turn,
        chair=None if play.over else play.chair,
        legal=legal,
        outcome=table.outcome,
        rubber=table.rubber,
        scheme=table.scheme,
        vulnerable=table.vulnerable,
    )
