"""Compare ways to choose a card, decision by decision, by what each choice loses double dummy.

    python benchmarks/decisions.py [--deals 20] [--side defending] [--kinds lead] [--tricks 5-10]

The player `learned` plays each deal on one side, against the oracle. Against the oracle, the tricks
that a side ends up behind are the sum of what its choices lose double dummy, so each choice can be
judged by itself, which takes far fewer deals than whole games. The first table shows where the
network's choices lose. At the choices of the given kinds and tricks, layouts are then drawn and
solved, and several rules choose from them. The second table shows what their choices lose at once.
Double dummy takes later guesses for granted, so a choice that puts one off loses nothing at once;
`--play-on` plays each deal on with the network after the choice, and shows what was lost by the
end. `--solve 0` leaves the second table out.

The weights of layouts are judged by their score: the mean logarithm of the true layout's weight
relative to the average layout's (0: as good as uniform weights). `--playouts` adds values by
play-outs of the small network, which take long.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tribridge import beliefs
from tribridge.arena.contracts import set_contract
from tribridge.cards.cards import FULL_DECK, Card
from tribridge.cards.dealer import deal
from tribridge.common.parallel import worker_pool
from tribridge.game import Table, View, new_table, view
from tribridge.networks.play import I64, observe
from tribridge.strategies.learned import SMALL, network
from tribridge.strategies.learned.player import LearnedPlayer, heads
from tribridge.strategies.learned.search import (
    EVEN,
    PLAYED_BY,
    Averages,
    Powers,
    draw,
    likelihood,
    play_out,
    replay,
)
from tribridge.strategies.players.search.evaluation import Clock, solver_of
from tribridge.strategies.players.simple import OraclePlayer
from tribridge.strategies.players.suits import apart
from tribridge.strategies.protocol import position_of

F32, F64 = NDArray[np.float32], NDArray[np.float64]
Losses = dict[tuple[int, str], list[int]]
"""Tricks lost by the network's choices, by trick and kind of choice."""
ITSELF = PLAYED_BY["itself"]
ALL_PLAYS = replace(ITSELF, declaring=EVEN, defending=EVEN)
NO_PLAYS = replace(ITSELF, declaring=Powers(1, 0, 0), defending=Powers(1, 0, 0))
FEW = 12
SURE = 0.99


@dataclass(frozen=True)
class Decision:
    """A choice of the network between cards that are not all equivalent."""

    number: int
    table: Table
    preference: F32
    belief: F32
    best: int
    """Declarer's tricks double dummy."""
    losses: dict[Card, int]
    """Tricks that each legal card loses double dummy on the true layout."""
    _behind: dict[Card, int] = field(default_factory=dict)

    @property
    def seen(self) -> View:
        assert self.table.turn is not None
        return view(self.table, self.table.turn)

    @property
    def trick(self) -> int:
        return len(self.seen.tricks) + 1

    @property
    def kind(self) -> str:
        seen = self.seen
        if not seen.trick:
            return "lead"
        suits = {card.suit for card in self.losses}
        return "follow" if seen.trick[0].suit in suits else "discard"

    @property
    def network(self) -> Card:
        """The network's own choice."""
        return max(self.losses, key=lambda card: self.preference[card])

    def chances(self) -> F64:
        """The network's chance of playing each legal card."""
        wishes = np.array([self.preference[card] for card in self.losses], np.float64)
        chances = np.exp(wishes - wishes.max())
        shares: F64 = chances / chances.sum()
        return shares

    def behind(self, card: Card) -> int:
        """Tricks behind double dummy at the end if the network plays on after a card."""
        if card not in self._behind:
            position = self.table.position
            assert position is not None
            table = self.table.apply(card)
            while table.turn is not None:
                table = table.apply(_next(table, position.declaring))
            assert table.outcome is not None
            self._behind[card] = abs(table.outcome.tricks - self.best)
        return self._behind[card]

    def rng(self) -> np.random.Generator:
        position = position_of(self.seen)
        place = len(position.trick), int(position.chair)
        return np.random.default_rng(
            [self.number, int(position.declaring), len(position.tricks), *place]
        )


