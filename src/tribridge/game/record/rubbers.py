"""Rubbers as JSON Lines, and rubbers from the records of games.

A file holds one or more rubbers. Each begins with a `rubber` event; a `score` event follows for
each deal, with the points of the three players (North first) above and below the line, and a
`total` event, which may be left out. Points are scored again and must agree:

    {"event": "rubber", "format": "tribridge-rubber", "version": 1, "laws": "auction-rubber",
     "first_dealer": "N", "below": [0, 0, 0], "games": [0, 0, 0]}
    {"event": "score", "deal": 1, "contract": "3NT", "declarer": "N", "factor": 1, "tricks": 9,
     "honours": {"N": "CA SA", "dummy": "HA"}, "above": [30, 0, 0], "below": [30, 0, 0]}
    {"event": "total", "over": false, "totals": [60, 0, 0], "settlement": [120, -60, -60]}

`below` and `games` of the first event are the standing at the start. A deal that was passed out
has the contract null and no declarer, factor, tricks or honours.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from tribridge.deals import Seat
from tribridge.errors import RecordError, TribridgeError, shown
from tribridge.files import read_text, write_atomic
from tribridge.game.auction import Bid, Contract, call_name
from tribridge.game.laws import Laws, Line, all_laws
from tribridge.game.record import Event, dumps_events, event_text, read_event
from tribridge.game.record.pbn import read_records
from tribridge.game.rubber import HOLDERS, Result, Rubber, rubbers_of

FORMAT: Final = "tribridge-rubber"
VERSION: Final = 1

_KEYS: Final = {
    "rubber": {"format", "version", "laws", "first_dealer", "below", "games"},
    "score": {
        "deal", "contract", "declarer", "factor", "tricks", "honours", "above", "below",
    },
    "total": {"over", "totals", "settlement"},
}  # fmt: skip


def dumps(rubbers: Iterable[Rubber]) -> str:
    """Write rubbers as JSON Lines."""
    return dumps_events(event for rubber in rubbers for event in events(rubber))


def dump(rubbers: Iterable[Rubber], path: Path) -> None:
    """Write rubbers to a file, whole or not at all."""
    write_atomic(path, dumps(rubbers))


def loads(text: str, laws: Laws | None = None) -> list[Rubber]:
    """Read rubbers from JSON Lines; `laws` are used for rubbers that name them.

    Every deal is scored again; a line that does not agree is refused.
    """
    rubbers: list[Rubber] = []
    closed = True
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            event = _event(line)
            if event["event"] == "rubber":
                rubbers.append(_opened(event, laws))
            elif closed:
                raise RecordError(f"a {event['event']!r} event stands outside a rubber")
            elif event["event"] == "score":
                rubbers[-1] = _scored(rubbers[-1], event)
            else:
                _agree(event, total_event(rubbers[-1]))
            closed = event["event"] == "total"
        except TribridgeError as error:
            raise RecordError(f"line {number}: {error}") from None
    if not rubbers:
        raise RecordError('no rubber in it: expected a line with "event": "rubber"')
    return rubbers


def load(path: Path, laws: Laws | None = None) -> list[Rubber]:
    """Read the rubbers of a file."""
    try:
        return loads(read_text(path), laws)
    except RecordError as error:
        raise RecordError(f"{path}, {error}") from None


def load_games(path: Path, laws: Laws) -> list[Rubber]:
    """The rubbers of a file: records of finished games (JSON Lines or PBN), or rubbers."""
    text = read_text(path)
    try:
        if f'"{FORMAT}"' in text.split("\n", 1)[0]:
            return loads(text, laws)
        records = read_records(text)
        if not records:
            raise RecordError("no game in it")
        return rubbers_of((game.replay() for game in records), laws, records[0].dealer)
    except TribridgeError as error:
        raise RecordError(f"{path}: {error}") from None


def events(rubber: Rubber) -> Iterator[Event]:
    """A rubber as events."""
    yield {
        "event": "rubber",
        "format": FORMAT,
        "version": VERSION,
        "laws": rubber.laws.name,
        "first_dealer": rubber.first_dealer.letter,
        "below": list(rubber.start.below),
        "games": list(rubber.start.games),
    }
    for deal, result in enumerate(rubber.results, 1):
        yield score_event(deal, result, rubber.lines)
    yield total_event(rubber)


def score_event(deal: int, result: Result, lines: Iterable[Line]) -> Event:
    """The event of a deal with the lines of its rubber."""
    contract = result.outcome.contract
    event: Event = {"event": "score", "deal": deal, "contract": None}
    if contract is not None:
        event |= {
            "contract": call_name(contract.bid),
            "declarer": contract.declarer.letter,
            "factor": contract.factor,
            "tricks": result.outcome.tricks,
            "honours": {
                holder: " ".join(card.name for card in hand)
                for holder, hand in zip(HOLDERS, result.honours, strict=True)
                if hand
            },
        }
    columns = {"above": [0, 0, 0], "below": [0, 0, 0]}
    for line in lines:
        if line.deal == deal:
            columns["below" if line.below else "above"][line.seat] += line.points
    return event | columns


def total_event(rubber: Rubber) -> Event:
    """The last event of a rubber."""
    return {
        "event": "total",
        "over": rubber.over,
        "totals": list(rubber.totals().values()),
        "settlement": list(rubber.settlement().values()),
    }


def _event(line: str) -> Event:
    event = read_event(line)
    kind = event.get("event")
    if not isinstance(kind, str) or kind not in _KEYS:
        raise RecordError(f"unknown event {shown(kind)}: expected {', '.join(_KEYS)}")
    unknown = event.keys() - _KEYS[kind] - {"event"}
    if unknown:
        known = ", ".join(sorted(_KEYS[kind]))
        raise RecordError(f"unknown key {shown(min(unknown))}: expected {known}")
    return event


def _opened(event: Event, laws: Laws | None) -> Rubber:
    """An empty rubber from its first event."""
    if event.get("format") != FORMAT:
        raise RecordError(f"format {shown(event.get('format'))} is unknown: expected {FORMAT!r}")
    version = event.get("version")
    if type(version) is not int or version != VERSION:
        raise RecordError(f"version {shown(version)} is unknown: expected {VERSION}")
    name, dealer = event_text(event, "laws"), Seat(event_text(event, "first_dealer"))
    if laws is None or laws.name != name:
        if name not in all_laws():  # never a file: the name comes from outside
            raise RecordError(f"unknown laws {shown(name)}: expected {', '.join(all_laws())}")
        laws = all_laws()[name]
    return Rubber(laws, dealer, below=_list(event, "below"), games=_list(event, "games"))


def _scored(rubber: Rubber, event: Event) -> Rubber:
    """The rubber with the deal of an event, which must have its points right."""
    after = rubber.add(None)
    if event.get("contract") is not None:
        bid, declarer = (
            Bid(event_text(event, "contract")),
            Seat(event_text(event, "declarer")),
        )
        factor, tricks = (_whole(event, key) for key in ("factor", "tricks"))
        after = rubber.add(
            Contract(bid, declarer, factor), tricks, honours=_honours(event.get("honours", {}))
        )
    deal = len(after.results)
    _agree(
        {"honours": {}} | event, {"honours": {}} | score_event(deal, after.results[-1], after.lines)
    )
    return after


def _honours(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(cards, str) for cards in value.values()):
        raise RecordError(f'honours must be as in {{"N": "HA HK"}}, not {shown(value)}')
    return value


def _agree(event: Event, expected: Event) -> None:
    """Refuse an event that disagrees with what follows from the rubber so far."""
    for key, value in expected.items():
        if key == "honours":  # read already; written in any order
            continue
        if key not in event:
            raise RecordError(f"a {event['event']!r} event needs {key!r}")
        if event[key] != value or type(event[key]) is not type(value):
            raise RecordError(f"{key} is {json.dumps(value)} by the score, not {shown(event[key])}")
    extra = event.keys() - expected.keys()
    if extra:
        raise RecordError(f"{shown(min(extra))} has no place in a deal that was passed out")


def _whole(event: Event, key: str) -> int:
    value = event.get(key)
    if type(value) is not int:
        raise RecordError(f"{key} must be a whole number, not {shown(value)}")
    return value


def _list(event: Event, key: str) -> list[Any]:
    value = event.get(key, [0] * len(Seat))
    if not isinstance(value, list):
        raise RecordError(f"{key} must be a list of three numbers, not {shown(value)}")
    return value
