"""Contracts played by a search that need not see dummy.

All four chairs search alike: layouts of the cards that they do not see are drawn evenly among those
that fit what they know, each is solved double dummy, and the card is played that is best on
average; of equal cards a side suit goes before trumps and a low card before a high one. Declarer
sees dummy in any case. Defenders see it from before the lead on (`OPEN`, the rule of this game),
from after the lead on (`LEAD`, as at ordinary bridge) or never (`CLOSED`): then they draw dummy's
cards, too, but for those that it has played.

With the same history and knowledge the same layouts are drawn, so the three games of a contract are
one until somebody who sees less plays another card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tribridge.beliefs.evidence import Evidence, Void
from tribridge.beliefs.layouts import Layouts
from tribridge.cards.cards import FULL_DECK, SUITS, Card, Deck, Strain
from tribridge.cards.deals import Seat
from tribridge.common.once import once
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.auction import Bid, Contract
from tribridge.game.position import Position
from tribridge.game.tricks import Chair

F64 = NDArray[np.float64]


class Dummy(StrEnum):
    """When the defenders see dummy."""

    OPEN = "open"
    LEAD = "closed for the lead"
    CLOSED = "closed"

    def shown(self, position: Position) -> bool:
        """Whether dummy lies open when this card is due."""
        led = bool(position.trick or position.tricks)
        return self is Dummy.OPEN or (self is Dummy.LEAD and led)


DUMMIES: Final = tuple(Dummy)


@once
def solver_of(deck: Deck) -> DoubleDummy:
    """One solver for each deck."""
    return DoubleDummy(deck)


def evidence_of(position: Position, shown: bool, deck: Deck = FULL_DECK) -> Evidence:
    """What the chair whose card is due knows for certain; hands are numbered by chair."""
    played = [0, 0, 0, 0]
    for chair, card in position.plays():
        played[chair] |= card.bit
    known, own = [*played], position.chair
    seen = {Chair.DECLARER, Chair.DUMMY} if position.declaring else {own}
    for chair in seen | ({Chair.DUMMY} if shown else set()):
        known[chair] |= position.hands[chair]
    voids = tuple(
        Void(chair, SUITS[suit], 1)
        for chair in Chair
        for suit in range(deck.suits)
        if position.voids[chair] >> suit & 1
    )
    a, b, c, d = known
    w, x, y, z = played
    return Evidence(deck, (a, b, c, d), (w, x, y, z), voids)


def drawn(
    position: Position, shown: bool, count: int, rng: Generator, deck: Deck
) -> Iterator[Position]:
    """The position with layouts that fit what the chair to play knows: all, if they are few."""
    evidence = evidence_of(position, shown, deck)
    layouts = Layouts(evidence)
    few = layouts.count <= count
    for dealt in (layouts.every(count) if few else layouts.sample(count, rng)).tolist():
        a, b, c, d = (hand & ~gone for hand, gone in zip(dealt, evidence.played, strict=True))
        yield position.with_hands((a, b, c, d))


def values(
    position: Position, shown: bool, count: int, rng: Generator, deck: Deck = FULL_DECK
) -> tuple[Sequence[Card], F64]:
    """The legal cards, and declarer's tricks after each in the layouts drawn (layouts, cards)."""
    solver, cards = solver_of(deck), position.legal
    rows = []
    for layout in drawn(position, shown, count, rng, deck):
        solved = solver.cards(layout)
        rows.append([solved[card] for card in cards])
    return cards, np.array(rows, np.float64)


def choose(
    position: Position, shown: bool, count: int, rng: Generator, deck: Deck = FULL_DECK
) -> Card:
    """The card that is best on average."""
    cards = position.legal
    if len(cards) == 1:
        return cards[0]
    return best(position, *values(position, shown, count, rng, deck))


def best(position: Position, cards: Sequence[Card], tricks: F64) -> Card:
    """The card that is best on average over layouts."""
    mean = tricks.mean(0) if position.declaring else -tricks.mean(0)
    order = [(card.row != position.trump, card.column) for card in cards]
    return cards[max(range(len(cards)), key=lambda at: (round(mean[at], 9), order[at]))]


def seed_of(seed: int, number: int, position: Position) -> Generator:
    """The random numbers of a choice: the same in all games of a contract."""
    return np.random.default_rng((seed, number, 4 * len(position.tricks) + len(position.trick)))


def play(
    start: Position,
    count: int,
    seed: int,
    number: int,
    arms: Sequence[Dummy] = DUMMIES,
    deck: Deck = FULL_DECK,
) -> Mapping[Dummy, Position]:
    """How a contract ends with dummy seen in each of these ways."""
    if start.over:
        return dict.fromkeys(arms, start)
    groups: dict[Card, list[Dummy]] = {}
    by_knowledge: dict[bool, Card] = {}
    for arm in arms:
        shown = start.declaring or arm.shown(start)
        if shown not in by_knowledge:
            rng = seed_of(seed, number, start)
            by_knowledge[shown] = choose(start, shown, count, rng, deck)
        groups.setdefault(by_knowledge[shown], []).append(arm)
    ended: dict[Dummy, Position] = {}
    for card, same in groups.items():
        ended |= play(start.apply_unchecked(card), count, seed, number, same, deck)
    return {arm: ended[arm] for arm in arms}


def start(hands: Sequence[int], bidder: int, bid: int) -> Position:
    """A contract before the lead: hands from the dealer on, the hidden hand last."""
    left, right = hands[(bidder + 1) % 3], hands[(bidder + 2) % 3]
    strains = tuple(Strain)
    named = Bid(bid // len(strains) + 1, strains[bid % len(strains)])
    return Position(Contract(named, Seat(bidder)), (hands[bidder], left, hands[3], right))
