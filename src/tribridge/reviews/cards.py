"""Cards: what each legal card is worth over the layouts that its player could imagine.

Layouts are drawn by the beliefs of the network of `learned`, which has heard the calls and seen the
plays so far, and a card is worth what strong players would make of the position after it
(`networks.values`). Endings, which the network does not know exactly, are also solved double dummy.
A small deck has no network: there, layouts are drawn and valued as `sampling` does, by the mean of
double dummy and of playouts by the maxims.

What counts are the points of the contract at the table, by its scheme or
the standing of its rubber. The grades are shares of what is at stake: the difference between making
the contract and going one down. So they mean the same under every scheme, and a card that lets a
contract make one time in five is a mistake whatever else happens to the tricks. So is one that
gives up a contract, or a set, which another card is certain to bring. A card that half of the
experts would play (`strategies.human`) is blamed only if it is clearly a mistake: if the values and
the experts differ by less, the values may be wrong. Where most of them would play a better card,
both say the same: then luck is not to blame, and a loss beyond its error is no small matter.

Everything here is computed from a view; only `settle_card` is given the actual hands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK, Card, cards_of
from tribridge.game.position import NO_TRUMP, Position
from tribridge.game.tricks import CHAIRS, Chair, Hands
from tribridge.game.views import View
from tribridge.reviews import wording
from tribridge.reviews.values import EQUAL, ERRORS, Judgement, Key, Luck, Option, Verdict, better
from tribridge.strategies.human import Popular, expected_shares, shares, together
from tribridge.strategies.learned.player import LearnedPlayer
from tribridge.strategies.learned.valuing import value_legal_cards
from tribridge.strategies.players.maxims.player import pick
from tribridge.strategies.players.search.evaluation import Clock, Values, value_layouts
from tribridge.strategies.players.search.sampling import draw, trick_table
from tribridge.strategies.players.suits import apart, masters
from tribridge.strategies.players.sure import sure_cards
from tribridge.strategies.protocol import position_of
from tribridge.strategies.reasons import gives_away, reason_for

F64 = NDArray[np.float64]

SMALL: Final = 0.1
LARGE: Final = 0.2
"""The least loss of an inaccuracy and of a mistake, as a share of what is at stake.

