"""Algorithms 1 and 2 as the paper defines them, with every step recorded.

This is the reference: a literal reading of Steps 1 to 7 on a matrix of any size, written to be read
and to explain itself. Details that are easily misread, all as in the paper:

- ties of the smallest effective gap go to the first suit;
- a capture removes the *other* hand's lowest card in the suit even when that card lies above the
  pointer and was captured already; the list of owned columns is rebuilt and the pointer keeps its
  *index*, so it can come to stand on another card;
- a row's budget starts at its number of zeros before any capture and falls by one on each paid
  capture, whatever the gap; once it is spent, every further card of the row is free;
- the stop test looks before a capture, so the check value can end above the stop value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from tribridge.capture.matrix import Matrix, Row, matrix_of
from tribridge.capture.readings import NATURAL, Reading
from tribridge.cards.cards import (
    FULL_DECK,
    RANKS,
    Card,
    Deck,
    Hand,
    Suit,
    card_at,
    check_hand,
    check_pair,
)
from tribridge.common import charts
from tribridge.common.errors import SettingError, quantity, unchanging


class Conditions(Enum):
    """Step 3: which of the two conditions hold."""

    A_FAILS = "A fails"
    B_FAILS = "B fails"
    BOTH_HOLD = "both hold"


class Skip(Enum):
    """Why a suit offers no next capture."""

    LIMIT = "capture limit reached"
    NO_CARD = "no next card"


class StopReason(Enum):
    """Why the loop ended."""

    CHECK = "the check value has reached the number of tricks"
    NO_SUIT = "no suit has a next card to capture"
    BUDGET = "the smallest gap exceeds the global budget"


@dataclass(frozen=True, slots=True)
class Option:
    """One suit in Step 6.2: its gap, or why it is skipped."""

    suit: Suit
    gap: int | None
    effective: int | None
    skipped: Skip | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One capture and everything it changed."""

    card: Card
    holder: int
    free: bool
    check_before: int
    options: tuple[Option, ...]
    """What was chosen from; empty for the four initial captures."""
    gap_paid: int
    budget_before: int
    budget_after: int
    row_budget_before: int
    row_budget_after: int
    removed: Card | None
    captures: int

    @property
    def suit(self) -> Suit:
        return self.card.suit


@dataclass(frozen=True, slots=True)
class Stop:
    """The final check, which ended the loop."""

    reason: StopReason
    check: int
    budget: int
    options: tuple[Option, ...]


