"""Callers in a rubber: the standing counts, and without a rubber nothing has changed."""

from __future__ import annotations

import pytest

from tests.library.strategies.test_callers import with_hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game.auction import PASS, Bid, call_name
from tribridge.game.laws import find_laws
from tribridge.game.standing import RubberState, Standing
from tribridge.game.table import Table, new_table
from tribridge.game.views import view
from tribridge.strategies import decision_rng, find_caller

AUCTION, CONTRACT = find_laws("auction-rubber"), find_laws("contract-rubber")

BEFORE = {
    "points": "1D Pass Pass; Pass Pass 1D Pass Pass; 1H Pass Pass; 1S Pass 2D Pass Pass",
    "forecast:kind=points": "Pass 1H Pass 2D 2H Pass 3D Pass Pass; Pass Pass 1D Pass Pass; "
    "1H 1S Pass 2H 2S Pass 3H Pass Pass; 1S Pass Pass",
    "capture": "Pass Pass Pass; Pass Pass Pass; Pass Pass Pass; Pass Pass Pass",
}
"""Auctions on the first deals of seed 41, recorded before callers knew of rubbers."""


def bid(name: str, table: Table) -> Table:
    """The table after the auction between three of a caller."""
    while table.position is None and (seat := table.turn) is not None:
        rng = decision_rng(1, 0, seat, len(table.auction.calls))
        table = table.apply(find_caller(name).call(view(table, seat), rng).action)
    return table


@pytest.mark.parametrize("name", BEFORE)
def test_without_a_rubber_calls_are_as_before(name: str) -> None:
    auctions = []
    for number in range(4):
        table = new_table(deal(41, number), Seat(number % 3))
        while table.position is None and (seat := table.turn) is not None:
            rng = decision_rng(1, number, seat, len(table.auction.calls))
            table = table.apply(find_caller(name).call(view(table, seat), rng).action)
        auctions.append(" ".join(call_name(call) for call in table.auction.calls))
    assert "; ".join(auctions) == BEFORE[name]


@pytest.mark.parametrize("name", ["points", "forecast:kind=points", "learned"])
def test_callers_that_ignore_the_standing_call_as_without_a_rubber(name: str) -> None:
    option = ",standing=no" if ":" in name else ":standing=no"
    blind = name + option
    state = RubberState(AUCTION, Standing((20, 20, 20), (1, 1, 1)))
    for number in range(3):
        dealt = deal(41, number)
        alone = bid(blind, new_table(dealt, Seat.NORTH)).auction.calls
        assert bid(blind, new_table(dealt, Seat.NORTH, rubber=state)).auction.calls == alone


def opening(name: str, hand: str, state: RubberState | None) -> object:
    table = new_table(with_hand(hand), Seat.NORTH, rubber=state)
    return find_caller(name).call(view(table, Seat.NORTH), decision_rng(1, 0, 0, 0)).action


@pytest.mark.parametrize("name", ["points", "forecast:kind=points"])
def test_a_doubtful_hand_bids_when_it_can_win_the_rubber(name: str) -> None:
    ahead = RubberState(AUCTION, Standing((25, 0, 0), (1, 0, 0)))
    fair, weak = "KQ972.A63.98.Q54", "J9732.A63.98.J54"
    assert [opening(name, fair, state) for state in (None, RubberState(AUCTION))] == [
        PASS,
        Bid("1S"),
    ]
    assert [opening(name, weak, state) for state in (RubberState(AUCTION), ahead)] == [
        PASS,
        Bid("1S"),
    ]


@pytest.mark.parametrize(
    ("below", "expected"), [((0, 0, 0), "3NT"), ((40, 0, 0), "2NT"), ((60, 0, 0), "1NT")]
)
def test_capture_bids_the_level_that_makes_game(below: tuple[int, int, int], expected: str) -> None:
    hand = "AKQ2.AK3.A92.KQJ"  # ten captures
    state = RubberState(CONTRACT, Standing(below, (0, 0, 0)))
    assert opening("capture", hand, None) == Bid("4NT")
    assert opening("capture", hand, state) == Bid(expected)
    assert opening("capture", hand, RubberState(AUCTION)) == Bid("1NT")


def test_a_view_shows_the_rubber_to_everybody_and_nothing_hidden() -> None:
    state = RubberState(AUCTION, Standing((20, 0, 0), (0, 1, 0)))
    table = new_table(deal(1, 0), Seat.NORTH, rubber=state)
    for seat in (*Seat, None):
        assert view(table, seat).rubber == state
    for call in ("1NT", "pass", "pass"):
        table = table.call(call)
    assert table.rubber == state
    assert view(table.apply(table.legal[0]), Seat.EAST).rubber == state
    assert not {"deal", "hands"} & set(dir(state))


def test_in_a_rubber_version_1_of_the_learned_caller_leaves_the_calls_to_the_forecast() -> None:
    state = RubberState(AUCTION, Standing((20, 0, 0), (1, 0, 0)))
    table = new_table(deal(41, 3), Seat.NORTH, rubber=state)
    rng = [decision_rng(1, 0, Seat.NORTH, 0) for _ in range(2)]
    learned, forecast = (
        find_caller(name).call(view(table, Seat.NORTH), one)
        for name, one in zip(("learned@1", "forecast"), rng, strict=True)
    )
    assert learned.action == forecast.action
    assert learned.reason.startswith("It has learned single deals only; in a rubber the ")
