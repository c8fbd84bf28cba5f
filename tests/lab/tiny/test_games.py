"""The games of tiny decks: the table's rules action by action, and values known otherwise."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest

from tests.lab.tiny.kuhn import Builder, best_response, places
from tribridge.cards.cards import Card, Deck, Strain
from tribridge.common.errors import SettingError
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game import find_scheme, scores, settle
from tribridge.game.auction import Outcome
from tribridge.game.table import Table
from tribridge.lab.tiny.auctions import AuctionGame, auction_count
from tribridge.lab.tiny.card_play import WholeGame, card_play, table_after
from tribridge.lab.tiny.layouts import Layouts
from tribridge.lab.tiny.policies import play_strategies, player_cards
from tribridge.lab.tiny.team import TeamGame, team_response
from tribridge.lab.tiny.treeplex import (
    CFRPlus,
    LeafGame,
    judge,
    random_profile,
)
from tribridge.strategies import find_strategy

SCHEME = find_scheme("auction")


def test_layouts_are_all_deals_with_their_double_dummy_tricks() -> None:
    layouts = Layouts(Deck(2, 4))
    assert len(layouts) == len({tuple(masks) for masks in layouts.masks.tolist()}) == 2520
    truth = DoubleDummy(layouts.deck)
    for at in range(0, 2520, 97):
        north, east, south, hidden = layouts.masks[at].tolist()
        around = [(north, east, hidden, south), (east, south, hidden, north)]
        for seat, chairs in enumerate([*around, (south, north, hidden, east)]):
            for place, strain in enumerate(layouts.deck.strains):
                assert layouts.tricks[seat, place, at] == truth.tricks(chairs, strain)


def slow_auction(deck: Deck) -> LeafGame:
    """The auction, walked through table by table, deal by deal."""
    layouts, builder = Layouts(deck), Builder(3)
    tricks_of = cache(DoubleDummy(deck).tricks)

    def walk(table: Table, last: tuple[int, ...]) -> None:
        auction = table.auction
        if auction.over:
            payoffs: tuple[float, ...] = (0.0, 0.0, 0.0)
            if auction.contract is not None:
                who = auction.contract.declarer
                hands = table.deal.hands
                chairs = hands[who], hands[who.left], hands[3], hands[who.right]
                tricks = tricks_of(chairs, auction.contract.bid.strain)
                points = settle(scores(Outcome(auction.contract, tricks), SCHEME, deck))
                payoffs = tuple(float(one) / len(layouts) for one in points)
            builder.end(last, payoffs)
            return
        seat = auction.turn
        assert seat is not None
        key = table.deal.hands[seat], auction.calls
        first = builder.choose(seat.index, key, len(auction.legal), last[seat])
        for at, call in enumerate(auction.legal):
            after = (*last[:seat], first + at, *last[seat.index + 1 :])
            walk(table.apply_unchecked(call), after)

    for deal in range(len(layouts)):
        walk(table_after(layouts, deal, ()), (0, 0, 0))
    return builder.game()[0]


def test_the_auction_is_the_one_walked_through_deal_by_deal() -> None:
    slow = slow_auction(Deck(1, 4))
    game = AuctionGame(Layouts(Deck(1, 4)), SCHEME)
    assert [len(tree.counts) for tree in game.trees] == [len(tree.counts) for tree in slow.trees]
    solvers = CFRPlus(slow), CFRPlus(game)
    for _ in range(4):
        expected, got = (judge(one.game, one.average) for one in solvers)
        assert got.values == pytest.approx(expected.values)
        assert got.gains == pytest.approx(expected.gains)
        for one in solvers:
            one.run(2)


def test_the_auction_pays_the_sum_over_all_ends() -> None:
    """Random strategies on a deck of 2x4: 40 auctions of 2,520 deals, added up one by one."""
    layouts = Layouts(Deck(2, 4))
    game = AuctionGame(layouts, SCHEME)
    profile = random_profile(game, 5)
    plans = [tree.plan(strategy) for tree, strategy in zip(game.trees, profile, strict=True)]
    expected = np.zeros(3)
    for end in game.tree.ends:
        if end.contract is None:
            continue
        reach = np.prod(
            [
                plans[seat][game.sequences(*end.last[seat])][layouts.deals[:, seat]]
                for seat in range(3)
            ],
            axis=0,
        )
        strain = layouts.deck.strains.index(end.contract.bid.strain)
        tricks = layouts.tricks[end.contract.declarer, strain]
        for count in range(3):
            points = settle(scores(Outcome(end.contract, count), SCHEME, layouts.deck))
            share = reach[tricks == count].sum() / len(layouts)
            expected += share * np.array([float(one) for one in points])
    assert judge(game, profile).values == pytest.approx(expected)


def test_auctions_are_counted() -> None:
    for deck, levels, count in (("2x4", 1, 40), ("4x2", 1, 364), ("2x6", 2, 1093)):
        pack = Deck(deck)
        assert auction_count(len(pack.strains) * levels) == count
    game = AuctionGame(Layouts(Deck(4, 2)), SCHEME)
    assert len(game.tree.ends) == 364
    assert [len(game.tree.turns), sum(len(tree.counts) for tree in game.trees)] == [729, 729 * 28]


def test_fewer_levels_have_fewer_auctions() -> None:
    game = AuctionGame(Layouts(Deck(3, 4)), SCHEME, levels=1)
    assert len(game.tree.ends) == auction_count(4) == 121


@pytest.fixture(scope="module")
def whole() -> WholeGame:
    return WholeGame(AuctionGame(Layouts(Deck(2, 4)), SCHEME))


def test_the_whole_game_follows_the_table_action_by_action(whole: WholeGame) -> None:
    """Random games at a table end where their sequences say, and are paid as the table pays."""
    layouts, game, random = whole.auction.layouts, whole.game, Random(1)
    turns = {turn.auction.calls: at for at, turn in enumerate(whole.auction.tree.turns)}
    ends = {
        triple: number
        for number, triple in enumerate(zip(*(last.tolist() for last in game.last), strict=True))
    }
    contracts = {end.auction.calls: at for at, (end, _) in enumerate(whole.contracts)}
    here_of = [places(whole, seat) for seat in range(3)]
    spots = {
        (strain, role, spot.chair, layouts.deals[spot.deal, role], layouts.masks[spot.deal, 3],
         spot.played): number
        for strain, play in whole.plays.items()
        for role in range(3)
        for number, spot in enumerate(play.spots[role])
    }  # fmt: skip
    seen: dict[tuple[object, ...], tuple[int, int]] = {}
    for _ in range(400):
        deal = random.randrange(len(layouts))
        table, last = table_after(layouts, deal, ()), [0, 0, 0]
        cards: tuple[Card, ...] = ()
        while not table.over:
            seat = table.turn
            assert seat is not None
            legal = table.legal
            choice = random.randrange(len(legal))
            contract = table.auction.contract
            hand = int(layouts.deals[deal, seat])
            if contract is None:
                last[seat] = int(whole.auction.sequences(turns[table.auction.calls], choice)[hand])
            elif len(legal) > 1:
                assert table.position is not None
                role, strain = whole.role(seat.index, contract), contract.bid.strain
                dummy = int(layouts.masks[deal, 3])
                local = spots[strain, role, table.position.chair, hand, dummy, cards]
                inside, here = next(
                    (inside, here)
                    for inside, here in here_of[seat][contracts[table.auction.calls]]
                    if inside.start <= local < inside.stop
                )
                number = here.start + local - inside.start
                tree = game.trees[seat]
                assert tree.parents[number] == last[seat]
                assert tree.counts[number] == len(legal)
                last[seat] = int(tree.firsts[number]) + choice
                key = (seat, hand, table.auction.calls, dummy, cards)
                assert seen.setdefault(key, (seat.index, number)) == (seat.index, number)
            if contract is not None:
                cards = (*cards, legal[choice])  # type: ignore[arg-type]
            table = table.apply(legal[choice])
        assert table.outcome is not None
        points = settle(scores(table.outcome, SCHEME, layouts.deck))
        if table.outcome.contract is not None:
            end = ends[last[0], last[1], last[2]]
            paid = [len(layouts) * payoffs[end] for payoffs in game.payoffs]
            assert paid == pytest.approx([float(one) for one in points])
    assert len(seen) == len(set(seen.values())) > 200


def test_the_whole_game_has_as_many_ends_as_counted(whole: WholeGame) -> None:
    game = whole.game
    assert len(game.last[0]) == 39 * 14_976 + 1
    assert [len(tree.counts) for tree in game.trees] == [66_744] * 3
    judged = judge(game, random_profile(game, 1))
    assert sum(judged.values) == pytest.approx(0, abs=1e-9)
    assert min(judged.gains) > 0


@pytest.mark.parametrize(
    ("deck", "team", "value"), [("2x4", 173 / 210, 173 / 210), ("4x2", 209 / 420, 1 / 2)]
)
def test_card_play_is_worth_at_least_what_a_team_concedes(
    deck: str, team: float, value: float
) -> None:
    """`arena.tiny.team` has the value if the defenders are one team with a shared coin.

    Two defenders without the coin cannot do better. On a deck of 2x4 in notrump they do as well; on
    4x2 the equilibrium that CFR+ finds gives declarer 1/2.
    """
    play = card_play(Layouts(Deck(deck)), Strain.NOTRUMP)
    solver = CFRPlus(play.game)
    solver.run(150)
    judged = judge(play.game, solver.average)
    assert judged.nash_conv < 1e-3
    assert judged.values[0] == pytest.approx(value, abs=1e-3)
    assert best_response(judge(play.game, solver.average), 0) >= team
    assert team_response(play, solver.average[0]) <= team + 1e-9


@pytest.mark.full
def test_best_responses_in_card_play_are_those_of_each_dummy() -> None:
    """What the best declarer takes from `maxims` and what the best team leaves it."""
    layouts = Layouts(Deck(4, 2))
    play = card_play(layouts, Strain.NOTRUMP)
    profile = play_strategies(play, player_cards(find_strategy("maxims")), best=True)
    declarer, team = 0.0, 0.0
    for dummy in layouts.hands.tolist():
        part = card_play(layouts, Strain.NOTRUMP, dummy)
        own, left, right = play_strategies(part, player_cards(find_strategy("maxims")), best=True)
        game = TeamGame(part, dummy)
        declarer += game.declarer_answer(game.reach(left, right)) / len(layouts.hands)
        team += game.team_answer(game.tree.plan(own))[0][0] / len(layouts.hands)
    assert best_response(judge(play.game, profile), 0) == pytest.approx(declarer)
    assert team_response(play, profile[0]) == pytest.approx(team)
    judged = judge(play.game, profile)
    for defender in (1, 2):
        assert team <= judged.values[0] - judged.gains[defender] + 1e-9


def test_larger_decks_are_refused_with_their_size() -> None:
    with pytest.raises(SettingError, match=r"4x13 has 52 cards.*at most 12 cards"):
        Layouts(Deck())
    with pytest.raises(SettingError, match=r"9,841 auctions"):
        AuctionGame(Layouts(Deck(3, 4)), SCHEME)
    with pytest.raises(SettingError, match=r"at most 8"):
        card_play(Layouts(Deck(2, 6)), Strain.NOTRUMP)
    with pytest.raises(SettingError, match="H cannot be"):
        card_play(Layouts(Deck(2, 4)), Strain.HEARTS)
    with pytest.raises(SettingError, match="levels 1 to 1, not 3"):
        AuctionGame(Layouts(Deck(2, 4)), SCHEME, levels=3)


def test_layers_keep_parents_before_children(whole: WholeGame) -> None:
    for tree in whole.game.trees:
        assert (tree.parents < tree.firsts).all()
        plan = tree.plan(tree.uniform())
        sums = np.add.reduceat(plan, tree.firsts)
        np.testing.assert_allclose(sums, plan[tree.parents])
