"""The exact value of card play against two defenders who are a team, on decks of eight cards.

Two cards are dealt to each chair and played in a fixed strain (`card_play`); the payoff is the
declarer's tricks. The two defenders have one goal: before the deal they may agree on any mixture of
joint plans (with a shared coin), after it they see only what is played. This is the team's
correlated equilibrium (TMECor), a zero-sum game between two sides, and its value is one number.

Everyone sees the dummy, so each dummy is a separate game. The declarer has perfect recall: mixed
strategies are realisation plans, and a linear program finds the one that secures most against the
team's joint plans so far. The team's best response to it is computed exactly and added, until it
gains nothing. Both solutions of the last programme are mixed strategies: what the declarer's
secures and what the team's concedes must meet, and both are reported.

There are choices only in the first trick. A plan of the left defender is one lead from each of 15
hands; after the lead of a card, the right defender's best response depends only on which of the
five hands with that card lead it. So all 2^15 plans are evaluated through 6 tables of 2^5.

`measure` says how far strategies fall short of the value. A strategy is asked for its choice in
every position, several times if it randomises, so its behaviour is known completely. A declarer is
worth what it takes from the team that responds best, a defence what it concedes to the declarer
that responds best. A strategy that randomises is represented by its observed frequencies, which a
perfect opponent can exploit a little, so its distance is slightly overestimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Deck, Strain, cards_of
from tribridge.common.errors import RunError, SettingError, need
from tribridge.lab.tiny.card_play import CardPlay, card_play, frequencies
from tribridge.lab.tiny.layouts import Layouts
from tribridge.lab.tiny.treeplex import Floats, Ints
from tribridge.strategies import Strategy, find_player
from tribridge.strategies.callers.simple import PassCaller

HAND: Final = 2
TOLERANCE: Final = 1e-9
DRAWS: Final = 20
_MOST_ROUNDS: Final = 2000
_PLANS_A_ROUND: Final = 8


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a game and how close its two bounds came."""

    tricks: float
    secured: float
    """The least that the declarer's mixed strategy takes, whatever the team does."""
    held: float
    """The most that the declarer can take against the team's mixture."""
    double_dummy: float
    """The double-dummy mean, for comparison."""


@dataclass(frozen=True, slots=True)
class Exploited:
    """A strategy against a perfect opponent, in tricks per deal."""

    name: str
    declarer: float
    """Tricks it takes as declarer against the best response of the team."""
    defence: float
    """Tricks it concedes as both defenders to the best response of the declarer."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The value of a tiny game, and strategies compared with it."""

    deck: Deck
    strain: Strain
    value: Value
    strategies: tuple[Exploited, ...]


JointPlan = tuple[tuple[int, ...], tuple[int, ...]]
"""The defenders' options, the first or the second: for each lead, for each card in third hand."""


