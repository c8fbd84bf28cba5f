"""Rubbers: played by strategies, and what their standings are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribridge.api.reading import as_whole
from tribridge.deals import BySeat, Seat
from tribridge.game.laws import Laws, find_laws
from tribridge.game.rubber import Rubber
from tribridge.game.standing import Standing, check_standing, parse_standing

if TYPE_CHECKING:
    from tribridge.api.games import AnyStrategy


def worth(
    standing: Rubber | Standing | str = "", *, laws: Laws | str = "auction-rubber"
) -> BySeat[float]:
    """The settlement that each player can expect for what is still to be scored in a rubber.

    The standing is that of a rubber, with its laws, or text: points below the line and games won
    of players. It is computed by dynamic programming from the results of typical deals.

    Examples:
        >>> import tribridge as tb
        >>> {seat.letter: round(points) for seat, points in tb.worth("N 1 game").items()}
        {'N': 222, 'E': -111, 'S': -111}
        >>> rubber = tb.Rubber("contract-rubber", below=(60, 0, 0))
        >>> tb.worth(rubber)["N"] > tb.worth("N 40", laws="contract-rubber")["N"] > 0
        True

    Raises:
        NotFoundError: there are no such laws.
        FormatError: the standing cannot be read.
        SettingError: the standing is impossible, or there are too many part scores under the laws.
    """
    from tribridge.game.rubber_worth import rubber_worth

    if isinstance(standing, Rubber):
        laws, standing = standing.laws, standing.standing
    chosen = find_laws(laws) if isinstance(laws, str) else laws
    if isinstance(standing, str):
        standing = parse_standing(standing, chosen)
    elif 2 not in standing.games:  # a rubber that is over is worth nothing more
        standing = check_standing(chosen, *standing)
    return BySeat(dict(zip(Seat, rubber_worth(chosen).settlement(standing), strict=True)))


def play_rubber(
    north: AnyStrategy,
    east: AnyStrategy,
    south: AnyStrategy,
    *,
    laws: Laws | str = "auction-rubber",
    seed: int = 1,
    number: int = 0,
    doubles: bool = False,
) -> Rubber:
    """Let three strategies play a rubber: deals `1000 * number` and following of `seed`.

    Examples:
        >>> import tribridge as tb
        >>> rubber = tb.play_rubber("points", "points", "points", seed=1)
        >>> rubber.over, sum(rubber.settlement().values())
        (True, 0)

    Raises:
        NotFoundError: there is no such strategy, or there are no such laws.
        SettingError: the seed is out of range.
        StrategyError: a strategy failed, or made an illegal choice.
    """
    from tribridge.arena import rubbers
    from tribridge.strategies import StrategyError, as_strategy

    chosen = find_laws(laws) if isinstance(laws, str) else laws
    games = rubbers.play_rubber(
        [as_strategy(strategy) for strategy in (north, east, south)],
        chosen,
        seed=as_whole(seed, "seed"),
        number=as_whole(number, "number"),
        doubles=doubles,
        stop=True,
    )
    if games[-1].faults:
        raise StrategyError(games[-1].faults[0].message)
    return rubbers.rubber_of(chosen, number, games)