The network's values of two equally good cards differ by up to a tenth."""
_SURE: Final = 0.97
"""The chance from which the network is taken to be sure that a contract is made, or set."""
_FACTOR: Final = 0.7
"""What a play that departs from the maxims counts for, as in `sampling`."""
_PLAYOUT: Final = 0.5
_HALF: Final = 0.5
"""The share of experts who would play a card, with those equal to it, that need a clear loss.

If as many would play a better one, a card is not called unlucky. Set by judgement, on no data."""
_MOST: Final = 0.75
"""The share of experts for a better card from which a loss counts that is beyond its error.

Set by judgement, on no data."""
_HONOURS: Final = 5
_LEAST: Final = 0.35
"""The weakest correlation that is worth a mention."""
_MORE: Final = 0.1
"""How much more a card gains where the key card lies than elsewhere, of its mean gain.

With less, naming that card would explain nothing. Set by judgement, on no data."""
_SIGNIFICANT: Final = 2.8
"""How many standard errors a correlation must be from 0 in a sample of layouts."""


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
    made: F64
    """The chance that the contract is made, by layout and card."""
    tricks: F64
    """Declarer's tricks, likewise."""
    points: F64
    """Declarer's points, likewise."""
    stake: float
    """What making the contract earns over going one down, in points."""
    network: Mapping[Card, float] = field(default_factory=dict)
    """The share of experts who would play each card, by their network; empty if it is not known."""

    @property
    def sign(self) -> int:
        """1 if more tricks are better for the player, -1 for a defender."""
        return 1 if position_of(self.view).declaring else -1

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The cards, best first."""
        return self.ranked(self.cards[int(np.argmax(self.sign * (self.share @ self.points)))])

    def ranked(self, best: Card) -> tuple[Option, ...]:
        """The cards by their points after the one that is taken to be best."""
        first, means = self.cards.index(best), self.sign * (self.share @ self.points)
        order = sorted(range(len(self.cards)), key=lambda at: (at != first, -means[at], at))
        return tuple(
            Option(
                self.cards[at],
                *self._worth(self.tricks, first, at, 1.0),
                *self._worth(self.points, first, at, self.stake),
            )
            for at in order
        )

    def given_up(self, card: Card) -> Card | None:
        """A card that was certain to decide the contract, if another one gives that up for nothing.

        The values may show that nothing is given up: in all layouts, or for declarer, who sees
        what the side holds, in those that were drawn.
        """
        position, sure = position_of(self.view), certain(position_of(self.view), card)
        best = next((option.action for option in self.options if option.action in sure), None)
        if not isinstance(best, Card):
            return None
        made = self.made[:, self.cards.index(card)]
        success = made if position.declaring else 1 - made
        if (position.declaring or self.whole) and (success > _SURE).all():
            return None
        gain = next(option for option in self.ranked(card) if option.action == best)
        least = max(ERRORS * gain.points_error, SMALL * self.stake)
        return None if gain.points_loss > least + 1e-9 else best

    def _worth(self, values: F64, best: int, at: int, unit: float) -> tuple[float, float, float]:
        """The mean of a card, its loss to the best card, and the standard error of the loss.

        A sample in which all layouts agree does not prove that all others do: one more layout is
        counted, a unit away from the mean.
        """
        gains = self.sign * (values[:, best] - values[:, at])
        mean, loss, error = float(self.share @ values[:, at]), float(self.share @ gains), 0.0
        if gains.any() and not self.whole:
            count = max(2.0, effective(self.share))
            squares = count * float(self.share @ (gains - loss) ** 2)
            error = float(np.sqrt((squares + unit**2) / (count * (count - 1))))
        return mean, loss if loss >= EQUAL * unit else 0.0, error

    @cached_property
    def expert_shares(self) -> dict[Card, float]:
        """The share of experts expected to play each card, which are not worth the same."""
        means = self.sign * (self.share @ self.points)
        losses = ((means.max() - means) / self.stake).tolist()
        known = {card: self.network[card] for card in self.cards if card in self.network}
        return expected_shares(known, dict(zip(self.cards, losses, strict=True)))

    @property
    def popular(self) -> list[Popular]:
        """Cards that are equal in play, with the share of experts for them, the largest first."""
        return together(position_of(self.view), self.expert_shares)

    def share_of_better(self, card: Card) -> float:
        """The share of experts who would play the same better card than one."""
        losses = {option.action: option.points_loss for option in self.options}
        better = (
            share
            for cards, share in self.popular
            if card not in cards and min(losses[each] for each in cards) < losses[card]
        )
        return max(better, default=0.0)

    def avoided(self, card: Card) -> bool:
        """Whether most experts would play the same better card than one."""
        return self.share_of_better(card) >= _MOST

    def key(self, better: Card, worse: Card, actual: Hands | None = None) -> Key | None:
        """What decides between two cards; with the actual hands, what really did."""
        own = self.view.own_chair
        assert own is not None
        values = self.points if actual is None else self.tricks
        first, second = (values[:, self.cards.index(card)] for card in (better, worse))
        return key_card(
            self.layouts,
            self.share,
            self.sign * (first - second),
            position_of(self.view).hidden,
            hidden=[chair for chair in CHAIRS if chair not in (own, Chair.DUMMY)],
            whole=self.whole,
            actual=actual,
        )


def value_cards(
    view: View, layouts: int, rng: Generator, *, solve_endings: bool = False
) -> CardValues:
    """The value of each legal card over `layouts` layouts, or over all if there are fewer.

    With `solve_endings`, fewer are drawn near the end, and double dummy has a say in them.
    """
    if view.deck != FULL_DECK:
        return solve_cards(view, layouts, rng)
    position, contract = position_of(view), view.contract
    assert contract is not None
    valued = value_legal_cards(view, layouts, rng, solve_endings=solve_endings)
    chances = valued.proved(position, sure_cards(position)).chances
    stakes = np.array(view.stakes(contract))
    return CardValues(
        view,
        [(a, b, c, d) for a, b, c, d in valued.hands.tolist()],
        valued.weights / valued.weights.sum(),
        valued.whole,
        valued.cards,
        chances[..., position.needed :].sum(-1),
        chances @ np.arange(len(stakes)),
        chances @ stakes,
        float(stakes[position.needed] - stakes[position.needed - 1]),
        shares(view) if len(valued.cards) > 1 else {},
    )


def solve_cards(view: View, layouts: int, rng: Generator) -> CardValues:
    """The same by double dummy and playouts: for any deck, and much slower."""
    drawn = draw(view, layouts, _FACTOR, calls=True, clock=Clock(None), rng=rng)
    return solve_layouts(view, drawn.hands, drawn.weights, whole=drawn.whole)


def solve_layouts(
    view: View, hands: list[Hands], weights: F64, *, whole: bool, played_out: bool = True
) -> CardValues:
    """The values of the cards on some layouts, by double dummy, with or without playouts."""
    clock = Clock(None)  # the result must not depend on the machine
    position, contract = position_of(view), view.contract
    assert contract is not None
    solved = value_layouts(position, view.deck, hands, clock, played_out=played_out)
    cards = tuple(sorted(solved[0].values, key=lambda card: card.index))
    exact = trick_table([layout.values for layout in solved], cards)
    played = trick_table([layout.played_out or layout.values for layout in solved], cards)
    stakes = np.array(view.stakes(contract))
    return CardValues(
        view,
        hands,
        weights / weights.sum(),
        whole,
        cards,
        (exact >= position.needed).astype(np.float64),
        (1 - _PLAYOUT) * exact + _PLAYOUT * played,
        (1 - _PLAYOUT) * stakes[exact] + _PLAYOUT * stakes[played],
        float(stakes[position.needed] - stakes[position.needed - 1]),
    )


def certain(position: Position, card: Card) -> list[Card]:
    """The cards that are sure to decide the contract, if another one is not as good as they are.

    It is if it is equal to one of them, or if a defender's trumps are bound to take the tricks.
    """
    trumps = 0 if position.trump == NO_TRUMP else position.row(position.mine, position.trump)
    out = position.unseen | position.dummy | sum(played.bit for played in position.trick)
    others = position.row(out, position.trump) if trumps else 0
    if not position.declaring and masters(trumps, others).bit_count() >= position.to_defeat:
        return []
    sure = sure_cards(position)
    return [] if any(len(apart(position, {card, other})) == 1 for other in sure) else sure


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
    values: CardValues,
    opinion: Card | None,
    names: wording.Names,
) -> Judgement:
    """The verdict on a card, from its player's view alone."""
    assert view.seat is not None
    sure = values.given_up(card)
    options = values.options if sure is None else values.ranked(sure)
    chosen = next(option for option in options if option.action == card)
    verdict = chosen.verdict(SMALL * values.stake, LARGE * values.stake)
    popular = values.popular
    half = any(card in cards and share >= _HALF for cards, share in popular)
    excused = half and verdict.wrong and not chosen.clearly_loses(LARGE * values.stake)
    avoided = values.avoided(card)
    if sure is not None:
        verdict, excused = Verdict.MISTAKE, False
    elif verdict.right and not chosen.within_error and avoided:
        verdict = Verdict.INACCURACY
    elif excused or (
        verdict is Verdict.INACCURACY and not avoided and _led_by_the_book(view, card)
    ):
        verdict = Verdict.GOOD
    if verdict.wrong and sure is None and opinion is not None and not values.avoided(opinion):
        options = better(options, opinion, SMALL * values.stake, LARGE * values.stake)
    judgement = Judgement(
        number=number,
        seat=view.seat,
        chair=view.chair,
        action=card,
        options=tuple(
            replace(option, share=values.expert_shares.get(option.action))
            for option in options
            if isinstance(option.action, Card)
        ),
        verdict=verdict if len(options) > 1 else Verdict.FORCED,
        expected=(values.options if sure is None else options)[0].expected,
        layouts=len(values.layouts),
        second_opinion=opinion,
    )
    differ = any(option.points_loss > 0 for option in options)
    experts = wording.experts(popular if differ else [], card, excused=excused)
    best = options[0].action
    assert isinstance(best, Card)
    key = values.key(best, card) if verdict.wrong else None
    why = [wording.card_reason(judgement, SMALL * values.stake, key, view.contract, names)]
    if sure is not None:
        why.insert(0, wording.certain(judgement))
    elif differ:
        # In words what speaks for the card, or for a better one alone; then the numbers.
        named, beside = (best, card) if verdict.wrong else (card, None)
        if (reason := reason_for(position_of(view), named, beside)) is not None:
            why.insert(0, wording.said_for(named, reason))
    lost = gives_away(position_of(view), card) if verdict is Verdict.MISTAKE else None
    if lost is not None:
        why.insert(0, wording.said_for(card, lost))
    return replace(judgement, why=(*why, *experts))


