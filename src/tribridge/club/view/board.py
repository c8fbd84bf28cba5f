"""What a table's page shows of a seat's view: four sides, the trick, whose turn it is, the bids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import accumulate, groupby, pairwise, permutations
from typing import Any, Final, NamedTuple

from tribridge.cards.cards import ALL_CARDS, Card, Deck, Hand, Suit
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.club.core.bots import bot_for, face_of
from tribridge.club.language import current, gettext, mark, pgettext, spoken, translated
from tribridge.club.view.table import SeatView
from tribridge.game import (
    Bid,
    Call,
    Chair,
    Contract,
    Mark,
    Scheme,
    View,
    find_scheme,
    points_name,
    tricks,
)
from tribridge.game.laws import Laws
from tribridge.game.rubber import Rubber
from tribridge.game.standing import Standing


@dataclass(frozen=True, slots=True, eq=False)
class HandOrder:
    """How a hand is laid out, from the left; each order is there once."""

    suits: tuple[Suit, ...]
    trumps_first: bool = True
    high_first: bool = True
    alternating: bool = False
    """Whether red and black suits alternate wherever the suits that are held allow it."""

    def arranged(
        self, held: Iterable[Suit], trump: Suit | None = None, lengths: Sequence[int] = (0,) * 4
    ) -> tuple[Suit, ...]:
        """Suits from the left; of orders that are as good, the one whose two rows are most even.

        >>> print(*ALTERNATING.arranged(Suit), *ALTERNATING.arranged(Suit, Suit.CLUBS))
        ♠ ♥ ♣ ♦ ♣ ♥ ♠ ♦
        """

        def unlike(suits: tuple[Suit, ...]) -> tuple[bool, int, int]:
            alike = sum((one in _RED) is (other in _RED) for one, other in pairwise(suits))
            longer = max(_rows([lengths[suit.index] for suit in suits]))
            trumps = self.trumps_first and trump in suits[1:]
            return trumps, self.alternating * alike, self.alternating * longer

        return min(permutations(suit for suit in self.suits if suit in held), key=unlike)


def _rows(lengths: Sequence[int]) -> tuple[int, int]:
    """How many cards are in each row where there is room for two short ones: suits stay whole."""
    count = sum(lengths)
    if count <= _ROW:
        return count, 0
    first = min(accumulate(lengths[:-1]), key=lambda at: abs(2 * at - count), default=0)
    return first, count - first


_RED: Final = (Suit.DIAMONDS, Suit.HEARTS)
ALTERNATING: Final = HandOrder(
    (Suit.SPADES, Suit.HEARTS, Suit.CLUBS, Suit.DIAMONDS), alternating=True
)
"""Alternating colours, the way people hold a hand."""
HAND_ORDERS: Final = {
    "ranked": HandOrder(tuple(reversed(Suit))),
    "fixed": HandOrder(tuple(reversed(Suit)), trumps_first=False),
    "rising": HandOrder(tuple(Suit), trumps_first=False, high_first=False),
}
"""The orders a player may choose instead."""
_ROW, _LONGEST_ROW = 7, 9
"""Cards in a row of a narrow screen, side by side and overlapping."""
_NONE: Final = frozenset[Card]()
SPOTS: Final = ("bottom", "left", "top", "right")
"""Around the table, clockwise from the viewer."""
_ROLES: Final = (mark("declarer"), mark("defender"), mark("dummy"), mark("defender"))
"""By chair."""


def around(base: Seat) -> zip[tuple[str, Seat | None]]:
    """The places around the table with a seat at the bottom; None is the fourth hand, at the top.

    Everyone keeps their place from the auction to the play.
    """
    return zip(SPOTS, (base, base.left, None, base.right), strict=True)


def chair_of(seat: Seat | None, contract: Contract | None) -> Chair | None:
    """The chair of a seat (None: of the fourth hand); None as long as there is no contract."""
    if contract is None:
        return None
    return Chair.DUMMY if seat is None else tricks.chair_of(seat, contract.declarer)


def fourth_hand(chair: Chair | None) -> str:
    """What the fourth hand is called: it has a chair once there is a contract."""
    return gettext("Hidden hand") if chair is None else gettext("Dummy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of the table as it is drawn."""

    spot: str
    name: str
    seat: Seat | None
    """None for the dummy and the hidden hand."""
    role: str = ""
    turn: bool = False
    thinking: bool = False
    dealer: bool = False
    cards: tuple[Card, ...] = ()
    """Face-up cards only."""
    first: frozenset[Card] = frozenset()
    """Those in the first of two rows as they were dealt, if that is known: they stay there."""
    count: int = 0
    playable: frozenset[Card] = frozenset()
    shown: tuple[Card, ...] = ()
    """A hand in everybody's sight: what a claim shows, or all of it once the deal is over."""
    face: str = ""
    """The face of the bot that plays there, if any."""
    line: str = ""
    """How that bot plays, in one sentence."""
    why: str = ""
    """Why the viewer may not play some or all of these cards."""
    when: tuple[tuple[Card, int], ...] = ()
    """Once the deal is over, which call or card of the deal each of them was, from 0."""

    @property
    def second_row(self) -> int:
        """How many cards come first where there is room for two short rows."""
        if self.first and len(self.cards) > _ROW:
            return sum(card in self.first for card in self.cards) or len(self.cards)
        return len(first_row(self.cards))


