"""Results of typical deals, from which the worth of a standing is computed.

The file `data/typical_deals.csv` counts how deals ended between three players who bid by the
forecast of their own hands (`advice.typical_deals`), with declarer's tricks double dummy. Players
bid differently where games must be bid and where overtricks count towards game, so there are two
sets, named after the scheme that the players were bidding for.
A line has the contract (level 0: passed out), the tricks, the honours of the strain that declarer,
the left defender, the right defender and dummy held, and the number of such deals.
The first line names the deals. The file was made from the training deals:

    tribridge train typical-deals data/labels-7.parquet --out FILE
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from tribridge.cards import parse_strain
from tribridge.game.auction import Bid

LOW: Final = "auction-tricks"
"""The scheme of the deals in which overtricks count as much as tricks that were bid."""
GAMES: Final = "contract"
"""The scheme of the deals in which only tricks that were bid count towards game."""

_COLUMNS: Final = (
    "scheme", "level", "strain", "factor", "tricks", "declarer", "left", "right", "dummy", "deals"
)  # fmt: skip


class TypicalDeal(NamedTuple):
    """How a deal ended, whoever was declarer."""

    bid: Bid | None
    """The contract; None if the deal was passed out."""
    factor: int = 1
    tricks: int = 0
    honours: tuple[int, int, int, int] = (0, 0, 0, 0)
    """How many honours declarer, the left defender, the right defender and dummy held."""


Counts = Mapping[TypicalDeal, int]


def dumps(results: Mapping[str, Iterable[TypicalDeal]], source: str) -> str:
    """Results of each scheme as the text of a file; `source` says which deals they are."""
    lines = [f"# {source}", ",".join(_COLUMNS)]
    for scheme, deals in results.items():
        rows = [
            (
                0 if deal.bid is None else deal.bid.level,
                "" if deal.bid is None else deal.bid.strain.letter,
                deal.factor,
                deal.tricks,
                *deal.honours,
                count,
            )
            for deal, count in Counter(deals).items()
        ]
        lines += [",".join(map(str, (scheme, *row))) for row in sorted(rows)]
    return "\n".join(lines) + "\n"


def loads(text: str) -> dict[str, dict[TypicalDeal, int]]:
    """Read the text of a file."""
    results: dict[str, dict[TypicalDeal, int]] = {}
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        bid = Bid(int(row["level"]), parse_strain(row["strain"])) if row["strain"] else None
        declarer, left, right, dummy = (int(row[name]) for name in _COLUMNS[5:9])
        deal = TypicalDeal(
            bid, int(row["factor"]), int(row["tricks"]), (declarer, left, right, dummy)
        )
        results.setdefault(row["scheme"], {})[deal] = int(row["deals"])
    return results


@cache
def typical_deals() -> Mapping[str, Counts]:
    """The results in the package, by scheme."""
    return loads(resources.files("tribridge.game").joinpath("data/typical_deals.csv").read_text())
