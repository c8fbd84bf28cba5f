"""Compare ways to choose a card, decision by decision, by what each choice loses double dummy.

    python benchmarks/decisions.py [--deals 20] [--side defending] [--kinds lead] [--tricks 5-10]

The player `learned` plays each deal on one side, against the oracle. Against the oracle, the tricks
that a side ends up behind are the sum of what its choices lose double dummy, so each choice can be
judged by itself, which takes far fewer deals than whole games. The first table shows where the
network's choices lose. At the choices of the given kinds and tricks, layouts are then drawn and
solved, and several rules choose from them. The second table shows what their choices lose;
`learned` plays all cards, so what a choice costs later is not included. `--solve 0` leaves it out.

The weights of layouts are judged by their score: the mean logarithm of the true layout's weight
relative to the average layout's (0: as good as uniform weights). `--policy` adds weights by how
likely the small network makes the cards played, and `--playouts` values by its play-outs; both take
long. The small network imitates the player's own (`tribridge train small`).
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tribridge import beliefs
from tribridge.arena.contracts import set_contract
from tribridge.cards import FULL_DECK, Card
from tribridge.dealer import deal
from tribridge.game import Table, View, new_table, view
from tribridge.strategies.players.learned.games import I64, play_out
from tribridge.strategies.players.learned.network import SuitNetwork
from tribridge.strategies.players.learned.observation import observe
from tribridge.strategies.players.learned.player import heads, load
from tribridge.strategies.players.learned.replay import replay
from tribridge.strategies.players.learned.search import Averages, draw, likelihood
from tribridge.strategies.players.oracle import OraclePlayer
from tribridge.strategies.players.search.evaluation import apart, solver_of
from tribridge.strategies.protocol import position_of

F32, F64 = NDArray[np.float32], NDArray[np.float64]
SMALL = Path(__file__).parents[1] / "data" / "learning" / "small.npz"
FEW = 12
LIKELY = 0.01
SURE = 0.99


@dataclass(frozen=True)
class Decision:
    """A choice of the network between cards that are not all equivalent."""

    number: int
    table: Table
    preference: F32
    belief: F32
    losses: dict[Card, int]
    """Tricks that each legal card loses double dummy on the true layout."""

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

    def rng(self) -> np.random.Generator:
        position = position_of(self.seen)
        place = len(position.trick), int(position.chair)
        return np.random.default_rng(
            [self.number, int(position.declaring), len(position.tricks), *place]
        )


def decisions(seed: int, number: int, declaring: bool) -> Iterator[Decision]:
    """The choices of `learned` on one side of a deal, against the oracle."""
    oracle, solver = OraclePlayer(), solver_of(FULL_DECK)
    dealt = deal(seed, number)
    setting = set_contract(dealt, number)
    table = new_table(dealt, setting.contract.declarer)
    for call in setting.calls:
        table = table.apply(call)
    while (seat := table.turn) is not None:
        position = table.position
        assert position is not None
        if position.declaring != declaring or len(position.legal) == 1:
            table = table.apply(oracle.open_card(table, np.random.default_rng()).action)
            continue
        seen = view(table, seat)
        preference, belief, _ = heads(observe(seen))
        values = solver.cards(position)
        best = (max if declaring else min)(values.values())
        losses = {card: abs(value - best) for card, value in values.items()}
        decision = Decision(number, table, preference, belief, losses)
        if len(apart(position_of(seen), position.legal)) > 1:
            yield decision
        table = table.apply(decision.network)


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
    small: SuitNetwork | None
    playouts: bool
    lost: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    changed: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    scores: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    effective: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, one: Decision) -> None:
        """Let every rule choose."""
        rng, seen, table = one.rng(), one.seen, one.table
        believed, weights = draw(seen, one.belief, self.layouts, rng)
        every = beliefs.layouts_of(seen)
        whole = every.count <= self.layouts
        masks = every.every(self.layouts) if whole else every.sample(self.layouts, rng)
        uniform = beliefs.chairs(seen, masks).astype(np.int64)
        tricks = solve(table, believed)
        even = np.ones(len(uniform))
        self._note(one, "network", one.network)
        for tie in (0.0, 0.5, 1.0, 2.0):
            self._choose(one, f"beliefs, tie={tie:g}", tricks, weights, tie)
        self._choose(one, f"beliefs, {FEW} layouts, tie=1", tricks[:FEW], weights[:FEW], 1)
        self._choose(one, "beliefs, likely cards, tie=1", tricks, weights, 1, LIKELY)
        solved = solve(table, uniform)
        self._choose(one, "uniform, tie=1", solved, even, 1)
        position = table.position
        assert position is not None
        both = np.concatenate([uniform, np.array([position.hands], np.int64)])
        self._score("beliefs", likelihood(seen, one.belief, both))
        if self.small is None:
            return
        _, log = replay(self.small, seen, observe(seen).numbers, both)
        policy = np.exp(log - log.max())
        self._score("policy", policy)
        self._choose(one, "policy, tie=1", solved, policy[:-1], 1)
        if self.playouts:
            played = self._played_out(self.small, one, believed)
            self._choose(one, "play-outs, tie=1", played, weights, 1)
            self._choose(one, "half play-outs, tie=1", (played + tricks) / 2, weights, 1)

    def _played_out(self, network: SuitNetwork, one: Decision, layouts: I64) -> F64:
        games, _ = replay(network, one.seen, observe(one.seen).numbers, layouts)
        cards = np.array([int(card) for card in one.losses])
        many = games.take(np.repeat(np.arange(len(games)), len(cards)))
        tricks = play_out(network, many.step(np.tile(cards, len(games))))
        return tricks.reshape(len(games), len(cards)).astype(np.float64)

    def _choose(
        self, one: Decision, name: str, tricks: F64, weights: F64, tie: float, least: float = 0
    ) -> None:
        """Choose by the search's rule, among cards that the network gives some chance."""
        kept = (one.chances() >= least).nonzero()[0]
        cards = list(one.losses)
        averages = Averages(
            tuple(cards[at] for at in kept), tricks[:, kept], weights / weights.sum()
        )
        sign = 1 if position_of(one.seen).declaring else -1
        self._note(one, name, averages.cards[averages.choose(one.preference, sign, tie)])

    def _note(self, one: Decision, name: str, card: Card) -> None:
        self.lost[name].append(one.losses[card])
        self.changed[name] += card != one.network

    def _score(self, name: str, weights: F64) -> None:
        drawn = weights[:-1]
        self.scores[name].append(float(np.log(max(weights[-1], 1e-300) / weights.mean())))
        self.effective[name].append(float(drawn.sum() ** 2 / (drawn @ drawn) / len(drawn)))

    def show(self, deals: int) -> None:
        """Print the tables."""
        base = np.array(self.lost["network"])
        print(f"\n{len(base)} choices, {self.layouts} layouts each")
        print(f"{'':30} lost per deal   minus the network's   changed better worse")
        for name, losses in self.lost.items():
            gain = np.array(losses) - base
            error = gain.std() * len(gain) ** 0.5 / deals
            print(
                f"{name:30} {sum(losses) / deals:13.3f}   {gain.sum() / deals:+9.3f} ± {error:.3f}"
                f"   {self.changed[name]:10} {(gain < 0).sum():6} {(gain > 0).sum():5}"
            )
        for name, scores in self.scores.items():
            error = np.std(scores) / len(scores) ** 0.5
            share = np.median(self.effective[name])
            print(
                f"weights by {name}: score {np.mean(scores):+.2f} ± {error:.2f}, "
                f"effective sample {share:.0%} of the layouts"
            )


