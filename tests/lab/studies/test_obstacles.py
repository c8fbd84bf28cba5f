"""What stands between captures and tricks: easier rules on small endings, and orders of removal."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.obstacles import (
    ORDER,
    RULES,
    Easier,
    Played,
    app,
    chosen,
    load,
    made_by,
    play_one,
    result_of,
    shapley,
    tricks_under,
)
from tests.lab.studies.helpers import alike
from tests.library.double_dummy.slow_minimax import minimax, position
from tribridge.capture.algorithm import Conditions, algorithm2
from tribridge.cards.cards import Hand, Strain, cards_of
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError
from tribridge.double_dummy import dds
from tribridge.game.tricks import Chair
from tribridge.lab.labels.labels import shipped
from tribridge.lab.studies import obstacles
from tribridge.lab.studies.plans import check_plan, plan_of
from tribridge.lab.studies.study import stored

pytestmark = pytest.mark.skipif(not dds.available(), reason="needs endplay")


def masks(*hands: str) -> list[int]:
    """Hands in chair order, as in `A.KQ.2.`: spades first."""
    return [Hand(text).mask for text in hands]


def test_under_the_rules_of_bridge_the_tricks_are_those_of_double_dummy() -> None:
    random = np.random.default_rng(1)
    for _ in range(12):
        cards = random.permutation(52)[:16].tolist()
        first, second, third, last = (
            sum(1 << card for card in cards[4 * at : 4 * at + 4]) for at in range(4)
        )
        hands = first, second, third, last
        assert tricks_under(hands, Easier()) == minimax(position(hands, Strain.NOTRUMP, Chair.LEFT))


@pytest.mark.parametrize(("rules", "tricks"), [
    (Easier(), 1), (Easier(entries=True), 3), (Easier(stops=True), 2), (Easier(lead=True), 3),
])  # fmt: skip
def test_a_dummy_without_an_entry(rules: Easier, tricks: int) -> None:
    hands = masks("2.2.A.", "A.A.K.", "..2.AK", "3.3.3.")
    assert tricks_under(hands, rules) == tricks


@pytest.mark.parametrize(("rules", "tricks"), [
    (Easier(), 0), (Easier(entries=True), 0), (Easier(lead=True), 2), (Easier(stops=True), 2),
    (Easier(lead=True, stops=True, entries=True), 3),
])  # fmt: skip
def test_a_suit_that_defenders_run(rules: Easier, tricks: int) -> None:
    hands = masks("2..AK.", "AKQ...", "3...AK", "4.23..")
    assert tricks_under(hands, rules) == tricks


def test_those_are_chosen_who_pass_both_conditions() -> None:
    labels = shipped()
    numbers = dict(chosen(labels))
    for number in range(60):
        cards = deal(labels.work.seed, number)
        counted = algorithm2(cards.hands[number % 3], cards.hidden)
        assert (number in numbers) == (counted.outcome is Conditions.BOTH_HOLD)
        assert numbers.get(number, counted.captures) == counted.captures


def played(count: int) -> list[Played]:
    """Declarers with tricks at random."""
    random = np.random.default_rng(3)
    return [
        Played(at, 9, 7, {str(rules): int(random.integers(5, 11)) for rules in RULES}, 8)
        for at in range(count)
    ]


def test_the_means_over_all_orders_add_up() -> None:
    rows = played(5)
    total = [row.tricks[str(RULES[-1])] - row.tricks["nothing"] for row in rows]
    assert sum(shapley(rows, name) for name in ORDER) == pytest.approx(total)


def test_the_mean_over_orders_is_that_of_walks() -> None:
    (row,) = played(1)
    gains = []
    for order in permutations(ORDER):
        rules = Easier()
        for name in order:
            after = rules._replace(**{name: True})
            if name == "stops":
                gains.append(row.tricks[str(after)] - row.tricks[str(rules)])
            rules = after
    assert shapley([row], "stops")[0] == pytest.approx(np.mean(gains))


@pytest.mark.slow
def test_a_result_has_every_number_of_the_plan() -> None:
    result = result_of(played(120))
    plan = plan_of("obstacles")
    assert {*obstacles.answers(result)} == {hypothesis.id for hypothesis in plan.hypotheses}
    steps = [row.then.estimate for row in result.removed if row.then is not None]
    biases = [row.bias.estimate for row in result.left]
    assert biases[0] - sum(steps) == pytest.approx(biases[-1])
    counts = {row.declarers.split(":")[0]: row.count for row in result.rejected}
    assert counts["both conditions hold"] + counts["A fails"] + counts["B fails"] == counts["all"]
    assert obstacles.draw(result).axes


def test_games_of_another_plan_or_too_few_are_refused(tmp_path: Path) -> None:
    file, out = tmp_path / "games.jsonl", tmp_path / "result.json"
    head = {"plan": "another", "made_by": made_by()}
    file.write_text(json.dumps(head) + "\n")
    with pytest.raises(FormatError, match="under another plan"):
        load(file)
    head["plan"] = plan_of("obstacles").digest
    file.write_text(json.dumps(head) + "\n")
    answer = CliRunner().invoke(app, ["result", str(file), "--result", str(out)])
    assert isinstance(answer.exception, FormatError)
    assert "0 of" in str(answer.exception)
    assert not out.exists()


@pytest.mark.slow
def test_a_declarer_of_the_study_is_played_as_labelled() -> None:
    labels = shipped()
    row = play_one(labels, *next(iter(chosen(labels))))
    assert row.tricks["nothing"] == row.double_dummy
    assert len(row.tricks) == len(RULES)
    assert 0 <= row.defence <= 13
    assert Seat(row.number % 3) in Seat
    assert len(list(cards_of(int(labels.hands[row.number, 0])))) == 13


def test_the_result_in_the_package_was_made_under_the_plan() -> None:
    result = stored("obstacles", obstacles.Result)
    assert check_plan(result, plan_of("obstacles"), "obstacles.json") == result
    assert made_by() in result.note
    with pytest.raises(FormatError):
        check_plan(replace(result, plan="another"), plan_of("obstacles"), "obstacles.json")


@pytest.mark.slow
def test_the_result_in_the_package_is_that_of_the_games_in_the_repository() -> None:
    games = load(Path(__file__).parents[3] / "benchmarks" / "results" / "obstacles.jsonl")
    assert all(row.tricks["nothing"] == row.double_dummy for row in games)
    shipped = stored("obstacles", obstacles.Result)
    assert alike(replace(result_of(games), note=shipped.note), shipped)
