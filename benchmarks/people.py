"""Players and other engines beside experts: what they choose in the experts' positions.

    python -m benchmarks.people draw RECORDS.jsonl --out data/experts/boards.npz
    python -m benchmarks.people ask learned --out FOLDER [BOARDS]
    python -m benchmarks.people ask program --label "sampler, 50 layouts" --out FOLDER
    python -m benchmarks.people ask program --label "BEN ..." --part 3/16 --out FOLDER
    python -m benchmarks.people play learned:seconds=1 "BEN ..." --part 3/16 --out FOLDER
    python -m benchmarks.people join --out FOLDER
    python -m benchmarks.people cost --out FOLDER [BOARDS]
    python -m benchmarks.people values --out FOLDER [BOARDS]
    python -m benchmarks.people differ --out FOLDER [BOARDS]
    python -m benchmarks.people_result FOLDER [BOARDS]

BOARDS are the thousand in `data/experts` unless another file of `tribridge train boards` or a
folder of LIN files is given; of those, the study takes a thousand for validation by the seed of its
plan.

- `ask` puts every choice of the boards, card by card in the experts' own positions, to a player.
  The file in FOLDER grows board by board; a run with the same file continues. `program` is a
  program of another kind (`TRIBRIDGE_PROGRAM`, see `examples/opponents`) and gets the auction of
  four, where the boards have it, beside the view. All seconds, those of players that search too,
  are of the processor, so that what else runs on a machine changes nothing.
- `--part 3/16` asks about every sixteenth board, from the fourth on, so that a machine with many
  cores runs sixteen of them at once, each from where the file of all boards ends; `join` makes one
  file of all parts in FOLDER, as far as no board is missing.
- `play` plays contracts out against a program, each deal on both sides, by the seed of the plan
  (`sampler` or `ben`, the first word of the label), deal by deal like `ask`, and in parts; `join`
  adds the match.
- `cost` solves every choice double dummy; `values` writes what `learned` expects of the experts'
  cards beside what was made; `differ` plays out where `learned` and the expert differ, continuing
  like `ask`.
- `draw` made the file of boards, from JSON lines with deal, contract, dealer, auction and play.

Seeds and sizes were fixed before (`people.plan.toml`).
"""

from __future__ import annotations

import json
import lzma
import os
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from itertools import count as count_from
from itertools import takewhile
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Final

import numpy as np
import typer
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.refusals import in_one_line
from tribridge.arena.work import PlayWork
from tribridge.cards.cards import STRAINS, Card, Hand
from tribridge.cli.options import Progress
from tribridge.common.errors import FormatError, RunError, SettingError
from tribridge.common.files import load_arrays, write_atomic
from tribridge.double_dummy import dds
from tribridge.game.auction import Bid
from tribridge.game.view_json import view_fields
from tribridge.game.views import View
from tribridge.lab.studies.board_games import NETWORKS, played_out, preferred
from tribridge.lab.studies.experts import CARDS, asked, chooser, lost
from tribridge.lab.studies.people import LEARNED, PLAN
from tribridge.lab.training.lin_boards import read_boards
from tribridge.networks.boards import Boards, draw, for_validation, load_boards, table_of
from tribridge.strategies.players.search import evaluation
from tribridge.strategies.program import COMMAND, ProgramStrategy, started
from tribridge.strategies.program import ask as ask_program
from tribridge.strategies.versions import player_version

BOARDS: Final = Path(__file__).parents[1] / "data" / "experts" / "boards.npz"
CHAIRS: Final = ("declarer", "left", "dummy", "right")
CALLS: Final = (
    *(f"{level}{strain}" for level in range(1, 8) for strain in ("C", "D", "H", "S", "NT")),
    "Pass", "X", "XX",
)  # fmt: skip
"""The calls of an auction of four by their numbers."""
LONGEST: Final = 60
"""Calls of an auction, at most."""
SECONDS: Final = 600.0
"""A program may take this long for a card before it counts as stuck."""
ONE_BY_ONE: Final = 20
"""Boards on which players that are asked for all boards at once are also asked card by card."""
PROGRAM: Final = "program"
MATCHED: Final = ("sampler", "ben")
"""Programs whose matches are in the plan, each with a seed of its own."""
MATCHES: Final = "matches.jsonl"
PARTS: Final = "parts"
"""Folder for what is done in parts."""
DIFFER: Final = "differ.jsonl"
AT_ONCE: Final = 25
"""Boards whose choices are played out together."""
app = typer.Typer()
Given = Annotated[Path, typer.Argument(help="A file of boards, or a folder of LIN files.")]
Out = Annotated[Path, typer.Option(help="Folder for what players chose.")]
PartOf = Annotated[str, typer.Option(help="3/16: of 16 runs at once, the fourth.")]


