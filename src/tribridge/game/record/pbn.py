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

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tribridge.cards.cards import FULL_DECK, Card, Deck
from tribridge.cards.deals import COMPASS, HIDDEN, Deal, Seat
from tribridge.cards.formats import Board, load_boards, pbn
from tribridge.cards.formats import dumps_pbn as dumps_boards
from tribridge.common.errors import RecordError, TribridgeError
from tribridge.common.files import read_text
from tribridge.game.auction import Contract, call_name, parse_call
from tribridge.game.laws import laws_text, recorded_laws
from tribridge.game.record import Record, loads, record_of
from tribridge.game.scoring import points_name, recorded_scheme
from tribridge.game.standing import RubberState, parse_standing, standing_name
from tribridge.game.table import Table, new_table
from tribridge.game.tricks import Chair

_SEATS: Final = "TribridgeSeats"
_AUCTION: Final = "TribridgeAuctionTable"
_DEALER: Final = "TribridgeDealer"
_OPTIONS: Final = "TribridgeOptions"
_VULNERABLE: Final = "TribridgeVulnerable"
_RUBBER: Final = "TribridgeRubber"
_HIDDEN: Final = "hidden"


def dumps_pbn(records: Iterable[Record]) -> str:
    """Write records as PBN."""
    return pbn.dumps(_game(record, at) for at, record in enumerate(records, 1))


def is_record_pbn(text: str) -> bool:
    """Whether a text is a PBN file with three-player records in it."""
    return f"[{_SEATS} " in text


def loads_pbn(text: str) -> list[Record]:
    """Read the records of a PBN text that `dumps_pbn` wrote."""
    records = []
    for game in pbn.loads(text):
        if _SEATS not in game.tags:
            raise RecordError(f"line {game.line}: not a three-player record, {_SEATS} is missing")
        try:
            records.append(_record(game))
        except TribridgeError as error:
            raise RecordError(f"game at line {game.line}: {error}") from None
    return records


def read_records(text: str) -> list[Record]:
    """The records of a text, JSON Lines or PBN."""
    return loads_pbn(text) if is_record_pbn(text) else loads(text)


def load_records(path: Path) -> list[Record]:
    """The records of a file, JSON Lines or PBN; an error if there are none."""
    try:
        records = read_records(read_text(path))
    except TribridgeError as error:
        raise RecordError(f"{path}: {error}") from None
    if not records:
        raise RecordError(f"{path}: no game in it")
    return records


def dumps_deals(deals: Iterable[Deal | Table]) -> str:
    """Write deals as PBN; with a table or a small deck among them, all as three-player records."""
    things = list(deals)
    plain = [deal for deal in things if isinstance(deal, Deal) and deal.deck == FULL_DECK]
    if len(plain) == len(things):
        return dumps_boards([Board(deal) for deal in plain])
    tables = [deal if isinstance(deal, Table) else new_table(deal, Seat.NORTH) for deal in things]
    return dumps_pbn(record_of(table) for table in tables)


def load_tables(path: Path) -> list[Table]:
    """The tables of a PBN or LIN file: three-player records as played, other deals fresh."""
    text = read_text(path)
    if not is_record_pbn(text):
        return [new_table(board.deal, Seat.NORTH) for board in load_boards(path)]
    try:
        return [record.table() for record in loads_pbn(text)]
    except TribridgeError as error:
        raise RecordError(f"{path}: {error}") from None


def _places(contract: Contract | None) -> list[int]:
    """For each compass point the hand of the deal that sits there; the hidden hand is 3."""
    if contract is None:
        return [0, 1, 2, 3]
    declarer = contract.declarer
    around = [declarer.index, declarer.left.index, HIDDEN, declarer.right.index]
    return [around[(point - declarer.index) % 4] for point in range(4)]


def _place_name(hand: int) -> str:
    return _HIDDEN if hand == 3 else str(Seat(hand))


