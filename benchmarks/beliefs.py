"""Time to draw 1,000 layouts that fit a view, beside shuffling and rejecting, in the same run.

python benchmarks/beliefs.py [--seconds 2] [--json]

One deal, played at random, at several points; it was chosen for an early void. `cold` builds the
tables of counts from the view again for each 1,000 layouts, `kept` finds them where an earlier call
left them. The plain way shuffles the unseen cards with `random.shuffle`, deals them into the hidden
hands and rejects the deal if a hand has a suit that it showed to be without; `accepted` is the
share that is not rejected, `ratio` the plain time over the cold one.
"""

from __future__ import annotations

import json
import random
from typing import Annotated

import numpy as np
import typer

from tribridge.beliefs import evidence_of, sample
from tribridge.beliefs.layouts import Layouts, _tables
from tribridge.cards import cards_of
from tribridge.dealer import deal
from tribridge.deals import Seat
from tribridge.game import Table, View, new_table, parse_call, view
from tribridge.studies.speed import measure

LAYOUTS = 1000
POINTS = (0, 8, 16, 24, 32)


def states() -> list[Table]:
    """The play of one deal at random, card by card."""
    table = new_table(deal(1, 43), Seat.NORTH)
    for call in ("1NT", "pass", "pass"):
        table = table.apply(parse_call(call))
    choose, found = random.Random(1), [table]
    while not table.over:
        table = table.apply(choose.choice(table.legal))
        found.append(table)
    return found


def shuffle_and_reject(
    seen: View, count: int, choose: random.Random
) -> tuple[list[list[int]], int]:
    """Layouts by the plain way, and how many shuffles they took."""
    evidence = evidence_of(seen)
    cards = [card.bit for card in cards_of(evidence.loose)]
    barred = [
        (evidence.hidden.index(v.hand), 0x1FFF << 13 * v.suit)
        for v in evidence.voids
        if v.hand in evidence.hidden
    ]
    found: list[list[int]] = []
    tries = 0
    while len(found) < count:
        tries += 1
        choose.shuffle(cards)
        hands, start = [], 0
        for hand in evidence.hidden:
            stop = start + evidence.needs[hand]
            hands.append(sum(cards[start:stop]))
            start = stop
        if not any(hands[place] & suit for place, suit in barred):
            found.append(hands)
    return found, tries


def main(
    seconds: Annotated[float, typer.Option(help="Seconds to spend on each figure.")] = 2.0,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Print the milliseconds for 1,000 layouts at each point, and the ratio to the plain way."""
    played = states()
    points = [("the auction", view(new_table(played[0].deal, Seat.NORTH), Seat.NORTH))]
    points += [(f"{cards} cards played", view(played[cards], Seat.NORTH)) for cards in POINTS]
    rows = [row(name, seen, seconds) for name, seen in points]
    if as_json:
        print(json.dumps(rows))
        return
    print(
        f"{'at':<17} {'layouts':>24} {'voids':>5} {'cold ms':>8} {'kept ms':>8} {'plain ms':>9} "
        f"{'accepted':>8} {'ratio':>6}"
    )
    for each in rows:
        print(
            f"{each['at']:<17} {each['layouts']:>24,} {each['voids']:>5} {each['cold ms']:>8.2f} "
            f"{each['kept ms']:>8.2f} {each['plain ms']:>9.1f} {each['accepted']:>8.1%} "
            f"{each['ratio']:>6.1f}"
        )


def row(name: str, seen: View, seconds: float) -> dict[str, object]:
    """All figures of one point."""
    rng, choose = np.random.default_rng(1), random.Random(1)
    layouts = Layouts(evidence_of(seen))

    def cold(times: int) -> None:
        for _ in range(times):
            _tables.cache_clear()
            sample(seen, LAYOUTS, rng)

    def kept(times: int) -> None:
        for _ in range(times):
            sample(seen, LAYOUTS, rng)

    def plain(times: int) -> None:
        for _ in range(times):
            shuffle_and_reject(seen, LAYOUTS, choose)

    fast, slow = measure(cold, seconds), measure(plain, seconds)
    return {
        "at": name,
        "layouts": layouts.count,
        "voids": sum(1 for v in layouts.evidence.voids if v.hand in layouts.evidence.hidden),
        "cold ms": fast * 1000,
        "kept ms": measure(kept, seconds) * 1000,
        "plain ms": slow * 1000,
        "accepted": LAYOUTS / shuffle_and_reject(seen, LAYOUTS, choose)[1],
        "ratio": slow / fast,
    }


if __name__ == "__main__":
    typer.run(main)
