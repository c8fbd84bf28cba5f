"""Many games: the same on any number of processes and after any interruption."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tests.library.arena.faulty  # noqa: F401
from tests.library.arena.made_up import match_result, play_result
from tests.library.cli.helpers import COMMAND
from tribridge.arena.results import Origin, load, loads, result_of, save
from tribridge.arena.running import (
    CHUNK,
    Description,
    StrategyFaultError,
    backend,
    records,
    run,
)
from tribridge.arena.work import MatchWork, Outcome, PlayOutcome, PlayWork, packed, seatings
from tribridge.arena.work import records as records_of
from tribridge.cards.cards import Deck, Strain
from tribridge.cards.deals import Seat
from tribridge.common import codec
from tribridge.common.errors import FormatError, NotFoundError, RunError
from tribridge.common.files import only_writer
from tribridge.common.parallel import InProcess
from tribridge.game import record
from tribridge.game.scoring import find_scheme
from tribridge.strategies.players.simple import RandomPlayer

TINY = Deck("2x8")
PLAY = PlayWork.of(("random", "capture"), ("random",), seed=5, deck=TINY)
MATCH = MatchWork.of(("random", "points+random", "capture"), seed=5)
GOLDEN = {
    "forecast": [4, 3, 4, 3, 3, 2, 3, 3, 3, 3, 3, 4],
    "double-dummy": [4, 3, 4, 3, 3, 2, 3, 3, 4, 4, 4, 4],
}
"""Tricks of `random` against `random` on the first deals of seed 5, by rule of contracts."""


def timeless(games: list[Outcome]) -> list[Outcome]:
    return [
        replace(game, times={})
        if isinstance(game, PlayOutcome)
        else replace(game, games=tuple(replace(deal, times={}) for deal in game.games))
        for game in games
    ]


@pytest.mark.parametrize("rule", GOLDEN)
def test_golden_games(rule: str) -> None:
    work = PlayWork.of(("random",), ("random",), seed=5, deck=TINY, contracts=rule)
    result = play_result(work, run(work, (0, 12), InProcess()).games)
    assert [game.tricks for game in result.games] == GOLDEN[rule]


def test_a_second_run_in_the_folder_is_refused(tmp_path: Path) -> None:
    with (
        only_writer(tmp_path, "playing games"),
        pytest.raises(RunError, match="playing games there"),
    ):
        run(PLAY, (0, 1), InProcess(), folder=tmp_path)
    assert run(PLAY, (0, 1), InProcess(), folder=tmp_path).made == 1


@pytest.mark.slow
def test_any_number_of_processes_and_any_cut_give_the_same_games(tmp_path: Path) -> None:
    whole = run(PLAY, (0, 12), InProcess(), folder=tmp_path / "a").games
    cut = run(PLAY, (0, 12), backend(2), folder=tmp_path / "b", chunk=3).games
    assert timeless(whole) == timeless(cut)
    assert [game.number for game in whole] == [n for n in range(12) for _ in range(2)]
    for number in (0, 7, 11):
        texts = ["".join(records(tmp_path / name, number)) for name in "ab"]
        plain = [
            [{k: v for k, v in json.loads(line).items() if k != "game"} for line in t.splitlines()]
            for t in texts
        ]
        assert plain[0] == plain[1]
        assert len(record.loads(texts[0])) == 2


def test_a_folder_is_gone_on_with_and_damage_is_mended(tmp_path: Path) -> None:
    whole = timeless(run(PLAY, (0, 12), InProcess()).games)
    first = run(PLAY, (2, 7), InProcess(), folder=tmp_path, chunk=2)
    assert (first.kept, first.made) == (0, 5)
    broken = tmp_path / "games-000000004-000000005.jsonl.gz"
    broken.write_bytes(broken.read_bytes()[:-9])
    (tmp_path / ".games-000000009-000000009.jsonl.gz.tmp").write_bytes(b"half")
    second = run(PLAY, (0, 12), InProcess(), folder=tmp_path, chunk=5)
    assert second.damaged == [broken.name]
    assert (second.kept, second.made) == (3, 9)
    assert timeless(second.games) == whole
    third = run(PLAY, (0, 12), InProcess(), folder=tmp_path)
    assert (third.kept, third.made) == (12, 0)
    assert timeless(third.games) == whole
    assert not list(tmp_path.glob(".games-*"))


@pytest.mark.full
def test_a_run_that_was_killed_loses_nothing_and_plays_nothing_twice(tmp_path: Path) -> None:
    words = [
        "contracts",
        "random",
        "capture",
        "--against",
        "random",
        "--seed",
        "5",
        "--deck",
        "2x8",
    ]
    words += ["--deals", "100000", "--processes", "1", "--out", str(tmp_path)]
    command = [COMMAND, "arena", *words]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        while len(list(tmp_path.glob("games-*"))) < 2:
            assert running.poll() is None, "it was over before it could be killed"
            time.sleep(0.01)
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
    there = CHUNK * len(list(tmp_path.glob("games-*")))
    wanted = (0, there + 20)
    played = run(PLAY, wanted, InProcess(), folder=tmp_path)
    assert (played.kept, played.made) == (there, 20)
    assert timeless(played.games) == timeless(run(PLAY, wanted, InProcess()).games)


def test_other_games_are_refused_in_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(PLAY, (0, 2), InProcess(), folder=tmp_path)
    with monkeypatch.context() as changed:
        changed.setattr(RandomPlayer, "version", 99)
        with pytest.raises(RunError, match="other versions"):
            run(PLAY, (0, 4), InProcess(), folder=tmp_path)
    other = PlayWork.of(("random",), ("random",), seed=5, deck=TINY)
    with pytest.raises(RunError, match=r"holds other games \(declarers [a-z]"):
        run(other, (0, 2), InProcess(), folder=tmp_path)
    with pytest.raises(NotFoundError, match="not an arena"):
        records(tmp_path / "nowhere", 1)
    with pytest.raises(NotFoundError, match="deal 9"):
        records(tmp_path, 9)


@pytest.mark.parametrize(
    ("option", "base", "change"),
    [("scheme", "old", "undertrick = 7"), ("laws", "auction-rubber", "game = 77")],
)
def test_games_go_on_by_the_rules_they_began_with_whatever_becomes_of_the_file(
    option: str, base: str, change: str, tmp_path: Path
) -> None:
    file, out = tmp_path / "mine.toml", tmp_path / "games"

    def work() -> MatchWork:
        settings: dict[str, Any] = {option: str(file)}
        return MatchWork.of(("points+random",), **settings)

    file.write_text(f'[mine]\nbase = "{base}"\n')
    begun = work()
    played = run(begun, (0, 1), InProcess(), folder=out)
    save(result_of(begun, played.games), out / "result.json")
    file.write_text(f'[mine]\nbase = "{base}"\n{change}\n')
    with pytest.raises(RunError, match=f"holds other games.*{option} mine = "):
        run(work(), (0, 2), InProcess(), folder=out)
    file.unlink()
    assert run(begun, (0, 2), InProcess(), folder=out).kept == 1
    assert load(out / "result.json").work == begun


def test_a_file_that_cannot_be_read_is_not_taken_for_a_damaged_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(PLAY, (0, 2), InProcess(), folder=tmp_path)
    (file,) = tmp_path.glob("games-*")

    def fail(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", fail)
        with pytest.raises(PermissionError):
            run(PLAY, (0, 2), InProcess(), folder=tmp_path)
    assert file.exists()


def test_a_file_with_the_games_of_other_deals_is_played_again(tmp_path: Path) -> None:
    run(PLAY, (0, 4), InProcess(), folder=tmp_path, chunk=2)
    first, second = sorted(tmp_path.glob("games-*"))
    second.write_bytes(first.read_bytes())
    played = run(PLAY, (0, 4), InProcess(), folder=tmp_path, chunk=2)
    assert (played.kept, played.made, played.damaged) == (2, 2, [second.name])
    assert [game.number for game in played.games] == [0, 0, 1, 1, 2, 2, 3, 3]


def test_records_in_a_damaged_file_are_refused_in_one_line(tmp_path: Path) -> None:
    run(PLAY, (0, 2), InProcess(), folder=tmp_path)
    (file,) = tmp_path.glob("games-*")
    data = file.read_bytes()
    for rest in (data[: len(data) // 2], b"", b"no games", data[:40] + b"xxxx" + data[44:]):
        file.write_bytes(rest)
        with pytest.raises(FormatError, match="damaged: run") as caught:
            records(tmp_path, 1)
        assert "\n" not in str(caught.value)


def test_a_fault_ends_the_run_or_is_reported(tmp_path: Path) -> None:
    name = "faulty:how=raise,trick=2"
    stopping = PlayWork.of((name,), ("random",), seed=5, deck=TINY, stop=True)
    with pytest.raises(StrategyFaultError, match="deal 0 after") as caught:
        run(stopping, (0, 4), InProcess(), folder=tmp_path / "stop")
    assert name in str(caught.value)
    assert "lost the thread" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "stop").glob("games-*"))
    going = PlayWork.of((name,), ("random",), seed=5, deck=TINY)
    result = play_result(going, run(going, (0, 4), InProcess()).games)
    assert result.deals == 4
    assert Counter(fault.number for fault in result.faults) == dict.fromkeys(range(4), 2)
    assert {fault.strategy for fault in result.faults} == {name}


def test_strategies_bid_for_the_scheme_of_their_match() -> None:
    names = ("learned+maxims", "learned:scheme=new+maxims")
    for scheme, laws, own in (("contract", None, "learned@3:scheme=contract+maxims@1"),
                              ("auction", None, "learned@3+maxims@1"),
                              ("contract", "auction-rubber", "learned@3+maxims@1")):  # fmt: skip
        first, second = MatchWork.of(names, scheme=scheme, laws=laws).versions
        assert first.version == own
        assert second.version == "learned@3:scheme=new+maxims@1"


def test_every_strategy_sits_everywhere_as_often_and_after_each_other() -> None:
    for names in (("a",), ("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d", "e")):
        found = seatings(names)
        assert len(set(found)) == len(found)
        for seat in range(3):
            counts = Counter(seats[seat] for seats in found)
            assert set(counts) == set(names)
            assert len(set(counts.values())) == 1
        pairs = Counter(
            (seats[seat], seats[(seat + 1) % 3])
            for seats in found
            for seat in range(3)
            if seats[seat] != seats[(seat + 1) % 3]
        )
        assert len(set(pairs.values())) <= 1
    assert len(seatings(("a", "b", "c"))) == 6


def test_a_match_scores_its_records_and_keeps_who_was_outbid() -> None:
    both = [pair for number in range(4) for pair in MATCH.play(number)]
    games = [game for game, _ in both]
    assert timeless(list(games)) == timeless(run(MATCH, (0, 4), InProcess()).games)
    result = match_result(MATCH, games)
    assert result.points.shape == (4, 6, 3)
    scheme = find_scheme("auction")
    events = [event for pair in both for event in records_of(MATCH, *pair)]
    data = gzip.decompress(packed(events)).decode()
    for game, one in zip(games, record.loads(data), strict=True):
        table = one.replay()
        contract, play = table.contract, table.position
        expected = [0.0, 0.0, 0.0]
        if contract is not None and play is not None:
            made = float(scheme.declarer_points(contract, play.won))
            lost = float(scheme.penalty(contract, play.won))
            expected = [made if seat is contract.declarer else lost for seat in Seat]
        assert list(game.points or ()) == expected
        turns = [int(table.dealer.after(at)) for at in range(len(table.auction.calls))]
        bids = {
            t for t, call in zip(turns, table.auction.calls, strict=True) if "P" not in str(call)
        }
        assert set(game.games[0].bidders) == bids
    first = [game.seats.index("capture") for game in games[:6]]
    by_hand = sum(result.points[0][range(6), first]) / 6
    assert result.by_deal()[0, 2] == pytest.approx(by_hand)
    dealers = [played[0].start.dealer.letter for _, played in both[::6]]
    assert dealers == ["N", "E", "S", "N"]


@pytest.mark.parametrize("work", [PLAY, MATCH])
def test_results_come_back_from_their_file(work: PlayWork | MatchWork, tmp_path: Path) -> None:
    games = run(work, (0, 3), InProcess()).games
    origin = Origin("a command", "2026-01-01", seconds=1.5, strategies=work.versions)
    result = result_of(work, games, origin)
    for name in ("result.json", "result.json.gz"):
        save(result, tmp_path / name)
        again = load(tmp_path / name)
        assert codec.dumps(again) == codec.dumps(result)
        assert again.work == work
        assert again.origin == origin
    assert codec.loads(codec.dumps(work), type(work)) == work


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', '{"format": 1, "work": {}}'])
def test_a_file_that_is_no_result_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"not an arena"):
        loads(text, "x")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: PlayWork.of(("nobody",), ("random",)), "unknown player 'nobody'"),
        (lambda: PlayWork.of(("random:a=1",), ("random",)), "no parameter 'a'"),
        (lambda: PlayWork.of((), ("random",)), "no declarers"),
        (lambda: PlayWork.of(("random", "random"), ("random",)), "random is named twice"),
        (
            lambda: PlayWork.of(("random",), ("random",), limit=0.0),
            "limit must be greater than 0 seconds",
        ),
        (lambda: PlayWork.of(("random",), ("random",), scheme="x"), "unknown scoring scheme"),
        (
            lambda: PlayWork.of(("random",), ("random",), strain=Strain.SPADES, deck=TINY),
            "S cannot be trumps",
        ),
        (lambda: MatchWork.of(()), "no strategies"),
        (lambda: MatchWork.of(("random+x",)), "unknown player 'x'"),
        (lambda: run(PLAY, (0, 1), InProcess(), chunk=0), "deals per file must be 1 or more"),
        (lambda: backend(2, "tcp://x"), "cannot be combined"),
        (lambda: codec.read({"work": {"kind": "x"}}, Description), "'kind'"),
    ],
)
def test_bad_settings_are_refused_in_one_line(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)
