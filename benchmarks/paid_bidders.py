"""Bidders for the paper's old and new scheme, settled under both: the study `paid`.

    python -m benchmarks.paid_bidders [--deals 600] OUT.json

Of 600 deals the result is that in the package (`studies/paid.json`). The deals and the auctions are
those of `learned_bidder`; an auction is held once and settled under both schemes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from benchmarks.learned_bidder import (
    F64,
    LabelledDeals,
    bid_and_write,
    hold_auctions,
    labelled_deals,
)
from tribridge.cards.cards import Strain
from tribridge.common import stats
from tribridge.common.tables import corrected
from tribridge.lab.studies.learned import PAPER, PLAYED
from tribridge.lab.studies.paid import Paid, PaidBidding, Result
from tribridge.strategies.versions import caller_version, commit, list_versions

SCHEMES: Final = ("old", "new")
FOR_EACH: Final = tuple(f"learned:scheme={scheme}" for scheme in SCHEMES)
PAIRS: Final = (*((one, PAPER) for one in FOR_EACH), *((PAPER, one) for one in FOR_EACH),
                FOR_EACH, FOR_EACH[::-1])  # fmt: skip


def result_of(count: int) -> Result:
    """Bid the labelled deals, and settle them under both schemes."""
    dealt = {scheme: labelled_deals(count, scheme) for scheme in SCHEMES}
    any_deals = dealt[SCHEMES[0]]
    at = f", commit {commit()}" if commit() else ""
    return Result(
        len(any_deals),
        f"{len(any_deals):,} labelled deals of seed {any_deals.seed}, bid beforehand by "
        f"{list_versions(map(caller_version, (PAPER, *FOR_EACH)))}{at}",
        corrected(_paid(dealt)),
        tuple(_bidding(dealt)),
    )


def _paid(dealt: dict[str, LabelledDeals]) -> Iterator[Paid]:
    count = len(dealt[SCHEMES[0]])
    seats = np.arange(count) % 3
    for bidder, others in PAIRS:
        names = [[bidder if seat == own else others for seat in range(3)] for own in seats.tolist()]
        contracts = hold_auctions(dealt[SCHEMES[0]], names)
        share: F64 = np.where(contracts[:, 0] == seats, 1.0, -0.5) * (contracts[:, 0] >= 0)
        for scheme, deals in dealt.items():
            for by, points in deals.settle(contracts).items():
                values = share * points
                mean, p = stats.mean_interval(values), stats.paired(values).p
                yield Paid(scheme, bidder, others, by, mean, p)


def _bidding(dealt: dict[str, LabelledDeals]) -> Iterator[PaidBidding]:
    count = len(dealt[SCHEMES[0]])
    for bidder in (PAPER, *FOR_EACH):
        contracts = hold_auctions(dealt[SCHEMES[0]], [[bidder] * 3] * count)
        declarer, strain, level = contracts.T
        bid = declarer >= 0
        old, new = (
            stats.mean_interval(deals.settle(contracts)[PLAYED][bid]) for deals in dealt.values()
        )
        yield PaidBidding(
            bidder,
            100 * float((~bid).mean()),
            float(level[bid].mean()),
            100 * float((strain[bid] == Strain.NOTRUMP.index).mean()),
            old,
            new,
        )


if __name__ == "__main__":
    bid_and_write(result_of, "Bidders for the paper's schemes.")
