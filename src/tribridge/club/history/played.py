"""Deals as one player played them, and the files that keep them.

A file of games is a file of records in JSON Lines (`game.record`), so every program that reads
records reads it. The `deal` event of each game has one more field, `player`, with what a record
does not say:

    {"seat": "S", "names": ["Walter", "Maud", "Ann"], "strategies": ["points+maxims",
     "points+maxims", null], "match": "kX3...", "deal": 1, "date": "2026-11-15 20:31:07",
     "unaided": true, "claimed": 9, "judged": [3, 0, 26, 2, 0.41]}

`strategies` has null for a person; `claimed` (declarer's tricks) is there if a claim ended the
deal; `judged` if the deal was reviewed.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import date as calendar_day
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from tribridge.cards.deals import COMPASS, Seat, three
from tribridge.cards.formats.sources import Fault
from tribridge.common import codec
from tribridge.common.errors import (
    FormatError,
    RecordError,
    RecordWarning,
    SettingError,
    TribridgeError,
    first_line,
    shown,
    unchanging,
)
from tribridge.common.files import read_text
from tribridge.common.sentences import counted, words
from tribridge.game.auction import Contract, Outcome
from tribridge.game.record import Record, read_each
from tribridge.game.record.four_handed import file_seats, seat_at
from tribridge.game.record.pbn import NAMES, PLAYER, is_json_lines, names_of, records_from
from tribridge.game.scoring import recorded_scheme, scores, settle
from tribridge.game.standing import rubber_points
from tribridge.game.tags import Tags
from tribridge.reviews.values import Judgement

SEATS: Final = ("North", "East", "South")
_WORDS: Final = (*SEATS, "West")
LONGEST: Final = 64
"""Characters of a name, a strategy or a date in a file."""

Names = tuple[str, str, str]
Strategies = tuple[str | None, str | None, str | None]


class Judged(NamedTuple):
    """What a review says about one player's choices in a deal; forced ones do not count."""

    calls: int
    wrong_calls: int
    cards: int
    wrong_cards: int
    lost: float
    """Tricks that the cards lost, by what the player could know."""


def judged_of(judgements: Iterable[Judgement], seat: Seat) -> Judged:
    """The verdicts on one player's choices."""
    own = [j for j in judgements if j.seat is seat and (j.verdict.right or j.verdict.wrong)]
    calls, cards = ([j for j in own if (j.chair is None) is call] for call in (True, False))
    wrong_calls, wrong_cards = ([j for j in part if j.verdict.wrong] for part in (calls, cards))
    lost = round(sum(j.loss for j in wrong_cards), 3)
    return Judged(len(calls), len(wrong_calls), len(cards), len(wrong_cards), lost)


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """What a file of games says about a deal beside its record."""

    seat: Seat
    names: Names = SEATS
    strategies: Strategies = (None, None, None)
    """Who played each seat; None for a person."""
    match: str = ""
    """The match that the deal belongs to: the name of its table."""
    deal: int = 1
    """Its place in the match, from 1."""
    date: str = ""
    """When the match began, in UTC: `2026-11-15 20:31:07`."""
    unaided: bool = True
    """Without advice, undo, a strategy playing for the player, or cards known in advance."""
    claimed: int | None = None
    """Declarer's tricks, if a claim ended the deal."""
    judged: Judged | None = None
    """What a review says, if there was one."""

    def check(self) -> None:
        """Refuse what a file of games cannot say."""
        texts = (*self.names, *self.strategies, self.match, self.date)
        for text in texts:
            if text is not None and (len(text) > LONGEST or not text.isprintable()):
                raise RecordError(f"text of up to {LONGEST} characters expected, not {shown(text)}")
        if self.deal < 1:
            raise RecordError(f"deal must be a number from 1, not {self.deal}")
        if self.judged is not None:
            calls, wrong_calls, cards, wrong_cards, lost = self.judged
            if not (0 <= wrong_calls <= calls and 0 <= wrong_cards <= cards and 0 <= lost <= 99):
                raise RecordError(
                    "judged must be four counts and the tricks lost, "
                    f"not {shown(list(self.judged))}"
                )


