"""Every answer of the posterior, with and without models, against brute force over all deals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

import numpy as np
import pytest

from tests.grids import thinned
from tests.library.beliefs.brute import AceCalls, Masks, consistent
from tests.library.game.playing import walk, with_deal
from tribridge.beliefs import Beliefs, Posterior, RandomPlays, Variable
from tribridge.capture.algorithm import algorithm2
from tribridge.capture.matrix import matrix_of
from tribridge.cards.cards import Card, Deck, Hand, Suit
from tribridge.cards.dealer import deal
from tribridge.cards.deals import HIDDEN, Deal, Seat
from tribridge.game.auction import Bid
from tribridge.game.table import Table, new_table
from tribridge.game.tricks import Chair
from tribridge.game.views import view

FLOOR = 0.1
DECKS = (Deck(4, 2), Deck(2, 4), Deck(4, 3), Deck(2, 8))
MODELS = ("", "calls", "plays", "calls plays")


def _slow_weights(
    table: Table, deals: list[Masks], seat: Seat | None, calls: bool, plays: bool
) -> list[float]:
    """The chance of all that the others did on each deal; at the floor, calls ignore the cards."""
    rows = [list(_slow_chances(table, masks, seat, calls, plays)) for masks in deals]
    weights = [chances.pop() for chances in rows]
    for column in zip(*rows, strict=True):
        blind = sum(column) / len(column)
        weights = [
            w * ((1 - FLOOR) * c + FLOOR * blind) for w, c in zip(weights, column, strict=True)
        ]
    return weights


def _slow_chances(
    table: Table, masks: Masks, seat: Seat | None, calls: bool, plays: bool
) -> Iterator[float]:
    """The chance of each call of the others on a deal, then that of all their plays."""
    state = new_table(
        Deal.of([Hand(m) for m in masks], table.deal.deck),
        table.dealer,
        doubles=table.auction.doubles,
    )
    weight = 1.0
    for call in table.auction.calls:
        who, options = state.turn, len(state.legal)
        assert who is not None
        if calls and who is not seat:
            bid = 0.9 if Card("CA") in state.deal.hands[who] else 0.1
            yield bid / (options - 1) if isinstance(call, Bid) else 1 - bid
        state = state.apply(call)
    for trick in table.position.tricks if table.position else ():
        for card in trick.cards:
            weight *= _slow_play(state, seat) if plays else 1
            state = state.apply(card)
    for card in table.position.trick if table.position else ():
        weight *= _slow_play(state, seat) if plays else 1
        state = state.apply(card)
    yield weight


def _slow_play(state: Table, seat: Seat | None) -> float:
    assert state.position is not None
    ours = state.position.chair is Chair.DUMMY or state.turn is seat
    return 1.0 if ours else 1 / len(state.legal)


def _slow_wins(state: Table, card: Card, chair: Chair, best: bool) -> float:
    """The chance that a card on the table wins, by playing the trick out in every way."""
    assert state.position is not None
    play = state.position
    if not play.trick or card not in play.trick:
        return float(play.tricks[-1].winner is chair)
    values = [_slow_wins(state.apply(next_), card, chair, best) for next_ in play.legal]
    if not best:
        return sum(values) / len(values)
    return (max if play.chair.declaring == chair.declaring else min)(values)


@dataclass(frozen=True)
class Slow:
    """All consistent deals with their weights."""

    deals: list[Masks]
    weights: list[float]

    def mean(self, values: Sequence[float]) -> float:
        pairs = zip(self.weights, values, strict=True)
        return sum(weight * value for weight, value in pairs) / sum(self.weights)

    def check(self, variable: Variable, values: Sequence[int]) -> None:
        """Hold a variable against its value in every deal."""
        want = {each: self.mean([value == each for value in values]) for each in set(values)}
        found = {value: chance.value for value, chance in variable.chances.items()}
        assert found == pytest.approx(want)
        assert variable.mean.value == pytest.approx(self.mean(values))
        assert variable.mean.exact
        assert all(chance.exact for chance in variable.chances.values())


@pytest.mark.slow
@pytest.mark.parametrize(("deck", "models"), thinned(product(DECKS, MODELS), 3), ids=str)
def test_answers_are_those_of_brute_force_at_states_of_random_games(
    deck: Deck, models: str
) -> None:
    random = Random(f"{deck} {models}")
    for number in range(2 if deck.size < 16 else 1):
        table = new_table(deal(21, number, deck), Seat(number), doubles=True)
        for state in walk(table, random, quiet=0.4):
            if state.position is None and (deck.size > 8 or random.random() < 0.7):
                continue
            for seat in Seat:
                if random.random() < 0.5:
                    _check_answers(state, seat, "calls" in models, "plays" in models)


def _check_answers(state: Table, seat: Seat, calls: bool, plays: bool) -> None:
    deck = state.deal.deck
    beliefs = Beliefs(
        view(state, seat), AceCalls() if calls else None, RandomPlays() if plays else None, FLOOR
    )
    posterior = beliefs.posterior(np.random.default_rng(0))
    deals = consistent(state, seat)
    slow = Slow(deals, _slow_weights(state, deals, seat, calls, plays))
    for hand in range(4):
        for suit in range(deck.suits):
            lengths = [Hand(masks[hand]).row(suit).bit_count() for masks in deals]
            slow.check(posterior.lengths(hand, Suit(suit)), lengths)
        for card in Hand(deck.mask):
            want = slow.mean([masks[hand] >> card.index & 1 for masks in deals])
            assert posterior.holds(hand, card).value == pytest.approx(want)
    declarer = state.contract.declarer if state.contract else seat
    pairs = [(Hand(masks[declarer]), Hand(masks[HIDDEN])) for masks in deals]
    for row in posterior.rows():
        of = [matrix_of(one, two, deck).analyse()[row.suit] for one, two in pairs]
        slow.check(row.c1, [each.c1 for each in of])
        slow.check(row.c2, [each.c2 for each in of])
        slow.check(row.leading_gap, [each.leading_gap for each in of])
    slow.check(posterior.captures(), [algorithm2(*pair, deck).captures for pair in pairs])
    if state.position is not None and state.turn is not None:
        _check_wins(state, seat, posterior, slow)


def _check_wins(state: Table, seat: Seat, posterior: Posterior, slow: Slow) -> None:
    play = state.position
    assert play is not None
    tries = [(card, Chair((play.leader + at) % 4), state) for at, card in enumerate(play.trick)]
    if state.turn is seat:
        tries += [(card, play.chair, state.apply(card)) for card in play.legal]
    for card, chair, after in tries:
        others = [
            with_deal(after, Deal.of([Hand(m) for m in masks], after.deal.deck))
            for masks in slow.deals
        ]
        for response in ("best", "random"):
            values = [_slow_wins(other, card, chair, response == "best") for other in others]
            found = posterior.wins(card, response)
            assert found.value == pytest.approx(slow.mean(values))
            assert found.exact
