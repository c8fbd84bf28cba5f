"""`tribridge deal` and `tribridge solve`: deals, and what they make double dummy."""

from __future__ import annotations

import secrets
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from tribridge.api import records, tables
from tribridge.cards.cards import FULL_DECK, Card, Deck
from tribridge.cards.dealing import TRIES, one_in
from tribridge.cards.deals import COMPASS, Deal, Seat, deal_name
from tribridge.cards.diagram import Place, text_diagram
from tribridge.cards.formats import is_board_text, lin
from tribridge.cards.formats.sources import sound
from tribridge.cli.options import (
    AsJson,
    DeckText,
    Processes,
    Progress,
    argument,
    option,
    print_json,
)
from tribridge.common.errors import SettingError, quantity
from tribridge.double_dummy.many import DealTask, FourTask, PlayTask, solve_all
from tribridge.double_dummy.par import DoubleDummyTable, par_of, parse_sides, table_text
from tribridge.game.auction import call_name
from tribridge.game.record.pbn import tables_from
from tribridge.game.table import Table
from tribridge.game.tricks import Chair


class Form(StrEnum):
    """How deals are written."""

    DIAGRAM = "diagram"
    LINE = "line"
    PBN = "pbn"


def deal(
    count: Annotated[int, argument("How many deals.", min=1)] = 1,
    seed: Annotated[int | None, option("Seed of the deals.", show_default="random")] = None,
    number: Annotated[int, option("Number of the first deal.", min=0)] = 0,
    where: Annotated[
        str | None,
        option(
            'Only deals that meet a condition, as in "hcp(N) >= 15 and balanced(N)"; --number then '
            "counts these. `--where help` lists what a condition can name.",
            show_default=False,
        ),
    ] = None,
    tries: Annotated[
        int, option("End after so many deals in a row that do not meet it.", min=1)
    ] = TRIES,
    deck: DeckText = "4x13",
    form: Annotated[Form, option("How to write them.", "--as")] = Form.DIAGRAM,
    as_json: AsJson = False,
) -> None:
    """Deal cards: deal NUMBER of SEED is the same on every machine.

    PBN can be saved to a file and opened by other bridge programs.
    """
    if where is not None and where.strip().lower() == "help":
        from tribridge.cards.conditions import EXAMPLE, HELP

        print(f"A condition, as in {EXAMPLE}:")
        for name, text in HELP.items():
            print(f"  {name:9} {text}")
        return
    seed = secrets.randbits(32) if seed is None else seed
    deals = tables.deals(count, seed, number, where=where, tries=tries, deck=Deck(deck))
    if as_json:
        rate = {} if where is None else {"where": where, "tried": deals.tried, "rate": deals.rate}
        named = [deal_name(each) for each in deals]
        print_json({"seed": seed, "number": number, **rate, "deals": named})
        return
    if where is not None:
        met = quantity(deals.met, "deal")
        counted = f"{met} of {deals.tried:,} met the condition: {one_in(deals.met, deals.tried)}"
        print(f"tribridge: {counted}", file=sys.stderr)
    if form is Form.PBN:
        print(records.to_pbn(*deals), end="")
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
    deal: Annotated[
        str,
        argument(
            "A deal as in N:AKQ2.K93.A92.KQ5 …, a hand viewer link, a PBN or LIN file, or a folder "
            "of them."
        ),
    ],
    declarer: Annotated[str, option("N, E or S; without it, every player declares.")] = "",
    four: Annotated[
        bool, option("Four players, partners as dummies: the usual table, with par.", "--four")
    ] = False,
    vulnerable: Annotated[
        str | None,
        option("NS, EW, All or None, for par.", show_default="as the file says, or else None"),
    ] = None,
    deck: DeckText = "4x13",
    processes: Processes = 0,
    as_json: AsJson = False,
) -> None:
    """Solve deals double dummy: the tricks of each declarer in each strain with best play.

    Three players declare with the hidden hand as dummy: in a file of four players that is West's.
    For an end position with a contract: declarer's tricks after each card that may be played.
    """
    if four and declarer:
        raise SettingError("--four solves for all four declarers: leave out --declarer")
    if vulnerable is not None:
        if not four:
            raise SettingError("--vulnerable is for par: add --four")
        parse_sides(vulnerable)
    seats = [Seat(declarer)] if declarer else list(Seat)
    games = _solved_games(deal, Deck(deck))
    by_card = not (four or declarer)
    each = [_tasks(game, seats, four=four, by_card=by_card) for game in games]
    tasks = [task for some in each for task in some]
    answers: list[dict[str, Any]] = []
    with Progress("solving", len(games), patience=2.0) as bar:
        solved: list[Any] = []
        for tricks in solve_all(tasks, processes):
            solved.append(tricks)
            if len(solved) == len(each[len(answers)]):
                answers.append(_answer(games[len(answers)], seats, solved, vulnerable))
                solved = []
                bar.update(0, len(answers))
    if as_json:
        print_json(answers[0] if len(answers) == 1 else answers)
        return
    for game, answer in zip(games, answers, strict=True):
        if "cards" in answer:
            print(_cards_text(game, answer))
            continue
        if game.title:
            print(game.title if four else f"{game.title}{game.dummy}")
        print(table_text(answer["tricks"]))
        if four and answer["par"]:
            print(f"Par: {answer['par']['text']}")


