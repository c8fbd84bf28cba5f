"""The findings of the report, the unflattering ones first, and its first screen in plain words.

Every number, and every "no better than" or "ahead", comes from the studies that were run; a finding
whose study was not run is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tribridge.arena.analysis import Comparison
from tribridge.common.stats import Interval
from tribridge.lab.studies import (
    beliefs,
    calls,
    conditions,
    cost,
    fairness,
    headline,
    learned,
    offence,
    opponents,
    place,
    second_hand,
    strains,
    truth,
)
from tribridge.lab.studies.claims import ALPHA, p_text, side
from tribridge.lab.studies.study import Outcomes, Study, result_of


@dataclass(frozen=True, slots=True)
class Measured:
    """A number of a finding, which its small picture shows."""

    name: str
    span: Interval


@dataclass(frozen=True, slots=True)
class Finding:
    """One result: a sentence, what was measured, and how we know."""

    title: str
    text: str
    study: str
    """The study that found it."""
    unit: str
    measured: tuple[Measured, ...]
    """The first one is the number of the finding."""
    form: str = "+.2f"
    """How the numbers are written."""
    zero: float = 0.0
    """What the numbers are compared with."""


def opening(outcomes: Outcomes) -> list[str]:
    """What the paper says and what we found: the first screen, a paragraph each."""
    said = (
        "The paper proposes auction bridge for three players with a hidden dummy, and two "
        "closed-form algorithms that estimate declarer's tricks before a card is played. It tests "
        "them on ten million random deals, and expects them to help players bid."
    )
    sentences = []
    if (conditional := outcomes.get(conditions.STUDY.name)) is not None:
        counts = [figure for figure in conditional.comparisons if not figure.follows]
        good = sum(figure.verdict == "agrees" for figure in counts)
        sentences.append(f"{good} of the {len(counts)} counts in its tables agree with exact ones.")
    if (solved := result_of(outcomes, truth.STUDY)) is not None:
        two = solved.accuracy_of(truth.TWO)
        bias, worth = two.bias.estimate, _by_sign(two.less, "closer", "no closer", "further off")
        sentences.append(
            f"As a prediction the second algorithm promises {abs(bias):.2f} tricks too "
            f"{'many' if bias > 0 else 'few'}, and it is {worth} than naming the same number of "
            "tricks every time."
        )
    if headline.STUDY.name in outcomes:
        means = [c for c in outcomes[headline.STUDY.name].comparisons if c.follows]
        agree = sum(c.verdict == "agrees" for c in means)
        sentences.append(
            f"Of the {len(means)} lines of its headline table {agree or 'none'} can be reproduced "
            "under every reading of what the paper leaves undefined."
        )
    if (bid := result_of(outcomes, learned.STUDY)) is not None:
        over = next(gain for gain in bid.over_paper() if gain.settled_by == learned.PLAYED)
        verb = {-1: "loses to", 0: "cannot be told apart from", 1: "beats"}
        sentences.append(
            f"A bidder that learned by playing {verb[side(over.points, over.holm)]} the paper's "
            f"bidder ({over.points.estimate:+.1f} points a game)."
        )
    return [said, " ".join(sentences)]


def findings(outcomes: Outcomes) -> list[Finding]:
    """The findings of the studies at hand, in the order of the report."""
    return [
        finding
        for study, make in _ALL.items()
        if study.name in outcomes
        for finding in make(outcomes[study.name].result, outcomes)
    ]


def _by_sign(span: Interval, below: str, neither: str, above: str) -> str:
    """The words for an interval that lies below 0, includes it, or lies above it."""
    return below if span.high < 0 else above if span.low > 0 else neither


def _algorithm2(result: truth.Result, outcomes: Outcomes) -> Iterator[Finding]:
    two = result.accuracy_of(truth.TWO)
    others = {
        kind: row.accuracy
        for kind in _RIVALS
        for row in result.alternatives
        if (row.domain, row.accuracy.estimate) == (truth.domain_of(truth.TWO), f"{kind}, 26 cards")
    }
    points, net = (others[kind].error.estimate for kind in _RIVALS)
    worth = _by_sign(two.less, "closer than", "no better than", "worse than") + " a constant"
    reproduced, agrees = "", True
    if conditions.STUDY.name in outcomes:
        compared = outcomes[conditions.STUDY.name].comparisons
        agrees = all(figure.verdict == "agrees" for figure in compared)
        counts = [figure for figure in compared if not figure.follows]
        good = sum(figure.verdict == "agrees" for figure in counts)
        reproduced = (
            f"{good} of the {len(counts)} counts in Tables 1 and 2 agree with the exact ones (the "
            f"other {len(compared) - len(counts)} figures follow from them), but "
        )
    bias, error = two.bias.estimate, two.error.estimate
    yield Finding(
        f"Algorithm 2 reproduces{'' if agrees else ' in part'}, and as a prediction it is {worth}.",
        f"{reproduced}against double dummy it promises {abs(bias):.2f} tricks too "
        f"{'many' if bias > 0 else 'few'} on average and is off by {error:.2f} tricks, "
        f"{two.less:.2f} compared with always naming the median. A point count on the same 26 "
        f"cards is off by {points:.2f}, a small network by {net:.2f}: {error - net:.2f} tricks "
        "closer.",
        truth.STUDY.name,
        "tricks off, double dummy",
        (
            Measured("Algorithm 2", two.error),
            *(Measured(name, others[kind].error) for kind, name in _RIVALS.items()),
        ),
        ".2f",
    )


_RIVALS: Final = {"points": "a point count", "net": "a small network"}
"""Estimates beside Algorithm 2, on the same 26 cards."""


def _headline(result: headline.Result, outcomes: Outcomes) -> Iterator[Finding]:
    means = [c for c in outcomes[headline.STUDY.name].comparisons if c.follows]
    agree = sum(c.verdict == "agrees" for c in means)
    differ = sum(c.verdict == "differs" for c in means)
    samples = ""
    second = result_of(outcomes, second_hand.STUDY)
    if second is not None and second_hand.fit_no_sample(second):
        tests = "; ".join(
            f"{name}: chi-square {test.statistic:.0f}, {p_text(test.p)}"
            for name, test in second.fits.items()
        )
        samples = f" The counts of the second-hand table fit no sample size ({tests})."
    natural = headline.DEFAULT
    bidders = 100 * result.values(headline.BIDDER)[natural] / headline.PAPER
    yield Finding(
        "The headline table reproduces."
        if agree == len(means)
        else "The headline table cannot be reproduced.",
        f"{agree} of its {len(means)} lines agree under both readings of Algorithm 1, "
        f"{len(means) - agree - differ} under one of them and {differ} under neither; the paper "
        "defines neither the algorithm nor its scoring schemes. Under the natural reading "
        f"{bidders:.1f}% of deals have a bidder (published: 10.3%) and "
        f"{result.values(headline.WON)[natural]:.0f}% of contracts make (66%).{samples}",
        headline.STUDY.name,
        "% of deals with a bidder",
        (_exactly("natural reading", bidders), _exactly("published", 10.3)),
        ".1f",
    )


def _exactly(name: str, value: float) -> Measured:
    """A number without an interval."""
    return Measured(name, Interval(value, value, value))


def _strains(result: strains.Result, _others: Outcomes) -> Iterator[Finding]:

    def answer(declarers: str, choice: str) -> str:
        by_side: dict[str, list[str]] = {}
        for asked in result.answers(declarers, choice):
            gaps = by_side.setdefault(_AHEAD[side(asked.gap, asked.holm)], [])
            gaps.append(f"{_UNITS.get(asked.unit, asked.unit)} {asked.gap:+.1f}")
        sides = (f"{ahead} in {', '.join(gaps)}" for ahead, gaps in by_side.items())
        return "; ".join(sides) or "there are too few deals to say"

    own, pair, _ = strains.CHOICES
    yield Finding(
        "Notrump or a suit depends on the question.",
        f"For any declarer, compared with their own longest suit: "
        f"{answer(strains.EVERYONE, own)}. For the hands that Algorithm 1 bids: "
        f"{answer(strains.BIDDERS, own)}. For these, compared with the longest suit of both hands: "
        f"{answer(strains.BIDDERS, pair)}. (The suit's result less notrump's, with 95% intervals; "
        "ahead: p < 0.05 after Holm's correction.)",
        strains.STUDY.name,
        "points at level 1, the suit less notrump",
        tuple(
            Measured(name, asked.gap)
            for name, who, choice in (
                ("any declarer", strains.EVERYONE, own),
                ("who Algorithm 1 lets bid", strains.BIDDERS, own),
                ("the same, with dummy's suit", strains.BIDDERS, pair),
            )
            for asked in result.answers(who, choice)
            if asked.unit == strains.LEVEL_1
        ),
        "+.1f",
    )


_UNITS: Final = {
    strains.LEVEL_1: "points at level 1",
    strains.FULL: "points bidding just what makes",
    strains.GAMES: "points with a premium for game",
}
_AHEAD: Final = {-1: "notrump is ahead", 1: "the suit is ahead", 0: "neither is clearly ahead"}


def _fairness(result: fairness.Result, _others: Outcomes) -> Iterator[Finding]:
    shares = " / ".join(f"{share.estimate:.2f}" for share in result.shares[headline.DEFAULT])
    places = ", ".join(f"{place.place} {place.points:.1f}" for place in result.by_place)
    tiny = "; ".join(
        f"{row.first:+.1f}, {row.second:+.1f} and {row.third:+.1f} under {row.scheme}"
        for row in result.tiny
        if row.start == result.tiny[0].start
    )
    yield Finding(
        "The paper's game is fair except for ties; a full auction need not be.",
        f"In the paper's game the first, second and third to call declare {shares}% of the "
        "contracts; equal bids are the only cause, and rotating the deal evens them out. In full "
        "auctions under a scheme at which almost no hand should bid, a place is worth, in points "
        f"per game beyond the table's mean: {places}. On a deck of {result.deck}, where auctions "
        f"are solved, the three places are worth {tiny}.",
        fairness.STUDY.name,
        "% of contracts declared, by place",
        tuple(map(Measured, ("first", "second", "third"), result.shares[headline.DEFAULT])),
        ".2f",
        100 / 3,
    )


def _play(result: offence.Result, _others: Outcomes) -> Iterator[Finding]:
    matches = ". ".join(
        f"Over {match.result.deals:,} deals: {'; '.join(map(_result, match.comparisons))}"
        for match in result.matches
    )
    yield Finding(
        "Who beats whom in the auction.",
        f"In points per game in all seatings, with the same card play. {matches}.",
        offence.STUDY.name,
        "points a game",
        tuple(
            Measured(f"{test.first} over {test.second}", test.difference)
            for match in result.matches
            for test in match.comparisons
        ),
        "+.1f",
    )
    search, doing = result.search, {"declarer": "declaring", "defence": "defending"}
    tests = "; ".join(
        f"{doing[test.side]}, {test.first} takes {test.difference:.2f} tricks a deal more than "
        f"{test.second}" + ("" if test.p_holm < ALPHA else ", which may be chance")
        for test in search.comparisons
        if learned.LEARNED in (test.first, test.second)
    )
    missing = result.ceiling(learned.LEARNED).items()
    lost = " and ".join(f"{tricks:.2f} {doing[side]}" for side, tricks in missing)
    books = ", ".join(f"{row.strategy} {row.right}" for row in result.textbook)
    yield Finding(
        "What learning adds in the card play.",
        f"Over {search.result.deals:,} deals: {tests}. Against play that sees all cards it still "
        f"loses {lost}. Of {result.textbook[0].positions} textbook positions they play as the "
        f"books do: {books}. The maxims were written on these positions.",
        offence.STUDY.name,
        "tricks a deal",
        tuple(
            Measured(f"{test.first} over {test.second}, {doing[test.side]}", test.difference)
            for test in search.comparisons
            if learned.LEARNED in (test.first, test.second)
        ),
    )


def _result(test: Comparison) -> str:
    """Who beats whom in a match, and by how much."""
    gap = f"{test.difference:.1f}"
    if not test.p_holm < ALPHA:  # NaN where there was no test
        return f"{test.first} and {test.second} cannot be told apart ({gap})"
    return f"{test.first} beats {test.second} by {gap}"


def _cost(result: cost.Result, _others: Outcomes) -> Iterator[Finding]:
    rivals = result.ratios("forecast").values()
    yield Finding(
        "The bound on its running time holds, and is loose.",
        "A short proof gives n m (n + m) steps instead of n² m²; measured, the time grows as "
        f"(n m) to the power {result.slope:.2f}. One estimate takes "
        f"{result.microseconds:,.0f} microseconds; the better forecasts take constant time too, "
        f"{min(rivals):.0f} to {max(rivals):.0f} times as long when asked one by one.",
        cost.STUDY.name,
        "power of n m; the paper's bound is 2",
        (Measured("measured", result.slope),),
        ".2f",
        2.0,
    )


def _bidding(result: learned.Result, _others: Outcomes) -> Iterator[Finding]:
    over = next(gain for gain in result.over_paper() if gain.settled_by == learned.PLAYED)
    paper, own = result.bidding_of(learned.PAPER), result.bidding_of(learned.LEARNED)
    alone = ", ".join(
        f"{row.points:+.1f} over two of {row.others}"
        for row in result.nothing
        if row.settled_by == learned.PLAYED
    )
    verbs = {-1: "scores less than", 0: "cannot be told apart from", 1: "scores more than"}
    yield Finding(
        "What learning adds in the auction.",
        f"The learned bidder {result.training}. One that learned from nothing, by self-play "
        f"alone, scores {alone} (points per deal, as played). "
        f"In points per game over {result.deals:,} deals, one learned bidder "
        f"{verbs[side(over.points, over.holm)]} two of the paper's (difference from the "
        f"others: {over.points:+.1f}). Three of the paper's bidders pass "
        f"{paper.passed_out:.0f}% of the deals out and know notrump only; three learned ones pass "
        f"{own.passed_out:.0f}% out, name a suit in {100 - own.notrump:.0f}% of their contracts "
        f"and make {own.made:.0f}% of them.",
        learned.STUDY.name,
        "points a game over two of the paper's bidders",
        tuple(Measured(gain.settled_by, gain.points) for gain in result.over_paper()),
        "+.1f",
    )


def _beliefs(result: beliefs.Result, _others: Outcomes) -> Iterator[Finding]:
    calls, paper = result.gain().saved, result.gain("capture").saved
    yield Finding(
        f"Calls say {'a little' if calls.low > 0 else 'nothing measurable'} about the hidden "
        "cards.",
        f"Over {result.games:,} games, a model of bidders saves {calls:.3f} of "
        f"{result.uniform:.2f} bits per unseen card once the auction is over; a model that takes "
        f"everyone for the paper's bidder saves {paper:.3f}. The chance that a card led wins "
        f"is off by {result.chosen_wins()['best'].off:.1f} percentage points.",
        beliefs.STUDY.name,
        "bits a card saved",
        (Measured("a model of bidders", calls), Measured("the paper's bidder", paper)),
        "+.3f",
    )


def _opponents(result: opponents.Result, _others: Outcomes) -> Iterator[Finding]:
    led, games = result.lead(opponents.CALLS), result.games[0]
    assert led.saved is not None
    tricks = {-1: "cost tricks", 0: "make no clear difference", 1: "save tricks"}
    points = {-1: "cost points", 0: "make no clear difference", 1: "gain points"}
    pays = {-1: "costs", 0: "does not clearly pay", 1: "pays"}
    at_lead, in_games = side(led.saved, led.holm), side(games.gained, games.p)
    worth = (
        f"{pays[at_lead]}, at the opening lead as in complete games"
        if at_lead == in_games
        else f"{pays[at_lead]} at the opening lead and {pays[in_games]} in complete games"
    )
    yield Finding(
        f"Inferring hands from the calls {worth}.",
        f"Over {led.leads:,} opening leads the calls {tricks[at_lead]}: {led.saved:+.3f} tricks "
        f"saved a lead ({p_text(led.holm)} after Holm's correction). In {games.games:,} complete "
        f"games they {points[in_games]}: "
        f"{games.gained:+.2f} points a game; {games.found:.1f} would be found 8 times in 10.",
        opponents.STUDY.name,
        "tricks saved an opening lead",
        tuple(
            Measured(opponents.LAYOUTS_BY[row.layouts], row.saved)
            for row in result.leads
            if row.saved is not None
        ),
        "+.3f",
    )


def _place(result: place.Result, _others: Outcomes) -> Iterator[Finding]:
    known, plain = result.known(place.CONTRACT), result.known(place.AUCTION)
    six = result.known(place.CONTRACT, 6)
    pays = {-1: "would cost", 0: "would not clearly pay", 1: "would pay"}
    yield Finding(
        f"To know the hidden hand before the auction {pays[side(known.gained, known.holm)]}.",
        f"A player who searches in the auction gains {known.gained:+.1f} points a deal under "
        f"contract by knowing all thirteen cards of it, and {six.gained:+.1f} by six; under "
        f"auction {plain.gained:+.1f} by all. All over {known.deals:,} deals, compared with the "
        "same search that knows none, while the others do not know what is known.",
        place.STUDY.name,
        "points a deal, one player knowing all 13 cards",
        tuple(
            Measured(f"{row.cards} known, {row.scheme}", row.gained) for row in (known, six, plain)
        ),
        "+.1f",
    )
    rows = [result.place(place.CONTRACT, name) for name in place.PLACES]
    sides = {row.place: side(row.points, row.holm) for row in rows}
    words = {1: "gains", 0: "is even", -1: "loses"}
    small = {(row.deck, row.scoring) for row in result.solved if row.scoring != place.AUCTION}
    losing = {(row.deck, row.scoring) for row in result.solved if row.third <= 0} & small
    yield Finding(
        "Under contract "
        + ", ".join(f"the {name} to call {words[sign]}" for name, sign in sides.items())
        + ".",
        f"Among three learned players, over {rows[0].deals:,} deals with everybody dealing once: "
        + "; ".join(f"{row.place} {row.points:+.1f} points a deal" for row in rows)
        + ". On small decks, where auctions are solved, it depends on the deck: of "
        f"{len(small)} games at which bidding pays, the last to call gains in "
        f"{len(small) - len(losing)}.",
        place.STUDY.name,
        "points a deal of the dealer",
        tuple(Measured(f"{row.place} to call", row.points) for row in rows),
        "+.1f",
    )


def _calls(result: calls.Result, _others: Outcomes) -> Iterator[Finding]:
    most, *_, least = result.kinds_of(calls.CONTRACT)
    own = result.model(calls.CONTRACT, calls.CALIBRATED)
    closed = result.model(calls.CONTRACT, calls.CLOSED)
    worth = "less than nothing" if closed.bits.high < 0 else f"{closed.bits.estimate:.1f} bits"
    yield Finding(
        f"A whole auction says {own.bits.estimate:.1f} bits of the 62 that a player does not know.",
        f"Under contract, {own.bits:.2f} bits about all hands that a player does not see, by the "
        f"table's calibrated model. The paper's closed form gets {worth} out of the same auctions "
        f"({closed.bits:.2f} bits). The call that says most about its caller's hand is {most.call} "
        f"({most.caller:+.2f} bits), the one that says least {least.call} ({least.caller:+.2f}).",
        calls.STUDY.name,
        "bits that an auction says to a player",
        tuple(
            Measured(row.model, row.bits)
            for row in result.modelled
            if row.scheme == calls.CONTRACT and row.model in (calls.CALIBRATED, calls.CLOSED)
        ),
        "+.2f",
    )


_ALL: Final[Mapping[Study[Any, Any], Callable[[Any, Outcomes], Iterator[Finding]]]] = {
    truth.STUDY: _algorithm2,
    headline.STUDY: _headline,
    strains.STUDY: _strains,
    offence.STUDY: _play,
    learned.STUDY: _bidding,
    place.STUDY: _place,
    beliefs.STUDY: _beliefs,
    calls.STUDY: _calls,
    opponents.STUDY: _opponents,
    fairness.STUDY: _fairness,
    cost.STUDY: _cost,
}
"""What makes the findings of a study's result, beside the outcomes of others."""
