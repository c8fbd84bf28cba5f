"""Games of four players, as other programs write them, as tables of ours.

After the lead a game of four is a game of three: declarer plays two hands, one of them seen by all,
against two defenders. So a game with a contract becomes a table seated around its declarer, who is
North; the left defender is East, the right defender South, and dummy the hidden hand. Its auction
is the shortest one that ends in the contract: what the four players called stays in the tags, and
with it who sat where, and who dealt. It is scored as contract bridge. A claim, or a result without
cards, ends the play as a claim.

A deal without a contract becomes a table before the first call: North, East and South have their
own hands, and West's is the hidden hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from tribridge.cards.cards import ALL_CARDS, FULL_DECK, Card, Hand, Strain, parse_cards
from tribridge.cards.deals import COMPASS, Deal, Seat, three
from tribridge.cards.formats.auctions import FinalContract, final_contract, section_calls
from tribridge.cards.formats.pbn import MANDATORY, Game
from tribridge.common.errors import (
    CardsError,
    FormatError,
    IllegalActionError,
    RecordError,
    TribridgeError,
    first_line,
)
from tribridge.common.sentences import words
from tribridge.game.auction import PASS, Auction, Bid, Contract, call_name
from tribridge.game.position import Position
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.game.table import Table
from tribridge.game.tags import Tags
from tribridge.game.tricks import Chair, winning_place

_CARDS: Final = {card.name: card for card in ALL_CARDS}
_MARKS: Final = re.compile(r"[=$^!?*]")
_CONTRACT: Final = re.compile(r"([1-7]?)\s*(C|D|H|S|NT?)\s*(X{0,2})", re.I)
_SIDES: Final[dict[str, tuple[int, ...]]] = {
    **dict.fromkeys(("", "?", "-", "NONE", "LOVE"), ()),
    **{"NS": (0,), "EW": (1,), "ALL": (0, 1), "BOTH": (0, 1)},
}
"""Which pairs are vulnerable, by their compass indices modulo 2."""
_WORDS: Final = ("North", "East", "South", "West")
_NOT_PLAYED: Final = ("-", "--", "+")
_UNKNOWN: Final = ("", "?", "-")


def table_of(game: Game) -> Table:
    """The table of a game of four players; an error says why it cannot be one."""
    if game.fault:
        raise FormatError(game.fault)
    tags = game.tags
    hands, first = _hands(tags.get("Deal", ""))
    dealer = _compass(tags, "Dealer")
    vulnerable = tags.get("Vulnerable", "").strip().upper()
    if vulnerable not in _SIDES:
        raise FormatError(
            f"unknown vulnerability {vulnerable[:20]!r}: expected None, NS, EW or All"
        )
    contract, declarer, factor = _contract(game, dealer)
    named = Tags(texts(game))
    sides = _SIDES[vulnerable]
    if contract is None or declarer is None:
        deal = Deal((hands[0], hands[1], hands[2], hands[3]), FULL_DECK)
        seat = Seat((first if dealer is None else dealer) % 3)  # North in place of West
        auction = (
            Auction(seat, FULL_DECK, calls=(PASS,) * 3, passes=3) if not factor else Auction(seat)
        )
        risk = tuple(seat for seat in Seat if seat.index % 2 in sides)
        return Table(deal, auction, None, None, None, risk, None, named)
    around = [hands[(declarer + at) % 4] for at in range(4)]
    deal = Deal((around[0], around[1], around[3], around[2]), FULL_DECK)
    auction, known = _auction(contract, factor)
    leader = _leader(game, declarer, ending=deal.is_ending)
    start = Position(
        known,
        (around[0].mask, around[1].mask, around[2].mask, around[3].mask),
        Chair((leader - declarer) % 4),
    )
    try:
        play = start.after(_cards(game, start), seat_words(declarer))
    except IllegalActionError as error:
        raise RecordError(first_line(error)) from None
    risk, claimed = _vulnerable(sides, declarer), _claim(game, play)
    return Table(deal, auction, play, None, _scoring(), risk, claimed, named)


def texts(game: Game) -> dict[str, str]:
    """The tags with the lines of their sections below."""
    sections = game.sections
    return {
        name: "\n".join((value, *sections[name])) if sections.get(name) else value
        for name, value in game.tags.items()
    }


def game_of_table(table: Table, at: int) -> Game | None:
    """The game of four players that a table was made from, with what was played since.

    None if there is none: for a table without such tags, or with other calls than the game's.
    """
    game = _game_of(table.tags)
    try:
        made = table_of(game)
    except TribridgeError:
        return None
    if (made.deal, made.auction) != (table.deal, table.auction):
        return None
    unknown = {"Dealer": "", "Vulnerable": "None"}  # "?" is read by few programs there
    tags = {name: unknown.get(name, "?") for name in MANDATORY} | game.tags
    tags["Board"] = game.tags.get("Board") or str(at)
    play, cards = table.position, tuple[str, ...]()
    if play is not None:
        declarer, outcome = _declarer(game), table.outcome
        tags |= {
            "Declarer": game.tags.get("Declarer") or COMPASS[declarer],
            "Contract": tags["Contract"] if table.deal.is_ending else _contract_text(play.contract),
            "Result": "" if outcome is None else str(outcome.tricks),
        }
        leader, _ = play.rounds()[0]
        tags["Play"] = COMPASS[(declarer + leader) % 4]
        game.sections = {**game.sections, "Play": list(play_lines(play))}
        cards = tuple(card.name for _, card in play.plays())
    return Game(tags, game.sections, cards=cards)


def _declarer(game: Game) -> int:
    """The compass index of the declarer of a game that has one."""
    _, declarer, _ = _contract(game, _compass(game.tags, "Dealer"))
    assert declarer is not None
    return declarer


def file_seats(tags: Tags) -> tuple[str, str, str]:
    """Where our North, East and South sit in the file that a game is from."""
    game = _game_of(tags)
    bid, declarer, _ = _contract(game, _compass(game.tags, "Dealer"))
    return ("North", "East", "South") if bid is None or declarer is None else seat_words(declarer)


def seat_at(tags: Tags, letter: str) -> Seat | None:
    """Our seat of a player who sits there in the file; None for dummy or a hidden hand."""
    words = file_seats(tags)
    word = _WORDS[COMPASS.index(letter)]
    return Seat(words.index(word)) if word in words else None


def _contract_text(contract: Contract) -> str:
    return call_name(contract.bid) + "X" * (contract.factor // 2)


def play_lines(play: Position) -> Iterator[str]:
    """One line per trick, in columns from the opening leader; `-` for cards not yet played."""
    rounds = play.rounds()
    first, _ = rounds[0]
    for leader, cards in rounds:
        if not cards:
            continue
        line = ["- "] * 4
        for at, card in enumerate(cards):
            line[(leader + at - first) % 4] = card.name
        yield " ".join(line).rstrip()
    if not play.over:
        yield "*"


def _game_of(tags: Tags) -> Game:
    """The game that tags were taken from."""
    values, sections = {}, {}
    for name, text in tags.items():
        value, *lines = text.split("\n")
        values[name] = value
        if lines:
            sections[name] = lines
    return Game(values, sections)


def _hands(text: str) -> tuple[Sequence[Hand], int]:
    """The four hands, North first, and the compass index of the one that is written first."""
    text = text.strip()
    if text in _UNKNOWN:
        raise FormatError(words("no deal"))
    try:
        return Deal(text).hands, COMPASS.index(text[0].upper())
    except CardsError:
        ending = _ending(text)
        if ending is None:
            raise
        return ending, COMPASS.index(text[0].upper())


def _ending(text: str) -> Sequence[Hand] | None:
    """An end position: four hands that have lost as many cards each; None for any other text."""
    start, parts = COMPASS.index(text[0].upper()), text[2:].split()
    if len(parts) != 4 or "-" in parts:
        return None
    try:
        hands = [parse_cards(part) for part in parts]
    except CardsError:
        return None
    union = hands[0].mask | hands[1].mask | hands[2].mask | hands[3].mask
    size = len(hands[0])
    same = all(len(hand) == size for hand in hands) and union.bit_count() == 4 * size
    return [hands[(at - start) % 4] for at in range(4)] if same and size < 13 else None


def _compass(tags: dict[str, str], name: str) -> int | None:
    """The compass index of a seat; `^` marks one that took the place by an irregularity."""
    letter = tags.get(name, "").strip().removeprefix("^").upper()
    if letter in _UNKNOWN:
        return None
    if len(letter) != 1 or letter not in COMPASS:
        raise FormatError(f"{name} must be N, E, S or W, not {letter[:20]!r}")
    return COMPASS.index(letter)


def _contract(game: Game, dealer: int | None) -> tuple[Bid | None, int | None, int]:
    """Bid, declarer and factor, from the tags and from the auction, which must not disagree.

    No bid and a factor of 0 mean that the deal was passed out.
    """
    tags = game.tags
    text, declarer = tags.get("Contract", "").strip(), _compass(tags, "Declarer")
    called = _called(game, dealer)
    if text in _UNKNOWN:
        if called is None:
            return None, None, 1
        text, declarer = called.name, called.declarer if declarer is None else declarer
    bid, factor = _read_contract(text)
    if called is not None and "^" not in tags.get("Declarer", ""):
        if (bid, factor) != _read_contract(called.name):
            raise RecordError(f"the auction ends in {called.name}, not in {text}")
        if declarer is None:
            declarer = called.declarer
        elif called.declarer is not None and declarer != called.declarer:
            raise RecordError(
                f"the auction makes {COMPASS[called.declarer]} declarer, not {COMPASS[declarer]}"
            )
    if bid is not None and declarer is None:
        lead = _compass(tags, "Play")
        if lead is None:
            raise RecordError(words("the contract {contract} has no declarer", contract=text))
        declarer = (lead - 1) % 4
    return bid, declarer, factor


@lru_cache(256)
def _read_contract(text: str) -> tuple[Bid | None, int]:
    if text.upper() in ("PASS", "PAS", "PASSED", "AP", "P"):
        return None, 0
    match = _CONTRACT.fullmatch(text)
    if match is None:
        unknown = words("cannot read contract {text!r}: expected one as in 3NTX", text=text[:20])
        raise FormatError(unknown)
    # an end position has no level: the lowest stands for it
    return Bid(int(match[1] or 1), Strain(match[2].upper())), 1 << len(match[3])


def _called(game: Game, dealer: int | None) -> FinalContract | None:
    """What the auction ends in; None if there is none, or an unfinished or irregular one."""
    if not game.sections.get("Auction"):
        return None
    calls, regular = section_calls(game.sections["Auction"])
    first = dealer if dealer is not None else _compass(game.tags, "Auction")
    return final_contract(first, calls) if regular and first is not None and calls else None


@cache
def _scoring() -> Scheme:
    return find_scheme("contract")


@lru_cache(512)
def _auction(bid: Bid, factor: int) -> tuple[Auction, Contract]:
    """The shortest auction in which North, the dealer, becomes declarer."""
    contract = Contract(bid, Seat.NORTH, factor)
    auction = Auction(Seat.NORTH, FULL_DECK, factor > 1)
    for call in contract.calls(Seat.NORTH):
        auction = auction.apply_unchecked(call)
    return auction, contract


def _vulnerable(sides: Sequence[int], declarer: int) -> tuple[Seat, ...]:
    """Who is vulnerable at a table that sits around a declarer."""
    ours = (Seat.NORTH,) if declarer % 2 in sides else ()
    theirs = (Seat.EAST, Seat.SOUTH) if (declarer + 1) % 2 in sides else ()
    return ours + theirs


def _leader(game: Game, declarer: int, *, ending: bool) -> int:
    """Who leads: declarer's left, or whoever is on lead in an end position."""
    lead = _compass(game.tags, "Play")
    if lead is None or lead == (declarer + 1) % 4 or game.cards is not None:
        return (declarer + 1) % 4
    if ending:
        return lead
    raise RecordError(
        f"{COMPASS[lead]} leads to a contract of {COMPASS[declarer]}: expected "
        f"{COMPASS[(declarer + 1) % 4]}"
    )


