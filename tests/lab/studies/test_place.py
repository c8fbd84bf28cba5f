"""The price of a place and of the hidden hand: sums, batches and the result in the package."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.place import PARTS, Folder, batches, folder_of, games
from benchmarks.place_result import (
    by_rank,
    ratio_difference,
    searching,
    tiny_rows,
    with_solved,
)
from benchmarks.place_tiny import scoring, solved
from tests.lab.studies.helpers import SMALL, kept_study
from tribridge.cards.cards import Deck
from tribridge.cards.deals import Seat
from tribridge.common.arrays import bits
from tribridge.common.errors import FormatError, NotFoundError
from tribridge.game import parse_call
from tribridge.game.auction import Bid, Contract
from tribridge.game.scoring import find_scheme
from tribridge.lab.studies import place, plans
from tribridge.lab.tiny.auctions import AuctionGame
from tribridge.lab.tiny.layouts import Layouts
from tribridge.lab.tiny.treeplex import judge
from tribridge.lab.training.whole_games import deals


def test_every_hypothesis_of_the_plan_was_measured() -> None:
    result: place.Result = kept_study("place").result
    assert plans.NOT_MEASURED not in plans.judge(place.PLAN, place.answers(result)).values()
    assert result.plan == place.PLAN.digest


def test_the_sizes_are_those_of_the_plan() -> None:
    result: place.Result = kept_study("place").result
    sizes = place.PLAN.sizes
    assert {row.deals for row in result.places} == {sizes["games"]}
    assert {row.deals for row in result.shown} == {sizes["hidden"]}
    assert {row.deals for row in result.opened} == {sizes["open"]}
    assert {row.deals for row in result.tabled} == {sizes["four"]}


def test_what_one_place_gains_the_others_lose() -> None:
    result: place.Result = kept_study("place").result
    for scheme in (place.AUCTION, place.CONTRACT):
        worth = [result.place(scheme, name).points.estimate for name in place.PLACES]
        assert sum(worth) == pytest.approx(0, abs=1e-6)
    for row in result.solved:
        assert row.first + row.second + row.third == pytest.approx(0, abs=1e-6)
        assert row.average_first + row.average_second + row.average_third == pytest.approx(
            0, abs=1e-6
        )


def test_the_report_plays_the_first_games_again() -> None:
    (again,) = kept_study("place").result.again
    assert again.games == SMALL["place"]
    assert again.tricks <= again.contract <= again.games


def test_a_result_of_another_plan_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(place.PLAN, digest="0" * 16)
    monkeypatch.setattr(place, "PLAN", other)
    with pytest.raises(FormatError, match="run the study again"):
        place.run(1, 1, None)  # type: ignore[arg-type]


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[int] = []
    broken = True

    def play(table: object, hands: object, seed: int, batch: int) -> dict[str, np.ndarray]:
        if broken and len(played) == 2:
            raise KeyboardInterrupt
        played.append(seed)
        return {"outcomes": np.zeros((1, 1), np.uint16)}

    parts = [part._replace(play=play) for part in PARTS]
    monkeypatch.setattr("benchmarks.place.PARTS", parts)
    monkeypatch.setattr("benchmarks.place.Table", lambda scheme, place: None)
    with pytest.raises(KeyboardInterrupt):
        games(tmp_path, "cpu", 0.0001, lambda line: None)
    assert len(list(tmp_path.glob("*.npz"))) == 2
    broken = False
    games(tmp_path, "cpu", 0.0001, lambda line: None)
    seeds = place.PLAN.seeds
    assert played == [seeds[part.kind] for part in PARTS]  # one batch of each, and none twice


def test_batches_of_another_plan_or_network_are_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    folder.begin()
    for key in folder.head:
        other = Folder(tmp_path, {**folder.head, key: "another"})
        with pytest.raises(FormatError, match=f"begun with the {key} .*another"):
            other.begin()
    (tmp_path / "head.json").write_text("no head")
    with pytest.raises(FormatError, match="not the head"):
        folder.begin()


def test_a_missing_batch_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="hidden-contract-000-4096 is missing"):
        folder_of(tmp_path).load("hidden-contract-000-4096")


def test_each_player_searches_in_turn() -> None:
    seats = searching()
    assert len(seats) == place.PLAN.sizes["hidden"]
    assert np.ptp(np.bincount(seats)) <= len(list(batches(PARTS[-2])))


def test_the_worth_of_a_rank_is_that_of_least_squares() -> None:
    hidden = deals(9, 0, 4000)[:, 3]
    counts = bits(hidden, 52).reshape(-1, 4, 13).sum(1)
    worth = np.linspace(6, -6, 13)
    values = counts @ worth + np.random.default_rng(1).normal(size=len(hidden))
    found = by_rank(values, hidden)
    expected, *_ = np.linalg.lstsq(counts, values, rcond=None)
    assert found.mean(0) == pytest.approx(expected - expected.mean())
    # Its spread is that of the estimate: half of the deals tell as much as the other half.
    halves = [by_rank(values[at::2], hidden[at::2]).mean(0)[0] for at in (0, 1)]
    error = found[:, 0].std() / len(found) ** 0.5
    assert abs(halves[0] - halves[1]) < 5 * 2 * error


def test_the_difference_of_two_percentages() -> None:
    rng = np.random.default_rng(2)
    whole = rng.integers(0, 2, (2, 500)).astype(float)
    part = whole * rng.integers(0, 2, (2, 500))
    found = ratio_difference((part[0], whole[0]), (part[1], whole[1]))
    shares = 100 * part.sum(1) / whole.sum(1)
    assert found.span.estimate == pytest.approx(shares[0] - shares[1])


def test_the_bonus_pays_for_every_trick_of_a_contract_that_makes() -> None:
    bid = parse_call("1NT")
    assert isinstance(bid, Bid)
    deck, contract = Deck("2x4"), Contract(bid, Seat.NORTH)
    plain, more = (
        scheme.nets(contract, deck) for scheme in (find_scheme("auction"), scoring("bonus"))
    )
    assert [b - a for a, b in zip(plain, more, strict=True)] == [0, 0, 100]


@pytest.mark.slow
def test_a_small_deck_is_solved_both_ways() -> None:
    game = AuctionGame(Layouts(Deck("2x4")), find_scheme("contract"))
    row = solved(game, 0, 30)
    assert [each["iterations"] for each in row["joint"]] == [10, 30]
    for joint, average in zip(row["joint"], row["average"], strict=True):
        assert sum(joint["values"]) == pytest.approx(0, abs=1e-9)
        assert average["nash_conv"] >= 0
    assert max(row["joint"][1]["gains"]) < max(row["joint"][0]["gains"])
    uniform = judge(game, [tree.uniform() for tree in game.trees])
    assert row["average"][-1]["nash_conv"] < uniform.nash_conv


def test_solved_auctions_of_another_plan_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "tiny.jsonl"
    file.write_text(json.dumps({"plan": "another"}) + "\n")
    with pytest.raises(FormatError, match="another plan"):
        tiny_rows([file])


def test_solved_auctions_are_added_to_a_result(tmp_path: Path) -> None:
    result: place.Result = kept_study("place").result
    row = {
        "deck": "3x4", "levels": 1, "scoring": "contract", "start": "uniform",
        "joint": [{"iterations": 200, "values": [1.0, 2.0, -3.0], "gains": [0.1, 0.2, 0.0]}],
        "average": [{"iterations": 200, "values": [1.0, 1.0, -2.0], "nash_conv": 0.5}],
    }  # fmt: skip
    file = tmp_path / "tiny.jsonl"
    file.write_text(json.dumps({"plan": place.PLAN.digest}) + "\n" + json.dumps(row) + "\n")
    kept = [each for each in result.solved if (each.deck, each.scoring) != ("3x4", "contract")]
    found = with_solved(result, [file])
    assert list(found.solved[:-1]) == kept
    assert (found.solved[-1].third, found.solved[-1].gap) == (-3.0, 0.2)
    assert "3x4 under `contract` (1 of 2 starts)" in found.deviations
    assert with_solved(found, [file]) == found
