"""What a call earns and costs, for the bidding box: by the scheme, or by the laws and the standing.

Honours are left out: they count for whoever holds them, whatever is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tribridge.deals import Seat
from tribridge.game import Bid, Contract, Mark, Scheme, View, find_scheme
from tribridge.game.laws import deal_items
from tribridge.game.standing import GAMES_TO_WIN, step


@dataclass(frozen=True, slots=True)
class Stake:
    """What a contract needs, earns and costs."""

    tricks: int
    made: Fraction
    """What declarer scores for just making it, bonuses included."""
    down: Fraction
    """What each opponent scores if the contract fails by one trick."""
    wins: str = ""
    """What making it wins in a rubber: `game`, `rubber` or nothing."""


@dataclass(frozen=True, slots=True)
class Raise:
    """What a double or redouble changes."""

    mark: Mark
    declarer: Seat
    before: Stake
    after: Stake


def stake(bid: Bid, seen: View, scheme: str) -> Stake:
    """What is at stake with a bid if it becomes the contract, undoubled.

    >>> import tribridge as tb
    >>> seen = tb.view(tb.new_table(seed=1), "N")
    >>> stake(tb.Bid("3H"), seen, "auction")
    Stake(tricks=9, made=Fraction(24, 1), down=Fraction(50, 1), wins='')
    >>> rubber = tb.Rubber("auction-rubber", below=(10, 0, 0), games=(1, 0, 0))
    >>> seen = tb.view(tb.new_table(seed=1, rubber=rubber), "N")
    >>> stake(tb.Bid("3H"), seen, "auction-rubber")
    Stake(tricks=9, made=Fraction(274, 1), down=Fraction(50, 1), wins='rubber')
    """
    return _stake(Contract(bid, Seat.NORTH if seen.seat is None else seen.seat), seen, scheme)


def raised(mark: Mark, seen: View, scheme: str) -> Raise | None:
    """What a double or redouble of the standing bid changes; None if there is no bid to double."""
    bid, declarer = seen.auction.last_bid, seen.auction.bidder
    if mark is Mark.PASS or bid is None or declarer is None:
        return None
    before, after = (1, 2) if mark is Mark.DOUBLE else (2, 4)
    return Raise(
        mark,
        declarer,
        _stake(Contract(bid, declarer, before), seen, scheme),
        _stake(Contract(bid, declarer, after), seen, scheme),
    )


def marks(seen: View, your_turn: bool) -> list[tuple[Mark, bool]]:
    """Pass, and double or redouble if the match has them, each with whether it is legal.

    Only one of the two can ever be legal: double stands there unless the own bid was doubled.
    """
    kinds = [Mark.PASS]
    if seen.auction.doubles:
        kinds.append(Mark.REDOUBLE if Mark.REDOUBLE in seen.legal else Mark.DOUBLE)
    return [(mark, your_turn and mark in seen.legal) for mark in kinds]


def _stake(contract: Contract, seen: View, scheme: str) -> Stake:
    tricks = contract.tricks_needed(seen.deck)
    if seen.rubber is None:
        rules: Scheme = find_scheme(scheme)
        return Stake(
            tricks,
            rules.declarer_points(contract, tricks, seen.deck),
            rules.penalty(contract, tricks - 1, seen.deck),
        )
    laws, standing = seen.rubber
    declarer = contract.declarer
    risk = declarer in seen.rubber.vulnerable
    items, gained = deal_items(laws, contract, tricks, risk)
    after = step(laws, standing, declarer, gained)
    made = sum(item.points for item in items if item.seat is declarer)
    made += sum(points for _, points in after.bonuses)
    lost, _ = deal_items(laws, contract, tricks - 1, risk)
    down = sum(item.points for item in lost if item.seat is declarer.left)
    games = after.standing.games[declarer]
    wins = (
        "" if games == standing.games[declarer] else "rubber" if games == GAMES_TO_WIN else "game"
    )
    return Stake(tricks, Fraction(made), Fraction(down), wins)
