"""A player's statistics: bids made, tricks against expectation, situations, progress.

Every mean has its number of deals and a 95% interval (`stats`). A situation counts as a strength
or a weakness only if its deals differ from the player's other deals by more than chance would
explain (`stats.apart`), at 5% divided by the number of situations that are compared. A careful
player's deals are mostly alike, so a few of them prove nothing: below `FEWEST` nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import inf, isfinite
from typing import Final

from tribridge.cards.cards import FULL_DECK, Strain
from tribridge.club.history.played import PlayedDeal
from tribridge.club.history.rating import Mean, PlayerRating, mean_of, ratings
from tribridge.common.errors import quantity, unchanging
from tribridge.common.sentences import Sentence
from tribridge.common.stats import FEWEST_DEALS, RARE_SWINGS, apart, mean_interval, proportion
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.forecast.distribution import Distribution
from tribridge.forecast.kinds import forecast_many
from tribridge.game.scoring import recorded_scheme
from tribridge.game.tricks import chair_hands

FEWEST: Final = FEWEST_DEALS
"""Deals below which nothing is said about a situation, and other deals as well."""
_MOST_TRICKS: Final = float(FULL_DECK.hand_size)
"""No deal differs by more from what was possible."""
_ALPHA: Final = 0.05
_BLOCKS: Final = 8
"""Most points in time at which progress is shown."""
_BLOCK: Final = 20
"""Fewest deals of such a point: with fewer, one bad deal makes its interval useless."""


class Unit(StrEnum):
    """What a mean is about."""

    TRICKS = "tricks against what was possible"
    POINTS = "settlement points"


class Finding(StrEnum):
    """What can be said about a situation."""

    STRENGTH = "better than your other deals"
    WEAKNESS = "worse than your other deals"
    SAME = "no clear difference"
    TOO_FEW = "too few deals to tell"


@dataclass(frozen=True, slots=True)
class Situation(Mean):
    """Deals of one kind, and whether the player does better or worse in them."""

    group: str = ""
    name: str = ""
    unit: Unit = Unit.TRICKS
    finding: Finding = Finding.TOO_FEW


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive deals, numbered from 1 over the whole history."""

    first: int
    last: int
    date: str
    """When the match of the last one began."""
    settlement: Mean
    against_possible: Mean
    made: Mean


@dataclass(frozen=True, slots=True)
class Reviews:
    """What the reviews of a player's deals add up to."""

    deals: int = 0
    calls: int = 0
    """Calls that were judged."""
    wrong_calls: int = 0
    cards: int = 0
    wrong_cards: int = 0
    lost_tricks: float = 0.0
    """Tricks that the cards lost, by what the player could know."""


@unchanging
@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerStats:
    """All that can be said about a player's games so far."""

    deals: int
    matches: int
    made: Mean
    """The share of contracts made, of those that the player declared."""
    forecast_chance: float | None
    """The share that declarer's thirteen cards alone promised; hints count the calls, too."""
    against_forecast: Mean
    """Tricks above the forecast at the time of the contract."""
    against_possible: Mean
    """Tricks above double dummy."""
    settlement: Mean
    """Settlement points per deal."""
    situations: tuple[Situation, ...]
    progress: tuple[Block, ...]
    """Oldest first; empty with fewer than two blocks of deals."""
    reviews: Reviews
    rare_swings: bool = False
    """Whether doubled contracts or slams count in some of the deals (`stats.RARE_SWINGS`)."""
    rating: PlayerRating
    """The rating with the most deals."""
    other_ratings: tuple[PlayerRating, ...]
    """On the other ladders."""

    @property
    def caution(self) -> Sentence:
        """What the intervals of points do not cover, where there are rare swings."""
        return Sentence(RARE_SWINGS)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def player_stats(deals: Iterable[PlayedDeal]) -> PlayerStats:
    """The statistics of a player's deals."""
    return summarise(measure(list(deals)))


def summarise(measured: Iterable[Measured]) -> PlayerStats:
    """The statistics of deals that have been measured."""
    deals = sorted(measured, key=lambda played: played.deal.order)
    chances = [played.chance for played in deals if played.chance is not None]
    judged = [played.deal.judged for played in deals if played.deal.judged is not None]
    rating, *others = ratings(played.deal for played in deals)
    return PlayerStats(
        deals=len(deals),
        matches=len({(played.deal.match, played.deal.date) for played in deals}),
        made=_share(deals),
        forecast_chance=sum(chances) / len(chances) if chances else None,
        against_forecast=_mean(played.over_expected for played in deals),
        against_possible=_mean(played.over_possible for played in deals),
        settlement=_mean(played.net for played in deals),
        situations=_situations(deals),
        progress=_progress(deals),
        reviews=Reviews(len(judged), *map(sum, zip(*judged, strict=True))),
        rare_swings=any(_swings(played.deal) for played in deals),
        rating=rating,
        other_ratings=tuple(others),
    )


def _swings(deal: PlayedDeal) -> bool:
    """Whether a deal could have been doubled, or a slam have paid more than its tricks."""
    record = deal.record
    laws = None if record.rubber is None else record.rubber.laws
    scheme = recorded_scheme(record.scheme) if laws is None else laws.scheme
    return record.doubles or (scheme is not None and scheme.pays_slams)


