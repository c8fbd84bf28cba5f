"""An open dummy on the full deck: the same contracts with dummy open and closed.

    python -m benchmarks.closed play --out GAMES.jsonl [--contracts 400] [--part 0/2]
    python -m benchmarks.closed leads --out LEADS.jsonl [--part 0/2]
    python -m benchmarks.closed result --games GAMES.jsonl ... --leads LEADS.jsonl ... --result FILE

The plan is `studies/closed.plan.toml`. Three learned bidders bid, and a search plays
(`lab.studies.closed_play`); a contract takes about four seconds of one core in the three ways.
Files grow contract by contract, and a run with the same file goes on; parts are for several cores.
`leads` chooses the leads of the first contracts again, by more layouts. It needs endplay. The
games of the result in the package are in `results/closed.jsonl`, the leads in `closed-leads.jsonl`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.refusals import in_one_line
from tribridge.cards.cards import FULL_DECK
from tribridge.common import stats
from tribridge.common.errors import FormatError, SettingError
from tribridge.common.files import write_atomic
from tribridge.common.tables import corrected
from tribridge.game.position import Position
from tribridge.game.scoring import find_scheme
from tribridge.lab.studies.closed import (
    LATER,
    LEAD,
    PLAN,
    SCHEME,
    WHOLE,
    Blind,
    Gap,
    Result,
    Sample,
    Tested,
    Way,
)
from tribridge.lab.studies.closed_play import (
    DUMMIES,
    Dummy,
    best,
    play,
    seed_of,
    solver_of,
    start,
    values,
)
from tribridge.lab.studies.study import dumps_result
from tribridge.lab.training.whole_games import Outcomes, Table, deals, settled
from tribridge.networks.auction import STRAINS
from tribridge.strategies.learned.releases import CALLER

F64 = NDArray[np.float64]
SEED: Final = PLAN.seeds["games"]
DEALT: Final = 512
"""Deals of which the contracts are the first that are bid."""
TRICKS: Final = 13.0
SAMPLED: Final = 6
"""Contracts that a report can play again."""
REPORTED: Final = 114
"""Contracts that had been looked at and reported before the others were played."""
app = typer.Typer()
Out = Annotated[Path, typer.Option(help="A file; continued if it is there.")]
Part = Annotated[str, typer.Option(help="Every so many contracts, from this one on.")]


def head() -> dict[str, Any]:
    """What rows of one study agree in."""
    return {"plan": PLAN.digest, "caller": f"learned@{CALLER.version} ({CALLER.files[0][2]})"}


def contracts() -> Iterator[tuple[int, int, int, Position]]:
    """Number, bidder and bid of every contract, with the position before the lead."""
    hands = deals(SEED, 0, DEALT)
    games = Table(find_scheme(SCHEME)).bid(hands)
    for number in np.flatnonzero(games.standing > 0).tolist():
        bidder, bid = int(games.bidder[number]), int(games.standing[number]) - 1
        yield number, bidder, bid, start(hands[number].tolist(), bidder, bid)


def read(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The rows of files that were made under the plan and by the bidder of today, in order."""
    rows = []
    for path in paths:
        lines = path.read_text("utf-8").splitlines()
        try:
            first, *others = map(json.loads, lines)
        except ValueError:
            raise FormatError(f"{path}: a line is cut off; delete it to continue") from None
        if first != head():
            raise FormatError(f"{path}: under another plan or by another bidder; use another file")
        rows += others
    return sorted(rows, key=lambda row: row["number"])


def grow(path: Path, part: str, count: int, row: Any) -> None:
    """Add rows for contracts that a file does not have."""
    first, _, every = part.partition("/")
    if not (first.isdigit() and every.isdigit() and int(first) < int(every)):
        raise SettingError(f"--part {part}: expected one as in 0/2")
    if not path.exists():
        path.write_text(json.dumps(head()) + "\n", "utf-8")
    done = {each["number"] for each in read([path])}
    for at, (number, bidder, bid, position) in enumerate(contracts()):
        if at == count:
            return
        if at % int(every) != int(first) or number in done:
            continue
        found = {"number": number, "bidder": bidder, "bid": bid} | row(number, position)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")


