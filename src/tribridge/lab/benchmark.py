"""Tribridge-Bench: frozen tasks that measure a strategy, and a result that anyone can check.

A task is work of the arena on the first deals of a published seed, against opponents whose versions
and weights are frozen with the benchmark. Its score on a deal is

- in the play of fixed contracts, the points by which the agent's side does better than double
  dummy, so that 0 is the result of faultless play by everyone;
- in games and rubbers, the agent's points minus those of the opponent at the same table, over all
  seatings of the two;
- in textbook positions, 1 for a card that the books play;
- on the tiny deck, minus NashConv: what best responses would gain against the agent in all seats.

More is better everywhere. An agent that fails, chooses illegally or takes longer than `longest` for
a choice loses that choice to a substitute, and the result counts it. The budget is on the mean time
of a choice in a task, after one choice that loads and compiles what is needed: a score over the
budget is not ranked in its class, but in the first one that allows its time. Time is that of the
processor for agents in Python, and the wall clock for programs of their own (`arena.playing`). The
classes play the same deals, so the standings of a class include the agents of faster ones.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.random import Generator

from tribridge import __version__
from tribridge.arena.analysis import match_pairs
from tribridge.arena.playing import (
    ThinkingTime,
    clock_of,
    in_time,
    stand_in,
    total_times,
    warm_up,
)
from tribridge.arena.results import MatchResult
from tribridge.arena.running import Chunk, backend, run
from tribridge.arena.work import MatchWork, Outcome, PlayOutcome, PlayWork, names_of
from tribridge.cards.dealer import check_seed
from tribridge.common import codec, stats
from tribridge.common.errors import FormatError, NotFoundError, RunError, SettingError
from tribridge.common.files import read_text, write_atomic
from tribridge.common.parallel import Backend, processor
from tribridge.common.stats import Interval
from tribridge.game.auction import Bid, Contract, parse_call
from tribridge.game.scoring import find_scheme
from tribridge.game.textbook import positions
from tribridge.game.views import View
from tribridge.strategies import (
    Choice,
    Strategy,
    StrategyError,
    as_strategy,
    decision_rng,
    find_player,
    find_strategy,
    guarded,
)
from tribridge.strategies.registry import written
from tribridge.strategies.versions import Version, commit, player_version, strategy_version

NAME: Final = "Tribridge-Bench 1"
SEED: Final = 20_261_117
"""The published seed of all deals."""
PLAYER: Final = "learned@1"
"""The opponent in fixed contracts."""
RIVAL: Final = "forecast+maxims"
"""The opponent in games and rubbers; its play is that of both sides in the bidding tasks."""
FROZEN: Final = {
    PLAYER: "learned@1 (883a8a684bfd)",
    RIVAL: "forecast@1+maxims@1 (276f07658952)",
}
"""The opponents as they were when the benchmark was published."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A class of agents by the time that they take for a choice."""

    name: str
    seconds: float
    """The mean time of a choice in a task."""
    longest: float
    """The time after which a single choice is lost."""


BUDGETS: Final = (Budget("1ms", 0.001, 1.0), Budget("100ms", 0.1, 2.0), Budget("1s", 1.0, 5.0))


_PATIENCE: Final = 600.0
"""Seconds for a choice that is only made again."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task: what is played, and how many deals in each class."""

    name: str
    title: str
    unit: str
    deals: tuple[int, int, int]
    """By budget; 0 if the task is not part of that class."""


TASKS: Final = (
    Task("declaring", f"Declaring fixed contracts against {PLAYER}", "points a deal",
         (1000, 200, 100)),
    Task("defending", f"Defending fixed contracts against {PLAYER}", "points a deal",
         (1000, 200, 100)),
    Task("bidding", f"Bidding against {RIVAL}, all cards played by maxims", "points a deal",
         (600, 300, 100)),
    Task("bidding-contract", "The same under contract scoring", "points a deal", (600, 300, 100)),
    Task("games", f"Whole games against {RIVAL}", "points a deal", (400, 100, 0)),
    Task("rubbers", f"Rubbers against {RIVAL}", "points a rubber", (120, 0, 0)),
    Task("textbook", "Textbook positions", "share of positions", (1, 1, 1)),
    Task("tiny", "NashConv on the deck 2x4, as a loss", "points a deal", (1, 0, 0)),
)  # fmt: skip
"""Textbook and tiny are played whole, whatever the number."""


