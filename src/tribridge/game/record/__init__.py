"""Records: each deal as a list of events, in JSON Lines, that replays to the same state.

A file holds one or more deals. Each begins with a `deal` event; `call` and `card` events follow in
order, a `claim` event (`{"event": "claim", "tricks": 9}`) if a claim ended the play, and a `result`
event when the deal is over, which must agree with the replay:

    {"event": "deal", "version": 1, "deck": "4x13", "deal": "N:...", "dealer": "N",
     "doubles": false}
    {"event": "call", "seat": "N", "call": "1NT"}
    {"event": "card", "seat": "E", "chair": "left", "card": "SK"}
    {"event": "result", "contract": "1NT", "declarer": "N", "factor": 1, "tricks": 7}

The `deal` event may also have `seed`, `number` (of the deal), `scheme` and `vulnerable` (a list of
players, as in `["N", "S"]`). Schemes and laws that are not of the package have their table, as
TOML on one line: `"scheme": "friday = {trick = {C = 2, ...}, ...}"`. A deal of a rubber has `laws`,
and the standing before the deal, North first:
`"laws": "auction-rubber", "below": [20, 0, 0], "games": [0, 1, 0]`. A game from a file of another
program has its `tags` there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tribridge.cards.cards import Card, Deck
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import (
    IllegalActionError,
    RecordError,
    TribridgeError,
    first_line,
    shown,
    unchanging,
)
from tribridge.common.files import read_text, write_atomic
from tribridge.common.sentences import words
from tribridge.game.auction import call_name, parse_call
from tribridge.game.scoring import recorded_scheme, scheme_names, scheme_text
from tribridge.game.standing import RubberState, read_state, state_fields
from tribridge.game.table import Action, Table, new_table
from tribridge.game.tags import NO_TAGS, Tags

VERSION: Final = 1

Event = dict[str, Any]


@unchanging
@dataclass(frozen=True, slots=True)
class Record:
    """One deal and its actions in order."""

    deal: Deal
    dealer: Seat
    doubles: bool = False
    actions: tuple[Action, ...] = ()
    seed: int | None = None
    number: int | None = None
    scheme: str | None = None
    """As `scheme_text` writes it, or a name that is not known here."""
    vulnerable: tuple[Seat, ...] = ()
    rubber: RubberState | None = None
    """The laws and the standing before the deal, if it belongs to a rubber."""
    claimed: int | None = None
    """Declarer's tricks, if a claim ended the play."""
    tags: Tags = field(default=NO_TAGS, compare=False)
    """What a file of another program says about the game."""

    def states(self) -> Iterator[Table]:
        """The states from start to end, without a claim; an illegal action is an error."""
        table = new_table(
            self.deal,
            self.dealer,
            doubles=self.doubles,
            rubber=self.rubber,
            scheme=recorded_scheme(self.scheme),
            vulnerable=self.vulnerable,
            tags=self.tags,
        )
        yield table
        for action in self.actions:
            table = table.apply(action)
            yield table

    def replay(self) -> Table:
        """The final state of the record."""
        *_, last = self.states()
        return last if self.claimed is None else last.claim(self.claimed)

    def table(self) -> Table:
        """The final state, as `replay` gives it, but with a scheme that is known, or none."""
        table = self.replay()
        if self.rubber is None and self.scheme is not None and table.scheme is None:
            expected = f"{', '.join(scheme_names())}, or a table as in 'friday = {{trick = ...}}'"
            raise RecordError(f"unknown scheme {shown(self.scheme)}: expected {expected}")
        return table

    def events(self) -> Iterator[Event]:
        """The record as events."""
        head: Event = {
            "event": "deal",
            "version": VERSION,
            "deck": str(self.deal.deck),
            "deal": str(self.deal),
            "dealer": self.dealer.letter,
            "doubles": self.doubles,
        }
        extra = {
            "seed": self.seed,
            "number": self.number,
            "scheme": self.scheme,
            "vulnerable": [seat.letter for seat in self.vulnerable] or None,
            **({} if self.rubber is None else state_fields(self.rubber)),
            "tags": dict(self.tags) or None,
        }
        yield head | {key: value for key, value in extra.items() if value is not None}
        states = self.states()
        table = next(states)
        for action, after in zip(self.actions, states, strict=True):
            yield action_event(table, action)
            table = after
        if self.claimed is not None:
            table = table.claim(self.claimed)
            yield {"event": "claim", "tricks": self.claimed}
        if table.over:
            yield result_event(table)


