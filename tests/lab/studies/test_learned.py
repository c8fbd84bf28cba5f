"""The study of learning: its numbers against slow ones, and verdicts that can fall either way."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from typing import Any

import numpy as np
import pytest

from benchmarks import learned_bidder as bidder
from tests.lab.studies.helpers import alike, kept_study
from tribridge.arena.results import shipped as shipped_games
from tribridge.cards.cards import FULL_DECK, Strain
from tribridge.cards.deals import Seat
from tribridge.common.stats import Interval
from tribridge.game import Bid, Contract, Outcome, find_scheme, scores
from tribridge.game.auction import Auction
from tribridge.lab.labels.labels import shipped, shipped_played
from tribridge.lab.studies import claims, learned
from tribridge.lab.studies.study import Outcome as StudyOutcome
from tribridge.lab.studies.study import stored
from tribridge.strategies import decision_rng, find_caller


@pytest.fixture
def study() -> StudyOutcome[Any]:
    return kept_study("learning")


def test_auctions_in_step_are_those_held_one_by_one() -> None:
    deals = bidder.labelled_deals(9)
    names = [[learned.LEARNED, "points", "capture"]] * len(deals)
    for deal, together in enumerate(bidder.hold_auctions(deals, names).tolist()):
        alone = Auction(bidder.dealer_of(deal), FULL_DECK)
        while (seat := alone.turn) is not None:
            seen = bidder.view_of(deals.hand(deal, seat.index), alone)
            call = find_caller(names[deal][seat]).call(seen, decision_rng(1, deal, seat, 0)).action
            alone.check(call)  # type: ignore[arg-type]
            alone = alone.apply_unchecked(call)  # type: ignore[arg-type]
        end = alone.contract
        held = None if together[0] < 0 else Contract(Bid(together[2], Strain(together[1])),
                                                     Seat(together[0]))  # fmt: skip
        assert held == end


def test_contracts_are_settled_as_the_scheme_scores_them(monkeypatch: pytest.MonkeyPatch) -> None:
    deals = bidder.labelled_deals(6)
    contracts = np.array([[0, 4, 1], [1, 3, 2], [2, 0, 7], [-1, 0, 1], [0, 2, 3], [1, 1, 1]])
    monkeypatch.setattr(bidder, "hold_auctions", lambda deals, names: contracts.astype(np.int8))
    points = bidder.gains(deals, "points", "capture")
    for by, labels in ((learned.SOLVED, shipped()), (learned.PLAYED, shipped_played())):
        for deal, (declarer, strain, level) in enumerate(contracts.tolist()):
            if declarer < 0:
                assert points[by][deal] == 0
                continue
            contract = Contract(Bid(level, Strain(strain)), Seat(declarer))
            tricks = int(labels.tricks[deal, declarer, strain])
            each = [float(x) for x in scores(Outcome(contract, tricks), find_scheme("auction"))]
            own = each.pop(deal % 3)  # the bidder's seat rotates
            assert points[by][deal] == pytest.approx(own - sum(each) / 2)


def test_passed_out_deals_have_no_declarer() -> None:
    deals = bidder.labelled_deals(3)
    assert (bidder.hold_auctions(deals, [["pass"] * 3] * 3)[:, 0] == -1).all()


@pytest.mark.slow
def test_the_paper_s_bidder_infers_nothing_and_a_better_one_would_be_noticed(
    study: StudyOutcome[Any],
) -> None:
    result: learned.Result = study.result
    first, _second, _third = (claim.verdict for claim in learned.claims(result))
    assert first == claims.FAILS
    behind, unclear = Interval(-5.0, -6.0, -4.0), Interval(0.0, -1.0, 1.0)
    turned = replace(
        result,
        contexts=tuple(replace(row, changed=3.0) for row in result.contexts),
        nothing=tuple(replace(row, points=behind, holm=0.01) for row in result.nothing),
        play=tuple(replace(row, tricks=unclear, holm=0.5) for row in result.play),
    )
    verdicts = [claim.verdict for claim in learned.claims(turned)]
    assert verdicts == [claims.HOLDS, claims.FAILS, claims.UNDECIDED]
    assert "forecast" in result.training


def test_every_row_of_the_play_names_the_version_that_played() -> None:
    result = stored("learned", learned.Result)
    games = {game.origin.command: game for game in map(shipped_games, bidder.GAMES)}
    for row in result.play:
        versions = {one.version for one in games[row.command].origin.strategies}
        assert row.player in versions
        assert row.player.startswith("learned@")
    again = tuple(row for game in games.values() for row in bidder._play(game))
    assert alike(result.play, again)


def test_self_play_alone_is_judged_by_its_record_in_every_direction() -> None:
    result = stored("learned", learned.Result)
    for points, holm, verdict in (
        (Interval(5.0, 4.0, 6.0), 0.01, claims.HOLDS),
        (Interval(-5.0, -6.0, -4.0), 0.01, claims.FAILS),
        (Interval(0.0, -1.0, 1.0), 0.9, claims.UNDECIDED),
    ):
        rows = tuple(replace(row, points=points, holm=holm) for row in result.nothing)
        found = learned.claims(replace(result, nothing=rows))
        (judged,) = (claim for claim in found if "self-play" in claim.text)
        assert judged.verdict == verdict
    as_played, settled = result.nothing[:2]
    (judged,) = (claim for claim in learned.claims(result) if "self-play" in claim.text)
    for row in (as_played, settled):  # both are quoted, whichever is the better
        assert f"{row.settled_by} {row.points:+.2f}" in judged.evidence


def test_a_bidder_from_a_file_calls_like_that_of_the_package() -> None:
    weights = str(
        resources.files("tribridge.strategies.learned").joinpath("data/stakes3.npz.split")
    )
    deals, caller = bidder.labelled_deals(4), find_caller("learned@3:doubles=no")
    for before in bidder.CONTEXTS.values():
        auction = Auction(bidder.dealer_of(0), FULL_DECK)
        for call in before:
            auction = auction.apply_unchecked(call)
        views = [bidder.view_of(deals.hand(at, 0), auction) for at in range(len(deals))]
        alone = [caller.call(seen, decision_rng(0, 0, 0, 0)).action for seen in views]
        assert bidder.calls_of(weights, views) == alone


def test_who_learned_from_nothing_meets_the_paper_s_bidder_and_others() -> None:
    rows = stored("learned", learned.Result).nothing
    met = [(row.others, row.settled_by) for row in rows]
    assert met == [(name, by) for name in bidder.MET for by in (learned.PLAYED, learned.SOLVED)]
    again = list(bidder.from_nothing(bidder.labelled_deals(6)))
    assert [(row.others, row.settled_by) for row in again] == met


@pytest.mark.slow
def test_the_result_in_the_package_is_of_the_bidders_as_they_are() -> None:
    """On a few deals everything that does not depend on their number is the same."""
    shipped, again = stored("learned", learned.Result), bidder.result_of(40)
    assert shipped.note.split(" labelled ")[1] == again.note.split(" labelled ")[1]
    for field in ("training", "nothing_games", "nothing_note", "play", "play_notes"):
        assert alike(getattr(shipped, field), getattr(again, field))
    assert [row.settled_by for row in shipped.strength] == [r.settled_by for r in again.strength]
    assert [row.context for row in shipped.contexts] == [row.context for row in again.contexts]


@pytest.mark.full
def test_the_result_in_the_package_is_computed_again() -> None:
    assert alike(bidder.result_of(600), stored("learned", learned.Result))