def _led_by_the_book(view: View, card: Card) -> bool:
    """Whether a card is the opening lead of the maxims, or equal to it.

    Before dummy is seen the layouts know little more than the books: what they put ahead of such a
    lead by less than a mistake is no better.
    """
    position = position_of(view)
    if view.tricks or position.trick or view.deck != FULL_DECK:
        return False
    return len(apart(position, {card, pick(position)[0]})) == 1


def settle_card(
    judgement: Judgement,
    values: CardValues,
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
        luck = None if values.share_of_better(card) >= _HALF else Luck.BAD
    elif not cost and judgement.verdict.wrong:
        luck = Luck.LUCKY
    options = tuple(
        replace(option, actual=float(truth[option.action]))
        for option in judgement.options
        if isinstance(option.action, Card)
    )
    judgement = replace(judgement, options=options, luck=luck, cost=cost, double_dummy=best)
    why = judgement.why
    if luck is not None or (cost and judgement.verdict.right):
        better = judgement.better_as_it_lay
        other = card if better is None else better.action
        assert isinstance(other, Card)
        key = values.key(other, card, hands) if luck is Luck.BAD else None
        key = None if key is not None and key.chance >= _HALF else key  # no bad luck in itself
        contract = values.view.contract
        assert contract is not None
        why += (wording.card_luck(luck, cost, other, key, contract, names),)
    assert values.view.contract is not None
    stakes = values.view.stakes(values.view.contract)
    return replace(
        judgement,
        points_cost=max(0.0, values.sign * (stakes[best] - stakes[truth[card]])),
        why=why,
    )


def key_card(
    layouts: Sequence[Hands],
    share: F64,
    gains: F64,
    unseen: int,
    *,
    hidden: Sequence[Chair],
    whole: bool,
    actual: Hands | None = None,
) -> Key | None:
    """The unseen honour, in a hand, whose place correlates best with the gains; None if none does.

    None, too, if a card gains about the same wherever the honours lie.

    With the actual hands, only cards that lie where they really were.
    """
    spread, mean = _spread(gains, share), float(share @ gains)
    least = _LEAST if whole else max(_LEAST, _SIGNIFICANT / effective(share) ** 0.5)
    best: tuple[float, Key] | None = None
    if spread <= 1e-12:
        return None
    for chair in hidden:
        held = np.array([hands[chair] for hands in layouts], dtype=np.uint64)
        for card in cards_of(unseen):
            if card.column >= _HONOURS or (actual is not None and not actual[chair] & card.bit):
                continue
            here = (held >> np.uint64(card.index) & np.uint64(1)).astype(np.float64)
            width = _spread(here, share)
            if width <= 1e-12:
                continue
            chance = float(share @ here)
            together = float(share @ ((gains - mean) * (here - chance)))
            if together / width**2 < _MORE * abs(mean):
                continue
            correlation = together / (spread * width)
            if correlation >= least and (best is None or correlation > best[0] + 1e-9):
                best = correlation, Key(card, chair, chance)
    return None if best is None else best[1]


def effective(share: F64) -> float:
    """How many layouts of equal weight would tell as much as these, whose weights add up to 1.

    Examples:
        >>> effective(np.array([0.25, 0.25, 0.25, 0.25])), round(effective(np.array([0.9, 0.1])), 2)
        (4.0, 1.22)
    """
    return 1 / float(share @ share)


def _spread(values: F64, share: F64) -> float:
    return float(np.sqrt(share @ (values - share @ values) ** 2))