def _game(record: Record, at: int) -> pbn.Game:
    table = record.replay()
    contract = table.contract
    places = _places(contract)
    seated = Deal(
        tuple(record.deal.hands[hand] for hand in places),  # type: ignore[arg-type]
        record.deal.deck,
    )
    tags = {"Event": "Three-player auction bridge", "Site": "", "Date": "", "Board": str(at)}
    tags |= {_compass_word(p): _place_name(places[p]) for p in (3, 0, 1, 2)}
    tags |= {
        "Dealer": COMPASS[places.index(record.dealer.index)],
        "Vulnerable": _vulnerable_name(record, places),
        "Deal": str(seated),
        "Scoring": "Rubber" if record.rubber is not None else record.scheme or "",
        **_outcome_tags(table),
        **_score_tag(table, record.scheme, record.vulnerable),
        _SEATS: " ".join(f"{COMPASS[p]}={_place_name(places[p])}" for p in range(4)),
        _DEALER: str(record.dealer),
        _OPTIONS: _options(record),
        **({_VULNERABLE: " ".join(map(str, record.vulnerable))} if record.vulnerable else {}),
        **({} if record.rubber is None else {_RUBBER: _rubber_name(record.rubber)}),
        _AUCTION: "Seat;Call",
    }
    callers = (record.dealer.after(n) for n in range(len(table.auction.calls)))
    sections = {
        _AUCTION: tuple(
            f"{seat!s:5} {call_name(call)}"
            for seat, call in zip(callers, table.auction.calls, strict=False)
        )
    }
    if table.position is not None and contract is not None:
        tags["Play"] = COMPASS[(contract.declarer.index + 1) % 4]
        sections["Play"] = tuple(_play_lines(table))
    return pbn.Game(tags, sections)


def _compass_word(point: int) -> str:
    return ("North", "East", "South", "West")[point]


def _outcome_tags(table: Table) -> dict[str, str]:
    """The tags that follow from the auction and the play."""
    contract = table.contract
    return {
        "Declarer": "" if contract is None else COMPASS[contract.declarer],
        "Contract": _contract_name(contract, over=table.auction.over),
        "Result": str(table.position.won) if table.position is not None and table.over else "",
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


def _score_tag(table: Table, scheme: str | None, vulnerable: tuple[Seat, ...]) -> dict[str, str]:
    """The score of the declarer's side, where it can be written."""
    outcome, known = table.outcome, recorded_scheme(scheme)
    if known is None or outcome is None or outcome.contract is None:
        return {}
    contract = outcome.contract
    scored = known.at_risk(contract.declarer in vulnerable)
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


def _play_lines(table: Table) -> Iterable[str]:
    """One line per trick, in columns from the opening leader; `-` for cards not yet played."""
    assert table.position is not None
    play = table.position
    tricks = [(trick.leader, trick.cards) for trick in play.tricks]
    if play.trick:
        tricks.append((play.leader, play.trick))
    for leader, cards in tricks:
        line = ["- "] * 4
        for n, card in enumerate(cards):
            line[(leader + n - Chair.LEFT) % 4] = card.name
        yield " ".join(line).rstrip()
    if not play.over:
        yield "*"


def _record(game: pbn.Game) -> Record:
    options = dict(
        part.split("=", 1) for part in game.tags.get(_OPTIONS, "").split() if "=" in part
    )
    deck = Deck(options.get("deck", "4x13"))
    seated = Deal(game.tags.get("Deal", ""), deck)
    names = dict(part.split("=", 1) for part in game.tags[_SEATS].split() if "=" in part)
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
    scheme = None if rubber is not None else game.tags.get("Scoring") or None
    vulnerable = tuple(Seat(name) for name in game.tags.get(_VULNERABLE, "").split())
    expected = _outcome_tags(table) | _score_tag(table, scheme, vulnerable)
    for tag, value in expected.items():
        if game.tags.get(tag, value) != value:
            raise RecordError(f"the replay gives {tag} {value!r}, not {game.tags[tag]!r}")
    seed, number = (_number(options, key) for key in ("seed", "number"))
    return record_of(table, seed=seed, number=number, scheme=scheme, vulnerable=vulnerable)


def _point(names: dict[str, str], place: str) -> int:
    for point, letter in enumerate(COMPASS):
        if names.get(letter) == place:
            return point
    raise RecordError(f"{_SEATS} does not say where {place} sits")


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
