"""Records as PBN games, and back.

PBN has four players, so a deal is written as it was played: the dummy sits opposite the declarer,
and a player already sitting there moves. The tag `TribridgeSeats` says who sits where; the
three-player auction is in a section of its own, `TribridgeAuctionTable`, with the players' names,
and the standard `Auction` section is left out. Any bridge program reads the deal, the contract, the
play and the result.

`Vulnerable` names the sides on which everybody is vulnerable, `TribridgeVulnerable` the players.
`Score` has the points of the declarer's side under the scheme of `Scoring`; when the contract fails
they are negative, and each defender scores as much. It is left out if the scheme is not known or
the points are not whole. A scheme that is not of the package is there with its table, on one line.

A deal of a rubber has the scoring `Rubber`, and `TribridgeRubber` has the laws and the standing
before the deal: `auction-rubber: N 20, E 1 game`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Final

from tribridge.cards.cards import FULL_DECK, Card, Deck
from tribridge.cards.deals import COMPASS, HIDDEN, Deal, Seat
from tribridge.cards.formats import lin, pbn
from tribridge.cards.formats.auctions import final_contract, section_calls
from tribridge.cards.formats.lines import file_lines, text_lines
from tribridge.cards.formats.sources import SUFFIXES, Fault, fault_of, games_from, sound
from tribridge.common.errors import RecordError, TribridgeError, first_line
from tribridge.common.files import read_text
from tribridge.game.auction import Contract, call_name, parse_call
from tribridge.game.laws import laws_text, recorded_laws
from tribridge.game.record import Record, four_handed, loads, record_of
from tribridge.game.scoring import Scheme, points_name, recorded_scheme
from tribridge.game.standing import RubberState, parse_standing, standing_name
from tribridge.game.table import Table, new_table
from tribridge.game.tags import SEATS, Tags
from tribridge.game.tricks import Chair

_AUCTION: Final = "TribridgeAuctionTable"
NAMES: Final = "TribridgeNames"
"""The tag with the names of the players, North first."""
PLAYER: Final = "TribridgePlayer"
"""The tag with the seat whose games a file holds."""
_DEALER: Final = "TribridgeDealer"
_OPTIONS: Final = "TribridgeOptions"
_VULNERABLE: Final = "TribridgeVulnerable"
_RUBBER: Final = "TribridgeRubber"
_HIDDEN: Final = "hidden"
_UNKNOWN: Final = "?"


def dumps_pbn(records: Iterable[Record | Table | Deal]) -> str:
    """Write games as PBN: those of four players as they were, others as three-player records."""
    return pbn.dumps(_game(thing, at) for at, thing in enumerate(records, 1))


def dumps_lin(records: Iterable[Record | Table | Deal]) -> str:
    """Write games as LIN, a board a line.

    LIN has an auction of four players: a game of three has the shortest one that ends in its
    contract.
    """
    return lin.dumps(_with_auction(_game(thing, at)) for at, thing in enumerate(records, 1))


def link_of(thing: Record | Table | Deal) -> str:
    """A link that shows a game in the hand viewer of Bridge Base Online."""
    return lin.link_of(_with_auction(_game(thing, 1)))


def is_record_pbn(text: str) -> bool:
    """Whether a text is a PBN file with three-player records in it."""
    return f"[{SEATS} " in text


def tables_from(
    source: str | PathLike[str], suffixes: tuple[str, ...] = SUFFIXES, *, text: bool = False
) -> Iterator[Table | Fault]:
    """The tables of a file, a folder, a text or a link, one at a time; what cannot be one is named.

    Three-player records are replayed; games of four players become tables around their declarer.
    """
    for file, game in games_from(source, suffixes, text=text):
        try:
            yield _record(game).table() if SEATS in game.tags else four_handed.table_of(game)
        except TribridgeError as error:
            yield fault_of(file, game, error)


def loads_pbn(text: str) -> list[Record]:
    """Read the records of a PBN text that `dumps_pbn` wrote."""
    records = []
    for game in pbn.loads(text):
        if SEATS not in game.tags:
            raise RecordError(f"line {game.line}: not a three-player record, {SEATS} is missing")
        try:
            if game.fault:
                raise RecordError(f"line {game.fault_line}: {game.fault}")
            records.append(_record(game))
        except TribridgeError as error:
            raise RecordError(f"game at line {game.line}: {error}") from None
    return records


def read_records(text: str) -> list[Record]:
    """The records of a text, JSON Lines or PBN."""
    return loads_pbn(text) if is_record_pbn(text) else loads(text)


def load_records(path: Path) -> list[Record]:
    """The records of a file, JSON Lines, PBN or LIN; an error if there are none.

    A game of PBN or LIN that is not sound is left out with a warning.
    """
    if is_json_lines(path):
        try:
            records = loads(read_text(path))
        except TribridgeError as error:
            raise RecordError(f"{path}: {error}") from None
    else:
        records = list(sound(records_from(path), str(path), strict=False))
    if not records:
        raise RecordError(f"{path}: no game in it")
    return records


def records_from(source: str | PathLike[str], *, text: bool = False) -> Iterator[Record | Fault]:
    """The records of PBN and LIN files, as `tables_from` reads them."""
    for table in tables_from(source, text=text):
        try:
            yield table if isinstance(table, Fault) else record_of(table)
        except TribridgeError as error:
            assert isinstance(table, Table)
            yield Fault(
                "" if text else str(source), table.tags.get("Board", ""), 0, first_line(error)
            )


def is_json_lines(source: str | Path) -> bool:
    """Whether a text or a file holds JSON Lines: its first line is an object."""
    lines = file_lines(source) if isinstance(source, Path) else text_lines(source)
    first = next((line for line in lines if line.strip()), "")
    return first.lstrip().startswith("{") and first.rstrip().endswith("}")


def _places(contract: Contract | None) -> list[int]:
    """For each compass point the hand of the deal that sits there; the hidden hand is 3."""
    if contract is None:
        return [0, 1, 2, 3]
    declarer = contract.declarer
    around = [declarer.index, declarer.left.index, HIDDEN, declarer.right.index]
    return [around[(point - declarer.index) % 4] for point in range(4)]


def names_of(tags: Mapping[str, str]) -> tuple[str, ...]:
    """The players of a three-player record by its tags, North first; empty if they do not say.

    >>> names_of({NAMES: "Ann; Bo; Cy"}), names_of({})
    (('Ann', 'Bo', 'Cy'), ())
    """
    names = tuple(name.strip() for name in tags.get(NAMES, "").split(";"))
    return names if len(names) == len(Seat) and all(names) else ()


def _place_name(hand: int) -> str:
    return _HIDDEN if hand == 3 else str(Seat(hand))


def _game(thing: Record | Table | Deal, at: int) -> pbn.Game:
    """A game with the tags that PBN requires, in their order, and then its own."""
    if isinstance(thing, Deal):
        if thing.deck == FULL_DECK:
            return _deal_game(thing, at)
        thing = new_table(thing, Seat.NORTH)
    if thing.tags.four_handed:
        table = thing if isinstance(thing, Table) else thing.replay()
        game = four_handed.game_of_table(table, at)
        if game is not None:
            return game
    return _record_game(thing if isinstance(thing, Record) else record_of(thing), at)


def _deal_game(deal: Deal, at: int) -> pbn.Game:
    known = {"Board": str(at), "Dealer": "N", "Vulnerable": "None", "Deal": str(deal)}
    return pbn.Game({name: known.get(name, _UNKNOWN) for name in pbn.MANDATORY})


def _with_auction(game: pbn.Game) -> pbn.Game:
    """A game with four players' calls that end in its contract: invented, if it has none."""
    tags = game.tags
    if (contract := tags.get("Contract", "")) in ("", _UNKNOWN):
        return game
    passed = contract.upper().startswith("P")
    declarer = None if passed else COMPASS.index(tags["Declarer"][-1:])
    dealer = max(COMPASS.find(tags["Dealer"]), 0)
    calls, regular = section_calls(game.sections.get("Auction", ()))
    if regular and calls and final_contract(dealer, calls) == (contract, declarer):
        return game
    calls = ["Pass"] * 4
    if declarer is not None:
        bid = contract.rstrip("X")
        doubled = {"": [], "X": ["X"], "XX": ["X", "XX"]}[contract[len(bid) :]]
        calls = ["Pass"] * ((declarer - dealer) % 4) + [bid, *doubled] + ["Pass"] * 3
    lines = [" ".join(calls[at : at + 4]) for at in range(0, len(calls), 4)]
    tags = tags | {"Dealer": COMPASS[dealer], "Auction": COMPASS[dealer]}
    return pbn.Game(tags, {**game.sections, "Auction": lines}, cards=game.cards)