def seat_words(declarer: int) -> tuple[str, str, str]:
    """Where declarer, left and right defender sit in the file.

    Examples:
        >>> seat_words(3)
        ('West', 'North', 'South')
    """
    places = (declarer, (declarer + 1) % 4, (declarer + 3) % 4)
    return three(_WORDS[at] for at in places)


def _cards(game: Game, start: Position) -> list[Card]:
    """The cards in the order in which they were played."""
    if game.cards is not None:
        return [_CARDS.get(name) or Card(name) for name in game.cards]
    cards: list[Card] = []
    first, trump = 0, start.trump
    for row in _rows(game.sections.get("Play", ())):
        turns = row[first:] + row[:first] if first else row
        try:
            trick = [_CARDS[word] for word in turns]
        except KeyError:
            if any(word in _NOT_PLAYED for word in turns):
                return cards + _last(row, first)
            trick = [*map(Card, turns)]
        if len(trick) != 4:
            return cards + _last(row, first)
        cards += trick
        first = (first + winning_place(trick, trump)) & 3
    return cards


def _last(row: list[str], first: int) -> list[Card]:
    """The cards of a trick that was not finished."""
    padded = (row + ["-"] * 4)[:4]
    turns = padded[first:] + padded[:first]
    played = [word for word in turns if word not in _NOT_PLAYED]
    if len(row) > 4 or turns[: len(played)] != played:
        raise RecordError(words("a card where none is due: {cards}", cards=" ".join(row)[:40]))
    return [Card(word) for word in played]


