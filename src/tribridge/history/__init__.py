"""A player's games: what was played, statistics with their uncertainty, and a rating.

`played` reads and writes files of games, `measures` compares a deal with what could be expected,
`summary` adds deals up, `ladder` rates the bots, and `rating` places a player among them.
"""

from __future__ import annotations

from tribridge.history.ladder import Ladder, Scoring, ladder
from tribridge.history.played import Judged, PlayedDeal, dumps, load, loads, played
from tribridge.history.rating import PlayerRating, rate, ratings
from tribridge.history.summary import Measured, PlayerStats, measure, player_stats, summarise

__all__ = [
    "Judged",
    "Ladder",
    "Measured",
    "PlayedDeal",
    "PlayerRating",
    "PlayerStats",
    "Scoring",
    "dumps",
    "ladder",
    "load",
    "loads",
    "measure",
    "played",
    "player_stats",
    "rate",
    "ratings",
    "summarise",
]
