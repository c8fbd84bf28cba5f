"""Statistics of a player's games."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tribridge.deals import Seat, as_seat
from tribridge.errors import SettingError, shown
from tribridge.game.record import Record, record_of
from tribridge.game.table import Table
from tribridge.history import PlayedDeal, PlayerStats, load, played
from tribridge.history import player_stats as stats_of


def player_stats(
    games: Iterable[PlayedDeal | Record | Table | str | Path], seat: Seat | str | None = None
) -> PlayerStats:
    """A player's statistics, from files of games, records or tables that are over.

    Files of games (from the page My games) say who the player is; records and tables do not, and
    need `seat`. Every mean has its number of deals and a 95% interval. `print` shows them all.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.play_game("points+maxims", "points+maxims", "points+maxims", seed=3)
        >>> stats = tb.player_stats([table], seat=table.contract.declarer)
        >>> stats.deals, stats.made.deals, stats.situations[0].finding.value
        (1, 1, 'too few deals to tell')

    Raises:
        RecordError: a file is not a file of games or records, or has no finished deal.
        SettingError: something is not a game, or does not say who the player is.
    """
    place = None if seat is None else as_seat(seat)
    deals: list[PlayedDeal] = []
    for game in [games] if isinstance(games, (str, Path)) else games:
        if isinstance(game, (str, Path)):
            deals += load(Path(game), place)
        elif isinstance(game, PlayedDeal):
            deals.append(game)
        elif isinstance(game, (Record, Table)):
            if place is None:
                raise SettingError("a record does not say who you are: name a seat, N, E or S")
            record = game if isinstance(game, Record) else record_of(game, scheme="auction")
            deals += [deal for deal in [played(record, place)] if deal is not None]
        else:
            raise SettingError(f"{shown(game)} is not a file, a record or a table")
    return stats_of(deals)
