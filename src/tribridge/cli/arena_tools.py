"""Other commands of `tribridge arena`: power, exact values, records, the list of strategies."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from tribridge.cli.arena_show import game_title, show_game, show_tables
from tribridge.errors import NotFoundError, SettingError, quantity

AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]


def power(
    difference: Annotated[
        float, typer.Argument(help="Mean difference per deal that the test should detect.")
    ],
    sd: Annotated[
        float | None, typer.Option(help="Standard deviation of the paired differences.")
    ] = None,
    result: Annotated[
        Path | None,
        typer.Option(help="Take the standard deviations from an arena result, for each pair."),
    ] = None,
    unit: Annotated[
        str,
        typer.Option(help="Unit of an arena play result: tricks or points. A match has points."),
    ] = "tricks",
    alpha: Annotated[float, typer.Option(help="Error rate of the test.")] = 0.001,
    wanted: Annotated[
        float, typer.Option("--power", help="Chance of detecting the difference.")
    ] = 0.9,
    tests: Annotated[int, typer.Option(help="Tests that share the error rate.")] = 1,
    as_json: AsJson = False,
) -> None:
    """How many paired deals it takes to detect a difference."""
    from tribridge import stats
    from tribridge.studies.tidy import StudyTable

    if (sd is None) == (result is None):
        raise SettingError(
            "give the standard deviation of the differences with either --sd or --result"
        )
    if tests < 1:
        raise SettingError(f"--tests must be 1 or more, not {tests}")
    spreads = [("", "", "", sd)] if sd is not None else _spreads(result or Path(), unit)
    rows = tuple(
        (
            side,
            first,
            second,
            spread,
            difference,
            stats.deals_needed(difference, spread, alpha / tests, wanted),
        )
        for side, first, second, spread in spreads
    )
    columns = ("side", "first", "second", "sd of differences", "difference", "deals")
    note = f"Two-sided paired t-test, error rate {alpha:g}"
    note += f"{f' shared by {tests} tests' if tests > 1 else ''}, power {wanted:g}."
    table = StudyTable("power", "Deals needed", columns, rows, note)
    if as_json:
        print(json.dumps(table.records()))
    elif sd is not None:
        print(f"{quantity(rows[0][-1], 'deal')}: {note}")
    else:
        show_tables([table])


def exact(
    strategies: Annotated[
        list[str] | None, typer.Argument(help="Strategies to compare with the exact value.")
    ] = None,
    deck: Annotated[str, typer.Option(help="A deck of eight cards: 1x8, 2x4 or 4x2.")] = "2x4",
    strain: Annotated[str, typer.Option(help="Strain of the contract.")] = "NT",
    draws: Annotated[
        int, typer.Option(help="How often to ask a strategy in each position (it may randomise).")
    ] = 20,
    seed: Annotated[int, typer.Option(help="Seed of the strategies' random choices.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Solve card play on a tiny deck exactly, and measure how far strategies fall short."""
    from rich.console import Console

    from tribridge.cards import parse_deck, parse_strain
    from tribridge.report.paper import plain
    from tribridge.studies.arena_tables import exact_table
    from tribridge.training.tiny.team import measure

    if draws < 1:
        raise SettingError(f"--draws must be 1 or more, not {draws}")
    chosen = parse_deck(deck), parse_strain(strain)
    with Console(file=sys.stderr).status("solving ..."):
        solved = measure(*chosen, tuple(strategies or ()), seed=seed, draws=draws)
    table = exact_table(solved)
    if as_json:
        print(json.dumps({"note": table.note, "strategies": plain(table.records())}))
        return
    show_tables([table])


def show(
    folder: Annotated[Path, typer.Argument(help="Folder of an arena run.")],
    deal: Annotated[int, typer.Option(help="Number of the deal.")],
    game: Annotated[
        int | None,
        typer.Option(help="Number of the game on that deal.", show_default="lists the games"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the record as JSON Lines.")
    ] = False,
) -> None:
    """Show a recorded game, replayed and checked, with the reason for every choice."""
    from tribridge.arena.running import records
    from tribridge.game.record import loads

    text = records(folder, deal)
    games = ['{"event": "deal"' + part for part in text.split('{"event": "deal"')[1:]]
    if game is None:
        if as_json:
            print(text, end="")
            return
        for at, one in enumerate(games):
            print(f"{at}: {game_title(json.loads(one.splitlines()[0])['game'])}")
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


def settle(
    result: Annotated[Path, typer.Argument(help="Folder or result file of an arena match.")],
    as_json: AsJson = False,
) -> None:
    """Compare the contracts of a match as played, as forecast and double dummy."""
    from tribridge.arena.results import MatchResult, load
    from tribridge.report.paper import plain
    from tribridge.studies.settlement import settlement_tables

    match = load(result / "result.json" if result.is_dir() else result)
    if not isinstance(match, MatchResult):
        raise SettingError(
            f"{result}: not the result of a match: expected one written by tribridge arena match"
        )
    tables = settlement_tables(match)
    if as_json:
        print(json.dumps({table.name: plain(table.records()) for table in tables}))
        return
    show_tables(tables)


def list_(as_json: AsJson = False) -> None:
    """List all callers and players with their parameters."""
    from tribridge.strategies import callers, players

    entries = [("calls", one) for one in callers()] + [("cards", one) for one in players()]
    if as_json:
        print(
            json.dumps(
                [
                    {
                        "kind": kind,
                        "name": one.name,
                        "summary": one.summary,
                        "fair": one.fair,
                        "parameters": {p.name: p.default for p in one.parameters},
                    }
                    for kind, one in entries
                ]
            )
        )
        return
    for kind, one in entries:
        print(f"{kind}  {one}")


def _spreads(path: Path, unit: str) -> list[tuple[str, str, str, float]]:
    """The standard deviation of the paired differences for each pair that differs at all."""
    from tribridge.arena.analysis import match_pairs, play_pairs
    from tribridge.arena.results import PlayResult, load

    result = load(path / "result.json" if path.is_dir() else path)
    pairs = play_pairs(result, unit) if isinstance(result, PlayResult) else match_pairs(result)
    spreads = [
        (one.side, one.first, one.second, float(one.differences.std(ddof=1))) for one in pairs
    ]
    varied = [one for one in spreads if one[-1] > 0]
    if not varied:
        raise SettingError(f"{path}: all strategies in it have the same results")
    return varied
