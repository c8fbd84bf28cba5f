"""A deal with all hands face up, for the review, and the figures of the pages.

Verdicts come from an `Analysis`, as far as it has got. A figure is coordinates of an SVG, which one
macro draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, count, cycle, islice, pairwise, repeat
from math import ceil, floor
from statistics import mean
from typing import Final

from tribridge.cards.cards import Card, Hand
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.club.core.reviews import Analysis
from tribridge.club.core.state import Finished
from tribridge.club.history import PlayedDeal, ladder
from tribridge.club.history.rating import PlayerRating, rate
from tribridge.club.language import formatted, gettext
from tribridge.club.view.board import Side, around, chair_of, side_of, sorted_cards, trump_of
from tribridge.common.sentences import Sentence
from tribridge.game import Action, Chair, Table
from tribridge.reviews import Judgement, Luck, Option
from tribridge.reviews.wording import cost_of

_MARKS: Final = {"mistake": "?", "inaccuracy": "?!"}
_MOST_OPTIONS: Final = 5
_POPULAR: Final = 0.1
"""The share of experts with which a card is listed wherever it ranks."""
_DOTS, _RATED = 40, 12
"""The most deals with a dot each in the chart of the score, and points of that of the rating."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A call or a card of a deal, and what the page says of it once it is judged."""

    number: int
    """Counted from 1 over the auction, or over the whole play."""
    action: Action
    who: str
    judged: Judgement | None
    chair: Chair | None = None
    winner: bool = False

    @property
    def words(self) -> str:
        if self.judged is None:
            return ""
        words, luck = gettext(self.judged.verdict.value), self.judged.luck
        if luck is None:
            return words
        return gettext("{verdict}, {luck}").format(verdict=words, luck=gettext(luck.value))

    @property
    def kind(self) -> str:
        """For the style sheet: best, good, inaccuracy, mistake, forced or unjudged."""
        return "" if self.judged is None else self.judged.verdict.name.lower()

    @property
    def unlucky(self) -> bool:
        return self.judged is not None and self.judged.luck is Luck.BAD

    @property
    def cost(self) -> Sentence | None:
        """What it cost on the actual deal."""
        return None if self.judged is None else cost_of(self.judged)

    @property
    def mark(self) -> str:
        """A sign like those of chess: `?`, `?!`, or `~` for bad luck."""
        return "~" if self.unlucky else _MARKS.get(self.kind, "")

    @property
    def options(self) -> list[Option]:
        """The best options, those of many experts, and the one chosen."""
        every = () if self.judged is None else self.judged.options
        rest = (
            option
            for option in every[_MOST_OPTIONS:]
            if option.action == self.action or (option.share or 0.0) >= _POPULAR
        )
        return [*every[:_MOST_OPTIONS], *rest]

    @property
    def worth(self) -> dict[Action, Option]:
        """What each card that could be played here is worth, where there was a choice."""
        every = () if self.judged is None else self.judged.options
        return {option.action: option for option in every} if len(every) > 1 else {}

    def gives_up(self, option: Option) -> int:
        """The tricks that another card gives up on the actual deal, double dummy."""
        if self.before is None or option.actual is None:
            return 0
        return abs(self.before - round(option.actual))

    @property
    def instead(self) -> Action | None:
        """What to compare it with: the better card, as the cards lay if it cost some."""
        if self.judged is None or not self.mark:
            return None
        better = self.judged.better_as_it_lay if self.judged.cost else self.judged.best
        return None if better is None else better.action

    @property
    def before(self) -> int | None:
        """Declarer's tricks double dummy before the card."""
        return None if self.judged is None else self.judged.double_dummy

    @property
    def value(self) -> int | None:
        """Declarer's tricks double dummy after the card."""
        if self.judged is None or self.before is None or self.chair is None:
            return None
        cost = int(self.judged.cost or 0)
        return self.before - cost if self.chair.declaring else self.before + cost


def called(table: Table, names: Sequence[str], analysis: Analysis) -> list[Choice]:
    """The calls of a deal, each with its judgement where it is known."""
    who = islice(cycle(names), table.dealer.index, None)
    judged = chain((_at_the_table(each, table) for each in analysis.judgements), repeat(None))
    return list(map(Choice, count(1), table.auction.calls, who, judged))


def _at_the_table(judged: Judgement, table: Table) -> Judgement:
    """A judgement on a call; the contract that failed is not called lucky, whoever misplayed it."""
    outcome, contract = table.outcome, table.contract
    if outcome is None or contract is None or judged.action != contract.bid:
        return judged
    if judged.luck is not Luck.LUCKY or outcome.tricks >= contract.tricks_needed(table.deal.deck):
        return judged
    return replace(judged, luck=None)


