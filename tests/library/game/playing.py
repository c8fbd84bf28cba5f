"""Playing at random: legal actions by a seeded generator, and states as a Hypothesis strategy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

from hypothesis import strategies as st

from tribridge.cards.cards import ALL_CARDS, FULL_DECK, Card, Deck, Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.game.auction import (
    DOUBLE,
    PASS,
    REDOUBLE,
    Bid,
    call_name,
)
from tribridge.game.position import start_play
from tribridge.game.table import Action, Table, new_table

DATA = Path(__file__).parent / "data"

ALL_CALLS: tuple[Action, ...] = (
    PASS,
    *(Bid(level, strain) for level in range(1, 8) for strain in Strain),
    DOUBLE,
    REDOUBLE,
)
ALL_ACTIONS: tuple[Action, ...] = (*ALL_CALLS, *ALL_CARDS)
"""All 38 calls and 52 cards."""


LONGEST = 3 + 35 * 7 + 52
"""More actions than any deal has: each bid is followed by at most six other calls."""


def points(*values: int) -> tuple[Fraction, ...]:
    """Points in whole numbers, as the game has them."""
    return tuple(Fraction(value) for value in values)


def action_name(action: Action) -> str:
    return action.name if isinstance(action, Card) else call_name(action)


def choose(table: Table, random: Random, quiet: float = 0.6) -> Action:
    """A legal action at random: a pass with probability `quiet`, else one of the lowest bids.

    Only `Random.random` is used, whose numbers are the same in every version of Python.
    """
    legal = table.legal
    if table.position is None:
        if random.random() < quiet:
            return PASS
        bids = [call for call in legal if isinstance(call, Bid)][:7]
        marks = [call for call in legal if call in (DOUBLE, REDOUBLE)]
        legal = (*bids, *marks * 3) or (PASS,)
    return legal[int(random.random() * len(legal))]


def walk(table: Table, random: Random, quiet: float = 0.6) -> Iterator[Table]:
    """The states from a table to the end of its deal under random legal actions."""
    yield table
    for _ in range(LONGEST):
        if table.over:
            return
        table = table.apply(choose(table, random, quiet))
        yield table
    raise AssertionError("the deal does not end")


def actions_of(table: Table) -> list[Action]:
    """All actions that led to a state, by the calls and tricks it holds."""
    actions: list[Action] = list(table.auction.calls)
    if table.position is not None:
        for trick in table.position.tricks:
            actions += trick.cards
        actions += table.position.trick
    return actions


@st.composite
def walks(
    draw: st.DrawFn,
    decks: tuple[Deck, ...] = (FULL_DECK, Deck(4, 3), Deck(3, 4), Deck(2, 6)),
) -> list[Table]:
    """All states of a deal up to a random point; full decks come up half of the time."""
    deck = draw(st.one_of(st.just(decks[0]), st.sampled_from(decks)))
    dealt = deal(draw(st.integers(0, 2**64 - 1)), draw(st.integers(0, 2**64 - 1)), deck)
    table = new_table(dealt, draw(st.sampled_from(Seat)), doubles=draw(st.booleans()))
    states = list(walk(table, Random(draw(st.integers(0, 2**32))), draw(st.floats(0.3, 0.8))))
    # Mostly well into the play, which is where the states are.
    cut = draw(st.one_of(st.just(len(states)), st.integers(1, len(states))))
    return states[:cut]


def chair_names(dealt: Deal, declarer: Seat) -> dict[str, set[str]]:
    """The hands as sets of names, by the words of the slow rules."""
    owners = {"declarer": declarer, "left": declarer.left, "right": declarer.right}
    hands = {chair: dealt.hands[seat] for chair, seat in owners.items()} | {"dummy": dealt.hidden}
    return {chair: {card.name for card in hand} for chair, hand in hands.items()}


def with_deal(table: Table, deal: Deal) -> Table:
    """The same actions on another deal, unchecked, for someone who cannot tell the two apart.

    The caller must make sure that every card played was held by the same chair in both deals.
    """
    if table.position is None:
        return replace(table, deal=deal)
    play = start_play(deal, table.position.contract)
    for _, cards in table.position.rounds():
        for card in cards:
            play = play.apply_unchecked(card)
    return replace(table, deal=deal, position=play)