def decisions(seed: int, number: int, declaring: bool) -> Iterator[Decision]:
    """The choices of `learned` on one side of a deal, against the oracle."""
    solver = solver_of(FULL_DECK)
    dealt = deal(seed, number)
    setting = set_contract(dealt, number)
    table = new_table(dealt, setting.contract.declarer)
    for call in setting.calls:
        table = table.apply(call)
    while (seat := table.turn) is not None:
        position = table.position
        assert position is not None
        if position.declaring != declaring or len(position.legal) == 1:
            table = table.apply(_next(table, declaring))
            continue
        seen = view(table, seat)
        preference, belief, _ = heads(observe(seen))
        values = solver.cards(position)
        best = (max if declaring else min)(values.values())
        losses = {card: abs(value - best) for card, value in values.items()}
        decision = Decision(number, table, preference, belief, best, losses)
        if len(apart(position_of(seen), position.legal)) > 1:
            yield decision
        table = table.apply(decision.network)


def _next(table: Table, declaring: bool) -> Card:
    """The next card if `learned` plays one side and the oracle the other."""
    position = table.position
    assert position is not None
    if position.declaring != declaring:
        action = OraclePlayer().open_card(table, np.random.default_rng()).action
    else:
        seat = table.turn
        assert seat is not None
        action = LearnedPlayer().card(view(table, seat), np.random.default_rng()).action
    assert isinstance(action, Card)
    return action


def solve(table: Table, layouts: I64) -> F64:
    """Declarer's tricks double dummy: (layouts, cards)."""
    position = table.position
    assert position is not None
    solver = solver_of(FULL_DECK)
    solved = (solver.cards(position.with_hands((a, b, c, d))) for a, b, c, d in layouts.tolist())
    return np.array([[values[card] for card in position.legal] for values in solved], np.float64)


