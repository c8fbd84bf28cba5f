"""What an open dummy is worth on eight cards."""

from __future__ import annotations

import pytest

from tests.lab.studies.helpers import kept_study
from tribridge.cards.cards import Deck, Strain
from tribridge.lab.studies import dummy, plans
from tribridge.lab.tiny.card_play import card_play
from tribridge.lab.tiny.layouts import Layouts
from tribridge.lab.tiny.treeplex import judge, random_profile


def test_the_result_is_that_of_the_plan() -> None:
    result: dummy.Result = kept_study("dummy").result
    assert (result.plan, result.iterations) == (dummy.PLAN.digest, dummy.PLAN.sizes["iterations"])
    expected = [(deck, s.letter) for deck in dummy.DECKS for s in Deck(deck).strains]
    assert [(row.deck, row.strain) for row in result.rows] == expected
    outcomes = plans.judge(dummy.PLAN, dummy.answers(result))
    assert plans.NOT_MEASURED not in outcomes.values()


def test_with_a_closed_dummy_the_defenders_know_less_and_declarer_as_much() -> None:
    layouts = Layouts(Deck("2x4"))
    opened, closed = (card_play(layouts, Strain.NOTRUMP, closed=each) for each in (False, True))
    sets = [[len(tree.counts) for tree in play.game.trees] for play in (opened, closed)]
    assert sets[0][0] == sets[1][0]
    assert sets[0][1] > sets[1][1]
    assert sets[0][2] > sets[1][2]
    assert (opened.tricks == closed.tricks).all()


def test_a_defender_plays_alike_whatever_a_closed_dummy_holds() -> None:
    """Two deals with the same cards seen so far are one information set."""
    layouts = Layouts(Deck("2x4"))
    play = card_play(layouts, Strain.NOTRUMP, closed=True)
    leads = [spot for spot in play.spots[1] if not spot.played]
    hands = [int(layouts.deals[spot.deal, 1]) for spot in leads]
    assert len(set(hands)) == len(hands)
    assert len({int(layouts.masks[spot.deal, 3]) for spot in leads}) > 1


def test_a_best_response_gains_at_least_as_much_with_an_open_dummy() -> None:
    """Against the same declarer, who does not care: what the defenders know can only help them."""
    layouts = Layouts(Deck("2x4"))
    plays = [card_play(layouts, Strain.NOTRUMP, closed=each) for each in (False, True)]
    declarer = random_profile(plays[0].game, 5)[0]
    gains = []
    for play in plays:
        profile = [declarer, *(tree.uniform() for tree in play.game.trees[1:])]
        found = judge(play.game, profile)
        gains.append(found)
    assert gains[0].values == pytest.approx(gains[1].values)
    for opened, closed in zip(gains[0].gains[1:], gains[1].gains[1:], strict=True):
        assert opened >= closed - 1e-12