@dataclass(frozen=True, slots=True)
class TaskScore:
    """How an agent did in a task."""

    task: str
    interval: Interval
    """The mean score with its 95% interval; the ends are the mean where it is exact."""
    scores: tuple[float, ...]
    """By deal, rubber or position."""
    choices: int = 0
    seconds: float = 0.0
    """Spent on the choices."""
    slowest: float = 0.0
    faults: int = 0
    """Choices that were lost."""

    @property
    def mean_seconds(self) -> float:
        """The mean time of a choice."""
        return self.seconds / self.choices if self.choices else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the benchmark found about an agent: the file that is published."""

    benchmark: str = NAME
    agent: Version
    budget: str
    seed: int
    opponents: tuple[Version, ...]
    tasks: tuple[TaskScore, ...]
    machine: str
    date: str
    version: str = __version__
    commit: str = ""
    clock: Literal["wall", "processor"] = "wall"
    """What timed an agent in Python; results from before there was a choice have the wall clock."""

    def score(self, task: str) -> TaskScore | None:
        """The score in a task; None if the agent did not take it."""
        return next((score for score in self.tasks if score.task == task), None)


def find_budget(name: str) -> Budget:
    """The budget of a name."""
    for budget in BUDGETS:
        if budget.name == name:
            return budget
    names = ", ".join(budget.name for budget in BUDGETS)
    raise NotFoundError(f"unknown budget {name!r}: expected one of {names}")


def tasks_of(budget: Budget, names: Sequence[str] = ()) -> list[tuple[Task, int]]:
    """The tasks of a class with their numbers of deals: all of them, or those named."""
    known = [task.name for task in TASKS]
    for name in names:
        if name not in known:
            raise NotFoundError(f"unknown task {name!r}: expected one of {', '.join(known)}")
    sizes = ((task, task.deals[BUDGETS.index(budget)]) for task in TASKS)
    return [(task, deals) for task, deals in sizes if deals and (not names or task.name in names)]


def opponents() -> tuple[Version, ...]:
    """The opponents as they are now; an error if they are not those of the benchmark."""
    present = player_version(PLAYER), strategy_version(RIVAL)
    for version in present:
        if str(version) != FROZEN[version.name]:
            raise SettingError(
                f"{version.name} is {version} here, and {NAME} is played against "
                f"{FROZEN[version.name]}"
            )
    return present


def work_of(task: str, agent: Strategy, budget: Budget, seed: int) -> PlayWork | MatchWork | None:
    """The games of a task; None if there are none, or if the agent is its own opponent."""
    limits: dict[str, Any] = {"seed": seed, "limit": budget.longest}
    if task in ("declaring", "defending"):
        sides = [replace(agent, name=written(agent.player))], [PLAYER]
        declarers, defences = sides if task == "declaring" else sides[::-1]
        return PlayWork.of(declarers, defences, **limits, untimed=(PLAYER,))
    if task in ("textbook", "tiny"):
        return None
    scheme = find_scheme("contract" if task == "bidding-contract" else "auction")
    player = find_player("maxims") if task.startswith("bidding") else agent.player
    strategy = Strategy(f"{written(agent.caller)}+{written(player)}", agent.caller, player)
    if strategy_version(strategy, scheme).version == strategy_version(RIVAL, scheme).version:
        return None
    laws = "auction-rubber" if task == "rubbers" else None
    return MatchWork.of((strategy, RIVAL), laws=laws, scheme=scheme, **limits, untimed=(RIVAL,))


def scores_of(task: str, work: PlayWork | MatchWork, games: Sequence[Outcome]) -> list[float]:
    """The score of each deal, or rubber."""
    if isinstance(work, MatchWork):
        (pair,) = match_pairs(MatchResult(work=work, games=tuple(games)))  # type: ignore[arg-type]
        return [round(float(value), 4) for value in pair.differences]
    sign = 1 if task == "declaring" else -1
    scores = []
    for game in games:
        assert isinstance(game, PlayOutcome)
        bid = parse_call(game.contract)
        assert isinstance(bid, Bid)
        par = float(work.scheme.net(Contract(bid, game.seat), game.double_dummy, work.deck))
        scores.append(round(sign * (game.points - par), 4))
    return scores


Progress = Callable[[str, int, int], None]


def play_task(
    task: Task,
    deals: int,
    agent: Strategy,
    budget: Budget,
    seed: int,
    where: Backend[Chunk],
    folder: Path | None = None,
    progress: Progress = lambda task, done, total: None,
) -> TaskScore | None:
    """Play a task; None if the agent cannot take it. With a folder a stopped task is resumed."""
    if task.name in ("textbook", "tiny"):
        return (_textbook if task.name == "textbook" else _tiny)(agent, budget)
    work = work_of(task.name, agent, budget, seed)
    if work is None:
        return TaskScore(task.name, Interval(0.0, 0.0, 0.0), (0.0,) * deals)
    place = None if folder is None else folder / task.name

    def said(before: int, made: int) -> None:
        progress(task.name, before + made, deals)

    games = run(work, (0, deals), where, folder=place, progress=said).games
    playing = (*work.declarers, *work.defences) if isinstance(work, PlayWork) else work.strategies
    names = {*names_of(playing)}
    (own,) = names - {PLAYER, RIVAL} or names
    spent = total_times(game.times for game in games).get(own, ThinkingTime())
    faults = [fault for game in games for fault in game.faults]
    for fault in faults:
        if fault.strategy != own:
            raise RunError(f"{task.name}: the opponent cannot play here: {fault.message}")
    scores = scores_of(task.name, work, games)
    return TaskScore(task.name, interval_of(scores), tuple(scores), *_rounded(spent), len(faults))


def interval_of(scores: Sequence[float]) -> Interval:
    """The mean of scores; exactly 0 for an agent that plays as its opponent does throughout."""
    return stats.mean_interval(scores) if any(scores) else Interval(0.0, 0.0, 0.0)


def _rounded(spent: ThinkingTime) -> tuple[int, float, float]:
    return spent.choices, round(spent.seconds, 3), round(spent.slowest, 4)


class _Watched:
    """An agent whose choices are timed; a substitute makes those that it loses."""

    def __init__(self, agent: Strategy, budget: Budget) -> None:
        self.agent, self.limit, self.clock = agent, budget.longest, clock_of(agent)
        self.took: list[float] = []
        self.lost = 0
        warm_up(agent)

    def call(self, view: View, rng: Generator) -> Choice:
        begin = self.clock()
        try:
            return in_time(lambda: guarded(self.agent, view, rng), self.limit, self.clock)
        except StrategyError:
            self.lost += 1
            return stand_in(view.legal, self.agent, rng)
        finally:
            self.took.append(self.clock() - begin)

    card = call

    def score(self, task: str, interval: Interval, scores: Sequence[float]) -> TaskScore:
        spent = ThinkingTime(len(self.took), sum(self.took), max(self.took))
        return TaskScore(task, interval, tuple(scores), *_rounded(spent), self.lost)


def _textbook(agent: Strategy, budget: Budget) -> TaskScore | None:
    if not agent.fair:
        return None
    watched, hits = _Watched(agent, budget), []
    for at, position in enumerate(positions()):
        lost = watched.lost
        choice = watched.card(position.view(), decision_rng(0, at, 0, 0))
        hits.append(float(watched.lost == lost and choice.action in position.cards))
    return watched.score("textbook", stats.proportion(int(sum(hits)), len(hits)), hits)


def _tiny(agent: Strategy, budget: Budget) -> TaskScore | None:
    if not agent.fair:
        return None
    from tribridge.lab.tiny.measuring import exploited

    watched = _Watched(agent, budget)
    loss = round(-exploited(Strategy(agent.name, watched, watched)), 4)
    return watched.score("tiny", Interval(loss, loss, loss), [loss])


def play(
    agent: Strategy | str,
    budget: str = "1ms",
    *,
    seed: int = SEED,
    tasks: Sequence[str] = (),
    deals: int = 0,
    processes: int = 0,
    folder: Path | None = None,
    progress: Progress = lambda task, done, total: None,
) -> Report:
    """Measure an agent in all tasks of a class, or in some; with `deals`, on the first deals."""
    check_seed(seed)
    if 0 < deals < stats.FEWEST_DEALS:
        raise SettingError(f"{deals} deals give no interval: play {stats.FEWEST_DEALS} or more")
    strategy, limits = as_strategy(agent), find_budget(budget)
    report = Report(
        agent=strategy_version(strategy),
        budget=budget,
        seed=seed,
        opponents=opponents(),
        tasks=(),
        machine=machine(),
        date=datetime.now(UTC).date().isoformat(),
        commit=commit(),
        clock="processor",
    )
    if folder is not None:
        report = _begun(folder, report)
    where, scores = backend(processes), []
    for task, size in tasks_of(limits, tasks):
        file = None if folder is None else folder / f"{task.name}.json"
        if file is not None and file.exists():
            scores.append(codec.loads(read_text(file), TaskScore, str(file)))
            continue
        score = play_task(
            task, min(size, deals or size), strategy, limits, seed, where, folder, progress
        )
        if score is None:
            continue
        scores.append(score)
        if file is not None:
            write_atomic(file, codec.dumps(score) + "\n")
            report = _played_here(file.parent, report)
    return replace(report, tasks=tuple(scores))


def _begun(folder: Path, here: Report) -> Report:
    """A report without scores: of the machine, date and commit that began the run in a folder."""
    path = folder / "run.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(path, codec.dumps(here, indent=1) + "\n")
        return here
    there = load(path)
    if replace(here, machine=there.machine, date=there.date, commit=there.commit) != there:
        raise RunError(
            f"{folder} holds the run of {there.agent} in the class {there.budget}, seed "
            f"{there.seed}: choose another folder"
        )
    return there


def _played_here(folder: Path, report: Report) -> Report:
    """The report with this machine in it, if another one began the run."""
    if machine() not in report.machine.split("; "):
        report = replace(report, machine=f"{report.machine}; {machine()}")
        write_atomic(folder / "run.json", codec.dumps(report, indent=1) + "\n")
    return report


@cache
def machine() -> str:
    """The processor and the system."""
    names = processor(), platform.machine(), platform.system()  # the first two are one on some ARM
    return ", ".join((*dict.fromkeys(names), f"Python {platform.python_version()}"))


def load(path: Path) -> Report:
    """Read a result."""
    report = codec.loads(path.read_bytes(), Report, str(path))
    if report.benchmark != NAME:
        raise FormatError(f"{path}: a result of {report.benchmark}, not of {NAME}")
    return report


def check(report: Report, deals: int = 3, processes: int = 1) -> Iterator[str]:
    """What is wrong with a result, one sentence each; nothing if it is sound.

    The summaries must follow from the scores, agents and opponents must be those of this package,
    and the first deals of each task, if any, are played again, with time enough on any machine.
    """
    budget = find_budget(report.budget)
    wanted = {task.name: (task, size) for task, size in tasks_of(budget)}
    if report.opponents != opponents():
        yield "the opponents are not those of the benchmark"
    for score in report.tasks:
        if score.task not in wanted:
            yield f"{score.task}: no task of the class {report.budget}"
            continue
        yield from _check_summary(score, wanted[score.task][1])
    try:
        present = strategy_version(report.agent.name)
    except (NotFoundError, SettingError) as error:
        yield f"the agent cannot be played here: {error}"
        return
    if present != report.agent:
        yield f"the agent is {present} here, and {report.agent} in the result"
        return
    if not deals:
        return
    agent, where = find_strategy(report.agent.name), backend(processes)
    patient = replace(budget, longest=_PATIENCE)
    for score in report.tasks:
        if score.task not in wanted:
            continue
        task, size = wanted[score.task]
        count = min(deals, size, len(score.scores))
        again = play_task(task, count, agent, patient, report.seed, where)
        if again is None:
            yield f"{score.task}: the agent cannot take this task"
            continue
        pairs = enumerate(zip(score.scores, again.scores, strict=False))
        changed = [(at, was, now) for at, (was, now) in pairs if was != now]
        if len(changed) > score.faults:  # a choice that was lost there may have been made here
            for at, was, now in changed:
                yield f"{score.task}: number {at} scores {now:g}, and {was:g} in the result"


def _check_summary(score: TaskScore, size: int) -> Iterator[str]:
    if score.task == "tiny":
        return
    values, textbook = score.scores, score.task == "textbook"
    interval = interval_of(values)
    if textbook:
        interval, size = stats.proportion(int(sum(values)), len(values)), len(positions())
    if len(values) > size or (textbook and len(values) < size):
        yield f"{score.task}: {len(values)} scores, not {size}"
    was, now = ([each.estimate, each.low, each.high] for each in (score.interval, interval))
    if not np.allclose(was, now, rtol=1e-6, atol=1e-9, equal_nan=True):
        yield f"{score.task}: the interval does not follow from the scores"
