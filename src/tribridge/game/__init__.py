"""The game: auction, play, scoring, the table and what each seat may see of it, records."""

from __future__ import annotations

from tribridge.game.auction import (
    DOUBLE,
    PASS,
    REDOUBLE,
    Auction,
    Bid,
    Call,
    Contract,
    Mark,
    Outcome,
    call_name,
    parse_call,
)
from tribridge.game.laws import Laws, find_laws
from tribridge.game.match import Match, RubberMatch
from tribridge.game.position import Position
from tribridge.game.record import Record, record_of
from tribridge.game.rubber import Rubber
from tribridge.game.scoring import Scheme, find_scheme, points_name, schemes, scores, settle
from tribridge.game.table import Action, Table, new_table
from tribridge.game.tricks import Chair, Trick
from tribridge.game.views import View, view

__all__ = [
    "DOUBLE",
    "PASS",
    "REDOUBLE",
    "Action",
    "Auction",
    "Bid",
    "Call",
    "Chair",
    "Contract",
    "Laws",
    "Mark",
    "Match",
    "Outcome",
    "Position",
    "Record",
    "Rubber",
    "RubberMatch",
    "Scheme",
    "Table",
    "Trick",
    "View",
    "call_name",
    "find_laws",
    "find_scheme",
    "new_table",
    "parse_call",
    "points_name",
    "record_of",
    "schemes",
    "scores",
    "settle",
    "view",
]
