"""A run of the algorithm as frames, one for each step."""

from __future__ import annotations

from dataclasses import dataclass

from tribridge.capture import Option, Result, wording
from tribridge.cards import Card, Rank, Suit, card_at
from tribridge.web.language import gettext, spoken, translated


@dataclass(frozen=True, slots=True)
class Cell:
    """One card of the matrix in a frame."""

    card: Card
    holder: int
    number: int | None
    """Its place in the order of captures."""
    removed: bool
    now: bool
    """Captured or removed in this step."""

    @property
    def words(self) -> str:
        """The cell in words, for screen readers."""
        parts = [cell_words(self.card, self.holder)]
        if self.number is not None:
            parts.append(gettext("captured, number {number}").format(number=self.number))
        if self.removed:
            parts.append(gettext("removed"))
        return ", ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRow:
    """One suit in a frame: its cells and its quantities."""

    suit: Suit
    cells: tuple[Cell, ...]
    c1: int
    c2: int
    leading_gap: int
    limit: int
    budget: int
    """Zeros that are still to be paid for."""
    option: Option | None
    chosen: bool
    failing: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """The algorithm at one step."""

    title: str
    text: str
    rows: tuple[FrameRow, ...]
    budget: int
    """The global budget Z."""
    captures: int
    check: int
    final: bool


def frames(result: Result) -> list[Frame]:
    """All steps of a run: the matrix, the conditions, each capture, the end."""
    first = len(result.rows)
    start = result.budget - result.total_gap
    pictures = [
        _frame(
            result,
            0,
            "Step 1: the state matrix",
            "1 is the hand, 2 the dummy, blank neither."
            if result.dummy
            else "1 is the hand, blank the other three.",
            start,
            (),
        ),
        _frame(
            result,
            0,
            "Steps 2 and 3: the gaps and the conditions",
            _conditions(result),
            start,
            (),
            final=result.stop is None,
            failing=True,
        ),
    ]
    for number, step in enumerate(result.trace, 1):
        head = "Step 5: a free capture in each suit" if number <= first else "Step 6: smallest gap"
        text = f"Capture {number}: {wording.captured(step)}."
        pictures.append(_frame(result, number, head, text, step.budget_after, step.options))
    if result.stop is not None:
        text = _sentences(wording.stopped(result, result.stop), wording.totals(result))
        pictures.append(
            _frame(
                result,
                len(result.trace),
                "Step 7: the verdict",
                text,
                result.stop.budget,
                result.stop.options,
                final=True,
            )
        )
    return pictures


def _conditions(result: Result) -> str:
    parts = [f"Condition {name}: {words}" for name, words in wording.conditions(result).items()]
    if result.stop is None:
        parts.append("No capture is predicted")
    return _sentences(wording.total_gap(result), *parts)


def _sentences(*parts: str) -> str:
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts)


def _frame(
    result: Result,
    done: int,
    title: str,
    text: str,
    budget: int,
    options: tuple[Option, ...],
    *,
    final: bool = False,
    failing: bool = False,
) -> Frame:
    trace = result.trace[:done]
    last = trace[-1] if trace and not final else None
    numbers = {step.card: at for at, step in enumerate(trace, 1)}
    removed = {step.removed for step in trace}
    budgets = {row.suit: row.c0 for row in result.rows}
    for step in trace:
        budgets[step.suit] = step.row_budget_after
    by_suit = {option.suit: option for option in options}
    bad = {row.suit for row in result.failing_rows} if failing else set()
    rows = tuple(
        FrameRow(
            suit=row.suit,
            cells=tuple(
                Cell(
                    card,
                    holder,
                    numbers.get(card),
                    card in removed,
                    last is not None and card in (last.card, last.removed),
                )
                for card, holder in (
                    (card_at(row.suit.index, rank), holder) for rank, holder in enumerate(cells)
                )
            ),
            c1=row.c1,
            c2=row.c2,
            leading_gap=row.leading_gap,
            limit=row.limit,
            budget=budgets[row.suit],
            option=by_suit.get(row.suit),
            chosen=last is not None and last.suit is row.suit,
            failing=row.suit in bad,
        )
        for row, cells in zip(result.rows, result.initial.rows, strict=True)
    )
    spent = result.budget - budget
    return Frame(
        title=title,
        text=text,
        rows=rows,
        budget=budget,
        captures=done,
        check=done + spent,
        final=final,
    )


def cell_words(card: Card, holder: int) -> str:
    """A card and whose it is, in words: 1 is the hand, 2 the dummy."""
    forms = (gettext("{card}: neither"), gettext("{card}: hand"), gettext("{card}: dummy"))
    return forms[holder].format(card=translated(spoken(card)))


RANKS = tuple(rank.letter for rank in Rank)