class TeamGame:
    """The play with one dummy, as a game of the declarer against the team.

    Its leaves are those of the play with this dummy: columns of the payoff times chance, of the
    declarer's last sequence, and of the information sets and options of the defenders. A right
    defender without a choice is in the information set -1.
    """

    def __init__(self, play: CardPlay, dummy: int) -> None:
        game, here = play.game, play.layouts.chairs[play.deals, 2] == dummy
        self.play, self.tree = play, game.trees[0]
        self.payoff, self.sequence = game.payoffs[0][here], game.last[0][here]
        left, right = (game.last[player][here].astype(np.int64) - 1 for player in (1, 2))
        self.hands, self.hand = np.unique(left // 2, return_inverse=True)
        """The left defender's information sets with this dummy, and the place of each leaf's."""
        self.option = left % 2
        self.thirds = np.unique(right[right >= 0] // 2)
        """The right defender's information sets with this dummy."""
        self.third = np.where(right < 0, -1, np.searchsorted(self.thirds, right // 2))
        self.card = np.where(right < 0, 0, right % 2)
        leads = [play.spots[1][at].options for at in self.hands.tolist()]
        self.leads = np.array([[card.index for card in options] for options in leads])

    def team_answer(self, plan: Floats, count: int = 1) -> list[tuple[float, JointPlan]]:
        """The best joint plans against a realisation plan of the declarer, and its tricks.

        All plans of the left defender are evaluated with the right defender's best response to
        each; the first in the list is the best, the others are good ones.
        """
        weights = self.payoff * plan[self.sequence]
        codes = np.arange(1 << len(self.hands))
        total = np.zeros(len(codes))
        tables: dict[int, tuple[Ints, NDArray[np.bool_]]] = {}
        for card in np.unique(self.leads).tolist():
            holders, options = np.nonzero(self.leads == card)
            table, best = self._after_lead(weights, card, holders)
            led = (codes[:, None] >> holders & 1) == options
            bits = led @ (1 << np.arange(len(holders)))
            total += table[bits]
            tables[card] = bits, best
        chosen = np.argsort(total, kind="stable")[:count].tolist()
        return [(float(total[code]), self._plan(code, tables)) for code in chosen]

    def _after_lead(
        self, weights: Floats, card: int, holders: Ints
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """For each set of hands that lead a card: the declarer's take, and the answers to it."""
        led = self.leads[self.hand, self.option] == card
        sums = np.zeros((len(holders), len(self.thirds) + 1, 2))
        places = np.searchsorted(holders, self.hand[led])
        np.add.at(sums, (places, self.third[led], self.card[led]), weights[led])
        sets = np.arange(1 << len(holders))[:, None] >> np.arange(len(holders)) & 1
        both = (sets @ sums.reshape(len(holders), -1)).reshape(-1, len(self.thirds) + 1, 2)
        # The last place is that of leaves where the right defender had no choice: nothing to pick.
        take = np.minimum(both[:, :-1, 0], both[:, :-1, 1]).sum(axis=1) + both[:, -1].sum(axis=1)
        return take, both[:, :-1, 1] < both[:, :-1, 0]

    def _plan(self, code: int, tables: dict[int, tuple[Ints, NDArray[np.bool_]]]) -> JointPlan:
        thirds = []
        for at, place in enumerate(self.thirds.tolist()):
            bits, best = tables[int(self.play.spots[2][place].played[0])]
            thirds.append(int(best[bits[code], at]))
        return tuple(code >> at & 1 for at in range(len(self.hands))), tuple(thirds)

    def reach(self, left: Floats, right: Floats) -> Floats:
        """For each leaf, the chance that two independent strategies let the play get there."""
        first = left[1 + 2 * self.hands[self.hand] + self.option]
        places = np.append(1 + 2 * self.thirds, 0)  # the empty sequence at last, for no choice
        return np.asarray(first * right[places[self.third] + self.card])

    def plan_reach(self, plan: JointPlan) -> Floats:
        """For each leaf, whether a joint plan lets the play get there."""
        leads, thirds = np.array(plan[0]), np.append(plan[1], 0)
        allowed = (leads[self.hand] == self.option) & (thirds[self.third] == self.card)
        return np.asarray(allowed, np.float64)

    def gradient(self, reach: Floats) -> Floats:
        """What each sequence of the declarer is worth against a team, given by leaves."""
        weights = self.payoff * reach
        summed = np.bincount(self.sequence, weights=weights, minlength=self.tree.sequences)
        return np.asarray(summed, np.float64)

    def declarer_answer(self, reach: Floats) -> float:
        """The most the declarer can take against a mixture of the team, given by leaves."""
        return float(self.tree.values(self.gradient(reach))[0])

    def solve(self) -> tuple[float, float, Floats, list[tuple[float, JointPlan]]]:
        """What the declarer secures and is held to, its realisation plan, the team's mixture."""
        best = plan = self.tree.plan(self.tree.uniform())
        plans: list[JointPlan] = []
        rows: list[Floats] = []
        mixture: Floats = np.zeros(0)
        secured, target = -np.inf, np.inf
        for _ in range(_MOST_ROUNDS):
            answers = self.team_answer(plan, _PLANS_A_ROUND)
            if answers[0][0] > secured:
                secured, best = answers[0][0], plan
            if secured >= target - TOLERANCE:
                break
            fresh = [new for take, new in answers if take < target - TOLERANCE and new not in plans]
            if not fresh:  # known responses cannot beat the value of the programme
                raise RunError("the game was not solved: its two bounds do not meet")
            plans += fresh
            rows += [self.gradient(self.plan_reach(new)) for new in fresh]
            plan, target, mixture = self._programme(np.stack(rows))
        else:
            raise RunError(f"the game was not solved in {_MOST_ROUNDS} rounds")
        used = np.flatnonzero(mixture > TOLERANCE)
        shares = mixture[used] / mixture[used].sum()
        team = [(float(share), plans[at]) for share, at in zip(shares, used, strict=True)]
        reach = np.sum([share * self.plan_reach(joint) for share, joint in team], axis=0)
        return secured, self.declarer_answer(reach), best, team

    def _programme(self, rows: Floats) -> tuple[Floats, float, Floats]:
        """The realisation plan that secures most against some joint plans, and their shares."""
        linprog = need("scipy.optimize").linprog
        csr_array = need("scipy.sparse").csr_array
        tree = self.tree
        sets, size = len(tree.counts), tree.sequences
        order = np.arange(1, sets + 1)
        # The plan has 1 for the empty sequence; in each set the options add up to its parent.
        places = np.concatenate([[0], order, np.repeat(order, tree.counts)])
        columns = np.concatenate([[0], tree.parents, np.arange(1, size)])
        values = np.concatenate([[1.0], -np.ones(sets), np.ones(size - 1)])
        result = linprog(
            np.r_[np.zeros(size), -1.0],
            A_ub=np.column_stack([-rows, np.ones(len(rows))]),
            b_ub=np.zeros(len(rows)),
            A_eq=csr_array((values, (places, columns)), shape=(sets + 1, size + 1)),
            b_eq=np.r_[1.0, np.zeros(sets)],
            bounds=(0, None),
            method="highs",
        )
        if not result.success:
            raise RunError(f"the linear program was not solved: {result.message}")
        plan = np.clip(result.x[:-1], 0, None)
        return plan, -float(result.fun), np.clip(-result.ineqlin.marginals, 0, None)


def team_response(play: CardPlay, strategy: Floats) -> float:
    """Declarer's tricks with a strategy if both defenders respond as one team."""
    plan = play.game.trees[0].plan(strategy)
    dummies = play.layouts.hands.tolist()
    return sum(TeamGame(play, dummy).team_answer(plan)[0][0] for dummy in dummies)


def dummies(deck: Deck, strain: Strain) -> list[tuple[int, int]]:
    """One dummy of each kind and how many there are; side suits are interchangeable."""
    if deck.hand_size != HAND:
        raise SettingError(
            f"a deck of {deck} cannot be solved exactly: decks of 8 cards can, as 2x4"
        )
    plain = [suit for suit in range(deck.suits) if suit != strain.index]
    kinds: dict[tuple[int, ...], tuple[int, int]] = {}
    for chosen in combinations(cards_of(deck.mask), deck.hand_size):
        mask = sum(card.bit for card in chosen)
        rows = [mask >> 13 * suit & 0x1FFF for suit in range(deck.suits)]
        key = min(
            tuple(
                rows[order[plain.index(suit)]] if suit in plain else rows[suit]
                for suit in range(deck.suits)
            )
            for order in permutations(plain)
        )
        first, count = kinds.get(key, (mask, 0))
        kinds[key] = first, count + 1
    return list(kinds.values())


def measure(
    deck: Deck, strain: Strain, names: Sequence[str] = (), *, seed: int = 1, draws: int = DRAWS
) -> Exact:
    """Solve the play of a deck of eight cards and measure strategies against it."""
    players = [Strategy(name, PassCaller(), find_player(name)) for name in names]
    for player in players:
        if not player.fair:
            raise SettingError(f"{player.name} sees all hands and cannot be measured")
    kinds = dummies(deck, strain)
    layouts = Layouts(deck)
    whole = sum(count for _, count in kinds)
    bounds, takes, truth = np.zeros(2), np.zeros((len(players), 2)), 0.0
    for dummy, count in kinds:
        play = card_play(layouts, strain, dummy)
        game, share = TeamGame(play, dummy), count / whole
        bounds += share * np.array(game.solve()[:2])
        solved = layouts.tricks[0, deck.strains.index(strain), np.unique(play.deals)]
        truth += share * float(solved.mean())
        for at, player in enumerate(players):
            declarer, left, right = (
                np.concatenate([[1.0], frequencies(play, role, player, seed, draws)])
                for role in range(3)
            )
            takes[at, 0] += share * game.team_answer(game.tree.plan(declarer))[0][0]
            takes[at, 1] += share * game.declarer_answer(game.reach(left, right))
    secured, held = map(float, bounds)
    return Exact(
        deck,
        strain,
        Value((secured + held) / 2, secured, held, truth),
        tuple(
            Exploited(name, float(declarer), float(defence))
            for name, (declarer, defence) in zip(names, takes, strict=True)
        ),
    )
