"""The players that search: sampling, information sets, alpha-mu."""

from __future__ import annotations

import time
from itertools import product
from math import prod
from random import Random

import numpy as np
import pytest

from tests.library.game.playing import walk
from tests.library.strategies.positions import seen
from tribridge import beliefs
from tribridge.cards.cards import FULL_DECK, Card, Deck, Strain, parse_cards
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.cards.masks import honour_points
from tribridge.game.auction import Bid, Contract
from tribridge.game.position import Position
from tribridge.game.scoring import find_scheme
from tribridge.game.table import Table, new_table
from tribridge.game.tricks import Chair, Hands
from tribridge.game.views import view
from tribridge.strategies import Choice, decision_rng, find_player, find_strategy, guarded_act
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.players.search import evaluation
from tribridge.strategies.players.search.alphamu import AlphaMuPlayer, Search
from tribridge.strategies.players.search.evaluation import (
    Clock,
    Solved,
    play_out,
    solver_of,
    value_layouts,
)
from tribridge.strategies.players.search.sampling import decide, departures, draw, likelihoods
from tribridge.strategies.players.suits import apart
from tribridge.strategies.protocol import position_of

SMALL = Deck(4, 4)
PLAIN = ("AK5.AK4.K964.AJ7", "Q9732.QJ5.A3.862", "J84.T96.QJT5.K93", "T6.8732.872.QT54")


def states(seed: int, deck: Deck = SMALL, games: int = 12) -> list[Table]:
    """Positions of random games in which there is a card to choose."""
    found = []
    for number in range(games):
        table = new_table(deal(seed, number, deck), Seat(number % 3))
        for state in walk(table, Random(number), 0.4):
            if state.position is not None and len(state.legal) > 1:
                found.append(state)
    return found


def chosen(text: str, table: Table) -> Choice:
    turn = table.turn
    assert turn is not None
    return guarded_act(find_strategy(f"pass+{text}"), table, decision_rng(1, 2, turn, 3))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["sampling:layouts=50,playout=0", "ismcts:iterations=400", "alphamu:worlds=50", "oracle"],
)
def test_a_known_layout_is_played_double_dummy(text: str) -> None:
    solver = solver_of(FULL_DECK)
    tried = 0
    for table in states(3, FULL_DECK, 30):
        assert table.position is not None
        if len(table.position.tricks) < 8:
            continue
        known = beliefs.layouts_of(view(table, table.turn)).count == 1
        if not known and text != "oracle":
            continue
        values = solver.cards(table.position)
        chair = table.position.chair
        best = (max if chair.declaring else min)(values.values())
        assert values[chosen(text, table).action] == best  # type: ignore[index]
        tried += len(set(values.values())) > 1
        if tried == 4:
            break
    assert tried >= 3


def test_sampling_plays_the_best_average_over_all_layouts() -> None:
    solver = solver_of(SMALL)
    compared = 0
    for table in states(4)[::4]:
        now = view(table, table.turn)
        everything = beliefs.layouts_of(now)
        if everything.count > 400:
            continue
        compared += len(now.legal) > 1
        position = position_of(now)
        totals: dict[Card, int] = {}
        for hands in beliefs.chairs(now, everything.every(400)).tolist():
            for one, tricks in solver.cards(position.with_hands(tuple(hands))).items():
                totals[one] = totals.get(one, 0) + tricks
        assert table.position is not None
        best = (max if table.position.declaring else min)(totals.values())
        choice = chosen("sampling:layouts=400,factor=1,playout=0", table)
        assert totals[choice.action] == best  # type: ignore[index]
        if len(now.legal) > 1:
            assert choice.details["layouts"] == everything.count
    assert compared >= 3


def test_ties_go_to_the_maxims() -> None:
    table = next(t for t in states(5) if t.position is not None and len(t.position.tricks) == 0)
    now = view(table, table.turn)
    assert table.position is not None
    values = [Solved(dict.fromkeys(table.position.legal, 2), None)]
    choice = decide(now, values, np.ones(1), "tricks", 0.0, 0.5, Clock(None))
    assert choice.action == maxim(position_of(now))[0]


