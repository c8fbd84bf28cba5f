"""Study 9: offence and defence, the zero-sum game that the paper proposes.

Fast strategies play when the study runs: each declarer against each defence on the same deals, and
complete three-player games. The search strategies take minutes per deal; their games were played
beforehand by a stated command (`results.shipped`) and are analysed here from the tricks of every
deal. A tiny deck shows how far strategies are from play that cannot be
exploited.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tribridge.arena.analysis import DECLARER, DEFENCE, compare_play, distances
from tribridge.arena.exact_strategies import Exact, measure
from tribridge.arena.results import PlayResult, match_result, play_result, shipped
from tribridge.arena.running import run
from tribridge.arena.work import MatchWork, PlayWork
from tribridge.cards import Deck, Strain
from tribridge.parallel import Backend, Cores, InProcess, Processes
from tribridge.studies.arena_tables import exact_table, match_tables, play_tables, solved
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.runner import Runner
from tribridge.studies.tidy import Study, StudyTable, check_sample

FAST: Final = ("random", "capture", "maxims")
BIDDERS: Final = ("forecast:kind=points+maxims", "capture+maxims")
TINY: Final = Deck(4, 2)

_RESAMPLES: Final = 200
_LEAST: Final = 5
_FEW: Final = 20
"""With fewer deals, starting processes does not pay."""
_DRAWS: Final = 4
"""How often a strategy is asked in each position of the tiny deck; once in a short study."""


def _match_deals(deals: int) -> int:
    """Complete games are six per deal and bidding takes time, so they get fewer deals."""
    return max(_LEAST, deals // 3)


def study(seed: int, deals: int, runner: Runner | None = None) -> Study:
    """Play the fast strategies, and analyse them and the games played beforehand."""
    check_sample("offence", deals, _LEAST)
    runner = runner or Runner()
    where = _where(runner, deals)
    play = PlayWork(FAST, FAST, seed)
    fresh = play_result(play, run(play, (0, deals), where, progress=_tell(runner)).summaries)
    match = MatchWork(BIDDERS, seed)
    wanted = 0, _match_deals(deals)
    games = match_result(match, run(match, wanted, where, progress=_tell(runner)).summaries)
    tiny = measure(TINY, Strain.NOTRUMP, FAST, seed=seed, draws=_DRAWS if deals >= _FEW else 1)
    tables = [
        *play_tables(fresh, prefix="offence", resamples=_RESAMPLES),
        *match_tables(games, prefix="offence-match"),
        exact_table(tiny),
    ]
    facts: dict[str, Any] = {"fast": _facts(fresh), "tiny": _tiny_facts(tiny)}
    before = shipped()
    tables += _told(play_tables(before, prefix="offence-search", resamples=_RESAMPLES), before)
    facts["search"] = _facts(before)
    timed = [table for table in tables if not table.name.endswith("-times")]
    return STUDY.result(timed, facts=facts)


def _where(runner: Runner, deals: int) -> Backend[bytes]:
    backend = runner.backend
    threads = backend.threads if isinstance(backend, Cores) else 0
    return InProcess() if threads == 1 or deals < _FEW else Processes(threads)


def _tell(runner: Runner) -> Callable[[int, int], None]:
    told = 0

    def tell(kept: int, made: int) -> None:
        nonlocal told
        runner.progress(kept + made - told)
        told = kept + made

    return tell


def _told(tables: tuple[StudyTable, ...], result: PlayResult) -> list[StudyTable]:
    """Tables of games played beforehand, with the command that played them."""
    origin = result.origin
    source = f" Played by `{origin.command}` on {origin.date}, version {origin.version}."
    return [
        StudyTable(t.name, f"{t.title} (played beforehand)", t.columns, t.rows, t.note + source)
        for t in tables
    ]


def _facts(result: PlayResult) -> dict[str, Any]:
    game = solved(result, "tricks", resamples=2)
    return {
        "deals": result.deals,
        "value": None if game is None else game.value.estimate,
        "tests": [
            {
                "side": one.side,
                "better": one.first,
                "worse": one.second,
                "difference": one.difference.estimate,
                "p": one.p_holm,
            }
            for one in compare_play(result)
        ],
        "ceiling": {
            side: {
                one.name: one.against_ceiling.estimate
                for one in distances(result)
                if one.side == side and one.against_ceiling is not None
            }
            for side in (DECLARER, DEFENCE)
        },
    }


def _tiny_facts(exact: Exact) -> dict[str, Any]:
    return {
        "value": exact.value.tricks,
        "double dummy": exact.value.double_dummy,
        "strategies": {one.name: (one.declarer, one.defence) for one in exact.strategies},
    }


STUDY: Final = Declaration(
    name="offence",
    title="Offence and defence",
    paper=90,
    quick=8,
    run=lambda deals, seed, runner: study(seed, deals, runner),
    steps=lambda deals: deals + _match_deals(deals),
    describe=lambda deals: {"deals of offence and defence": deals},
    with_deals=int,
    figures=(Figure("offence", "Declarers against defences, with 95% intervals"),),
)
