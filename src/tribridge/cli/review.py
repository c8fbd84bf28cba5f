"""`tribridge review`: every call and card of a deal, judged by what its player could know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tribridge.cli.options import LayoutSeed, Processes
from tribridge.errors import SettingError, quantity


def review(
    file: Annotated[
        Path, typer.Argument(help="Records of deals that were played (JSON Lines or PBN).")
    ],
    deal: Annotated[
        int, typer.Option(help="Review only this deal of the file, counted from 1.")
    ] = 0,
    layouts: Annotated[
        int, typer.Option(help="Layouts of the unseen cards to value for each choice.")
    ] = 40,
    scheme: Annotated[
        str | None,
        typer.Option(
            help="Scoring scheme outside rubbers.", show_default="the file's, or else auction"
        ),
    ] = None,
    processes: Processes = 0,
    seed: LayoutSeed = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write JSON Lines, one object for each deal.")
    ] = False,
) -> None:
    """Review deals: judge every call and card by what its player could know.

    A card that cost a trick double dummy is either a mistake or bad luck, with a reason.
    """
    from tribridge import codec
    from tribridge.dealer import check_seed
    from tribridge.game.record.pbn import load_records
    from tribridge.game.scoring import find_scheme
    from tribridge.reviews import Plan, judgements
    from tribridge.reviews import review as review_deal
    from tribridge.reviews.wording import heading, line, summaries

    check_seed(seed)
    if scheme is not None:
        find_scheme(scheme)
    records = load_records(file)
    if not 0 <= deal <= len(records):
        raise SettingError(
            f"--deal {deal} is out of range: {file} has {quantity(len(records), 'deal')}"
        )
    plan = Plan(layouts, seed, scheme, processes=processes)
    for number, record in enumerate(records, 1):
        if deal not in (0, number):
            continue
        if as_json:
            answer = codec.plain(review_deal(record, plan), digits=3)
            print(json.dumps({"deal": number} | answer), flush=True)
            continue
        print(
            f"{'' if number == (deal or 1) else chr(10)}Deal {number}: {heading(record.replay())}"
        )
        judged = []
        for judgement in judgements(record, plan):
            judged.append(judgement)
            print(line(judgement), flush=True)
        print("", *summaries(judged).values(), sep="\n")