@dataclass
class Study:
    """What the rules' choices lose, and how weights rate the true layouts."""

    layouts: int
    playouts: bool
    play_on: bool
    lost: dict[str, list[int]] = field(default_factory=dict)
    behind: dict[str, list[int]] = field(default_factory=dict)
    """Tricks behind at the end, with `play_on`."""
    changed: dict[str, int] = field(default_factory=dict)
    scores: dict[str, list[float]] = field(default_factory=dict)
    effective: dict[str, list[float]] = field(default_factory=dict)

    def add(self, one: Decision) -> None:
        """Let every rule choose."""
        rng, seen, table = one.rng(), one.seen, one.table
        clock = Clock(None)
        layouts, weights = draw(seen, one.belief, ITSELF, self.layouts, clock, rng)
        tricks = solve(table, layouts)
        self._note(one, "network", one.network)
        self._choose(one, "search", tricks, weights)
        for tie, doubt in ((0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 0.04), (0.0, 0.08)):
            name = f"search, tie={tie:g}, doubt={doubt:g}"
            self._choose(one, name, tricks, weights, tie, doubt)
        self._choose(one, f"search, {FEW} layouts", tricks[:FEW], weights[:FEW])
        believed, beliefs_alone = draw(seen, one.belief, NO_PLAYS, self.layouts, clock, rng)
        self._choose(one, "by belief alone", solve(table, believed), beliefs_alone, 1, 0)
        every = beliefs.layouts_of(seen)
        whole = every.count <= self.layouts
        masks = every.every(self.layouts) if whole else every.sample(self.layouts, rng)
        uniform = beliefs.chairs(seen, masks).astype(np.int64)
        self._choose(one, "uniform", solve(table, uniform), np.ones(len(uniform)), 1, 0)
        self._judge_weights(one, uniform)
        if self.playouts:
            played = self._played_out(one, layouts)
            self._choose(one, "play-outs", played, weights, 1, 0)
            self._choose(one, "half play-outs", (played + tricks) / 2, weights, 1, 0)

    def _judge_weights(self, one: Decision, uniform: I64) -> None:
        seen, position = one.seen, one.table.position
        assert position is not None
        both = np.concatenate([uniform, np.array([position.hands], np.int64)])
        numbers = observe(seen).numbers
        belief = np.log(likelihood(seen, one.belief, both))
        _, plays = replay(ALL_PLAYS, seen, numbers, both)
        _, tempered = replay(ITSELF, seen, numbers, both)
        self._score("belief", belief)
        self._score("the cards played", plays)
        self._score("both, as in the search", belief + tempered)

    def _played_out(self, one: Decision, layouts: I64) -> F64:
        small = network(SMALL)
        cards = np.array([card.index for card in one.losses])
        many = np.repeat(layouts, len(cards), 0)
        games, _ = replay(NO_PLAYS, one.seen, observe(one.seen).numbers, many)
        games.step(np.tile(cards, len(layouts)))
        return play_out(small, games).reshape(len(layouts), -1).astype(np.float64)

    def _choose(
        self,
        one: Decision,
        name: str,
        tricks: F64,
        weights: F64,
        tie: float = LearnedPlayer().tie,
        doubt: float = LearnedPlayer().doubt,
    ) -> None:
        """Choose by the search's rule."""
        averages = Averages(tuple(one.losses), tricks, weights / weights.sum())
        sign = 1 if position_of(one.seen).declaring else -1
        at = averages.choose(one.preference, sign, tie, doubt)
        self._note(one, name, averages.cards[at])

    def _note(self, one: Decision, name: str, card: Card) -> None:
        self.lost.setdefault(name, []).append(one.losses[card])
        if self.play_on:
            self.behind.setdefault(name, []).append(one.behind(card))
        self.changed[name] = self.changed.get(name, 0) + (card != one.network)

    def _score(self, name: str, log: F64) -> None:
        """The score of weights, given as logarithms; the last is that of the true layout."""
        weights = np.exp(log - log.max())
        drawn = weights[:-1] / weights[:-1].max()
        self.scores.setdefault(name, []).append(float(log[-1] - log.max() - np.log(weights.mean())))
        self.effective.setdefault(name, []).append(
            float(drawn.sum() ** 2 / (drawn @ drawn) / len(drawn))
        )

    def join(self, other: Study) -> None:
        """Add the choices of other deals."""
        for mine, theirs in (
            (self.lost, other.lost),
            (self.behind, other.behind),
            (self.scores, other.scores),
            (self.effective, other.effective),
        ):
            for name, values in theirs.items():
                mine.setdefault(name, []).extend(values)
        for name, count in other.changed.items():
            self.changed[name] = self.changed.get(name, 0) + count

    def show(self, deals: int) -> None:
        """Print the tables."""
        base = np.array(self.lost["network"])
        print(f"\n{len(base)} choices, {self.layouts} layouts each")
        head = "   same at the end" if self.play_on else ""
        print(f"{'':30} lost per deal   minus the network's{head}   changed better worse")
        for name, losses in self.lost.items():
            gain = np.array(losses) - base
            print(
                f"{name:30} {sum(losses) / deals:13.3f}   {_per_deal(gain, deals):>19}"
                + (f"{_per_deal(self._gained(name), deals):>18}" if self.play_on else "")
                + f"   {self.changed[name]:7} {(gain < 0).sum():6} {(gain > 0).sum():5}"
            )
        for name, scores in self.scores.items():
            error = np.std(scores) / len(scores) ** 0.5
            share = np.median(self.effective[name])
            print(
                f"weights by {name}: score {np.mean(scores):+.2f} ± {error:.2f}, "
                f"effective sample {share:.0%} of the layouts"
            )

    def _gained(self, name: str) -> NDArray[np.int64]:
        return np.array(self.behind[name]) - np.array(self.behind["network"])


def _per_deal(gain: NDArray[np.int64], deals: int) -> str:
    """The sum per deal with its standard error."""
    return f"{gain.sum() / deals:+.3f} ± {gain.std() * len(gain) ** 0.5 / deals:.3f}"


