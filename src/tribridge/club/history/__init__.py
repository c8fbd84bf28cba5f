"""A player's games: what was played, statistics with their uncertainty, and a rating.

`played` reads and writes files of games, `summary` compares deals with what could be expected and
adds them up, `ladder` rates the bots, and `rating` places a player among them.
"""

from __future__ import annotations

from tribridge.club.history.ladder import Ladder as Ladder
from tribridge.club.history.ladder import Scoring as Scoring
from tribridge.club.history.ladder import ladder as ladder
from tribridge.club.history.played import Judged as Judged
from tribridge.club.history.played import PlayedDeal as PlayedDeal
from tribridge.club.history.played import dumps as dumps
from tribridge.club.history.played import load as load
from tribridge.club.history.played import loads as loads
from tribridge.club.history.played import played as played
from tribridge.club.history.played import read_games as read_games
from tribridge.club.history.played import seats_of as seats_of
from tribridge.club.history.rating import PlayerRating as PlayerRating
from tribridge.club.history.rating import rate as rate
from tribridge.club.history.rating import ratings as ratings
from tribridge.club.history.summary import Measured as Measured
from tribridge.club.history.summary import PlayerStats as PlayerStats
from tribridge.club.history.summary import measure as measure
from tribridge.club.history.summary import player_stats as player_stats
from tribridge.club.history.summary import summarise as summarise