@app.command("play")
def play_all(
    out: Out,
    count: Annotated[int, typer.Option("--contracts", min=1)] = PLAN.sizes["contracts"],
    part: Part = "0/1",
) -> None:
    """Play contracts in the three ways."""
    grow(out, part, count, played)


def played(number: int, position: Position) -> dict[str, Any]:
    """A contract in the three ways, with the leads and what they leave declarer double dummy."""
    ended = play(position, PLAN.sizes["layouts"], SEED, number)
    after = solver_of(FULL_DECK).cards(position)
    leads = [next(ended[way].plays())[1] for way in DUMMIES]
    return {
        "tricks": [ended[way].won for way in DUMMIES],
        "leads": [card.index for card in leads],
        "after": [after[card] for card in leads],
        "best": min(after.values()),
    }


@app.command("leads")
def lead_all(
    out: Out,
    count: Annotated[int, typer.Option("--contracts", min=1)] = PLAN.sizes["leads"],
    part: Part = "0/1",
) -> None:
    """Choose leads by more layouts."""
    grow(out, part, count, led)


def led(number: int, position: Position) -> dict[str, Any]:
    """The leads of a contract, dummy seen and not, and what they leave declarer double dummy."""
    after, leads = solver_of(FULL_DECK).cards(position), []
    for shown in (True, False):
        found = values(position, shown, PLAN.sizes["lead_layouts"], seed_of(SEED, number, position))
        leads.append(best(position, *found))
    return {
        "leads": [card.index for card in leads],
        "after": [after[card] for card in leads],
        "best": min(after.values()),
    }


def points_of(rows: Sequence[Mapping[str, Any]]) -> F64:
    """Declarer's settlement points, by contract and way."""
    bidder, standing = (np.array([row[name] for row in rows]) for name in ("bidder", "bid"))
    tricks = np.array([row["tricks"] for row in rows])
    every = np.arange(len(rows))
    columns = [
        settled(Outcomes(bidder, standing + 1, tricks[:, way]), find_scheme(SCHEME))[every, bidder]
        for way in range(len(DUMMIES))
    ]
    return np.stack(columns, 1)


