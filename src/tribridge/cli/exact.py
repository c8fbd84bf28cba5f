"""`tribridge exact`: exact distributions of both algorithms, from a count of every deal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from tribridge.capture import NATURAL, READINGS, Conditions, default_budget
from tribridge.capture import exact as counting
from tribridge.capture.exact import ExactDistribution, Joint, Verdict
from tribridge.cli.options import AsJson, Budget, option, print_json
from tribridge.cli.showing import show_tables
from tribridge.common.waiting import Waiting

if TYPE_CHECKING:
    from tribridge.common.tables import Cell, StudyTable

_DIGITS: Final = 4
"""Of a percentage."""


def exact(
    as_json: AsJson = False,
    deck: Annotated[str, option("Deck, as suits x ranks, of up to 8 suits.")] = "4x13",
    budget: Budget = None,
    joint_captures: Annotated[
        bool,
        option("Also count the captures of both algorithms jointly (slower).", "--joint-captures"),
    ] = False,
    no_cache: Annotated[
        bool, option("Recount everything and store nothing on disk.", "--no-cache")
    ] = False,
) -> None:
    """Count every deal: exact distributions of Algorithms 1 and 2, separately and jointly."""
    pack = counting.CountedDeck(deck)
    most = default_budget(pack) if budget is None else budget
    first, cache = {}, not no_cache
    for name, reading in READINGS.items():
        with Waiting(f"Algorithm 1, {name}") as line:
            first[name] = counting.algorithm1(
                pack, most, reading, progress=line.update, cache=cache
            )
    with Waiting("Algorithm 2") as line:
        second = counting.algorithm2(pack, most, progress=line.update, cache=cache)
    with Waiting("both together") as line:
        joint = counting.joint(
            pack, most, captures=joint_captures, progress=line.update, cache=cache
        )
    if as_json:
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
        _show(first, second, joint)


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


def _show(first: dict[str, ExactDistribution], second: ExactDistribution, joint: Joint) -> None:
    for number, counted, what in ((1, first[NATURAL.name], "hands"), (2, second, "pairs")):
        share = f"{100 * counted.both_hold / counted.total:.2f}% of {what}"
        mean = f", mean {float(counted.mean):.2f} captures" if counted.both_hold else ""
        print(f"Algorithm {number}: both conditions hold for {share}{mean}.")
    print(
        f"Every hand, and every pair of hand and dummy, of deck {second.deck} with budget "
        f"{second.budget}."
    )
    for name, counted in first.items():
        # The leading gaps of a hand are the same under every reading.
        title = f"Algorithm 1, reading {name}"
        show_tables(_distribution(title, READINGS[name].note, counted, name == NATURAL.name))
    show_tables(_distribution("Algorithm 2", "with the dummy", second, True))
    show_tables(_joint_tables(joint))


def _distribution(
    title: str, note: str, counted: ExactDistribution, gaps: bool
) -> Iterator[StudyTable]:
    """Counts with their share of the total, and the share of this much or more."""
    from tribridge.common.tables import EXACT_PERCENT, Column, StudyTable, share_of

    share = replace(EXACT_PERCENT, digits=_DIGITS)
    held = (counted.a_fails, counted.b_fails, counted.both_hold, counted.total)
    names = (*(outcome.value for outcome in Conditions), "all")
    parts: dict[str, Mapping[Any, int]] = {"conditions": dict(zip(names, held, strict=True))}
    if counted.both_hold:
        parts |= {"captures": counted.captures, "check value": counted.check}
    if gaps:
        parts["total leading gap"] = dict(sorted(counted.total_gap.items()))
    for heading, counts in parts.items():
        shares = (share.named("%"), share.named("% or more"))
        columns = (Column(heading), Column("count", exact=True), *shares)
        values, whole = list(counts.values()), counted.total
        rows: list[tuple[Cell, ...]] = [
            (str(value), count, share_of(count, whole), share_of(sum(values[at:]), whole))
            for at, (value, count) in enumerate(counts.items())
        ]
        table = StudyTable("exact-counts", f"{title}: {heading}", columns, tuple(rows))
        if heading == "conditions":
            table = replace(table.select(*table.names[:3]), note=note)
        yield table


def _joint_tables(joint: Joint) -> Iterator[StudyTable]:
    """Algorithm 2's result by that of Algorithm 1, and its captures if they were counted."""
    from tribridge.common.tables import EXACT_PERCENT, Column, StudyTable, share_of

    title = "Algorithm 1 on the hand (rows), Algorithm 2 on hand and dummy (columns)"
    verdicts = sorted(joint.firsts, key=_order)
    rows = tuple(
        (
            _name(first),
            joint.firsts[first],
            *(share_of(joint.outcomes.get((first, o), 0), joint.firsts[first]) for o in Conditions),
        )
        for first in verdicts
    )
    share = replace(EXACT_PERCENT, digits=_DIGITS)
    columns = (
        Column("Algorithm 1"),
        Column("pairs of hands", exact=True),
        *(share.named(f"% {outcome.value}") for outcome in Conditions),
    )
    yield StudyTable("exact-joint", title, columns, rows, "Percentages of each row.")
    seconds = sorted({second for _, second in joint.counts if isinstance(second, int)})
    held = {first: joint.outcomes.get((first, Conditions.BOTH_HOLD), 0) for first in verdicts}
    yield StudyTable(
        "exact-joint-captures",
        "Captures of Algorithm 2, in % of the pairs of a row in which both conditions hold",
        (Column("Algorithm 1"), *(share.named(str(second)) for second in seconds)),
        tuple(
            (_name(v), *(share_of(joint.counts.get((v, t), 0), held[v]) for t in seconds))
            for v in verdicts
        )
        if seconds
        else (),
    )
