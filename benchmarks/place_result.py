"""The result of the study of places, from its games and its solved auctions.

    python -m benchmarks.place_result --games FOLDER --tiny TINY.jsonl ... --result FILE.json
    python -m benchmarks.place_result --tiny TINY.jsonl ... --result FILE.json

The games are those of `benchmarks/place.py`, the auctions those of `benchmarks/place_tiny.py`. All
batches of the plan must be there. Without games, the solved auctions are added to the result in the
package, which is `studies/place.json`; with games alone, as for a new version of the player, its
solved auctions are kept.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.place import PARTS, SCHEMES, SHOWN, TURNS, Folder, batches, folder_of
from benchmarks.place_tiny import GAMES
from benchmarks.refusals import in_one_line
from tribridge.common import stats
from tribridge.common.arrays import bits
from tribridge.common.errors import FormatError
from tribridge.common.files import write_atomic
from tribridge.common.stats import Interval
from tribridge.common.tables import corrected
from tribridge.game.scoring import find_scheme
from tribridge.lab.studies.place import (
    CONTRACT,
    PLACES,
    PLAN,
    RANKS,
    Converged,
    Opened,
    Placed,
    Ranked,
    Result,
    Searched,
    Shown,
    Solved,
    Tabled,
    Tested,
)
from tribridge.lab.studies.study import dumps_result, planned
from tribridge.lab.training.whole_games import Outcomes, deals, settled
from tribridge.networks.auction import SEATS

F64 = NDArray[np.float64]
SAMPLE: Final = 100
"""Games that the report can play again."""


class Games:
    """All games of one kind under one scheme."""

    def __init__(self, folder: Folder, kind: str, scheme: str) -> None:
        part = next(part for part in PARTS if (part.kind, part.scheme) == (kind, scheme))
        numbers = list(batches(part))
        loaded = [folder.load(part.batch_name(*each)) for each in numbers]
        seed = PLAN.seeds[kind]
        self.scheme = find_scheme(scheme)
        self.hands = np.concatenate([deals(seed, *each) for each in numbers])
        self.codes = np.concatenate([each["outcomes"] for each in loaded], axis=1)
        plain = [each["network"] for each in loaded if "network" in each]
        self.network = Outcomes.unpacked(np.concatenate(plain)) if plain else None
        """The same deals bid by the network in all seats."""

    def arm(self, at: int) -> Outcomes:
        """The games of one arm."""
        return Outcomes.unpacked(self.codes[at])

    def points(self, at: int) -> F64:
        """Settlement points of the three players, from the dealer on."""
        return settled(self.arm(at), self.scheme)


def percent(part: NDArray[Any], whole: NDArray[Any]) -> float:
    """What percentage one number is of another."""
    return float(100 * part.sum() / max(1, whole.sum()))


def tested(values: F64) -> Tested:
    """The mean of values by deal, with its interval and a test that it is 0."""
    return Tested(stats.mean_interval(values), stats.paired(values).p)


def ratio_difference(first: Sequence[NDArray[Any]], second: Sequence[NDArray[Any]]) -> Tested:
    """By how many percentage points two ratios of sums over the same deals differ."""
    shares = []
    for part, whole in (first, second):
        share = part.sum() / whole.sum()
        shares.append(100 * (share + (part - share * whole) / whole.mean()))
    return tested(shares[0] - shares[1])


def place_rows(games: Games) -> Iterator[Placed]:
    """What each place is worth under a scheme."""
    by_turn = np.stack([games.points(at) for at in range(len(TURNS))])
    outcomes = [games.arm(at) for at in range(len(TURNS))]
    for place, name in enumerate(PLACES):
        worth = tested(by_turn[:, :, place].mean(0))
        declared = np.stack([(o.standing > 0) & (o.bidder == place) for o in outcomes])
        made = np.stack([o.made() for o in outcomes]) & declared
        assert worth.p is not None
        yield Placed(
            games.scheme.name,
            name,
            len(games.hands),
            worth.span,
            worth.p,
            100 * float(declared.mean()),
            percent(made, declared),
        )


def searching() -> NDArray[np.int64]:
    """The seats that search in the games with hidden cards, in turn within each batch."""
    part = next(part for part in PARTS if part.kind == "hidden")
    return np.concatenate([np.arange(count) % SEATS for _, count in batches(part)])


def gains(games: Games) -> list[F64]:
    """What the searching player gains by each number of cards known, deal by deal."""
    rows, seats = np.arange(len(games.hands)), searching()
    own = [games.points(at)[rows, seats] for at in range(len(SHOWN))]
    return [each - own[0] for each in own]


def shown_rows(games: Games) -> Iterator[Shown]:
    """What knowing cards is worth under a scheme."""
    seats = searching()
    for at, (cards, gained) in enumerate(zip(SHOWN, gains(games), strict=True)):
        outcomes = games.arm(at)
        declared = (outcomes.standing > 0) & (outcomes.bidder == seats)
        worth = Tested(Interval(0.0, 0.0, 0.0)) if cards == 0 else tested(gained)
        yield Shown(
            games.scheme.name,
            cards,
            len(gained),
            worth.span,
            worth.p,
            100 * float(declared.mean()),
            percent(outcomes.made() & declared, declared),
            float(outcomes.level()[declared].mean()) if declared.any() else float("nan"),
        )


def searched_row(games: Games) -> Searched:
    """The search without a card beside the network."""
    rows, seats, network = np.arange(len(games.hands)), searching(), games.network
    assert network is not None
    own = games.points(0)[rows, seats]
    worth = tested(own - settled(network, games.scheme)[rows, seats])
    declared = (network.standing > 0) & (network.bidder == seats)
    return Searched(
        games.scheme.name,
        len(rows),
        worth.span,
        worth.p,
        100 * float(declared.mean()),
        percent(network.made() & declared, declared),
    )


def by_rank(values: F64, hidden: NDArray[np.int64]) -> F64:
    """For each deal and rank, values whose mean is the least-squares worth of a card (n, 13).

    Compared with an average card; each row has its influence on the estimate in it.
    """
    counts = bits(hidden, 52).reshape(-1, 4, 13).sum(1).astype(float)
    inverse = np.linalg.inv(counts.T @ counts)
    worth = inverse @ counts.T @ values
    influence = len(values) * (counts @ inverse) * (values - counts @ worth)[:, None]
    each: F64 = worth + influence
    compared: F64 = each - each.mean(1, keepdims=True)
    return compared


def declarer_points(games: Games) -> F64:
    """Declarer's points, mean over who deals; 0 if the deal was passed out."""
    every = []
    for at in range(len(TURNS)):
        outcomes, points = games.arm(at), games.points(at)
        every.append(points[np.arange(len(points)), outcomes.bidder % SEATS])
    mean: F64 = np.mean(every, axis=0)
    return mean


