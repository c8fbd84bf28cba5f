"""LIN, the format of Bridge Base Online, and links to its hand viewer: the deals in them.

A LIN text is a row of `key|value|` pairs; `md` holds the deal: a digit for the dealer, then the
hands of South, West, North and East as `SAKQHT98DKJ2CA543`, the last of which may be missing.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qs, urlsplit

from tribridge.cards.deals import COMPASS, Deal
from tribridge.common.errors import FormatError, TribridgeError

_ORDER: Final = "SWNE"


def loads(text: str) -> list[Deal]:
    """Read the deals of a LIN text, one for each `md`."""
    fields = text.replace("\r", "").replace("\n", "").split("|")
    values = [
        value
        for key, value in zip(fields[::2], fields[1::2], strict=False)
        if key.strip().lower() == "md" and value.strip() not in ("", "0")
    ]
    if not values:
        raise FormatError("no deal found: expected md| in a LIN text")
    deals = []
    for number, value in enumerate(values, 1):
        try:
            deals.append(_deal(value))
        except TribridgeError as error:
            raise type(error)(f"deal {number}: {error}") from None
    return deals


def _deal(value: str) -> Deal:
    hands = value.strip().lstrip("1234").split(",")
    if len(hands) not in (3, 4):
        raise FormatError(f"a LIN deal has 3 or 4 hands, but {value[:40]!r} has {len(hands)}")
    given = dict(zip(_ORDER, hands, strict=False))
    return Deal.from_hands({at: hand for at, hand in given.items() if hand.strip()})


def parse_link(link: str) -> Deal:
    """Read the deal of a hand viewer link: from its `lin` part, or from `n`, `e`, `s` and `w`."""
    fields = {key.lower(): values[0] for key, values in parse_qs(urlsplit(link).query).items()}
    if "lin" in fields:
        return loads(fields["lin"])[0]
    hands = {at: fields[at.lower()] for at in COMPASS if fields.get(at.lower(), "").strip()}
    if not hands:
        raise FormatError("no deal in the link: expected lin= or n=, e=, s=, w= after the ?")
    return Deal.from_hands(hands)


def link_of(deal: Deal) -> str:
    """A link that shows a deal in the hand viewer of Bridge Base Online."""
    parts = []
    for seat, hand in zip(COMPASS, deal.hands, strict=True):
        suits = "".join(
            letter + "".join(card.rank.letter.lower() for card in hand.suit(letter))
            for letter in "shdc"
        )
        parts.append(f"{seat.lower()}={suits}")
    return "https://www.bridgebase.com/tools/handviewer.html?" + "&".join(parts)
