"""`tribridge store` and `tribridge worker`: a database that servers share."""

from __future__ import annotations

import asyncio
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated

import typer

from tribridge.cli.options import Processes, argument, option
from tribridge.errors import SettingError, need

app = typer.Typer(no_args_is_help=True)


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
    from tribridge.web.core.stores import copy_store, open_store, read_store

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
) -> None:
    """Think for servers elsewhere: choices of strategies, reviews and advice.

    Stop it with Ctrl-C; what it had begun is done by the servers themselves.
    """
    need("fastapi")
    from tribridge.web.core.jobs import work
    from tribridge.web.core.stores import open_store, read_store

    where = read_store(store)
    if isinstance(where, Path):
        raise SettingError(f"--store {store}: workers need a database: postgresql://…")
    with closing(open_store(where)) as opened, suppress(KeyboardInterrupt):  # which stops it
        print("Thinking for the servers of this database  (press Ctrl-C to stop)", flush=True)
        asyncio.run(work(opened, processes))