@dataclass(frozen=True)
class Asked:
    """The boards of the study, with the auctions of four where they are known."""

    boards: Boards
    auctions: NDArray[np.int8] | None
    """(n, 1 + LONGEST): the dealer's chair, and the numbers of the calls; then -1."""

    @property
    def digest(self) -> str:
        """Of the boards."""
        hashed = sha256()
        for column, kind in zip(self.boards.columns(), (np.uint64, np.int8, np.int8), strict=True):
            hashed.update(np.ascontiguousarray(column.astype(kind)).tobytes())
        return hashed.hexdigest()[:16]

    def auction(self, board: int) -> dict[str, Any] | None:
        """The auction of four of a board, for a program."""
        if self.auctions is None:
            return None
        dealer, *calls = self.auctions[board].tolist()
        return {"dealer": CHAIRS[dealer], "calls": [CALLS[call] for call in calls if call >= 0]}


def load(path: Path = BOARDS) -> Asked:
    """The boards of the study, of a file with auctions, or drawn from a collection."""
    if path.is_file():
        with path.open("rb") as file:
            arrays = load_arrays(file, f"{path}: not a file of boards")
        if "auction" in arrays:
            return Asked(load_boards(path), arrays["auction"])
    given = read_boards(path, typer.echo)
    held = given.take(for_validation(given))
    if len(held) < 2:
        raise SettingError(f"{path}: fewer than 2 boards are for validation")
    return Asked(draw(held, PLAN.sizes["boards"], PLAN.seeds["boards"]), None)


def board_of(boards: Boards, board: int) -> tuple[list[int], list[int], list[int]]:
    """Hands, cards and contract of a board."""
    hands, cards, contract = (column[board].tolist() for column in boards.columns())
    return hands, cards, contract


def save(given: Asked, path: Path) -> None:
    """Write boards with their auctions; the same boards give the same file."""
    assert given.auctions is not None
    buffer = BytesIO()
    np.savez_compressed(
        buffer,
        hands=given.boards.hands.astype(np.uint64),
        play=given.boards.cards.astype(np.int8),
        contract=given.boards.contract.astype(np.int8),
        auction=given.auctions,
    )
    write_atomic(path, buffer.getvalue())


@app.command("draw")
def draw_boards(
    records: Annotated[Path, typer.Argument(help="JSON lines, or such a file as .xz.")],
    out: Annotated[Path, typer.Option(help="File for the boards.")] = BOARDS,
) -> None:
    """Draw the boards of the study from records of deals for validation."""
    data = records.read_bytes()
    text = (lzma.decompress(data) if records.suffix == ".xz" else data).decode()
    rows = [_row(json.loads(line)) for line in text.splitlines()]
    hands, cards, contract, auction = (np.array(column) for column in zip(*rows, strict=True))
    boards = Boards(hands.astype(np.uint64), cards, contract)
    held = np.flatnonzero(for_validation(boards))
    if len(held) < 2:
        raise SettingError(f"{records}: fewer than 2 boards are for validation")
    order = np.random.default_rng(PLAN.seeds["boards"]).permutation(held)[: PLAN.sizes["boards"]]
    save(Asked(boards.take(order), auction[order].astype(np.int8)), out)
    print(f"{len(order)} of {len(held)} boards for validation, of {len(boards)} in all: {out}")


