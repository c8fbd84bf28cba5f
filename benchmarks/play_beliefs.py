"""What the cards played tell of hidden hands: models of the play, on boards of experts.

    python -m benchmarks.play_beliefs gather BOARDS --training --out TRAINING
    python -m benchmarks.play_beliefs fit TRAINING
    python -m benchmarks.play_beliefs gather --out FOLDER
    python -m benchmarks.play_beliefs score FOLDER --result FILE
    python -m benchmarks.play_beliefs cost [--count 4]
    python -m benchmarks.play_beliefs ask --out ANSWERS
    python -m benchmarks.play_beliefs compare ANSWERS --result FILE

Declarer and both defenders are followed in the experts' own positions. In each of some tricks (from
the lead on, and after 4, 8, 16 and 24 cards) a player's first choice is taken. There the true
layout is put among others that fit the view, drawn uniformly, so that nothing but the play tells it
from them. A model gives each of them a weight, and is scored by the share of the true one: bits
saved are log2 of that share over the uniform one (0: no better than hard evidence; at most log2 of
the number of layouts). It is a proper score.

`gather` writes a file for each board, with the logarithms of what each part of a model says, and
goes on where it was stopped. `--training` takes boards that are not for validation (the others are
refused there), `fit` finds the powers of the parts on them, and `score` compares models on boards
for validation, the thousand of `data/experts` unless a file of `tribridge train boards` is given.
Seeds, sizes and hypotheses were fixed before (`play_beliefs.plan.toml`), and so was what follows
from the outcome; `results/play_beliefs.json` holds it.

`cost` says how long a review takes to value the cards of such a choice, without and with the plays.

`ask` puts every choice of these boards to players, as `benchmarks.people` does, one after the other
on each board, so that `compare` can say what they lose double dummy on however many boards there
was time for. The players are the search without and with experts' plays, unless others are named.
Seconds are of the processor. It needs endplay.

Nothing but NumPy is needed otherwise, and `--part 3/16` does every sixteenth board, from the
fourth on: so a machine with many cores runs sixteen of them at once.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.refusals import in_one_line
from tribridge import beliefs
from tribridge.cards.cards import Card
from tribridge.common import codec
from tribridge.common.errors import FormatError, SettingError
from tribridge.common.files import load_arrays, write_atomic
from tribridge.common.stats import Interval, mean_interval, paired, per_count
from tribridge.game.table import Table
from tribridge.game.tricks import Chair
from tribridge.game.views import View, view
from tribridge.lab.studies.experts import asked, at_card, chooser, sides
from tribridge.lab.studies.plans import Answer, judge, parse_plan
from tribridge.networks.boards import Boards, draw, for_validation, load_boards, table_of
from tribridge.networks.network import package_weights
from tribridge.networks.play import observe, steps_of
from tribridge.strategies.learned import valuing
from tribridge.strategies.learned.player import heads
from tribridge.strategies.learned.search import PLAYED_BY, Powers, likelihood, replay
from tribridge.strategies.learned.valuing import value_legal_cards
from tribridge.strategies.players.search import evaluation
from tribridge.strategies.versions import commit, player_version

F64 = NDArray[np.float64]
BOARDS: Final = Path(__file__).parents[1] / "data" / "experts" / "boards.npz"
COSTS: Final = Path(__file__).parent / "results" / "people.npz"
"""What every card of the thousand boards costs double dummy."""
_PLAN: Final = Path(__file__).with_name("play_beliefs.plan.toml")
PLAN: Final = parse_plan(_PLAN.read_text("utf-8"), _PLAN.name)
SEED: Final = PLAN.seeds["boards"]
PLAYERS: Final = ("learned:seconds=1", "learned:seconds=1,plays=experts")
STAGES: Final = {1: range(1, 4), **{first: range(first, first + 4) for first in (4, 8, 16, 24)}}
"""For each number of cards played, the cards at which a player's first choice is taken."""
VIEWERS: Final = ("declarer", "left", "right")
PARTS: Final = (
    "belief of learned",
    *(f"{name}, {who}" for name in ("itself", "experts") for who in ("partner", "others")),
)
"""What is known of each layout, as logarithms: the plays of whom, by whose model (`PLAYED_BY`)."""


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
    columns = [np.log(likelihood(seen, heads(observation, steps_of(seen))[1], left))]
    for name in ("itself", "experts"):
        for powers in (Powers(1, 1, 0), Powers(1, 0, 1)):
            played_by = replace(PLAYED_BY[name], declaring=powers, defending=powers)
            columns.append(replay(played_by, seen, observation.numbers, left)[1])
    return np.stack(columns, 1)


