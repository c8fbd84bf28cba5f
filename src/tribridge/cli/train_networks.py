"""`tribridge train small` and `tribridge train compare`: a small network, and comparisons."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tribridge.cli.devices import Device, find_device
from tribridge.errors import quantity


def small(
    out: Annotated[Path, typer.Option(help="File for the weights.")] = Path("small.npz"),
    minutes: Annotated[float, typer.Option(min=0.01, help="Minutes to train.")] = 4.5,
    batches: Annotated[int, typer.Option(min=0, help="Train for this many batches instead.")] = 0,
    games: Annotated[int, typer.Option(min=1, help="Games in a batch.")] = 16_384,
    device: Device = "auto",
    seed: Annotated[int, typer.Option(help="Seed of the run.")] = 1,
) -> None:
    """Train a small network to imitate the player learned.

    It learns the preferences of the package's network in games that this network plays, half of
    them with contracts from auctions of the caller learned.
    """
    device = find_device(device)
    import torch

    from tribridge.cards import FULL_DECK
    from tribridge.files import check_place
    from tribridge.training.auctioned import BidContracts, shipped_bidder
    from tribridge.training.copies import save_copy
    from tribridge.training.deals import RuleContracts
    from tribridge.training.expected import forecast
    from tribridge.training.gpu_play import shipped_policy
    from tribridge.training.small_player import train_small

    check_place(out)
    place = torch.device(device)
    network, share = train_small(
        shipped_policy(place),
        BidContracts(shipped_bidder(place), RuleContracts(FULL_DECK, forecast(place))),
        minutes=minutes,
        batches=batches,
        games=games,
        device=device,
        seed=seed,
        say=typer.echo,
    )
    save_copy(network, out)
    typer.echo(f"{out}: prefers the same card as the player learned in {share:.1%} of choices")


def compare(
    networks: Annotated[
        list[Path], typer.Argument(help="Weights of bidders, or of players; two or more.")
    ],
    deals: Annotated[int, typer.Option(min=2, help="Fresh deals.")] = 100_000,
    scheme: Annotated[
        str | None, typer.Option(help="Scoring scheme of bidders: auction unless given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    device: Device = "auto",
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = 1,
) -> None:
    """Play trained networks against each other on fresh deals.

    Bidders play one against two of the other and two against one, settled by forecast;
    players declare and defend contracts set by rule and contracts from auctions.
    """
    device = find_device(device)
    from tribridge.training.comparing import compare as play_all

    found = play_all(networks, deals, scheme=scheme, device=device, seed=seed)
    if as_json:
        print(json.dumps([asdict(one) for one in found]))
        return
    table = Table("network", "against", "holding", "lead ± standard error", box=None)
    for one in found:
        table.add_row(one.one, one.other, one.where, f"{one.lead:+.3f} ± {one.error:.3f}")
    Console().print(table)
    scored = f" under {scheme}" if scheme else ""
    print(f"{quantity(deals, 'deal')}; bidders lead by points per game{scored}, players by tricks.")
