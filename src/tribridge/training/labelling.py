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
from typing import Final, Literal, cast, get_args

import numpy as np

from tribridge import __version__
from tribridge.cards import STRAINS, Strain
from tribridge.deals import Seat
from tribridge.double_dummy import dds
from tribridge.double_dummy.labels import (
    DamagedError,
    Labels,
    LabelWork,
    Tricks,
    chair_columns,
    digest,
    dumps_labels,
    label_files,
    loads_labels,
)
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.errors import FormatError, RunError, SettingError
from tribridge.files import only_writer, write_atomic
from tribridge.game.tricks import Chair
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


Search = Literal["turned", "table"]
PIECE: Final = 5
"""Deals in a piece of work."""

_ROW: Final = 0x1FFF


def parse_search(text: str) -> Search:
    """Check the name of a search."""
    if text not in get_args(Search):
        raise SettingError(f"unknown way to verify {text!r}: expected turned or table")
    return cast(Search, text)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A label that differs from the result of the other path."""

    number: int
    declarer: Seat
    strain: Strain
    label: int
    solved: int

    def __str__(self) -> str:
        return (
            f"deal {self.number}, declarer {self.declarer.name.title()}, {self.strain.letter}: "
            f"labelled {self.label}, solved {self.solved}"
        )


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome: how much was checked, and what differs."""

    deals: int
    tricks: int
    """Numbers of tricks compared: deals times declarers times strains."""
    disagreements: tuple[Disagreement, ...]


@dataclass(frozen=True, slots=True)
class Resolve:
    """Deals to be solved again, in this process or another; a piece is a range of `numbers`."""

    work: LabelWork
    numbers: tuple[int, ...]
    search: Search

    def run(self, piece: Range) -> Tricks:
        """Tricks of some of the deals: an array (deals, declarers, strains)."""
        numbers = self.numbers[slice(*piece)]
        seats = self.work.seats(np.array(numbers, np.uint64))
        result = np.zeros((*seats.shape, len(self.work.strains)), np.int8)
        solve = turned_tricks if self.search == "turned" else table_tricks
        for at, number in enumerate(numbers):
            (masks,) = self.work.masks(number, 1).tolist()
            for place, declarer in enumerate(seats[at].tolist()):
                hands = [masks[column] for column in chair_columns(declarer)]
                tricks = solve(hands, self.work.strains)
                result[at, place] = [tricks[strain] for strain in self.work.strains]
        return result


def turned_tricks(hands: Sequence[int], strains: Sequence[Strain]) -> dict[Strain, int]:
    """Tricks on the same deal with the table rotated by 180 degrees and the suits reversed."""
    declarer, left, dummy, right = (_reversed_suits(hand) for hand in hands)
    truth = DoubleDummy()
    return {
        strain: truth.tricks(
            (dummy, right, declarer, left),
            strain if strain is Strain.NOTRUMP else STRAINS[3 - strain.index],
            Chair.RIGHT,  # where the left defender sits now
        )
        for strain in strains
    }


def _reversed_suits(hand: int) -> int:
    return sum((hand >> 13 * suit & _ROW) << 13 * (3 - suit) for suit in range(4))


def table_tricks(hands: Sequence[int], strains: Sequence[Strain]) -> dict[Strain, int]:
    """Tricks from the table call of DDS."""
    table = dds.table(hands)
    return {strain: table[strain] for strain in strains}


def sample(labels: Labels, size: int, seed: int) -> Labels:
    """A random sample of the deals; all of them if there are no more."""
    if size < 1:
        raise SettingError(f"the sample must be 1 deal or more, not {size}")
    if size >= len(labels):
        return labels
    chosen = np.sort(np.random.default_rng(seed).choice(len(labels), size, replace=False))
    return Labels(labels.work, labels.numbers[chosen], labels.tricks[chosen])


def verify(
    labels: Labels,
    backend: Backend[Tricks],
    search: Search = "turned",
    *,
    report: Callable[[Disagreement], None] = lambda one: None,
    progress: Callable[[int, int], None] = lambda kept, made: None,
) -> Verification:
    """Solve all deals of some labels again; `report` is called with each disagreement.

    `progress` is called with 0 and the number of deals done.
    """
    if labels.work.player:
        raise SettingError(f"{labels.work}: only double-dummy labels can be verified")
    job = Resolve(labels.work, tuple(labels.numbers.tolist()), search)
    disagreements = []
    done = 0
    with closing(run(job, backend, (), (0, len(labels)))) as results:
        for piece, (tricks,) in results:
            start = piece[0]
            wanted = labels.tricks[slice(*piece)]
            for at, place, column in np.argwhere(tricks != wanted).tolist():
                one = Disagreement(
                    job.numbers[start + at],
                    Seat(int(labels.seats[start + at, place])),
                    labels.work.strains[column],
                    int(wanted[at, place, column]),
                    int(tricks[at, place, column]),
                )
                disagreements.append(one)
                report(one)
            done += total([piece])
            progress(0, done)
    disagreements.sort(key=lambda one: (one.number, one.declarer, one.strain))
    return Verification(len(labels), labels.tricks.size, tuple(disagreements))
