"""The result of the study of players beside experts, from what `benchmarks/people.py` measured.

    python -m benchmarks.people_result FOLDER [BOARDS]

writes `people.json` of the package, and beside the programs `results/people.npz`, which holds all
that it is made of. For a new version of a player,

    python -m benchmarks.people_result FOLDER --unpack

first writes the files of that FOLDER again but for what other versions chose, so that nobody else
has to be asked again.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.people import (
    BOARDS,
    DIFFER,
    MATCHES,
    Asked,
    Given,
    board_of,
    lines_of,
    load,
    read,
    slug,
)
from benchmarks.refusals import in_one_line
from tribridge.common import stats
from tribridge.common.errors import FormatError
from tribridge.common.files import load_arrays, write_atomic
from tribridge.common.stats import Interval, mean_interval
from tribridge.common.tables import corrected
from tribridge.lab import studies
from tribridge.lab.studies.experts import CARDS, at_card, by_sides, sides
from tribridge.lab.studies.people import (
    ALL,
    HUMAN,
    LEARNED,
    PLAN,
    SEARCH,
    Beside,
    Differ,
    Expected,
    ExpectedWhen,
    InContract,
    Match,
    Paired,
    Result,
    Sample,
    Tested,
    When,
)
from tribridge.lab.studies.study import dumps_result
from tribridge.strategies.versions import player_version

ORDER: Final = (LEARNED, HUMAN, "learned@1", "maxims", SEARCH)
"""Players in the order of the table; other engines follow."""
WHEN: Final = (
    ("lead", 0, 1),
    ("trick 1", 1, 4),
    ("tricks 2 to 3", 4, 12),
    ("tricks 4 to 6", 12, 24),
    ("tricks 7 to 9", 24, 36),
    ("tricks 10 to 12", 36, 48),
    (ALL, 0, 48),
)
"""Groups of cards by their numbers."""
KINDS: Final = (
    "notrump, part score", "notrump, game", "notrump, slam",
    "suit, part score", "suit, game", "suit, slam",
)  # fmt: skip
BANDS: Final = (
    ("below 5.5", -math.inf, 5.5),
    *((str(tricks), tricks - 0.5, tricks + 0.5) for tricks in range(6, 13)),
    ("over 12.5", 12.5, math.inf),
)
"""Groups of positions by the tricks that are expected."""
FEWEST: Final = 8
"""Boards, or positions, that make a row of a table."""
SAMPLE: Final = 12
"""Boards that a report asks about again."""
SOURCE: Final = (
    "{boards:,} boards of team matches (`data/experts`, digest {digest}), of deals that no network "
    "learned from; they are among those for validation, which chose between networks."
)
MATCHES_NOTE: Final = (
    "Contracts by forecast, `auction`; each deal once with the player declaring against the engine "
    "and once the other way round. An engine is told the contract and nothing else."
)
LOOKED: Final = (
    "what was played out was looked at twice before, on the first 200 and the first 425 boards: it "
    "went on because there was time, whatever they said, and no p-value takes that into account; "
    "learned:seconds=1 was asked about the boards that its version before had been asked about; "
    "a second is one of the processor, since other programs shared the machine."
)
RESULT: Final = Path(studies.__file__).parent / "people.json"
PACKED: Final = Path(__file__).parent / "results" / "people.npz"


@dataclass(frozen=True)
class Chosen:
    """What a player chose."""

    player: str
    version: str
    cards: NDArray[np.int8]
    """(boards that it had, 48)."""
    milliseconds: float | None


@dataclass(frozen=True)
class Measured:
    """Everything that the result is made of."""

    study: Asked
    lost: NDArray[np.int8]
    players: tuple[Chosen, ...]
    differ: dict[str, NDArray[Any]]
    matches: list[dict[str, Any]]

    def cost(self, cards: NDArray[Any]) -> NDArray[np.float64]:
        """Tricks that cards lose (n, 48), of the first boards."""
        return at_card(self.lost[: len(cards)], cards).astype(float)

    def more(self, player: Chosen) -> NDArray[np.float64]:
        """Tricks that a player loses more than the experts (n, 48)."""
        return self.cost(player.cards) - self.cost(self.study.boards.cards[: len(player.cards)])

    def player(self, name: str) -> Chosen | None:
        """The player of a name, or one whose name begins with it."""
        return next((each for each in self.players if each.player.startswith(name)), None)


def gather(folder: Path, study: Asked) -> Measured:
    """What was measured, from the files of a folder."""
    players = []
    for path in sorted(folder.glob("*.jsonl")):
        if path.name in (MATCHES, DIFFER):
            continue
        head = next(lines_of(path), {})
        wanted = {"boards": study.digest, "plan": PLAN.digest}
        if not (rows := read(path, wanted)):
            continue
        cards = np.array([row["cards"] for row in rows], np.int8)
        timed = [row for row in rows if "seconds" in row]
        asked_for = sum(card >= 0 for row in timed for card in row["cards"])
        spent = 1000 * sum(row["seconds"] for row in timed) / max(asked_for, 1)
        players.append(Chosen(head["player"], head["version"], cards, round(spent, 2)))
    players.sort(key=lambda each: (ORDER.index(each.player) if each.player in ORDER else 99,
                                   each.player))  # fmt: skip
    arrays = []
    for name in ("cost.npz", "values.npz", DIFFER):
        if not (folder / name).exists():
            raise FormatError(f"{folder}: {name} is missing; run `{name.split('.')[0]}` first")
    for name in ("cost.npz", "values.npz"):
        with (folder / name).open("rb") as file:
            arrays.append(load_arrays(file, f"{folder / name}: not of this program"))
        if str(arrays[-1].pop("boards")) != study.digest:
            raise FormatError(f"{folder / name}: of other boards")
    played = read(folder / DIFFER, {"boards": study.digest, "plan": PLAN.digest})
    differ = arrays[1] | {
        "rows": np.repeat(range(len(played)), [len(row["numbers"]) for row in played]),
        "numbers": np.concatenate([row["numbers"] for row in played]).astype(np.int8),
        "tricks": np.concatenate([np.reshape(row["tricks"], (-1, 2)) for row in played]),
        "played": np.array(len(played)),
    }
    matches = list(lines_of(folder / MATCHES)) if (folder / MATCHES).exists() else []
    return Measured(study, arrays[0]["lost"], tuple(players), differ, matches)


def pack(measured: Measured) -> bytes:
    """What was measured as one file."""
    buffer = BytesIO()
    arrays: dict[str, Any] = {
        **{f"cards_{at}": player.cards for at, player in enumerate(measured.players)},
        **{f"differ_{name}": array for name, array in measured.differ.items()},
    }
    about = [[p.player, p.version, p.milliseconds] for p in measured.players]
    np.savez_compressed(
        buffer,
        about=json.dumps({"players": about, "matches": measured.matches}),
        boards=measured.study.digest,
        lost=measured.lost,
        **arrays,
    )
    return buffer.getvalue()


def unpack(path: Path, study: Asked) -> Measured:
    """What `pack` has packed."""
    with path.open("rb") as file:
        arrays = load_arrays(file, f"{path}: not what this program has measured")
    if str(arrays["boards"]) != study.digest:
        raise FormatError(f"{path}: of other boards")
    about = json.loads(str(arrays["about"]))
    players = tuple(
        Chosen(name, version, arrays[f"cards_{at}"], spent)
        for at, (name, version, spent) in enumerate(about["players"])
    )
    differ = {name[7:]: array for name, array in arrays.items() if name.startswith("differ_")}
    return Measured(study, arrays["lost"], players, differ, about["matches"])


def is_outdated(chosen: Chosen) -> bool:
    """Whether another version chose than the package has; a program is what its label says."""
    program = chosen.version == chosen.player
    return not program and chosen.version != str(player_version(chosen.player))


def spread(measured: Measured, folder: Path) -> list[str]:
    """Write what was measured as the files of a folder, but for what other versions chose.

    Gives the players that have to be asked again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if list(folder.iterdir()):
        raise FormatError(f"{folder}: not empty, and nothing there is replaced")
    study, gone = measured.study, []
    with (folder / "cost.npz").open("wb") as file:
        np.savez_compressed(file, lost=measured.lost, boards=np.array(study.digest))
    for each in measured.players:
        if is_outdated(each):
            gone.append(each.player)
            continue
        head = {"player": each.player, "version": each.version}
        lines: list[dict[str, Any]] = [head | {"boards": study.digest, "plan": PLAN.digest}]
        for board, cards in enumerate(each.cards):
            spent = (each.milliseconds or 0) / 1000 * int((cards >= 0).sum())
            lines.append({"board": board, "cards": cards.tolist(), "seconds": spent})
        (folder / f"{slug(each.player)}.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in lines), "utf-8"
        )
    if LEARNED not in gone:
        _spread_differ(measured, folder)
    kept = [row for row in measured.matches if row["version"] == str(player_version(row["player"]))]
    if kept:
        text = "".join(json.dumps(row) + "\n" for row in kept)
        (folder / MATCHES).write_text(text, "utf-8")
    return gone


