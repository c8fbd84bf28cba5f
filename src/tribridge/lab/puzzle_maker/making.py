"""Making puzzles: games of the bots, searched choice by choice, in a folder that can be resumed.

The puzzles of a game depend on the seed and the number of its deal alone, so any number of
processes finds the same. Each game that was searched is a file in the folder, written whole; what
a stopped run has found stays, and games of several seeds may share a folder.

Collected, puzzles have lines, a theme and a rating, and there is one of a deal. The rating comes
from the bots and from the network that learned from experts: each has a strength, and the chance
that it answers right falls with the rating of the puzzle (the model of Rasch). Strengths and
ratings are fitted together, with a prior on the ratings.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.random import Generator, default_rng

from tribridge import __version__
from tribridge.arena.playing import play
from tribridge.cards.cards import Card
from tribridge.cards.dealer import check_seed, deal
from tribridge.cards.deals import Seat
from tribridge.common import codec, parallel
from tribridge.common.errors import SettingError
from tribridge.common.files import only_writer, read_text, write_atomic
from tribridge.common.parallel import InProcess, Range
from tribridge.game.laws import all_laws
from tribridge.game.scoring import find_scheme
from tribridge.game.standing import RubberState, Standing
from tribridge.game.table import Table, new_table
from tribridge.game.textbook import positions
from tribridge.game.views import view
from tribridge.lab.puzzle_maker.calls import call_puzzle
from tribridge.lab.puzzle_maker.judging import (
    CALLERS,
    FEWEST,
    PLAYERS,
    Candidate,
    book_puzzle,
    candidate,
    card_puzzle,
    equal_cards,
    lowest_first,
    one_card,
)
from tribridge.lab.puzzle_maker.lines import with_line
from tribridge.lab.puzzle_maker.themes import may_be, theme_of
from tribridge.reviews.puzzle_files import deal_of, digest_of
from tribridge.reviews.puzzles import (
    SCALE,
    START,
    WIDEST,
    Collection,
    Experts,
    Puzzle,
    Source,
)
from tribridge.reviews.themes import Theme
from tribridge.strategies import bidding_for, find_strategy
from tribridge.strategies.human import MOVED, shares
from tribridge.strategies.protocol import position_of
from tribridge.strategies.versions import Version, caller_version, player_version, strategy_version

STRATEGIES: Final = (
    "learned", "learned", "learned@1", "points+learned", "forecast+learned",
    "points+maxims", "capture+maxims",
)  # fmt: skip
"""Who plays the games; each seat draws one of them."""
_SCHEMES: Final = ("auction", "contract", "auction", "rubber")
_LAWS: Final = "auction-rubber"
_EARLY: Final = (0.02, 0.03, 0.05, 0.1, 0.25)
"""The chances that a card of the first tricks is searched: these take longest by far."""
_EASY: Final = 0.4
"""The chance that a choice which all bots get right is searched further."""
_MOST: Final = 4
"""Puzzles of one game, of which the collection takes one."""
_TEMPERATURES: Final = (1.0, 3.0)
"""Those at which people answer, who have a say in the ratings: as experts do, and wilder."""
_BAND: Final = 100.0
"""Ratings that are much the same."""
_MOST_EASY: Final = 0.4
"""The most puzzles of a theme, as a share, that all bots which think get right."""
_STEPS: Final = 200


@dataclass(frozen=True, slots=True)
class Searching:
    """The search of games for puzzles, as a job; without a seed, of the textbook positions."""

    seed: int | None
    theme: Theme | None = None

    def __post_init__(self) -> None:
        if self.seed is not None:
            check_seed(self.seed)
        if self.theme is Theme.SIGNAL or (self.seed is None and self.theme is not None):
            raise SettingError("signals come from the textbook positions, other themes from games")

    def name(self, number: int) -> str:
        """The name of a game in the folder."""
        name = f"{'book' if self.seed is None else self.seed}-{number}"
        return name if self.theme is None else f"{name}-{self.theme}"

    def run(self, piece: Range) -> list[tuple[int, list[Puzzle]]]:
        search = _of_book
        if self.seed is not None:
            search = partial(puzzles_of_game, self.seed, theme=self.theme)
        return [(number, search(number)) for number in range(*piece)]


def _of_book(number: int) -> list[Puzzle]:
    puzzle = book_puzzle(positions()[number], default_rng(number))
    return [] if puzzle is None else [puzzle]


def puzzles_of_game(seed: int, number: int, theme: Theme | None = None) -> list[Puzzle]:
    """The puzzles in game `number` of a seed; with a theme, every choice that may have it."""
    rng = default_rng([seed, number])
    start = _start(seed, number, rng)
    seats = tuple(STRATEGIES[int(at)] for at in rng.integers(len(STRATEGIES), size=3))
    strategies = [bidding_for(find_strategy(name), start.scheme) for name in seats]
    game = play(start, strategies, seed=seed, number=number)
    source, table = Source(seed, number, seats), start
    puzzles: list[Puzzle] = []
    candidates: list[tuple[Candidate, Generator]] = []
    for at, choice in enumerate(game.choices):
        own = default_rng([seed, number, at])
        if theme is not None and not may_be(view(table, table.turn), theme):
            pass
        elif table.position is None:
            puzzle = call_puzzle(table, own, source, _EASY, theme) if not puzzles else None
            puzzles += [] if puzzle is None else [puzzle]
        elif theme is not None or _late(table) or own.random() < _EARLY[len(table.tricks)]:
            promising = candidate(table, own, _EASY)
            candidates += [] if promising is None else [(promising, own)]
        table = table.apply_unchecked(choice.action)
    for place in rng.permutation(len(candidates)):
        if len(puzzles) == _MOST:
            break
        promising, own = candidates[place]
        puzzle = card_puzzle(promising, own, source)
        puzzles += [] if puzzle is None else [puzzle]
    return [made for made in puzzles if theme in (None, _theme(made))]


def _theme(puzzle: Puzzle) -> Theme | None:
    prepared = _prepared(puzzle)
    return None if prepared is None else prepared.theme


def _late(table: Table) -> bool:
    return len(table.tricks) >= len(_EARLY)


def _start(seed: int, number: int, rng: Generator) -> Table:
    """The table of a game: several ways of scoring take turns."""
    scoring = _SCHEMES[number % len(_SCHEMES)]
    rubber, scheme = None, None
    if scoring == "rubber":
        laws = all_laws()[_LAWS]
        below = tuple(int(10 * points) for points in rng.integers(0, laws.game // 10, size=3))
        games = tuple(int(won) for won in rng.integers(0, 2, size=3))
        standing = Standing((below[0], below[1], below[2]), (games[0], games[1], games[2]))
        rubber = RubberState(laws, standing)
    else:
        scheme = find_scheme(scoring)
    return new_table(
        deal(seed, number), Seat(number % 3), doubles=True, rubber=rubber, scheme=scheme
    )


class Search(Protocol):
    """A job that searches numbered games, or deals, each with a name of its own."""

    def name(self, number: int) -> str:
        """The name of a game in the folder."""
        ...

    def run(self, piece: Range) -> list[tuple[int, list[Puzzle]]]:
        """The puzzles of each game of a range."""
        ...


def make(
    search: Search,
    games: Range,
    folder: Path,
    processes: int = 0,
    progress: Callable[[int, int, int], None] = lambda before, made, puzzles: None,
) -> None:
    """Search the games of a range that the folder does not have yet.

    `progress` is called with the games that were there, those searched and the puzzles in these.
    """
    if not 0 <= games[0] < games[1]:
        raise SettingError(f"the games must be 1 or more, not {games[1] - games[0]}")
    folder.mkdir(parents=True, exist_ok=True)
    where = InProcess(piece=1) if processes == 1 else parallel.Processes(processes, piece=1)
    with only_writer(folder, "making puzzles"):
        done = [
            (number, number + 1)
            for number in range(*games)
            if _file(folder, search, number).exists()
        ]
        made = total = 0
        progress(len(done), made, total)
        with closing(parallel.run(search, where, done, games, chunk=1)) as results:
            for _, parts in results:
                for number, puzzles in parts[0]:
                    text = codec.dumps(puzzles, list[Puzzle]) + "\n"
                    write_atomic(_file(folder, search, number), text)
                    made, total = made + 1, total + len(puzzles)
                progress(len(done), made, total)


def _file(folder: Path, search: Search, number: int) -> Path:
    return folder / f"game-{search.name(number)}.json"


def found_in(folder: Path) -> list[Puzzle]:
    """The puzzles of all games in a folder, in the order of seeds and numbers."""
    puzzles: list[Puzzle] = []
    for path in sorted(folder.glob("game-*.json")):
        refusal = f"{path} is damaged; remove it and make the puzzles again"
        puzzles += codec.loads(read_text(path), list[Puzzle], refusal)
    return sorted(puzzles, key=lambda puzzle: (puzzle.source.seed, puzzle.source.number, puzzle.id))


def collect(
    puzzles: Iterable[Puzzle],
    made_by: Sequence[Version] = (),
    progress: Callable[[int], None] = lambda _: None,
) -> Collection:
    """The collection of puzzles that were made: with lines, themes and ratings, one of a deal.

    `made_by` are strategies that made some of them earlier and may be gone. `progress` is called
    with the number of puzzles that have been looked at.
    """
    prepared = []
    for count, puzzle in enumerate(_different(puzzles), 1):
        own = _prepared(puzzle)
        prepared += [] if own is None else [own]
        progress(count)
    rated, _ = rate_by_bots(prepared)
    chosen = with_experts(_without_easy(one_a_deal(rated)))
    chosen.sort(key=lambda puzzle: puzzle.id)
    seats = {name for puzzle in chosen for name in puzzle.source.seats}
    seats -= {version.name for version in made_by}
    makers = [
        *made_by,
        *(strategy_version(name) for name in sorted(seats)),
        *(player_version(name) for name in (*PLAYERS, "human")),
        *(caller_version(name) for name in CALLERS),
    ]
    unique: dict[str, Version] = {str(version): version for version in makers}
    return Collection(
        version=__version__,
        made_by=tuple(unique[name] for name in sorted(unique)),
        digest=digest_of(codec.plain(tuple(chosen), tuple[Puzzle, ...])),
        puzzles=tuple(chosen),
    )


def with_themes(collection: Collection) -> Collection:
    """The same puzzles with the themes that their lines prove now, and nothing else changed."""
    puzzles = tuple(replace(puzzle, theme=theme_of(puzzle)) for puzzle in collection.puzzles)
    digest = digest_of(codec.plain(puzzles, tuple[Puzzle, ...]))
    return replace(collection, puzzles=puzzles, digest=digest)


def _different(puzzles: Iterable[Puzzle]) -> list[Puzzle]:
    """The puzzles without those of the same position, and without the shortest endings."""
    own = {puzzle.id: puzzle for puzzle in puzzles if puzzle.layouts >= FEWEST}
    return list(own.values())


def _prepared(puzzle: Puzzle) -> Puzzle | None:
    """A puzzle with lines, a theme and the experts' answers; None if it does not make one.

    Of equal cards the lowest is shown. Right cards that are not equal are several answers.
    """
    if isinstance(puzzle.best.action, Card):
        position = position_of(puzzle.view())
        if puzzle.theme is not Theme.SIGNAL and not one_card(position, puzzle.right):
            return None
        assert isinstance(puzzle.tempting, Card)
        alike = equal_cards(position, puzzle.tempting)
        puzzle = replace(
            puzzle,
            answers=lowest_first(puzzle.answers),
            tempting=max(alike, key=lambda card: card.index),
            bots=puzzle.bots | expert_chances(puzzle),
        )
    if puzzle.theme is Theme.SIGNAL:  # the tricks are the same
        return puzzle
    lined = with_line(puzzle)
    return None if lined is None else replace(lined, theme=theme_of(lined))


def expert_chances(puzzle: Puzzle) -> dict[str, float]:
    """How likely experts are to answer right, and people who are less sure of what experts know."""
    seen, right = puzzle.view(), puzzle.right
    return {
        f"human:temperature={temperature:g}": round(
            sum(share for card, share in shares(seen, temperature).items() if card in right), 3
        )
        for temperature in _TEMPERATURES
    }


def one_a_deal(puzzles: Sequence[Puzzle]) -> list[Puzzle]:
    """One puzzle of each deal, as the answer to one shows the hidden hands of the next.

    Of several, one whose difficulty is rare among those chosen so far, then one with a theme.
    """
    deals: dict[frozenset[int], list[Puzzle]] = {}
    for puzzle in puzzles:
        deals.setdefault(deal_of(puzzle), []).append(puzzle)
    chosen: list[Puzzle] = []
    counts: Counter[int] = Counter()
    for own in sorted(deals.values(), key=len):
        best = min(
            own,
            key=lambda puzzle: (
                counts[_band(puzzle)],
                puzzle.theme is Theme.PLAY,
                -puzzle.share,
                puzzle.id,
            ),
        )
        counts[_band(best)] += 1
        chosen.append(best)
    return chosen


def with_experts(puzzles: Sequence[Puzzle]) -> list[Puzzle]:
    """The puzzles with the share of experts that find each."""
    return [
        puzzle if puzzle.experts is None else replace(puzzle, experts=_corrected(puzzle.experts))
        for puzzle in puzzles
    ]


def _corrected(experts: Experts) -> Experts:
    chance = 1 / (1 + np.exp(-_log_odds(experts.share) - MOVED))
    return replace(experts, expected=round(float(chance), 3))


def fitted_move(puzzles: Sequence[Puzzle]) -> float:
    """By how much the log odds of finding the answer are more than the network says.

    Where one card is clearly best, experts find it more often than their network says, which sees
    neither their auction nor what they count. Its log odds are moved, all by the same amount, so
    that over all puzzles as many find the answer as did at the tables. `human.MOVED` comes from
    the puzzles of the package.
    """
    asked = [
        puzzle.experts for puzzle in puzzles if puzzle.experts is not None and puzzle.experts.tables
    ]
    odds = np.array([_log_odds(experts.share) for experts in asked])
    tables = np.array([experts.tables for experts in asked], np.float64)
    finders, moved = sum(experts.found for experts in asked), 0.0
    for _ in range(_STEPS):  # Newton's; one more table, half of it right, keeps it finite
        chances = 1 / (1 + np.exp(-odds - moved))
        slope = float(tables @ (chances * (1 - chances))) + 0.25
        moved += (finders + 0.5 - float(tables @ chances) - 1 / (1 + np.exp(-moved))) / slope
    return moved


def _log_odds(share: float) -> float:
    inside = min(max(share, 0.005), 0.995)
    return float(np.log(inside / (1 - inside)))


def _band(puzzle: Puzzle) -> int:
    return int(puzzle.rating // _BAND)


def _without_easy(puzzles: Sequence[Puzzle]) -> list[Puzzle]:
    """The puzzles without trivial ones, and the easiest of a theme that has too many easy ones."""
    chosen: list[Puzzle] = []
    for theme in Theme:
        own = sorted(
            (puzzle for puzzle in puzzles if puzzle.theme is theme and not puzzle.trivial),
            key=lambda puzzle: -puzzle.rating,
        )
        hard = [puzzle for puzzle in own if not easy(puzzle)]
        most = max(12 - len(hard), round(_MOST_EASY / (1 - _MOST_EASY) * len(hard)))
        chosen += hard + [puzzle for puzzle in own if easy(puzzle)][:most]
    return chosen


def easy(puzzle: Puzzle) -> bool:
    """Whether every bot that thinks is right; a puzzle from a book is not judged by that."""
    weak = ("random", "capture", "human")
    chances = [chance for name, chance in puzzle.bots.items() if not name.startswith(weak)]
    return not puzzle.source.book and min(chances) > 0.9


def dumps(collection: Collection) -> bytes:
    """A collection as the bytes of its file, the same for the same puzzles."""
    text = json.dumps(codec.plain(collection), ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)


def rate_by_bots(puzzles: Sequence[Puzzle]) -> tuple[list[Puzzle], dict[str, float]]:
    """The puzzles with the ratings that follow from the bots' answers, and the bots' strengths."""
    if not puzzles:
        return [], {}
    names = sorted({name for puzzle in puzzles for name in puzzle.bots})
    answers = np.array([[puzzle.bots.get(name, np.nan) for name in names] for puzzle in puzzles])
    known = ~np.isnan(answers)
    answers = np.where(known, answers, 0.0)
    prior = (SCALE / WIDEST) ** 2
    ratings, strengths = np.zeros(len(puzzles)), np.zeros(len(names))
    for _ in range(_STEPS):  # Newton's steps, in turn; the mean of the ratings stays at the start
        chances = 1 / (1 + np.exp(ratings[:, None] - strengths))
        spread = known * chances * (1 - chances)
        surplus = known * (answers - chances)
        strengths = strengths + surplus.sum(0) / (spread.sum(0) + prior)
        chances = 1 / (1 + np.exp(ratings[:, None] - strengths))
        spread = known * chances * (1 - chances)
        surplus = known * (answers - chances)
        information = spread.sum(1) + prior
        ratings = ratings - (surplus.sum(1) + prior * ratings) / information
        ratings, strengths = ratings - ratings.mean(), strengths - ratings.mean()
    deviations = SCALE / np.sqrt(information)
    rated = [
        replace(
            puzzle,
            rating=round(START + SCALE * float(own), 1),
            deviation=round(float(deviation), 1),
        )
        for puzzle, own, deviation in zip(puzzles, ratings, deviations, strict=True)
    ]
    return rated, {
        name: round(START + SCALE * float(own)) for name, own in zip(names, strengths, strict=True)
    }
