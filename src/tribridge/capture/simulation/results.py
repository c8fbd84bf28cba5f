"""Typed results over the integer tables of a simulation.

`CaptureResult` is Algorithm 2 on the first two hands of each deal. `GameResult` is the whole game
of the paper: three bidders, each with Algorithm 1; the highest bid in notrump declares, of equal
bids the first; the hidden hand is the dummy; Algorithm 2 on both gives the tricks. All figures are
integers or exact fractions of them; a rate over nothing is None. Scores under any scheme follow
from `GameResult.contracts`: how often each contract ended in each number of tricks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from tribridge.capture.algorithm import Conditions
from tribridge.capture.simulation.counts import Tally
from tribridge.capture.simulation.tables import (
    BUDGET,
    CAPTURE_SHAPE,
    GAME_SHAPE,
    OUTCOMES,
    PASSED_OUT,
    Counts,
)
from tribridge.cards.cards import FULL_DECK, Strain
from tribridge.cards.deals import Seat
from tribridge.common.errors import quantity, unchanging
from tribridge.game.auction import Bid, Contract
from tribridge.game.scoring import Scheme


def _rate(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def _mean(counts: Mapping[int, int]) -> Fraction | None:
    return _rate(sum(value * count for value, count in counts.items()), sum(counts.values()))


def _marginal(table: Counts, axis: int) -> dict[int, int]:
    """The counts along one axis, zeros left out."""
    others = tuple(other for other in range(table.ndim) if other != axis)
    return {value: int(n) for value, n in enumerate(table.sum(axis=others)) if n}


class _Counted:
    """Results are equal if their counts are."""

    __slots__ = ()
    deals: int
    table: Counts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Counted) and self._counts == other._counts

    def __hash__(self) -> int:
        return hash(self._counts)

    @property
    def _counts(self) -> tuple[object, ...]:
        return type(self), self.deals, self.table.tobytes()


@unchanging
@dataclass(frozen=True, slots=True, eq=False)
class CaptureResult(_Counted):
    """Algorithm 2 on pairs of hands."""

    deals: int
    table: Counts = field(repr=False)
    """By total leading gap, captures and check value; see `tables`."""

    def __str__(self) -> str:
        held = self.outcomes[Conditions.BOTH_HOLD]
        mean = self.mean_captures
        average = "" if mean is None else f", which capture {float(mean):.2f} on average"
        share = f"both conditions hold for {held / self.deals:.2%}{average}"
        return f"{quantity(self.deals, 'deal')}: {share}"

    @property
    def outcomes(self) -> dict[Conditions, int]:
        """How often each condition fails, and how often both hold."""
        return {
            Conditions.A_FAILS: int(self.table[BUDGET + 1 :].sum()),
            Conditions.B_FAILS: int(self.table[: BUDGET + 1, 0].sum()),
            Conditions.BOTH_HOLD: int(self.table[:, 1:].sum()),
        }

    @property
    def captures(self) -> dict[int, int]:
        """How often each number of captures occurs, where both conditions hold."""
        return _marginal(self._held, 1)

    @property
    def check(self) -> dict[int, int]:
        """How often each final check value occurs, where both conditions hold."""
        return _marginal(self._held, 2)

    @property
    def total_gap(self) -> dict[int, int]:
        """How often each total leading gap occurs, over all deals."""
        return _marginal(self.table, 0)

    @property
    def mean_captures(self) -> Fraction | None:
        """The mean number of captures, where both conditions hold."""
        return _mean(self.captures)

    @property
    def _held(self) -> Counts:
        held = self.table.copy()
        held[:, 0] = 0
        return held

    def as_json(self) -> dict[str, Any]:
        return {
            "deals": self.deals,
            **{outcome.value: count for outcome, count in self.outcomes.items()},
            "captures": _keys(self.captures),
            "check": _keys(self.check),
            "total gap": _keys(self.total_gap),
        }


@dataclass(frozen=True, slots=True)
class ContractCount:
    """How often one contract ended in one way."""

    seat: Seat
    level: int
    dummy_level: int
    """The level the hidden hand could have bid itself; 0 if it is not eligible."""
    outcome: Conditions
    tricks: int
    """0 where a condition fails."""
    count: int

    @property
    def made(self) -> bool:
        return self.tricks >= FULL_DECK.book + self.level

    def net_points(self, scheme: Scheme) -> Fraction:
        """The declarer's winnings less the undertrick penalties, for one such contract."""
        return _net_points(scheme, self.level, self.tricks)


@cache
def _net_points(scheme: Scheme, level: int, tricks: int) -> Fraction:
    return scheme.net(Contract(Bid(level, Strain.NOTRUMP), Seat.NORTH), tricks)