def show_losses(lost: Losses, sure: int, deals: int) -> None:
    """Where the network's choices lose."""
    kinds = ("lead", "follow", "discard")
    print(f"tricks lost per deal by the network, {deals} deals")
    print("trick  ", *(f"{kind:>8}" for kind in kinds))
    for trick in range(1, 13):
        print(f"{trick:7}", *(f"{sum(lost[trick, kind]) / deals:8.3f}" for kind in kinds))
    sums = [sum(sum(lost[trick, kind]) for trick in range(1, 13)) / deals for kind in kinds]
    print("all    ", *(f"{total:8.3f}" for total in sums), f"  together {sum(sums):.3f}")
    print(f"lost by cards that the network gave a chance of {SURE:.0%} or more: {sure / deals:.3f}")


@dataclass(frozen=True)
class Task:
    """What is asked of every deal."""

    seed: int
    declaring: bool
    kinds: tuple[str, ...]
    tricks: tuple[int, int]
    layouts: int
    playouts: bool
    play_on: bool

    def run(self, number: int) -> tuple[Losses, int, Study]:
        """The losses of the network by trick and kind, those of sure cards, and the rules'."""
        study = Study(self.layouts, self.playouts, self.play_on)
        lost: Losses = defaultdict(list)
        sure = 0
        for one in decisions(self.seed, number, self.declaring):
            trick, kind = one.trick, one.kind
            lost[trick, kind].append(one.losses[one.network])
            sure += one.losses[one.network] * (one.chances().max() >= SURE)
            first, last = self.tricks
            opening = trick == 1 and kind == "lead"
            if self.layouts and first <= trick <= last and kind in self.kinds and not opening:
                study.add(one)
        return lost, sure, study


def main() -> None:
    """Play, choose, print."""
    parser = argparse.ArgumentParser(description="Compare ways to choose a card.")
    parser.add_argument("--deals", type=int, default=20)
    parser.add_argument("--start", type=int, default=0, help="number of the first deal")
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--side", choices=("declaring", "defending"), default="defending")
    parser.add_argument("--kinds", default="lead", help="lead, follow, discard; with commas")
    parser.add_argument("--tricks", default="5-10", help="first and last trick that is solved")
    parser.add_argument("--solve", type=int, default=40, help="layouts per choice")
    parser.add_argument("--playouts", action="store_true")
    parser.add_argument("--play-on", action="store_true", help="play on after every choice")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    if options.deals < 1 or options.start < 0 or options.processes < 1:
        parser.error("--deals and --processes must be at least 1, and --start at least 0")
    if options.solve < 0:
        parser.error("--solve must be at least 0")
    if options.play_on and not options.solve:
        parser.error("--play-on needs layouts: set --solve to 1 or more")
    if not re.fullmatch(r"\d+-\d+", options.tricks):
        parser.error(f"cannot read --tricks {options.tricks!r}: expected two numbers, as in 5-10")
    if unknown := set(options.kinds.split(",")) - {"lead", "follow", "discard"}:
        parser.error(f"unknown kind {min(unknown)!r}: expected lead, follow or discard")
    first, last = map(int, options.tricks.split("-"))
    if first > last:
        parser.error(f"--tricks {options.tricks}: the first trick comes after the last")
    task = Task(
        options.seed,
        options.side == "declaring",
        tuple(options.kinds.split(",")),
        (first, last),
        options.solve,
        options.playouts,
        options.play_on,
    )
    study = Study(options.solve, options.playouts, options.play_on)
    lost: Losses = defaultdict(list)
    sure = 0
    with worker_pool(options.processes) as pool:
        numbers = range(options.start, options.start + options.deals)
        for losses, certain, choices in pool.map(task.run, numbers):
            for place, values in losses.items():
                lost[place] += values
            sure += certain
            study.join(choices)
    show_losses(lost, sure, options.deals)
    if study.lost:
        study.show(options.deals)


if __name__ == "__main__":
    main()
