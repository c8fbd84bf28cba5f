"""Matches settled by cards, by forecast and by double dummy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.library.arena.made_up import games_of
from tribridge.advice.prospects import contract_values
from tribridge.arena.analysis import match_pairs
from tribridge.arena.playing import DealOutcome
from tribridge.arena.results import MatchResult
from tribridge.arena.work import MatchWork
from tribridge.cards.cards import Deck, Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import SettingError
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.forecast.net import Net
from tribridge.game.auction import Bid, Contract, Outcome, parse_call
from tribridge.game.scoring import find_scheme, scores
from tribridge.game.tricks import chair_hands
from tribridge.lab.studies.settlement import margins, settle_match, settlement_tables

SEED = 5
CONTRACTS = ("1NT", "2H", None, "4S", "1C", "7NT")


def match() -> MatchResult:
    """Two deals of six games with contracts and tricks that were made up."""
    work = MatchWork(("points+random", "pass+random"), seed=SEED)
    scheme = find_scheme("auction")
    points, deals = [], []
    for number in range(2):
        for at in range(work.games):
            text = CONTRACTS[(at + number) % 6]
            declarer, taken = (at + 2 * number) % 3, (5 * at + 3 * number) % 14
            outcome = Outcome(None, 0)
            if text is not None:
                bid = parse_call(text)
                assert isinstance(bid, Bid)
                outcome = Outcome(Contract(bid, Seat(declarer)), taken)
            points.append([float(one) for one in scores(outcome, scheme)])
            deals.append(
                DealOutcome(
                    bidders=(),
                    contract=text,
                    declarer=None if text is None else declarer,
                    tricks=None if text is None else taken,
                )
            )
    return games_of(work, points, deals)


def test_settled_by_cards_is_what_the_arena_says() -> None:
    result = match()
    settled = settle_match(result)
    one, two = (margins(settled, "pass+random", seats, "cards") for seats in (1, 2))
    np.testing.assert_allclose((one + two) / 2, -match_pairs(result)[0].differences)
    assert one.tolist() != two.tolist()


def test_a_contract_is_settled_by_its_forecast_and_on_its_cards() -> None:
    result = match()
    settled = settle_match(result)
    at = 3  # 4S by North on deal 0
    dealt = deal(SEED, 0)
    worth = contract_values(find_scheme("auction"), Bid(4, Strain.SPADES))
    hands = [np.array([hand.mask], np.uint64) for hand in (dealt.hands[0], dealt.hidden)]
    chances = Net.load().from_pair(*hands)[0, Strain.SPADES]
    assert settled.points["forecast"][at] == pytest.approx(chances @ worth, abs=1e-3)
    tricks = DoubleDummy().tricks(chair_hands(dealt, Seat.NORTH), Strain.SPADES)
    assert settled.points["double dummy"][at] == worth[tricks]
    passed_out = 2
    assert settled.declarers[passed_out] == -1
    assert not any(values[passed_out] for values in settled.points.values())


def test_tables_count_the_contracts() -> None:
    gains, worth = settlement_tables(match())
    assert gains.column("seats") == ["1 pass+random"] * 3 + ["2 pass+random"] * 3
    assert sum(count for count in worth.column("contracts") if isinstance(count, int)) == 10


@pytest.mark.parametrize(
    "work",
    [
        MatchWork(("points+random", "pass+random"), deck=Deck(4, 3)),
        MatchWork(("points+random", "pass+random"), doubles=True),
        MatchWork(("points+random", "pass+random", "random")),
    ],
)
def test_other_matches_are_refused(work: MatchWork) -> None:
    with pytest.raises(SettingError, match="two strategies"):
        settlement_tables(replace(match(), work=work))


def test_strategies_that_never_declare_have_no_contracts_to_show() -> None:
    made_up = match()
    nothing = DealOutcome(bidders=(), contract=None, declarer=None, tricks=None)
    games = tuple(replace(game, games=(nothing,)) for game in made_up.games)
    passed_out = replace(made_up, games=games)
    gains, worth = settlement_tables(passed_out)
    assert gains.column("points") == [0.0] * 6
    assert worth.rows == ()