def gathered(boards: Boards, layouts: int, seed: int, board: int) -> dict[str, NDArray[Any]]:
    """The choices of a board: where they are, and the parts of each layout."""
    rng = np.random.default_rng([seed, board])
    where, parts = [], []
    hands, cards, contract = (column[board].tolist() for column in boards.columns())
    for stage, who, table in moments(hands, cards, contract):
        turn = table.turn
        assert turn is not None
        seen = view(table, turn)
        drawn = beliefs.layouts_of(seen).sample(layouts, rng)
        true = np.array([[hand.mask for hand in table.deal.hands]], np.uint64)
        dealt = np.concatenate([true, drawn])
        where.append((stage, who))
        parts.append(parts_of(seen, dealt).astype(np.float32))
    return {
        "where": np.array(where, np.int8).reshape(-1, 2),
        "parts": np.array(parts, np.float32).reshape(-1, layouts + 1, len(PARTS)),
    }


def shown() -> dict[str, str]:
    """The weights that beliefs and experts' plays are from."""
    plays = sha256(package_weights(PLAYED_BY["experts"].file)).hexdigest()[:12]
    return {"player": str(player_version("learned")), "experts": plays}


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
        **shown(),
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


UNIFORM: Final = "uniform"
REVIEWS: Final = "belief of learned"
SEARCH: Final = "search"
EXPERTS: Final = "search, experts"


def models() -> dict[str, tuple[F64, F64]]:
    """The powers of the parts in each model, for declarer and for a defender."""

    def of(powers: Powers, plays: int) -> F64:
        row = np.zeros(len(PARTS))
        row[0] = powers.belief
        if plays:
            row[plays : plays + 2] = powers.partner, powers.opponents
        return row

    def both(powers: Powers, plays: int = 0) -> tuple[F64, F64]:
        return of(powers, plays), of(powers, plays)

    def searched(name: str, plays: int) -> tuple[F64, F64]:
        by = PLAYED_BY[name]
        return of(by.declaring, plays), of(by.defending, plays)

    return {
        UNIFORM: both(Powers(belief=0)),
        REVIEWS: both(Powers()),
        SEARCH: searched("itself", 1),
        "plays of experts alone": both(Powers(belief=0), 3),
        EXPERTS: searched("experts", 3),
    }


def bits_saved(parts: F64, powers: F64) -> F64:
    """log2 of the true layout's share over the uniform one, for each choice."""
    logs = parts @ powers
    share = logs[:, 0] - np.logaddexp.reduce(logs, 1)
    saved: F64 = (share + np.log(logs.shape[1])) / np.log(2)
    return saved


class Gathered(NamedTuple):
    """What `gather` wrote."""

    head: dict[str, Any]
    boards: NDArray[np.int64]
    """The board of each choice."""
    stages: NDArray[np.int64]
    defending: NDArray[np.bool_]
    parts: F64


def read(folder: Path) -> Gathered:
    """The choices of a folder, in the order of the boards."""
    path = folder / "head.json"
    if not path.exists():
        raise SettingError(f"{folder}: `gather` has written nothing there")
    numbers = sorted(int(file.stem) for file in folder.glob("*.npz"))
    if not numbers:
        raise SettingError(f"{folder}: no board is complete")
    where, parts, boards = [], [], []
    for number in numbers:
        with (folder / f"{number}.npz").open("rb") as file:
            arrays = load_arrays(file, f"{folder}/{number}.npz: not what `gather` wrote")
        where.append(arrays["where"].astype(np.int64))
        parts.append(arrays["parts"].astype(np.float64))
        boards.append(np.full(len(where[-1]), number))
    stages, viewers = np.concatenate(where).T
    head: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return Gathered(head, np.concatenate(boards), stages, viewers > 0, np.concatenate(parts))


