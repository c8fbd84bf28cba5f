"""A deal with all hands face up, for the review: hands, calls and cards, verdicts.

Verdicts come from an `Analysis`, as far as it has got.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, islice, repeat
from typing import Final, NamedTuple

from tribridge.cards import Card
from tribridge.deals import HIDDEN, Seat
from tribridge.game import Call, Chair, Table
from tribridge.reviews import Judgement, Luck, Option
from tribridge.reviews import Verdict as Judged
from tribridge.web.core.reviews import Analysis
from tribridge.web.language import gettext
from tribridge.web.view.board import Side, around, chair_of, fourth_hand, sorted_cards, trump_of

_MARKS: Final = {Judged.MISTAKE: "?", Judged.INACCURACY: "?!"}
_MOST_OPTIONS: Final = 5


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
        return self.judgement.verdict.name.lower()

    @property
    def unlucky(self) -> bool:
        return self.judgement.luck is Luck.BAD

    @property
    def mark(self) -> str:
        """A sign like those of chess: `?`, `?!`, or `~` for bad luck."""
        return "~" if self.unlucky else _MARKS.get(self.judgement.verdict, "")

    @property
    def sign(self) -> str:
        """The class of its dot in the chart."""
        return "luck" if self.unlucky else self.kind

    @property
    def options(self) -> list[Option]:
        """The best options and the one chosen."""
        best, rest = self.judgement.options[:_MOST_OPTIONS], self.judgement.options[_MOST_OPTIONS:]
        return [*best, *(option for option in rest if option.action == self.judgement.action)]


def _verdicts(analysis: Analysis, start: int = 0) -> Iterator[Verdict | None]:
    """The verdicts from some choice on; None where they are not known yet."""
    return chain(map(Verdict, analysis.judgements[start:]), repeat(None))


class Called(NamedTuple):
    """One call of the auction."""

    who: str
    call: Call
    verdict: Verdict | None


def called(table: Table, names: Sequence[str], analysis: Analysis) -> list[Called]:
    """The calls of a deal with their verdicts."""
    who = islice(cycle(names), table.dealer.index, None)
    return list(map(Called, who, table.auction.calls, _verdicts(analysis)))


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

    @property
    def before(self) -> int | None:
        """Declarer's tricks double dummy before the card."""
        return None if self.verdict is None else self.verdict.judgement.double_dummy

    @property
    def expected(self) -> float | None:
        """What the player could expect before it."""
        return None if self.verdict is None else self.verdict.judgement.expected

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
    winners = [*(trick.winner for trick in position.tricks), None]
    cards = [
        (card, Chair((leader + at) % 4), winner)
        for (leader, trick), winner in zip(position.rounds(), winners, strict=True)
        for at, card in enumerate(trick)
    ]
    who = [names[chair.player(contract.declarer).index] for chair in Chair]
    who[Chair.DUMMY] = gettext("Dummy")
    return [
        Played(number, card, chair, who[chair], chair is winner, verdict)
        for number, ((card, chair, winner), verdict) in enumerate(
            zip(cards, _verdicts(analysis, len(table.auction.calls)), strict=False), 1
        )
    ]


def open_hands(table: Table, gone: Container[Card], base: Seat, names: Sequence[str]) -> list[Side]:
    """The hands around the table without the cards that have gone; `base` sits at the bottom."""
    contract, trump = table.contract, trump_of(table.contract)
    hands = ((*one, table.deal.hands[HIDDEN if one[1] is None else one[1]]) for one in around(base))
    return [
        Side(
            spot=spot,
            seat=seat,
            name=fourth_hand(contract) if seat is None else names[seat.index],
            role="declarer" if contract is not None and contract.declarer is seat else "",
            cards=tuple(card for card in sorted_cards(hand, trump) if card not in gone),
        )
        for spot, seat, hand in hands
    ]


def last_trick(table: Table, played: Sequence[Played], base: Seat) -> dict[str, Played]:
    """The cards of the trick on the table, by where they lie."""
    start = (len(played) - 1) // 4 * 4 if played else 0
    spots = {chair_of(seat, table.contract): spot for spot, seat in around(base)}
    return {spots[card.chair]: card for card in played[start:]}
