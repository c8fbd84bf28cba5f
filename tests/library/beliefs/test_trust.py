"""How far calls are trusted: powers of their chances, by scheme and level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.calibration import FIT, Seen, app, best_line, bid_out, seen_by
from benchmarks.calibration import SCORE as SCORED
from tribridge.beliefs import Beliefs, call_model, call_trust, table_beliefs
from tribridge.beliefs.trust import LEAST, OTHERS, TRUST, scoring_of, trust_at
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import SettingError
from tribridge.game import View, new_table, view
from tribridge.game.laws import all_laws
from tribridge.game.scoring import find_scheme, schemes
from tribridge.game.standing import RubberState, Standing


def seen_after(calls: str, **scored: object) -> View:
    table = new_table(deal(1, 8), Seat.NORTH, **scored)  # type: ignore[arg-type]
    for call in calls.split():
        table = table.call(call)
    return view(table, Seat.EAST)


def test_a_trust_is_a_power_of_the_weights() -> None:
    seen = seen_after("1S pass 2H pass pass", scheme=find_scheme("contract"))
    layouts = Beliefs(seen).layouts.sample(300, np.random.default_rng(1))
    full = Beliefs(seen, call_model(seen)).weights(layouts)
    half = Beliefs(seen, call_model(seen), trust=0.5).weights(layouts)
    assert half == pytest.approx(np.sqrt(full) / np.sqrt(full).sum())
    none = Beliefs(seen, call_model(seen), trust=0).weights(layouts)
    assert none == pytest.approx(np.full(300, 1 / 300))


@pytest.mark.parametrize("trust", [-0.1, float("nan"), float("inf")])
def test_an_impossible_trust_is_refused(trust: float) -> None:
    with pytest.raises(SettingError, match="trust in calls must be 0 or more"):
        Beliefs(seen_after("1S"), trust=trust)


def test_every_scheme_and_all_laws_of_the_package_have_a_line() -> None:
    assert set(TRUST) == {*schemes(), *all_laws()}


def test_the_scoring_and_the_level_of_the_last_bid_decide() -> None:
    first, slope = TRUST["auction-tricks"]
    assert call_trust(seen_after("1S pass pass")) == pytest.approx(first)  # nobody named a scheme
    named = seen_after("1S pass 2NT pass pass", scheme=find_scheme("auction"))
    assert scoring_of(named) == "auction-tricks"
    assert call_trust(named) == pytest.approx(first + slope)
    rubber = RubberState(all_laws()["auction-rubber"], Standing())
    seen = seen_after("3C pass pass", rubber=rubber)
    assert call_trust(seen) == pytest.approx(trust_at(TRUST["auction-rubber"], 3))
    own = replace(find_scheme("contract"), name="own")
    assert call_trust(seen_after("4C pass pass", scheme=own)) == trust_at(OTHERS, 4)
    assert trust_at((0.5, -0.4), 7) == LEAST
    beliefs = table_beliefs(seen)
    assert (beliefs.trust, beliefs.calls) == (call_trust(seen), call_model(seen))


def test_fit_finds_the_power_at_which_chances_are_right() -> None:
    """A made-up model that is twice as sure as it should be."""
    rng = np.random.default_rng(1)
    found = []
    for number in range(400):
        held = rng.random((400, 26)) < 0.5
        points = held[:, :4].sum(axis=1) / 2.0
        level = 1 + number % 3
        true = held[rng.choice(400, p=np.exp(points) / np.exp(points).sum())]
        found.append(Seen(number, level, 2 * points, held, true))
    powers = np.round(np.arange(LEAST, 1.61, 0.1), 2)
    first, slope = best_line(
        np.array([one.bits(powers) for one in found]), np.array([one.level for one in found])
    )
    assert trust_at((first, slope), 2) == pytest.approx(0.5, abs=0.15)


def test_views_have_the_true_cards_and_all_calls() -> None:
    table = bid_out("contract", "points", 5, 2)
    assert table.contract is not None
    for seat, seen in zip(Seat, seen_by(table, 2, 5, 50), strict=True):
        assert seen.held.shape == (50, 26)
        assert (seen.held.sum(axis=1) == 13).all()
        assert seen.true.sum() == 13
        assert seen.level == table.contract.bid.level
        shares = np.exp(seen.logs)
        assert seen.chances(1.0) == pytest.approx(shares @ seen.held / shares.sum()), seat


def test_the_commands_run_and_the_deals_that_fit_do_not_score() -> None:
    few = ["--deals", "1", "--settings", "contract", "--layouts", "20"]
    assert '"contract": (' in CliRunner().invoke(app, ["fit", *few]).output
    scored = CliRunner().invoke(app, ["score", *few, "--callers", "points"])
    assert scored.exit_code == 0, scored.output
    assert "calibrated" in scored.output
    assert CliRunner().invoke(app, ["score", *few, "--seed", str(FIT)]).exit_code == 2
    assert FIT != SCORED
