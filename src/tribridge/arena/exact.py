"""The exact value of card play with hidden hands, on tiny decks.

The game: a deck of eight cards is dealt at random, two to each chair, and played in a fixed strain;
the payoff is the declarer's tricks. Everyone sees the dummy, the declarer also sees their own hand
and plays both, and each defender sees their own. The two defenders are a team with one goal: before
the deal they may agree on any mixture of joint plans (with a shared coin), after it they see only
what is played. This is the team's correlated equilibrium (TMECor), a zero-sum game between two
sides, and its value is one number.

Everyone sees the dummy, so each dummy is a separate game. The declarer has perfect recall: mixed
strategies are realisation plans, and a linear programme finds the one that secures most against the
team's joint plans so far. The team's best response to it is computed exactly and added, until it
gains nothing. Both solutions of the last programme are mixed strategies: what the declarer's
secures and what the team's concedes must meet, and both are reported.

With two cards per hand there are choices only in the first trick: the lead (a card from each of the
left defender's hands), the dummy's card, the right defender's and the declarer's. A plan of the
left defender is one lead from each of 15 hands; after the lead of a card, the right defender's best
response depends only on which of the five hands with that card lead it. So all 2^15 plans are
evaluated through 6 tables of 2^5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards import Card, Deck, Strain, cards_of
from tribridge.deals import Seat
from tribridge.errors import RunError, SettingError, need
from tribridge.game.auction import Bid, Contract
from tribridge.game.position import Position
from tribridge.game.tricks import Chair

HAND: Final = 2
TOLERANCE: Final = 1e-9
_MOST_ROUNDS: Final = 2000
_PLANS_A_ROUND: Final = 8

Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]
Spot = tuple[Chair, int, tuple[Card, ...]]
"""What a choice depends on: the chair to play, the cards dealt to its player (the declarer's own
for the dummy's card), and the cards played so far."""

Chances = Mapping[Card, float]
"""How often a player chooses each card in a position."""


@dataclass(frozen=True, slots=True)
class JointPlan:
    """A joint plan of the defenders: which card to lead, which card to play third hand."""

    leads: Mapping[Spot, Card]
    thirds: Mapping[Spot, Card]


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


class TinyGame:
    """The play of one deck of eight cards in one strain with one dummy, laid out in full.

    Leaves are columns of arrays: the payoff, the left defender's hand and lead, the right
    defender's spot and card, and the declarer's last sequence (the choices so far as a number).
    """

    def __init__(self, deck: Deck, strain: Strain, dummy: int) -> None:
        _check_deck(deck, strain)
        self.deck, self.strain, self.dummy = deck, strain, dummy
        self.contract = Contract(Bid(1, strain), Seat.NORTH)
        rest = list(cards_of(deck.mask & ~dummy))
        self.cards = rest
        self.hands = [a.bit | b.bit for a, b in combinations(rest, 2)]
        self.deals = list(self._deals())
        self.sequences: dict[tuple[Spot, Card], int] = {}
        """The declarer's choices, numbered from 1 in an order that puts earlier ones first."""
        self.parents: list[int] = [0]
        self.spots: dict[Spot, tuple[int, list[int]]] = {}
        """The declarer's positions: the sequence that leads there and those that continue."""
        self.leads: dict[Spot, list[Card]] = {}
        self.thirds: dict[Spot, list[Card]] = {}
        self.examples: dict[Spot, int] = {}
        """For each position, a deal in which it occurs."""
        self._third_numbers: dict[Spot, int] = {}
        rows: list[tuple[int, int, int, int, int, int]] = []
        for at, hands in enumerate(self.deals):
            play = Position(self.contract, hands)
            rows += self._leaves(play, at, 0)
        table = np.array(rows, dtype=np.int64)
        self.leaf_deal, self.leaf_lead, self.leaf_third, self.leaf_card = table[:, :4].T
        self.leaf_sequence, self.payoff = table[:, 4], table[:, 5].astype(float)
        self.chance = 1 / len(self.deals)

    def _deals(self) -> Iterator[tuple[int, int, int, int]]:
        rest = self.deck.mask & ~self.dummy
        for declarer in self.hands:
            for left in self.hands:
                if not declarer & left:
                    yield declarer, left, self.dummy, rest & ~declarer & ~left

    def _leaves(
        self,
        play: Position,
        deal: int,
        sequence: int,
        lead: int = 0,
        third: int = -1,
        card: int = 0,
    ) -> Iterator[tuple[int, int, int, int, int, int]]:
        """All ends of the play of a deal; `lead` is the place of the card led among the six."""
        chair = play.chair
        if play.over:
            yield deal, lead, third, card, sequence, play.won
            return
        legal = play.legal
        if play.tricks or (len(legal) == 1 and chair is not Chair.LEFT):
            yield from self._leaves(
                play.apply_unchecked(legal[0]), deal, sequence, lead, third, card
            )
            return
        owner = Chair.DECLARER if chair is Chair.DUMMY else chair
        spot = chair, self.deals[deal][owner], play.trick
        self.examples.setdefault(spot, deal)
        for at, option in enumerate(legal):
            after = play.apply_unchecked(option)
            if chair is Chair.LEFT:
                self.leads.setdefault(spot, list(legal))
                yield from self._leaves(after, deal, sequence, self.cards.index(option))
            elif chair is Chair.RIGHT:
                self.thirds.setdefault(spot, list(legal))
                number = self._third_numbers.setdefault(spot, len(self._third_numbers))
                yield from self._leaves(after, deal, sequence, lead, number, at)
            else:
                number = self._sequence(spot, option, sequence)
                yield from self._leaves(after, deal, number, lead, third, card)

    def _sequence(self, spot: Spot, option: Card, parent: int) -> int:
        number = self.sequences.get((spot, option))
        if number is None:
            number = self.sequences[spot, option] = len(self.parents)
            self.parents.append(parent)
            self.spots.setdefault(spot, (parent, []))[1].append(number)
        return number

    @cached_property
    def _left_hand(self) -> Whole:
        """For each leaf the place of the left defender's hand."""
        places = {mask: at for at, mask in enumerate(self.hands)}
        return np.array([places[self.deals[deal][Chair.LEFT]] for deal in self.leaf_deal])

    def team_answer(self, plan: Numbers, count: int = 1) -> list[tuple[float, JointPlan]]:
        """The best joint plans against a realisation plan of the declarer, and its tricks.

        All plans of the left defender are evaluated with the right defender's best response to
        each; the first in the list is the best, the others are good ones.
        """
        weights = self.chance * self.payoff * plan[self.leaf_sequence]
        total = np.zeros(1 << len(self.hands))
        tables = []
        codes = np.arange(len(total))
        for place, card in enumerate(self.cards):
            holders = [at for at, hand in enumerate(self.hands) if hand & card.bit]
            table, best = self._after_lead(weights, place, holders)
            bits = np.zeros(len(total), dtype=np.int64)
            for shift, hand in enumerate(holders):
                # Bit 0 of a hand: it leads its first card; so the second is led where it is 1.
                first = next(cards_of(self.hands[hand])) == card
                led = (codes >> hand & 1) ^ first
                bits |= led << shift
            total += table[bits]
            tables.append((bits, best))
        chosen = np.argsort(total, kind="stable")[:count]
        return [(float(total[code]), self._plan(int(code), tables)) for code in chosen]

    def _after_lead(
        self, weights: Numbers, place: int, holders: list[int]
    ) -> tuple[Numbers, NDArray[np.bool_]]:
        """For each set of hands that lead a card: the declarer's take, and the answers to it."""
        led = self.leaf_lead == place
        spots = len(self.thirds)
        sums = np.zeros((len(holders), spots + 1, 2))
        order = {hand: at for at, hand in enumerate(holders)}
        hands = np.array([order[hand] for hand in self._left_hand[led]])
        np.add.at(sums, (hands, self.leaf_third[led], self.leaf_card[led]), weights[led])
        sets = (np.arange(1 << len(holders))[:, np.newaxis] >> np.arange(len(holders)) & 1) @ (
            sums.reshape(len(holders), -1)
        )
        both = sets.reshape(-1, spots + 1, 2)
        # The last place is that of leaves where the right defender had no choice: nothing to pick.
        take = np.minimum(both[:, :-1, 0], both[:, :-1, 1]).sum(axis=1) + both[:, -1].sum(axis=1)
        return take, both[:, :-1, 1] < both[:, :-1, 0]

    def _plan(self, code: int, tables: list[tuple[Whole, NDArray[np.bool_]]]) -> JointPlan:
        leads = {
            spot: options[code >> self.hands.index(spot[1]) & 1]
            for spot, options in self.leads.items()
        }
        thirds = {}
        for at, (spot, options) in enumerate(self.thirds.items()):
            bits, best = tables[self.cards.index(spot[2][0])]
            thirds[spot] = options[int(best[bits[code], at])]
        return JointPlan(leads, thirds)

    def mixed_reach(
        self,
        leads: Mapping[Spot, Mapping[Card, float]],
        thirds: Mapping[Spot, Mapping[Card, float]],
    ) -> Numbers:
        """For each leaf, the chance that two independent defenders let the play get there."""
        first = np.zeros((len(self.hands), len(self.cards)))
        for (_, hand, _), chances in leads.items():
            for card, chance in chances.items():
                first[self.hands.index(hand), self.cards.index(card)] = chance
        third = np.ones((len(self.thirds) + 1, HAND))
        for at, (spot, options) in enumerate(self.thirds.items()):
            third[at] = [thirds[spot].get(option, 0.0) for option in options]
        return np.asarray(
            first[self._left_hand, self.leaf_lead] * third[self.leaf_third, self.leaf_card]
        )

    def reach(self, plan: JointPlan) -> Numbers:
        """For each leaf, whether a joint plan lets the play get there."""
        return self.mixed_reach(
            {spot: {card: 1.0} for spot, card in plan.leads.items()},
            {spot: {card: 1.0} for spot, card in plan.thirds.items()},
        )

    def declarer_answer(self, reach: Numbers) -> float:
        """The most the declarer can take against a mixture of the team, given by leaves."""
        worth = np.zeros(len(self.parents))
        np.add.at(worth, self.leaf_sequence, self.chance * self.payoff * reach)
        for parent, options in reversed(self.spots.values()):
            worth[parent] += max(worth[option] for option in options)
        return float(worth[0])

    def double_dummy(self) -> float:
        """The declarer's mean double-dummy tricks."""
        from tribridge.double_dummy.solving import DoubleDummy

        truth = DoubleDummy(self.deck)
        return float(np.mean([truth.tricks(hands, self.strain) for hands in self.deals]))

    def solve(self) -> tuple[Value, Numbers, list[tuple[float, JointPlan]]]:
        """The value, the declarer's realisation plan and the team's mixture of joint plans."""
        plan = self._uniform()
        plans: list[JointPlan] = []
        rows: list[Numbers] = []
        mixture: Numbers = np.zeros(0)
        secured, target = -np.inf, np.inf
        best = plan
        for _ in range(_MOST_ROUNDS):
            answers = self.team_answer(plan, _PLANS_A_ROUND)
            if answers[0][0] > secured:
                secured, best = answers[0][0], plan
            if secured >= target - TOLERANCE:
                break
            fresh = [one for take, one in answers if take < target - TOLERANCE and one not in plans]
            if not fresh:  # known responses cannot beat the value of the programme
                raise RunError("the game was not solved: its two bounds do not meet")
            plans += fresh
            rows += [self._row(one) for one in fresh]
            plan, target, mixture = self._programme(np.stack(rows))
        else:
            raise RunError(f"the game was not solved in {_MOST_ROUNDS} rounds")
        shares = [(float(w), one) for w, one in zip(mixture, plans, strict=False) if w > TOLERANCE]
        whole = sum(w for w, _ in shares)
        held = self.declarer_answer(
            np.sum([w / whole * self.reach(one) for w, one in shares], axis=0)
        )
        value = Value((secured + held) / 2, secured, held, self.double_dummy())
        return value, best, [(w / whole, one) for w, one in shares]

    def _uniform(self) -> Numbers:
        plan = np.ones(len(self.parents))
        for parent, options in self.spots.values():
            plan[options] = plan[parent] / len(options)
        return plan

    def _row(self, answer: JointPlan) -> Numbers:
        """What each sequence of the declarer is worth against a joint plan."""
        row = np.zeros(len(self.parents))
        np.add.at(row, self.leaf_sequence, self.chance * self.payoff * self.reach(answer))
        return row

    def _programme(self, rows: Numbers) -> tuple[Numbers, float, Numbers]:
        """The realisation plan that secures most against some joint plans, and their shares."""
        linprog = need("scipy.optimize").linprog
        csr_array = need("scipy.sparse").csr_array
        size = len(self.parents)
        ins: list[tuple[int, int, float]] = [(0, 0, 1.0)]
        for at, (parent, options) in enumerate(self.spots.values(), 1):
            ins.append((at, parent, -1.0))
            ins += [(at, option, 1.0) for option in options]
        places, columns, values = zip(*ins, strict=True)
        flow = csr_array((values, (places, columns)), shape=(len(self.spots) + 1, size + 1))
        result = linprog(
            np.r_[np.zeros(size), -1.0],
            A_ub=np.column_stack([-rows, np.ones(len(rows))]),
            b_ub=np.zeros(len(rows)),
            A_eq=flow,
            b_eq=np.r_[1.0, np.zeros(len(self.spots))],
            bounds=(0, None),
            method="highs",
        )
        if not result.success:
            raise RunError(f"the linear programme was not solved: {result.message}")
        plan = np.clip(result.x[:-1], 0, None)
        return plan, -float(result.fun), np.clip(-result.ineqlin.marginals, 0, None)


def _check_deck(deck: Deck, strain: Strain) -> None:
    if deck.hand_size != HAND:
        raise SettingError(
            f"a deck of {deck} cannot be solved exactly: decks of 8 cards can, as 2x4"
        )
    if strain not in deck.strains:
        raise SettingError(f"{strain.letter} cannot be trumps in a deck of {deck}")


def dummies(deck: Deck, strain: Strain) -> list[tuple[int, int]]:
    """One dummy of each kind and how many there are; side suits are interchangeable."""
    _check_deck(deck, strain)
    plain = [suit for suit in range(deck.suits) if suit != strain]
    cards = list(cards_of(deck.mask))
    kinds: dict[tuple[int, ...], tuple[int, int]] = {}
    for chosen in combinations(cards, deck.hand_size):
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
