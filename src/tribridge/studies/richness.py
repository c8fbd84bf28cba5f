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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from math import ceil
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.arena.playing import DealOutcome
from tribridge.arena.rubbers import RubberOutcome
from tribridge.arena.running import Chunk, run
from tribridge.arena.work import MatchWork, PlayOutcome
from tribridge.game.laws import all_laws
from tribridge.game.scoring import schemes
from tribridge.parallel import Backend, Cores, InProcess, Processes
from tribridge.strategies.versions import Version, list_versions
from tribridge.studies.declaration import Declaration
from tribridge.studies.runner import Runner
from tribridge.studies.tidy import Cell, Study, StudyTable, check_sample

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


def study(seed: int, size: Size, runner: Runner | None = None) -> Study:
    """Play under every scheme and the laws, and describe the bidding."""
    check_sample("laws", size.deals, _LEAST)
    runner = runner or Runner()
    contracts: list[tuple[Cell, ...]] = []
    skill: list[tuple[Cell, ...]] = []
    for name in (*schemes(), *size.laws):
        games = _play(name, seed, size, runner)
        contracts.append((name, *_contract_row([deal for game in games for deal in game.games])))
        skill.append((name, len(games) // 6, *_skill_row(games)))
    note = (
        f"{size.deals:,} deals under each scheme and {size.rubbers:,} rubbers under the laws, of "
        f"seed {seed}, each in six seatings; callers points with margins "
        f"{', '.join(f'{margin:g}' for margin in MARGINS)}, cards by maxims, doubles "
        f"{'allowed' if size.doubles else 'not allowed'}."
    )
    return _described_tables(note, contracts, skill)


def stored_study() -> Study:
    """The run in the package, which is too long for a report: `laws.json` says what made it."""
    data = _stored()
    contracts, skill = (
        [tuple(row.values()) for row in data["tables"][name]]
        for name in ("laws-contracts", "laws-skill")
    )
    units = {row[0]: row[1] for row in skill}
    note = (
        f"Made by {data['command']}: {units['auction-tricks']:,} deals under each scheme and "
        f"{units['auction-rubber']:,} rubbers under the laws, each in six seatings; callers points "
        f"with margins {', '.join(f'{margin:g}' for margin in MARGINS)}, cards by maxims, doubles "
        f"allowed. By {list_versions(stored_versions())}."
    )
    return _described_tables(note, contracts, skill)


def stored_versions() -> tuple[Version, ...]:
    """The caller and the player of the run in the package."""
    return tuple(Version(**one) for one in _stored()["strategies"])


def _stored() -> dict[str, Any]:
    text = resources.files("tribridge.studies").joinpath("laws.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def _described_tables(
    note: str, contracts: Iterable[tuple[Cell, ...]], skill: Iterable[tuple[Cell, ...]]
) -> Study:
    return STUDY.result(
        (
            StudyTable(
                "laws-contracts",
                "Contracts and auctions under schemes and laws",
                ("scoring", "deals", "% passed out", *(f"% level {level}" for level in _LEVELS),
                 "level entropy", "% made", "% doubled", "calls", "% contested"),
                tuple(contracts),
                f"{note} Level entropy: of the final level, in bits. Calls: in an auction, passes "
                "included. Contested: two players or more have bid.",
            ),
            StudyTable(
                "laws-skill",
                "Strategy and luck under schemes and laws",
                ("scoring", "units", "spread", "% strategy", "% cards", "% interplay",
                 "best - worst", "games to tell"),
                tuple(skill),
                f"{note} Points per deal, or per rubber; the spread is their standard deviation. "
                "Games to tell: how many games it takes until twice the standard error of a "
                "player's mean is the difference between the best and the worst strategy.",
            ),
        )
    )  # fmt: skip


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
    games = run(work, (0, count), _where(runner, size.deals)).games
    runner.progress(count)
    return [game for game in games if not isinstance(game, PlayOutcome)]


def _where(runner: Runner, deals: int) -> Backend[Chunk]:
    backend = runner.backend
    threads = backend.threads if isinstance(backend, Cores) else 0
    return InProcess() if threads == 1 or deals < _FEW else Processes(threads)


def _contract_row(deals: Sequence[DealOutcome]) -> tuple[Cell, ...]:
    played = [deal for deal in deals if deal.contract is not None]
    levels = np.array([int(str(deal.contract)[0]) for deal in played])
    shares = [float((levels == level).mean()) if len(levels) else 0.0 for level in _LEVELS]
    made = [(deal.tricks or 0) >= 6 + int(str(deal.contract)[0]) for deal in played]
    doubled = [deal.factor > 1 for deal in played]
    return (
        len(deals),
        100 * (1 - len(played) / len(deals)),
        *(100 * share for share in shares),
        sum(share * float(np.log2(1 / share)) for share in shares if share),
        _percent(made),
        _percent(doubled),
        float(np.mean([deal.calls for deal in deals])),
        _percent([len(deal.bidders) > 1 for deal in deals]),
    )


def _skill_row(games: Sequence[DealOutcome | RubberOutcome]) -> tuple[Cell, ...]:
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
    shares = [100 * one / total if total else 0.0 for one in parts]
    return (spread, *shares, lead, tell)


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


def _steps(size: Size) -> int:
    if size.stored:
        return 1
    return size.deals * len(schemes()) + size.rubbers * len(size.laws)


def _described(size: Size) -> dict[str, Any]:
    if size.stored:
        return {"schemes and laws": "the run in the package"}
    return {"deals under each scheme": size.deals, "rubbers under the laws": size.rubbers}


STUDY: Final = Declaration(
    name="laws",
    title="Schemes and laws: how rich is the bidding?",
    paper=Size(0, 0, stored=True),
    quick=Size(0, 0, stored=True),
    run=lambda size, seed, runner: stored_study() if size.stored else study(seed, size, runner),
    steps=_steps,
    describe=_described,
    with_deals=Size.with_deals,
    beside=True,
)
