"""Let strategies choose their cards in the textbook positions.

    python benchmarks/textbook.py [NAME ...] [--out textbook.json]

Writes the cards, which the study of offence and defence counts; takes some minutes. What the file
has of strategies that are not named is kept: with `--out src/tribridge/lab/studies/textbook.json`,
the cards of a new version replace those of the last one.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from tribridge.common.files import write_atomic
from tribridge.game.textbook import positions
from tribridge.lab.studies.offence import right
from tribridge.strategies import decision_rng, find_player

if TYPE_CHECKING:
    from tribridge.strategies.protocol import Player

FAST: Final = ("random", "capture", "maxims", "learned", "human")
SLOW: Final = ("learned@1:layouts=40", "sampling:layouts=12")


def cards_of(strategy: str) -> dict[str, str]:
    """The cards that a strategy plays, one position after another."""
    player = cast("Player", find_player(strategy))
    return {
        position.id: str(player.card(position.view(), decision_rng(0, at, 0, 0)).action)
        for at, position in enumerate(positions())
    }


def main() -> None:
    """Choose and write."""
    parser = argparse.ArgumentParser(description="Cards of strategies, by position.")
    parser.add_argument("names", nargs="*", default=(*FAST, *SLOW), metavar="NAME")
    parser.add_argument("--out", type=Path, default=Path("textbook.json"))
    options = parser.parse_args()
    cards = json.loads(options.out.read_text("utf-8")) if options.out.exists() else {}
    for name in options.names:
        cards[name] = cards_of(name)
        print(f"{name}: {right(cards[name])} of {len(cards[name])}", flush=True)
    write_atomic(options.out, json.dumps(cards, indent=1) + "\n")


if __name__ == "__main__":
    main()
