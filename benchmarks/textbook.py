"""Let strategies that search choose their cards in the textbook positions.

    python benchmarks/textbook.py [--out textbook.json]

Writes the cards, which the study of offence and defence counts; takes some minutes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tribridge.files import write_atomic
from tribridge.studies import textbook


def main() -> None:
    """Choose and write."""
    parser = argparse.ArgumentParser(description="Cards of searching strategies, by position.")
    parser.add_argument("--out", type=Path, default=Path("textbook.json"))
    options = parser.parse_args()
    cards = {}
    for name in textbook.SLOW:
        cards[name] = textbook.cards_of(name)
        print(f"{name}: {textbook.right(cards[name])} of {len(cards[name])}", flush=True)
    write_atomic(options.out, json.dumps(cards, indent=1) + "\n")


if __name__ == "__main__":
    main()
