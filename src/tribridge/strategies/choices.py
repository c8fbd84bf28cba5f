"""The choices worth naming in a view, best first: the one mind of bots, hints, advice and reviews.

Choices are valued as in a review: cards over layouts (`learned.valuing`), calls by the auctions
that they lead to. `learned` is asked first, but nobody is advised against the numbers. A call that
is ahead of its call by `CLEAR` standard errors of the difference is suggested in its place, and the
best one if its bid is worth less than a pass. So is a card that is ahead of its card by more than
its error and by `_ROUGH`, or by less if as many experts would play it. Where the estimates put
something else ahead nevertheless, that is said. Of cards that are about equally good, those that
can be explained are named. What can be said for a call is what the advice (`advice.calls`)
forecasts of the contract.

Cards of one hand that are equal in play are one option, under the card that is usually played. A
card of dummy's or declarer's between two cards of the other hand tells them apart: it decides which
hand wins.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge.advice.holdings import because
from tribridge.cards.cards import FULL_DECK, Card, Suit
from tribridge.common.errors import IllegalActionError
from tribridge.common.sentences import Sentence, Words, decimal, joined, words
from tribridge.forecast.distribution import percent
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Bid, Call, said
from tribridge.game.position import Position
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.game.table import Action
from tribridge.game.views import View
from tribridge.strategies.human import (
    HumanPlayer,
    Popular,
    expected_shares,
    experts_say,
    shares,
    together,
)
from tribridge.strategies.players.sure import sure_cards
from tribridge.strategies.protocol import (
    Choice,
    Option,
    Strategy,
    actions_made,
    decision_rng,
    guarded,
    position_of,
)
from tribridge.strategies.reasons import certain, groups, reason_for
from tribridge.strategies.registry import bidding_for, find_strategy

if TYPE_CHECKING:
    from tribridge.advice.calls import Advice
    from tribridge.strategies.learned.auctions import AsContract, CallValues, Contracts

F64 = NDArray[np.float64]

STRATEGY: Final = "learned"
"""Whose choice is the best option."""
_PREFERRED: Final = 3
"""Calls that are valued since the bidding network prefers them."""
_ADVISED: Final = 2
"""Bids that are valued since the advice prefers them."""
_SHOWN: Final = 4
"""Bids that a hint names."""
_HOPELESS: Final = 0.1
"""The chance of making from which a bid is named; the suggestion is in any case.

