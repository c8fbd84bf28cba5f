"""Study 9: offence and defence, the zero-sum game that the paper proposes.

Games with search, and matches long enough to tell bidders apart, take minutes to hours. They were
played beforehand by a stated command (`results.shipped`, `results.shipped_matches`) and are
analysed here deal by deal. The fast strategies play when the study runs: each declarer against each
defence on the same deals. A tiny deck shows how far strategies are from play that cannot be
exploited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tribridge.arena.analysis import DECLARER, DEFENCE
from tribridge.arena.ratings import share_won
from tribridge.arena.results import play_result, shipped, shipped_matches
from tribridge.arena.running import run as run_games
from tribridge.arena.tiny.team import Exact, measure
from tribridge.arena.work import PlayWork
from tribridge.cards import Deck, Strain
from tribridge.stats import Interval
from tribridge.studies import textbook
from tribridge.studies.arena_tables import (
    MatchReport,
    PlayReport,
    Report,
    draw_payoffs,
    draw_points,
    match_report,
    play_report,
)
from tribridge.studies.claims import FAILS, OPEN, Claim, claim
from tribridge.studies.drawing import Drawing
from tribridge.studies.solved import exact_table
from tribridge.studies.study import Figure, Runner, Study, check_sample
from tribridge.studies.tables import StudyTable

FAST: Final = ("random", "capture", "maxims")
TINY: Final = Deck(4, 2)

_RESAMPLES: Final = 200
_LEAST: Final = 5
_FEW: Final = 20
"""With fewer deals, starting processes does not pay."""
_DRAWS: Final = 4
"""How often a strategy is asked in each position of the tiny deck; once in a short study."""


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """Games played beforehand, games of the fast strategies, textbook positions, a tiny deck."""

    search: PlayReport
    matches: tuple[MatchReport, ...]
    won: tuple[tuple[Interval, ...], ...]
    """For each pair of each match, the share of games in which the better scores more."""
    fast: PlayReport
    textbook: Mapping[str, int]
    """How many positions each strategy plays as the books do."""
    tiny: Exact

    def ceiling(self, strategy: str) -> dict[str, float]:
        """By side, what a strategy loses against play that sees all cards."""
        return {
            gap.side: gap.against_ceiling.estimate
            for side in (DECLARER, DEFENCE)
            for gap in self.search.ceiling
            if (gap.side, gap.name) == (side, strategy) and gap.against_ceiling is not None
        }


def run(deals: int, seed: int, runner: Runner) -> Result:
    """Play the fast strategies, and analyse them and the games played beforehand."""
    check_sample("offence", deals, _LEAST)
    told = 0

    def tell(kept: int, made: int) -> None:
        nonlocal told
        runner.progress(kept + made - told)
        told = kept + made

    play = PlayWork(FAST, FAST, seed)
    where = runner.processes(deals, _FEW)
    fresh = play_result(play, run_games(play, (0, deals), where, progress=tell).games)
    tiny = measure(TINY, Strain.NOTRUMP, FAST, seed=seed, draws=_DRAWS if deals >= _FEW else 1)
    matches = tuple(match_report(match) for match in shipped_matches())
    return Result(
        play_report(shipped(), resamples=_RESAMPLES),
        matches,
        tuple(
            tuple(share_won(match.result, pair.first, pair.second) for pair in match.comparisons)
            for match in matches
        ),
        play_report(fresh, resamples=_RESAMPLES),
        textbook.counts(),
        tiny,
    )


def tables(result: Result) -> Iterator[StudyTable]:
    """All but the times, which differ from run to run."""
    yield from _untimed(result.search, "offence-search", beforehand=True)
    for at, match in enumerate(result.matches):
        prefix = f"offence-match-{at + 1}" if at else "offence-match"
        yield from _untimed(match, prefix, beforehand=True)
    yield from _untimed(result.fast, "offence")
    yield textbook.table_of(result.textbook)
    yield exact_table(result.tiny)


def _untimed(report: Report, prefix: str, *, beforehand: bool = False) -> Iterator[StudyTable]:
    """The tables of games, with the command of those played beforehand."""
    result = report.result
    for table in report.tables(prefix):
        if table.name == f"{prefix}-times":
            continue
        if beforehand:
            title = f"{table.title} ({result.deals:,} deals played beforehand)"
            note = f"{table.note} {result.origin.note}".strip()
            table = replace(table, title=title, note=note)
        yield table


def claims(result: Result) -> list[Claim]:
    """What the paper says about the game of offence and defence."""
    tests = len(result.search.comparisons)
    tests += sum(len(match.comparisons) for match in result.matches)
    return [
        claim(
            "offence.tests",
            FAILS,
            "it reports none, and names no strategies; this section compares "
            f"{tests} pairs by paired tests with Holm's correction",
        ),
        claim(
            "offence.zero-sum",
            OPEN,
            "once the dummy is seen, the tricks of the two sides add up to 13, so the play is "
            "zero-sum between the sides; the defenders do not see each other's cards. Models of "
            "the hidden hands are tested in the section on beliefs",
        ),
    ]


def draw_play(result: Result) -> Drawing:
    """Declarers against defences.

    Declarer's tricks and points when each declarer (rows) meets each defence (columns) in the games
    played beforehand, with 95% intervals. The brighter a row, the stronger the declarer; the darker
    a column, the stronger the defence. The oracle sees all cards.
    """
    return draw_payoffs(result.search)


def draw_bidders(result: Result) -> Drawing:
    """Bidders in complete games.

    Points per game of the bidders, who all play the cards by the same maxims, with 95% intervals
    over deals, and their mean (dashes); the paired tests are in the table of who beats whom.
    """
    return draw_points(result.matches[0])


STUDY: Final = Study(
    name="offence",
    title="Offence and defence",
    order=100,
    paper=120,
    quick=8,
    run=run,
    steps=lambda deals: deals,
    describe=lambda deals: {"deals of offence and defence": deals},
    with_deals=int,
    tables=tables,
    claims=claims,
    figures=(
        Figure("offence", "offence-search-payoffs", draw_play),
        Figure("offence-match", "offence-match-points", draw_bidders),
    ),
)
