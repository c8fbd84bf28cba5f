"""Hints computed by the workers from one seat's view: the sensible options, each with a reason.

For calls the values are those of the advice (`advice`); for cards those of the network `learned`,
with the maxim where the maxims choose the same card. The sentences are data in `hints.toml`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from tribridge.advice.calls import Advice
from tribridge.advice.prospects import Prospect
from tribridge.cards import FULL_DECK, Card
from tribridge.forecast.distribution import percent
from tribridge.game import PASS, Action, Bid, Position, View
from tribridge.game.tricks import beats
from tribridge.strategies.learned.player import preferences
from tribridge.strategies.players.maxims.player import maxim
from tribridge.web.language import Text, decimal
from tribridge.web.view.advice import advice_on

_BIDS: Final = 3
_CARDS: Final = 4
_LONG_SHOT: Final = 0.25


@dataclass(frozen=True, slots=True)
class Option:
    """One sensible call or card."""

    action: Action
    value: float | None
    """Points for a call, tricks of the own side for a card, both on average."""
    reason: str
    best: bool = False
    maxim: str = ""
    """The maxim that recommends the card, in English; the reason says what the card does."""


def options(view: View, scheme: str) -> tuple[Option, ...]:
    """The sensible options of the seat whose turn it is, best first; none if none are known."""
    if not view.legal or view.turn is not view.seat:
        return ()
    if view.contract is None:
        return _calls(view, scheme) if view.deck == FULL_DECK else ()
    position = view.position
    assert position is not None
    return _cards(view, position)


def _calls(view: View, scheme: str) -> tuple[Option, ...]:
    advice = advice_on(view, scheme)
    bids = sorted(advice.sufficient, key=lambda bid: -advice.bids[bid].expected)[:_BIDS]
    offered = [
        Option(PASS, advice.passing.expected, _why_pass(view, advice), advice.call is PASS),
        *(Option(b, advice.bids[b].expected, _why_bid(b, advice), advice.call == b) for b in bids),
        *(
            Option(mark, one.expected, _why_double(one), advice.call is mark)
            for mark, one in advice.doubling.items()
        ),
    ]
    return tuple(sorted(offered, key=lambda option: (not option.best, -(option.value or 0.0))))


def _why_pass(view: View, advice: Advice) -> Text:
    chance = advice.passing.chance
    if chance is None:
        return _text("calls", "pass_free")
    kind = "pass_own" if view.auction.bidder is view.seat else "pass_theirs"
    return _text("calls", kind, chance=percent(chance))


def _why_bid(bid: Bid, advice: Advice) -> Text:
    chance = advice.bids[bid].chance or 0.0
    kind = "bid" if chance >= _LONG_SHOT else "bid_long_shot"
    tricks = decimal(advice.forecasts[bid.strain].mean)
    return _text("calls", kind, chance=percent(chance), tricks=tricks)


def _why_double(prospect: Prospect) -> Text:
    return _text("calls", "double", chance=percent(prospect.chance or 0.0))


def _cards(view: View, position: Position) -> tuple[Option, ...]:
    legal = position.legal
    if len(legal) == 1:
        return (Option(legal[0], None, _text("cards", "only"), best=True),)
    chosen, rule = maxim(position)
    if view.deck != FULL_DECK:
        return (Option(chosen, None, _why_card(position, chosen), best=True, maxim=rule),)
    tricks = preferences(view)
    shown = list(tricks)[:_CARDS]
    if chosen not in shown:
        shown.append(chosen)
    size = view.deck.hand_size
    return tuple(
        Option(
            card,
            tricks[card] if position.declaring else size - tricks[card],
            _why_card(position, card),
            best=at == 0,
            maxim=rule if card == chosen else "",
        )
        for at, card in enumerate(shown)
    )


def _why_card(position: Position, card: Card) -> Text:
    """What a card does, in one sentence."""
    trump, suit = position.contract.bid.strain.trump, card.suit
    if not position.trick:
        above = position.row(position.unseen, suit.index) & ((1 << card.column) - 1)
        if suit is trump:
            return _text("cards", "lead_trump")
        if above:
            return _text("cards", "lead", suit=suit)
        kind = "lead_winner" if trump is not None else "lead_winner_notrump"
        return _text("cards", kind, suit=suit)
    chair, best = position.best()
    if beats(card.index, best.index, position.trump):
        if len(position.trick) == 3:
            return _text("cards", "last_wins")
        return _text("cards", "ruff" if suit is not position.trick[0].suit else "takes")
    if suit is not position.trick[0].suit:
        return _text("cards", "discard")
    ours = (chair % 2 == 0) == position.declaring
    return _text("cards", "partner" if ours else "low")


def _text(kind: str, name: str, **fields: Any) -> Text:
    return Text(str(_data()[kind][name]), **fields)


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("hints.toml").read_text("utf-8"))