Set by judgement, on no data."""
_CARDS: Final = 4
_POPULAR: Final = 0.1
"""The share of experts with which a card is named whatever is said of it."""
_RARE: Final = 0.01
"""The share below which a card for which nothing can be said is not named."""
_ALIKE: Final = 0.05
"""Cards that differ by no more than this share of what is at stake count as equally good."""
_ROUGH: Final = 0.1
"""The values of two equally good cards differ by up to this share of what is at stake."""
_TEN: Final = 4
AVERAGES: Final = (
    "Against strong players, {call} averages {own} points per opponent, {best} {value}."
)
_LONG_SHOT: Final = 0.25
_LIKELY: Final = 0.5
"""The chance from which a thing is more likely than not."""
_PASSES: Final = (
    words("Nobody has bid yet: a pass commits to nothing."),
    words("The second pass: if the next player passes too, nobody scores."),
    words("The third pass: the deal is over, and nobody scores."),
)
"""What a pass means while nobody has bid, after as many passes."""
_PUT_AHEAD: Final = words("The estimate puts another card ahead, but within its error.")
_PREFERRED_BY_EXPERTS: Final = words(
    "More experts would play it; the estimate puts another card ahead, but within its error."
)
CLEAR: Final = 2.0
"""Standard errors from which a difference is more than chance."""
_OFTEN: Final = 0.25
"""The share of auctions from which the others may bid on; from `_LIKELY` they are likely to."""


def options(view: View) -> tuple[Option, ...]:
    """The choices worth naming of the seat whose turn it is, best first; none for other seats.

    On a deck that is not full there is one option, without a value.
    """
    if not view.legal or view.seat is None:
        return ()
    choice = strategy_for(view).choose(view, _rng(view))
    if view.contract is None:
        if view.deck != FULL_DECK:
            return (Option(choice.action, choice.reason),)
        return _valued(view, advice_on(view), choice, suggested=True).options()
    if view.deck != FULL_DECK or len(view.legal) == 1:
        return (Option(choice.action, choice.reason),)
    return _card_options(view, choice)


def strategy_for(view: View) -> Strategy:
    """The strategy that is asked, bidding for the scheme of the table."""
    return bidding_for(find_strategy(STRATEGY), None if view.rubber else view.scheme)


def _rng(view: View) -> np.random.Generator:
    if view.seat is None or view.turn is not view.seat:
        raise IllegalActionError(f"there is nothing to choose here: it is {view.turn}'s turn")
    return decision_rng(1, 0, view.seat, actions_made(view))


# Calls


def advice_on(view: View) -> Advice:
    """The advice on a call; in a rubber, its laws replace the scheme and its standing counts."""
    from tribridge.advice.calls import DEFENCE, advise

    return advise(
        view.dealt, None, view.auction, scheme=_scheme(view), defence=DEFENCE,
        rubber=view.rubber, vulnerable=view.vulnerable,
    )  # fmt: skip


def _scheme(view: View) -> Scheme:
    return view.scheme or find_scheme("auction")


def named_calls(view: View, advice: Advice, *first: Call) -> list[Call]:
    """The calls that hints and reviews value, after some that are asked about.

    These are a pass, doubles, the bids that the network prefers, and those that the advice for the
    hand does, which values a bid as if it became the contract.
    """
    from tribridge.strategies.learned.auctions import game_of, preferred

    marks = [mark for mark in view.legal_calls if mark in (DOUBLE, REDOUBLE)]
    wished = preferred(view, game_of(view, _scheme(view)), _PREFERRED)
    bids = sorted(advice.sufficient, key=lambda bid: -advice.bids[bid].expected)[:_ADVISED]
    return list(dict.fromkeys([*first, PASS, *marks, *wished, *bids]))


def valued_calls(view: View, advice: Advice) -> ValuedCalls:
    """The calls worth naming, from the advice on a view, after the one that is suggested."""
    choice = strategy_for(view).choose(view, _rng(view))
    return _valued(view, advice, choice, suggested=True)


def _valued(view: View, advice: Advice, choice: Choice, *, suggested: bool) -> ValuedCalls:
    """The calls worth naming after a choice; if one is `suggested`, after the best."""
    from tribridge.strategies.learned.auctions import LAYOUTS, game_of, value_calls

    assert not isinstance(choice.action, Card)
    calls = named_calls(view, advice, choice.action)
    rng = np.random.default_rng(int(_rng(view).integers(1 << 31)))
    values = value_calls(view, calls, game_of(view, _scheme(view)), LAYOUTS, rng)
    means = dict(zip(values.calls, values.points.mean(0).tolist(), strict=True))
    first = choice.action
    if suggested:
        less_than_a_pass = round(means[first]) < round(means[PASS])
        first = values.best if less_than_a_pass else values.clearly_better(first, CLEAR)
    calls.sort(key=lambda call: (call != first, -means[call]))
    return ValuedCalls.of(view, {call: means[call] for call in calls}, values)


def explained(strategy: Strategy, view: View, choice: Choice) -> Choice:
    """The choice of a strategy, a call with the reason that the options give for it.

    Where a caller does not choose as the options do, its own reason stands. A strategy that plays
    thousands of deals has no time for forecasts: so this is for those who read the reason.
    """
    if view.contract is not None or view.deck != FULL_DECK or isinstance(choice.action, Card):
        return choice
    if strategy.caller != strategy_for(view).caller:
        return choice
    valued = _valued(view, advice_on(view), choice, suggested=False)
    return replace(choice, reason=valued.options()[0].reason)


def why(strategy: Strategy, view: View, action: Action, rng: np.random.Generator) -> Why:
    """Why a strategy made a call or played a card: it is asked again, with the numbers it had then.

    Where it chooses as the options do, they say why, and what the next best would have brought.
    """
    choice, mind, calling = guarded(strategy, view, rng), strategy_for(view), view.contract is None
    if choice.action != action:
        return Why(said_for(view, action), own=False)
    alike = strategy.caller == mind.caller if calling else strategy.player == mind.player
    if view.deck != FULL_DECK or len(view.legal) == 1:
        return Why((choice.reason,))
    if alike:
        return Why(said_for(view, action) or (choice.reason,))
    if isinstance(action, Card) and isinstance(strategy.player, HumanPlayer):
        share = experts_say(_value_cards(view).popular, action)
        return Why((choice.reason, *([] if share is None else [Words(share)])))
    return Why((choice.reason,))


@dataclass(frozen=True, slots=True)
class Why:
    """Sentences about a call or a card."""

    reasons: tuple[str, ...]
    own: bool = True
    """Whether they are the reasons of whoever chose it, who would choose the same again."""


def said_for(view: View, action: Action) -> tuple[str, ...]:
    """What the options say for a call or a card: nothing, if they do not name it.

    The best is compared with the next one.
    """
    named = options(view)
    own = next((option for option in named if action in (option.action, *option.same)), None)
    if own is None or not own.reason:
        return ()
    if own is not named[0] or len(named) < 2:
        return (own.reason,)
    ahead = put_ahead(named[:2])
    return (own.reason, *_compared(*named[:2]), *([] if ahead is None else [ahead]))


def _compared(own: Option, other: Option) -> tuple[Words, ...]:
    """What two options bring on average, if that tells them apart."""
    if own.value is None or other.value is None:
        return ()
    if isinstance(own.action, Card):
        tricks = decimal(own.tricks or 0.0), decimal(other.tricks or 0.0)
        if str(tricks[0]) == str(tricks[1]):
            return ()
        fields = {"card": own.action, "own": tricks[0], "best": other.action, "value": tricks[1]}
        sentence = "With {card} its side wins {own} tricks on average, with {best} {value}."
        return (words(sentence, **fields),)
    points = decimal(own.value, "+"), decimal(other.value, "+")
    if str(points[0]) == str(points[1]):
        return ()
    first, second = _call(own.action), said(other.action)
    return (words(AVERAGES, call=first, own=points[0], best=second, value=points[1]),)


@dataclass(frozen=True, slots=True)
class ValuedCalls:
    """Calls beside each other, each with the auctions that it leads to and as the contract."""

    view: View
    points: Mapping[Call, float]
    """What calls bring: that of the choice first, the others by points."""
    values: CallValues
    contracts: Contracts
    """What they, or other calls, lead to if all others pass."""

    @classmethod
    def of(cls, view: View, points: Mapping[Call, float], values: CallValues) -> ValuedCalls:
        """The same with what they would be as contracts."""
        from tribridge.strategies.learned.auctions import Contracts, game_of

        contracts = Contracts(view, game_of(view, _scheme(view)), values.hands)
        return cls(view, points, values, contracts)

    def options(self) -> tuple[Option, ...]:
        """The choice, a pass, doubles and the best bids."""
        chosen = next(iter(self.points))
        bids = [
            call
            for call in self.points
            if isinstance(call, Bid)
            and (call == chosen or (self._chance(call) or 0.0) >= _HOPELESS)
        ][:_SHOWN]
        first, *others = [
            Option(call, self.reason(call), points, self._chance(call))
            for call, points in self.points.items()
            if call in bids or not isinstance(call, Bid)
        ]
        if (also := self._as_good(others)) is not None:
            first = replace(first, reason=joined(" ", (first.reason, also)))
        return first, *others

    def _as_good(self, others: Sequence[Option]) -> Words | None:
        """Which other calls the numbers do not tell apart from the choice, or put ahead of it."""
        points, first = self._rounded(), next(iter(self.points))
        level = [
            _words(call)
            for call, worth in points.items()
            if call in [other.action for other in others]
            and worth >= points[first]
            and not (PASS in (call, first) and worth == points[first])  # that has been said
            and self.points[call] - self.points[first] <= CLEAR * self.values.error(call, first)
        ]
        if not level:
            return None
        calls = joined(", ", level)
        return words("About as good, within the error of the estimate: {calls}.", calls=calls)

    def _chance(self, call: Call) -> float | None:
        """How often the contract makes to which a call leads if all others pass."""
        contract = self.contracts.of(call)
        return None if contract is None else contract.prospect.chance

    def reason(self, call: Call) -> Words:
        """What speaks for a call, what it may bring, and whether the others bid on."""
        parts = [self._chance_said(call), self._what_follows(call)]
        if isinstance(call, Bid):
            parts.insert(0, words("{held}.", held=because(self.view.dealt, call).text))
        return joined(" ", filter(None, parts))

    def _chance_said(self, call: Call) -> Words:
        """How often the contract of a call makes, beside a pass."""
        auction = self.view.auction
        standing, contract = auction.last_bid, self.contracts.of(call)
        if contract is None:
            return _PASSES[len(auction.calls)]
        if isinstance(call, Bid):
            return self._bid_said(call, contract)
        against, chance = auction.bidder is not auction.turn, contract.prospect.chance or 0.0
        assert auction.bidder is not None
        whose = {"name": Sentence(str(auction.bidder)), "bid": _call(standing)}
        fields = {"contract": words("{name}'s {bid}", **whose), "chance": percent(chance)}
        if call is not PASS:
            return words(
                "{contract} makes {chance}% of the time, and there is twice as much at stake.",
                **fields,
            )
        points = self._rounded()
        others = [worth for one, worth in points.items() if one is not PASS]
        first = next(iter(points))
        beaten = points[PASS] < max(others, default=points[PASS] + 1)
        if not against or beaten or points[first] < points[PASS]:
            return words("{contract} makes {chance}% of the time.", **fields)
        if isinstance(first, Bid) and points[first] == points[PASS]:
            makes = self._chance(first) or 0.0
            if makes < _LIKELY:
                return words(
                    "{contract} makes {chance}% of the time: a pass is about as good on average as "
                    "{call}, which makes {other}%.",
                    call=_call(first),
                    other=percent(makes),
                    **fields,
                )
            return words(
                "{contract} makes {chance}% of the time: a pass is about as good as {call}.",
                call=_call(first),
                **fields,
            )
        if chance >= _LIKELY:
            return words(
                "{contract} makes {chance}% of the time, but no other call is worth more.", **fields
            )
        return words("{contract} makes {chance}% of the time.", **fields)

    def _bid_said(self, call: Bid, contract: AsContract) -> Words:
        auction, passing = self.view.auction, self.contracts.of(PASS)
        standing, points = auction.last_bid, self._rounded()
        own, chance = contract.prospect, contract.prospect.chance or 0.0
        fields = {"chance": percent(chance)}
        if passing is not None and auction.bidder is auction.turn:
            return words(
                "Makes {chance}% of the time; {bid}, which is doubled, makes {other}%.",
                bid=_call(standing),
                other=percent(passing.prospect.chance or 0.0),
                **fields,
            )
        gain, bluff = points[call] - points[PASS], self.values.bid_on(call) >= _LIKELY
        if standing is None and chance < _LIKELY and bluff:
            return words("A bluff: as the contract it makes only {chance}% of the time.", **fields)
        equal = passing is not None and gain == 0
        if equal and (chance >= _LONG_SHOT or call == next(iter(points))):
            if chance < _LIKELY:
                return words(
                    "About as good as a pass on average, but it makes only {chance}% of the time.",
                    **fields,
                )
            return words("Makes {chance}% of the time: about as good as a pass.", **fields)
        cheaper = passing is not None and passing.prospect.expected < own.expected < 0
        if gain > 0 and cheaper and chance < _LIKELY:
            return words(
                "Makes {chance}% of the time, but loses less than defending {bid}.",
                bid=_call(standing),
                **fields,
            )
        if chance < _LONG_SHOT and gain > 0:
            return words("Makes only {chance}% of the time, but brings more than a pass.", **fields)
        if chance < _LONG_SHOT:
            return words("Makes only {chance}% of the time: a long shot.", **fields)
        return words(
            "Makes {chance}% of the time: {tricks} tricks on average.",
            tricks=decimal(contract.tricks),
            **fields,
        )

    def _rounded(self) -> dict[Call, int]:
        """The points as they are shown."""
        return {call: round(worth) for call, worth in self.points.items()}

    def _what_follows(self, call: Call) -> Words | None:
        """That the others may bid on: the points count that, the chance does not."""
        auction, chance = self.view.auction, self._chance(call)
        if chance is None:
            return None
        best = isinstance(call, Bid) and self.points[call] >= self.points[PASS]
        least = _OFTEN if best and chance < _LIKELY else _LIKELY
        pushed = self.values.pushed(call)
        if isinstance(call, Bid) and auction.bidder not in (None, auction.turn) and pushed >= least:
            return words(
                "It pushes strong players to a higher level {share}% of the time.",
                share=percent(pushed),
            )
        share = self.values.bid_on(call)
        if share < least:
            return None
        return words("Strong players bid on {share}% of the time.", share=percent(share))


def _words(call: Call) -> str:
    named = said(call)
    return Words(named) if isinstance(named, Sentence) else named


def _call(call: Call | None) -> str | Sentence:
    assert call is not None
    return said(call)


# Cards


def _card_options(view: View, choice: Choice) -> tuple[Option, ...]:
    from tribridge.strategies.learned.player import UNEXPLAINED

    position, card, valued = position_of(view), choice.action, _value_cards(view)
    assert isinstance(card, Card)
    sure, worth = sure_cards(position), valued.worth
    shown = {_shown(position, group, card): group for group in groups(position)}
    shares_of = {each: share for equal, share in valued.popular for each in equal}
    first = _suggested(card, shown, valued, shares_of)
    cards = sorted(shown, key=lambda each: (each != first, -worth[each].points))
    named = []
    for each in cards:
        reason = reason_for(position, each)
        if each == card and choice.reason != UNEXPLAINED:
            reason = choice.reason  # type: ignore[assignment]
        elif each in sure and card not in sure:
            reason = certain(position, each)
        same = tuple(other for other in shown[each] if other != each)
        named.append(Option(each, reason or "", *worth[each], shares_of[each], same))
    others = _explained_first(named[1:], _ALIKE * valued.stake)
    return tuple(
        option if option.reason else replace(option, reason=_without_rule(option, named[0]))
        for option in _in_order(_told_apart([named[0], *others])[:_CARDS])
    )


def _suggested(
    own: Card, cards: Iterable[Card], valued: ValuedCards, shares_of: Mapping[Card, float]
) -> Card:
    """The card that a hint suggests where a strategy plays its own."""
    ahead = sorted(cards, key=lambda each: (valued.worth[each].order(), each == own), reverse=True)
    return next(
        each
        for each in ahead
        if each == own or shares_of[each] >= shares_of[own] or valued.clearly_ahead(each, own)
    )


class CardWorth(NamedTuple):
    """What a card brings on average."""

    points: float
    chance: float
    """The chance that the contract makes."""
    tricks: float
    """Of the player's side."""

    def shown(self) -> tuple[int, str, str]:
        """The same as it is written beside the card."""
        return round(self.points), f"{self.tricks:.1f}", percent(self.chance)

    def order(self) -> tuple[int, int]:
        """By points, then by tricks, as far as they are shown."""
        return round(self.points), round(10 * self.tricks)


