"""What people saw in a fault run, compared with what is stored."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tools.faults.people import Seen
from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.club.core.events import Act, states
from tribridge.club.core.open_store import open_store
from tribridge.club.core.state import State
from tribridge.club.view.table import SeatView, seat_view
from tribridge.common import codec
from tribridge.game import record_of


def wrong(url: str | Path, seen: Seen) -> dict[str, int]:
    """Moves that were lost or that nobody sent (once), and views that were not the seat's own."""
    store, found = open_store(url), Counter({"lost": 0, "doubled": 0, "leaked": 0, "damaged": 0})
    for table, at, seat, action in seen.moves:
        query = "SELECT body FROM events WHERE tab = ? AND number = ?"
        rows = store.rows(query, table, at + 1)
        body = json.loads(rows[0][0]) if rows else {}
        found["lost"] += (body.get("seat"), body.get("action")) != (seat, action)
    for table, views in seen.views.items():
        try:
            after = list(states(store.events(table)))
        except ValueError:  # events are missing
            found["damaged"] += 1
            continue
        for at, (event, state) in enumerate(after):
            sent = ""
            if isinstance(event, Act) and state.places[event.seat].person:
                sent = f"{event.seat.letter} {event.action}"
            found["doubled"] += bool(sent) and (table, at, sent) not in seen.tried
        for letter, view in views:
            state, viewer = after[view["number"] - 1][1], Seat(letter)
            right = codec.plain(seat_view(table, state, viewer), SeatView) == view
            found["leaked"] += not right or not _visible(state, viewer).issuperset(_cards(view))
    store.close()
    return dict(found)


def _cards(view: dict[str, Any]) -> set[str]:
    """The cards that a view shows."""
    tricks = [card for trick in view["tricks"] for card in trick]
    legal = view["legal"] if view["contract"] else []
    return {*view["hand"], *(view["dummy"] or ()), *view["trick"], *tricks, *legal}


def _visible(state: State, seat: Seat) -> set[str]:
    """The cards that a seat may know of."""
    table = state.table
    if table is None:
        return set()
    dummy = () if table.contract is None else table.deal.hidden
    played = [action for action in record_of(table).actions if isinstance(action, Card)]
    return {card.name for card in (*table.deal.hands[seat], *dummy, *played)}
