"""What the cards played tell of hidden hands: models of the play, on boards of experts.

    python -m benchmarks.play_beliefs gather [BOARDS] --out FOLDER [--count 1000] [--processes 2]
    python -m benchmarks.play_beliefs fit FOLDER
    python -m benchmarks.play_beliefs score FOLDER [--result FILE]
    python -m benchmarks.play_beliefs ask PLAYER PLAYER... --out FOLDER

Declarer and both defenders are followed in the experts' own positions. In each of some tricks (from
the lead on, and after 4, 8, 16 and 24 cards) a player's first choice is taken. There the true
layout is put among others that fit the view, drawn uniformly, so that nothing but the play tells it
from them. A model gives each of them a weight, and is scored by the share of the true one: bits
saved are log2 of that share over the uniform one (0: no better than hard evidence; at most log2 of
the number of layouts). It is a proper score. The chance of the holder of each unseen card is scored
too, by the layouts without the true one.

`gather` writes a file for each board, with the logarithms of what each part of a model says, and
goes on where it was stopped. `--training` takes boards that are not for validation (the others are
refused there), `fit` finds the powers of the parts on them, and `score` compares models on boards
for validation, the thousand of `data/experts` unless a file of `tribridge train boards` is given.

`ask` puts every choice of these thousand boards to players, as `benchmarks.people` does, and counts
what they lose double dummy: one player after the other on each board, so that they can be compared
on however many boards there was time for. Seconds are of the processor. It needs endplay.

Nothing but NumPy is needed otherwise, and `--part 3/16` does every sixteenth board, from the
fourth on: so a machine with many cores runs sixteen of them at once.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge import beliefs
from tribridge.beliefs.models import playable
from tribridge.beliefs.posterior import cards_played
from tribridge.cards.cards import Card
from tribridge.cards.masks import popcount
from tribridge.common.errors import FormatError, SettingError
from tribridge.common.files import write_atomic
from tribridge.game.table import Table
from tribridge.game.tricks import Chair
from tribridge.game.views import View, view
from tribridge.lab.studies.experts import asked, chooser
from tribridge.networks.boards import Boards, draw, for_validation, load_boards, table_of
from tribridge.networks.play import observe, steps_of
from tribridge.strategies import human
from tribridge.strategies.human.plays import HumanPlays
from tribridge.strategies.learned.player import heads
from tribridge.strategies.learned.search import PLAYED_BY, Powers, hidden_hands, likelihood, replay
from tribridge.strategies.players.search import evaluation
from tribridge.strategies.versions import player_version

F64 = NDArray[np.float64]
BOARDS: Final = Path(__file__).parents[1] / "data" / "experts" / "boards.npz"
SEED: Final = 4805
CHOICES: Final = 4802
"""The seed of the choices, as in the study `people`."""
LAYOUTS: Final = 255
"""Layouts beside the true one."""
STAGES: Final = {1: range(1, 4), **{first: range(first, first + 4) for first in (4, 8, 16, 24)}}
"""For each number of cards played, the cards at which a player's first choice is taken."""
VIEWERS: Final = ("declarer", "left", "right")
FLOORS: Final = (0.1, 0.02)
"""Shares of plays that are taken to be random, for `human`."""
PARTS: Final = (
    "belief of learned",
    "belief of human",
    "small, partner",
    "small, others",
    *(f"human, {who}, floor {floor:g}" for floor in FLOORS for who in ("partner", "others")),
)
"""What is known of each layout, as logarithms."""


def viewer(chair: Chair) -> int:
    """The number of the viewer who plays from a chair; declarer plays for dummy."""
    return (0, 1, 0, 2)[chair]


class Moment(NamedTuple):
    """A choice of an expert."""

    stage: int
    viewer: int
    table: Table


def moments(hands: Sequence[int], cards: Sequence[int], contract: Sequence[int]) -> list[Moment]:
    """The first choice of each viewer in each stage of a board."""
    table, found = table_of(hands, contract), dict[tuple[int, int], Moment]()
    for number, index in enumerate(cards):
        if index < 0:
            break
        position = table.position
        assert position is not None
        for stage, span in STAGES.items():
            who = viewer(position.chair)
            if number in span and len(table.legal) > 1 and (stage, who) not in found:
                found[stage, who] = Moment(stage, who, table)
        table = table.apply_unchecked(Card(int(index)))
    return list(found.values())


def parts_of(seen: View, dealt: NDArray[np.uint64]) -> F64:
    """What is known of each layout: (layouts, PARTS)."""
    left = beliefs.chairs(seen, dealt).astype(np.int64)
    observation = observe(seen)
    columns = [
        np.log(likelihood(seen, belief, left))
        for belief in (heads(observation, steps_of(seen))[1], human.heads(seen)[1])
    ]
    for powers in (Powers(1, 1, 0), Powers(1, 0, 1)):
        played_by = replace(PLAYED_BY["itself"], declaring=powers, defending=powers)
        columns.append(replay(played_by, seen, observation.numbers, left)[1])
    plays = {(floor, own): np.zeros(len(dealt)) for floor in FLOORS for own in (True, False)}
    own, model = seen.own_chair, HumanPlays()
    assert own is not None
    assert seen.seat is not None
    for hand, position, card in cards_played(seen):
        if hand == seen.seat.index:
            continue
        partner = own != Chair.DECLARER and position.chair % 2 == 1
        held = dealt[:, hand] & np.uint64(position.hidden)
        chance, blind = (
            model.likelihood(held, position, card),
            1 / popcount(playable(held, position)),
        )
        for floor in FLOORS:
            plays[floor, partner] += np.log((1 - floor) * chance + floor * blind)
    return np.stack([*columns, *plays.values()], 1)


