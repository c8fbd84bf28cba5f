"""What the review page shows: every card with its verdict, and a graph of declarer's tricks.

Verdicts come from an `Analysis` in the form of `Judgement.as_json`, as far as it has got.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from tribridge.cards import Card, Hand, parse_card
from tribridge.deals import HIDDEN, Deal, Seat
from tribridge.game import Call, Chair, Table, parse_call
from tribridge.game.tricks import chair_hands
from tribridge.web.core.reviews import Analysis
from tribridge.web.core.state import Finished, Place
from tribridge.web.language import formatted, gettext, mark, translated
from tribridge.web.view.board import SPOTS, sorted_cards, trump_of

_MARKS: Final = {"mistake": "?", "inaccuracy": "?!"}
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 624, 170, 26, 10, 18
_MOST_OPTIONS: Final = 5


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judgement as the page shows it."""

    words: str
    kind: str
    """For the style sheet: best, good, inaccuracy, mistake, forced or unjudged."""
    luck: str
    mark: str
    """A sign like those of chess: `?`, `?!`, or `~` for bad luck."""
    reason: str
    cost: float
    options: tuple[tuple[str, str, str, str], ...]
    """The best options and the one chosen: name, expectation, points, double dummy."""
    opinion: str
    """The card that the network prefers."""


@dataclass(frozen=True, slots=True)
class Played:
    """One card of the play."""

    number: int
    """Counted from 1 over the whole play."""
    card: Card
    chair: Chair
    who: str
    winner: bool
    verdict: Verdict | None
    before: int | None
    """Declarer's tricks double dummy before the card."""
    expected: float | None
    """What the player could expect before it."""
    value: int | None
    """Declarer's tricks double dummy after the card."""


@dataclass(frozen=True, slots=True)
class Called:
    """One call of the auction."""

    seat: Seat
    who: str
    call: Call
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class Graph:
    """Declarer's tricks before each card, as coordinates of an SVG."""

    width: int
    height: int
    left: int
    lines: tuple[tuple[float, int], ...]
    """Height and number of tricks of each horizontal line."""
    needed: float | None
    """The height of the contract."""
    double_dummy: str
    declarer: str
    """What declarer could expect, at each turn of their two hands."""
    defenders: str
    """What the defenders could expect, each at their turn."""
    dots: tuple[tuple[float, float, str], ...]
    """Where cards were wrong or unlucky: position and kind."""
    here: float
    """The position of the current card."""


def verdict_of(judgement: dict[str, Any]) -> Verdict:
    """A judgement in the words and signs of the page."""
    words, luck = str(judgement["verdict"]), judgement["luck"] or ""
    chosen = judgement["action"]
    options = judgement["options"]
    shown = options[:_MOST_OPTIONS]
    shown += [one for one in options[_MOST_OPTIONS:] if one["action"] == chosen]
    opinion = judgement["second_opinion"]
    return Verdict(
        words=_words(words, luck),
        kind="unjudged" if words == "not judged" else words,
        luck=luck,
        mark="~" if luck == "bad luck" else _MARKS.get(words, ""),
        reason=judgement["reason"],
        cost=judgement["cost"] or 0,
        options=tuple(
            (
                _named(one["action"], judgement["chair"]),
                formatted("%.2f" if judgement["chair"] else "%+.1f", one["expected"]),
                formatted("%+.1f", one["points"]),
                "" if one["actual"] is None else f"{one['actual']:g}",
            )
            for one in shown
        ),
        opinion="" if opinion is None else str(parse_card(opinion)),
    )


_VERDICTS: Final = (
    mark("best"),
    mark("good"),
    mark("inaccuracy"),
    mark("mistake"),
    mark("forced"),
    mark("not judged"),
    mark("bad luck"),
    mark("lucky"),
)


def _words(verdict: str, luck: str) -> str:
    if not luck:
        return gettext(verdict)
    return gettext("{verdict}, {luck}").format(verdict=gettext(verdict), luck=gettext(luck))


def _named(action: str, chair: str | None) -> str:
    return str(parse_card(action)) if chair else translated(parse_call(action))


def called(table: Table, places: Sequence[Place], analysis: Analysis) -> list[Called]:
    """The calls of a deal with their verdicts."""
    calls = []
    for at, call in enumerate(table.auction.calls):
        seat = Seat((table.dealer + at) % 3)
        judged = analysis.judgements[at] if at < len(analysis.judgements) else None
        verdict = None if judged is None else verdict_of(judged)
        calls.append(Called(seat, places[seat].name, call, verdict))
    return calls


