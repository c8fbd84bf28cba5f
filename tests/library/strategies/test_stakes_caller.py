"""The caller `learned@3`: one network for all schemes, laws and standings, and for doubles."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest

from tests.library.strategies.conformance import check
from tests.library.strategies.test_callers import called, with_hand
from tribridge.cards.cards import FULL_DECK, Deck, Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError
from tribridge.game.auction import DOUBLE, PASS, Bid, Call, Contract, parse_call
from tribridge.game.laws import find_laws
from tribridge.game.rubber_worth import contract_worth, deal_worth
from tribridge.game.scoring import find_scheme
from tribridge.game.standing import RubberState, Standing
from tribridge.game.table import Table, new_table
from tribridge.networks.auction import STAKES_KIND
from tribridge.networks.network import load_network
from tribridge.networks.stakes import Game, features
from tribridge.strategies import find_strategy
from tribridge.strategies.learned import STAKES, network

STRONG = "AKQ2.AK3.A92.KJ2"
WEAK = "5432.432.5432.43"
AUCTION = find_laws("auction-rubber")


def after(*calls: str, hand: str, **settings: object) -> Table:
    """North to call with a hand after some calls."""
    table = new_table(with_hand(hand), Seat((0 - len(calls)) % 3), **settings)  # type: ignore[arg-type]
    for call in calls:
        table = table.apply(parse_call(call))
    assert table.turn is Seat.NORTH
    return table


def call_of(name: str, table: Table) -> Call:
    action = called(name, table).action
    assert action in table.legal
    return action  # type: ignore[return-value]


def test_it_bids_for_what_contracts_are_worth() -> None:
    """Only `contract` pays a bonus for a game that is bid; a part score makes less enough."""
    assert call_of("learned@3", after(hand=WEAK)) is PASS
    low = call_of("learned@3", after(hand=STRONG))
    assert isinstance(low, Bid)
    assert low.level == 1
    game = call_of("learned@3:scheme=contract", after(hand=STRONG))
    assert isinstance(game, Bid)
    assert game.level >= 3
    laws = find_laws("contract-rubber")
    part = RubberState(laws, Standing((80, 0, 0), (0, 0, 0)))
    enough = call_of("learned@3", after(hand=STRONG, rubber=part))
    assert isinstance(enough, Bid)
    assert enough.level < game.level


def test_a_rubber_is_played_for_its_standing_unless_that_is_turned_off() -> None:
    state = RubberState(AUCTION, Standing((0, 0, 0), (1, 0, 0)))
    hand = "KJT985.A3.92.A52"
    alone = called("learned@3", after(hand=hand))
    in_rubber = called("learned@3", after(hand=hand, rubber=state))
    assert in_rubber.details["points"] != pytest.approx(alone.details["points"], abs=0.1)
    off = called("learned@3:standing=no", after(hand=hand, rubber=state))
    assert (off.action, off.details) == (alone.action, alone.details)


def test_it_doubles_where_that_is_allowed() -> None:
    """Seven of a strain, held by nobody who could make it."""
    hand, calls = "AKQJ.AKQ.AK32.A2", ("7D",)
    assert call_of("learned@3", after(*calls, hand=hand, doubles=True)) is DOUBLE
    assert call_of("learned@3", after(*calls, hand=hand)) is not DOUBLE
    assert call_of("learned@3:doubles=no", after(*calls, hand=hand, doubles=True)) is not DOUBLE


def test_the_reason_gives_points_in_the_scale_of_the_table() -> None:
    for scheme in ("auction", "contract"):
        choice = called(f"learned@3:scheme={scheme}", after(hand=STRONG))
        points = f"{choice.details['points']:+.1f} points in self-play"
        assert choice.reason.startswith(f"{choice.action} averages {points}")
    over = after("7NT", hand=WEAK)
    assert called("learned@3", over).reason == "Nothing can be bid over 7NT."


def test_it_keeps_the_promises_of_a_strategy() -> None:
    assert check(find_strategy("learned@3+maxims"), range(3))
    table = new_table(deal(1, 0, Deck(4, 3)), Seat.NORTH)
    choice = called("learned@3", table)
    assert choice.action == called("points", table).action
    assert "full decks only" in choice.reason


def test_worth_is_that_of_the_scheme_and_of_the_standing() -> None:
    scheme = find_scheme("contract")
    state = RubberState(AUCTION, Standing((20, 0, 6), (1, 0, 1)))
    rng = np.random.default_rng(1)
    for _ in range(60):
        seat, level, strain, tricks, doubled = (int(rng.integers(n)) for n in (3, 7, 5, 14, 3))
        contract = Contract(Bid(level + 1, Strain(strain)), Seat(seat), 2**doubled)
        found = Game(AUCTION.scheme, state).worth()[seat, level, strain, tricks, doubled]
        assert found.tolist() == pytest.approx(
            [points / 2 for points in deal_worth(state, contract, tricks)], abs=1e-2
        )
        found = Game(scheme, None, (Seat.EAST,)).worth()[seat, level, strain, tricks, doubled]
        own = contract_worth(contract, FULL_DECK, None, scheme, (Seat.EAST,))[tricks]
        wanted = [own if at == seat else -own / 2 for at in range(3)]
        assert found.tolist() == pytest.approx(wanted)


def test_features_turn_with_the_seat() -> None:
    """A table seen from the next seat is the table with the standing turned."""
    one = Game(AUCTION.scheme, RubberState(AUCTION, Standing((20, 0, 6), (1, 0, 0))))
    turned = Game(AUCTION.scheme, RubberState(AUCTION, Standing((6, 20, 0), (0, 1, 0))))
    np.testing.assert_allclose(features(one, 0), features(turned, 1), rtol=1e-4, atol=1e-5)
    assert not np.allclose(features(one, 0), features(one, 1))


def test_other_weights_are_refused() -> None:
    with pytest.raises(FormatError, match="not the weights of a bidding for stakes network"):
        load_network(BytesIO(b"nothing"), "x.npz", STAKES_KIND)
    assert network(STAKES) is network(STAKES)
