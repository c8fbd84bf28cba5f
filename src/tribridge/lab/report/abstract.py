"""The ten findings of the report, the unflattering ones first, and its first screen in plain words.

Every number, and every "no better than" or "ahead", comes from the studies that were run; a finding
whose study was not run is left out. The findings are about the versions that users get.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from tribridge.common.stats import Interval
from tribridge.lab.studies import (
    calls,
    card,
    closed,
    conditions,
    headline,
    listening,
    obstacles,
    opponents,
    people,
    place,
    second_hand,
    truth,
)
from tribridge.lab.studies.claims import p_text, side
from tribridge.lab.studies.published import Comparison
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
        sentences.append(f"{_agreeing(counts)} counts in its tables agree with exact ones.")
    if (solved := result_of(outcomes, truth.STUDY)) is not None:
        two = solved.accuracy_of(truth.TWO)
        bias, worth = two.bias.estimate, _by_sign(two.less, "closer", "no closer", "further off")
        sentences.append(
            "Compared with perfect play, all cards seen, the second algorithm promises "
            f"{abs(bias):.2f} tricks too {'many' if bias > 0 else 'few'}, and it is {worth} than "
            "naming the same number of tricks every time."
        )
    if headline.STUDY.name in outcomes:
        means = [c for c in outcomes[headline.STUDY.name].comparisons if c.follows]
        agree = sum(c.verdict == "agrees" for c in means)
        sentences.append(
            f"Of the {len(means)} lines of its headline table {agree or 'none'} can be reproduced "
            "under both of our readings of what the paper leaves undefined."
        )
    if (bid := result_of(outcomes, card.STUDY)) is not None:
        over, near = (card.answers(bid)[key].span for key in ("over-paper", "near-learned"))
        sentences.append(
            f"A bidding card of {len(bid.card)} lines scores {_compared(over)} its rule for "
            f"bidding ({over.estimate:+.1f} a deal), and {_compared(near)} a network that "
            f"learned by playing ({near.estimate:+.1f})."
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


def _compared(span: Interval) -> str:
    """How much somebody scores beside somebody else, in points a deal."""
    return _by_sign(span, "less than", f"{_within(span, 1)} points a deal of", "more than")


def _within(span: Interval, digits: int) -> str:
    """How far from 0 the number may be, rounded up: what there is to say if it may be 0."""
    return f"within {ceil(max(-span.low, span.high) * 10**digits) / 10**digits:.{digits}f}"


def _agreeing(counts: Sequence[Comparison]) -> str:
    """How many of some counts agree, for the beginning of a sentence."""
    good = sum(figure.verdict == "agrees" for figure in counts)
    return f"All {good}" if good == len(counts) else f"{good} of the {len(counts)}"


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
        reproduced = (
            f"{_agreeing(counts)} counts in Tables 1 and 2 agree with the exact ones (the "
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
            _exactly("the median, always", two.error.estimate - two.less.estimate),
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
    bidders = {
        reading: 100 * value / headline.PAPER
        for reading, value in result.values(headline.BIDDER).items()
    }
    yield Finding(
        "The headline table reproduces."
        if agree == len(means)
        else "The headline table cannot be reproduced.",
        f"{agree} of its {len(means)} lines agree under both readings of Algorithm 1, "
        f"{len(means) - agree - differ} under one of them and {differ} under neither; the paper "
        "defines neither the algorithm nor its scoring schemes. Under the natural reading "
        f"{bidders[natural]:.1f}% of deals have a bidder (published: {_PUBLISHED}%) and "
        f"{result.values(headline.WON)[natural]:.0f}% of contracts make (66%).{samples}",
        headline.STUDY.name,
        "% of deals with a bidder",
        (
            *(_exactly(f"{reading} reading", share) for reading, share in bidders.items()),
            _exactly("published", _PUBLISHED),
        ),
        ".1f",
        _PUBLISHED,
    )


_PUBLISHED: Final = 10.3
"""The published share of deals with a bidder, in percent."""


def _exactly(name: str, value: float) -> Measured:
    """A number without an interval."""
    return Measured(name, Interval(value, value, value))


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
        "+z.3f",
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
        "+.0f",
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


def _closed(result: closed.Result, _others: Outcomes) -> Iterator[Finding]:
    whole, lead, later = map(result.gap, (closed.WHOLE, closed.LEAD, closed.LATER))
    open_dummy = {
        1: "costs declarer tricks",
        -1: "brings declarer tricks",
        0: "costs nothing for certain",
    }
    seen, unseen = result.ways[0], result.ways[-1]
    yield Finding(
        f"An open dummy {open_dummy[side(whole.tricks, whole.holm)]}.",
        f"The same {whole.count} contracts of learned bidders under {closed.SCHEME}, played by a "
        f"search in all chairs: if defenders see no card of dummy before it is played, declarer's "
        f"result changes by {whole.tricks.estimate:+.2f} tricks and "
        f"{whole.points.estimate:+.0f} points a deal, and {unseen.made:.0f}% of the contracts make "
        f"in place of {seen.made:.0f}%; closed for the lead alone, by "
        f"{lead.tricks.estimate:+.2f} tricks. The search reads no calls or signals, which would "
        "help most where least is seen.",
        closed.STUDY.name,
        "declarer's tricks a deal, dummy closed less open",
        tuple(
            Measured(name, gap.tricks)
            for name, gap in (
                ("closed throughout", whole),
                ("closed for the lead", lead),
                ("closed after it", later),
            )
        ),
    )


def _calls(result: calls.Result, outcomes: Outcomes) -> Iterator[Finding]:
    models = (("the table's model", calls.CALIBRATED), ("the paper's bidder", calls.CLOSED))
    knowing = result_of(outcomes, listening.STUDY)
    if knowing is None:
        rows = [(name, result.model(calls.CONTRACT, model)) for name, model in models]
        title, heard = f"{rows[0][1].bits.estimate:.1f} bits", ""
        bits, deals = [(name, row.bits) for name, row in rows], rows[0][1].deals
    else:
        listeners = (("who knows the bidders", listening.PREFERRED), *models)
        found = [(name, knowing.model(calls.CONTRACT, model)) for name, model in listeners]
        bits, deals = [(name, row.bits) for name, row in found], found[0][1].deals
        title = (
            f"{bits[0][1].estimate:.1f} bits to whoever knows the bidders, "
            f"{bits[1][1].estimate:.1f} to a simpler model,"
        )
        most, *_, least = knowing.kinds_of(calls.CONTRACT)
        heard = (
            "One listener has the network of the others. To this listener "
            f"{most.call} says most about its caller's hand ({most.caller:+.2f} bits), "
            f"{least.call} least ({least.caller:+.2f}). "
        )
    yield Finding(
        f"Under contract a whole auction says {title} of the 62 that a player lacks.",
        f"{heard}Over {deals:,} deals, bits about all hands that a player does not "
        f"see: {'; '.join(f'{name} gets {span:.1f}' for name, span in bits)}. What is lacking is "
        "counted card by card, 39 cards in one of three hands each. Below 0 a listener does better "
        "to ignore the calls.",
        calls.STUDY.name if knowing is None else listening.STUDY.name,
        "bits that an auction says to a player",
        tuple(Measured(name, span) for name, span in bits),
        "+.1f",
    )


def _obstacles(result: obstacles.Result, _others: Outcomes) -> Iterator[Finding]:
    first, *_, last = result.left
    parts = [(obstacles.WORDS[row.obstacle], row.mean) for row in result.removed]
    means = [(name, span) for name, span in parts if span is not None]
    names = [name for name, _ in means]
    together = f"{', '.join(names[:-1])} and {names[-1]}"
    excess = "the excess of Algorithm 2"
    how = _by_sign(
        last.bias,
        f"more than {excess}",
        f"{excess} to {_within(last.bias, 1)} tricks",
        f"part of {excess}",
    )
    alone = "; ".join(
        f"{obstacles.WORDS[row.obstacle]} {row.alone.estimate:.2f}" for row in result.removed
    )
    yield Finding(
        f"{together[0].upper()}{together[1:]} explain {how}.",
        f"Some of the declarers of Algorithm 2, for whom it promises {first.bias:.2f} tricks too "
        "many, play under rules that take away what it leaves out. On average over all orders of "
        f"removal {'; '.join(f'{name}: {span:.2f} tricks' for name, span in means)}; without all "
        f"of them {last.bias:+.2f} are left. Alone, so that they overlap: {alone}. A single count "
        f"is still off by {last.error.estimate:.2f}.",
        obstacles.STUDY.name,
        "tricks promised too many",
        (
            Measured("as it is", first.bias),
            *(Measured(name, span) for name, span in means),
            Measured("without all of them", last.bias),
        ),
        "+.2f",
    )


def _card(result: card.Result, _others: Outcomes) -> Iterator[Finding]:
    found = card.answers(result)
    near, over = found["near-learned"].span, found["over-paper"].span
    contract = found["contract"].span
    deals = max(row.deals for row in result.scores)
    yield Finding(
        f"Under auction a card of {len(result.card)} lines scores {_compared(near)} a learned "
        "network.",
        f"The card adds small whole numbers; its lines were fitted and chosen on other deals. Over "
        f"{deals:,} deals under auction, in the same seats against two learned bidders, it scores "
        f"{over:+.1f} points a deal more than the paper's Algorithm 1, "
        f"{found['over-points'].span:+.1f} more than a bidder by points, and {near:+.1f} more than "
        f"the learned one (under contract {contract:+.1f}).",
        card.STUDY.name,
        "points a deal that the card scores more",
        (
            Measured("than learned", near),
            Measured("than learned, contract", contract),
            Measured("than points", found["over-points"].span),
            Measured("than Algorithm 1", over),
        ),
        "+.1f",
    )


def _people(result: people.Result, _others: Outcomes) -> Iterator[Finding]:
    by = {row.player: row for row in result.players}
    own, human = by[people.LEARNED], by[people.HUMAN]
    near = f"{_within(own.more, 2)} tricks a board of"
    yield Finding(
        f"In the card play {own.player} is {_by_sign(own.more, 'ahead of', near, 'behind')} "
        "experts.",
        f"Over {own.boards:,} boards of team matches, always in the experts' own positions, who "
        f"lose {result.experts:.2f} tricks a board themselves, double dummy, {own.version} loses "
        f"{own.more:+.3f} more and plays {own.same:.0f}% of their cards; {human.version}, which "
        f"imitates them, {human.more:+.3f} and {human.same:.0f}%. The experts heard an auction "
        "that the players do not hear; both networks learned from other boards of such matches, "
        "and these are among the boards that chose between networks.",
        people.STUDY.name,
        "tricks a board lost more than experts lose",
        tuple(Measured(name, by[name].more) for name in (people.LEARNED, people.HUMAN, MAXIMS)),
        "+.2f",
    )


MAXIMS: Final = "maxims"

_ALL: Final[Mapping[Study[Any, Any], Callable[[Any, Outcomes], Iterator[Finding]]]] = {
    truth.STUDY: _algorithm2,
    headline.STUDY: _headline,
    obstacles.STUDY: _obstacles,
    card.STUDY: _card,
    people.STUDY: _people,
    place.STUDY: _place,
    closed.STUDY: _closed,
    calls.STUDY: _calls,
    opponents.STUDY: _opponents,
}
"""What makes the findings of a study's result, beside the outcomes of others."""
