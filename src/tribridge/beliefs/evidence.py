"""Hard evidence: what a view proves about the four hands of the deal.

Hands are numbered in deal order: 0 North, 1 East, 2 South, 3 the hidden hand, which is dummy once
there is a contract. All statements are about the hands *as dealt*: a card that has been played
still belongs to the hand that played it.

A view proves three things: cards known to be in a hand (the viewer's own, the exposed dummy's, all
played cards), how many cards each hand has, and voids: a hand that does not follow suit has none of
it left. Evidence that fits no deal is an error, and the message names the contradiction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from tribridge.cards.cards import HANDS, SUITS, Card, Deck, Hand, Suit, cards_of, check_hand
from tribridge.cards.deals import HIDDEN, SEATS, Seat
from tribridge.common.errors import CardsError
from tribridge.game.tricks import Chair
from tribridge.game.views import View

_ROW = (1 << 13) - 1


def hand_at(chair: Chair, declarer: Seat) -> int:
    """The number of a chair's hand."""
    return HIDDEN if chair is Chair.DUMMY else chair.player(declarer).index


def holder_name(hand: int) -> str:
    """The name of a hand in messages."""
    return "the hidden hand" if hand == HIDDEN else str(SEATS[hand])


@dataclass(frozen=True, slots=True)
class Void:
    """A hand showed out of a suit at a trick (numbered from 1)."""

    hand: int
    suit: Suit
    trick: int


@dataclass(frozen=True)
class Evidence:
    """What is known for certain; raises `CardsError` if no deal fits it."""

    deck: Deck
    known: tuple[int, int, int, int]
    """For each hand, the mask of the cards known to have been dealt to it."""
    played: tuple[int, int, int, int] = (0, 0, 0, 0)
    """For each hand, the mask of its cards that have been played."""
    voids: tuple[Void, ...] = ()
    """At most one per hand and suit; none of the hand's unknown cards is of that suit."""

    def __post_init__(self) -> None:
        self._check_places()
        self._check_room()

    @cached_property
    def loose(self) -> int:
        """The mask of the cards that could be in several hands."""
        return self.deck.mask & ~(self.known[0] | self.known[1] | self.known[2] | self.known[3])

    @cached_property
    def needs(self) -> tuple[int, ...]:
        """For each hand, the number of its unknown cards."""
        return tuple(self.deck.hand_size - mask.bit_count() for mask in self.known)

    @cached_property
    def hidden(self) -> tuple[int, ...]:
        """The hands that have unknown cards."""
        return tuple(hand for hand in range(HANDS) if self.needs[hand])

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """For each suit of the deck, the number of loose cards."""
        return tuple(self.row(suit).bit_count() for suit in range(self.deck.suits))

    def row(self, suit: int) -> int:
        """The loose cards of a suit as a 13-bit mask, ace in the lowest bit."""
        return self.loose >> 13 * suit & _ROW

    def void(self, hand: int, suit: int) -> Void | None:
        """When a hand showed out of a suit; None if it has not."""
        return next((v for v in self.voids if v.hand == hand and v.suit.index == suit), None)

    def _check_places(self) -> None:
        """Reject cards outside the deck or in two hands, and hands with too many cards."""
        for hand, mask in enumerate(self.known):
            foreign = mask & ~self.deck.mask
            if foreign:
                card = next(cards_of(foreign))
                raise CardsError(f"{holder_name(hand)}: {card} is not in a deck of {self.deck}")
            if mask.bit_count() > self.deck.hand_size:
                raise CardsError(
                    f"{holder_name(hand)} is known to have had {mask.bit_count()} cards, "
                    f"but was dealt {self.deck.hand_size}"
                )
        for hand, other in combinations(range(HANDS), 2):
            common = self.known[hand] & self.known[other]
            if common:
                raise CardsError(
                    f"{next(cards_of(common))} is in two places: "
                    f"{holder_name(hand)} and {holder_name(other)}"
                )

    def _check_room(self) -> None:
        """Reject voids that leave too little room for the cards of some suits.

        By Hall's theorem a deal exists exactly when, for every set of suits, the hands that can
        take a card of any of them have room for all the loose cards of those suits.
        """
        for number in range(1, self.deck.suits + 1):
            for suits in combinations(range(self.deck.suits), number):
                barred = [h for h in self.hidden if all(self.void(h, s) for s in suits)]
                able = [h for h in self.hidden if h not in barred]
                cards = sum(self.sizes[suit] for suit in suits)
                room = sum(self.needs[hand] for hand in able)
                if cards > room:
                    raise CardsError(self._no_room(suits, barred, able, cards, room))

    def _no_room(
        self, suits: tuple[int, ...], barred: list[int], able: list[int], cards: int, room: int
    ) -> str:
        words = " and no ".join(SUITS[suit].word for suit in suits)
        shown = [v for h in barred for s in suits if (v := self.void(h, s)) is not None]
        tricks = " and ".join(str(n) for n in sorted({v.trick for v in shown}))
        who = " and ".join(holder_name(hand) for hand in barred)
        others = " and ".join(holder_name(hand) for hand in able)
        place = f"{others} can take {room}" if able else "no other hand can take any"
        return (
            f"{who} showed no {words} at trick {tricks} but must hold {cards - room} of them: "
            f"{cards} are unseen and {place}"
        )