@dataclass(frozen=True, slots=True)
class _Game:
    """A deal to solve, and what its file says about it."""

    deal: Deal
    name: str = ""
    vulnerable: str = ""
    dealer: str = ""
    four_handed: bool = False
    ending: Table | None = None
    """The table of an end position whose contract is known."""

    @property
    def title(self) -> str:
        return f"Board {self.name}" if self.name else ""

    @property
    def dummy(self) -> str:
        return ", West's hand as dummy" if self.four_handed else ""


def _tasks(game: _Game, seats: list[Seat], *, four: bool, by_card: bool) -> list[Any]:
    """What is to be solved of a game."""
    if by_card and game.ending is not None and game.ending.position is not None:
        return [PlayTask(game.deal.deck, game.ending.position)]
    return [FourTask(game.deal)] if four else [DealTask(game.deal, seat) for seat in seats]


def _position_answer(game: _Game, cards: dict[Card, int]) -> dict[str, Any]:
    """The tricks after each card of an end position, its players named as in the file."""
    table = game.ending
    assert table is not None
    assert table.position is not None
    assert table.contract is not None
    contract, chair = table.contract, table.position.chair
    own, deal = contract.declarer.letter, str(game.deal)
    turn = "dummy" if chair is Chair.DUMMY else str(chair.player(contract.declarer))
    if game.four_handed:
        deal = table.tags["Deal"]
        own = table.tags["Declarer"].strip("^")[:1].upper()
        turn = COMPASS[(COMPASS.index(own) + chair) % len(COMPASS)]
    return {
        "board": game.name,
        "deal": deal,
        "contract": call_name(contract.bid) + "X" * (contract.factor // 2),
        "declarer": own,
        "turn": turn,
        "cards": {card.name: tricks for card, tricks in cards.items()},
    }


def _cards_text(game: _Game, answer: dict[str, Any]) -> str:
    """The tricks after each card, most first."""
    which = f"{answer['contract']} by {answer['declarer']}, {answer['turn']} to play"
    each = sorted(answer["cards"].items(), key=lambda item: -item[1])
    lines = [f"{Card(card)}  {tricks:2}" for card, tricks in each]
    return "\n".join([f"{game.title}, {which}: declarer's tricks after each card", *lines])


def _answer(
    game: _Game, seats: list[Seat], solved: list[Any], vulnerable: str | None
) -> dict[str, Any]:
    """The answer for one deal, as JSON has it."""
    if isinstance(solved[0], dict):
        return _position_answer(game, solved[0])
    answer: dict[str, Any] = {"board": game.name, "deal": str(game.deal)}
    if isinstance(solved[0], tuple):
        table = DoubleDummyTable(solved[0])
        answer["tricks"] = table.as_dict()
        answer["par"] = None
        if game.deal.deck == FULL_DECK:
            risk = game.vulnerable if vulnerable is None else vulnerable
            par = par_of(table, risk, game.dealer or "N")
            answer["par"] = {
                "score": par.score, "contracts": [*map(str, par.contracts)], "text": str(par)
            }  # fmt: skip
        return answer
    if game.four_handed:
        answer["dummy"] = "W"
    answer["tricks"] = {
        seat.letter: {strain.letter: made for strain, made in each.items()}
        for seat, each in zip(seats, solved, strict=True)
    }
    return answer


def _solved_games(text: str, deck: Deck) -> list[_Game]:
    """The deals that a text, a file or a folder has, with the names of boards.

    Records of three-player games seat the hands around their declarer: replayed, they are back in
    their seats, the hidden hand last.
    """
    in_file = is_board_text(text) and not is_board_text(text, files=False)
    if not (in_file or lin.is_link(text) or Path(text).is_dir()):
        return [_Game(Deal(text, deck))]
    games = []
    for at, table in enumerate(sound(tables_from(text), text, strict=False), 1):
        tags = table.tags
        if tags.four_handed and not table.deal.is_ending:
            known = tags.get("Dealer", "").strip("?"), tags.get("Vulnerable", "").strip("?")
            dealt = Deal(tags["Deal"])
            games.append(_Game(dealt, tags.get("Board", ""), known[1], known[0], True))
        else:
            ending = table if table.deal.is_ending and table.position and not table.over else None
            name, four = tags.get("Board") or str(at), tags.four_handed and ending is not None
            games.append(_Game(table.deal, name, four_handed=four, ending=ending))
    return games
