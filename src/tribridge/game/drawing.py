"""A table drawn as text: hands, current trick, auction, and who is to act.

During the auction North, East and South sit clockwise and the hidden hand is on the left. During
the play declarer sits at the bottom and dummy at the top, as in newspaper columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tribridge.cards import Hand
from tribridge.deals import Seat
from tribridge.diagram import Place, text_diagram
from tribridge.errors import quantity
from tribridge.game.auction import Auction
from tribridge.game.position import Position
from tribridge.game.tricks import Chair

_AROUND: Final = (Chair.DUMMY, Chair.RIGHT, Chair.DECLARER, Chair.LEFT)
"""The chairs clockwise on the page, from the top."""
_COLUMN: Final = 8


def drawn(auction: Auction, play: Position | None, hands: Sequence[Hand | None]) -> str:
    """The hands in the order of the deal, or of the chairs in the play; None is face down."""
    if play is None:
        titles = (*map(str, Seat), "Hidden hand")
        first, second, third, fourth = map(Place, titles, hands)
        places = first, second, third, fourth
        status = "Passed out." if auction.over else f"{auction.turn} to call."
    else:
        cards = {Chair((play.leader + at) % 4): card for at, card in enumerate(play.trick)}
        declarer = play.contract.declarer
        dummy, right, bottom, left = (
            Place(_title(chair, declarer), hands[chair], cards.get(chair)) for chair in _AROUND
        )
        places, status = (dummy, right, bottom, left), status_of(play)
    players = [str(auction.dealer.after(at)) for at in range(3)]
    words = [*players, *map(str, auction.calls)]
    rows = (words[at : at + 3] for at in range(0, len(words), 3))
    calls = ("".join(f"{word:{_COLUMN}}" for word in row).rstrip() for row in rows)
    return "\n".join([text_diagram(places, auction.deck), "", *calls, "", status])


def _title(chair: Chair, declarer: Seat) -> str:
    if chair is Chair.DUMMY:
        return "Dummy"
    return f"{chair.player(declarer)}{' (declarer)' if chair is Chair.DECLARER else ''}"


def status_of(play: Position) -> str:
    """One sentence on the play."""
    contract, won, played = play.contract, play.won, len(play.tricks)
    if play.over:
        over = won - (played // 2 + contract.bid.level)
        margin = "just made" if not over else f"made, {over} over" if over > 0 else f"{-over} down"
        return f"{contract}: {margin} ({quantity(won, 'trick')})."
    due = f"{play.turn} to {'play' if play.trick else 'lead'}"
    dummy = " from dummy" if play.chair is Chair.DUMMY else ""
    return f"{contract}: declarer {won}, defenders {played - won}. {due}{dummy}."
