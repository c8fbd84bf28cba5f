"""The calls of `learned` in rubbers: what a review says of them, and what they earn.

    python -m benchmarks.rubbers play out/rubbers [--rubbers 500] [--seed 8]
    python -m benchmarks.rubbers judge out/rubbers [--rubbers 500] [--layouts 200]
    python -m benchmarks.rubbers list out/rubbers
    python -m benchmarks.rubbers lengths out/rubbers > benchmarks/results/rubber-lengths.json

`play` plays rubbers between three bots of the table's strongest level, with doubles, under the
default laws. `judge` reviews every call. For a call that the review blames, the same bots play the
same deal on from the call that the review prefers: the review did not see the hidden cards, so on
average the better call earns more. Points are half of what a deal settles, honours and the change
of the standing included, as everywhere in a review. `list` prints the calls, and how often a call
is blamed and what it then cost. `lengths` says how many rubbers took how many deals; those in the
repository are the first 200.

There is one file for each rubber; files that are there are left alone, so the same command goes on
where it was stopped. Seed 8 is that of the deals that the forecasts were checked with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmarks.refusals import in_one_line
from tribridge.advice.rubber_payoffs import DEFAULT_LAWS
from tribridge.arena.playing import play as play_deal
from tribridge.arena.playing import play_rubber
from tribridge.cards.deals import Seat
from tribridge.club.core.bots import levels
from tribridge.common import codec
from tribridge.common.files import read_text, write_atomic
from tribridge.common.stats import mean_interval, proportion
from tribridge.game import PASS, Bid, Outcome, Record, Table, find_scheme, record_of, view
from tribridge.game.laws import find_laws, honour_items
from tribridge.game.record import dumps, load
from tribridge.game.rubber_worth import deal_worth
from tribridge.game.scoring import settle
from tribridge.game.standing import dealt_honours
from tribridge.reviews import Verdict
from tribridge.reviews.calls import judge_call
from tribridge.reviews.judging import LAYOUTS, Plan
from tribridge.reviews.values import NamedAction
from tribridge.strategies import Strategy, decision_rng, find_strategy

Folder = Annotated[Path, typer.Argument(help="The folder of the rubbers.")]
Rubbers = Annotated[int, typer.Option(help="How many rubbers.", min=1)]
Start = Annotated[int, typer.Option(help="The number of the first one.", min=0)]
Step = Annotated[int, typer.Option(help="2: every second rubber, for two processes.", min=1)]
app = typer.Typer(add_completion=False, no_args_is_help=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A call of a rubber that a review has judged."""

    deal: int
    """Counted from 0 in the rubber."""
    at: int
    """Calls before it."""
    seat: Seat
    call: NamedAction
    verdict: Verdict
    best: NamedAction
    loss: float = 0.0
    """What the review takes the call to lose."""
    earned: float | None = None
    """What the deal brought its caller; None if the call was not blamed."""
    instead: float | None = None
    """What it brings when the same players go on from the best call."""


def bots() -> list[Strategy]:
    """Three bots of the strongest level."""
    return [find_strategy(levels()[-1].strategy) for _ in Seat]


@app.command()
def play(
    folder: Folder, rubbers: Rubbers = 500, seed: int = 8, start: Start = 0, step: Step = 1
) -> None:
    """Play rubbers."""
    folder.mkdir(parents=True, exist_ok=True)
    players, laws = bots(), find_laws(DEFAULT_LAWS)
    for number in range(start, rubbers, step):
        file = folder / f"{number:04}.jsonl"
        if not file.exists():
            games = play_rubber(players, laws, seed=seed, number=number, doubles=True)
            write_atomic(file, dumps(record_of(game.table, seed=seed) for game in games))
            typer.echo(f"rubber {number}: {len(games)} deals")


@app.command()
def judge(
    folder: Folder,
    rubbers: Rubbers = 500,
    seed: int = 8,
    start: Start = 0,
    step: Step = 1,
    layouts: Annotated[int, typer.Option(help="Layouts for each call.", min=1)] = LAYOUTS,
) -> None:
    """Review the calls of rubbers; those that are missing are played."""
    play(folder, rubbers, seed, start, step)
    players = bots()
    for number in range(start, rubbers, step):
        file = folder / f"{number:04}.calls.json"
        if not file.exists():
            deals = load(folder / f"{number:04}.jsonl")
            judged = [
                one for at, deal in enumerate(deals) for one in _judged(at, deal, players, layouts)
            ]
            write_atomic(file, codec.dumps(judged, list[Judged]))
            blamed = sum(call.verdict.wrong for call in judged)
            typer.echo(f"rubber {number}: {blamed} of {len(judged)} calls blamed")