@unchanging
@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedDeal(Player):
    """A finished deal, seen from one of its players."""

    record: Record
    outcome: Outcome

    @property
    def contract(self) -> Contract | None:
        return self.outcome.contract

    @property
    def ended_record(self) -> Record:
        """The record with the claim that ended the deal, if one did."""
        return self.record if self.claimed is None else replace(self.record, claimed=self.claimed)

    @property
    def declaring(self) -> bool:
        return self.contract is not None and self.contract.declarer is self.seat

    @property
    def points(self) -> tuple[Fraction, Fraction, Fraction] | None:
        """The points of the three; None if neither laws nor a known scheme scored them."""
        record = self.record
        if record.rubber is not None:
            return rubber_points(record.rubber, record.deal, self.outcome)
        scheme = recorded_scheme(record.scheme)
        if scheme is None:
            return None
        return scores(self.outcome, scheme, record.deal.deck, vulnerable=record.vulnerable)

    @property
    def net(self) -> Fraction | None:
        """What the player receives when the deal is settled."""
        points = self.points
        return None if points is None else settle(points)[self.seat]

    @property
    def order(self) -> tuple[str, str, int]:
        """The key to sort by: the oldest first."""
        return self.date, self.match, self.deal


def played(record: Record, seat: Seat) -> PlayedDeal | None:
    """A record from one seat; None if the deal was not played to its end."""
    outcome = record.replay().outcome
    return None if outcome is None else PlayedDeal(record=record, outcome=outcome, seat=seat)


def dumps(deals: Iterable[PlayedDeal]) -> str:
    """Write games as JSON Lines."""
    lines = []
    for deal in deals:
        events = list(deal.record.events())
        player = codec.plain(deal, Player)
        events[0]["player"] = {key: value for key, value in player.items() if value is not None}
        lines += [json.dumps(event, ensure_ascii=False) for event in events]
    return "".join(f"{line}\n" for line in lines)


def loads(text: str, seat: Seat | str | None = None) -> list[PlayedDeal]:
    """Read games from a file of games, or from plain records (JSON Lines, PBN or LIN).

    Plain records do not say who the player is: `seat` does. It replaces the player of a file of
    games, too. In a game of four players it is the seat of the file, West too; deals in which the
    player was dummy are left out, with those that were not played to their end. A game that is not
    sound is left out with a warning.
    """
    deals, left_out = read_games(text, seat)
    for reason in left_out:
        warnings.warn(reason, RecordWarning, stacklevel=2)
    return deals


def read_games(text: str, seat: Seat | str | None = None) -> tuple[list[PlayedDeal], list[str]]:
    """The games that `loads` reads, and what it leaves out, with the reasons."""
    if not is_json_lines(text):
        return _read_foreign(text, _letter(seat))
    place = None if seat is None else Seat(seat)
    deals, left_out = list[PlayedDeal](), list[str]()
    for number, read in enumerate(read_each(text), 1):
        if isinstance(read, RecordError):
            left_out.append(first_line(read))
            continue
        event, record = read
        player = event.get("player")
        try:
            deal = _plain(record, place) if player is None else _read(record, player)
        except SettingError as error:
            raise RecordError(f"deal {number}: {error}") from None
        except TribridgeError as error:
            reason = first_line(error)
            left_out.append(words("deal {number}: {reason}", number=number, reason=reason))
            continue
        if deal is not None:
            deals.append(deal if place is None else replace(deal, seat=place))
    return deals, left_out


def seats_of(text: str) -> dict[str, str]:
    """The seats of which one is the player's, if the text does not say it, with the file's names.

    A name is there if it is the only one for its seat. Of a text without a sound game, and
    of one that names its player, there are none.
    """
    games: Iterable[Record]
    if is_json_lines(text):
        read = (each for each in read_each(text) if not isinstance(each, RecordError))
        games = (record for event, record in read if event.get("player") is None)
    else:
        sound = (one for one in records_from(text, text=True) if not isinstance(one, Fault))
        games = (one for one in sound if _player_of(one) is None)
    names = dict[str, set[str]]()
    for game in games:
        four = game.tags.four_handed
        for letter, word in zip(COMPASS if four else "NES", _WORDS, strict=False):
            name = _printed(game.tags.get(word, ""))
            names.setdefault(letter, set()).update({name} - {""})
    return {
        letter: next(iter(found)) if len(found) == 1 else ""
        for letter, found in sorted(names.items(), key=lambda seat: COMPASS.index(seat[0]))
    }


