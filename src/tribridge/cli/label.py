"""`tribridge label`: deals with their double-dummy tricks into Parquet files."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tribridge.cli.meter import Meter
from tribridge.cli.simulate import parse_whole
from tribridge.errors import SettingError

if TYPE_CHECKING:
    from tribridge.truth.labelling import LabelBackend

_PIECE, _CLUSTER_PIECE = 5, 20


def label(
    out: Annotated[
        Path, typer.Option(help="Folder of the files; what is there already is not made again.")
    ],
    deals: Annotated[str, typer.Option(help="How many deals; 1e4 is understood.")] = "1000",
    strains: Annotated[
        str, typer.Option(help="all, or some of C,D,H,S,NT separated by commas.")
    ] = "all",
    declarers: Annotated[
        str, typer.Option(help="all: each player declares; one: the seat of deal number mod 3.")
    ] = "all",
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = 1,
    start: Annotated[str, typer.Option(help="Number of the first deal.")] = "0",
    processes: Annotated[
        int,
        typer.Option("--processes", "--threads", help="Worker processes; 0 for all cores."),
    ] = 0,
    cluster: Annotated[
        str | None, typer.Option(help="Label on the Dask cluster at this address.")
    ] = None,
    chunk: Annotated[int, typer.Option(help="Deals in a file.")] = 500,
    one_file: Annotated[
        Path | None, typer.Option(help="In the end, also write all of the folder to this file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Solve deals double dummy: each player as declarer with the hidden hand as dummy.

    With --declarers one, each deal has one declarer (deal 0 North, 1 East, 2 South, 3 North, ...):
    a third of the work per deal, so three times as many independent pairs of hands, which is what
    training wants.

    Stopped or killed, the same command goes on where it was: finished files are kept, damaged ones
    made again.
    """
    from tribridge import engine
    from tribridge.truth.labelling import make_labels
    from tribridge.truth.labels import (
        LabelWork,
        dumps_labels,
        load_labels,
        parse_declarers,
        parse_strains,
    )

    work = LabelWork(seed, parse_strains(strains), parse_declarers(declarers))
    wanted = engine.check_deals(parse_whole(start, "start"), parse_whole(deals, "deals"))
    backend: LabelBackend
    if cluster is not None:
        if processes:
            raise SettingError("--processes and --cluster exclude each other")
        backend = engine.Cluster(cluster, piece=_CLUSTER_PIECE)
    else:
        backend = engine.Processes(processes, piece=_PIECE)
    begin = time.monotonic()
    meter = Meter("labelling", wanted[1] - wanted[0])
    try:
        done = make_labels(out, work, wanted, backend, chunk=chunk, progress=meter.tell)
    except KeyboardInterrupt:
        meter.stop()
        print(
            f"tribridge: interrupted: finished files are kept in {out}; "
            "the same command goes on from there",
            file=sys.stderr,
        )
        sys.exit(130)
    finally:
        meter.stop()
    if one_file is not None:
        from tribridge.files import write_whole

        write_whole(one_file, dumps_labels(load_labels(out)))
    seconds = time.monotonic() - begin
    if as_json:
        print(
            json.dumps(
                {
                    "folder": str(out),
                    "seed": seed,
                    "strains": [strain.letter for strain in work.strains],
                    "declarers": work.declarers,
                    "start": wanted[0],
                    "deals": wanted[1] - wanted[0],
                    "kept": done.kept,
                    "made": done.made,
                    "damaged": list(done.damaged),
                    "seconds": round(seconds, 3),
                }
            )
        )
        return
    for name in done.damaged:
        print(f"{name} was damaged and made again")
    before = f", {done.kept:,} were there before" if done.kept else ""
    print(f"{out}: {done.made:,} deals labelled{before} ({work}, {seconds:.0f} s)")
