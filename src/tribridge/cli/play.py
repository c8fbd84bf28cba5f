"""`tribridge play`: the table, in the browser or in the terminal."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from ipaddress import ip_address
from math import inf
from pathlib import Path
from secrets import randbelow
from typing import Annotated

from tribridge.cli.options import option
from tribridge.errors import SettingError, need


def play(
    terminal: Annotated[
        bool, option("Play in the terminal, alone against strategies.", "--terminal")
    ] = False,
    against: Annotated[
        list[str] | None,
        option(
            "In the terminal: the strategy of both opponents, or twice, of the next "
            "player and of the one after.",
            show_default="learned",
        ),
    ] = None,
    seat: Annotated[str, option("In the terminal: your seat, N, E or S.")] = "S",
    scheme: Annotated[str, option("In the terminal: the scoring scheme.")] = "auction",
    host: Annotated[
        str, option("Address to listen on; warns if other machines can reach it.")
    ] = "127.0.0.1",
    port: Annotated[int, option("Port to listen on; 0 picks a free one.", min=0, max=65535)] = 8013,
    data: Annotated[
        Path | None,
        option(
            "File that stores the tables.",
            show_default="play.sqlite, or terminal.jsonl, in the user's data folder",
        ),
    ] = None,
    no_browser: Annotated[bool, option("Do not open a browser.", "--no-browser")] = False,
    think: Annotated[float, option("Seconds a strategy may spend on an action.")] = 10.0,
    pace: Annotated[float, option("Seconds to pause between the actions of strategies.")] = 0.7,
    store: Annotated[
        str | None,
        option(
            "Database that stores the tables, in place of a file: postgresql://…",
            show_default="none",
        ),
    ] = None,
    processes: Annotated[int, option("Server processes; more than one need --store.", min=1)] = 1,
    workers: Annotated[
        int, option("Worker processes for the strategies; 0 for all cores.", min=0)
    ] = 0,
    seed: Annotated[
        int | None,
        option("Seed of the first table; each further table gets the next.", show_default="random"),
    ] = None,
    keep: Annotated[
        float,
        option(
            "Days to keep a table after its last action if it is unfinished, or finished "
            "and in nobody's games."
        ),
    ] = 30.0,
    trusted_proxy: Annotated[
        list[str] | None,
        option(
            "Address of a proxy whose X-Forwarded-For header is trusted; repeatable.",
            show_default="none",
        ),
    ] = None,
    public_url: Annotated[
        str | None,
        option(
            "Address at which others reach the server, used in shared links.",
            show_default="with --host 0.0.0.0, this machine's address on the local network",
        ),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        option(
            "Host name that the server answers to; repeatable.",
            show_default="its own names; with a public --host, any",
        ),
    ] = None,
) -> None:
    """Open the table in the browser or the terminal: play against strategies or with friends.

    Stop it with Ctrl-C. When it starts again, tables continue where they were.
    """
    for name, value in (("keep", keep), ("think", think)):
        if not 0 < value < inf:
            raise SettingError(f"--{name} must be a number greater than 0, not {value:g}")
    if not 0 <= pace < inf:
        raise SettingError(f"--pace must be a number of seconds, 0 or more, not {pace:g}")
    if store is not None and data is not None:
        raise SettingError("choose one of --store and --data")
    if processes > 1 and store is None:
        raise SettingError(
            "several server processes need a database that they share: --store postgresql://…"
        )
    if seed is not None:
        from tribridge.dealer import check_seed

        check_seed(seed)
    if terminal:
        _in_terminal(
            against or ["learned"],
            seat,
            scheme,
            seed,
            pace,
            data or _data_folder() / "terminal.jsonl",
        )
        return
    proxies = frozenset(_address(text) for text in trusted_proxy or ())
    need("fastapi")  # before the pages, of which other extras have parts too
    from tribridge.web.app import Settings
    from tribridge.web.core.room import SETTLE, Timing
    from tribridge.web.core.stores import read_store
    from tribridge.web.run import serve
    from tribridge.web.server.addresses import read_host, read_public_url

    serve(
        Settings(
            data=read_store(store) if store else data or _data_folder() / "play.sqlite",
            timing=Timing(think, pace, pace, 2 * pace, settle=min(SETTLE, pace)),
            processes=workers,
            seed=seed,
            keep=keep,
            public_url=None if public_url is None else read_public_url(public_url),
        ),
        host,
        port,
        browser=not no_browser,
        proxies=proxies,
        allowed_hosts=frozenset(read_host(text) for text in allowed_host or ()),
        processes=processes,
    )


def _in_terminal(
    against: list[str], seat: str, scheme: str, seed: int | None, pace: float, file: Path
) -> None:
    from tribridge.cli.terminal import Session, Setup
    from tribridge.deals import Seat

    with suppress(ImportError):  # arrow keys and earlier lines at the questions
        import readline  # noqa: F401
    chosen = randbelow(1 << 32) if seed is None else seed
    Session(Setup(Seat(seat), tuple(against), chosen, scheme, pace, file)).run()


def _address(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise SettingError(
            f"--trusted-proxy {text}: expected the IP address of a proxy, such as 127.0.0.1"
        ) from None


def _data_folder() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home())
    else:
        base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "tribridge"
