"""Labels: deals of the dealer with their double-dummy tricks, in Parquet files.

For each deal the three possible declarers, each with the hidden hand as dummy (chairs in the order
declarer, left, hidden hand, right; the left defender leads), in the strains asked for. Deals are
named by seed and number, so a file needs no cards. One row a deal and declarer:

| column | type | holds |
| --- | --- | --- |
| `number` | uint64 | the deal's number |
| `declarer` | int8 | 0 North, 1 East, 2 South |
| `C` `D` `H` `S` `NT` | int8 | tricks of the declarer's side, one column a strain asked for |

The schema's metadata has one entry `tribridge`, a JSON object: format, version, seed, strains,
start, deals, and `sha256` of the values, by which a damaged file is known.

`labelling` makes such files, a folder of them; `load_labels` reads one or all of a folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge import __version__
from tribridge.cards import Strain, parse_strain
from tribridge.dealer import check_seed
from tribridge.dealer_arrays import deal_masks
from tribridge.deals import HIDDEN, Seat
from tribridge.engine import Range
from tribridge.errors import FormatError, SettingError
from tribridge.truth.double_dummy import DoubleDummy

FORMAT: Final = "tribridge labels 1"

EVALUATION_SEED: Final = 2026
EVALUATION_DEALS: Final = 3000
"""Deals 0 to 2,999 of seed 2026 are for evaluation alone: nothing may be fitted to them."""

_KEY: Final = b"tribridge"
_DECLARERS: Final = len(Seat)

Tricks = NDArray[np.int8]


def chair_columns(declarer: int) -> tuple[int, int, int, int]:
    """Which hands of a deal sit in the chairs when a player declares with the hidden hand."""
    return declarer, (declarer + 1) % 3, HIDDEN, (declarer + 2) % 3


class DamagedError(FormatError):
    """A file of labels that is not as it was written."""


@dataclass(frozen=True, slots=True)
class LabelWork:
    """What is to be labelled: deals of a seed in some strains."""

    seed: int
    strains: tuple[Strain, ...] = tuple(Strain)

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if not self.strains:
            raise SettingError("no strain to label: expected all, or some of C, D, H, S, NT")

    def count(self, piece: Range) -> Tricks:
        """Tricks of a range of deals: an array (deals, declarers, strains)."""
        start, stop = piece
        truth = DoubleDummy()
        result = np.zeros((stop - start, _DECLARERS, len(self.strains)), np.int8)
        for at, masks in enumerate(deal_masks(self.seed, start, stop - start).tolist()):
            for declarer in range(_DECLARERS):
                hands = [masks[column] for column in chair_columns(declarer)]
                found = truth.strains(hands, self.strains)
                result[at, declarer] = [found[strain] for strain in self.strains]
        return result

    def __str__(self) -> str:
        return f"seed {self.seed}, strains {' '.join(s.letter for s in self.strains)}"


def parse_strains(text: str) -> tuple[Strain, ...]:
    """Read strains: `all`, or some separated by commas, as in `S,NT`.

    >>> [strain.letter for strain in parse_strains("NT,c")]
    ['C', 'NT']
    """
    if text.strip().lower() == "all":
        return tuple(Strain)
    found = [parse_strain(part.strip()) for part in text.split(",")]
    if len(set(found)) < len(found):
        raise SettingError(f"a strain is named twice in {text!r}")
    return tuple(sorted(found))


@dataclass(frozen=True, eq=False)
class Labels:
    """Labelled deals of one seed, in the order of their numbers."""

    work: LabelWork
    numbers: NDArray[np.uint64]
    tricks: Tricks
    """(deals, declarers, strains of the work)."""

    def __len__(self) -> int:
        return len(self.numbers)

    def of(self, strain: Strain) -> Tricks:
        """The tricks in one strain: (deals, declarers)."""
        if strain not in self.work.strains:
            raise SettingError(f"{strain.letter} is not labelled: {self.work}")
        return self.tricks[:, :, self.work.strains.index(strain)]

    def pairs(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], Tricks]:
        """All declarers one after the other: hands, dummies, and tricks (declarers, strains)."""
        hands = self.hands
        tricks = self.tricks.reshape(-1, len(self.work.strains))
        return hands[:, :HIDDEN].reshape(-1), np.repeat(hands[:, HIDDEN], _DECLARERS), tricks

    @cached_property
    def hands(self) -> NDArray[np.uint64]:
        """The four hands of each deal as masks: (deals, 4)."""
        result = np.empty((len(self), 4), np.uint64)
        for start, stop in self.ranges:
            first = int(np.searchsorted(self.numbers, np.uint64(start)))
            result[first : first + stop - start] = deal_masks(self.work.seed, start, stop - start)
        return result

    @cached_property
    def ranges(self) -> tuple[Range, ...]:
        """The runs of numbers that follow each other."""
        found: list[Range] = []
        breaks = np.flatnonzero(np.diff(self.numbers) != 1) + 1
        for part in np.split(self.numbers, breaks):
            if len(part):
                found.append((int(part[0]), int(part[-1]) + 1))
        return tuple(found)

    def first(self, deals: int) -> Labels:
        """The first so many deals."""
        return Labels(self.work, self.numbers[:deals], self.tricks[:deals])


def digest(labels: Labels) -> str:
    """A checksum of what the columns hold, whatever the file around them."""
    digest = hashlib.sha256()
    digest.update(labels.numbers.astype("<u8").tobytes())
    digest.update(np.ascontiguousarray(labels.tricks).tobytes())
    return digest.hexdigest()


def dumps_labels(labels: Labels) -> bytes:
    """The Parquet file of some labels; the same bytes for the same labels."""
    import pyarrow
    from pyarrow import parquet

    count = len(labels)
    columns: dict[str, Any] = {
        "number": np.repeat(labels.numbers, _DECLARERS),
        "declarer": np.tile(np.arange(_DECLARERS, dtype=np.int8), count),
    }
    for at, strain in enumerate(labels.work.strains):
        columns[strain.letter] = np.ascontiguousarray(labels.tricks[:, :, at]).reshape(-1)
    head = {
        "format": FORMAT,
        "version": __version__,
        "seed": labels.work.seed,
        "strains": [strain.letter for strain in labels.work.strains],
        "start": int(labels.numbers[0]) if count else 0,
        "deals": count,
        "sha256": digest(labels),
    }
    table = pyarrow.table(columns).replace_schema_metadata({_KEY: json.dumps(head)})
    buffer = BytesIO()
    parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def loads_labels(data: bytes, source: str = "labels") -> Labels:
    """Read labels from the bytes of a Parquet file; a damaged one is refused."""
    import pyarrow
    from pyarrow import parquet

    try:
        table = parquet.read_table(BytesIO(data))
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise DamagedError(f"{source}: damaged: {_first_line(error)}") from None
    head = _head(table.schema.metadata or {}, source)
    try:
        strains = tuple(parse_strain(letter) for letter in head["strains"])
        count = int(head["deals"])
        numbers = table["number"].to_numpy().astype(np.uint64)
        declarers = table["declarer"].to_numpy()
        tricks = np.stack(
            [table[s.letter].to_numpy().astype(np.int8) for s in strains], axis=-1
        ).reshape(-1, _DECLARERS, len(strains))
        work = LabelWork(int(head["seed"]), strains)
        wanted = str(head["sha256"])
    except (OSError, ValueError, KeyError, TypeError, pyarrow.ArrowException) as error:
        raise DamagedError(f"{source}: damaged: {_first_line(error)}") from None
    labels = Labels(work, numbers[::_DECLARERS], tricks)
    in_order = np.array_equal(numbers, np.repeat(labels.numbers, _DECLARERS)) and np.array_equal(
        declarers, np.tile(np.arange(_DECLARERS), len(labels))
    )
    if len(labels) != count or not in_order or digest(labels) != wanted:
        raise DamagedError(f"{source}: damaged: its values do not match its checksum")
    return labels


def _head(metadata: dict[bytes, bytes], source: str) -> dict[str, Any]:
    """What the file says of itself; a Parquet file that is none of ours is no damaged one."""
    if _KEY not in metadata:
        raise FormatError(f"{source}: a Parquet file, but not one of labels")
    try:
        head = json.loads(metadata[_KEY])
    except ValueError as error:
        raise DamagedError(f"{source}: damaged: {error}") from None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise FormatError(f"{source}: labels of another format, not {FORMAT!r}")
    return head


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def load_labels(path: Path | str) -> Labels:
    """Read a file of labels, or all files of a folder as one table in the order of numbers."""
    path = Path(path)
    if not path.is_dir():
        return loads_labels(path.read_bytes(), str(path))
    found = [loads_labels(file.read_bytes(), str(file)) for file in label_files(path)]
    if not found:
        raise FormatError(f"{path}: no labels in it")
    return join(found, str(path))


def join(parts: Sequence[Labels], source: str = "labels") -> Labels:
    """Labels of different deals of the same work as one table; a deal given twice is refused."""
    work = parts[0].work
    for part in parts:
        if part.work != work:
            raise SettingError(f"{source}: {part.work} and {work} cannot be one table")
    ordered = sorted(parts, key=lambda part: int(part.numbers[0]) if len(part) else 0)
    numbers = np.concatenate([part.numbers for part in ordered])
    twice = np.flatnonzero(numbers[1:] <= numbers[:-1])
    if len(twice):
        raise FormatError(f"{source}: deal {numbers[twice[0] + 1]} is labelled twice")
    return Labels(work, numbers, np.concatenate([part.tricks for part in ordered]))


def load_training_labels(path: Path | str) -> Labels:
    """Read labels to fit something to; those that are kept for evaluation are refused."""
    return refuse_evaluation(load_labels(path))


def refuse_evaluation(labels: Labels) -> Labels:
    """The same labels, unless some of them are kept for evaluation."""
    kept = int((labels.numbers < EVALUATION_DEALS).sum())
    if labels.work.seed == EVALUATION_SEED and kept:
        raise SettingError(
            f"{kept:,} of these labels are for evaluation (deals 0 to {EVALUATION_DEALS - 1} of "
            f"seed {EVALUATION_SEED}) and must not be fitted to: label other deals"
        )
    return labels


def shipped() -> Labels:
    """The labelled deals that come with the package (`docs/truth.md` says how they were made)."""
    data = resources.files("tribridge.truth").joinpath("data/labels.parquet").read_bytes()
    return loads_labels(data, "labels.parquet")


def label_files(folder: Path) -> list[Path]:
    """The files of labels in a folder."""
    return sorted(folder.glob("labels-*.parquet"))