def result_of(rows: Sequence[Mapping[str, Any]], more: Sequence[Mapping[str, Any]]) -> Result:
    """The tables of the study."""
    sizes = PLAN.sizes
    tricks = np.array([row["tricks"] for row in rows], float)
    points, bids = points_of(rows), np.array([row["bid"] for row in rows])
    level, notrump = bids // STRAINS + 1, bids % STRAINS == STRAINS - 1
    opened, for_lead, closed = (DUMMIES.index(way) for way in Dummy)
    parts = {WHOLE: (closed, opened), LEAD: (for_lead, opened), LATER: (closed, for_lead)}
    gaps = []
    for name, chosen in (("all", notrump | True), ("notrump", notrump), ("suits", ~notrump)):
        if chosen.sum() < stats.FEWEST_DEALS:
            continue
        for part, (one, other) in parts.items():
            gained = (tricks[:, one] - tricks[:, other])[chosen]
            worth = (points[:, one] - points[:, other])[chosen]
            spans = stats.mean_interval(gained, bound=TRICKS), stats.mean_interval(worth)
            p = stats.paired(gained, bound=TRICKS).p
            gaps.append(Gap(part, *spans, name, int(chosen.sum()), p))
    ways = [
        Way(
            str(way),
            len(rows),
            float(tricks[:, at].mean()),
            100 * float((tricks[:, at] >= level + FULL_DECK.book).mean()),
            float(points[:, at].mean()),
        )
        for at, way in enumerate(DUMMIES)
    ]
    found = ((sizes["layouts"], rows, (opened, closed)), (sizes["lead_layouts"], more, (0, 1)))
    blind = [blind_row(*each) for each in found if len(each[1]) >= stats.FEWEST_DEALS]
    whole, lead = tricks[:, closed] - tricks[:, opened], tricks[:, for_lead] - tricks[:, opened]
    after = np.array([row["after"] for row in rows], float)
    tested = [
        _tested("closed", whole),
        _tested("tenth", whole, PLAN_LIMITS["tenth"]),
        _tested("lead", lead),
        _tested("later", whole - 2 * lead),
        _tested("points", points[:, closed] - points[:, opened], bound=np.inf),
        _tested("blind", after[:, closed] - after[:, opened]),
    ]
    source = (
        f"Contracts of three learned bidders ({head()['caller']}) under `{SCHEME}`, deals of seed "
        f"{SEED}, played by a search of {sizes['layouts']} layouts a choice in all chairs "
        "(`python -m benchmarks.closed play`)"
    )
    sample = [
        Sample(row["number"], row["bidder"], row["bid"], tuple(row["tricks"]))
        for row in rows[:SAMPLED]
    ]
    short = [
        f"{len(done)} of {sizes[name]} {name}"
        for name, done in (("contracts", rows), ("leads", more))
        if len(done) < sizes[name]
    ]
    otherwise = [f"There was time for {' and '.join(short)}."] if short else []
    if len(rows) > REPORTED:
        otherwise.append(
            f"The first {REPORTED} contracts had been reported before the others were played; how "
            "many there would be was not changed."
        )
    return Result(
        PLAN.digest,
        source,
        " ".join(otherwise),
        float(level.mean()),
        tuple(ways),
        corrected(gaps),
        tuple(blind),
        tuple(tested),
        tuple(sample),
    )


PLAN_LIMITS: Final = {each.id: each.limit for each in PLAN.hypotheses}


def _tested(name: str, found: F64, limit: float = 0.0, bound: float = TRICKS) -> Tested:
    p = stats.paired(found - limit, bound=bound).p
    return Tested(name, stats.mean_interval(found, bound=bound), p)


def blind_row(layouts: int, rows: Sequence[Mapping[str, Any]], which: tuple[int, int]) -> Blind:
    """What leads cost with dummy seen and not."""
    after = np.array([row["after"] for row in rows], float)[:, which]
    best_of = np.array([row["best"] for row in rows], float)
    leads = np.array([row["leads"] for row in rows])[:, which]
    cost = after - best_of[:, None]
    return Blind(
        layouts,
        len(rows),
        stats.mean_interval(cost[:, 0], bound=TRICKS),
        stats.mean_interval(cost[:, 1], bound=TRICKS),
        stats.mean_interval(cost[:, 1] - cost[:, 0], bound=TRICKS),
        100 * float((leads[:, 0] != leads[:, 1]).mean()),
    )


@app.command()
def result(
    games: Annotated[list[Path], typer.Option(help="What `play` wrote.")],
    out: Annotated[Path, typer.Option("--result", help="The file of the study.")],
    leads: Annotated[list[Path] | None, typer.Option(help="What `leads` wrote.")] = None,
) -> None:
    """Write the result: the contracts that were played without a gap, from the first on."""
    every = [number for number, *_ in contracts()]
    rows, more = (unbroken(read(paths), every) for paths in (games, leads or []))
    write_atomic(out, dumps_result(result_of(rows, more)))


def unbroken(rows: list[dict[str, Any]], every: Sequence[int]) -> list[dict[str, Any]]:
    """The rows of the first contracts, up to the first that is missing."""
    found = {row["number"]: row for row in rows}
    kept: list[dict[str, Any]] = []
    for number in every:
        if number not in found:
            break
        kept.append(found[number])
    return kept


if __name__ == "__main__":
    in_one_line(app)
