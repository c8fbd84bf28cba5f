"""What a table page shows: a seat's view plus what is public about the table.

`table_page` puts a `Public` together with a `View`. Templates are given a `TablePage` and nothing
else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from tribridge.cards import Card, Hand, Suit
from tribridge.deals import HIDDEN, Seat
from tribridge.game import Bid, Call, Chair, Contract, View, view
from tribridge.web.core.bots import bot_for, face_of
from tribridge.web.core.state import Place, State
from tribridge.web.language import gettext, translated
from tribridge.web.pages.public import Public, public


@dataclass(frozen=True, slots=True)
class HandOrder:
    """How a hand is laid out, from the left."""

    suits: tuple[Suit, ...]
    trumps_first: bool = True
    high_first: bool = True


ALTERNATING: Final = HandOrder((Suit.SPADES, Suit.HEARTS, Suit.CLUBS, Suit.DIAMONDS))
"""Alternating colours, the way people hold a hand."""
HAND_ORDERS: Final = {
    "ranked": HandOrder(tuple(reversed(Suit))),
    "fixed": HandOrder(tuple(reversed(Suit)), trumps_first=False),
    "rising": HandOrder(tuple(Suit), trumps_first=False, high_first=False),
}
"""The orders a player may choose instead."""
SPOTS: Final = ("bottom", "left", "top", "right")
"""Around the table, clockwise from the viewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of the table as it is drawn."""

    spot: str
    name: str
    seat: Seat | None
    """None for the dummy and the hidden hand."""
    role: str
    turn: bool
    thinking: bool
    dealer: bool
    cards: tuple[Card, ...] = ()
    """Face-up cards only."""
    count: int = 0
    played: Card | None = None
    winning: bool = False
    newest: bool = False
    playable: frozenset[Card] = frozenset()
    dealt: tuple[Card, ...] = ()
    """The hand as dealt, once the deal is over and everyone may see it."""
    face: str = ""
    """The face of the bot that plays there, if any."""
    line: str = ""
    """How that bot plays, in one sentence."""
    why: str = ""
    """Why the viewer may not play some or all of these cards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePage:
    """Everything the table templates may use."""

    public: Public
    view: View | None
    sides: tuple[Side, ...]
    seat: Seat | None
    your_turn: bool
    prompt: str
    undo: bool
    may_claim: bool
    tricks_left: int
    needed: int | None
    """Tricks the declarer needs."""
    trick_closed: bool
    """Whether the trick on the table is the last one, complete."""
    winner: str = ""
    """The side that won the trick on the table."""
    waits_for_person: bool = False
    """Whether a seated player is waiting for another person."""
    form: str = ""
    """The id of a plain form that takes the viewer's actions; empty if the table takes them."""


def table_page(
    name: str, state: State, seat: Seat | None, order: HandOrder = ALTERNATING
) -> TablePage:
    """A table as one seat may see it (None: a kibitzer)."""
    shown = public(name, state)
    if state.table is None:
        return TablePage(
            public=shown,
            view=None,
            sides=(),
            seat=seat,
            your_turn=False,
            prompt=_waiting(shown),
            undo=False,
            may_claim=False,
            tricks_left=0,
            needed=None,
            trick_closed=False,
        )
    seen = view(state.table, seat)
    open_trick = bool(seen.trick)
    last = seen.tricks[-1] if seen.tricks and not open_trick else None
    needed = None if seen.contract is None else seen.contract.tricks_needed(seen.deck)
    turn = state.turn
    sides = tuple(_with_deal(side, shown) for side in _sides(shown, seen, turn, order))
    return TablePage(
        public=shown,
        view=seen,
        sides=sides,
        seat=seat,
        your_turn=seat is not None and turn is seat and state.places[seat].person,
        prompt=_prompt(shown, seen, turn),
        undo=seat is not None and state.undo_to(seat) is not None,
        may_claim=state.may_claim(seat),
        tricks_left=seen.deck.hand_size - len(seen.tricks),
        needed=needed,
        trick_closed=last is not None,
        winner=next((side.spot for side in sides if side.winning), ""),
        waits_for_person=seat is not None and bool(_waited_for(shown, turn) - {seat}),
    )


def _waited_for(shown: Public, turn: Seat | None) -> set[Seat]:
    """The people whose action or answer is due."""
    due = shown.answering if shown.claim is not None else {turn}
    return {seat for seat in Seat if seat in due and shown.places[seat].person}


