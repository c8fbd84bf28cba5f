"""Making labels in a folder of files; a run can be killed at any moment and resumed.

Every finished file is complete in itself. What is missing follows from the intact files, so nothing
is lost or made twice; a damaged file is recognised by its checksum and made again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from tribridge.common.errors import FormatError, RunError, SettingError
from tribridge.common.files import only_writer, write_atomic
from tribridge.common.parallel import Backend, Job, Range, missing, run, total
from tribridge.lab.labels.labels import (
    DamagedError,
    Labels,
    LabelWork,
    Tricks,
    dumps_labels,
    label_files,
    loads_labels,
)

CHUNK: Final = 500
"""Deals in a file."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a run did: deals that were there before, deals made now, damaged files made again."""

    kept: int
    made: int
    damaged: tuple[str, ...]


def make_labels(
    folder: Path,
    work: LabelWork,
    wanted: Range,
    backend: Backend[Tricks],
    *,
    job: Job[Tricks] | None = None,
    chunk: int = CHUNK,
    progress: Callable[[int, int], None] = lambda before, made: None,
) -> Made:
    """Label the missing deals of a range in a folder, one file for each chunk of deals.

    `job` gives the tricks, by default the work itself, which solves the deals double dummy.
    `progress` is called with the number of deals already there and the number made.
    """
    if chunk < 1:
        raise SettingError(f"the number of deals per file must be 1 or more, not {chunk}")
    folder.mkdir(parents=True, exist_ok=True)
    with only_writer(folder, "writing labels"):
        for rest in folder.glob(".labels-*"):  # left by a run that was killed while writing
            rest.unlink()
        done, damaged = _whole_files(folder, work)
        before = total([wanted]) - total(missing(done, wanted))
        made = 0

        def report(piece: Range) -> None:
            nonlocal made
            made += total([piece])
            progress(before, made)

        progress(before, made)
        job = work if job is None else job
        with closing(run(job, backend, done, wanted, chunk=chunk, on_piece=report)) as results:
            for piece, parts in results:
                _write_chunk(folder, work, piece, np.concatenate(parts))
            return Made(before, made, tuple(damaged))


def _write_chunk(folder: Path, work: LabelWork, piece: Range, tricks: Tricks) -> None:
    start, stop = piece
    numbers = np.arange(stop - start, dtype=np.uint64) + np.uint64(start)
    name = f"labels-{start:012d}-{stop - 1:012d}.parquet"
    write_atomic(folder / name, dumps_labels(Labels(work, numbers, tricks)))


def _whole_files(folder: Path, work: LabelWork) -> tuple[list[Range], list[str]]:
    """The deals of the intact files; damaged ones are removed, to be made again."""
    whole: dict[Range, str] = {}
    damaged: list[str] = []
    for path in label_files(folder):
        try:
            labels = loads_labels(path.read_bytes(), str(path))
        except DamagedError:
            damaged.append(path.name)
            continue
        if len(labels.ranges) != 1:
            raise FormatError(f"{path}: its deals are not consecutive, as in the files of a folder")
        if labels.work != work:
            raise RunError(f"{folder} holds {labels.work}; expected {work}")
        whole[labels.ranges[0]] = path.name
    for name in damaged:  # only now: leave a folder of other work untouched
        (folder / name).unlink()
    done = sorted(whole)
    for before, after in pairwise(done):
        if after[0] < before[1]:
            raise RunError(f"{folder}: {whole[before]} and {whole[after]} have deals in common")
    return done, damaged
