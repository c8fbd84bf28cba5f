"""Making labels: a folder of files that can be killed at any moment and taken up again.

Every finished file stands for itself. What is missing is worked out from the files that are there
and whole, so nothing is lost or made twice; a damaged file is known by its checksum and made again.
`manifest.json` tells a reader what the folder holds; it is made from the files and is never needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, Protocol

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
from tribridge.errors import FormatError, SettingError
from tribridge.files import only_writer, write_whole
from tribridge.parallel import Job, Range

CHUNK: Final = 500
"""Deals in a file."""


class LabelBackend(Protocol):
    """Where labels are made: `parallel.Processes` or `parallel.Cluster`."""

    @property
    def piece(self) -> int:
        """Deals in a piece."""
        ...

    def count(
        self, work: Job[Tricks], pieces: Iterator[Range]
    ) -> Generator[tuple[Range, Tricks], None, None]:
        """Label pieces, in any order."""
        ...


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
    backend: LabelBackend,
    *,
    chunk: int = CHUNK,
    progress: Callable[[int, int], None] = lambda kept, made: None,
) -> Made:
    """Label what a range still misses in a folder, a file for each chunk of deals.

    `progress` is told how many deals were there and how many are made.
    """
    if chunk < 1:
        raise SettingError(f"a file of {chunk} deals cannot be: 1 or more")
    folder.mkdir(parents=True, exist_ok=True)
    with only_writer(folder, "writing labels"):
        for rest in folder.glob(".labels-*"):  # of a run that was killed while writing
            rest.unlink()
        chunks, damaged = _whole_chunks(folder, work)
        missing = list(_missing(chunks, wanted))
        kept = wanted[1] - wanted[0] - sum(stop - start for start, stop in missing)
        made = 0
        progress(kept, made)
        _write_manifest(folder, work, chunks)
        waiting: dict[Range, dict[Range, Tricks]] = {}
        owners: dict[Range, Range] = {}

        def pieces() -> Iterator[Range]:
            for file in _cut(missing, chunk):
                waiting[file] = {}
                for at in range(*file, backend.piece):
                    piece = at, min(at + backend.piece, file[1])
                    owners[piece] = file
                    yield piece

        results = backend.count(work, pieces())
        try:
            for piece, tricks in results:
                file = owners.pop(piece)
                waiting[file][piece] = tricks
                made += piece[1] - piece[0]
                if sum(stop - at for at, stop in waiting[file]) == file[1] - file[0]:
                    chunks.append(_write_chunk(folder, work, waiting.pop(file)))
                    _write_manifest(folder, work, chunks)
                progress(kept, made)
        finally:
            results.close()
    return Made(kept, made, tuple(damaged))


def _write_chunk(folder: Path, work: LabelWork, parts: dict[Range, Tricks]) -> Chunk:
    ordered = sorted(parts)
    start, stop = ordered[0][0], ordered[-1][1]
    numbers = np.arange(stop - start, dtype=np.uint64) + np.uint64(start)
    labels = Labels(work, numbers, np.concatenate([parts[piece] for piece in ordered]))
    name = f"labels-{start:012d}-{stop - 1:012d}.parquet"
    write_whole(folder / name, dumps_labels(labels))
    return Chunk(name, start, stop, digest(labels))


def _whole_chunks(folder: Path, work: LabelWork) -> tuple[list[Chunk], list[str]]:
    """The files that are whole; those that are damaged are put away, to be made again."""
    chunks: list[Chunk] = []
    damaged: list[str] = []
    for path in label_files(folder):
        try:
            labels = loads_labels(path.read_bytes(), str(path))
        except DamagedError:
            damaged.append(path.name)
            continue
        if len(labels.ranges) != 1:
            raise FormatError(f"{path}: not one run of deals, as the files of a folder are")
        if labels.work != work:
            raise SettingError(f"{folder} holds {labels.work}; {work} was asked for")
        (start, stop), *_ = labels.ranges
        chunks.append(Chunk(path.name, start, stop, digest(labels)))
    for name in damaged:  # only now: a folder of other work is left as it was
        (folder / name).unlink()
    chunks.sort(key=lambda one: one.start)
    for before, after in pairwise(chunks):
        if after.start < before.stop:
            raise SettingError(f"{folder}: {before.name} and {after.name} have deals in common")
    return chunks, damaged


def _missing(chunks: Sequence[Chunk], wanted: Range) -> Iterator[Range]:
    at, end = wanted
    for one in chunks:
        if at < min(one.start, end):
            yield at, min(one.start, end)
        at = max(at, one.stop)
    if at < end:
        yield at, end


def _cut(ranges: Sequence[Range], size: int) -> Iterator[Range]:
    """Ranges cut at the multiples of a size, whatever number they begin with."""
    for start, stop in ranges:
        at = start
        while at < stop:
            end = min(stop, at - at % size + size)
            yield at, end
            at = end


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
    write_whole(folder / "manifest.json", json.dumps(manifest, indent=1) + "\n")
