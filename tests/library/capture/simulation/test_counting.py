"""Where work runs does not matter: cores, pieces, stops, sums and a cluster that loses a worker."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tribridge.capture import READINGS
from tribridge.capture.simulation import counts, kernel
from tribridge.capture.simulation import counts as tally
from tribridge.capture.simulation.counts import Stopped, Tally, Work
from tribridge.capture.simulation.tables import Counts
from tribridge.cards.dealer import check_deals
from tribridge.common import parallel
from tribridge.common.errors import (
    FormatError,
    NotFoundError,
    RunError,
    SettingError,
    TribridgeError,
)
from tribridge.common.parallel import Cores, Job, Range, Results

CAPTURE = Work("capture", 1)
GAME = Work("game", 1, "natural")
WHOLE = (1000, 21_000)


def count(work: Work, wanted: Range, backend: parallel.Backend[Counts] | None = None) -> Tally:
    return counts.run(Tally.empty(work), wanted, backend or Cores(1))


@pytest.fixture(scope="module")
def whole() -> Tally:
    return count(GAME, WHOLE)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("piece", [77, 4096, 1 << 20])
def test_any_threads_and_pieces_count_the_same(threads: int, piece: int) -> None:
    start, stop = WHOLE
    found = count(CAPTURE, WHOLE, Cores(threads, piece))
    assert np.array_equal(found.counts, kernel.capture_counts(1, start, stop - start))
    assert found.ranges == (WHOLE,)
    assert found.deals == int(found.counts.sum()) == stop - start
    for name, reading in READINGS.items():
        game = count(Work("game", 1, name), WHOLE, Cores(threads, piece))
        assert np.array_equal(game.counts, kernel.game_counts(1, start, stop - start, reading))


def test_a_file_brings_the_tally_back(whole: Tally, tmp_path: Path) -> None:
    counts.save(whole, tmp_path / "tally.json")
    back = counts.load(tmp_path / "tally.json")
    assert (back.work, back.ranges) == (whole.work, whole.ranges)
    assert np.array_equal(back.counts, whole.counts)
    assert [each.name for each in tmp_path.iterdir()] == ["tally.json"]


def test_broken_files_are_refused(whole: Tally, tmp_path: Path) -> None:
    path = tmp_path / "tally.json"
    counts.save(whole, path)
    text = path.read_text()
    data = json.loads(text)
    cell = next(iter(data["counts"]))

    def changed(**fields: Any) -> str:
        return json.dumps(data | fields)

    for broken, message in {
        text[: len(text) // 2]: "not a tally",
        "[1]": "not a tally",
        "\0": "not a tally",
        changed(format="other"): "format",
        changed(package="0.0.1"): "version 0.0.1",
        changed(study="chess"): "unknown study",
        changed(seed=-1): "seed",
        changed(counts=data["counts"] | {cell: 10**6}): "do not sum",
        changed(counts=data["counts"] | {cell: -1}): "cannot hold",
        changed(counts={"99999": 20_000}): "cannot hold",
        changed(ranges=[[1000, 11_000], [10_000, 20_000]]): "counted twice",
        changed(ranges=[[21_000, 1000]]): "not a range",
        changed(counts={cell: 10**30}): "cannot hold",
        changed(ranges=5): "not a tally",
    }.items():
        path.write_text(broken)
        with pytest.raises(TribridgeError, match=message) as caught:
            counts.load(path)
        assert "\n" not in str(caught.value)


def test_a_run_goes_on_where_a_file_ends(whole: Tally, tmp_path: Path) -> None:
    path = tmp_path / "tally.json"
    first, second = count(GAME, (2000, 3000)), count(GAME, (7000, 7001))
    holes = first.with_piece((7000, 7001), second.counts)
    counts.save(holes, path)
    asked: list[Range] = []

    class Watched:
        piece = 1 << 20

        def run(self, job: Job[Counts], pieces: Iterator[Range]) -> Results[Counts]:
            for piece in pieces:
                asked.append(piece)
                yield piece, job.run(piece)

    found = counts.run(counts.load(path), WHOLE, Watched(), path=path)
    assert asked == [(1000, 2000), (3000, 7000), (7001, 21_000)]
    assert np.array_equal(found.counts, whole.counts)
    assert np.array_equal(counts.load(path).counts, whole.counts)


def test_ctrl_c_keeps_what_was_done(whole: Tally, tmp_path: Path) -> None:
    path = tmp_path / "tally.json"

    def interrupt(deals: int) -> None:
        if deals > 5000:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Stopped) as stopped:
        counts.run(Tally.empty(GAME), WHOLE, Cores(2, 500), path=path, progress=interrupt)
    kept = counts.load(path)
    assert 5000 < kept.deals == stopped.value.tally.deals < whole.deals
    assert np.array_equal(counts.run(kept, WHOLE, Cores(2)).counts, whole.counts)


def test_a_full_disk_leaves_the_last_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tally.json"
    counts.save(count(GAME, (1000, 2000)), path)
    before = path.read_bytes()

    def full(path: Path, data: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(tally, "write_atomic", full)
    with pytest.raises(RunError, match=r"device.*1000 were saved"):
        counts.run(counts.load(path), WHOLE, Cores(1), path=path)
    assert path.read_bytes() == before


def test_an_error_in_a_piece_keeps_what_was_done(tmp_path: Path) -> None:
    class Broken(Work):
        def compiled(self) -> bool:  # otherwise NumPy counts these few deals, without `run`
            return True

        def run(self, piece: Range) -> Counts:
            if piece[0] > 5000:
                raise MemoryError
            return super().run(piece)

    path = tmp_path / "tally.json"
    with pytest.raises(MemoryError):
        counts.run(Tally.empty(Broken("capture", 1)), WHOLE, Cores(2, 100), path=path)
    assert 3000 < counts.load(path).deals <= 4200


@pytest.mark.parametrize("deals", [0, -1, 1 << 63, 10**30])
def test_numbers_of_deals_out_of_range_are_refused(deals: int) -> None:
    with pytest.raises(SettingError):
        check_deals(0, deals)


def test_ranges_end_at_the_last_deal() -> None:
    assert check_deals((1 << 64) - 5, 5) == ((1 << 64) - 5, 1 << 64)
    with pytest.raises(SettingError, match="out of range"):
        check_deals((1 << 64) - 5, 6)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("chess", 1), NotFoundError, "unknown study 'chess': expected capture or game"),
        (("capture", 1, "natural"), SettingError, "no reading"),
        (("game", 1, "literal"), NotFoundError, "unknown reading"),
        (("game", 1 << 64), SettingError, "seed"),
    ],
)
def test_work_that_cannot_be_is_refused(
    arguments: Any, kind: type[TribridgeError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        Work(*arguments)


def test_a_few_deals_are_counted_by_numpy_until_the_kernel_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = CAPTURE.run((0, 300))
    monkeypatch.setattr(counts, "ready", lambda function: False)
    monkeypatch.setattr(kernel, "capture_counts", None)  # so that only NumPy can answer
    tally = counts.run(Tally.empty(CAPTURE), (0, 300), Cores(1))
    assert np.array_equal(tally.counts, expected)
    monkeypatch.setattr(counts, "_FEW", 299)
    with pytest.raises(TypeError):
        counts.run(Tally.empty(CAPTURE), (0, 300), Cores(1))


# --- the cluster


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_changes_nothing(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    wanted = (0, 600_000)
    path = tmp_path / "tally.json"
    killed: list[int] = []
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=60,
    ) as cluster:
        victim = cluster.workers[0].pid

        def progress(deals: int) -> None:
            if deals > 60_000 and not killed:
                os.kill(victim, signal.SIGKILL)
                killed.append(deals)

        backend = parallel.Cluster(cluster.scheduler_address, piece=1 << 14)
        found = counts.run(Tally.empty(GAME), wanted, backend, path=path, progress=progress)
    assert killed
    assert killed[0] < found.deals
    expected = kernel.game_counts(1, *wanted)
    assert np.array_equal(found.counts, expected)
    assert np.array_equal(counts.load(path).counts, expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "tcp://"])
def test_a_cluster_that_does_not_answer_is_named(address: str) -> None:
    pytest.importorskip("distributed")
    backend = parallel.Cluster(address, timeout=1.0)
    with pytest.raises(RunError, match=f"the cluster at {address} does not answer") as caught:
        counts.run(Tally.empty(GAME), WHOLE, backend)
    assert "\n" not in str(caught.value)


def test_files_of_another_format_are_format_errors(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("{}")
    with pytest.raises(FormatError):
        counts.load(tmp_path / "x")
