"""The abstract of the report: the main findings in plain language, the unflattering ones first.

Every number, and every "no better than" or "ahead", comes from the studies that were run; a finding
whose study was not run is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tribridge.game.textbook import positions
from tribridge.studies.auctions import LEARNED, PLAYED
from tribridge.studies.claims import ALPHA, FAILS, HOLDS, Claim, Span, p_text, side, signed
from tribridge.studies.strains import LEVEL_1, PREMIUM
from tribridge.studies.tables import Study

Studies = Mapping[str, Study]


@dataclass(frozen=True, slots=True)
class Finding:
    """One result: a headline and a sentence or two."""

    title: str
    text: str


def findings(studies: Studies, judged: Sequence[Claim]) -> list[Finding]:
    """The findings of the studies at hand, in the order of the abstract."""
    found = [finding for make in _ALL for finding in make(studies)]
    counts = {verdict: sum(c.verdict == verdict for c in judged) for verdict in (HOLDS, FAILS)}
    left = len(judged) - sum(counts.values())
    return [
        *found,
        Finding(
            "The claims together:",
            f"{counts[HOLDS]} of {len(judged)} hold, {counts[FAILS]} fail, and {left} depend on "
            "the question, are not determined by the text or undecided by the data.",
        ),
    ]


def _span(values: Span, digits: int = 2) -> str:
    estimate, low, high = values
    return f"{estimate:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _by_sign(values: Span, below: str, neither: str, above: str) -> str:
    """The words for an interval that lies below 0, includes it, or lies above it."""
    _, low, high = values
    return below if high < 0 else above if low > 0 else neither


def _algorithm2(studies: Studies) -> Iterator[Finding]:
    if "truth" not in studies:
        return
    study = studies["truth"]
    two = study.facts["accuracy"]["Algorithm 2"]
    rows = {
        str(r["estimate"]): r
        for r in study.table("truth-alternatives").records()
        if r["declarers of whom"] == "Algorithm 2 says captures"
    }
    errors = {name: float(rows[f"{name}, 26 cards"]["absolute error"] or 0)
              for name in ("points", "net")}  # fmt: skip
    less = two["error less constant's"], two["less from"], two["less to"]
    worth = _by_sign(less, "closer than", "no better than", "worse than") + " a constant"
    reproduced, agrees = "", True
    if "conditions" in studies:
        compared = studies["conditions"].comparisons
        agrees = all(one.verdict == "agrees" for one in compared)
        counts = [one for one in compared if not one.follows]
        good = sum(one.verdict == "agrees" for one in counts)
        reproduced = (
            f"{good} of the {len(counts)} counts in Tables 1 and 2 agree with the exact ones (the "
            f"other {len(compared) - len(counts)} figures follow from them), but "
        )
    yield Finding(
        f"Algorithm 2 reproduces{'' if agrees else ' in part'}, and as a prediction it is {worth}.",
        f"{reproduced}against double dummy it promises {abs(two['bias']):.2f} tricks too "
        f"{'many' if two['bias'] > 0 else 'few'} on average and is "
        f"off by {two['absolute error']:.2f} tricks, {_span(less)} compared with always naming the "
        f"median. A point count on the same 26 cards is off by {errors['points']:.2f}, a small "
        f"network by {errors['net']:.2f}: "
        f"{two['absolute error'] - errors['net']:.2f} tricks closer.",
    )


def _headline(studies: Studies) -> Iterator[Finding]:
    if "headline" not in studies:
        return
    means = [c for c in studies["headline"].comparisons if c.follows]
    agree = sum(c.verdict == "agrees" for c in means)
    differ = sum(c.verdict == "differs" for c in means)
    facts = studies["headline"].facts
    samples = ""
    if "second-hand" in studies:
        fits = studies["second-hand"].facts["published proportions"]
        if all(test.p < ALPHA for test in fits.values()):
            tests = "; ".join(
                f"{name}: chi-square {test.statistic:.0f}, {p_text(test.p)}"
                for name, test in fits.items()
            )
            samples = f" The counts of the second-hand table fit no sample size ({tests})."
    yield Finding(
        "The headline table reproduces."
        if agree == len(means)
        else "The headline table cannot be reproduced.",
        f"{agree} of its {len(means)} lines agree under both readings of Algorithm 1, "
        f"{len(means) - agree - differ} under one of them and {differ} under neither; the paper "
        "defines neither the algorithm nor its scoring schemes. Under the natural reading "
        f"{100 * facts['share with a bidder']['natural']:.1f}% of deals have a bidder (published: "
        f"10.3%) and {facts['win rate']['natural']:.0f}% of contracts make (66%).{samples}",
    )


def _strains(studies: Studies) -> Iterator[Finding]:
    if "strains" not in studies:
        return
    questions = studies["strains"].facts["questions"]

    def answer(declarers: str, suit: str) -> str:
        by_side: dict[str, list[str]] = {}
        for (who, named, unit), (gap, p) in questions.items():
            if (who, named) == (declarers, suit):
                gaps = by_side.setdefault(_AHEAD[side(gap, p)], [])
                gaps.append(f"{_UNITS.get(unit, unit)} {signed(gap, 1)}")
        sides = (f"{side} in {', '.join(gaps)}" for side, gaps in by_side.items())
        return "; ".join(sides) or "there are too few deals to say"

    yield Finding(
        "Notrump or a suit depends on the question.",
        f"For any declarer, compared with their own longest suit: "
        f"{answer('all declarers', 'longest suit')}. For the hands that Algorithm 1 bids: "
        f"{answer('Algorithm 1 bids', 'longest suit')}. For these, compared with the longest suit "
        f"of both hands: {answer('Algorithm 1 bids', 'longest with dummy')}. (The suit's result "
        "less notrump's, with 95% intervals; ahead: p < 0.05 after Holm's correction.)",
    )


_UNITS: Final = {
    LEVEL_1: "points at level 1",
    "points, auction": "points bidding just what makes",
    f"points, {PREMIUM}": "points with a premium for game",
}
_AHEAD: Final = {
    -1: "notrump is ahead",
    1: "the suit is ahead",
    0: "neither is clearly ahead",
}


def _fairness(studies: Studies) -> Iterator[Finding]:
    if "fairness" not in studies:
        return
    facts = studies["fairness"].facts
    shares = " / ".join(f"{share:.2f}" for share, _, _ in facts["seats"]["natural"].values())
    places = ", ".join(f"{one['place']} {_span(one['points'], 1)}" for one in facts["order"])
    yield Finding(
        "The game is fair except for ties.",
        f"In the paper's game the first, second and third to call declare {shares}% of the "
        "contracts; equal bids are the only cause, and rotating the deal evens them out. In full "
        f"auctions a place is worth, in points per game beyond the table's mean: {places}.",
    )


def _play(studies: Studies) -> Iterator[Finding]:
    if "offence" not in studies:
        return
    facts = studies["offence"].facts
    matches = ". ".join(f"Over {one['deals']:,} deals: {_results(one)}" for one in facts["matches"])
    if matches:
        yield Finding(
            "Who beats whom in the auction.",
            f"In points per game in all seatings, with the same card play. {matches}."
            f"{_trained(facts['matches'])}",
        )
    search = facts["search"]
    tests = search["tests"]
    learned = [one for one in tests if "learned" in (one["better"], one["worse"])]
    if learned:
        yield Finding(
            "What learning adds in the card play.",
            f"{_learning(learned, search)} {_textbook(facts['textbook'])}",
        )


def _results(match: Mapping[str, Any]) -> str:
    """Who beats whom in a match, and by how much; and who wins more games, if that is another."""

    def result(one: Mapping[str, Any]) -> str:
        gap = _span(one["difference"], 1)
        if one["p"] >= ALPHA:
            return f"{one['better']} and {one['worse']} cannot be told apart ({gap})"
        won, _, high = one["won"]
        more = (
            f", although {one['worse']} scores more in more games ({100 - 100 * won:.1f}%, equal "
            "points as half)"
            if high < 0.5
            else ""
        )
        return f"{one['better']} beats {one['worse']} by {gap}{more}"

    return "; ".join(result(one) for one in match["tests"])


def _trained(matches: Sequence[Mapping[str, Any]]) -> str:
    """What to know about a win of the learned bidder over the one that it was trained against."""
    met = {name.partition("+")[0] for match in matches for one in match["tests"]
           for name in (one["better"], one["worse"])}  # fmt: skip
    if not {LEARNED, "forecast"} <= met:
        return ""
    return " (learned was trained against copies of forecast.)"


def _textbook(counts: Mapping[str, int]) -> str:
    """How strategies play the textbook positions."""
    shown = ", ".join(f"{name} {count}" for name, count in counts.items())
    return (
        f"Of {len(positions())} textbook positions they play as the books do: {shown} (the maxims "
        "were tested on these positions, the others not)."
    )


def _learning(tests: Sequence[Mapping[str, Any]], search: Mapping[str, Any]) -> str:
    sentences = [
        f"{'declaring' if one['side'] == 'declarer' else 'defending'}, {one['better']} takes "
        f"{_span(one['difference'])} tricks a deal more than {one['worse']}"
        + ("" if one["p"] < ALPHA else ", which may be chance")
        for one in tests
    ]
    ceiling = {
        side: values["learned"] for side, values in search["ceiling"].items() if "learned" in values
    }
    missing = " and ".join(f"{value:.2f} {_SIDES[side]}" for side, value in ceiling.items())
    rest = f" Against play that sees all cards it still loses {missing}." if missing else ""
    return f"Over {search['deals']:,} deals: {'; '.join(sentences)}.{rest}"


_SIDES: Final = {"declarer": "declaring", "defence": "defending"}


def _cost(studies: Studies) -> Iterator[Finding]:
    if "cost" not in studies:
        return
    facts = studies["cost"].facts
    times = facts["microseconds"]
    two = times["Algorithm 2, reference"]
    rivals = [value / two for name, value in times.items() if name.startswith("forecast")]
    yield Finding(
        "The bound on its running time holds, and is loose.",
        "A short proof gives n m (n + m) steps instead of n² m²; measured, the time grows as "
        f"(n m) to the power {_span(facts['slope'])}. One estimate takes {two:,.0f} microseconds; "
        f"the better forecasts take constant time too, {min(rivals):.0f} to {max(rivals):.0f} "
        "times as long when asked one by one.",
    )


def _bidding(studies: Studies) -> Iterator[Finding]:
    if "learning" not in studies:
        return
    facts = studies["learning"].facts
    key = LEARNED, "capture", PLAYED
    over, p = facts["strength"][key], facts["holm"][key]
    paper, learned = (facts["bidding"][name] for name in ("capture", "learned"))
    alone = facts["situations"]["only the learned one bids"]
    worth = _span(alone["learned"], 1) if alone["learned"][0] is not None else "too few to say"
    best, gain = facts["responses"]["learned", PLAYED]
    yield Finding(
        "What learning adds in the auction.",
        f"The learned bidder {facts['training']}; no bidder here learned by self-play alone. "
        f"In points per game over {facts['deals']:,} deals, one learned bidder "
        f"{_COMPARED[side(over, p)]} two of the paper's (difference from the others: "
        f"{signed(over, 1)}). Three of the paper's bidders pass "
        f"{paper['passed out']:.0f}% of the deals out and know notrump only; three learned ones "
        f"pass {learned['passed out']:.0f}% out, name a suit in {100 - learned['notrump']:.0f}% of "
        f"their contracts and make {learned['made']:.0f}% of them. On "
        f"{alone['share']:.0f}% of all hands only the learned one opens; such a bid is worth "
        f"{worth} points if it becomes the contract. The best answer to it among the bidders "
        f"tried, {best}, scores {signed(gain, 1)} compared with the two learned ones.",
    )


_COMPARED: Final = {
    -1: "scores less than",
    0: "cannot be told apart from",
    1: "scores more than",
}


def _beliefs(studies: Studies) -> Iterator[Finding]:
    if "beliefs" not in studies:
        return
    facts = studies["beliefs"].facts
    calls, lost, wins = facts["calls"], facts["lost"], facts["wins"]
    paper = facts["gains"]["capture", "auction over"]
    pays = _by_sign(lost["gain"], "costs tricks", "makes no clear difference", "saves tricks")
    informs = calls["gain"][1] > 0
    yield Finding(
        f"Calls say {'a little' if informs else 'nothing measurable'} about the hidden cards.",
        f"Over {facts['games']:,} games, a model of bidders saves {_span(calls['gain'], 3)} of "
        f"{calls['uniform']:.2f} bits per unseen card once the auction is over; a model that takes "
        f"everyone for the paper's bidder saves {_span(paper, 3)}. The chance that a card led wins "
        f"is off by {_span(wins['bias']['best'], 1)} percentage points. Over {lost['leads']:,} "
        f"leads the model {pays}: "
        f"{signed(lost['gain'], 3)} tricks saved per lead.",
    )


def _risk(studies: Studies) -> Iterator[Finding]:
    if "risk" not in studies:
        return
    facts = studies["risk"].facts[PLAYED]
    change = facts["caution"]["forecast, caution 0 to 1"]
    others = facts["over capture"]
    sure = [name for name, one in others.items() if one["p"] < ALPHA]
    paper = (
        f"{', '.join(sure)} are ahead of it in both"
        if sure
        else "no other caller is ahead of it in both beyond chance"
    )
    yield Finding(
        "Caution has a price.",
        f"Full caution changes the mean of the worst 5% of deals by "
        f"{signed(change['worst 5%'], 1)} points and the expected points per deal by "
        f"{signed(change['points'], 1)}. Of the paper's bidder: {paper} (the worst 5% are "
        f"{facts['tail']} deals; Holm's correction over {len(others)} callers).",
    )


_ALL: Final[tuple[Callable[[Studies], Iterator[Finding]], ...]] = (
    _algorithm2, _headline, _strains, _play, _bidding, _beliefs, _risk, _fairness, _cost,
)  # fmt: skip
