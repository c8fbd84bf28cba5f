"""Algorithms 1 and 2 a second time, slowly and by other means, to check the first.

There is no matrix here and no column number. A card is a suit letter and a rank letter, a player
is a set of cards, and every quantity of Sections II-B to II-H is counted from the two sets at the
moment it is asked for: the owned cards of a suit are listed afresh each time, so that a removal
rebuilds the list by itself. Only the masks that come in are the project's own; they are decoded
here from their definition (13 bits a suit, Clubs first, Ace in the lowest bit).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tribridge.capture import NATURAL, Reading
from tribridge.cards.cards import Deck

SUITS: Final = "CDHSUVWX"  # the last four for decks that can only be counted
RANKS: Final = "AKQJT98765432"

Named = tuple[str, str]
"""A card: suit letter, rank letter."""


class Step(NamedTuple):
    """One capture: the card, whose it was, what it cost and what it took from the other hand."""

    card: Named
    player: int
    free: bool
    paid: int
    removed: Named | None


class Verdict(NamedTuple):
    """What the slow implementation says; the last four are None when a condition fails."""

    outcome: str
    captures: int
    steps: tuple[Step, ...]
    check: int | None
    hand: frozenset[Named] | None
    dummy: frozenset[Named] | None
    stop: str | None


def named_cards(mask: int) -> frozenset[Named]:
    """The cards of a mask by name."""
    return frozenset((SUITS[n // 13], RANKS[n % 13]) for n in range(104) if mask & 1 << n)


def slow_algorithm1(
    hand: int, deck: Deck, budget: int | None = None, reading: Reading = NATURAL
) -> Verdict:
    """Algorithm 1 on the mask of one hand."""
    return _Table(named_cards(hand), None, deck, budget, reading).run()


def slow_algorithm2(hand: int, dummy: int, deck: Deck, budget: int | None = None) -> Verdict:
    """Algorithm 2 on the masks of a hand and its dummy."""
    return _Table(named_cards(hand), named_cards(dummy), deck, budget, NATURAL).run()


class _Table:
    """The two sets of cards on the table, and what has been spent and captured so far."""

    def __init__(
        self,
        hand: frozenset[Named],
        dummy: frozenset[Named] | None,
        deck: Deck,
        budget: int | None,
        reading: Reading,
    ) -> None:
        self.suits = SUITS[: deck.suits]
        self.ranks = RANKS[: deck.ranks]
        self.tricks = deck.hand_size
        self.allowance = deck.book if budget is None else budget
        self.reading = reading
        self.players = (1,) if dummy is None else (1, 2)
        self.held: dict[int, set[Named]] = {1: set(hand), 2: set(dummy or ())}
        self.leading = {s: self.leading_gap(s) for s in self.suits}
        self.left = self.allowance - sum(self.leading.values())
        self.place = dict.fromkeys(self.suits, 0)
        self.limit: dict[str, int] = {}
        self.row_budget: dict[str, int] = {}
        self.steps: list[Step] = []

    def cards(self, player: int, suit: str) -> list[Named]:
        """One player's cards of a suit, highest first."""
        return [(suit, rank) for rank in self.ranks if (suit, rank) in self.held[player]]

    def owned(self, suit: str) -> list[Named]:
        """Both players' cards of a suit, highest first."""
        one, two = self.held[1], self.held[2]
        return [card for rank in self.ranks if (card := (suit, rank)) in one or card in two]

    def leading_gap(self, suit: str) -> int:
        """How many ranks nobody holds above the highest card held."""
        missing = 0
        for rank in self.ranks:
            if (suit, rank) in self.held[1] or (suit, rank) in self.held[2]:
                break
            missing += 1
        return missing

    def between(self, high: Named, low: Named) -> int:
        """How many ranks lie strictly between two cards of a suit."""
        after = self.ranks.partition(high[1])[2]
        return len(after.partition(low[1])[0])

    def check(self) -> int:
        """Captures so far and budget used up so far."""
        return len(self.steps) + (self.allowance - self.left)

    def enough(self, player: int, suit: str) -> bool:
        """Condition B for one player in one suit."""
        count, gap = len(self.cards(player, suit)), self.leading[suit]
        return count > gap or (count == gap and not self.reading.strict)

    def capture(self, suit: str, free: bool, paid: int) -> None:
        """Capture the card at the suit's place and take the other player's lowest of the suit."""
        card = self.owned(suit)[self.place[suit]]
        player = 1 if card in self.held[1] else 2
        others = self.cards(3 - player, suit)
        removed = others[-1] if others else None
        if removed is not None:
            self.held[3 - player].remove(removed)
        self.steps.append(Step(card, player, free, paid, removed))

    def gaps(self) -> dict[str, int]:
        """The effective gap of each suit that has a next card and has not reached its limit."""
        result: dict[str, int] = {}
        for suit in self.suits:
            captured = sum(step.card[0] == suit for step in self.steps)
            owned, place = self.owned(suit), self.place[suit]
            if captured < self.limit[suit] and place + 1 < len(owned):
                raw = self.between(owned[place], owned[place + 1])
                result[suit] = raw if self.row_budget[suit] > 0 else 0
        return result

    def main_loop(self) -> str:
        """Step 6; says why it stopped."""
        while self.check() < self.tricks:
            gaps = self.gaps()
            if not gaps:
                return "NO_SUIT"
            smallest = min(gaps.values())
            suit = next(s for s in self.suits if gaps.get(s) == smallest)
            paying = self.row_budget[suit] > 0
            if paying and smallest > self.left:
                return "BUDGET"
            self.place[suit] += 1
            if paying:
                self.left -= smallest
                self.row_budget[suit] -= 1
            self.capture(suit, free=not paying, paid=smallest if paying else 0)
        return "CHECK"

    def run(self) -> Verdict:
        """Steps 3 to 7."""
        if sum(self.leading.values()) > self.allowance:
            return Verdict("A fails", 0, (), None, None, None, None)
        if not all(self.enough(player, suit) for suit in self.suits for player in self.players):
            return Verdict("B fails", 0, (), None, None, None, None)
        for suit in self.suits:  # of the original row, before any capture
            self.limit[suit] = max(len(self.cards(player, suit)) for player in self.players)
            self.row_budget[suit] = len(self.ranks) - len(self.owned(suit))
        for suit in self.suits:
            self.capture(suit, free=True, paid=0)
        stop = self.main_loop()
        return Verdict(
            "both hold",
            len(self.steps),
            tuple(self.steps),
            self.check(),
            frozenset(self.held[1]),
            frozenset(self.held[2]),
            stop,
        )
