"""`tribridge label`: solve deals double dummy or play them out, and verify such labels."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tribridge.cli.devices import Device, find_device
from tribridge.cli.options import Progress, parse_whole
from tribridge.errors import SettingError, quantity

if TYPE_CHECKING:
    from tribridge.double_dummy.labels import LabelWork, Tricks
    from tribridge.parallel import Backend, Job

_PIECES = 5, 20
"""Deals that a process, or a worker of a cluster, labels at a time."""

_OF_LABELLING = (
    "out", "deals", "strains", "declarers", "built", "start", "chunk", "one_file", "player",
    "device",
)  # fmt: skip
_CHUNK = {"cpu": 500, "cuda": 100_000}
"""Deals in a file, by what plays them; those solved double dummy are as slow as on a CPU."""
_OF_VERIFYING = ("sample", "by")


def label(
    context: typer.Context,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the files; existing ones are kept."),
    ] = None,
    deals: Annotated[str, typer.Option(help="Number of deals, as in 1e4.")] = "1000",
    strains: Annotated[
        str, typer.Option(help="all, or a comma-separated list of C, D, H, S and NT.")
    ] = "all",
    declarers: Annotated[
        str, typer.Option(help="all: each player declares; one: one declarer per deal, in turn.")
    ] = "all",
    built: Annotated[
        bool,
        typer.Option(
            "--built", help="Build deals with extreme hands for training; one declarer each."
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the deals; with --verify, of the sample.")] = 1,
    start: Annotated[str, typer.Option(help="Number of the first deal.")] = "0",
    processes: Annotated[
        int,
        typer.Option("--processes", "--threads", help="Worker processes; 0 for all cores."),
    ] = 0,
    cluster: Annotated[
        str | None, typer.Option(help="Label on the Dask cluster at this address.")
    ] = None,
    player: Annotated[
        str, typer.Option(help="Play the deals out with this player: learned (needs PyTorch).")
    ] = "",
    device: Device = "auto",
    chunk: Annotated[
        int | None,
        typer.Option(help="Deals per file.", show_default="500; 100,000 with --player on a GPU"),
    ] = None,
    one_file: Annotated[
        Path | None,
        typer.Option(help="Afterwards, also write all labels of the folder to this one file."),
    ] = None,
    verify: Annotated[
        str | None,
        typer.Option(
            help="Check existing labels: a folder, a file, or shipped (those in the package)."
        ),
    ] = None,
    sample: Annotated[
        str | None, typer.Option(help="Number of deals to check, drawn at random; default: all.")
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            help="How to check: turned (solve the deal rotated, suits reversed) or table (slower)."
        ),
    ] = "turned",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Solve deals double dummy: each player as declarer with the hidden hand as dummy.

    With --declarers one, each deal has one declarer (deal 0 North, 1 East, 2 South, 3 North, ...):
    a third of the work per deal, and so three times as many independent pairs of hands for the same
    time, which is better for training.

    To continue a run that was stopped, give the same command again: finished files are kept,
    damaged ones are made again.

    With --player learned the tricks are not double dummy: all four hands are played by the network
    of that strategy, in a contract at the level that the forecast expects.

    With --verify, existing labels are checked: their deals are solved again by another search, and
    every disagreement is reported with deal, declarer and strain. Any disagreement makes the exit
    code 1.
    """
    from tribridge import parallel
    from tribridge.dealer import check_deals, check_seed
    from tribridge.double_dummy.labels import (
        LabelWork,
        dumps_labels,
        load_labels,
        parse_declarers,
        parse_strains,
    )
    from tribridge.training.labelling import make_labels

    backend: Backend[Tricks] = parallel.backend(processes, cluster, pieces=_PIECES)
    if verify is not None:
        _refuse(
            context, _OF_LABELLING, "cannot be combined with --verify, which checks existing labels"
        )
        check_seed(seed)
        deals_to_check = None if sample is None else parse_whole(sample, "sample")
        _verify(verify, deals_to_check, seed, by, backend, as_json=as_json)
        return
    _refuse(context, _OF_VERIFYING, "needs --verify")
    if out is None:
        raise SettingError("missing option '--out': the folder to write labels to")
    which = "one" if built else parse_declarers(declarers)
    work = LabelWork(seed, parse_strains(strains), which, built, _version(player))
    wanted = check_deals(parse_whole(start, "start"), parse_whole(deals, "deals"))
    job: Job[Tricks] | None = None
    if player:
        _refuse(context, ("processes", "cluster"), "cannot be combined with --player")
        job, backend, device = _playing(work, device)
    else:
        _refuse(context, ("device",), "needs --player")
    if chunk is None:
        chunk = _CHUNK["cuda" if player and device == "cuda" else "cpu"]
    begin = time.monotonic()
    bar = Progress("playing" if player else "labelling", wanted[1] - wanted[0])
    try:
        done = make_labels(out, work, wanted, backend, job=job, chunk=chunk, progress=bar.update)
    except KeyboardInterrupt:
        bar.stop()
        print(
            f"tribridge: interrupted: finished files are kept in {out}; "
            "run the same command to continue",
            file=sys.stderr,
        )
        sys.exit(130)
    finally:
        bar.stop()
    if one_file is not None:
        from tribridge.files import write_atomic

        write_atomic(one_file, dumps_labels(load_labels(out)))
    seconds = time.monotonic() - begin
    if as_json:
        print(
            json.dumps(
                {
                    "folder": str(out),
                    "seed": seed,
                    "strains": [strain.letter for strain in work.strains],
                    "declarers": work.declarers,
                    "built": work.built,
                    "player": work.player,
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
    before = f", {done.kept:,} already there" if done.kept else ""
    print(f"{out}: {quantity(done.made, 'deal')} labelled{before} ({work}, {seconds:.0f} s)")


def _version(player: str) -> str:
    """The player with its version and the hash of its weights."""
    if not player:
        return ""
    if player != "learned":
        raise SettingError(f"unknown player {player!r}: only learned can play many deals")
    from tribridge.strategies.versions import player_version

    return str(player_version(player))


def _playing(work: LabelWork, name: str) -> tuple[Job[Tricks], Backend[Tricks], str]:
    """The job that plays deals out, where it runs, and the device."""
    device = find_device(name, numpy=True)
    from tribridge.parallel import InProcess
    from tribridge.training.real_play import AT_ONCE, PlayedDeals, RealPlay

    play = RealPlay(device, work.strains)
    return PlayedDeals(work, play), InProcess(AT_ONCE[device]), device


def _refuse(context: typer.Context, names: tuple[str, ...], problem: str) -> None:
    """Reject options that have no effect here."""
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT":
            raise SettingError(f"--{name.replace('_', '-')} {problem}")


def _verify(
    name: str, size: int | None, seed: int, by: str, backend: Backend[Tricks], *, as_json: bool
) -> None:
    from tribridge.double_dummy.labels import load_labels, shipped
    from tribridge.training.labelling import Disagreement, parse_search, sample, verify

    path = parse_search(by)
    labels = shipped() if name == "shipped" else load_labels(name)
    chosen = labels if size is None else sample(labels, size, seed)
    begin = time.monotonic()
    bar = Progress("verifying", len(chosen))

    def report(disagreement: Disagreement) -> None:
        if not as_json:
            print(disagreement, flush=True)

    try:
        outcome = verify(chosen, backend, path, report=report, progress=bar.update)
    finally:
        bar.stop()
    seconds = time.monotonic() - begin
    wrong = outcome.disagreements
    if as_json:
        print(
            json.dumps(
                {
                    "labels": name,
                    "by": path,
                    "deals": outcome.deals,
                    "of": len(labels),
                    "tricks": outcome.tricks,
                    "disagreements": [
                        {
                            "deal": one.number,
                            "declarer": one.declarer.name.title(),
                            "strain": one.strain.letter,
                            "label": one.label,
                            "solved": one.solved,
                        }
                        for one in wrong
                    ],
                    "seconds": round(seconds, 3),
                }
            )
        )
    else:
        verdict = quantity(len(wrong), "disagreement") if wrong else "all agree"
        print(
            f"{name}: {outcome.deals:,} of {quantity(len(labels), 'deal')} solved again ({path}), "
            f"{quantity(outcome.tricks, 'result')}: {verdict} ({seconds:.0f} s)"
        )
    if wrong:
        raise typer.Exit(1)
