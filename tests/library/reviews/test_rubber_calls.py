"""Calls of a rubber are judged by its standing."""

from __future__ import annotations

from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game import Bid, Rubber, new_table
from tribridge.reviews import Judgement, Plan
from tribridge.reviews.judging import judge

BID = Bid("2H")


def judged(rubber: Rubber | None) -> Judgement:
    state = None if rubber is None else rubber.state
    table = new_table(deal(4, 2), Seat.SOUTH, doubles=True, rubber=state)
    return judge(table, BID, Plan(layouts=8))


def test_the_standing_changes_what_calls_are_worth() -> None:
    alone, fresh = judged(None), judged(Rubber())
    ahead = judged(Rubber(below=(0, 0, 14), games=(1, 1, 1)))
    values = [[one.expected for one in each.options] for each in (alone, fresh, ahead)]
    assert len({tuple(sorted(row)) for row in values}) == 3


def test_the_double_dummy_result_is_settled_by_the_laws() -> None:
    rubber = Rubber(below=(0, 0, 14), games=(1, 1, 1))
    chosen, alone = judged(rubber).chosen, judged(None).chosen
    assert chosen is not None
    assert alone is not None
    assert alone.actual != chosen.actual  # test_auctions has the points themselves
