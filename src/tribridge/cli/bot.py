"""`tribridge bot`: a strategy that takes a seat at a table elsewhere."""

from __future__ import annotations

import json
import secrets
import sys
from math import inf
from typing import Annotated

from tribridge.cli.options import option
from tribridge.dealer import check_seed
from tribridge.deals import Seat
from tribridge.errors import SettingError
from tribridge.strategies import find_strategy
from tribridge.web.client import Bot, Connection, Patience, split_address, take_seat


def bot(
    url: Annotated[
        str,
        option(
            "Address of a table's page, or of a server: then the first table with an open seat."
        ),
    ],
    strategy: Annotated[str, option("The strategy that plays.")] = "maxims",
    seat: Annotated[
        str | None, option("Seat to take: N, E or S.", show_default="the first open one")
    ] = None,
    name: Annotated[str | None, option("Name at the table.", show_default="the strategy")] = None,
    seed: Annotated[
        int | None, option("Seed of the strategy's randomness.", show_default="random")
    ] = None,
    next_deal: Annotated[
        float, option("Seconds after a deal to ask for the next one, if nobody else has.")
    ] = 10.0,
    patience: Annotated[
        float, option("Seconds to keep trying when the server is unreachable.")
    ] = 300.0,
    as_json: Annotated[bool, option("Print the last view of the match as JSON.", "--json")] = False,
) -> None:
    """Let a strategy take a seat at a table in the browser and play the match there.

    It decides from what its seat may see and nothing else, and reconnects when the connection is
    lost. Stop it with Ctrl-C: a strategy of the server then takes the seat.
    """
    for given, value in (("--next-deal", next_deal), ("--patience", patience)):
        if not 0 <= value < inf:
            raise SettingError(f"{given} must be a number of seconds, 0 or more, not {value:g}")
    if seed is not None:
        check_seed(seed)
    chosen = find_strategy(strategy)
    if not chosen.fair:
        raise SettingError(f"{strategy} sees all four hands and may not play at a table")
    server, table = split_address(url)
    wanted = None if seat is None else Seat(seat)
    connection = Connection(server)
    held = take_seat(connection, table, wanted, name or strategy)

    def say(text: str) -> None:
        print(text, file=sys.stderr if as_json else sys.stdout, flush=True)

    player = Bot(
        connection,
        held,
        chosen,
        secrets.randbits(48) if seed is None else seed,
        Patience(next_deal, patience),
        say,
    )
    try:
        say(f"{strategy} plays {held.seat} at {server}/table/{held.table}  (press Ctrl-C to leave)")
        last = player.play()
    except KeyboardInterrupt:  # the normal way to stop it
        player.leave()
        say(f"Left the table: a strategy of the server plays {held.seat} now.")
        return
    except BaseException:
        player.leave()
        raise
    if as_json:
        print(json.dumps(last))
    else:
        say("The match is over.")