@dataclass(frozen=True, slots=True)
class ValuedCards:
    """The legal cards of a view, valued as in a review."""

    worth: Mapping[Card, CardWorth]
    stake: float
    """What is at stake, in the points of these values."""
    popular: Sequence[Popular]
    points: Mapping[Card, F64]
    """What each brings, by layout."""
    weights: F64
    """The weights of the layouts; they add up to 1."""

    def clearly_ahead(self, card: Card, other: Card) -> bool:
        """Whether a card is ahead of another one on the same layouts by more than its error."""
        gains = self.points[card] - self.points[other]
        mean = float(self.weights @ gains)
        error = math.sqrt(float(self.weights**2 @ (gains - mean) ** 2))
        return mean > max(CLEAR * error, _ROUGH * self.stake)


def _value_cards(view: View) -> ValuedCards:
    from tribridge.strategies.learned.valuing import LAYOUTS, value_legal_cards

    position, contract = position_of(view), view.contract
    assert contract is not None
    valued = value_legal_cards(view, LAYOUTS, _rng(view), solve_endings=True)
    valued = valued.proved(position, sure_cards(position))
    # What declarer wins from each defender a defender loses to one of two opponents.
    stakes = np.array(view.stakes(contract)) * (1 if position.declaring else -1 / 2)
    worth = {}
    for each, ends in zip(valued.cards, valued.means(), strict=True):
        tricks, made = float(ends @ np.arange(len(ends))), float(ends[position.needed :].sum())
        won = tricks if position.declaring else view.deck.hand_size - tricks
        worth[each] = CardWorth(float(ends @ stakes), min(1.0, made), won)
    stake = abs(float(stakes[position.needed] - stakes[position.needed - 1]))
    most = max(one.points for one in worth.values())
    losses = {card: (most - one.points) / stake for card, one in worth.items()}
    popular = together(position, expected_shares(shares(view), losses))
    points = dict(zip(valued.cards, (valued.chances @ stakes).T, strict=True))
    return ValuedCards(worth, stake, popular, points, valued.weights / valued.weights.sum())


