"""`tribridge label`: solve deals double dummy or play them out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from tribridge.cards.dealer import check_deals
from tribridge.cli.options import (
    AsJson,
    Cluster,
    Device,
    find_device,
    option,
    parse_whole,
    print_json,
    working,
)
from tribridge.common import parallel
from tribridge.common.errors import SettingError, quantity
from tribridge.common.files import write_atomic
from tribridge.common.parallel import Backend, InProcess, Job
from tribridge.lab.labels.labels import (
    LabelWork,
    Tricks,
    dumps_labels,
    load_labels,
    parse_declarers,
    parse_strains,
)
from tribridge.lab.training.labelling import make_labels
from tribridge.strategies.versions import player_version

Processes = Annotated[int, option("Worker processes; 0 for all cores.", "--processes", "--threads")]
_PIECES = 5, 20
"""Deals that a process, or a worker of a cluster, labels at a time."""
_CHUNK = {"cpu": 500, "cuda": 100_000}
"""Deals in a file, by what plays them; those solved double dummy are as slow as on a CPU."""


def label(
    context: typer.Context,
    out: Annotated[Path, option("Folder for the files; existing ones are kept.")],
    deals: Annotated[str, option("Number of deals, as in 1e4.")] = "1000",
    strains: Annotated[str, option("all, or a comma-separated list of C, D, H, S and NT.")] = "all",
    declarers: Annotated[
        str, option("all: each player declares; one: one declarer per deal, in turn.")
    ] = "all",
    built: Annotated[
        bool, option("Build deals with extreme hands for training; one declarer each.", "--built")
    ] = False,
    seed: Annotated[int, option("Seed of the deals.")] = 1,
    start: Annotated[str, option("Number of the first deal.")] = "0",
    processes: Processes = 0,
    cluster: Cluster = None,
    player: Annotated[
        str, option("Play the deals out with this player: learned@1 (needs PyTorch).")
    ] = "",
    device: Device = "auto",
    chunk: Annotated[
        int | None, option("Deals per file.", show_default="500; 100,000 with --player on a GPU")
    ] = None,
    one_file: Annotated[
        Path | None, option("Afterwards, also write all labels of the folder to this one file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Solve deals double dummy: each player as declarer with the hidden hand as dummy.

    With --declarers one, each deal has one declarer (deal 0 North, 1 East, 2 South, 3 North, ...):
    a third of the work per deal, and so three times as many independent pairs of hands for the same
    time, which is better for training.

    To continue a run that was stopped, give the same command again: finished files are kept,
    damaged ones are made again.

    With --player learned the tricks are not double dummy: all four hands are played by the network
    of that strategy, in a contract at the level that the forecast expects.
    """
    backend: Backend[Tricks] = parallel.backend(processes, cluster, pieces=_PIECES)
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
    with working("playing" if player else "labelling", wanted[1] - wanted[0], out) as bar:
        done = make_labels(out, work, wanted, backend, job=job, chunk=chunk, progress=bar.update)
    if one_file is not None:
        write_atomic(one_file, dumps_labels(load_labels(out)))
    seconds = time.monotonic() - begin
    if as_json:
        print_json(
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
                "damaged": done.damaged,
                "seconds": round(seconds, 3),
            }
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
    if player not in ("learned", "learned@1"):
        raise SettingError(f"unknown player {player!r}: only learned@1 can play many deals")
    return str(player_version("learned@1"))


def _playing(work: LabelWork, name: str) -> tuple[Job[Tricks], Backend[Tricks], str]:
    """The job that plays deals out, where it runs, and the device."""
    device = find_device(name, numpy=True)
    from tribridge.lab.training.real_play import AT_ONCE, PlayedDeals, RealPlay

    play = RealPlay(device, work.strains)
    return PlayedDeals(work, play), InProcess(AT_ONCE[device]), device


def _refuse(context: typer.Context, names: tuple[str, ...], problem: str) -> None:
    """Reject options that have no effect here."""
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT":
            raise SettingError(f"--{name} {problem}")
