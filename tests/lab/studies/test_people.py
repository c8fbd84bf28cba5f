"""Players beside experts: the boards in the repository, what is measured there, and the result."""

from __future__ import annotations

import json
import lzma
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks import people as measuring
from benchmarks.people import BOARDS, CALLS, CHAIRS, Asked, app, board_of, load, made_on, save
from benchmarks.people_result import (
    PACKED,
    contract_kinds,
    gather,
    pack,
    per_choice,
    result_of,
    spread,
    unpack,
)
from tests.lab.studies.helpers import alike, kept_study
from tests.lab.studies.test_experts import board
from tribridge.arena.work import PlayWork
from tribridge.cards.cards import STRAINS, Card, Hand
from tribridge.common.errors import FormatError, SettingError
from tribridge.double_dummy import dds
from tribridge.game.auction import parse_call
from tribridge.lab.studies import people
from tribridge.lab.studies.plans import check_plan
from tribridge.lab.studies.study import stored
from tribridge.networks.boards import Boards, for_validation, save_boards, table_of
from tribridge.strategies.learned.releases import PLAYER
from tribridge.strategies.program import ProgramStrategy
from tribridge.strategies.versions import player_version


def few(count: int, cards: int = 20) -> Boards:
    rows = [board(number, cards) for number in range(count)]
    return Boards(*(np.array(column) for column in zip(*rows, strict=True)))


def small(count: int) -> Asked:
    """Boards with auctions: declarer bids the contract, everybody passes or doubles."""
    boards = few(count)
    calls = np.full((count, 1 + measuring.LONGEST), -1, np.int8)
    for row, (level, strain, doubled) in enumerate(boards.contract.tolist()):
        made = [5 * (level - 1) + strain, *[36, 37][:doubled], 35, 35, 35]
        calls[row, : len(made) + 1] = [0, *made]
    return Asked(boards, calls)


def call(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


def test_the_boards_are_legal_and_of_deals_that_taught_nothing() -> None:
    study = load()
    boards = study.boards
    assert len(boards) == people.PLAN.sizes["boards"]
    assert for_validation(boards).all()
    assert len({tuple(map(tuple, board_of(boards, at))) for at in range(1000)}) == 1000
    full = sum(hand for hand in boards.hands.T.astype(object))
    assert {*full.tolist()} == {(1 << 52) - 1}
    for at in range(0, 1000, 25):
        hands, cards, contract = board_of(boards, at)
        table = table_of(hands, contract)
        for index in cards:
            if index >= 0:
                assert Card(index) in table.legal
                table = table.apply_unchecked(Card(index))
    assert "Permission is hereby granted" in BOARDS.with_name("LICENSE").read_text("utf-8")


def test_every_auction_ends_in_the_contract() -> None:
    study = load()
    for at, (level, strain, doubled) in enumerate(study.boards.contract.tolist()):
        auction = study.auction(at)
        assert auction is not None
        calls, dealer = auction["calls"], CHAIRS.index(auction["dealer"])
        assert calls[-3:] == ["Pass"] * 3
        bids = [(number, text) for number, text in enumerate(calls) if text[0].isdigit()]
        assert bids[-1][1] == f"{level}{('C', 'D', 'H', 'S', 'NT')[strain]}"
        after = [text for text in calls[bids[-1][0] + 1 :] if text != "Pass"]
        assert after == ["X", "XX"][:doubled]
        first = next(number for number, text in bids if text[1:] == bids[-1][1][1:]
                     and (number - bids[-1][0]) % 2 == 0)  # fmt: skip
        assert (dealer + first) % 4 == 0  # declarer named the strain first
    assert [str(parse_call(text)) for text in CALLS[:2]] == ["1♣", "1♦"]


def test_boards_are_drawn_from_records_by_the_seed(tmp_path: Path) -> None:
    lines = []
    for number in range(300):
        hands, cards, (level, strain, _) = board(number, 20)
        pbn = [str(Hand(hands[chair])) for chair in (0, 1, 3, 2)]
        bid = f"{level}{('C', 'D', 'H', 'S', 'NT')[strain]}"
        play = " ".join(Card(index).name for index in cards if index >= 0)
        lines.append({"deal": "N:" + " ".join(pbn), "contract": bid, "dealer": "N",
                      "auction": f"{bid} P P P", "play": play})  # fmt: skip
    text = "".join(json.dumps(line) + "\n" for line in lines)
    plain, packed = tmp_path / "boards.jsonl", tmp_path / "boards.jsonl.xz"
    plain.write_text(text)
    packed.write_bytes(lzma.compress(text.encode()))
    outs = tmp_path / "a.npz", tmp_path / "b.npz"
    for records, out in zip((plain, packed), outs, strict=True):
        assert call("draw", str(records), "--out", str(out)).exit_code == 0
    assert outs[0].read_bytes() == outs[1].read_bytes()
    drawn, given = load(outs[0]), few(300)
    held = {tuple(board_of(given, at)[0]) for at in np.flatnonzero(for_validation(given)).tolist()}
    assert {tuple(board_of(drawn.boards, at)[0]) for at in range(len(drawn.boards))} == held
    assert drawn.auction(0)["calls"][1:] == ["Pass"] * 3  # type: ignore[index]


def test_a_player_is_asked_once_and_a_run_continues(tmp_path: Path) -> None:
    given, out = tmp_path / "boards.npz", tmp_path / "out"
    save(small(4), given)
    assert call("ask", "maxims", str(given), "--out", str(out), "--count", "2").exit_code == 0
    path = out / "maxims.jsonl"
    begun = path.read_text()
    assert len(begun.splitlines()) == 3
    assert call("ask", "maxims", str(given), "--out", str(out)).exit_code == 0
    assert path.read_text().startswith(begun)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["board"] for row in rows[1:]] == [0, 1, 2, 3]
    other = tmp_path / "other.npz"
    save(small(3), other)
    answer = call("ask", "maxims", str(other), "--out", str(out))
    assert isinstance(answer.exception, FormatError)
    assert "begun with the boards" in str(answer.exception)
    path.write_text(begun[:-10])
    answer = call("ask", "maxims", str(given), "--out", str(out))
    assert "cut off" in str(answer.exception)


