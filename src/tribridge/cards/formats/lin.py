"""LIN, the format of Bridge Base Online, and links to its hand viewer.

A LIN text is a row of `key|value|` pairs. A board begins with `qx` (its room and number) or with
`md`, which holds the deal: a digit for the dealer (1 South, 2 West, 3 North, 4 East), then the
hands of South, West, North and East as `SAKQHT98DKJ2CA543`, the last of which may be missing. `pn`
has the names, South first, of one table or of two (open room, closed room); `sv` who is vulnerable,
`mb` a call, `an` what it means, `pc` a card, `mc` the tricks that the declarer claims, `vg` the
event. A board becomes a game with the tags of PBN.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import parse_qs, quote, urlsplit

from tribridge.cards.cards import ALL_CARDS, parse_cards
from tribridge.cards.deals import COMPASS, Deal
from tribridge.cards.formats.auctions import final_contract, run_of_calls
from tribridge.cards.formats.lines import LONGEST
from tribridge.cards.formats.pbn import Game
from tribridge.common.errors import FormatError, TribridgeError

VIEWER: Final = "https://www.bridgebase.com/tools/handviewer.html?"
MOST: Final = 4_000
"""Calls, notes and cards that a board may have."""

_ORDER: Final = "SWNE"
_DIGITS: Final = {"S": "1", "W": "2", "N": "3", "E": "4"}
_WORDS: Final = {"N": "North", "E": "East", "S": "South", "W": "West"}
_VULNERABLE: Final = {"": "None", "o": "None", "0": "None", "-": "None", "n": "NS", "e": "EW",
                      "b": "All"}  # fmt: skip
_HAND: Final = re.compile("".join(f"{suit}([AKQJT2-9]*)" for suit in "SHDC"))
_CARD: Final = re.compile(r"([SHDC])(10|[AKQJT2-9])", re.I)
_ONE_CARD: Final = {text: (card.name,) for card in ALL_CARDS
                    for text in (card.name, card.name[0].lower() + card.name[1])}  # fmt: skip
_ONE_CALL: Final = {
    text: tuple(run_of_calls(text))
    for text in (
        "p",
        "d",
        "r",
        *(f"{level}{strain}" for level in range(1, 8) for strain in "CDHSN"),
    )
}
"""What most pairs hold, read once."""
_KEYS: Final = frozenset(("", "vg", "qx", "pn", "md", "sv", "ah", "mb", "an", "pc", "mc"))
_HEADS: Final = ("qx", "pn", "vg", "md")
_TO_LIN: Final = {"Pass": "p", "X": "d", "XX": "r"}


def looks_like_lin(text: str) -> bool:
    """Whether a text is LIN, by its first lines."""
    head = text.lstrip("\ufeff \t\r\n")[:4096]
    return "|" in head and not head.startswith(("[", "%", "{", ";"))


def is_link(text: str) -> bool:
    """Whether a text is the address of a page."""
    return text.lstrip().lower().startswith(("http://", "https://"))


class _Board:
    """The pairs of one board."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.name = self.room = self.deal = self.vulnerable = self.fault = ""
        self.fault_line = 0
        self.names: list[str] = []
        self.calls: list[str] = []
        self.notes: dict[int, str] = {}
        self.cards: list[str] = []
        self.claimed = ""

    def blame(self, reason: str, line: int = 0) -> None:
        if not self.fault:
            self.fault, self.fault_line = reason, line or self.line


def games(lines: Iterable[str]) -> Iterator[Game]:
    """The boards of a LIN file as games, one at a time."""
    header: dict[str, str] = {}
    names: list[str] = []
    board: _Board | None = None
    for number, key, value in _pairs(lines):
        if key not in _KEYS:
            continue
        if key in ("vg", "pn") and board is not None and board.deal:
            yield from _game(board, header)
            board = None
        if key == "vg":
            header = _event(value)
        elif key == "pn":
            names = [name.strip() for name in value.split(",")]
        elif key == "qx" or (key == "md" and (board is None or board.deal)):
            if board is not None:
                yield from _game(board, header)
            board = _Board(number)
            if key == "qx":
                _name(board, value)
        if board is not None:
            board.names = names
            _read(board, number, key, value)
    if board is not None:
        yield from _game(board, header)