def gathered(boards: Boards, layouts: int, seed: int, board: int) -> dict[str, NDArray[Any]]:
    """The choices of a board: where, the parts of each layout, and the near hidden hand in each."""
    rng = np.random.default_rng([seed, board])
    where, parts, near, loose = [], [], [], []
    hands, cards, contract = (column[board].tolist() for column in boards.columns())
    for stage, who, table in moments(hands, cards, contract):
        turn, position = table.turn, table.position
        assert turn is not None
        assert position is not None
        seen = view(table, turn)
        drawn = beliefs.layouts_of(seen).sample(layouts, rng)
        true = np.array([[hand.mask for hand in table.deal.hands]], np.uint64)
        dealt = np.concatenate([true, drawn])
        assert position.chair is not None
        hidden = hidden_hands(position.chair)[0]
        near.append(beliefs.chairs(seen, dealt)[:, hidden])
        where.append((stage, who))
        parts.append(parts_of(seen, dealt).astype(np.float32))
        loose.append(beliefs.evidence_of(seen).loose)
    return {
        "where": np.array(where, np.int8).reshape(-1, 2),
        "parts": np.array(parts, np.float32).reshape(-1, layouts + 1, len(PARTS)),
        "near": np.array(near, np.uint64).reshape(-1, layouts + 1),
        "loose": np.array(loose, np.uint64),
    }


def gather(
    given: Path, out: Path, count: int, layouts: int, part: tuple[int, int], training: bool
) -> None:
    """Follow boards and write what each part of a model says of layouts."""
    boards = load_boards(given)
    boards = boards.take(np.flatnonzero(for_validation(boards) != training))
    if not len(boards):
        raise SettingError(f"{given}: no board is for {'training' if training else 'validation'}")
    if len(boards) > count:
        boards = draw(boards, count, SEED)
    hashed = sha256()
    for column, kind in zip(boards.columns(), (np.uint64, np.int8, np.int8), strict=True):
        hashed.update(np.ascontiguousarray(column.astype(kind)).tobytes())
    head = {
        "boards": hashed.hexdigest()[:16],
        "training": training,
        "layouts": layouts,
        "seed": SEED,
        "parts": list(PARTS),
        "players": [str(player_version(name)) for name in ("learned:seconds=1", "human")],
    }
    out.mkdir(parents=True, exist_ok=True)
    path = out / "head.json"
    if path.exists() and json.loads(path.read_text("utf-8")) != head:
        raise FormatError(f"{out} was begun with other boards, layouts or players")
    write_atomic(path, json.dumps(head, indent=1) + "\n")
    first, every = part
    todo = [at for at in range(first, len(boards), every) if not (out / f"{at}.npz").exists()]
    began = time.monotonic()
    for done, board in enumerate(todo, 1):
        buffer = BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **gathered(boards, layouts, SEED, board))
        write_atomic(out / f"{board}.npz", buffer.getvalue())
        if done % 10 == 0 or done == len(todo):
            minutes = (time.monotonic() - began) / 60
            print(f"{done} of {len(todo)} boards in {minutes:.1f} minutes", flush=True)


def ask(players: Sequence[str], out: Path, count: int, part: tuple[int, int]) -> None:
    """Put the choices of the thousand boards to players."""
    boards = load_boards(BOARDS)
    setattr(evaluation, "time", SimpleNamespace(monotonic=time.process_time))  # noqa: B010
    choosers = {str(player_version(name)): chooser(name) for name in players}
    out.mkdir(parents=True, exist_ok=True)
    first, every = part
    for board in range(first, min(count, len(boards)), every):
        path = out / f"{board}.json"
        found = json.loads(path.read_text("utf-8")) if path.exists() else {}
        hands, cards, contract = (column[board].tolist() for column in boards.columns())
        for name, choose in choosers.items():
            if name in found:
                continue
            begun = time.process_time()
            chosen = asked(hands, cards, contract, choose, CHOICES, board)
            seconds = round(time.process_time() - begun, 2)
            found[name] = {"cards": chosen.tolist(), "seconds": seconds}
        write_atomic(path, json.dumps(found) + "\n")
        print(f"board {board}", flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Models of the play, on boards of experts.")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("gather", help="follow boards")
    one.add_argument("given", type=Path, nargs="?", default=BOARDS, help="a file of boards")
    one.add_argument("--out", type=Path, required=True, help="folder for the boards")
    one.add_argument("--count", type=int, default=1000, help="how many boards, at most")
    one.add_argument("--layouts", type=int, default=LAYOUTS, help="layouts beside the true one")
    one.add_argument("--training", action="store_true", help="boards that are for training")
    two = commands.add_parser("ask", help="put choices to players")
    two.add_argument("players", nargs="+", help="as in learned:seconds=1")
    two.add_argument("--out", type=Path, required=True, help="folder for what they choose")
    two.add_argument("--count", type=int, default=1000, help="the first so many boards")
    for command in (one, two):
        command.add_argument("--part", default="0/1", help="3/16: of 16 runs at once, the fourth")
    options = parser.parse_args()
    at, _, runs = options.part.partition("/")
    if not (at.isdecimal() and runs.isdecimal() and int(at) < int(runs)):
        parser.error(f"cannot read --part {options.part!r}: expected as in 3/16")
    part = int(at), int(runs)
    if min(options.count, getattr(options, "layouts", 1)) < 1:
        parser.error("--count and --layouts must be at least 1")
    if options.command == "gather":
        given = options.given, options.out, options.count, options.layouts, part
        gather(*given, options.training)
    else:
        ask(options.players, options.out, options.count, part)


if __name__ == "__main__":
    main()