def _rows(lines: Sequence[str]) -> Iterator[list[str]]:
    """The tricks of a section: four columns from the opening leader, without notes and marks."""
    for line in lines:
        if line[0] in "*[":
            if line[0] == "*":
                return
            continue
        words = line.split()
        if _MARKS.search(line):
            words = [*_unmarked(words)]
        if words:
            yield words


def _unmarked(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if word[0] == "^":
            kind = {"R": "a revoke", "L": "a lead out of turn"}.get(word[1:2], "an irregularity")
            raise RecordError(f"{kind} ({word[:10]}) cannot be replayed")
        name = word.rstrip("!?").partition("=")[0]
        if name == "*":
            return
        if name and name[0] != "$":
            yield name


def _claim(game: Game, play: Position) -> int | None:
    """Declarer's tricks, if the play ended before the last card."""
    text = game.tags.get("Result", "").strip().removeprefix("^")
    if text in _UNKNOWN:
        return None
    tricks = _result(game, text)
    most = play.won + play.size - len(play.tricks)
    if play.over and tricks != play.won:
        other = words(
            "the play gives declarer {won} tricks, not the {tricks} of Result",
            won=play.won,
            tricks=tricks,
        )
        raise RecordError(other)
    if not play.won <= tricks <= most:
        wrong = words(
            "a Result of {tricks} cannot be: declarer has {won} to {most} tricks",
            tricks=tricks,
            won=play.won,
            most=most,
        )
        raise RecordError(wrong)
    return None if play.over else tricks


def _result(game: Game, text: str) -> int:
    """The tricks of the declarer's side: `9`, `NS 9`, or `EW 4 NS 9`."""
    parts = text.split()
    if len(parts) > 1:
        declarer = _compass(game.tags, "Declarer")
        sides = dict(zip(parts[::2], parts[1::2], strict=False))
        own, other = ("NS", "EW") if declarer in (0, 2) else ("EW", "NS")
        if own in sides:
            text = sides[own]
        elif other in sides and sides[other].isdecimal():
            text = str(13 - int(sides[other]))
    if not (text.isascii() and text.isdecimal() and int(text[:9]) <= 13):
        wrong = words("cannot read the Result {text!r}: expected 0 to 13 tricks", text=text[:20])
        raise FormatError(wrong)
    return int(text)
