"""`tribridge study`: a study of the report on its own, with all its tables."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from tribridge.cards.dealer import check_deals, check_seed
from tribridge.cli.options import AsJson, Cluster, argument, option, parse_whole, print_json
from tribridge.cli.showing import show_tables
from tribridge.cli.simulate import OnGpu, Threads, simulating
from tribridge.common.errors import SettingError
from tribridge.lab.studies.study import Runner
from tribridge.lab.studies.suite import STUDIES, find_study


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
    """Run a study of the report and print its tables."""
    backend = simulating(threads, gpu, cluster)
    declared = find_study(name)
    size = declared.paper
    check_seed(seed)
    if deals is not None:
        if declared.with_deals is None:
            raise SettingError(f"study {name} takes no --deals: it is exact or stored")
        number = parse_whole(deals, "deals")
        check_deals(0, number)
        size = declared.with_deals(number)
    outcome = declared.outcome(declared.run(size, seed, Runner(backend)))
    if not as_json:
        show_tables(outcome.tables)
        return
    tables = {table.name: table.records() for table in outcome.tables}
    figures = list(map(asdict, outcome.comparisons))
    print_json({"study": name, "seed": seed, "tables": tables, "figures": figures})
