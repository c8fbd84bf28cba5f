"""Whether it pays to model the opponents' hands by their calls, as the table does.

    python -m benchmarks.opponents leads [--leads 1500] [--seed 951] --out LEADS.jsonl
    tribridge arena match STRATEGIES --deals 167 --seed 952 --out FOLDER --result GAMES.json.gz
    python -m benchmarks.opponents result LEADS.jsonl GAMES.json.gz --result FILE.json

The names of the STRATEGIES are printed by `python -m benchmarks.opponents strategies`.

- `leads`: three players of `learned@3` bid for a rubber whose standing is drawn at random. The
  opening lead is the best on average, double dummy, over layouts drawn without regard to the calls,
  and over as many drawn by the beliefs of the table (`beliefs.table_beliefs`); each is then judged
  double dummy on the true deal. The file grows lead by lead; a run with the same file continues.
- the match: complete games of two strategies that bid alike and search alike, one without the calls
  and one with the beliefs of the table; 6 seatings of each deal. Its folder is continued likewise.
- `result`: the result in the package (`studies/opponents.json`).

Numbers and seeds were fixed before: 1,500 leads of seed 951, 167 deals (1,002 games) of seed 952.
At 5%, that many leads find a difference of 0.042 tricks a lead 8 times in 10 (standard deviation
0.58 on 60 leads of seed 950), and that many deals one of 2.6 points a game if the standard
deviation is 12 points a deal, as that of `forecast+sampling` to `points+maxims` in `ladder`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import numpy as np
import typer

from benchmarks.calibration import bid_out
from tribridge.arena import results
from tribridge.arena.results import MatchResult
from tribridge.beliefs import Beliefs, chairs, table_beliefs
from tribridge.cli.options import Progress
from tribridge.common import stats
from tribridge.common.errors import FormatError
from tribridge.common.files import check_place, write_atomic
from tribridge.game import view
from tribridge.lab.studies.opponents import Games, Leads, Result
from tribridge.lab.studies.study import dumps_result
from tribridge.strategies import decision_rng
from tribridge.strategies.players.search.evaluation import Clock, value_layouts
from tribridge.strategies.protocol import position_of
from tribridge.strategies.versions import caller_version, commit

LEADS: Final = 1500
SEED: Final = 951
CALLER: Final = "learned@3"
SETTING: Final = "auction-rubber"
LAYOUTS: Final = 6
"""Layouts solved for each lead, and each card in the games: few, so that games can be many."""
SEARCH: Final = f"sampling:layouts={LAYOUTS},playout=0,factor=1"
STRATEGIES: Final = tuple(
    f"{CALLER}+{search}" for search in (SEARCH, f"{SEARCH},calls=yes,calibrated=yes")
)

app = typer.Typer()


class Lead(NamedTuple):
    """What the two leads lost double dummy, in tricks."""

    number: int
    """Of the deal."""
    without: int
    by_calls: int
    differ: bool


def lead(number: int, seed: int = SEED, layouts: int = LAYOUTS) -> Lead | None:
    """The opening leads on a deal; None if it was passed out."""
    table = bid_out(SETTING, CALLER, seed, number)
    if table.contract is None or table.turn is None or table.position is None:
        return None
    seen = view(table, table.turn)
    position, lost = position_of(seen), []
    drawn = [
        belief.sample(layouts, decision_rng(seed, number, table.turn, 0))
        for belief in (Beliefs(seen), table_beliefs(seen))
    ]
    hands = [(a, b, c, d) for a, b, c, d in chairs(seen, np.concatenate(drawn)).tolist()]
    solved = value_layouts(position, seen.deck, [table.position.hands, *hands], Clock(None))
    cards = sorted(solved[0].values, key=lambda card: card.index)
    tricks = np.array([[one.values[card] for card in cards] for one in solved])
    chosen = []
    for part in (tricks[1 : layouts + 1], tricks[layouts + 1 :]):
        chosen.append(int(part.sum(axis=0).argmin()))
        lost.append(int(tricks[0, chosen[-1]] - tricks[0].min()))
    return Lead(number, lost[0], lost[1], chosen[0] != chosen[1])


def load_leads(path: Path) -> list[Lead]:
    """The leads in a file."""
    try:
        return [Lead(*json.loads(line)) for line in path.read_text("utf-8").splitlines()]
    except (TypeError, ValueError):
        raise FormatError(f"{path}: not leads of `python -m benchmarks.opponents`") from None


@app.command()
def strategies() -> None:
    """Print the strategies of the match."""
    print(*STRATEGIES)


@app.command()
def leads(
    out: Annotated[Path, typer.Option(help="File for the leads; a begun one grows.")],
    count: Annotated[int, typer.Option("--leads", min=2, help="Leads in all.")] = LEADS,
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = SEED,
    layouts: Annotated[int, typer.Option(help="Layouts for each lead.")] = LAYOUTS,
) -> None:
    """Choose opening leads with and without the calls, and judge them double dummy."""
    check_place(out)
    kept = load_leads(out) if out.exists() else []
    number = kept[-1].number + 1 if kept else 0
    with Progress("leads", count) as bar, out.open("a", encoding="utf-8") as file:
        while len(kept) < count:
            if (one := lead(number, seed, layouts)) is not None:
                kept.append(one)
                file.write(json.dumps(one) + "\n")
                file.flush()
            number += 1
            bar.update(0, len(kept))
    print(summary(kept))


def summary(kept: list[Lead]) -> Leads:
    """The leads with and without the calls, compared."""
    saved = np.array([one.without - one.by_calls for one in kept], float)
    return Leads(
        len(kept),
        sum(one.differ for one in kept),
        float(np.mean([one.without for one in kept])),
        float(np.mean([one.by_calls for one in kept])),
        stats.mean_interval(saved, bound=13),
        stats.paired(saved, bound=13).p,
    )


def games_of(match: MatchResult) -> Games:
    """The games of both strategies, compared by deal."""
    points = match.by_deal()
    gained = points[:, 1] - points[:, 0]
    return Games(
        len(match.games),
        match.deals,
        stats.mean_interval(gained),
        stats.paired(gained).p,
        float(gained.std(ddof=1)),
    )


@app.command()
def result(
    leads_file: Annotated[Path, typer.Argument(help="Leads of this program.")],
    games_file: Annotated[Path, typer.Argument(help="The result of the match.")],
    result: Annotated[Path, typer.Option(help="File for the result of the study.")],
) -> None:
    """Write the result of the study."""
    match = results.load(games_file)
    if not isinstance(match, MatchResult) or match.work.strategies != STRATEGIES:
        raise FormatError(f"{games_file}: not a match of {' and '.join(STRATEGIES)}")
    found = Result(
        f"{LAYOUTS} layouts for each choice, solved double dummy",
        f"bid by three players of {caller_version(CALLER)} for {SETTING}, deals of seed {SEED}, "
        f"by `python -m benchmarks.opponents leads`, commit {commit()}",
        match.origin.note,
        summary(load_leads(leads_file)),
        games_of(match),
    )
    write_atomic(result, dumps_result(found))


if __name__ == "__main__":
    app()