def opened_row(games: Games, at: int, name: str) -> Opened:
    """Games with the dummy open or closed in the auction."""
    outcomes, points = games.arm(at), games.points(at)
    bid = outcomes.standing > 0
    declarer = points[np.arange(len(points)), outcomes.bidder % SEATS]
    return Opened(
        name,
        len(points),
        100 * float(bid.mean()),
        float(outcomes.level()[bid].mean()),
        percent(outcomes.made(), bid),
        stats.mean_interval(declarer[bid]),
    )


def tabled_row(games: Games, at: int, players: int) -> Tabled:
    """Games of three or four bidders."""
    outcomes = games.arm(at)
    bid = outcomes.standing > 0
    # What declarer wins from each other player is the score of the contract.
    three = Outcomes(0 * outcomes.bidder, outcomes.standing, outcomes.won)
    score = settled(three, games.scheme)[:, 0] / 2
    return Tabled(
        games.scheme.name,
        players,
        len(bid),
        100 * float(bid.mean()),
        float(outcomes.level()[bid].mean()),
        percent((outcomes.standing - 1) % 5 == 4, bid),
        percent(outcomes.made(), bid),
        stats.mean_interval(score[bid]),
    )


def tiny_rows(paths: Iterable[Path]) -> tuple[list[Solved], list[Converged]]:
    """The solved auctions, and how they came there."""
    rows: list[dict[str, Any]] = []
    for path in paths:
        head, *found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        if head.get("plan") != PLAN.digest:
            raise FormatError(f"{path}: of another plan than {PLAN.digest}")
        rows += found
    solved = []
    for row in rows:
        joint, average = row["joint"][-1], row["average"][-1]
        fields: Any = (
            *(row[name] for name in ("deck", "levels", "scoring", "start")),
            joint["iterations"], *joint["values"], max(joint["gains"]),
            *average["values"], average["nash_conv"],
        )  # fmt: skip
        solved.append(Solved(*fields))
    games: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        games.setdefault((row["deck"], row["scoring"]), []).append(row)
    converged = [
        Converged(
            deck,
            scoring,
            stop["iterations"],
            max(max(row["joint"][at]["gains"]) for row in starts),
            max(row["average"][at]["nash_conv"] for row in starts),
        )
        for (deck, scoring), starts in games.items()
        for at, stop in enumerate(starts[0]["joint"])
    ]
    return solved, converged