def put_ahead(options: Sequence[Option]) -> Words | None:
    """What to say where the numbers put another card ahead of the first, which is suggested."""
    if not options or not isinstance(options[0].action, Card):
        return None
    shown = {
        option: CardWorth(option.value, option.chance or 0.0, option.tricks or 0.0).order()
        for option in options
        if option.value is not None
    }
    first = options[0]
    ahead = [option for option, worth in shown.items() if worth > shown[first]]
    if not ahead:
        return None
    preferred = all((first.share or 0.0) > (option.share or 0.0) for option in ahead)
    return _PREFERRED_BY_EXPERTS if preferred else _PUT_AHEAD


def _without_rule(option: Option, best: Option) -> str:
    """What there is to say for a card for which no rule speaks; nothing, if there is nothing."""
    if option is not best and _shown_worth(option) == _shown_worth(best):
        return words("As good as {card} on average.", card=best.action)
    if (option.share or 0.0) >= _LIKELY:
        return words("Most experts would play it.")
    if (option.share or 0.0) >= _POPULAR:
        return words("Some experts would play it.")
    return ""


def _shown_worth(option: Option) -> tuple[int, str, str]:
    """What a card brings, as it is written beside it."""
    return CardWorth(option.value or 0.0, option.chance or 0.0, option.tricks or 0.0).shown()