def evidence_of(view: View) -> Evidence:
    """The hard evidence of a view; a kibitzer's is what everyone can see."""
    known, played = [0] * HANDS, [0] * HANDS
    voids: dict[tuple[int, Suit], Void] = {}
    seen: set[int] = set()  # hands that the viewer sees in full
    if view.seat is not None:
        check_hand(view.dealt, view.deck, f"{view.seat}'s hand")
        known[view.seat.index] = view.dealt.mask
        seen.add(view.seat.index)
    if view.dummy_dealt is not None:
        check_hand(view.dummy_dealt, view.deck, "the dummy")
        known[HIDDEN] = view.dummy_dealt.mask
        seen.add(HIDDEN)
    where: dict[Card, str] = {}
    for number, hand, card, led in _plays(view):
        at = f"at trick {number}"
        who = holder_name(hand)
        if card in where:
            raise CardsError(f"{card} is played twice: {where[card]} and by {who} {at}")
        where[card] = f"by {who} {at}"
        for other in range(HANDS):
            if other != hand and known[other] & card.bit:
                raise CardsError(
                    f"{card} is in two places: {holder_name(other)} holds it, {who} plays it {at}"
                )
        if hand in seen and not known[hand] & card.bit:
            raise CardsError(f"{who} plays {card} {at} but was not dealt it")
        gone = voids.get((hand, card.suit))
        if gone is not None:
            raise CardsError(
                f"{who} showed no {card.suit.word} at trick {gone.trick} but plays {card} {at}"
            )
        if card.suit != led:
            followers = Hand(known[hand] & ~played[hand]).suit(led)
            if followers:
                raise CardsError(
                    f"{who} did not follow to {led.word} {at} but holds {next(iter(followers))}"
                )
            voids.setdefault((hand, led), Void(hand, led, number))
        known[hand] |= card.bit
        played[hand] |= card.bit
    return Evidence(
        view.deck,
        (known[0], known[1], known[2], known[3]),
        (played[0], played[1], played[2], played[3]),
        tuple(voids.values()),
    )


def _plays(view: View) -> Iterator[tuple[int, int, Card, Suit]]:
    """Every card played: trick number, hand, card, suit led."""
    play = view.position
    if play is None:
        return
    for number, (leader, cards) in enumerate(play.rounds(), 1):
        for at, card in enumerate(cards):
            chair = Chair((leader + at) % HANDS)
            yield number, hand_at(chair, play.contract.declarer), card, cards[0].suit
