"""A deal with all hands face up, for the review and the arena: hands, calls and cards, verdicts.

Verdicts come from an `Analysis`, as far as it has got.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Final

from tribridge.cards import Card
from tribridge.deals import HIDDEN, Seat
from tribridge.game import Call, Chair, Contract, Table
from tribridge.reviews import Judgement
from tribridge.web.core.reviews import Analysis
from tribridge.web.language import formatted, gettext, mark, translated
from tribridge.web.view.board import SPOTS, sorted_cards, trump_of

_MARKS: Final = {"mistake": "?", "inaccuracy": "?!"}
_MOST_OPTIONS: Final = 5
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


@dataclass(frozen=True, slots=True)
class OpenHand:
    """One of the four hands."""

    spot: str
    seat: Seat | None
    """None for the dummy and the hidden hand."""
    name: str
    cards: tuple[Card, ...]
    declarer: bool


def open_hands(
    table: Table, gone: Container[Card], base: Seat, names: Sequence[str]
) -> list[OpenHand]:
    """The hands around the table without the cards that have gone; `base` sits at the bottom."""
    contract, seats = table.contract, (base, base.left, None, base.right)
    trump = trump_of(contract)
    fourth = gettext("Hidden hand") if contract is None else gettext("Dummy")
    return [
        OpenHand(
            spot,
            seat,
            fourth if seat is None else names[seat],
            tuple(
                card
                for card in sorted_cards(table.deal.hands[HIDDEN if seat is None else seat], trump)
                if card not in gone
            ),
            contract is not None and contract.declarer is seat,
        )
        for spot, seat in zip(SPOTS, seats, strict=True)
    ]


def spot_of(chair: Chair, contract: Contract, base: Seat) -> str:
    """Where a chair sits around the table, with `base` at the bottom."""
    if chair is Chair.DUMMY:
        return "top"
    return ("bottom", "left", "right")[(chair.player(contract.declarer) - base) % 3]


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

    @property
    def dot(self) -> str:
        """Its kind in the graph."""
        return "luck" if self.mark == "~" else self.kind


def verdict_of(judgement: Judgement) -> Verdict:
    """A judgement in the words and signs of the page."""
    verdict, luck = judgement.verdict.value, judgement.luck or ""
    words = gettext(verdict)
    if luck:
        words = gettext("{verdict}, {luck}").format(verdict=words, luck=gettext(luck))
    options, card = list(judgement.options), judgement.chair is not None
    shown = options[:_MOST_OPTIONS]
    shown += [o for o in options[_MOST_OPTIONS:] if o.action == judgement.action]
    opinion = judgement.second_opinion
    return Verdict(
        words=words,
        kind="unjudged" if verdict == "not judged" else verdict,
        luck=luck,
        mark="~" if luck == "bad luck" else _MARKS.get(verdict, ""),
        reason=judgement.reason,
        cost=judgement.cost or 0,
        options=tuple(
            (
                translated(o.action),
                formatted("%.2f" if card else "%+.1f", o.expected),
                formatted("%+.1f", o.points),
                "" if o.actual is None else f"{o.actual:g}",
            )
            for o in shown
        ),
        opinion="" if opinion is None else str(opinion),
    )


@dataclass(frozen=True, slots=True)
class Called:
    """One call of the auction."""

    who: str
    call: Call
    verdict: Verdict | None


def called(table: Table, names: Sequence[str], analysis: Analysis) -> list[Called]:
    """The calls of a deal with their verdicts."""
    judged = analysis.judgements
    return [
        Called(
            names[(table.dealer + at) % 3],
            call,
            verdict_of(judged[at]) if at < len(judged) else None,
        )
        for at, call in enumerate(table.auction.calls)
    ]


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

    @property
    def value(self) -> int | None:
        """Declarer's tricks double dummy after the card."""
        if self.before is None or self.verdict is None:
            return None
        cost = int(self.verdict.cost)
        return self.before - cost if self.chair.declaring else self.before + cost


def plays(table: Table, names: Sequence[str], analysis: Analysis | None = None) -> list[Played]:
    """The cards of a deal in order, each with its verdict where it is known."""
    position, contract = table.position, table.contract
    if position is None or contract is None:
        return []
    judged = [] if analysis is None else analysis.judgements[len(table.auction.calls) :]
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
            dummy = chair is Chair.DUMMY
            cards.append(
                Played(
                    number=len(cards) + 1,
                    card=card,
                    chair=chair,
                    who=gettext("Dummy") if dummy else names[chair.player(contract.declarer)],
                    winner=chair is winner,
                    verdict=None if own is None else verdict_of(own),
                    before=None if own is None else own.double_dummy,
                    expected=None if own is None else own.expected,
                )
            )
    return cards


def last_trick(played: Sequence[Played], contract: Contract, base: Seat) -> dict[str, Played]:
    """The cards of the trick on the table, by where they lie."""
    start = (len(played) - 1) // 4 * 4 if played else 0
    return {spot_of(card.chair, contract, base): card for card in played[start:]}
