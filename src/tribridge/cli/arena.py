"""`tribridge arena`: strategies against each other on the same deals."""

from __future__ import annotations

import inspect
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from tribridge.arena.results import (
    MatchResult,
    Origin,
    PlayResult,
    load,
    new_origin,
    result_of,
    save,
)
from tribridge.arena.running import Played, backend, records, run
from tribridge.arena.work import MatchWork, PlayWork
from tribridge.cards.cards import Deck, Strain
from tribridge.cards.dealer import check_deals
from tribridge.cli.options import (
    AsJson,
    Cluster,
    DeckText,
    LawsIfAny,
    Processes,
    argument,
    option,
    parse_whole,
    print_json,
    print_tables,
    working,
)
from tribridge.cli.showing import game_title, show_game, show_report
from tribridge.common.errors import NotFoundError, SettingError, quantity
from tribridge.common.files import check_place
from tribridge.game.record import loads
from tribridge.strategies import callers, players

app = typer.Typer(no_args_is_help=True, add_completion=False)

Names = Annotated[
    list[str], argument("Strategies, as in maxims or sampling:layouts=20; see arena list.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options shared by arena contracts and arena match."""

    deals: Annotated[
        str, option("Number of deals, as in 1e4; of rubbers in a match with --laws.")
    ] = "100"
    seed: Annotated[int, option("Seed of the deals and of all random choices.")] = 1
    start: Annotated[str, option("Number of the first deal.")] = "0"
    scheme: Annotated[str, option("Scoring scheme, by name or as FILE[:NAME].")] = "auction"
    deck: DeckText = "4x13"
    limit: Annotated[
        float | None,
        option("Processor time for a choice, in seconds; taking longer is a fault."),
    ] = None
    on_error: Annotated[
        str, option("After a fault: go-on with a substitute's choice, or stop.")
    ] = "go-on"
    out: Annotated[
        Path | None,
        option("Folder for records and the result; continues a stopped run."),
    ] = None
    result_file: Annotated[
        Path | None, option("Also write the result to this file (.json or .json.gz).", "--result")
    ] = None
    processes: Processes = 0
    cluster: Cluster = None
    as_json: AsJson = False

    @property
    def settings(self) -> dict[str, Any]:
        """What all work has in common."""
        if self.on_error not in ("go-on", "stop"):
            raise SettingError(f"--on-error {self.on_error!r} is unknown: expected go-on or stop")
        return {
            "seed": self.seed,
            "scheme": self.scheme,
            "deck": Deck(self.deck),
            "limit": self.limit,
            "stop": self.on_error == "stop",
        }


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options above to a command, which receives them as one value."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    hints = get_type_hints(Options, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(option.name, kind, default=option.default, annotation=hints[option.name])
        for option in fields(Options)
    ]

    @wraps(command)
    def run(**values: Any) -> None:
        options = Options(**{option.name: values.pop(option.name) for option in fields(Options)})
        command(**values, options=options)

    parameters = [*(parameter for parameter in own if parameter.name != "options"), *shared]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


@app.callback()
def arena() -> None:
    """Play strategies against each other on the same deals."""


@app.command()
@with_options
def contracts(
    strategies: Names,
    against: Annotated[
        list[str] | None, option("A defence; repeatable.", show_default="the strategies")
    ] = None,
    strain: Annotated[
        str, option("Strain of every contract, or auto: the best fit, otherwise notrump.")
    ] = "auto",
    rule: Annotated[
        str,
        option(
            "How declarer and level are chosen: forecast (from declarer's and dummy's "
            "cards) or double-dummy (from all cards, so the contract reveals something "
            "about them).",
            "--contracts",
        ),
    ] = "forecast",
    *,
    options: Options,
) -> None:
    """Zero-sum card play: each declarer against each defence, on the same contracts and deals."""
    work = PlayWork.of(
        strategies,
        against or strategies,
        strain=None if strain.lower() == "auto" else Strain(strain),
        contracts=rule,
        **options.settings,
    )
    _compete(work, options)


@app.command()
@with_options
def match(
    strategies: Names,
    doubles: Annotated[bool, option("Allow doubles.", "--doubles")] = False,
    laws: LawsIfAny = None,
    *,
    options: Options,
) -> None:
    """Complete three-player games or rubbers: every trio in every seating, on the same deals."""
    work = MatchWork.of(strategies, doubles=doubles, laws=laws, **options.settings)
    _compete(work, options)


def _compete(work: PlayWork | MatchWork, options: Options) -> None:
    """Play the games, write results to the folder, and show the tables."""
    from tribridge.arena.tables import report_of

    if options.result_file is not None:
        check_place(options.result_file)
    played, origin = _run(work, options)
    result = result_of(work, played.games, origin)
    report = report_of(result)
    tables = report.tables()
    if options.result_file is not None:
        save(result, options.result_file)
    if options.out is not None:
        save(result, options.out / "result.json")
    if options.as_json:
        answer = {
            "work": work,
            "deals": result.deals,
            "kept": played.kept,
            "made": played.made,
            "damaged": played.damaged,
            "seconds": origin.seconds,
            "tables": {table.name: table.records() for table in tables},
            "notes": {table.name: table.note for table in tables},
        }
        print_json(answer)
        return
    show_report(report, tables)
    for name in played.damaged:
        print(f"{name} was damaged and played again")
    if result.faults:
        print(f"{quantity(len(result.faults), 'fault')}: see the faults table", file=sys.stderr)


def _run(work: PlayWork | MatchWork, options: Options) -> tuple[Played, Origin]:
    wanted = check_deals(parse_whole(options.start, "start"), parse_whole(options.deals, "deals"))
    if wanted[1] - wanted[0] < 2:
        raise SettingError("the arena needs at least two deals to estimate an error")
    where = backend(options.processes, options.cluster)
    begin = time.monotonic()
    with working("playing", wanted[1] - wanted[0], options.out) as bar:
        played = run(work, wanted, where, folder=options.out, progress=bar.update)
    seconds = time.monotonic() - begin
    return played, new_origin(work, wanted[0], wanted[1] - wanted[0], seconds)


@app.command()
def power(
    difference: Annotated[
        float, argument("The difference per deal to detect, in points or tricks, as in 5.")
    ],
    sd: Annotated[float | None, option("Standard deviation of the difference on a deal.")] = None,
    result: Annotated[
        Path | None,
        option(
            "A result, or the folder of an arena run: the differences of each pair vary as they "
            "did there."
        ),
    ] = None,
    alpha: Annotated[float, option("Error rate of all tests together.")] = 0.05,
    chance: Annotated[
        float, option("Chance to detect the difference if it is there.", "--power")
    ] = 0.9,
    tests: Annotated[
        int | None,
        option(
            "Tests that share the error rate.",
            show_default="1; with --result, the pairs in it",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How many deals and games it takes to detect a difference."""
    from tribridge.arena.power import deals_needed, design_text, games_of, needed_table

    if sd is not None and result is None:
        shared = 1 if tests is None else tests
        deals = deals_needed(difference, sd, alpha=alpha, power=chance, tests=shared)
        games = games_of(deals)
        if as_json:
            print_json({"difference": difference, "sd": sd, "deals": deals, "games": games})
            return
        print(f"{quantity(deals, 'deal')}. {design_text(alpha, chance, shared)}")
        for command, count in games.items():
            print(f"{command} with two strategies: {quantity(count, 'game')}")
    elif result is not None and sd is None:
        played = _result(result)
        needed = needed_table(played, difference, alpha=alpha, power=chance, tests=tests)
        print_tables([needed], as_json=as_json)
    else:
        raise SettingError("say how much the difference varies, with either --sd or --result")


def _result(path: Path) -> PlayResult | MatchResult:
    """The result in a file or in the folder of a run."""
    file = path / "result.json" if path.is_dir() else path
    if not file.is_file():
        raise NotFoundError(f"{file}: no such file: expected a result of tribridge arena")
    return load(file)


@app.command()
def show(
    folder: Annotated[Path, argument("Folder of an arena run.")],
    deal: Annotated[int, option("Number of the deal.")],
    game: Annotated[
        int | None, option("Number of the game on that deal.", show_default="lists the games")
    ] = None,
    as_json: Annotated[bool, option("Write the record as JSON Lines.", "--json")] = False,
) -> None:
    """Show a recorded game, replayed and checked, with the reason for every choice."""
    games = records(folder, deal)
    if game is None:
        for at, text in enumerate(games):
            title = game_title(json.loads(text.splitlines()[0])["game"])
            print(text if as_json else f"{at}: {title}\n", end="")
        return
    if not 0 <= game < len(games):
        raise NotFoundError(
            f"deal {deal} has {quantity(len(games), 'game')}, numbered from 0: no {game}"
        )
    loads(games[game])  # replay it: a record that contradicts its result is rejected
    if as_json:
        print(games[game], end="")
        return
    show_game([json.loads(line) for line in games[game].splitlines()])


@app.command(name="list")
def list_(as_json: AsJson = False) -> None:
    """List all callers and players with their parameters."""
    entries = [("calls", caller) for caller in callers()] + [
        ("cards", player) for player in players()
    ]
    if as_json:
        answers = [
            {
                "kind": kind,
                "name": entry.name,
                "summary": entry.summary,
                "fair": entry.fair,
                "parameters": {option.name: option.default for option in entry.parameters},
            }
            for kind, entry in entries
        ]
        print_json(answers)
        return
    for kind, entry in entries:
        print(f"{kind}  {entry}")