def fitted(parts: F64) -> F64:
    """The powers that give the true layouts the greatest likelihood, by Newton's method."""
    given = parts - parts.mean(1, keepdims=True)
    powers = np.zeros(given.shape[2])
    for _ in range(50):
        logs = given @ powers
        share = np.exp(logs - logs.max(1, keepdims=True))
        share /= share.sum(1, keepdims=True)
        mean = np.einsum("nl,nlp->np", share, given)
        slope = (given[:, 0] - mean).sum(0)
        bend = np.einsum("nl,nlp,nlq->pq", share, given, given) - mean.T @ mean
        powers = powers + np.linalg.lstsq(bend, slope, rcond=1e-9)[0]
    return powers


def fit(folder: Path) -> None:
    """Print the best powers of some parts, for declarer and for defenders."""
    found = read(folder)
    if not found.head["training"]:
        raise SettingError(f"{folder}: these boards are for validation; fit on others (--training)")
    groups = {
        "belief of learned": [0],
        "belief of learned, plays of its own": [0, 1, 2],
        "plays of experts": [3, 4],
        "belief of learned, plays of experts": [0, 3, 4],
    }
    print(f"{len(set(found.boards.tolist()))} boards")
    for side in (False, True):
        parts = found.parts[found.defending == side]
        print(f"{'defenders' if side else 'declarer'}, {len(parts)} choices: bits saved, powers")
        for name, columns in groups.items():
            powers = fitted(parts[:, :, columns])
            saved = bits_saved(parts[:, :, columns], powers).mean()
            print(f"  {name:52} {saved:.3f}  {np.round(powers, 2).tolist()}")


Side = Literal["declarer", "defenders"]


@dataclass(frozen=True, slots=True)
class Row:
    """Bits that a model saves, over one side's choices of a stage (0: all stages)."""

    model: str
    side: Side
    stage: int
    boards: int
    choices: int
    bits: Interval
    more_than_search: Interval
    more_than_reviews: Interval


@dataclass(frozen=True, slots=True)
class Loss:
    """Tricks lost more than the experts by a player, and what it cost."""

    player: str
    more: Interval
    declaring: Interval
    defending: Interval
    lead: Interval
    seconds: float
    """A card, of the processor."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Players on the boards that all of them had."""

    boards: int
    experts: float
    """What they lose."""
    players: tuple[Loss, ...]
    less: Interval
    """Tricks that the second player loses more than the first."""
    changed: int
    """Boards with a choice that costs another number of tricks."""
    detectable: float
    """What would be found 8 times in 10."""


@dataclass(frozen=True, slots=True)
class Scored:
    """The models on boards for validation."""

    commit: str
    plan: str
    head: dict[str, Any]
    powers: dict[str, list[list[float]]]
    rows: tuple[Row, ...]
    answers: dict[str, Answer]
    compared: Compared | None = None


def load_result(path: Path) -> Scored:
    """A result, unless it was made under another plan."""
    found = codec.loads(path.read_text("utf-8"), Scored, str(path))
    if found.plan != PLAN.digest:
        raise FormatError(f"{path}: made under the plan {found.plan}, and this is {PLAN.digest}")
    return found


def save(result: Scored, path: Path) -> None:
    """Write a result, and print what came of the plan."""
    write_atomic(path, codec.dumps(result, indent=1) + "\n")
    for name, outcome in judge(PLAN, result.answers).items():
        answer = result.answers.get(name)
        found = "" if answer is None else f": {answer.span:+.3f}, p {answer.p or math.nan:.2g}"
        print(f"{name}: {outcome}{found}")


COMPARED: Final = {
    "search": (EXPERTS, SEARCH),
    "reviews": (EXPERTS, REVIEWS),
}
"""What the hypotheses compare: a model, less another."""