def side_of(
    spot: str, seat: Seat | None, chair: Chair | None, names: Sequence[str], **drawn: Any
) -> Side:
    """One side of the table, with its name and its role; chairs are None before the contract."""
    role = _ROLES[chair] if chair is not None else "" if seat else mark("hidden")
    name = fourth_hand(chair) if seat is None else names[seat.index]
    return Side(spot=spot, seat=seat, name=name, role=role, **drawn)


def card_of(chair: Chair | None, leader: Chair | None, trick: Sequence[Card]) -> Card | None:
    """A chair's card in a trick; None if it has not played to it."""
    at = len(trick) if chair is None or leader is None else (chair - leader) % 4
    return trick[at] if at < len(trick) else None


def order_of(chair: Chair | None, leader: Chair | None) -> int:
    """Which card of a trick a chair plays, from 1; 0 before the contract."""
    return 0 if chair is None or leader is None else (chair - leader) % 4 + 1


class Slot(NamedTuple):
    """A side's place in the trick on the table."""

    spot: str
    name: str
    due: bool
    card: Card | None
    winning: bool
    order: int = 0
    """Which card of the trick it is, from 1: where an opponent declares, they do not go round."""
    why: str = ""
    """Why the card was played, where that is told at once."""


def sides_of(
    seen: SeatView, order: HandOrder = ALTERNATING
) -> tuple[tuple[Side, ...], tuple[Slot, ...]]:
    """The sides of a table as the viewer sees them, and their places in the trick."""
    base, your_turn = Seat.SOUTH if seen.seat is None else seen.seat, seen.your_turn
    drawn = [_side(seen, spot, seat, order, your_turn) for spot, seat in around(base)]
    sides, trick = zip(*drawn, strict=True)
    return sides, trick


def sorted_cards(
    hand: tuple[Card, ...] | Hand,
    trump: Suit | None = None,
    order: HandOrder = ALTERNATING,
    dealt: Hand | None = None,
) -> tuple[Card, ...]:
    """A hand as people hold it, from the left.

    Its suits lie as they did in the hand that was `dealt`: none moves when another one runs out.
    """
    held = Counter(card.suit for card in dealt or hand)
    suits = _arranged(order, trump, tuple(held[suit] for suit in Suit))
    places = _places(suits, 1 if order.high_first else -1)
    return tuple(sorted(hand, key=lambda card: places[card.index]))