def _mean(values: Iterable[float | None], bound: float = inf) -> Mean:
    numbers = [value for value in values if value is not None]
    return mean_of(mean_interval(numbers, bound) if numbers else None, len(numbers))


def _share(deals: Iterable[Measured]) -> Mean:
    made = [played.made for played in deals if played.made is not None]
    return mean_of(proportion(sum(made), len(made)) if made else None, len(made))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A deal with its measures; those that do not apply are None."""

    deal: PlayedDeal
    tricks: int | None = None
    """Tricks won by the player's side; None if the deal was passed out."""
    expected: float | None = None
    """The same as declarer's hand made one expect it at the time of the contract."""
    possible: int | None = None
    """The same with best play by everyone, all cards visible."""
    chance: float | None = None
    """The chance of making the contract by the same forecast; None if the player defended."""

    @property
    def made(self) -> bool | None:
        """Whether the player made the contract they declared; None if they did not declare."""
        contract = self.deal.contract
        if contract is None or not self.deal.declaring:
            return None
        return self.deal.outcome.tricks >= contract.tricks_needed(self.deal.record.deal.deck)

    @property
    def over_expected(self) -> float | None:
        return None if self.tricks is None or self.expected is None else self.tricks - self.expected

    @property
    def over_possible(self) -> float | None:
        return None if self.tricks is None or self.possible is None else self.tricks - self.possible

    @property
    def net(self) -> float | None:
        """Settlement points of the deal."""
        return None if self.deal.net is None else float(self.deal.net)


def measure(deals: Sequence[PlayedDeal]) -> list[Measured]:
    """Measure deals, in their order."""
    forecasts = _forecasts(deals)
    return [_measured(deal, forecasts.get(at)) for at, deal in enumerate(deals)]


def _measured(deal: PlayedDeal, forecast: Distribution | None) -> Measured:
    contract, deck = deal.contract, deal.record.deal.deck
    if contract is None:
        return Measured(deal=deal)
    hands = chair_hands(deal.record.deal, contract.declarer)
    best = DoubleDummy(deck).tricks(hands, contract.bid.strain)
    start, sign = (0, 1) if deal.declaring else (deck.hand_size, -1)  # of declarer's tricks
    chance = None
    if forecast is not None and deal.declaring:
        chance = forecast.at_least(contract.tricks_needed(deck))
    return Measured(
        deal=deal,
        tricks=start + sign * deal.outcome.tricks,
        expected=None if forecast is None else start + sign * forecast.mean,
        possible=start + sign * best,
        chance=chance,
    )


def _forecasts(deals: Sequence[PlayedDeal]) -> dict[int, Distribution]:
    """Declarer's tricks as their thirteen cards forecast them, by the index of the deal."""
    contracts = {
        at: deal.contract
        for at, deal in enumerate(deals)
        if deal.contract is not None and deal.record.deal.deck == FULL_DECK
    }
    if not contracts:
        return {}
    hands = [deals[at].record.deal.hands[contract.declarer] for at, contract in contracts.items()]
    forecasts = forecast_many([(hand, None) for hand in hands])
    pairs = zip(contracts.items(), forecasts, strict=True)
    return {at: forecast[contract.bid.strain] for (at, contract), forecast in pairs}


Test = Callable[[Measured], bool]


def _level(deal: PlayedDeal, low: int, high: int) -> bool:
    return deal.contract is not None and low <= deal.contract.bid.level <= high


def _notrump(deal: PlayedDeal) -> bool:
    return deal.contract is not None and deal.contract.bid.strain is Strain.NOTRUMP


def _place(deal: PlayedDeal) -> int:
    return (deal.seat.index - deal.record.dealer.index) % 3


_PLAY: Final[tuple[tuple[str, str, Test], ...]] = (
    ("Side", "Declaring", lambda played: played.deal.declaring),
    ("Side", "Defending", lambda played: not played.deal.declaring),
    ("Strain", "Suit contracts", lambda played: not _notrump(played.deal)),
    ("Strain", "Notrump", lambda played: _notrump(played.deal)),
    ("Level", "Levels 1 and 2", lambda played: _level(played.deal, 1, 2)),
    ("Level", "Levels 3 and 4", lambda played: _level(played.deal, 3, 4)),
    ("Level", "Levels 5 to 7", lambda played: _level(played.deal, 5, 7)),
)
_BIDDING: Final[tuple[tuple[str, str, Test], ...]] = (
    ("Bidding", "First to call", lambda played: _place(played.deal) == 0),
    ("Bidding", "Second to call", lambda played: _place(played.deal) == 1),
    ("Bidding", "Last to call", lambda played: _place(played.deal) == 2),
)


