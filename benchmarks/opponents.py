"""Whether it pays to model the opponents' hands by their calls, as the table does.

    python -m benchmarks.opponents leads [--leads 1500] [--seed 951] --out LEADS.jsonl
    tribridge arena match STRATEGIES --deals 167 --seed 952 --out FOLDER --result GAMES.json.gz
    python -m benchmarks.opponents result LEADS.jsonl GAMES.json.gz --result FILE.json

The names of the STRATEGIES are printed by `python -m benchmarks.opponents strategies`.

- `leads`: three players of `learned@3` bid for a rubber whose standing is drawn at random. The
  opening lead is the best on average, double dummy, over layouts drawn without regard to the calls,
  over as many drawn by the beliefs of the table (`beliefs.table_beliefs`), and over as many drawn
  by the belief of the network of `learned`: what a policy that searches gains by a posterior, and
  by which. Each lead is then judged double dummy on the true deal. The file grows lead by lead; a
  run with the same file continues.
- the match: complete games of two strategies that bid alike and search alike, one without the calls
  and one with the beliefs of the table; 6 seatings of each deal. Its folder is continued likewise.
- `result`: the result of both, as a study of the package reads it.

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
from benchmarks.refusals import in_one_line
from tribridge.arena import results
from tribridge.arena.results import MatchResult
from tribridge.beliefs import Beliefs, chairs, table_beliefs
from tribridge.cli.options import Progress
from tribridge.common import stats
from tribridge.common.errors import FormatError
from tribridge.common.files import check_place, write_atomic
from tribridge.common.tables import corrected
from tribridge.game import view
from tribridge.lab.studies.opponents import WAYS, Games, Leads, Result
from tribridge.lab.studies.study import dumps_result
from tribridge.networks.play import observe, steps_of
from tribridge.strategies import decision_rng
from tribridge.strategies.learned.player import heads
from tribridge.strategies.learned.search import believed
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

POWER: Final = 1.960 + 0.842
"""Standard errors that a difference must have to be found at 5% 8 times in 10."""

app = typer.Typer()


class Lead(NamedTuple):
    """What the leads lost double dummy, in tricks, by how their layouts were drawn."""

    number: int
    """Of the deal."""
    cards: tuple[str, ...]
    lost: tuple[int, ...]
    """In the order of `WAYS`."""


def lead(number: int, seed: int = SEED, layouts: int = LAYOUTS) -> Lead | None:
    """The opening leads on a deal; None if it was passed out."""
    table = bid_out(SETTING, CALLER, seed, number)
    if table.contract is None or table.turn is None or table.position is None:
        return None
    seen = view(table, table.turn)
    rngs = [decision_rng(seed, number, table.turn, at) for at in range(len(WAYS))]
    belief = heads(observe(seen), steps_of(seen))[1]
    drawn = [
        chairs(seen, Beliefs(seen).sample(layouts, rngs[0])),
        chairs(seen, table_beliefs(seen).sample(layouts, rngs[1])),
        believed(seen, belief, layouts, rngs[2])[0],
    ]
    hands = [(a, b, c, d) for part in drawn for a, b, c, d in part.tolist()]
    position = position_of(seen)
    solved = value_layouts(position, seen.deck, [table.position.hands, *hands], Clock(None))
    cards = sorted(solved[0].values, key=lambda card: card.index)
    tricks = np.array([[layout.values[card] for card in cards] for layout in solved])
    parts = tricks[1:].reshape(len(WAYS), layouts, len(cards)).sum(axis=1)
    chosen = parts.argmin(axis=1)
    lost = tricks[0, chosen] - tricks[0].min()
    return Lead(number, tuple(str(cards[at]) for at in chosen), tuple(lost.tolist()))


def load_leads(path: Path) -> tuple[str, list[Lead]]:
    """The commit that chose the leads in a file, and the leads."""
    try:
        head, *rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        found = [Lead(number, tuple(cards), tuple(lost)) for number, cards, lost in rows]
        return head["commit"], found
    except (KeyError, TypeError, ValueError):
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
    begun, chosen = load_leads(out) if out.exists() else (commit(), [])
    if begun != commit():
        raise FormatError(
            f"{out}: begun at commit {begun}, and this is {commit()}: finish it there"
        )
    number = chosen[-1].number + 1 if chosen else 0
    with Progress("leads", count) as bar, out.open("a", encoding="utf-8") as file:
        if not chosen:
            file.write(json.dumps({"commit": begun}) + "\n")
        while len(chosen) < count:
            if (found := lead(number, seed, layouts)) is not None:
                chosen.append(found)
                file.write(json.dumps(found) + "\n")
                file.flush()
            number += 1
            bar.update(0, len(chosen))
    for row in summary(chosen):
        print(row)


def summary(chosen: list[Lead]) -> tuple[Leads, ...]:
    """What leads lose by how their layouts are drawn, compared with uniform layouts."""
    lost = np.array([lead.lost for lead in chosen], float)
    rows = []
    for at, way in enumerate(WAYS):
        saved = lost[:, 0] - lost[:, at]
        differ = sum(lead.cards[at] != lead.cards[0] for lead in chosen)
        span = None if at == 0 else stats.mean_interval(saved, bound=13)
        p = None if at == 0 else stats.paired(saved, bound=13).p
        rows.append(Leads(way, len(chosen), differ, float(lost[:, at].mean()), span, p))
    return corrected(rows)


def games_of(match: MatchResult) -> Games:
    """The games of both strategies, compared by deal."""
    points = match.by_deal()
    gained = points[:, 1] - points[:, 0]
    return Games(
        len(match.games),
        match.deals,
        stats.mean_interval(gained),
        stats.paired(gained).p,
        (sd := float(gained.std(ddof=1))),
        POWER * sd / match.deals**0.5,
    )


@app.command()
def result(
    leads_file: Annotated[Path, typer.Argument(help="Leads of this program.")],
    games_file: Annotated[Path, typer.Argument(help="The result of the match.")],
    result: Annotated[Path, typer.Option(help="File for the result of the study.")],
) -> None:
    """Write the result of the study."""
    match = results.load(games_file)
    if not isinstance(match, MatchResult) or match.work.names != STRATEGIES:
        raise FormatError(f"{games_file}: not a match of {' and '.join(STRATEGIES)}")
    led_at, chosen = load_leads(leads_file)
    found = Result(
        f"{LAYOUTS} layouts for each choice, solved double dummy",
        f"bid by three players of {caller_version(CALLER)} for {SETTING}, deals of seed {SEED}, "
        f"by `python -m benchmarks.opponents leads`, commit {led_at}",
        match.origin.note,
        summary(chosen),
        (games_of(match),),
    )
    write_atomic(result, dumps_result(found))


if __name__ == "__main__":
    in_one_line(app)