def first_row(cards: Sequence[Card]) -> frozenset[Card]:
    """The cards of a hand, laid out, that come first where there is room for two short rows."""
    rows = _rows([len([*suit]) for _, suit in groupby(cards, _suit)])
    return frozenset(cards[: rows[0] if max(rows) <= _LONGEST_ROW else (len(cards) + 1) // 2])


def _suit(card: Card) -> Suit:
    return card.suit


@lru_cache(maxsize=4096)
def _arranged(order: HandOrder, trump: Suit | None, lengths: tuple[int, ...]) -> tuple[Suit, ...]:
    return order.arranged({suit for suit in Suit if lengths[suit.index]}, trump, lengths)


@cache
def _places(suits: tuple[Suit, ...], step: int) -> dict[int, int]:
    """Where each card of some suits stands, by its number."""
    return {
        card.index: 20 * suits.index(card.suit) + step * card.rank.index
        for card in ALL_CARDS
        if card.suit in suits
    }


def call_rows(dealer: Seat, calls: Iterable[Call]) -> list[list[Call | None]]:
    """The auction in rows of three, North first; None where nobody has called."""
    cells: list[Call | None] = [*([None] * int(dealer)), *calls]
    cells += [None] * (-len(cells) % 3)
    return [cells[at : at + 3] for at in range(0, len(cells), 3)]


def trump_of(contract: Contract | None) -> Suit | None:
    """The trump suit; None before the contract, and at notrump."""
    return None if contract is None else contract.bid.strain.trump


def short_contract(contract: Contract, name: str) -> str:
    """A contract and its declarer, the doubles as signs: `3NTx by Ann`."""
    bid = f"{translated(contract.bid)}{'x' * (contract.factor // 2)}"
    return gettext("{bid} by {name}").format(bid=bid, name=name)


_FIRST: Final = {
    Suit.CLUBS: mark("1 club"),
    Suit.DIAMONDS: mark("1 diamond"),
    Suit.HEARTS: mark("1 heart"),
    Suit.SPADES: mark("1 spade"),
}
_BID: Final = re.compile("[1-7][♣♦♥♠]")


def bid_words(call: Call) -> str:
    """A call in words, for screen readers.

    >>> bid_words(Bid("1H")), bid_words(Bid("2H")), bid_words(Bid("1NT")), bid_words(Mark.PASS)
    ('1 heart', '2 hearts', '1 notrump', 'Pass')
    """
    if not isinstance(call, Bid):
        return translated(call)
    trump = call.strain.trump
    if call.level == 1 and trump is not None:
        return gettext(_FIRST[trump])
    return f"{call.level} {gettext('notrump') if trump is None else translated(trump)}"


def aloud(text: str) -> str:
    """A text for screen readers: the signs of suits are read as names of drawings.

    >>> aloud("Ann calls 1♥. Ben declares 3♠.")
    'Ann calls 1 heart. Ben declares 3 spades.'
    """
    return _BID.sub(lambda found: bid_words(Bid(found[0])), text)


def cell_words(card: Card, holder: int) -> str:
    """A card and whose it is, in words: 1 is the hand, 2 the dummy."""
    forms = (gettext("{card}: neither"), gettext("{card}: hand"), gettext("{card}: dummy"))
    return forms[holder].format(card=translated(spoken(card)))


def prompt_of(seen: SeatView) -> str:
    """The prompt: whose turn it is."""
    if seen.instead:
        return seen.instead
    if not seen.started:
        free = sum(place.open for place in seen.places)
        words = gettext("Waiting for {free} more: send the link, or start with bots.")
        return words.format(free=free)
    if seen.dealt_again:
        return gettext("Everybody passed.")
    if seen.over:
        rubber = seen.rubber_so_far is not None and seen.rubber_so_far.over
        return gettext("The rubber is over.") if rubber else gettext("The match is over.")
    if seen.next_ready:
        return gettext("Next deal")
    if seen.deal_over:
        return gettext("The deal is over.")
    if seen.claim is not None:
        if seen.claim.seat is seen.seat:
            return gettext("You claim. Waiting…")
        name = seen.on_plates[seen.claim.seat]
        return gettext("{name} claims. Waiting…").format(name=name)
    if seen.turn is None:
        return ""
    name, own = seen.on_plates[seen.turn], seen.your_turn
    if seen.contract is None:
        return gettext("Your call") if own else gettext("{name} to call").format(name=name)
    if seen.chair is Chair.DUMMY:
        if own:
            return gettext("Play from dummy")
        return gettext("{name} to play from dummy").format(name=name)
    return gettext("Your card") if own else gettext("{name} to play").format(name=name)


def _side(
    seen: SeatView, spot: str, seat: Seat | None, order: HandOrder, your_turn: bool
) -> tuple[Side, Slot]:
    """One side of the table, and its place in the trick."""
    contract, turn, places = seen.contract, seen.turn, seen.places
    chair, own = chair_of(seat, contract), seat is not None and seen.seat is seat
    due = turn is not None and (turn is seat if chair is None else seen.chair is chair)
    cards = seen.dummy or () if chair is Chair.DUMMY else seen.hand if own else ()
    whole = None
    if seen.game is not None:
        whole = seen.game.dummy_dealt if seat is None else seen.game.dealt
    playable: frozenset[Card] = _NONE
    if due and chair is not None and your_turn:
        playable = frozenset(c for c in seen.legal if isinstance(c, Card))
    bot = None if seat is None or places[seat].person else places[seat]
    shown = () if own else next((one.cards for one in seen.faced if one.seat is seat), ())
    shown = sorted_cards(shown, trump_of(contract)) if shown else ()
    when: tuple[tuple[Card, int], ...] = ()
    if seen.ended is not None:
        hand = seen.ended.record.deal.hands[HIDDEN if seat is None else seat]
        shown = sorted_cards(hand, trump_of(contract))
        made = enumerate(seen.ended.record.actions)
        when = tuple((each, at) for at, each in made if isinstance(each, Card) and each in shown)
    played, winning, place = _on_table(seen, chair)
    side = side_of(
        spot,
        seat,
        chair,
        seen.on_plates,
        cards=sorted_cards(cards, trump_of(contract), order, whole) if cards else (),
        first=first_row(sorted_cards(whole, trump_of(contract), order))
        if cards and whole
        else _NONE,
        turn=due,
        thinking=due and turn is not None and not places[turn].person,
        dealer=seat is not None and seen.dealer is seat,
        count=seen.tricks_left - (bool(seen.trick) and played is not None),
        playable=playable,
        shown=shown,
        when=when,
        face="" if bot is None else face_of(bot.name, bot.strategy, bot.seat),
        line="" if bot is None else gettext(bot_for(bot.strategy, bot.seat).line),
        why=_why(seen) if own and chair is not None else "",
    )
    reason = dict(seen.reasons).get(played, "") if seen.reasons and played is not None else ""
    return side, Slot(spot, side.name, due, played, winning, place, reason)


def _why(seen: SeatView) -> str:
    """Why the viewer may not play some or all cards of their own hand, on their turn."""
    if seen.turn is not seen.seat or seen.instead:
        return ""
    if seen.chair is Chair.DUMMY:
        return gettext("Dummy’s turn")
    led = seen.trick[0].suit if seen.trick else None
    if led is not None and any(card.suit is led for card in seen.hand):
        return gettext("Follow suit: {suit}").format(suit=translated(led))
    return ""


def _on_table(seen: SeatView, chair: Chair | None) -> tuple[Card | None, bool, int]:
    """A chair's card in the trick on the table, whether it has won it, and which card it is."""
    if seen.trick or seen.game is None or not seen.game.tricks:
        return card_of(chair, seen.leader, seen.trick), False, order_of(chair, seen.leader)
    last = seen.game.tricks[-1]
    card, order = card_of(chair, last.leader, last.cards), order_of(chair, last.leader)
    return card, last.winner is chair, order


@dataclass(frozen=True, slots=True)
class Stake:
    """What a contract needs, earns and costs, without honours: they count whatever is called."""

    tricks: int
    made: Fraction
    """What declarer scores for just making it, bonuses included."""
    down: Fraction
    """What each opponent scores if the contract fails by one trick."""
    wins: str = ""
    """What making it wins in a rubber: `game`, `rubber` or nothing."""
    below: int = 0
    """What making it scores below the line of a rubber."""
    short: int = 0
    """What a game would still need then."""


@dataclass(frozen=True, slots=True)
class Box:
    """The bidding box. In single deals it is the same for all seats, so it is drawn once for all.

    >>> import tribridge as tb
    >>> seen = tb.view(tb.new_table(seed=1), "N")
    >>> box_of(seen, True).stake(tb.Bid("3H"))
    Stake(tricks=9, made=Fraction(24, 1), down=Fraction(50, 1), wins='', below=0, short=0)
    >>> rubber = tb.Rubber("auction-rubber", below=(10, 0, 0), games=(1, 0, 0))
    >>> seen = tb.view(tb.new_table(seed=1, rubber=rubber), "N")
    >>> box_of(seen, True).stake(tb.Bid("3H"))
    Stake(tricks=9, made=Fraction(274, 1), down=Fraction(50, 1), wins='rubber', below=24, short=0)
    """

    deck: Deck
    rules: Scheme | Laws
    standing: Standing | None
    """How a rubber stands; None for single deals."""
    seat: Seat
    """Who would declare with a bid from this box."""
    last: Bid | None
    bidder: Seat
    """Who made the last bid."""
    yours: bool
    marks: tuple[tuple[Mark, bool], ...]
    """Pass, and double or redouble if the match has them, each with whether it is legal.

    Only one of the two can ever be legal: double stands there unless the own bid was doubled.
    """

    @property
    def rows(self) -> dict[int, dict[Bid, bool]]:
        """The bids of each level, each with whether it may be made now."""
        return {
            level: {bid: self.yours and (self.last is None or bid > self.last) for bid in bids}
            for level in range(1, self.deck.levels + 1)
            for bids in [[Bid(level, strain) for strain in self.deck.strains]]
        }

    @property
    def lowest(self) -> int:
        """The lowest level at which a bid is still possible."""
        if self.last is None:
            return 1
        return min(self.last.level + (self.last.strain is self.deck.strains[-1]), self.deck.levels)

    def stake(self, bid: Bid) -> Stake:
        """What is at stake with a bid if it becomes the contract, undoubled."""
        return _stake(Contract(bid, self.seat), self.deck, self.rules, self.standing)

    def raised(self, mark: Mark) -> tuple[Stake, Stake] | None:
        """The stake before and after a double or redouble; None if there is no bid to double."""
        if mark is Mark.PASS or self.last is None:
            return None
        before, after = (
            _stake(Contract(self.last, self.bidder, factor), self.deck, self.rules, self.standing)
            for factor in ((1, 2) if mark is Mark.DOUBLE else (2, 4))
        )
        return before, after


def box_of(seen: View, your_turn: bool) -> Box:
    """The bidding box of a seat: it is there all through the auction."""
    kinds = [Mark.PASS]
    if seen.auction.doubles:
        kinds.append(Mark.REDOUBLE if Mark.REDOUBLE in seen.legal else Mark.DOUBLE)
    marks = tuple((mark, your_turn and mark in seen.legal) for mark in kinds)
    rules: Scheme | Laws = seen.scheme or find_scheme("auction")
    standing, seat, bidder = None, Seat.NORTH, Seat.NORTH
    if seen.rubber is not None:
        rules, standing = seen.rubber.laws, seen.rubber.standing
        seat, bidder = seen.seat or seat, seen.auction.bidder or bidder
    return Box(seen.deck, rules, standing, seat, seen.auction.last_bid, bidder, your_turn, marks)


@lru_cache(maxsize=4096)
def _stake(
    contract: Contract, deck: Deck, rules: Scheme | Laws, standing: Standing | None
) -> Stake:
    tricks, declarer = contract.tricks_needed(deck), contract.declarer
    if isinstance(rules, Scheme):
        return Stake(
            tricks,
            rules.declarer_points(contract, tricks, deck),
            rules.penalty(contract, tricks - 1, deck),
        )
    assert standing is not None
    before = Rubber(rules, below=standing.below, games=standing.games)
    made, down = before.add(contract, tricks), before.add(contract, tricks - 1)
    game = made.standing.games != standing.games
    wins = "rubber" if made.over else "game" if game else ""
    points = Fraction(made.totals()[declarer]), Fraction(down.totals()[declarer.left])
    below = sum(line.points for line in made.lines if line.below)
    short = 0 if game else rules.game - made.standing.below[declarer]
    return Stake(tricks, *points, wins, below, short)


def meanings(seen: View, names: Sequence[str], own: Seat | None = None) -> tuple[str, ...]:
    """What each call of the auction means for the score, in one line: what everybody can tell.

    Whoever reads it in the seat `own` is called `you`, not by name.
    """
    rules: Scheme | Laws = seen.scheme or find_scheme("auction")
    standing = None
    if seen.rubber is not None:
        rules, standing = seen.rubber.laws, seen.rubber.standing
    made, called = seen.auction, tuple(None if seat is own else names[seat.index] for seat in Seat)
    return _meanings(current(), made.dealer, made.calls, called, made.deck, rules, standing)


@lru_cache(maxsize=2048)
def _meanings(
    _language: str,
    dealer: Seat,
    calls: tuple[Call, ...],
    names: tuple[str | None, ...],
    deck: Deck,
    rules: Scheme | Laws,
    standing: Standing | None,
) -> tuple[str, ...]:
    """The same for all who see an auction, as long as it is shown."""
    told, last, bidder, factor = list[str](), None, None, 1
    for at, call in enumerate(calls):
        caller = dealer.after(at)
        against = None
        if last is not None and bidder is not None:
            against = Contract(last, bidder, factor)
        if isinstance(call, Bid):
            last, bidder, factor = call, caller, 1
            own = _stake(Contract(call, caller), deck, rules, standing)
            if against is None:
                told.append(_bid_means(own, None, ""))
            elif against.declarer is caller:  # an opponent has doubled it
                runs = gettext("Runs from {bid} doubled. {meaning}")
                told.append(
                    runs.format(bid=translated(against.bid), meaning=_bid_means(own, None, ""))
                )
            else:
                theirs = _stake(against, deck, rules, standing)
                told.append(_bid_means(own, theirs, names[against.declarer.index]))
        elif call is Mark.PASS:
            told.append(_pass_means(against, caller, names, at))
        else:
            assert against is not None
            factor *= 2
            doubled = replace(against, factor=factor)
            told.append(_double_means(call, _stake(doubled, deck, rules, standing), against))
    return tuple(told)


def _bid_means(own: Stake, theirs: Stake | None, name: str | None) -> str:
    whom = pgettext("by", "you") if name is None else name
    if own.below and own.wins:
        if theirs is not None and theirs.wins == own.wins:
            words = {
                "game": gettext("{below} below the line: fighting {name} for the game"),
                "rubber": gettext("{below} below the line: fighting {name} for the rubber"),
            }[own.wins]
            return words.format(below=own.below, name=whom)
        words = {
            "game": gettext("{below} below the line: enough for game"),
            "rubber": gettext("{below} below the line: enough for game and rubber"),
        }[own.wins]
        return words.format(below=own.below)
    if own.below:
        if theirs is not None and theirs.wins:
            words = {
                "game": gettext("{below} below the line: keeps {name} from game"),
                "rubber": gettext("{below} below the line: keeps {name} from the rubber"),
            }[theirs.wins]
            return words.format(below=own.below, name=whom)
        words = gettext("{below} below the line: {short} short of game")
        return words.format(below=own.below, short=own.short)
    fields = {"tricks": own.tricks, "points": points_name(own.made), "name": name}
    if theirs is not None and name is None:
        return gettext("Outbids you: {tricks} tricks, {points} points if made").format(**fields)
    if theirs is not None:
        return gettext("Outbids {name}: {tricks} tricks, {points} points if made").format(**fields)
    return gettext("{tricks} tricks, {points} points if made").format(**fields)


def _pass_means(
    against: Contract | None, caller: Seat, names: Sequence[str | None], at: int
) -> str:
    if against is None:
        words = (
            gettext("No bid so far: a pass commits to nothing"),
            gettext("No bid so far: a third pass ends the deal"),
            gettext("All three pass: nobody scores"),
        )
        return words[at]
    bid, name = translated(against.bid), names[against.declarer.index]
    if against.declarer is caller:
        return gettext("Leaves {bid} as it is").format(bid=bid)
    whom = pgettext("by", "you") if name is None else name
    return gettext("Leaves {bid} to {name}").format(bid=bid, name=whom)


def _double_means(call: Mark, after: Stake, against: Contract) -> str:
    words = gettext("Expects {bid} to go down: one down costs {down}")
    if call is Mark.REDOUBLE:
        words = gettext("Expects {bid} to make: {made} points if it does")
    fields = {"bid": translated(against.bid), "down": points_name(after.down)}
    return words.format(made=points_name(after.made), **fields)
