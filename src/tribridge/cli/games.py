"""Commands about games that were played: `tribridge review`, `score` and `worth`."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Annotated

from tribridge.cards.dealer import check_seed
from tribridge.cards.deals import Seat
from tribridge.cli.options import (
    AsJson,
    Laws,
    LayoutSeed,
    Processes,
    argument,
    option,
    print_json,
    print_tables,
)
from tribridge.common import codec
from tribridge.common.errors import RecordWarning, SettingError, quantity
from tribridge.game.laws import find_laws
from tribridge.game.record import rubbers as record_rubber
from tribridge.game.record.four_handed import file_seats
from tribridge.game.record.pbn import load_records
from tribridge.game.rubber_worth import rubber_worth
from tribridge.game.scoring import find_scheme
from tribridge.game.standing import parse_standing


def review(
    file: Annotated[
        Path,
        argument(
            "Records of deals that were played: JSON Lines, PBN or LIN, also of four players."
        ),
    ],
    deal: Annotated[int, option("Review only this deal of the file, counted from 1.")] = 0,
    layouts: Annotated[
        int | None,
        option("Layouts of the unseen cards to value for each choice.", show_default="200"),
    ] = None,
    scheme: Annotated[
        str | None,
        option("Scoring scheme outside rubbers.", show_default="the file's, or else auction"),
    ] = None,
    processes: Processes = 0,
    seed: LayoutSeed = 1,
    as_json: Annotated[
        bool, option("Write JSON Lines, one object for each deal.", "--json")
    ] = False,
) -> None:
    """Review deals: judge every call and card by what its player could know.

    A card that cost a trick double dummy is either a mistake or bad luck, with a reason. Of games
    of four players the cards are judged, and the seats are those of the file.
    """
    from tribridge.reviews import Plan, judgements
    from tribridge.reviews import review as review_deal
    from tribridge.reviews.judging import LAYOUTS
    from tribridge.reviews.wording import SEATS, heading, line, summaries

    check_seed(seed)
    points = None if scheme is None else find_scheme(scheme)
    records = load_records(file)
    if not 0 <= deal <= len(records):
        raise SettingError(
            f"--deal {deal} is out of range: {file} has {quantity(len(records), 'deal')}"
        )
    layouts = LAYOUTS if layouts is None else layouts
    first = True
    for number, record in enumerate(records, 1):
        if deal not in (0, number):
            continue
        four = record.tags.four_handed
        names = file_seats(record.tags) if four else SEATS
        plan = Plan(layouts, seed, points, names=names, processes=processes)
        table = record.table() if points is None else record.replay()
        board = f" (board {record.tags['Board']})" if four and record.tags.get("Board") else ""
        try:
            judged = judgements(table, plan)
            if as_json:
                answer = codec.plain(review_deal(table, plan), digits=3)
                seats = {"seats": names} if four else {}
                print(json.dumps({"deal": number} | seats | answer), flush=True)
                continue
            opening = next(judged)
        except SettingError as error:
            if len(records) == 1 or deal:
                raise
            warnings.warn(f"{file}, deal {number}{board}: {error}", RecordWarning, stacklevel=1)
            continue
        gap, first = "" if first else "\n", False
        print(f"{gap}Deal {number}{board}: {heading(table, names)}")
        made = [opening]
        print(line(opening, names), flush=True)
        for judgement in judged:
            made.append(judgement)
            print(line(judgement, names), flush=True)
        print("", *summaries(made, names).values(), sep="\n")


def score(
    file: Annotated[
        Path,
        argument("Records of finished games (JSON Lines or PBN), or rubbers that --json wrote."),
    ],
    laws: Laws = "auction-rubber",
    as_json: Annotated[bool, option("Write JSON Lines.", "--json")] = False,
) -> None:
    """Score finished games as rubbers: above and below the line, totals and settlement.

    Rubbers in the file keep the laws that they name.
    """
    rubbers = record_rubber.load_games(file, find_laws(laws))
    if as_json:
        print(record_rubber.dumps(rubbers), end="")
        return
    for number, rubber in enumerate(rubbers, 1):
        heading = f"Rubber {number}" if len(rubbers) > 1 else "Rubber"
        gap = "\n" if number > 1 else ""
        print(f"{gap}{heading}, {rubber.laws.name}: {rubber.laws.note}\n\n{rubber}")


def worth(
    standing: Annotated[
        str,
        argument(
            'A standing, as in "N 20, E 1 game, S 1 game 15": points below the line and '
            "games won. Without it, tables of games and part scores are shown."
        ),
    ] = "",
    laws: Laws = "auction-rubber",
    as_json: AsJson = False,
) -> None:
    """What a standing in a rubber is worth: the settlement to expect from here on."""
    chosen = find_laws(laws)
    if not standing.strip():
        from tribridge.cli.worth_tables import worth_tables

        print_tables(worth_tables(chosen), as_json=as_json)
        return
    read, known = parse_standing(standing, chosen), rubber_worth(chosen)
    settled, deals = known.settlement(read), known.deals(read)
    if as_json:
        by_seat = {seat.letter: round(settled[seat], 2) for seat in Seat}
        print_json({"laws": chosen.name, "settlement": by_seat, "deals": round(deals, 2)})
        return
    text = ", ".join(f"{seat} {settled[seat]:+.0f}" for seat in Seat)
    print(f"Expected settlement of what is still to be scored: {text}.")
    print(f"About {deals:.1f} more deals ({chosen.name}).")