def _row(record: dict[str, str]) -> tuple[list[int], list[int], list[int], list[int]]:
    """Hands by chair, cards, contract and auction; the declarer is N, dummy the last hand."""
    north, left, right, dummy = (Hand(text).mask for text in record["deal"][2:].split())
    bid = Bid(record["contract"].rstrip("x"))
    cards = [Card(text).index for text in record["play"].split()]
    names = {"P": "Pass"}
    calls = [CALLS.index(names.get(text, text)) for text in record["auction"].split()]
    if len(calls) > LONGEST:
        raise FormatError(f"an auction of {len(calls)} calls: at most {LONGEST} expected")
    return (
        [north, left, dummy, right],
        [*cards, *[-1] * (52 - len(cards))],
        [bid.level, bid.strain.index, record["contract"].count("x")],
        ["NESW".index(record["dealer"]), *calls, *[-1] * (LONGEST - len(calls))],
    )


@app.command()
def ask(
    player: Annotated[str, typer.Argument(help="A player, as in learned@1, or program.")],
    out: Out,
    given: Given = BOARDS,
    label: Annotated[str, typer.Option(help="What a program is, with its version.")] = "",
    server: Annotated[int, typer.Option(help="The process that thinks for a program.")] = 0,
    count: Annotated[int, typer.Option(min=0, help="The first so many; 0: all.")] = 0,
    part: PartOf = "0/1",
) -> None:
    """Put the choices of experts to a player."""
    if (player == PROGRAM) != bool(label):
        raise SettingError("a program, and only a program, needs a --label that says what it is")
    if label and not server:
        command()
    study = load(given)
    head = {
        "player": label or player,
        "version": label or str(player_version(player)),
        "boards": study.digest,
        "plan": PLAN.digest,
    }
    first, every = part_of(part)
    name = slug(label or player)
    whole = out / f"{name}.jsonl"
    path = whole if every == 1 else out / PARTS / f"{name}.{first}-{every}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() and whole.exists():
        mine = read(whole, head)[first::every]
        write_atomic(path, "".join(json.dumps(row) + "\n" for row in (head, *mine)))
    begun = read(path, head, (first, every)) if path.exists() else []
    todo = range(first, min(count or len(study.boards), len(study.boards)), every)
    together = preferred(study.boards, player)[0] if player in NETWORKS else None
    count_processor_time()
    auction: dict[str, Any] | None = None

    def outside(seen: View, rng: Generator) -> Card:
        question = view_fields(seen) | {"seed": int(rng.integers(1 << 53))}
        return Card(ask_program(question | {"auction_of_four": auction}, SECONDS)[0])

    def spent() -> float:
        return processor(server or program_id()) if label else time.process_time()

    choose = outside if label else chooser(player)
    with Progress("boards", len(todo)) as bar, path.open("a", encoding="utf-8") as file:
        if not path.stat().st_size:
            file.write(json.dumps(head) + "\n")
        for done, board in enumerate(todo[len(begun) :], len(begun) + 1):
            row: dict[str, Any] = {"board": board}
            if together is None or board < ONE_BY_ONE:
                hands, cards, contract = board_of(study.boards, board)
                auction, before = study.auction(board), spent()
                chosen = asked(hands, cards, contract, choose, PLAN.seeds["choices"], board)
                row |= {"cards": chosen.tolist()}
                row |= {"seconds": round(spent() - before, 3)}
                assert together is None or (chosen == together[board]).all()
            else:
                row |= {"cards": together[board].tolist()}
            file.write(json.dumps(row) + "\n")
            file.flush()
            bar.update(0, done)


def count_processor_time() -> None:
    """Let the seconds of a search be those of the processor."""
    setattr(evaluation, "time", SimpleNamespace(monotonic=time.process_time))  # noqa: B010


def part_of(text: str) -> tuple[int, int]:
    """The first number of a part, and how many parts there are."""
    first, _, every = text.partition("/")
    if not (first.isdecimal() and every.isdecimal() and int(first) < int(every)):
        raise SettingError(f"cannot read --part {text!r}: expected as in 3/16")
    return int(first), int(every)


def program_id() -> int:
    """The process of the engine that is asked."""
    return started(command())[0].pid


def command() -> str:
    """How the engine that is asked is started."""
    if given := os.environ.get(COMMAND):
        return given
    raise SettingError(f"{COMMAND} is not set: it is the command of the program that is asked")


