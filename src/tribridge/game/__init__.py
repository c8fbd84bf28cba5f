"""The game: auction, play, scoring, the table and what each seat may see of it, records."""

from __future__ import annotations

from tribridge.game.auction import DOUBLE as DOUBLE
from tribridge.game.auction import PASS as PASS
from tribridge.game.auction import REDOUBLE as REDOUBLE
from tribridge.game.auction import Auction as Auction
from tribridge.game.auction import Bid as Bid
from tribridge.game.auction import Call as Call
from tribridge.game.auction import Contract as Contract
from tribridge.game.auction import Mark as Mark
from tribridge.game.auction import Outcome as Outcome
from tribridge.game.auction import call_name as call_name
from tribridge.game.auction import parse_call as parse_call
from tribridge.game.laws import Laws as Laws
from tribridge.game.laws import find_laws as find_laws
from tribridge.game.match import Match as Match
from tribridge.game.position import Position as Position
from tribridge.game.record import Record as Record
from tribridge.game.record import record_of as record_of
from tribridge.game.rubber import Rubber as Rubber
from tribridge.game.scoring import Scheme as Scheme
from tribridge.game.scoring import find_scheme as find_scheme
from tribridge.game.scoring import points_name as points_name
from tribridge.game.scoring import schemes as schemes
from tribridge.game.scoring import scores as scores
from tribridge.game.scoring import settle as settle
from tribridge.game.table import Action as Action
from tribridge.game.table import Table as Table
from tribridge.game.table import new_table as new_table
from tribridge.game.tricks import Chair as Chair
from tribridge.game.tricks import Trick as Trick
from tribridge.game.views import View as View
from tribridge.game.views import view as view