def plays(table: Table, names: Sequence[str], analysis: Analysis) -> list[Choice]:
    """The cards of a deal in order, each with its judgement where it is known."""
    position, contract = table.position, table.contract
    if position is None or contract is None:
        return []
    who = [names[chair.player(contract.declarer).index] for chair in Chair]
    who[Chair.DUMMY] = gettext("Dummy")
    winners = chain.from_iterable(repeat(trick.winner, 4) for trick in position.tricks)
    judged = chain(analysis.judgements[len(table.auction.calls) :], repeat(None))
    played = zip(position.plays(), chain(winners, repeat(None)), judged, strict=False)
    return [
        Choice(number, card, who[chair], judgement, chair, chair is winner)
        for number, ((chair, card), winner, judgement) in enumerate(played, 1)
    ]


def open_hands(
    table: Table,
    played: Sequence[Choice],
    base: Seat,
    names: Sequence[str],
    chosen: Choice | None = None,
) -> list[Side]:
    """The hands around the table without the cards played; `base` sits at the bottom.

    The hand of a card that was `chosen` is shown with it, as it was at that moment.
    """
    out = [card for card in played if card is not chosen]
    gone = Hand([card.action for card in out if isinstance(card.action, Card)])
    sides = []
    for spot, seat in around(base):
        dealt = table.deal.hands[HIDDEN if seat is None else seat]
        chair = chair_of(seat, table.contract)
        cards = sorted_cards(dealt - gone, trump_of(table.contract), dealt=dealt)
        turn = chosen is not None and chair is chosen.chair
        sides.append(side_of(spot, seat, chair, names, cards=cards, turn=turn))
    return sides


def last_trick(table: Table, played: Sequence[Choice], base: Seat) -> dict[str, Choice]:
    """The cards of the trick on the table, by where they lie."""
    start = (len(played) - 1) // 4 * 4 if played else 0
    spots = {chair_of(seat, table.contract): spot for spot, seat in around(base)}
    return {spots[card.chair]: card for card in played[start:]}


Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Plot:
    """The frame of a figure, and where a value stands in it."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    """The space below the figure, for labels."""
    low: float
    high: float

    def x(self, share: float) -> float:
        """The position of a share of the width."""
        return round(self.left + (self.width - self.left - self.right) * share, 1)

    def y(self, value: float) -> float:
        """The height of a value."""
        share = (value - self.low) / ((self.high - self.low) or 1)
        return round(self.height - self.bottom - share * (self.height - self.top - self.bottom), 1)

    def across(self, value: float) -> tuple[float, float, float, float]:
        """The ends of a line through the whole figure."""
        return self.left, self.y(value), self.width - self.right, self.y(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """What is drawn in a frame; names are classes of the style sheet."""

    plot: Plot
    levels: dict[float, str]
    """Horizontal lines by height, with their labels."""
    rules: tuple[tuple[str, tuple[float, float, float, float]], ...]
    """Other straight lines: class and ends."""
    lines: dict[str, Sequence[Point]]
    dots: tuple[tuple[str, Point], ...]
    labels: tuple[tuple[float, str], ...] = ()
    """Below the figure: position and text."""
    names: tuple[tuple[float, float, str], ...] = ()
    """Horizontal lines that may be close together: height, height of the label, and label."""


def _step(span: float, lines: int) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that divides a span into few parts."""
    steps = (factor * 10.0**power for power in count() for factor in (1, 2, 5))
    return next(step for step in steps if span / step <= lines)


def _plot(values: Sequence[float], left: int) -> tuple[Plot, list[float]]:
    """A frame for values and 0, and the heights of its lines."""
    low, high = min(*values, 0.0), max(*values, 1.0)
    step = _step(high - low, 6)
    lines = range(floor(low / step), ceil(high / step) + 1)
    plot = Plot(640, 240, left, 12, 12, 34, lines[0] * step, lines[-1] * step)
    return plot, [n * step for n in lines]


