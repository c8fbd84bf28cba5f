"""What people are told: how high to go, silence, ties, vulnerability; forty hands of an expert."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tribridge as tb
from tests.library.advice.expert_hands import FORTY, Hand
from tribridge.advice.calls import Advice, advise, doubled_bids, parse_auction
from tribridge.advice.counsel import counsel
from tribridge.advice.holdings import LESSON, SCORE_LESSON, because, stopped
from tribridge.advice.prospects import Prospect
from tribridge.cards.cards import SUITS, Strain, parse_hand
from tribridge.cards.deals import Seat
from tribridge.game.auction import PASS, Auction, Bid, parse_call
from tribridge.game.scoring import find_scheme
from tribridge.game.views import View
from tribridge.networks.stakes import Game
from tribridge.strategies.learned.auctions import value_silence

ROOT = Path(__file__).parents[3]
SOLID = "AKQJT98765432..."


def plain(cards: str, calls: str = "", scheme: str = "auction", *, doubles: bool = False) -> Advice:
    auction = parse_auction(calls, doubles=doubles)
    return advise(parse_hand(cards), None, auction, scheme=find_scheme(scheme), kind="points")


def at(points: float) -> Prospect:
    return Prospect(None, points, 10.0, points - 20)


@pytest.mark.parametrize("cards", [SOLID, "AKQJT98765.AKQ..", "2.AKQJT987654.A."])
def test_of_bids_worth_the_same_the_highest_shuts_the_others_out(cards: str) -> None:
    advice = counsel(plain(cards), at(0))
    call = advice.call
    assert isinstance(call, Bid)
    same = [
        bid for bid, prospect in advice.offered.items()
        if bid.strain is call.strain and prospect.expected > advice.bids[call].expected - 0.04
    ]  # fmt: skip
    assert call == max(same)
    assert len(same) > 1
    assert "let the others bid" in advice.reason


def test_the_highest_bid_is_not_taken_where_it_may_fail() -> None:
    call = counsel(plain("KQJT987.2.A43.52"), at(0)).call
    assert call == Bid("1S")


@pytest.mark.parametrize("calls", ["", "1H pass", "2S", "1NT X pass"])
def test_the_ceiling_is_the_highest_bid_that_beats_silence(calls: str) -> None:
    """Against every bid of the table, one by one."""
    found = plain("AKJ97.KQ3.A2.K65", calls)
    for worth in (-30.0, 0.0, 25.0, 400.0):
        advice = counsel(found, at(worth))
        assert advice.ceiling is not None
        doubled = doubled_bids(advice)
        for strain in Strain:
            pays = [
                bid
                for bid in advice.offered
                if bid.strain is strain
                and advice.bids[bid].expected > worth
                and (not advice.auction.doubles or doubled[bid].expected > worth)
            ]
            assert advice.ceiling[strain] == max(pays, default=None)
        assert (advice.call is PASS) >= (worth == 400.0)


def test_a_bid_is_advised_if_it_is_worth_more_than_silence() -> None:
    found = plain("AKQ2.K93.A92.KQ5", "1D")
    best = max(found.sufficient, key=lambda bid: found.bids[bid].expected)
    worth = found.bids[best].expected
    assert counsel(found, at(worth - 1)).call == best
    silent = counsel(found, at(worth + 1))
    assert silent.call is PASS
    assert silent.reason.startswith("Staying silent averages")
    assert silent.staying == at(worth + 1)
    assert counsel(found, None).staying == found.passing


def test_who_is_silent_never_declares_unless_the_bid_is_theirs() -> None:
    """With all points in one hand the others cannot gain; a passed-out deal is worth nothing."""
    game = Game(find_scheme("auction"), None, ())
    for calls, cards in (("", SOLID), ("1H", SOLID), ("1D pass", "AKQ.AKQ.AKQ.AKQJ")):
        auction = parse_auction(calls)
        view = View(seat=auction.turn, auction=auction, dealt=parse_hand(cards))
        silence = value_silence(view, game, 20, np.random.default_rng(1))
        assert silence.chance is None
        assert -160 < silence.worst <= silence.expected < 350
        assert silence.expected < counsel(plain(cards), None).bids[Bid("7S")].expected or calls


def test_the_seat_makes_no_difference() -> None:
    """The same hand and calls, the table turned."""

    def silence(dealer: Seat) -> Prospect:
        auction = Auction(dealer).apply_unchecked(parse_call("1D"))
        view = View(seat=auction.turn, auction=auction, dealt=parse_hand("AKQ2.K93.A92.KQ5"))
        game = Game(find_scheme("auction"), None, ())
        return value_silence(view, game, 300, np.random.default_rng(3))

    worth = [silence(seat) for seat in Seat]
    assert max(one.expected for one in worth) - min(one.expected for one in worth) < 10


def test_more_is_at_stake_for_the_vulnerable() -> None:
    hand = "KQJT9.A432.K3.52"
    safe, risk = (
        tb.advise(hand, scheme="contract", vulnerable=who, defence=20) for who in (False, True)
    )
    assert risk.bids[Bid("2S")].worst < safe.bids[Bid("2S")].worst
    assert risk.bids[Bid("4S")].spread > safe.bids[Bid("4S")].spread
    assert risk.vulnerable == (Seat.SOUTH,)
    left = tb.advise(hand, auction="1H", scheme="contract", vulnerable="right", defence=20)
    plain_ = tb.advise(hand, auction="1H", scheme="contract", defence=20)
    assert left.bids == plain_.bids
    assert left.passing.spread > plain_.passing.spread


@pytest.mark.parametrize("cards", ["AKJ2.A93.AK2.K95", "KQ72.AKQ.AJ2.K95", "AJ954.K.AK9.AK82"])
def test_a_cautious_player_does_not_pass_22_points_over_a_diamond(cards: str) -> None:
    advice = tb.advise(cards, auction="1D")
    assert advice.hand.hcp == 22
    assert advice.cautious.call is not PASS


def test_a_redouble_must_be_certain() -> None:
    advice = plain("AKQJ9.A42.KQ5.A2", "1S X pass", doubles=True)
    marks = {mark: replace(p, expected=900.0, worst=900.0) for mark, p in advice.doubling.items()}
    assert counsel(replace(advice, doubling=marks), at(0)).call not in marks
    sure = {mark: replace(p, chance=1.0) for mark, p in marks.items()}
    assert counsel(replace(advice, doubling=sure), at(0)).call in sure


def test_the_words_beside_a_call_are_true_of_the_hand() -> None:
    for number in range(60):
        hand = tb.deal(seed=4, number=number).hands["N"]
        for strain in Strain:
            text = str(because(hand, Bid(1, strain)))
            if strain.trump is None:
                assert f"{hand.hcp} high-card point" in text
                unstopped = [suit.sign for suit in SUITS if not stopped(hand, suit)]
                assert all(sign in text for sign in unstopped)
                assert ("all suits" in text) == (not unstopped)
            else:
                length = hand.length(strain.trump)
                assert text.startswith(f"{length} " if length else "no ")
                top = [r.replace("T", "10") for r in "AKQJT" if strain.trump.letter + r in hand]
                assert text.endswith(" ".join(top)) if top else " with" not in text
        assert f"{hand.hcp} high-card point" in str(because(hand, PASS))


def test_the_lessons_are_sections_of_learn_the_game() -> None:
    page = (ROOT / "docs" / "tutorials" / "learn-the-game.md").read_text(encoding="utf-8")
    assert all(f"\n## {lesson}\n" in page for lesson in (LESSON, SCORE_LESSON))


def advised(hand: Hand) -> Advice:
    return tb.advise(
        hand.cards, auction=hand.auction, scheme=hand.scheme, vulnerable=hand.vulnerable,
        doubles=hand.doubles,
    )  # fmt: skip


@pytest.mark.parametrize("hand", [hand for hand in FORTY if hand.plain], ids=lambda h: h.why)
def test_the_advice_is_never_absurd(hand: Hand) -> None:
    """The rest of the forty are counted by `python -m tests.library.advice.test_counsel`."""
    assert advised(hand).call in [*map(parse_call, hand.calls.split())]


def test_the_forty_hands_are_hands() -> None:
    assert len(FORTY) == 40
    for hand in FORTY:
        assert len(parse_hand(hand.cards)) == 13
        legal = parse_auction(hand.auction, doubles=hand.doubles).legal
        assert all(parse_call(call) in legal for call in hand.calls.split())


def report() -> None:
    """Print what the advice says about each of the forty."""
    met = cautious = 0
    for hand in FORTY:
        advice, calls = advised(hand), [*map(parse_call, hand.calls.split())]
        good = advice.call in calls
        met, cautious = met + good, cautious + (advice.cautious.call in calls)
        where = f"{hand.scheme}{', vulnerable' if hand.vulnerable else ''}"
        said = f"{advice.call!s:6} {advice.cautious.call!s:6}"
        mark = "yes" if good else "NO "
        print(f"{mark} {hand.cards:17} {hand.auction:10} {where:20} {said} | {hand.calls}")
    print(f"neutral {met} of {len(FORTY)}, cautious {cautious} of {len(FORTY)}")


if __name__ == "__main__":
    report()