def test_playing_out_decides_between_cards_that_double_dummy_ties() -> None:
    table = next(
        t for t in states(5) if t.position is not None and t.position.chair is Chair.DECLARER
    )
    now = view(table, table.turn)
    assert table.position is not None
    legal = table.position.legal
    sense = maxim(position_of(now))[0]
    other = next(card for card in legal if card != sense)
    solved = [Solved(dict.fromkeys(legal, 2), {card: 2 + (card == other) for card in legal})]

    def found(playout: float) -> object:
        return decide(now, solved, np.ones(1), "tricks", 0.0, playout, Clock(None)).action

    assert found(0.0) == sense
    assert found(0.3) == other


def test_playing_out_alone_needs_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "solver_of", None)
    choice = chosen("sampling:layouts=3,playout=1", maxims_game(1)[13])
    assert choice.details["layouts"] == 3


class FakeTime:
    """A clock that a solve moves on by a fixed time."""

    def __init__(self, each: float) -> None:
        self.now, self.each, self.solves = 0.0, each, 0

    def monotonic(self) -> float:
        return self.now

    def cards(self, play: object) -> dict[object, int]:
        self.now += self.each
        self.solves += 1
        return {}


@pytest.mark.parametrize(
    ("seconds", "each", "expected"),
    [(1.0, 0.1, 8), (1.0, 0.3, 2), (1.0, 0.9, 1), (0.3, 0.1, 0), (None, 0.4, 20)],
)
def test_solving_stops_before_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch, seconds: float | None, each: float, expected: int
) -> None:
    fake = FakeTime(each)
    monkeypatch.setattr(evaluation, "time", fake)
    monkeypatch.setattr(evaluation, "solver_of", lambda deck: fake)
    now = seen(*PLAIN, "3NT")
    rows = beliefs.chairs(now, beliefs.sample(now, 20, np.random.default_rng(1))).tolist()
    layouts: list[Hands] = [(a, b, c, d) for a, b, c, d in rows]
    clock = Clock(seconds)
    found = value_layouts(position_of(now), now.deck, layouts, clock)
    assert len(found) == fake.solves == expected
    assert seconds is None or clock.spent <= seconds


def test_weighing_stops_when_its_share_of_the_time_is_spent() -> None:
    table = maxims_game(3)[30]
    now = view(table, table.turn)
    rng = np.random.default_rng(5)
    spent = Clock(0.9, began=time.monotonic() - 0.5)
    assert len(draw(now, 200, 0.5, False, spent, rng).hands) == 16
    assert len(draw(now, 200, 0.5, False, Clock(None), rng).hands) == 200


@pytest.mark.parametrize("scheme", ["auction", "contract"])
def test_layouts_give_a_bidder_what_the_bid_shows(scheme: str) -> None:
    points = []
    for bid in ("1NT", "3NT", "7NT"):
        table = new_table(deal(1, 8), Seat.NORTH, scheme=find_scheme(scheme)).call(bid)
        now = view(table.call("pass").call("pass"), Seat.EAST)
        drawn = draw(now, 400, 1.0, True, Clock(None), np.random.default_rng(1))
        declarers = np.array([hands[Chair.DECLARER] for hands in drawn.hands], np.uint64)
        points.append(float(honour_points(declarers).mean()))
    assert 11 < points[0] < points[1] - 0.5 < points[2] - 1


def test_without_time_the_maxims_play() -> None:
    now = seen(*PLAIN, "3NT")
    for text in ("sampling:seconds=1e-6", "alphamu:seconds=1e-6", "ismcts:seconds=1e-6"):
        player = find_player(text)
        choice = player.card(now, decision_rng(1, 0, 1, 3))  # type: ignore[union-attr]
        assert choice.action == maxim(position_of(now))[0]
        assert choice.reason.startswith("No time to search: ")


def maxims_game(number: int) -> list[Table]:
    table = new_table(deal(8, number), Seat.NORTH)
    table = table.apply(table.legal[1 + number % 5])
    table = table.apply(table.legal[0]).apply(table.legal[0])
    found = []
    while not table.over:
        found.append(table)
        table = table.apply(maxim(position_of(view(table, table.turn)))[0])
    return found