def record_of(
    table: Table,
    *,
    seed: int | None = None,
    number: int | None = None,
    vulnerable: tuple[Seat, ...] = (),
) -> Record:
    """The record of a table so far."""
    if table.deal.is_ending:
        raise RecordError("an end position is no game that a record could replay")
    return Record(
        deal=table.deal,
        dealer=table.dealer,
        doubles=table.auction.doubles,
        actions=table.history,
        seed=seed,
        number=number,
        scheme=None if table.scheme is None else scheme_text(table.scheme),
        vulnerable=vulnerable or table.vulnerable,
        rubber=table.rubber,
        claimed=table.claimed,
        tags=table.tags,
    )


def action_event(table: Table, action: Action) -> Event:
    """The event of an action in a state."""
    seat = table.turn
    if seat is None:
        raise IllegalActionError(f"{action} is not allowed: the deal is over")
    if isinstance(action, Card):
        if table.position is None:
            raise IllegalActionError(f"{seat} cannot play {action}: a call is due")
        name = table.position.chair.name.lower()
        return {"event": "card", "seat": seat.letter, "chair": name, "card": action.name}
    return {"event": "call", "seat": seat.letter, "call": call_name(action)}


def result_event(table: Table) -> Event:
    """The last event of a deal that is over."""
    outcome = table.outcome
    if outcome is None or outcome.contract is None:
        return {"event": "result", "contract": None}
    contract = outcome.contract
    return {
        "event": "result",
        "contract": call_name(contract.bid),
        "declarer": contract.declarer.letter,
        "factor": contract.factor,
        "tricks": outcome.tricks,
    }


def dumps(records: Iterable[Record]) -> str:
    """Write records as JSON Lines."""
    return dumps_events(event for record in records for event in record.events())


def dumps_events(events: Iterable[Event]) -> str:
    """Write events as JSON Lines."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)


def dump(records: Iterable[Record], path: Path) -> None:
    """Write records to a file atomically."""
    write_atomic(path, dumps(records))


def load(path: Path) -> list[Record]:
    """Read the records of a file."""
    try:
        return loads(read_text(path))
    except RecordError as error:
        raise RecordError(f"{path}, {error}") from None


def loads(text: str) -> list[Record]:
    """Read records from JSON Lines; every event is replayed and checked."""
    records = []
    for deal in read_each(text):
        if isinstance(deal, RecordError):
            raise deal
        records.append(deal[1])
    return records


def read_each(text: str) -> Iterator[tuple[Event, Record] | RecordError]:
    """Each deal of JSON Lines with its first event, or what is wrong with it; all are read."""
    first: Event = {}
    head: Record | None = None
    table: Table | None = None
    """None outside a deal."""
    wrong: RecordError | None = None

    def read() -> Iterator[tuple[Event, Record] | RecordError]:
        if wrong is not None:
            yield wrong
        elif head is not None and table is not None:
            yield first, replace(head, actions=table.history, claimed=table.claimed)

    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            event = read_event(line)
            kind = event.get("event")
            if kind == "deal":
                yield from read()
                first, head, table, wrong = event, None, None, None
                head = _opened(event)
                table = next(head.states())
            elif wrong is not None:
                continue
            elif kind is None:
                raise RecordError("this is no event of a recorded game: it has no 'event'")
            elif table is None:
                raise RecordError(f"a {kind!r} event is outside a deal")
            elif kind == "result":
                _check_result(event, table)
                yield from read()
                table = None
            elif kind == "claim":
                table = _claimed(table, event)
            else:
                table = _acted(table, event)
        except TribridgeError as error:
            at = words("line {line}: {reason}", line=number, reason=first_line(error))
            wrong = wrong or RecordError(at)
    yield from read()


def dumps_table(table: Table) -> str:
    """A table as JSON: the list of the events of its record."""
    return json.dumps(list(record_of(table).events()), ensure_ascii=False)


def loads_table(text: str) -> Table:
    """The table that `dumps_table` wrote, or that of a record in JSON Lines."""
    try:
        events = json.loads(text)
    except (ValueError, RecursionError):
        records = loads(text)
    else:
        if not isinstance(events, list):
            raise RecordError("this is not a table: expected a list of events")
        records = loads(dumps_events(events))
    if len(records) != 1:
        raise RecordError(f"expected one table, not {len(records)}")
    return records[0].table()


def read_event(line: str) -> Event:
    """The JSON object of a line."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):  # broken, or a number too long to read
        cut = words("not a JSON object (is the line cut off?)")
        raise RecordError(cut) from None
    if not isinstance(event, dict):
        raise RecordError(words("not a JSON object"))
    return event


