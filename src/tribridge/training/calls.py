"""A caller's choices in random auctions, for its copy to learn from (without PyTorch).

Other callers hold some of the seats, so that the caller meets all kinds of auctions. The deals are
random, not those of `dealer`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tribridge import parallel
from tribridge.cards import Hand
from tribridge.deals import Deal, Seat
from tribridge.game.auction import PASS, Bid, Call
from tribridge.game.table import Action, new_table
from tribridge.game.views import View, view
from tribridge.networks.auction import PLAIN, SEATS, call_number, observe
from tribridge.parallel import Range
from tribridge.strategies.registry import find_caller

PASSING: Final = 0.6
REACH: Final = 5
"""A random bidder passes with probability `PASSING`, else makes one of the next `REACH` bids."""
SEATED: Final = (0.65, 0.25, 0.1)
"""How often a seat is held by the caller to copy, by `learned` or by a random bidder."""


@dataclass(frozen=True, slots=True)
class CallsOf:
    """Auctions in which a caller takes part: a job for `parallel`."""

    caller: str
    """A name from `tribridge arena list`, with options."""
    seed: int

    def run(self, piece: Range) -> NDArray[np.int64]:
        """The caller's choices in a range of auctions: eleven numbers, observation then call."""
        copied, learned = find_caller(self.caller), find_caller("learned")
        rows = []
        for number in range(*piece):
            rng = np.random.default_rng([self.seed, number])
            cards = rng.permutation(52).reshape(4, 13).tolist()
            north, east, south, hidden = (Hand(sum(1 << card for card in hand)) for hand in cards)
            table = new_table(Deal((north, east, south, hidden)), Seat(int(rng.integers(SEATS))))
            seated = rng.choice(len(SEATED), SEATS, p=SEATED)
            while table.contract is None and table.turn is not None:
                seen = view(table, table.turn)
                if seated[table.turn] == 0:
                    call = copied.call(seen, rng).action
                    rows.append((*observe(seen)[:PLAIN], call_number(cast(Call, call))))
                elif seated[table.turn] == 1:
                    call = learned.call(seen, rng).action
                else:
                    call = random_call(seen, rng)
                table = table.apply_unchecked(call)
        return np.array(rows, np.int64).reshape(-1, 11)


def random_call(seen: View, rng: Generator) -> Action:
    """A pass, or one of the next few bids."""
    bids = [call for call in seen.legal if isinstance(call, Bid)][:REACH]
    if not bids or rng.random() < PASSING:
        return PASS
    return bids[int(rng.integers(len(bids)))]


def collect(
    caller: str,
    auctions: int,
    *,
    seed: int,
    processes: int = 0,
    progress: Callable[[int], None] = lambda made: None,
) -> NDArray[np.int64]:
    """A caller's choices in a number of auctions, in order."""
    find_caller(caller)
    backend = parallel.Processes(processes, piece=20)
    parts: list[tuple[Range, list[NDArray[np.int64]]]] = []
    for part in parallel.run(CallsOf(caller, seed), backend, (), (0, auctions)):
        parts.append(part)
        progress(parallel.total(piece for piece, _ in parts))
    ordered = sorted(parts, key=lambda part: part[0])
    return np.concatenate([rows for _, results in ordered for rows in results])
