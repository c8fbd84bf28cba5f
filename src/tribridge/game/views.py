"""What one seat may see of a table, and nothing else.

A view holds no reference to the table or the deal: every field is public, belongs to the seat, or
is the dummy once it is exposed. Strategies and pages get views only, so a card hidden from a seat
cannot reach it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tribridge.cards.cards import Card, Deck, Hand
from tribridge.cards.deals import Seat
from tribridge.common.errors import check_type
from tribridge.game.auction import Auction, Bid, Call, Contract
from tribridge.game.position import NO_TRUMP, Position
from tribridge.game.scoring import Scheme
from tribridge.game.standing import RubberState
from tribridge.game.table import Action, Course, Table
from tribridge.game.tricks import Chair, chair_of


@dataclass(frozen=True, kw_only=True)
class View(Course):
    """Everything a seat knows about the deal; `seat` is None for a kibitzer, who holds no cards.

    Examples:
        >>> import tribridge as tb
        >>> seen = tb.view(tb.new_table(seed=1).call("pass"), "E")
        >>> seen.seat.letter, seen.hand, seen.turn is seen.seat, seen.auction.calls
        ('E', Hand('K.KT965.J872.975'), True, (Mark.PASS,))
    """

    seat: Seat | None
    auction: Auction
    dealt: Hand
    """The seat's thirteen cards as dealt."""
    dummy_dealt: Hand | None = None
    """The dummy as it was exposed; None before the end of the auction."""
    position: Position | None = None
    """The play as the seat knows it; None before the play."""
    rubber: RubberState | None = None
    """The laws and the standing of the rubber, which everybody knows, if one is played."""
    scheme: Scheme | None = None
    """How a deal outside a rubber is scored; None: nobody said, which means `auction`."""
    vulnerable: tuple[Seat, ...] = ()
    """Who is vulnerable outside a rubber."""
    claimed: int | None = None
    """Declarer's tricks, if a claim ended the play."""

    @property
    def deck(self) -> Deck:
        return self.auction.deck

    @cached_property
    def own_chair(self) -> Chair | None:
        """The seat's chair in the play; None before it, and for a kibitzer."""
        if self.position is None or self.seat is None:
            return None
        return chair_of(self.seat, self.position.contract.declarer)

    @cached_property
    def hand(self) -> Hand:
        """The cards still held."""
        if self.position is None or self.own_chair is None:
            return self.dealt
        return Hand(self.position.hands[self.own_chair])

    @cached_property
    def dummy(self) -> Hand | None:
        """The dummy's cards that are left."""
        return None if self.position is None else Hand(self.position.dummy)

    @property
    def leader(self) -> Chair | None:
        return None if self.position is None else self.position.leader

    @property
    def trick(self) -> tuple[Card, ...]:
        return () if self.position is None else self.position.trick

    @property
    def won(self) -> int:
        """Tricks won by the declarer's side."""
        return 0 if self.position is None else self.position.won

    @property
    def chair(self) -> Chair | None:
        """The chair whose card is due; it is the dummy's when the declarer must play from there."""
        if self.position is None or self.position.over or self.claimed is not None:
            return None
        return self.position.chair

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        """What the seat may do now; empty unless it is its turn."""
        if self.seat is None or self.turn is not self.seat:
            return ()
        return self.auction.legal if self.position is None else self.position.legal

    @property
    def legal_calls(self) -> tuple[Call, ...]:
        """The calls that the seat may make now; empty in the play."""
        return tuple(action for action in self.legal if not isinstance(action, Card))

    @property
    def legal_cards(self) -> tuple[Card, ...]:
        """The cards that the seat may play now; empty in the auction."""
        return tuple(action for action in self.legal if isinstance(action, Card))

    @cached_property
    def played(self) -> Hand:
        """All cards played so far."""
        rounds = [] if self.position is None else self.position.rounds()
        return Hand(card for _, cards in rounds for card in cards)

    def stakes(self, contract: Contract) -> tuple[float, ...]:
        """What each number of tricks in a contract is worth to its declarer at this table.

        Points are declarer's less the mean of the defenders'; in a rubber the change in the worth
        of the standing counts, and honours, which do not depend on the play, do not.
        """
        from tribridge.game.rubber_worth import contract_worth

        check_type(contract, "stakes: contract", "Contract", Contract)
        return contract_worth(contract, self.deck, self.rubber, self.scheme, self.vulnerable)

    def _seen(self) -> list[Hand | None]:
        """The hands that the seat sees; once the deal is over, as they were dealt."""
        hands: list[Hand | None] = [None] * 4
        over = self.outcome is not None
        if self.position is not None:
            hands[Chair.DUMMY] = self.dummy_dealt if over else self.dummy
        if self.seat is not None:
            place = self.seat if self.own_chair is None else self.own_chair
            hands[place] = self.dealt if over else self.hand
        return hands


def view(table: Table, seat: Seat | None) -> View:
    """What a seat may see of a table (None: a kibitzer)."""
    play = table.position
    known = None
    if play is not None:
        own = None if seat is None else play.hands[chair_of(seat, play.contract.declarer)]
        a, b, c, d = play.hands
        known = as_seen(play, table.auction, seat, own or 0, c, a | b | d)
    return View(
        seat=seat,
        auction=table.auction,
        dealt=Hand() if seat is None else table.deal.hands[seat],
        dummy_dealt=None if play is None else table.deal.hidden,
        position=known,
        rubber=table.rubber,
        scheme=table.scheme,
        vulnerable=table.vulnerable,
        claimed=table.claimed,
    )


def as_seen(
    play: Position, auction: Auction, seat: Seat | None, own: int, dummy: int, others: int
) -> Position:
    """A position as a seat knows it, with these cards left in its own hand and in dummy.

    `others` are all cards left in the three other hands; the seat's own may be among them.
    """
    chair = None if seat is None else chair_of(seat, play.contract.declarer)
    return Position(
        play.contract,
        (own if chair == 0 else 0, own if chair == 1 else 0, dummy, own if chair == 3 else 0),
        play.leader,
        play.trick,
        play.tricks,
        play.won,
        play.voids,
        others & ~own,
        _partner_bids(auction, play.contract, seat) if seat is not None and chair else (),
    )


def _partner_bids(auction: Auction, contract: Contract, seat: Seat) -> tuple[int, ...]:
    """The suits that the other defender has bid, last first."""
    partner = 3 - contract.declarer.index - seat.index
    calls = auction.calls[(partner - auction.dealer.index) % 3 :: 3]
    bids = [call.strain.index for call in reversed(calls) if isinstance(call, Bid)]
    return tuple(strain for strain in bids if strain != NO_TRUMP)
