"""`tribridge stats`: a player's own games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tribridge.cli.options import AsJson, argument, option, print_json
from tribridge.common import codec


def stats(
    files: Annotated[
        list[Path],
        argument("Files of games, as My games exports them, or records (JSON Lines, PBN, LIN)."),
    ],
    seat: Annotated[
        str | None,
        option(
            "Your seat, N, E or S, in records that do not say who you are; in files of four "
            "players the seat there, W too.",
            show_default="as the file says",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Statistics of your games: contracts made, tricks against expectation, situations, rating.

    Every mean has its number of deals and a 95% interval. Where there are too few, it says so.
    """
    from tribridge.club.api import player_stats

    result = player_stats(files, seat)
    if as_json:
        print_json(codec.plain(result, digits=3))
    else:
        print(result)
