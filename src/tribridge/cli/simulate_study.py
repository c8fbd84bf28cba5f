"""A study for `tribridge simulate`, or another deck: tables in the terminal or as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tribridge.cli.options import print_json
from tribridge.errors import SettingError

if TYPE_CHECKING:
    from tribridge.capture.simulation.tables import Counts
    from tribridge.parallel import Backend
    from tribridge.studies.other_deck import Setting
    from tribridge.studies.study import Outcome


def run(
    name: str, deals: int | None, seed: int, backend: Backend[Counts], *, as_json: bool
) -> None:
    """Run one study and print all its tables."""
    from tribridge.dealer import check_deals, check_seed
    from tribridge.studies import suite
    from tribridge.studies.study import Runner

    check_seed(seed)
    declared = suite.find_study(name)
    size = declared.paper
    if deals is not None:
        if declared.with_deals is None:
            raise SettingError(f"study {name} takes no --deals: it is exact, timed or stored")
        check_deals(0, deals)
        size = declared.with_deals(deals)
    outcome = declared.outcome(declared.run(size, seed, Runner(backend)))
    _print(outcome, {"study": name, "seed": seed}, as_json=as_json)


def setting(
    deck: str | None,
    budget: int | None,
    reading: str | None,
    schemes: list[str] | None,
    deals: int,
    seed: int,
) -> Setting:
    """The setting of options; the budget is the paper's, scaled to the deck, unless given."""
    from tribridge.capture import default_budget
    from tribridge.capture.readings import parse_reading
    from tribridge.capture.simulation.arrays import DeckWork
    from tribridge.cards import parse_deck
    from tribridge.game.scoring import find_scheme
    from tribridge.studies.other_deck import Setting
    from tribridge.studies.published import SCHEMES

    pack = parse_deck(deck or "4x13")
    name = parse_reading(reading or "natural").name
    work = DeckWork(pack, default_budget(pack) if budget is None else budget, name, seed)
    return Setting(work, deals, tuple(find_scheme(scheme) for scheme in schemes or SCHEMES))


def run_deck(setting: Setting, threads: int, cluster: str | None, *, as_json: bool) -> None:
    """Simulate both algorithms and the game on a deck, beside the exact counts."""
    from tribridge import parallel
    from tribridge.studies.other_deck import PIECE, STUDY, simulate

    where: Backend[Counts] = parallel.Cores(threads, PIECE)
    if cluster is not None:
        where = parallel.Cluster(cluster)
    outcome = STUDY.outcome(simulate(setting, where))
    _print(outcome, {"seed": setting.work.seed} | setting.describe(), as_json=as_json)


def _print(outcome: Outcome[Any], head: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        tables = {table.name: table.records() for table in outcome.tables}
        print_json(head | {"tables": tables, "figures": list(map(asdict, outcome.comparisons))})
        return
    from tribridge.cli.showing import show_framed

    show_framed(outcome.tables)