def sorted_cards(
    hand: Hand, trump: Suit | None = None, order: HandOrder = ALTERNATING
) -> tuple[Card, ...]:
    """A hand as people hold it, from the left."""
    suits = sorted(order.suits, key=lambda suit: order.trumps_first and suit is not trump)
    step = 1 if order.high_first else -1
    return tuple(card for suit in suits for card in tuple(hand.suit(suit))[::step])


def call_rows(dealer: Seat, calls: Iterable[Call]) -> list[list[Call | None]]:
    """The auction in rows of three, North first; None where nobody has called."""
    cells: list[Call | None] = [*([None] * int(dealer)), *calls]
    cells += [None] * (-len(cells) % 3)
    return [cells[at : at + 3] for at in range(0, len(cells), 3)]


@dataclass(frozen=True, slots=True)
class BidRow:
    """The bids of one level in the bidding box, each with whether it may be made now."""

    level: int
    bids: tuple[tuple[Bid, bool], ...]
    lowest: bool
    """Whether this is the lowest level at which a bid is still possible."""

    @property
    def allowed(self) -> bool:
        return any(allowed for _, allowed in self.bids)


def bid_grid(seen: View, your_turn: bool) -> list[BidRow]:
    """The bidding box: one row per level. It is there all through the auction."""
    last = seen.auction.last_bid
    deck = seen.deck
    lowest = 1 if last is None else last.level + (last.strain is deck.strains[-1])
    legal = set(seen.legal) if your_turn else set()
    return [
        BidRow(
            level,
            tuple((bid, bid in legal) for bid in (Bid(level, s) for s in deck.strains)),
            level == min(lowest, deck.levels),
        )
        for level in range(1, deck.levels + 1)
    ]


def contract_name(contract: Contract, places: tuple[Place, ...]) -> str:
    """A contract with its declarer's name."""
    return short_contract(contract, places[contract.declarer].name)


def short_contract(contract: Contract, name: str) -> str:
    """A contract and its declarer, the doubles as signs: `3NTx by Ann`."""
    bid = f"{translated(contract.bid)}{'x' * (contract.factor // 2)}"
    return gettext("{bid} by {name}").format(bid=bid, name=name)


def role_words(role: str) -> str:
    """What a side is, in words, for screen readers."""
    return {
        "declarer": gettext("declarer"),
        "defender": gettext("defender"),
        "dummy": gettext("dummy"),
        "hidden": gettext("hidden"),
    }[role]


def bid_words(call: Call) -> str:
    """A call in words, for screen readers."""
    if not isinstance(call, Bid):
        return translated(call)
    trump = call.strain.trump
    return f"{call.level} {gettext('notrump') if trump is None else translated(trump)}"


def _waiting(shown: Public) -> str:
    free = sum(place.open for place in shown.places)
    return gettext("Waiting for {free} more: send the link, or start with bots.").format(free=free)


def _prompt(shown: Public, seen: View, turn: Seat | None) -> str:
    """The prompt: whose turn it is."""
    if shown.over:
        rubber = shown.rubber is not None and shown.rubber.over
        return gettext("The rubber is over.") if rubber else gettext("The match is over.")
    if shown.closed:
        return gettext("The deal is over.")
    if shown.claim is not None:
        name = shown.places[shown.claim.seat].name
        return gettext("{name} claims. Waiting for an answer.").format(name=name)
    if turn is None:
        return ""
    name = shown.places[turn].name
    own = seen.seat is turn and shown.places[turn].person
    if seen.contract is None:
        return gettext("Your call") if own else gettext("{name} to call").format(name=name)
    if seen.chair is Chair.DUMMY:
        if own:
            return gettext("Play from dummy")
        return gettext("{name} to play from dummy").format(name=name)
    return gettext("Your card") if own else gettext("{name} to play").format(name=name)


def _sides(shown: Public, seen: View, turn: Seat | None, order: HandOrder) -> Iterable[Side]:
    """The sides of the table: everyone keeps their place, and the dummy lies at the top."""
    base = Seat.SOUTH if seen.seat is None else seen.seat
    for spot, seat in zip(SPOTS, (base, base.left, None, base.right), strict=True):
        if seen.contract is None:
            yield _calling_side(shown, seen, spot, seat, turn, order)
        elif seat is None:
            yield _playing_side(shown, seen, spot, Chair.DUMMY, turn, order)
        else:
            chairs = (Chair.DECLARER, Chair.LEFT, Chair.RIGHT)
            chair = chairs[(seat - seen.contract.declarer) % 3]
            yield _playing_side(shown, seen, spot, chair, turn, order)


