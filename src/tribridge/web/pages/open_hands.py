"""A deal with all hands face up, for the review: hands, calls and cards, verdicts.

Verdicts come from an `Analysis`, as far as it has got.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, islice, repeat
from typing import Final, NamedTuple

from tribridge.cards import Card
from tribridge.deals import HIDDEN, Seat
from tribridge.game import Call, Chair, Contract, Table
from tribridge.reviews import Judgement, Luck, Option
from tribridge.reviews import Verdict as Judged
from tribridge.web.core.reviews import Analysis
from tribridge.web.language import gettext
from tribridge.web.view.board import SPOTS, Side, sorted_cards, trump_of

_MARKS: Final = {Judged.MISTAKE: "?", Judged.INACCURACY: "?!"}
_MOST_OPTIONS: Final = 5


def open_hands(table: Table, gone: Container[Card], base: Seat, names: Sequence[str]) -> list[Side]:
    """The hands around the table without the cards that have gone; `base` sits at the bottom."""
    contract, trump = table.contract, trump_of(table.contract)
    fourth = gettext("Hidden hand") if contract is None else gettext("Dummy")
    sides = []
    for spot, seat in zip(SPOTS, (base, base.left, None, base.right), strict=True):
        hand = sorted_cards(table.deal.hands[HIDDEN if seat is None else seat], trump)
        side = Side(
            spot=spot,
            seat=seat,
            name=fourth if seat is None else names[seat.index],
            role="declarer" if contract is not None and contract.declarer is seat else "",
            cards=tuple(card for card in hand if card not in gone),
        )
        sides.append(side)
    return sides


def spot_of(chair: Chair, contract: Contract, base: Seat) -> str:
    """Where a chair sits around the table, with `base` at the bottom."""
    if chair is Chair.DUMMY:
        return "top"
    return ("bottom", "left", "right")[(chair.player(contract.declarer).index - base.index) % 3]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judgement in the words and signs of the page."""

    judgement: Judgement

    @property
    def words(self) -> str:
        words, luck = gettext(self.judgement.verdict.value), self.judgement.luck
        if luck is None:
            return words
        return gettext("{verdict}, {luck}").format(verdict=words, luck=gettext(luck.value))

    @property
    def kind(self) -> str:
        """For the style sheet: best, good, inaccuracy, mistake, forced or unjudged."""
        verdict = self.judgement.verdict
        return "unjudged" if verdict is Judged.UNJUDGED else verdict.value

    @property
    def mark(self) -> str:
        """A sign like those of chess: `?`, `?!`, or `~` for bad luck."""
        if self.judgement.luck is Luck.BAD:
            return "~"
        return _MARKS.get(self.judgement.verdict, "")

    @property
    def dot(self) -> str:
        return "luck" if self.mark == "~" else self.kind

    @property
    def options(self) -> list[Option]:
        """The best options and the one chosen."""
        best, rest = self.judgement.options[:_MOST_OPTIONS], self.judgement.options[_MOST_OPTIONS:]
        return [*best, *(option for option in rest if option.action == self.judgement.action)]


class Called(NamedTuple):
    """One call of the auction."""

    who: str
    call: Call
    verdict: Verdict | None


def called(table: Table, names: Sequence[str], analysis: Analysis) -> list[Called]:
    """The calls of a deal with their verdicts."""
    verdicts = chain(map(Verdict, analysis.judgements), repeat(None))
    who = islice(cycle(names), table.dealer.index, None)
    return list(map(Called, who, table.auction.calls, verdicts))


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
        cost = int(self.verdict.judgement.cost or 0)
        return self.before - cost if self.chair.declaring else self.before + cost


def plays(table: Table, names: Sequence[str], analysis: Analysis) -> list[Played]:
    """The cards of a deal in order, each with its verdict where it is known."""
    position, contract = table.position, table.contract
    if position is None or contract is None:
        return []
    judged = analysis.judgements[len(table.auction.calls) :]
    cards: list[Played] = []
    for number, (leader, trick) in enumerate(position.rounds()):
        closed = number < len(position.tricks)
        winner = position.tricks[number].winner if closed else None
        for at, card in enumerate(trick):
            chair = Chair((leader + at) % 4)
            own = judged[len(cards)] if len(cards) < len(judged) else None
            dummy = chair is Chair.DUMMY
            cards.append(
                Played(
                    number=len(cards) + 1,
                    card=card,
                    chair=chair,
                    who=gettext("Dummy") if dummy else names[chair.player(contract.declarer).index],
                    winner=chair is winner,
                    verdict=None if own is None else Verdict(own),
                    before=None if own is None else own.double_dummy,
                    expected=None if own is None else own.expected,
                )
            )
    return cards


def last_trick(played: Sequence[Played], contract: Contract, base: Seat) -> dict[str, Played]:
    """The cards of the trick on the table, by where they lie."""
    start = (len(played) - 1) // 4 * 4 if played else 0
    return {spot_of(card.chair, contract, base): card for card in played[start:]}