def _pairs(lines: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Keys in lower case, values, and the line where a value ends."""
    key: str | None = None
    rest = ""
    for number, line in enumerate(lines, 1):
        if len(line) >= LONGEST or len(rest) > LONGEST:
            yield number, "", f"longer than {LONGEST:,} characters"
            key, rest = None, ""
            continue
        head = line[:3].lower()
        if head[2:] == "|" and head[:2] in _HEADS:  # whatever came before, a pair begins here
            key, rest = None, ""
        *parts, rest = (rest + line).split("|")
        for part in parts:
            if key is None:
                key = part.strip().lower()
            else:
                yield number, key, part
                key = None


def _event(value: str) -> dict[str, str]:
    """What the header of a broadcast says."""
    fields = [field.strip() for field in value.split(",")] + [""] * 9
    tags = {"Event": fields[0], "Stage": fields[1], "HomeTeam": fields[5], "VisitTeam": fields[7]}
    return {name: text for name, text in tags.items() if text}


def _name(board: _Board, value: str) -> None:
    room = {"o": "Open", "c": "Closed"}.get(value.strip()[:1].lower(), "")
    board.room, board.name = room, value.strip()[1:] if room else value.strip()


def _read(board: _Board, number: int, key: str, value: str) -> None:
    if len(board.calls) + len(board.cards) + len(board.notes) > MOST:
        board.blame(f"more than {MOST:,} calls, notes and cards", number)
        return
    try:
        if key == "pc":
            board.cards += _ONE_CARD.get(value) or run_of_cards(value)
        elif not key:
            board.blame(value, number)
        elif key == "md":
            board.deal = "" if value.strip() == "0" else value.strip()
        elif key == "sv":
            board.vulnerable = value.strip().lower()
        elif key == "ah":
            board.name = board.name or re.sub(r"^board\s*", "", value.strip(), flags=re.I)
        elif key == "mb":
            board.calls += _ONE_CALL.get(value) or run_of_calls(value)
        elif key == "an" and board.calls:
            board.notes[len(board.calls) - 1] = value.strip()
        elif key == "mc":
            board.claimed = value.strip()
    except TribridgeError as error:
        board.blame(str(error), number)


def run_of_cards(text: str) -> list[str]:
    """The cards of a text such as `h3hJ`.

    Examples:
        >>> run_of_cards("h3hJ"), run_of_cards("S10")
        (['H3', 'HJ'], ['ST'])
    """
    cards = [suit.upper() + rank.upper().replace("10", "T") for suit, rank in _CARD.findall(text)]
    if _CARD.sub("", text).strip():
        raise FormatError(f"cannot read card {text[:20]!r}")
    return cards


def _game(board: _Board, header: Mapping[str, str]) -> Iterator[Game]:
    """The board with the tags of PBN; none for a header without a board."""
    if not (board.deal or board.calls or board.cards or board.fault):
        if not board.name:
            return
        board.blame("no deal")
    dealer = dealt = ""
    if board.deal:
        try:
            dealer, dealt = _deal(board.deal)
        except TribridgeError as error:
            board.blame(str(error))
    names = board.names[4:8] if board.room == "Closed" and len(board.names) > 4 else board.names[:4]
    tags = {"Event": header.get("Event", ""), "Board": board.name}
    tags |= {_WORDS[at]: name for at, name in zip(_ORDER, names, strict=False)}
    tags |= {name: text for name, text in header.items() if name != "Event"}
    if board.room:
        tags["Room"] = board.room
    if board.vulnerable not in _VULNERABLE:
        board.blame(f"unknown vulnerability {board.vulnerable[:20]!r}: expected o, n, e or b")
    tags |= {
        "Dealer": dealer,
        "Vulnerable": _VULNERABLE.get(board.vulnerable, ""),
        "Deal": dealt,
        "Result": board.claimed,
    }
    sections: dict[str, list[str]] = {}
    if board.calls and dealer:
        tags["Auction"] = dealer
        sections["Auction"] = _auction_lines(board)
        try:
            contract = final_contract(COMPASS.index(dealer), board.calls)
        except TribridgeError as error:
            board.blame(str(error))
            contract = None
        if contract is not None:
            who = "" if contract.declarer is None else COMPASS[contract.declarer]
            tags |= {"Declarer": who, "Contract": contract.name}
    cards = tuple(board.cards)
    yield Game(tags, sections, board.line, board.fault, board.fault_line, cards)


def _auction_lines(board: _Board) -> list[str]:
    words = list(board.calls)
    for note, at in enumerate(board.notes, 1):
        words[at] += f" ={note}="
    lines = [" ".join(words[at : at + 4]) for at in range(0, len(words), 4)]
    for note, text in enumerate(board.notes.values(), 1):
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'[Note "{note}:{escaped}"]')
    return lines


def _deal(value: str) -> tuple[str, str]:
    """The dealer and the deal of an `md` value, as PBN has them."""
    digit = value[0] if value[0] in "1234" else ""
    hands = value.removeprefix(digit).split(",")
    if len(hands) not in (3, 4):
        raise FormatError(f"a LIN deal has 3 or 4 hands, but {value[:40]!r} has {len(hands)}")
    given = dict(zip(_ORDER, hands, strict=False))
    dealer = _ORDER[int(digit) - 1] if digit else ""
    return dealer, "N:" + " ".join(_hand(given.get(at, ""), at) for at in COMPASS)


def _hand(text: str, at: str) -> str:
    """A hand as PBN has it; `-` if it is not given."""
    usual = _HAND.fullmatch(text)
    if usual is not None:
        return ".".join(usual.groups())
    return str(parse_cards(text, name=f"the hand of {at}")) if text.strip() else "-"


def parse_link(link: str) -> Game:
    """The board of a hand viewer link: from its `lin` part, or from `n`, `e`, `s` and `w`."""
    fields = {key.lower(): values[0] for key, values in parse_qs(urlsplit(link).query).items()}
    if "lin" in fields:
        for game in games([fields["lin"]]):
            return game
        raise FormatError("no deal found: expected md| in the lin part of the link")
    hands = {at: fields[at.lower()] for at in COMPASS if fields.get(at.lower(), "").strip()}
    if not hands:
        raise FormatError("no deal in the link: expected lin= or n=, e=, s=, w= after the ?")
    board = _Board(1)
    dealer = _DIGITS.get(fields.get("d", "")[:1].upper(), "")
    board.deal = dealer + ",".join(hands.get(at, "") for at in _ORDER)
    board.names = [fields.get(f"{at.lower()}n", "") for at in _ORDER]
    board.name, board.vulnerable = fields.get("b", ""), fields.get("v", "").lower()
    for key, part in (("mb", "a"), ("pc", "p"), ("mc", "c")):
        _read(board, 1, key, fields.get(part, ""))
    return next(_game(board, {}))


def dumps(games: Iterable[Game]) -> str:
    """Write games as LIN, a board a line."""
    return "".join(f"{_line(game)}\n" for game in games)


def _line(game: Game) -> str:
    tags = game.tags
    deal = Deal(tags["Deal"])
    dealer = _DIGITS.get(tags.get("Dealer", ""), "")
    hands = [_holding(deal, at) for at in _ORDER]
    names = ",".join(_plain(tags.get(_WORDS[at], "")).replace(",", " ") for at in _ORDER)
    parts = [
        f"pn|{names}|st||md|{dealer}{','.join(hands)}|rh||"
        f"ah|Board {_plain(tags.get('Board', ''))}|sv|{_vulnerability(game)}|"
    ]
    for call in _calls(game):
        parts.append(f"mb|{_TO_LIN.get(call, call.replace('NT', 'N'))}|")
    parts.append("pg||")
    cards = game.cards or ()
    for at, card in enumerate(cards, 1):
        parts.append(f"pc|{card}|" + ("pg||" if at % 4 == 0 else ""))
    if tags.get("Result", "?") not in ("", "?"):  # also after 52 cards: programs miscount them
        parts.append(f"mc|{tags['Result']}|")
    return "".join(parts)


def _plain(text: str) -> str:
    """Text that cannot end a value."""
    return text.replace("|", "/").replace("\n", " ")


def _holding(deal: Deal, at: str) -> str:
    hand = deal.hands[COMPASS.index(at)]
    return "".join(
        letter + "".join(card.rank.letter for card in hand.suit(letter)) for letter in "SHDC"
    )


def _vulnerability(game: Game) -> str:
    return {"NS": "n", "EW": "e", "All": "b", "Both": "b"}.get(game.tags.get("Vulnerable", ""), "o")


def _calls(game: Game) -> list[str]:
    from tribridge.cards.formats.auctions import section_calls

    return section_calls(game.sections.get("Auction", ()))[0]


def link_of(game: Game) -> str:
    """A link that shows a game in the hand viewer of Bridge Base Online."""
    tags, deal = game.tags, Deal(game.tags["Deal"])
    fields = {at.lower(): _holding(deal, at) for at in COMPASS}
    fields |= {f"{at.lower()}n": tags.get(_WORDS[at], "") for at in COMPASS}
    calls = "".join(_TO_LIN.get(call, call.replace("NT", "N")) for call in _calls(game))
    fields |= {
        "d": tags["Dealer"].lower() if tags.get("Dealer") in _DIGITS else "",
        "v": _vulnerability(game),
        "b": tags.get("Board", ""),
        "a": calls,
        "p": "".join(game.cards or ()),
        "c": tags.get("Result", "") if len(game.cards or ()) < 52 else "",
    }
    return VIEWER + "&".join(f"{key}={quote(value)}" for key, value in fields.items() if value)
