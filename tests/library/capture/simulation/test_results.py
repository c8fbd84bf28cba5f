"""The derived figures of both studies, against counting them one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tribridge.capture import Conditions, algorithm1, algorithm2
from tribridge.capture.simulation.counts import Tally, Work, run
from tribridge.capture.simulation.results import CaptureResult, GameResult, result_of
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.parallel import Cores

DEALS = 1200


def counted(work: Work, deals: int = DEALS) -> CaptureResult | GameResult:
    return result_of(run(Tally.empty(work), (0, deals), Cores(1)))


def test_capture_figures() -> None:
    result = counted(Work("capture", 4))
    assert isinstance(result, CaptureResult)
    found = [algorithm2(*deal(4, number).hands[:2]) for number in range(DEALS)]
    held = [each for each in found if each.outcome is Conditions.BOTH_HOLD]
    assert result.outcomes == {
        outcome: sum(each.outcome is outcome for each in found) for outcome in Conditions
    }
    assert result.captures == {
        n: count for n in range(14) if (count := sum(each.captures == n for each in held))
    }
    assert result.check == {
        n: count for n in range(20) if (count := sum(each.check == n for each in held))
    }
    assert result.total_gap == {
        n: count for n in range(27) if (count := sum(each.total_gap == n for each in found))
    }
    assert result.mean_captures == Fraction(sum(each.captures for each in held), len(held))
    assert sum(result.as_json()["captures"].values()) == len(held)


@pytest.mark.slow
def test_game_figures() -> None:
    result = counted(Work("game", 4))
    assert isinstance(result, GameResult)
    played = []
    for number in range(DEALS):
        hands = deal(4, number).hands
        levels = [max(algorithm1(hand).captures - 6, 0) for hand in hands]
        if any(levels[:3]):
            level = max(levels[:3])
            seat = levels.index(level)
            tricks = algorithm2(hands[seat], hands[3]).captures
            played.append((Seat(seat), level, levels[3], tricks, tricks >= 6 + level))
    assert result.played == len(played)
    assert result.passed_out == DEALS - len(played)
    assert result.count(made=True) == sum(made for *_, made in played)
    assert result.win_rate == Fraction(result.count(made=True), len(played))
    lost = [each for each in played if not each[4]]
    assert result.weak_dummy_losses == Fraction(sum(not each[2] for each in lost), len(lost))
    assert result.mean_level == Fraction(sum(level for _, level, *_ in played), len(played))
    assert result.seats == {
        seat: count for seat in Seat if (count := sum(each[0] is seat for each in played))
    }
    assert result.tricks == {
        n: count for n in range(14) if (count := sum(each[3] == n for each in played))
    }
    both = [each for each in played if each[2]]
    assert result.both_eligible == len(both)
    assert both, "too few deals for this test"
    assert result.both_eligible_win_rate == Fraction(sum(made for *_, made in both), len(both))
    assert result.both_eligible_mean_levels == (
        Fraction(sum(level for _, level, *_ in both), len(both)),
        Fraction(sum(dummy for _, _, dummy, *_ in both), len(both)),
    )


def test_a_rate_over_nothing_is_none() -> None:
    nothing = result_of(Tally.empty(Work("game", 1)))
    assert isinstance(nothing, GameResult)
    assert nothing.win_rate is nothing.both_eligible_win_rate is nothing.mean_level is None
    assert nothing.as_json()["win rate"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deals", "away"), [(1_000_000, 0.0025), pytest.param(10**7, 0.0008, marks=pytest.mark.full)]
)
def test_captures_of_millions_of_deals_have_the_known_shares(deals: int, away: float) -> None:
    result = counted(Work("capture", 1), deals)
    assert isinstance(result, CaptureResult)
    shares = {outcome.value: count / result.deals for outcome, count in result.outcomes.items()}
    # Five standard errors of a share are less than that.
    for name, share in {"A fails": 0.1456, "B fails": 0.5753, "both hold": 0.2791}.items():
        assert np.isclose(shares[name], share, atol=away)
