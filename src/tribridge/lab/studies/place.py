"""The price of a place in the order of calling, and of the hidden hand to whoever knows it.

On small decks auctions are solved. With three players, strategies that learn by regret need not
reach an equilibrium of Nash, and NashConv, the sum of what each player gains alone, says only how
far their averages are from one. What such learning does reach is a coarse correlated equilibrium
of joint play, and its gap, the most that anybody gains by one fixed strategy, is shown beside it.

On the full deck the learned players of the package play many games. A player who searches in the
auction knows none, some or all cards of the hidden hand. The package has the result (`place.json`,
written by `benchmarks/place_result.py` from games and solved auctions under `place.plan.toml`); a
run plays the first of these games again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import P_VALUE, PERCENT, POINTS, Column
from tribridge.lab.studies.drawing import (
    BLUE,
    GREY,
    NAVY,
    ORANGE,
    Drawing,
    name_axes,
    new_figure,
    plot_spans,
    write,
)
from tribridge.lab.studies.plans import Answer, plan_of
from tribridge.lab.studies.study import Figure, Runner, Study, planned

AUCTION: Final = "auction"
CONTRACT: Final = "contract"
PLACES: Final = ("first", "second", "third")
"""The order of calling; the dealer is the first."""
RANKS: Final = "AKQJT98765432"
PLAN: Final = plan_of("place")
_POINTS: Final = replace(POINTS, digits=1)
_FINE: Final = replace(POINTS, digits=2)
_SHARE: Final = replace(PERCENT, digits=1)
_LEVEL: Final = Column(digits=2)
_SCHEMES: Final = {CONTRACT: (BLUE, "o"), AUCTION: (ORANGE, "s")}


@dataclass(frozen=True, slots=True)
class Solved:
    """Places on small decks, where auctions are solved.

    Settlement points a deal of the first, second and third to call, contracts paid by double dummy.
    Gap: the most that anyone gains by one fixed strategy against the joint play of learners (0 in a
    coarse correlated equilibrium). NashConv: of the average strategies of CFR+ (0 in an equilibrium
    of Nash). `bonus` is `auction` with 100 points more for each trick of a contract that makes.
    """

    deck: str
    levels: int
    scoring: str
    start: str
    iterations: int
    first: Annotated[float, _FINE]
    second: Annotated[float, _FINE]
    third: Annotated[float, _FINE]
    gap: Annotated[float, _FINE]
    average_first: Annotated[float, "first, CFR+", _FINE]
    average_second: Annotated[float, "second, CFR+", _FINE]
    average_third: Annotated[float, "third, CFR+", _FINE]
    nash_conv: Annotated[float, "NashConv", _FINE]

    @property
    def known_before(self) -> bool:
        """Whether the plan knew it, or bidding does not pay."""
        return self.scoring == AUCTION or (self.deck, self.scoring) == ("2x4", CONTRACT)


@dataclass(frozen=True, slots=True)
class Converged:
    """Whether learning on small decks converges.

    The largest over the starts, in points a deal.
    """

    deck: str
    scoring: str
    iterations: int
    gap: Annotated[float, "gap of joint play", _FINE]
    nash_conv: Annotated[float, "NashConv of averages", _FINE]


@dataclass(frozen=True, slots=True)
class Placed:
    """What a place is worth on the full deck, among three learned players.

    {source}. Settlement points a deal; every deal is played with each of the three as dealer, so
    that no place has better cards. 95% intervals and tests over deals.
    """

    scheme: str
    place: Annotated[str, "to call"]
    deals: int
    points: Annotated[Interval, "points a deal", _FINE]
    p: Annotated[float, P_VALUE]
    declares: Annotated[float, "% declared", _SHARE]
    makes: Annotated[float, "% of these made", _SHARE]
    holm: Annotated[float, "p (Holm)", P_VALUE] = 1.0


@dataclass(frozen=True, slots=True)
class Shown:
    """What knowing cards of the hidden hand is worth before the auction.

    {source}. One player in turn searches in the auction; the others are learned players who know
    nothing of it. Gained: settlement points a deal over the same search without a card. 95%
    intervals and tests over deals.
    """

    scheme: str
    cards: Annotated[int, "cards known"]
    deals: int
    gained: Annotated[Interval, "points gained", _POINTS]
    p: Annotated[float | None, P_VALUE]
    declares: Annotated[float, "% declared", _SHARE]
    makes: Annotated[float, "% of these made", _SHARE]
    level: Annotated[float, "mean level", _LEVEL]
    holm: Annotated[float | None, "p (Holm)", P_VALUE] = None


@dataclass(frozen=True, slots=True)
class Searched:
    """How well the search bids that is given the cards.

    The same seats of the same deals: settlement points a deal that the search without a card gains
    over the network that it lets bid on. What a card known is worth is measured from this search.
    """

    scheme: str
    deals: int
    gained: Annotated[Interval, "search over network", _POINTS]
    p: Annotated[float | None, P_VALUE]
    declares: Annotated[float, "% declared, network", _SHARE]
    makes: Annotated[float, "% of these made, network", _SHARE]


@dataclass(frozen=True, slots=True)
class Ranked:
    """What each card of the hidden hand is worth, by rank.

    Least squares on how many cards of each rank the hidden hand holds, compared with an average
    card. To declarer: in points of the declarer a deal, three learned players. To know it: in what
    a player gains who knows the whole hand. Settlement points under `contract`, 95% intervals.
    """

    rank: str
    declarer: Annotated[Interval, "to declarer", "declarer from", "declarer to", _POINTS]
    known: Annotated[Interval, "to know it", "know from", "know to", _POINTS]


@dataclass(frozen=True, slots=True)
class Opened:
    """The dummy face up during the auction, for all to see, and face down.

    {source}. All three players search in the auction. Declarer's settlement points a contract, with
    95% intervals over deals. (In the play dummy is open in both, as the rules have it: the networks
    know no other play.)
    """

    dummy: str
    deals: int
    contracts: Annotated[float, "% bid", _SHARE]
    level: Annotated[float, "mean level", _LEVEL]
    made: Annotated[float, "% made", _SHARE]
    points: Annotated[Interval, "declarer's points", _POINTS]


@dataclass(frozen=True, slots=True)
class Tabled:
    """Three players against four: the same hands, the same bidder, the same card play.

    {source}. Everyone bids what their own hand makes best, and leaves partner's bid. With three,
    the fourth hand is the dummy of whoever declares; with four it bids, opposite the second. Score:
    points of declarer's side a contract.
    """

    scheme: str
    players: int
    deals: int
    contracts: Annotated[float, "% bid", _SHARE]
    level: Annotated[float, "mean level", _LEVEL]
    notrump: Annotated[float, "% notrump", _SHARE]
    made: Annotated[float, "% made", _SHARE]
    score: Annotated[Interval, "score", _POINTS]


@dataclass(frozen=True, slots=True)
class Tested:
    """A number that a hypothesis is about."""

    span: Interval
    p: float | None = None

    @property
    def answer(self) -> Answer:
        return Answer(self.span, self.p)


@dataclass(frozen=True, slots=True)
class Again:
    """The first games of this study, played again for this report.

    By the networks that the package has now, on this machine's processor. Another version of the
    player than the study's takes other tricks, and a GPU computes with fewer digits, so that a
    close choice may differ.
    """

    games: int
    contract: Annotated[int, "same contract"]
    tricks: Annotated[int, "same contract and tricks"]


@dataclass(frozen=True, slots=True)
class Result:
    """What places and the hidden hand are worth."""

    plan: str
    source: str
    deviations: str
    """From the plan."""
    sample: tuple[int, ...]
    """The outcomes of the first games under `contract`, packed."""
    solved: Annotated[tuple[Solved, ...], "place-solved"]
    converged: Annotated[tuple[Converged, ...], "place-convergence"]
    places: Annotated[tuple[Placed, ...], "place-values"]
    shown: Annotated[tuple[Shown, ...], "place-hidden"]
    searched: Annotated[tuple[Searched, ...], "place-search"]
    ranks: Annotated[tuple[Ranked, ...], "place-cards"]
    opened: Annotated[tuple[Opened, ...], "place-open"]
    tabled: Annotated[tuple[Tabled, ...], "place-four"]
    six: Tested
    """Under `contract`: what six cards are worth less half of what thirteen are."""
    aces: Tested
    """Under `contract`: what knowing an ace is worth more than a jack."""
    open_made: Tested
    four_made: Tested
    again: Annotated[tuple[Again, ...], "place-again"] = ()

    def place(self, scheme: str, place: str) -> Placed:
        """What a place is worth under a scheme."""
        return next(row for row in self.places if (row.scheme, row.place) == (scheme, place))

    def known(self, scheme: str, cards: int = 13) -> Shown:
        """What knowing so many cards is worth under a scheme."""
        return next(row for row in self.shown if (row.scheme, row.cards) == (scheme, cards))


def answers(result: Result) -> Mapping[str, Answer]:
    """What was found, by the hypotheses of the plan."""
    new = [row for row in result.solved if not row.known_before]

    def exactly(value: float) -> Answer:
        return Answer(Interval(value, value, value))

    def place(scheme: str, name: str) -> Answer:
        row = result.place(scheme, name)
        return Answer(row.points, row.p)

    def knowing(scheme: str) -> Answer:
        row = result.known(scheme)
        return Answer(row.gained, row.p)

    return {
        "tiny-third": exactly(min(row.third for row in new)),
        "tiny-second": exactly(max(row.second for row in new)),
        "tiny-correlated": exactly(max(row.gap for row in result.solved)),
        "tiny-nash": exactly(max(row.nash_conv for row in result.solved)),
        "third-contract": place(CONTRACT, "third"),
        "second-contract": place(CONTRACT, "second"),
        "dealing-contract": Answer(result.place(CONTRACT, "first").points),
        "places-auction": Answer(result.place(AUCTION, "third").points),
        "knowing-contract": knowing(CONTRACT),
        "knowing-auction": knowing(AUCTION),
        "six-cards": result.six.answer,
        "aces": result.aces.answer,
        "open": result.open_made.answer,
        "four": Answer(result.four_made.span),
    }


def run(games: int, seed: int, runner: Runner) -> Result:
    """The stored result, with its first games played again."""
    import numpy as np

    from tribridge.game.scoring import find_scheme
    from tribridge.lab.training.whole_games import Outcomes, Table, deals

    result = planned("place", Result, PLAN)
    hands = deals(PLAN.seeds["games"], 0, games)
    table = Table(find_scheme(CONTRACT))
    now = table.outcomes(table.bid(hands), hands)
    then = Outcomes.unpacked(np.array(result.sample[:games], np.uint16))
    contract = (now.bidder == then.bidder) & (now.standing == then.standing)
    both = contract & (now.won == then.won)
    again = Again(games, int(contract.sum()), int(both.sum()))
    return replace(result, again=(again,))


def draw(result: Result) -> Drawing:
    """What it is worth to see cards of the hidden hand before the auction.

    Settlement points a deal that one player gains over the same search without a card, with 95%
    intervals; dashed, what the cards would bring if each were worth as much.
    """
    figure, axes = new_figure(6.6, 4.2)
    for scheme, look in _SCHEMES.items():
        rows = [row for row in result.shown if row.scheme == scheme]
        spans = [row.gained for row in rows]
        places = [row.cards for row in rows]
        axes.plot([0, 13], [0, spans[-1].estimate], "--", color=look[0], linewidth=1)
        plot_spans(axes, places, spans, look, label=scheme, linewidth=1.8)
        last = spans[-1]
        write(axes, f"{last.estimate:+.0f}", 13, last.high, color=look[0], weight="bold")
    axes.axhline(0, color="black", linewidth=1)
    axes.axvline(6, color=GREY, linestyle=":", linewidth=1)
    axes.annotate(
        "six face up,\nas in towie",
        (6, axes.get_ylim()[1]),
        (-4, -4),
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=8.5,
        color="#555555",
    )
    axes.set_xticks([0, 1, 3, 6, 13])
    axes.legend(loc="center right")
    name_axes(axes, "", "cards of the hidden hand that one player knows", "points gained a deal")
    return figure


def draw_places(result: Result) -> Drawing:
    """What a place in the order of calling is worth.

    Left: on the full deck, three learned players, with 95% intervals over deals. Right: on small
    decks, joint play of learners, one mark for each deck, scoring (circles `contract`, triangles
    `bonus`) and start. Settlement points a deal; above the line the place gains.
    """
    figure, panels = new_figure(6.8, 3.6, 2)
    for at, (scheme, look) in enumerate(_SCHEMES.items()):
        spans = [result.place(scheme, place).points for place in PLACES]
        plot_spans(
            panels[0], [x + 0.14 * (at - 0.5) for x in range(3)], spans, look, "", label=scheme
        )
    rows = [row for row in result.solved if row.scoring != AUCTION]
    for at, row in enumerate(rows):
        values = (row.first, row.second, row.third)
        spread = 0.3 * (at / max(1, len(rows) - 1) - 0.5)
        marker = "o" if row.scoring == CONTRACT else "^"
        panels[1].plot(
            [x + spread for x in range(3)], values, marker, color=NAVY, alpha=0.6, markersize=5
        )
    for axes, title in zip(panels, ("Full deck", "Small decks"), strict=True):
        axes.axhline(0, color="black", linewidth=1)
        axes.set_xticks(range(3), ["deals,\ncalls first", "second", "calls\nlast"])
        axes.set_xlim(-0.5, 2.5)
        name_axes(axes, title, "", "points a deal")
    panels[0].legend(loc="best")
    return figure


STUDY: Final[Study[int, Result]] = Study(
    name="place",
    title="The price of a place and of the hidden hand",
    order=126,
    run=run,
    paper=60,
    quick=6,
    describe=lambda games: {"games of the study `place` played again": games},
    figures=(
        Figure("place-hidden", "place-hidden", draw),
        Figure("place-values", "place-values", draw_places),
    ),
    plan=PLAN,
    answers=answers,
    deviations=lambda result: result.deviations,
)
