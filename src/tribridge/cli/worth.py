"""`tribridge worth`: what games and part scores of a rubber are worth."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def worth(
    standing: Annotated[
        str,
        typer.Argument(
            help='A standing, as in "N 20, E 1 game, S 1 game 15": points below the line and games '
            "won. Without it, tables of games and part scores are shown."
        ),
    ] = "",
    laws: Annotated[
        str,
        typer.Option(
            help="auction-rubber, auction-rubber-games, whist-club, contract-rubber, or a TOML "
            "file."
        ),
    ] = "auction-rubber",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """What a standing in a rubber is worth: the settlement to expect from here on."""
    from tribridge.game.laws import find_laws
    from tribridge.game.standing import parse_standing

    chosen = find_laws(laws)
    if not standing.strip():
        from tribridge.cli.arena_show import show_tables
        from tribridge.report.paper import plain
        from tribridge.studies.rubber_tables import worth_tables

        tables = worth_tables(chosen)
        if as_json:
            print(json.dumps({table.name: plain(table.records()) for table in tables}))
        else:
            show_tables(tables)
        return
    from tribridge.deals import Seat
    from tribridge.game.rubber_worth import rubber_worth

    read, known = parse_standing(standing, chosen), rubber_worth(chosen)
    settled, deals = known.settlement(read), known.deals(read)
    if as_json:
        by_seat = {seat.letter: round(settled[seat], 2) for seat in Seat}
        print(json.dumps({"laws": chosen.name, "settlement": by_seat, "deals": round(deals, 2)}))
        return
    text = ", ".join(f"{seat} {settled[seat]:+.0f}" for seat in Seat)
    print(f"Expected settlement of what is still to be scored: {text}.")
    print(f"About {deals:.1f} more deals ({chosen.name}).")
