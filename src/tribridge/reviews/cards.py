"""Cards: what each legal card is worth over the layouts that its player could imagine.

Layouts are drawn from the player's beliefs, weighted by the calls and the plays so far, and valued
as `sampling` does: the mean of double dummy and of playouts by the maxims, which do not see through
the backs of the cards. Everything here is computed from a view; only `settle_card` is given the
actual hands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tribridge.cards import FULL_DECK, Card
from tribridge.game.tricks import Hands
from tribridge.game.views import View
from tribridge.reviews import wording
from tribridge.reviews.inference import Key, hidden_from, key_card
from tribridge.reviews.values import Judgement, Luck, Option, Verdict
from tribridge.strategies.players.learned.player import LearnedPlayer
from tribridge.strategies.players.search.evaluation import Clock, Valuation, Values
from tribridge.strategies.players.search.sampling import draw
from tribridge.strategies.protocol import position_of

F64 = NDArray[np.float64]

LARGE: Final = 0.4
"""Expected tricks from which a loss is a mistake."""
ERRORS: Final = 2.0
"""Standard errors below which a loss is not held against the player."""
FEWEST: Final = 8
"""Layouts of a sample below which there is no verdict."""
_FACTOR: Final = 0.7
"""What a play that departs from the maxims counts for, as in `sampling`."""
_PLAYOUT: Final = 0.5


@dataclass(frozen=True)
class CardValues:
    """The legal cards of a view, valued over layouts."""

    view: View
    layouts: list[Hands]
    share: F64
    """The weights of the layouts; they add up to 1."""
    whole: bool
    """Whether these are all layouts."""
    cards: tuple[Card, ...]
    double_dummy: F64
    """Declarer's tricks by layout and card."""
    values: F64
    """The same, averaged with the playouts."""

    @cached_property
    def means(self) -> F64:
        """Declarer's expected tricks for each card."""
        means: F64 = self.share @ self.values
        return means

    @property
    def sign(self) -> int:
        """1 if more tricks are better for the player, -1 for a defender."""
        return 1 if position_of(self.view).declaring else -1

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The cards, best first."""
        order = sorted(range(len(self.cards)), key=lambda at: (-self.sign * self.means[at], at))
        best = order[0]
        return tuple(
            Option(
                self.cards[at],
                float(self.means[at]),
                max(0.0, self.sign * float(self.means[best] - self.means[at])),
                self._error(self.sign * (self.values[:, best] - self.values[:, at])),
            )
            for at in order
        )

    def _error(self, gains: F64) -> float:
        """The standard error of a mean gain.

        A sample in which all layouts agree does not prove that all others do: one more layout is
        counted, a trick away from the mean.
        """
        if self.whole or not gains.any():
            return 0.0
        count = len(gains)
        squares = count * float(self.share @ (gains - self.share @ gains) ** 2)
        return float(np.sqrt((squares + 1) / (count * max(count - 1, 1))))

    def same(self, card: Card, other: Card) -> bool:
        """Whether two cards have the same value in every layout."""
        one, two = (self.values[:, self.cards.index(c)] for c in (card, other))
        return bool(np.array_equal(one, two))

    def key(self, better: Card, worse: Card, actual: Hands | None = None) -> Key | None:
        """What decides between two cards; with the actual hands, what really did."""
        own = self.view.own_chair
        assert own is not None
        values = self.values if actual is None else self.double_dummy
        first, second = (values[:, self.cards.index(card)] for card in (better, worse))
        return key_card(
            self.layouts,
            self.share,
            self.sign * (first - second),
            position_of(self.view).hidden,
            hidden=hidden_from(own),
            whole=self.whole,
            actual=actual,
        )


def value_cards(view: View, layouts: int, clock: Clock, rng: Generator) -> CardValues | None:
    """The value of each legal card over up to `layouts` layouts; None if there was no time."""
    drawn = draw(view, layouts, _FACTOR, calls=True, clock=clock, rng=rng)
    valuation = Valuation(position_of(view), view.deck, played_out=True)
    solved = valuation.solve_here(drawn.hands, clock)
    if not solved:
        return None
    cards = tuple(sorted(solved[0].values))
    exact = _table(cards, [one.values for one in solved])
    played = _table(cards, [one.played_out or one.values for one in solved])
    weights = drawn.weights[: len(solved)]
    return CardValues(
        view,
        drawn.hands[: len(solved)],
        weights / weights.sum(),
        drawn.whole and len(solved) == len(drawn.hands),
        cards,
        exact,
        (1 - _PLAYOUT) * exact + _PLAYOUT * played,
    )


def _table(cards: tuple[Card, ...], values: list[Values]) -> F64:
    return np.array([[tricks[card] for card in cards] for tricks in values], dtype=np.float64)


def second_opinion(view: View, rng: Generator) -> Card | None:
    """The network's card; None where it has no say: other decks, and a single legal card."""
    if view.deck != FULL_DECK or len(view.legal) < 2:
        return None
    card = LearnedPlayer().card(view, rng).action
    return card if isinstance(card, Card) else None


