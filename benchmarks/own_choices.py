"""How often a review blames the very call or card that a hint suggests.

    python -m benchmarks.own_choices [--deals 60] [--seed 22]

`learned` plays deals in all seats, in turn under `auction`, under `contract` and in fresh rubbers,
with doubles. Every call and card of which there was a choice is then reviewed as at the table
(`Plan()`), as if the hint had been followed there: so these are the choices of somebody who does
what hints suggest. Blamed is what a review calls an inaccuracy or a mistake.
Intervals are over deals.

A deal takes about ten seconds; Ctrl-C ends the run and prints the rates so far.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress

from benchmarks.review import SETTINGS
from tribridge.arena.playing import play
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.stats import clustered_proportion
from tribridge.game import Record, Rubber, find_scheme, new_table, record_of, view
from tribridge.reviews import Judgement, Plan, Verdict, judge
from tribridge.strategies import bidding_for, find_strategy
from tribridge.strategies.choices import STRATEGY, options
from tribridge.strategies.versions import strategy_version

ENDING = 6
"""Tricks after which a review also solves layouts."""
KINDS = ("calls", f"cards of tricks 1 to {ENDING}", "cards of later tricks", "all choices")


def game(seed: int, number: int) -> Record:
    """A deal as the strategy plays it."""
    setting = SETTINGS[number % len(SETTINGS)]
    scheme = None if setting == "rubber" else find_scheme(setting)
    rubber = Rubber().state if scheme is None else None
    strategy = bidding_for(find_strategy(STRATEGY), scheme)
    table = new_table(
        deal(seed, number), Seat(number % 3), scheme=scheme, rubber=rubber, doubles=True
    )
    return record_of(play(table, [strategy] * 3, seed=seed, number=number).table)


def judged(record: Record) -> Iterator[tuple[str, Judgement]]:
    """The judgements on the choices of a deal, each with the kind of the choice."""
    for table in record.states():
        if len(table.legal) > 1:
            late = len(table.tricks) >= ENDING
            kind = KINDS[0] if table.position is None else KINDS[1 + late]
            action = options(view(table, table.turn))[0].action
            yield kind, judge(table, action, Plan())


def main() -> None:
    """Print what is blamed, and the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=60)
    parser.add_argument("--seed", type=int, default=22)
    options = parser.parse_args()
    verdicts: defaultdict[str, list[Counter[Verdict]]] = defaultdict(list)
    with suppress(KeyboardInterrupt):  # the deals so far count
        for number in range(options.deals):
            counts = {kind: Counter[Verdict]() for kind in KINDS}
            for kind, one in judged(game(options.seed, number)):
                counts[kind][one.verdict] += 1
                counts[KINDS[-1]][one.verdict] += 1
                if one.verdict.wrong:
                    where = f"deal {number}, {one.number} {one.seat}"
                    print(f"{where} {one.action}, {one.verdict}: {one.reason}", flush=True)
            for kind in KINDS:
                verdicts[kind].append(counts[kind])
    print(f"{strategy_version(STRATEGY).version}, {len(verdicts[KINDS[0]])} deals")
    for kind in KINDS:
        each = verdicts[kind]
        blamed = [sum(one[verdict] for verdict in Verdict if verdict.wrong) for one in each]
        totals = [one.total() for one in each]
        rate = clustered_proportion(blamed, totals)
        mistakes = sum(one[Verdict.MISTAKE] for one in each)
        print(
            f"{kind:24} {sum(blamed):4} of {sum(totals):5} blamed ({rate.estimate:.1%}, 95% "
            f"interval {rate.low:.1%} to {rate.high:.1%}), {mistakes} as mistakes"
        )


if __name__ == "__main__":
    main()
