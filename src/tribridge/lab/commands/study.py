"""`tribridge simulate STUDY`: a study of the report on its own, with all its tables."""

from __future__ import annotations

from dataclasses import asdict

from tribridge.capture.simulation.counts import CELLS
from tribridge.capture.simulation.tables import Counts
from tribridge.cards.dealer import check_deals, check_seed
from tribridge.cli.options import print_json
from tribridge.cli.showing import show_tables
from tribridge.common.errors import NotFoundError, SettingError
from tribridge.common.parallel import Backend
from tribridge.lab.studies.study import Runner
from tribridge.lab.studies.suite import STUDIES


def show_study(
    name: str, deals: int | None, seed: int, backend: Backend[Counts], *, more: bool, as_json: bool
) -> None:
    """Run a study of the paper and print all its tables; it takes no more options than these."""
    if name not in STUDIES:
        raise NotFoundError(f"unknown study {name!r}: expected {', '.join((*CELLS, *STUDIES))}")
    if more:
        raise SettingError(
            f"study {name} takes only --deals, --seed, --threads, --gpu, --cluster and --json"
        )
    declared = STUDIES[name]
    size = declared.paper
    check_seed(seed)
    if deals is not None:
        if declared.with_deals is None:
            raise SettingError(f"study {name} takes no --deals: it is exact or stored")
        check_deals(0, deals)
        size = declared.with_deals(deals)
    outcome = declared.outcome(declared.run(size, seed, Runner(backend)))
    if not as_json:
        show_tables(outcome.tables)
        return
    tables = {table.name: table.records() for table in outcome.tables}
    figures = list(map(asdict, outcome.comparisons))
    print_json({"study": name, "seed": seed, "tables": tables, "figures": figures})