def _record_game(record: Record, at: int) -> pbn.Game:
    table = record.replay()
    contract = table.contract
    places = _places(contract)
    seated = Deal(
        tuple(record.deal.hands[hand] for hand in places),  # type: ignore[arg-type]
        record.deal.deck,
    )
    given = record.tags
    tags = {
        "Event": given.get("Event", "Three-player auction bridge"),
        "Site": given.get("Site", _UNKNOWN),
        "Date": given.get("Date", _UNKNOWN),
        "Board": given.get("Board", str(at)),
    }
    names = names_of(given) or tuple(map(str, Seat))
    tags |= {
        _compass_word(p): _HIDDEN if places[p] == HIDDEN else names[places[p]] for p in (3, 0, 1, 2)
    }
    tags |= {
        "Dealer": COMPASS[places.index(record.dealer.index)],
        "Vulnerable": _vulnerable_name(record, places),
        "Deal": str(seated),
        "Scoring": "Rubber" if record.rubber is not None else record.scheme or "",
        **_outcome_tags(table),
        **_score_tag(table, table.scheme, record.vulnerable),
        SEATS: " ".join(f"{COMPASS[p]}={_place_name(places[p])}" for p in range(4)),
        _DEALER: str(record.dealer),
        _OPTIONS: _options(record),
        **({_VULNERABLE: " ".join(map(str, record.vulnerable))} if record.vulnerable else {}),
        **({} if record.rubber is None else {_RUBBER: _rubber_name(record.rubber)}),
        **{tag: given[tag] for tag in (NAMES, PLAYER) if tag in given},
        _AUCTION: "Seat;Call",
    }
    callers = (record.dealer.after(n) for n in range(len(table.auction.calls)))
    sections = {
        _AUCTION: tuple(
            f"{seat!s:5} {call_name(call)}"
            for seat, call in zip(callers, table.auction.calls, strict=False)
        )
    }
    cards: tuple[str, ...] = ()
    if table.position is not None and contract is not None:
        tags["Play"] = COMPASS[(contract.declarer.index + 1) % 4]
        sections["Play"] = tuple(four_handed.play_lines(table.position))
        cards = tuple(card.name for _, card in table.position.plays())
    return pbn.Game(tags, sections, cards=cards)


