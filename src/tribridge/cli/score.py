"""`tribridge score`: the score sheet of the rubbers in a file of finished games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def score(
    file: Annotated[
        Path,
        typer.Argument(
            help="Records of finished games (JSON Lines or PBN), or rubbers that --out wrote."
        ),
    ],
    laws: Annotated[
        str,
        typer.Option(
            help="auction-rubber, auction-rubber-games, whist-club, contract-rubber, or a TOML "
            "file. Rubbers keep the laws that they name."
        ),
    ] = "auction-rubber",
    out: Annotated[Path | None, typer.Option(help="Write the rubbers to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON Lines.")] = False,
) -> None:
    """Score finished games as rubbers: above and below the line, totals and settlement."""
    from tribridge.files import check_place
    from tribridge.game.laws import find_laws
    from tribridge.game.record import rubbers as record_rubber

    if out is not None:
        check_place(out)
    rubbers = record_rubber.load_games(file, find_laws(laws))
    if out is not None:
        record_rubber.dump(rubbers, out)
    if as_json:
        print(record_rubber.dumps(rubbers), end="")
        return
    for number, rubber in enumerate(rubbers, 1):
        heading = f"Rubber {number}" if len(rubbers) > 1 else "Rubber"
        gap = "\n" if number > 1 else ""
        print(f"{gap}{heading}, {rubber.laws.name}: {rubber.laws.note}\n\n{rubber}")
