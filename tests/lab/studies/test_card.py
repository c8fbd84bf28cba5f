"""The study of the bidding card: auctions beside slow ones, the rule of choice, and the result."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.bidding_card import (
    CELLS,
    CHOSEN,
    FAMILY,
    app,
    bidder,
    gains,
    hold_auctions,
    learned_calls,
    least_squares,
    load_gains,
    made_by_now,
    played_gains,
    result_of,
    smallest_near_best,
)
from tests.lab.studies.helpers import alike, kept_study
from tribridge.cards.cards import Suit
from tribridge.cards.dealer import deal
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError
from tribridge.common.stats import Interval
from tribridge.game import PASS, Table, new_table, view
from tribridge.game.auction import Bid
from tribridge.game.scoring import find_scheme
from tribridge.lab.labels.labels import Labels, LabelWork
from tribridge.lab.studies import card, plans
from tribridge.lab.studies.claims import FAILS, HOLDS, UNDECIDED
from tribridge.lab.studies.plans import check_plan, plan_of
from tribridge.lab.studies.study import stored
from tribridge.strategies import decision_rng, find_caller
from tribridge.strategies.callers.card import AUCTION, CARD, CONTRACT
from tribridge.strategies.versions import caller_version

SEED = 9
RESULTS = Path(__file__).parents[3] / "benchmarks" / "results" / "bidding_card.json"
NEEDS = {name: {AUCTION: 13, CONTRACT: 8} for name in FAMILY}


def bid_out(number: int, own: int, one: str, two: str) -> Table:
    """An auction at a table, call by call."""
    table = new_table(deal(SEED, number), Seat(number // 3 % 3))
    while table.position is None and not table.over:
        turn = table.turn
        assert turn is not None
        caller = find_caller(one if turn.index == own else two)
        choice = caller.call(view(table, turn), decision_rng(0, 0, turn, 0))
        table = table.apply(choice.action, turn)
    return table


@pytest.mark.parametrize(("one", "two"), [("card", "learned"), ("learned", "points")])
def test_auctions_are_those_of_a_table(one: str, two: str) -> None:
    hands, own = deal_masks(SEED, 0, 12), np.arange(12) % 3
    contracts = hold_auctions(hands, own, bidder(one, AUCTION), bidder(two, AUCTION))
    for number, (declarer, strain, level) in enumerate(contracts.tolist()):
        end = bid_out(number, number % 3, one, two).contract
        if end is None:
            assert declarer < 0
        else:
            bid = end.declarer.index, end.bid.strain.index, end.bid.level - 1
            assert bid == (declarer, strain, level)


def test_learned_calls_the_same_one_by_one_and_together() -> None:
    tables = [new_table(deal(SEED, number), Seat.NORTH) for number in range(8)]
    tables += [table.apply(Bid("1H")).apply(PASS) for table in tables]
    for scheme in (AUCTION, CONTRACT):
        views = [view(table, table.turn or Seat.NORTH) for table in tables]
        caller = find_caller(f"learned:scheme={scheme},doubles=no")
        single = [caller.call(seen, decision_rng(0, 0, 0, 0)).action for seen in views]
        assert learned_calls(views, scheme) == single


def test_a_defender_loses_half_of_what_declarer_wins() -> None:
    points = np.zeros((3, 3, 5, 7))
    points[:, 1, 4, 2] = 30.0
    contracts = np.array([(1, 4, 2), (1, 4, 2), (-1, 0, 0)])
    assert gains(contracts, np.array([1, 0, 0]), points).tolist() == [30.0, -15.0, 0.0]


def test_the_smallest_card_near_the_best_is_chosen() -> None:
    cards = {name: FAMILY[name] for name in ("notrump alone", "3-2-1", "trump honours")}
    random = np.random.default_rng(2)
    level = random.normal(size=(2, 400))
    near = level - 0.001 + np.where(np.arange(400) % 2, 0.1, -0.1)
    close = {"notrump alone": level - 1, "3-2-1": near, "trump honours": level}
    assert smallest_near_best(cards, close) == "3-2-1"
    assert smallest_near_best(cards, close | {"3-2-1": level - 0.5}) == "trump honours"


def test_least_squares_finds_what_made_the_tricks() -> None:
    work = LabelWork(SEED, declarers="one")
    numbers = np.arange(600, dtype=np.uint64)
    labels = Labels(work, numbers, np.zeros((600, 1, 5), np.int8))
    tricks = np.zeros((600, 1, 5), np.int8)
    for number in range(600):
        hand = deal(SEED, number).hands[number % 3]
        tricks[number, 0, 4] = hand.hcp
        for suit in Suit:
            voids = sum(not hand.row(other.index) for other in Suit if other is not suit)
            tricks[number, 0, suit.index] = 2 * hand.row(suit.index).bit_count() + 3 * voids
    worth = least_squares(replace(labels, tricks=tricks))
    expected = {"start": 0, "A": 4, "K": 3, "Q": 2, "J": 1}
    assert worth["notrump"] == pytest.approx(expected, abs=1e-6)
    expected = {"start": 0, "A": 0, "K": 0, "Q": 0, "trump": 2, "void": 3, "singleton": 0}
    assert worth["suit"] == pytest.approx(expected, abs=1e-6)


def test_the_card_of_the_package_is_the_one_that_was_chosen() -> None:
    choice = json.loads(RESULTS.read_text("utf-8"))
    assert choice["chosen"] == CHOSEN
    assert replace(FAMILY[CHOSEN], need=choice["cards"][CHOSEN]["need"]) == CARD
    assert choice["deals"] == plan_of("card").sizes["fit"]


@pytest.mark.slow
def test_points_are_those_of_contracts_as_played() -> None:
    gained = played_gains(SEED, 0, 6, NEEDS, 0)
    named = [at for at, cell in enumerate(CELLS) if cell.bidder != "forecast"]
    assert np.isfinite(gained[named]).all()
    assert np.isnan(gained[-1]).all()
    scheme = find_scheme(AUCTION)
    at = next(at for at, cell in enumerate(CELLS) if cell == (AUCTION, "card", "points"))
    for number in range(6):
        contract = bid_out(number, number % 3, "card", "points").contract
        if contract is None:
            assert gained[at, number] == 0.0
            continue
        declared = contract.declarer.index == number % 3
        own = gained[at, number] if declared else -2 * gained[at, number]
        possible = [
            scheme.declarer_points(contract, tricks) - scheme.penalty(contract, tricks)
            for tricks in range(14)
        ]
        assert own in possible


def random_gains() -> np.ndarray:
    gained = np.random.default_rng(1).normal(size=(len(CELLS), 300))
    gained[-1, 150:] = np.nan
    return gained


def test_a_result_has_every_number_of_the_plan() -> None:
    result = result_of(random_gains(), NEEDS, "nobody")
    plan = plan_of("card")
    assert {*card.answers(result)} == {hypothesis.id for hypothesis in plan.hypotheses}
    assert [row.line for row in result.card] == list(CARD.lines())
    forecast = next(row for row in result.scores if row.bidder == "forecast")
    assert forecast.deals == 150
    assert card.draw(result).axes


def test_points_of_another_plan_are_refused(tmp_path: Path) -> None:
    file, out = tmp_path / "gains.npz", tmp_path / "result.json"
    np.savez(file, gains=random_gains(), made_by=made_by_now(), plan="another")
    for command in (["result", str(file), str(RESULTS), "--result", str(out)],
                    ["score", str(RESULTS), "--out", str(file)]):  # fmt: skip
        answer = CliRunner().invoke(app, command)
        assert isinstance(answer.exception, FormatError)
        assert "another plan" in str(answer.exception)
    for content in (b"nonsense", b""):
        file.write_bytes(content)
        answer = CliRunner().invoke(app, ["result", str(file), str(RESULTS), "--result", str(out)])
        assert "not a file of points" in str(answer.exception)
    assert not out.exists()


def test_the_result_in_the_package_is_of_the_bidders_as_they_are() -> None:
    result = stored("card", card.Result)
    assert check_plan(result, plan_of("card"), "card.json") == result
    assert [row.line for row in result.card] == list(CARD.lines())
    for name in ("capture", "points", "card", "forecast", "learned"):
        assert str(caller_version(name)) in result.note


def test_the_result_in_the_package_is_that_of_the_points_in_the_repository() -> None:
    points, made_by, plan = load_gains(RESULTS.with_suffix(".npz"))
    assert (made_by, plan) == (made_by_now(), plan_of("card").digest)
    needs = {name: row["need"] for name, row in json.loads(RESULTS.read_text())["cards"].items()}
    shipped = stored("card", card.Result)
    assert alike(replace(result_of(points, needs, made_by), note=shipped.note), shipped)


def test_the_wish_for_rules_that_people_can_explain_is_judged_as_it_was_planned() -> None:
    result: card.Result = kept_study("card").result
    (judged,) = card.claims(result)
    planned = plans.judge(plan_of("card"), card.answers(result))["most-of-the-way"]
    assert (judged.verdict == HOLDS) == (planned == plans.BORNE_OUT)
    # The other way round, it fails; of few deals, nothing is known.
    for points, verdict in ((Interval(-3, -5, -1), FAILS), (Interval(1, -5, 7), UNDECIDED)):
        p = 1e-6 if verdict == FAILS else 0.7
        rows = tuple(
            replace(row, points=points, p=p) if row.id == "most-of-the-way" else row
            for row in result.judged
        )
        (other,) = card.claims(replace(result, judged=rows))
        assert other.verdict == verdict
