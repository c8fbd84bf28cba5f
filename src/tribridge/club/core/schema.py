"""The schema of a store, as numbered migrations: each leads from the one before it to its number.

A new store runs all of them, an older one those that it lacks, in one transaction. What has been
released is never changed: the next change is a new migration at the end, and a dump of a store as
it was before goes to `tests/club/old_files`. Both engines have the same numbers; what only servers
that share a database need stands apart.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tribridge.common.errors import RunError


class Migration(NamedTuple):
    """What leads to a schema, in the SQL that both SQLite and PostgreSQL know."""

    number: int
    both: str = ""
    postgres: str = ""
    """What PostgreSQL needs besides."""


MIGRATIONS: Final = (
    Migration(  # version 0.2.0
        3,
        """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE tables (id TEXT PRIMARY KEY, over BOOLEAN NOT NULL DEFAULT FALSE,
        opened TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
        touched DOUBLE PRECISION NOT NULL DEFAULT 0);
    CREATE TABLE events (tab TEXT NOT NULL REFERENCES tables, number INTEGER NOT NULL,
        body TEXT NOT NULL, PRIMARY KEY (tab, number)) WITHOUT ROWID;
    CREATE TABLE reviews (tab TEXT NOT NULL REFERENCES tables, deal INTEGER NOT NULL,
        body TEXT NOT NULL, PRIMARY KEY (tab, deal)) WITHOUT ROWID;
    CREATE INDEX tables_touched ON tables (over, touched);
    """,
    ),
    Migration(
        8,
        """
    ALTER TABLE tables ADD COLUMN listed BOOLEAN NOT NULL DEFAULT FALSE;
    ALTER TABLE tables ADD COLUMN client TEXT;
    CREATE INDEX tables_client ON tables (client) WHERE client IS NOT NULL;
    CREATE TABLE challenges (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE entries (challenge TEXT NOT NULL, player TEXT NOT NULL, tab TEXT NOT NULL,
        body TEXT, PRIMARY KEY (challenge, player)) WITHOUT ROWID;
    CREATE TABLE games (device TEXT NOT NULL, tab TEXT NOT NULL, seat TEXT NOT NULL,
        serial INTEGER NOT NULL, body TEXT, date TEXT NOT NULL DEFAULT '',
        seen INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (device, tab, seat)) WITHOUT ROWID;
    CREATE INDEX games_tab ON games (tab);
    """,
    ),
    Migration(  # version 0.3.0
        9,
        """
    CREATE TABLE puzzle_answers (device TEXT NOT NULL, puzzle TEXT NOT NULL,
        number INTEGER NOT NULL, answer TEXT NOT NULL, solved BOOLEAN NOT NULL,
        missed BOOLEAN NOT NULL, daily TEXT NOT NULL, rating DOUBLE PRECISION NOT NULL,
        deviation DOUBLE PRECISION NOT NULL, volatility DOUBLE PRECISION NOT NULL,
        seen INTEGER NOT NULL,
        PRIMARY KEY (device, puzzle)) WITHOUT ROWID;
    CREATE TABLE puzzle_ratings (puzzle TEXT PRIMARY KEY, rating DOUBLE PRECISION NOT NULL,
        deviation DOUBLE PRECISION NOT NULL, volatility DOUBLE PRECISION NOT NULL) WITHOUT ROWID;
    """,
    ),
    Migration(
        10,
        """
    DROP TABLE IF EXISTS arena_matches;
    DROP TABLE IF EXISTS arena_deals;
    """,
        """
    CREATE UNLOGGED TABLE jobs (id TEXT PRIMARY KEY, asked DOUBLE PRECISION NOT NULL,
        seconds DOUBLE PRECISION NOT NULL, question BYTEA NOT NULL, taken TEXT NOT NULL
        DEFAULT '', answer BYTEA);
    CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP = 'DELETE' THEN
            PERFORM pg_notify('tribridge_' || TG_TABLE_SCHEMA, 'gone ' || OLD.id);
        ELSE
            PERFORM pg_notify('tribridge_' || TG_TABLE_SCHEMA,
                'event ' || NEW.tab || ' ' || NEW.number);
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER tell AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION tell();
    CREATE TRIGGER tell AFTER DELETE ON tables FOR EACH ROW EXECUTE FUNCTION tell();
    """,
    ),
    Migration(
        11,
        postgres="""
    CREATE UNLOGGED TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL,
        until TIMESTAMPTZ NOT NULL);
    DROP TABLE jobs;
    CREATE UNLOGGED TABLE jobs (id TEXT PRIMARY KEY, version TEXT NOT NULL,
        asked DOUBLE PRECISION NOT NULL, seconds DOUBLE PRECISION NOT NULL,
        question TEXT NOT NULL, taken TEXT NOT NULL DEFAULT '', answer TEXT);
    """,
    ),
    Migration(
        12,
        postgres="""
    CREATE OR REPLACE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP = 'DELETE' THEN
            PERFORM pg_notify('tribridge_' || TG_TABLE_SCHEMA, 'gone ' || OLD.id);
        ELSE
            PERFORM pg_notify('tribridge_' || TG_TABLE_SCHEMA,
                'event ' || NEW.tab || ' ' || NEW.number || CASE
                    WHEN octet_length(NEW.body) < 7000 THEN ' ' || NEW.body ELSE '' END);
        END IF;
        RETURN NULL;
    END $$;
    """,
    ),
)
SCHEMA: Final = MIGRATIONS[-1].number


def missing(name: str, version: int) -> list[Migration]:
    """The migrations that a store lacks; refused if this program does not know its schema.

    >>> [step.number for step in missing("play.sqlite", 9)]
    [10, 11, 12]
    """
    known = [step.number for step in MIGRATIONS]
    if version not in (0, *known):
        age = "newer" if version > SCHEMA else "development"
        raise RunError(
            f"{name}: written by a {age} version (schema {version}, this program knows "
            f"{', '.join(map(str, known))})"
        )
    return [step for step in MIGRATIONS if step.number > version]