def _spread_differ(measured: Measured, folder: Path) -> None:
    """Write what `learned` expects, and what came of its cards where it and the experts differ."""
    differ: dict[str, Any] = dict(measured.differ)
    rows, numbers, tricks = (differ.pop(name) for name in ("rows", "numbers", "tricks"))
    head = {
        "player": LEARNED,
        "version": str(differ["player"]),
        "boards": measured.study.digest,
        "plan": PLAN.digest,
    }
    lines: list[dict[str, Any]] = [head]
    for board in range(int(differ.pop("played"))):
        at = rows == board
        line = {"board": board, "numbers": numbers[at].tolist(), "tricks": tricks[at].tolist()}
        lines.append(line)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / DIFFER).write_text(text, "utf-8")
    with (folder / "values.npz").open("wb") as file:
        np.savez_compressed(file, boards=np.array(measured.study.digest), **differ)


def result_of(measured: Measured) -> Result:
    """The result of the study."""
    boards = measured.study.boards
    theirs = measured.cost(boards.cards)
    by_side = sides(boards.cards, boards.contract[:, 1])
    rows = tuple(
        _beside(measured, player, by_side)
        for player in measured.players
        if len(player.cards) >= stats.FEWEST_DEALS
    )
    full = {name: measured.player(name) for name in (LEARNED, HUMAN)}
    learned, human = full[LEARNED], full[HUMAN]
    if learned is None or human is None or len(learned.cards) + len(human.cards) < 2 * len(boards):
        raise FormatError("learned and human have not been asked about all boards")
    more = {name: measured.more(player) for name, player in ((LEARNED, learned), (HUMAN, human))}
    same = learned.cards == boards.cards[:, :CARDS]
    asked_for = learned.cards >= 0

    def split(chosen: NDArray[np.bool_], at: NDArray[np.bool_]) -> list[Any]:
        """Loss of experts, learned and human on boards `at`, of `chosen` cards, and agreement."""
        spans = [mean_interval(np.where(chosen, more[name], 0)[at].sum(1)) for name in more]
        these = (asked_for & chosen)[at]
        share = 100 * float(same[at][these].mean())
        return [float(np.where(chosen, theirs, 0)[at].sum(1).mean()), *spans, share]

    everywhere = np.ones(len(boards), bool)
    numbers = np.arange(CARDS)
    whens, values = [], []
    for name, first, stop in WHEN:
        chosen = np.broadcast_to((numbers >= first) & (numbers < stop), asked_for.shape)
        count = int((asked_for & chosen).sum())
        whens.append(When(name, count, *split(chosen, everywhere)))
        bias, error = _bias(measured, chosen)
        values.append(ExpectedWhen(name, count, bias, error))
    kinds = contract_kinds(boards.contract)
    every = np.broadcast_to(True, asked_for.shape)
    contracts = [
        InContract(name, int(at.sum()), *split(every, at))
        for name in KINDS
        if (at := kinds == name).sum() >= FEWEST
    ]
    paired, tested = _paired(measured)
    differ, found = _differ(measured, by_side)
    matches, won = _matches(measured)
    defending = np.where(by_side > 0, more[LEARNED], 0) - np.where(by_side == 0, more[LEARNED], 0)
    apart = defending.sum(1)
    everything = values[-1].bias
    tested += [
        Tested("side", mean_interval(apart), stats.paired(apart).p),
        found,
        Tested("values", everything, None),
        *won,
    ]
    costs = measured.cost(learned.cards).sum(1)
    sample = []
    for at in range(SAMPLE):
        hands, cards, contract = map(tuple, board_of(boards, at))
        chosen_there = tuple(learned.cards[at].tolist())
        sample.append(Sample(hands, cards, contract, chosen_there, int(costs[at])))
    return Result(
        PLAN.digest,
        SOURCE.format(boards=len(boards), digest=measured.study.digest),
        deviations(measured),
        float(theirs.sum(1).mean()),
        MATCHES_NOTE,
        rows,
        paired,
        tuple(whens),
        tuple(contracts),
        differ,
        _expected(measured),
        tuple(values),
        matches,
        tuple(tested),
        tuple(sample),
    )


