"""What an auction says: kinds of calls, models of calls, and the result in the package."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import calls_result
from benchmarks.calls import folder_of, said
from benchmarks.calls_result import Said, by_view, heard, kinds, ratio_values
from tests.lab.studies.helpers import kept_study
from tribridge.beliefs import PointCalls
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError
from tribridge.game.auction import Auction, Call
from tribridge.game.scoring import find_scheme
from tribridge.lab.studies import calls, opponents, plans
from tribridge.lab.studies.study import stored
from tribridge.lab.training.whole_games import Table, deals
from tribridge.networks.auction import PASS, AuctionGames, call_number

AUCTIONS = np.array([[PASS, 0], [3, PASS], [PASS, PASS], [9, -1], [PASS, -1], [PASS, -1]])
"""pass 1S pass 2NT pass pass, and 1C pass pass; a column each."""
BITS = np.where(
    (AUCTIONS >= 0)[..., None, None], np.random.default_rng(1).normal(size=(6, 2, 2, 4)), 0.0
)
SAID = Said(AUCTIONS, BITS.mean(2), BITS)


def test_every_hypothesis_of_the_plan_was_measured() -> None:
    result: calls.Result = kept_study("calls").result
    assert plans.NOT_MEASURED not in plans.judge(calls.PLAN, calls.answers(result)).values()


def test_every_call_is_of_one_kind() -> None:
    chosen = [mask for _, mask in kinds(SAID)]
    assert (np.sum(chosen, axis=0) == SAID.made).all()
    named = {name: int(mask.sum()) for name, mask in kinds(SAID) if mask.any()}
    assert named == {
        "1♣": 1,
        "1♠": 1,
        "2NT": 1,
        "pass, no bid yet": 1,
        "pass over level 1": 3,
        "pass over level 2": 2,
    }


def test_a_ratio_over_deals_is_that_of_the_sums() -> None:
    sums, counts = np.array([3.0, 0, 1, 4]), np.array([2.0, 0, 1, 1])
    assert ratio_values(sums, counts).mean() == pytest.approx(sums.sum() / counts.sum())


def test_each_listener_hears_the_calls_of_the_other_two() -> None:
    heard = by_view(SAID, 2)
    # The second auction: the dealer bids, and the other two pass.
    bits = BITS[:, 1, :, 3]
    assert heard[1] == pytest.approx(
        [bits[1, 1] + bits[2, 0], bits[0, 0] + bits[2, 1], bits[0, 1] + bits[1, 0]]
    )
    assert heard.sum() == pytest.approx(BITS[..., 3].sum())


class Blind:
    """Every hand makes every call equally often."""

    def likelihood(self, hands: np.ndarray, *asked: object) -> np.ndarray:
        return np.full(len(hands), 0.2)


@pytest.mark.slow
def test_a_model_that_ignores_the_cards_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    small = replace(calls.PLAN, sizes={"calls": 2, "models": 2, "layouts": 40, "frequent": 1})
    monkeypatch.setattr(calls_result, "PLAN", small)
    silent = heard("contract", AUCTIONS, 0, 2, Blind(), trusted=True)
    assert silent == pytest.approx(0)
    said = heard("contract", AUCTIONS, 0, 2, PointCalls(), trusted=False)
    assert said.shape == (6, 2, 2, 4)
    assert (said[AUCTIONS < 0] == 0).all()
    assert (said[AUCTIONS >= 0] != 0).any(-1).all()


@pytest.mark.slow
def test_bits_of_a_model_are_counted_as_those_of_the_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the network's own chances in place of a model, both ways give the same bits."""
    small = replace(calls.PLAN, sizes={"calls": 2, "models": 2, "layouts": 40, "frequent": 1})
    monkeypatch.setattr(calls_result, "PLAN", small)
    monkeypatch.setattr(calls_result, "FLOOR", 0.0)
    table, seed = Table(find_scheme("contract")), calls.PLAN.seeds["calls"]
    called, told = table.said(deals(seed, 0, 2), 40, (seed, 0, 3))

    class Network:
        def likelihood(
            self, hands: np.ndarray, seat: Seat, auction: Auction, call: Call
        ) -> np.ndarray:
            games = AuctionGames(len(hands))
            for each in auction.calls:
                games.step(np.full(len(hands), call_number(each)))
            held = np.zeros((len(hands), 4), np.int64)
            held[:, seat.index] = hands.astype(np.int64)
            made = np.full(len(hands), call_number(call))
            return np.asarray(np.exp(table._log_chances(games, held, made)))

    again = heard("contract", called, 0, 2, Network(), trusted=False)
    assert again == pytest.approx(told, abs=1e-3)


def test_what_calls_are_worth_is_what_the_other_studies_found() -> None:
    led = stored("opponents", opponents.Result).lead(opponents.CALLS)
    by_calls, by_network = calls.worth_rows()
    assert (by_calls.tricks, by_calls.holm) == (led.saved, led.holm)
    assert by_calls.bits is not None
    assert by_network.points is None


def test_the_report_bids_the_first_auctions_again() -> None:
    (again,) = kept_study("calls").result.again
    assert again.auctions == calls.STUDY.quick
    assert again.same <= again.auctions


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[int] = []

    class Quick:
        def said(
            self, hands: np.ndarray, layouts: int, seed: object
        ) -> tuple[np.ndarray, np.ndarray]:
            scored.append(len(hands))
            return np.zeros((1, len(hands))), np.zeros((1, len(hands), 2, 4))

    monkeypatch.setattr("benchmarks.calls.Table", lambda scheme, place: Quick())
    for _ in range(2):
        said(tmp_path, "cpu", 300 / calls.PLAN.sizes["calls"], lambda line: None)
    assert scored == [256, 44, 256, 44]
    head = tmp_path / "head.json"
    head.write_text(head.read_text().replace(calls.PLAN.digest, "another"))
    with pytest.raises(FormatError, match="begun with the plan another"):
        folder_of(tmp_path).begin()
