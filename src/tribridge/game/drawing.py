"""A table drawn as text or HTML: hands, current trick, auction, and who is to act.

During the auction North, East and South sit clockwise and the hidden hand is on the left. During
the play declarer sits at the bottom and dummy at the top, as in newspaper columns. A deal that is
over is drawn with the hands as they were dealt.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from tribridge.cards import Card, Deck, Hand
from tribridge.deals import HIDDEN, Seat
from tribridge.diagram import Place, Places, html_diagram, text_diagram
from tribridge.errors import quantity
from tribridge.game.tricks import Chair, chair_hands

if TYPE_CHECKING:
    from tribridge.game.auction import Auction, Contract
    from tribridge.game.table import Outcome, Table
    from tribridge.game.views import View

_AROUND: Final = (Chair.DUMMY, Chair.RIGHT, Chair.DECLARER, Chair.LEFT)
"""The chairs clockwise on the page, from the top."""
_COLUMN: Final = 8


@dataclass(frozen=True, slots=True)
class Picture:
    """What a table or a view shows."""

    deck: Deck
    places: Places
    auction: Auction
    status: str

    @classmethod
    def of_table(cls, table: Table) -> Picture:
        """A table with all hands face up."""
        play = table.position
        if play is None:
            places = _seated(table.deal.hands)
            status = _status(table.outcome, table.turn)
        else:
            masks = chair_hands(table.deal, play.contract.declarer) if play.over else play.hands
            hands = [Hand(mask) for mask in masks]
            places = _around(play.contract, hands, play.leader, play.trick)
            deck = table.deal.deck
            status = _status(
                table.outcome, table.turn, play.contract, play.chair, play.won, len(play.tricks),
                not play.trick, deck,
            )  # fmt: skip
        return cls(table.deal.deck, places, table.auction, status)

    @classmethod
    def of_view(cls, view: View) -> Picture:
        """A view: hands its seat may not see stay face down."""
        if view.contract is None or view.leader is None:
            hands: list[Hand | None] = [None] * 4
            if view.seat is not None:
                hands[view.seat] = view.hand
            places = _seated(hands)
            status = _status(view.outcome, view.turn)
        else:
            over = view.outcome is not None
            dummy = view.dummy_dealt if over else view.dummy
            chairs: list[Hand | None] = [None, None, dummy, None]
            if view.own_chair is not None:
                chairs[view.own_chair] = view.dealt if over else view.hand
            places = _around(view.contract, chairs, view.leader, view.trick)
            status = _status(
                view.outcome, view.turn, view.contract, view.chair, view.won, len(view.tricks),
                not view.trick, view.deck,
            )  # fmt: skip
        return cls(view.deck, places, view.auction, status)

    def text(self) -> str:
        """The picture for a terminal."""
        lines = [
            "".join(f"{word:{_COLUMN}}" for word in row).rstrip() for row in _calls(self.auction)
        ]
        return "\n".join([text_diagram(self.places, self.deck), "", *lines, "", self.status])

    def html(self) -> str:
        """The picture for a notebook."""
        head, *rows = _calls(self.auction)
        cells = "".join(f"<th>{escape(word)}</th>" for word in head)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(word)}</td>" for word in row) + "</tr>" for row in rows
        )
        return (
            f"{html_diagram(self.places, self.deck)}"
            f"<table><tr>{cells}</tr>{body}</table><p>{escape(self.status)}</p>"
        )


def _seated(hands: tuple[Hand, ...] | list[Hand | None]) -> Places:
    """The places during the auction."""
    north, east, south = (Place(str(seat), hands[seat]) for seat in Seat)
    return north, east, south, Place("Hidden hand", hands[HIDDEN])


def _around(
    contract: Contract,
    hands: list[Hand] | list[Hand | None],
    leader: Chair,
    trick: tuple[Card, ...],
) -> Places:
    """The places during the play; `hands` are those of the chairs."""
    cards = {Chair((leader + at) % 4): card for at, card in enumerate(trick)}
    dummy, right, declarer, left = (
        Place(_title(chair, contract.declarer), hands[chair], cards.get(chair)) for chair in _AROUND
    )
    return dummy, right, declarer, left


def _title(chair: Chair, declarer: Seat) -> str:
    if chair is Chair.DUMMY:
        return "Dummy"
    role = " (declarer)" if chair is Chair.DECLARER else ""
    return f"{chair.player(declarer)}{role}"


def _calls(auction: Auction) -> list[list[str]]:
    """The auction in rows of three, with the names of the players above, dealer first."""
    players = [str(Seat((auction.dealer + at) % 3)) for at in range(3)]
    calls = [str(call) for call in auction.calls]
    return [players, *(calls[at : at + 3] for at in range(0, len(calls), 3))]


def _status(
    outcome: Outcome | None,
    turn: Seat | None,
    contract: Contract | None = None,
    chair: Chair | None = None,
    won: int = 0,
    played: int = 0,
    leading: bool = False,
    deck: Deck | None = None,
) -> str:
    """One sentence on the state of the deal."""
    if contract is None or deck is None:
        return "Passed out." if outcome is not None else f"{turn} to call."
    if outcome is not None:
        over = outcome.tricks - contract.tricks_needed(deck)
        margin = "just made" if not over else f"made, {over} over" if over > 0 else f"{-over} down"
        return f"{contract}: {margin} ({quantity(outcome.tricks, 'trick')})."
    due = (
        f"{turn} to {'lead' if leading else 'play'}{' from dummy' if chair is Chair.DUMMY else ''}"
    )
    return f"{contract}: declarer {won}, defenders {played - won}. {due}."