def _beside(measured: Measured, player: Chosen, by_side: NDArray[np.int8]) -> Beside:
    count, more = len(player.cards), measured.more(player)
    theirs = measured.study.boards.cards[:count]
    parts: Any = *by_sides(more, player.cards, theirs, by_side[:count]), player.milliseconds
    return Beside(player.player, player.version, count, mean_interval(more.sum(1)), *parts)


def _paired(measured: Measured) -> tuple[tuple[Paired, ...], list[Tested]]:
    """The search of `learned` beside others, on the boards that both had."""
    search, rows, tested = measured.player(SEARCH), [], []
    if search is None:
        return (), []
    for name, which in ((LEARNED, "search"), ("BEN", "ben"), ("sampler", "sampler")):
        if (other := measured.player(name)) is None:
            continue
        count = min(len(search.cards), len(other.cards))
        if count < stats.FEWEST_DEALS:
            continue
        parts = [measured.cost(each.cards[:count]).sum(1) for each in (search, other)]
        span, p = mean_interval(parts[0] - parts[1]), stats.paired(parts[0] - parts[1]).p
        rows.append(Paired(search.player, other.player, count, span, p))
        tested.append(Tested(which, span, p))
    return corrected(rows), tested


def per_choice(sums: NDArray[Any], counts: NDArray[Any]) -> Interval:
    """A mean over choices, with its interval over boards."""
    mean = float(sums.sum() / counts.sum())
    span = mean_interval(sums - mean * counts)
    scale = float(counts.mean())
    return Interval(mean, mean + span.low / scale, mean + span.high / scale)