def processor(process: int) -> float:
    """Seconds of processor time that a process and its ended children have taken, on Linux."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    children = sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(~process << 3 | 2) + children


@app.command()
def play(
    player: Annotated[str, typer.Argument(help="A player, as in learned:seconds=1.")],
    label: Annotated[str, typer.Argument(help="What the program is, with its version.")],
    out: Out,
    count: Annotated[int, typer.Option(min=0, help="The first so many deals.")] = 300,
    part: PartOf = "0/1",
) -> None:
    """Play contracts out against a program, each deal on both sides."""
    engine = label.split()[0].rstrip(",").lower() if label.split() else ""
    if engine not in MATCHED:
        raise SettingError(f"the label {label!r} must begin with {' or '.join(MATCHED)}")
    command()
    head = {
        "player": player,
        "version": str(player_version(player)),
        "other": label,
        "seed": PLAN.seeds[engine],
    }
    first, every = part_of(part)
    path = out / PARTS / f"{slug(player)}.{slug(label)}.{first}-{every}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    begun = read(path, head, (first, every), "deal") if path.exists() else []
    todo = range(first, count, every)
    both: tuple[object, object] = player, ProgramStrategy(SECONDS)
    sides = [PlayWork.of([row], [column], seed=head["seed"]) for row, column in (both, both[::-1])]
    count_processor_time()
    with Progress("deals", len(todo)) as bar, path.open("a", encoding="utf-8") as file:
        if not path.stat().st_size:
            file.write(json.dumps(head) + "\n")
        for done, deal in enumerate(todo[len(begun) :], len(begun) + 1):
            before = time.process_time(), processor(program_id())
            outcomes = [next(iter(work.play(deal)))[0] for work in sides]
            for outcome in outcomes:
                if outcome.faults:
                    raise RunError(f"deal {deal}: {outcome.faults[0].message}")
            after = time.process_time(), processor(program_id())
            row = {
                "deal": deal,
                "tricks": [outcome.tricks for outcome in outcomes],
                "seconds": [round(now - then, 3) for now, then in zip(after, before, strict=True)],
            }
            file.write(json.dumps(row) + "\n")
            file.flush()
            bar.update(0, done)


@app.command()
def join(out: Out) -> None:
    """Join what was done in parts, as far as no board or deal is missing."""
    parts = defaultdict[str, list[dict[str, Any]]](list)
    for path in sorted((out / PARTS).glob("*.jsonl")):
        if rows := list(lines_of(path)):  # else it was stopped before its first board
            parts[json.dumps(rows[0])] += rows[1:]
    if not parts:
        raise SettingError(f"{out / PARTS}: nothing was done in parts")
    written = set[Path]()
    for text, rows in parts.items():
        head = json.loads(text)
        if "other" in head:
            deals = _joined_match(out, head, _without_gaps(rows, "deal"))
            print(f"{head['player']}, {head['other']}: {deals} deals")
            continue
        path = out / f"{slug(head['player'])}.jsonl"
        if path in written:
            raise FormatError(f"{out / PARTS}: {head['player']} in more than one version")
        written.add(path)
        whole = _without_gaps([*(read(path, head) if path.exists() else []), *rows], "board")
        write_atomic(path, "".join(json.dumps(line) + "\n" for line in [head, *whole]))
        print(f"{head['player']}: {len(whole)} boards")


def _without_gaps(rows: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """Rows by their numbers, from 0 up to the first that is missing."""
    found = {row[key]: row for row in rows}
    return [found[at] for at in takewhile(found.__contains__, count_from(0))]


def _joined_match(out: Path, head: dict[str, Any], rows: list[dict[str, Any]]) -> int:
    """Write a match in place of an earlier one of the same two."""
    path = out / MATCHES
    others = [
        row
        for row in (lines_of(path) if path.exists() else ())
        if (row["player"], row["other"]) != (head["player"], head["other"])
    ]
    won = [row["tricks"][0] - row["tricks"][1] for row in rows]
    match = head | {"deals": list(range(len(rows))), "won": won}
    write_atomic(path, "".join(json.dumps(row) + "\n" for row in [*others, match]))
    return len(rows)


def slug(label: str) -> str:
    """A label as the name of a file."""
    return "".join(letter if letter.isalnum() or letter in ".@-" else "_" for letter in label)


def read(
    path: Path, head: dict[str, Any], part: tuple[int, int] = (0, 1), number: str = "board"
) -> list[dict[str, Any]]:
    """The boards in a file that was begun with the same boards, plan and version."""
    rows = list(lines_of(path))
    if not rows:
        return []
    for key, value in head.items():
        if rows[0].get(key) != value:
            found = rows[0].get(key)
            raise FormatError(f"{path}: begun with the {key} {found}, and this is {value}")
    first, every = part
    if [row.get(number) for row in rows[1:]] != [first + every * at for at in range(len(rows) - 1)]:
        raise FormatError(f"{path}: not what a player chose, board by board")
    return rows[1:]


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a file; one that was cut off ends it."""
    for line in path.read_text("utf-8").splitlines(keepends=True):
        try:
            value = json.loads(line)
        except ValueError:
            raise FormatError(f"{path}: a line is cut off; delete it to continue") from None
        if not isinstance(value, dict):
            raise FormatError(f"{path}: not what a player chose, board by board")
        yield value


