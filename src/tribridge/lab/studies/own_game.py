"""The paper's game under schemes and readings that a reader chooses.

The report's studies and its claims are about the readings and schemes that the paper can mean. This
one is added by `tribridge paper --scheme mine.toml --reading non-strict`: the same deals as the
first run of the study `headline`, scored as asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from tribridge.capture import READINGS, Reading
from tribridge.capture.readings import parse_reading
from tribridge.capture.simulation.counts import Work
from tribridge.capture.simulation.results import GameResult, result_of
from tribridge.common.tables import PERCENT, POINTS
from tribridge.game.scoring import Scheme
from tribridge.lab.studies.headline import STUDY as HEADLINE
from tribridge.lab.studies.published import compared_schemes
from tribridge.lab.studies.study import Runner, Study

NAME: Final = "own-game"


@dataclass(frozen=True, slots=True)
class Scored:
    """The paper's game as asked for.

    {deals:,} deals of seed {seed}. Net points are declarers' winnings less the penalties for
    undertricks: of all contracts, and of those with an eligible dummy.
    """

    reading: str
    scheme: str
    contracts: int
    made: Annotated[float, "% made", PERCENT]
    net: Annotated[float, "net points", POINTS]
    each: Annotated[float, "a contract", POINTS]
    eligible: Annotated[float, "net points, eligible dummy", POINTS]


@dataclass(frozen=True, slots=True)
class Result:
    """The game under every reading and scheme that was asked for."""

    deals: int
    seed: int
    scored: Annotated[tuple[Scored, ...], NAME]


def own_game(schemes: Sequence[Scheme], readings: Iterable[str]) -> Study[int, Result]:
    """A study of the game under schemes and readings: those of the paper where none is given."""
    chosen = [parse_reading(name) for name in readings] or list(READINGS.values())
    scored = list(schemes) or list(compared_schemes().values())

    def run(deals: int, seed: int, runner: Runner) -> Result:
        rows = [row for reading in chosen for row in _rows(deals, seed, runner, reading, scored)]
        return Result(deals, seed, tuple(rows))

    return Study(
        name=NAME,
        title="The game as asked for",
        order=None,
        named=False,
        run=run,
        paper=HEADLINE.paper,
        quick=HEADLINE.quick,
        steps=lambda deals: len(chosen) * deals,
    )


def _rows(
    deals: int, seed: int, runner: Runner, reading: Reading, schemes: Iterable[Scheme]
) -> Iterable[Scored]:
    game = result_of(runner.tally(Work("game", seed, reading.name), deals))
    assert isinstance(game, GameResult)
    for scheme in schemes:
        nets = [(kind.net_points(scheme) * kind.count, kind.dummy_level) for kind in game.contracts]
        net = float(sum(points for points, _ in nets))
        yield Scored(
            reading.name,
            scheme.name,
            game.played,
            100 * float(game.win_rate or 0),
            net,
            net / game.played if game.played else 0.0,
            float(sum(points for points, eligible in nets if eligible)),
        )