def score(folder: Path, result: Path | None) -> None:
    """Compare models on boards that taught and chose nothing of them."""
    found = read(folder)
    if found.head["training"]:
        raise SettingError(f"{folder}: these boards are for training; score on others")
    given = models()
    saved = {
        name: np.where(
            found.defending,
            bits_saved(found.parts, defending),
            bits_saved(found.parts, declaring),
        )
        for name, (declaring, defending) in given.items()
    }
    limits = {hypothesis.id: hypothesis.limit for hypothesis in PLAN.hypotheses}
    rows, answers = list[Row](), dict[str, Answer]()
    sides_of: tuple[tuple[Side, bool], ...] = (("declarer", False), ("defenders", True))
    for side, defending in sides_of:
        for stage in (0, *STAGES):
            at = (found.defending == defending) & ((found.stages == stage) | (stage == 0))
            names, places = np.unique(found.boards[at], return_inverse=True)
            counts = np.bincount(places)

            def a_choice(values: F64) -> F64:
                return per_count(np.bincount(places, values[at]), counts)  # noqa: B023

            for name, bits in saved.items():
                spans = (
                    mean_interval(a_choice(values))
                    for values in (bits, bits - saved[SEARCH], bits - saved[REVIEWS])
                )
                row = Row(name, side, stage, len(names), int(at.sum()), *spans)
                rows.append(row)
                if name != UNIFORM:
                    print(
                        f"{side:10} {stage or 'all':>4} {len(names):5} boards  {name:24} "
                        f"{row.bits:.2f}   more than the search {row.more_than_search:+.2f}"
                    )
            if not stage:
                for what, (model, other) in COMPARED.items():
                    gain = a_choice(saved[model] - saved[other])
                    test = paired(gain - limits[f"{what}-{side}"])
                    answers[f"{what}-{side}"] = Answer(mean_interval(gain), test.p)
    powers = {name: [row.tolist() for row in both] for name, both in given.items()}
    if result is not None:
        save(Scored(commit(), PLAN.digest, found.head, powers, tuple(rows), answers), result)


def cost(count: int) -> None:
    """Print what it takes to value cards as in a review, without and with the plays."""
    boards, rng = load_boards(BOARDS), np.random.default_rng(SEED)
    print("cards played: seconds of the processor to value the cards; with experts' plays")
    taken: dict[int, list[list[float]]] = {stage: [] for stage in STAGES}
    for board in range(count):
        hands, cards, contract = (column[board].tolist() for column in boards.columns())
        for stage, _, table in moments(hands, cards, contract):
            turn = table.turn
            assert turn is not None
            seen, seconds = view(table, turn), []
            for by in (None, PLAYED_BY["experts"]):
                begun = time.process_time()
                value_legal_cards(seen, valuing.LAYOUTS, rng, solve_endings=True, played_by=by)
                seconds.append(time.process_time() - begun)
            taken[stage].append(seconds)
    every = [pair for pairs in taken.values() for pair in pairs]
    for name, pairs in (*taken.items(), ("all", every)):
        without, with_plays = np.mean(pairs, 0)
        print(f"  {name:>3}: {without:.3f}, {with_plays:.3f} ({len(pairs)} choices)")


def ask(players: Sequence[str], out: Path, count: int, part: tuple[int, int]) -> None:
    """Put the choices of boards to players."""
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
            chosen = asked(hands, cards, contract, choose, PLAN.seeds["choices"], board)
            seconds = round(time.process_time() - begun, 2)
            found[name] = {"cards": chosen.tolist(), "seconds": seconds}
        write_atomic(path, json.dumps(found) + "\n")
        print(f"board {board}", flush=True)


