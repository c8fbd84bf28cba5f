"""A view as JSON, and the view back from it, so that a program elsewhere can decide as if here.

`view_fields` writes what a seat sees; cards are written as suit and rank, clubs first, aces first:

    {"seat": "S", "deck": "4x13", "doubles": false, "dealer": "N", "calls": ["1NT", "Pass"],
     "contract": null, "declarer": null, "hand": ["CA", ...], "dummy": null, "tricks": [],
     "trick": [], "leader": null, "won": 0, "turn": "S", "chair": null, "legal": ["Pass", ...],
     "rubber": null, "scheme": "contract", "vulnerable": ["N"]}

In a rubber, `rubber` has its laws and its standing, North first:
`{"laws": "auction-rubber", "below": [20, 0, 0], "games": [0, 0, 1]}`. Outside a rubber, `scheme`
names the scoring scheme, or is its table, as TOML on one line, if it is not one of the package. If
a claim ended the play, `claimed` has declarer's tricks.

`read_view` needs seat, deck, doubles, dealer, calls, hand, dummy, tricks and trick: everything else
but `rubber`, `scheme`, `vulnerable` and `claimed`, which may be left out, follows from them. It
ignores other fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tribridge.cards.cards import Card, Deck, Hand
from tribridge.cards.deals import Seat
from tribridge.common.errors import RecordError, TribridgeError, quantity, shown
from tribridge.game.auction import Auction, Contract, call_name, parse_call
from tribridge.game.position import Position
from tribridge.game.scoring import recorded_scheme, scheme_text
from tribridge.game.standing import read_state, state_fields
from tribridge.game.table import Action
from tribridge.game.tricks import Chair, chair_of
from tribridge.game.views import View, as_seen


def action_name(action: Action) -> str:
    """Write a call or a card as files have it."""
    return action.name if isinstance(action, Card) else call_name(action)


def contract_text(contract: Contract | None) -> str | None:
    """The bid of a contract, with `x` if doubled and `xx` if redoubled: `3NTx`."""
    return None if contract is None else call_name(contract.bid) + "x" * (contract.factor // 2)


def view_fields(view: View) -> dict[str, Any]:
    """What a seat sees, as values that JSON can hold."""
    contract = view.contract
    return {
        "seat": None if view.seat is None else view.seat.letter,
        "deck": str(view.deck),
        "doubles": view.auction.doubles,
        "dealer": view.dealer.letter,
        "calls": [call_name(call) for call in view.auction.calls],
        "contract": contract_text(contract),
        "declarer": None if contract is None else contract.declarer.letter,
        "hand": _names(view.hand),
        "dummy": None if view.dummy is None else _names(view.dummy),
        "tricks": [_names(trick.cards) for trick in view.tricks],
        "trick": _names(view.trick),
        "leader": None if view.leader is None else view.leader.name.lower(),
        "won": view.won,
        "turn": None if view.turn is None else view.turn.letter,
        "chair": None if view.chair is None else view.chair.name.lower(),
        "legal": [action_name(action) for action in view.legal],
        "rubber": None if view.rubber is None else state_fields(view.rubber),
        "scheme": None if view.scheme is None else scheme_text(view.scheme),
        "vulnerable": [seat.letter for seat in view.vulnerable],
        **({} if view.claimed is None else {"claimed": view.claimed}),
    }


def read_view(fields: Mapping[str, Any]) -> View:
    """The view that `view_fields` wrote.

    Examples:
        >>> import tribridge as tb
        >>> seen = tb.view(tb.new_table(seed=1).call("pass"), "E")
        >>> read_view(view_fields(seen)) == seen
        True

    Raises:
        RecordError: a field is missing or cannot be what a seat sees.
    """
    try:
        return _read(fields)
    except RecordError:
        raise
    except TribridgeError as error:
        raise RecordError(f"this is not what a seat can see: {error}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"this is not a view: {type(error).__name__} {error}") from None


def _read(fields: Mapping[str, Any]) -> View:
    deck = Deck(fields["deck"])
    seat = None if fields["seat"] is None else Seat(fields["seat"])
    auction = Auction(Seat(fields["dealer"]), deck, bool(fields["doubles"]))
    for text in fields["calls"]:
        call = parse_call(text)
        auction.check(call)
        auction = auction.apply_unchecked(call)
    dealt, contract = _hand(fields["hand"]), auction.contract
    position, dummy_dealt = None, None
    if contract is not None:
        hand, dummy = dealt, _hand(fields["dummy"])
        play = Position(contract, (0, 0, 0, 0))
        cards = [Card(name) for trick in (*fields["tricks"], fields["trick"]) for name in trick]
        for card in cards:
            play = play.apply_unchecked(card)  # collects in `hands` what each chair has played
        if len({*hand, *dummy, *cards}) != len(hand) + len(dummy) + len(cards):
            raise RecordError("a card is there twice: in a hand, on the table or in a trick")
        if seat is not None:
            dealt |= Hand(play.hands[chair_of(seat, contract.declarer)])
        dummy_dealt = dummy | Hand(play.hands[Chair.DUMMY])
        others = deck.mask & ~(dummy.mask | Hand(cards).mask)
        position = as_seen(play, auction, seat, hand.mask, dummy.mask, others)
    size = 0 if seat is None else deck.hand_size
    if len(dealt) != size:
        who = "a kibitzer" if seat is None else str(seat)
        raise RecordError(f"{who} was dealt {quantity(len(dealt), 'card')}, not {size}")
    rubber = fields.get("rubber")
    return View(
        seat=seat,
        auction=auction,
        dealt=dealt,
        dummy_dealt=dummy_dealt,
        position=position,
        rubber=None if rubber is None else read_state(rubber),
        scheme=recorded_scheme(fields.get("scheme")),
        vulnerable=tuple(Seat(seat) for seat in fields.get("vulnerable", ())),
        claimed=_claimed(fields.get("claimed")),
    )


def _claimed(tricks: object) -> int | None:
    if tricks is None or (type(tricks) is int and 0 <= tricks <= 13):
        return tricks
    raise RecordError(f"claimed must be declarer's tricks, 0 to 13, not {shown(tricks)}")


def _hand(names: Iterable[str]) -> Hand:
    if isinstance(names, str):
        raise RecordError(f"expected a list of cards, not {shown(names)}")
    return Hand([Card(name) for name in names])


def _names(cards: Iterable[Card]) -> list[str]:
    return [card.name for card in cards]
