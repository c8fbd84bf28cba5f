"""`tribridge arena`: strategies against each other on the same deals, with tests."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tribridge.cli.arena_show import show_tables
from tribridge.cli.arena_tools import AsJson, exact, list_, power, settle, show
from tribridge.cli.meter import Meter
from tribridge.cli.simulate import parse_whole
from tribridge.errors import SettingError

if TYPE_CHECKING:
    from tribridge.arena.analysis import Pair
    from tribridge.arena.results import MatchResult, Origin, PlayResult
    from tribridge.arena.running import Decision, Played
    from tribridge.arena.work import MatchWork, PlayWork, Summary
    from tribridge.studies.tidy import Table

app = typer.Typer(help="Strategies against each other on the same deals.", no_args_is_help=True)

Names = Annotated[
    list[str],
    typer.Argument(help="Strategies by name, as maxims or sampling:layouts=20; see arena list."),
]
Deals = Annotated[str, typer.Option(help="How many deals; 1e4 is understood.")]
Start = Annotated[str, typer.Option(help="Number of the first deal.")]
Seed = Annotated[int, typer.Option(help="Seed of the deals and of all chance.")]
SchemeName = Annotated[str, typer.Option(help="Scoring scheme, by name or as FILE[:NAME].")]
DeckName = Annotated[str, typer.Option(help="Deck, suits x ranks.")]
Limit = Annotated[
    float | None, typer.Option(help="Seconds that a choice may take; later is a fault.")
]
OnError = Annotated[
    str, typer.Option(help="After a fault: go-on with a stand-in's choice, or stop.")
]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder for records, results and the page; a stopped run goes on there."),
]
ResultFile = Annotated[
    Path | None,
    typer.Option("--result", help="Write the result to this file as well (.json[.gz])."),
]
ProcessCount = Annotated[int, typer.Option("--processes", help="Processes; 0 for all cores.")]
ClusterAddress = Annotated[
    str | None, typer.Option(help="Play on the Dask cluster at this address.")
]
Chunk = Annotated[int, typer.Option(help="Deals in a file of records.")]
Sequential = Annotated[
    bool, typer.Option("--sequential", help="Stop as soon as all comparisons are decided.")
]
Alpha = Annotated[float, typer.Option(help="Error rate of the sequential test, over all pairs.")]
Smallest = Annotated[
    float, typer.Option(help="The sequential test treats differences below this as none.")
]
Cap = Annotated[
    float | None,
    typer.Option(
        help="Most that a deal counts in the sequential test.",
        show_default="the largest difference that the scoring allows",
    ),
]

_STEP = 10
"""Deals between two looks of the sequential test."""


@app.command()
def play(
    strategies: Names,
    against: Annotated[
        list[str] | None,
        typer.Option(help="A defence; may be given again.", show_default="the strategies"),
    ] = None,
    deals: Deals = "100",
    seed: Seed = 1,
    start: Start = "0",
    strain: Annotated[
        str, typer.Option(help="Strain of all contracts, or auto: the best fit, else notrump.")
    ] = "auto",
    contracts: Annotated[
        str,
        typer.Option(
            help="Rule of declarer and level: forecast (declarer's and dummy's cards alone) or "
            "double-dummy (all cards, so the contract gives hidden cards away)."
        ),
    ] = "forecast",
    scheme: SchemeName = "auction",
    deck: DeckName = "4x13",
    limit: Limit = None,
    on_error: OnError = "go-on",
    out: Out = None,
    result_file: ResultFile = None,
    processes: ProcessCount = 0,
    cluster: ClusterAddress = None,
    chunk: Chunk = 5,
    sequential: Sequential = False,
    alpha: Alpha = 0.001,
    smallest: Smallest = 0.0,
    cap: Cap = None,
    as_json: AsJson = False,
) -> None:
    """Zero-sum play: each declarer against each defence, same contracts, same deals."""
    from tribridge.arena import analysis
    from tribridge.arena.results import play_result
    from tribridge.arena.work import PlayWork
    from tribridge.cards import parse_deck, parse_strain
    from tribridge.studies.arena_tables import play_tables

    work = PlayWork(
        tuple(strategies),
        tuple(against or strategies),
        seed,
        None if strain.lower() == "auto" else parse_strain(strain),
        scheme,
        parse_deck(deck),
        limit,
        _stops(on_error),
        contracts,
    )

    def pairs(games: Sequence[Summary]) -> list[Pair]:
        return [one.capped(cap) for one in analysis.play_pairs(play_result(work, games))]

    decide = _decide(pairs, sequential, alpha, smallest)
    played, origin = _run(work, deals, start, out, processes, cluster, chunk, decide)
    result = play_result(work, played.summaries, origin)
    tables = play_tables(result)
    if sequential:
        tables += (_sequential_table(pairs(played.summaries), alpha, smallest, "tricks"),)
    _finish(result, tables, played, out, result_file, as_json)


@app.command()
def match(
    strategies: Names,
    deals: Deals = "100",
    seed: Seed = 1,
    start: Start = "0",
    scheme: SchemeName = "auction",
    deck: DeckName = "4x13",
    doubles: Annotated[bool, typer.Option("--doubles", help="Allow doubles.")] = False,
    limit: Limit = None,
    on_error: OnError = "go-on",
    out: Out = None,
    result_file: ResultFile = None,
    processes: ProcessCount = 0,
    cluster: ClusterAddress = None,
    chunk: Chunk = 5,
    sequential: Sequential = False,
    alpha: Alpha = 0.001,
    smallest: Smallest = 0.0,
    cap: Cap = None,
    as_json: AsJson = False,
) -> None:
    """Whole games of three: every trio in every seating on the same deals."""
    from tribridge.arena import analysis
    from tribridge.arena.results import match_result
    from tribridge.arena.work import MatchWork
    from tribridge.cards import parse_deck
    from tribridge.studies.arena_tables import match_tables

    work = MatchWork(
        tuple(strategies), seed, scheme, parse_deck(deck), doubles, limit, _stops(on_error)
    )

    def pairs(games: Sequence[Summary]) -> list[Pair]:
        return [one.capped(cap) for one in analysis.match_pairs(match_result(work, games))]

    decide = _decide(pairs, sequential, alpha, smallest)
    played, origin = _run(work, deals, start, out, processes, cluster, chunk, decide)
    result = match_result(work, played.summaries, origin)
    tables = match_tables(result)
    if sequential:
        tables += (_sequential_table(pairs(played.summaries), alpha, smallest, "points"),)
    _finish(result, tables, played, out, result_file, as_json)


def _stops(on_error: str) -> bool:
    if on_error not in ("go-on", "stop"):
        raise SettingError(f"--on-error {on_error!r} is unknown: expected go-on or stop")
    return on_error == "stop"


def _decide(
    pairs: Callable[[Sequence[Summary]], list[Pair]], wanted: bool, alpha: float, smallest: float
) -> Decision | None:
    if not wanted:
        return None
    if not 0 < alpha < 1 or not smallest >= 0:
        raise SettingError("--alpha lies between 0 and 1, --smallest is 0 or more")
    from tribridge.arena.analysis import decide_by

    def decide(games: Sequence[Summary]) -> int | None:
        return decide_by(pairs(games), alpha, smallest, _STEP)

    return decide


def _run(
    work: PlayWork | MatchWork,
    deals: str,
    start: str,
    out: Path | None,
    processes: int,
    cluster: str | None,
    chunk: int,
    decide: Decision | None,
) -> tuple[Played, Origin]:
    from tribridge import engine
    from tribridge.arena.results import new_origin
    from tribridge.arena.running import backend, run

    wanted = engine.check_deals(parse_whole(start, "start"), parse_whole(deals, "deals"))
    if wanted[1] - wanted[0] < 2:
        raise SettingError("the arena needs at least two deals: nothing can be said of one")
    where = backend(processes, cluster)
    begin = time.monotonic()
    meter = Meter("playing", wanted[1] - wanted[0])
    try:
        played = run(
            work, wanted, where, folder=out, chunk=chunk, decide=decide, progress=meter.tell
        )
    except KeyboardInterrupt:
        meter.stop()
        kept = f"finished files are kept in {out}; the same command goes on from there"
        print(
            f"tribridge: interrupted: {kept if out else 'nothing is kept without --out'}",
            file=sys.stderr,
        )
        sys.exit(130)
    finally:
        meter.stop()
    count = wanted[1] - wanted[0] if played.decided is None else played.decided
    return played, new_origin(work, wanted[0], count, time.monotonic() - begin)


def _finish(
    result: PlayResult | MatchResult,
    tables: tuple[Table, ...],
    played: Played,
    out: Path | None,
    result_file: Path | None,
    as_json: bool,
) -> None:
    """Write results and page to the folder, and show the tables."""
    from tribridge.arena.results import save
    from tribridge.report.paper import plain

    page = None
    if result_file is not None:
        save(result, result_file)
    if out is not None:
        from tribridge.report.arena import write_page

        save(result, out / "result.json")
        page = write_page(result, tables, out)
    if as_json:
        told = {
            "work": result.work.describe(),
            "deals": result.deals,
            "kept": played.kept,
            "made": played.made,
            "damaged": played.damaged,
            "decided": played.decided,
            "seconds": result.origin.seconds,
            "tables": {table.name: table.records() for table in tables},
            "notes": {table.name: table.note for table in tables},
        }
        print(json.dumps(plain(told)))
        return
    show_tables(list(tables))
    for name in played.damaged:
        print(f"{name} was damaged and played again")
    if played.decided is not None:
        print(f"decided after {played.decided:,} deals")
    if result.faults:
        print(f"{len(result.faults):,} faults: see the table of faults", file=sys.stderr)
    if page is not None:
        print(f"{page}  ({result.origin.seconds:.0f} s)")


def _sequential_table(pairs: list[Pair], alpha: float, smallest: float, unit: str) -> Table:
    from tribridge.arena.analysis import sequential_tests
    from tribridge.studies.tidy import Table

    found = sequential_tests(pairs, alpha, smallest, _STEP)
    rows = tuple(
        (pair.side, pair.first, pair.second, one.verdict, one.deals, one.interval.estimate,
         one.interval.low, one.interval.high, one.p)
        for pair, one in zip(pairs, found, strict=True)
    )  # fmt: skip
    return Table(
        "arena-sequential",
        f"Sequential test, in {unit} a deal",
        ("side", "first", "second", "verdict", "after deals", "difference", "from", "to", "p"),
        rows,
        f"Error rate {alpha:g} over all pairs and all times; intervals hold at all times together, "
        f"whatever the distribution, for differences of up to {pairs[0].bound:g} {unit} a deal.",
    )


for tool in (power, exact, settle, show):
    app.command()(tool)
app.command(name="list")(list_)
