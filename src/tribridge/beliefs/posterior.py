"""The posterior over layouts, and the questions it answers.

`Beliefs` is a view with models of calls and plays. Its `posterior` is a set of layouts with
weights: all layouts if there are few (then every answer is exact), otherwise a uniform sample,
weighted by how likely the hidden players' actions are under the models (self-normalised importance
sampling). Holdings, suit lengths and leading gaps are always exact when no model is given.

With probability `floor` a player is assumed to act without looking: to call as the model would on
average over the layouts, and to play any legal card. So no layout gets weight 0 merely for being
unlikely, however rare the call, and the weights stay bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.beliefs.evidence import evidence_of, hand_at
from tribridge.beliefs.layouts import Layouts
from tribridge.beliefs.models import CallModel, PlayModel, playable
from tribridge.capture.simulation.arrays import pair
from tribridge.cards.cards import HANDS, SUITS, Card, Hand, Strain, Suit
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.cards.masks import F64, ROWS, U64, legal, popcount, suit_mask
from tribridge.common.errors import IllegalActionError, SettingError
from tribridge.forecast.kinds import Forecaster
from tribridge.game.auction import Auction
from tribridge.game.position import Position
from tribridge.game.tricks import Chair, winner
from tribridge.game.views import View, as_seen

FLOOR: Final = 0.1
DRAWS: Final = 2000
LIMIT: Final = 10_000
"""Up to this many layouts, all are used instead of a sample."""
OVERSAMPLE: Final = (10, 40)
"""Layouts weighted for each one returned: at first, and if the effective sample is too small."""
RESPONSES: Final = ("best", "random")
"""How the chairs still to play are assumed to respond; see `Posterior.wins`."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its standard error, which is 0 if the value is exact.

    A sampled value that was the same in every draw also has error 0 but is not exact.

    Examples:
        >>> print(Estimate(0.25), Estimate(0.25, 0.0137, exact=False))
        0.25 0.250 ± 0.014
    """

    value: float
    se: float = 0.0
    exact: bool = True

    def __str__(self) -> str:
        return f"{self.value:.6g}" if self.exact else f"{self.value:.3f} ± {self.se:.3f}"


@dataclass(frozen=True, slots=True)
class Variable:
    """A random whole number: its mean and the chance of each possible value."""

    mean: Estimate
    chances: Mapping[int, Estimate]

    def at_least(self, least: int) -> float:
        """The chance of this value or more."""
        return sum(chance.value for value, chance in self.chances.items() if value >= least)


def counted(counts: Iterable[int]) -> Variable:
    """The exact variable that is 0, 1, 2, ... in these numbers of equally likely cases."""
    times = {value: count for value, count in enumerate(counts) if count}
    total = sum(times.values())
    mean = sum(value * count for value, count in times.items()) / total
    return Variable(Estimate(mean), {value: Estimate(n / total) for value, n in times.items()})


@dataclass(frozen=True, slots=True)
class RowBelief:
    """One suit of the state matrix as random variables: declarer's cards, dummy's, leading gap."""

    suit: Suit
    c1: Variable
    c2: Variable
    leading_gap: Variable


@dataclass(frozen=True)
class Beliefs:
    """What a seat believes: its view, and models of how the others call and play."""

    view: View
    calls: CallModel | None = None
    plays: PlayModel | None = None
    floor: float = FLOOR
    trust: float = 1.0
    """The power of the chances of the calls: below 1, calls say less than the model thinks."""

    def __post_init__(self) -> None:
        if not 0 <= self.floor <= 1:
            raise SettingError(f"the floor must be from 0 to 1, not {self.floor}")
        if not 0 <= self.trust < float("inf"):
            raise SettingError(f"the trust in calls must be 0 or more, not {self.trust}")

    @cached_property
    def layouts(self) -> Layouts:
        """All layouts that fit the hard evidence."""
        return Layouts(evidence_of(self.view))

    @property
    def soft(self) -> bool:
        """Whether a model makes some layouts more likely than others."""
        return self.calls is not None or self.plays is not None

    def posterior(
        self, rng: np.random.Generator, draws: int = DRAWS, limit: int = LIMIT
    ) -> Posterior:
        """All layouts with their weights if there are at most `limit`, else a sample of `draws`."""
        if draws < 2:
            raise SettingError(f"the number of draws must be 2 or more, not {draws}")
        exact = self.layouts.count <= limit
        deals = self.layouts.every(limit) if exact else self.layouts.sample(draws, rng)
        return Posterior(self, deals, self.weights(deals), exact)

    def sample(self, count: int, rng: np.random.Generator) -> U64:
        """Layouts drawn from the posterior: uniformly, or resampled by weight under a model."""
        if not self.soft:
            return self.layouts.sample(count, rng)
        for times in OVERSAMPLE:
            draws = max(2, times * count)
            posterior = self.posterior(rng, draws, limit=draws)
            if posterior.exact or posterior.effective >= count:
                break
        return posterior.sample(count, rng)

    def weights(self, deals: U64) -> F64:
        """The probability of each layout given the calls and plays; they add up to 1."""
        logs = np.zeros(len(deals))
        with np.errstate(divide="ignore"):  # a floor of 0 lets a weight be 0
            for chances in self._likelihoods(deals):
                logs += np.log(chances)
        top = logs.max(initial=-np.inf)
        if top == -np.inf:
            raise SettingError(
                "no layout fits the calls and plays under the models: a floor above 0 "
                "allows for players who do not follow them"
            )
        weights = np.exp(logs - top)
        return np.asarray(weights / weights.sum())

    def _likelihoods(self, deals: U64) -> Iterator[F64]:
        """For each action of a player with hidden cards, its probability in each layout."""
        if self.calls is not None:
            auction = Auction(self.view.dealer, self.view.deck, self.view.auction.doubles)
            for call in self.view.auction.calls:
                seat = auction.turn
                assert seat is not None
                if seat != self.view.seat:
                    chance = self.calls.likelihood(deals[:, seat], seat, auction, call)
                    yield self._mixed(chance, chance.mean() or 1.0) ** self.trust
                auction = auction.apply_unchecked(call)
        if self.plays is not None:
            own = HIDDEN if self.view.seat is None else self.view.seat.index
            for hand, position, card in cards_played(self.view):
                if hand != own:
                    held = deals[:, hand] & np.uint64(position.hidden)
                    chance = self.plays.likelihood(held, position, card)
                    yield self._mixed(chance, 1 / popcount(playable(held, position)))

    def _mixed(self, chance: F64, blind: F64 | float) -> F64:
        """A model's probability, mixed with one that ignores the cards."""
        return np.asarray((1 - self.floor) * chance + self.floor * blind)