def left(table: Table) -> Hands:
    assert table.position is not None
    return table.position.hands


def test_no_one_departs_from_the_maxims_where_all_play_by_them() -> None:
    for number in range(5):
        for table in maxims_game(number)[3::4]:
            now = view(table, table.turn)
            assert departures(now, [left(table)]).tolist() == [0]


def test_layouts_in_which_players_departed_weigh_less() -> None:
    table = maxims_game(3)[30]
    now = view(table, table.turn)
    drawn = beliefs.chairs(now, beliefs.sample(now, 60, np.random.default_rng(4))).tolist()
    layouts: list[Hands] = [left(table), *((a, b, c, d) for a, b, c, d in drawn)]
    counts = departures(now, layouts)
    assert counts[0] == 0 < counts.max()
    assert likelihoods(counts, 0.5) == pytest.approx(0.5 ** counts.astype(float))
    kept = draw(now, 15, 0.05, False, Clock(None), np.random.default_rng(5))
    drawn_all = departures(now, layouts[1:]).mean()
    assert departures(now, kept.hands).mean() < drawn_all - 0.2


def test_all_hidden_hands_are_watched_and_only_they() -> None:
    maxims, chance = find_strategy("pass+maxims"), find_strategy("pass+random")
    for odd in Seat:  # one of the three plays at random, the declarer both hands
        table = new_table(deal(8, 4), Seat.NORTH)
        table = table.apply(table.legal[5]).apply(table.legal[0]).apply(table.legal[0])
        while table.position is not None and len(table.position.tricks) < 9:
            turn = table.turn
            assert turn is not None
            strategy = chance if turn is odd else maxims
            table = table.apply(guarded_act(strategy, table, decision_rng(3, 4, turn, 0)).action)
        for seat in Seat:
            counted = departures(view(table, seat), [left(table)])[0]
            assert (counted > 0) == (seat is not odd)


def test_playing_out_is_what_the_maxims_would_do() -> None:
    for table in maxims_game(2)[::11]:
        assert table.position is not None
        found = play_out(table.position)
        assert set(found) == set(table.legal)
        for card in apart(table.position, table.position.legal):
            after = table.apply(card)
            while not after.over:
                after = after.apply(maxim(position_of(view(after, after.turn)))[0])
            assert after.position is not None
            assert found[card] == after.position.won


def test_hidden_cards_keep_cards_apart_too() -> None:
    for number in range(2, 6):
        for table in maxims_game(number):
            position, turn = table.position, table.turn
            assert position is not None
            assert turn is not None
            known = position_of(view(table, turn))
            assert apart(known, known.legal) == apart(position, position.legal)


def test_equivalent_cards_have_the_same_value_in_a_playout() -> None:
    compared = 0
    for number in range(2, 6):
        for table in maxims_game(number):
            position = table.position
            assert position is not None
            values = play_out(position)
            distinct = apart(position, position.legal)
            for card in set(position.legal) - set(distinct):
                below = max(c for c in distinct if c < card and c.suit is card.suit)
                assert values[card] == values[below]
                compared += 1
    assert compared > 50


def reference(search: Search, worlds: dict[int, object], card: object) -> float | None:
    """Alpha-mu's value of a card at depth 2 by trying every plan of the declarer.

    A plan is a card for each reply that a defender may show; in each layout the defender takes
    the reply that is worst for the declarer. None where there are too many plans to try.
    """
    replies: dict[object, dict[int, dict[object, int]]] = {}
    for at, play in worlds.items():
        after = play.apply_unchecked(card)  # type: ignore[attr-defined]
        for reply in apart(after, after.legal):
            values = search.solver.cards(after.apply_unchecked(reply))
            replies.setdefault(reply, {})[at] = values  # type: ignore[assignment]
    options = [list(next(iter(by_world.values()))) for by_world in replies.values()]
    if prod(len(option) for option in options) > 300:
        return None
    best = -np.inf
    for plan in product(*options):
        total = 0.0
        for at in worlds:
            total += min(
                search.table[by_world[at][own]]
                for own, by_world in zip(plan, replies.values(), strict=True)
                if at in by_world
            )
        best = max(best, total / len(worlds))
    return best