def _compass_word(point: int) -> str:
    return ("North", "East", "South", "West")[point]


def _outcome_tags(table: Table) -> dict[str, str]:
    """The tags that follow from the auction and the play."""
    contract, outcome = table.contract, table.outcome
    return {
        "Declarer": "" if contract is None else COMPASS[contract.declarer],
        "Contract": _contract_name(contract, over=table.auction.over),
        "Result": "" if contract is None or outcome is None else str(outcome.tricks),
    }


def _vulnerable_name(record: Record, places: list[int]) -> str:
    """The standard word for the sides on which everybody is vulnerable."""
    vulnerable = record.vulnerable if record.rubber is None else record.rubber.vulnerable
    sides = [
        all(hand == HIDDEN or Seat(hand) in vulnerable for hand in places[point::2])
        for point in range(2)
    ]
    return {(False, False): "None", (True, True): "All", (True, False): "NS"}.get(
        (sides[0], sides[1]), "EW"
    )


def _score_tag(table: Table, scheme: Scheme | None, vulnerable: tuple[Seat, ...]) -> dict[str, str]:
    """The score of the declarer's side, where it can be written."""
    outcome = table.outcome
    if scheme is None or outcome is None or outcome.contract is None:
        return {}
    contract = outcome.contract
    scored = scheme.at_risk(contract.declarer in vulnerable)
    points = scored.net(contract, outcome.tricks, table.deal.deck)
    side = "EW" if contract.declarer is Seat.EAST else "NS"
    return {"Score": f"{side} {points_name(points)}"} if points.denominator == 1 else {}


