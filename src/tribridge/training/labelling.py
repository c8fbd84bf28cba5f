"""Making labels in a folder of files; a run can be killed at any moment and resumed.

Every finished file is complete in itself. What is missing follows from the intact files, so nothing
is lost or made twice; a damaged file is recognised by its checksum and made again. `manifest.json`
describes the folder to a reader; it is derived from the files and never needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from tribridge import __version__
from tribridge.double_dummy.labels import (
    DamagedError,
    Labels,
    LabelWork,
    Tricks,
    digest,
    dumps_labels,
    label_files,
    loads_labels,
)
from tribridge.errors import FormatError, RunError, SettingError
from tribridge.files import only_writer, write_atomic
from tribridge.parallel import Backend, Job, Range, missing, run, total

CHUNK: Final = 500
"""Deals in a file."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a run did: deals that were there before, deals made now, damaged files made again."""

    kept: int
    made: int
    damaged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A whole file in a folder."""

    name: str
    start: int
    stop: int
    sha256: str


def make_labels(
    folder: Path,
    work: LabelWork,
    wanted: Range,
    backend: Backend[Tricks],
    *,
    job: Job[Tricks] | None = None,
    chunk: int = CHUNK,
    progress: Callable[[int, int], None] = lambda kept, made: None,
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
        chunks, damaged = _whole_chunks(folder, work)
        done = [(one.start, one.stop) for one in chunks]
        kept = total([wanted]) - total(missing(done, wanted))
        made = 0

        def report(piece: Range) -> None:
            nonlocal made
            made += total([piece])
            progress(kept, made)

        progress(kept, made)
        _write_manifest(folder, work, chunks)
        job = work if job is None else job
        with closing(run(job, backend, done, wanted, chunk=chunk, on_piece=report)) as results:
            for piece, parts in results:
                chunks.append(_write_chunk(folder, work, piece, np.concatenate(parts)))
                _write_manifest(folder, work, chunks)
    return Made(kept, made, tuple(damaged))


def _write_chunk(folder: Path, work: LabelWork, piece: Range, tricks: Tricks) -> Chunk:
    start, stop = piece
    numbers = np.arange(stop - start, dtype=np.uint64) + np.uint64(start)
    labels = Labels(work, numbers, tricks)
    name = f"labels-{start:012d}-{stop - 1:012d}.parquet"
    write_atomic(folder / name, dumps_labels(labels))
    return Chunk(name, start, stop, digest(labels))


def _whole_chunks(folder: Path, work: LabelWork) -> tuple[list[Chunk], list[str]]:
    """The intact files; damaged ones are removed, to be made again."""
    chunks: list[Chunk] = []
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
        (start, stop), *_ = labels.ranges
        chunks.append(Chunk(path.name, start, stop, digest(labels)))
    for name in damaged:  # only now: leave a folder of other work untouched
        (folder / name).unlink()
    chunks.sort(key=lambda one: one.start)
    for before, after in pairwise(chunks):
        if after.start < before.stop:
            raise RunError(f"{folder}: {before.name} and {after.name} have deals in common")
    return chunks, damaged


def _write_manifest(folder: Path, work: LabelWork, chunks: Sequence[Chunk]) -> None:
    ordered = sorted(chunks, key=lambda one: one.start)
    manifest = {
        "format": work.format,
        "version": __version__,
        "seed": work.seed,
        "strains": [strain.letter for strain in work.strains],
        "declarers": work.declarers,
        "deals": sum(one.stop - one.start for one in ordered),
        "files": [
            {
                "name": one.name,
                "start": one.start,
                "deals": one.stop - one.start,
                "sha256": one.sha256,
            }
            for one in ordered
        ],
    }
    write_atomic(folder / "manifest.json", json.dumps(manifest, indent=1) + "\n")
