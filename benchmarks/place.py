"""What a place in the order of calling is worth, and what the hidden hand is to whoever knows it.

    python -m benchmarks.place games --folder FOLDER [--device cuda] [--share 1.0]

The plan is `studies/place.plan.toml`. `games` plays the games on the full deck
(`training.whole_games`) batch by batch. It needs NumPy alone, or PyTorch for a device. A run with
the same folder goes on where it stopped; batches of another plan or other networks are refused.
With a smaller `--share` it plays that share of the deals of each part.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.refusals import in_one_line
from tribridge.common.arrays import fetch, namespace
from tribridge.common.errors import FormatError, NotFoundError
from tribridge.common.files import load_arrays, write_atomic
from tribridge.game.scoring import find_scheme
from tribridge.lab.studies.plans import read_numbers
from tribridge.lab.training.whole_games import (
    CPU,
    Outcomes,
    Search,
    Table,
    deals,
    shown_cards,
)
from tribridge.networks.auction import NOBODY, SEATS, seat_hands
from tribridge.strategies.learned.releases import CALLER, PLAYER
from tribridge.strategies.versions import commit

SCHEMES: Final = ("auction", "contract")
SHOWN: Final = (0, 1, 3, 6, 13)
"""How many cards of the hidden hand a player knows."""
HEAD: Final = "head.json"
I64 = NDArray[np.int64]
Arrays = dict[str, NDArray[Any]]


class Part(NamedTuple):
    """Some of the games: how many deals a batch has, and what plays one."""

    scheme: str
    kind: str
    batch: int
    play: Callable[[Table, I64, int, int], Arrays]

    def batch_name(self, batch: int, count: int) -> str:
        """The name of the file of a batch."""
        return f"{self.kind}-{self.scheme}-{batch:03}-{count}"


def places(table: Table, hands: I64, seed: int, batch: int) -> Arrays:
    """Three learned players, each of the three dealing: (3, n) outcomes."""
    return {"outcomes": np.stack([_plain(table, hands[:, turn]) for turn in TURNS])}


TURNS: Final = ([0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3])
"""The hands from the dealer on, if each player deals."""


def _plain(table: Table, hands: I64, search: Search | None = None) -> NDArray[np.uint16]:
    return table.outcomes(table.bid(hands, search), hands).packed()


def hidden(table: Table, hands: I64, seed: int, batch: int) -> Arrays:
    """One player in turn searches and knows some cards of the hidden hand: (arms, n) outcomes."""
    seats = np.arange(len(hands)) % SEATS
    arms = [
        _plain(
            table, hands, _search(seats, shown_cards(hands[:, 3], count, seed, batch), seed, batch)
        )
        for count in SHOWN
    ]
    return {"network": _plain(table, hands), "outcomes": np.stack(arms)}


def opened(table: Table, hands: I64, seed: int, batch: int) -> Arrays:
    """All players search, without and with the hidden hand face up: (2, n) outcomes."""
    seats = np.full(len(hands), NOBODY)
    arms = [
        _plain(
            table, hands, _search(seats, shown_cards(hands[:, 3], count, seed, batch), seed, batch)
        )
        for count in (0, 13)
    ]
    return {"outcomes": np.stack(arms)}


def four(table: Table, hands: I64, seed: int, batch: int) -> Arrays:
    """Three and four bidders who look at their own hands: (2, n) outcomes."""
    arms, every = [], np.arange(4)
    for seats in (3, 4):
        bidder, standing = table.bid_alone(hands, seats)
        who = fetch(bidder).clip(min=0)
        order = (who[:, None] + every) % 4
        chairs = seat_hands(hands, who) if seats == 3 else np.take_along_axis(hands, order, 1)
        won = table.play(table.set_contracts(chairs, standing))
        arms.append(Outcomes(bidder & 3, standing, won).packed())
    return {"outcomes": np.stack(arms)}


def _search(seats: I64, known: I64, seed: int, batch: int) -> Search:
    sizes = plan_numbers()["sizes"]
    return Search(seats, known, (seed, batch, 2), sizes["layouts"], sizes["calls"])


def plan_numbers() -> dict[str, Any]:
    """Seeds, sizes and digest of the plan."""
    return read_numbers("place")


PARTS: Final = (
    *(Part(scheme, "games", 16_384, places) for scheme in SCHEMES),
    *(Part(scheme, "four", 16_384, four) for scheme in SCHEMES),
    *(Part(scheme, "hidden", 4096, hidden) for scheme in reversed(SCHEMES)),
    Part("contract", "open", 1024, opened),
)


@dataclass(frozen=True, slots=True)
class Folder:
    """The batches of a run, and what they must agree in to be of one."""

    path: Path
    head: dict[str, str]

    def begin(self) -> dict[str, str]:
        """Begin a run, or go on with one of the same plan and networks."""
        self.path.mkdir(parents=True, exist_ok=True)
        path = self.path / HEAD
        if not path.exists():
            write_atomic(path, json.dumps({**self.head, "commit": commit()}, indent=1) + "\n")
        try:
            begun: dict[str, str] = json.loads(path.read_text("utf-8"))
        except ValueError:
            raise FormatError(f"{path}: not the head of a run") from None
        for key, value in self.head.items():
            if begun.get(key) != value:
                raise FormatError(
                    f"{self.path}: begun with the {key} {begun.get(key)}, and this is {value}: "
                    "use another folder"
                )
        return begun

    def begun(self) -> dict[str, str]:
        """What a run was begun with; nothing is begun here."""
        if not (self.path / HEAD).exists():
            raise NotFoundError(f"{self.path}: no run was begun there")
        return self.begin()

    def has(self, name: str) -> bool:
        """Whether a batch is there."""
        return (self.path / f"{name}.npz").exists()

    def add(self, name: str, arrays: Arrays) -> None:
        """Write a batch, whole or not at all."""
        path = self.path / f"{name}.npz"
        with (temporary := path.with_suffix(".part")).open("wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        temporary.replace(path)

    def load(self, name: str) -> Arrays:
        """A batch."""
        path = self.path / f"{name}.npz"
        try:
            with path.open("rb") as file:
                return load_arrays(file, f"{path}: not a batch of a run")
        except FileNotFoundError:
            raise NotFoundError(
                f"{self.path}: the batch {name} is missing: play it first"
            ) from None


def folder_of(path: Path) -> Folder:
    """The folder of a run of this plan and these networks."""
    return Folder(
        path,
        {
            "plan": plan_numbers()["digest"],
            "caller": f"learned@{CALLER.version} ({CALLER.files[0][2]})",
            "player": f"learned@{PLAYER.version} ({PLAYER.digest}), its network alone",
        },
    )


def batches(part: Part, share: float = 1.0) -> Iterator[tuple[int, int]]:
    """The number and the deals of each batch, of the first ones alone if a share is wanted."""
    total = max(1, round(plan_numbers()["sizes"][part.kind] * share))
    for batch, begin in enumerate(range(0, total, part.batch)):
        yield batch, min(part.batch, total - begin)


def games(folder: Path, device: str, share: float, say: Callable[[str], None]) -> None:
    """Play all batches that a folder does not have."""
    run = folder_of(folder)
    run.begin()
    place: Any = CPU if device == CPU else namespace(None).device(device)
    for part in PARTS:
        seed, table = plan_numbers()["seeds"][part.kind], None
        for batch, count in batches(part, share):
            if run.has(name := part.batch_name(batch, count)):
                continue
            table = table or Table(find_scheme(part.scheme), place)
            begun = time.monotonic()
            run.add(name, part.play(table, deals(seed, batch, count), seed, batch))
            say(f"{name}: {time.monotonic() - begun:.1f} s")


def run_on_a_device(
    run: Callable[[Path, str, float, Callable[[str], None]], None], description: str
) -> None:
    """The command of a program whose batches are played on a device, into a folder."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("what", choices=(run.__name__,))
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--device", default=CPU)
    parser.add_argument("--share", type=float, default=1.0)
    options = parser.parse_args()

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    if not 0 < options.share <= 1:
        parser.error("--share must be greater than 0 and at most 1")
    in_one_line(lambda: run(options.folder, options.device, options.share, say))


if __name__ == "__main__":
    run_on_a_device(games, "The price of a place and of the hidden hand.")
