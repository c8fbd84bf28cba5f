"""What a notice of PostgreSQL costs a server that it does not concern, and the size of an event.

python -m benchmarks.notices [NOTICES]
"""

from __future__ import annotations

import sys
import time

import psycopg

from tests.club.database import database
from tribridge.cards.deals import Seat
from tribridge.club.core.events import Act
from tribridge.club.core.postgres import PostgresStore
from tribridge.common import codec


def main() -> None:
    """Send notices of events at tables that nobody here looks at."""
    wanted, heard = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000, 0

    def hear(text: str) -> None:
        nonlocal heard
        heard += text.partition(" ")[2].partition(" ")[0] not in {"a table"}

    with database() as own:
        store = PostgresStore(own.url())
        store.listen(hear)
        time.sleep(1)
        first, begun = heard, time.process_time()
        text = (
            "SELECT pg_notify(%s, 'event ABCDEFGHIJKLMNOPQ ' || g) FROM generate_series(1, 500) g"
        )
        with psycopg.connect(store.url, autocommit=True) as connection:
            for _ in range(wanted // 500):
                connection.execute(text, (store.channel,))
        while heard < first + wanted // 500 * 500:
            time.sleep(0.05)
        each = (time.process_time() - begun) / (heard - first)
        store.close()
    event = codec.dumps(Act(Seat("N"), "SA"), skip_none=True)
    print(f"{1e6 * each:.1f} µs of CPU for a notice; {len(event)} bytes for a card")


if __name__ == "__main__":
    main()