def _judged(at: int, deal: Record, players: Sequence[Strategy], layouts: int) -> Iterator[Judged]:
    """The calls of a deal that left a choice."""
    end = deal.replay()
    for made, (table, call) in enumerate(zip(deal.states(), end.auction.calls, strict=False)):
        seat = table.turn
        assert seat is not None
        rng = decision_rng(Plan().seed, 0, seat, made)  # as in a review
        seed = int(rng.integers(1 << 31))
        judgement = judge_call(
            made + 1, view(table, seat), call, find_scheme("auction"), layouts, seed
        )
        best = judgement.best
        if best is None:
            continue
        verdict, earned, instead = judgement.verdict, None, None
        if verdict.wrong:
            assert deal.seed is not None
            given = (*end.auction.calls[:made], best.action)
            start = next(iter(deal.states()))
            other = play_deal(start, players, seed=deal.seed, number=0, given=given).table
            earned, instead = (points(one, seat) for one in (end, other))
        yield Judged(
            deal=at,
            at=made,
            seat=seat,
            call=call,
            verdict=verdict,
            best=best.action,
            loss=judgement.points_loss,
            earned=earned,
            instead=instead,
        )


def points(table: Table, seat: Seat) -> float:
    """What a finished deal of a rubber was worth to a player: half of what it settles."""
    outcome, rubber = table.outcome, table.rubber
    assert isinstance(outcome, Outcome)
    assert rubber is not None
    contract = outcome.contract
    if contract is None:
        return 0.0
    held = dealt_honours(table.deal, contract)
    north, east, south, dummy = map(len, held)
    scored = [0, 0, 0]
    counts = north, east, south, dummy
    for item in honour_items(rubber.laws, contract.bid.strain, contract.declarer, counts):
        scored[item.seat] += item.points
    honours = settle((scored[0], scored[1], scored[2]))[seat]
    return (deal_worth(rubber, contract, outcome.tricks)[seat] + float(honours)) / 2


@app.command(name="list")
def show(folder: Folder, all_calls: Annotated[bool, typer.Option("--all")] = False) -> None:
    """Print what has been judged; with `--all`, every call that was blamed."""
    groups: dict[str, list[Judged]] = {}
    total, rubbers = 0, 0
    for file in sorted(folder.glob("*.calls.json")):
        judged = codec.loads(read_text(file), list[Judged], str(file))
        deals = load(folder / file.name.replace(".calls.json", ".jsonl"))
        total, rubbers = total + len(judged), rubbers + 1
        for one in judged:
            if not one.verdict.wrong:
                continue
            for group in ("all", one.verdict.value, _kind(one, deals[one.deal])):
                groups.setdefault(group, []).append(one)
            if all_calls:
                typer.echo(_line(file.name[:4], one, deals[one.deal]))
    typer.echo(f"{rubbers} rubbers, {total} calls with a choice")
    for group, calls in sorted(groups.items(), key=lambda item: -len(item[1])):
        rate = proportion(len(calls), total)
        gain = mean_interval([(one.instead or 0) - (one.earned or 0) for one in calls])
        said = np.mean([one.loss for one in calls])
        typer.echo(
            f"{group:34} {len(calls):5} ({rate.estimate:.1%}, {rate.low:.1%} to {rate.high:.1%}); "
            f"the review: {said:+6.1f} points better, played out: {gain:+.1f}"
        )


@app.command()
def lengths(folder: Folder) -> None:
    """Print how many rubbers took how many deals."""
    played = Counter(len(load(file)) for file in folder.glob("????.jsonl"))
    typer.echo(codec.dumps({DEFAULT_LAWS: dict(sorted(played.items()))}))


def _kind(one: Judged, deal: Record) -> str:
    """What the review would have done in place of what."""
    before = [call for call in deal.replay().auction.calls[: one.at] if isinstance(call, Bid)]
    kinds = [
        "pass" if call is PASS else "bid" if isinstance(call, Bid) else "double"
        for call in (one.call, one.best)
    ]
    if kinds == ["bid", "bid"]:
        own, best = one.call, one.best
        assert isinstance(own, Bid)
        assert isinstance(best, Bid)
        same = "same strain" if own.strain is best.strain else "other strain"
        kinds = ["bid", ("higher" if best > own else "lower") + f" bid, {same}"]
    return f"{'over a bid' if before else 'opening'}: {kinds[0]}, not {kinds[1]}"


def _line(rubber: str, one: Judged, deal: Record) -> str:
    auction = " ".join(str(call) for call in deal.replay().auction.calls[: one.at]) or "-"
    standing = None if deal.rubber is None else deal.rubber.standing
    played = "" if one.instead is None else f" earned {one.earned:+.0f}, {one.instead:+.0f} with it"
    return (
        f"{rubber}.{one.deal} {one.seat} {deal.deal.hands[one.seat]} after {auction}, "
        f"{standing}: {one.call} {one.verdict}, {one.best} better by {one.loss:.0f};{played}"
    )


if __name__ == "__main__":
    in_one_line(app)
