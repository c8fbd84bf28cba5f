"""`tribridge study`: a study of the report on its own, with all its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from tribridge.capture.simulation.tables import Counts
from tribridge.cards.dealer import check_deals, check_seed
from tribridge.cli.options import AsJson, Cluster, argument, option, parse_whole, print_json
from tribridge.cli.showing import show_tables
from tribridge.cli.simulate import OnGpu, Threads, simulating
from tribridge.common.errors import SettingError
from tribridge.common.parallel import Backend
from tribridge.lab.studies.study import Outcome, Runner
from tribridge.lab.studies.suite import STUDIES, find_study


def run_study(
    name: str, deals: int | None, seed: int, backend: Backend[Counts], others: Sequence[str] = ()
) -> Outcome[object]:
    """Run a study on its own: of the size of the paper, or with a number of deals.

    An error names `others` that would do in the place of a study.
    """
    declared = find_study(name, *others)
    size = declared.paper
    check_seed(seed)
    if deals is not None:
        if declared.with_deals is None:
            raise SettingError(f"study {name} takes no number of deals: its size is fixed")
        check_deals(0, deals)
        size = declared.with_deals(deals)
    return declared.outcome(declared.run(size, seed, Runner(backend)))


def study(
    name: Annotated[str, argument(f"A study of the report: {', '.join(STUDIES)}.")],
    deals: Annotated[
        str | None, option("Number of deals, as in 1e6.", show_default="as in the report")
    ] = None,
    seed: Annotated[int, option("Seed of the deals.")] = 1,
    threads: Threads = 0,
    gpu: OnGpu = False,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Run a study of the report, or one of yours, and print its tables."""
    number = None if deals is None else parse_whole(deals, "deals")
    outcome = run_study(name, number, seed, simulating(threads, gpu, cluster))
    if not as_json:
        show_tables(outcome.tables)
        return
    tables = {table.name: table.records() for table in outcome.tables}
    figures = list(map(asdict, outcome.comparisons))
    print_json({"study": name, "seed": seed, "tables": tables, "figures": figures})