def _situations(deals: Sequence[Measured]) -> tuple[Situation, ...]:
    """Card play by tricks against what was possible, the auction by settlement points."""
    compared = len(_PLAY) + len(_BIDDING)
    situations = []
    for unit, kinds in ((Unit.TRICKS, _PLAY), (Unit.POINTS, _BIDDING)):
        for group, name, test in kinds:
            tricks = unit is Unit.TRICKS
            values = [
                (played.over_possible if tricks else played.net, test(played)) for played in deals
            ]
            inside, outside = (
                [value for value, hit in values if value is not None and hit is wanted]
                for wanted in (True, False)
            )
            bound = _MOST_TRICKS if tricks else inf
            about = finding(inside, outside, _ALPHA / compared, bound)
            mean = _mean(inside, bound)
            ends = mean.estimate, mean.low, mean.high
            situations.append(Situation(*ends, len(inside), group, name, unit, about))
    return tuple(situations)


def finding(
    inside: Sequence[float], outside: Sequence[float], alpha: float, bound: float
) -> Finding:
    """What can be said of some deals beside the others; `bound`: no value is farther from 0."""
    if min(len(inside), len(outside)) < FEWEST:
        return Finding.TOO_FEW
    better = apart(inside, outside, alpha, bound)
    return (Finding.SAME, Finding.STRENGTH, Finding.WEAKNESS)[better]


def _progress(deals: Sequence[Measured]) -> tuple[Block, ...]:
    """Up to eight blocks of at least twenty consecutive deals, of nearly the same size."""
    count = min(_BLOCKS, len(deals) // _BLOCK)
    if count < 2:
        return ()
    ends = [round(at * len(deals) / count) for at in range(count + 1)]
    blocks = []
    for first, last in pairwise(ends):
        part = deals[first:last]
        blocks.append(
            Block(
                first + 1,
                last,
                part[-1].deal.date,
                _mean(played.net for played in part),
                _mean(played.over_possible for played in part),
                _share(part),
            )
        )
    return tuple(blocks)


def _number(mean: Mean, digits: int = 2, unit: str = "") -> str:
    """A mean with its interval.

    Examples:
        >>> _number(Mean(0.31, -0.2, 0.82, 20)), _number(mean_of(None, 0))
        ('+0.31 (-0.20 to +0.82)', '–')
    """
    if not mean.deals:
        return "–"
    head = f"{mean.estimate:+.{digits}f}{unit}"
    if not (isfinite(mean.low) and isfinite(mean.high)):
        return f"{head} (too few deals)"
    return f"{head} ({mean.low:+.{digits}f} to {mean.high:+.{digits}f})"


def _made(mean: Mean) -> str:
    """A share with its interval: `14 of 22 (64%, 43% to 80%)`."""
    if not mean.deals:
        return "none declared"
    made = round(mean.estimate * mean.deals)
    return f"{made} of {mean.deals} ({mean.estimate:.0%}, {mean.low:.0%} to {mean.high:.0%})"


def _reviewed(stats: PlayerStats) -> str:
    """What the reviews say, in one sentence."""
    of = stats.reviews
    if not of.deals:
        return "No deal has been reviewed yet."
    return (
        f"In {quantity(of.deals, 'reviewed deal')}, {of.wrong_calls} of "
        f"{quantity(of.calls, 'call')} and {of.wrong_cards} of {quantity(of.cards, 'card')} could "
        f"have been better; the cards cost {of.lost_tricks / of.deals:.2f} tricks per deal."
    )


def _lines(stats: PlayerStats) -> Iterator[str]:
    yield f"{quantity(stats.deals, 'deal')}, {quantity(stats.matches, 'match', 'matches')}"
    chance = stats.forecast_chance
    promised = "" if chance is None else f"; declarer's cards alone promised {chance:.0%}"
    yield f"Contracts made              {_made(stats.made)}{promised}"
    yield f"Tricks against the forecast {_number(stats.against_forecast)}"
    yield f"Tricks against the possible {_number(stats.against_possible)}"
    yield f"Settlement points per deal  {_number(stats.settlement, 1)}"
    for rating in (stats.rating, *stats.other_ratings):
        if rating.deals:
            value = f"{rating.estimate:+.0f} ± {rating.half:.0f}"
            yield f"Rating                      {value} {rating.words()} ({rating.scoring})"
        elif rating is stats.rating:
            yield f"Rating                      {rating.words()}"
    yield f"Reviews                     {_reviewed(stats)}"
    yield ""
    yield f"{'Situation':<16} {'deals':>5}  {'mean (95% interval)':<32} finding"
    for situation in stats.situations:
        digits = 2 if situation.unit is Unit.TRICKS else 1
        mean = _number(situation, digits)
        yield f"{situation.name:<16} {situation.deals:>5}  {mean:<32} {situation.finding}"
    yield "Card play in tricks against double dummy, bidding in settlement points per deal."
    if stats.rare_swings and isfinite(stats.settlement.high):
        yield RARE_SWINGS
    if stats.progress:
        yield ""
        yield f"{'Deals':<12} {'points per deal':<28} {'tricks against the possible':<32} made"
        for block in stats.progress:
            made = f"{block.made.estimate:.0%}" if block.made.deals else "–"
            span, points = f"{block.first} to {block.last}", _number(block.settlement, 1)
            yield f"{span:<12} {points:<28} {_number(block.against_possible):<32} {made}"