def cards_played(view: View) -> Iterator[tuple[int, Position, Card]]:
    """Every card played: the hand of its player, the position before as all see it, the card."""
    play = view.position
    if play is None or view.dummy_dealt is None:
        return
    declarer = play.contract.declarer
    a, b, _, d = play.with_hands((0, 0, 0, 0)).dealt()  # of the others, only what they played
    moment = Position(play.contract, (a, b, view.dummy_dealt.mask, d))
    hidden = view.deck.mask & ~view.dummy_dealt.mask
    for chair, card in play.plays():
        seen = as_seen(moment, view.auction, None, 0, moment.dummy, hidden)
        yield hand_at(Chair.DECLARER if chair is Chair.DUMMY else chair, declarer), seen, card
        moment = moment.apply_unchecked(card)
        hidden &= ~card.bit


@dataclass(frozen=True)
class Posterior:
    """Layouts with weights. Hands are given by seat, by chair, or by number (3: hidden hand)."""

    beliefs: Beliefs
    deals: U64
    """Layouts: (n, 4) in deal order, as dealt."""
    weights: F64
    """They add up to 1."""
    exact: bool
    """Whether these are all the layouts."""

    @property
    def effective(self) -> float:
        """Effective sample size: how many equally weighted layouts would be as precise."""
        return float(1 / np.sum(self.weights**2))

    def sample(self, count: int, rng: np.random.Generator) -> U64:
        """Layouts resampled by weight (systematic resampling, then shuffled)."""
        if count < 0:
            raise SettingError(f"the number of layouts must be 0 or more, not {count}")
        steps = (np.arange(count) + rng.random()) / max(count, 1)
        chosen = np.searchsorted(np.cumsum(self.weights), steps, side="right")
        chosen = np.minimum(chosen, len(self.weights) - 1)
        drawn: U64 = self.deals[rng.permutation(chosen)]
        return drawn

    def mean(self, values: NDArray[Any]) -> Estimate:
        """The expectation of a quantity computed for each of `deals`.

        A single value stands for all layouts: it does not depend on hidden cards and is exact.
        """
        if len(values) == 1:
            return Estimate(float(values[0]))
        # Rounding must not push a probability above 1 or below 0.
        value = float(np.clip(self.weights @ values, values.min(), values.max()))
        if self.exact:
            return Estimate(value)
        spread = float(np.sum((self.weights * (values - value)) ** 2))
        se = (spread * len(values) / (len(values) - 1)) ** 0.5
        return Estimate(value, se, exact=False)

    def variable(self, values: NDArray[Any]) -> Variable:
        """The same for whole numbers, with the chance of each value."""
        distinct = np.unique(values).tolist()
        chances = {int(value): self.mean(values == value) for value in distinct}
        return Variable(self.mean(values), chances)

    def holds(self, who: Seat | Chair | int, card: Card) -> Estimate:
        """The chance that a hand was dealt a card."""
        hand, layouts = self._hand(who), self.beliefs.layouts
        if not self.beliefs.soft or not layouts.evidence.loose & card.bit:
            return Estimate(layouts.holding(hand, card) / layouts.count)
        return self.mean(self.deals[:, hand] >> np.uint64(card.index) & np.uint64(1) != 0)

    def lengths(self, who: Seat | Chair | int, suit: Suit) -> Variable:
        """How many cards of a suit a hand was dealt."""
        hand, evidence = self._hand(who), self.beliefs.layouts.evidence
        if not self.beliefs.soft or not evidence.needs[hand] or not evidence.row(suit.index):
            return counted(self.beliefs.layouts.lengths(hand, suit.index))
        return self.variable(popcount(self.deals[:, hand] & suit_mask(suit.index)))

    def wins(self, card: Card, response: str = RESPONSES[0]) -> Estimate:
        """The chance that a card wins the current trick, played now or already on the table.

        With the response `best`, opponents beat the card if they can, and its own side does not
        unless forced to; with `random`, everyone plays any legal card.
        """
        return self.mean(trick_chances(self.beliefs.view, self.deals, card, response))

    def captures(self, declarer: Seat | None = None) -> Variable:
        """Algorithm 2's T for a declarer and the hidden hand: 0 if a condition fails.

        The declarer is the contract's, or the viewer if there is no contract yet.
        """
        deck = self.beliefs.view.deck
        return self.variable(pair(*self._pair(declarer), deck=deck, budget=deck.book).captures)

    def rows(self, declarer: Seat | None = None) -> tuple[RowBelief, ...]:
        """c1, c2 and the leading gap of each suit of the state matrix."""
        seat = self._declarer(declarer)
        return tuple(
            RowBelief(
                SUITS[suit],
                self.lengths(seat, SUITS[suit]),
                self.lengths(HIDDEN, SUITS[suit]),
                self._leading_gap(seat, suit),
            )
            for suit in range(self.beliefs.view.deck.suits)
        )

    def forecast(
        self, forecaster: Forecaster, declarer: Seat | None = None
    ) -> dict[Strain, Variable]:
        """A forecast's tricks for a declarer and the hidden hand, in every strain."""
        hands, dummies = self._pair(declarer)
        chances = np.asarray(forecaster.from_pair(hands, dummies), dtype=np.float64)
        tricks = np.arange(chances.shape[2])
        return {
            strain: Variable(
                self.mean(chances[:, at] @ tricks),
                {int(n): self.mean(chances[:, at, n]) for n in tricks},
            )
            for at, strain in enumerate(Strain)
        }

    def _leading_gap(self, seat: Seat, suit: int) -> Variable:
        ranks, layouts = self.beliefs.view.deck.ranks, self.beliefs.layouts
        if not self.beliefs.soft:
            # Layouts with a gap of at least g: neither hand has any of the top g cards.
            least = [
                layouts.without((seat.index, HIDDEN), Hand((1 << top) - 1 << 13 * suit))
                for top in range(ranks + 1)
            ]
            return counted(a - b for a, b in zip(least, [*least[1:], 0], strict=True))
        both = self.deals[:, seat] | self.deals[:, HIDDEN]
        row = (both >> np.uint64(13 * suit) & np.uint64(ROWS - 1)).astype(np.int64)
        gap = np.full(len(row), ranks)
        for rank in reversed(range(ranks)):
            gap = np.where(row >> rank & 1, rank, gap)
        return self.variable(gap)

    def _pair(self, declarer: Seat | None) -> tuple[U64, U64]:
        """Declarer's hands and dummies; only one of each if the viewer sees both."""
        seat, needs = self._declarer(declarer), self.beliefs.layouts.evidence.needs
        rows = slice(None) if needs[seat] or needs[HIDDEN] else slice(1)
        return self.deals[rows, seat], self.deals[rows, HIDDEN]

    def _declarer(self, declarer: Seat | None) -> Seat:
        view = self.beliefs.view
        seat = declarer
        if seat is None:
            seat = view.contract.declarer if view.contract is not None else view.seat
        if seat is None:
            raise SettingError("there is no contract yet: a kibitzer must name the declarer")
        return seat

    def _hand(self, who: Seat | Chair | int) -> int:
        if isinstance(who, Chair):
            contract = self.beliefs.view.contract
            if contract is None:
                raise SettingError("there are no chairs until the auction is over")
            return hand_at(who, contract.declarer)
        who = index(who)
        if not 0 <= who < HANDS:
            raise SettingError(f"no hand {who}: expected a seat, a chair, or 3 for the hidden hand")
        return who