def _with_deal(side: Side, shown: Public) -> Side:
    """A side with its bot's face, and with its hand once the deal is over."""
    if side.seat is not None and not shown.places[side.seat].person:
        place = shown.places[side.seat]
        side = replace(
            side,
            face=face_of(place.name, place.strategy, side.seat),
            line=gettext(bot_for(place.strategy, side.seat).line),
        )
    if shown.last is None:
        return side
    hand = shown.last.record.deal.hands[HIDDEN if side.seat is None else side.seat]
    contract = shown.last.outcome.contract
    trump = None if contract is None else contract.bid.strain.trump
    return replace(side, dealt=sorted_cards(hand, trump))


def _calling_side(
    shown: Public,
    seen: View,
    spot: str,
    seat: Seat | None,
    turn: Seat | None,
    order: HandOrder,
) -> Side:
    if seat is None:
        return Side(
            spot=spot,
            name=gettext("Hidden hand"),
            seat=None,
            role="hidden",
            turn=False,
            thinking=False,
            dealer=False,
            count=seen.deck.hand_size,
        )
    own = seen.seat is seat
    place = shown.places[seat]
    due = turn is seat
    return Side(
        spot=spot,
        name=place.name,
        seat=seat,
        role="",
        turn=due,
        thinking=due and not place.person,
        dealer=seen.dealer is seat,
        cards=sorted_cards(seen.hand, None, order) if own else (),
        count=seen.deck.hand_size,
    )


def _playing_side(
    shown: Public, seen: View, spot: str, chair: Chair, turn: Seat | None, order: HandOrder
) -> Side:
    contract = seen.contract
    assert contract is not None
    trump = contract.bid.strain.trump
    seat = chair.player(contract.declarer)
    dummy, place = chair is Chair.DUMMY, shown.places[seat]
    due = turn is not None and seen.chair is chair
    cards: tuple[Card, ...] = ()
    if dummy and seen.dummy is not None:
        cards = sorted_cards(seen.dummy, trump, order)
    elif seen.seat is seat:
        cards = sorted_cards(seen.hand, trump, order)
    played, winning, newest = _on_table(seen, chair)
    mine = seen.seat is turn and due and place.person
    return Side(
        spot=spot,
        name=gettext("Dummy") if dummy else place.name,
        seat=None if dummy else seat,
        role=("declarer", "defender", "dummy", "defender")[chair],
        turn=due,
        thinking=due and not place.person,
        dealer=not dummy and seen.dealer is seat,
        cards=cards,
        count=_count(seen, chair),
        played=played,
        winning=winning,
        newest=newest,
        playable=frozenset(c for c in seen.legal if isinstance(c, Card)) if mine else frozenset(),
        why="" if dummy or seen.seat is not seat else _why(seen, turn),
    )


def _why(seen: View, turn: Seat | None) -> str:
    """Why the viewer may not play some or all cards of their own hand, on their turn."""
    if seen.seat is None or turn is not seen.seat:
        return ""
    if seen.chair is Chair.DUMMY:
        return gettext("Dummy’s turn")
    led = seen.trick[0].suit if seen.trick else None
    if led is not None and seen.hand.suit(led):
        return gettext("Follow suit: {suit}").format(suit=translated(led))
    return ""


def _on_table(seen: View, chair: Chair) -> tuple[Card | None, bool, bool]:
    """A chair's card in the current trick, whether it is winning, and whether it is the newest."""
    if seen.trick:
        assert seen.leader is not None
        at = (chair - seen.leader) % 4
        if at >= len(seen.trick):
            return None, False, False
        return seen.trick[at], False, at == len(seen.trick) - 1
    if not seen.tricks:
        return None, False, False
    trick = seen.tricks[-1]
    at = (chair - trick.leader) % 4
    return trick.cards[at], trick.winner is chair, at == 3


def _count(seen: View, chair: Chair) -> int:
    """How many cards a chair has left, from public information."""
    left = seen.deck.hand_size - len(seen.tricks)
    if seen.trick and seen.leader is not None and (chair - seen.leader) % 4 < len(seen.trick):
        left -= 1
    return left
