"""Declarers against defences on fixed contracts: tricks, time a deal, the slowest card.

python benchmarks/strategies.py "maxims;sampling:layouts=20" [--against maxims] [--deals 50]
python benchmarks/strategies.py maxims --deals 1000
python benchmarks/strategies.py "sampling:layouts=16;alphamu" --against maxims --notrump --skip 3

Deals of the dealer by number. The player with most honour points declares with the hidden hand as
dummy: in the suit of which both hands have most if that is eight cards or more, of which the
declarer has at least four, else in notrump, at the level that honour points suggest. Every
declarer plays each deal against every defence; differences are of the same deals.
"""

from __future__ import annotations

import time
from itertools import combinations, count, islice
from typing import Annotated

import numpy as np
import typer

from tribridge.cards.cards import Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.game import PASS, Bid, Table, new_table
from tribridge.strategies import Strategy, act, decision_rng, find_strategy


def contract(dealt: Deal) -> tuple[Seat, Bid]:
    """Who declares what."""
    seat = max(Seat, key=lambda one: dealt.hands[one].hcp)
    hand, dummy = dealt.hands[seat], dealt.hidden
    suit = max(range(4), key=lambda s: (hand.length(s) + dummy.length(s), hand.length(s)))
    fit = hand.length(suit) + dummy.length(suit) >= 8 and hand.length(suit) >= 4
    strain = Strain(suit) if fit else Strain.NOTRUMP
    points = hand.hcp + dummy.hcp
    level = round((points - 20) / 2.9 + (1.2 if fit else 0.5))
    return seat, Bid(max(1, min(7, level)), strain)


def played(
    number: int, seed: int, declarer: Strategy, defence: Strategy, skip: int = 0
) -> tuple[Table, float]:
    """A deal played to the end, the first tricks by the maxims, and the slowest card's seconds."""
    maxims = find_strategy("pass+maxims")
    dealt = deal(seed, number)
    seat, bid = contract(dealt)
    table = new_table(dealt, seat).apply(bid).apply(PASS).apply(PASS)
    slowest, actions = 0.0, 3
    while not table.over:
        turn = table.turn
        assert turn is not None
        began = time.perf_counter()
        strategy = declarer if turn is seat else defence
        if table.position is not None and len(table.position.tricks) < skip:
            strategy = maxims
        choice = act(strategy, table, decision_rng(seed, number, turn, actions))
        slowest = max(slowest, time.perf_counter() - began)
        table = table.apply(choice.action)
        actions += 1
    return table, slowest


def difference(one: list[int], two: list[int]) -> str:
    """The mean of a paired difference with its standard error."""
    gaps = np.array(one) - np.array(two)
    return f"{gaps.mean():+.3f} ± {gaps.std(ddof=1) / np.sqrt(len(gaps)):.3f}"


def main(
    declarers: Annotated[str, typer.Argument(help="Players, separated by semicolons.")],
    against: Annotated[str, typer.Option(help="Defences; the same players if none.")] = "",
    deals: Annotated[int, typer.Option(min=2)] = 50,
    first: Annotated[int, typer.Option(min=0)] = 0,
    seed: Annotated[int, typer.Option(min=0)] = 2026,
    skip: Annotated[int, typer.Option(min=0, help="Tricks that the maxims play first.")] = 0,
    notrump: Annotated[bool, typer.Option(help="Only the deals played in notrump.")] = False,
) -> None:
    """Play every declarer against every defence on the same deals."""
    offence, defence = declarers.split(";"), (against or declarers).split(";")
    won: dict[tuple[str, str], list[int]] = {}
    numbers = islice(
        (
            number
            for number in count(first)
            if not notrump or contract(deal(seed, number))[1].strain is Strain.NOTRUMP
        ),
        deals,
    )
    chosen = list(numbers)
    for one in offence:
        for two in defence:
            players = find_strategy(f"pass+{one}"), find_strategy(f"pass+{two}")
            began, slowest = time.perf_counter(), 0.0
            tricks, made = [], 0
            for number in chosen:
                table, longest = played(number, seed, *players, skip)
                slowest = max(slowest, longest)
                assert table.position is not None
                tricks.append(table.position.won)
                made += table.position.won >= table.position.contract.tricks_needed()
            each = (time.perf_counter() - began) / deals
            won[one, two] = tricks
            print(
                f"{one} against {two}: {np.mean(tricks):.3f} tricks, {made / deals:.0%} made, "
                f"{each * 1e3:.1f} ms a deal, slowest card {slowest:.3f} s",
                flush=True,
            )
    for two in defence:
        for one, other in combinations(offence, 2):
            print(f"declaring against {two}, {other} - {one}:", end=" ")
            print(difference(won[other, two], won[one, two]))
    for one in offence:
        for two, other in combinations(defence, 2):
            print(f"defending against {one}, {other} - {two}:", end=" ")
            print(difference(won[one, two], won[one, other]))


if __name__ == "__main__":
    typer.run(main)