def _differ(measured: Measured, by_side: NDArray[np.int8]) -> tuple[tuple[Differ, ...], Tested]:
    """Where `learned` and the experts differ, on the boards that were played out."""
    learned, count = measured.player(LEARNED), int(measured.differ["played"])
    assert learned is not None
    rows, numbers = (measured.differ[name].astype(int) for name in ("rows", "numbers"))
    tricks = measured.differ["tricks"].astype(int)
    side = by_side[rows, numbers]
    sign = np.where(side == 0, 1, -1)
    played = sign * (tricks[:, 0] - tricks[:, 1])
    solved = -measured.more(learned)[rows, numbers]
    asked_for, where = learned.cards[:count] >= 0, by_side[:count]
    table, found = [], None
    for name, number in ((ALL, None), ("lead", 2), ("declarer", 0), ("defence", 1)):
        at = np.ones(len(rows), bool) if number is None else side == number
        choices = asked_for if number is None else asked_for & (where == number)
        counts = np.bincount(rows[at], minlength=count)
        sums = [np.bincount(rows[at], values[at], count) for values in (solved, played)]
        spans = [per_choice(values, counts) for values in sums]
        shares = [100 * float((sign_of * played[at] > 0).mean()) for sign_of in (1, -1)]
        p = stats.paired(sums[1]).p
        parts: Any = *spans, *shares, p
        table.append(Differ(name, int(choices.sum()), int(at.sum()), *parts))
        found = found or Tested("differ", spans[1], p)
    assert found is not None
    return corrected(table), found


