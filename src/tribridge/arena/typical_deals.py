"""Typical deals: three callers bid, and declarer takes the double-dummy tricks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from tribridge import parallel
from tribridge.dealer import check_deals, check_seed, deal
from tribridge.deals import Seat
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.rubber import dealt_honours
from tribridge.game.table import new_table
from tribridge.game.tricks import chair_hands
from tribridge.game.typical_deals import TypicalDeal
from tribridge.game.views import view
from tribridge.parallel import InProcess, Range
from tribridge.strategies import decision_rng, find_caller


@dataclass(frozen=True, slots=True)
class TypicalWork:
    """Deals of a seed, bid by three of the same caller; the deal rotates."""

    caller: str
    seed: int
    doubles: bool = False

    def __post_init__(self) -> None:
        check_seed(self.seed)
        find_caller(self.caller)

    def run(self, piece: Range) -> tuple[TypicalDeal, ...]:
        solver, results = DoubleDummy(), []
        for number in range(*piece):
            results.append(self._result(number, solver))
        return tuple(results)

    def _result(self, number: int, solver: DoubleDummy) -> TypicalDeal:
        caller = find_caller(self.caller)
        table = new_table(deal(self.seed, number), Seat(number % 3), doubles=self.doubles)
        while table.position is None and (seat := table.turn) is not None:
            rng = decision_rng(self.seed, number, seat, len(table.auction.calls))
            table = table.apply(caller.call(view(table, seat), rng).action)
        contract = table.contract
        if contract is None:
            return TypicalDeal(None)
        declarer, strain = contract.declarer, contract.bid.strain
        tricks = solver.tricks(chair_hands(table.deal, declarer), strain)
        held = [len(hand) for hand in dealt_honours(table.deal, contract)]
        counts = held[declarer], held[declarer.left], held[declarer.right], held[3]
        return TypicalDeal(contract.bid, contract.factor, tricks, counts)


def play_typical_deals(
    work: TypicalWork,
    deals: int,
    processes: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> list[TypicalDeal]:
    """The results of the first deals of a seed, in order."""
    wanted = check_deals(0, deals)
    where: parallel.Backend[tuple[TypicalDeal, ...]] = (
        InProcess() if processes == 1 else parallel.backend(processes, None)
    )
    pieces: dict[Range, list[TypicalDeal]] = {}
    with closing(parallel.run(work, where, [], wanted, chunk=20)) as results:
        for piece, parts in results:
            pieces[piece] = [one for part in parts for one in part]
            progress(sum(map(len, pieces.values())))
    return [one for piece in sorted(pieces) for one in pieces[piece]]