def _opened(event: Event) -> Record:
    """The head of a deal, without actions."""
    version, doubles = event.get("version"), event.get("doubles", False)
    if type(version) is not int or version != VERSION:
        raise RecordError(f"unknown version {version!r}: expected {VERSION}")
    if not isinstance(doubles, bool):
        raise RecordError(f"doubles must be true or false, not {doubles!r}")
    return Record(
        deal=Deal(event_text(event, "deal"), Deck(event_text(event, "deck"))),
        dealer=Seat(event_text(event, "dealer")),
        doubles=doubles,
        seed=_optional(event, "seed", int),
        number=_optional(event, "number", int),
        scheme=_optional(event, "scheme", str),
        vulnerable=_seats(_optional(event, "vulnerable", list) or []),
        rubber=read_state(event) if "laws" in event else None,
        tags=_tags(_optional(event, "tags", dict)),
    )


def _acted(table: Table, event: Event) -> Table:
    """The table after the action of an event."""
    kind = event.get("event")
    if kind not in ("call", "card"):
        raise RecordError(f"unknown event {kind!r}: expected deal, call, card or result")
    text = event_text(event, kind)
    action = parse_call(text) if kind == "call" else Card(text)
    after = table.apply(action, Seat(event_text(event, "seat")))
    expected = action_event(table, action)
    if event.get("chair", expected.get("chair")) != expected.get("chair"):
        if "chair" not in expected:
            raise RecordError("a call has no chair")
        raise RecordError(f"{expected['chair']} is to play, not {event['chair']!r}")
    return after


def _claimed(table: Table, event: Event) -> Table:
    tricks = event.get("tricks")
    if type(tricks) is not int:
        raise RecordError(f"a 'claim' event needs 'tricks' as a number, not {shown(tricks)}")
    return table.claim(tricks)


def _check_result(event: Event, table: Table) -> None:
    if not table.over:
        raise RecordError(words("the result comes before the end of the deal"))
    if event != (expected := result_event(table)):
        replayed = json.dumps(expected)
        other = words("the replay gives {result}, not the recorded result", result=replayed)
        raise RecordError(other)


def event_text(event: Event, key: str) -> str:
    """A text of an event."""
    value = event.get(key)
    if not isinstance(value, str):
        raise RecordError(f"a {event.get('event')!r} event needs {key!r} as text")
    return value


def _seats(letters: list[Any]) -> tuple[Seat, ...]:
    """Different players, in their order."""
    seats = [Seat(letter) if isinstance(letter, str) else None for letter in letters]
    if None in seats or len(set(seats)) != len(seats):
        raise RecordError(f"vulnerable must list different players, not {shown(letters)}")
    return tuple(seat for seat in Seat if seat in seats)


def _tags(values: dict[str, Any] | None) -> Tags:
    if not values:
        return NO_TAGS
    if not all(isinstance(value, str) for value in values.values()):
        raise RecordError(f"tags must have text by name, not {shown(values)}")
    return Tags(values)


def _optional(event: Event, key: str, kind: type) -> Any:
    value = event.get(key)
    if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        raise RecordError(f"{key} has the bad value {value!r}")
    return value
