"""The table: `tribridge play` in the browser or in the terminal, `bot`, `worker` and `store`."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
from contextlib import closing, suppress
from ipaddress import ip_address
from math import inf
from pathlib import Path
from typing import Annotated

import typer

from tribridge.cli.options import Processes, argument, option
from tribridge.common.errors import SettingError, need

app = typer.Typer(no_args_is_help=True, add_completion=False)
LogJson = Annotated[bool, option("Write logs as JSON lines.", "--log-json")]


def play(
    terminal: Annotated[
        bool, option("Play in the terminal, alone against strategies.", "--terminal")
    ] = False,
    against: Annotated[
        list[str] | None,
        option(
            "In the terminal: the strategy of both opponents; given twice, of the left "
            "and the right one.",
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
    backup: Annotated[
        Path | None,
        option("File to which the tables are copied, now and every day.", show_default="none"),
    ] = None,
    bans: Annotated[
        Path | None,
        option(
            "File of addresses and networks that get no answer, one on each line; it may change.",
            show_default="none",
        ),
    ] = None,
    log_json: LogJson = False,
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
    if backup is not None and store is not None:
        raise SettingError("--backup copies a file: back up a database with pg_dump")
    if processes > 1 and store is None:
        raise SettingError(
            "several server processes need a database that they share: --store postgresql://…"
        )
    if seed is not None:
        from tribridge.cards.dealer import check_seed

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
    from tribridge.club.app import Settings
    from tribridge.club.core.open_store import read_store
    from tribridge.club.core.room import SETTLE, Timing
    from tribridge.club.run import serve
    from tribridge.club.server.addresses import read_host, read_public_url

    serve(
        Settings(
            data=read_store(store) if store else data or _data_folder() / "play.sqlite",
            timing=Timing(think, pace, pace, 2 * pace, settle=min(SETTLE, pace)),
            processes=workers,
            seed=seed,
            keep=keep,
            backup=backup,
            bans=bans,
            log_json=log_json,
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
    from tribridge.cards.deals import Seat
    from tribridge.club.commands.terminal import Session, Setup
    from tribridge.game.scoring import find_scheme
    from tribridge.strategies import find_strategy

    with suppress(ImportError):  # arrow keys and earlier lines at the questions
        import readline  # noqa: F401
    chosen = secrets.randbelow(1 << 32) if seed is None else seed
    others, points = tuple(map(find_strategy, against)), find_scheme(scheme)
    Session(Setup(Seat(seat), others, chosen, points, pace, file)).run()


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
    from tribridge.cards.dealer import check_seed
    from tribridge.cards.deals import Seat
    from tribridge.club.client import Bot, Connection, Patience, split_address, take_seat
    from tribridge.strategies import find_strategy

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


@app.callback()
def store() -> None:
    """Move the tables from one store to another."""


@app.command()
def copy(
    source: Annotated[str, argument("A file, or postgresql://…")],
    target: Annotated[str, argument("An empty one: a file, or postgresql://…")],
) -> None:
    """Copy all tables, games and results to an empty store.

    Stop the servers first. Everybody keeps their seats and keys.
    """
    need("fastapi")
    from tribridge.club.core.open_store import copy_store, open_store, read_store

    origin, aim = read_store(source), read_store(target)
    if isinstance(origin, Path) and not origin.exists():
        raise SettingError(f"{origin}: there is no such file")
    if isinstance(origin, Path) and isinstance(aim, Path) and origin.resolve() == aim.resolve():
        raise SettingError(f"{aim}: source and target are the same file: copy to another one")
    with closing(open_store(origin)) as opened, closing(open_store(aim)) as into:
        copied = copy_store(opened, into)
    print(", ".join(f"{count:,} {part}" for part, count in copied.items() if part != "meta"))


def worker(
    store: Annotated[str, option("The database of the servers: postgresql://…")],
    processes: Processes = 0,
    log_json: LogJson = False,
) -> None:
    """Compute for servers elsewhere: choices of bots, hints, reviews and statistics.

    Stop it with Ctrl-C; the servers then finish what it had begun.
    """
    need("fastapi")
    from tribridge.club.core.open_store import open_store, read_store
    from tribridge.club.server.jobs import work
    from tribridge.club.server.logs import write_json

    where = read_store(store)
    if isinstance(where, Path):
        raise SettingError(f"--store {store}: workers need a database: postgresql://…")
    if log_json:
        write_json()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # how systems stop it
    with closing(open_store(where)) as opened, suppress(KeyboardInterrupt):  # which stops it
        print("Thinking for the servers of this database  (press Ctrl-C to stop)", flush=True)
        asyncio.run(work(opened, processes))
