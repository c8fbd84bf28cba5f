"""Stores as every earlier schema had them, brought up to date, and what they hold.

`tables-0.2.0.sql` is a dump of a file that version 0.2.0 wrote, `tables-schema-8.sql` of one from
before events were typed. Beside each is the state of every table as the program was then. The
tables of `schema-8` are also in `tables-0.3.0.sql` (schema 9) and in those of schemas 10 and 11, in
SQLite and in PostgreSQL, as the programs of then had copied them. `tables-0.4.0` (schema 12) has a
claim that stood, a rubber of three people and a match against levels, which had other names then.
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.club.database import programs, shared_database
from tests.club.helpers import HereWorkers
from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.club.core import postgres as postgres_module
from tribridge.club.core import schema
from tribridge.club.core import store as store_module
from tribridge.club.core.all_rooms import Rooms
from tribridge.club.core.challenges import Challenges
from tribridge.club.core.events import Lapsed, replay
from tribridge.club.core.open_store import open_store
from tribridge.club.core.postgres import PostgresStore
from tribridge.club.core.room import Timing
from tribridge.club.core.schema import MIGRATIONS, SCHEMA, Migration
from tribridge.club.core.state import State
from tribridge.club.core.store import SqliteStore, Store
from tribridge.common import codec
from tribridge.common.errors import RunError
from tribridge.game.view_json import action_name

FILES = Path(__file__).parent / "old_files"
STATES = {
    "tables-0.2.0": "tables-0.2.0",
    "tables-schema-8": "tables-schema-8",
    "tables-0.3.0": "tables-schema-8",
    "tables-schema-10": "tables-schema-8",
    "postgresql-schema-10": "tables-schema-8",
    "tables-schema-11": "tables-schema-8",
    "postgresql-schema-11": "tables-schema-8",
    "tables-0.4.0": "tables-0.4.0",
}
"""The stores, and where the states of their tables are."""
NAMES = tuple(STATES)

_SAID_OTHERWISE = re.compile("asks for advice|failed[:;]|took longer|in time;")
"""Sentences that have other words by now, or are said less often."""


def _restored(name: str, folder: Path) -> Path | str:
    """A store as it was dumped."""
    dump = (FILES / f"{name}.sql").read_text("utf-8")
    if name.startswith("postgresql"):
        if programs() is None:
            pytest.skip("PostgreSQL is not installed")
        url = shared_database().url()
        with psycopg.connect(url) as connection:
            connection.execute(dump)
        return url
    with closing(sqlite3.connect(folder / "x.sqlite")) as database:
        database.executescript(dump)
    return folder / "x.sqlite"


@contextmanager
def _opened(name: str, folder: Path) -> Iterator[tuple[Store, dict[str, Any]]]:
    with closing(open_store(_restored(name, folder))) as store:
        yield store, json.loads((FILES / f"{STATES[name]}.json").read_text("utf-8"))


def _shape(store: Store) -> list[Any]:
    """The tables, columns and indexes of a store; SQLite does not care for types."""
    if isinstance(store, SqliteStore):
        rows = store.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
        columns = 'SELECT name, "notnull", pk FROM pragma_table_info(?)'
        indexes = "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'"
        return [(name, sorted(store.rows(columns, name))) for (name,) in sorted(rows)] + sorted(
            store.rows(indexes)
        )
    there = "WHERE table_schema = current_schema()"
    columns = "SELECT table_name, column_name, data_type, is_nullable, column_default FROM "
    indexes = "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
    return sorted(map(str, store.rows(f"{columns} information_schema.columns {there}"))) + sorted(
        store.rows(indexes)
    )


@pytest.mark.parametrize("name", NAMES)
def test_an_old_store_becomes_what_a_new_one_is(name: str, tmp_path: Path) -> None:
    with _opened(name, tmp_path) as (store, _):
        new = tmp_path / "new.sqlite"
        fresh = open_store(new if isinstance(store, SqliteStore) else shared_database().url())
        assert _shape(store) == _shape(fresh)
        fresh.close()


def test_every_schema_that_was_released_is_tested() -> None:
    tested = {8, 10, 11}  # beside 0.2.0 and 0.3.0
    assert {step.number for step in MIGRATIONS[:-1]} == tested | {3, 9}


@pytest.mark.parametrize("name", ["tables-0.3.0", "postgresql-schema-11"])
def test_a_store_that_cannot_be_brought_up_to_date_stays_as_it_was(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = (*MIGRATIONS, Migration(SCHEMA + 1, "CREATE TABLE more (x TEXT); CREATE TABLE;"))
    monkeypatch.setattr(schema, "MIGRATIONS", broken)
    for module in (store_module, postgres_module):
        monkeypatch.setattr(module, "SCHEMA", SCHEMA + 1)
    store = _restored(name, tmp_path)
    with pytest.raises(RunError) as refused:
        open_store(store)
    assert "\n" not in str(refused.value)
    if isinstance(store, Path):
        with closing(sqlite3.connect(store)) as database:
            assert database.execute("PRAGMA user_version").fetchone() == (9,)
            names = [name for (name,) in database.execute("SELECT name FROM sqlite_schema")]
            assert "more" not in names
        return
    with psycopg.connect(store) as connection:
        version = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        there = connection.execute("SELECT to_regclass('more')").fetchone()
        assert (version, there) == (("11",), (None,))


def test_servers_that_start_together_bring_a_store_up_to_date_once(tmp_path: Path) -> None:
    url = _restored("postgresql-schema-10", tmp_path)
    with ThreadPoolExecutor(4) as threads:
        stores = list(threads.map(open_store, [url] * 4))
    shapes = [_shape(store) for store in stores]
    assert shapes == shapes[:1] * 4
    assert len({store.secret for store in stores}) == 1
    for store in stores:
        store.close()


def test_a_database_is_backed_up_while_it_is_written_to(tmp_path: Path) -> None:
    url = str(_restored("postgresql-schema-11", tmp_path))
    found = programs()
    assert found is not None
    if not (found / "pg_dump").exists():
        pytest.skip("pg_dump is not installed")
    with closing(PostgresStore(url)) as store:
        (table, *_), end = store.tables(over=False), threading.Event()
        schema_of = store.rows("SELECT current_schema()")[0][0]
        number = len(store.events(table))

        async def write() -> None:
            at = number
            while not end.is_set():
                at += 1
                await store.append(table, at, Lapsed())

        with ThreadPoolExecutor(1) as threads:
            writing = threads.submit(asyncio.run, write())
            while len(store.events(table)) < number + 5:
                pass
            dump = [str(found / "pg_dump"), "--inserts", f"--schema={schema_of}", url]
            text = subprocess.run(dump, check=True, capture_output=True, text=True).stdout
            end.set()
            writing.result()
        written, secret = len(store.events(table)), store.secret
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'DROP SCHEMA "{schema_of}" CASCADE')
        connection.execute("\n".join(line for line in text.splitlines() if line[:1] != "\\"))
    with closing(PostgresStore(url)) as again:
        assert number + 5 <= len(again.events(table)) <= written
        assert again.secret == secret


def _letter(seat: Seat | None) -> str | None:
    return None if seat is None else seat.letter


def _summary(state: State) -> dict[str, Any]:
    """A state in the form of the files, which does not depend on the classes of the program."""
    claim = state.claim
    return {
        "number": state.number,
        "since": state.since,
        "seed": state.strategy_seed,
        "secret": state.plan.secret,
        "known": state.plan.known,
        "places": [[p.name, p.strategy, p.person, p.open, p.serial, p.away] for p in state.places],
        "actions": [
            action.name if isinstance(action, Card) else str(getattr(action, "value", action))
            for action in state.actions
        ],
        "turn": _letter(state.turn),
        "closed": state.closed,
        "over": state.over,
        "deals": [
            [deal.outcome.tricks, deal.claimed, [seat.letter for seat in deal.advised]]
            for deal in state.finished
        ],
        "totals": [str(points) for points in state.match.totals()],
        "claim": None
        if claim is None
        else [claim.seat.letter, claim.tricks, sorted(seat.letter for seat in claim.agreed)],
        "refused_at": state.refused_at,
        "advice": [[seat.letter, at] for seat, at in state.advice],
        "said": [[number, str(text)] for number, text in state.said],
        "notes": [str(note.text) for note in state.noted],
        "hints": state.plan.hints,
        "drawn": state.drawn,
        "turn_since": state.turn_since,
        "host": _letter(state.host),
        "ready": sorted(seat.letter for seat in state.ready),
        "messages": [[m.number, _letter(m.seat), m.name, m.text] for m in state.messages],
        "written": state.written,
        "muted": sorted([seat.letter, whom] for seat, whom in state.muted),
        "changes": list(state.changes),
        "late": list(state.late),
        "rematch": sorted(seat.letter for seat in state.rematch),
        "rematch_table": state.rematch_table,
        "options": codec.plain(state.options),
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_table_is_in_the_state_in_which_it_was_left(name: str, tmp_path: Path) -> None:
    with _opened(name, tmp_path) as (store, expected):
        tables = {*store.tables(over=False), *store.tables(over=True)}
        assert tables == expected.keys() - {"challenge", "result"}
        for table in tables:
            state = replay(store.events(table))
            assert state is not None
            summary = _summary(state)
            known = {key: summary[key] for key in expected[table]}
            if "options" in known:  # there are more of them by now
                then = expected[table]["options"]
                known["options"] = {key: known["options"][key] for key in then}
            for one in (known, expected[table]):  # by now the first is said once on a deal
                one["said"] = [
                    [number, text.replace(" calls Pass.", " passes.")]
                    for number, text in one["said"]
                    if not _SAID_OTHERWISE.search(text)
                ]
                if "notes" in one:
                    one["notes"] = [n for n in one["notes"] if not _SAID_OTHERWISE.search(n)]
            assert known == expected[table], table


def test_an_old_file_can_be_written_to_and_opened_again(tmp_path: Path) -> None:
    async def play_on(store: Store) -> dict[str, State]:
        rooms = Rooms(store, HereWorkers(), Timing())
        after = {}
        for table in store.tables(over=False):
            room = await rooms.load(table)
            state = room.state
            if state.turn is not None and state.table is not None:
                action = action_name(state.table.legal[0])
                await rooms.click(room, state.turn, action, state.number)
                after[table] = room.state
        await rooms.close()
        return after

    for name in NAMES:
        folder = tmp_path / name
        folder.mkdir()
        with _opened(name, folder) as (store, _):
            after = asyncio.run(play_on(store))
            assert len(after) > 1
            where = store.url if isinstance(store, PostgresStore) else folder / "x.sqlite"
        with closing(open_store(where)) as again:
            for table, state in after.items():
                assert replay(again.events(table)) == state


def test_challenges_and_their_results_are_read(tmp_path: Path) -> None:
    with _opened("tables-schema-8", tmp_path) as (store, expected):
        challenges = Challenges(Rooms(store, HereWorkers(), Timing()))
        old, result = expected["challenge"], expected["result"]
        challenge = asyncio.run(challenges.find(old["id"]))
        assert list(challenge.strategies) == old["strategies"]
        assert (challenge.dice, challenge.seat.letter, challenge.by) == (old["dice"], "S", "")
        assert {key: codec.plain(challenge.match)[key] for key in old["match"]} == old["match"]

        async def read() -> list[Any]:
            found, _ = await challenges.results(challenge)
            await challenges.close()
            return found

        person, bot = asyncio.run(read())
        assert (person.player, bot.player, bot.bot) == ("d:ann", "b:points+random", True)
        for entry in (person, bot):
            assert entry.name == result["name"]
            assert list(entry.scores) == [Fraction(score) for score in result["scores"]]
            assert (entry.total, entry.net) == (Fraction(result["total"]), Fraction(result["net"]))