@pytest.mark.slow
def test_alphamu_of_depth_2_is_the_best_plan_against_a_defender_who_knows() -> None:
    compared = gaps = 0
    deck = Deck(4, 5)
    for table in states(9, deck, 24)[::2]:
        play = table.position
        assert play is not None
        # The declarer's card, one reply, the declarer's other hand: a trick not yet half full.
        if not play.declaring or len(play.trick) > 1:
            continue
        now = view(table, table.turn)
        drawn = draw(now, 7, 1.0, False, Clock(None), np.random.default_rng(2))
        worlds = {at: position_of(now).with_hands(hands) for at, hands in enumerate(drawn.hands)}
        share = np.full(len(worlds), 1 / len(worlds))
        search = Search(solver_of(deck), np.arange(6.0), share, Clock(None))
        plain = search.solve(worlds)
        for card in apart(play, play.legal):
            expected = reference(search, worlds, card)  # type: ignore[arg-type]
            if expected is None:
                continue
            after = {at: world.apply_unchecked(card) for at, world in worlds.items()}
            value = max(search.mean(vector) for vector in search.front(after, 1))
            assert value == pytest.approx(expected)
            bound = np.mean([values[card] for values in plain])
            assert value <= bound + 1e-9
            gaps += bool(value < bound - 1e-9)
            compared += 1
    assert compared > 20
    assert gaps > 0, compared


def test_alphamu_sees_that_a_guess_put_off_is_still_a_guess() -> None:
    # A spade to cash, then king-jack opposite ace-ten in hearts; either defender has the queen.
    # What the left defender shows at first, the Four of Hearts, tells nothing.
    dealt = [
        parse_cards(text).mask for text in ("A.KJ2.-.-", "2.Q54.-.-", "3.AT3.-.-", "4.987.-.-")
    ]
    other = [parse_cards(text).mask for text in ("2.754.-.-", "4.Q98.-.-")]
    contract = Contract(Bid(1, Strain.NOTRUMP), Seat.NORTH)
    worlds = {
        0: Position(contract, (dealt[0], dealt[1], dealt[2], dealt[3]), Chair.DECLARER),
        1: Position(contract, (dealt[0], other[0], dealt[2], other[1]), Chair.DECLARER),
    }
    search = Search(solver_of(FULL_DECK), np.arange(14.0), np.array([0.5, 0.5]), Clock(None))

    def value(name: str, depth: int) -> float:
        after = {at: play.apply_unchecked(Card(name)) for at, play in worlds.items()}
        return max(search.mean(vector) for vector in search.front(after, depth - 1))

    assert [values[Card("H2")] for values in search.solve(worlds)] == [4, 4]
    assert value("H2", 2) == 3.5
    assert value("SA", 2) == value("SA", 3) == 4  # the guess lies beyond the horizon
    assert value("SA", 4) == 3.5


def test_a_front_keeps_what_nothing_dominates() -> None:
    search = Search(solver_of(FULL_DECK), np.arange(14.0), np.array([0.5, 0.5]), Clock(None))
    vectors = [np.array(pair) for pair in ((2.0, 2.0), (3.0, 2.0), (0.0, 4.0), (3.0, 2.0))]
    assert [vector.tolist() for vector in search.undominated(vectors)] == [[3.0, 2.0], [0.0, 4.0]]


def test_alphamu_of_depth_1_is_sampling() -> None:
    for table in states(10)[::2]:
        play = table.position
        assert play is not None
        if not play.chair.declaring:
            continue
        plain = chosen("sampling:layouts=6,playout=0", table)
        assert chosen("alphamu:worlds=6,depth=1", table).action == plain.action


def test_alphamu_reports_its_layouts() -> None:
    now = seen(*PLAIN, "3NT", "S3 S4 ST SK")
    choice = AlphaMuPlayer(worlds=4).card(now, decision_rng(1, 0, 0, 7))
    assert choice.details["layouts"] == 4
    assert choice.details["seconds"] > 0
