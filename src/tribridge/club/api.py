"""What `import tribridge as tb` offers of the club: a player's statistics, and puzzles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime
from os import PathLike
from pathlib import Path

from tribridge.cards.deals import Seat
from tribridge.club import history
from tribridge.club.history import PlayedDeal, PlayerStats
from tribridge.club.puzzles import Puzzle, daily, find, load, read_theme, shipped
from tribridge.common.errors import SettingError, check_type, shown
from tribridge.game.record import Record, record_of
from tribridge.game.scoring import find_scheme
from tribridge.game.table import Table


def player_stats(
    games: Iterable[PlayedDeal | Record | Table | str | Path] | Record | Table | str | Path,
    seat: Seat | str | None = None,
) -> PlayerStats:
    """A player's statistics, from files of games, records or tables that are over.

    Files of games (from the page My games) say who the player is; records and tables do not, and
    need `seat`. In PBN and LIN files of four players it is the seat of the file, `W` too, and the
    deals in which the player was dummy are left out. A table with neither a scheme nor a rubber
    counts by `auction`. Every mean has its number of deals and a 95% interval. `print` shows them
    all.

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
    kinds = "Iterable[PlayedDeal | Record | Table | str | Path] | Record | Table | str | Path"
    check_type(games, "player_stats: games", kinds, Iterable, Record, Table, Path)
    deals: list[PlayedDeal] = []
    for game in [games] if isinstance(games, (str, Path, Table, Record)) else games:
        if isinstance(game, (str, Path)):
            deals += history.load(Path(game), seat)
        elif isinstance(game, history.PlayedDeal):
            deals.append(game)
        elif isinstance(game, (Record, Table)):
            if seat is None:
                raise SettingError("a record does not say who you are: name a seat, N, E or S")
            place = Seat(seat)
            if isinstance(game, Table) and game.scheme is None and game.rubber is None:
                game = replace(game, scheme=find_scheme("auction"))
            record = game if isinstance(game, Record) else record_of(game)
            deals += [deal for deal in [history.played(record, place)] if deal is not None]
        else:
            raise SettingError(f"{shown(game)} is not a file, a record or a table")
    return history.player_stats(deals)


def list_puzzles(
    theme: str | None = None, *, rating: tuple[float, float] = (0, 4000), file: str | None = None
) -> list[Puzzle]:
    """The puzzles of the package, or of a file, the easiest first.

    A puzzle has a `table()` and a `view()`, `answers` with what each of them loses, and those that
    are `right`; `str(puzzle)` asks the question, and `puzzle.explanation` answers it.

    Examples:
        >>> import tribridge as tb
        >>> puzzle = tb.list_puzzles("cash-out")[0]
        >>> puzzle.theme.value, puzzle.best.action in puzzle.view().legal, puzzle.share >= 0.15
        ('cash-out', True, True)

    Raises:
        NotFoundError: there is no such theme.
        FormatError: the file is damaged or has no puzzles.
    """
    check_type(theme, "list_puzzles: theme", "str | None", str, None)
    check_type(file, "list_puzzles: file", "str | None", str, PathLike, None)
    wanted = None if theme is None else read_theme(theme)
    try:
        low, high = map(float, rating)
    except (TypeError, ValueError):
        raise SettingError(
            f"list_puzzles: rating must be tuple[float, float], not {shown(rating)}"
        ) from None
    puzzles = (shipped() if file is None else load(Path(file))).puzzles
    return sorted(
        (p for p in puzzles if wanted in (None, p.theme) and low <= p.rating <= high),
        key=lambda puzzle: (puzzle.rating, puzzle.id),
    )


def find_puzzle(name: str) -> Puzzle:
    """A puzzle of the package by its name.

    Examples:
        >>> import tribridge as tb
        >>> tb.find_puzzle(tb.daily_puzzle().id) == tb.daily_puzzle()
        True

    Raises:
        NotFoundError: there is none.
    """
    return find(name)


def daily_puzzle(day: date | str | None = None) -> Puzzle:
    """The puzzle of a date, as in `2026-11-17`; by default today's, by UTC.

    Examples:
        >>> import tribridge as tb
        >>> tb.daily_puzzle("2026-11-17") == tb.daily_puzzle("2026-11-17")
        True

    Raises:
        SettingError: the text is not a date.
    """
    check_type(day, "daily_puzzle: day", "date | str | None", date, str, None)
    if isinstance(day, str):
        try:
            day = date.fromisoformat(day)
        except ValueError:
            raise SettingError(
                f"{shown(day)} is not a date: expected one as in 2026-11-17"
            ) from None
    return daily(datetime.now(UTC).date() if day is None else day)
