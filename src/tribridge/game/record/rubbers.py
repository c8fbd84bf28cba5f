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
from typing import Final

from tribridge.cards.deals import Seat
from tribridge.common.errors import RecordError, TribridgeError, shown
from tribridge.common.files import read_text
from tribridge.game.auction import Bid, Contract, call_name
from tribridge.game.laws import Laws, Line
from tribridge.game.record import Event, dumps_events, event_text, read_event
from tribridge.game.record.pbn import read_records
from tribridge.game.rubber import HOLDERS, Result, Rubber, rubbers_of
from tribridge.game.standing import read_state

FORMAT: Final = "tribridge-rubber"
VERSION: Final = 1


def dumps(rubbers: Iterable[Rubber]) -> str:
    """Write rubbers as JSON Lines."""
    return dumps_events(event for rubber in rubbers for event in events(rubber))


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
            event = read_event(line)
            kind = event.get("event")
            if kind == "rubber":
                rubbers.append(_opened(event, laws))
            elif closed or kind not in ("score", "total"):
                raise RecordError(f"a {shown(kind)} event stands outside a rubber")
            elif kind == "score":
                rubbers[-1] = _scored(rubbers[-1], event)
            else:
                _agree(event, total_event(rubbers[-1]))
            closed = kind == "total"
        except TribridgeError as error:
            raise RecordError(f"line {number}: {error}") from None
    if not rubbers:
        raise RecordError('no rubber in it: expected a line with "event": "rubber"')
    return rubbers


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


def _opened(event: Event, laws: Laws | None) -> Rubber:
    """An empty rubber from its first event."""
    state, dealer = read_state(event, laws), Seat(event_text(event, "first_dealer"))
    below, games = state.standing
    rubber = Rubber(state.laws, dealer, below=below, games=games)
    _agree({"below": list(below), "games": list(games)} | event, next(events(rubber)))
    return rubber


def _scored(rubber: Rubber, event: Event) -> Rubber:
    """The rubber with the deal of an event, which must have its points right."""
    honours, contract = event.get("honours", {}), None
    if not isinstance(honours, dict) or not all(isinstance(h, str) for h in honours.values()):
        raise RecordError(f'honours must be as in {{"N": "HA HK"}}, not {shown(honours)}')
    if event.get("contract") is not None:
        bid, seat = (event_text(event, key) for key in ("contract", "declarer"))
        contract = Contract(Bid(bid), Seat(seat), event.get("factor", 1))
    after = rubber.add(contract, event.get("tricks"), honours=honours)
    _agree(event, score_event(len(after.results), after.results[-1], after.lines))
    return after


def _agree(event: Event, expected: Event) -> None:
    """Refuse an event that disagrees with what follows from the rubber so far."""
    for key in expected | event:
        if key == "honours":  # read already; written in any order
            continue
        right, given = (json.dumps(each.get(key)) for each in (expected, event))
        if given != right:
            raise RecordError(f"{key} must be {right}, not {given[:40]}")
