"""`tribridge arena`: strategies against each other on the same deals, with tests."""

from __future__ import annotations

import inspect
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from tribridge.cli.arena_show import show_report
from tribridge.cli.arena_tools import AsJson, exact, list_, power, settle, show
from tribridge.cli.progress import Progress
from tribridge.cli.simulate import parse_whole
from tribridge.errors import SettingError, quantity

if TYPE_CHECKING:
    from tribridge.arena.analysis import Pair
    from tribridge.arena.results import MatchResult, Origin, PlayResult
    from tribridge.arena.running import Decision, Played
    from tribridge.arena.work import MatchWork, PlayWork, Summary
    from tribridge.studies.arena_tables import Report
    from tribridge.studies.tables import StudyTable

W = TypeVar("W", "PlayWork", "MatchWork")
R = TypeVar("R", "PlayResult", "MatchResult")

app = typer.Typer(
    help="Play strategies against each other on the same deals.", no_args_is_help=True
)

Names = Annotated[
    list[str],
    typer.Argument(help="Strategies, as in maxims or sampling:layouts=20; see arena list."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options shared by arena play and arena match."""

    deals: Annotated[
        str, typer.Option(help="Number of deals, as in 1e4; of rubbers in a match with --laws.")
    ] = "100"
    seed: Annotated[int, typer.Option(help="Seed of the deals and of all random choices.")] = 1
    start: Annotated[str, typer.Option(help="Number of the first deal.")] = "0"
    scheme: Annotated[str, typer.Option(help="Scoring scheme, by name or as FILE[:NAME].")] = (
        "auction"
    )
    deck: Annotated[str, typer.Option(help="Deck, as suits x ranks.")] = "4x13"
    limit: Annotated[
        float | None,
        typer.Option(help="Time limit for a choice, in seconds; exceeding it is a fault."),
    ] = None
    on_error: Annotated[
        str, typer.Option(help="After a fault: go-on with a substitute's choice, or stop.")
    ] = "go-on"
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for records, results and a report page; continues a stopped run."
        ),
    ] = None
    result_file: Annotated[
        Path | None,
        typer.Option("--result", help="Also write the result to this file (.json or .json.gz)."),
    ] = None
    processes: Annotated[
        int, typer.Option("--processes", help="Worker processes; 0 for all cores.")
    ] = 0
    cluster: Annotated[
        str | None, typer.Option(help="Play on the Dask cluster at this address.")
    ] = None
    chunk: Annotated[int, typer.Option(help="Deals per record file.")] = 5
    sequential: Annotated[
        bool, typer.Option("--sequential", help="Stop as soon as every comparison is decided.")
    ] = False
    alpha: Annotated[
        float, typer.Option(help="Error rate of the sequential test over all pairs.")
    ] = 0.001
    smallest: Annotated[
        float, typer.Option(help="The sequential test treats smaller differences as no difference.")
    ] = 0.0
    cap: Annotated[
        float | None,
        typer.Option(
            help="Cap on the difference of one deal in the sequential test.",
            show_default="the largest difference that the scoring allows",
        ),
    ] = None
    as_json: AsJson = False

    @property
    def stop(self) -> bool:
        """Whether the first fault ends the run."""
        if self.on_error not in ("go-on", "stop"):
            raise SettingError(f"--on-error {self.on_error!r} is unknown: expected go-on or stop")
        return self.on_error == "stop"


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options above to a command, which receives them as one value."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    hints = get_type_hints(Options, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(one.name, kind, default=one.default, annotation=hints[one.name])
        for one in fields(Options)
    ]

    @wraps(command)
    def run(**values: Any) -> None:
        options = Options(**{one.name: values.pop(one.name) for one in fields(Options)})
        command(**values, options=options)

    parameters = [*(one for one in own if one.name != "options"), *shared]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


_STEP = 10
"""Deals between two looks at the sequential test."""


@app.command()
@with_options
def play(
    strategies: Names,
    against: Annotated[
        list[str] | None,
        typer.Option(help="A defence; repeatable.", show_default="the strategies"),
    ] = None,
    strain: Annotated[
        str,
        typer.Option(help="Strain of every contract, or auto: the best fit, otherwise notrump."),
    ] = "auto",
    contracts: Annotated[
        str,
        typer.Option(
            help="How declarer and level are chosen: forecast (from declarer's and dummy's "
            "cards) or double-dummy (from all cards, so the contract reveals something about them)."
        ),
    ] = "forecast",
    *,
    options: Options,
) -> None:
    """Zero-sum card play: each declarer against each defence, on the same contracts and deals."""
    from tribridge.arena.analysis import play_pairs
    from tribridge.arena.results import play_result
    from tribridge.arena.work import PlayWork
    from tribridge.cards import parse_deck, parse_strain
    from tribridge.studies.arena_tables import play_report

    work = PlayWork(
        declarers=tuple(strategies),
        defences=tuple(against or strategies),
        seed=options.seed,
        strain=None if strain.lower() == "auto" else parse_strain(strain),
        scheme=options.scheme,
        deck=parse_deck(options.deck),
        limit=options.limit,
        stop=options.stop,
        contracts=contracts,
    )
    _compete(work, play_result, play_pairs, play_report, "tricks", options)


@app.command()
@with_options
def match(
    strategies: Names,
    doubles: Annotated[bool, typer.Option("--doubles", help="Allow doubles.")] = False,
    laws: Annotated[
        str | None,
        typer.Option(
            help="Play rubbers by these laws, in place of a scheme: auction-rubber, "
            "auction-rubber-games, whist-club, contract-rubber, or a TOML file."
        ),
    ] = None,
    *,
    options: Options,
) -> None:
    """Complete three-player games or rubbers: every trio in every seating, on the same deals."""
    from tribridge.arena.analysis import match_pairs
    from tribridge.arena.results import match_result
    from tribridge.arena.work import MatchWork
    from tribridge.cards import parse_deck
    from tribridge.studies.arena_tables import match_report

    work = MatchWork(
        strategies=tuple(strategies),
        seed=options.seed,
        scheme=options.scheme,
        deck=parse_deck(options.deck),
        doubles=doubles,
        limit=options.limit,
        stop=options.stop,
        laws=laws,
    )
    _compete(work, match_result, match_pairs, match_report, "points", options)


def _compete(
    work: W,
    result_of: Callable[[W, Sequence[Summary], Origin], R],
    pairs_of: Callable[[R], list[Pair]],
    report_of: Callable[[R], Report],
    unit: str,
    options: Options,
) -> None:
    """Play the games and show the results."""
    from tribridge.arena.results import UNKNOWN

    def pairs(games: Sequence[Summary]) -> list[Pair]:
        return [one.capped(options.cap) for one in pairs_of(result_of(work, games, UNKNOWN))]

    played, origin = _run(work, _decide(pairs, options), options)
    result = result_of(work, played.summaries, origin)
    report = report_of(result)
    tables = report.tables()
    if options.sequential:
        tables += (_sequential_table(pairs(played.summaries), unit, work.unit, options),)
    _finish(report, tables, played, options)


def _decide(pairs: Callable[[Sequence[Summary]], list[Pair]], options: Options) -> Decision | None:
    if not options.sequential:
        return None
    if not 0 < options.alpha < 1 or not options.smallest >= 0:
        raise SettingError("--alpha must be between 0 and 1, and --smallest 0 or more")
    from tribridge.arena.analysis import decide_by

    def decide(games: Sequence[Summary]) -> int | None:
        return decide_by(pairs(games), options.alpha, options.smallest, _STEP)

    return decide


def _run(
    work: PlayWork | MatchWork, decide: Decision | None, options: Options
) -> tuple[Played, Origin]:
    from tribridge.arena.results import new_origin
    from tribridge.arena.running import backend, run
    from tribridge.dealer import check_deals

    wanted = check_deals(parse_whole(options.start, "start"), parse_whole(options.deals, "deals"))
    if wanted[1] - wanted[0] < 2:
        raise SettingError("the arena needs at least two deals to estimate an error")
    where = backend(options.processes, options.cluster)
    begin = time.monotonic()
    bar = Progress("playing", wanted[1] - wanted[0])
    try:
        played = run(
            work,
            wanted,
            where,
            folder=options.out,
            chunk=options.chunk,
            decide=decide,
            progress=bar.update,
        )
    except KeyboardInterrupt:
        bar.stop()
        kept = f"finished files are kept in {options.out}; run the same command to continue"
        print(
            f"tribridge: interrupted: {kept if options.out else 'nothing was saved (no --out)'}",
            file=sys.stderr,
        )
        sys.exit(130)
    finally:
        bar.stop()
    count = wanted[1] - wanted[0] if played.decided is None else played.decided
    return played, new_origin(work, wanted[0], count, time.monotonic() - begin)


def _finish(
    report: Report,
    tables: tuple[StudyTable, ...],
    played: Played,
    options: Options,
) -> None:
    """Write results and page to the folder, and show the tables."""
    from tribridge.arena.results import save
    from tribridge.report.paper import plain

    page, result = None, report.result
    if options.result_file is not None:
        save(result, options.result_file)
    if options.out is not None:
        from tribridge.report.arena import write_page

        save(result, options.out / "result.json")
        page = write_page(report, tables, options.out)
    if options.as_json:
        answer = {
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
        print(json.dumps(plain(answer)))
        return
    show_report(report, tables)
    for name in played.damaged:
        print(f"{name} was damaged and played again")
    if played.decided is not None:
        print(f"decided after {quantity(played.decided, 'deal')}")
    if result.faults:
        print(f"{quantity(len(result.faults), 'fault')}: see the faults table", file=sys.stderr)
    if page is not None:
        print(f"{page}  ({result.origin.seconds:.0f} s)")


def _sequential_table(pairs: list[Pair], unit: str, each: str, options: Options) -> StudyTable:
    from tribridge.arena.analysis import sequential_tests
    from tribridge.studies.tables import StudyTable

    tests = sequential_tests(pairs, options.alpha, options.smallest, _STEP)
    rows = tuple(
        (
            pair.side,
            pair.first,
            pair.second,
            one.verdict,
            one.deals,
            one.interval.estimate,
            one.interval.low,
            one.interval.high,
            one.p,
        )
        for pair, one in zip(pairs, tests, strict=True)
    )
    return StudyTable(
        "arena-sequential",
        f"Sequential test, in {unit} per {each}",
        ("side", "first", "second", "verdict", f"after {each}s", "difference", "from", "to", "p"),
        rows,
        f"Error rate {options.alpha:g} over all pairs and all looks; the intervals hold at every "
        "look simultaneously, whatever the distribution, for differences of up to "
        f"{pairs[0].bound:g} {unit} per {each}.",
    )


for tool in (power, exact, settle, show):
    app.command()(tool)
app.command(name="list")(list_)
