"""The maxims on textbook positions, and the positions themselves."""

from __future__ import annotations

import re

import pytest

from tests.library.strategies.textbook import behind
from tribridge.double_dummy.dds import available
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.textbook import Diagram, positions
from tribridge.strategies import decision_rng, find_player

POSITIONS = positions()
needs_dds = pytest.mark.skipif(not available(), reason="needs DDS")


def parameters() -> list[object]:
    """The positions, those known to fail marked so."""
    return [
        pytest.param(
            position,
            id=position.id,
            marks=[pytest.mark.xfail(reason=position.fails, strict=True)] if position.fails else [],
        )
        for position in POSITIONS
    ]


@pytest.mark.parametrize("position", parameters())
def test_maxims_play_the_textbook_card(position: Diagram) -> None:
    choice = find_player("maxims").card(  # type: ignore[union-attr]
        position.view(), decision_rng(0, 0, 0, 0)
    )
    assert choice.action in position.cards, f"{position.title}: {choice.reason}"
    assert re.fullmatch(r"[A-Z♠♥♦♣].*[^ ]\.", choice.reason)


def test_the_collection_is_large_and_has_no_doubles() -> None:
    assert len(POSITIONS) >= 60
    assert len({position.id for position in POSITIONS}) == len(POSITIONS)
    assert len({position.title for position in POSITIONS}) == len(POSITIONS)
    assert sum(bool(position.fails) for position in POSITIONS) <= 5


@needs_dds
@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position.id)
def test_double_dummy_agrees_with_the_textbook(position: Diagram) -> None:
    play = position.table().position
    assert play is not None
    values = DoubleDummy().cards(play)
    best = max(values.values()) if play.declaring else min(values.values())
    right = {card for card, tricks in values.items() if tricks == best}
    assert position.cards <= right
    assert position.signal or right != set(values), "every card is as good"


@needs_dds
@pytest.mark.parametrize(
    "position",
    [position for position in POSITIONS if re.match("eight|nine|ten|eleven|ace-", position.id)],
    ids=lambda position: position.id,
)
def test_percentage_plays_are_right_on_average(position: Diagram) -> None:
    gap, error, rival = behind(position, 40)
    assert gap <= 2 * error, f"{rival} is {gap:.2f} ± {error:.2f} tricks better"