def _number(options: dict[str, str], key: str) -> int | None:
    if key not in options:
        return None
    if not (options[key].isascii() and options[key].isdecimal() and len(options[key]) <= 20):
        raise RecordError(f"{key} must be a number, not {options[key][:40]!r}")
    return int(options[key])


def _contract_name(contract: Contract | None, *, over: bool) -> str:
    if contract is None:
        return "Pass" if over else ""
    return call_name(contract.bid) + "X" * (contract.factor // 2)


def _options(record: Record) -> str:
    options = {"deck": record.deal.deck, "doubles": "yes" if record.doubles else "no"}
    extra = {"seed": record.seed, "number": record.number}
    return " ".join(f"{k}={v}" for k, v in (options | extra).items() if v is not None)


def _rubber_name(rubber: RubberState) -> str:
    return f"{laws_text(rubber.laws)}: {standing_name(rubber.standing)}".rstrip()


def _rubber(text: str | None) -> RubberState | None:
    if text is None:
        return None
    name, _, standing = text.rpartition(":")
    laws = recorded_laws(name)
    return RubberState(laws, parse_standing(standing, laws))


def _record(game: pbn.Game) -> Record:
    options = dict(
        part.split("=", 1) for part in game.tags.get(_OPTIONS, "").split() if "=" in part
    )
    deck = Deck(options.get("deck", "4x13"))
    seated = Deal(game.tags.get("Deal", ""), deck)
    names = dict(part.split("=", 1) for part in game.tags[SEATS].split() if "=" in part)
    hands = [seated.hands[_point(names, _place_name(hand))] for hand in range(4)]
    deal = Deal.of(hands, deck)
    dealer = Seat(game.tags.get(_DEALER, ""))
    rubber = _rubber(game.tags.get(_RUBBER))
    table = new_table(deal, dealer, doubles=options.get("doubles") == "yes", rubber=rubber)
    if _AUCTION not in game.tags:
        raise RecordError(f"{_AUCTION} is missing")
    for line in game.sections.get(_AUCTION, ()):
        seat, _, call = line.partition(" ")
        table = table.apply(parse_call(call), Seat(seat))
    rows = [line.split() for line in game.sections.get("Play", ()) if line.strip() != "*"]
    for row in rows:
        table = _play_row(table, row)
    result = game.tags.get("Result", "")
    if result.isdecimal() and table.position is not None and not table.over:
        table = table.claim(int(result[:3]))
    scheme = None if rubber is not None else game.tags.get("Scoring") or None
    vulnerable = tuple(Seat(name) for name in game.tags.get(_VULNERABLE, "").split())
    expected = _outcome_tags(table) | _score_tag(table, recorded_scheme(scheme), vulnerable)
    for tag, value in expected.items():
        if game.tags.get(tag, value) != value:
            raise RecordError(f"the replay gives {tag} {value!r}, not {game.tags[tag]!r}")
    seed, number = (_number(options, key) for key in ("seed", "number"))
    table = replace(table, tags=Tags(four_handed.texts(game)))
    record = record_of(table, seed=seed, number=number, vulnerable=vulnerable)
    return replace(record, scheme=scheme)  # of a name that nobody knows, too


def _point(names: dict[str, str], place: str) -> int:
    for point, letter in enumerate(COMPASS):
        if names.get(letter) == place:
            return point
    raise RecordError(f"{SEATS} does not say where {place} sits")


def _play_row(table: Table, row: list[str]) -> Table:
    """Play the cards of one line in the order in which their chairs were due."""
    cards = 0
    for _ in range(4):
        position = table.position
        if position is None or position.over:
            raise RecordError(f"a card where none is due: {' '.join(row)}")
        at = (position.chair - Chair.LEFT) % 4
        if at >= len(row) or row[at] == "-":
            break
        table, cards = table.apply(Card(row[at])), cards + 1
    if len(row) > 4 or cards != sum(card != "-" for card in row):
        raise RecordError(f"a card where none is due: {' '.join(row)}")
    return table