def compare(folder: Path, players: Sequence[str], result: Path | None) -> None:
    """Print what players lose on the boards that all of them had, and what they lose less."""
    names = [str(player_version(player)) for player in players]
    boards = load_boards(BOARDS)
    with COSTS.open("rb") as file:
        costs = load_arrays(file, f"{COSTS}: not what `benchmarks.people` wrote")["lost"]
    found = {int(file.stem): json.loads(file.read_text("utf-8")) for file in folder.glob("*.json")}
    at = sorted(board for board, rows in found.items() if all(name in rows for name in names))
    if not at:
        raise SettingError(f"{folder}: there is no board that all of these players had")
    by_side = sides(boards.cards[at], boards.contract[at, 1])
    theirs = at_card(costs[at], boards.cards[at])
    print(f"{len(at)} boards, on which the experts lose {theirs.sum(1).mean():.3f} tricks each")
    lost, losses = {}, list[Loss]()
    for name in names:
        rows = [found[board][name] for board in at]
        chosen = np.array([row["cards"] for row in rows], np.int8)
        lost[name] = at_card(costs[at], chosen).astype(np.int64)
        more = lost[name] - theirs
        seconds = sum(row["seconds"] for row in rows) / int((chosen >= 0).sum())
        declaring, defending, lead = (
            mean_interval(np.where(by_side == side, more, 0).sum(1)) for side in range(3)
        )
        loss = Loss(name, mean_interval(more.sum(1)), declaring, defending, lead, seconds)
        losses.append(loss)
        print(f"{name}: {loss.more:+.3f} more, {1000 * seconds:.0f} ms a card")
        print(f"  declaring {loss.declaring:+.3f}, defending {loss.defending:+.3f}")
        print(f"  lead {loss.lead:+.3f}")
    for name in names[1:]:
        gap = lost[name] - lost[names[0]]
        test, span = paired(gap.sum(1)), mean_interval(gap.sum(1))
        detectable = 2.8 * float(gap.sum(1).std(ddof=1)) / len(at) ** 0.5
        changed = int((gap != 0).any(1).sum())
        print(f"{name} less {names[0]}: {span:+.3f}, p {test.p:.3f}")
        print(f"  found 8 times in 10: {detectable:.3f}; changed boards {changed}")
        for side, title in enumerate(("declaring", "defending", "lead")):
            part = mean_interval(np.where(by_side == side, gap, 0).sum(1))
            print(f"  {title} {part:+.3f}")
    if result is not None:
        if tuple(players) != PLAYERS:
            raise SettingError(f"a result is of {' and '.join(PLAYERS)}")
        scored = load_result(result)
        answers = scored.answers | {"tricks": Answer(span, test.p)}
        experts = float(theirs.sum(1).mean())
        whole = Compared(len(at), experts, tuple(losses), span, changed, round(detectable, 3))
        save(replace(scored, answers=answers, compared=whole), result)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Models of the play, on boards of experts.")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("gather", help="follow boards")
    one.add_argument("given", type=Path, nargs="?", default=BOARDS, help="a file of boards")
    one.add_argument("--out", type=Path, required=True, help="folder for the boards")
    one.add_argument("--count", type=int, help="how many boards, at most (those of the plan)")
    one.add_argument(
        "--layouts", type=int, default=PLAN.sizes["layouts"], help="layouts beside the true one"
    )
    one.add_argument("--training", action="store_true", help="boards that are for training")
    for name, what in (("fit", "find powers"), ("score", "compare models")):
        other = commands.add_parser(name, help=what)
        other.add_argument("folder", type=Path, help="with what `gather` wrote")
        if name == "score":
            other.add_argument("--result", type=Path, help="file for the result")
    four = commands.add_parser("cost", help="how long values take, and weights beside them")
    four.add_argument("--count", type=int, default=4, help="how many boards")
    two = commands.add_parser("ask", help="put choices to players")
    two.add_argument("players", nargs="*", default=PLAYERS, help="as in learned:seconds=1")
    two.add_argument("--out", type=Path, required=True, help="folder for what they choose")
    two.add_argument("--count", type=int, help="the first so many boards (those of the plan)")
    for command in (one, two):
        command.add_argument("--part", default="0/1", help="3/16: of 16 runs at once, the fourth")
    three = commands.add_parser("compare", help="what players lose")
    three.add_argument("folder", type=Path, help="with what `ask` wrote")
    three.add_argument(
        "players", nargs="*", default=PLAYERS, help="the first is what the others are set against"
    )
    three.add_argument("--result", type=Path, help="file of `score` to add the result to")
    options = parser.parse_args()
    if options.command == "compare":
        return compare(options.folder, options.players, options.result)
    if options.command == "fit":
        return fit(options.folder)
    if options.command == "score":
        return score(options.folder, options.result)
    if options.command == "cost":
        return cost(max(1, options.count))
    at, _, runs = options.part.partition("/")
    if not (at.isdecimal() and runs.isdecimal() and int(at) < int(runs)):
        parser.error(f"cannot read --part {options.part!r}: expected as in 3/16")
    part = int(at), int(runs)
    if options.count is None:
        training = getattr(options, "training", None)
        options.count = PLAN.sizes[{None: "asked", True: "fitted", False: "scored"}[training]]
    if min(options.count, getattr(options, "layouts", 1)) < 1:
        parser.error("--count and --layouts must be at least 1")
    if options.command == "gather":
        given = options.given, options.out, options.count, options.layouts, part
        return gather(*given, options.training)
    return ask(options.players, options.out, options.count, part)


if __name__ == "__main__":
    in_one_line(main)
