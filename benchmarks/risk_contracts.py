"""Let callers that take long bid on the labelled deals, each against two that count points.

    python benchmarks/risk_contracts.py [--deals 600] [--out risk_contracts.npz]

Writes the contracts, which the study of risk settles. With an existing file, only callers that it
does not have, or has in another version, are asked.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tribridge.files import write_atomic
from tribridge.strategies.versions import caller_version
from tribridge.studies import auctions, risk


def main() -> None:
    """Bid and write."""
    parser = argparse.ArgumentParser(description="Contracts of slow callers on the labelled deals.")
    parser.add_argument("--deals", type=int, default=600)
    parser.add_argument("--out", type=Path, default=Path("risk_contracts.npz"))
    options = parser.parse_args()
    deals = auctions.labelled_deals(options.deals)
    contracts = {}
    if options.out.exists():
        with options.out.open("rb") as file:
            before, versions = risk.load_contracts(file, str(options.out))
        contracts = {name: before[name] for name in before if caller_version(name) in versions}
    for name in risk.SLOW:
        if name not in contracts:
            contracts[name] = auctions.one_against_two(deals, name, risk.OPPONENTS)[1]
            write_atomic(options.out, risk.dumps_contracts(contracts))
            print(name, flush=True)


if __name__ == "__main__":
    main()
