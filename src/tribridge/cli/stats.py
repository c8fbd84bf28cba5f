"""`tribridge stats`: a player's statistics from the records of their games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tribridge.cli.options import AsJson


def stats(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Files of games, as My games exports them, or records (JSON Lines or PBN)."
        ),
    ],
    seat: Annotated[
        str | None,
        typer.Option(
            help="Your seat, N, E or S, in records that do not say who you are.",
            show_default="as the file says",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Statistics of your games: contracts made, tricks against expectation, situations, rating.

    Every mean has its number of deals and a 95% interval. Where there are too few, it says so.
    """
    from tribridge import codec
    from tribridge.deals import parse_seat
    from tribridge.history import load, player_stats

    place = None if seat is None else parse_seat(seat)
    result = player_stats(deal for file in files for deal in load(file, place))
    print(json.dumps(codec.plain(result, digits=3)) if as_json else result)