@app.command()
def cost(out: Out, given: Given = BOARDS) -> None:
    """Solve every choice double dummy."""
    study = load(given)
    out.mkdir(parents=True, exist_ok=True)
    prices = []
    with Progress("boards", len(study.boards)) as bar:
        for board in range(len(study.boards)):
            hands, cards, contract = board_of(study.boards, board)
            prices.append(lost(hands, cards, STRAINS[contract[1]]))
            bar.update(0, board + 1)
    buffer = BytesIO()
    np.savez_compressed(buffer, lost=np.stack(prices), boards=study.digest)
    write_atomic(out / "cost.npz", buffer.getvalue())


@app.command()
def values(out: Out, given: Given = BOARDS) -> None:
    """What `learned` expects of the experts' cards, and what was made."""
    study = load(given)
    boards = study.boards
    _, expected = preferred(boards)
    made = [made_on(*board_of(boards, board)) for board in range(len(boards))]
    buffer = BytesIO()
    np.savez_compressed(
        buffer,
        expected=expected.astype(np.float16),
        made=np.array(made, np.int8),
        boards=study.digest,
        player=str(player_version(LEARNED)),
    )
    out.mkdir(parents=True, exist_ok=True)
    write_atomic(out / "values.npz", buffer.getvalue())


@app.command()
def differ(
    out: Out,
    given: Given = BOARDS,
    count: Annotated[int, typer.Option(min=0, help="The first so many; 0: all.")] = 0,
) -> None:
    """Play out the choices in which `learned` and the expert differ."""
    study = load(given)
    head = {
        "player": LEARNED,
        "version": str(player_version(LEARNED)),
        "boards": study.digest,
        "plan": PLAN.digest,
    }
    chosen = np.array([row["cards"] for row in read(out / f"{LEARNED}.jsonl", head)], np.int8)
    path = out / DIFFER
    begun = len(read(path, head)) if path.exists() else 0
    total = min(count or len(chosen), len(chosen))
    with Progress("boards", total) as bar, path.open("a", encoding="utf-8") as file:
        if not path.stat().st_size:
            file.write(json.dumps(head) + "\n")
        for start in range(begun, total, AT_ONCE):
            part = study.boards.take(slice(start, min(start + AT_ONCE, total)))
            mine, theirs = chosen[start : start + len(part)], part.cards[:, :CARDS]
            rows, numbers = np.nonzero((mine >= 0) & (mine != theirs))
            cards = np.r_[mine[rows, numbers], theirs[rows, numbers]].astype(np.int64)
            tricks = played_out(part, np.tile(rows, 2), np.tile(numbers, 2), cards)
            both = tricks.reshape(2, -1).T
            for at in range(len(part)):
                row = {"board": start + at, "numbers": numbers[rows == at].tolist()}
                file.write(json.dumps(row | {"tricks": both[rows == at].tolist()}) + "\n")
            file.flush()
            bar.update(0, start + len(part))


def made_on(hands: Sequence[int], cards: Sequence[int], contract: Sequence[int]) -> int:
    """Declarer's tricks on a board, solved double dummy from where it was claimed."""
    table = table_of(hands, contract)
    for index in cards:
        if index >= 0:
            table = table.apply_unchecked(Card(int(index)))
    position = table.position
    assert position is not None
    if table.over:
        return position.won
    strain = STRAINS[contract[1]]
    return position.won + dds.tricks(position.hands, strain, position.leader, position.trick)


if __name__ == "__main__":
    in_one_line(app)
