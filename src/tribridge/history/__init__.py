"""A player's games: what was played, statistics with their uncertainty, and a rating.

`played` reads and writes files of games, `summary` compares deals with what could be expected and
adds them up, `ladder` rates the bots, and `rating` places a player among them.
"""

from __future__ import annotations

from tribridge.history.ladder import Ladder as Ladder
from tribridge.history.ladder import Scoring as Scoring
from tribridge.history.ladder import ladder as ladder
from tribridge.history.played import Judged as Judged
from tribridge.history.played import PlayedDeal as PlayedDeal
from tribridge.history.played import dumps as dumps
from tribridge.history.played import load as load
from tribridge.history.played import loads as loads
from tribridge.history.played import played as played
from tribridge.history.rating import PlayerRating as PlayerRating
from tribridge.history.rating import rate as rate
from tribridge.history.rating import ratings as ratings
from tribridge.history.summary import Measured as Measured
from tribridge.history.summary import PlayerStats as PlayerStats
from tribridge.history.summary import measure as measure
from tribridge.history.summary import player_stats as player_stats
from tribridge.history.summary import summarise as summarise