def unsolved(rows: Iterable[Solved]) -> str:
    """Which auctions of the plan were not solved."""
    done = [(row.deck, row.scoring) for row in rows]
    left = [
        f"{deck} under `{name}` ({starts - done.count((deck, name))} of {starts} starts)"
        for deck, _, names, starts in GAMES
        for name in names
        if done.count((deck, name)) < starts
    ]
    return f"Not solved for want of time: {', '.join(left)}." if left else ""


def told(note: str, rows: Iterable[Solved]) -> str:
    """How a run departs from its plan."""
    return " ".join(filter(None, (note, unsolved(rows))))


def result_of(
    folder: Folder, note: str, solved: Sequence[Solved], converged: Sequence[Converged]
) -> Result:
    """The result of a run, with the solved auctions."""
    head = folder.begun()
    played = {scheme: Games(folder, "games", scheme) for scheme in SCHEMES}
    hidden = {scheme: Games(folder, "hidden", scheme) for scheme in reversed(SCHEMES)}
    opened = Games(folder, "open", CONTRACT)
    four = {scheme: Games(folder, "four", scheme) for scheme in SCHEMES}
    gained = dict(zip(SHOWN, gains(hidden[CONTRACT]), strict=True))
    known = by_rank(gained[13], hidden[CONTRACT].hands[:, 3])
    dummy = by_rank(declarer_points(played[CONTRACT]), played[CONTRACT].hands[:, 3])

    def made(games: Games, at: int) -> tuple[NDArray[Any], NDArray[Any]]:
        outcomes = games.arm(at)
        return outcomes.made().astype(float), (outcomes.standing > 0).astype(float)

    source = (
        f"Played beforehand by `python -m benchmarks.place games`, bid by {head['caller']} and "
        f"played by {head['player']}"
    )
    return Result(
        PLAN.digest,
        source,
        told(note, solved),
        tuple(played[CONTRACT].codes[0, :SAMPLE].tolist()),
        tuple(solved),
        tuple(converged),
        corrected(row for scheme in SCHEMES for row in place_rows(played[scheme])),
        corrected(row for games in hidden.values() for row in shown_rows(games)),
        tuple(searched_row(games) for games in hidden.values()),
        tuple(
            Ranked(
                rank,
                stats.mean_interval(dummy[:, at]),
                stats.mean_interval(known[:, at]),
            )
            for at, rank in enumerate(RANKS)
        ),
        tuple(opened_row(opened, at, name) for at, name in enumerate(("closed", "open"))),
        tuple(
            tabled_row(games, at, players)
            for games in four.values()
            for at, players in enumerate((3, 4))
        ),
        tested(gained[6] - gained[13] / 2),
        tested(known[:, 0] - known[:, 3]),
        ratio_difference(made(opened, 1), made(opened, 0)),
        ratio_difference(made(four[CONTRACT], 0), made(four[CONTRACT], 1)),
    )


def with_solved(result: Result, tiny: Iterable[Path], note: str = "") -> Result:
    """A result with more solved auctions; those of a deck and a scoring replace what it had."""
    solved, converged = tiny_rows(tiny)
    new = {(row.deck, row.scoring) for row in solved}

    def others(rows: Iterable[Any]) -> list[Any]:
        return [row for row in rows if (row.deck, row.scoring) not in new]

    every = (*others(result.solved), *solved)
    return replace(
        result,
        solved=every,
        converged=(*others(result.converged), *converged),
        deviations=told(note, every),
    )


def main() -> None:
    """Sum up."""
    parser = argparse.ArgumentParser(description="The result of the study of places.")
    parser.add_argument("--games", type=Path)
    parser.add_argument("--tiny", type=Path, nargs="+", default=[])
    parser.add_argument("--result", type=Path, required=True)
    parser.add_argument("--note", default="", help="how else the run departs from its plan")
    options = parser.parse_args()
    if not (options.games or options.tiny):
        parser.error("games, solved auctions or both are needed")
    if options.games is None:
        found = with_solved(planned("place", Result, PLAN), options.tiny, options.note)
    else:
        if options.tiny:
            auctions: Any = tiny_rows(options.tiny)
        else:
            kept = planned("place", Result, PLAN)
            auctions = kept.solved, kept.converged
        found = result_of(folder_of(options.games), options.note, *auctions)
    write_atomic(options.result, dumps_result(found))


if __name__ == "__main__":
    in_one_line(main)
