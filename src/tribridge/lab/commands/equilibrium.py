"""`tribridge equilibrium` and `tribridge arena tiny`: tiny decks solved exactly."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

from rich.console import Console

from tribridge.cards.cards import Deck, Strain
from tribridge.cli.options import AsJson, argument, option, print_json, print_tables
from tribridge.common.errors import SettingError
from tribridge.game.scoring import find_scheme


def tiny(
    strategies: Annotated[
        list[str] | None, argument("Strategies to compare with the exact value.")
    ] = None,
    deck: Annotated[str, option("A deck of eight cards: 1x8, 2x4 or 4x2.")] = "2x4",
    strain: Annotated[str, option("Strain of the contract.")] = "NT",
    draws: Annotated[
        int, option("How often to ask a strategy in each position (it may randomise).", min=1)
    ] = 20,
    seed: Annotated[int, option("Seed of the strategies' random choices.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Solve card play on a tiny deck exactly, and measure how far strategies fall short."""
    from tribridge.lab.tiny.tables import exact_table
    from tribridge.lab.tiny.team import measure

    chosen = Deck(deck), Strain(strain)
    with Console(file=sys.stderr).status("solving ..."):
        solved = measure(*chosen, tuple(strategies or ()), seed=seed, draws=draws)
    table = exact_table(solved)
    if as_json:
        print_json({"note": table.note, "strategies": table.records()})
    else:
        print_tables([table], as_json=False)


def equilibrium(
    deck: Annotated[
        str, option("Deck, as suits x ranks: 8 cards, or 12 with --auction-only.")
    ] = "2x4",
    auction_only: Annotated[
        bool, option("Solve the auction; contracts are paid by double dummy.", "--auction-only")
    ] = False,
    play: Annotated[str, option("Solve the play alone, in this strain.", show_default="none")] = "",
    levels: Annotated[int, option("Highest bid level (with --auction-only); 0: all.", min=0)] = 0,
    scheme: Annotated[str, option("Scoring scheme.")] = "auction",
    starts: Annotated[
        int, option("Starts of CFR+: uniform strategies, then random ones.", min=1)
    ] = 3,
    iterations: Annotated[int, option("Iterations of CFR+.", min=1)] = 200,
    as_json: AsJson = False,
) -> None:
    """Solve a tiny deck by CFR+ from several starts, and measure strategies in it exactly.

    With three players CFR+ need not converge: NashConv says how far each result is from an
    equilibrium. Without options it solves the whole game of eight cards, auction and play.
    """
    from tribridge.lab.tiny.measuring import SolverWork, solve_auction, solve_play, solve_whole
    from tribridge.lab.tiny.tables import solved_tables

    if auction_only and play:
        raise SettingError("--auction-only and --play exclude each other")
    if levels and not auction_only:
        raise SettingError(f"--levels {levels} needs --auction-only")
    pack, points = Deck(deck), find_scheme(scheme)
    work = SolverWork(iterations, starts, partial(print, file=sys.stderr, flush=True))
    if auction_only:
        solved = solve_auction(pack, points, levels, work)
    elif play:
        solved = solve_play(pack, Strain(play), work)
    else:
        solved = solve_whole(pack, points, work)
    tables = solved_tables(solved)
    if as_json:
        game = {
            "deck": deck, "game": solved.title, "deals": solved.deals, "ends": solved.ends,
            "information sets": solved.sets, "iterations": solved.iterations,
        }  # fmt: skip
        parts = zip(("starts", "strategies"), tables, strict=True)
        print_json(game | {name: table.records() for name, table in parts})
        return
    print_tables(tables, as_json=False)
