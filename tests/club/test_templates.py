"""Templates can be read, and say what people would say."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from tribridge.cards.cards import FULL_DECK
from tribridge.cards.deals import Seat
from tribridge.club.core.matches import MatchPlan
from tribridge.club.language import gettext, speaking
from tribridge.club.pages.templates import macro
from tribridge.club.pages.tour import steps
from tribridge.club.view.parts import Status
from tribridge.club.view.table import _sheet
from tribridge.game import Contract, Mark, Outcome
from tribridge.strategies import Option


def option(**worth: float) -> Option:
    """A pass that is worth something."""
    return Option(Mark.PASS, "", **{"value": None, "chance": None, "tricks": None} | worth)  # type: ignore[arg-type]


READER = SimpleNamespace(told=lambda said, _: said, seat=None)
"""A viewer who is told everything as it is."""


@pytest.mark.parametrize(
    ("points", "language", "words"),
    [
        (0.2, "en", "No points won or lost"),
        (0.8, "en", "You win about 1 point"),
        (-1.2, "en", "You lose about 1 point"),
        (2.0, "en", "You win about 2 points"),
        (0.8, "de", "Du gewinnst etwa 1 Punkt"),
        (-1.2, "de", "Du verlierst etwa 1 Punkt"),
        (24.0, "de", "Du gewinnst etwa 24 Punkte"),
    ],
)
def test_one_point_is_a_point(points: float, language: str, words: str) -> None:
    with speaking(language):
        assert f">{words}<" in macro("options.listed")(READER, [option(value=points)])


@pytest.mark.parametrize(
    ("scores", "gained"),
    [((0, 290, 16), "E"), ((100, 100, 0), "NE"), ((0, 0, 0), ""), ((63, 0, 0), "N")],
)
def test_honours_in_a_deal_that_is_lost_are_no_gain(scores: tuple[int, ...], gained: str) -> None:
    line = SimpleNamespace(scores=scores)
    gains = [seat.letter for seat in Seat if macro("result.gains")(line, seat)]
    assert "".join(gains) == gained


def test_what_a_deal_brought_is_told_beside_what_there_is_so_far() -> None:
    line = SimpleNamespace(scores=(0, 0, 0))
    seen = SimpleNamespace(
        sheet=SimpleNamespace(lines=[line, line]), totals=(100, 100, 0), seat=Seat.SOUTH,
        on_plates=("Walter", "Maud", "Cleo"), rubber_so_far=None, over=False,
    )  # fmt: skip
    assert macro("result.points")(seen, line).count("0 this deal") == 3


def status(won: int) -> Status:
    """How the play of 1NT stands after some tricks won by declarer."""
    return Status(Contract("1NT", "N"), "Ann", won, 7, 0, 13)


@pytest.mark.parametrize(
    ("won", "language", "words"),
    [(1, "en", "trick"), (2, "en", "tricks"), (1, "de", "Stich"), (2, "de", "Stiche")],
)
def test_one_trick_is_a_trick(won: int, language: str, words: str) -> None:
    with speaking(language):
        strip = macro("felt.standing")("", status(won), 1, 4, False)
        assert f'{won}<span class="sr"> {words}</span>' in strip
        news = macro("panel.news")("", False, (), "", "", False, status(won), None)
        assert language == "de" or f'aria-label="{won} {words} won of 7 needed, 0 lost"' in news


def test_a_contract_that_has_made_is_called_so_with_its_overtricks() -> None:
    with speaking("en"):
        shown = [macro("felt.standing")("", status(won), 1, 4, False) for won in (6, 7, 9)]
    assert ["of 7" in strip for strip in shown] == [True, False, False]
    assert ["made" in strip for strip in shown] == [False, True, True]
    assert "made +2" in shown[2]


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_right_answer_is_not_called_right_twice(language: str) -> None:
    with speaking(language):
        for step in steps():
            assert not gettext(step.right).startswith(gettext("Right.").removesuffix("."))


@pytest.mark.parametrize(("tricks", "words"), [(6, "1NT N −1"), (7, "1NT N ="), (9, "1NT N +2")])
def test_a_line_of_the_score_says_by_how_much_the_contract_was_made(
    tricks: int, words: str
) -> None:
    outcome = Outcome(Contract("1NT", "N"), tricks)
    sheet = _sheet(MatchPlan(seed=1, deals=2).match().add(outcome))
    html = macro("panel.sheet")("", 2, 2, "auction", ("A", "B", "C"), sheet, FULL_DECK)
    assert words in " ".join(re.sub("<[^>]*>", "", html).split())
