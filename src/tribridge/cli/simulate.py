"""`tribridge simulate`: the algorithms of the paper on many deals, on cores, a GPU or a cluster."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

from tribridge.capture.simulation import counts
from tribridge.capture.simulation.counts import CELLS, Tally, Work
from tribridge.capture.simulation.results import CaptureResult, GameResult, result_of
from tribridge.capture.simulation.tables import Counts
from tribridge.cards.dealer import check_deals
from tribridge.cli.options import (
    AsJson,
    Cluster,
    Progress,
    Schemes,
    argument,
    option,
    parse_whole,
    print_json,
)
from tribridge.common import parallel
from tribridge.common.errors import NotFoundError, RunError, SettingError, quantity
from tribridge.common.houses import from_house
from tribridge.common.parallel import Backend, Range
from tribridge.game.scoring import Scheme, find_scheme

_SCHEMES: Final = ("auction", "old", "new")
Threads = Annotated[int, option("Threads; 0 for all cores.")]
OnGpu = Annotated[bool, option("Run on this machine's GPU.", "--gpu")]


def simulate(
    study: Annotated[
        str,
        argument(
            "capture: Algorithm 2 on two hands of each deal; game: bidding by Algorithm "
            "1, the hidden hand as dummy, Algorithm 2 for the tricks."
        ),
    ],
    deals: Annotated[str, option("Number of deals, as in 1e6.")] = "1e6",
    seed: Annotated[int, option("Seed of the deals.")] = 1,
    start: Annotated[str, option("Number of the first deal.")] = "0",
    reading: Annotated[
        str | None, option("Reading of Algorithm 1 (game).", show_default="natural")
    ] = None,
    threads: Threads = 0,
    gpu: OnGpu = False,
    cluster: Cluster = None,
    out: Annotated[
        Path | None,
        option("Save the counts to this file as they grow; continues a stopped run."),
    ] = None,
    scheme: Schemes = None,
    as_json: AsJson = False,
) -> None:
    """Simulate the paper's algorithms on many deals and print the counts."""
    backend = simulating(threads, gpu, cluster)
    if study not in CELLS:
        raise NotFoundError(
            f"unknown simulation {study!r}: expected {' or '.join(CELLS)}; a study of the report "
            "is run by tribridge study"
        )
    work = counts.Work(study, seed, reading)
    wanted = check_deals(parse_whole(start, "start"), parse_whole(deals, "deals"))
    schemes = _schemes(work.study, scheme)
    tally = _begin(work, wanted, out)
    begin, stopped = time.perf_counter(), False
    doing = f"simulating {study}"
    try:
        with Progress(doing, wanted[1] - wanted[0], patience=2.0) as bar:
            tally = counts.run(tally, wanted, backend, path=out, progress=bar.update)
    except counts.Stopped as stop:
        tally, stopped = stop.tally, True
    seconds = time.perf_counter() - begin
    if tally.deals:
        _print(tally, seconds, schemes, as_json)
    if stopped:
        saved = f"saved in {out}; the same command goes on" if out else "shown above, not saved"
        done = f"{tally.deals:,} of {quantity(wanted[1] - wanted[0], 'deal')} done"
        print(f"tribridge: interrupted: {done}, {saved}", file=sys.stderr)
        sys.exit(130)


def simulating(threads: int, gpu: bool, cluster: str | None) -> Backend[Counts]:
    """Where simulations run."""
    if gpu and cluster is not None:
        raise SettingError("--gpu and --cluster cannot be combined")
    if cluster is not None:
        return parallel.Cluster(cluster)
    return from_house("lab.gpu").Gpu() if gpu else parallel.Cores(threads)


def _begin(work: Work, wanted: Range, out: Path | None) -> Tally:
    """The counts to start from: none, or those of the file."""
    if out is None or not out.exists():
        return counts.Tally.empty(work)
    tally = counts.load(out)
    if tally.work != work:
        raise RunError(f"{out} holds {tally.work}; expected {work}")
    for first, end in tally.ranges:
        if first < wanted[0] or end > wanted[1]:
            raise RunError(
                f"{out} holds deals {first} to {end - 1}, outside {wanted[0]} to {wanted[1] - 1}"
            )
    return tally


def _schemes(study: str, names: list[str] | None) -> list[Scheme]:
    if names and study != "game":
        raise SettingError(f"study {study} has no points to score")
    return [find_scheme(name) for name in names or _SCHEMES]


def _print(tally: Tally, seconds: float, schemes: list[Scheme], as_json: bool) -> None:
    result = result_of(tally)
    if as_json:
        head = {
            "study": tally.work.study,
            "seed": tally.work.seed,
            "reading": tally.work.reading,
            "ranges": [list(each) for each in tally.ranges],
        }
        data = head | result.as_json()
        if not isinstance(result, CaptureResult):
            data["net points"] = {s.name: _net_points(result, s) for s in schemes}
        print_json(data)
        return
    ranges = ", ".join(f"{first} to {end - 1}" for first, end in tally.ranges)
    print(f"{tally.work}, deals {ranges} ({seconds:.1f} s)\n")
    if isinstance(result, CaptureResult):
        lines = [(o.value, count, result.deals) for o, count in result.outcomes.items()]
        lines += [(f"{n} captures", count, result.deals) for n, count in result.captures.items()]
    else:
        lines = list(_game_lines(result))
    for name, count, whole in lines:
        print(f"{name:34}{count:>18,}" + (f"{count / whole:>12.4%}" if whole else ""))
    if not isinstance(result, CaptureResult):
        print()
        for scheme in schemes:
            for which, points in _net_points(result, scheme).items():
                name = f"net points, {scheme.name}, {which}"
                print(f"{name:36}{points:>18,.1f}")


def _net_points(result: GameResult, scheme: Scheme) -> dict[str, float]:
    """Declarers' winnings less undertrick penalties, of all contracts and of eligible pairs."""
    kinds = list(result.contracts)
    return {
        which: float(sum(kind.net_points(scheme) * kind.count for kind in chosen))
        for which, chosen in (
            ("all contracts", kinds),
            ("both eligible", [kind for kind in kinds if kind.dummy_level]),
        )
    }


def _game_lines(result: GameResult) -> Iterator[tuple[str, int, int]]:
    """What happened, how often, and out of how many."""
    played, eligible = result.played, result.both_eligible
    lost = {both: result.count(made=False, both_eligible=both) for both in (False, True)}
    yield "passed out", result.passed_out, result.deals
    yield "contracts", played, result.deals
    yield "  made", result.count(made=True), played
    yield "  lost, dummy not eligible", lost[False], played
    yield "  lost, dummy eligible", lost[True], played
    yield "both eligible", eligible, played
    yield "  made", result.count(made=True, both_eligible=True), eligible
    yield from ((f"level {level}", count, played) for level, count in result.levels.items())
    yield from ((f"{seat} declares", count, played) for seat, count in result.seats.items())