def trick_chances(view: View, deals: U64, card: Card, response: str = RESPONSES[0]) -> F64:
    """For each layout, the chance that a card wins the trick: played now, or already on the table.

    The array has a single entry if no hidden hand is still to play, or the card is beaten.
    """
    if response not in RESPONSES:
        raise SettingError(f"unknown response {response!r}: expected {' or '.join(RESPONSES)}")
    play = view.position
    if play is None or play.over:
        raise IllegalActionError(f"{card} cannot win a trick now: no card is due")
    trick, leader, declarer = play.trick, play.leader, play.contract.declarer
    if card not in trick:
        _check_playable(view, play, card)
        trick = (*trick, card)
    trump, led = play.contract.bid.strain.trump, trick[0].suit
    chair = Chair((leader + trick.index(card)) % HANDS)
    chances = np.ones(1)
    if winner(leader, trick, trump) is not chair:
        return np.zeros(1)
    better = np.uint64(_better(card, trump))
    for later in range(len(trick), HANDS):
        other = Chair((leader + later) % HANDS)
        seen = other in (Chair.DUMMY, view.own_chair)
        hand = deals[: 1 if seen else None, hand_at(other, declarer)]
        options = legal(hand & ~np.uint64(view.played.mask), led)
        beating, number = popcount(options & better), popcount(options)
        if response == "random":
            chances = chances * (1 - beating / number)
        elif other.declaring == chair.declaring:
            chances = chances * (beating < number)
        else:
            chances = chances * (beating == 0)
    return chances


def _better(card: Card, trump: Suit | None) -> int:
    """The cards that beat a winning card: higher ones of its suit, and trumps if it is not one."""
    higher = ((1 << card.column) - 1) << 13 * card.row
    over = 0x1FFF << 13 * trump.index if trump is not None and trump is not card.suit else 0
    return higher | over


def _check_playable(view: View, play: Position, card: Card) -> None:
    """Reject a card that the hand to play does not visibly hold, or that does not follow suit."""
    if play.chair not in (Chair.DUMMY, view.own_chair):
        raise IllegalActionError(
            f"{card} cannot be tried: {view.turn} is to play from a hidden hand"
        )
    if not play.legal_mask() & card.bit:
        raise IllegalActionError(f"{card} cannot be played now from {Hand(play.mine)}")
