"""Lines of play: an answer played out on one layout, trick by trick, with a sentence for each.

A line is a row of cards on a layout, with all hands in sight. What a sentence says about a trick
follows from the cards in it and the hands before it, and from nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from tribridge.cards.cards import FULL_DECK, Card, Deck, Hand, cards_of
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.common.sentences import Sentence
from tribridge.game.auction import said
from tribridge.game.position import Position
from tribridge.game.tricks import CHAIRS, Chair, Hands, beats, chair_of
from tribridge.reviews import puzzle_wording as words
from tribridge.strategies.players.maxims.player import pick
from tribridge.strategies.players.search.evaluation import solver_of
from tribridge.strategies.players.suits import apart

_TEN: Final = 4
"""The rank of the lowest honour."""


@dataclass(frozen=True, slots=True)
class Line:
    """The best answer and the tempting one, played out double dummy on the same layout."""

    hands: tuple[Hand, Hand, Hand, Hand]
    """The cards left before the answer: North, East, South and the hidden hand."""
    actual: bool
    """Whether the cards really lay so."""
    best: str
    """The cards from the best answer to the end of the deal."""
    other: str
    """The same from the tempting answer."""

    def chairs(self, declarer: Seat) -> Hands:
        """The hands in the order of the chairs."""
        north, east, south = (self.hands[(declarer.index + at) % 3].mask for at in range(3))
        return north, east, self.hands[HIDDEN].mask, south


@dataclass(frozen=True, slots=True)
class Step:
    """A trick of a line, as it began and as it ended."""

    before: Position
    """At its first card; of the first step, at the answer, with the cards before it."""
    leader: Chair
    cards: tuple[Card, ...]
    after: Position
    sentence: Sentence

    @property
    def winner(self) -> Chair:
        return self.after.leader

    @property
    def by(self) -> Card:
        """The card that wins the trick."""
        return self.cards[(self.winner - self.leader) % 4]


@dataclass(frozen=True)
class PlayedLine:
    """A line from a position with all hands in sight."""

    start: Position
    cards: tuple[Card, ...]
    decides: bool = True
    """Whether what it is compared with ends otherwise for the contract."""
    names: tuple[str, ...] = ()
    """What to call North, East and South; by default their seats."""
    least: int = 1
    """The tricks that are shown at least: those that the comparison speaks of."""

    @classmethod
    def both(cls, start: Position, line: Line) -> tuple[PlayedLine, PlayedLine]:
        """The two lines of a puzzle from its position."""
        best, other = (
            cls(start, tuple(Card(name) for name in cards.split()))
            for cards in (line.best, line.other)
        )
        decides = best.made != other.made
        told = zip((best, other), _told_of(best, other), strict=True)
        first, second = (replace(line, decides=decides, least=least) for line, least in told)
        return first, second

    @property
    def first(self) -> int:
        """The number of the first trick in the deal."""
        return len(self.start.tricks) + 1

    @cached_property
    def end(self) -> Position:
        """The position after the last card; a card that may not be played is refused."""
        return self.start.after(self.cards)

    @property
    def made(self) -> bool:
        return self.end.won >= self.end.needed

    @cached_property
    def tricks(self) -> tuple[Step, ...]:
        """The tricks one by one."""
        steps, now, before = [], self.start, self.start
        for card in self.cards:
            before = now if not now.trick else before
            now = now.apply_unchecked(card)
            if not now.trick:
                done = now.tricks[-1]
                told = _told(before, done.leader, done.cards, now, self.names)
                steps.append(Step(before, done.leader, done.cards, now, told))
        return tuple(steps)

    @cached_property
    def shown(self) -> tuple[Step, ...]:
        """The tricks that are worth showing: until one side takes all others, or it is decided."""
        tricks = self.tricks
        last = len(tricks)
        while last > self.least and tricks[last - 1].winner % 2 == tricks[-1].winner % 2:
            last -= 1
        decided = (
            at for at, step in enumerate(tricks, 1) if at >= self.least and _decided(step.after)
        )
        if self.decides:
            last = min(last, next(decided, last))
        return tricks if len(tricks) - last < 2 else tricks[:last]

    @property
    def rest(self) -> Sentence | None:
        """What becomes of the tricks that are not shown."""
        left = self.tricks[len(self.shown) :]
        if not left:
            return None
        won = sum(step.winner.declaring for step in left)
        if won in (0, len(left)):
            return Sentence(words.REST[bool(won)], {"number": str(len(left))})
        return Sentence(words.SHARED, {"won": str(won), "number": str(len(left))})

    @property
    def result(self) -> Sentence:
        """Declarer's tricks, and what becomes of the contract."""
        pattern = words.LINE_MAKES if self.made else words.LINE_FAILS
        fields = {"number": str(self.end.won), "contract": said(self.end.contract.bid)}
        return Sentence(pattern, fields)

    def sentences(self) -> list[Sentence]:
        """A sentence for each trick that is shown, for the others together, and for the result."""
        rest = [] if self.rest is None else [self.rest]
        return [*(step.sentence for step in self.shown), *rest, self.result]