def show_losses(lost: dict[tuple[int, str], list[int]], sure: int, deals: int) -> None:
    """Where the network's choices lose."""
    kinds = ("lead", "follow", "discard")
    print(f"tricks lost per deal by the network, {deals} deals")
    print("trick  ", *(f"{kind:>8}" for kind in kinds))
    for trick in range(1, 13):
        print(f"{trick:7}", *(f"{sum(lost[trick, kind]) / deals:8.3f}" for kind in kinds))
    sums = [sum(sum(lost[trick, kind]) for trick in range(1, 13)) / deals for kind in kinds]
    print("all    ", *(f"{total:8.3f}" for total in sums), f"  together {sum(sums):.3f}")
    print(f"lost by cards that the network gave a chance of {SURE:.0%} or more: {sure / deals:.3f}")


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
    parser.add_argument("--policy", action="store_true")
    parser.add_argument("--playouts", action="store_true")
    options = parser.parse_args()
    if options.deals < 1 or options.start < 0:
        parser.error("--deals must be at least 1, and --start at least 0")
    if not re.fullmatch(r"\d+-\d+", options.tricks):
        parser.error(f"cannot read --tricks {options.tricks!r}: expected two numbers, as in 5-10")
    if unknown := set(options.kinds.split(",")) - {"lead", "follow", "discard"}:
        parser.error(f"unknown kind {min(unknown)!r}: expected lead, follow or discard")
    small = None
    if options.policy or options.playouts:
        with SMALL.open("rb") as file:
            small = load(file, SMALL.name)
    first, last = map(int, options.tricks.split("-"))
    kinds = options.kinds.split(",")
    study = Study(options.solve, small, options.playouts)
    lost: dict[tuple[int, str], list[int]] = defaultdict(list)
    sure = 0
    for number in range(options.start, options.start + options.deals):
        for one in decisions(options.seed, number, options.side == "declaring"):
            trick, kind = one.trick, one.kind
            lost[trick, kind].append(one.losses[one.network])
            sure += one.losses[one.network] * (one.chances().max() >= SURE)
            if options.solve and first <= trick <= last and kind in kinds:
                study.add(one)
    show_losses(lost, sure, options.deals)
    if study.lost:
        study.show(options.deals)


if __name__ == "__main__":
    main()