def _read_foreign(text: str, seat: str | None) -> tuple[list[PlayedDeal], list[str]]:
    """The games of a PBN or LIN text, named by what is in it, so that none is imported twice."""
    match = f"file-{blake2b(text.encode(), digest_size=8).hexdigest()}"
    deals, left_out = list[PlayedDeal](), list[str]()
    dummies = 0
    for number, record in enumerate(records_from(text, text=True), 1):
        if isinstance(record, Fault):
            left_out.append(record.in_text())
            continue
        own = seat or _player_of(record)
        if own is None:
            raise SettingError("the record does not say who you are: name a seat, N, E, S or W")
        four = record.tags.four_handed
        place = seat_at(record.tags, own) if four else Seat(own)
        if place is None:
            dummies += 1
            continue
        deal = played(record, place)
        if deal is None:
            board = record.tags.get("Board", "") or number
            left_out.append(
                words("board {board}: not played to the end, and without a result", board=board)
            )
            continue
        names = _file_names(record) if four else _own_names(record)
        day = "" if four else _day_of(record)
        deals.append(replace(deal, match=match, deal=number, names=names, date=day))
    if dummies:
        dummy = counted("{number} deal", "{number} deals", dummies)
        left_out.append(words("{deals} in which {seat} was dummy", deals=dummy, seat=seat))
    return deals, left_out


def tagged(deal: PlayedDeal) -> Record:
    """The record of a deal with what else a PBN file says of it: when, where, who played."""
    return with_tags(deal.ended_record, deal.names, deal.date, deal.seat)


def with_tags(record: Record, names: Iterable[str], date: str, seat: Seat | None) -> Record:
    """A record with the same; without a seat whoever asks only looked on."""
    if record.tags.four_handed:
        return record
    called = [name.replace(";", " ").strip() for name in names]
    own = {"Site": "Tribridge", NAMES: "; ".join(called)}
    if seat is not None:
        own[PLAYER] = seat.letter
    if date:
        own["Date"] = date[:10].replace("-", ".")
    return replace(record, tags=Tags({**own, **record.tags}))


def _player_of(record: Record) -> str | None:
    """The seat whose games a file holds, if it says so in a way that can be read."""
    letter = record.tags.get(PLAYER)
    return letter if letter in {seat.letter for seat in Seat} else None


def _day_of(record: Record) -> str:
    """The day of a record; empty if there is no such day."""
    try:
        return calendar_day.fromisoformat(record.tags.get("Date", "").replace(".", "-")).isoformat()
    except ValueError:
        return ""


def _own_names(record: Record) -> Names:
    names = names_of(record.tags)
    return three(map(_printed, names)) if names else SEATS


def _letter(seat: Seat | str | None) -> str | None:
    if seat is None or isinstance(seat, Seat):
        return None if seat is None else seat.letter
    letter = seat.strip().upper()[:1]
    if not letter or letter not in COMPASS:
        raise FormatError(f"unknown seat {shown(seat)}: expected N, E or S, or W in files of four")
    return letter


def _file_names(record: Record) -> Names:
    """What the file calls the players, or else their seats there."""
    seats = file_seats(record.tags)
    return three(_printed(record.tags.get(seat, "")) or seat for seat in seats)


def _printed(name: str) -> str:
    return "".join(char for char in name if char.isprintable()).strip()[:LONGEST]


def load(path: Path, seat: Seat | str | None = None) -> list[PlayedDeal]:
    """Read the games of a file; an error or a warning names the file."""
    try:
        deals, left_out = read_games(read_text(path), seat)
    except TribridgeError as error:
        raise RecordError(f"{path}: {error}") from None
    for reason in left_out:
        warnings.warn(f"{path}, {reason}", RecordWarning, stacklevel=2)
    if not deals:
        raise RecordError(f"{path}: there is no finished deal in it")
    return deals


def _plain(record: Record, seat: Seat | None) -> PlayedDeal | None:
    if seat is None:
        raise SettingError("the record does not say who you are: name a seat, N, E or S")
    return played(record, seat)


def _read(record: Record, data: object) -> PlayedDeal | None:
    player = codec.read(data, Player, "player")
    player.check()
    table = record.replay()
    outcome, claimed = table.outcome, player.claimed
    if outcome is None and claimed is not None:
        position = table.position
        if table.contract is None or position is None:
            raise RecordError("a claim needs a contract")
        most = position.won + record.deal.deck.hand_size - len(position.tricks)
        if not position.won <= claimed <= most:
            raise RecordError(
                f"claimed must be {position.won} to {most} tricks, not {shown(claimed)}"
            )
        outcome = Outcome(table.contract, claimed)
    if outcome is None:
        return None
    known = {field.name: getattr(player, field.name) for field in fields(Player)}
    return PlayedDeal(record=record, outcome=outcome, **known)