def plays(table: Table, names: Sequence[str], analysis: Analysis) -> list[Played]:
    """The cards of a deal in order, each with its verdict where it is known."""
    position, contract = table.position, table.contract
    if position is None or contract is None:
        return []
    judged = analysis.judgements[len(table.auction.calls) :]
    rounds: list[tuple[Chair, tuple[Card, ...], Chair | None]] = [
        (trick.leader, trick.cards, trick.winner) for trick in position.tricks
    ]
    if position.trick:
        rounds.append((position.leader, position.trick, None))
    cards: list[Played] = []
    for leader, trick, winner in rounds:
        for at, card in enumerate(trick):
            chair = Chair((leader + at) % 4)
            own = judged[len(cards)] if len(cards) < len(judged) else None
            before = None if own is None else own["double_dummy"]
            cost = 0 if own is None else int(own["cost"] or 0)
            cards.append(
                Played(
                    number=len(cards) + 1,
                    card=card,
                    chair=chair,
                    who=gettext("Dummy")
                    if chair is Chair.DUMMY
                    else names[chair.player(contract.declarer)],
                    winner=chair is winner,
                    verdict=None if own is None else verdict_of(own),
                    before=before,
                    expected=None if own is None else own["expected"],
                    value=None
                    if before is None
                    else before - cost
                    if chair.declaring
                    else before + cost,
                )
            )
    return cards


def hands_around(
    deal: Deal, table: Table, played: Sequence[Played], places: Sequence[Place]
) -> list[dict[str, Any]]:
    """The four hands around the table after some cards, the declarer at the bottom."""
    contract = table.contract
    gone = {one.card for one in played}
    trump = trump_of(contract)
    hands = []
    for at, spot in enumerate(SPOTS):
        if contract is None:
            seat = (2, 0, HIDDEN, 1)[at]
            mask = deal.hands[seat].mask
            name = gettext("Hidden hand") if seat == HIDDEN else places[seat].name
        else:
            chair = Chair(at)
            mask = chair_hands(deal, contract.declarer)[at]
            seat = chair.player(contract.declarer)
            name = gettext("Dummy") if chair is Chair.DUMMY else places[seat].name
        cards = sorted_cards(Hand(mask), trump)
        hands.append(
            {
                "spot": spot,
                "name": name,
                "cards": [c for c in cards if c not in gone],
                "declarer": contract is not None and at == 0,
            }
        )
    return hands


def graph_of(cards: Sequence[Played], done: Finished, needed: int | None, step: int) -> Graph:
    """The graph over all cards; lines stop where the analysis has got to."""
    known = [one for one in cards if one.before is not None]
    heights = [float(one.before or 0) for one in known]
    heights += [one.expected for one in known if one.expected is not None]
    heights += [float(done.outcome.tricks)] + ([] if needed is None else [float(needed)])
    low, high = int(min(heights)), int(max(heights) + 0.999)
    low, high = max(0, low - (high - low < 2)), high + (high - low < 2)
    count = max(len(cards), 1)

    def x(number: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT) * (number - 0.5) / count, 1)

    def y(tricks: float) -> float:
        share = (tricks - low) / max(high - low, 1)
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)

    def expected(declaring: bool) -> str:
        return " ".join(
            f"{x(one.number)} {y(one.expected)}"
            for one in known
            if one.expected is not None and one.chair.declaring is declaring
        )

    exact = [(x(one.number), y(one.before or 0)) for one in known]
    if known and len(known) == len(cards) and not done.claimed:
        exact.append((float(_WIDTH), y(done.outcome.tricks)))
    steps = [f"{px} {y0} {px} {py}" for (_, y0), (px, py) in pairwise(exact)]
    start = [f"{exact[0][0]} {exact[0][1]}"] if exact else []
    return Graph(
        width=_WIDTH,
        height=_HEIGHT,
        left=_LEFT,
        lines=tuple((y(n), n) for n in range(low, high + 1)),
        needed=None if needed is None else y(needed),
        double_dummy=" ".join(start + steps),
        declarer=expected(True),
        defenders=expected(False),
        dots=tuple(
            (
                x(one.number),
                y(one.before or 0),
                one.verdict.kind if one.verdict.mark != "~" else "luck",
            )
            for one in known
            if one.verdict is not None and one.verdict.mark
        ),
        here=x(step) if step else float(_LEFT),
    )
