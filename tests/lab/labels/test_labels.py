"""Labels: right, whole, taken up after a kill, made again when damaged, the same on a cluster."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tribridge.cards.cards import Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common import parallel
from tribridge.common.errors import FormatError, NotFoundError, RunError, SettingError
from tribridge.double_dummy.solver import Solver
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.tricks import chair_hands
from tribridge.lab.labels import labels
from tribridge.lab.labels.built_deals import HELD_OUT, built_masks
from tribridge.lab.labels.labels import DamagedError, Labels, LabelWork, load_labels
from tribridge.lab.training.labelling import make_labels

NOTRUMP = LabelWork(2026, (Strain.NOTRUMP,))


class Here:
    """A backend in this process, which counts what it is asked for."""

    piece = 2

    def __init__(self, stop_after: int | None = None) -> None:
        self.asked: list[parallel.Range] = []
        self.stop_after = stop_after

    def run(self, job: Any, pieces: Any) -> Any:
        for piece in pieces:
            if len(self.asked) == self.stop_after:
                raise KeyboardInterrupt
            self.asked.append(piece)
            yield piece, job.run(piece)

    @property
    def deals(self) -> list[int]:
        return [number for start, stop in self.asked for number in range(start, stop)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    make_labels(folder, NOTRUMP, (3, 18), Here(), chunk=5)
    return folder


def same(one: Labels, two: Labels) -> bool:
    return (
        one.work == two.work
        and np.array_equal(one.numbers, two.numbers)
        and np.array_equal(one.tricks, two.tricks)
    )


@pytest.mark.slow
def test_labels_are_the_tricks_of_each_declarer_with_the_hidden_hand(whole: Path) -> None:
    found = load_labels(whole)
    assert found.numbers.tolist() == list(range(3, 18))
    truth = DoubleDummy()
    for number in (3, 11):
        dealt = deal(2026, number)
        for seat in Seat:
            tricks = truth.tricks(chair_hands(dealt, seat), Strain.NOTRUMP)
            assert found.of(Strain.NOTRUMP)[number - 3, seat] == tricks
        assert found.hands[number - 3].tolist() == [hand.mask for hand in dealt.hands]


def test_one_declarer_is_the_seat_of_the_number_mod_3(tmp_path: Path) -> None:
    work = LabelWork(2026, (Strain.SPADES, Strain.NOTRUMP), "one")
    make_labels(tmp_path, work, (3, 10), Here(), chunk=4)
    assert work.format == "tribridge labels 2"
    one, every = load_labels(tmp_path), labels.shipped()
    assert one.work == work
    assert one.seats[:, 0].tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert one.tricks.shape == (7, 1, 2)
    for at, number in enumerate(range(3, 10)):
        seat = number % 3
        assert one.of(Strain.SPADES)[at, 0] == every.of(Strain.SPADES)[number, seat]
        assert one.of(Strain.NOTRUMP)[at, 0] == every.of(Strain.NOTRUMP)[number, seat]
    hands, dummies, tricks = one.pairs()
    assert hands.tolist() == [every.hands[number, number % 3] for number in range(3, 10)]
    assert dummies.tolist() == every.hands[3:10, 3].tolist()
    assert tricks.tolist() == one.tricks[:, 0].tolist()
    assert one.title == "7 labelled deals of seed 2026, one declarer each"
    assert make_labels(tmp_path, work, (3, 10), Here()).kept == 7
    assert every.one_declarer().tricks[3:10, :, [3, 4]].tolist() == one.tricks.tolist()
    assert one.one_declarer() is one


def test_one_declarer_and_all_do_not_mix(whole: Path, tmp_path: Path) -> None:
    work = LabelWork(2026, (Strain.NOTRUMP,), "one")
    with pytest.raises(RunError, match="declarer per deal"):
        make_labels(whole, work, (3, 18), Here())
    make_labels(tmp_path, work, (0, 3), Here())
    with pytest.raises(SettingError, match="cannot be"):
        labels.join([load_labels(whole), load_labels(tmp_path)])
    with pytest.raises(SettingError, match="unknown declarers 'two'"):
        LabelWork(1, (Strain.NOTRUMP,), "two")  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_shipped_labels_are_those_of_the_dealer() -> None:
    found = labels.shipped()
    assert len(found) == 3000
    assert found.work == LabelWork(2026)
    assert found.ranges == ((0, 3000),)
    for number in (0, 1234, 2999):
        assert np.array_equal(found.tricks[number], found.work.run((number, number + 1))[0])


def test_files_are_cut_at_multiples(whole: Path) -> None:
    files = sorted(path.name for path in whole.glob("*.parquet"))
    ends = ((3, 4), (5, 9), (10, 14), (15, 17))
    assert files == [f"labels-{first:012d}-{last:012d}.parquet" for first, last in ends]
    table = pq.ParquetFile(whole / files[0]).read(use_threads=False)
    assert table.column_names == ["number", "declarer", "NT"]
    assert table.num_rows == 6
    head = json.loads(table.schema.metadata[b"tribridge"])
    assert head["seed"] == 2026
    assert head["format"] == "tribridge labels 1"


@pytest.mark.slow
def test_a_run_that_was_stopped_goes_on_with_what_is_missing(whole: Path, tmp_path: Path) -> None:
    first = Here(stop_after=4)  # pieces (3, 5), (5, 7), (7, 9), (9, 10): two files
    with pytest.raises(KeyboardInterrupt):
        make_labels(tmp_path, NOTRUMP, (3, 18), first, chunk=5)
    kept = load_labels(tmp_path)
    assert kept.ranges == ((3, 10),)
    told: list[tuple[int, int]] = []
    again = Here()
    done = make_labels(
        tmp_path, NOTRUMP, (3, 18), again, chunk=5, progress=lambda *now: told.append(now)
    )
    assert (done.kept, done.made) == (7, 8)
    assert again.deals == list(range(10, 18))
    assert told[0] == (7, 0)
    assert told[-1] == (7, 8)
    assert same(load_labels(tmp_path), load_labels(whole))


@pytest.mark.slow
def test_a_larger_run_keeps_what_a_smaller_one_made(whole: Path, tmp_path: Path) -> None:
    make_labels(tmp_path, NOTRUMP, (8, 12), Here(), chunk=3)
    more = Here()
    make_labels(tmp_path, NOTRUMP, (3, 18), more, chunk=5)
    assert set(more.deals) == {*range(3, 8), *range(12, 18)}
    assert same(load_labels(tmp_path), load_labels(whole))
    nothing = Here()
    assert make_labels(tmp_path, NOTRUMP, (3, 18), nothing).made == 0
    assert not nothing.asked


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.slow
@pytest.mark.parametrize("declarers", ["all", "one"])
def test_a_file_damaged_anywhere_is_noticed(declarers: labels.Declarers) -> None:
    """Each byte in turn: what is read is the labels as written, or nothing."""
    good = labels.shipped().first(6)
    if declarers == "one":
        good = good.one_declarer()
    data = labels.dumps_labels(good)
    noticed = 0
    for at in range(0, len(data), 3):
        try:
            found = labels.loads_labels(flipped(data, at))
        except FormatError:
            noticed += 1
        else:
            assert np.array_equal(found.tricks, good.tricks)
            assert np.array_equal(found.numbers, good.numbers)
    assert noticed > len(data) // 6
    for end in (0, 4, len(data) // 2, len(data) - 1):
        with pytest.raises(DamagedError, match="damaged"):
            labels.loads_labels(data[:end])


def test_a_damaged_file_is_made_again(whole: Path, tmp_path: Path) -> None:
    for path in whole.glob("*.parquet"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    victim = sorted(tmp_path.glob("*.parquet"))[1]
    data = victim.read_bytes()
    table = pq.ParquetFile(victim).read(use_threads=False)
    changed = np.array(table["NT"]).copy()
    changed[4] += 1
    wrong = table.set_column(2, "NT", pa.array(changed))  # well-formed, and not what was solved
    pq.write_table(wrong, victim)
    with pytest.raises(DamagedError, match="match its checksum"):
        load_labels(tmp_path)
    (tmp_path / ".labels-left-by-a-kill").write_text("half")
    again = Here()
    done = make_labels(tmp_path, NOTRUMP, (3, 18), again, chunk=5)
    assert done.damaged == (victim.name,)
    assert again.deals == list(range(5, 10))
    assert victim.read_bytes() == data
    assert not list(tmp_path.glob(".labels-*"))
    assert same(load_labels(tmp_path), load_labels(whole))


def test_what_is_not_ours_is_neither_read_nor_removed(whole: Path, tmp_path: Path) -> None:
    other = tmp_path / "labels-of-jam.parquet"
    pq.write_table(pa.table({"jam": [1]}), other)
    with pytest.raises(FormatError, match="label file"):
        make_labels(tmp_path, NOTRUMP, (0, 1), Here())
    assert other.exists()
    with pytest.raises(RunError, match="expected seed 1"):
        make_labels(whole, LabelWork(1, (Strain.NOTRUMP,)), (3, 18), Here())
    with pytest.raises(RunError, match="expected seed 2026"):
        make_labels(whole, LabelWork(2026), (3, 18), Here())


def test_labels_of_one_deal_twice_are_refused(whole: Path) -> None:
    one = load_labels(whole)
    with pytest.raises(FormatError, match="labelled twice"):
        labels.join([one, one.first(1)])
    with pytest.raises(NotFoundError, match="not labelled"):
        one.of(Strain.CLUBS)


def test_an_empty_folder_and_a_missing_one(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="label files"):
        load_labels(tmp_path)
    with pytest.raises(FileNotFoundError):
        load_labels(tmp_path / "nowhere")


def test_a_second_run_in_the_folder_is_refused(tmp_path: Path) -> None:
    class Nosy(Here):
        def run(self, job: Any, pieces: Any) -> Any:
            with pytest.raises(RunError, match="writing labels there"):
                make_labels(tmp_path, NOTRUMP, (0, 1), Here())
            yield from super().run(job, pieces)

    assert make_labels(tmp_path, NOTRUMP, (0, 1), Nosy()).made == 1


def command(folder: Path, deals: int) -> list[str]:
    code = "from tribridge.cli import main; main()"
    return [
        sys.executable,
        "-c",
        code,
        "label",
        "--deals",
        str(deals),
        "--strains",
        "NT",
        "--seed",
        "2026",
        "--out",
        str(folder),
        "--chunk",
        "5",
        "--processes",
        "2",
        "--json",
    ]


def children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(line) for line in found.stdout.split()]


def alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.full
def test_kill_9_in_the_middle_loses_and_doubles_nothing(tmp_path: Path) -> None:
    running = subprocess.Popen(command(tmp_path, 10_000), stderr=subprocess.DEVNULL)
    while not list(tmp_path.glob("labels-*.parquet")):
        assert running.poll() is None
        time.sleep(0.02)
    workers = children(running.pid)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    before = {path.name: path.read_bytes() for path in tmp_path.glob("labels-*.parquet")}
    kept = len(load_labels(tmp_path))
    deals = kept + 10  # the files of two workers may leave a gap of one file
    again = subprocess.run(command(tmp_path, deals), capture_output=True, text=True, check=True)
    told = json.loads(again.stdout)
    assert (told["kept"], told["made"]) == (kept, deals - kept)
    found = load_labels(tmp_path)
    assert found.numbers.tolist() == list(range(deals))
    assert np.array_equal(found.of(Strain.NOTRUMP), labels.shipped().of(Strain.NOTRUMP)[:deals])
    for name, data in before.items():
        assert (tmp_path / name).read_bytes() == data
    assert workers
    assert not any(alive(pid) for pid in workers)  # they do not outlive the command


@pytest.mark.full
def test_a_killed_worker_is_told_and_the_files_are_kept(tmp_path: Path) -> None:
    others = set(multiprocessing.active_children())

    def kill(kept: int, made: int) -> None:
        if made == 10:
            (set(multiprocessing.active_children()) - others).pop().kill()

    backend = parallel.Processes(1, piece=5)
    with pytest.raises(parallel.WorkerError, match="process ended before"):
        make_labels(tmp_path, NOTRUMP, (0, 200), backend, chunk=5, progress=kill)
    assert 10 <= len(load_labels(tmp_path)) < 200


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_makes_the_same_labels(whole: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=2,
        processes=True,
        dashboard_address=None,
        silence_logs=60,
    ) as cluster:
        backend = parallel.Cluster(cluster.scheduler_address, piece=2)
        done = make_labels(tmp_path, NOTRUMP, (3, 18), backend, chunk=5)
    assert done.made == 15
    for path in whole.glob("*.parquet"):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_built_deals_are_labelled_as_such() -> None:
    work = LabelWork(8, (Strain.NOTRUMP,), "one", built=True)
    tricks = work.run((2, 4))
    built = labels.loads_labels(
        labels.dumps_labels(Labels(work, np.arange(2, 4, dtype=np.uint64), tricks))
    )
    assert built.work == work
    assert np.array_equal(built.hands, built_masks(8, 2, 2))
    assert "seed 8" in str(work)
    truth = DoubleDummy()
    for at in range(2):
        declarer = (2 + at) % 3
        hands = [int(built.hands[at, column]) for column in labels.chair_columns(declarer)]
        assert tricks[at, 0, 0] == truth.tricks(hands, Strain.NOTRUMP)


@pytest.mark.full
def test_a_sample_of_the_shipped_labels_is_what_another_search_finds() -> None:
    """Labels are solved by DDS; the package's own solver, a search of its own, finds the same."""
    shipped, solver = labels.shipped(), Solver(22)
    strains = shipped.work.strains
    for sample, at in enumerate(range(0, len(shipped), 211)):
        column, strain = sample % 3, strains[sample % len(strains)]
        chairs = labels.chair_columns(int(shipped.seats[at, column]))
        hands = [int(shipped.hands[at, chair]) for chair in chairs]
        assert solver.tricks(hands, strain) == shipped.of(strain)[at, column], f"{at} {strain}"


def test_built_deals_are_fair_for_one_declarer_only() -> None:
    with pytest.raises(SettingError, match="one declarer"):
        LabelWork(8, built=True)


def test_built_deals_held_out_for_evaluation_are_refused() -> None:
    work = LabelWork(8, (Strain.NOTRUMP,), "one", built=True)
    held_out = Labels(work, np.array([HELD_OUT], np.uint64), np.zeros((1, 1, 1), np.int8))
    with pytest.raises(SettingError, match="for evaluation"):
        labels.refuse_evaluation(held_out)
    training = Labels(work, np.array([7], np.uint64), np.zeros((1, 1, 1), np.int8))
    assert labels.refuse_evaluation(training) is training