def test_boards_asked_in_parts_are_those_asked_at_once(tmp_path: Path) -> None:
    given, whole, out = tmp_path / "boards.npz", tmp_path / "whole", tmp_path / "out"
    save(small(5), given)
    assert call("ask", "maxims", str(given), "--out", str(whole)).exit_code == 0
    for part in ("0/3", "1/3", "2/3"):
        words = "ask", "maxims", str(given), "--out", str(out), "--part", part
        assert call(*words, "--count", "3").exit_code == 0
        assert call(*words).exit_code == 0

    def rows(folder: Path) -> list[Any]:
        found = [json.loads(line) for line in (folder / "maxims.jsonl").read_text().splitlines()]
        return [{key: row[key] for key in row if key != "seconds"} for row in found]

    assert call("join", "--out", str(out)).exit_code == 0
    assert rows(out) == rows(whole)
    assert call("join", "--out", str(out)).exit_code == 0
    assert rows(out) == rows(whole)


def test_a_part_begins_where_the_file_of_all_boards_ends(tmp_path: Path) -> None:
    given, out = tmp_path / "boards.npz", tmp_path / "out"
    save(small(6), given)
    words = "ask", "maxims", str(given), "--out", str(out)
    assert call(*words, "--count", "3").exit_code == 0
    head, *rows = map(json.loads, (out / "maxims.jsonl").read_text().splitlines())
    there = [row | {"seconds": 77} for row in rows]
    (out / "maxims.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (head, *there)))
    assert call(*words, "--part", "0/2").exit_code == 0
    path = out / measuring.PARTS / "maxims.0-2.jsonl"
    _, *rows = map(json.loads, path.read_text().splitlines())
    assert rows[:2] == there[::2]
    assert [row["board"] for row in rows] == [0, 2, 4]


def test_parts_are_joined_up_to_the_first_board_that_is_missing(tmp_path: Path) -> None:
    given, out = tmp_path / "boards.npz", tmp_path / "out"
    save(small(5), given)
    for part, count in (("0/2", 5), ("1/2", 2)):  # boards 0, 2, 4, and 1
        words = "ask", "maxims", str(given), "--out", str(out), "--part", part
        assert call(*words, "--count", str(count)).exit_code == 0
    (out / measuring.PARTS / "maxims.2-9.jsonl").touch()  # stopped before its first board
    answer = call("join", "--out", str(out))
    assert answer.output == "maxims: 3 boards\n"
    path = out / measuring.PARTS / "maxims.1-2.jsonl"
    path.write_text(path.read_text().replace(str(player_version("maxims")), "maxims@0"))
    assert "more than one version" in str(call("join", "--out", str(out)).exception)


@pytest.mark.parametrize("part", ["3", "3/3", "-1/3", "a/b", "1/2/3"])
def test_a_part_that_there_is_not_is_refused(tmp_path: Path, part: str) -> None:
    answer = call("ask", "maxims", "--out", str(tmp_path), "--part", part)
    assert isinstance(answer.exception, SettingError)
    assert "expected as in 3/16" in str(answer.exception)


def test_without_parts_there_is_nothing_to_join(tmp_path: Path) -> None:
    assert "nothing was done in parts" in str(call("join", "--out", str(tmp_path)).exception)


LOWEST = """
import json, sys
for line in sys.stdin:
    print(json.loads(line)["legal"][-1], flush=True)
"""


def test_contracts_are_played_out_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "lowest.py"
    program.write_text(LOWEST)
    monkeypatch.setenv("TRIBRIDGE_PROGRAM", f"{sys.executable} {program}")
    label = "BEN that plays its lowest card"
    for folder, parts in (("whole", ["0/1"]), ("parts", ["0/2", "1/2"])):
        out = str(tmp_path / folder)
        for part in parts:
            words = "play", "maxims", label, "--out", out, "--part", part
            assert call(*words, "--count", "1").exit_code == 0
            answer = call(*words, "--count", "3")
            assert answer.exit_code == 0, answer.exception
        assert call("join", "--out", out).exit_code == 0
        assert call("join", "--out", out).exit_code == 0
    first, second = (tmp_path / name / measuring.MATCHES for name in ("whole", "parts"))
    assert first.read_text() == second.read_text()
    (row,) = map(json.loads, first.read_text().splitlines())
    assert row["deals"] == [0, 1, 2]
    assert row["seed"] == people.PLAN.seeds["ben"]
    both: tuple[Any, Any] = "maxims", ProgramStrategy()
    declared, defended = [
        PlayWork.of([one], [other], seed=row["seed"]) for one, other in (both, both[::-1])
    ]
    for deal, won in enumerate(row["won"]):
        tricks = [next(iter(work.play(deal)))[0].tricks for work in (declared, defended)]
        assert won == tricks[0] - tricks[1]
    answer = call("play", "maxims", "another program", "--out", str(out))
    assert "must begin with sampler or ben" in str(answer.exception)


def test_networks_asked_together_are_also_asked_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, out = tmp_path / "boards.npz", tmp_path / "out"
    save(small(3), given)
    monkeypatch.setattr(measuring, "ONE_BY_ONE", 1)
    assert call("ask", "human", str(given), "--out", str(out)).exit_code == 0
    rows = [json.loads(line) for line in (out / "human.jsonl").read_text().splitlines()[1:]]
    assert ["seconds" in row for row in rows] == [True, False, False]


def test_a_program_needs_a_label_and_a_player_takes_none(tmp_path: Path) -> None:
    for words in (["program"], ["maxims", "--label", "mine"]):
        answer = call("ask", *words, "--out", str(tmp_path))
        assert isinstance(answer.exception, SettingError)


def test_boards_without_auctions_are_drawn_and_too_few_refused(tmp_path: Path) -> None:
    path = tmp_path / "boards.npz"
    boards = few(300)
    save_boards(boards, path)
    assert for_validation(load(path).boards).all()
    save_boards(boards.take(~for_validation(boards)), path)
    with pytest.raises(SettingError, match="for validation"):
        load(path)


@pytest.mark.skipif(not dds.available(), reason="needs endplay")
def test_tricks_made_are_solved_from_a_claim() -> None:
    hands, cards, contract = board(1, 52)
    table = table_of(hands, contract)
    for index in cards:
        table = table.apply_unchecked(Card(index))
    assert table.position is not None
    assert made_on(hands, cards, contract) == table.position.won
    hands, cards, contract = board(2, 14)
    table = table_of(hands, contract)
    for index in cards[:14]:
        table = table.apply_unchecked(Card(index))
    position = table.position
    assert position is not None
    best = [
        position.won + value
        for value in dds.cards(position.hands, STRAINS[contract[1]], position.leader,
                               position.trick).values()
    ]  # fmt: skip
    assert made_on(hands, cards, contract) in best


def test_kinds_of_contracts() -> None:
    given = np.array([[3, 4, 0], [2, 4, 0], [4, 3, 1], [4, 1, 0], [5, 0, 0], [6, 2, 2]])
    assert contract_kinds(given).tolist() == [
        "notrump, game", "notrump, part score", "suit, game", "suit, part score", "suit, game",
        "suit, slam",
    ]  # fmt: skip


def test_a_mean_over_choices_counts_every_choice_once() -> None:
    random = np.random.default_rng(4)
    counts = random.integers(1, 9, 400)
    sums = np.array([random.normal(0.3, 1, count).sum() for count in counts])
    span = per_choice(sums, counts)
    assert span.estimate == pytest.approx(sums.sum() / counts.sum())
    draws = random.integers(400, size=(2000, 400))
    again = sums[draws].sum(1) / counts[draws].sum(1)
    low, high = np.quantile(again, [0.025, 0.975])
    assert (span.low, span.high) == pytest.approx((low, high), abs=0.02)


@pytest.fixture(scope="module")
def measured() -> Any:
    return unpack(PACKED, load())


def test_the_result_in_the_package_is_of_what_was_measured(measured: Any) -> None:
    result = stored("people", people.Result)
    assert check_plan(result, people.PLAN, "people.json") == result
    assert alike(result_of(measured), result)


def test_what_was_measured_is_of_the_players_as_they_are_or_says_so(measured: Any) -> None:
    told = stored("people", people.Result).deviations
    for player in measured.players:
        if player.player.split(":")[0].split("@")[0] in ("learned", "human", "maxims"):
            now = player.version == str(player_version(player.player))
            assert now or (player.player == people.SEARCH and player.version in told)


def test_parts_of_the_result_add_up(measured: Any) -> None:
    result = stored("people", people.Result)
    *parts, whole = result.when
    assert sum(row.choices for row in parts) == whole.choices
    assert sum(row.learned.estimate for row in parts) == pytest.approx(whole.learned.estimate)
    learned = next(row for row in result.players if row.player == "learned")
    assert whole.learned == learned.more
    sides = learned.declaring + learned.defending + learned.leading
    assert sides == pytest.approx(learned.more.estimate)
    assert sum(row.boards for row in result.contracts) <= len(measured.study.boards)
    everywhere, *split = result.differ
    assert everywhere.differ == sum(row.differ for row in split)
    (chosen,) = (each for each in measured.players if each.player == "learned")
    lost = measured.more(chosen)[: int(measured.differ["played"])].sum()
    assert -everywhere.solved.estimate * everywhere.differ == pytest.approx(lost)


def test_what_was_measured_survives_packing(measured: Any, tmp_path: Path) -> None:
    path = tmp_path / "packed.npz"
    path.write_bytes(pack(measured))
    assert result_of(unpack(path, measured.study)) == result_of(measured)
    with pytest.raises(FormatError, match="other boards"):
        unpack(path, small(3))


def test_a_folder_is_written_again_whole(
    measured: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = {each.player: each.version for each in measured.players}
    monkeypatch.setattr("benchmarks.people_result.player_version", versions.get)
    assert spread(measured, tmp_path) == []
    assert result_of(gather(tmp_path, measured.study)) == result_of(measured)


def test_a_new_version_leaves_what_others_chose(
    measured: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = tuple(f"learned@{PLAYER.version - age}" for age in (0, 1))

    def version(name: str) -> str:
        return str(player_version(name)).replace(newest[0], "learned@99")

    monkeypatch.setattr("benchmarks.people_result.player_version", version)
    assert spread(measured, tmp_path) == ["learned", "learned:seconds=1"]
    study, names = measured.study, ("values.npz", "differ.jsonl")
    with pytest.raises(FormatError, match="not empty"):
        spread(measured, tmp_path)
    with pytest.raises(FormatError, match=f"{names[0]} is missing"):
        gather(tmp_path, study)
    np.savez(tmp_path / names[0], boards=study.digest, expected=np.zeros(1), made=np.zeros(1))
    head = json.dumps({"boards": study.digest, "plan": people.PLAN.digest})
    row = json.dumps({"board": 0, "numbers": [0], "tricks": [[1, 2]]})
    (tmp_path / names[1]).write_text(f"{head}\n{row}\n")
    found = gather(tmp_path, study)
    kept = [each for each in measured.players if not each.version.startswith(newest)]
    assert [each.player for each in found.players] == [each.player for each in kept]
    for one, other in zip(found.players, kept, strict=True):
        assert (one.version, one.milliseconds) == (other.version, other.milliseconds)
        assert (one.cards == other.cards).all()
    assert (found.lost == measured.lost).all()


def test_a_folder_without_costs_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"cost\.npz is missing"):
        gather(tmp_path, small(3))


def test_a_report_asks_about_the_first_boards_again() -> None:
    (again,) = kept_study("people").result.again
    assert again.same == again.choices > 0
    assert again.learned in (None, again.stored)


def test_the_figures_show_every_player_but_maxims() -> None:
    result = stored("people", people.Result)
    left, right = people.draw(result).axes
    names = [label.get_text().split("\n")[0] for label in left.get_yticklabels()]
    assert set(names) == {row.player for row in result.players} - {"maxims"}
    assert len(right.get_xticklabels()) == len(result.when) - 1
    assert people.draw_values(result).axes


def test_answers_are_of_the_plan() -> None:
    result = stored("people", people.Result)
    known = {hypothesis.id for hypothesis in people.PLAN.hypotheses}
    assert {*people.answers(result)} <= known
    assert replace(result, plan="x") != result