@unchanging
@dataclass(frozen=True, slots=True, eq=False)
class GameResult(_Counted):
    """The whole game."""

    deals: int
    table: Counts = field(repr=False)
    """By seat, level less one, level of the hidden hand and result; see `tables`."""
    passed_out: int

    def __str__(self) -> str:
        rate = "" if self.win_rate is None else f", {float(self.win_rate):.1%} of them made"
        return f"{quantity(self.deals, 'deal')}: {quantity(self.played, 'contract')}{rate}"

    @property
    def contracts(self) -> Iterator[ContractCount]:
        """Every kind of contract that was played, with its count."""
        for seat, level, dummy, cell in np.argwhere(self.table).tolist():
            outcome = OUTCOMES.get(cell, Conditions.BOTH_HOLD)
            tricks = 0 if cell in OUTCOMES else cell
            count = int(self.table[seat, level, dummy, cell])
            yield ContractCount(Seat(seat), level + 1, dummy, outcome, tricks, count)

    def count(
        self,
        *,
        made: bool | None = None,
        both_eligible: bool | None = None,
        outcome: Conditions | None = None,
    ) -> int:
        """How many contracts made or went down, with or without an eligible dummy, and so on."""
        return sum(
            kind.count
            for kind in self.contracts
            if made in (None, kind.made)
            and both_eligible in (None, kind.dummy_level > 0)
            and outcome in (None, kind.outcome)
        )

    @property
    def played(self) -> int:
        """Deals with a bidder."""
        return int(self.table.sum())

    @property
    def win_rate(self) -> Fraction | None:
        return _rate(self.count(made=True), self.played)

    @property
    def both_eligible(self) -> int:
        """Contracts with a dummy that could have bid on its own."""
        return self.count(both_eligible=True)

    @property
    def both_eligible_win_rate(self) -> Fraction | None:
        return _rate(self.count(made=True, both_eligible=True), self.both_eligible)

    @property
    def weak_dummy_losses(self) -> Fraction | None:
        """The share of lost contracts with a dummy that could not have bid on its own."""
        return _rate(self.count(made=False, both_eligible=False), self.count(made=False))

    @property
    def mean_level(self) -> Fraction | None:
        """The mean level of all contracts."""
        return _mean(self.levels)

    @property
    def both_eligible_mean_levels(self) -> tuple[Fraction | None, Fraction | None]:
        """The mean levels of declarer and dummy where both are eligible."""
        both = self.table.copy()
        both[:, :, 0] = 0
        levels = {level + 1: count for level, count in _marginal(both, 1).items()}
        return _mean(levels), _mean(_marginal(both, 2))

    @property
    def seats(self) -> dict[Seat, int]:
        """How often each seat declares."""
        return {Seat(seat): count for seat, count in _marginal(self.table, 0).items()}

    @property
    def levels(self) -> dict[int, int]:
        """How often the contract is at each level."""
        return {level + 1: count for level, count in _marginal(self.table, 1).items()}

    @property
    def tricks(self) -> dict[int, int]:
        """How often each number of tricks occurs; 0 where a condition fails."""
        counts: dict[int, int] = {}
        for kind in self.contracts:
            counts[kind.tricks] = counts.get(kind.tricks, 0) + kind.count
        return dict(sorted(counts.items()))

    def as_json(self) -> dict[str, Any]:
        declarer, dummy = self.both_eligible_mean_levels
        rates = {
            "win rate": self.win_rate,
            "win rate, both eligible": self.both_eligible_win_rate,
            "losses with a weak dummy": self.weak_dummy_losses,
            "mean level": self.mean_level,
            "mean level, both eligible": declarer,
            "mean dummy level, both eligible": dummy,
        }
        return {
            "deals": self.deals,
            "passed out": self.passed_out,
            "contracts": self.played,
            "made": self.count(made=True),
            "lost": self.count(made=False),
            "A fails": self.count(outcome=Conditions.A_FAILS),
            "B fails": self.count(outcome=Conditions.B_FAILS),
            "both eligible": self.both_eligible,
            "both eligible, made": self.count(made=True, both_eligible=True),
            "lost, weak dummy": self.count(made=False, both_eligible=False),
            **{name: None if rate is None else float(rate) for name, rate in rates.items()},
            "seats": {str(seat): count for seat, count in self.seats.items()},
            "levels": _keys(self.levels),
            "tricks": _keys(self.tricks),
            "table": [
                [str(k.seat), k.level, k.dummy_level, k.outcome.value, k.tricks, k.count]
                for k in self.contracts
            ],
        }


def _keys(counts: Mapping[int, int]) -> dict[str, int]:
    return {str(value): count for value, count in counts.items()}


def result_of(tally: Tally) -> CaptureResult | GameResult:
    """The result of a tally."""
    if tally.work.study == "capture":
        return CaptureResult(tally.deals, tally.counts.reshape(CAPTURE_SHAPE))
    return GameResult(
        tally.deals,
        tally.counts[:PASSED_OUT].reshape(GAME_SHAPE),
        int(tally.counts[PASSED_OUT]),
    )
