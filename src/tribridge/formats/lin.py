"""LIN, the format of Bridge Base Online, and links to its hand viewer: the deals in them.

A LIN text is a row of `key|value|` pairs; `md` holds the deal: a digit for the dealer, then the
hands of South, West, North and East as `SAKQHT98DKJ2CA543`, the last of which may be missing.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qs, urlsplit

from tribridge.cards import FULL_DECK, Hand, parse_cards
from tribridge.deals import COMPASS, Deal, check_disjoint
from tribridge.errors import FormatError

_ORDER: Final = "SWNE"


def loads(text: str) -> list[Deal]:
    """Read the deals of a LIN text, one for each `md`."""
    fields = text.replace("\r", "").replace("\n", "").split("|")
    deals = [
        _deal(value)
        for key, value in zip(fields[::2], fields[1::2], strict=False)
        if key.strip().lower() == "md" and value.strip() not in ("", "0")
    ]
    if not deals:
        raise FormatError("no deal found: expected md| in a LIN text")
    return deals


def _deal(value: str) -> Deal:
    hands = value.strip().lstrip("1234").split(",")
    if len(hands) not in (3, 4):
        raise FormatError(f"a LIN deal has 3 or 4 hands, but {value[:40]!r} has {len(hands)}")
    return _complete(dict(zip(_ORDER, hands, strict=False)))


def _complete(texts: dict[str, str]) -> Deal:
    """A deal from hands by compass letter; a missing one gets the remaining cards."""
    hands = [
        parse_cards(texts[seat], FULL_DECK, f"the hand of {seat}")
        if texts.get(seat, "").strip()
        else Hand()
        for seat in COMPASS
    ]
    missing = [at for at, hand in enumerate(hands) if not hand.mask]
    if len(missing) > 1:
        raise FormatError(
            f"the hands of {' and '.join(COMPASS[at] for at in missing)} are not given"
        )
    check_disjoint(hands)
    for at in missing:
        hands[at] = Hand(FULL_DECK.mask & ~sum(hand.mask for hand in hands))
    return Deal.of(hands)


def parse_link(link: str) -> Deal:
    """Read the deal of a hand viewer link: from its `lin` part, or from `n`, `e`, `s` and `w`."""
    fields = {key.lower(): values[0] for key, values in parse_qs(urlsplit(link).query).items()}
    if "lin" in fields:
        return loads(fields["lin"])[0]
    hands = {seat: fields[seat.lower()] for seat in COMPASS if seat.lower() in fields}
    if not hands:
        raise FormatError("no deal in the link: expected lin= or n=, e=, s=, w= after the ?")
    return _complete(hands)


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