def _bias(measured: Measured, chosen: NDArray[np.bool_]) -> tuple[Interval, float]:
    """What `learned` expects less what is made, and its error, over some cards."""
    expected = measured.differ["expected"].astype(float)
    off = expected - measured.differ["made"][:, None]
    given = chosen & np.isfinite(expected)
    sums, counts = np.where(given, off, 0).sum(1), given.sum(1)
    return per_choice(sums, counts), float(np.sqrt((off[given] ** 2).mean()))


def _expected(measured: Measured) -> tuple[Expected, ...]:
    """What was made, by what `learned` expects."""
    expected = measured.differ["expected"].astype(float)
    made = np.broadcast_to(measured.differ["made"][:, None].astype(float), expected.shape)
    rows = []
    for name, low, high in BANDS:
        given = (expected >= low) & (expected < high)
        if given.sum() < FEWEST:
            continue
        counts = given.sum(1)
        span = per_choice(np.where(given, made, 0).sum(1), counts)
        rows.append(Expected(name, int(given.sum()), float(expected[given].mean()), span))
    return tuple(rows)


def _matches(measured: Measured) -> tuple[tuple[Match, ...], list[Tested]]:
    """The contracts that were played out."""
    rows, tested = [], []
    ids = {
        (LEARNED, "sampler"): "played-sampler",
        (SEARCH, "sampler"): "played-search",
        (SEARCH, "BEN"): "played-ben",
    }
    for row in measured.matches:
        if len(row["won"]) < stats.FEWEST_DEALS:
            continue
        span, p = mean_interval(row["won"], bound=13), stats.paired(row["won"], bound=13).p
        rows.append(Match(row["player"], row["other"], len(row["won"]), span, p))
        if name := ids.get((row["player"], row["other"].split()[0].rstrip(","))):
            tested.append(Tested(name, span, p))
    return corrected(rows), tested


def contract_kinds(contract: NDArray[Any]) -> NDArray[np.str_]:
    """What kind of contract each board has."""
    level, strain = contract[:, 0].astype(int), contract[:, 1].astype(int)
    game = np.array([5, 5, 4, 4, 3])[strain]
    size = np.where(level >= 6, "slam", np.where(level >= game, "game", "part score"))
    return np.char.add(np.where(strain == 4, "notrump, ", "suit, "), size)


def deviations(measured: Measured) -> str:
    """What was done otherwise than planned."""
    few = [
        f"{player.player} was asked about the first {len(player.cards)} boards"
        + (", too few to show" if len(player.cards) < stats.FEWEST_DEALS else "")
        for player in measured.players
        if len(player.cards) < PLAN.sizes["searched"]
    ]
    few += [
        f"{player.player} is {player.version}, of before the {LEARNED} that it is compared with"
        for player in measured.players
        if is_outdated(player)
    ]
    if (played := int(measured.differ["played"])) < len(measured.study.boards):
        few.append(f"choices were played out on the first {played} boards")
    few += [
        f"{row['player']} met {row['other']} on the first {len(row['won'])} deals"
        + (", too few to show" if len(row["won"]) < stats.FEWEST_DEALS else "")
        for row in measured.matches
    ]
    return "; ".join([*few, LOOKED])


def main(
    folder: Annotated[Path, typer.Argument(help="Folder with what was measured.")],
    given: Given = BOARDS,
    result: Annotated[Path, typer.Option(help="File for the result of the study.")] = RESULT,
    packed: Annotated[Path, typer.Option(help="File for what it is made of.")] = PACKED,
    again: Annotated[bool, typer.Option("--unpack", help="Write the folder again.")] = False,
) -> None:
    """Write the result of the study."""
    if again:
        gone = spread(unpack(packed, load(given)), folder)
        print(f"{folder}: to be asked again: {', '.join(gone) or 'nobody'}")
        return
    measured = gather(folder, load(given))
    text = dumps_result(result_of(measured))  # says whether files differ from its commit
    write_atomic(packed, pack(measured))
    write_atomic(result, text)


if __name__ == "__main__":
    in_one_line(lambda: typer.run(main))