def parting(best: PlayedLine, other: PlayedLine) -> tuple[int, Step, Step] | None:
    """The first trick that one side wins in one line and the other side in the other.

    Counted over the deal; None if the same tricks are won in both.
    """
    steps = zip(best.tricks, other.tricks, strict=False)
    for number, (first, second) in enumerate(steps, best.first):
        if first.winner % 2 != second.winner % 2:
            return number, first, second
    return None


def difference(best: PlayedLine, other: PlayedLine) -> Sentence | None:
    """What the better of two lines gains: the trick in which they part, or what that is given for.

    A trick that the better line loses is no gain; some card wins a later one in its place. None if
    the same tricks are won in both.
    """
    found = parting(best, other)
    if found is None:
        return None
    number, first, second = found
    fields: dict[str, str | Sentence] = {
        "number": str(number), "best": said(best.cards[0]), "other": said(other.cards[0]),
    }  # fmt: skip
    if first.winner.declaring == best.start.declaring:
        told = {"first": first.sentence, "second": second.sentence}
        return Sentence(words.PARTED, fields | told)
    gained, instead = _exchanged(best, other)
    fields |= {"cards": _listed(gained)}
    if instead:
        return Sentence(words.GIVEN_UP_FOR_MORE, fields | {"others": _listed(instead)})
    one = len(gained) == 1
    return Sentence(words.GIVEN_UP_FOR_ONE if one else words.GIVEN_UP_FOR, fields)


def _told_of(best: PlayedLine, other: PlayedLine) -> Iterator[int]:
    """The last trick of either line that `difference` speaks of, counted from its beginning."""
    found = parting(best, other)
    parted = 1 if found is None else found[0] - best.first + 1
    given_up = found is not None and found[1].winner.declaring != best.start.declaring
    named = _exchanged(best, other) if given_up else ([], [])
    for line, cards in zip((best, other), named, strict=True):
        yield max([parted, *(at for at, step in enumerate(line.tricks, 1) if step.by in cards)])


def _exchanged(best: PlayedLine, other: PlayedLine) -> tuple[list[Card], list[Card]]:
    """The cards with which the player's side wins tricks only in the one line, and in the other."""
    own, others = (
        [step.by for step in line.tricks if step.winner.declaring == best.start.declaring]
        for line in (best, other)
    )
    gained = [card for card in own if card not in others]
    return gained, [card for card in others if card not in own]


def _listed(cards: Sequence[Card]) -> str | Sentence:
    """Cards in words, the last one after an *and*."""
    *most, last = map(str, cards)
    return Sentence(words.AND, {"first": ", ".join(most), "last": last}) if most else last


