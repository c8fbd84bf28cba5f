"""The pauses of bots: uneven as with people, and without a word about anybody's hand."""

from __future__ import annotations

from statistics import fmean

from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.club.core.rhythm import rhythm
from tribridge.game import Table, new_table


def _tables(number: int) -> list[Table]:
    """Every table of a deal in which the first legal card is played."""
    table = new_table(deal(3, number), Seat(number % 3))
    steps = [table]
    for call in ("1NT", "Pass", "3S", "Pass", "Pass"):
        table = table.call(call)
        steps.append(table)
    while not table.over:
        table = table.apply(table.legal[0])
        steps.append(table)
    return steps


def test_a_pause_is_never_far_from_the_usual_one_and_the_lead_takes_longest() -> None:
    steps = _tables(1)
    found = [rhythm(table, at) for at, table in enumerate(steps)]
    assert all(0.6 < one < 2 for one in found)
    assert 0.9 < fmean(found) < 1.15
    by_kind = {
        kind: fmean(rhythm(table, number) for number in range(200))
        for kind, table in (("call", steps[0]), ("high", steps[3]), ("lead", steps[5]),
                            ("card", steps[10]), ("end", steps[-3]))
    }  # fmt: skip
    assert by_kind["end"] < by_kind["card"] <= by_kind["call"] < by_kind["high"] < by_kind["lead"]


def test_a_pause_says_nothing_of_the_cards() -> None:
    first, second = _tables(0), _tables(3)  # the same dealer
    assert len(first) == len(second) == 6 + 52
    for at, (one, other) in enumerate(zip(first, second, strict=True)):
        assert rhythm(one, at) == rhythm(other, at)