def _told_apart(options: Sequence[Option]) -> list[Option]:
    """The first option, and those that say something else about a suit or have many experts.

    Of cards without a reason, those that hardly any expert would play are not worth naming.
    """
    named, told = list[Option](), set[tuple[Suit, str]]()
    for option in options:
        assert isinstance(option.action, Card)
        said, share = (option.action.suit, option.reason), option.share or 0.0
        telling = said not in told if option.reason else share >= _RARE
        if not named or telling or share >= _POPULAR:
            named.append(option)
        told.add(said)
    return named


def _shown(position: Position, equal: list[Card], choice: Card) -> Card:
    """The card that stands for some that are equal in play: an honour is led from the top."""
    if choice in equal:
        return choice
    led_high = not position.trick and equal[0].column <= _TEN
    return equal[0] if led_high else equal[-1]


def _explained_first(options: Sequence[Option], margin: float) -> list[Option]:
    """Options by value, of those within a margin of each other the explained ones first."""
    left, ordered = list(options), list[Option]()
    while left:
        least = (left[0].value or 0.0) - margin
        level = [option for option in left if (option.value or 0.0) >= least]
        ordered.append(next((option for option in level if option.reason), left[0]))
        left.remove(ordered[-1])
    return ordered


def _in_order(options: Sequence[Option]) -> list[Option]:
    """Options by value after the first one; those that bring the same as it is shown together."""
    left, ordered = list(options), list[Option]()
    left[1:] = sorted(left[1:], key=lambda option: -(option.value or 0.0))
    while left:
        shown = _shown_worth(left[0])
        ordered += [option for option in left if _shown_worth(option) == shown]
        left = [option for option in left if _shown_worth(option) != shown]
    return ordered
