"""Play, break things, and print the figures: see the package."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import psycopg

from tools.faults.breaking import Faults
from tools.faults.checking import wrong
from tools.faults.people import LONG
from tribridge import __version__
from tribridge.common.files import write_atomic
from tribridge.strategies.versions import commit


def main() -> int:
    """Play, break things, and print the figures; not 0 if anything is wrong."""
    parser = argparse.ArgumentParser(description="Faults of servers, workers and the database.")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--pace", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--out", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tb-faults-")))
        folder.chmod(0o755)
        faults = Faults(folder, options, stack)
        asyncio.run(faults.run())
        with psycopg.connect(faults.url) as connection:
            (rows,) = connection.execute("SELECT count(*) FROM events").fetchone() or (0,)
        seen = faults.people.seen
        bad = wrong(faults.url, seen)
    figures = {
        "version": __version__,
        "commit": commit(),
        "tables": options.tables,
        "seconds": "in brief" if options.brief else options.seconds,
        "faults": dict(seen.faults),
        "moves acknowledged": len(seen.moves),
        "events": rows,
        "views checked": sum(map(len, seen.views.values())),
        "refused and sent again": {str(status): n for status, n in seen.refused.items()},
        f"waits of more than {LONG:g} s": seen.slow,
        "longest waits for a move": list(map(str, seen.waits)),
        "tables that stopped": len(seen.stuck),
        "stale": seen.stale,
        "forgotten": seen.forgotten,
        **bad,
    }
    text = json.dumps(figures, indent=2)
    print(text)
    if options.out:
        write_atomic(options.out, text + "\n")
    return int(bool(seen.stuck or seen.stale or seen.forgotten or any(bad.values())))


if __name__ == "__main__":
    sys.exit(main())