def judge_card(
    number: int,
    view: View,
    card: Card,
    values: CardValues | None,
    opinion: Card | None,
    names: wording.Names,
) -> Judgement:
    """The verdict on a card, from its player's view alone."""
    assert view.seat is not None
    options = () if values is None else values.options
    verdict = _verdict(card, values, opinion)
    judgement = Judgement(
        number=number,
        seat=view.seat,
        chair=view.chair,
        action=card,
        options=options,
        verdict=verdict,
        luck=None,
        cost=None,
        double_dummy=None,
        expected=options[0].expected if options else None,
        layouts=0 if values is None else len(values.layouts),
        second_opinion=opinion,
        reason="",
    )
    key = None
    if values is not None and verdict.wrong:
        best = options[0].action
        assert isinstance(best, Card)
        key = values.key(best, card)
    return replace(judgement, reason=wording.card_reason(judgement, key, view.contract, names))


def _verdict(card: Card, values: CardValues | None, opinion: Card | None) -> Verdict:
    if values is not None and len(values.cards) == 1:
        return Verdict.FORCED
    if values is None or not (values.whole or len(values.layouts) >= FEWEST):
        return Verdict.UNJUDGED
    option = next(one for one in values.options if one.action == card)
    if option.loss <= 1e-9:
        return Verdict.BEST
    if option.loss < wording.SMALL or option.loss <= ERRORS * option.error:
        return Verdict.GOOD
    agreed = opinion is not None and values.same(card, opinion)
    if option.loss < LARGE:
        return Verdict.GOOD if agreed else Verdict.INACCURACY
    return Verdict.INACCURACY if agreed else Verdict.MISTAKE


def settle_card(
    judgement: Judgement,
    values: CardValues | None,
    truth: Values,
    hands: Hands,
    names: wording.Names,
) -> Judgement:
    """The judgement beside double dummy on the actual deal."""
    card, chair = judgement.action, judgement.chair
    assert isinstance(card, Card)
    assert chair is not None
    best = max(truth.values()) if chair.declaring else min(truth.values())
    cost = abs(best - truth[card])
    luck = None
    if cost and judgement.verdict.right:
        luck = Luck.BAD
    elif not cost and judgement.verdict.wrong:
        luck = Luck.LUCKY
    reason = judgement.reason
    if luck is not None and values is not None:
        better = min(
            (c for c, tricks in truth.items() if tricks == best),
            key=lambda c: next(o.loss for o in judgement.options if o.action == c),
        )
        key = values.key(better, card, hands) if luck is Luck.BAD else None
        contract = values.view.contract
        assert contract is not None
        reason += wording.card_luck(luck, cost, better, key, contract, names)
    options = tuple(
        replace(one, actual=float(truth[one.action]))
        for one in judgement.options
        if isinstance(one.action, Card)
    )
    return replace(
        judgement,
        options=options,
        luck=luck,
        cost=cost,
        double_dummy=best,
        reason=reason,
    )
