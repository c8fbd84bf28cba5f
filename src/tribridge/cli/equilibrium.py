"""`tribridge equilibrium`: tiny decks as games, solved by CFR+."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

from tribridge.cli.options import AsJson, option, print_json, print_tables
from tribridge.errors import SettingError


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
    from tribridge.arena.tiny.measuring import SolverWork, solve_auction, solve_play, solve_whole
    from tribridge.cards import Deck, Strain
    from tribridge.game.scoring import find_scheme

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
    from tribridge.studies.solved import solved_tables

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
