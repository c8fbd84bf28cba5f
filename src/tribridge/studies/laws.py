"""Study: how rich the bidding is under each scoring scheme and under the laws of rubbers.

Three players who count points sit in all six seatings of every deal, or of every rubber: one bids
for the most expected points (`points`), one wants more tricks for a bid and one fewer (another
margin). Points are what a player is ahead of the average opponent.

Their variance is split in three. Let a place be a seat of a deal (or rubber); each strategy is in
each place twice, with the two others exchanged. The analysis of variance with strategy and place as
factors gives

- *strategy*: the variance of the strategies' means, less what chance makes them differ;
- *cards*: the variance between places, which all strategies have in common;
- *interplay*: the rest, which depends on how a strategy fits a place and on the two others.

Components that come out below 0 count as 0. A share of 1% for the strategy is not little: it adds
up from deal to deal, and the cards cancel out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from math import ceil
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.arena.playing import DealOutcome
from tribridge.arena.rubbers import RubberOutcome
from tribridge.arena.running import run as run_games
from tribridge.arena.work import MatchWork, PlayOutcome
from tribridge.game.laws import all_laws
from tribridge.game.scoring import schemes
from tribridge.strategies.versions import Version, list_versions
from tribridge.studies.study import Runner, Study, check_sample
from tribridge.studies.tables import StudyTable, table

F64 = NDArray[np.float64]

MARGINS: Final = (1.0, 2.5, -0.5)
"""Of the three players: neutral, timid, bold."""
_LEVELS: Final = range(1, 8)
_LEAST: Final = 2
_FEW: Final = 10


@dataclass(frozen=True, slots=True)
class Size:
    """How many deals under each scheme, and rubbers under each of the laws."""

    deals: int
    rubbers: int
    laws: tuple[str, ...] = ("auction-rubber", "contract-rubber")
    doubles: bool = True
    stored: bool = False
    """Whether to show the run in the package instead."""

    @classmethod
    def with_deals(cls, deals: int) -> Size:
        return cls(deals, max(_LEAST, deals // 8), tuple(all_laws()))


@dataclass(frozen=True, slots=True)
class Bidding:
    """The contracts and auctions under one scheme or laws."""

    scoring: str
    deals: int
    passed_out: Annotated[float, "% passed out"]
    levels: Annotated[tuple[float, ...], "% level {}"]
    entropy: Annotated[float, "level entropy"]
    made: Annotated[float | None, "% made"]
    doubled: Annotated[float | None, "% doubled"]
    calls: float
    contested: Annotated[float | None, "% contested"]


@dataclass(frozen=True, slots=True)
class Skill:
    """How much of the points is strategy, and how much luck, under one scheme or laws."""

    scoring: str
    units: int
    spread: float
    strategy: Annotated[float, "% strategy"]
    cards: Annotated[float, "% cards"]
    interplay: Annotated[float, "% interplay"]
    lead: Annotated[float, "best - worst"]
    tell: Annotated[int | None, "games to tell"]


@dataclass(frozen=True, slots=True)
class Result:
    """Bidding and skill under every scheme and the laws."""

    note: str
    bidding: tuple[Bidding, ...]
    skill: tuple[Skill, ...]


def run(seed: int, size: Size, runner: Runner | None = None) -> Result:
    """Play under every scheme and the laws, and describe the bidding."""
    check_sample("laws", size.deals, _LEAST)
    runner = runner or Runner()
    games = {name: _play(name, seed, size, runner) for name in (*schemes(), *size.laws)}
    return Result(
        f"{size.deals:,} deals under each scheme and {size.rubbers:,} rubbers under the laws, of "
        f"seed {seed}, each in six seatings; callers points with margins {_margins()}, cards by "
        f"maxims, doubles {'allowed' if size.doubles else 'not allowed'}.",
        tuple(
            _bidding(name, [deal for game in played for deal in game.games])
            for name, played in games.items()
        ),
        tuple(_skill(name, played) for name, played in games.items()),
    )


def _margins() -> str:
    return ", ".join(f"{margin:g}" for margin in MARGINS)


def stored() -> Result:
    """The run in the package, which is too long for a report: `laws.json` says what made it."""
    data = _stored()
    contracts, skill = ([list(row.values()) for row in data["tables"][name]]
                        for name in ("laws-contracts", "laws-skill"))  # fmt: skip
    last = 3 + len(_LEVELS)
    bidding = tuple(
        Bidding(row[0], row[1], row[2], tuple(row[3:last]), *row[last:]) for row in contracts
    )
    skills = tuple(Skill(*row) for row in skill)
    units = {skill.scoring: skill.units for skill in skills}
    return Result(
        f"Made by {data['command']}: {units['auction-tricks']:,} deals under each scheme and "
        f"{units['auction-rubber']:,} rubbers under the laws, each in six seatings; callers points "
        f"with margins {_margins()}, cards by maxims, doubles allowed. By "
        f"{list_versions(stored_versions())}.",
        bidding,
        skills,
    )


def stored_versions() -> tuple[Version, ...]:
    """The caller and the player of the run in the package."""
    return tuple(Version(**entry) for entry in _stored()["strategies"])


def _stored() -> dict[str, Any]:
    text = resources.files("tribridge.studies").joinpath("laws.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def tables(result: Result) -> Iterator[StudyTable]:
    """Contracts and auctions, strategy and luck."""
    yield table(
        "laws-contracts",
        "Contracts and auctions under schemes and laws",
        result.bidding,
        f"{result.note} Level entropy: of the final level, in bits. Calls: in an auction, passes "
        "included. Contested: two players or more have bid.",
    )
    yield table(
        "laws-skill",
        "Strategy and luck under schemes and laws",
        result.skill,
        f"{result.note} Points per deal, or per rubber; the spread is their standard deviation. "
        "Games to tell: how many games it takes until twice the standard error of a player's mean "
        "is the difference between the best and the worst strategy.",
    )


def _play(name: str, seed: int, size: Size, runner: Runner) -> list[DealOutcome | RubberOutcome]:
    """The outcomes of all games (or rubbers) under a scheme or laws."""
    by_laws = name in size.laws
    option = "" if by_laws else f",scheme={name}"
    strategies = tuple(f"points:margin={margin:g}{option}+maxims" for margin in MARGINS)
    work = MatchWork(
        strategies,
        seed,
        "auction" if by_laws else name,
        doubles=size.doubles,
        laws=name if by_laws else None,
    )
    count = size.rubbers if by_laws else size.deals
    games = run_games(work, (0, count), runner.processes(size.deals, _FEW)).games
    runner.progress(count)
    return [game for game in games if not isinstance(game, PlayOutcome)]


def _bidding(name: str, games: Sequence[DealOutcome | RubberOutcome]) -> Bidding:
    deals = [deal for game in games for deal in game.games]
    played = [deal for deal in deals if deal.contract is not None]
    levels = np.array([int(str(deal.contract)[0]) for deal in played])
    shares = [float((levels == level).mean()) if len(levels) else 0.0 for level in _LEVELS]
    made = [(deal.tricks or 0) >= 6 + int(str(deal.contract)[0]) for deal in played]
    doubled = [deal.factor > 1 for deal in played]
    return Bidding(
        name,
        len(deals),
        100 * (1 - len(played) / len(deals)),
        tuple(100 * share for share in shares),
        sum(share * float(np.log2(1 / share)) for share in shares if share),
        _percent(made),
        _percent(doubled),
        float(np.mean([deal.calls for deal in deals])),
        _percent([len(deal.bidders) > 1 for deal in deals]),
    )


def _skill(scoring: str, games: Sequence[DealOutcome | RubberOutcome]) -> Skill:
    names = sorted(set(games[0].seats))
    points = np.array([game.points for game in games], float)
    ahead = (3 * points - points.sum(axis=1, keepdims=True)) / 2
    # By place (deal and seat), strategy, and the two ways in which the others sit.
    cells = np.empty((len(games) // 6, 3, 3, 2))
    filled = np.zeros((3, 3), int)
    for at, game in enumerate(games):
        if at % 6 == 0:
            filled[:] = 0
        for seat, name in enumerate(game.seats):
            strategy = names.index(name)
            cells[at // 6, seat, strategy, filled[seat, strategy]] = ahead[at, seat]
            filled[seat, strategy] += 1
    parts = variance_components(cells.reshape(-1, 3, 2))
    total = sum(parts)
    means = cells.mean(axis=(0, 1, 3))
    lead, spread = float(means.max() - means.min()), float(ahead.std())
    tell = ceil((2 * spread / lead) ** 2) if lead else None
    skill, luck, interplay = (100 * part / total if total else 0.0 for part in parts)
    return Skill(scoring, len(games) // 6, spread, skill, luck, interplay, lead, tell)


def variance_components(cells: F64) -> tuple[float, float, float]:
    """Strategy, cards and interplay, from points by place, strategy and repetition.

    The analysis of variance of two factors with repetitions: strategies are fixed, places and how
    strategies fit them are random.
    """
    places, strategies, times = cells.shape
    mean = cells.mean()
    by_strategy, by_place = cells.mean(axis=(0, 2)), cells.mean(axis=(1, 2))
    by_both = cells.mean(axis=2)
    of_strategy = places * times * ((by_strategy - mean) ** 2).sum() / (strategies - 1)
    of_place = strategies * times * ((by_place - mean) ** 2).sum() / (places - 1)
    mixed = by_both - by_strategy - by_place[:, None] + mean
    of_both = times * (mixed**2).sum() / ((strategies - 1) * (places - 1))
    within = ((cells - by_both[:, :, None]) ** 2).sum() / (places * strategies * (times - 1))
    strategy = max(0.0, float(of_strategy - of_both) / (places * times))
    cards = max(0.0, float(of_place - of_both) / (strategies * times))
    return strategy, cards, max(0.0, float(of_both - within) / times) + float(within)


def _percent(values: Sequence[bool]) -> float | None:
    return 100 * float(np.mean(values)) if values else None


STUDY: Final = Study(
    name="laws",
    title="Schemes and laws: how rich is the bidding?",
    order=150,
    paper=Size(0, 0, stored=True),
    quick=Size(0, 0, stored=True),
    run=lambda size, seed, runner: stored() if size.stored else run(seed, size, runner),
    steps=lambda size: (
        1 if size.stored else size.deals * len(schemes()) + size.rubbers * len(size.laws)
    ),
    describe=lambda size: (
        {"schemes and laws": "the run in the package"}
        if size.stored
        else {"deals under each scheme": size.deals, "rubbers under the laws": size.rubbers}
    ),
    with_deals=Size.with_deals,
    tables=tables,
    beside=True,
)
