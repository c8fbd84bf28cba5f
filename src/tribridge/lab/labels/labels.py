"""Labels: the dealer's deals with their double-dummy tricks, in Parquet files.

Each of the three players of a deal can declare with the hidden hand as dummy (chairs in the order
declarer, left, hidden hand, right; the left defender leads). A set of labels has all three
declarers of every deal, or one: the player with seat number (deal number mod 3). Deals are
identified by seed and number, so a file contains no cards. One row per deal and declarer:

| column | type | holds |
| --- | --- | --- |
| `number` | uint64 | the deal's number |
| `declarer` | int8 | 0 North, 1 East, 2 South |
| `C` `D` `H` `S` `NT` | int8 | tricks of declarer's side, one column per strain |

The schema's metadata has one entry `tribridge`, a JSON object: format, version, seed, strains,
start, deals, and `sha256` of the values, to detect damaged files. Format 1 has all three declarers;
format 2 adds an entry `declarers`, so that a reader of format 1 rejects such a file instead of
calling it damaged; format 3 has an entry `built`, for deals from `built_deals`; format 4 has
an entry `player`: its tricks are not double dummy, but what that strategy takes when it plays all
four hands (`training.real_play`).

`labelling` writes a folder of such files; `load_labels` reads one file or a whole folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from tribridge import __version__
from tribridge.cards.cards import Strain
from tribridge.cards.dealer import check_seed
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.common.errors import FormatError, NotFoundError, SettingError, first_line
from tribridge.common.files import dumps_table, loads_table
from tribridge.common.parallel import Range
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.lab.labels.built_deals import HELD_OUT, built_masks

Declarers = Literal["all", "one"]
"""Which players of a deal are labelled as declarer: all three, or the seat (deal number mod 3)."""

EVALUATION_SEED: Final = 2026
EVALUATION_DEALS: Final = 3000
"""Deals 0 to 2,999 of seed 2026 are for evaluation only: nothing may be fitted to them."""

_KEY: Final = b"tribridge"
_FORMATS: Final[dict[Declarers, str]] = {"all": "tribridge labels 1", "one": "tribridge labels 2"}
_BUILT_FORMAT: Final = "tribridge labels 3"
_PLAYED_FORMAT: Final = "tribridge labels 4"

Tricks = NDArray[np.int8]


def chair_columns(declarer: int) -> tuple[int, int, int, int]:
    """Which hands of a deal are in the four chairs when a player declares with the hidden hand."""
    return declarer, (declarer + 1) % 3, HIDDEN, (declarer + 2) % 3


class DamagedError(FormatError):
    """A label file that is not as it was written."""


@dataclass(frozen=True, slots=True)
class LabelWork:
    """What to label: deals of a seed in some strains, with all declarers or one."""

    seed: int
    strains: tuple[Strain, ...] = tuple(Strain)
    declarers: Declarers = "all"
    built: bool = False
    """Whether the deals are built ones, with extreme hands, instead of the dealer's."""
    player: str = ""
    """The strategy that plays the deals out, with its version and the hash of its weights; empty:
    they are solved double dummy."""

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if not self.strains:
            raise SettingError("no strains given: expected all, or some of C, D, H, S, NT")
        parse_declarers(self.declarers)
        if self.built and self.declarers != "one":
            raise SettingError("built deals have only one declarer: use --declarers one")

    @property
    def format(self) -> str:
        """The format of a file for this work."""
        if self.player:
            return _PLAYED_FORMAT
        return _BUILT_FORMAT if self.built else _FORMATS[self.declarers]

    def masks(self, start: int, count: int) -> NDArray[np.uint64]:
        """The four hands of each deal: (count, 4)."""
        return (built_masks if self.built else deal_masks)(self.seed, start, count)

    def seats(self, numbers: NDArray[np.uint64]) -> NDArray[np.int8]:
        """The seats that declare: (deals, declarers)."""
        if self.declarers == "one":
            return (numbers % np.uint64(len(Seat))).astype(np.int8)[:, None]
        return np.tile(np.arange(len(Seat), dtype=np.int8), (len(numbers), 1))

    def chairs(self, numbers: NDArray[np.uint64], masks: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The hands of each deal and declarer, by chair: (deals * declarers, 4)."""
        order = np.array([chair_columns(seat.index) for seat in Seat])[self.seats(numbers)]
        return np.take_along_axis(masks[:, None], order, axis=2).reshape(-1, 4)

    def run(self, piece: Range) -> Tricks:
        """The double-dummy tricks in a range of deals: an array (deals, declarers, strains)."""
        if self.player:
            raise SettingError(f"{self}: cannot be solved double dummy")
        start, stop = piece
        truth = DoubleDummy()
        seats = self.seats(np.arange(stop - start, dtype=np.uint64) + np.uint64(start))
        result = np.zeros((*seats.shape, len(self.strains)), np.int8)
        for at, masks in enumerate(self.masks(start, stop - start).tolist()):
            for place, declarer in enumerate(seats[at].tolist()):
                hands = [masks[column] for column in chair_columns(declarer)]
                tricks = truth.strains(hands, self.strains)
                result[at, place] = [tricks[strain] for strain in self.strains]
        return result

    def __str__(self) -> str:
        strains = " ".join(strain.letter for strain in self.strains)
        single = ", one declarer per deal" if self.declarers == "one" else ""
        deals = "built deals of " if self.built else ""
        played = f", played by {self.player}" if self.player else ""
        return f"{deals}seed {self.seed}, strains {strains}{single}{played}"


def parse_strains(text: str) -> tuple[Strain, ...]:
    """Read strains: `all`, or some separated by commas, as in `S,NT`.

    >>> [strain.letter for strain in parse_strains("NT,c")]
    ['C', 'NT']
    """
    if text.strip().lower() == "all":
        return tuple(Strain)
    strains = [Strain(part.strip()) for part in text.split(",")]
    if len(set(strains)) < len(strains):
        raise SettingError(f"a strain is named twice in {text!r}")
    return tuple(sorted(strains))


def parse_declarers(text: str) -> Declarers:
    """Check the choice of declarers: `all` three of each deal, or `one`."""
    if text not in get_args(Declarers):
        raise SettingError(f"unknown declarers {text!r}: expected all or one")
    return cast(Declarers, text)


@dataclass(frozen=True, eq=False)
class Labels:
    """Labelled deals of one seed, in order of their numbers."""

    work: LabelWork
    numbers: NDArray[np.uint64]
    tricks: Tricks
    """(deals, declarers of the work, strains of the work)."""

    def __len__(self) -> int:
        return len(self.numbers)

    def of(self, strain: Strain) -> Tricks:
        """The tricks in one strain: (deals, declarers)."""
        if strain not in self.work.strains:
            raise NotFoundError(f"{strain.letter} is not labelled: {self.work}")
        return self.tricks[:, :, self.work.strains.index(strain)]

    def pairs(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], Tricks]:
        """All declarers in sequence: hands, dummies, and tricks (declarers, strains)."""
        tricks = self.tricks.reshape(-1, len(self.work.strains))
        dummies = np.repeat(self.hands[:, HIDDEN], self.seats.shape[1])
        return self.own_hands.reshape(-1), dummies, tricks

    def defenders(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], Tricks]:
        """All declarers in sequence: the left and right defenders' hands, and declarer's tricks."""
        hands = self.work.chairs(self.numbers, self.hands)
        return hands[:, 1], hands[:, 3], self.tricks.reshape(-1, len(self.work.strains))

    @cached_property
    def seats(self) -> NDArray[np.int8]:
        """The seats that declare: (deals, declarers)."""
        return self.work.seats(self.numbers)

    @property
    def own_hands(self) -> NDArray[np.uint64]:
        """The declarers' own hands as masks: (deals, declarers)."""
        return np.take_along_axis(self.hands, self.seats.astype(np.intp), axis=1)

    @property
    def title(self) -> str:
        """A description: `3,000 labelled deals of seed 2026, ...`."""
        declarers = "one declarer each" if self.work.declarers == "one" else "three declarers each"
        kind = "built deals" if self.work.built else "deals"
        player = self.work.player
        done = f"{kind} played by {player}" if player else f"labelled {kind}"
        return f"{len(self):,} {done} of seed {self.work.seed}, {declarers}"

    @cached_property
    def hands(self) -> NDArray[np.uint64]:
        """The four hands of each deal as masks: (deals, 4)."""
        result = np.empty((len(self), 4), np.uint64)
        for start, stop in self.ranges:
            first = int(np.searchsorted(self.numbers, np.uint64(start)))
            result[first : first + stop - start] = self.work.masks(start, stop - start)
        return result

    @cached_property
    def ranges(self) -> tuple[Range, ...]:
        """The ranges of consecutive deal numbers."""
        ranges: list[Range] = []
        breaks = np.flatnonzero(np.diff(self.numbers) != 1) + 1
        for part in np.split(self.numbers, breaks):
            if len(part):
                ranges.append((int(part[0]), int(part[-1]) + 1))
        return tuple(ranges)

    def first(self, deals: int) -> Labels:
        """The first `deals` deals."""
        return Labels(self.work, self.numbers[:deals], self.tricks[:deals])

    def one_declarer(self) -> Labels:
        """The same deals with one declarer each."""
        work = replace(self.work, declarers="one")
        if work == self.work:
            return self
        seats = work.seats(self.numbers).astype(np.intp)[..., None]
        return Labels(work, self.numbers, np.take_along_axis(self.tricks, seats, axis=1))


def digest(labels: Labels) -> str:
    """A checksum of the columns' values, independent of the file around them."""
    digest = hashlib.sha256()
    digest.update(labels.numbers.astype("<u8").tobytes())
    digest.update(np.ascontiguousarray(labels.tricks).tobytes())
    return digest.hexdigest()


def dumps_labels(labels: Labels) -> bytes:
    """Labels as a Parquet file; the same labels give the same bytes."""
    count = len(labels)
    columns: dict[str, Any] = {
        "number": np.repeat(labels.numbers, labels.seats.shape[1]),
        "declarer": labels.seats.reshape(-1),
    }
    for at, strain in enumerate(labels.work.strains):
        columns[strain.letter] = np.ascontiguousarray(labels.tricks[:, :, at]).reshape(-1)
    head = {
        "format": labels.work.format,
        "version": __version__,
        "seed": labels.work.seed,
        "strains": [strain.letter for strain in labels.work.strains],
        "start": int(labels.numbers[0]) if count else 0,
        "deals": count,
        "sha256": digest(labels),
    }
    usual = LabelWork(labels.work.seed)
    for name in ("declarers", "built", "player"):
        if (value := getattr(labels.work, name)) != getattr(usual, name):
            head[name] = value
    return dumps_table(columns, {_KEY: json.dumps(head).encode()}, compression="zstd")


def loads_labels(data: bytes, source: str = "labels") -> Labels:
    """Read labels from the bytes of a Parquet file; an error if they are damaged."""
    try:
        columns, metadata = loads_table(data)
    except FormatError as error:
        raise DamagedError(f"{source}: damaged: {error}") from None
    head = _head(metadata, source)
    try:
        strains = tuple(Strain(letter) for letter in head["strains"])
        count = int(head["deals"])
        numbers = _column(columns, "number", np.dtype(np.uint64))
        declarers = _column(columns, "declarer", np.dtype(np.int8))
        declared = head.get("declarers", "all")
        built, player = bool(head.get("built", False)), str(head.get("player", ""))
        work = LabelWork(int(head["seed"]), strains, declared, built, player)
        width = len(Seat) if work.declarers == "all" else 1
        tricks = np.stack(
            [_column(columns, s.letter, np.dtype(np.int8)) for s in strains], axis=-1
        ).reshape(-1, width, len(strains))
        wanted = str(head["sha256"])
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedError(f"{source}: damaged: {first_line(error)}") from None
    labels = Labels(work, numbers[::width], tricks)
    in_order = np.array_equal(numbers, np.repeat(labels.numbers, width)) and np.array_equal(
        declarers, labels.seats.reshape(-1)
    )
    whole = len(labels) == count and work.format == head["format"]
    if not whole or not in_order or digest(labels) != wanted:
        raise DamagedError(f"{source}: damaged: its values do not match its checksum")
    return labels


def _column(columns: dict[str, NDArray[Any]], name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    """A column with the type it was written with; missing values would make it floating point."""
    values = columns[name]
    if values.dtype != dtype:
        raise ValueError(f"column {name} holds {values.dtype}, not {dtype}")
    return values


def _head(metadata: dict[bytes, bytes], source: str) -> dict[str, Any]:
    """The file's own metadata; a Parquet file of another kind is not reported as damaged."""
    if _KEY not in metadata:
        raise FormatError(f"{source}: a Parquet file, but not a label file")
    try:
        head = json.loads(metadata[_KEY])
    except ValueError as error:
        raise DamagedError(f"{source}: damaged: {error}") from None
    formats = (*_FORMATS.values(), _BUILT_FORMAT, _PLAYED_FORMAT)
    if not isinstance(head, dict) or head.get("format") not in formats:
        expected = " or ".join(repr(name) for name in formats)
        raise FormatError(f"{source}: unknown label format: expected {expected}")
    return head


def load_labels(path: Path | str) -> Labels:
    """Read a label file, or all files of a folder as one table in order of deal numbers."""
    path = Path(path)
    if not path.is_dir():
        return loads_labels(path.read_bytes(), str(path))
    parts = [loads_labels(file.read_bytes(), str(file)) for file in label_files(path)]
    if not parts:
        raise FormatError(f"{path}: contains no label files")
    return join(parts, str(path))


def join(parts: Sequence[Labels], source: str = "labels") -> Labels:
    """Labels of different deals of the same work as one table; no deal may occur twice."""
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
    """Read labels for fitting; those reserved for evaluation are rejected."""
    return refuse_evaluation(load_labels(path))


def refuse_evaluation(labels: Labels) -> Labels:
    """Return the labels; raise if some of them are reserved for evaluation."""
    if labels.work.built:
        reserved = int((labels.numbers >= HELD_OUT).sum())
        if reserved:
            raise SettingError(
                f"{reserved:,} of these labels are for evaluation (built deals from number "
                f"{HELD_OUT}) and must not be fitted to: label other deals"
            )
        return labels
    reserved = int((labels.numbers < EVALUATION_DEALS).sum())
    if labels.work.seed == EVALUATION_SEED and reserved:
        raise SettingError(
            f"{reserved:,} of these labels are for evaluation (deals 0 to {EVALUATION_DEALS - 1} "
            f"of seed {EVALUATION_SEED}) and must not be fitted to: label other deals"
        )
    return labels


def shipped() -> Labels:
    """The labelled deals shipped with the package (`docs/explanation/double-dummy.md`)."""
    return _shipped("labels.parquet")


def shipped_played() -> Labels:
    """The same deals as played by the strategy `learned`."""
    return _shipped("played.parquet")


def _shipped(name: str) -> Labels:
    data = resources.files("tribridge.lab.labels").joinpath(f"data/{name}").read_bytes()
    return loads_labels(data, name)


def label_files(folder: Path) -> list[Path]:
    """The label files in a folder."""
    return sorted(folder.glob("labels-*.parquet"))