def play_line(position: Position, card: Card, deck: Deck = FULL_DECK) -> tuple[Card, ...]:
    """A card and what follows to the end of the deal if everybody plays double dummy.

    Of cards that are as good, the maxims choose, or else it is the lowest.
    """
    solver, cards, position = solver_of(deck), [card], position.apply_unchecked(card)
    while not position.over:
        values = solver.cards(position)
        best = max(values.values()) if position.declaring else min(values.values())
        good = [card for card, tricks in values.items() if tricks == best]
        natural = pick(position)[0]
        equal = [card for card in good if len(apart(position, {card, natural})) == 1]
        chosen = apart(position, equal or good)[0]
        cards.append(chosen)
        position = position.apply_unchecked(chosen)
    return tuple(cards)


def _decided(position: Position) -> bool:
    return position.won >= position.needed or position.to_defeat <= 0


def chairs_by_seat(chairs: Sequence[int], declarer: Seat) -> tuple[Hand, Hand, Hand, Hand]:
    """Hands by chair as North, East, South and the hidden hand."""
    north, east, south = (Hand(int(chairs[chair_of(seat, declarer)])) for seat in Seat)
    return north, east, south, Hand(int(chairs[Chair.DUMMY]))


def whole_hands(position: Position) -> list[int]:
    """The hands at the beginning of the trick: with the cards that are on the table."""
    hands = [*position.hands]
    for at, card in enumerate(position.trick):
        hands[(position.leader + at) % 4] |= card.bit
    return hands


def higher_against(
    hands: Sequence[int], leader: Chair, cards: Sequence[Card], winner: Chair
) -> tuple[Chair, Card] | None:
    """Who of the others could have beaten the winning card in its suit, had they played so.

    The lowest of such cards; of two hands the one that played first. Whoever led chose to.
    """
    card = cards[(winner - leader) % 4]
    if card.row != cards[0].row:
        return None
    for at in range(1, 4):
        chair = CHAIRS[(leader + at) % 4]
        if chair % 2 != winner % 2:
            better = [c for c in cards_of(hands[chair]) if c.row == card.row and c > card]
            if better:
                return chair, min(better)
    return None


def _told(
    before: Position,
    leader: Chair,
    cards: tuple[Card, ...],
    after: Position,
    names: tuple[str, ...],
) -> Sentence:
    """What there is to say about a trick, in one sentence."""
    winner = after.leader
    card, led = cards[(winner - leader) % 4], cards[0]
    hands = whole_hands(before)
    contract, trump = before.contract, before.trump

    def name(chair: int, inside: bool = True) -> str | Sentence:
        if chair == Chair.DUMMY:
            return Sentence(words.DUMMY[inside])
        seat = CHAIRS[chair].player(contract.declarer)
        return names[seat.index] if names else Sentence(str(seat))

    fields: dict[str, str | Sentence] = {
        "leader": name(leader, inside=False), "led": str(led),
        "seat": name(winner), "card": str(card),
    }  # fmt: skip
    if card.row != led.row:
        over = any(other.row == trump and other != card for other in cards)
        return Sentence(words.OVERRUFFED if over else words.RUFFED, fields)
    against = higher_against(hands, leader, cards, winner)
    if against is not None:
        chair, better = against
        first = (chair - leader) % 4 < (winner - leader) % 4
        fields |= {"seat": name(chair), "higher": str(better)}
        return Sentence(words.FIRST if first else words.KEPT, fields)
    for at, other in enumerate(cards):
        by = (leader + at) % 4
        alone = sum(c.row == led.row for c in cards_of(hands[by])) == 1
        honour = other.row == led.row and other.column <= _TEN
        if by % 2 != winner % 2 and alone and honour and card.column <= _TEN:
            return Sentence(words.FALLS, {"card": str(card), "fallen": str(other)})
    fields["seat"] = name(winner, inside=winner != leader)
    if winner != leader:
        return Sentence(words.WON, fields)
    partner = cards[2]
    if partner.row not in (led.row, trump):
        fields |= {"other": name((leader + 2) % 4), "discard": str(partner)}
        return Sentence(words.CASHED_OFF, fields)
    sure = not any(
        beats(c.index, card.index, trump)
        for chair in (leader + 1, leader + 3)
        for c in cards_of(hands[chair % 4])
        if c.row == card.row
    )
    return Sentence(words.CASHED if sure else words.WON_OWN, fields)
