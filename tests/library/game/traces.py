"""Golden traces: a deal written down line by line, and how each is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from tests.library.game.playing import action_name, actions_of, walk
from tribridge.cards.cards import FULL_DECK, Deck, Hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game.auction import Bid, Mark, call_name
from tribridge.game.scoring import find_scheme, points_name, scores
from tribridge.game.table import Action, Table, new_table
from tribridge.game.tricks import Chair

_SEED = 2026


@dataclass(frozen=True)
class Golden:
    """How a golden trace is made: a deal of the dealer and random actions of a seed."""

    name: str
    number: int
    dealer: Seat
    actions: int
    doubles: bool = False
    deck: Deck = FULL_DECK
    seed: int = _SEED


GOLDEN = (
    Golden("passed-out", 0, Seat.NORTH, 3),
    Golden("suit-just-made", 0, Seat.NORTH, 13),
    Golden("suit-with-overtricks", 1, Seat.EAST, 2),
    Golden("suit-failed-after-long-auction", 0, Seat.NORTH, 14),
    Golden("seven-failed", 2, Seat.SOUTH, 22),
    Golden("notrump-with-overtricks", 1, Seat.EAST, 5),
    Golden("notrump-doubled-failed", 2, Seat.SOUTH, 24, doubles=True),
    Golden("suit-doubled-made", 1, Seat.EAST, 15, doubles=True),
    Golden("suit-redoubled-failed", 7, Seat.EAST, 328, doubles=True),
    Golden("tiny-redoubled", 0, Seat.EAST, 35, doubles=True, deck=Deck(4, 3)),
)


def golden_text(golden: Golden) -> str:
    """A golden trace as it stands in its file."""
    dealt = deal(golden.seed, golden.number, golden.deck)
    table = new_table(dealt, golden.dealer, doubles=golden.doubles)
    *_, last = walk(table, Random(golden.actions))
    return "".join(line + "\n" for line in trace(table, actions_of(last)))


def trace(table: Table, actions: Iterable[Action]) -> Iterator[str]:
    """A deal line by line: header, then turn, legal actions and action, then the result."""
    yield f"deal     {table.deal}"
    yield f"deck     {table.deal.deck}"
    yield f"dealer   {table.dealer}"
    yield f"doubles  {'yes' if table.auction.doubles else 'no'}"
    for number, action in enumerate(actions, 1):
        chair = "" if table.position is None else table.position.chair.name
        turn = f"{number:2} {table.turn!s:5} {chair.lower():8}"
        yield f"{turn} {_legal_name(table)} -> {action_name(action)}"
        table = table.apply(action)
        play = table.position
        if play is not None and play.tricks and not play.trick:
            last = play.tricks[-1]
            yield (
                f"   trick {len(play.tricks)} led by {last.leader.name.lower()}, "
                f"won by {last.winner.name.lower()}; declarer has {play.won}"
            )
        elif play is not None and not play.tricks and not play.trick:
            yield f"   dummy {Hand(play.hands[Chair.DUMMY])}"
    outcome = table.outcome
    if outcome is None:
        yield "unfinished"
        return
    yield f"contract {outcome.contract or 'passed out'}"
    yield f"tricks   {outcome.tricks}"
    for name in ("auction", "old", "new"):
        points = scores(outcome, find_scheme(name), table.deal.deck)
        listed = ", ".join(
            f"{seat} {points_name(own)}" for seat, own in zip(Seat, points, strict=True)
        )
        yield f"{name:8} {listed}"


def _legal_name(table: Table) -> str:
    """Cards one by one; calls as their number, the range of the bids, and the doubles."""
    legal = table.legal
    if table.position is not None:
        return " ".join(action_name(card) for card in legal)
    bids = [call_name(call) for call in legal if isinstance(call, Bid)]
    others = [call_name(call) for call in legal if isinstance(call, Mark)]
    spans = [f"{bids[0]}..{bids[-1]}"] if bids else []
    return f"{len(legal)} calls: {' '.join([*others[:1], *spans, *others[1:]])}"
