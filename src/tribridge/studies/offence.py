"""Study 9: offence and defence, the zero-sum game that the paper proposes.

Games with search, and matches long enough to tell bidders apart, take minutes to hours. They were
played beforehand by a stated command (`results.shipped`, `results.shipped_matches`) and are
analysed here deal by deal. The fast strategies play when the study runs: each declarer against each
defence on the same deals. A tiny deck shows how far strategies are from play that cannot be
exploited.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from tribridge.arena.analysis import DECLARER, DEFENCE
from tribridge.arena.ratings import share_won
from tribridge.arena.results import (
    MatchResult,
    PlayResult,
    play_result,
    shipped,
    shipped_matches,
)
from tribridge.arena.running import Chunk, run
from tribridge.arena.work import PlayWork
from tribridge.cards import Deck, Strain
from tribridge.parallel import Backend, Cores, InProcess, Processes
from tribridge.studies import claims_conclusion, textbook
from tribridge.studies.arena_tables import exact_table, match_tables, play_tables
from tribridge.studies.declaration import Declaration, Figure
from tribridge.studies.runner import Runner
from tribridge.studies.tidy import Study, StudyTable, check_sample
from tribridge.training.tiny.team import Exact, measure

FAST: Final = ("random", "capture", "maxims")
TINY: Final = Deck(4, 2)

_RESAMPLES: Final = 200
_LEAST: Final = 5
_FEW: Final = 20
"""With fewer deals, starting processes does not pay."""
_DRAWS: Final = 4
"""How often a strategy is asked in each position of the tiny deck; once in a short study."""


def study(seed: int, deals: int, runner: Runner | None = None) -> Study:
    """Play the fast strategies, and analyse them and the games played beforehand."""
    check_sample("offence", deals, _LEAST)
    runner = runner or Runner()
    where = _where(runner, deals)
    play = PlayWork(FAST, FAST, seed)
    fresh = play_result(play, run(play, (0, deals), where, progress=_tell(runner)).games)
    tiny = measure(TINY, Strain.NOTRUMP, FAST, seed=seed, draws=_DRAWS if deals >= _FEW else 1)
    before, matches = shipped(), shipped_matches()
    tables = _told(play_tables(before, prefix="offence-search", resamples=_RESAMPLES), before)
    prefixes = [f"offence-match-{at + 1}" if at else "offence-match" for at in range(len(matches))]
    for prefix, match in zip(prefixes, matches, strict=True):
        tables += _told(match_tables(match, prefix=prefix), match)
    tables += play_tables(fresh, prefix="offence", resamples=_RESAMPLES)
    played = textbook.counts()
    tables += [textbook.table(played), exact_table(tiny)]
    named = {table.name: table for table in tables}
    facts = {
        "search": _facts(before, named, "offence-search"),
        "matches": [_facts(m, named, prefix) for prefix, m in zip(prefixes, matches, strict=True)],
        "fast": _facts(fresh, named, "offence"),
        "tiny": _tiny_facts(tiny),
        "textbook": played,
    }
    untimed = [table for table in tables if not table.name.endswith("-times")]
    return STUDY.result(untimed, facts=facts)


def _where(runner: Runner, deals: int) -> Backend[Chunk]:
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


def _told(tables: tuple[StudyTable, ...], result: PlayResult | MatchResult) -> list[StudyTable]:
    """Tables of games played beforehand, with the command that played them."""
    return [
        replace(
            table,
            title=f"{table.title} ({result.deals:,} deals played beforehand)",
            note=f"{table.note} {result.origin.note}".strip(),
        )
        for table in tables
    ]


def _tests(tables: Mapping[str, StudyTable], prefix: str) -> list[dict[str, Any]]:
    return [
        {
            "side": one["side"],
            "better": one["better"],
            "worse": one["worse"],
            "difference": (one["difference"], one["from"], one["to"]),
            "p": one["p (Holm)"],
        }
        for one in tables[f"{prefix}-tests"].records()
    ]


def _facts(
    result: PlayResult | MatchResult, tables: Mapping[str, StudyTable], prefix: str
) -> dict[str, Any]:
    ceiling = tables.get(f"{prefix}-ceiling")
    tests = _tests(tables, prefix)
    if isinstance(result, MatchResult):
        for one in tests:
            won = share_won(result, one["better"], one["worse"])
            one["won"] = won.estimate, won.low, won.high
    return {
        "deals": result.deals,
        "command": result.origin.command,
        "tests": tests,
        "ceiling": {
            side: {
                one["strategy"]: one["against the oracle"]
                for one in (ceiling.records() if ceiling else ())
                if one["side"] == side and one["against the oracle"] is not None
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
    paper=120,
    quick=8,
    run=lambda deals, seed, runner: study(seed, deals, runner),
    steps=lambda deals: deals,
    describe=lambda deals: {"deals of offence and defence": deals},
    with_deals=int,
    figures=(
        Figure(
            "offence",
            "Declarers against defences",
            "Declarer's tricks and points when each declarer (rows) meets each defence (columns) "
            "in the games played beforehand, with 95% intervals. The brighter a row, the stronger "
            "the declarer; the darker a column, the stronger the defence. The oracle sees all "
            "cards.",
            "offence-search-payoffs",
        ),
        Figure(
            "offence-match",
            "Bidders in complete games",
            "Points per game of the bidders, who all play the cards by the same maxims, with 95% "
            "intervals over deals, and their mean (dashes); the paired tests are in the table of "
            "who beats whom.",
            "offence-match-points",
        ),
    ),
    claims=claims_conclusion.offence,
)
