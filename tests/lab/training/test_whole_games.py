"""Whole games in lockstep: as the strategies bid and play, and what a search may know."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from tribridge.cards.cards import Card, Hand, Strain
from tribridge.cards.deals import Deal, Seat
from tribridge.game import new_table, parse_call, view
from tribridge.game.auction import Bid, Contract
from tribridge.game.scoring import find_scheme, settle
from tribridge.lab.training.whole_games import (
    CARDS,
    Outcomes,
    Search,
    Table,
    around_hand,
    deals,
    settled,
    shown_cards,
)
from tribridge.networks.auction import NOBODY, PASS, AuctionGames, call_number
from tribridge.networks.play import by_card, expand_one, observe, steps_of
from tribridge.strategies import bidding_for, decision_rng, find_strategy
from tribridge.strategies.learned import POINTS, network

CONTRACT = find_scheme("contract")
HANDS = deals(3, 0, 6)


def deal_of(hands: np.ndarray) -> Deal:
    return Deal(tuple(Hand(int(mask)) for mask in hands))  # type: ignore[arg-type]


def bid_of(text: str) -> Bid:
    call = parse_call(text)
    assert isinstance(call, Bid)
    return call


@pytest.fixture(scope="module")
def at_table() -> Table:
    return Table(CONTRACT)


@pytest.mark.slow
def test_the_auctions_are_those_of_the_caller(at_table: Table) -> None:
    caller = bidding_for(find_strategy("learned+random"), CONTRACT).caller
    games = at_table.bid(HANDS)
    for number, hands in enumerate(HANDS):
        table = new_table(deal_of(hands), Seat.NORTH, scheme=CONTRACT)
        while (turn := table.turn) is not None and not table.auction.over:
            chosen = caller.call(view(table, turn), decision_rng(1, 0, turn, 0))
            table = table.call(parse_call(chosen.action))
        last = table.auction.last_bid
        assert games.standing[number] == (0 if last is None else call_number(last) + 1)
        by = table.auction.bidder
        assert games.bidder[number] == (NOBODY if by is None else by.index)


@pytest.mark.slow
def test_the_cards_are_those_of_the_network(at_table: Table) -> None:
    games = at_table.bid(HANDS[:2])
    outcomes = at_table.outcomes(games, HANDS[:2])
    for number, hands in enumerate(HANDS[:2]):
        standing, declarer = int(games.standing[number]), int(games.bidder[number])
        assert standing
        bid = Bid((standing - 1) // 5 + 1, Strain((standing - 1) % 5))
        table = new_table(deal_of(hands), Seat.NORTH, scheme=CONTRACT)
        caller = bidding_for(find_strategy("learned+random"), CONTRACT).caller
        while not table.auction.over:
            assert table.turn is not None
            chosen = caller.call(view(table, table.turn), decision_rng(1, 0, table.turn, 0))
            table = table.call(parse_call(chosen.action))
        assert table.contract == Contract(bid, Seat(declarer))
        while (turn := table.turn) is not None:
            seen = view(table, turn)
            given, steps = observe(seen), steps_of(seen)
            wish = by_card(network(POINTS)(*expand_one(given, steps)))[0, 0]
            legal = {card.index: card for card in seen.legal if isinstance(card, Card)}
            card = max(legal, key=lambda at: wish[at])
            table = table.play(legal[card])
        assert table.position is not None
        assert outcomes.won[number] == table.position.won


def test_points_are_what_the_players_settle() -> None:
    outcomes = Outcomes(np.array([0, 1, 2, 3]), np.array([5, 19, 35, 0]), np.array([7, 9, 13, 0]))
    points = settled(outcomes, CONTRACT)
    for row, (seat, bid, won) in enumerate(((0, "1NT", 7), (1, "4S", 9), (2, "7NT", 13))):
        contract = Contract(bid_of(bid), Seat(seat))
        net = CONTRACT.net(contract, won)
        scored = [net if at == seat else Fraction(0) for at in range(3)]
        assert points[row].tolist() == list(settle((scored[0], scored[1], scored[2])))
    assert points[3].tolist() == [0, 0, 0]
    assert np.abs(points.sum(1)).max() == 0
    assert outcomes.made().tolist() == [True, False, True, False]


def test_outcomes_fit_in_sixteen_bits() -> None:
    outcomes = Outcomes(np.array([0, 2, 3]), np.array([1, 35, 0]), np.array([0, 13, 7]))
    again = Outcomes.unpacked(outcomes.packed())
    for first, second in zip(outcomes.columns(), again.columns(), strict=True):
        assert first.tolist() == second.tolist()


def test_more_cards_shown_include_those_of_fewer() -> None:
    hidden, shown = HANDS[:, 3], [shown_cards(HANDS[:, 3], count, 1, 0) for count in (0, 1, 6, 13)]
    assert shown[0].tolist() == [0] * len(HANDS)
    assert shown[-1].tolist() == hidden.tolist()
    for fewer, more in pairwise(shown):
        assert (fewer & ~more).tolist() == [0] * len(HANDS)
    assert [int(mask).bit_count() for mask in shown[2]] == [6] * len(HANDS)


@pytest.mark.parametrize("known", [0, 6, 13])
def test_a_search_knows_its_hand_and_the_cards_shown_and_no_others(
    at_table: Table, known: int
) -> None:
    shown = shown_cards(HANDS[:, 3], known, 1, 0)
    search = Search(np.ones(len(HANDS), np.int64), shown, (1,), layouts=16)
    games = AuctionGames(len(HANDS))
    past = [np.full(len(HANDS), PASS)]
    games.step(past[0])
    rows, hands = np.array([0, 2, 5]), HANDS
    layouts = at_table._layouts(games, past, hands[rows, 1], rows, search)
    assert layouts.shape == (3, 16, 4)
    for at, row in enumerate(rows):
        for layout in layouts[at]:
            assert layout[1] == hands[row, 1]
            assert layout[3] & shown[row] == shown[row]
            assert [int(mask).bit_count() for mask in layout] == [13] * 4
            assert int(np.bitwise_or.reduce(layout)) == (1 << CARDS) - 1
        assert known == 13 or len(set(layouts[at, :, 3].tolist())) > 1
    # The other hands have no part in it.
    moved = hands[:, [2, 1, 0, 3]]
    again = at_table._layouts(games, past, moved[rows, 1], rows, search)
    assert again.tolist() == layouts.tolist()


def test_what_a_search_expects_is_the_forecast_of_the_contract(at_table: Table) -> None:
    games = AuctionGames(len(HANDS))
    for call in (PASS, 14, PASS, PASS):  # the second player in 3NT
        games.step(np.full(len(HANDS), call))
    chance = at_table._pair(HANDS[:, 1], HANDS[:, 3])[:, 4]
    nets = np.array(CONTRACT.nets(Contract(bid_of("3NT"), Seat.NORTH)))
    expected = chance @ nets
    assert at_table._expected(games, HANDS, 1) == pytest.approx(expected, rel=1e-5)
    assert at_table._expected(games, HANDS, 0) == pytest.approx(-expected / 2, rel=1e-5)


def test_a_sure_contract_is_bid_whatever_dummy_holds(at_table: Table) -> None:
    """With all spades in hand, 7S cannot fail, and nobody outbids it in spades."""
    spades = ((1 << 13) - 1) << 39
    rest = range(39)
    hands = np.array([[spades, *(sum(1 << c for c in rest[at::3]) for at in range(3))]])
    search = Search(np.zeros(1, np.int64), hands[:, 3], (1,), layouts=4)
    games = at_table.bid(hands, search)
    assert games.bidder.tolist() == [0]
    assert games.standing[0] % 5 == 4  # in spades


def test_four_players_in_pairs_leave_partners_bid(at_table: Table) -> None:
    bidder, standing = at_table.bid_alone(HANDS, 4)
    three, lower = at_table.bid_alone(HANDS, 3)
    assert set(bidder.tolist()) <= {-1, 0, 1, 2, 3}
    assert set(three.tolist()) <= {-1, 0, 1, 2}
    assert ((bidder < 0) == (standing == 0)).all()
    assert len(lower) == len(HANDS)


def test_some_auctions_are_taken_as_they_are() -> None:
    games = AuctionGames(4, doubles=True)
    games.step(np.array([0, 5, PASS, 7]))
    some = games.take(np.array([False, True, False, True]))
    for each in (some, games):
        each.step(np.full(len(each.standing), PASS))
    assert some.observe(HANDS[[1, 3]]).tolist() == games.observe(HANDS[:4])[[1, 3]].tolist()
    assert some.legal().tolist() == games.legal()[[1, 3]].tolist()
    assert some.calls == games.calls


def test_bits_are_what_the_log_score_of_the_unseen_cards_gains(at_table: Table) -> None:
    """Counted again card by card, from the network's chances one layout at a time."""
    calls, told = at_table.said(HANDS[:3], 24, (5, 1))
    assert told.shape == (len(calls), 3, 2, 4)
    assert (told[calls < 0] == 0).all()
    for seat in range(3):
        rng = np.random.default_rng((5, 1, seat))
        drawn = around_hand(HANDS[:3, seat], seat, np.zeros(3, np.int64), 24, rng)
        for number in range(3):
            weights, before = np.ones(24), missing(drawn[number], np.ones(24), number, seat)
            games = [AuctionGames(1) for _ in range(24)]
            for at, call in enumerate(calls[:, number]):
                if call < 0:
                    break
                caller, made = at % 3, np.array([call])
                if caller != seat:
                    for each, layout in enumerate(drawn[number]):
                        chance = at_table._log_chances(games[each], layout[None], made)
                        weights[each] *= np.exp(chance[0])
                    after = missing(drawn[number], weights, number, seat)
                    third = 3 - caller - seat
                    gained = [before[about] - after[about] for about in (caller, third, 3, 4)]
                    listener = (seat - caller) % 3 - 1
                    assert told[at, number, listener] == pytest.approx(gained, abs=1e-3)
                    before = after
                for game in games:
                    game.step(made)


def missing(layouts: np.ndarray, weights: np.ndarray, number: int, seat: int) -> list[float]:
    """Bits missing about each hand, then about all of them."""
    size = weights.sum() ** 2 / (weights**2).sum()
    result = [0.0] * 5
    for card in range(CARDS):
        if HANDS[number, seat] >> card & 1:
            continue
        for hand in range(4):
            if hand == seat:
                continue
            held = sum(
                w for w, layout in zip(weights, layouts, strict=True) if layout[hand] >> card & 1
            )
            chance = (size * held / weights.sum() + 1 / 3) / (size + 1)
            true = HANDS[number, hand] >> card & 1
            result[hand] -= np.log2(chance if true else 1 - chance)
            result[4] -= np.log2(chance) if true else 0
    return result
