"""`tribridge exact`: exact distributions of both algorithms, from a count of every deal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tribridge.capture import NATURAL, READINGS, Conditions, default_budget
from tribridge.cards import Deck
from tribridge.cli.options import AsJson, Budget, Progress, print_json
from tribridge.errors import SettingError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from tribridge.capture.exact import ExactDistribution, Joint, Verdict
    from tribridge.capture.exact import Progress as Counted


def exact(
    as_json: AsJson = False,
    deck: Annotated[str, typer.Option(help="Deck, as suits x ranks, of up to 8 suits.")] = "4x13",
    budget: Budget = None,
    joint_captures: Annotated[
        bool,
        typer.Option(
            "--joint-captures",
            help="Also count the captures of both algorithms jointly (slower).",
        ),
    ] = False,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Recount everything and store nothing on disk.")
    ] = False,
) -> None:
    """Count every deal: exact distributions of Algorithms 1 and 2, separately and jointly."""
    from tribridge.capture.exact import CountedDeck

    pack = CountedDeck(deck)
    most = default_budget(pack) if budget is None else budget
    if most < 0:
        raise SettingError(f"the budget must be 0 or more, not {most}")
    results = _count(pack, most, joint_captures=joint_captures, cache=not no_cache)
    if as_json:
        first, second, joint = results
        answers = {name: _as_json(counted) for name, counted in first.items()}
        answer = {
            "deck": str(second.deck),
            "budget": second.budget,
            "algorithm1": answers.pop(NATURAL.name),
            "algorithm2": _as_json(second),
            "readings": answers,
            "joint": _joint_as_json(joint),
        }
        print_json(answer)
    else:
        _show(*results)


def _count(
    deck: Deck, budget: int, *, joint_captures: bool, cache: bool
) -> tuple[dict[str, ExactDistribution], ExactDistribution, Joint]:
    """Algorithm 1 in each reading, Algorithm 2 and both together, with a progress bar."""
    from tribridge.capture import exact as counting

    with Progress("", len(READINGS) + 2, patience=2.0) as bar:

        def phase(at: int, name: str) -> Counted:
            return lambda done, total: bar.update(at + done / total, doing=name)

        first = {
            name: counting.algorithm1(
                deck, budget, reading, progress=phase(at, f"Algorithm 1, {name}"), cache=cache
            )
            for at, (name, reading) in enumerate(READINGS.items())
        }
        at = len(READINGS)
        second = counting.algorithm2(deck, budget, progress=phase(at, "Algorithm 2"), cache=cache)
        joint = counting.joint(
            deck,
            budget,
            captures=joint_captures,
            progress=phase(at + 1, "both together"),
            cache=cache,
        )
    return first, second, joint


def _as_json(counted: ExactDistribution) -> dict[str, Any]:
    return {
        "total": counted.total,
        "A fails": counted.a_fails,
        "B fails": counted.b_fails,
        "captures": dict(sorted(counted.captures.items())),
        "check": dict(sorted(counted.check.items())),
        "total gap": dict(sorted(counted.total_gap.items())),
    }


def _joint_as_json(joint: Joint) -> dict[str, Any]:
    result: dict[str, Any] = {"reading": joint.reading, "outcomes": _nested(joint.outcomes)}
    captures = {pair: n for pair, n in joint.counts.items() if isinstance(pair[1], int)}
    return result | ({"captures": _nested(captures)} if captures else {})


def _nested(counts: Mapping[tuple[Verdict, Any], int]) -> dict[str, dict[str, int]]:
    """Counts by Algorithm 1's verdict, then by Algorithm 2's, each in order."""
    rows: dict[str, dict[str, int]] = {}
    for (first, second), count in sorted(
        counts.items(), key=lambda item: list(map(_order, item[0]))
    ):
        rows.setdefault(_name(first), {})[_name(second)] = count
    return rows


def _name(verdict: Verdict) -> str:
    return verdict.value if isinstance(verdict, Conditions) else str(verdict)


def _order(verdict: Verdict) -> tuple[int, str]:
    """Outcomes of the conditions first, then captures by number."""
    return (-1, verdict.value) if isinstance(verdict, Conditions) else (verdict, "")


def _percent(part: int, whole: int) -> str:
    """A share with two decimals; a small positive share never reads as zero.

    >>> _percent(0, 9), _percent(1, 3), _percent(1, 10**9), _percent(9, 9), _percent(0, 0)
    ('0%', '33.33%', '<0.01%', '100%', '-')
    """
    if not whole:
        return "-"
    if part in (0, whole):
        return "100%" if part else "0%"
    share = f"{100 * part / whole:.2f}"
    return {"0.00": "<0.01%", "100.00": ">99.99%"}.get(share, f"{share}%")


def _show(first: dict[str, ExactDistribution], second: ExactDistribution, joint: Joint) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    hands, pairs = _answer(first[NATURAL.name], "hands"), _answer(second, "pairs")
    console.print(f"Algorithm 1: both conditions hold for {hands}.")
    console.print(f"Algorithm 2: both conditions hold for {pairs}.")
    console.print(
        f"Every hand, and every pair of hand and dummy, of deck {second.deck} with budget "
        f"{second.budget}."
    )
    for name, counted in first.items():
        # The leading gaps of a hand are the same under every reading.
        gaps, title = name == NATURAL.name, f"Algorithm 1, reading {name}"
        _show_distribution(console, title, READINGS[name].note, counted, gaps)
    _show_distribution(console, "Algorithm 2", "with the dummy", second, True)
    _show_joint(console, joint)


def _answer(counted: ExactDistribution, what: str) -> str:
    share = f"{_percent(counted.both_hold, counted.total)} of {what}"
    if not counted.both_hold:
        return share
    return f"{share}, mean {float(counted.mean):.2f} captures"


def _show_distribution(
    console: Console, title: str, note: str, counted: ExactDistribution, gaps: bool
) -> None:
    def show(heading: str, counts: Mapping[Any, int], *, tail: bool = False) -> None:
        console.print()
        console.print(_counts_table(heading, counts, counted.total, tail=tail))

    console.print()
    console.rule(title, align="left")
    console.print(note)
    conditions = (counted.a_fails, counted.b_fails, counted.both_hold, counted.total)
    names = (*(outcome.value for outcome in Conditions), "all")
    show("conditions", dict(zip(names, conditions, strict=True)))
    if counted.both_hold:
        show("captures", counted.captures, tail=True)
        low, middle, high = (counted.quantile(share) for share in (0.05, 0.5, 0.95))
        console.print(
            f"\nWhere both conditions hold: {float(counted.mean):.2f} captures on average, median "
            f"{middle}, central 90% from {low} to {high}."
        )
        show("check value", counted.check, tail=True)
    if gaps:
        show("total leading gap", dict(sorted(counted.total_gap.items())))


def _counts_table(heading: str, counts: Mapping[Any, int], total: int, *, tail: bool) -> Table:
    """Counts with their share of the total, and the share of this much or more."""
    from rich.table import Table

    table = Table(heading, "count", "share", *(["at least"] if tail else []), box=None)
    for value, count in counts.items():
        row = [str(value), f"{count:,}", _percent(count, total)]
        if tail:
            row.append(_percent(sum(n for v, n in counts.items() if v >= value), total))
        table.add_row(*row)
    return _right(table)


def _show_joint(console: Console, joint: Joint) -> None:
    from rich.table import Table

    console.print()
    console.rule("Algorithm 1 on the hand, Algorithm 2 on hand and dummy", align="left")
    table = Table(
        "Algorithm 1", "pairs of hands", *(outcome.value for outcome in Conditions), box=None
    )
    verdicts = sorted(joint.firsts, key=_order)
    for first in verdicts:
        total = joint.firsts[first]
        shares = (_percent(joint.outcomes.get((first, o), 0), total) for o in Conditions)
        table.add_row(_name(first), f"{total:,}", *shares)
    console.print(_right(table))
    console.print("\nRow percentages: the result of Algorithm 2, given this result of Algorithm 1.")
    seconds = sorted({second for _, second in joint.counts if isinstance(second, int)})
    if not seconds:
        return
    table = Table("", *map(str, seconds), box=None, padding=(0, 0, 0, 1))
    for first in verdicts:
        held = joint.outcomes.get((first, Conditions.BOTH_HOLD), 0)
        shares = (
            f"{100 * joint.counts.get((first, t), 0) / held:.1f}" if held else "-" for t in seconds
        )
        table.add_row(_name(first), *shares)
    console.print("\nCaptures of Algorithm 2 (columns) by result of Algorithm 1 (rows), as a")
    console.print("percentage of the row's pairs in which both conditions hold with the dummy:\n")
    console.print(_right(table))


def _right(table: Table) -> Table:
    for column in table.columns:
        column.justify, column.no_wrap = "right", True
    return table
