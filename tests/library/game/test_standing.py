"""Standings as text: what is written is read again, and what cannot be is refused in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribridge.cards.deals import Seat
from tribridge.common.errors import TribridgeError
from tribridge.game.laws import find_laws
from tribridge.game.standing import Standing, parse_standing, standing_name

LAWS = find_laws("auction-rubber")
PART, WON = st.integers(0, 29), st.integers(0, 1)


@given(st.tuples(PART, PART, PART), st.tuples(WON, WON, WON))
def test_print_then_parse_is_the_identity(
    below: tuple[int, int, int], games: tuple[int, int, int]
) -> None:
    standing = Standing(below, games)
    assert parse_standing(standing_name(standing), LAWS) == standing


@pytest.mark.parametrize("text", ["N 20, E 1 game 6", " n 20 ,e  1  game  6", "E 1game 6,N 20"])
def test_order_and_spaces_do_not_matter(text: str) -> None:
    assert parse_standing(text, LAWS) == Standing((20, 6, 0), (0, 1, 0))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("N 30", "North's part score is 30, but 30 points are a game (auction-rubber)"),
        ("N -5", "North's part score must be a whole number, 0 or more, not -5"),
        ("W 20", "unknown player 'W', expected N, E or S"),
        ("N", "cannot read the score of N, expected 20, 1 game, or 1 game 20"),
        ("N twenty", "cannot read the score of N"),
        ("N 20 5", "cannot read the score of N"),
        ("N 20, N 5", "N is named twice"),
        ("E 2 games", "East's games must be 0 or 1 while a rubber goes on, not 2"),
        (",", "unknown player ''"),
        ("N 99999999999999999999", "cannot read the score of N"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(TribridgeError) as caught:
        parse_standing(text, LAWS)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_players_may_have_other_names() -> None:
    standing = parse_standing("me 20", LAWS, {"me": Seat.EAST}, {Seat.EAST: "your"})
    assert standing.below == (0, 20, 0)
