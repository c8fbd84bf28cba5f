"""`tribridge arena experts`: players beside people, in the positions that people had."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from tribridge.cli.options import AsJson, argument, option, print_tables, working
from tribridge.common.errors import SettingError, quantity
from tribridge.common.tables import tables_of
from tribridge.lab.studies.experts import beside
from tribridge.lab.training.lin_boards import read_boards
from tribridge.networks.boards import draw, for_validation


def experts(
    boards: Annotated[
        Path, argument("A file of tribridge train boards, or a folder of LIN files.")
    ],
    strategies: Annotated[list[str], argument("Players, as in human or learned@1.")],
    count: Annotated[int, option("How many boards, drawn at random.", "--boards", min=2)] = 300,
    every: Annotated[
        bool, option("Draw from all boards, not only from those for validation.", "--all")
    ] = False,
    seed: Annotated[int, option("Seed of the boards and of all random choices.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Let players choose in positions that experts had, and count what is lost double dummy."""
    given = read_boards(boards, lambda said: print(said, file=sys.stderr))
    drawn = draw(given if every else given.take(for_validation(given)), count, seed)
    if len(drawn) < 2:
        raise SettingError(f"{boards} has {quantity(len(drawn), 'such board')}: at least 2 needed")
    with working("asking", len(drawn), None) as bar:
        result = beside(drawn, strategies, seed, lambda done: bar.update(0, done))
    print_tables(list(tables_of(result)), as_json=as_json)
