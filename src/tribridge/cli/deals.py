"""`tribridge deal` and `tribridge solve`: deals, and what they make double dummy."""

from __future__ import annotations

import secrets
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from tribridge.api import tables
from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.cards.dealer import check_seed
from tribridge.cards.deals import Deal, Seat, deal_name
from tribridge.cards.diagram import Place, text_diagram
from tribridge.cards.formats import boards_of, is_board_text
from tribridge.cli.options import AsJson, DeckText, argument, option, print_json
from tribridge.common.files import read_text
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.record.pbn import is_record_pbn, load_tables
from tribridge.game.tricks import chair_hands


class Form(StrEnum):
    """How deals are written."""

    DIAGRAM = "diagram"
    LINE = "line"
    PBN = "pbn"


def deal(
    count: Annotated[int, argument("How many deals.", min=1)] = 1,
    seed: Annotated[int | None, option("Seed of the deals.", show_default="random")] = None,
    number: Annotated[int, option("Number of the first deal.", min=0)] = 0,
    deck: DeckText = "4x13",
    form: Annotated[Form, option("How to write them.", "--as")] = Form.DIAGRAM,
    as_json: AsJson = False,
) -> None:
    """Deal cards: deal NUMBER of SEED is the same on every machine.

    PBN can be saved to a file and opened by other bridge programs.
    """
    seed = secrets.randbits(32) if seed is None else seed
    check_seed(seed)
    deals = [tables.deal(seed, number + at, deck=Deck(deck)) for at in range(count)]
    if as_json:
        print_json({"seed": seed, "number": number, "deals": [deal_name(each) for each in deals]})
        return
    if form is Form.PBN:
        print(tables.to_pbn(*deals), end="")
        return
    for at, each in enumerate(deals, number):
        if form is Form.LINE:
            print(deal_name(each))
            continue
        names = ("North", "East", "South", "Hidden")
        north, east, south, hidden = map(Place, names, each.hands)
        drawn = text_diagram((north, east, south, hidden), each.deck)
        print(f"Deal {at} of seed {seed}\n{drawn}\n")


def solve(
    deal: Annotated[str, argument("A deal as in N:AKQ2.K93.A92.KQ5 …, or a PBN or LIN file.")],
    declarer: Annotated[str, option("N, E or S; without it, every player declares.")] = "",
    deck: DeckText = "4x13",
    as_json: AsJson = False,
) -> None:
    """Solve a deal double dummy: the tricks of each declarer in each strain with best play."""
    seats = [Seat(declarer)] if declarer else list(Seat)
    answers = []
    for name, dealt in _named_deals(deal, Deck(deck)):
        solver = DoubleDummy(dealt.deck)
        solved = {seat: solver.strains(chair_hands(dealt, seat)) for seat in seats}
        tricks = {
            seat.letter: {strain.letter: made for strain, made in each.items()}
            for seat, each in solved.items()
        }
        answers.append({"board": name, "deal": str(dealt), "tricks": tricks})
        if not as_json:
            if name:
                print(f"Board {name}")
            print("   " + "".join(f"{strain.letter:>4}" for strain in dealt.deck.strains))
            for seat in seats:
                print(f"{seat.letter:<3}" + "".join(f"{made:4}" for made in solved[seat].values()))
    if as_json:
        print_json(answers[0] if len(answers) == 1 else answers)


def _named_deals(text: str, deck: Deck) -> list[tuple[str, Deal]]:
    """The deals that a text or a file has, with the names of boards.

    Records of three-player games seat the hands around their declarer: replayed, they are back in
    their seats, the hidden hand last.
    """
    in_file = is_board_text(text) and not is_board_text(text, files=False)
    if in_file and is_record_pbn(read_text(Path(text))):
        return [(str(at), table.deal) for at, table in enumerate(load_tables(Path(text)), 1)]
    if in_file or (deck == FULL_DECK and is_board_text(text)):
        return [(board.name, board.deal) for board in boards_of(text)]
    return [("", Deal(text, deck))]