def _apart(heights: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Rising heights, moved as little as possible to be a gap apart within a range.

    >>> _apart([50, 52, 54, 120], 20, 0, 130)
    [32.0, 52.0, 72.0, 120.0]
    """
    groups: list[list[float]] = []
    for at, height in enumerate(heights):
        groups.append([height - at * gap])
        while len(groups) > 1 and mean(groups[-2]) > mean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    firsts = [mean(group) for group in groups for _ in group]
    most = high - (len(heights) - 1) * gap
    return [float(max(low, min(first, most)) + at * gap) for at, first in enumerate(firsts)]


def score_chart(nets: Sequence[float]) -> Chart | None:
    """A player's points, added up deal by deal; None without a deal."""
    if not nets:
        return None
    sums = [0.0, *accumulate(nets)]
    plot, lines = _plot(sums, 0)
    texts = [formatted("%+.0f", value) for value in lines]
    plot = replace(plot, left=14 + 12 * max(map(len, texts)))
    points = [(plot.x(at / len(nets)), plot.y(value)) for at, value in enumerate(sums)]
    return Chart(
        plot=plot,
        levels=dict(zip(map(plot.y, lines), texts, strict=True)),
        rules=(("zero", plot.across(0.0)),),
        lines={"exact": points},
        dots=tuple(("", point) for point in (points[1:] if len(nets) <= _DOTS else points[-1:])),
        labels=((points[0][0], "0"), (points[-1][0], f"{len(nets)}")),
    )


def rating_chart(
    deals: Sequence[PlayedDeal], last: PlayerRating, names: Mapping[str, str]
) -> Chart | None:
    """A player's rating with its interval after some deals, between the bots of its ladder."""
    if not last.deals:
        return None
    ends = sorted({ceil(len(deals) * part / _RATED) for part in range(1, _RATED + 1)})
    rated = [rate(deals[:end], ladder(last.scoring)) for end in ends]
    means = {rating.deals: rating for rating in rated if rating.deals}
    bots = [(names[one.strategy], one.rating) for one in last.ladder if one.strategy in names]
    left = 24 + 13 * max((len(name) for name, _ in bots), default=0)
    plot, _ = _plot([x for rating in means.values() for x in (rating.low, rating.high)], left)
    shown = sorted((plot.y(value), name) for name, value in bots if plot.low <= value <= plot.high)
    places = _apart([height for height, _ in shown], 23, plot.top, plot.height - plot.bottom)
    at = {count: plot.x(count / last.deals) for count in means}
    points = [(at[count], plot.y(rating.estimate)) for count, rating in means.items()]
    return Chart(
        plot=plot,
        levels={},
        names=tuple(
            (height, place, name) for (height, name), place in zip(shown, places, strict=True)
        ),
        rules=tuple(
            ("whisker", (at[count], plot.y(rating.low), at[count], plot.y(rating.high)))
            for count, rating in means.items()
        ),
        lines={"exact": points},
        dots=tuple(("", point) for point in points),
        labels=tuple((at[count], f"{count}") for count in (min(means), max(means))),
    )


def review_chart(cards: Sequence[Choice], done: Finished, needed: int | None, step: int) -> Chart:
    """Declarer's tricks before each card of a deal; lines stop where the analysis has got to."""
    known = [(card, card.judged) for card in cards if card.judged and card.before is not None]
    heights = [float(card.before or 0) for card, _ in known]
    heights += [judged.expected for _, judged in known if judged.expected is not None]
    heights += [float(done.outcome.tricks)] + ([] if needed is None else [float(needed)])
    low, high = int(min(heights)), int(max(heights) + 0.999)
    low, high = max(0, low - (high - low < 2)), high + (high - low < 2)
    plot = Plot(624, 170, 26, 0, 10, 18, low, high)

    def x(number: float) -> float:
        return plot.x((number - 0.5) / max(len(cards), 1))

    def expected(*chairs: Chair) -> list[Point]:
        return [
            (x(card.number), plot.y(judged.expected))
            for card, judged in known
            if judged.expected is not None and card.chair in chairs
        ]

    exact = [(x(card.number), plot.y(card.before or 0)) for card, _ in known]
    if known and len(known) == len(cards) and not done.claimed:
        exact.append((float(plot.width), plot.y(done.outcome.tricks)))
    steps = [point for (_, y0), (px, py) in pairwise(exact) for point in ((px, y0), (px, py))]
    here = x(step) if step else float(plot.left)
    goal = () if needed is None else (("goal", plot.across(needed)),)
    return Chart(
        plot=plot,
        levels={plot.y(tricks): f"{tricks}" for tricks in range(low, high + 1)},
        rules=(*goal, ("here", (here, 0, here, plot.height - plot.bottom))),
        lines={
            "defenders": expected(Chair.LEFT, Chair.RIGHT),
            "fair": expected(Chair.DECLARER, Chair.DUMMY),
            "exact": (*exact[:1], *steps),
        },
        dots=tuple(
            ("luck" if card.unlucky else card.kind, (x(card.number), plot.y(card.before or 0)))
            for card, _ in known
            if card.mark
        ),
    )