@unchanging
@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of the algorithm and how it was reached.

    `check`, `final` and `stop` are None when a condition fails: there was no capture to report.
    """

    outcome: Conditions
    captures: int
    check: int | None
    initial: Matrix = field(repr=False)
    final: Matrix | None = field(repr=False)
    rows: tuple[Row, ...] = field(repr=False)
    total_gap: int
    budget: int
    """The budget at the outset, 6 in the paper; Z is this minus the total leading gap."""
    target: int
    """The check value at which the loop stops, 13 in the paper."""
    dummy: bool
    reading: Reading = field(repr=False)
    trace: tuple[Capture, ...] = field(repr=False)
    stop: Stop | None = field(repr=False)

    def __str__(self) -> str:
        held = "" if self.outcome is Conditions.BOTH_HOLD else f": {self.outcome.value}"
        return f"{quantity(self.captures, 'capture')}{held}"

    def _repr_html_(self) -> str:
        """The matrix: the order of the captures, other cards of the hand (1) and the dummy (2)."""
        order = {card.index: number for number, card in enumerate(self.order, 1)}
        ranks = RANKS[: len(self.initial.rows[0])]
        rows = []
        for row in reversed(self.rows):
            cells: list[object] = [row.suit.sign]
            for rank in ranks:
                card = Card.of(row.suit, rank)
                cells.append(_cell(order.get(card.index), self.initial.holder(card)))
            rows.append([*cells, ""])
        names = ["", *(rank.letter for rank in ranks), ""]
        note = "Numbers: the order of the captures; ○ a card that captures nothing"
        other = f'; <span style="color: {charts.ORANGE}">dummy</span>' if self.dummy else ""
        colours = f'<span style="color: {charts.BLUE}">hand</span>{other}'
        legend = charts.Html(f'<span style="opacity: .75">{note}. {colours}</span>')
        return charts.block(charts.Html(f"<b>{self}</b>"), charts.table(names, rows), legend)

    @property
    def order(self) -> tuple[Card, ...]:
        """The captured cards in the order of their capture."""
        return tuple(capture.card for capture in self.trace)

    @property
    def removed(self) -> frozenset[Card]:
        """The cards that captures removed from the other hand."""
        return frozenset(c.removed for c in self.trace if c.removed is not None)

    @property
    def failing_rows(self) -> tuple[Row, ...]:
        """The rows that break Condition B, whatever Condition A says."""
        return tuple(row for row in self.rows if not _row_qualifies(row, self.dummy, self.reading))


def _cell(number: int | None, holder: int) -> charts.Html:
    """A card of the matrix, for a notebook."""
    if not holder:
        return charts.Html('<span style="opacity: .3">·</span>')
    colour = charts.BLUE if holder == 1 else charts.ORANGE
    text = "○" if number is None else f"<b>{number}</b>"
    return charts.Html(f'<span style="color: {colour}">{text}</span>')


def algorithm1(
    hand: Hand, deck: Deck = FULL_DECK, budget: int | None = None, reading: Reading = NATURAL
) -> Result:
    """Algorithm 1: what one hand can capture before the dummy is seen.

    Examples:
        >>> from tribridge.cards.cards import parse_hand
        >>> result = algorithm1(parse_hand("AKQ2.AK3.A92.KQJ"))
        >>> result.outcome.value, result.captures, result.check
        ('both hold', 10, 15)
    """
    check_hand(hand, deck)
    return run(matrix_of(hand, None, deck), deck, budget, reading, dummy=False)


def algorithm2(
    hand: Hand, dummy: Hand, deck: Deck = FULL_DECK, budget: int | None = None
) -> Result:
    """Algorithm 2: what a hand and its dummy can capture together."""
    check_pair(hand, dummy, deck)
    return run(matrix_of(hand, dummy, deck), deck, budget, NATURAL, dummy=True)


def default_budget(deck: Deck) -> int:
    """The paper's budget, 6 of 13 tricks, scaled to the deck's number of tricks."""
    return deck.book


def _row_qualifies(row: Row, dummy: bool, reading: Reading) -> bool:
    least = row.leading_gap + reading.strict
    return row.c1 >= least and (row.c2 >= least or not dummy)


@dataclass(slots=True)
class _SuitState:
    """One row while captures go on."""

    row: Row
    cells: list[int]
    owned: list[int]
    row_budget: int
    pointer: int = 0
    taken: int = 0

    def option(self) -> Option:
        """Step 6.2 for this suit."""
        suit = self.row.suit
        if self.taken >= self.row.limit:
            return Option(suit, None, None, Skip.LIMIT)
        if self.pointer + 1 >= len(self.owned):
            return Option(suit, None, None, Skip.NO_CARD)
        gap = self.owned[self.pointer + 1] - self.owned[self.pointer] - 1
        return Option(suit, gap, gap if self.row_budget > 0 else 0)

    def remove_lowest(self, holder: int) -> Card | None:
        """Step 4: take out the lowest card of a holder in this suit, if there is one."""
        for column in reversed(range(len(self.cells))):
            if self.cells[column] == holder:
                self.cells[column] = 0
                self.owned.remove(column)
                return card_at(self.row.suit.index, column)
        return None


def run(matrix: Matrix, deck: Deck, budget: int | None, reading: Reading, *, dummy: bool) -> Result:
    """Steps 2 to 7."""
    if budget is None:
        budget = default_budget(deck)
    if budget < 0:
        raise SettingError(f"the budget must be 0 or more, not {budget}")
    target = deck.hand_size
    rows = matrix.analyse()
    total_gap = sum(row.leading_gap for row in rows)

    def result(
        outcome: Conditions,
        check: int | None = None,
        final: Matrix | None = None,
        trace: tuple[Capture, ...] = (),
        stop: Stop | None = None,
    ) -> Result:
        return Result(
            outcome=outcome,
            captures=len(trace),
            check=check,
            initial=matrix,
            final=final,
            rows=rows,
            total_gap=total_gap,
            budget=budget,
            target=target,
            dummy=dummy,
            reading=reading,
            trace=trace,
            stop=stop,
        )

    if total_gap > budget:
        return result(Conditions.A_FAILS)
    if not all(_row_qualifies(row, dummy, reading) for row in rows):
        return result(Conditions.B_FAILS)

    suits = [
        _SuitState(row, list(cells), [c for c, value in enumerate(cells) if value], row.c0)
        for row, cells in zip(rows, matrix.rows, strict=True)
    ]
    trace: list[Capture] = []
    left = budget - total_gap  # Z

    def capture(suit: _SuitState, options: tuple[Option, ...], gap: int | None) -> None:
        """Capture the card under the pointer, pay its gap (None: free) and remove a card."""
        nonlocal left
        check = len(trace) + budget - left
        before, row_before = left, suit.row_budget
        if gap is not None:
            left -= gap
            suit.row_budget -= 1
        suit.taken += 1
        column = suit.owned[suit.pointer]
        holder = suit.cells[column]
        trace.append(
            Capture(
                card=card_at(suit.row.suit.index, column),
                holder=holder,
                free=gap is None,
                check_before=check,
                options=options,
                gap_paid=gap or 0,
                budget_before=before,
                budget_after=left,
                row_budget_before=row_before,
                row_budget_after=suit.row_budget,
                removed=suit.remove_lowest(3 - holder),
                captures=len(trace) + 1,
            )
        )

    for suit in suits:  # Step 5
        capture(suit, (), None)

    while True:  # Step 6
        check = len(trace) + budget - left
        if check >= target:
            stop = Stop(StopReason.CHECK, check, left, ())
            break
        options = tuple(suit.option() for suit in suits)
        best = min(
            (option for option in options if option.effective is not None),
            key=lambda option: option.effective or 0,
            default=None,
        )
        if best is None:
            stop = Stop(StopReason.NO_SUIT, check, left, options)
            break
        chosen = suits[best.suit]
        effective = best.effective or 0
        if chosen.row_budget > 0 and effective > left:
            stop = Stop(StopReason.BUDGET, check, left, options)
            break
        chosen.pointer += 1
        capture(chosen, options, effective if chosen.row_budget > 0 else None)

    final = Matrix(tuple(tuple(suit.cells) for suit in suits))
    return result(Conditions.BOTH_HOLD, len(trace) + budget - left, final, tuple(trace), stop)
