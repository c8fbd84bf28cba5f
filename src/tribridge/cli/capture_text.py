"""A capture result as a picture and as a trace for the terminal.

The picture needs no colour to be read: `1` is a card of the hand, `2` of the dummy, `[1]` was
captured, `2×` was removed by a capture of the other hand, `[2]×` first one, then the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from rich.text import Text

from tribridge.capture import Capture, Option, Result, Stop, wording
from tribridge.cards.cards import RANKS, Card, card_at

_STYLE = ("dim", "cyan", "yellow")


def picture(result: Result, steps: int | None = None) -> Text:
    """The matrix after some captures (default: all), with the numbers of each row."""
    trace = result.trace if steps is None else result.trace[:steps]
    captured = {step.card for step in trace}
    removed = {step.removed for step in trace}
    ranks = len(result.initial.rows[0])
    text = Text(no_wrap=True)
    text.append("   " + "".join(f"  {rank.letter} " for rank in RANKS[:ranks]), "bold")
    text.append("   c1" + (" c2" if result.dummy else "") + " gap limit\n", "dim")
    for row, cells in zip(result.rows, result.initial.rows, strict=True):
        text.append(f" {row.suit.sign} ", "bold")
        for rank, holder in enumerate(cells):
            card = card_at(row.suit.index, rank)
            text.append_text(_cell(holder, card in captured, card in removed))
        second = f"{row.c2:>3}" if result.dummy else ""
        text.append(f"   {row.c1:>2}{second}{row.leading_gap:>4}{row.limit:>6}\n", "dim")
    return text


def _cell(holder: int, captured: bool, removed: bool) -> Text:
    if not holder:
        return Text("  · ", "dim")
    mark = ("[" if captured else " ") + str(holder) + ("]" if captured else "")
    style = _STYLE[holder] + (" bold reverse" if captured else "") + (" strike" if removed else "")
    lead = Text(" ") if not captured or not removed else Text()
    body = Text(mark.rstrip(), style if captured or removed else _STYLE[holder])
    tail = "×" if removed else "" if captured else " "
    cell = lead + body + Text(tail, "red")
    return cell + Text(" " * (4 - len(cell)))


def legend(result: Result) -> Text:
    """What the symbols in the picture mean."""
    parts = "1 hand   2 dummy   " if result.dummy else "1 hand   "
    marks = "[ ] captured   × removed   " if result.dummy else "[ ] captured   "
    neither = "held by neither" if result.dummy else "not held"
    return Text(f" {parts}{marks if result.trace else ''}· {neither}", "dim")


def order_line(result: Result) -> str:
    """The captured cards in order, the free initial ones before the bar."""
    cards = [str(card) for card in result.order]
    first = len(result.rows)
    return f" captured: {' '.join(cards[:first])} | {' '.join(cards[first:])}"


def trace(result: Result) -> Iterator[Text]:
    """The whole run, step by step, each with its picture."""
    yield Text(f"Step 1  the state matrix{' of hand and dummy' if result.dummy else ''}", "bold")
    yield picture(result, 0)
    yield Text("Step 2  the rows", "bold")
    budget = result.budget - result.total_gap
    yield Text(f"  {wording.total_gap(result)}")
    yield Text(f"  global budget Z = {result.budget} - {result.total_gap} = {budget}\n")
    yield Text("Step 3  the conditions", "bold")
    for name, words in wording.conditions(result).items():
        yield Text(f"  {name}  {words}")
    yield Text()
    if result.stop is None:
        yield Text("Step 7  total captures 0", "bold")
        return
    first = len(result.rows)
    for number, step in enumerate(result.trace, 1):
        if number == 1:
            yield Text("Step 5  initial captures: one per suit, free", "bold")
        elif number == first + 1:
            yield Text("Step 6  smallest gap first", "bold")
        yield from _step(result, number, step)
    yield from _stop(result, result.stop)
    yield Text(f"Step 7  {wording.totals(result)}", "bold")


def _step(result: Result, number: int, step: Capture) -> Iterator[Text]:
    if step.options:
        yield _gaps(result, step.check_before, step.options)
    yield Text(f"  {number:>2}. {wording.captured(step)}", "green")
    yield picture(result, number)


def _gaps(result: Result, check: int, options: tuple[Option, ...]) -> Text:
    gaps = ", ".join(map(_gap, options))
    return Text(f"  check value {check} < {result.target}; next gaps: {gaps}")


def _gap(option: Option) -> str:
    sign = option.suit.sign
    if option.skipped is not None:
        return f"{sign} none ({option.skipped.value})"
    if option.gap != option.effective:
        return f"{sign} {option.effective} (raw {option.gap}, the row's budget is spent)"
    return f"{sign} {option.gap}"


def _stop(result: Result, stop: Stop) -> Iterator[Text]:
    if stop.options:
        yield _gaps(result, stop.check, stop.options)
    yield Text(f"  {wording.stopped(result, stop)}\n", "magenta")


def as_json(result: Result, *, with_trace: bool = False) -> dict[str, Any]:
    """The result as JSON, with the trace on request."""
    data: dict[str, Any] = {"outcome": result.outcome.value, "captures": result.captures}
    if result.final is not None:
        data["check"] = result.check
        data["order"] = [card.name for card in result.order]
        data["matrix"] = [list(row) for row in result.final.rows]
    if with_trace:
        data["trace"] = _trace_json(result)
    return data


def _trace_json(result: Result) -> dict[str, Any]:
    steps = [_spoken(step) for step in result.trace]
    for step in steps:
        for name in ("budget", "row budget"):
            step[name] = [step.pop(f"{name} before"), step.pop(f"{name} after")]
    return {
        "reading": None if result.dummy else result.reading.name,
        "initial": _spoken(result.initial.rows),
        "rows": _spoken(result.rows),
        "total gap": result.total_gap,
        "budget": result.budget,
        "steps": steps,
        "stop": _spoken(result.stop),
    }


def _spoken(value: Any) -> Any:
    """A value as JSON, with blanks in the names of its fields."""
    if is_dataclass(value):
        named = ((field.name, getattr(value, field.name)) for field in fields(value))
        return {name.replace("_", " "): _spoken(inner) for name, inner in named}
    if isinstance(value, tuple):
        return [_spoken(inner) for inner in value]
    if isinstance(value, Enum):
        return value.value
    return value.name if isinstance(value, Card) else value
